#include "base/parameters.h"

#include "base/number.h"
#include "rubble/math.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

// Longest key of a row, characters: RBL_PARAMETER_MAX_DEPTH of them fit in RBL_PARAMETER_MAX_PATH.
#define MAX_KEY 40u

// ---- fields ----

typedef struct FieldLayout
{
    size_t size, alignment;
} FieldLayout;

#define LAYOUT(type)                                                                                         \
    {                                                                                                        \
        sizeof(type), _Alignof(type)                                                                         \
    }

static FieldLayout layout_of(rblParameterType type)
{
    static const FieldLayout layouts[RBL_PARAMETER_TYPE_COUNT] = {
        [RBL_PARAMETER_END] = {0, 1},
        [RBL_PARAMETER_FLOAT] = LAYOUT(float),
        [RBL_PARAMETER_DOUBLE] = LAYOUT(double),
        [RBL_PARAMETER_U32] = LAYOUT(uint32_t),
        [RBL_PARAMETER_U64] = LAYOUT(uint64_t),
        [RBL_PARAMETER_BOOL] = LAYOUT(bool),
        [RBL_PARAMETER_CHOICE] = LAYOUT(uint32_t),
        [RBL_PARAMETER_VECTOR] = LAYOUT(rblVec3),
        [RBL_PARAMETER_VECTOR_DOUBLE] = LAYOUT(rblVec3d),
        [RBL_PARAMETER_TEXT] = LAYOUT(const char*),
        [RBL_PARAMETER_FILE] = LAYOUT(const char*),
        [RBL_PARAMETER_CHOICE_OR_FILE] = LAYOUT(uint32_t),
        [RBL_PARAMETER_GROUP] = {0, 1},
    };
    return layouts[type];
}

uint32_t rbl_parameter_choice_count(const char* const* choices)
{
    uint32_t count = 0;
    while (choices[count] != NULL)
    {
        ++count;
    }
    return count;
}

static const void* field_of(const rblParameter* row, const void* def)
{
    return (const char*)def + row->offset;
}

// The pointer to the text of a row, null for rows without one. Only owners of a definition write through it.
static const char** text_of(const rblParameter* row, const void* def)
{
    const size_t offset = row->type == RBL_PARAMETER_CHOICE_OR_FILE ? row->file_offset : row->offset;
    const bool has = row->type == RBL_PARAMETER_TEXT || row->type == RBL_PARAMETER_FILE ||
                     row->type == RBL_PARAMETER_CHOICE_OR_FILE;
    return has ? (const char**)(uintptr_t)((const char*)def + offset) : NULL;
}

static uint32_t u32_of(const rblParameter* row, const void* def)
{
    uint32_t value;
    memcpy(&value, field_of(row, def), sizeof value);
    return value;
}

// The numbers of a row. Returns their count, 0 for rows without numbers.
static uint32_t numbers_of(const rblParameter* row, const void* def, double out[3])
{
    const void* field = field_of(row, def);
    switch (row->type)
    {
    case RBL_PARAMETER_FLOAT:
        out[0] = (double)*(const float*)field;
        return 1;
    case RBL_PARAMETER_DOUBLE:
        out[0] = *(const double*)field;
        return 1;
    case RBL_PARAMETER_U32:
        out[0] = (double)*(const uint32_t*)field;
        return 1;
    case RBL_PARAMETER_U64:
        out[0] = (double)*(const uint64_t*)field;
        return 1;
    case RBL_PARAMETER_VECTOR:
        out[0] = (double)((const rblVec3*)field)->x;
        out[1] = (double)((const rblVec3*)field)->y;
        out[2] = (double)((const rblVec3*)field)->z;
        return 3;
    case RBL_PARAMETER_VECTOR_DOUBLE:
        memcpy(out, field, sizeof(rblVec3d));
        return 3;
    default:
        return 0;
    }
}

// ---- tables ----

static rblResult fail_row(const char* name, const rblParameter* row, const char* problem)
{
    return rbl_fail(RBL_ERROR_ARGUMENT, "parameters of '%.60s': '%.60s' %s", name,
                    row->key != NULL ? row->key : "", problem);
}

static rblResult check_key(const rblParameter* rows, uint32_t at, const char* name)
{
    const char* key = rows[at].key;
    if (key == NULL || key[0] == '\0' || strlen(key) > MAX_KEY || strchr(key, '.') != NULL)
    {
        return fail_row(name, &rows[at], "is no key, must be 1 to 40 characters without a dot");
    }
    for (uint32_t i = 0; i < at; ++i)
    {
        if (strcmp(rows[i].key, key) == 0)
        {
            return fail_row(name, &rows[at], "is there twice");
        }
    }
    return RBL_OK;
}

