// Bodies that break inside the step: who, when, what it costs, and how the fragments move.
#include "breaking_testing.h"
#include "dynamics/stages.h"
#include "rubble/prescored.h"
#include <string.h>

// ---- impacts ----

// A box falls flat on the ground. Whether it broke.
static bool drop_box(BoxBreaker boxes, float height, float seconds, float restitution)
{
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.2f, 0.1f, 0.3f);
    def.pose.p = vec(0, 0.05f + height, 0);
    def.material.restitution = restitution;
    def.breaker = breaker;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    Watch w = watch(world);
    bool broke = false;
    for (float t = 0.0f; t < 1.0f; t += seconds)
    {
        watched_step(&w, seconds);
        broke = broke || counters_of(world).breaks > 0;
    }
    check_energy_rule(&w);
    end(world, breaker, &boxes);
    return broke;
}

static void the_verdict_does_not_depend_on_the_step(void** state)
{
    (void)state;
    const float rates[4] = {15, 30, 60, 120};
    const float mass = 0.006f * 2600.0f;
    const float height = 0.8f;
    const float speed = sqrtf(2.0f * 9.81f * height);
    for (int e = 0; e < 2; ++e)
    {
        const float restitution = e == 0 ? 0.0f : 0.4f;
        const BoxBreaker by_energy = {.counts = {2, 1, 2}, .energy = 0.5f * mass * speed * speed};
        const BoxBreaker by_impulse = {.counts = {2, 1, 2}, .impulse = (1.0f + restitution) * mass * speed};
        for (int i = 0; i < 4; ++i)
        {
            const float seconds = 1.0f / rates[i];
            assert_false(drop_box(by_energy, 0.98f * height, seconds, restitution));
            assert_true(drop_box(by_energy, 1.02f * height, seconds, restitution));
            assert_false(drop_box(by_impulse, 0.98f * height, seconds, restitution));
            assert_true(drop_box(by_impulse, 1.02f * height, seconds, restitution));
        }
    }
}

// A pane of glass falls flat on the ground, with the breaker that judges by strength.
static bool pane_breaks(rblBreakerId breaker, float height, float seconds)
{
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_material_preset("glass", &def.material));
    def.shape = make_box(0.3f, 0.01f, 0.3f);
    def.pose.p = vec(0, 0.005f + height, 0);
    def.breaker = breaker;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    for (float t = 0.0f; t < 0.5f && rbl_body_is_valid(world, body); t += seconds)
    {
        check_ok(rbl_world_step(world, seconds));
    }
    const bool broke = !rbl_body_is_valid(world, body);
    check_ok(rbl_world_destroy(world));
    return broke;
}

static void strength_does_not_depend_on_the_step(void** state)
{
    (void)state;
    const rblPrescoredDef def = rbl_default_prescored_def();
    const float rates[3] = {15, 30, 60};
    rblBreakerId breaker;
    float low = 0.001f;
    float high = 1.0f;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    for (int i = 0; i < 12; ++i)
    {
        const float middle = sqrtf(low * high);
        *(pane_breaks(breaker, middle, 1.0f / 120.0f) ? &high : &low) = middle;
    }
    for (int i = 0; i < 3; ++i)
    {
        assert_false(pane_breaks(breaker, 0.98f * low, 1.0f / rates[i]));
        assert_true(pane_breaks(breaker, 1.02f * high, 1.0f / rates[i]));
    }
    check_ok(rbl_breaker_destroy(breaker));
}

// A thing falls from a height, tilted, below its lowest point.
static bool thing_breaks(rblShapeId shape, rblBreakerId breaker, float tilt, float height, float seconds)
{
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    rblShapeView view;
    check_ok(rbl_material_preset("ceramic", &def.material));
    check_ok(rbl_shape_view(shape, &view));
    def.shape = shape;
    def.breaker = breaker;
    def.pose.q = rbl_quat_from_axis_angle(vec(0.6f, 0, 0.8f), tilt);
    float lowest = INFINITY;
    for (uint32_t i = 0; i < view.sample_count; ++i)
    {
        lowest = rbl_minf(lowest, rbl_rotate3(def.pose.q, view.samples[i]).y);
    }
    def.pose.p = vec(0, height - lowest, 0);
    check_ok(rbl_body_create(world, &def, &body));
    for (float t = 0.0f; t < 0.5f && rbl_body_is_valid(world, body); t += seconds)
    {
        check_ok(rbl_world_step(world, seconds));
    }
    const bool broke = !rbl_body_is_valid(world, body);
    check_ok(rbl_world_destroy(world));
    return broke;
}

