// An inflater for tests, written from RFC 1950 and 1951 alone and sharing nothing with the library, so that both would
// have to be wrong in the same way. Slow and simple: codes are matched bit by bit.
#ifndef RBL_TESTS_INFLATE_H
#define RBL_TESTS_INFLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Inflate
{
    const uint8_t* in;
    size_t size;
    size_t bit; // next bit to read
    uint8_t* out;
    size_t out_capacity;
    size_t out_count;
    bool bad;
    uint32_t block_kinds[3]; // how many stored, fixed and dynamic blocks were seen
} Inflate;

typedef struct InflateCode
{
    uint16_t counts[16];   // codes of each length
    uint16_t symbols[288]; // in order of code
} InflateCode;

static inline uint32_t inflate_bits(Inflate* z, uint32_t count)
{
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; ++i, ++z->bit)
    {
        if (z->bit / 8 >= z->size)
        {
            z->bad = true;
            return 0;
        }
        value |= (uint32_t)(z->in[z->bit / 8] >> (z->bit % 8) & 1) << i;
    }
    return value;
}

// False when the lengths describe more codes than there can be, or fewer (a single code is allowed).
static inline bool inflate_make(InflateCode* code, const uint8_t* lengths, uint32_t count)
{
    uint16_t offsets[16] = {0};
    memset(code, 0, sizeof *code);
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        code->counts[lengths[i]] = (uint16_t)(code->counts[lengths[i]] + (lengths[i] != 0));
        used += lengths[i] != 0;
    }
    int32_t unused = 1;
    for (uint32_t i = 1; i < 16; ++i)
    {
        unused = unused * 2 - code->counts[i];
        if (unused < 0)
        {
            return false;
        }
        offsets[i] = (uint16_t)(offsets[i - 1] + (i > 1 ? code->counts[i - 1] : 0));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (lengths[i] != 0)
        {
            code->symbols[offsets[lengths[i]]++] = (uint16_t)i;
        }
    }
    return unused == 0 || used <= 1;
}

static inline uint32_t inflate_symbol(Inflate* z, const InflateCode* code)
{
    int32_t value = 0, first = 0, index = 0;
    for (uint32_t length = 1; length < 16 && !z->bad; ++length)
    {
        value |= (int32_t)inflate_bits(z, 1);
        const int32_t count = code->counts[length];
        if (value - first < count)
        {
            return code->symbols[index + value - first];
        }
        index += count;
        first = (first + count) << 1;
        value <<= 1;
    }
    z->bad = true;
    return 256;
}

static inline void inflate_put(Inflate* z, uint8_t byte)
{
    if (z->out_count == z->out_capacity)
    {
        z->bad = true;
        return;
    }
    z->out[z->out_count++] = byte;
}

