// Walls of bricks at rest: hundreds of contacts that must find together.
#include "dynamics/step.h"
#include "world_testing.h"
#include <stdlib.h>

#define MOST 256

typedef struct Wall
{
    rblWorldId world;
    rblBodyId bricks[MOST];
    rblVec3 places[MOST];
    int count;
} Wall;

static void lay(Wall* wall, float length, rblVec3 at)
{
    wall->places[wall->count] = at;
    wall->bricks[wall->count++] = put(wall->world, make_box(length, 0.2f, 0.2f), RBL_BODY_DYNAMIC, at);
}

// Courses of bricks of 40 x 20 x 20 cm, each half a brick off the last, with half bricks at the ends.
static Wall make_wall(int courses, int bricks)
{
    Wall wall = {.world = make_world(false)};
    put(wall.world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    for (int c = 0; c < courses; ++c)
    {
        const bool odd = c % 2 == 1;
        const float height = 0.1f + 0.2f * (float)c;
        const float left = -0.2f * (float)(bricks - 1);
        for (int i = 0; i < bricks - (odd ? 1 : 0); ++i)
        {
            lay(&wall, 0.4f, vec(left + 0.4f * (float)i + (odd ? 0.2f : 0.0f), height, 0));
        }
        if (odd)
        {
            lay(&wall, 0.2f, vec(left - 0.1f, height, 0));
            lay(&wall, 0.2f, vec(-left + 0.1f, height, 0));
        }
    }
    return wall;
}

static double farthest(const Wall* wall)
{
    double worst = 0.0;
    for (int i = 0; i < wall->count; ++i)
    {
        const rblVec3 way = rbl_sub3(state_of(wall->world, wall->bricks[i]).center, wall->places[i]);
        worst = fmax(worst, (double)rbl_length3(way));
    }
    return worst;
}

static void a_wall_stands_still(void** state)
{
    (void)state;
    const int sizes[3][2] = {{5, 4}, {10, 8}, {16, 12}};
    for (int k = 0; k < 3; ++k)
    {
        const Wall wall = make_wall(sizes[k][0], sizes[k][1]);
        Watch w = watch(wall.world);
        for (int i = 0; i < 90; ++i)
        {
            watched_step(&w, STEP);
        }
        check_close(farthest(&wall), 0.0, 1e-4);
        check_energy_rule(&w);
        check_ok(rbl_world_destroy(wall.world));
    }
}

// A push that moves bricks a little: what is left of the wall comes to rest.
static void a_wall_comes_to_rest_after_a_knock(void** state)
{
    (void)state;
    const Wall wall = make_wall(10, 8);
    step_times(wall.world, 10);
    const rblBodyId top = wall.bricks[wall.count - 5];
    check_ok(rbl_body_apply_impulse(wall.world, top, vec(0, 0, 3.0f), state_of(wall.world, top).center));
    Watch w = watch(wall.world);
    for (int i = 0; i < 90; ++i)
    {
        watched_step(&w, STEP);
    }
    assert_true(farthest(&wall) < 0.1);
    rblEnergy energy;
    check_ok(rbl_world_energy(wall.world, &energy));
    check_close(energy.kinetic, 0.0, 1e-4);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(wall.world));
}

// 343 boxes dropped in a block, every one turned its own way: too many contacts slide for all of them to be solved at once.
static rblWorldId drop_heap(float turn)
{
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.3f, 0.2f, 0.25f);
    def.material.friction = 1.0f;
    def.material.restitution = 0.0f;
    for (int i = 0; i < 343; ++i)
    {
        const rblVec3 axis = vec((float)(i % 5 - 2), 1, (float)(i % 3 - 1));
        rblBodyId body;
        def.pose.p = vec(0.45f * (float)(i % 7), 0.5f + 0.45f * (float)(i / 49), 0.45f * (float)(i / 7 % 7));
        def.pose.q = rbl_quat_from_axis_angle(axis, turn * (float)i);
        check_ok(rbl_body_create(world, &def, &body));
    }
    check_ok(rbl_shape_destroy(def.shape));
    return world;
}

static void heaps_come_to_rest(void** state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
    {
        const rblWorldId world = drop_heap(0.3f + 0.01f * (float)i);
        step_times(world, 240);
        rblEnergy energy;
        check_ok(rbl_world_energy(world, &energy));
        check_close(energy.kinetic, 0.0, 0.01); // of 60 kJ
        check_ok(rbl_world_destroy(world));
    }
}

