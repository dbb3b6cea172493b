// Welding. Only loose vertices are welded: those at an edge that does not have two faces, or where several fans of
// faces meet. Vertices with one closed fan stay as they are, at any resolution, even if they touch others, so that
// surfaces that were separated where they touch are not joined again.
//
// Vertices are visited in order. Each one is merged into the nearest kept vertex within the tolerance, or is kept
// itself. So no vertex moves farther than the tolerance, kept ones never move, chains of close neighbours do not
// collapse a feature, and kept vertices are farther apart than the tolerance: a second run changes nothing.
#include "base/error.h"
#include "base/hash_map.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include <string.h>

// Kept vertices in a hash grid of cubic cells. Cells are TOLERANCES_PER_CELL tolerances wide, so that most vertices
// have to search only one cell.
typedef struct WeldGrid
{
    rblHashMap cells; // from cell to its newest vertex
    uint32_t* others; // per vertex: the previous vertex of the same cell
    rblVec3d lower;
    double width; // 0: the cell is the position itself
} WeldGrid;

#define TOLERANCES_PER_CELL 8.0

static uint64_t hash_coordinates(double x, double y, double z)
{
    const double values[3] = {x + 0.0, y + 0.0, z + 0.0}; // -0 and 0 are the same position
    uint64_t bits[3];
    memcpy(bits, values, sizeof bits);
    return rbl_hash_u64(rbl_hash_u64(rbl_hash_u64(bits[0]) + bits[1]) + bits[2]);
}

static uint64_t cell_of(const WeldGrid* grid, rblVec3d p)
{
    if (grid->width == 0)
    {
        return hash_coordinates(p.x, p.y, p.z);
    }
    return hash_coordinates(floor((p.x - grid->lower.x) / grid->width),
                            floor((p.y - grid->lower.y) / grid->width),
                            floor((p.z - grid->lower.z) / grid->width));
}

static void search_cell(const rblRepair* r, const WeldGrid* grid, uint64_t key, rblVec3d p, uint32_t* nearest,
                        double* distance)
{
    for (uint32_t v = rbl_hash_map_find(&grid->cells, key); v != RBL_NONE; v = grid->others[v])
    {
        const double d = rbl_distance3d(p, r->positions.data[v]);
        // Of equally near vertices the first one is chosen.
        if (d <= r->tolerance && (d < *distance || (d == *distance && v < *nearest)))
        {
            *nearest = v;
            *distance = d;
        }
    }
}

// The kept vertex that `p` is merged into, or RBL_NONE. Only the cells of the corners of a box around `p` are
// searched; mostly they are the same cell.
static uint32_t find_kept(const rblRepair* r, const WeldGrid* grid, rblVec3d p)
{
    uint32_t nearest = RBL_NONE;
    double distance = (double)INFINITY;
    // Including the rounding of the corners.
    const double reach = grid->width == 0 ? 0 : 1.0001 * r->tolerance;
    uint64_t keys[8];
    uint32_t count = 0;
    for (int i = 0; i < 8; ++i)
    {
        const rblVec3d corner = {p.x + (i & 1 ? reach : -reach), p.y + (i & 2 ? reach : -reach),
                                 p.z + (i & 4 ? reach : -reach)};
        keys[count] = cell_of(grid, corner);
        uint32_t known = 0;
        while (keys[known] != keys[count])
        {
            known += 1;
        }
        if (known == count)
        {
            search_cell(r, grid, keys[count++], p, &nearest, &distance);
        }
    }
    return nearest;
}

static bool keep(WeldGrid* grid, uint32_t vertex, rblVec3d p)
{
    bool added;
    uint32_t* last = rbl_hash_map_get_or_add(&grid->cells, cell_of(grid, p), vertex, &added);
    if (last == NULL)
    {
        return false;
    }
    grid->others[vertex] = added ? RBL_NONE : *last;
    *last = vertex;
    return true;
}

