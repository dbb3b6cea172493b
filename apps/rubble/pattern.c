// rubble pattern: fracture patterns, made, checked and drawn.
#include "print.h"
#include "progress.h"
#include "rubble/text.h"
#include "shared_options.h"
#include "tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct Pattern
{
    const Parsed* parsed;
    const char* output;
    rblPatternDef def;
    rblVec3d size; // of the box
    rblMeshId mesh;
    rblMeshReport report;
    uint32_t pieces;
    double smallest, largest; // volume of a piece, m^3
    double make_seconds;
} Pattern;

typedef struct KindText
{
    const char* summary;
    rblVec3d size; // of the box that it is shown in, m
} KindText;

static const KindText kinds[RBL_PATTERN_FILE] = {
    {"spokes and rings about the impact, as in glass", {1.0, 1.0, 0.06}},
    {"pieces of about one size", {1.0, 1.0, 0.3}},
    {"Voronoi cells that crowd at the impact", {1.0, 1.0, 0.3}},
    {"slices across the longest axis", {1.2, 0.5, 0.4}},
    {"long thin pieces along the longest axis, as in wood", {1.6, 0.5, 0.3}},
    {"courses in running bond", {1.3, 1.0, 0.2}},
    {"a few flat cracks right through", {1.0, 1.0, 0.5}},
};

static int list_kinds(void)
{
    for (uint32_t k = 0; k < RBL_PATTERN_FILE; ++k)
    {
        printf("%-10s %s\n", rbl_pattern_kind_name((rblPatternKind)k), kinds[k].summary);
    }
    return TOOL_DONE;
}

// ---- the command line ----

static const char* suggestion(const char* word)
{
    const char* names[RBL_PATTERN_FILE];
    for (uint32_t k = 0; k < RBL_PATTERN_FILE; ++k)
    {
        names[k] = rbl_pattern_kind_name((rblPatternKind)k);
    }
    return rbl_suggest(word, names, RBL_PATTERN_FILE);
}

// One of the words, or else a file: those have an ending.
static int take_kind(Pattern* pattern)
{
    const char* word = pattern->parsed->arguments[0];
    if (rbl_pattern_kind_from_name(word, &pattern->def.kind) == RBL_OK)
    {
        return TOOL_DONE;
    }
    if (strchr(word, '.') == NULL)
    {
        const char* near = suggestion(word);
        return near != NULL
                   ? tool_usage(pattern->parsed, "'%.60s' is no pattern; did you mean %s?", word, near)
                   : tool_usage(pattern->parsed, "'%.60s' is no pattern and no file", word);
    }
    pattern->def.kind = RBL_PATTERN_FILE;
    pattern->def.file = word;
    return TOOL_DONE;
}

// One number is the longest side of the usual box, three are a box.
static void take_size(Pattern* pattern)
{
    const OptionValue* size = options_value(pattern->parsed, "size");
    pattern->size = pattern->def.kind < RBL_PATTERN_FILE ? kinds[pattern->def.kind].size : rbl_vec3d(1, 1, 1);
    if (size == NULL)
    {
        return;
    }
    const double longest = rbl_maxd(rbl_maxd(pattern->size.x, pattern->size.y), pattern->size.z);
    pattern->size = size->count == 3 ? rbl_vec3d(size->numbers[0], size->numbers[1], size->numbers[2])
                                     : rbl_scale3d(pattern->size, size->numbers[0] / longest);
}

static int take_options(Pattern* pattern)
{
    const Parsed* parsed = pattern->parsed;
    const int usage = take_kind(pattern);
    if (usage != TOOL_DONE)
    {
        return usage;
    }
    const OptionValue* size = options_value(parsed, "size");
    if (size != NULL && size->count == 2)
    {
        return tool_usage(parsed, "--size takes one number or three");
    }
    const OptionValue* axis = options_value(parsed, "axis");
    rblPatternDef* def = &pattern->def;
    def->pieces = options_count(parsed, "pieces", def->pieces);
    def->seed = (uint64_t)options_number(parsed, "seed", (double)def->seed);
    def->jitter = options_number(parsed, "jitter", def->jitter);
    def->radius = options_number(parsed, "radius", 0.0);
    def->falloff = options_number(parsed, "falloff", 0.0);
    def->aspect = options_number(parsed, "aspect", 0.0);
    def->axis = axis != NULL ? rbl_vec3d(axis->numbers[0], axis->numbers[1], axis->numbers[2]) : def->axis;
    pattern->output = options_value(parsed, "output")->text;
    take_size(pattern);
    return TOOL_DONE;
}

