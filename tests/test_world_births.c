// Births: fragments take over what a body had, and do not repel each other.
#include "base/random.h"
#include "breaking_testing.h"
#include "rubble/prescored.h"
#include <string.h>

// ---- births ----

static void fragments_take_over_mass_and_motion(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {3, 2, 4}, .skew = 0.3f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    const rblBodyId body =
        put_breakable(world, breaker, vec(0.6f, 0.4f, 0.9f), vec(3, 2, -1), RBL_BODY_DYNAMIC);
    check_ok(rbl_body_set_velocity(world, body, vec(1, -2, 0.5f), vec(2, 3, -4)));
    const rblEnergy before = energy_of(world);
    check_ok(rbl_body_break(world, body, vec(3, 2.2f, -1), vec(0, -2, 0)));
    const rblEnergy after = energy_of(world);
    double size[2] = {0.0, 0.0};
    for (int k = 0; k < 3; ++k)
    {
        size[0] += fabs(before.momentum[k]);
        size[1] += fabs(before.angular_momentum[k]);
    }
    for (int k = 0; k < 3; ++k)
    {
        check_close(after.momentum[k], before.momentum[k], 1e-6 * size[0]);
        check_close(after.angular_momentum[k], before.angular_momentum[k], 1e-6 * size[1]);
    }
    // The skewed masses do not fit the body's own: its kinetic energy is that of the fragments all the same, nearly.
    check_close(after.kinetic, before.kinetic, 0.03 * before.kinetic);
    assert_false(rbl_body_is_valid(world, body));
    const rblBreakEvent* event;
    assert_int_equal(events_of(world, &event), 1);
    assert_int_equal(event->fragment_count, 24);
    assert_int_equal(event->body.index1, body.index1);
    assert_int_equal(event->by.index1, 0);
    assert_true(event->mass_error < 1e-6);
    for (uint32_t i = 0; i < event->fragment_count; ++i)
    {
        assert_true(rbl_body_is_valid(world, event->fragments[i]));
        assert_int_equal(state_of(world, event->fragments[i]).generation, 1);
    }
    end(world, breaker, &boxes);
}

static void kinetic_energy_is_that_of_the_body(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {5, 1, 3}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    const rblBodyId body = put_breakable(world, breaker, vec(1, 0.05f, 0.7f), vec(0, 2, 0), RBL_BODY_DYNAMIC);
    check_ok(rbl_body_set_velocity(world, body, vec(1, -2, 0.5f), vec(2, 3, -4)));
    const rblEnergy before = energy_of(world);
    check_ok(rbl_body_break(world, body, vec(0, 2, 0), vec(0, -1, 0)));
    const rblEnergy after = energy_of(world);
    check_close(after.kinetic, before.kinetic, 1e-5 * before.kinetic);
    check_close(after.potential, before.potential, 1e-5 * fabs(before.potential));
    end(world, breaker, &boxes);
}

// What is drawn of a round body is smaller than the body.
static rblShapeId make_round(int kind)
{
    rblShapeId shape = {0, 0};
    rblLevelSetDef def = rbl_default_level_set_def();
    switch (kind)
    {
    case 0:
        return make_sphere(0.2f);
    case 1:
        check_ok(rbl_shape_create_capsule(0.1f, 0.6f, &shape));
        return shape;
    case 2:
        check_ok(rbl_shape_create_cylinder(0.2f, 0.1f, &shape));
        return shape;
    default:
        def.max_cells = 32;
        check_ok(rbl_mesh_make("torus", NULL, 0, &def.mesh));
        check_ok(rbl_shape_create_level_set(&def, &shape));
        check_ok(rbl_mesh_destroy(def.mesh));
        return shape;
    }
}

