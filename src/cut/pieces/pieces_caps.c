// Crack faces: for every facet between two cells, the part inside the solid, as loops of links. Each vertex of a facet
// has one incoming and one outgoing link, so that following the links gives closed loops. Clockwise loops are holes.
#include "cut/pieces/pieces_private.h"

#define UNLINKED UINT32_MAX

typedef struct CapLoop
{
    uint32_t first_corner, end_corner; // range in `corners` below
    double area;                       // m^2, along the normal of the facet
    uint32_t outer;                    // the loop around this one; itself for outer loops
} CapLoop;

typedef struct CapWork
{
    rblCut* cut;
    uint32_t* starts; // per facet: its first link in `order`; one more entry for the end
    uint32_t* order;
    uint32_t* next;  // per node: its outgoing link in the current facet
    rblVec3d normal; // of the current facet, in the axes of the surface, out of its first cell
    uint32_t axis;   // axis of the largest component of `normal`
    RBL_ARRAY(CapLoop) loops;
    rblIndexArray corners;
} CapWork;

static void sort_links(CapWork* work)
{
    const rblCut* cut = work->cut;
    const uint32_t facet_count = cut->cells->facet_count;
    memset(work->starts, 0, sizeof *work->starts * ((size_t)facet_count + 2));
    for (size_t l = 0; l < cut->links.count; ++l)
    {
        work->starts[cut->links.data[l].facet + 2] += 1;
    }
    for (uint32_t f = 0; f < facet_count; ++f)
    {
        work->starts[f + 2] += work->starts[f + 1];
    }
    for (size_t l = 0; l < cut->links.count; ++l)
    {
        work->order[work->starts[cut->links.data[l].facet + 1]++] = (uint32_t)l;
    }
}

static rblVec3d normal_of(const rblCut* cut, uint32_t facet)
{
    if (cut->facet_normals != NULL)
    {
        return cut->facet_normals[facet];
    }
    const uint32_t* pair = cut->cells->facets[facet].cells;
    const rblCellRow row = rbl_cell_row(cut->cells, pair[1], pair[0]);
    return rbl_normalize3d(rbl_mat3d_apply_transposed(&cut->linear, row.gradient), rbl_vec3d(1, 0, 0));
}

static void set_facet(CapWork* work, uint32_t facet)
{
    work->normal = normal_of(work->cut, facet);
    const rblVec3d n = {fabs(work->normal.x), fabs(work->normal.y), fabs(work->normal.z)};
    work->axis = n.x >= n.y && n.x >= n.z ? 0 : (n.y >= n.z ? 1 : 2);
}

static double loop_area(const CapWork* work, const uint32_t* corners, uint32_t count)
{
    const rblVec3d origin = rbl_cut_position(work->cut, corners[0]);
    rblVec3d sum = {0, 0, 0};
    for (uint32_t n = 1; n + 1 < count; ++n)
    {
        const rblVec3d a = rbl_sub3d(rbl_cut_position(work->cut, corners[n]), origin);
        const rblVec3d b = rbl_sub3d(rbl_cut_position(work->cut, corners[n + 1]), origin);
        sum = rbl_add3d(sum, rbl_cross3d(a, b));
    }
    return 0.5 * rbl_dot3d(sum, work->normal);
}

// Trace the loop that starts with a link, and mark its links as used.
static rblCutStatus trace_loop(CapWork* work, uint32_t link)
{
    const rblCut* cut = work->cut;
    CapLoop loop = {.first_corner = (uint32_t)work->corners.count};
    const uint32_t start = cut->links.data[link].from;
    uint32_t vertex = start;
    do
    {
        const uint32_t l = work->next[vertex - cut->vertex_count];
        if (l == UNLINKED)
        {
            return RBL_CUT_OPEN;
        }
        work->next[vertex - cut->vertex_count] = UNLINKED;
        if (!rbl_array_push(&work->corners, vertex))
        {
            return RBL_CUT_MEMORY;
        }
        vertex = cut->links.data[l].to;
    } while (vertex != start);
    loop.end_corner = (uint32_t)work->corners.count;
    loop.area = loop_area(work, work->corners.data + loop.first_corner, loop.end_corner - loop.first_corner);
    loop.outer = (uint32_t)work->loops.count;
    return rbl_array_push(&work->loops, loop) ? RBL_CUT_OK : RBL_CUT_MEMORY;
}

static rblCutStatus trace_facet(CapWork* work, uint32_t facet)
{
    const rblCut* cut = work->cut;
    rbl_array_clear(&work->loops);
    rbl_array_clear(&work->corners);
    for (uint32_t n = work->starts[facet]; n < work->starts[facet + 1]; ++n)
    {
        uint32_t* next = &work->next[cut->links.data[work->order[n]].from - cut->vertex_count];
        if (*next != UNLINKED)
        {
            return RBL_CUT_OPEN;
        }
        *next = work->order[n];
    }
    rblCutStatus status = RBL_CUT_OK;
    for (uint32_t n = work->starts[facet]; n < work->starts[facet + 1] && status == RBL_CUT_OK; ++n)
    {
        const uint32_t link = work->order[n];
        if (work->next[cut->links.data[link].from - cut->vertex_count] == link)
        {
            status = trace_loop(work, link);
        }
    }
    return status;
}

// ---- holes ----

static void flatten(const CapWork* work, uint32_t vertex, double out[2])
{
    const rblVec3d p = rbl_cut_position(work->cut, vertex);
    out[0] = work->axis == 0 ? p.y : p.x;
    out[1] = work->axis == 2 ? p.y : p.z;
}

