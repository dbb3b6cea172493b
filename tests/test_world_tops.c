// Tops on joints: spin under torque against the equations of Lagrange's top, at one step a frame.
#include "joint_testing.h"

#define GRAVITY 9.81
#define PI      3.14159265358979323846
#define DEGREES 57.29577951308232

// ---- Lagrange's top ----

// A symmetric body about its pivot: the axis of symmetry and the angular momentum about the pivot.
typedef struct Lagrange
{
    double axis[3], momentum[3];
    double across;  // moment about the pivot, across the axis
    double lifting; // mass times gravity times the distance of the centre of mass from the pivot
} Lagrange;

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void rate_of(const Lagrange* top, Lagrange* out)
{
    const double weight[3] = {0.0, -top->lifting, 0.0};
    cross(top->momentum, top->axis, out->axis);
    cross(top->axis, weight, out->momentum);
    for (int k = 0; k < 3; ++k)
    {
        out->axis[k] /= top->across;
    }
}

static Lagrange moved_by(Lagrange top, double seconds, const Lagrange* rate)
{
    for (int k = 0; k < 3; ++k)
    {
        top.axis[k] += seconds * rate->axis[k];
        top.momentum[k] += seconds * rate->momentum[k];
    }
    return top;
}

// Runge and Kutta, so finely that its error does not count.
static void integrate(Lagrange* top, double seconds)
{
    const int steps = 256;
    const double h = seconds / steps;
    for (int i = 0; i < steps; ++i)
    {
        Lagrange k1, k2, k3, k4;
        rate_of(top, &k1);
        Lagrange at = moved_by(*top, 0.5 * h, &k1);
        rate_of(&at, &k2);
        at = moved_by(*top, 0.5 * h, &k2);
        rate_of(&at, &k3);
        at = moved_by(*top, h, &k3);
        rate_of(&at, &k4);
        *top = moved_by(*top, h / 6.0, &k1);
        *top = moved_by(*top, h / 3.0, &k2);
        *top = moved_by(*top, h / 3.0, &k3);
        *top = moved_by(*top, h / 6.0, &k4);
    }
}

// The slow steady precession: across cos W^2 - (momentum along the axis) W + m g l = 0.
static double steady_precession(double across, double cosine, double along, double lifting)
{
    const double root = along * along - 4.0 * across * cosine * lifting;
    assert_true(root > 0.0);
    return 2.0 * lifting / (along + sqrt(root));
}

// ---- the engine's top ----

// A cylinder on a massless stem.
typedef struct Case
{
    float radius, height; // of the cylinder, m
    float stem;           // from the pivot to its centre, m
    double spin;          // about its axis, rad/s
    double tilt;          // degrees
    double rate;          // steps a second
    bool steady;          // begins with the steady precession; otherwise it is let go
    rblJointKind kind;
} Case;

typedef struct Top
{
    rblWorldId world;
    rblBodyId body;
    rblJointId joint;
    Lagrange exact;
    double precession; // rad/s, of the steady motion
    double mass;
} Top;

static rblVec3 axis_of(const Top* top)
{
    return rbl_rotate3(state_of(top->world, top->body).pose.q, vec(0, 1, 0));
}

static void begin_motion(Top* top, const Case* c, rblVec3 axis)
{
    const double m = (double)state_of(top->world, top->body).mass;
    const double r = (double)c->radius;
    const double h = (double)c->height;
    const double l = (double)c->stem;
    const double along = 0.5 * m * r * r;
    const double cosine = cos(c->tilt / DEGREES);
    top->mass = m;
    top->exact.across = m * (3.0 * r * r + h * h) / 12.0 + m * l * l;
    top->exact.lifting = m * GRAVITY * l;
    top->precession =
        c->steady ? steady_precession(top->exact.across, cosine, along * c->spin, top->exact.lifting) : 0.0;
    const rblVec3 turning = rbl_scale3(axis, (float)(c->spin - top->precession * cosine));
    const rblVec3 spin = rbl_add3(turning, vec(0, (float)top->precession, 0));
    check_ok(rbl_body_set_velocity(top->world, top->body, rbl_cross3(spin, rbl_scale3(axis, c->stem)), spin));
    const double axis3[3] = {(double)axis.x, (double)axis.y, (double)axis.z};
    const double spin3[3] = {(double)spin.x, (double)spin.y, (double)spin.z};
    for (int k = 0; k < 3; ++k)
    {
        top->exact.axis[k] = axis3[k];
        top->exact.momentum[k] =
            top->exact.across * (spin3[k] - c->spin * axis3[k]) + along * c->spin * axis3[k];
    }
}

