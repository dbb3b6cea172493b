#include "io/nrrd.h"
#include "base/error.h"
#include "base/number.h"
#include "math/vec.h"
#include <string.h>

// Largest header, in bytes: real headers have a few hundred.
#define MAX_HEADER 65536

typedef struct Header
{
    const char* name; // of the file, for messages
    uint32_t line;
    rblNrrdType type;
    bool big_endian, raw, has_sizes;
    uint32_t size[3];
    double spacing[3];
} Header;

// A part of the header.
typedef struct Span
{
    const char* begin;
    const char* end;
} Span;

static bool equals(Span span, const char* text)
{
    const size_t length = strlen(text);
    return (size_t)(span.end - span.begin) == length && memcmp(span.begin, text, length) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static Span trimmed(Span span)
{
    while (span.begin < span.end && is_blank(*span.begin))
    {
        ++span.begin;
    }
    while (span.end > span.begin && is_blank(span.end[-1]))
    {
        --span.end;
    }
    return span;
}

static bool take_number(Span* span, double* out)
{
    *span = trimmed(*span);
    const char* after = rbl_parse_double(span->begin, span->end, out);
    span->begin = after != NULL ? after : span->begin;
    return after != NULL && rbl_finite(*out);
}

static rblResult fail(const Header* header, const char* what)
{
    return rbl_fail(RBL_ERROR_FORMAT, "%s:%u: %s", header->name, header->line, what);
}

static rblResult read_type(Header* header, Span value)
{
    static const struct
    {
        const char* name;
        rblNrrdType type;
    } names[] = {{"uchar", RBL_NRRD_UINT8},
                 {"unsigned char", RBL_NRRD_UINT8},
                 {"uint8", RBL_NRRD_UINT8},
                 {"uint8_t", RBL_NRRD_UINT8},
                 {"ushort", RBL_NRRD_UINT16},
                 {"unsigned short", RBL_NRRD_UINT16},
                 {"unsigned short int", RBL_NRRD_UINT16},
                 {"uint16", RBL_NRRD_UINT16},
                 {"uint16_t", RBL_NRRD_UINT16},
                 {"float", RBL_NRRD_FLOAT},
                 {"double", RBL_NRRD_DOUBLE}};
    for (size_t k = 0; k < sizeof names / sizeof *names; ++k)
    {
        if (equals(value, names[k].name))
        {
            header->type = names[k].type;
            return RBL_OK;
        }
    }
    return fail(header, "type must be uint8, uint16, float or double");
}

static rblResult read_sizes(Header* header, Span value)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        double number;
        if (!take_number(&value, &number) || !(number >= 1.0 && number <= 65536.0) || number != floor(number))
        {
            return fail(header, "sizes must be three integers from 1 to 65536");
        }
        header->size[axis] = (uint32_t)number;
    }
    header->has_sizes = true;
    return trimmed(value).begin == value.end ? RBL_OK : fail(header, "sizes must be three numbers");
}

static rblResult read_spacings(Header* header, Span value)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        if (!take_number(&value, &header->spacing[axis]) ||
            !(header->spacing[axis] >= 1e-12 && header->spacing[axis] <= 1e12))
        {
            return fail(header, "spacings must be three positive numbers");
        }
    }
    return RBL_OK;
}

// "(a,b,c) (d,e,f) (g,h,i)": the distance of voxels along each axis is the length of its vector.
static rblResult read_directions(Header* header, Span value)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        value = trimmed(value);
        double squared = 0.0;
        for (int k = 0; k < 3; ++k)
        {
            double part;
            if (value.begin == value.end || *value.begin++ != (k == 0 ? '(' : ',') ||
                !take_number(&value, &part))
            {
                return fail(header, "space directions must be three vectors (x,y,z)");
            }
            squared += part * part;
            value = trimmed(value);
        }
        header->spacing[axis] = sqrt(squared);
        if (value.begin == value.end || *value.begin++ != ')' ||
            !(header->spacing[axis] >= 1e-12 && header->spacing[axis] <= 1e12))
        {
            return fail(header, "space directions must be three vectors (x,y,z) that are not zero");
        }
    }
    return RBL_OK;
}

