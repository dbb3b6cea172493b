// Cuts that could go wrong: surfaces on cells, degenerate and nested surfaces, bad input; and what drawn
// pieces look like.
#include "testing.h"

#include "pieces_testing.h"

// ---- solids by hand ----

typedef struct Soup
{
    rblVec3d positions[256];
    uint32_t starts[257];
    uint32_t corners[1024];
    uint32_t vertex_count, face_count;
} Soup;

static void add_face(Soup* soup, const uint32_t* corners, uint32_t count)
{
    const uint32_t start = soup->starts[soup->face_count];
    memcpy(soup->corners + start, corners, sizeof *corners * count);
    soup->face_count += 1;
    soup->starts[soup->face_count] = start + count;
}

// Six quads, outwards, or inwards for a cavity.
static void add_box(Soup* soup, rblAabbd box, bool inwards)
{
    const uint32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const uint32_t base = soup->vertex_count;
    for (uint32_t k = 0; k < 8; ++k)
    {
        soup->positions[soup->vertex_count++] =
            rbl_vec3d(k & 1 ? box.upper.x : box.lower.x, k & 2 ? box.upper.y : box.lower.y,
                      k & 4 ? box.upper.z : box.lower.z);
    }
    for (uint32_t f = 0; f < 6; ++f)
    {
        uint32_t corners[4];
        for (uint32_t k = 0; k < 4; ++k)
        {
            corners[k] = base + sides[f][inwards ? 3 - k : k];
        }
        add_face(soup, corners, 4);
    }
}

static rblAabbd cube(double x, double y, double z, double half)
{
    return (rblAabbd){{x - half, y - half, z - half}, {x + half, y + half, z + half}};
}

static rblMeshId finish(const Soup* soup)
{
    const rblMeshView view = {.vertex_count = soup->vertex_count,
                              .face_count = soup->face_count,
                              .corner_count = soup->starts[soup->face_count],
                              .positions = soup->positions,
                              .face_starts = soup->starts,
                              .corner_vertices = soup->corners};
    rblMeshId mesh;
    check_ok(rbl_mesh_create(&view, &mesh));
    return mesh;
}

// ---- cells by hand ----

static rblCells* cells_of_seeds(const rblVec3d* seeds, uint32_t count, rblAabbd box)
{
    rblVec3d gradients[64];
    double offsets[64];
    for (uint32_t i = 0; i < count; ++i)
    {
        gradients[i] = rbl_scale3d(seeds[i], -2.0);
        offsets[i] = rbl_dot3d(seeds[i], seeds[i]);
    }
    rblCells* cells;
    check_ok(rbl_cells_create(gradients, offsets, count, box, 1, rbl_serial_jobs(), rbl_default_allocator(),
                              &cells));
    return cells;
}

// n^3 cubes of the given size about the origin.
static rblCells* cells_of_grid(uint32_t n, double size, rblAabbd box)
{
    rblVec3d seeds[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n * n * n; ++i)
    {
        const double half = 0.5 * (double)(n - 1);
        seeds[count++] = rbl_vec3d(size * ((double)(i % n) - half), size * ((double)(i / n % n) - half),
                                   size * ((double)(i / n / n) - half));
    }
    return cells_of_seeds(seeds, count, box);
}

// Cut, check all pieces and their sum, and return how many there are.
static uint32_t check_cut(rblMeshId solid, rblCells* cells)
{
    const rblMeshView view = view_of(solid);
    rblPieces* pieces = cut_solid(&view, cells, NULL, rbl_serial_jobs());
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        check_piece(pieces, p, &view, false);
    }
    check_mates(pieces);
    check_tiling(pieces, solid);
    const uint32_t count = pieces->piece_count;
    rbl_pieces_free(pieces);
    rbl_cells_free(cells);
    check_ok(rbl_mesh_destroy(solid));
    return count;
}

static rblMeshId make_cube(double half)
{
    Soup soup = {.vertex_count = 0};
    add_box(&soup, cube(0, 0, 0, half), false);
    return finish(&soup);
}

// ---- where a cut could tie ----

