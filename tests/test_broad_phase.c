// The broad phase against brute force: pairs, changes of pairs, box and ray queries, over random lives of proxies.
#include "testing.h"

#include "base/hash_map.h"
#include "base/random.h"
#include "dynamics/broad_phase.h"
#include "failing_allocator.h"
#include "math/aabb.h"
#include <stdlib.h>
#include <string.h>

#define MAX_PROXIES 4096

// What the broad phase should know, kept in the plainest way.
typedef struct Model
{
    rblBroadPhase* broad;
    rblJobs* jobs;
    rblRandom random;
    uint32_t limit; // proxies below this number are used
    bool exists[MAX_PROXIES];
    bool moving[MAX_PROXIES];
    bool removed[MAX_PROXIES]; // since the last update
    uint8_t group[MAX_PROXIES];
    rblAabb box[MAX_PROXIES];
    rblVec3 velocity[MAX_PROXIES];
    rblProxyPairArray pairs; // expected, as of the last update
    rblProxyPairArray begun, ended;
    uint64_t hash; // of all that was reported
} Model;

// Proxies of one group do not meet, but for group 0.
static bool groups_differ(uint32_t a, uint32_t b, const void* context)
{
    const Model* model = context;
    assert_true(a < b);
    assert_true(model->exists[a] && model->exists[b]);
    assert_true(model->moving[a] || model->moving[b]);
    return model->group[a] != model->group[b] || model->group[a] == 0;
}

static Model* model_start(const rblAllocator* allocator, uint32_t limit, uint64_t seed, uint32_t workers)
{
    Model* model = calloc(1, sizeof *model);
    const rblTasks tasks = {.worker_count = workers};
    check_ok(rbl_jobs_create(workers > 1 ? &tasks : NULL, rbl_default_allocator(), &model->jobs));
    check_ok(rbl_broad_phase_create(allocator, &model->broad));
    model->random = rbl_random_seed(seed, 4);
    model->limit = limit;
    model->hash = RBL_HASH_START;
    rbl_array_init(&model->pairs, rbl_default_allocator());
    rbl_array_init(&model->begun, allocator);
    rbl_array_init(&model->ended, allocator);
    return model;
}

static void model_end(Model* model)
{
    rbl_array_free(&model->pairs);
    rbl_array_free(&model->begun);
    rbl_array_free(&model->ended);
    rbl_broad_phase_destroy(model->broad);
    rbl_jobs_destroy(model->jobs);
    free(model);
}

static float uniform(Model* model, double low, double high)
{
    return (float)rbl_random_range(&model->random, low, high);
}

static rblVec3 uniform3(Model* model, double low, double high)
{
    const float x = uniform(model, low, high);
    const float y = uniform(model, low, high);
    return rbl_vec3(x, y, uniform(model, low, high));
}

// ---- checking ----

static bool is_pair(const Model* model, uint32_t a, uint32_t b)
{
    return model->exists[a] && model->exists[b] && (model->moving[a] || model->moving[b]) &&
           groups_differ(a, b, model) &&
           rbl_aabb_overlaps(rbl_broad_phase_fat_box(model->broad, a),
                             rbl_broad_phase_fat_box(model->broad, b));
}