// ---- making and checking ----

static rblResult make(Pattern* pattern)
{
    const OptionValue* at = options_value(pattern->parsed, "at");
    const rblVec3d half = rbl_scale3d(pattern->size, 0.5);
    const rblAabbd box = {rbl_neg3d(half), half};
    const rblVec3d point = {at != NULL ? at->numbers[0] : 0.0, at != NULL ? at->numbers[1] : 0.0, half.z};
    return rbl_pattern_draw(&pattern->def, box, point, rbl_vec3d(0, 0, -1), &pattern->mesh);
}

// Signed volume of every piece, by tetrahedra from the origin.
static void sum_volumes(const rblMeshView* view, double* volumes)
{
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const uint32_t* corners = view->corner_vertices + view->face_starts[f];
        const uint32_t count = view->face_starts[f + 1] - view->face_starts[f];
        for (uint32_t c = 1; c + 1 < count; ++c)
        {
            const rblVec3d cross = rbl_cross3d(view->positions[corners[c]], view->positions[corners[c + 1]]);
            volumes[view->face_groups[f]] += rbl_dot3d(view->positions[corners[0]], cross) / 6.0;
        }
    }
}

static rblResult check(Pattern* pattern)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(pattern->mesh, &view));
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    RBL_TRY(rbl_mesh_inspect(pattern->mesh, &options, &pattern->report));
    double* volumes = calloc(view.group_count, sizeof *volumes);
    if (volumes == NULL)
    {
        return tool_fail_memory();
    }
    sum_volumes(&view, volumes);
    pattern->pieces = view.group_count;
    pattern->smallest = (double)INFINITY;
    for (uint32_t piece = 0; piece < view.group_count; ++piece)
    {
        pattern->smallest = rbl_mind(pattern->smallest, volumes[piece]);
        pattern->largest = rbl_maxd(pattern->largest, volumes[piece]);
    }
    free(volumes);
    return RBL_OK;
}

// How far the volumes of the pieces together are from that of the box, by that of the box.
static double tiling_error(const Pattern* pattern)
{
    const rblAabbd bounds = pattern->report.bounds;
    const rblVec3d size = rbl_sub3d(bounds.upper, bounds.lower);
    const double box = size.x * size.y * size.z;
    return fabs(pattern->report.volume - box) / box;
}

// ---- drawing ----

static bool show_progress(double fraction, void* context)
{
    (void)context;
    progress_stage("tracing", 0.3 + 0.65 * fraction);
    return true;
}

// From in front, a little from the right and from above.
static rblResult save_picture(const Pattern* pattern)
{
    const rblAabbd bounds = pattern->report.bounds;
    const rblVec3d middle = rbl_scale3d(rbl_add3d(bounds.lower, bounds.upper), 0.5);
    const rblVec3d size = rbl_sub3d(bounds.upper, bounds.lower);
    const OptionValue* pixels = options_value(pattern->parsed, "pixels");
    rblPictureItem item = rbl_default_picture_item(pattern->mesh);
    item.parts = RBL_PARTS_GROUPS;
    rblPictureDef def = rbl_default_picture_def();
    def.items = &item;
    def.item_count = 1;
    def.width = pixels != NULL ? (uint32_t)pixels->numbers[0] : 960;
    def.height = pixels != NULL ? (uint32_t)pixels->numbers[1] : 720;
    def.explode = options_number(pattern->parsed, "explode", 0.12);
    def.samples = options_count(pattern->parsed, "samples", 16);
    const double shape = (double)def.width / def.height;
    const double reach = (1.0 + def.explode) * rbl_maxd(rbl_maxd(size.y, size.x / shape), 0.5 * size.z) / 2.0;
    const double far = 1.35 * reach / (0.5 * def.field_of_view) + 0.5 * size.z;
    def.has_eye = 1;
    def.has_target = 1;
    def.target = middle;
    def.eye = rbl_add3d(middle, rbl_scale3d(rbl_vec3d(0.26, 0.2, 0.945), far));
    def.progress.report = show_progress;
    return rbl_picture_save(&def, pattern->output, NULL);
}

