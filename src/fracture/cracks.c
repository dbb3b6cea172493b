// Where cracks begin, and when there are enough.
#include "fracture/cracks.h"
#include "base/error.h"
#include "fracture/cracks_private.h"
#include "mesh/tets.h"
#include <string.h>

// A crack of radius a relieves the stress across it within about this part of a on either side: the next one begins farther off.
#define RELIEF_BY_RADIUS 0.5
#define LEAST_RELIEF     2.0 // edges
#define MOST_STALLED     16  // cracks that came to nothing, until no more are tried

// ---- graphs ----

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

rblResult rbl_tet_graph_create(const rblTetsView* tets, bool solid, const rblAllocator* allocator,
                               rblTetGraph* out)
{
    const uint32_t tet_count = solid ? tets->solid_tet_count : tets->tet_count;
    const size_t node_count = tets->node_count;
    const size_t room = 12 * (size_t)tet_count;
    uint32_t* starts = rbl_alloc_zero(allocator, (node_count + 1) * sizeof *starts);
    uint32_t* counts = rbl_alloc_zero(allocator, (node_count + 1) * sizeof *counts);
    uint32_t* lists = RBL_NEW_ARRAY(allocator, uint32_t, room > 0 ? room : 1);
    rblResult result = RBL_OK;
    if (room >= UINT32_MAX)
    {
        result = rbl_fail(RBL_ERROR_LIMIT, "too many tetrahedra for cracks: %u", tet_count);
    }
    else if (starts == NULL || counts == NULL || lists == NULL)
    {
        result = rbl_fail_memory();
    }
    if (result == RBL_OK)
    {
        count_edges(tets, tet_count, starts);
        for (size_t i = 0; i < node_count; ++i)
        {
            starts[i + 1] += starts[i];
        }
        list_neighbors(tets, tet_count, starts, counts, lists);
        uint32_t end = 0;
        for (size_t i = 0; i < node_count; ++i)
        {
            memmove(lists + end, lists + starts[i], counts[i] * sizeof *lists);
            starts[i] = end;
            end += counts[i];
        }
        starts[node_count] = end;
        uint32_t* nodes = RBL_NEW_ARRAY(allocator, uint32_t, end > 0 ? end : 1);
        if (nodes == NULL)
        {
            result = rbl_fail_memory();
        }
        else
        {
            memcpy(nodes, lists, end * sizeof *nodes);
            *out = (rblTetGraph){starts, nodes, tets->node_count, allocator};
            starts = NULL;
        }
    }
    rbl_free(allocator, starts, (node_count + 1) * sizeof *starts);
    rbl_free(allocator, counts, (node_count + 1) * sizeof *counts);
    RBL_FREE_ARRAY(allocator, lists, room > 0 ? room : 1);
    return result;
}

void rbl_tet_graph_free(rblTetGraph* graph)
{
    if (graph->starts != NULL)
    {
        const uint32_t end = graph->starts[graph->node_count];
        RBL_FREE_ARRAY(graph->allocator, graph->nodes, end > 0 ? end : 1);
        RBL_FREE_ARRAY(graph->allocator, graph->starts, (size_t)graph->node_count + 1);
    }
    *graph = (rblTetGraph){0};
}

double rbl_mean_edge(const rblTetGraph* graph, const rblVec3d* positions, uint32_t node)
{
    const uint32_t first = graph->starts[node], end = graph->starts[node + 1];
    double sum = 0.0;
    for (uint32_t k = first; k < end; ++k)
    {
        sum += rbl_distance3d(positions[node], positions[graph->nodes[k]]);
    }
    return end > first ? sum / (end - first) : 0.0;
}

// ---- setting up ----

// Nodes whose largest tension reaches their strength.
static bool find_candidates(rblCrackGrowth* growth, rblCrackReport* report)
{
    const rblCrackBody* body = growth->body;
    for (uint32_t node = 0; node < body->tets->solid_node_count; ++node)
    {
        growth->peak[node] = growth->labels[node] == 0 ? rbl_stress_largest(&body->stress[node]) : 0.0;
        const double ratio = growth->peak[node] / body->strength[node];
        report->worst_ratio = rbl_maxd(report->worst_ratio, ratio);
        if (ratio >= 1.0 && !rbl_array_push(&growth->candidates, node))
        {
            return false;
        }
    }
    return true;
}

