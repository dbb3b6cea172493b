// docs/scene.schema.json says the same as the reader: what the reader takes is valid, and keys and types that the schema
// refuses are refused.
#include "testing.h"

#include "io/file.h"
#include "io/json/json.h"
#include "rubble/scene.h"
#include "scene/read/scene.h"
#include <stdlib.h>
#include <string.h>

typedef struct Text
{
    rblFileBytes file;
    rblJsonDocument document;
} Text;

static void open_text(Text* text, const char* path)
{
    check_ok(rbl_file_read(path, (size_t)1 << 24, rbl_default_allocator(), &text->file));
    check_ok(rbl_json_parse(&text->document, (const char*)text->file.bytes, text->file.size, path,
                            rbl_default_allocator()));
}

static void close_text(Text* text)
{
    rbl_json_free(&text->document);
    rbl_file_bytes_free(&text->file);
}

// ---- a validator for the part of JSON Schema that the file uses ----

static bool is_valid(rblJson root, rblJson schema, rblJson value);

static const char* string_of(rblJson value)
{
    const char* text = "";
    return rbl_json_is(value, RBL_JSON_STRING) && rbl_json_get_string(value, &text) == RBL_OK ? text : "";
}

static bool same(rblJson a, rblJson b)
{
    double x;
    double y;
    if (rbl_json_is(a, RBL_JSON_STRING) && rbl_json_is(b, RBL_JSON_STRING))
    {
        return strcmp(string_of(a), string_of(b)) == 0;
    }
    return rbl_json_is(a, RBL_JSON_NUMBER) && rbl_json_is(b, RBL_JSON_NUMBER) &&
           rbl_json_get_number(a, &x) == RBL_OK && rbl_json_get_number(b, &y) == RBL_OK && x == y;
}

static bool has_type(const char* type, rblJson value)
{
    double number = 0.5;
    static const char* const names[] = {"null", "boolean", "number", "string", "array", "object"};
    if (strcmp(type, "integer") == 0)
    {
        return rbl_json_is(value, RBL_JSON_NUMBER) && rbl_json_get_number(value, &number) == RBL_OK &&
               number == floor(number);
    }
    for (int i = 0; i < 6; ++i)
    {
        if (strcmp(names[i], type) == 0)
        {
            return rbl_json_is(value, (rblJsonType)i);
        }
    }
    fail_msg("the schema has an unknown type '%s'", type);
    return false;
}

static double limit(rblJson schema, const char* key, double fallback)
{
    double number = fallback;
    check_ok(rbl_json_optional_number(schema, key, &number));
    return number;
}

static bool valid_number(rblJson schema, rblJson value)
{
    double number = 0.0;
    if (!rbl_json_is(value, RBL_JSON_NUMBER))
    {
        return true;
    }
    check_ok(rbl_json_get_number(value, &number));
    return number >= limit(schema, "minimum", -INFINITY) && number <= limit(schema, "maximum", INFINITY) &&
           (number > limit(schema, "exclusiveMinimum", -INFINITY)) &&
           (number < limit(schema, "exclusiveMaximum", INFINITY));
}

static bool valid_array(rblJson root, rblJson schema, rblJson value)
{
    const uint32_t count = rbl_json_count(value);
    const rblJson items = rbl_json_find(schema, "items");
    if (!rbl_json_is(value, RBL_JSON_ARRAY))
    {
        return true;
    }
    if (count < limit(schema, "minItems", 0) || count > limit(schema, "maxItems", INFINITY))
    {
        return false;
    }
    for (uint32_t i = 0; rbl_json_exists(items) && i < count; ++i)
    {
        if (!is_valid(root, items, rbl_json_item(value, i)))
        {
            return false;
        }
    }
    return true;
}

static bool valid_object(rblJson root, rblJson schema, rblJson value)
{
    const rblJson required = rbl_json_find(schema, "required");
    const rblJson others = rbl_json_find(schema, "additionalProperties");
    if (!rbl_json_is(value, RBL_JSON_OBJECT))
    {
        return true;
    }
    for (uint32_t i = 0; i < rbl_json_count(required); ++i)
    {
        if (!rbl_json_exists(rbl_json_find(value, string_of(rbl_json_item(required, i)))))
        {
            return false;
        }
    }
    for (uint32_t i = 0; i < rbl_json_count(value); ++i)
    {
        rblJson key;
        const rblJson member = rbl_json_member_at(value, i, &key);
        const rblJson known = rbl_json_find(rbl_json_find(schema, "properties"), string_of(key));
        const bool refused = !rbl_json_exists(known) && rbl_json_is(others, RBL_JSON_BOOL); // always false
        const rblJson rule = rbl_json_exists(known) ? known : others;
        if (refused || (rbl_json_is(rule, RBL_JSON_OBJECT) && !is_valid(root, rule, member)))
        {
            return false;
        }
    }
    return true;
}

