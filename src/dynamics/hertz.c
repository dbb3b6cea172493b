// Elastic impacts of two bodies with local radius R and modulus E* (Hertz).
//
// With m the mass that the two oppose to each other and v the speed of approach, the compression is at most
//   d = (15 m v^2 / (16 E* sqrt(R)))^(2/5),
// the force then 4/3 E* sqrt(R) d^(3/2), and the contact lasts t = 2.94 d / v.
#include "dynamics/stages.h"
#include "math/trig.h"

rblHertz rbl_hertz_impact(const rblBody* a, const rblBody* b, double mass, float speed)
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
    const double time = 2.94 * rbl_pow(base, 0.4) * rbl_pow((double)speed, -0.2);
    const double depth = time * (double)speed / 2.94;
    return (rblHertz){(float)time, (float)(4.0 / 3.0 * root / compliance * depth * sqrt(depth))};
}