// Sixteen flat bricks dropped in a column, every one turned its own way: few enough contacts for several rounds of direct solves, of
// which most put some contacts back.
static rblWorldId drop_column(int seed)
{
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.12f, 0.03f, 0.08f);
    def.material.friction = 0.6f;
    def.material.restitution = 0.0f;
    for (int i = 0; i < 16; ++i)
    {
        const rblVec3 axis = vec((float)((i + seed) % 5 - 2), 1, (float)((i * seed) % 3 - 1));
        rblBodyId body;
        def.pose.p = vec(0.01f * (float)(i % 3), 0.1f + 0.1f * (float)i, 0.01f * (float)(i % 4));
        def.pose.q = rbl_quat_from_axis_angle(axis, 0.4f * (float)(i + seed));
        check_ok(rbl_body_create(world, &def, &body));
    }
    check_ok(rbl_shape_destroy(def.shape));
    return world;
}

static void small_heaps_come_to_rest(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 8; ++seed)
    {
        const rblWorldId world = drop_column(seed);
        Watch w = watch(world);
        for (int i = 0; i < 240; ++i)
        {
            watched_step(&w, 1.0f / 60.0f);
        }
        check_energy_rule(&w);
        rblEnergy energy;
        check_ok(rbl_world_energy(world, &energy));
        check_close(energy.kinetic, 0.0, 1e-9);
        check_ok(rbl_world_destroy(world));
    }
}

// How long an island is left alone after it was solved in vain is part of the state.
static void a_heap_that_was_solved_in_vain_is_restored_with_that(void** state)
{
    (void)state;
    const rblWorldId world = drop_heap(0.3f);
    step_times(world, 90);
    for (int round = 0; round < 4; ++round)
    {
        step_times(world, 5);
        size_t size;
        check_ok(rbl_world_save(world, NULL, 0, &size));
        void* saved = malloc(size);
        check_ok(rbl_world_save(world, saved, size, &size));
        uint64_t hashes[2];
        step_times(world, 8);
        check_ok(rbl_world_hash(world, &hashes[0]));
        check_ok(rbl_world_restore(world, saved, size));
        step_times(world, 8);
        check_ok(rbl_world_hash(world, &hashes[1]));
        assert_true(hashes[0] == hashes[1]);
        free(saved);
    }
    check_ok(rbl_world_destroy(world));
}

// The island of a body, as the last step left it.
static const rblIsland* island_of(const rblWorld* world, rblBodyId id)
{
    const rblStep* step = world->step;
    return &step->islands.data[step->solver_bodies.data[step->solver_index.data[id.index1 - 1]].island];
}

// Two towers begin to stand. One of them waits after a solve in vain: it is not looked at in any round of the step, however many
// the other one has, and in the next step again.
static void an_island_waits_for_whole_steps(void** state)
{
    (void)state;
    const rblWorldId id = make_world(false);
    put(id, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyId feet[2];
    for (int t = 0; t < 2; ++t)
    {
        for (int i = 0; i < 8; ++i)
        {
            const rblVec3 at = {10.0f * (float)t + 0.02f * (float)(i % 3), 0.1f + 0.2f * (float)i, 0.0f};
            const rblBodyId box = put(id, make_box(0.4f, 0.2f, 0.2f), RBL_BODY_DYNAMIC, at);
            feet[t] = i == 0 ? box : feet[t];
        }
    }
    rblWorld* world;
    check_ok(rbl_world_find(id, &world));
    world->bodies.data[feet[0].index1 - 1].direct_wait = 1;
    check_ok(rbl_world_step(id, STEP));
    assert_true(!(island_of(world, feet[0])->left < (double)INFINITY));
    assert_true(island_of(world, feet[1])->left < (double)INFINITY);
    check_ok(rbl_world_step(id, STEP));
    assert_true(island_of(world, feet[0])->left < (double)INFINITY);
    check_ok(rbl_world_destroy(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wall_stands_still),
        cmocka_unit_test(a_wall_comes_to_rest_after_a_knock),
        cmocka_unit_test(heaps_come_to_rest),
        cmocka_unit_test(small_heaps_come_to_rest),
        cmocka_unit_test(an_island_waits_for_whole_steps),
        cmocka_unit_test(a_heap_that_was_solved_in_vain_is_restored_with_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
