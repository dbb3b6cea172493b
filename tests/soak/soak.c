// A world under random hands: bodies are born, destroyed, broken, teleported, pushed, joined and asked about, for as long as one likes.
//   soak SECONDS [SEED [ROUNDS]]
// After every step: all numbers finite, all ids right, nothing frozen, memory bounded; and of every world the energy rule: with
// S the largest kinetic energy and the span of the potential, kinetic + potential - work rises by at most 1e-6 S in a step and
// 1e-4 S in all. One world in eight is wild: pushes there take no account of who is pushed, and a grain of ten grams that
// five hundred newtons turn by a lever of two metres spins faster than anything that makes sense.
// Exits with 1 and says seed and step when something is wrong: the same seed does the same again, with every compiler. For that,
// random numbers are drawn one by one: arguments of a call are evaluated in any order.
#include "base/random.h"
#include "base/timer.h"
#include "dynamics/world_check.h"
#include "math/quat.h"
#include "math/transform.h"
#include "rubble/joint.h"
#include "rubble/prescored.h"
#include "rubble/solids.h"
#include "rubble/stress.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WHOLE     150 // bodies that are no fragments
#define MAX_FRAGMENTS 60
#define MAX_BODIES    (MAX_WHOLE + MAX_FRAGMENTS)
#define MAX_JOINTS    40
#define SHAPES        9
#define GRAIN         7
#define BREAKERS      2
#define STEPS         600 // of one round, then the world is destroyed

typedef struct Soak
{
    rblRandom random;
    uint64_t seed;
    bool wild;
    int step;
    rblTasks tasks;
    rblWorldId world;
    rblShapeId shapes[SHAPES];
    rblBreakerId breakers[BREAKERS];
    rblBodyId ground;
    rblBodyId bodies[MAX_BODIES]; // all but the ground
    int body_count, whole_count;
    rblJointId joints[MAX_JOINTS];
    int joint_count;
    unsigned char* snapshot;
    size_t snapshot_size, snapshot_capacity;
    rblJointId saved_joints[MAX_JOINTS];
    int saved_joint_count;
    double energy; // kinetic + potential after the last step; NAN: not comparable with the next
    double kinetic_max, potential_min, potential_max;
    double rise, total_rise, most_total_rise;
    int worst_step;
} Soak;

// Of all worlds so far.
typedef struct Totals
{
    uint64_t worlds, steps, breaks;
    uint64_t hash;           // of all states
    double rise, total_rise; // of S
    size_t most_bytes;
} Totals;

static void complain(const Soak* soak, const char* what)
{
    fprintf(stderr, "soak: seed %llu, step %d: %s (%s)\n", (unsigned long long)soak->seed, soak->step, what,
            rbl_last_error());
    exit(1);
}

static void need(const Soak* soak, rblResult result, const char* what)
{
    if (result != RBL_OK)
    {
        complain(soak, what);
    }
}

// ---- random things ----

static float between(Soak* soak, float low, float high)
{
    return low + (high - low) * rbl_random_float(&soak->random);
}

static rblVec3 in_cube(Soak* soak, float half)
{
    const float x = between(soak, -half, half);
    const float y = between(soak, -half, half);
    return (rblVec3){x, y, between(soak, -half, half)};
}

static rblTransform some_pose(Soak* soak)
{
    const rblVec3 axis = in_cube(soak, 1.0f);
    const float angle = between(soak, 0.0f, 6.0f);
    rblTransform pose = {in_cube(soak, 1.5f), rbl_quat_from_axis_angle(axis, angle)};
    pose.p.y = between(soak, 0.2f, 4.0f);
    return pose;
}

static rblBodyId some_body(Soak* soak)
{
    const uint32_t count = (uint32_t)soak->body_count;
    return count > 0 ? soak->bodies[rbl_random_below(&soak->random, count)] : (rblBodyId){0};
}

// The bodies that are there now.
static void list_bodies(Soak* soak)
{
    rblBodyId all[MAX_BODIES + 1];
    uint32_t count = 0;
    need(soak, rbl_world_bodies(soak->world, all, MAX_BODIES + 1, &count), "bodies");
    if (count > MAX_BODIES + 1)
    {
        complain(soak, "there are more fragments than allowed");
    }
    soak->body_count = soak->whole_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState state;
        need(soak, rbl_body_state(soak->world, all[i], &state), "state");
        if (all[i].index1 != soak->ground.index1)
        {
            soak->bodies[soak->body_count++] = all[i];
            soak->whole_count += state.generation == 0;
        }
    }
}

