// Fins and walls: patches that meet the rest of the surface at edges of three or more faces, when the rest is
// complete without them.
//   - A fin also has boundary edges, and these start at the ends of the edges that connect it. If several patches
//     qualify, the smallest is removed first. A patch with its boundary elsewhere may be a surface with a hole; it counts
//     as a fin only when no other patch at these edges has a boundary.
//   - A wall lies across the inside: all its rim edges are shared by an odd number of faces, and it is not visible from
//     outside.
#include "base/error.h"
#include "base/sort.h"
#include "math/predicates.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include "mesh/triangle_set.h"
#include <string.h>

// Maximum number of rounds. Removing a fin can join the remaining patches to new ones; then all patches are examined
// again.
#define MAX_ROUNDS 32

// Triangles per patch and direction that are tested for visibility. One visible triangle is enough to keep a patch,
// so few samples suffice.
#define SAMPLES_PER_PATCH 32u

// Patches at edges with more faces than this are kept: removing one patch does not make such an edge manifold, and the
// comparison of all its faces would take quadratic time.
#define LARGEST_CROWD 64u

typedef struct Fins
{
    rblRepairEdges edges;
    rblRepairPatches patches;
    uint32_t* piles;  // per face
    double* areas;    // per patch
    uint8_t* open;    // per patch: has boundary edges
    uint8_t* crowded; // per patch: has edges of three or more faces
    uint8_t* touched; // per edge: one of its faces was removed in this round
    uint32_t* marks;  // per vertex: the patch on whose boundary it was found last, plus 1
    uint32_t* order;  // patches to test, the most likely fins first
    uint32_t candidates;
    uint32_t dropped;
} Fins;

static uint32_t patch_of(const rblRepair* r, const Fins* fins, uint32_t corner)
{
    return fins->patches.labels[r->corners.data[corner].face];
}

static rblResult prepare(rblRepair* r, Fins* fins)
{
    *fins = (Fins){.dropped = 0};
    RBL_TRY(rbl_repair_edges(r, NULL, &fins->edges));
    RBL_TRY(rbl_repair_patches(r, &fins->edges, &fins->patches));
    const uint32_t patches = fins->patches.count;
    fins->piles = RBL_SCRATCH(r, uint32_t, r->faces.count);
    fins->areas = RBL_SCRATCH(r, double, patches);
    fins->open = RBL_SCRATCH(r, uint8_t, patches);
    fins->crowded = RBL_SCRATCH(r, uint8_t, patches);
    fins->touched = RBL_SCRATCH(r, uint8_t, fins->edges.count);
    fins->marks = RBL_SCRATCH(r, uint32_t, r->positions.count);
    fins->order = RBL_SCRATCH(r, uint32_t, patches);
    if (fins->piles == NULL || fins->areas == NULL || fins->open == NULL || fins->crowded == NULL ||
        fins->touched == NULL || fins->marks == NULL || fins->order == NULL)
    {
        return rbl_fail_memory();
    }
    uint32_t pile_count;
    RBL_TRY(rbl_repair_piles(r, &fins->edges, fins->piles, &pile_count));
    memset(fins->open, 0, patches);
    memset(fins->crowded, 0, patches);
    memset(fins->touched, 0, fins->edges.count);
    memset(fins->marks, 0, sizeof *fins->marks * r->positions.count);
    for (uint32_t p = 0; p < patches; ++p)
    {
        fins->areas[p] = 0;
    }
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        fins->areas[fins->patches.labels[f]] += rbl_length3d(rbl_repair_normal_area2(r, f));
    }
    return RBL_OK;
}

static bool find_crowded(const rblRepair* r, Fins* fins)
{
    bool any = false;
    for (uint32_t e = 0; e < fins->edges.count; ++e)
    {
        const uint32_t size = rbl_repair_edge_size(&fins->edges, e);
        for (uint32_t i = fins->edges.starts[e]; size != 2 && i < fins->edges.starts[e + 1]; ++i)
        {
            const uint32_t patch = patch_of(r, fins, fins->edges.corners[i]);
            fins->open[patch] |= size == 1;
            fins->crowded[patch] |= size > 2;
            any = any || size > 2;
        }
    }
    return any;
}

