// The stress breaker at its limits: labels and pieces, solids of several parts, torn ones, odd materials, fixed bodies, memory.
#include "testing.h"

#include "base/jobs.h"
#include "base/memory.h"
#include "failing_allocator.h"
#include "field/fragment/fragment_shape.h"
#include "field_shapes.h"
#include "fracture/stress/stress_private.h"
#include "rubble/world.h"
#include "stress_testing.h"

static rblStressDef coarse_def(uint32_t tetrahedra)
{
    rblStressDef def = rbl_default_stress_def();
    def.tetrahedra = tetrahedra;
    return def;
}

static rblMeshId make_moved(const char* kind, rblVec3d scale, rblVec3d offset)
{
    const rblMat3d linear = {{scale.x, 0, 0}, {0, scale.y, 0}, {0, 0, scale.z}};
    rblMeshId made, moved;
    check_ok(rbl_mesh_make(kind, NULL, 0, &made));
    check_ok(rbl_mesh_transform(made, &linear, offset, &moved));
    check_ok(rbl_mesh_destroy(made));
    return moved;
}

static rblShapeId shape_of(rblMeshId mesh)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    def.mesh = mesh;
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(mesh));
    return id;
}

static rblShapeId make_two(rblVec3d scale, rblVec3d offset)
{
    const rblMeshId both[2] = {make_moved("sphere", rbl_vec3d(1, 1, 1), rbl_vec3d(0, 0, 0)),
                               make_moved("sphere", scale, offset)};
    rblMeshId joined;
    check_ok(rbl_mesh_join(both, 2, &joined));
    check_ok(rbl_mesh_destroy(both[0]));
    check_ok(rbl_mesh_destroy(both[1]));
    return shape_of(joined);
}

static double volume_of(const rblFracture* fracture)
{
    double volume = 0.0;
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        volume += view_of(fracture->fragments[i].shape).mass.volume;
    }
    return volume;
}

// ---- labels and pieces ----

static void check_labels(const rblFracture* fracture)
{
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        const rblFragmentField* a = rbl_shape_fragment(view_of(fracture->fragments[i].shape).shape);
        assert_non_null(a);
        for (uint32_t k = 0; k < i; ++k)
        {
            const rblFragmentField* b = rbl_shape_fragment(view_of(fracture->fragments[k].shape).shape);
            if (a->label == b->label)
            {
                fail_msg("fragments %u and %u of %u are both %u", k, i, fracture->fragment_count, a->label);
            }
        }
    }
}

