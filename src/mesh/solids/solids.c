// The kinds of procedural solids, their parameters, and the checks before any of them is made.
#include "mesh/solids/solids.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/number.h"
#include "math/vec.h"
#include <string.h>

// ---- the table ----

// Range of all lengths of procedural solids, m.
#define SMALLEST 1e-4
#define LARGEST  1e4

#define LENGTH(text, about, value)                                                                           \
    {                                                                                                        \
        .name = (text), .help = (about), .components = 1, .fallback = {(value)}, .lowest = SMALLEST,         \
        .highest = LARGEST                                                                                   \
    }
#define LENGTH_OR_ZERO(text, about, value)                                                                   \
    {                                                                                                        \
        .name = (text), .help = (about), .components = 1, .fallback = {(value)}, .highest = LARGEST          \
    }
#define SIZE(text, about, x, y, z)                                                                           \
    {                                                                                                        \
        .name = (text), .help = (about), .components = 3, .fallback = {(x), (y), (z)}, .lowest = SMALLEST,   \
        .highest = LARGEST                                                                                   \
    }
#define NUMBER(text, about, value, low, high)                                                                \
    {                                                                                                        \
        .name = (text), .help = (about), .components = 1, .fallback = {(value)}, .lowest = (low),            \
        .highest = (high)                                                                                    \
    }
#define COUNT(text, about, value, low, high)                                                                 \
    {                                                                                                        \
        .name = (text), .help = (about), .components = 1, .fallback = {(value)}, .lowest = (low),            \
        .highest = (high), .is_integer = 1                                                                   \
    }
#define GRID(text, about)                                                                                    \
    {                                                                                                        \
        .name = (text), .help = (about), .components = 3, .fallback = {1, 1, 1}, .lowest = 1,                \
        .highest = 128, .is_integer = 1                                                                      \
    }
#define AROUND(value) COUNT("segments", "sides of the turned outline", (value), 3, 4096)

static const rblSolidParameter box_parameters[] = {
    SIZE("size", "along x, y and z, m", 0.2, 0.2, 0.2),
    GRID("segments", "faces along each side"),
};

static const rblSolidParameter brick_parameters[] = {
    SIZE("size", "along x, y and z, m", 0.215, 0.065, 0.1025),
    LENGTH_OR_ZERO("bevel", "radius of the rounded edges, m; 0: sharp", 0.004),
    COUNT("segments", "steps of each rounded edge; 1: a plain chamfer", 2, 1, 16),
};

static const rblSolidParameter sphere_parameters[] = {
    LENGTH("radius", "m", 0.1),
    COUNT("segments", "sides around; half as many from pole to pole", 48, 4, 4096),
};

static const rblSolidParameter icosphere_parameters[] = {
    LENGTH("radius", "m", 0.1),
    COUNT("frequency", "splits F of every icosahedron edge: 20 F^2 triangles", 12, 1, RBL_MAX_FREQUENCY),
};

static const rblSolidParameter cylinder_parameters[] = {
    LENGTH("radius", "m", 0.1),
    LENGTH("height", "m", 0.2),
    AROUND(48),
};

static const rblSolidParameter capsule_parameters[] = {
    LENGTH("radius", "m", 0.05),
    LENGTH("height", "from end to end, at least twice the radius, m", 0.2),
    COUNT("segments", "sides around", 32, 4, 4096),
};

static const rblSolidParameter torus_parameters[] = {
    LENGTH("radius", "from the axis to the middle of the tube, m", 0.1),
    LENGTH("tube", "radius of the tube, less than radius, m", 0.03),
    COUNT("segments", "sides around the axis", 64, 3, 4096),
    COUNT("sides", "sides of the tube", 32, 3, 4096),
};

static const double lathe_profile[] = {0, 0, 0.1, 0, 0.14, 0.02};

static const rblSolidParameter lathe_parameters[] = {
    {.name = "profile",
     .help = "points of the outline, each a radius and a height, m; only its ends may lie on the axis",
     .lowest = -LARGEST,
     .highest = LARGEST,
     .list_fallback = lathe_profile,
     .list_fallback_count = 6},
    LENGTH_OR_ZERO("thickness",
                   "of a shell left of the profile (inside, drawn upward), m; 0: the closed profile is solid",
                   0.006),
    AROUND(96),
};

static const rblSolidParameter plate_parameters[] = {
    LENGTH("radius", "m", 0.13),
    LENGTH("height", "of the rim, m", 0.024),
    LENGTH("thickness", "of the wall, m", 0.005),
    AROUND(96),
};

static const rblSolidParameter bowl_parameters[] = {
    LENGTH("radius", "of the rim, m", 0.08),
    LENGTH("height", "m", 0.07),
    LENGTH("thickness", "of the wall, m", 0.004),
    AROUND(96),
};

