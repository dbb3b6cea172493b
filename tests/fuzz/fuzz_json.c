// The JSON reader: every node can be visited, and what the writer makes of the document reads back the same.
#include "fuzz.h"
#include "io/json/json.h"
#include <string.h>

static void copy_scalar(rblJson value, rblJsonWriter* writer)
{
    double number = 0.0;
    uint64_t whole;
    bool flag = false;
    char path[40];
    const char* text = "text with a zero";
    rbl_json_path(value, path, sizeof path);
    FUZZ_CHECK(strlen(path) < sizeof path);
    if (rbl_json_is(value, RBL_JSON_STRING))
    {
        if (rbl_json_get_string(value, &text) != RBL_OK)
        {
            text = "zero";
        }
        rbl_json_string(writer, text);
    }
    else if (rbl_json_get_number(value, &number) == RBL_OK)
    {
        FUZZ_CHECK(rbl_json_get_u64(value, &whole) != RBL_OK || number - (double)whole == 0.0);
        rbl_json_number(writer, number);
    }
    else if (rbl_json_get_bool(value, &flag) == RBL_OK)
    {
        rbl_json_bool(writer, flag);
    }
    else
    {
        FUZZ_CHECK(rbl_json_is(value, RBL_JSON_NULL));
        rbl_json_null(writer);
    }
}

// Recursion is safe here: the reader has limited the depth.
static void copy(rblJson value, rblJsonWriter* writer)
{
    const uint32_t count = rbl_json_count(value);
    if (rbl_json_is(value, RBL_JSON_ARRAY))
    {
        rbl_json_begin_array(writer);
        for (uint32_t i = 0; i < count; ++i)
        {
            copy(rbl_json_item(value, i), writer);
        }
        rbl_json_end_array(writer);
    }
    else if (rbl_json_is(value, RBL_JSON_OBJECT))
    {
        rbl_json_begin_object(writer);
        for (uint32_t i = 0; i < count; ++i)
        {
            rblJson key;
            const char* name;
            const rblJson member = rbl_json_member_at(value, i, &key);
            if (rbl_json_get_string(key, &name) == RBL_OK)
            {
                FUZZ_CHECK(rbl_json_find(value, name).node == member.node);
                rbl_json_key(writer, name);
                copy(member, writer);
            }
        }
        rbl_json_end_object(writer);
    }
    else
    {
        copy_scalar(value, writer);
    }
}

static void write_document(const rblJsonDocument* document, uint32_t indent, rblJsonWriter* writer)
{
    rbl_json_writer_init(writer, indent, rbl_default_allocator());
    copy(rbl_json_root(document), writer);
    FUZZ_CHECK(rbl_json_writer_finish(writer) == RBL_OK);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    rblJsonDocument document, second;
    rblJsonWriter writer, again;
    if (rbl_json_parse(&document, (const char*)data, size, "fuzz", rbl_default_allocator()) == RBL_OK)
    {
        write_document(&document, (uint32_t)(size % 3), &writer);
        FUZZ_CHECK(rbl_json_parse(&second, writer.text, writer.size, "copy", rbl_default_allocator()) ==
                   RBL_OK);
        write_document(&second, (uint32_t)(size % 3), &again);
        FUZZ_CHECK(again.size == writer.size);
        FUZZ_CHECK(memcmp(again.text, writer.text, writer.size) == 0);
        rbl_json_writer_free(&again);
        rbl_json_writer_free(&writer);
        rbl_json_free(&second);
        rbl_json_free(&document);
    }
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
