// No tunnelling, however things stand one behind the other: a body that flies at a thin plate in front of a board collides with the plate
// first, and neither goes through anything by it, nor by what comes after that impact.
#include "world_testing.h"

#include "field/piece.h"
#include "math/transform.h"
#include "rubble/solids.h"

#define WIDTH 0.3f
#define BOARD 0.02f

// ---- plates ----

typedef enum PlateKind
{
    PLATE_BOX,
    PLATE_HULL,
    PLATE_LEVEL_SET,
    PLATE_PIECE,
    PLATE_KINDS
} PlateKind;

static rblShapeId make_slab_hull(float thickness)
{
    rblVec3 points[16];
    for (int i = 0; i < 16; ++i)
    {
        const float angle = 0.785398163f * (float)(i / 2);
        points[i] = vec(0.5f * thickness * (i % 2 == 0 ? 1.0f : -1.0f), 0.5f * WIDTH * cosf(angle),
                        0.5f * WIDTH * sinf(angle));
    }
    rblShapeId shape;
    check_ok(rbl_shape_create_hull(points, 16, &shape));
    return shape;
}

static rblShapeId make_slab_level_set(float thickness)
{
    const double size[3] = {(double)thickness, (double)WIDTH, (double)WIDTH};
    const rblSolidValue value = {"size", size, 3};
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    check_ok(rbl_mesh_make("box", &value, 1, &def.mesh));
    check_ok(rbl_shape_create_level_set(&def, &shape));
    check_ok(rbl_mesh_destroy(def.mesh));
    return shape;
}

#define GRID 25 // samples along a side

