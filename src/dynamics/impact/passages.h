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
    uint32_t a, b; // slots
    float time;    // s: they overlap too deeply; INFINITY: they do not
    float goal;    // m: deepest gap that is allowed; 0: not known yet
    bool finished; // neither body can be stopped any more
    bool waits;    // the two move on together, or far apart, unless one of them stops
} rblPassage;

// An entry of the queue: valid while the passage has this time.
typedef struct rblPassageEntry
{
    float time; // s
    uint32_t passage;
} rblPassageEntry;

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
    rblIndexArray heads; // per solver body: 1 + its last link; 0: none
    rblIndexArray links; // 2 per passage, of a and of b: 1 + the link before it in the list of the body
    RBL_ARRAY(rblPassageEntry) queue; // a heap, the earliest first
    atomic_bool any;                  // a pair moves far enough
    bool displaces;                   // the paths are those of drift correction
};

static inline bool rbl_is_dynamic(const rblStep* step, uint32_t index)
{
    return step->solver_bodies.data[index].inverse_mass > 0.0f;
}

// ---- paths (passage_paths.c) ----

// List the flights of each body, in the order of time. Make the legs of a body. False when out of memory.
bool rbl_flights_chain(rblStep* step);
bool rbl_path_make(rblStep* step, uint32_t index);

// The leg of a body, by slot, at a time; the end of its path, s.
rblLeg rbl_path_leg(const rblStep* step, uint32_t slot, float time);
float rbl_path_end(const rblStep* step, uint32_t slot);

// Pose of the frame of a moving body at a time of its path.
rblTransform rbl_path_pose(const rblStep* step, uint32_t index, float time);

// Acceleration of a body on its last leg, m/s^2: 0 unless it fell freely.
rblVec3 rbl_last_acceleration(const rblStep* step, uint32_t index);

// ---- pairs (passage_pairs.c) ----

// Measure the motions of all bodies; whether any pair moves so far that it has to be followed.
void rbl_reaches_measure(rblStep* step);
bool rbl_passages_possible(rblStep* step);

// Overlap that a motion may add, m.
float rbl_passage_depth(const rblStep* step, uint32_t a, uint32_t b);

// Whether two bodies move so far that they may pass through each other.
bool rbl_passage_reaches(const rblStep* step, uint32_t a, uint32_t b);

// List the pairs that have to be followed. Add those of a body in a box around its path. False when out of memory.
bool rbl_passages_collect(rblStep* step);
bool rbl_passages_search_around(rblStep* step, uint32_t index, rblAabb box);
rblAabb rbl_path_box(const rblStep* step, uint32_t index);

// ---- times and ends ----

// The time from which on the two overlap too deeply, searched from another one on; INFINITY: never (passage_times.c).
float rbl_passage_find_time(const rblStep* step, rblPassage* passage, float since);

// Bring the bodies of the substep to the ends of their paths (passage_ends.c).
void rbl_paths_end(rblStep* step);

#endif
