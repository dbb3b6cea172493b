// rubble picture: meshes ray traced into a PNG.
#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct Picture
{
    const Parsed* parsed;
    uint32_t count;        // of files
    rblMeshId* meshes;     // null ids from where loading stopped
    rblPictureItem* items; // one per file
    rblPictureDef def;
    rblPictureStats stats;
    double load_seconds;
} Picture;

// ---- the command line ----

static rblVec3d vector_of(const OptionValue* value)
{
    return (rblVec3d){value->numbers[0], value->numbers[1], value->numbers[2]};
}

static void take_camera(Picture* picture)
{
    const OptionValue* size = options_value(picture->parsed, "size");
    const OptionValue* eye = options_value(picture->parsed, "eye");
    const OptionValue* target = options_value(picture->parsed, "target");
    if (size != NULL)
    {
        picture->def.width = (uint32_t)size->numbers[0];
        picture->def.height = (uint32_t)size->numbers[1];
    }
    if (eye != NULL)
    {
        picture->def.has_eye = 1;
        picture->def.eye = vector_of(eye);
    }
    if (target != NULL)
    {
        picture->def.has_target = 1;
        picture->def.target = vector_of(target);
    }
}

// A plane as it was given. `middle`: an axis alone, to be put through the middle of what is drawn.
typedef struct CutPlane
{
    rblVec3d point, normal;
    bool middle;
} CutPlane;

static bool parse_numbers(const char* text, uint32_t count, double* out)
{
    const char* end = text + strlen(text);
    for (uint32_t i = 0; i < count; ++i)
    {
        text = rbl_parse_double(text, end, &out[i]);
        const bool last = i + 1 == count;
        if (text == NULL || out[i] - out[i] != 0.0 || (last ? text != end : text == end || *text++ != ','))
        {
            return false;
        }
    }
    return true;
}

static bool parse_axis_plane(const char* text, CutPlane* out)
{
    if (text[0] < 'x' || text[0] > 'z' || (text[1] != '\0' && text[1] != '='))
    {
        return false;
    }
    double n[3] = {0, 0, 0};
    double at = 0.0;
    n[text[0] - 'x'] = 1.0;
    if (text[1] == '=' && !parse_numbers(text + 2, 1, &at))
    {
        return false;
    }
    *out = (CutPlane){
        .point = {at * n[0], at * n[1], at * n[2]}, .normal = {n[0], n[1], n[2]}, .middle = text[1] == '\0'};
    return true;
}

static bool parse_plane(const char* text, CutPlane* out)
{
    double n[6];
    if (parse_axis_plane(text, out))
    {
        return true;
    }
    if (!parse_numbers(text, 6, n))
    {
        return false;
    }
    *out = (CutPlane){{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, false};
    return true;
}

static int check_usage(const Picture* picture)
{
    const OptionValue* value = options_value(picture->parsed, "cut-plane");
    CutPlane plane;
    if (value == NULL)
    {
        return TOOL_DONE;
    }
    if (!parse_plane(value->text, &plane))
    {
        return tool_usage(picture->parsed, "--cut-plane takes x, y, z, x=0.1 or X,Y,Z,NX,NY,NZ, not '%.60s'",
                          value->text);
    }
    if (plane.normal.x == 0.0 && plane.normal.y == 0.0 && plane.normal.z == 0.0)
    {
        return tool_usage(picture->parsed, "--cut-plane has a normal of length 0");
    }
    return TOOL_DONE;
}

// ---- files ----

static rblResult load_files(Picture* picture)
{
    const double start = tool_seconds();
    for (uint32_t i = 0; i < picture->count; ++i)
    {
        progress_stage("reading", 0.3 * (double)i / (double)picture->count);
        RBL_TRY(rbl_mesh_load(picture->parsed->arguments[i], NULL, &picture->meshes[i]));
        picture->items[i] = rbl_default_picture_item(picture->meshes[i]);
        picture->items[i].color = rbl_picture_color(i);
    }
    picture->load_seconds = tool_seconds() - start;
    return RBL_OK;
}

static bool has_several_groups(const rblMeshView* view)
{
    for (uint32_t f = 1; f < view->face_count; ++f)
    {
        if (view->face_groups[f] != view->face_groups[0])
        {
            return true;
        }
    }
    return false;
}

// Several files are the pieces; a single one falls into its groups, or else into what hangs together.
static rblResult choose_parts(Picture* picture)
{
    if (picture->count > 1)
    {
        return RBL_OK;
    }
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(picture->meshes[0], &view));
    picture->items[0].parts = has_several_groups(&view) ? RBL_PARTS_GROUPS : RBL_PARTS_COMPONENTS;
    return RBL_OK;
}

