// The five scenes of Glondu 2012, section 6, as shipped: sizes (Table 1), counts (Table 2), milliseconds of a step (Table 3), and how
// far a step with a fracture is above those after it.
#include "bench/bench_tets.h"

#include "base/error.h"
#include "base/timer.h"
#include "dynamics/world.h"
#include "fracture/stress/stress_private.h"
#include "io/file.h"
#include "scene/run/simulate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS    3    // of a scene: of every step the shortest time counts
#define RUN_SECONDS 10.0 // in which it is run again
#define AFTER       10u  // steps after a fracture, to compare with
#define GOAL        5.0  // ms that a fracture may be above these

// Averages and maxima of Tables 2 and 3; 0: not told.
typedef struct Paper
{
    double before, after, fragments;
    double output[2], colliding[2];
    double total[2], collision[2], physics[2];
    double update, fracture;
} Paper;

typedef struct Scene
{
    const char* name;
    const char* file;
    Paper paper;
} Scene;

static const Scene scenes[] = {{"piggy bank",
                                "stress_piggy_bank",
                                {.before = 9734,
                                 .after = 17622,
                                 .fragments = 14,
                                 .output = {93, 463},
                                 .colliding = {290, 4173},
                                 .total = {1.94, 15.2},
                                 .collision = {1.74, 9.46},
                                 .physics = {0.14, 0.59},
                                 .update = 1.2,
                                 .fracture = 12.5}},
                               {"statues",
                                "stress_statues",
                                {.before = 137403,
                                 .after = 435068,
                                 .fragments = 166,
                                 .output = {1235, 3245},
                                 .colliding = {4993, 18592},
                                 .total = {24.5, 81.5},
                                 .collision = {23, 70},
                                 .physics = {1.3, 3.66},
                                 .update = 4.4,
                                 .fracture = 22}},
                               {"bricks",
                                "stress_bricks",
                                {.before = 15036,
                                 .after = 40750,
                                 .fragments = 156,
                                 .output = {671, 1379},
                                 .colliding = {1334, 2700},
                                 .total = {11.7, 29.5},
                                 .collision = {10.7, 27.3},
                                 .physics = {1, 2.46},
                                 .update = 1.05,
                                 .fracture = 2}},
                               {"plates",
                                "stress_plates",
                                {.before = 26268,
                                 .after = 45762,
                                 .fragments = 44,
                                 .output = {309, 524},
                                 .total = {7.83, 17.4},
                                 .collision = {6.78, 12.2},
                                 .physics = {0.36, 0.7},
                                 .update = 0.7,
                                 .fracture = 8}},
                               {"handled statues",
                                "stress_handled",
                                {.before = 39724,
                                 .after = 51752,
                                 .fragments = 22,
                                 .output = {326, 470},
                                 .total = {2, 10.6},
                                 .collision = {1.64, 4},
                                 .physics = {0.26, 0.41},
                                 .update = 1,
                                 .fracture = 9}}};

#define SCENE_COUNT (sizeof scenes / sizeof *scenes)

// ---- sizes ----

// Table 1, by the names of shapes in the scenes.
static const struct
{
    const char* shape;
    double triangles, tetrahedra, points;
} objects[] = {{"pig", 9722, 20807, 5870}, {"statue", 7940, 18767, 5089}, {"bunny", 7940, 18767, 5089},
               {"brick", 468, 594, 224},   {"plate", 5392, 8617, 2711},   {"shelf", 4652, 10200, 2989}};

#define OBJECT_COUNT (sizeof objects / sizeof *objects)

typedef struct Sizes
{
    rblBench* bench;
    bool told[OBJECT_COUNT];
} Sizes;

static rblResult report_object(rblBench* bench, size_t object, const rblStressRoot* root)
{
    const char* name = objects[object].shape;
    const rblMeshView* surface = &root->surface_view;
    const double triangles =
        (double)surface->face_starts[surface->face_count] - 2.0 * (double)surface->face_count;
    rbl_tets_bench_row(bench, name, "triangles", triangles, "", objects[object].triangles);
    rbl_tets_bench_row(bench, name, "tetrahedra", root->view.solid_tet_count, "", objects[object].tetrahedra);
    rbl_tets_bench_row(bench, name, "points", root->background->point_count, "", objects[object].points);
    return RBL_OK;
}

