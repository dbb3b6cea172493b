// The JSON writer: what texts look like, and that reading takes back what was written.
#include "testing.h"

#include "base/number.h"
#include "base/random.h"
#include "failing_allocator.h"
#include "io/json/json.h"
#include "rubble/json.h"
#include <string.h>

static void indented_text_looks_as_expected(void** state)
{
    (void)state;
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, rbl_default_allocator());
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "name");
    rbl_json_string(&writer, "a \"b\"\n\x01\xC3\xA9\xFF\x7F");
    rbl_json_key(&writer, "center");
    rbl_json_begin_row(&writer);
    rbl_json_number(&writer, 0.1);
    rbl_json_number(&writer, (double)NAN);
    rbl_json_float(&writer, 0.1f);
    rbl_json_float(&writer, -INFINITY);
    rbl_json_end_array(&writer);
    rbl_json_key(&writer, "list");
    rbl_json_begin_array(&writer);
    rbl_json_bool(&writer, true);
    rbl_json_begin_object(&writer);
    rbl_json_end_object(&writer);
    rbl_json_signed(&writer, INT64_MIN);
    rbl_json_end_array(&writer);
    rbl_json_key(&writer, "none");
    rbl_json_null(&writer);
    rbl_json_end_object(&writer);
    check_ok(rbl_json_writer_finish(&writer));
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)writer.size, writer.text);
    assert_string_equal(text, "{\n"
                              "  \"name\": \"a \\\"b\\\"\\n\\u0001\xC3\xA9\xEF\xBF\xBD\x7F\",\n"
                              "  \"center\": [0.1, null, 0.1, null],\n"
                              "  \"list\": [\n"
                              "    true,\n"
                              "    {},\n"
                              "    -9223372036854775808\n"
                              "  ],\n"
                              "  \"none\": null\n"
                              "}\n");
    rbl_json_writer_free(&writer);
}

// A random value; what is written depends on `random` alone, so that the reader can replay it.
static void write_random(rblJsonWriter* writer, rblRandom* random, uint32_t depth)
{
    char text[16];
    switch (rbl_random_below(random, depth < 6 ? 7 : 5))
    {
    case 0:
        rbl_json_null(writer);
        break;
    case 1:
        rbl_json_bool(writer, rbl_random_below(random, 2) != 0);
        break;
    case 2:
        rbl_json_unsigned(writer, rbl_random_u64(random));
        break;
    case 3:
        rbl_json_number(writer, (rbl_random_double(random) - 0.5) * 1e18);
        break;
    case 4:
        for (size_t i = 0; i < sizeof text; ++i)
        {
            text[i] = (char)(1 + rbl_random_below(random, 127));
        }
        rbl_json_string_n(writer, text, rbl_random_below(random, sizeof text + 1));
        break;
    case 5:
        rbl_json_begin_array(writer);
        for (uint32_t n = rbl_random_below(random, 5); n > 0; --n)
        {
            write_random(writer, random, depth + 1);
        }
        rbl_json_end_array(writer);
        break;
    default:
        rbl_json_begin_object(writer);
        for (uint32_t n = rbl_random_below(random, 12); n > 0; --n)
        {
            snprintf(text, sizeof text, "%u", n);
            rbl_json_key(writer, text);
            write_random(writer, random, depth + 1);
        }
        rbl_json_end_object(writer);
    }
}

static void check_random(rblJson value, rblRandom* random, uint32_t depth)
{
    char text[16];
    const char* read;
    switch (rbl_random_below(random, depth < 6 ? 7 : 5))
    {
    case 0:
        assert_true(rbl_json_is(value, RBL_JSON_NULL));
        break;
    case 1:
    {
        bool flag;
        check_ok(rbl_json_get_bool(value, &flag));
        assert_int_equal(flag, rbl_random_below(random, 2) != 0);
        break;
    }
    case 2:
    {
        uint64_t number;
        check_ok(rbl_json_get_u64(value, &number));
        assert_true(number == rbl_random_u64(random));
        break;
    }
    case 3:
    {
        double number;
        check_ok(rbl_json_get_number(value, &number));
        assert_true(number == (rbl_random_double(random) - 0.5) * 1e18);
        break;
    }
    case 4:
    {
        for (size_t i = 0; i < sizeof text; ++i)
        {
            text[i] = (char)(1 + rbl_random_below(random, 127));
        }
        const size_t length = rbl_random_below(random, sizeof text + 1);
        check_ok(rbl_json_get_string(value, &read));
        assert_int_equal(strlen(read), length);
        assert_memory_equal(read, text, length);
        break;
    }
    case 5:
    {
        const uint32_t count = rbl_random_below(random, 5);
        assert_int_equal(rbl_json_count(value), count);
        for (uint32_t i = 0; i < count; ++i)
        {
            check_random(rbl_json_item(value, i), random, depth + 1);
        }
        break;
    }
    default:
    {
        const uint32_t count = rbl_random_below(random, 12);
        assert_int_equal(rbl_json_count(value), count);
        for (uint32_t n = count; n > 0; --n)
        {
            snprintf(text, sizeof text, "%u", n);
            check_random(rbl_json_find(value, text), random, depth + 1);
        }
    }
    }
}

