// A pattern in a box as a mesh for drawing.
#include "fracture/pattern/pattern_private.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "rubble/picture.h"
#include <stdio.h>

#define NAME_SIZE 24 // bytes of "piece N"
// Length relative to the extent of the box; shorter edges come from the perturbation of the cells and are not drawn.
#define MIN_EDGE 1e-6

typedef struct PatternMesh
{
    const rblPattern* pattern;
    rblMat3d turn; // rotation from the box to pattern space
    rblVec3d point;
    RBL_ARRAY(rblVec3d) positions;
    rblIndexArray starts, corners, materials, groups;
    // Per vertex of the cells: its vertex in the mesh, for the region `owners`; vertex_of().
    uint32_t* numbers;
    uint32_t* owners; // per vertex of the cells: the region that `numbers` is valid for
    // Per vertex of the cells: an earlier vertex of the same cluster of very close vertices; join_near_vertices().
    uint32_t* representatives;
    rblIndexArray loop; // vertices around one facet; gather_loop()
    rblCharArray names;
    RBL_ARRAY(const char*) group_names;
    bool failed;
} PatternMesh;

static uint32_t facet_corner(const rblCells* cells, const rblCellFacet* facet, uint32_t k)
{
    const uint32_t sides = facet->end_edge - facet->first_edge;
    const uint32_t* here = cells->edges[cells->facet_edges[facet->first_edge + k]].vertices;
    const uint32_t* next = cells->edges[cells->facet_edges[facet->first_edge + (k + 1) % sides]].vertices;
    return here[0] == next[0] || here[0] == next[1] ? here[1] : here[0];
}

static uint32_t vertex_of(PatternMesh* mesh, uint32_t vertex, uint32_t region)
{
    if (mesh->owners[vertex] != region)
    {
        const rblVec3d at = mesh->pattern->cells->vertices[vertex].position;
        mesh->owners[vertex] = region;
        mesh->numbers[vertex] = (uint32_t)mesh->positions.count;
        const rblVec3d back = rbl_add3d(rbl_mat3d_apply_transposed(&mesh->turn, at), mesh->point);
        mesh->failed = !rbl_array_push(&mesh->positions, back) || mesh->failed;
    }
    return mesh->numbers[vertex];
}

static uint32_t representative_of(const uint32_t* representatives, uint32_t vertex)
{
    while (representatives[vertex] != vertex)
    {
        vertex = representatives[vertex];
    }
    return vertex;
}

// Join the two vertices of every very short edge; the first one represents both.
static void join_near_vertices(PatternMesh* mesh)
{
    const rblCells* cells = mesh->pattern->cells;
    const rblVec3d size = rbl_aabbd_size(cells->box);
    const double shortest = MIN_EDGE * rbl_maxd(rbl_maxd(size.x, size.y), size.z);
    for (uint32_t v = 0; v < cells->vertex_count; ++v)
    {
        mesh->representatives[v] = v;
    }
    for (uint32_t e = 0; e < cells->edge_count; ++e)
    {
        const uint32_t* ends = cells->edges[e].vertices;
        if (rbl_distance3d(cells->vertices[ends[0]].position, cells->vertices[ends[1]].position) < shortest)
        {
            const uint32_t a = representative_of(mesh->representatives, ends[0]),
                           b = representative_of(mesh->representatives, ends[1]);
            mesh->representatives[a > b ? a : b] = a > b ? b : a;
        }
    }
    for (uint32_t v = 0; v < cells->vertex_count; ++v)
    {
        mesh->representatives[v] = representative_of(mesh->representatives, v);
    }
}

// Collect the vertices around a facet without repetition. Returns false if fewer than three are left.
static bool gather_loop(PatternMesh* mesh, const rblCellFacet* facet)
{
    rbl_array_clear(&mesh->loop);
    for (uint32_t k = 0; k < facet->end_edge - facet->first_edge; ++k)
    {
        const uint32_t place = mesh->representatives[facet_corner(mesh->pattern->cells, facet, k)];
        const bool first = mesh->loop.count == 0;
        if (first || (mesh->loop.data[mesh->loop.count - 1] != place && mesh->loop.data[0] != place))
        {
            mesh->failed = !rbl_array_push(&mesh->loop, place) || mesh->failed;
        }
    }
    return mesh->loop.count >= 3;
}

