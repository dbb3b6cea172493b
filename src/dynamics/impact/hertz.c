// Elastic impact of two bodies with local radius R and modulus E* (Hertz).
//
// With m the effective mass and v the approach speed, the largest compression is
//   d = (15 m v^2 / (16 E* sqrt(R)))^(2/5),
// the peak force is 4/3 E* sqrt(R) d^(3/2), and the contact lasts t = 2.94 d / v.
#include "dynamics/stages.h"
#include "math/float_bits.h"

// Newton iterations for r^5 = x, for positive x that is neither tiny nor huge. A fifth of the exponent gives a first guess
// within 5 %, and each iteration squares the relative error and doubles it: four reach rounding. A collapsing heap calls this
// ten thousand times a step; powers by logarithms take ten times as long.
static double fifth_root(double x)
{
    double r = rbl_from_bits(rbl_bits_of(x) / 5 + UINT64_C(0x3326000000000000)); // 4/5 of the exponent's bias
    for (int i = 0; i < 4; ++i)
    {
        const double square = r * r;
        r = 0.8 * r + 0.2 * x / (square * square);
    }
    return r;
}

rblHertz rbl_impact_hertz(const rblBody* a, const rblBody* b, double mass, float speed)
{
    double compliance = 0.0;
    for (int k = 0; k < 2; ++k)
    {
        const rblMaterial* material = k == 0 ? &a->material : &b->material;
        const double poisson = (double)material->poisson;
        compliance += material->young > 0.0f ? (1.0 - poisson * poisson) / (double)material->young : 0.0;
    }
    const double radius = (double)rbl_minf(a->shape.inner_radius, b->shape.inner_radius);
    if (!(compliance > 0.0) || !(radius > 0.0) || !rbl_finite(radius) || !(speed > 0.0f))
    {
        return (rblHertz){0.0f, 0.0f};
    }
    const double root = sqrt(radius);
    const double base = 15.0 * mass * compliance / (16.0 * root);
    const double time = 2.94 * fifth_root(base * base / (double)speed);
    const double depth = time * (double)speed / 2.94;
    return (rblHertz){(float)time, (float)(4.0 / 3.0 * root / compliance * depth * sqrt(depth))};
}
