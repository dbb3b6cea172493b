// rubble methods: the fracture methods that scene files can name, and their parameters, from the table of kinds.
#include "print.h"
#include "shared_options.h"
#include "tool.h"
#include <stdlib.h>
#include <string.h>

#define KEY_SIZE   128 // of a parameter within groups, terminator included
#define VALUE_SIZE (PRINT_VECTOR_SIZE + 64)
#define KEY_WIDTH  28

static const char* const type_names[RBL_PARAMETER_TYPE_COUNT] = {
    [RBL_PARAMETER_FLOAT] = "number",
    [RBL_PARAMETER_DOUBLE] = "number",
    [RBL_PARAMETER_U32] = "whole number",
    [RBL_PARAMETER_U64] = "whole number",
    [RBL_PARAMETER_BOOL] = "true or false",
    [RBL_PARAMETER_CHOICE] = "choice",
    [RBL_PARAMETER_VECTOR] = "vector",
    [RBL_PARAMETER_VECTOR_DOUBLE] = "vector",
    [RBL_PARAMETER_TEXT] = "text",
    [RBL_PARAMETER_FILE] = "file",
    [RBL_PARAMETER_CHOICE_OR_FILE] = "choice or file",
};

// ---- values ----

static const void* field_of(const rblParameter* row, const void* def)
{
    return (const char*)def + row->offset;
}

static rblVec3d vector_of(const rblParameter* row, const void* def)
{
    if (row->type == RBL_PARAMETER_VECTOR_DOUBLE)
    {
        return *(const rblVec3d*)field_of(row, def);
    }
    const rblVec3 v = *(const rblVec3*)field_of(row, def);
    return (rblVec3d){(double)v.x, (double)v.y, (double)v.z};
}

// The word of a choice; null: the file that comes after them.
static const char* word_of(const rblParameter* row, const void* def)
{
    uint32_t index = 0;
    memcpy(&index, field_of(row, def), sizeof index);
    return row->choices[index];
}

static const char* text_of(const rblParameter* row, const void* def)
{
    switch (row->type)
    {
    case RBL_PARAMETER_CHOICE:
    case RBL_PARAMETER_CHOICE_OR_FILE:
        return word_of(row, def);
    case RBL_PARAMETER_TEXT:
    case RBL_PARAMETER_FILE:
        return *(const char* const*)field_of(row, def);
    default:
        return NULL;
    }
}

static bool is_vector(const rblParameter* row)
{
    return row->type == RBL_PARAMETER_VECTOR || row->type == RBL_PARAMETER_VECTOR_DOUBLE;
}

static bool is_whole(const rblParameter* row)
{
    return row->type == RBL_PARAMETER_U32 || row->type == RBL_PARAMETER_U64;
}

// Whole numbers without a range are not negative; the largest one of 32 bits is no limit.
static bool has_min(const rblParameter* row)
{
    return row->min != 0.0 || row->max != 0.0 || is_whole(row);
}

static bool has_max(const rblParameter* row)
{
    return row->max != 0.0 && row->max < (is_whole(row) ? (double)UINT32_MAX : RBL_PARAMETER_UNLIMITED);
}

static bool is_number(const rblParameter* row)
{
    return is_vector(row) || is_whole(row) || row->type == RBL_PARAMETER_FLOAT ||
           row->type == RBL_PARAMETER_DOUBLE;
}

// ---- text ----

static void format_default(const rblParameter* row, const void* def, char out[VALUE_SIZE])
{
    const void* field = field_of(row, def);
    const char* text = text_of(row, def);
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
        rbl_format_float(*(const float*)field, out);
        break;
    case RBL_PARAMETER_DOUBLE:
        rbl_format_double(*(const double*)field, out);
        break;
    case RBL_PARAMETER_U32:
        snprintf(out, VALUE_SIZE, "%u", *(const uint32_t*)field);
        break;
    case RBL_PARAMETER_U64:
        snprintf(out, VALUE_SIZE, "%llu", (unsigned long long)*(const uint64_t*)field);
        break;
    case RBL_PARAMETER_BOOL:
        snprintf(out, VALUE_SIZE, "%s", *(const bool*)field ? "true" : "false");
        break;
    case RBL_PARAMETER_VECTOR:
    case RBL_PARAMETER_VECTOR_DOUBLE:
        print_vector(vector_of(row, def), out);
        break;
    default:
        snprintf(out, VALUE_SIZE, "%.80s", text != NULL ? text : "none");
        break;
    }
}

