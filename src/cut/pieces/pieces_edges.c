// Points where edges of the surface pass from one cell to the next.
//
// Along an edge every f is linear, and the cells along the edge are the lower envelope of all f. For two cells i and j
// of the edge: find the cell with the smallest f at the point where f_i = f_j. If it is i or j, the two are neighbours
// on the edge. Else it is between them, and both parts are searched in turn.
#include "cut/pieces/pieces_private.h"

#define EDGE_RANGE 256 // edges per block of the parallel loop
typedef struct EdgeNode
{
    uint32_t cells[2]; // from, to
    double parameter;  // parameter along the edge, 0 to 1
} EdgeNode;

typedef struct EdgeRun
{
    RBL_ARRAY(EdgeNode) nodes; // of all edges of the block
    rblIndexArray stack;       // pairs of cells that are not known to be neighbours
    uint32_t first_node;       // index of its first node in the cut
    rblCutStatus status;
} EdgeRun;

typedef struct EdgeJob
{
    rblCut* cut;
    EdgeRun* runs; // one per block
} EdgeJob;

// The point of an edge where f_i = f_j, with the values of f_j - f_i at the ends of the edge.
typedef struct EdgePoint
{
    uint32_t ends[2];
    uint32_t i, j;
    double at[2];
} EdgePoint;

// Sign of f_k - f_m at the point.
static int edge_side(const rblCut* cut, const EdgePoint* point, uint32_t m, uint32_t k)
{
    const double a = rbl_cut_value(cut, m, k, point->ends[0]);
    const double b = rbl_cut_value(cut, m, k, point->ends[1]);
    const double left = fabs(point->at[1]) * a, right = fabs(point->at[0]) * b;
    const double value = left + right;
    const double error_bound = cut->error_bound * (fabs(a) + fabs(b) + fabs(point->at[0]) +
                                                   fabs(point->at[1]) + 2.0 * cut->error_bound) +
                               0x1p-51 * (fabs(left) + fabs(right));
    if (fabs(value) > error_bound)
    {
        return value < 0.0 ? -1 : 1;
    }
    const rblImplicitPoint named = {
        2, {cut->points[point->ends[0]], cut->points[point->ends[1]]}, {point->i, point->j}};
    return rbl_implicit_side(cut->cells, &named, m, k);
}

// The cell with the smallest f at the point; j counts as i.
static uint32_t nearest_at(const rblCut* cut, const EdgePoint* point, bool* tie)
{
    const rblCellRings* rings = &cut->rings;
    uint32_t m = point->i;
    uint32_t s = rings->starts[m];
    while (s < rings->ends[m])
    {
        const uint32_t k = rings->cells[s++];
        if (m == point->i && k == point->j)
        {
            continue;
        }
        const int side = edge_side(cut, point, m, k);
        *tie = *tie || side == 0;
        if (side < 0)
        {
            m = k;
            s = rings->starts[m];
        }
    }
    return m;
}

static bool cross_pair(const rblCut* cut, const rblCutEdge* edge, uint32_t i, uint32_t j, EdgeRun* run)
{
    EdgePoint point = {{edge->ends[0], edge->ends[1]}, i, j, {0, 0}};
    point.at[0] = rbl_cut_value(cut, i, j, point.ends[0]);
    point.at[1] = rbl_cut_value(cut, i, j, point.ends[1]);
    bool tie = false;
    const uint32_t m = nearest_at(cut, &point, &tie);
    if (tie)
    {
        run->status = RBL_CUT_TIE;
        return false;
    }
    bool stored;
    if (m == i)
    {
        const double sum = fabs(point.at[0]) + fabs(point.at[1]);
        const EdgeNode node = {{i, j}, sum > 0.0 ? fabs(point.at[0]) / sum : 0.5};
        stored = rbl_array_push(&run->nodes, node);
    }
    else // the second part first: the stack returns the first part before it
    {
        stored = rbl_array_push(&run->stack, m) && rbl_array_push(&run->stack, j) &&
                 rbl_array_push(&run->stack, i) && rbl_array_push(&run->stack, m);
    }
    run->status = stored ? run->status : RBL_CUT_MEMORY;
    return stored;
}

static bool cross_edge(const rblCut* cut, const rblCutEdge* edge, EdgeRun* run)
{
    bool stored = cross_pair(cut, edge, cut->labels[edge->ends[0]], cut->labels[edge->ends[1]], run);
    while (stored && run->stack.count > 0)
    {
        const uint32_t j = run->stack.data[--run->stack.count];
        const uint32_t i = run->stack.data[--run->stack.count];
        stored = cross_pair(cut, edge, i, j, run);
    }
    return stored;
}

