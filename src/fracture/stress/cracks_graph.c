// The graph of the nodes with edge lengths and node volumes.
#include "base/error.h"
#include "fracture/stress/cracks_private.h"
#include "math/vec.h"
#include "mesh/tets/tets.h"
#include <string.h>

static void count_edges(const rblTetsView* tets, uint32_t tet_count, uint32_t* starts)
{
    for (size_t t = 0; t < tet_count; ++t)
    {
        for (uint32_t i = 0; i < 4; ++i)
        {
            starts[tets->nodes[4 * t + i] + 1] += 3;
        }
    }
}

static void insert_sorted(uint32_t* list, uint32_t* count, uint32_t node)
{
    uint32_t at = *count;
    while (at > 0 && list[at - 1] > node)
    {
        at -= 1;
    }
    if (at > 0 && list[at - 1] == node)
    {
        return;
    }
    memmove(list + at + 1, list + at, (*count - at) * sizeof *list);
    list[at] = node;
    *count += 1;
}

static void list_neighbors(const rblTetsView* tets, uint32_t tet_count, const uint32_t* starts,
                           uint32_t* counts, uint32_t* lists)
{
    for (size_t t = 0; t < tet_count; ++t)
    {
        const uint32_t* nodes = &tets->nodes[4 * t];
        for (uint32_t e = 0; e < 6; ++e)
        {
            const uint32_t a = nodes[rbl_tet_edges[e][0]], b = nodes[rbl_tet_edges[e][1]];
            insert_sorted(lists + starts[a], &counts[a], b);
            insert_sorted(lists + starts[b], &counts[b], a);
        }
    }
}

// Volumes, one tetrahedron of each node, lengths of edges and their means.
static void measure(const rblTetsView* tets, uint32_t tet_count, rblTetGraph* graph)
{
    for (uint32_t tet = 0; tet < tet_count; ++tet)
    {
        rblVec3d corners[4];
        rbl_tet_corners(tets, tet, corners);
        const double share = rbl_tet_volume(corners) / 4.0;
        rblGraphTet* around = &graph->around[tet];
        around->middle = rbl_scale3d(
            rbl_add3d(rbl_add3d(rbl_add3d(corners[0], corners[1]), corners[2]), corners[3]), 0.25);
        memcpy(around->nodes, &tets->nodes[4 * (size_t)tet], sizeof around->nodes);
        memcpy(around->neighbors, &tets->neighbors[4 * (size_t)tet], sizeof around->neighbors);
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t node = tets->nodes[4 * (size_t)tet + i];
            graph->volumes[node] += share;
            graph->tets[node] = tet;
        }
    }
    for (uint32_t node = 0; node < graph->node_count; ++node)
    {
        const uint32_t first = graph->starts[node], end = graph->starts[node + 1];
        double sum = 0.0;
        for (uint32_t k = first; k < end; ++k)
        {
            graph->lengths[k] = rbl_distance3d(tets->positions[node], tets->positions[graph->nodes[k]]);
            sum += graph->lengths[k];
        }
        graph->mean_edges[node] = end > first ? sum / (end - first) : 0.0;
    }
}

// Compact the lists: remove the unused capacity between them.
static uint32_t close_gaps(uint32_t node_count, const uint32_t* counts, uint32_t* starts, uint32_t* lists)
{
    uint32_t end = 0;
    for (size_t i = 0; i < node_count; ++i)
    {
        memmove(lists + end, lists + starts[i], counts[i] * sizeof *lists);
        starts[i] = end;
        end += counts[i];
    }
    starts[node_count] = end;
    return end;
}

static bool allocate(rblTetGraph* graph, size_t edges)
{
    const size_t nodes = graph->node_count;
    graph->nodes = RBL_NEW_ARRAY(graph->allocator, uint32_t, edges + 1);
    graph->lengths = RBL_NEW_ARRAY(graph->allocator, double, edges + 1);
    graph->mean_edges = RBL_NEW_ARRAY(graph->allocator, double, nodes + 1);
    graph->tets = RBL_NEW_ARRAY(graph->allocator, uint32_t, nodes + 1);
    graph->around_memory = RBL_NEW_ARRAY(graph->allocator, rblGraphTet, (size_t)graph->tet_count + 1);
    graph->around = rbl_at_line(graph->around_memory);
    graph->volumes = rbl_alloc_zero(graph->allocator, (nodes + 1) * sizeof *graph->volumes);
    return graph->nodes != NULL && graph->lengths != NULL && graph->mean_edges != NULL &&
           graph->tets != NULL && graph->around_memory != NULL && graph->volumes != NULL;
}

void rbl_tet_graph_free(rblTetGraph* graph)
{
    const size_t nodes = graph->node_count;
    const size_t edges = graph->edge_count;
    RBL_FREE_ARRAY(graph->allocator, graph->starts, nodes + 1);
    RBL_FREE_ARRAY(graph->allocator, graph->nodes, edges + 1);
    RBL_FREE_ARRAY(graph->allocator, graph->lengths, edges + 1);
    RBL_FREE_ARRAY(graph->allocator, graph->mean_edges, nodes + 1);
    RBL_FREE_ARRAY(graph->allocator, graph->tets, nodes + 1);
    rbl_free(graph->allocator, graph->around_memory, sizeof(rblGraphTet) * ((size_t)graph->tet_count + 1));
    RBL_FREE_ARRAY(graph->allocator, graph->volumes, nodes + 1);
    *graph = (rblTetGraph){0};
}

rblResult rbl_tet_graph_create(const rblTetsView* tets, bool solid, const rblAllocator* allocator,
                               rblTetGraph* out)
{
    const uint32_t tet_count = solid ? tets->solid_tet_count : tets->tet_count;
    const size_t node_count = tets->node_count;
    const size_t capacity = 12 * (size_t)tet_count;
    if (capacity >= UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "stress: %u tetrahedra are too many for cracks", tet_count);
    }
    rblTetGraph graph = {.node_count = tets->node_count, .tet_count = tet_count, .allocator = allocator};
    graph.starts = rbl_alloc_zero(allocator, (node_count + 1) * sizeof *graph.starts);
    uint32_t* counts = rbl_alloc_zero(allocator, (node_count + 1) * sizeof *counts);
    uint32_t* lists = RBL_NEW_ARRAY(allocator, uint32_t, capacity + 1);
    bool ok = graph.starts != NULL && counts != NULL && lists != NULL;
    if (ok)
    {
        count_edges(tets, tet_count, graph.starts);
        for (size_t i = 0; i < node_count; ++i)
        {
            graph.starts[i + 1] += graph.starts[i];
        }
        list_neighbors(tets, tet_count, graph.starts, counts, lists);
        graph.edge_count = close_gaps(graph.node_count, counts, graph.starts, lists);
        ok = allocate(&graph, graph.edge_count);
    }
    if (ok)
    {
        memcpy(graph.nodes, lists, graph.edge_count * sizeof *lists);
        measure(tets, tet_count, &graph);
        *out = graph;
    }
    else
    {
        rbl_tet_graph_free(&graph);
    }
    RBL_FREE_ARRAY(allocator, counts, node_count + 1);
    RBL_FREE_ARRAY(allocator, lists, capacity + 1);
    return ok ? RBL_OK : rbl_fail_memory();
}