static rblResult save(const Pattern* pattern)
{
    static const char* const pictures[] = {"png", NULL};
    static const char* const nodes[] = {"glb", NULL};
    if (options_has_ending(pattern->output, pictures))
    {
        return save_picture(pattern);
    }
    return options_has_ending(pattern->output, nodes) ? rbl_pattern_save_glb(pattern->mesh, pattern->output)
                                                      : rbl_mesh_save(pattern->mesh, pattern->output, NULL);
}

// ---- telling ----

static bool is_closed(const Pattern* pattern)
{
    return pattern->report.closed && pattern->report.oriented;
}

static int print_pattern_json(const Pattern* pattern)
{
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, pattern->output);
    rbl_json_key(&writer, "pattern");
    rbl_json_string(&writer, pattern->parsed->arguments[0]);
    rbl_json_key(&writer, "seed");
    rbl_json_unsigned(&writer, pattern->def.seed);
    rbl_json_key(&writer, "asked");
    rbl_json_unsigned(&writer, pattern->def.kind == RBL_PATTERN_FILE ? pattern->pieces : pattern->def.pieces);
    rbl_json_key(&writer, "pieces");
    rbl_json_unsigned(&writer, pattern->pieces);
    rbl_json_key(&writer, "smallest");
    rbl_json_number(&writer, pattern->smallest);
    rbl_json_key(&writer, "largest");
    rbl_json_number(&writer, pattern->largest);
    rbl_json_key(&writer, "closed");
    rbl_json_bool(&writer, is_closed(pattern));
    rbl_json_key(&writer, "makeSeconds");
    rbl_json_number(&writer, pattern->make_seconds);
    rbl_json_key(&writer, "tilingError");
    rbl_json_number(&writer, tiling_error(pattern));
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

static int print_pattern(const Pattern* pattern)
{
    char smallest[RBL_NUMBER_SIZE], largest[RBL_NUMBER_SIZE], error[RBL_NUMBER_SIZE], line[160];
    print_number(1e3 * pattern->smallest, 3, smallest);
    print_number(1e3 * pattern->largest, 3, largest);
    print_number(tiling_error(pattern), 2, error);
    printf("%s\n", pattern->parsed->arguments[0]);
    if (pattern->def.kind == RBL_PATTERN_FILE)
    {
        snprintf(line, sizeof line, "%u", pattern->pieces);
    }
    else
    {
        snprintf(line, sizeof line, "%u, %u asked for", pattern->pieces, pattern->def.pieces);
    }
    print_line(stdout, "pieces", line);
    snprintf(line, sizeof line, "%s to %s litres", smallest, largest);
    print_line(stdout, "volumes", line);
    snprintf(line, sizeof line, "%s, volumes sum to the box's within %s of it",
             is_closed(pattern) ? "closed" : "OPEN", error);
    print_line(stdout, "check", line);
    return TOOL_DONE;
}

static rblResult work(Pattern* pattern)
{
    RBL_TRY(rbl_output_check(pattern->output));
    progress_stage("making", -1.0);
    const double start = tool_seconds();
    RBL_TRY(make(pattern));
    pattern->make_seconds = tool_seconds() - start;
    RBL_TRY(check(pattern));
    progress_stage("drawing", 0.3);
    return save(pattern);
}