// Shapes that are not convex have the speed of their fall at their impact, too.
static void hollow_things_break_alike_at_every_rate(void** state)
{
    (void)state;
    static const char* const kinds[4] = {"bowl", "vase", "piggybank", "statue"};
    static const float rates[3] = {15, 30, 60};
    const rblPrescoredDef prescored = rbl_default_prescored_def();
    rblBreakerId breaker;
    check_ok(rbl_breaker_create_prescored(&prescored, &breaker));
    for (int k = 0; k < 8; ++k)
    {
        rblLevelSetDef def = rbl_default_level_set_def();
        rblShapeId shape;
        def.max_cells = 40;
        check_ok(rbl_mesh_make(kinds[k % 4], NULL, 0, &def.mesh));
        check_ok(rbl_shape_create_level_set(&def, &shape));
        check_ok(rbl_mesh_destroy(def.mesh));
        const float tilt = k < 4 ? 0.0f : 0.35f;
        float low = 0.01f;
        float high = 1.0f;
        for (int i = 0; i < 10; ++i)
        {
            const float middle = sqrtf(low * high);
            *(thing_breaks(shape, breaker, tilt, middle, 1.0f / 120.0f) ? &high : &low) = middle;
        }
        for (int i = 0; i < 3; ++i)
        {
            assert_false(thing_breaks(shape, breaker, tilt, 0.98f * low, 1.0f / rates[i]));
            assert_true(thing_breaks(shape, breaker, tilt, 1.02f * high, 1.0f / rates[i]));
        }
        check_ok(rbl_shape_destroy(shape));
    }
    check_ok(rbl_breaker_destroy(breaker));
}

static void resting_weight_breaks_nothing(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {2, 2, 2}, .impulse = 1.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    put_breakable(world, breaker, vec(0.4f, 0.1f, 0.4f), vec(0, 0.05f, 0), RBL_BODY_DYNAMIC);
    put(world, make_box(0.4f, 0.4f, 0.4f), RBL_BODY_DYNAMIC, vec(0, 0.3f, 0)); // 166 kg: 54 N s a step
    step_times(world, 60);
    assert_int_equal(counters_of(world).breaks, 0);
    end(world, breaker, &boxes);
}

static void cracks_are_paid_by_the_impact(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {5, 1, 5}, .energy = 10.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const double gc = 2.0 * (double)rbl_default_body_def().material.surface_energy;
    const float rates[2] = {30, 120};
    for (int r = 0; r < 2; ++r)
    {
        const Plate plate = make_plate(breaker, (rblBreakerId){0, 0}, 6.0f);
        Watch w = watch(plate.world);
        uint32_t breaks = 0;
        for (int i = 0; i < (int)(2.0f * rates[r]); ++i)
        {
            const rblBreakEvent* events;
            watched_step(&w, 1.0f / rates[r]);
            const uint32_t count = events_of(plate.world, &events);
            for (uint32_t k = 0; k < count; ++k)
            {
                assert_int_equal(events[k].fragment_count, 25);
                assert_int_equal(events[k].by.index1, plate.ball.index1);
                check_relative(events[k].surface_energy, gc * events[k].crack_area, 1e-6);
                assert_true(events[k].heat >= 0.0);
                assert_true(events[k].impulse > 0.0f && events[k].speed > 6.0f);
                assert_true(energy_of(plate.world).dissipated >= events[k].surface_energy);
            }
            breaks += count;
        }
        check_energy_rule(&w);
        assert_int_equal(breaks, 1);
        assert_int_equal(counters_of(plate.world).fragments, 25);
        assert_true(state_of(plate.world, plate.ball).center.y < 0.9f); // it went through
        check_all_finite(plate.world);
        check_ok(rbl_world_destroy(plate.world));
    }
    end(make_world(true), breaker, &boxes);
}

