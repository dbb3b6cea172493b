// Reads numbers from the body of a PLY file, text or binary.
#include "base/number.h"
#include "io/ply/ply.h"
#include "io/text.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

rblResult rbl_ply_fail(const rblPlyCursor* cursor, const char* format, ...)
{
    char text[RBL_ERROR_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (cursor->format == RBL_PLY_ASCII)
    {
        return rbl_fail_line(cursor->source, cursor->at, RBL_ERROR_FORMAT, "%s", text);
    }
    return rbl_fail_byte(cursor->source, (uint64_t)(cursor->at - cursor->source->bytes), RBL_ERROR_FORMAT,
                         "%s", text);
}

static rblResult fail_short(const rblPlyCursor* cursor)
{
    return rbl_ply_fail(cursor, "the file ends too early");
}

rblPlyCursor rbl_ply_next(const rblPlyCursor* cursor)
{
    rblPlyCursor next = *cursor;
    while (next.format == RBL_PLY_ASCII && next.at < next.end && rbl_is_space((char)*next.at))
    {
        ++next.at;
    }
    return next;
}

static rblResult read_word(rblPlyCursor* cursor, double* out)
{
    *cursor = rbl_ply_next(cursor);
    const char* const at = (const char*)cursor->at;
    const char* const end = (const char*)cursor->end;
    if (at == end)
    {
        return fail_short(cursor);
    }
    const char* const after = rbl_parse_double(at, end, out);
    if (after == NULL || (after < end && !rbl_is_space(*after)))
    {
        char token[RBL_QUOTE_SIZE];
        rbl_quote_token(at, end, token);
        return rbl_ply_fail(cursor, "expected a number, found '%s'", token);
    }
    cursor->at = (const uint8_t*)after;
    return RBL_OK;
}

rblResult rbl_ply_scalar(rblPlyCursor* cursor, rblPlyType type, double* out)
{
    if (cursor->format == RBL_PLY_ASCII)
    {
        return read_word(cursor, out);
    }
    const size_t size = rbl_ply_sizes[type];
    if ((size_t)(cursor->end - cursor->at) < size)
    {
        return fail_short(cursor);
    }
    *out = rbl_ply_number(cursor->at, type, cursor->format == RBL_PLY_BIG_ENDIAN);
    cursor->at += size;
    return RBL_OK;
}

rblResult rbl_ply_list_count(rblPlyCursor* cursor, const rblPlyProperty* property, uint32_t* out)
{
    const rblPlyCursor start = rbl_ply_next(cursor);
    double count;
    RBL_TRY(rbl_ply_scalar(cursor, property->count_type, &count));
    const size_t left = (size_t)(cursor->end - cursor->at);
    const size_t each =
        cursor->format == RBL_PLY_ASCII ? 2 : rbl_ply_sizes[property->type]; // a blank and a digit
    if (!(count >= 0 && count <= (double)UINT32_MAX) || (double)(uint32_t)count != count)
    {
        return rbl_ply_fail(&start, "the length of a list is not a count");
    }
    if ((uint32_t)count > left / each)
    {
        return rbl_ply_fail(&start, "a list of %u entries does not fit into the rest of the file",
                            (uint32_t)count);
    }
    *out = (uint32_t)count;
    return RBL_OK;
}

rblResult rbl_ply_check_count(const rblPlyCursor* cursor, const rblPlyElement* element, size_t least)
{
    // The last row of a text may have no line end.
    const size_t left = (size_t)(cursor->end - cursor->at) + (cursor->format == RBL_PLY_ASCII);
    if (least > 0 && element->count > left / least)
    {
        char name[RBL_QUOTE_SIZE];
        rbl_quote_token(element->name.text, element->name.text + element->name.length, name);
        const rblPlyCursor start = rbl_ply_next(cursor);
        return rbl_ply_fail(&start, "the header gives %llu rows of '%s', but the file is too short for them",
                            (unsigned long long)element->count, name);
    }
    return RBL_OK;
}

static rblResult skip_row(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element)
{
    for (size_t i = 0; i < element->property_count; ++i)
    {
        const rblPlyProperty* property = &header->properties.data[element->first_property + i];
        uint32_t count = 1;
        if (property->is_list)
        {
            RBL_TRY(rbl_ply_list_count(cursor, property, &count));
        }
        if (cursor->format != RBL_PLY_ASCII && property->is_list)
        {
            cursor->at += (size_t)count * rbl_ply_sizes[property->type];
            continue;
        }
        double ignored;
        for (uint32_t k = 0; k < count; ++k)
        {
            RBL_TRY(rbl_ply_scalar(cursor, property->type, &ignored));
        }
    }
    return RBL_OK;
}

rblResult rbl_ply_skip(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element)
{
    const bool is_text = cursor->format == RBL_PLY_ASCII;
    RBL_TRY(rbl_ply_check_count(cursor, element, is_text ? 2 * element->property_count : element->row_bytes));
    if (!is_text && !element->has_lists)
    {
        cursor->at += (size_t)element->count * element->row_bytes;
        return RBL_OK;
    }
    for (uint64_t row = 0; row < element->count && element->property_count > 0; ++row)
    {
        RBL_TRY(skip_row(cursor, header, element));
    }
    return RBL_OK;
}
