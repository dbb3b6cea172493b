/// Linear elasticity on tetrahedra: how a solid deforms under blows, where it is stressed, and how it rings.
#ifndef RUBBLE_ELASTICITY_H
#define RUBBLE_ELASTICITY_H

#include "rubble/tetrahedra.h"
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

/// Handle to a prepared elastic solid. Zero is null; pass by value, compare, store.
typedef struct rblElasticId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< bumped when the slot is reused: stale ids are caught
} rblElasticId;

/// A symmetric tensor: stress in Pa, positive in tension.
typedef struct rblStress
{
    double xx, yy, zz, xy, yz, zx;
} rblStress;

/// Holds a node of the mesh in place, or moves it.
typedef struct rblElasticSupport
{
    uint32_t node;  ///< of the mesh
    uint32_t axes;  ///< bits: 1 x, 2 y, 4 z; the others stay free
    rblVec3d moved; ///< by how much along those axes, m; others are not read
} rblElasticSupport;

/// How equations are solved.
typedef enum rblElasticSolver
{
    RBL_ELASTIC_DIRECT,    ///< factors made once, then each load is cheap: for what is hit often
    RBL_ELASTIC_ITERATIVE, ///< little made, each load costs more: for fragments that are asked once
    RBL_ELASTIC_ROUNDED ///< factors in single precision, half as large and as slow, unless rounding spoils them: for tolerances of 1e-5 and above; no modes
} rblElasticSolver;

/// What an elastic solid is. Start from rbl_default_elastic_def() and change fields.
typedef struct rblElasticDef
{
    uint32_t struct_size;    ///< bytes of this struct; set by rbl_default_elastic_def()
    uint32_t cookie;         ///< set by rbl_default_elastic_def()
    rblTetsId tets;          ///< kept alive; of a filled solid the rim is left out
    double young;            ///< Pa
    double poisson;          ///< -1 to 0.5, both excluded
    double density;          ///< kg/m^3
    const double* stiffness; ///< null, or for each tetrahedron of the mesh a factor of `young`
    const uint32_t* subset;  ///< null: the solid; or the tetrahedra that count, each once
    uint32_t subset_count;
    const rblElasticSupport* supports; ///< none: the solid floats
    uint32_t support_count;
    rblElasticSolver solver;
    double tolerance; ///< of the forces that may be left over, relative to those given; default 1e-9
} rblElasticDef;

/// Glass: 70 GPa, 0.22, 2500 kg/m^3; the tetrahedra are for you to set.
RBL_API void rbl_elastic_def_init(rblElasticDef* def, size_t size);
static inline rblElasticDef rbl_default_elastic_def(void)
{
    rblElasticDef def;
    rbl_elastic_def_init(&def, sizeof def);
    return def;
}

/// Prepare a solid. RBL_ERROR_ARGUMENT names a material or support that makes no sense, RBL_ERROR_GEOMETRY a tetrahedron that is given
/// twice. Tetrahedra hang together through faces: those that share only a node or an edge are parts of their own, and floating
/// parts each move as they are pushed.
RBL_API rblResult rbl_elastic_create(const rblElasticDef* def, rblElasticId* out);

/// Destroy it. The id is stale afterwards; views of it must no longer be used.
RBL_API rblResult rbl_elastic_destroy(rblElasticId elastic);

/// How many are alive: a leak check for tests.
RBL_API uint32_t rbl_elastic_alive_count(void);

/// What was prepared. Nodes and tetrahedra are numbered anew, in the order of the mesh.
typedef struct rblElasticView
{
    uint32_t node_count;
    uint32_t tet_count;
    uint32_t part_count;      ///< connected through faces
    uint32_t free_mode_count; ///< ways in which parts can move without deforming: 6 for each that floats
    const uint32_t*
        mesh_nodes; ///< node_count; a node of the mesh at which two parts touch comes once for each
    const uint32_t* mesh_tets; ///< tet_count
    const uint32_t* nodes;     ///< 4 * tet_count, in this numbering
    const uint32_t* parts;     ///< node_count: which part
    const rblVec3d* positions; ///< node_count, m
    const double* volumes;     ///< tet_count, m^3
    const double* masses;      ///< node_count, kg: each node's share of its tetrahedra
    uint32_t surface_face_count;
    const uint32_t* surface; ///< 3 * surface_face_count nodes, counter-clockwise from outside
    size_t bytes;            ///< held in all
    size_t factor_values;    ///< numbers in the factors; 0 without
} rblElasticView;

