// Deflate in two layers: matching (search earlier text, with one byte of lookahead) and blocks (the smallest of a
// code made for the block, the fixed code, and no compression).
#include "io/compress/deflate.h"

#include "base/error.h"
#include "io/compress/checksum.h"
#include "io/compress/huffman.h"
#include <string.h>

// Limits of the format (RFC 1951), in bytes; HASH_SIZE is our own, 15 bits.
#define WINDOW       32768u
#define MIN_MATCH    3u
#define MAX_MATCH    258u
#define HASH_SIZE    32768u
#define END_OF_BLOCK 256u

// Effort of the search. Measured against zlib at its default level on text, programs and rendered images: sizes
// within 0.2 %, time about the same.
#define MAX_CHAIN     128u  // candidates tested
#define GOOD_MATCH    8u    // a match this long makes the next search four times shorter
#define LAZY_MATCH    32u   // a match this long is used without a search at the next byte
#define NICE_MATCH    128u  // a match this long ends the search
#define FAR_FOR_THREE 4096u // three bytes from farther away need more bits than three literals

// Numbers of symbols of the format, symbols per block (our choice), and bytes of a stored block (limit of the
// format).
#define LITERAL_SYMBOLS  286u
#define DISTANCE_SYMBOLS 30u
#define LENGTH_SYMBOLS   19u
#define BLOCK_SYMBOLS    16384u
#define STORED_BLOCK     65535u

// A literal (distance 0, value = byte) or a match (value = length).
typedef struct Symbol
{
    uint16_t value;
    uint16_t distance;
} Symbol;

typedef struct Deflater
{
    const uint8_t* bytes;
    size_t size;
    size_t block_begin;        // first byte of the current block
    size_t heads[HASH_SIZE];   // newest position + 1 with that hash; 0: none
    uint16_t previous[WINDOW]; // per position: distance back to the previous one with the same hash; 0: none
    Symbol symbols[BLOCK_SYMBOLS];
    uint32_t symbol_count;
    uint32_t literal_counts[LITERAL_SYMBOLS];
    uint32_t distance_counts[DISTANCE_SYMBOLS];
    rblByteArray* out;
    uint64_t bits; // not written yet, lowest first
    uint32_t bit_count;
    bool failed;
} Deflater;

// The header of a block with its own code.
typedef struct BlockCode
{
    rblHuffmanCode literals;
    rblHuffmanCode distances;
    rblHuffmanCode lengths; // code of the code lengths
    uint32_t literal_count;
    uint32_t distance_count;
    uint32_t length_count;
    uint8_t runs[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];   // code length symbols 0 .. 18
    uint8_t extras[LITERAL_SYMBOLS + DISTANCE_SYMBOLS]; // their extra bits
    uint32_t run_count;
} BlockCode;

// ---- bits ----

static void put_bits(Deflater* d, uint32_t value, uint32_t count)
{
    d->bits |= (uint64_t)value << d->bit_count;
    d->bit_count += count;
    while (d->bit_count >= 8)
    {
        d->failed = d->failed || !rbl_array_push(d->out, (uint8_t)d->bits);
        d->bits >>= 8;
        d->bit_count -= 8;
    }
}

static void align_to_byte(Deflater* d)
{
    put_bits(d, 0, (8 - d->bit_count) & 7);
}

static void put_bytes(Deflater* d, const uint8_t* bytes, size_t count)
{
    if (d->failed || !rbl_array_reserve_more(d->out, count))
    {
        d->failed = true;
    }
    else if (count > 0)
    {
        memcpy(d->out->data + d->out->count, bytes, count);
        d->out->count += count;
    }
}

// ---- symbols: closed forms of the tables in RFC 1951, section 3.2.5 ----

static uint32_t floor_log2(uint32_t x)
{
    uint32_t log = 0;
    while (x >>= 1)
    {
        log += 1;
    }
    return log;
}

static uint32_t length_symbol(uint32_t length, uint32_t* extra_bits)
{
    const uint32_t x = length - MIN_MATCH;
    *extra_bits = 0;
    if (x < 8 || length == MAX_MATCH)
    {
        return length == MAX_MATCH ? 285 : 257 + x;
    }
    const uint32_t log = floor_log2(x);
    *extra_bits = log - 2;
    return 257 + 4 * (log - 1) + (x >> (log - 2) & 3);
}

static uint32_t distance_symbol(uint32_t distance, uint32_t* extra_bits)
{
    const uint32_t x = distance - 1;
    *extra_bits = 0;
    if (x < 4)
    {
        return x;
    }
    const uint32_t log = floor_log2(x);
    *extra_bits = log - 1;
    return 2 * log + (x >> (log - 1) & 1);
}

