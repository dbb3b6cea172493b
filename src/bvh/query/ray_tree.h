// The ray tree: nodes of eight children and triangles in blocks of eight, made from a tree for the rays that go through
// it. It only excludes triangles, and the test of those that are left is that of ray_triangle.h: every answer has the
// same bits as without it.
//
// Which nodes of the binary tree become children is chosen so that the sum of the surface areas of all nodes is the
// smallest (Ylitie, Karras and Laine 2017, "Efficient Incoherent Ray Traversal on GPUs Through Compressed Wide BVHs",
// 3.1). Boxes are in 32 bits: on a grid of 8 bits a node rays had 0.82 to 0.97 of the rate, because of the conversion.
#ifndef RBL_BVH_QUERY_RAY_TREE_H
#define RBL_BVH_QUERY_RAY_TREE_H

#include "bvh/bvh.h"

#define RBL_RAY_WIDTH        8
#define RBL_RAY_BLOCK_HEIGHT 3 // levels of the binary tree above the leaves of a block

// A child that is a block of triangles rather than a node.
#define RBL_RAY_BLOCK_BIT 0x80000000u

typedef struct rblRayNode
{
    float side[6][RBL_RAY_WIDTH];  // per child: the lower side of each axis, then the upper ones
    uint32_t child[RBL_RAY_WIDTH]; // a node, or RBL_RAY_BLOCK_BIT and a block
    uint32_t lanes;                // bit i: child i exists
    uint32_t unused[7];            // up to four cache lines
} rblRayNode;

// The triangles of leaves 8 i to 8 i + 7, corner by corner and axis by axis. Behind the last leaf they are points.
typedef struct rblRayBlock
{
    float corner[3][3][RBL_RAY_WIDTH];
} rblRayBlock;

// The instructions that a query uses.
typedef enum rblRayPath
{
    RBL_RAY_PORTABLE, // of math/simd.h
    RBL_RAY_AVX2
} rblRayPath;

typedef struct rblRayTree
{
    const rblAllocator* allocator;
    rblRayNode* nodes; // the root first; at a cache line within `memory`
    rblRayBlock* blocks;
    uint32_t node_count; // 0: there is no ray tree, and rays use the binary tree
    uint32_t block_count;
    void* memory;
    size_t size;
    rblRayPath path; // the best that the processor has; tests choose the other one
} rblRayTree;

void rbl_ray_tree_init(rblRayTree* rays, const rblAllocator* allocator);
void rbl_ray_tree_free(rblRayTree* rays);

// Make the ray tree. Memory is reused where it is large enough. It is empty for a tree of up to eight triangles. After a
// refit it must be made again. Fails only without memory, and is empty then. The result does not depend on the workers.
rblResult rbl_ray_tree_build(rblRayTree* rays, const rblBvh* bvh, rblJobs* jobs);

// Whether the processor has the instructions.
bool rbl_ray_path_exists(rblRayPath path);

// Whether every box of the ray tree contains the triangles below it, and every leaf is in one block: for tests.
bool rbl_ray_tree_is_sound(const rblRayTree* rays, const rblBvh* bvh);

#endif
