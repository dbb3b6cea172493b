// Sample points in a hierarchy of balls (Glondu 2012, 5.1): farthest-point order, levels of 2^l points, each point's
// parent the nearest of the level above, radii over all descendants. The first n points of the order cover the shape
// evenly for any n.
#ifndef RBL_FIELD_SAMPLES_SAMPLES_H
#define RBL_FIELD_SAMPLES_SAMPLES_H

#include "base/memory.h"
#include "rubble/shape.h"

// Level l holds the first 2^l points of the order. A point that is new on level l has its parent on level l - 1: the
// nearest point there, the earliest of equally near ones. The paper's copies of a point on lower levels are the point
// itself with a rest of its children, because the inside status of a point is the same wherever it is met:
//   node i = its point; child k of it = children[k], first_children[i] <= k < first_children[i + 1], rising, so
//   that coarser levels come first; its reach = distance from the point to its farthest descendant through the
//   children k, k + 1, ... of the same node. A search that has seen the children before k may leave the node when
//   that reach is too short to matter.
// Reaches are rounded up.
// All that a search wants to know of a child lies in one place.
typedef struct rblSampleChild
{
    rblVec3 point;
    float reach;
    float radius; // distance from the point to its farthest descendant
    uint32_t node;
    uint32_t first, end; // its own children
} rblSampleChild;

struct rblSampleTree
{
    rblVec3* points; // in the order
    uint32_t count;
    uint32_t* first_children; // count + 1
    rblSampleChild* children; // count - 1
    size_t bytes;             // of all of it; one block of memory
};

typedef struct rblSampleTree rblSampleTree;

// The order begins with the point farthest from the middle of the points' box; every next one is the point farthest
// from those before it. Of equally far points (squared distances in floats) the first in `points` is taken. Points
// nearer to each other than the root of the smallest float, 1e-22 m, are kept once. O(n log n) for points on a surface or
// in a volume.
// Refused: no points, coordinates that are not finite or larger than 1e18.
rblResult rbl_sample_tree_create(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                 rblSampleTree** out);

// The same in a twentieth of the time: every next point is the farthest of the widest cluster from its middle, and
// takes those of that cluster with it that are nearer to it; parents are middles of clusters on a level above. Levels cover the shape
// a little less evenly. For shapes that are made within a step.
rblResult rbl_sample_tree_create_quick(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                       rblSampleTree** out);

// A tree of which order and parents are known: a parent comes before its children, the first point has none and its entry is not read. The caller
// answers for how evenly beginnings of the order cover the shape.
rblResult rbl_sample_tree_create_ordered(const rblVec3* points, const uint32_t* parents, uint32_t count,
                                         const rblAllocator* allocator, rblSampleTree** out);

// The parents of a tree, as those were given; the first point's is 0. `out` has an entry for each.
void rbl_sample_tree_parents(const rblSampleTree* tree, uint32_t* out);
void rbl_sample_tree_free(rblSampleTree* tree, const rblAllocator* allocator);

// Distance from a point to its farthest descendant.
static inline float rbl_sample_radius(const rblSampleTree* tree, uint32_t node)
{
    const uint32_t first = tree->first_children[node];
    return first < tree->first_children[node + 1] ? tree->children[first].reach : 0.0f;
}

#endif