static int pattern_run(const Parsed* parsed)
{
    if (options_given(parsed, "list"))
    {
        return list_kinds();
    }
    Pattern pattern = {.parsed = parsed, .def = rbl_default_pattern_def()};
    const int usage = take_options(&pattern);
    if (usage != TOOL_DONE)
    {
        return usage;
    }
    progress_start("pattern", 0.0, NULL, !options_given(parsed, "quiet"));
    const rblResult result = work(&pattern);
    progress_stop();
    if (pattern.mesh.index1 != 0)
    {
        rbl_mesh_destroy(pattern.mesh);
    }
    if (result != RBL_OK)
    {
        return tool_fail_last();
    }
    if (options_given(parsed, "json"))
    {
        return print_pattern_json(&pattern);
    }
    return options_given(parsed, "quiet") ? TOOL_DONE : print_pattern(&pattern);
}

static const char* const pattern_endings[] = {"png", "glb", "obj", "ply", "stl", "off", NULL};
static const Argument pattern_arguments[] = {
    {"PATTERN", ARGUMENT_WORD, false,
     "radial, voronoi, clustered, slabs, splinters, bricks, planes, or a file: a mesh whose components tile "
     "their "
     "box, or a label volume (.nrrd)"},
};
static const Option pattern_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = pattern_endings,
     .value = "OUT",
     .help = "the picture (.png) or the mesh to write, with a group (.glb: a node) for every piece"},
    {.name = "list", .stands_alone = true, .help = "list the patterns, and stop"},
    ONE_COUNT("pieces", 1, RBL_PATTERN_MAX_PIECES, "25", "how many pieces"),
    ONE_COUNT("seed", 0, 9007199254740992.0, "1", "seed of all random numbers"),
    {.name = "size",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 3,
     .lowest = 1e-6,
     .highest = 1e6,
     .value = "X|X,Y,Z",
     .fallback = "about 1 m",
     .help = "the box that is broken, m: its sides, or the longest of them; the impact is on its front "
             "(+z); files keep their own"},
    {.name = "at",
     .kind = OPTION_NUMBERS,
     .least = 2,
     .most = 2,
     .value = "X,Y",
     .fallback = "0,0",
     .help = "impact point on its front, m from the middle"},
    ONE_NUMBER("jitter", 0, 1, "J", "0.5", "0 (as regular as possible) to 1"),
    ONE_NUMBER("radius", 0, 1e6, "R", "0, all of it breaks",
               "beyond this distance from the impact the body stays one piece, m"),
    ONE_NUMBER("falloff", 0, 1e6, "R", "0, as the pattern does",
               "pieces grow beyond this distance from the impact, m"),
    ONE_NUMBER("aspect", 0, 1000, "A", "0, as usual",
               "ratio of length to width of splinters, of length to height of bricks"),
    VECTOR_OPTION("axis", "chosen", "along splinters, across slabs, up through courses"),
    ONE_NUMBER("explode", 0, 1000, "F", "0.12",
               "in pictures, move the pieces apart by F times their distance from the middle"),
    ONE_COUNT("samples", 1, RBL_PICTURE_MAX_SAMPLES, "16", "samples a pixel"),
    PIXELS_OPTION("pixels", "960x720", "width and height of the picture"),
    JSON_OPTION,
};
static const char* const pattern_examples[] = {
    "rubble pattern radial -o glass.png", "rubble pattern bricks --pieces 60 -o wall.glb",
    "rubble pattern clustered --pieces 100 --radius 0.3 --seed 7 -o hole.png",
    "rubble pattern cells.obj -o cells.png", NULL};

const Command pattern_command = {
    .name = "pattern",
    .summary = "make, check and draw a fracture pattern",
    .details =
        "Breaks a box by a pattern, checks that the pieces are closed and fill the box, and writes a "
        "picture of the pieces moved apart, or the pieces themselves. A file must tile its box: a mesh "
        "with one closed component for every region, or a volume of labels. Otherwise the error message "
        "names the location.",
    .arguments = pattern_arguments,
    .argument_count = OPTIONS_COUNT_OF(pattern_arguments),
    .options = pattern_options,
    .option_count = OPTIONS_COUNT_OF(pattern_options),
    .examples = pattern_examples,
    .run = pattern_run};
