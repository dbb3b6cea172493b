// Combines all instances of meshes to one mesh.
#include "io/gltf/gltf_private.h"
#include "io/names.h"
#include "math/predicates.h"
#include "math/vec.h"
#include <stdio.h>
#include <string.h>

typedef struct Build
{
    rblGltf* gltf;
    rblMeshBuilder* builder;
    rblGltfLayers layers;
    uint32_t mesh_count;
    uint32_t* uses;       // per mesh: remaining instances
    rblMesh** meshes;     // per mesh: kept while instances remain
    uint32_t* groups;     // per mesh: number of the group with its name, RBL_NONE until it is used
    uint32_t* materials;  // per material of the file: its number, RBL_NONE until it is used
    bool named_materials; // false: materials have numbers only
} Build;

// The transform of an instance, for positions and normals.
typedef struct Placing
{
    const rblMeshView* view;
    rblGltfTransform transform;
    rblVec3d normal_x, normal_y, normal_z; // columns of the matrix for normals
    bool mirrored;
    uint32_t first_vertex;
    uint32_t group;
} Placing;

// ---- names ----

// The name of an object, or its kind and number: "node 3".
static rblResult name_of(rblJson object, const char* kind, uint32_t number, char* fallback, size_t size,
                         const char** out)
{
    *out = "";
    RBL_TRY(rbl_json_optional_string(object, "name", out));
    if ((*out)[0] == '\0')
    {
        snprintf(fallback, size, "%s %u", kind, number);
        *out = fallback;
    }
    return RBL_OK;
}

// Names are looked up once: a long name shared by many instances would cost its length every time.
static rblResult number_of(const Build* build, rblNameKind kind, rblJson object, uint32_t index,
                           uint32_t* number)
{
    char fallback[32];
    const char* name;
    if (*number == RBL_NONE)
    {
        RBL_TRY(name_of(object, kind == RBL_NAME_MATERIAL ? "material" : "mesh", index, fallback,
                        sizeof fallback, &name));
        *number = rbl_intern_name(build->builder, kind, name, strlen(name));
    }
    return RBL_OK;
}

// The group has the name of the node, or of the mesh when the node has no name.
static rblResult group_of(const Build* build, const rblGltfInstance* instance, uint32_t* group)
{
    const char* name = "";
    if (instance->node != RBL_NONE)
    {
        RBL_TRY(rbl_json_optional_string(rbl_json_item(build->gltf->nodes, instance->node), "name", &name));
    }
    if (name[0] != '\0')
    {
        *group = rbl_intern_name(build->builder, RBL_NAME_GROUP, name, strlen(name));
        return RBL_OK;
    }
    uint32_t* number = &build->groups[instance->mesh];
    RBL_TRY(number_of(build, RBL_NAME_GROUP, rbl_json_item(build->gltf->meshes, instance->mesh),
                      instance->mesh, number));
    *group = *number;
    return RBL_OK;
}

static rblResult material_of(const Build* build, uint32_t material, uint32_t* out)
{
    if (!build->named_materials)
    {
        *out = material != RBL_NONE ? material : 0;
        return RBL_OK;
    }
    if (material == RBL_NONE)
    {
        *out = rbl_intern_name(build->builder, RBL_NAME_MATERIAL, "default", strlen("default"));
        return RBL_OK;
    }
    uint32_t* number = &build->materials[material];
    RBL_TRY(number_of(build, RBL_NAME_MATERIAL, rbl_json_item(build->gltf->materials, material), material,
                      number));
    *out = *number;
    return RBL_OK;
}

static rblResult look_for_material_names(Build* build)
{
    const rblJson materials = build->gltf->materials;
    for (uint32_t i = 0; i < rbl_json_count(materials); ++i)
    {
        const char* name = "";
        RBL_TRY(rbl_json_optional_string(rbl_json_item(materials, i), "name", &name));
        build->named_materials = build->named_materials || name[0] != '\0';
    }
    return RBL_OK;
}

// ---- one instance ----

