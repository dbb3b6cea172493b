// The points where the surface cuts lattice edges, and the nodes that move onto the surface.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/tets/tets_filling.h"
#include "mesh/tets/tets_stencil.h"

// An edge between nodes of the same kind, corner or centre: corners have even lattice coordinates, centres odd ones.
static bool is_long(const rblLattice* lattice, const rblCutEdge* edge)
{
    return (lattice->nodes.data[edge->a].x & 1) == (lattice->nodes.data[edge->b].x & 1);
}

// Whether the edge can be cut once, or twice, judging by the distances of its ends.
static bool may_be_cut(const rblLattice* lattice, uint32_t a, uint32_t b, bool is_long_edge)
{
    const rblLatticeNode* p = &lattice->nodes.data[a];
    const rblLatticeNode* q = &lattice->nodes.data[b];
    if (p->sign == 0 || q->sign == 0)
    {
        return false;
    }
    const double length = (is_long_edge ? 1.0 : 0.8660255) * lattice->tree->edge;
    return p->sign != q->sign || fabs((double)p->distance) + fabs((double)q->distance) <= length;
}

static rblResult add_edge(rblCuts* cuts, uint32_t a, uint32_t b)
{
    bool added = false;
    if (rbl_hash_map_get_or_add(&cuts->places, rbl_pair_key(a, b), (uint32_t)cuts->edges.count, &added) ==
        NULL)
    {
        return rbl_fail_memory();
    }
    const rblCutEdge edge = {.a = a < b ? a : b, .b = a < b ? b : a, .fraction = -1.0, .node = RBL_NONE};
    return !added || rbl_array_push(&cuts->edges, edge) ? RBL_OK : rbl_fail_memory();
}

static rblResult list_edges(rblCuts* cuts, const rblLattice* lattice)
{
    for (uint32_t t = 0; t < lattice->fine_count; ++t)
    {
        const uint32_t* nodes = lattice->tets.data[t].nodes;
        for (uint32_t e = 0; e < 6; ++e)
        {
            const uint32_t a = nodes[rbl_stencil_edges[e][0]];
            const uint32_t b = nodes[rbl_stencil_edges[e][1]];
            if (may_be_cut(lattice, a, b, e == 0 || e == 5))
            {
                RBL_TRY(add_edge(cuts, a, b));
            }
        }
    }
    return RBL_OK;
}

typedef struct Search
{
    rblCuts* cuts;
    const rblLattice* lattice;
    const rblFillSolid* solid;
} Search;

// Rays from the outside end decide: where parts of a surface overlap, they meet the outermost part first. If a ray
// misses all triangles (because winding number and triangles disagree), the distances of both ends give the cut.
static void cut_once(const Search* search, rblCutEdge* edge)
{
    const rblLatticeNode* a = &search->lattice->nodes.data[edge->a];
    const rblLatticeNode* b = &search->lattice->nodes.data[edge->b];
    const rblVec3d p = search->lattice->positions.data[edge->a];
    const rblVec3d q = search->lattice->positions.data[edge->b];
    const bool enters = a->sign < 0;
    const double way = rbl_fill_crossing(search->solid, enters ? p : q, enters ? q : p);
    const double sum = fabs((double)a->distance) + fabs((double)b->distance);
    const double fraction = way < 0.0 ? fabs((double)a->distance) / sum : enters ? way : 1.0 - way;
    edge->fraction = rbl_clampd(fraction, 0.0, 1.0);
}

static void cut_twice(const Search* search, rblCutEdge* edge)
{
    const rblVec3d p = search->lattice->positions.data[edge->a];
    const rblVec3d q = search->lattice->positions.data[edge->b];
    const double first = rbl_fill_crossing(search->solid, p, q);
    const double last = first < 0.0 ? -1.0 : rbl_fill_crossing(search->solid, q, p);
    edge->hidden_from = (float)first;
    edge->hidden = last < 0.0 ? 0.0f : (float)(1.0 - last - first);
}

static void cut_edges(rblRange range, void* context)
{
    const Search* search = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblCutEdge* edge = &search->cuts->edges.data[i];
        const rblLatticeNode* nodes = search->lattice->nodes.data;
        if (nodes[edge->a].sign != nodes[edge->b].sign)
        {
            cut_once(search, edge);
        }
        else
        {
            cut_twice(search, edge);
        }
    }
}

