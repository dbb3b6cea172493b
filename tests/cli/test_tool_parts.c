// The description of the real tool, and the parts that print.
#define _XOPEN_SOURCE 700
#include "testing.h"

#include "bench/bench.h"
#include "describe.h"
#include "print.h"
#include "progress.h"
#include "tool.h"
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

typedef void PrintFcn(FILE* out, const Program* program);

static char* print_to_text(PrintFcn* print, const Program* program)
{
    char* text = NULL;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    assert_non_null(out);
    print(out, program);
    fclose(out);
    return text;
}

typedef void OptionFcn(const Command* command, const Variant* variant, const Option* option, void* context);

static void for_each_option(const Program* program, OptionFcn* fcn, void* context)
{
    for (uint32_t i = 0; i < program->option_count; ++i)
    {
        fcn(NULL, NULL, &program->options[i], context);
    }
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        const Command* command = &program->commands[c];
        for (uint32_t i = 0; i < command->option_count; ++i)
        {
            fcn(command, NULL, &command->options[i], context);
        }
        for (uint32_t v = 0; v < command->variant_count; ++v)
        {
            for (uint32_t i = 0; i < command->variants[v].option_count; ++i)
            {
                fcn(command, &command->variants[v], &command->variants[v].options[i], context);
            }
        }
    }
}

typedef struct Page
{
    const char* name;
    const char* prefix; // what stands before the name of an option
    const char* text;
    bool dashes_escaped;
} Page;

// Dashes as troff writes them.
static void escape_dashes(const char* text, char* out)
{
    for (; *text != '\0'; ++text)
    {
        if (*text == '-')
        {
            *out++ = '\\';
        }
        *out++ = *text;
    }
    *out = '\0';
}

// True when `word` is there and not only as the beginning of a longer name.
static bool mentions(const char* text, const char* word)
{
    const size_t length = strlen(word);
    for (text = strstr(text, word); text != NULL; text = strstr(text + 1, word))
    {
        const char next = text[length];
        if (next != '-' && !(next >= 'a' && next <= 'z'))
        {
            return true;
        }
    }
    return false;
}

static void check_page_mentions(const Command* command, const Variant* variant, const Option* option,
                                void* context)
{
    (void)variant;
    const Page* page = context;
    char wanted[128];
    char escaped[256];
    snprintf(wanted, sizeof wanted, "%s%s", page->prefix, option->name);
    escape_dashes(wanted, escaped);
    if (!mentions(page->text, page->dashes_escaped ? escaped : wanted))
    {
        fail_msg("%s does not mention '%s' of %s", page->name, wanted,
                 command != NULL ? command->name : "all");
    }
}

static void every_option_is_in_man_page_and_completion(void** state)
{
    (void)state;
    const Program* program = program_open();
    assert_non_null(program);
    static const struct
    {
        const char* name;
        const char* prefix;
        PrintFcn* print;
        bool dashes_escaped;
    } pages[] = {{"man", "--", man_print_troff, true},
                 {"markdown", "--", man_print_markdown, false},
                 {"bash", "--", completion_print_bash, false},
                 {"zsh", "--", completion_print_zsh, false},
                 {"fish", " -l ", completion_print_fish, false}};
    for (size_t i = 0; i < sizeof pages / sizeof pages[0]; ++i)
    {
        char* text = print_to_text(pages[i].print, program);
        Page page = {pages[i].name, pages[i].prefix, text, pages[i].dashes_escaped};
        for_each_option(program, check_page_mentions, &page);
        for (uint32_t c = 0; c < program->command_count; ++c)
        {
            assert_non_null(strstr(text, program->commands[c].name));
        }
        free(text);
    }
    program_close();
}

static void check_help_mentions(const Command* command, const Variant* variant, const Option* option,
                                void* context)
{
    char* text = NULL;
    size_t size = 0;
    FILE* out = open_memstream(&text, &size);
    assert_non_null(out);
    help_print(out, context, command, variant);
    fclose(out);
    char wanted[128];
    snprintf(wanted, sizeof wanted, "--%s", option->name);
    if (!mentions(text, wanted) || !mentions(text, "--help"))
    {
        fail_msg("the help of %s does not mention '%s'", command != NULL ? command->name : "all", wanted);
    }
    for (const char* line = text; *line != '\0'; line += strcspn(line, "\n") + 1)
    {
        if (strcspn(line, "\n") > 80)
        {
            fail_msg("wider than 80 columns: %.*s", (int)strcspn(line, "\n"), line);
        }
    }
    free(text);
}