static bool find_targets(const rblRepair* r, WeldGrid* grid, const uint8_t* chosen, uint32_t* targets)
{
    for (uint32_t v = 0; v < r->positions.count; ++v)
    {
        targets[v] = v;
        if (!chosen[v])
        {
            continue;
        }
        const uint32_t kept = find_kept(r, grid, r->positions.data[v]);
        targets[v] = kept != RBL_NONE ? kept : v;
        if (kept == RBL_NONE && !keep(grid, v, r->positions.data[v]))
        {
            return false;
        }
    }
    return true;
}

rblResult rbl_repair_cluster(rblRepair* r, const uint8_t* chosen, uint32_t* targets)
{
    WeldGrid grid = {.others = RBL_SCRATCH(r, uint32_t, r->positions.count)};
    if (grid.others == NULL)
    {
        return rbl_fail_memory();
    }
    // A tolerance smaller than the rounding of coordinates can only mean equality.
    const double diagonal = rbl_distance3d(r->bounds.upper, r->bounds.lower);
    grid.lower = r->bounds.lower;
    grid.width = r->tolerance > diagonal * 0x1p-40 ? TOLERANCES_PER_CELL * r->tolerance : 0;
    rbl_hash_map_init(&grid.cells, r->allocator);
    const bool ok = find_targets(r, &grid, chosen, targets);
    rbl_hash_map_free(&grid.cells);
    return ok ? RBL_OK : rbl_fail_memory();
}

void rbl_repair_mark_used(const rblRepair* r, uint8_t* used)
{
    memset(used, 0, r->positions.count);
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        const rblRepairFace* face = &r->faces.data[f];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            used[rbl_repair_vertex(r, c)] = 1;
        }
    }
}

// Mark the loose vertices. *count receives their number.
static rblResult mark_loose(rblRepair* r, uint8_t* loose, uint32_t* count)
{
    rblRepairEdges edges;
    RBL_TRY(rbl_repair_edges(r, NULL, &edges));
    uint32_t* fans = RBL_SCRATCH(r, uint32_t, r->corners.count);
    uint8_t* seen = RBL_SCRATCH(r, uint8_t, r->positions.count);
    if (fans == NULL || seen == NULL)
    {
        return rbl_fail_memory();
    }
    memset(loose, 0, r->positions.count);
    memset(seen, 0, r->positions.count);
    rbl_repair_pair_plain_edges(r, &edges);
    rbl_repair_fans(r, fans);
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        const uint32_t v = rbl_repair_vertex(r, c);
        loose[v] |= fans[c] == c && seen[v]; // a second fan
        seen[v] |= fans[c] == c;
        if (r->corners.data[c].twin == RBL_NONE)
        {
            loose[v] = 1;
            loose[rbl_repair_vertex(r, rbl_repair_next(r, c))] = 1;
        }
    }
    *count = 0;
    for (size_t v = 0; v < r->positions.count; ++v)
    {
        *count += loose[v];
    }
    return RBL_OK;
}

rblResult rbl_repair_weld(rblRepair* r)
{
    uint32_t loose_count = 0;
    uint8_t* loose = RBL_SCRATCH(r, uint8_t, r->positions.count);
    uint32_t* targets = RBL_SCRATCH(r, uint32_t, r->positions.count);
    if (loose == NULL || targets == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(mark_loose(r, loose, &loose_count));
    if (loose_count == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_repair_cluster(r, loose, targets));
    for (uint32_t v = 0; v < r->positions.count; ++v)
    {
        r->report->welded_vertices += targets[v] != v;
        if (v < r->source->vertex_count && targets[v] != v)
        {
            r->welded[v] = 1;
        }
    }
    for (size_t c = 0; c < r->corners.count; ++c)
    {
        r->corners.data[c].vertex = targets[r->corners.data[c].vertex];
    }
    return RBL_OK;
}
