// Random rotations for tests.
#ifndef RBL_TESTS_ROTATIONS_H
#define RBL_TESTS_ROTATIONS_H

#include "base/random.h"
#include "rubble/math.h"
#include <math.h>

// A random rotation from a random unit quaternion.
static inline rblMat3d random_rotation(rblRandom* random)
{
    double q[4], length;
    do
    {
        length = 0;
        for (int i = 0; i < 4; ++i)
        {
            q[i] = rbl_random_range(random, -1, 1);
            length += q[i] * q[i];
        }
    } while (length < 0.01 || length > 1);
    const double s = 1 / sqrt(length);
    const double x = q[0] * s, y = q[1] * s, z = q[2] * s, w = q[3] * s;
    return (rblMat3d){{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

#endif
