#include "field/shape_check.h"
#include "math/vec.h"

#define UNIT_ERROR 1e-3f // of the length of a normal

// ---- nodes ----

static rblResult check_origin(const rblFragmentEvent* e)
{
    const rblFragmentEvent* parent = e->parent;
    const rblBackground* b = e->background;
    RBL_SHAPE_CHECK(e->label_count > 0 && e->node_count > 0, "a fragment event has no fragments", 0);
    RBL_SHAPE_CHECK(e->depth == (parent != NULL ? parent->depth + 1 : 0),
                    "a fragment event does not follow its parent", e->depth);
    RBL_SHAPE_CHECK(parent == NULL || (parent->background == b && e->parent_label < parent->label_count),
                    "a fragment event breaks a fragment that is not there", e->parent_label);
    RBL_SHAPE_CHECK(parent != NULL || (e->node_count == b->node_count && e->tet_count == b->tet_count),
                    "a first fragment event does not break the whole body", e->node_count);
    return RBL_OK;
}

// Whether the parent's fragment that breaks has the node.
static bool is_of_parent(const rblFragmentEvent* e, uint32_t node)
{
    const uint32_t local = e->parent != NULL ? rbl_rank_find(e->parent->node_ranks, node) : RBL_NONE;
    return e->parent == NULL || (local != RBL_NONE && e->parent->labels[local] == e->parent_label);
}

static rblResult check_nodes(const rblFragmentEvent* e)
{
    const rblBackground* b = e->background;
    for (uint32_t i = 0; i < e->node_count; ++i)
    {
        const uint32_t node = e->nodes[i];
        RBL_SHAPE_CHECK(node < b->node_count && rbl_rank_find(e->node_ranks, node) == i,
                        "a node of a fragment event is out of order", i);
        RBL_SHAPE_CHECK(is_of_parent(e, node), "a node of a fragment event is not of what broke", i);
        RBL_SHAPE_CHECK(e->labels[i] < e->label_count, "a label of a fragment event is out of range", i);
        RBL_SHAPE_CHECK(e->weights[i] > 0.0f && rbl_finite((double)e->weights[i]),
                        "a weight of a fragment event is not positive and finite", i);
        RBL_SHAPE_CHECK(e->cracks[i].distance >= 0.0f, "a distance to a crack is negative or no number", i);
    }
    for (uint32_t i = 0; i < e->tet_count; ++i)
    {
        RBL_SHAPE_CHECK(e->tets[i] < b->tet_count && rbl_rank_find(e->tet_ranks, e->tets[i]) == i,
                        "a tetrahedron of a fragment event is out of order", i);
    }
    return RBL_OK;
}

// Every fragment can be reached: it has the nodes that its facts count, at least one.
static rblResult check_fragments(const rblFragmentEvent* e, uint32_t* counts)
{
    for (uint32_t i = 0; i < e->node_count; ++i)
    {
        counts[e->labels[i]] += 1;
    }
    for (uint32_t label = 0; label < e->label_count; ++label)
    {
        RBL_SHAPE_CHECK(counts[label] > 0, "a fragment of an event has no node", label);
        RBL_SHAPE_CHECK(counts[label] == e->facts[label].nodes, "nodes of a fragment are counted wrong",
                        label);
    }
    return RBL_OK;
}

// ---- tetrahedra ----

// The labels of the nodes that broke, without repetition, in the order of nodes. Returns how many; `whole`: all four have the same.
static uint32_t list_labels(const rblFragmentEvent* e, uint32_t tet, uint32_t out[4], bool* whole)
{
    uint32_t count = 0, broken = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t local = rbl_rank_find(e->node_ranks, e->background->view->nodes[4 * (size_t)tet + i]);
        bool is_new = local != RBL_NONE;
        for (uint32_t k = 0; k < count && is_new; ++k)
        {
            is_new = out[k] != e->labels[local];
        }
        broken += local != RBL_NONE;
        if (is_new)
        {
            out[count++] = e->labels[local];
        }
    }
    *whole = count == 1 && broken == 4;
    return count;
}

