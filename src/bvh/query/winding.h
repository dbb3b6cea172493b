// The winding number of the triangles of one tree around a point (Barill, Dickson, Schmidt, Levin and Jacobson 2018,
// "Fast Winding Numbers for Soups and Clouds"): 1 inside a closed surface that is oriented outwards, 0 outside,
// fractions near gaps. Far nodes are approximated by one dipole; near triangles are summed exactly.
//
// For the triangles of a node with points x, n their unit normals, c the centre of the node, q = c - p and R = |q|:
//   w(p) = 1 / (4 pi) integral n . (x - p) / |x - p|^3 dA  ~  D . q / R^3 (1 + q^T K q / R^4)
//   D = 1 / (4 pi) sum A n,   K = 15 / 2 (C - tr(C) / 5),   C = sum A (x - c)(x - c)^T / sum A
// The second term is the second-order term of the Taylor series for a flat patch. The first-order term, which is zero
// for a flat patch, was tried instead and gained nothing (mean error at beta = 2 on 100k triangles 0.0041 with, 0.0040
// without). The full third-order tensor of the paper would need 15 more numbers per node.
#ifndef RBL_BVH_QUERY_WINDING_H
#define RBL_BVH_QUERY_WINDING_H

#include "bvh/bvh.h"

// Moments of four neighbouring nodes, in units of the size of the tree. Lanes without a node have an infinite radius.
typedef struct rblWindingGroup
{
    float center[3][4];
    float dipole[3][4]; // D
    float spread[6][4]; // K: xx, yy, zz, and twice xy, xz, yz
    float radius2[4];   // of the ball around `center` that contains all triangles
    float area[4];
} rblWindingGroup;

// The moments of a tree: 224 bytes for four nodes of every second level without the leaves, 18.7 bytes per triangle.
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

// Distance in radii from which a node is approximated by a dipole: the value of Barill et al. 2018.
#define RBL_WINDING_BETA 2.0f

void rbl_winding_init(rblWinding* winding, const rblAllocator* allocator);
void rbl_winding_free(rblWinding* winding);

// Compute the moments of a tree, and again after every build or refit; memory is reused. On failure it is empty.
rblResult rbl_winding_build(rblWinding* winding, const rblBvh* bvh, rblJobs* jobs);

// The winding number. A node is approximated when its distance is at least `beta` times its radius (at least 1). The
// error with RBL_WINDING_BETA is about 0.03 for one closed surface; infinity sums all triangles exactly. 0 for an empty
// tree and for points that are not finite.
float rbl_tree_winding_number(const rblBvh* bvh, const rblWinding* winding, rblVec3 point, float beta);

// Whether the winding number is above a half. Where the approximation is close to a half, it is refined.
bool rbl_tree_inside(const rblBvh* bvh, const rblWinding* winding, rblVec3 point);

#endif
