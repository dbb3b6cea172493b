// The prescored breaker: what things break into is all of them, fits, and can be broken again. When: test_prescored_verdict.c.
#include "testing.h"

#include "base/jobs.h"
#include "failing_allocator.h"
#include "field_shapes.h"
#include "prescored_testing.h"

static void every_kind_of_shape_falls_into_pieces_that_are_all_of_it(void** state)
{
    (void)state;
    const rblPatternKind kinds[] = {RBL_PATTERN_RADIAL, RBL_PATTERN_VORONOI, RBL_PATTERN_CLUSTERED};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; ++i)
    {
        const rblShapeId id = parents[i].make();
        rblBreakBody body = body_of(id, "ceramic");
        body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = kinds[i % 3];
        def.pattern.pieces = 20;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0.2f, -0.95f, 0.2f));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        print_message("%s: %u fragments, %u mates, %u merged, crack %g m^2\n", parents[i].name,
                      fracture.fragment_count, fracture.mate_count, fracture.merged, fracture.crack_area);
        assert_true(fracture.fragment_count >= 12);
        check_tiling(&body, &fracture, parents[i].error);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
        assert_int_equal(rbl_shape_alive_count(), 0);
    }
}

static void fragments_of_fragments_of_fragments_are_all_of_them(void** state)
{
    (void)state;
    const Parent* roots[] = {&parents[0], &parents[1], &parents[5]};
    for (size_t r = 0; r < 3; ++r)
    {
        rblShapeId id = roots[r]->make();
        rblBreakBody body = body_of(id, "ceramic");
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = RBL_PATTERN_VORONOI;
        def.pattern.pieces = 8;
        const rblBreaker* breaker = make_breaker(&def);
        for (int depth = 0; depth < 3; ++depth)
        {
            const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
            rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
            assert_true(fracture.fragment_count >= 3);
            check_tiling(&body, &fracture, roots[r]->error);
            go_on_with_heaviest(&fracture, &body, &id);
            body.seed += 1;
        }
        check_ok(rbl_shape_destroy(id));
        rbl_breaker_release(breaker);
        assert_int_equal(rbl_shape_alive_count(), 0);
    }
}

// What breaks again is cut as it is drawn, bumps and all; its field and its samples stay on the flat faces.
static void rough_fragments_break_again_as_flat_ones_do(void** state)
{
    (void)state;
    const double noise = 0.002;
    rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_VORONOI;
    def.pattern.pieces = 8;
    def.pattern.noise = noise;
    const rblBreaker* breaker = make_breaker(&def);
    for (int depth = 0; depth < 3; ++depth)
    {
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count >= 3);
        double mass = 0.0;
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            rblShapeView view = view_of(fracture.fragments[i].shape);
            check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
            rblMeshId mesh;
            rblMeshReport report;
            mass += (double)fracture.fragments[i].mass;
            check_ok(rbl_shape_surface(&view, &mesh));
            check_ok(rbl_mesh_inspect(mesh, NULL, &report));
            assert_true(report.closed && report.manifold && report.oriented);
            for (uint32_t k = 0; k < view.sample_count; ++k)
            {
                assert_true(rbl_shape_distance(view.shape, view.samples[k], NULL) <= (float)noise);
            }
        }
        check_relative(mass, (double)body.mass, 1e-6);
        go_on_with_heaviest(&fracture, &body, &id);
    }
    check_ok(rbl_shape_destroy(id));
    rbl_breaker_release(breaker);
}

