// Sample points in a hierarchy of balls (Glondu 2012, 5.1): farthest-point order, levels of 2^l points, the parent of a
// point is the nearest point of the level above, radii include all descendants. The first n points of the order cover
// the shape evenly for any n.
#ifndef RBL_FIELD_SAMPLES_SAMPLES_H
#define RBL_FIELD_SAMPLES_SAMPLES_H

#include "base/memory.h"
#include "rubble/shape.h"

// Level l has the first 2^l points of the order. A point that is new on level l has its parent on level l - 1: the
// nearest point there, the earliest of equally near ones. The paper copies a point to lower levels. Here the copies are
// the point itself with the rest of its children, since the field value of a point is the same on all levels:
//   node i = its point; its children are children[k], first_children[i] <= k < first_children[i + 1], in rising order,
//   so that coarser levels come first. The reach of child k is the distance from the point of the node to its
//   farthest descendant through the children k, k + 1, ... A search that has visited the children before k can skip
//   the node if this reach is too short to matter.
// Reaches are rounded up. All data of a child that a search needs are in one place.
typedef struct rblSampleChild
{
    rblVec3 point;
    float reach;
    float radius; // m, distance from the point to its farthest descendant
    uint32_t node;
    uint32_t first, end; // range of its own children
} rblSampleChild;

struct rblSampleTree
{
    rblVec3* points; // in the order
    uint32_t count;
    uint32_t* first_children; // count + 1
    rblSampleChild* children; // count - 1
    size_t bytes;             // of the one block of memory
};

typedef struct rblSampleTree rblSampleTree;

// The order starts with the point farthest from the centre of the box of the points; each next point is the one
// farthest from all points before it. Of equally far points (squared distances in floats) the first in `points` is
// taken. Of points closer to each other than 1e-22 m, the root of the smallest float, only one is kept. The time is O(n
// log n) for points on a surface or in a volume.
// Refused: no points, coordinates that are not finite or larger than 1e18.
rblResult rbl_sample_tree_create(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                 rblSampleTree** out);

// The same in a twentieth of the time. The next point is the point of the widest cluster that is farthest from its
// centre; it takes over the points of that cluster that are closer to it. Parents are centres of clusters on a level
// above. Levels cover the shape a little less evenly. For shapes that are created within a step.
rblResult rbl_sample_tree_create_quick(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                       rblSampleTree** out);

// A tree with given order and parents: a parent comes before its children; the first point has no parent, and its entry
// is not read. The caller must make sure that the first n points of the order cover the shape evenly.
rblResult rbl_sample_tree_create_ordered(const rblVec3* points, const uint32_t* parents, uint32_t count,
                                         const rblAllocator* allocator, rblSampleTree** out);

// The parents of a tree in the same form; that of the first point is 0. `out` has an entry for each point.
void rbl_sample_tree_parents(const rblSampleTree* tree, uint32_t* out);
void rbl_sample_tree_free(rblSampleTree* tree, const rblAllocator* allocator);

// Distance from a point to its farthest descendant.
static inline float rbl_sample_radius(const rblSampleTree* tree, uint32_t node)
{
    const uint32_t first = tree->first_children[node];
    return first < tree->first_children[node + 1] ? tree->children[first].reach : 0.0f;
}

#endif