static const rblSolidParameter wineglass_parameters[] = {
    LENGTH("radius", "of the bowl at its widest, m", 0.042), LENGTH("height", "m", 0.21),
    LENGTH("thickness", "of the wall, m", 0.0016),           LENGTH("stem", "radius of the stem, m", 0.0042),
    LENGTH("foot", "radius of the foot, m", 0.036),          AROUND(64),
};

static const rblSolidParameter vase_parameters[] = {
    LENGTH("radius", "of the belly, m", 0.09),
    LENGTH("neck", "radius of the neck, less than radius, m", 0.035),
    LENGTH("height", "m", 0.3),
    LENGTH("thickness", "of the wall, m", 0.006),
    AROUND(64),
};

static const rblSolidParameter column_parameters[] = {
    LENGTH("radius", "of the shaft at its foot, m", 0.2),
    LENGTH("height", "at least 4 times the radius, m", 2.4),
    COUNT("flutes", "grooves around the shaft; 0: plain, else 8 and more", 20, 0, 64),
    COUNT("segments", "sides around, at least; rounded up to suit flutes and corners", 120, 8, 4096),
};

static const rblSolidParameter rock_parameters[] = {
    LENGTH("radius", "of the ball it is cut from, m", 0.15),
    COUNT("seed", "another number, another rock", 1, 0, 4294967295.0),
    NUMBER("roughness", "strength of the noise", 0.25, 0, 1),
    COUNT("cuts", "planes that cut the ball", 14, 0, 64),
    {.name = "stretch",
     .help = "scale along x, y and z",
     .components = 3,
     .fallback = {1.15, 0.8, 1},
     .lowest = 0.1,
     .highest = 10},
    COUNT("frequency", "splits F of every icosahedron edge: 20 F^2 triangles", 20, 1, RBL_MAX_FREQUENCY),
};

static const rblSolidParameter tile_parameters[] = {
    SIZE("size", "along x, y (its thickness) and z, m", 0.15, 0.008, 0.15),
    LENGTH_OR_ZERO("bevel", "radius of the rounded upper edge, m; 0: sharp", 0.002),
    COUNT("segments", "steps of the rounded edge", 3, 1, 16),
};

static const rblSolidParameter wall_parameters[] = {
    LENGTH("width", "along x, m", 2.0),
    LENGTH("height", "m", 1.2),
    LENGTH("thickness", "along z, m", 0.2),
    LENGTH_OR_ZERO("relief", "depth of the joints between the bricks, m; 0: a plain wall", 0.01),
    COUNT("courses", "rows of bricks", 12, 1, 256),
    COUNT("bricks", "bricks in a row", 8, 1, 256),
    LENGTH("joint", "width of the joints, m", 0.012),
    GRID("segments", "faces along each side of a plain wall"),
};

static const rblSolidParameter piggybank_parameters[] = {
    LENGTH("length", "from snout to tail, m", 0.2),
    LENGTH("thickness", "of the shell, m", 0.014),
    NUMBER("slot", "length of the coin slot as a part of length; 0: none, a sealed hollow", 0.2, 0, 0.25),
    COUNT("resolution", "grid cells along its length", 80, 48, 256),
    COUNT("triangles", "simplified to about this many, 0: as the grid has them", 12000, 0, 4294967295.0),
};

static const rblSolidParameter statue_parameters[] = {
    LENGTH("height", "with its plinth, m", 0.4),
    COUNT("resolution", "grid cells along its height", 96, 56, 320),
    COUNT("triangles", "simplified to about this many, 0: as the grid has them", 9000, 0, 4294967295.0),
};

#define KIND(text, about, table)                                                                             \
    {                                                                                                        \
        (text), (about), sizeof(table) / sizeof *(table), (table)                                            \
    }

static const rblSolidKind kinds[] = {
    KIND("box", "a box; origin at its centre", box_parameters),
    KIND("brick", "a box with rounded edges; origin at its centre", brick_parameters),
    KIND("sphere", "a ball of rings and poles; origin at its centre", sphere_parameters),
    KIND("icosphere", "a ball of even triangles; origin at its centre", icosphere_parameters),
    KIND("cylinder", "upright, with flat ends; origin at its centre", cylinder_parameters),
    KIND("capsule", "upright, with round ends; origin at its centre", capsule_parameters),
    KIND("torus", "a ring lying flat; origin at its centre", torus_parameters),
    KIND("lathe", "an outline turned about the y axis; origin where the outline has it", lathe_parameters),
    KIND("plate", "a dinner plate on a foot ring; stands at y = 0", plate_parameters),
    KIND("bowl", "a bowl on a foot ring; stands at y = 0", bowl_parameters),
    KIND("wineglass", "a bowl on a stem and a foot; stands at y = 0", wineglass_parameters),
    KIND("vase", "a belly, a neck and a lip; stands at y = 0", vase_parameters),
    KIND("column", "a fluted shaft with base and capital; stands at y = 0", column_parameters),
    KIND("rock", "a ball cut by planes and roughened; origin inside, near its centre", rock_parameters),
    KIND("tile", "a slab with a rounded upper edge; lies at y = 0", tile_parameters),
    KIND("wall", "bricks in running bond, or plain; stands at y = 0", wall_parameters),
    KIND("piggybank", "a hollow pig with a coin slot, looking along +z; stands at y = 0",
         piggybank_parameters),
    KIND("statue", "a stone giant with folded hands on a plinth, looking along +z; stands at y = 0",
         statue_parameters),
};

