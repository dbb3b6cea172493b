// OBJ files: what is read, what is refused and where, what comes back after writing.
#include "io_testing.h"

#include <locale.h>

#define OBJ RBL_FORMAT_OBJ

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static void a_triangle_is_read(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(OBJ, triangle, &id);
    assert_int_equal(view.vertex_count, 3);
    assert_int_equal(view.face_count, 1);
    assert_int_equal(view.corner_count, 3);
    assert_true(view.positions[1].x == 1 && view.positions[2].y == 1);
    assert_int_equal(view.corner_vertices[2], 2);
    assert_int_equal(view.layer_count, 0);
    assert_int_equal(view.material_count, 0);
    assert_int_equal(view.group_count, 0);
    check_ok(rbl_mesh_destroy(id));
}

// Every text is the same triangle.
static void the_same_triangle_in_many_spellings(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3",
        "v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
        "\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
        "# comment\n\n  v\t0  0 0 \n v 1.0 +0 -0e3\t\nv 0 1e0 .0 # with a comment\n\tf  1\t2   3  \n",
        "v 0 0 0 1\nv 1 0 0 1.0\nv 0 1 0 0.5\nf 1 2 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\n",
        "v 0 0 0\nv 1 0 0\nf 1 2 3\nv 0 1 0\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/ 2// 3/\n",
        "v 0 0 \\\n0\nv 1 \\\r\n 0 0\nv 0 1 0\nf \\\n 1 2\\\n 3\n",
        "mtllib a.mtl\ns off\nvp 1 2\nv 0 0 0\nv 1 0 0\nv 0 1 0\nfo 1 2 3\n",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3#",
        "#\\\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 00000000001 2 3\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        rblMeshId id;
        const rblMeshView view = load_text(OBJ, texts[i], &id);
        if (view.vertex_count != 3 || view.face_count != 1 || view.corner_count != 3 || view.layer_count != 0)
        {
            fail_msg("text %zu: %u vertices, %u faces, %u layers", i, view.vertex_count, view.face_count,
                     view.layer_count);
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            assert_int_equal(view.corner_vertices[k], k);
            assert_true(view.positions[k].x == (k == 1) && view.positions[k].y == (k == 2));
            assert_true(view.positions[k].z == 0);
        }
        check_ok(rbl_mesh_destroy(id));
    }
}

static void polygons_keep_their_corners(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(
        OBJ, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv .5 2 0\nf 1 2 3 4\nf 1 2 3 5 4\nf 1 2 3\nf 1 1 2\n", &id);
    static const uint32_t starts[] = {0, 4, 9, 12, 15};
    static const uint32_t corners[] = {0, 1, 2, 3, 0, 1, 2, 4, 3, 0, 1, 2, 0, 0, 1};
    assert_int_equal(view.face_count, 4);
    assert_memory_equal(view.face_starts, starts, sizeof starts);
    assert_memory_equal(view.corner_vertices, corners, sizeof corners);
    for (uint32_t f = 0; f < 4; ++f)
    {
        assert_int_equal(view.face_origins[f], f);
    }
    check_ok(rbl_mesh_destroy(id));
}

static void texture_vertices_and_normals_become_corner_layers(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view =
        load_text(OBJ,
                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.25 0.5\nvt 1\nvt 0 1 7\nvn 0 0 2\nvn 3 0 0\n"
                  "f 1 2 3\nf 1/1 2/2 3/3\nf 1//1 2//2 3//-1\nf 1/-3/1 2/2/2 3/3/1\n",
                  &id);
    assert_int_equal(view.layer_count, 2);
    const rblLayer* normals = find_layer(&view, RBL_LAYER_NORMAL, 0);
    const rblLayer* uvs = find_layer(&view, RBL_LAYER_UV, 0);
    static const float expected_uvs[12][2] = {{0, 0}, {0, 0}, {0, 0}, {0.25f, 0.5f}, {1, 0}, {0, 1},
                                              {0, 0}, {0, 0}, {0, 0}, {0.25f, 0.5f}, {1, 0}, {0, 1}};
    static const float expected_normals[12][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0},
                                                  {0, 0, 0}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0},
                                                  {1, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 0, 1}};
    assert_memory_equal(uvs->data, expected_uvs, sizeof expected_uvs);
    assert_memory_equal(normals->data, expected_normals, sizeof expected_normals);
    check_ok(rbl_mesh_destroy(id));
}