static void what_the_impact_cannot_pay_breaks_less_or_not(void** state)
{
    (void)state;
    uint32_t pieces[3];
    for (int i = 0; i < 3; ++i)
    {
        BoxBreaker boxes = {.counts = {6, 1, 6}, .energy = 1.0f};
        const rblBreakerId breaker = make_box_breaker(&boxes);
        const rblWorldId world = make_world(false);
        put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
        rblBodyDef def = rbl_default_body_def();
        def.shape = make_box(0.4f, 0.1f, 0.4f);
        def.pose.p = vec(0, 0.55f, 0); // 41.6 kg: 204 J
        def.material.surface_energy = i == 0 ? 1.0f : (i == 1 ? 600.0f : 1e5f);
        def.breaker = breaker;
        rblBodyId body;
        check_ok(rbl_body_create(world, &def, &body));
        check_ok(rbl_shape_destroy(def.shape));
        Watch w = watch(world);
        for (int k = 0; k < 30; ++k)
        {
            watched_step(&w, STEP);
        }
        check_energy_rule(&w);
        pieces[i] = counters_of(world).fragments;
        assert_int_equal(rbl_body_is_valid(world, body), i == 2);
        end(world, breaker, &boxes);
    }
    assert_int_equal(pieces[0], 36);
    assert_in_range(pieces[1], 2, 20);
    assert_int_equal(pieces[2], 0);
}

static void both_of_a_collision_may_break(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {2, 2, 1}, .energy = 5.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    const rblBodyId a = put_breakable(world, breaker, vec(0.3f, 0.3f, 0.3f), vec(-1, 0, 0), RBL_BODY_DYNAMIC);
    const rblBodyId b =
        put_breakable(world, breaker, vec(0.3f, 0.3f, 0.3f), vec(1, 0.1f, 0), RBL_BODY_DYNAMIC);
    check_ok(rbl_body_set_velocity(world, a, vec(4, 0, 0), vec(0, 0, 0)));
    check_ok(rbl_body_set_velocity(world, b, vec(-4, 0, 0), vec(0, 0, 0)));
    Watch w = watch(world);
    const rblEnergy before = energy_of(world);
    for (int i = 0; i < 30; ++i)
    {
        watched_step(&w, STEP);
    }
    const rblEnergy after = energy_of(world);
    check_energy_rule(&w);
    assert_int_equal(counters_of(world).breaks, 2);
    assert_int_equal(counters_of(world).bodies, 8);
    for (int k = 0; k < 3; ++k)
    {
        check_close(after.momentum[k], before.momentum[k], 1e-5 * 560.0);
        const double drift = after.angular_momentum[k] - before.angular_momentum[k];
        check_close(drift, 0.0,
                    1e-3 * 560.0); // the 1 m that they are apart; drift correction reports its share
    }
    end(world, breaker, &boxes);
}

// ---- static bodies ----

static uint32_t count_static(rblWorldId world)
{
    rblBodyId ids[256];
    uint32_t count = 0;
    uint32_t still = 0;
    check_ok(rbl_world_bodies(world, ids, 256, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblBodyState now = state_of(world, ids[i]);
        still += now.generation > 0 && now.type == RBL_BODY_STATIC;
    }
    return still;
}

static void anchored_fragments_stay(void** state)
{
    (void)state;
    const rblAnchor anchors[4] = {{.kind = RBL_ANCHOR_TOUCH},
                                  {.kind = RBL_ANCHOR_BOTTOM},
                                  {.kind = RBL_ANCHOR_BOX, .box = {{-2, 1.5f, -2}, {2, 3, 2}}},
                                  {.kind = RBL_ANCHOR_NONE}};
    const uint32_t expected[4] = {4, 4, 8, 0};
    for (int i = 0; i < 4; ++i)
    {
        BoxBreaker boxes = {.counts = {4, 4, 1}, .energy = 20.0f};
        const rblBreakerId breaker = make_box_breaker(&boxes);
        const rblWorldId world = make_world(true);
        put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
        rblBodyDef def = rbl_default_body_def();
        def.shape = make_box(2, 2, 0.1f);
        def.type = RBL_BODY_STATIC;
        def.pose.p = vec(0, 1, 0);
        def.breaker = breaker;
        def.anchor = anchors[i];
        rblBodyId wall;
        check_ok(rbl_body_create(world, &def, &wall));
        check_ok(rbl_shape_destroy(def.shape));
        const rblBodyId ball = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0.1f, 1.1f, 1.5f));
        check_ok(rbl_body_set_velocity(world, ball, vec(0, 1, -12), vec(0, 0, 0)));
        Watch w = watch(world);
        for (int k = 0; k < 60; ++k)
        {
            watched_step(&w, STEP);
        }
        check_energy_rule(&w);
        assert_false(rbl_body_is_valid(world, wall));
        assert_int_equal(counters_of(world).fragments, 16);
        assert_int_equal(count_static(world), expected[i]);
        end(world, breaker, &boxes);
    }
}