static bool valid_choice(rblJson root, rblJson schema, rblJson value)
{
    const rblJson constant = rbl_json_find(schema, "const");
    const rblJson choices = rbl_json_find(schema, "enum");
    const rblJson kinds = rbl_json_find(schema, "oneOf");
    uint32_t matches = 0;
    for (uint32_t i = 0; i < rbl_json_count(choices); ++i)
    {
        matches += same(rbl_json_item(choices, i), value);
    }
    for (uint32_t i = 0; i < rbl_json_count(kinds); ++i)
    {
        matches += is_valid(root, rbl_json_item(kinds, i), value);
    }
    const bool chooses = rbl_json_exists(choices) || rbl_json_exists(kinds);
    return (!rbl_json_exists(constant) || same(constant, value)) && (!chooses || matches == 1);
}

static bool is_valid(rblJson root, rblJson schema, rblJson value)
{
    const rblJson reference = rbl_json_find(schema, "$ref");
    const rblJson type = rbl_json_find(schema, "type");
    if (rbl_json_exists(reference))
    {
        const char* name = strrchr(string_of(reference), '/');
        assert_non_null(name);
        const rblJson target = rbl_json_find(rbl_json_find(root, "definitions"), name + 1);
        assert_true(rbl_json_exists(target));
        return is_valid(root, target, value);
    }
    if (rbl_json_exists(type) && !has_type(string_of(type), value))
    {
        return false;
    }
    const bool long_enough = !rbl_json_is(value, RBL_JSON_STRING) ||
                             (double)strlen(string_of(value)) >= limit(schema, "minLength", 0.0);
    return long_enough && valid_number(schema, value) && valid_array(root, schema, value) &&
           valid_object(root, schema, value) && valid_choice(root, schema, value);
}

// ---- shipped scenes ----

static Text schema_text;

static int open_schema(void** state)
{
    (void)state;
    open_text(&schema_text, RBL_TEST_DOCS "/scene.schema.json");
    return 0;
}

static int close_schema(void** state)
{
    (void)state;
    close_text(&schema_text);
    return 0;
}

static bool agrees(rblJson scene)
{
    const rblJson root = rbl_json_root(&schema_text.document);
    return is_valid(root, root, scene);
}

static void shipped_scenes_are_valid(void** state)
{
    (void)state;
    static const char* const names[] = {
        "bowl_of_statues", "bullet",           "cylinder_25",     "disrupted_stack",   "dominoes",
        "elevator",        "free_spin_needle", "free_spin_plate", "incline_hold",      "incline_slide",
        "incline_stop",    "newton_cradle",    "piggy_bank",      "pile_1000",         "pillar",
        "plates",          "rolling_plate",    "slide_and_stop",  "stack20",           "statue_35",
        "stress_brick",    "stress_bricks",    "stress_handled",  "stress_piggy_bank", "stress_plates",
        "stress_statues",  "table_100",        "table_1000",      "table_25",          "wall_three_hits",
        "wall_two_stages", "wine_glass",       "wrecking_ball"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        char path[512];
        Text scene;
        snprintf(path, sizeof path, RBL_TEST_DOCS "/../scenes/%s.json", names[i]);
        open_text(&scene, path);
        if (!agrees(rbl_json_root(&scene.document)))
        {
            fail_msg("%s is not valid", names[i]);
        }
        close_text(&scene);
    }
}

// ---- kinds of breakers and shapes ----

static void check_same(rblJson a, rblJson b)
{
    char path[200];
    rblJson key;
    rbl_json_path(a, path, sizeof path);
    const bool object = rbl_json_is(a, RBL_JSON_OBJECT);
    const bool list = object || rbl_json_is(a, RBL_JSON_ARRAY);
    bool of_a = false, of_b = true;
    const bool truth = rbl_json_is(a, RBL_JSON_BOOL);
    const bool equal =
        truth ? rbl_json_get_bool(a, &of_a) == RBL_OK && rbl_json_get_bool(b, &of_b) == RBL_OK && of_a == of_b
              : list || same(a, b);
    if (rbl_json_count(a) != rbl_json_count(b) || !equal)
    {
        fail_msg("docs/scene.schema.json is stale at %s: run scripts/scene-reference --made FOLDER, "
                 "the folder where this test ran",
                 path);
    }
    for (uint32_t i = 0; i < rbl_json_count(a); ++i)
    {
        const rblJson item = object ? rbl_json_member_at(a, i, &key) : rbl_json_item(a, i);
        check_same(item, object ? rbl_json_find(b, string_of(key)) : rbl_json_item(b, i));
    }
}

// What the library writes is what the schema has as that definition, word for word. The file NAME.schema.json is for
// scripts/scene-reference.
static void check_definition(rblJsonWriter* writer, const char* name)
{
    char path[64];
    rblJsonDocument made;
    check_ok(rbl_json_writer_finish(writer));
    snprintf(path, sizeof path, "%s.schema.json", name);
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(writer->text, 1, writer->size, file);
    fclose(file);
    check_ok(rbl_json_parse(&made, writer->text, writer->size, name, rbl_default_allocator()));
    const rblJson definitions = rbl_json_find(rbl_json_root(&schema_text.document), "definitions");
    check_same(rbl_json_root(&made), rbl_json_find(definitions, name));
    rbl_json_free(&made);
    rbl_json_writer_free(writer);
}

