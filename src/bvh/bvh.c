#include "bvh/bvh.h"

#include "bvh/leaves.h"
#include "math/vec.h"
#include <string.h>

static double half_area(const rblAabb* box)
{
    const rblVec3d size = rbl_sub3d(rbl_to_double3(box->upper), rbl_to_double3(box->lower));
    return size.x * size.y + size.y * size.z + size.z * size.x;
}

double rbl_tree_sah(const rblBvh* bvh)
{
    if (bvh->layout.leaves == 0)
    {
        return 0.0;
    }
    double sum = 0.0;
    for (uint32_t i = 0; i < rbl_tree_node_count(&bvh->layout); ++i)
    {
        sum += half_area(&bvh->nodes[i]);
    }
    const double root = half_area(&bvh->nodes[0]);
    return root > 0.0 ? sum / root : 0.0;
}

static bool same_box(const rblAabb* a, const rblAabb* b)
{
    return a->lower.x == b->lower.x && a->lower.y == b->lower.y && a->lower.z == b->lower.z &&
           a->upper.x == b->upper.x && a->upper.y == b->upper.y && a->upper.z == b->upper.z;
}

static bool parent_is_union(const rblBvh* bvh, uint32_t level, uint32_t position)
{
    const rblAabb* parent = &bvh->nodes[rbl_tree_level_start(&bvh->layout, level) + position];
    const rblAabb* children = &bvh->nodes[rbl_tree_level_start(&bvh->layout, level + 1) + 2 * position];
    rblAabb both = children[0];
    if (2 * position + 1 < rbl_tree_real_on_level(&bvh->layout, level + 1))
    {
        both.lower = rbl_min3(both.lower, children[1].lower);
        both.upper = rbl_max3(both.upper, children[1].upper);
    }
    return same_box(parent, &both);
}

static bool leaf_is_right(const rblBvh* bvh, const rblTriangleSpan* span, uint32_t leaf)
{
    if (bvh->order[leaf] >= span->triangle_count)
    {
        return false;
    }
    rblLeafTriangle corners;
    rblAabb box;
    rbl_box4_store(&box, rbl_span_triangle(span, bvh->order[leaf], &corners));
    const uint32_t start = rbl_tree_level_start(&bvh->layout, bvh->layout.leaf_level);
    return memcmp(&corners, &bvh->triangles[leaf], sizeof corners) == 0 &&
           same_box(&box, &bvh->nodes[start + leaf]);
}

uint32_t rbl_tree_find_fault(const rblBvh* bvh, const rblTriangleSpan* span)
{
    if (bvh->layout.leaves != span->triangle_count)
    {
        return 0;
    }
    for (uint32_t level = 0; level < bvh->layout.leaf_level; ++level)
    {
        for (uint32_t p = 0; p < rbl_tree_real_on_level(&bvh->layout, level); ++p)
        {
            if (!parent_is_union(bvh, level, p))
            {
                return rbl_tree_level_start(&bvh->layout, level) + p;
            }
        }
    }
    // Every triangle is in exactly one leaf when the sums of the indices and of their hash values are those of 0 .. n -
    // 1.
    uint64_t sum = 0;
    for (uint32_t leaf = 0; leaf < bvh->layout.leaves; ++leaf)
    {
        if (!leaf_is_right(bvh, span, leaf))
        {
            return rbl_tree_level_start(&bvh->layout, bvh->layout.leaf_level) + leaf;
        }
        sum += bvh->order[leaf];
    }
    return sum == (uint64_t)bvh->layout.leaves * (bvh->layout.leaves - 1) / 2 || bvh->layout.leaves == 0
               ? UINT32_MAX
               : 0;
}
