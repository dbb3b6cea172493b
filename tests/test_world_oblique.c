// Impacts in mid-step have the geometry of their time: the normal of oblique impacts, bodies that narrowly miss each other, and
// bodies that touch each other and fall together.
#include "world_testing.h"

#include "base/random.h"
#include "rubble/solids.h"
#include <math.h>

#define RADIUS  0.1f
#define SLOP    (0.002 * 2.0 * (double)RADIUS) // m
#define DEGREES 57.29577951308232

static const float rates[] = {15.0f, 30.0f, 60.0f, 120.0f, 240.0f};
static const float speeds[] = {0.3f, 1.0f, 2.0f, 5.0f, 10.0f, 30.0f, 100.0f};
#define RATES  (int)(sizeof rates / sizeof *rates)
#define SPEEDS (int)(sizeof speeds / sizeof *speeds)

// ---- two balls ----

// Ball a moves along x against b with `speed`, `offset` off b's centre. Both have a share of that, and a common velocity across.
typedef struct Meeting
{
    const rblShapeId* shapes; // of a and b
    double speed, distance, offset, angle, share, across;
    double gravity; // downwards, m/s^2
    bool is_static; // b
} Meeting;

static Meeting random_meeting(rblRandom* random, const rblShapeId shapes[2], float speed, float rate,
                              double least, double most)
{
    const double travel = (double)speed / (double)rate;
    const bool is_static = rbl_random_float(random) < 0.3f;
    return (Meeting){
        .shapes = shapes,
        .speed = (double)speed,
        .distance = 0.25 + 2.0 * travel * (double)rbl_random_float(random),
        .offset = least + (most - least) * (double)rbl_random_float(random),
        .angle = 6.2831853 * (double)rbl_random_float(random),
        .share = is_static ? 0.0 : (double)rbl_random_float(random),
        .across = is_static ? 0.0 : (double)(speed * (rbl_random_float(random) - 0.5f)),
        .is_static = is_static,
    };
}

static rblBodyId put_ball(rblWorldId world, rblShapeId shape, rblBodyType type, rblVec3 at, rblVec3 velocity)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = type;
    def.material.friction = 0.0f;
    def.material.restitution = 1.0f;
    def.pose.p = at;
    def.velocity = velocity;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    return body;
}

// The change of the velocity of a by the impact.
static rblVec3 meet(const Meeting* meeting, float rate)
{
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, vec(0, (float)-meeting->gravity, 0)));
    const rblVec3 before = {(float)(meeting->speed * (1.0 - meeting->share)), (float)meeting->across, 0};
    const rblVec3 of_b = {(float)(-meeting->speed * meeting->share), (float)meeting->across, 0};
    const rblVec3 at = {(float)meeting->distance, (float)(meeting->offset * cos(meeting->angle)),
                        (float)(meeting->offset * sin(meeting->angle))};
    const rblBodyId a = put_ball(world, meeting->shapes[0], RBL_BODY_DYNAMIC, vec(0, 0, 0), before);
    put_ball(world, meeting->shapes[1], meeting->is_static ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC, at, of_b);
    const int steps = (int)((double)rate * (meeting->distance + 0.2) / meeting->speed) + 2;
    for (int i = 0; i < steps; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / rate));
    }
    const double fallen = meeting->gravity * (double)steps / (double)rate;
    const rblVec3 alone = rbl_add3(before, vec(0, (float)-fallen, 0));
    const rblVec3 change = rbl_sub3(state_of(world, a).velocity, alone);
    check_ok(rbl_world_destroy(world));
    return change;
}

// Slower impacts are contacts, with gravity those of rolling shapes (docs/step.md, 3 and 4).
static bool is_impact(const Meeting* meeting, double normal_speed, float rate)
{
    const double bounce_speed = (double)rbl_default_world_def().bounce_speed;
    return normal_speed > 1.05 * bounce_speed && normal_speed > 2.1 * SLOP * (double)rate &&
           normal_speed > 1.05 * meeting->gravity / (double)rate;
}

