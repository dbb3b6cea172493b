// Where cracks of the stress breaker are: bars, plates, lumps, wine glasses and rings.
#include "testing.h"

#include "base/jobs.h"
#include "rubble/solids.h"
#include "stress_testing.h"

// A solid of a material on which a ball falls.
typedef struct Target
{
    rblShapeId id;
    rblBreakBody body;
    const rblBreaker* breaker;
    void* prepared;
} Target;

static Target open_shape(rblShapeId shape, const char* material, uint32_t tetrahedra, rblStressDef* def)
{
    Target target = {.id = shape};
    def->tetrahedra = tetrahedra;
    target.body = body_of(target.id, material);
    target.body.pose = (rblTransform){{0, 0, 0}, {0, 0, 0, 1}};
    target.breaker = make_stress(def);
    check_ok(rbl_breaker_prepare(target.breaker, &target.body.view, &target.body.material, rbl_serial_jobs(),
                                 &target.prepared));
    return target;
}

static Target open_box(rblVec3 size, const char* material, uint32_t tetrahedra, rblStressDef* def)
{
    rblShapeId box;
    check_ok(rbl_shape_create_box(size, &box));
    return open_shape(box, material, tetrahedra, def);
}

static Target open_target(rblVec3 size, const char* material, uint32_t tetrahedra)
{
    rblStressDef def = rbl_default_stress_def();
    return open_box(size, material, tetrahedra, &def);
}

static Target open_solid(const char* kind, const char* material, uint32_t tetrahedra)
{
    rblStressDef stress = rbl_default_stress_def();
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    check_ok(rbl_mesh_make(kind, NULL, 0, &def.mesh));
    check_ok(rbl_shape_create_level_set(&def, &shape));
    check_ok(rbl_mesh_destroy(def.mesh));
    return open_shape(shape, material, tetrahedra, &stress);
}

static void close_target(Target* target)
{
    rbl_breaker_forget(target->breaker, target->prepared);
    rbl_breaker_release(target->breaker);
    check_ok(rbl_shape_destroy(target->id));
}