static bool holds(const rblProxyPairArray* pairs, rblProxyPair pair)
{
    size_t low = 0;
    size_t high = pairs->count;
    while (low < high)
    {
        const size_t middle = (low + high) / 2;
        const rblProxyPair other = pairs->data[middle];
        const bool before = other.a < pair.a || (other.a == pair.a && other.b < pair.b);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low < pairs->count && pairs->data[low].a == pair.a && pairs->data[low].b == pair.b;
}

static void check_sorted(const rblProxyPairArray* pairs)
{
    for (size_t i = 0; i < pairs->count; ++i)
    {
        const rblProxyPair p = pairs->data[i];
        assert_true(p.a < p.b);
        if (i > 0)
        {
            const rblProxyPair before = pairs->data[i - 1];
            assert_true(before.a < p.a || (before.a == p.a && before.b < p.b));
        }
    }
}

static bool voided(const Model* model, rblProxyPair pair)
{
    return model->removed[pair.a] || model->removed[pair.b];
}

// ended = old pairs that are void or no longer pairs; begun = pairs that were not there, or only with a void proxy.
static void check_changes(Model* model, const rblProxyPairArray* now)
{
    check_sorted(&model->begun);
    check_sorted(&model->ended);
    size_t ended = 0;
    for (size_t i = 0; i < model->pairs.count; ++i)
    {
        const rblProxyPair pair = model->pairs.data[i];
        const bool gone = voided(model, pair) || !holds(now, pair);
        assert_int_equal(holds(&model->ended, pair), gone);
        ended += gone;
    }
    size_t begun = 0;
    for (size_t i = 0; i < now->count; ++i)
    {
        const rblProxyPair pair = now->data[i];
        const bool fresh = voided(model, pair) || !holds(&model->pairs, pair);
        assert_int_equal(holds(&model->begun, pair), fresh);
        begun += fresh;
    }
    assert_int_equal(begun, model->begun.count);
    assert_int_equal(ended, model->ended.count);
}

static void check_fat_boxes(const Model* model)
{
    for (uint32_t p = 0; p < model->limit; ++p)
    {
        if (model->exists[p])
        {
            assert_true(rbl_aabb_contains(rbl_broad_phase_fat_box(model->broad, p), model->box[p]));
        }
    }
}

static void add_to_hash(Model* model, const rblProxyPairArray* pairs)
{
    model->hash = rbl_hash_bytes(model->hash, &pairs->count, sizeof pairs->count);
    if (pairs->count > 0)
    {
        model->hash = rbl_hash_bytes(model->hash, pairs->data, sizeof *pairs->data * pairs->count);
    }
}

static void update(Model* model)
{
    check_ok(rbl_broad_phase_update(model->broad, groups_differ, model, model->jobs, &model->begun,
                                    &model->ended));
    add_to_hash(model, &model->begun);
    add_to_hash(model, &model->ended);
}

static void update_and_check(Model* model)
{
    update(model);
    assert_int_equal(rbl_broad_phase_find_fault(model->broad), UINT32_MAX);
    check_fat_boxes(model);
    rblProxyPairArray now;
    rbl_array_init(&now, rbl_default_allocator());
    for (uint32_t a = 0; a < model->limit; ++a)
    {
        for (uint32_t b = a + 1; b < model->limit && model->exists[a]; ++b)
        {
            if (model->exists[b] && (model->moving[a] || model->moving[b]) && is_pair(model, a, b))
            {
                assert_true(rbl_array_push(&now, ((rblProxyPair){a, b})));
            }
        }
    }
    const uint32_t count = rbl_broad_phase_pair_count(model->broad);
    assert_int_equal(count, now.count);
    if (count > 0)
    {
        assert_memory_equal(rbl_broad_phase_pairs(model->broad), now.data, sizeof *now.data * count);
    }
    check_changes(model, &now);
    rbl_array_free(&model->pairs);
    model->pairs = now;
    memset(model->removed, 0, sizeof model->removed);
}

// ---- living ----

static rblAabb random_box(Model* model, double world)
{
    const rblVec3 center = uniform3(model, -world, world);
    const rblVec3 half = uniform3(model, 0.02, 0.15);
    return (rblAabb){rbl_sub3(center, half), rbl_add3(center, half)};
}

static void add(Model* model, uint32_t proxy, rblAabb box, bool moving)
{
    model->exists[proxy] = true;
    model->moving[proxy] = moving;
    model->box[proxy] = box;
    model->group[proxy] = (uint8_t)rbl_random_below(&model->random, 4);
    model->velocity[proxy] = uniform3(model, -0.1, 0.1);
    check_ok(rbl_broad_phase_add(model->broad, proxy, box, moving));
}

static void drop(Model* model, uint32_t proxy)
{
    rbl_broad_phase_remove(model->broad, proxy);
    model->exists[proxy] = false;
    model->removed[proxy] = true;
}

static void move_one(Model* model, uint32_t proxy, rblAabb box, float margin)
{
    model->box[proxy] = box;
    check_ok(rbl_broad_phase_move(model->broad, &proxy, &box, 1, margin, model->jobs));
}

static rblAabb shifted(rblAabb box, rblVec3 by)
{
    return (rblAabb){rbl_add3(box.lower, by), rbl_add3(box.upper, by)};
}

// A share of the moving proxies goes one step on, in one call, in a random order.
static void move_share(Model* model, double share, float speed, float margin)
{
    uint32_t* proxies = malloc(sizeof *proxies * model->limit);
    rblAabb* boxes = malloc(sizeof *boxes * model->limit);
    uint32_t count = 0;
    for (uint32_t p = 0; p < model->limit; ++p)
    {
        if (model->exists[p] && model->moving[p] && rbl_random_double(&model->random) < share)
        {
            const uint32_t other = rbl_random_below(&model->random, count + 1);
            proxies[count] = proxies[other];
            proxies[other] = p;
            count += 1;
        }
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t p = proxies[i];
        model->box[p] = shifted(model->box[p], rbl_scale3(model->velocity[p], speed));
        boxes[i] = model->box[p];
        const rblVec3 low = boxes[i].lower;
        const float out = rbl_maxf(fabsf(low.x), rbl_maxf(fabsf(low.y), fabsf(low.z)));
        model->velocity[p] = out > 2.0f && out < 100.0f ? rbl_scale3(low, -0.03f) : model->velocity[p];
    }
    check_ok(rbl_broad_phase_move(model->broad, proxies, boxes, count, margin, model->jobs));
    free(proxies);
    free(boxes);
}

static uint32_t pick(Model* model)
{
    return rbl_random_below(&model->random, model->limit);
}

static void births(Model* model, uint32_t count, double world)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t p = pick(model);
        if (!model->exists[p])
        {
            add(model, p, random_box(model, world), rbl_random_below(&model->random, 5) != 0);
        }
    }
}