// Elastic energy of the body, and for every node of it one tetrahedron of the solid that has it.
static double survey(const rblCrackGrowth* growth, uint32_t* tet_of)
{
    const rblTetsView* tets = growth->body->tets;
    double energy = 0.0;
    for (uint32_t tet = 0; tet < tets->solid_tet_count; ++tet)
    {
        rblVec3d corners[4];
        rbl_tet_corners(tets, tet, corners);
        const double share = rbl_tet_volume(corners) / 4.0;
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t node = tets->nodes[4 * (size_t)tet + i];
            if (growth->labels[node] == 0)
            {
                energy += share * rbl_energy_density(growth->body, &growth->body->stress[node]);
                tet_of[node] = tet;
            }
        }
    }
    return energy;
}

static void close_growth(rblCrackGrowth* growth)
{
    rbl_array_free(&growth->candidates);
    rbl_array_free(&growth->queue);
    rbl_array_free(&growth->cut_nodes);
    rbl_array_free(&growth->front);
    rbl_array_free(&growth->edges);
    rbl_arena_free(&growth->arena);
}

static bool open_growth(rblCrackGrowth* growth)
{
    const size_t nodes = growth->body->tets->node_count;
    const size_t tets = growth->body->tets->tet_count;
    rbl_array_init(&growth->candidates, growth->allocator);
    rbl_array_init(&growth->queue, growth->allocator);
    rbl_array_init(&growth->cut_nodes, growth->allocator);
    rbl_array_init(&growth->front, growth->allocator);
    rbl_array_init(&growth->edges, growth->allocator);
    rbl_arena_init(&growth->arena, 1 << 16, growth->allocator);
    growth->values = RBL_ARENA_ARRAY(&growth->arena, double, nodes);
    growth->known = RBL_ARENA_ARRAY(&growth->arena, uint32_t, nodes);
    growth->seen = RBL_ARENA_ARRAY(&growth->arena, uint32_t, tets);
    growth->node_normals = RBL_ARENA_ARRAY(&growth->arena, rblVec3d, nodes);
    growth->normals = RBL_ARENA_ARRAY(&growth->arena, rblVec3d, tets);
    growth->relief = RBL_ARENA_ARRAY(&growth->arena, double, nodes);
    growth->peak = RBL_ARENA_ARRAY(&growth->arena, double, nodes);
    growth->own = RBL_ARENA_ARRAY(&growth->arena, double, nodes);
    if (growth->values == NULL || growth->known == NULL || growth->seen == NULL || growth->normals == NULL ||
        growth->relief == NULL || growth->peak == NULL || growth->own == NULL || growth->node_normals == NULL)
    {
        return false;
    }
    memset(growth->values, 0, nodes * sizeof *growth->values);
    memset(growth->own, 0, nodes * sizeof *growth->own);
    memset(growth->known, 0, nodes * sizeof *growth->known);
    memset(growth->seen, 0, tets * sizeof *growth->seen);
    for (size_t i = 0; i < nodes; ++i)
    {
        growth->relief[i] = 1.0;
    }
    return true;
}

// ---- one crack after the other ----

// The node with the largest tension by strength of what is left of it; RBL_NONE where none is above.
static uint32_t weakest_node(const rblCrackGrowth* growth)
{
    uint32_t best = RBL_NONE;
    double most = 1.0;
    for (size_t i = 0; i < growth->candidates.count; ++i)
    {
        const uint32_t node = growth->candidates.data[i];
        const double ratio = growth->peak[node] * growth->relief[node] / growth->body->strength[node];
        if (ratio >= most && (best == RBL_NONE || ratio > most))
        {
            most = ratio;
            best = node;
        }
    }
    return best;
}

static bool start_crack(rblCrackGrowth* growth, uint32_t node, uint32_t tet, rblCrack* crack)
{
    const rblCrackBody* body = growth->body;
    rblVec3d corners[4], principal;
    rblMat3d axes;
    rbl_tet_corners(body->tets, tet, corners);
    rbl_stress_principal(&body->stress[node], &principal, &axes);
    rblVec3d middle = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < 4; ++i)
    {
        middle = rbl_add3d(middle, rbl_scale3d(corners[i], 0.25));
    }
    crack->label = growth->labels[node];
    crack->start = rbl_scale3d(rbl_add3d(middle, body->tets->positions[node]), 0.5);
    crack->normal = axes.cx;
    // The radius of a penny-shaped flaw that would run at just the strength: there it is, or it would be stronger.
    const double radius =
        RBL_PI * body->young * body->toughness[node] /
        (4.0 * (1.0 - body->poisson * body->poisson) * body->strength[node] * body->strength[node]);
    crack->free_area = RBL_PI * radius * radius;
    rbl_array_clear(&growth->cut_nodes);
    rbl_array_clear(&growth->front);
    growth->seen[tet] = crack->stamp;
    return rbl_growth_push(&growth->front, (rblGrowthItem){0.0, tet, RBL_NONE});
}

