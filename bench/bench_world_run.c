// Putting Rubble and its peers through a trial.
#include "bench/bench_world.h"

#include "base/error.h"
#include "math/quat.h"
#include "math/transform.h"
#include "rubble/joint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Rubble ----

typedef struct Player
{
    const rblWorldScene* scene;
    rblWorldId world;
    rblBodyId* bodies;
    rblWorldFacts* facts;
    uint32_t steps;
    uint64_t hash;
} Player;

static rblVec3 vec3_of(const float v[3])
{
    return (rblVec3){v[0], v[1], v[2]};
}

static rblResult add_body(Player* player, uint32_t index)
{
    const rblTrialBody* from = &player->scene->trial.bodies[index];
    rblBodyDef def = rbl_default_body_def();
    def.shape = player->scene->shapes[from->shape];
    def.type = from->moves ? RBL_BODY_DYNAMIC : RBL_BODY_STATIC;
    def.pose = (rblTransform){vec3_of(from->position),
                              {from->rotation[0], from->rotation[1], from->rotation[2], from->rotation[3]}};
    def.velocity = vec3_of(from->velocity);
    def.spin = vec3_of(from->spin);
    def.asleep = from->asleep != 0;
    def.material.density = from->density;
    def.material.friction = from->friction;
    def.material.restitution = from->restitution;
    return rbl_body_create(player->world, &def, &player->bodies[index]);
}

static rblVec3 on_body(const Player* player, uint32_t index, const float point[3])
{
    rblBodyState state = {.mass = 0.0f};
    rbl_body_state(player->world, player->bodies[index], &state);
    return rbl_transform_inverse_point(state.pose, vec3_of(point));
}

static rblResult add_joint(Player* player, const rblTrialJoint* from)
{
    rblJointDef def = rbl_default_joint_def();
    rblJointId joint;
    rblBodyState state;
    def.kind = from->hinges ? RBL_JOINT_HINGE : RBL_JOINT_BALL;
    def.a = player->bodies[from->a];
    def.anchor_a = on_body(player, from->a, from->point);
    def.anchor_b = vec3_of(from->point);
    if (from->b != RBL_TRIAL_WORLD)
    {
        def.b = player->bodies[from->b];
        def.anchor_b = on_body(player, from->b, from->point);
    }
    RBL_TRY(rbl_body_state(player->world, def.a, &state));
    def.axis = from->hinges ? rbl_inverse_rotate3(state.pose.q, vec3_of(from->axis)) : def.axis;
    return rbl_joint_create(player->world, &def, &joint);
}

static rblResult open_world(Player* player)
{
    const rblTrialSetup* setup = &player->scene->trial.setup;
    const rblTasks tasks = rbl_bench_tasks(setup->threads);
    rblWorldDef def = rbl_default_world_def();
    def.gravity = vec3_of(setup->gravity);
    def.sleeping = player->scene->sleeping;
    def.tasks = &tasks;
    RBL_TRY(rbl_world_create(&def, &player->world));
    for (uint32_t i = 0; i < setup->body_count; ++i)
    {
        RBL_TRY(add_body(player, i));
    }
    for (uint32_t i = 0; i < setup->joint_count; ++i)
    {
        RBL_TRY(add_joint(player, &player->scene->trial.joints[i]));
    }
    return RBL_OK;
}

static void close_player(void* world)
{
    Player* player = world;
    rbl_world_hash(player->world, &player->hash);
    rbl_world_destroy(player->world);
    player->world = (rblWorldId){0, 0};
}

static void* open_player(const rblTrial* trial, void* user)
{
    (void)trial;
    Player* player = user;
    player->steps = 0;
    if (open_world(player) != RBL_OK)
    {
        rbl_world_destroy(player->world);
        return NULL;
    }
    return player;
}

static int step_player(void* world)
{
    const Player* player = world;
    return rbl_world_step(player->world, player->scene->trial.setup.step) == RBL_OK ? 0 : 1;
}

// The body's own axes: those of its inertia, see rblTrialShape.
static void tell_state(void* world, uint32_t index, rblTrialState* out)
{
    const Player* player = world;
    const rblTrial* trial = &player->scene->trial;
    rblBodyState state = {.mass = 0.0f};
    rbl_body_state(player->world, player->bodies[index], &state);
    const double rotation[4] = {(double)state.pose.q.x, (double)state.pose.q.y, (double)state.pose.q.z,
                                (double)state.pose.q.w};
    rbl_trial_multiply(rotation, trial->shapes[trial->bodies[index].shape].axes, out->rotation);
    const float* from[3] = {&state.center.x, &state.velocity.x, &state.spin.x};
    double* to[3] = {out->position, out->velocity, out->spin};
    for (int k = 0; k < 9; ++k)
    {
        to[k / 3][k % 3] = (double)from[k / 3][k % 3];
    }
}

static double note_facts(void* world)
{
    Player* player = world;
    rblWorldFacts* facts = &player->facts[player->steps++];
    rbl_world_profile(player->world, &facts->profile);
    rbl_world_energy(player->world, &facts->energy);
    rbl_world_counters(player->world, &facts->counters);
    return facts->counters.contacts;
}

