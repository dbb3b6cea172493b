// Random poses, directions and shapes for the tests of shapes.
#ifndef RBL_TESTS_SHAPE_TESTING_H
#define RBL_TESTS_SHAPE_TESTING_H

#include "base/random.h"
#include "math/transform.h"
#include "testing.h"

static inline float random_between(rblRandom* random, float low, float high)
{
    return low + (high - low) * rbl_random_float(random);
}

static inline rblVec3 random_in_cube(rblRandom* random, float half)
{
    const float x = random_between(random, -half, half);
    const float y = random_between(random, -half, half);
    return (rblVec3){x, y, random_between(random, -half, half)};
}

static inline rblVec3 random_direction(rblRandom* random)
{
    for (;;)
    {
        const rblVec3 v = random_in_cube(random, 1.0f);
        const float length = rbl_length3(v);
        if (length > 0.1f && length <= 1.0f)
        {
            return rbl_scale3(v, 1.0f / length);
        }
    }
}

static inline rblQuat random_rotation(rblRandom* random)
{
    for (;;)
    {
        const rblVec3 v = random_in_cube(random, 1.0f);
        const rblQuat q = {v.x, v.y, v.z, random_between(random, -1.0f, 1.0f)};
        const float length = rbl_quat_dot(q, q);
        if (length > 0.1f && length <= 1.0f)
        {
            return rbl_quat_normalize(q);
        }
    }
}

// Sixteen points on an ellipsoid with semi-axes from 5 to 15 cm: a stone of the rubble pile.
static inline rblShapeId make_stone(rblRandom* random)
{
    rblVec3 axes;
    axes.x = random_between(random, 0.05f, 0.15f);
    axes.y = random_between(random, 0.05f, 0.15f);
    axes.z = random_between(random, 0.05f, 0.15f);
    rblVec3 points[16];
    for (int i = 0; i < 16; ++i)
    {
        const rblVec3 d = random_direction(random);
        points[i] = (rblVec3){axes.x * d.x, axes.y * d.y, axes.z * d.z};
    }
    rblShapeId id = {0, 0};
    check_ok(rbl_shape_create_hull(points, 16, &id));
    return id;
}

#endif
