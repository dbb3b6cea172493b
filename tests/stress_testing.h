// What tests of the stress breaker share.
#ifndef RBL_TESTS_STRESS_TESTING_H
#define RBL_TESTS_STRESS_TESTING_H

#include "prescored_testing.h"
#include "rubble/stress.h"

static inline const rblBreaker* make_stress(const rblStressDef* def)
{
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    check_ok(rbl_breaker_create_stress(def, &id));
    check_ok(rbl_breaker_acquire(id, &breaker));
    check_ok(rbl_breaker_destroy(id));
    return breaker;
}

// An impact of a ball of the body's own material at a point of its shape, by Hertz: mass m, speed v, radius of the ball 2 cm.
static inline rblImpact hertz_impact(const rblBreakBody* body, rblVec3 point, rblVec3 normal, float mass,
                                     float speed)
{
    const double modulus = 0.5 * (double)body->material.young /
                           (1.0 - (double)(body->material.poisson * body->material.poisson));
    const double radius = 0.02;
    const double depth =
        pow(15.0 * (double)mass * (double)(speed * speed) / (16.0 * modulus * sqrt(radius)), 0.4);
    const double force = 4.0 / 3.0 * modulus * sqrt(radius) * pow(depth, 1.5);
    return (rblImpact){.point = rbl_transform_point(body->pose, point),
                       .normal = rbl_rotate3(body->pose.q, normal),
                       .impulse = rbl_rotate3(body->pose.q, rbl_scale3(normal, mass * speed)),
                       .speed = speed,
                       .duration = (float)(2.94 * depth / (double)speed),
                       .mass = mass,
                       .energy = 0.5f * mass * speed * speed,
                       .peak_force = (float)force};
}

#endif
