// Dual contouring of a cube in every rotation: sound, close to it, with its edges and corners in place.
#include "testing.h"

#include "base/random.h"
#include "isosurface_checks.h"
#include "math/vec.h"
#include "rotations.h"
#include <string.h>

typedef struct Cube
{
    rblMat3d axes; // unit columns
    rblVec3d center;
    double half;
} Cube;

static double at(rblVec3d v, int i)
{
    return i == 0 ? v.x : (i == 1 ? v.y : v.z);
}

static rblVec3d to_cube(const Cube* cube, rblVec3d p)
{
    const rblVec3d d = rbl_sub3d(p, cube->center);
    return (rblVec3d){rbl_dot3d(cube->axes.cx, d), rbl_dot3d(cube->axes.cy, d), rbl_dot3d(cube->axes.cz, d)};
}

static rblVec3d from_cube(const Cube* cube, rblVec3d q)
{
    rblVec3d p = rbl_mul_add3d(cube->center, q.x, cube->axes.cx);
    p = rbl_mul_add3d(p, q.y, cube->axes.cy);
    return rbl_mul_add3d(p, q.z, cube->axes.cz);
}

// Signed distance.
static double cube_field(rblVec3d p, void* context)
{
    const Cube* cube = context;
    const rblVec3d q = to_cube(cube, p);
    const rblVec3d d = {fabs(q.x) - cube->half, fabs(q.y) - cube->half, fabs(q.z) - cube->half};
    const double inner = fmax(d.x, fmax(d.y, d.z));
    return inner <= 0 ? inner : rbl_length3d(rbl_max3d(d, (rblVec3d){0, 0, 0}));
}

static rblVec3d cube_gradient(rblVec3d p, void* context)
{
    const Cube* cube = context;
    const rblVec3d q = to_cube(cube, p);
    int axis = 0;
    for (int i = 1; i < 3; ++i)
    {
        axis = fabs(at(q, i)) > fabs(at(q, axis)) ? i : axis;
    }
    const rblVec3d normal = axis == 0 ? cube->axes.cx : (axis == 1 ? cube->axes.cy : cube->axes.cz);
    return rbl_scale3d(normal, at(q, axis) > 0 ? 3.0 : -3.0); // any length will do
}

static Cube random_cube(rblRandom* random)
{
    Cube cube = {.axes = random_rotation(random), .half = rbl_random_range(random, 0.35, 0.5)};
    cube.center = (rblVec3d){rbl_random_range(random, -0.1, 0.1), rbl_random_range(random, -0.1, 0.1),
                             rbl_random_range(random, -0.1, 0.1)};
    return cube;
}

// ---- distance to a mesh: triangles sorted into the cells of the grid ----

#define CELLS 24
#define STEP  (2.0 / CELLS) // on -1 .. 1

typedef struct Bins
{
    const rblMeshView* view; // triangles
    uint32_t* starts;        // CELLS^3 + 1
    uint32_t* triangles;
} Bins;

static int bin_of(double x)
{
    const double cell = floor((x + 1) / STEP);
    return cell < 0 ? 0 : (cell > CELLS - 1 ? CELLS - 1 : (int)cell);
}

static rblVec3d triangle_point(const rblMeshView* view, uint32_t triangle, uint32_t i)
{
    return view->positions[view->corner_vertices[3 * triangle + i]];
}

// Call `visit` for every bin that the triangle's bounds touch.
static void for_bins(Bins* bins, uint32_t triangle, void (*visit)(Bins*, uint32_t bin, uint32_t triangle))
{
    rblVec3d low = triangle_point(bins->view, triangle, 0), high = low;
    for (uint32_t i = 1; i < 3; ++i)
    {
        low = rbl_min3d(low, triangle_point(bins->view, triangle, i));
        high = rbl_max3d(high, triangle_point(bins->view, triangle, i));
    }
    for (int z = bin_of(low.z); z <= bin_of(high.z); ++z)
    {
        for (int y = bin_of(low.y); y <= bin_of(high.y); ++y)
        {
            for (int x = bin_of(low.x); x <= bin_of(high.x); ++x)
            {
                visit(bins, (uint32_t)((z * CELLS + y) * CELLS + x), triangle);
            }
        }
    }
}

