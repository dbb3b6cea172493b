// A mesh as GLB: one node, one mesh, one primitive per material, all sharing one list of vertices.
//
// glTF keeps positions in 32 bits. Along an axis on which the mesh stands farther from the origin than it is large, the
// node carries the distance (itself a 32-bit number), so that the positions keep their digits. UVs are turned over: glTF
// counts v downwards.
#include "base/log.h"
#include "base/sort.h"
#include "io/glb_builder.h"
#include "io/readers.h"
#include "math/vec.h"
#include <float.h>
#include <string.h>

// Looked at when a vertex is searched among those made for the same point. Finding no equal costs space only.
#define LONGEST_CHAIN 32

typedef struct GlbWriter
{
    const rblMeshView* view;
    const rblAllocator* allocator;
    rblVec3d offset;
    uint32_t normal_layer;  // RBL_NONE: faces get their own normals
    uint32_t width;         // floats per vertex: position, normal, UVs, colours
    rblIndexArray corners;  // triangles, three by three
    rblIndexArray faces;    // per triangle: its face
    uint32_t* order;        // triangles by material
    rblFloatArray vertices; // made so far, `width` floats each
    rblIndexArray chain;    // per made vertex: the one made before for the same point, RBL_NONE at the end
    uint32_t* heads;        // per point of the mesh: the vertex made last, RBL_NONE
    rblIndexArray indices;  // of all primitives, one after the other
    float* scratch;         // one vertex
} GlbWriter;

// ---- layout ----

static void choose_layout(GlbWriter* w)
{
    w->normal_layer = RBL_NONE;
    w->width = 6;
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayer* layer = &w->view->layers[i];
        if (layer->kind != RBL_LAYER_NORMAL)
        {
            w->width += layer->components;
        }
        else if (w->normal_layer == RBL_NONE)
        {
            w->normal_layer = i;
        }
        else
        {
            rbl_log_message(RBL_LOG_WARNING, "GLB: a second layer of normals is left out");
        }
    }
    if (w->view->group_count > 1)
    {
        rbl_log_message(RBL_LOG_WARNING, "GLB: the names of %u groups are left out", w->view->group_count);
    }
}

// A 32-bit number near the middle, when that is far from 0 for the size of the mesh.
static double choose_offset(double lower, double upper)
{
    const double middle = lower / 2 + upper / 2;
    const double reach = upper / 2 - lower / 2;
    return fabs(middle) > 4 * reach && fabs(middle) < (double)FLT_MAX ? (double)(float)middle : 0.0;
}

static rblResult choose_origin(GlbWriter* w)
{
    const rblAabbd bounds = rbl_mesh_bounds(w->view);
    w->offset.x = choose_offset(bounds.lower.x, bounds.upper.x);
    w->offset.y = choose_offset(bounds.lower.y, bounds.upper.y);
    w->offset.z = choose_offset(bounds.lower.z, bounds.upper.z);
    for (uint32_t c = 0; c < w->view->corner_count; ++c)
    {
        const rblVec3d p = rbl_sub3d(w->view->positions[w->view->corner_vertices[c]], w->offset);
        const double limit = (double)FLT_MAX;
        if (!(fabs(p.x) <= limit && fabs(p.y) <= limit && fabs(p.z) <= limit))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "GLB: the position of vertex %u does not fit 32-bit floating point",
                            w->view->corner_vertices[c]);
        }
    }
    return RBL_OK;
}

static bool material_before(uint32_t a, uint32_t b, const void* context)
{
    const GlbWriter* w = context;
    return w->view->face_materials[w->faces.data[a]] < w->view->face_materials[w->faces.data[b]];
}

static rblResult sort_triangles(GlbWriter* w)
{
    const size_t count = w->faces.count;
    w->order = RBL_NEW_ARRAY(w->allocator, uint32_t, count);
    uint32_t* scratch = RBL_NEW_ARRAY(w->allocator, uint32_t, count);
    if (w->order != NULL && scratch != NULL)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            w->order[i] = i;
        }
        rbl_sort_indices(w->order, scratch, count, material_before, w);
    }
    const bool ok = w->order != NULL && scratch != NULL;
    RBL_FREE_ARRAY(w->allocator, scratch, count);
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- vertices ----

