#include "report.h"

#include "print.h"
#include <math.h>
#include <string.h>

typedef enum Element
{
    ELEMENT_NONE,
    ELEMENT_VERTEX,
    ELEMENT_EDGE, // the examples are corners: the edge leaves there
    ELEMENT_FACE,
    ELEMENT_FACE_PAIR
} Element;

typedef struct Problem
{
    const char* kind; // in JSON
    const char* one;  // in words
    const char* many;
    Element element;
    rblDefect defect;
} Problem;

#define MAX_PROBLEMS 10

static void add_problem(Problem* problems, uint32_t* count, const Problem* problem)
{
    if (problem->defect.count > 0)
    {
        problems[(*count)++] = *problem;
    }
}

// What is wrong, in the order in which one would mend it.
static uint32_t list_problems(const MeshFacts* facts, Problem problems[MAX_PROBLEMS])
{
    const rblMeshReport* r = &facts->report;
    const bool inward = r->closed && r->manifold && r->oriented && !r->outward;
    const Problem all[MAX_PROBLEMS] = {
        {"non-finite-vertices", "vertex whose position is not a number",
         "vertices whose position is not a number", ELEMENT_VERTEX, facts->non_finite_vertices},
        {"isolated-vertices", "vertex that no face uses", "vertices that no face uses", ELEMENT_VERTEX,
         r->isolated_vertices},
        {"degenerate-faces", "face without area", "faces without area", ELEMENT_FACE, r->degenerate_faces},
        {"duplicate-faces", "face that repeats another", "faces that repeat another", ELEMENT_FACE,
         r->duplicate_faces},
        {"non-manifold-edges", "edge of more than two faces", "edges of more than two faces", ELEMENT_EDGE,
         r->non_manifold_edges},
        {"non-manifold-vertices", "vertex where several surfaces touch",
         "vertices where several surfaces touch", ELEMENT_VERTEX, r->non_manifold_vertices},
        {"misoriented-edges", "edge whose faces run the same way", "edges whose faces run the same way",
         ELEMENT_EDGE, r->misoriented_edges},
        {"boundary-edges", "edge of one face only: a hole or a border",
         "edges of one face only: holes or borders", ELEMENT_EDGE, r->boundary_edges},
        {"inside-out",
         "surface that faces inward",
         "surfaces that face inward",
         ELEMENT_NONE,
         {.count = inward ? 1 : 0}},
        {"self-intersections", "pair of triangles that cut each other",
         "pairs of triangles that cut each other", ELEMENT_FACE_PAIR, r->self_intersections},
    };
    uint32_t count = 0;
    for (uint32_t i = 0; i < MAX_PROBLEMS; ++i)
    {
        add_problem(problems, &count, &all[i]);
    }
    return count;
}

static uint32_t example_count(const Problem* problem)
{
    if (problem->element == ELEMENT_NONE)
    {
        return 0;
    }
    return problem->defect.count < RBL_EXAMPLE_COUNT ? problem->defect.count : RBL_EXAMPLE_COUNT;
}

// The vertex at the other end of the edge that leaves a corner.
static uint32_t edge_end(const rblMeshView* view, uint32_t corner)
{
    uint32_t low = 0;
    uint32_t high = view->face_count;
    while (high - low > 1)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (view->face_starts[middle] <= corner)
        {
            low = middle;
        }
        else
        {
            high = middle;
        }
    }
    const uint32_t next = corner + 1 < view->face_starts[low + 1] ? corner + 1 : view->face_starts[low];
    return view->corner_vertices[next];
}

// One or two indices that name the place; returns how many.
static uint32_t example_indices(const MeshFacts* facts, const Problem* problem, uint32_t example,
                                uint32_t out[2])
{
    out[0] = problem->defect.examples[example];
    if (problem->element == ELEMENT_EDGE)
    {
        const uint32_t corner = out[0];
        out[0] = facts->view.corner_vertices[corner];
        out[1] = edge_end(&facts->view, corner);
        return 2;
    }
    if (problem->element == ELEMENT_FACE_PAIR)
    {
        out[0] = facts->report.intersecting_faces[example][0];
        out[1] = facts->report.intersecting_faces[example][1];
        return 2;
    }
    return 1;
}

