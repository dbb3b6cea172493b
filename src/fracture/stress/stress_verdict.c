// When a body breaks: the force of an impact, and the strength of what is under tension.
//
// Force. An impact of energy W has Hertz' largest force F0 when the bodies deform at the contact only. A body that bends takes a part of
// the energy: with U the elastic energy under F0 outside of the contact, the force is s F0 with
//   W s^(5/3) + U s^2 = W
// (the energy balance of Shivakumar, Elber and Illg 1985). At another speed v of the same impact F0 grows as v^(6/5), W as v^2, U as F0^2
// and the radius of the contact as v^(2/5). The stress is solved for the contact at 1 m/s: so it is the same for all speeds but a factor, and
// no harder impact has less tension. Few bodies have tetrahedra that resolve a contact, and the stress there does not count (below).
//
// Strength. Brittle bodies break at flaws, and where little is under tension there are few (Weibull 1939). With s1 the largest principal
// stress, s0 the strength, m = 5 and l = 3 cm a body breaks when
//   (integral over the surface of (s1 / s0)^m dA / l^2 + integral over the body of (s1 / s0)^m dV / l^3)^(1/m) > 1.
// So s0 is the strength of a test piece with 9 cm^2 of surface. The largest stress alone has no limit as tetrahedra get smaller: that
// of a contact grows with every refinement.
//
// Contacts. The stress within half of the body's thickness from a load is that of the contact. It does not count above, as it makes
// cracks that stop: near a point force F a crack of length c has K = 0.05 F / c^(3/2) (Roesler 1956), and runs until that is the
// toughness. The body breaks when this length exceeds its thickness. Thickness is the volume by half of the surface.
//
// Discretisation. Linear tetrahedra are too stiff in bending, and the stress that is recovered at the nodes is too small. The true stress
// does the same work on the strain of the solution as the loads (virtual work), and so as the stress of the solution itself. The recovered
// stress is multiplied by the factor with which it does that, too.
#include "base/array.h"
#include "base/error.h"
#include "fracture/stress/stress_private.h"
#include "math/trig.h"
#include "math/vec.h"
#include <math.h>

// ---- tuning ----
#define FLAW_LENGTH 0.03 // m: l above; test pieces of bending tests have a few cm^2 under tension
#define CONTACT_FACTOR                                                                                       \
    0.05 // of K: for cone cracks with a Poisson's ratio of 0.25 Roesler's constant 2.75e-3 is its square
#define MAX_STIFFNESS 2.0 // largest factor by which the recovered stress is taken to be too small
#define FAR           2.0 // times half of the thickness: from there on a load bends and makes no contact stress
#define NEGLIGIBLE    0.05 // of the largest tension: its fifth power counts for nothing

// ---- energy ----

static rblStress stress_sum(const rblStress* a, const rblStress* b)
{
    return (rblStress){a->xx + b->xx, a->yy + b->yy, a->zz + b->zz,
                       a->xy + b->xy, a->yz + b->yz, a->zx + b->zx};
}

// Energies in a tetrahedron, J/m^3.
typedef struct Densities
{
    double solved;    // of the stress of the solution, constant
    double recovered; // of that at the nodes, linear in between
    double work;      // of the one on half the strain of the other
} Densities;

static Densities densities_of(const rblStressRoot* root, const rblStress* nodes[4], const rblStress* tet)
{
    const double young = (double)root->material.young, poisson = (double)root->material.poisson;
    rblStress sum = {0};
    double squares = 0.0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        sum = stress_sum(&sum, nodes[i]);
        squares += rbl_energy_density(young, poisson, nodes[i]);
    }
    const rblStress both = stress_sum(&sum, tet);
    const double solved = rbl_energy_density(young, poisson, tet);
    const double whole = rbl_energy_density(young, poisson, &sum);
    return (Densities){solved, (squares + whole) / 20.0,
                       (rbl_energy_density(young, poisson, &both) - whole - solved) / 8.0};
}

static bool is_near(const rblElasticLoad* loads, uint32_t count, rblVec3d point, double distance)
{
    bool near = false;
    for (uint32_t i = 0; i < count && !near; ++i)
    {
        const rblVec3d off = rbl_sub3d(point, loads[i].point);
        near = rbl_dot3d(off, off) < distance * distance;
    }
    return near;
}

