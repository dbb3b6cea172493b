// The criterion of breaking. Three conditions must hold; each has a threshold for the energy W of the impact:
//
// 1. Bending. At the strength s a body of Young's modulus E has the elastic energy s^2 / 2E per volume where the stress is
//    largest. The mean over a bent body is a quarter of it: a third across the thickness, three quarters along it. Only the part that
//    an elastic wave reaches and returns from during the contact takes part: W >= s^2 / 8E min(V, V_reach), V_reach the part
//    of a plate as thick as the body within r = c t / 2 of the point, c = sqrt(E / density), t Hertz' contact time.
// 2. Splitting by the contact force. A ball of diameter d that is pressed by F splits when 0.9 F / d^2 (Hiramatsu and Oka 1966) reaches the strength, a plate
//    of thickness d bends to it at about the same F / d^2: F >= s d^2 / 0.9, F Hertz' largest force, which goes with W^(3/5).
//    Plates and cups are flexible and reach it easily; balls and blocks are stiff and need large forces.
// 3. Surface energy. W >= G_c A, A = V / L the mean section of a body of volume V and length L: a crack through the whole section.
//
// The severity is the smallest of the three energy ratios. It does not depend on the time step.
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/trig.h"
#include "math/vec.h"

#define BENT_SHARE   0.25 // mean elastic energy density of a bent body, relative to the largest
#define SPLIT_FACTOR 0.9  // of F / d^2 at which a ball splits (Hiramatsu and Oka 1966)

static double volume_in_reach(const rblBreakBody* body, const rblImpact* impact)
{
    const double volume = body->view.mass.volume;
    const double thickness = (double)body->view.thinnest;
    if (!(impact->duration > 0.0f) || !(body->material.density > 0.0f))
    {
        return volume;
    }
    const double wave_speed = sqrt((double)body->material.young / (double)body->material.density);
    const double reach = 0.5 * wave_speed * (double)impact->duration;
    const double plate = RBL_PI * reach * reach * thickness;
    const double ball = 4.0 / 3.0 * RBL_PI * reach * reach * reach;
    return rbl_mind(volume, rbl_mind(plate, ball));
}

double rbl_strength_severity(const rblBreakBody* body, const rblImpact* impact)
{
    const double strength = (double)body->material.strength;
    const double young = (double)body->material.young;
    const double energy = (double)impact->energy;
    if (!(strength > 0.0) || !(young > 0.0) || !(energy > 0.0) || !body->view.bounded)
    {
        return 0.0;
    }
    const double bending = BENT_SHARE * strength * strength / (2.0 * young) * volume_in_reach(body, impact);
    double severity = energy / bending;
    const double thickness = (double)body->view.thinnest;
    const double force = strength * thickness * thickness / SPLIT_FACTOR;
    if (impact->peak_force > 0.0f && force > 0.0)
    {
        severity = rbl_mind(severity, rbl_pow((double)impact->peak_force / force, 5.0 / 3.0));
    }
    const double cost = rbl_min_crack_cost(body);
    return cost > 0.0 ? rbl_mind(severity, energy / cost) : severity;
}
