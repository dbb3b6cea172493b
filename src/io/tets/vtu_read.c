// VTU, the XML files of VTK for unstructured grids: points, tetrahedra and a cell array "region", from text, base64
// or appended raw data, in any number of pieces. Compressed data are refused; writers can turn compression off.
#include "base/number.h"
#include "io/compress/base64.h"
#include "io/tets/tets_files.h"
#include "io/tets/xml.h"
#include "io/text.h"
#include <string.h>

typedef RBL_ARRAY(uint8_t) Bytes;

typedef struct Vtu
{
    rblTetsCollector* collector;
    rblXml xml;          // the appended data follow it
    rblXmlText appended; // the data after the underscore
    bool appended_raw;
    uint32_t header_size;             // size of the length before binary data, bytes
    uint64_t point_count, cell_count; // of the current piece
    uint64_t first_point;             // number of points of the earlier pieces
    rblDoubleArray points, connectivity, offsets, types, regions;
    size_t other_cells;
} Vtu;

static rblResult fail_at(const Vtu* vtu, const char* at, const char* what)
{
    return rbl_fail_line(vtu->xml.source, at, RBL_ERROR_FORMAT, "%s", what);
}

// ---- arrays ----

typedef enum Kind
{
    KIND_SIGNED,
    KIND_UNSIGNED,
    KIND_FLOAT
} Kind;

typedef struct Type
{
    const char* name;
    Kind kind;
    uint32_t size;
} Type;

static const Type known_types[] = {
    {"Float64", KIND_FLOAT, 8},   {"Float32", KIND_FLOAT, 4},   {"Int64", KIND_SIGNED, 8},
    {"Int32", KIND_SIGNED, 4},    {"Int16", KIND_SIGNED, 2},    {"Int8", KIND_SIGNED, 1},
    {"UInt64", KIND_UNSIGNED, 8}, {"UInt32", KIND_UNSIGNED, 4}, {"UInt16", KIND_UNSIGNED, 2},
    {"UInt8", KIND_UNSIGNED, 1},
};

static uint64_t bits_at(const uint8_t* bytes, uint32_t size)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < size; ++i)
    {
        bits |= (uint64_t)bytes[i] << 8 * i;
    }
    return bits;
}

static double value_at(const uint8_t* bytes, const Type* type)
{
    const uint64_t bits = bits_at(bytes, type->size);
    if (type->kind == KIND_FLOAT && type->size == 8)
    {
        double value = 0.0;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type->kind == KIND_FLOAT)
    {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }
    const uint64_t top = (uint64_t)1 << (8 * type->size - 1);
    const bool negative = type->kind == KIND_SIGNED && (bits & top) != 0;
    return negative ? -(double)(top - (bits & (top - 1))) : (double)bits;
}

// Numbers separated by blanks.
static rblResult read_text_array(const Vtu* vtu, rblXmlText text, rblDoubleArray* out)
{
    const char* c = text.begin;
    for (;;)
    {
        while (c < text.end && rbl_is_space(*c))
        {
            ++c;
        }
        if (c == text.end)
        {
            return RBL_OK;
        }
        double value = 0.0;
        const char* after = rbl_parse_double(c, text.end, &value);
        if (after == NULL || (after < text.end && !rbl_is_space(*after)))
        {
            char token[RBL_QUOTE_SIZE];
            rbl_quote_token(c, text.end, token);
            return rbl_fail_line(vtu->xml.source, c, RBL_ERROR_FORMAT, "expected a number, found '%s'",
                                 token);
        }
        if (!rbl_array_push(out, value))
        {
            return rbl_fail_memory();
        }
        c = after;
    }
}

// A length, then that number of bytes.
static rblResult read_bytes_array(const Vtu* vtu, const uint8_t* bytes, size_t size, const Type* type,
                                  const char* at, rblDoubleArray* out)
{
    if (size < vtu->header_size)
    {
        return fail_at(vtu, at, "an array has no length");
    }
    const uint64_t length = bits_at(bytes, vtu->header_size);
    if (length > size - vtu->header_size || length % type->size != 0)
    {
        return fail_at(vtu, at, "an array is shorter than it says, or ends within a number");
    }
    const size_t count = (size_t)(length / type->size);
    if (!rbl_array_resize(out, count))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < count; ++i)
    {
        out->data[i] = value_at(bytes + vtu->header_size + i * type->size, type);
    }
    return RBL_OK;
}

static size_t encoded_size(uint64_t bytes)
{
    return (size_t)((bytes + 2) / 3 * 4);
}