// Faces, edges and corners of the cube on facets, edges and vertices of the cells, but for the cells' shake.
static void a_cube_that_fits_a_grid_is_tiled(void** state)
{
    (void)state;
    check_cut(make_cube(1.0), cells_of_grid(2, 1.0, cube(0, 0, 0, 3)));
    check_cut(make_cube(0.5), cells_of_grid(3, 1.0, cube(0, 0, 0, 3)));
    check_cut(make_cube(1.5), cells_of_grid(3, 1.0, cube(0, 0, 0, 3)));
    check_cut(make_cube(1.0), cells_of_grid(4, 1.0, cube(0, 0, 0, 3)));
}

// Four corners of a cube exactly where two cells meet: f is exact there, so the predicate says zero.
static void a_face_exactly_on_a_facet_is_shaken_off(void** state)
{
    (void)state;
    const rblVec3d seeds[2] = {{-0.5, 0, 0}, {0.5, 0, 0}};
    rblCells* cells = cells_of_seeds(seeds, 2, cube(0, 0, 0, 4));
    const rblCellRow row = rbl_cell_row(cells, 0, 1);
    const double x = -row.offset / row.gradient.x;
    assert_true(row.gradient.x * x + row.offset == 0.0);
    for (int side = 0; side < 3; ++side)
    {
        Soup soup = {.vertex_count = 0};
        const double from = side == 0 ? x : (side == 1 ? x - 1.0 : x - 0.5);
        add_box(&soup, (rblAabbd){{from, -1, -1}, {side == 1 ? x : from + 1.0, 1, 1}}, false);
        const rblMeshId solid = finish(&soup);
        const rblMeshView view = view_of(solid);
        rblPieces* pieces = cut_solid(&view, cells, NULL, rbl_serial_jobs());
        assert_true(pieces->piece_count <= 2);
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_piece(pieces, p, &view, false);
        }
        check_tiling(pieces, solid);
        rbl_pieces_free(pieces);
        check_ok(rbl_mesh_destroy(solid));
    }
    rbl_cells_free(cells);
}

static void triangles_without_area_are_cut_too(void** state)
{
    (void)state;
    Soup soup = {.vertex_count = 0};
    add_box(&soup, cube(0, 0, 0, 1), false);
    // The edge from 0 to 1, shared by two quads, gets a flat triangle with a vertex in the middle of it, and
    // the edge from 2 to 3 a pair of triangles with a vertex of the same position as 3.
    soup.face_count = 0;
    const uint32_t middle = soup.vertex_count, twin = middle + 1;
    soup.positions[middle] = rbl_lerp3d(soup.positions[0], soup.positions[1], 0.5);
    soup.positions[twin] = soup.positions[3];
    soup.vertex_count += 2;
    add_face(&soup, (const uint32_t[]){0, 4, 6, 2}, 4);
    add_face(&soup, (const uint32_t[]){1, 3, 7, 5}, 4);
    add_face(&soup, (const uint32_t[]){0, middle, 1, 5, 4}, 5);
    add_face(&soup, (const uint32_t[]){2, 6, 7, twin}, 4);
    add_face(&soup, (const uint32_t[]){0, 2, 3, 1}, 4);
    add_face(&soup, (const uint32_t[]){0, 1, middle}, 3);
    add_face(&soup, (const uint32_t[]){4, 5, 7, 6}, 4);
    add_face(&soup, (const uint32_t[]){2, twin, 3}, 3);
    add_face(&soup, (const uint32_t[]){3, twin, 7}, 3);
    const rblMeshId solid = finish(&soup);
    check_cut(solid, make_random_cells(5, 30, cube(0, 0, 0, 1.5), 0.3));
}

static void needles_are_cut(void** state)
{
    (void)state;
    Soup soup = {.vertex_count = 0};
    add_box(&soup, (rblAabbd){{-1, -1e-7, -1e-7}, {1, 1e-7, 1e-7}}, false);
    assert_true(check_cut(finish(&soup), make_random_cells(6, 30, cube(0, 0, 0, 1.5), 0.3)) > 2);
}

static void scale_does_not_matter(void** state)
{
    (void)state;
    const double sizes[] = {1e-30, 1e-6, 1e6, 1e30};
    uint32_t counts[4];
    for (uint32_t k = 0; k < 4; ++k)
    {
        const double s = sizes[k];
        Soup soup = {.vertex_count = 0};
        add_box(&soup, cube(0, 0, 0, s), false);
        counts[k] = check_cut(finish(&soup), make_random_cells(7, 25, cube(0, 0, 0, 1.5 * s), 0.3));
        assert_int_equal(counts[k], counts[0]);
    }
}

