// Breakers: the registry, and a method of the test's own through all that a world calls.
#include "testing.h"

#include "base/jobs.h"
#include "failing_allocator.h"

// Breaks a body in two equal boxes along x when the impulse is large enough.
typedef struct Halver
{
    float threshold;
    int prepared, forgotten, destroyed;
    float lost_mass;     // share of the mass that goes missing
    uint32_t wrong_mate; // added to the numbers of mates
    rblVerdict wrong;    // added to the verdict
} Halver;

static rblResult halver_prepare(void* context, const rblShapeView* shape, const rblMaterial* material,
                                rblJobs* jobs, void** prepared)
{
    Halver* halver = context;
    assert_string_equal(shape->kind, "box");
    assert_true(material->density > 0.0f);
    assert_non_null(jobs);
    halver->prepared += 1;
    *prepared = halver;
    return RBL_OK;
}

static void halver_forget(void* context, void* prepared)
{
    assert_ptr_equal(context, prepared);
    ((Halver*)context)->forgotten += 1;
}

static rblResult halver_decide(void* context, void* prepared, const rblBreakBody* body,
                               const rblImpact* impacts, uint32_t count, rblVerdict* out)
{
    const Halver* halver = context;
    assert_ptr_equal(context, prepared);
    assert_false(out->breaks);
    check_close(out->damage, body->damage, 0.0);
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 j = impacts[i].impulse;
        const float size = sqrtf(j.x * j.x + j.y * j.y + j.z * j.z);
        if (size > halver->threshold)
        {
            *out = (rblVerdict){.breaks = true,
                                .impact = i + halver->wrong.impact,
                                .point = impacts[i].point,
                                .normal = impacts[i].normal,
                                .severity = size / halver->threshold,
                                .damage = halver->wrong.damage,
                                .budget = (double)impacts[i].energy};
            out->normal.x += halver->wrong.normal.x;
        }
    }
    return RBL_OK;
}

typedef struct Halves
{
    const rblBreakBody* body;
    rblFracture* out;
    rblResult results[2];
} Halves;

static void make_half(uint32_t i, void* context)
{
    Halves* halves = context;
    const rblAabb box = halves->body->view.bounds;
    const rblVec3 size = {0.5f * (box.upper.x - box.lower.x), box.upper.y - box.lower.y,
                          box.upper.z - box.lower.z};
    rblFragment* fragment = &halves->out->fragments[i];
    halves->results[i] = rbl_shape_create_box(size, &fragment->shape);
    fragment->pose = halves->body->pose;
    fragment->pose.p.x += (i == 0 ? -0.5f : 0.5f) * size.x;
    fragment->mass = 0.5f * halves->body->mass;
    fragment->piece = i;
}

static rblResult halver_shatter(void* context, void* prepared, const rblBreakBody* body,
                                const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    const Halver* halver = context;
    assert_ptr_equal(context, prepared);
    assert_true(verdict->breaks);
    assert_int_equal(out->fragment_count, 0);
    const rblResult result = rbl_fracture_allocate(out, 2, 1);
    if (result != RBL_OK)
    {
        return result;
    }
    Halves halves = {body, out, {RBL_OK, RBL_OK}};
    rbl_run_parallel(jobs, 2, make_half, &halves);
    out->fragments[1].mass *= 1.0f - halver->lost_mass;
    out->mates[0] = (rblMate){0, 0, 1 + halver->wrong_mate, 0};
    out->crack_area = 0.01;
    return halves.results[0] != RBL_OK ? halves.results[0] : halves.results[1];
}

static void halver_destroy(void* context)
{
    ((Halver*)context)->destroyed += 1;
}

static rblBreakerDef halver_def(Halver* halver)
{
    rblBreakerDef def = rbl_default_breaker_def();
    def.name = "halver";
    def.prepare = halver_prepare;
    def.forget = halver_forget;
    def.decide = halver_decide;
    def.shatter = halver_shatter;
    def.destroy = halver_destroy;
    def.context = halver;
    return def;
}

