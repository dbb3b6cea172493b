// The hierarchy of the parts of a shape: the implicit BVH (bvh/bvh.h) over their boxes. Each query visits the parts that
// it cannot exclude by their boxes. Results that are chosen among parts do not depend on the order of the visits.
#ifndef RBL_FIELD_PART_TREE_H
#define RBL_FIELD_PART_TREE_H

#include "bvh/bvh.h"
#include "field/shape.h"

struct rblPartTree
{
    rblForest
        forest; // one tree; the triangle of a leaf is the lower and upper corner and the centre of a box
    rblBvh bvh;
};

// The boxes must be finite and within 1e38 m.
rblResult rbl_part_tree_build(rblPartTree* tree, const rblShapePart* parts, uint32_t count,
                              const rblAllocator* allocator);

void rbl_part_tree_free(rblPartTree* tree);

// Called for each part found. False ends the search.
typedef bool rblPartFcn(uint32_t part, void* context);

// Visit every part whose box overlaps or touches the box. True: a visit ended the search.
bool rbl_part_tree_visit_box(const rblPartTree* tree, rblAabb box, rblPartFcn* visit, void* context);

// Visit every part whose box has a point p with dot(normal, p) <= height, up to rounding. The normal is a unit vector.
bool rbl_part_tree_visit_below(const rblPartTree* tree, rblVec3 normal, float height, rblPartFcn* visit,
                               void* context);

// Visit the parts whose boxes are not farther from a point than `*bound`, the nearest box first. A visit may lower the
// bound. Below 0 it counts as 0: boxes that contain the point are always visited.
typedef void rblNearPartFcn(uint32_t part, void* context);
void rbl_part_tree_visit_near(const rblPartTree* tree, rblVec3 point, const float* bound,
                              rblNearPartFcn* visit, void* context);

// Visit the parts whose boxes the ray enters before `*t_max`, the first box first. A visit may lower it.
void rbl_part_tree_visit_ray(const rblPartTree* tree, const rblRay* ray, const float* t_max,
                             rblNearPartFcn* visit, void* context);

#endif
