// The linear hierarchy of Lauterbach et al. 2009 in the form of Karras 2012: triangles along a Morton curve, every node
// split where the highest bit changes that does change among its codes.
#include "bench/plain_tree.h"

#include "base/error.h"
#include "bvh/build/radix_sort.h"
#include "bvh/grid.h"
#include "math/aabb.h"
#include "math/morton.h"
#include "math/vec.h"

typedef struct Lbvh
{
    const rblTriangleSpan* span;
    uint64_t* keys; // code << index_bits | triangle, sorted: never two the same
    uint32_t index_bits;
    rblPlainNode* nodes;
    uint32_t node_count;
} Lbvh;

// The first key of first .. last that has the highest bit set in which the two ends differ.
static uint32_t find_split(const uint64_t* keys, uint32_t first, uint32_t last)
{
    const uint64_t differing = keys[first] ^ keys[last];
    uint64_t bit = 1;
    while (differing >> 1 >= bit)
    {
        bit <<= 1;
    }
    uint32_t low = first; // without the bit
    uint32_t high = last; // with it
    while (high - low > 1)
    {
        const uint32_t middle = low + (high - low) / 2;
        if ((keys[middle] & bit) != 0)
        {
            high = middle;
        }
        else
        {
            low = middle;
        }
    }
    return high;
}

// Depth is at most the 64 bits of a key.
static uint32_t build_node(Lbvh* lbvh, uint32_t first, uint32_t last) // NOLINT(misc-no-recursion)
{
    const uint32_t index = lbvh->node_count++;
    rblPlainNode* node = &lbvh->nodes[index];
    if (first == last)
    {
        rblLeafTriangle corners;
        const uint32_t triangle = (uint32_t)(lbvh->keys[first] & (((uint64_t)1 << lbvh->index_bits) - 1));
        rbl_box4_store(&node->box, rbl_span_triangle(lbvh->span, triangle, &corners));
        node->left = triangle;
        node->right = RBL_PLAIN_LEAF;
        return index;
    }
    const uint32_t split = find_split(lbvh->keys, first, last);
    node->left = build_node(lbvh, first, split - 1);
    node->right = build_node(lbvh, split, last);
    const rblAabb* left = &lbvh->nodes[node->left].box;
    const rblAabb* right = &lbvh->nodes[node->right].box;
    node->box = (rblAabb){rbl_min3(left->lower, right->lower), rbl_max3(left->upper, right->upper)};
    return index;
}

static void make_keys(const Lbvh* lbvh, const rblGrid* grid)
{
    for (uint32_t t = 0; t < lbvh->span->triangle_count; ++t)
    {
        const rblCells4 cells = rbl_grid_cells(grid, lbvh->span, (const uint32_t[4]){t, t, t, t});
        uint32_t q[3][4];
        for (int a = 0; a < 3; ++a)
        {
            rbl_store_int4(q[a], cells.axis[a]);
        }
        lbvh->keys[t] = rbl_morton63(q[0][0], q[1][0], q[2][0]) << lbvh->index_bits | t;
    }
}

rblResult rbl_lbvh_build(const rblTriangleSpan* span, rblPlainTree* out)
{
    const uint32_t count = span->triangle_count;
    const rblAllocator* allocator = rbl_default_allocator();
    rblPlainTree tree;
    RBL_TRY(rbl_plain_tree_create(count, &tree));
    uint64_t* keys = RBL_NEW_ARRAY(allocator, uint64_t, 2 * (size_t)count);
    uint32_t* histograms = RBL_NEW_ARRAY(allocator, uint32_t, RBL_RADIX_HISTOGRAM_SIZE(1));
    rblAabb bounds;
    if (keys == NULL || histograms == NULL)
    {
        RBL_FREE_ARRAY(allocator, keys, 2 * (size_t)count);
        RBL_FREE_ARRAY(allocator, histograms, RBL_RADIX_HISTOGRAM_SIZE(1));
        rbl_plain_tree_free(&tree);
        return rbl_fail_memory();
    }
    const uint32_t index_bits = rbl_ceil_log2(count);
    const uint32_t axis_bits = (64 - index_bits) / 3 < 21 ? (64 - index_bits) / 3 : 21;
    Lbvh lbvh = {span, keys, index_bits, tree.nodes, 0};
    (void)rbl_span_check_vertices(span, rbl_serial_jobs(), &bounds);
    const rblGrid grid = rbl_grid_over(bounds, axis_bits);
    make_keys(&lbvh, &grid);
    lbvh.keys =
        rbl_radix_sort(rbl_serial_jobs(), keys, keys + count, count, index_bits, 3 * axis_bits, histograms);
    build_node(&lbvh, 0, count - 1);
    RBL_FREE_ARRAY(allocator, keys, 2 * (size_t)count);
    RBL_FREE_ARRAY(allocator, histograms, RBL_RADIX_HISTOGRAM_SIZE(1));
    *out = tree;
    return RBL_OK;
}
