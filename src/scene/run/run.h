// A run: the complete result of a simulation in memory. The structure is the same for a running simulation
// (scene/run/simulate.h) and for a recording (scene/record/recording.h), so that exporters and plots need not distinguish them.
//
// Readers use:
//   frames    for step 0 .. rbl_run_last_step(): for every body: rbl_run_state(run, body, step, &key); false: it does not exist
//   tracks    run->bodies.data[i].keys: the steps at which a body changed, and the last step before each change after a
//             rest, so that linear interpolation between keys is right; see rblRunBody
//   surfaces  run->shapes.data[i].surface (null for planes), or rbl_run_drawn_surface() with UVs and with a square for
//             planes
//   numbers   run->statistics.steps: counters, energies and milliseconds of every step; [0] is the start
//   events    run->statistics.events (spawns, joints that broke), run->contacts (begins, impacts, ends)
// Step s is at s * run->settings.step seconds. Metres, kilograms, seconds; right-handed, Y up.
#ifndef RBL_SCENE_RUN_RUN_H
#define RBL_SCENE_RUN_RUN_H

#include "base/arena.h"
#include "rubble/run.h"
#include "scene/run/statistics.h"

typedef RBL_ARRAY(rblRunKey) rblRunKeyArray;

typedef struct rblRunBody
{
    const char* name;    // unique
    uint32_t shape;      // index in rblRun.shapes
    uint32_t material;   // index in rblRun.materials
    uint32_t parent;     // body that it is a piece of; RBL_NONE: none
    rblBodyType type;    //
    float mass;          // kg; 0: static or kinematic
    uint32_t birth;      // first step at which it exists
    uint32_t death;      // first step at which it does not exist any more; RBL_NONE: never
    rblRunKeyArray keys; // rising steps; the first is at birth, the last at death or at the end of the run
} rblRunBody;

typedef RBL_ARRAY(rblRunShape) rblRunShapeArray;
typedef RBL_ARRAY(rblRunBody) rblRunBodyArray;
typedef RBL_ARRAY(rblRunContact) rblRunContactArray;
typedef RBL_ARRAY(rblSceneMaterial) rblRunMaterialArray;

typedef struct rblRun
{
    const rblAllocator* allocator;
    rblArena texts; // names and the text of the scene
    rblRunSettings settings;
    rblRunShapeArray shapes;
    rblRunMaterialArray materials;
    rblRunBodyArray bodies; // in the order of creation
    rblRunContactArray contacts;
    rblStatistics statistics;
    bool complete;        // false: the run was interrupted, or is still running
    float position_error; // m: bound of the error of positions; 0: exact
    float rotation_error; // the same for the components of quaternions
    bool has_velocities;  // false: velocities of keys are differences of poses
    uint32_t recording;   // version of the recording that it was read from; 0: none
    uint32_t physics;     // number of the physics of that recording
} rblRun;

void rbl_run_init(rblRun* run, const rblAllocator* allocator);
void rbl_run_free(rblRun* run);

// ---- reading ----

// The last step; 0 for a run without steps.
uint32_t rbl_run_last_step(const rblRun* run);

// The state of a body at a step. False: the body does not exist then.
bool rbl_run_state(const rblRun* run, uint32_t body, uint32_t step, rblRunKey* out);

// Whether the pose of a body never changes.
bool rbl_run_body_is_still(const rblRunBody* body);

// The number of bodies that each body touches at the end of a step, in `counts` (one per body of the run, initially zeros).
// Calls must have rising steps: `next` is initially 0 and advances over the counted contacts.
void rbl_run_touching(const rblRun* run, uint32_t step, size_t* next, uint32_t* counts);

// The surface of a shape for drawing: with UVs and, for planes, a large square. The caller destroys it.
rblResult rbl_run_drawn_surface(const rblRun* run, uint32_t shape, rblMeshId* out);

// ---- writing ----

// A copy of a text that lives as long as the run. Null when out of memory.
const char* rbl_run_text(rblRun* run, const char* text, size_t size);

// Set settings, shapes and materials from a prepared scene. Surfaces are shared with it.
rblResult rbl_run_begin(rblRun* run, rblSceneId scene);

// Add a shape, for example of a fragment. Names are copied, the surface is shared; null for planes.
rblResult rbl_run_add_shape(rblRun* run, const char* name, const char* source, const rblShapeView* view,
                            rblMeshId surface);

// Add a body that exists from `birth` on; the name is copied. Its first key must follow.
rblResult rbl_run_push_body(rblRun* run, const rblRunBody* body);

// Add a changed state of a body: `key` is valid from its step on. Steps must rise.
rblResult rbl_run_add_key(rblRun* run, uint32_t body, rblRunKey key);

// After the last step: complete the tracks up to the death of bodies or the end of the run. May be called again after more
// steps.
rblResult rbl_run_end_tracks(rblRun* run);

#endif
