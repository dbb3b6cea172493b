#ifndef RBL_IO_COMPRESS_CHECKSUM_H
#define RBL_IO_COMPRESS_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

// Both can be computed in parts: pass the last result on. Start from the constants.
#define RBL_CRC32_START   0u
#define RBL_ADLER32_START 1u

// The checksum of PNG chunks (ISO 3309, reflected polynomial EDB88320).
uint32_t rbl_crc32(uint32_t crc, const void* bytes, size_t size);

// The checksum of zlib streams (RFC 1950, section 8).
uint32_t rbl_adler32(uint32_t adler, const void* bytes, size_t size);

#endif
