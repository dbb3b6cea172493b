// Shared by the families of procedural solids; and the generators that tests and benchmarks call directly.
#ifndef RBL_MESH_SOLIDS_SOLIDS_H
#define RBL_MESH_SOLIDS_SOLIDS_H

#include "mesh/mesh.h"
#include "rubble/solids.h"

// Largest number of parameters of a kind of solid; the tables of kinds are checked against it.
#define RBL_SOLID_MAX_PARAMETERS 12

// Checked parameters of one call: every value exists, is finite, in range, and an integer where required.
typedef struct rblSolidInput
{
    const rblSolidKind* kind;
    double numbers[RBL_SOLID_MAX_PARAMETERS][3]; // by parameter; unused components are 0
    const double* list;                          // the list parameter, when the kind has one
    uint32_t list_pairs;
} rblSolidInput;

// The value of a parameter, which the kind must have.
double rbl_solid_number(const rblSolidInput* input, const char* name);
uint32_t rbl_solid_count(const rblSolidInput* input, const char* name);
rblVec3d rbl_solid_vector(const rblSolidInput* input, const char* name);

// Refuse a combination of values: RBL_ERROR_ARGUMENT with "KIND: why".
rblResult rbl_solid_refuse(const rblSolidInput* input, const char* why);

typedef rblResult rblSolidMaker(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out);

rblSolidMaker rbl_make_solid_box, rbl_make_solid_brick, rbl_make_solid_tile, rbl_make_solid_wall;
rblSolidMaker rbl_make_solid_sphere, rbl_make_solid_icosphere, rbl_make_solid_cylinder,
    rbl_make_solid_capsule;
rblSolidMaker rbl_make_solid_torus, rbl_make_solid_lathe, rbl_make_solid_plate, rbl_make_solid_bowl;
rblSolidMaker rbl_make_solid_piggybank, rbl_make_solid_statue;
rblSolidMaker rbl_make_solid_wineglass, rbl_make_solid_vase, rbl_make_solid_column, rbl_make_solid_rock;

// ---- building (solids_common.c) ----

// A polygon of existing vertices, attributes still zero.
void rbl_solid_face(rblMeshBuilder* builder, const uint32_t* vertices, uint32_t count);

// Twice the area times the unit normal of a finished face (Newell).
rblVec3d rbl_solid_face_normal(const rblMeshBuilder* builder, size_t face);

// Give the mesh under construction a UV layer by box projection: each face flat along the axis its normal is
// closest to, seen upright and not mirrored from outside, one texture unit to the largest extent of the whole
// mesh.
void rbl_solid_box_uvs(rblMeshBuilder* builder);

// Add normals and turn the builder into a mesh; the builder is empty afterwards, also on failure.
rblResult rbl_solid_finish(rblMeshBuilder* builder, double crease_angle, rblMesh** out);

// (cos, sin) of k full turns / n, with exact symmetries of the circle: quarter turns give exact zeros and ones.
typedef struct rblCirclePoint
{
    double c, s;
} rblCirclePoint;

rblCirclePoint rbl_circle_point(uint32_t k, uint32_t n);

// ---- generators ----

// The twenty faces of an icosahedron with a vertex at each pole, each split into frequency^2 triangles whose vertices
// are projected to the sphere: 20 F^2 triangles, 10 F^2 + 2 vertices. Frequency 1 to RBL_MAX_FREQUENCY.
#define RBL_MAX_FREQUENCY 512
rblResult rbl_make_icosphere(double radius, uint32_t frequency, const rblAllocator* allocator, rblMesh** out);

// The same, each vertex at distance radius_fcn(unit direction) from the centre; UVs by box projection.
typedef double rblRadiusFcn(rblVec3d direction, void* context);
rblResult rbl_make_star(uint32_t frequency, rblRadiusFcn* radius_fcn, void* context,
                        const rblAllocator* allocator, rblMesh** out);

rblResult rbl_make_box(rblVec3d size, const uint32_t segments[3], const rblAllocator* allocator,
                       rblMesh** out);

#endif
