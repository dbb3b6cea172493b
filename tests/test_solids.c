// Procedural solids: each kind is a solid whatever its parameters, or refused in words.
#include "testing.h"

#include "base/number.h"
#include "base/random.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/solids/solids.h"
#include "solid_checks.h"
#include <string.h>

static const rblSolidKind* kind_named(const char* name)
{
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (strcmp(kinds[i].name, name) == 0)
        {
            return &kinds[i];
        }
    }
    fail_msg("no kind %s", name);
    return NULL;
}

static void every_kind_is_a_solid_by_default(void** state)
{
    (void)state;
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    assert_int_equal(count, 18);
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblMeshReport report =
            make_and_check(kinds[i].name, NULL, 0, 1, strcmp(kinds[i].name, "torus") == 0);
        assert_true(report.volume > 0.0);
    }
}

static rblAabbd default_bounds(const char* kind)
{
    rblMeshId mesh;
    rblMeshReport report;
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    check_ok(rbl_mesh_inspect(mesh, &options, &report));
    check_ok(rbl_mesh_destroy(mesh));
    return report.bounds;
}

static void what_stands_stands_on_the_ground(void** state)
{
    (void)state;
    static const char* standing[] = {"plate", "bowl", "wineglass", "vase", "column", "tile", "wall"};
    for (size_t i = 0; i < COUNT_OF(standing); ++i)
    {
        const rblAabbd bounds = default_bounds(standing[i]);
        check_close(bounds.lower.y, 0.0, 0.0);
        check_close(bounds.lower.x + bounds.upper.x, 0.0, 0.0);
        check_close(bounds.lower.z + bounds.upper.z, 0.0, 0.0);
    }
    static const char* centred[] = {"box", "brick", "sphere", "icosphere", "cylinder", "capsule", "torus"};
    for (size_t i = 0; i < COUNT_OF(centred); ++i)
    {
        const rblAabbd bounds = default_bounds(centred[i]);
        check_close(bounds.lower.y + bounds.upper.y, 0.0, 0.0);
    }
}

static void heights_and_radii_are_those_asked_for(void** state)
{
    (void)state;
    static const struct
    {
        const char* kind;
        double height;
    } turned[] = {{"plate", 0.05}, {"bowl", 0.31}, {"vase", 0.31}, {"cylinder", 0.31}, {"capsule", 0.31}};
    for (size_t i = 0; i < COUNT_OF(turned); ++i)
    {
        const rblSolidValue values[] = {N1("height", turned[i].height), N1("radius", 0.12),
                                        N1("segments", 20)};
        const rblMeshReport report = make_and_check(turned[i].kind, values, 3, 1, 0);
        check_close(report.bounds.upper.y - report.bounds.lower.y, turned[i].height, 1e-15);
        check_close(report.bounds.upper.x - report.bounds.lower.x, 0.24, 1e-15);
    }
}

// ---- random parameters ----

static double random_number(const rblSolidParameter* parameter, uint32_t component, rblRandom* random)
{
    const double fallback = parameter->fallback[component];
    if (parameter->is_integer)
    {
        const bool is_seed = strcmp(parameter->name, "seed") == 0;
        const double most =
            is_seed ? parameter->highest : rbl_mind(parameter->highest, parameter->lowest + 24.0);
        return floor(rbl_random_range(random, parameter->lowest, most + 1.0));
    }
    const double low = rbl_maxd(parameter->lowest, 0.4 * fallback);
    const double high = rbl_mind(parameter->highest, 2.5 * fallback);
    return rbl_random_double(random) < 0.1 && parameter->lowest == 0.0 ? 0.0
                                                                       : rbl_random_range(random, low, high);
}

