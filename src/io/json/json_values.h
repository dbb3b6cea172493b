// Values of files that users write: every message names the path.
#ifndef RBL_IO_JSON_JSON_VALUES_H
#define RBL_IO_JSON_JSON_VALUES_H

#include "io/json/json.h"
#include "rubble/math.h"

typedef enum rblLimit
{
    RBL_ANY_NUMBER,
    RBL_NOT_NEGATIVE,
    RBL_POSITIVE
} rblLimit;

// An object with no other keys than these; null-terminated.
rblResult rbl_check_keys(rblJson object, const char* const* keys);

// Numbers that fit 32 bits, checked after rounding: a size that becomes 0 is not positive.
rblResult rbl_get_float(rblJson value, rblLimit limit, float* out);
rblResult rbl_get_vector(rblJson value, rblLimit limit, rblVec3* out);

// Members that may be absent: then `out` keeps its value.
rblResult rbl_optional_float(rblJson object, const char* key, rblLimit limit, float* out);
rblResult rbl_optional_vector(rblJson object, const char* key, rblVec3* out);
rblResult rbl_optional_quaternion(rblJson object, const char* key, rblQuat* out);

// Members that must be there.
rblResult rbl_require_float(rblJson object, const char* key, rblLimit limit, float* out);
rblResult rbl_require_vector(rblJson object, const char* key, rblVec3* out);

// A direction: three numbers, not all 0.
rblResult rbl_get_direction(rblJson value, rblVec3* out);

// The number of a text in a null-terminated list.
rblResult rbl_get_choice(rblJson value, const char* what, const char* const* choices, uint32_t* out);

// "no WHAT 'text'; did you mean 'candidate'?"
rblResult rbl_fail_unknown(rblJson value, const char* what, const char* const* candidates, uint32_t count);

// The failure of a call, with the path of the value that led to it.
rblResult rbl_fail_at(rblJson value, rblResult result);

#endif