// Decode this number of characters and append the result.
static rblResult decode_part(const Vtu* vtu, const char* begin, size_t length, Bytes* bytes)
{
    size_t size = 0;
    if (!rbl_array_reserve(bytes, bytes->count + length / 4 * 3 + 3))
    {
        return rbl_fail_memory();
    }
    if (!rbl_base64_decode(begin, length, bytes->data + bytes->count, &size))
    {
        return fail_at(vtu, begin, "the base64 text is wrong");
    }
    bytes->count += size;
    return RBL_OK;
}

// The length is encoded separately, which its padding shows, or together with the data. It determines the end of the
// data: in appended data the next array begins there.
static rblResult decode_array(const Vtu* vtu, rblXmlText text, Bytes* bytes)
{
    const size_t there = (size_t)(text.end - text.begin), head = encoded_size(vtu->header_size);
    if (there < head)
    {
        return fail_at(vtu, text.begin, "an array has no length");
    }
    RBL_TRY(decode_part(vtu, text.begin, head, bytes));
    const bool apart = bytes->count == vtu->header_size; // according to the padding
    const uint64_t length = bytes->count >= vtu->header_size ? bits_at(bytes->data, vtu->header_size) : 0;
    if (length > there)
    {
        return fail_at(vtu, text.begin, "an array is shorter than it says");
    }
    const size_t rest = apart ? encoded_size(length) : encoded_size(vtu->header_size + length) - head;
    return decode_part(vtu, text.begin + head, rest < there - head ? rest : there - head, bytes);
}

static rblResult read_base64_array(const Vtu* vtu, rblXmlText text, const Type* type, rblDoubleArray* out)
{
    while (text.begin < text.end && rbl_is_space(*text.begin))
    {
        ++text.begin;
    }
    while (text.begin < text.end && rbl_is_space(text.end[-1]))
    {
        --text.end;
    }
    Bytes bytes;
    rbl_array_init(&bytes, vtu->xml.source->allocator);
    rblResult result = decode_array(vtu, text, &bytes);
    if (result == RBL_OK)
    {
        result = read_bytes_array(vtu, bytes.data, bytes.count, type, text.begin, out);
    }
    rbl_array_free(&bytes);
    return result;
}

static rblResult read_appended_array(const Vtu* vtu, const rblXmlTag* tag, const Type* type,
                                     rblDoubleArray* out)
{
    uint64_t offset = 0;
    RBL_TRY(rbl_xml_count_attribute(&vtu->xml, tag, "offset", &offset));
    if (vtu->appended.begin == NULL || offset > (uint64_t)(vtu->appended.end - vtu->appended.begin))
    {
        return fail_at(vtu, tag->name.begin, "the offset is beyond the appended data");
    }
    const rblXmlText part = {vtu->appended.begin + offset, vtu->appended.end};
    return vtu->appended_raw ? read_bytes_array(vtu, (const uint8_t*)part.begin,
                                                (size_t)(part.end - part.begin), type, tag->name.begin, out)
                             : read_base64_array(vtu, part, type, out);
}

static rblResult read_array(Vtu* vtu, const rblXmlTag* tag, rblDoubleArray* out)
{
    const rblXmlText type_name = rbl_xml_attribute(tag, "type");
    const Type* type = NULL;
    for (size_t i = 0; i < sizeof known_types / sizeof known_types[0]; ++i)
    {
        type = rbl_xml_text_is(type_name, known_types[i].name) ? &known_types[i] : type;
    }
    if (type == NULL)
    {
        return fail_at(vtu, tag->name.begin, "an array has no type that is known");
    }
    rbl_array_clear(out);
    const rblXmlText format = rbl_xml_attribute(tag, "format");
    if (rbl_xml_text_is(format, "appended"))
    {
        return read_appended_array(vtu, tag, type, out);
    }
    const char* close =
        vtu->xml.at < vtu->xml.end ? memchr(vtu->xml.at, '<', (size_t)(vtu->xml.end - vtu->xml.at)) : NULL;
    const rblXmlText content = {vtu->xml.at, tag->empty ? vtu->xml.at : close != NULL ? close : vtu->xml.end};
    return rbl_xml_text_is(format, "binary") ? read_base64_array(vtu, content, type, out)
                                             : read_text_array(vtu, content, out);
}

// ---- pieces ----

// Whether a number is an integer below `limit`.
static bool as_index(double value, uint64_t limit, uint64_t* out)
{
    if (!(value >= 0.0 && value < 9007199254740992.0) || value != (double)(uint64_t)value)
    {
        return false;
    }
    *out = (uint64_t)value;
    return *out < limit;
}

// The VTK types of volume cells that are not tetrahedra: linear ones (voxel to hexagonal prism), those of second
// order, point sets and polyhedra, Lagrange and Bezier cells.
static bool is_other_solid(double type)
{
    static const uint8_t others[] = {11, 12, 13, 14, 15, 16, 25, 26, 27, 29, 31,
                                     32, 33, 37, 41, 42, 72, 73, 74, 79, 80, 81};
    for (size_t i = 0; i < sizeof others; ++i)
    {
        if (type == (double)others[i])
        {
            return true;
        }
    }
    return false;
}

