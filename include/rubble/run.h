/// Runs: a scene through time. A run is a simulation that goes on step by step, or a recording (.rbl) that was read; who looks at
/// it, exports it or draws it need not know which (docs/from-a-run.md). Calls on one run must not overlap.
#ifndef RUBBLE_RUN_H
#define RUBBLE_RUN_H

#include "rubble/progress.h"
#include "rubble/scene.h"
#include "rubble/statistics.h"

RBL_EXTERN_C_BEGIN

/// Handle to a run. Zero is null; pass by value, compare, store. Stale ids are caught.
typedef struct rblRunId
{
    uint32_t index1;
    uint32_t generation;
} rblRunId;

/// How to run a scene. Start from rbl_default_run_def() and change fields.
typedef struct rblRunDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_run_def()
    uint32_t cookie;      ///< set by rbl_default_run_def()
    bool keeps_motion; ///< keep the poses of every step in memory: exports and movies need them; default true
    bool keeps_contacts; ///< with the motion, the contacts that begin, end and have impacts; default true
    uint64_t
        motion_limit; ///< poses that are kept at most, 0: any number. The motion, and the statistics, end where it is reached
    const char* recording; ///< null, or a file to write while the run goes on; PATH.part until it is finished
    bool quantise;         ///< round the poses of the recording: less than half the size; default false
    /// Null, or a checkpoint to go on from, of the same scene and build. The motion is not kept then; a recording must hold the
    /// steps before, and goes on.
    const char* resume;
} rblRunDef;

/// The defaults named above.
RBL_API void rbl_run_def_init(rblRunDef* def, size_t size);
static inline rblRunDef rbl_default_run_def(void)
{
    rblRunDef def;
    rbl_run_def_init(&def, sizeof def);
    return def;
}

/// Prepare a scene and build its world; the run is at step 0. Null def: the defaults. The scene may be destroyed afterwards.
RBL_API rblResult rbl_run_create(rblSceneId scene, const rblRunDef* def, rblRunId* out);

/// End a run, with its world. A recording that was not finished stays PATH.part and can be read.
RBL_API rblResult rbl_run_destroy(rblRunId run);

// ---- going on ----

/// The events that are due, then one step. The planned end is no limit. Refused: recordings, runs that were finished.
RBL_API rblResult rbl_run_step(rblRunId run);

/// Step to the planned end of the scene, then finish. `progress` may be null. Cancelled, the run is where it was after the last
/// step and can go on.
RBL_API rblResult rbl_run_to_end(rblRunId run, const rblProgress* progress);

/// No more steps: the recording gets its name, and the run counts as complete. rbl_run_to_end() does it.
RBL_API rblResult rbl_run_finish(rblRunId run);

/// Write the state of a simulation to a file, whole or not at all: rblRunDef.resume goes on from it as if nothing had happened.
RBL_API rblResult rbl_run_save_checkpoint(rblRunId run, const char* path);

/// The world of a simulation, to be looked at and acted on between steps: RBL_ERROR_ARGUMENT for recordings. Bodies that you create
/// in it join the run with rbl_run_add_body().
RBL_API rblResult rbl_run_world(rblRunId run, rblWorldId* out);

/// A body of the world that you made, such as a ball that was thrown, joins the run from the next step on. Texts are copied.
/// Checkpoints do not have it. Refused: bodies that the run has, names that are taken.
RBL_API rblResult rbl_run_add_body(rblRunId run, rblBodyId body, const char* name,
                                   const rblSceneMaterial* material);

// ---- recordings ----

/// What a recording turned out to be.
typedef struct rblRecordingReport
{
    uint64_t size;     ///< of the file, bytes
    uint64_t used;     ///< bytes of the chunks that were taken
    uint32_t chunks;   ///< that were taken
    uint32_t version;  ///< of the format
    bool quantised;    ///< poses are rounded
    char problem[256]; ///< why reading stopped before the end, with the byte; empty: it did not
} rblRecordingReport;

/// Read a recording. Fails when the file cannot be read, is no recording, is of another version, or is damaged before its first
/// step. What is damaged or missing later ends the run there: `report` (may be null) then says what and at which byte, and all
/// before it is in the run.
RBL_API rblResult rbl_run_load(const char* path, rblRunId* out, rblRecordingReport* report);

/// The same from memory; `name` stands for the file in messages.
RBL_API rblResult rbl_run_load_memory(const void* bytes, size_t size, const char* name, rblRunId* out,
                                      rblRecordingReport* report);

/// What kind of recording a file is.
typedef enum rblRecordingKind
{
    RBL_RECORDING_NONE,       ///< no recording, or a file that cannot be read
    RBL_RECORDING_RUN,        ///< of a run
    RBL_RECORDING_CALLS,      ///< of calls on a world (rubble/recorder.h)
    RBL_RECORDING_CHECKPOINT, ///< no recording but the state of a run, for rblRunDef.resume
    RBL_RECORDING_KIND_COUNT
} rblRecordingKind;

/// By the first bytes of the file.
RBL_API rblRecordingKind rbl_recording_kind(const char* path);

/// What became of a replay.
typedef struct rblRunReplay
{
    uint32_t steps;            ///< that were made again
    bool same;                 ///< every one had the recorded hash
    uint32_t first_difference; ///< the first step that had another; RBL_NONE: none
    uint64_t expected, found;  ///< its hashes
    uint64_t hash;             ///< of the last step, as it is now
} rblRunReplay;

/// Run the scene of a recording again, in a world that is gone afterwards, and compare the hash of every step. Meshes come from
/// the recording, not from the files that its scene names. `progress` may be null.
RBL_API rblResult rbl_run_replay(rblRunId run, const rblProgress* progress, rblRunReplay* out);

