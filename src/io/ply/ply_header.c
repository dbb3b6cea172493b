#include "base/number.h"
#include "io/ply/ply.h"
#include "io/text.h"
#include <string.h>

bool rbl_ply_name_is(rblPlyName name, const char* word)
{
    return strlen(word) == name.length && memcmp(name.text, word, name.length) == 0;
}

// The header while it is being parsed.
typedef struct Parser
{
    rblPlyHeader* header;
    const rblSource* source;
    const char* line; // start of the line, for messages
    const char* at;
    const char* line_end;
    bool has_format;
} Parser;

static rblResult fail(const Parser* parser, rblResult result, const char* message)
{
    return rbl_fail_line(parser->source, parser->line, result, "%s", message);
}

static rblPlyName next_word(Parser* parser)
{
    while (parser->at < parser->line_end && rbl_is_blank(*parser->at))
    {
        ++parser->at;
    }
    const char* const begin = parser->at;
    while (parser->at < parser->line_end && !rbl_is_blank(*parser->at))
    {
        ++parser->at;
    }
    return (rblPlyName){begin, (size_t)(parser->at - begin)};
}

static rblPlyName rest_of_line(Parser* parser)
{
    while (parser->at < parser->line_end && rbl_is_blank(*parser->at))
    {
        ++parser->at;
    }
    const char* end = parser->line_end;
    while (end > parser->at && rbl_is_blank(end[-1]))
    {
        --end;
    }
    return (rblPlyName){parser->at, (size_t)(end - parser->at)};
}

static rblResult parse_format(Parser* parser)
{
    static const char* const names[RBL_PLY_FORMAT_COUNT] = {"ascii", "binary_little_endian",
                                                            "binary_big_endian"};
    const rblPlyName name = next_word(parser);
    const rblPlyName version = next_word(parser);
    for (int i = 0; i < RBL_PLY_FORMAT_COUNT; ++i)
    {
        if (rbl_ply_name_is(name, names[i]))
        {
            parser->header->format = (rblPlyFormat)i;
            parser->has_format = true;
        }
    }
    if (!parser->has_format)
    {
        return fail(parser, RBL_ERROR_FORMAT,
                    "the format must be ascii, binary_little_endian or binary_big_endian");
    }
    if (!rbl_ply_name_is(version, "1.0"))
    {
        return fail(parser, RBL_ERROR_UNSUPPORTED, "only version 1.0 of the format is read");
    }
    return RBL_OK;
}

static rblResult parse_element(Parser* parser)
{
    rblPlyElement element = {.name = next_word(parser), .first_property = parser->header->properties.count};
    const rblPlyName number = next_word(parser);
    int64_t count;
    const char* const end = number.text + number.length;
    if (element.name.length == 0 || rbl_parse_i64(number.text, end, &count) != end || count < 0)
    {
        return fail(parser, RBL_ERROR_FORMAT, "expected element NAME COUNT");
    }
    element.count = (uint64_t)count;
    return rbl_array_push(&parser->header->elements, element) ? RBL_OK : rbl_fail_memory();
}

static bool find_type(rblPlyName name, rblPlyType* out)
{
    static const char* const names[2][RBL_PLY_TYPE_COUNT] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    for (int i = 0; i < 2 * RBL_PLY_TYPE_COUNT; ++i)
    {
        if (rbl_ply_name_is(name, names[i / RBL_PLY_TYPE_COUNT][i % RBL_PLY_TYPE_COUNT]))
        {
            *out = (rblPlyType)(i % RBL_PLY_TYPE_COUNT);
            return true;
        }
    }
    return false;
}

static rblResult parse_property(Parser* parser)
{
    rblPlyHeader* header = parser->header;
    if (header->elements.count == 0)
    {
        return fail(parser, RBL_ERROR_FORMAT, "a property before the first element");
    }
    rblPlyElement* element = &header->elements.data[header->elements.count - 1];
    rblPlyProperty property = {.offset = element->row_bytes};
    rblPlyName word = next_word(parser);
    property.is_list = rbl_ply_name_is(word, "list");
    if (property.is_list)
    {
        if (!find_type(next_word(parser), &property.count_type) || property.count_type >= RBL_PLY_FLOAT32)
        {
            return fail(parser, RBL_ERROR_FORMAT, "the length of a list must be of an integer type");
        }
        word = next_word(parser);
    }
    if (!find_type(word, &property.type))
    {
        return fail(parser, RBL_ERROR_FORMAT, "a property of unknown type");
    }
    property.name = next_word(parser);
    if (property.name.length == 0)
    {
        return fail(parser, RBL_ERROR_FORMAT, "a property without a name");
    }
    element->row_bytes += rbl_ply_sizes[property.is_list ? property.count_type : property.type];
    element->has_lists = element->has_lists || property.is_list;
    element->property_count += 1;
    return rbl_array_push(&header->properties, property) ? RBL_OK : rbl_fail_memory();
}

