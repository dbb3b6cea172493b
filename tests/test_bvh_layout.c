// Index arithmetic of the implicit tree, against the tree written out.
#include "testing.h"

#include "base/bits.h"
#include "bvh/layout.h"
#include <stdlib.h>
#include <string.h>

static void bit_counts_match_loops(void** state)
{
    (void)state;
    for (uint32_t i = 1; i < 70000; i += 3)
    {
        const uint32_t x = i * 2654435761u | 1u;
        uint32_t bits = 0, log = 0;
        for (uint32_t k = 0; k < 32; ++k)
        {
            bits += x >> k & 1;
            log = x >> k & 1 ? k : log;
        }
        assert_int_equal(rbl_popcount32(x), bits);
        assert_int_equal(rbl_floor_log2(x), log);
        assert_int_equal(rbl_ceil_log2(x), (x & (x - 1)) == 0 ? log : log + 1);
    }
    assert_int_equal(rbl_ceil_log2(1), 0);
}

// A node is real when at least one of the leaves below it is; memory holds the real nodes level by level.
static void check_binary_tree(uint32_t leaves)
{
    const rblTreeLayout tree = rbl_tree_layout(leaves);
    uint32_t memory = 0;
    for (uint32_t level = 0; level <= tree.leaf_level; ++level)
    {
        const uint32_t span = 1u << (tree.leaf_level - level); // leaves below a node of this level
        const uint32_t real = (leaves + span - 1) / span;
        assert_int_equal(rbl_tree_real_on_level(&tree, level), real);
        assert_int_equal(rbl_tree_level_start(&tree, level), memory);
        assert_int_equal(rbl_tree_virtual_on_level(&tree, level), (1u << level) - real);
        memory += real;
    }
    assert_int_equal(rbl_tree_node_count(&tree), memory);
}

static void levels_follow_each_other_in_memory_for_every_leaf_count(void** state)
{
    (void)state;
    for (uint32_t leaves = 1; leaves <= 5000; ++leaves)
    {
        check_binary_tree(leaves);
    }
    const rblTreeLayout largest = rbl_tree_layout(RBL_MAX_LEAVES);
    assert_int_equal(rbl_tree_node_count(&largest), 2 * RBL_MAX_LEAVES - 1);
}

static void descendants_agree_with_single_steps(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        uint32_t leftmost = i;
        for (uint32_t n = 0; n < 5; ++n)
        {
            assert_int_equal(rbl_tree_descendant(i, n), leftmost);
            assert_int_equal(rbl_tree_level(leftmost), rbl_tree_level(i) + n);
            leftmost = 2 * leftmost + 1;
        }
    }
    assert_int_equal(rbl_tree_level(0), 0);
    assert_int_equal(rbl_tree_level(2), 1);
    assert_int_equal(rbl_tree_level(3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bit_counts_match_loops),
        cmocka_unit_test(levels_follow_each_other_in_memory_for_every_leaf_count),
        cmocka_unit_test(descendants_agree_with_single_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