static void deaths(Model* model, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t p = pick(model);
        if (model->exists[p])
        {
            drop(model, p);
        }
    }
}

static void touches(Model* model, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t p = pick(model);
        if (model->exists[p])
        {
            model->group[p] = (uint8_t)rbl_random_below(&model->random, 4);
            rbl_broad_phase_touch(model->broad, p);
        }
    }
}

static void renew(Model* model)
{
    const uint32_t p = pick(model);
    if (model->exists[p])
    {
        const rblAabb box = model->box[p];
        const bool moving = model->moving[p];
        drop(model, p);
        add(model, p, rbl_random_below(&model->random, 2) != 0 ? box : random_box(model, 2.0), moving);
    }
}

// Points, flats, very large, unbounded, far away.
static rblAabb strange_box(Model* model)
{
    rblAabb box = random_box(model, 2.0);
    switch (rbl_random_below(&model->random, 6))
    {
    case 0:
        box.upper = box.lower;
        break;
    case 1:
        box.upper.y = box.lower.y;
        break;
    case 2:
        box = rbl_aabb_grown(box, 100.0f);
        break;
    case 3:
        box.lower = rbl_vec3(-INFINITY, -INFINITY, -INFINITY);
        box.upper.x = INFINITY;
        box.upper.z = INFINITY;
        break;
    case 4:
        box = shifted(box, rbl_vec3(1e7f, 0.0f, -1e9f));
        break;
    default:
        box = (rblAabb){{-3e38f, -3e38f, -3e38f}, {3e38f, 0.0f, 3e38f}};
        break;
    }
    return box;
}

static void strange_moves(Model* model, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t p = pick(model);
        if (model->exists[p])
        {
            const bool strange = rbl_random_below(&model->random, 3) == 0;
            move_one(model, p, strange ? strange_box(model) : random_box(model, 2.0), 0.01f);
            model->velocity[p] = rbl_vec3(0.0f, 0.0f, 0.0f);
        }
    }
}

static void live_one_step(Model* model, uint32_t step)
{
    static const double shares[] = {0.0, 0.02, 0.3, 1.0};
    static const float speeds[] = {0.01f, 0.1f, 1.0f, 3.0f};
    births(model, step % 40 == 0 ? model->limit / 2 : rbl_random_below(&model->random, 4), 2.0);
    deaths(model, step % 40 == 30 ? model->limit / 2 : rbl_random_below(&model->random, 3));
    touches(model, rbl_random_below(&model->random, 3));
    if (step % 3 == 0)
    {
        renew(model);
    }
    if (step % 5 == 0)
    {
        strange_moves(model, rbl_random_below(&model->random, 3));
    }
    const uint32_t choice = rbl_random_u32(&model->random);
    move_share(model, shares[choice % 4], speeds[choice / 4 % 4], choice / 16 % 2 == 0 ? 0.0f : 0.02f);
}

