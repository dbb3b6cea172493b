// A recording run again: the same scene from the same start, step by step, compared by hashes.
#ifndef RBL_SCENE_RECORD_REPLAY_H
#define RBL_SCENE_RECORD_REPLAY_H

#include "scene/run/simulate.h"

typedef struct rblReplay
{
    const rblRun* run; // the recording; the caller's
    rblSceneId scene;
    rblSimulation simulation;
    uint32_t first_difference; // step whose hash is another; RBL_NONE: none so far
    uint64_t found;            // its hash now
} rblReplay;

// Build the world of a recording's scene: meshes come from the recording, not from the files that the scene names.
// `keeps_motion` as for rbl_simulation_start(). rbl_replay_free() in any case.
rblResult rbl_replay_start(rblReplay* replay, const rblRun* run, bool keeps_motion);
void rbl_replay_free(rblReplay* replay);

// One more step, and its comparison.
rblResult rbl_replay_advance(rblReplay* replay);

// True at the last step of the recording.
static inline bool rbl_replay_done(const rblReplay* replay)
{
    return replay->simulation.step >= rbl_run_last_step(replay->run);
}

#endif