// Normals are transformed by the inverse transpose: the cofactors over the determinant, of which only the sign
// matters.
static void prepare_normals(Placing* placing)
{
    const rblGltfTransform* t = &placing->transform;
    const double determinant = rbl_orient3d(t->cx, t->cy, t->cz, rbl_vec3d(0, 0, 0));
    const double sign = determinant < 0.0 ? -1.0 : 1.0;
    placing->mirrored = determinant < 0.0;
    placing->normal_x = rbl_scale3d(rbl_cross3d(t->cy, t->cz), sign);
    placing->normal_y = rbl_scale3d(rbl_cross3d(t->cz, t->cx), sign);
    placing->normal_z = rbl_scale3d(rbl_cross3d(t->cx, t->cy), sign);
}

static rblResult add_vertices(const Build* build, const Placing* placing, rblJson where)
{
    const rblGltfTransform* t = &placing->transform;
    for (uint32_t v = 0; v < placing->view->vertex_count; ++v)
    {
        const rblVec3d p = placing->view->positions[v];
        rblVec3d moved = rbl_mul_add3d(t->offset, p.x, t->cx);
        moved = rbl_mul_add3d(moved, p.y, t->cy);
        moved = rbl_mul_add3d(moved, p.z, t->cz);
        if (!rbl_finite3d(moved) && !build->gltf->source->keep_non_finite)
        {
            return rbl_json_fail(where, RBL_ERROR_FORMAT,
                                 "the transform of the node moves a vertex out of range");
        }
        rbl_mesh_builder_vertex(build->builder, moved);
    }
    return RBL_OK;
}

static void turn_normal(const Build* build, const Placing* placing, uint32_t source, uint32_t target)
{
    const float* n = placing->view->layers[0].data + 3 * (size_t)source;
    rblVec3d turned = rbl_scale3d(placing->normal_x, (double)n[0]);
    turned = rbl_mul_add3d(turned, (double)n[1], placing->normal_y);
    turned = rbl_mul_add3d(turned, (double)n[2], placing->normal_z);
    if (fabs(rbl_dot3d(turned, turned) - 1.0) > 1e-6)
    {
        turned = rbl_normalize3d(turned, rbl_vec3d((double)n[0], (double)n[1], (double)n[2]));
    }
    const float values[3] = {(float)turned.x, (float)turned.y, (float)turned.z};
    rbl_mesh_builder_set(build->builder, 0, target, values);
}

static void add_face(const Build* build, const Placing* placing, uint32_t face, uint32_t material)
{
    const uint32_t begin = placing->view->face_starts[face];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t corner = begin + (placing->mirrored && i > 0 ? 3 - i : i);
        const uint32_t vertex = placing->first_vertex + placing->view->corner_vertices[corner];
        const uint32_t added = rbl_mesh_builder_corner_copy(build->builder, vertex, placing->view, corner);
        if (build->layers.normals > 0)
        {
            turn_normal(build, placing, corner, added);
        }
    }
    rbl_mesh_builder_face(build->builder, material, placing->group,
                          (uint32_t)build->builder->face_starts.count);
}

static rblResult add_faces(const Build* build, const Placing* placing)
{
    uint32_t material = RBL_NONE;
    uint32_t number = 0;
    for (uint32_t f = 0; f < placing->view->face_count && !build->builder->failed; ++f)
    {
        if (f == 0 || placing->view->face_materials[f] != material)
        {
            material = placing->view->face_materials[f];
            RBL_TRY(material_of(build, material, &number));
        }
        add_face(build, placing, f, number);
    }
    return RBL_OK;
}

static rblResult place(const Build* build, const rblGltfInstance* instance, const rblMesh* mesh)
{
    const rblJson where = instance->node != RBL_NONE ? rbl_json_item(build->gltf->nodes, instance->node)
                                                     : rbl_json_item(build->gltf->meshes, instance->mesh);
    Placing placing = {.view = rbl_mesh_get_view(mesh), .transform = instance->transform};
    placing.first_vertex = (uint32_t)build->builder->positions.count;
    prepare_normals(&placing);
    RBL_TRY(rbl_gltf_charge(build->gltf, &build->layers, where, placing.view->corner_count));
    if (build->builder->face_starts.count == 0) // later reserves grow in proportion
    {
        const rblMeshView* view = placing.view;
        rbl_mesh_builder_reserve(build->builder, view->vertex_count, view->face_count, view->corner_count);
    }
    RBL_TRY(group_of(build, instance, &placing.group));
    RBL_TRY(add_vertices(build, &placing, where));
    return add_faces(build, &placing);
}

