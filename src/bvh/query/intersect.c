#include "bvh/query/intersect.h"

#include "base/error.h"
#include "base/timer.h"
#include "bvh/leaves.h"
#include "bvh/traversal.h"
#include "bvh/triangle/triangle_filter.h"
#include "math/predicates.h"
#include "math/vec.h"
#include <string.h>

typedef struct Context
{
    const rblTriangleSpan* spans;
    const rblIntersectOptions* options;
} Context;

// ---- decisions in floating point ----

typedef enum Verdict
{
    VERDICT_APART,
    VERDICT_MEET,
    VERDICT_DOUBT
} Verdict;

// An end of the common segment of two triangles: the edge from corner `from` to corner `to` of one triangle crosses the
// face of the other.
typedef struct End
{
    bool of_b;
    uint8_t from, to;
} End;

// Put the corner that is alone on its side of the other plane first, then the others; in the order of the triangle when
// `upright`, else reversed. False when a height is not above the error bound.
static inline bool put_lone_first(const rblHeights4* heights, uint32_t lane, float bound, uint8_t out[3])
{
    const float h0 = heights->corner[0][lane], h1 = heights->corner[1][lane], h2 = heights->corner[2][lane];
    const bool above0 = h0 > 0, above1 = h1 > 0, above2 = h2 > 0;
    out[0] = above0 == above1 ? 2 : (above0 == above2 ? 1 : 0);
    out[1] = out[0] < 2 ? (uint8_t)(out[0] + 1) : 0;
    out[2] = (uint8_t)(3 - out[0] - out[1]);
    return fabsf(h0) > bound && fabsf(h1) > bound && fabsf(h2) > bound;
}

static inline rblVec3d corner_of(const rblLeafTriangle* t, uint32_t which)
{
    return rbl_to_double3((&t->a)[which]);
}

static inline void swap_last(uint8_t order[3])
{
    const uint8_t swap = order[1];
    order[1] = order[2];
    order[2] = swap;
}

// The comparison of intervals of general_meeting() in math/triangle_meeting.c, on the corners as floats with an error of
// at most `error`. The error bound is that of triangle_filter.h, with u = 2^-53.
static Verdict judge(const rblFilter4* filter, uint32_t lane, const rblLeafTriangle* ta,
                     const rblLeafTriangle* tb, float error, End ends[2])
{
    uint8_t a[3], b[3];
    const float height_bound = filter->bound[lane];
    if (!put_lone_first(&filter->a, lane, height_bound, a) ||
        !put_lone_first(&filter->b, lane, height_bound, b))
    {
        return VERDICT_DOUBT;
    }
    if (filter->b.corner[b[0]][lane] < 0)
    {
        swap_last(a);
    }
    if (filter->a.corner[a[0]][lane] < 0)
    {
        swap_last(b);
    }
    const double reach = (double)filter->reach[lane];
    const double bound = 64.0 * ((double)error + 0x1p-53 * reach) * reach * reach;
    const rblVec3d a0 = corner_of(ta, a[0]);
    const rblVec3d e1 = rbl_sub3d(corner_of(ta, a[1]), a0);
    const rblVec3d e2 = rbl_sub3d(corner_of(ta, a[2]), a0);
    const rblVec3d d = rbl_sub3d(corner_of(tb, b[0]), a0);
    const rblVec3d n1 = rbl_cross3d(d, rbl_sub3d(corner_of(tb, b[1]), a0));
    const rblVec3d n2 = rbl_cross3d(d, rbl_sub3d(corner_of(tb, b[2]), a0));
    const double v11 = rbl_dot3d(e1, n1), v22 = rbl_dot3d(e2, n2);
    if (v11 > bound || v22 < -bound)
    {
        return VERDICT_APART;
    }
    const double v21 = rbl_dot3d(e2, n1), v12 = rbl_dot3d(e1, n2);
    if (!(v11 < -bound && v22 > bound && fabs(v21) > bound && fabs(v12) > bound))
    {
        return VERDICT_DOUBT;
    }
    ends[0] = v21 < 0 ? (End){false, a[0], a[2]} : (End){true, b[0], b[1]};
    ends[1] = v12 < 0 ? (End){true, b[0], b[2]} : (End){false, a[0], a[1]};
    return VERDICT_MEET;
}