static rblResult find_middle(const Picture* picture, rblVec3d* out)
{
    const double far = (double)INFINITY;
    rblVec3d lower = {far, far, far};
    rblVec3d upper = {-far, -far, -far};
    for (uint32_t i = 0; i < picture->count; ++i)
    {
        rblMeshView view;
        RBL_TRY(rbl_mesh_view(picture->meshes[i], &view));
        for (uint32_t c = 0; c < view.corner_count; ++c)
        {
            const rblVec3d p = view.positions[view.corner_vertices[c]];
            lower = rbl_vec3d(rbl_mind(p.x, lower.x), rbl_mind(p.y, lower.y), rbl_mind(p.z, lower.z));
            upper = rbl_vec3d(rbl_maxd(p.x, upper.x), rbl_maxd(p.y, upper.y), rbl_maxd(p.z, upper.z));
        }
    }
    *out = rbl_scale3d(rbl_add3d(lower, upper), 0.5);
    return RBL_OK;
}

static rblResult place_plane(Picture* picture)
{
    const OptionValue* value = options_value(picture->parsed, "cut-plane");
    CutPlane plane;
    if (value == NULL || !parse_plane(value->text, &plane))
    {
        return RBL_OK;
    }
    if (plane.middle)
    {
        RBL_TRY(find_middle(picture, &plane.point));
    }
    picture->def.has_cut = 1;
    picture->def.cut_point = plane.point;
    picture->def.cut_normal = plane.normal;
    return RBL_OK;
}

// ---- drawing ----

static bool show_progress(double fraction, void* context)
{
    (void)context;
    progress_stage("tracing", 0.3 + 0.65 * fraction);
    return true;
}

static rblResult draw(Picture* picture)
{
    const Parsed* parsed = picture->parsed;
    RBL_TRY(rbl_output_check(options_value(parsed, "output")->text));
    RBL_TRY(load_files(picture));
    RBL_TRY(choose_parts(picture));
    take_camera(picture);
    RBL_TRY(place_plane(picture));
    picture->def.items = picture->items;
    picture->def.item_count = picture->count;
    picture->def.samples = options_count(parsed, "samples", picture->def.samples);
    picture->def.explode = options_number(parsed, "explode", 0.0);
    picture->def.progress.report = show_progress;
    progress_stage("building", 0.3);
    return rbl_picture_save(&picture->def, options_value(parsed, "output")->text, &picture->stats);
}

// ---- telling ----

static void write_count(rblJsonWriter* writer, const char* key, uint64_t value)
{
    rbl_json_key(writer, key);
    rbl_json_unsigned(writer, value);
}

static void write_number(rblJsonWriter* writer, const char* key, double value)
{
    rbl_json_key(writer, key);
    rbl_json_number(writer, value);
}

static int print_picture_json(const Picture* picture)
{
    const rblPictureStats* stats = &picture->stats;
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, options_value(picture->parsed, "output")->text);
    write_count(&writer, "width", picture->def.width);
    write_count(&writer, "height", picture->def.height);
    write_count(&writer, "samples", picture->def.samples);
    write_count(&writer, "triangles", stats->triangles);
    write_count(&writer, "parts", stats->parts);
    rbl_json_key(&writer, "eye");
    json_vector(&writer, stats->eye);
    rbl_json_key(&writer, "target");
    json_vector(&writer, stats->target);
    write_count(&writer, "rays", stats->rays);
    write_number(&writer, "loadSeconds", picture->load_seconds);
    write_number(&writer, "prepareSeconds", stats->prepare_seconds);
    write_number(&writer, "buildSeconds", stats->build_seconds);
    write_number(&writer, "traceSeconds", stats->trace_seconds);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

