// Pictures: known scenes have known pixels, the same for any number of workers; wrong input is refused.
#include "testing.h"

#include "base/hash_map.h"
#include "base/random.h"
#include "failing_allocator.h"
#include "picture_testing.h"
#include "scene/picture/picture_sampler.h"
#include <string.h>

// ---- what is seen ----

static void a_ball_is_in_the_middle_and_sky_around_it(void** state)
{
    (void)state;
    rblMeshId ball = make_solid("sphere");
    const rblPictureItem item = colored_item(ball, blue);
    const rblPictureDef def = small_def(&item, 1);
    Image image;
    rblPictureStats stats;
    check_ok(rbl_picture_render(&def, image.rgba, &stats));
    assert_true(is_blue(pixel_at(&image, WIDTH / 2, HEIGHT / 2)));
    for (uint32_t x = 0; x < WIDTH; x += 5)
    {
        const Pixel top = pixel_at(&image, x, 0);
        assert_true(abs(top.r - top.b) < 25 && brightness(top) > 500); // backdrop
        assert_false(is_blue(pixel_at(&image, x, HEIGHT - 1)));
    }
    for (size_t i = 0; i < WIDTH * HEIGHT; ++i)
    {
        assert_int_equal(image.rgba[4 * i + 3], 255);
    }
    assert_int_equal(stats.parts, 1);
    assert_true(stats.rays > 3 * WIDTH * HEIGHT && stats.rays <= 3 * 4 * WIDTH * HEIGHT);
    assert_true(stats.eye.y > stats.target.y);
    check_ok(rbl_mesh_destroy(ball));
}

static void shadow_is_darker_than_lit_floor(void** state)
{
    (void)state;
    rblMeshId box = make_box(1, 1, 1);
    const rblPictureItem item = colored_item(box, blue);
    rblPictureDef def = small_def(&item, 1);
    def.has_eye = 1;
    def.eye = (rblVec3d){0, 20, 0.001};
    def.has_target = 1;
    def.sun = (rblVec3d){1, 1, 0}; // the shadow falls to -x, half as long again as the box is wide
    def.samples = 16;
    Image image;
    check_ok(rbl_picture_render(&def, image.rgba, NULL));
    const Pixel box_top = pixel_at(&image, WIDTH / 2, HEIGHT / 2);
    const double pixels_per_metre = HEIGHT / (2.0 * 20.5 * tan(0.225));
    const uint32_t reach = (uint32_t)(1.0 * pixels_per_metre);
    const Pixel shadow = pixel_at(&image, WIDTH / 2 - reach, HEIGHT / 2);
    const Pixel lit = pixel_at(&image, WIDTH / 2 + 2 * reach, HEIGHT / 2);
    assert_true(is_blue(box_top));
    if (brightness(shadow) + 100 > brightness(lit))
    {
        fail_msg("shadow %d, lit floor %d", brightness(shadow), brightness(lit));
    }
    check_ok(rbl_mesh_destroy(box));
}

// In frames of a run: a floor that is given and a camera that looks somewhere. Whatever leaves the scene takes no light along.
static void the_floor_stays_as_it_is_when_bodies_leave(void** state)
{
    (void)state;
    rblMeshId box = make_box(0.2, 0.2, 0.2);
    rblPictureItem item = colored_item(box, blue);
    rblPictureDef def = small_def(&item, 1);
    def.has_eye = def.has_target = def.has_floor = 1;
    def.eye = (rblVec3d){0, 2, 3};
    Image images[2];
    for (int i = 0; i < 2; ++i)
    {
        item.pose.p = i == 0 ? (rblVec3){0, 0.1f, 0} : (rblVec3){40, 0.1f, -30};
        check_ok(rbl_picture_render(&def, images[i].rgba, NULL));
    }
    for (uint32_t x = 0; x < WIDTH / 3; x += 4)
    {
        const int before = brightness(pixel_at(&images[0], x, HEIGHT / 2 + 8));
        const int after = brightness(pixel_at(&images[1], x, HEIGHT / 2 + 8));
        if (before - after > 3 || after - before > 3)
        {
            fail_msg("column %u: %d, then %d", x, before, after);
        }
    }
    check_ok(rbl_mesh_destroy(box));
}

