// What the parts of `rubble bench world` share: scenes, engines put through them, and rows.
#ifndef RBL_BENCH_BENCH_WORLD_H
#define RBL_BENCH_BENCH_WORLD_H

#include "bench/bench_world_trial.h"
#include "bench/peer.h"
#include "rubble/world.h"

#define RBL_WORLD_PEERS 3 // Bullet, ODE, Bullet with meshes cut into convex parts

typedef struct rblWorldBench
{
    rblBench* bench;
    char folder[256]; // for the files that peers read and write
    char peers[256];  // that were found, a name a line
} rblWorldBench;

// Make the folder, which is to be removed when it is empty again, and find the peers.
rblResult rbl_world_bench_open(rblWorldBench* bench);

// ---- scenes ----

// A trial and the shapes that Rubble plays it with.
typedef struct rblWorldScene
{
    rblTrial trial;
    rblShapeId* shapes; // one for every shape of the trial
    bool sleeping;
} rblWorldScene;

// Earth's gravity, 30 steps a second, one thread, no sleeping.
rblWorldScene rbl_world_scene(double seconds);
void rbl_world_scene_free(rblWorldScene* scene);

// Add a shape; `out` is its number. A level set is made of `mesh`, which the caller keeps.
rblResult rbl_world_scene_plane(rblWorldScene* scene, uint32_t* out);
rblResult rbl_world_scene_box(rblWorldScene* scene, float x, float y, float z, uint32_t* out);
rblResult rbl_world_scene_ball(rblWorldScene* scene, float radius, uint32_t* out);
rblResult rbl_world_scene_capsule(rblWorldScene* scene, float radius, float height, uint32_t* out);
rblResult rbl_world_scene_hull(rblWorldScene* scene, const rblVec3* points, uint32_t count, uint32_t* out);
rblResult rbl_world_scene_level_set(rblWorldScene* scene, rblMeshId mesh, uint32_t* out);

// Ground of triangles, for static bodies.
rblResult rbl_world_scene_ground(rblWorldScene* scene, rblMeshId mesh, uint32_t* out);

// The same as a compound of at most so many convex hulls.
rblResult rbl_world_scene_parts(rblWorldScene* scene, rblMeshId mesh, uint32_t most, uint32_t* out);

// For peers alone: a floor at y = 0, a box, a ball, or the surface of any other shape.
rblResult rbl_world_scene_copy(rblWorldScene* scene, const rblShapeView* view, uint32_t* out);

// A body at rest that does not turn: density 1000, friction 0.5, no restitution.
rblTrialBody rbl_world_body(uint32_t shape, float x, float y, float z);
rblResult rbl_world_scene_join(rblWorldScene* scene, const rblTrialJoint* joint);
rblResult rbl_world_scene_add(rblWorldScene* scene, const rblTrialBody* body);

// The pile of stones of docs/benchmarks.md.
rblResult rbl_world_scene_pile(uint32_t count, uint32_t width, rblWorldScene* out);
double rbl_world_pile_half(uint32_t width); // half the distance between opposite walls

// Stones of sixteen points and 10 to 30 cm, all different, at random turns: `place` puts each.
typedef void rblWorldPlacer(uint32_t index, float position[3], const void* context);
rblResult rbl_world_scene_stones(rblWorldScene* scene, uint32_t count, rblWorldPlacer* place,
                                 const void* context);

// A floor and four walls, `half` from the middle.
rblResult rbl_world_scene_walls(rblWorldScene* scene, double half);

// A turn at random, as the pile has them, from the state of its numbers.
void rbl_world_random_turn(uint64_t* random, float out[4]);

// ---- runs ----

// What Rubble tells of itself after a step; the first entry is the start.
typedef struct rblWorldFacts
{
    rblProfile profile; // of the last repeat
    rblEnergy energy;
    rblCounters counters;
} rblWorldFacts;

typedef struct rblWorldRuns
{
    const rblWorldScene* scene;
    rblTrialRun ours;
    rblTrialRun theirs[RBL_WORLD_PEERS];
    bool ran[RBL_WORLD_PEERS];
    rblWorldFacts* facts; // one for every step of `ours`
    uint64_t hash;        // of Rubble's last state
} rblWorldRuns;