// One side of a facet, oriented outwards from `cell`.
static void add_face(PatternMesh* mesh, const rblCellFacet* facet, uint32_t cell, uint32_t region)
{
    if (!gather_loop(mesh, facet))
    {
        return;
    }
    const size_t sides = mesh->loop.count;
    for (size_t k = 0; k < sides; ++k)
    {
        const size_t at = facet->cells[0] == cell ? k : sides - 1 - k;
        const uint32_t vertex = vertex_of(mesh, mesh->loop.data[at], region);
        mesh->failed = !rbl_array_push(&mesh->corners, vertex) || mesh->failed;
    }
    const uint32_t material = facet->cells[1] < mesh->pattern->cells->count ? 1 : 0;
    mesh->failed = !rbl_array_push(&mesh->starts, (uint32_t)mesh->corners.count) ||
                   !rbl_array_push(&mesh->materials, material) || !rbl_array_push(&mesh->groups, region) ||
                   mesh->failed;
}

static void add_cell(PatternMesh* mesh, uint32_t cell)
{
    const rblCells* cells = mesh->pattern->cells;
    const uint32_t* regions = mesh->pattern->regions;
    for (uint32_t k = cells->cell_starts[cell]; k < cells->cell_starts[cell + 1]; ++k)
    {
        const rblCellFacet* facet = &cells->facets[cells->cell_facets[k]];
        const uint32_t other = facet->cells[0] == cell ? facet->cells[1] : facet->cells[0];
        if (other >= cells->count || regions[other] != regions[cell])
        {
            add_face(mesh, facet, cell, regions[cell]);
        }
    }
}

// The cells of a region are added together, so that they share vertices.
static void add_regions(PatternMesh* mesh)
{
    const rblPattern* pattern = mesh->pattern;
    for (uint32_t region = 0; region < pattern->region_count && !mesh->failed; ++region)
    {
        for (uint32_t cell = 0; cell < pattern->cells->count; ++cell)
        {
            if (pattern->regions[cell] == region)
            {
                add_cell(mesh, cell);
            }
        }
    }
}

static void name_groups(PatternMesh* mesh)
{
    const uint32_t count = mesh->pattern->region_count;
    if (mesh->failed || !rbl_array_resize(&mesh->names, (size_t)count * NAME_SIZE) ||
        !rbl_array_resize(&mesh->group_names, count))
    {
        mesh->failed = true;
        return;
    }
    for (uint32_t region = 0; region < count; ++region)
    {
        char* name = mesh->names.data + (size_t)region * NAME_SIZE;
        snprintf(name, NAME_SIZE, "piece %u", region);
        mesh->group_names.data[region] = name;
    }
}

static rblResult build_mesh(PatternMesh* mesh, rblMeshId* out)
{
    mesh->failed = !rbl_array_push(&mesh->starts, 0u);
    for (uint32_t v = 0; v < mesh->pattern->cells->vertex_count; ++v)
    {
        mesh->owners[v] = UINT32_MAX;
    }
    join_near_vertices(mesh);
    add_regions(mesh);
    name_groups(mesh);
    if (mesh->failed)
    {
        return rbl_fail_memory();
    }
    static const char* const materials[2] = {"surface", RBL_CRACK_MATERIAL};
    const rblMeshView view = {.vertex_count = (uint32_t)mesh->positions.count,
                              .face_count = (uint32_t)mesh->materials.count,
                              .corner_count = (uint32_t)mesh->corners.count,
                              .positions = mesh->positions.data,
                              .face_starts = mesh->starts.data,
                              .corner_vertices = mesh->corners.data,
                              .face_materials = mesh->materials.data,
                              .face_groups = mesh->groups.data,
                              .material_count = 2,
                              .material_names = materials,
                              .group_count = mesh->pattern->region_count,
                              .group_names = mesh->group_names.data};
    return rbl_mesh_create(&view, out);
}

