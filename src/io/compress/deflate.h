// Compression: zlib streams (RFC 1950) of Deflate blocks (RFC 1951).
#ifndef RBL_IO_COMPRESS_DEFLATE_H
#define RBL_IO_COMPRESS_DEFLATE_H

#include "base/bytes.h"
#include "rubble/result.h"

// Append the compressed form of `bytes` to `out`. The output depends only on the bytes. After RBL_ERROR_MEMORY `out` can
// have a part of a stream.
rblResult rbl_zlib_compress(const uint8_t* bytes, size_t size, rblByteArray* out);

#endif