static double world_bytes(const rblWorldRuns* runs)
{
    double bytes = (double)runs->facts[runs->ours.step_count - 1].counters.bytes;
    for (uint32_t i = 0; i < runs->scene->trial.setup.shape_count && bytes > 0.0; ++i)
    {
        rblShapeView view = {.bytes = 0};
        rbl_shape_view(runs->scene->shapes[i], &view);
        bytes += (double)view.bytes;
    }
    return bytes;
}

rblResult rbl_world_play(const rblWorldScene* scene, rblWorldRuns* out)
{
    const rblTrialSetup* setup = &scene->trial.setup;
    Player player = {.scene = scene};
    rblWorldRuns runs = {.scene = scene};
    player.bodies = calloc(setup->body_count, sizeof *player.bodies);
    player.facts = calloc(setup->steps + 1, sizeof *player.facts);
    const rblTrialEngine engine = {"Rubble",   open_player, close_player, step_player,
                                   tell_state, note_facts,  &player};
    const bool allocated = player.bodies != NULL && player.facts != NULL;
    const bool done = allocated && rbl_trial_play(&scene->trial, &engine, &runs.ours) == 0;
    free(player.bodies);
    if (!done)
    {
        free(player.facts);
        return allocated ? rbl_fail(RBL_ERROR_ARGUMENT, "a scene could not be played: %s", rbl_last_error())
                         : rbl_fail_memory();
    }
    runs.facts = player.facts;
    runs.hash = player.hash;
    runs.ours.bytes = world_bytes(&runs);
    *out = runs;
    return RBL_OK;
}

void rbl_world_runs_free(rblWorldRuns* runs)
{
    rbl_trial_run_free(&runs->ours);
    for (int i = 0; i < RBL_WORLD_PEERS; ++i)
    {
        rbl_trial_run_free(&runs->theirs[i]);
    }
    free(runs->facts);
    *runs = (rblWorldRuns){.scene = NULL};
}

// ---- peers ----

static const char* const peer_names[RBL_WORLD_PEERS] = {"bullet-world", "ode-world", "bullet-parts-world"};

static bool has_peer(const rblWorldBench* bench, const char* name)
{
    const char* found = strstr(bench->peers, name);
    return found != NULL && (found == bench->peers || found[-1] == '\n') && found[strlen(name)] == '\n';
}

void rbl_world_find_peers(rblWorldBench* bench)
{
    char note[128];
    rbl_bench_list_peers(bench->bench, bench->peers, sizeof bench->peers);
    for (int i = 0; i < RBL_WORLD_PEERS; ++i)
    {
        if (!has_peer(bench, peer_names[i]))
        {
            snprintf(note, sizeof note, "%s is not compared: rubble-peers was built without it",
                     peer_names[i]);
            rbl_bench_note(bench->bench, note);
        }
    }
}

static bool ask_peer(rblWorldBench* bench, const char* name, const char* subject, const rblTrial* trial,
                     const char* trial_path, rblTrialRun* out)
{
    char stage[128];
    char run_path[512];
    snprintf(stage, sizeof stage, "%s: %s", subject, name);
    snprintf(run_path, sizeof run_path, "%s/run", bench->folder);
    rbl_bench_stage(bench->bench, stage);
    const char* const arguments[] = {name, subject, trial_path, run_path, NULL};
    rblPeerFigures none;
    rbl_array_init(&none, rbl_default_allocator());
    rbl_bench_peer_figures(bench->bench, arguments, &none);
    rbl_array_free(&none);
    const bool ok = rbl_trial_run_read(trial, run_path, out) == 0;
    remove(run_path);
    return ok;
}

rblResult rbl_world_ask_peers(rblWorldBench* bench, const char* subject, const rblTrial* trial,
                              uint32_t peers, rblWorldRuns* runs)
{
    char path[512];
    snprintf(path, sizeof path, "%s/trial", bench->folder);
    for (int i = 0; i < RBL_WORLD_PEERS; ++i)
    {
        if ((peers >> i & 1u) != 0 && has_peer(bench, peer_names[i]))
        {
            if (rbl_trial_write(trial, path) != 0)
            {
                return rbl_fail(RBL_ERROR_FILE,
                                "%s: cannot be written, set TMPDIR to a folder with free space", path);
            }
            runs->ran[i] = ask_peer(bench, peer_names[i], subject, trial, path, &runs->theirs[i]);
            remove(path);
        }
    }
    return RBL_OK;
}

rblResult rbl_world_compare(rblWorldBench* bench, const char* subject, const rblWorldScene* scene,
                            uint32_t peers, rblWorldRuns* out)
{
    rblWorldRuns runs;
    rbl_bench_stage(bench->bench, subject);
    RBL_TRY(rbl_world_play(scene, &runs));
    const rblResult result = rbl_world_ask_peers(bench, subject, &scene->trial, peers, &runs);
    if (result != RBL_OK)
    {
        rbl_world_runs_free(&runs);
        return result;
    }
    *out = runs;
    return RBL_OK;
}
