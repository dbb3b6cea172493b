// Box and ray queries of the broad phase against brute force.
#include "broad_phase_model.h"

// Queries may come at any time: between moves and the update as well.
static void check_box_query(Model* model, rblAabb box)
{
    Visits visits = {.limit = UINT32_MAX};
    rbl_broad_phase_query(model->broad, box, note_visit, &visits);
    uint32_t expected = 0;
    for (uint32_t p = 0; p < model->limit; ++p)
    {
        const bool meets =
            model->exists[p] && rbl_aabb_overlaps(rbl_broad_phase_fat_box(model->broad, p), box);
        assert_int_equal(visits.seen[p], meets);
        expected += meets;
    }
    if (expected > 1)
    {
        Visits few = {.limit = expected / 2};
        rbl_broad_phase_query(model->broad, box, note_visit, &few);
        assert_int_equal(few.count, expected / 2);
    }
}

static void box_queries_see_what_brute_force_sees(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 300, 2, 1);
    check_box_query(model, random_box(model, 2.0));
    for (uint32_t step = 0; step < 120; ++step)
    {
        live_one_step(model, step);
        check_box_query(model, random_box(model, 2.0));
        check_box_query(model, strange_box(model));
        update(model);
        check_box_query(model, random_box(model, 2.0));
    }
    check_box_query(model, (rblAabb){{NAN, 0, 0}, {1, 1, 1}});
    check_box_query(model, rbl_aabb_empty());
    model_end(model);
}

// ---- rays ----

static float see_everything(uint32_t proxy, const rblRay* ray, void* context)
{
    note_visit(proxy, context);
    return ray->t_max;
}

// In 64 bits: the span of t in which a ray is in a box grown by `half` and `extra`.
static bool ray_meets(const rblRay* ray, rblAabb box, rblVec3 half, double extra)
{
    const float* o = &ray->origin.x;
    const float* d = &ray->direction.x;
    const float* lower = &box.lower.x;
    const float* upper = &box.upper.x;
    const float* grow = &half.x;
    double enter = (double)ray->t_min;
    double leave = (double)ray->t_max;
    for (int a = 0; a < 3; ++a)
    {
        const double low = (double)lower[a] - (double)grow[a] - extra - (double)o[a];
        const double high = (double)upper[a] + (double)grow[a] + extra - (double)o[a];
        if (d[a] == 0.0f)
        {
            if (low > 0.0 || high < 0.0)
            {
                return false;
            }
            continue;
        }
        const double first = low / (double)d[a];
        const double second = high / (double)d[a];
        enter = fmax(enter, fmin(first, second));
        leave = fmin(leave, fmax(first, second));
    }
    return enter <= leave * (1.0 + (leave > 0.0 ? extra : -extra)) + 1e-300;
}

static void check_ray(Model* model, const rblRay* ray, rblVec3 half)
{
    Visits visits = {.limit = UINT32_MAX};
    rbl_broad_phase_ray(model->broad, ray, half, see_everything, &visits);
    for (uint32_t p = 0; p < model->limit; ++p)
    {
        if (!model->exists[p])
        {
            assert_int_equal(visits.seen[p], 0);
            continue;
        }
        const rblAabb fat = rbl_broad_phase_fat_box(model->broad, p);
        assert_true(visits.seen[p] >= ray_meets(ray, fat, half, 0.0));
        assert_true(visits.seen[p] <= ray_meets(ray, fat, half, 1e-4));
    }
}

static void rays_miss_no_box(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 300, 3, 1);
    births(model, 600, 2.0);
    for (uint32_t p = 0; p < 20; ++p)
    {
        if (model->exists[p])
        {
            drop(model, p);
        }
        const rblAabb odd = strange_box(model);
        if (!(odd.upper.x > 1e6f &&
              isfinite(odd.upper.x))) // roundings of far boxes are larger than this test allows
        {
            add(model, p, odd, p % 2 == 0);
        }
    }
    for (uint32_t i = 0; i < 400; ++i)
    {
        if (i % 20 == 0)
        {
            move_share(model, 0.5, 1.0f, 0.0f);
            update(model);
        }
        rblRay ray = {uniform3(model, -3.0, 3.0), uniform3(model, -1.0, 1.0), 0.0f,
                      uniform(model, 0.0, 10.0)};
        const uint32_t kind = rbl_random_below(&model->random, 5);
        ray.direction.x = kind == 0 ? 0.0f : ray.direction.x;
        ray.direction.z = kind <= 1 ? -0.0f : ray.direction.z;
        ray.t_max = kind == 2 ? INFINITY : ray.t_max;
        ray.t_min = kind == 3 ? -5.0f : 0.0f;
        const float size = kind == 4 ? 0.1f : 0.0f;
        check_ray(model, &ray, rbl_vec3(size, 0.5f * size, 2.0f * size));
    }
    model_end(model);
}

