#include "bvh/intersect.h"

#include "base/error.h"
#include "base/timer.h"
#include "bvh/leaves.h"
#include "bvh/traversal.h"
#include "math/vec.h"
#include <string.h>

typedef struct Context
{
    const rblTriangleSpan* spans;
    const rblIntersectOptions* options;
} Context;

// ---- filter: four pairs at once in 32 bits ----

// One corner of four triangles.
typedef struct Point4
{
    rblFloat4 x, y, z;
} Point4;

typedef struct Triangle4
{
    Point4 a, b, c;
} Triangle4;

static inline Point4 sub_point4(Point4 a, Point4 b)
{
    return (Point4){rbl_sub4(a.x, b.x), rbl_sub4(a.y, b.y), rbl_sub4(a.z, b.z)};
}

static inline Triangle4 load_triangles(const rblLeafTriangle* const t[4])
{
    // Nine floats each, by three loads of four of which the last overlaps the one before.
    rblFloat4 r0 = rbl_load4(&t[0]->a.x), r1 = rbl_load4(&t[1]->a.x), r2 = rbl_load4(&t[2]->a.x),
              r3 = rbl_load4(&t[3]->a.x);
    rblFloat4 s0 = rbl_load4(&t[0]->b.y), s1 = rbl_load4(&t[1]->b.y), s2 = rbl_load4(&t[2]->b.y),
              s3 = rbl_load4(&t[3]->b.y);
    rblFloat4 q0 = rbl_load4(&t[0]->b.z), q1 = rbl_load4(&t[1]->b.z), q2 = rbl_load4(&t[2]->b.z),
              q3 = rbl_load4(&t[3]->b.z);
    rbl_transpose4(&r0, &r1, &r2, &r3); // ax ay az bx
    rbl_transpose4(&s0, &s1, &s2, &s3); // by bz cx cy
    rbl_transpose4(&q0, &q1, &q2, &q3); // bz cx cy cz
    return (Triangle4){{r0, r1, r2}, {r3, s0, s1}, {s2, s3, q3}};
}

static inline rblFloat4 spread(rblFloat4 a0, rblFloat4 a1, rblFloat4 a2, rblFloat4 b0, rblFloat4 b1,
                               rblFloat4 b2)
{
    const rblFloat4 lower = rbl_min4(rbl_min4(rbl_min4(a0, a1), rbl_min4(a2, b0)), rbl_min4(b1, b2));
    const rblFloat4 upper = rbl_max4(rbl_max4(rbl_max4(a0, a1), rbl_max4(a2, b0)), rbl_max4(b1, b2));
    return rbl_sub4(upper, lower);
}

// How far two triangles reach along the axes, together.
static inline rblFloat4 reach(const Triangle4* a, const Triangle4* b)
{
    const rblFloat4 x = spread(a->a.x, a->b.x, a->c.x, b->a.x, b->b.x, b->c.x);
    const rblFloat4 y = spread(a->a.y, a->b.y, a->c.y, b->a.y, b->b.y, b->c.y);
    const rblFloat4 z = spread(a->a.z, a->b.z, a->c.z, b->a.z, b->b.z, b->c.z);
    return rbl_max4(x, rbl_max4(y, z));
}

static inline rblFloat4 height4(Point4 normal, Point4 d)
{
    return rbl_add4(rbl_add4(rbl_mul4(normal.x, d.x), rbl_mul4(normal.y, d.y)), rbl_mul4(normal.z, d.z));
}

// The lanes in which all corners of `t` lie farther than `bound` on one side of the plane of `p`: the larger of the
// least height and of the negated greatest height must not exceed the bound, or they are apart.
static inline rblFloat4 clearance(const Triangle4* p, const Triangle4* t)
{
    const Point4 e = sub_point4(p->b, p->a);
    const Point4 f = sub_point4(p->c, p->a);
    const Point4 n = {rbl_sub4(rbl_mul4(e.y, f.z), rbl_mul4(e.z, f.y)),
                      rbl_sub4(rbl_mul4(e.z, f.x), rbl_mul4(e.x, f.z)),
                      rbl_sub4(rbl_mul4(e.x, f.y), rbl_mul4(e.y, f.x))};
    const rblFloat4 h0 = height4(n, sub_point4(t->a, p->a));
    const rblFloat4 h1 = height4(n, sub_point4(t->b, p->a));
    const rblFloat4 h2 = height4(n, sub_point4(t->c, p->a));
    const rblFloat4 least = rbl_min4(rbl_min4(h0, h1), h2);
    const rblFloat4 most = rbl_max4(rbl_max4(h0, h1), h2);
    return rbl_max4(least, rbl_sub4(rbl_splat4(0.0f), most));
}

// Which of four pairs may meet. Let R be the reach, u = 2^-24, and D the error of a coordinate (0 when the span holds
// floats). A difference is then off by at most v = 2 D + u R, a component of the normal (at most 2 R^2) by
// 4 R v + 6 u R^2, and a height by 3 (R (4 R v + 6 u R^2) + 2 R^2 v) + 18 u R^3 = 36 D R^2 + 54 u R^3, but for terms of
// second order; 64 (D + u R) R^2 covers these too. Underflow loses less than 2^-120. Overflow leaves no lane decided.
static inline uint32_t may_meet(const Triangle4* a, const Triangle4* b, rblFloat4 error)
{
    const rblFloat4 r = reach(a, b);
    const rblFloat4 relative = rbl_add4(error, rbl_mul4(r, rbl_splat4(0x1p-24f)));
    const rblFloat4 bound =
        rbl_add4(rbl_mul4(rbl_mul4(r, r), rbl_mul4(relative, rbl_splat4(64.0f))), rbl_splat4(0x1p-120f));
    const rblFloat4 clear = rbl_max4(clearance(a, b), clearance(b, a));
    return 15u & ~rbl_mask4(rbl_less4(bound, clear));
}

