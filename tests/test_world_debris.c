// Debris: crumbs that fly on their own and vanish after a while, without anything being lost on the way.
#include "testing.h"

#include "rubble/prescored.h"
#include "world_testing.h"
#include <stdlib.h>
#include <string.h>

#define SHORT_STEP 0.02f

typedef struct Crumbling
{
    rblWorldId world;
    rblBodyId body;
    double mass;
    uint32_t debris, pieces;
} Crumbling;

static double mass_of(rblWorldId world)
{
    rblBodyId ids[512];
    uint32_t count = 0;
    double sum = 0.0;
    check_ok(rbl_world_bodies(world, ids, 512, &count));
    assert_true(count <= 512);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState state;
        check_ok(rbl_body_state(world, ids[i], &state));
        sum += (double)state.mass;
    }
    return sum;
}

// A block that flies and turns in empty space, broken where nothing holds it.
static Crumbling crumble(rblCrumbs crumbs, float lifetime)
{
    Crumbling c = {0};
    rblWorldDef world = rbl_default_world_def();
    world.gravity = (rblVec3){0, 0, 0};
    check_ok(rbl_world_create(&world, &c.world));
    rblPrescoredDef breaking = rbl_default_prescored_def();
    breaking.pattern.pieces = 60;
    breaking.smallest = 0.01f;
    breaking.crumbs = crumbs;
    breaking.lifetime = lifetime;
    rblBodyDef def = rbl_default_body_def();
    check_ok(rbl_breaker_create_prescored(&breaking, &def.breaker));
    check_ok(rbl_shape_create_box((rblVec3){0.6f, 0.4f, 0.2f}, &def.shape));
    def.velocity = (rblVec3){1, 2, -1};
    def.spin = (rblVec3){0.1f, 0.2f, 0.3f};
    check_ok(rbl_body_create(c.world, &def, &c.body));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_breaker_destroy(def.breaker));
    c.mass = mass_of(c.world);
    check_ok(rbl_world_step(c.world, SHORT_STEP));
    check_ok(rbl_body_break(c.world, c.body, (rblVec3){0, 0.2f, 0}, (rblVec3){0, -1, 0}));
    check_ok(rbl_world_step(c.world, SHORT_STEP));
    const rblBreakEvent* events = NULL;
    uint32_t count = 0;
    check_ok(rbl_world_break_events(c.world, &events, &count));
    assert_int_equal(count, 1);
    c.debris = events[0].debris;
    c.pieces = events[0].fragment_count;
    return c;
}

static void debris_keeps_mass_and_momentum_and_is_counted_when_it_goes(void** state)
{
    (void)state;
    const Crumbling c = crumble(RBL_CRUMBS_DEBRIS, 0.2f);
    rblEnergy energy;
    check_ok(rbl_world_energy(c.world, &energy));
    assert_true(c.debris > 3 && c.debris < c.pieces);
    check_relative(mass_of(c.world), c.mass, 1e-6);
    check_relative(energy.momentum[0], c.mass, 1e-5);
    check_relative(energy.momentum[1], 2.0 * c.mass, 1e-5);
    uint32_t steps = 1;
    for (rblCounters counters = {.debris = c.debris}; counters.debris > 0; ++steps)
    {
        check_ok(rbl_world_step(c.world, SHORT_STEP));
        check_ok(rbl_world_counters(c.world, &counters));
        check_ok(rbl_world_energy(c.world, &energy));
        assert_int_equal(counters.debris + counters.vanished, c.debris);
        check_relative(mass_of(c.world) + counters.vanished_mass, c.mass, 1e-6);
        assert_true(energy.dissipated >= -1e-6 * c.mass * 6.0);
        assert_true(steps < 20);
    }
    check_close(steps * (double)SHORT_STEP, 0.2, 2.1 * (double)SHORT_STEP);
    rblCounters counters;
    check_ok(rbl_world_counters(c.world, &counters));
    assert_int_equal(counters.vanished, c.debris);
    assert_int_equal(counters.bodies, c.pieces - c.debris);
    check_ok(rbl_world_destroy(c.world));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void debris_without_a_lifetime_stays_and_does_not_break(void** state)
{
    (void)state;
    const Crumbling c = crumble(RBL_CRUMBS_DEBRIS, 0.0f);
    rblCounters counters;
    for (int i = 0; i < 30; ++i)
    {
        check_ok(rbl_world_step(c.world, SHORT_STEP));
    }
    check_ok(rbl_world_counters(c.world, &counters));
    assert_int_equal(counters.debris, c.debris);
    assert_int_equal(counters.vanished, 0);
    rblBodyId ids[512];
    uint32_t count = 0;
    uint32_t refused = 0;
    check_ok(rbl_world_bodies(c.world, ids, 512, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState found;
        check_ok(rbl_body_state(c.world, ids[i], &found));
        if (found.debris)
        {
            refused +=
                rbl_body_break(c.world, ids[i], found.center, (rblVec3){0, -1, 0}) == RBL_ERROR_ARGUMENT;
        }
    }
    assert_int_equal(refused, c.debris);
    check_ok(rbl_world_destroy(c.world));
}

static void merged_crumbs_are_counted_in_the_event(void** state)
{
    (void)state;
    const Crumbling c = crumble(RBL_CRUMBS_MERGE, 0.2f);
    const rblBreakEvent* events = NULL;
    uint32_t count = 0;
    check_ok(rbl_world_break_events(c.world, &events, &count));
    assert_true(events[0].merged > 3 && events[0].debris == 0);
    check_relative(mass_of(c.world), c.mass, 1e-6);
    check_ok(rbl_world_destroy(c.world));
}

static uint64_t hash_after(rblWorldId world, int steps)
{
    uint64_t hash = 0;
    for (int i = 0; i < steps; ++i)
    {
        check_ok(rbl_world_step(world, SHORT_STEP));
    }
    check_ok(rbl_world_hash(world, &hash));
    return hash;
}

static void worlds_go_back_to_debris_that_has_vanished(void** state)
{
    (void)state;
    const Crumbling c = crumble(RBL_CRUMBS_DEBRIS, 0.1f);
    size_t size = 0;
    check_ok(rbl_world_save(c.world, NULL, 0, &size));
    void* kept = malloc(size);
    assert_non_null(kept);
    check_ok(rbl_world_save(c.world, kept, size, &size));
    const uint64_t hash = hash_after(c.world, 12);
    check_ok(rbl_world_restore(c.world, kept, size));
    rblCounters counters;
    check_ok(rbl_world_counters(c.world, &counters));
    assert_int_equal(counters.vanished, 0);
    assert_true(hash_after(c.world, 12) == hash);
    check_ok(rbl_world_counters(c.world, &counters));
    assert_int_equal(counters.vanished, c.debris);
    free(kept);
    check_ok(rbl_world_destroy(c.world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(debris_keeps_mass_and_momentum_and_is_counted_when_it_goes),
        cmocka_unit_test(debris_without_a_lifetime_stays_and_does_not_break),
        cmocka_unit_test(merged_crumbs_are_counted_in_the_event),
        cmocka_unit_test(worlds_go_back_to_debris_that_has_vanished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
