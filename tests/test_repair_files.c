// Every mesh of tests/data/broken: what repair does to it, exactly. scripts/make-broken-meshes writes the
// files.
#include "testing.h"

#include <dirent.h>
#include <string.h>

typedef struct Case
{
    const char* file;
    const char* reason; // empty: it becomes solid; otherwise why not
    uint32_t counts[14];
    double volume; // when it becomes solid
    uint32_t components;
    int32_t genus;
} Case;

// The counts, in the order of rblRepairReport.
enum
{
    NON_FINITE,
    WELDED,
    CLEANED,
    DEGENERATE,
    DUPLICATE,
    T_JUNCTIONS,
    FINS,
    EDGES,
    FLIPPED,
    HOLES,
    FILLED,
    COMPONENTS,
    VERTICES,
    UNUSED
};

static const char* const count_names[] = {
    "dropped_non_finite",   "welded_vertices",    "cleaned_faces",  "dropped_degenerate", "dropped_duplicate",
    "resolved_t_junctions", "dropped_fins",       "split_edges",    "flipped_faces",      "filled_holes",
    "filled_faces",         "dropped_components", "split_vertices", "dropped_vertices",
};

static const Case cases[] = {
    {"all_inverted.obj", "", {[FLIPPED] = 48}, 44.09079, 1, 1},
    {"big_hole.obj", "", {[HOLES] = 1, [FILLED] = 22, [UNUSED] = 25}, 1, 1, 0},
    {"double_sided.obj", "", {[DUPLICATE] = 48}, 1, 1, 0},
    {"duplicate_faces.off", "", {[DUPLICATE] = 5}, 1, 1, 0},
    {"duplicate_shell.obj", "", {[DUPLICATE] = 6, [UNUSED] = 8}, 1, 1, 0},
    {"edge_joined.obj", "", {[EDGES] = 1, [VERTICES] = 2}, 2, 2, 0},
    {"fin.ply", "", {[FINS] = 2, [UNUSED] = 2}, 1, 1, 0},
    {"flipped_faces.off", "", {[FLIPPED] = 6}, 45.8133, 1, 1},
    {"gaps.ply", "", {[WELDED] = 160}, 0.9999999, 1, 0},
    {"hole.obj", "", {[HOLES] = 1, [FILLED] = 2}, 1, 1, 0},
    {"hollow_inverted.obj", "", {[FLIPPED] = 11}, 26, 2, 0},
    {"hollow_wrong.obj", "", {[FLIPPED] = 6}, 26, 2, 0},
    {"inner_wall.obj", "", {[FINS] = 8, [UNUSED] = 1}, 1, 1, 0},
    {"isolated_vertices.obj", "", {[UNUSED] = 2}, 1, 1, 0},
    {"long_loops.obj", "", {[HOLES] = 2, [FILLED] = 116}, 6.271709, 1, 0},
    {"many_holes.off", "", {[HOLES] = 6, [FILLED] = 12}, 50.9117, 1, 1},
    {"missing_strip.off",
     "147 pairs of faces intersect, such as 2 and 63; try remesh_cells",
     {[HOLES] = 2, [FILLED] = 20},
     0,
     0,
     0},
    {"moebius.obj", "1 component is one-sided like a Moebius strip: it has no inside", {0}, 0, 0, 0},
    {"nan_vertex.off", "", {[NON_FINITE] = 4, [HOLES] = 1, [FILLED] = 6, [UNUSED] = 1}, 0.9583333, 1, 0},
    {"noisy_soup.stl", "", {[WELDED] = 200}, 40.3499, 1, 1},
    {.file = "nothing_left.off",
     .reason = "repair: no face remains (faces not finite: 1, without area: 3, duplicates: 0, fins: 0; "
               "components without volume: 0)"},
    {.file = "open_sheet.off",
     .reason = "repair: no face remains (faces not finite: 0, without area: 0, duplicates: 0, fins: 0; "
               "components without volume: 1)"},
    {"overlapping.off", "18 pairs of faces intersect, such as 1 and 8; try remesh_cells", {0}, 0, 0, 0},
    {"pinched_edge.obj", "", {[EDGES] = 1, [VERTICES] = 2}, 10, 1, 1},
    {"pinched_holes.ply", "", {[HOLES] = 3, [FILLED] = 6}, 1, 1, 0},
    {"repeated_corners.obj", "", {[CLEANED] = 2}, 1, 1, 0},
    {"self_intersecting.obj", "24 pairs of faces intersect, such as 0 and 1; try remesh_cells", {0}, 0, 0, 0},
    {"slivers.obj", "", {[DEGENERATE] = 3, [T_JUNCTIONS] = 2}, 1, 1, 0},
    {"soup.obj", "", {[WELDED] = 200}, 40.34992, 1, 1},
    {"stray_faces.obj", "", {[COMPONENTS] = 2, [UNUSED] = 7}, 1, 1, 0},
    {"t_junctions.obj", "", {[T_JUNCTIONS] = 4}, 1, 1, 0},
    {"vertex_joined.off", "", {[VERTICES] = 1}, 2, 2, 0},
};

