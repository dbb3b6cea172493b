#include "math/noise.h"
#include "base/hash_map.h"
#include "math/vec.h"

#define FARTHEST 1e12 // from the origin, in units of the lattice

// A value from -1 to 1.
static double lattice_value(int64_t x, int64_t y, int64_t z)
{
    const uint64_t mixed = rbl_hash_u64((uint64_t)x ^ rbl_hash_u64((uint64_t)y ^ rbl_hash_u64((uint64_t)z)));
    return (double)(mixed >> 11) * (2.0 / 9007199254740992.0) - 1.0;
}

static double ease(double t)
{
    return t * t * (3.0 - 2.0 * t);
}

double rbl_noise3d(rblVec3d p)
{
    const rblVec3d floors = {floor(p.x), floor(p.y), floor(p.z)};
    if (!(fabs(p.x) < FARTHEST && fabs(p.y) < FARTHEST && fabs(p.z) < FARTHEST))
    {
        return 0.0; // bumps smaller than the resolution of double
    }
    const double u = ease(p.x - floors.x), v = ease(p.y - floors.y), w = ease(p.z - floors.z);
    double sum = 0.0;
    for (int k = 0; k < 8; ++k)
    {
        const int dx = k & 1, dy = k >> 1 & 1, dz = k >> 2;
        const double weight = (dx ? u : 1.0 - u) * (dy ? v : 1.0 - v) * (dz ? w : 1.0 - w);
        sum += weight * lattice_value((int64_t)floors.x + dx, (int64_t)floors.y + dy, (int64_t)floors.z + dz);
    }
    return sum;
}
