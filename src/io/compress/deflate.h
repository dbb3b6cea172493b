// Compression: zlib streams (RFC 1950) of Deflate blocks (RFC 1951).
#ifndef RBL_IO_COMPRESS_DEFLATE_H
#define RBL_IO_COMPRESS_DEFLATE_H

#include "base/bytes.h"
#include "rubble/result.h"

// Append the compressed form of `bytes` to `out`. The output depends on the bytes alone. RBL_ERROR_MEMORY may leave
// part of a stream in `out`.
rblResult rbl_zlib_compress(const uint8_t* bytes, size_t size, rblByteArray* out);

#endif
