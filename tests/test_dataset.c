// Datasets: what is random in them, what is the same in every run, and items that cannot be made.
#include "testing.h"

#include "pieces_testing.h"
#include "rubble/dataset.h"
#include <stdlib.h>
#include <string.h>

// ---- files ----

static char* read_text(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL)
    {
        fail_msg("%s is not there", path);
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

static bool same_file(const char* folder_a, const char* folder_b, const char* name)
{
    char path_a[256];
    char path_b[256];
    size_t size_a, size_b;
    snprintf(path_a, sizeof path_a, "%s/%s", folder_a, name);
    snprintf(path_b, sizeof path_b, "%s/%s", folder_b, name);
    char* a = read_text(path_a, &size_a);
    char* b = read_text(path_b, &size_b);
    const bool same = size_a == size_b && memcmp(a, b, size_a) == 0;
    free(a);
    free(b);
    return same;
}

static bool is_there(const char* folder, const char* name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE* file = fopen(path, "rb");
    if (file != NULL)
    {
        fclose(file);
    }
    return file != NULL;
}

// ---- datasets ----

static rblDatasetDef small_def(const rblDatasetMesh* meshes, uint32_t mesh_count, uint32_t count)
{
    rblDatasetDef def = rbl_default_dataset_def();
    def.meshes = meshes;
    def.mesh_count = mesh_count;
    def.count = count;
    def.min_pieces = 3;
    def.max_pieces = 8;
    def.seed = 5;
    return def;
}

static rblDatasetReport write(const rblDatasetDef* def, const char* folder, uint32_t workers)
{
    const rblTasks tasks = tasks_of(workers);
    rblDatasetReport report;
    check_ok(rbl_set_tasks(&tasks));
    check_ok(rbl_dataset_write(def, folder, &report));
    check_ok(rbl_set_tasks(NULL));
    return report;
}

static rblMeshId make_triangles(const char* kind)
{
    const rblMeshId solid = make_solid(kind);
    rblMeshId triangles;
    check_ok(rbl_mesh_triangulate(solid, &triangles));
    check_ok(rbl_mesh_destroy(solid));
    return triangles;
}

static void the_same_seed_gives_the_same_bytes_for_any_number_of_workers(void** state)
{
    (void)state;
    const char* const folders[3] = {"test_dataset_1", "test_dataset_3", "test_dataset_other"};
    const rblDatasetMesh meshes[2] = {{.file = "a/box.obj", .mesh = make_triangles("box")},
                                      {.file = "torus.obj", .mesh = make_triangles("torus")}};
    rblDatasetDef def = small_def(meshes, 2, 3);
    const rblDatasetReport one = write(&def, folders[0], 1);
    const rblDatasetReport three = write(&def, folders[1], 3);
    assert_int_equal(one.items, 6);
    assert_int_equal(one.failed, 0);
    assert_int_equal(one.pieces, three.pieces);
    const char* const names[] = {"dataset.json",
                                 "00_box/mesh.obj",
                                 "00_box/000000/pieces.json",
                                 "00_box/000002/piece_0001.obj",
                                 "01_torus/000001/item.json",
                                 "01_torus/000002/piece_0000.obj"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        assert_true(same_file(folders[0], folders[1], names[i]));
    }
    def.seed = 6;
    (void)write(&def, folders[2], 1);
    assert_false(same_file(folders[0], folders[2], "00_box/000000/pieces.json"));
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_dataset_remove(folders[i]));
        assert_false(is_there(folders[i], "dataset.json"));
    }
    check_ok(rbl_mesh_destroy(meshes[0].mesh));
    check_ok(rbl_mesh_destroy(meshes[1].mesh));
}

static void a_long_dataset_begins_with_a_short_one(void** state)
{
    (void)state;
    const rblDatasetMesh mesh = {.file = "box.obj", .mesh = make_triangles("box")};
    rblDatasetDef def = small_def(&mesh, 1, 2);
    (void)write(&def, "test_dataset_short", 1);
    def.count = 5;
    (void)write(&def, "test_dataset_long", 2);
    assert_true(same_file("test_dataset_short", "test_dataset_long", "00_box/000001/pieces.json"));
    assert_true(same_file("test_dataset_short", "test_dataset_long", "00_box/000001/piece_0000.obj"));
    // Options of another dataset are refused, and nothing changes.
    rblDatasetReport report;
    check_fails(RBL_ERROR_FILE, rbl_dataset_write(&def, "test_dataset_short", &report));
    assert_false(is_there("test_dataset_short", "00_box/000004/pieces.json"));
    check_ok(rbl_dataset_remove("test_dataset_short"));
    check_ok(rbl_dataset_remove("test_dataset_long"));
    check_ok(rbl_mesh_destroy(mesh.mesh));
}

static bool count_items(const rblDatasetProgress* progress, void* context)
{
    uint32_t* last = context;
    assert_true(progress->done <= progress->wanted);
    *last = progress->done;
    return true;
}

