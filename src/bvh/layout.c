#include "bvh/layout.h"

static uint64_t power(uint32_t arity, uint32_t exponent)
{
    uint64_t result = 1;
    for (uint32_t i = 0; i < exponent; ++i)
    {
        result *= arity;
    }
    return result;
}

// Nodes of a perfect tree above level l, that is the implicit index of the level's first node: (k^l - 1) / (k - 1).
static uint64_t perfect_above(uint32_t arity, uint32_t level)
{
    return (power(arity, level) - 1) / (arity - 1);
}

static uint64_t digit_sum(uint32_t arity, uint64_t number)
{
    uint64_t sum = 0;
    for (; number > 0; number /= arity)
    {
        sum += number % arity;
    }
    return sum;
}

rblKaryLayout rbl_kary_layout(uint32_t arity, uint32_t leaves)
{
    rblKaryLayout tree = {.arity = arity, .leaves = leaves};
    uint64_t width = 1;
    while (width < leaves)
    {
        width *= arity;
        tree.leaf_level += 1;
    }
    tree.virtual_leaves = width - leaves;
    return tree;
}

uint64_t rbl_kary_virtual_count(uint32_t arity, uint64_t virtual_leaves)
{
    return (arity * virtual_leaves - digit_sum(arity, virtual_leaves)) / (arity - 1);
}

uint64_t rbl_kary_node_count(const rblKaryLayout* tree)
{
    return perfect_above(tree->arity, tree->leaf_level + 1) -
           rbl_kary_virtual_count(tree->arity, tree->virtual_leaves);
}

uint32_t rbl_kary_level(uint32_t arity, uint64_t implicit)
{
    uint32_t level = 0;
    while (perfect_above(arity, level + 1) <= implicit)
    {
        level += 1;
    }
    return level;
}

static uint64_t virtual_on_level(const rblKaryLayout* tree, uint32_t level)
{
    return tree->virtual_leaves / power(tree->arity, tree->leaf_level - level);
}

uint64_t rbl_kary_real_on_level(const rblKaryLayout* tree, uint32_t level)
{
    return power(tree->arity, level) - virtual_on_level(tree, level);
}

uint64_t rbl_kary_memory_index(const rblKaryLayout* tree, uint64_t implicit)
{
    const uint32_t level = rbl_kary_level(tree->arity, implicit);
    return level == 0 ? 0 : implicit - rbl_kary_virtual_count(tree->arity, virtual_on_level(tree, level - 1));
}

uint64_t rbl_kary_descendant(uint32_t arity, uint64_t implicit, uint32_t generations)
{
    return power(arity, generations) * implicit + perfect_above(arity, generations);
}

uint64_t rbl_kary_ancestor(uint32_t arity, uint64_t implicit, uint32_t generations)
{
    // Position within the level is what halves (k-ths); the level's first index is subtracted and added back.
    const uint32_t level = rbl_kary_level(arity, implicit);
    const uint64_t position = implicit - perfect_above(arity, level);
    return perfect_above(arity, level - generations) + position / power(arity, generations);
}
