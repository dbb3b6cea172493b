// OFF files: the family of headers, comments anywhere, colours in either notation, hostile counts.
#include "io_testing.h"

#define OFF RBL_FORMAT_OFF

static const char triangle[] = "OFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

static void the_same_triangle_in_many_spellings(void** state)
{
    (void)state;
    static const char* const texts[] = {
        triangle,
        "OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2",
        "OFF\r\n3 1 0\r\n0 0 0\r\n1 0 0\r\n0 1 0\r\n3 0 1 2\r\n",
        "# first\n  OFF # kind\n\n# counts\n 3 1 # no edges\n0 0 0 # a\n\n1 0 0\n# between\n0 1 0\n 3  0\t1 "
        "2 # face\n# last",
        "3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "\xEF\xBB\xBFOFF\n3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n",
        "OFF\n3 1 3\n0 0 0 9 9 9\n1 0 0\n0 1 0\n3 0 1 2 5\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        rblMeshId id;
        const rblMeshView view = load_text(OFF, texts[i], &id);
        assert_int_equal(view.vertex_count, 3);
        assert_int_equal(view.face_count, 1);
        assert_int_equal(view.layer_count, 0);
        for (uint32_t k = 0; k < 3; ++k)
        {
            assert_int_equal(view.corner_vertices[k], k);
            assert_true(view.positions[k].x == (k == 1) && view.positions[k].y == (k == 2));
        }
        check_ok(rbl_mesh_destroy(id));
    }
}

static void attributes_follow_the_keyword(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view =
        load_text(OFF,
                  "STCNOFF\n3 1 0\n0 0 0 0 0 2 255 0 0 255 0.25 0.5\n1 0 0 1 0 0 0.0 1.0 0.0 1 0\n"
                  "0 1 0 0 1 0 0 0 255 0 1 1\n3 2 1 0\n",
                  &id);
    assert_int_equal(view.layer_count, 3);
    static const float normals[] = {0, 1, 0, 1, 0, 0, 0, 0, 1};
    static const float uvs[] = {1, 1, 1, 0, 0.25f, 0.5f};
    static const float colors[] = {0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0, 1};
    assert_memory_equal(find_layer(&view, RBL_LAYER_NORMAL, 0)->data, normals, sizeof normals);
    assert_memory_equal(find_layer(&view, RBL_LAYER_UV, 0)->data, uvs, sizeof uvs);
    assert_memory_equal(find_layer(&view, RBL_LAYER_COLOR, 0)->data, colors, sizeof colors);
    check_ok(rbl_mesh_destroy(id));
    const rblMeshView plain =
        load_text(OFF, "STOFF\n3 1 0\n0 0 0 .5 1\n1 0 0 0 0\n0 1 0 1 1\n3 0 1 2\n", &id);
    assert_int_equal(plain.layer_count, 1);
    assert_true(plain.layers[0].data[0] == 0.5f && plain.layers[0].data[1] == 1.0f);
    check_ok(rbl_mesh_destroy(id));
}

static void face_colours_go_to_the_corners(void** state)
{
    (void)state;
    rblMeshId id;
    const rblMeshView view = load_text(OFF,
                                       "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 1 2\n3 0 1 3 255 0 0\n3 "
                                       "0 2 3 0.0 1.0 0.0 0.5\n4 0 1 2 3 7\n",
                                       &id);
    assert_int_equal(view.layer_count, 1);
    const float* colors = view.layers[0].data;
    assert_true(colors[0] == 0 && colors[12] == 1 && colors[15] == 1);
    assert_true(colors[24] == 0 && colors[25] == 1 && colors[27] == 0.5f && colors[36] == 0);
    check_ok(rbl_mesh_destroy(id));
}

