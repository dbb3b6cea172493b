// NRRD (Teem: nearly raw raster data, http://teem.sourceforge.net/nrrd/format.html), the part that label volumes need: a text
// header of "key: value" lines, an empty line, the numbers.
#include "base/error.h"
#include "base/number.h"
#include "fracture/label_volume.h"
#include "math/vec.h"
#include "rubble/pattern.h"
#include <string.h>

#define MOST_HEADER 65536 // bytes

typedef struct Header
{
    const char* name; // of the file
    uint32_t line;
    uint32_t width; // bytes of a number; 0: not said yet
    bool big_endian, raw, has_sizes;
    uint32_t size[3];
    double spacing[3];
} Header;

// A piece of the header.
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
    static const char* const bytes[] = {"uchar", "unsigned char", "uint8", "uint8_t"};
    static const char* const shorts[] = {"ushort", "unsigned short", "unsigned short int", "uint16",
                                         "uint16_t"};
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes; ++k)
    {
        header->width = equals(value, bytes[k]) ? 1 : header->width;
    }
    for (size_t k = 0; k < sizeof shorts / sizeof *shorts; ++k)
    {
        header->width = equals(value, shorts[k]) ? 2 : header->width;
    }
    return header->width != 0 ? RBL_OK : fail(header, "type must be uint8 or uint16");
}

static rblResult read_sizes(Header* header, Span value)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        double number;
        if (!take_number(&value, &number) || !(number >= 1.0 && number <= 65536.0) || number != floor(number))
        {
            return fail(header, "sizes must be three whole numbers from 1 to 65536");
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

// "(a,b,c) (d,e,f) (g,h,i)": how far apart voxels are along each axis is the length of its vector.
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
    return RBL_OK; // of no account for labels
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

// `data` becomes the first byte after the header.
static rblResult read_header(Header* header, const uint8_t* bytes, size_t size, size_t* data)
{
    if (size < 8 || memcmp(bytes, "NRRD000", 7) != 0)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: not a NRRD file", header->name);
    }
    const char* text = (const char*)bytes;
    size_t at = 0;
    for (;;)
    {
        size_t end = at;
        while (end < size && end < MOST_HEADER && text[end] != '\n')
        {
            ++end;
        }
        if (end == size || end == MOST_HEADER)
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

static rblResult check_header(const Header* header, size_t bytes)
{
    if (header->width == 0 || !header->has_sizes || !header->raw)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: type, sizes or encoding is missing", header->name);
    }
    const double wanted = (double)header->size[0] * header->size[1] * header->size[2] * header->width;
    if ((double)bytes != wanted)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: %zu bytes of numbers, not %u x %u x %u of %u", header->name,
                        bytes, header->size[0], header->size[1], header->size[2], header->width);
    }
    return RBL_OK;
}

// Numbers to labels without gaps, in rising order.
static rblResult number_labels(rblLabelVolume* volume, const char* name, const rblAllocator* allocator)
{
    const size_t values = 65536;
    uint32_t* numbers = rbl_alloc_zero(allocator, values * sizeof *numbers);
    if (numbers == NULL)
    {
        return rbl_fail_memory();
    }
    const size_t count = rbl_labels_count(volume);
    for (size_t v = 0; v < count; ++v)
    {
        numbers[volume->labels[v]] = 1;
    }
    for (size_t n = 0; n < values; ++n)
    {
        numbers[n] = numbers[n] != 0 ? volume->label_count++ : 0;
    }
    for (size_t v = 0; v < count; ++v)
    {
        volume->labels[v] = (uint16_t)numbers[volume->labels[v]];
    }
    RBL_FREE_ARRAY(allocator, numbers, values);
    return volume->label_count <= RBL_PATTERN_MAX_PIECES
               ? RBL_OK
               : rbl_fail(RBL_ERROR_LIMIT, "%s: %u labels are more than %d", name, volume->label_count,
                          RBL_PATTERN_MAX_PIECES);
}

rblResult rbl_labels_parse(const uint8_t* bytes, size_t size, const char* name, const rblAllocator* allocator,
                           rblLabelVolume** out)
{
    Header header = {.name = name, .line = 1, .spacing = {1, 1, 1}};
    size_t data = 0;
    RBL_TRY(read_header(&header, bytes, size, &data));
    RBL_TRY(check_header(&header, size - data));
    const rblAabbd box = {{0, 0, 0},
                          {header.size[0] * header.spacing[0], header.size[1] * header.spacing[1],
                           header.size[2] * header.spacing[2]}};
    rblLabelVolume* volume = NULL;
    const rblResult created = rbl_labels_create(header.size, box, allocator, &volume);
    if (created != RBL_OK)
    {
        return rbl_fail_within(created, name);
    }
    const size_t count = rbl_labels_count(volume);
    const uint8_t* number = bytes + data;
    for (size_t v = 0; v < count; ++v, number += header.width)
    {
        const uint32_t first = number[0], second = header.width == 2 ? number[1] : 0;
        volume->labels[v] =
            (uint16_t)(header.width == 2 && header.big_endian ? first << 8 | second : second << 8 | first);
    }
    const rblResult result = number_labels(volume, name, allocator);
    if (result != RBL_OK)
    {
        rbl_labels_free(volume, allocator);
        return result;
    }
    *out = volume;
    return RBL_OK;
}
