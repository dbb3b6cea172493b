// Numbers as bytes and back, little-endian on every machine: what files of our own are made of.
#ifndef RBL_BASE_BYTES_H
#define RBL_BASE_BYTES_H

#include "base/array.h"
#include "rubble/parameters.h"
#include <string.h>

typedef RBL_ARRAY(uint8_t) rblByteArray;

// ---- out ----

// Collects bytes. A failure (out of memory) is remembered: callers look at `failed` once, at the end.
struct rblByteSink
{
    rblByteArray bytes;
    bool failed;
};

void rbl_sink_init(rblByteSink* sink, const rblAllocator* allocator);
void rbl_sink_free(rblByteSink* sink);
void rbl_sink_clear(rblByteSink* sink); // keeps the memory, forgets a failure

// Room for `size` more bytes at the end, null when out of memory; then count up bytes.count by what was used.
uint8_t* rbl_sink_room(rblByteSink* sink, size_t size);

void rbl_put_u8(rblByteSink* sink, uint32_t value);
void rbl_put_u32(rblByteSink* sink, uint32_t value);
void rbl_put_u64(rblByteSink* sink, uint64_t value);
void rbl_put_f32(rblByteSink* sink, float value);
void rbl_put_f64(rblByteSink* sink, double value);

// Seven bits a byte, lowest first, the top bit says that more follow: 1 to 10 bytes.
void rbl_put_varint(rblByteSink* sink, uint64_t value);

// A varint for the length, then the bytes without a terminator.
void rbl_put_text(rblByteSink* sink, const char* text, size_t size);
void rbl_put_string(rblByteSink* sink, const char* text);

void rbl_put_floats(rblByteSink* sink, const float* values, size_t count);
void rbl_put_doubles(rblByteSink* sink, const double* values, size_t count);

// ---- in ----

// Bytes to be taken from the front. Taking more than there are gives zeros and sets `failed`.
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

// The next `size` bytes themselves; null when there are fewer.
const uint8_t* rbl_take_bytes(rblByteSource* source, size_t size);
uint32_t rbl_take_u8(rblByteSource* source);
uint32_t rbl_take_u32(rblByteSource* source);
uint64_t rbl_take_u64(rblByteSource* source);
float rbl_take_f32(rblByteSource* source);
double rbl_take_f64(rblByteSource* source);
uint64_t rbl_take_varint(rblByteSource* source);

// A varint of at most 32 bits; more is a failure.
uint32_t rbl_take_u32_varint(rblByteSource* source);

// How many things of at least `least_bytes` follow: a claim that the bytes left cannot hold is a failure, so that nobody
// allocates by it.
uint32_t rbl_take_count(rblByteSource* source, size_t least_bytes);

// Bytes of a text, without a terminator; null when there are fewer than claimed.
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

// At most 10 bytes; returns where it ended.
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

// Small numbers of either sign as small ones without: 0, -1, 1, -2, ...
static inline uint64_t rbl_zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t rbl_unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (0 - (value & 1)));
}

// ---- check ----

// A 64-bit check of bytes, the same on every machine: notices damage, not malice. Eight bytes at a time in four lanes, so
// that it costs less than copying them does.
uint64_t rbl_check64(uint64_t seed, const void* bytes, size_t size);

#endif
