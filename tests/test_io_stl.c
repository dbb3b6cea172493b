// STL files: text and binary told apart, corners welded, hostile counts.
#include "io_testing.h"

#define STL RBL_FORMAT_STL

static const char triangle[] =
    "solid part\nfacet normal 0 0 1\n outer loop\n  vertex 0 0 0\n  vertex 1 0 0\n  vertex 0 1 0\n"
    " endloop\nendfacet\nendsolid part\n";

typedef struct Binary
{
    unsigned char bytes[4096];
    size_t size;
} Binary;

static void begin_binary(Binary* file, const char* header, uint32_t count)
{
    *file = (Binary){.size = 84};
    memcpy(file->bytes, header, strlen(header));
    for (int i = 0; i < 4; ++i)
    {
        file->bytes[80 + i] = (unsigned char)(count >> (8 * i));
    }
}

static void add_triangle(Binary* file, const float corners[9])
{
    const float normal[3] = {(float)NAN, 0, 0};
    memcpy(file->bytes + file->size, normal, 12);
    memcpy(file->bytes + file->size + 12, corners, 36);
    file->bytes[file->size + 48] = 0xAB;
    file->size += 50;
}

static const float first[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float second[9] = {1, 0, -0.0f, 1, 1, 0, 0, 1, 0};

static void equal_corners_become_one_vertex(void** state)
{
    (void)state;
    Binary file;
    begin_binary(&file, "binary", 2);
    add_triangle(&file, first);
    add_triangle(&file, second);
    rblMeshId id;
    const rblMeshView view = load_view(STL, file.bytes, file.size, &id);
    static const uint32_t corners[] = {0, 1, 2, 1, 3, 2};
    assert_int_equal(view.vertex_count, 4);
    assert_int_equal(view.face_count, 2);
    assert_memory_equal(view.corner_vertices, corners, sizeof corners);
    assert_true(view.positions[3].x == 1 && view.positions[3].y == 1);
    assert_int_equal(view.group_count, 0);
    assert_int_equal(view.layer_count, 0);
    check_ok(rbl_mesh_destroy(id));
}

static void binary_files_that_begin_with_solid_are_binary(void** state)
{
    (void)state;
    static const char* const headers[] = {"solid", "solid part", "solid facet",
                                          "solid x\nfacet normal 0 0 1\n", ""};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
    {
        Binary file;
        begin_binary(&file, headers[i], 1);
        add_triangle(&file, first);
        rblMeshId id;
        const rblMeshView view = load_view(STL, file.bytes, file.size, &id);
        assert_int_equal(view.face_count, 1);
        check_ok(rbl_mesh_destroy(id));
    }
    // With bytes behind the triangles the size no longer settles it; what follows the first line does.
    Binary file;
    begin_binary(&file, "solid part", 1);
    add_triangle(&file, first);
    file.size += 7;
    char line[512] = "";
    rbl_set_log(keep_last_line, line, RBL_LOG_WARNING);
    rblMeshId id;
    const rblMeshView view = load_view(STL, file.bytes, file.size, &id);
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_int_equal(view.face_count, 1);
    assert_non_null(strstr(line, "what follows the 1 triangles"));
    check_ok(rbl_mesh_destroy(id));
}

static void the_same_triangle_in_many_spellings(void** state)
{
    (void)state;
    static const char* const texts[] = {
        triangle,
        "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
        "0\nendloop\nendfacet\nendsolid",
        "\n\nSOLID PART\r\nFACET NORMAL 0 0 1\r\nOUTER LOOP\r\nVERTEX 0 0 0\r\nVERTEX 1 0 0\r\nVERTEX 0 1 "
        "0\r\nENDLOOP\r\n"
        "ENDFACET\r\nENDSOLID\r\n",
        "solid x\n facet normal -nan(ind) 1.#QNAN nan outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1e0 -0 "
        "endloop endfacet",
        "\xEF\xBB\xBFsolid x\rfacet normal 0 0 1\router loop\rvertex 0 0 0\rvertex 1 0 0\rvertex 0 1 "
        "0\rendloop\rendfacet\r",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        rblMeshId id;
        const rblMeshView view = load_text(STL, texts[i], &id);
        assert_int_equal(view.vertex_count, 3);
        assert_int_equal(view.face_count, 1);
        assert_int_equal(view.group_count, 1);
        assert_true(view.positions[1].x == 1 && view.positions[2].y == 1 && view.positions[2].z == 0);
        check_ok(rbl_mesh_destroy(id));
    }
}

static void solids_become_groups(void** state)
{
    (void)state;
#define FACET "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
    rblMeshId id;
    const rblMeshView view = load_text(STL,
                                       "solid left wing \n" FACET FACET "endsolid left wing\nsolid\n" FACET
                                       "endsolid\nsolid left wing\n" FACET "endsolid",
                                       &id);
    assert_int_equal(view.face_count, 4);
    assert_int_equal(view.vertex_count, 3);
    assert_int_equal(view.group_count, 2);
    static const char* const names[] = {"left wing", "left wing", "default", "left wing"};
    for (uint32_t f = 0; f < 4; ++f)
    {
        assert_string_equal(view.group_names[view.face_groups[f]], names[f]);
    }
    check_ok(rbl_mesh_destroy(id));
}

static void wrong_files_are_refused_with_the_place(void** state)
{
    (void)state;
    static const WrongText cases[] = {
        {"", RBL_ERROR_FORMAT, "test: byte 0: the file is too short"},
        {"hello", RBL_ERROR_FORMAT, "test: byte 5: the file is too short"},
        {"solid", RBL_ERROR_GEOMETRY, "test: the mesh has no faces"},
        {"solid a\nendsolid a\n", RBL_ERROR_GEOMETRY, "no faces"},
        {"solid a\nfacet\n", RBL_ERROR_FORMAT, "expected facet normal"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", RBL_ERROR_FORMAT,
         "test:2: the file ends within this facet"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\n",
         RBL_ERROR_FORMAT, "test:2: a facet has 2 corners"},
        {"solid a\nfacet normal 0 0 1\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 "
         "0\nendloop\nendfacet\n",
         RBL_ERROR_FORMAT, "test:2: a facet has 4 corners"},
        {"solid a\nendfacet\n", RBL_ERROR_FORMAT, "test:2: "},
        {"solid a\nfacet normal 0 0 1\nfacet normal 0 0 1\n", RBL_ERROR_FORMAT,
         "test:2: a facet without endfacet"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 x 0\n", RBL_ERROR_FORMAT,
         "test:4: expected a coordinate, found 'x'"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", RBL_ERROR_FORMAT,
         "test:5: expected a coordinate, found ''"},
        {"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 inf 0\n", RBL_ERROR_FORMAT,
         "test:4: a coordinate is not finite"},
        {"solid a\nvertex 0 0 0\n", RBL_ERROR_FORMAT, "test:2: expected facet or endsolid, found 'vertex'"},
        {"solid a\nfacet normal 0 0 1\nendsolid\n", RBL_ERROR_FORMAT, "test:3: expected outer loop"},
    };
    check_all_refused(STL, cases, sizeof cases / sizeof *cases);
    Binary file;
    begin_binary(&file, "x", 4000000000u);
    add_triangle(&file, first);
    const size_t before = rbl_peak_bytes();
    check_refused(STL, file.bytes, file.size, RBL_ERROR_FORMAT,
                  "test: byte 80: the header gives 4000000000 triangles, but the file has 1");
    assert_true(rbl_peak_bytes() < before + 10000);
    begin_binary(&file, "x", 0);
    check_refused(STL, file.bytes, file.size, RBL_ERROR_GEOMETRY, "no faces");
    begin_binary(&file, "x", 1);
    const float bad[9] = {0, 0, 0, 1, (float)INFINITY, 0, 0, 1, 0};
    add_triangle(&file, bad);
    check_refused(STL, file.bytes, file.size, RBL_ERROR_FORMAT, "test: byte 108: a coordinate is not finite");
    rblMeshId id;
    check_ok(try_load(STL, file.bytes, file.size, true, &id));
    check_ok(rbl_mesh_destroy(id));
}

static void positions_with_equal_hashes_do_not_hang(void** state)
{
    (void)state;
    // A regular grid of small integers: most bits of every coordinate are zero.
    const size_t count = 40000;
    unsigned char* bytes = calloc(84 + 50 * count, 1);
    memcpy(bytes + 80, &(uint32_t){(uint32_t)count}, 4);
    for (size_t i = 0; i < count; ++i)
    {
        const float x = (float)(i % 200);
        const float y = (float)(i / 200);
        const float corners[9] = {x, y, 0, x + 1, y, 0, x, y + 1, 0};
        memcpy(bytes + 84 + 50 * i + 12, corners, 36);
    }
    rblMeshId id;
    const rblMeshView view = load_view(STL, bytes, 84 + 50 * count, &id);
    free(bytes);
    assert_int_equal(view.vertex_count, 201 * 201 - 1);
    check_ok(rbl_mesh_destroy(id));
}

// The corners of two meshes, by position, rounded to float or not.
static void check_same_corners(const rblMeshView* a, const rblMeshView* b, bool as_floats)
{
    assert_int_equal(a->corner_count, b->corner_count);
    for (uint32_t c = 0; c < a->corner_count; ++c)
    {
        const rblVec3d p = a->positions[a->corner_vertices[c]];
        const rblVec3d q = b->positions[b->corner_vertices[c]];
        const double expected[3] = {as_floats ? (double)(float)p.x : p.x,
                                    as_floats ? (double)(float)p.y : p.y,
                                    as_floats ? (double)(float)p.z : p.z};
        assert_true(q.x == expected[0] && q.y == expected[1] && q.z == expected[2]);
    }
}

static void what_is_written_reads_back(void** state)
{
    (void)state;
    for (int text = 0; text < 2; ++text)
    {
        const rblMeshId id = make_random_mesh(9, EXTRA_NAMES, 3, 3);
        const rblMeshId back = save_and_load(id, STL, text, false);
        rblMeshView a;
        rblMeshView b;
        check_ok(rbl_mesh_view(id, &a));
        check_ok(rbl_mesh_view(back, &b));
        check_same_corners(&a, &b, text == 0);
        for (uint32_t f = 0; text == 1 && f < a.face_count; ++f)
        {
            assert_string_equal(a.group_names[a.face_groups[f]], b.group_names[b.face_groups[f]]);
        }
        check_ok(rbl_mesh_destroy(id));
        check_ok(rbl_mesh_destroy(back));
    }
}

static void polygons_are_written_as_triangles(void** state)
{
    (void)state;
    char line[512] = "";
    rbl_set_log(keep_last_line, line, RBL_LOG_WARNING);
    const rblMeshId id = make_random_mesh(10, EXTRA_CORNER_UVS, 4, 6);
    const rblMeshId back = save_and_load(id, STL, false, false);
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_non_null(strstr(line, "STL"));
    rblMeshView a;
    rblMeshView b;
    check_ok(rbl_mesh_view(id, &a));
    check_ok(rbl_mesh_view(back, &b));
    assert_int_equal(b.face_count, a.corner_count - 2 * a.face_count);
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

static void binary_normals_point_outwards(void** state)
{
    (void)state;
    rblMeshId id;
    load_text(STL, triangle, &id);
    const rblSaveOptions options = save_options(STL, false);
    void* bytes;
    size_t size;
    check_ok(rbl_mesh_save_memory(id, &options, &bytes, &size));
    assert_int_equal(size, 134);
    float normal[3];
    memcpy(normal, (char*)bytes + 84, sizeof normal);
    assert_true(normal[0] == 0 && normal[1] == 0 && normal[2] == 1);
    rbl_free_saved(bytes, size);
    check_ok(rbl_mesh_destroy(id));
}

static void positions_beyond_floats_need_the_text_form(void** state)
{
    (void)state;
    rblMeshId id;
    load_text(STL,
              "solid a\nfacet normal 0 0 1\nouter loop\nvertex 1e300 0 0\nvertex 1 0 0\nvertex 0 1 "
              "0\nendloop\nendfacet\n",
              &id);
    rblSaveOptions options = save_options(STL, false);
    void* bytes;
    size_t size;
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_save_memory(id, &options, &bytes, &size));
    const rblMeshId back = save_and_load(id, STL, true, false);
    rblMeshView view;
    check_ok(rbl_mesh_view(back, &view));
    assert_true(view.positions[0].x == 1e300);
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

static void make_two(Binary* file)
{
    begin_binary(file, "solid binary", 2);
    add_triangle(file, first);
    add_triangle(file, second);
}

static void every_prefix_loads_or_fails_cleanly(void** state)
{
    (void)state;
    Binary file;
    make_two(&file);
    check_every_prefix(STL, triangle, sizeof triangle - 1);
    check_every_prefix(STL, file.bytes, file.size);
}

static void damaged_files_load_or_fail_cleanly(void** state)
{
    (void)state;
    Binary file;
    make_two(&file);
    check_mutations(STL, triangle, sizeof triangle - 1, 1, 3000);
    check_mutations(STL, file.bytes, file.size, 2, 3000);
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    Binary file;
    make_two(&file);
    check_load_without_memory(STL, triangle, sizeof triangle - 1);
    check_load_without_memory(STL, file.bytes, file.size);
    check_save_without_memory(STL, triangle, sizeof triangle - 1, STL, true);
    check_save_without_memory(STL, triangle, sizeof triangle - 1, STL, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_corners_become_one_vertex),
        cmocka_unit_test(binary_files_that_begin_with_solid_are_binary),
        cmocka_unit_test(the_same_triangle_in_many_spellings),
        cmocka_unit_test(solids_become_groups),
        cmocka_unit_test(wrong_files_are_refused_with_the_place),
        cmocka_unit_test(positions_with_equal_hashes_do_not_hang),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(polygons_are_written_as_triangles),
        cmocka_unit_test(binary_normals_point_outwards),
        cmocka_unit_test(positions_beyond_floats_need_the_text_form),
        cmocka_unit_test(every_prefix_loads_or_fails_cleanly),
        cmocka_unit_test(damaged_files_load_or_fail_cleanly),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
