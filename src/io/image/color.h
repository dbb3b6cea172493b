// Colours in OBJ, PLY and OFF files are sRGB (IEC 61966-2-1); those in a mesh are linear.
#ifndef RBL_IO_IMAGE_COLOR_H
#define RBL_IO_IMAGE_COLOR_H

#include <stddef.h>
#include <stdint.h>

// Decode or encode red, green and blue in place; alpha is always linear. Below 0 the curve is mirrored, above 1 it is
// continued.
void rbl_color_to_linear(float rgba[4]);
void rbl_color_to_srgb(float rgba[4]);

// Many colours at once; much faster for multiples of 1/255, the usual case.
void rbl_colors_to_linear(float* rgba, size_t count);

// 0 .. 1 to 0 .. 255, rounded, clamped.
uint8_t rbl_color_to_byte(float value);

#endif
