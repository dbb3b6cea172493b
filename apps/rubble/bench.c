// rubble bench: run benches and print their figures.
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct Runner
{
    bool quiet;
    uint32_t done; // benches
    uint32_t total;
} Runner;

static void show_note(const char* line, void* context)
{
    const Runner* runner = context;
    if (!runner->quiet)
    {
        char text[RBL_ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "rubble: bench: %s", line);
        progress_print(text);
    }
}

static void show_stage(const char* stage, void* context)
{
    const Runner* runner = context;
    const bool several = runner->total > 1;
    progress_stage(stage, several ? (double)runner->done / (double)runner->total : -1.0);
}

// Where this program lies: as the system tells it, else as it was called.
static void find_directory(const Parsed* parsed, char* out, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", out, size - 1);
    if (length > 0)
    {
        out[length] = '\0';
    }
    else
    {
        snprintf(out, size, "%s", parsed->called_as);
    }
    char* slash = strrchr(out, '/');
    if (slash == NULL)
    {
        snprintf(out, size, ".");
    }
    else
    {
        *slash = '\0';
    }
}

static void json_text(rblJsonWriter* writer, const char* key, const char* text)
{
    rbl_json_key(writer, key);
    if (text != NULL)
    {
        rbl_json_string(writer, text);
    }
    else
    {
        rbl_json_null(writer);
    }
}

static void json_figure(rblJsonWriter* writer, const char* key, double value)
{
    rbl_json_key(writer, key);
    rbl_json_number(writer, value); // null when it is not there
}

static int print_rows_json(const char* name, const rblBench* bench)
{
    char machine[256];
    rbl_bench_machine(machine, sizeof machine);
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    json_text(&writer, "bench", name);
    json_text(&writer, "version", rbl_version());
    json_text(&writer, "machine", machine);
    rbl_json_key(&writer, "threads");
    rbl_json_unsigned(&writer, rbl_worker_count());
    rbl_json_key(&writer, "rows");
    rbl_json_begin_array(&writer);
    uint32_t count = 0;
    const rblBenchRow* rows = rbl_bench_rows(bench, &count);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_json_begin_object(&writer);
        if (strcmp(name, "all") == 0)
        {
            json_text(&writer, "bench", rbl_bench_row_entry(bench, i)->name);
        }
        json_text(&writer, "case", rows[i].subject);
        json_text(&writer, "metric", rows[i].metric);
        json_figure(&writer, "value", rows[i].value);
        json_text(&writer, "unit", rows[i].unit);
        json_text(&writer, "peer", rows[i].peer);
        json_figure(&writer, "peerValue", rows[i].peer_value);
        json_figure(&writer, "paper", rows[i].paper);
        rbl_json_end_object(&writer);
    }
    rbl_json_end_array(&writer);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

#define CELL_SIZE    96
#define COLUMN_COUNT 5

typedef struct TableRow
{
    char cells[COLUMN_COUNT][CELL_SIZE]; // case, metric, value, peer, paper
} TableRow;

// "Assimp 12.3 (5.1 x)": another figure, and how many times better ours is.
static void put_comparison(char out[CELL_SIZE], const char* who, const rblBenchRow* row, double other)
{
    if (isnan(other))
    {
        out[0] = '\0';
        return;
    }
    char figure[RBL_NUMBER_SIZE];
    char ratio[RBL_NUMBER_SIZE];
    print_number(other, 4, figure);
    print_number(rbl_bench_ratio(row->unit, row->value, other), 3, ratio);
    snprintf(out, CELL_SIZE, "%s%s%s (%s x)", who, who[0] != '\0' ? " " : "", figure, ratio);
}

static void fill_row(const rblBenchRow* row, TableRow* out)
{
    char figure[RBL_NUMBER_SIZE];
    print_number(row->value, 4, figure);
    snprintf(out->cells[0], CELL_SIZE, "%s", row->subject);
    snprintf(out->cells[1], CELL_SIZE, "%s", row->metric);
    snprintf(out->cells[2], CELL_SIZE, "%s %s", figure, row->unit);
    put_comparison(out->cells[3], row->peer != NULL ? row->peer : "", row, row->peer_value);
    put_comparison(out->cells[4], "", row, row->paper);
}

static void print_table_row(const TableRow* row, const int widths[COLUMN_COUNT])
{
    int last = COLUMN_COUNT - 1;
    while (last > 0 && row->cells[last][0] == '\0')
    {
        --last;
    }
    for (int c = 0; c <= last; ++c)
    {
        printf("%-*s%s", c < last ? widths[c] : 0, row->cells[c], c < last ? "  " : "\n");
    }
}

