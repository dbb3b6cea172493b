// Definitions by tables of parameters: one table, and JSON, bytes, copies, comparison and schema agree.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "parameter_testing.h"
#include <string.h>

static rblResult read_json(const char* text, Everything* out, uint64_t* given, rblJsonDocument* document)
{
    check_ok(rbl_json_parse(document, text, strlen(text), "test", rbl_default_allocator()));
    const rblJson root = rbl_json_root(document);
    rblResult result = rbl_json_check_parameter_keys(root, everything, "kind");
    return result == RBL_OK ? rbl_json_read_parameters(root, everything, out, given) : result;
}

static const char full[] =
    "{\"kind\":\"x\",\"part\":0.75,\"length\":0.1,\"count\":7,\"seed\":18446744073709551615,\"loud\":true,"
    "\"color\":\"green\",\"size\":[1,2,3],\"axis\":[0,0,0.3],\"title\":\"a title\",\"grid\":\"sub/g.nrrd\","
    "\"pattern\":\"p.nrrd\",\"group\":{\"inner\":0.5,\"more\":{\"deep\":9}}}";

static void values_are_read_from_json(void** state)
{
    (void)state;
    rblJsonDocument document;
    Everything def = everything_default();
    uint64_t given = 0;
    check_ok(read_json(full, &def, &given, &document));
    assert_true(def.part == 0.75f && def.length == (double)0.1f && def.count == 7 && def.seed == UINT64_MAX);
    assert_true(def.loud && def.color == 1 && def.size.y == 2.0f && def.axis.z == (double)0.3f);
    assert_string_equal(def.title, "a title");
    assert_string_equal(def.grid, "sub/g.nrrd");
    assert_true(def.pattern == 2 && strcmp(def.pattern_file, "p.nrrd") == 0);
    assert_true(def.inner == 0.5f && def.deep == 9);
    assert_true(given == 0xFFF);
    rbl_json_free(&document);
    def = everything_default();
    check_ok(read_json("{\"pattern\":\"rays\"}", &def, &given, &document));
    assert_true(def.pattern == 1 && def.pattern_file == NULL && given == 1u << 10 && def.part == 0.5f);
    rbl_json_free(&document);
}

