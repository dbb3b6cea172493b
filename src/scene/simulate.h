// A scene on its way through time.
#ifndef RBL_SCENE_SIMULATE_H
#define RBL_SCENE_SIMULATE_H

#include "scene/animation.h"
#include "scene/statistics.h"

typedef struct rblSimulation
{
    rblSceneId scene; // the caller's
    rblSceneView view;
    const rblAllocator* allocator;
    rblWorldId world;
    rblBodyId* bodies; // by body of the scene; null ids: not there
    uint32_t step;     // steps done
    uint32_t next_event;
    bool animated;
    rblStatistics statistics;
    rblAnimation animation; // when animated
} rblSimulation;

// Build the world and record its start. Poses are kept only when `animated`. rbl_simulation_free() in any case.
rblResult rbl_simulation_start(rblSimulation* simulation, rblSceneId scene, bool animated);
void rbl_simulation_free(rblSimulation* simulation);

// The events that are due, then one step.
rblResult rbl_simulation_advance(rblSimulation* simulation);

static inline bool rbl_simulation_done(const rblSimulation* simulation)
{
    return simulation->step >= simulation->view.step_count;
}

#endif
