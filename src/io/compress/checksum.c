#include "io/compress/checksum.h"

// Four bits at a time: the table of 16 numbers is easy to verify, and the speed is still about 300 MB/s.
static const uint32_t crc_of_nibble[16] = {
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
    0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

uint32_t rbl_crc32(uint32_t crc, const void* bytes, size_t size)
{
    const unsigned char* p = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; ++i)
    {
        crc ^= p[i];
        crc = crc >> 4 ^ crc_of_nibble[crc & 15];
        crc = crc >> 4 ^ crc_of_nibble[crc & 15];
    }
    return ~crc;
}

uint32_t rbl_adler32(uint32_t adler, const void* bytes, size_t size)
{
    const unsigned char* p = bytes;
    uint32_t a = adler & 0xFFFF;
    uint32_t b = adler >> 16;
    while (size > 0)
    {
        // The longest range after which b still fits in 32 bits.
        size_t run = size < 5552 ? size : 5552;
        size -= run;
        for (; run > 0; --run)
        {
            a += *p++;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}
