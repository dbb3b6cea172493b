// What the tests of isosurfaces share.
#ifndef RBL_TESTS_ISOSURFACE_CHECKS_H
#define RBL_TESTS_ISOSURFACE_CHECKS_H

#include "base/hash_map.h"
#include "rubble/rubble.h"
#include <stdlib.h>

#ifdef NDEBUG
#define LONG_RUN 1
#else
#define LONG_RUN 0
#endif

static inline uint64_t directed_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

static inline uint32_t corner_after(const rblMeshView* view, const uint32_t* corner_faces, uint32_t corner)
{
    const uint32_t face = corner_faces[corner];
    return corner + 1 == view->face_starts[face + 1] ? view->face_starts[face] : corner + 1;
}

// Every half-edge once, with its opposite once: closed, edge-manifold, oriented. Every vertex used, with one fan. Found
// without the library's own topology.
static inline void check_manifold(const rblMeshView* view)
{
    uint32_t* faces = malloc(sizeof(uint32_t) * view->corner_count);
    uint32_t* used = calloc(view->vertex_count, sizeof(uint32_t));
    uint32_t* some = malloc(sizeof(uint32_t) * view->vertex_count);
    rblHashMap map;
    rbl_hash_map_init(&map, rbl_default_allocator());
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        for (uint32_t c = view->face_starts[f]; c < view->face_starts[f + 1]; ++c)
        {
            faces[c] = f;
            used[view->corner_vertices[c]] += 1;
            some[view->corner_vertices[c]] = c;
        }
    }
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const uint32_t a = view->corner_vertices[c];
        const uint32_t b = view->corner_vertices[corner_after(view, faces, c)];
        bool added;
        assert_non_null(rbl_hash_map_get_or_add(&map, directed_key(a, b), c, &added));
        assert_true(added && a != b);
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        assert_true(used[v] >= 3);
        uint32_t count = 0;
        uint32_t c = some[v];
        do // turn to the face on the other side of the half-edge that leaves v
        {
            const uint32_t next = view->corner_vertices[corner_after(view, faces, c)];
            const uint32_t twin = rbl_hash_map_find(&map, directed_key(next, v));
            assert_true(twin != RBL_MAP_EMPTY);
            c = corner_after(view, faces, twin);
            count += 1;
        } while (c != some[v] && count <= used[v]);
        assert_int_equal(count, used[v]);
    }
    rbl_hash_map_free(&map);
    free(faces);
    free(used);
    free(some);
}

static inline rblMeshReport inspect(rblMeshId mesh)
{
    rblMeshReport report;
    check_ok(rbl_mesh_inspect(mesh, NULL, &report));
    return report;
}

// Everything that must hold for every field.
static inline rblMeshReport check_sound(rblMeshId mesh)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(mesh, &view));
    check_manifold(&view);
    const rblMeshReport report = inspect(mesh);
    assert_true(report.closed && report.manifold && report.oriented);
    assert_int_equal(report.degenerate_faces.count, 0);
    assert_int_equal(report.duplicate_faces.count, 0);
    if (report.self_intersections.count != 0)
    {
        fail_msg("%u self-intersections, first of faces %u and %u", report.self_intersections.count,
                 report.intersecting_faces[0][0], report.intersecting_faces[0][1]);
    }
    return report;
}

static inline rblIsosurfaceDef make_def(rblFieldFcn* field, void* context, uint32_t cells)
{
    rblIsosurfaceDef def = rbl_default_isosurface_def();
    def.field = field;
    def.context = context;
    for (int i = 0; i < 3; ++i)
    {
        def.cells[i] = cells;
    }
    return def;
}

static inline rblMeshId extract(const rblIsosurfaceDef* def)
{
    rblMeshId mesh = {0};
    check_ok(rbl_mesh_isosurface(def, &mesh));
    return mesh;
}

#endif