static void put_normal(const GlbWriter* w, uint32_t corner, uint32_t face, float* out)
{
    const rblVec3d up = {0, 1, 0};
    rblVec3d n = {0, 0, 0};
    if (w->normal_layer != RBL_NONE)
    {
        const float* v = w->view->layers[w->normal_layer].data + 3 * (size_t)corner;
        n = rbl_vec3d((double)v[0], (double)v[1], (double)v[2]);
    }
    if (fabs(rbl_dot3d(n, n) - 1.0) > 1e-6)
    {
        const rblVec3d flat = rbl_normalize3d(rbl_face_normal_area2(w->view, face), up);
        n = rbl_normalize3d(n, flat);
    }
    out[0] = (float)n.x;
    out[1] = (float)n.y;
    out[2] = (float)n.z;
}

static void put_layers(const GlbWriter* w, uint32_t corner, float* out)
{
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayer* layer = &w->view->layers[i];
        const float* values = layer->data + (size_t)corner * layer->components;
        if (layer->kind == RBL_LAYER_UV)
        {
            *out++ = values[0];
            *out++ = 1.0f - values[1];
        }
        else if (layer->kind == RBL_LAYER_COLOR)
        {
            for (uint32_t k = 0; k < 4; ++k)
            {
                *out++ = rbl_clampf(values[k], 0.0f, 1.0f); // glTF's range (3.7.2.1)
            }
        }
    }
}

// The vertex that is equal to the one in scratch, made when there is none.
static bool find_vertex(GlbWriter* w, uint32_t point, uint32_t* out)
{
    const size_t bytes = w->width * sizeof(float);
    uint32_t steps = 0;
    for (uint32_t v = w->heads[point]; v != RBL_NONE && steps < LONGEST_CHAIN; v = w->chain.data[v], ++steps)
    {
        if (memcmp(w->vertices.data + (size_t)v * w->width, w->scratch, bytes) == 0)
        {
            *out = v;
            return true;
        }
    }
    if (!rbl_array_reserve_more(&w->vertices, w->width) || !rbl_array_push(&w->chain, w->heads[point]))
    {
        return false;
    }
    memcpy(w->vertices.data + w->vertices.count, w->scratch, bytes);
    w->vertices.count += w->width;
    *out = (uint32_t)(w->chain.count - 1);
    w->heads[point] = *out;
    return true;
}

static bool make_vertices(GlbWriter* w)
{
    memset(w->heads, 0xFF, w->view->vertex_count * sizeof *w->heads);
    for (size_t t = 0; t < w->faces.count; ++t)
    {
        const uint32_t triangle = w->order[t];
        for (uint32_t i = 0; i < 3; ++i)
        {
            const uint32_t corner = w->corners.data[3 * (size_t)triangle + i];
            const uint32_t point = w->view->corner_vertices[corner];
            const rblVec3 p = rbl_to_float3(rbl_sub3d(w->view->positions[point], w->offset));
            uint32_t vertex;
            memcpy(w->scratch, &p, sizeof p);
            put_normal(w, corner, w->faces.data[triangle], w->scratch + 3);
            put_layers(w, corner, w->scratch + 6);
            if (!find_vertex(w, point, &vertex) || !rbl_array_push(&w->indices, vertex))
            {
                return false;
            }
        }
    }
    return true;
}

// ---- JSON ----

typedef struct Attributes
{
    uint32_t position;
    uint32_t normal;
    uint32_t first_layer; // accessors of the UV and colour layers follow one another
} Attributes;

