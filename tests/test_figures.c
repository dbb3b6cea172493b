// The sculpted solids: piggy bank and statue. Apart from the others because extraction takes its time.
#include "testing.h"

#include "failing_allocator.h"
#include "solid_checks.h"

static void the_default_piggy_bank_is_one_surface_with_a_slot(void** state)
{
    (void)state;
    const rblMeshReport report = make_and_check("piggybank", NULL, 0, 1, 0);
    assert_int_equal(report.triangles, 12000);
    check_close(report.bounds.lower.y, 0.0, 0.0);
    check_close(report.bounds.upper.z - report.bounds.lower.z, 0.2, 1e-15);
    check_close(report.bounds.lower.x + report.bounds.upper.x, 0.0, 1e-3);
}

static void the_default_statue_stands_on_its_plinth(void** state)
{
    (void)state;
    rblMeshId mesh;
    check_ok(rbl_mesh_make("statue", NULL, 0, &mesh));
    const rblMeshReport report = check_solid("statue", mesh, 1, 0);
    assert_int_equal(report.triangles, 9000);
    check_close(report.bounds.lower.y, 0.0, 0.0);
    check_close(report.bounds.upper.y, 0.4, 1e-15);
    // Its weight lies well inside the foot of the plinth: it does not fall over.
    rblMassProperties mass;
    check_ok(rbl_mesh_mass_properties(mesh, 2600.0, &mass));
    check_close(mass.center.x, 0.0, 1e-4);
    assert_true(mass.center.z > 0.6 * report.bounds.lower.z && mass.center.z < 0.6 * report.bounds.upper.z);
    check_ok(rbl_mesh_destroy(mesh));
}

static void without_a_slot_the_hollow_is_sealed(void** state)
{
    (void)state;
    const rblSolidValue sealed[] = {N1("slot", 0), N1("resolution", 48)};
    const rblSolidValue open[] = {N1("slot", 0.2), N1("resolution", 48)};
    const rblSolidValue thick[] = {N1("slot", 0.1), N1("resolution", 48), N1("thickness", 0.033)};
    const double whole = make_and_check("piggybank", sealed, 2, 2, 0).volume;
    const double slotted = make_and_check("piggybank", open, 2, 1, 0).volume;
    assert_true(slotted < whole && slotted > 0.95 * whole);
    assert_true(make_and_check("piggybank", thick, 3, 1, 0).volume > whole);
}

static void figures_hold_at_any_resolution(void** state)
{
    (void)state;
    static const double pig_cells[] = {48, 53, 61};
    for (size_t i = 0; i < COUNT_OF(pig_cells); ++i)
    {
        const rblSolidValue values[] = {N1("resolution", pig_cells[i]), N1("triangles", i == 0 ? 3000 : 0)};
        check_relative(make_and_check("piggybank", values, 2, 1, 0).volume, 7.315e-4, 0.01);
    }
    static const double statue_cells[] = {56, 63, 77};
    for (size_t i = 0; i < COUNT_OF(statue_cells); ++i)
    {
        const rblSolidValue values[] = {N1("resolution", statue_cells[i]),
                                        N1("triangles", i == 0 ? 3000 : 0)};
        check_relative(make_and_check("statue", values, 2, 1, 0).volume, 3.84e-3, 0.01);
    }
}

static void figures_scale(void** state)
{
    (void)state;
    const rblSolidValue pig[] = {N1("length", 20), N1("thickness", 1.4), N1("resolution", 48)};
    const rblSolidValue same[] = {N1("resolution", 48)};
    const double large = make_and_check("piggybank", pig, 3, 1, 0).volume;
    check_relative(large, 1e6 * make_and_check("piggybank", same, 1, 1, 0).volume, 1e-3);
}

static void check_refused(const char* kind, rblSolidValue value, const char* message)
{
    rblMeshId mesh = {77, 78};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_make(kind, &value, 1, &mesh));
    assert_string_equal(rbl_last_error(), message);
    assert_int_equal(mesh.index1, 77);
}

static void figures_that_cannot_be_are_refused(void** state)
{
    (void)state;
    check_refused("piggybank", (rblSolidValue)N1("thickness", 0.004),
                  "piggybank: thickness must be at least twice length / resolution, the size of a grid cell");
    check_refused("piggybank", (rblSolidValue)N1("thickness", 0.04),
                  "piggybank: thickness must be at most a sixth of the length");
    check_refused("piggybank", (rblSolidValue)N1("slot", 0.05), "piggybank: slot must be 0 or at least 0.1");
    check_refused("piggybank", (rblSolidValue)N1("triangles", 2999),
                  "piggybank: triangles must be 0 or at least 3000");
    check_refused("statue", (rblSolidValue)N1("triangles", 1),
                  "statue: triangles must be 0 or at least 3000");
}

static rblResult make_with_allocations(size_t granted, const rblSolidValue* values, uint32_t count)
{
    FailingAllocator memory;
    failing_allocator_start(&memory, granted);
    check_ok(rbl_set_allocator(&memory.allocator));
    rblMeshId mesh = {0, 0};
    const rblResult result = rbl_mesh_make("statue", values, count, &mesh);
    if (result == RBL_OK)
    {
        check_ok(rbl_mesh_destroy(mesh));
    }
    check_ok(rbl_set_allocator(NULL));
    assert_int_equal(memory.live, 0);
    return result;
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    // Every early failure, then further and further apart: a full sweep would take minutes.
    const rblSolidValue coarse[] = {N1("resolution", 56), N1("triangles", 3000)};
    size_t granted = 0;
    for (rblResult result = RBL_ERROR_MEMORY; result != RBL_OK; granted += 1 + granted / 4)
    {
        result = make_with_allocations(granted, coarse, 2);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
    }
    assert_true(granted > 20);
}

static void any_number_of_workers_makes_the_same_bits(void** state)
{
    (void)state;
    const rblSolidValue pig[] = {N1("resolution", 48), N1("triangles", 5000)};
    const uint64_t alone = hash_mesh("piggybank", pig, 2);
    const rblTasks tasks = tasks_of(4);
    check_ok(rbl_set_tasks(&tasks));
    const uint64_t together = hash_mesh("piggybank", pig, 2);
    check_ok(rbl_set_tasks(NULL));
    assert_int_equal(alone, together);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_piggy_bank_is_one_surface_with_a_slot),
        cmocka_unit_test(the_default_statue_stands_on_its_plinth),
        cmocka_unit_test(without_a_slot_the_hollow_is_sealed),
        cmocka_unit_test(figures_hold_at_any_resolution),
        cmocka_unit_test(figures_scale),
        cmocka_unit_test(figures_that_cannot_be_are_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(any_number_of_workers_makes_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