static void count_in_bin(Bins* bins, uint32_t bin, uint32_t triangle)
{
    (void)triangle;
    bins->starts[bin + 1] += 1;
}

static void put_in_bin(Bins* bins, uint32_t bin, uint32_t triangle)
{
    bins->triangles[bins->starts[bin]++] = triangle;
}

static Bins make_bins(const rblMeshView* view)
{
    const uint32_t count = CELLS * CELLS * CELLS;
    Bins bins = {.view = view, .starts = calloc(count + 1, sizeof(uint32_t))};
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        for_bins(&bins, f, count_in_bin);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        bins.starts[i + 1] += bins.starts[i];
    }
    bins.triangles = malloc(sizeof(uint32_t) * bins.starts[count]);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        for_bins(&bins, f, put_in_bin);
    }
    memmove(bins.starts + 1, bins.starts, sizeof(uint32_t) * count);
    bins.starts[0] = 0;
    return bins;
}

static double segment_distance(rblVec3d p, rblVec3d a, rblVec3d b)
{
    const rblVec3d ab = rbl_sub3d(b, a);
    const double length2 = rbl_dot3d(ab, ab);
    const double t = length2 > 0 ? rbl_clampd(rbl_dot3d(rbl_sub3d(p, a), ab) / length2, 0, 1) : 0;
    return rbl_distance3d(p, rbl_mul_add3d(a, t, ab));
}

static double triangle_distance(rblVec3d p, rblVec3d a, rblVec3d b, rblVec3d c)
{
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a));
    const bool within = rbl_dot3d(rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(p, a)), normal) >= 0 &&
                        rbl_dot3d(rbl_cross3d(rbl_sub3d(c, b), rbl_sub3d(p, b)), normal) >= 0 &&
                        rbl_dot3d(rbl_cross3d(rbl_sub3d(a, c), rbl_sub3d(p, c)), normal) >= 0;
    if (within)
    {
        return fabs(rbl_dot3d(rbl_sub3d(p, a), normal)) / rbl_length3d(normal);
    }
    return fmin(segment_distance(p, a, b), fmin(segment_distance(p, b, c), segment_distance(p, c, a)));
}

// Right when it is below one cell, otherwise just large; any value up to `enough` when it is below that.
static double distance_to_mesh(const Bins* bins, rblVec3d p, double enough)
{
    const int low[3] = {bin_of(p.x - STEP), bin_of(p.y - STEP), bin_of(p.z - STEP)};
    const int high[3] = {bin_of(p.x + STEP), bin_of(p.y + STEP), bin_of(p.z + STEP)};
    double best = 1e9;
    for (int z = low[2]; z <= high[2]; ++z)
    {
        for (int y = low[1]; y <= high[1]; ++y)
        {
            const uint32_t row = (uint32_t)((z * CELLS + y) * CELLS);
            const uint32_t end = bins->starts[row + (uint32_t)high[0] + 1];
            for (uint32_t i = bins->starts[row + (uint32_t)low[0]]; i < end && best > enough; ++i)
            {
                const uint32_t t = bins->triangles[i];
                best = fmin(best, triangle_distance(p, triangle_point(bins->view, t, 0),
                                                    triangle_point(bins->view, t, 1),
                                                    triangle_point(bins->view, t, 2)));
            }
        }
    }
    return best;
}

// Farthest that a vertex or the middle of a triangle is from the cube's surface, in cells.
static double mesh_to_cube(const rblMeshView* view, Cube* cube)
{
    double worst = 0;
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        worst = fmax(worst, fabs(cube_field(view->positions[v], cube)));
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const rblVec3d sum = rbl_add3d(triangle_point(view, f, 0),
                                       rbl_add3d(triangle_point(view, f, 1), triangle_point(view, f, 2)));
        worst = fmax(worst, fabs(cube_field(rbl_scale3d(sum, 1.0 / 3), cube)));
    }
    return worst / STEP;
}

