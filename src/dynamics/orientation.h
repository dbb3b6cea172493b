// Turning a body without changing its energy or its angular momentum (Su 2009, sec. 2).
#ifndef RBL_DYNAMICS_ORIENTATION_H
#define RBL_DYNAMICS_ORIENTATION_H

#include "math/quat.h"

// Rotational energy of a body with principal moments in the axes of `q`, with angular momentum `momentum` (world).
double rbl_rotational_energy(rblQuat q, rblVec3 momentum, rblVec3 moments);

// Angular velocity, world axes.
rblVec3 rbl_angular_velocity(rblQuat q, rblVec3 momentum, rblVec3 moments);

// The orientation after `seconds`. The angular momentum is `mean` on the way and `end` at the end; both are equal for a
// free body. With the result, the energy at `end` is what it was with `end` in the old orientation: turning costs nothing.
rblQuat rbl_orientation_advance(rblQuat from, rblVec3 mean, rblVec3 end, rblVec3 moments, float seconds);

// The same without the last turn that makes the energy right: smooth in the momentum, for bodies that joints drive.
rblQuat rbl_orientation_turn_freely(rblQuat from, rblVec3 mean, rblVec3 moments, float seconds);

#endif
