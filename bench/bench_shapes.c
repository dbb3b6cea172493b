// Shapes: making hulls, and pairs of convex shapes that move a little from call to call, as in a pile.
#include "bench/bench.h"

#include "base/error.h"
#include "base/random.h"
#include "math/transform.h"
#include <stdio.h>
#include <stdlib.h>

enum
{
    NEIGHBOURS = 5, // pairs per stone
    STONE_POINTS = 16
};

typedef struct StonePair
{
    uint32_t a, b;
    rblTransform pose;
    rblPairCache cache;
} StonePair;

typedef struct ShapeWork
{
    rblShapeId* stones;
    rblShapeView* views;
    StonePair* pairs;
    uint32_t stone_count, pair_count;
    rblContactSet contacts;
    rblRandom random;
    float margin;
    bool cached;
    uint32_t touching; // pairs of the last pass with a contact
} ShapeWork;

static float between(rblRandom* random, float low, float high)
{
    return low + (high - low) * rbl_random_float(random);
}

static rblVec3 direction(rblRandom* random)
{
    for (;;)
    {
        const rblVec3 v = {between(random, -1, 1), between(random, -1, 1), between(random, -1, 1)};
        const float length = rbl_length3(v);
        if (length > 0.1f && length <= 1.0f)
        {
            return rbl_scale3(v, 1.0f / length);
        }
    }
}

// Points on an ellipsoid with semi-axes from 5 to 15 cm, as in the rubble pile.
static rblResult make_stone(rblRandom* random, rblShapeId* out)
{
    const rblVec3 axes = {between(random, 0.05f, 0.15f), between(random, 0.05f, 0.15f),
                          between(random, 0.05f, 0.15f)};
    rblVec3 points[STONE_POINTS];
    for (int i = 0; i < STONE_POINTS; ++i)
    {
        const rblVec3 d = direction(random);
        points[i] = (rblVec3){axes.x * d.x, axes.y * d.y, axes.z * d.z};
    }
    return rbl_shape_create_hull(points, STONE_POINTS, out);
}

static rblResult make_stones(void* context)
{
    ShapeWork* work = context;
    rblRandom random = rbl_random_seed(1, 1);
    for (uint32_t i = 0; i < work->stone_count; ++i)
    {
        if (work->stones[i].index1 != 0)
        {
            rbl_shape_destroy(work->stones[i]);
            work->stones[i] = (rblShapeId){0, 0};
        }
        RBL_TRY(make_stone(&random, &work->stones[i]));
        RBL_TRY(rbl_shape_view(work->stones[i], &work->views[i]));
    }
    return RBL_OK;
}

static rblResult collide(ShapeWork* work, StonePair* pair, bool cached)
{
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = work->margin;
    return rbl_shape_collide(&work->views[pair->a], &work->views[pair->b], pair->pose, &options,
                             cached ? &pair->cache : NULL, &work->contacts);
}

// Bring a pair to a distance between low and high along a random direction, by halving.
static rblResult place_pair(ShapeWork* work, StonePair* pair, float low, float high)
{
    const rblVec3 d = direction(&work->random);
    const rblVec3 axis = direction(&work->random);
    pair->pose.q = rbl_quat_from_axis_angle(axis, between(&work->random, 0, 3));
    pair->cache = (rblPairCache){{0}};
    float inside = 0.0f;
    float outside = 1.0f;
    for (int i = 0; i < 20; ++i)
    {
        const float middle = 0.5f * (inside + outside);
        pair->pose.p = rbl_scale3(d, middle);
        RBL_TRY(collide(work, pair, false));
        *(work->contacts.count > 0 ? &inside : &outside) = middle;
    }
    pair->pose.p = rbl_scale3(d, outside + between(&work->random, low, high));
    return RBL_OK;
}

static rblResult place_pairs(ShapeWork* work, float low, float high)
{
    work->margin = 0.0f;
    for (uint32_t i = 0; i < work->pair_count; ++i)
    {
        StonePair* pair = &work->pairs[i];
        pair->a = i / NEIGHBOURS;
        pair->b = (pair->a + 1 + rbl_random_below(&work->random, 40)) % work->stone_count;
        RBL_TRY(place_pair(work, pair, low, high));
    }
    work->margin = 0.005f;
    return RBL_OK;
}