static void pairs_are_always_those_of_brute_force(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 300, 1, 1);
    uint64_t pairs = 0;
    for (uint32_t step = 0; step < 400; ++step)
    {
        live_one_step(model, step);
        update_and_check(model);
        pairs += model->pairs.count;
    }
    assert_true(pairs > 400 * 100); // or nothing was tested
    model_end(model);
}

// Queries may come at any time: between moves and the update as well.
typedef struct Visits
{
    uint32_t count;
    uint8_t seen[MAX_PROXIES];
    uint32_t limit; // stop after so many
} Visits;

static bool note_visit(uint32_t proxy, void* context)
{
    Visits* visits = context;
    visits->seen[proxy] += 1;
    visits->count += 1;
    return visits->count < visits->limit;
}

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

// ---- workers ----

static uint64_t live_with_workers(uint32_t workers)
{
    Model* model = model_start(rbl_default_allocator(), 3000, 6, workers);
    for (uint32_t step = 0; step < 24; ++step)
    {
        live_one_step(model, 5 * step);
        update(model);
    }
    const uint64_t hash = model->hash;
    model_end(model);
    return hash;
}

static void any_number_of_workers_reports_the_same(void** state)
{
    (void)state;
    const uint64_t one = live_with_workers(1);
    assert_true(one != RBL_HASH_START);
    for (uint32_t workers = 2; workers <= 8; workers += 3)
    {
        assert_true(live_with_workers(workers) == one);
    }
}

// ---- history ----

// The same boxes, born in another order and with detours: the same pairs.
static void the_order_of_births_does_not_matter(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 500, 7, 1);
    Model* other = model_start(rbl_default_allocator(), 500, 8, 1);
    for (uint32_t p = 0; p < 500; ++p)
    {
        add(model, p, random_box(model, 1.0), p % 5 != 0);
    }
    update(model);
    for (uint32_t i = 0; i < 500; ++i)
    {
        const uint32_t p = i * 77 % 500;
        add(other, p, model->box[p], model->moving[p]);
        other->group[p] = model->group[p];
        if (i % 50 == 0)
        {
            update(other);
            other->removed[p] = false;
        }
        if (i % 9 == 0)
        {
            drop(other, p);
            check_ok(rbl_broad_phase_add(other->broad, p, model->box[p], model->moving[p]));
            other->exists[p] = true;
        }
    }
    update(other);
    const uint32_t count = rbl_broad_phase_pair_count(model->broad);
    assert_true(count > 100);
    assert_int_equal(rbl_broad_phase_pair_count(other->broad), count);
    assert_memory_equal(rbl_broad_phase_pairs(model->broad), rbl_broad_phase_pairs(other->broad),
                        sizeof(rblProxyPair) * count);
    model_end(model);
    model_end(other);
}

// A snapshot is the fat boxes: what was restored from them goes on as the original does.
static void fat_boxes_are_all_there_is_to_restore(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 300, 9, 1);
    for (uint32_t step = 0; step < 30; ++step)
    {
        live_one_step(model, step);
        update_and_check(model);
    }
    Model* copy = model_start(rbl_default_allocator(), 300, 0, 1);
    memcpy(copy->exists, model->exists, sizeof model->exists);
    memcpy(copy->moving, model->moving, sizeof model->moving);
    memcpy(copy->group, model->group, sizeof model->group);
    memcpy(copy->box, model->box, sizeof model->box);
    memcpy(copy->velocity, model->velocity, sizeof model->velocity);
    copy->random = model->random;
    for (uint32_t p = 300; p-- > 0;)
    {
        if (model->exists[p])
        {
            const rblAabb fat = rbl_broad_phase_fat_box(model->broad, p);
            check_ok(rbl_broad_phase_add_fat(copy->broad, p, fat, model->moving[p]));
        }
    }
    update_and_check(copy);
    assert_int_equal(copy->pairs.count, model->pairs.count);
    model->hash = copy->hash;
    for (uint32_t step = 30; step < 60; ++step)
    {
        live_one_step(model, step);
        live_one_step(copy, step);
        update_and_check(model);
        update_and_check(copy);
        assert_true(model->hash == copy->hash);
    }
    model_end(model);
    model_end(copy);
}

