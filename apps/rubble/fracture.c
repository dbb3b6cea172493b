// rubble fracture: a mesh broken by a pattern, without a simulation.
#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <string.h>

typedef struct Fracture
{
    const Parsed* parsed;
    const char* path;
    const char* output;
    rblMeshId mesh; // as it is cut
    rblShatterDef def;
    double moved; // of the impact
    bool repaired;
    rblPiecesId pieces; // null before there are any
    rblPiecesInfo info;
} Fracture;

// ---- the command line ----

static bool writes_glb(const Fracture* fracture)
{
    static const char* const endings[] = {"glb", NULL};
    return options_has_ending(fracture->output, endings);
}

static bool is_file_name(const char* text)
{
    return strchr(text, '.') != NULL || strchr(text, '/') != NULL;
}

static int take_pattern(Fracture* fracture)
{
    const Parsed* parsed = fracture->parsed;
    rblPatternDef* pattern = &fracture->def.pattern;
    const OptionValue* name = options_value(parsed, "pattern");
    const OptionValue* axis = options_value(parsed, "axis");
    if (name != NULL && is_file_name(name->text))
    {
        pattern->kind = RBL_PATTERN_FILE;
        pattern->file = name->text;
    }
    else if (name != NULL && rbl_pattern_kind_from_name(name->text, &pattern->kind) != RBL_OK)
    {
        return tool_usage(parsed, "--pattern: %s", rbl_last_error());
    }
    pattern->pieces = options_count(parsed, "pieces", pattern->pieces);
    pattern->seed = (uint64_t)options_number(parsed, "seed", (double)pattern->seed);
    pattern->radius = options_number(parsed, "radius", pattern->radius);
    pattern->falloff = options_number(parsed, "falloff", pattern->falloff);
    pattern->jitter = options_number(parsed, "jitter", pattern->jitter);
    pattern->noise = options_number(parsed, "noise", pattern->noise);
    if (axis != NULL)
    {
        pattern->axis = (rblVec3d){axis->numbers[0], axis->numbers[1], axis->numbers[2]};
    }
    fracture->def.smallest_part = options_number(parsed, "crumbs", fracture->def.smallest_part);
    fracture->def.thinnest_part = options_number(parsed, "crumbs", fracture->def.thinnest_part);
    return rbl_pattern_check(pattern) == RBL_OK ? TOOL_DONE : tool_usage(parsed, "%s", rbl_last_error());
}

static int check_usage(const Fracture* fracture)
{
    const OptionValue* normal = options_value(fracture->parsed, "normal");
    if (normal != NULL && normal->numbers[0] == 0.0 && normal->numbers[1] == 0.0 && normal->numbers[2] == 0.0)
    {
        return tool_usage(fracture->parsed, "--normal has no length");
    }
    if (options_given(fracture->parsed, "explode") && !writes_glb(fracture))
    {
        return tool_usage(fracture->parsed, "--explode is for .glb files: pieces in a folder stay in place");
    }
    return TOOL_DONE;
}

// ---- the mesh ----

static rblResult place(Fracture* fracture)
{
    const OptionValue* at = options_value(fracture->parsed, "at");
    const OptionValue* normal = options_value(fracture->parsed, "normal");
    rblVec3d point, direction;
    if (at != NULL)
    {
        point = (rblVec3d){at->numbers[0], at->numbers[1], at->numbers[2]};
    }
    if (normal != NULL)
    {
        direction = (rblVec3d){normal->numbers[0], normal->numbers[1], normal->numbers[2]};
    }
    RBL_TRY(rbl_shatter_place(fracture->mesh, at != NULL ? &point : NULL, normal != NULL ? &direction : NULL,
                              &fracture->def, &fracture->moved));
    if (at != NULL && fracture->moved > 0.0)
    {
        char where[PRINT_VECTOR_SIZE];
        char text[PRINT_VECTOR_SIZE + 96];
        print_vector(fracture->def.point, where);
        snprintf(text, sizeof text,
                 "the impact is outside of it; moved to the nearest point of the surface, %s", where);
        tool_note(fracture->parsed, fracture->path, text);
    }
    return RBL_OK;
}

