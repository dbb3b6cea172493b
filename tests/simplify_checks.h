// Simplifying in tests, and what must hold of solids.
#ifndef RBL_TESTS_SIMPLIFY_CHECKS_H
#define RBL_TESTS_SIMPLIFY_CHECKS_H

#include "testing.h"

static inline rblMeshReport report_of(rblMeshId id)
{
    rblMeshReport report;
    check_ok(rbl_mesh_inspect(id, NULL, &report));
    return report;
}

static inline rblMeshId simplified(rblMeshId id, uint32_t target, double max_error, double* error)
{
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = target;
    options.max_error = max_error;
    rblMeshId out = {0, 0};
    check_ok(rbl_mesh_simplify(id, &options, &out, error));
    return out;
}

static const double no_limit = (double)INFINITY;

static inline void check_solid(rblMeshId id, const rblMeshReport* before)
{
    const rblMeshReport after = report_of(id);
    assert_true(after.closed == before->closed && after.manifold && after.oriented);
    assert_int_equal(after.components, before->components);
    assert_int_equal(after.genus, before->genus);
    assert_int_equal(after.isolated_vertices.count, 0);
    assert_int_equal(after.duplicate_faces.count, 0);
    assert_int_equal(after.degenerate_faces.count, 0);
    assert_int_equal(after.faces, after.triangles);
}

#endif
