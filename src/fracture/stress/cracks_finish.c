// After the last crack: merge crumbs, renumber labels without gaps, and find one weight per node.
#include "fracture/stress/cracks_private.h"
#include <math.h>
#include <string.h>

#define SWEEPS     24  // iterations of the fit of weights
#define FAR_FACTOR 6.0 // largest ratio of a weight to half an edge, so that cuts are not too close to nodes

// ---- crumbs ----

// Volumes of fragments, and how many cut edges there are between each two.
typedef struct Crumbs
{
    uint32_t count;
    double* volumes;
    uint32_t* borders; // count times count
    uint32_t* joined;  // per label: the label that it was merged with; itself: none
} Crumbs;

static bool survey_crumbs(rblCrackGrowth* growth, Crumbs* crumbs)
{
    const uint32_t count = growth->label_count;
    crumbs->count = count;
    crumbs->volumes = RBL_ARENA_ARRAY(&growth->arena, double, count);
    crumbs->borders = RBL_ARENA_ARRAY(&growth->arena, uint32_t, (size_t)count * count);
    crumbs->joined = RBL_ARENA_ARRAY(&growth->arena, uint32_t, count);
    if (crumbs->volumes == NULL || crumbs->borders == NULL || crumbs->joined == NULL)
    {
        return false;
    }
    memset(crumbs->borders, 0, (size_t)count * count * sizeof *crumbs->borders);
    for (uint32_t i = 0; i < count; ++i)
    {
        crumbs->volumes[i] = 0.0;
        crumbs->joined[i] = i;
    }
    for (uint32_t node = 0; node < growth->body->tets->solid_node_count; ++node)
    {
        const uint32_t label = growth->marks[node].label;
        if (label != RBL_NONE)
        {
            crumbs->volumes[label] += growth->body->solid_graph->volumes[node];
        }
    }
    for (size_t e = 0; e < growth->edges.count; ++e)
    {
        const uint32_t a = growth->marks[growth->edges.data[e].a].label;
        const uint32_t b = growth->marks[growth->edges.data[e].b].label;
        crumbs->borders[(size_t)count * a + b] += a != b;
        crumbs->borders[(size_t)count * b + a] += a != b;
    }
    return true;
}

static uint32_t smallest_crumb(const Crumbs* crumbs, double least)
{
    uint32_t smallest = RBL_NONE;
    for (uint32_t i = 0; i < crumbs->count; ++i)
    {
        if (crumbs->volumes[i] < least &&
            (smallest == RBL_NONE || crumbs->volumes[i] < crumbs->volumes[smallest]))
        {
            smallest = i;
        }
    }
    return smallest;
}

// Of the neighbours with at least half as many common cut edges as any has, the smallest one, so that a row of crumbs does not end in one
// fragment; RBL_NONE: none.
static uint32_t closest_neighbour(const Crumbs* crumbs, uint32_t label)
{
    const uint32_t* borders = &crumbs->borders[(size_t)crumbs->count * label];
    uint32_t best = RBL_NONE, most = 1;
    for (uint32_t i = 0; i < crumbs->count; ++i)
    {
        most = borders[i] > most ? borders[i] : most;
    }
    for (uint32_t i = 0; i < crumbs->count; ++i)
    {
        best = 2 * borders[i] >= most && (best == RBL_NONE || crumbs->volumes[i] < crumbs->volumes[best])
                   ? i
                   : best;
    }
    return best;
}

static void join_crumb(const Crumbs* crumbs, uint32_t from, uint32_t to)
{
    const size_t count = crumbs->count;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t edges = i != to ? crumbs->borders[count * from + i] : 0;
        crumbs->borders[count * to + i] += edges;
        crumbs->borders[count * i + to] += edges;
        crumbs->borders[count * i + from] = 0;
    }
    crumbs->volumes[to] += crumbs->volumes[from];
    crumbs->joined[from] = to;
}

static bool merge_crumbs(rblCrackGrowth* growth, rblCrackReport* report)
{
    Crumbs crumbs;
    if (!survey_crumbs(growth, &crumbs))
    {
        return false;
    }
    const double least = growth->body->smallest;
    for (uint32_t i = smallest_crumb(&crumbs, least); i != RBL_NONE; i = smallest_crumb(&crumbs, least))
    {
        const uint32_t neighbour = closest_neighbour(&crumbs, i);
        if (neighbour != RBL_NONE)
        {
            join_crumb(&crumbs, i, neighbour);
            report->merged += 1;
        }
        crumbs.volumes[i] = (double)INFINITY; // merged, or without neighbours
    }
    for (uint32_t node = 0; node < growth->body->tets->node_count && report->merged > 0; ++node)
    {
        uint32_t label = growth->marks[node].label;
        while (label != RBL_NONE && crumbs.joined[label] != label)
        {
            label = crumbs.joined[label];
        }
        growth->marks[node].label = label;
    }
    return true;
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
        const uint32_t label = growth->marks[node].label;
        if (label != RBL_NONE)
        {
            numbers[label] = numbers[label] == RBL_NONE ? report->fragments++ : numbers[label];
            growth->marks[node].label = numbers[label];
        }
    }
    growth->label_count = report->fragments;
    return true;
}

