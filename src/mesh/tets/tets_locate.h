// Point location in a tetrahedral mesh.
#ifndef RBL_MESH_TETS_TETS_LOCATE_H
#define RBL_MESH_TETS_TETS_LOCATE_H

#include "mesh/tets/tets.h"

typedef struct rblLattice rblLattice;

// For any mesh: a BVH over the boxes of the tetrahedra.
rblResult rbl_tets_locator_over_boxes(const rblTetsView* view, const rblAllocator* allocator,
                                      rblTetsLocator** out);

// For a filled solid: the lattice cube of a point gives the start, at a cost independent of the size of the mesh.
// `seeds` has for each tetrahedron of the lattice the first tetrahedron of the mesh made from it, or RBL_NONE.
rblResult rbl_tets_locator_over_lattice(const rblLattice* lattice, rblVec3d center,
                                        const rblIndexArray* seeds, rblTetsLocator** out);

void rbl_tets_locator_free(rblTetsLocator* locator);

// A tetrahedron that contains the point, decided exactly, its boundary included; RBL_NONE when there is none.
uint32_t rbl_tets_find(const rblTets* tets, rblVec3d point);

#endif
