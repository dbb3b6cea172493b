// Pictures of what is cut open, or comes apart.
#include "testing.h"

#include "base/random.h"
#include "picture_testing.h"
#include <string.h>

// ---- cut plane ----

// Pixels where a solid is cut open, red, and of its skin, blue.
static void count_colors(const Image* image, int* caps, int* skins)
{
    *caps = 0;
    *skins = 0;
    for (uint32_t y = 0; y < HEIGHT; ++y)
    {
        for (uint32_t x = 0; x < WIDTH; ++x)
        {
            *caps += is_red(pixel_at(image, x, y));
            *skins += is_blue(pixel_at(image, x, y));
        }
    }
}

static void a_cut_shows_a_cap_where_the_mesh_is_closed(void** state)
{
    (void)state;
    rblMeshId ball = make_solid("icosphere");
    const rblPictureItem item = colored_item(ball, blue);
    rblPictureDef def = small_def(&item, 1);
    def.has_cut = 1;
    def.cut_normal = (rblVec3d){0, 0, 2};
    def.has_eye = 1;
    def.eye = (rblVec3d){0, 0, 1};
    def.has_target = 1;
    Image image;
    check_ok(rbl_picture_render(&def, image.rgba, NULL));
    int caps, skins;
    count_colors(&image, &caps, &skins);
    // A disc of radius 0.1 at distance 1.
    const double radius = 0.1 * HEIGHT / (2.0 * tan(0.225));
    check_close(caps, 3.14159265 * radius * radius, 0.12 * 3.14159265 * radius * radius);
    assert_true(skins < 40);
    check_ok(rbl_mesh_destroy(ball));
}

static void a_cut_through_an_open_mesh_shows_its_inside(void** state)
{
    (void)state;
    static const uint32_t quads[5][4] = {
        {0, 2, 3, 1}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i < 8; ++i)
    {
        rbl_mesh_builder_vertex(&builder, rbl_vec3d(i & 1u, i >> 1 & 1u, i >> 2));
    }
    for (uint32_t f = 0; f < 5; ++f)
    {
        add_face(&builder, quads[f], 4);
    }
    rblMeshId box = registered(&builder);
    const rblPictureItem item = colored_item(box, blue);
    rblPictureDef def = small_def(&item, 1);
    def.has_cut = 1;
    def.cut_point = (rblVec3d){0, 0, 0.5};
    def.cut_normal = (rblVec3d){0, 0, 1};
    def.has_eye = 1;
    def.eye = (rblVec3d){0.5, 0.5, 4};
    Image image;
    check_ok(rbl_picture_render(&def, image.rgba, NULL));
    const Pixel middle = pixel_at(&image, WIDTH / 2, HEIGHT / 2);
    assert_false(is_red(middle));
    assert_true(middle.b > middle.r + 10); // the wrong side of the skin, paler
    check_ok(rbl_mesh_destroy(box));
}

// Two boxes that share a face: both crossings of the shared face lie at the same place.
static void a_cut_through_a_tiling_has_no_holes(void** state)
{
    (void)state;
    rblMeshId box = make_box(1, 1, 1);
    rblPictureItem items[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        items[i] = colored_item(box, blue);
        items[i].pose.p.z = (float)i;
    }
    rblPictureDef def = small_def(items, 3);
    def.has_cut = 1;
    def.cut_normal = (rblVec3d){1, 0, 0};
    def.has_eye = 1;
    def.eye = (rblVec3d){4, 0.2, 9}; // along the row: every ray crosses all three
    Image image;
    check_ok(rbl_picture_render(&def, image.rgba, NULL));
    int caps, skins;
    count_colors(&image, &caps, &skins);
    assert_true(caps > 100);
    assert_true(skins > 20); // the end of the row
    // No skin behind the cap: along each row of pixels, blue (the end, left) comes before red and never after.
    for (uint32_t y = 0; y < HEIGHT; ++y)
    {
        bool red_seen = false;
        for (uint32_t x = 0; x < WIDTH; ++x)
        {
            const Pixel p = pixel_at(&image, x, y);
            assert_false(red_seen && is_blue(p));
            red_seen = red_seen || is_red(p);
        }
    }
    check_ok(rbl_mesh_destroy(box));
}

// Brute force: a point is in the ball or not.
static void crossings_tell_inside_from_outside(void** state)
{
    (void)state;
    rblMeshId ball = make_solid("icosphere");
    const rblPictureItem item = rbl_default_picture_item(ball);
    rblPictureDef def = small_def(&item, 1);
    def.has_cut = 1;
    def.cut_normal = (rblVec3d){0, 1, 0};
    rblPictureScene scene;
    check_ok(rbl_picture_scene_init(&scene, &def, rbl_default_allocator(), rbl_serial_jobs()));
    const float radius = scene.bounds.upper.y;
    rblRandom random = rbl_random_seed(7, 1);
    for (int i = 0; i < 4000; ++i)
    {
        rblVec3 p, d;
        for (int k = 0; k < 3; ++k)
        {
            (&p.x)[k] = (float)rbl_random_range(&random, -1.0, 1.0);
            // Some rays along axes, through vertices and edges.
            (&d.x)[k] =
                i % 4 == 0 ? (k == i / 4 % 3 ? 1.0f : 0.0f) : (float)rbl_random_range(&random, -1.0, 1.0);
        }
        p = i % 8 == 0 ? (rblVec3){0, 0, 0} : p;
        const float distance = rbl_length3(p) / radius;
        if (distance > 0.98f && distance < 1.01f)
        {
            continue;
        }
        const rblRay ray = {p, d, 0.0f, INFINITY};
        assert_int_equal(rbl_picture_part_around(&scene, &ray), distance < 1.0f ? 0 : RBL_NONE);
    }
    rbl_picture_scene_free(&scene);
    check_ok(rbl_mesh_destroy(ball));
}

