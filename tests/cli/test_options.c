// The option parser, on a small program of its own with every kind of option.
#include "testing.h"

#include "base/memory.h"
#include "base/random.h"
#include "options.h"
#include "rubble/text.h"
#include <stdlib.h>
#include <string.h>

static const char* const colours[] = {"red", "green", "blue", NULL};
static const char* const endings[] = {"obj", "ply", NULL};

static const Option program_options[] = {
    {.name = "help", .letter = 'h', .stands_alone = true, .help = "help"},
    {.name = "threads",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 1,
     .highest = 8,
     .value = "N",
     .help = "threads"},
};
static const Option paint_options[] = {
    {.name = "wet", .help = "a flag"},
    {.name = "colour", .kind = OPTION_CHOICE, .choices = colours, .help = "a choice"},
    {.name = "label", .kind = OPTION_TEXT, .value = "TEXT", .help = "a text"},
    {.name = "offset", .kind = OPTION_NUMBERS, .least = 3, .most = 3, .value = "X,Y,Z", .help = "numbers"},
    {.name = "scale", .kind = OPTION_NUMBERS, .least = 1, .most = 1, .value = "S", .help = "any number"},
    {.name = "thick",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 0,
     .highest = OPTIONS_UNBOUNDED,
     .value = "T",
     .help = "not negative"},
};
static const Option ball_options[] = {
    {.name = "radius", .kind = OPTION_NUMBERS, .least = 1, .most = 1, .value = "R", .help = "radius"}};
static const Option vase_options[] = {{.name = "profile",
                                       .kind = OPTION_NUMBERS,
                                       .least = 4,
                                       .pairs = true,
                                       .value = "R,H,...",
                                       .help = "outline"}};
static const Variant shapes[] = {{"ball", "a ball", ball_options, 1}, {"vase", "a vase", vase_options, 1}};
static const Argument paint_arguments[] = {{"IN", ARGUMENT_INPUT, false, "in"},
                                           {"OUT", ARGUMENT_OUTPUT, false, "out"},
                                           {"EXTRA", ARGUMENT_WORD, true, "more"}};
static const Argument form_arguments[] = {{"SHAPE", ARGUMENT_VARIANT, false, "shape"},
                                          {"OUT", ARGUMENT_OUTPUT, false, "out"}};

static int run_nothing(const Parsed* parsed)
{
    (void)parsed;
    return 0;
}

static const Command commands[] = {
    {.name = "paint",
     .summary = "paint",
     .details = "Paints.",
     .arguments = paint_arguments,
     .argument_count = 3,
     .options = paint_options,
     .option_count = 6,
     .run = run_nothing},
    {.name = "form",
     .summary = "form",
     .details = "Forms.",
     .arguments = form_arguments,
     .argument_count = 2,
     .variant_noun = "shape",
     .variants = shapes,
     .variant_count = 2,
     .run = run_nothing},
};

static const Program program = {.name = "tool",
                                .version = "1",
                                .summary = "test",
                                .details = "Tests.",
                                .options = program_options,
                                .option_count = 2,
                                .commands = commands,
                                .command_count = 2,
                                .input_endings = endings,
                                .output_endings = endings};

#define MAX_WORDS 16

typedef struct Line
{
    char text[256];
    const char* words[MAX_WORDS];
    int count;
    Parsed parsed;
    char message[OPTIONS_MESSAGE_SIZE];
} Line;

// Parse a line whose words are separated by single spaces; "" stands for an empty word.
static bool parse(Line* line, const char* text)
{
    snprintf(line->text, sizeof line->text, "tool %s", text);
    line->count = 0;
    for (char* word = strtok(line->text, " "); word != NULL; word = strtok(NULL, " "))
    {
        assert_true(line->count < MAX_WORDS);
        line->words[line->count++] = strcmp(word, "\"\"") == 0 ? "" : word;
    }
    return options_parse(&program, line->count, line->words, &line->parsed, line->message);
}

static void check_parses(Line* line, const char* text)
{
    if (!parse(line, text))
    {
        fail_msg("'%s' was refused: %s", text, line->message);
    }
}