// ---- shapes ----

static void make_shapes(Soak* soak)
{
    rblShapeId* shapes = soak->shapes;
    need(soak, rbl_shape_create_box((rblVec3){0.3f, 0.2f, 0.4f}, &shapes[0]), "box");
    need(soak, rbl_shape_create_sphere(0.15f, &shapes[1]), "sphere");
    need(soak, rbl_shape_create_capsule(0.1f, 0.5f, &shapes[2]), "capsule");
    need(soak, rbl_shape_create_cylinder(0.15f, 0.2f, &shapes[3]), "cylinder");
    rblVec3 points[16];
    for (int i = 0; i < 16; ++i)
    {
        points[i] = in_cube(soak, 0.2f);
    }
    need(soak, rbl_shape_create_hull(points, 16, &shapes[4]), "hull");
    const rblShapeChild children[2] = {{shapes[0], {{0, 0, 0}, {0, 0, 0, 1}}},
                                       {shapes[1], {{0.2f, 0.1f, 0}, {0, 0, 0, 1}}}};
    need(soak, rbl_shape_create_compound(children, 2, &shapes[5]), "compound");
    need(soak, rbl_shape_create_box((rblVec3){1.5f, 0.02f, 1.5f}, &shapes[6]), "plate");
    need(soak, rbl_shape_create_sphere(0.01f, &shapes[GRAIN]), "grain");
    rblLevelSetDef ring = rbl_default_level_set_def();
    ring.max_cells = 24;
    need(soak, rbl_mesh_make("torus", NULL, 0, &ring.mesh), "mesh");
    need(soak, rbl_shape_create_level_set(&ring, &shapes[8]), "level set");
    need(soak, rbl_mesh_destroy(ring.mesh), "mesh");
}

// Small pieces that disappear after a while, and stress.
static void make_breakers(Soak* soak)
{
    rblPrescoredDef prescored = rbl_default_prescored_def();
    prescored.pattern.pieces = 7;
    prescored.crumbs = RBL_CRUMBS_DEBRIS;
    prescored.smallest = 0.02f;
    prescored.lifetime = 0.5f;
    prescored.generations = 2;
    need(soak, rbl_breaker_create_prescored(&prescored, &soak->breakers[0]), "prescored");
    rblStressDef stress = rbl_default_stress_def();
    stress.tetrahedra = 200;
    stress.max_fragments = 8;
    need(soak, rbl_breaker_create_stress(&stress, &soak->breakers[1]), "stress");
}

// ---- what is done ----

static void spawn(Soak* soak)
{
    static const char* const materials[] = {"stone", "glass", "clay", "wood"};
    if (soak->whole_count >= MAX_WHOLE)
    {
        return;
    }
    rblBodyDef def = rbl_default_body_def();
    def.shape = soak->shapes[rbl_random_below(&soak->random, SHAPES)];
    need(soak, rbl_material_preset(materials[rbl_random_below(&soak->random, 4)], &def.material), "material");
    if (rbl_random_below(&soak->random, 3) == 0)
    {
        def.breaker = soak->breakers[rbl_random_below(&soak->random, 8) == 0];
        def.material.break_impulse =
            rbl_random_below(&soak->random, 2) == 0 ? 0.0f : between(soak, 1.0f, 50.0f);
    }
    const uint32_t kind = rbl_random_below(&soak->random, 12);
    def.type = kind == 0 ? RBL_BODY_STATIC : kind == 1 ? RBL_BODY_KINEMATIC : RBL_BODY_DYNAMIC;
    def.pose = some_pose(soak);
    def.material.restitution = between(soak, 0.0f, 0.8f);
    def.material.friction = between(soak, 0.0f, 1.0f);
    def.velocity = in_cube(soak, rbl_random_below(&soak->random, 20) == 0 ? 200.0f : 3.0f);
    def.spin = in_cube(soak, 10.0f);
    rblBodyId body;
    need(soak, rbl_body_create(soak->world, &def, &body), "create");
    list_bodies(soak);
}

static void forget_dead_joints(Soak* soak)
{
    int kept = 0;
    for (int i = 0; i < soak->joint_count; ++i)
    {
        if (rbl_joint_is_valid(soak->world, soak->joints[i]))
        {
            soak->joints[kept++] = soak->joints[i];
        }
    }
    soak->joint_count = kept;
}

