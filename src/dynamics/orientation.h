// Rotation of a body with constant energy and angular momentum (Su 2009, sec. 2).
#ifndef RBL_DYNAMICS_ORIENTATION_H
#define RBL_DYNAMICS_ORIENTATION_H

#include "math/quat.h"

// Rotational energy of a body with principal moments in the axes of `q`, with angular momentum `momentum` (world).
double rbl_rotational_energy(rblQuat q, rblVec3 momentum, rblVec3 moments);

// Angular velocity, world axes.
rblVec3 rbl_angular_velocity(rblQuat q, rblVec3 momentum, rblVec3 moments);

// The orientation after `seconds`. The angular momentum is `mean` during the step and `end` at its end; both are equal for a
// free body. In the new orientation, `end` gives the same energy as in the old one.
rblQuat rbl_orientation_advance(rblQuat from, rblVec3 mean, rblVec3 end, rblVec3 moments, float seconds);

// The same without the energy correction: a smooth function of the momentum, for bodies with joints.
rblQuat rbl_orientation_turn_freely(rblQuat from, rblVec3 mean, rblVec3 moments, float seconds);

#endif