static void crack_faces_are_drawn_in_the_crack_color(void** state)
{
    (void)state;
    static const char* const names[] = {"skin", "Crack face", "INTERIOR", "my_inside_1", "brick"};
    static const bool cracked[] = {false, true, true, true, false};
    for (uint32_t i = 0; i < 5; ++i)
    {
        assert_int_equal(rbl_is_crack_material(names[i]), cracked[i]);
        rblMeshBuilder builder = start_shape();
        const uint32_t material = rbl_mesh_builder_material(&builder, names[i]);
        add_named_box(&builder, 0, material, 0);
        rblMeshId box = registered(&builder);
        const rblPictureItem item = colored_item(box, blue);
        const rblPictureDef def = small_def(&item, 1);
        Image image;
        check_ok(rbl_picture_render(&def, image.rgba, NULL));
        const Pixel middle = pixel_at(&image, WIDTH / 2, HEIGHT / 2);
        assert_true(cracked[i] ? is_red(middle) : is_blue(middle));
        check_ok(rbl_mesh_destroy(box));
    }
}

static void vertex_colors_win_where_they_are_given(void** state)
{
    (void)state;
    for (uint32_t alpha = 0; alpha < 2; ++alpha)
    {
        rblMeshBuilder builder = start_shape();
        const uint32_t layer = rbl_mesh_builder_layer(&builder, RBL_LAYER_COLOR);
        add_named_box(&builder, 0, 0, 0);
        for (uint32_t c = 0; c < 24; ++c)
        {
            rbl_mesh_builder_set(&builder, layer, c, (const float[4]){0.05f, 0.7f, 0.05f, (float)alpha});
        }
        rblMeshId box = registered(&builder);
        const rblPictureItem item = colored_item(box, blue);
        const rblPictureDef def = small_def(&item, 1);
        Image image;
        check_ok(rbl_picture_render(&def, image.rgba, NULL));
        const Pixel middle = pixel_at(&image, WIDTH / 2, HEIGHT / 2);
        assert_true(alpha > 0 ? is_green(middle) : is_blue(middle));
        check_ok(rbl_mesh_destroy(box));
    }
}

static void poses_move_and_turn(void** state)
{
    (void)state;
    rblMeshId box = make_box(1, 1, 1);
    rblPictureItem items[2] = {colored_item(box, blue), colored_item(box, green)};
    items[1].pose.p = (rblVec3){3, 0, 0};
    items[1].pose.q = (rblQuat){0, 0.70710678f, 0, 0.70710678f};
    rblPictureDef def = small_def(items, 2);
    def.has_eye = 1;
    def.eye = (rblVec3d){1.5, 0.5, 12};
    def.has_target = 1;
    def.target = (rblVec3d){1.5, 0, 0};
    Image image;
    check_ok(rbl_picture_render(&def, image.rgba, NULL));
    const double pixels_per_metre = HEIGHT / (2.0 * 11.5 * tan(0.225));
    const uint32_t reach = (uint32_t)(1.5 * pixels_per_metre);
    assert_true(is_blue(pixel_at(&image, WIDTH / 2 - reach, HEIGHT / 2)));
    assert_true(is_green(pixel_at(&image, WIDTH / 2 + reach, HEIGHT / 2)));
    check_ok(rbl_mesh_destroy(box));
}

// ---- the camera ----

