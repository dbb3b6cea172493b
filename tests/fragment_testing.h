// Bodies that break again and again on one background, and what is exactly where. Include after testing.h.
#ifndef RBL_TESTS_FRAGMENT_TESTING_H
#define RBL_TESTS_FRAGMENT_TESTING_H

#include "base/jobs.h"
#include "base/random.h"
#include "failing_allocator.h"
#include "field/fragment/fragment_field.h"
#include "field/level_set/level_set.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "mesh/tets/tets_locate.h"
#include "mesh/tets/tets_partition.h"
#include "random_point.h"
#include "tets_dividing.h"
#include <stdlib.h>
#include <string.h>

#define MAX_BREAKS 24

typedef struct Broken
{
    rblMeshId mesh;
    rblTetsId tets;
    rblShapeId solid;
    rblBackground* background;
    const rblTetsView* view;
    uint32_t count; // of events
    rblFragmentEvent* events[MAX_BREAKS];
    uint32_t parents[MAX_BREAKS], parent_labels[MAX_BREAKS]; // RBL_NONE: the whole
    uint32_t* labels[MAX_BREAKS];
    double* weights[MAX_BREAKS];
    rblTetsEvent rules[MAX_BREAKS];
    rblTetsPartition partition;
} Broken;

// A fragment that did not break any further.
typedef struct Leaf
{
    uint32_t event, label;
} Leaf;

// The mesh is taken over.
static inline Broken make_broken_of(rblMeshId mesh, uint32_t tets, float spacing)
{
    Broken b = {.mesh = mesh};
    rblTetsDef tets_def = rbl_default_tets_def();
    tets_def.count = tets;
    check_ok(rbl_tets_fill(b.mesh, &tets_def, NULL, &b.tets));
    rblLevelSetDef def = rbl_default_level_set_def();
    def.mesh = b.mesh;
    def.max_cells = 64;
    def.sample_spacing = spacing;
    check_ok(rbl_shape_create_level_set(&def, &b.solid));
    check_ok(rbl_background_create(b.solid, b.tets, &b.background));
    b.view = b.background->view;
    return b;
}

static inline Broken make_broken(const char* kind, uint32_t tets, float spacing)
{
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    return make_broken_of(mesh, tets, spacing);
}

static inline void free_broken(Broken* b)
{
    for (uint32_t i = b->count; i > 0; --i)
    {
        rbl_fragment_event_release(b->events[i - 1]);
        free(b->labels[i - 1]);
        free(b->weights[i - 1]);
    }
    rbl_background_release(b->background);
    check_ok(rbl_shape_destroy(b->solid));
    check_ok(rbl_tets_destroy(b->tets));
    check_ok(rbl_mesh_destroy(b->mesh));
}

// Nearest and second nearest of some seeds: the label, and how far the border between both is.
static inline uint32_t nearest_seed(const rblVec3d* seeds, uint32_t count, rblVec3d p, double* border)
{
    uint32_t best = 0, second = RBL_NONE;
    double squares[16];
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

// Labels and weights of an event over all nodes: cells of seeds within the parent's fragment. Returns how many fragments there are.
static inline uint32_t label_nodes(const Broken* b, uint32_t parent, uint32_t parent_label,
                                   uint32_t seed_count, rblRandom* random, uint32_t* labels, double* weights)
{
    rblVec3d seeds[16];
    uint32_t found = 0;
    while (found < seed_count)
    {
        const uint32_t node = rbl_random_below(random, b->view->node_count);
        const rblFragmentEvent* e = parent == RBL_NONE ? NULL : b->events[parent];
        const uint32_t local = e == NULL ? 0 : rbl_rank_find(e->node_ranks, node);
        if (e == NULL || (local != RBL_NONE && e->labels[local] == parent_label))
        {
            const double jitter = 0.37 * (double)b->background->edge;
            const double x = rbl_random_double(random), y = rbl_random_double(random),
                         z = rbl_random_double(random);
            seeds[found++] =
                rbl_add3d(b->view->positions[node], rbl_vec3d(jitter * x, jitter * y, jitter * z));
        }
    }
    for (uint32_t i = 0; i < b->view->node_count; ++i)
    {
        const rblFragmentEvent* e = parent == RBL_NONE ? NULL : b->events[parent];
        const uint32_t local = e == NULL ? 0 : rbl_rank_find(e->node_ranks, i);
        const bool breaks = e == NULL || (local != RBL_NONE && e->labels[local] == parent_label);
        labels[i] = nearest_seed(seeds, seed_count, b->view->positions[i], &weights[i]);
        labels[i] = breaks ? labels[i] : RBL_NONE;
    }
    uint32_t count = 0;
    check_ok(tets_label_components(b->view, labels, &count, rbl_default_allocator()));
    tets_clamp_weights(b->view, labels, weights);
    return count;
}

static inline rblFragmentEvent* break_fragment(Broken* b, uint32_t parent, uint32_t parent_label,
                                               uint32_t seed_count, rblRandom* random)
{
    const uint32_t k = b->count;
    b->labels[k] = malloc(sizeof *b->labels[k] * b->view->node_count);
    b->weights[k] = malloc(sizeof *b->weights[k] * b->view->node_count);
    const uint32_t count =
        label_nodes(b, parent, parent_label, seed_count, random, b->labels[k], b->weights[k]);
    const rblFragmentEventDef def = {.background = b->background,
                                     .parent = parent == RBL_NONE ? NULL : b->events[parent],
                                     .parent_label = parent_label,
                                     .labels = b->labels[k],
                                     .weights = b->weights[k],
                                     .label_count = count};
    check_ok(rbl_fragment_event_create(&def, &b->events[k]));
    b->parents[k] = parent;
    b->parent_labels[k] = parent_label;
    b->rules[k] = (rblTetsEvent){b->labels[k], b->weights[k],
                                 k == 0 ? 0 : b->rules[k - 1].first_label + b->events[k - 1]->label_count};
    b->count += 1;
    return b->events[k];
}

static inline bool is_leaf(const Broken* b, uint32_t event, uint32_t label)
{
    bool leaf = true;
    for (uint32_t i = 0; i < b->count; ++i)
    {
        leaf = leaf && !(b->parents[i] == event && b->parent_labels[i] == label);
    }
    return leaf;
}

static inline uint32_t list_leaves(const Broken* b, Leaf* out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; ++i)
    {
        for (uint32_t label = 0; label < b->events[i]->label_count; ++label)
        {
            if (is_leaf(b, i, label))
            {
                out[count++] = (Leaf){i, label};
            }
        }
    }
    return count;
}

