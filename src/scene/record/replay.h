// Replays a recorded run: the same scene from the same start, compared step by step by hashes.
#ifndef RBL_SCENE_RECORD_REPLAY_H
#define RBL_SCENE_RECORD_REPLAY_H

#include "scene/run/simulate.h"

typedef struct rblReplay
{
    const rblRun* run; // the recording; owned by the caller
    rblSceneId scene;
    rblSimulation simulation;
    uint32_t first_difference; // first step with another hash; RBL_NONE: none so far
    uint64_t found;            // the hash of that step in the replay
} rblReplay;

// Create the world of the scene of a recording: meshes come from the recording, not from the files of the scene. `keeps_motion`
// as for rbl_simulation_start(). rbl_replay_free() is required in any case.
rblResult rbl_replay_start(rblReplay* replay, const rblRun* run, bool keeps_motion);
void rbl_replay_free(rblReplay* replay);

// Advance by one step and compare.
rblResult rbl_replay_advance(rblReplay* replay);

// True at the last step of the recording.
static inline bool rbl_replay_done(const rblReplay* replay)
{
    return replay->simulation.step >= rbl_run_last_step(replay->run);
}

#endif