// Whatever the scene, the default view holds all of it: no item's colour at the border, some of it inside.
static void the_default_view_holds_everything(void** state)
{
    (void)state;
    static const rblVec3d sizes[] = {{1, 1, 1},       {1e-6, 1e-6, 1e-6}, {1e6, 1e6, 1e6}, {1, 0.001, 1},
                                     {0.03, 5, 0.03}, {7, 0.02, 0.02},    {0.001, 1, 1}};
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    {
        rblMeshId unit = make_box(1, 1, 1), box;
        const rblMat3d stretch = {{sizes[i].x, 0, 0}, {0, sizes[i].y, 0}, {0, 0, sizes[i].z}};
        check_ok(rbl_mesh_transform(unit, &stretch, rbl_vec3d(0, 0, 0), &box));
        check_ok(rbl_mesh_destroy(unit));
        const rblPictureItem item = colored_item(box, blue);
        const rblPictureDef def = small_def(&item, 1);
        Image image;
        check_ok(rbl_picture_render(&def, image.rgba, NULL));
        int inside = 0, border = 0;
        for (uint32_t y = 0; y < HEIGHT; ++y)
        {
            for (uint32_t x = 0; x < WIDTH; ++x)
            {
                const bool edge = x < 3 || y < 3 || x >= WIDTH - 3 || y >= HEIGHT - 3;
                const Pixel p = pixel_at(&image, x, y);
                border += edge && p.b > p.r + 20;
                inside += p.b > p.r + 20;
            }
        }
        if (border > 0 || inside < 8)
        {
            fail_msg("box %u: %d pixels inside, %d at the border", i, inside, border);
        }
        check_ok(rbl_mesh_destroy(box));
    }
}

static void far_from_the_origin_is_drawn_like_near_it(void** state)
{
    (void)state;
    rblMeshId ball = make_solid("sphere"), moved;
    const rblMat3d same = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    check_ok(rbl_mesh_transform(ball, &same, rbl_vec3d(4096, -8192, 16384), &moved));
    const rblPictureItem items[2] = {colored_item(ball, blue), colored_item(moved, blue)};
    Image images[2];
    for (uint32_t i = 0; i < 2; ++i)
    {
        const rblPictureDef def = small_def(&items[i], 1);
        check_ok(rbl_picture_render(&def, images[i].rgba, NULL));
    }
    long difference = 0;
    for (size_t i = 0; i < sizeof images[0].rgba; ++i)
    {
        difference += labs((long)images[0].rgba[i] - images[1].rgba[i]);
    }
    assert_true(difference < WIDTH * HEIGHT / 4); // rounding of single samples only
    check_ok(rbl_mesh_destroy(ball));
    check_ok(rbl_mesh_destroy(moved));
}

static void odd_scenes_are_drawn(void** state)
{
    (void)state;
    static const rblVec3d triangles[][3] = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},           // one triangle
                                            {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}},           // flat on the floor
                                            {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}},           // on a line
                                            {{3, 3, 3}, {3, 3, 3}, {3, 3, 3}},           // a point
                                            {{0, 0, 0}, {1e60, 0, 0}, {0, 1e60, 0}},     // vast
                                            {{0, 0, 0}, {1e-60, 0, 0}, {0, 0, -1e-60}}}; // minute
    for (uint32_t i = 0; i < sizeof triangles / sizeof triangles[0]; ++i)
    {
        rblMeshBuilder builder = start_shape();
        for (uint32_t k = 0; k < 3; ++k)
        {
            rbl_mesh_builder_vertex(&builder, triangles[i][k]);
        }
        add_triangle(&builder, 0, 1, 2);
        rblMeshId mesh = registered(&builder);
        const rblPictureItem item = colored_item(mesh, blue);
        rblPictureDef def = small_def(&item, 1);
        Image image;
        check_ok(rbl_picture_render(&def, image.rgba, NULL));
        def.has_eye = 1; // straight down
        def.eye = rbl_add3d(triangles[i][0], rbl_vec3d(0, 1, 0));
        def.has_target = 1;
        def.target = triangles[i][0];
        const rblResult result = rbl_picture_render(&def, image.rgba, NULL);
        assert_true(result == RBL_OK || result == RBL_ERROR_ARGUMENT); // too close to tell apart at 1e60
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// ---- sampling ----

// Every power-of-two run of the sequence is stratified: one point in each elementary interval.
static void samples_are_stratified(void** state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 20; ++seed)
    {
        const rblPixelSampler pixel = rbl_pixel_sampler(17 * seed, 31 + seed, 16, seed);
        for (uint32_t log_columns = 0; log_columns <= 4; ++log_columns)
        {
            const uint32_t columns = 1u << log_columns, rows = 16u >> log_columns;
            uint32_t hits = 0;
            for (uint32_t s = 0; s < 16; ++s)
            {
                const rblVec2 p = rbl_sample_square(&pixel, s, 2);
                assert_true(p.x >= 0.0f && p.x < 1.0f && p.y >= 0.0f && p.y < 1.0f);
                hits |= 1u << ((uint32_t)(p.x * (float)columns) * rows + (uint32_t)(p.y * (float)rows));
            }
            assert_int_equal(hits, 0xFFFF);
        }
    }
}

