// When does a body break? Three things must come together, each of which has a threshold in the energy W of the impact:
//
// 1. Bending. At the strength s a body of Young's modulus E holds s^2 / 2E of elastic energy per volume where the stress is
//    largest. Over a bent body that is a quarter on the whole: a third across the thickness, three quarters along. Only what
//    a wave reaches and comes back from while the contact lasts takes part: W >= s^2 / 8E min(V, V_reach), V_reach the part
//    of a plate as thick as the body within r = c t / 2 of the point, c = sqrt(E / density), t Hertz' contact time.
// 2. Pressing. A ball of diameter d that is pressed by F splits when 0.9 F / d^2 (Hiramatsu and Oka 1966) reaches the strength, a plate
//    of thickness d bends to it at about the same F / d^2: F >= s d^2 / 0.9, F Hertz' largest force, which goes with W^(3/5).
//    Plates and cups are flexible and pass this easily; balls and blocks are not, and hold much.
// 3. Paying. W >= G_c A, A = V / L the mean section of a body of volume V and length L: a crack right through.
//
// The severity is the least of the three ratios, as energies. Nothing in it knows of steps.
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/trig.h"
#include "math/vec.h"

#define BENT_SHARE   0.25
#define SPLIT_FACTOR 0.9

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
