// The regions of a pattern file as a mesh for drawing: a mesh is drawn as it is, labels are drawn as blocks of voxels.
#include "base/array.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "fracture/pattern/pattern_private.h"
#include "io/file.h"
#include "math/aabb.h"
#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "rubble/io.h"
#include "rubble/picture.h"
#include <stdio.h>

// Largest number of blocks along a side; of larger volumes every second, third, ... voxel is drawn.
#define MAX_BLOCKS 64
#define NAME_SIZE  24 // bytes of "piece N"

static const char* const material_names[2] = {"surface", RBL_CRACK_MATERIAL};

// ---- names of pieces ----

typedef struct Names
{
    rblCharArray text;
    RBL_ARRAY(const char*) list;
} Names;

static rblResult name_pieces(Names* names, uint32_t count, const rblAllocator* allocator)
{
    rbl_array_init(&names->text, allocator);
    rbl_array_init(&names->list, allocator);
    if (!rbl_array_resize(&names->text, (size_t)count * NAME_SIZE) || !rbl_array_resize(&names->list, count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t piece = 0; piece < count; ++piece)
    {
        char* name = names->text.data + (size_t)piece * NAME_SIZE;
        snprintf(name, NAME_SIZE, "piece %u", piece);
        names->list.data[piece] = name;
    }
    return RBL_OK;
}

static void free_names(Names* names)
{
    rbl_array_free(&names->text);
    rbl_array_free(&names->list);
}

// ---- blocks ----

typedef struct Blocks
{
    const rblLabelVolume* volume;
    uint32_t stride;
    uint32_t size[3]; // in blocks
    RBL_ARRAY(rblVec3d) positions;
    rblIndexArray starts, corners, materials, groups;
    rblHashMap numbers; // from label and corner of the grid to vertex
    bool failed;
} Blocks;

static uint32_t label_of(const Blocks* blocks, const uint32_t at[3])
{
    const rblLabelVolume* volume = blocks->volume;
    const size_t x = at[0] * blocks->stride, y = at[1] * blocks->stride, z = at[2] * blocks->stride;
    return volume->labels[(z * volume->size[1] + y) * volume->size[0] + x];
}

static uint32_t vertex_at(Blocks* blocks, uint32_t label, const uint32_t at[3])
{
    const uint64_t side = MAX_BLOCKS + 1;
    const uint64_t key = ((label * side + at[2]) * side + at[1]) * side + at[0];
    bool added = false;
    const uint32_t* number =
        rbl_hash_map_get_or_add(&blocks->numbers, key, (uint32_t)blocks->positions.count, &added);
    if (number == NULL)
    {
        blocks->failed = true;
        return 0;
    }
    const uint32_t vertex = *number;
    if (added)
    {
        const rblVec3d size = rbl_aabbd_size(blocks->volume->box);
        const rblVec3d lower = blocks->volume->box.lower;
        const rblVec3d position = {lower.x + size.x * at[0] / blocks->size[0],
                                   lower.y + size.y * at[1] / blocks->size[1],
                                   lower.z + size.z * at[2] / blocks->size[2]};
        blocks->failed = !rbl_array_push(&blocks->positions, position) || blocks->failed;
    }
    return vertex;
}

// One side of block `at` as a square, oriented outwards.
static void add_square(Blocks* blocks, const uint32_t at[3], uint32_t axis, uint32_t upper, uint32_t material)
{
    static const uint32_t around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    const uint32_t label = label_of(blocks, at);
    const uint32_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint32_t* step = around[upper != 0 ? k : 3 - k];
        uint32_t corner[3] = {at[0], at[1], at[2]};
        corner[axis] += upper;
        corner[u] += step[0];
        corner[v] += step[1];
        blocks->failed =
            !rbl_array_push(&blocks->corners, vertex_at(blocks, label, corner)) || blocks->failed;
    }
    blocks->failed = !rbl_array_push(&blocks->starts, (uint32_t)blocks->corners.count) ||
                     !rbl_array_push(&blocks->materials, material) ||
                     !rbl_array_push(&blocks->groups, label) || blocks->failed;
}

static void add_block(Blocks* blocks, const uint32_t at[3])
{
    for (uint32_t side = 0; side < 6; ++side)
    {
        const uint32_t axis = side / 2, upper = side % 2;
        const bool outer = upper != 0 ? at[axis] + 1 == blocks->size[axis] : at[axis] == 0;
        uint32_t beside[3] = {at[0], at[1], at[2]};
        beside[axis] += outer ? 0 : (upper != 0 ? 1u : UINT32_MAX);
        if (outer || label_of(blocks, beside) != label_of(blocks, at))
        {
            add_square(blocks, at, axis, upper, outer ? 0 : 1);
        }
    }
}

