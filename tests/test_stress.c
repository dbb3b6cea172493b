// The stress breaker: verdicts from stress, fragments that are all of the body, and pieces of pieces.
#include "testing.h"

#include "base/jobs.h"
#include "base/memory.h"
#include "field_shapes.h"
#include "fracture/stress/stress_private.h"
#include "stress_testing.h"

static rblShapeId make_brick(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.06f, 0.1f), &id));
    return id;
}

// An impact on top of a body.
static rblImpact make_impact(const rblBreakBody* body, float mass, float speed)
{
    return hertz_impact(body, rbl_vec3(0, body->view.bounds.upper.y, 0), rbl_vec3(0, -1, 0), mass, speed);
}

static rblVerdict decide(const rblBreaker* breaker, const rblBreakBody* body, void* prepared, float speed)
{
    const rblImpact impact = make_impact(body, 1.0f, speed);
    rblVerdict verdict;
    check_ok(rbl_breaker_decide(breaker, prepared, body, &impact, 1, &verdict));
    return verdict;
}

// The same for those who want to know the verdict only.
static rblVerdict judge(const rblBreaker* breaker, const rblBreakBody* body, void* prepared, float speed)
{
    rblVerdict verdict = decide(breaker, body, prepared, speed);
    rbl_verdict_release(breaker, &verdict);
    return verdict;
}

// ---- when ----

static void verdicts_rise_with_the_impact(void** state)
{
    (void)state;
    const rblShapeId id = make_brick();
    const rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = rbl_default_stress_def();
    const rblBreaker* breaker = make_stress(&def);
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    float before = 0.0f;
    bool held = false, broke = false;
    for (float speed = 0.05f; speed < 60.0f; speed *= 1.6f)
    {
        const rblVerdict verdict = judge(breaker, &body, prepared, speed);
        assert_true(verdict.severity >= before);
        assert_true(verdict.breaks == (verdict.severity >= 1.0f));
        before = verdict.severity;
        held = held || !verdict.breaks;
        broke = broke || verdict.breaks;
    }
    assert_true(held && broke);
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// The speed that just breaks, by bisection.
static double threshold_speed(const rblBreakBody* body, uint32_t tetrahedra)
{
    rblStressDef def = rbl_default_stress_def();
    def.tetrahedra = tetrahedra;
    def.variation.noise = 0.0f;
    const rblBreaker* breaker = make_stress(&def);
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body->view, &body->material, rbl_serial_jobs(), &prepared));
    double low = 0.01, high = 1000.0;
    for (int i = 0; i < 24; ++i)
    {
        const double middle = sqrt(low * high);
        const bool breaks = judge(breaker, body, prepared, (float)middle).breaks;
        low = breaks ? low : middle;
        high = breaks ? middle : high;
    }
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    return high;
}

// Thresholds are within 5 % of those with three times as many tetrahedra and more, although the plate has a single layer of them, and then two.
static void verdicts_settle_when_tetrahedra_get_smaller(void** state)
{
    (void)state;
    const rblVec3 sizes[] = {{0.2f, 0.06f, 0.1f}, {0.4f, 0.04f, 0.04f}, {0.25f, 0.01f, 0.2f}};
    const char* const materials[] = {"clay", "glass", "glass"};
    for (int i = 0; i < 3; ++i)
    {
        rblShapeId id;
        check_ok(rbl_shape_create_box(sizes[i], &id));
        const rblBreakBody body = body_of(id, materials[i]);
        const double coarse = threshold_speed(&body, i < 2 ? 4000 : 8000);
        const double middle = threshold_speed(&body, 12000);
        const double fine = threshold_speed(&body, 24000);
        print_message("breaks at %g, %g, %g m/s\n", coarse, middle, fine);
        assert_true(fabs(log(coarse / fine)) < 0.05);
        assert_true(fabs(log(middle / fine)) < 0.05);
        check_ok(rbl_shape_destroy(id));
    }
}

// A body of clay by so many modes.
typedef struct Modal
{
    const rblBreaker* breaker;
    void* prepared;
} Modal;

