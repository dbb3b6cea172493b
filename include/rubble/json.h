/// Writing JSON into a growing text: commas, line breaks and escapes come by themselves.
///
///   rblJsonWriter w; rbl_json_writer_init(&w, 2, NULL);
///   rbl_json_begin_object(&w); rbl_json_key(&w, "volume"); rbl_json_number(&w, 8.0); rbl_json_end_object(&w);
///   result = rbl_json_writer_finish(&w); ... w.text, w.size ...; rbl_json_writer_free(&w);
///
/// Running out of memory is remembered and reported by rbl_json_writer_finish(). What is written is always valid: bytes of a
/// string that are not UTF-8 become U+FFFD, and numbers that are not finite become null.
#ifndef RUBBLE_JSON_H
#define RUBBLE_JSON_H

#include "rubble/allocator.h"
#include <stdbool.h>
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// Arrays and objects inside each other, at most.
#define RBL_JSON_MAX_DEPTH 128

/// A text under construction. Read `text` and `size` after rbl_json_writer_finish(); leave the rest alone.
typedef struct rblJsonWriter
{
    char* text;  ///< without a terminator
    size_t size; ///< bytes of it
    size_t capacity;
    const rblAllocator* allocator;
    uint32_t indent; ///< spaces per level; 0: all on one line, no spaces
    uint32_t depth;
    uint8_t levels[RBL_JSON_MAX_DEPTH]; ///< what is open
    bool after_key;
    bool failed;  ///< out of memory
    bool misused; ///< a value without a key, an end of what was not begun, too deep, a null text, ...
} rblJsonWriter;

/// Begin. Null allocator: the library's own. rbl_json_writer_free() in the end. Calls with a null writer do nothing.
RBL_API void rbl_json_writer_init(rblJsonWriter* writer, uint32_t indent, const rblAllocator* allocator);

/// Free the text. Null: nothing happens.
RBL_API void rbl_json_writer_free(rblJsonWriter* writer);

/// Ends an indented text with a line break. RBL_ERROR_MEMORY when memory ran out on the way, RBL_ERROR_ARGUMENT when what was
/// written is no JSON: something is still open, a value of an object has no key, an end has no beginning, a text was null; or when the
/// writer is null.
RBL_API rblResult rbl_json_writer_finish(rblJsonWriter* writer);

/// Begin and end an object; inside, every value needs a key.
RBL_API void rbl_json_begin_object(rblJsonWriter* writer);
RBL_API void rbl_json_end_object(rblJsonWriter* writer);

/// Begin an array, or one that stays on one line, and end it.
RBL_API void rbl_json_begin_array(rblJsonWriter* writer);
RBL_API void rbl_json_begin_row(rblJsonWriter* writer);
RBL_API void rbl_json_end_array(rblJsonWriter* writer);

/// The name of the next value of an object.
RBL_API void rbl_json_key(rblJsonWriter* writer, const char* key);

/// A text; the second takes one without a terminator.
RBL_API void rbl_json_string(rblJsonWriter* writer, const char* text);
RBL_API void rbl_json_string_n(rblJsonWriter* writer, const char* text, size_t length);

/// The shortest text that reads back the same, in 64 and in 32 bits.
RBL_API void rbl_json_number(rblJsonWriter* writer, double value);
RBL_API void rbl_json_float(rblJsonWriter* writer, float value);

/// Integers, truth values, null.
RBL_API void rbl_json_unsigned(rblJsonWriter* writer, uint64_t value);
RBL_API void rbl_json_signed(rblJsonWriter* writer, int64_t value);
RBL_API void rbl_json_bool(rblJsonWriter* writer, bool value);
RBL_API void rbl_json_null(rblJsonWriter* writer);

RBL_EXTERN_C_END

#endif
