// A rock: a ball cut by random planes, with noise. The surface is star-shaped about the origin (one radius per
// direction), so it cannot intersect itself for any noise.
#include "base/hash_map.h"
#include "base/random.h"
#include "math/vec.h"
#include "mesh/solids/solids.h"

// Largest number of cutting planes, and octaves of the noise.
#define MAX_CUTS 64
#define OCTAVES  5

typedef struct Rock
{
    double radius, roughness;
    rblVec3d stretch;
    uint64_t seed;
    uint32_t cuts;
    rblVec3d normals[MAX_CUTS]; // unit
    double distances[MAX_CUTS]; // of the cutting planes from the centre, as fractions of the radius
} Rock;

// One of the twelve edge midpoints of a cube, by lattice point (Perlin 2002).
static rblVec3d lattice_gradient(const Rock* rock, int64_t x, int64_t y, int64_t z)
{
    static const double g[12][3] = {{1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0},
                                    {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
                                    {0, 1, 1}, {0, -1, 1}, {0, 1, -1}, {0, -1, -1}};
    uint64_t hash = rbl_hash_u64(rock->seed ^ (uint64_t)x);
    hash = rbl_hash_u64(hash ^ (uint64_t)y);
    hash = rbl_hash_u64(hash ^ (uint64_t)z);
    const double* gradient = g[hash % 12];
    return rbl_vec3d(gradient[0], gradient[1], gradient[2]);
}

static double fade(double t)
{
    return t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
}

// Gradient noise, within -1 and 1, zero on the lattice, with continuous second derivatives (Perlin 2002).
static double noise(const Rock* rock, rblVec3d p)
{
    const rblVec3d base = {floor(p.x), floor(p.y), floor(p.z)};
    const rblVec3d f = rbl_sub3d(p, base);
    double sum = 0.0;
    for (uint32_t i = 0; i < 8; ++i)
    {
        const double cx = (double)(i & 1);
        const double cy = (double)(i >> 1 & 1);
        const double cz = (double)(i >> 2 & 1);
        const rblVec3d gradient =
            lattice_gradient(rock, (int64_t)(base.x + cx), (int64_t)(base.y + cy), (int64_t)(base.z + cz));
        const rblVec3d away = {f.x - cx, f.y - cy, f.z - cz};
        const double weight = fade(1.0 - fabs(away.x)) * fade(1.0 - fabs(away.y)) * fade(1.0 - fabs(away.z));
        sum += weight * rbl_dot3d(gradient, away);
    }
    return sum;
}

// Five octaves, each twice as fine and about half as strong.
static double rough_noise(const Rock* rock, rblVec3d direction)
{
    double sum = 0.0;
    double strength = 0.5;
    double scale = 1.7;
    for (uint32_t i = 0; i < OCTAVES; ++i)
    {
        const double shift = 17.25 * (double)(i + 1);
        const rblVec3d p = {direction.x * scale + shift, direction.y * scale - shift,
                            direction.z * scale + shift};
        sum += strength * noise(rock, p);
        strength *= 0.48;
        scale *= 2.03;
    }
    return sum;
}

// The smaller of both, smoothed where they differ by less than `width`.
static double smooth_minimum(double a, double b, double width)
{
    const double h = rbl_maxd(width - fabs(a - b), 0.0) / width;
    return rbl_mind(a, b) - 0.25 * h * h * width;
}

// Distance of the surface along a direction: the nearest cutting plane or the ball, then noise, then stretching.
static double rock_radius(rblVec3d direction, void* context)
{
    const Rock* rock = context;
    double r = 1.0;
    for (uint32_t i = 0; i < rock->cuts; ++i)
    {
        const double along = rbl_dot3d(rock->normals[i], direction);
        if (along > 0.05)
        {
            r = smooth_minimum(r, rock->distances[i] / along, 0.06);
        }
    }
    r *= rbl_maxd(1.0 + rock->roughness * rough_noise(rock, direction), 0.2);
    const rblVec3d s = {direction.x / rock->stretch.x, direction.y / rock->stretch.y,
                        direction.z / rock->stretch.z};
    return rock->radius * r / rbl_length3d(s);
}

static rblVec3d random_direction(rblRandom* random)
{
    for (;;)
    {
        const double x = rbl_random_range(random, -1.0, 1.0);
        const double y = rbl_random_range(random, -1.0, 1.0);
        const double z = rbl_random_range(random, -1.0, 1.0);
        const double length2 = x * x + y * y + z * z;
        if (length2 > 0.01 && length2 < 1.0)
        {
            return rbl_scale3d(rbl_vec3d(x, y, z), 1.0 / sqrt(length2));
        }
    }
}

rblResult rbl_make_solid_rock(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    Rock rock = {
        .radius = rbl_solid_number(input, "radius"),
        .roughness = rbl_solid_number(input, "roughness"),
        .stretch = rbl_solid_vector(input, "stretch"),
        .seed = rbl_hash_u64(rbl_solid_count(input, "seed") + 1u),
        .cuts = rbl_solid_count(input, "cuts"),
    };
    rblRandom random = rbl_random_seed(rock.seed, 0);
    for (uint32_t i = 0; i < rock.cuts; ++i)
    {
        rock.normals[i] = random_direction(&random);
        rock.distances[i] = rbl_random_range(&random, 0.62, 0.92);
    }
    return rbl_make_star(rbl_solid_count(input, "frequency"), rock_radius, &rock, allocator, out);
}
