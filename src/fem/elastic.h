// Elastic solids inside the library: prepared once, never changed afterwards, used by any number of threads.
//
// Linear tetrahedra: displacements are linear in each, strain and stress constant. With gradients g_a of the shape
// functions and volume V the block of nodes a and b is
//   K_ab = V (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I).
#ifndef RBL_FEM_ELASTIC_H
#define RBL_FEM_ELASTIC_H

#include "fem/block_matrix.h"
#include "fem/cholesky.h"
#include "fem/coarse.h"
#include "mesh/tets/tets.h"
#include "rubble/elasticity.h"
#include <stdatomic.h>

// A rigid motion of a part: shift + turn x (x - centre of the part), normalised to unit mass.
typedef struct rblRigidMode
{
    uint32_t part;
    rblVec3d shift, turn;
} rblRigidMode;

// Sums over a part during the removal of rigid motion: force and moment, then the motion.
typedef struct rblRigidSum
{
    rblVec3d shift, turn;
} rblRigidSum;

// One part, connected through faces. Set by rbl_elastic_find_rigid_modes(), the shift by rbl_elastic_new().
typedef struct rblElasticPart
{
    rblVec3d centre; // of mass, m
    double mass;     // kg
    double shift;    // 1/s^2: factors are those of stiffness + shift * masses
    double radius;   // around the centre, m
    uint32_t first_mode, mode_count;
} rblElasticPart;

typedef struct rblElastic
{
    const rblAllocator* allocator;
    atomic_uint references;
    rblElasticSolver solver;
    double tolerance; // of the residual forces
    uint32_t max_iterations;
    double lambda, mu; // Lame's, of a tetrahedron with factor 1, Pa
    double density;

    // rbl_elastic_gather():
    rblIndexArray mesh_nodes, mesh_tets, nodes, node_parts, surface;
    rblIndexArray incident_starts, incident; // the tetrahedra of each node, increasing
    rblVec3dArray positions;
    RBL_ARRAY(rblElasticPart) parts;

    // rbl_elastic_assemble():
    rblDoubleArray volumes, masses;
    rblVec3dArray middles;  // centroids of the tetrahedra
    rblDoubleArray factors; // of lambda and mu, per tetrahedron
    rblVec3dArray
        gradients; // of the shape functions of the last three nodes; that of the first is minus their sum
    rblBlockMatrix stiffness;

    rblIndexArray fixed; // per node, bits of fixed axes; empty without supports
    rblVec3dArray moved; // per node, displacements of the supports
    RBL_ARRAY(rblRigidMode) modes;

    // rbl_elastic_prepare_recovery(): the stress of a node is a weighted sum over tetrahedra.
    rblIndexArray patch_starts, patch_tets;
    rblDoubleArray patch_weights;

    rblCholesky factor; // empty with RBL_ELASTIC_ITERATIVE
    rblCoarse coarse;   // empty with factors

    // rbl_elastic_pin(): with rounded factors, for a solid of one free part. The responses to the forces of the pins,
    // one per rigid mode.
    uint32_t pins[3];
    rblVec3d pin_forces[6][3];
    rblVec3dArray pin_answers; // empty: no pins
    rblElasticView view;
} rblElastic;

// Of `def` everything but the id of the tetrahedra is read.
rblResult rbl_elastic_new(const rblTetsView* tets, const rblElasticDef* def, rblJobs* jobs,
                          const rblAllocator* allocator, rblElastic** out);
void rbl_elastic_retain(rblElastic* elastic);
void rbl_elastic_release(rblElastic* elastic);

// ---- ids ----
rblResult rbl_elastic_register(rblElastic* elastic, rblElasticId* out);
rblResult rbl_elastic_acquire(rblElasticId id, rblElastic** out);

// ---- queries ----

// As the public calls with these names.
rblResult rbl_elastic_add_loads(const rblElastic* elastic, const rblElasticLoad* loads, uint32_t load_count,
                                rblVec3d* forces);
rblResult rbl_elastic_solve_nodes(const rblElastic* elastic, const rblVec3d* forces, rblJobs* jobs,
                                  const rblElasticFields* fields, rblElasticReport* report);
rblResult rbl_elastic_measure(const rblElastic* elastic, const rblVec3d* displacements, rblJobs* jobs,
                              const rblElasticFields* fields, rblElasticReport* report);

// Solve K x = forces, also for free parts. `forces` is changed: the part that accelerates free parts is removed. `x` has
// an initial guess when `warm`; the result has no rigid motion.
rblResult rbl_elastic_equilibrium(const rblElastic* elastic, rblVec3d* forces, bool warm, rblJobs* jobs,
                                  rblVec3d* x, rblElasticReport* report);

// Remove rigid motion from displacements: x - sum phi (phi . M x). From forces: f - sum M phi (phi . f). `sums` has one
// element per part.
void rbl_elastic_still(const rblElastic* elastic, rblVec3d* displacements, rblRigidSum* sums);
void rbl_elastic_relieve(const rblElastic* elastic, rblVec3d* forces, rblRigidSum* sums);

// Solve a test load at one of RBL_ELASTIC_TRIES nodes of the surface, in few iterations. `good`: the solution is in
// equilibrium.
#define RBL_ELASTIC_TRIES     4u
#define RBL_ELASTIC_MAX_TRIED 16u // iterations, at most
rblResult rbl_elastic_try(rblElastic* elastic, uint32_t number, rblVec3d* forces, rblJobs* jobs, rblVec3d* x,
                          rblElasticReport* report, bool* good);

// Pins for initial guesses: a guess is as good as a step of conjugate gradients, at half the cost (elastic_pins.c).
rblResult rbl_elastic_pin(rblElastic* elastic, rblJobs* jobs);
rblResult rbl_elastic_guess(const rblElastic* elastic, const rblVec3d* forces, rblVec3d* x);

// Set the components of fixed axes to zero.
void rbl_elastic_mask(const rblElastic* elastic, rblVec3d* x);

// ---- passes of rbl_elastic_new(), in this order; each fills the fields named after it ----
rblResult rbl_elastic_gather(rblElastic* elastic, const rblTetsView* tets, const rblElasticDef* def);
rblResult rbl_elastic_assemble(rblElastic* elastic, const rblElasticDef* def, rblJobs* jobs);
rblResult rbl_elastic_find_rigid_modes(rblElastic* elastic);
rblResult rbl_elastic_prepare_recovery(rblElastic* elastic, rblJobs* jobs);

#endif
