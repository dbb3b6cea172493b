#include "io/compress/base64.h"

// The value of a digit, 64 for any other character.
static uint32_t digit_value(char c)
{
    if (c >= 'A' && c <= 'Z')
    {
        return (uint32_t)(c - 'A');
    }
    if (c >= 'a' && c <= 'z')
    {
        return (uint32_t)(c - 'a') + 26;
    }
    if (c >= '0' && c <= '9')
    {
        return (uint32_t)(c - '0') + 52;
    }
    return c == '+' ? 62 : (c == '/' ? 63 : 64);
}

bool rbl_base64_decode(const char* text, size_t length, uint8_t* out, size_t* out_size)
{
    if (length > 0 && length % 4 == 0 && text[length - 1] == '=')
    {
        length -= text[length - 2] == '=' ? 2 : 1;
    }
    uint32_t bits = 0;
    uint32_t bit_count = 0;
    size_t size = 0;
    for (size_t i = 0; i < length; ++i)
    {
        const uint32_t value = digit_value(text[i]);
        if (value == 64)
        {
            return false;
        }
        bits = bits << 6 | value;
        bit_count += 6;
        if (bit_count >= 8)
        {
            bit_count -= 8;
            out[size++] = (uint8_t)(bits >> bit_count);
        }
    }
    *out_size = size;
    return length % 4 != 1 && (bits & ((1u << bit_count) - 1)) == 0;
}
