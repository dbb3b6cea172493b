// Triangle soups of every unpleasant kind, without indices, for tests of the hierarchy's queries.
#ifndef RBL_TESTS_TRIANGLE_SOUPS_H
#define RBL_TESTS_TRIANGLE_SOUPS_H

#include "base/random.h"
#include "math/vec.h"
#include "rubble/bvh.h"
#include <stdlib.h>

typedef enum SoupKind
{
    SOUP_RANDOM,
    SOUP_COARSE, // on a grid: many exact ties and touches
    SOUP_EQUAL,  // all triangles are the same
    SOUP_LINE,   // all on one line
    SOUP_PLANE,  // all in one plane
    SOUP_POINTS, // all corners of a triangle in one place
    SOUP_SLIVERS,
    SOUP_TINY, // at 1e-20
    SOUP_HUGE, // at 1e+15
    SOUP_KINDS
} SoupKind;

static inline float soup_scale(SoupKind kind)
{
    return kind == SOUP_TINY ? 1e-20f : (kind == SOUP_HUGE ? 1e15f : 1.0f);
}

static inline void shape_soup_triangle(rblRandom* random, SoupKind kind, const float* first, float p[9])
{
    for (int k = 0; k < 9; ++k)
    {
        const int axis = k % 3;
        p[k] = kind == SOUP_COARSE ? floorf(p[k] * 8.0f) / 8.0f : p[k];
        p[k] = kind == SOUP_EQUAL ? first[k] : p[k];
        p[k] = kind == SOUP_LINE && axis > 0 ? p[k - axis] : p[k];
        p[k] = kind == SOUP_PLANE && axis == 2 ? 0.25f : p[k];
        p[k] = kind == SOUP_POINTS ? p[axis] : p[k];
        p[k] *= soup_scale(kind);
    }
    if (kind == SOUP_SLIVERS) // the third corner is all but on the edge between the others
    {
        const double t = rbl_random_double(random);
        for (int k = 6; k < 9; ++k)
        {
            p[k] = (float)((1.0 - t) * (double)p[k - 6] + t * (double)p[k - 3]);
        }
    }
}

// Corners of `count` triangles of random size around the unit cube, in memory of malloc.
static inline rblTriangleSpan make_soup(rblRandom* random, SoupKind kind, uint32_t count)
{
    float* positions = malloc(sizeof *positions * (9 * (size_t)count + 1));
    for (uint32_t t = 0; positions != NULL && t < count; ++t)
    {
        const double size = rbl_random_range(random, 0.01, 0.2);
        float center[3];
        for (int a = 0; a < 3; ++a)
        {
            center[a] = (float)rbl_random_double(random);
        }
        for (int k = 0; k < 9; ++k)
        {
            positions[9 * t + (uint32_t)k] = center[k % 3] + (float)rbl_random_range(random, -size, size);
        }
        shape_soup_triangle(random, kind, positions, positions + 9 * t);
    }
    return (rblTriangleSpan){
        .positions = positions, .stride = 12, .vertex_count = 3 * count, .triangle_count = count};
}

static inline void free_soup(const rblTriangleSpan* span)
{
    free((void*)(uintptr_t)span->positions);
}

static inline rblVec3 soup_point(rblRandom* random, SoupKind kind, double low, double high)
{
    const float scale = soup_scale(kind);
    rblVec3 p;
    p.x = (float)rbl_random_range(random, low, high) * scale;
    p.y = (float)rbl_random_range(random, low, high) * scale;
    p.z = (float)rbl_random_range(random, low, high) * scale;
    return p;
}

static inline rblVec3d soup_corner(const rblTriangleSpan* span, uint32_t triangle, int k)
{
    const float* p = (const float*)span->positions + 9 * (size_t)triangle + 3 * k;
    return (rblVec3d){(double)p[0], (double)p[1], (double)p[2]};
}

#endif