static void every_option_is_in_its_help(void** state)
{
    (void)state;
    const Program* program = program_open();
    assert_non_null(program);
    Program copy = *program;
    for_each_option(program, check_help_mentions, &copy);
    program_close();
}

static void check_option_is_sound(const Command* command, const Variant* variant, const Option* option,
                                  void* context)
{
    const Program* program = context;
    assert_true(option->name[0] != '\0' && option->help[0] != '\0');
    if (option->help[strlen(option->help) - 1] == '.' || strchr(option->help, '\n') != NULL)
    {
        fail_msg("the help of --%s ends in a full stop or has several lines", option->name);
    }
    assert_true(option->kind != OPTION_CHOICE || option->choices[0] != NULL);
    assert_true(option->kind != OPTION_FILE || (option->endings[0] != NULL && option->letter != 0));
    assert_true(option->kind == OPTION_FLAG || option->kind == OPTION_CHOICE || option->value != NULL);
    assert_true(option->kind == OPTION_FLAG || !option->stands_alone);
    assert_true(variant == NULL || option->kind != OPTION_FLAG);
    // Found again under its own name: nothing in reach hides it.
    const OptionGroups groups = options_groups(program, command, variant);
    if (options_find(&groups, option->name, strlen(option->name)) != option)
    {
        fail_msg("--%s of %s is hidden by another option", option->name,
                 command != NULL ? command->name : "all");
    }
}

// The completion scripts tell values from arguments without knowing the command.
static void check_same_arity(const Command* command, const Variant* variant, const Option* option,
                             void* context)
{
    (void)command;
    (void)variant;
    const Option* other = context;
    if (strcmp(option->name, other->name) == 0)
    {
        assert_int_equal(option->kind == OPTION_FLAG, other->kind == OPTION_FLAG);
    }
}

static const Program* arity_program;

static void check_arity_everywhere(const Command* command, const Variant* variant, const Option* option,
                                   void* context)
{
    (void)command;
    (void)variant;
    (void)context;
    Option copy = *option;
    for_each_option(arity_program, check_same_arity, &copy);
}

static void the_tables_are_sound(void** state)
{
    (void)state;
    const Program* program = program_open();
    assert_non_null(program);
    Program copy = *program;
    for_each_option(program, check_option_is_sound, &copy);
    arity_program = program;
    for_each_option(program, check_arity_everywhere, NULL);
    for (uint32_t c = 0; c < program->command_count; ++c)
    {
        const Command* command = &program->commands[c];
        assert_non_null(command->run);
        assert_true(command->details[strlen(command->details) - 1] == '.');
        assert_true(command->summary[strlen(command->summary) - 1] != '.' ||
                    strstr(command->summary, "...") != NULL);
        for (uint32_t i = 0; i + 1 < command->argument_count; ++i)
        {
            assert_true(!command->arguments[i].optional || command->arguments[i + 1].optional);
            assert_true(command->arguments[i].kind != ARGUMENT_INPUTS);
        }
        for (uint32_t i = 1; i < command->argument_count; ++i)
        {
            assert_true(command->arguments[i].kind != ARGUMENT_VARIANT);
        }
    }
    program_close();
}