// The other way: points on the cube's faces, edges and corners, about two to a cell.
static double cube_to_mesh(const rblMeshView* view, const Cube* cube)
{
    const int n = 2 * (int)ceil(2 * cube->half / STEP);
    const Bins bins = make_bins(view);
    double worst = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int i = 0; i <= n; ++i)
        {
            for (int j = 0; j <= n; ++j)
            {
                const double u = cube->half * (2.0 * i / n - 1), v = cube->half * (2.0 * j / n - 1);
                for (int side = -1; side <= 1; side += 2)
                {
                    const double w = side * cube->half;
                    const rblVec3d q = axis == 0 ? (rblVec3d){w, u, v}
                                                 : (axis == 1 ? (rblVec3d){v, w, u} : (rblVec3d){u, v, w});
                    worst = fmax(worst, distance_to_mesh(&bins, from_cube(cube, q), worst));
                }
            }
        }
    }
    free(bins.starts);
    free(bins.triangles);
    return worst / STEP;
}

// ---- what a cell sees of the cube ----

typedef struct Seen
{
    bool face[6]; // 2 * axis + (1 for the positive side)
    int count;
} Seen;

static rblVec3d node(int x, int y, int z)
{
    return (rblVec3d){-1 + x * STEP, -1 + y * STEP, -1 + z * STEP};
}

// The face of the cube through which the segment from a point inside to one outside leaves.
static int exit_face(const Cube* cube, rblVec3d inner, rblVec3d outer)
{
    const rblVec3d a = to_cube(cube, inner), b = to_cube(cube, outer);
    double first = 2;
    int face = -1;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double rise = at(b, axis) - at(a, axis);
        const double t = ((rise > 0 ? cube->half : -cube->half) - at(a, axis)) / rise;
        if (rise != 0 && t < first)
        {
            first = t;
            face = 2 * axis + (rise > 0);
        }
    }
    return face;
}

static Seen see_cube(Cube* cube, const int cell[3])
{
    Seen seen = {0};
    for (int corner = 0; corner < 8; ++corner)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            const int other = corner ^ 1 << axis;
            const rblVec3d a =
                node(cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2));
            const rblVec3d b =
                node(cell[0] + (other & 1), cell[1] + (other >> 1 & 1), cell[2] + (other >> 2));
            if (cube_field(a, cube) < 0 && cube_field(b, cube) >= 0)
            {
                const int face = exit_face(cube, a, b);
                seen.count += !seen.face[face];
                seen.face[face] = true;
            }
        }
    }
    return seen;
}

// Does the line of the cube's edge, within the edge, pass through the cell?
static bool edge_in_cell(rblVec3d a, rblVec3d b, const int cell[3])
{
    double enter = 0, leave = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double low = -1 + cell[axis] * STEP, high = low + STEP;
        const double rise = at(b, axis) - at(a, axis);
        const double t0 = (low - at(a, axis)) / rise, t1 = (high - at(a, axis)) / rise;
        enter = fmax(enter, fmin(t0, t1));
        leave = fmin(leave, fmax(t0, t1));
    }
    return enter < leave;
}

typedef struct FeatureCount
{
    int edges, corners;
} FeatureCount;

// A vertex alone in a cell that sees two faces lies on their edge; one that sees three lies at the corner, if the edge or
// the corner is in the cell.
static void check_feature(Cube* cube, const int cell[3], rblVec3d vertex, FeatureCount* checked)
{
    const Seen seen = see_cube(cube, cell);
    rblVec3d low = {-cube->half, -cube->half, -cube->half}, high = {cube->half, cube->half, cube->half};
    double* ends[2] = {&low.x, &high.x};
    for (int axis = 0; axis < 3; ++axis)
    {
        if (seen.face[2 * axis] && seen.face[2 * axis + 1])
        {
            return; // opposite faces have no edge
        }
        if (seen.face[2 * axis] || seen.face[2 * axis + 1])
        {
            const double w = seen.face[2 * axis] ? -cube->half : cube->half;
            ends[0][axis] = w;
            ends[1][axis] = w;
        }
    }
    const rblVec3d a = from_cube(cube, low), b = from_cube(cube, high);
    if (seen.count == 2 && edge_in_cell(a, b, cell))
    {
        checked->edges += 1;
        check_close(segment_distance(vertex, a, b) / STEP, 0, 0.01);
    }
    if (seen.count == 3 && bin_of(a.x) == cell[0] && bin_of(a.y) == cell[1] && bin_of(a.z) == cell[2])
    {
        checked->corners += 1;
        check_close(rbl_distance3d(vertex, a) / STEP, 0, 0.01);
    }
}