static void every_kind_of_breaker_is_in_the_schema(void** state)
{
    (void)state;
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 1, rbl_default_allocator());
    check_ok(rbl_scene_write_fracture_schema(&writer));
    check_definition(&writer, "fracture");
}

static void every_kind_of_shape_is_in_the_schema(void** state)
{
    (void)state;
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 1, rbl_default_allocator());
    rbl_scene_write_shape_schema(&writer);
    check_definition(&writer, "shape");
}

// ---- every value of a scene replaced, in turn, by others ----

static const char* const replacements[] = {"null",  "true", "-1", "0",  "0.5",     "1e300",
                                           "\"x\"", "\"\"", "[]", "{}", "[0,0,0]", "{\"unknown\":1}"};

// The text with the value at `node` replaced.
static rblResult load_mutant(const Text* text, rblJson value, size_t end, const char* replacement, char* out,
                             size_t size)
{
    const size_t begin = text->document.nodes.data[value.node].offset;
    snprintf(out, size, "%.*s%s%.*s", (int)begin, text->document.text, replacement,
             (int)(text->document.size - end), text->document.text + end);
    rblSceneId scene;
    const rblResult result = rbl_scene_load_memory(out, strlen(out), "mutant", &scene);
    return result == RBL_OK ? rbl_scene_destroy(scene) : result;
}

// Where a value ends in the text: the first place from which what comes before it still parses as that value.
static size_t end_of(const Text* text, rblJson value)
{
    const char* at = text->document.text + text->document.nodes.data[value.node].offset;
    const char* c = at;
    int depth = 0;
    bool quoted = false;
    for (;; ++c)
    {
        if (quoted || *c == '"')
        {
            quoted = *c == '"' ? !quoted : quoted;
        }
        else if (*c == '[' || *c == '{')
        {
            ++depth;
        }
        else if (*c == ']' || *c == '}')
        {
            --depth;
        }
        const bool closed = !quoted && depth == 0 && strchr("]}\"", *c) != NULL;
        const bool ends = depth < 0 || (!quoted && depth == 0 && strchr(",\n ", *c) != NULL);
        if (closed || ends)
        {
            return (size_t)(c - text->document.text) + (ends ? 0 : 1);
        }
    }
}

static void check_mutant(const Text* text, rblJson value, const char* replacement, uint32_t* taken)
{
    char mutant[16384];
    rblJsonDocument document;
    const rblResult result =
        load_mutant(text, value, end_of(text, value), replacement, mutant, sizeof mutant);
    if (rbl_json_parse(&document, mutant, strlen(mutant), "mutant", rbl_default_allocator()) != RBL_OK)
    {
        fail_msg("the test made no JSON of it: %s", mutant);
    }
    if (result == RBL_OK && !agrees(rbl_json_root(&document)))
    {
        char path[200];
        rbl_json_path(value, path, sizeof path);
        fail_msg("the reader takes %s at %s, the schema does not", replacement, path);
    }
    *taken += result == RBL_OK;
    rbl_json_free(&document);
}

static void visit(const Text* text, rblJson value, uint32_t* count, uint32_t* taken)
{
    for (size_t i = 0; i < sizeof replacements / sizeof replacements[0]; ++i)
    {
        check_mutant(text, value, replacements[i], taken);
        *count += 1;
    }
    for (uint32_t i = 0; i < rbl_json_count(value); ++i)
    {
        const bool object = rbl_json_is(value, RBL_JSON_OBJECT);
        visit(text, object ? rbl_json_member_at(value, i, NULL) : rbl_json_item(value, i), count, taken);
    }
}

static void what_the_reader_takes_is_valid(void** state)
{
    (void)state;
    Text text;
    rblSceneId scene;
    uint32_t count = 0;
    uint32_t taken = 0;
    open_text(&text, RBL_TEST_DOCS "/../tests/fuzz/seeds/scene/everything.json");
    check_ok(rbl_scene_load_memory(text.file.bytes, text.file.size, "everything", &scene));
    check_ok(rbl_scene_destroy(scene));
    assert_true(agrees(rbl_json_root(&text.document)));
    visit(&text, rbl_json_root(&text.document), &count, &taken);
    assert_true(count > 2000 && taken > 100 && taken < count / 2);
    close_text(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_scenes_are_valid),
        cmocka_unit_test(every_kind_of_breaker_is_in_the_schema),
        cmocka_unit_test(every_kind_of_shape_is_in_the_schema),
        cmocka_unit_test(what_the_reader_takes_is_valid),
    };
    return cmocka_run_group_tests_name("scene schema", tests, open_schema, close_schema);
}
