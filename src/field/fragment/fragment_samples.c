// Samples of fragments: the hierarchy of the template with new parents (Glondu 2012, 5.2).
#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "math/vec.h"

// ---- tuning ----
#define MAX_ROOTS    64u // later roots become children of the nearest of these
#define DEEPEST_ROOT 6u  // level of the deepest root in the hierarchy

// A sample of a fragment during the creation of trees.
typedef struct Sample
{
    rblVec3 point;
    uint32_t label;
    uint32_t parent; // index among the samples of the same fragment; its own index: a root
} Sample;

typedef struct Updating
{
    const rblFragmentEvent* event;
    // Per point of the template: its index in the tree of its fragment; RBL_NONE: not a sample.
    uint32_t* indices;
    uint32_t* labels; // per point of the template, if it is a sample
    // Per node of the event: the first of its cut points inside the solid; RBL_NONE: none.
    uint32_t* first_cuts;
    uint8_t* in_solid; // per cut point: 1 inside the solid
    uint32_t* counts;  // per label: number of samples so far
    RBL_ARRAY(Sample) samples;
} Updating;

static bool add_sample(Updating* u, rblVec3 point, uint32_t label, uint32_t parent)
{
    const Sample sample = {point, label, parent == RBL_NONE ? u->counts[label] : parent};
    u->counts[label] += 1;
    return rbl_array_push(&u->samples, sample);
}

// ---- samples of the template ----

// The fragment of a point in a cut tetrahedron: the part in which the point is deepest.
static uint32_t label_in(const rblFragmentEvent* e, uint32_t cut, rblVec3 p)
{
    uint32_t label = RBL_NONE;
    float deepest = -1e-5f * e->background->edge; // below this for parts of fragments of other events
    for (uint32_t i = e->first_parts[cut]; i < e->first_parts[cut + 1]; ++i)
    {
        const rblCutPart* part = &e->parts[i];
        float lowest = INFINITY;
        for (uint32_t k = 0; k < part->plane_count; ++k)
        {
            lowest = rbl_minf(rbl_dot3(part->planes[k].normal, p) + part->planes[k].offset, lowest);
        }
        if (lowest > deepest)
        {
            deepest = lowest;
            label = part->label;
        }
    }
    return label;
}

static uint32_t label_of(const Updating* u, const rblTemplatePoint* point)
{
    const rblFragmentEvent* e = u->event;
    if (point->node != RBL_NONE)
    {
        const uint32_t local = rbl_rank_find(e->node_ranks, point->node);
        return local != RBL_NONE && e->exposed[local] ? e->labels[local] : RBL_NONE;
    }
    const uint32_t tet = rbl_rank_find(e->tet_ranks, point->tet);
    if (tet == RBL_NONE)
    {
        return RBL_NONE;
    }
    const uint32_t state = e->states[tet];
    return (state & RBL_CUT) != 0 ? label_in(e, state & ~RBL_CUT, point->point) : state;
}

// The closest ancestor in the same fragment; RBL_NONE: none.
static uint32_t ancestor_of(const Updating* u, uint32_t point, uint32_t label)
{
    const rblTemplatePoint* points = u->event->background->points;
    while (point > 0)
    {
        point = points[point].parent;
        if (u->indices[point] != RBL_NONE && u->labels[point] == label)
        {
            return u->indices[point];
        }
    }
    return RBL_NONE;
}

// Find the cut points inside the solid, four at a time.
static void find_cuts_in_solid(Updating* u)
{
    const rblFragmentEvent* e = u->event;
    for (uint32_t i = 0; i < e->cut_point_count; i += 4)
    {
        rblFloat4 p[4];
        uint32_t far;
        for (uint32_t k = 0; k < 4; ++k)
        {
            p[k] = rbl_load3(&e->cut_points[i + k < e->cut_point_count ? i + k : i].point.x);
        }
        rbl_transpose4(&p[0], &p[1], &p[2], &p[3]);
        const rblFloat4 heights = rbl_level_set_distance4(e->background->grid, p[0], p[1], p[2], &far);
        const uint32_t lanes = rbl_mask4(rbl_less_equal4(heights, rbl_splat4(0.0f)));
        for (uint32_t k = 0; k < 4 && i + k < e->cut_point_count; ++k)
        {
            u->in_solid[i + k] = lanes >> k & 1;
        }
    }
}