// ---- degenerate ----

static void equal_and_nested_boxes_all_meet(void** state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 4; ++kind)
    {
        Model* model = model_start(rbl_default_allocator(), 90, 10, 1);
        for (uint32_t p = 0; p < 90; ++p)
        {
            const float half = kind == 0 ? 0.0f : kind == 1 ? 1.0f : kind == 2 ? (float)p : 1e-30f * (float)p;
            add(model, p, (rblAabb){{-half, -half, -half}, {half, half, half}}, true);
            model->group[p] = 0;
        }
        update_and_check(model);
        assert_int_equal(model->pairs.count, 90 * 89 / 2);
        move_share(model, 1.0, 0.0f, 0.0f);
        update_and_check(model);
        assert_int_equal(model->begun.count + model->ended.count, 0);
        model_end(model);
    }
}

static void boxes_that_only_touch_are_pairs(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 2, 11, 1);
    add(model, 0, (rblAabb){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, 0, INFINITY}}, false);
    check_ok(rbl_broad_phase_add_fat(model->broad, 1, (rblAabb){{0, 0, 0}, {1, 1, 1}}, true));
    model->exists[1] = model->moving[1] = true;
    model->box[1] = (rblAabb){{0, 0, 0}, {1, 1, 1}};
    model->group[0] = model->group[1] = 0;
    update_and_check(model);
    assert_int_equal(model->pairs.count, 1);
    model_end(model);
}

// Bodies that flew off, and huge ones, must not make the others slow; here: must not make them wrong.
static void outliers_change_no_pair_of_others(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 400, 12, 1);
    births(model, 800, 1.0);
    for (uint32_t step = 0; step < 20; ++step)
    {
        const uint32_t p = pick(model);
        if (model->exists[p])
        {
            const float far = uniform(model, -1e9, 1e9);
            move_one(model, p, (rblAabb){{far, far, 0}, {far + 1e3f, far + 1e5f, 1.0f}}, 0.0f);
        }
        move_share(model, 1.0, 1.0f, 0.0f);
        update_and_check(model);
    }
    model_end(model);
}

static void still_proxies_never_meet(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 50, 13, 1);
    for (uint32_t p = 0; p < 50; ++p)
    {
        add(model, p, (rblAabb){{0, 0, 0}, {1, 1, 1}}, false);
        model->group[p] = 0;
    }
    update_and_check(model);
    assert_int_equal(model->pairs.count, 0);
    drop(model, 7);
    add(model, 7, (rblAabb){{0, 0, 0}, {1, 1, 1}}, true);
    model->group[7] = 0;
    update_and_check(model);
    assert_int_equal(model->pairs.count, 49);
    model_end(model);
}

// ---- slack ----

static void small_motions_change_nothing(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 200, 14, 1);
    births(model, 800, 0.5);
    update(model);
    rblAabb* before = malloc(sizeof *before * 200);
    for (uint32_t p = 0; p < 200; ++p)
    {
        before[p] = model->exists[p] ? rbl_broad_phase_fat_box(model->broad, p) : rbl_aabb_empty();
        model->velocity[p] = uniform3(model, -1e-3, 1e-3);
    }
    for (uint32_t step = 0; step < 20; ++step)
    {
        move_share(model, 1.0, step % 2 == 0 ? 1.0f : -1.0f, 0.0f);
        update(model);
        assert_int_equal(model->begun.count + model->ended.count, 0);
    }
    for (uint32_t p = 0; p < 200; ++p)
    {
        if (model->exists[p])
        {
            const rblAabb now = rbl_broad_phase_fat_box(model->broad, p);
            assert_memory_equal(&now, &before[p], sizeof now);
        }
    }
    free(before);
    model_end(model);
}

static void a_box_that_comes_to_rest_loses_its_fat(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 1, 15, 1);
    const rblAabb rest = {{0, 0, 0}, {1, 1, 1}};
    add(model, 0, rest, true);
    move_one(model, 0, (rblAabb){{0, 0, 0}, {50, 1, 1}}, 0.0f); // swept through a fast step
    move_one(model, 0, rest, 0.0f);
    const rblAabb fat = rbl_broad_phase_fat_box(model->broad, 0);
    assert_true(fat.upper.x < 1.5f);
    assert_true(rbl_aabb_contains(fat, rest));
    model_end(model);
}

