// Mass properties of the solid inside a closed surface.
#ifndef RBL_MESH_MASS_H
#define RBL_MESH_MASS_H

#include "mesh/mesh.h"
#include "rubble/inspect.h"

// rbl_mesh_mass_properties() on a view.
rblResult rbl_mass_properties(const rblMeshView* view, double density, const rblAllocator* allocator,
                              rblMassProperties* out);

#endif
