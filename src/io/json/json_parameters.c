#include "io/json/json_parameters.h"

#include "base/number.h"
#include "io/json/json_values.h"
#include <math.h>
#include <stdio.h>

// Keys that can be suggested: the rows of a table and the tag.
#define MAX_CANDIDATES (RBL_PARAMETER_MAX_ROWS + 2)

// ---- keys ----

const rblParameter* rbl_json_find_parameter(const rblParameter* rows, const char* key)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        if (strcmp(row->key, key) == 0)
        {
            return row;
        }
    }
    return NULL;
}

rblResult rbl_json_check_parameter_keys(rblJson object, const rblParameter* rows, const char* tag)
{
    const char* keys[MAX_CANDIDATES + 1];
    uint32_t count = 0;
    if (tag != NULL)
    {
        keys[count++] = tag;
    }
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END && count < MAX_CANDIDATES; ++row)
    {
        keys[count++] = row->key;
    }
    keys[count] = NULL;
    return rbl_check_keys(object, keys);
}

// ---- reading ----

static rblResult check_number(rblJson value, const rblParameter* row, double number)
{
    char text[RBL_NUMBER_SIZE];
    char range[128];
    if (!rbl_parameter_out_of_range(row, number))
    {
        return RBL_OK;
    }
    rbl_format_double(number, text);
    rbl_parameter_range_text(row, range, sizeof range);
    return rbl_json_fail(value, RBL_ERROR_FORMAT, "is %s, %s", text, range);
}

// Rounded to float, also where the field of the definition is a double.
static rblResult read_number(rblJson value, const rblParameter* row, double* out)
{
    float number = 0.0f;
    RBL_TRY(rbl_get_float(value, RBL_ANY_NUMBER, &number));
    *out = (double)number;
    return check_number(value, row, *out);
}

static rblResult read_numbers(rblJson value, const rblParameter* row, double out[3])
{
    rblVec3 numbers;
    RBL_TRY(row->nonzero ? rbl_get_direction(value, &numbers)
                         : rbl_get_vector(value, RBL_ANY_NUMBER, &numbers));
    out[0] = (double)numbers.x;
    out[1] = (double)numbers.y;
    out[2] = (double)numbers.z;
    for (uint32_t i = 0; i < 3; ++i)
    {
        RBL_TRY(check_number(rbl_json_item(value, i), row, out[i]));
    }
    return RBL_OK;
}

static rblResult read_count(rblJson value, const rblParameter* row, void* field)
{
    uint64_t number = 0;
    uint32_t small = 0;
    RBL_TRY(row->type == RBL_PARAMETER_U64 ? rbl_json_get_u64(value, &number)
                                           : rbl_json_get_u32(value, &small));
    number = row->type == RBL_PARAMETER_U64 ? number : small;
    RBL_TRY(check_number(value, row, (double)number));
    if (row->type == RBL_PARAMETER_U64)
    {
        *(uint64_t*)field = number;
    }
    else
    {
        *(uint32_t*)field = small;
    }
    return RBL_OK;
}

static rblResult read_text(rblJson value, const char** out)
{
    const char* text = NULL;
    RBL_TRY(rbl_json_get_string(value, &text));
    if (text[0] == '\0')
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "a text must not be empty");
    }
    *out = text;
    return RBL_OK;
}

// A text with a dot that is not one of the words is a file.
static rblResult read_choice(rblJson value, const rblParameter* row, char* def)
{
    const char* text = NULL;
    uint32_t* choice = (uint32_t*)(void*)(def + row->offset);
    RBL_TRY(rbl_json_get_string(value, &text));
    for (uint32_t i = 0; row->choices[i] != NULL; ++i)
    {
        if (strcmp(row->choices[i], text) == 0)
        {
            *choice = i;
            return RBL_OK;
        }
    }
    const uint32_t count = rbl_parameter_choice_count(row->choices);
    if (row->type == RBL_PARAMETER_CHOICE || strchr(text, '.') == NULL)
    {
        return rbl_fail_unknown(value, row->key, row->choices, count);
    }
    *choice = count;
    *(const char**)(void*)(def + row->file_offset) = text;
    return RBL_OK;
}

