// Mass properties of the solid inside a closed surface.
#ifndef RBL_MESH_MASS_H
#define RBL_MESH_MASS_H

#include "mesh/mesh.h"
#include "rubble/inspect.h"

// What rbl_mesh_mass_properties() does, for a mesh that has no id yet.
rblResult rbl_mass_properties(const rblMeshView* view, double density, const rblAllocator* allocator,
                              rblMassProperties* out);

#endif
