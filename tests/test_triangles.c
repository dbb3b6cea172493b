// Static meshes of triangles and height fields as shapes: distances, contacts, times of impact, rays, bad input.
#include "shape_testing.h"

#include "field/engine.h"
#include "field/shape.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "rubble/solids.h"

// ---- shapes ----

static rblShapeId make_flat(uint32_t points, float spacing)
{
    float heights[4096] = {0};
    assert_true(points * points <= 4096);
    rblHeightFieldDef def = rbl_default_height_field_def();
    def.columns = points;
    def.rows = points;
    def.heights = heights;
    def.spacing = spacing;
    rblShapeId shape;
    check_ok(rbl_shape_create_height_field(&def, &shape));
    return shape;
}

static rblMeshId make_solid(const char* kind, const char* name, double value)
{
    const rblSolidValue values = {name, &value, 1};
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, &values, 1, &mesh));
    return mesh;
}

static rblShapeId make_triangles(rblMeshId mesh)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_triangles(mesh, &shape));
    return shape;
}

static rblShapeView view_of(rblShapeId shape)
{
    rblShapeView view;
    check_ok(rbl_shape_view(shape, &view));
    check_ok(rbl_shape_check(&view));
    return view;
}

enum
{
    BODIES = 5
};

static rblShapeId make_body(uint32_t i, rblRandom* random)
{
    rblShapeId shape;
    switch (i)
    {
    case 0:
        check_ok(rbl_shape_create_sphere(0.3f, &shape));
        return shape;
    case 1:
        check_ok(rbl_shape_create_capsule(0.1f, 0.9f, &shape));
        return shape;
    case 2:
        check_ok(rbl_shape_create_box((rblVec3){0.4f, 0.7f, 0.9f}, &shape));
        return shape;
    case 3:
        check_ok(rbl_shape_create_cylinder(0.3f, 0.5f, &shape));
        return shape;
    default:
        return make_stone(random);
    }
}

// ---- distances ----

// The field of an open flat mesh is that of a half space, away from its border.
static void a_flat_field_is_a_half_space(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 0);
    const rblShapeId shape = make_flat(17, 0.25f);
    const rblShapeView view = view_of(shape);
    for (int i = 0; i < 2000; ++i)
    {
        const float x = random_between(&random, 1.0f, 3.0f);
        const float y = random_between(&random, -0.9f, 0.9f);
        const rblVec3 p = {x, y, random_between(&random, 1.0f, 3.0f)};
        rblVec3 gradient;
        check_close(rbl_shape_distance(view.shape, p, &gradient), p.y, 1e-6);
        check_close(gradient.y, 1.0, 1e-5);
    }
    check_ok(rbl_shape_destroy(shape));
}

// A closed mesh: inside and outside are those of the winding number, distances those of the BVH.
static void signs_are_those_of_winding_numbers(void** state)
{
    (void)state;
    static const char* const kinds[] = {"torus", "star", "box", "bowl"};
    rblRandom random = rbl_random_seed(8, 0);
    for (uint32_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k)
    {
        rblMeshId mesh;
        if (rbl_mesh_make(kinds[k], NULL, 0, &mesh) != RBL_OK)
        {
            continue;
        }
        const rblShapeId shape = make_triangles(mesh);
        const rblShapeView view = view_of(shape);
        rblBvhId bvh;
        check_ok(rbl_mesh_create_bvh(mesh, RBL_BVH_QUALITY, true, &bvh));
        const rblVec3 size = rbl_aabb_size(view.bounds);
        for (int i = 0; i < 3000; ++i)
        {
            const rblVec3 u = random_in_cube(&random, 0.7f);
            const rblVec3 c = rbl_aabb_center(view.bounds);
            const rblVec3 p = {c.x + u.x * size.x, c.y + u.y * size.y, c.z + u.z * size.z};
            float expected;
            check_ok(rbl_bvh_signed_distance(bvh, &p, 1, INFINITY, RBL_SIGN_CLOSED, &expected));
            check_close(rbl_shape_distance(view.shape, p, NULL), expected, 1e-5);
        }
        check_ok(rbl_bvh_destroy(bvh));
        check_ok(rbl_mesh_destroy(mesh));
        check_ok(rbl_shape_destroy(shape));
    }
}

// ---- contacts ----