// ---- nesting ----

static void a_solid_in_one_cell_is_one_piece(void** state)
{
    (void)state;
    const rblVec3d seeds[2] = {{0, 0, 0}, {4, 0, 0}};
    assert_int_equal(check_cut(make_cube(1.0), cells_of_seeds(seeds, 2, cube(0, 0, 0, 3))), 1);
    assert_int_equal(check_cut(make_cube(1.0), cells_of_seeds(seeds, 1, cube(0, 0, 0, 3))), 1);
}

static void cells_inside_the_solid_become_pieces_without_surface(void** state)
{
    (void)state;
    const rblMeshId solid = make_cube(2.0);
    const rblMeshView view = view_of(solid);
    rblCells* cells = cells_of_grid(4, 1.2, cube(0, 0, 0, 3));
    rblPieces* pieces = cut_solid(&view, cells, NULL, rbl_serial_jobs());
    assert_int_equal(pieces->piece_count, 64);
    uint32_t inner = 0;
    for (uint32_t p = 0; p < 64; ++p)
    {
        const rblPiece* piece = &pieces->pieces[p];
        bool surface = piece->first_triangle < piece->end_triangle;
        for (uint32_t f = piece->first_face; f < piece->end_face; ++f)
        {
            surface = surface || pieces->faces[f].triangle != RBL_NONE;
        }
        inner += surface ? 0 : 1;
        assert_true(piece->convex);
        check_piece(pieces, p, &view, false);
    }
    assert_int_equal(inner, 8);
    rbl_pieces_free(pieces);
    rbl_cells_free(cells);
    check_ok(rbl_mesh_destroy(solid));
}

static rblMeshId make_nested(uint32_t depth)
{
    Soup soup = {.vertex_count = 0};
    for (uint32_t k = 0; k < depth; ++k)
    {
        add_box(&soup, cube(0, 0, 0, 2.0 - 0.3 * k), k % 2 != 0);
    }
    return finish(&soup);
}

static void cavities_stay_in_the_shell_around_them(void** state)
{
    (void)state;
    const rblVec3d seed = {0, 0, 0};
    assert_int_equal(check_cut(make_nested(2), cells_of_seeds(&seed, 1, cube(0, 0, 0, 3))), 1);
    assert_int_equal(check_cut(make_nested(3), cells_of_seeds(&seed, 1, cube(0, 0, 0, 3))), 2);
    assert_int_equal(check_cut(make_nested(4), cells_of_seeds(&seed, 1, cube(0, 0, 0, 3))), 2);
    check_cut(make_nested(2), make_random_cells(2, 9, cube(0, 0, 0, 3), 0.3));
    check_cut(make_nested(4), make_random_cells(3, 40, cube(0, 0, 0, 3), 0.3));
}

// Two cubes that have a face in common place, but no vertex by number; and two that overlap.
static void bodies_that_touch_stay_apart(void** state)
{
    (void)state;
    Soup soup = {.vertex_count = 0};
    add_box(&soup, cube(-0.5, 0, 0, 0.5), false);
    add_box(&soup, cube(0.5, 0, 0, 0.5), false);
    const rblVec3d seeds[2] = {{0, -1, 0.1}, {0, 1, 0}};
    assert_int_equal(check_cut(finish(&soup), cells_of_seeds(seeds, 2, cube(0, 0, 0, 3))), 4);
    check_cut(finish(&soup), make_random_cells(2, 20, cube(0, 0, 0, 3), 0.3));
}

static void bodies_that_overlap_count_twice(void** state)
{
    (void)state;
    Soup soup = {.vertex_count = 0};
    add_box(&soup, cube(-0.3, 0, 0, 0.5), false);
    add_box(&soup, cube(0.3, 0.1, 0.2, 0.5), false);
    for (uint64_t seed = 1; seed < 6; ++seed)
    {
        const rblMeshId solid = finish(&soup);
        const rblMeshView view = view_of(solid);
        rblCells* cells = make_random_cells(seed, 30, cube(0, 0, 0, 1.5), 0.3);
        rblPieces* pieces = cut_solid(&view, cells, NULL, rbl_serial_jobs());
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_closed_piece(pieces, p, &view, false, false);
        }
        check_relative(sum_volumes(pieces), 2.0, 1e-12);
        rbl_pieces_free(pieces);
        rbl_cells_free(cells);
        check_ok(rbl_mesh_destroy(solid));
    }
}