static void attributes_that_start_late_or_end_early_are_zero_elsewhere(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view =
        load_text(OBJ, "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 1 1\nf 1 2 3\nf 1 2/1 3\nf 1 2 3\n", &id);
    const rblLayer* uvs = find_layer(&view, RBL_LAYER_UV, 0);
    for (uint32_t c = 0; c < 9; ++c)
    {
        assert_true(uvs->data[2 * c] == (c == 4 ? 1.0f : 0.0f));
    }
    assert_int_equal(view.layer_count, 1);
    check_ok(rbl_mesh_destroy(id));
}

static void vertex_colours_are_decoded(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view =
        load_text(OBJ, "v 0 0 0\nv 1 0 0 1 0 0.5\nv 0 1 0 0 1 1 0.25\nv 9 9 9\nf 1 2 3\n", &id);
    const rblLayer* colors = find_layer(&view, RBL_LAYER_COLOR, 0);
    assert_non_null(colors);
    // 0.5 on a screen is ((0.5 + 0.055) / 1.055)^2.4 of the light.
    const double half = pow((0.5 + 0.055) / 1.055, 2.4);
    const double expected[12] = {1, 1, 1, 1, 1, 0, half, 1, 0, 1, 1, 0.25};
    for (int i = 0; i < 12; ++i)
    {
        check_close(colors->data[i], expected[i], 1e-7);
    }
    check_ok(rbl_mesh_destroy(id));
}

static void groups_and_materials_get_their_names(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(
        OBJ,
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nusemtl  cold glass \ng left wing\nf 1 2 3\no body\ng unused\n"
        "usemtl stone\no tail\nf 1 2 3\ng left wing\nusemtl cold glass\nf 1 2 3\ng\nf 1 2 3\n",
        &id);
    static const char* const materials[] = {"default", "cold glass", "stone", "cold glass", "cold glass"};
    static const char* const groups[] = {"default", "left wing", "tail", "left wing", "default"};
    assert_int_equal(view.material_count, 3);
    assert_int_equal(view.group_count, 3);
    for (uint32_t f = 0; f < 5; ++f)
    {
        assert_string_equal(view.material_names[view.face_materials[f]], materials[f]);
        assert_string_equal(view.group_names[view.face_groups[f]], groups[f]);
    }
    check_ok(rbl_mesh_destroy(id));
}

static void unreferenced_vertices_are_kept(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(OBJ, "v 5 5 5\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 6 6 6\nf 2 3 4\n", &id);
    assert_int_equal(view.vertex_count, 5);
    assert_true(view.positions[4].x == 6);
    check_ok(rbl_mesh_destroy(id));
}

static void what_is_not_read_is_said_in_the_log(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        const char* line;
    } cases[] = {{"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\np 1\n", "test:5: points and lines"},
                 {"cstype bezier\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ncurv 0 1 1 2\n", "test:1: free-form"},
                 {"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nfoo bar\n", "test:5: unknown statement"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        char line[512] = "";
        rbl_set_log(keep_last_line, line, RBL_LOG_WARNING);
        rblMeshId id;
        load_text(OBJ, cases[i].text, &id);
        rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
        assert_non_null(strstr(line, cases[i].line));
        check_ok(rbl_mesh_destroy(id));
    }
}

