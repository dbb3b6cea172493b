// The object that an rblBvhId refers to: a forest with its moments, and the count of running queries.
#ifndef RBL_BVH_HIERARCHY_H
#define RBL_BVH_HIERARCHY_H

#include "bvh/query/signed_distance.h"

typedef struct rblHierarchy
{
    rblForest forest;
    rblBvh* trees; // views of the trees of the forest, `tree_count`
    uint32_t tree_count;
    rblWinding* windings; // per tree, or null
    uint32_t winding_count;
    uint32_t users; // running queries; protected by the lock of the registry, as are the fields below
    bool changing;  // a rebuild or refit is running
    bool abandoned; // the id was destroyed: the last user frees the object
} rblHierarchy;

rblHierarchy* rbl_hierarchy_new(const rblAllocator* allocator);
void rbl_hierarchy_free(rblHierarchy* hierarchy);

// Give the hierarchy an id, which owns it from now on. On failure the hierarchy is freed.
rblResult rbl_hierarchy_register(rblHierarchy* hierarchy, rblBvhId* out);

// Acquire for reading, shared with other readers, or exclusively for changes: RBL_ERROR_STALE, RBL_ERROR_BUSY.
rblResult rbl_hierarchy_acquire(rblBvhId id, bool to_change, rblHierarchy** out);
void rbl_hierarchy_release(rblHierarchy* hierarchy);

// ---- queries over all trees ----

bool rbl_hierarchy_ray_closest(const rblHierarchy* hierarchy, const rblRay* ray, rblRayHit* hit);
bool rbl_hierarchy_ray_any(const rblHierarchy* hierarchy, const rblRay* ray);

// `hint`: the result of the previous point, or null.
bool rbl_hierarchy_closest(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                           const rblClosestPoint* hint, rblClosestPoint* out);

float rbl_hierarchy_winding_number(const rblHierarchy* hierarchy, rblVec3 point, float beta);

// Results of the previous point of a row, which speed up the next point.
typedef struct rblHierarchyNeighbour
{
    rblClosestPoint closest; // a hint; leaf UINT32_MAX: none
    rblClearBall ball;
} rblHierarchyNeighbour;

rblHierarchyNeighbour rbl_no_hierarchy_neighbour(void);

// As rbl_tree_signed_distance_many() for one point, over all trees, which together form one surface. False when the
// point is not finite or the radius is negative or NaN.
bool rbl_hierarchy_signed_distance(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                                   rblSignMode mode, rblHierarchyNeighbour* neighbour, float* out);

#endif
