#include "io/json/json_values.h"

#include "base/number.h"
#include "math/vec.h"
#include "rubble/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// Largest number of names to search for a suggestion: with more, the search would take longer than reading the scene.
#define MAX_CANDIDATES 4096

// Characters of a list of names in a message. Longer lists are cut at a name.
#define MAX_LIST 240

static uint32_t count_of(const char* const* list)
{
    uint32_t count = 0;
    while (list[count] != NULL)
    {
        ++count;
    }
    return count;
}

static uint32_t place_of(const char* text, const char* const* list)
{
    uint32_t i = 0;
    while (list[i] != NULL && strcmp(list[i], text) != 0)
    {
        ++i;
    }
    return i;
}

// The names as "a, b, c", followed by ", ..." where they do not fit.
static void list_names(const char* const* names, uint32_t count, char out[MAX_LIST])
{
    size_t length = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < count; ++i)
    {
        const char* before = i > 0 ? ", " : "";
        if (length + strlen(before) + strlen(names[i]) + sizeof ", ..." > MAX_LIST)
        {
            snprintf(out + length, MAX_LIST - length, "%s...", before);
            return;
        }
        length += (size_t)snprintf(out + length, MAX_LIST - length, "%s%s", before, names[i]);
    }
}

rblResult rbl_fail_unknown(rblJson value, const char* what, const char* const* candidates, uint32_t count)
{
    const char* text = NULL;
    RBL_TRY(rbl_json_get_string(value, &text));
    const char* close = rbl_suggest(text, candidates, count < MAX_CANDIDATES ? count : MAX_CANDIDATES);
    if (close != NULL)
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "no %s '%.60s'; did you mean '%.60s'?", what, text,
                             close);
    }
    char list[MAX_LIST];
    list_names(candidates, count, list);
    return rbl_json_fail(value, RBL_ERROR_FORMAT, "no %s '%.60s', must be one of %s", what, text,
                         count > 0 ? list : "those of the file, which names none");
}

rblResult rbl_check_keys(rblJson object, const char* const* keys)
{
    RBL_TRY(rbl_json_expect(object, RBL_JSON_OBJECT));
    for (uint32_t i = 0; i < rbl_json_count(object); ++i)
    {
        rblJson key;
        const char* text = NULL;
        const rblJson member = rbl_json_member_at(object, i, &key);
        RBL_TRY(rbl_json_get_string(key, &text));
        if (keys[place_of(text, keys)] != NULL)
        {
            continue;
        }
        char list[MAX_LIST];
        const char* close = rbl_suggest(text, keys, count_of(keys));
        list_names(keys, count_of(keys), list);
        return close != NULL
                   ? rbl_json_fail(member, RBL_ERROR_FORMAT, "unknown key; did you mean '%s'?", close)
                   : rbl_json_fail(member, RBL_ERROR_FORMAT, "unknown key, must be one of %s", list);
    }
    return RBL_OK;
}

static rblResult check_limit(rblJson value, rblLimit limit, double number)
{
    const float rounded = (float)number;
    char text[RBL_NUMBER_SIZE];
    if (isfinite(rounded) && (limit != RBL_POSITIVE || rounded > 0.0f) &&
        (limit != RBL_NOT_NEGATIVE || rounded >= 0.0f))
    {
        return RBL_OK;
    }
    rbl_format_double(number, text);
    if (!isfinite(rounded))
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "is %s, too large for 32 bits", text);
    }
    return rbl_json_fail(value, RBL_ERROR_FORMAT, "is %s, must %s", text,
                         limit == RBL_POSITIVE ? "be positive" : "not be negative");
}

rblResult rbl_get_float(rblJson value, rblLimit limit, float* out)
{
    double number = 0.0;
    RBL_TRY(rbl_json_get_number(value, &number));
    RBL_TRY(check_limit(value, limit, number));
    *out = (float)number;
    return RBL_OK;
}

rblResult rbl_get_vector(rblJson value, rblLimit limit, rblVec3* out)
{
    double numbers[3];
    RBL_TRY(rbl_json_get_numbers(value, numbers, 3));
    for (uint32_t i = 0; i < 3; ++i)
    {
        RBL_TRY(check_limit(rbl_json_item(value, i), limit, numbers[i]));
    }
    *out = rbl_vec3((float)numbers[0], (float)numbers[1], (float)numbers[2]);
    return RBL_OK;
}

static rblResult get_quaternion(rblJson value, rblQuat* out)
{
    double q[4];
    RBL_TRY(rbl_json_get_numbers(value, q, 4));
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1.0) < 0.01))
    {
        char text[RBL_NUMBER_SIZE];
        rbl_format_double(length, text);
        return rbl_json_fail(value, RBL_ERROR_FORMAT,
                             "the length of the quaternion x, y, z, w is %s, must be 1", text);
    }
    *out = (rblQuat){(float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length),
                     (float)(q[3] / length)};
    return RBL_OK;
}

rblResult rbl_get_direction(rblJson value, rblVec3* out)
{
    rblVec3 direction;
    RBL_TRY(rbl_get_vector(value, RBL_ANY_NUMBER, &direction));
    if (!(rbl_dot3(direction, direction) > 0.0f))
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "a direction must not be 0");
    }
    *out = direction;
    return RBL_OK;
}

rblResult rbl_optional_float(rblJson object, const char* key, rblLimit limit, float* out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? rbl_get_float(value, limit, out) : RBL_OK;
}

rblResult rbl_optional_vector(rblJson object, const char* key, rblVec3* out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? rbl_get_vector(value, RBL_ANY_NUMBER, out) : RBL_OK;
}

rblResult rbl_optional_quaternion(rblJson object, const char* key, rblQuat* out)
{
    const rblJson value = rbl_json_find(object, key);
    return rbl_json_exists(value) ? get_quaternion(value, out) : RBL_OK;
}

rblResult rbl_require_float(rblJson object, const char* key, rblLimit limit, float* out)
{
    rblJson value;
    RBL_TRY(rbl_json_require(object, key, &value));
    return rbl_get_float(value, limit, out);
}

rblResult rbl_require_vector(rblJson object, const char* key, rblVec3* out)
{
    rblJson value;
    RBL_TRY(rbl_json_require(object, key, &value));
    return rbl_get_vector(value, RBL_ANY_NUMBER, out);
}

rblResult rbl_get_choice(rblJson value, const char* what, const char* const* choices, uint32_t* out)
{
    const char* text = NULL;
    RBL_TRY(rbl_json_get_string(value, &text));
    const uint32_t place = place_of(text, choices);
    if (choices[place] == NULL)
    {
        return rbl_fail_unknown(value, what, choices, count_of(choices));
    }
    *out = place;
    return RBL_OK;
}

rblResult rbl_fail_at(rblJson value, rblResult result)
{
    char message[RBL_ERROR_TEXT_SIZE];
    snprintf(message, sizeof message, "%s", rbl_last_error());
    return rbl_json_fail(value, result, "%s", message);
}