// An impact at a point of the surface, along `normal`; no fragments where the solid holds.
static rblFracture break_at(Target* target, rblVec3 point, rblVec3 normal, float mass, float speed)
{
    const rblImpact impact = hertz_impact(&target->body, point, normal, mass, speed);
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

// From above at x, z.
static rblFracture break_from_above(Target* target, float x, float z, float mass, float speed)
{
    const rblVec3 point = {x, target->body.view.bounds.upper.y, z};
    return break_at(target, point, rbl_vec3(0, -1, 0), mass, speed);
}

static uint32_t count_fragments(Target* target, float x, float z, float mass, float speed)
{
    rblFracture fracture = break_from_above(target, x, z, mass, speed);
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

// The speed from which on the stress exceeds the strength.
static float verdict_threshold(Target* target, float mass)
{
    const rblVec3 point = {0.0f, target->body.view.bounds.upper.y, 0.0f};
    float low = 0.01f, high = 1000.0f;
    for (int i = 0; i < 20; ++i)
    {
        const float middle = sqrtf(low * high);
        const rblImpact impact = hertz_impact(&target->body, point, rbl_vec3(0, -1, 0), mass, middle);
        rblVerdict verdict;
        check_ok(rbl_breaker_decide(target->breaker, target->prepared, &target->body, &impact, 1, &verdict));
        low = verdict.breaks ? low : middle;
        high = verdict.breaks ? middle : high;
        rbl_verdict_release(target->breaker, &verdict);
    }
    return high;
}

// The speeds that separate pieces, with three numbers of tetrahedra. The bar separates within a rung of the ladder, 4.4 %, of the verdict;
// the brick has too little energy there.
static void separations_settle_when_tetrahedra_get_smaller(void** state)
{
    (void)state;
    const rblVec3 sizes[2] = {{0.2f, 0.06f, 0.1f}, {0.4f, 0.04f, 0.04f}};
    const char* const materials[2] = {"clay", "glass"};
    const uint32_t counts[3] = {4000, 12000, 24000};
    for (int i = 0; i < 2; ++i)
    {
        float least = INFINITY, most = 0.0f;
        for (int k = 0; k < 3; ++k)
        {
            rblStressDef def = rbl_default_stress_def();
            def.variation.noise = 0.0f;
            Target target = open_box(sizes[i], materials[i], counts[k], &def);
            const float decided = verdict_threshold(&target, 1.0f), separated = threshold(&target, 1.0f);
            print_message("%u tetrahedra: breaks at %g m/s, separates at %g\n", counts[k], (double)decided,
                          (double)separated);
            assert_true(separated >= decided);
            assert_true(i == 0 || separated < 1.05f * decided);
            least = rbl_minf(least, separated);
            most = rbl_maxf(most, separated);
            close_target(&target);
        }
        assert_true(most < 1.05f * least);
    }
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
        rblFracture fracture = break_from_above(&plate, places[i][0], places[i][1], 1.0f, 3.1f);
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
        rblFracture fracture = break_from_above(&lump, x, 0.0f, 0.9f, 50.0f);
        const rblVec3 point = {x, 0.112f, 0.0f};
        print_message("at %g: %u pieces\n", (double)x, fracture.fragment_count);
        assert_true(fracture.fragment_count >= 2);
        assert_true(count_around(&fracture, point, 0.05f) >= 2);
        rbl_fracture_free(&fracture);
    }
    close_target(&lump);
}

// Shards of the bowl; the stem bends and breaks once or twice, and is not sliced.
static void wine_glasses_break_at_the_bowl(void** state)
{
    (void)state;
    Target glass = open_solid("wineglass", "glass", 6000);
    for (int i = 0; i < 3; ++i)
    {
        const float height = 0.13f + 0.03f * (float)i;
        const rblRay ray = {.origin = {0.2f, height, 0.0f}, .direction = {-1, 0, 0}, .t_max = 1.0f};
        const rblShapeHit at = rbl_shape_ray(glass.body.view.shape, &ray);
        const rblVec3 point = {0.2f - at.t, height, 0.0f};
        rblFracture fracture = break_at(&glass, point, rbl_vec3(-1, 0, 0), 0.1f, 6.0f);
        uint32_t slices = 0, shards = 0;
        for (uint32_t k = 0; k < fracture.fragment_count; ++k)
        {
            const rblShapeView piece = view_of(fracture.fragments[k].shape);
            const rblVec3 center =
                rbl_transform_point(fracture.fragments[k].pose, rbl_to_float3(piece.mass.center));
            const rblVec3 size = rbl_sub3(piece.bounds.upper, piece.bounds.lower);
            slices += center.y < 0.1f && rbl_maxf(size.x, size.z) < 0.012f;
            shards += center.y > 0.1f;
        }
        print_message("glass at %g m: %u pieces, %u of the bowl, %u of the stem alone\n", (double)height,
                      fracture.fragment_count, shards, slices);
        assert_true(shards >= 2);
        assert_true(slices <= 2);
        rbl_fracture_free(&fracture);
    }
    close_target(&glass);
}

// At the load, and where it bends most: elsewhere.
static void rings_break_at_the_impact_and_elsewhere(void** state)
{
    (void)state;
    Target ring = open_solid("torus", "clay", 4000);
    const float outside = ring.body.view.bounds.upper.x;
    rblFracture fracture = break_at(&ring, rbl_vec3(outside, 0, 0), rbl_vec3(-1, 0, 0), 1.0f, 20.0f);
    const uint32_t around = count_around(&fracture, rbl_vec3(outside, 0, 0), 0.3f * outside);
    const uint32_t far_off = count_around(&fracture, rbl_vec3(-outside, 0, 0), 1.2f * outside);
    print_message("ring: %u pieces, %u around the impact\n", fracture.fragment_count, around);
    assert_true(around >= 2);
    assert_true(far_off >= 2);
    rbl_fracture_free(&fracture);
    close_target(&ring);
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
    Target brick = open_box(rbl_vec3(0.2f, 0.06f, 0.1f), "clay", 2000, &def);
    rblRandom random = rbl_random_seed(3, 4);
    uint32_t alike = 0;
    double sum = 0.0;
    for (int i = 0; i < 20; ++i)
    {
        const float x = 0.08f * rbl_random_float(&random), z = 0.04f * rbl_random_float(&random);
        const float speed = 6.0f + 6.0f * rbl_random_float(&random);
        rblFracture here = break_from_above(&brick, x, z, 1.0f, speed);
        rblFracture there = i % 2 == 0 ? break_from_above(&brick, -x, z, 1.0f, speed)
                                       : break_from_above(&brick, x, -z, 1.0f, speed);
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
        cmocka_unit_test(separations_settle_when_tetrahedra_get_smaller),
        cmocka_unit_test(bars_at_twice_their_threshold_have_two_to_four_pieces),
        cmocka_unit_test(plates_break_in_a_star_around_the_impact),
        cmocka_unit_test(a_fast_ball_chips_a_lump),
        cmocka_unit_test(wine_glasses_break_at_the_bowl),
        cmocka_unit_test(rings_break_at_the_impact_and_elsewhere),
        cmocka_unit_test(mirror_images_break_into_mirror_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