// The budget of fragments: the smallest are merged with a neighbour, one after the other; nothing is dropped.
static void a_cap_on_fragments_merges_the_smallest_and_drops_nothing(void** state)
{
    (void)state;
    static const uint32_t caps[] = {2, 9, 25};
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.pieces = 40;
    float least = 0.0f; // mass of the lightest fragment, with fewer and fewer of them
    for (int k = 3; k >= 0; --k)
    {
        def.max_fragments = k < 3 ? caps[k] : 0;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, rbl_vec3(0.1f, 0.2f, 0), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        float lightest = INFINITY;
        double mass = 0.0;
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            lightest = rbl_minf(fracture.fragments[i].mass, lightest);
            mass += (double)fracture.fragments[i].mass;
        }
        assert_true(k < 3 ? fracture.fragment_count == caps[k] && fracture.merged >= 25 - caps[k]
                          : fracture.fragment_count > 25);
        assert_true(lightest >= least);
        check_relative(mass, (double)body.mass, 1e-6);
        check_tiling(&body, &fracture, 1e-5);
        least = lightest;
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
    }
    check_ok(rbl_shape_destroy(id));
}

static void an_impact_pays_for_as_many_pieces_as_it_can(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_VORONOI;
    const rblBreaker* breaker = make_breaker(&def);
    uint32_t before = UINT32_MAX;
    for (double budget = 1000.0; budget > 1e-3; budget /= 4.0)
    {
        rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        verdict.budget = budget;
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count != 1);
        assert_true(2.0 * (double)body.material.surface_energy * fracture.crack_area <= budget);
        assert_true(fracture.fragment_count <= before);
        before = fracture.fragment_count;
        rbl_fracture_free(&fracture);
    }
    assert_int_equal(before, 0);
    // And the world allows no more pieces.
    rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    verdict.max_fragments = 7;
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count >= 2 && fracture.fragment_count <= 7);
    check_tiling(&body, &fracture, 1e-5);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// With a fixed number of pieces a body breaks into that many, or not at all: over budgets from a tenth of what the cracks cost to ten times
// that, with every pattern and any seed.
static void a_fixed_number_of_pieces_does_not_depend_on_the_impact(void** state)
{
    (void)state;
    const rblShapeId shapes[] = {make_rock(), make_block()};
    for (int i = 0; i < 2 * RBL_PATTERN_FILE; ++i)
    {
        rblBreakBody body = body_of(shapes[i % 2], "ceramic");
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = (rblPatternKind)(i / 2);
        def.pattern.pieces = 14;
        def.fixed_pieces = true;
        const rblBreaker* breaker = make_breaker(&def);
        rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        uint32_t whole = 0;
        for (int k = 0; k < 6; ++k)
        {
            body.seed = (uint64_t)(100 + k);
            verdict.budget = (double)INFINITY;
            rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
            assert_int_equal(fracture.fragment_count, 14);
            const double cost = 2.0 * (double)body.material.surface_energy * fracture.crack_area;
            rbl_fracture_free(&fracture);
            verdict.budget =
                cost * (k < 3 ? 0.1 + 0.3 * (double)k : 1.01 * (double)(k - 2) * (double)(k - 2));
            fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
            assert_int_equal(fracture.fragment_count, k < 3 ? 0 : 14);
            whole += fracture.fragment_count == 0;
            rbl_fracture_free(&fracture);
        }
        assert_int_equal(whole, 3);
        rbl_breaker_release(breaker);
    }
    check_ok(rbl_shape_destroy(shapes[0]));
    check_ok(rbl_shape_destroy(shapes[1]));
}

static uint64_t mix(uint64_t hash, const void* data, size_t size)
{
    const uint8_t* bytes = data;
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    }
    return hash;
}