static Modal make_modal(const rblBreakBody* body, uint32_t modes)
{
    rblStressDef def = rbl_default_stress_def();
    Modal modal = {NULL, NULL};
    def.tetrahedra = 1500;
    def.modes = modes;
    modal.breaker = make_stress(&def);
    check_ok(
        rbl_breaker_prepare(modal.breaker, &body->view, &body->material, rbl_serial_jobs(), &modal.prepared));
    return modal;
}

static void free_modal(Modal* modal)
{
    rbl_breaker_forget(modal->breaker, modal->prepared);
    rbl_breaker_release(modal->breaker);
}

// Stress at the nodes under a push on the middle of the top, all components after each other. Returns how many numbers.
static size_t push_down(const Modal* modal, const rblBreakBody* body, double* out)
{
    rblStressBody* stressed = modal->prepared;
    const rblElasticLoad load = {.point = {0, (double)body->view.bounds.upper.y, 0},
                                 .force = {0, -1000, 0},
                                 .radius = 0.02,
                                 .duration = 1e-3};
    const uint32_t nodes = stressed->root->view.solid_node_count;
    rblStressEvidence* evidence = rbl_stress_evidence_new(stressed);
    double ratio = 0.0;
    assert_non_null(evidence);
    const rblStressBlow blow = {
        .loads = {load}, .speeds = {1.0}, .count = 1, .speed = 1.0, .energy = (double)INFINITY};
    check_ok(rbl_stress_solve(stressed, &blow, evidence, &ratio));
    rbl_stress_scale(evidence->stress, nodes, 1.0 / evidence->scale);
    memcpy(out, evidence->stress, nodes * sizeof *evidence->stress);
    rbl_stress_evidence_free(evidence);
    return (size_t)nodes * (sizeof(rblStress) / sizeof(double));
}

static double difference(const double* a, const double* b, size_t count)
{
    double square = 0.0, whole = 0.0;
    for (size_t i = 0; i < count; ++i)
    {
        square += (a[i] - b[i]) * (a[i] - b[i]);
        whole += a[i] * a[i];
    }
    return sqrt(square / whole);
}

// What is far from the threshold is judged alike.
static void check_verdicts(const Modal* solved, const Modal* known, const rblBreakBody* body)
{
    uint32_t broke = 0, held = 0;
    for (float speed = 0.25f; speed < 40.0f; speed *= 2.0f)
    {
        const float severity = judge(solved->breaker, body, solved->prepared, speed).severity;
        const bool breaks = judge(known->breaker, body, known->prepared, speed).breaks;
        broke += severity > 4.0f;
        held += severity < 0.25f;
        assert_true(severity <= 4.0f || breaks);
        assert_true(severity >= 0.25f || !breaks);
    }
    assert_true(broke > 0 && held > 0);
}

static void modes_come_closer_to_solving_the_more_there_are(void** state)
{
    (void)state;
    static double solved[48000], known[48000];
    const rblVec3 sizes[2] = {{0.2f, 0.06f, 0.1f}, {0.25f, 0.01f, 0.2f}};
    for (int k = 0; k < 2; ++k)
    {
        rblShapeId id;
        check_ok(rbl_shape_create_box(sizes[k], &id));
        const rblBreakBody body = body_of(id, "clay");
        Modal whole = make_modal(&body, 0);
        const size_t count = push_down(&whole, &body, solved);
        assert_true(count <= 48000);
        double before = 1.0;
        for (uint32_t modes = 4; modes <= 64; modes *= 4)
        {
            Modal modal = make_modal(&body, modes);
            (void)push_down(&modal, &body, known);
            const double error = difference(solved, known, count);
            print_message("%s, %u modes: stress off by %.3f\n", k == 0 ? "brick" : "plate", modes, error);
            assert_true(error < before);
            before = error;
            if (modes == 64)
            {
                check_verdicts(&whole, &modal, &body);
            }
            free_modal(&modal);
        }
        free_modal(&whole);
        check_ok(rbl_shape_destroy(id));
    }
}

