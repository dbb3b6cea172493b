// The public calls: formats by name, wrong arguments, files that cannot be read or written, atomic replacement.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "io_testing.h"

#include "models.h"

#include "temporary_folder.h"
#include <sys/stat.h>
#include <unistd.h>

static void check_message(const char* part)
{
    if (strstr(rbl_last_error(), part) == NULL)
    {
        fail_msg("\"%s\" does not say \"%s\"", rbl_last_error(), part);
    }
}

static const char triangle[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

static rblMeshId load_triangle(void)
{
    rblMeshId id;
    load_text(RBL_FORMAT_OBJ, triangle, &id);
    return id;
}

static void every_format_round_trips_through_files(void** state)
{
    (void)state;
    static const char* const names[] = {"a.obj", "b.PLY", "c.stl", "d.Off", "e.glb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        const rblMeshId id = load_triangle();
        check_ok(rbl_mesh_save(id, in_folder(names[i]), NULL));
        rblMeshId back;
        check_ok(rbl_mesh_load(in_folder(names[i]), NULL, &back));
        rblMeshView view;
        check_ok(rbl_mesh_view(back, &view));
        assert_int_equal(view.face_count, 1);
        assert_int_equal(view.vertex_count, 3);
        check_ok(rbl_mesh_destroy(id));
        check_ok(rbl_mesh_destroy(back));
    }
    assert_int_equal(count_entries(), 5);
}

static void a_format_in_the_options_beats_the_name(void** state)
{
    (void)state;
    const rblMeshId id = load_triangle();
    rblSaveOptions saving = rbl_default_save_options();
    saving.format = RBL_FORMAT_OFF;
    check_ok(rbl_mesh_save(id, in_folder("mesh.obj"), &saving));
    rblMeshId back;
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_load(in_folder("mesh.obj"), NULL, &back));
    rblLoadOptions loading = rbl_default_load_options();
    loading.format = RBL_FORMAT_OFF;
    check_ok(rbl_mesh_load(in_folder("mesh.obj"), &loading, &back));
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(back));
}

static void wrong_arguments_are_refused(void** state)
{
    (void)state;
    const rblMeshId id = load_triangle();
    rblMeshId out = {5, 5};
    rblLoadOptions loading = load_options(RBL_FORMAT_OBJ, false);
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load(NULL, NULL, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load("x.obj", NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory(NULL, 5, "x", &loading, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory(triangle, 5, "x", NULL, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory(triangle, 5, "x", &loading, NULL));
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_load_memory(NULL, 0, NULL, &loading, &out));
    check_message("memory: the mesh has no faces");
    loading.format = RBL_FORMAT_AUTO;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory(triangle, 5, "x", &loading, &out));
    loading.format = RBL_FORMAT_COUNT;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load_memory(triangle, 5, "x", &loading, &out));
    const rblLoadOptions zeroed = {0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_load("x.obj", &zeroed, &out));
    check_message("rbl_default_load_options");
    assert_true(out.index1 == 5 && out.generation == 5);

    rblSaveOptions saving = save_options(RBL_FORMAT_OBJ, false);
    void* bytes = NULL;
    size_t size = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save(id, NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(id, NULL, &bytes, &size));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(id, &saving, NULL, &size));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(id, &saving, &bytes, NULL));
    saving.format = RBL_FORMAT_AUTO;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save_memory(id, &saving, &bytes, &size));
    saving.format = (rblFileFormat)-1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save(id, in_folder("x.obj"), &saving));
    saving = (rblSaveOptions){0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_save(id, in_folder("x.obj"), &saving));
    check_message("rbl_default_save_options");
    check_ok(rbl_mesh_destroy(id));
    check_fails(RBL_ERROR_STALE, rbl_mesh_save(id, in_folder("x.obj"), NULL));
    saving = save_options(RBL_FORMAT_OBJ, false);
    check_fails(RBL_ERROR_STALE, rbl_mesh_save_memory(id, &saving, &bytes, &size));
    assert_null(bytes);
    assert_int_equal(count_entries(), 0);
    rbl_free_saved(NULL, 0);
}

static void unknown_formats_are_named(void** state)
{
    (void)state;
    const rblMeshId id = load_triangle();
    rblMeshId out;
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_load("model.fbx", NULL, &out));
    check_message("model.fbx: the name does not end in .obj");
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_load("", NULL, &out));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_save(id, in_folder("model"), NULL));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_mesh_save(id, in_folder("model.gltf"), NULL));
    check_message("not written");
    assert_int_equal(count_entries(), 0);
    check_ok(rbl_mesh_destroy(id));
}

