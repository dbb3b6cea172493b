// Pieces as one GLB file: a node and a mesh for every piece.
#include "base/error.h"
#include "cut/pieces/pieces_save.h"
#include "io/gltf/glb_mesh.h"
#include "math/vec.h"
#include "rubble/picture.h"
#include <string.h>

typedef struct GlbPiece
{
    rblMeshId id;
    rblMeshView view;
    rblGlbMesh mesh;
    rblGlbAttributes attributes;
    uint32_t first_material;
    bool prepared;
} GlbPiece;

typedef struct GlbWork
{
    const rblPieces* pieces;
    const rblMeshView* surface;
    double density, explode;
    rblVec3d middle; // centre of mass of all pieces
    GlbPiece* items;
    rblGlbBuilder glb;
    RBL_ARRAY(const char*) materials; // of the file; the meshes of the pieces own the names
} GlbWork;

static void put_index(rblJsonWriter* json, const char* key, uint32_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

// The primitives of a mesh have consecutive materials. Pieces with the same materials share them.
static bool add_materials(GlbWork* work, GlbPiece* item)
{
    const char* names[64];
    uint32_t count = 0;
    for (size_t t = 0; t < item->mesh.faces.count; t = rbl_glb_mesh_run_end(&item->mesh, t))
    {
        const uint32_t material = rbl_glb_mesh_material(&item->mesh, t);
        names[count < 64 ? count : 63] = item->view.material_names[material];
        ++count;
    }
    for (uint32_t first = 0; count <= 64 && first + count <= work->materials.count; ++first)
    {
        uint32_t same = 0;
        while (same < count && strcmp(work->materials.data[first + same], names[same]) == 0)
        {
            ++same;
        }
        if (same == count)
        {
            item->first_material = first;
            return true;
        }
    }
    item->first_material = (uint32_t)work->materials.count;
    bool stored = true;
    for (size_t t = 0; t < item->mesh.faces.count; t = rbl_glb_mesh_run_end(&item->mesh, t))
    {
        const uint32_t material = rbl_glb_mesh_material(&item->mesh, t);
        stored = stored && rbl_array_push(&work->materials, item->view.material_names[material]);
    }
    return stored;
}

static rblResult prepare_piece(GlbWork* work, uint32_t p)
{
    GlbPiece* item = &work->items[p];
    RBL_TRY(rbl_piece_mesh(work->pieces, p, work->surface, &item->id, NULL));
    RBL_TRY(rbl_mesh_view(item->id, &item->view));
    item->prepared = true;
    RBL_TRY(rbl_glb_mesh_prepare(&item->mesh, &item->view, rbl_glb_mesh_origin(&item->view),
                                 work->pieces->allocator));
    item->attributes = rbl_glb_mesh_add(&item->mesh, &work->glb);
    return add_materials(work, item) ? RBL_OK : rbl_fail_memory();
}

static void put_materials(GlbWork* work)
{
    rblJsonWriter* json = &work->glb.json;
    rbl_json_key(json, "materials");
    rbl_json_begin_array(json);
    for (size_t m = 0; m < work->materials.count; ++m)
    {
        const bool crack = strcmp(work->materials.data[m], RBL_CRACK_MATERIAL) == 0;
        rbl_json_begin_object(json);
        rbl_json_key(json, "name");
        rbl_json_string(json, work->materials.data[m]);
        rbl_json_key(json, "pbrMetallicRoughness");
        rbl_json_begin_object(json);
        rbl_json_key(json, "baseColorFactor");
        rbl_json_begin_row(json);
        for (int k = 0; k < 4; ++k)
        {
            rbl_json_number(json, k == 3 ? 1.0 : (crack ? 0.55 : 0.8));
        }
        rbl_json_end_array(json);
        rbl_json_key(json, "metallicFactor");
        rbl_json_number(json, 0.0);
        rbl_json_key(json, "roughnessFactor");
        rbl_json_number(json, crack ? 0.95 : 0.9);
        rbl_json_end_object(json);
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
}

static void put_meshes(GlbWork* work)
{
    rblJsonWriter* json = &work->glb.json;
    rbl_json_key(json, "meshes");
    rbl_json_begin_array(json);
    for (uint32_t p = 0; p < work->pieces->piece_count; ++p)
    {
        const GlbPiece* item = &work->items[p];
        rbl_glb_mesh_put(&item->mesh, json, item->attributes, item->first_material, false);
    }
    rbl_json_end_array(json);
}

static void put_node(GlbWork* work, uint32_t p)
{
    rblJsonWriter* json = &work->glb.json;
    const rblMassProperties* mass = &work->pieces->pieces[p].mass;
    const rblVec3d away = rbl_scale3d(rbl_sub3d(mass->center, work->middle), work->explode);
    const rblVec3d move = rbl_add3d(work->items[p].mesh.origin, away);
    char name[32];
    snprintf(name, sizeof name, "piece_%04u", p);
    rbl_json_begin_object(json);
    rbl_json_key(json, "name");
    rbl_json_string(json, name);
    put_index(json, "mesh", p);
    if (move.x != 0.0 || move.y != 0.0 || move.z != 0.0)
    {
        rbl_json_key(json, "translation");
        rbl_json_begin_row(json);
        rbl_json_number(json, move.x);
        rbl_json_number(json, move.y);
        rbl_json_number(json, move.z);
        rbl_json_end_array(json);
    }
    rbl_json_key(json, "extras");
    rbl_json_begin_object(json);
    rbl_json_key(json, "volume");
    rbl_json_number(json, mass->volume);
    rbl_json_key(json, "mass");
    rbl_json_number(json, work->density * mass->volume);
    rbl_json_end_object(json);
    rbl_json_end_object(json);
}

static void put_scene(GlbWork* work)
{
    rblJsonWriter* json = &work->glb.json;
    put_index(json, "scene", 0);
    rbl_json_key(json, "scenes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    rbl_json_key(json, "nodes");
    rbl_json_begin_row(json);
    for (uint32_t p = 0; p < work->pieces->piece_count; ++p)
    {
        rbl_json_unsigned(json, p);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    for (uint32_t p = 0; p < work->pieces->piece_count; ++p)
    {
        put_node(work, p);
    }
    rbl_json_end_array(json);
}

static rblResult write_glb(GlbWork* work, const char* path)
{
    double volume = 0.0;
    for (uint32_t p = 0; p < work->pieces->piece_count; ++p)
    {
        const rblMassProperties* mass = &work->pieces->pieces[p].mass;
        work->middle = rbl_mul_add3d(work->middle, mass->volume, mass->center);
        volume += mass->volume;
        RBL_TRY(prepare_piece(work, p));
    }
    work->middle = rbl_scale3d(work->middle, 1.0 / volume);
    put_scene(work);
    put_materials(work);
    put_meshes(work);
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, path, work->pieces->allocator));
    const rblResult result = rbl_glb_builder_write(&work->glb, &writer);
    if (result != RBL_OK)
    {
        rbl_writer_discard(&writer);
        return result;
    }
    return rbl_writer_close(&writer);
}

rblResult rbl_pieces_write_glb(const rblPieces* pieces, const rblMeshView* surface, double density,
                               double explode, const char* path)
{
    const rblAllocator* allocator = pieces->allocator;
    GlbWork work = {.pieces = pieces, .surface = surface, .density = density, .explode = explode};
    work.items = rbl_alloc_zero(allocator, sizeof *work.items * pieces->piece_count);
    if (work.items == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_glb_builder_init(&work.glb, allocator);
    rbl_array_init(&work.materials, allocator);
    const rblResult result = write_glb(&work, path);
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        if (work.items[p].prepared)
        {
            rbl_glb_mesh_free(&work.items[p].mesh);
            (void)rbl_mesh_destroy(work.items[p].id);
        }
    }
    rbl_array_free(&work.materials);
    rbl_glb_builder_free(&work.glb);
    rbl_free(allocator, work.items, sizeof *work.items * pieces->piece_count);
    return result;
}
