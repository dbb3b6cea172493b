// The parts of the edges between three cells that are inside the solid. They bound crack faces.
//
// Each edge has a sorted list of its crossings with the surface. The winding number of the surface around a vertex of
// the complex follows from a neighbouring vertex: plus one for every crossing on the way that enters the solid, minus
// one for every crossing that leaves it. It is 0 on the box. (The labels of the surface are a closed 2-chain of the
// dual triangulation, which is a ball; the winding numbers are the one 3-chain that it bounds. So all paths give the
// same number, also for surfaces that intersect themselves.) Along an edge, crossings match in pairs like brackets.
// Where the winding number is two there are two segments, each with its own vertices.
#include "base/sort.h"
#include "cut/pieces/pieces_private.h"

#define UNKNOWN INT32_MIN

typedef struct CellEdges
{
    rblCut* cut;
    uint32_t* starts;       // per cell edge: its first crossing in `order`; one more entry for the end
    uint32_t* order;        // crossings, from tail to head of the edge
    double* parameters;     // per crossing: position along its cell edge, in any unit
    int32_t* windings;      // per vertex of the complex: winding number
    uint32_t* copies;       // per vertex: its first node
    uint32_t* edges_around; // per vertex: up to 4 cell edges
    uint32_t* queue;
    uint32_t* scratch;
} CellEdges;

static bool allocate_arrays(CellEdges* work)
{
    rblCut* cut = work->cut;
    const rblCells* cells = cut->cells;
    const size_t crossings = cut->crossings.count + 1;
    work->starts = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cells->edge_count + 2);
    work->order = RBL_ARENA_ARRAY(cut->arena, uint32_t, crossings);
    work->scratch = RBL_ARENA_ARRAY(cut->arena, uint32_t, crossings);
    work->parameters = RBL_ARENA_ARRAY(cut->arena, double, crossings);
    work->windings = RBL_ARENA_ARRAY(cut->arena, int32_t, (size_t)cells->vertex_count + 1);
    work->copies = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cells->vertex_count + 1);
    work->edges_around = RBL_ARENA_ARRAY(cut->arena, uint32_t, 4 * (size_t)cells->vertex_count + 1);
    work->queue = RBL_ARENA_ARRAY(cut->arena, uint32_t, (size_t)cells->vertex_count + 1);
    return work->starts != NULL && work->order != NULL && work->scratch != NULL && work->parameters != NULL &&
           work->windings != NULL && work->copies != NULL && work->edges_around != NULL &&
           work->queue != NULL;
}

// ---- crossings in order ----

// Direction of the edge in the axes of the surface.
static rblVec3d direction_of(const rblCut* cut, uint32_t edge)
{
    const uint32_t* cells = cut->cells->edges[edge].cells;
    const rblCellRow first = rbl_cell_row(cut->cells, cells[0], cells[1]);
    const rblCellRow second = rbl_cell_row(cut->cells, cells[0], cells[2]);
    const rblVec3d along = rbl_cross3d(first.gradient, second.gradient);
    return rbl_normalize3d(rbl_mat3d_apply_transposed(&cut->linear, along), rbl_vec3d(0, 0, 0));
}

static bool is_before(uint32_t a, uint32_t b, const void* context)
{
    const double* parameters = context;
    return parameters[a] < parameters[b];
}

// Two crossings at one position, as for bodies in contact, may have any order. Choose the order that keeps the winding
// number at 0 or 1.
static void order_touching(CellEdges* work, uint32_t begin, uint32_t end, int32_t winding)
{
    const rblCutCrossing* crossings = work->cut->crossings.data;
    for (uint32_t n = begin; n + 1 < end; ++n)
    {
        const uint32_t a = work->order[n], b = work->order[n + 1];
        const double distance = work->parameters[b] - work->parameters[a];
        const double size = fabs(work->parameters[a]) + fabs(work->parameters[b]);
        const bool wrong = crossings[a].enters ? winding > 0 : winding <= 0;
        if (wrong && crossings[a].enters != crossings[b].enters && distance <= 0x1p-40 * size)
        {
            work->order[n] = b;
            work->order[n + 1] = a;
        }
        winding += crossings[work->order[n]].enters ? 1 : -1;
    }
}

