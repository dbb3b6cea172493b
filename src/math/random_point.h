// Points by chance.
#ifndef RBL_MATH_RANDOM_POINT_H
#define RBL_MATH_RANDOM_POINT_H

#include "base/random.h"
#include "math/aabb.h"
#include "math/vec.h"

// Anywhere in a box; x, y and z in this order whatever the compiler.
static inline rblVec3 rbl_random_point(rblRandom* random, rblAabb box)
{
    const rblVec3 size = rbl_aabb_size(box);
    const float x = rbl_random_float(random);
    const float y = rbl_random_float(random);
    const float z = rbl_random_float(random);
    return rbl_vec3(box.lower.x + x * size.x, box.lower.y + y * size.y, box.lower.z + z * size.z);
}

#endif