/// Read it.
RBL_API rblResult rbl_elastic_view(rblElasticId elastic, rblElasticView* out);

/// A blow, or something that presses. The force rises and falls as half a sine over the duration, and is spread over a disc as
/// Hertz' pressure is: 3/2 of the mean in the middle, none at the edge.
typedef struct rblElasticLoad
{
    rblVec3d point;  ///< on the surface; the closest point of it is taken
    rblVec3d force;  ///< at its largest, N; an impulse J over t is J pi / (2 t)
    double radius;   ///< of the disc, m; 0: a point
    double duration; ///< s; 0: it rests there (only the response of modes reads it)
} rblElasticLoad;

/// Where results go; null pointers are skipped.
typedef struct rblElasticFields
{
    rblVec3d* displacements;  ///< node_count, m; floating parts neither shift nor turn on the mean
    rblStress* tet_stresses;  ///< tet_count, Pa
    rblStress* node_stresses; ///< node_count, Pa: fitted through the tetrahedra around, up to the surface
    double* tet_energies;     ///< tet_count, J
} rblElasticFields;

/// What a solution amounts to.
typedef struct rblElasticReport
{
    double energy;       ///< elastic, J
    double largest;      ///< of the principal stresses at the nodes, Pa; 0 without node_stresses
    uint32_t largest_at; ///< node, or RBL_NONE
    double residual;     ///< of the forces that are left over, relative to those given
    uint32_t iterations; ///< of the solver
} rblElasticReport;

/// How the solid stands under loads that act together and slowly. Floating parts are accelerated as a whole, and what that takes is
/// subtracted from the loads everywhere (inertia relief). `report` may be null. Works in parallel, with the same bits for any
/// number of workers; several threads may ask one solid.
RBL_API rblResult rbl_elastic_solve(rblElasticId elastic, const rblElasticLoad* loads, uint32_t load_count,
                                    const rblElasticFields* fields, rblElasticReport* report);

/// Stresses, energies and `largest` of displacements that came from elsewhere.
RBL_API rblResult rbl_elastic_evaluate(rblElasticId elastic, const rblVec3d* displacements,
                                       const rblElasticFields* fields, rblElasticReport* report);

/// Forces at the nodes as rbl_elastic_solve() makes them from loads, before anything is subtracted; node_count.
RBL_API rblResult rbl_elastic_forces(rblElasticId elastic, const rblElasticLoad* loads, uint32_t load_count,
                                     rblVec3d* out);

/// The same from forces at the nodes.
RBL_API rblResult rbl_elastic_solve_forces(rblElasticId elastic, const rblVec3d* forces,
                                           const rblElasticFields* fields, rblElasticReport* report);

// ---- modes ----

/// The lowest `count` ways in which the solid rings: frequencies in rad/s, rising, and shapes, `node_count` vectors each, of unit mass
/// (kg^-1/2). Rigid motions are not among them. Needs RBL_ELASTIC_DIRECT. RBL_ERROR_LIMIT: they were not found.
RBL_API rblResult rbl_elastic_modes(rblElasticId elastic, uint32_t count, double* frequencies,
                                    rblVec3d* shapes);

/// Pass this as the time to be told when the elastic energy is largest.
#define RBL_ELASTIC_PEAK (-1.0)

/// How the solid swings after blows that all begin at time 0, without damping, as a sum of modes: a projection of the loads and no solving.
/// Loads of no duration have been there forever. `time` in s, or RBL_ELASTIC_PEAK: then it is written there. Displacements can be
/// handed to rbl_elastic_evaluate(); without rigid motion, and as good as the modes are many (docs/elasticity.md).
RBL_API rblResult rbl_elastic_respond(rblElasticId elastic, const double* frequencies, const rblVec3d* shapes,
                                      uint32_t mode_count, const rblElasticLoad* loads, uint32_t load_count,
                                      double* time, rblVec3d* displacements);

/// Principal stresses, falling, and their directions as columns.
RBL_API void rbl_stress_principal(const rblStress* stress, rblVec3d* values, rblMat3d* directions);

/// The largest principal stress alone, several times faster.
RBL_API double rbl_stress_largest(const rblStress* stress);

RBL_EXTERN_C_END

#endif
