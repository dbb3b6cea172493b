// Writes text formats. The rbl_print_... functions write at `c` and return the end; the buffer must be large enough.
#ifndef RBL_IO_TEXT_WRITE_H
#define RBL_IO_TEXT_WRITE_H

#include "base/number.h"
#include "io/file.h"

// " x y z", at most 75 characters.
static inline char* rbl_print_position(char* c, rblVec3d p)
{
    *c++ = ' ';
    c += rbl_format_double(p.x, c);
    *c++ = ' ';
    c += rbl_format_double(p.y, c);
    *c++ = ' ';
    return c + rbl_format_double(p.z, c);
}

// A blank and a number, count times; at most 17 characters each.
static inline char* rbl_print_floats(char* c, const float* values, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        *c++ = ' ';
        c += rbl_format_float(values[i], c);
    }
    return c;
}

// A name as the rest of a line: without characters that end or continue the line, and not empty.
static inline void rbl_write_name(rblWriter* writer, const char* name)
{
    if (*name == '\0')
    {
        rbl_write_text(writer, "default");
    }
    for (; *name != '\0'; ++name)
    {
        const bool unsafe = (unsigned char)*name < ' ' || (*name == '\\' && name[1] == '\0');
        rbl_write_bytes(writer, unsafe ? "_" : name, 1);
    }
}

#endif
