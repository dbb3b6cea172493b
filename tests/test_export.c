// Runs in the formats of other programs.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "export_testing.h"

#include "scene/movie/plot.h"
#include <sys/stat.h>

// Bodies that are there at a step, and where one of them is.
static void a_table_has_a_line_for_every_body_and_frame(void** state)
{
    (void)state;
    size_t size;
    check_ok(export_to("run.csv", 1));
    char* csv = read_file("run.csv", &size);
    uint32_t rows = 0;
    for (uint32_t step = 0; step <= rbl_run_last_step(&simulation.run); ++step)
    {
        for (uint32_t b = 0; b < simulation.run.bodies.count; ++b)
        {
            rblRunKey key;
            rows += rbl_run_state(&simulation.run, b, step, &key);
        }
    }
    assert_int_equal(count_of(csv, "\n"), rows + 1);
    assert_true(rows > 3 * 21 && rows < 4 * 21);
    assert_int_equal(strncmp(csv, "step,time_s,id,name,x_m,y_up_m,z_m,qx,", 38), 0);
    // The ball falls freely: its height at step 10 is 3 - g t^2 / 2.
    const char* row = strstr(csv, "\n10,0.2,2,\"a, \"\"b\"\" <c>\",");
    assert_non_null(row);
    double x, y;
    assert_int_equal(sscanf(row + 1, "10,0.2,2,\"a, \"\"b\"\" <c>\",%lf,%lf", &x, &y), 2);
    check_close(y, 3.0 - 0.5 * 9.81 * 0.04, 1e-5);
    free(csv);
}

static void every_nth_step_is_written(void** state)
{
    (void)state;
    size_t size;
    check_ok(export_to("some.csv", 7));
    char* csv = read_file("some.csv", &size);
    assert_non_null(strstr(csv, "\n14,0.28,"));
    assert_null(strstr(csv, "\n15,"));
    free(csv);
}

static void obj_frames_hold_the_bodies_where_they_are(void** state)
{
    (void)state;
    check_ok(export_to("run.obj", 5));
    const uint32_t last = 4; // steps 0, 5, 10, 15, 20
    for (uint32_t f = 0; f <= last; ++f)
    {
        char name[32];
        rblMeshId mesh;
        rblMeshView view;
        snprintf(name, sizeof name, "run_%04u.obj", f);
        check_ok(rbl_mesh_load(in_folder(name), NULL, &mesh));
        check_ok(rbl_mesh_view(mesh, &view));
        double highest = 0.0;
        for (uint32_t v = 0; v < view.vertex_count; ++v)
        {
            highest = fmax(highest, view.positions[v].y);
        }
        rblRunKey key;
        const uint32_t ball = f < 4 ? 2 : 3;
        assert_true(rbl_run_state(&simulation.run, f < 2 ? ball : 3, 5 * f, &key));
        check_close(highest, (double)key.pose.p.y + 0.1, 1e-5);
        assert_int_equal(view.group_count, f < 2 ? 3 : f < 4 ? 4 : 3);
        assert_int_equal(view.layer_count, 2);
        check_ok(rbl_mesh_destroy(mesh));
    }
    assert_int_not_equal(access(in_folder("run_0005.obj"), F_OK), 0);
    size_t size;
    char* materials = read_file("run.mtl", &size);
    assert_non_null(strstr(materials, "newmtl steel\n"));
    assert_non_null(strstr(materials, "newmtl steel crack\n"));
    free(materials);
}

static uint64_t number_after(const char* place, const char* key)
{
    const char* found = strstr(place, key);
    assert_non_null(found);
    return strtoull(found + strlen(key), NULL, 10);
}

// Each array stands where its header says, as long as it says.
static void vtu_arrays_stand_where_they_say(void** state)
{
    (void)state;
    size_t size;
    check_ok(export_to("run.pvd", 10));
    char* list = read_file("run.pvd", &size);
    assert_int_equal(count_of(list, "<DataSet "), 3);
    assert_non_null(strstr(list, "timestep=\"0.2\" part=\"0\" file=\"run/0001.vtu\""));
    free(list);
    char* vtu = read_file("run/0001.vtu", &size);
    const uint64_t points = number_after(vtu, "NumberOfPoints=\"");
    const uint64_t cells = number_after(vtu, "NumberOfCells=\"");
    const char* data = strstr(vtu, "encoding=\"raw\">\n_");
    assert_non_null(data);
    data += strlen("encoding=\"raw\">\n_");
    uint64_t expected = 0;
    uint32_t arrays = 0;
    for (const char* array = strstr(vtu, "format=\"appended\""); array != NULL;
         array = strstr(array + 1, "format=\"appended\""))
    {
        uint64_t bytes;
        assert_int_equal(number_after(array, "offset=\""), expected);
        memcpy(&bytes, data + expected, 8);
        expected += 8 + bytes;
        ++arrays;
    }
    assert_int_equal(arrays, 10);
    assert_int_equal(memcmp(data + expected, "\n</AppendedData>", 16), 0);
    uint64_t bytes;
    memcpy(&bytes, data, 8);
    assert_int_equal(bytes, 24 * points);
    assert_true(cells > 100);
    free(vtu);
}