// ---- what hangs together ----

static void joints_go_to_the_fragment_that_holds_them(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {4, 1, 1}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    const rblBodyId bar = put_breakable(world, breaker, vec(1, 0.1f, 0.1f), vec(0, 2, 0), RBL_BODY_DYNAMIC);
    const rblBodyId weight = put(world, make_box(0.1f, 0.1f, 0.1f), RBL_BODY_DYNAMIC, vec(-0.45f, 1.5f, 0));
    rblJointDef def = rbl_default_joint_def();
    rblJointId top;
    rblJointId rope;
    def.kind = RBL_JOINT_FIXED;
    def.a = bar;
    def.anchor_a = vec(0.45f, 0, 0);
    def.anchor_b = vec(0.45f, 2, 0);
    check_ok(rbl_joint_create(world, &def, &top));
    def.kind = RBL_JOINT_BALL;
    def.a = weight;
    def.b = bar;
    def.anchor_a = vec(0, 0.5f, 0);
    def.anchor_b = vec(-0.45f, 0, 0);
    check_ok(rbl_joint_create(world, &def, &rope));
    step_times(world, 5);
    check_ok(rbl_body_break(world, bar, vec(0, 2, 0), vec(0, -1, 0)));
    const rblBreakEvent* event;
    assert_int_equal(events_of(world, &event), 1);
    const rblBodyId first = event->fragments[0];
    const rblBodyId last = event->fragments[3];
    const rblVec3 at = state_of(world, last).center;
    step_times(world, 30);
    assert_true(rbl_joint_is_valid(world, top) && rbl_joint_is_valid(world, rope));
    assert_true(rbl_length3(rbl_sub3(state_of(world, last).center, at)) < 0.02f); // held by the fixed joint
    assert_true(state_of(world, first).center.y < -1.0f);                         // falls with the weight
    const rblVec3 apart = rbl_sub3(state_of(world, first).center, state_of(world, weight).center);
    check_close(rbl_length3(apart), 0.5, 0.2);
    end(world, breaker, &boxes);
}

static void sleepers_on_a_body_that_breaks_wake(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {3, 1, 1}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const Plate plate = make_plate(breaker, (rblBreakerId){0, 0}, 0.0f);
    step_times(plate.world, 90);
    assert_int_equal(counters_of(plate.world).awake, 0);
    check_ok(rbl_body_break(plate.world, plate.plate, vec(0, 1, 0), vec(0, -1, 0)));
    step_times(plate.world, 30);
    assert_true(state_of(plate.world, plate.ball).center.y < 0.9f);
    end(plate.world, breaker, &boxes);
}

// A ball collides with a sleeper in the step in which another body breaks: the sleeper wakes and moves as without the break.
static rblBodyState collide_with_sleeper(bool breaks)
{
    BoxBreaker boxes = {.counts = {3, 1, 3}, .energy = breaks ? 10.0f : 1e9f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const Plate plate = make_plate(breaker, (rblBreakerId){0, 0}, 6.0f);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.2f, 0.2f, 0.2f);
    def.pose.p = vec(5, 0.1f, 0);
    def.asleep = true;
    rblBodyId sleeper;
    check_ok(rbl_body_create(plate.world, &def, &sleeper));
    check_ok(rbl_shape_destroy(def.shape));
    const rblBodyId ball = put(plate.world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(4.3f, 0.12f, 0.01f));
    check_ok(rbl_body_set_velocity(plate.world, ball, vec(7, 0, 0), vec(0, 0, 0)));
    int woken = -1;
    int broken = -1;
    for (int i = 0; i < 12; ++i)
    {
        assert_true(woken >= 0 || !state_of(plate.world, sleeper).awake);
        step_times(plate.world, 1);
        woken = woken < 0 && state_of(plate.world, sleeper).awake ? i : woken;
        broken = broken < 0 && counters_of(plate.world).breaks > 0 ? i : broken;
    }
    assert_true(woken >= 0 && (broken == woken || !breaks));
    const rblBodyState result = state_of(plate.world, sleeper);
    end(plate.world, breaker, &boxes);
    return result;
}

