#include "io/color.h"

#include "math/trig.h"
#include <math.h>

static float decode(float encoded)
{
    const double x = fabs((double)encoded);
    const double linear = x <= 0.04045 ? x / 12.92 : rbl_pow((x + 0.055) / 1.055, 2.4);
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
