/// Text: numbers, the same in every locale and on every platform, and the nearest word.
#ifndef RUBBLE_TEXT_H
#define RUBBLE_TEXT_H

#include "rubble/linkage.h"
#include <stddef.h>
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// Read a decimal number at `text` (never past `end`): sign, digits, point, exponent; also nan, inf, infinity in any case.
/// Correctly rounded. Returns the first character after it, or null when there is no number or a pointer is null.
RBL_API const char* rbl_parse_double(const char* text, const char* end, double* out);

/// Enough for any of the formats below, terminator included.
#define RBL_NUMBER_SIZE 32

/// The shortest text that reads back as exactly the same number ("0.1", "-0", "1e+30", "nan", "inf", "-inf"). Writes a
/// terminator and returns the length without it; 0 when `out` is null, here and below.
RBL_API size_t rbl_format_double(double value, char out[RBL_NUMBER_SIZE]);

/// As rbl_format_double(): the shortest text for 32 bits.
RBL_API size_t rbl_format_float(float value, char out[RBL_NUMBER_SIZE]);

/// `digits` after the point (at most 14), rounded correctly, for tables: never an exponent below 1e15, above it as in
/// "1.50e+20".
RBL_API size_t rbl_format_fixed(double value, uint32_t digits, char out[RBL_NUMBER_SIZE]);

/// The candidate closest to a mistyped word, for "did you mean"; null when none is close, or a pointer is null.
RBL_API const char* rbl_suggest(const char* word, const char* const* candidates, uint32_t count);

RBL_EXTERN_C_END

#endif
