#include "testing.h"

#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids.h"

#define PI 3.14159265358979323846

static rblMesh* make_box(void)
{
    rblMesh* mesh;
    check_ok(rbl_make_box(rbl_vec3d(2, 2, 2), (const uint32_t[3]){1, 1, 1}, rbl_default_allocator(), &mesh));
    return mesh;
}

static void check_vector(const float* actual, double x, double y, double z)
{
    check_close(actual[0], x, 1e-6);
    check_close(actual[1], y, 1e-6);
    check_close(actual[2], z, 1e-6);
}

static void a_cube_is_flat_below_its_edge_angle(void** state)
{
    (void)state;
    rblMesh* mesh = make_box();
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    float normals[24 * 3];
    check_ok(rbl_corner_normals(view, 0.49 * PI, rbl_default_allocator(), normals));
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const rblVec3d face = rbl_scale3d(rbl_face_normal_area2(view, c / 4), 1.0 / 8.0);
        check_vector(normals + 3 * c, face.x, face.y, face.z);
    }
    rbl_mesh_free(mesh);
}

static void check_cube_smooth(const rblMeshView* view, double crease_angle)
{
    float normals[36 * 3];
    check_ok(rbl_corner_normals(view, crease_angle, rbl_default_allocator(), normals));
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const rblVec3d p = view->positions[view->corner_vertices[c]];
        const double s = 1.0 / sqrt(3.0);
        check_vector(normals + 3 * c, s * p.x, s * p.y, s * p.z);
    }
}

static void a_cube_is_smooth_above_its_edge_angle_however_it_is_cut(void** state)
{
    (void)state;
    rblMesh* mesh = make_box();
    check_cube_smooth(rbl_mesh_get_view(mesh), 0.51 * PI);
    check_cube_smooth(rbl_mesh_get_view(mesh), PI);
    // Two triangles meet at some corners of the cube and one at others: weights by angle do not see it.
    rblMesh* triangles;
    check_ok(rbl_mesh_triangulated(rbl_mesh_get_view(mesh), rbl_default_allocator(), &triangles));
    check_cube_smooth(rbl_mesh_get_view(triangles), 0.51 * PI);
    rbl_mesh_free(triangles);
    rbl_mesh_free(mesh);
}

// Two squares folded along an edge by `angle`; vertex 0 and 1 are the edge.
static void folded_squares(double angle, rblVec3d positions[6])
{
    positions[0] = rbl_vec3d(0, 0, 0);
    positions[1] = rbl_vec3d(0, 0, 1);
    positions[2] = rbl_vec3d(1, 0, 1);
    positions[3] = rbl_vec3d(1, 0, 0);
    positions[4] = rbl_vec3d(-cos(angle), -sin(angle), 0);
    positions[5] = rbl_vec3d(-cos(angle), -sin(angle), 1);
}

static void an_edge_is_split_exactly_above_the_crease_angle(void** state)
{
    (void)state;
    static const uint32_t starts[] = {0, 4, 8};
    static const uint32_t corners[] = {0, 1, 2, 3, 1, 0, 4, 5};
    rblVec3d positions[6];
    folded_squares(0.5, positions);
    const rblMeshView view = {.vertex_count = 6,
                              .face_count = 2,
                              .corner_count = 8,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners};
    float normals[24];
    check_ok(rbl_corner_normals(&view, 0.51, rbl_default_allocator(), normals));
    check_vector(normals, -sin(0.25), cos(0.25), 0); // at vertex 0 of the first face: halfway
    check_vector(normals + 3 * 5, -sin(0.25), cos(0.25), 0);
    check_vector(normals + 3 * 2, 0, 1, 0); // away from the edge
    check_ok(rbl_corner_normals(&view, 0.49, rbl_default_allocator(), normals));
    check_vector(normals, 0, 1, 0);
    check_vector(normals + 3 * 5, -sin(0.5), cos(0.5), 0);
}

static void flipped_and_crowded_edges_are_creases(void** state)
{
    (void)state;
    // The second square runs the same way along the shared edge, so it looks the other way. The third stands
    // on it.
    static const uint32_t starts[] = {0, 4, 8, 12};
    static const uint32_t corners[] = {0, 1, 2, 3, 0, 1, 5, 4, 1, 0, 6, 7};
    rblVec3d positions[8] = {[6] = {0, 1, 0}, [7] = {0, 1, 1}};
    folded_squares(0.0, positions);
    rblMeshView view = {.vertex_count = 8,
                        .face_count = 2,
                        .corner_count = 8,
                        .positions = positions,
                        .face_starts = starts,
                        .corner_vertices = corners};
    float normals[36];
    for (view.face_count = 2; view.face_count <= 3; ++view.face_count)
    {
        view.corner_count = 4 * view.face_count;
        check_ok(rbl_corner_normals(&view, PI, rbl_default_allocator(), normals));
        for (uint32_t c = 0; c < view.corner_count; ++c)
        {
            check_vector(normals + 3 * c, c / 4 == 2 ? 1 : 0, c / 4 == 2 ? 0 : (c / 4 == 1 ? -1 : 1), 0);
        }
    }
}