static rblResult check_part(const rblFragmentEvent* e, const rblCutPart* part, uint32_t label)
{
    RBL_SHAPE_CHECK(part->label == label, "a part of a cut tetrahedron has another label", label);
    RBL_SHAPE_CHECK(part->plane_count <= 3 && part->own_count <= part->plane_count,
                    "a part of a cut tetrahedron has more than three planes", label);
    const size_t first = (size_t)(part->planes - e->planes);
    RBL_SHAPE_CHECK(first + part->plane_count <= e->plane_count, "planes of a part are out of bounds", first);
    for (uint32_t i = 0; i < part->plane_count; ++i)
    {
        const rblCutPlane* plane = &part->planes[i];
        const float length = rbl_length3(plane->normal);
        RBL_SHAPE_CHECK(rbl_finite((double)plane->offset) && length > 1.0f - UNIT_ERROR &&
                            length < 1.0f + UNIT_ERROR,
                        "a plane of a cut tetrahedron is bad", first + i);
    }
    return RBL_OK;
}

static rblResult check_cut(const rblFragmentEvent* e, uint32_t cut, const uint32_t* labels, uint32_t count)
{
    RBL_SHAPE_CHECK(e->first_parts[cut] <= e->first_parts[cut + 1] &&
                        e->first_parts[cut + 1] - e->first_parts[cut] == count,
                    "a cut tetrahedron has not a part for each label", cut);
    for (uint32_t k = 0; k < count; ++k)
    {
        RBL_TRY(check_part(e, &e->parts[e->first_parts[cut] + k], labels[k]));
    }
    return RBL_OK;
}

static rblResult check_tets(const rblFragmentEvent* e)
{
    uint32_t cuts = 0;
    for (uint32_t i = 0; i < e->tet_count; ++i)
    {
        uint32_t labels[4];
        bool whole;
        const uint32_t count = list_labels(e, e->tets[i], labels, &whole);
        RBL_SHAPE_CHECK(count > 0, "a tetrahedron of a fragment event has no node of it", i);
        RBL_SHAPE_CHECK(e->states[i] == (whole ? labels[0] : (RBL_CUT | cuts)),
                        "the state of a tetrahedron is not that of its labels", i);
        if (!whole)
        {
            RBL_SHAPE_CHECK(cuts < e->cut_count && e->cut_tets[cuts] == i, "a cut tetrahedron is not listed",
                            i);
            RBL_TRY(check_cut(e, cuts, labels, count));
            cuts += 1;
        }
    }
    RBL_SHAPE_CHECK(cuts == e->cut_count, "cut tetrahedra are counted wrong", cuts);
    return RBL_OK;
}

static rblResult check_borders(const rblFragmentEvent* e)
{
    for (uint32_t i = 0; i < e->border_count; ++i)
    {
        RBL_SHAPE_CHECK(e->borders[i].label < e->label_count && e->borders[i].piece < e->piece_count,
                        "a border of a fragment is out of range", i);
    }
    return RBL_OK;
}

// ---- all ----

static rblResult check_one(const rblFragmentEvent* e)
{
    RBL_TRY(check_origin(e));
    RBL_TRY(check_nodes(e));
    const rblAllocator* allocator = rbl_default_allocator();
    uint32_t* counts = rbl_alloc_zero(allocator, sizeof *counts * e->label_count);
    if (counts == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = check_fragments(e, counts);
    RBL_FREE_ARRAY(allocator, counts, e->label_count);
    RBL_TRY(result);
    RBL_TRY(check_tets(e));
    return check_borders(e);
}

// The first event first: later ones are compared with those before. There are as many as the body's ancestors, which are few.
rblResult rbl_fragment_event_check(const rblFragmentEvent* event)
{
    RBL_TRY(event->parent != NULL ? rbl_fragment_event_check(event->parent) : RBL_OK);
    return check_one(event);
}
