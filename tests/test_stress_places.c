// Where cracks of the stress breaker are: bars, plates and lumps.
#include "testing.h"

#include "base/jobs.h"
#include "stress_testing.h"

// A box of a material that can be hit.
typedef struct Target
{
    rblShapeId id;
    rblBreakBody body;
    const rblBreaker* breaker;
    void* prepared;
} Target;

static Target open_target_of(rblVec3 size, const char* material, uint32_t tetrahedra, rblStressDef* def)
{
    Target target = {.prepared = NULL};
    def->tetrahedra = tetrahedra;
    check_ok(rbl_shape_create_box(size, &target.id));
    target.body = body_of(target.id, material);
    target.body.pose = (rblTransform){{0, 0, 0}, {0, 0, 0, 1}};
    target.breaker = make_stress(def);
    check_ok(rbl_breaker_prepare(target.breaker, &target.body.view, &target.body.material, rbl_serial_jobs(),
                                 &target.prepared));
    return target;
}

static Target open_target(rblVec3 size, const char* material, uint32_t tetrahedra)
{
    rblStressDef def = rbl_default_stress_def();
    return open_target_of(size, material, tetrahedra, &def);
}

static void close_target(Target* target)
{
    rbl_breaker_forget(target->breaker, target->prepared);
    rbl_breaker_release(target->breaker);
    check_ok(rbl_shape_destroy(target->id));
}

// Hit from above at x, z; no fragments where it holds.
static rblFracture hit(Target* target, float x, float z, float mass, float speed)
{
    const rblVec3 point = {x, target->body.view.bounds.upper.y, z};
    const rblImpact impact = hertz_impact(&target->body, point, rbl_vec3(0, -1, 0), mass, speed);
    rblVerdict verdict;
    rblFracture fracture = {0};
    check_ok(rbl_breaker_decide(target->breaker, target->prepared, &target->body, &impact, 1, &verdict));
    if (verdict.breaks)
    {
        verdict.budget = (double)impact.energy;
        check_ok(rbl_breaker_shatter(target->breaker, target->prepared, &target->body, &verdict,
                                     rbl_serial_jobs(), &fracture));
    }
    rbl_verdict_release(target->breaker, &verdict);
    return fracture;
}

static uint32_t count_fragments(Target* target, float x, float z, float mass, float speed)
{
    rblFracture fracture = hit(target, x, z, mass, speed);
    const uint32_t fragments = fracture.fragment_count;
    rbl_fracture_free(&fracture);
    return fragments;
}

// The speed that just breaks it, by bisection.
static float threshold(Target* target, float mass)
{
    float low = 0.01f, high = 1000.0f;
    for (int i = 0; i < 20; ++i)
    {
        const float middle = sqrtf(low * high);
        const bool breaks = count_fragments(target, 0.0f, 0.0f, mass, middle) >= 2;
        low = breaks ? low : middle;
        high = breaks ? middle : high;
    }
    return high;
}

// A bar that breaks in its middle is unloaded: it has a few pieces, not slices.
static void bars_at_twice_their_threshold_have_two_to_four_pieces(void** state)
{
    (void)state;
    const char* const materials[] = {"glass", "clay", "plaster"};
    for (int i = 0; i < 3; ++i)
    {
        Target bar = open_target(rbl_vec3(0.4f, 0.04f, 0.04f), materials[i], 3000);
        const float speed = threshold(&bar, 1.0f);
        const uint32_t once = count_fragments(&bar, 0.0f, 0.0f, 1.0f, 1.02f * speed);
        const uint32_t twice = count_fragments(&bar, 0.0f, 0.0f, 1.0f, 2.0f * speed);
        print_message("%s: %u pieces at %g m/s, %u at twice that\n", materials[i], once, (double)speed,
                      twice);
        assert_true(once >= 2 && once <= 3);
        assert_true(twice >= 2 && twice <= 4);
        close_target(&bar);
    }
}

// Fragments that come within this distance of a point.
static uint32_t count_around(const rblFracture* fracture, rblVec3 point, float distance)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        const rblFragment* fragment = &fracture->fragments[i];
        const rblVec3 at = rbl_transform_inverse_point(fragment->pose, point);
        count += rbl_shape_distance(view_of(fragment->shape).shape, at, NULL) < distance;
    }
    return count;
}

