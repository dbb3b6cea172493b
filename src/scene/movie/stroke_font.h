// Text in pictures: a stroke font, drawn with round pens of any size and smooth edges.
#ifndef RBL_SCENE_MOVIE_STROKE_FONT_H
#define RBL_SCENE_MOVIE_STROKE_FONT_H

#include <stdint.h>

// An RGBA image to write on.
typedef struct rblCanvas
{
    uint8_t* rgba;
    uint32_t width, height;
} rblCanvas;

// Width of a line of text in pixels; `size` is the height of capitals. Bytes that are not printable ASCII count as
// boxes.
float rbl_stroke_width(const char* text, float size);

// Write from `x` on, with capitals standing on `y` (downwards from the top). What leaves the canvas is cut off.
void rbl_stroke_text(const rblCanvas* canvas, const char* text, float x, float y, float size,
                     const uint8_t color[3]);

#endif