static void print_table(const rblBench* bench)
{
    static const TableRow titles = {{"case", "metric", "Rubble", "peer (ratio)", "paper (ratio)"}};
    uint32_t count = 0;
    const rblBenchRow* rows = rbl_bench_rows(bench, &count);
    int widths[COLUMN_COUNT];
    for (int c = 0; c < COLUMN_COUNT; ++c)
    {
        widths[c] = (int)strlen(titles.cells[c]);
    }
    TableRow row;
    for (uint32_t i = 0; i < count; ++i)
    {
        fill_row(&rows[i], &row);
        for (int c = 0; c < COLUMN_COUNT; ++c)
        {
            const int length = (int)strlen(row.cells[c]);
            widths[c] = length > widths[c] ? length : widths[c];
        }
    }
    const rblBenchEntry* entry = NULL;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (rbl_bench_row_entry(bench, i) != entry)
        {
            entry = rbl_bench_row_entry(bench, i);
            printf("%s%s: %s\n", i > 0 ? "\n" : "", entry->name, entry->summary);
            print_table_row(&titles, widths);
        }
        fill_row(&rows[i], &row);
        print_table_row(&row, widths);
    }
}

static void print_header(void)
{
    char machine[256];
    rbl_bench_machine(machine, sizeof machine);
    printf("rubble %s on %s, %u thread%s\n\n", rbl_version(), machine, rbl_worker_count(),
           rbl_worker_count() == 1 ? "" : "s");
}

static rblResult run_benches(rblBench* bench, const char* name, Runner* runner)
{
    uint32_t count = 0;
    const rblBenchEntry* entries = rbl_bench_entries(&count);
    const bool all = strcmp(name, "all") == 0;
    runner->total = all ? count : 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (all || strcmp(entries[i].name, name) == 0)
        {
            const rblResult result = rbl_bench_run(bench, &entries[i]);
            if (result != RBL_OK)
            {
                return rbl_fail_within(result, entries[i].name);
            }
            ++runner->done;
        }
    }
    return RBL_OK;
}

static int bench_run(const Parsed* parsed)
{
    if (parsed->variant == NULL)
    {
        for (uint32_t i = 0; i < parsed->command->variant_count; ++i)
        {
            printf("%-16s %s\n", parsed->command->variants[i].name, parsed->command->variants[i].summary);
        }
        return TOOL_DONE;
    }
    const char* name = parsed->variant->name;
    char directory[1024];
    find_directory(parsed, directory, sizeof directory);
    Runner runner = {.quiet = options_given(parsed, "quiet")};
    const rblBenchHooks hooks = {.note = show_note, .stage = show_stage, .context = &runner};
    rblBench* bench = NULL;
    if (rbl_bench_create(directory, options_given(parsed, "quick"), &hooks, &bench) != RBL_OK)
    {
        return tool_fail_last();
    }
    progress_start("bench", 0.0, NULL, !runner.quiet);
    progress_stage("starting", -1.0);
    int code = TOOL_DONE;
    if (run_benches(bench, name, &runner) != RBL_OK)
    {
        code = tool_fail("bench: %s", rbl_last_error());
    }
    else if (options_given(parsed, "json"))
    {
        progress_stop();
        code = print_rows_json(name, bench);
    }
    else
    {
        progress_stop();
        print_header();
        print_table(bench);
    }
    rbl_bench_destroy(bench);
    return code;
}

static bool describe_benches(Command* command, Store* store)
{
    uint32_t count = 0;
    const rblBenchEntry* entries = rbl_bench_entries(&count);
    Variant* variants = STORE_ARRAY(store, Variant, count + 1);
    if (variants == NULL)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        variants[i] = (Variant){.name = entries[i].name, .summary = entries[i].summary};
    }
    variants[count] = (Variant){.name = "all", .summary = "all benchmarks"};
    command->variants = variants;
    command->variant_count = count + 1;
    return true;
}

static const Argument bench_arguments[] = {
    {"NAME", ARGUMENT_VARIANT, true, "the benchmark to run; without it they are listed"}};
static const Option bench_options[] = {
    JSON_OPTION,
    {.name = "quick", .help = "smallest inputs, one run each: only checks that everything works"},
};
static const char* const bench_examples[] = {"rubble bench", "rubble bench mesh --threads 1",
                                             "rubble bench all --json > bench.json", NULL};

const Command bench_command = {
    .name = "bench",
    .summary = "measure speed and accuracy, beside other libraries and papers",
    .details = "Prints a table of figures with ratios to other libraries measured in the same run (when "
               "they are installed) and to the figures of papers. Above 1 means that Rubble is better. "
               "Models are found through RUBBLE_MODELS (../shared/models when it is not set).",
    .arguments = bench_arguments,
    .argument_count = OPTIONS_COUNT_OF(bench_arguments),
    .options = bench_options,
    .option_count = OPTIONS_COUNT_OF(bench_options),
    .variant_noun = "bench",
    .examples = bench_examples,
    .describe = describe_benches,
    .run = bench_run};
