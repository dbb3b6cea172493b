// Exports of bodies that are hard to write: far from the origin, fragments of fragments, compounds with turned children, surfaces that are far from
// the origin of their shape. As test_export_vertices.c.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "export_comparison.h"

// 1e4 m from the origin along every axis: 32-bit numbers there are 1 mm apart. A box stands turned, a wall breaks, and so do its pieces.
static const char far_scene[] =
    "{\"rubble\":1,\"step\":0.02,\"duration\":0.4,"
    "\"shapes\":{\"ground\":{\"kind\":\"plane\"},\"wall\":{\"kind\":\"box\",\"size\":[1.5,1,0.1]},"
    "\"vase\":{\"kind\":\"vase\"},\"box\":{\"kind\":\"box\",\"size\":[0.1,0.2,0.3]}},"
    "\"bodies\":[{\"name\":\"floor\",\"shape\":\"ground\",\"type\":\"static\",\"position\":[10000,10000,-"
    "10000]},"
    "{\"name\":\"post\",\"shape\":\"box\",\"type\":\"static\",\"position\":[10001.3,10000.2,-10000.7],"
    "\"rotation\":[0.2,0.1,0.3,0.9273618]},"
    "{\"name\":\"vase\",\"shape\":\"vase\",\"material\":\"ceramic\",\"position\":[9998,10002,-10001],"
    "\"spin\":[3,1,2],\"fracture\":{\"method\":\"stress\",\"tetrahedra\":1000}},"
    "{\"name\":\"wall\",\"shape\":\"wall\",\"material\":\"clay\",\"position\":[10000,10001,-10000],"
    "\"velocity\":[0,3,0],\"spin\":[1,2,3],"
    "\"fracture\":{\"method\":\"prescored\",\"pieces\":40,\"generations\":3}}]}";

#define FAR 1e4f

// The piece that has the largest mass of those whose name begins so.
static rblBodyId find_piece(rblRunId run, rblWorldId world, const char* name, rblBodyState* out)
{
    rblRunView view;
    rblBodyId best = {0};
    check_ok(rbl_run_view(run, &view));
    out->mass = 0.0f;
    for (uint32_t i = 0; i < view.piece_count; ++i)
    {
        rblRunMember piece;
        rblBodyState state;
        check_ok(rbl_run_piece(run, i, &piece));
        if (strncmp(piece.name, name, strlen(name)) != 0 || !rbl_body_is_valid(world, piece.id))
        {
            continue;
        }
        check_ok(rbl_body_state(world, piece.id, &state));
        if (state.mass > out->mass)
        {
            *out = state;
            best = piece.id;
        }
    }
    assert_true(best.index1 != 0);
    return best;
}

static rblBodyId find_named(const char* name)
{
    const OracleBody* body = find_body(&oracle, name);
    assert_non_null(body);
    return body->id;
}

static const char* name_of(rblRunId run, rblBodyId body)
{
    rblRunMember member;
    check_ok(rbl_run_member(run, body, &member));
    return member.name;
}

static void break_at_its_center(rblWorldId world, rblBodyId body)
{
    rblBodyState state;
    check_ok(rbl_body_state(world, body, &state));
    check_ok(rbl_body_break(world, body, state.center, (rblVec3){0.0f, 0.0f, 1.0f}));
}

static char broken[2][96];

static void break_wall_twice(rblRunId run, rblWorldId world, uint32_t step)
{
    rblBodyState state;
    if (step == 3)
    {
        break_at_its_center(world, find_named("wall"));
        break_at_its_center(world, find_named("vase"));
    }
    else if (step == 6 || step == 9)
    {
        const rblBodyId piece = find_piece(run, world, "wall_piece_", &state);
        snprintf(broken[step / 9], sizeof broken[0], "%s_piece_0", name_of(run, piece));
        break_at_its_center(world, piece);
    }
    else if (step == 7 || step == 10)
    {
        oracle_index(&oracle);
        find_named(broken[step / 10]); // a fragment of a fragment
    }
}

static void far_from_the_origin(void** state)
{
    (void)state;
    check_scene(&(SceneCheck){.name = "far",
                              .text = far_scene,
                              .size = strlen(far_scene),
                              .most_steps = UINT32_MAX,
                              .between = break_wall_twice});
}

// ---- compounds ----

static const char empty_scene[] =
    "{\"rubble\":1,\"step\":0.02,\"duration\":0.3,\"gravity\":[0,0,0],\"shapes\":{\"ball\":{\"kind\":"
    "\"sphere\","
    "\"radius\":0.1}},\"bodies\":[{\"name\":\"ball\",\"shape\":\"ball\",\"position\":[0,9,0]}]}";