static void what_has_no_strength_or_all_of_it_holds(void** state)
{
    (void)state;
    const rblShapeId id = make_brick();
    const rblStressDef def = rbl_default_stress_def();
    const rblBreaker* breaker = make_stress(&def);
    const float strengths[] = {0.0f, INFINITY};
    for (int i = 0; i < 2; ++i)
    {
        rblBreakBody body = body_of(id, "clay");
        body.material.strength = strengths[i];
        void* prepared = NULL;
        check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
        assert_false(judge(breaker, &body, prepared, 100.0f).breaks);
        rbl_breaker_forget(breaker, prepared);
    }
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// A breaking impulse decides alone, with or without a strength.
static void impulses_break_what_has_no_strength(void** state)
{
    (void)state;
    const rblShapeId id = make_brick();
    const rblStressDef def = rbl_default_stress_def();
    const rblBreaker* breaker = make_stress(&def);
    rblBreakBody body = body_of(id, "clay");
    body.material.strength = 0.0f;
    body.material.break_impulse = 2.0f;
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    assert_false(judge(breaker, &body, prepared, 1.9f).breaks);
    rblVerdict verdict = decide(breaker, &body, prepared, 9.0f);
    assert_true(verdict.breaks);
    verdict.budget = 40.0;
    rblFracture fracture;
    check_ok(rbl_breaker_shatter(breaker, prepared, &body, &verdict, rbl_serial_jobs(), &fracture));
    assert_true(fracture.fragment_count >= 2);
    assert_true(2.0 * (double)body.material.surface_energy * fracture.crack_area <= verdict.budget);
    rbl_fracture_free(&fracture);
    rbl_verdict_release(breaker, &verdict);
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// ---- into what ----

static void fragments_are_all_of_the_body(void** state)
{
    (void)state;
    for (size_t i = 0; i < 4; ++i)
    {
        const rblShapeId id = parents[i].make();
        rblBreakBody body = body_of(id, "clay");
        body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
        const rblStressDef def = rbl_default_stress_def();
        const rblBreaker* breaker = make_stress(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0.2f, -0.95f, 0.2f));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        print_message("%s: %u fragments, %u mates, %u merged, crack %g m^2\n", parents[i].name,
                      fracture.fragment_count, fracture.mate_count, fracture.merged, fracture.crack_area);
        assert_true(fracture.fragment_count >= 2);
        check_tiling(&body, &fracture, 0.006);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
        assert_int_equal(rbl_shape_alive_count(), 0);
    }
    assert_int_equal(rbl_tets_alive_count(), 0);
    assert_int_equal(rbl_elastic_alive_count(), 0);
}

// Pieces are closed and tile what broke, their masses add up, and no more is paid or stored than came.
static void impacts_leave_pieces_that_tile_the_body(void** state)
{
    (void)state;
    const rblShapeId id = make_brick();
    const rblBreakBody body = body_of(id, "clay");
    rblStressDef def = rbl_default_stress_def();
    def.tetrahedra = 2000;
    const rblBreaker* breaker = make_stress(&def);
    void* prepared = NULL;
    check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
    for (float speed = 6.0f; speed < 30.0f; speed *= 2.0f)
    {
        rblVerdict verdict = decide(breaker, &body, prepared, speed);
        assert_true(verdict.breaks);
        verdict.budget = (double)make_impact(&body, 1.0f, speed).energy;
        rblFracture fracture;
        check_ok(rbl_breaker_shatter(breaker, prepared, &body, &verdict, rbl_serial_jobs(), &fracture));
        print_message("%g m/s: %u fragments, cracks %g J of %g J elastic, %g J in all\n", (double)speed,
                      fracture.fragment_count,
                      2.0 * (double)body.material.surface_energy * fracture.crack_area,
                      fracture.elastic_energy, verdict.budget);
        assert_true(fracture.fragment_count >= 2 && fracture.fragment_count <= def.max_fragments);
        check_tiling(&body, &fracture, 0.004);
        assert_true(fracture.elastic_energy > 0.0 && fracture.elastic_energy < 1.05 * verdict.budget);
        rbl_fracture_free(&fracture);
        rbl_verdict_release(breaker, &verdict);
    }
    rbl_breaker_forget(breaker, prepared);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static void pieces_of_pieces_break_on_the_same_tetrahedra(void** state)
{
    (void)state;
    rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "clay");
    rblStressDef def = rbl_default_stress_def();
    def.max_fragments = 3;
    const rblBreaker* breaker = make_stress(&def);
    for (int depth = 0; depth < 3; ++depth)
    {
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count >= 2);
        check_tiling(&body, &fracture, 0.004);
        assert_int_equal(rbl_tets_alive_count(), 1);
        go_on_with_heaviest(&fracture, &body, &id);
    }
    check_ok(rbl_shape_destroy(id));
    rbl_breaker_release(breaker);
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_tets_alive_count(), 0);
}

