// What tests of worlds that break share.
#ifndef RBL_TESTS_BREAKING_TESTING_H
#define RBL_TESTS_BREAKING_TESTING_H

#include "box_breaker.h"
#include "world_testing.h"

static inline rblBodyId put_breakable(rblWorldId world, rblBreakerId breaker, rblVec3 size, rblVec3 at,
                                      rblBodyType type)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(size.x, size.y, size.z);
    def.type = type;
    def.pose.p = at;
    def.material.restitution = 0.2f;
    def.breaker = breaker;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

// With a ground, and threads of its own.
static inline rblWorldId make_world_of(uint32_t workers)
{
    const rblTasks tasks = tasks_of(workers);
    rblWorldDef def = rbl_default_world_def();
    def.tasks = &tasks;
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    return world;
}

static inline uint32_t events_of(rblWorldId world, const rblBreakEvent** events)
{
    uint32_t count = 0;
    check_ok(rbl_world_break_events(world, events, &count));
    return count;
}

static inline rblEnergy energy_of(rblWorldId world)
{
    rblEnergy energy;
    check_ok(rbl_world_energy(world, &energy));
    return energy;
}

// A ball onto a plate that lies on two rails.
typedef struct Plate
{
    rblWorldId world;
    rblBodyId plate, ball;
} Plate;

static inline Plate make_plate(rblBreakerId breaker, rblBreakerId of_ball, float speed)
{
    Plate plate = {.world = make_world(true)};
    put(plate.world, make_box(0.1f, 0.2f, 1), RBL_BODY_STATIC, vec(-0.45f, 0.9f, 0));
    put(plate.world, make_box(0.1f, 0.2f, 1), RBL_BODY_STATIC, vec(0.45f, 0.9f, 0));
    put(plate.world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    plate.plate = put_breakable(plate.world, breaker, vec(1, 0.04f, 1), vec(0, 1.02f, 0), RBL_BODY_DYNAMIC);
    plate.ball =
        put_breakable(plate.world, of_ball, vec(0.2f, 0.2f, 0.2f), vec(0.02f, 1.6f, 0.03f), RBL_BODY_DYNAMIC);
    check_ok(rbl_body_set_velocity(plate.world, plate.ball, vec(0, -speed, 0), vec(0, 0, 0)));
    return plate;
}

static inline void end(rblWorldId world, rblBreakerId breaker, const BoxBreaker* context)
{
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    assert_int_equal(context->prepared, 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

#endif
