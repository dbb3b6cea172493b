#include "base/bytes.h"

// ---- writing ----

void rbl_sink_init(rblByteSink* sink, const rblAllocator* allocator)
{
    rbl_array_init(&sink->bytes, allocator);
    sink->failed = false;
}

void rbl_sink_free(rblByteSink* sink)
{
    rbl_array_free(&sink->bytes);
}

void rbl_sink_clear(rblByteSink* sink)
{
    rbl_array_clear(&sink->bytes);
    sink->failed = false;
}

uint8_t* rbl_sink_reserve(rblByteSink* sink, size_t size)
{
    if (sink->failed || !rbl_array_reserve_more(&sink->bytes, size))
    {
        sink->failed = true;
        return NULL;
    }
    return sink->bytes.data + sink->bytes.count;
}

void rbl_put_bytes(rblByteSink* sink, const void* bytes, size_t size)
{
    uint8_t* to = sink != NULL && bytes != NULL && size > 0 ? rbl_sink_reserve(sink, size) : NULL;
    if (to != NULL)
    {
        memcpy(to, bytes, size);
        sink->bytes.count += size;
    }
}

void rbl_put_u8(rblByteSink* sink, uint32_t value)
{
    const uint8_t byte = (uint8_t)value;
    rbl_put_bytes(sink, &byte, 1);
}

void rbl_put_u32(rblByteSink* sink, uint32_t value)
{
    uint8_t bytes[4];
    rbl_store_u32(bytes, value);
    rbl_put_bytes(sink, bytes, sizeof bytes);
}

void rbl_put_u64(rblByteSink* sink, uint64_t value)
{
    rbl_put_u32(sink, (uint32_t)value);
    rbl_put_u32(sink, (uint32_t)(value >> 32));
}

void rbl_put_f32(rblByteSink* sink, float value)
{
    rbl_put_u32(sink, rbl_bits_of_float(value));
}

void rbl_put_f64(rblByteSink* sink, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    rbl_put_u64(sink, bits);
}

void rbl_put_varint(rblByteSink* sink, uint64_t value)
{
    uint8_t* to = rbl_sink_reserve(sink, 10);
    if (to == NULL)
    {
        return;
    }
    sink->bytes.count += (size_t)(rbl_store_varint(to, value) - to);
}

void rbl_put_text(rblByteSink* sink, const char* text, size_t size)
{
    rbl_put_varint(sink, size);
    rbl_put_bytes(sink, text, size);
}

void rbl_put_string(rblByteSink* sink, const char* text)
{
    rbl_put_text(sink, text, strlen(text));
}

void rbl_put_floats(rblByteSink* sink, const float* values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        rbl_put_f32(sink, values[i]);
    }
}

void rbl_put_doubles(rblByteSink* sink, const double* values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        rbl_put_f64(sink, values[i]);
    }
}

// ---- reading ----

const uint8_t* rbl_take_bytes(rblByteSource* source, size_t size)
{
    if (source->failed || size > source->size - source->at)
    {
        source->failed = true;
        return NULL;
    }
    const uint8_t* bytes = source->data + source->at;
    source->at += size;
    return bytes;
}

uint32_t rbl_take_u8(rblByteSource* source)
{
    const uint8_t* byte = rbl_take_bytes(source, 1);
    return byte != NULL ? *byte : 0;
}

uint32_t rbl_take_u32(rblByteSource* source)
{
    const uint8_t* bytes = rbl_take_bytes(source, 4);
    return bytes != NULL ? rbl_load_u32(bytes) : 0;
}

uint64_t rbl_take_u64(rblByteSource* source)
{
    const uint8_t* bytes = rbl_take_bytes(source, 8);
    return bytes != NULL ? rbl_load_u64(bytes) : 0;
}

float rbl_take_f32(rblByteSource* source)
{
    return rbl_float_of_bits(rbl_take_u32(source));
}

double rbl_take_f64(rblByteSource* source)
{
    const uint64_t bits = rbl_take_u64(source);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t rbl_take_varint(rblByteSource* source)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7)
    {
        const uint64_t byte = rbl_take_u8(source);
        if (shift == 63 && byte > 1)
        {
            break; // more than 64 bits
        }
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80)
        {
            return value;
        }
    }
    source->failed = true;
    return 0;
}

uint32_t rbl_take_u32_varint(rblByteSource* source)
{
    const uint64_t value = rbl_take_varint(source);
    source->failed = source->failed || value > UINT32_MAX;
    return source->failed ? 0 : (uint32_t)value;
}

uint32_t rbl_take_count(rblByteSource* source, size_t min_bytes)
{
    const uint32_t count = rbl_take_u32_varint(source);
    source->failed = source->failed || count > rbl_source_left(source) / min_bytes;
    return source->failed ? 0 : count;
}

const char* rbl_take_text(rblByteSource* source, size_t* size)
{
    const uint32_t count = rbl_take_count(source, 1);
    *size = count;
    return (const char*)rbl_take_bytes(source, count);
}

void rbl_take_floats(rblByteSource* source, float* values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        values[i] = rbl_take_f32(source);
    }
}

void rbl_take_doubles(rblByteSource* source, double* values, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        values[i] = rbl_take_f64(source);
    }
}

// ---- checksum ----

// Independent words per round, so that their multiplications overlap.
#define LANES 4

// One round of a lane: multiply by an odd number and mix the high bits into the low ones. It is invertible, so two
// inputs that differ in one word always give different values of that lane.
static uint64_t round_of(uint64_t lane, uint64_t word)
{
    lane = (lane ^ word) * 0x9E3779B97F4A7C15u;
    return lane ^ lane >> 32;
}

// The finisher of SplitMix64 (Steele, Lea and Flood 2014).
static uint64_t finish(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

uint64_t rbl_check64(uint64_t seed, const void* bytes, size_t size)
{
    const uint8_t* p = bytes;
    size_t left = size;
    uint64_t lanes[LANES];
    for (uint64_t k = 0; k < LANES; ++k)
    {
        lanes[k] = finish(seed + (k + 1) * 0xD1B54A32D192ED03u);
    }
    for (; left >= 8 * LANES; left -= 8 * LANES, p += 8 * LANES)
    {
        for (size_t k = 0; k < LANES; ++k)
        {
            lanes[k] = round_of(lanes[k], rbl_load_u64(p + 8 * k));
        }
    }
    uint8_t rest[8 * LANES] = {0};
    if (left > 0)
    {
        memcpy(rest, p, left);
    }
    uint64_t check = size;
    for (size_t k = 0; k < LANES; ++k)
    {
        lanes[k] = round_of(lanes[k], rbl_load_u64(rest + 8 * k));
        check = finish(check ^ lanes[k]);
    }
    return check;
}
