// What changed in a world from one step to the next, as runs and recordings take it in.
#ifndef RBL_SCENE_MOVIE_FRAME_H
#define RBL_SCENE_MOVIE_FRAME_H

#include "scene/run/run.h"

typedef struct rblFrameChange
{
    uint32_t body; // of the run
    rblTransform pose;
    rblVec3 velocity, spin;
} rblFrameChange;

typedef RBL_ARRAY(rblFrameChange) rblFrameChangeArray;

// One step. Its counters and energies are the last of the run's statistics.
typedef struct rblFrame
{
    uint32_t step;
    uint32_t first_body;         // bodies of the run from here on are new
    size_t first_event;          // events of the run's statistics from here on are new
    bool full;                   // all bodies that are there are in `changes`
    rblIndexArray deaths;        // bodies, rising
    rblFrameChangeArray changes; // bodies rising
    rblRunContactArray contacts; //
} rblFrame;

void rbl_frame_init(rblFrame* frame, const rblAllocator* allocator);
void rbl_frame_free(rblFrame* frame);

// A body of the world that is one of the run.
typedef struct rblTracked
{
    rblBodyId id;
    bool alive;
    rblFrameChange last; // as it was gathered last
} rblTracked;

// Looks at changes as soon as they are found, while they are in the cache: what each of `count` bodies is and what it was
// (zeros where the frame is full, and for a body that was not there). Called by many workers at once; for one block, bodies
// rise from call to call, and blocks rise with the bodies.
typedef void rblChangesFcn(uint32_t block, const rblFrameChange* changes, const rblFrameChange* before,
                           uint32_t count, void* context);

// Compares a world with what it was a step ago.
typedef struct rblTracker
{
    rblFrame frame;               // gathered last
    rblChangesFcn* look;          // may be null
    void* look_context;           // of it
    RBL_ARRAY(rblTracked) bodies; // by body of the run
    rblIndexArray body_of_slot;   // by body slot of the world: the body of the run that was last in it
} rblTracker;

void rbl_tracker_init(rblTracker* tracker, const rblAllocator* allocator);
void rbl_tracker_free(rblTracker* tracker);

// The next body of the run is this one of the world.
rblResult rbl_tracker_watch(rblTracker* tracker, rblBodyId id);

// The next body of the run is gone already.
rblResult rbl_tracker_skip(rblTracker* tracker);

// Bodies of a block when many workers gather or pack.
#define RBL_FRAME_BLOCK 128u

// Fill the frame. Bodies that the frame before did not have must be watched by now. `full`: with all bodies, changed or not.
rblResult rbl_tracker_gather(rblTracker* tracker, rblWorldId world, uint32_t step, bool full);

// Put a frame into a run: deaths, keys, contacts.
rblResult rbl_run_add_frame(rblRun* run, const rblFrame* frame);

#endif