static void sleepers_with_an_impact_in_the_step_of_a_break_wake_and_move_as_ever(void** state)
{
    (void)state;
    const rblBodyState with = collide_with_sleeper(true);
    const rblBodyState without = collide_with_sleeper(false);
    assert_true(with.velocity.x > 0.3f);
    check_close(rbl_length3(rbl_sub3(with.velocity, without.velocity)), 0.0, 0.03); // the solve begins anew
    check_close(rbl_length3(rbl_sub3(with.center, without.center)), 0.0, 0.01);
}

// ---- contacts elsewhere ----

static void look_for_contacts(rblWorld* world, uint32_t round)
{
    world->step->seconds = STEP;
    world->step->break_round = round;
    check_ok(rbl_movers_gather(world->step));
    check_ok(rbl_pairs_find(world->step));
    check_ok(rbl_contacts_find(world->step));
    world->step->break_round = 0;
}

// What the last look found.
typedef struct Found
{
    rblPair* pairs;
    rblContact* contacts;
    size_t pair_count, contact_count;
} Found;

static Found keep_found(const rblWorld* world)
{
    Found found = {.pair_count = world->pairs.count, .contact_count = world->contacts.count};
    found.pairs = malloc(sizeof *found.pairs * (found.pair_count + 1));
    found.contacts = malloc(sizeof *found.contacts * (found.contact_count + 1));
    assert_true(found.pairs != NULL && found.contacts != NULL);
    memcpy(found.pairs, world->pairs.data, sizeof *found.pairs * found.pair_count);
    memcpy(found.contacts, world->contacts.data, sizeof *found.contacts * found.contact_count);
    return found;
}

// Returns how many fast pairs have contacts where they will meet.
static uint32_t check_found_again(const rblWorld* world, const Found* found)
{
    uint32_t fast = 0;
    assert_int_equal(world->pairs.count, found->pair_count);
    for (size_t i = 0; i < found->pair_count; ++i)
    {
        const rblPair *a = &found->pairs[i], *b = &world->pairs.data[i];
        assert_true(a->a == b->a && a->b == b->b && a->count == b->count && a->fast == b->fast);
        assert_true(a->time_of_impact == b->time_of_impact && a->leading == b->leading);
        if (a->count > 0)
        {
            assert_memory_equal(&found->contacts[a->first], &world->contacts.data[b->first],
                                sizeof *found->contacts * a->count);
        }
        fast += a->fast && a->time_of_impact < 1.0f && a->count > 0;
    }
    return fast;
}

// When something breaks, everything is looked at again in the same substep: what has not moved since has the contacts that it was found
// to have, those included of boxes that turn until they meet the slab.
static void contacts_that_a_break_leaves_alone_are_as_they_were_found(void** state)
{
    (void)state;
    const rblWorldId id = make_world(false);
    rblWorld* world;
    check_ok(rbl_world_find(id, &world));
    for (int i = 0; i < 12; ++i)
    {
        const bool rests = i % 3 == 2;
        const rblVec3 at = {0.5f * (float)i, rests ? 0.1f : 0.4f + 0.2f * (float)i, 0};
        const rblBodyId box = put(id, make_box(0.2f, 0.2f, 0.2f), RBL_BODY_DYNAMIC, at);
        check_ok(rbl_body_set_velocity(id, box, vec(0, rests ? 0.0f : -15.0f, 0),
                                       rests ? vec(0, 0, 0) : vec(9, 4, 7)));
    }
    put(id, make_box(20, 1, 2), RBL_BODY_STATIC, vec(2, -0.5f, 0));
    uint32_t fast = 0;
    for (int i = 0; i < 8; ++i)
    {
        look_for_contacts(world, 0);
        const Found found = keep_found(world);
        look_for_contacts(world, 1);
        fast += check_found_again(world, &found);
        free(found.pairs);
        free(found.contacts);
        step_times(id, 1);
    }
    assert_true(fast >= 6);
    check_ok(rbl_world_destroy(id));
}

static uint32_t count_mates(const rblWorld* world)
{
    uint32_t count = 0;
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        count += world->pairs.data[i].siblings && world->pairs.data[i].count > 0;
    }
    return count;
}