static rblResult read_field(Header* header, Span key, Span value)
{
    if (equals(key, "type"))
    {
        return read_type(header, value);
    }
    if (equals(key, "dimension"))
    {
        return equals(value, "3") ? RBL_OK : fail(header, "dimension must be 3");
    }
    if (equals(key, "sizes"))
    {
        return read_sizes(header, value);
    }
    if (equals(key, "spacings"))
    {
        return read_spacings(header, value);
    }
    if (equals(key, "space directions"))
    {
        return read_directions(header, value);
    }
    if (equals(key, "encoding"))
    {
        header->raw = equals(value, "raw");
        return header->raw ? RBL_OK : fail(header, "encoding must be raw");
    }
    if (equals(key, "endian"))
    {
        header->big_endian = equals(value, "big");
        return header->big_endian || equals(value, "little") ? RBL_OK
                                                             : fail(header, "endian must be little or big");
    }
    if (equals(key, "data file") || equals(key, "datafile"))
    {
        return fail(header, "the numbers must be in the file itself");
    }
    return RBL_OK; // ignored
}

static rblResult read_line(Header* header, Span line)
{
    const char* colon = line.begin;
    while (colon + 1 < line.end && !(colon[0] == ':' && (colon[1] == ' ' || colon[1] == '=')))
    {
        ++colon;
    }
    if (line.begin < line.end && *line.begin == '#')
    {
        return RBL_OK;
    }
    if (colon + 1 >= line.end)
    {
        return fail(header, "expected 'key: value'");
    }
    return colon[1] == '='
               ? RBL_OK
               : read_field(header, trimmed((Span){line.begin, colon}), trimmed((Span){colon + 2, line.end}));
}

// `data` receives the offset of the first byte after the header.
static rblResult read_header(Header* header, const uint8_t* bytes, size_t size, size_t* data)
{
    if (size < 8 || memcmp(bytes, "NRRD000", 7) != 0)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: not a NRRD file, must begin with NRRD000", header->name);
    }
    const char* text = (const char*)bytes;
    size_t at = 0;
    for (;;)
    {
        size_t end = at;
        while (end < size && end < MAX_HEADER && text[end] != '\n')
        {
            ++end;
        }
        if (end == size || end == MAX_HEADER)
        {
            return fail(header, "the header does not end with an empty line");
        }
        const Span line = trimmed((Span){text + at, text + end});
        at = end + 1;
        if (line.begin == line.end)
        {
            *data = at;
            return RBL_OK;
        }
        RBL_TRY(header->line > 1 ? read_line(header, line) : RBL_OK);
        header->line += 1;
    }
}

static uint32_t width_of(rblNrrdType type)
{
    static const uint32_t widths[] = {0, 1, 2, 4, 8};
    return widths[type];
}

static rblResult check_header(const Header* header, size_t bytes)
{
    if (header->type == RBL_NRRD_UNKNOWN || !header->has_sizes || !header->raw)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: type, sizes or encoding is missing", header->name);
    }
    const uint32_t width = width_of(header->type);
    const double wanted = (double)header->size[0] * header->size[1] * header->size[2] * width;
    if ((double)bytes != wanted)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: %zu bytes of numbers, not %u x %u x %u of %u", header->name,
                        bytes, header->size[0], header->size[1], header->size[2], width);
    }
    return RBL_OK;
}

rblResult rbl_nrrd_parse(const uint8_t* bytes, size_t size, const char* name, rblNrrd* out)
{
    Header header = {.name = name, .line = 1, .spacing = {1, 1, 1}};
    size_t data = 0;
    RBL_TRY(read_header(&header, bytes, size, &data));
    RBL_TRY(check_header(&header, size - data));
    *out = (rblNrrd){.type = header.type, .big_endian = header.big_endian, .numbers = bytes + data};
    memcpy(out->size, header.size, sizeof out->size);
    memcpy(out->spacing, header.spacing, sizeof out->spacing);
    out->count = (size_t)header.size[0] * header.size[1] * header.size[2];
    return RBL_OK;
}

double rbl_nrrd_number(const rblNrrd* nrrd, size_t index)
{
    const uint32_t width = width_of(nrrd->type);
    const uint8_t* from = nrrd->numbers + index * width;
    uint64_t bits = 0;
    for (uint32_t k = 0; k < width; ++k)
    {
        bits |= (uint64_t)from[nrrd->big_endian ? width - 1 - k : k] << 8 * k;
    }
    if (nrrd->type == RBL_NRRD_FLOAT)
    {
        const uint32_t low = (uint32_t)bits;
        float number;
        memcpy(&number, &low, sizeof number);
        return (double)number;
    }
    double number = (double)bits;
    if (nrrd->type == RBL_NRRD_DOUBLE)
    {
        memcpy(&number, &bits, sizeof number);
    }
    return number;
}