static void wrong_files_are_refused_with_the_line(void** state)
{
    (void)state;
    static const WrongText cases[] = {
        {"", RBL_ERROR_FORMAT, "expected OFF, found ''"},
        {"hello\n", RBL_ERROR_FORMAT, "test:1: expected OFF, found 'hello'"},
        {"OFFX\n", RBL_ERROR_FORMAT, "test:1: expected OFF"},
        {"OFF BINARY\n", RBL_ERROR_UNSUPPORTED, "test:1: binary OFF files are not supported"},
        {"4OFF\n3 1 0\n", RBL_ERROR_FORMAT, "test:1:"},
        {"C4OFF\n3 1 0\n", RBL_ERROR_UNSUPPORTED, "test:1: only three-dimensional"},
        {"nOFF\n3 1 0\n", RBL_ERROR_UNSUPPORTED, "test:1: only three-dimensional"},
        {"OFF\n", RBL_ERROR_FORMAT, "expected the numbers of vertices and faces"},
        {"OFF\n3\n", RBL_ERROR_FORMAT, "test:2: expected the numbers of vertices and faces"},
        {"OFF\n3 1.5 0\n", RBL_ERROR_FORMAT, "test:2: expected the numbers"},
        {"OFF\n-3 1 0\n", RBL_ERROR_FORMAT, "test:2: expected the numbers"},
        {"OFF\n4000000000 4000000000 0\n0 0 0\n", RBL_ERROR_FORMAT, "test:2: the file is too short"},
        {"OFF\n99999999999999999999999 1 0\n0 0 0\n", RBL_ERROR_FORMAT, "test:2: the file is too short"},
        {"OFF\n0 0 0\n", RBL_ERROR_GEOMETRY, "test: the mesh has no faces"},
        {"OFF\n3 1 0\n0 0\n1 0 0 0 0 0 0 0 0 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:3: a vertex needs three coordinates"},
        {"OFF\n3 1 0\n0 0 0\n1 x 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:4: expected a number, found 'x'"},
        {"OFF\n3 1 0\n0 0 0\n1 0,5 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:4: expected a number, found '0,5'"},
        {"OFF\n3 1 0\n0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:4: a coordinate is not finite"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", RBL_ERROR_FORMAT,
         "test:6: the face refers to vertex 3 of 3"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", RBL_ERROR_FORMAT,
         "test:6: expected the index of a vertex, found '-1'"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", RBL_ERROR_FORMAT,
         "test:6: expected the index of a vertex"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1 2 3\n", RBL_ERROR_FORMAT,
         "test:6: a face needs three corners"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n4 0 1 2\n", RBL_ERROR_FORMAT,
         "test:6: the face gives 4 corners, but the line has 3"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n99999999999 0 1 2\n", RBL_ERROR_FORMAT,
         "test:6: the face gives 99999999999 corners"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\nx 0 1 2\n", RBL_ERROR_FORMAT,
         "test:6: expected the number of corners"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0         \n", RBL_ERROR_FORMAT, "the file ends after 0 of 1 faces"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n#             \n", RBL_ERROR_FORMAT,
         "the file ends after 2 of 3 vertices"},
        {"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 a\n", RBL_ERROR_FORMAT,
         "test:6: expected a number, found 'a'"},
        {"NOFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT, "test:3: 3 numbers are too few"},
        {"COFF\n3 1 0\n0 0 0 1\n1 0 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT, "test:3: 4 numbers"},
        {"NOFF\n3 1 0\n0 0 0 1e39 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", RBL_ERROR_FORMAT,
         "test:3: an attribute is not finite"},
    };
    check_all_refused(OFF, cases, sizeof cases / sizeof *cases);
}

static void non_finite_positions_are_kept_on_request(void** state)
{
    (void)state;
    const char* text = "NOFF\n3 1 0\nnan 0 0 inf 0 0\n1 -inf 0 0 0 1\n0 1 0 0 1 0\n3 0 1 2\n";
    rblMeshId id;
    check_ok(try_load(OFF, text, strlen(text), true, &id));
    check_sound(id, false);
    const rblMeshId back = save_and_load(id, OFF, false, true);
    rblMeshView view;
    check_ok(rbl_mesh_view(back, &view));
    assert_true(isnan(view.positions[0].x) && isinf(view.positions[1].y));
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

static void what_is_written_reads_back(void** state)
{
    (void)state;
    static const unsigned extras[] = {0, EXTRA_SMOOTH_NORMALS, EXTRA_SMOOTH_UVS, EXTRA_SMOOTH_COLORS,
                                      EXTRA_SMOOTH_NORMALS | EXTRA_SMOOTH_UVS | EXTRA_SMOOTH_COLORS};
    for (size_t i = 0; i < sizeof extras / sizeof *extras; ++i)
    {
        const rblMeshId id = make_random_mesh(100 + i, extras[i], 3, 6);
        const rblMeshId back = save_and_load(id, OFF, false, false);
        rblMeshView a;
        rblMeshView b;
        check_ok(rbl_mesh_view(id, &a));
        check_ok(rbl_mesh_view(back, &b));
        check_same_surface(&a, &b);
        assert_int_equal(a.layer_count, b.layer_count);
        for (uint32_t k = 0; k < a.layer_count; ++k)
        {
            const rblLayerKind kind = a.layers[k].kind;
            const double tolerance = kind == RBL_LAYER_UV       ? 0
                                     : kind == RBL_LAYER_NORMAL ? 2e-7
                                                                : 2.4 / 1.055 / 510;
            check_same_layer(&a, &b, kind, 0, tolerance);
        }
        check_ok(rbl_mesh_destroy(id));
        check_ok(rbl_mesh_destroy(back));
    }
}

static void what_does_not_fit_is_left_out_with_a_warning(void** state)
{
    (void)state;
    char line[512] = "";
    rbl_set_log(keep_last_line, line, RBL_LOG_WARNING);
    const rblMeshId id = make_random_mesh(3, EXTRA_CORNER_UVS | EXTRA_SMOOTH_NORMALS, 3, 3);
    const rblMeshId back = save_and_load(id, OFF, false, false);
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
    assert_non_null(strstr(line, "OFF"));
    rblMeshView view;
    check_ok(rbl_mesh_view(back, &view));
    assert_int_equal(view.layer_count, 1);
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

static const char everything[] =
    "STCNOFF # all\n4 2 6\n0 0 0 0 0 1 255 0 0 .1 .2\n1 0 0 0 1 0 0.5 1 0 1 .3 .4\n"
    "0 1e-2 0 1 0 0 1 2 3 4 1 0\n0 0 1 0 0 1 0 0 0 0 1\n3 0 1 2\n4 0 1 2 3 255 0 0\n";
static const char colored[] = "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1 0.5 .25 1\n";

static void every_prefix_loads_or_fails_cleanly(void** state)
{
    (void)state;
    check_every_prefix(OFF, everything, sizeof everything - 1);
    check_every_prefix(OFF, colored, sizeof colored - 1);
}

static void damaged_files_load_or_fail_cleanly(void** state)
{
    (void)state;
    check_mutations(OFF, everything, sizeof everything - 1, 1, 3000);
    check_mutations(OFF, colored, sizeof colored - 1, 2, 3000);
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    check_load_without_memory(OFF, everything, sizeof everything - 1);
    check_load_without_memory(OFF, colored, sizeof colored - 1);
    check_save_without_memory(OFF, everything, sizeof everything - 1, OFF, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_triangle_in_many_spellings),
        cmocka_unit_test(attributes_follow_the_keyword),
        cmocka_unit_test(face_colours_go_to_the_corners),
        cmocka_unit_test(wrong_files_are_refused_with_the_line),
        cmocka_unit_test(non_finite_positions_are_kept_on_request),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(what_does_not_fit_is_left_out_with_a_warning),
        cmocka_unit_test(every_prefix_loads_or_fails_cleanly),
        cmocka_unit_test(damaged_files_load_or_fail_cleanly),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
