// After the last crack: crumbs, numbers without gaps, and one weight for each node.
#include "fracture/cracks_private.h"
#include "math/vec.h"
#include "mesh/tets.h"
#include <math.h>

#define SWEEPS     24
#define FAR_FACTOR 6.0 // weights stay within this factor of half an edge: cuts keep off the nodes

// ---- crumbs ----

static void add_volumes(const rblCrackGrowth* growth, double* volumes)
{
    const rblTetsView* tets = growth->body->tets;
    for (uint32_t tet = 0; tet < tets->solid_tet_count; ++tet)
    {
        rblVec3d corners[4];
        rbl_tet_corners(tets, tet, corners);
        const double share = rbl_tet_volume(corners) / 4.0;
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t label = growth->labels[tets->nodes[4 * (size_t)tet + i]];
            if (label != RBL_NONE)
            {
                volumes[label] += share;
            }
        }
    }
}

// The neighbour that most edges go to; RBL_NONE: it has none.
static uint32_t closest_neighbour(const rblCrackGrowth* growth, uint32_t label, uint32_t* counts)
{
    const rblTetGraph* graph = growth->body->solid_graph;
    for (uint32_t i = 0; i < growth->label_count; ++i)
    {
        counts[i] = 0;
    }
    for (uint32_t node = 0; node < growth->body->tets->solid_node_count; ++node)
    {
        for (uint32_t k = graph->starts[node]; growth->labels[node] == label && k < graph->starts[node + 1];
             ++k)
        {
            const uint32_t other = growth->labels[graph->nodes[k]];
            counts[other == RBL_NONE ? label : other] += 1;
        }
    }
    uint32_t best = RBL_NONE;
    for (uint32_t i = 0; i < growth->label_count; ++i)
    {
        if (i != label && counts[i] > 0 && (best == RBL_NONE || counts[i] > counts[best]))
        {
            best = i;
        }
    }
    return best;
}

static void relabel(const rblCrackGrowth* growth, uint32_t from, uint32_t to)
{
    for (uint32_t node = 0; node < growth->body->tets->node_count; ++node)
    {
        growth->labels[node] = growth->labels[node] == from ? to : growth->labels[node];
    }
}

static bool merge_crumbs(rblCrackGrowth* growth, rblCrackReport* report)
{
    double* volumes = RBL_ARENA_ARRAY(&growth->arena, double, growth->label_count);
    uint32_t* counts = RBL_ARENA_ARRAY(&growth->arena, uint32_t, growth->label_count);
    if (volumes == NULL || counts == NULL)
    {
        return false;
    }
    for (uint32_t i = 0; i < growth->label_count; ++i)
    {
        volumes[i] = 0.0;
    }
    add_volumes(growth, volumes);
    for (;;)
    {
        uint32_t smallest = RBL_NONE;
        for (uint32_t i = 0; i < growth->label_count; ++i)
        {
            if (volumes[i] < growth->body->smallest &&
                (smallest == RBL_NONE || volumes[i] < volumes[smallest]))
            {
                smallest = i;
            }
        }
        if (smallest == RBL_NONE)
        {
            return true;
        }
        const uint32_t neighbour = closest_neighbour(growth, smallest, counts);
        if (neighbour != RBL_NONE)
        {
            relabel(growth, smallest, neighbour);
            volumes[neighbour] += volumes[smallest];
            report->merged += 1;
        }
        volumes[smallest] = INFINITY; // done with, or alone
    }
}

static bool number_fragments(rblCrackGrowth* growth, rblCrackReport* report)
{
    uint32_t* numbers = RBL_ARENA_ARRAY(&growth->arena, uint32_t, growth->label_count);
    if (numbers == NULL)
    {
        return false;
    }
    for (uint32_t i = 0; i < growth->label_count; ++i)
    {
        numbers[i] = RBL_NONE;
    }
    report->fragments = 0;
    for (uint32_t node = 0; node < growth->body->tets->node_count; ++node)
    {
        const uint32_t label = growth->labels[node];
        if (label != RBL_NONE)
        {
            numbers[label] = numbers[label] == RBL_NONE ? report->fragments++ : numbers[label];
            growth->labels[node] = numbers[label];
        }
    }
    growth->label_count = report->fragments;
    return true;
}

// ---- weights ----

// One node has one weight, however many cracks pass by: logarithms whose differences along cut edges are, in least squares, those of
// the cracks. Where there is but one crack they are its values up to a factor, and its surface comes out as it was grown.
static void fit_weights(const rblCrackGrowth* growth, double* logs, double* sums, uint32_t* counts)
{
    const uint32_t node_count = growth->body->tets->node_count;
    for (uint32_t sweep = 0; sweep < SWEEPS; ++sweep)
    {
        for (uint32_t node = 0; node < node_count; ++node)
        {
            sums[node] = 0.0;
            counts[node] = 0;
        }
        for (size_t e = 0; e < growth->edges.count; ++e)
        {
            const rblCutEdge edge = growth->edges.data[e];
            if (growth->labels[edge.a] != growth->labels[edge.b])
            {
                sums[edge.a] += logs[edge.b] + edge.ratio;
                sums[edge.b] += logs[edge.a] - edge.ratio;
                counts[edge.a] += 1;
                counts[edge.b] += 1;
            }
        }
        for (uint32_t node = 0; node < node_count; ++node)
        {
            // Half of the way: whole steps swing between the two sides of a crack.
            logs[node] = counts[node] > 0 ? 0.5 * (logs[node] + sums[node] / counts[node]) : logs[node];
        }
    }
}

static bool find_weights(rblCrackGrowth* growth, double* weights)
{
    const uint32_t node_count = growth->body->tets->node_count;
    double* logs = RBL_ARENA_ARRAY(&growth->arena, double, node_count);
    double* sums = RBL_ARENA_ARRAY(&growth->arena, double, node_count);
    uint32_t* counts = RBL_ARENA_ARRAY(&growth->arena, uint32_t, node_count);
    if (logs == NULL || sums == NULL || counts == NULL)
    {
        return false;
    }
    for (uint32_t node = 0; node < node_count; ++node)
    {
        const double edge = rbl_mean_edge(growth->body->graph, growth->body->tets->positions, node);
        weights[node] = edge > 0.0 ? 0.5 * edge : 1.0;
        logs[node] = rbl_log(growth->own[node] > 0.0 ? growth->own[node] : weights[node]);
    }
    fit_weights(growth, logs, sums, counts);
    for (uint32_t node = 0; node < node_count; ++node)
    {
        const double fitted = rbl_exp(logs[node]);
        weights[node] = rbl_mind(rbl_maxd(fitted, weights[node] / FAR_FACTOR), weights[node] * FAR_FACTOR);
    }
    return true;
}

bool rbl_cracks_finish(rblCrackGrowth* growth, double* weights, rblCrackReport* report)
{
    return merge_crumbs(growth, report) && number_fragments(growth, report) && find_weights(growth, weights);
}