static rblResult mesh_of_pattern(const rblPattern* pattern, const rblMat3d* turn, rblVec3d point,
                                 rblMeshId* out)
{
    const rblAllocator* allocator = pattern->allocator;
    const uint32_t vertices = pattern->cells->vertex_count;
    PatternMesh mesh = {.pattern = pattern, .turn = *turn, .point = point};
    rbl_array_init(&mesh.positions, allocator);
    rbl_array_init(&mesh.starts, allocator);
    rbl_array_init(&mesh.corners, allocator);
    rbl_array_init(&mesh.materials, allocator);
    rbl_array_init(&mesh.groups, allocator);
    rbl_array_init(&mesh.names, allocator);
    rbl_array_init(&mesh.group_names, allocator);
    mesh.numbers = RBL_NEW_ARRAY(allocator, uint32_t, vertices);
    mesh.owners = RBL_NEW_ARRAY(allocator, uint32_t, vertices);
    mesh.representatives = RBL_NEW_ARRAY(allocator, uint32_t, vertices);
    rbl_array_init(&mesh.loop, allocator);
    const bool enough = mesh.numbers != NULL && mesh.owners != NULL && mesh.representatives != NULL;
    const rblResult result = enough ? build_mesh(&mesh, out) : rbl_fail_memory();
    RBL_FREE_ARRAY(allocator, mesh.numbers, vertices);
    RBL_FREE_ARRAY(allocator, mesh.owners, vertices);
    RBL_FREE_ARRAY(allocator, mesh.representatives, vertices);
    rbl_array_free(&mesh.loop);
    rbl_array_free(&mesh.positions);
    rbl_array_free(&mesh.starts);
    rbl_array_free(&mesh.corners);
    rbl_array_free(&mesh.materials);
    rbl_array_free(&mesh.groups);
    rbl_array_free(&mesh.names);
    rbl_array_free(&mesh.group_names);
    return result;
}

static rblResult check_draw(rblAabbd box, rblVec3d point, rblVec3d normal)
{
    const rblVec3d size = rbl_aabbd_size(box);
    if (!(size.x > 0.0 && size.y > 0.0 && size.z > 0.0) || !rbl_finite3d(size) || !rbl_finite3d(point))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "pattern: the box must have a positive volume, and the point must be finite");
    }
    const int axes = (normal.x != 0.0 ? 1 : 0) + (normal.y != 0.0 ? 1 : 0) + (normal.z != 0.0 ? 1 : 0);
    if (!rbl_finite3d(normal) || axes != 1)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: the normal must be parallel to an axis of the box");
    }
    return RBL_OK;
}

rblResult rbl_pattern_draw(const rblPatternDef* given, rblAabbd box, rblVec3d point, rblVec3d normal,
                           rblMeshId* out)
{
    rblPatternDef def;
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: out must not be null");
    }
    RBL_TRY(rbl_pattern_read(given, &def));
    RBL_TRY(check_draw(box, point, normal));
    if (def.kind == RBL_PATTERN_FILE)
    {
        return rbl_pattern_draw_file(def.file, rbl_default_allocator(), out);
    }
    const rblMat3d turn = rbl_pattern_turn(normal);
    rblAabbd bounds = rbl_aabbd_empty();
    bounds = rbl_aabbd_add(bounds, rbl_mat3d_apply(&turn, rbl_sub3d(box.lower, point)));
    bounds = rbl_aabbd_add(bounds, rbl_mat3d_apply(&turn, rbl_sub3d(box.upper, point)));
    const rblPatternBody body = {.bounds = bounds, .axes = turn, .tight = true};
    rblPattern* pattern = NULL;
    RBL_TRY(rbl_pattern_create(&def, &body, rbl_default_jobs(), rbl_default_allocator(), &pattern));
    const rblResult result = mesh_of_pattern(pattern, &turn, point, out);
    rbl_pattern_free(pattern);
    return result;
}