// ---- code of a block ----

static void add_run(BlockCode* code, uint8_t symbol, uint32_t extra)
{
    code->runs[code->run_count] = symbol;
    code->extras[code->run_count] = (uint8_t)extra;
    code->run_count += 1;
}

// Code lengths with repeats: 16 repeats the last one 3 to 6 times, 17 and 18 mean 3 to 10 and 11 to 138 zeros.
static void encode_lengths(BlockCode* code, const uint8_t* lengths, uint32_t count)
{
    uint32_t repeat;
    for (uint32_t i = 0; i < count; i += repeat)
    {
        const uint8_t length = lengths[i];
        for (repeat = 1; i + repeat < count && lengths[i + repeat] == length && repeat < 138;)
        {
            repeat += 1;
        }
        if (length == 0 && repeat >= 3)
        {
            add_run(code, repeat < 11 ? 17 : 18, repeat < 11 ? repeat - 3 : repeat - 11);
            continue;
        }
        add_run(code, length, 0);
        repeat = repeat > 7 ? 7 : repeat;
        if (repeat >= 4)
        {
            add_run(code, 16, repeat - 4);
            continue;
        }
        repeat = 1;
    }
}

static uint32_t used_symbols(const uint8_t* lengths, uint32_t count, uint32_t least)
{
    while (count > least && lengths[count - 1] == 0)
    {
        count -= 1;
    }
    return count;
}

// The order in which code lengths of code lengths are stored: those that are often zero come last.
static const uint8_t length_order[LENGTH_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                     11, 4,  12, 3, 13, 2, 14, 1, 15};