// Equal masses without friction exchange the normal component: a changes by -u.n n, or -2 u.n n on a static ball, with n between the
// centres when they are two radii apart.
static void check_meeting(const Meeting* meeting, float rate, double bound)
{
    const double sine = meeting->offset / (2.0 * (double)RADIUS);
    const rblVec3d n = {sqrt(1.0 - sine * sine), sine * cos(meeting->angle), sine * sin(meeting->angle)};
    const double speed = meeting->speed * n.x;
    if (!is_impact(meeting, speed, rate))
    {
        return;
    }
    const rblVec3d change = rbl_to_double3(meet(meeting, rate));
    const double size = rbl_length3d(change);
    const double degrees = DEGREES * rbl_length3d(rbl_cross3d(change, n)) / size;
    if (!(rbl_dot3d(change, n) < 0.0 && degrees < bound))
    {
        fail_msg("%g Hz, %g m/s, offset %.4f, distance %.4f: %.3f degrees off", (double)rate, meeting->speed,
                 meeting->offset, meeting->distance, degrees);
    }
    check_relative((float)size, meeting->is_static ? 2.0 * speed : speed, bound < 0.5 ? 0.01 : 0.015);
}

// With gravity both balls fall.
static void check_oblique(const rblShapeId shapes[2], double gravity, double most, double bound)
{
    rblRandom random = rbl_random_seed(41, 1);
    for (int r = 0; r < RATES; ++r)
    {
        for (int s = 0; s < SPEEDS; ++s)
        {
            for (int i = 0; i < 40; ++i)
            {
                Meeting meeting = random_meeting(&random, shapes, speeds[s], rates[r], 0.0, most);
                meeting.gravity = gravity;
                if (gravity == 0.0 || !meeting.is_static)
                {
                    check_meeting(&meeting, rates[r], bound);
                }
            }
        }
    }
}

// Balls that pass each other at a distance of `gap` or more go on as if they were alone.
static void check_miss(const rblShapeId shapes[2], double gap)
{
    rblRandom random = rbl_random_seed(43, 1);
    for (int r = 0; r < RATES; ++r)
    {
        for (int s = 0; s < SPEEDS; ++s)
        {
            for (int i = 0; i < 40; ++i)
            {
                const double least = 2.0 * (double)RADIUS + gap;
                const Meeting meeting = random_meeting(&random, shapes, speeds[s], rates[r], least, 0.23);
                const double change = (double)rbl_length3(meet(&meeting, rates[r]));
                if (!(change < 1e-3 * meeting.speed))
                {
                    fail_msg("%g Hz, %g m/s, offset %.5f: changed by %g m/s", (double)rates[r],
                             (double)speeds[s], meeting.offset, change);
                }
            }
        }
    }
}

static void oblique_impacts_have_the_normal_of_their_time(void** state)
{
    (void)state;
    const rblShapeId ball = make_sphere(RADIUS);
    const rblShapeId both[2] = {ball, ball};
    check_oblique(both, 0.0, 0.198, 0.1);
    check_ok(rbl_shape_destroy(ball));
}

static void a_narrow_miss_changes_nothing(void** state)
{
    (void)state;
    const rblShapeId ball = make_sphere(RADIUS);
    const rblShapeId both[2] = {ball, ball};
    check_miss(both, SLOP);
    check_ok(rbl_shape_destroy(ball));
}

// ---- two balls that are level sets ----

static rblShapeId make_grid_ball(float cell)
{
    const double radius = (double)RADIUS;
    const double frequency = 32.0;
    const rblSolidValue values[2] = {{"frequency", &frequency, 1}, {"radius", &radius, 1}};
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    check_ok(rbl_mesh_make("icosphere", values, 2, &def.mesh));
    def.cell = cell;
    check_ok(rbl_shape_create_level_set(&def, &shape));
    check_ok(rbl_mesh_destroy(def.mesh));
    return shape;
}

// A level set is a ball to within the error of its field, and so is its normal: 0.2 degrees with 64 cells, 0.6 with the default
// error of 0.2 %.
static void level_sets_have_the_normal_of_their_time(void** state)
{
    (void)state;
    const rblShapeId ball = make_sphere(RADIUS);
    const rblShapeId coarse = make_grid_ball(0.0f);
    const rblShapeId fine = make_grid_ball(2.0f * RADIUS / 64.0f);
    const rblShapeId both_coarse[2] = {coarse, coarse};
    const rblShapeId both_fine[2] = {fine, fine};
    const rblShapeId with_ball[2] = {fine, ball};
    check_oblique(both_coarse, 0.0, 0.17, 0.6);
    check_oblique(both_fine, 0.0, 0.17, 0.2);
    check_oblique(both_fine, 9.81, 0.17, 0.2);
    check_oblique(with_ball, 0.0, 0.17, 0.2);
    check_miss(both_fine, 2e-3);
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(coarse));
    check_ok(rbl_shape_destroy(fine));
}

