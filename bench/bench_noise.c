#include "bench/bench_noise.h"

#include <math.h>

// Between -1 and 1, for a lattice point.
static double lattice_value(int64_t x, int64_t y, int64_t z, uint64_t seed)
{
    uint64_t h = seed * 0x9e3779b97f4a7c15u + (uint64_t)x * 0xbf58476d1ce4e5b9u +
                 (uint64_t)y * 0x94d049bb133111ebu + (uint64_t)z * 0xd6e8feb86659fd93u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    h ^= h >> 32;
    return (double)(h >> 11) * 0x1p-52 - 1.0;
}

static double mix(double a, double b, double t)
{
    return a + (b - a) * t;
}

static double ease(double t)
{
    return t * t * (3.0 - 2.0 * t);
}

static double one_octave(rblVec3d at, uint64_t seed)
{
    const rblVec3d base = {floor(at.x), floor(at.y), floor(at.z)};
    const double tx = ease(at.x - base.x);
    const double ty = ease(at.y - base.y);
    const double tz = ease(at.z - base.z);
    double rows[4];
    for (int i = 0; i < 4; ++i)
    {
        const int64_t x = (int64_t)base.x;
        const int64_t y = (int64_t)base.y + (i & 1);
        const int64_t z = (int64_t)base.z + (i >> 1);
        rows[i] = mix(lattice_value(x, y, z, seed), lattice_value(x + 1, y, z, seed), tx);
    }
    return mix(mix(rows[0], rows[1], ty), mix(rows[2], rows[3], ty), tz);
}

double rbl_bench_noise(rblVec3d at, uint32_t octaves, uint64_t seed)
{
    double sum = 0.0;
    double weight = 1.0;
    double total = 0.0;
    for (uint32_t i = 0; i < octaves; ++i)
    {
        sum += weight * one_octave(at, seed + i);
        total += weight;
        weight *= 0.5;
        at = (rblVec3d){2.0 * at.x, 2.0 * at.y, 2.0 * at.z};
    }
    return sum / total;
}
