// What tets.c and tets_registry.c share; nobody else writes to a mesh of tetrahedra.
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
    rblTetsView view; // points into all of them
    atomic_uint references;
};

#endif