// Whether the loop encloses the point, in either direction: parity of the sides that a ray to the right crosses.
static bool encloses(const CapWork* work, const CapLoop* loop, const double at[2])
{
    bool inside = false;
    double a[2], b[2];
    flatten(work, work->corners.data[loop->end_corner - 1], a);
    for (uint32_t n = loop->first_corner; n < loop->end_corner; ++n)
    {
        flatten(work, work->corners.data[n], b);
        if ((a[1] > at[1]) != (b[1] > at[1]))
        {
            const double x = a[0] + (at[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            inside = inside != (x > at[0]);
        }
        a[0] = b[0];
        a[1] = b[1];
    }
    return inside;
}

// The outer loop of a hole is the smallest one that encloses it. If rounding finds none, it is the largest loop.
static void assign_holes(CapWork* work)
{
    for (size_t h = 0; h < work->loops.count; ++h)
    {
        CapLoop* hole = &work->loops.data[h];
        if (hole->area > 0.0)
        {
            continue;
        }
        double at[2];
        flatten(work, work->corners.data[hole->first_corner], at);
        double smallest = (double)INFINITY, largest = 0.0;
        uint32_t best = RBL_NONE, fallback = (uint32_t)h;
        for (size_t o = 0; o < work->loops.count; ++o)
        {
            const CapLoop* loop = &work->loops.data[o];
            if (loop->area > largest)
            {
                largest = loop->area;
                fallback = (uint32_t)o;
            }
            if (loop->area > 0.0 && loop->area < smallest && encloses(work, loop, at))
            {
                smallest = loop->area;
                best = (uint32_t)o;
            }
        }
        hole->outer = best != RBL_NONE ? best : fallback;
    }
}

static bool store_loop(CapWork* work, const CapLoop* loop)
{
    rblCut* cut = work->cut;
    bool stored = rbl_array_push(&cut->loop_starts, (uint32_t)cut->corners.count);
    for (uint32_t n = loop->first_corner; n < loop->end_corner && stored; ++n)
    {
        stored = rbl_array_push(&cut->corners, work->corners.data[n]);
    }
    return stored;
}

static rblCutStatus store_caps(CapWork* work, uint32_t facet)
{
    rblCut* cut = work->cut;
    for (uint32_t o = 0; o < work->loops.count; ++o)
    {
        if (work->loops.data[o].outer != o)
        {
            continue;
        }
        rblCutCap cap = {facet, (uint32_t)cut->loop_starts.count, 0, work->loops.data[o].area};
        bool stored = store_loop(work, &work->loops.data[o]);
        for (uint32_t h = 0; h < work->loops.count; ++h)
        {
            if (h != o && work->loops.data[h].outer == o)
            {
                stored = stored && store_loop(work, &work->loops.data[h]);
                cap.area += work->loops.data[h].area;
            }
        }
        cap.end_loop = (uint32_t)cut->loop_starts.count;
        if (!stored || !rbl_array_push(&cut->caps, cap))
        {
            return RBL_CUT_MEMORY;
        }
    }
    return RBL_CUT_OK;
}

// A facet that no triangle of the surface meets.
static rblCutStatus store_uncut_facet(CapWork* work, uint32_t facet)
{
    rblCut* cut = work->cut;
    const rblUncutFacet* uncut = &cut->uncut_facets[facet];
    const uint32_t loop = (uint32_t)cut->loop_starts.count, first = (uint32_t)cut->corners.count;
    bool stored = rbl_array_push(&cut->loop_starts, first);
    for (uint32_t c = 0; c < uncut->count && stored; ++c)
    {
        stored = rbl_array_push(&cut->corners, uncut->corners[c]);
    }
    work->normal = normal_of(cut, facet);
    const double area = loop_area(work, uncut->corners, uncut->count);
    const rblCutCap cap = {facet, loop, loop + 1, area};
    return stored && rbl_array_push(&cut->caps, cap) ? RBL_CUT_OK : RBL_CUT_MEMORY;
}

static rblCutStatus cap_facets(CapWork* work)
{
    rblCut* cut = work->cut;
    sort_links(work);
    for (size_t n = 0; n < cut->nodes.count; ++n)
    {
        work->next[n] = UNLINKED;
    }
    rblCutStatus status = RBL_CUT_OK;
    for (uint32_t f = 0; f < cut->cells->facet_count && status == RBL_CUT_OK; ++f)
    {
        if (cut->uncut_facets != NULL && cut->uncut_facets[f].count > 0)
        {
            status = store_uncut_facet(work, f);
            continue;
        }
        if (work->starts[f] == work->starts[f + 1])
        {
            continue;
        }
        set_facet(work, f);
        status = trace_facet(work, f);
        if (status == RBL_CUT_OK)
        {
            assign_holes(work);
            status = store_caps(work, f);
        }
    }
    if (status == RBL_CUT_OK && !rbl_array_push(&cut->loop_starts, (uint32_t)cut->corners.count))
    {
        status = RBL_CUT_MEMORY;
    }
    return status;
}

rblCutStatus rbl_cut_caps(rblCut* cut)
{
    const rblCutStatus status = rbl_cut_cell_edges(cut);
    return status == RBL_CUT_OK ? rbl_cut_cap_links(cut) : status;
}

rblCutStatus rbl_cut_cap_links(rblCut* cut)
{
    CapWork work = {.cut = cut};
    work.starts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cut->cells->facet_count + 2);
    work.order = RBL_ARENA_ARRAY(cut->arena, uint32_t, cut->links.count + 1);
    work.next = RBL_ARENA_ARRAY(cut->arena, uint32_t, cut->nodes.count + 1);
    if (work.starts == NULL || work.order == NULL || work.next == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    rbl_array_init(&work.loops, cut->allocator);
    rbl_array_init(&work.corners, cut->allocator);
    const rblCutStatus capped = cap_facets(&work);
    rbl_array_free(&work.loops);
    rbl_array_free(&work.corners);
    return capped;
}
