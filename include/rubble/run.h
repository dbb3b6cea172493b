/// Runs: a scene over time. A run is either a simulation that is stepped, or a recording (.rbl) that was read. Views, exports and
/// movies work the same way for both (docs/from-a-run.md). Calls on one run must not overlap.
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

/// Definition of a run. Start from rbl_default_run_def() and change fields.
typedef struct rblRunDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_run_def()
    uint32_t cookie;      ///< set by rbl_default_run_def()
    bool keeps_motion; ///< keep the poses of every step in memory: exports and movies need them; default true
    bool keeps_contacts; ///< keep begins and ends of contacts, and impacts, with the motion; default true
    uint64_t
        motion_limit; ///< largest number of poses that are kept, 0: no limit. Motion and statistics end when it is reached
    const char*
        recording; ///< null, or a file that is written during the run; PATH.part until the run is finished
    bool quantise; ///< round the poses of the recording, which halves its size; default false
    /// Null, or a checkpoint of the same scene and build to resume from. The motion is not kept in this case. A recording must contain
    /// the steps before the checkpoint; it is continued.
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

/// Destroy a run and its world. A recording that was not finished stays as PATH.part and can be read.
RBL_API rblResult rbl_run_destroy(rblRunId run);

// ---- stepping ----

/// Apply the events that are due, then do one step. Steps after the planned end are allowed. Refused: recordings, finished runs.
RBL_API rblResult rbl_run_step(rblRunId run);

/// Step to the planned end of the scene, then finish. `progress` may be null. After a cancel the run is in the state of its last step
/// and can be continued.
RBL_API rblResult rbl_run_to_end(rblRunId run, const rblProgress* progress);

/// Finish a run: no more steps are allowed, the recording gets its final name, and the run is complete. rbl_run_to_end() calls it.
RBL_API rblResult rbl_run_finish(rblRunId run);

/// Write the state of a simulation to a file, atomically. A run with rblRunDef.resume continues from it with the same results.
RBL_API rblResult rbl_run_save_checkpoint(rblRunId run, const char* path);

/// The world of a simulation, which may be read and changed between steps. RBL_ERROR_ARGUMENT for recordings. Bodies that the caller
/// creates in it are added to the run by rbl_run_add_body().
RBL_API rblResult rbl_run_world(rblRunId run, rblWorldId* out);

/// Add a body that the caller created in the world, such as a thrown ball, to the run from the next step on. Texts are copied.
/// Checkpoints do not contain it. Refused: bodies that are in the run already, names that are taken.
RBL_API rblResult rbl_run_add_body(rblRunId run, rblBodyId body, const char* name,
                                   const rblSceneMaterial* material);

// ---- recordings ----

/// Report of reading a recording.
typedef struct rblRecordingReport
{
    uint64_t size;    ///< of the file, bytes
    uint64_t used;    ///< bytes of the chunks that were read
    uint32_t chunks;  ///< number of chunks that were read
    uint32_t version; ///< of the format
    bool quantised;   ///< poses are rounded
    char problem
        [256]; ///< why reading stopped before the end, with the byte offset; empty: it was read to the end
} rblRecordingReport;

/// Read a recording. Fails when the file cannot be read, is not a recording, has an unsupported version, or is damaged before its first
/// step. Later damage ends the run at that step: `report` (may be null) then gives the reason and the byte offset.
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

/// Determined by the first bytes of the file.
RBL_API rblRecordingKind rbl_recording_kind(const char* path);

/// Report of a replay.
typedef struct rblRunReplay
{
    uint32_t steps;            ///< that were repeated
    bool same;                 ///< all hashes equal the recorded ones
    uint32_t first_difference; ///< the first step with another hash; RBL_NONE: none
    uint64_t expected, found;  ///< its hashes
    uint64_t hash;             ///< of the last step of the replay
    char problem[96]; ///< why hashes may differ: the recording is of another version; empty otherwise
} rblRunReplay;

/// Run the scene of a recording again in a temporary world, and compare the hash of every step. Meshes come from the recording, not from
/// the files that its scene names. `progress` may be null.
RBL_API rblResult rbl_run_replay(rblRunId run, const rblProgress* progress, rblRunReplay* out);

// ---- views ----

/// The state of a body from a step on.
typedef struct rblRunKey
{
    uint32_t step;
    rblTransform pose; ///< of the shape's origin; quaternions of consecutive keys are in one hemisphere
    rblVec3 velocity;  ///< of the centre of mass, m/s
    rblVec3 spin;      ///< rad/s, world axes
} rblRunKey;

