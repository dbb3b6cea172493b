// Text in pictures: a stroke font, drawn with a round pen of any size and smooth edges.
#ifndef RBL_SCENE_MOVIE_STROKE_FONT_H
#define RBL_SCENE_MOVIE_STROKE_FONT_H

#include <stdint.h>

// An RGBA image to draw on.
typedef struct rblCanvas
{
    uint8_t* rgba;
    uint32_t width, height;
} rblCanvas;

// Width of a line of text, px. `size` is the height of capitals. Bytes that are not printable ASCII are drawn as boxes.
float rbl_stroke_width(const char* text, float size);

// Draw text from `x` on, with its baseline at `y` (from the top). Parts outside the canvas are cut off.
void rbl_stroke_text(const rblCanvas* canvas, const char* text, float x, float y, float size,
                     const uint8_t color[3]);

#endif
