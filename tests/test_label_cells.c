// Regions from files: labels as cells, and bodies cut by them.
#include "testing.h"

#include "cut/labels/label_cells.h"
#include "failing_allocator.h"
#include "pieces_testing.h"

#define SIDE 40

typedef uint16_t LabelFcn(rblVec3d at);

static rblLabelVolume* make_volume(rblAabbd box, LabelFcn* label, uint32_t count)
{
    const uint32_t size[3] = {SIDE, SIDE, SIDE};
    rblLabelVolume* volume;
    check_ok(rbl_labels_create(size, box, rbl_default_allocator(), &volume));
    const rblVec3d extent = rbl_sub3d(box.upper, box.lower);
    for (uint32_t n = 0; n < SIDE * SIDE * SIDE; ++n)
    {
        const rblVec3d at = {box.lower.x + (n % SIDE + 0.5) / SIDE * extent.x,
                             box.lower.y + (n / SIDE % SIDE + 0.5) / SIDE * extent.y,
                             box.lower.z + (n / SIDE / SIDE + 0.5) / SIDE * extent.z};
        volume->labels[n] = label(at);
    }
    volume->label_count = count;
    return volume;
}

static uint16_t octant(rblVec3d at)
{
    return (uint16_t)((at.x > 0 ? 1 : 0) + (at.y > 0 ? 2 : 0) + (at.z > 0 ? 4 : 0));
}

static uint16_t ball(rblVec3d at)
{
    return rbl_length3d(at) < 0.6 ? 1 : 0;
}

static uint16_t tilted(rblVec3d at)
{
    return at.x + 0.5 * at.y - 0.3 * at.z > 0.1 ? 1 : 0;
}

static const rblAabbd around = {{-1.5, -1.5, -1.5}, {1.5, 1.5, 1.5}};
static const rblAabbd cells_box = {{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};

// The unit cube of corners at +-1, cut by labels. All pieces are checked.
static rblPieces* cut_cube(LabelFcn* label, uint32_t count)
{
    const double size[3] = {2, 2, 2};
    const rblSolidValue values[1] = {{"size", size, 3}};
    rblMeshId cube;
    check_ok(rbl_mesh_make("box", values, 1, &cube));
    const rblMeshView view = view_of(cube);
    rblLabelVolume* volume = make_volume(around, label, count);
    rblCells* cells;
    uint32_t* regions;
    check_ok(rbl_label_cells(volume, cells_box, RBL_LABEL_CELLS_RESOLUTION, 1, rbl_serial_jobs(),
                             rbl_default_allocator(), &cells, &regions));
    const rblCutOptions options = {.regions = regions, .smallest_volume = 1e-3};
    rblPieces* pieces = cut_solid(&view, cells, &options, rbl_serial_jobs());
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        check_piece(pieces, p, &view, false);
    }
    check_mates(pieces);
    check_tiling(pieces, cube);
    RBL_FREE_ARRAY(rbl_default_allocator(), regions, cells->count);
    rbl_cells_free(cells);
    rbl_labels_free(volume, rbl_default_allocator());
    check_ok(rbl_mesh_destroy(cube));
    return pieces;
}

static void octants_come_out_as_octants(void** state)
{
    (void)state;
    rblPieces* pieces = cut_cube(octant, 8);
    assert_int_equal(pieces->piece_count, 8);
    for (uint32_t p = 0; p < 8; ++p)
    {
        assert_int_equal(pieces->pieces[p].region, p);
        check_close(pieces->pieces[p].mass.volume, 1.0, 0.03);
        check_close(fabs(pieces->pieces[p].mass.center.x), 0.5, 0.03);
    }
    check_close(pieces->crack_area, 12.0, 0.5);
    rbl_pieces_free(pieces);
}

static void curved_borders_are_followed(void** state)
{
    (void)state;
    rblPieces* pieces = cut_cube(ball, 2);
    assert_int_equal(pieces->piece_count, 2);
    check_relative(pieces->pieces[1].mass.volume, 4.0 / 3.0 * 3.14159265 * 0.6 * 0.6 * 0.6, 0.05);
    check_close(rbl_length3d(pieces->pieces[1].mass.center), 0.0, 0.02);
    rbl_pieces_free(pieces);
}

static void slanting_borders_are_followed(void** state)
{
    (void)state;
    rblPieces* pieces = cut_cube(tilted, 2);
    assert_int_equal(pieces->piece_count, 2);
    check_close(pieces->pieces[0].mass.volume - pieces->pieces[1].mass.volume, 0.8, 0.1);
    rbl_pieces_free(pieces);
}

static uint16_t same(rblVec3d at)
{
    (void)at;
    return 0;
}

static void one_label_leaves_the_body_whole(void** state)
{
    (void)state;
    rblPieces* pieces = cut_cube(same, 1);
    assert_int_equal(pieces->piece_count, 1);
    rbl_pieces_free(pieces);
}

static void memory_may_run_out(void** state)
{
    (void)state;
    rblLabelVolume* volume = make_volume(around, octant, 8);
    bool finished = false;
    for (size_t granted = 0; !finished; granted += granted < 40 ? 1 : 97)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblCells* cells = NULL;
        uint32_t* regions = NULL;
        const rblResult result = rbl_label_cells(volume, cells_box, RBL_LABEL_CELLS_RESOLUTION, 1,
                                                 rbl_serial_jobs(), &memory.allocator, &cells, &regions);
        finished = result == RBL_OK;
        if (finished)
        {
            RBL_FREE_ARRAY(&memory.allocator, regions, cells->count);
            rbl_cells_free(cells);
        }
        assert_int_equal(memory.live, 0);
    }
    rbl_labels_free(volume, rbl_default_allocator());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(octants_come_out_as_octants),
        cmocka_unit_test(curved_borders_are_followed),
        cmocka_unit_test(slanting_borders_are_followed),
        cmocka_unit_test(one_label_leaves_the_body_whole),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