// An item that is gone is made again, to the byte; what is there is left alone.
static void only_what_is_missing_is_made(void** state)
{
    (void)state;
    const char* folder = "test_dataset_gaps";
    const rblDatasetMesh mesh = {.file = "box.obj", .mesh = make_triangles("box")};
    rblDatasetDef def = small_def(&mesh, 1, 4);
    (void)write(&def, folder, 1);
    (void)write(&def, "test_dataset_whole", 1);
    char path[256];
    for (int p = 0; p < 100; ++p)
    {
        snprintf(path, sizeof path, "%s/00_box/000002/piece_%04d.obj", folder, p);
        remove(path);
    }
    snprintf(path, sizeof path, "%s/00_box/000002/pieces.json", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/00_box/000002/item.json", folder);
    remove(path);
    snprintf(path, sizeof path, "%s/00_box/000002", folder);
    remove(path);
    uint32_t done = 77;
    rblDatasetReport report;
    def.progress = count_items;
    def.progress_context = &done;
    check_ok(rbl_dataset_write(&def, folder, &report));
    assert_int_equal(done, 1);
    assert_int_equal(report.found, 3);
    assert_true(same_file(folder, "test_dataset_whole", "dataset.json"));
    assert_true(same_file(folder, "test_dataset_whole", "00_box/000002/pieces.json"));
    check_ok(rbl_dataset_remove(folder));
    check_ok(rbl_dataset_remove("test_dataset_whole"));
    check_ok(rbl_mesh_destroy(mesh.mesh));
}

// A surface with a hole cannot be cut where the hole is: those items say why, all others are made.
static void items_that_cannot_be_broken_say_why_and_the_others_are_made(void** state)
{
    (void)state;
    const char* folder = "test_dataset_failing";
    const rblMeshId whole = make_triangles("box");
    rblMeshView view = view_of(whole);
    view.face_count -= 1;
    view.corner_count = view.face_starts[view.face_count];
    rblMeshId open;
    check_ok(rbl_mesh_create(&view, &open));
    const rblDatasetMesh meshes[2] = {{.file = "open.obj", .mesh = open}, {.file = "box.obj", .mesh = whole}};
    const rblDatasetDef def = small_def(meshes, 2, 3);
    const rblDatasetReport report = write(&def, folder, 2);
    assert_int_equal(report.items, 6);
    assert_true(report.failed >= 1 && report.failed <= 3);
    size_t size;
    char path[256];
    snprintf(path, sizeof path, "%s/dataset.json", folder);
    char* list = read_text(path, &size);
    assert_non_null(strstr(list, "\"complete\": true"));
    assert_non_null(strstr(list, "\"error\":"));
    assert_true(is_there(folder, "01_box/000002/pieces.json"));
    // It is whole: nothing is tried again.
    const rblDatasetReport again = write(&def, folder, 1);
    assert_int_equal(again.found, 6);
    assert_int_equal(again.failed, report.failed);
    char* second = read_text(path, &size);
    assert_string_equal(list, second);
    free(list);
    free(second);
    check_ok(rbl_dataset_remove(folder));
    check_ok(rbl_mesh_destroy(open));
    check_ok(rbl_mesh_destroy(whole));
}

static bool stop_after_one(const rblDatasetProgress* progress, void* context)
{
    (void)context;
    return progress->done < 1;
}

// What was made before a cancel stays, and the same call goes on from it.
static void a_cancelled_dataset_goes_on_where_it_was(void** state)
{
    (void)state;
    const char* folder = "test_dataset_cancelled";
    const rblDatasetMesh mesh = {.file = "box.obj", .mesh = make_triangles("box")};
    rblDatasetDef def = small_def(&mesh, 1, 3);
    def.progress = stop_after_one;
    check_fails(RBL_ERROR_CANCELLED, rbl_dataset_write(&def, folder, NULL));
    def.progress = NULL;
    rblDatasetReport report;
    check_ok(rbl_dataset_write(&def, folder, &report));
    assert_int_equal(report.found, 1);
    assert_int_equal(report.items, 3);
    check_ok(rbl_dataset_remove(folder));
    check_ok(rbl_mesh_destroy(mesh.mesh));
}

static void definitions_that_make_no_sense_are_refused(void** state)
{
    (void)state;
    const rblDatasetMesh mesh = {.file = "box.obj", .mesh = make_triangles("box")};
    for (int k = 0; k < 6; ++k)
    {
        rblDatasetDef def = small_def(&mesh, 1, 2);
        rblDatasetReport report;
        def.count = k == 0 ? 0 : def.count;
        def.min_pieces = k == 1 ? 0 : (k == 2 ? 9 : def.min_pieces);
        def.max_pieces = k == 3 ? 1000000 : def.max_pieces;
        def.kind_count = k == 4 ? 0 : def.kind_count;
        def.density = k == 5 ? (double)NAN : def.density;
        check_fails(RBL_ERROR_ARGUMENT, rbl_dataset_write(&def, "test_dataset_none", &report));
    }
    rblDatasetDef def = small_def(&mesh, 1, 2);
    check_fails(RBL_ERROR_ARGUMENT, rbl_dataset_write(NULL, "test_dataset_none", NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_dataset_write(&def, NULL, NULL));
    def.cookie += 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_dataset_write(&def, "test_dataset_none", NULL));
    def = small_def(NULL, 1, 2);
    check_fails(RBL_ERROR_ARGUMENT, rbl_dataset_write(&def, "test_dataset_none", NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_dataset_remove(NULL));
    assert_false(is_there("test_dataset_none", "dataset.json"));
    check_ok(rbl_mesh_destroy(mesh.mesh));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_seed_gives_the_same_bytes_for_any_number_of_workers),
        cmocka_unit_test(a_long_dataset_begins_with_a_short_one),
        cmocka_unit_test(only_what_is_missing_is_made),
        cmocka_unit_test(items_that_cannot_be_broken_say_why_and_the_others_are_made),
        cmocka_unit_test(a_cancelled_dataset_goes_on_where_it_was),
        cmocka_unit_test(definitions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