// Elastic energy beyond the contacts, and the factor by which the stress at the nodes is too small.
static double energy_beyond(const rblStressSolved* solved, const rblElasticLoad* loads, uint32_t count,
                            double contact, double* stiffness)
{
    const rblStressRoot* root = solved->root;
    const rblElasticView* view = solved->view;
    double recovered = 0.0, energy = 0.0, work = 0.0;
    for (uint32_t tet = 0; tet < view->tet_count; ++tet)
    {
        const rblVec3d middle = root->graph.around[view->mesh_tets[tet]].middle;
        if (is_near(loads, count, middle, contact))
        {
            continue;
        }
        const uint32_t* nodes = &view->nodes[4 * (size_t)tet];
        const rblStress* corners[4] = {&solved->nodes[nodes[0]], &solved->nodes[nodes[1]],
                                       &solved->nodes[nodes[2]], &solved->nodes[nodes[3]]};
        const Densities here = densities_of(root, corners, &solved->tets[tet]);
        const double volume = view->volumes[tet];
        const bool is_far = !is_near(loads, count, middle, FAR * contact);
        recovered += volume * here.recovered;
        energy += is_far ? volume * here.solved : 0.0;
        work += is_far ? volume * here.work : 0.0;
    }
    *stiffness = work > 0.0 ? rbl_mind(energy / work, MAX_STIFFNESS) : 1.0;
    return *stiffness * *stiffness * recovered;
}

// s of W s^(5/3) + U s^2 = W, by Newton's method for its cube root from above, where the polynomial is convex.
static double force_share(double impact, double bending)
{
    const double ratio = bending / impact;
    double root = 1.0;
    for (uint32_t i = 0; i < 64 && rbl_finite(impact); ++i)
    {
        const double fifth = root * root * root * root * root;
        const double value = fifth + ratio * fifth * root - 1.0;
        const double slope = 5.0 * fifth / root + 6.0 * ratio * fifth;
        root -= value / slope;
    }
    return root * root * root;
}

// ---- strength ----

static double fifth_power(double x)
{
    const double square = x * x;
    return square * square * x;
}

// Surface of an elastic solid, m^2.
static double surface_area(const rblElasticView* view, uint32_t face)
{
    const uint32_t* nodes = &view->surface[3 * (size_t)face];
    const rblVec3d a = view->positions[nodes[0]];
    return 0.5 * rbl_length3d(rbl_cross3d(rbl_sub3d(view->positions[nodes[1]], a),
                                          rbl_sub3d(view->positions[nodes[2]], a)));
}

static double total_area(const rblElasticView* view)
{
    double area = 0.0;
    for (uint32_t face = 0; face < view->surface_face_count; ++face)
    {
        area += surface_area(view, face);
    }
    return area;
}

// Fifth powers of tension by strength at the nodes, 0 at the contacts. Returns the largest ratio.
static double find_powers(const rblStressSolved* solved, const rblElasticLoad* loads, uint32_t count,
                          double contact, double* powers)
{
    const rblElasticView* view = solved->view;
    double largest = 0.0;
    for (uint32_t node = 0; node < view->node_count; ++node)
    {
        powers[node] = 0.0;
        const double strength = solved->root->strength[view->mesh_nodes[node]];
        const double least = NEGLIGIBLE * largest * strength;
        const double tension = rbl_maxd(rbl_largest_unless_below(&solved->nodes[node], least), 0.0);
        if (tension > least && !is_near(loads, count, view->positions[node], contact))
        {
            largest = rbl_maxd(largest, tension / strength);
            powers[node] = fifth_power(tension / strength);
        }
    }
    return largest;
}