// ---- all instances ----

static rblResult survey(Build* build, const rblGltfInstances* instances)
{
    for (size_t i = 0; i < instances->count; ++i)
    {
        const uint32_t mesh = instances->data[i].mesh;
        if (build->uses[mesh]++ == 0)
        {
            RBL_TRY(rbl_gltf_survey(build->gltf, mesh, &build->layers));
        }
    }
    for (uint32_t i = 0; i < build->layers.normals + build->layers.uvs + build->layers.colors; ++i)
    {
        const bool normal = i < build->layers.normals;
        const bool uv = !normal && i < build->layers.normals + build->layers.uvs;
        rbl_mesh_builder_layer(build->builder,
                               normal ? RBL_LAYER_NORMAL : (uv ? RBL_LAYER_UV : RBL_LAYER_COLOR));
    }
    return look_for_material_names(build);
}

static rblResult place_all(Build* build, const rblGltfInstances* instances)
{
    RBL_TRY(survey(build, instances));
    bool* read = rbl_alloc_zero(build->gltf->source->allocator, build->mesh_count * sizeof *read);
    rblResult result = read != NULL ? RBL_OK : rbl_fail_memory();
    for (size_t i = 0; i < instances->count && result == RBL_OK; ++i)
    {
        const rblGltfInstance* instance = &instances->data[i];
        rblMesh** mesh = &build->meshes[instance->mesh];
        if (!read[instance->mesh])
        {
            result = rbl_gltf_mesh(build->gltf, instance->mesh, &build->layers, mesh);
            read[instance->mesh] = true;
        }
        if (result == RBL_OK && *mesh != NULL)
        {
            result = place(build, instance, *mesh);
        }
        if (--build->uses[instance->mesh] == 0)
        {
            rbl_mesh_free(*mesh);
            *mesh = NULL;
        }
    }
    RBL_FREE_ARRAY(build->gltf->source->allocator, read, build->mesh_count);
    return result;
}

static bool make_tables(Build* build, const rblAllocator* allocator, uint32_t material_count)
{
    build->uses = rbl_alloc_zero(allocator, build->mesh_count * sizeof *build->uses);
    build->meshes = rbl_alloc_zero(allocator, build->mesh_count * sizeof *build->meshes);
    build->groups = RBL_NEW_ARRAY(allocator, uint32_t, build->mesh_count);
    build->materials = RBL_NEW_ARRAY(allocator, uint32_t, material_count);
    if (build->uses == NULL || build->meshes == NULL || build->groups == NULL ||
        (build->materials == NULL && material_count > 0))
    {
        return false;
    }
    memset(build->groups, 0xFF, build->mesh_count * sizeof *build->groups); // RBL_NONE
    if (material_count > 0)
    {
        memset(build->materials, 0xFF, material_count * sizeof *build->materials);
    }
    return true;
}

rblResult rbl_gltf_build(rblGltf* gltf, const rblGltfInstances* instances, rblMeshBuilder* builder)
{
    const rblAllocator* allocator = gltf->source->allocator;
    const uint32_t material_count = rbl_json_count(gltf->materials);
    Build build = {.gltf = gltf, .builder = builder, .mesh_count = rbl_json_count(gltf->meshes)};
    if (instances->count == 0)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: the scene shows no mesh", rbl_short_name(gltf->source->name));
    }
    const rblResult result =
        make_tables(&build, allocator, material_count) ? place_all(&build, instances) : rbl_fail_memory();
    for (uint32_t i = 0; build.meshes != NULL && i < build.mesh_count; ++i)
    {
        rbl_mesh_free(build.meshes[i]);
    }
    RBL_FREE_ARRAY(allocator, build.uses, build.mesh_count);
    RBL_FREE_ARRAY(allocator, build.meshes, build.mesh_count);
    RBL_FREE_ARRAY(allocator, build.groups, build.mesh_count);
    RBL_FREE_ARRAY(allocator, build.materials, material_count);
    return result;
}