static void count_non_finite(const rblMeshView* view, rblDefect* out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        if (rbl_finite3d(view->positions[v]))
        {
            continue;
        }
        if (out->count < RBL_EXAMPLE_COUNT)
        {
            out->examples[out->count] = v;
        }
        ++out->count;
    }
}

rblResult report_complete(rblMeshId mesh, const rblMeshReport* report, double density, MeshFacts* out)
{
    RBL_TRY(rbl_mesh_view(mesh, &out->view));
    out->report = *report;
    out->density = density;
    count_non_finite(&out->view, &out->non_finite_vertices);
    const rblResult result = rbl_mesh_mass_properties(mesh, density, &out->mass);
    out->has_mass = result == RBL_OK;
    return result == RBL_ERROR_MEMORY ? result : RBL_OK;
}

rblResult report_gather(rblMeshId mesh, bool self_intersections, double density, MeshFacts* out)
{
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = self_intersections;
    rblMeshReport report;
    RBL_TRY(rbl_mesh_inspect(mesh, &options, &report));
    out->looked_for_intersections = self_intersections;
    return report_complete(mesh, &report, density, out);
}

static void print_count(FILE* out, const char* label, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)count);
    print_line(out, label, text);
}

static void print_measure(FILE* out, const char* label, double value, const char* unit)
{
    char number[RBL_NUMBER_SIZE];
    char text[RBL_NUMBER_SIZE + 16];
    print_number(value, 6, number);
    snprintf(text, sizeof text, "%s %s", number, unit);
    print_line(out, label, text);
}

static void print_yes_no(FILE* out, const char* label, bool value)
{
    print_line(out, label, value ? "yes" : "no");
}

static void print_bounds(FILE* out, const rblAabbd* bounds)
{
    char lower[PRINT_VECTOR_SIZE];
    char upper[PRINT_VECTOR_SIZE];
    char text[2 * PRINT_VECTOR_SIZE + 16];
    print_vector(bounds->lower, lower);
    print_vector(bounds->upper, upper);
    snprintf(text, sizeof text, "(%s) to (%s) m", lower, upper);
    print_line(out, "bounds", text);
}

static double drop_noise(double value, double scale)
{
    return fabs(value) < 1e-12 * scale ? 0.0 : value;
}

// For people, the rounding errors of products of inertia that should be 0 are noise.
static rblMat3d readable_inertia(const rblMassProperties* mass)
{
    const double scale = mass->moments.z;
    const rblMat3d* m = &mass->inertia;
    return (rblMat3d){{drop_noise(m->cx.x, scale), drop_noise(m->cx.y, scale), drop_noise(m->cx.z, scale)},
                      {drop_noise(m->cy.x, scale), drop_noise(m->cy.y, scale), drop_noise(m->cy.z, scale)},
                      {drop_noise(m->cz.x, scale), drop_noise(m->cz.y, scale), drop_noise(m->cz.z, scale)}};
}

static void print_mass(FILE* out, const MeshFacts* facts)
{
    if (!facts->has_mass)
    {
        print_line(out, "mass", "none: not a closed, oriented surface with a volume");
        return;
    }
    const rblMassProperties* mass = &facts->mass;
    char vector[PRINT_VECTOR_SIZE];
    char text[PRINT_VECTOR_SIZE + 32];
    print_measure(out, "mass", mass->mass, "kg");
    print_vector(mass->center, vector);
    snprintf(text, sizeof text, "(%s) m", vector);
    print_line(out, "center", text);
    static const char* const labels[3] = {"inertia", "", ""};
    const rblMat3d inertia = readable_inertia(mass);
    const rblVec3d columns[3] = {inertia.cx, inertia.cy, inertia.cz};
    for (uint32_t i = 0; i < 3; ++i)
    {
        print_vector(columns[i], vector);
        snprintf(text, sizeof text, "(%s)%s", vector, i == 2 ? " kg m^2" : "");
        print_line(out, labels[i], text);
    }
    print_vector(mass->moments, vector);
    snprintf(text, sizeof text, "(%s) kg m^2", vector);
    print_line(out, "principal moments", text);
}