static void check_refused(const char* text, const char* expected)
{
    Line line;
    if (parse(&line, text))
    {
        fail_msg("'%s' was accepted", text);
    }
    if (strstr(line.message, expected) == NULL)
    {
        fail_msg("'%s' says '%s', not '%s'", text, line.message, expected);
    }
    assert_null(strchr(line.message, '\n'));
    options_free(&line.parsed);
}

static void both_ways_to_give_a_value_mean_the_same(void** state)
{
    (void)state;
    static const char* const lines[] = {"paint a.obj b.ply --scale 2.5 --colour green --label x=y",
                                        "paint a.obj b.ply --scale=2.5 --colour=green --label=x=y"};
    for (int i = 0; i < 2; ++i)
    {
        Line line;
        check_parses(&line, lines[i]);
        assert_true(options_number(&line.parsed, "scale", 0.0) == 2.5);
        assert_int_equal(options_value(&line.parsed, "colour")->choice, 1);
        assert_string_equal(options_value(&line.parsed, "label")->text, "x=y");
        assert_false(options_given(&line.parsed, "wet"));
        assert_null(options_value(&line.parsed, "offset"));
        assert_true(options_number(&line.parsed, "thick", 7.0) == 7.0);
        options_free(&line.parsed);
    }
}

static void negative_numbers_are_values(void** state)
{
    (void)state;
    Line line;
    check_parses(&line, "paint a.obj b.ply --scale -1 --offset -1,-.5,3e2");
    assert_true(options_number(&line.parsed, "scale", 0.0) == -1.0);
    const OptionValue* offset = options_value(&line.parsed, "offset");
    assert_int_equal(offset->count, 3);
    assert_true(offset->numbers[0] == -1.0 && offset->numbers[1] == -0.5 && offset->numbers[2] == 300.0);
    options_free(&line.parsed);
    check_parses(&line, "paint a.obj b.ply -3");
    assert_string_equal(line.parsed.arguments[2], "-3");
    options_free(&line.parsed);
    check_parses(&line, "paint a.obj b.ply --scale=-.5");
    assert_true(options_number(&line.parsed, "scale", 0.0) == -0.5);
    options_free(&line.parsed);
}

static void options_may_stand_anywhere(void** state)
{
    (void)state;
    static const char* const lines[] = {
        "--threads 4 paint a.obj b.ply --wet", "paint --wet a.obj --threads=4 b.ply",
        "paint --threads 4 --wet a.obj b.ply", "paint a.obj --wet b.ply --threads 4",
        "paint --wet --threads 4 -- a.obj b.ply"};
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
    {
        Line line;
        check_parses(&line, lines[i]);
        assert_string_equal(line.parsed.command->name, "paint");
        assert_int_equal(line.parsed.argument_count, 2);
        assert_string_equal(line.parsed.arguments[0], "a.obj");
        assert_string_equal(line.parsed.arguments[1], "b.ply");
        assert_true(options_given(&line.parsed, "wet"));
        assert_int_equal(options_count(&line.parsed, "threads", 0), 4);
        options_free(&line.parsed);
    }
}

static void the_last_of_repeated_options_counts(void** state)
{
    (void)state;
    Line line;
    check_parses(&line,
                 "paint a.obj b.ply --scale 1 --colour red --scale=3 --wet --wet --scale 2 --colour blue");
    assert_true(options_number(&line.parsed, "scale", 0.0) == 2.0);
    assert_int_equal(options_value(&line.parsed, "colour")->choice, 2);
    assert_int_equal(line.parsed.value_count, 3);
    options_free(&line.parsed);
}

static void two_dashes_end_the_options(void** state)
{
    (void)state;
    Line line;
    check_parses(&line, "paint -- --wet.obj --out.ply -x");
    assert_int_equal(line.parsed.argument_count, 3);
    assert_string_equal(line.parsed.arguments[0], "--wet.obj");
    assert_string_equal(line.parsed.arguments[2], "-x");
    assert_int_equal(line.parsed.value_count, 0);
    options_free(&line.parsed);
}

