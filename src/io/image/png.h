// Images as PNG (ISO/IEC 15948), 8 bits per channel.
#ifndef RBL_IO_IMAGE_PNG_H
#define RBL_IO_IMAGE_PNG_H

#include "io/compress/deflate.h"

// Append the whole file to `out`. Top row first; `channels` 1 to 4: grey, grey-alpha, RGB, RGBA.
rblResult rbl_png_encode(const uint8_t* pixels, uint32_t width, uint32_t height, uint32_t channels,
                         rblByteArray* out);

#endif
