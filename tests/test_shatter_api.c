// Offline fracture, drawables and outputs through the public calls.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "testing.h"

#include "failing_allocator.h"
#include "rubble/rubble.h"
#include "temporary_folder.h"
#include <math.h>

static rblPiecesId break_solid(const char* kind, rblMeshId* mesh)
{
    rblShatterDef def = rbl_default_shatter_def();
    rblPiecesId pieces;
    check_ok(rbl_mesh_make(kind, NULL, 0, mesh));
    check_ok(rbl_shatter_place(*mesh, NULL, NULL, &def, NULL));
    check_ok(rbl_mesh_shatter(*mesh, &def, &pieces));
    return pieces;
}

static double volume_of(rblMeshId mesh)
{
    rblMassProperties mass;
    check_ok(rbl_mesh_mass_properties(mesh, 1.0, &mass));
    return mass.volume;
}

static void pieces_tile_the_mesh_and_fit(void** state)
{
    (void)state;
    rblMeshId solid;
    const rblPiecesId pieces = break_solid("box", &solid);
    const double whole = volume_of(solid);
    check_ok(rbl_mesh_destroy(solid)); // the pieces keep it
    rblPiecesInfo info;
    check_ok(rbl_pieces_info(pieces, &info));
    assert_true(info.count > 1 && info.crack_area > 0.0);
    double sum = 0.0;
    uint32_t cracks = 0;
    for (uint32_t i = 0; i < info.count; ++i)
    {
        rblMeshId mesh;
        rblPieceInfo piece;
        rblMeshView view;
        check_ok(rbl_pieces_piece(pieces, i, &piece));
        check_ok(rbl_pieces_mesh(pieces, i, &mesh));
        check_ok(rbl_mesh_view(mesh, &view));
        assert_true(fabs(volume_of(mesh) - piece.mass.volume) < 1e-9 * whole);
        sum += piece.mass.volume;
        for (uint32_t f = 0; f < view.face_count; ++f)
        {
            cracks += view.face_origins[f] == RBL_NONE;
        }
        check_ok(rbl_mesh_destroy(mesh));
    }
    assert_true(fabs(sum - whole) < 1e-9 * whole);
    rblPieceMate first;
    size_t count = 0;
    check_ok(rbl_pieces_mates(pieces, &first, 1, &count));
    assert_int_equal(2 * count, cracks); // every crack triangle has one that fits
    assert_true(first.piece_a < first.piece_b && first.piece_b < info.count);
    check_ok(rbl_pieces_save_glb(pieces, 1000.0, 0.5, in_folder("pieces.glb")));
    check_ok(rbl_pieces_save_folder(pieces, 1000.0, in_folder("pieces"), false));
    check_fails(RBL_ERROR_FILE, rbl_pieces_save_glb(pieces, 1000.0, 0.0, in_folder("no/such.glb")));
    check_ok(rbl_pieces_destroy(pieces));
    assert_int_equal(rbl_pieces_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void wrong_calls_are_refused(void** state)
{
    (void)state;
    rblMeshId solid;
    const rblPiecesId pieces = break_solid("box", &solid);
    rblShatterDef def = rbl_default_shatter_def();
    rblPiecesId out;
    rblPieceInfo piece;
    rblMeshId mesh;
    size_t count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_shatter(solid, &def, NULL));
    check_fails(RBL_ERROR_STALE, rbl_mesh_shatter((rblMeshId){0, 0}, &def, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shatter_place(solid, NULL, NULL, NULL, NULL));
    def.normal = (rblVec3d){0, 0, 0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_shatter(solid, &def, &out));
    def.cookie += 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_shatter(solid, &def, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pieces_piece(pieces, 100000, &piece));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pieces_piece(pieces, 0, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pieces_mesh(pieces, 100000, &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pieces_mates(pieces, NULL, 1, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pieces_save_folder(pieces, (double)NAN, in_folder("none"), false));
    check_fails(RBL_ERROR_ARGUMENT, rbl_pieces_save_glb(pieces, 1.0, 0.0, NULL));
    check_ok(rbl_pieces_destroy(pieces));
    check_fails(RBL_ERROR_STALE, rbl_pieces_piece(pieces, 0, &piece));
    check_fails(RBL_ERROR_STALE, rbl_pieces_destroy(pieces));
    check_ok(rbl_mesh_destroy(solid));
}

static void running_out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    bool done = false;
    for (size_t n = 0; !done; n += 1 + n / 8)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, n);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblMeshId solid;
        rblPiecesId pieces;
        rblDrawable drawable = {.positions = NULL};
        rblResult result = rbl_mesh_make("box", NULL, 0, &solid);
        if (result == RBL_OK)
        {
            result = rbl_drawable_create(solid, &drawable);
            rbl_drawable_free(&drawable);
            result = result == RBL_OK ? rbl_mesh_shatter(solid, NULL, &pieces) : result;
            if (result == RBL_OK)
            {
                size_t count = 0;
                result = rbl_pieces_mates(pieces, NULL, 0, &count);
                check_ok(rbl_pieces_destroy(pieces));
            }
            check_ok(rbl_mesh_destroy(solid));
        }
        done = result == RBL_OK;
        assert_true(done || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
}

static void drawables_have_cracks_last(void** state)
{
    (void)state;
    rblMeshId solid, piece;
    rblDrawable whole, part;
    const rblPiecesId pieces = break_solid("box", &solid);
    check_ok(rbl_drawable_create(solid, &whole));
    assert_int_equal(whole.crack_start, whole.index_count);
    assert_int_equal(whole.index_count, 36);
    assert_int_equal(whole.vertex_count, 24); // creases part them
    check_ok(rbl_pieces_mesh(pieces, 0, &piece));
    check_ok(rbl_drawable_create(piece, &part));
    assert_true(part.crack_start < part.index_count);
    for (uint32_t i = 0; i < part.vertex_count; ++i)
    {
        const float* n = part.normals + 3 * (size_t)i;
        assert_true(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0f) < 1e-5f);
    }
    rbl_drawable_free(&whole);
    rbl_drawable_free(&part);
    rbl_drawable_free(&part); // zeros by now
    check_fails(RBL_ERROR_ARGUMENT, rbl_drawable_create(solid, NULL));
    check_fails(RBL_ERROR_STALE, rbl_drawable_create((rblMeshId){0, 0}, &part));
    check_ok(rbl_mesh_destroy(piece));
    check_ok(rbl_mesh_destroy(solid));
    check_ok(rbl_pieces_destroy(pieces));
}

static void outputs_are_tried_without_a_trace(void** state)
{
    (void)state;
    const int before = count_entries();
    check_ok(rbl_output_check(in_folder("new.glb")));
    check_ok(rbl_output_check_folder(in_folder("new"), false));
    assert_int_equal(count_entries(), before);
    check_fails(RBL_ERROR_FILE, rbl_output_check(in_folder("no/such.glb")));
    check_fails(RBL_ERROR_FILE, rbl_output_check_folder(in_folder("no/such/folder"), false));
    check_fails(RBL_ERROR_FILE, rbl_output_check_folder("/usr", false));
    check_fails(RBL_ERROR_ARGUMENT, rbl_output_check(NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_output_check_folder(NULL, true));
    assert_int_equal(rbl_format_of_path("A.GLB"), RBL_FORMAT_GLB);
    assert_int_equal(rbl_format_of_path(NULL), RBL_FORMAT_AUTO);
}

static void recordings_of_calls_are_counted(void** state)
{
    (void)state;
    rblCallsReport report;
    uint64_t sum = 0;
    check_ok(rbl_calls_inspect(RBL_TEST_DATA "/calls.rbl", &report));
    for (uint32_t i = 0; i < report.kind_count; ++i)
    {
        assert_true(report.kinds[i].count > 0 && report.kinds[i].name[0] != '\0');
        sum += report.kinds[i].count;
    }
    assert_true(sum == report.calls && report.steps > 0);
    assert_int_equal(rbl_recording_kind(RBL_TEST_DATA "/calls.rbl"), RBL_RECORDING_CALLS);
    check_fails(RBL_ERROR_FILE, rbl_calls_inspect(in_folder("none.rbl"), &report));
    check_fails(RBL_ERROR_ARGUMENT, rbl_calls_inspect(NULL, &report));
}

static int remove_all(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_tile_the_mesh_and_fit),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(drawables_have_cracks_last),
        cmocka_unit_test(outputs_are_tried_without_a_trace),
        cmocka_unit_test(recordings_of_calls_are_counted),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_all);
}