// Make `kind` with random numbers. What is refused must be refused as a wrong argument, with a reason.
static bool try_random(const rblSolidKind* kind, int32_t genus, rblRandom* random)
{
    double numbers[RBL_SOLID_MAX_PARAMETERS][3];
    rblSolidValue values[RBL_SOLID_MAX_PARAMETERS];
    for (uint32_t i = 0; i < kind->parameter_count; ++i)
    {
        const rblSolidParameter* parameter = &kind->parameters[i];
        for (uint32_t k = 0; k < parameter->components; ++k)
        {
            numbers[i][k] = random_number(parameter, k, random);
        }
        values[i] = (rblSolidValue){parameter->name, numbers[i], parameter->components};
    }
    rblMeshId mesh;
    const rblResult result = rbl_mesh_make(kind->name, values, kind->parameter_count, &mesh);
    if (result != RBL_OK)
    {
        assert_int_equal(result, RBL_ERROR_ARGUMENT);
        assert_int_equal(strncmp(rbl_last_error(), kind->name, strlen(kind->name)), 0);
        return false;
    }
    check_solid(kind->name, mesh, 1, genus);
    check_ok(rbl_mesh_destroy(mesh));
    return true;
}

static void random_parameters_make_solids_or_are_refused(void** state)
{
    (void)state;
    static const char* names[] = {"box",       "brick",  "sphere", "icosphere", "cylinder",
                                  "capsule",   "torus",  "plate",  "bowl",      "vase",
                                  "wineglass", "column", "rock",   "tile",      "wall"};
    rblRandom random = rbl_random_seed(20, 7);
    for (size_t i = 0; i < COUNT_OF(names); ++i)
    {
        const bool is_torus = strcmp(names[i], "torus") == 0;
        uint32_t made = 0;
        for (uint32_t trial = 0; trial < 14; ++trial)
        {
            made += try_random(kind_named(names[i]), is_torus, &random);
        }
        if (made < 4)
        {
            fail_msg("%s: only %u of 14 random settings were accepted", names[i], made);
        }
    }
}

// ---- volumes ----

static void boxes_have_the_volume_of_boxes(void** state)
{
    (void)state;
    const rblSolidValue values[] = {N3("size", 0.3, 0.7, 1.1), N3("segments", 3, 1, 5)};
    const rblMeshReport report = make_and_check("box", values, 2, 1, 0);
    check_relative(report.volume, 0.3 * 0.7 * 1.1, 1e-14);
    check_relative(report.area, 2.0 * (0.3 * 0.7 + 0.7 * 1.1 + 0.3 * 1.1), 1e-14);
    assert_int_equal(report.faces, 2 * (3 + 5 + 15));

    const rblSolidValue plain[] = {N3("size", 0.3, 0.7, 1.1), N1("bevel", 0)};
    check_relative(make_and_check("brick", plain, 2, 1, 0).volume, 0.3 * 0.7 * 1.1, 1e-14);
    check_relative(make_and_check("tile", plain, 2, 1, 0).volume, 0.3 * 0.7 * 1.1, 1e-14);
}

static void a_chamfered_brick_has_its_volume(void** state)
{
    (void)state;
    // Chamfers cut prisms of b^2 / 2 off the twelve edges between the corners, where a cube of b keeps one
    // sixth: the tetrahedron spanned by its three inner edges.
    const double b = 0.02;
    const rblVec3d s = {0.3, 0.2, 0.15};
    const rblSolidValue values[] = {N3("size", s.x, s.y, s.z), N1("bevel", b), N1("segments", 1)};
    const double edges = 4.0 * (s.x + s.y + s.z - 6.0 * b);
    const double expected = s.x * s.y * s.z - edges * b * b / 2.0 - 8.0 * b * b * b * 5.0 / 6.0;
    check_relative(make_and_check("brick", values, 3, 1, 0).volume, expected, 1e-13);

    const rblSolidValue tile[] = {N3("size", s.x, s.y, s.z), N1("bevel", b), N1("segments", 1)};
    // Below the bevel a box; above it a prismatoid (Simpson's rule is exact).
    const double lower = s.x * s.z;
    const double middle = (s.x - b) * (s.z - b);
    const double upper = (s.x - 2.0 * b) * (s.z - 2.0 * b);
    const double slab = lower * (s.y - b) + b / 6.0 * (lower + 4.0 * middle + upper);
    check_relative(make_and_check("tile", tile, 3, 1, 0).volume, slab, 1e-13);
}