static void what_does_not_fit_is_refused_with_its_path(void** state)
{
    (void)state;
    static const char* const cases[][2] = {
        {"{\"part\":1.5}", "part: is 1.5, must be 0 to 1"},
        {"{\"length\":0}", "length: is 0, must be positive"},
        {"{\"length\":1e300}", "length: is 1e+300, too large"},
        {"{\"count\":1}", "count: is 1, must be 2 to 100"},
        {"{\"count\":2.5}", "count"},
        {"{\"color\":\"gren\"}", "color: no color 'gren'; did you mean 'green'?"},
        {"{\"color\":\"xyz\"}", "color: no color 'xyz', must be one of red, green"},
        {"{\"size\":[1,0,1]}", "size[1]: is 0, must be positive"},
        {"{\"axis\":[0,0,0]}", "axis: a direction must not be 0"},
        {"{\"pattern\":\"ray\"}", "did you mean 'rays'?"},
        {"{\"title\":\"\"}", "title: a text must not be empty"},
        {"{\"group\":{}}", "inner"},
        {"{\"group\":{\"inner\":1}}", "group.inner: is 1, must be at least 0 and below 1"},
        {"{\"group\":{\"inner\":0,\"iner\":0}}", "group.iner: unknown key; did you mean 'inner'?"},
        {"{\"lenght\":1}", "lenght: unknown key; did you mean 'length'?"},
        {"[]", "object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        rblJsonDocument document;
        Everything def = everything_default();
        check_fails(RBL_ERROR_FORMAT, read_json(cases[i][0], &def, NULL, &document));
        if (strstr(rbl_last_error(), cases[i][1]) == NULL)
        {
            fail_msg("'%s' does not say '%s'", rbl_last_error(), cases[i][1]);
        }
        rbl_json_free(&document);
    }
}

static Everything random_def(rblRandom* random)
{
    Everything def = {.part = rbl_random_float(random),
                      .length = rbl_random_double(random) + 0.1,
                      .count = 2 + rbl_random_u32(random) % 90,
                      .seed = rbl_random_u64(random),
                      .loud = rbl_random_u32(random) % 2 == 0,
                      .color = rbl_random_u32(random) % 2,
                      .size = {1.0f + rbl_random_float(random), 2.0f, 3.0f},
                      .axis = {rbl_random_double(random), 1.0, 0.0},
                      .pattern = rbl_random_u32(random) % 3,
                      .inner = 0.5f * rbl_random_float(random),
                      .deep = rbl_random_u32(random)};
    def.title = rbl_random_u32(random) % 2 == 0 ? "title" : NULL;
    def.grid = rbl_random_u32(random) % 2 == 0 ? "a.nrrd" : NULL;
    def.pattern_file = def.pattern == 2 ? "b.nrrd" : NULL;
    return def;
}

static void bytes_give_the_same_values(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    for (int round = 0; round < 200; ++round)
    {
        const Everything def = random_def(&random);
        Everything back = everything_default();
        rblByteSink sink;
        rblArena arena;
        rbl_sink_init(&sink, rbl_default_allocator());
        rbl_arena_init(&arena, 256, rbl_default_allocator());
        rbl_parameters_put(&sink, everything, &def, true);
        rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
        check_ok(rbl_parameters_take(&source, everything, &back, &arena, "test"));
        assert_int_equal(rbl_source_left(&source), 0);
        assert_true(rbl_parameters_equal(everything, &def, &back));
        for (size_t cut = 0; cut < sink.bytes.count; ++cut)
        {
            source = (rblByteSource){.data = sink.bytes.data, .size = cut};
            check_fails(RBL_ERROR_FORMAT, rbl_parameters_take(&source, everything, &back, &arena, "test"));
        }
        rbl_arena_free(&arena);
        rbl_sink_free(&sink);
    }
}

// A table that has grown reads what an older one wrote; a value that it does not have is refused by name.
static void tables_may_grow(void** state)
{
    (void)state;
    const Everything def = everything_default();
    Everything back = everything_default();
    rblByteSink sink;
    rblArena arena;
    rbl_sink_init(&sink, rbl_default_allocator());
    rbl_arena_init(&arena, 256, rbl_default_allocator());
    rbl_parameters_put(&sink, everything_deepest, &(Everything){.deep = 77}, true);
    rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
    static const rblParameter grown[] = {
        {.key = "part", .type = RBL_PARAMETER_FLOAT, .offset = offsetof(Everything, part), .about = "new"},
        {.key = "deep", .type = RBL_PARAMETER_U32, .offset = offsetof(Everything, deep), .about = "old"},
        {.key = NULL}};
    check_ok(rbl_parameters_take(&source, grown, &back, &arena, "test"));
    assert_true(back.deep == 77 && back.part == def.part);
    source = (rblByteSource){.data = sink.bytes.data, .size = sink.bytes.count};
    check_fails(RBL_ERROR_FORMAT, rbl_parameters_take(&source, everything_group, &back, &arena, "test"));
    assert_non_null(strstr(rbl_last_error(), "test: the parameter 'deep' is not known"));
    rbl_arena_free(&arena);
    rbl_sink_free(&sink);
}

static void a_difference_anywhere_is_noticed(void** state)
{
    (void)state;
    const Everything def = {.title = "a", .grid = "b", .pattern_file = "c"};
    const Everything others[] = {
        {.title = "a", .grid = "b", .pattern_file = "c", .part = 1.0f},
        {.title = "a", .grid = "b", .pattern_file = "c", .length = 1.0},
        {.title = "a", .grid = "b", .pattern_file = "c", .count = 1},
        {.title = "a", .grid = "b", .pattern_file = "c", .seed = 1},
        {.title = "a", .grid = "b", .pattern_file = "c", .loud = true},
        {.title = "a", .grid = "b", .pattern_file = "c", .color = 1},
        {.title = "a", .grid = "b", .pattern_file = "c", .size = {0, 0, 1}},
        {.title = "a", .grid = "b", .pattern_file = "c", .axis = {0, 0, 1}},
        {.title = "b", .grid = "b", .pattern_file = "c"},
        {.title = "a", .grid = NULL, .pattern_file = "c"},
        {.title = "a", .grid = "b", .pattern_file = "d"},
        {.title = "a", .grid = "b", .pattern_file = "c", .pattern = 1},
        {.title = "a", .grid = "b", .pattern_file = "c", .inner = 1.0f},
        {.title = "a", .grid = "b", .pattern_file = "c", .deep = 1},
    };
    assert_true(rbl_parameters_equal(everything, &def, &def));
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    {
        assert_false(rbl_parameters_equal(everything, &def, &others[i]));
    }
}

static void copies_have_their_own_texts(void** state)
{
    (void)state;
    char title[] = "changes";
    const Everything def = {.title = title, .pattern_file = "file"};
    FailingAllocator memory;
    size_t bytes = 0;
    failing_allocator_start(&memory, 0);
    assert_null(rbl_parameters_copy(everything, &def, sizeof def, &memory.allocator, &bytes));
    failing_allocator_start(&memory, 1);
    Everything* copy = rbl_parameters_copy(everything, &def, sizeof def, &memory.allocator, &bytes);
    assert_non_null(copy);
    title[0] = 'C';
    assert_string_equal(copy->title, "changes");
    assert_string_equal(copy->pattern_file, "file");
    assert_null(copy->grid);
    rbl_free(&memory.allocator, copy, bytes);
    assert_int_equal(memory.live, 0);
}

static void check_written(const Everything* def, rblJsonWriter* writer)
{
    rblJsonDocument document;
    Everything back = everything_default();
    rbl_json_begin_object(writer);
    rbl_json_write_parameters(writer, everything, def);
    rbl_json_end_object(writer);
    check_ok(rbl_json_writer_finish(writer));
    char text[8192];
    assert_true(writer->size < sizeof text);
    memcpy(text, writer->text, writer->size);
    text[writer->size] = '\0';
    check_ok(read_json(text, &back, NULL, &document));
    assert_true(rbl_parameters_equal(everything, def, &back));
    rbl_json_free(&document);
}

static void what_is_written_reads_back(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 1);
    for (int round = 0; round < 50; ++round)
    {
        Everything def = random_def(&random);
        rblJsonWriter writer;
        def.length = (double)(float)def.length; // files give doubles as floats
        def.axis.x = (double)(float)def.axis.x;
        rbl_json_writer_init(&writer, 2, rbl_default_allocator());
        check_written(&def, &writer);
        rbl_json_writer_free(&writer);
    }
}