// ---- parts ----

static void exploded_parts_come_apart(void** state)
{
    (void)state;
    rblMeshId box = make_box(1, 1, 1);
    rblPictureItem items[2] = {colored_item(box, blue), colored_item(box, green)};
    items[1].pose.p = (rblVec3){1, 0, 0};
    rblPictureDef def = small_def(items, 2);
    def.has_eye = 1;
    def.eye = (rblVec3d){0.5, 0, 14};
    def.has_target = 1;
    def.target = (rblVec3d){0.5, 0, 0};
    for (int explode = 0; explode < 2; ++explode)
    {
        def.explode = explode;
        Image image;
        check_ok(rbl_picture_render(&def, image.rgba, NULL));
        const Pixel middle = pixel_at(&image, WIDTH / 2, HEIGHT / 2);
        assert_int_equal(is_blue(middle) || is_green(middle), explode == 0);
        int blues = 0, greens = 0;
        for (uint32_t x = 0; x < WIDTH; ++x)
        {
            const Pixel p = pixel_at(&image, x, HEIGHT / 2);
            assert_false(is_blue(p) && greens > 0); // never past the other one
            blues += is_blue(p);
            greens += is_green(p);
        }
        assert_true(blues > 5 && greens > 5);
    }
    check_ok(rbl_mesh_destroy(box));
}

static void parts_are_groups_or_components(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i < 5; ++i)
    {
        add_named_box(&builder, 2.0 * i, 0, i % 2 == 0 ? 7 : 3);
    }
    rblMesh* mesh = finish_shape(&builder);
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    uint32_t labels[30];
    uint32_t count = 0;
    const rblAllocator* allocator = rbl_default_allocator();
    check_ok(rbl_picture_face_parts(view, RBL_PARTS_WHOLE, allocator, labels, &count));
    assert_int_equal(count, 1);
    check_ok(rbl_picture_face_parts(view, RBL_PARTS_GROUPS, allocator, labels, &count));
    assert_int_equal(count, 2);
    assert_int_equal(labels[29], 0);
    assert_int_equal(labels[23], 1);
    check_ok(rbl_picture_face_parts(view, RBL_PARTS_COMPONENTS, allocator, labels, &count));
    assert_int_equal(count, 5);
    assert_int_equal(labels[29], 4);
    rbl_mesh_free(mesh);
}

static void a_cavity_goes_with_its_solid(void** state)
{
    (void)state;
    rblMeshId inner = make_box(1, 1, 1), outer = make_box(4, 4, 4), other = make_box(1, 1, 1), turned, moved,
              all;
    const rblMat3d same = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    // The cavity: a box turned inside out.
    rblMeshView view;
    check_ok(rbl_mesh_view(inner, &view));
    rblMeshBuilder builder = start_shape();
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(&builder, view.positions[v]);
    }
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        for (uint32_t c = view.face_starts[f + 1]; c > view.face_starts[f]; --c)
        {
            rbl_mesh_builder_corner(&builder, view.corner_vertices[c - 1]);
        }
        rbl_mesh_builder_face(&builder, 0, 0, f);
    }
    turned = registered(&builder);
    check_ok(rbl_mesh_transform(other, &same, rbl_vec3d(8, 0, 0), &moved));
    const rblMeshId pieces[3] = {turned, moved, outer};
    check_ok(rbl_mesh_join(pieces, 3, &all));
    check_ok(rbl_mesh_view(all, &view));
    uint32_t labels[64];
    uint32_t count = 0;
    assert_true(view.face_count <= 64);
    check_ok(rbl_picture_face_parts(&view, RBL_PARTS_COMPONENTS, rbl_default_allocator(), labels, &count));
    assert_int_equal(count, 2);
    assert_int_equal(labels[0], labels[view.face_count - 1]);
    assert_int_not_equal(labels[0], labels[view.face_count / 2]);
    const rblMeshId meshes[6] = {inner, outer, other, turned, moved, all};
    for (uint32_t i = 0; i < 6; ++i)
    {
        check_ok(rbl_mesh_destroy(meshes[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_shows_a_cap_where_the_mesh_is_closed),
        cmocka_unit_test(a_cut_through_an_open_mesh_shows_its_inside),
        cmocka_unit_test(a_cut_through_a_tiling_has_no_holes),
        cmocka_unit_test(crossings_tell_inside_from_outside),
        cmocka_unit_test(exploded_parts_come_apart),
        cmocka_unit_test(parts_are_groups_or_components),
        cmocka_unit_test(a_cavity_goes_with_its_solid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