static rblResult check_row(const rblParameter* row, size_t size, const char* name)
{
    const bool choice = row->type == RBL_PARAMETER_CHOICE || row->type == RBL_PARAMETER_CHOICE_OR_FILE;
    const bool file = row->type == RBL_PARAMETER_CHOICE_OR_FILE;
    if (row->type >= RBL_PARAMETER_TYPE_COUNT || row->about == NULL)
    {
        return fail_row(name, row, "must have a type and a description");
    }
    const FieldLayout field = layout_of(row->type);
    if (row->offset > size || field.size > size - row->offset ||
        (file && (row->file_offset > size || sizeof(const char*) > size - row->file_offset)))
    {
        return fail_row(name, row, "is outside of the definition");
    }
    if (row->offset % field.alignment != 0 || (file && row->file_offset % _Alignof(const char*) != 0))
    {
        return fail_row(name, row, "is not aligned: its offset must be that of a field of its type");
    }
    if (choice && (row->choices == NULL || row->choices[0] == NULL))
    {
        return fail_row(name, row, "must have choices");
    }
    if (row->reserved[0] != 0 || row->reserved[1] != 0)
    {
        return fail_row(name, row, "has a member `reserved` that is not 0, must be 0");
    }
    return row->min <= row->max ? RBL_OK : fail_row(name, row, "has an empty range");
}

static rblResult check_table(const rblParameter* rows, size_t size, const char* name, uint32_t depth)
{
    if (rows == NULL || depth >= RBL_PARAMETER_MAX_DEPTH)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "parameters of '%.60s': %s", name,
                        rows == NULL ? "a table is null"
                                     : "groups are nested too deep, must be at most 3 levels");
    }
    for (uint32_t i = 0; rows[i].type != RBL_PARAMETER_END; ++i)
    {
        if (i == RBL_PARAMETER_MAX_ROWS)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "parameters of '%.60s': a table has more than %u rows", name,
                            RBL_PARAMETER_MAX_ROWS);
        }
        RBL_TRY(check_key(rows, i, name));
        RBL_TRY(check_row(&rows[i], size, name));
        if (rows[i].type == RBL_PARAMETER_GROUP)
        {
            RBL_TRY(check_table(rows[i].group, size, name, depth + 1));
        }
    }
    return RBL_OK;
}

rblResult rbl_parameters_check_table(const rblParameter* rows, size_t size, const char* name)
{
    return check_table(rows, size, name, 0);
}

// ---- ranges ----

bool rbl_parameter_out_of_range(const rblParameter* row, double value)
{
    if (!isfinite(value))
    {
        return true;
    }
    if (row->min == 0.0 && row->max == 0.0)
    {
        return false;
    }
    // Limits of floats are rounded to float too, so that 0.99 is allowed if the limit is 0.99.
    const bool rounds = row->type == RBL_PARAMETER_FLOAT || row->type == RBL_PARAMETER_VECTOR;
    const double least = rounds ? (double)(float)row->min : row->min;
    const double most = rounds && row->max < (double)FLT_MAX ? (double)(float)row->max : row->max;
    return value < least || value > most || (row->min_excluded && value == least) ||
           (row->max_excluded && value == most);
}

void rbl_parameter_range_text(const rblParameter* row, char* out, size_t size)
{
    char least[RBL_NUMBER_SIZE];
    char most[RBL_NUMBER_SIZE];
    rbl_format_double(row->min, least);
    rbl_format_double(row->max, most);
    if (row->min == 0.0 && row->max == 0.0)
    {
        snprintf(out, size, "must be finite");
    }
    else if (row->max >= RBL_PARAMETER_UNLIMITED && row->min == 0.0)
    {
        snprintf(out, size, "must %s", row->min_excluded ? "be positive" : "not be negative");
    }
    else if (row->max >= RBL_PARAMETER_UNLIMITED)
    {
        snprintf(out, size, "must be %s %s", row->min_excluded ? "above" : "at least", least);
    }
    else if (row->min_excluded || row->max_excluded)
    {
        snprintf(out, size, "must be %s %s and %s %s", row->min_excluded ? "above" : "at least", least,
                 row->max_excluded ? "below" : "at most", most);
    }
    else
    {
        snprintf(out, size, "must be %s to %s", least, most);
    }
}