static void wrong_files_are_refused_with_the_line(void** state)
{
    (void)state;
#define THREE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    static const WrongText cases[] = {
        {"", RBL_ERROR_GEOMETRY, "test: the mesh has no faces"},
        {"v 0 0 0\n", RBL_ERROR_GEOMETRY, "no faces"},
        {"v 0 0\n" THREE, RBL_ERROR_FORMAT, "test:1: a vertex needs three coordinates"},
        {THREE "v 1 2 x\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: expected a coordinate, found 'x'"},
        {THREE "v 1 2 3x\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: expected a coordinate, found '3x'"},
        {THREE "v 1,5 2 3\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: expected a coordinate, found '1,5'"},
        {THREE "v nan 2 3\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: a coordinate is not finite"},
        {THREE "v 1 2 1e999\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: a coordinate is not finite"},
        {THREE "v 1 2 3 1 1 inf\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: a colour is not finite"},
        {THREE "vt\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: a texture vertex needs"},
        {THREE "vt 1e39\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: a number is not finite"},
        {THREE "vn 1 2\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: a normal needs three"},
        {THREE "vn 1 2 a\nf 1 2 3\n", RBL_ERROR_FORMAT, "test:4: expected a number, found 'a'"},
        {THREE "f\n", RBL_ERROR_FORMAT, "test:4: a face needs three corners"},
        {THREE "\n\nf 1 2\n", RBL_ERROR_FORMAT, "test:6: a face needs three corners"},
        {THREE "f 1 2 4\n", RBL_ERROR_FORMAT, "test:4: the face refers to number 4 of 3 vertices"},
        {THREE "f 1 2 3\nf 1 2 -4\n", RBL_ERROR_FORMAT, "test:5: the face refers to number -1 of 3 vertices"},
        {THREE "f 1 2 0\n", RBL_ERROR_FORMAT, "test:4: indices count from 1"},
        {THREE "f 1 2 -0\n", RBL_ERROR_FORMAT, "test:4: indices count from 1"},
        {THREE "f 1 2 4294967296\n", RBL_ERROR_FORMAT, "test:4: the index is out of range: '4294967296'"},
        {THREE "f 1 2 99999999999999999999999999\n", RBL_ERROR_FORMAT, "test:4: the index is out of range"},
        {THREE "f 1 2 -4294967296\n", RBL_ERROR_FORMAT, "test:4: the index is out of range"},
        {THREE "f 1 2 -2147483648\n", RBL_ERROR_FORMAT, "test:4: the index is out of range"},
        {THREE "f 1 2 -2147483647\n", RBL_ERROR_FORMAT, "test:4: the face refers to number"},
        {THREE "f 1 2 x\n", RBL_ERROR_FORMAT, "test:4: expected an index, found 'x'"},
        {THREE "f 1 2 3.5\n", RBL_ERROR_FORMAT, "test:4: expected v, v/vt, v//vn or v/vt/vn, found '3.5'"},
        {THREE "f 1/1/1/1 2 3\n", RBL_ERROR_FORMAT, "test:4: expected v, v/vt"},
        {THREE "f 1/1 2/1 3/1\n", RBL_ERROR_FORMAT,
         "test:4: the face refers to number 1 of 0 texture vertices"},
        {THREE "f 1//1 2//1 3//1\n", RBL_ERROR_FORMAT, "test:4: the face refers to number 1 of 0 normals"},
        {THREE "vt 0 0\nf 1/1 2/-2 3/1\n", RBL_ERROR_FORMAT,
         "test:5: the face refers to number -1 of 1 texture"},
        {THREE "f - 2 3\n", RBL_ERROR_FORMAT, "test:4: expected an index"},
        {THREE "f 1 2 \\ 3\n", RBL_ERROR_FORMAT, "test:4: expected an index"},
        {"\x89PNG\r\n\x1a\n", RBL_ERROR_GEOMETRY, "no faces"},
    };
    check_all_refused(OBJ, cases, sizeof cases / sizeof *cases);
    const char with_zero[] = THREE "f 1 2 3\0f 1 2 3\n";
    check_refused(OBJ, with_zero, sizeof with_zero - 1, RBL_ERROR_FORMAT, "test:4:");
}