static void joints_are_cut_out_of_the_wall(void** state)
{
    (void)state;
    const double width = 2.0, height = 1.0, thickness = 0.25, joint = 0.02, relief = 0.03;
    const rblSolidValue values[] = {N1("width", width), N1("height", height), N1("thickness", thickness),
                                    N1("joint", joint), N1("relief", relief), N1("courses", 5),
                                    N1("bricks", 4)};
    // Courses 0, 2, 4 have 3 joints, courses 1, 3 have 4; a course loses half a joint's height at each
    // neighbour.
    const double course = height / 5.0;
    double bricks = 0.0;
    for (uint32_t i = 0; i < 5; ++i)
    {
        const double high = course - (i == 0 || i == 4 ? 0.5 : 1.0) * joint;
        bricks += high * (width - (i % 2 == 0 ? 3.0 : 4.0) * joint);
    }
    const double expected = width * height * (thickness - 2.0 * relief) + 2.0 * relief * bricks;
    check_relative(make_and_check("wall", values, COUNT_OF(values), 1, 0).volume, expected, 1e-13);

    const rblSolidValue plain[] = {N1("relief", 0), N3("segments", 4, 3, 2)};
    check_relative(make_and_check("wall", plain, 2, 1, 0).volume, 2.0 * 1.2 * 0.2, 1e-14);
}

// ---- other shapes ----

static void columns_fit_their_flutes(void** state)
{
    (void)state;
    static const double flutes[] = {0, 8, 9, 13, 20, 24, 64};
    double plain = 0.0;
    for (size_t i = 0; i < COUNT_OF(flutes); ++i)
    {
        const rblSolidValue values[] = {N1("flutes", flutes[i]), N1("segments", 40)};
        const rblMeshReport report = make_and_check("column", values, 2, 1, 0);
        plain = i == 0 ? report.volume : plain;
        assert_true(i == 0 || report.volume < plain);
        check_close(report.bounds.upper.x, 0.2 * 1.42, 1e-15); // the square plinth
        check_close(report.bounds.upper.z, 0.2 * 1.42, 1e-15);
        check_close(report.bounds.upper.y, 2.4, 1e-15);
    }
}

static void rocks_differ_by_seed_and_stay_in_bounds(void** state)
{
    (void)state;
    double volumes[8];
    for (uint32_t seed = 0; seed < 8; ++seed)
    {
        const rblSolidValue values[] = {N1("seed", seed), N1("frequency", 9), N1("roughness", 1),
                                        N1("radius", 1), N3("stretch", 1, 1, 1)};
        const rblMeshReport report = make_and_check("rock", values, COUNT_OF(values), 1, 0);
        volumes[seed] = report.volume;
        assert_true(report.bounds.upper.x < 2.0 && report.bounds.lower.x > -2.0);
        for (uint32_t other = 0; other < seed; ++other)
        {
            assert_true(fabs(volumes[other] - volumes[seed]) > 1e-6);
        }
    }
    // Without cuts and noise it is the ball.
    const rblSolidValue ball[] = {N1("cuts", 0), N1("roughness", 0), N3("stretch", 1, 1, 1),
                                  N1("frequency", 6)};
    const rblSolidValue same[] = {N1("radius", 0.15), N1("frequency", 6)};
    check_relative(make_and_check("rock", ball, 4, 1, 0).volume,
                   make_and_check("icosphere", same, 2, 1, 0).volume, 1e-12);
}

// ---- refusals ----

static void check_refused(const char* kind, const rblSolidValue* values, uint32_t count, const char* message)
{
    rblMeshId mesh = {77, 78};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(kind, values, count, &mesh));
    assert_string_equal(rbl_last_error(), message);
    assert_int_equal(mesh.index1, 77);
    assert_int_equal(mesh.generation, 78);
}

static void unknown_names_get_a_suggestion(void** state)
{
    (void)state;
    check_refused("spere", NULL, 0, "there is no solid \"spere\"; did you mean \"sphere\"?");
    check_refused("wine-glass", NULL, 0, "there is no solid \"wine-glass\"; did you mean \"wineglass\"?");
    check_refused("elephant", NULL, 0, "there is no solid \"elephant\"");
    check_refused("", NULL, 0, "there is no solid \"\"");
    const rblSolidValue radius = N1("raduis", 1);
    check_refused("sphere", &radius, 1, "sphere has no parameter \"raduis\"; did you mean \"radius\"?");
    check_refused("box", &radius, 1, "box has no parameter \"raduis\"");
    static char endless[5000];
    memset(endless, 'x', sizeof endless - 1);
    rblMeshId mesh;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(endless, NULL, 0, &mesh));
}