static Top make_top(const Case* c)
{
    Top top = {.world = make_world(false)};
    const rblQuat q = rbl_quat_from_axis_angle(vec(0, 0, 1), (float)(-c->tilt / DEGREES));
    const rblVec3 axis = rbl_rotate3(q, vec(0, 1, 0));
    rblBodyDef def = rbl_default_body_def();
    check_ok(rbl_shape_create_cylinder(c->radius, c->height, &def.shape));
    def.pose = (rblTransform){rbl_scale3(axis, c->stem), q};
    check_ok(rbl_body_create(top.world, &def, &top.body));
    check_ok(rbl_shape_destroy(def.shape));
    begin_motion(&top, c, axis);
    top.joint = join(top.world, c->kind, top.body, the_world, vec(0, -c->stem, 0), zero);
    return top;
}

// What a run showed, against the exact motion.
typedef struct Run
{
    double turned;     // of the axis about the vertical, rad
    double sunk;       // largest deviation of the tilt from the first, degrees
    double off;        // largest angle between the axis and that of the exact motion, degrees
    double energy_off; // largest deviation of the energy, of the scale
    double overlap;    // largest of the tip with the ground, m
} Run;

static Run run_top(Top* top, double rate, double seconds)
{
    Run run = {0};
    const rblVec3 first = axis_of(top);
    Watch w = watch(top->world);
    double azimuth = atan2(-(double)first.z, (double)first.x);
    const int steps = (int)(seconds * rate + 0.5);
    for (int i = 0; i < steps; ++i)
    {
        watched_step(&w, (float)(1.0 / rate));
        integrate(&top->exact, 1.0 / rate);
        const rblVec3 axis = axis_of(top);
        const double now = atan2(-(double)axis.z, (double)axis.x);
        run.turned += remainder(now - azimuth, 2.0 * PI);
        azimuth = now;
        const double tilt = acos((double)axis.y) - acos((double)first.y);
        run.sunk = fmax(run.sunk, fabs(tilt) * DEGREES);
        const double cosine = (double)axis.x * top->exact.axis[0] + (double)axis.y * top->exact.axis[1] +
                              (double)axis.z * top->exact.axis[2];
        run.off = fmax(run.off, acos(fmin(cosine, 1.0)) * DEGREES);
        run.energy_off =
            fmax(run.energy_off, fabs(w.energy - w.first) / (w.kinetic_max + top->exact.lifting));
        assert_true((double)joint_of(top->world, top->joint).error < 1e-5);
    }
    check_energy_rule(&w);
    return run;
}

// ---- tests ----

static const Case cases[] = {
    {.radius = 0.2f, .height = 0.1f, .stem = 0.1f, .spin = 50, .tilt = 30},
    {.radius = 0.2f, .height = 0.05f, .stem = 0.3f, .spin = 100, .tilt = 30},
    {.radius = 0.2f, .height = 0.05f, .stem = 0.5f, .spin = 100, .tilt = 60},
    {.radius = 0.1f, .height = 0.2f, .stem = 0.1f, .spin = 100, .tilt = 20},
    {.radius = 0.2f, .height = 0.1f, .stem = 0.1f, .spin = 300, .tilt = 80},
};

