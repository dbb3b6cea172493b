// rubble dataset: many random fractures of meshes, for those who put pieces together again.
#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct Dataset
{
    const Parsed* parsed;
    const char* output;
    rblDatasetDef def;
    rblDatasetMesh* meshes;
    rblDatasetReport report;
    double seconds; // that the items took
} Dataset;

// ---- the command line ----

static bool has_kind(const rblDatasetDef* def, rblPatternKind kind)
{
    for (uint32_t k = 0; k < def->kind_count; ++k)
    {
        if (def->kinds[k] == kind)
        {
            return true;
        }
    }
    return false;
}

// One word of "radial,voronoi". Twice the same means nothing, so it is a mistake.
static int take_pattern(Dataset* dataset, const char* word, size_t length)
{
    char name[64];
    rblPatternKind kind;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
    if (rbl_pattern_kind_from_name(name, &kind) != RBL_OK)
    {
        return tool_usage(dataset->parsed, "--pattern: %s", rbl_last_error());
    }
    if (has_kind(&dataset->def, kind))
    {
        return tool_usage(dataset->parsed, "--pattern: %s is there twice", name);
    }
    dataset->def.kinds[dataset->def.kind_count++] = kind;
    return TOOL_DONE;
}

static int take_patterns(Dataset* dataset)
{
    const OptionValue* list = options_value(dataset->parsed, "pattern");
    if (list == NULL)
    {
        return TOOL_DONE;
    }
    int code = TOOL_DONE;
    dataset->def.kind_count = 0;
    for (const char* word = list->text; code == TOOL_DONE && word != NULL;)
    {
        const size_t length = strcspn(word, ",");
        code = take_pattern(dataset, word, length);
        word = word[length] == ',' ? word + length + 1 : NULL;
    }
    return code;
}

static int take_options(Dataset* dataset)
{
    const Parsed* parsed = dataset->parsed;
    const OptionValue* pieces = options_value(parsed, "pieces");
    rblDatasetDef* def = &dataset->def;
    def->count = options_count(parsed, "count", def->count);
    def->seed = (uint64_t)options_number(parsed, "seed", (double)def->seed);
    def->density = options_number(parsed, "density", def->density);
    if (pieces != NULL)
    {
        def->min_pieces = (uint32_t)pieces->numbers[0];
        def->max_pieces = (uint32_t)pieces->numbers[pieces->count - 1];
    }
    if (def->max_pieces < def->min_pieces)
    {
        return tool_usage(parsed, "--pieces: from %u to %u is nothing", def->min_pieces, def->max_pieces);
    }
    if ((uint64_t)def->count * parsed->argument_count > UINT32_MAX)
    {
        return tool_usage(parsed, "--count: too many items for %u meshes", parsed->argument_count);
    }
    return take_patterns(dataset);
}

// ---- meshes ----

// All of them are read and judged before the first one is broken.
static rblResult load_mesh(Dataset* dataset, const char* path, rblDatasetMesh* out)
{
    rblMeshId mesh;
    out->file = path;
    RBL_TRY(rbl_mesh_load(path, NULL, &mesh));
    rblResult result = tool_make_solid(dataset->parsed, path, &mesh, &out->repaired);
    result = result == RBL_OK ? rbl_mesh_triangulate(mesh, &out->mesh) : result;
    (void)rbl_mesh_destroy(mesh);
    return result;
}

static rblResult load_meshes(Dataset* dataset)
{
    const Parsed* parsed = dataset->parsed;
    for (uint32_t m = 0; m < parsed->argument_count; ++m)
    {
        progress_stage(parsed->arguments[m], (double)m / parsed->argument_count);
        RBL_TRY(load_mesh(dataset, parsed->arguments[m], &dataset->meshes[m]));
        dataset->def.mesh_count = m + 1;
    }
    return RBL_OK;
}

// ---- the work ----

// The bar counts what is missing, so that its rate and time left are right when a dataset is gone on with.
static bool show(const rblDatasetProgress* progress, void* context)
{
    const Dataset* dataset = context;
    char text[64];
    if (progress->done == 0)
    {
        progress_start("dataset", progress->wanted, "items", !options_given(dataset->parsed, "quiet"));
    }
    snprintf(text, sizeof text, "%u of %u, %llu pieces", progress->done, progress->wanted,
             (unsigned long long)progress->pieces);
    progress_stage(text, progress->wanted > 0 ? (double)progress->done / progress->wanted : 1.0);
    return true;
}

static rblResult make(Dataset* dataset)
{
    RBL_TRY(load_meshes(dataset));
    const double start = tool_seconds();
    dataset->def.force = options_given(dataset->parsed, "force");
    dataset->def.progress = show;
    dataset->def.progress_context = dataset;
    RBL_TRY(rbl_dataset_write(&dataset->def, dataset->output, &dataset->report));
    dataset->seconds = tool_seconds() - start;
    return RBL_OK;
}

// ---- what is told ----

static void print_text(const Dataset* dataset)
{
    const rblDatasetReport* report = &dataset->report;
    char text[96];
    char number[RBL_NUMBER_SIZE];
    snprintf(text, sizeof text, "%u, of which %u were there", report->items, report->found);
    print_line(stdout, "items", text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)report->pieces);
    print_line(stdout, "pieces", text);
    print_number(dataset->seconds, 3, number);
    snprintf(text, sizeof text, "%s s", number);
    print_line(stdout, "time", text);
    print_line(stdout, "written", dataset->output);
}