static void values_out_of_range_are_refused(void** state)
{
    (void)state;
    const Everything good = everything_default();
    check_ok(rbl_parameters_check(everything, &good, "test"));
    Everything bad[6];
    for (int i = 0; i < 6; ++i)
    {
        bad[i] = good;
    }
    bad[0].part = NAN;
    bad[1].count = 1;
    bad[2].color = 2;
    bad[3].axis = (rblVec3d){0, 0, 0};
    bad[4].pattern = 3;
    bad[5].inner = 1.0f;
    static const char* const words[] = {
        "test: part must be 0 to 1",          "test: count must be 2 to 100",
        "test: color is 2, must be 0 to 1",   "test: axis must not be 0",
        "test: pattern is 3, must be 0 to 2", "test: inner must be at least 0 and below 1"};
    for (int i = 0; i < 6; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check(everything, &bad[i], "test"));
        if (strstr(rbl_last_error(), words[i]) == NULL)
        {
            fail_msg("'%s' does not say '%s'", rbl_last_error(), words[i]);
        }
    }
}

static void tables_that_do_not_fit_are_refused(void** state)
{
    (void)state;
    const size_t size = sizeof(Everything);
    check_ok(rbl_parameters_check_table(everything, size, "test"));
    const rblParameter good = everything[0];
    rblParameter rows[3] = {good, {.key = NULL}, {.key = NULL}};
    check_ok(rbl_parameters_check_table(rows, size, "test"));
    rows[1] = good;
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(rows, size, "test"));
    assert_non_null(strstr(rbl_last_error(), "'part' is there twice"));
    rows[1].key = "a.b";
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(rows, size, "test"));
    rows[1] = good;
    rows[1].key = "choice";
    rows[1].type = RBL_PARAMETER_CHOICE;
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(rows, size, "test"));
    rows[1].type = RBL_PARAMETER_DOUBLE;
    rows[1].offset = size - 4;
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(rows, size, "test"));
    rows[1].offset = 0;
    rows[1].min = 2.0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(rows, size, "test"));
    rows[1].min = 0.0;
    rows[1].about = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(rows, size, "test"));
    for (int i = 0; i < 2; ++i)
    {
        rows[1] = (rblParameter){.type = RBL_PARAMETER_END};
        rows[0].reserved[i] = 1;
        check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(rows, size, "test"));
        assert_non_null(strstr(rbl_last_error(), "'part' has a member `reserved` that is not 0, must be 0"));
        rows[0] = good;
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(NULL, size, "test"));
}