static void print_problem(FILE* out, const MeshFacts* facts, const Problem* problem, const char* label)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%u %s", problem->defect.count,
                          problem->defect.count == 1 ? problem->one : problem->many);
    for (uint32_t i = 0; i < example_count(problem); ++i)
    {
        uint32_t indices[2];
        const bool pair = example_indices(facts, problem, i, indices) == 2;
        length += snprintf(text + length, sizeof text - (size_t)length, pair ? "%s%u-%u" : "%s%u",
                           i == 0 ? " (" : ", ", indices[0], indices[1]);
    }
    if (example_count(problem) > 0)
    {
        snprintf(text + length, sizeof text - (size_t)length, "%s)",
                 problem->defect.count > RBL_EXAMPLE_COUNT ? ", ..." : "");
    }
    print_line(out, label, text);
}

static void print_problems(FILE* out, const MeshFacts* facts)
{
    Problem problems[MAX_PROBLEMS];
    const uint32_t count = list_problems(facts, problems);
    if (count == 0)
    {
        print_line(out, "problems",
                   facts->looked_for_intersections ? "none" : "none (self-intersections not looked for)");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        print_problem(out, facts, &problems[i], i == 0 ? "problems" : "");
    }
}

void report_print(FILE* out, const MeshFacts* facts)
{
    const rblMeshReport* report = &facts->report;
    print_count(out, "vertices", report->vertices);
    print_count(out, "faces", report->faces);
    print_count(out, "triangles", report->triangles);
    print_yes_no(out, "closed", report->closed);
    print_yes_no(out, "manifold", report->manifold);
    print_yes_no(out, "oriented", report->oriented);
    print_count(out, "components", report->components);
    if (report->genus >= 0)
    {
        print_count(out, "genus", (uint64_t)report->genus);
    }
    print_bounds(out, &report->bounds);
    print_measure(out, "area", report->area, "m^2");
    if (report->closed && report->oriented)
    {
        print_measure(out, "volume", report->volume, "m^3");
    }
    print_mass(out, facts);
    print_problems(out, facts);
}

static void write_problem(rblJsonWriter* writer, const MeshFacts* facts, const Problem* problem)
{
    static const char* const elements[] = {"none", "vertex", "edge", "face", "faces"};
    rbl_json_begin_object(writer);
    rbl_json_key(writer, "kind");
    rbl_json_string(writer, problem->kind);
    rbl_json_key(writer, "count");
    rbl_json_unsigned(writer, problem->defect.count);
    rbl_json_key(writer, "element");
    rbl_json_string(writer, elements[problem->element]);
    rbl_json_key(writer, "examples");
    rbl_json_begin_row(writer);
    for (uint32_t i = 0; i < example_count(problem); ++i)
    {
        uint32_t indices[2];
        const bool pair = example_indices(facts, problem, i, indices) == 2;
        if (pair)
        {
            rbl_json_begin_row(writer);
        }
        rbl_json_unsigned(writer, indices[0]);
        if (pair)
        {
            rbl_json_unsigned(writer, indices[1]);
            rbl_json_end_array(writer);
        }
    }
    rbl_json_end_array(writer);
    rbl_json_end_object(writer);
}