static void a_top_precesses_by_the_closed_form(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        for (int fast = 0; fast < 2; ++fast)
        {
            Case c = cases[i];
            c.rate = fast ? 60.0 : 30.0;
            c.steady = true;
            c.kind = i % 2 == 0 ? RBL_JOINT_BALL : RBL_JOINT_DISTANCE;
            Top top = make_top(&c);
            const Run run = run_top(&top, c.rate, 6.0);
            print_message("%3.0f rad/s, %2.0f Hz: precession %+.3f %%, tilt %.3f degrees, energy %.1e\n",
                          c.spin, c.rate, 100.0 * (run.turned / (6.0 * top.precession) - 1.0), run.sunk,
                          run.energy_off);
            check_relative(run.turned, 6.0 * top.precession, 0.01);
            assert_true(run.sunk < 0.1);
            assert_true(run.energy_off < 1e-4);
            // Weight, and what keeps the centre of mass on its circle.
            const double sideways = top.precession * top.precession * (double)c.stem * sin(c.tilt / DEGREES);
            const double force = (double)rbl_length3(joint_of(top.world, top.joint).force);
            check_relative(force, top.mass * sqrt(GRAVITY * GRAVITY + sideways * sideways), 0.01);
            check_ok(rbl_world_destroy(top.world));
        }
    }
}

static void a_top_that_is_let_go_nutates_as_the_exact_one(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        for (int fast = 0; fast < 2; ++fast)
        {
            Case c = cases[i];
            c.rate = fast ? 60.0 : 30.0;
            c.kind = RBL_JOINT_BALL;
            Top top = make_top(&c);
            const Run run = run_top(&top, c.rate, 2.0);
            print_message("%3.0f rad/s, %2.0f Hz: axis %.3f degrees, energy %.1e\n", c.spin, c.rate, run.off,
                          run.energy_off);
            assert_true(run.off < 1.0);
            assert_true(run.energy_off < 1e-4);
            check_ok(rbl_world_destroy(top.world));
        }
    }
}

// The rim moves metres in a step, so that the ground below it is a possible contact.
static void a_top_above_a_table_does_not_feel_it(void** state)
{
    (void)state;
    Case c = cases[2];
    c.rate = 30.0;
    c.steady = true;
    c.kind = RBL_JOINT_BALL;
    Top top = make_top(&c);
    put(top.world, make_ground(), RBL_BODY_STATIC, vec(0, 0.02f, 0)); // 3 cm below the rim
    const Run run = run_top(&top, c.rate, 6.0);
    check_relative(run.turned, 6.0 * top.precession, 0.01);
    assert_true(run.sunk < 0.1);
    assert_true(run.energy_off < 1e-4);
    check_ok(rbl_world_destroy(top.world));
}

static void a_top_that_sinks_lands_on_the_table(void** state)
{
    (void)state;
    for (int k = 0; k < 4; ++k)
    {
        Case c = {.radius = 0.2f, .height = 0.05f, .stem = 0.3f, .spin = 20.0 + 10.0 * k, .tilt = 50};
        c.kind = RBL_JOINT_BALL;
        Top top = make_top(&c);
        const rblBodyId table = put(top.world, make_ground(), RBL_BODY_STATIC, vec(0, -0.1f, 0));
        (void)table;
        Watch w = watch(top.world);
        bool touched = false;
        for (int i = 0; i < 120; ++i)
        {
            watched_step(&w, STEP);
            const rblVec3 axis = axis_of(&top);
            const rblVec3 center = state_of(top.world, top.body).center;
            const double lowest = (double)(center.y - 0.5f * c.height * fabsf(axis.y) -
                                           c.radius * sqrtf(fmaxf(0.0f, 1.0f - axis.y * axis.y)));
            touched = touched || lowest < -0.0995;
            assert_true(lowest > -0.11);
            assert_true((double)joint_of(top.world, top.joint).error < 1e-4);
        }
        assert_true(touched);
        check_energy_rule(&w);
        check_ok(rbl_world_destroy(top.world));
    }
}

