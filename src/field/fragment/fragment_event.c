#include "field/fragment/fragment_event.h"

#include "base/error.h"
#include "math/aabb.h"
#include "math/vec.h"

// ---- references ----

static void free_event(rblFragmentEvent* e)
{
    const rblAllocator* allocator = e->allocator;
    const rblBackground* background = e->background;
    const uint32_t part_count = e->first_parts != NULL ? e->first_parts[e->cut_count] : 0;
    rbl_rank_free(e->node_ranks, background->node_count, allocator);
    rbl_rank_free(e->tet_ranks, background->tet_count, allocator);
    RBL_FREE_ARRAY(allocator, e->nodes, e->node_count);
    RBL_FREE_ARRAY(allocator, e->tets, e->tet_count);
    RBL_FREE_ARRAY(allocator, e->labels, e->node_count);
    RBL_FREE_ARRAY(allocator, e->weights, e->node_count);
    RBL_FREE_ARRAY(allocator, e->cracks, e->node_count);
    RBL_FREE_ARRAY(allocator, e->states, e->tet_count);
    RBL_FREE_ARRAY(allocator, e->cut_tets, e->cut_count);
    RBL_FREE_ARRAY(allocator, e->parts, part_count);
    RBL_FREE_ARRAY(allocator, e->planes, e->plane_count);
    RBL_FREE_ARRAY(allocator, e->exposed, e->node_count);
    RBL_FREE_ARRAY(allocator, e->pieces, e->piece_capacity);
    RBL_FREE_ARRAY(allocator, e->piece_tets, e->piece_tet_capacity);
    RBL_FREE_ARRAY(allocator, e->borders, e->border_capacity);
    RBL_FREE_ARRAY(allocator, e->by_label, e->border_count);
    RBL_FREE_ARRAY(allocator, e->label_ends, (size_t)e->label_count + 1);
    RBL_FREE_ARRAY(allocator, e->cut_points, e->cut_point_capacity);
    RBL_FREE_ARRAY(allocator, e->first_parts, (size_t)e->cut_count + 1);
    rbl_fragment_event_free_cells(e, atomic_load_explicit(&e->cells, memory_order_acquire));
    RBL_FREE_ARRAY(allocator, e->facts, e->label_count);
    rbl_fragment_event_release(e->parent);
    rbl_background_release(background);
    if (e->release_kept != NULL)
    {
        e->release_kept(e->kept);
    }
    rbl_free(allocator, e, sizeof *e);
}

void rbl_fragment_event_retain(const rblFragmentEvent* event)
{
    if (event != NULL)
    {
        atomic_fetch_add(&((rblFragmentEvent*)(uintptr_t)event)->references, 1);
    }
}

void rbl_fragment_event_release(const rblFragmentEvent* event)
{
    rblFragmentEvent* e = (rblFragmentEvent*)(uintptr_t)event;
    if (e != NULL && atomic_fetch_sub(&e->references, 1) == 1)
    {
        free_event(e);
    }
}

const rblCutPart* rbl_fragment_part(const rblFragmentEvent* event, uint32_t cut, uint32_t label)
{
    for (uint32_t i = event->first_parts[cut]; i < event->first_parts[cut + 1]; ++i)
    {
        if (event->parts[i].label == label)
        {
            return &event->parts[i];
        }
    }
    return NULL;
}

// ---- nodes and tetrahedra of the broken fragment ----

static bool parent_has_tet(const rblFragmentEvent* parent, uint32_t tet, uint32_t label)
{
    const uint32_t state = parent->states[tet];
    return (state & RBL_CUT) != 0 ? rbl_fragment_part(parent, state & ~RBL_CUT, label) != NULL
                                  : state == label;
}