static rblResult check_value(const rblParameter* row, const void* def, const char* name)
{
    double numbers[3] = {0.0, 0.0, 0.0};
    const uint32_t count = numbers_of(row, def, numbers);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (rbl_parameter_out_of_range(row, numbers[i]))
        {
            char range[128];
            rbl_parameter_range_text(row, range, sizeof range);
            return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s %s", name, row->key, range);
        }
    }
    if (row->nonzero && count == 3 && numbers[0] == 0.0 && numbers[1] == 0.0 && numbers[2] == 0.0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s must not be 0", name, row->key);
    }
    const bool choice = row->type == RBL_PARAMETER_CHOICE || row->type == RBL_PARAMETER_CHOICE_OR_FILE;
    const uint32_t last = choice ? rbl_parameter_choice_count(row->choices) : 0;
    const uint32_t allowed = row->type == RBL_PARAMETER_CHOICE_OR_FILE ? last + 1 : last;
    if (choice && u32_of(row, def) >= allowed)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s is %u, must be 0 to %u", name, row->key, u32_of(row, def),
                        allowed - 1);
    }
    return RBL_OK;
}

rblResult rbl_parameters_check(const rblParameter* rows, const void* def, const char* name)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        RBL_TRY(row->type == RBL_PARAMETER_GROUP ? rbl_parameters_check(row->group, def, name)
                                                 : check_value(row, def, name));
    }
    return RBL_OK;
}

// ---- comparison and copies ----

static bool is_same_text(const char* a, const char* b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same_value(const rblParameter* row, const void* a, const void* b)
{
    double of_a[3], of_b[3];
    const uint32_t count = numbers_of(row, a, of_a);
    numbers_of(row, b, of_b);
    bool same = true;
    for (uint32_t i = 0; i < count; ++i)
    {
        same = same && of_a[i] == of_b[i];
    }
    const char** text = text_of(row, a);
    same = same && (text == NULL || is_same_text(*text, *text_of(row, b)));
    const bool exact = row->type == RBL_PARAMETER_CHOICE || row->type == RBL_PARAMETER_CHOICE_OR_FILE ||
                       row->type == RBL_PARAMETER_BOOL || row->type == RBL_PARAMETER_U64;
    return same && (!exact || memcmp(field_of(row, a), field_of(row, b), layout_of(row->type).size) == 0);
}

bool rbl_parameters_equal(const rblParameter* rows, const void* a, const void* b)
{
    bool same = true;
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END && same; ++row)
    {
        same = row->type == RBL_PARAMETER_GROUP ? rbl_parameters_equal(row->group, a, b)
                                                : is_same_value(row, a, b);
    }
    return same;
}

static size_t count_text(const rblParameter* rows, const void* def)
{
    size_t bytes = 0;
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        const char** text = text_of(row, def);
        bytes += text != NULL && *text != NULL ? strlen(*text) + 1 : 0;
        bytes += row->type == RBL_PARAMETER_GROUP ? count_text(row->group, def) : 0;
    }
    return bytes;
}

// Copy all texts of `def` to `to` and let `def` point there; returns the end of the copies.
static char* move_texts(const rblParameter* rows, void* def, char* to)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        const char** text = text_of(row, def);
        if (text != NULL && *text != NULL)
        {
            const size_t bytes = strlen(*text) + 1;
            memcpy(to, *text, bytes);
            *text = to;
            to += bytes;
        }
        to = row->type == RBL_PARAMETER_GROUP ? move_texts(row->group, def, to) : to;
    }
    return to;
}

void* rbl_parameters_copy(const rblParameter* rows, const void* def, size_t size,
                          const rblAllocator* allocator, size_t* bytes)
{
    *bytes = size + count_text(rows, def);
    char* copy = rbl_alloc(allocator, *bytes);
    if (copy != NULL)
    {
        memcpy(copy, def, size);
        (void)move_texts(rows, copy, copy + size);
    }
    return copy;
}

rblResult rbl_parameters_visit_files(const rblParameter* rows, void* def, rblParameterFileFcn* visit,
                                     void* context)
{
    for (const rblParameter* row = rows; row->type != RBL_PARAMETER_END; ++row)
    {
        const char** text = row->type != RBL_PARAMETER_TEXT ? text_of(row, def) : NULL;
        if (text != NULL && *text != NULL)
        {
            RBL_TRY(visit(row, text, context));
        }
        if (row->type == RBL_PARAMETER_GROUP)
        {
            RBL_TRY(rbl_parameters_visit_files(row->group, def, visit, context));
        }
    }
    return RBL_OK;
}
