// Random points.
#ifndef RBL_TESTS_RANDOM_POINT_H
#define RBL_TESTS_RANDOM_POINT_H

#include "base/random.h"
#include "math/aabb.h"
#include "math/vec.h"

// Arguments of a function are evaluated in any order: numbers that decide what a test does are drawn one by one.

// Three uniform random numbers. x, y and z are drawn in this order with every compiler.
static inline rblVec3d random_vec3d(rblRandom* random, double low, double high)
{
    const double x = rbl_random_range(random, low, high);
    const double y = rbl_random_range(random, low, high);
    const double z = rbl_random_range(random, low, high);
    return rbl_vec3d(x, y, z);
}

// A uniform random point of a box. x, y and z are drawn in this order with every compiler.
static inline rblVec3 random_point_in(rblRandom* random, rblAabb box)
{
    const rblVec3 size = rbl_aabb_size(box);
    const float x = rbl_random_float(random);
    const float y = rbl_random_float(random);
    const float z = rbl_random_float(random);
    return rbl_vec3(box.lower.x + x * size.x, box.lower.y + y * size.y, box.lower.z + z * size.z);
}

#endif
