// Isosurfaces of scalar fields, for callers inside the library.
#ifndef RBL_MESH_ISOSURFACE_ISOSURFACE_H
#define RBL_MESH_ISOSURFACE_ISOSURFACE_H

#include "mesh/mesh.h"
#include "rubble/isosurface.h"

// rbl_mesh_isosurface() without an id.
rblResult rbl_isosurface(const rblIsosurfaceDef* def, const rblAllocator* allocator, rblMesh** out);

#endif
