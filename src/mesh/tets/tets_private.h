// Shared by tets.c and tets_registry.c; no other file writes to a tetrahedral mesh.
#ifndef RBL_MESH_TETS_TETS_PRIVATE_H
#define RBL_MESH_TETS_TETS_PRIVATE_H

#include "mesh/tets/tets.h"
#include <stdatomic.h>

struct rblTets
{
    const rblAllocator* allocator;
    rblTetsParts parts;
    rblIndexArray neighbors;
    rblTetsLocator* locator;
    rblTetsView view; // pointers to these arrays
    atomic_uint references;
};

#endif
