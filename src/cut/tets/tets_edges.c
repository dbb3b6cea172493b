// The parts of crack edges that are inside the solid. They bound crack faces.
//
// As in pieces_cell_edges.c: the winding number of a corner follows from that of a neighbouring corner, plus one for
// every triangle that the edge enters. It is 0 on the border of the mesh. Cracks that do not reach the border, around a
// fragment inside another, start with the winding number from a ray. Along an edge, crossings match in pairs like
// brackets; where the winding number is two there are two segments. Most facets are not near any triangle; those inside
// the solid are crack faces as a whole, without links.
#include "cut/tets/tets_cut_private.h"
#include "math/predicates.h"

#define UNKNOWN INT32_MIN

typedef struct EdgeWork
{
    rblTetsCut* work;
    uint32_t* starts;      // per edge: its first intersection in `order`; one more entry for the end
    uint32_t* order;       // intersections, from ends[0] to ends[1]
    uint32_t* edge_starts; // per corner: its first edge in `edges_around`; one more entry for the end
    uint32_t* edges_around;
    int32_t* windings; // per corner: winding number
    uint32_t* copies;  // per corner: its first node
    uint32_t* queue;
    uint32_t queued;
    rblUncutFacet* uncut; // per facet
    rblIndexArray stack;
} EdgeWork;

static bool allocate_arrays(EdgeWork* e)
{
    rblTetsCut* work = e->work;
    rblArena* arena = work->cut->arena;
    e->starts = RBL_ARENA_ARRAY(arena, uint32_t, work->edges.count + 2);
    e->order = RBL_ARENA_ARRAY(arena, uint32_t, work->edge_intersections.count + 1);
    e->edge_starts = RBL_ARENA_ARRAY(arena, uint32_t, work->corners.count + 2);
    e->edges_around = RBL_ARENA_ARRAY(arena, uint32_t, 2 * work->edges.count + 1);
    e->windings = RBL_ARENA_ARRAY(arena, int32_t, work->corners.count + 1);
    e->copies = RBL_ARENA_ARRAY(arena, uint32_t, work->corners.count + 1);
    e->queue = RBL_ARENA_ARRAY(arena, uint32_t, work->corners.count + 1);
    e->uncut = RBL_ARENA_ARRAY(arena, rblUncutFacet, work->facets.count + 1);
    return e->starts != NULL && e->order != NULL && e->edge_starts != NULL && e->edges_around != NULL &&
           e->windings != NULL && e->copies != NULL && e->queue != NULL && e->uncut != NULL;
}

// ---- sorted intersections ----

// Returns false if two intersections are at the same position.
static bool sort_edge(const EdgeWork* e, uint32_t number)
{
    const rblTetsCut* work = e->work;
    const uint32_t begin = e->starts[number], end = e->starts[number + 1];
    const uint32_t* ends = work->edges.data[number].ends;
    const rblVec3d p = work->corners.data[ends[0]].position, q = work->corners.data[ends[1]].position;
    for (uint32_t n = begin + 1; n < end; ++n)
    {
        const uint32_t own = e->order[n];
        rblVec3d own_triangle[3], other_triangle[3];
        rbl_tets_cut_triangle(work, work->edge_intersections.data[own].triangle, own_triangle);
        uint32_t at = n;
        for (; at > begin; --at)
        {
            rbl_tets_cut_triangle(work, work->edge_intersections.data[e->order[at - 1]].triangle,
                                  other_triangle);
            const int first = rbl_crossing_order(p, q, own_triangle, other_triangle);
            if (first == 0)
            {
                return false;
            }
            if (first > 0)
            {
                break;
            }
            e->order[at] = e->order[at - 1];
        }
        e->order[at] = own;
    }
    return true;
}

static rblCutStatus sort_intersections(EdgeWork* e)
{
    const rblTetsCut* work = e->work;
    const uint32_t edge_count = (uint32_t)work->edges.count;
    memset(e->starts, 0, sizeof *e->starts * ((size_t)edge_count + 2));
    for (size_t n = 0; n < work->edge_intersections.count; ++n)
    {
        e->starts[work->edge_intersections.data[n].edge + 2] += 1;
    }
    for (uint32_t k = 0; k < edge_count; ++k)
    {
        e->starts[k + 2] += e->starts[k + 1];
    }
    for (uint32_t n = 0; n < work->edge_intersections.count; ++n)
    {
        e->order[e->starts[work->edge_intersections.data[n].edge + 1]++] = n;
    }
    for (uint32_t k = 0; k < edge_count; ++k)
    {
        if (e->starts[k] < e->starts[k + 1] && work->edges.data[k].facet_count < 2)
        {
            return RBL_CUT_OUTSIDE;
        }
        if (!sort_edge(e, k))
        {
            return RBL_CUT_TIE;
        }
    }
    return RBL_CUT_OK;
}

// ---- windings ----

