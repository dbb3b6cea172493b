#ifndef RBL_IO_COMPRESS_BASE64_H
#define RBL_IO_COMPRESS_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Decode base64 (RFC 4648, section 4). Padding may be left out; anything else that is not of the alphabet is refused,
// as are bits that would be thrown away. `out` has room for 3 * (length / 4) + 3 bytes. False when the text is wrong.
bool rbl_base64_decode(const char* text, size_t length, uint8_t* out, size_t* out_size);

#endif