static void wrong_values_are_refused_by_name(void** state)
{
    (void)state;
    const rblSolidValue short_size = {"size", (const double[]){1, 2}, 2};
    check_refused("box", &short_size, 1, "box: size takes 3 numbers, not 2");
    const rblSolidValue long_radius = N3("radius", 1, 2, 3);
    check_refused("sphere", &long_radius, 1, "sphere: radius takes 1 number, not 3");
    const rblSolidValue flat = N3("size", 1, 0, 1);
    check_refused("box", &flat, 1, "box: size is 0, must be between 0.0001 and 10000");
    const rblSolidValue not_a_number = N1("radius", (double)NAN);
    check_refused("sphere", &not_a_number, 1, "sphere: radius is nan, must be between 0.0001 and 10000");
    const rblSolidValue endless = N1("radius", (double)INFINITY);
    check_refused("sphere", &endless, 1, "sphere: radius is inf, must be between 0.0001 and 10000");
    const rblSolidValue broken = N1("frequency", 2.5);
    check_refused("icosphere", &broken, 1, "icosphere: frequency is 2.5, must be an integer");
    const rblSolidValue many = N1("frequency", 513);
    check_refused("icosphere", &many, 1, "icosphere: frequency is 513, must be between 1 and 512");
    const rblSolidValue twice[] = {N1("radius", 1), N1("radius", 1)};
    check_refused("sphere", twice, 2, "sphere: radius is given twice");
    const rblSolidValue empty = {"profile", (const double[]){0}, 0};
    check_refused("lathe", &empty, 1, "lathe: profile takes 1 to 4096 pairs of radius and height, not 0");
    const rblSolidValue endless_list = {"profile", (const double[]){0}, 4097};
    check_refused("lathe", &endless_list, 1,
                  "lathe: profile takes 1 to 4096 pairs of radius and height, not 4097");
    const rblSolidValue no_numbers = {"radius", NULL, 1};
    check_refused("sphere", &no_numbers, 1, "sphere: radius has no numbers");
    const rblSolidValue nameless = {NULL, (const double[]){1}, 1};
    check_refused("sphere", &nameless, 1, "sphere: the name of value 0 must not be null");
    rblMeshId mesh;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(NULL, NULL, 0, &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("box", NULL, 1, &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make("box", NULL, 0, NULL));
}

static void combinations_that_meet_themselves_are_refused(void** state)
{
    (void)state;
    const rblSolidValue horn[] = {N1("radius", 0.1), N1("tube", 0.1)};
    check_refused("torus", horn, 2,
                  "torus: tube must be less than radius, or the ring would meet itself on the axis");
    const rblSolidValue pill[] = {N1("radius", 0.1), N1("height", 0.19)};
    check_refused("capsule", pill, 2, "capsule: height, end to end, must be at least twice the radius");
    const rblSolidValue soft[] = {N3("size", 1, 1, 0.2), N1("bevel", 0.1)};
    check_refused("brick", soft, 2, "brick: bevel must be less than half of every side");
    check_refused("tile", (const rblSolidValue[]){N1("bevel", 0.008)}, 1,
                  "tile: bevel must be less than the thickness and half of the other two sides");
    check_refused("wall", (const rblSolidValue[]){N1("relief", 0.1)}, 1,
                  "wall: relief must be less than half the thickness");
    check_refused("wall", (const rblSolidValue[]){N1("joint", 0.1)}, 1,
                  "wall: joint must be narrower than a course is high and half a brick long");
    check_refused("vase", (const rblSolidValue[]){N1("neck", 0.09)}, 1,
                  "vase: neck must lie between thickness and radius");
    check_refused("wineglass", (const rblSolidValue[]){N1("stem", 0.02)}, 1,
                  "wineglass: stem must be less than 0.4 times radius and foot");
    check_refused("plate", (const rblSolidValue[]){N1("thickness", 0.02)}, 1,
                  "plate: height must be more than 1.75 times the thickness");
    check_refused("column", (const rblSolidValue[]){N1("height", 0.5)}, 1,
                  "column: height must be at least 4 times the radius");
    check_refused("column", (const rblSolidValue[]){N1("flutes", 7)}, 1,
                  "column: flutes must be 0, or 8 and more");
}

// ---- memory ----

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    const rblSolidValue few[] = {N1("segments", 8)};
    const rblSolidValue coarse[] = {N1("frequency", 2)};
    const struct
    {
        const char* kind;
        const rblSolidValue* values;
        uint32_t count;
    } cases[] = {{"box", NULL, 0},   {"brick", NULL, 0},  {"icosphere", coarse, 1}, {"cylinder", few, 1},
                 {"lathe", few, 1},  {"plate", few, 1},   {"wineglass", few, 1},    {"vase", few, 1},
                 {"column", few, 1}, {"rock", coarse, 1}, {"tile", NULL, 0},        {"wall", NULL, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
    {
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t granted = 0; result != RBL_OK; ++granted)
        {
            FailingAllocator memory;
            failing_allocator_start(&memory, granted);
            check_ok(rbl_set_allocator(&memory.allocator));
            rblMeshId mesh = {0, 0};
            result = rbl_mesh_make(cases[i].kind, cases[i].values, cases[i].count, &mesh);
            if (result == RBL_OK)
            {
                assert_true(granted > 4);
                check_ok(rbl_mesh_destroy(mesh));
            }
            else if (result != RBL_ERROR_MEMORY)
            {
                fail_msg("%s with %zu allocations: %s", cases[i].kind, granted, rbl_last_error());
            }
            check_ok(rbl_set_allocator(NULL));
            assert_int_equal(memory.live, 0);
        }
    }
}

// ---- determinism ----

static void every_compiler_makes_the_same_bits(void** state)
{
    (void)state;
    static const struct
    {
        const char* kind;
        uint64_t hash;
    } golden[] = {
        {"box", 0xBAF2BE66BCE76919u},    {"brick", 0xDFB156B9005683E1u}, {"icosphere", 0x31295AD2027D5A50u},
        {"torus", 0x6EA5BB04FE3B5E89u},  {"plate", 0x924472389B8CAB28u}, {"wineglass", 0x79B0B6D36D51631Au},
        {"column", 0xF724618EEEA1A1C6u}, {"rock", 0x6D1D4E95EE64C5D0u},  {"wall", 0x2BDD2127E5EE64D1u},
    };
    for (size_t i = 0; i < COUNT_OF(golden); ++i)
    {
        const uint64_t hash = hash_mesh(golden[i].kind, NULL, 0);
        if (hash != golden[i].hash)
        {
            fail_msg("%s has the hash 0x%016llXu", golden[i].kind, (unsigned long long)hash);
        }
    }
}

static void any_number_of_workers_makes_the_same_bits(void** state)
{
    (void)state;
    const rblSolidValue fine[] = {N1("frequency", 40)};
    const uint64_t alone = hash_mesh("icosphere", fine, 1);
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_set_tasks(&tasks));
    const uint64_t together = hash_mesh("icosphere", fine, 1);
    check_ok(rbl_set_tasks(NULL));
    assert_int_equal(alone, together);
}