static rblResult parse_comment(Parser* parser)
{
    if (!rbl_ply_name_is(next_word(parser), "rubble"))
    {
        return RBL_OK;
    }
    const rblPlyName kind = next_word(parser);
    const rblPlyName name = rest_of_line(parser);
    bool ok = true;
    if (rbl_ply_name_is(kind, "material"))
    {
        ok = rbl_array_push(&parser->header->materials, name);
    }
    if (rbl_ply_name_is(kind, "group"))
    {
        ok = rbl_array_push(&parser->header->groups, name);
    }
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult parse_line(Parser* parser, bool* is_last)
{
    const rblPlyName word = next_word(parser);
    if (rbl_ply_name_is(word, "element"))
    {
        return parse_element(parser);
    }
    if (rbl_ply_name_is(word, "property"))
    {
        return parse_property(parser);
    }
    if (rbl_ply_name_is(word, "format"))
    {
        return parse_format(parser);
    }
    if (rbl_ply_name_is(word, "comment"))
    {
        return parse_comment(parser);
    }
    *is_last = rbl_ply_name_is(word, "end_header");
    if (*is_last || word.length == 0 || rbl_ply_name_is(word, "obj_info"))
    {
        return RBL_OK;
    }
    return fail(parser, RBL_ERROR_FORMAT, "expected format, element, property, comment or end_header");
}

// All lines end like the first one: a binary body may begin with a byte that looks like part of a line end.
static const char* end_of_line_end(const char* line_end, const char* end, bool pairs)
{
    const size_t left = (size_t)(end - line_end);
    const size_t length = pairs && left >= 2 && line_end[0] == '\r' && line_end[1] == '\n' ? 2 : 1;
    return line_end + (length < left ? length : left);
}

static rblResult parse_lines(Parser* parser)
{
    const rblSource* source = parser->source;
    const char* const text = (const char*)source->bytes;
    const char* const end = text + source->size;
    const char* line_end = rbl_find_line_end(text, end);
    parser->line = text;
    parser->at = text;
    parser->line_end = line_end;
    if (!rbl_ply_name_is(next_word(parser), "ply") || rest_of_line(parser).length > 0)
    {
        return fail(parser, RBL_ERROR_FORMAT, "a PLY file begins with a line that says ply");
    }
    const bool pairs = end - line_end >= 2 && line_end[0] == '\r' && line_end[1] == '\n';
    bool is_last = false;
    while (!is_last)
    {
        parser->line = end_of_line_end(line_end, end, pairs);
        if (parser->line == end)
        {
            return fail(parser, RBL_ERROR_FORMAT, "the header has no end_header");
        }
        line_end = rbl_find_line_end(parser->line, end);
        parser->at = parser->line;
        parser->line_end = line_end;
        RBL_TRY(parse_line(parser, &is_last));
    }
    parser->header->body = (const uint8_t*)end_of_line_end(line_end, end, pairs);
    if (!parser->has_format)
    {
        return fail(parser, RBL_ERROR_FORMAT, "the header has no format line");
    }
    return RBL_OK;
}

rblResult rbl_ply_header_parse(rblPlyHeader* header, const rblSource* source)
{
    *header = (rblPlyHeader){0};
    rbl_array_init(&header->elements, source->allocator);
    rbl_array_init(&header->properties, source->allocator);
    rbl_array_init(&header->materials, source->allocator);
    rbl_array_init(&header->groups, source->allocator);
    rbl_array_init(&header->material_numbers, source->allocator);
    rbl_array_init(&header->group_numbers, source->allocator);
    Parser parser = {.header = header, .source = source};
    const rblResult result = parse_lines(&parser);
    if (result != RBL_OK)
    {
        rbl_ply_header_free(header);
    }
    return result;
}

void rbl_ply_header_free(rblPlyHeader* header)
{
    rbl_array_free(&header->elements);
    rbl_array_free(&header->properties);
    rbl_array_free(&header->materials);
    rbl_array_free(&header->groups);
    rbl_array_free(&header->material_numbers);
    rbl_array_free(&header->group_numbers);
}