// ---- looking ----

/// The state of a body from a step on.
typedef struct rblRunKey
{
    uint32_t step;
    rblTransform pose; ///< of the shape's origin; quaternions of neighbouring keys lie on one side
    rblVec3 velocity;  ///< of the centre of mass, m/s
    rblVec3 spin;      ///< rad/s, world axes
} rblRunKey;

/// One body of a run, and its motion.
typedef struct rblRunBodyView
{
    const char* name;   ///< unique
    uint32_t shape;     ///< in rblRunView.shapes
    uint32_t material;  ///< in rblRunView.materials
    uint32_t parent;    ///< the body that it is a fragment of; RBL_NONE: none
    rblBodyType type;   ///< at its birth
    float mass;         ///< kg; 0: static or kinematic
    uint32_t birth;     ///< the first step at which it is there
    uint32_t death;     ///< the first step at which it is gone; RBL_NONE: never
    uint32_t key_count; ///< 0 where the motion is not kept
    const rblRunKey*
        keys; ///< rising steps: where it changed, and the last step before each change after a rest
} rblRunBodyView;

/// One shape of a run.
typedef struct rblRunShape
{
    const char* name;
    const char* source;     ///< what the scene calls it: "box", "vase", "mesh", ...
    bool plane;             ///< a half space
    rblVec3 normal;         ///< of planes: unit, out of the solid
    rblMeshId surface;      ///< to draw; the run's own; null for planes
    rblMassProperties mass; ///< at density 1, in the shape's axes; zeros for planes
} rblRunShape;

/// A contact that began or ended, or an impact.
typedef struct rblRunContact
{
    uint32_t step;
    rblContactEventKind kind;
    uint32_t a, b;  ///< bodies of the run; RBL_NONE: no longer known
    rblVec3 point;  ///< of impacts, world
    rblVec3 normal; ///< of impacts, from a to b
    float impulse;  ///< of impacts, N s
    float speed;    ///< of impacts, m/s of approach
    float duration; ///< of impacts, s
} rblRunContact;

/// What a run was made with.
typedef struct rblRunSettings
{
    const char* name;    ///< of the scene's file
    const char* about;   ///< may be empty
    const char* version; ///< of the engine
    const char* text;    ///< the scene itself: JSON
    size_t text_size;
    uint64_t seed;
    double step;         ///< s
    uint32_t step_count; ///< as planned
    uint32_t substeps;
    bool sleeping;
    rblVec3 gravity; ///< m/s^2
    bool has_camera;
    rblSceneCamera camera;
} rblRunSettings;

/// All of a run as plain arrays. Valid until the next step, or until the run is destroyed.
typedef struct rblRunView
{
    rblRunSettings settings;
    bool simulated; ///< it can be stepped; false: a recording
    bool complete;  ///< false: it was stopped on the way, or is still going
    uint32_t step;  ///< steps done. Step s is at s * settings.step seconds
    uint64_t hash;  ///< of the last state
    uint32_t shape_count;
    const rblRunShape* shapes;
    uint32_t material_count;
    const rblSceneMaterial* materials;
    uint32_t
        body_count; ///< rbl_run_body() has them, in order of birth; 0 where neither motion nor a recording is kept
    uint32_t piece_count; ///< rbl_run_piece() has them: fragments, and bodies that joined
    size_t contact_count;
    const rblRunContact* contacts;
    size_t record_count;          ///< of steps: step + 1, fewer behind rblRunDef.motion_limit
    const rblStepRecord* records; ///< records[0] is the start
    size_t event_count;
    const rblEventRecord* events;
} rblRunView;

/// Look at it.
RBL_API rblResult rbl_run_view(rblRunId run, rblRunView* out);

/// One of its bodies.
RBL_API rblResult rbl_run_body(rblRunId run, uint32_t body, rblRunBodyView* out);

/// The state of a body at a step. Nothing found, as it is not there then: the step of `out` is RBL_NONE.
RBL_API rblResult rbl_run_body_state(rblRunId run, uint32_t body, uint32_t step, rblRunKey* out);

/// A surface as it is drawn: with UVs and, for planes, a square that is large for the scene. To be destroyed by the caller.
RBL_API rblResult rbl_run_surface(rblRunId run, uint32_t shape, rblMeshId* out);

/// The last step, also where the records ended earlier.
RBL_API rblResult rbl_run_last_record(rblRunId run, rblStepRecord* out);

/// The statistics of all steps in a few numbers.
RBL_API rblResult rbl_run_summary(rblRunId run, rblRunSummary* out);

/// Write the statistics as JSON (docs/scenes.md), whole or not at all.
RBL_API rblResult rbl_run_save_statistics(rblRunId run, const char* path);

// ---- bodies of the world ----

/// A body of the world of a simulation, as the run knows it.
typedef struct rblRunMember
{
    rblBodyId id;
    const char* name;
    uint32_t scene_body; ///< in rblSceneView.bodies: what it is, or is a fragment of; RBL_NONE: it joined
    uint32_t material;   ///< in rblRunView.materials
    bool piece;          ///< a fragment, or a body that joined
} rblRunMember;

/// Who a body of the world is. Nothing found, as the run does not know it: the id of `out` is null, its name empty.
RBL_API rblResult rbl_run_member(rblRunId run, rblBodyId body, rblRunMember* out);

/// One of the fragments and bodies that joined, in order of birth; its id is stale once it is gone.
RBL_API rblResult rbl_run_piece(rblRunId run, uint32_t piece, rblRunMember* out);

/// How many runs are alive: a leak check for tests.
RBL_API uint32_t rbl_run_alive_count(void);

RBL_EXTERN_C_END

#endif