static uint32_t add_attribute(const GlbWriter* w, rblGlbBuilder* glb, uint32_t first, uint32_t components)
{
    return rbl_glb_add_floats(glb, &(rblGlbFloats){.values = w->vertices.data + first,
                                                   .stride = w->width,
                                                   .count = (uint32_t)w->chain.count,
                                                   .components = components,
                                                   .target = RBL_GLB_VERTICES,
                                                   .bounded = first == 0});
}

static Attributes add_attributes(const GlbWriter* w, rblGlbBuilder* glb)
{
    Attributes attributes = {0};
    attributes.position = add_attribute(w, glb, 0, 3);
    attributes.normal = add_attribute(w, glb, 3, 3);
    attributes.first_layer = attributes.normal + 1;
    uint32_t first = 6;
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayer* layer = &w->view->layers[i];
        if (layer->kind != RBL_LAYER_NORMAL)
        {
            add_attribute(w, glb, first, layer->components);
            first += layer->components;
        }
    }
    return attributes;
}

static void put_index(rblJsonWriter* json, const char* key, uint32_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static void put_attributes(const GlbWriter* w, rblJsonWriter* json, Attributes attributes)
{
    uint32_t sets[RBL_LAYER_KIND_COUNT] = {0};
    uint32_t accessor = attributes.first_layer;
    rbl_json_key(json, "attributes");
    rbl_json_begin_object(json);
    put_index(json, "POSITION", attributes.position);
    put_index(json, "NORMAL", attributes.normal);
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayerKind kind = w->view->layers[i].kind;
        if (kind != RBL_LAYER_NORMAL)
        {
            char key[32];
            snprintf(key, sizeof key, "%s_%u", kind == RBL_LAYER_UV ? "TEXCOORD" : "COLOR", sets[kind]++);
            put_index(json, key, accessor++);
        }
    }
    rbl_json_end_object(json);
}

static uint32_t material_at(const GlbWriter* w, size_t place)
{
    return w->view->face_materials[w->faces.data[w->order[place]]];
}

// The end of the run of triangles of one material that begins at `begin`.
static size_t run_end(const GlbWriter* w, size_t begin)
{
    size_t end = begin + 1;
    while (end < w->faces.count && material_at(w, end) == material_at(w, begin))
    {
        end += 1;
    }
    return end;
}