// The integrals of the powers.
static double sum_powers(const rblStressSolved* solved, const double* powers)
{
    const rblElasticView* view = solved->view;
    const double density = (double)solved->root->material.density;
    double surface = 0.0, inside = 0.0;
    for (uint32_t face = 0; face < view->surface_face_count; ++face)
    {
        const uint32_t* nodes = &view->surface[3 * (size_t)face];
        surface += surface_area(view, face) * (powers[nodes[0]] + powers[nodes[1]] + powers[nodes[2]]) / 3.0;
    }
    for (uint32_t node = 0; node < view->node_count; ++node)
    {
        inside += view->masses[node] / density * powers[node];
    }
    return surface / (FLAW_LENGTH * FLAW_LENGTH) + inside / (FLAW_LENGTH * FLAW_LENGTH * FLAW_LENGTH);
}

// ---- contacts ----

// How far a contact drives a crack, m; 0 where its tension, (1 - 2 nu) F / (2 pi a^2) at its edge, is below the strength.
static double contact_reach(const rblMaterial* material, double force, double radius)
{
    const double poisson = (double)material->poisson;
    const double tension = (1.0 - 2.0 * poisson) * force / (2.0 * RBL_PI * radius * radius);
    const double toughness = sqrt(2.0 * (double)material->surface_energy * (double)material->young /
                                  (1.0 - poisson * poisson)); // K_c, Pa m^(1/2)
    if (!(radius > 0.0) || !(tension >= (double)material->strength) || !(toughness > 0.0))
    {
        return 0.0;
    }
    const double root = rbl_cbrt(CONTACT_FACTOR * force / toughness);
    return root * root;
}

// The loads for cracks. Returns the largest force relative to the one that drives a crack through the thickness.
static double list_contacts(const rblStressEvidence* evidence, const rblMaterial* material, double factor,
                            double share, rblCrackLoad* out)
{
    const rblStressBlow* blow = &evidence->blow;
    double most = 0.0;
    for (uint32_t i = 0; i < blow->count; ++i)
    {
        const rblElasticLoad* load = &blow->loads[i];
        const double force = share * rbl_length3d(load->force);
        const double radius = load->radius * rbl_pow(factor * blow->speeds[i], 0.4);
        const double reach = contact_reach(material, force, radius);
        const double part = evidence->thickness > 0.0 ? reach / evidence->thickness : 0.0;
        const rblVec3d direction = rbl_normalize3d(load->force, rbl_vec3d(0.0, -1.0, 0.0));
        out[i] = (rblCrackLoad){load->point, direction, radius, reach};
        most = rbl_maxd(most, part * sqrt(part));
    }
    return most;
}

// ---- all of it ----

double rbl_stress_at_speed(const rblStressEvidence* evidence, const rblMaterial* material, double factor,
                           double* scale, rblCrackLoad loads[RBL_STRESS_MAX_LOADS])
{
    const double force = rbl_pow(factor, 1.2);
    const double share =
        force * force_share(factor * factor * evidence->blow.energy, force * force * evidence->bending);
    *scale = evidence->stiffness * share;
    return rbl_maxd(*scale * evidence->strain, list_contacts(evidence, material, factor, share, loads));
}

rblResult rbl_stress_judge(const rblStressSolved* solved, const rblStressBlow* blow, rblStressEvidence* out,
                           double* ratio)
{
    const rblElasticView* view = solved->view;
    const rblAllocator* allocator = solved->root->allocator;
    double* powers = RBL_NEW_ARRAY(allocator, double, view->node_count);
    if (powers == NULL)
    {
        return rbl_fail_memory();
    }
    double volume = 0.0;
    for (uint32_t tet = 0; tet < view->tet_count; ++tet)
    {
        volume += view->volumes[tet];
    }
    out->blow = *blow;
    out->thickness = 2.0 * volume / total_area(view);
    const double contact = 0.5 * out->thickness;
    out->bending = energy_beyond(solved, blow->loads, blow->count, contact, &out->stiffness);
    const double largest = find_powers(solved, blow->loads, blow->count, contact, powers);
    const double sum = sum_powers(solved, powers);
    out->strain = sum > 0.0 ? rbl_exp(rbl_log(sum) / 5.0) : 0.0;
    out->stronger = out->strain > 0.0 ? largest / out->strain : 1.0;
    *ratio = rbl_stress_at_speed(out, &solved->root->material, 1.0, &out->scale, out->loads);
    RBL_FREE_ARRAY(allocator, powers, view->node_count);
    return RBL_OK;
}