static rblResult read_value(rblJson value, const rblParameter* row, void* def)
{
    char* field = (char*)def + row->offset;
    double numbers[3] = {0.0, 0.0, 0.0};
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
        RBL_TRY(read_number(value, row, numbers));
        *(float*)(void*)field = (float)numbers[0];
        return RBL_OK;
    case RBL_PARAMETER_DOUBLE:
        RBL_TRY(read_number(value, row, numbers));
        *(double*)(void*)field = numbers[0];
        return RBL_OK;
    case RBL_PARAMETER_U32:
    case RBL_PARAMETER_U64:
        return read_count(value, row, field);
    case RBL_PARAMETER_BOOL:
        return rbl_json_get_bool(value, (bool*)(void*)field);
    case RBL_PARAMETER_CHOICE:
    case RBL_PARAMETER_CHOICE_OR_FILE:
        return read_choice(value, row, def);
    case RBL_PARAMETER_VECTOR:
        RBL_TRY(read_numbers(value, row, numbers));
        *(rblVec3*)(void*)field = (rblVec3){(float)numbers[0], (float)numbers[1], (float)numbers[2]};
        return RBL_OK;
    case RBL_PARAMETER_VECTOR_DOUBLE:
        RBL_TRY(read_numbers(value, row, numbers));
        *(rblVec3d*)(void*)field = (rblVec3d){numbers[0], numbers[1], numbers[2]};
        return RBL_OK;
    case RBL_PARAMETER_TEXT:
    case RBL_PARAMETER_FILE:
        return read_text(value, (const char**)(void*)field);
    case RBL_PARAMETER_GROUP:
        RBL_TRY(rbl_json_check_parameter_keys(value, row->group, NULL));
        return rbl_json_read_parameters(value, row->group, def, NULL);
    case RBL_PARAMETER_END:
    case RBL_PARAMETER_TYPE_COUNT:
        break;
    }
    return RBL_OK;
}

rblResult rbl_json_read_parameters(rblJson object, const rblParameter* rows, void* def, uint64_t* given)
{
    uint64_t there = 0;
    for (uint32_t i = 0; rows[i].type != RBL_PARAMETER_END; ++i)
    {
        rblJson value = rbl_json_find(object, rows[i].key);
        if (rows[i].required)
        {
            RBL_TRY(rbl_json_require(object, rows[i].key, &value));
        }
        if (rbl_json_exists(value))
        {
            there |= (uint64_t)1 << i;
            RBL_TRY(read_value(value, &rows[i], def));
        }
    }
    if (given != NULL)
    {
        *given = there;
    }
    return RBL_OK;
}

// ---- writing ----

static void write_text(rblJsonWriter* writer, const char* key, const char* text)
{
    if (text != NULL)
    {
        rbl_json_key(writer, key);
        rbl_json_string(writer, text);
    }
}

static void write_vector(rblJsonWriter* writer, const rblParameter* row, const void* field)
{
    rbl_json_key(writer, row->key);
    rbl_json_begin_row(writer);
    for (uint32_t i = 0; i < 3; ++i)
    {
        if (row->type == RBL_PARAMETER_VECTOR)
        {
            rbl_json_float(writer, (&((const rblVec3*)field)->x)[i]);
        }
        else
        {
            rbl_json_number(writer, (&((const rblVec3d*)field)->x)[i]);
        }
    }
    rbl_json_end_array(writer);
}

// Numbers, booleans and choices: one value in C and in JSON.
static void write_single(rblJsonWriter* writer, const rblParameter* row, const void* field)
{
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
        rbl_json_float(writer, *(const float*)field);
        break;
    case RBL_PARAMETER_DOUBLE:
        rbl_json_number(writer, *(const double*)field);
        break;
    case RBL_PARAMETER_U32:
        rbl_json_unsigned(writer, *(const uint32_t*)field);
        break;
    case RBL_PARAMETER_U64:
        rbl_json_unsigned(writer, *(const uint64_t*)field);
        break;
    case RBL_PARAMETER_BOOL:
        rbl_json_bool(writer, *(const bool*)field);
        break;
    default:
        rbl_json_string(writer, row->choices[*(const uint32_t*)field]);
        break;
    }
}

static void write_value(rblJsonWriter* writer, const rblParameter* row, const void* def)
{
    const void* field = (const char*)def + row->offset;
    switch (row->type)
    {
    case RBL_PARAMETER_VECTOR:
    case RBL_PARAMETER_VECTOR_DOUBLE:
        write_vector(writer, row, field);
        break;
    case RBL_PARAMETER_TEXT:
    case RBL_PARAMETER_FILE:
        write_text(writer, row->key, *(const char* const*)field);
        break;
    case RBL_PARAMETER_GROUP:
        rbl_json_key(writer, row->key);
        rbl_json_begin_object(writer);
        rbl_json_write_parameters(writer, row->group, def);
        rbl_json_end_object(writer);
        break;
    case RBL_PARAMETER_CHOICE_OR_FILE:
        if (row->choices[*(const uint32_t*)field] == NULL)
        {
            write_text(writer, row->key,
                       *(const char* const*)(const void*)((const char*)def + row->file_offset));
            break;
        }
        rbl_json_key(writer, row->key);
        write_single(writer, row, field);
        break;
    default:
        rbl_json_key(writer, row->key);
        write_single(writer, row, field);
        break;
    }
}

void rbl_json_write_parameters(rblJsonWriter* writer, const rblParameter* rows, const void* def)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        write_value(writer, row, def);
    }
}