static void print_range(const rblParameter* row)
{
    char number[RBL_NUMBER_SIZE];
    if (is_number(row) && has_min(row))
    {
        rbl_format_double(row->min, number);
        printf(", %s %s", row->min_excluded ? "above" : "at least", number);
    }
    if (is_number(row) && has_max(row))
    {
        rbl_format_double(row->max, number);
        printf(", %s %s", row->max_excluded ? "below" : "at most", number);
    }
    printf("%s", is_vector(row) && row->nonzero ? ", not zero" : "");
    for (uint32_t i = 0; row->choices != NULL && row->choices[i] != NULL; ++i)
    {
        printf("%s%s", i == 0 ? " (" : ", ", row->choices[i]);
    }
    printf("%s", row->choices != NULL ? ")" : "");
}

static void print_row(const rblParameter* row, const void* def, const char* key)
{
    char value[VALUE_SIZE];
    format_default(row, def, value);
    printf("  %-*s%s", KEY_WIDTH, key, type_names[row->type]);
    print_range(row);
    if (row->required)
    {
        printf("; required%s\n", strchr(key, '.') != NULL ? " in its group" : "");
    }
    else
    {
        printf("; default %s\n", value);
    }
    printf("  %-*s%s\n", KEY_WIDTH, "", row->about);
}

// Keys of groups are joined by dots.
static void join_key(const char* group, const char* key, char out[KEY_SIZE])
{
    snprintf(out, KEY_SIZE, "%s%s%s", group, group[0] != '\0' ? "." : "", key);
}

static void print_rows(const rblParameter* rows, const void* def, const char* group)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        char key[KEY_SIZE];
        join_key(group, row->key, key);
        if (row->type == RBL_PARAMETER_GROUP)
        {
            print_rows(row->group, def, key);
        }
        else
        {
            print_row(row, def, key);
        }
    }
}

static void print_method(const rblBreakerKind* kind, const void* def)
{
    printf("%-16s %s\n", kind->name, kind->about);
    print_rows(kind->parameters, def, "");
}

// ---- JSON ----

static void put_text(rblJsonWriter* json, const char* key, const char* text)
{
    rbl_json_key(json, key);
    rbl_json_string(json, text);
}

static void put_default(rblJsonWriter* json, const rblParameter* row, const void* def)
{
    const void* field = field_of(row, def);
    const char* text = text_of(row, def);
    rbl_json_key(json, "default");
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
        rbl_json_float(json, *(const float*)field);
        break;
    case RBL_PARAMETER_DOUBLE:
        rbl_json_number(json, *(const double*)field);
        break;
    case RBL_PARAMETER_U32:
        rbl_json_unsigned(json, *(const uint32_t*)field);
        break;
    case RBL_PARAMETER_U64:
        rbl_json_unsigned(json, *(const uint64_t*)field);
        break;
    case RBL_PARAMETER_BOOL:
        rbl_json_bool(json, *(const bool*)field);
        break;
    case RBL_PARAMETER_VECTOR:
    case RBL_PARAMETER_VECTOR_DOUBLE:
        json_vector(json, vector_of(row, def));
        break;
    default:
        text != NULL ? rbl_json_string(json, text) : rbl_json_null(json);
        break;
    }
}

static void put_limit(rblJsonWriter* json, const char* key, bool there, double value)
{
    if (there)
    {
        rbl_json_key(json, key);
        rbl_json_number(json, value);
    }
}

static void put_row(rblJsonWriter* json, const rblParameter* row, const void* def, const char* key)
{
    rbl_json_begin_object(json);
    put_text(json, "key", key);
    put_text(json, "type", type_names[row->type]);
    if (is_number(row))
    {
        put_limit(json, row->min_excluded ? "above" : "min", has_min(row), row->min);
        put_limit(json, row->max_excluded ? "below" : "max", has_max(row), row->max);
    }
    if (is_vector(row) && row->nonzero)
    {
        rbl_json_key(json, "nonzero");
        rbl_json_bool(json, true);
    }
    if (row->choices != NULL)
    {
        rbl_json_key(json, "choices");
        rbl_json_begin_row(json);
        for (uint32_t i = 0; row->choices[i] != NULL; ++i)
        {
            rbl_json_string(json, row->choices[i]);
        }
        rbl_json_end_array(json);
    }
    rbl_json_key(json, "required");
    rbl_json_bool(json, row->required);
    put_default(json, row, def);
    put_text(json, "about", row->about);
    rbl_json_end_object(json);
}