static const rblContactPoint* deepest_of(const rblContactSet* set)
{
    const rblContactPoint* deepest = NULL;
    for (uint32_t i = 0; i < set->count; ++i)
    {
        deepest = deepest == NULL || set->points[i].distance < deepest->distance ? &set->points[i] : deepest;
    }
    return deepest;
}

// On flat ground of triangles of any size, in any pose, contacts are those on a plane: every normal is up, the deepest is as
// deep, and no inner edge has a contact.
static void contacts_on_flat_ground_are_those_of_a_plane(void** state)
{
    (void)state;
    static const float spacings[] = {0.08f, 0.25f, 2.0f};
    rblRandom random = rbl_random_seed(9, 0);
    rblShapeId plane;
    check_ok(rbl_shape_create_plane((rblVec3){0, 1, 0}, &plane));
    const rblShapeView plane_view = view_of(plane);
    rblContactSet set = {0};
    rblContactSet expected = {0};
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = 0.05f;
    for (uint32_t s = 0; s < 3; ++s)
    {
        const rblShapeId ground = make_flat(s == 2 ? 8 : 60, spacings[s]);
        const rblShapeView ground_view = view_of(ground);
        const float middle = spacings[s] * (s == 2 ? 3.5f : 29.5f);
        for (uint32_t i = 0; i < 400; ++i)
        {
            const rblShapeId body = make_body(i % BODIES, &random);
            const rblShapeView body_view = view_of(body);
            rblTransform pose = {{0, 0, 0}, random_rotation(&random)};
            const rblAabb box = rbl_shape_bounds_at(&body_view, pose);
            const float x = middle + random_between(&random, -0.5f, 0.5f) * spacings[s];
            const float depth = random_between(&random, -0.04f, 0.06f);
            pose.p = (rblVec3){x, -box.lower.y - depth,
                               middle + random_between(&random, -0.5f, 0.5f) * spacings[s]};
            check_ok(rbl_shape_collide(&ground_view, &body_view, pose, &options, NULL, &set));
            check_ok(rbl_shape_collide(&plane_view, &body_view, pose, &options, NULL, &expected));
            const rblContactPoint* deepest = deepest_of(&set);
            const rblContactPoint* wanted = deepest_of(&expected);
            assert_int_equal(deepest == NULL, wanted == NULL);
            if (wanted != NULL)
            {
                check_close(deepest->distance, wanted->distance, 2e-3f * body_view.radius + 1e-5f);
            }
            for (uint32_t c = 0; c < set.count; ++c)
            {
                check_close(set.points[c].normal.y, 1.0, 1e-3);
                assert_true(set.points[c].distance >= wanted->distance - 1e-4f);
            }
            check_ok(rbl_shape_destroy(body));
        }
        check_ok(rbl_shape_destroy(ground));
    }
    rbl_contact_set_free(&set);
    rbl_contact_set_free(&expected);
    check_ok(rbl_shape_destroy(plane));
}

// Exchanged shapes have the same contacts with opposite normals.
static void contacts_do_not_depend_on_the_order(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(10, 0);
    const rblMeshId mesh = make_solid("icosphere", "frequency", 6.0);
    const rblShapeId ground = make_triangles(mesh);
    const rblShapeView ground_view = view_of(ground);
    rblContactSet first = {0};
    rblContactSet second = {0};
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = 0.02f;
    for (uint32_t i = 0; i < 200; ++i)
    {
        const rblShapeId body = make_body(i % BODIES, &random);
        const rblShapeView body_view = view_of(body);
        const float away = rbl_aabb_size(ground_view.bounds).x * 0.5f + body_view.radius * 0.8f;
        const rblTransform pose = {rbl_scale3(random_direction(&random), away), random_rotation(&random)};
        check_ok(rbl_shape_collide(&ground_view, &body_view, pose, &options, NULL, &first));
        check_ok(rbl_shape_collide(&body_view, &ground_view, rbl_transform_inverse(pose), &options, NULL,
                                   &second));
        // Contacts at the limit of the margin may differ by rounding.
        const rblContactPoint* deepest = deepest_of(&first);
        const rblContactPoint* other = deepest_of(&second);
        if (deepest != NULL && deepest->distance < 0.9f * options.margin)
        {
            check_close(rbl_dot3(rbl_neg3(rbl_rotate3(pose.q, other->normal)), deepest->normal), 1.0, 1e-3);
            check_close(deepest->distance, other->distance, 1e-5f + 2e-3f * fabsf(deepest->distance));
        }
        check_ok(rbl_shape_destroy(body));
    }
    rbl_contact_set_free(&first);
    rbl_contact_set_free(&second);
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_shape_destroy(ground));
}

