// A scene on its way through time.
#ifndef RBL_SCENE_SIMULATE_H
#define RBL_SCENE_SIMULATE_H

#include "scene/frame.h"

typedef struct rblSimulation
{
    rblSceneId scene; // the caller's
    rblSceneView view;
    const rblAllocator* allocator;
    rblWorldId world;
    rblBodyId* bodies;  // by body of the scene; null ids: not there
    uint32_t* run_body; // by body of the scene: that of the run, RBL_NONE until it was there
    uint32_t step;      // steps done
    uint32_t next_event;
    bool keeps_motion;
    rblTracker tracker;
    rblRun run; // statistics always; bodies and their motion when they are kept
} rblSimulation;

// Build the world and record its start. Motion is kept in memory only when `keeps_motion`. rbl_simulation_free() in any
// case.
rblResult rbl_simulation_start(rblSimulation* simulation, rblSceneId scene, bool keeps_motion);
void rbl_simulation_free(rblSimulation* simulation);

// The events that are due, then one step.
rblResult rbl_simulation_advance(rblSimulation* simulation);

// After the last step: the run is complete and can be written, drawn, plotted.
rblResult rbl_simulation_finish(rblSimulation* simulation);

static inline bool rbl_simulation_done(const rblSimulation* simulation)
{
    return simulation->step >= simulation->view.step_count;
}

#endif
