// Mass properties: what has none is refused by name, and nothing leaks.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "mass_solids.h"
#include "mesh/mass.h"
#include "rotations.h"
#include <string.h>

static const double infinite = (double)INFINITY;
static const double not_a_number = (double)NAN;

// Measuring must fail, say `word`, and leave the output alone.
static void check_refused(const Shape* shape, double density, rblResult expected, const char* word)
{
    const rblMeshId mesh = shape_mesh(shape);
    rblMassProperties properties, before;
    memset(&properties, 0x5A, sizeof properties);
    before = properties;
    check_fails(expected, rbl_mesh_mass_properties(mesh, density, &properties));
    if (strstr(rbl_last_error(), word) == NULL)
    {
        fail_msg("'%s' does not say '%s'", rbl_last_error(), word);
    }
    assert_memory_equal(&properties, &before, sizeof before);
    check_ok(rbl_mesh_destroy(mesh));
}

static void bad_densities_are_refused(void** state)
{
    (void)state;
    Shape box = make_box(1, 1, 1);
    const double densities[] = {0, -1, not_a_number, infinite, -infinite};
    for (size_t i = 0; i < sizeof densities / sizeof densities[0]; ++i)
    {
        check_refused(&box, densities[i], RBL_ERROR_ARGUMENT, "density");
    }
    shape_free(&box);
}

static void stale_and_null_arguments_are_refused(void** state)
{
    (void)state;
    Shape box = make_box(1, 1, 1);
    const rblMeshId mesh = shape_mesh(&box);
    rblMassProperties properties;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_mass_properties(mesh, 1, NULL));
    check_fails(RBL_ERROR_STALE, rbl_mesh_mass_properties((rblMeshId){0}, 1, &properties));
    check_ok(rbl_mesh_destroy(mesh));
    check_fails(RBL_ERROR_STALE, rbl_mesh_mass_properties(mesh, 1, &properties));
    shape_free(&box);
}

static void open_meshes_are_refused(void** state)
{
    (void)state;
    Shape box = make_box(1, 1, 1);
    box.face_count -= 1;
    box.corner_count -= 4;
    check_refused(&box, 1, RBL_ERROR_GEOMETRY, "not closed");
    shape_free(&box);
}

static void crowded_edges_are_refused(void** state)
{
    (void)state;
    Shape box = make_box(1, 1, 1);
    Shape fin = shape_new(10, 8, 40);
    for (uint32_t i = 0; i < 8; ++i)
    {
        shape_vertex(&fin, box.positions[i].x, box.positions[i].y, box.positions[i].z);
    }
    const uint32_t tip = shape_vertex(&fin, 3, 3, 0);
    for (uint32_t f = 0; f < 6; ++f)
    {
        shape_face(&fin, box.corners + 4 * f, 4);
    }
    shape_face(&fin, (uint32_t[]){3, 7, tip}, 3);
    shape_face(&fin, (uint32_t[]){7, 3, tip}, 3);
    check_refused(&fin, 1, RBL_ERROR_GEOMETRY, "not manifold");
    shape_free(&fin);
    shape_free(&box);
}

static void flipped_faces_are_refused(void** state)
{
    (void)state;
    Shape box = make_box(1, 1, 1);
    const uint32_t swap = box.corners[1];
    box.corners[1] = box.corners[3];
    box.corners[3] = swap;
    check_refused(&box, 1, RBL_ERROR_GEOMETRY, "not oriented");
    shape_free(&box);
}

static void inside_out_solids_are_refused(void** state)
{
    (void)state;
    Shape box = make_box(1, 1, 1);
    turn_over(&box);
    check_refused(&box, 1, RBL_ERROR_GEOMETRY, "negative");
    for (uint32_t i = 0; i < box.vertex_count; ++i)
    {
        box.positions[i].x = -box.positions[i].x;
    }
    const rblMassProperties p = measure_shape(&box, 1); // mirrored once more it is fine
    check_relative(p.volume, 8, 1e-15);
    shape_free(&box);
}