static void check_number(double value, uint32_t digits, const char* expected)
{
    char text[RBL_NUMBER_SIZE];
    const size_t length = print_number(value, digits, text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void numbers_for_people_are_short(void** state)
{
    (void)state;
    check_number(0.0, 6, "0");
    check_number(-0.0, 6, "0");
    check_number(1.0, 6, "1");
    check_number(-2.5, 6, "-2.5");
    check_number(1.0 / 6.0, 6, "0.166667");
    check_number(2.0 / 3.0, 3, "0.667");
    check_number(123456.0, 3, "123456");
    check_number(123.456, 4, "123.5");
    check_number(99.9996, 4, "100");
    check_number(0.00012345678, 3, "0.000123");
    check_number(1e14, 3, "100000000000000");
    check_number(1e20, 3, "1e+20");
    check_number(-1e-7, 3, "-1e-7");
    check_number(3.5519273e-7, 6, "3.55193e-7");
    check_number(9.9999e-6, 3, "1e-5");
    check_number(-9.9999e-9, 3, "-1e-8");
    check_number(4.9e-324, 3, "4.94e-324");
    check_number(1e300, 3, "1e+300");
    check_number((double)INFINITY, 3, "inf");
    check_number((double)NAN, 3, "nan");
}

static void progress_tells_share_rate_and_time_left(void** state)
{
    (void)state;
    char text[PROGRESS_SIZE];
    ProgressState progress = {.title = "repair",
                              .stage = "filling holes",
                              .unit = "MB",
                              .amount = 100.0,
                              .fraction = 0.25,
                              .elapsed = 3.0,
                              .elapsed_at_stage = 2.0};
    progress_render(&progress, 200, text);
    assert_string_equal(text,
                        "repair [#####...............] 25 %  filling holes  3.0 s, 12.5 MB/s, ETA 5.0 s");
    // Overdue: silence is better than a wrong promise.
    progress.elapsed = 9.0;
    progress_render(&progress, 200, text);
    assert_null(strstr(text, "ETA"));
    progress.elapsed = 754.0;
    progress.fraction = -1.0;
    progress_render(&progress, 200, text);
    assert_string_equal(text, "repair  filling holes  12 min 34 s");
    progress.fraction = 1.5;
    progress_render(&progress, 200, text);
    assert_non_null(strstr(text, "[####################] 100 %"));
    progress.stage = "a\x1b[31mb\n";
    for (uint32_t width = 0; width < 100; ++width)
    {
        assert_true(progress_render(&progress, width, text) <= width);
        assert_null(strpbrk(text, "\x1b\n"));
    }
}

// Run `work` with standard error on `descriptor`.
static void with_standard_error(int descriptor, void (*work)(void))
{
    fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    assert_true(kept >= 0 && dup2(descriptor, STDERR_FILENO) >= 0);
    work();
    fflush(stderr);
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
}

static int terminal; // the end where one sees what is drawn

static void nap(void)
{
    const struct timespec tenth = {0, 100000000};
    nanosleep(&tenth, NULL);
}

static void work_until_seen(void)
{
    progress_start("testing", 0.0, NULL, true);
    progress_stage("dawdling", -1.0);
    struct pollfd something = {.fd = terminal, .events = POLLIN};
    for (int naps = 0; naps < 600 && poll(&something, 1, 0) == 0; ++naps)
    {
        nap();
    }
    progress_print("a note");
    progress_stop();
}

static void work_longer_than_the_first_draw(bool wanted)
{
    progress_start("testing", 0.0, NULL, wanted);
    progress_stage("dawdling", -1.0);
    for (int naps = 0; naps < 8; ++naps)
    {
        nap();
    }
    progress_print("a note");
    progress_stop();
}

static void work_quietly(void)
{
    work_longer_than_the_first_draw(false);
}

static void work_where_nothing_can_be_drawn(void)
{
    work_longer_than_the_first_draw(true);
}

static void work_shortly(void)
{
    progress_start("testing", 0.0, NULL, true);
    progress_stage("hurrying", -1.0);
    progress_stop();
}

// What arrives at the other end of a terminal that is standard error meanwhile.
static void see_on_terminal(void (*work)(void), char* out, size_t size)
{
    terminal = posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0)
    {
        print_message("no pseudo-terminals here: skipped\n");
        skip();
    }
    assert_true(grantpt(terminal) == 0 && unlockpt(terminal) == 0);
    const int slave = open(ptsname(terminal), O_RDWR | O_NOCTTY);
    assert_true(slave >= 0);
    with_standard_error(slave, work);
    assert_int_equal(write(slave, "$", 1), 1);
    size_t length = 0;
    do
    {
        const ssize_t got = read(terminal, out + length, size - 1 - length);
        assert_true(got > 0);
        length += (size_t)got;
    } while (out[length - 1] != '$');
    out[length - 1] = '\0';
    close(slave);
    close(terminal);
}

static void the_bar_appears_on_terminals_and_clears_itself(void** state)
{
    (void)state;
    static char seen[65536];
    setenv("TERM", "xterm", 1);
    see_on_terminal(work_until_seen, seen, sizeof seen);
    assert_non_null(strstr(seen, "testing  dawdling"));
    assert_non_null(strstr(seen, "\033[Ka note\r\n"));
    // The last thing drawn is the cleared line, or the note after it.
    const char* last_bar = strstr(seen, "testing");
    for (const char* next = last_bar; next != NULL; next = strstr(next + 1, "testing"))
    {
        last_bar = next;
    }
    assert_non_null(strstr(last_bar, "\r\033[K"));
    see_on_terminal(work_shortly, seen, sizeof seen);
    assert_string_equal(seen, "");
    see_on_terminal(work_quietly, seen, sizeof seen);
    assert_string_equal(seen, "a note\r\n");
    setenv("TERM", "dumb", 1);
    see_on_terminal(work_where_nothing_can_be_drawn, seen, sizeof seen);
    assert_string_equal(seen, "a note\r\n");
}

static void ratios_above_one_are_good(void** state)
{
    (void)state;
    check_close(rbl_bench_ratio("ms", 2.0, 10.0), 5.0, 0.0);
    check_close(rbl_bench_ratio("MB/s", 10.0, 2.0), 5.0, 0.0);
    check_close(rbl_bench_ratio("ns/cell", 2.0, 1.0), 0.5, 0.0);
    assert_true(isnan(rbl_bench_ratio("ms", 1.0, (double)NAN)));
}

static rblResult report_two_rows(rblBench* bench)
{
    char subject[16] = "sphere";
    rbl_bench_row(bench, &(rblBenchRow){.subject = subject, .metric = "build", .value = 1.5, .unit = "ms"});
    subject[0] = 'X'; // the row keeps its own copy
    rbl_bench_row(bench, &(rblBenchRow){.subject = "cube",
                                        .metric = "read",
                                        .value = 3.0,
                                        .unit = "MB/s",
                                        .peer = "Other",
                                        .peer_value = 2.0,
                                        .paper = 1.0});
    return RBL_OK;
}

static rblResult count_run(void* context)
{
    ++*(uint32_t*)context;
    return RBL_OK;
}

static void rows_are_kept_as_reported(void** state)
{
    (void)state;
    static const rblBenchEntry entry = {"two", "two rows", report_two_rows};
    const rblBenchHooks hooks = {NULL, NULL, NULL};
    rblBench* bench = NULL;
    check_ok(rbl_bench_create("/somewhere", true, &hooks, &bench));
    check_ok(rbl_bench_run(bench, &entry));
    uint32_t count = 0;
    const rblBenchRow* rows = rbl_bench_rows(bench, &count);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].subject, "sphere");
    assert_null(rows[0].peer);
    assert_true(isnan(rows[0].peer_value) && isnan(rows[0].paper));
    assert_string_equal(rows[1].peer, "Other");
    assert_true(rows[1].peer_value == 2.0 && rows[1].paper == 1.0);
    assert_true(rbl_bench_row_entry(bench, 1) == &entry);
    assert_string_equal(rbl_bench_directory(bench), "/somewhere");
    uint32_t runs = 0;
    double seconds = -1.0;
    check_ok(rbl_bench_best(bench, count_run, &runs, &seconds));
    assert_int_equal(runs, 1);
    assert_true(seconds >= 0.0 && seconds < 60.0);
    rbl_bench_destroy(bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_in_man_page_and_completion),
        cmocka_unit_test(every_option_is_in_its_help),
        cmocka_unit_test(the_tables_are_sound),
        cmocka_unit_test(numbers_for_people_are_short),
        cmocka_unit_test(progress_tells_share_rate_and_time_left),
        cmocka_unit_test(the_bar_appears_on_terminals_and_clears_itself),
        cmocka_unit_test(ratios_above_one_are_good),
        cmocka_unit_test(rows_are_kept_as_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
