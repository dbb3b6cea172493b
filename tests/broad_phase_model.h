// A plain model of what the broad phase should know, random lives of proxies, and the check of all pairs by brute force.
#ifndef RBL_TESTS_BROAD_PHASE_MODEL_H
#define RBL_TESTS_BROAD_PHASE_MODEL_H

#include "testing.h"

#include "base/hash_map.h"
#include "base/random.h"
#include "dynamics/broad_phase/broad_phase.h"
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
    rblRandom listing; // chooses the updates after which all pairs are listed
    uint32_t limit;    // proxies below this number are used
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
static inline bool groups_differ(uint32_t a, uint32_t b, const void* context)
{
    const Model* model = context;
    assert_true(a < b);
    assert_true(model->exists[a] && model->exists[b]);
    assert_true(model->moving[a] || model->moving[b]);
    return model->group[a] != model->group[b] || model->group[a] == 0;
}

static inline Model* model_start(const rblAllocator* allocator, uint32_t limit, uint64_t seed,
                                 uint32_t workers)
{
    Model* model = calloc(1, sizeof *model);
    const rblTasks tasks = tasks_of(workers);
    check_ok(rbl_jobs_create(workers > 1 ? &tasks : NULL, rbl_default_allocator(), &model->jobs));
    check_ok(rbl_broad_phase_create(allocator, &model->broad));
    model->random = rbl_random_seed(seed, 4);
    model->listing = rbl_random_seed(seed, 5);
    model->limit = limit;
    model->hash = RBL_HASH_START;
    rbl_array_init(&model->pairs, rbl_default_allocator());
    rbl_array_init(&model->begun, allocator);
    rbl_array_init(&model->ended, allocator);
    return model;
}

static inline void model_end(Model* model)
{
    rbl_array_free(&model->pairs);
    rbl_array_free(&model->begun);
    rbl_array_free(&model->ended);
    rbl_broad_phase_destroy(model->broad);
    rbl_jobs_destroy(model->jobs);
    free(model);
}

static inline float uniform(Model* model, double low, double high)
{
    return (float)rbl_random_range(&model->random, low, high);
}

static inline rblVec3 uniform3(Model* model, double low, double high)
{
    const float x = uniform(model, low, high);
    const float y = uniform(model, low, high);
    return rbl_vec3(x, y, uniform(model, low, high));
}

// ---- checking ----

static inline bool is_pair(const Model* model, uint32_t a, uint32_t b)
{
    return model->exists[a] && model->exists[b] && (model->moving[a] || model->moving[b]) &&
           groups_differ(a, b, model) &&
           rbl_aabb_overlaps(rbl_broad_phase_fat_box(model->broad, a),
                             rbl_broad_phase_fat_box(model->broad, b));
}

static inline bool holds(const rblProxyPairArray* pairs, rblProxyPair pair)
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

static inline void check_sorted(const rblProxyPairArray* pairs)
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

static inline bool voided(const Model* model, rblProxyPair pair)
{
    return model->removed[pair.a] || model->removed[pair.b];
}

// ended = old pairs that are void or no longer pairs; begun = pairs that were not there, or only with a void proxy.
static inline void check_changes(Model* model, const rblProxyPairArray* now)
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

static inline void check_fat_boxes(const Model* model)
{
    for (uint32_t p = 0; p < model->limit; ++p)
    {
        if (model->exists[p])
        {
            assert_true(rbl_aabb_contains(rbl_broad_phase_fat_box(model->broad, p), model->box[p]));
        }
    }
}

static inline void add_to_hash(Model* model, const rblProxyPairArray* pairs)
{
    model->hash = rbl_hash_bytes(model->hash, &pairs->count, sizeof pairs->count);
    if (pairs->count > 0)
    {
        model->hash = rbl_hash_bytes(model->hash, pairs->data, sizeof *pairs->data * pairs->count);
    }
}

static inline void update(Model* model)
{
    check_ok(rbl_broad_phase_update(model->broad, groups_differ, model, model->jobs, &model->begun,
                                    &model->ended));
    add_to_hash(model, &model->begun);
    add_to_hash(model, &model->ended);
}

static inline void update_and_check(Model* model)
{
    update(model);
    assert_int_equal(rbl_broad_phase_find_fault(model->broad), UINT32_MAX);
    assert_true(rbl_broad_phase_has_valid_pairs(model->broad));
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
    // Not every time, because listing all pairs ends that some are parked.
    if (count > 0 && rbl_random_below(&model->listing, 3) == 0)
    {
        assert_memory_equal(rbl_broad_phase_pairs(model->broad), now.data, sizeof *now.data * count);
    }
    check_changes(model, &now);
    rbl_array_free(&model->pairs);
    model->pairs = now;
    memset(model->removed, 0, sizeof model->removed);
}

// ---- living ----

static inline rblAabb random_box(Model* model, double world)
{
    const rblVec3 center = uniform3(model, -world, world);
    const rblVec3 half = uniform3(model, 0.02, 0.15);
    return (rblAabb){rbl_sub3(center, half), rbl_add3(center, half)};
}

static inline void add(Model* model, uint32_t proxy, rblAabb box, bool moving)
{
    model->exists[proxy] = true;
    model->moving[proxy] = moving;
    model->box[proxy] = box;
    model->group[proxy] = (uint8_t)rbl_random_below(&model->random, 4);
    model->velocity[proxy] = uniform3(model, -0.1, 0.1);
    check_ok(rbl_broad_phase_add(model->broad, proxy, box, moving));
}

static inline void drop(Model* model, uint32_t proxy)
{
    rbl_broad_phase_remove(model->broad, proxy);
    model->exists[proxy] = false;
    model->removed[proxy] = true;
}

static inline void move_one(Model* model, uint32_t proxy, rblAabb box, float margin)
{
    model->box[proxy] = box;
    check_ok(rbl_broad_phase_move(model->broad, &proxy, &box, 1, margin, model->jobs));
}

static inline rblAabb shifted(rblAabb box, rblVec3 by)
{
    return (rblAabb){rbl_add3(box.lower, by), rbl_add3(box.upper, by)};
}

// A share of the moving proxies goes one step on, in one call, in a random order.
static inline void move_share(Model* model, double share, float speed, float margin)
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

static inline uint32_t pick(Model* model)
{
    return rbl_random_below(&model->random, model->limit);
}

static inline void births(Model* model, uint32_t count, double world)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t p = pick(model);
        if (!model->exists[p])
        {
            const rblAabb box = random_box(model, world);
            add(model, p, box, rbl_random_below(&model->random, 5) != 0);
        }
    }
}

static inline void deaths(Model* model, uint32_t count)
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

static inline void touches(Model* model, uint32_t count)
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

static inline void renew(Model* model)
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
static inline rblAabb strange_box(Model* model)
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
        box.upper =
            rbl_vec3(INFINITY, rbl_random_below(&model->random, 2) != 0 ? INFINITY : box.upper.y, INFINITY);
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

static inline void strange_moves(Model* model, uint32_t count)
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

static inline void live_one_step(Model* model, uint32_t step)
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

// ---- queries ----

typedef struct Visits
{
    uint32_t count;
    uint8_t seen[MAX_PROXIES];
    uint32_t limit; // stop after so many
} Visits;

static inline bool note_visit(uint32_t proxy, void* context)
{
    Visits* visits = context;
    visits->seen[proxy] += 1;
    visits->count += 1;
    return visits->count < visits->limit;
}

#endif