static void packed_normals_are_close(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    for (int i = 0; i < 10000; ++i)
    {
        const rblVec3 raw = {(float)rbl_random_range(&random, -1, 1), (float)rbl_random_range(&random, -1, 1),
                             i % 10 == 0 ? 0.0f : (float)rbl_random_range(&random, -1, 1)};
        const rblVec3 n = rbl_normalize3(raw, (rblVec3){0, 1, 0});
        const rblVec3 back = rbl_unpack_normal(rbl_pack_normal(n));
        assert_true(rbl_length3(rbl_sub3(back, n)) < 1e-4f);
    }
    const rblVec3 none = rbl_unpack_normal(rbl_pack_normal((rblVec3){0, 0, 0}));
    assert_true(none.x == 0.0f && none.y == 0.0f && none.z == 0.0f);
}

// ---- determinism ----

static void pictures_do_not_depend_on_workers(void** state)
{
    (void)state;
    rblMeshId rock = make_solid("rock"), pig = make_solid("piggybank");
    rblPictureItem items[2] = {rbl_default_picture_item(rock), rbl_default_picture_item(pig)};
    items[0].pose.p.x = 0.3f;
    rblPictureDef def = small_def(items, 2);
    def.has_cut = 1;
    def.cut_normal = (rblVec3d){0.3, 0, 1};
    def.explode = 0.2;
    uint64_t hashes[3];
    static const uint32_t workers[3] = {1, 2, 8};
    for (uint32_t i = 0; i < 3; ++i)
    {
        const rblTasks tasks = tasks_of(workers[i]);
        check_ok(rbl_set_tasks(&tasks));
        Image image;
        check_ok(rbl_picture_render(&def, image.rgba, NULL));
        hashes[i] = rbl_hash_bytes(RBL_HASH_START, image.rgba, sizeof image.rgba);
    }
    check_ok(rbl_set_tasks(NULL));
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    def.seed = 2;
    Image image;
    check_ok(rbl_picture_render(&def, image.rgba, NULL));
    assert_true(rbl_hash_bytes(RBL_HASH_START, image.rgba, sizeof image.rgba) != hashes[0]);
    check_ok(rbl_mesh_destroy(rock));
    check_ok(rbl_mesh_destroy(pig));
}

// ---- bad input ----

