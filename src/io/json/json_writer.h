// Writes JSON into a growing text, with commas, line breaks and escapes.
//   rblJsonWriter w; rbl_json_writer_init(&w, 2, allocator);
//   rbl_json_begin_object(&w); rbl_json_key(&w, "volume"); rbl_json_number(&w, 8.0); rbl_json_end_object(&w);
//   result = rbl_json_writer_finish(&w); ... w.text.data, w.text.count ...; rbl_json_writer_free(&w);
// The writer remembers when memory runs out, and rbl_json_writer_finish() reports it. The output is always valid: bytes
// of a string that are not UTF-8 become U+FFFD, and numbers that are not finite become null.
#ifndef RBL_IO_JSON_JSON_WRITER_H
#define RBL_IO_JSON_JSON_WRITER_H

#include "io/json/json.h"

typedef struct rblJsonWriter
{
    rblCharArray text; // no terminator
    uint32_t indent;   // spaces per level; 0: all on one line, no spaces
    uint32_t depth;
    struct
    {
        bool object;
        bool empty;
        bool row; // on one line even when the text is indented
    } levels[RBL_JSON_MAX_DEPTH];
    bool after_key;
    bool failed;
} rblJsonWriter;

void rbl_json_writer_init(rblJsonWriter* writer, uint32_t indent, const rblAllocator* allocator);
void rbl_json_writer_free(rblJsonWriter* writer);

// Everything opened must be closed. Ends an indented text with a line break. RBL_ERROR_MEMORY when any call failed.
rblResult rbl_json_writer_finish(rblJsonWriter* writer);

void rbl_json_begin_object(rblJsonWriter* writer);
void rbl_json_end_object(rblJsonWriter* writer);
void rbl_json_begin_array(rblJsonWriter* writer);
void rbl_json_begin_row(rblJsonWriter* writer); // an array on one line
void rbl_json_end_array(rblJsonWriter* writer);

void rbl_json_key(rblJsonWriter* writer, const char* key);

void rbl_json_string(rblJsonWriter* writer, const char* text);
void rbl_json_string_n(rblJsonWriter* writer, const char* text, size_t length);
void rbl_json_number(rblJsonWriter* writer, double value); // shortest text that reads back the same
void rbl_json_float(rblJsonWriter* writer, float value);   // shortest for 32 bits
void rbl_json_unsigned(rblJsonWriter* writer, uint64_t value);
void rbl_json_signed(rblJsonWriter* writer, int64_t value);
void rbl_json_bool(rblJsonWriter* writer, bool value);
void rbl_json_null(rblJsonWriter* writer);

#endif
