// Compounds: balls that fall on one static compound of many hulls.
#include "bench/bench_world.h"

#include "base/error.h"
#include "base/random.h"
#include "base/timer.h"
#include "math/quat.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BALLS   100
#define SPACING 0.2f // of the hulls, m
#define RATE    60   // steps a second

typedef struct Field
{
    uint32_t side, depth; // hulls along x and z
    rblShapeId stones[8];
    rblShapeId ball, ground;
    rblWorldId world;
    rblBodyId balls[BALLS];
} Field;

static float between(rblRandom* random, float low, float high)
{
    return low + (high - low) * rbl_random_float(random);
}

// Sixteen points on an ellipsoid: a stone that reaches its neighbours.
static rblResult make_stone(rblRandom* random, rblShapeId* out)
{
    rblVec3 points[16];
    for (int i = 0; i < 16; ++i)
    {
        const float x = between(random, -1.0f, 1.0f);
        const float y = between(random, -1.0f, 1.0f);
        const rblVec3 d = rbl_normalize3(rbl_vec3(x, y, between(random, -1.0f, 1.0f)), rbl_vec3(0, 1, 0));
        points[i] = rbl_vec3(0.16f * d.x, 0.1f * d.y, 0.16f * d.z);
    }
    return rbl_shape_create_hull(points, 16, out);
}

static rblResult make_ground(Field* field, rblRandom* random)
{
    const uint32_t count = field->side * field->depth;
    rblShapeChild* children = malloc(sizeof *children * count);
    if (children == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const float angle = between(random, 0.0f, 3.0f);
        const rblVec3 at = {SPACING * ((float)(i % field->side) - 0.5f * (float)field->side), 0.0f,
                            SPACING * ((float)(i / field->side) - 0.5f * (float)field->depth)};
        children[i] =
            (rblShapeChild){field->stones[i % 8], {at, rbl_quat_from_axis_angle(rbl_vec3(0, 1, 0), angle)}};
    }
    const rblResult result = rbl_shape_create_compound(children, count, &field->ground);
    free(children);
    return result;
}

static rblResult add_body(const Field* field, rblShapeId shape, rblVec3 at, rblBodyId* out)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = out == NULL ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC;
    def.pose.p = at;
    rblBodyId unused;
    return rbl_body_create(field->world, &def, out == NULL ? &unused : out);
}

static rblResult fill_world(Field* field, rblRandom* random)
{
    const rblTasks tasks = rbl_bench_tasks(1);
    rblWorldDef def = rbl_default_world_def();
    def.sleeping = false;
    def.tasks = &tasks;
    RBL_TRY(rbl_world_create(&def, &field->world));
    RBL_TRY(add_body(field, field->ground, rbl_vec3(0, 0, 0), NULL));
    for (uint32_t i = 0; i < BALLS; ++i)
    {
        const rblVec3 at = {SPACING * ((float)(i % 10) - 4.5f) + between(random, -0.02f, 0.02f),
                            0.5f + 0.02f * (float)(i % 7), SPACING * ((float)(i / 10) - 4.5f)};
        RBL_TRY(add_body(field, field->ball, at, &field->balls[i]));
    }
    return RBL_OK;
}

static rblResult run(rblWorldBench* bench, Field* field, const char* subject)
{
    rblRandom random = rbl_random_seed(9, 1);
    const uint32_t steps = rbl_bench_size(bench->bench, 2 * RATE, 3);
    double worst = 0.0;
    double sum = 0.0;
    for (int k = 0; k < 8; ++k)
    {
        RBL_TRY(make_stone(&random, &field->stones[k]));
    }
    RBL_TRY(rbl_shape_create_sphere(0.08f, &field->ball));
    const double start = rbl_timer_seconds();
    RBL_TRY(make_ground(field, &random));
    RBL_TRY(fill_world(field, &random));
    const double setup = rbl_timer_seconds() - start;
    for (uint32_t i = 0; i < steps; ++i)
    {
        const double before = rbl_timer_seconds();
        RBL_TRY(rbl_world_step(field->world, 1.0f / (float)RATE));
        const double seconds = rbl_timer_seconds() - before;
        sum += seconds;
        worst = fmax(seconds, worst);
    }
    uint32_t fallen = 0;
    for (uint32_t i = 0; i < BALLS; ++i)
    {
        rblBodyState state;
        RBL_TRY(rbl_body_state(field->world, field->balls[i], &state));
        fallen += state.center.y < -0.1f;
    }
    rbl_world_fact(bench, subject, "setup", 1e3 * setup, "ms");
    rbl_world_fact(bench, subject, "mean step, 1T", 1e3 * sum / steps, "ms");
    rbl_world_fact(bench, subject, "worst step, 1T", 1e3 * worst, "ms");
    rbl_world_fact(bench, subject, "fallen through", fallen, "bodies");
    return RBL_OK;
}

// Without a word about what does not exist, which would replace the message of a failure.
static void free_shape(rblShapeId shape)
{
    if (shape.index1 != 0)
    {
        rbl_shape_destroy(shape);
    }
}

static void free_field(Field* field)
{
    if (field->world.index1 != 0)
    {
        rbl_world_destroy(field->world);
    }
    free_shape(field->ground);
    free_shape(field->ball);
    for (int k = 0; k < 8; ++k)
    {
        free_shape(field->stones[k]);
    }
}

rblResult rbl_bench_world_compounds(rblWorldBench* bench)
{
    static const uint32_t sizes[][2] = {{32, 16}, {128, 64}, {256, 128}};
    rblResult result = RBL_OK;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && result == RBL_OK; ++i)
    {
        char subject[64];
        Field field = {.side = sizes[i][0], .depth = sizes[i][1]};
        snprintf(subject, sizeof subject, "100 balls on %u hulls", field.side * field.depth);
        rbl_bench_stage(bench->bench, subject);
        result = run(bench, &field, subject);
        free_field(&field);
    }
    return result;
}
