// Shared by mesh.c, builder.c and registry.c; no other file writes to a mesh.
#ifndef RBL_MESH_MESH_PRIVATE_H
#define RBL_MESH_MESH_PRIVATE_H

#include "mesh/mesh.h"
#include <stdatomic.h>

struct rblMesh
{
    rblMeshBuilder storage; // the arrays of the builder
    rblLayer* layers;       // the layers of the view, one per layer of storage
    rblMeshView view;       // points into both
    atomic_uint references;
};

#endif