// Vertices of cells keep off their sides; those in the middle of a cut quad lie on an edge of the grid.
static bool is_on_grid_edge(rblVec3d p)
{
    int on_plane = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const double x = (at(p, axis) + 1) / STEP;
        on_plane += fabs(x - floor(x + 0.5)) < 1e-6;
    }
    return on_plane == 2;
}

static void check_features(const rblMeshView* view, Cube* cube, FeatureCount* checked)
{
    static int count[CELLS][CELLS][CELLS];
    memset(count, 0, sizeof count);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        count[bin_of(p.z)][bin_of(p.y)][bin_of(p.x)] += !is_on_grid_edge(p);
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        const int cell[3] = {bin_of(p.x), bin_of(p.y), bin_of(p.z)};
        if (count[cell[2]][cell[1]][cell[0]] == 1 && !is_on_grid_edge(p))
        {
            check_feature(cube, cell, p, checked);
        }
    }
}

static void dual_contouring_keeps_a_cube_in_every_rotation(void** state)
{
    (void)state;
    const int rotations = LONG_RUN ? 1000 : 60;
    rblRandom random = rbl_random_seed(2002, 1);
    FeatureCount checked = {0};
    double outward = 0, inward = 0;
    int in_parts = 0;
    for (int i = 0; i < rotations; ++i)
    {
        Cube cube = random_cube(&random);
        rblIsosurfaceDef def = make_def(cube_field, &cube, CELLS);
        def.gradient = i % 2 == 0 ? NULL : cube_gradient;
        const rblMeshId mesh = extract(&def);
        const rblMeshReport report = check_sound(mesh);
        assert_true(report.genus == 0 && report.outward);
        in_parts += report.components >
                    1; // a node alone in the tip of a corner, joined to the rest between nodes only
        rblMeshId triangles;
        rblMeshView view;
        check_ok(rbl_mesh_triangulate(mesh, &triangles));
        check_ok(rbl_mesh_view(triangles, &view));
        outward = fmax(outward, mesh_to_cube(&view, &cube));
        inward = fmax(inward, cube_to_mesh(&view, &cube));
        assert_true(outward < 0.6 && inward < 0.6);
        check_features(&view, &cube, &checked);
        check_ok(rbl_mesh_destroy(mesh));
        check_ok(rbl_mesh_destroy(triangles));
    }
    print_message("mesh to cube %.3f, cube to mesh %.3f cells; %d edge and %d corner cells in %d rotations\n",
                  outward, inward, checked.edges, checked.corners, rotations);
    assert_true(in_parts <= rotations / 500);
    assert_true(checked.edges > 50 * rotations && checked.corners > rotations);
}

// Faces exactly on nodes: the field there equals the level, which counts as outside.
static void a_cube_on_the_grid_is_itself(void** state)
{
    (void)state;
    Cube cube = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}, 0.5};
    for (int method = RBL_DUAL_CONTOURING; method <= RBL_SURFACE_NETS; ++method)
    {
        rblIsosurfaceDef def = make_def(cube_field, &cube, 16);
        def.method = (rblIsosurfaceMethod)method;
        const rblMeshId mesh = extract(&def);
        const rblMeshReport report = check_sound(mesh);
        check_close(report.volume, 1, method == RBL_DUAL_CONTOURING ? 1e-4 : 0.15);
        assert_true(method == RBL_SURFACE_NETS || report.faces == 6 * 7 * 7); // all quads are flat
        check_ok(rbl_mesh_destroy(mesh));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dual_contouring_keeps_a_cube_in_every_rotation),
        cmocka_unit_test(a_cube_on_the_grid_is_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
