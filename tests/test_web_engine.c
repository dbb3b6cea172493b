// The engine of the playground (apps/web/engine), native: what JavaScript calls, without JavaScript, so that sanitizers see it.
#include "testing.h"

#include "exports.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char scene[] =
    "{\"rubble\":1,\"gravity\":[0,0,0],\"step\":0.02,"
    "\"shapes\":{\"ground\":{\"kind\":\"plane\"},\"box\":{\"kind\":\"box\",\"size\":[1,1,1]}},"
    "\"bodies\":[{\"name\":\"ground\",\"shape\":\"ground\",\"type\":\"static\",\"position\":[0,-5,0]},"
    "{\"name\":\"box\",\"shape\":\"box\",\"material\":\"glass\","
    "\"fracture\":{\"method\":\"prescored\",\"pattern\":\"voronoi\",\"pieces\":12,\"generations\":1}}]}";

static void load(void)
{
    check_ok(web_load(scene, strlen(scene), "box.json"));
    check_ok(web_look());
}

static const WebFrame* step(uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        check_ok(web_step());
    }
    check_ok(web_look());
    return web_frame();
}

static const WebBody* find_added(const char* name)
{
    const WebFrame* frame = web_frame();
    for (uint32_t i = 0; i < frame->added_count; ++i)
    {
        if (strcmp(frame->added[i].name, name) == 0)
        {
            return &frame->added[i];
        }
    }
    fail_msg("no body '%s' was added", name);
    return NULL;
}

static void bodies_are_told_once(void** state)
{
    (void)state;
    load();
    const WebFrame* frame = web_frame();
    assert_int_equal(frame->added_count, 2);
    assert_int_equal(frame->slots, 2);
    assert_true((find_added("ground")->flags & WEB_PLANE) != 0);
    const WebBody* box = find_added("box");
    assert_int_equal(box->flags, WEB_MOVABLE | WEB_BREAKABLE | WEB_NEW_MESH);
    check_ok(web_draw_mesh(box->mesh));
    check_fails(RBL_ERROR_ARGUMENT, web_draw_mesh(99));
    frame = step(1);
    assert_int_equal(frame->added_count, 0);
    assert_int_equal(frame->removed_count, 0);
    assert_int_equal(frame->step, 1);
}

// Pieces know their parent, and point away from its middle.
static void pieces_point_outwards(void** state)
{
    (void)state;
    load();
    const uint32_t serial = find_added("box")->serial;
    check_ok(web_break(0.1f, 0.2f, 3.0f, 0.0f, 0.0f, -1.0f));
    const WebFrame* frame = step(1);
    assert_int_equal(frame->removed_count, 1);
    assert_true(frame->added_count > 3);
    for (uint32_t i = 0; i < frame->added_count; ++i)
    {
        const WebBody* piece = &frame->added[i];
        const float* pose = &frame->poses[WEB_POSE_FLOATS * piece->slot];
        assert_int_equal(piece->parent, serial);
        assert_true((piece->flags & WEB_NEW_MESH) != 0);
        check_ok(web_draw_mesh(piece->mesh));
        check_close(piece->outward.x, pose[0] + piece->center.x, 0.01);
        check_close(piece->outward.y, pose[1] + piece->center.y, 0.01);
    }
    check_ok(web_export_pieces());
    assert_non_null(strstr(web_text(), "box_piece_0"));
    for (uint32_t i = 0; i < frame->added_count; ++i)
    {
        char path[32];
        snprintf(path, sizeof path, "piece_%04u.obj", i);
        assert_int_equal(remove(path), 0);
    }
}

static double energy_of(const WebFrame* frame)
{
    return frame->numbers[WEB_KINETIC] + frame->numbers[WEB_POTENTIAL] + frame->numbers[WEB_DISSIPATED] -
           frame->numbers[WEB_WORK];
}

