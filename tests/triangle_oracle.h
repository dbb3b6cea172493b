// Whether two triangles, or the segments and points that they are, have a point in common: slowly, in integers.
// Coordinates up to some thousands.
#ifndef RBL_TESTS_TRIANGLE_ORACLE_H
#define RBL_TESTS_TRIANGLE_ORACLE_H

#include <limits.h>
#include <stdbool.h>

typedef struct Int3
{
    long long x, y, z;
} Int3;

static inline Int3 minus(Int3 a, Int3 b)
{
    return (Int3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Int3 cross(Int3 a, Int3 b)
{
    return (Int3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline long long dot(Int3 a, Int3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline bool is_zero(Int3 a)
{
    return a.x == 0 && a.y == 0 && a.z == 0;
}

static inline bool is_flat(const Int3 t[3])
{
    return is_zero(cross(minus(t[1], t[0]), minus(t[2], t[0])));
}

// ---- separating directions ----

static inline bool separates(Int3 direction, const Int3 a[3], const Int3 b[3])
{
    long long least[2] = {LLONG_MAX, LLONG_MAX};
    long long most[2] = {LLONG_MIN, LLONG_MIN};
    for (int i = 0; i < 6; ++i)
    {
        const long long x = dot(direction, i < 3 ? a[i] : b[i - 3]);
        least[i / 3] = x < least[i / 3] ? x : least[i / 3];
        most[i / 3] = x > most[i / 3] ? x : most[i / 3];
    }
    return most[0] < least[1] || most[1] < least[0];
}

// Two hulls are apart when the hull of the differences of their points misses the origin. It is a solid, a polygon, a
// segment or a point; its edges are parallel to those of the triangles. The directions below hold the normals of its
// faces, for each of the four, and that of the origin from its plane or line.
static inline bool hulls_meet(const Int3 a[3], const Int3 b[3])
{
    Int3 edges[7];
    for (int i = 0; i < 3; ++i)
    {
        edges[i] = minus(a[(i + 1) % 3], a[i]);
        edges[3 + i] = minus(b[(i + 1) % 3], b[i]);
    }
    edges[6] = minus(a[0], b[0]);
    for (int i = 0; i < 7; ++i)
    {
        if (separates(edges[i], a, b))
        {
            return false;
        }
        for (int j = 0; j < 7; ++j)
        {
            const Int3 normal = cross(edges[i], edges[j]);
            if (separates(normal, a, b))
            {
                return false;
            }
            for (int k = 0; k < 7; ++k)
            {
                if (separates(cross(edges[k], normal), a, b))
                {
                    return false;
                }
            }
        }
    }
    return true;
}

#endif