static void plates_break_in_a_star_around_the_impact(void** state)
{
    (void)state;
    const float places[3][2] = {{0.0f, 0.0f}, {0.06f, 0.04f}, {-0.05f, 0.06f}};
    Target plate = open_target(rbl_vec3(0.25f, 0.01f, 0.2f), "glass", 6000);
    for (int i = 0; i < 3; ++i)
    {
        rblFracture fracture = hit(&plate, places[i][0], places[i][1], 1.0f, 3.0f);
        const uint32_t rays = count_around(&fracture, rbl_vec3(places[i][0], 0.0f, places[i][1]), 0.012f);
        print_message("at %g %g: %u pieces, %u around the impact\n", (double)places[i][0],
                      (double)places[i][1], fracture.fragment_count, rays);
        assert_true(rays >= 4);
        rbl_fracture_free(&fracture);
    }
    close_target(&plate);
}

// The contact drives a crack through a lump that bends nowhere.
static void a_fast_ball_chips_a_lump(void** state)
{
    (void)state;
    Target lump = open_target(rbl_vec3(0.224f, 0.224f, 0.224f), "glass", 6000); // 28 kg
    for (int i = 0; i < 2; ++i)
    {
        const float x = i == 0 ? 0.0f : 0.07f;
        assert_int_equal(count_fragments(&lump, x, 0.0f, 0.9f, 5.0f), 0);
        rblFracture fracture = hit(&lump, x, 0.0f, 0.9f, 50.0f);
        const rblVec3 point = {x, 0.112f, 0.0f};
        print_message("at %g: %u pieces\n", (double)x, fracture.fragment_count);
        assert_true(fracture.fragment_count >= 2);
        assert_true(count_around(&fracture, point, 0.05f) >= 2);
        rbl_fracture_free(&fracture);
    }
    close_target(&lump);
}

static int compare_masses(const void* a, const void* b)
{
    const float x = ((const rblFragment*)a)->mass, y = ((const rblFragment*)b)->mass;
    return (x < y) - (x > y);
}

// The largest difference of masses, the heaviest first, as a part of the whole.
static double mass_difference(rblFracture* a, rblFracture* b, double whole)
{
    double most = 0.0;
    qsort(a->fragments, a->fragment_count, sizeof *a->fragments, compare_masses);
    qsort(b->fragments, b->fragment_count, sizeof *b->fragments, compare_masses);
    for (uint32_t i = 0; i < a->fragment_count || i < b->fragment_count; ++i)
    {
        const double first = i < a->fragment_count ? (double)a->fragments[i].mass : 0.0;
        const double second = i < b->fragment_count ? (double)b->fragments[i].mass : 0.0;
        most = fmax(most, fabs(first - second) / whole);
    }
    return most;
}

// Of bodies without variation of strength. Rounding decides where two places are equally weak, so a few may differ.
static void mirror_images_break_into_mirror_images(void** state)
{
    (void)state;
    rblStressDef def = rbl_default_stress_def();
    def.variation.noise = 0.0f;
    Target brick = open_target_of(rbl_vec3(0.2f, 0.06f, 0.1f), "clay", 2000, &def);
    rblRandom random = rbl_random_seed(3, 4);
    uint32_t alike = 0;
    double sum = 0.0;
    for (int i = 0; i < 20; ++i)
    {
        const float x = 0.08f * rbl_random_float(&random), z = 0.04f * rbl_random_float(&random);
        const float speed = 6.0f + 6.0f * rbl_random_float(&random);
        rblFracture here = hit(&brick, x, z, 1.0f, speed);
        rblFracture there = i % 2 == 0 ? hit(&brick, -x, z, 1.0f, speed) : hit(&brick, x, -z, 1.0f, speed);
        const double difference = mass_difference(&here, &there, (double)brick.body.mass);
        assert_true(here.fragment_count >= 2 && there.fragment_count >= 2);
        alike += difference < 0.01;
        sum += difference;
        rbl_fracture_free(&here);
        rbl_fracture_free(&there);
    }
    print_message("%u of 20 alike, masses differ by %g on average\n", alike, sum / 20);
    assert_true(alike >= 18);
    close_target(&brick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_at_twice_their_threshold_have_two_to_four_pieces),
        cmocka_unit_test(plates_break_in_a_star_around_the_impact),
        cmocka_unit_test(a_fast_ball_chips_a_lump),
        cmocka_unit_test(mirror_images_break_into_mirror_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