static void write_counts(rblJsonWriter* writer, const MeshFacts* facts)
{
    const rblMeshReport* report = &facts->report;
    rbl_json_key(writer, "vertices");
    rbl_json_unsigned(writer, report->vertices);
    rbl_json_key(writer, "faces");
    rbl_json_unsigned(writer, report->faces);
    rbl_json_key(writer, "triangles");
    rbl_json_unsigned(writer, report->triangles);
    rbl_json_key(writer, "closed");
    rbl_json_bool(writer, report->closed);
    rbl_json_key(writer, "manifold");
    rbl_json_bool(writer, report->manifold);
    rbl_json_key(writer, "oriented");
    rbl_json_bool(writer, report->oriented);
    rbl_json_key(writer, "outward");
    rbl_json_bool(writer, report->outward);
    rbl_json_key(writer, "components");
    rbl_json_unsigned(writer, report->components);
    rbl_json_key(writer, "genus");
    if (report->genus >= 0)
    {
        rbl_json_signed(writer, report->genus);
    }
    else
    {
        rbl_json_null(writer);
    }
}

static void write_attributes(rblJsonWriter* writer, const rblMeshView* view)
{
    uint32_t layers[RBL_LAYER_KIND_COUNT] = {0};
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        ++layers[view->layers[i].kind];
    }
    rbl_json_key(writer, "attributes");
    rbl_json_begin_object(writer);
    rbl_json_key(writer, "normals");
    rbl_json_unsigned(writer, layers[RBL_LAYER_NORMAL]);
    rbl_json_key(writer, "uvs");
    rbl_json_unsigned(writer, layers[RBL_LAYER_UV]);
    rbl_json_key(writer, "colors");
    rbl_json_unsigned(writer, layers[RBL_LAYER_COLOR]);
    rbl_json_key(writer, "materials");
    rbl_json_unsigned(writer, view->material_count);
    rbl_json_key(writer, "groups");
    rbl_json_unsigned(writer, view->group_count);
    rbl_json_end_object(writer);
}

static void write_mass(rblJsonWriter* writer, const MeshFacts* facts)
{
    const rblMassProperties* mass = &facts->mass;
    rbl_json_key(writer, "density");
    rbl_json_number(writer, facts->density);
    static const char* const keys[] = {"mass", "center", "inertia", "principalMoments"};
    for (uint32_t i = 0; !facts->has_mass && i < 4; ++i)
    {
        rbl_json_key(writer, keys[i]);
        rbl_json_null(writer);
    }
    if (!facts->has_mass)
    {
        return;
    }
    rbl_json_key(writer, keys[0]);
    rbl_json_number(writer, mass->mass);
    rbl_json_key(writer, keys[1]);
    json_vector(writer, mass->center);
    rbl_json_key(writer, keys[2]);
    rbl_json_begin_array(writer);
    json_vector(writer, mass->inertia.cx);
    json_vector(writer, mass->inertia.cy);
    json_vector(writer, mass->inertia.cz);
    rbl_json_end_array(writer);
    rbl_json_key(writer, keys[3]);
    json_vector(writer, mass->moments);
}

void report_write_json(rblJsonWriter* writer, const MeshFacts* facts)
{
    const rblMeshReport* report = &facts->report;
    write_counts(writer, facts);
    rbl_json_key(writer, "volume");
    rbl_json_number(writer, report->volume);
    rbl_json_key(writer, "area");
    rbl_json_number(writer, report->area);
    rbl_json_key(writer, "bounds");
    rbl_json_begin_array(writer);
    json_vector(writer, report->bounds.lower);
    json_vector(writer, report->bounds.upper);
    rbl_json_end_array(writer);
    write_mass(writer, facts);
    write_attributes(writer, &facts->view);
    rbl_json_key(writer, "selfIntersections");
    if (facts->looked_for_intersections)
    {
        rbl_json_unsigned(writer, report->self_intersections.count);
    }
    else
    {
        rbl_json_null(writer);
    }
    rbl_json_key(writer, "problems");
    rbl_json_begin_array(writer);
    Problem problems[MAX_PROBLEMS];
    const uint32_t count = list_problems(facts, problems);
    for (uint32_t i = 0; i < count; ++i)
    {
        write_problem(writer, facts, &problems[i]);
    }
    rbl_json_end_array(writer);
}