rblResult rbl_cuts_find(rblCuts* cuts, const rblLattice* lattice, const rblFillSolid* solid,
                        const rblAllocator* allocator)
{
    *cuts = (rblCuts){.moved = 0};
    rbl_array_init(&cuts->edges, allocator);
    rbl_hash_map_init(&cuts->places, allocator);
    const rblResult result = list_edges(cuts, lattice);
    if (result != RBL_OK)
    {
        rbl_cuts_free(cuts);
        return result;
    }
    Search search = {cuts, lattice, solid};
    rbl_parallel_for(solid->jobs, (uint32_t)cuts->edges.count, 64, cut_edges, &search);
    return RBL_OK;
}

void rbl_cuts_free(rblCuts* cuts)
{
    rbl_array_free(&cuts->edges);
    rbl_hash_map_free(&cuts->places);
}

// ---- moving nodes ----

// The cut edges of every node, with rising numbers.
typedef struct NodeEdges
{
    rblIndexArray starts; // per node
    rblIndexArray edges;
} NodeEdges;

static bool list_node_edges(NodeEdges* lists, const rblCuts* cuts, size_t node_count)
{
    if (!rbl_array_resize(&lists->starts, node_count + 1) ||
        !rbl_array_resize(&lists->edges, 2 * cuts->edges.count))
    {
        return false;
    }
    uint32_t* starts = lists->starts.data;
    for (size_t n = 0; n <= node_count; ++n)
    {
        starts[n] = 0;
    }
    for (size_t i = 0; i < cuts->edges.count; ++i)
    {
        starts[cuts->edges.data[i].a] += 1;
        starts[cuts->edges.data[i].b] += 1;
    }
    uint32_t sum = 0;
    for (size_t n = 0; n <= node_count; ++n)
    {
        sum += starts[n];
        starts[n] = sum;
    }
    for (size_t i = cuts->edges.count; i-- > 0;)
    {
        lists->edges.data[--starts[cuts->edges.data[i].a]] = (uint32_t)i;
        lists->edges.data[--starts[cuts->edges.data[i].b]] = (uint32_t)i;
    }
    return true;
}

// The distance of the cut from a node, in cube edges; infinite when it is not too close.
static double close_cut(const rblLattice* lattice, const rblCutEdge* edge, uint32_t node)
{
    const bool length = is_long(lattice, edge);
    const double fraction = edge->a == node ? edge->fraction : 1.0 - edge->fraction;
    const bool close = edge->fraction >= 0.0 && fraction < (length ? RBL_SNAP_LONG : RBL_SNAP_SHORT);
    return close ? fraction * (length ? 1.0 : 0.8660255) : (double)INFINITY;
}

// The edge with the nearest cut that is too close to a node.
static uint32_t find_close_cut(const rblCuts* cuts, const rblLattice* lattice, const NodeEdges* lists,
                               uint32_t node)
{
    double nearest = (double)INFINITY;
    uint32_t best = RBL_NONE;
    for (uint32_t i = lists->starts.data[node]; i < lists->starts.data[node + 1]; ++i)
    {
        const rblCutEdge* edge = &cuts->edges.data[lists->edges.data[i]];
        const uint32_t other = edge->a == node ? edge->b : edge->a;
        const double distance = close_cut(lattice, edge, node);
        if (lattice->nodes.data[other].sign != 0 && distance < nearest)
        {
            nearest = distance;
            best = lists->edges.data[i];
        }
    }
    return best;
}

// The point where the surface cuts an edge, before any node moves.
static rblVec3d cut_place(const rblLattice* lattice, const rblCutEdge* edge)
{
    return rbl_lerp3d(rbl_lattice_index(lattice, edge->a), rbl_lattice_index(lattice, edge->b),
                      edge->fraction);
}

// Move the nodes one after the other. A node that moved onto the surface removes the cuts of all its edges, so that
// its neighbours may not have to move. `paths` receives the edge along which each node moved.
static void move_nodes(rblCuts* cuts, rblLattice* lattice, const NodeEdges* lists, uint32_t* paths)
{
    for (uint32_t n = 0; n < lattice->nodes.count; ++n)
    {
        rblLatticeNode* node = &lattice->nodes.data[n];
        paths[n] = node->sign != 0 ? find_close_cut(cuts, lattice, lists, n) : RBL_NONE;
        if (paths[n] != RBL_NONE)
        {
            lattice->positions.data[n] = cut_place(lattice, &cuts->edges.data[paths[n]]);
            node->sign = 0;
            cuts->moved += 1;
        }
    }
}

// ---- flat tetrahedra ----