// Two turned boxes and a turned cylinder.
static rblShapeId make_compound(void)
{
    rblShapeChild children[3];
    rblShapeId id;
    check_ok(rbl_shape_create_box((rblVec3){0.6f, 0.1f, 0.2f}, &children[0].shape));
    check_ok(rbl_shape_create_box((rblVec3){0.1f, 0.5f, 0.2f}, &children[1].shape));
    check_ok(rbl_shape_create_cylinder(0.1f, 0.4f, &children[2].shape));
    children[0].pose = (rblTransform){{0.1f, 0.0f, 0.3f}, {0.18257419f, 0.36514837f, 0.5477226f, 0.7302967f}};
    children[1].pose = (rblTransform){{-0.3f, 0.2f, 0.0f}, {0.5f, -0.5f, 0.1f, 0.7f}};
    children[2].pose = (rblTransform){{0.3f, -0.2f, 0.1f}, {0.0f, 0.6f, 0.0f, 0.8f}};
    check_ok(rbl_shape_create_compound(children, 3, &id));
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_shape_destroy(children[i].shape));
    }
    return id;
}

// Runs need the ids of shapes of added bodies.
static rblShapeId added[2];
static uint32_t added_count;

static void add_body(rblRunId run, rblWorldId world, const char* name, rblShapeId shape, rblVec3 at,
                     rblBreakerId breaker)
{
    rblRunView view;
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_run_view(run, &view));
    def.shape = shape;
    def.pose.p = at;
    def.pose.q = (rblQuat){0.0f, 0.6f, 0.0f, 0.8f};
    def.spin = (rblVec3){2.0f, -3.0f, 5.0f};
    def.breaker = breaker;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_run_add_body(run, body, name, &view.materials[0]));
    added[added_count++] = shape;
}

static void destroy_added(void)
{
    while (added_count > 0)
    {
        check_ok(rbl_shape_destroy(added[--added_count]));
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void break_compounds(rblRunId run, rblWorldId world, uint32_t step)
{
    rblBodyState state;
    if (step == 1)
    {
        rblPrescoredDef def = rbl_default_prescored_def();
        rblBreakerId breaker;
        check_ok(rbl_breaker_create_prescored(&def, &breaker));
        add_body(run, world, "near", make_compound(), (rblVec3){1.0f, 2.0f, 3.0f}, breaker);
        add_body(run, world, "far", make_compound(), (rblVec3){FAR, -FAR, FAR}, breaker);
        check_ok(rbl_breaker_destroy(breaker));
    }
    else if (step == 4)
    {
        oracle_index(&oracle);
        break_at_its_center(world, find_named("near"));
        break_at_its_center(world, find_named("far"));
    }
    else if (step == 8)
    {
        break_at_its_center(world, find_piece(run, world, "near_piece_", &state));
        break_at_its_center(world, find_piece(run, world, "far_piece_", &state));
    }
}

static void compounds_with_turned_children(void** state)
{
    (void)state;
    const SceneCheck check = {.name = "compounds",
                              .text = empty_scene,
                              .size = strlen(empty_scene),
                              .most_steps = UINT32_MAX,
                              .between = break_compounds};
    assert_true(check_scene(&check) > 20);
    destroy_added();
}

// ---- surfaces far from the origin of their shape ----

// 10 cm, 30 m and 10 km from its origin. The pose puts the first one near the origin of the world.
static rblShapeId make_far_hull(float distance)
{
    rblVec3 points[8];
    rblShapeId id;
    for (int i = 0; i < 8; ++i)
    {
        points[i] = (rblVec3){distance + (i & 1 ? 0.125f : 0.0f), i & 2 ? 0.125f : 0.0f,
                              (i & 4 ? 0.125f : 0.0f) - distance};
    }
    check_ok(rbl_shape_create_hull(points, 8, &id));
    return id;
}

static void add_far_hulls(rblRunId run, rblWorldId world, uint32_t step)
{
    if (step == 1)
    {
        add_body(run, world, "at 32 m", make_far_hull(32.0f), (rblVec3){-30.0f, 0.0f, 30.0f},
                 (rblBreakerId){0});
        add_body(run, world, "at 8 km", make_far_hull(8192.0f), (rblVec3){100.0f, 0.0f, 30.0f},
                 (rblBreakerId){0});
    }
}

static void surfaces_far_from_the_origin_of_their_shape(void** state)
{
    (void)state;
    check_scene(&(SceneCheck){.name = "far hulls",
                              .text = empty_scene,
                              .size = strlen(empty_scene),
                              .most_steps = UINT32_MAX,
                              .between = add_far_hulls,
                              .without_page = true});
    destroy_added();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(far_from_the_origin),
        cmocka_unit_test(compounds_with_turned_children),
        cmocka_unit_test(surfaces_far_from_the_origin_of_their_shape),
    };
    return run_in_folder(tests, sizeof tests / sizeof *tests);
}