static void destroy_one(Soak* soak)
{
    if (soak->body_count == 0)
    {
        return;
    }
    const uint32_t i = rbl_random_below(&soak->random, (uint32_t)soak->body_count);
    const rblBodyId body = soak->bodies[i];
    need(soak, rbl_body_destroy(soak->world, body), "destroy");
    list_bodies(soak);
    if (rbl_body_is_valid(soak->world, body) || rbl_body_destroy(soak->world, body) != RBL_ERROR_STALE)
    {
        complain(soak, "a destroyed body is still there");
    }
    forget_dead_joints(soak);
}

// Refused for bodies without a breaker.
static void break_one(Soak* soak)
{
    const rblBodyId body = some_body(soak);
    const rblVec3 normal = in_cube(soak, 1.0f);
    rblBodyState state;
    if (rbl_body_state(soak->world, body, &state) == RBL_OK)
    {
        (void)rbl_body_break(soak->world, body, state.center, normal);
        list_bodies(soak);
        forget_dead_joints(soak);
    }
}

static bool is_grain(const Soak* soak, const rblBodyState* state)
{
    return state->shape.index1 == soak->shapes[GRAIN].index1;
}

static void join_two(Soak* soak)
{
    if (soak->joint_count >= MAX_JOINTS || soak->body_count < 2)
    {
        return;
    }
    rblJointDef def = rbl_default_joint_def();
    def.kind = (rblJointKind)rbl_random_below(&soak->random, RBL_JOINT_KIND_COUNT);
    def.a = some_body(soak);
    def.b = rbl_random_below(&soak->random, 4) == 0 ? (rblBodyId){0} : some_body(soak);
    rblBodyState a;
    rblBodyState b = {.pose = {{0, 0, 0}, {0, 0, 0, 1}}};
    need(soak, rbl_body_state(soak->world, def.a, &a), "state");
    if (def.b.index1 != 0)
    {
        need(soak, rbl_body_state(soak->world, def.b, &b), "state");
    }
    // Neighbours only: a grain on a lever a hundred times its size is no machine.
    const bool near = rbl_length3(rbl_sub3(a.pose.p, b.pose.p)) < 1.0f;
    if (def.b.index1 != 0 && (!near || is_grain(soak, &a) || is_grain(soak, &b)))
    {
        return;
    }
    // Points that are together now, so that nothing has to be pulled across the scene.
    def.anchor_b = rbl_transform_inverse_point(b.pose, a.pose.p);
    def.break_force = between(soak, 100.0f, 5000.0f);
    def.collide = rbl_random_below(&soak->random, 2) == 0;
    const rblResult result = rbl_joint_create(soak->world, &def, &soak->joints[soak->joint_count]);
    soak->joint_count += result == RBL_OK; // two of infinite mass, or one with itself, are refused
}

// By what a hand or a gust could do to the body: some metres a second, some tens of radians a second.
static void push_one(Soak* soak)
{
    const rblBodyId body = some_body(soak);
    rblBodyState state;
    rblShapeView shape;
    if (soak->body_count == 0 || rbl_body_state(soak->world, body, &state) != RBL_OK)
    {
        return;
    }
    need(soak, rbl_shape_view(state.shape, &shape), "view");
    const bool wild = soak->wild && state.generation == 0; // a splinter of a milligram would be frozen
    const float weight = wild ? 1.0f : 0.01f * state.mass;
    const float reach = wild ? 2.0f : shape.radius;
    const rblVec3 origin = wild ? (rblVec3){0, 0, 0} : state.center;
    const rblVec3 force = rbl_scale3(in_cube(soak, 500.0f), weight);
    const rblVec3 point = rbl_add3(origin, in_cube(soak, reach));
    const rblVec3 impulse = rbl_scale3(in_cube(soak, wild ? 5.0f : 300.0f), weight);
    const rblVec3 torque = rbl_scale3(in_cube(soak, wild ? 20.0f : 500.0f * reach), weight);
    (void)rbl_body_apply_force(soak->world, body, force, point);
    (void)rbl_body_apply_impulse(soak->world, body, impulse, point);
    (void)rbl_body_apply_torque(soak->world, body, torque);
}

static bool count_body(rblBodyId body, void* context)
{
    (void)body;
    *(int*)context += 1;
    return true;
}