static void hands_do_all_the_work(void** state)
{
    (void)state;
    load();
    float point[3] = {0, 0, 0};
    const double before = energy_of(web_frame());
    check_ok(web_grab(0.3f, 0.2f, 3.0f, 0.0f, 0.0f, -1.0f, point));
    check_close(point[2], 0.5, 1e-5);
    assert_int_equal(web_grabbed(), find_added("box")->slot);
    for (uint32_t i = 0; i < 100; ++i)
    {
        check_ok(web_drag(cosf(0.1f * (float)i), sinf(0.1f * (float)i), 2.0f));
        const WebFrame* frame = step(1);
        check_close(energy_of(frame), before, 1e-6 * (1.0 + fabs(frame->numbers[WEB_WORK])));
    }
    web_release();
    assert_int_equal(web_grabbed(), RBL_NONE);
}

static void a_hand_holds_on_to_a_piece(void** state)
{
    (void)state;
    load();
    float point[3];
    check_ok(web_grab(0.3f, 0.2f, 3.0f, 0.0f, 0.0f, -1.0f, point));
    check_ok(web_break(0.0f, 0.0f, 3.0f, 0.0f, 0.0f, -1.0f));
    const WebFrame* frame = step(1);
    assert_int_not_equal(frame->grabbed, RBL_NONE);
    step(20);
    check_ok(web_actions());
    assert_non_null(strstr(web_text(), "\"setVelocity\":{\"body\":\"box_piece_"));
}

static void overlays_are_drawn(void** state)
{
    (void)state;
    load();
    check_ok(web_throw(0.0f, 0.0f, 3.0f, 0.0f, 0.0f, -1.0f, 0.2f, "rubber"));
    for (uint32_t i = 0; i < 130; ++i)
    {
        step(1);
        check_ok(web_draw_overlay(i % 64));
    }
    check_ok(web_describe());
    check_ok(web_presets());
    check_close(web_kept_seconds(), 130 * 0.02, 1e-9);
}

static void what_makes_no_sense_is_refused(void** state)
{
    (void)state;
    load();
    check_fails(RBL_ERROR_ARGUMENT, web_throw(NAN, 0, 0, 0, 0, 0, 0.1f, "steel"));
    check_fails(RBL_ERROR_ARGUMENT, web_throw(0, 9, 0, 0, 0, 0, -0.1f, "steel"));
    check_fails(RBL_ERROR_ARGUMENT, web_throw(0, 9, 0, 0, 9e9f, 0, 0.1f, "steel"));
    check_fails(RBL_ERROR_ARGUMENT, web_throw(0, 9, 0, 0, 0, 0, 0.1f, "cheese"));
    check_fails(RBL_ERROR_ARGUMENT, web_break(0, 0, 3, 0, 0, 0));
    check_fails(RBL_ERROR_ARGUMENT, web_break(0, 9, 3, 0, 1, 0));
    check_fails(RBL_ERROR_ARGUMENT, web_drag(0, INFINITY, 0));
    check_fails(RBL_ERROR_FORMAT, web_load("{", 1, "bad.json"));
    check_fails(RBL_ERROR_UNSUPPORTED, web_import("x", 1, "x.jpg"));
    check_fails(RBL_ERROR_ARGUMENT, web_import_mend());
    check_fails(RBL_ERROR_ARGUMENT, web_import_finish());
    assert_int_equal(step(1)->step, 1);
}

static void meshes_are_mended(void** state)
{
    (void)state;
    static const char open_box[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
                                   "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\n";
    check_ok(web_import(open_box, sizeof open_box - 1, "open.obj"));
    check_fails(RBL_ERROR_ARGUMENT, web_import_finish());
    check_ok(web_import(open_box, sizeof open_box - 1, "again.obj"));
    check_ok(web_import_mend());
    check_ok(web_import_finish());
    check_fails(RBL_ERROR_ARGUMENT, web_import_mend());
    web_forget_import();
    web_forget_import();
}

static void nothing_is_left(void** state)
{
    (void)state;
    web_unload();
    check_fails(RBL_ERROR_ARGUMENT, web_step());
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_told_once),  cmocka_unit_test(pieces_point_outwards),
        cmocka_unit_test(hands_do_all_the_work), cmocka_unit_test(a_hand_holds_on_to_a_piece),
        cmocka_unit_test(overlays_are_drawn),    cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(meshes_are_mended),     cmocka_unit_test(nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
