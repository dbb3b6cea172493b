// Colours in OBJ, PLY and OFF files are what a screen shows (sRGB, IEC 61966-2-1); those in a mesh are linear.
#ifndef RBL_IO_IMAGE_COLOR_H
#define RBL_IO_IMAGE_COLOR_H

#include <stddef.h>
#include <stdint.h>

// Decode or encode red, green and blue in place; alpha is linear anyway. Outside 0 .. 1 the curve is mirrored at 0 and
// continued above 1.
void rbl_color_to_linear(float rgba[4]);
void rbl_color_to_srgb(float rgba[4]);

// Many at once; much faster when they are multiples of 1/255, as they mostly are.
void rbl_colors_to_linear(float* rgba, size_t count);

// 0 .. 1 to 0 .. 255, rounded, clamped.
uint8_t rbl_color_to_byte(float value);

#endif
