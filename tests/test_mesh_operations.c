// The operations of meshes that copy: triangulate, transform, join.
#include "testing.h"

#include "base/random.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "mesh_samples.h"
#include "shapes.h"

static void triangulation_keeps_every_corner_attribute(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshId id;
    rblMeshId out;
    check_ok(rbl_mesh_create(&s.view, &id));
    check_ok(rbl_mesh_triangulate(id, &out));
    const rblMeshView view = view_of(out);
    assert_int_equal(view.face_count, 5);
    assert_int_equal(view.corner_count, 15);
    check_names(view.material_names, view.material_count, s.material_names, 2);
    for (uint32_t f = 0; f < 5; ++f)
    {
        const uint32_t face = f < 2 ? f : 2;
        assert_int_equal(view.face_starts[f], 3 * f);
        assert_int_equal(view.face_origins[f], face);
        assert_int_equal(view.face_materials[f], s.materials[face]);
        assert_int_equal(view.face_groups[f], s.groups[face]);
    }
    for (uint32_t c = 0; c < 15; ++c)
    {
        const uint32_t corner =
            (uint32_t)view.layers[0].data[2 * c]; // the first UV layer holds the corner's number
        assert_int_equal(view.corner_vertices[c], s.corners[corner]);
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t n = s.layers[i].components;
            assert_memory_equal(view.layers[i].data + n * c, s.layers[i].data + n * corner,
                                n * sizeof(float));
        }
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_triangulate(id, NULL));
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(out));
}

static rblMat3d random_matrix(rblRandom* random)
{
    double m[9];
    for (int i = 0; i < 9; ++i)
    {
        m[i] = rbl_random_range(random, -2, 2);
    }
    return (rblMat3d){{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
}

static double determinant(const rblMat3d* m)
{
    return rbl_dot3d(m->cx, rbl_cross3d(m->cy, m->cz));
}

static double signed_volume(const rblMeshView* view)
{
    double volume = 0;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const rblVec3d normal = rbl_face_normal_area2(view, f);
        volume += rbl_dot3d(normal, view->positions[view->corner_vertices[view->face_starts[f]]]) / 6;
    }
    return volume;
}

// A cube whose corner normals are those of its faces.
static rblMeshId make_cube_with_normals(void)
{
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, -1, 1, true);
    const uint32_t layer = rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    for (uint32_t c = 0; c < 24; ++c)
    {
        float normal[3] = {0, 0, 0};
        normal[c / 8] = c / 4 % 2 == 0 ? -1.0f : 1.0f;
        rbl_mesh_builder_set(&builder, layer, c, normal);
    }
    rblMeshId id;
    check_ok(rbl_mesh_register(finish_shape(&builder), &id));
    return id;
}

static void transforms_scale_volume_and_turn_normals_with_the_faces(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(51, 0);
    const rblMeshId cube = make_cube_with_normals();
    uint32_t mirrors = 0;
    for (int round = 0; round < 50; ++round)
    {
        const rblMat3d m = random_matrix(&random);
        const double det = determinant(&m);
        rblMeshId out;
        check_ok(rbl_mesh_transform(cube, &m, (rblVec3d){5, -3, 1}, &out));
        const rblMeshView view = view_of(out);
        check_close(signed_volume(&view), 8 * fabs(det), 1e-10);
        for (uint32_t c = 0; c < view.corner_count; ++c)
        {
            const float* n = view.layers[0].data + 3 * c;
            const rblVec3d expected =
                rbl_normalize3d(rbl_face_normal_area2(&view, c / 4), rbl_vec3d(0, 0, 0));
            check_close(n[0], expected.x, 1e-6);
            check_close(n[1], expected.y, 1e-6);
            check_close(n[2], expected.z, 1e-6);
        }
        mirrors += det < 0;
        check_ok(rbl_mesh_destroy(out));
    }
    assert_in_range(mirrors, 5, 45);
    check_ok(rbl_mesh_destroy(cube));
}

static void a_transform_and_its_inverse_give_the_same_mesh(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshId ids[3];
    check_ok(rbl_mesh_create(&s.view, &ids[0]));
    const rblMat3d there = {{0, -2, 0}, {4, 0, 0}, {0, 0, 0.5}};
    const rblMat3d back = {{0, 0.25, 0}, {-0.5, 0, 0}, {0, 0, 2}};
    check_ok(rbl_mesh_transform(ids[0], &there, (rblVec3d){0, 0, 0}, &ids[1]));
    check_ok(rbl_mesh_transform(ids[1], &back, (rblVec3d){0, 0, 0}, &ids[2]));
    const rblMeshView view = view_of(ids[2]);
    check_equal(&view, &s.view);
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_mesh_destroy(ids[i]));
    }
}

// Scales so different that products of two of them are no longer numbers.
static void normals_stay_unit_under_extreme_scales(void** state)
{
    (void)state;
    const rblMeshId cube = make_cube_with_normals();
    const rblMeshView before = view_of(cube);
    const double scales[][3] = {
        {1, 1e-200, 1e-200}, {1e-300, 1, 1e300}, {1e-300, 1e-300, 1e300}, {5e-324, 1, 1e308}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i)
    {
        const double* s = scales[i];
        const rblMat3d linear = {{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}};
        rblMeshId scaled;
        check_ok(rbl_mesh_transform(cube, &linear, rbl_vec3d(0, 0, 0), &scaled));
        const rblMeshView after = view_of(scaled);
        // Along the axes a scale does not turn them.
        assert_memory_equal(after.layers[0].data, before.layers[0].data,
                            sizeof(float) * 3 * before.corner_count);
        check_ok(rbl_mesh_destroy(scaled));
    }
    check_ok(rbl_mesh_destroy(cube));
}

