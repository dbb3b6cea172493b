#ifndef RBL_IO_COMPRESS_BASE64_H
#define RBL_IO_COMPRESS_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decode base64 (RFC 4648, section 4). Padding is optional; other characters outside the alphabet and unused bits that
// are not zero are refused. `out` has a capacity of 3 * (length / 4) + 3 bytes. False for an invalid text.
bool rbl_base64_decode(const char* text, size_t length, uint8_t* out, size_t* out_size);

#endif