// Axis-parallel rays that begin in the planes of boxes, on their edges and at their corners.
static void rays_along_the_faces_of_boxes_meet_them(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 64, 4, 1);
    for (uint32_t p = 0; p < 64; ++p)
    {
        const rblVec3 lower = {(float)(p % 4), (float)(p / 4 % 4), (float)(p / 16)};
        add(model, p, (rblAabb){lower, rbl_add3(lower, rbl_vec3(1, 1, 1))}, false);
    }
    const rblVec3 zero = {0, 0, 0};
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int a = 0; a <= 4; ++a)
        {
            for (int b = 0; b <= 4; ++b)
            {
                rblRay ray = {zero, zero, 0.0f, 10.0f};
                (&ray.direction.x)[axis] = a % 2 == 0 ? 1.0f : -1.0f;
                (&ray.origin.x)[axis] = a % 2 == 0 ? -1.0f : 5.0f;
                (&ray.origin.x)[(axis + 1) % 3] = (float)a;
                (&ray.origin.x)[(axis + 2) % 3] = (float)b;
                check_ray(model, &ray, zero);
            }
        }
    }
    model_end(model);
}

typedef struct Nearest
{
    const Model* model;
    float t;
    uint32_t proxy;
    uint32_t visits;
} Nearest;

static float entry_of(const Model* model, uint32_t proxy, const rblRay* ray)
{
    const rblAabb box = rbl_broad_phase_fat_box(model->broad, proxy);
    return (box.lower.x - ray->origin.x) / ray->direction.x;
}

static float keep_nearest(uint32_t proxy, const rblRay* ray, void* context)
{
    Nearest* nearest = context;
    const float t = entry_of(nearest->model, proxy, ray);
    nearest->visits += 1;
    if (t < nearest->t)
    {
        nearest->t = t;
        nearest->proxy = proxy;
    }
    return nearest->t;
}

static float stop_at_once(uint32_t proxy, const rblRay* ray, void* context)
{
    (void)proxy;
    (void)ray;
    ((Nearest*)context)->visits += 1;
    return -1.0f;
}

static void a_cut_ray_visits_little_and_finds_the_nearest(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 1000, 5, 1);
    for (uint32_t p = 0; p < 1000; ++p)
    {
        const float x = (float)(p * 7 % 1000);
        add(model, p, (rblAabb){{x, 0, 0}, {x + 0.5f, 1, 1}}, true);
    }
    update(model);
    const rblRay ray = {{-1.0f, 0.5f, 0.5f}, {2.0f, 0.0f, 0.0f}, 0.0f, INFINITY};
    Nearest nearest = {.model = model, .t = INFINITY};
    rbl_broad_phase_ray(model->broad, &ray, rbl_vec3(0, 0, 0), keep_nearest, &nearest);
    assert_int_equal(nearest.proxy, 0);
    assert_true(nearest.visits <= 2);
    nearest.visits = 0;
    rbl_broad_phase_ray(model->broad, &ray, rbl_vec3(0, 0, 0), stop_at_once, &nearest);
    assert_int_equal(nearest.visits, 1);
    const rblRay bad[] = {{{NAN, 0, 0}, {1, 0, 0}, 0, 1},
                          {{0, 0, 0}, {0, 0, 0}, 0, 1},
                          {{0, 0, 0}, {INFINITY, 0, 0}, 0, 1},
                          {{0, 0.5f, 0.5f}, {1, 0, 0}, 1, 0},
                          {{0, 0.5f, 0.5f}, {1, 0, 0}, 0, NAN}};
    nearest.visits = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        rbl_broad_phase_ray(model->broad, &bad[i], rbl_vec3(0, 0, 0), stop_at_once, &nearest);
    }
    assert_int_equal(nearest.visits, 0);
    model_end(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_queries_see_what_brute_force_sees),
        cmocka_unit_test(rays_miss_no_box),
        cmocka_unit_test(rays_along_the_faces_of_boxes_meet_them),
        cmocka_unit_test(a_cut_ray_visits_little_and_finds_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