static void options_of_a_variant_are_known_with_it(void** state)
{
    (void)state;
    static const char* const lines[] = {"form ball b.obj --radius -2", "form --radius -2 ball b.obj",
                                        "form ball --radius=-2 b.obj"};
    for (int i = 0; i < 3; ++i)
    {
        Line line;
        check_parses(&line, lines[i]);
        assert_string_equal(line.parsed.variant->name, "ball");
        assert_true(options_number(&line.parsed, "radius", 0.0) == -2.0);
        options_free(&line.parsed);
    }
    Line line;
    check_parses(&line, "form vase b.obj --profile 1,0,2,1,1,3");
    assert_int_equal(options_value(&line.parsed, "profile")->count, 6);
    options_free(&line.parsed);
    check_refused("form vase b.obj --radius 1", "form vase: no option --radius");
    check_refused("form vase b.obj --profile 1,0,2,1,3", "--profile takes R,H,..., not 5 numbers");
    check_refused("form vase b.obj --profile 1,0", "not 2 numbers");
}

static void help_needs_nothing_else(void** state)
{
    (void)state;
    static const char* const lines[] = {"--help",         "-h",         "paint --help", "form ball --help",
                                        "paint -h a.obj", "--help form"};
    for (int i = 0; i < 6; ++i)
    {
        Line line;
        check_parses(&line, lines[i]);
        assert_true(options_given(&line.parsed, "help"));
        options_free(&line.parsed);
    }
}

static void wrong_lines_are_refused_in_one_line(void** state)
{
    (void)state;
    check_refused("", "no command given; see tool --help");
    check_refused("pant a.obj b.obj", "no command 'pant'; did you mean paint?");
    check_refused("xyzzy", "no command 'xyzzy'; see tool --help");
    check_refused("paint", "paint: IN is missing; see tool paint --help");
    check_refused("paint a.obj", "paint: OUT is missing");
    check_refused("paint \"\" b.obj", "IN is empty");
    check_refused("paint a.obj b.obj c d", "'d' is one argument too many");
    check_refused("paint a.obj b.stl", "'b.stl' does not end in one of .obj .ply");
    check_refused("paint a.obj b", "'b' does not end");
    check_refused("paint a.obj b.obj --wet=1", "--wet takes no value");
    check_refused("paint a.obj b.obj --wett", "no option --wett; did you mean --wet?");
    check_refused("paint a.obj b.obj --qqqqq", "no option --qqqqq; see tool paint --help");
    check_refused("paint a.obj b.obj -w", "no option '-w'");
    check_refused("paint a.obj b.obj -hh", "no option '-hh'");
    check_refused("paint a.obj b.obj --=3", "no option --");
    check_refused("--wet paint a.obj b.obj", "no option --wet before the command");
    check_refused("paint a.obj b.obj --scale", "--scale needs a value");
    check_refused("paint a.obj b.obj --scale --wet", "--scale needs a value");
    check_refused("paint a.obj b.obj --scale=", "--scale takes a number, not ''");
    check_refused("paint a.obj b.obj --scale 1x", "--scale takes a number, not '1x'");
    check_refused("paint a.obj b.obj --scale 1,", "--scale takes a number, not '1,'");
    check_refused("paint a.obj b.obj --scale 1,2", "--scale takes a number, not 2 numbers");
    check_refused("paint a.obj b.obj --scale 1,5.2", "not 2 numbers");
    check_refused("paint a.obj b.obj --scale nan", "--scale must be finite");
    check_refused("paint a.obj b.obj --scale 1e999", "--scale must be finite");
    check_refused("paint a.obj b.obj --offset 1,2", "--offset takes X,Y,Z, not 2 numbers");
    check_refused("paint a.obj b.obj --offset 1,,2", "--offset takes X,Y,Z, not '1,,2'");
    check_refused("paint a.obj b.obj --threads 0", "--threads is 0, must be 1 to 8");
    check_refused("paint a.obj b.obj --threads -1", "--threads is -1, must be 1 to 8");
    check_refused("paint a.obj b.obj --threads 2.5", "--threads takes an integer");
    check_refused("paint a.obj b.obj --thick -0.5", "--thick is -0.5, must be at least 0");
    check_refused("paint a.obj b.obj --colour gren", "no --colour 'gren'; did you mean green?");
    check_refused("paint a.obj b.obj --colour 7", "--colour takes red or green or blue, not '7'");
    check_refused("form", "SHAPE is missing");
    check_refused("form bal b.obj", "no shape 'bal'; did you mean ball?");
    check_refused("form ball", "form ball: OUT is missing; see tool form ball --help");
}