static void find_first_cuts(Updating* u)
{
    const rblFragmentEvent* e = u->event;
    for (uint32_t i = 0; i < e->node_count; ++i)
    {
        u->first_cuts[i] = RBL_NONE;
    }
    for (uint32_t i = e->cut_point_count; i-- > 0;)
    {
        uint32_t* first = &u->first_cuts[e->cut_points[i].local];
        *first = u->in_solid[i] ? i : *first;
    }
}

// A node is behind its crack. Among the first samples, a cut point of one of its edges represents the crack.
static bool add_first_cut(Updating* u, uint32_t point, uint32_t label)
{
    const rblFragmentEvent* e = u->event;
    const uint32_t node = e->background->points[point].node;
    const uint32_t cut = node != RBL_NONE ? u->first_cuts[rbl_rank_find(e->node_ranks, node)] : RBL_NONE;
    return cut == RBL_NONE || add_sample(u, e->cut_points[cut].point, label, u->indices[point]);
}

static bool add_template(Updating* u)
{
    const rblBackground* b = u->event->background;
    for (uint32_t i = 0; i < b->point_count; ++i)
    {
        const uint32_t label = label_of(u, &b->points[i]);
        u->indices[i] = RBL_NONE;
        if (label == RBL_NONE)
        {
            continue;
        }
        u->indices[i] = u->counts[label];
        u->labels[i] = label;
        if (!add_sample(u, b->points[i].point, label, ancestor_of(u, i, label)) ||
            !add_first_cut(u, i, label))
        {
            return false;
        }
    }
    return true;
}

// ---- new samples ----

// The index of a node's sample; RBL_NONE: not a sample of this fragment.
static uint32_t index_of(const Updating* u, uint32_t node, uint32_t label)
{
    const uint32_t point = node != RBL_NONE ? u->event->background->node_points[node] : RBL_NONE;
    return point != RBL_NONE && u->indices[point] != RBL_NONE && u->labels[point] == label ? u->indices[point]
                                                                                           : RBL_NONE;
}

// Add a sample as a child of a node's sample; as a child of the first sample if the node is outside the solid and has
// none.
static bool add_below(Updating* u, rblVec3 point, uint32_t label, uint32_t node)
{
    const uint32_t index = index_of(u, node, label);
    return add_sample(u, point, label, index != RBL_NONE ? index : (u->counts[label] > 0 ? 0 : RBL_NONE));
}

static bool add_cuts(Updating* u)
{
    const rblFragmentEvent* e = u->event;
    bool ok = true;
    for (uint32_t i = 0; i < e->cut_point_count && ok; ++i)
    {
        const rblCutPoint* cut = &e->cut_points[i];
        const uint32_t label = e->labels[cut->local];
        const uint32_t node = e->nodes[cut->local];
        const bool taken = u->first_cuts[cut->local] == i && index_of(u, node, label) != RBL_NONE;
        if (!taken && u->in_solid[i])
        {
            ok = add_below(u, cut->point, label, node);
        }
    }
    return ok;
}

static rblResult add_new_samples(Updating* u, const rblNewSample* added, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (added[i].label >= u->event->label_count ||
            (added[i].node != RBL_NONE && added[i].node >= u->event->background->node_count))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "fragment samples: new sample %u has label %u and node %u, must exist", i,
                            added[i].label, added[i].node);
        }
        if (!add_below(u, added[i].point, added[i].label, added[i].node))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// ---- trees ----

typedef struct Forest
{
    rblVec3* points;
    uint32_t* parents;
    uint32_t* starts; // per label, with one more entry: its first sample
} Forest;

// All roots except the first become children of the nearest of the first roots, with a limited depth: searches have a
// fixed number of levels.
static void join_roots(const rblVec3* points, uint32_t* parents, uint32_t count)
{
    uint32_t roots[MAX_ROOTS], depths[MAX_ROOTS];
    uint32_t root_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (parents[i] != i)
        {
            continue;
        }
        float least = INFINITY;
        uint32_t depth = 0;
        for (uint32_t k = 0; k < root_count; ++k)
        {
            const rblVec3 to_root = rbl_sub3(points[roots[k]], points[i]);
            const float square = rbl_dot3(to_root, to_root);
            if (square < least && depths[k] < DEEPEST_ROOT)
            {
                parents[i] = roots[k];
                depth = depths[k] + 1;
                least = square;
            }
        }
        if (root_count < MAX_ROOTS)
        {
            depths[root_count] = depth;
            roots[root_count++] = i;
        }
    }
}

