// The pieces of a pattern as GLB with a node and a mesh for every piece. Programs can move the nodes, and Rubble can
// read the file as a pattern.
#include "base/array.h"
#include "base/error.h"
#include "fracture/pattern/pattern.h"
#include "io/file.h"
#include "io/gltf/glb_mesh.h"

// One group of a mesh, with vertices of its own.
typedef struct Part
{
    RBL_ARRAY(rblVec3d) positions;
    rblIndexArray starts, corners, materials;
    rblMeshView view;
    rblGlbMesh mesh;
    bool prepared;
} Part;

typedef struct PartsWriter
{
    const rblMeshView* whole;
    const rblAllocator* allocator;
    Part* parts;       // one per group of the mesh
    uint32_t* numbers; // per vertex of the mesh: its index in its part; RBL_NONE: not added yet
    rblGlbBuilder glb;
} PartsWriter;

static bool add_face(PartsWriter* writer, uint32_t face)
{
    const rblMeshView* whole = writer->whole;
    Part* part = &writer->parts[whole->face_groups[face]];
    bool stored = true;
    for (uint32_t c = whole->face_starts[face]; stored && c < whole->face_starts[face + 1]; ++c)
    {
        const uint32_t vertex = whole->corner_vertices[c];
        if (writer->numbers[vertex] == RBL_NONE) // the vertices of each group are its own
        {
            writer->numbers[vertex] = (uint32_t)part->positions.count;
            stored = rbl_array_push(&part->positions, whole->positions[vertex]);
        }
        stored = stored && rbl_array_push(&part->corners, writer->numbers[vertex]);
    }
    return stored && rbl_array_push(&part->starts, (uint32_t)part->corners.count) &&
           rbl_array_push(&part->materials, whole->face_materials[face]);
}

static rblResult split_groups(PartsWriter* writer)
{
    const rblMeshView* whole = writer->whole;
    bool stored = true;
    for (uint32_t g = 0; g < whole->group_count; ++g)
    {
        Part* part = &writer->parts[g];
        rbl_array_init(&part->positions, writer->allocator);
        rbl_array_init(&part->starts, writer->allocator);
        rbl_array_init(&part->corners, writer->allocator);
        rbl_array_init(&part->materials, writer->allocator);
        stored = stored && rbl_array_push(&part->starts, 0u);
    }
    for (uint32_t v = 0; v < whole->vertex_count; ++v)
    {
        writer->numbers[v] = RBL_NONE;
    }
    for (uint32_t f = 0; stored && f < whole->face_count; ++f)
    {
        stored = add_face(writer, f);
    }
    return stored ? RBL_OK : rbl_fail_memory();
}

static rblResult prepare_parts(PartsWriter* writer)
{
    for (uint32_t g = 0; g < writer->whole->group_count; ++g)
    {
        Part* part = &writer->parts[g];
        part->view = (rblMeshView){.vertex_count = (uint32_t)part->positions.count,
                                   .face_count = (uint32_t)part->materials.count,
                                   .corner_count = (uint32_t)part->corners.count,
                                   .positions = part->positions.data,
                                   .face_starts = part->starts.data,
                                   .corner_vertices = part->corners.data,
                                   .face_materials = part->materials.data};
        part->prepared = true;
        RBL_TRY(rbl_glb_mesh_prepare(&part->mesh, &part->view, rbl_glb_mesh_origin(&part->view),
                                     writer->allocator));
    }
    return RBL_OK;
}

static void put_numbers(rblJsonWriter* json, const char* key, const double* numbers, int count)
{
    rbl_json_key(json, key);
    rbl_json_begin_array(json);
    for (int k = 0; k < count; ++k)
    {
        rbl_json_number(json, numbers[k]);
    }
    rbl_json_end_array(json);
}