static void ask(Soak* soak)
{
    rblWorldHit hit;
    const rblVec3 origin = in_cube(soak, 3.0f);
    const rblRay ray = {origin, in_cube(soak, 1.0f), 0.0f, 10.0f};
    need(soak, rbl_world_ray(soak->world, &ray, UINT64_MAX, &hit), "ray");
    if (hit.body.index1 != 0 && !rbl_body_is_valid(soak->world, hit.body))
    {
        complain(soak, "a ray hit a body that is not there");
    }
    const rblShapeId shape = soak->shapes[rbl_random_below(&soak->random, SHAPES)];
    const rblVec3 way = in_cube(soak, 3.0f);
    need(soak, rbl_world_cast(soak->world, shape, some_pose(soak), way, UINT64_MAX, &hit), "cast");
    int count = 0;
    const rblAabb box = {{-1, -1, -1}, {1, 1, 1}};
    need(soak, rbl_world_overlap_box(soak->world, box, UINT64_MAX, count_body, &count), "overlap");
    need(soak, rbl_world_overlap_shape(soak->world, shape, some_pose(soak), UINT64_MAX, count_body, &count),
         "overlap");
}

static void save(Soak* soak)
{
    need(soak, rbl_world_save(soak->world, NULL, 0, &soak->snapshot_size), "size of a snapshot");
    if (soak->snapshot_size > soak->snapshot_capacity)
    {
        free(soak->snapshot);
        soak->snapshot_capacity = 2 * soak->snapshot_size;
        soak->snapshot = malloc(soak->snapshot_capacity);
    }
    need(soak, rbl_world_save(soak->world, soak->snapshot, soak->snapshot_capacity, &soak->snapshot_size),
         "save");
    memcpy(soak->saved_joints, soak->joints, sizeof soak->joints);
    soak->saved_joint_count = soak->joint_count;
}

static double total_energy(const Soak* soak)
{
    rblEnergy energy;
    need(soak, rbl_world_energy(soak->world, &energy), "energy");
    return energy.kinetic + energy.potential;
}

static void restore(Soak* soak)
{
    if (soak->snapshot_size == 0)
    {
        return;
    }
    need(soak, rbl_world_restore(soak->world, soak->snapshot, soak->snapshot_size), "restore");
    memcpy(soak->joints, soak->saved_joints, sizeof soak->joints);
    list_bodies(soak);
    soak->joint_count = soak->saved_joint_count;
    // Work that was pending then is booked again: begin to count anew after the next step.
    soak->energy = NAN;
}

// It becomes something else; refused for planes, and for the only one on a joint that can move.
static void change_body(Soak* soak)
{
    const rblBodyId body = some_body(soak);
    rblBodyState state;
    if (rbl_body_state(soak->world, body, &state) != RBL_OK)
    {
        return;
    }
    state.material.friction = 0.1f * (float)rbl_random_below(&soak->random, 10);
    need(soak, rbl_body_set_material(soak->world, body, &state.material), "material");
    need(soak,
         rbl_body_set_gravity_scale(soak->world, body, 0.5f * (float)rbl_random_below(&soak->random, 4)),
         "gravity scale");
    (void)rbl_body_set_type(soak->world, body,
                            rbl_random_below(&soak->random, 4) == 0 ? RBL_BODY_KINEMATIC : RBL_BODY_DYNAMIC);
}

static void steer_one(Soak* soak)
{
    const rblBodyId body = some_body(soak);
    const rblVec3 velocity = in_cube(soak, 5.0f);
    (void)rbl_body_set_velocity(soak->world, body, velocity, in_cube(soak, 20.0f));
}

static void filter_one(Soak* soak)
{
    const rblBodyId body = some_body(soak);
    const bool alone = rbl_random_below(&soak->random, 8) == 0;
    (void)rbl_body_set_filter(soak->world, body, (rblFilter){.category = 1, .mask = alone ? 0 : UINT64_MAX});
}

static void teleport_one(Soak* soak)
{
    const rblBodyId body = some_body(soak);
    (void)rbl_body_teleport(soak->world, body, some_pose(soak));
}