// Say which peers there are; notes those that are missing.
void rbl_world_find_peers(rblWorldBench* bench);

// Rubble alone, and every peer too where `peers` has its bit.
rblResult rbl_world_play(const rblWorldScene* scene, rblWorldRuns* out);
rblResult rbl_world_compare(rblWorldBench* bench, const char* subject, const rblWorldScene* scene,
                            uint32_t peers, rblWorldRuns* out);
// The peers alone, into `runs`.
rblResult rbl_world_ask_peers(rblWorldBench* bench, const char* subject, const rblTrial* trial,
                              uint32_t peers, rblWorldRuns* runs);
void rbl_world_runs_free(rblWorldRuns* runs);

#define RBL_WORLD_BULLET 1u
#define RBL_WORLD_ODE    2u
#define RBL_WORLD_ALL    3u
#define RBL_WORLD_PARTS  4u

// How bodies lie in each other in a frame: pairs that overlap, their depths in metres, and contacts less than a
// millimetre apart with and without the selection of contacts (only when they are to be counted too).
typedef struct rblWorldOverlap
{
    double pairs, mean, most;
    double selected, all;
} rblWorldOverlap;
rblResult rbl_world_overlap(const rblWorldScene* scene, const rblTrialState* states, bool count_contacts_too,
                            rblWorldOverlap* out);

// ---- rows ----

typedef double rblWorldFigureFcn(const rblWorldRuns* runs, const rblTrialRun* run, const void* context);

typedef struct rblWorldRow
{
    const char* subject;
    const char* metric;
    const char* unit;
    rblWorldFigureFcn* figure; // of any engine's run
    const void* context;
    const char* mark_by; // whose figure `mark` is (docs/benchmarks.md), null: nobody's
    double mark;
} rblWorldRow;

// One row for every engine that ran beside ours, or one without a peer.
void rbl_world_row(rblWorldBench* bench, const rblWorldRuns* runs, const rblWorldRow* row);

// A row of Rubble alone.
void rbl_world_fact(rblWorldBench* bench, const char* subject, const char* metric, double value,
                    const char* unit);

// Figures of piles.
double rbl_world_settled_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context);
double rbl_world_worst_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context);
double rbl_world_contacts(const rblWorldRuns* runs, const rblTrialRun* run, const void* context);
double rbl_world_escaped(const rblWorldRuns* runs, const rblTrialRun* run,
                         const void* context); // half the distance between the walls

// Mean and most overlap, for every engine, and what each stage of Rubble's steps takes.
rblResult rbl_world_overlap_rows(rblWorldBench* bench, const rblWorldRuns* runs, rblWorldRow row,
                                 const double marks[2]);
void rbl_world_stage_rows(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs);

// The rule of the house: E = kinetic + potential - work never rises by more than 1e-6 S in a step nor 1e-4 S in a run,
// where S is the run's largest kinetic energy and the span of its potential energy.
void rbl_world_energy_rows(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs);

// The parts.
rblResult rbl_bench_world_spin(rblWorldBench* bench);
rblResult rbl_bench_world_shards(rblWorldBench* bench);
rblResult rbl_bench_world_blocks(rblWorldBench* bench);
rblResult rbl_bench_world_collisions(rblWorldBench* bench);
rblResult rbl_bench_world_piles(rblWorldBench* bench);
rblResult rbl_bench_world_terrain(rblWorldBench* bench);
rblResult rbl_bench_world_compounds(rblWorldBench* bench);
rblResult rbl_bench_world_sleepers(rblWorldBench* bench);
rblResult rbl_bench_world_crowds(rblWorldBench* bench);
rblResult rbl_bench_world_fields(rblWorldBench* bench);
rblResult rbl_bench_world_joints(rblWorldBench* bench);
rblResult rbl_bench_world_threads(rblWorldBench* bench);

// A block at rest on a slope of ice, `run` metres of its lower rim above a rough floor that begins where the slope meets it.
typedef struct rblRunOut
{
    double angle;          // rad
    double run;            // m from the middle of its base down to the bend
    double length, height; // of the block
    double friction;       // of the floor
} rblRunOut;

// Where its centre comes to rest, m from the bend (bench_world_run_out.c).
double rbl_run_out(const rblRunOut* scene);

#endif