// A convex mesh of triangles against the hull of its vertices: the same gap, from outside.
static void a_convex_mesh_touches_as_its_hull(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 0);
    rblMeshId mesh;
    const double sizes[3] = {1.2, 0.8, 0.6};
    const rblSolidValue size = {"size", sizes, 3};
    check_ok(rbl_mesh_make("box", &size, 1, &mesh));
    const rblShapeId ground = make_triangles(mesh);
    const rblShapeView ground_view = view_of(ground);
    rblShapeId hull;
    check_ok(rbl_shape_create_box((rblVec3){1.2f, 0.8f, 0.6f}, &hull));
    const rblShapeView hull_view = view_of(hull);
    rblContactSet set = {0};
    rblContactSet expected = {0};
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = 0.2f;
    uint32_t compared = 0;
    for (uint32_t i = 0; i < 1000; ++i)
    {
        const rblShapeId body = make_body(i % BODIES, &random);
        const rblShapeView body_view = view_of(body);
        const rblTransform pose = {rbl_scale3(random_direction(&random), 0.5f + body_view.radius),
                                   random_rotation(&random)};
        check_ok(rbl_shape_collide(&hull_view, &body_view, pose, &options, NULL, &expected));
        const rblContactPoint* wanted = deepest_of(&expected);
        check_ok(rbl_shape_collide(&ground_view, &body_view, pose, &options, NULL, &set));
        if (wanted != NULL && wanted->distance > 0.01f && wanted->distance < 0.19f)
        {
            assert_true(set.count > 0);
            check_close(deepest_of(&set)->distance, wanted->distance, 2e-3f);
            check_close(rbl_dot3(deepest_of(&set)->normal, wanted->normal), 1.0, 0.02);
            compared += 1;
        }
        check_ok(rbl_shape_destroy(body));
    }
    assert_true(compared > 200);
    rbl_contact_set_free(&set);
    rbl_contact_set_free(&expected);
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(hull));
}

// ---- times of impact ----

// Falling onto flat ground takes as long as onto a plane.
static void impacts_on_flat_ground_are_those_on_a_plane(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(12, 0);
    const rblShapeId ground = make_flat(60, 0.5f);
    rblShapeId plane;
    check_ok(rbl_shape_create_plane((rblVec3){0, 1, 0}, &plane));
    const rblShapeView ground_view = view_of(ground);
    const rblShapeView plane_view = view_of(plane);
    for (uint32_t i = 0; i < 400; ++i)
    {
        const rblShapeId body = make_body(i % BODIES, &random);
        const rblShapeView body_view = view_of(body);
        const float x = random_between(&random, 10.0f, 20.0f);
        const rblSweep still = {.from = rbl_transform_identity()};
        const rblVec3 along = random_in_cube(&random, 4.0f);
        const rblSweep fall = {
            .from = {{x, random_between(&random, 1.0f, 4.0f), 15.0f}, random_rotation(&random)},
            .translation = {along.x, -6.0f, along.z},
            .rotation = random_in_cube(&random, 2.0f)};
        const float wanted = rbl_shape_time_of_impact(&plane_view, &still, &body_view, &fall, 1e-3f, 2e-4f);
        const float found = rbl_shape_time_of_impact(&ground_view, &still, &body_view, &fall, 1e-3f, 2e-4f);
        const float other = rbl_shape_time_of_impact(&body_view, &fall, &ground_view, &still, 1e-3f, 2e-4f);
        check_close(found, wanted, 2e-3);
        check_close(other, wanted, 2e-3);
        check_ok(rbl_shape_destroy(body));
    }
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(plane));
}

