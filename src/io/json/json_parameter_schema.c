// The JSON schema (draft 7) of a table of parameters.
#include "io/json/json_parameters.h"
#include "rubble/math.h"

static void write_type(rblJsonWriter* writer, const char* type)
{
    rbl_json_key(writer, "type");
    rbl_json_string(writer, type);
}

static void write_range(rblJsonWriter* writer, const rblParameter* row)
{
    const bool whole = row->type == RBL_PARAMETER_U32 || row->type == RBL_PARAMETER_U64;
    const bool limited = row->min != 0.0 || row->max != 0.0;
    if (limited || whole)
    {
        rbl_json_key(writer, row->min_excluded ? "exclusiveMinimum" : "minimum");
        rbl_json_number(writer, row->min);
    }
    if (limited && row->max < RBL_PARAMETER_UNLIMITED)
    {
        rbl_json_key(writer, row->max_excluded ? "exclusiveMaximum" : "maximum");
        rbl_json_number(writer, row->max);
    }
    else if (row->type == RBL_PARAMETER_U32)
    {
        rbl_json_key(writer, "maximum");
        rbl_json_unsigned(writer, UINT32_MAX);
    }
}

static void write_words(rblJsonWriter* writer, const rblParameter* row)
{
    rbl_json_key(writer, "enum");
    rbl_json_begin_row(writer);
    for (uint32_t i = 0; row->choices[i] != NULL; ++i)
    {
        rbl_json_string(writer, row->choices[i]);
    }
    rbl_json_end_array(writer);
}

// One of the words, or a text with a dot in it, which is the path of a file.
static void write_words_or_file(rblJsonWriter* writer, const rblParameter* row)
{
    rbl_json_key(writer, "anyOf");
    rbl_json_begin_array(writer);
    rbl_json_begin_object(writer);
    write_words(writer, row);
    rbl_json_end_object(writer);
    rbl_json_begin_object(writer);
    write_type(writer, "string");
    rbl_json_key(writer, "pattern");
    rbl_json_string(writer, "\\.");
    rbl_json_end_object(writer);
    rbl_json_end_array(writer);
}

static void write_reference(rblJsonWriter* writer, const rblParameter* row)
{
    const bool positive = row->min_excluded && row->min == 0.0;
    rbl_json_key(writer, "$ref");
    rbl_json_string(writer, positive       ? "#/definitions/size"
                            : row->nonzero ? "#/definitions/direction"
                                           : "#/definitions/vector");
}

static void write_group(rblJsonWriter* writer, const rblParameter* row, const void* defaults)
{
    write_type(writer, "object");
    rbl_json_key(writer, "additionalProperties");
    rbl_json_bool(writer, false);
    rbl_json_key(writer, "properties");
    rbl_json_begin_object(writer);
    rbl_json_write_parameter_schema(writer, row->group, defaults);
    rbl_json_end_object(writer);
    rbl_json_write_required(writer, row->group, NULL);
}

static void write_number_default(rblJsonWriter* writer, const rblParameter* row, const void* field)
{
    const bool small = row->type == RBL_PARAMETER_FLOAT;
    const double number = small ? (double)*(const float*)field : *(const double*)field;
    if (number == 0.0) // the description tells the meaning of 0
    {
        return;
    }
    rbl_json_key(writer, "default");
    if (small)
    {
        rbl_json_float(writer, *(const float*)field);
    }
    else
    {
        rbl_json_number(writer, number);
    }
}

static void write_default(rblJsonWriter* writer, const rblParameter* row, const void* defaults)
{
    const void* field = (const char*)defaults + row->offset;
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
    case RBL_PARAMETER_DOUBLE:
        write_number_default(writer, row, field);
        break;
    case RBL_PARAMETER_U32:
    case RBL_PARAMETER_U64:
    {
        const uint64_t number =
            row->type == RBL_PARAMETER_U32 ? *(const uint32_t*)field : *(const uint64_t*)field;
        if (number != 0)
        {
            rbl_json_key(writer, "default");
            rbl_json_unsigned(writer, number);
        }
        break;
    }
    case RBL_PARAMETER_BOOL:
        rbl_json_key(writer, "default");
        rbl_json_bool(writer, *(const bool*)field);
        break;
    case RBL_PARAMETER_CHOICE:
        rbl_json_key(writer, "default");
        rbl_json_string(writer, row->choices[*(const uint32_t*)field]);
        break;
    default: // files and vectors: see their descriptions
        break;
    }
}

static void write_row(rblJsonWriter* writer, const rblParameter* row, const void* defaults)
{
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
    case RBL_PARAMETER_DOUBLE:
        write_type(writer, "number");
        write_range(writer, row);
        break;
    case RBL_PARAMETER_U32:
    case RBL_PARAMETER_U64:
        write_type(writer, "integer");
        write_range(writer, row);
        break;
    case RBL_PARAMETER_BOOL:
        write_type(writer, "boolean");
        break;
    case RBL_PARAMETER_CHOICE:
        write_words(writer, row);
        break;
    case RBL_PARAMETER_CHOICE_OR_FILE:
        write_words_or_file(writer, row);
        break;
    case RBL_PARAMETER_VECTOR:
    case RBL_PARAMETER_VECTOR_DOUBLE:
        write_reference(writer, row);
        break;
    case RBL_PARAMETER_TEXT:
    case RBL_PARAMETER_FILE:
        write_type(writer, "string");
        rbl_json_key(writer, "minLength");
        rbl_json_unsigned(writer, 1);
        break;
    case RBL_PARAMETER_GROUP:
        write_group(writer, row, defaults);
        break;
    case RBL_PARAMETER_END:
    case RBL_PARAMETER_TYPE_COUNT:
        break;
    }
    if (!row->required)
    {
        write_default(writer, row, defaults);
    }
    rbl_json_key(writer, "description");
    rbl_json_string(writer, row->about);
}

void rbl_json_write_parameter_schema(rblJsonWriter* writer, const rblParameter* rows, const void* defaults)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        rbl_json_key(writer, row->key);
        rbl_json_begin_object(writer);
        write_row(writer, row, defaults);
        rbl_json_end_object(writer);
    }
}

void rbl_json_write_required(rblJsonWriter* writer, const rblParameter* rows, const char* tag)
{
    bool any = tag != NULL;
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        any = any || row->required;
    }
    if (!any)
    {
        return;
    }
    rbl_json_key(writer, "required");
    rbl_json_begin_row(writer);
    if (tag != NULL)
    {
        rbl_json_string(writer, tag);
    }
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        if (row->required)
        {
            rbl_json_string(writer, row->key);
        }
    }
    rbl_json_end_array(writer);
}
