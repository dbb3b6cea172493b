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

static inline void end(rblWorldId world, rblBreakerId breaker, const BoxBreaker* context)
{
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    assert_int_equal(context->prepared, 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

#endif
