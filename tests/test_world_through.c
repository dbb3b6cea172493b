// Nobody passes through anything: bodies of every kind in closed rooms of thin walls, at 1 to 300 m/s, turning at up to 300 rad/s.
//
//   test_world_through              the suite: a few cases of each kind
//   test_world_through 10000        so many cases of each kind and room, with a table of the faults
//   test_world_through 10000 rod    of one kind
#include "world_testing.h"

#include "base/random.h"
#include "field/convex/gjk.h"
#include "field/piece.h"
#include "field/shape.h"
#include "math/transform.h"
#include "rubble/solids.h"
#include <stdlib.h>

#define INSIDE 0.75f // m: half the width of a room
#define SIZES  3     // shapes of a kind
#define CROWD  6     // bodies in a crowded room

// ---- shapes ----

typedef enum Kind
{
    KIND_BALL,
    KIND_CUBE,
    KIND_CAPSULE,
    KIND_ROD,
    KIND_PLATE,
    KIND_HULL,
    KIND_LEVEL_SET,
    KIND_PIECE,
    KINDS
} Kind;

static const char* const kind_names[KINDS] = {"ball",  "cube", "capsule",   "rod",
                                              "plate", "hull", "level set", "piece"};

static rblShapeId make_capsule(float radius, float height)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_capsule(radius, height, &shape));
    return shape;
}

static rblShapeId make_stone(float radius)
{
    rblVec3 points[12];
    for (int i = 0; i < 12; ++i)
    {
        const float x = 1.0f - 2.0f * (float)i / 11.0f;
        const float angle = 2.4f * (float)i;
        points[i] = vec(radius * x, 0.9f * radius * sqrtf(1.0f - x * x) * cosf(angle),
                        0.9f * radius * sqrtf(1.0f - x * x) * sinf(angle));
    }
    rblShapeId shape;
    check_ok(rbl_shape_create_hull(points, 12, &shape));
    return shape;
}

static rblShapeId make_torus(float radius)
{
    const double major = 0.7 * (double)radius;
    const double minor = 0.3 * (double)radius;
    const rblSolidValue values[2] = {{"radius", &major, 1}, {"tube", &minor, 1}};
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    check_ok(rbl_mesh_make("torus", values, 2, &def.mesh));
    def.max_cells = 48;
    check_ok(rbl_shape_create_level_set(&def, &shape));
    check_ok(rbl_mesh_destroy(def.mesh));
    return shape;
}

#define GRID 9 // samples along a side of a piece

