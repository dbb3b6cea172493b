// The object that an rblRunId refers to (rubble/run.h).
#ifndef RBL_SCENE_RUN_RUN_REGISTRY_H
#define RBL_SCENE_RUN_RUN_REGISTRY_H

#include "scene/run/simulate.h"

typedef struct rblRunItem
{
    uint32_t references;      // of the id and of movies; guarded by the mutex of the registry
    rblSceneId scene;         // a separate id of the scene; null: a recording
    rblSimulation simulation; // zeros for recordings
    rblRun recording;         // zeros for simulations
    rblRun* run;              // one of the two above
    rblRunDef def;            //
    bool finished;            // no more steps are possible
    bool motion_ended;        // the motion limit is reached
    uint64_t kept_keys;       // number of keys of the motion so far
    size_t kept_records;      // number of step records, once the motion has ended
    rblStepRecord last;       // record of the last step
} rblRunItem;

// The run that an id refers to, or RBL_ERROR_STALE.
rblResult rbl_run_find(rblRunId id, rblRunItem** out);

// The same with one more reference; release it.
rblResult rbl_run_acquire(rblRunId id, rblRunItem** out);
void rbl_run_release(rblRunItem* item);

// The run of an id with motion up to its last step, for exporters.
rblResult rbl_run_find_motion(rblRunId id, rblRunItem** out);

#endif