static void a_breaker_lives_while_it_is_referenced(void** state)
{
    (void)state;
    Halver halver = {.threshold = 1.0f};
    const rblBreakerDef def = halver_def(&halver);
    rblBreakerId id = {0, 0};
    check_ok(rbl_breaker_create(&def, &id));
    assert_int_equal(rbl_breaker_alive_count(), 1);
    const rblBreaker* breaker = NULL;
    check_ok(rbl_breaker_acquire(id, &breaker));
    assert_string_equal(rbl_breaker_def(breaker)->name, "halver");
    assert_true(rbl_breaker_def(breaker)->name != def.name);
    rbl_breaker_retain(breaker);
    check_ok(rbl_breaker_destroy(id));
    assert_int_equal(rbl_breaker_alive_count(), 0);
    const rblBreaker* none = NULL;
    check_fails(RBL_ERROR_STALE, rbl_breaker_destroy(id));
    check_fails(RBL_ERROR_STALE, rbl_breaker_acquire(id, &none));
    assert_null(none);
    rbl_breaker_release(breaker);
    assert_int_equal(halver.destroyed, 0);
    rbl_breaker_release(breaker);
    assert_int_equal(halver.destroyed, 1);
}

static void bad_definitions_are_refused(void** state)
{
    (void)state;
    assert_null(rbl_breaker_kind(NULL)); // as rblBodyState has it for bodies that never break
    assert_null(rbl_breaker_kind_def(NULL));
    rbl_fracture_free(NULL);
    check_fails(RBL_ERROR_ARGUMENT, rbl_fracture_allocate(NULL, 1, 0));
    Halver halver = {.threshold = 1.0f};
    const rblBreakerDef good = halver_def(&halver);
    rblBreakerId id = {7, 7};
    rblBreakerDef def = good;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create(&good, NULL));
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create(&def, &id));
    def = good;
    def.name = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create(&def, &id));
    def = good;
    def.decide = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create(&def, &id));
    def = good;
    def.shatter = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create(&def, &id));
    def = good;
    def.forget = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create(&def, &id));
    check_fails(RBL_ERROR_STALE, rbl_breaker_destroy((rblBreakerId){0, 0}));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_acquire((rblBreakerId){1, 1}, NULL));
    assert_int_equal(id.index1, 7);
    assert_int_equal(halver.destroyed, 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

// A box of 2 kg with an impact of so many newton seconds.
typedef struct Case
{
    Halver halver;
    rblShapeId shape;
    const rblBreaker* breaker;
    void* prepared;
    rblBreakBody body;
    rblImpact impact;
} Case;

static void open_case(Case* c, Halver halver)
{
    *c = (Case){.halver = halver};
    const rblBreakerDef def = halver_def(&c->halver);
    rblBreakerId id;
    check_ok(rbl_breaker_create(&def, &id));
    check_ok(rbl_breaker_acquire(id, &c->breaker));
    check_ok(rbl_breaker_destroy(id));
    check_ok(rbl_shape_create_box((rblVec3){0.2f, 0.1f, 0.1f}, &c->shape));
    check_ok(rbl_shape_view(c->shape, &c->body.view));
    check_ok(rbl_material_preset("glass", &c->body.material));
    c->body.pose = (rblTransform){{1, 2, 3}, {0, 0, 0, 1}};
    c->body.mass = 2.0f;
    c->body.damage = 0.25f;
    c->impact = (rblImpact){.point = {1, 1.95f, 3}, .normal = {0, 1, 0}, .impulse = {0, 5, 0}, .energy = 3};
    check_ok(
        rbl_breaker_prepare(c->breaker, &c->body.view, &c->body.material, rbl_serial_jobs(), &c->prepared));
}

static void close_case(Case* c)
{
    rbl_breaker_forget(c->breaker, c->prepared);
    rbl_breaker_release(c->breaker);
    check_ok(rbl_shape_destroy(c->shape));
    assert_int_equal(c->halver.prepared, 1);
    assert_int_equal(c->halver.forgotten, 1);
    assert_int_equal(c->halver.destroyed, 1);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static rblResult decide(Case* c, rblVerdict* verdict)
{
    return rbl_breaker_decide(c->breaker, c->prepared, &c->body, &c->impact, 1, verdict);
}

static void a_breaker_of_the_users_own_decides_and_shatters(void** state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; ++workers)
    {
        const rblTasks tasks = tasks_of(workers);
        rblJobs* jobs = NULL;
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        Case c;
        open_case(&c, (Halver){.threshold = 6.0f});
        rblVerdict verdict;
        check_ok(decide(&c, &verdict));
        assert_false(verdict.breaks);
        check_close(verdict.damage, 0.25, 0.0);
        c.impact.impulse.y = 12.0f;
        check_ok(decide(&c, &verdict));
        assert_true(verdict.breaks);
        check_close(verdict.severity, 2.0, 1e-6);
        rblFracture fracture;
        check_ok(rbl_breaker_shatter(c.breaker, c.prepared, &c.body, &verdict, jobs, &fracture));
        assert_int_equal(fracture.fragment_count, 2);
        check_close(fracture.fragments[0].pose.p.x, 0.95, 1e-6);
        check_close(fracture.fragments[1].pose.p.x, 1.05, 1e-6);
        // One shape is taken, the other goes with the fracture.
        const rblShapeId taken = fracture.fragments[0].shape;
        fracture.fragments[0].shape = (rblShapeId){0, 0};
        rbl_fracture_free(&fracture);
        assert_null(fracture.fragments);
        check_ok(rbl_shape_destroy(taken));
        close_case(&c);
        rbl_jobs_destroy(jobs);
    }
}

static void wrong_answers_are_refused(void** state)
{
    (void)state;
    const Halver wrong[] = {{.threshold = 1.0f, .wrong = {.impact = 1}},
                            {.threshold = 1.0f, .wrong = {.damage = 1.5f}},
                            {.threshold = 1.0f, .wrong = {.normal = {1.0f, 0.0f, 0.0f}}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    {
        Case c;
        open_case(&c, wrong[i]);
        rblVerdict verdict = {.severity = 42.0f};
        check_fails(RBL_ERROR_ARGUMENT, decide(&c, &verdict));
        check_close(verdict.severity, 42.0, 0.0);
        close_case(&c);
    }
    const Halver lossy[] = {{.threshold = 1.0f, .lost_mass = 1e-4f}, {.threshold = 1.0f, .wrong_mate = 1}};
    for (size_t i = 0; i < sizeof lossy / sizeof *lossy; ++i)
    {
        Case c;
        open_case(&c, lossy[i]);
        rblVerdict verdict;
        check_ok(decide(&c, &verdict));
        rblFracture fracture;
        check_fails(RBL_ERROR_ARGUMENT,
                    rbl_breaker_shatter(c.breaker, c.prepared, &c.body, &verdict, NULL, &fracture));
        assert_int_equal(fracture.fragment_count, 0);
        assert_null(fracture.fragments);
        close_case(&c);
    }
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    Halver halver = {.threshold = 1.0f};
    const rblBreakerDef def = halver_def(&halver);
    for (size_t granted = 0; granted < 8; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblBreakerId id = {0, 0};
        const rblResult result = rbl_breaker_create(&def, &id);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        if (result == RBL_OK)
        {
            check_ok(rbl_breaker_destroy(id));
        }
        rblFracture fracture = {0};
        if (rbl_fracture_allocate(&fracture, 3, 2) == RBL_OK)
        {
            assert_int_equal(fracture.fragments[2].piece + fracture.mates[1].piece_b, 0);
        }
        rbl_fracture_free(&fracture);
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
    assert_true(halver.destroyed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_breaker_lives_while_it_is_referenced),
        cmocka_unit_test(bad_definitions_are_refused),
        cmocka_unit_test(a_breaker_of_the_users_own_decides_and_shatters),
        cmocka_unit_test(wrong_answers_are_refused),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
