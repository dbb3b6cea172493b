/// Linear elasticity on tetrahedra: deformation and stress of a solid under loads, and its vibration modes.
#ifndef RUBBLE_ELASTICITY_H
#define RUBBLE_ELASTICITY_H

#include "rubble/tetrahedra.h"
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

/// Handle to a prepared elastic solid. Zero is null; pass by value, compare, store.
typedef struct rblElasticId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< incremented when the slot is reused, so that stale ids are detected
} rblElasticId;

/// A symmetric tensor: stress in Pa, positive in tension.
typedef struct rblStress
{
    double xx, yy, zz, xy, yz, zx;
} rblStress;

/// A boundary condition: fixes or displaces a node of the mesh.
typedef struct rblElasticSupport
{
    uint32_t node;  ///< of the mesh
    uint32_t axes;  ///< bits: 1 x, 2 y, 4 z; the others stay free
    rblVec3d moved; ///< displacement along those axes, m; the others are not read
} rblElasticSupport;

/// How the equations are solved.
typedef enum rblElasticSolver
{
    RBL_ELASTIC_DIRECT,    ///< factorise once, then each load is cheap: for solids with many loads
    RBL_ELASTIC_ITERATIVE, ///< cheap to prepare, each load costs more: for fragments that are solved once
    RBL_ELASTIC_ROUNDED ///< factors in single precision, half the memory and half the time, unless rounding errors are too large: for tolerances of 1e-5 and above; no modes
} rblElasticSolver;

/// Definition of an elastic solid. Start from rbl_default_elastic_def() and change fields.
typedef struct rblElasticDef
{
    uint32_t struct_size;    ///< bytes of this struct; set by rbl_default_elastic_def()
    uint32_t cookie;         ///< set by rbl_default_elastic_def()
    rblTetsId tets;          ///< kept alive; the rim of a filled solid is not used
    double young;            ///< Pa
    double poisson;          ///< -1 to 0.5, both excluded
    double density;          ///< kg/m^3
    const double* stiffness; ///< null, or per tetrahedron of the mesh a factor of `young`
    const uint32_t* subset;  ///< null: the whole solid; or the tetrahedra to use, each once
    uint32_t subset_count;
    const rblElasticSupport* supports; ///< none: the solid is free
    uint32_t support_count;
    rblElasticSolver solver;
    double tolerance; ///< largest residual force relative to the loads; default 1e-9
} rblElasticDef;

/// Glass: 70 GPa, 0.22, 2500 kg/m^3; set `tets` yourself.
RBL_API void rbl_elastic_def_init(rblElasticDef* def, size_t size);
static inline rblElasticDef rbl_default_elastic_def(void)
{
    rblElasticDef def;
    rbl_elastic_def_init(&def, sizeof def);
    return def;
}

/// Prepare a solid. RBL_ERROR_ARGUMENT names an invalid material or support, RBL_ERROR_GEOMETRY a tetrahedron that is
/// listed twice. Tetrahedra are connected through faces: those that share only a node or an edge belong to different
/// parts, and each part without supports moves freely.
RBL_API rblResult rbl_elastic_create(const rblElasticDef* def, rblElasticId* out);

/// Destroy an elastic solid. The id is stale afterwards; views of it must no longer be used.
RBL_API rblResult rbl_elastic_destroy(rblElasticId elastic);

/// The number of elastic solids that exist: a leak check for tests.
RBL_API uint32_t rbl_elastic_alive_count(void);

/// The arrays of a prepared solid. Nodes and tetrahedra have new numbers, in the order of the mesh.
typedef struct rblElasticView
{
    uint32_t node_count;
    uint32_t tet_count;
    uint32_t part_count;        ///< connected through faces
    uint32_t free_mode_count;   ///< number of rigid motions: 6 per free part
    const uint32_t* mesh_nodes; ///< node_count; a mesh node at which two parts touch occurs once per part
    const uint32_t* mesh_tets;  ///< tet_count
    const uint32_t* nodes;      ///< 4 * tet_count, in this numbering
    const uint32_t* parts;      ///< node_count: index of the part
    const rblVec3d* positions;  ///< node_count, m
    const double* volumes;      ///< tet_count, m^3
    const double* masses;       ///< node_count, kg: lumped masses
    uint32_t surface_face_count;
    const uint32_t* surface; ///< 3 * surface_face_count nodes, counter-clockwise from outside
    size_t bytes;            ///< memory in total
    size_t factor_values;    ///< numbers in the factors; 0 without factors
} rblElasticView;

