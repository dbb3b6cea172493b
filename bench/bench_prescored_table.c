// Balls shatter on a table, then a large one breaks the table (Su 2009, Fig. 8): thousands of births.
#include "bench/bench_prescored.h"

#include "base/error.h"
#include "base/random.h"
#include "math/quat.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STEP       (1.0f / 30.0f)
#define STEPS      150
#define LATE       30 // the last of them
#define LARGE_STEP 75 // when the large ball sets off
#define BALL       0.04f
#define PIECES     9 // of each ball: 8992 bodies of 1000 balls in the paper
#define SPACING    0.11f

typedef struct Setup
{
    uint32_t balls;
    bool sleeping;
    uint32_t threads, steps;
    double paper; // ms a step, late
} Setup;

// Average and worst ms of a stretch of steps.
typedef struct Stretch
{
    double sum, worst;
    uint32_t count;
} Stretch;

typedef struct Table
{
    Stretch before, during, after;
    rblProfile stages; // sums over `after`
    uint32_t bodies, fragments, breaks, max_breaks, awake;
    double bytes, shape_bytes;
    double rise, fastest, low, high; // of the energy law: largest rise of E in a step, and what S is made of
    uint64_t hash;
} Table;

static void add(Stretch* stretch, double ms)
{
    stretch->sum += ms;
    stretch->worst = rbl_maxd(stretch->worst, ms);
    stretch->count += 1;
}

static double average(const Stretch* stretch)
{
    return stretch->count > 0 ? stretch->sum / stretch->count : 0.0;
}

// ---- the scene ----

typedef struct Put
{
    rblWorldId world;
    rblShapeId shape;
    rblVec3 at, velocity;
    bool fixed;
    uint32_t pieces; // 0: it does not break
    const char* material;
    float break_impulse;
} Put;

static rblResult put(const Put* p)
{
    rblBodyDef def = rbl_default_body_def();
    rblPrescoredDef breaker = rbl_default_prescored_def();
    rblBodyId body;
    def.shape = p->shape;
    def.type = p->fixed ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC;
    def.pose.p = p->at;
    def.velocity = p->velocity;
    RBL_TRY(rbl_material_preset(p->material, &def.material));
    def.material.break_impulse = p->break_impulse;
    if (p->pieces > 0)
    {
        breaker.pattern.kind = RBL_PATTERN_VORONOI;
        breaker.pattern.pieces = p->pieces;
        breaker.generations = 1;
        RBL_TRY(rbl_breaker_create_prescored(&breaker, &def.breaker));
    }
    const rblResult result = rbl_body_create(p->world, &def, &body);
    if (p->pieces > 0)
    {
        rbl_breaker_destroy(def.breaker);
    }
    return result;
}

// The shape is given away.
static rblResult put_own(Put* p)
{
    const rblResult result = put(p);
    rbl_shape_destroy(p->shape);
    return result;
}

static rblResult put_table(rblWorldId world)
{
    Put p = {.world = world, .fixed = true, .material = "wood"};
    RBL_TRY(rbl_shape_create_plane(rbl_vec3(0, 1, 0), &p.shape));
    RBL_TRY(put_own(&p));
    for (int i = 0; i < 2; ++i)
    {
        RBL_TRY(rbl_shape_create_box(rbl_vec3(0.1f, 0.7f, 2.0f), &p.shape));
        p.at = rbl_vec3(i == 0 ? -1.4f : 1.4f, 0.35f, 0.0f);
        RBL_TRY(put_own(&p));
    }
    p = (Put){.world = world,
              .at = {0.0f, 0.75f, 0.0f},
              .pieces = 60,
              .material = "concrete",
              .break_impulse = 100.0f};
    RBL_TRY(rbl_shape_create_box(rbl_vec3(3.0f, 0.1f, 2.0f), &p.shape));
    return put_own(&p);
}

// In a grid over the table, at heights that let them come one after the other.
static rblResult put_balls(rblWorldId world, uint32_t count)
{
    rblRandom random = rbl_random_seed(9, count);
    Put p = {.world = world, .pieces = PIECES, .material = "ceramic", .break_impulse = 0.3f};
    const uint32_t columns = count > 100 ? 25 : 10;
    const uint32_t rows = count > 100 ? 17 : 10;
    RBL_TRY(rbl_shape_create_sphere(BALL, &p.shape));
    rblResult result = RBL_OK;
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        const uint32_t layer = i / (columns * rows);
        p.at = rbl_vec3(SPACING * ((float)(i % columns) - 0.5f * (float)(columns - 1)),
                        1.2f + 0.6f * (float)layer + 0.5f * rbl_random_float(&random),
                        SPACING * ((float)(i / columns % rows) - 0.5f * (float)(rows - 1)));
        result = put(&p);
    }
    rbl_shape_destroy(p.shape);
    return result;
}