// ---- the table and its page ----

static void check_parameter(const rblSolidKind* kind, const rblSolidParameter* parameter)
{
    assert_non_null(parameter->name);
    assert_true(parameter->help[0] != '\0' && strchr(parameter->help, '\n') == NULL);
    assert_true(parameter->components <= 3);
    assert_true(parameter->lowest < parameter->highest);
    for (uint32_t k = 0; k < parameter->components; ++k)
    {
        assert_true(parameter->fallback[k] >= parameter->lowest &&
                    parameter->fallback[k] <= parameter->highest);
    }
    assert_int_equal(parameter->components == 0, parameter->list_fallback != NULL);
    assert_int_equal(parameter->list_fallback_count % 2, 0);
    for (uint32_t i = 0; i < kind->parameter_count && &kind->parameters[i] != parameter; ++i)
    {
        assert_string_not_equal(kind->parameters[i].name, parameter->name);
    }
}

static void the_table_of_kinds_is_in_order(void** state)
{
    (void)state;
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    assert_ptr_equal(rbl_solid_kinds(NULL), kinds);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_true(kinds[i].help[0] != '\0' && strchr(kinds[i].help, '\n') == NULL);
        assert_in_range(kinds[i].parameter_count, 1, RBL_SOLID_MAX_PARAMETERS);
        for (uint32_t j = 0; j < i; ++j)
        {
            assert_string_not_equal(kinds[i].name, kinds[j].name);
        }
        for (uint32_t k = 0; k < kinds[i].parameter_count; ++k)
        {
            check_parameter(&kinds[i], &kinds[i].parameters[k]);
        }
    }
}