// ---- weights ----

// Nodes at cut edges; only these need fitted weights.
typedef struct WeightFit
{
    uint32_t* nodes;
    uint32_t count;
    rblCutEdge* edges; // between places in `nodes`
    uint32_t edge_count;
    double* logs;
    double* sums;
    uint32_t* degrees;
} WeightFit;

static uint32_t place_of(rblCrackGrowth* growth, WeightFit* fit, uint32_t node)
{
    if (growth->marks[node].visited != RBL_NONE) // no crack's stamp
    {
        growth->marks[node].visited = RBL_NONE;
        growth->marks[node].place = fit->count;
        fit->logs[fit->count] = rbl_log(growth->own[node]);
        fit->degrees[fit->count] = 0;
        fit->nodes[fit->count++] = node;
    }
    fit->degrees[growth->marks[node].place] += 1;
    return growth->marks[node].place;
}

static bool prepare_fit(rblCrackGrowth* growth, WeightFit* fit)
{
    const size_t edges = growth->edges.count;
    const size_t most = 2 * edges + 1;
    fit->nodes = RBL_ARENA_ARRAY(&growth->arena, uint32_t, most);
    fit->edges = RBL_ARENA_ARRAY(&growth->arena, rblCutEdge, edges + 1);
    fit->logs = RBL_ARENA_ARRAY(&growth->arena, double, most);
    fit->sums = RBL_ARENA_ARRAY(&growth->arena, double, most);
    fit->degrees = RBL_ARENA_ARRAY(&growth->arena, uint32_t, most);
    if (fit->nodes == NULL || fit->edges == NULL || fit->logs == NULL || fit->sums == NULL ||
        fit->degrees == NULL)
    {
        return false;
    }
    for (size_t e = 0; e < edges; ++e)
    {
        const rblCutEdge edge = growth->edges.data[e];
        if (growth->marks[edge.a].label != growth->marks[edge.b].label)
        {
            const uint32_t a = place_of(growth, fit, edge.a), b = place_of(growth, fit, edge.b);
            fit->edges[fit->edge_count++] = (rblCutEdge){a, b, edge.ratio};
        }
    }
    return true;
}

// A node has one weight, even if several cracks pass it. Logarithms of weights are fitted so that their differences along cut edges
// are those of the cracks, in the least-squares sense. With a single crack they are its values up to a factor, and its surface is exact.
static void fit_weights(const WeightFit* fit)
{
    for (uint32_t sweep = 0; sweep < SWEEPS; ++sweep)
    {
        for (uint32_t i = 0; i < fit->count; ++i)
        {
            fit->sums[i] = 0.0;
        }
        for (uint32_t e = 0; e < fit->edge_count; ++e)
        {
            const rblCutEdge edge = fit->edges[e];
            fit->sums[edge.a] += fit->logs[edge.b] + edge.ratio;
            fit->sums[edge.b] += fit->logs[edge.a] - edge.ratio;
        }
        for (uint32_t i = 0; i < fit->count; ++i)
        {
            // Damping by 1/2: full steps oscillate between the two sides of a crack.
            fit->logs[i] = 0.5 * (fit->logs[i] + fit->sums[i] / fit->degrees[i]);
        }
    }
}

static bool find_weights(rblCrackGrowth* growth, double* weights)
{
    WeightFit fit = {0};
    if (!prepare_fit(growth, &fit))
    {
        return false;
    }
    for (uint32_t node = 0; node < growth->body->tets->node_count; ++node)
    {
        const double edge = growth->body->graph->mean_edges[node];
        weights[node] = edge > 0.0 ? 0.5 * edge : 1.0;
    }
    fit_weights(&fit);
    for (uint32_t i = 0; i < fit.count; ++i)
    {
        const double usual = weights[fit.nodes[i]];
        weights[fit.nodes[i]] =
            rbl_mind(rbl_maxd(rbl_exp(fit.logs[i]), usual / FAR_FACTOR), usual * FAR_FACTOR);
    }
    return true;
}

bool rbl_cracks_finish(rblCrackGrowth* growth, double* weights, rblCrackReport* report)
{
    return merge_crumbs(growth, report) && number_fragments(growth, report) && find_weights(growth, weights);
}
