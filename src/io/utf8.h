#ifndef RBL_IO_UTF8_H
#define RBL_IO_UTF8_H

#include <stddef.h>
#include <stdint.h>

// The length of the well-formed UTF-8 sequence at `text`, 0 when there is none before `end`: over-long forms, surrogates
// and code points above U+10FFFF are not well formed (Unicode 15, table 3-7).
size_t rbl_utf8_length(const char* text, const char* end);

// Write a code point (at most U+10FFFF, no surrogate) and return its length.
size_t rbl_utf8_encode(uint32_t code_point, char out[4]);

#endif