// ---- bad input ----

static rblResult try_cut(const Soup* soup, const rblCells* cells, const rblMat3d* linear)
{
    const rblMeshId solid = finish(soup);
    const rblMeshView view = view_of(solid);
    rblPieces* pieces = NULL;
    const rblResult result = rbl_cut_pieces(&view, cells, linear, rbl_vec3d(0, 0, 0), NULL, rbl_serial_jobs(),
                                            rbl_default_allocator(), &pieces);
    rbl_pieces_free(pieces);
    check_ok(rbl_mesh_destroy(solid));
    return result;
}

static void bad_surfaces_are_refused(void** state)
{
    (void)state;
    rblCells* cells = make_random_cells(2, 20, cube(0, 0, 0, 1.5), 0.3);
    Soup soup = {.vertex_count = 0};
    add_box(&soup, cube(0, 0, 0, 1), false);
    check_ok(try_cut(&soup, cells, &no_turn));
    const rblMat3d mirrored = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const rblMat3d flat = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0}};
    const rblMat3d broken = {{1, 0, 0}, {0, (double)NAN, 0}, {0, 0, 1}};
    check_fails(RBL_ERROR_ARGUMENT, try_cut(&soup, cells, &mirrored));
    check_fails(RBL_ERROR_ARGUMENT, try_cut(&soup, cells, &flat));
    check_fails(RBL_ERROR_ARGUMENT, try_cut(&soup, cells, &broken));

    Soup open = soup;
    open.face_count -= 1;
    check_fails(RBL_ERROR_GEOMETRY, try_cut(&open, cells, &no_turn));

    Soup turned = soup;
    turned.corners[0] = soup.corners[2];
    turned.corners[2] = soup.corners[0];
    check_fails(RBL_ERROR_GEOMETRY, try_cut(&turned, cells, &no_turn));

    Soup inside_out = {.vertex_count = 0};
    add_box(&inside_out, cube(0, 0, 0, 1), true);
    check_fails(RBL_ERROR_GEOMETRY, try_cut(&inside_out, cells, &no_turn));

    Soup far = {.vertex_count = 0};
    add_box(&far, cube(1, 0, 0, 1), false);
    check_fails(RBL_ERROR_GEOMETRY, try_cut(&far, cells, &no_turn));
    rbl_cells_free(cells);
}

// ---- the predicate ----

// Small integers, where 64 bits hold every determinant.
static int64_t whole_value(const rblCells* cells, uint32_t a, uint32_t b, rblVec3d p)
{
    const rblCellRow row = rbl_cell_row(cells, a, b);
    return (int64_t)(rbl_dot3d(row.gradient, p) + row.offset);
}

static int expected_side(const rblCells* cells, const rblImplicitPoint* point, uint32_t a, uint32_t b)
{
    int64_t d[3], u[3], v[3], sum = 0, weights = 0;
    for (uint32_t k = 0; k < point->corner_count; ++k)
    {
        d[k] = whole_value(cells, a, b, point->corners[k]);
        u[k] = point->corner_count > 1
                   ? whole_value(cells, point->cells[0], point->cells[1], point->corners[k])
                   : 0;
        v[k] = point->corner_count > 2
                   ? whole_value(cells, point->cells[0], point->cells[2], point->corners[k])
                   : 0;
    }
    if (point->corner_count == 1)
    {
        return d[0] < 0 ? -1 : (d[0] > 0 ? 1 : 0);
    }
    for (uint32_t k = 0; k < point->corner_count; ++k)
    {
        const uint32_t q = (k + 1) % 3, r = (k + 2) % 3;
        const int64_t w = point->corner_count == 2 ? (k == 0 ? u[1] : -u[0]) : u[q] * v[r] - u[r] * v[q];
        sum += w * d[k];
        weights += w;
    }
    const int sign = sum < 0 ? -1 : (sum > 0 ? 1 : 0);
    return weights < 0 ? -sign : (weights > 0 ? sign : 0);
}

