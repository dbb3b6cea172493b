// Round solids that are level sets roll as round solids: against m g sin a = (m + I / r^2) a'.
#include "world_testing.h"

#include "rubble/solids.h"

#define GRAVITY 9.81
#define PI      3.14159265358979323846
#define RADIUS  0.1f
#define SECONDS 1.5

typedef enum Solid
{
    BALL_OF_TRIANGLES, // even triangles
    BALL_OF_RINGS,     // with poles
    LYING_CYLINDER,
    STANDING_RING, // a torus
    TRUE_BALL,     // a primitive
    TRUE_CYLINDER
} Solid;

typedef enum Ground
{
    PLANE,
    BOX,
    GRID_BOX // a box that is a level set
} Ground;

typedef struct Case
{
    Solid solid;
    Ground ground;
    uint32_t detail; // of the mesh
    uint32_t cells;  // of the grid
} Case;

static rblShapeId make_grid(const char* kind, const rblSolidValue* values, uint32_t count, uint32_t cells)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    check_ok(rbl_mesh_make(kind, values, count, &def.mesh));
    def.max_cells = cells;
    check_ok(rbl_shape_create_level_set(&def, &shape));
    check_ok(rbl_mesh_destroy(def.mesh));
    return shape;
}

static rblShapeId make_round(const Case* c)
{
    const double detail = c->detail;
    const double radius = (double)RADIUS;
    const double ring[2] = {0.07, 0.03};
    const rblSolidValue ball[2] = {{"frequency", &detail, 1}, {"radius", &radius, 1}};
    const rblSolidValue turned[2] = {{"segments", &detail, 1}, {"radius", &radius, 1}};
    const double sides = 64.0;
    const rblSolidValue torus[4] = {
        {"segments", &detail, 1}, {"sides", &sides, 1}, {"radius", &ring[0], 1}, {"tube", &ring[1], 1}};
    rblShapeId shape;
    switch (c->solid)
    {
    case BALL_OF_TRIANGLES:
        return make_grid("icosphere", ball, 2, c->cells);
    case BALL_OF_RINGS:
        return make_grid("sphere", turned, 2, c->cells);
    case LYING_CYLINDER:
        return make_grid("cylinder", turned, 2, c->cells);
    case STANDING_RING:
        return make_grid("torus", torus, 4, c->cells);
    case TRUE_CYLINDER:
        check_ok(rbl_shape_create_cylinder(RADIUS, 0.2f, &shape));
        return shape;
    default:
        return make_sphere(RADIUS);
    }
}

static rblShapeId make_floor(const Case* c)
{
    const double size[3] = {6.0, 0.4, 0.6};
    const rblSolidValue box = {"size", size, 3};
    switch (c->ground)
    {
    case BOX:
        return make_box(6.0f, 0.4f, 0.6f);
    case GRID_BOX:
        return make_grid("box", &box, 1, c->cells);
    default:
        return make_ground();
    }
}

// I / (m r^2).
static double inertia_of(Solid solid)
{
    switch (solid)
    {
    case LYING_CYLINDER:
    case TRUE_CYLINDER:
        return 0.5;
    case STANDING_RING:
        return (0.07 * 0.07 + 0.75 * 0.03 * 0.03) / 0.01;
    default:
        return 0.4;
    }
}

