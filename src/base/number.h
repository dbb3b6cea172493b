// Integers from and to text, the same in every locale and on every platform; rubble/text.h has the other numbers.
#ifndef RBL_BASE_NUMBER_H
#define RBL_BASE_NUMBER_H

#include "rubble/text.h"
#include <stdbool.h>

// A decimal integer with optional sign, never past `end`. Returns the first character after it; null when there is none or when
// it does not fit.
const char* rbl_parse_i64(const char* text, const char* end, int64_t* out);

// A decimal integer. Writes a terminator and returns the length without it.
size_t rbl_format_u64(uint64_t value, char out[RBL_NUMBER_SIZE]);

#endif
