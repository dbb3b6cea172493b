// The broad phase against brute force: pairs and changes of pairs over random lives of proxies.
#include "broad_phase_model.h"
#include "failing_allocator.h"

#include "dynamics/broad_phase/broad_phase_private.h"

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

// Enough pairs for the merge to be cut into several stretches, by several workers.
static void a_dense_crowd_has_the_pairs_of_brute_force(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 1200, 20, 3);
    births(model, 5000, 0.5);
    update_and_check(model);
    assert_true(model->pairs.count > 3 * 4096);
    static const double shares[] = {0.01, 1.0, 0.4};
    for (uint32_t step = 0; step < 6; ++step)
    {
        move_share(model, shares[step % 3], 1.0f, 0.0f);
        deaths(model, 20);
        births(model, 20, 0.5);
        touches(model, 5);
        update_and_check(model);
        assert_true(model->begun.count > 0 && model->ended.count > 0);
    }
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

static Model* copy_model(const Model* model)
{
    Model* copy = model_start(rbl_default_allocator(), model->limit, 0, 1);
    memcpy(copy->exists, model->exists, sizeof model->exists);
    memcpy(copy->moving, model->moving, sizeof model->moving);
    memcpy(copy->removed, model->removed, sizeof model->removed);
    memcpy(copy->group, model->group, sizeof model->group);
    memcpy(copy->box, model->box, sizeof model->box);
    memcpy(copy->velocity, model->velocity, sizeof model->velocity);
    copy->random = model->random;
    copy->hash = model->hash;
    assert_true(rbl_array_resize(&copy->pairs, model->pairs.count));
    if (model->pairs.count > 0)
    {
        memcpy(copy->pairs.data, model->pairs.data, sizeof *model->pairs.data * model->pairs.count);
    }
    for (uint32_t p = model->limit + 10; p-- > 0;)
    {
        const rblProxyState saved = rbl_broad_phase_save(model->broad, p);
        check_ok(rbl_broad_phase_load(copy->broad, p, &saved));
    }
    check_ok(rbl_broad_phase_load_pairs(copy->broad, rbl_broad_phase_pairs(model->broad),
                                        rbl_broad_phase_pair_count(model->broad)));
    return copy;
}

// Saved in the midst of things, with births, deaths and moves that no update has seen.
static void what_was_loaded_goes_on_as_the_original_does(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 300, 9, 1);
    for (uint32_t start = 0; start < 60; start += 6)
    {
        live_one_step(model, start);
        update_and_check(model);
        live_one_step(model, start + 1);
        Model* copy = copy_model(model);
        assert_int_equal(rbl_broad_phase_find_fault(copy->broad), UINT32_MAX);
        for (uint32_t step = start + 1; step < start + 5; ++step)
        {
            update_and_check(model);
            update_and_check(copy);
            assert_true(model->hash == copy->hash);
            live_one_step(model, step);
            live_one_step(copy, step);
        }
        model_end(copy);
    }
    model_end(model);
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
    add(model, 1, (rblAabb){{-9, 9, 9}, {-9, 9, 9}}, true);
    move_one(model, 1, (rblAabb){{0, 0, 0}, {1, 1, 1}}, 0.0f); // from far away: no slack
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

// Where the fat box is said to serve all boxes between two, it stays as it is for any of them.
static void a_fat_box_that_serves_stays(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 1, 16, 1);
    rblAabb box = {{0, 0, 0}, {1, 2, 3}};
    add(model, 0, box, true);
    uint32_t served = 0;
    for (uint32_t step = 0; step < 2000; ++step)
    {
        box.upper.x = box.lower.x + uniform(model, 0.6, 1.6);
        box = shifted(box, uniform3(model, -0.03, 0.03));
        const float tolerance = uniform(model, 0.0, 0.02);
        const rblAabb fat = rbl_broad_phase_fat_box(model->broad, 0);
        const bool serves = rbl_broad_phase_serves(model->broad, 0, rbl_aabb_grown(box, -tolerance),
                                                   rbl_aabb_grown(box, tolerance));
        served += serves;
        move_one(model, 0, rbl_aabb_grown(box, uniform(model, -1.0, 1.0) * tolerance), 0.0f);
        const rblAabb now = rbl_broad_phase_fat_box(model->broad, 0);
        assert_true(!serves || memcmp(&now, &fat, sizeof now) == 0);
    }
    assert_in_range(served, 100, 1900);
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

