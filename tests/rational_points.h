// Exact points of tests: x, y, z over w > 0, without common factors.
#ifndef RBL_TESTS_RATIONAL_POINTS_H
#define RBL_TESTS_RATIONAL_POINTS_H

#include <stdlib.h>

typedef struct Rational3
{
    long long x, y, z, w;
} Rational3;

static inline long long common_factor(long long a, long long b)
{
    while (b != 0)
    {
        const long long rest = a % b;
        a = b;
        b = rest;
    }
    return llabs(a);
}

static inline Rational3 reduced(Rational3 p)
{
    const long long factor = common_factor(common_factor(p.x, p.y), common_factor(p.z, p.w));
    return (Rational3){p.x / factor, p.y / factor, p.z / factor, p.w / factor};
}

#endif