static void sort_crossings(CellEdges* work)
{
    const rblCut* cut = work->cut;
    const uint32_t edge_count = cut->cells->edge_count;
    const uint32_t count = (uint32_t)cut->crossings.count;
    memset(work->starts, 0, sizeof *work->starts * ((size_t)edge_count + 2));
    for (uint32_t c = 0; c < count; ++c)
    {
        work->starts[cut->crossings.data[c].cell_edge + 2] += 1;
    }
    for (uint32_t e = 0; e < edge_count; ++e)
    {
        work->starts[e + 2] += work->starts[e + 1];
    }
    for (uint32_t c = 0; c < count; ++c)
    {
        work->order[work->starts[cut->crossings.data[c].cell_edge + 1]++] = c;
    }
    for (uint32_t e = 0; e < edge_count; ++e)
    {
        const uint32_t begin = work->starts[e], end = work->starts[e + 1];
        if (end == begin)
        {
            continue;
        }
        const rblVec3d direction = direction_of(cut, e);
        for (uint32_t n = begin; n < end; ++n)
        {
            const uint32_t node = cut->crossings.data[work->order[n]].node;
            work->parameters[work->order[n]] = rbl_dot3d(cut->positions.data[node], direction);
        }
        rbl_sort_indices(work->order + begin, work->scratch, end - begin, is_before, work->parameters);
    }
}

// ---- windings ----

static int32_t winding_change(const CellEdges* work, uint32_t edge)
{
    int32_t change = 0;
    for (uint32_t n = work->starts[edge]; n < work->starts[edge + 1]; ++n)
    {
        change += work->cut->crossings.data[work->order[n]].enters ? 1 : -1;
    }
    return change;
}

static bool is_on_box(const rblCells* cells, uint32_t vertex)
{
    return cells->vertices[vertex].cells[3] >= cells->count; // sides have the highest indices
}

static void fill_around(CellEdges* work)
{
    const rblCells* cells = work->cut->cells;
    memset(work->edges_around, 0xFF, sizeof *work->edges_around * 4 * (size_t)cells->vertex_count);
    for (uint32_t e = 0; e < cells->edge_count; ++e)
    {
        for (int end = 0; end < 2; ++end)
        {
            uint32_t* slots = work->edges_around + 4 * (size_t)cells->edges[e].vertices[end];
            uint32_t n = 0;
            while (n < 3 && slots[n] != RBL_NONE)
            {
                ++n;
            }
            slots[n] = e;
        }
    }
}

static void visit(CellEdges* work, uint32_t vertex, uint32_t* queued)
{
    const rblCells* cells = work->cut->cells;
    for (uint32_t n = 0; n < 4 && work->edges_around[4 * (size_t)vertex + n] != RBL_NONE; ++n)
    {
        const uint32_t e = work->edges_around[4 * (size_t)vertex + n];
        const rblCellEdge* edge = &cells->edges[e];
        const bool forwards = edge->vertices[0] == vertex;
        const uint32_t other = edge->vertices[forwards ? 1 : 0];
        if (work->windings[other] == UNKNOWN)
        {
            const int32_t change = winding_change(work, e);
            work->windings[other] = work->windings[vertex] + (forwards ? change : -change);
            work->queue[(*queued)++] = other;
        }
    }
}

// Winding numbers from the box inwards. An open surface gives different numbers on different paths; this is an error.
static rblCutStatus find_windings(CellEdges* work)
{
    const rblCells* cells = work->cut->cells;
    uint32_t queued = 0;
    for (uint32_t v = 0; v < cells->vertex_count; ++v)
    {
        work->windings[v] = UNKNOWN;
        if (is_on_box(cells, v))
        {
            work->windings[v] = 0;
            work->queue[queued++] = v;
        }
    }
    fill_around(work);
    for (uint32_t n = 0; n < queued; ++n)
    {
        visit(work, work->queue[n], &queued);
    }
    for (uint32_t e = 0; e < cells->edge_count; ++e)
    {
        const uint32_t* ends = cells->edges[e].vertices;
        if (work->windings[ends[0]] == UNKNOWN ||
            work->windings[ends[0]] + winding_change(work, e) != work->windings[ends[1]])
        {
            return RBL_CUT_OPEN;
        }
    }
    return RBL_CUT_OK;
}

// ---- segments ----