// Each object once, in the first scene that has it.
static rblResult report_sizes(void* context, const rblSimulation* simulation)
{
    Sizes* sizes = context;
    rblWorld* world;
    RBL_TRY(rbl_world_find(simulation->world, &world));
    for (uint32_t i = 0; i < simulation->view.body_count; ++i)
    {
        const rblSceneBody* body = &simulation->view.bodies[i];
        const rblBodyId id = simulation->bodies[i];
        for (size_t k = 0; k < OBJECT_COUNT && body->breaker != RBL_NONE && id.index1 != 0; ++k)
        {
            if (!sizes->told[k] && strcmp(objects[k].shape, simulation->view.shapes[body->shape].name) == 0)
            {
                const rblStressBody* prepared = world->bodies.data[id.index1 - 1].prepared;
                sizes->told[k] = true;
                RBL_TRY(report_object(sizes->bench, k, prepared->root));
            }
        }
    }
    return RBL_OK;
}

// ---- rows ----

typedef struct Span
{
    double mean, most;
} Span;

// Over all steps, of the field at an offset in them.
static Span span_of(const rblTetsBenchRun* run, size_t offset)
{
    Span span = {0.0, 0.0};
    for (uint32_t i = 0; i < run->count; ++i)
    {
        double value;
        memcpy(&value, (const char*)&run->steps[i] + offset, sizeof value);
        span.mean += value / run->count;
        span.most = rbl_tets_bench_larger(span.most, value);
    }
    return span;
}

static void report_span(rblBench* bench, const char* subject, const char* metric, const rblTetsBenchRun* run,
                        size_t offset, const char* unit, const double paper[2])
{
    char text[96];
    const Span span = span_of(run, offset);
    snprintf(text, sizeof text, "%s, average", metric);
    rbl_tets_bench_row(bench, subject, text, span.mean, unit, paper[0]);
    snprintf(text, sizeof text, "%s, most", metric);
    rbl_tets_bench_row(bench, subject, text, span.most, unit, paper[1]);
}

// Of all steps in which something broke: ms above the median of those after.
static void report_rises(rblBench* bench, const char* subject, const rblTetsBenchRun* run)
{
    double most = 0.0;
    uint32_t breaking = 0, within = 0;
    for (uint32_t i = 0; i < run->count; ++i)
    {
        double after[AFTER];
        uint32_t count = 0;
        for (uint32_t k = i + 1; k < run->count && count < AFTER; ++k)
        {
            after[count++] = run->steps[k].total;
        }
        if (run->steps[i].breaks > 0 && count > 0)
        {
            const double rise = run->steps[i].total - rbl_tets_bench_median(after, count);
            most = rbl_tets_bench_larger(most, rise);
            breaking += 1;
            within += rise <= GOAL;
        }
    }
    rbl_tets_bench_row(bench, subject, "steps with fractures", breaking, "", 0.0);
    rbl_tets_bench_row(bench, subject, "of these at most 5 ms above the ten after", within, "", 0.0);
    rbl_tets_bench_row(bench, subject, "most above the ten after", most, "ms", 0.0);
}

#define FIELD(name) offsetof(rblTetsBenchStep, name)

static void report_run(rblBench* bench, const char* subject, const Paper* paper, const rblTetsBenchRun* run)
{
    const double update[2] = {0.0, paper->update}, fracture[2] = {0.0, paper->fracture};
    rbl_tets_bench_row(bench, subject, "triangles before", run->triangles_before, "", paper->before);
    rbl_tets_bench_row(bench, subject, "triangles after", run->triangles_after, "", paper->after);
    rbl_tets_bench_row(bench, subject, "fragments", run->fragments, "", paper->fragments);
    report_span(bench, subject, "contacts output", run, FIELD(contacts), "", paper->output);
    report_span(bench, subject, "points colliding", run, FIELD(colliding), "", paper->colliding);
    report_span(bench, subject, "total", run, FIELD(total), "ms", paper->total);
    report_span(bench, subject, "collision", run, FIELD(collision), "ms", paper->collision);
    report_span(bench, subject, "physics", run, FIELD(physics), "ms", paper->physics);
    report_span(bench, subject, "update", run, FIELD(update), "ms", update);
    report_span(bench, subject, "fracture", run, FIELD(fracture), "ms", fracture);
    report_rises(bench, subject, run);
}