// Stress is gone at the crack and as it was from `length` on; in between it grows with the distance.
static bool relieve(rblCrackGrowth* growth, double length)
{
    const rblTetGraph* graph = growth->body->solid_graph;
    const rblVec3d* positions = growth->body->tets->positions;
    rbl_array_clear(&growth->front);
    for (size_t i = 0; i < growth->cut_nodes.count; ++i)
    {
        const uint32_t node = growth->cut_nodes.data[i];
        if (node < growth->body->tets->solid_node_count &&
            !rbl_growth_push(&growth->front, (rblGrowthItem){fabs(growth->values[node]), node, RBL_NONE}))
        {
            return false;
        }
    }
    while (growth->front.count > 0)
    {
        const rblGrowthItem item = rbl_growth_pop(&growth->front);
        const double left = item.key / length;
        if (left >= growth->relief[item.item])
        {
            continue;
        }
        growth->relief[item.item] = left;
        for (uint32_t k = graph->starts[item.item]; k < graph->starts[item.item + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            const double distance = item.key + rbl_distance3d(positions[item.item], positions[next]);
            if (distance < length && distance / length < growth->relief[next] &&
                !rbl_growth_push(&growth->front, (rblGrowthItem){distance, next, RBL_NONE}))
            {
                return false;
            }
        }
    }
    return true;
}

// A crack from there came to nothing, and one from close by would.
static void give_up_around(rblCrackGrowth* growth, uint32_t node, double distance)
{
    const rblVec3d* positions = growth->body->tets->positions;
    for (size_t i = 0; i < growth->candidates.count; ++i)
    {
        const uint32_t other = growth->candidates.data[i];
        const bool close = rbl_distance3d(positions[node], positions[other]) < distance;
        growth->peak[other] =
            close && growth->labels[other] == growth->labels[node] ? 0.0 : growth->peak[other];
    }
    growth->peak[node] = 0.0;
}

// Grow one from a node; `parts` receives what it made of its fragment.
static bool grow_from(rblCrackGrowth* growth, uint32_t node, uint32_t tet, rblCrack* crack, uint32_t* parts)
{
    *parts = 1;
    if (!start_crack(growth, node, tet, crack) || !rbl_crack_run(growth, crack))
    {
        return false;
    }
    if (!crack->stalled && (!rbl_crack_smooth(growth, crack) || !rbl_crack_split(growth, crack, parts)))
    {
        return false;
    }
    const double edge =
        LEAST_RELIEF * rbl_mean_edge(growth->body->solid_graph, growth->body->tets->positions, node);
    if (*parts == 1)
    {
        give_up_around(growth, node, edge);
        return true;
    }
    const double radius = RELIEF_BY_RADIUS * sqrt(crack->area / RBL_PI);
    const double paid = crack->energy_area > 0.0 ? crack->cost / crack->energy_area : 0.0;
    return relieve(growth, rbl_maxd(edge, rbl_maxd(radius, paid)));
}

static bool grow_all(rblCrackGrowth* growth, const uint32_t* tet_of, rblCrackReport* report)
{
    uint32_t stamp = 0;
    while (growth->label_count < growth->body->most_fragments && report->stalled < MOST_STALLED)
    {
        const uint32_t node = weakest_node(growth);
        if (node == RBL_NONE)
        {
            break;
        }
        rblCrack crack = {.stamp = ++stamp};
        uint32_t parts = 1;
        if (!grow_from(growth, node, tet_of[node], &crack, &parts))
        {
            return false;
        }
        if (parts == 1)
        {
            report->stalled += 1;
            continue;
        }
        growth->peak[node] = 0.0;
        growth->energy_left -= crack.cost;
        report->cracks += 1;
        report->area += crack.area;
        report->cost += crack.cost;
        report->released += crack.released;
    }
    return true;
}

rblResult rbl_grow_cracks(const rblCrackBody* body, const rblAllocator* allocator, uint32_t* labels,
                          double* weights, rblCrackReport* report)
{
    rblCrackGrowth growth = {.body = body, .labels = labels, .label_count = 1, .allocator = allocator};
    *report = (rblCrackReport){.fragments = 1};
    bool ok = open_growth(&growth);
    uint32_t* tet_of = ok ? RBL_ARENA_ARRAY(&growth.arena, uint32_t, body->tets->node_count) : NULL;
    ok = ok && tet_of != NULL;
    if (ok)
    {
        report->elastic = survey(&growth, tet_of);
        growth.energy_left = rbl_mind(report->elastic, body->budget);
        ok = find_candidates(&growth, report) && grow_all(&growth, tet_of, report) &&
             rbl_cracks_finish(&growth, weights, report);
    }
    close_growth(&growth);
    return ok ? RBL_OK : rbl_fail_memory();
}
