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

// Walk the perfect tree in breadth-first order and number the real nodes as they come.
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
        for (uint32_t position = 0; position < 1u << level; ++position)
        {
            const uint32_t implicit = (1u << level) - 1 + position;
            assert_true(rbl_tree_is_real(&tree, implicit) == (position < real));
            if (position < real)
            {
                assert_int_equal(rbl_tree_memory_index(&tree, implicit), memory++);
            }
        }
    }
    assert_int_equal(rbl_tree_node_count(&tree), memory);
}

static void binary_memory_map_is_a_bijection_for_every_leaf_count(void** state)
{
    (void)state;
    for (uint32_t leaves = 1; leaves <= 5000; ++leaves)
    {
        check_binary_tree(leaves);
    }
    const rblTreeLayout largest = rbl_tree_layout(RBL_MAX_LEAVES);
    assert_int_equal(rbl_tree_node_count(&largest), 2 * RBL_MAX_LEAVES - 1);
}

static void check_kary_tree(uint32_t arity, uint32_t leaves)
{
    const rblKaryLayout tree = rbl_kary_layout(arity, leaves);
    uint64_t memory = 0;
    uint64_t implicit = 0;
    uint64_t width = 1;
    for (uint32_t level = 0; level <= tree.leaf_level; ++level, width *= arity)
    {
        uint64_t span = 1;
        for (uint32_t l = level; l < tree.leaf_level; ++l)
        {
            span *= arity;
        }
        const uint64_t real = (leaves + span - 1) / span;
        assert_int_equal(rbl_kary_real_on_level(&tree, level), real);
        for (uint64_t position = 0; position < real; ++position)
        {
            assert_int_equal(rbl_kary_memory_index(&tree, implicit + position), memory++);
        }
        implicit += width;
    }
    assert_int_equal(rbl_kary_node_count(&tree), memory);
}

static void kary_memory_map_is_a_bijection_for_every_leaf_count(void** state)
{
    (void)state;
    const uint32_t arities[] = {2, 3, 4, 8};
    for (size_t a = 0; a < 4; ++a)
    {
        for (uint32_t leaves = 1; leaves <= 5000; ++leaves)
        {
            check_kary_tree(arities[a], leaves);
        }
    }
}

static void binary_functions_are_the_kary_ones_at_two(void** state)
{
    (void)state;
    for (uint32_t i = 0; i < 3000; ++i)
    {
        assert_int_equal(rbl_tree_level(i), rbl_kary_level(2, i));
        for (uint32_t n = 0; n < 5; ++n)
        {
            assert_int_equal(rbl_tree_descendant(i, n), rbl_kary_descendant(2, i, n));
            if (rbl_tree_level(i) >= n)
            {
                assert_int_equal(rbl_tree_ancestor(i, n), rbl_kary_ancestor(2, i, n));
            }
        }
    }
}

static void descendants_and_ancestors_agree_with_single_steps(void** state)
{
    (void)state;
    const uint32_t arities[] = {2, 3, 4, 8};
    for (size_t a = 0; a < 4; ++a)
    {
        const uint32_t k = arities[a];
        for (uint64_t i = 0; i < 500; ++i)
        {
            uint64_t leftmost = i;
            uint64_t width = 1;
            for (uint32_t n = 0; n < 4; ++n)
            {
                assert_int_equal(rbl_kary_descendant(k, i, n), leftmost);
                for (uint64_t j = 0; j < width; ++j) // every descendant, not only the leftmost, leads back
                {
                    assert_int_equal(rbl_kary_ancestor(k, leftmost + j, n), i);
                }
                leftmost = k * leftmost + 1;
                width *= k;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bit_counts_match_loops),
        cmocka_unit_test(binary_memory_map_is_a_bijection_for_every_leaf_count),
        cmocka_unit_test(kary_memory_map_is_a_bijection_for_every_leaf_count),
        cmocka_unit_test(binary_functions_are_the_kary_ones_at_two),
        cmocka_unit_test(descendants_and_ancestors_agree_with_single_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