// ---- bad input and no memory ----

static void bad_boxes_are_refused_by_name(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 100, 16, 1);
    births(model, 1000, 1.0);
    update_and_check(model);
    const rblAabb bad[] = {{{NAN, 0, 0}, {1, 1, 1}},
                           {{0, 0, 0}, {1, NAN, 1}},
                           {{0, 0, 2}, {1, 1, 1}},
                           {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    const uint32_t proxies[] = {3, 17, 42};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        const rblAabb boxes[] = {{{5, 5, 5}, {6, 6, 6}}, bad[i], {{5, 5, 5}, {6, 6, 6}}};
        check_fails(RBL_ERROR_ARGUMENT,
                    rbl_broad_phase_move(model->broad, proxies, boxes, 3, 0.0f, model->jobs));
        assert_non_null(strstr(rbl_last_error(), "proxy 17"));
        check_fails(RBL_ERROR_ARGUMENT, rbl_broad_phase_add(model->broad, 200, bad[i], true));
        assert_non_null(strstr(rbl_last_error(), "proxy 200"));
        check_fails(RBL_ERROR_ARGUMENT, rbl_broad_phase_add_fat(model->broad, 200, bad[i], true));
    }
    const rblAabb good = {{0, 0, 0}, {1, 1, 1}};
    check_fails(RBL_ERROR_LIMIT, rbl_broad_phase_add(model->broad, UINT32_MAX, good, true));
    check_fails(RBL_ERROR_ARGUMENT, rbl_broad_phase_move(model->broad, proxies, &good, 1, NAN, model->jobs));
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_broad_phase_move(model->broad, proxies, &good, 1, -1.0f, model->jobs));
    update_and_check(model);
    assert_int_equal(model->begun.count + model->ended.count, 0);
    model_end(model);
}

// One call that may run dry: when it does nothing has changed, and with memory it works.
#define try_twice(memory, call)                                                                              \
    do                                                                                                       \
    {                                                                                                        \
        const size_t pairs_before = rbl_broad_phase_pair_count(model->broad);                                \
        const rblResult first_try = (call);                                                                  \
        assert_true(first_try == RBL_OK || first_try == RBL_ERROR_MEMORY);                                   \
        assert_int_equal(rbl_broad_phase_find_fault(model->broad), UINT32_MAX);                              \
        if (first_try != RBL_OK)                                                                             \
        {                                                                                                    \
            assert_int_equal(rbl_broad_phase_pair_count(model->broad), pairs_before);                        \
            (memory)->left = SIZE_MAX;                                                                       \
            check_ok(call);                                                                                  \
            failed = true;                                                                                   \
        }                                                                                                    \
    } while (0)

// Births, a large move, planes that come and go, and updates, with the n-th allocation failing. True when one did.
static bool run_dry(size_t granted, uint64_t* hash)
{
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    Model* model = model_start(&memory.allocator, 120, 17, 1);
    memory.left = granted;
    bool failed = false;
    for (uint32_t p = 0; p < 120; ++p)
    {
        model->box[p] = random_box(model, 0.5);
        model->moving[p] = p % 4 != 0;
        model->exists[p] = true;
        try_twice(&memory, rbl_broad_phase_add(model->broad, p, model->box[p], model->moving[p]));
        if (p % 40 == 39)
        {
            try_twice(&memory, rbl_broad_phase_update(model->broad, groups_differ, model, model->jobs,
                                                      &model->begun, &model->ended));
            add_to_hash(model, &model->begun);
        }
    }
    uint32_t proxies[120];
    for (uint32_t p = 0; p < 120; ++p)
    {
        proxies[p] = p;
        model->box[p] = p % 16 == 3 ? (rblAabb){{-INFINITY, 0, 0}, {INFINITY, 1, 1}} : random_box(model, 0.2);
    }
    try_twice(&memory, rbl_broad_phase_move(model->broad, proxies, model->box, 120, 0.01f, model->jobs));
    try_twice(&memory, rbl_broad_phase_update(model->broad, groups_differ, model, model->jobs, &model->begun,
                                              &model->ended));
    add_to_hash(model, &model->begun);
    add_to_hash(model, &model->ended);
    assert_true(rbl_broad_phase_bytes(model->broad) <= memory.live);
    *hash = model->hash;
    model_end(model);
    assert_int_equal(memory.live, 0);
    return failed;
}

