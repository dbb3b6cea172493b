// Prefix codes of limited length, as Deflate uses them.
#ifndef RBL_IO_COMPRESS_HUFFMAN_H
#define RBL_IO_COMPRESS_HUFFMAN_H

#include <stdint.h>

// Limits of Deflate (RFC 1951): 288 literal and length symbols, codes of 15 bits.
#define RBL_HUFFMAN_MAX_SYMBOLS 288
#define RBL_HUFFMAN_MAX_LENGTH  15

typedef struct rblHuffmanCode
{
    uint8_t lengths[RBL_HUFFMAN_MAX_SYMBOLS]; // 0: the symbol does not occur
    uint16_t codes[RBL_HUFFMAN_MAX_SYMBOLS]; // first bit lowest, for a stream that is filled from the low end
} rblHuffmanCode;

// The optimal code in which no symbol is longer than `limit` bits. 2^limit must be at least symbol_count.
void rbl_huffman_build(rblHuffmanCode* code, const uint32_t* counts, uint32_t symbol_count, uint32_t limit);

// The canonical codes of given lengths (RFC 1951, section 3.2.2).
void rbl_huffman_assign(rblHuffmanCode* code, uint32_t symbol_count);

#endif
