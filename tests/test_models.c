// Real models: what is known about them comes out.
#include "testing.h"

#include "models.h"

static uint32_t checked;

static void real_models_are_solids_of_known_genus(void** state)
{
    (void)state;
    static const struct
    {
        const char* name;
        uint32_t vertices, triangles;
        int32_t genus;
        uint32_t intersections;
    } models[] = {
        {"bunny_7k.off", 3485, 6966, 0, 0},        {"bunny_75k.off", 37706, 75408, 0, 0},
        {"armadillo_86k.obj", 43243, 86482, 0, 0}, {"dragon_100k.obj", 50000, 100000, 1, 25},
        {"fandisk_13k.obj", 6475, 12946, 0, 0},    {"cheese_18k.off", 8629, 17786, 133, 0},
        {"spot_6k.obj", 2930, 5856, 0, 0},
    };
    for (size_t i = 0; i < sizeof models / sizeof *models; ++i)
    {
        const char* path = model_path(models[i].name);
        if (path == NULL)
        {
            continue;
        }
        checked += 1;
        rblMeshId id;
        rblMeshReport report;
        check_ok(rbl_mesh_load(path, NULL, &id));
        check_ok(rbl_mesh_inspect(id, NULL, &report));
        check_ok(rbl_mesh_destroy(id));
        assert_int_equal(report.vertices, models[i].vertices);
        assert_int_equal(report.triangles, models[i].triangles);
        assert_true(report.closed && report.manifold && report.oriented && report.outward);
        assert_int_equal(report.components, 1);
        assert_int_equal(report.genus, models[i].genus);
        assert_int_equal(report.self_intersections.count, models[i].intersections);
        assert_int_equal(report.degenerate_faces.count + report.duplicate_faces.count, 0);
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
    print_message("%u of %zu models checked\n", checked, sizeof models / sizeof *models);
    if (checked == 0)
    {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_models_are_solids_of_known_genus),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed == 0 && checked == 0 ? SKIPPED : failed;
}
