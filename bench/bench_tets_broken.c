#include "bench/bench_tets_broken.h"

#include "base/error.h"
#include "math/vec.h"
#include "tests/tets_dividing.h"
#include <stdlib.h>

#define MAX_PARTS 4096
#define MAX_SEEDS 8

rblResult rbl_broken_make(rblBroken* broken, const char* kind, uint32_t tets)
{
    *broken = (rblBroken){.random = rbl_random_seed(11, tets)};
    RBL_TRY(rbl_mesh_make(kind, NULL, 0, &broken->mesh));
    rblTetsDef tets_def = rbl_default_tets_def();
    tets_def.count = tets;
    RBL_TRY(rbl_tets_fill(broken->mesh, &tets_def, NULL, &broken->tets));
    rblLevelSetDef def = rbl_default_level_set_def();
    def.mesh = broken->mesh;
    def.max_cells = 64;
    RBL_TRY(rbl_shape_create_level_set(&def, &broken->solid));
    return rbl_background_create(broken->solid, broken->tets, &broken->background);
}

void rbl_broken_free(rblBroken* broken)
{
    for (uint32_t i = broken->count; i > 0; --i)
    {
        rbl_fragment_event_release(broken->events[i - 1]);
    }
    for (uint32_t i = 0; i < RBL_BROKEN_EVENTS; ++i)
    {
        free(broken->labels[i]);
        free(broken->weights[i]);
    }
    rbl_background_release(broken->background);
    if (broken->solid.index1 != 0)
    {
        (void)rbl_shape_destroy(broken->solid);
    }
    if (broken->tets.index1 != 0)
    {
        (void)rbl_tets_destroy(broken->tets);
    }
    if (broken->mesh.index1 != 0)
    {
        (void)rbl_mesh_destroy(broken->mesh);
    }
}

// ---- breaking ----

static bool has_node(const rblBroken* broken, rblBrokenPart parent, uint32_t node)
{
    if (parent.event == RBL_NONE)
    {
        return true;
    }
    const rblFragmentEvent* event = broken->events[parent.event];
    const uint32_t local = event->node_ranks != NULL ? rbl_rank_find(event->node_ranks, node) : node;
    return local != RBL_NONE && event->labels[local] == parent.label;
}

// Nearest of the seeds, and how far the border to the second nearest is.
static uint32_t nearest(const rblVec3d* seeds, uint32_t count, rblVec3d p, double* border)
{
    uint32_t best = 0, second = RBL_NONE;
    double squares[MAX_SEEDS] = {0.0};
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3d way = rbl_sub3d(seeds[i], p);
        squares[i] = rbl_dot3d(way, way);
        best = squares[i] < squares[best] ? i : best;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        second = i != best && (second == RBL_NONE || squares[i] < squares[second]) ? i : second;
    }
    *border = (squares[second] - squares[best]) / (2.0 * rbl_length3d(rbl_sub3d(seeds[second], seeds[best])));
    return best;
}

// Off the nodes, so that no border runs through them.
static void place_seeds(rblBroken* broken, rblBrokenPart parent, uint32_t count, rblVec3d* seeds)
{
    const rblTetsView* view = broken->background->view;
    const double reach = 0.37 * (double)broken->background->edge;
    for (uint32_t found = 0; found < count;)
    {
        const uint32_t node = rbl_random_below(&broken->random, view->node_count);
        if (has_node(broken, parent, node))
        {
            const double x = reach * rbl_random_double(&broken->random);
            const double y = reach * rbl_random_double(&broken->random);
            const double z = reach * rbl_random_double(&broken->random);
            seeds[found++] = rbl_add3d(view->positions[node], rbl_vec3d(x, y, z));
        }
    }
}

static rblResult label_nodes(rblBroken* broken, rblBrokenPart parent, uint32_t seed_count, uint32_t* count)
{
    const rblTetsView* view = broken->background->view;
    uint32_t* labels = broken->labels[broken->count];
    double* weights = broken->weights[broken->count];
    rblVec3d seeds[MAX_SEEDS];
    place_seeds(broken, parent, seed_count, seeds);
    for (uint32_t i = 0; i < view->node_count; ++i)
    {
        const uint32_t label = nearest(seeds, seed_count, view->positions[i], &weights[i]);
        labels[i] = has_node(broken, parent, i) ? label : RBL_NONE;
    }
    RBL_TRY(tets_label_components(view, labels, count, rbl_default_allocator()));
    tets_clamp_weights(view, labels, weights);
    return RBL_OK;
}

static rblBrokenPart largest(const rblBroken* broken)
{
    static rblBrokenPart parts[MAX_PARTS];
    rblBrokenPart best = {RBL_NONE, 0};
    uint32_t most = 0;
    const uint32_t count = rbl_broken_parts(broken, parts, MAX_PARTS);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t nodes = broken->events[parts[i].event]->facts[parts[i].label].nodes;
        best = nodes > most ? parts[i] : best;
        most = nodes > most ? nodes : most;
    }
    return best;
}

rblResult rbl_broken_break(rblBroken* broken, uint32_t seed_count)
{
    const uint32_t k = broken->count, nodes = broken->background->node_count;
    const rblBrokenPart parent = largest(broken);
    uint32_t count = 0;
    broken->labels[k] = malloc(sizeof *broken->labels[k] * nodes);
    broken->weights[k] = malloc(sizeof *broken->weights[k] * nodes);
    if (broken->labels[k] == NULL || broken->weights[k] == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(label_nodes(broken, parent, seed_count, &count));
    const rblFragmentEventDef def = {.background = broken->background,
                                     .parent = parent.event == RBL_NONE ? NULL : broken->events[parent.event],
                                     .parent_label = parent.label,
                                     .labels = broken->labels[k],
                                     .weights = broken->weights[k],
                                     .label_count = count};
    RBL_TRY(rbl_fragment_event_create(&def, &broken->events[k]));
    const uint32_t first = k == 0 ? 0 : broken->rules[k - 1].first_label + broken->events[k - 1]->label_count;
    broken->rules[k] = (rblTetsEvent){broken->labels[k], broken->weights[k], first};
    broken->parents[k] = parent.event;
    broken->parent_labels[k] = parent.label;
    broken->count += 1;
    return RBL_OK;
}

// ---- fragments ----

static bool is_whole(const rblBroken* broken, uint32_t event, uint32_t label)
{
    bool whole = true;
    for (uint32_t i = 0; i < broken->count; ++i)
    {
        whole = whole && !(broken->parents[i] == event && broken->parent_labels[i] == label);
    }
    return whole;
}

uint32_t rbl_broken_parts(const rblBroken* broken, rblBrokenPart* out, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < broken->count; ++i)
    {
        for (uint32_t label = 0; label < broken->events[i]->label_count && count < most; ++label)
        {
            if (is_whole(broken, i, label))
            {
                out[count++] = (rblBrokenPart){i, label};
            }
        }
    }
    return count;
}

rblFragmentField rbl_broken_field(const rblBroken* broken, rblBrokenPart part)
{
    const rblFragmentEvent* event = broken->events[part.event];
    return (rblFragmentField){.event = event, .label = part.label, .bounds = event->facts[part.label].bounds};
}

uint32_t rbl_broken_label(const rblBroken* broken, rblBrokenPart part)
{
    return broken->rules[part.event].first_label + part.label;
}
