// A scene on its way through time.
#ifndef RBL_SCENE_RUN_SIMULATE_H
#define RBL_SCENE_RUN_SIMULATE_H

#include "scene/record/recording.h"

// A body that no scene knows: a fragment, or a guest.
typedef struct rblRunPiece
{
    rblBodyId id;
    const char* name;
    uint32_t body;     // of the scene: the one that it is a piece of a piece of; RBL_NONE: a guest
    uint32_t material; // of the run
    uint32_t parent;   // the body of the run that it is a piece of; RBL_NONE: none was kept
    uint32_t run_body; // RBL_NONE until it was there
} rblRunPiece;

typedef struct rblSimulation
{
    rblSceneId scene; // the caller's
    rblSceneView view;
    const rblAllocator* allocator;
    rblWorldId world;
    rblBodyId* bodies;             // by body of the scene; null ids: not there
    uint32_t* run_body;            // by body of the scene: that of the run, RBL_NONE until it was there
    RBL_ARRAY(rblRunPiece) pieces; // in order of birth
    rblIndexArray piece_of_slot;   // by body slot of the world: the piece that was last in it
    size_t new_pieces;             // pieces from here on are not in the run yet
    RBL_ARRAY(rblShapeId) shapes;  // of pieces that a checkpoint brought
    uint32_t step;                 // steps done
    uint32_t next_event;
    bool keeps_motion;
    bool records;
    bool starts_anew; // the next frame is to be full
    rblTracker tracker;
    rblRun run; // statistics always; bodies when their motion is kept or recorded, their keys when it is kept
    rblRecordingWriter recording; // while it records
} rblSimulation;

// Build the world and record its start. Motion is kept in memory only when `keeps_motion`. rbl_simulation_free() in any
// case.
rblResult rbl_simulation_start(rblSimulation* simulation, rblSceneId scene, bool keeps_motion);
void rbl_simulation_free(rblSimulation* simulation);

// Write a recording from here on (scene/record/recording.h), after rbl_simulation_start(); rbl_simulation_finish() completes it.
// Until then, and when the simulation is freed without it, the file is PATH.part. A simulation that was resumed goes on with
// PATH.part or PATH, which must hold the steps before; steps after the checkpoint are written anew.
rblResult rbl_simulation_record(rblSimulation* simulation, const char* path, bool quantise);

// The parts of rbl_simulation_start(), for those who start elsewhere than at the beginning: tables; shapes and an empty world.
rblResult rbl_simulation_init(rblSimulation* simulation, rblSceneId scene, bool keeps_motion);
rblResult rbl_simulation_make_world(rblSimulation* simulation);

// The events that are due, then one step.
rblResult rbl_simulation_advance(rblSimulation* simulation);

// Bodies that broke in the step: events, and their fragments among the pieces (simulate_births.c).
rblResult rbl_simulation_note_breaks(rblSimulation* simulation);

// A piece that was born before: by a checkpoint. Names are copied.
rblResult rbl_simulation_remember_piece(rblSimulation* simulation, const rblRunPiece* piece);

// A body of the world that somebody else made, such as a ball that was thrown, joins the run as `name`. Texts are copied. It has no
// breaker, and checkpoints do not have it.
rblResult rbl_simulation_add_body(rblSimulation* simulation, rblBodyId id, const char* name,
                                  const rblSceneMaterial* material);

// Pieces that are there and new, into the run, with their shapes.
rblResult rbl_simulation_add_pieces(rblSimulation* simulation);

// A body of the world among the pieces, null when it is none; and among the bodies of the scene, RBL_NONE when it is none.
const rblRunPiece* rbl_simulation_piece_of(const rblSimulation* simulation, rblBodyId body);
uint32_t rbl_simulation_scene_body_of(const rblSimulation* simulation, rblBodyId body);

// What a body of the world is called; empty when nobody knows it.
const char* rbl_simulation_name_of(const rblSimulation* simulation, rblBodyId body);

// The piece of a name; the null id when none has it.
rblBodyId rbl_simulation_find_piece(const rblSimulation* simulation, const char* name);

// After the last step: the run is complete and can be written, drawn, plotted.
rblResult rbl_simulation_finish(rblSimulation* simulation);

static inline bool rbl_simulation_done(const rblSimulation* simulation)
{
    return simulation->step >= simulation->view.step_count;
}

#endif