// ---- what is told ----

static void print_text(const Fracture* fracture)
{
    const rblPiecesInfo* pieces = &fracture->info;
    char text[64];
    char number[RBL_NUMBER_SIZE];
    snprintf(text, sizeof text, "%u of %u asked for", pieces->count, fracture->def.pattern.pieces);
    print_line(stdout, "pieces", text);
    snprintf(text, sizeof text, "%u", pieces->merged);
    print_line(stdout, "crumbs merged", text);
    print_number(pieces->crack_area, 6, number);
    snprintf(text, sizeof text, "%s m^2", number);
    print_line(stdout, "crack area", text);
    print_line(stdout, "written", fracture->output);
}

static int print_object(const Fracture* fracture)
{
    const rblPiecesInfo* pieces = &fracture->info;
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, fracture->path);
    rbl_json_key(&writer, "output");
    rbl_json_string(&writer, fracture->output);
    rbl_json_key(&writer, "repaired");
    rbl_json_bool(&writer, fracture->repaired);
    rbl_json_key(&writer, "at");
    rbl_json_begin_row(&writer);
    rbl_json_number(&writer, fracture->def.point.x);
    rbl_json_number(&writer, fracture->def.point.y);
    rbl_json_number(&writer, fracture->def.point.z);
    rbl_json_end_array(&writer);
    rbl_json_key(&writer, "moved");
    rbl_json_number(&writer, fracture->moved);
    rbl_json_key(&writer, "pieces");
    rbl_json_unsigned(&writer, pieces->count);
    rbl_json_key(&writer, "merged");
    rbl_json_unsigned(&writer, pieces->merged);
    rbl_json_key(&writer, "crackArea");
    rbl_json_number(&writer, pieces->crack_area);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

// ---- the command ----

static rblResult save(const Fracture* fracture)
{
    const double density = options_number(fracture->parsed, "density", 1000.0);
    if (writes_glb(fracture))
    {
        const double explode = options_number(fracture->parsed, "explode", 0.0);
        return rbl_pieces_save_glb(fracture->pieces, density, explode, fracture->output);
    }
    return rbl_pieces_save_folder(fracture->pieces, density, fracture->output,
                                  options_given(fracture->parsed, "force"));
}

static rblResult break_mesh(Fracture* fracture)
{
    progress_stage("inspecting", 0.1);
    RBL_TRY(tool_make_solid(fracture->parsed, fracture->path, &fracture->mesh, &fracture->repaired));
    RBL_TRY(place(fracture));
    progress_stage("breaking", 0.4);
    RBL_TRY(rbl_mesh_shatter(fracture->mesh, &fracture->def, &fracture->pieces));
    RBL_TRY(rbl_pieces_info(fracture->pieces, &fracture->info));
    progress_stage("writing", 0.6);
    return save(fracture);
}

static rblResult check_output(const Fracture* fracture)
{
    return writes_glb(fracture)
               ? rbl_output_check(fracture->output)
               : rbl_output_check_folder(fracture->output, options_given(fracture->parsed, "force"));
}

static int fracture_run(const Parsed* parsed)
{
    Fracture fracture = {.parsed = parsed,
                         .path = parsed->arguments[0],
                         .output = options_value(parsed, "output")->text,
                         .def = rbl_default_shatter_def()};
    int code = check_usage(&fracture);
    code = code == TOOL_DONE ? take_pattern(&fracture) : code;
    if (code != TOOL_DONE)
    {
        return code;
    }
    if (check_output(&fracture) != RBL_OK)
    {
        return tool_fail_last();
    }
    tool_start_progress(parsed, fracture.path);
    progress_stage("reading", 0.0);
    if (rbl_mesh_load(fracture.path, NULL, &fracture.mesh) != RBL_OK)
    {
        return tool_fail_last();
    }
    const rblResult result = break_mesh(&fracture);
    progress_stop();
    if (result != RBL_OK)
    {
        code = tool_fail_last();
    }
    else if (options_given(parsed, "json"))
    {
        code = print_object(&fracture);
    }
    else if (options_given(parsed, "verbose"))
    {
        print_text(&fracture);
    }
    if (fracture.pieces.index1 != 0)
    {
        (void)rbl_pieces_destroy(fracture.pieces);
    }
    (void)rbl_mesh_destroy(fracture.mesh);
    return code;
}

