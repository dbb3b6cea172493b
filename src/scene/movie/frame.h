// Changes of a world in one step, for runs and recordings.
#ifndef RBL_SCENE_MOVIE_FRAME_H
#define RBL_SCENE_MOVIE_FRAME_H

#include "scene/run/run.h"

typedef struct rblFrameChange
{
    uint32_t body; // index in the run
    rblTransform pose;
    rblVec3 velocity, spin;
} rblFrameChange;

typedef RBL_ARRAY(rblFrameChange) rblFrameChangeArray;

// The changes of one step. Its counters and energies are the last entry of the statistics of the run.
typedef struct rblFrame
{
    uint32_t step;
    uint32_t first_body;         // bodies of the run from this index on are new
    size_t first_event;          // events of the statistics from this index on are new
    bool full;                   // all existing bodies are in `changes`
    rblIndexArray deaths;        // bodies, rising
    rblFrameChangeArray changes; // sorted by body
    rblRunContactArray contacts; //
} rblFrame;

void rbl_frame_init(rblFrame* frame, const rblAllocator* allocator);
void rbl_frame_free(rblFrame* frame);

// A body of the world and its last recorded state.
typedef struct rblTracked
{
    rblBodyId id;
    bool alive;
    rblFrameChange last; // state in the last frame that contains it
} rblTracked;

// Called for changes as soon as they are found, while they are in the cache: the new and the earlier states of `count` bodies
// (zeros when the frame is full, and for new bodies). Called by several workers at once. Within a block, bodies are in rising
// order over the calls, and later blocks have higher bodies.
typedef void rblChangesFcn(uint32_t block, const rblFrameChange* changes, const rblFrameChange* before,
                           uint32_t count, void* context);

// Compares a world with its state one step ago.
typedef struct rblTracker
{
    rblFrame frame;               // filled by rbl_tracker_gather()
    rblChangesFcn* look;          // may be null
    void* look_context;           // argument of `look`
    RBL_ARRAY(rblTracked) bodies; // by body of the run
    rblIndexArray body_of_slot;   // by body slot of the world: the last body of the run in it
} rblTracker;

void rbl_tracker_init(rblTracker* tracker, const rblAllocator* allocator);
void rbl_tracker_free(rblTracker* tracker);

// Track this body of the world as the next body of the run.
rblResult rbl_tracker_watch(rblTracker* tracker, rblBodyId id);

// The next body of the run does not exist any more.
rblResult rbl_tracker_skip(rblTracker* tracker);

// Number of bodies per block of a parallel loop.
#define RBL_FRAME_BLOCK 128u

// Fill the frame. Bodies that are new since the last frame must be tracked already. `full`: include all bodies, changed or not.
rblResult rbl_tracker_gather(rblTracker* tracker, rblWorldId world, uint32_t step, bool full);

// Add a frame to a run: deaths, keys, contacts.
rblResult rbl_run_add_frame(rblRun* run, const rblFrame* frame);

#endif
