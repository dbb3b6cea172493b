// What every procedural solid must be, and short ways to make one. Include after testing.h.
#ifndef RBL_TESTS_SOLID_CHECKS_H
#define RBL_TESTS_SOLID_CHECKS_H

#include "base/hash_map.h"
#include "math/vec.h"
#include "mesh/mesh.h"

static inline void check_layers(const rblMeshView* view)
{
    assert_int_equal(view->layer_count, 2);
    assert_int_equal(view->layers[0].kind, RBL_LAYER_UV);
    assert_int_equal(view->layers[1].kind, RBL_LAYER_NORMAL);
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const rblVec3d face = rbl_normalize3d(rbl_face_normal_area2(view, f), rbl_vec3d(0, 0, 0));
        const uint32_t begin = view->face_starts[f];
        const uint32_t end = view->face_starts[f + 1];
        const float* uv0 = view->layers[0].data + 2 * begin;
        double area = 0.0;
        for (uint32_t c = begin; c < end; ++c)
        {
            const float* n = view->layers[1].data + 3 * (size_t)c;
            const rblVec3d normal = {(double)n[0], (double)n[1], (double)n[2]};
            check_close(rbl_length3d(normal), 1.0, 1e-6);
            if (!(rbl_dot3d(normal, face) > 0.0))
            {
                fail_msg("the normal of corner %u looks away from face %u", c, f);
            }
            const float* a = view->layers[0].data + 2 * (size_t)c;
            const float* b = c + 1 < end ? a + 2 : uv0;
            assert_true(rbl_finite((double)a[0]) && rbl_finite((double)a[1]));
            area += (double)(a[0] - uv0[0]) * (double)(b[1] - uv0[1]) -
                    (double)(a[1] - uv0[1]) * (double)(b[0] - uv0[0]);
        }
        if (!(area > 0.0))
        {
            fail_msg("face %u has no area in its UVs, or is mirrored", f);
        }
    }
}

static inline rblMeshReport check_solid(const char* what, rblMeshId mesh, uint32_t components, int32_t genus)
{
    rblMeshReport report;
    rblMeshView view;
    check_ok(rbl_mesh_inspect(mesh, NULL, &report));
    check_ok(rbl_mesh_view(mesh, &view));
    if (!report.closed || !report.manifold || !report.oriented || !report.outward ||
        report.isolated_vertices.count > 0 || report.degenerate_faces.count > 0 ||
        report.duplicate_faces.count > 0)
    {
        fail_msg(
            "%s: closed %d, manifold %d, oriented %d, outward %d, %u isolated vertices, %u degenerate faces",
            what, report.closed, report.manifold, report.oriented, report.outward,
            report.isolated_vertices.count, report.degenerate_faces.count);
    }
    if (report.self_intersections.count > 0)
    {
        fail_msg("%s: %u self-intersections, first between faces %u and %u", what,
                 report.self_intersections.count, report.intersecting_faces[0][0],
                 report.intersecting_faces[0][1]);
    }
    if (report.components != components || report.genus != genus)
    {
        fail_msg("%s: %u components of genus %d instead of %u and %d", what, report.components, report.genus,
                 components, genus);
    }
    check_layers(&view);
    return report;
}

#define N1(text, a)                                                                                          \
    {                                                                                                        \
        (text), (const double[]){(a)}, 1                                                                     \
    }
#define N3(text, a, b, c)                                                                                    \
    {                                                                                                        \
        (text), (const double[]){(a), (b), (c)}, 3                                                           \
    }
#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

static inline rblMeshReport make_and_check(const char* kind, const rblSolidValue* values, uint32_t count,
                                           uint32_t components, int32_t genus)
{
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, values, count, &mesh));
    const rblMeshReport report = check_solid(kind, mesh, components, genus);
    check_ok(rbl_mesh_destroy(mesh));
    return report;
}

// Of everything in it, bit by bit.
static inline uint64_t hash_mesh(const char* kind, const rblSolidValue* values, uint32_t count)
{
    rblMeshId mesh;
    rblMeshView view;
    check_ok(rbl_mesh_make(kind, values, count, &mesh));
    check_ok(rbl_mesh_view(mesh, &view));
    uint64_t hash =
        rbl_hash_bytes(RBL_HASH_START, view.positions, sizeof *view.positions * view.vertex_count);
    hash = rbl_hash_bytes(hash, view.face_starts, sizeof *view.face_starts * (view.face_count + 1));
    hash = rbl_hash_bytes(hash, view.corner_vertices, sizeof *view.corner_vertices * view.corner_count);
    for (uint32_t i = 0; i < view.layer_count; ++i)
    {
        hash = rbl_hash_bytes(hash, view.layers[i].data,
                              sizeof(float) * view.layers[i].components * view.corner_count);
    }
    check_ok(rbl_mesh_destroy(mesh));
    return hash;
}

#endif