// ---- the exact test ----

static void load_corners(const rblTriangleSpan* span, const rblBvh* tree, uint32_t leaf, rblVec3d out[3])
{
    if (!span->is_double) // the leaf has exactly the coordinates of the span
    {
        const rblLeafTriangle* t = &tree->triangles[leaf];
        out[0] = rbl_to_double3(t->a);
        out[1] = rbl_to_double3(t->b);
        out[2] = rbl_to_double3(t->c);
        return;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t vertex = rbl_span_corner(span, tree->order[leaf], k);
        const double* p = rbl_span_vertex(span, vertex);
        out[k] = (rblVec3d){p[0], p[1], p[2]};
    }
}

// The corners that two triangles of one span share: bit 3 i + k for corner i of one and corner k of the other.
static uint32_t shared_by_index(const rblTriangleSpan* span, uint32_t t, uint32_t s)
{
    if (span->indices == NULL)
    {
        return 0;
    }
    const uint32_t* a = span->indices + 3 * (size_t)t;
    const uint32_t* b = span->indices + 3 * (size_t)s;
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            shared |= (uint32_t)(a[i] == b[k]) << (3 * i + k);
        }
    }
    return shared;
}

static uint32_t shared_by_position(const rblVec3d a[3], const rblVec3d b[3])
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 9; ++i)
    {
        shared |= (uint32_t)rbl_equal3d(a[i / 3], b[i % 3]) << i;
    }
    return shared;
}

// Whether the intersection of two triangles is more than the vertex or edge that they share.
static bool meets_beyond(const rblMeeting* meeting, uint32_t shared)
{
    for (uint32_t i = 0; i < meeting->count; ++i)
    {
        const rblMeetingPoint* p = &meeting->points[i];
        if (p->part_a >= RBL_PART_EDGE || p->part_b >= RBL_PART_EDGE ||
            (shared >> (3 * p->part_a + p->part_b) & 1) == 0)
        {
            return true;
        }
    }
    return meeting->count > 2; // the same triangle twice
}

static int side_of(const rblVec3d t[3], rblVec3d p)
{
    const double volume = rbl_orient3d(t[0], t[1], t[2], p);
    return (volume > 0) - (volume < 0);
}

// Whether neighbours certainly intersect only in what they share: for a shared vertex, when the other corners of one
// triangle are on one side of the other; for a shared edge, when the triangles are not coplanar. This fast test accepts
// most neighbours.
static bool only_share(const rblVec3d a[3], const rblVec3d b[3], uint32_t shared)
{
    const uint32_t first = rbl_lowest_bit(shared);
    const uint32_t rest = shared & (shared - 1);
    const uint32_t i = first / 3, k = first % 3;
    if (rest == 0)
    {
        return side_of(b, a[(i + 1) % 3]) * side_of(b, a[(i + 2) % 3]) > 0 ||
               side_of(a, b[(k + 1) % 3]) * side_of(a, b[(k + 2) % 3]) > 0;
    }
    const uint32_t second = rbl_lowest_bit(rest);
    const bool edge = (rest & (rest - 1)) == 0 && second / 3 != i && second % 3 != k;
    return edge && side_of(b, a[3 - i - second / 3]) != 0;
}

// The two points farthest apart.
static void choose_ends(const rblMeeting* meeting, rblMeetingPoint ends[2])
{
    ends[0] = meeting->points[0];
    ends[1] = meeting->points[meeting->count > 1 ? 1 : 0];
    double longest = 0.0;
    for (uint32_t i = 0; i < meeting->count && meeting->count > 2; ++i)
    {
        for (uint32_t k = i + 1; k < meeting->count; ++k)
        {
            const double length = rbl_distance3d(meeting->points[i].at, meeting->points[k].at);
            if (length > longest)
            {
                longest = length;
                ends[0] = meeting->points[i];
                ends[1] = meeting->points[k];
            }
        }
    }
}

static rblMeetingPoint end_point(const End* end, const rblVec3d a[3], const rblVec3d b[3])
{
    const rblVec3d* edge = end->of_b ? b : a;
    const uint8_t part = (uint8_t)(RBL_PART_EDGE + ((end->from + 1) % 3 == end->to ? end->from : end->to));
    return (rblMeetingPoint){rbl_edge_through_face(edge[end->from], edge[end->to], end->of_b ? a : b),
                             end->of_b ? RBL_PART_FACE : part, end->of_b ? part : RBL_PART_FACE};
}