// ---- tests of a patch ----

typedef bool CornerTest(const rblRepair* r, Fins* fins, uint32_t patch, uint32_t corner);

static bool any_corner(const rblRepair* r, Fins* fins, uint32_t patch, CornerTest* test)
{
    for (uint32_t k = fins->patches.starts[patch]; k < fins->patches.starts[patch + 1]; ++k)
    {
        const rblRepairFace* face = &r->faces.data[fins->patches.faces[k]];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            if (test(r, fins, patch, c))
            {
                return true;
            }
        }
    }
    return false;
}

static bool mark_boundary(const rblRepair* r, Fins* fins, uint32_t patch, uint32_t corner)
{
    if (rbl_repair_edge_size(&fins->edges, fins->edges.of_corner[corner]) == 1)
    {
        fins->marks[rbl_repair_vertex(r, corner)] = patch + 1;
        fins->marks[rbl_repair_vertex(r, rbl_repair_next(r, corner))] = patch + 1;
    }
    return false;
}

static bool boundary_meets_crowd(const rblRepair* r, Fins* fins, uint32_t patch, uint32_t corner)
{
    return rbl_repair_edge_size(&fins->edges, fins->edges.of_corner[corner]) > 2 &&
           (fins->marks[rbl_repair_vertex(r, corner)] == patch + 1 ||
            fins->marks[rbl_repair_vertex(r, rbl_repair_next(r, corner))] == patch + 1);
}

static bool others_are_open(const rblRepair* r, Fins* fins, uint32_t patch, uint32_t corner)
{
    const uint32_t e = fins->edges.of_corner[corner];
    const uint32_t size = rbl_repair_edge_size(&fins->edges, e);
    if (size > LARGEST_CROWD)
    {
        return true;
    }
    for (uint32_t i = fins->edges.starts[e]; size > 2 && i < fins->edges.starts[e + 1]; ++i)
    {
        const uint32_t other = patch_of(r, fins, fins->edges.corners[i]);
        if (other != patch && fins->open[other])
        {
            return true;
        }
    }
    return false;
}

// Without the patch this edge would have one face, or an odd number of faces.
static bool is_needed(const rblRepair* r, Fins* fins, uint32_t patch, uint32_t corner)
{
    const uint32_t e = fins->edges.of_corner[corner];
    const uint32_t size = rbl_repair_edge_size(&fins->edges, e);
    if (size <= 2 || size > LARGEST_CROWD)
    {
        return size > 2;
    }
    uint32_t rest = size;
    for (uint32_t i = fins->edges.starts[e]; i < fins->edges.starts[e + 1]; ++i)
    {
        rest -= patch_of(r, fins, fins->edges.corners[i]) == patch;
    }
    return fins->touched[e] || rest < 2 || rest % 2 != 0;
}

static bool in_even_crowd(const rblRepair* r, Fins* fins, uint32_t patch, uint32_t corner)
{
    (void)r;
    (void)patch;
    const uint32_t size = rbl_repair_edge_size(&fins->edges, fins->edges.of_corner[corner]);
    return size > 2 && size % 2 == 0;
}

static void drop_patch(rblRepair* r, Fins* fins, uint32_t patch)
{
    for (uint32_t k = fins->patches.starts[patch]; k < fins->patches.starts[patch + 1]; ++k)
    {
        rblRepairFace* face = &r->faces.data[fins->patches.faces[k]];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            fins->touched[fins->edges.of_corner[c]] = 1;
        }
        face->size = 0;
        fins->dropped += 1;
    }
}

// ---- fins ----

static bool smaller_area(uint32_t a, uint32_t b, const void* context)
{
    const double* areas = context;
    return areas[a] < areas[b];
}