// ---- the exact test ----

static void load_corners(const rblTriangleSpan* span, const rblBvh* tree, uint32_t leaf, rblVec3d out[3])
{
    if (!span->is_double) // the leaf has the very coordinates
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
        const double* p = (const double*)(const void*)((const char*)span->positions + vertex * span->stride);
        out[k] = (rblVec3d){p[0], p[1], p[2]};
    }
}

// Which corners two triangles of one span share: bit 3 i + k for corner i of the one and k of the other.
static uint32_t shared_by_index(const rblTriangleSpan* span, uint32_t t, uint32_t s)
{
    uint32_t shared = 0;
    for (uint32_t i = 0; i < 9; ++i)
    {
        shared |= (uint32_t)(rbl_span_corner(span, t, i / 3) == rbl_span_corner(span, s, i % 3)) << i;
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

// Whether the common part of two triangles is more than the vertex or edge that they share.
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

static bool test_pair(const rblTraversal* traversal, rblOverlapRun* run, rblLeafPair found)
{
    const Context* context = traversal->context;
    const rblTreePair trees = traversal->pairs[found.pair];
    const rblBvh* tree_a = &traversal->trees[trees.a];
    const rblBvh* tree_b = &traversal->trees[trees.b];
    const rblTriangleSpan* span_a = &context->spans[trees.a];
    const rblNeighbours neighbours = trees.a == trees.b ? context->options->neighbours : RBL_NEIGHBOURS_KEEP;
    rblTrianglePair pair = {.pair = found.pair,
                            .triangle_a = tree_a->order[found.leaf_a],
                            .triangle_b = tree_b->order[found.leaf_b]};
    uint32_t shared = 0;
    if (neighbours != RBL_NEIGHBOURS_KEEP && !context->options->join_equal_positions)
    {
        shared = shared_by_index(span_a, pair.triangle_a, pair.triangle_b);
        if (shared != 0 && neighbours == RBL_NEIGHBOURS_SKIP)
        {
            return true;
        }
    }
    rblVec3d a[3], b[3];
    load_corners(span_a, tree_a, found.leaf_a, a);
    load_corners(&context->spans[trees.b], tree_b, found.leaf_b, b);
    if (neighbours != RBL_NEIGHBOURS_KEEP && context->options->join_equal_positions)
    {
        shared = shared_by_position(a, b);
        if (shared != 0 && neighbours == RBL_NEIGHBOURS_SKIP)
        {
            return true;
        }
    }
    rblMeeting meeting;
    run->counters.triangle_tests += 1;
    if (!rbl_triangle_meeting(a, b, &meeting) || (shared != 0 && !meets_beyond(&meeting, shared)))
    {
        return true;
    }
    pair.count = (uint8_t)meeting.count;
    pair.coplanar = meeting.coplanar;
    choose_ends(&meeting, pair.ends);
    return rbl_array_push(&run->triangles, pair);
}

static bool test_four(const rblTraversal* traversal, rblOverlapRun* run, const rblLeafPair* found,
                      uint32_t count)
{
    const rblLeafTriangle* a[4];
    const rblLeafTriangle* b[4];
    float errors[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        const rblLeafPair* pair = &found[i < count ? i : count - 1];
        const rblTreePair trees = traversal->pairs[pair->pair];
        a[i] = &traversal->trees[trees.a].triangles[pair->leaf_a];
        b[i] = &traversal->trees[trees.b].triangles[pair->leaf_b];
        errors[i] = rbl_maxf(traversal->workspace->roundings.data[trees.a],
                             traversal->workspace->roundings.data[trees.b]);
    }
    const Triangle4 four_a = load_triangles(a);
    const Triangle4 four_b = load_triangles(b);
    uint32_t mask = may_meet(&four_a, &four_b, rbl_load4(errors)) & ((1u << count) - 1);
    bool ok = true;
    for (; mask != 0 && ok; mask &= mask - 1)
    {
        ok = test_pair(traversal, run, found[rbl_floor_log2(mask & (0u - mask))]);
    }
    return ok;
}

static bool test_leaves(const rblTraversal* traversal, rblOverlapRun* run, const rblLeafPair* found,
                        uint32_t count)
{
    const Context* context = traversal->context;
    const double start = context->options->time_triangles ? rbl_timer_seconds() : 0.0;
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i += 4)
    {
        for (uint32_t k = i + 16; k < count && k < i + 20; ++k)
        {
            const rblTreePair trees = traversal->pairs[found[k].pair];
            RBL_PREFETCH(&traversal->trees[trees.a].triangles[found[k].leaf_a]);
            RBL_PREFETCH(&traversal->trees[trees.b].triangles[found[k].leaf_b]);
        }
        ok = test_four(traversal, run, found + i, count - i < 4 ? count - i : 4);
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

// What rounding to floats did to the coordinates of a tree's leaves.
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
            return rbl_fail(RBL_ERROR_ARGUMENT, "overlap: span %u has %u triangles, its tree %u", i,
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