static void non_finite_positions_are_kept_on_request(void** state)
{
    (void)state;
    const char* text = "v nan 0 0 nan 1 1\nv 1 -inf 0\nv 0 1e999 0\nvt inf 1\nf 1/1 2/1 3/1\n";
    rblMeshId id;
    check_ok(try_load(OBJ, text, strlen(text), true, &id));
    rblMeshView view;
    check_ok(rbl_mesh_view(id, &view));
    assert_true(isnan(view.positions[0].x) && isinf(view.positions[1].y) && isinf(view.positions[2].y));
    check_sound(id, false);
    const rblMeshId back = save_and_load(id, OBJ, false, true);
    check_ok(rbl_mesh_view(back, &view));
    assert_true(isnan(view.positions[0].x) && view.positions[1].y < 0 && isinf(view.positions[2].y));
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

static void a_million_names_take_no_time(void** state)
{
    (void)state;
    const size_t count = 20000;
    char* text = malloc(64 * count + 100);
    size_t length = (size_t)sprintf(text, "%s", triangle);
    for (size_t i = 0; i < count; ++i)
    {
        length += (size_t)sprintf(text + length, "g n%zu\nusemtl m%zu\nf 1 2 3\n", i, i % 100);
    }
    rblMeshId id;
    const rblMeshView view = load_view(OBJ, text, length, &id);
    free(text);
    assert_int_equal(view.group_count, count + 1);
    assert_int_equal(view.material_count, 101);
    assert_string_equal(view.group_names[view.face_groups[777]], "n776");
    check_ok(rbl_mesh_destroy(id));
}

static void one_huge_face_does_not_multiply(void** state)
{
    (void)state;
    // The first face has many corners, and many lines claim to be faces: memory must not be their product.
    const size_t count = 100000;
    char* text = malloc(8 * count + 100);
    size_t length = (size_t)sprintf(text, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf");
    for (size_t i = 0; i < count; ++i)
    {
        length += (size_t)sprintf(text + length, " %zu", i % 3 + 1);
    }
    for (size_t i = 0; i < count; ++i)
    {
        length += (size_t)sprintf(text + length, "\nf");
    }
    const size_t before = rbl_peak_bytes();
    check_refused(OBJ, text, length, RBL_ERROR_FORMAT, "test:5: a face needs three corners");
    assert_true(rbl_peak_bytes() < before + 16 * length);
    free(text);
}

static rblMeshId make_large_text_mesh(char** out, size_t* out_size)
{
    rblRandom random = rbl_random_seed(12, 1);
    const size_t capacity = (size_t)6 << 20;
    char* text = malloc(capacity);
    size_t length = 0;
    uint32_t vertices = 0;
    while (length < capacity - 2000)
    {
        const char* end = rbl_random_below(&random, 20) == 0 ? " \\\n 7\n" : " 7\n";
        const double x = rbl_random_range(&random, -1, 1);
        const double y = rbl_random_range(&random, -1, 1);
        length += (size_t)sprintf(text + length, "v %.9g %.3f%s", x, y, end);
        vertices += 1;
        if (vertices < 10)
        {
            continue;
        }
        switch (rbl_random_below(&random, 6))
        {
        case 0:
            length += (size_t)sprintf(text + length, "vt 0.5 %u\nf -1/-1 -2 -3\n", vertices % 10);
            break;
        case 1:
            length += (size_t)sprintf(text + length, "vn %u 0 1\nf 1//-1 2 %u//-1 -5\n", vertices % 10,
                                      vertices / 2);
            break;
        case 2:
            length += (size_t)sprintf(text + length, "g group%u\n", vertices % 7);
            break;
        case 3:
            length += (size_t)sprintf(text + length, "usemtl m%u\nf %u %u %u\n", vertices % 5, vertices,
                                      vertices - 1, vertices - 9);
            break;
        case 4:
            length += (size_t)sprintf(text + length, "v 1 2 3 0.5 0.25 %u\n", vertices % 2);
            vertices += 1;
            break;
        default:
            length += (size_t)sprintf(text + length, "f %u %u %u\n", vertices, vertices - 1, vertices - 2);
            break;
        }
    }
    *out = text;
    *out_size = length;
    rblMeshId id;
    load_view(OBJ, text, length, &id);
    return id;
}

static void the_mesh_does_not_depend_on_the_number_of_workers(void** state)
{
    (void)state;
    char* text;
    size_t size;
    const rblMeshId serial = make_large_text_mesh(&text, &size);
    rblMeshView a;
    check_ok(rbl_mesh_view(serial, &a));
    for (uint32_t workers = 2; workers <= 5; workers += 3)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        rblMeshId id;
        const rblMeshView b = load_view(OBJ, text, size, &id);
        check_ok(rbl_set_tasks(NULL));
        check_same_surface(&a, &b);
        check_same_names(&a, &b);
        assert_int_equal(a.layer_count, 3);
        assert_int_equal(b.layer_count, 3);
        for (uint32_t i = 0; i < 3; ++i)
        {
            assert_memory_equal(a.layers[i].data, b.layers[i].data,
                                a.corner_count * a.layers[i].components * sizeof(float));
        }
        check_ok(rbl_mesh_destroy(id));
    }
    // A wrong line in the middle is the same error, at the same line.
    memcpy(text + size / 2, "\nf 1 2\n", 7);
    check_refused(OBJ, text, size, RBL_ERROR_FORMAT, "test:");
    char message[512];
    snprintf(message, sizeof message, "%s", rbl_last_error());
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_set_tasks(&tasks));
    check_refused(OBJ, text, size, RBL_ERROR_FORMAT, message);
    check_ok(rbl_set_tasks(NULL));
    check_ok(rbl_mesh_destroy(serial));
    free(text);
}