// ---- runs ----

// Runs differ in their times only.
static rblResult play_often(rblBench* bench, rblSceneId scene, Sizes* sizes, rblTetsBenchRun* run)
{
    const uint32_t max_steps = rbl_bench_size(bench, UINT32_MAX, 4);
    const double begin = rbl_timer_seconds();
    RBL_TRY(rbl_tets_bench_play(scene, max_steps, report_sizes, sizes, run));
    for (uint32_t i = 1; i < MAX_RUNS; ++i)
    {
        const double spent = rbl_timer_seconds() - begin;
        rblTetsBenchRun again;
        if (rbl_bench_quick(bench) || spent * (i + 1) / i > RUN_SECONDS)
        {
            break;
        }
        RBL_TRY(rbl_tets_bench_play(scene, max_steps, NULL, NULL, &again));
        rbl_tets_bench_run_merge(run, &again);
        rbl_tets_bench_run_free(&again);
    }
    return RBL_OK;
}

static rblResult measure(rblWorldBench* bench, const Scene* scene, rblSceneId id, Sizes* sizes)
{
    rblTetsBenchRun run = {.steps = NULL};
    rblResult result = play_often(bench->bench, id, sizes, &run);
    if (result == RBL_OK)
    {
        report_run(bench->bench, scene->name, &scene->paper, &run);
        result = rbl_tets_bench_compare(bench, scene->name, id, &run);
    }
    rbl_tets_bench_run_free(&run);
    return result;
}

static rblResult measure_file(rblWorldBench* bench, const Scene* scene, Sizes* sizes)
{
    char path[512], note[640];
    rblSceneId id;
    snprintf(path, sizeof path, "%s/%s.json", rbl_bench_scenes(), scene->file);
    rbl_bench_stage(bench->bench, scene->name);
    if (rbl_scene_load(path, &id) != RBL_OK)
    {
        snprintf(note, sizeof note, "%s is not measured (RUBBLE_SCENES is the folder of scenes): %s",
                 scene->name, rbl_last_error());
        rbl_bench_note(bench->bench, note);
        return RBL_OK;
    }
    const rblResult result = measure(bench, scene, id, sizes);
    (void)rbl_scene_destroy(id);
    return result;
}

// ---- bunnies ----

#define BUNNY_TRIANGLES 8000

// What a scene of statues says, and what it says with bunnies. A bunny falls into three or four parts where a statue falls into seven:
// these may break once more.
static const char* const bunny_words[][2] = {
    {"{ \"kind\": \"statue\", \"height\": 0.3 }",
     "{ \"kind\": \"mesh\", \"file\": \"bunny.ply\", \"height\": 0.25 }"},
    {"\"statue\"", "\"bunny\""},
    {"\"generations\": 1", "\"generations\": 2"}};

#define BUNNY_WORDS (sizeof bunny_words / sizeof *bunny_words)

// Which scenes of statues are played with bunnies, too.
static const struct
{
    const char* name;
    size_t statues;
} bunny_scenes[] = {{"bunnies", 1}, {"handled bunnies", 4}};

#define BUNNY_SCENES (sizeof bunny_scenes / sizeof *bunny_scenes)

// On its feet at the height of 0, as statues are.
static rblResult stand(rblMeshId mesh, rblMeshId* out)
{
    const rblMat3d same = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    rblMeshView view;
    double lowest = INFINITY;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    for (uint32_t i = 0; i < view.vertex_count; ++i)
    {
        lowest = fmin(view.positions[i].y, lowest);
    }
    return rbl_mesh_transform(mesh, &same, (rblVec3d){0, -lowest, 0}, out);
}

static rblResult save_standing(rblMeshId mesh, const char* path)
{
    rblMeshId standing;
    RBL_TRY(stand(mesh, &standing));
    const rblResult result = rbl_mesh_save(standing, path, NULL);
    (void)rbl_mesh_destroy(standing);
    return result;
}