// The fragment with most nodes breaks, into the cells of `seed_count` seeds.
static inline void break_largest(Broken* b, uint32_t seed_count, rblRandom* random)
{
    Leaf leaves[4096];
    const uint32_t count = list_leaves(b, leaves);
    Leaf best = {RBL_NONE, 0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t nodes = b->events[leaves[i].event]->facts[leaves[i].label].nodes;
        if (nodes > most)
        {
            most = nodes;
            best = leaves[i];
        }
    }
    break_fragment(b, best.event, best.label, seed_count, random);
}

static inline rblFragmentField field_of(const Broken* b, Leaf leaf)
{
    const rblAabb box = b->events[leaf.event]->facts[leaf.label].bounds;
    return (rblFragmentField){.event = b->events[leaf.event], .label = leaf.label, .bounds = box};
}

// The rule's label of a point in the mesh, among those of all events, and how clear it is (in parts of the largest sum).
static inline uint32_t exact_label(Broken* b, uint32_t tet, rblVec3d p, rblTetRule* rule)
{
    rblVec3d corners[4];
    double barycentric[4];
    b->partition = (rblTetsPartition){b->view, b->rules, b->count};
    rbl_tets_rule(&b->partition, tet, rule);
    rbl_tet_corners(b->view, tet, corners);
    rbl_tet_barycentric(corners, p, barycentric);
    return rule->labels[rbl_tet_part(rule, barycentric)];
}

// ---- what is exact ----

typedef struct Triangle
{
    rblVec3d a, b, c;
} Triangle;

// The cracks of one fragment, as triangles and as points of it in the solid.
typedef struct Cracks
{
    Triangle* triangles;
    rblVec3d* points;
    uint32_t triangle_count, point_count;
} Cracks;

static inline rblVec3d closest_on(const Triangle* t, rblVec3d p)
{
    const rblVec3d ab = rbl_sub3d(t->b, t->a), ac = rbl_sub3d(t->c, t->a);
    const rblVec3d ap = rbl_sub3d(p, t->a), bp = rbl_sub3d(p, t->b), cp = rbl_sub3d(p, t->c);
    const double d1 = rbl_dot3d(ab, ap), d2 = rbl_dot3d(ac, ap), d3 = rbl_dot3d(ab, bp),
                 d4 = rbl_dot3d(ac, bp);
    const double d5 = rbl_dot3d(ab, cp), d6 = rbl_dot3d(ac, cp);
    const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (d1 <= 0 && d2 <= 0)
    {
        return t->a;
    }
    if (d3 >= 0 && d4 <= d3)
    {
        return t->b;
    }
    if (d6 >= 0 && d5 <= d6)
    {
        return t->c;
    }
    if (vc <= 0 && d1 >= 0 && d3 <= 0)
    {
        return rbl_add3d(t->a, rbl_scale3d(ab, d1 / (d1 - d3)));
    }
    if (vb <= 0 && d2 >= 0 && d6 <= 0)
    {
        return rbl_add3d(t->a, rbl_scale3d(ac, d2 / (d2 - d6)));
    }
    if (va <= 0 && d4 >= d3 && d5 >= d6)
    {
        return rbl_add3d(t->b, rbl_scale3d(rbl_sub3d(t->c, t->b), (d4 - d3) / ((d4 - d3) + (d5 - d6))));
    }
    const double sum = va + vb + vc;
    return rbl_add3d(t->a, rbl_add3d(rbl_scale3d(ab, vb / sum), rbl_scale3d(ac, vc / sum)));
}