static void usd_tells_units_axes_and_masses(void** state)
{
    (void)state;
    size_t size;
    check_ok(export_to("run.usda", 1));
    char* usd = read_file("run.usda", &size);
    assert_int_equal(strncmp(usd, "#usda 1.0\n", 10), 0);
    assert_non_null(strstr(usd, "metersPerUnit = 1\n"));
    assert_non_null(strstr(usd, "upAxis = \"Y\"\n"));
    assert_int_equal(count_of(usd, "def Xform \"body_"), 4);
    assert_int_equal(count_of(usd, "float physics:mass = "), 3);
    assert_int_equal(count_of(usd, "{"), count_of(usd, "}"));
    assert_int_equal(count_of(usd, "token visibility.timeSamples"), 2);
    assert_non_null(strstr(usd, "displayName = \"a, \\\"b\\\" <c>\""));
    assert_non_null(strstr(usd, "timeCodesPerSecond = 50\n"));
    free(usd);
}

static void folders_of_others_are_refused_without_force(void** state)
{
    (void)state;
    rblExportOptions options = rbl_default_export_options();
    options.every = 20;
    assert_int_equal(mkdir(in_folder("theirs"), 0777), 0);
    check_ok(rbl_export(&simulation.run, in_folder("theirs.pvd"), &options)); // empty: taken
    check_ok(rbl_export(&simulation.run, in_folder("theirs.pvd"), &options)); // ours by now
    assert_int_equal(unlink(in_folder("theirs/" RBL_FOLDER_MARK)), 0);
    check_fails(RBL_ERROR_FILE, rbl_export(&simulation.run, in_folder("theirs.pvd"), &options));
    assert_non_null(strstr(rbl_last_error(), "force"));
    options.force = true;
    check_ok(rbl_export(&simulation.run, in_folder("theirs.pvd"), &options));
    check_fails(RBL_ERROR_FILE, rbl_export(&simulation.run, in_folder("no/such.pvd"), &options));
    check_fails(RBL_ERROR_FILE, rbl_export_check(in_folder("no/such.pvd"), &options));
    check_fails(RBL_ERROR_FILE, rbl_export(&simulation.run, in_folder("not\xff.pvd"), &options));
    check_fails(RBL_ERROR_FILE, rbl_export(&simulation.run, in_folder("a\x01.pvd"), &options));
    check_fails(RBL_ERROR_FILE, rbl_export(&simulation.run, in_folder(".pvd"), &options));
    check_ok(rbl_export(&simulation.run, in_folder("a<&>\".pvd"), &options));
    check_fails(RBL_ERROR_FILE, rbl_export(&simulation.run, in_folder("no/such.csv"), &options));
    check_fails(RBL_ERROR_ARGUMENT, rbl_export(&simulation.run, in_folder("run.xyz"), &options));
    check_fails(RBL_ERROR_ARGUMENT, rbl_export(&simulation.run, in_folder("run"), &options));
}

// ---- scarce memory ----

static rblResult plot(const char* name)
{
    return rbl_plot_write(&simulation.run.statistics, "scarce", in_folder(name));
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    static const char* const names[] = {"run.glb", "run.csv", "run.usda", "run.obj", "run.pvd", "run.svg"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t granted = 0; result != RBL_OK; ++granted)
        {
            const size_t live = memory.live;
            memory.left = granted;
            result = strstr(names[i], ".svg") != NULL ? plot(names[i]) : export_to(names[i], 10);
            memory.left = SIZE_MAX;
            assert_int_equal(memory.live, live);
            assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
            assert_true(result == RBL_OK || access(in_folder(names[i]), F_OK) != 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_has_a_line_for_every_body_and_frame),
        cmocka_unit_test(every_nth_step_is_written),
        cmocka_unit_test(obj_frames_hold_the_bodies_where_they_are),
        cmocka_unit_test(vtu_arrays_stand_where_they_say),
        cmocka_unit_test(usd_tells_units_axes_and_masses),
        cmocka_unit_test(folders_of_others_are_refused_without_force),
    };
    const struct CMUnitTest scarce_tests[] = {cmocka_unit_test(out_of_memory_leaves_nothing_behind)};
    const int failed = cmocka_run_group_tests(tests, start, finish);
    return failed + cmocka_run_group_tests(scarce_tests, start_scarce, finish_scarce);
}
