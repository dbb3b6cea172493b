// A strict JSON reader (RFC 8259) for untrusted files.
//
// Accepted: UTF-8 only (a byte order mark at the start is skipped), any value at the top level, nesting up to
// RBL_JSON_MAX_DEPTH, texts below 4 GiB. Refused: duplicate keys, numbers that overflow 64-bit floating point, NaN,
// comments, trailing commas, lone surrogates, bytes that are not UTF-8. Time and memory are linear in the size of the
// text (times its logarithm for objects with many members), for every content.
//
// Every message names file, line and column and, once the text is parsed, the path of the value:
//   scene.json:12:31: bodies[3].position[1]: expected a number, found a string
#ifndef RBL_IO_JSON_JSON_H
#define RBL_IO_JSON_JSON_H

#include "base/array.h"
#include "base/error.h"
#include "rubble/json.h"

typedef enum rblJsonType
{
    RBL_JSON_NULL,
    RBL_JSON_BOOL,
    RBL_JSON_NUMBER,
    RBL_JSON_STRING,
    RBL_JSON_ARRAY,
    RBL_JSON_OBJECT
} rblJsonType;

// Children of one container are consecutive: array items one by one, object members as key, value, key, value.
typedef struct rblJsonNode
{
    union
    {
        bool boolean;
        double number;
        struct
        {
            uint32_t first; // child in `nodes`, or character in `characters`
            uint32_t count; // items, members, or bytes of a string
        } span;
    } as;
    uint32_t offset; // byte in the text
    uint32_t parent; // RBL_JSON_NO_NODE for the root
    uint32_t sorted; // large objects: offset in `sorted` of the members in order of their keys
    rblJsonType type;
} rblJsonNode;

#define RBL_JSON_NO_NODE UINT32_MAX

typedef struct rblJsonDocument
{
    const char* name; // of the file, for messages
    const char* text;
    size_t size;
    RBL_ARRAY(rblJsonNode) nodes;
    rblCharArray characters; // all strings, unescaped, each with a terminator
    rblIndexArray sorted;
    uint32_t root;
} rblJsonDocument;

// A value in a document, or none: the result of a look-up that found nothing.
typedef struct rblJson
{
    const rblJsonDocument* document;
    uint32_t node; // RBL_JSON_NO_NODE: absent
} rblJson;

// `name` and `text` (null when size is 0) are not copied and must outlive the document. On failure there is nothing to free.
rblResult rbl_json_parse(rblJsonDocument* document, const char* text, size_t size, const char* name,
                         const rblAllocator* allocator);
void rbl_json_free(rblJsonDocument* document);

// ---- look-ups: never fail ----

rblJson rbl_json_root(const rblJsonDocument* document);

static inline bool rbl_json_exists(rblJson value)
{
    return value.node != RBL_JSON_NO_NODE;
}

bool rbl_json_is(rblJson value, rblJsonType type); // false when absent

// Items of an array or members of an object; 0 for anything else.
uint32_t rbl_json_count(rblJson value);

rblJson rbl_json_item(rblJson array, uint32_t index); // absent when not an array or out of range

// The member with an index in file order, absent when not an object or out of range. `key` (may be null) receives its
// key.
rblJson rbl_json_member_at(rblJson object, uint32_t index, rblJson* key);

rblJson rbl_json_find(rblJson object, const char* key); // absent when not an object or without such a member

// The path of the value, such as bodies[3].position[1], empty for the root; shortened at the front when it does not fit.
void rbl_json_path(rblJson value, char* out, size_t size);

// ---- values: fail with the path when the file has another type or range ----

// "name:line:column: path: message", as `result`.
rblResult rbl_json_fail(rblJson value, rblResult result, const char* format, ...) RBL_PRINTF_LIKE(3, 4);

rblResult rbl_json_expect(rblJson value, rblJsonType type);
rblResult rbl_json_get_number(rblJson value, double* out);
rblResult rbl_json_get_bool(rblJson value, bool* out);

// Integers, exact over the full range of the type; 3.0 and 1e3 are integers.
rblResult rbl_json_get_u32(rblJson value, uint32_t* out);
rblResult rbl_json_get_u64(rblJson value, uint64_t* out);

// Text without zero bytes, usable as a C string. Valid as long as the document.
rblResult rbl_json_get_string(rblJson value, const char** out);

// An array of exactly `count` numbers.
rblResult rbl_json_get_numbers(rblJson value, double* out, uint32_t count);

// The member of an object that must be there.
rblResult rbl_json_require(rblJson object, const char* key, rblJson* out);

// Members that may be absent: then `out` keeps its value.
rblResult rbl_json_optional_number(rblJson object, const char* key, double* out);
rblResult rbl_json_optional_bool(rblJson object, const char* key, bool* out);
rblResult rbl_json_optional_u32(rblJson object, const char* key, uint32_t* out);
rblResult rbl_json_optional_u64(rblJson object, const char* key, uint64_t* out);
rblResult rbl_json_optional_string(rblJson object, const char* key, const char** out);

#endif
