// Encoding of numbers as bytes, little-endian on every machine, for our own file formats.
#ifndef RBL_BASE_BYTES_H
#define RBL_BASE_BYTES_H

#include "base/array.h"
#include "rubble/parameters.h"
#include <string.h>

typedef RBL_ARRAY(uint8_t) rblByteArray;

// ---- writing ----

// Collects bytes. The sink remembers when memory runs out: callers check `failed` once, at the end.
struct rblByteSink
{
    rblByteArray bytes;
    bool failed;
};

void rbl_sink_init(rblByteSink* sink, const rblAllocator* allocator);
void rbl_sink_free(rblByteSink* sink);
void rbl_sink_clear(rblByteSink* sink); // keeps the memory, clears `failed`

// Capacity for `size` more bytes at the end, null when out of memory; then add the number of bytes used to bytes.count.
uint8_t* rbl_sink_reserve(rblByteSink* sink, size_t size);

void rbl_put_u8(rblByteSink* sink, uint32_t value);
void rbl_put_u32(rblByteSink* sink, uint32_t value);
void rbl_put_u64(rblByteSink* sink, uint64_t value);
void rbl_put_f32(rblByteSink* sink, float value);
void rbl_put_f64(rblByteSink* sink, double value);

// Seven bits per byte, lowest first; the top bit means that more bytes follow: 1 to 10 bytes.
void rbl_put_varint(rblByteSink* sink, uint64_t value);

// A varint for the length, then the bytes without a terminator.
void rbl_put_text(rblByteSink* sink, const char* text, size_t size);
void rbl_put_string(rblByteSink* sink, const char* text);

void rbl_put_floats(rblByteSink* sink, const float* values, size_t count);
void rbl_put_doubles(rblByteSink* sink, const double* values, size_t count);

// ---- reading ----

// Bytes that are read from the front. Reading past the end gives zeros and sets `failed`.
typedef struct rblByteSource
{
    const uint8_t* data;
    size_t size;
    size_t at;
    bool failed;
} rblByteSource;

static inline size_t rbl_source_left(const rblByteSource* source)
{
    return source->failed ? 0 : source->size - source->at;
}

// A pointer to the next `size` bytes; null when there are fewer.
const uint8_t* rbl_take_bytes(rblByteSource* source, size_t size);
uint32_t rbl_take_u8(rblByteSource* source);
uint32_t rbl_take_u32(rblByteSource* source);
uint64_t rbl_take_u64(rblByteSource* source);
float rbl_take_f32(rblByteSource* source);
double rbl_take_f64(rblByteSource* source);
uint64_t rbl_take_varint(rblByteSource* source);

// A varint of at most 32 bits; a larger one sets `failed`.
uint32_t rbl_take_u32_varint(rblByteSource* source);

// The number of items of at least `min_bytes` that follow. A count that the remaining bytes cannot contain sets
// `failed`, so that no caller allocates memory for it.
uint32_t rbl_take_count(rblByteSource* source, size_t min_bytes);

// The bytes of a text, without a terminator; null when there are fewer.
const char* rbl_take_text(rblByteSource* source, size_t* size);

void rbl_take_floats(rblByteSource* source, float* values, size_t count);
void rbl_take_doubles(rblByteSource* source, double* values, size_t count);

// ---- single numbers ----

static inline void rbl_store_u32(uint8_t* to, uint32_t value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
    to[2] = (uint8_t)(value >> 16);
    to[3] = (uint8_t)(value >> 24);
}

static inline void rbl_store_u64(uint8_t* to, uint64_t value)
{
    rbl_store_u32(to, (uint32_t)value);
    rbl_store_u32(to + 4, (uint32_t)(value >> 32));
}

static inline uint32_t rbl_load_u32(const uint8_t* from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

// At most 10 bytes; returns the end.
static inline uint8_t* rbl_store_varint(uint8_t* to, uint64_t value)
{
    for (; value > 0x7F; value >>= 7)
    {
        *to++ = (uint8_t)(value | 0x80);
    }
    *to++ = (uint8_t)value;
    return to;
}

static inline uint64_t rbl_load_u64(const uint8_t* from)
{
    return rbl_load_u32(from) | (uint64_t)rbl_load_u32(from + 4) << 32;
}

static inline uint32_t rbl_bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float rbl_float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Maps small signed numbers to small unsigned ones: 0, -1, 1, -2, ...
static inline uint64_t rbl_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t rbl_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

// ---- checksum ----

// A 64-bit checksum, the same on every machine: detects damage, not manipulation. Eight bytes at a time in four lanes,
// so that it costs less than a copy.
uint64_t rbl_check64(uint64_t seed, const void* bytes, size_t size);

#endif