static void act(Soak* soak)
{
    switch (rbl_random_below(&soak->random, 18))
    {
    case 0:
    case 1:
    case 2:
        spawn(soak);
        break;
    case 3:
        destroy_one(soak);
        break;
    case 4:
        teleport_one(soak);
        break;
    case 5:
        push_one(soak);
        break;
    case 6:
        ask(soak);
        break;
    case 7:
        join_two(soak);
        break;
    case 8:
        steer_one(soak);
        break;
    case 9:
        filter_one(soak);
        break;
    case 10:
        change_body(soak);
        if (rbl_random_below(&soak->random, 10) == 0)
        {
            need(soak, rbl_world_set_gravity(soak->world, in_cube(soak, 10.0f)), "gravity");
        }
        break;
    case 11:
        if (soak->joint_count > 0)
        {
            need(soak, rbl_joint_destroy(soak->world, soak->joints[--soak->joint_count]), "joint");
        }
        break;
    case 12:
        save(soak);
        break;
    case 13:
        restore(soak);
        break;
    case 14:
        break_one(soak);
        break;
    default:
        break;
    }
}

// ---- what is checked ----

static void check_bodies(const Soak* soak)
{
    for (int i = 0; i < soak->body_count; ++i)
    {
        rblBodyState state;
        need(soak, rbl_body_state(soak->world, soak->bodies[i], &state), "a body is gone");
        const float square = rbl_quat_dot(state.pose.q, state.pose.q);
        if (!rbl_finite3(state.pose.p) || !rbl_finite3(state.velocity) || !rbl_finite3(state.spin) ||
            !(fabsf(square - 1.0f) < 1e-3f))
        {
            complain(soak, "a body is not finite");
        }
    }
    rblCounters counters;
    need(soak, rbl_world_counters(soak->world, &counters), "counters");
    if (counters.frozen != 0)
    {
        complain(soak, "a body was frozen");
    }
}

// Bodies that broke in the step were replaced by their fragments, and debris disappeared; nothing else came or went.
static uint32_t count_after_step(const Soak* soak, const rblWorld* world, uint32_t vanished, Totals* totals)
{
    const rblBreakEvent* events = NULL;
    uint32_t count = 0;
    uint32_t bodies = (uint32_t)soak->body_count - (world->vanished - vanished);
    need(soak, rbl_world_break_events(soak->world, &events, &count), "break events");
    for (uint32_t i = 0; i < count; ++i)
    {
        // What broke on demand did so before the step.
        bodies += events[i].by.index1 != 0 ? events[i].fragment_count - 1 : 0;
    }
    totals->breaks += count;
    return bodies;
}

static void check_energy(Soak* soak)
{
    rblEnergy energy;
    need(soak, rbl_world_energy(soak->world, &energy), "energy");
    const double total = energy.kinetic + energy.potential;
    if (!isfinite(total) || !isfinite(energy.work))
    {
        complain(soak, "the energy is not finite");
    }
    soak->kinetic_max = fmax(soak->kinetic_max, energy.kinetic);
    soak->potential_min = fmin(soak->potential_min, energy.potential);
    soak->potential_max = fmax(soak->potential_max, energy.potential);
    const double rise = isnan(soak->energy) ? 0.0 : total - energy.work - soak->energy;
    soak->worst_step = rise > soak->rise ? soak->step : soak->worst_step;
    soak->rise = fmax(soak->rise, rise);
    soak->total_rise += rise;
    soak->most_total_rise = fmax(soak->most_total_rise, soak->total_rise);
    soak->energy = total;
}

// The rule is about the whole run: its scale is known when it is over.
static void check_rule(Soak* soak, Totals* totals)
{
    const double scale = soak->kinetic_max + soak->potential_max - soak->potential_min;
    if (soak->rise > 1e-6 * scale || soak->most_total_rise > 1e-4 * scale)
    {
        soak->step = soak->worst_step;
        fprintf(stderr, "soak: energy rose by %.3g J in a step and %.3g J in all, the scale is %.3g J\n",
                soak->rise, soak->most_total_rise, scale);
        complain(soak, "energy appeared");
    }
    totals->rise = fmax(totals->rise, scale > 0.0 ? soak->rise / scale : 0.0);
    totals->total_rise = fmax(totals->total_rise, scale > 0.0 ? soak->most_total_rise / scale : 0.0);
}