static void make_own_code(const Deflater* d, BlockCode* code)
{
    uint8_t lengths[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
    uint32_t counts[LENGTH_SYMBOLS] = {0};
    rbl_huffman_build(&code->literals, d->literal_counts, LITERAL_SYMBOLS, 15);
    rbl_huffman_build(&code->distances, d->distance_counts, DISTANCE_SYMBOLS, 15);
    code->literal_count = used_symbols(code->literals.lengths, LITERAL_SYMBOLS, 257);
    if (used_symbols(code->distances.lengths, DISTANCE_SYMBOLS, 0) == 0)
    {
        code->distances.lengths[0] = 1; // a block without matches still needs one distance code
    }
    code->distance_count = used_symbols(code->distances.lengths, DISTANCE_SYMBOLS, 1);
    memcpy(lengths, code->literals.lengths, code->literal_count);
    memcpy(lengths + code->literal_count, code->distances.lengths, code->distance_count);
    code->run_count = 0;
    encode_lengths(code, lengths, code->literal_count + code->distance_count);
    for (uint32_t i = 0; i < code->run_count; ++i)
    {
        counts[code->runs[i]] += 1;
    }
    rbl_huffman_build(&code->lengths, counts, LENGTH_SYMBOLS, 7);
    uint8_t ordered[LENGTH_SYMBOLS];
    for (uint32_t i = 0; i < LENGTH_SYMBOLS; ++i)
    {
        ordered[i] = code->lengths.lengths[length_order[i]];
    }
    code->length_count = used_symbols(ordered, LENGTH_SYMBOLS, 4);
}

static void make_fixed_code(BlockCode* code)
{
    for (uint32_t s = 0; s < RBL_HUFFMAN_MAX_SYMBOLS; ++s)
    {
        code->literals.lengths[s] = s < 144 ? 8 : (s < 256 ? 9 : (s < 280 ? 7 : 8));
        code->distances.lengths[s] = s < 30 ? 5 : 0;
    }
    rbl_huffman_assign(&code->literals, RBL_HUFFMAN_MAX_SYMBOLS);
    rbl_huffman_assign(&code->distances, DISTANCE_SYMBOLS);
}

static uint32_t run_extra_bits(uint8_t symbol)
{
    return symbol == 16 ? 2 : (symbol == 17 ? 3 : (symbol == 18 ? 7 : 0));
}

static uint64_t header_cost(const BlockCode* code)
{
    uint64_t bits = 14 + 3 * (uint64_t)code->length_count;
    for (uint32_t i = 0; i < code->run_count; ++i)
    {
        bits += code->lengths.lengths[code->runs[i]] + run_extra_bits(code->runs[i]);
    }
    return bits;
}

// Extra bits are the same for every code and are not counted.
static uint64_t symbol_cost(const Deflater* d, const BlockCode* code)
{
    uint64_t bits = 0;
    for (uint32_t s = 0; s < LITERAL_SYMBOLS; ++s)
    {
        bits += (uint64_t)d->literal_counts[s] * code->literals.lengths[s];
    }
    for (uint32_t s = 0; s < DISTANCE_SYMBOLS; ++s)
    {
        bits += (uint64_t)d->distance_counts[s] * code->distances.lengths[s];
    }
    return bits;
}

static uint64_t extra_cost(const Deflater* d)
{
    uint64_t bits = 0;
    for (uint32_t s = 265; s < 285; ++s)
    {
        bits += (uint64_t)d->literal_counts[s] * ((s - 261) / 4);
    }
    for (uint32_t s = 4; s < DISTANCE_SYMBOLS; ++s)
    {
        bits += (uint64_t)d->distance_counts[s] * (s / 2 - 1);
    }
    return bits;
}

// ---- writing a block ----

static void put_symbols(Deflater* d, const BlockCode* code)
{
    uint32_t extra;
    for (uint32_t i = 0; i < d->symbol_count; ++i)
    {
        const Symbol symbol = d->symbols[i];
        if (symbol.distance == 0)
        {
            put_bits(d, code->literals.codes[symbol.value], code->literals.lengths[symbol.value]);
            continue;
        }
        const uint32_t length = length_symbol(symbol.value, &extra);
        put_bits(d, code->literals.codes[length], code->literals.lengths[length]);
        put_bits(d, (symbol.value - MIN_MATCH) & ((1u << extra) - 1), extra);
        const uint32_t distance = distance_symbol(symbol.distance, &extra);
        put_bits(d, code->distances.codes[distance], code->distances.lengths[distance]);
        put_bits(d, (symbol.distance - 1u) & ((1u << extra) - 1), extra);
    }
    put_bits(d, code->literals.codes[END_OF_BLOCK], code->literals.lengths[END_OF_BLOCK]);
}

static void put_own_code(Deflater* d, const BlockCode* code)
{
    put_bits(d, code->literal_count - 257, 5);
    put_bits(d, code->distance_count - 1, 5);
    put_bits(d, code->length_count - 4, 4);
    for (uint32_t i = 0; i < code->length_count; ++i)
    {
        put_bits(d, code->lengths.lengths[length_order[i]], 3);
    }
    for (uint32_t i = 0; i < code->run_count; ++i)
    {
        const uint8_t symbol = code->runs[i];
        put_bits(d, code->lengths.codes[symbol], code->lengths.lengths[symbol]);
        put_bits(d, code->extras[i], run_extra_bits(symbol));
    }
}

static void put_stored(Deflater* d, const uint8_t* bytes, size_t size, bool last)
{
    do
    {
        const uint32_t part = (uint32_t)(size < STORED_BLOCK ? size : STORED_BLOCK);
        put_bits(d, last && part == size, 3);
        align_to_byte(d);
        put_bits(d, part, 16);
        put_bits(d, part ^ 0xFFFF, 16);
        put_bytes(d, bytes, part);
        bytes += part;
        size -= part;
    } while (size > 0);
}

// Write the collected symbols, which encode the bytes up to `end`, in the smallest of the three forms.
static void finish_block(Deflater* d, size_t end, bool last)
{
    BlockCode own;
    BlockCode fixed;
    d->literal_counts[END_OF_BLOCK] = 1;
    make_own_code(d, &own);
    make_fixed_code(&fixed);
    const size_t size = end - d->block_begin;
    const uint64_t own_cost = header_cost(&own) + symbol_cost(d, &own);
    const uint64_t fixed_cost = symbol_cost(d, &fixed);
    const uint64_t cheapest = own_cost < fixed_cost ? own_cost : fixed_cost;
    const uint64_t stored_cost = 8 * (uint64_t)size + 40 * (uint64_t)(size / STORED_BLOCK + 1);
    if (stored_cost < cheapest + extra_cost(d))
    {
        put_stored(d, d->bytes + d->block_begin, size, last);
    }
    else
    {
        put_bits(d, last, 1);
        put_bits(d, own_cost < fixed_cost ? 2 : 1, 2);
        if (own_cost < fixed_cost)
        {
            put_own_code(d, &own);
        }
        put_symbols(d, own_cost < fixed_cost ? &own : &fixed);
    }
    d->block_begin = end;
    d->symbol_count = 0;
    memset(d->literal_counts, 0, sizeof d->literal_counts);
    memset(d->distance_counts, 0, sizeof d->distance_counts);
}

// `end` is the first byte after the symbol.
static void add_symbol(Deflater* d, uint32_t value, uint32_t distance, size_t end)
{
    uint32_t extra;
    d->symbols[d->symbol_count++] = (Symbol){(uint16_t)value, (uint16_t)distance};
    d->literal_counts[distance == 0 ? value : length_symbol(value, &extra)] += 1;
    if (distance != 0)
    {
        d->distance_counts[distance_symbol(distance, &extra)] += 1;
    }
    if (d->symbol_count == BLOCK_SYMBOLS)
    {
        finish_block(d, end, false);
    }
}

// ---- matching ----

typedef struct Match
{
    uint32_t length; // 0: none
    uint32_t distance;
} Match;

static uint32_t hash_at(const Deflater* d, size_t at)
{
    const uint8_t* p = d->bytes + at;
    const uint32_t key = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    return (key * 0x9E3779B1u) >> 17; // Knuth's multiplicative hash, upper 15 bits
}

static void remember(Deflater* d, size_t at)
{
    if (d->size - at < MIN_MATCH)
    {
        return;
    }
    size_t* head = &d->heads[hash_at(d, at)];
    const size_t back = *head != 0 ? at - (*head - 1) : 0;
    d->previous[at % WINDOW] = (uint16_t)(back < WINDOW ? back : 0);
    *head = at + 1;
}

static uint32_t match_length(const uint8_t* a, const uint8_t* b, uint32_t limit)
{
    uint32_t length = 0;
    while (length < limit && a[length] == b[length])
    {
        length += 1;
    }
    return length;
}

// The longest match at `at` that is longer than `best` bytes, among the newest candidates.
static Match find_match(const Deflater* d, size_t at, uint32_t best)
{
    Match found = {0, 0};
    const size_t left = d->size - at;
    const uint32_t limit = left < MAX_MATCH ? (uint32_t)left : MAX_MATCH;
    if (limit < MIN_MATCH || best >= limit)
    {
        return found;
    }
    const size_t head = d->heads[hash_at(d, at)];
    size_t distance = head != 0 ? at - (head - 1) : 0;
    const uint8_t* here = d->bytes + at;
    best = best < MIN_MATCH - 1 ? MIN_MATCH - 1 : best;
    for (uint32_t chain = best >= GOOD_MATCH ? MAX_CHAIN / 4 : MAX_CHAIN;
         chain > 0 && distance != 0 && distance < WINDOW; --chain)
    {
        const uint8_t* there = here - distance;
        const uint32_t length = there[best] == here[best] ? match_length(here, there, limit) : 0;
        if (length > best && (length > MIN_MATCH || distance <= FAR_FOR_THREE))
        {
            found = (Match){length, (uint32_t)distance};
            best = length;
            if (length >= NICE_MATCH || length == limit)
            {
                break;
            }
        }
        const uint32_t step = d->previous[(at - distance) % WINDOW];
        distance = step != 0 ? distance + step : 0;
    }
    return found;
}

// A match is delayed by one byte: when the next byte starts a longer match, a literal replaces it.
static void match_all(Deflater* d)
{
    Match held = {0, 0};
    bool waiting = false; // the byte before `at` has no symbol yet
    size_t at = 0;
    while (at < d->size)
    {
        const Match found = held.length < LAZY_MATCH ? find_match(d, at, held.length) : (Match){0, 0};
        remember(d, at);
        if (held.length != 0 && found.length <= held.length)
        {
            const size_t end = at - 1 + held.length;
            for (size_t i = at + 1; i < end; ++i)
            {
                remember(d, i);
            }
            add_symbol(d, held.length, held.distance, end);
            held = (Match){0, 0};
            waiting = false;
            at = end;
            continue;
        }
        if (waiting)
        {
            add_symbol(d, d->bytes[at - 1], 0, at);
        }
        held = found;
        waiting = true;
        at += 1;
    }
    if (waiting)
    {
        add_symbol(d, d->bytes[at - 1], 0, at);
    }
}

rblResult rbl_zlib_compress(const uint8_t* bytes, size_t size, rblByteArray* out)
{
    Deflater* d = rbl_alloc_zero(out->allocator, sizeof *d);
    if (d == NULL)
    {
        return rbl_fail_memory();
    }
    d->bytes = bytes;
    d->size = size;
    d->out = out;
    put_bits(d, 0x9C78, 16); // Deflate, 32 KiB window, default effort
    match_all(d);
    finish_block(d, size, true);
    align_to_byte(d);
    const uint32_t adler = rbl_adler32(RBL_ADLER32_START, bytes, size);
    for (int shift = 24; shift >= 0; shift -= 8)
    {
        put_bits(d, adler >> shift & 0xFF, 8);
    }
    const bool failed = d->failed;
    rbl_free(out->allocator, d, sizeof *d);
    return failed ? rbl_fail_memory() : RBL_OK;
}
