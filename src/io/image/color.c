#include "io/image/color.h"

#include "math/trig.h"
#include <float.h>
#include <math.h>

static float decode(float encoded)
{
    const double x = fabs((double)encoded);
    const double curve = x <= 0.04045 ? x / 12.92 : rbl_pow((x + 0.055) / 1.055, 2.4);
    // Any value of a file becomes a finite float.
    const double linear = curve < (double)FLT_MAX ? curve : (double)FLT_MAX;
    return (float)(encoded < 0.0f ? -linear : linear);
}

static float encode(float linear)
{
    const double x = fabs((double)linear);
    const double encoded = x <= 0.0031308 ? x * 12.92 : 1.055 * rbl_pow(x, 1 / 2.4) - 0.055;
    return (float)(linear < 0.0f ? -encoded : encoded);
}

void rbl_color_to_linear(float rgba[4])
{
    for (int i = 0; i < 3; ++i)
    {
        rgba[i] = decode(rgba[i]);
    }
}

void rbl_colors_to_linear(float* rgba, size_t count)
{
    if (count < 128)
    {
        for (size_t i = 0; i < count; ++i)
        {
            rbl_color_to_linear(rgba + 4 * i);
        }
        return;
    }
    float table[256];
    for (int i = 0; i < 256; ++i)
    {
        table[i] = decode((float)(i * (1.0 / 255)));
    }
    for (size_t i = 0; i < 4 * count; ++i)
    {
        if (i % 4 != 3)
        {
            const uint8_t byte = rbl_color_to_byte(rgba[i]);
            rgba[i] = rgba[i] == (float)(byte * (1.0 / 255)) ? table[byte] : decode(rgba[i]);
        }
    }
}

void rbl_color_to_srgb(float rgba[4])
{
    for (int i = 0; i < 3; ++i)
    {
        rgba[i] = encode(rgba[i]);
    }
}

uint8_t rbl_color_to_byte(float value)
{
    const float scaled = value * 255.0f + 0.5f;
    return scaled >= 255.0f ? 255 : scaled > 0.0f ? (uint8_t)scaled : 0;
}
