// The motion of bodies in a substep as it was made: one leg after the other.
#ifndef RBL_DYNAMICS_IMPACT_LEGS_H
#define RBL_DYNAMICS_IMPACT_LEGS_H

#include "dynamics/step.h"

// A part of the motion of a body: a parabola and a rotation at a constant rate.
typedef struct rblLeg
{
    float begin, end; // s of the substep
    rblVec3 center;   // at the beginning
    rblVec3 travel;   // m, chord of the parabola
    rblVec3 bend;     // m: at a fraction x, the centre differs from the chord by x (x - 1) `bend`
    rblQuat from;     // orientation of the body's frame at the beginning
    rblVec3 turn;     // rad
} rblLeg;

typedef RBL_ARRAY(rblLeg) rblLegArray;

// A flight of a body to its impact.
typedef struct rblFlown
{
    uint32_t slot, generation;
    float begin, end;     // s of the substep
    rblMotion motion;     // at the beginning
    rblVec3 acceleration; // m/s^2
} rblFlown;

typedef RBL_ARRAY(rblFlown) rblFlownArray;

// The rotation from p to q, rad, at most half a turn.
rblVec3 rbl_rotation_between(rblQuat p, rblQuat q);

// Append the legs of a motion from one state of a body to another pose. False when out of memory.
bool rbl_legs_add(const rblBody* body, const rblMotion* from, rblTransform to, rblVec3 acceleration,
                  float begin, float end, rblLegArray* out);

// Pose of the body's frame at a time of the leg.
rblTransform rbl_leg_pose(const rblLeg* leg, float time);

// The part of a leg from one time to another as the sweep of a shape; *bend: its bend.
rblSweep rbl_leg_sweep(const rblLeg* leg, const rblBody* body, float from, float to, rblVec3* bend);

// The part of a leg up to a time.
rblLeg rbl_leg_until(const rblLeg* leg, float time);

// The leg of a body that stays where it is.
rblLeg rbl_leg_at_rest(rblTransform pose, float begin, float end);

#endif