// Whole numbers from -most to most.
static rblVec3d whole_vec3d(rblRandom* random, uint32_t most)
{
    double x[3];
    for (int k = 0; k < 3; ++k)
    {
        x[k] = (double)rbl_random_below(random, 2 * most + 1) - (double)most;
    }
    return rbl_vec3d(x[0], x[1], x[2]);
}

static void the_exact_predicate_agrees_with_whole_numbers(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(9, 1);
    rblVec3d gradients[5];
    double offsets[5];
    const rblCells cells = {.count = 5, .gradients = gradients, .offsets = offsets};
    uint32_t zeros = 0;
    for (uint32_t n = 0; n < 20000; ++n)
    {
        rblImplicitPoint point = {1 + n % 3, {{0, 0, 0}}, {0, 1, 2}};
        for (uint32_t k = 0; k < 5; ++k)
        {
            gradients[k] = whole_vec3d(&random, 4);
            offsets[k] = (double)rbl_random_below(&random, 9) - 4;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            point.corners[k] = whole_vec3d(&random, 3);
        }
        const int expected = expected_side(&cells, &point, 3, 4);
        assert_int_equal(rbl_implicit_side(&cells, &point, 3, 4), expected);
        zeros += expected == 0 ? 1 : 0;
        // The same picture at quite another scale.
        for (uint32_t k = 0; k < 5; ++k)
        {
            gradients[k] = rbl_scale3d(gradients[k], 0x1p-300);
            offsets[k] *= 0x1p-100;
            point.corners[k % 3] = k < 3 ? rbl_scale3d(point.corners[k], 0x1p200) : point.corners[k % 3];
        }
        assert_int_equal(rbl_implicit_side(&cells, &point, 3, 4), expected);
    }
    assert_true(zeros > 100 && zeros < 10000);
}

// ---- drawn pieces ----

// A UV layer that is a linear function of the position must still be one on every piece; materials and groups
// go along.
static void attributes_follow_the_cut(void** state)
{
    (void)state;
    Soup soup = {.vertex_count = 0};
    add_box(&soup, cube(0, 0, 0, 1), false);
    float uv[2 * 24], color[4 * 24], normal[3 * 24];
    for (uint32_t c = 0; c < 24; ++c)
    {
        const rblVec3d p = soup.positions[soup.corners[c]];
        memcpy(uv + 2 * (size_t)c, (float[]){(float)(p.x + 2 * p.y), (float)(p.z - p.x)}, sizeof(float[2]));
        memcpy(color + 4 * (size_t)c, (float[]){(float)p.x, (float)p.y, (float)p.z, 1.0f}, sizeof(float[4]));
        memcpy(normal + 3 * (size_t)c, (float[]){0.6f, 0.0f, 0.8f}, sizeof(float[3]));
    }
    const rblLayer layers[3] = {
        {RBL_LAYER_UV, 2, uv}, {RBL_LAYER_COLOR, 4, color}, {RBL_LAYER_NORMAL, 3, normal}};
    const uint32_t materials[6] = {0, 1, 0, 1, 0, 1}, groups[6] = {0, 0, 1, 1, 0, 0};
    const char* const material_names[2] = {"paint", "wood"};
    const char* const group_names[2] = {"low", "high"};
    const rblMeshView view = {.vertex_count = 8,
                              .face_count = 6,
                              .corner_count = 24,
                              .positions = soup.positions,
                              .face_starts = soup.starts,
                              .corner_vertices = soup.corners,
                              .layer_count = 3,
                              .layers = layers,
                              .face_materials = materials,
                              .face_groups = groups,
                              .material_count = 2,
                              .material_names = material_names,
                              .group_count = 2,
                              .group_names = group_names};
    rblCells* cells = make_random_cells(4, 20, cube(0, 0, 0, 1.5), 0.3);
    rblPieces* pieces = cut_solid(&view, cells, NULL, rbl_serial_jobs());
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        rblMeshId mesh;
        check_ok(rbl_piece_mesh(pieces, p, &view, &mesh, NULL));
        const rblMeshView piece = view_of(mesh);
        assert_int_equal(piece.layer_count, 3);
        assert_int_equal(piece.material_count, 3);
        assert_string_equal(piece.material_names[2], "crack");
        assert_string_equal(piece.material_names[1], "wood");
        for (uint32_t f = 0; f < piece.face_count; ++f)
        {
            const uint32_t origin = piece.face_origins[f];
            assert_int_equal(piece.face_materials[f], origin == RBL_NONE ? 2 : materials[origin]);
            assert_int_equal(piece.face_groups[f], origin == RBL_NONE ? 2 : groups[origin]);
            for (uint32_t c = piece.face_starts[f]; c < piece.face_starts[f + 1] && origin != RBL_NONE; ++c)
            {
                const rblVec3d at = piece.positions[piece.corner_vertices[c]];
                check_close(piece.layers[0].data[2 * (size_t)c], at.x + 2 * at.y, 1e-6);
                check_close(piece.layers[0].data[2 * (size_t)c + 1], at.z - at.x, 1e-6);
                check_close(piece.layers[1].data[4 * (size_t)c + 2], at.z, 1e-6);
                check_close(piece.layers[2].data[3 * (size_t)c], 0.6, 1e-6);
            }
        }
        check_ok(rbl_mesh_destroy(mesh));
    }
    rbl_pieces_free(pieces);
    rbl_cells_free(cells);
}

