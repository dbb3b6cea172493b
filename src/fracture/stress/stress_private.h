// Internals of the stress breaker.
#ifndef RBL_FRACTURE_STRESS_STRESS_PRIVATE_H
#define RBL_FRACTURE_STRESS_STRESS_PRIVATE_H

#include "base/jobs.h"
#include "cut/tets/tets_cut.h"
#include "field/fragment/fragment_event.h"
#include "fracture/breaker_kinds.h"
#include "fracture/kit/kit.h"
#include "fracture/stress/cracks.h"
#include "fracture/stress/strength_field.h"

// Largest relative residual force of a solve. Single-precision factors reach 1e-3 in one step, with a relative error of the stress of 1e-5.
// Fragments use an iterative solver: a residual of 5e-3 gives errors of 2e-4 to 2.5e-3 of the largest stress (test_stress.c).
#define RBL_STRESS_TOLERANCE          1e-3
#define RBL_STRESS_FRAGMENT_TOLERANCE 5e-3

// Precomputed data of a solid; all its fragments share it. Immutable, except for the reference count.
typedef struct rblStressRoot
{
    const rblShape* shape;     // referenced; bodies of the same shape share the root
    rblMaterial material;      // of the body
    const rblBreaker* breaker; // referenced; its definition was used
    rblMeshId surface;         // an own handle
    rblMeshView surface_view;
    rblTetsId tets;
    rblTetsView view;
    rblBackground* background;
    rblTetsSurface* crossing; // which triangles of the surface are in which tetrahedra
    rblElasticId elastic;
    rblElasticView elastic_view;
    uint32_t mode_count; // 0: the stress of impacts is solved for
    double* frequencies; // rad/s
    rblVec3d* modes;     // mode_count times the nodes of the elastic solid
    rblTetGraph solid_graph, graph;
    double volume;     // m^3
    double* strength;  // per node
    double* toughness; // per node
    uint32_t references;
    struct rblStressRoot* next; // of all
    const rblAllocator* allocator;
} rblStressRoot;

// As rblBreakerKind.create and put_data, and as rblBreakerKindInternals (stress_kind.c).
rblResult rbl_stress_create(const void* def, const void* data, size_t size, rblBreakerDef* out);
rblResult rbl_stress_put_data(const void* context, rblByteSink* sink);
bool rbl_stress_find_origin(const rblFragmentEvent* event, rblEventOrigin* out);
rblResult rbl_stress_restore_event(const rblEventRestoreDef* def, rblFragmentEvent** out);

// A breaker of this kind.
typedef struct rblStressBreaker
{
    rblStressDef def; // without the path of a file
    rblStrengthField field;
    const rblBreaker* self; // itself, not referenced
    const rblAllocator* allocator;
} rblStressBreaker;

// The context of a breaker of this kind, else null.
const rblStressBreaker* rbl_stress_breaker(const rblBreaker* breaker);

// The root for a shape and a material; created if it does not exist. Refused: shapes without a surface, solids that cannot be filled.
rblResult rbl_stress_root_find(const rblStressBreaker* breaker, const rblShapeView* shape,
                               const rblMaterial* material, rblStressRoot** out);

// Whether a root is that of a material.
bool rbl_stress_root_fits(const rblStressRoot* root, const rblMaterial* material);

// The root of a fragment; null: none. Bodies, events and surfaces of fragments reference roots.
rblStressRoot* rbl_stress_root_of(const rblBackground* background);
void rbl_stress_root_retain(rblStressRoot* root);
void rbl_stress_root_release(rblStressRoot* root);

#define RBL_STRESS_MAX_LOADS 16u // the largest impacts of a step; further ones are ignored

// Impacts that act together.
typedef struct rblStressBlow
{
    rblElasticLoad
        loads[RBL_STRESS_MAX_LOADS];     // Hertz' largest force, on the patch that an impact of 1 m/s has
    double speeds[RBL_STRESS_MAX_LOADS]; // m/s, of each
    uint32_t count;
    double speed;  // m/s, of the hardest
    double energy; // J, of all; infinite: the forces are as given
} rblStressBlow;