static rblResult make_bunny(const char* path)
{
    char from[512];
    rblMeshId fine, coarse;
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = BUNNY_TRIANGLES;
    snprintf(from, sizeof from, "%s/bunny_75k.off", rbl_bench_models());
    RBL_TRY(rbl_mesh_load(from, NULL, &fine));
    rblResult result = rbl_mesh_simplify(fine, &options, &coarse, NULL);
    (void)rbl_mesh_destroy(fine);
    if (result == RBL_OK)
    {
        result = save_standing(coarse, path);
        (void)rbl_mesh_destroy(coarse);
    }
    return result;
}

// Which of the words begins here, BUNNY_WORDS for none.
static size_t word_at(const char* text, size_t size)
{
    size_t k = 0;
    while (k < BUNNY_WORDS && (strlen(bunny_words[k][0]) > size ||
                               memcmp(text, bunny_words[k][0], strlen(bunny_words[k][0])) != 0))
    {
        ++k;
    }
    return k;
}

// A copy of a text with words exchanged. The copy is longer by less than the text is long.
static char* with_bunnies(const char* text, size_t size)
{
    char* copy = malloc(2 * size + 1);
    size_t end = 0;
    for (size_t i = 0; copy != NULL && i < size;)
    {
        const size_t word = word_at(text + i, size - i);
        if (word < BUNNY_WORDS)
        {
            memcpy(copy + end, bunny_words[word][1], strlen(bunny_words[word][1]));
            end += strlen(bunny_words[word][1]);
            i += strlen(bunny_words[word][0]);
        }
        else
        {
            copy[end++] = text[i++];
        }
    }
    if (copy != NULL)
    {
        copy[end] = '\0';
    }
    return copy;
}

static rblResult load_bunnies(const char* folder, const Scene* scene, rblSceneId* out)
{
    char path[512], name[512];
    rblSceneId statues;
    rblSceneView view;
    snprintf(path, sizeof path, "%s/%s.json", rbl_bench_scenes(), scene->file);
    RBL_TRY(rbl_scene_load(path, &statues));
    rblResult result = rbl_scene_view(statues, &view);
    char* text = result == RBL_OK ? with_bunnies(view.text, view.text_size) : NULL;
    snprintf(name, sizeof name, "%s/bunnies.json", folder);
    if (result == RBL_OK)
    {
        result = text != NULL ? rbl_scene_load_memory(text, strlen(text), name, out) : rbl_fail_memory();
    }
    free(text);
    (void)rbl_scene_destroy(statues);
    return result;
}

static void note_no_bunnies(rblBench* bench)
{
    char note[640];
    snprintf(note, sizeof note, "bunnies are not measured (RUBBLE_MODELS is the folder of models): %s",
             rbl_last_error());
    rbl_bench_note(bench, note);
}

static rblResult measure_bunny_scene(rblWorldBench* bench, const char* name, const Scene* statues,
                                     Sizes* sizes)
{
    rblTetsBenchRun run = {.steps = NULL};
    rblSceneId id;
    rbl_bench_stage(bench->bench, name);
    if (load_bunnies(bench->folder, statues, &id) != RBL_OK)
    {
        note_no_bunnies(bench->bench);
        return RBL_OK;
    }
    const rblResult result = play_often(bench->bench, id, sizes, &run);
    if (result == RBL_OK)
    {
        report_run(bench->bench, name, &statues->paper, &run);
    }
    rbl_tets_bench_run_free(&run);
    (void)rbl_scene_destroy(id);
    return result;
}

// Statues as bunnies, where there are models.
static rblResult measure_bunnies(rblWorldBench* bench, Sizes* sizes)
{
    char mesh[512];
    rblResult result = RBL_OK;
    snprintf(mesh, sizeof mesh, "%s/bunny.ply", bench->folder);
    if (make_bunny(mesh) != RBL_OK)
    {
        note_no_bunnies(bench->bench);
        remove(mesh);
        return RBL_OK;
    }
    for (size_t i = 0; i < BUNNY_SCENES && result == RBL_OK; ++i)
    {
        result = measure_bunny_scene(bench, bunny_scenes[i].name, &scenes[bunny_scenes[i].statues], sizes);
    }
    remove(mesh);
    return result;
}

rblResult rbl_bench_tets_scenes(rblWorldBench* bench)
{
    Sizes sizes = {.bench = bench->bench};
    for (size_t i = 0; i < SCENE_COUNT; ++i)
    {
        RBL_TRY(measure_file(bench, &scenes[i], &sizes));
    }
    return measure_bunnies(bench, &sizes);
}