// A field is read through a pointer of its type: an offset between two fields is no such pointer.
static void fields_that_are_not_aligned_are_refused(void** state)
{
    (void)state;
    const size_t size = sizeof(Everything) + 8;
    for (const rblParameter* row = everything; row->type != RBL_PARAMETER_END; ++row)
    {
        const bool any = row->type == RBL_PARAMETER_BOOL || row->type == RBL_PARAMETER_GROUP;
        rblParameter rows[2] = {*row, {.type = RBL_PARAMETER_END}};
        check_ok(rbl_parameters_check_table(rows, size, "test"));
        rows[0].offset += 1;
        assert_int_equal(rbl_parameters_check_table(rows, size, "test"), any ? RBL_OK : RBL_ERROR_ARGUMENT);
        assert_true(any || strstr(rbl_last_error(), "is not aligned") != NULL);
        rows[0].offset -= 1;
        rows[0].file_offset += row->type == RBL_PARAMETER_CHOICE_OR_FILE ? 4 : 0;
        assert_int_equal(rbl_parameters_check_table(rows, size, "test"),
                         row->type == RBL_PARAMETER_CHOICE_OR_FILE && _Alignof(const char*) > 4
                             ? RBL_ERROR_ARGUMENT
                             : RBL_OK);
    }
    const rblParameter inner[2] = {
        {.key = "inner", .type = RBL_PARAMETER_U32, .offset = 2, .about = "between"}, {.key = NULL}};
    const rblParameter outer[2] = {
        {.key = "outer", .type = RBL_PARAMETER_GROUP, .about = "of one", .group = inner}, {.key = NULL}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_parameters_check_table(outer, size, "test"));
    assert_non_null(strstr(rbl_last_error(), "parameters of 'test': 'inner' is not aligned"));
}

static rblResult add_folder(const rblParameter* row, const char** path, void* context)
{
    (void)row;
    *path = *path[0] == 'a' ? "found a" : "found b";
    *(int*)context += 1;
    return RBL_OK;
}

static void every_file_is_visited(void** state)
{
    (void)state;
    Everything def = {.title = "no file", .grid = "a", .pattern_file = "b"};
    int count = 0;
    check_ok(rbl_parameters_visit_files(everything, &def, add_folder, &count));
    assert_int_equal(count, 2);
    assert_string_equal(def.grid, "found a");
    assert_string_equal(def.pattern_file, "found b");
    assert_string_equal(def.title, "no file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read_from_json),
        cmocka_unit_test(what_does_not_fit_is_refused_with_its_path),
        cmocka_unit_test(bytes_give_the_same_values),
        cmocka_unit_test(tables_may_grow),
        cmocka_unit_test(a_difference_anywhere_is_noticed),
        cmocka_unit_test(copies_have_their_own_texts),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(values_out_of_range_are_refused),
        cmocka_unit_test(tables_that_do_not_fit_are_refused),
        cmocka_unit_test(fields_that_are_not_aligned_are_refused),
        cmocka_unit_test(every_file_is_visited),
    };
    return cmocka_run_group_tests_name("parameters", tests, NULL, NULL);
}