static void endless_words_are_cut(void** state)
{
    (void)state;
    static char word[5000];
    memset(word, 'a', sizeof word - 1);
    word[0] = word[1] = '-';
    const char* words[] = {"tool", "paint", word, "x"};
    char message[OPTIONS_MESSAGE_SIZE];
    for (int i = 0; i < 3; ++i)
    {
        // As an option, as an argument, as a command.
        Parsed parsed;
        words[2] = word + (i > 0 ? 2 : 0);
        words[1] = i < 2 ? "paint" : words[2];
        assert_false(options_parse(&program, 4, words, &parsed, message));
        assert_true(strlen(message) < 200);
        options_free(&parsed);
    }
}

static void a_single_slip_still_finds_the_word(void** state)
{
    (void)state;
    static const char* const words[] = {"no-intersections", "triangulate", "simplify", "max-hole",
                                        "threads",          "verbose",     "quiet",    "height"};
    rblRandom random = rbl_random_seed(1, 0);
    for (uint32_t i = 0; i < 2000; ++i)
    {
        const char* meant = words[rbl_random_below(&random, 8)];
        char typed[64];
        strcpy(typed, meant);
        const size_t length = strlen(typed);
        const size_t at = rbl_random_below(&random, (uint32_t)length - 1);
        const char letter = (char)('a' + rbl_random_below(&random, 26));
        switch (rbl_random_below(&random, 4))
        {
        case 0: // a letter left out
            memmove(typed + at, typed + at + 1, length - at);
            break;
        case 1: // one too many
            memmove(typed + at + 1, typed + at, length - at + 1);
            typed[at] = letter;
            break;
        case 2: // another one
            typed[at] = letter;
            break;
        default: // two neighbours swapped
            typed[at] = meant[at + 1];
            typed[at + 1] = meant[at];
            break;
        }
        const char* found = rbl_suggest(typed, words, 8);
        if (found == NULL || strcmp(found, meant) != 0)
        {
            fail_msg("'%s' for '%s' suggests '%s'", typed, meant, found != NULL ? found : "nothing");
        }
    }
    assert_null(rbl_suggest("", words, 8));
    assert_null(rbl_suggest("zzzzzz", words, 8));
    assert_null(rbl_suggest("a-word-that-is-much-longer-than-any-other-one", words, 8));
    assert_string_equal(rbl_suggest("no-inter", words, 8), "no-intersections");
}

static void endings_do_not_mind_upper_case(void** state)
{
    (void)state;
    assert_true(options_has_ending("a.obj", endings));
    assert_true(options_has_ending("dir.x/A.OBJ", endings));
    assert_true(options_has_ending(".ply", endings));
    assert_false(options_has_ending("obj", endings));
    assert_false(options_has_ending("a.objx", endings));
    assert_false(options_has_ending("a.ob", endings));
    assert_false(options_has_ending("a.obj/b", endings));
    assert_false(options_has_ending("", endings));
}

static size_t granted; // allocations of the store

static void* failing_malloc(size_t size)
{
    if (granted == 0)
    {
        return NULL;
    }
    --granted;
    return malloc(size);
}

static void lack_of_memory_is_told(void** state)
{
    (void)state;
    for (size_t n = 0; n < 100; ++n)
    {
        granted = n;
        store_malloc = failing_malloc;
        Line line;
        const bool ok = parse(&line, "form vase --threads 3 b.obj --profile 1,0,2,1,1,3");
        if (!ok)
        {
            assert_non_null(strstr(line.message, "out of memory"));
        }
        options_free(&line.parsed);
        store_malloc = malloc;
        if (ok)
        {
            assert_true(n > 0);
            return;
        }
    }
    fail_msg("never enough memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_to_give_a_value_mean_the_same),
        cmocka_unit_test(negative_numbers_are_values),
        cmocka_unit_test(options_may_stand_anywhere),
        cmocka_unit_test(the_last_of_repeated_options_counts),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(options_of_a_variant_are_known_with_it),
        cmocka_unit_test(help_needs_nothing_else),
        cmocka_unit_test(wrong_lines_are_refused_in_one_line),
        cmocka_unit_test(endless_words_are_cut),
        cmocka_unit_test(a_single_slip_still_finds_the_word),
        cmocka_unit_test(endings_do_not_mind_upper_case),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