static void reading_takes_back_what_was_written(void** state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 2000; ++seed)
    {
        rblRandom random = rbl_random_seed(seed, 1);
        rblJsonWriter writer;
        rbl_json_writer_init(&writer, seed % 4, rbl_default_allocator());
        write_random(&writer, &random, 0);
        check_ok(rbl_json_writer_finish(&writer));
        rblJsonDocument document;
        check_ok(rbl_json_parse(&document, writer.text, writer.size, "random", rbl_default_allocator()));
        random = rbl_random_seed(seed, 1);
        check_random(rbl_json_root(&document), &random, 0);
        rbl_json_free(&document);
        rbl_json_writer_free(&writer);
    }
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        FailingAllocator memory;
        rblJsonWriter writer;
        rblRandom random = rbl_random_seed(3, 1);
        failing_allocator_start(&memory, granted);
        rbl_json_writer_init(&writer, 2, &memory.allocator);
        rbl_json_begin_array(&writer);
        write_random(&writer, &random, 0);
        rbl_json_end_array(&writer);
        result = rbl_json_writer_finish(&writer);
        assert_true(result == (writer.failed ? RBL_ERROR_MEMORY : RBL_OK));
        assert_true(granted > 0 || result == RBL_ERROR_MEMORY);
        rbl_json_writer_free(&writer);
        assert_int_equal(memory.live, 0);
    }
}

// What was written in the wrong place, and how.
static void write_value_without_key(rblJsonWriter* w)
{
    rbl_json_begin_object(w);
    rbl_json_number(w, 1.0);
    rbl_json_end_object(w);
}

static void write_key_in_array(rblJsonWriter* w)
{
    rbl_json_begin_array(w);
    rbl_json_key(w, "a");
    rbl_json_end_array(w);
}

static void write_wrong_end(rblJsonWriter* w)
{
    rbl_json_begin_array(w);
    rbl_json_end_object(w);
}

static void write_end_only(rblJsonWriter* w)
{
    rbl_json_end_array(w);
}

static void write_no_end(rblJsonWriter* w)
{
    rbl_json_begin_array(w);
}

static void write_two_values(rblJsonWriter* w)
{
    rbl_json_null(w);
    rbl_json_null(w);
}

static void write_too_deep(rblJsonWriter* w)
{
    for (int i = 0; i < RBL_JSON_MAX_DEPTH + 1; ++i)
    {
        rbl_json_begin_array(w);
    }
    for (int i = 0; i < RBL_JSON_MAX_DEPTH + 1; ++i)
    {
        rbl_json_end_array(w);
    }
}

static void calls_in_a_wrong_place_are_refused_at_the_end(void** state)
{
    (void)state;
    void (*const wrong[])(rblJsonWriter*) = {write_value_without_key, write_key_in_array, write_wrong_end,
                                             write_end_only,          write_no_end,       write_two_values,
                                             write_too_deep};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        rblJsonWriter writer;
        rbl_json_writer_init(&writer, i % 2 == 0 ? 2 : 0, NULL);
        wrong[i](&writer);
        assert_int_equal(rbl_json_writer_finish(&writer), RBL_ERROR_ARGUMENT);
        rbl_json_writer_free(&writer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indented_text_looks_as_expected),
        cmocka_unit_test(calls_in_a_wrong_place_are_refused_at_the_end),
        cmocka_unit_test(reading_takes_back_what_was_written),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