static int32_t winding_change(const EdgeWork* e, uint32_t edge)
{
    int32_t change = 0;
    for (uint32_t n = e->starts[edge]; n < e->starts[edge + 1]; ++n)
    {
        change += e->work->edge_intersections.data[e->order[n]].enters ? 1 : -1;
    }
    return change;
}

static void fill_around(EdgeWork* e)
{
    const rblTetsCut* work = e->work;
    memset(e->edge_starts, 0, sizeof *e->edge_starts * (work->corners.count + 2));
    for (size_t k = 0; k < 2 * work->edges.count; ++k)
    {
        e->edge_starts[work->edges.data[k / 2].ends[k % 2] + 2] += 1;
    }
    for (size_t c = 0; c < work->corners.count; ++c)
    {
        e->edge_starts[c + 2] += e->edge_starts[c + 1];
    }
    for (size_t k = 0; k < 2 * work->edges.count; ++k)
    {
        e->edges_around[e->edge_starts[work->edges.data[k / 2].ends[k % 2] + 1]++] = (uint32_t)(k / 2);
    }
}

static void spread_winding(EdgeWork* e, uint32_t first)
{
    for (uint32_t n = first; n < e->queued; ++n)
    {
        const uint32_t corner = e->queue[n];
        for (uint32_t k = e->edge_starts[corner]; k < e->edge_starts[corner + 1]; ++k)
        {
            const uint32_t edge = e->edges_around[k];
            const uint32_t* ends = e->work->edges.data[edge].ends;
            const bool forwards = ends[0] == corner;
            const uint32_t other = ends[forwards ? 1 : 0];
            if (e->windings[other] == UNKNOWN)
            {
                const int32_t change = winding_change(e, edge);
                e->windings[other] = e->windings[corner] + (forwards ? change : -change);
                e->queue[e->queued++] = other;
            }
        }
    }
}

static int32_t winding_at(const rblCut* cut, rblVec3d at)
{
    int32_t winding = 0;
    for (uint32_t t = 0; t < cut->triangle_count; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)t;
        const rblVec3d* p = cut->surface->positions;
        winding += rbl_cut_ray_turns(at, p[v[0]], p[v[1]], p[v[2]]);
    }
    return winding;
}

// An open surface gives different winding numbers on different paths; this is an error.
static rblCutStatus find_windings(EdgeWork* e)
{
    const rblTetsCut* work = e->work;
    for (uint32_t c = 0; c < work->corners.count; ++c)
    {
        e->windings[c] = UNKNOWN;
        if (work->corners.data[c].border)
        {
            e->windings[c] = 0;
            e->queue[e->queued++] = c;
        }
    }
    fill_around(e);
    spread_winding(e, 0);
    for (uint32_t c = 0; c < work->corners.count; ++c)
    {
        if (e->windings[c] == UNKNOWN)
        {
            e->windings[c] = winding_at(work->cut, work->corners.data[c].position);
            e->queue[e->queued++] = c;
            spread_winding(e, e->queued - 1);
        }
    }
    for (uint32_t k = 0; k < work->edges.count; ++k)
    {
        const uint32_t* ends = work->edges.data[k].ends;
        if (e->windings[ends[0]] + winding_change(e, k) != e->windings[ends[1]])
        {
            return RBL_CUT_OPEN;
        }
    }
    return RBL_CUT_OK;
}

// ---- segments ----

static rblCutStatus number_corners(EdgeWork* e)
{
    rblTetsCut* work = e->work;
    rblCut* cut = work->cut;
    for (uint32_t c = 0; c < work->corners.count; ++c)
    {
        const rblCrackCorner* corner = &work->corners.data[c];
        const int32_t winding = e->windings[c];
        e->copies[c] = (uint32_t)cut->nodes.count;
        for (int32_t copy = 0; copy < (winding < 0 ? -winding : winding); ++copy)
        {
            const rblCutNode node = {
                {corner->cells[0], corner->cells[1], corner->cells[2], corner->cells[3]}};
            const rblPieceVertex origin = {RBL_NONE, {RBL_NONE, RBL_NONE}, {0, 0, 0}};
            if (!rbl_array_push(&cut->nodes, node) || !rbl_array_push(&cut->positions, corner->position) ||
                !rbl_array_push(&cut->origins, origin))
            {
                return RBL_CUT_MEMORY;
            }
        }
    }
    return RBL_CUT_OK;
}

// Whether the whole facet is inside the solid, with winding number 1.
static bool is_inside(const EdgeWork* e, const rblCrackFacet* facet)
{
    bool inside = true;
    for (uint32_t c = 0; c < facet->corner_count; ++c)
    {
        const uint32_t edge = facet->edges[c];
        inside = inside && e->windings[facet->corners[c]] == 1 && e->starts[edge] == e->starts[edge + 1];
    }
    return inside;
}