// What leaves its box by far leaves the next one too: no slack, until it slows down.
static void fast_boxes_get_no_slack(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 1, 21, 1);
    rblAabb box = {{0, 0, 0}, {1, 1, 1}};
    add(model, 0, box, true);
    for (uint32_t step = 0; step < 5; ++step)
    {
        box = shifted(box, rbl_vec3(0.3f, 0.0f, -0.2f));
        move_one(model, 0, box, 0.01f);
        const rblAabb fat = rbl_broad_phase_fat_box(model->broad, 0);
        assert_memory_equal(&fat, &box, sizeof fat);
    }
    box = shifted(box, rbl_vec3(0.01f, 0.0f, 0.0f));
    move_one(model, 0, box, 0.01f);
    const rblAabb fat = rbl_broad_phase_fat_box(model->broad, 0);
    assert_true(fat.lower.x < box.lower.x - 0.02f && fat.upper.y > box.upper.y + 0.02f);
    assert_true(fat.upper.x - box.upper.x > 1.5f * (box.lower.x - fat.lower.x)); // ahead of it
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

// A crowd in which few proxies move: the pairs of the others leave the array, and come back when they are needed.
static void pairs_at_rest_are_parked(void** state)
{
    (void)state;
    Model* model = model_start(rbl_default_allocator(), 300, 21, 1);
    for (uint32_t p = 0; p < model->limit; ++p)
    {
        add(model, p, random_box(model, 0.4), p % 10 != 0);
    }
    update_and_check(model);
    size_t most = 0;
    for (int i = 0; i < 200; ++i)
    {
        const uint32_t proxy = rbl_random_below(&model->random, model->limit);
        switch (i % 10)
        {
        case 7:
            drop(model, proxy);
            update_and_check(model);
            add(model, proxy, random_box(model, 0.4), proxy % 10 != 0);
            break;
        case 9:
            move_share(model, i % 40 == 9 ? 0.5 : 0.02, 1.0f, 0.0f);
            break;
        default:
            move_one(model, proxy, random_box(model, 0.4), 0.0f);
        }
        update_and_check(model);
        most = model->broad->pairs.parked_count > most ? model->broad->pairs.parked_count : most;
    }
    assert_true(most > 256);
    rblParkedPair* node = &model->broad->pairs.parked.data[0];
    for (uint32_t i = 0; model->broad->pairs.parked_count == 0 && i < 100; ++i)
    {
        move_one(model, i, random_box(model, 0.4), 0.0f);
        update(model);
        node = &model->broad->pairs.parked.data[0];
    }
    const rblParkedPair kept = *node;
    const uint32_t head = model->broad->pairs.heads.data[kept.pair.a];
    model->broad->pairs.heads.data[kept.pair.a] = RBL_NO_SIDE;
    assert_false(rbl_broad_phase_has_valid_pairs(model->broad));
    model->broad->pairs.heads.data[kept.pair.a] = head;
    assert_true(rbl_broad_phase_has_valid_pairs(model->broad));
    model->broad->pairs.parked_count += 1;
    assert_false(rbl_broad_phase_has_valid_pairs(model->broad));
    model->broad->pairs.parked_count -= 1;
    model_end(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_infinite_box_meets_real_ones_only),
        cmocka_unit_test(pairs_are_always_those_of_brute_force),
        cmocka_unit_test(a_dense_crowd_has_the_pairs_of_brute_force),
        cmocka_unit_test(any_number_of_workers_reports_the_same),
        cmocka_unit_test(the_order_of_births_does_not_matter),
        cmocka_unit_test(what_was_loaded_goes_on_as_the_original_does),
        cmocka_unit_test(equal_and_nested_boxes_all_meet),
        cmocka_unit_test(boxes_that_only_touch_are_pairs),
        cmocka_unit_test(outliers_change_no_pair_of_others),
        cmocka_unit_test(still_proxies_never_meet),
        cmocka_unit_test(small_motions_change_nothing),
        cmocka_unit_test(a_fat_box_that_serves_stays),
        cmocka_unit_test(a_box_that_comes_to_rest_loses_its_fat),
        cmocka_unit_test(fast_boxes_get_no_slack),
        cmocka_unit_test(bad_boxes_are_refused_by_name),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(a_steady_state_allocates_nothing),
        cmocka_unit_test(pairs_at_rest_are_parked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
