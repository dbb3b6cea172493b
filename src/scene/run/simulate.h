// The simulation of a scene.
#ifndef RBL_SCENE_RUN_SIMULATE_H
#define RBL_SCENE_RUN_SIMULATE_H

#include "scene/record/recording.h"

// A body that is not in the scene: a fragment, or a body that the program added.
typedef struct rblRunPiece
{
    rblBodyId id;
    const char* name;
    uint32_t body;     // body of the scene that it descends from; RBL_NONE: the program added it
    uint32_t material; // index in the run
    uint32_t parent;   // body of the run that it is a piece of; RBL_NONE: not tracked
    uint32_t run_body; // index in the run; RBL_NONE: not added yet
} rblRunPiece;

typedef struct rblSimulation
{
    rblSceneId scene; // owned by the caller
    rblSceneView view;
    const rblAllocator* allocator;
    rblWorldId world;
    rblBodyId* bodies;             // by body of the scene; null ids: not in the world
    uint32_t* run_body;            // by body of the scene: index in the run; RBL_NONE: not added yet
    RBL_ARRAY(rblRunPiece) pieces; // in the order of creation
    rblIndexArray piece_of_slot;   // by body slot of the world: the last piece in it
    size_t new_pieces;             // pieces from this index on are not in the run yet
    RBL_ARRAY(rblShapeId) shapes;  // of pieces that a checkpoint restored
    uint32_t step;                 // number of steps done
    uint32_t next_event;
    bool keeps_motion;
    bool records;
    bool starts_anew; // the next frame must be full
    rblTracker tracker;
    rblRun
        run; // always with statistics; with bodies when motion is kept or recorded; with keys when it is kept
    rblRecordingWriter recording; // open while recording
} rblSimulation;

// Create the world and record its start. Motion is kept in memory only with `keeps_motion`. rbl_simulation_free() is required
// in any case.
rblResult rbl_simulation_start(rblSimulation* simulation, rblSceneId scene, bool keeps_motion);
void rbl_simulation_free(rblSimulation* simulation);

// Write a recording from now on (scene/record/recording.h), after rbl_simulation_start(). rbl_simulation_finish() completes it;
// until then, and when the simulation is freed without it, the file is PATH.part. A resumed simulation continues PATH.part or
// PATH, which must contain the earlier steps; steps after the checkpoint are written again.
rblResult rbl_simulation_record(rblSimulation* simulation, const char* path, bool quantise);

// Parts of rbl_simulation_start(), for checkpoints: tables; shapes and an empty world.
rblResult rbl_simulation_init(rblSimulation* simulation, rblSceneId scene, bool keeps_motion);
rblResult rbl_simulation_make_world(rblSimulation* simulation);

// Apply the events that are due, then make one step.
rblResult rbl_simulation_advance(rblSimulation* simulation);

// Report the bodies that broke in the step, and add their fragments to the pieces (simulate_births.c).
rblResult rbl_simulation_note_breaks(rblSimulation* simulation);

// Add a piece from a checkpoint. Names are copied.
rblResult rbl_simulation_remember_piece(rblSimulation* simulation, const rblRunPiece* piece);

// Add a body that the program created, such as a thrown ball, to the run as `name`. Texts are copied. The body has no breaker,
// and checkpoints do not contain it.
rblResult rbl_simulation_add_body(rblSimulation* simulation, rblBodyId id, const char* name,
                                  const rblSceneMaterial* material);

// Add existing new pieces to the run, with their shapes.
rblResult rbl_simulation_add_pieces(rblSimulation* simulation);

// The piece of a body of the world, or null; its index in the scene, or RBL_NONE.
const rblRunPiece* rbl_simulation_piece_of(const rblSimulation* simulation, rblBodyId body);
uint32_t rbl_simulation_scene_body_of(const rblSimulation* simulation, rblBodyId body);

// The name of a body of the world; empty when it has none.
const char* rbl_simulation_name_of(const rblSimulation* simulation, rblBodyId body);

// The piece with a name; the null id when there is none.
rblBodyId rbl_simulation_find_piece(const rblSimulation* simulation, const char* name);

// After the last step: complete the run, so that it can be exported, drawn and plotted.
rblResult rbl_simulation_finish(rblSimulation* simulation);

static inline bool rbl_simulation_done(const rblSimulation* simulation)
{
    return simulation->step >= simulation->view.step_count;
}

#endif
