// Patterns from files: labels as they are written, meshes that tile, and all that does not refused with the place.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "fracture/pattern/pattern.h"
#include "math/aabb.h"
#include "pattern_testing.h"
#include <stdlib.h>
#include <string.h>

#define HEADER "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nspacings: 1 2 0.5\nencoding: raw\n\n"

static rblResult parse(const char* header, const void* numbers, size_t size, rblLabelVolume** out)
{
    const size_t length = strlen(header);
    uint8_t* bytes = malloc(length + size + 1);
    memcpy(bytes, header, length);
    memcpy(bytes + length, numbers, size);
    const rblResult result =
        rbl_labels_parse(bytes, length + size, "test.nrrd", rbl_default_allocator(), out);
    free(bytes);
    return result;
}

static void labels_are_read_in_order(void** state)
{
    (void)state;
    const uint8_t numbers[6] = {9, 9, 2, 200, 2, 9};
    rblLabelVolume* volume = NULL;
    check_ok(parse(HEADER, numbers, 6, &volume));
    const uint16_t expected[6] = {1, 1, 0, 2, 0, 1};
    assert_int_equal(volume->label_count, 3);
    assert_memory_equal(volume->labels, expected, sizeof expected);
    check_close(volume->box.upper.x, 2.0, 0.0);
    check_close(volume->box.upper.y, 2.0, 0.0);
    check_close(volume->box.upper.z, 1.5, 0.0);
    assert_int_equal(rbl_labels_at(volume, (rblVec3d){1.5, 0.1, 0.6}), 2);
    assert_int_equal(rbl_labels_at(volume, (rblVec3d){-9, 9, 9}), 0); // beyond the box: the nearest
    rbl_labels_free(volume, rbl_default_allocator());
}

static void both_byte_orders_are_read(void** state)
{
    (void)state;
    const uint8_t numbers[8] = {1, 0, 0, 1, 2, 0, 1, 0};
    for (int big = 0; big < 2; ++big)
    {
        char header[256];
        snprintf(header, sizeof header,
                 "NRRD0005\n# a comment\ntype: unsigned short\ndimension: 3\nsizes: 4 1 1\nkey:=value\n"
                 "space directions: (0,2,0) (1,0,0) (0, 0, 3)\nendian: %s\nencoding: raw\r\n\r\n",
                 big != 0 ? "big" : "little");
        rblLabelVolume* volume = NULL;
        check_ok(parse(header, numbers, 8, &volume));
        const uint16_t little[4] = {0, 2, 1, 0},
                       large[4] = {1, 0, 2, 1}; // of 1, 256, 2, 1 and of 256, 1, 512, 256
        assert_memory_equal(volume->labels, big != 0 ? large : little, sizeof little);
        check_close(volume->box.upper.x, 8.0, 0.0);
        check_close(volume->box.upper.z, 3.0, 0.0);
        rbl_labels_free(volume, rbl_default_allocator());
    }
}

static void bad_labels_are_refused_by_name(void** state)
{
    (void)state;
    static const char* const headers[] = {
        "",
        "NRRD0004\n",
        "PNG0004\n\n",
        "NRRD0004\ntype: float\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 2\nsizes: 2 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3 1\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 0 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 -1 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1.5 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: nan 1 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 65536 65536 65536\nencoding: raw\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: gzip\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\nspacings: 1 0 1\n\n",
        ("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\nspace directions: (1,0,0) (0,1) "
         "(0,0,1)\n\n"),
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\nspace directions: none\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\nendian: middle\n\n",
        "NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 3\nencoding: raw\ndata file: other.raw\n\n",
        "NRRD0004\ntype: uint8\nwhat\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n\n",
        "NRRD0004\ntype: uint16\ndimension: 3\nsizes: 2 1 3\nencoding: raw\n\n",
    };
    const uint8_t numbers[6] = {0};
    for (size_t h = 0; h < sizeof headers / sizeof *headers; ++h)
    {
        rblLabelVolume* volume = NULL;
        check_fails(RBL_ERROR_FORMAT, parse(headers[h], numbers, 6, &volume));
        assert_null(volume);
        assert_non_null(strstr(rbl_last_error(), "test.nrrd"));
    }
    for (size_t size = 0; size < 6; ++size)
    {
        rblLabelVolume* volume = NULL;
        check_fails(RBL_ERROR_FORMAT, parse(HEADER, numbers, size, &volume));
    }
}

