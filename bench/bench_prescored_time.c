// What a break costs inside the step: the wall, the cylinder and the bunny of Su 2009, with the impact of a ball.
#include "bench/bench_prescored.h"

#include "base/error.h"
#include "base/random.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>

#define MAX_IMPACTS 12
#define REPEATS     3  // of each impact: the shortest time of a step counts
#define STEPS       30 // at 30 Hz
#define THREADS     2

typedef struct Target
{
    const char* name;
    rblShapeId shape;
    rblShapeView view;
    float height; // of the origin when it stands
    uint32_t pieces;
    double paper; // ms a step, average of the paper's scene
} Target;

// Milliseconds of one impact.
typedef struct ImpactTimes
{
    double fracture, step; // of the step that broke
    double worst;          // step of the scene
    uint32_t pieces;
} ImpactTimes;

// ---- targets ----

static rblResult stand(Target* target)
{
    RBL_TRY(rbl_shape_view(target->shape, &target->view));
    target->height = -target->view.bounds.lower.y;
    return RBL_OK;
}

// Along its longest side 0.7 m in 70 cells, as in the paper.
static rblResult make_level_set(rblMeshId mesh, rblShapeId* out)
{
    rblMeshReport report;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    RBL_TRY(rbl_mesh_inspect(mesh, &options, &report));
    const rblVec3d size = rbl_aabbd_size(report.bounds);
    const double scale = 0.7 / rbl_maxd(size.x, rbl_maxd(size.y, size.z));
    const rblMat3d linear = {{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}};
    RBL_TRY(rbl_mesh_transform(mesh, &linear, (rblVec3d){0, 0, 0}, &def.mesh));
    def.cell = 0.01f;
    const rblResult result = rbl_shape_create_level_set(&def, out);
    rbl_mesh_destroy(def.mesh);
    return result;
}

static rblResult make_statue(rblShapeId* out)
{
    rblMeshId mesh;
    RBL_TRY(rbl_mesh_make("statue", NULL, 0, &mesh));
    const rblResult result = make_level_set(mesh, out);
    rbl_mesh_destroy(mesh);
    return result;
}

// Null where the model is not there, or no solid.
static void make_bunny(rblBench* bench, rblShapeId* out)
{
    char path[512];
    rblMeshId mesh;
    snprintf(path, sizeof path, "%s/bunny_7k.off", rbl_bench_models());
    if (rbl_mesh_load(path, NULL, &mesh) != RBL_OK)
    {
        rbl_bench_note(bench, "no bunny_7k.off in RUBBLE_MODELS: the bunny is left out");
        return;
    }
    if (make_level_set(mesh, out) != RBL_OK)
    {
        rbl_bench_note(bench, "bunny_7k.off cannot be made a level set: the bunny is left out");
        *out = (rblShapeId){0, 0};
    }
    rbl_mesh_destroy(mesh);
}

// ---- one impact ----

static rblResult put(rblWorldId world, rblShapeId shape, rblBodyType type, rblVec3 at)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    def.shape = shape;
    def.type = type;
    def.pose.p = at;
    return rbl_body_create(world, &def, &body);
}

static rblResult put_target(rblWorldId world, const Target* target, bool aligned)
{
    rblBodyDef def = rbl_default_body_def();
    rblPrescoredDef breaker = rbl_default_prescored_def();
    rblBodyId body;
    breaker.pattern.pieces = target->pieces;
    breaker.aligned = aligned;
    breaker.generations = 1;
    def.shape = target->shape;
    def.pose.p = rbl_vec3(0, target->height, 0);
    def.material.break_impulse = 1.0f;
    RBL_TRY(rbl_breaker_create_prescored(&breaker, &def.breaker));
    const rblResult result = rbl_body_create(world, &def, &body);
    rbl_breaker_destroy(def.breaker);
    return result;
}

// A steel ball from a random side, at the upper two thirds.
static rblResult put_ball(rblWorldId world, const Target* target, uint32_t hit)
{
    rblRandom random = rbl_random_seed(5, hit);
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    const rblVec3 size = rbl_aabb_size(target->view.bounds);
    const rblVec3 at = {0.3f * size.x * (2.0f * rbl_random_float(&random) - 1.0f),
                        size.y * (0.35f + 0.5f * rbl_random_float(&random)), 0.0f};
    const rblQuat turn = rbl_quat_from_axis_angle(rbl_vec3(0, 1, 0), 0.8f * rbl_random_float(&random) - 0.4f);
    const rblVec3 way = rbl_rotate3(turn, rbl_vec3(0, 0, -1));
    RBL_TRY(rbl_material_preset("steel", &def.material));
    RBL_TRY(rbl_shape_create_sphere(0.06f, &def.shape));
    def.pose.p = rbl_mul_add3(at, -1.2f, way);
    def.velocity = rbl_scale3(way, 12.0f);
    const rblResult result = rbl_body_create(world, &def, &body);
    rbl_shape_destroy(def.shape);
    return result;
}

static rblResult set_up(const Target* target, bool aligned, uint32_t hit, rblWorldId* out)
{
    const rblTasks two = rbl_bench_tasks(THREADS);
    rblWorldDef def = rbl_default_world_def();
    rblShapeId ground;
    def.tasks = &two;
    RBL_TRY(rbl_world_create(&def, out));
    RBL_TRY(rbl_shape_create_plane(rbl_vec3(0, 1, 0), &ground));
    const rblResult result = put(*out, ground, RBL_BODY_STATIC, rbl_vec3(0, 0, 0));
    rbl_shape_destroy(ground);
    RBL_TRY(result);
    RBL_TRY(put_target(*out, target, aligned));
    return put_ball(*out, target, hit);
}