static void solids_without_volume_are_refused(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 1);
    for (int i = 0; i < 50; ++i)
    {
        Shape sheet = make_box(1, 0.7, 0); // a closed double sheet; rotated, its volume is rounding only
        const rblMat3d rotation = random_rotation(&random);
        move_shape(&sheet, &rotation, (rblVec3d){0.1 * i, 0, 0});
        check_refused(&sheet, 1, RBL_ERROR_GEOMETRY, "zero");
        shape_free(&sheet);
    }
}

static void the_smallest_moment_of_a_needle_is_right_however_it_lies(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(77, 3);
    for (double thin = 1e-3; thin > 1e-10; thin *= 0.1)
    {
        for (int i = 0; i < 8; ++i)
        {
            Shape needle = make_box(1, thin, 2 * thin);
            const rblMat3d rotation = random_rotation(&random);
            move_shape(&needle, &rotation, (rblVec3d){0, 0, 0});
            const rblMassProperties p = measure_shape(&needle, 1000);
            // The corners are rounded to 1e-16 of the length: so much of the thickness is not known.
            check_relative(p.moments.x, p.mass * 5 * thin * thin / 3, 1e-12 + 1e-14 / thin);
            check_relative(p.moments.z, p.mass * (1 + 4 * thin * thin) / 3, 1e-12 + 1e-14 / thin);
            shape_free(&needle);
        }
    }
}

static void inertia_that_vanishes_is_refused(void** state)
{
    (void)state;
    Shape tiny = make_box(1e-70, 1e-70, 1e-70); // the volume is a number, the inertia is not
    check_refused(&tiny, 1, RBL_ERROR_GEOMETRY, "underflow");
    shape_free(&tiny);
    Shape light = make_box(1e-40, 1e-40, 1e-40);
    check_refused(&light, 1e-300, RBL_ERROR_GEOMETRY, "underflow");
    shape_free(&light);
}

static void overflow_is_refused_and_tiny_is_not(void** state)
{
    (void)state;
    Shape huge = make_box(1e150, 1e150, 1e150);
    check_refused(&huge, 1, RBL_ERROR_GEOMETRY, "overflow");
    shape_free(&huge);
    Shape dense = make_box(1e40, 1e40, 1e40);
    check_refused(&dense, 1e300, RBL_ERROR_GEOMETRY, "overflow");
    shape_free(&dense);
    Shape tiny = make_box(1e-40, 1e-40, 1e-40);
    const rblMassProperties p = measure_shape(&tiny, 1);
    check_relative(p.volume, 8e-120, 1e-14);
    check_relative(p.moments.x, 8e-120 * 2e-80 / 3, 1e-14);
    shape_free(&tiny);
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void** state)
{
    (void)state;
    Shape star = make_star_prism(5);
    const rblMeshView view = shape_view(&star);
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    rblMassProperties properties;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        failing_allocator_start(&memory, granted);
        result = rbl_mass_properties(&view, 1, &memory.allocator, &properties);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
        assert_true(granted < 100);
    }
    shape_free(&star);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_densities_are_refused),
        cmocka_unit_test(stale_and_null_arguments_are_refused),
        cmocka_unit_test(open_meshes_are_refused),
        cmocka_unit_test(crowded_edges_are_refused),
        cmocka_unit_test(flipped_faces_are_refused),
        cmocka_unit_test(inside_out_solids_are_refused),
        cmocka_unit_test(solids_without_volume_are_refused),
        cmocka_unit_test(the_smallest_moment_of_a_needle_is_right_however_it_lies),
        cmocka_unit_test(inertia_that_vanishes_is_refused),
        cmocka_unit_test(overflow_is_refused_and_tiny_is_not),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests_name("mass_refusals", tests, NULL, NULL);
}