static void sort_by_label(const Updating* u, Forest* forest)
{
    forest->starts[0] = 0;
    for (uint32_t label = 0; label < u->event->label_count; ++label)
    {
        forest->starts[label + 1] = forest->starts[label] + u->counts[label];
        u->counts[label] = forest->starts[label];
    }
    for (size_t i = 0; i < u->samples.count; ++i)
    {
        const Sample* sample = &u->samples.data[i];
        const uint32_t at = u->counts[sample->label]++;
        forest->points[at] = sample->point;
        forest->parents[at] = sample->parent;
    }
}

static rblResult make_trees(const Updating* u, Forest* forest, rblSampleTree** out)
{
    const rblAllocator* allocator = u->event->allocator;
    sort_by_label(u, forest);
    rblResult result = RBL_OK;
    for (uint32_t label = 0; label < u->event->label_count && result == RBL_OK; ++label)
    {
        const uint32_t start = forest->starts[label];
        const uint32_t count = forest->starts[label + 1] - start;
        if (count > 0)
        {
            join_roots(forest->points + start, forest->parents + start, count);
            result = rbl_sample_tree_create_ordered(forest->points + start, forest->parents + start, count,
                                                    allocator, &out[label]);
        }
    }
    for (uint32_t label = 0; label < u->event->label_count && result != RBL_OK; ++label)
    {
        rbl_sample_tree_free(out[label], allocator);
        out[label] = NULL;
    }
    return result;
}

static rblResult grow_trees(const Updating* u, rblSampleTree** out)
{
    const rblAllocator* allocator = u->event->allocator;
    const size_t count = u->samples.count;
    const size_t starts = (size_t)u->event->label_count + 1;
    Forest forest = {RBL_NEW_ARRAY(allocator, rblVec3, count), RBL_NEW_ARRAY(allocator, uint32_t, count),
                     RBL_NEW_ARRAY(allocator, uint32_t, starts)};
    const bool ok = (forest.points != NULL && forest.parents != NULL) || count == 0;
    const rblResult result = ok && forest.starts != NULL ? make_trees(u, &forest, out) : rbl_fail_memory();
    RBL_FREE_ARRAY(allocator, forest.points, count);
    RBL_FREE_ARRAY(allocator, forest.parents, count);
    RBL_FREE_ARRAY(allocator, forest.starts, starts);
    return result;
}

rblResult rbl_fragment_sample_trees(const rblFragmentEvent* event, const rblNewSample* added,
                                    uint32_t added_count, rblSampleTree** out)
{
    const rblAllocator* allocator = event->allocator;
    const uint32_t points = event->background->point_count;
    Updating u = {.event = event,
                  .indices = RBL_NEW_ARRAY(allocator, uint32_t, points),
                  .labels = RBL_NEW_ARRAY(allocator, uint32_t, points),
                  .first_cuts = RBL_NEW_ARRAY(allocator, uint32_t, event->node_count),
                  .in_solid = RBL_NEW_ARRAY(allocator, uint8_t, (size_t)event->cut_point_count + 1),
                  .counts = rbl_alloc_zero(allocator, sizeof *u.counts * event->label_count)};
    rbl_array_init(&u.samples, allocator);
    for (uint32_t label = 0; label < event->label_count; ++label)
    {
        out[label] = NULL;
    }
    rblResult result = u.indices != NULL && u.labels != NULL && u.first_cuts != NULL && u.in_solid != NULL &&
                               u.counts != NULL
                           ? RBL_OK
                           : rbl_fail_memory();
    if (result == RBL_OK)
    {
        find_cuts_in_solid(&u);
        find_first_cuts(&u);
        result = rbl_array_reserve(&u.samples, (size_t)points + event->cut_point_count + added_count) &&
                         add_template(&u) && add_cuts(&u)
                     ? RBL_OK
                     : rbl_fail_memory();
    }
    result = result == RBL_OK ? add_new_samples(&u, added, added_count) : result;
    result = result == RBL_OK ? grow_trees(&u, out) : result;
    RBL_FREE_ARRAY(allocator, u.indices, points);
    RBL_FREE_ARRAY(allocator, u.labels, points);
    RBL_FREE_ARRAY(allocator, u.first_cuts, event->node_count);
    RBL_FREE_ARRAY(allocator, u.in_solid, (size_t)event->cut_point_count + 1);
    RBL_FREE_ARRAY(allocator, u.counts, event->label_count);
    rbl_array_free(&u.samples);
    return result;
}
