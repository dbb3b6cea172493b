// T-junctions: a boundary vertex that lies on a boundary edge of another face is inserted into that edge. Only the
// boundary is examined, so closed surfaces do not change.
#include "base/error.h"
#include "base/hash_map.h"
#include "base/sort.h"
#include "math/triangle_intersection.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include <string.h>

// Boundary vertices in a hash grid of cubic cells.
typedef struct VertexGrid
{
    rblHashMap cells; // from cell to its newest vertex
    uint32_t* others; // per vertex: the previous vertex of the same cell
    double width;
} VertexGrid;

typedef struct Insertion
{
    uint32_t corner; // into the half-edge of this corner
    uint32_t vertex;
    double t; // parameter along the edge, 0 to 1
} Insertion;

typedef struct Junctions
{
    rblRepairEdges edges;
    VertexGrid grid;
    RBL_ARRAY(Insertion) found; // by rising corner; per corner by rising t
    uint32_t* stamps;           // per vertex: the face whose vertices were marked last, plus 1
    uint32_t* seen;             // per vertex: the corner it was last tested for
} Junctions;

static bool on_boundary(const Junctions* j, uint32_t corner)
{
    const uint32_t e = j->edges.of_corner[corner];
    return j->edges.starts[e + 1] - j->edges.starts[e] == 1;
}

static uint64_t cell_key(const VertexGrid* grid, rblVec3d p, int offset)
{
    const double cell[3] = {floor(p.x / grid->width) + (offset % 3 - 1) + 0.0,
                            floor(p.y / grid->width) + (offset / 3 % 3 - 1) + 0.0,
                            floor(p.z / grid->width) + (offset / 9 - 1) + 0.0};
    uint64_t bits[3];
    memcpy(bits, cell, sizeof bits);
    return rbl_hash_u64(rbl_hash_u64(rbl_hash_u64(bits[0]) + bits[1]) + bits[2]);
}

static bool grid_add(VertexGrid* grid, const rblRepair* r, uint32_t vertex)
{
    bool added;
    uint32_t* last =
        rbl_hash_map_get_or_add(&grid->cells, cell_key(grid, r->positions.data[vertex], 13), vertex, &added);
    if (last == NULL)
    {
        return false;
    }
    grid->others[vertex] = added ? RBL_NONE : *last;
    *last = vertex;
    return true;
}

// The cell width is the mean length of boundary edges, so that the number of steps along all edges is about the
// number of edges.
static uint32_t choose_width(const rblRepair* r, Junctions* j)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t e = 0; e < j->edges.count; ++e)
    {
        const uint32_t c = j->edges.corners[j->edges.starts[e]];
        if (on_boundary(j, c))
        {
            sum += rbl_distance3d(rbl_repair_position(r, c), rbl_repair_position(r, rbl_repair_next(r, c)));
            count += 1;
        }
    }
    j->grid.width = count > 0 ? rbl_maxd(sum / count, 4 * r->tolerance) : 0;
    return count;
}

static rblResult fill_grid(const rblRepair* r, Junctions* j)
{
    for (uint32_t e = 0; e < j->edges.count; ++e)
    {
        const uint32_t c = j->edges.corners[j->edges.starts[e]];
        const uint32_t ends[2] = {rbl_repair_vertex(r, c), rbl_repair_vertex(r, rbl_repair_next(r, c))};
        for (int i = 0; i < 2 && on_boundary(j, c); ++i)
        {
            if (j->seen[ends[i]] == RBL_NONE)
            {
                j->seen[ends[i]] = 0;
                if (!grid_add(&j->grid, r, ends[i]))
                {
                    return rbl_fail_memory();
                }
            }
        }
    }
    return RBL_OK;
}

// The parameter of p along the edge from a to b if p lies on it, negative if not. Points within the tolerance of an
// end are left to welding.
static double place_on_edge(const rblRepair* r, rblVec3d a, rblVec3d b, rblVec3d p)
{
    const rblVec3d along = rbl_sub3d(b, a);
    const double t = rbl_dot3d(rbl_sub3d(p, a), along) / rbl_dot3d(along, along);
    if (!(t > 0 && t < 1) || rbl_distance3d(p, a) <= r->tolerance || rbl_distance3d(p, b) <= r->tolerance)
    {
        return -1;
    }
    const double off = rbl_distance3d(p, rbl_mul_add3d(a, t, along));
    return off <= r->tolerance || rbl_collinear3d(a, b, p) ? t : -1;
}

static rblResult try_cell(const rblRepair* r, Junctions* j, uint32_t corner, uint64_t key)
{
    const rblVec3d a = rbl_repair_position(r, corner);
    const rblVec3d b = rbl_repair_position(r, rbl_repair_next(r, corner));
    const uint32_t face = r->corners.data[corner].face;
    for (uint32_t v = rbl_hash_map_find(&j->grid.cells, key); v != RBL_NONE; v = j->grid.others[v])
    {
        if (j->stamps[v] == face + 1 || j->seen[v] == corner + 1)
        {
            continue;
        }
        j->seen[v] = corner + 1;
        const Insertion insertion = {corner, v, place_on_edge(r, a, b, r->positions.data[v])};
        if (insertion.t >= 0)
        {
            j->stamps[v] = face + 1; // once per face
            if (!rbl_array_push(&j->found, insertion))
            {
                return rbl_fail_memory();
            }
        }
    }
    return RBL_OK;
}