// The distance that it rolls from rest, over that of the closed form.
static double roll(const Case* c, double degrees, double rate)
{
    const double angle = degrees * PI / 180.0;
    rblWorldDef def = rbl_default_world_def();
    def.sleeping = false;
    def.gravity = vec((float)(GRAVITY * sin(angle)), (float)(-GRAVITY * cos(angle)), 0);
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_check_stages(world, RBL_CHECK_ALL));
    const rblVec3 below = c->ground == PLANE ? vec(0, 0, 0) : vec(2.0f, -0.2f, 0);
    (void)put(world, make_floor(c), RBL_BODY_STATIC, below);
    rblBodyDef body_def = rbl_default_body_def();
    const bool stands = c->solid == LYING_CYLINDER || c->solid == STANDING_RING || c->solid == TRUE_CYLINDER;
    body_def.shape = make_round(c);
    body_def.material.restitution = 0.0f;
    body_def.material.friction = 1.0f;
    body_def.pose =
        (rblTransform){vec(0, RADIUS, 0), stands ? rbl_quat_from_axis_angle(vec(1, 0, 0), (float)(0.5 * PI))
                                                 : rbl_quat_from_axis_angle(vec(0.3f, 0.5f, 0.7f), 1.1f)};
    rblBodyId body;
    check_ok(rbl_body_create(world, &body_def, &body));
    check_ok(rbl_shape_destroy(body_def.shape));
    const double start = (double)state_of(world, body).center.x;
    Watch w = watch(world);
    for (int i = 0; i < (int)(SECONDS * rate + 0.5); ++i)
    {
        watched_step(&w, (float)(1.0 / rate));
    }
    const rblBodyState end = state_of(world, body);
    check_energy_rule(&w);
    check_close((double)end.center.y, (double)RADIUS, 0.03 * (double)RADIUS);
    check_ok(rbl_world_destroy(world));
    const double acceleration = GRAVITY * sin(angle) / (1.0 + inertia_of(c->solid));
    return ((double)end.center.x - start) / (0.5 * acceleration * SECONDS * SECONDS);
}

static void check_case(const Case* c, double tolerance)
{
    static const char* const solids[] = {"ball of triangles", "ball of rings", "cylinder", "ring",
                                         "true ball",         "true cylinder"};
    static const char* const grounds[] = {"plane", "box", "level-set box"};
    const double angles[3] = {10.0, 20.0, 30.0};
    const double rates[2] = {30.0, 60.0};
    for (int k = 0; k < 6; ++k)
    {
        const double degrees = angles[k / 2];
        const double rate = rates[k % 2];
        const double rolled = roll(c, degrees, rate);
        print_message("%s on %s, detail %u, %u cells, %2.0f degrees, %2.0f Hz: %+.2f %%\n", solids[c->solid],
                      grounds[c->ground], c->detail, c->cells, degrees, rate, 100.0 * (rolled - 1.0));
        check_close(rolled, 1.0, tolerance);
    }
}

static void level_set_balls_roll_as_balls(void** state)
{
    (void)state;
    const Case cases[] = {
        {BALL_OF_TRIANGLES, PLANE, 6, 16},     {BALL_OF_TRIANGLES, PLANE, 12, 32},
        {BALL_OF_TRIANGLES, PLANE, 24, 64},    {BALL_OF_TRIANGLES, PLANE, 48, 128},
        {BALL_OF_TRIANGLES, BOX, 24, 64},      {BALL_OF_RINGS, PLANE, 48, 64},
        {BALL_OF_TRIANGLES, GRID_BOX, 24, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        check_case(&cases[i], 0.01);
    }
}

static void balls_roll_on_level_sets(void** state)
{
    (void)state;
    const Case cases[] = {
        {TRUE_BALL, GRID_BOX, 0, 32}, {TRUE_BALL, GRID_BOX, 0, 64}, {TRUE_BALL, GRID_BOX, 0, 128}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        check_case(&cases[i], 0.01);
    }
}

// These touch in a line, or have two curvatures.
static void level_set_cylinders_and_rings_roll(void** state)
{
    (void)state;
    const Case cases[] = {
        {LYING_CYLINDER, PLANE, 48, 32},  {LYING_CYLINDER, PLANE, 48, 64}, {LYING_CYLINDER, PLANE, 96, 128},
        {TRUE_CYLINDER, GRID_BOX, 0, 64}, {STANDING_RING, PLANE, 64, 64},  {STANDING_RING, PLANE, 128, 96},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        check_case(&cases[i], 0.01);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_set_balls_roll_as_balls),
        cmocka_unit_test(balls_roll_on_level_sets),
        cmocka_unit_test(level_set_cylinders_and_rings_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