static rblSolidMaker* const makers[] = {
    rbl_make_solid_box,       rbl_make_solid_brick,   rbl_make_solid_sphere,    rbl_make_solid_icosphere,
    rbl_make_solid_cylinder,  rbl_make_solid_capsule, rbl_make_solid_torus,     rbl_make_solid_lathe,
    rbl_make_solid_plate,     rbl_make_solid_bowl,    rbl_make_solid_wineglass, rbl_make_solid_vase,
    rbl_make_solid_column,    rbl_make_solid_rock,    rbl_make_solid_tile,      rbl_make_solid_wall,
    rbl_make_solid_piggybank, rbl_make_solid_statue,
};

#define KIND_COUNT (sizeof kinds / sizeof *kinds)

_Static_assert(sizeof makers / sizeof *makers == KIND_COUNT, "one maker for each kind");

const rblSolidKind* rbl_solid_kinds(uint32_t* count)
{
    if (count != NULL)
    {
        *count = KIND_COUNT;
    }
    return kinds;
}

// ---- names ----

// Longest name that gets a suggestion, characters.
#define NAME_LIMIT 24

// Insertions, deletions and replacements that turn one name into the other (Levenshtein 1966).
static size_t name_distance(const char* a, const char* b)
{
    const size_t a_length = strlen(a);
    const size_t b_length = strlen(b);
    if (a_length > NAME_LIMIT || b_length > NAME_LIMIT)
    {
        return NAME_LIMIT;
    }
    size_t row[NAME_LIMIT + 1];
    for (size_t j = 0; j <= b_length; ++j)
    {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; ++i)
    {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_length; ++j)
        {
            const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            const size_t dropped = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < dropped ? replaced : dropped;
        }
    }
    return row[b_length];
}

// Keep `name` when it is closer to the requested name than the best one so far.
static void consider_name(const char* asked, const char* name, const char** best, size_t* best_distance)
{
    const size_t distance = name_distance(asked, name);
    if (distance < *best_distance)
    {
        *best = name;
        *best_distance = distance;
    }
}

// A suggestion must match at least half of the letters.
static size_t helpful_distance(const char* asked)
{
    return strlen(asked) / 2 + 1;
}

static rblResult refuse_kind(const char* asked)
{
    const char* best = NULL;
    size_t distance = helpful_distance(asked);
    for (size_t i = 0; i < KIND_COUNT; ++i)
    {
        consider_name(asked, kinds[i].name, &best, &distance);
    }
    if (best != NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "there is no solid \"%.40s\"; did you mean \"%s\"?", asked, best);
    }
    return rbl_fail(RBL_ERROR_ARGUMENT, "there is no solid \"%.40s\"", asked);
}

static rblResult refuse_parameter(const rblSolidKind* kind, const char* asked)
{
    const char* best = NULL;
    size_t distance = helpful_distance(asked);
    for (uint32_t i = 0; i < kind->parameter_count; ++i)
    {
        consider_name(asked, kind->parameters[i].name, &best, &distance);
    }
    if (best != NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s has no parameter \"%.40s\"; did you mean \"%s\"?", kind->name,
                        asked, best);
    }
    return rbl_fail(RBL_ERROR_ARGUMENT, "%s has no parameter \"%.40s\"", kind->name, asked);
}

static uint32_t find_parameter(const rblSolidKind* kind, const char* name)
{
    for (uint32_t i = 0; i < kind->parameter_count; ++i)
    {
        if (strcmp(kind->parameters[i].name, name) == 0)
        {
            return i;
        }
    }
    return RBL_NONE;
}

// ---- values ----