// Whether a tetrahedron is not inverted and has all dihedral angles within the bounds.
static bool tet_is_fair(const rblLattice* lattice, uint32_t tet)
{
    const uint32_t* nodes = lattice->tets.data[tet].nodes;
    rblVec3d corners[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        corners[i] = lattice->positions.data[nodes[i]];
    }
    double cosines[6];
    rbl_tet_angle_cosines(corners, cosines);
    bool fair = rbl_tet_volume(corners) > 0.0;
    for (uint32_t e = 0; e < 6; ++e)
    {
        fair = fair && cosines[e] <= RBL_STENCIL_MAX_COSINE && cosines[e] >= RBL_STENCIL_MIN_COSINE;
    }
    return fair;
}

static uint32_t count_on_surface(const rblLattice* lattice, const uint32_t nodes[4])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        count += lattice->nodes.data[nodes[i]].sign == 0;
    }
    return count;
}

// Check the tetrahedra around a node that have at least three nodes on the surface. They are not cut, so their own
// shape decides.
static bool is_fair_around(const rblLattice* lattice, uint32_t node)
{
    bool fair = true;
    for (uint32_t t = 0; t < lattice->fine_count && fair; ++t)
    {
        const uint32_t* nodes = lattice->tets.data[t].nodes;
        if (nodes[0] == node || nodes[1] == node || nodes[2] == node || nodes[3] == node)
        {
            fair = count_on_surface(lattice, nodes) < 3 || tet_is_fair(lattice, t);
        }
    }
    return fair;
}

// Move a node along another one of its edges, if that leaves all tetrahedra around it within the bounds.
static bool move_otherwise(rblCuts* cuts, rblLattice* lattice, const NodeEdges* lists, uint32_t* paths,
                           uint32_t node)
{
    const rblVec3d before = lattice->positions.data[node];
    for (uint32_t i = lists->starts.data[node]; i < lists->starts.data[node + 1] && paths[node] != RBL_NONE;
         ++i)
    {
        const uint32_t path = lists->edges.data[i];
        const rblCutEdge* edge = &cuts->edges.data[path];
        const uint32_t other = edge->a == node ? edge->b : edge->a;
        if (path == paths[node] || path == paths[other] || close_cut(lattice, edge, node) == (double)INFINITY)
        {
            continue;
        }
        lattice->positions.data[node] = cut_place(lattice, edge);
        if (is_fair_around(lattice, node))
        {
            paths[node] = path;
            return true;
        }
    }
    lattice->positions.data[node] = before;
    return false;
}

// Move the node less far, so that it stays a little off the surface. Not moving it at all is always valid: the node
// then counts as inside or outside, and the bounds hold for that case.
static bool pull_back(rblLattice* lattice, uint32_t node, uint32_t quarters)
{
    const rblVec3d before = lattice->positions.data[node];
    lattice->positions.data[node] = rbl_lerp3d(rbl_lattice_index(lattice, node), before, 0.25 * quarters);
    if (is_fair_around(lattice, node))
    {
        return true;
    }
    lattice->positions.data[node] = before;
    return false;
}

// A tetrahedron whose nodes all moved onto the surface may be flat. This is about one in half a million, so the
// search of the whole lattice for its neighbours takes no noticeable time.
static void mend_flat(rblCuts* cuts, rblLattice* lattice, const NodeEdges* lists, uint32_t* paths)
{
    for (uint32_t t = 0; t < lattice->fine_count; ++t)
    {
        const uint32_t* nodes = lattice->tets.data[t].nodes;
        if (count_on_surface(lattice, nodes) < 4 || tet_is_fair(lattice, t))
        {
            continue;
        }
        bool mended = false;
        for (uint32_t i = 0; i < 4 && !mended; ++i)
        {
            mended = move_otherwise(cuts, lattice, lists, paths, nodes[i]);
        }
        cuts->pulled_back += !mended;
        for (uint32_t i = 0; i < 16 && !mended; ++i)
        {
            mended = pull_back(lattice, nodes[i % 4], 3 - i / 4);
        }
    }
}

rblResult rbl_cuts_move_nodes(rblCuts* cuts, rblLattice* lattice)
{
    NodeEdges lists;
    rblIndexArray paths;
    rbl_array_init(&lists.starts, cuts->edges.allocator);
    rbl_array_init(&lists.edges, cuts->edges.allocator);
    rbl_array_init(&paths, cuts->edges.allocator);
    const bool listed =
        list_node_edges(&lists, cuts, lattice->nodes.count) && rbl_array_resize(&paths, lattice->nodes.count);
    if (listed)
    {
        move_nodes(cuts, lattice, &lists, paths.data);
        mend_flat(cuts, lattice, &lists, paths.data);
    }
    rbl_array_free(&lists.starts);
    rbl_array_free(&lists.edges);
    rbl_array_free(&paths);
    return listed ? RBL_OK : rbl_fail_memory();
}