// One row of the page's table.
static void print_parameter(const rblSolidParameter* parameter, FILE* out)
{
    const bool is_list = parameter->components == 0;
    const double* defaults = is_list ? parameter->list_fallback : parameter->fallback;
    const uint32_t count = is_list ? parameter->list_fallback_count : parameter->components;
    char text[RBL_NUMBER_SIZE];
    fprintf(out, "| `%s` |", parameter->name);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_format_double(defaults[i], text);
        fprintf(out, "%s%s", is_list && i % 2 == 1 ? "," : " ", text);
    }
    rbl_format_double(parameter->lowest, text);
    fprintf(out, " | %s to ", text);
    rbl_format_double(parameter->highest, text);
    fprintf(out, "%s%s | %s |\n", text, parameter->is_integer ? ", whole" : "", parameter->help);
}

static void print_tables(FILE* out)
{
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    for (uint32_t i = 0; i < count; ++i)
    {
        fprintf(out, "\n### %s\n\n%c%s.\n\n", kinds[i].name, kinds[i].help[0] - 'a' + 'A', kinds[i].help + 1);
        fprintf(out, "| parameter | default | range | meaning |\n|---|---|---|---|\n");
        for (uint32_t k = 0; k < kinds[i].parameter_count; ++k)
        {
            print_parameter(&kinds[i].parameters[k], out);
        }
    }
}

// The line of `page` right after the one that starts the tables.
static bool skip_to_tables(FILE* page, char* line, size_t size)
{
    while (fgets(line, (int)size, page) != NULL)
    {
        if (strcmp(line, "<!-- tables -->\n") == 0)
        {
            return true;
        }
    }
    return false;
}

static void the_page_tells_the_truth(void** state)
{
    (void)state;
    FILE* page = fopen(RBL_TEST_DOCS "/solids.md", "r");
    FILE* truth = tmpfile();
    assert_non_null(page);
    assert_non_null(truth);
    print_tables(truth);
    rewind(truth);
    char expected[512];
    char actual[512];
    assert_true(skip_to_tables(page, actual, sizeof actual));
    while (fgets(expected, sizeof expected, truth) != NULL)
    {
        if (fgets(actual, sizeof actual, page) == NULL || strcmp(actual, expected) != 0)
        {
            fail_msg(
                "docs/solids.md says \"%s\" instead of \"%s\"; test_solids --tables prints what it must say",
                actual, expected);
        }
    }
    assert_null(fgets(actual, sizeof actual, page));
    fclose(truth);
    fclose(page);
}

int main(int argc, char** argv)
{
    if (argc > 1 && strcmp(argv[1], "--tables") == 0)
    {
        print_tables(stdout);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_a_solid_by_default),
        cmocka_unit_test(what_stands_stands_on_the_ground),
        cmocka_unit_test(heights_and_radii_are_those_asked_for),
        cmocka_unit_test(random_parameters_make_solids_or_are_refused),
        cmocka_unit_test(boxes_have_the_volume_of_boxes),
        cmocka_unit_test(a_chamfered_brick_has_its_volume),
        cmocka_unit_test(joints_are_cut_out_of_the_wall),
        cmocka_unit_test(columns_fit_their_flutes),
        cmocka_unit_test(rocks_differ_by_seed_and_stay_in_bounds),
        cmocka_unit_test(unknown_names_get_a_suggestion),
        cmocka_unit_test(wrong_values_are_refused_by_name),
        cmocka_unit_test(combinations_that_meet_themselves_are_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(every_compiler_makes_the_same_bits),
        cmocka_unit_test(any_number_of_workers_makes_the_same_bits),
        cmocka_unit_test(the_table_of_kinds_is_in_order),
        cmocka_unit_test(the_page_tells_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