static bool reserve_nodes(rblFragmentEvent* e)
{
    const rblAllocator* allocator = e->allocator;
    e->nodes = RBL_NEW_ARRAY(allocator, uint32_t, e->node_count);
    e->tets = RBL_NEW_ARRAY(allocator, uint32_t, e->tet_count);
    e->labels = RBL_NEW_ARRAY(allocator, uint32_t, e->node_count);
    e->weights = RBL_NEW_ARRAY(allocator, float, e->node_count);
    e->cracks = RBL_NEW_ARRAY(allocator, rblCrackPiece, e->node_count);
    e->states = RBL_NEW_ARRAY(allocator, uint32_t, e->tet_count);
    return e->nodes != NULL && e->tets != NULL && e->labels != NULL && e->weights != NULL &&
           e->cracks != NULL && e->states != NULL;
}

static uint32_t choose_nodes(rblFragmentEvent* e)
{
    const rblFragmentEvent* parent = e->parent;
    for (uint32_t i = 0; i < parent->node_count; ++i)
    {
        if (parent->labels[i] == e->parent_label)
        {
            rbl_rank_add(e->node_ranks, parent->nodes[i]);
        }
    }
    return rbl_rank_count(e->node_ranks, e->background->node_count);
}

static uint32_t choose_tets(rblFragmentEvent* e)
{
    const rblFragmentEvent* parent = e->parent;
    for (uint32_t i = 0; i < parent->tet_count; ++i)
    {
        if (parent_has_tet(parent, i, e->parent_label))
        {
            rbl_rank_add(e->tet_ranks, parent->tets[i]);
        }
    }
    return rbl_rank_count(e->tet_ranks, e->background->tet_count);
}

// All nodes and tetrahedra of the background, or those of the fragment of the parent that breaks.
static rblResult choose_members(rblFragmentEvent* e)
{
    const rblBackground* b = e->background;
    if (e->parent == NULL)
    {
        e->node_count = b->node_count;
        e->tet_count = b->tet_count;
        return reserve_nodes(e) ? RBL_OK : rbl_fail_memory();
    }
    e->node_ranks = rbl_rank_new(b->node_count, e->allocator);
    e->tet_ranks = rbl_rank_new(b->tet_count, e->allocator);
    if (e->node_ranks == NULL || e->tet_ranks == NULL)
    {
        return rbl_fail_memory();
    }
    e->node_count = choose_nodes(e);
    e->tet_count = choose_tets(e);
    return reserve_nodes(e) ? RBL_OK : rbl_fail_memory();
}

static rblResult copy_nodes(rblFragmentEvent* e, const rblFragmentEventDef* def)
{
    rbl_rank_list(e->node_ranks, e->background->node_count, e->nodes);
    rbl_rank_list(e->tet_ranks, e->background->tet_count, e->tets);
    const rblFragmentEvent* parent = e->parent;
    for (uint32_t i = 0; i < e->node_count; ++i)
    {
        const uint32_t node = e->nodes[i];
        const double weight = def->weights[node];
        if (def->labels[node] >= e->label_count || !(weight > 0.0) || !rbl_finite(weight))
        {
            return rbl_fail(
                RBL_ERROR_ARGUMENT,
                "fragment event: node %u has label %u, must be below %u, and weight %g, must be positive",
                node, def->labels[node], e->label_count, weight);
        }
        e->labels[i] = def->labels[node];
        e->weights[i] = (float)weight;
        e->cracks[i] = parent != NULL ? parent->cracks[rbl_rank_find(parent->node_ranks, node)]
                                      : (rblCrackPiece){{0, 0, 0}, 0, {0, 1, 0}, INFINITY};
        e->facts[e->labels[i]].nodes += 1;
    }
    for (uint32_t label = 0; label < e->label_count; ++label)
    {
        if (e->facts[label].nodes == 0)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "fragment event: label %u has no node, must have at least 1",
                            label);
        }
    }
    return RBL_OK;
}

// ---- facts about fragments ----