static rblMeshId draw(rblPatternKind kind)
{
    rblPatternDef def = rbl_default_pattern_def();
    def.kind = kind;
    def.pieces = 20;
    rblMeshId mesh;
    const rblAabbd box = {{-0.5, 0, -0.2}, {0.5, 0.8, 0.2}};
    check_ok(rbl_pattern_draw(&def, box, (rblVec3d){0.1, 0.4, 0.2}, (rblVec3d){0, 0, -1}, &mesh));
    return mesh;
}

// Volumes of the labels are those of the regions, as far as voxels tell.
static void meshes_that_tile_become_labels(void** state)
{
    (void)state;
    const rblPatternKind kinds[] = {RBL_PATTERN_VORONOI, RBL_PATTERN_RADIAL, RBL_PATTERN_BRICKS,
                                    RBL_PATTERN_SPLINTERS};
    for (int k = 0; k < 4; ++k)
    {
        const rblMeshId mesh = draw(kinds[k]);
        rblMeshView view;
        check_ok(rbl_mesh_view(mesh, &view));
        rblLabelVolume* volume = NULL;
        check_ok(rbl_labels_from_mesh(mesh, "test", rbl_default_allocator(), &volume));
        assert_int_equal(volume->label_count, view.group_count);
        // Components are numbered in order of their first face, and so are groups.
        rblRandom random = rbl_random_seed(1, 0);
        for (uint32_t f = 0; f < view.face_count; ++f)
        {
            rblVec3d middle = {0, 0, 0}, first = view.positions[view.corner_vertices[view.face_starts[f]]];
            rblVec3d area = {0, 0, 0};
            const uint32_t corners = view.face_starts[f + 1] - view.face_starts[f];
            for (uint32_t c = 0; c < corners; ++c)
            {
                const rblVec3d a = view.positions[view.corner_vertices[view.face_starts[f] + c]];
                const rblVec3d b =
                    view.positions[view.corner_vertices[view.face_starts[f] + (c + 1) % corners]];
                middle = rbl_mul_add3d(middle, 1.0 / corners, a);
                area = rbl_add3d(area, rbl_cross3d(rbl_sub3d(a, first), rbl_sub3d(b, first)));
            }
            if (rbl_length3d(area) < 0.01 || rbl_random_below(&random, 2) == 0)
            {
                continue; // slivers: inside is less than a voxel away from outside
            }
            const rblVec3d inside = rbl_mul_add3d(middle, -0.015 / rbl_length3d(area), area);
            const uint32_t label = rbl_labels_at(volume, inside);
            const rblVec3d farther = rbl_mul_add3d(middle, -0.03 / rbl_length3d(area), area);
            assert_true(label == view.face_groups[f] ||
                        rbl_labels_at(volume, farther) != view.face_groups[f]);
        }
        rbl_labels_free(volume, rbl_default_allocator());
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// A copy with the corners of one group moved.
static rblMeshId with_group_moved(rblMeshId mesh, uint32_t group, rblVec3d by)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(mesh, &view));
    rblVec3d* positions = malloc(sizeof *positions * view.vertex_count);
    memcpy(positions, view.positions, sizeof *positions * view.vertex_count);
    bool* moved = calloc(view.vertex_count, sizeof *moved);
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        for (uint32_t c = view.face_starts[f]; view.face_groups[f] == group && c < view.face_starts[f + 1];
             ++c)
        {
            const uint32_t v = view.corner_vertices[c];
            positions[v] = moved[v] ? positions[v] : rbl_add3d(positions[v], by);
            moved[v] = true;
        }
    }
    view.positions = positions;
    rblMeshId out;
    check_ok(rbl_mesh_create(&view, &out));
    free(positions);
    free(moved);
    return out;
}

static void meshes_that_do_not_tile_are_refused_with_the_place(void** state)
{
    (void)state;
    const rblMeshId mesh = draw(RBL_PATTERN_BRICKS);
    rblMeshView view;
    check_ok(rbl_mesh_view(mesh, &view));
    for (uint32_t group = 0; group < view.group_count; ++group)
    {
        const rblMeshId moved = with_group_moved(mesh, group, (rblVec3d){0.02, 0.01, 0.0});
        rblLabelVolume* volume = NULL;
        const rblResult result = rbl_labels_from_mesh(moved, "test", rbl_default_allocator(), &volume);
        assert_int_equal(result, RBL_ERROR_GEOMETRY);
        assert_non_null(strstr(rbl_last_error(), "does not tile its box"));
        assert_non_null(strstr(rbl_last_error(), " at ("));
        assert_null(volume);
        check_ok(rbl_mesh_destroy(moved));
    }
    check_ok(rbl_mesh_destroy(mesh));
}

