// Bits of numbers, and texts that are read as the C library reads them. Include after testing.h.
#ifndef RBL_TESTS_NUMBER_TESTING_H
#define RBL_TESTS_NUMBER_TESTING_H

#include "base/bytes.h"
#include "base/number.h"
#include "math/float_bits.h"
#include <stdlib.h>
#include <string.h>

static inline bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// The whole text must be read, and as the same number as strtod reads.
static inline void check_parse(const char* text)
{
    double value = 0;
    const size_t length = strlen(text);
    // A copy that ends where the text ends, so that a look past the end is caught.
    char* copy = malloc(length + 1);
    memcpy(copy, text, length);
    const char* after = rbl_parse_double(copy, copy + length, &value);
    const bool whole = after == copy + length;
    free(copy);
    const double expected = strtod(text, NULL);
    if (!whole || !same_bits(value, expected))
    {
        fail_msg("\"%.60s\": %a instead of %a, %s", text, value, expected,
                 whole ? "read whole" : "not read whole");
    }
}

#endif