static void what_is_written_reads_back(void** state)
{
    (void)state;
    static const unsigned extras[] = {0,
                                      EXTRA_SMOOTH_NORMALS,
                                      EXTRA_CORNER_NORMALS,
                                      EXTRA_SMOOTH_UVS,
                                      EXTRA_CORNER_UVS,
                                      EXTRA_NAMES,
                                      EXTRA_SMOOTH_COLORS,
                                      EXTRA_SMOOTH_UVS | EXTRA_CORNER_NORMALS,
                                      EXTRA_CORNER_UVS | EXTRA_SMOOTH_NORMALS | EXTRA_SMOOTH_COLORS |
                                          EXTRA_NAMES};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; ++i)
    {
        const rblMeshId id = make_random_mesh(100 + i, extras[i], 3, 6);
        const rblMeshId back = save_and_load(id, OBJ, false, false);
        rblMeshView a;
        rblMeshView b;
        check_ok(rbl_mesh_view(id, &a));
        check_ok(rbl_mesh_view(back, &b));
        check_same_surface(&a, &b);
        assert_int_equal(a.layer_count, b.layer_count);
        for (uint32_t k = 0; k < a.layer_count; ++k)
        {
            const double tolerance = a.layers[k].kind == RBL_LAYER_UV ? 0 : 3e-7;
            check_same_layer(&a, &b, a.layers[k].kind, 0, tolerance);
        }
        check_same_names(&a, &b);
        check_ok(rbl_mesh_destroy(id));
        check_ok(rbl_mesh_destroy(back));
    }
}

static void what_does_not_fit_is_left_out_with_a_warning(void** state)
{
    (void)state;
    char line[512] = "";
    rbl_set_log(keep_last_line, line, RBL_LOG_WARNING);
    const rblMeshId id = make_random_mesh(3, EXTRA_CORNER_COLORS, 3, 3);
    const rblMeshId back = save_and_load(id, OBJ, false, false);
    assert_non_null(strstr(line, "colours"));
    const rblMeshId two = make_random_mesh(3, EXTRA_CORNER_UVS | EXTRA_SECOND_UVS, 3, 3);
    const rblMeshId two_back = save_and_load(two, OBJ, false, false);
    assert_non_null(strstr(line, "UV"));
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    rblMeshView view;
    check_ok(rbl_mesh_view(back, &view));
    assert_int_equal(view.layer_count, 0);
    check_ok(rbl_mesh_view(two_back, &view));
    assert_int_equal(view.layer_count, 1);
    const rblMeshId all[] = {id, back, two, two_back};
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_mesh_destroy(all[i]));
    }
}