static rblMassProperties slab_mass(float thickness)
{
    const double x = (double)thickness;
    const double w = (double)WIDTH;
    const double volume = x * w * w;
    const double across = volume * (x * x + w * w) / 12.0;
    const double about = volume * w * w / 6.0;
    return (rblMassProperties){.volume = volume,
                               .mass = volume,
                               .moments = {across, across, about},
                               .inertia = {{about, 0, 0}, {0, across, 0}, {0, 0, across}},
                               .principal_axes = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
}

// A slab of a thicker box, between two planes: what a break leaves.
static rblShapeId make_slab_piece(float thickness)
{
    const float half = 0.5f * thickness;
    const rblHalfSpace planes[2] = {{{1, 0, 0}, half, false}, {{-1, 0, 0}, half, false}};
    const uint32_t starts[2] = {0, 2};
    const rblMassProperties mass = slab_mass(thickness);
    const rblShapeId whole = make_box(5.0f * thickness, WIDTH, WIDTH);
    rblVec3 samples[2 * GRID * GRID];
    rblShapeView view;
    rblShapeId shape;
    check_ok(rbl_shape_view(whole, &view));
    for (int i = 0; i < 2 * GRID * GRID; ++i)
    {
        const float y = WIDTH * ((float)(i / 2 % GRID) / (GRID - 1) - 0.5f);
        const float z = WIDTH * ((float)(i / 2 / GRID) / (GRID - 1) - 0.5f);
        samples[i] = vec(i % 2 == 0 ? half : -half, y, z);
    }
    const rblPieceShapeDef def = {
        .parent = view.shape,
        .region = {planes, starts, NULL, 1},
        .samples = samples,
        .sample_count = 2 * GRID * GRID,
        .mass = &mass,
        .bounds = {vec(-half, -0.5f * WIDTH, -0.5f * WIDTH), vec(half, 0.5f * WIDTH, 0.5f * WIDTH)}};
    check_ok(rbl_shape_create_piece(&def, &shape));
    check_ok(rbl_shape_destroy(whole));
    return shape;
}

static rblShapeId make_plate(PlateKind kind, float thickness)
{
    switch (kind)
    {
    case PLATE_HULL:
        return make_slab_hull(thickness);
    case PLATE_LEVEL_SET:
        return make_slab_level_set(thickness);
    case PLATE_PIECE:
        return make_slab_piece(thickness);
    default:
        return make_box(thickness, WIDTH, WIDTH);
    }
}

// ---- projectiles ----

typedef enum ProjectileKind
{
    PROJECTILE_BALL,
    PROJECTILE_BOX,
    PROJECTILE_HULL,
    PROJECTILE_KINDS
} ProjectileKind;

// Of about the same radius; *reach: how far it is to its foremost point, as it flies.
static rblShapeId make_projectile(ProjectileKind kind, float radius, float* reach)
{
    *reach = radius;
    if (kind == PROJECTILE_BALL)
    {
        return make_sphere(radius);
    }
    if (kind == PROJECTILE_BOX)
    {
        return make_box(2.0f * radius, 1.6f * radius, 1.8f * radius);
    }
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

// ---- cases ----

typedef enum PlateState
{
    PLATE_FREE, // hovers
    PLATE_ASLEEP,
    PLATE_STANDING, // on the ground, under gravity
    PLATE_HELD,     // at its edge
    PLATE_STATES
} PlateState;

static const char* const state_names[] = {"free", "asleep", "standing", "held"};
static const char* const plate_names[] = {"box", "hull", "level set", "piece"};
static const char* const projectile_names[] = {"ball", "box", "hull"};

typedef struct Case
{
    PlateKind plate;
    PlateState state;
    ProjectileKind projectile;
    float thickness, gap, radius, speed, rate;
    float phase; // of a step, when the plate is reached
    float restitution;
} Case;

typedef struct Scene
{
    rblWorldId world;
    rblBodyId board, plate, projectile;
    float board_face; // x
} Scene;

static void hold_plate(const Scene* scene)
{
    rblJointDef def = rbl_default_joint_def();
    rblJointId joint;
    def.kind = RBL_JOINT_BALL;
    def.a = scene->plate;
    def.anchor_a = vec(0, 0.5f * WIDTH, 0);
    def.anchor_b = rbl_transform_point(state_of(scene->world, scene->plate).pose, def.anchor_a);
    check_ok(rbl_joint_create(scene->world, &def, &joint));
}

static rblBodyId add(rblWorldId world, rblBodyDef* def, rblVec3 at)
{
    rblBodyId body;
    def->pose.p = at;
    check_ok(rbl_body_create(world, def, &body));
    return body;
}

// The plate's front is at x = 0; the projectile comes along x.
static Scene build(const Case* c, rblShapeId plate)
{
    rblWorldDef world_def = rbl_default_world_def();
    world_def.gravity = c->state == PLATE_STANDING ? vec(0, -9.81f, 0) : vec(0, 0, 0);
    Scene scene = {.board_face = c->thickness + c->gap};
    check_ok(rbl_world_create(&world_def, &scene.world));
    rblBodyDef def = rbl_default_body_def();
    def.material.restitution = c->restitution;
    def.type = RBL_BODY_STATIC;
    def.shape = make_box(BOARD, 4, 4);
    scene.board = add(scene.world, &def, vec(scene.board_face + 0.5f * BOARD, 0, 0));
    check_ok(rbl_shape_destroy(def.shape));
    if (c->state == PLATE_STANDING)
    {
        def.shape = make_box(4, 1, 4);
        (void)add(scene.world, &def, vec(0, -0.5f - 0.5f * WIDTH, 0));
        check_ok(rbl_shape_destroy(def.shape));
    }
    def.type = RBL_BODY_DYNAMIC;
    def.shape = plate;
    def.asleep = c->state == PLATE_ASLEEP;
    scene.plate = add(scene.world, &def, vec(0.5f * c->thickness, 0, 0));
    if (c->state == PLATE_HELD)
    {
        hold_plate(&scene);
    }
    float reach;
    def.asleep = false;
    def.shape = make_projectile(c->projectile, c->radius, &reach);
    def.material.density = 7800.0f;
    def.velocity = vec(c->speed, 0, 0);
    def.gravity_scale = 0.0f;
    scene.projectile =
        add(scene.world, &def, vec(-reach - c->speed * (1.0f + c->phase) / c->rate, 0.004f, 0.003f));
    check_ok(rbl_shape_destroy(def.shape));
    return scene;
}

static bool same(rblBodyId a, rblBodyId b)
{
    return a.index1 == b.index1;
}

typedef enum Target
{
    TARGET_NONE,
    TARGET_PLATE,
    TARGET_OTHER
} Target;

// The body that the projectile collides with in the step, the plate before the others.
static Target find_target(const Scene* scene)
{
    const rblContactEvent* events;
    uint32_t count;
    Target target = TARGET_NONE;
    check_ok(rbl_world_contact_events(scene->world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool involved = same(events[i].a, scene->projectile) || same(events[i].b, scene->projectile);
        const bool plate = same(events[i].a, scene->plate) || same(events[i].b, scene->plate);
        if (events[i].kind == RBL_CONTACT_IMPACT && involved && target != TARGET_PLATE)
        {
            target = plate ? TARGET_PLATE : TARGET_OTHER;
        }
    }
    return target;
}

// Where both are at the end of a step.
typedef struct Moment
{
    rblTransform plate;
    float plate_spin; // rad/s
    rblVec3 projectile;
} Moment;

static Moment moment_of(const Scene* scene)
{
    const rblBodyState plate = state_of(scene->world, scene->plate);
    return (Moment){plate.pose, rbl_length3(plate.spin), state_of(scene->world, scene->projectile).center};
}

static float between(float from, float to, float t)
{
    return from + t * (to - from);
}

// Where the projectile's centre is in the plate's axes: x < 0 on the side that it came from. Both on straight ways between two moments, the
// plate turning evenly.
static rblVec3 seen_between(const Moment* from, const Moment* to, float t)
{
    const rblQuat p = from->plate.q;
    const rblQuat q = to->plate.q;
    const float s = rbl_quat_dot(p, q) < 0.0f ? -1.0f : 1.0f;
    const rblQuat turn = rbl_quat_normalize((rblQuat){between(p.x, s * q.x, t), between(p.y, s * q.y, t),
                                                      between(p.z, s * q.z, t), between(p.w, s * q.w, t)});
    const rblVec3 plate = rbl_mul_add3(from->plate.p, t, rbl_sub3(to->plate.p, from->plate.p));
    const rblVec3 projectile = rbl_mul_add3(from->projectile, t, rbl_sub3(to->projectile, from->projectile));
    return rbl_inverse_rotate3(turn, rbl_sub3(projectile, plate));
}

static bool is_over_plate(rblVec3 at)
{
    return fabsf(at.y) < 0.5f * WIDTH && fabsf(at.z) < 0.5f * WIDTH;
}

static bool is_over_octagon(rblVec3 at)
{
    const float inner = 0.92f * 0.5f * WIDTH;
    return at.y * at.y + at.z * at.z < inner * inner;
}

// Poses at both ends of a step do not show which way a plate turned by more than half a turn, nor do its spins when an impact changed
// them in between. Such steps are not looked at; the test counts the cases that have some.
static bool is_ambiguous(const Case* c, const Moment* from, const Moment* to)
{
    return fmaxf(from->plate_spin, to->plate_spin) / c->rate > 2.5f;
}

// Whether it went through the plate from one step to the next; beside it, it may go where it will. A plate that tumbles after an impact
// turns by more than a right angle in a step, so that parts of the step are looked at.
static bool went_through(const Case* c, const Moment* from, const Moment* to, int parts)
{
    for (int i = 1; i <= parts; ++i)
    {
        const rblVec3 before = seen_between(from, to, (float)(i - 1) / (float)parts);
        const rblVec3 now = seen_between(from, to, (float)i / (float)parts);
        const float share = before.x / (before.x - now.x);
        const rblVec3 at = rbl_mul_add3(before, share, rbl_sub3(now, before));
        if (before.x < 0.0f && now.x > 0.0f)
        {
            return is_over_plate(at) && (parts == 1 || c->plate != PLATE_HULL || is_over_octagon(at));
        }
    }
    return false;
}

static bool is_behind_board(const Scene* scene)
{
    return state_of(scene->world, scene->plate).center.x > scene->board_face + 0.5f * BOARD ||
           state_of(scene->world, scene->projectile).center.x > scene->board_face;
}

static const char through_plate[] = "the projectile went through the plate";
static const char behind_board[] = "something is behind the board";

// *at_impact: whether the fault is not later than that impact. *unseen: whether a step was not looked at.
static const char* find_fault(const Case* c, const Scene* scene, bool* at_impact, bool* unseen)
{
    Target first = TARGET_NONE;
    Moment before = moment_of(scene);
    const int steps = 3 + (int)(0.08f * c->rate);
    for (int i = 0; i < steps; ++i)
    {
        *at_impact = first == TARGET_NONE;
        check_ok(rbl_world_step(scene->world, 1.0f / c->rate));
        first = first == TARGET_NONE ? find_target(scene) : first;
        if (first == TARGET_OTHER)
        {
            return "the first impact is not with the plate";
        }
        const Moment now = moment_of(scene);
        const bool ambiguous = is_ambiguous(c, &before, &now);
        *unseen = *unseen || ambiguous;
        if (!ambiguous && went_through(c, &before, &now, *at_impact ? 1 : 32))
        {
            return through_plate;
        }
        before = now;
        if (is_behind_board(scene))
        {
            return behind_board;
        }
    }
    *at_impact = true;
    return first == TARGET_NONE ? "there is no impact" : NULL;
}

typedef struct Tally
{
    int cases;
    int faults;  // up to the first impact
    int behind;  // after it: something passed through the board
    int through; // after it: the projectile passed through the plate
    int unseen;  // cases with steps that were not looked at
} Tally;

static void try_case(const Case* c, rblShapeId plate, Tally* tally)
{
    const Scene scene = build(c, plate);
    bool at_impact;
    bool unseen = false;
    const char* fault = find_fault(c, &scene, &at_impact, &unseen);
    check_ok(rbl_world_destroy(scene.world));
    tally->cases += 1;
    tally->faults += fault != NULL && at_impact;
    tally->unseen += unseen;
    tally->behind += fault == behind_board && !at_impact;
    tally->through += fault == through_plate && !at_impact;
    assert_true(fault == NULL || at_impact || fault == behind_board || fault == through_plate);
    if (fault != NULL && tally->faults + tally->behind + tally->through < 40)
    {
        print_message("%s plate, %s, %g mm, %g mm before the board; %s of %g mm with %g m/s, e = %g, %g Hz, "
                      "phase %g: %s\n",
                      plate_names[c->plate], state_names[c->state], 1e3 * (double)c->thickness,
                      1e3 * (double)c->gap, projectile_names[c->projectile], 1e3 * (double)c->radius,
                      (double)c->speed, (double)c->restitution, (double)c->rate, (double)c->phase, fault);
    }
}

static const float gaps[] = {0.0f, 0.001f, 0.005f, 0.01f, 0.02f, 0.06f, 0.1f};
static const float speeds[] = {3.0f, 9.0f, 25.0f, 60.0f};
static const float rates[] = {15.0f, 30.0f, 60.0f, 120.0f};
static const float radii[] = {0.01f, 0.035f, 0.08f};

// All gaps, speeds and rates; radii, phases and restitutions take turns.
static void try_gaps(Case c, rblShapeId plate, Tally* tally)
{
    int turn = 0;
    for (int g = 0; g < 7; ++g)
    {
        for (int s = 0; s < 4; ++s)
        {
            for (int r = 0; r < 4; ++r, ++turn)
            {
                c.gap = gaps[g];
                c.speed = speeds[s];
                c.rate = rates[r];
                c.radius = radii[turn % 3];
                c.phase = 0.05f + 0.1f * (float)(turn * 7 % 10);
                c.restitution = turn % 2 == 0 ? 0.3f : 0.0f;
                if (c.plate < PLATE_LEVEL_SET || turn % 3 == (int)c.projectile) // these take longer
                {
                    try_case(&c, plate, tally);
                }
            }
        }
    }
}

// Nothing goes wrong, up to the first impact and after it.
static void check_plates(PlateKind kind)
{
    static const float thicknesses[] = {0.002f, 0.006f, 0.02f};
    Tally tally = {.cases = 0};
    for (int t = 0; t < 3; ++t)
    {
        const rblShapeId plate = make_plate(kind, thicknesses[t]);
        for (int state = 0; state < PLATE_STATES; ++state)
        {
            for (int projectile = 0; projectile < PROJECTILE_KINDS; ++projectile)
            {
                const Case c = {.plate = kind,
                                .state = (PlateState)state,
                                .projectile = (ProjectileKind)projectile,
                                .thickness = thicknesses[t]};
                try_gaps(c, plate, &tally);
            }
        }
        check_ok(rbl_shape_destroy(plate));
    }
    print_message("%s plates: %d cases, %d faults up to the first impact; after it %d through the board, "
                  "%d through the plate; %d cases have steps that were not looked at\n",
                  plate_names[kind], tally.cases, tally.faults, tally.behind, tally.through, tally.unseen);
    assert_int_equal(tally.faults, 0);
    assert_int_equal(tally.behind, 0);
    assert_int_equal(tally.through, 0);
}

static void a_plate_of_a_box_before_a_board_is_hit_first(void** state)
{
    (void)state;
    check_plates(PLATE_BOX);
}

static void a_plate_of_a_hull_before_a_board_is_hit_first(void** state)
{
    (void)state;
    check_plates(PLATE_HULL);
}

static void a_plate_of_a_level_set_before_a_board_is_hit_first(void** state)
{
    (void)state;
    check_plates(PLATE_LEVEL_SET);
}

static void a_plate_of_a_piece_before_a_board_is_hit_first(void** state)
{
    (void)state;
    check_plates(PLATE_PIECE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plate_of_a_box_before_a_board_is_hit_first),
        cmocka_unit_test(a_plate_of_a_hull_before_a_board_is_hit_first),
        cmocka_unit_test(a_plate_of_a_level_set_before_a_board_is_hit_first),
        cmocka_unit_test(a_plate_of_a_piece_before_a_board_is_hit_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