// The patches that can be fins: first those whose boundary meets the edges that connect them, by rising area, then
// the others.
static rblResult order_fins(rblRepair* r, Fins* fins)
{
    uint32_t* spare = RBL_SCRATCH(r, uint32_t, fins->patches.count);
    if (spare == NULL)
    {
        return rbl_fail_memory();
    }
    fins->candidates = 0;
    for (int likely = 1; likely >= 0; --likely)
    {
        const uint32_t begin = fins->candidates;
        for (uint32_t p = 0; p < fins->patches.count; ++p)
        {
            if (!fins->open[p] || !fins->crowded[p])
            {
                continue;
            }
            any_corner(r, fins, p, mark_boundary);
            const bool meets = any_corner(r, fins, p, boundary_meets_crowd);
            if (likely ? meets : !meets && !any_corner(r, fins, p, others_are_open))
            {
                fins->order[fins->candidates++] = p;
            }
        }
        rbl_sort_indices(fins->order + begin, spare, fins->candidates - begin, smaller_area, fins->areas);
    }
    return RBL_OK;
}

// ---- walls ----

// A line along the x axis through a point: `ahead` and `behind` tell whether a triangle blocks it on each side.
typedef struct Line
{
    const rblTriangleSet* set;
    const uint32_t* piles;
    uint32_t own; // the triangle that the point lies on
    rblVec3d point;
    bool ahead, behind;
} Line;

static bool block_line(uint32_t triangle, void* context)
{
    Line* line = context;
    const uint32_t* faces = line->set->faces.data;
    if (triangle == line->own || line->piles[faces[triangle]] != line->piles[faces[line->own]])
    {
        return true;
    }
    rblVec3d t[3];
    rbl_triangle_points(line->set, triangle, t);
    const double at[2] = {line->point.y, line->point.z};
    int turns[3];
    for (int i = 0; i < 3; ++i)
    {
        const rblVec3d a = t[i];
        const rblVec3d b = t[(i + 1) % 3];
        const double turn = rbl_orient2d((const double[2]){a.y, a.z}, (const double[2]){b.y, b.z}, at);
        turns[i] = (turn > 0) - (turn < 0);
    }
    const int sum = turns[0] + turns[1] + turns[2];
    if (turns[0] * turns[1] < 0 || turns[1] * turns[2] < 0 || turns[2] * turns[0] < 0 || sum == 0)
    {
        return true;
    }
    // The projection of the triangle along x contains the point; it is counter-clockwise when sum > 0, and then its
    // normal points along x.
    const double side = rbl_orient3d(t[0], t[1], t[2], line->point) * sum;
    line->ahead = line->ahead || side >= 0;
    line->behind = line->behind || side <= 0;
    return !(line->ahead && line->behind);
}

static bool can_be_seen(const rblTriangleSet* set, const uint32_t* piles, uint32_t triangle)
{
    rblVec3d t[3];
    rbl_triangle_points(set, triangle, t);
    const rblVec3d center = rbl_scale3d(rbl_add3d(t[0], rbl_add3d(t[1], t[2])), 1.0 / 3.0);
    const rblAabbd path = {{-(double)INFINITY, center.y, center.z}, {(double)INFINITY, center.y, center.z}};
    Line line = {.set = set, .piles = piles, .own = triangle, .point = center};
    rbl_triangles_in_box(set, &path, block_line, &line);
    return !(line.ahead && line.behind);
}

// Test the visibility along the x axis of some triangles of each patch that is not known to be visible.
static rblResult look(rblRepair* r, const Fins* fins, const rblMeshView* view, uint8_t* visible,
                      uint32_t* samples)
{
    rblTriangleSet set;
    RBL_TRY(rbl_triangle_set_init(&set, view, r->allocator));
    memset(samples, 0, sizeof *samples * fins->patches.count);
    for (uint32_t t = 0; t < rbl_triangle_count(&set); ++t)
    {
        const uint32_t patch = fins->patches.labels[set.faces.data[t]];
        if (!visible[patch] && samples[patch] < SAMPLES_PER_PATCH)
        {
            samples[patch] += 1;
            visible[patch] = can_be_seen(&set, fins->piles, t);
        }
    }
    rbl_triangle_set_free(&set);
    return RBL_OK;
}

// Directions spread over a half sphere; each one becomes the x axis of a rotated mesh.
static const double view_directions[][3] = {{1, 0, 0},           {0, 1, 0},           {0, 0, 1},
                                            {0.57, 0.61, 0.55},  {-0.59, 0.56, 0.58}, {0.62, -0.54, 0.57},
                                            {0.55, 0.63, -0.54}, {0.12, 0.69, 0.71},  {0.73, -0.11, 0.67}};

