// What mesh.c, builder.c and registry.c share; nobody else writes to a mesh.
#ifndef RBL_MESH_MESH_PRIVATE_H
#define RBL_MESH_MESH_PRIVATE_H

#include "mesh/mesh.h"
#include <stdatomic.h>

struct rblMesh
{
    rblMeshBuilder storage; // the builder's arrays, as they were filled
    rblLayer* layers;       // the view's layers, one per layer of storage
    rblMeshView view;       // points into both
    atomic_uint references;
};

#endif
