// The object that an rblBvhId refers to: a forest with its moments, and the count of running queries.
#ifndef RBL_BVH_HIERARCHY_H
#define RBL_BVH_HIERARCHY_H

#include "bvh/query/ray_tree.h"
#include "bvh/query/signed_distance.h"
#include <stdatomic.h>

typedef enum rblRayState
{
    RBL_RAYS_NONE,
    RBL_RAYS_IN_WORK, // one thread makes the ray trees
    RBL_RAYS_READY,
    RBL_RAYS_FAILED // no memory: rays use the binary trees
} rblRayState;

typedef struct rblHierarchy
{
    rblForest forest;
    rblBvh* trees; // views of the trees of the forest, `tree_count`
    uint32_t tree_count;
    rblWinding* windings; // per tree, or null
    uint32_t winding_count;
    rblRayTree* ray_trees; // per tree; queries read them in state RBL_RAYS_READY only
    uint32_t ray_tree_count;
    bool rays_at_once;                // make ray trees with every build and refit
    atomic_int ray_state;             // rblRayState
    atomic_uint_least64_t rays_asked; // since the last change, without ray trees
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

// ---- ray trees (hierarchy_rays.c) ----

// An empty ray tree for each tree, after a build or refit.
rblResult rbl_hierarchy_reserve_rays(rblHierarchy* hierarchy);
void rbl_hierarchy_drop_rays(rblHierarchy* hierarchy);

// Make the ray trees now.
rblResult rbl_hierarchy_make_rays(rblHierarchy* hierarchy);

// The ray trees, one for each tree, or null, for a query of `count` rays. Makes them when enough rays have been asked;
// several threads may ask at the same time.
const rblRayTree* rbl_hierarchy_ask_rays(rblHierarchy* hierarchy, uint32_t count);

size_t rbl_hierarchy_ray_bytes(rblHierarchy* hierarchy);

// ---- queries over all trees ----

// `rays`: what rbl_hierarchy_ask_rays() returned.
bool rbl_hierarchy_ray_closest(const rblHierarchy* hierarchy, const rblRayTree* rays, const rblRay* ray,
                               rblRayHit* hit);
bool rbl_hierarchy_ray_any(const rblHierarchy* hierarchy, const rblRayTree* rays, const rblRay* ray);

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