// What moves along the ground, touching it, meets the wall at its end. Through the ground it cannot move at all.
static void a_rolling_body_meets_the_wall(void** state)
{
    (void)state;
    const rblVec3d positions[] = {{-9, 0, -9}, {-9, 0, 9}, {5, 0, 9}, {5, 0, -9}, {5, 3, 9}, {5, 3, -9}};
    const uint32_t starts[] = {0, 4, 8};
    const uint32_t corners[] = {0, 1, 2, 3, 3, 2, 4, 5};
    const rblMeshView arrays = {.vertex_count = 6,
                                .face_count = 2,
                                .corner_count = 8,
                                .positions = positions,
                                .face_starts = starts,
                                .corner_vertices = corners};
    rblMeshId mesh;
    check_ok(rbl_mesh_create(&arrays, &mesh));
    const rblShapeId ground = make_triangles(mesh);
    const rblShapeView ground_view = view_of(ground);
    rblShapeId ball;
    check_ok(rbl_shape_create_sphere(0.5f, &ball));
    const rblShapeView ball_view = view_of(ball);
    const rblSweep still = {.from = rbl_transform_identity()};
    const rblSweep roll = {
        .from = {{0, 0.5f, 0}, {0, 0, 0, 1}}, .translation = {9, 0, 0}, .rotation = {0, 0, -3}};
    const rblSweep fall = {.from = {{0, 0.5f, 0}, {0, 0, 0, 1}}, .translation = {9, -1, 0}};
    rblImpactQuery query = {.a = &ground_view,
                            .b = &ball_view,
                            .sweep_a = &still,
                            .sweep_b = &roll,
                            .target = 1e-3f,
                            .tolerance = 2e-4f};
    assert_true(rbl_shape_find_impact(&query) == 0.0f);
    query.leaves_contact = true;
    check_close(rbl_shape_find_impact(&query), 0.5, 1e-3);
    query.sweep_b = &fall;
    assert_true(rbl_shape_find_impact(&query) == 0.0f);
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(ball));
}

// ---- rays ----

static void rays_enter_through_the_front(void** state)
{
    (void)state;
    const rblShapeId ground = make_flat(9, 0.5f);
    const rblShapeView view = view_of(ground);
    const rblRay down = {{2.1f, 3, 1.9f}, {0, -1, 0}, 0, 10};
    const rblShapeHit hit = rbl_shape_ray(view.shape, &down);
    check_close(hit.t, 3.0, 1e-6);
    check_close(hit.normal.y, 1.0, 1e-6);
    const rblRay past = {{2.1f, 3, 1.9f}, {0, 1, 0}, 0, 10};
    assert_true(isinf(rbl_shape_ray(view.shape, &past).t));
    check_ok(rbl_shape_destroy(ground));
    // A closed mesh seen from outside, through its back to nothing: two sheets, the nearer one from behind.
    const rblVec3d positions[] = {{0, 1, 0}, {1, 1, 0}, {0, 1, 1}, {0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    const uint32_t starts[] = {0, 3, 6};
    const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
    const rblMeshView arrays = {.vertex_count = 6,
                                .face_count = 2,
                                .corner_count = 6,
                                .positions = positions,
                                .face_starts = starts,
                                .corner_vertices = corners};
    rblMeshId mesh;
    check_ok(rbl_mesh_create(&arrays, &mesh));
    const rblShapeId sheets = make_triangles(mesh);
    const rblShapeView sheets_view = view_of(sheets);
    const rblRay through = {{0.2f, -0.0f + 2.0f, 0.2f}, {0, -1, 0}, 1.5f, 10};
    check_close(rbl_shape_ray(sheets_view.shape, &through).t, 2.0, 1e-6);
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_shape_destroy(sheets));
}

// ---- bytes ----

// Through bytes and back: the same answers to the last bit. Cut short anywhere, the bytes are refused.
static void a_mesh_is_recorded(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(13, 0);
    const rblShapeId shape = make_flat(9, 0.5f);
    const rblShapeView view = view_of(shape);
    rblByteSink sink;
    rbl_sink_init(&sink, rbl_default_allocator());
    const rblSourceNumbers numbers = {0};
    const rblSourceTables tables = {0};
    check_ok(rbl_put_shape(&sink, view.shape, &numbers));
    rblByteSource source = {.data = sink.bytes.data, .size = sink.bytes.count};
    rblShapeId again;
    check_ok(rbl_take_shape(&source, &tables, &again));
    const rblShapeView copy = view_of(again);
    assert_string_equal(copy.kind, "triangles");
    for (int i = 0; i < 200; ++i)
    {
        const rblVec3 p = random_in_cube(&random, 3.0f);
        assert_true(rbl_shape_distance(view.shape, p, NULL) == rbl_shape_distance(copy.shape, p, NULL));
    }
    check_ok(rbl_shape_destroy(again));
    for (size_t size = 0; size < sink.bytes.count; size += 7)
    {
        source = (rblByteSource){.data = sink.bytes.data, .size = size};
        check_fails(RBL_ERROR_FORMAT, rbl_take_shape(&source, &tables, &again));
    }
    rbl_sink_free(&sink);
    check_ok(rbl_shape_destroy(shape));
}

// ---- bad input ----

static void bad_input_is_refused(void** state)
{
    (void)state;
    rblShapeId shape;
    float heights[9] = {0};
    rblHeightFieldDef def = rbl_default_height_field_def();
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_height_field(NULL, &shape));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_height_field(&def, &shape));
    def.heights = heights;
    def.columns = 3;
    def.rows = 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_height_field(&def, &shape));
    def.rows = UINT32_MAX;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_height_field(&def, &shape));
    def.rows = 3;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_height_field(&def, NULL));
    def.spacing = 0.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_height_field(&def, &shape));
    def.spacing = 1.0f;
    heights[4] = INFINITY;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_height_field(&def, &shape));
    for (uint32_t i = 0; i < 9; ++i)
    {
        heights[i] = NAN;
    }
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_height_field(&def, &shape));
    check_fails(RBL_ERROR_STALE, rbl_shape_create_triangles((rblMeshId){0, 0}, &shape));

    const rblVec3d positions[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 0, 1}};
    const uint32_t starts[] = {0, 3, 6};
    const uint32_t corners[] = {0, 1, 2, 0, 3, 2};
    rblMeshView arrays = {.vertex_count = 4,
                          .face_count = 1,
                          .corner_count = 3,
                          .positions = positions,
                          .face_starts = starts,
                          .corner_vertices = corners};
    rblMeshId mesh;
    check_ok(rbl_mesh_create(&arrays, &mesh));
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_triangles(mesh, &shape)); // one triangle without area
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_triangles(mesh, NULL));
    check_ok(rbl_mesh_destroy(mesh));
    arrays.face_count = 2;
    arrays.corner_count = 6;
    check_ok(rbl_mesh_create(&arrays, &mesh));
    check_ok(rbl_shape_create_triangles(mesh, &shape)); // the other one remains
    rblShapeId compound;
    const rblShapeChild child = {shape, rbl_transform_identity()};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &compound));
    check_ok(rbl_shape_destroy(shape));
    check_ok(rbl_mesh_destroy(mesh));
}

