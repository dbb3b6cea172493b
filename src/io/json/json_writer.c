#include "rubble/json.h"

#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "io/utf8.h"
#include <string.h>

void rbl_json_writer_init(rblJsonWriter* writer, uint32_t indent, const rblAllocator* allocator)
{
    if (writer == NULL)
    {
        return;
    }
    *writer = (rblJsonWriter){.indent = indent,
                              .allocator = allocator != NULL ? allocator : rbl_default_allocator()};
}

void rbl_json_writer_free(rblJsonWriter* writer)
{
    if (writer == NULL)
    {
        return;
    }
    rbl_free(writer->allocator, writer->text, writer->capacity);
    writer->text = NULL;
    writer->size = 0;
    writer->capacity = 0;
}

// What stands where it must not makes the text invalid: nothing is written from there on, and finishing it fails.
static bool expect(rblJsonWriter* writer, bool allowed)
{
    if (writer == NULL)
    {
        return false;
    }
    writer->misused = writer->misused || !allowed;
    return !writer->misused;
}

static void put(rblJsonWriter* writer, const char* bytes, size_t count)
{
    if (writer == NULL || writer->failed || writer->misused || count == 0)
    {
        return;
    }
    if (count > writer->capacity - writer->size &&
        (count > SIZE_MAX - writer->size || !rbl_array_grow((void**)&writer->text, &writer->capacity, 1,
                                                            writer->size + count, true, writer->allocator)))
    {
        writer->failed = true;
        return;
    }
    memcpy(writer->text + writer->size, bytes, count);
    writer->size += count;
}

static void put_text(rblJsonWriter* writer, const char* text)
{
    put(writer, text, strlen(text));
}

static void put_line_break(rblJsonWriter* writer)
{
    put(writer, "\n", 1);
    for (uint32_t i = 0; i < writer->depth * writer->indent; ++i)
    {
        put(writer, " ", 1);
    }
}

// Bits of rblJsonWriter.levels.
enum
{
    OBJECT = 1, // else an array
    EMPTY = 2,  // nothing in it yet
    ROW = 4     // on one line even when the text is indented
};

static uint32_t innermost(const rblJsonWriter* writer)
{
    return writer != NULL && writer->depth > 0 ? writer->levels[writer->depth - 1] : 0;
}

// Comma and white space before the next value or key.
static void put_separator(rblJsonWriter* writer)
{
    if (writer->after_key || writer->depth == 0)
    {
        writer->after_key = false;
        return;
    }
    const uint32_t level = innermost(writer);
    if ((level & EMPTY) == 0)
    {
        put_text(writer, (level & ROW) != 0 && writer->indent > 0 ? ", " : ",");
    }
    if ((level & ROW) == 0 && writer->indent > 0)
    {
        put_line_break(writer);
    }
    writer->levels[writer->depth - 1] = (uint8_t)(level & ~(uint32_t)EMPTY);
}

static void begin_value(rblJsonWriter* writer)
{
    const bool allowed =
        writer != NULL && (writer->depth > 0 ? writer->after_key || (innermost(writer) & OBJECT) == 0
                                             : writer->size == 0 || writer->failed);
    if (expect(writer, allowed))
    {
        put_separator(writer);
    }
}

static void begin_level(rblJsonWriter* writer, bool object, bool row)
{
    begin_value(writer);
    if (!expect(writer, writer != NULL && writer->depth < RBL_JSON_MAX_DEPTH))
    {
        return;
    }
    put(writer, object ? "{" : "[", 1);
    const uint32_t level =
        (object ? (uint32_t)OBJECT : 0u) | EMPTY | (row ? (uint32_t)ROW : innermost(writer) & ROW);
    writer->levels[writer->depth++] = (uint8_t)level;
}

static void end_level(rblJsonWriter* writer, bool object)
{
    const uint32_t level = innermost(writer);
    if (!expect(writer, writer != NULL && writer->depth > 0 && ((level & OBJECT) != 0) == object &&
                            !writer->after_key))
    {
        return;
    }
    writer->depth -= 1;
    if (writer->indent > 0 && (level & (EMPTY | ROW)) == 0)
    {
        put_line_break(writer);
    }
    put(writer, object ? "}" : "]", 1);
}

void rbl_json_begin_object(rblJsonWriter* writer)
{
    begin_level(writer, true, false);
}

void rbl_json_end_object(rblJsonWriter* writer)
{
    end_level(writer, true);
}

