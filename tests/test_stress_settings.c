// Fragments of stress breakers that become something else: another material, another breaker. What they go on with lives as long as they
// do, and recordings that begin then replay to the same hashes.
#include "world_testing.h"

#include "field/fragment/fragment_shape.h"
#include "rubble/prescored.h"
#include "rubble/recorder.h"
#include "rubble/stress.h"

static rblBreakerId make_stress(uint32_t tetrahedra, uint64_t seed)
{
    rblStressDef def = rbl_default_stress_def();
    rblBreakerId breaker;
    def.tetrahedra = tetrahedra;
    def.generations = 4;
    def.smallest_body = 0.01f;
    def.seed = seed;
    check_ok(rbl_breaker_create_stress(&def, &breaker));
    return breaker;
}

static rblBodyId largest_of(rblWorldId world)
{
    rblBodyId bodies[256];
    uint32_t count = 0;
    rblBodyId best = {0};
    float most = 0.0f;
    check_ok(rbl_world_bodies(world, bodies, 256, &count));
    for (uint32_t i = 0; i < count && i < 256; ++i)
    {
        const rblBodyState state = state_of(world, bodies[i]);
        best = state.mass > most ? bodies[i] : best;
        most = state.mass > most ? state.mass : most;
    }
    return best;
}

static void break_largest(rblWorldId world)
{
    const rblBodyId body = largest_of(world);
    check_ok(rbl_body_break(world, body, state_of(world, body).center, vec(0, -1, 0)));
    step_times(world, 1);
}

typedef enum Change
{
    MATERIAL,
    OTHER_STRESS,
    PRESCORED,
    PRESCORED_AND_BACK,
    CHANGES
} Change;

static void change_largest(rblWorldId world, Change change)
{
    const rblBodyId body = largest_of(world);
    rblBreakerId breaker = {0, 0};
    rblMaterial material = state_of(world, body).material;
    if (change == MATERIAL)
    {
        material.strength *= 2.0f;
        material.young *= 0.5f;
        check_ok(rbl_body_set_material(world, body, &material));
        return;
    }
    if (change == PRESCORED || change == PRESCORED_AND_BACK)
    {
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = RBL_PATTERN_VORONOI;
        def.pattern.pieces = 3;
        check_ok(rbl_breaker_create_prescored(&def, &breaker));
        check_ok(rbl_body_set_breaker(world, body, breaker));
        check_ok(rbl_breaker_destroy(breaker));
    }
    if (change != PRESCORED)
    {
        breaker = make_stress(600, 7);
        check_ok(rbl_body_set_breaker(world, body, breaker));
        check_ok(rbl_breaker_destroy(breaker));
    }
}

// How many breaks of the same breaker a fragment comes from: one more than its event has before it.
static uint32_t depth_of(rblWorldId world, rblBodyId body)
{
    rblShapeView view;
    check_ok(rbl_shape_view(state_of(world, body).shape, &view));
    const rblFragmentField* fragment = rbl_shape_fragment(view.shape);
    return fragment != NULL ? fragment->event->depth + 1 : 0;
}

// Another breaker, or another material, begins anew: no tetrahedra and no strengths of the first one are left.
static void check_new_fragments(rblWorldId world, Change change)
{
    const rblBreakEvent* events = NULL;
    uint32_t count = 0;
    check_ok(rbl_world_break_events(world, &events, &count));
    assert_int_equal(count, 1);
    for (uint32_t i = 0; i < events[0].fragment_count; ++i)
    {
        assert_int_equal(depth_of(world, events[0].fragments[i]), change == PRESCORED ? 0 : 1);
    }
}

static void break_and_change(Change change, bool early)
{
    const rblWorldId world = make_world(true);
    const rblBreakerId breaker = make_stress(400, 1);
    rblMaterial glass;
    check_ok(rbl_material_preset("glass", &glass));
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    const rblBodyId body = put(world, make_box(0.4f, 0.3f, 0.5f), RBL_BODY_DYNAMIC, vec(0, 1, 0));
    check_ok(rbl_body_set_material(world, body, &glass));
    check_ok(rbl_body_set_breaker(world, body, breaker));
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(early ? rbl_world_record(world, "stress_settings.rbl") : RBL_OK);
    break_largest(world);
    assert_true(counters_of(world).fragments > 1);
    assert_int_equal(depth_of(world, largest_of(world)), 1);
    const rblBodyId changed = largest_of(world);
    change_largest(world, change);
    check_ok(rbl_body_break(world, changed, state_of(world, changed).center, vec(0, -1, 0)));
    step_times(world, 1);
    check_new_fragments(world, change);
    const uint32_t fragments = counters_of(world).fragments;
    check_ok(early ? RBL_OK : rbl_world_record(world, "stress_settings.rbl"));
    break_largest(world);
    assert_true(counters_of(world).fragments >= fragments);
    step_times(world, 20);
    check_ok(rbl_world_stop_recording(world));
    rblReplayReport report;
    check_ok(rbl_calls_replay("stress_settings.rbl", &report));
    if (!report.same || !report.complete)
    {
        fail_msg("change %d, %d: %s", (int)change, early, report.problem);
    }
    remove("stress_settings.rbl");
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_breaker_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void fragments_become_something_else(void** state)
{
    (void)state;
    for (int change = 0; change < CHANGES; ++change)
    {
        break_and_change((Change)change, true);
        break_and_change((Change)change, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fragments_become_something_else)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