/// One body of a run, and its motion.
typedef struct rblRunBodyView
{
    const char* name;   ///< unique
    uint32_t shape;     ///< index in rblRunView.shapes
    uint32_t material;  ///< index in rblRunView.materials
    uint32_t parent;    ///< the body that broke into this one; RBL_NONE: none
    rblBodyType type;   ///< at the start of its life
    float mass;         ///< kg; 0: static or kinematic
    uint32_t birth;     ///< first step at which it exists
    uint32_t death;     ///< first step at which it no longer exists; RBL_NONE: never
    uint32_t key_count; ///< 0 where the motion is not kept
    const rblRunKey*
        keys; ///< sorted by step: each change, and the last step before a change that follows a rest
} rblRunBodyView;

/// One shape of a run.
typedef struct rblRunShape
{
    const char* name;
    const char* source;     ///< kind of shape in the scene: "box", "vase", "mesh", ...
    bool plane;             ///< a half space
    rblVec3 normal;         ///< of planes: unit, outward
    rblMeshId surface;      ///< for drawing; belongs to the run; null for planes
    rblMassProperties mass; ///< at density 1, in the shape's axes; zeros for planes
} rblRunShape;

/// A contact that began or ended, or an impact.
typedef struct rblRunContact
{
    uint32_t step;
    rblContactEventKind kind;
    uint32_t a, b;  ///< indices of bodies; RBL_NONE: unknown
    rblVec3 point;  ///< of impacts, world
    rblVec3 normal; ///< of impacts, from a to b
    float impulse;  ///< of impacts, N s
    float speed;    ///< of impacts, approach speed, m/s
    float duration; ///< of impacts, s
} rblRunContact;

/// The settings of a run.
typedef struct rblRunSettings
{
    const char* name;    ///< of the scene's file
    const char* about;   ///< may be empty
    const char* version; ///< of the engine
    const char* text;    ///< the scene itself: JSON
    size_t text_size;
    uint64_t seed;
    double step;         ///< s
    uint32_t step_count; ///< planned number of steps
    uint32_t substeps;
    bool sleeping;
    rblVec3 gravity; ///< m/s^2
    bool has_camera;
    rblSceneCamera camera;
} rblRunSettings;

/// A run as plain arrays. Valid until the next step, or until the run is destroyed.
typedef struct rblRunView
{
    rblRunSettings settings;
    bool simulated; ///< true: a simulation; false: a recording
    bool complete;  ///< false: not finished
    uint32_t step;  ///< number of steps done. Step s is at the time s * settings.step
    uint64_t hash;  ///< of the last state
    uint32_t shape_count;
    const rblRunShape* shapes;
    uint32_t material_count;
    const rblSceneMaterial* materials;
    uint32_t
        body_count; ///< of rbl_run_body(), in order of creation; 0 when neither motion nor a recording is kept
    uint32_t piece_count; ///< of rbl_run_piece(): fragments and added bodies
    size_t contact_count;
    const rblRunContact* contacts;
    size_t record_count;          ///< number of records: step + 1, fewer after rblRunDef.motion_limit
    const rblStepRecord* records; ///< records[0] is the initial state
    size_t event_count;
    const rblEventRecord* events;
} rblRunView;

/// Read a run.
RBL_API rblResult rbl_run_view(rblRunId run, rblRunView* out);

/// Read a body of a run.
RBL_API rblResult rbl_run_body(rblRunId run, uint32_t body, rblRunBodyView* out);

/// The state of a body at a step. Nothing found, as it is not there then: the step of `out` is RBL_NONE.
RBL_API rblResult rbl_run_body_state(rblRunId run, uint32_t body, uint32_t step, rblRunKey* out);

/// A surface for drawing, with UVs; planes are large squares. The caller destroys it.
RBL_API rblResult rbl_run_surface(rblRunId run, uint32_t shape, rblMeshId* out);

/// The record of the last step, even if the list of records ends before it.
RBL_API rblResult rbl_run_last_record(rblRunId run, rblStepRecord* out);

/// Summarise the statistics of all steps.
RBL_API rblResult rbl_run_summary(rblRunId run, rblRunSummary* out);

/// Write the statistics as JSON (docs/scenes.md), atomically.
RBL_API rblResult rbl_run_save_statistics(rblRunId run, const char* path);

// ---- bodies of the world ----

/// A body of the world of a simulation with its data in the run.
typedef struct rblRunMember
{
    rblBodyId id;
    const char* name;
    uint32_t
        scene_body; ///< index in rblSceneView.bodies of the body or its unbroken ancestor; RBL_NONE: added body
    uint32_t material; ///< index in rblRunView.materials
    bool piece;        ///< a fragment or an added body
} rblRunMember;

/// Who a body of the world is. Nothing found, as the run does not know it: the id of `out` is null, its name empty.
RBL_API rblResult rbl_run_member(rblRunId run, rblBodyId body, rblRunMember* out);

/// Read one of the fragments and added bodies, in order of creation; the id is stale when the body no longer exists.
RBL_API rblResult rbl_run_piece(rblRunId run, uint32_t piece, rblRunMember* out);

/// The number of runs that exist: a leak check for tests.
RBL_API uint32_t rbl_run_alive_count(void);

RBL_EXTERN_C_END

#endif