// Planar UVs in metres: distances in the plane are kept, and the normal is the face's.
static void crack_faces_have_planar_uvs_and_flat_normals(void** state)
{
    (void)state;
    const rblMeshId solid = make_solid("torus");
    const rblMeshView view = view_of(solid);
    rblCells* cells = make_random_cells(3, 12, grown(rbl_mesh_bounds(&view), 0.1), 0.3);
    rblPieces* pieces = cut_solid(&view, cells, NULL, rbl_serial_jobs());
    rblMeshId mesh;
    check_ok(rbl_piece_mesh(pieces, 0, &view, &mesh, NULL));
    const rblMeshView piece = view_of(mesh);
    uint32_t seen = 0;
    for (uint32_t f = 0; f < piece.face_count; ++f)
    {
        const uint32_t c = piece.face_starts[f];
        if (piece.face_origins[f] != RBL_NONE)
        {
            continue;
        }
        const rblVec3d a = piece.positions[piece.corner_vertices[c]];
        const rblVec3d b = piece.positions[piece.corner_vertices[c + 1]];
        const rblVec3d d = piece.positions[piece.corner_vertices[c + 2]];
        const float* t = piece.layers[0].data + 2 * (size_t)c;
        const double along[2] = {(double)(t[2] - t[0]), (double)(t[3] - t[1])};
        const double across[2] = {(double)(t[4] - t[0]), (double)(t[5] - t[1])};
        check_close(sqrt(along[0] * along[0] + along[1] * along[1]), rbl_distance3d(a, b), 1e-6);
        const rblVec3d cross = rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(d, a));
        check_close(along[0] * across[1] - along[1] * across[0], rbl_length3d(cross), 1e-6);
        const float* n = piece.layers[1].data + 3 * (size_t)c;
        const rblVec3d normal = {(double)n[0], (double)n[1], (double)n[2]};
        check_close(rbl_dot3d(cross, normal), rbl_length3d(cross), 1e-6 * rbl_length3d(cross) + 1e-12);
        seen += 1;
    }
    assert_true(seen > 0);
    check_ok(rbl_mesh_destroy(mesh));
    rbl_pieces_free(pieces);
    rbl_cells_free(cells);
    check_ok(rbl_mesh_destroy(solid));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_that_fits_a_grid_is_tiled),
        cmocka_unit_test(a_face_exactly_on_a_facet_is_shaken_off),
        cmocka_unit_test(triangles_without_area_are_cut_too),
        cmocka_unit_test(needles_are_cut),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(a_solid_in_one_cell_is_one_piece),
        cmocka_unit_test(cells_inside_the_solid_become_pieces_without_surface),
        cmocka_unit_test(cavities_stay_in_the_shell_around_them),
        cmocka_unit_test(bodies_that_touch_stay_apart),
        cmocka_unit_test(bodies_that_overlap_count_twice),
        cmocka_unit_test(bad_surfaces_are_refused),
        cmocka_unit_test(the_exact_predicate_agrees_with_whole_numbers),
        cmocka_unit_test(attributes_follow_the_cut),
        cmocka_unit_test(crack_faces_have_planar_uvs_and_flat_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