static void bad_transforms_are_refused(void** state)
{
    (void)state;
    const rblMeshId cube = make_cube_with_normals();
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const rblVec3d zero = {0, 0, 0};
    rblMeshId out = {3, 4};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, NULL, zero, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &identity, zero, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &identity, (rblVec3d){0, (double)NAN, 0}, &out));
    const rblMat3d bad[] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                            {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
                            {{0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {0, 0, 1}},
                            {{1, 0, 0}, {0, (double)INFINITY, 0}, {0, 0, 1}},
                            {{1, 0, 0}, {0, 1, 0}, {0, 0, (double)NAN}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &bad[i], zero, &out));
    }
    assert_true(out.index1 == 3 && out.generation == 4);
    const rblMat3d tiny = {{1e-200, 0, 0}, {0, 1e-200, 0}, {0, 0, 1e-200}};
    rblMeshId small;
    check_ok(rbl_mesh_transform(cube, &tiny, zero, &small)); // small is not singular
    check_ok(rbl_mesh_destroy(small));
    const rblMat3d huge = {{1.7e308, 0, 0}, {1.7e308, 1, 0}, {0, 0, 1}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &huge, zero, &out)); // positions overflow
    check_ok(rbl_mesh_destroy(cube));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void joining_matches_layers_and_merges_names(void** state)
{
    (void)state;
    Sample a;
    Sample b;
    fill_sample(&a);
    fill_sample(&b);
    b.material_names[0] = "glass";
    b.material_names[1] = "water";
    b.layers[0] = a.layers[3]; // colour first, then one UV layer
    b.layers[1] = (rblLayer){RBL_LAYER_UV, 2, b.more_uvs};
    b.view.layer_count = 2;
    b.view.group_count = 0;
    b.groups[1] = 41;
    rblMeshId ids[3];
    rblMeshId out;
    check_ok(rbl_mesh_create(&a.view, &ids[0]));
    check_ok(rbl_mesh_create(&b.view, &ids[1]));
    ids[2] = ids[0];
    check_ok(rbl_mesh_join(ids, 3, &out));
    const rblMeshView view = view_of(out);
    assert_int_equal(view.vertex_count, 18);
    assert_int_equal(view.face_count, 9);
    assert_int_equal(view.corner_count, 33);
    assert_int_equal(view.layer_count, 4);
    check_names(view.material_names, view.material_count, (const char* const[]){"stone", "glass", "water"},
                3);
    const char* const groups[] = {"a", "b", "c", "group 2", "group 41", "group 1"};
    check_names(view.group_names, view.group_count, groups, 6);
    const uint32_t materials[9] = {1, 0, 1, 2, 1, 2, 1, 0, 1};
    const uint32_t group_numbers[9] = {2, 0, 1, 3, 4, 5, 2, 0, 1};
    const uint32_t origins[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    assert_memory_equal(view.face_materials, materials, sizeof materials);
    assert_memory_equal(view.face_groups, group_numbers, sizeof group_numbers);
    assert_memory_equal(view.face_origins, origins, sizeof origins);
    const float zeros[33] = {0};
    for (uint32_t c = 0; c < 11; ++c)
    {
        assert_int_equal(view.corner_vertices[11 + c], 6 + b.corners[c]);
        assert_int_equal(view.corner_vertices[22 + c], 12 + b.corners[c]);
    }
    assert_memory_equal(view.layers[0].data, a.uvs, sizeof a.uvs);
    assert_memory_equal(view.layers[0].data + 22, b.more_uvs, sizeof b.more_uvs); // its first UV layer
    assert_memory_equal(view.layers[1].data + 33, zeros, 33 * sizeof(float));
    assert_memory_equal(view.layers[2].data + 22, zeros, 22 * sizeof(float));
    assert_memory_equal(view.layers[3].data + 44, a.colors, sizeof a.colors);
    assert_memory_equal(view.layers[2].data + 44, a.more_uvs, sizeof a.more_uvs);
    check_ok(rbl_mesh_destroy(ids[0]));
    check_ok(rbl_mesh_destroy(ids[1]));
    check_ok(rbl_mesh_destroy(out));
}

static void bare_numbers_stay_numbers_among_themselves(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    s.view.material_count = s.view.group_count = 0;
    s.materials[0] = UINT32_MAX;
    rblMeshId ids[2];
    rblMeshId out;
    check_ok(rbl_mesh_create(&s.view, &ids[0]));
    ids[1] = ids[0];
    check_ok(rbl_mesh_join(ids, 2, &out));
    const rblMeshView view = view_of(out);
    assert_int_equal(view.material_count + view.group_count, 0);
    assert_memory_equal(view.face_materials, s.materials, sizeof s.materials);
    assert_memory_equal(view.face_materials + 3, s.materials, sizeof s.materials);
    check_ok(rbl_mesh_destroy(ids[0]));
    check_ok(rbl_mesh_destroy(out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(NULL, 1, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(ids, 0, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(ids, 2, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangulation_keeps_every_corner_attribute),
        cmocka_unit_test(transforms_scale_volume_and_turn_normals_with_the_faces),
        cmocka_unit_test(a_transform_and_its_inverse_give_the_same_mesh),
        cmocka_unit_test(normals_stay_unit_under_extreme_scales),
        cmocka_unit_test(bad_transforms_are_refused),
        cmocka_unit_test(joining_matches_layers_and_merges_names),
        cmocka_unit_test(bare_numbers_stay_numbers_among_themselves),
    };
    return cmocka_run_group_tests_name("mesh_operations", tests, NULL, NULL);
}
