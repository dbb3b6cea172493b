// How often the triangles of one tree wind round a point (Barill, Dickson, Schmidt, Levin and Jacobson 2018, "Fast
// Winding Numbers for Soups and Clouds"): 1 inside a closed surface that is oriented outwards, 0 outside, fractions
// near gaps. Nodes that are far away act as one dipole; near triangles are summed exactly.
//
// With x over a node's triangles, n their unit normals, c the node's centre, q = c - p and R = |q|:
//   w(p) = 1 / (4 pi) integral n . (x - p) / |x - p|^3 dA  ~  D . q / R^3 (1 + q^T K q / R^4)
//   D = 1 / (4 pi) sum A n,   K = 15 / 2 (C - tr(C) / 5),   C = sum A (x - c)(x - c)^T / sum A
// The second term is that of the second order of the Taylor series for a flat patch. The first order, which is zero
// for it, was tried instead and gained nothing (mean error at beta = 2 on 100k triangles 0.0041 with, 0.0040 without);
// the full third-order tensor of the paper would need 15 more numbers a node.
#ifndef RBL_BVH_QUERY_WINDING_H
#define RBL_BVH_QUERY_WINDING_H

#include "bvh/bvh.h"

// Moments of four neighbouring nodes, in units of the tree's size. Nodes that are not there have an infinite radius.
typedef struct rblWindingGroup
{
    float center[3][4];
    float dipole[3][4]; // D
    float spread[6][4]; // K: xx, yy, zz, and twice xy, xz, yz
    float radius2[4];   // of the ball round `center` that holds all triangles
    float area[4];
} rblWindingGroup;

// Beside a tree: 224 bytes for four nodes of every second level but the leaves', 18.7 bytes a triangle.
typedef struct rblWinding
{
    const rblAllocator* allocator;
    rblWindingGroup* groups;
    uint32_t group_count;
    uint32_t group_capacity;
    uint32_t group_starts[32]; // per level that has moments
    float scale;               // a power of two: about one over the tree's size
    rblVec3d center, dipole;   // of the whole tree, in its own units
    double radius;
} rblWinding;

#define RBL_WINDING_BETA 2.0f

void rbl_winding_init(rblWinding* winding, const rblAllocator* allocator);
void rbl_winding_free(rblWinding* winding);

// Fill it for a tree, and again after every build or refit; memory is reused. On failure it is empty.
rblResult rbl_winding_build(rblWinding* winding, const rblBvh* bvh, rblJobs* jobs);

// The winding number. A node acts as one when it is `beta` of its radii away (at least 1; RBL_WINDING_BETA is right to
// about 0.03 for one closed surface, infinity sums all triangles exactly). 0 for an empty tree and for points that are
// not finite.
float rbl_tree_winding_number(const rblBvh* bvh, const rblWinding* winding, rblVec3 point, float beta);

// Whether it is above a half. Where the approximation comes close to that, it is refined.
bool rbl_tree_inside(const rblBvh* bvh, const rblWinding* winding, rblVec3 point);

#endif
