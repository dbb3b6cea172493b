// A small writer of SVG pictures: lines, areas and text. Coordinates are in pixels, Y down, with two digits after the
// point. Colours and widths come from classes of the style sheet given at the start, so that one drawing works on light
// and dark pages.
#ifndef RBL_IO_IMAGE_SVG_H
#define RBL_IO_IMAGE_SVG_H

#include "io/file.h"

// `title` is for screen readers; `style` is CSS and must not contain "]]>".
void rbl_svg_begin(rblWriter* writer, double width, double height, const char* title, const char* style);
void rbl_svg_end(rblWriter* writer);

void rbl_svg_begin_group(rblWriter* writer, const char* classes);
void rbl_svg_end_group(rblWriter* writer);

void rbl_svg_rectangle(rblWriter* writer, const char* classes, double x, double y, double width,
                       double height);
void rbl_svg_line(rblWriter* writer, const char* classes, double x0, double y0, double x1, double y1);

// Any bytes: those that XML does not allow are replaced.
void rbl_svg_text(rblWriter* writer, const char* classes, double x, double y, const char* text);

// A path: begin, then point by point, then end.
void rbl_svg_begin_path(rblWriter* writer, const char* classes);
void rbl_svg_move_to(rblWriter* writer, double x, double y);
void rbl_svg_line_to(rblWriter* writer, double x, double y);
void rbl_svg_end_path(rblWriter* writer);

#endif