static void the_number_of_workers_changes_nothing(void** state)
{
    (void)state;
    const rblShapeId id = make_statue();
    const rblBreakBody body = body_of(id, "stone");
    const rblPrescoredDef def = rbl_default_prescored_def();
    const rblBreaker* breaker = make_breaker(&def);
    uint64_t expected = 0;
    for (uint32_t workers = 1; workers <= 3; ++workers)
    {
        const rblTasks tasks = tasks_of(workers);
        rblJobs* jobs = NULL;
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0.1f, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, jobs);
        uint64_t hash = mix(7, fracture.mates, sizeof *fracture.mates * fracture.mate_count);
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            rblShapeView view = view_of(fracture.fragments[i].shape);
            check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
            hash = mix(hash, &fracture.fragments[i].mass, sizeof(float));
            hash = mix(hash, &view.mass, sizeof view.mass);
            hash = mix(hash, view.samples, sizeof(rblVec3) * view.sample_count);
            hash = mix(hash, &view.inner_radius, sizeof(float));
        }
        expected = workers == 1 ? hash : expected;
        assert_true(hash == expected);
        rbl_fracture_free(&fracture);
        rbl_jobs_destroy(jobs);
    }
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static void crumbs_are_merged_or_debris(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.pieces = 60;
    def.smallest = 0.01f;
    def.lifetime = 1.5f;
    for (int policy = 0; policy < 2; ++policy)
    {
        def.crumbs = policy == 0 ? RBL_CRUMBS_MERGE : RBL_CRUMBS_DEBRIS;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        uint32_t debris = 0;
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            const rblFragment* fragment = &fracture.fragments[i];
            const bool small = view_of(fragment->shape).mass.volume < 0.01 * body.view.mass.volume;
            assert_true(policy == 1 || !small);
            assert_true(!small || fragment->debris);
            check_close(fragment->lifetime, fragment->debris ? 1.5 : 0.0, 1e-6);
            debris += fragment->debris;
        }
        assert_true(policy == 0 ? debris == 0 && fracture.merged > 0 : debris > 0 && fracture.merged == 0);
        check_tiling(&body, &fracture, 1e-5);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
    }
    check_ok(rbl_shape_destroy(id));
}

// All beyond 15 cm stays one piece.
static void far_from_the_impact_a_body_stays_one_piece(void** state)
{
    (void)state;
    const rblShapeId ids[2] = {make_block(), make_statue()};
    for (int i = 0; i < 2; ++i)
    {
        const rblBreakBody body = body_of(ids[i], "stone");
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.radius = i == 0 ? 0.15 : 0.3;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count >= 5);
        const float most = fracture.fragments[heaviest(&fracture)].mass;
        assert_true(most > 0.4f * body.mass);
        check_tiling(&body, &fracture, 1e-5);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(ids[i]));
    }
}

static void a_compound_breaks_child_by_child(void** state)
{
    (void)state;
    const rblShapeId id = make_dumbbell();
    rblBreakBody body = body_of(id, "ceramic");
    body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
    rblPrescoredDef def = rbl_default_prescored_def();
    const rblBreaker* breaker = make_breaker(&def);
    const rblVerdict verdict = verdict_at(&body, rbl_vec3(-0.5f, 0.2f, 0), rbl_vec3(0, -1, 0));
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count > 12);
    double mass = 0.0;
    for (uint32_t i = 0; i < fracture.fragment_count; ++i)
    {
        mass += (double)fracture.fragments[i].mass;
        const rblShapeView view = view_of(fracture.fragments[i].shape);
        const rblVec3 center =
            rbl_transform_point(fracture.fragments[i].pose, rbl_to_float3(view.mass.center));
        const rblVec3 own = rbl_transform_inverse_point(body.pose, center);
        assert_true(rbl_shape_distance(body.view.shape, own, NULL) < 0.05f);
    }
    check_relative(mass, (double)body.mass, 1e-6);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// A large box with small ones on it.
static rblShapeId make_shelf(void)
{
    rblShapeChild children[5];
    for (int i = 0; i < 5; ++i)
    {
        const float size = i == 0 ? 1.0f : 0.1f;
        check_ok(rbl_shape_create_box(rbl_vec3(size, 0.1f, size), &children[i].shape));
        children[i].pose =
            (rblTransform){{i == 0 ? 0.0f : 0.2f * (float)i - 0.5f, i == 0 ? 0.0f : 0.1f, 0}, {0, 0, 0, 1}};
    }
    rblShapeId id;
    check_ok(rbl_shape_create_compound(children, 5, &id));
    for (int i = 0; i < 5; ++i)
    {
        check_ok(rbl_shape_destroy(children[i].shape));
    }
    return id;
}

