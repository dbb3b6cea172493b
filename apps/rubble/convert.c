// rubble convert: from one format to another, with changes on the way.
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <string.h>

enum
{
    ZUP_TO_YUP, // as in the table of choices
    YUP_TO_ZUP
};

static rblMat3d diagonal(double x, double y, double z)
{
    return (rblMat3d){{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}};
}

// A quarter turn about X. Z up to Y up: (x, y, z) -> (x, z, -y).
static rblMat3d axis_matrix(const OptionValue* axis)
{
    if (axis == NULL)
    {
        return diagonal(1.0, 1.0, 1.0);
    }
    const double sign = axis->choice == ZUP_TO_YUP ? 1.0 : -1.0;
    return (rblMat3d){{1.0, 0.0, 0.0}, {0.0, 0.0, -sign}, {0.0, sign, 0.0}};
}

static rblVec3d scale_factors(const OptionValue* scale)
{
    if (scale == NULL)
    {
        return (rblVec3d){1.0, 1.0, 1.0};
    }
    const double* n = scale->numbers;
    return scale->count == 1 ? (rblVec3d){n[0], n[0], n[0]} : (rblVec3d){n[0], n[1], n[2]};
}

static rblVec3d apply(const rblMat3d* m, rblVec3d v)
{
    return (rblVec3d){m->cx.x * v.x + m->cy.x * v.y + m->cz.x * v.z,
                      m->cx.y * v.x + m->cy.y * v.y + m->cz.y * v.z,
                      m->cx.z * v.x + m->cy.z * v.y + m->cz.z * v.z};
}

static rblVec3d times(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){a.x * b.x, a.y * b.y, a.z * b.z};
}

// Extent of the transformed mesh along the axis that is up in the result.
static rblResult measure_height(rblMeshId mesh, const rblMat3d* linear, bool z_up, double* out)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    double lowest = 0.0;
    double highest = 0.0;
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        const rblVec3d p = apply(linear, view.positions[v]);
        const double height = z_up ? p.z : p.y;
        lowest = v == 0 || height < lowest ? height : lowest;
        highest = v == 0 || height > highest ? height : highest;
    }
    *out = highest - lowest;
    return *out > 0.0 ? RBL_OK
                      : rbl_fail(RBL_ERROR_GEOMETRY, "the mesh has no height, so it cannot be scaled to one");
}

// Swap a mesh for a changed copy of itself.
static rblResult replace(rblMeshId* mesh, rblResult result, rblMeshId changed)
{
    if (result == RBL_OK)
    {
        rbl_mesh_destroy(*mesh);
        *mesh = changed;
    }
    return result;
}

static rblResult transform(const Parsed* parsed, rblMeshId* mesh)
{
    const OptionValue* axis = options_value(parsed, "axis");
    const OptionValue* height = options_value(parsed, "height");
    const OptionValue* scale = options_value(parsed, "scale");
    if (axis == NULL && height == NULL && scale == NULL)
    {
        return RBL_OK;
    }
    const rblVec3d factors = scale_factors(scale);
    rblMat3d linear = axis_matrix(axis);
    linear = (rblMat3d){times(linear.cx, factors), times(linear.cy, factors), times(linear.cz, factors)};
    if (height != NULL)
    {
        double now = 0.0;
        RBL_TRY(measure_height(*mesh, &linear, axis != NULL && axis->choice == YUP_TO_ZUP, &now));
        const double even = height->numbers[0] / now;
        const rblVec3d evenly = {even, even, even};
        linear = (rblMat3d){times(linear.cx, evenly), times(linear.cy, evenly), times(linear.cz, evenly)};
    }
    rblMeshId changed;
    const rblResult result = rbl_mesh_transform(*mesh, &linear, (rblVec3d){0.0, 0.0, 0.0}, &changed);
    return replace(mesh, result, changed);
}

