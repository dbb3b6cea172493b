// The pile of stones: the scene that docs/benchmarks.md compares engines on, the same numbers in every run. They are
// rounded to the digits of a scene file, so that one written by a script holds exactly these bodies.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SEED    12345
#define POINTS  16
#define SPACING 0.36

// SplitMix64 (Steele, Lea and Flood 2014, "Fast Splittable Pseudorandom Number Generators").
static double unit(uint64_t* state)
{
    *state += 0x9E3779B97F4A7C15u;
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

// The number that so many decimals make.
static float rounded(double value, int decimals)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", decimals, value);
    return (float)strtod(text, NULL);
}

static void make_stone(uint64_t* random, rblVec3 out[POINTS])
{
    const double pi = 3.14159265358979323846;
    double axes[3];
    for (int k = 0; k < 3; ++k)
    {
        axes[k] = 0.05 + 0.10 * unit(random);
    }
    for (int i = 0; i < POINTS; ++i)
    {
        const double z = 2.0 * unit(random) - 1.0;
        const double angle = 2.0 * pi * unit(random);
        const double r = sqrt(1.0 - z * z);
        out[i] = (rblVec3){rounded(axes[0] * r * cos(angle), 6), rounded(axes[1] * r * sin(angle), 6),
                           rounded(axes[2] * z, 6)};
    }
}

void rbl_world_random_turn(uint64_t* random, float out[4])
{
    double q[4];
    double length;
    do
    {
        for (int k = 0; k < 4; ++k)
        {
            q[k] = 2.0 * unit(random) - 1.0;
        }
        length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    } while (!(0.1 < length && length < 1.0));
    for (int k = 0; k < 4; ++k)
    {
        out[k] = rounded(q[k] / length, 7);
    }
}

double rbl_world_pile_half(uint32_t width)
{
    return width * 0.18 + 0.05;
}

static rblResult add_fixed(rblWorldScene* scene, uint32_t shape, double x, double y, double z)
{
    rblTrialBody body = rbl_world_body(shape, (float)x, (float)y, (float)z);
    body.moves = 0;
    return rbl_world_scene_add(scene, &body);
}

rblResult rbl_world_scene_walls(rblWorldScene* scene, double half)
{
    uint32_t slab;
    uint32_t wall_x;
    uint32_t wall_z;
    const float side = (float)(2.0 * half);
    RBL_TRY(rbl_world_scene_box(scene, (float)(2.0 * half + 4.0), 1.0f, (float)(2.0 * half + 4.0), &slab));
    RBL_TRY(rbl_world_scene_box(scene, 1.0f, 6.0f, (float)(2.0 * half + 2.0), &wall_x));
    RBL_TRY(rbl_world_scene_box(scene, side, 6.0f, 1.0f, &wall_z));
    RBL_TRY(add_fixed(scene, slab, 0.0, -0.5, 0.0));
    RBL_TRY(add_fixed(scene, wall_x, half + 0.5, 3.0, 0.0));
    RBL_TRY(add_fixed(scene, wall_x, -(half + 0.5), 3.0, 0.0));
    RBL_TRY(add_fixed(scene, wall_z, 0.0, 3.0, half + 0.5));
    return add_fixed(scene, wall_z, 0.0, 3.0, -(half + 0.5));
}

rblResult rbl_world_scene_stones(rblWorldScene* scene, uint32_t count, rblWorldPlacer* place,
                                 const void* context)
{
    uint64_t random = SEED;
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblVec3 points[POINTS];
        uint32_t shape;
        make_stone(&random, points);
        RBL_TRY(rbl_world_scene_hull(scene, points, POINTS, &shape));
        first = i == 0 ? shape : first;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        float p[3];
        place(i, p, context);
        rblTrialBody body = rbl_world_body(first + i, p[0], p[1], p[2]);
        body.density = 2500.0f;
        rbl_world_random_turn(&random, body.rotation);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

static void place_in_pile(uint32_t index, float position[3], const void* context)
{
    const uint32_t width = *(const uint32_t*)context;
    const double middle = (width - 1) / 2.0;
    const uint32_t x = index % width;
    const uint32_t z = index / width % width;
    const uint32_t y = index / (width * width);
    position[0] = rounded((x - middle) * SPACING, 6);
    position[1] = rounded(0.5 + y * SPACING, 6);
    position[2] = rounded((z - middle) * SPACING, 6);
}

rblResult rbl_world_scene_pile(uint32_t count, uint32_t width, rblWorldScene* out)
{
    rblWorldScene scene = rbl_world_scene(5.0);
    rblResult result = rbl_world_scene_walls(&scene, rbl_world_pile_half(width));
    if (result == RBL_OK)
    {
        result = rbl_world_scene_stones(&scene, count, place_in_pile, &width);
    }
    if (result != RBL_OK)
    {
        rbl_world_scene_free(&scene);
        return result;
    }
    *out = scene;
    return RBL_OK;
}