static const Argument fracture_arguments[] = {{"MESH", ARGUMENT_INPUT, false, "the mesh file to break"}};
static const Option fracture_options[] = {
    {.name = "output",
     .kind = OPTION_TEXT,
     .letter = 'o',
     .required = true,
     .value = "OUT",
     .help =
         "OUT.glb: one file with a node for every piece; anything else: a folder, one OBJ file a piece and "
         "pieces.json"},
    {.name = "pattern",
     .kind = OPTION_TEXT,
     .value = "P",
     .fallback = "clustered",
     .help = "radial, voronoi, clustered, slabs, splinters, bricks, planes, or a file: a mesh of regions or "
             "a label volume (.nrrd)"},
    VECTOR_OPTION("at", "the top above the middle",
                  "impact point, m; a point outside is moved to the nearest point of the surface, with a "
                  "note"),
    VECTOR_OPTION("normal", "against that of the surface",
                  "direction of the impact, into the body; any length but zero"),
    ONE_COUNT("pieces", 1, RBL_PATTERN_MAX_PIECES, "25",
              "requested number of pieces (the result may "
              "differ a little)"),
    ONE_COUNT("seed", 0, 9007199254740991.0, "1", "seed of the pattern"),
    ONE_NUMBER("radius", 0, OPTIONS_UNBOUNDED, "R", "0",
               "beyond this distance from the impact the body stays one piece, m; 0: the whole body breaks"),
    ONE_NUMBER("falloff", 0, OPTIONS_UNBOUNDED, "R", "0, as the pattern does",
               "pieces grow beyond this distance from the impact, m"),
    ONE_NUMBER("jitter", 0, 1, "J", "0.5", "0: as regular as possible"),
    ONE_NUMBER("noise", 0, OPTIONS_UNBOUNDED, "H", "0, flat",
               "height of bumps on crack faces, m; both sides have the same bumps"),
    VECTOR_OPTION("axis", "chosen for the body",
                  "along splinters, across slabs, up through courses of bricks"),
    ONE_NUMBER("crumbs", 0, 1, "C", "0.01",
               "pieces below this part of an even share, or of the body's thickness, are merged with a "
               "neighbour; 0: none"),
    DENSITY_OPTION,
    ONE_NUMBER("explode", 0, 1e6, "F", "0",
               "of .glb files: move pieces away from the middle by this times their distance from it"),
    {.name = "force", .help = "write into a folder that has other files"},
    JSON_OPTION,
};
static const char* const fracture_examples[] = {
    "rubble fracture vase.obj -o vase_pieces",
    "rubble fracture pane.glb -o p.glb --pattern radial --at 0,0.5,0 --pieces 60",
    "rubble fracture bunny.ply -o bunny.glb --pieces 35 --explode 0.4", NULL};

const Command fracture_command = {
    .name = "fracture",
    .summary = "break a mesh into pieces, without a simulation",
    .details =
        "Intersects the solid inside the mesh with a fracture pattern that is centred at the impact and "
        "rotated to its direction. Pieces are exact, closed, manifold, stay in place and fit each other to "
        "the bit. Outer faces keep normals, UVs, colours and materials. Crack faces have the material "
        "\"crack\" and UVs in metres. A folder also gets pieces.json: masses, centres, neighbours and "
        "mating faces (docs/fracture.md). A mesh that is no solid is repaired, with a note, or refused.",
    .arguments = fracture_arguments,
    .argument_count = OPTIONS_COUNT_OF(fracture_arguments),
    .options = fracture_options,
    .option_count = OPTIONS_COUNT_OF(fracture_options),
    .examples = fracture_examples,
    .run = fracture_run};