// Holes are holes: rays and bodies pass.
static void holes_are_open(void** state)
{
    (void)state;
    float heights[25] = {0};
    heights[12] = NAN;
    rblHeightFieldDef def = rbl_default_height_field_def();
    def.columns = 5;
    def.rows = 5;
    def.heights = heights;
    rblShapeId shape;
    check_ok(rbl_shape_create_height_field(&def, &shape));
    const rblShapeView view = view_of(shape);
    const rblRay through = {{2, 3, 2}, {0, -1, 0}, 0, 10};
    const rblRay beside = {{0.5f, 3, 0.4f}, {0, -1, 0}, 0, 10};
    assert_true(isinf(rbl_shape_ray(view.shape, &through).t));
    check_close(rbl_shape_ray(view.shape, &beside).t, 3.0, 1e-6);
    rblShapeId ball;
    check_ok(rbl_shape_create_sphere(0.3f, &ball));
    const rblShapeView ball_view = view_of(ball);
    const rblSweep still = {.from = rbl_transform_identity()};
    const rblSweep fall = {.from = {{2, 3, 2}, {0, 0, 0, 1}}, .translation = {0, -6, 0}};
    check_close(rbl_shape_time_of_impact(&view, &still, &ball_view, &fall, 1e-3f, 2e-4f), 1.0, 0.0);
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(shape));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_flat_field_is_a_half_space),
                                       cmocka_unit_test(signs_are_those_of_winding_numbers),
                                       cmocka_unit_test(contacts_on_flat_ground_are_those_of_a_plane),
                                       cmocka_unit_test(contacts_do_not_depend_on_the_order),
                                       cmocka_unit_test(a_convex_mesh_touches_as_its_hull),
                                       cmocka_unit_test(impacts_on_flat_ground_are_those_on_a_plane),
                                       cmocka_unit_test(a_rolling_body_meets_the_wall),
                                       cmocka_unit_test(rays_enter_through_the_front),
                                       cmocka_unit_test(a_mesh_is_recorded),
                                       cmocka_unit_test(bad_input_is_refused),
                                       cmocka_unit_test(holes_are_open)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