static void put_rows(rblJsonWriter* json, const rblParameter* rows, const void* def, const char* group)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        char key[KEY_SIZE];
        join_key(group, row->key, key);
        if (row->type == RBL_PARAMETER_GROUP)
        {
            put_rows(json, row->group, def, key);
        }
        else
        {
            put_row(json, row, def, key);
        }
    }
}

static void put_method(rblJsonWriter* json, const rblBreakerKind* kind, const void* def)
{
    rbl_json_begin_object(json);
    put_text(json, "name", kind->name);
    put_text(json, "about", kind->about);
    rbl_json_key(json, "breaks");
    rbl_json_bool(json, kind->create != NULL);
    rbl_json_key(json, "parameters");
    rbl_json_begin_array(json);
    put_rows(json, kind->parameters, def, "");
    rbl_json_end_array(json);
    rbl_json_end_object(json);
}

// ---- the command ----

// Print a method with its defaults; null `json`: as text.
static rblResult show_method(const rblBreakerKind* kind, rblJsonWriter* json)
{
    void* def = calloc(1, kind->def_size);
    if (def == NULL)
    {
        return tool_fail_memory();
    }
    kind->set_defaults(def);
    json != NULL ? put_method(json, kind, def) : print_method(kind, def);
    free(def);
    return RBL_OK;
}

static rblResult show_methods(const Parsed* parsed, rblJsonWriter* json)
{
    const rblBreakerKind* kind = NULL;
    rblResult result = RBL_OK;
    for (uint32_t i = 0; result == RBL_OK && (kind = rbl_breaker_kind_at(i)) != NULL; ++i)
    {
        const bool asked = parsed->variant == NULL || strcmp(parsed->variant->name, kind->name) == 0;
        result = asked ? show_method(kind, json) : RBL_OK;
    }
    return result;
}

static int methods_run(const Parsed* parsed)
{
    if (!options_given(parsed, "json"))
    {
        return show_methods(parsed, NULL) == RBL_OK ? TOOL_DONE : tool_fail_last();
    }
    rblJsonWriter json;
    rbl_json_writer_init(&json, 2, NULL);
    rbl_json_begin_object(&json);
    rbl_json_key(&json, "methods");
    rbl_json_begin_array(&json);
    if (show_methods(parsed, &json) != RBL_OK)
    {
        rbl_json_writer_free(&json);
        return tool_fail_last();
    }
    rbl_json_end_array(&json);
    rbl_json_end_object(&json);
    return print_json(&json);
}

static bool describe_methods(Command* command, Store* store)
{
    const uint32_t count = rbl_breaker_kind_count();
    Variant* variants = STORE_ARRAY(store, Variant, count);
    for (uint32_t i = 0; variants != NULL && i < count; ++i)
    {
        const rblBreakerKind* kind = rbl_breaker_kind_at(i);
        variants[i] = (Variant){.name = kind->name, .summary = kind->about};
    }
    command->variants = variants;
    command->variant_count = variants != NULL ? count : 0;
    return variants != NULL;
}

static const Argument methods_arguments[] = {
    {"METHOD", ARGUMENT_VARIANT, true, "the method to print; without it all are printed"}};
static const Option methods_options[] = {JSON_OPTION};
static const char* const methods_examples[] = {"rubble methods", "rubble methods stress",
                                               "rubble methods --json", NULL};

const Command methods_command = {
    .name = "methods",
    .summary = "list the fracture methods of scene files, and their parameters",
    .details = "Prints each method that \"fracture\" in a scene file can name, and for each of its keys the "
               "type, the range, the default and the meaning. Keys of a group are joined by dots. A body "
               "whose method has no keys stays whole.",
    .arguments = methods_arguments,
    .argument_count = OPTIONS_COUNT_OF(methods_arguments),
    .options = methods_options,
    .option_count = OPTIONS_COUNT_OF(methods_options),
    .variant_noun = "method",
    .examples = methods_examples,
    .describe = describe_methods,
    .run = methods_run};