// A slab of a thicker box, between two planes: what a break leaves.
static rblShapeId make_piece(float width)
{
    const float half = 0.25f * width;
    const rblHalfSpace planes[2] = {{{1, 0, 0}, half, false}, {{-1, 0, 0}, half, false}};
    const uint32_t starts[2] = {0, 2};
    const double x = 2.0 * (double)half;
    const double w = (double)width;
    const double volume = x * w * w;
    const double across = volume * (x * x + w * w) / 12.0;
    const double about = volume * w * w / 6.0;
    const rblMassProperties mass = {.volume = volume,
                                    .mass = volume,
                                    .moments = {across, across, about},
                                    .inertia = {{about, 0, 0}, {0, across, 0}, {0, 0, across}},
                                    .principal_axes = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
    const rblShapeId whole = make_box(2.0f * width, width, width);
    rblVec3 samples[2 * GRID * GRID];
    rblShapeView view;
    rblShapeId shape;
    check_ok(rbl_shape_view(whole, &view));
    for (int i = 0; i < 2 * GRID * GRID; ++i)
    {
        const float y = width * ((float)(i / 2 % GRID) / (GRID - 1) - 0.5f);
        const float z = width * ((float)(i / 2 / GRID) / (GRID - 1) - 0.5f);
        samples[i] = vec(i % 2 == 0 ? half : -half, y, z);
    }
    const rblPieceShapeDef def = {
        .parent = view.shape,
        .region = {planes, starts, NULL, 1},
        .samples = samples,
        .sample_count = 2 * GRID * GRID,
        .mass = &mass,
        .bounds = {vec(-half, -0.5f * width, -0.5f * width), vec(half, 0.5f * width, 0.5f * width)}};
    check_ok(rbl_shape_create_piece(&def, &shape));
    check_ok(rbl_shape_destroy(whole));
    return shape;
}

static rblShapeId make_kind(Kind kind, int size)
{
    static const float radii[SIZES] = {0.02f, 0.05f, 0.12f};
    const float r = radii[size];
    switch (kind)
    {
    case KIND_BALL:
        return make_sphere(r);
    case KIND_CUBE:
        return make_box(1.2f * r, 1.2f * r, 1.2f * r);
    case KIND_CAPSULE:
        return make_capsule(0.4f * r, 2.0f * r);
    case KIND_ROD:
        return make_capsule(0.004f, 3.0f * r);
    case KIND_PLATE:
        return make_box(1.5f * r, 0.05f * r, 1.2f * r);
    case KIND_HULL:
        return make_stone(r);
    case KIND_LEVEL_SET:
        return make_torus(r);
    default:
        return make_piece(1.2f * r);
    }
}

typedef struct Stock
{
    rblShapeId shapes[KINDS][SIZES];
} Stock;

// ---- rooms ----

typedef enum Room
{
    ROOM_STATIC,  // one body
    ROOM_MOVING,  // one body, kinematic walls that all have one velocity
    ROOM_CROWDED, // bodies of the kind
    ROOM_MIXED,   // the body and bodies of all kinds
    ROOMS
} Room;

static const char* const room_names[ROOMS] = {"static walls", "moving walls", "crowd", "mixed crowd"};
static const float thicknesses[] = {0.002f, 0.01f, 0.05f};
static const float rates[] = {30.0f, 60.0f, 120.0f};
#define WALLS 3 // thicknesses
#define BANDS 3 // of speed: below 10, below 100, below 300 m/s

typedef struct Case
{
    Kind kind;
    Room room;
    int wall; // of `thicknesses`
    float speed, rate;
    rblRandom random;
} Case;

typedef struct Scene
{
    rblWorldId world;
    rblBodyId walls[6]; // the first is that at x < 0
    rblBodyId bodies[CROWD];
    int count;
    float outside; // m: from the middle of the room to the outer faces
} Scene;

static float between(rblRandom* random, float low, float high)
{
    return low + (high - low) * rbl_random_float(random);
}

static rblVec3 some_direction(rblRandom* random)
{
    for (;;)
    {
        rblVec3 v;
        v.x = between(random, -1.0f, 1.0f);
        v.y = between(random, -1.0f, 1.0f);
        v.z = between(random, -1.0f, 1.0f);
        const float length = rbl_length3(v);
        if (length > 0.1f && length < 1.0f)
        {
            return rbl_scale3(v, 1.0f / length);
        }
    }
}

static void add_walls(const Case* c, rblRandom* random, Scene* scene)
{
    const float t = thicknesses[c->wall];
    const float wide = 2.0f * (INSIDE + t);
    rblBodyDef def = rbl_default_body_def();
    def.type = c->room == ROOM_MOVING ? RBL_BODY_KINEMATIC : RBL_BODY_STATIC;
    def.material.restitution = 0.0f;
    if (c->room == ROOM_MOVING)
    {
        const float speed = between(random, 0.5f, 30.0f);
        def.velocity = rbl_scale3(some_direction(random), speed);
    }
    for (int i = 0; i < 6; ++i)
    {
        const float at = (i % 2 == 0 ? -1.0f : 1.0f) * (INSIDE + 0.5f * t);
        def.shape = make_box(i / 2 == 0 ? t : wide, i / 2 == 1 ? t : wide, i / 2 == 2 ? t : wide);
        def.pose.p = vec(i / 2 == 0 ? at : 0.0f, i / 2 == 1 ? at : 0.0f, i / 2 == 2 ? at : 0.0f);
        check_ok(rbl_body_create(scene->world, &def, &scene->walls[i]));
        check_ok(rbl_shape_destroy(def.shape));
    }
    scene->outside = INSIDE + t;
}

static void add_body(const Case* c, rblRandom* random, const Stock* stock, Scene* scene)
{
    static const float restitutions[] = {0.0f, 0.3f, 0.8f};
    const int number = scene->count;
    const bool alone = c->room == ROOM_STATIC || c->room == ROOM_MOVING;
    const Kind kind = c->room == ROOM_MIXED && number > 0 ? (Kind)rbl_random_below(random, KINDS) : c->kind;
    rblBodyDef def = rbl_default_body_def();
    def.shape = stock->shapes[kind][rbl_random_below(random, SIZES)];
    def.material.restitution = restitutions[rbl_random_below(random, 3)];
    def.material.friction = between(random, 0.0f, 0.8f);
    const rblVec3 side = vec(number % 2 == 0 ? -0.36f : 0.36f, number / 2 % 2 == 0 ? -0.36f : 0.36f,
                             number / 4 == 0 ? -0.36f : 0.36f);
    def.pose.p = alone ? rbl_scale3(some_direction(random), 0.4f) : side;
    const rblVec3 axis = some_direction(random);
    def.pose.q = rbl_quat_from_axis_angle(axis, between(random, 0.0f, 6.0f));
    const float speed = number == 0 ? c->speed : c->speed * between(random, 0.1f, 1.0f);
    def.velocity = rbl_scale3(some_direction(random), speed);
    const float spin = between(random, 0.0f, 300.0f) * (rbl_random_below(random, 4) == 0 ? 0.0f : 1.0f);
    def.spin = rbl_scale3(some_direction(random), spin);
    check_ok(rbl_body_create(scene->world, &def, &scene->bodies[scene->count++]));
}

static Scene build(const Case* c, const Stock* stock)
{
    rblRandom random = c->random;
    rblWorldDef def = rbl_default_world_def();
    Scene scene = {.count = 0};
    check_ok(rbl_world_create(&def, &scene.world));
    add_walls(c, &random, &scene);
    const int count = c->room < ROOM_CROWDED ? 1 : CROWD;
    for (int i = 0; i < count; ++i)
    {
        add_body(c, &random, stock, &scene);
    }
    return scene;
}

// ---- faults ----

// How far the centre of a body is from the middle of the room, along the axis along which that is farthest.
static float farthest_out(const Scene* scene, rblBodyId body)
{
    const rblVec3 middle = rbl_sub3(state_of(scene->world, scene->walls[0]).pose.p,
                                    vec(-0.5f * (INSIDE + scene->outside), 0, 0));
    const rblVec3 at = rbl_sub3(state_of(scene->world, body).center, middle);
    return fmaxf(fabsf(at.x), fmaxf(fabsf(at.y), fabsf(at.z)));
}

static bool is_outside(const Scene* scene)
{
    for (int i = 0; i < scene->count; ++i)
    {
        if (!(farthest_out(scene, scene->bodies[i]) < scene->outside))
        {
            return true;
        }
    }
    return false;
}

#define STEPS 24

// The step after which a body is outside; -1: none is.
static int find_escape(const Case* c, const Stock* stock)
{
    const Scene scene = build(c, stock);
    int fault = -1;
    for (int i = 0; i < STEPS && fault < 0; ++i)
    {
        check_ok(rbl_world_step(scene.world, 1.0f / c->rate));
        fault = is_outside(&scene) ? i : -1;
    }
    check_ok(rbl_world_destroy(scene.world));
    return fault;
}

typedef struct Tally
{
    int cases, faults;
    int by[WALLS][BANDS];
} Tally;

static int band_of(float speed)
{
    return speed < 10.0f ? 0 : speed < 100.0f ? 1 : 2;
}

static Case make_case(Kind kind, Room room, int number)
{
    Case c = {.kind = kind, .room = room};
    c.random = rbl_random_seed((uint64_t)number, (uint64_t)(kind * ROOMS + room));
    c.wall = (int)rbl_random_below(&c.random, WALLS);
    c.rate = rates[rbl_random_below(&c.random, 3)];
    c.speed = powf(300.0f, rbl_random_float(&c.random));
    return c;
}

static Tally try_cases(Kind kind, Room room, const Stock* stock, int count, bool says)
{
    Tally tally = {.cases = count};
    for (int i = 0; i < count; ++i)
    {
        const Case c = make_case(kind, room, i);
        const int step = find_escape(&c, stock);
        tally.faults += step >= 0;
        tally.by[c.wall][band_of(c.speed)] += step >= 0;
        if (step >= 0 && says)
        {
            print_message("%s, %s, case %d: walls of %g mm, %g m/s, %g Hz: outside after step %d\n",
                          kind_names[kind], room_names[room], i, 1e3 * (double)thicknesses[c.wall],
                          (double)c.speed, (double)c.rate, step);
        }
    }
    return tally;
}

// ---- piles ----

#define PILE 120

// Bodies of one kind dropped in a block onto a fixed box; with `close` below 1 they overlap at the beginning. Counts those whose centre is
// in the ground by a fifth of their size, or beyond its middle, and those that are faster than their fall allows, in any step.
static int count_lost(rblShapeId shape, float size, float thickness, float close)
{
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[PILE];
    check_ok(rbl_world_create(&world_def, &world));
    put(world, make_box(60, thickness, 60), RBL_BODY_STATIC, vec(0, -0.5f * thickness, 0));
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    for (int i = 0; i < PILE; ++i)
    {
        const float spacing = close * size;
        const rblVec3 axis = vec((float)(i % 5 - 2), 1, (float)(i % 3 - 1));
        def.pose.p =
            vec(spacing * (float)(i % 4), size + spacing * (float)(i / 16), spacing * (float)(i / 4 % 4));
        def.pose.q = rbl_quat_from_axis_angle(axis, 0.7f * (float)i);
        check_ok(rbl_body_create(world, &def, &bodies[i]));
    }
    const float drop = size * (1.0f + (float)(PILE / 16));
    const float deep = fminf(0.2f * size, 0.5f * thickness);
    int lost = 0;
    for (int step = 0; step < 60; ++step)
    {
        step_times(world, 1);
        for (int i = 0; i < PILE; ++i)
        {
            const rblBodyState now = state_of(world, bodies[i]);
            lost += now.center.y < -deep || now.velocity.y < -1.2f * sqrtf(2.0f * 9.81f * drop) - 1.0f;
        }
    }
    check_ok(rbl_world_destroy(world));
    return lost;
}

static void nobody_falls_through_the_ground_of_a_pile(void** state)
{
    (void)state;
    static const float grounds[] = {2.0f, 0.01f};
    int all = 0;
    static const float spacings[] = {1.1f, 0.6f};
    for (int kind = 0; kind < KINDS; ++kind)
    {
        const rblShapeId shape = make_kind((Kind)kind, 2);
        rblShapeView view;
        check_ok(rbl_shape_view(shape, &view));
        // Of level sets and pieces some sink into the thin ground (docs/step.md).
        const int count = kind < KIND_LEVEL_SET ? 4 : 2;
        for (int i = 0; i < count; ++i)
        {
            const int lost = count_lost(shape, 2.0f * view.radius, grounds[i / 2], spacings[i % 2]);
            all += lost;
            if (lost > 0)
            {
                print_message("%s on %g m, spacing %g: %d\n", kind_names[kind], (double)grounds[i / 2],
                              (double)spacings[i % 2], lost);
            }
        }
        check_ok(rbl_shape_destroy(shape));
    }
    assert_int_equal(all, 0);
}

// ---- the suite ----

static void make_stock(Stock* stock)
{
    for (int kind = 0; kind < KINDS; ++kind)
    {
        for (int size = 0; size < SIZES; ++size)
        {
            stock->shapes[kind][size] = make_kind((Kind)kind, size);
        }
    }
}

static void destroy_stock(const Stock* stock)
{
    for (int kind = 0; kind < KINDS; ++kind)
    {
        for (int size = 0; size < SIZES; ++size)
        {
            check_ok(rbl_shape_destroy(stock->shapes[kind][size]));
        }
    }
}

static void check_room(Room room, int count)
{
    Stock stock;
    int faults = 0;
    make_stock(&stock);
    for (int kind = 0; kind < KINDS; ++kind)
    {
        faults += try_cases((Kind)kind, room, &stock, count, true).faults;
    }
    destroy_stock(&stock);
    assert_int_equal(faults, 0);
}

static void nothing_passes_through_static_walls(void** state)
{
    (void)state;
    check_room(ROOM_STATIC, 150);
}

static void nothing_passes_through_moving_walls(void** state)
{
    (void)state;
    check_room(ROOM_MOVING, 150);
}

static void nothing_passes_through_walls_in_a_crowd(void** state)
{
    (void)state;
    check_room(ROOM_CROWDED, 40);
}

static void nothing_passes_through_walls_in_a_mixed_crowd(void** state)
{
    (void)state;
    check_room(ROOM_MIXED, 40);
}

// ---- the table ----

static void print_table(int count, const char* only)
{
    Stock stock;
    int all = 0;
    make_stock(&stock);
    printf("faults of %d cases, by walls of 2, 10, 50 mm and below 10 / 100 / 300 m/s\n", count);
    for (int room = 0; room < ROOMS; ++room)
    {
        for (int kind = 0; kind < KINDS; ++kind)
        {
            if (only != NULL && strcmp(only, kind_names[kind]) != 0)
            {
                continue;
            }
            const Tally t =
                try_cases((Kind)kind, (Room)room, &stock, count, getenv("RUBBLE_MEASURE") != NULL);
            printf("%-13s %-10s %5d ", room_names[room], kind_names[kind], t.faults);
            for (int wall = 0; wall < WALLS; ++wall)
            {
                printf("  %4d /%4d /%4d", t.by[wall][0], t.by[wall][1], t.by[wall][2]);
            }
            printf("\n");
            fflush(stdout);
            all += t.faults;
        }
    }
    printf("in all %d\n", all);
    destroy_stock(&stock);
}

int main(int argc, char** argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_passes_through_static_walls),
        cmocka_unit_test(nothing_passes_through_moving_walls),
        cmocka_unit_test(nothing_passes_through_walls_in_a_crowd),
        cmocka_unit_test(nothing_passes_through_walls_in_a_mixed_crowd),
        cmocka_unit_test(nobody_falls_through_the_ground_of_a_pile),
    };
    if (argc > 1)
    {
        print_table(atoi(argv[1]), argc > 2 ? argv[2] : NULL);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