// Evidence of a verdict: the stress of the impacts. The owner of the verdict owns it.
typedef struct rblStressEvidence
{
    const rblAllocator* allocator;
    size_t bytes; // of all of it
    rblStressBlow blow;
    double bending;   // J: elastic energy under Hertz' force, outside of the contacts
    double stiffness; // factor by which the stress at the nodes is too small
    double strain;    // the left side of the criterion for the solved stress
    double thickness; // m, of the body
    double scale;     // of the solved stress; included in `stress`
    double stronger;  // factor of the strength: where little is under tension there are few flaws
    rblCrackLoad loads[RBL_STRESS_MAX_LOADS];
    rblStress stress[]; // per node of the mesh; zero where the body is not
} rblStressEvidence;

// A body that may break: a root, or a fragment of it.
typedef struct rblStressBody
{
    rblStressRoot* root;
    const rblFragmentEvent* event; // null: the whole
    uint32_t label;
    rblElasticId elastic; // of a fragment, created at its first impact; null: none yet
    rblElasticView elastic_view;
    rblStressEvidence* scratch; // reused by decisions until one breaks the body; null: none yet
} rblStressBody;

// A solved elastic solid of a body.
typedef struct rblStressSolved
{
    const rblStressRoot* root;
    const rblElasticView* view;
    const rblStress* nodes; // per node of the elastic solid
    const rblStress* tets;  // per tetrahedron of it
} rblStressSolved;

// Stress at the nodes under a blow, in the axes of the shape; zero at nodes outside the body. `ratio`: above 1 the body breaks. All of `out`
// is set but its memory.
rblResult rbl_stress_solve(rblStressBody* body, const rblStressBlow* blow, rblStressEvidence* out,
                           double* ratio);

// Whether a solved solid breaks (stress_verdict.c): sets all of `out` but the stress.
rblResult rbl_stress_judge(const rblStressSolved* solved, const rblStressBlow* blow, rblStressEvidence* out,
                           double* ratio);

// The ratio for the same blow with speeds multiplied by `factor`, the scale of the solved stress then, and the loads for cracks.
double rbl_stress_at_speed(const rblStressEvidence* evidence, const rblMaterial* material, double factor,
                           double* scale, rblCrackLoad loads[RBL_STRESS_MAX_LOADS]);

// Evidence without content for a body; null when out of memory.
rblStressEvidence* rbl_stress_evidence_new(const rblStressBody* body);
void rbl_stress_evidence_free(rblStressEvidence* evidence);

// Modes of a root with its elastic solid, and the response to loads by modes, as rbl_elastic_solve() (stress_modes.c).
rblResult rbl_stress_find_modes(rblStressRoot* root, uint32_t wanted);
void rbl_stress_free_modes(rblStressRoot* root);
rblResult rbl_stress_sum_modes(const rblStressRoot* root, const rblElasticLoad* loads, uint32_t count,
                               const rblElasticFields* fields, rblElasticReport* report);

// Multiply stresses.
void rbl_stress_scale(rblStress* stress, uint32_t count, double factor);

// Whether a node belongs to the body.
bool rbl_stress_has_node(const rblStressBody* body, uint32_t node);

// An event on a root, of the whole or of a fragment; the root is kept for it.
rblResult rbl_stress_event_create(rblStressRoot* root, const rblFragmentEventDef* def,
                                  rblFragmentEvent** out);

#define RBL_STRESS_MAX_EVENTS 32u // of a chain: a fragment of this generation does not break

// Where a label has several pieces, all but one get new labels, up to `most` in total; nodes belong to the nearest piece. A label can
// have several pieces although its nodes are connected (stress_labels.c).
rblResult rbl_stress_split_labels(const rblStressRoot* root, const rblBreakage* breakage, uint32_t most,
                                  uint32_t* labels, uint32_t* count);

// As rblBreakerDef.shatter (stress_shatter.c).
rblResult rbl_stress_shatter(const rblStressDef* def, rblStressBody* prepared, const rblBreakBody* body,
                             const rblVerdict* verdict, rblJobs* jobs, rblFracture* out);

#endif