// ---- stress in fragments ----

static double size_of(rblStress s)
{
    return sqrt(s.xx * s.xx + s.yy * s.yy + s.zz * s.zz + 2.0 * (s.xy * s.xy + s.yz * s.yz + s.zx * s.zx));
}

static rblStress stress_less(rblStress a, rblStress b)
{
    return (rblStress){a.xx - b.xx, a.yy - b.yy, a.zz - b.zz, a.xy - b.xy, a.yz - b.yz, a.zx - b.zx};
}

// Direct factors, to rounding.
static void solve_exactly(const rblStressBody* body, const rblElasticLoad* load, rblStress* out)
{
    rblElasticDef def = rbl_default_elastic_def();
    rblElasticId exact;
    const rblElasticFields fields = {.node_stresses = out};
    def.tets = body->root->tets;
    def.young = (double)body->root->material.young;
    def.poisson = (double)body->root->material.poisson;
    def.density = (double)body->root->material.density;
    def.subset = body->elastic_view.mesh_tets;
    def.subset_count = body->elastic_view.tet_count;
    def.tolerance = 1e-10;
    check_ok(rbl_elastic_create(&def, &exact));
    check_ok(rbl_elastic_solve(exact, load, 1, &fields, NULL));
    check_ok(rbl_elastic_destroy(exact));
}

// The largest error of stress at a node, as a part of the largest stress.
static double stress_error(rblStressBody* body, const rblElasticLoad* load)
{
    rblStressEvidence* found = rbl_stress_evidence_new(body);
    rblStress* exact = malloc(sizeof *exact * body->root->view.node_count);
    double ratio, worst = 0.0, largest = 0.0;
    const rblStressBlow blow = {
        .loads = {*load}, .speeds = {1.0}, .count = 1, .speed = 1.0, .energy = (double)INFINITY};
    check_ok(rbl_stress_solve(body, &blow, found, &ratio));
    rbl_stress_scale(found->stress, body->root->view.node_count, 1.0 / found->scale);
    solve_exactly(body, load, exact);
    for (uint32_t i = 0; i < body->elastic_view.node_count; ++i)
    {
        const rblStress at = found->stress[body->elastic_view.mesh_nodes[i]];
        worst = rbl_maxd(size_of(stress_less(at, exact[i])), worst);
        largest = rbl_maxd(size_of(exact[i]), largest);
    }
    rbl_stress_evidence_free(found);
    free(exact);
    return worst / largest;
}