// Pieces in free flight are let go once they were looked at: when something breaks elsewhere they are found to touch again, as before.
static void mates_that_were_let_go_are_looked_at_again(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {4, 3, 5}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId id = make_world(false);
    const rblVec3 at = {0, 5, 0};
    const rblBodyId body = put_breakable(id, breaker, vec(0.4f, 0.2f, 0.3f), at, RBL_BODY_DYNAMIC);
    rblWorld* world;
    check_ok(rbl_world_find(id, &world));
    check_ok(rbl_body_break(id, body, at, vec(0, 1, 0)));
    step_times(id, 1);
    look_for_contacts(world, 0);
    const Found found = keep_found(world);
    const uint32_t mates = count_mates(world);
    assert_true(mates > 60);
    check_ok(rbl_siblings_drop_contacts(world->step));
    assert_int_equal(count_mates(world), 0);
    look_for_contacts(world, 1);
    (void)check_found_again(world, &found);
    assert_int_equal(count_mates(world), mates);
    free(found.pairs);
    free(found.contacts);
    check_ok(rbl_world_destroy(id));
    check_ok(rbl_breaker_destroy(breaker));
}

// Pieces of a clay brick that lands on the ground with a speed; 0: it stays whole.
static uint32_t pieces_at(float speed, bool fixed)
{
    rblPrescoredDef prescored = rbl_default_prescored_def();
    rblBodyDef def = rbl_default_body_def();
    const rblWorldId world = make_world(false);
    const rblBreakEvent* events;
    rblBodyId brick;
    uint32_t pieces = 0;
    prescored.pattern.pieces = 12;
    prescored.fixed_pieces = fixed;
    prescored.generations = 1;
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    check_ok(rbl_breaker_create_prescored(&prescored, &def.breaker));
    check_ok(rbl_material_preset("clay", &def.material));
    def.material.surface_energy = 100.0f;
    def.shape = make_box(0.2f, 0.06f, 0.1f);
    def.pose = (rblTransform){{0, 0.3f, 0}, rbl_quat_from_axis_angle(vec(1, 0.2f, 0.5f), 0.7f)};
    def.velocity = vec(0, -speed, 0);
    check_ok(rbl_body_create(world, &def, &brick));
    check_ok(rbl_shape_destroy(def.shape));
    for (int i = 0; i < 30 && pieces == 0; ++i)
    {
        check_ok(rbl_world_step(world, STEP));
        pieces = events_of(world, &events) > 0 ? events[0].fragment_count : 0;
    }
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(def.breaker));
    return pieces;
}

// By default a faster impact pays for more pieces. With a fixed number a slow impact breaks nothing, and all others make that many.
static void a_fixed_number_of_pieces_is_that_of_any_speed(void** state)
{
    (void)state;
    uint32_t least = UINT32_MAX;
    uint32_t most = 0;
    uint32_t broken = 0;
    for (float speed = 2.0f; speed < 65.0f; speed *= 1.25f)
    {
        const uint32_t pieces = pieces_at(speed, false);
        const uint32_t fixed = pieces_at(speed, true);
        least = pieces > 0 && pieces < least ? pieces : least;
        most = pieces > most ? pieces : most;
        assert_true(fixed == 12 || (fixed == 0 && broken == 0));
        broken += fixed > 0;
    }
    print_message("%u to %u pieces, fixed 12 at %u speeds\n", least, most, broken);
    assert_true(least < most && broken >= 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fixed_number_of_pieces_is_that_of_any_speed),
        cmocka_unit_test(the_verdict_does_not_depend_on_the_step),
        cmocka_unit_test(strength_does_not_depend_on_the_step),
        cmocka_unit_test(hollow_things_break_alike_at_every_rate),
        cmocka_unit_test(resting_weight_breaks_nothing),
        cmocka_unit_test(cracks_are_paid_by_the_impact),
        cmocka_unit_test(what_the_impact_cannot_pay_breaks_less_or_not),
        cmocka_unit_test(both_of_a_collision_may_break),
        cmocka_unit_test(anchored_fragments_stay),
        cmocka_unit_test(joints_go_to_the_fragment_that_holds_them),
        cmocka_unit_test(sleepers_on_a_body_that_breaks_wake),
        cmocka_unit_test(sleepers_with_an_impact_in_the_step_of_a_break_wake_and_move_as_ever),
        cmocka_unit_test(contacts_that_a_break_leaves_alone_are_as_they_were_found),
        cmocka_unit_test(mates_that_were_let_go_are_looked_at_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