/// Read the arrays.
RBL_API rblResult rbl_elastic_view(rblElasticId elastic, rblElasticView* out);

/// An impact or a static load. The force over time is half a sine wave of the given duration. It is distributed over a
/// disc like Hertz' contact pressure: 3/2 of the mean in the middle, zero at the edge.
typedef struct rblElasticLoad
{
    rblVec3d point;  ///< on the surface; the closest surface point is used
    rblVec3d force;  ///< peak value, N; an impulse J over a duration t has the peak J pi / (2 t)
    double radius;   ///< of the disc, m; 0: a point
    double duration; ///< s; 0: static (only rbl_elastic_respond() reads it)
} rblElasticLoad;

/// Output arrays; null pointers are skipped.
typedef struct rblElasticFields
{
    rblVec3d* displacements;  ///< node_count, m; free parts have no mean translation or rotation
    rblStress* tet_stresses;  ///< tet_count, Pa
    rblStress* node_stresses; ///< node_count, Pa: fitted to the tetrahedra around the node, up to the surface
    double* tet_energies;     ///< tet_count, J
} rblElasticFields;

/// Summary of a solution.
typedef struct rblElasticReport
{
    double energy;       ///< elastic, J
    double largest;      ///< largest principal stress at the nodes, Pa; 0 without node_stresses
    uint32_t largest_at; ///< node, or RBL_NONE
    double residual;     ///< residual force relative to the loads
    uint32_t iterations; ///< iterations of the solver
} rblElasticReport;

/// The static response to loads that act together. A free part is accelerated as a rigid body; its inertial forces are
/// subtracted from the loads (inertia relief). `report` may be null. Runs in parallel, with the same bits for any number
/// of workers; several threads may use one solid at the same time.
RBL_API rblResult rbl_elastic_solve(rblElasticId elastic, const rblElasticLoad* loads, uint32_t load_count,
                                    const rblElasticFields* fields, rblElasticReport* report);

/// Stresses, energies and `largest` of given displacements.
RBL_API rblResult rbl_elastic_evaluate(rblElasticId elastic, const rblVec3d* displacements,
                                       const rblElasticFields* fields, rblElasticReport* report);

/// The nodal forces that rbl_elastic_solve() makes from loads, before inertia relief; node_count.
RBL_API rblResult rbl_elastic_forces(rblElasticId elastic, const rblElasticLoad* loads, uint32_t load_count,
                                     rblVec3d* out);

/// The static response to nodal forces.
RBL_API rblResult rbl_elastic_solve_forces(rblElasticId elastic, const rblVec3d* forces,
                                           const rblElasticFields* fields, rblElasticReport* report);

// ---- modes ----

/// The lowest `count` vibration modes: angular frequencies in rad/s, increasing, and mode shapes, `node_count` vectors
/// each, mass-normalised (kg^-1/2). Rigid motions are not included. Needs RBL_ELASTIC_DIRECT. RBL_ERROR_LIMIT: the
/// iteration did not converge.
RBL_API rblResult rbl_elastic_modes(rblElasticId elastic, uint32_t count, double* frequencies,
                                    rblVec3d* shapes);

/// Pass this as the time to get the time of the largest elastic energy.
#define RBL_ELASTIC_PEAK (-1.0)

/// The undamped response to impacts that all start at time 0, as a sum of modes: it projects the loads and solves no
/// system. Loads of duration 0 are static. `time` is in s; RBL_ELASTIC_PEAK is replaced by the time of the largest
/// energy. The displacements can be passed to rbl_elastic_evaluate(). They contain no rigid motion, and their accuracy
/// grows with the number of modes (docs/elasticity.md).
RBL_API rblResult rbl_elastic_respond(rblElasticId elastic, const double* frequencies, const rblVec3d* shapes,
                                      uint32_t mode_count, const rblElasticLoad* loads, uint32_t load_count,
                                      double* time, rblVec3d* displacements);

/// Principal stresses, decreasing, and their directions as columns; either output may be null. A null stress is that of a body at rest, 0.
RBL_API void rbl_stress_principal(const rblStress* stress, rblVec3d* values, rblMat3d* directions);

/// The largest principal stress only, several times faster. 0 for null.
RBL_API double rbl_stress_largest(const rblStress* stress);

RBL_EXTERN_C_END

#endif