static void add_blocks(Blocks* blocks)
{
    blocks->failed = !rbl_array_push(&blocks->starts, 0u);
    for (uint32_t z = 0; z < blocks->size[2]; ++z)
    {
        for (uint32_t y = 0; y < blocks->size[1]; ++y)
        {
            for (uint32_t x = 0; x < blocks->size[0]; ++x)
            {
                add_block(blocks, (const uint32_t[3]){x, y, z});
            }
        }
    }
}

static rblResult create_blocks(const Blocks* blocks, const rblAllocator* allocator, rblMeshId* out)
{
    Names names;
    rblResult result = name_pieces(&names, blocks->volume->label_count, allocator);
    if (result == RBL_OK)
    {
        const rblMeshView view = {.vertex_count = (uint32_t)blocks->positions.count,
                                  .face_count = (uint32_t)blocks->materials.count,
                                  .corner_count = (uint32_t)blocks->corners.count,
                                  .positions = blocks->positions.data,
                                  .face_starts = blocks->starts.data,
                                  .corner_vertices = blocks->corners.data,
                                  .face_materials = blocks->materials.data,
                                  .face_groups = blocks->groups.data,
                                  .material_count = 2,
                                  .material_names = material_names,
                                  .group_count = blocks->volume->label_count,
                                  .group_names = names.list.data};
        result = rbl_mesh_create(&view, out);
    }
    free_names(&names);
    return result;
}

static rblResult draw_labels(const rblLabelVolume* volume, const rblAllocator* allocator, rblMeshId* out)
{
    Blocks blocks = {.volume = volume, .stride = 1};
    for (int axis = 0; axis < 3; ++axis)
    {
        const uint32_t stride = (volume->size[axis] + MAX_BLOCKS - 1) / MAX_BLOCKS;
        blocks.stride = stride > blocks.stride ? stride : blocks.stride;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        blocks.size[axis] = (volume->size[axis] + blocks.stride - 1) / blocks.stride;
    }
    rbl_array_init(&blocks.positions, allocator);
    rbl_array_init(&blocks.starts, allocator);
    rbl_array_init(&blocks.corners, allocator);
    rbl_array_init(&blocks.materials, allocator);
    rbl_array_init(&blocks.groups, allocator);
    rbl_hash_map_init(&blocks.numbers, allocator);
    add_blocks(&blocks);
    const rblResult result = blocks.failed ? rbl_fail_memory() : create_blocks(&blocks, allocator, out);
    rbl_array_free(&blocks.positions);
    rbl_array_free(&blocks.starts);
    rbl_array_free(&blocks.corners);
    rbl_array_free(&blocks.materials);
    rbl_array_free(&blocks.groups);
    rbl_hash_map_free(&blocks.numbers);
    return result;
}

// ---- meshes ----

// Copy the mesh with one group per region.
static rblResult group_regions(rblMeshId mesh, const rblAllocator* allocator, rblMeshId* out)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    rblTopology topology;
    RBL_TRY(rbl_topology_init(&topology, &view, allocator));
    uint32_t* regions = RBL_NEW_ARRAY(allocator, uint32_t, view.face_count);
    uint32_t count = 0;
    rblResult result = regions != NULL ? rbl_face_components(&topology, regions, &count) : rbl_fail_memory();
    if (result == RBL_OK)
    {
        Names names;
        result = name_pieces(&names, count, allocator);
        rblMeshView grouped = view;
        grouped.face_groups = regions;
        grouped.group_count = count;
        grouped.group_names = names.list.data;
        result = result == RBL_OK ? rbl_mesh_create(&grouped, out) : result;
        free_names(&names);
    }
    RBL_FREE_ARRAY(allocator, regions, view.face_count);
    rbl_topology_free(&topology);
    return result;
}

static rblResult draw_mesh(const char* path, const rblAllocator* allocator, rblMeshId* out)
{
    rblMeshId mesh;
    RBL_TRY(rbl_mesh_load(path, NULL, &mesh));
    rblLabelVolume* volume = NULL;
    rblResult result = rbl_labels_from_mesh(mesh, rbl_short_name(path), allocator, &volume);
    result = result == RBL_OK ? group_regions(mesh, allocator, out) : result;
    rbl_labels_free(volume, allocator);
    rbl_mesh_destroy(mesh);
    return result;
}

rblResult rbl_pattern_draw_file(const char* path, const rblAllocator* allocator, rblMeshId* out)
{
    if (rbl_format_of_path(path) != RBL_FORMAT_AUTO)
    {
        return draw_mesh(path, allocator, out);
    }
    rblLabelVolume* volume = NULL;
    RBL_TRY(rbl_labels_load(path, allocator, &volume));
    const rblResult result = draw_labels(volume, allocator, out);
    rbl_labels_free(volume, allocator);
    return result;
}