static void edge_block(rblRange range, void* context)
{
    EdgeJob* job = context;
    rblCut* cut = job->cut;
    EdgeRun* run = &job->runs[range.block];
    if (!rbl_array_reserve(&run->nodes, range.end - range.begin))
    {
        run->status = RBL_CUT_MEMORY;
        return;
    }
    for (uint32_t e = range.begin; e < range.end; ++e)
    {
        rblCutEdge* edge = &cut->edges[e];
        edge->first_node = (uint32_t)run->nodes.count;
        if (!cross_edge(cut, edge, run))
        {
            return;
        }
        edge->node_count = (uint32_t)run->nodes.count - edge->first_node;
    }
}

static void place_node(rblCut* cut, const rblCutEdge* edge, uint32_t number, const EdgeNode* node)
{
    const rblVec3d a = cut->surface->positions[edge->ends[0]];
    const rblVec3d b = cut->surface->positions[edge->ends[1]];
    const uint32_t low = node->cells[0] < node->cells[1] ? 0 : 1;
    cut->nodes.data[number] = (rblCutNode){{node->cells[low], node->cells[1 - low], RBL_NONE, RBL_NONE}};
    cut->positions.data[number] = rbl_lerp3d(a, b, node->parameter);
    cut->origins.data[number] =
        (rblPieceVertex){RBL_NONE, {edge->ends[0], edge->ends[1]}, {node->parameter, 0, 0}};
}

static void place_block(rblRange range, void* context)
{
    EdgeJob* job = context;
    rblCut* cut = job->cut;
    const EdgeRun* run = &job->runs[range.block];
    for (uint32_t e = range.begin; e < range.end; ++e)
    {
        rblCutEdge* edge = &cut->edges[e];
        for (uint32_t n = 0; n < edge->node_count; ++n)
        {
            const uint32_t number = edge->first_node + n;
            place_node(cut, edge, run->first_node + number, &run->nodes.data[number]);
        }
        edge->first_node += run->first_node;
    }
}

static rblCutStatus number_nodes(EdgeJob* job, uint32_t blocks)
{
    rblCut* cut = job->cut;
    uint32_t count = 0;
    for (uint32_t b = 0; b < blocks; ++b)
    {
        if (job->runs[b].status != RBL_CUT_OK)
        {
            return job->runs[b].status;
        }
        job->runs[b].first_node = count;
        count += (uint32_t)job->runs[b].nodes.count;
    }
    if (!rbl_array_resize(&cut->nodes, count) || !rbl_array_resize(&cut->positions, count) ||
        !rbl_array_resize(&cut->origins, count))
    {
        return RBL_CUT_MEMORY;
    }
    rbl_parallel_for(cut->jobs, cut->edge_count, EDGE_RANGE, place_block, job);
    return RBL_CUT_OK;
}

// Map from vertex pairs to edges, for triangles. An edge that occurs twice has inconsistent orientation or more than
// two faces.
static rblCutStatus number_edges(rblCut* cut)
{
    if (!rbl_hash_map_reserve(&cut->edge_numbers, cut->edge_count))
    {
        return RBL_CUT_MEMORY;
    }
    for (uint32_t e = 0; e < cut->edge_count; ++e)
    {
        const uint32_t* ends = cut->edges[e].ends;
        bool added;
        if (rbl_hash_map_get_or_add(&cut->edge_numbers, rbl_pair_key(ends[0], ends[1]), e, &added) == NULL)
        {
            return RBL_CUT_MEMORY;
        }
        if (!added)
        {
            return RBL_CUT_OPEN;
        }
    }
    return RBL_CUT_OK;
}

rblCutStatus rbl_cut_edges(rblCut* cut)
{
    if (cut->edge_count == 0)
    {
        return RBL_CUT_OK;
    }
    EdgeRun runs[RBL_MAX_BLOCKS];
    const uint32_t blocks = rbl_block_count(cut->edge_count, EDGE_RANGE);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        rbl_array_init(&runs[b].nodes, cut->allocator);
        rbl_array_init(&runs[b].stack, cut->allocator);
        runs[b].status = RBL_CUT_OK;
    }
    EdgeJob job = {cut, runs};
    rbl_parallel_for(cut->jobs, cut->edge_count, EDGE_RANGE, edge_block, &job);
    rblCutStatus status = number_nodes(&job, blocks);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        rbl_array_free(&runs[b].nodes);
        rbl_array_free(&runs[b].stack);
    }
    return status != RBL_CUT_OK ? status : number_edges(cut);
}