static rblResult put_large_ball(rblWorldId world)
{
    Put p = {.world = world, .at = {0.2f, 3.0f, 0.1f}, .velocity = {0.0f, -6.0f, 0.0f}, .material = "steel"};
    RBL_TRY(rbl_shape_create_sphere(0.2f, &p.shape));
    return put_own(&p);
}

static rblResult set_up(const Setup* setup, const rblTasks* tasks, rblWorldId* out)
{
    rblWorldDef def = rbl_default_world_def();
    def.sleeping = setup->sleeping;
    def.tasks = tasks;
    RBL_TRY(rbl_world_create(&def, out));
    RBL_TRY(put_table(*out));
    return put_balls(*out, setup->balls);
}

// ---- the run ----

static void add_stages(rblProfile* sum, const rblProfile* profile)
{
    sum->broad += profile->broad;
    sum->narrow += profile->narrow;
    sum->impact += profile->impact;
    sum->solve += profile->solve;
    sum->drift += profile->drift;
    sum->update += profile->update;
    sum->integrate += profile->integrate;
    sum->sleep += profile->sleep;
}

static rblResult follow(rblWorldId world, uint32_t step, double* books, Table* out)
{
    rblProfile profile;
    rblCounters counters;
    rblEnergy energy;
    RBL_TRY(rbl_world_profile(world, &profile));
    RBL_TRY(rbl_world_counters(world, &counters));
    RBL_TRY(rbl_world_energy(world, &energy));
    const double total = energy.kinetic + energy.potential;
    out->rise = rbl_maxd(out->rise, total - energy.work - *books);
    out->fastest = rbl_maxd(out->fastest, energy.kinetic);
    out->low = rbl_mind(out->low, energy.potential);
    out->high = rbl_maxd(out->high, energy.potential);
    *books = total;
    const bool late = step + LATE >= STEPS;
    add(counters.breaks == 0 ? &out->before : (late ? &out->after : &out->during), (double)profile.total);
    if (late)
    {
        add_stages(&out->stages, &profile);
    }
    const uint32_t breaks = counters.breaks - out->breaks;
    out->max_breaks = breaks > out->max_breaks ? breaks : out->max_breaks;
    out->breaks = counters.breaks;
    out->bodies = counters.bodies;
    out->fragments = counters.fragments;
    out->awake = counters.awake;
    out->bytes = (double)counters.bytes;
    return RBL_OK;
}

static rblResult run_steps(rblWorldId world, uint32_t steps, Table* out)
{
    double books;
    rblEnergy energy;
    RBL_TRY(rbl_world_energy(world, &energy));
    books = energy.kinetic + energy.potential;
    out->low = energy.potential;
    out->high = energy.potential;
    for (uint32_t step = 0; step < steps; ++step)
    {
        if (step == LARGE_STEP)
        {
            RBL_TRY(put_large_ball(world));
        }
        RBL_TRY(rbl_world_step(world, STEP));
        RBL_TRY(follow(world, step, &books, out));
    }
    return rbl_world_hash(world, &out->hash);
}

// Shapes are not among the world's own bytes. Those of fragments are each their own, all others are few.
static rblResult add_shapes(rblWorldId world, Table* out)
{
    uint32_t count = 0;
    RBL_TRY(rbl_world_bodies(world, NULL, 0, &count));
    rblBodyId* ids = malloc(sizeof *ids * (count + 1));
    rblResult result = ids != NULL ? rbl_world_bodies(world, ids, count, &count) : rbl_fail_memory();
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        rblBodyState state;
        rblShapeView view;
        result = rbl_body_state(world, ids[i], &state);
        if (result == RBL_OK && state.generation > 0)
        {
            result = rbl_shape_view(state.shape, &view);
            out->shape_bytes += (double)view.bytes;
        }
    }
    free(ids);
    return result;
}