static inline void inflate_copy(Inflate* z, const InflateCode* distances, uint32_t symbol)
{
    static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                             31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                             2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const uint16_t distance_base[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                               33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                               1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    static const uint8_t distance_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                               6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
    if (symbol > 285)
    {
        z->bad = true;
        return;
    }
    const uint32_t length = length_base[symbol - 257] + inflate_bits(z, length_extra[symbol - 257]);
    const uint32_t code = inflate_symbol(z, distances);
    if (z->bad || code > 29)
    {
        z->bad = true;
        return;
    }
    const size_t distance = distance_base[code] + inflate_bits(z, distance_extra[code]);
    z->bad = z->bad || distance > z->out_count;
    for (uint32_t i = 0; i < length && !z->bad; ++i)
    {
        inflate_put(z, z->out[z->out_count - distance]);
    }
}

static inline void inflate_coded(Inflate* z, const InflateCode* literals, const InflateCode* distances)
{
    while (!z->bad)
    {
        const uint32_t symbol = inflate_symbol(z, literals);
        if (symbol == 256)
        {
            return;
        }
        if (symbol < 256)
        {
            inflate_put(z, (uint8_t)symbol);
        }
        else
        {
            inflate_copy(z, distances, symbol);
        }
    }
}

static inline void inflate_fixed(Inflate* z)
{
    InflateCode literals, distances;
    uint8_t lengths[288];
    memset(lengths, 8, 144);
    memset(lengths + 144, 9, 112);
    memset(lengths + 256, 7, 24);
    memset(lengths + 280, 8, 8);
    z->bad = !inflate_make(&literals, lengths, 288);
    memset(lengths, 5, 30);
    inflate_make(&distances, lengths, 30);
    inflate_coded(z, &literals, &distances);
}

static inline void inflate_dynamic(Inflate* z)
{
    static const uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    InflateCode literals, distances;
    uint8_t lengths[320] = {0};
    const uint32_t literal_count = inflate_bits(z, 5) + 257;
    const uint32_t distance_count = inflate_bits(z, 5) + 1;
    const uint32_t length_count = inflate_bits(z, 4) + 4;
    for (uint32_t i = 0; i < length_count; ++i)
    {
        lengths[order[i]] = (uint8_t)inflate_bits(z, 3);
    }
    z->bad = z->bad || literal_count > 286 || distance_count > 30 || !inflate_make(&literals, lengths, 19);
    uint32_t index = 0;
    while (!z->bad && index < literal_count + distance_count)
    {
        const uint32_t symbol = inflate_symbol(z, &literals);
        uint32_t repeat = 1;
        uint8_t value = (uint8_t)symbol;
        if (symbol >= 16)
        {
            value = symbol == 16 && index > 0 ? lengths[index - 1] : 0;
            z->bad = z->bad || (symbol == 16 && index == 0);
            repeat = symbol == 16 ? 3 + inflate_bits(z, 2)
                                  : (symbol == 17 ? 3 + inflate_bits(z, 3) : 11 + inflate_bits(z, 7));
        }
        z->bad = z->bad || index + repeat > literal_count + distance_count;
        for (; repeat > 0 && !z->bad; --repeat)
        {
            lengths[index++] = value;
        }
    }
    z->bad = z->bad || lengths[256] == 0 || !inflate_make(&literals, lengths, literal_count) ||
             !inflate_make(&distances, lengths + literal_count, distance_count);
    inflate_coded(z, &literals, &distances);
}

static inline void inflate_stored(Inflate* z)
{
    z->bit = (z->bit + 7) / 8 * 8;
    const uint32_t length = inflate_bits(z, 16);
    z->bad = z->bad || inflate_bits(z, 16) != (length ^ 0xFFFF);
    for (uint32_t i = 0; i < length && !z->bad; ++i)
    {
        inflate_put(z, (uint8_t)inflate_bits(z, 8));
    }
}

// True when `in` is exactly one valid zlib stream of out_count bytes.
static inline bool inflate_zlib(Inflate* z)
{
    const uint32_t header = inflate_bits(z, 8) << 8 | inflate_bits(z, 8);
    bool last = false;
    z->bad = z->bad || header % 31 != 0 || (header >> 8 & 15) != 8 || (header & 0x20) != 0;
    while (!last && !z->bad)
    {
        last = inflate_bits(z, 1) != 0;
        const uint32_t kind = inflate_bits(z, 2);
        if (kind == 3 || z->bad)
        {
            return false;
        }
        z->block_kinds[kind] += 1;
        kind == 0 ? inflate_stored(z) : (kind == 1 ? inflate_fixed(z) : inflate_dynamic(z));
    }
    uint64_t a = 1, b = 0;
    for (size_t i = 0; i < z->out_count; ++i)
    {
        a = (a + z->out[i]) % 65521;
        b = (b + a) % 65521;
    }
    z->bit = (z->bit + 7) / 8 * 8;
    uint32_t check = 0;
    for (int i = 0; i < 4; ++i)
    {
        check = check << 8 | inflate_bits(z, 8);
    }
    return !z->bad && check == (uint32_t)(b << 16 | a) && z->bit == 8 * z->size;
}

#endif
