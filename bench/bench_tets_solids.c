// Breaking by stress: the solids of Glondu 2012, Table 1, what it takes to prepare them, and what a break of each costs (Table 3).
#include "bench/bench_tets.h"

#include "base/error.h"
#include "base/jobs.h"
#include "base/random.h"
#include "base/timer.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>

#define MAX_IMPACTS 12

// Of the paper: tetrahedra of Table 1; the most milliseconds of fracture and of updates in Table 3.
typedef struct Subject
{
    const char* name;
    const char* kind;
    const char* material;
    uint32_t tetrahedra;
    double fracture, update;
} Subject;

static const Subject subjects[] = {{"piggy bank", "piggybank", "ceramic", 20807, 12.5, 1.2},
                                   {"statue", "statue", "plaster", 18767, 22.0, 4.4},
                                   {"brick", "brick", "clay", 594, 2.0, 1.05},
                                   {"plate", "plate", "ceramic", 8617, 8.0, 0.7}};

#define SUBJECT_COUNT (sizeof subjects / sizeof *subjects)

typedef struct Times
{
    double values[MAX_IMPACTS];
    uint32_t count;
} Times;

static double milliseconds_since(double begin)
{
    return (rbl_timer_seconds() - begin) * 1e3;
}

// ---- a body ----

typedef struct Body
{
    rblShapeId shape;
    rblBreakerId id;
    const rblBreaker* breaker;
    rblBreakBody body;
    void* prepared;
    double preparing; // ms
} Body;

static void body_free(Body* body)
{
    if (body->breaker != NULL)
    {
        rbl_breaker_forget(body->breaker, body->prepared);
        rbl_breaker_release(body->breaker);
        (void)rbl_breaker_destroy(body->id);
    }
    if (body->shape.index1 != 0)
    {
        (void)rbl_shape_destroy(body->shape);
    }
}

static rblResult make_shape(const Subject* subject, rblShapeId* out)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    RBL_TRY(rbl_mesh_make(subject->kind, NULL, 0, &def.mesh));
    const rblResult result = rbl_shape_create_level_set(&def, out);
    (void)rbl_mesh_destroy(def.mesh);
    return result;
}

static rblResult make_body(rblBench* bench, const Subject* subject, Body* out)
{
    rblStressDef def = rbl_default_stress_def();
    def.tetrahedra = rbl_bench_size(bench, subject->tetrahedra, 400);
    RBL_TRY(make_shape(subject, &out->shape));
    RBL_TRY(rbl_breaker_create_stress(&def, &out->id));
    RBL_TRY(rbl_breaker_acquire(out->id, &out->breaker));
    out->body.pose.q = (rblQuat){0, 0, 0, 1};
    RBL_TRY(rbl_shape_view(out->shape, &out->body.view));
    RBL_TRY(rbl_material_preset(subject->material, &out->body.material));
    out->body.mass = (float)((double)out->body.material.density * out->body.view.mass.volume);
    const double begin = rbl_timer_seconds();
    RBL_TRY(rbl_breaker_prepare(out->breaker, &out->body.view, &out->body.material, rbl_serial_jobs(),
                                &out->prepared));
    out->preparing = milliseconds_since(begin);
    return RBL_OK;
}

// ---- impacts ----

// The fall of the body on a stone floor at 7 m/s, on a sample of its surface; force and duration by Hertz with a radius of 5 cm.
static rblImpact make_impact(const Body* body, rblRandom* random)
{
    const rblShapeView* view = &body->body.view;
    const rblVec3 at = view->samples[rbl_random_below(random, view->sample_count)];
    rblVec3 out_of;
    (void)rbl_shape_distance(view->shape, at, &out_of);
    const double mass = (double)body->body.mass, speed = 7.0;
    const double modulus = 0.5 * (double)body->body.material.young;
    const double depth = pow(15.0 * mass * speed * speed / (16.0 * modulus * sqrt(0.05)), 0.4);
    return (rblImpact){.point = at,
                       .normal = rbl_neg3(out_of),
                       .impulse = rbl_scale3(out_of, (float)(-mass * speed)),
                       .speed = (float)speed,
                       .duration = (float)(2.94 * depth / speed),
                       .mass = (float)mass,
                       .energy = (float)(0.5 * mass * speed * speed),
                       .peak_force = (float)(4.0 / 3.0 * modulus * sqrt(0.05) * pow(depth, 1.5))};
}

