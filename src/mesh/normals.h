// Normals per corner, smooth across gentle edges and split at creases.
#ifndef RBL_MESH_NORMALS_H
#define RBL_MESH_NORMALS_H

#include "mesh/mesh.h"

// Keeps what is drawn round round and what is cut sharp sharp: 40 degrees in radians, the habit of modelling
// tools (30 to 45) seen from the round side, so that a cylinder of ten sides still shades smooth.
#define RBL_DEFAULT_CREASE_ANGLE 0.6981317007977318

// One unit normal per corner, 3 floats each, into `out` (3 * corner_count). Around a vertex the normals of
// faces that are joined by edges bent by at most `crease_angle` (radians, 0 to pi) are averaged, weighted by
// the angle each face takes up at the vertex (Thuermer and Wuethrich 1998), so that the way a surface is cut
// into faces does not show. Boundary edges, edges of three or more faces and edges across which orientation
// flips are creases. Any mesh will do; a face without area takes the mean of what surrounds it, or (0, 1, 0).
rblResult rbl_corner_normals(const rblMeshView* view, double crease_angle, const rblAllocator* allocator,
                             float* out);

// Give the mesh under construction a normal layer (a new one, after those it has).
rblResult rbl_mesh_builder_add_normals(rblMeshBuilder* builder, double crease_angle);

#endif