// The large one keeps its pieces, all of which are larger than the small ones.
static void of_a_compound_the_smallest_pieces_of_all_are_merged(void** state)
{
    (void)state;
    const rblShapeId id = make_shelf();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_VORONOI;
    def.pattern.pieces = 60;
    const rblBreaker* breaker = make_breaker(&def);
    rblVerdict verdict = verdict_at(&body, rbl_vec3(0, 0.05f, 0.2f), rbl_vec3(0, -1, 0));
    verdict.max_fragments = 25;
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 25);
    uint32_t large = 0;
    for (uint32_t i = 0; i < fracture.fragment_count; ++i)
    {
        large += fracture.fragments[i].mass > 0.015f * body.mass ? 1 : 0; // a small one has 0.0096
    }
    assert_true(large >= 15);
    rbl_fracture_free(&fracture);
    verdict.max_fragments = 4; // less than it has parts
    fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 0);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static void bad_definitions_and_bodies_are_refused(void** state)
{
    (void)state;
    const rblPrescoredDef good = rbl_default_prescored_def();
    rblPrescoredDef def = good;
    rblBreakerId id = {0, 0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&good, NULL));
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.smallest = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.lifetime = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.crumbs = RBL_CRUMBS_COUNT;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.pattern.pieces = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def.pattern.pieces = 1000000;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    // Nothing to cut.
    const rblBreaker* breaker = make_breaker(&good);
    const rblPrescoredDef* read = rbl_breaker_kind_def(breaker);
    assert_string_equal(rbl_breaker_kind(breaker)->name, "prescored");
    assert_int_equal(read->pattern.pieces, good.pattern.pieces);
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    const rblShapeId shapes[2] = {make_torus(&torus), make_ground()};
    for (int i = 0; i < 2; ++i)
    {
        const rblShapeView view = view_of(shapes[i]);
        rblMaterial material;
        void* prepared = NULL;
        check_ok(rbl_material_preset("glass", &material));
        check_fails(RBL_ERROR_UNSUPPORTED,
                    rbl_breaker_prepare(breaker, &view, &material, rbl_serial_jobs(), &prepared));
        assert_null(prepared);
        check_ok(rbl_shape_destroy(shapes[i]));
    }
    rbl_breaker_release(breaker);
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    bool whole = false;
    for (size_t granted = 0; !whole; granted += 1 + granted / 8)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, 10000000);
        check_ok(rbl_set_allocator(&memory.allocator));
        const rblShapeId id = make_rock();
        const rblBreakBody body = body_of(id, "ceramic");
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.pieces = 6;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        memory.left = granted;
        rblFracture fracture = {0};
        const rblResult result =
            rbl_breaker_shatter(breaker, NULL, &body, &verdict, rbl_serial_jobs(), &fracture);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        whole = result == RBL_OK;
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_shape_falls_into_pieces_that_are_all_of_it),
        cmocka_unit_test(fragments_of_fragments_of_fragments_are_all_of_them),
        cmocka_unit_test(rough_fragments_break_again_as_flat_ones_do),
        cmocka_unit_test(an_impact_pays_for_as_many_pieces_as_it_can),
        cmocka_unit_test(a_fixed_number_of_pieces_does_not_depend_on_the_impact),
        cmocka_unit_test(a_cap_on_fragments_merges_the_smallest_and_drops_nothing),
        cmocka_unit_test(the_number_of_workers_changes_nothing),
        cmocka_unit_test(crumbs_are_merged_or_debris),
        cmocka_unit_test(far_from_the_impact_a_body_stays_one_piece),
        cmocka_unit_test(a_compound_breaks_child_by_child),
        cmocka_unit_test(of_a_compound_the_smallest_pieces_of_all_are_merged),
        cmocka_unit_test(bad_definitions_and_bodies_are_refused),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