// A wheel turns on an axle that is held at one end: the axle has its own spin, and the hinge passes on all torques.
static void a_wheel_on_an_axle_precesses(void** state)
{
    (void)state;
    const double rates[2] = {30.0, 60.0};
    for (int k = 0; k < 2; ++k)
    {
        const rblWorldId world = make_world(false);
        rblBodyDef def = rbl_default_body_def();
        check_ok(rbl_shape_create_cylinder(0.2f, 0.04f, &def.shape));
        def.pose =
            (rblTransform){vec(0.3f, 0, 0), rbl_quat_from_axis_angle(vec(0, 0, 1), (float)(-0.5 * PI))};
        rblBodyId wheel;
        check_ok(rbl_body_create(world, &def, &wheel));
        check_ok(rbl_shape_destroy(def.shape));
        check_ok(rbl_shape_create_cylinder(0.02f, 0.3f, &def.shape));
        def.pose.p.x = 0.15f;
        rblBodyId axle;
        check_ok(rbl_body_create(world, &def, &axle));
        check_ok(rbl_shape_destroy(def.shape));
        const double m = (double)state_of(world, wheel).mass;
        const double n = (double)state_of(world, axle).mass;
        const double spin = 120.0;
        const double turning = (m * 0.3 + n * 0.15) * GRAVITY / (0.5 * m * 0.04 * spin); // level: cos is 0
        check_ok(rbl_body_set_velocity(world, wheel, vec(0, 0, (float)(-0.3 * turning)),
                                       vec((float)spin, (float)turning, 0)));
        check_ok(rbl_body_set_velocity(world, axle, vec(0, 0, (float)(-0.15 * turning)),
                                       vec(0, (float)turning, 0)));
        rblJointDef hinge = rbl_default_joint_def();
        hinge.kind = RBL_JOINT_HINGE;
        hinge.a = wheel;
        hinge.b = axle;
        hinge.anchor_b = vec(0, 0.15f, 0);
        hinge.axis = vec(0, 1, 0);
        rblJointId joint;
        check_ok(rbl_joint_create(world, &hinge, &joint));
        (void)join(world, RBL_JOINT_BALL, axle, the_world, vec(0, -0.15f, 0), zero);
        Watch w = watch(world);
        double turned = 0.0;
        double last = 0.0;
        for (int i = 0; i < 3 * (int)rates[k]; ++i)
        {
            watched_step(&w, (float)(1.0 / rates[k]));
            const rblVec3 at = state_of(world, wheel).center;
            const double now = atan2(-(double)at.z, (double)at.x);
            turned += remainder(now - last, 2.0 * PI);
            last = now;
            assert_true(fabs((double)at.y) < 0.005);
        }
        print_message("wheel: precession %+.3f %%\n", 100.0 * (turned / (3.0 * turning) - 1.0));
        check_relative(turned, 3.0 * turning, 0.01);
        check_energy_rule(&w);
        assert_true(fabs(w.energy - w.first) < 1e-4 * w.kinetic_max);
        check_ok(rbl_world_destroy(world));
    }
}

// ---- a top on its tip ----

#define TIP 0.01f // m: radius of a ball at the lower end of the stem

