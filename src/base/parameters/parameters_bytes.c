// Definitions as bytes: each value is stored with its key, so that a table may grow, and unknown keys are refused by
// name.
#include "base/parameters.h"
#include "rubble/math.h"
#include <stdio.h>

// ---- writing ----

static uint32_t count_rows(const rblParameter* rows)
{
    uint32_t count = 0;
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        count += row->type == RBL_PARAMETER_GROUP ? count_rows(row->group) : 1;
    }
    return count;
}

static void put_optional_text(rblByteSink* sink, const char* text)
{
    rbl_put_u8(sink, text != NULL);
    if (text != NULL)
    {
        rbl_put_string(sink, text);
    }
}

static void put_value(rblByteSink* sink, const rblParameter* row, const void* def, bool files)
{
    const void* field = (const char*)def + row->offset;
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
        rbl_put_f32(sink, *(const float*)field);
        break;
    case RBL_PARAMETER_DOUBLE:
        rbl_put_f64(sink, *(const double*)field);
        break;
    case RBL_PARAMETER_U32:
    case RBL_PARAMETER_CHOICE:
        rbl_put_u32(sink, *(const uint32_t*)field);
        break;
    case RBL_PARAMETER_U64:
        rbl_put_u64(sink, *(const uint64_t*)field);
        break;
    case RBL_PARAMETER_BOOL:
        rbl_put_u8(sink, *(const bool*)field);
        break;
    case RBL_PARAMETER_VECTOR:
        rbl_put_floats(sink, &((const rblVec3*)field)->x, 3);
        break;
    case RBL_PARAMETER_VECTOR_DOUBLE:
        rbl_put_doubles(sink, &((const rblVec3d*)field)->x, 3);
        break;
    case RBL_PARAMETER_TEXT:
        put_optional_text(sink, *(const char* const*)field);
        break;
    case RBL_PARAMETER_FILE:
        put_optional_text(sink, files ? *(const char* const*)field : NULL);
        break;
    case RBL_PARAMETER_CHOICE_OR_FILE:
        rbl_put_u32(sink, *(const uint32_t*)field);
        put_optional_text(
            sink, files ? *(const char* const*)(const void*)((const char*)def + row->file_offset) : NULL);
        break;
    case RBL_PARAMETER_END:
    case RBL_PARAMETER_GROUP:
    case RBL_PARAMETER_TYPE_COUNT:
        break;
    }
}

static void put_rows(rblByteSink* sink, const rblParameter* rows, const void* def, bool files,
                     const char* groups)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        char path[RBL_PARAMETER_MAX_PATH + 8];
        snprintf(path, sizeof path, "%s%s", groups, row->key);
        if (row->type == RBL_PARAMETER_GROUP)
        {
            strncat(path, ".", sizeof path - strlen(path) - 1);
            put_rows(sink, row->group, def, files, path);
            continue;
        }
        rbl_put_string(sink, path);
        rbl_put_u8(sink, row->type);
        put_value(sink, row, def, files);
    }
}

void rbl_parameters_put(rblByteSink* sink, const rblParameter* rows, const void* def, bool files)
{
    rbl_put_varint(sink, count_rows(rows));
    put_rows(sink, rows, def, files, "");
}

// ---- reading ----

// The row of a path such as variation.layers.axis, null when there is none.
static const rblParameter* find_row(const rblParameter* rows, const char* path, size_t length)
{
    const char* dot = memchr(path, '.', length);
    const size_t first = dot != NULL ? (size_t)(dot - path) : length;
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        if (strlen(row->key) != first || memcmp(row->key, path, first) != 0)
        {
            continue;
        }
        if (row->type != RBL_PARAMETER_GROUP)
        {
            return dot == NULL ? row : NULL;
        }
        return dot != NULL ? find_row(row->group, dot + 1, length - first - 1) : NULL;
    }
    return NULL;
}

static rblResult take_text(rblByteSource* source, rblArena* texts, const char** out)
{
    size_t size = 0;
    *out = NULL;
    if (rbl_take_u8(source) == 0)
    {
        return RBL_OK;
    }
    const char* bytes = rbl_take_text(source, &size);
    if (bytes == NULL || memchr(bytes, '\0', size) != NULL)
    {
        source->failed = true;
        return RBL_OK;
    }
    char* text = rbl_arena_alloc(texts, size + 1);
    if (text == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    *out = text;
    return RBL_OK;
}

static void take_number(rblByteSource* source, rblParameterType type, void* field)
{
    switch (type)
    {
    case RBL_PARAMETER_FLOAT:
        rbl_take_floats(source, field, 1);
        break;
    case RBL_PARAMETER_DOUBLE:
        rbl_take_doubles(source, field, 1);
        break;
    case RBL_PARAMETER_U64:
        *(uint64_t*)field = rbl_take_u64(source);
        break;
    case RBL_PARAMETER_BOOL:
        *(bool*)field = rbl_take_u8(source) != 0;
        break;
    case RBL_PARAMETER_VECTOR:
        rbl_take_floats(source, field, 3);
        break;
    case RBL_PARAMETER_VECTOR_DOUBLE:
        rbl_take_doubles(source, field, 3);
        break;
    default:
        *(uint32_t*)field = rbl_take_u32(source);
        break;
    }
}

static rblResult take_value(rblByteSource* source, const rblParameter* row, void* def, rblArena* texts)
{
    char* fields = def;
    if (row->type == RBL_PARAMETER_TEXT || row->type == RBL_PARAMETER_FILE)
    {
        return take_text(source, texts, (const char**)(void*)(fields + row->offset));
    }
    take_number(source, row->type, fields + row->offset);
    return row->type == RBL_PARAMETER_CHOICE_OR_FILE
               ? take_text(source, texts, (const char**)(void*)(fields + row->file_offset))
               : RBL_OK;
}

rblResult rbl_parameters_take(rblByteSource* source, const rblParameter* rows, void* def, rblArena* texts,
                              const char* name)
{
    const uint32_t count = rbl_take_count(source, 3);
    for (uint32_t i = 0; i < count && !source->failed; ++i)
    {
        size_t length = 0;
        const char* path = rbl_take_text(source, &length);
        const uint32_t type = rbl_take_u8(source);
        if (source->failed)
        {
            break;
        }
        const rblParameter* row = find_row(rows, path, length);
        if (row == NULL || (uint32_t)row->type != type)
        {
            return rbl_fail(RBL_ERROR_FORMAT, "%.60s: the parameter '%.*s' is %s", name,
                            (int)(length < RBL_PARAMETER_MAX_PATH ? length : RBL_PARAMETER_MAX_PATH), path,
                            row == NULL ? "not known" : "of another type");
        }
        RBL_TRY(take_value(source, row, def, texts));
    }
    return source->failed ? rbl_fail(RBL_ERROR_FORMAT, "%.60s: the parameters are cut short", name) : RBL_OK;
}