static void a_face_without_area_takes_its_neighbours_normal(void** state)
{
    (void)state;
    // A sliver of three points in line between two triangles of the plane y = 0; and one all alone.
    static const rblVec3d positions[] = {{0, 0, 0},  {0, 0, 2}, {2, 0, 0}, {0, 0, 1},
                                         {-1, 0, 0}, {5, 5, 5}, {6, 6, 6}, {7, 7, 7}};
    static const uint32_t starts[] = {0, 3, 6, 9, 12};
    static const uint32_t corners[] = {0, 1, 2, 1, 0, 3, 0, 4, 3, 5, 6, 7};
    const rblMeshView view = {.vertex_count = 8,
                              .face_count = 4,
                              .corner_count = 12,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners};
    float normals[36];
    check_ok(rbl_corner_normals(&view, 0.1, rbl_default_allocator(), normals));
    for (uint32_t c = 0; c < 12; ++c)
    {
        check_vector(normals + 3 * c, 0, 1, 0);
    }
}

// A copy of the first `layers` layers of a mesh, with a normal layer after them.
static rblResult add_normals(const rblMesh* mesh, uint32_t layers, double crease_angle,
                             const rblAllocator* allocator, rblMesh** out)
{
    rblMeshView view = *rbl_mesh_get_view(mesh);
    view.layer_count = layers;
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, allocator);
    rbl_mesh_builder_copy(&builder, &view);
    const rblResult result = rbl_mesh_builder_add_normals(&builder, crease_angle);
    if (result != RBL_OK)
    {
        rbl_mesh_builder_discard(&builder);
        return result;
    }
    return rbl_mesh_builder_finish(&builder, out);
}

static void normals_are_added_after_the_other_layers(void** state)
{
    (void)state;
    rblMesh* mesh = make_box(); // layers: UV, normals
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    rblMesh* smooth;
    check_ok(add_normals(mesh, 1, PI, rbl_default_allocator(), &smooth));
    const rblMeshView* result = rbl_mesh_get_view(smooth);
    assert_int_equal(result->layer_count, 2);
    assert_int_equal(result->layers[1].kind, RBL_LAYER_NORMAL);
    assert_memory_equal(result->layers[0].data, view->layers[0].data, sizeof(float) * 2 * view->corner_count);
    assert_memory_equal(result->corner_vertices, view->corner_vertices,
                        sizeof(uint32_t) * view->corner_count);
    check_close(fabs((double)result->layers[1].data[0]), 1.0 / sqrt(3.0), 1e-6);
    rbl_mesh_free(smooth);
    rbl_mesh_free(mesh);
}

static void crease_angles_out_of_range_are_refused(void** state)
{
    (void)state;
    rblMesh* mesh = make_box();
    const double wrong[] = {-0.01, 3.15, (double)NAN, (double)INFINITY};
    rblMesh* out = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, add_normals(mesh, 1, wrong[i], rbl_default_allocator(), &out));
        assert_null(out);
    }
    rbl_mesh_free(mesh);
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    rblMesh* mesh = make_box();
    for (size_t granted = 0;; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblMesh* out = NULL;
        const rblResult result = add_normals(mesh, 1, 1.0, &memory.allocator, &out);
        if (result == RBL_OK)
        {
            assert_true(granted > 5);
            rbl_mesh_free(out);
            assert_int_equal(memory.live, 0);
            break;
        }
        assert_int_equal(result, RBL_ERROR_MEMORY);
        assert_null(out);
        assert_int_equal(memory.live, 0);
    }
    rbl_mesh_free(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cube_is_flat_below_its_edge_angle),
        cmocka_unit_test(a_cube_is_smooth_above_its_edge_angle_however_it_is_cut),
        cmocka_unit_test(an_edge_is_split_exactly_above_the_crease_angle),
        cmocka_unit_test(flipped_and_crowded_edges_are_creases),
        cmocka_unit_test(a_face_without_area_takes_its_neighbours_normal),
        cmocka_unit_test(normals_are_added_after_the_other_layers),
        cmocka_unit_test(crease_angles_out_of_range_are_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
