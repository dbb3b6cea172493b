#include "io/compress/huffman.h"

#include "base/assert.h"
#include "base/sort.h"
#include <string.h>

typedef struct Leaves
{
    uint32_t count;
    uint32_t symbols[RBL_HUFFMAN_MAX_SYMBOLS]; // rarest first
    uint32_t weights[RBL_HUFFMAN_MAX_SYMBOLS];
} Leaves;

static bool is_rarer(uint32_t a, uint32_t b, const void* context)
{
    const uint32_t* counts = context;
    return counts[a] < counts[b];
}

static void collect_leaves(Leaves* leaves, const uint32_t* counts, uint32_t symbol_count)
{
    uint32_t scratch[RBL_HUFFMAN_MAX_SYMBOLS];
    leaves->count = 0;
    for (uint32_t s = 0; s < symbol_count; ++s)
    {
        if (counts[s] > 0)
        {
            leaves->symbols[leaves->count++] = s;
        }
    }
    rbl_sort_indices(leaves->symbols, scratch, leaves->count, is_rarer, counts);
    for (uint32_t i = 0; i < leaves->count; ++i)
    {
        leaves->weights[i] = counts[leaves->symbols[i]];
    }
}

// One round of package-merge: form pairs of the previous row and merge them with the leaves, lightest first.
// is_leaf[i] tells whether item i is a leaf. Returns the length of the new row.
static uint32_t merge_row(const Leaves* leaves, const uint32_t* previous, uint32_t previous_count,
                          uint32_t* row, uint8_t* is_leaf)
{
    uint32_t leaf = 0;
    uint32_t pair = 0;
    const uint32_t pairs = previous_count / 2;
    for (uint32_t i = 0; i < leaves->count + pairs; ++i)
    {
        const uint32_t pair_weight = pair < pairs ? previous[2 * pair] + previous[2 * pair + 1] : UINT32_MAX;
        is_leaf[i] = leaf < leaves->count && (pair == pairs || leaves->weights[leaf] <= pair_weight);
        row[i] = is_leaf[i] ? leaves->weights[leaf++] : pair_weight;
        pair += !is_leaf[i];
    }
    return leaves->count + pairs;
}

// Package-merge (Larmore and Hirschberg 1990). The 2n - 2 lightest items of the last row are selected; a selected
// pair selects two items of the row before, and so on. The code length of a leaf is the number of rows in which it is
// selected.
static void package_merge(rblHuffmanCode* code, const Leaves* leaves, uint32_t limit)
{
    enum
    {
        ROW = 2 * RBL_HUFFMAN_MAX_SYMBOLS
    };
    uint32_t rows[2][ROW];
    uint8_t is_leaf[RBL_HUFFMAN_MAX_LENGTH][ROW];
    uint32_t count = 0;
    for (uint32_t level = 0; level < limit; ++level)
    {
        count = merge_row(leaves, rows[level & 1], count, rows[~level & 1], is_leaf[level]);
    }
    uint32_t taken = 2 * leaves->count - 2;
    for (uint32_t level = limit; level-- > 0;)
    {
        uint32_t taken_leaves = 0;
        for (uint32_t i = 0; i < taken; ++i)
        {
            taken_leaves += is_leaf[level][i];
        }
        for (uint32_t i = 0; i < taken_leaves; ++i)
        {
            code->lengths[leaves->symbols[i]] += 1;
        }
        taken = 2 * (taken - taken_leaves);
    }
}

static uint16_t reverse_bits(uint32_t code, uint32_t length)
{
    uint32_t reversed = 0;
    for (uint32_t i = 0; i < length; ++i)
    {
        reversed = reversed << 1 | (code >> i & 1);
    }
    return (uint16_t)reversed;
}

void rbl_huffman_assign(rblHuffmanCode* code, uint32_t symbol_count)
{
    uint32_t next[RBL_HUFFMAN_MAX_LENGTH + 2] = {0};
    for (uint32_t s = 0; s < symbol_count; ++s)
    {
        next[code->lengths[s] + 1] += code->lengths[s] != 0;
    }
    for (uint32_t length = 1; length <= RBL_HUFFMAN_MAX_LENGTH; ++length)
    {
        next[length] = (next[length] + next[length - 1]) << 1;
    }
    for (uint32_t s = 0; s < symbol_count; ++s)
    {
        const uint32_t length = code->lengths[s];
        code->codes[s] = length != 0 ? reverse_bits(next[length]++, length) : 0;
    }
}

void rbl_huffman_build(rblHuffmanCode* code, const uint32_t* counts, uint32_t symbol_count, uint32_t limit)
{
    RBL_ASSERT(symbol_count <= RBL_HUFFMAN_MAX_SYMBOLS && limit <= RBL_HUFFMAN_MAX_LENGTH);
    Leaves leaves;
    memset(code, 0, sizeof *code);
    collect_leaves(&leaves, counts, symbol_count);
    if (leaves.count == 1)
    {
        code->lengths[leaves.symbols[0]] = 1;
    }
    else if (leaves.count > 1)
    {
        package_merge(code, &leaves, limit);
    }
    rbl_huffman_assign(code, symbol_count);
}