void rbl_json_begin_array(rblJsonWriter* writer)
{
    begin_level(writer, false, false);
}

void rbl_json_begin_row(rblJsonWriter* writer)
{
    begin_level(writer, false, true);
}

void rbl_json_end_array(rblJsonWriter* writer)
{
    end_level(writer, false);
}

// Quote, backslash and control characters; all others are written without an escape.
static void put_escape(rblJsonWriter* writer, unsigned char byte)
{
    static const char letters[] = "\"\\\b\f\n\r\t";
    static const char escapes[] = "\"\\bfnrt";
    static const char digits[] = "0123456789abcdef";
    const char* known = byte != 0 ? strchr(letters, byte) : NULL;
    if (known != NULL)
    {
        const char pair[2] = {'\\', escapes[known - letters]};
        put(writer, pair, 2);
        return;
    }
    const char code[6] = {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    put(writer, code, 6);
}

static bool needs_escape(unsigned char byte)
{
    return byte < 0x20 || byte == '"' || byte == '\\';
}

static void put_quoted(rblJsonWriter* writer, const char* text, size_t length)
{
    const char* end = text + length;
    const char* run = text; // start of the part that is copied unchanged
    put(writer, "\"", 1);
    for (const char* at = text; at < end;)
    {
        const size_t step = rbl_utf8_length(at, end);
        if (step != 0 && !needs_escape((unsigned char)*at))
        {
            at += step;
            continue;
        }
        put(writer, run, (size_t)(at - run));
        if (step == 0)
        {
            put_text(writer, "\xEF\xBF\xBD");
        }
        else
        {
            put_escape(writer, (unsigned char)*at);
        }
        at += 1;
        run = at;
    }
    put(writer, run, (size_t)(end - run));
    put(writer, "\"", 1);
}

void rbl_json_key(rblJsonWriter* writer, const char* key)
{
    if (!expect(writer, (innermost(writer) & OBJECT) != 0 && !writer->after_key && key != NULL))
    {
        return;
    }
    put_separator(writer);
    put_quoted(writer, key, strlen(key));
    put_text(writer, writer->indent > 0 ? ": " : ":");
    writer->after_key = true;
}

void rbl_json_string_n(rblJsonWriter* writer, const char* text, size_t length)
{
    begin_value(writer);
    if (expect(writer, text != NULL || length == 0))
    {
        put_quoted(writer, text != NULL ? text : "", length);
    }
}

void rbl_json_string(rblJsonWriter* writer, const char* text)
{
    rbl_json_string_n(writer, text, text != NULL ? strlen(text) : SIZE_MAX);
}

void rbl_json_number(rblJsonWriter* writer, double value)
{
    char text[RBL_NUMBER_SIZE];
    const bool finite = value - value == 0.0;
    begin_value(writer);
    put(writer, finite ? text : "null", finite ? rbl_format_double(value, text) : 4);
}

void rbl_json_float(rblJsonWriter* writer, float value)
{
    char text[RBL_NUMBER_SIZE];
    const bool finite = value - value == 0.0f;
    begin_value(writer);
    put(writer, finite ? text : "null", finite ? rbl_format_float(value, text) : 4);
}

static void put_unsigned(rblJsonWriter* writer, uint64_t value)
{
    char digits[20];
    size_t first = sizeof digits;
    do
    {
        digits[--first] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    put(writer, digits + first, sizeof digits - first);
}

void rbl_json_unsigned(rblJsonWriter* writer, uint64_t value)
{
    begin_value(writer);
    put_unsigned(writer, value);
}

void rbl_json_signed(rblJsonWriter* writer, int64_t value)
{
    begin_value(writer);
    if (value < 0)
    {
        put(writer, "-", 1);
    }
    put_unsigned(writer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void rbl_json_bool(rblJsonWriter* writer, bool value)
{
    begin_value(writer);
    put_text(writer, value ? "true" : "false");
}

void rbl_json_null(rblJsonWriter* writer)
{
    begin_value(writer);
    put_text(writer, "null");
}

rblResult rbl_json_writer_finish(rblJsonWriter* writer)
{
    if (writer == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "json: writer must not be null");
    }
    if (!expect(writer, writer->depth == 0))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "json: what was written is no JSON: every object and array must be ended once, and values "
            "of objects need a key");
    }
    if (writer->indent > 0)
    {
        put(writer, "\n", 1);
    }
    return writer->failed ? rbl_fail_memory() : RBL_OK;
}