static void wrong_definitions_are_refused(void** state)
{
    (void)state;
    rblMeshId box = make_box(1, 1, 1);
    const rblPictureItem item = rbl_default_picture_item(box);
    const rblPictureDef good = small_def(&item, 1);
    rblPictureItem bad_items[5] = {item, item, item, item, item};
    bad_items[0].pose.q.w = 3.0f;
    bad_items[1].pose.p.x = NAN;
    bad_items[2].color.x = 1.5f;
    bad_items[3].crack_color.y = NAN;
    bad_items[4].parts = (rblPictureParts)9;
    rblPictureDef bad[24];
    for (uint32_t i = 0; i < 24; ++i)
    {
        bad[i] = good;
    }
    uint32_t n = 0;
    bad[n++].cookie = 0;
    bad[n++].items = NULL;
    bad[n++].item_count = 0;
    bad[n++].width = 0;
    bad[n++].height = RBL_PICTURE_MAX_SIZE + 1;
    bad[n++].samples = 0;
    bad[n++].samples = RBL_PICTURE_MAX_SAMPLES + 1;
    bad[n++].field_of_view = 0.0;
    bad[n++].field_of_view = (double)NAN;
    bad[n].has_eye = 1;
    bad[n++].eye.y = (double)NAN;
    bad[n].has_target = 1;
    bad[n++].target.z = (double)INFINITY;
    bad[n].has_target = 1;
    bad[n++].target.x = 1e300; // too far away for floats
    bad[n].has_eye = bad[n].has_target = 1;
    bad[n].eye = (rblVec3d){1, 2, 3};
    bad[n++].target = (rblVec3d){1, 2, 3};
    bad[n++].explode = -1.0;
    bad[n++].explode = (double)NAN;
    bad[n++].has_cut = 1; // a normal of length zero
    bad[n].has_cut = 1;
    bad[n].cut_point = (rblVec3d){0, -5, 0};
    bad[n++].cut_normal = (rblVec3d){0, 1, 0}; // nothing is left
    bad[n++].sun.x = (double)NAN;
    bad[n++].background.x = -1.0f;
    for (uint32_t i = 0; i < 5; ++i)
    {
        bad[n++].items = &bad_items[i];
    }
    static uint8_t rgba[4 * WIDTH * HEIGHT], untouched[4 * WIDTH * HEIGHT];
    memset(rgba, 0xA5, sizeof rgba);
    memset(untouched, 0xA5, sizeof untouched);
    rblPictureStats stats, before;
    memset(&stats, 0xA5, sizeof stats);
    before = stats;
    for (uint32_t i = 0; i < n; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_picture_render(&bad[i], rgba, &stats));
        check_fails(RBL_ERROR_ARGUMENT, rbl_picture_save(&bad[i], "never.png", &stats));
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_render(NULL, rgba, &stats));
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_render(&good, NULL, &stats));
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_save(&good, NULL, &stats));
    check_ok(rbl_mesh_destroy(box));
    check_fails(RBL_ERROR_STALE, rbl_picture_render(&good, rgba, &stats));
    assert_memory_equal(rgba, untouched, sizeof rgba);
    assert_memory_equal(&stats, &before, sizeof stats);
}

static void running_out_of_memory_is_survived(void** state)
{
    (void)state;
    rblMeshId pieces[2] = {make_box(1, 1, 1), make_solid("torus")};
    rblMeshId both;
    check_ok(rbl_mesh_join(pieces, 2, &both));
    rblPictureItem item = rbl_default_picture_item(both);
    item.parts = RBL_PARTS_COMPONENTS;
    rblPictureDef def = small_def(&item, 1);
    def.has_cut = 1;
    def.cut_normal = (rblVec3d){1, 0, 0};
    size_t granted = 0;
    for (;; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblPictureScene scene;
        const rblResult result = rbl_picture_scene_init(&scene, &def, &memory.allocator, rbl_serial_jobs());
        if (result == RBL_OK)
        {
            rbl_picture_scene_free(&scene);
        }
        assert_int_equal(memory.live, 0);
        if (result == RBL_OK)
        {
            break;
        }
        assert_int_equal(result, RBL_ERROR_MEMORY);
    }
    assert_true(granted > 10);
    check_ok(rbl_mesh_destroy(pieces[0]));
    check_ok(rbl_mesh_destroy(pieces[1]));
    check_ok(rbl_mesh_destroy(both));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_is_in_the_middle_and_sky_around_it),
        cmocka_unit_test(shadow_is_darker_than_lit_floor),
        cmocka_unit_test(the_floor_stays_as_it_is_when_bodies_leave),
        cmocka_unit_test(crack_faces_are_drawn_in_the_crack_color),
        cmocka_unit_test(vertex_colors_win_where_they_are_given),
        cmocka_unit_test(poses_move_and_turn),
        cmocka_unit_test(the_default_view_holds_everything),
        cmocka_unit_test(far_from_the_origin_is_drawn_like_near_it),
        cmocka_unit_test(odd_scenes_are_drawn),
        cmocka_unit_test(samples_are_stratified),
        cmocka_unit_test(packed_normals_are_close),
        cmocka_unit_test(pictures_do_not_depend_on_workers),
        cmocka_unit_test(wrong_definitions_are_refused),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
