// The patches of the surface in a cell. On each side of a cell the surface connects the crossed edges in pairs.
// Followed from side to side, the pairs form closed loops; each loop bounds one patch, and each patch gets one vertex
// (Nielson 2004). Both cells at a side use the same pairs, so the patches together form a closed manifold, and the
// quads between their vertices form the dual manifold: each vertex has one fan of quads, in the order of its loop.
//
// A side with alternating corners has two possible pairings. The field at its middle decides: if the middle is
// inside, the inside corners are connected, otherwise the outside corners. One non-manifold case remains: when one
// patch passes through such a side twice in both cells, the two vertices would be connected by two edges, which is
// one edge with four quads. The other pairing splits a loop that passes twice (the oriented arcs a-b, c-d of one loop
// become a-d, c-b of two loops), in both cells. Loops are only split, never joined, so no new case appears at another
// side.
#include "base/error.h"
#include "mesh/isosurface/isosurface_private.h"

typedef struct PatchJob
{
    rblIsosurface* iso;
    rblIsoFault* faults; // one per block
} PatchJob;

uint32_t rbl_iso_side_corner(uint32_t side, uint32_t i)
{
    static const uint8_t corners[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 4, 5, 1},
                                          {2, 6, 7, 3}, {0, 1, 3, 2}, {4, 5, 7, 6}};
    return corners[side][i % 4];
}

uint32_t rbl_iso_side_edge(uint32_t side, uint32_t i)
{
    static const uint8_t edges[6][4] = {{4, 10, 6, 8},  {5, 11, 7, 9}, {8, 2, 9, 0},
                                        {10, 3, 11, 1}, {0, 5, 1, 4},  {2, 7, 3, 6}};
    return edges[side][i % 4];
}

static bool corner_inside(uint32_t inside, uint32_t side, uint32_t i)
{
    return (inside >> rbl_iso_side_corner(side, i) & 1) != 0;
}

static bool alternates(uint32_t inside, uint32_t side)
{
    const bool first = corner_inside(inside, side, 0);
    return corner_inside(inside, side, 1) != first && corner_inside(inside, side, 2) == first &&
           corner_inside(inside, side, 3) != first;
}

uint32_t rbl_iso_cut_corner(const rblIsoCell* cell, uint32_t side)
{
    const bool joined = (cell->joined >> side & 1) != 0;
    return corner_inside(cell->inside, side, 0) != joined ? 0 : 1;
}

// ---- loops ----

// Give both edges, and all edges with their labels, the lower of the two labels.
static void join_edges(uint8_t labels[12], uint32_t a, uint32_t b)
{
    const uint8_t low = labels[a] < labels[b] ? labels[a] : labels[b];
    const uint8_t high = labels[a] < labels[b] ? labels[b] : labels[a];
    for (uint32_t edge = 0; edge < 12; ++edge)
    {
        labels[edge] = labels[edge] == high ? low : labels[edge];
    }
}

// Pair the crossed edges of one side.
static void join_side(const rblIsoCell* cell, uint32_t side, uint8_t labels[12])
{
    if (alternates(cell->inside, side))
    {
        const uint32_t cut = rbl_iso_cut_corner(cell, side);
        join_edges(labels, rbl_iso_side_edge(side, cut + 3), rbl_iso_side_edge(side, cut));
        join_edges(labels, rbl_iso_side_edge(side, cut + 1), rbl_iso_side_edge(side, cut + 2));
        return;
    }
    uint32_t crossed[2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (corner_inside(cell->inside, side, i) != corner_inside(cell->inside, side, i + 1))
        {
            crossed[count++] = rbl_iso_side_edge(side, i);
        }
    }
    if (count == 2)
    {
        join_edges(labels, crossed[0], crossed[1]);
    }
}

