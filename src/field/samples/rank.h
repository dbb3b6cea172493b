// A set of indices with a rank query: maps an index of a large mesh to its index in a small part of it. It needs a
// quarter of a byte per index.
#ifndef RBL_FIELD_SAMPLES_RANK_H
#define RBL_FIELD_SAMPLES_RANK_H

#include "base/bits.h"
#include "base/memory.h"
#include "rubble/mesh.h"

typedef struct rblRankWord
{
    uint32_t bits;
    uint32_t before; // number of members in earlier words
} rblRankWord;

static inline uint32_t rbl_rank_words(uint32_t size)
{
    return size / 32 + 1;
}

static inline void rbl_rank_add(rblRankWord* words, uint32_t index)
{
    words[index / 32].bits |= 1u << index % 32;
}

// To be called after the last member was added. Returns the number of members.
static inline uint32_t rbl_rank_count(rblRankWord* words, uint32_t size)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rbl_rank_words(size); ++i)
    {
        words[i].before = count;
        count += rbl_popcount32(words[i].bits);
    }
    return count;
}

// An empty set; null: no memory.
static inline rblRankWord* rbl_rank_new(uint32_t size, const rblAllocator* allocator)
{
    return rbl_alloc_zero(allocator, sizeof(rblRankWord) * rbl_rank_words(size));
}

static inline void rbl_rank_free(rblRankWord* words, uint32_t size, const rblAllocator* allocator)
{
    rbl_free(allocator, words, sizeof *words * rbl_rank_words(size));
}

// The rank of an index among the members; RBL_NONE: not a member. Null words: the set of all.
static inline uint32_t rbl_rank_find(const rblRankWord* words, uint32_t index)
{
    if (words == NULL)
    {
        return index;
    }
    const rblRankWord word = words[index / 32];
    const uint32_t bit = 1u << index % 32;
    return (word.bits & bit) != 0 ? word.before + rbl_popcount32(word.bits & (bit - 1)) : RBL_NONE;
}

// All members, in rising order.
static inline void rbl_rank_list(const rblRankWord* words, uint32_t size, uint32_t* out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; words == NULL && i < size; ++i)
    {
        out[i] = i;
    }
    for (uint32_t w = 0; words != NULL && w < rbl_rank_words(size); ++w)
    {
        for (uint32_t bits = words[w].bits; bits != 0; bits &= bits - 1)
        {
            out[count++] = 32 * w + rbl_lowest_bit(bits);
        }
    }
}

#endif