static inline double crack_distance(const Cracks* cracks, rblVec3d p)
{
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < cracks->triangle_count; ++i)
    {
        const rblVec3d way = rbl_sub3d(p, closest_on(&cracks->triangles[i], p));
        best = rbl_mind(rbl_dot3d(way, way), best);
    }
    return sqrt(best);
}

static inline void add_facet(Cracks* cracks, const rblVec3d* corners, uint32_t count)
{
    for (uint32_t i = 2; i < count; ++i)
    {
        const Triangle t = {corners[0], corners[i - 1], corners[i]};
        cracks->triangles[cracks->triangle_count++] = t;
        cracks->points[cracks->point_count++] = rbl_scale3d(rbl_add3d(t.a, rbl_add3d(t.b, t.c)), 1.0 / 3.0);
    }
}

static inline Cracks cracks_of(Broken* b, uint32_t label)
{
    const rblTetsView* view = b->view;
    Cracks cracks = {malloc(sizeof(Triangle) * 16 * view->tet_count),
                     malloc(sizeof(rblVec3d) * 16 * view->tet_count), 0, 0};
    b->partition = (rblTetsPartition){view, b->rules, b->count};
    for (uint32_t tet = 0; tet < view->tet_count; ++tet)
    {
        rblTetRule rule;
        rblVec3d corners[4];
        rbl_tets_rule(&b->partition, tet, &rule);
        rbl_tet_corners(view, tet, corners);
        for (uint32_t part = 0; part < rule.part_count && rule.part_count > 1; ++part)
        {
            rblTetFacet facets[MAX_FACETS];
            const uint32_t count = rule.labels[part] == label ? tet_facets(&rule, part, facets) : 0;
            for (uint32_t f = 0; f < count; ++f)
            {
                rblVec3d points[4];
                for (uint32_t i = 0; i < facets[f].corner_count; ++i)
                {
                    points[i] = rbl_tet_corner_position(&rule, facets[f].corners[i],
                                                        view->nodes + 4 * (size_t)tet, corners);
                }
                if (facets[f].other < 4)
                {
                    add_facet(&cracks, points, facets[f].corner_count);
                }
            }
        }
    }
    return cracks;
}

static inline void free_cracks(Cracks* cracks)
{
    free(cracks->triangles);
    free(cracks->points);
}

static inline Broken broken_by(const char* kind, uint32_t tets, uint32_t breaks)
{
    Broken b = make_broken(kind, tets, 0.0f);
    rblRandom random = rbl_random_seed(11, breaks);
    break_fragment(&b, RBL_NONE, 0, breaks == 1 ? 5 : 3, &random);
    for (uint32_t i = 1; i < breaks; ++i)
    {
        break_largest(&b, i % 5 == 4 ? 4 : 2, &random);
    }
    return b;
}

// A sphere after one fracture, a statue after five, a plate after twenty.
static inline Broken broken_case(int i, uint32_t tets)
{
    static const uint32_t break_counts[3] = {1, 5, 20};
    static const char* const kinds[3] = {"sphere", "statue", "plate"};
    return broken_by(kinds[i], i == 2 ? 12000 : tets, break_counts[i]);
}

// A box in three, with memory that can be made to fail: `memory.left` says how often it is still granted.
static inline Broken make_broken_in(FailingAllocator* memory)
{
    failing_allocator_start(memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory->allocator));
    Broken b = make_broken("box", 300, 0.0f);
    rblRandom random = rbl_random_seed(2, 2);
    break_fragment(&b, RBL_NONE, 0, 3, &random);
    return b;
}

typedef const void* AskFcn(const void* of);

typedef struct Asking
{
    AskFcn* ask;
    const void* of;
    const void* answers[64];
} Asking;

static inline void ask_range(rblRange range, void* context)
{
    Asking* asking = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        asking->answers[i] = asking->ask(asking->of);
    }
}

// What is made by whoever asks first: all that ask at once get the same.
static inline void ask_at_once(AskFcn* ask, const void* of)
{
    Asking asking = {.ask = ask, .of = of};
    rbl_parallel_for(rbl_default_jobs(), 64, 1, ask_range, &asking);
    for (uint32_t i = 0; i < 64; ++i)
    {
        assert_true(asking.answers[i] != NULL && asking.answers[i] == asking.answers[0]);
    }
}

static inline bool in_solid(const Broken* b, rblVec3 p)
{
    bool far;
    return rbl_level_set_distance_only(b->background->grid, p, &far) <= 0.0f;
}

#endif