static rblVec3d turn_to(rblVec3d p, const double direction[3])
{
    const rblVec3d x =
        rbl_normalize3d((rblVec3d){direction[0], direction[1], direction[2]}, (rblVec3d){1, 0, 0});
    const rblVec3d helper = fabs(x.x) < 0.9 ? (rblVec3d){1, 0, 0} : (rblVec3d){0, 1, 0};
    const rblVec3d y = rbl_normalize3d(rbl_cross3d(x, helper), (rblVec3d){0, 1, 0});
    return (rblVec3d){rbl_dot3d(p, x), rbl_dot3d(p, y), rbl_dot3d(p, rbl_cross3d(x, y))};
}

static rblResult find_hidden(rblRepair* r, const Fins* fins, uint8_t* visible)
{
    rblMeshView view;
    RBL_TRY(rbl_repair_view(r, &view));
    rblVec3d* turned = RBL_SCRATCH(r, rblVec3d, r->positions.count);
    uint32_t* samples = RBL_SCRATCH(r, uint32_t, fins->patches.count);
    if (turned == NULL || samples == NULL)
    {
        return rbl_fail_memory();
    }
    view.positions = turned;
    for (size_t d = 0; d < sizeof view_directions / sizeof *view_directions; ++d)
    {
        for (size_t v = 0; v < r->positions.count; ++v)
        {
            turned[v] = turn_to(r->positions.data[v], view_directions[d]);
        }
        RBL_TRY(look(r, fins, &view, visible, samples));
    }
    return RBL_OK;
}

static rblResult order_walls(rblRepair* r, Fins* fins)
{
    uint8_t* visible = RBL_SCRATCH(r, uint8_t, fins->patches.count);
    uint32_t* spare = RBL_SCRATCH(r, uint32_t, fins->patches.count);
    if (visible == NULL || spare == NULL)
    {
        return rbl_fail_memory();
    }
    bool any = false;
    for (uint32_t p = 0; p < fins->patches.count; ++p)
    {
        visible[p] = fins->open[p] || !fins->crowded[p] || any_corner(r, fins, p, in_even_crowd) ||
                     any_corner(r, fins, p, is_needed);
        any = any || !visible[p];
    }
    if (any)
    {
        RBL_TRY(find_hidden(r, fins, visible));
    }
    fins->candidates = 0;
    for (uint32_t p = 0; p < fins->patches.count; ++p)
    {
        if (!visible[p])
        {
            fins->order[fins->candidates++] = p;
        }
    }
    rbl_sort_indices(fins->order, spare, fins->candidates, smaller_area, fins->areas);
    return RBL_OK;
}

// ---- pass ----

static void drop_candidates(rblRepair* r, Fins* fins)
{
    for (uint32_t i = 0; i < fins->candidates; ++i)
    {
        if (!any_corner(r, fins, fins->order[i], is_needed))
        {
            drop_patch(r, fins, fins->order[i]);
        }
    }
}

static rblResult drop_round(rblRepair* r, bool* again)
{
    Fins fins;
    *again = false;
    RBL_TRY(prepare(r, &fins));
    if (!find_crowded(r, &fins))
    {
        return RBL_OK;
    }
    RBL_TRY(order_fins(r, &fins));
    drop_candidates(r, &fins);
    if (fins.dropped == 0)
    {
        RBL_TRY(order_walls(r, &fins));
        drop_candidates(r, &fins);
    }
    r->report->dropped_fins += fins.dropped;
    *again = fins.dropped > 0;
    return *again ? rbl_repair_compact(r) : RBL_OK;
}

rblResult rbl_repair_drop_fins(rblRepair* r)
{
    bool again = true;
    for (int round = 0; round < MAX_ROUNDS && again; ++round)
    {
        const rblArenaMark mark = rbl_arena_mark(&r->scratch);
        const rblResult result = drop_round(r, &again);
        rbl_arena_rewind(&r->scratch, mark);
        RBL_TRY(result);
    }
    return RBL_OK;
}