static void print_note(const Picture* picture)
{
    const rblPictureStats* stats = &picture->stats;
    char load[RBL_NUMBER_SIZE], prepare[RBL_NUMBER_SIZE], build[RBL_NUMBER_SIZE], trace[RBL_NUMBER_SIZE];
    char rays[RBL_NUMBER_SIZE], rate[RBL_NUMBER_SIZE];
    print_number(picture->load_seconds, 3, load);
    print_number(stats->prepare_seconds, 3, prepare);
    print_number(stats->build_seconds, 3, build);
    print_number(stats->trace_seconds, 3, trace);
    print_number(1e-6 * (double)stats->rays, 3, rays);
    print_number(1e-6 * (double)stats->rays / stats->trace_seconds, 3, rate);
    char line[512];
    snprintf(line, sizeof line,
             "rubble: picture: %llu triangles in %u part%s: read %s s, prepared %s s, tree %s s, traced %s s "
             "(%s million rays, %s million a second)",
             (unsigned long long)stats->triangles, stats->parts, stats->parts == 1 ? "" : "s", load, prepare,
             build, trace, rays, rate);
    progress_print(line);
}

static int report(const Picture* picture)
{
    if (options_given(picture->parsed, "verbose"))
    {
        print_note(picture);
    }
    progress_stop();
    return options_given(picture->parsed, "json") ? print_picture_json(picture) : TOOL_DONE;
}

static int picture_run(const Parsed* parsed)
{
    Picture picture = {.parsed = parsed, .count = parsed->argument_count, .def = rbl_default_picture_def()};
    const int usage = check_usage(&picture);
    if (usage != TOOL_DONE)
    {
        return usage;
    }
    progress_start("picture", 0.0, NULL, !options_given(parsed, "quiet"));
    picture.meshes = calloc(picture.count, sizeof *picture.meshes);
    picture.items = calloc(picture.count, sizeof(rblPictureItem));
    const bool enough = picture.meshes != NULL && picture.items != NULL;
    const rblResult result = enough ? draw(&picture) : tool_fail_memory();
    const int code = result == RBL_OK ? report(&picture) : tool_fail_last();
    for (uint32_t i = 0; enough && i < picture.count && picture.meshes[i].index1 != 0; ++i)
    {
        rbl_mesh_destroy(picture.meshes[i]);
    }
    free(picture.meshes);
    free(picture.items);
    return code;
}

static const char* const picture_endings[] = {"png", NULL};
static const Argument picture_arguments[] = {
    {"FILE", ARGUMENT_INPUTS, false, "the mesh files to draw, all in one picture"}};
static const Option picture_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = picture_endings,
     .value = "OUT.png",
     .help = "the picture to write"},
    PIXELS_OPTION("size", "1280x720", "width and height in pixels"),
    ONE_COUNT("samples", 1, RBL_PICTURE_MAX_SAMPLES, "16",
              "samples a pixel at most, each with a shadow and a sky ray; more is smoother and slower"),
    VECTOR_OPTION("eye", "everything is visible", "position of the camera, m"),
    VECTOR_OPTION("target", "the middle", "point in the middle of the picture, m"),
    ONE_NUMBER("explode", 0, 1000, "F", "0",
               "move the pieces apart, each by F times its distance from the middle"),
    {.name = "cut-plane",
     .kind = OPTION_TEXT,
     .value = "x|y|z|x=D|X,Y,Z,NX,NY,NZ",
     .help = "remove the part in front of a plane and show the inside: across an axis through the middle "
             "or at D, or through a point with a normal"},
    JSON_OPTION,
};
static const char* const picture_examples[] = {
    "rubble picture bunny.ply -o bunny.png", "rubble picture pig.glb -o pig.png --cut-plane x",
    "rubble picture piece*.obj -o pieces.png --explode 0.5 --samples 64", NULL};

const Command picture_command = {
    .name = "picture",
    .summary = "draw meshes: ray traced, in soft light, as a PNG",
    .details =
        "Draws the files in one picture, standing on a floor, each in a colour of its own. The groups or "
        "connected pieces of a single file have their own colours too. Faces whose material is named "
        "crack, interior or inside, and the section of a cut plane through a closed mesh, are drawn in the "
        "colour of cracks. Open and broken meshes are drawn as they are. The picture does not depend on "
        "the number of threads.",
    .arguments = picture_arguments,
    .argument_count = OPTIONS_COUNT_OF(picture_arguments),
    .options = picture_options,
    .option_count = OPTIONS_COUNT_OF(picture_options),
    .examples = picture_examples,
    .run = picture_run};
