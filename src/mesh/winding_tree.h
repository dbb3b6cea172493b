// A tree of boxes over plain triangles that tells how often they wind round a point and which of them is
// closest. Read-only once built: any number of threads may ask. The bvh room is to take its place.
#ifndef RBL_MESH_WINDING_TREE_H
#define RBL_MESH_WINDING_TREE_H

#include "base/memory.h"
#include "rubble/math.h"
#include "rubble/result.h"

typedef struct rblWindingNode rblWindingNode;

typedef struct rblWindingTree
{
    const rblVec3d* points; // three per triangle; not owned
    uint32_t count;
    uint32_t* order; // triangles along a Morton curve
    rblWindingNode* nodes;
    uint32_t node_count, node_capacity;
    const rblAllocator* allocator;
} rblWindingTree;

// `points` holds 3 * count finite positions, count > 0, and must stay as long as the tree.
rblResult rbl_winding_tree_init(rblWindingTree* tree, const rblVec3d* points, uint32_t count,
                                const rblAllocator* allocator);
void rbl_winding_tree_free(rblWindingTree* tree);

// How often the surface winds round p: 1 inside a closed one that is oriented outward, 0 outside, fractions
// near gaps. Triangles far off are taken together (Barill et al. 2018): right to within a tenth.
double rbl_winding_tree_number(const rblWindingTree* tree, rblVec3d p);

// The closest triangle (of several the first along the curve), and the weights of its corners in the closest
// point.
uint32_t rbl_winding_tree_closest(const rblWindingTree* tree, rblVec3d p, double weights[3]);

// The weights of the corners of one triangle in its point closest to p.
void rbl_closest_weights(const rblVec3d triangle[3], rblVec3d p, double weights[3]);

static inline rblVec3d rbl_weighted_point(const rblVec3d t[3], const double weights[3])
{
    return (rblVec3d){weights[0] * t[0].x + weights[1] * t[1].x + weights[2] * t[2].x,
                      weights[0] * t[0].y + weights[1] * t[1].y + weights[2] * t[2].y,
                      weights[0] * t[0].z + weights[1] * t[1].z + weights[2] * t[2].z};
}

#endif