static int print_object(const Dataset* dataset)
{
    const rblDatasetReport* report = &dataset->report;
    rblJsonWriter json;
    rbl_json_writer_init(&json, 2, NULL);
    rbl_json_begin_object(&json);
    rbl_json_key(&json, "output");
    rbl_json_string(&json, dataset->output);
    rbl_json_key(&json, "meshes");
    rbl_json_unsigned(&json, dataset->def.mesh_count);
    rbl_json_key(&json, "items");
    rbl_json_unsigned(&json, report->items);
    rbl_json_key(&json, "found");
    rbl_json_unsigned(&json, report->found);
    rbl_json_key(&json, "failed");
    rbl_json_unsigned(&json, report->failed);
    rbl_json_key(&json, "pieces");
    rbl_json_unsigned(&json, report->pieces);
    rbl_json_key(&json, "seconds");
    rbl_json_number(&json, dataset->seconds);
    rbl_json_end_object(&json);
    return print_json(&json);
}

static int tell(const Dataset* dataset)
{
    int code = TOOL_DONE;
    if (options_given(dataset->parsed, "json"))
    {
        code = print_object(dataset);
    }
    else if (options_given(dataset->parsed, "verbose"))
    {
        print_text(dataset);
    }
    if (code == TOOL_DONE && dataset->report.failed > 0)
    {
        code = tool_fail("%s/" RBL_DATASET_LIST ": %u of %u items could not be broken; the others are there",
                         dataset->output, dataset->report.failed, dataset->report.items);
    }
    return code;
}

// ---- the command ----

static int run_command(Dataset* dataset)
{
    progress_start("dataset", 0.0, NULL, !options_given(dataset->parsed, "quiet"));
    const rblResult result = make(dataset);
    progress_stop();
    for (uint32_t m = 0; m < dataset->def.mesh_count; ++m)
    {
        (void)rbl_mesh_destroy(dataset->meshes[m].mesh);
    }
    return result == RBL_OK ? tell(dataset) : tool_fail_last();
}

static int dataset_run(const Parsed* parsed)
{
    Dataset dataset = {
        .parsed = parsed, .output = options_value(parsed, "output")->text, .def = rbl_default_dataset_def()};
    const int usage = take_options(&dataset);
    if (usage != TOOL_DONE)
    {
        return usage;
    }
    if (rbl_output_check_folder(dataset.output, options_given(parsed, "force")) != RBL_OK)
    {
        return tool_fail_last();
    }
    dataset.meshes = calloc(parsed->argument_count, sizeof *dataset.meshes);
    dataset.def.meshes = dataset.meshes;
    const int code = dataset.meshes != NULL ? run_command(&dataset) : tool_fail("out of memory");
    free(dataset.meshes);
    return code;
}

static const Argument dataset_arguments[] = {{"MESH", ARGUMENT_INPUTS, false, "the mesh files to break"}};
static const Option dataset_options[] = {
    {.name = "output",
     .kind = OPTION_TEXT,
     .letter = 'o',
     .required = true,
     .value = "DIR",
     .help = "the folder to write; an unfinished one is continued"},
    ONE_COUNT("count", 1, 1e8, "10", "fractures of each mesh"),
    {.name = "pieces",
     .kind = OPTION_NUMBERS,
     .separator = ':',
     .least = 1,
     .most = 2,
     .whole = true,
     .lowest = 1,
     .highest = RBL_PATTERN_MAX_PIECES,
     .value = "MIN:MAX",
     .fallback = "5:50",
     .help = "requested numbers of pieces; all numbers between are equally likely"},
    {.name = "pattern",
     .kind = OPTION_TEXT,
     .value = "LIST",
     .fallback = "all",
     .help = "of radial, voronoi, clustered, slabs, splinters, bricks, planes, with commas; all are equally "
             "likely"},
    ONE_COUNT("seed", 0, 9007199254740991.0, "1",
              "seed of all random numbers: impacts, directions, patterns, numbers of pieces"),
    DENSITY_OPTION,
    {.name = "force",
     .help = "write into a folder that has other files; remove a dataset that was made with other options"},
    JSON_OPTION,
};
static const char* const dataset_examples[] = {
    "rubble dataset vase.obj bowl.obj -o shards --count 1000",
    "rubble dataset bunny.ply -o bunnies --pieces 2:8 --pattern voronoi,planes", NULL};

const Command dataset_command = {
    .name = "dataset",
    .summary = "break meshes in many random ways: data for reassembly",
    .details =
        "Every item is a folder as rubble fracture writes it, with an impact at a random point of the "
        "surface from a random direction. DIR/dataset.json lists all items (docs/dataset.md). After an "
        "interruption at any moment the same command continues: nothing is lost or made twice, and the "
        "files are the same, byte for byte, as without it, on any number of threads. Meshes that are no "
        "solids are repaired, with a note, or refused before anything is written.",
    .arguments = dataset_arguments,
    .argument_count = OPTIONS_COUNT_OF(dataset_arguments),
    .options = dataset_options,
    .option_count = OPTIONS_COUNT_OF(dataset_options),
    .examples = dataset_examples,
    .run = dataset_run};