static void put_materials(const PartsWriter* writer, rblJsonWriter* json)
{
    static const double colors[2][4] = {{0.8, 0.8, 0.8, 1.0}, {0.6, 0.3, 0.2, 1.0}};
    rbl_json_key(json, "materials");
    rbl_json_begin_array(json);
    for (uint32_t m = 0; m < writer->whole->material_count; ++m)
    {
        rbl_json_begin_object(json);
        rbl_json_key(json, "name");
        rbl_json_string(json, writer->whole->material_names[m]);
        rbl_json_key(json, "pbrMetallicRoughness");
        rbl_json_begin_object(json);
        put_numbers(json, "baseColorFactor", colors[m % 2], 4);
        rbl_json_key(json, "metallicFactor");
        rbl_json_number(json, 0.0);
        rbl_json_key(json, "roughnessFactor");
        rbl_json_number(json, 0.9);
        rbl_json_end_object(json);
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
}

static void put_nodes(const PartsWriter* writer, rblJsonWriter* json)
{
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    for (uint32_t g = 0; g < writer->whole->group_count; ++g)
    {
        const rblVec3d origin = writer->parts[g].mesh.origin;
        rbl_json_begin_object(json);
        rbl_json_key(json, "mesh");
        rbl_json_unsigned(json, g);
        rbl_json_key(json, "name");
        rbl_json_string(json, writer->whole->group_names[g]);
        put_numbers(json, "translation", &origin.x, 3);
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
}

static void put_scene(const PartsWriter* writer, rblJsonWriter* json)
{
    rbl_json_key(json, "scene");
    rbl_json_unsigned(json, 0);
    rbl_json_key(json, "scenes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    for (uint32_t g = 0; g < writer->whole->group_count; ++g)
    {
        rbl_json_unsigned(json, g);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

static rblResult write_parts(PartsWriter* writer, rblWriter* file)
{
    rblGlbBuilder* glb = &writer->glb;
    rbl_glb_builder_init(glb, writer->allocator);
    put_scene(writer, &glb->json);
    put_nodes(writer, &glb->json);
    put_materials(writer, &glb->json);
    rbl_json_key(&glb->json, "meshes");
    rbl_json_begin_array(&glb->json);
    for (uint32_t g = 0; g < writer->whole->group_count; ++g)
    {
        const rblGlbMesh* mesh = &writer->parts[g].mesh;
        rbl_glb_mesh_put(mesh, &glb->json, rbl_glb_mesh_add(mesh, glb), rbl_glb_mesh_material(mesh, 0), NULL);
    }
    rbl_json_end_array(&glb->json);
    const rblResult result = rbl_glb_builder_write(glb, file);
    rbl_glb_builder_free(glb);
    return result;
}

static void free_parts(PartsWriter* writer)
{
    for (uint32_t g = 0; writer->parts != NULL && g < writer->whole->group_count; ++g)
    {
        Part* part = &writer->parts[g];
        if (part->prepared)
        {
            rbl_glb_mesh_free(&part->mesh);
        }
        rbl_array_free(&part->positions);
        rbl_array_free(&part->starts);
        rbl_array_free(&part->corners);
        rbl_array_free(&part->materials);
    }
    rbl_free(writer->allocator, writer->parts, writer->whole->group_count * sizeof *writer->parts);
    RBL_FREE_ARRAY(writer->allocator, writer->numbers, writer->whole->vertex_count);
}

static rblResult save_glb(const rblMeshView* drawn, const char* path, const rblAllocator* allocator)
{
    PartsWriter writer = {.whole = drawn, .allocator = allocator};
    writer.parts = rbl_alloc_zero(allocator, drawn->group_count * sizeof *writer.parts);
    writer.numbers = RBL_NEW_ARRAY(allocator, uint32_t, drawn->vertex_count);
    rblResult result =
        writer.parts != NULL && writer.numbers != NULL ? split_groups(&writer) : rbl_fail_memory();
    result = result == RBL_OK ? prepare_parts(&writer) : result;
    rblWriter file;
    if (result == RBL_OK && (result = rbl_writer_open(&file, path, allocator)) == RBL_OK)
    {
        result = write_parts(&writer, &file);
        if (result == RBL_OK)
        {
            result = rbl_writer_close(&file);
        }
        else
        {
            rbl_writer_discard(&file);
        }
    }
    free_parts(&writer);
    return result;
}

rblResult rbl_pattern_save_glb(rblMeshId drawn, const char* path)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(drawn, &view));
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: the path must not be null");
    }
    if (view.group_count == 0 || view.face_groups == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: the mesh has no groups, must have one for each piece");
    }
    return save_glb(&view, path, rbl_default_allocator());
}