// Break a body, and one of its pieces, and one of that one's.
static void check_kinetic_energy(int kind, rblPatternKind pattern)
{
    const rblWorldId world = make_world(false);
    rblPrescoredDef prescored = rbl_default_prescored_def();
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    prescored.pattern.kind = pattern;
    prescored.pattern.pieces = 12;
    prescored.smallest_body = 0.0f;
    check_ok(rbl_breaker_create_prescored(&prescored, &def.breaker));
    def.shape = make_round(kind);
    def.pose.q = rbl_quat_from_axis_angle(vec(0.48f, 0.6f, 0.64f), 0.7f);
    def.spin = vec(3, -12, 8);
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_breaker_destroy(def.breaker));
    check_ok(rbl_shape_destroy(def.shape));
    for (int generation = 0; generation < 3; ++generation)
    {
        const rblEnergy before = energy_of(world);
        const rblVec3 at = state_of(world, body).center;
        check_ok(rbl_body_break(world, body, at, vec(0.6f, -0.8f, 0)));
        const rblEnergy after = energy_of(world);
        check_relative(after.kinetic, before.kinetic, 1e-6);
        const rblBreakEvent* event;
        const uint32_t count = events_of(world, &event);
        assert_int_equal(count, generation + 1);
        assert_true(event[generation].fragment_count >= 2);
        body = event[generation].fragments[0];
        for (uint32_t i = 1; i < event[generation].fragment_count; ++i)
        {
            const rblBodyId other = event[generation].fragments[i];
            body = state_of(world, other).mass > state_of(world, body).mass ? other : body;
        }
    }
    check_ok(rbl_world_destroy(world));
}

static void pieces_of_round_bodies_have_their_kinetic_energy(void** state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind)
    {
        for (int pattern = 0; pattern < RBL_PATTERN_FILE; ++pattern)
        {
            check_kinetic_energy(kind, (rblPatternKind)pattern);
        }
    }
}

// ---- release ----

#define MAX_PIECES 128

typedef struct Flock
{
    rblWorldId world;
    rblBodyId ids[MAX_PIECES];
    uint32_t count;
} Flock;

