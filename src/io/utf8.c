#include "io/utf8.h"

#include <stdbool.h>

static bool in_range(unsigned char byte, unsigned char low, unsigned char high)
{
    return byte >= low && byte <= high;
}

// All restrictions concern the second byte; later ones are ordinary continuation bytes.
static bool second_byte_fits(unsigned char first, unsigned char second)
{
    switch (first)
    {
    case 0xE0:
        return in_range(second, 0xA0, 0xBF);
    case 0xED:
        return in_range(second, 0x80, 0x9F);
    case 0xF0:
        return in_range(second, 0x90, 0xBF);
    case 0xF4:
        return in_range(second, 0x80, 0x8F);
    default:
        return in_range(second, 0x80, 0xBF);
    }
}

static size_t length_from_first(unsigned char first)
{
    if (first < 0x80)
    {
        return 1;
    }
    if (in_range(first, 0xC2, 0xDF))
    {
        return 2;
    }
    return in_range(first, 0xE0, 0xEF) ? 3 : (in_range(first, 0xF0, 0xF4) ? 4 : 0);
}

size_t rbl_utf8_length(const char* text, const char* end)
{
    const unsigned char* bytes = (const unsigned char*)text;
    const size_t length = text < end ? length_from_first(bytes[0]) : 0;
    if (length > (size_t)(end - text) || (length > 1 && !second_byte_fits(bytes[0], bytes[1])))
    {
        return 0;
    }
    for (size_t i = 2; i < length; ++i)
    {
        if (!in_range(bytes[i], 0x80, 0xBF))
        {
            return 0;
        }
    }
    return length;
}

size_t rbl_utf8_encode(uint32_t code_point, char out[4])
{
    if (code_point < 0x80)
    {
        out[0] = (char)code_point;
        return 1;
    }
    const size_t length = code_point < 0x800 ? 2 : (code_point < 0x10000 ? 3 : 4);
    static const unsigned char marks[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length - 1; i > 0; --i)
    {
        out[i] = (char)(unsigned char)(0x80 | (code_point & 0x3F));
        code_point >>= 6;
    }
    out[0] = (char)(unsigned char)(marks[length] | code_point);
    return length;
}