// ---- bodies that fall together ----

// Boxes on top of each other, without gaps, fall on a slab. The speed and the impulse of the first impact.
static rblContactEvent drop_stack(int count, float height, float rate)
{
    const rblWorldId world = make_world(false);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(20, 1, 20);
    def.type = RBL_BODY_STATIC;
    def.material.restitution = 0.0f;
    def.pose.p = vec(0, -0.5f, 0);
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    for (int i = 0; i < count; ++i)
    {
        put(world, make_box(0.3f, 0.2f, 0.25f), RBL_BODY_DYNAMIC, vec(0, height + 0.1f + 0.2f * (float)i, 0));
    }
    const int steps = (int)(rate * (sqrtf(2.0f * height / 9.81f) + 0.3f));
    rblContactEvent first = {.speed = 0.0f};
    for (int i = 0; i < steps; ++i)
    {
        const rblContactEvent* events;
        uint32_t events_count;
        check_ok(rbl_world_step(world, 1.0f / rate));
        check_ok(rbl_world_contact_events(world, &events, &events_count));
        for (uint32_t k = 0; k < events_count && first.speed == 0.0f; ++k)
        {
            first = events[k].kind == RBL_CONTACT_IMPACT ? events[k] : first;
        }
    }
    check_ok(rbl_world_destroy(world));
    return first;
}

static void what_falls_together_has_the_speed_of_its_fall(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(47, 1);
    for (int r = 0; r < RATES; ++r)
    {
        for (int count = 1; count <= 3; ++count)
        {
            for (int i = 0; i < 12; ++i)
            {
                const float height = 0.1f + 2.0f * rbl_random_float(&random);
                const rblContactEvent first = drop_stack(count, height, rates[r]);
                check_relative(first.speed, sqrt(2.0 * 9.81 * (double)height), 0.01);
            }
        }
    }
}

// ---- shapes that are not convex ----

// A solid arrives upright on the ground with `speed`, a part of a step after a step began. The first impact.
static rblContactEvent land_upright(rblShapeId shape, float speed, float rate, float phase, float* mass)
{
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    const float time = (3.0f + phase) / rate;
    const float start = speed - 9.81f * time;
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.material.restitution = 0.0f;
    def.pose.p = vec(0, start * time + 0.5f * 9.81f * time * time, 0);
    def.velocity = vec(0, -start, 0);
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    *mass = state_of(world, body).mass;
    rblContactEvent first = {.speed = 0.0f};
    for (int i = 0; i < 6 && first.speed == 0.0f; ++i)
    {
        const rblContactEvent* events;
        uint32_t count;
        check_ok(rbl_world_step(world, 1.0f / rate));
        check_ok(rbl_world_contact_events(world, &events, &count));
        for (uint32_t k = 0; k < count && first.speed == 0.0f; ++k)
        {
            first = events[k].kind == RBL_CONTACT_IMPACT ? events[k] : first;
        }
    }
    check_ok(rbl_world_destroy(world));
    return first;
}

// Symmetric solids stop in one impact: its impulse is m v, whatever the part of the step.
static void an_upright_solid_stops_at_once_in_every_phase(void** state)
{
    (void)state;
    static const char* const kinds[] = {"column", "plate", "vase"};
    const float speed = 4.43f;
    for (int k = 0; k < 3; ++k)
    {
        rblLevelSetDef def = rbl_default_level_set_def();
        rblShapeId shape;
        def.max_cells = 48;
        check_ok(rbl_mesh_make(kinds[k], NULL, 0, &def.mesh));
        check_ok(rbl_shape_create_level_set(&def, &shape));
        check_ok(rbl_mesh_destroy(def.mesh));
        for (int i = 0; i < 48; ++i)
        {
            const float phase = (float)(i / 2) / 24.0f;
            float mass;
            const rblContactEvent first =
                land_upright(shape, speed, i % 2 == 0 ? 30.0f : 60.0f, phase, &mass);
            check_relative(first.speed, (double)speed, 0.002);
            check_relative(first.impulse, (double)(mass * speed), 0.01);
        }
        check_ok(rbl_shape_destroy(shape));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oblique_impacts_have_the_normal_of_their_time),
        cmocka_unit_test(a_narrow_miss_changes_nothing),
        cmocka_unit_test(level_sets_have_the_normal_of_their_time),
        cmocka_unit_test(what_falls_together_has_the_speed_of_its_fall),
        cmocka_unit_test(an_upright_solid_stops_at_once_in_every_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
