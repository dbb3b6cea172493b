// "Did you mean": the edit distance that also counts two swapped neighbours as one mistake (Damerau 1964, in the
// restricted form where no part is edited twice).
#include "rubble/text.h"

#include <stdbool.h>
#include <string.h>

// Characters; longer words get no suggestion, which bounds the table on the stack.
#define LONGEST_WORD 32

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t edit_distance(const char* a, size_t a_length, const char* b, size_t b_length)
{
    uint32_t cost[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (uint32_t i = 0; i <= a_length; ++i)
    {
        for (uint32_t j = 0; j <= b_length; ++j)
        {
            if (i == 0 || j == 0)
            {
                cost[i][j] = i + j;
                continue;
            }
            const uint32_t replace = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least_of(replace, 1 + least_of(cost[i - 1][j], cost[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            {
                cost[i][j] = least_of(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a_length][b_length];
}

const char* rbl_suggest(const char* word, const char* const* candidates, uint32_t count)
{
    const size_t length = word != NULL && (candidates != NULL || count == 0) ? strlen(word) : 0;
    if (length == 0 || length > LONGEST_WORD)
    {
        return NULL;
    }
    const char* best = NULL;
    // A third of the letters may be wrong, at least one; with more, the suggestions would be arbitrary.
    uint32_t best_distance = 1 + (length >= 3 ? (uint32_t)length / 3 : 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        const size_t candidate_length = strlen(candidates[i]);
        if (candidate_length > LONGEST_WORD)
        {
            continue;
        }
        // A word that begins with the text is always suggested.
        const bool begins = length >= 2 && strncmp(word, candidates[i], length) == 0;
        const uint32_t distance = begins ? 1 : edit_distance(word, length, candidates[i], candidate_length);
        if (distance < best_distance)
        {
            best_distance = distance;
            best = candidates[i];
        }
    }
    return best;
}
