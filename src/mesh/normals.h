// Normals per corner, smooth across flat edges and split at creases.
#ifndef RBL_MESH_NORMALS_H
#define RBL_MESH_NORMALS_H

#include "mesh/mesh.h"

// Default crease angle: 40 degrees, in radians. Modelling tools use 30 to 45 degrees; with 40 a cylinder of ten sides is
// still shaded smooth.
#define RBL_DEFAULT_CREASE_ANGLE 0.6981317007977318

// One unit normal per corner, 3 floats each, into `out` (3 * corner_count). Around a vertex the normals of faces that
// are connected by edges with a dihedral angle of at most `crease_angle` (radians, 0 to pi) are averaged, weighted by
// the angle of each face at the vertex (Thuermer and Wuethrich 1998), so that the result does not depend on the division
// of a surface into faces. Boundary edges, edges of three or more faces and edges with inconsistent orientation are
// creases. Every mesh is accepted; a face without area gets the mean of its surroundings, or (0, 1, 0).
rblResult rbl_corner_normals(const rblMeshView* view, double crease_angle, const rblAllocator* allocator,
                             float* out);

// Add a normal layer to the mesh under construction, after the existing layers.
rblResult rbl_mesh_builder_add_normals(rblMeshBuilder* builder, double crease_angle);

#endif
