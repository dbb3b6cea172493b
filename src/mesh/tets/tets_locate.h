// Which tetrahedron a point is in.
#ifndef RBL_MESH_TETS_TETS_LOCATE_H
#define RBL_MESH_TETS_TETS_LOCATE_H

#include "mesh/tets/tets.h"

typedef struct rblLattice rblLattice;

// For any mesh: a hierarchy over the boxes of the tetrahedra.
rblResult rbl_tets_locator_over_boxes(const rblTetsView* view, const rblAllocator* allocator,
                                      rblTetsLocator** out);

// For a filled solid: the cube of the lattice that a point is in says where to begin, whatever the size of the mesh. `seeds` names
// for each tetrahedron of the lattice the first of the mesh that came of it, or RBL_NONE.
rblResult rbl_tets_locator_over_lattice(const rblLattice* lattice, rblVec3d center,
                                        const rblIndexArray* seeds, rblTetsLocator** out);

void rbl_tets_locator_free(rblTetsLocator* locator);

// A tetrahedron that holds the point, decided exactly, its border included; RBL_NONE when none does.
uint32_t rbl_tets_find(const rblTets* tets, rblVec3d point);

#endif
