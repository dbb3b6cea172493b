// Volumes of the connected components of a mesh, and their nesting.
#ifndef RBL_MESH_COMPONENTS_H
#define RBL_MESH_COMPONENTS_H

#include "mesh/topology.h"
#include "mesh/triangle_set.h"

typedef struct rblComponents
{
    uint32_t count;
    uint32_t* labels;     // per face, from rbl_face_components()
    uint32_t* first_face; // per component
    uint32_t* next_face;  // per face: the next one of its component, RBL_NONE at the end
    double* volumes;      // per component, signed, m^3; filled by rbl_component_volumes()
    uint32_t face_count;
    const rblAllocator* allocator;
} rblComponents;

rblResult rbl_components_init(rblComponents* components, const rblTopology* topology);
void rbl_components_free(rblComponents* components);

// Signed volume of every component, about a point of its own; with `common` about one point for all, so that the sum is
// also valid for surfaces that are closed but not connected. Returns the sum.
double rbl_component_volumes(rblComponents* components, const rblTriangleSet* set, const rblVec3d* common);

// The winding number of all components except `which` around a point. Exact for closed components. False when the point
// lies on one of them.
bool rbl_component_winding_at(const rblComponents* components, const rblTriangleSet* set, uint32_t which,
                              rblVec3d point, int32_t* winding);

// The winding number of all other components around component `which`, at one of its vertices that lies on none of them:
// 1 for a cavity in a solid. Exact when they are closed and do not intersect it. 0 when every vertex that was tested
// touches another component.
int32_t rbl_component_winding(const rblComponents* components, const rblTriangleSet* set, uint32_t which);

#endif
