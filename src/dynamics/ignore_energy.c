// Steps without the energy rules, to show what the rules are for (Su 2009, Fig. 1). Benchmarks and tests set
// rblWorld.ignores_energy; no public call does. Such a world has
// - no clamp of impacts and of islands (docs/step.md, sections 4 and 7),
// - drift correction that costs nothing (section 8),
// - orientations by one rotation per step, to second order in time, without the energy correction (section 2).
#include "dynamics/orientation.h"
#include "dynamics/stages.h"

// The rotation of Su 2009, section 2, before its correction: about w + h/2 I^-1 (L x w), with w = I^-1 L.
static rblQuat rotate_once(const rblMotion* motion, rblQuat from, float seconds)
{
    const rblVec3 spin = rbl_angular_velocity(from, motion->momentum, motion->moments);
    const rblVec3 change = rbl_angular_velocity(from, rbl_cross3(motion->momentum, spin), motion->moments);
    const rblVec3 mean = rbl_mul_add3(spin, 0.5f * seconds, change);
    const rblQuat turn = rbl_quat_from_axis_angle(mean, rbl_length3(mean) * seconds);
    return rbl_quat_normalize(rbl_quat_mul(turn, from));
}

void rbl_orientations_ignore_energy(rblStep* step)
{
    rblWorld* world = step->world;
    for (uint32_t i = 1; i < step->solver_bodies.count && world->ignores_energy; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[i];
        rblMotion* motion = &world->motions.data[body->slot];
        const bool jointed = step->joint_system.nodes.data[i] != RBL_NONE;
        if (body->inverse_mass > 0.0f && !jointed && rbl_dot3(motion->momentum, motion->momentum) > 0.0f)
        {
            motion->orientation =
                rotate_once(motion, world->bodies.data[body->slot].previous.q, step->seconds);
            motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
        }
    }
}