static void running_out_of_memory_changes_nothing(void** state)
{
    (void)state;
    uint64_t expected, hash;
    assert_false(run_dry(SIZE_MAX, &expected));
    size_t granted = 0;
    while (run_dry(granted, &hash))
    {
        assert_true(hash == expected);
        granted += 1;
    }
    assert_true(granted > 10);
    FailingAllocator memory;
    failing_allocator_start(&memory, 0);
    rblBroadPhase* broad = NULL;
    check_fails(RBL_ERROR_MEMORY, rbl_broad_phase_create(&memory.allocator, &broad));
    assert_null(broad);
    rbl_broad_phase_destroy(NULL);
}

// Swarms that swing to and fro: after two periods no step allocates.
static void a_steady_state_allocates_nothing(void** state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; ++workers)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, SIZE_MAX);
        Model* model = model_start(&memory.allocator, 600, 18, workers);
        births(model, 2000, 1.0);
        for (uint32_t step = 0; step < 160; ++step)
        {
            memory.left = step < 80 ? SIZE_MAX : 0;
            move_share(model, 1.0, step / 10 % 2 == 0 ? 0.5f : -0.5f, 0.0f);
            if (step % 20 == 7) // as many die as are born
            {
                for (uint32_t p = 0; p < 100; ++p)
                {
                    if (model->exists[p])
                    {
                        const rblAabb box = model->box[p];
                        const rblVec3 velocity = model->velocity[p];
                        const bool moving = model->moving[p];
                        drop(model, p);
                        add(model, p, box, moving);
                        model->velocity[p] = velocity;
                    }
                }
            }
            update(model);
        }
        model_end(model);
    }
}

static bool want_all(uint32_t a, uint32_t b, const void* context)
{
    (void)context;
    return a != b;
}

// An infinite box overlaps everything there is, and not the empty lanes of a tree.
static void an_infinite_box_meets_real_ones_only(void** state)
{
    (void)state;
    rblBroadPhase* broad = NULL;
    check_ok(rbl_broad_phase_create(rbl_default_allocator(), &broad));
    const rblAabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    const rblAabb one = {{0, 0, 0}, {1, 1, 1}};
    check_ok(rbl_broad_phase_add(broad, 0, all, false));
    check_ok(rbl_broad_phase_add(broad, 1, one, true));
    rblProxyPairArray begun;
    rblProxyPairArray ended;
    rbl_array_init(&begun, rbl_default_allocator());
    rbl_array_init(&ended, rbl_default_allocator());
    check_ok(rbl_broad_phase_update(broad, want_all, NULL, rbl_serial_jobs(), &begun, &ended));
    assert_int_equal(begun.count, 1);
    assert_int_equal(begun.data[0].a, 0);
    assert_int_equal(begun.data[0].b, 1);
    Visits visits = {.limit = UINT32_MAX};
    rbl_broad_phase_query(broad, all, note_visit, &visits);
    assert_int_equal(visits.count, 2);
    rbl_array_free(&begun);
    rbl_array_free(&ended);
    rbl_broad_phase_destroy(broad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_infinite_box_meets_real_ones_only),
        cmocka_unit_test(pairs_are_always_those_of_brute_force),
        cmocka_unit_test(box_queries_see_what_brute_force_sees),
        cmocka_unit_test(rays_miss_no_box),
        cmocka_unit_test(rays_along_the_faces_of_boxes_meet_them),
        cmocka_unit_test(a_cut_ray_visits_little_and_finds_the_nearest),
        cmocka_unit_test(any_number_of_workers_reports_the_same),
        cmocka_unit_test(the_order_of_births_does_not_matter),
        cmocka_unit_test(fat_boxes_are_all_there_is_to_restore),
        cmocka_unit_test(equal_and_nested_boxes_all_meet),
        cmocka_unit_test(boxes_that_only_touch_are_pairs),
        cmocka_unit_test(outliers_change_no_pair_of_others),
        cmocka_unit_test(still_proxies_never_meet),
        cmocka_unit_test(small_motions_change_nothing),
        cmocka_unit_test(a_box_that_comes_to_rest_loses_its_fat),
        cmocka_unit_test(bad_boxes_are_refused_by_name),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(a_steady_state_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