// Follow the pairs of all sides. Patches are numbered in the order of their lowest edges.
static void find_loops(rblIsoCell* cell)
{
    uint8_t labels[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (uint32_t side = 0; side < 6; ++side)
    {
        join_side(cell, side, labels);
    }
    uint32_t numbers[12] = {0};
    cell->edge_patches = 0;
    cell->patch_count = 0;
    for (uint32_t edge = 0; edge < 12; ++edge)
    {
        if (!rbl_iso_crosses(cell->inside, edge))
        {
            continue;
        }
        if (labels[edge] == edge)
        {
            numbers[edge] = cell->patch_count++;
        }
        cell->edge_patches |= numbers[labels[edge]] << 2 * edge;
    }
}

bool rbl_iso_passes_twice(const rblIsoCell* cell, uint32_t side)
{
    if (!alternates(cell->inside, side))
    {
        return false;
    }
    bool same = true;
    for (uint32_t i = 1; i < 4; ++i)
    {
        same = same && rbl_iso_edge_patch(cell, rbl_iso_side_edge(side, i)) ==
                           rbl_iso_edge_patch(cell, rbl_iso_side_edge(side, 0));
    }
    return same;
}

// ---- passes ----

// Decide the pairings of the lower three sides of each cell; its upper sides are lower sides of other cells.
static void decide_block(rblRange range, void* context)
{
    const PatchJob* job = context;
    const rblIsosurface* iso = job->iso;
    for (uint32_t i = range.begin; i < range.end && !job->faults[range.block].found; ++i)
    {
        rblIsoCell* cell = &iso->cells[i];
        for (uint32_t side = 0; side < 6; side += 2)
        {
            if (alternates(cell->inside, side))
            {
                const uint32_t opposite = 7 & ~(1u << side / 2);
                const rblVec3d low = rbl_iso_cell_corner(iso, cell);
                const rblVec3d middle =
                    rbl_mul_add3d(low, 0.5 * rbl_iso_unit(iso), rbl_iso_corner_offset(iso, opposite));
                const bool joined =
                    rbl_iso_evaluate(iso, middle, &job->faults[range.block]) < iso->def->level;
                cell->joined |= (uint8_t)(joined << side);
            }
        }
    }
}

// The cell below a lower side; it is active when the side alternates.
static rblIsoCell* cell_below(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t side)
{
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    place[side / 2] -= 1;
    return &iso->cells[rbl_iso_find_cell(iso, place[0], place[1], place[2])];
}

static void tell_neighbours(const rblIsosurface* iso)
{
    for (uint32_t i = 0; i < iso->cell_count; ++i)
    {
        for (uint32_t side = 0; side < 6; side += 2)
        {
            if ((iso->cells[i].joined >> side & 1) != 0)
            {
                cell_below(iso, &iso->cells[i], side)->joined |= (uint8_t)(2u << side);
            }
        }
    }
}

static void loop_block(rblRange range, void* context)
{
    const rblIsosurface* iso = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        find_loops(&iso->cells[i]);
    }
}

// Use the other pairing for sides that one patch passes twice in both cells.
static void split_double_sides(const rblIsosurface* iso)
{
    for (uint32_t i = 0; i < iso->cell_count; ++i)
    {
        rblIsoCell* cell = &iso->cells[i];
        for (uint32_t side = 0; side < 6; side += 2)
        {
            if (!rbl_iso_passes_twice(cell, side))
            {
                continue;
            }
            rblIsoCell* below = cell_below(iso, cell, side);
            if (rbl_iso_passes_twice(below, side + 1))
            {
                cell->joined ^= (uint8_t)(1u << side);
                below->joined ^= (uint8_t)(2u << side);
                find_loops(cell);
                find_loops(below);
            }
        }
    }
}

uint32_t rbl_iso_owned_crossing(const rblIsoCell* cell, uint32_t axis)
{
    uint32_t crossing = cell->first_crossing;
    for (uint32_t i = 0; i < axis; ++i)
    {
        crossing += rbl_iso_crosses(cell->inside, 4 * i);
    }
    return crossing;
}

// Assign the numbers of vertices and crossings.
static rblResult number_elements(rblIsosurface* iso)
{
    uint64_t vertices = 0;
    uint64_t crossings = 0;
    for (uint32_t i = 0; i < iso->cell_count; ++i)
    {
        rblIsoCell* cell = &iso->cells[i];
        cell->first_vertex = (uint32_t)vertices;
        cell->first_crossing = (uint32_t)crossings;
        vertices += cell->patch_count;
        for (uint32_t axis = 0; axis < 3; ++axis)
        {
            crossings += rbl_iso_crosses(cell->inside, 4 * axis);
        }
    }
    // A crossing becomes at most four triangles, and the number of their corners must stay below 2^32 - 4.
    if (crossings > UINT32_MAX / 12 - 1)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "isosurface: the surface is too large, %llu quads; use fewer cells",
                        (unsigned long long)crossings);
    }
    iso->vertex_count = (uint32_t)vertices;
    iso->crossing_count = (uint32_t)crossings;
    return RBL_OK;
}

rblResult rbl_iso_find_patches(rblIsosurface* iso)
{
    rblIsoFault faults[RBL_MAX_BLOCKS] = {0};
    PatchJob job = {iso, faults};
    rbl_parallel_for(rbl_default_jobs(), iso->cell_count, 256, decide_block, &job);
    RBL_TRY(rbl_iso_check_faults(faults, RBL_MAX_BLOCKS));
    tell_neighbours(iso);
    rbl_parallel_for(rbl_default_jobs(), iso->cell_count, 256, loop_block, iso);
    split_double_sides(iso);
    return number_elements(iso);
}