static void begin(Soak* soak, uint64_t seed)
{
    *soak = (Soak){.random = rbl_random_seed(seed, 7), .seed = seed, .wild = seed % 8 == 0};
    soak->potential_min = INFINITY;
    soak->potential_max = -INFINITY;
    rblWorldDef world_def = rbl_default_world_def();
    world_def.max_fragments = MAX_FRAGMENTS;
    world_def.seed = seed;
    world_def.substeps = 1 + (uint32_t)(seed % 3 == 0);
    soak->tasks = rbl_default_tasks();
    soak->tasks.worker_count = 1 + (uint32_t)(seed % 2);
    world_def.tasks = &soak->tasks;
    need(soak, rbl_world_create(&world_def, &soak->world), "world");
    need(soak, rbl_world_check_stages(soak->world, RBL_CHECK_ALL), "checks");
    make_shapes(soak);
    make_breakers(soak);
    rblShapeId ground;
    need(soak, rbl_shape_create_plane((rblVec3){0, 1, 0}, &ground), "plane");
    rblBodyDef def = rbl_default_body_def();
    def.shape = ground;
    def.type = RBL_BODY_STATIC;
    need(soak, rbl_body_create(soak->world, &def, &soak->ground), "ground");
    need(soak, rbl_shape_destroy(ground), "ground");
}

static void end(Soak* soak)
{
    rblWorld* world = NULL;
    for (int i = 0; i < SHAPES; ++i)
    {
        need(soak, rbl_shape_destroy(soak->shapes[i]), "shape");
    }
    for (int i = 0; i < BREAKERS; ++i)
    {
        need(soak, rbl_breaker_destroy(soak->breakers[i]), "breaker");
    }
    need(soak, rbl_world_find(soak->world, &world), "world");
    need(soak, rbl_world_check(world, RBL_CHECK_SHAPES), "shapes");
    need(soak, rbl_world_destroy(soak->world), "destroy");
    free(soak->snapshot);
    if (rbl_bytes_in_use() != 0 || rbl_shape_alive_count() != 0 || rbl_breaker_alive_count() != 0)
    {
        complain(soak, "memory is left");
    }
}

static void step_once(Soak* soak, float seconds, Totals* totals)
{
    rblWorld* world = NULL;
    uint64_t hash = 0;
    need(soak, rbl_world_find(soak->world, &world), "world");
    const uint32_t vanished = world->vanished;
    need(soak, rbl_world_step(soak->world, seconds), "step");
    const uint32_t expected = count_after_step(soak, world, vanished, totals);
    list_bodies(soak);
    if (expected != (uint32_t)soak->body_count)
    {
        complain(soak, "the number of bodies is wrong");
    }
    need(soak, rbl_world_hash(soak->world, &hash), "hash");
    totals->hash = (totals->hash ^ hash) * 0x100000001b3u;
}

// One world from birth to death.
static void run_round(uint64_t seed, Totals* totals)
{
    static Soak soak;
    begin(&soak, seed);
    for (soak.step = 0; soak.step < STEPS; ++soak.step)
    {
        act(&soak);
        act(&soak);
        const float seconds =
            rbl_random_below(&soak.random, 10) == 0 ? between(&soak, 0.0f, 0.1f) : 1.0f / 30.0f;
        // What is there before the first step is the start, not work.
        soak.energy = soak.step == 0 ? total_energy(&soak) : soak.energy;
        step_once(&soak, seconds, totals);
        forget_dead_joints(&soak);
        check_bodies(&soak);
        check_energy(&soak);
        const size_t bytes = rbl_bytes_in_use();
        totals->most_bytes = bytes > totals->most_bytes ? bytes : totals->most_bytes;
        if (bytes > ((size_t)256 << 20))
        {
            complain(&soak, "too much memory");
        }
    }
    check_rule(&soak, totals);
    totals->worlds += 1;
    totals->steps += STEPS;
    end(&soak);
}

int main(int argc, char** argv)
{
    const double seconds = argc > 1 ? strtod(argv[1], NULL) : 3600.0;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t rounds = argc > 3 ? strtoull(argv[3], NULL, 10) : UINT64_MAX;
    const double start = rbl_timer_seconds();
    Totals totals = {0};
    while (totals.worlds < rounds && (totals.worlds == 0 || rbl_timer_seconds() - start < seconds))
    {
        run_round(first + totals.worlds, &totals);
    }
    printf(
        "soak: %llu worlds of %d steps from seed %llu in %.0f s, energy rose by %.2g S in a step and %.2g S "
        "in a run at most, %llu bodies broke, %zu kB at most, hash %016llx\n",
        (unsigned long long)totals.worlds, STEPS, (unsigned long long)first, rbl_timer_seconds() - start,
        totals.rise, totals.total_rise, (unsigned long long)totals.breaks, totals.most_bytes / 1024,
        (unsigned long long)totals.hash);
    return 0;
}