static void awkward_names_survive_or_are_made_harmless(void** state)
{
    (void)state;
    static const char* const names[] = {"", "a\nb", "ends in \\", "tab\there", "x#y", "two  blanks"};
    static const char* const expected[] = {"default", "a_b", "ends in _", "tab_here", "x#y", "two  blanks"};
    const rblVec3d positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t starts[] = {0, 3, 6, 9, 12, 15, 18};
    const uint32_t corners[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    const uint32_t numbers[] = {0, 1, 2, 3, 4, 5};
    const rblMeshView view = {.vertex_count = 3,
                              .face_count = 6,
                              .corner_count = 18,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners,
                              .face_materials = numbers,
                              .face_groups = numbers,
                              .material_count = 6,
                              .material_names = names};
    rblMeshId id;
    check_ok(rbl_mesh_create(&view, &id));
    const rblMeshId back = save_and_load(id, OBJ, false, false);
    rblMeshView b;
    check_ok(rbl_mesh_view(back, &b));
    for (uint32_t f = 0; f < 6; ++f)
    {
        assert_string_equal(b.material_names[b.face_materials[f]], expected[f]);
    }
    // Groups had numbers but no names: the numbers are the names then.
    assert_string_equal(b.group_names[b.face_groups[5]], "5");
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

static const char everything[] =
    "# all of it\nmtllib x.mtl\no thing\nv 0 0 0 1 0 0\nv 1.5 0 0 0 1 0\nv 0 1e-3 0\nv 0 0 \\\n1\n"
    "vt 0 0\nvt 1 0.5\nvn 0 0 1\nvn 1 0 0\ng a b\nusemtl m\ns 1\nf 1/1/1 2/2/2 3/-1/-1\n"
    "f 1//1 3//2 4//1\nusemtl n\nf -1 -2 -3 -4\nl 1 2\n";

static void every_prefix_loads_or_fails_cleanly(void** state)
{
    (void)state;
    check_every_prefix(OBJ, everything, sizeof everything - 1);
}

static void damaged_files_load_or_fail_cleanly(void** state)
{
    (void)state;
    check_mutations(OBJ, everything, sizeof everything - 1, 1, 4000);
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    check_load_without_memory(OBJ, everything, sizeof everything - 1);
    check_save_without_memory(OBJ, everything, sizeof everything - 1, OBJ, false);
}

static void the_locale_changes_nothing(void** state)
{
    (void)state;
    const bool found = setlocale(LC_ALL, "de_DE.UTF-8") != NULL || setlocale(LC_ALL, "fr_FR.UTF-8") != NULL;
    const rblMeshId id = make_random_mesh(8, EXTRA_CORNER_UVS, 3, 4);
    const rblMeshId back = save_and_load(id, OBJ, false, false);
    setlocale(LC_ALL, "C");
    if (!found)
    {
        print_message("no locale with a decimal comma is installed\n");
    }
    rblMeshView a;
    rblMeshView b;
    check_ok(rbl_mesh_view(id, &a));
    check_ok(rbl_mesh_view(back, &b));
    check_same_surface(&a, &b);
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_is_read),
        cmocka_unit_test(the_same_triangle_in_many_spellings),
        cmocka_unit_test(polygons_keep_their_corners),
        cmocka_unit_test(texture_vertices_and_normals_become_corner_layers),
        cmocka_unit_test(attributes_that_start_late_or_end_early_are_zero_elsewhere),
        cmocka_unit_test(vertex_colours_are_decoded),
        cmocka_unit_test(groups_and_materials_get_their_names),
        cmocka_unit_test(unreferenced_vertices_are_kept),
        cmocka_unit_test(what_is_not_read_is_said_in_the_log),
        cmocka_unit_test(wrong_files_are_refused_with_the_line),
        cmocka_unit_test(non_finite_positions_are_kept_on_request),
        cmocka_unit_test(a_million_names_take_no_time),
        cmocka_unit_test(one_huge_face_does_not_multiply),
        cmocka_unit_test(the_mesh_does_not_depend_on_the_number_of_workers),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_does_not_fit_is_left_out_with_a_warning),
        cmocka_unit_test(awkward_names_survive_or_are_made_harmless),
        cmocka_unit_test(every_prefix_loads_or_fails_cleanly),
        cmocka_unit_test(damaged_files_load_or_fail_cleanly),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(the_locale_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
