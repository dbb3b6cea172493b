// What updates give away: queries among the fragments of the piggy bank with fields and trees that were updated, and with such as were
// made anew (Glondu 2012, Fig. 9).
#include "bench/bench_tets.h"

#include "base/error.h"
#include "base/timer.h"
#include "field/engine.h"
#include "field/fragment/fragment_shape.h"
#include "math/transform.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_BODIES 256u
#define FRAMES     12u // in which the fragments are asked,
#define EVERY      2u  // so many steps apart
#define REPEATS    3u  // of which the shortest counts
#define MARGIN     0.002f

// The bodies of a frame: fragments, and what they may fall on.
typedef struct Frames
{
    uint32_t body_count;
    rblShapeView views[MAX_BODIES]; // as they were updated; held
    bool fragment[MAX_BODIES];
    rblTransform poses[FRAMES][MAX_BODIES];
    uint32_t frame_count;
} Frames;

static void frames_free(Frames* frames)
{
    for (uint32_t i = 0; i < frames->body_count; ++i)
    {
        rbl_shape_release(frames->views[i].shape);
    }
    frames->body_count = 0;
}

static rblResult take_frame(Frames* frames, rblWorldId world)
{
    rblBodyId ids[MAX_BODIES];
    uint32_t count = 0;
    RBL_TRY(rbl_world_bodies(world, ids, MAX_BODIES, &count));
    const bool first = frames->frame_count == 0;
    if (count > MAX_BODIES || (!first && count != frames->body_count))
    {
        return RBL_OK;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState state;
        RBL_TRY(rbl_body_state(world, ids[i], &state));
        if (first)
        {
            RBL_TRY(rbl_shape_view(state.shape, &frames->views[i]));
            rbl_shape_retain(frames->views[i].shape);
            frames->fragment[i] = rbl_shape_can_rebuild(&frames->views[i]);
            frames->body_count = i + 1;
        }
        frames->poses[frames->frame_count][i] = state.pose;
    }
    frames->frame_count += 1;
    return RBL_OK;
}

// From when nothing breaks any more.
static rblResult play(rblSceneId scene, Frames* out)
{
    rblSimulation simulation = {.allocator = NULL};
    rblCounters counters = {.breaks = 0};
    rblResult result = rbl_simulation_start(&simulation, scene, false);
    uint32_t breaks = 0;
    while (result == RBL_OK && !rbl_simulation_done(&simulation) && out->frame_count < FRAMES)
    {
        result = rbl_simulation_advance(&simulation);
        result = result == RBL_OK ? rbl_world_counters(simulation.world, &counters) : result;
        if (counters.breaks != breaks)
        {
            frames_free(out);
            out->frame_count = 0;
            breaks = counters.breaks;
        }
        else if (result == RBL_OK && breaks > 0 && simulation.step % EVERY == 0)
        {
            result = take_frame(out, simulation.world);
        }
    }
    rbl_simulation_free(&simulation);
    return result;
}

// ---- queries ----

typedef struct Cost
{
    double seconds, visited, pairs;
} Cost;

static rblResult ask(const Frames* frames, const rblShapeView* views, uint32_t frame, rblContactSet* set,
                     Cost* cost)
{
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = MARGIN;
    const double begin = rbl_timer_seconds();
    for (uint32_t a = 0; a < frames->body_count; ++a)
    {
        for (uint32_t b = a + 1; b < frames->body_count; ++b)
        {
            if (frames->fragment[a] || frames->fragment[b])
            {
                const rblTransform b_in_a =
                    rbl_transform_relative(frames->poses[frame][a], frames->poses[frame][b]);
                RBL_TRY(rbl_shape_collide(&views[a], &views[b], b_in_a, &options, NULL, set));
                cost->visited += set->visited;
                cost->pairs += set->count > 0;
            }
        }
    }
    cost->seconds += rbl_timer_seconds() - begin;
    return RBL_OK;
}

static rblResult ask_all(const Frames* frames, const rblShapeView* views, Cost* out)
{
    rblContactSet set = {.count = 0};
    rblResult result = RBL_OK;
    *out = (Cost){.seconds = 1e30};
    for (uint32_t repeat = 0; repeat < REPEATS && result == RBL_OK; ++repeat)
    {
        Cost cost = {.seconds = 0.0};
        for (uint32_t frame = 0; frame < frames->frame_count && result == RBL_OK; ++frame)
        {
            result = ask(frames, views, frame, &set, &cost);
        }
        out->seconds = rbl_tets_bench_smaller(out->seconds, cost.seconds);
        out->visited = cost.visited;
        out->pairs = cost.pairs;
    }
    rbl_contact_set_free(&set);
    return result;
}

// ---- ways to make fragments ----

static rblResult make_views(const Frames* frames, bool exact, bool rebuilt, rblShapeId* ids,
                            rblShapeView* views)
{
    for (uint32_t i = 0; i < frames->body_count; ++i)
    {
        views[i] = frames->views[i];
        if (frames->fragment[i] && (exact || rebuilt))
        {
            RBL_TRY(rbl_shape_create_fragment_reference(frames->views[i].shape, exact, rebuilt, &ids[i]));
            RBL_TRY(rbl_shape_view(ids[i], &views[i]));
        }
    }
    return RBL_OK;
}

static rblResult measure(rblBench* bench, const Frames* frames, bool exact, bool rebuilt)
{
    char subject[96];
    rblShapeId ids[MAX_BODIES] = {{0, 0}};
    rblShapeView views[MAX_BODIES];
    Cost cost = {.seconds = 0.0};
    const double begin = rbl_timer_seconds();
    rblResult result = make_views(frames, exact, rebuilt, ids, views);
    const double making = rbl_timer_seconds() - begin;
    result = result == RBL_OK ? ask_all(frames, views, &cost) : result;
    for (uint32_t i = 0; i < frames->body_count; ++i)
    {
        if (ids[i].index1 != 0)
        {
            (void)rbl_shape_destroy(ids[i]);
        }
    }
    RBL_TRY(result);
    snprintf(subject, sizeof subject, "piggy bank, %s field, %s tree", exact ? "exact" : "updated",
             rebuilt ? "rebuilt" : "updated");
    const double count = frames->frame_count;
    rbl_tets_bench_row(bench, subject, "queries of a step", 1e3 * cost.seconds / count, "ms", 0.0);
    rbl_tets_bench_row(bench, subject, "points visited in a step", cost.visited / count, "", 0.0);
    rbl_tets_bench_row(bench, subject, "pairs in contact", cost.pairs / count, "", 0.0);
    rbl_tets_bench_row(bench, subject, "making them anew", exact || rebuilt ? 1e3 * making : 0.0, "ms", 0.0);
    return RBL_OK;
}

rblResult rbl_bench_tets_anew(rblBench* bench)
{
    char path[512];
    rblSceneId scene;
    Frames* frames = calloc(1, sizeof *frames);
    if (frames == NULL)
    {
        return rbl_fail_memory();
    }
    snprintf(path, sizeof path, "%s/stress_piggy_bank.json", rbl_bench_scenes());
    rbl_bench_stage(bench, "updates of the piggy bank");
    rblResult result = RBL_OK;
    if (!rbl_bench_quick(bench) && rbl_scene_load(path, &scene) == RBL_OK)
    {
        result = play(scene, frames);
        for (uint32_t i = 0; i < 4 && result == RBL_OK && frames->frame_count > 0; ++i)
        {
            result = measure(bench, frames, i / 2 == 1, i % 2 == 1);
        }
        (void)rbl_scene_destroy(scene);
    }
    frames_free(frames);
    free(frames);
    return result;
}
