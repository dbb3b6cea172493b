// What is behind an rblBvhId: a forest with its moments, and who uses it.
#ifndef RBL_BVH_HIERARCHY_H
#define RBL_BVH_HIERARCHY_H

#include "bvh/query/signed_distance.h"

typedef struct rblHierarchy
{
    rblForest forest;
    rblBvh* trees; // views of the forest's, as many as `tree_count`
    uint32_t tree_count;
    rblWinding* windings; // per tree, or null
    uint32_t winding_count;
    uint32_t users; // queries under way; guarded by the registry's lock, as all below
    bool changing;  // a rebuild or refit is under way
    bool abandoned; // the id is gone: the last user frees it
} rblHierarchy;

rblHierarchy* rbl_hierarchy_new(const rblAllocator* allocator);
void rbl_hierarchy_free(rblHierarchy* hierarchy);

// The id's owner from now on; on failure the hierarchy is freed.
rblResult rbl_hierarchy_register(rblHierarchy* hierarchy, rblBvhId* out);

// For reading, beside others, or alone to change it: RBL_ERROR_STALE, RBL_ERROR_BUSY.
rblResult rbl_hierarchy_acquire(rblBvhId id, bool to_change, rblHierarchy** out);
void rbl_hierarchy_release(rblHierarchy* hierarchy);

// ---- queries over all trees ----

bool rbl_hierarchy_ray_closest(const rblHierarchy* hierarchy, const rblRay* ray, rblRayHit* hit);
bool rbl_hierarchy_ray_any(const rblHierarchy* hierarchy, const rblRay* ray);

// `hint`: what the point before found, or null.
bool rbl_hierarchy_closest(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                           const rblClosestPoint* hint, rblClosestPoint* out);

float rbl_hierarchy_winding_number(const rblHierarchy* hierarchy, rblVec3 point, float beta);

// What the points of a row hand on.
typedef struct rblHierarchyNeighbour
{
    rblClosestPoint closest; // a hint; leaf UINT32_MAX: none
    rblClearBall ball;
} rblHierarchyNeighbour;

rblHierarchyNeighbour rbl_no_hierarchy_neighbour(void);

// As rbl_tree_signed_distance(), over all trees: together they are the surface that may be closed.
bool rbl_hierarchy_signed_distance(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                                   rblSignMode mode, rblHierarchyNeighbour* neighbour, float* out);

#endif