static rblResult run_table(const Setup* setup, Table* out)
{
    const rblTasks tasks = rbl_bench_tasks(setup->threads);
    rblWorldId world = {0, 0};
    *out = (Table){.breaks = 0};
    rblResult result = set_up(setup, &tasks, &world);
    if (result == RBL_OK)
    {
        result = run_steps(world, setup->steps, out);
    }
    if (result == RBL_OK)
    {
        result = add_shapes(world, out);
    }
    if (world.index1 != 0)
    {
        rbl_world_destroy(world);
    }
    return result;
}

// ---- rows ----

static void report_stages(rblBench* bench, const char* subject, const Table* table)
{
    const rblProfile* sum = &table->stages;
    const double count = table->after.count > 0 ? table->after.count : 1.0;
    const struct
    {
        const char* name;
        float ms;
    } stages[] = {{"broad phase, after", sum->broad}, {"contacts, after", sum->narrow},
                  {"impacts, after", sum->impact},    {"solve, after", sum->solve},
                  {"drift, after", sum->drift},       {"update, after", sum->update}};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; ++i)
    {
        rbl_smash_row(bench, subject, stages[i].name, (double)stages[i].ms / count, "ms");
    }
}

static void report(rblBench* bench, const Setup* setup, const Table* table)
{
    char subject[96];
    snprintf(subject, sizeof subject, "table, %u balls, %s", setup->balls,
             setup->sleeping ? "sleeping" : "no sleeping");
    rbl_smash_row(bench, subject, "fragments", table->fragments, "");
    rbl_smash_row(bench, subject, "breaks in one step, most", table->max_breaks, "");
    rbl_smash_goal(bench, subject, "before the first break, average", average(&table->before), "ms", 40.0);
    rbl_smash_row(bench, subject, "before the first break, worst", table->before.worst, "ms");
    rbl_smash_row(bench, subject, "while things break, average", average(&table->during), "ms");
    rbl_smash_row(bench, subject, "while things break, worst", table->during.worst, "ms");
    rbl_smash_goal(bench, subject, "after, average", average(&table->after), "ms", setup->paper);
    rbl_smash_row(bench, subject, "after, worst", table->after.worst, "ms");
    report_stages(bench, subject, table);
    rbl_smash_row(bench, subject, "awake at the end", table->awake, "");
    rbl_smash_row(bench, subject, "memory of the world", table->bytes / 1048576.0, "MiB");
    rbl_smash_row(bench, subject, "memory of the fragments' shapes", table->shape_bytes / 1048576.0, "MiB");
    rbl_smash_row(bench, subject, "largest rise of energy in a step, by S",
                  table->rise / (table->fastest + table->high - table->low), "");
}

static rblResult compare_threads(rblBench* bench)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    Setup setup = {.balls = rbl_bench_size(bench, 300, 25), .sleeping = true};
    Table table;
    char subject[96];
    uint64_t hash = 0;
    double equal = 0.0;
    setup.steps = rbl_bench_size(bench, 45, 12);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; ++i)
    {
        setup.threads = threads[i];
        RBL_TRY(run_table(&setup, &table));
        hash = i == 0 ? table.hash : hash;
        equal += table.hash == hash;
    }
    snprintf(subject, sizeof subject, "table, %u balls, %u births", setup.balls, table.fragments);
    rbl_smash_row(bench, subject, "equal hashes with 1, 2, 3, 8 threads", equal, "of 4");
    return RBL_OK;
}

rblResult rbl_bench_prescored_table(rblBench* bench)
{
    static const Setup setups[] = {{.balls = 25, .sleeping = true, .paper = 1000.0 / 3.0},
                                   {.balls = 25, .sleeping = false, .paper = 1000.0 / 3.0},
                                   {.balls = 100, .sleeping = true, .paper = 1000.0 / 0.26},
                                   {.balls = 100, .sleeping = false, .paper = 1000.0 / 0.26},
                                   {.balls = 1000, .sleeping = true, .paper = 300e3},
                                   {.balls = 1000, .sleeping = false, .paper = 300e3}};
    const size_t count = rbl_bench_quick(bench) ? 1 : sizeof setups / sizeof *setups;
    for (size_t i = 0; i < count; ++i)
    {
        Setup setup = setups[i];
        Table table;
        char stage[64];
        setup.threads = 2;
        setup.steps = rbl_bench_size(bench, STEPS, 12);
        snprintf(stage, sizeof stage, "table with %u balls", setup.balls);
        rbl_bench_stage(bench, stage);
        RBL_TRY(run_table(&setup, &table));
        report(bench, &setup, &table);
    }
    rbl_bench_stage(bench, "thread counts");
    return compare_threads(bench);
}