// The nodes of a cut tetrahedron bound all its parts.
static void bound_cut_tets(rblFragmentEvent* e)
{
    const rblBackground* b = e->background;
    for (uint32_t cut = 0; cut < e->cut_count; ++cut)
    {
        const uint32_t* nodes = b->view->nodes + 4 * (size_t)e->tets[e->cut_tets[cut]];
        rblAabb box = rbl_aabb_empty();
        for (uint32_t k = 0; k < 4; ++k)
        {
            box = rbl_aabb_add(box, b->nodes[nodes[k]].position);
        }
        for (uint32_t k = e->first_parts[cut]; k < e->first_parts[cut + 1]; ++k)
        {
            rblAabb* bounds = &e->facts[e->parts[k].label].bounds;
            *bounds = rbl_aabb_union(*bounds, box);
        }
    }
}

static void find_facts(rblFragmentEvent* e)
{
    const rblBackground* b = e->background;
    for (uint32_t label = 0; label < e->label_count; ++label)
    {
        e->facts[label].bounds = rbl_aabb_empty();
        e->facts[label].deepest = -INFINITY;
    }
    for (uint32_t i = 0; i < e->node_count; ++i)
    {
        const rblBackgroundNode* node = &b->nodes[e->nodes[i]];
        rblFragmentFacts* facts = &e->facts[e->labels[i]];
        facts->deepest = rbl_maxf(rbl_minf(e->cracks[i].distance, node->distance), facts->deepest);
        facts->bounds = rbl_aabb_add(facts->bounds, node->position);
    }
    bound_cut_tets(e);
    for (uint32_t label = 0; label < e->label_count; ++label)
    {
        e->facts[label].bounds = rbl_aabb_intersection(e->facts[label].bounds, b->solid->view.bounds);
    }
}

// ---- public function ----

static rblResult check_def(const rblFragmentEventDef* def)
{
    const rblFragmentEvent* parent = def->parent;
    if (def->label_count == 0 || (parent != NULL && (parent->background != def->background ||
                                                     def->parent_label >= parent->label_count)))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "fragment event: there must be labels, and label %u must be one of the parent",
                        def->parent_label);
    }
    return RBL_OK;
}

static rblResult fill(rblFragmentEvent* e, const rblFragmentEventDef* def)
{
    e->facts = rbl_alloc_zero(e->allocator, sizeof *e->facts * e->label_count);
    if (e->facts == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(choose_members(e));
    RBL_TRY(copy_nodes(e, def));
    RBL_TRY(rbl_fragment_event_cut(e));
    RBL_TRY(rbl_fragment_event_list_pieces(e));
    RBL_TRY(rbl_fragment_event_spread(e));
    if (def->exact)
    {
        rbl_fragment_event_measure(e);
    }
    RBL_TRY(rbl_fragment_event_sort_pieces(e));
    find_facts(e);
    return RBL_OK;
}

rblResult rbl_fragment_event_create(const rblFragmentEventDef* def, rblFragmentEvent** out)
{
    RBL_TRY(check_def(def));
    const rblAllocator* allocator = rbl_default_allocator();
    rblFragmentEvent* e = rbl_alloc_zero(allocator, sizeof *e);
    if (e == NULL)
    {
        return rbl_fail_memory();
    }
    *e = (rblFragmentEvent){.background = def->background,
                            .parent = def->parent,
                            .parent_label = def->parent != NULL ? def->parent_label : 0,
                            .label_count = def->label_count,
                            .depth = def->parent != NULL ? def->parent->depth + 1 : 0,
                            .allocator = allocator};
    atomic_init(&e->references, 1);
    atomic_init(&e->cells, NULL);
    rbl_background_retain(def->background);
    rbl_fragment_event_retain(def->parent);
    const rblResult result = fill(e, def);
    if (result != RBL_OK)
    {
        free_event(e);
        return result;
    }
    e->kept = def->kept;
    e->release_kept = def->release_kept;
    *out = e;
    return RBL_OK;
}
