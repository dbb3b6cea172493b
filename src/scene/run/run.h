// A run: everything that a simulation left to be looked at, in memory. One structure whether it comes from a simulation
// that is under way (scene/run/simulate.h) or from a recording (scene/record/recording.h), so that whoever writes, draws or plots it
// need not know which.
//
// What consumers call:
//   frames    for step 0 .. rbl_run_last_step(): for every body: rbl_run_state(run, body, step, &key), false: not there
//   tracks    run->bodies.data[i].keys: the steps at which a body changed, and the last step before each change after a
//             rest, so that straight lines between keys are right; see rblRunBody
//   surfaces  run->shapes.data[i].surface as it is (null for planes), or rbl_run_drawn_surface() with UVs and with a
//             square for planes
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
    uint32_t shape;      // in rblRun.shapes
    uint32_t material;   // in rblRun.materials
    uint32_t parent;     // the body that it is a piece of; RBL_NONE: none
    rblBodyType type;    //
    float mass;          // kg; 0: static or kinematic
    uint32_t birth;      // the first step at which it is there
    uint32_t death;      // the first step at which it is gone; RBL_NONE: never
    rblRunKeyArray keys; // rising steps; the first is at birth, the last at the end of its life or of the run
} rblRunBody;

typedef RBL_ARRAY(rblRunShape) rblRunShapeArray;
typedef RBL_ARRAY(rblRunBody) rblRunBodyArray;
typedef RBL_ARRAY(rblRunContact) rblRunContactArray;
typedef RBL_ARRAY(rblSceneMaterial) rblRunMaterialArray;

typedef struct rblRun
{
    const rblAllocator* allocator;
    rblArena texts; // names and the scene
    rblRunSettings settings;
    rblRunShapeArray shapes;
    rblRunMaterialArray materials;
    rblRunBodyArray bodies; // in order of birth
    rblRunContactArray contacts;
    rblStatistics statistics;
    bool complete;        // false: it was stopped on the way, or is still going
    float position_error; // m: how far poses may be off; 0: exact
    float rotation_error; // the same for the components of quaternions
    bool has_velocities;  // false: those of keys are differences of poses
} rblRun;

void rbl_run_init(rblRun* run, const rblAllocator* allocator);
void rbl_run_free(rblRun* run);

// ---- looking ----

// The last step that is there. A run without any step has none: 0.
uint32_t rbl_run_last_step(const rblRun* run);

// The state of a body at a step. False: it is not there then.
bool rbl_run_state(const rblRun* run, uint32_t body, uint32_t step, rblRunKey* out);

// True when the pose never changes in the body's life.
bool rbl_run_body_is_still(const rblRunBody* body);

// How many bodies each body touches at the end of a step, into `counts` (one per body of the run, zeros at first). For rising
// steps: `next` is 0 at first and is moved past the contacts that are counted.
void rbl_run_touching(const rblRun* run, uint32_t step, size_t* next, uint32_t* counts);

// A shape's surface as it is drawn: with UVs and, for planes, a square that is large for the scene. To be destroyed by the
// caller.
rblResult rbl_run_drawn_surface(const rblRun* run, uint32_t shape, rblMeshId* out);

// ---- filling ----

// A copy of a text that lives as long as the run. Null when out of memory.
const char* rbl_run_text(rblRun* run, const char* text, size_t size);

// Settings, shapes and materials of a prepared scene. Surfaces are shared with it, not copied.
rblResult rbl_run_begin(rblRun* run, rblSceneId scene);

// A shape, as a body that breaks on the way needs it. Names are copied, the surface is shared; null for planes.
rblResult rbl_run_add_shape(rblRun* run, const char* name, const char* source, const rblShapeView* view,
                            rblMeshId surface);

// A body that is there from `birth` on; the name is copied. Its first key is to follow.
rblResult rbl_run_push_body(rblRun* run, const rblRunBody* body);

// The state of a body changed: `key` holds from its step on. Steps rise.
rblResult rbl_run_add_key(rblRun* run, uint32_t body, rblRunKey key);

// After the last step: tracks end where lives or the run do. May be called again after more steps.
rblResult rbl_run_end_tracks(rblRun* run);

#endif