// The state of the test of the leaf pairs of one pair of trees.
typedef struct Work
{
    const rblIntersectOptions* options;
    const rblBvh* tree_a;
    const rblBvh* tree_b;
    const rblTriangleSpan* span_a;
    const rblTriangleSpan* span_b;
    rblNeighbours neighbours;
    float error; // of the coordinates in the leaves: largest rounding error
    rblOverlapRun* run;
} Work;

// Whether to report two triangles that are not known to be apart; computes their intersection. `ends`: of a pair that is
// known to intersect, else null.
static bool examine(const Work* work, const rblLeafPair* leaves, const End* ends, rblTrianglePair* out)
{
    rblVec3d a[3], b[3];
    uint32_t shared = 0;
    if (work->neighbours != RBL_NEIGHBOURS_KEEP && !work->options->join_equal_positions)
    {
        shared = shared_by_index(work->span_a, out->triangle_a, out->triangle_b);
        if (shared != 0 && work->neighbours == RBL_NEIGHBOURS_SKIP)
        {
            return false;
        }
    }
    load_corners(work->span_a, work->tree_a, leaves->leaf_a, a);
    load_corners(work->span_b, work->tree_b, leaves->leaf_b, b);
    if (work->neighbours != RBL_NEIGHBOURS_KEEP && work->options->join_equal_positions)
    {
        shared = shared_by_position(a, b);
        if (shared != 0 && work->neighbours == RBL_NEIGHBOURS_SKIP)
        {
            return false;
        }
    }
    if (shared != 0 && only_share(a, b, shared))
    {
        return false;
    }
    work->run->counters.triangle_tests += 1;
    if (ends != NULL && shared == 0)
    {
        out->count = 2;
        if (!work->options->pairs_only)
        {
            out->ends[0] = end_point(&ends[0], a, b);
            out->ends[1] = end_point(&ends[1], a, b);
        }
        return true;
    }
    rblMeeting meeting;
    if (!rbl_triangle_meeting(a, b, &meeting) || (shared != 0 && !meets_beyond(&meeting, shared)))
    {
        return false;
    }
    out->count = (uint8_t)meeting.count;
    out->coplanar = meeting.coplanar;
    choose_ends(&meeting, out->ends);
    return true;
}

static bool test_four(const Work* work, const rblLeafPair* found, uint32_t count)
{
    const rblLeafTriangle* a[4];
    const rblLeafTriangle* b[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        const rblLeafPair* pair = &found[i < count ? i : count - 1];
        a[i] = &work->tree_a->triangles[pair->leaf_a];
        b[i] = &work->tree_b->triangles[pair->leaf_b];
    }
    rblFilter4 filter;
    rbl_filter4(a, b, work->error, &filter);
    for (uint32_t mask = filter.near & ((1u << count) - 1); mask != 0; mask &= mask - 1)
    {
        const uint32_t lane = rbl_floor_log2(mask & (0u - mask));
        End ends[2];
        const Verdict verdict = judge(&filter, lane, a[lane], b[lane], work->error, ends);
        if (verdict == VERDICT_APART)
        {
            continue;
        }
        const rblLeafPair* leaves = &found[lane];
        rblTrianglePair pair = {.pair = leaves->pair,
                                .triangle_a = work->tree_a->order[leaves->leaf_a],
                                .triangle_b = work->tree_b->order[leaves->leaf_b]};
        if (examine(work, leaves, verdict == VERDICT_MEET ? ends : NULL, &pair) &&
            !rbl_array_push(&work->run->triangles, pair))
        {
            return false;
        }
    }
    return true;
}

#define AHEAD 16 // pairs whose triangles are prefetched