static void files_that_cannot_be_read_are_named(void** state)
{
    (void)state;
    rblMeshId out;
    check_fails(RBL_ERROR_FILE, rbl_mesh_load(in_folder("missing.obj"), NULL, &out));
    check_message("missing.obj: cannot be opened: No such file");
    assert_int_equal(mkdir(in_folder("folder.obj"), 0700), 0);
    check_fails(RBL_ERROR_FILE, rbl_mesh_load(in_folder("folder.obj"), NULL, &out));
    check_message("directory");
    assert_int_equal(rmdir(in_folder("folder.obj")), 0);
    FILE* file = fopen(in_folder("big.obj"), "wb");
    fputs(triangle, file);
    fclose(file);
    rblLoadOptions options = rbl_default_load_options();
    options.max_bytes = sizeof triangle - 2;
    check_fails(RBL_ERROR_LIMIT, rbl_mesh_load(in_folder("big.obj"), &options, &out));
    options.max_bytes += 1;
    check_ok(rbl_mesh_load(in_folder("big.obj"), &options, &out));
    check_ok(rbl_mesh_destroy(out));
    options.format = RBL_FORMAT_OBJ;
    options.max_bytes = 10;
    check_fails(RBL_ERROR_LIMIT, rbl_mesh_load_memory(triangle, 11, "x", &options, &out));
}

static void errors_in_files_name_the_path_and_line(void** state)
{
    (void)state;
    FILE* file = fopen(in_folder("bad.obj"), "wb");
    fputs("v 0 0 0\nv 1 0\n", file);
    fclose(file);
    rblMeshId out;
    check_fails(RBL_ERROR_FORMAT, rbl_mesh_load(in_folder("bad.obj"), NULL, &out));
    char expected[600];
    snprintf(expected, sizeof expected, "%s:2: a vertex needs three coordinates", in_folder("bad.obj"));
    assert_string_equal(rbl_last_error(), expected);
}

static void files_that_cannot_be_written_are_named_and_nothing_is_left(void** state)
{
    (void)state;
    const rblMeshId id = load_triangle();
    check_fails(RBL_ERROR_FILE, rbl_mesh_save(id, in_folder("no/such.obj"), NULL));
    check_message("No such file");
    assert_int_equal(mkdir(in_folder("taken.obj"), 0700), 0);
    check_fails(RBL_ERROR_FILE, rbl_mesh_save(id, in_folder("taken.obj"), NULL));
    check_message("directory");
    assert_int_equal(rmdir(in_folder("taken.obj")), 0);
    assert_int_equal(count_entries(), 0);
    check_ok(rbl_mesh_destroy(id));
}

static void a_refused_mesh_leaves_the_old_file(void** state)
{
    (void)state;
    // Binary STL cannot hold this position.
    rblMeshId far_off;
    load_text(RBL_FORMAT_OBJ, "v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", &far_off);
    const rblMeshId id = load_triangle();
    check_ok(rbl_mesh_save(id, in_folder("mesh.stl"), NULL));
    struct stat before;
    struct stat after;
    assert_int_equal(stat(in_folder("mesh.stl"), &before), 0);
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_save(far_off, in_folder("mesh.stl"), NULL));
    assert_int_equal(stat(in_folder("mesh.stl"), &after), 0);
    assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
    assert_int_equal(count_entries(), 1);
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(far_off));
}

static void models_of_the_shared_folder_load(void** state)
{
    (void)state;
    static const struct
    {
        const char* name;
        uint32_t least_faces;
    } files[] = {{"armadillo_86k.obj", 80000}, {"bunny_75k.off", 60000},  {"fandisk_13k.obj", 12000},
                 {"spot_6k.obj", 5000},        {"cheese_18k.off", 15000}, {"dragon_100k.obj", 90000}};
    uint32_t checked = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    {
        const char* path = model_path(files[i].name);
        if (path == NULL)
        {
            continue;
        }
        rblMeshId id;
        check_ok(rbl_mesh_load(path, NULL, &id));
        check_sound(id, true);
        rblMeshView view;
        check_ok(rbl_mesh_view(id, &view));
        assert_true(view.face_count >= files[i].least_faces);
        check_ok(rbl_mesh_destroy(id));
        ++checked;
    }
    if (checked == 0)
    {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_format_round_trips_through_files, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_format_in_the_options_beats_the_name, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(wrong_arguments_are_refused, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(unknown_formats_are_named, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_read_are_named, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(errors_in_files_name_the_path_and_line, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(files_that_cannot_be_written_are_named_and_nothing_is_left,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_refused_mesh_leaves_the_old_file, make_folder, remove_folder),
        cmocka_unit_test(models_of_the_shared_folder_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