static rblResult check_number(const rblSolidKind* kind, const rblSolidParameter* parameter, double value)
{
    char text[RBL_NUMBER_SIZE];
    char low[RBL_NUMBER_SIZE];
    char high[RBL_NUMBER_SIZE];
    rbl_format_double(value, text);
    if (!(value >= parameter->lowest && value <= parameter->highest))
    {
        rbl_format_double(parameter->lowest, low);
        rbl_format_double(parameter->highest, high);
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s is %s, must be between %s and %s", kind->name,
                        parameter->name, text, low, high);
    }
    if (parameter->is_integer && value != floor(value))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s is %s, must be an integer", kind->name, parameter->name,
                        text);
    }
    return RBL_OK;
}

static rblResult check_count(const rblSolidKind* kind, const rblSolidParameter* parameter, uint32_t count)
{
    const bool is_list = parameter->components == 0;
    if (is_list && (count == 0 || count > RBL_SOLID_MAX_PAIRS))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s takes 1 to %d pairs of radius and height, not %u",
                        kind->name, parameter->name, RBL_SOLID_MAX_PAIRS, count);
    }
    if (!is_list && count != parameter->components)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s takes %u number%s, not %u", kind->name, parameter->name,
                        parameter->components, parameter->components == 1 ? "" : "s", count);
    }
    return RBL_OK;
}

static rblResult take_value(rblSolidInput* input, uint32_t index, const rblSolidValue* value)
{
    const rblSolidParameter* parameter = &input->kind->parameters[index];
    RBL_TRY(check_count(input->kind, parameter, value->count));
    if (value->values == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s has no numbers", input->kind->name, parameter->name);
    }
    const uint32_t numbers = parameter->components == 0 ? 2 * value->count : value->count;
    for (uint32_t i = 0; i < numbers; ++i)
    {
        RBL_TRY(check_number(input->kind, parameter, value->values[i]));
    }
    if (parameter->components == 0)
    {
        input->list = value->values;
        input->list_pairs = value->count;
        return RBL_OK;
    }
    memcpy(input->numbers[index], value->values, sizeof(double) * numbers);
    return RBL_OK;
}

static void take_defaults(rblSolidInput* input, const rblSolidKind* kind)
{
    *input = (rblSolidInput){.kind = kind};
    RBL_ASSERT(kind->parameter_count <= RBL_SOLID_MAX_PARAMETERS);
    for (uint32_t i = 0; i < kind->parameter_count; ++i)
    {
        const rblSolidParameter* parameter = &kind->parameters[i];
        memcpy(input->numbers[i], parameter->fallback, sizeof parameter->fallback);
        if (parameter->components == 0)
        {
            input->list = parameter->list_fallback;
            input->list_pairs = parameter->list_fallback_count / 2;
        }
    }
}

static rblResult read_input(const rblSolidKind* kind, const rblSolidValue* values, uint32_t value_count,
                            rblSolidInput* out)
{
    bool given[RBL_SOLID_MAX_PARAMETERS] = {false};
    take_defaults(out, kind);
    for (uint32_t i = 0; i < value_count; ++i)
    {
        if (values[i].name == NULL)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "%s: the name of value %u must not be null", kind->name, i);
        }
        const uint32_t index = find_parameter(kind, values[i].name);
        if (index == RBL_NONE)
        {
            return refuse_parameter(kind, values[i].name);
        }
        if (given[index])
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s is given twice", kind->name, values[i].name);
        }
        given[index] = true;
        RBL_TRY(take_value(out, index, &values[i]));
    }
    return RBL_OK;
}

static const double* input_numbers(const rblSolidInput* input, const char* name)
{
    const uint32_t index = find_parameter(input->kind, name);
    RBL_ASSERT(index != RBL_NONE);
    return input->numbers[index];
}

double rbl_solid_number(const rblSolidInput* input, const char* name)
{
    return input_numbers(input, name)[0];
}

uint32_t rbl_solid_count(const rblSolidInput* input, const char* name)
{
    return (uint32_t)input_numbers(input, name)[0];
}

rblVec3d rbl_solid_vector(const rblSolidInput* input, const char* name)
{
    const double* v = input_numbers(input, name);
    return rbl_vec3d(v[0], v[1], v[2]);
}

rblResult rbl_solid_refuse(const rblSolidInput* input, const char* why)
{
    return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s", input->kind->name, why);
}

rblResult rbl_mesh_make(const char* kind, const rblSolidValue* values, uint32_t value_count, rblMeshId* out)
{
    if (kind == NULL || out == NULL || (values == NULL && value_count > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "solid: kind, out and values must not be null");
    }
    for (size_t i = 0; i < KIND_COUNT; ++i)
    {
        if (strcmp(kinds[i].name, kind) == 0)
        {
            rblSolidInput input;
            rblMesh* mesh;
            RBL_TRY(read_input(&kinds[i], values, value_count, &input));
            RBL_TRY(makers[i](&input, rbl_default_allocator(), &mesh));
            return rbl_mesh_register(mesh, out);
        }
    }
    return refuse_kind(kind);
}