// Search the cells around points along the edge, one cell width apart.
static rblResult search_edge(const rblRepair* r, Junctions* j, uint32_t corner)
{
    const rblVec3d a = rbl_repair_position(r, corner);
    const rblVec3d b = rbl_repair_position(r, rbl_repair_next(r, corner));
    const double steps = ceil(rbl_distance3d(a, b) / j->grid.width);
    for (double i = 0; i <= steps; i += 1)
    {
        const rblVec3d p = rbl_lerp3d(a, b, steps > 0 ? i / steps : 0);
        for (int offset = 0; offset < 27; ++offset)
        {
            RBL_TRY(try_cell(r, j, corner, cell_key(&j->grid, p, offset)));
        }
    }
    return RBL_OK;
}

static rblResult search_faces(const rblRepair* r, Junctions* j)
{
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        const rblRepairFace* face = &r->faces.data[f];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            j->stamps[rbl_repair_vertex(r, c)] = f + 1;
        }
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            if (on_boundary(j, c))
            {
                RBL_TRY(search_edge(r, j, c));
            }
        }
    }
    return RBL_OK;
}

static bool inserted_before(uint32_t a, uint32_t b, const void* context)
{
    const Insertion* found = context;
    if (found[a].corner != found[b].corner)
    {
        return found[a].corner < found[b].corner;
    }
    return found[a].t < found[b].t || (found[a].t == found[b].t && found[a].vertex < found[b].vertex);
}

// Write face `f` again with its insertions, order[*next] and following.
static rblResult rewrite_face(rblRepair* r, const Junctions* j, uint32_t f, const uint32_t* order,
                              size_t* next)
{
    const rblRepairFace old = r->faces.data[f];
    r->faces.data[f].begin = (uint32_t)r->corners.count;
    r->faces.data[f].size = 0;
    for (uint32_t i = 0; i < old.size; ++i)
    {
        const uint32_t c = old.begin + i;
        const rblRepairCorner corner = r->corners.data[c];
        const uint32_t after = r->corners.data[old.begin + (i + 1) % old.size].source;
        RBL_TRY(rbl_repair_add_corner(r, f, corner.vertex, corner.source));
        for (; *next < j->found.count && j->found.data[order[*next]].corner == c; *next += 1)
        {
            const Insertion insertion = j->found.data[order[*next]];
            uint32_t source;
            RBL_TRY(rbl_repair_blend(r, corner.source, after, insertion.t, &source));
            RBL_TRY(rbl_repair_add_corner(r, f, insertion.vertex, source));
            r->report->resolved_t_junctions += 1;
        }
    }
    return RBL_OK;
}

static rblResult insert_all(rblRepair* r, const Junctions* j)
{
    uint32_t* order = RBL_SCRATCH(r, uint32_t, j->found.count);
    uint32_t* spare = RBL_SCRATCH(r, uint32_t, j->found.count);
    if (order == NULL || spare == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < j->found.count; ++i)
    {
        order[i] = i;
    }
    rbl_sort_indices(order, spare, j->found.count, inserted_before, j->found.data);
    for (size_t next = 0; next < j->found.count;)
    {
        RBL_TRY(rewrite_face(r, j, r->corners.data[j->found.data[order[next]].corner].face, order, &next));
    }
    return rbl_repair_compact(r);
}

static rblResult find_and_insert(rblRepair* r, Junctions* j)
{
    RBL_TRY(rbl_repair_edges(r, NULL, &j->edges));
    if (choose_width(r, j) == 0)
    {
        return RBL_OK;
    }
    j->grid.others = RBL_SCRATCH(r, uint32_t, r->positions.count);
    j->stamps = RBL_SCRATCH(r, uint32_t, r->positions.count);
    j->seen = RBL_SCRATCH(r, uint32_t, r->positions.count);
    if (j->grid.others == NULL || j->stamps == NULL || j->seen == NULL)
    {
        return rbl_fail_memory();
    }
    memset(j->stamps, 0, sizeof *j->stamps * r->positions.count);
    memset(j->seen, 0xFF, sizeof *j->seen * r->positions.count);
    RBL_TRY(fill_grid(r, j));
    RBL_TRY(search_faces(r, j));
    return j->found.count > 0 ? insert_all(r, j) : RBL_OK;
}

rblResult rbl_repair_t_junctions(rblRepair* r)
{
    Junctions j = {.grid.width = 0};
    rbl_array_init(&j.found, r->allocator);
    rbl_hash_map_init(&j.grid.cells, r->allocator);
    const rblResult result = find_and_insert(r, &j);
    rbl_array_free(&j.found);
    rbl_hash_map_free(&j.grid.cells);
    return result;
}
