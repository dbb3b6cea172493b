// Joints: a chain that swings with a heavy ball, and a bridge that carries boxes.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <string.h>

#define LINKS  100
#define PLANKS 59
#define BOXES  15
#define PLANK  0.5f  // m
#define FALLEN -20.0 // m: a box below this has fallen off the bridge

// ---- scenes ----

static rblTrialJoint joint_at(uint32_t a, uint32_t b, float x, float y, uint32_t hinges)
{
    return (rblTrialJoint){
        .a = a, .b = b, .hinges = hinges, .point = {x, y, 0.0f}, .axis = {0.0f, 0.0f, 1.0f}};
}

// Links of 1 kg from the origin to the right, and a ball of 1000 kg at the end.
static rblResult make_chain(rblWorldScene* scene)
{
    const float length = 0.1f;
    uint32_t link = 0;
    uint32_t ball = 0;
    RBL_TRY(rbl_world_scene_box(scene, 0.09f, 0.02f, 0.025f, &link));
    RBL_TRY(rbl_world_scene_ball(scene, 0.3f, &ball));
    for (uint32_t i = 0; i <= LINKS; ++i)
    {
        const bool last = i == LINKS;
        const float at = length * (float)i;
        rblTrialBody body =
            rbl_world_body(last ? ball : link, at + (last ? 0.3f : 0.5f * length), 0.0f, 0.0f);
        body.density = last ? 1000.0f / (4.18879f * 0.027f) : 1.0f / (0.09f * 0.02f * 0.025f);
        RBL_TRY(rbl_world_scene_add(scene, &body));
        const rblTrialJoint joint = joint_at(i, i > 0 ? i - 1 : RBL_TRIAL_WORLD, at, 0.0f, 0);
        RBL_TRY(rbl_world_scene_join(scene, &joint));
    }
    return RBL_OK;
}

// Planks in a straight line between two fixed ends, and boxes that fall on them.
static rblResult make_bridge(rblWorldScene* scene)
{
    uint32_t plank = 0;
    uint32_t box = 0;
    RBL_TRY(rbl_world_scene_box(scene, 0.48f, 0.1f, 2.0f, &plank));
    RBL_TRY(rbl_world_scene_box(scene, 0.6f, 0.6f, 0.6f, &box));
    for (uint32_t i = 0; i < PLANKS; ++i)
    {
        const rblTrialBody body = rbl_world_body(plank, PLANK * ((float)i + 0.5f), 0.0f, 0.0f);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    for (uint32_t i = 0; i <= PLANKS; ++i)
    {
        const bool last = i == PLANKS;
        const uint32_t before = i == 0 || last ? RBL_TRIAL_WORLD : i - 1;
        const rblTrialJoint joint = joint_at(last ? i - 1 : i, before, PLANK * (float)i, 0.0f, 1);
        RBL_TRY(rbl_world_scene_join(scene, &joint));
    }
    for (uint32_t i = 0; i < BOXES; ++i)
    {
        const rblTrialBody body = rbl_world_body(box, 3.0f + 1.6f * (float)i, 1.0f, 0.0f);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

// ---- figures ----

static double mean_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    double sum = 0.0;
    for (uint32_t i = 1; i < run->step_count; ++i)
    {
        sum += run->steps[i].milliseconds;
    }
    return sum / fmax(1.0, (double)run->step_count - 1.0);
}

// Where the point of a joint lies that belongs to a body, at a state.
static void joint_point(const rblTrial* trial, const rblTrialJoint* joint, uint32_t body,
                        const rblTrialState* states, double out[3])
{
    rblTrialState start;
    double from[3];
    double own[3];
    if (body == RBL_TRIAL_WORLD)
    {
        for (int k = 0; k < 3; ++k)
        {
            out[k] = (double)joint->point[k];
        }
        return;
    }
    rbl_trial_start(trial, body, &start);
    for (int k = 0; k < 3; ++k)
    {
        from[k] = (double)joint->point[k] - start.position[k];
    }
    rbl_trial_turn_back(start.rotation, from, own);
    rbl_trial_turn(states[body].rotation, own, out);
    for (int k = 0; k < 3; ++k)
    {
        out[k] += states[body].position[k];
    }
}

// The largest distance of the two points of a joint in any step, mm.
static double stretch(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    const rblTrial* trial = &runs->scene->trial;
    double most = 0.0;
    for (uint32_t frame = 0; frame < run->frame_count; ++frame)
    {
        const rblTrialState* states = rbl_trial_frame(trial, run, frame);
        for (uint32_t i = 0; i < trial->setup.joint_count; ++i)
        {
            double a[3];
            double b[3];
            joint_point(trial, &trial->joints[i], trial->joints[i].a, states, a);
            joint_point(trial, &trial->joints[i], trial->joints[i].b, states, b);
            const double square =
                (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
            most = fmax(most, 1e3 * sqrt(square));
        }
    }
    return most;
}

static const rblTrialState* last_states(const rblWorldRuns* runs, const rblTrialRun* run)
{
    return rbl_trial_frame(&runs->scene->trial, run, run->frame_count - 1);
}

static double boxes_left(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    const rblTrialState* states = last_states(runs, run);
    double left = 0.0;
    for (uint32_t i = 0; i < BOXES; ++i)
    {
        left += states[PLANKS + i].position[1] > FALLEN ? 1.0 : 0.0;
    }
    return left;
}

static double sag(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    return -1e3 * last_states(runs, run)[PLANKS / 2].position[1];
}

// ---- rows ----

typedef struct JointScene
{
    const char* subject;
    rblResult (*make)(rblWorldScene* scene);
    double marks[2]; // Box3D: ms; boxes
    bool carries;
} JointScene;

static const JointScene scenes[] = {
    {"chain of 100 links, 1 kg, with 1000 kg", make_chain, {0.0, 0.0}, false},
    {"bridge of 60 hinges, 15 boxes", make_bridge, {0.13, 0.0}, true},
};

static rblResult measure(rblWorldBench* bench, const JointScene* from)
{
    rblWorldScene scene = rbl_world_scene(10.0);
    rblWorldRuns runs = {.scene = NULL};
    scene.trial.setup.every_step = 1;
    scene.trial.setup.steps = rbl_bench_size(bench->bench, scene.trial.setup.steps, 5);
    scene.trial.setup.repeats = rbl_bench_size(bench->bench, 3, 1);
    rblResult result = from->make(&scene);
    result =
        result == RBL_OK ? rbl_world_compare(bench, from->subject, &scene, RBL_WORLD_ALL, &runs) : result;
    if (result == RBL_OK)
    {
        const char* mark = from->carries ? "Box3D" : NULL;
        const rblWorldRow rows[] = {
            {from->subject, "mean step", "ms", mean_step, NULL, mark, from->marks[0]},
            {from->subject, "stretch of a joint, most", "mm", stretch, NULL, NULL, 0.0},
            {from->subject, "boxes that stay", "bodies", boxes_left, NULL, NULL, from->marks[1]},
            {from->subject, "sag at the end", "mm", sag, NULL, NULL, 0.0},
        };
        for (size_t i = 0; i < (from->carries ? 4u : 2u); ++i)
        {
            rbl_world_row(bench, &runs, &rows[i]);
        }
        rbl_world_energy_rows(bench, from->subject, &runs);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

rblResult rbl_bench_world_joints(rblWorldBench* bench)
{
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
    {
        RBL_TRY(measure(bench, &scenes[i]));
    }
    return RBL_OK;
}