static void open_regions_are_refused(void** state)
{
    (void)state;
    const rblMeshId mesh = draw(RBL_PATTERN_VORONOI);
    rblMeshView view;
    check_ok(rbl_mesh_view(mesh, &view));
    view.face_count -= 1;
    view.corner_count = view.face_starts[view.face_count];
    rblMeshId open;
    check_ok(rbl_mesh_create(&view, &open));
    rblLabelVolume* volume = NULL;
    check_fails(RBL_ERROR_GEOMETRY, rbl_labels_from_mesh(open, "test", rbl_default_allocator(), &volume));
    check_ok(rbl_mesh_destroy(open));
    check_ok(rbl_mesh_destroy(mesh));
}

static void files_fit_the_body(void** state)
{
    (void)state;
    const char* path = "test_pattern_files.nrrd";
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 2 1 1\nencoding: raw\n\n", file);
    fwrite("ab", 1, 2, file);
    fclose(file);
    rblPatternDef def = rbl_default_pattern_def();
    def.kind = RBL_PATTERN_FILE;
    def.file = path;
    const rblPatternBody body = {.bounds = {{-0.1, -1, -0.1}, {0.3, 0, 0.2}},
                                 .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    rblPattern* pattern = NULL;
    check_ok(rbl_pattern_create(&def, &body, rbl_serial_jobs(), rbl_default_allocator(), &pattern));
    assert_int_equal(pattern->region_count, 2);
    assert_true(rbl_aabbd_contains_point(pattern->volume->box, body.bounds.lower));
    assert_true(rbl_aabbd_contains_point(pattern->volume->box, body.bounds.upper));
    assert_int_equal(pattern_locate(pattern, (rblVec3d){-0.01, -0.5, 0}), 0); // centred at the impact
    assert_int_equal(pattern_locate(pattern, (rblVec3d){0.01, -0.5, 0}), 1);

    def.size = 8.0;
    rblPattern* fitted = NULL;
    check_ok(rbl_pattern_fit_labels(&def, &body, pattern->volume, rbl_serial_jobs(), rbl_default_allocator(),
                                    &fitted));
    check_close(fitted->volume->box.upper.x, 4.0, 1e-12);
    rbl_pattern_free(fitted);
    rbl_pattern_free(pattern);

    rblMeshId mesh;
    check_ok(rbl_pattern_draw(&def, body.bounds, (rblVec3d){0, 0, 0}, (rblVec3d){0, -1, 0}, &mesh));
    rblMeshReport report;
    check_ok(rbl_mesh_inspect(mesh, NULL, &report));
    assert_int_equal(report.components, 2);
    check_close(report.volume, 2.0, 1e-12);
    check_ok(rbl_mesh_destroy(mesh));
    remove(path);
    check_fails(RBL_ERROR_FILE,
                rbl_pattern_create(&def, &body, rbl_serial_jobs(), rbl_default_allocator(), &pattern));
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    static const char text[] = HEADER "abcabc";
    const rblMeshId mesh = draw(RBL_PATTERN_SLABS);
    for (int kind = 0; kind < 2; ++kind)
    {
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t granted = 0; result == RBL_ERROR_MEMORY; ++granted)
        {
            FailingAllocator memory;
            failing_allocator_start(&memory, granted);
            rblLabelVolume* volume = NULL;
            result = kind == 0 ? rbl_labels_parse((const uint8_t*)text, sizeof text - 1, "test",
                                                  &memory.allocator, &volume)
                               : rbl_labels_from_mesh(mesh, "test", &memory.allocator, &volume);
            assert_true((result == RBL_OK) == (volume != NULL));
            rbl_labels_free(volume, &memory.allocator);
            assert_int_equal(memory.live, 0);
        }
        assert_int_equal(result, RBL_OK);
    }
    check_ok(rbl_mesh_destroy(mesh));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_are_read_in_order),
        cmocka_unit_test(both_byte_orders_are_read),
        cmocka_unit_test(bad_labels_are_refused_by_name),
        cmocka_unit_test(meshes_that_tile_become_labels),
        cmocka_unit_test(meshes_that_do_not_tile_are_refused_with_the_place),
        cmocka_unit_test(open_regions_are_refused),
        cmocka_unit_test(files_fit_the_body),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
