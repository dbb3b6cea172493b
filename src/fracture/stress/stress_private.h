// The stress breaker, from inside.
#ifndef RBL_FRACTURE_STRESS_STRESS_PRIVATE_H
#define RBL_FRACTURE_STRESS_STRESS_PRIVATE_H

#include "base/jobs.h"
#include "cut/tets/tets_cut.h"
#include "field/fragment/fragment_event.h"
#include "fracture/breaker_kinds.h"
#include "fracture/kit/kit.h"
#include "fracture/stress/cracks.h"
#include "fracture/stress/strength_field.h"

// Of forces that are left over, relative. Rounded factors reach that in one step, and stress is right to a part in 10^5 then. Stress in
// fragments is found step by step: with 5e-3 left over it is off by 2e-4 to 2.5e-3 of the largest (test_stress.c).
#define RBL_STRESS_TOLERANCE          1e-3
#define RBL_STRESS_FRAGMENT_TOLERANCE 5e-3

// What is known of a solid before it breaks; its fragments, and theirs, go on with it. Never changed once made, but for the count.
typedef struct rblStressRoot
{
    const rblShape* shape;     // that it was made for, held: others of that shape share the root
    rblMaterial material;      // by which it was made,
    const rblBreaker* breaker; // held: and by whose definition
    rblMeshId surface;         // a handle of its own
    rblMeshView surface_view;
    rblTetsId tets;
    rblTetsView view;
    rblBackground* background;
    rblTetsSurface* crossing; // which triangles of the surface are in which tetrahedra
    rblElasticId elastic;
    rblElasticView elastic_view;
    uint32_t mode_count; // 0: blows are solved for
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

// What is behind a breaker of this kind, else null.
const rblStressBreaker* rbl_stress_breaker(const rblBreaker* breaker);

// The root for a shape and a material, made now unless there is one. Refused: shapes without a surface, solids that cannot be filled.
rblResult rbl_stress_root_find(const rblStressBreaker* breaker, const rblShapeView* shape,
                               const rblMaterial* material, rblStressRoot** out);

// Whether a root is that of a material.
bool rbl_stress_root_fits(const rblStressRoot* root, const rblMaterial* material);

// The root on which a fragment lies; null when there is none such. Bodies, events and what fragments are drawn from keep roots alive.
rblStressRoot* rbl_stress_root_of(const rblBackground* background);
void rbl_stress_root_retain(rblStressRoot* root);
void rbl_stress_root_release(rblStressRoot* root);

// What a decision leaves to the break that follows from it: the stress of the impacts. Belongs to whoever has the verdict.
typedef struct rblStressEvidence
{
    const rblAllocator* allocator;
    size_t bytes;       // of all of it
    rblStress stress[]; // per node of the mesh; zero where the body is not
} rblStressEvidence;

// What breaks: a root, or a fragment of it.
typedef struct rblStressBody
{
    rblStressRoot* root;
    const rblFragmentEvent* event; // null: the whole
    uint32_t label;
    rblElasticId elastic; // of a fragment that has been hit; null: none yet
    rblElasticView elastic_view;
    rblStressEvidence* scratch; // of decisions, until one says that the body breaks; null: none is needed yet
} rblStressBody;

// Stress at the nodes under loads that act together, in the axes of the shape; nodes outside the body are not written.
rblResult rbl_stress_solve(rblStressBody* body, const rblElasticLoad* loads, uint32_t count, rblStress* out,
                           double* energy);

#define RBL_STRESS_MAX_LOADS 16u // the hardest blows of a step; more at once are hardly more

// Modes of a root that has its elastic solid, and what they say of blows: as rbl_elastic_solve() (stress_modes.c).
rblResult rbl_stress_find_modes(rblStressRoot* root, uint32_t wanted);
void rbl_stress_free_modes(rblStressRoot* root);
rblResult rbl_stress_sum_modes(const rblStressRoot* root, const rblElasticLoad* loads, uint32_t count,
                               const rblElasticFields* fields, rblElasticReport* report);

// How many times as strong as the whole a body of that volume is (Weibull 1939).
double rbl_stress_stronger(const rblStressBody* body, double volume);

// The largest principal stress by strength over the nodes of a body, were it as strong as the whole.
double rbl_stress_worst_ratio(const rblStressBody* body, const rblStress* stress);

// Elastic energy of the stress at its nodes, J.
double rbl_stress_energy(const rblStressBody* body, const rblStress* stress);

// Multiply stresses.
void rbl_stress_scale(rblStress* stress, uint32_t count, double factor);

// Whether a node belongs to the body.
bool rbl_stress_has_node(const rblStressBody* body, uint32_t node);

// An event on a root, of the whole or of a fragment; the root is kept for it.
rblResult rbl_stress_event_create(rblStressRoot* root, const rblFragmentEventDef* def,
                                  rblFragmentEvent** out);

#define RBL_STRESS_MAX_EVENTS 32u // of a chain: what broke that often is dust

// Where labels left several pieces, all but one of them get labels of their own, up to `most` in all: nodes go with the piece that is
// nearest. What the surface leaves of a label is not always one piece although its nodes hang together (stress_labels.c).
rblResult rbl_stress_split_labels(const rblStressRoot* root, const rblBreakage* breakage, uint32_t most,
                                  uint32_t* labels, uint32_t* count);

// As rblBreakerDef.shatter (stress_shatter.c).
rblResult rbl_stress_shatter(const rblStressDef* def, rblStressBody* prepared, const rblBreakBody* body,
                             const rblVerdict* verdict, rblJobs* jobs, rblFracture* out);

#endif