static void put_mesh(const GlbWriter* w, rblGlbBuilder* glb)
{
    rblJsonWriter* json = &glb->json;
    const Attributes attributes = add_attributes(w, glb);
    uint32_t material = 0;
    rbl_json_key(json, "meshes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    rbl_json_key(json, "primitives");
    rbl_json_begin_array(json);
    size_t end;
    for (size_t begin = 0; begin < w->faces.count; begin = end)
    {
        end = run_end(w, begin);
        rbl_json_begin_object(json);
        put_attributes(w, json, attributes);
        put_index(json, "indices",
                  rbl_glb_add_indices(glb, w->indices.data + 3 * begin, (uint32_t)(3 * (end - begin)),
                                      (uint32_t)w->chain.count));
        put_index(json, "material", material++);
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

static bool has_layer(const GlbWriter* w, rblLayerKind kind)
{
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        if (w->view->layers[i].kind == kind)
        {
            return true;
        }
    }
    return false;
}

// Dull and light grey, like plaster; white under vertex colours, which multiply it.
static void put_material(const GlbWriter* w, rblJsonWriter* json, const char* name)
{
    const double shade = has_layer(w, RBL_LAYER_COLOR) ? 1.0 : 0.8;
    rbl_json_begin_object(json);
    if (name[0] != '\0')
    {
        rbl_json_key(json, "name");
        rbl_json_string(json, name);
    }
    rbl_json_key(json, "pbrMetallicRoughness");
    rbl_json_begin_object(json);
    rbl_json_key(json, "baseColorFactor");
    rbl_json_begin_array(json);
    for (int i = 0; i < 4; ++i)
    {
        rbl_json_number(json, i < 3 ? shade : 1.0);
    }
    rbl_json_end_array(json);
    rbl_json_key(json, "metallicFactor");
    rbl_json_number(json, 0.0);
    rbl_json_key(json, "roughnessFactor");
    rbl_json_number(json, 0.9);
    rbl_json_end_object(json);
    rbl_json_end_object(json);
}

static void put_materials(const GlbWriter* w, rblJsonWriter* json)
{
    rbl_json_key(json, "materials");
    rbl_json_begin_array(json);
    for (size_t begin = 0; begin < w->faces.count; begin = run_end(w, begin))
    {
        const uint32_t material = material_at(w, begin);
        put_material(w, json, material < w->view->material_count ? w->view->material_names[material] : "");
    }
    rbl_json_end_array(json);
}

static void put_node(const GlbWriter* w, rblJsonWriter* json)
{
    const bool moved = w->offset.x != 0.0 || w->offset.y != 0.0 || w->offset.z != 0.0;
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    put_index(json, "mesh", 0);
    if (w->view->group_count == 1 && w->view->group_names[0][0] != '\0')
    {
        rbl_json_key(json, "name");
        rbl_json_string(json, w->view->group_names[0]);
    }
    if (moved)
    {
        rbl_json_key(json, "translation");
        rbl_json_begin_array(json);
        rbl_json_number(json, w->offset.x);
        rbl_json_number(json, w->offset.y);
        rbl_json_number(json, w->offset.z);
        rbl_json_end_array(json);
    }
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

static void put_scene(rblJsonWriter* json)
{
    put_index(json, "scene", 0);
    rbl_json_key(json, "scenes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    rbl_json_unsigned(json, 0);
    rbl_json_end_array(json);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

static rblResult write_file(const GlbWriter* w, rblWriter* writer)
{
    rblGlbBuilder glb;
    rbl_glb_builder_init(&glb, w->allocator);
    put_scene(&glb.json);
    put_node(w, &glb.json);
    put_materials(w, &glb.json);
    put_mesh(w, &glb);
    const rblResult result = rbl_glb_builder_write(&glb, writer);
    rbl_glb_builder_free(&glb);
    return result;
}

// ---- the whole ----

static rblResult prepare(GlbWriter* w)
{
    choose_layout(w);
    RBL_TRY(choose_origin(w));
    RBL_TRY(rbl_triangulate_corners(w->view, &w->corners, &w->faces));
    if (w->corners.count > UINT32_MAX / 2)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "GLB: %zu triangles are more than the 4 GiB of a file can hold",
                        w->faces.count);
    }
    RBL_TRY(sort_triangles(w));
    w->heads = RBL_NEW_ARRAY(w->allocator, uint32_t, w->view->vertex_count);
    w->scratch = RBL_NEW_ARRAY(w->allocator, float, w->width);
    return w->heads != NULL && w->scratch != NULL && make_vertices(w) ? RBL_OK : rbl_fail_memory();
}

static void free_writer(GlbWriter* w)
{
    RBL_FREE_ARRAY(w->allocator, w->order, w->faces.count);
    RBL_FREE_ARRAY(w->allocator, w->heads, w->view->vertex_count);
    RBL_FREE_ARRAY(w->allocator, w->scratch, w->width);
    rbl_array_free(&w->corners);
    rbl_array_free(&w->faces);
    rbl_array_free(&w->vertices);
    rbl_array_free(&w->chain);
    rbl_array_free(&w->indices);
}

rblResult rbl_write_glb(const rblMeshView* view, const rblSaveOptions* options, rblWriter* writer)
{
    (void)options;
    GlbWriter w = {.view = view, .allocator = writer->allocator};
    rbl_array_init(&w.corners, w.allocator);
    rbl_array_init(&w.faces, w.allocator);
    rbl_array_init(&w.vertices, w.allocator);
    rbl_array_init(&w.chain, w.allocator);
    rbl_array_init(&w.indices, w.allocator);
    rblResult result = prepare(&w);
    result = result == RBL_OK ? write_file(&w, writer) : result;
    free_writer(&w);
    return result;
}
