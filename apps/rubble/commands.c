// The one description of the command line. What the library or the benches know (names of benches) is asked for when the tool starts.
#include "tool.h"

#include "bench/bench.h"

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

static const char* const input_endings[] = {"obj", "ply", "stl", "off", "glb", "gltf", NULL};
static const char* const output_endings[] = {"obj", "ply", "stl", "off", "glb", NULL};

static const Option program_options[] = {
    {.name = "help", .letter = 'h', .stands_alone = true, .help = "tell how a command is used, and stop"},
    {.name = "version", .stands_alone = true, .help = "print the version, and stop"},
    {.name = "quiet", .letter = 'q', .help = "no progress bar and no notes; errors are still told"},
    {.name = "verbose", .letter = 'v', .help = "tell what is done and found on the way"},
    {.name = "threads",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 1,
     .highest = RBL_MAX_WORKERS,
     .value = "N",
     .fallback = "one per core",
     .help = "work on this many threads; results never depend on it"},
};

#define JSON_OPTION                                                                                          \
    {                                                                                                        \
        .name = "json", .help = "print one JSON object instead of text"                                      \
    }
static const Argument bench_arguments[] = {
    {"NAME", ARGUMENT_VARIANT, true, "the bench to run; without it they are listed"}};
static const Option bench_options[] = {
    JSON_OPTION,
    {.name = "quick", .help = "smallest inputs, one run each: only shows that everything works"},
};
static const char* const bench_examples[] = {"rubble bench", "rubble bench mesh --threads 1",
                                             "rubble bench all --json > bench.json", NULL};

static const Argument completion_arguments[] = {
    {"SHELL", ARGUMENT_VARIANT, false, "the shell to print it for"}};
static const Variant shells[] = {
    {.name = "bash", .summary = "for ~/.local/share/bash-completion/completions/rubble"},
    {.name = "zsh", .summary = "for a file _rubble in a directory of $fpath"},
    {.name = "fish", .summary = "for ~/.config/fish/completions/rubble.fish"},
};
static const char* const completion_examples[] = {"source <(rubble completion bash)", NULL};

static const Option man_options[] = {{.name = "markdown", .help = "print Markdown instead of troff"}};
static const char* const man_examples[] = {"rubble man | man -l -", NULL};

static const Argument help_arguments[] = {
    {"COMMAND", ARGUMENT_COMMAND, true, "the command to tell about"},
    {"KIND", ARGUMENT_WORD, true, "what it works on, such as a kind of solid"},
};

enum
{
    BENCH,
    COMPLETION,
    MAN,
    HELP,
    COMMAND_COUNT
};

static Command commands[COMMAND_COUNT] = {
    [BENCH] = {.name = "bench",
               .summary = "measure how fast this machine does it, beside peers and papers",
               .details =
                   "Prints a table of figures with ratios to peers measured in the same run (when they are "
                   "installed) and to what papers report. Above 1 means that Rubble is better. Models are "
                   "found through RUBBLE_MODELS (../shared/models when it is not set).",
               .arguments = bench_arguments,
               .argument_count = COUNT_OF(bench_arguments),
               .options = bench_options,
               .option_count = COUNT_OF(bench_options),
               .variant_noun = "bench",
               .examples = bench_examples,
               .run = bench_run},
    [COMPLETION] = {.name = "completion",
                    .summary = "print a completion script for a shell",
                    .details =
                        "Completes commands, options, choices, kinds of solids, and files with the endings "
                        "that a command can read or write.",
                    .arguments = completion_arguments,
                    .argument_count = COUNT_OF(completion_arguments),
                    .variant_noun = "shell",
                    .variants = shells,
                    .variant_count = COUNT_OF(shells),
                    .examples = completion_examples,
                    .run = completion_run},
    [MAN] = {.name = "man",
             .summary = "print the manual page",
             .details = "Prints the manual as a troff page in the man macros, or as Markdown.",
             .options = man_options,
             .option_count = COUNT_OF(man_options),
             .examples = man_examples,
             .run = man_run},
    [HELP] = {.name = "help",
              .summary = "tell how a command is used",
              .details = "The same as COMMAND --help.",
              .arguments = help_arguments,
              .argument_count = COUNT_OF(help_arguments),
              .run = help_run},
};

static Program program = {
    .name = "rubble",
    .summary = "brittle fracture in real time",
    .details = "Looks at, mends, converts and makes the meshes that Rubble breaks.",
    .options = program_options,
    .option_count = COUNT_OF(program_options),
    .commands = commands,
    .command_count = COMMAND_COUNT,
    .input_endings = input_endings,
    .output_endings = output_endings,
};

static rblArena texts; // everything below is in here

static bool describe_benches(void)
{
    uint32_t count = 0;
    const rblBenchEntry* entries = rbl_bench_entries(&count);
    Variant* variants = RBL_ARENA_ARRAY(&texts, Variant, count + 1);
    if (variants == NULL)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        variants[i] = (Variant){.name = entries[i].name, .summary = entries[i].summary};
    }
    variants[count] = (Variant){.name = "all", .summary = "every one of them"};
    commands[BENCH].variants = variants;
    commands[BENCH].variant_count = count + 1;
    return true;
}

const Program* program_open(void)
{
    rbl_arena_init(&texts, 16384, rbl_default_allocator());
    program.version = rbl_version();
    if (!describe_benches())
    {
        program_close();
        tool_fail("out of memory");
        return NULL;
    }
    return &program;
}

void program_close(void)
{
    rbl_arena_free(&texts);
}