// A tetrahedron of first order (10), of second order (24) or of any order (71 Lagrange, 78 Bezier): its corners come
// first.
static rblResult collect_cell(Vtu* vtu, uint64_t cell, uint64_t begin, uint64_t end, const char* at)
{
    const double type = vtu->types.data[cell];
    const bool any_order = type == 71.0 || type == 78.0;
    if (type != 10.0 && type != 24.0 && !any_order)
    {
        vtu->other_cells += is_other_solid(type);
        return RBL_OK;
    }
    uint64_t corners[4] = {0};
    bool good = any_order ? end - begin >= 4 : end - begin == (type == 10.0 ? 4 : 10);
    for (uint64_t i = 0; i < 4 && good; ++i)
    {
        good = as_index(vtu->connectivity.data[begin + i], vtu->point_count, &corners[i]);
        corners[i] += good ? vtu->first_point : 0;
    }
    if (!good)
    {
        return rbl_fail_line(vtu->xml.source, at, RBL_ERROR_FORMAT,
                             "cell %llu has too few points, or points that do not exist",
                             (unsigned long long)cell);
    }
    uint64_t region = 1;
    if (vtu->regions.count > 0 && !as_index(vtu->regions.data[cell], (uint64_t)1 << 32, &region))
    {
        region = 0;
    }
    return rbl_collect_tet(vtu->collector, corners, (uint32_t)region, at);
}

static rblResult check_piece(const Vtu* vtu, const char* at)
{
    if (vtu->points.count / 3 != vtu->point_count || vtu->points.count % 3 != 0)
    {
        return fail_at(vtu, at, "the piece has another number of points than it says");
    }
    if (vtu->types.count != vtu->cell_count || vtu->offsets.count != vtu->cell_count ||
        (vtu->regions.count != 0 && vtu->regions.count != vtu->cell_count))
    {
        return fail_at(vtu, at, "types, offsets or regions are not as many as the cells");
    }
    return RBL_OK;
}

static rblResult finish_piece(Vtu* vtu, const char* at)
{
    RBL_TRY(check_piece(vtu, at));
    for (uint64_t p = 0; p < vtu->point_count; ++p)
    {
        const double* x = vtu->points.data + 3 * p;
        const rblVec3d position = {x[0], x[1], x[2]};
        RBL_TRY(rbl_collect_node(vtu->collector, vtu->first_point + p, position, at));
    }
    uint64_t begin = 0;
    for (uint64_t cell = 0; cell < vtu->cell_count; ++cell)
    {
        uint64_t end = 0;
        if (!as_index(vtu->offsets.data[cell], (uint64_t)vtu->connectivity.count + 1, &end) || end < begin)
        {
            return fail_at(vtu, at, "an offset falls or is beyond the connectivity");
        }
        RBL_TRY(collect_cell(vtu, cell, begin, end, at));
        begin = end;
    }
    vtu->first_point += vtu->point_count;
    return RBL_OK;
}

static void clear_piece(Vtu* vtu)
{
    rbl_array_clear(&vtu->points);
    rbl_array_clear(&vtu->connectivity);
    rbl_array_clear(&vtu->offsets);
    rbl_array_clear(&vtu->types);
    rbl_array_clear(&vtu->regions);
}

// The array that a tag of this element fills; null: none.
static rblDoubleArray* array_for(Vtu* vtu, const rblXmlTag* tag, rblXmlText within)
{
    const rblXmlText name = rbl_xml_attribute(tag, "Name");
    if (rbl_xml_text_is(within, "Points"))
    {
        return &vtu->points;
    }
    if (rbl_xml_text_is(within, "CellData"))
    {
        return rbl_xml_text_is(name, "region") ? &vtu->regions : NULL;
    }
    if (!rbl_xml_text_is(within, "Cells"))
    {
        return NULL;
    }
    return rbl_xml_text_is(name, "connectivity") ? &vtu->connectivity
           : rbl_xml_text_is(name, "offsets")    ? &vtu->offsets
           : rbl_xml_text_is(name, "types")      ? &vtu->types
                                                 : NULL;
}

// Elements that contain such arrays set the section; others, such as the keys of an array, do not change it.
static void follow_section(const rblXmlTag* tag, rblXmlText* within)
{
    static const char* const sections[] = {"Points", "Cells", "PointData", "CellData"};
    const bool closes = tag->name.begin < tag->name.end && *tag->name.begin == '/';
    const rblXmlText name = {tag->name.begin + closes, tag->name.end};
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; ++i)
    {
        if (rbl_xml_text_is(name, sections[i]))
        {
            *within = closes || tag->empty ? (rblXmlText){name.end, name.end} : name;
        }
    }
}