static rblResult simplify(const Parsed* parsed, rblMeshId* mesh)
{
    if (!options_given(parsed, "simplify"))
    {
        return RBL_OK;
    }
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = options_count(parsed, "simplify", 0);
    rblMeshId changed;
    const rblResult result = rbl_mesh_simplify(*mesh, &options, &changed, NULL);
    return replace(mesh, result, changed);
}

static rblResult triangulate(const Parsed* parsed, rblMeshId* mesh)
{
    if (!options_given(parsed, "triangulate"))
    {
        return RBL_OK;
    }
    rblMeshId changed;
    const rblResult result = rbl_mesh_triangulate(*mesh, &changed);
    return replace(mesh, result, changed);
}

static rblResult change(const Parsed* parsed, rblMeshId* mesh)
{
    progress_stage("transforming", 0.4);
    RBL_TRY(transform(parsed, mesh));
    progress_stage("simplifying", 0.45);
    RBL_TRY(simplify(parsed, mesh));
    progress_stage("triangulating", 0.75);
    return triangulate(parsed, mesh);
}

// What the tables cannot say.
static int check_usage(const Parsed* parsed)
{
    const OptionValue* scale = options_value(parsed, "scale");
    if (scale != NULL && scale->count == 2)
    {
        return tool_usage(parsed, "--scale takes one number or three, not two");
    }
    for (uint32_t i = 0; scale != NULL && i < scale->count; ++i)
    {
        if (scale->numbers[i] == 0.0)
        {
            return tool_usage(parsed, "--scale must not be 0");
        }
    }
    return tool_check_text(parsed, parsed->arguments[1]);
}

static int convert_run(const Parsed* parsed)
{
    const char* path = parsed->arguments[0];
    const int usage = check_usage(parsed);
    if (usage != TOOL_DONE)
    {
        return usage;
    }
    tool_start_progress(parsed, path);
    progress_stage("reading", 0.0);
    rblMeshId mesh;
    if (rbl_mesh_load(path, NULL, &mesh) != RBL_OK)
    {
        return tool_fail_last();
    }
    int code = TOOL_DONE;
    if (change(parsed, &mesh) != RBL_OK)
    {
        code = tool_fail("%s: %s", path, rbl_last_error());
    }
    else
    {
        progress_stage("writing", 0.8);
        code = tool_save(parsed, mesh, parsed->arguments[1]);
    }
    rbl_mesh_destroy(mesh);
    return code;
}

static const char* const axis_choices[] = {"zup-to-yup", "yup-to-zup", NULL};
static const Option convert_options[] = {
    {.name = "scale",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 3,
     .value = "S|X,Y,Z",
     .help = "multiply all coordinates by S, or each by its own factor; negative ones mirror"},
    {.name = "axis",
     .kind = OPTION_CHOICE,
     .choices = axis_choices,
     .help = "rotate a model with Z up so that Y is up, or in the other direction"},
    ONE_NUMBER("height", 1e-9, 1e9, "H", NULL,
               "scale evenly so that the result is this tall (along Y; along Z after yup-to-zup), m"),
    {.name = "triangulate", .help = "cut faces of more than three corners into triangles"},
    ONE_COUNT("simplify", 4, 4294967295.0, NULL,
              "reduce to about N triangles; a closed surface stays closed"),
    TEXT_OPTION,
};
static const char* const convert_examples[] = {
    "rubble convert bunny.off bunny.glb --height 0.3",
    "rubble convert part.stl part.obj --scale 0.001 --axis zup-to-yup",
    "rubble convert scan.ply small.ply --simplify 10000", NULL};

const Command convert_command = {
    .name = "convert",
    .summary = "read a mesh in one format and write it in another",
    .details = "The endings of the file names select the formats. Polygons, UVs, normals, colours, "
               "material and group names are kept as far as the format of OUT can store them. Changes are "
               "made in this order: axis, scale, height, simplify, triangulate.",
    .arguments = mesh_arguments,
    .argument_count = MESH_ARGUMENT_COUNT,
    .options = convert_options,
    .option_count = OPTIONS_COUNT_OF(convert_options),
    .examples = convert_examples,
    .run = convert_run};