static Top make_top_on_tip(const Case* c)
{
    Top top = {.world = make_world(false)};
    rblShapeChild children[2] = {{.pose = {zero, {0, 0, 0, 1}}},
                                 {.pose = {vec(0, -c->stem, 0), {0, 0, 0, 1}}}};
    rblBodyDef def = rbl_default_body_def();
    def.material.friction = 0.0f;
    def.material.restitution = 0.0f;
    def.shape = make_ground();
    def.type = RBL_BODY_STATIC;
    rblBodyId ground;
    check_ok(rbl_body_create(top.world, &def, &ground));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_shape_create_cylinder(c->radius, c->height, &children[0].shape));
    check_ok(rbl_shape_create_sphere(TIP, &children[1].shape));
    check_ok(rbl_shape_create_compound(children, 2, &def.shape));
    const rblQuat q = rbl_quat_from_axis_angle(vec(0, 0, 1), (float)(-c->tilt / DEGREES));
    const rblVec3 axis = rbl_rotate3(q, vec(0, 1, 0));
    def.type = RBL_BODY_DYNAMIC;
    def.pose = (rblTransform){rbl_add3(rbl_scale3(axis, c->stem), vec(0, TIP, 0)), q};
    check_ok(rbl_body_create(top.world, &def, &top.body));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_shape_destroy(children[0].shape));
    check_ok(rbl_shape_destroy(children[1].shape));
    // Without friction the centre of mass only moves up and down, so the moment is that about the centre.
    const double m = (double)state_of(top.world, top.body).mass;
    const double r = (double)c->radius;
    const double h = (double)c->height;
    const double cosine = cos(c->tilt / DEGREES);
    top.exact.lifting = m * GRAVITY * (double)c->stem;
    top.precession = steady_precession(m * (3.0 * r * r + h * h) / 12.0, cosine, 0.5 * m * r * r * c->spin,
                                       top.exact.lifting);
    const rblVec3 turning = rbl_scale3(axis, (float)(c->spin - top.precession * cosine));
    check_ok(rbl_body_set_velocity(top.world, top.body, zero,
                                   rbl_add3(turning, vec(0, (float)top.precession, 0))));
    return top;
}

static Run run_on_tip(const Top* top, const Case* c, double seconds)
{
    Run run = {0};
    Watch w = watch(top->world);
    double azimuth = 0.0;
    for (int i = 0; i < (int)(seconds * c->rate + 0.5); ++i)
    {
        watched_step(&w, (float)(1.0 / c->rate));
        const rblVec3 axis = axis_of(top);
        const rblVec3 tip = rbl_mul_add3(state_of(top->world, top->body).pose.p, -c->stem, axis);
        run.overlap = fmax(run.overlap, (double)(TIP - tip.y));
        const double now = atan2(-(double)axis.z, (double)axis.x);
        run.turned += remainder(now - azimuth, 2.0 * PI);
        azimuth = now;
        run.sunk = fmax(run.sunk, fabs(acos((double)axis.y) * DEGREES - c->tilt));
        run.energy_off = fmax(run.energy_off, fabs(w.energy - w.first) / w.kinetic_max);
    }
    check_energy_rule(&w);
    return run;
}

// Contacts act on the lever arm that they have at the start of a step, and only joints advance in parts of it: a known limit
// (docs/step.md, section 5). The energy rule holds at every rate, and the tip does not pass through the ground. The motion is that of
// the closed form when a step is short against the nutation.
static void a_top_on_its_tip_converges_to_the_closed_form(void** state)
{
    (void)state;
    static const double rates[] = {30.0, 60.0, 120.0, 240.0, 960.0};
    for (int k = 0; k < 5; ++k)
    {
        const Case c = {
            .radius = 0.1f, .height = 0.05f, .stem = 0.1f, .spin = 100.0, .tilt = 20.0, .rate = rates[k]};
        const Top top = make_top_on_tip(&c);
        const Run run = run_on_tip(&top, &c, 2.0);
        const double off = 100.0 * (run.turned / (2.0 * top.precession) - 1.0);
        print_message(
            "on its tip, %3.0f Hz: precession %+.2f %%, tilt %.2f degrees, energy %.1e, overlap %.1f mm\n",
            c.rate, off, run.sunk, run.energy_off, 1e3 * run.overlap);
        assert_true(run.overlap < (c.rate < 240.0 ? 3.0 * (double)TIP : 0.002));
        assert_true(c.rate < 240.0 || fabs(off) < 0.5);
        assert_true(c.rate < 960.0 || run.sunk < 1.0);
        check_ok(rbl_world_destroy(top.world));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_top_precesses_by_the_closed_form),
        cmocka_unit_test(a_top_that_is_let_go_nutates_as_the_exact_one),
        cmocka_unit_test(a_top_above_a_table_does_not_feel_it),
        cmocka_unit_test(a_top_that_sinks_lands_on_the_table),
        cmocka_unit_test(a_wheel_on_an_axle_precesses),
        cmocka_unit_test(a_top_on_its_tip_converges_to_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