static void list_counts(const rblRepairReport* report, uint32_t counts[14])
{
    counts[NON_FINITE] = report->dropped_non_finite;
    counts[WELDED] = report->welded_vertices;
    counts[CLEANED] = report->cleaned_faces;
    counts[DEGENERATE] = report->dropped_degenerate;
    counts[DUPLICATE] = report->dropped_duplicate;
    counts[T_JUNCTIONS] = report->resolved_t_junctions;
    counts[FINS] = report->dropped_fins;
    counts[EDGES] = report->split_edges;
    counts[FLIPPED] = report->flipped_faces;
    counts[HOLES] = report->filled_holes;
    counts[FILLED] = report->filled_faces;
    counts[COMPONENTS] = report->dropped_components;
    counts[VERTICES] = report->split_vertices;
    counts[UNUSED] = report->dropped_vertices;
}

static rblMeshId load(const char* file)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/broken/%s", RBL_TEST_DATA, file);
    rblLoadOptions options = rbl_default_load_options();
    options.keep_non_finite = 1;
    rblMeshId mesh = {0, 0};
    check_ok(rbl_mesh_load(path, &options, &mesh));
    return mesh;
}

static void check_report(const Case* c, const rblRepairReport* report)
{
    uint32_t counts[14];
    list_counts(report, counts);
    for (int i = 0; i < 14; ++i)
    {
        if (counts[i] != c->counts[i])
        {
            fail_msg("%s: %s is %u, not %u", c->file, count_names[i], counts[i], c->counts[i]);
        }
    }
    assert_string_equal(report->reason, c->reason);
    assert_int_equal(report->solid, c->reason[0] == '\0');
    if (report->solid)
    {
        assert_true(report->after.closed && report->after.manifold && report->after.oriented);
        assert_true(report->after.outward);
        assert_int_equal(report->after.self_intersections.count, 0);
        check_relative(report->after.volume, c->volume, 1e-5);
        assert_int_equal(report->after.components, c->components);
        assert_int_equal(report->after.genus, c->genus);
    }
}

static void broken_files_end_solid_or_refused_with_the_reason(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        const rblMeshId mesh = load(cases[i].file);
        rblMeshId mended;
        rblRepairReport report;
        const rblResult result = rbl_mesh_repair(mesh, NULL, &mended, &report);
        if (result == RBL_OK)
        {
            check_report(&cases[i], &report);
            check_ok(rbl_mesh_destroy(mended));
        }
        else
        {
            assert_int_equal(result, RBL_ERROR_GEOMETRY);
            assert_string_equal(rbl_last_error(), cases[i].reason);
        }
        check_ok(rbl_mesh_destroy(mesh));
    }
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void mending_twice_changes_nothing_more(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        const rblMeshId mesh = load(cases[i].file);
        rblMeshId mended;
        rblRepairReport report;
        if (rbl_mesh_repair(mesh, NULL, &mended, &report) == RBL_OK)
        {
            rblMeshId again;
            rblRepairReport second;
            uint32_t counts[14];
            check_ok(rbl_mesh_repair(mended, NULL, &again, &second));
            list_counts(&second, counts);
            for (int k = 0; k < 14; ++k)
            {
                if (counts[k] != 0)
                {
                    fail_msg("%s: %s is %u the second time", cases[i].file, count_names[k], counts[k]);
                }
            }
            assert_int_equal(second.solid, report.solid);
            assert_string_equal(second.reason, report.reason);
            check_ok(rbl_mesh_destroy(again));
            check_ok(rbl_mesh_destroy(mended));
        }
        check_ok(rbl_mesh_destroy(mesh));
    }
}

static void every_broken_file_has_a_case(void** state)
{
    (void)state;
    DIR* folder = opendir(RBL_TEST_DATA "/broken");
    assert_non_null(folder);
    size_t files = 0;
    for (const struct dirent* entry = readdir(folder); entry != NULL; entry = readdir(folder))
    {
        files += entry->d_name[0] != '.';
    }
    closedir(folder);
    assert_int_equal(files, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_files_end_solid_or_refused_with_the_reason),
        cmocka_unit_test(mending_twice_changes_nothing_more),
        cmocka_unit_test(every_broken_file_has_a_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