typedef struct Breaks
{
    Times deciding, breaking;
    uint32_t fragments, broken;
} Breaks;

static rblResult apply_impact(const Body* body, rblRandom* random, Breaks* breaks)
{
    const rblImpact impact = make_impact(body, random);
    rblVerdict verdict;
    double begin = rbl_timer_seconds();
    RBL_TRY(rbl_breaker_decide(body->breaker, body->prepared, &body->body, &impact, 1, &verdict));
    breaks->deciding.values[breaks->deciding.count++] = milliseconds_since(begin);
    if (!verdict.breaks)
    {
        return RBL_OK;
    }
    rblFracture fracture = {0};
    verdict.budget = (double)impact.energy;
    begin = rbl_timer_seconds();
    const rblResult result = rbl_breaker_shatter(body->breaker, body->prepared, &body->body, &verdict,
                                                 rbl_serial_jobs(), &fracture);
    rbl_verdict_release(body->breaker, &verdict);
    RBL_TRY(result);
    breaks->breaking.values[breaks->breaking.count++] = milliseconds_since(begin);
    breaks->fragments += fracture.fragment_count;
    breaks->broken += fracture.fragment_count > 1;
    rbl_fracture_free(&fracture);
    return RBL_OK;
}

static rblResult measure(rblBench* bench, const Subject* subject, const Body* body)
{
    rblRandom random = rbl_random_seed(3, 1);
    Breaks breaks = {0};
    const uint32_t impacts = rbl_bench_size(bench, MAX_IMPACTS, 2);
    for (uint32_t i = 0; i < impacts; ++i)
    {
        RBL_TRY(apply_impact(body, &random, &breaks));
    }
    const double deciding = rbl_tets_bench_median(breaks.deciding.values, breaks.deciding.count),
                 breaking = rbl_tets_bench_median(breaks.breaking.values, breaks.breaking.count);
    const uint32_t last = breaks.breaking.count;
    rbl_tets_bench_row(bench, subject->name, "prepare", body->preparing, "ms", 0.0);
    rbl_tets_bench_row(bench, subject->name, "stress of an impact, median", deciding, "ms", 0.0);
    rbl_tets_bench_row(bench, subject->name, "break, median", breaking, "ms", 0.0);
    rbl_tets_bench_row(bench, subject->name, "stress and break, most",
                       deciding + (last > 0 ? breaks.breaking.values[last - 1] : 0.0), "ms",
                       subject->fracture + subject->update);
    rbl_tets_bench_row(bench, subject->name, "impacts that broke it", (double)breaks.broken / impacts * 100.0,
                       "%", 0.0);
    rbl_tets_bench_row(bench, subject->name, "fragments of those, mean",
                       breaks.broken > 0 ? (double)breaks.fragments / breaks.broken : 0.0, "", 0.0);
    return RBL_OK;
}

rblResult rbl_bench_tets_solids(rblBench* bench)
{
    for (size_t i = 0; i < SUBJECT_COUNT; ++i)
    {
        char stage[80];
        Body body = {0};
        snprintf(stage, sizeof stage, "breaking the %s by stress", subjects[i].name);
        rbl_bench_stage(bench, stage);
        rblResult result = make_body(bench, &subjects[i], &body);
        result = result == RBL_OK ? measure(bench, &subjects[i], &body) : result;
        body_free(&body);
        RBL_TRY(result);
    }
    return RBL_OK;
}