// The corners in the order that links would give: starting with the first corner of its first edge.
static rblUncutFacet uncut_facet(const EdgeWork* e, const rblCrackFacet* facet)
{
    rblUncutFacet uncut = {.count = facet->corner_count};
    uint32_t first = 0;
    for (uint32_t c = 1; c < facet->corner_count; ++c)
    {
        first = facet->edges[c] < facet->edges[first] ? c : first;
    }
    for (uint32_t c = 0; c < facet->corner_count; ++c)
    {
        const uint32_t at = first + c < facet->corner_count ? first + c : first + c - facet->corner_count;
        uncut.corners[c] = e->work->cut->vertex_count + e->copies[facet->corners[at]];
    }
    return uncut;
}

// Facets with links have intersections with triangles.
static void find_uncut(EdgeWork* e)
{
    rblTetsCut* work = e->work;
    memset(e->uncut, 0, sizeof *e->uncut * work->facets.count);
    for (size_t n = 0; n < work->cut->links.count; ++n)
    {
        e->uncut[work->cut->links.data[n].facet].count = RBL_NONE;
    }
    for (uint32_t f = 0; f < work->facets.count; ++f)
    {
        const rblCrackFacet* facet = &work->facets.data[f];
        const bool uncut = e->uncut[f].count == 0 && is_inside(e, facet);
        e->uncut[f] = uncut ? uncut_facet(e, facet) : (rblUncutFacet){0};
    }
    work->cut->uncut_facets = e->uncut;
}

static bool has_uncut_facets(const EdgeWork* e, uint32_t number)
{
    const rblCrackEdge* edge = &e->work->edges.data[number];
    bool all = true;
    for (uint32_t f = 0; f < edge->facet_count; ++f)
    {
        all = all && e->uncut[edge->facets[f]].count > 0;
    }
    return all;
}

static bool link_segment(const EdgeWork* e, uint32_t number, uint32_t from, uint32_t to)
{
    rblCut* cut = e->work->cut;
    const rblCrackEdge* edge = &e->work->edges.data[number];
    const uint32_t a = cut->vertex_count + from, b = cut->vertex_count + to;
    bool stored = true;
    for (uint32_t f = 0; f < edge->facet_count && stored; ++f)
    {
        const bool back = edge->backwards[f];
        stored = e->uncut[edge->facets[f]].count > 0 ||
                 rbl_array_push(&cut->links, ((rblCutLink){edge->facets[f], back ? b : a, back ? a : b}));
    }
    return stored;
}

// Traverse the edge with a stack of the crossings without a partner. Where the surface is oriented inward, segments
// have the opposite direction.
static bool link_edge(EdgeWork* e, uint32_t edge)
{
    const rblTetsCut* work = e->work;
    const uint32_t* ends = work->edges.data[edge].ends;
    int32_t winding = e->windings[ends[0]];
    bool stored = true;
    rbl_array_clear(&e->stack);
    for (int32_t copy = 0; copy < (winding < 0 ? -winding : winding); ++copy)
    {
        stored = stored && rbl_array_push(&e->stack, e->copies[ends[0]] + (uint32_t)copy);
    }
    for (uint32_t n = e->starts[edge]; n < e->starts[edge + 1] && stored; ++n)
    {
        const rblEdgeIntersection* intersection = &work->edge_intersections.data[e->order[n]];
        const bool opens = intersection->enters ? winding >= 0 : winding <= 0;
        winding += intersection->enters ? 1 : -1;
        if (opens)
        {
            stored = rbl_array_push(&e->stack, intersection->node);
            continue;
        }
        const uint32_t partner = e->stack.data[--e->stack.count];
        stored = intersection->enters ? link_segment(e, edge, intersection->node, partner)
                                      : link_segment(e, edge, partner, intersection->node);
    }
    for (uint32_t n = 0; n < e->stack.count && stored; ++n)
    {
        const uint32_t last = e->copies[ends[1]] + n;
        stored = winding < 0 ? link_segment(e, edge, last, e->stack.data[n])
                             : link_segment(e, edge, e->stack.data[n], last);
    }
    return stored;
}

rblCutStatus rbl_tets_cut_edges(rblTetsCut* work)
{
    EdgeWork e = {.work = work};
    if (!allocate_arrays(&e))
    {
        return RBL_CUT_MEMORY;
    }
    rblCutStatus status = sort_intersections(&e);
    status = status == RBL_CUT_OK ? find_windings(&e) : status;
    status = status == RBL_CUT_OK ? number_corners(&e) : status;
    rbl_array_init(&e.stack, work->cut->allocator);
    if (status == RBL_CUT_OK)
    {
        find_uncut(&e);
    }
    for (uint32_t k = 0; k < work->edges.count && status == RBL_CUT_OK; ++k)
    {
        const bool inside = (e.starts[k] < e.starts[k + 1] || e.windings[work->edges.data[k].ends[0]] != 0) &&
                            !has_uncut_facets(&e, k);
        status = inside && !link_edge(&e, k) ? RBL_CUT_MEMORY : status;
    }
    rbl_array_free(&e.stack);
    return status;
}
