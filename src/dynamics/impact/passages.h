// The parts of the check that no body passes through another one (passages.c).
#ifndef RBL_DYNAMICS_IMPACT_PASSAGES_H
#define RBL_DYNAMICS_IMPACT_PASSAGES_H

#include "dynamics/impact/legs.h"
#include <stdatomic.h>

// What a body does after its path ends before the end of the substep.
typedef enum rblEnding
{
    RBL_ENDING_NONE,
    RBL_ENDING_CARRIED, // it moves on with a kinematic body that has reached it
    RBL_ENDING_STOPPED
} rblEnding;

// The path of a moving body in the substep.
typedef struct rblPath
{
    uint32_t first, count; // of its legs; none: not asked yet
    float end;             // s: it rests from here on
    float stopped;         // s: when it first left its free path
    uint32_t carrier;      // solver body
    unsigned char ending;  // rblEnding
} rblPath;

// Two bodies that move so far in the substep that they may pass through each other.
typedef struct rblPassage
{
    uint32_t a, b;  // slots
    float time;     // s: they overlap too deeply; INFINITY: they do not
    float goal;     // m: deepest gap that is allowed; 0: not known yet
    bool finished; // neither body can be stopped any more
} rblPassage;

// Working data of the stage.
struct rblPassageStage
{
    rblFlownArray flown;      // flights of the substep
    rblMotionArray saved;     // per solver body: before the last leg
    rblFloatArray reaches;    // per solver body: bound of the motion of its points, m
    rblIndexArray firsts;     // per solver body: 1 + its first flight; 0: none
    rblIndexArray nexts;      // per flight: the same of the next one
    rblIndexArray deflected;  // solver bodies that have left their predicted paths
    rblIndexArray turns;      // slots whose neighbours are searched again
    RBL_ARRAY(rblAabb) boxes; // per deflected body: around its path
    RBL_ARRAY(rblPath) paths; // per solver body
    rblLegArray legs;
    RBL_ARRAY(rblPassage) passages;
    atomic_bool any; // a pair moves far enough
    bool displaces;  // the paths are those of drift correction
};

// Bring the bodies of the substep to the ends of their paths (passage_ends.c).
void rbl_paths_end(rblStep* step);

// Acceleration of a body on its last leg, m/s^2: 0 unless it fell freely.
rblVec3 rbl_last_acceleration(const rblStep* step, uint32_t index);

// Pose of the frame of a moving body at a time of its path.
rblTransform rbl_path_pose(const rblStep* step, uint32_t index, float time);

#endif
