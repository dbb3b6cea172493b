// Numbers from and to text, the same in every locale and on every platform.
#ifndef RBL_BASE_NUMBER_H
#define RBL_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Read a decimal number at `text` (never past `end`): sign, digits, point, exponent; also nan, inf, infinity in any
// case. Correctly rounded. Returns the first character after it, or null when there is no number.
const char* rbl_parse_double(const char* text, const char* end, double* out);

// A decimal integer with optional sign. Null when there is none or when it does not fit.
const char* rbl_parse_i64(const char* text, const char* end, int64_t* out);

// Enough for any of the formats below, terminator included.
#define RBL_NUMBER_SIZE 32

// A decimal integer. Writes a terminator and returns the length without it, as all of these do.
size_t rbl_format_u64(uint64_t value, char out[RBL_NUMBER_SIZE]);

// The shortest text that reads back as exactly the same number ("0.1", "-0", "1e+30", "nan", "inf", "-inf").
size_t rbl_format_double(double value, char out[RBL_NUMBER_SIZE]);
size_t rbl_format_float(float value, char out[RBL_NUMBER_SIZE]);

// `digits` after the point (at most 14), rounded correctly, for tables: never an exponent below 1e15, above it as
// in "1.50e+20".
size_t rbl_format_fixed(double value, uint32_t digits, char out[RBL_NUMBER_SIZE]);

#endif