// Stress in fragments is found step by step until RBL_STRESS_FRAGMENT_TOLERANCE of the forces is left over.
static void stress_in_fragments_is_that_of_exact_solutions(void** state)
{
    (void)state;
    double worst = 0.0;
    for (size_t i = 0; i < 4; ++i)
    {
        rblShapeId id = parents[i].make();
        rblBreakBody body = body_of(id, "clay");
        rblStressDef def = rbl_default_stress_def();
        def.max_fragments = 4;
        const rblBreaker* breaker = make_stress(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        void* prepared = NULL;
        go_on_with_heaviest(&fracture, &body, &id);
        check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
        const rblVec3d ends[2] = {rbl_to_double3(body.view.bounds.upper),
                                  rbl_to_double3(body.view.bounds.lower)};
        for (int k = 0; k < 2; ++k)
        {
            const rblElasticLoad load = {.point = ends[k], .force = {300.0, -1000.0, 200.0}, .radius = 0.01};
            const double error = stress_error(prepared, &load);
            print_message("%s: off by %.1e\n", parents[i].name, error);
            worst = rbl_maxd(error, worst);
        }
        rbl_breaker_forget(breaker, prepared);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
    }
    assert_true(worst < RBL_STRESS_FRAGMENT_TOLERANCE);
}

static void cracks_cost_no_more_than_the_budget(void** state)
{
    (void)state;
    const rblShapeId id = make_brick();
    const rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = rbl_default_stress_def();
    const rblBreaker* breaker = make_stress(&def);
    uint32_t most = 0;
    for (double budget = 1e-4; budget < 100.0; budget *= 10.0)
    {
        rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        verdict.severity = 400.0f;
        verdict.budget = budget;
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(2.0 * (double)body.material.surface_energy * fracture.crack_area <= budget);
        most = fracture.fragment_count > most ? fracture.fragment_count : most;
        rbl_fracture_free(&fracture);
    }
    assert_true(most >= 2);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static void threads_do_not_matter(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "clay");
    const rblStressDef def = rbl_default_stress_def();
    const rblBreaker* breaker = make_stress(&def);
    const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    rblFracture first = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    for (uint32_t threads = 2; threads <= 8; threads += 3)
    {
        rblJobs* jobs = NULL;
        const rblTasks tasks = tasks_of(threads);
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        rblFracture other = shatter(breaker, &body, &verdict, jobs);
        assert_int_equal(other.fragment_count, first.fragment_count);
        for (uint32_t i = 0; i < first.fragment_count; ++i)
        {
            const rblShapeView a = view_of(first.fragments[i].shape), b = view_of(other.fragments[i].shape);
            assert_true(first.fragments[i].mass == other.fragments[i].mass);
            assert_int_equal(a.sample_count, b.sample_count);
            assert_memory_equal(a.samples, b.samples, a.sample_count * sizeof *a.samples);
            assert_memory_equal(&a.mass, &b.mass, sizeof a.mass);
        }
        rbl_fracture_free(&other);
        rbl_jobs_destroy(jobs);
    }
    rbl_fracture_free(&first);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// ---- bad input ----

static void senseless_definitions_are_refused(void** state)
{
    (void)state;
    rblBreakerId id;
    rblStressDef def = {0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_stress(&def, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_stress(NULL, &id));
    def = rbl_default_stress_def();
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_stress(&def, NULL));
    def.edge = (double)NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_stress(&def, &id));
    def = rbl_default_stress_def();
    def.tetrahedra = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_stress(&def, &id));
    def = rbl_default_stress_def();
    def.max_fragments = 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_stress(&def, &id));
    def = rbl_default_stress_def();
    def.variation.noise = 2.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_stress(&def, &id));
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

static void bodies_that_cannot_be_stressed_are_refused(void** state)
{
    (void)state;
    const rblStressDef def = rbl_default_stress_def();
    const rblBreaker* breaker = make_stress(&def);
    void* prepared = NULL;
    rblShapeId plane;
    check_ok(rbl_shape_create_plane(rbl_vec3(0, 1, 0), &plane));
    rblShapeView view = view_of(plane);
    rblMaterial clay;
    check_ok(rbl_material_preset("clay", &clay));
    check_fails(RBL_ERROR_UNSUPPORTED,
                rbl_breaker_prepare(breaker, &view, &clay, rbl_serial_jobs(), &prepared));
    const rblShapeId brick = make_brick();
    view = view_of(brick);
    clay.poisson = 0.5f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_prepare(breaker, &view, &clay, rbl_serial_jobs(), &prepared));
    clay.poisson = 0.2f;
    clay.young = 0.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_prepare(breaker, &view, &clay, rbl_serial_jobs(), &prepared));
    check_ok(rbl_shape_destroy(plane));
    check_ok(rbl_shape_destroy(brick));
    rbl_breaker_release(breaker);
    assert_int_equal(rbl_tets_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_rise_with_the_impact),
        cmocka_unit_test(verdicts_settle_when_tetrahedra_get_smaller),
        cmocka_unit_test(modes_come_closer_to_solving_the_more_there_are),
        cmocka_unit_test(what_has_no_strength_or_all_of_it_holds),
        cmocka_unit_test(impulses_break_what_has_no_strength),
        cmocka_unit_test(fragments_are_all_of_the_body),
        cmocka_unit_test(impacts_leave_pieces_that_tile_the_body),
        cmocka_unit_test(pieces_of_pieces_break_on_the_same_tetrahedra),
        cmocka_unit_test(stress_in_fragments_is_that_of_exact_solutions),
        cmocka_unit_test(cracks_cost_no_more_than_the_budget),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(senseless_definitions_are_refused),
        cmocka_unit_test(bodies_that_cannot_be_stressed_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