static rblResult play(rblWorldId world, double steps[STEPS], ImpactTimes* times)
{
    for (int i = 0; i < STEPS; ++i)
    {
        const rblBreakEvent* events;
        rblProfile profile;
        uint32_t count;
        RBL_TRY(rbl_world_step(world, 1.0f / 30.0f));
        RBL_TRY(rbl_world_profile(world, &profile));
        RBL_TRY(rbl_world_break_events(world, &events, &count));
        steps[i] = rbl_mind(steps[i], (double)profile.total);
        if (count > 0)
        {
            times->fracture = rbl_mind(times->fracture, (double)profile.fracture);
            times->step = rbl_mind(times->step, (double)profile.total);
            times->pieces = events[0].fragment_count;
        }
    }
    return RBL_OK;
}

static rblResult time_impact(const Target* target, bool aligned, uint32_t hit, uint32_t repeats,
                             ImpactTimes* out)
{
    double steps[STEPS];
    *out = (ImpactTimes){.fracture = 1e9, .step = 1e9};
    for (int i = 0; i < STEPS; ++i)
    {
        steps[i] = 1e9;
    }
    for (uint32_t r = 0; r < repeats; ++r)
    {
        rblWorldId world = {0, 0};
        rblResult result = set_up(target, aligned, hit, &world);
        if (result == RBL_OK)
        {
            result = play(world, steps, out);
        }
        if (world.index1 != 0)
        {
            rbl_world_destroy(world);
        }
        RBL_TRY(result);
    }
    for (int i = 0; i < STEPS; ++i)
    {
        out->worst = rbl_maxd(out->worst, steps[i]);
    }
    return RBL_OK;
}

// ---- all impacts ----

static double median(double* values, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        for (uint32_t k = i; k > 0 && values[k] < values[k - 1]; --k)
        {
            const double lower = values[k];
            values[k] = values[k - 1];
            values[k - 1] = lower;
        }
    }
    return count > 0 ? values[count / 2] : 0.0;
}

static rblResult time_target(rblBench* bench, const Target* target, bool aligned)
{
    const uint32_t hits = rbl_bench_size(bench, MAX_IMPACTS, 1);
    double fracture[MAX_IMPACTS];
    char subject[96];
    double pieces = 0.0;
    double step = 0.0;
    double worst = 0.0;
    uint32_t broken = 0;
    for (uint32_t i = 0; i < hits; ++i)
    {
        ImpactTimes times;
        RBL_TRY(time_impact(target, aligned, i, rbl_bench_size(bench, REPEATS, 1), &times));
        worst = rbl_maxd(worst, times.worst);
        if (times.pieces > 0)
        {
            fracture[broken++] = times.fracture;
            step = rbl_maxd(step, times.step);
            pieces += times.pieces;
        }
    }
    snprintf(subject, sizeof subject, "%s, %s", target->name, aligned ? "aligned" : "oriented");
    rbl_smash_row(bench, subject, "impacts that broke it", 100.0 * broken / hits, "%");
    if (broken > 0)
    {
        rbl_smash_row(bench, subject, "pieces, mean", pieces / broken, "");
        rbl_smash_row(bench, subject, "break in the step, median", median(fracture, broken), "ms");
        rbl_smash_row(bench, subject, "break in the step, most", fracture[broken - 1], "ms");
        rbl_smash_row(bench, subject, "whole step of the break, most", step, "ms");
    }
    rbl_smash_goal(bench, subject, "worst step of the scene", worst, "ms", target->paper);
    return RBL_OK;
}

rblResult rbl_bench_prescored_time(rblBench* bench)
{
    Target targets[4] = {{.name = "wall 1.5 x 1 x 0.1 m, 60 pieces", .pieces = 60, .paper = 1000.0 / 15.0},
                         {.name = "cylinder 0.55 x 1.05 m, 25 pieces", .pieces = 25, .paper = 1000.0 / 22.0},
                         {.name = "statue, 70 cells, 35 pieces", .pieces = 35, .paper = 1000.0 / 4.0},
                         {.name = "bunny, 70 cells, 35 pieces", .pieces = 35, .paper = 1000.0 / 4.0}};
    rblResult result = rbl_shape_create_box(rbl_vec3(1.5f, 1.0f, 0.1f), &targets[0].shape);
    rbl_bench_stage(bench, "breaking in the step");
    if (result == RBL_OK)
    {
        result = rbl_shape_create_cylinder(0.275f, 1.05f, &targets[1].shape);
    }
    if (result == RBL_OK)
    {
        result = make_statue(&targets[2].shape);
        make_bunny(bench, &targets[3].shape);
    }
    for (int i = 0; i < 8 && result == RBL_OK; ++i)
    {
        Target* target = &targets[i / 2];
        if (target->shape.index1 != 0)
        {
            result = stand(target);
            result = result == RBL_OK ? time_target(bench, target, i % 2 == 0) : result;
        }
    }
    for (int i = 0; i < 4; ++i)
    {
        if (targets[i].shape.index1 != 0)
        {
            rbl_shape_destroy(targets[i].shape);
        }
    }
    return result;
}