static rblCutStatus number_vertices(CellEdges* work)
{
    rblCut* cut = work->cut;
    const rblCells* cells = cut->cells;
    rblMat3d inverse;
    if (!rbl_mat3d_inverse(&cut->linear, &inverse))
    {
        return RBL_CUT_OPEN;
    }
    for (uint32_t v = 0; v < cells->vertex_count; ++v)
    {
        const rblCellVertex* vertex = &cells->vertices[v];
        const int32_t winding = work->windings[v];
        work->copies[v] = (uint32_t)cut->nodes.count;
        const rblVec3d position = rbl_mat3d_apply(&inverse, rbl_sub3d(vertex->position, cut->offset));
        for (int32_t copy = 0; copy < (winding < 0 ? -winding : winding); ++copy)
        {
            const rblCutNode node = {
                {vertex->cells[0], vertex->cells[1], vertex->cells[2], vertex->cells[3]}};
            const rblPieceVertex origin = {RBL_NONE, {RBL_NONE, RBL_NONE}, {0, 0, 0}};
            if (!rbl_array_push(&cut->nodes, node) || !rbl_array_push(&cut->positions, position) ||
                !rbl_array_push(&cut->origins, origin))
            {
                return RBL_CUT_MEMORY;
            }
        }
    }
    return RBL_CUT_OK;
}

static uint32_t facet_between(const rblCellRings* rings, uint32_t a, uint32_t b)
{
    for (uint32_t s = rings->starts[a]; s < rings->ends[a]; ++s)
    {
        if (rings->cells[s] == b)
        {
            return rings->facets[s];
        }
    }
    return RBL_NONE;
}

// Seen from j, the crack face of cells i < j has the edge to a third cell k on its left side along (g_j - g_i) x (g_k -
// g_i). This is the direction of the cell edge, or the opposite direction if k is the middle one.
static bool link_segment(rblCut* cut, uint32_t edge, uint32_t from, uint32_t to)
{
    const uint32_t* c = cut->cells->edges[edge].cells;
    const uint32_t a = cut->vertex_count + from, b = cut->vertex_count + to;
    return rbl_array_push(&cut->links, ((rblCutLink){facet_between(&cut->rings, c[0], c[1]), a, b})) &&
           rbl_array_push(&cut->links, ((rblCutLink){facet_between(&cut->rings, c[0], c[2]), b, a})) &&
           rbl_array_push(&cut->links, ((rblCutLink){facet_between(&cut->rings, c[1], c[2]), a, b}));
}

// Traverse the edge with a stack of the crossings without a partner. Where the surface is oriented inward, segments
// have the opposite direction.
static rblCutStatus link_edge(CellEdges* work, uint32_t e, rblIndexArray* stack)
{
    rblCut* cut = work->cut;
    const uint32_t* ends = cut->cells->edges[e].vertices;
    int32_t winding = work->windings[ends[0]];
    order_touching(work, work->starts[e], work->starts[e + 1], winding);
    bool stored = true;
    rbl_array_clear(stack);
    for (int32_t copy = 0; copy < (winding < 0 ? -winding : winding); ++copy)
    {
        stored = stored && rbl_array_push(stack, work->copies[ends[0]] + (uint32_t)copy);
    }
    for (uint32_t n = work->starts[e]; n < work->starts[e + 1] && stored; ++n)
    {
        const rblCutCrossing* crossing = &cut->crossings.data[work->order[n]];
        const bool opens = crossing->enters ? winding >= 0 : winding <= 0;
        winding += crossing->enters ? 1 : -1;
        if (opens)
        {
            stored = rbl_array_push(stack, crossing->node);
            continue;
        }
        const uint32_t partner = stack->data[--stack->count];
        stored = crossing->enters ? link_segment(cut, e, crossing->node, partner)
                                  : link_segment(cut, e, partner, crossing->node);
    }
    for (uint32_t n = 0; n < stack->count && stored; ++n)
    {
        const uint32_t last = work->copies[ends[1]] + n;
        stored = winding < 0 ? link_segment(cut, e, last, stack->data[n])
                             : link_segment(cut, e, stack->data[n], last);
    }
    return stored ? RBL_CUT_OK : RBL_CUT_MEMORY;
}

rblCutStatus rbl_cut_cell_edges(rblCut* cut)
{
    CellEdges work = {.cut = cut};
    if (!allocate_arrays(&work))
    {
        return RBL_CUT_MEMORY;
    }
    sort_crossings(&work);
    rblCutStatus status = find_windings(&work);
    status = status == RBL_CUT_OK ? number_vertices(&work) : status;
    rblIndexArray stack;
    rbl_array_init(&stack, cut->allocator);
    for (uint32_t e = 0; e < cut->cells->edge_count && status == RBL_CUT_OK; ++e)
    {
        const uint32_t* ends = cut->cells->edges[e].vertices;
        if (work.starts[e] < work.starts[e + 1] || work.windings[ends[0]] != 0)
        {
            status = link_edge(&work, e, &stack);
        }
    }
    rbl_array_free(&stack);
    return status;
}