static rblResult read_tags(Vtu* vtu)
{
    rblXmlTag tag;
    rblXmlText within = {vtu->xml.at, vtu->xml.at};
    bool found, in_piece = false;
    for (;;)
    {
        RBL_TRY(rbl_xml_next_tag(&vtu->xml, &tag, &found));
        if (!found)
        {
            return in_piece ? fail_at(vtu, vtu->xml.end, "a piece is not closed") : RBL_OK;
        }
        if (rbl_xml_text_is(tag.name, "Piece") && !tag.empty)
        {
            RBL_TRY(rbl_xml_count_attribute(&vtu->xml, &tag, "NumberOfPoints", &vtu->point_count));
            RBL_TRY(rbl_xml_count_attribute(&vtu->xml, &tag, "NumberOfCells", &vtu->cell_count));
            clear_piece(vtu);
            in_piece = true;
        }
        else if (rbl_xml_text_is(tag.name, "/Piece") && in_piece)
        {
            RBL_TRY(finish_piece(vtu, tag.name.begin));
            in_piece = false;
        }
        else if (rbl_xml_text_is(tag.name, "DataArray") && in_piece)
        {
            rblDoubleArray* array = array_for(vtu, &tag, within);
            RBL_TRY(array != NULL ? read_array(vtu, &tag, array) : RBL_OK);
        }
        else
        {
            follow_section(&tag, &within);
        }
    }
}

// ---- file ----

static rblResult read_heading(Vtu* vtu)
{
    rblXmlTag tag;
    bool found;
    RBL_TRY(rbl_xml_next_tag(&vtu->xml, &tag, &found));
    if (!found || !rbl_xml_text_is(tag.name, "VTKFile") ||
        !rbl_xml_text_is(rbl_xml_attribute(&tag, "type"), "UnstructuredGrid"))
    {
        return fail_at(vtu, vtu->xml.at, "expected <VTKFile type=\"UnstructuredGrid\" ...>");
    }
    const rblXmlText compressor = rbl_xml_attribute(&tag, "compressor");
    if (compressor.begin != compressor.end ||
        rbl_xml_text_is(rbl_xml_attribute(&tag, "byte_order"), "BigEndian"))
    {
        return rbl_fail_line(vtu->xml.source, tag.name.begin, RBL_ERROR_UNSUPPORTED,
                             "compressed and big-endian data are not supported");
    }
    vtu->header_size = rbl_xml_text_is(rbl_xml_attribute(&tag, "header_type"), "UInt64") ? 8 : 4;
    return RBL_OK;
}

static rblResult find_appended(Vtu* vtu)
{
    const char* found = rbl_xml_find(vtu->xml.at, vtu->xml.end, "<AppendedData");
    if (found == NULL)
    {
        return RBL_OK;
    }
    const char* close = rbl_xml_find(found, vtu->xml.end, ">");
    const char* begin = close != NULL ? rbl_xml_find(close, vtu->xml.end, "_") : NULL;
    if (begin == NULL)
    {
        return fail_at(vtu, found, "the appended data do not begin");
    }
    const rblXmlTag tag = {.attributes = {found + strlen("<AppendedData"), close}};
    vtu->appended_raw = rbl_xml_text_is(rbl_xml_attribute(&tag, "encoding"), "raw");
    vtu->appended = (rblXmlText){begin + 1, vtu->xml.end};
    vtu->xml.end = found;
    return RBL_OK;
}

static rblResult read_file(Vtu* vtu)
{
    RBL_TRY(read_heading(vtu));
    RBL_TRY(find_appended(vtu));
    RBL_TRY(read_tags(vtu));
    if (vtu->other_cells > 0)
    {
        rbl_warn_line(vtu->xml.source, NULL, "%zu volume cells that are no tetrahedra are left out",
                      vtu->other_cells);
    }
    return RBL_OK;
}

rblResult rbl_read_vtu(rblTetsCollector* collector)
{
    const rblSource* source = collector->source;
    const char* begin = (const char*)source->bytes;
    Vtu vtu = {.collector = collector, .xml = {source, begin, begin + source->size}};
    rblDoubleArray* const arrays[] = {&vtu.points, &vtu.connectivity, &vtu.offsets, &vtu.types, &vtu.regions};
    for (int i = 0; i < 5; ++i)
    {
        rbl_array_init(arrays[i], source->allocator);
    }
    const rblResult result = read_file(&vtu);
    for (int i = 0; i < 5; ++i)
    {
        rbl_array_free(arrays[i]);
    }
    return result;
}
