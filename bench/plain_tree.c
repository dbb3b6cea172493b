#include "bench/plain_tree.h"

#include "base/error.h"
#include "base/memory.h"
#include "bvh/leaves.h"
#include "math/vec.h"
#include <string.h>

rblResult rbl_plain_tree_create(uint32_t leaves, rblPlainTree* out)
{
    const uint32_t count = 2 * leaves - 1;
    rblPlainNode* nodes = RBL_NEW_ARRAY(rbl_default_allocator(), rblPlainNode, count);
    if (nodes == NULL)
    {
        return rbl_fail_memory();
    }
    *out = (rblPlainTree){nodes, count};
    return RBL_OK;
}

void rbl_plain_tree_free(rblPlainTree* tree)
{
    RBL_FREE_ARRAY(rbl_default_allocator(), tree->nodes, tree->node_count);
    *tree = (rblPlainTree){0};
}

static double half_area(const rblAabb* box)
{
    const rblVec3d size = rbl_sub3d(rbl_to_double3(box->upper), rbl_to_double3(box->lower));
    return size.x * size.y + size.y * size.z + size.z * size.x;
}

double rbl_plain_tree_sah(const rblPlainTree* tree)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < tree->node_count; ++i)
    {
        sum += half_area(&tree->nodes[i].box);
    }
    const double root = half_area(&tree->nodes[0].box);
    return root > 0.0 ? sum / root : 0.0;
}

static bool node_is_sound(const rblPlainTree* tree, const rblTriangleSpan* span, const rblPlainNode* node)
{
    rblAabb box;
    if (node->right == RBL_PLAIN_LEAF)
    {
        rblLeafTriangle corners;
        rbl_box4_store(&box, rbl_span_triangle(span, node->left, &corners));
    }
    else
    {
        const rblAabb* left = &tree->nodes[node->left].box;
        const rblAabb* right = &tree->nodes[node->right].box;
        box = (rblAabb){rbl_min3(left->lower, right->lower), rbl_max3(left->upper, right->upper)};
    }
    return memcmp(&box, &node->box, sizeof box) == 0;
}

bool rbl_plain_tree_is_sound(const rblPlainTree* tree, const rblTriangleSpan* span)
{
    uint32_t leaves = 0;
    uint64_t triangles = 0;
    uint64_t children = 0;
    for (uint32_t i = 0; i < tree->node_count; ++i)
    {
        const rblPlainNode* node = &tree->nodes[i];
        if (!node_is_sound(tree, span, node))
        {
            return false;
        }
        const bool leaf = node->right == RBL_PLAIN_LEAF;
        leaves += leaf;
        triangles += leaf ? node->left : 0;
        children += leaf ? 0 : (uint64_t)node->left + node->right;
    }
    // Sums tell whether every triangle and every node but the root is named once.
    const uint64_t n = span->triangle_count;
    const uint64_t nodes = tree->node_count;
    return leaves == n && triangles == n * (n - 1) / 2 && children == nodes * (nodes - 1) / 2;
}