// A box in free fall, broken at once; alone: the pieces never meet.
static Flock fly_in_pieces(rblBreakerId breaker, rblVec3 size, rblVec3 spin, bool alone)
{
    Flock flock = {.world = make_world(false)};
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(size.x, size.y, size.z);
    def.pose.p = vec(0.3f, 2.7f, -0.9f);
    def.pose.q = rbl_quat_from_axis_angle(vec(0.48f, 0.6f, 0.64f), 0.7f);
    def.velocity = vec(1.3f, 0.7f, -2.1f);
    def.spin = spin;
    def.breaker = breaker;
    def.filter.group = alone ? -1 : 0;
    rblBodyId body;
    check_ok(rbl_body_create(flock.world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_body_break(flock.world, body, def.pose.p, vec(0, 1, 0)));
    const rblBreakEvent* event;
    assert_int_equal(events_of(flock.world, &event), 1);
    flock.count = event->fragment_count;
    memcpy(flock.ids, event->fragments, sizeof flock.ids[0] * event->fragment_count);
    return flock;
}

static void check_equal_flight(const Flock* flock, const Flock* alone, int frame)
{
    for (uint32_t i = 0; i < flock->count; ++i)
    {
        const rblBodyState a = state_of(flock->world, flock->ids[i]);
        const rblBodyState b = state_of(alone->world, alone->ids[i]);
        const float gained = rbl_length3(rbl_sub3(a.velocity, b.velocity));
        const float turned = rbl_length3(rbl_sub3(a.spin, b.spin));
        if (!(gained < 1e-3f && turned < 1e-3f))
        {
            fail_msg("piece %u gained %g m/s and %g rad/s in frame %d", i, (double)gained, (double)turned,
                     frame);
        }
    }
}

// How pieces of a box fly for ten frames, against how they would if they never met.
static void check_release(BoxBreaker boxes, rblVec3 size, rblVec3 spin, float seconds)
{
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const Flock flock = fly_in_pieces(breaker, size, spin, false);
    const Flock alone = fly_in_pieces(breaker, size, spin, true);
    for (int frame = 0; frame < 10; ++frame)
    {
        check_ok(rbl_world_step(flock.world, seconds));
        check_ok(rbl_world_step(alone.world, seconds));
        check_equal_flight(&flock, &alone, frame);
        assert_true(energy_of(flock.world).work == 0.0 || frame == 0);
    }
    check_ok(rbl_world_destroy(alone.world));
    end(flock.world, breaker, &boxes);
}

// A block, slabs that move farther in a step than they are thick, a bar, a pane.
static const BoxBreaker cuts[] = {
    {.counts = {4, 3, 5}}, {.counts = {1, 24, 1}}, {.counts = {12, 1, 1}}, {.counts = {6, 1, 7}}};
static const rblVec3 sizes[] = {
    {0.5f, 0.3f, 0.4f}, {0.5f, 0.3f, 0.4f}, {1.2f, 0.1f, 0.15f}, {1, 0.02f, 0.8f}};

static void pieces_do_not_repel(void** state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
    {
        check_release(cuts[i], sizes[i], vec(0, 0, 0), 1.0f / 30.0f);
        check_release(cuts[i], sizes[i], vec(0, 0, 0), 1.0f / 120.0f);
    }
}

static void pieces_that_spin_do_not_repel(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(29, 1);
    for (int i = 0; i < 24; ++i)
    {
        rblVec3 axis;
        axis.x = rbl_random_float(&random) - 0.5f;
        axis.y = rbl_random_float(&random) - 0.5f;
        axis.z = rbl_random_float(&random) - 0.5f;
        const float speed = 20.0f * (float)(i + 1) / 24.0f; // rad/s
        const rblVec3 spin = rbl_scale3(rbl_normalize3(axis, vec(0, 1, 0)), speed);
        check_release(cuts[i % 4], sizes[i % 4], spin, 1.0f / 30.0f);
        check_release(cuts[i % 4], sizes[i % 4], spin, 1.0f / 120.0f);
    }
}

// Pieces that fly on together, faster than they are thick, are no danger to each other: none is kept from falling.
static void pieces_that_spin_fall_as_the_body_did(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {12, 3, 1}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    const rblBodyId body =
        put_breakable(world, breaker, vec(1.5f, 1.0f, 0.1f), vec(0, 5, 0), RBL_BODY_DYNAMIC);
    check_ok(rbl_body_set_velocity(world, body, vec(1.5f, 2, -3), vec(-2, 4, 3)));
    const double before = energy_of(world).momentum[1];
    const double weight = 9.81 * (double)state_of(world, body).mass;
    check_ok(rbl_body_break(world, body, vec(0, 5, 0), vec(0, -1, 0)));
    step_times(world, 10);
    check_close(energy_of(world).momentum[1], before - weight / 3.0, 0.02 * weight / 3.0);
    end(world, breaker, &boxes);
}

// ---- strangers ----

// A bar in pieces, in free flight, and a ball that collides with one end of it.
static void pieces_pass_on_an_impact(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {8, 1, 1}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    const rblBodyId bar =
        put_breakable(world, breaker, vec(0.8f, 0.1f, 0.1f), vec(0.4f, 0, 0), RBL_BODY_DYNAMIC);
    const rblBodyId ball = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(-0.3f, 0, 0));
    check_ok(rbl_body_set_velocity(world, ball, vec(6, 0, 0), vec(0, 0, 0)));
    check_ok(rbl_body_break(world, bar, vec(0, 0, 0), vec(1, 0, 0)));
    const rblBreakEvent* event;
    assert_int_equal(events_of(world, &event), 1);
    rblBodyId ids[8];
    memcpy(ids, event->fragments, sizeof ids);
    Watch w = watch(world);
    for (int i = 0; i < 30; ++i)
    {
        watched_step(&w, STEP);
    }
    check_energy_rule(&w);
    for (int i = 0; i < 8; ++i)
    {
        const rblBodyState piece = state_of(world, ids[i]);
        assert_true(piece.velocity.x > 0.5f);
        assert_true(i == 0 || piece.center.x - state_of(world, ids[i - 1]).center.x > 0.099f);
    }
    end(world, breaker, &boxes);
}

static float deepest_overlap(const Flock* flock)
{
    float deepest = 0.0f;
    rblContactSet set = {0};
    for (uint32_t k = 0; k < flock->count * flock->count; ++k)
    {
        const uint32_t i = k / flock->count;
        const uint32_t j = k % flock->count;
        const rblBodyState a = state_of(flock->world, flock->ids[i]);
        const rblBodyState b = state_of(flock->world, flock->ids[j]);
        const rblCollideOptions options = rbl_default_collide_options();
        rblPairCache cache = {0};
        rblShapeView views[2];
        check_ok(rbl_shape_view(a.shape, &views[0]));
        check_ok(rbl_shape_view(b.shape, &views[1]));
        const rblTransform b_in_a = rbl_transform_relative(a.pose, b.pose);
        check_ok(i < j ? rbl_shape_collide(&views[0], &views[1], b_in_a, &options, &cache, &set) : RBL_OK);
        for (uint32_t c = 0; c < set.count && i < j; ++c)
        {
            deepest = rbl_maxf(deepest, -set.points[c].distance);
        }
    }
    rbl_contact_set_free(&set);
    return deepest;
}

