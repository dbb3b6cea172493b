// The JSON reader: what is accepted, what is refused and where; sorting and UTF-8, which it stands on.
#include "testing.h"

#include "base/number.h"
#include "base/random.h"
#include "base/sort.h"
#include "failing_allocator.h"
#include "io/json/json.h"
#include "io/json/json_values.h"
#include "io/utf8.h"
#include "rubble/json.h"
#include <string.h>

static rblResult parse(rblJsonDocument* document, const char* text)
{
    return rbl_json_parse(document, text, strlen(text), "test.json", rbl_default_allocator());
}

static void check_message(const char* text, size_t size, rblResult code, const char* message)
{
    rblJsonDocument document;
    const rblResult result = rbl_json_parse(&document, text, size, "t", rbl_default_allocator());
    if (result != code || strcmp(rbl_last_error(), message) != 0)
    {
        fail_msg("%s: got %s: %s", message, rbl_result_name(result), rbl_last_error());
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// ---- reading ----

static void members_keep_their_order_and_are_found(void** state)
{
    (void)state;
    rblJsonDocument document;
    check_ok(parse(&document,
                   "\xEF\xBB\xBF {\"b\": [1, -2.5e3, true, null], \"a\": {\"\": \"x\"}, \"c\" :\t0}\r\n"));
    const rblJson root = rbl_json_root(&document);
    assert_int_equal(rbl_json_count(root), 3);
    const char* expected[] = {"b", "a", "c"};
    for (uint32_t i = 0; i < 3; ++i)
    {
        rblJson key;
        const char* name;
        const rblJson value = rbl_json_member_at(root, i, &key);
        check_ok(rbl_json_get_string(key, &name));
        assert_string_equal(name, expected[i]);
        assert_int_equal(rbl_json_find(root, name).node, value.node);
    }
    const rblJson b = rbl_json_find(root, "b");
    double number;
    bool flag;
    assert_int_equal(rbl_json_count(b), 4);
    check_ok(rbl_json_get_number(rbl_json_item(b, 1), &number));
    assert_true(number == -2500.0);
    check_ok(rbl_json_get_bool(rbl_json_item(b, 2), &flag));
    assert_true(flag);
    assert_true(rbl_json_is(rbl_json_item(b, 3), RBL_JSON_NULL));
    const char* text;
    check_ok(rbl_json_get_string(rbl_json_find(rbl_json_find(root, "a"), ""), &text));
    assert_string_equal(text, "x");
    rbl_json_free(&document);
}

static void what_is_not_there_is_absent_not_an_error(void** state)
{
    (void)state;
    rblJsonDocument document;
    check_ok(parse(&document, "[{\"a\": 1}, 5]"));
    const rblJson root = rbl_json_root(&document);
    assert_false(rbl_json_exists(rbl_json_item(root, 2)));
    assert_false(rbl_json_exists(rbl_json_find(root, "a")));
    assert_false(rbl_json_exists(rbl_json_find(rbl_json_item(root, 0), "A")));
    assert_false(rbl_json_exists(rbl_json_item(rbl_json_item(root, 0), 0)));
    rblJson key;
    assert_false(rbl_json_exists(rbl_json_member_at(root, 0, &key)));
    assert_false(rbl_json_exists(key));
    const rblJson nothing = rbl_json_item(root, 9);
    assert_int_equal(rbl_json_count(nothing), 0);
    assert_int_equal(rbl_json_count(rbl_json_item(root, 1)), 0);
    assert_false(rbl_json_is(nothing, RBL_JSON_NULL));
    assert_false(rbl_json_exists(rbl_json_find(rbl_json_item(nothing, 0), "x")));
    rbl_json_free(&document);
}

static void any_value_may_stand_at_the_top(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        rblJsonType type;
    } cases[] = {{"0", RBL_JSON_NUMBER},   {" -0.0e-0 ", RBL_JSON_NUMBER}, {"\"\"", RBL_JSON_STRING},
                 {"null", RBL_JSON_NULL},  {"false", RBL_JSON_BOOL},       {"[]", RBL_JSON_ARRAY},
                 {"{ }", RBL_JSON_OBJECT}, {"1E+2", RBL_JSON_NUMBER},      {"[[],[]]", RBL_JSON_ARRAY}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        rblJsonDocument document;
        check_ok(parse(&document, cases[i].text));
        assert_true(rbl_json_is(rbl_json_root(&document), cases[i].type));
        rbl_json_free(&document);
    }
}

static void escapes_and_surrogate_pairs_become_utf8(void** state)
{
    (void)state;
    rblJsonDocument document;
    check_ok(
        parse(&document,
              "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20AC\\uD834\\uDD1E\xF0\x9D\x84\x9E\\uFFFF\""));
    const char* text;
    check_ok(rbl_json_get_string(rbl_json_root(&document), &text));
    assert_string_equal(text,
                        "\"\\/\b\f\n\r\tA\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\xF0\x9D\x84\x9E\xEF\xBF\xBF");
    rbl_json_free(&document);
}

static void bad_texts_are_refused_with_line_and_column(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        const char* message;
    } cases[] = {
        {"", "t:1:1: the text ends early"},
        {"  \n ", "t:2:2: the text ends early"},
        {"[1,\n2,]", "t:2:3: expected a JSON value"},
        {"[1,\r2,]", "t:2:3: expected a JSON value"},
        {"[1,\r\n2,]", "t:2:3: expected a JSON value"},
        {"[1 2]", "t:1:4: expected ',' or ']'"},
        {"[", "t:1:2: the text ends early"},
        {"[1", "t:1:3: expected ',' or ']'"},
        {"{", "t:1:2: expected a key in quotes"},
        {"{1:2}", "t:1:2: expected a key in quotes"},
        {"{\"a\" 1}", "t:1:6: expected ':' after a key"},
        {"{\"a\":1,}", "t:1:8: expected a key in quotes"},
        {"{\"a\":1]", "t:1:7: expected ',' or '}'"},
        {"[1}", "t:1:3: expected ',' or ']'"},
        {"]", "t:1:1: expected a JSON value"},
        {"{\"a\":1,\n \"a\":2}", "t:2:2: the key \"a\" was given before, at 1:2"},
        {"{\"a\\u0062\":1,\"ab\":2}", "t:1:14: the key \"ab\" was given before, at 1:2"},
        {"1 1", "t:1:3: more text after the end of the value"},
        {"{}x", "t:1:3: more text after the end of the value"},
        {"nul", "t:1:1: expected a JSON value"},
        {"NaN", "t:1:1: expected a JSON value"},
        {"Infinity", "t:1:1: expected a JSON value"},
        {"-Infinity", "t:1:1: not a JSON number"},
        {"-inf", "t:1:1: not a JSON number"},
        {"True", "t:1:1: expected a JSON value"},
        {"truex", "t:1:5: more text after the end of the value"},
        {"01", "t:1:1: not a JSON number"},
        {"-", "t:1:1: not a JSON number"},
        {"-01", "t:1:1: not a JSON number"},
        {"1.", "t:1:1: not a JSON number"},
        {".5", "t:1:1: expected a JSON value"},
        {"+1", "t:1:1: expected a JSON value"},
        {"1e", "t:1:1: not a JSON number"},
        {"1e+", "t:1:1: not a JSON number"},
        {"0x10", "t:1:2: more text after the end of the value"},
        {"[1e400]", "t:1:2: the number is too large for 64-bit floating point"},
        {"[-1e400]", "t:1:2: the number is too large for 64-bit floating point"},
        {"\"abc", "t:1:1: the string does not end"},
        {"\"a\\\"", "t:1:1: the string does not end"},
        {"\"a\nb\"", "t:1:3: control character in a string"},
        {"\"\\x\"", "t:1:2: unknown escape in a string"},
        {"\"\\", "t:1:2: unknown escape in a string"},
        {"\"\\u12g4\"", "t:1:2: \\u must be followed by four hexadecimal digits"},
        {"\"\\u12", "t:1:2: \\u must be followed by four hexadecimal digits"},
        {"\"\\uD800\"", "t:1:2: half of a surrogate pair"},
        {"\"\\uDC00\"", "t:1:2: half of a surrogate pair"},
        {"\"\\uD800\\u0041\"", "t:1:2: half of a surrogate pair"},
        {"\"\\uD800\\uD800\"", "t:1:2: half of a surrogate pair"},
        {"\"\xC3\"", "t:1:2: not UTF-8"},
        {"\"\xC0\x80\"", "t:1:2: not UTF-8"},
        {"\"\xE0\x80\x80\"", "t:1:2: not UTF-8"},
        {"\"\xED\xA0\x80\"", "t:1:2: not UTF-8"},
        {"\"\xF4\x90\x80\x80\"", "t:1:2: not UTF-8"},
        {"\"\xC3\xA9\xFF\"", "t:1:3: not UTF-8"},
        {"/* no */ 1", "t:1:1: expected a JSON value"},
        {"'a'", "t:1:1: expected a JSON value"},
        {"[1]\xEF\xBB\xBF", "t:1:4: more text after the end of the value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        check_message(cases[i].text, strlen(cases[i].text), RBL_ERROR_FORMAT, cases[i].message);
    }
    check_message(NULL, 0, RBL_ERROR_FORMAT, "t:1:1: the text ends early");
    check_message("1\0", 2, RBL_ERROR_FORMAT, "t:1:2: more text after the end of the value");
    check_message("\"\0\"", 3, RBL_ERROR_FORMAT, "t:1:2: control character in a string");
}

static void nesting_is_limited_and_never_recurses(void** state)
{
    (void)state;
    enum
    {
        DEEP = 1000000
    };
    char* text = malloc(2 * DEEP);
    assert_non_null(text);
    memset(text, '[', DEEP);
    memset(text + DEEP, ']', DEEP);
    rblJsonDocument document;
    check_fails(RBL_ERROR_LIMIT, rbl_json_parse(&document, text, 2 * DEEP, "t", rbl_default_allocator()));
    assert_string_equal(rbl_last_error(), "t:1:129: nested deeper than 128 levels");
    check_ok(rbl_json_parse(&document, text + DEEP - RBL_JSON_MAX_DEPTH, 2 * RBL_JSON_MAX_DEPTH, "t",
                            rbl_default_allocator()));
    rbl_json_free(&document);
    free(text);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void failures_name_the_path(void** state)
{
    (void)state;
    rblJsonDocument document;
    check_ok(parse(&document,
                   "{\"bodies\": [0, {}, {},\n {\"position\": [1, \"x\"], \"odd key\\n\": {\"\": false}}]}"));
    const rblJson body = rbl_json_item(rbl_json_find(rbl_json_root(&document), "bodies"), 3);
    const rblJson position = rbl_json_find(body, "position");
    double numbers[3];
    rblJson missing;
    check_fails(RBL_ERROR_FORMAT, rbl_json_get_number(rbl_json_item(position, 1), numbers));
    assert_string_equal(rbl_last_error(),
                        "test.json:2:19: bodies[3].position[1]: expected a number, found a string");
    check_fails(RBL_ERROR_FORMAT, rbl_json_get_numbers(position, numbers, 3));
    assert_string_equal(rbl_last_error(), "test.json:2:15: bodies[3].position: expected 3 numbers, found 2");
    check_fails(RBL_ERROR_FORMAT, rbl_json_get_numbers(position, numbers, 2));
    check_fails(RBL_ERROR_FORMAT, rbl_json_get_numbers(body, numbers, 2));
    check_fails(RBL_ERROR_FORMAT, rbl_json_require(body, "shape", &missing));
    assert_string_equal(rbl_last_error(), "test.json:2:2: bodies[3]: \"shape\" is missing");
    check_fails(RBL_ERROR_FORMAT, rbl_json_require(position, "shape", &missing));
    const rblJson odd = rbl_json_find(rbl_json_find(body, "odd key\n"), "");
    check_fails(RBL_ERROR_FORMAT, rbl_json_expect(odd, RBL_JSON_OBJECT));
    assert_string_equal(
        rbl_last_error(),
        "test.json:2:43: bodies[3][\"odd key?\"][\"\"]: expected an object, found true or false");
    check_fails(RBL_ERROR_FORMAT, rbl_json_expect(rbl_json_root(&document), RBL_JSON_ARRAY));
    assert_string_equal(rbl_last_error(), "test.json:1:1: expected an array, found an object");
    check_ok(rbl_json_require(body, "position", &missing));
    rbl_json_free(&document);
}

static void long_paths_are_cut_at_the_front(void** state)
{
    (void)state;
    char text[1200] = "";
    for (int i = 0; i < 60; ++i)
    {
        strcat(text, "{\"level\":");
    }
    strcat(text, "7");
    for (int i = 0; i < 60; ++i)
    {
        strcat(text, "}");
    }
    rblJsonDocument document;
    check_ok(parse(&document, text));
    rblJson value = rbl_json_root(&document);
    while (rbl_json_is(value, RBL_JSON_OBJECT))
    {
        value = rbl_json_find(value, "level");
    }
    char path[32];
    rbl_json_path(value, path, sizeof path);
    assert_string_equal(path, "....level.level.level.level");
    rbl_json_free(&document);
}

// A key or a name that does not exist is refused with those that do; a long list is cut at a name.
static void unknown_words_are_refused_with_those_allowed(void** state)
{
    (void)state;
    char names[100][8];
    const char* keys[101] = {NULL};
    rblJsonDocument document;
    for (uint32_t i = 0; i < 100; ++i)
    {
        snprintf(names[i], sizeof names[i], "key%03u", i);
        keys[i] = names[i];
    }
    const char* text = "{\"qqqqqqqq\":\"wwwwwwww\"}";
    check_ok(parse(&document, text));
    const rblJson root = rbl_json_root(&document);
    check_fails(RBL_ERROR_FORMAT, rbl_check_keys(root, keys));
    const char* message = rbl_last_error();
    assert_non_null(strstr(message, "qqqqqqqq: unknown key, must be one of key000, key001, "));
    const char* last = strrchr(message, 'k');
    assert_int_equal(strlen(last), strlen("key012, ..."));
    assert_string_equal(last + strlen("key012"), ", ...");
    assert_true(strlen(message) < 320);
    const rblJson value = rbl_json_find(root, "qqqqqqqq");
    check_fails(RBL_ERROR_FORMAT, rbl_fail_unknown(value, "word", keys, 2));
    assert_string_equal(rbl_last_error(),
                        "test.json:1:13: qqqqqqqq: no word 'wwwwwwww', must be one of key000, key001");
    check_fails(RBL_ERROR_FORMAT, rbl_fail_unknown(value, "word", keys, 0));
    assert_non_null(
        strstr(rbl_last_error(), "no word 'wwwwwwww', must be one of those of the file, which names none"));
    rbl_json_free(&document);
}

static void whole_numbers_are_exact_in_64_bits(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        bool fits64, fits32;
        uint64_t value;
    } cases[] = {
        {"0", true, true, 0},
        {"-0", true, true, 0},
        {"18446744073709551615", true, false, UINT64_MAX},
        {"18446744073709551616", false, false, 0},
        {"9007199254740993", true, false, 9007199254740993u},
        {"4294967295", true, true, UINT32_MAX},
        {"4294967296", true, false, 4294967296u},
        {"1e3", true, true, 1000},
        {"2.50e1", true, true, 25},
        {"7.0", true, true, 7},
        {"0.5", false, false, 0},
        {"-1", false, false, 0},
        {"1e300", false, false, 0},
        {"99999999999999999999999999", false, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        rblJsonDocument document;
        check_ok(parse(&document, cases[i].text));
        uint64_t wide = 123;
        uint32_t narrow = 123;
        const rblJson root = rbl_json_root(&document);
        assert_int_equal(rbl_json_get_u64(root, &wide) == RBL_OK, cases[i].fits64);
        assert_int_equal(rbl_json_get_u32(root, &narrow) == RBL_OK, cases[i].fits32);
        assert_true(wide == (cases[i].fits64 ? cases[i].value : 123));
        assert_true(narrow == (cases[i].fits32 ? cases[i].value : 123));
        rbl_json_free(&document);
    }
}

static void optional_members_keep_their_default(void** state)
{
    (void)state;
    rblJsonDocument document;
    check_ok(parse(&document, "{\"n\": 2, \"s\": \"text\", \"b\": true, \"zero\": \"a\\u0000b\"}"));
    const rblJson root = rbl_json_root(&document);
    double number = 1.0;
    bool flag = false;
    uint32_t small = 4;
    uint64_t large = 5;
    const char* text = "default";
    check_ok(rbl_json_optional_number(root, "x", &number));
    check_ok(rbl_json_optional_bool(root, "x", &flag));
    check_ok(rbl_json_optional_u32(root, "x", &small));
    check_ok(rbl_json_optional_u64(root, "x", &large));
    check_ok(rbl_json_optional_string(root, "x", &text));
    assert_true(number == 1.0 && !flag && small == 4 && large == 5 && strcmp(text, "default") == 0);
    check_ok(rbl_json_optional_number(root, "n", &number));
    check_ok(rbl_json_optional_bool(root, "b", &flag));
    check_ok(rbl_json_optional_u32(root, "n", &small));
    check_ok(rbl_json_optional_u64(root, "n", &large));
    check_ok(rbl_json_optional_string(root, "s", &text));
    assert_true(number == 2.0 && flag && small == 2 && large == 2 && strcmp(text, "text") == 0);
    check_fails(RBL_ERROR_FORMAT, rbl_json_optional_number(root, "s", &number));
    check_fails(RBL_ERROR_FORMAT, rbl_json_optional_bool(root, "s", &flag));
    check_fails(RBL_ERROR_FORMAT, rbl_json_optional_u32(root, "s", &small));
    check_fails(RBL_ERROR_FORMAT, rbl_json_optional_u64(root, "s", &large));
    check_fails(RBL_ERROR_FORMAT, rbl_json_optional_string(root, "n", &text));
    check_fails(RBL_ERROR_FORMAT, rbl_json_get_string(rbl_json_find(root, "zero"), &text));
    rbl_json_free(&document);
}

// ---- size ----

static void large_arrays_and_objects_stay_cheap(void** state)
{
    (void)state;
    enum
    {
        MEMBERS = 100000,
        NUMBERS = 1000000
    };
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 0, rbl_default_allocator());
    char key[32];
    rbl_json_begin_object(&writer);
    for (uint32_t i = 0; i < MEMBERS; ++i)
    {
        snprintf(key, sizeof key, "member %u", (i * 7919u) % MEMBERS);
        rbl_json_key(&writer, key);
        rbl_json_unsigned(&writer, i);
    }
    rbl_json_key(&writer, "numbers");
    rbl_json_begin_array(&writer);
    for (uint32_t i = 0; i < NUMBERS; ++i)
    {
        rbl_json_unsigned(&writer, i);
    }
    rbl_json_end_array(&writer);
    rbl_json_end_object(&writer);
    check_ok(rbl_json_writer_finish(&writer));
    rblJsonDocument document;
    check_ok(rbl_json_parse(&document, writer.text, writer.size, "large", rbl_default_allocator()));
    const rblJson root = rbl_json_root(&document);
    for (uint32_t i = 0; i < MEMBERS; ++i)
    {
        uint32_t value;
        snprintf(key, sizeof key, "member %u", (i * 7919u) % MEMBERS);
        check_ok(rbl_json_get_u32(rbl_json_find(root, key), &value));
        assert_int_equal(value, i);
    }
    const rblJson numbers = rbl_json_find(root, "numbers");
    assert_int_equal(rbl_json_count(numbers), NUMBERS);
    for (uint32_t i = 0; i < NUMBERS; i += 997)
    {
        uint32_t value;
        check_ok(rbl_json_get_u32(rbl_json_item(numbers, i), &value));
        assert_int_equal(value, i);
    }
    assert_false(rbl_json_exists(rbl_json_find(root, "member")));
    rbl_json_free(&document);
    rbl_json_writer_free(&writer);
}

static void a_duplicate_among_many_keys_is_found(void** state)
{
    (void)state;
    char text[2048];
    for (uint32_t members = 2; members < 40; ++members)
    {
        for (uint32_t twin = 0; twin + 1 < members; ++twin)
        {
            size_t used = 0;
            for (uint32_t i = 0; i < members; ++i)
            {
                used += (size_t)snprintf(text + used, sizeof text - used, "%s\"k%u\":%u", i == 0 ? "{" : ",",
                                         i + 1 == members ? twin : i, i);
            }
            strcat(text, "}");
            rblJsonDocument document;
            check_fails(RBL_ERROR_FORMAT, parse(&document, text));
            char expected[64];
            snprintf(expected, sizeof expected, "the key \"k%u\" was given before", twin);
            assert_non_null(strstr(rbl_last_error(), expected));
        }
    }
}

// ---- hostile ----

static const char sample[] =
    "{\"a\": [1, 2.5e-3, -0], \"b\": {\"c\": \"x\\u00e9\\uD834\\uDD1E\xE2\x82\xAC\"}, \"d\": [null, "
    "true, false, {}], \"e\": [], \"f\":1,\"g\":2,\"h\":3,\"i\":4,\"j\":5,\"k\":6}";

static void truncation_at_every_byte_is_refused(void** state)
{
    (void)state;
    for (size_t size = 0; size + 1 < sizeof sample; ++size)
    {
        char* exact = malloc(size + (size == 0)); // exact size: the sanitizer sees one byte too many
        assert_non_null(exact);
        memcpy(exact, sample, size);
        rblJsonDocument document;
        check_fails(RBL_ERROR_FORMAT, rbl_json_parse(&document, exact, size, "cut", rbl_default_allocator()));
        free(exact);
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void flipped_bytes_never_do_harm(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 5);
    char text[sizeof sample];
    for (int round = 0; round < 20000; ++round)
    {
        memcpy(text, sample, sizeof sample);
        for (uint32_t flips = 1 + rbl_random_below(&random, 3); flips > 0; --flips)
        {
            text[rbl_random_below(&random, sizeof sample - 1)] = (char)rbl_random_below(&random, 256);
        }
        rblJsonDocument document;
        if (rbl_json_parse(&document, text, sizeof sample - 1, "flip", rbl_default_allocator()) == RBL_OK)
        {
            rbl_json_free(&document);
        }
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void running_out_of_memory_is_reported_and_leaks_nothing(void** state)
{
    (void)state;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblJsonDocument document;
        result = rbl_json_parse(&document, sample, sizeof sample - 1, "oom", &memory.allocator);
        if (result == RBL_OK)
        {
            rbl_json_free(&document);
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
    }
}

// ---- what the reader stands on ----

static bool tens_before(uint32_t a, uint32_t b, const void* context)
{
    const uint32_t* keys = context;
    return keys[a] < keys[b];
}

static void sorting_is_stable_for_any_count(void** state)
{
    (void)state;
    enum
    {
        LARGEST = 700
    };
    rblRandom random = rbl_random_seed(11, 0);
    uint32_t keys[LARGEST], items[LARGEST], scratch[LARGEST];
    for (uint32_t count = 0; count < LARGEST; count += count < 70 ? 1 : 37)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            keys[i] = rbl_random_below(&random, 20);
            items[i] = i;
        }
        rbl_sort_indices(items, scratch, count, tens_before, keys);
        for (uint32_t i = 1; i < count; ++i)
        {
            const uint32_t a = items[i - 1];
            const uint32_t b = items[i];
            assert_true(keys[a] < keys[b] || (keys[a] == keys[b] && a < b));
        }
    }
}

static void utf8_accepts_exactly_what_it_encodes(void** state)
{
    (void)state;
    char bytes[4];
    for (uint32_t code = 0; code < 0x110000; ++code)
    {
        if (code < 0xD800 || code > 0xDFFF)
        {
            const size_t length = rbl_utf8_encode(code, bytes);
            assert_true(rbl_utf8_length(bytes, bytes + length) == length);
            assert_true(rbl_utf8_length(bytes, bytes + length - 1) == 0);
        }
    }
    // All two-byte beginnings: as many accepted two-byte texts as there are code points of two bytes.
    uint32_t accepted = 0;
    for (uint32_t pair = 0; pair < 0x10000; ++pair)
    {
        bytes[0] = (char)(pair >> 8);
        bytes[1] = (char)(pair & 0xFF);
        accepted += rbl_utf8_length(bytes, bytes + 2) == 2;
    }
    assert_int_equal(accepted, 0x800 - 0x80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_keep_their_order_and_are_found),
        cmocka_unit_test(what_is_not_there_is_absent_not_an_error),
        cmocka_unit_test(any_value_may_stand_at_the_top),
        cmocka_unit_test(escapes_and_surrogate_pairs_become_utf8),
        cmocka_unit_test(bad_texts_are_refused_with_line_and_column),
        cmocka_unit_test(nesting_is_limited_and_never_recurses),
        cmocka_unit_test(failures_name_the_path),
        cmocka_unit_test(long_paths_are_cut_at_the_front),
        cmocka_unit_test(unknown_words_are_refused_with_those_allowed),
        cmocka_unit_test(whole_numbers_are_exact_in_64_bits),
        cmocka_unit_test(optional_members_keep_their_default),
        cmocka_unit_test(large_arrays_and_objects_stay_cheap),
        cmocka_unit_test(a_duplicate_among_many_keys_is_found),
        cmocka_unit_test(truncation_at_every_byte_is_refused),
        cmocka_unit_test(flipped_bytes_never_do_harm),
        cmocka_unit_test(running_out_of_memory_is_reported_and_leaks_nothing),
        cmocka_unit_test(sorting_is_stable_for_any_count),
        cmocka_unit_test(utf8_accepts_exactly_what_it_encodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
