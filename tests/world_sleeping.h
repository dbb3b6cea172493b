// What tests of sleeping and waking share: scenes that sleep, and the question whether sleepers hang in the air.
#ifndef RBL_TESTS_WORLD_SLEEPING_H
#define RBL_TESTS_WORLD_SLEEPING_H

#include "world_testing.h"

static const rblVec3 zero = {0, 0, 0};

static inline bool is_awake(rblWorldId world, rblBodyId body)
{
    return state_of(world, body).awake;
}

static inline uint32_t bodies_of(rblWorldId world, rblBodyId bodies[256])
{
    uint32_t count = 0;
    check_ok(rbl_world_bodies(world, bodies, 256, &count));
    assert_true(count <= 256);
    return count;
}

// Step until all sleep. Kinematic bodies never do.
static inline void sleep_all(rblWorldId world)
{
    step_times(world, 1);
    for (int i = 0; i < 900 && counters_of(world).awake > 0; ++i)
    {
        step_times(world, 1);
    }
    assert_int_equal(counters_of(world).awake, 0);
}

// Sleepers must be where they would stay: all are woken, and those that move down are counted.
static inline uint32_t count_hanging(rblWorldId world)
{
    rblBodyId bodies[256];
    const uint32_t count = bodies_of(world, bodies);
    sleep_all(world);
    float heights[256];
    for (uint32_t i = 0; i < count; ++i)
    {
        heights[i] = state_of(world, bodies[i]).center.y;
        check_ok(rbl_body_wake(world, bodies[i]));
    }
    step_times(world, 20);
    uint32_t hanging = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        hanging += fabsf(state_of(world, bodies[i]).center.y - heights[i]) > 0.01f;
    }
    return hanging;
}

static inline void check_nothing_hangs(rblWorldId world)
{
    assert_int_equal(count_hanging(world), 0);
}

// A stack of boxes on a static floor, stepped until it sleeps.
typedef struct Stack
{
    rblWorldId world;
    rblBodyId floor;
    rblBodyId boxes[5];
} Stack;

static inline Stack sleeping_stack(rblBodyType floor_type)
{
    Stack stack = {.world = make_world(true)};
    stack.floor = put(stack.world, make_box(10, 1, 10), floor_type, vec(0, -0.5f, 0));
    for (int i = 0; i < 5; ++i)
    {
        stack.boxes[i] = put(stack.world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC,
                             vec(0, 0.25f + 0.5f * (float)i, 0));
    }
    step_times(stack.world, 60);
    for (int i = 0; i < 5; ++i)
    {
        assert_false(is_awake(stack.world, stack.boxes[i]));
    }
    return stack;
}

// A wall of bricks in running bond, asleep: 6 rows of 5.
typedef struct Wall
{
    rblWorldId world;
    rblBodyId bricks[6][5];
} Wall;

static inline Wall sleeping_wall(void)
{
    Wall wall = {.world = make_world(true)};
    put(wall.world, make_ground(), RBL_BODY_STATIC, zero);
    for (int row = 0; row < 6; ++row)
    {
        for (int i = 0; i < 5; ++i)
        {
            const float x = 0.41f * (float)i + (row % 2 == 0 ? 0.0f : 0.12f);
            wall.bricks[row][i] = put(wall.world, make_box(0.4f, 0.2f, 0.2f), RBL_BODY_DYNAMIC,
                                      vec(x, 0.1f + 0.2f * (float)row, 0));
        }
    }
    step_times(wall.world, 60);
    assert_int_equal(counters_of(wall.world).awake, 0);
    return wall;
}

// Without balls, which roll for ever. The shift, in metres, makes heaps that differ.
static inline rblWorldId heap(float shift)
{
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    for (int i = 0; i < 60; ++i)
    {
        const rblVec3 at =
            vec(0.3f * (float)(i % 3) + 0.02f * (float)(i % 7) + shift * (float)(i % 5),
                0.2f + 0.3f * (float)(i / 9), 0.3f * (float)(i / 3 % 3) + 0.01f * (float)(i % 4));
        put(world, i % 2 == 0 ? make_box(0.25f, 0.2f, 0.15f) : make_box(0.15f, 0.15f, 0.2f), RBL_BODY_DYNAMIC,
            at);
    }
    return world;
}

#endif