// Pieces of what spins run into each other in flight. Once something else has touched them, or after a while, they are bodies as
// all others.
static void overlap_of_a_flight_is_undone(void** state)
{
    (void)state;
    static const float heights[2] = {1.0f, 40.0f}; // it lands at once, or never
    for (int i = 0; i < 4; ++i)
    {
        BoxBreaker boxes = {.counts = {4, 3, 5}};
        const rblBreakerId breaker = make_box_breaker(&boxes);
        const Flock flock = fly_in_pieces(breaker, sizes[0], vec(4, -5, 6), false);
        rblBodyDef def = rbl_default_body_def();
        rblBodyId ground;
        def.type = RBL_BODY_STATIC;
        def.shape = make_ground();
        def.pose.p = vec(0, 2.7f - heights[i % 2], 0);
        check_ok(rbl_body_create(flock.world, &def, &ground));
        check_ok(rbl_shape_destroy(def.shape));
        Watch w = watch(flock.world);
        float most = 0.0f;
        const float seconds = i < 2 ? 1.0f / 30.0f : 1.0f / 120.0f;
        for (float time = 0.0f; time < 2.0f; time += seconds)
        {
            watched_step(&w, seconds);
            most = time < 0.5f ? rbl_maxf(most, deepest_overlap(&flock)) : most;
        }
        check_energy_rule(&w);
        assert_true(most > 2e-3f);
        const float left = deepest_overlap(&flock);
        if (!(left < 0.2f * most)) // what landing leaves in a heap
        {
            fail_msg("%g m of %g are left", (double)left, (double)most);
        }
        end(flock.world, breaker, &boxes);
    }
}

// ---- one state ----

static uint64_t fly_and_land(uint32_t workers, bool goes_back)
{
    BoxBreaker boxes = {.counts = {4, 3, 5}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world_of(workers);
    rblBodyId ids[12];
    for (int i = 0; i < 12; ++i)
    {
        const rblVec3 at = {1.2f * (float)i, 0.4f + 0.1f * (float)i, 0};
        ids[i] = put_breakable(world, breaker, vec(0.4f, 0.2f, 0.3f), at, RBL_BODY_DYNAMIC);
        check_ok(rbl_body_set_velocity(world, ids[i], vec(0, 0, 0), vec(3, (float)i, -4)));
        check_ok(rbl_body_break(world, ids[i], at, vec(0, 1, 0)));
    }
    step_times(world, 8);
    size_t size = 0;
    check_ok(rbl_world_save(world, NULL, 0, &size));
    void* saved = malloc(size);
    check_ok(rbl_world_save(world, saved, size, &size));
    step_times(world, goes_back ? 20 : 0);
    check_ok(goes_back ? rbl_world_restore(world, saved, size) : RBL_OK);
    step_times(world, 40);
    const uint64_t hash = hash_of(world);
    free(saved);
    end(world, breaker, &boxes);
    return hash;
}

static void flights_go_back_and_do_not_depend_on_workers(void** state)
{
    (void)state;
    const uint64_t hash = fly_and_land(1, false);
    assert_true(fly_and_land(1, true) == hash);
    assert_true(fly_and_land(3, false) == hash);
    assert_true(fly_and_land(2, true) == hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fragments_take_over_mass_and_motion),
        cmocka_unit_test(kinetic_energy_is_that_of_the_body),
        cmocka_unit_test(pieces_of_round_bodies_have_their_kinetic_energy),
        cmocka_unit_test(pieces_do_not_repel),
        cmocka_unit_test(pieces_that_spin_do_not_repel),
        cmocka_unit_test(pieces_that_spin_fall_as_the_body_did),
        cmocka_unit_test(pieces_pass_on_an_impact),
        cmocka_unit_test(overlap_of_a_flight_is_undone),
        cmocka_unit_test(flights_go_back_and_do_not_depend_on_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