static void move_pairs(ShapeWork* work)
{
    for (uint32_t i = 0; i < work->pair_count; ++i)
    {
        rblTransform* pose = &work->pairs[i].pose;
        const float step = between(&work->random, 0, 5e-4f);
        pose->p = rbl_mul_add3(pose->p, step, direction(&work->random));
        const rblVec3 axis = direction(&work->random);
        const rblQuat turn = rbl_quat_from_axis_angle(axis, between(&work->random, 0, 5e-3f));
        pose->q = rbl_quat_normalize(rbl_quat_mul(turn, pose->q));
    }
}

static rblResult collide_all(void* context)
{
    ShapeWork* work = context;
    work->touching = 0;
    for (uint32_t i = 0; i < work->pair_count; ++i)
    {
        RBL_TRY(collide(work, &work->pairs[i], work->cached));
        work->touching += work->contacts.count > 0;
    }
    return RBL_OK;
}

// The work that is timed moves nothing: moves are made between timings, and the shortest of several counts.
static rblResult time_pairs(rblBench* bench, ShapeWork* work, const char* subject, const char* metric)
{
    double best = 1e30;
    RBL_TRY(collide_all(work));
    for (int i = 0; i < (rbl_bench_quick(bench) ? 1 : 5); ++i)
    {
        double seconds;
        move_pairs(work);
        RBL_TRY(rbl_bench_best(bench, collide_all, work, &seconds));
        best = seconds < best ? seconds : best;
    }
    rbl_bench_row(bench, &(rblBenchRow){.subject = subject,
                                        .metric = metric,
                                        .value = best * 1e9 / work->pair_count,
                                        .unit = "ns/pair"});
    return RBL_OK;
}

static rblResult run(rblBench* bench, ShapeWork* work)
{
    double seconds;
    rbl_bench_stage(bench, "making stones");
    RBL_TRY(rbl_bench_best(bench, make_stones, work, &seconds));
    rbl_bench_row(bench, &(rblBenchRow){.subject = "hull of 16 points",
                                        .metric = "create",
                                        .value = seconds * 1e6 / work->stone_count,
                                        .unit = "us"});
    rbl_bench_stage(bench, "stones that touch");
    work->cached = true;
    RBL_TRY(place_pairs(work, -0.004f, 0.0f));
    RBL_TRY(time_pairs(bench, work, "stones, touching", "collide"));
    work->cached = false;
    RBL_TRY(time_pairs(bench, work, "stones, touching", "collide, no cache"));
    rbl_bench_stage(bench, "stones near each other");
    work->cached = true;
    RBL_TRY(place_pairs(work, 0.0f, 0.005f));
    RBL_TRY(time_pairs(bench, work, "stones, within 5 mm", "collide"));
    RBL_TRY(place_pairs(work, 0.01f, 0.05f));
    return time_pairs(bench, work, "stones, 10 to 50 mm apart", "collide");
}

rblResult rbl_bench_shapes(rblBench* bench)
{
    ShapeWork work = {.stone_count = rbl_bench_size(bench, 2000, 50), .random = rbl_random_seed(2, 2)};
    work.pair_count = NEIGHBOURS * work.stone_count;
    work.stones = calloc(work.stone_count, sizeof *work.stones);
    work.views = calloc(work.stone_count, sizeof *work.views);
    work.pairs = calloc(work.pair_count, sizeof *work.pairs);
    rblResult result = work.stones != NULL && work.views != NULL && work.pairs != NULL
                           ? run(bench, &work)
                           : rbl_fail(RBL_ERROR_MEMORY, "no memory for %u stones", work.stone_count);
    for (uint32_t i = 0; work.stones != NULL && i < work.stone_count; ++i)
    {
        if (work.stones[i].index1 != 0)
        {
            rbl_shape_destroy(work.stones[i]);
        }
    }
    rbl_contact_set_free(&work.contacts);
    free(work.stones);
    free(work.views);
    free(work.pairs);
    return result;
}