static bool test_leaves(const rblTraversal* traversal, rblOverlapRun* run, const rblLeafPair* found,
                        uint32_t count)
{
    const Context* context = traversal->context;
    const rblTreePair trees = traversal->pairs[found[0].pair];
    const float* roundings = traversal->workspace->roundings.data;
    const Work work = {.options = context->options,
                       .tree_a = &traversal->trees[trees.a],
                       .tree_b = &traversal->trees[trees.b],
                       .span_a = &context->spans[trees.a],
                       .span_b = &context->spans[trees.b],
                       .neighbours = trees.a == trees.b ? context->options->neighbours : RBL_NEIGHBOURS_KEEP,
                       .error = rbl_maxf(roundings[trees.a], roundings[trees.b]),
                       .run = run};
    const double start = context->options->time_triangles ? rbl_timer_seconds() : 0.0;
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i += 4)
    {
        for (uint32_t k = i + AHEAD; k < count && k < i + AHEAD + 4; ++k)
        {
            rbl_prefetch(&work.tree_a->triangles[found[k].leaf_a]);
            rbl_prefetch(&work.tree_b->triangles[found[k].leaf_b]);
        }
        ok = test_four(&work, found + i, count - i < 4 ? count - i : 4);
    }
    if (context->options->time_triangles)
    {
        run->counters.triangle_seconds += rbl_timer_seconds() - start;
    }
    return ok;
}

// ---- the whole ----

rblIntersectOptions rbl_default_intersect_options(void)
{
    return (rblIntersectOptions){.overlap = rbl_default_overlap_options()};
}

// The rounding error of the coordinates in the leaves of a tree.
static float rounding_of(const rblBvh* tree, const rblTriangleSpan* span)
{
    if (!span->is_double || tree->layout.leaves == 0)
    {
        return 0.0f;
    }
    const rblAabb* box = &tree->nodes[0];
    const rblVec3 m =
        rbl_max3(rbl_max3(box->upper, rbl_neg3(box->upper)), rbl_max3(box->lower, rbl_neg3(box->lower)));
    return rbl_maxf(m.x, rbl_maxf(m.y, m.z)) * 0x1p-24f + 0x1p-126f;
}

static rblResult check_spans(const rblOverlapScene* scene)
{
    for (uint32_t i = 0; i < scene->forest->tree_count; ++i)
    {
        const uint32_t leaves = scene->forest->trees[i].layout.leaves;
        if (scene->spans[i].triangle_count != leaves)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: span %u has %u triangles, but its tree has %u", i,
                            scene->spans[i].triangle_count, leaves);
        }
    }
    return RBL_OK;
}

static bool join_triangles(const rblOverlapWorkspace* workspace, rblTrianglePairArray* out)
{
    size_t count = 0;
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        count += workspace->runs[b].triangles.count;
    }
    if (!rbl_array_reserve_more(out, count))
    {
        return false;
    }
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        const rblTrianglePairArray* from = &workspace->runs[b].triangles;
        if (from->count > 0)
        {
            memcpy(out->data + out->count, from->data, sizeof *from->data * from->count);
        }
        out->count += from->count;
    }
    return true;
}

static rblResult run_traversal(rblTraversal* traversal, const rblOverlapScene* scene, rblJobs* jobs,
                               rblTrianglePairArray* out, rblOverlapCounters* counters)
{
    const uint32_t trees = scene->forest->tree_count;
    if (!rbl_array_resize(&traversal->workspace->roundings, trees))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < trees; ++i)
    {
        traversal->workspace->roundings.data[i] = rounding_of(&traversal->trees[i], &scene->spans[i]);
    }
    const size_t before = out->count;
    RBL_TRY(rbl_traversal_run(traversal, jobs, counters));
    if (!join_triangles(traversal->workspace, out))
    {
        return rbl_fail_memory();
    }
    if (counters != NULL)
    {
        counters->triangle_pairs = out->count - before;
    }
    return RBL_OK;
}

rblResult rbl_overlap_triangles(const rblOverlapScene* scene, const rblIntersectOptions* options,
                                rblJobs* jobs, rblTrianglePairArray* out, rblOverlapCounters* counters)
{
    RBL_TRY(check_spans(scene));
    const Context context = {scene->spans, options};
    rblTraversal traversal = {.forest = scene->forest,
                              .pairs = scene->pairs,
                              .pair_count = scene->pair_count,
                              .options = options->overlap,
                              .take = test_leaves,
                              .context = &context};
    RBL_TRY(rbl_traversal_begin(&traversal, out->allocator));
    const rblResult result = run_traversal(&traversal, scene, jobs, out, counters);
    rbl_traversal_end(&traversal);
    return result;
}
