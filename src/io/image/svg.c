#include "io/image/svg.h"

#include "base/number.h"
#include "io/xml.h"
#include <string.h>

// ---- pieces ----

// A number with up to two digits after the point, without trailing zeros.
static void write_number(rblWriter* writer, double value)
{
    char text[RBL_NUMBER_SIZE];
    size_t length = rbl_format_fixed(value, 2, text);
    if (memchr(text, '.', length) != NULL && memchr(text, 'e', length) == NULL)
    {
        while (text[length - 1] == '0')
        {
            --length;
        }
        length -= text[length - 1] == '.';
    }
    rbl_write_bytes(writer, text, length);
}

static void write_attribute(rblWriter* writer, const char* name, double value)
{
    rbl_write_text(writer, " ");
    rbl_write_text(writer, name);
    rbl_write_text(writer, "=\"");
    write_number(writer, value);
    rbl_write_text(writer, "\"");
}

static void open_element(rblWriter* writer, const char* name, const char* classes)
{
    rbl_write_text(writer, "<");
    rbl_write_text(writer, name);
    rbl_write_text(writer, " class=\"");
    rbl_write_text(writer, classes);
    rbl_write_text(writer, "\"");
}

// ---- document ----

void rbl_svg_begin(rblWriter* writer, double width, double height, const char* title, const char* style)
{
    rbl_write_text(writer, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    write_attribute(writer, "width", width);
    write_attribute(writer, "height", height);
    rbl_write_text(writer, " viewBox=\"0 0 ");
    write_number(writer, width);
    rbl_write_text(writer, " ");
    write_number(writer, height);
    rbl_write_text(writer, "\">\n<title>");
    rbl_write_xml(writer, title);
    rbl_write_text(writer, "</title>\n<style><![CDATA[\n");
    rbl_write_text(writer, style);
    rbl_write_text(writer, "]]></style>\n");
}

void rbl_svg_end(rblWriter* writer)
{
    rbl_write_text(writer, "</svg>\n");
}

void rbl_svg_begin_group(rblWriter* writer, const char* classes)
{
    open_element(writer, "g", classes);
    rbl_write_text(writer, ">\n");
}

void rbl_svg_end_group(rblWriter* writer)
{
    rbl_write_text(writer, "</g>\n");
}

// ---- shapes ----

void rbl_svg_rectangle(rblWriter* writer, const char* classes, double x, double y, double width,
                       double height)
{
    open_element(writer, "rect", classes);
    write_attribute(writer, "x", x);
    write_attribute(writer, "y", y);
    write_attribute(writer, "width", width);
    write_attribute(writer, "height", height);
    rbl_write_text(writer, "/>\n");
}

void rbl_svg_line(rblWriter* writer, const char* classes, double x0, double y0, double x1, double y1)
{
    open_element(writer, "line", classes);
    write_attribute(writer, "x1", x0);
    write_attribute(writer, "y1", y0);
    write_attribute(writer, "x2", x1);
    write_attribute(writer, "y2", y1);
    rbl_write_text(writer, "/>\n");
}

void rbl_svg_text(rblWriter* writer, const char* classes, double x, double y, const char* text)
{
    open_element(writer, "text", classes);
    write_attribute(writer, "x", x);
    write_attribute(writer, "y", y);
    rbl_write_text(writer, ">");
    rbl_write_xml(writer, text);
    rbl_write_text(writer, "</text>\n");
}

static void write_point(rblWriter* writer, const char* command, double x, double y)
{
    rbl_write_text(writer, command);
    write_number(writer, x);
    rbl_write_text(writer, " ");
    write_number(writer, y);
}

void rbl_svg_begin_path(rblWriter* writer, const char* classes)
{
    open_element(writer, "path", classes);
    rbl_write_text(writer, " d=\"");
}

void rbl_svg_move_to(rblWriter* writer, double x, double y)
{
    write_point(writer, "M", x, y);
}

void rbl_svg_line_to(rblWriter* writer, double x, double y)
{
    write_point(writer, "L", x, y);
}

void rbl_svg_end_path(rblWriter* writer)
{
    rbl_write_text(writer, "\"/>\n");
}