// Where the surface of the statue is bent in sharply the nodes of a label hang together outside of it. Each of the pieces has a
// label all the same, and breaks into what it is, not into what its neighbours are.
static void every_fragment_has_a_label_of_its_own(void** state)
{
    (void)state;
    const rblShapeId id = make_statue();
    const rblBreakBody body = body_of(id, "ceramic");
    const rblStressDef def = coarse_def(3000);
    const rblBreaker* breaker = make_stress(&def);
    rblRandom random = rbl_random_seed(7, 3);
    void* prepared = NULL;
    uint32_t again = 0;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    for (int impact = 0; impact < 8; ++impact)
    {
        const rblVec3 side = {rbl_random_float(&random) - 0.5f, rbl_random_float(&random) - 0.5f,
                              rbl_random_float(&random) - 0.5f};
        const rblVec3 normal = rbl_normalize3(side, rbl_vec3(0, 1, 0));
        const rblVec3 middle = rbl_aabb_center(body.view.bounds);
        rblVerdict verdict =
            verdict_at(&body, rbl_sub3(middle, rbl_scale3(normal, body.view.radius)), normal);
        verdict.severity = 9.0f;
        rblFracture fracture;
        check_ok(rbl_breaker_shatter(breaker, prepared, &body, &verdict, rbl_serial_jobs(), &fracture));
        check_labels(&fracture);
        for (uint32_t i = 0; i < fracture.fragment_count && again < 12; ++i)
        {
            rblBreakBody piece = body;
            piece.view = view_of(fracture.fragments[i].shape);
            piece.mass = fracture.fragments[i].mass;
            piece.pose = fracture.fragments[i].pose;
            const rblVerdict next = verdict_at(&piece, top_of(&piece.view), rbl_vec3(0, -1, 0));
            rblFracture pieces = shatter(breaker, &piece, &next, rbl_serial_jobs());
            if (pieces.fragment_count > 0)
            {
                check_labels(&pieces);
                check_relative(volume_of(&pieces), piece.view.mass.volume, 1e-6);
                again += 1;
            }
            rbl_fracture_free(&pieces);
        }
        rbl_fracture_free(&fracture);
    }
    assert_true(again == 12);
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// ---- several parts, thin places ----

// Two balls that are one body: they part when it breaks, and nothing of either is lost.
static void solids_of_two_parts_break_into_all_of_both(void** state)
{
    (void)state;
    const rblVec3d offsets[] = {{0.3, 0.0, 0.0}, {0.14, 0.0, 0.0}}; // apart; one runs through the other
    for (int i = 0; i < 2; ++i)
    {
        const rblShapeId id = make_two(rbl_vec3d(0.7, 0.7, 0.7), offsets[i]);
        const rblBreakBody body = body_of(id, "clay");
        const rblStressDef def = coarse_def(2000);
        const rblBreaker* breaker = make_stress(&def);
        const rblVerdict verdict =
            verdict_at(&body, rbl_vec3(0, body.view.bounds.upper.y, 0), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count >= (i == 0 ? 3u : 2u));
        check_labels(&fracture);
        check_relative(volume_of(&fracture), body.view.mass.volume, 1e-6);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
    }
    assert_int_equal(rbl_tets_alive_count(), 0);
}

// How many tetrahedra a solid has whose edges get a fifth shorter until it is not torn.
static uint32_t count_with_simple_steps(const char* kind, uint32_t count)
{
    rblMeshId mesh;
    rblTetsFill fill = {0};
    rblTetsDef tets = rbl_default_tets_def();
    uint32_t tries = 0, solid = 0;
    tets.count = count;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    for (; !fill.same_topology; ++tries)
    {
        rblTetsId filled;
        rblTetsView view;
        check_ok(rbl_tets_fill(mesh, &tets, &fill, &filled));
        check_ok(rbl_tets_view(filled, &view));
        solid = view.solid_tet_count;
        tets.edge = 0.8 * fill.edge;
        check_ok(rbl_tets_destroy(filled));
    }
    check_ok(rbl_mesh_destroy(mesh));
    assert_true(tries > 1);
    return solid;
}

// Between edges that tear a thin place and ones a fifth shorter there are longer ones that do not.
static void thin_places_get_no_more_tetrahedra_than_they_need(void** state)
{
    (void)state;
    const uint32_t simple = count_with_simple_steps("piggybank", 8000);
    rblMeshId mesh;
    check_ok(rbl_mesh_make("piggybank", NULL, 0, &mesh));
    const rblShapeId id = shape_of(mesh);
    const rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = coarse_def(8000);
    const rblBreaker* breaker = make_stress(&def);
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    const uint32_t found = ((const rblStressBody*)prepared)->root->view.solid_tet_count;
    assert_true(found >= 8000 && found < 0.9 * simple);
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// A pane has as many tetrahedra as it needs, up to a limit; beyond that it is refused.
static void panes_are_filled_within_limits_or_refused(void** state)
{
    (void)state;
    const double thickness[] = {0.05, 0.002}; // of 0.2 m
    for (int i = 0; i < 2; ++i)
    {
        const rblShapeId id = shape_of(make_moved("box", rbl_vec3d(1, thickness[i], 1), rbl_vec3d(0, 0, 0)));
        const rblBreakBody body = body_of(id, "glass");
        const rblStressDef def = coarse_def(1000);
        const rblBreaker* breaker = make_stress(&def);
        void* prepared = NULL;
        const rblResult result =
            rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared);
        assert_int_equal(result, i == 0 ? RBL_OK : RBL_ERROR_GEOMETRY);
        assert_true(i == 0 || strstr(rbl_last_error(), "thin") != NULL);
        rbl_breaker_forget(breaker, prepared);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
    }
    assert_int_equal(rbl_tets_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

// ---- materials ----

static void what_costs_nothing_to_crack_breaks(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "clay");
    body.material.surface_energy = 0.0f;
    const rblStressDef def = coarse_def(1000);
    const rblBreaker* breaker = make_stress(&def);
    rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    verdict.budget = 1e-3;
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count >= 2);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static rblImpact hard_impact(const rblBreakBody* body, float peak_force)
{
    return (rblImpact){.point = rbl_transform_point(body->pose, top_of(&body->view)),
                       .normal = {0, -1, 0},
                       .speed = 5.0f,
                       .duration = 1e-4f,
                       .mass = 1.0f,
                       .energy = 1e6f,
                       .peak_force = peak_force};
}

// A fragment that is given another material is judged by that, not by what it was part of.
static void fragments_of_another_material_are_judged_by_it(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = coarse_def(1000);
    const rblBreaker* breaker = make_stress(&def);
    const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count >= 2);
    body.view = view_of(fracture.fragments[heaviest(&fracture)].shape);
    float severities[2];
    for (int i = 0; i < 2; ++i)
    {
        const rblImpact impact = hard_impact(&body, 1e5f);
        void* prepared = NULL;
        rblVerdict judged;
        body.material.strength *= i == 0 ? 1.0f : 100.0f;
        check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
        check_ok(rbl_breaker_decide(breaker, prepared, &body, &impact, 1, &judged));
        severities[i] = judged.severity;
        rbl_verdict_release(breaker, &judged);
        rbl_breaker_forget(breaker, prepared);
    }
    assert_true(severities[0] > 0.0f);
    assert_true(severities[1] < 1e-2f * severities[0]);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// ---- impacts ----

// Of more impacts than are looked at the hardest count, wherever they come in the list.
static void the_hardest_of_many_impacts_count(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = coarse_def(1000);
    const rblBreaker* breaker = make_stress(&def);
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    rblImpact impacts[40];
    for (uint32_t i = 0; i < 40; ++i)
    {
        const rblVec3 at = {0.5f * ((float)i / 40.0f - 0.5f), body.view.bounds.upper.y, 0.0f};
        impacts[i] = (rblImpact){.point = rbl_transform_point(body.pose, at),
                                 .normal = {0, -1, 0},
                                 .speed = 5.0f,
                                 .duration = 1e-4f,
                                 .mass = 1.0f,
                                 .energy = 10.0f,
                                 .peak_force = 100.0f};
    }
    impacts[30].energy = 1000.0f;
    impacts[30].peak_force = 2e4f;
    rblVerdict alone, among;
    check_ok(rbl_breaker_decide(breaker, prepared, &body, &impacts[30], 1, &alone));
    check_ok(rbl_breaker_decide(breaker, prepared, &body, impacts, 40, &among));
    assert_int_equal(among.impact, 30);
    check_relative((double)among.severity, (double)alone.severity, 0.2);
    rbl_verdict_release(breaker, &alone);
    rbl_verdict_release(breaker, &among);
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// An impact that cannot pay breaks nothing, however hard it is; where nobody says what it can pay its energy counts.
static void what_nobody_pays_for_stays_whole(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = coarse_def(1000);
    const rblBreaker* breaker = make_stress(&def);
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    const rblImpact impact = hard_impact(&body, 1e6f);
    rblVerdict verdicts[3];
    const float payable[3] = {0.0f, 1e-6f, 1e6f};
    for (int i = 0; i < 3; ++i)
    {
        body.payable = payable[i];
        check_ok(rbl_breaker_decide(breaker, prepared, &body, &impact, 1, &verdicts[i]));
    }
    assert_true(verdicts[0].breaks && verdicts[2].breaks && !verdicts[1].breaks);
    assert_true(verdicts[0].severity == verdicts[2].severity);
    for (int i = 0; i < 3; ++i)
    {
        rbl_verdict_release(breaker, &verdicts[i]);
    }
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static rblBodyId put_body(rblWorldId world, rblShapeId shape, rblBodyType type, rblVec3 at,
                          const char* material, rblBreakerId breaker)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    def.shape = shape;
    def.type = type;
    def.pose.p = at;
    def.breaker = breaker;
    check_ok(rbl_material_preset(material, &def.material));
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(shape));
    return body;
}

// A brick that is fixed breaks under an impact as others do: its pieces are free, weigh what it weighed, and nothing is lost.
static void a_fixed_body_breaks_under_an_impact(void** state)
{
    (void)state;
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBreakerId breaker;
    const rblStressDef stress = coarse_def(1000);
    rblShapeId brick, ball;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_breaker_create_stress(&stress, &breaker));
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.06f, 0.1f), &brick));
    check_ok(rbl_shape_create_sphere(0.05f, &ball));
    put_body(world, brick, RBL_BODY_STATIC, rbl_vec3(0, 0, 0), "clay", breaker);
    const rblBodyId hammer =
        put_body(world, ball, RBL_BODY_DYNAMIC, rbl_vec3(0, 0.1f, 0), "steel", (rblBreakerId){0, 0});
    check_ok(rbl_body_set_velocity(world, hammer, rbl_vec3(0, -20, 0), rbl_vec3(0, 0, 0)));
    uint32_t broken = 0;
    for (int i = 0; i < 20; ++i)
    {
        const rblBreakEvent* events;
        uint32_t count;
        check_ok(rbl_world_step(world, 1.0f / 240.0f));
        check_ok(rbl_world_break_events(world, &events, &count));
        for (uint32_t e = 0; e < count; ++e)
        {
            assert_true(events[e].heat >= 0.0);
        }
        broken += count;
    }
    assert_true(broken > 0);
    rblBodyId all[64];
    uint32_t count = 0;
    double mass = 0.0;
    check_ok(rbl_world_bodies(world, all, 64, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState body;
        check_ok(rbl_body_state(world, all[i], &body));
        assert_true(rbl_finite3(body.velocity) && rbl_finite3(body.pose.p));
        mass += all[i].index1 == hammer.index1 ? 0.0 : (double)body.mass;
    }
    assert_true(count >= 3);
    check_relative(mass, 1900.0 * 0.2 * 0.06 * 0.1, 1e-5);
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_tets_alive_count(), 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

// ---- memory ----

// Evidence belongs to the verdict: it is there or not, and goes back as it came. What a body keeps for the next decision may stay.
static void check_deciding_out_of_memory(const rblBreaker* breaker, void* prepared, const rblBreakBody* body,
                                         FailingAllocator* memory)
{
    const rblImpact impact = hard_impact(body, 1e6f);
    rblVerdict verdict = {0};
    bool decided = false;
    for (size_t granted = 0; !decided; ++granted)
    {
        memory->left = granted;
        verdict = (rblVerdict){0};
        const rblResult result = rbl_breaker_decide(breaker, prepared, body, &impact, 1, &verdict);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        decided = result == RBL_OK;
        assert_true(decided == (verdict.evidence != NULL));
    }
    memory->left = SIZE_MAX;
    rblFracture fracture;
    verdict.budget = 1e3;
    const size_t with_evidence = memory->live;
    check_ok(rbl_breaker_shatter(breaker, prepared, body, &verdict, rbl_serial_jobs(), &fracture));
    rbl_fracture_free(&fracture);
    assert_int_equal(memory->live, with_evidence);
    rbl_verdict_release(breaker, &verdict);
    assert_null(verdict.evidence);
    assert_true(memory->live < with_evidence);
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    const rblShapeId id = make_rock();
    const rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = coarse_def(300);
    const rblBreaker* breaker = make_stress(&def);
    const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    rblMeshId surface;
    check_ok(rbl_shape_surface(&body.view, &surface)); // made once, kept by the shape
    const size_t live = memory.live;
    bool whole = false;
    for (size_t granted = 0; !whole; granted += 1 + granted / 24)
    {
        rblFracture fracture = {0};
        memory.left = granted;
        const rblResult result =
            rbl_breaker_shatter(breaker, NULL, &body, &verdict, rbl_serial_jobs(), &fracture);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        whole = result == RBL_OK;
        rbl_fracture_free(&fracture);
        assert_int_equal(memory.live, live);
    }
    memory.left = SIZE_MAX;
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    const size_t ready = memory.live;
    whole = false;
    for (size_t granted = 0; !whole; granted += 1 + granted / 64)
    {
        rblFracture fracture = {0};
        memory.left = granted;
        const rblResult result =
            rbl_breaker_shatter(breaker, prepared, &body, &verdict, rbl_serial_jobs(), &fracture);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        whole = result == RBL_OK;
        assert_true(whole == (fracture.fragment_count > 0));
        rbl_fracture_free(&fracture);
        assert_int_equal(memory.live, ready);
    }
    check_deciding_out_of_memory(breaker, prepared, &body, &memory);
    memory.left = SIZE_MAX;
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fragment_has_a_label_of_its_own),
        cmocka_unit_test(solids_of_two_parts_break_into_all_of_both),
        cmocka_unit_test(thin_places_get_no_more_tetrahedra_than_they_need),
        cmocka_unit_test(panes_are_filled_within_limits_or_refused),
        cmocka_unit_test(what_costs_nothing_to_crack_breaks),
        cmocka_unit_test(fragments_of_another_material_are_judged_by_it),
        cmocka_unit_test(the_hardest_of_many_impacts_count),
        cmocka_unit_test(what_nobody_pays_for_stays_whole),
        cmocka_unit_test(a_fixed_body_breaks_under_an_impact),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
