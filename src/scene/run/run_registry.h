// The object that an rblRunId refers to (rubble/run.h).
#ifndef RBL_SCENE_RUN_RUN_REGISTRY_H
#define RBL_SCENE_RUN_RUN_REGISTRY_H

#include "scene/run/simulate.h"

typedef struct rblRunItem
{
    uint32_t references;      // the id, and movies; guarded by the registry's mutex
    rblSceneId scene;         // an id of its own; null: a recording
    rblSimulation simulation; // zeros for recordings
    rblRun recording;         // zeros for simulations
    rblRun* run;              // one of the two
    rblRunDef def;            //
    bool finished;            // no more steps
    bool motion_ended;        // at the limit
    uint64_t kept_keys;       // of the motion so far
    size_t kept_records;      // of steps, once the motion has ended
    rblStepRecord last;       // of the last step
} rblRunItem;

// The run behind an id, or RBL_ERROR_STALE.
rblResult rbl_run_find(rblRunId id, rblRunItem** out);

// The same with one more reference, and the end of one.
rblResult rbl_run_acquire(rblRunId id, rblRunItem** out);
void rbl_run_release(rblRunItem* item);

// The run of an id whose motion is there up to its last step: for exporters.
rblResult rbl_run_find_motion(rblRunId id, rblRunItem** out);

#endif
