// Mending meshes in tests, and what must hold of every outcome.
#ifndef RBL_TESTS_REPAIR_CHECKS_H
#define RBL_TESTS_REPAIR_CHECKS_H

#include "mesh/mesh.h"
#include "shapes.h"

static inline rblMeshId registered(rblMeshBuilder* builder)
{
    rblMeshId id = {0, 0};
    check_ok(rbl_mesh_register(finish_shape(builder), &id));
    return id;
}

static inline rblMeshView view_of(rblMeshId id)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(id, &view));
    return view;
}

static inline uint64_t count_changes(const rblRepairReport* report)
{
    return (uint64_t)report->dropped_non_finite + report->welded_vertices + report->cleaned_faces +
           report->dropped_degenerate + report->dropped_duplicate + report->resolved_t_junctions +
           report->dropped_fins + report->split_edges + report->flipped_faces + report->filled_holes +
           report->filled_faces + report->dropped_components + report->split_vertices +
           report->cut_crossings + report->remeshed + report->dropped_vertices;
}

static inline void check_same_mesh(const rblMeshView* a, const rblMeshView* b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_int_equal(a->layer_count, b->layer_count);
    assert_int_equal(a->material_count, b->material_count);
    assert_int_equal(a->group_count, b->group_count);
    assert_memory_equal(a->positions, b->positions, sizeof *a->positions * a->vertex_count);
    assert_memory_equal(a->face_starts, b->face_starts, sizeof *a->face_starts * a->face_count);
    assert_memory_equal(a->corner_vertices, b->corner_vertices, sizeof *a->corner_vertices * a->corner_count);
    assert_memory_equal(a->face_materials, b->face_materials, sizeof *a->face_materials * a->face_count);
    assert_memory_equal(a->face_groups, b->face_groups, sizeof *a->face_groups * a->face_count);
    assert_memory_equal(a->face_origins, b->face_origins, sizeof *a->face_origins * a->face_count);
    for (uint32_t i = 0; i < a->layer_count; ++i)
    {
        assert_int_equal(a->layers[i].kind, b->layers[i].kind);
        assert_memory_equal(a->layers[i].data, b->layers[i].data,
                            sizeof(float) * a->layers[i].components * a->corner_count);
    }
    for (uint32_t i = 0; i < a->material_count; ++i)
    {
        assert_string_equal(a->material_names[i], b->material_names[i]);
    }
}

// Refused meshes that a second repair changed once more: where a hole can only be closed by a face that lies
// on another one, it is opened and closed again. Rare even among random faces.
static uint32_t unstable_count;

// What the verdict claims is so, and mending once more changes nothing.
static inline void check_outcome(rblMeshId mended, const rblRepairReport* report)
{
    rblMeshReport found;
    rblInspectOptions quick = rbl_default_inspect_options();
    quick.self_intersections = false; // touching counts there
    check_ok(rbl_mesh_inspect(mended, &quick, &found));
    assert_int_equal(report->solid, report->reason[0] == '\0');
    assert_int_equal(found.faces, report->after.faces);
    if (report->solid)
    {
        assert_true(found.closed && found.manifold && found.oriented && found.outward);
        assert_true(found.volume > 0);
        assert_int_equal(found.degenerate_faces.count + found.duplicate_faces.count, 0);
        assert_int_equal(report->after.self_intersections.count, 0);
    }
    assert_int_equal(found.isolated_vertices.count, 0);
    rblMeshId again;
    rblRepairReport second;
    check_ok(rbl_mesh_repair(mended, NULL, &again, &second));
    if (count_changes(&second) != 0)
    {
        if (report->solid)
        {
            fail_msg("a second repair changes %llu things", (unsigned long long)count_changes(&second));
        }
        unstable_count += 1;
        check_ok(rbl_mesh_destroy(again));
        return;
    }
    assert_int_equal(second.solid, report->solid);
    assert_string_equal(second.reason, report->reason);
    const rblMeshView a = view_of(mended);
    const rblMeshView b = view_of(again);
    check_same_mesh(&a, &b);
    check_ok(rbl_mesh_destroy(again));
}

static inline rblMeshId mend(rblMeshId mesh, rblRepairReport* report)
{
    rblMeshId mended = {0, 0};
    check_ok(rbl_mesh_repair(mesh, NULL, &mended, report));
    check_outcome(mended, report);
    return mended;
}

static inline rblMeshId mend_solid(rblMeshId mesh, rblRepairReport* report)
{
    const rblMeshId mended = mend(mesh, report);
    if (!report->solid)
    {
        fail_msg("not solid: %s", report->reason);
    }
    return mended;
}

// A torus or a box of n x n faces a side, with attributes that tell every corner apart.
static inline rblMeshId make_marked(bool round, uint32_t n, bool triangles)
{
    rblMeshBuilder plain = start_shape();
    if (round)
    {
        add_torus(&plain, 3 * n, 2 * n, (rblVec3d){0, 0, 0}, false);
    }
    else
    {
        add_grid_box(&plain, n);
    }
    rblMesh* mesh = finish_shape(&plain);
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    rblMeshBuilder marked = start_shape();
    rbl_mesh_builder_layer(&marked, RBL_LAYER_UV);
    rbl_mesh_builder_layer(&marked, RBL_LAYER_COLOR);
    rbl_mesh_builder_material(&marked, "stone");
    rbl_mesh_builder_material(&marked, "moss");
    rbl_mesh_builder_material(&marked, "sand");
    rbl_mesh_builder_group(&marked, "lower");
    rbl_mesh_builder_group(&marked, "upper");
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(&marked, view->positions[v]);
    }
    uint32_t made = 0;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const uint32_t* q = view->corner_vertices + view->face_starts[f];
        const uint32_t parts[3][4] = {{q[0], q[1], q[2], q[3]}, {q[0], q[1], q[2], 0}, {q[0], q[2], q[3], 0}};
        for (uint32_t part = triangles ? 1 : 0; part < (triangles ? 3 : 1); ++part)
        {
            for (uint32_t i = 0; i < (triangles ? 3 : 4); ++i)
            {
                const uint32_t c = rbl_mesh_builder_corner(&marked, parts[part][i]);
                rbl_mesh_builder_set(&marked, 0, c, (const float[2]){(float)made, (float)parts[part][i]});
                rbl_mesh_builder_set(&marked, 1, c, (const float[4]){(float)i, (float)(made % 7), 0.5f, 1});
            }
            rbl_mesh_builder_face(&marked, made % 3, made % 2, made);
            made += 1;
        }
    }
    rbl_mesh_free(mesh);
    return registered(&marked);
}

#endif
