// The result of an impact does not depend on the step: a body dropped on a slab has the impact speed of its fall and the impulse of
// the closed form, at 15, 30, 60 and 120 steps a second, for any restitution; it rests without impacts; and it slides on after
// a bend that it meets in mid-step.
#include "world_testing.h"

#include "dynamics/impact/impacts.h"
#include <math.h>

#define GRAVITY 9.81

static const float rates[] = {15.0f, 30.0f, 60.0f, 120.0f};
#define RATES (int)(sizeof rates / sizeof *rates)

// ---- drops ----

typedef enum Kind
{
    FLAT,
    EDGE,
    CORNER,
    BALL,
    TILTED_BOX,
    TILTED_HULL,
    KINDS
} Kind;

typedef struct Drop
{
    Kind kind;
    float height; // of the lowest point
    float restitution;
    rblVec3 spin;
} Drop;

// A lumpy stone.
static void write_points(rblVec3 points[16])
{
    for (int i = 0; i < 16; ++i)
    {
        const float z = 2.0f * ((float)i + 0.5f) / 16.0f - 1.0f;
        const float r = sqrtf(1.0f - z * z);
        const float angle = 2.4f * (float)i;
        points[i] = vec(0.15f * r * cosf(angle), 0.1f * r * sinf(angle), 0.12f * z);
    }
}

static rblShapeId make_kind(Kind kind)
{
    if (kind == BALL)
    {
        return make_sphere(0.1f);
    }
    if (kind != TILTED_HULL)
    {
        return make_box(0.3f, 0.2f, 0.25f);
    }
    rblVec3 points[16];
    rblShapeId shape;
    write_points(points);
    check_ok(rbl_shape_create_hull(points, 16, &shape));
    return shape;
}

// The turn that takes a direction of the shape straight up.
static rblQuat turn_up(rblVec3 direction)
{
    const rblVec3 d = rbl_scale3(direction, 1.0f / rbl_length3(direction));
    return rbl_quat_normalize((rblQuat){-d.z, 0, d.x, 1.0f + d.y});
}

static rblQuat orientation_of(Kind kind)
{
    switch (kind)
    {
    case EDGE:
        return turn_up(vec(0.3f, 0.2f, 0));
    case CORNER:
        return turn_up(vec(0.3f, 0.2f, 0.25f));
    case TILTED_BOX:
        return turn_up(vec(0.09f, 1, 0.04f));
    case TILTED_HULL:
        return turn_up(vec(0.5f, 1, 0.3f));
    default:
        return rbl_quat_identity();
    }
}

// The lowest point of a shape, turned: from its origin.
static rblVec3 lowest_of(Kind kind)
{
    rblVec3 points[16];
    write_points(points);
    const rblQuat q = orientation_of(kind);
    rblVec3 lowest = {0, -0.1f, 0};
    const int count = kind == BALL ? 0 : kind == TILTED_HULL ? 16 : 8;
    for (int i = 0; i < count; ++i)
    {
        const rblVec3 corner = {i & 1 ? 0.15f : -0.15f, i & 2 ? 0.1f : -0.1f, i & 4 ? 0.125f : -0.125f};
        const rblVec3 p = rbl_rotate3(q, kind == TILTED_HULL ? points[i] : corner);
        lowest = i == 0 || p.y < lowest.y ? p : lowest;
    }
    return lowest;
}

static rblBodyId put_drop(rblWorldId world, const Drop* drop)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(20, 1, 20);
    def.type = RBL_BODY_STATIC;
    def.pose.p = vec(0, -0.5f, 0);
    def.material.friction = 0.0f;
    def.material.restitution = drop->restitution;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    def.type = RBL_BODY_DYNAMIC;
    def.shape = make_kind(drop->kind);
    def.pose.p = vec(0, drop->height - lowest_of(drop->kind).y, 0);
    def.pose.q = orientation_of(drop->kind);
    def.spin = drop->spin;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

typedef struct Fall
{
    rblContactEvent impact; // the first
    rblBodyState before;    // at the start
    int impacts;            // until a second after the first
    int late_impacts;       // in the last half second
} Fall;

static Fall let_fall(const Drop* drop, float rate)
{
    const rblWorldId world = make_world(false);
    const rblBodyId body = put_drop(world, drop);
    Fall fall = {.before = state_of(world, body)};
    Watch energy = watch(world);
    const int steps = (int)(rate * (sqrtf(2.0f * drop->height / (float)GRAVITY) + 3.0f));
    for (int i = 0; i < steps; ++i)
    {
        const rblContactEvent* events;
        uint32_t count;
        watched_step(&energy, 1.0f / rate);
        check_ok(rbl_world_contact_events(world, &events, &count));
        for (uint32_t k = 0; k < count; ++k)
        {
            if (events[k].kind == RBL_CONTACT_IMPACT)
            {
                fall.impact = fall.impacts == 0 ? events[k] : fall.impact;
                fall.impacts += 1;
                fall.late_impacts += i > steps - (int)(0.5f * rate);
            }
        }
    }
    check_energy_rule(&energy);
    check_ok(rbl_world_destroy(world));
    return fall;
}

// (1 + e) v / (1 / m + (r x n).I^-1 (r x n)) for a body with an impact at one point without friction; contacts of an edge or a face
// below the centre of mass are one such point in the middle.
static double impulse_of(const Drop* drop, const Fall* fall, double speed)
{
    const double mass = (double)fall->before.mass;
    if (drop->kind != TILTED_HULL && drop->kind != TILTED_BOX)
    {
        return (1.0 + (double)drop->restitution) * speed * mass;
    }
    rblShapeView view;
    const rblShapeId shape = make_kind(drop->kind);
    check_ok(rbl_shape_view(shape, &view));
    const rblQuat q = orientation_of(drop->kind);
    const rblVec3 to_center = rbl_rotate3(q, rbl_to_float3(view.mass.center));
    const rblVec3 lever = rbl_cross3(rbl_sub3(lowest_of(drop->kind), to_center), vec(0, 1, 0));
    const rblVec3 local = rbl_inverse_rotate3(q, lever);
    const rblVec3d axes[3] = {view.mass.principal_axes.cx, view.mass.principal_axes.cy,
                              view.mass.principal_axes.cz};
    const double moments[3] = {view.mass.moments.x, view.mass.moments.y, view.mass.moments.z};
    double compliance = 1.0 / mass;
    for (int k = 0; k < 3; ++k)
    {
        const double along = rbl_dot3d(axes[k], rbl_to_double3(local));
        compliance += along * along / (moments[k] * mass / view.mass.volume);
    }
    check_ok(rbl_shape_destroy(shape));
    return (1.0 + (double)drop->restitution) * speed / compliance;
}

static void check_drop(const Drop* drop, float rate)
{
    const Fall fall = let_fall(drop, rate);
    const double speed = sqrt(2.0 * GRAVITY * (double)drop->height);
    if (fall.impacts == 0)
    {
        fail_msg("kind %d from %g m, restitution %g, %g Hz: no impact", (int)drop->kind, (double)drop->height,
                 (double)drop->restitution, (double)rate);
    }
    check_relative(fall.impact.speed, speed, 0.01);
    check_relative(fall.impact.impulse, impulse_of(drop, &fall, speed), 0.01);
    check_close(fabsf(fall.impact.normal.y), 1.0, 1e-4);
    check_close(fall.impact.point.y, 0.0, 2e-3);
    assert_true(fall.impact.duration > 0.0f && fall.impact.duration < 0.05f);
}

static void a_drop_has_its_speed_and_impulse_at_any_rate(void** state)
{
    (void)state;
    static const float heights[] = {0.02f, 0.05f, 0.3f, 1.0f, 3.0f};
    static const float restitutions[] = {0.0f, 0.3f, 0.8f};
    for (int kind = 0; kind < KINDS; ++kind)
    {
        for (int i = 0; i < 5; ++i)
        {
            for (int k = 0; k < 3; ++k)
            {
                const Drop drop = {(Kind)kind, heights[i], restitutions[k], {0, 0, 0}};
                for (int r = 0; r < RATES; ++r)
                {
                    check_drop(&drop, rates[r]);
                }
            }
        }
    }
}

// No closed form, but one answer: that of 480 steps a second.
static void a_turning_body_has_the_same_impact_at_any_rate(void** state)
{
    (void)state;
    static const float heights[] = {0.05f, 0.2f, 1.0f};
    for (int kind = 0; kind < KINDS; ++kind)
    {
        for (int i = 0; i < 3; ++i)
        {
            const Drop drop = {(Kind)kind, heights[i], i == 1 ? 0.0f : 0.4f, {1.5f, 2.5f, 5.0f}};
            const Fall fine = let_fall(&drop, 480.0f);
            for (int r = 0; r < RATES; ++r)
            {
                const Fall fall = let_fall(&drop, rates[r]);
                assert_true(fall.impacts > 0);
                check_relative(fall.impact.speed, (double)fine.impact.speed, 0.02);
                check_relative(fall.impact.impulse, (double)fine.impact.impulse, 0.02);
                check_close(rbl_length3(rbl_sub3(fall.impact.point, fine.impact.point)), 0.0, 5e-3);
            }
        }
    }
}

static void what_rests_has_no_impact(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind)
    {
        for (int r = 0; r < RATES; ++r)
        {
            const Drop drop = {(Kind)kind, 0.1f, 0.0f, {0, 0, 0}};
            const Fall fall = let_fall(&drop, rates[r]);
            assert_true(fall.impacts > 0);
            assert_int_equal(fall.late_impacts, 0);
        }
    }
}

// ---- from ice onto a rough floor ----

#define ANGLE  (5.0 * 3.14159265358979323846 / 180.0)
#define RUN    3.6
#define LENGTH 0.4
#define HEIGHT 0.2
#define ROUGH  0.3

static void put_slab(rblWorldId world, double angle, float friction)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(20, 1, 10);
    def.type = RBL_BODY_STATIC;
    def.material.friction = friction;
    def.material.restitution = 0.0f;
    def.pose.p = vec((float)(-0.5 * sin(angle)), (float)(-0.5 * cos(angle)), 0);
    def.pose.q = (rblQuat){0, 0, (float)sin(-0.5 * angle), (float)cos(0.5 * angle)};
    rblBodyId slab;
    check_ok(rbl_body_create(world, &def, &slab));
    check_ok(rbl_shape_destroy(def.shape));
}

// Where the block comes to rest after sliding down ice onto a floor that begins at x = 0.
static double slide_to_rest(float rate)
{
    const rblWorldId world = make_world(true);
    put_slab(world, 0.0, (float)ROUGH);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box((float)LENGTH, (float)HEIGHT, 0.4f);
    def.material.friction = (float)ROUGH;
    def.material.restitution = 0.0f;
    def.pose.p = vec((float)(-RUN * cos(ANGLE) + 0.5 * HEIGHT * sin(ANGLE)),
                     (float)(RUN * sin(ANGLE) + 0.5 * HEIGHT * cos(ANGLE)), 0);
    def.pose.q = (rblQuat){0, 0, (float)sin(-0.5 * ANGLE), (float)cos(0.5 * ANGLE)};
    rblBodyId block;
    check_ok(rbl_body_create(world, &def, &block));
    check_ok(rbl_shape_destroy(def.shape));
    put_slab(world, ANGLE, 0.0f);
    Watch energy = watch(world);
    for (int i = 0; i < (int)(6.0f * rate); ++i)
    {
        watched_step(&energy, 1.0f / rate);
    }
    check_energy_rule(&energy);
    const double x = (double)state_of(world, block).pose.p.x;
    check_ok(rbl_world_destroy(world));
    return x;
}

// 0.97805 m: the plane motion with two plastic impacts, of the front and of the rear, and both edges held in between, integrated
// with steps of 10 us. bench/bench_world_run_out.c has it in full.
static void a_bend_in_mid_step_costs_no_way(void** state)
{
    (void)state;
    for (int r = 0; r < RATES; ++r)
    {
        const double x = slide_to_rest(rates[r]);
        print_message("%g Hz: stops at %.4f m, %+.2f %%\n", (double)rates[r], x, 100.0 * (x / 0.97805 - 1.0));
        check_relative((float)x, 0.97805, 0.005);
    }
}

// ---- other ways ----

// A small ball between two thin walls: it bounces off the one in mid-step, and the other is behind it, where it was not going.
static void what_bounces_in_mid_step_does_not_pass_what_is_behind_it(void** state)
{
    (void)state;
    for (int r = 0; r < RATES; ++r)
    {
        rblWorldDef world_def = rbl_default_world_def();
        world_def.gravity = vec(0, 0, 0);
        rblWorldId world;
        check_ok(rbl_world_create(&world_def, &world));
        rblBodyDef def = rbl_default_body_def();
        def.material.friction = 0.0f;
        def.material.restitution = 1.0f;
        def.type = RBL_BODY_STATIC;
        def.shape = make_box(0.02f, 4, 4);
        rblBodyId body;
        for (int side = -1; side <= 1; side += 2)
        {
            def.pose.p = vec(0.16f * (float)side, 0, 0);
            check_ok(rbl_body_create(world, &def, &body));
        }
        check_ok(rbl_shape_destroy(def.shape));
        def.type = RBL_BODY_DYNAMIC;
        def.shape = make_sphere(0.05f);
        def.pose.p = vec(0, 0, 0);
        def.velocity = vec(20, 0.3f, 0);
        check_ok(rbl_body_create(world, &def, &body));
        check_ok(rbl_shape_destroy(def.shape));
        for (int i = 0; i < 60; ++i)
        {
            check_ok(rbl_world_step(world, 1.0f / rates[r]));
            const rblBodyState now = state_of(world, body);
            assert_true(fabsf(now.pose.p.x) < 0.101f);
            check_relative(fabsf(now.velocity.x), 20.0, 1e-5);
        }
        check_ok(rbl_world_destroy(world));
    }
}

// The same with a thin plate behind it that can move, awake, asleep or on its way: the ball must not pass it unseen.
static void what_bounces_in_mid_step_does_not_pass_what_moves_behind_it(void** state)
{
    (void)state;
    for (int r = 0; r < RATES; ++r)
    {
        for (int k = 0; k < 4 * 12; ++k)
        {
            rblWorldDef world_def = rbl_default_world_def();
            world_def.gravity = vec(0, 0, 0);
            rblWorldId world;
            check_ok(rbl_world_create(&world_def, &world));
            rblBodyDef def = rbl_default_body_def();
            def.material.restitution = 0.8f;
            def.type = RBL_BODY_STATIC;
            def.shape = make_box(0.02f, 4, 4);
            def.pose.p = vec(0.16f, 0, 0);
            rblBodyId body;
            rblBodyId plate;
            check_ok(rbl_body_create(world, &def, &body));
            check_ok(rbl_shape_destroy(def.shape));
            def.type = RBL_BODY_DYNAMIC;
            def.shape = make_box(0.01f, 1, 1);
            def.pose.p = vec(-0.16f, 0, 0);
            def.asleep = k % 4 == 1;
            def.velocity = vec(k % 4 == 2 ? 1.0f : k % 4 == 3 ? -1.0f : 0.0f, 0, 0);
            check_ok(rbl_body_create(world, &def, &plate));
            check_ok(rbl_shape_destroy(def.shape));
            def.asleep = false;
            def.shape = make_sphere(0.05f);
            def.pose.p = vec(0, 0, 0);
            def.velocity = vec(8.0f + 4.0f * (float)(k / 4), 0.3f, 0);
            check_ok(rbl_body_create(world, &def, &body));
            check_ok(rbl_shape_destroy(def.shape));
            for (int i = 0; i < 10; ++i)
            {
                check_ok(rbl_world_step(world, 1.0f / rates[r]));
                assert_true(state_of(world, body).pose.p.x > state_of(world, plate).pose.p.x);
                assert_true(state_of(world, body).pose.p.x < 0.11f);
            }
            check_ok(rbl_world_destroy(world));
        }
    }
}

// ---- contacts found anew ----

static float smallest_gap(const rblWorld* world, const rblManifold* manifold)
{
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const rblTransform a = rbl_motion_pose(&world->motions.data[pair->a]);
    const rblTransform b = rbl_motion_pose(&world->motions.data[pair->b]);
    float least = INFINITY;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblContact* contact = &world->contacts.data[manifold->contact + i];
        const rblVec3 way =
            rbl_sub3(rbl_transform_point(b, contact->anchor_b), rbl_transform_point(a, contact->anchor_a));
        least = rbl_minf(least, rbl_dot3(way, contact->normal));
    }
    return least;
}

// Overlap that is left from a break is no contact (narrow_phase.c), after a flight neither: pieces never repel.
static void contacts_found_anew_leave_out_what_a_break_left(void** state)
{
    (void)state;
    const rblWorldId id = make_world(false);
    rblWorld* world = NULL;
    rblContactSet set = {.points = NULL};
    put(id, make_box(20, 1, 20), RBL_BODY_STATIC, vec(0, -0.5f, 0));
    put(id, make_box(0.3f, 0.2f, 0.25f), RBL_BODY_DYNAMIC, vec(0, 0.1f, 0));
    step_times(id, 3);
    check_ok(rbl_world_find(id, &world));
    assert_int_equal(world->step->manifolds.count, 1);
    const rblManifold* manifold = &world->step->manifolds.data[0];
    assert_true(rbl_pair_renew_contacts(world->step, manifold, &set));
    const float gap = smallest_gap(world, manifold);
    world->pairs.data[manifold->pair].break_depth = 0.003f;
    assert_true(rbl_pair_renew_contacts(world->step, manifold, &set));
    check_close(smallest_gap(world, manifold), gap + 0.003f, 1e-6);
    rbl_contact_set_free(&set);
    check_ok(rbl_world_destroy(id));
}

// ---- two walls in a step ----

// Along one wall, towards it slowly, and fast into another one: turning by up to several rounds on the way.
static float run_into_corner(rblShapeId shape, float way_off, float drift, float speed, float spin)
{
    const rblWorldId world = make_world(true);
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    put(world, make_box(0.1f, 2.1f, 2.1f), RBL_BODY_STATIC, vec(1, 0, 0));
    put(world, make_box(2.1f, 2.1f, 0.1f), RBL_BODY_STATIC, vec(0, 0, 1));
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.pose.p = vec(0.95f - way_off, 0, 0.372f);
    def.velocity = vec(drift, 0, speed);
    def.spin = vec(0, spin, 0);
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    step_times(world, 1);
    const float z = state_of(world, body).center.z;
    check_ok(rbl_world_destroy(world));
    return z;
}

static void balls_that_meet_one_wall_do_not_pass_the_next(void** state)
{
    (void)state;
    const rblShapeId ball = make_sphere(0.08f);
    for (int i = 0; i < 500; ++i)
    {
        const float drift = 0.1f * (float)(1 + i % 10);
        const float speed = 20.0f + 3.0f * (float)(i / 10);
        const float spin = (float)(i % 7) * speed / 0.25f * (i % 2 == 0 ? 1.0f : -1.0f);
        const float z = run_into_corner(ball, 0.0802f, drift, speed, spin);
        if (!(z < 0.95f - 0.079f))
        {
            fail_msg("drift %g, speed %g, spin %g: at %g", (double)drift, (double)speed, (double)spin,
                     (double)z);
        }
    }
    check_ok(rbl_shape_destroy(ball));
}

// ---- impulses of contacts ----

// Steps until the box has its first impact.
static const rblStep* step_to_impact(rblWorldId id)
{
    rblWorld* world = NULL;
    check_ok(rbl_world_find(id, &world));
    for (int i = 0; i < 60; ++i)
    {
        step_times(id, 1);
        if (world->step->manifold_impacts.count > 0)
        {
            return world->step;
        }
    }
    fail_msg("no impact");
    return NULL;
}

// A box falls flat on a slab and bounces or stops. Breakers read the normal impulses of its contacts: they add up to that of the
// impact, m (1 + e) v, and their moment about the centre is zero.
static void impulses_of_contacts_add_up_to_that_of_the_impact(void** state)
{
    (void)state;
    static const float restitutions[] = {0.0f, 0.5f};
    for (int k = 0; k < 4; ++k)
    {
        const rblWorldId id = make_world(false);
        put(id, make_box(2, 0.2f, 2), k < 2 ? RBL_BODY_STATIC : RBL_BODY_KINEMATIC, vec(0, -0.1f, 0));
        rblBodyDef def = rbl_default_body_def();
        def.shape = make_box(0.4f, 0.2f, 0.2f);
        def.pose.p = vec(0, 0.3f, 0);
        def.material.restitution = restitutions[k % 2];
        rblBodyId box;
        check_ok(rbl_body_create(id, &def, &box));
        check_ok(rbl_shape_destroy(def.shape));
        const rblStep* step = step_to_impact(id);
        assert_int_equal((int)step->manifold_impacts.count, 1);
        const rblManifoldImpact* impact = &step->manifold_impacts.data[0];
        const rblManifold* manifold = &step->manifolds.data[impact->manifold];
        const bool is_b = step->solver_bodies.data[manifold->b].slot == box.index1 - 1;
        double sum = 0.0;
        rblVec3 moment = vec(0, 0, 0);
        assert_int_equal((int)manifold->count, 4);
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
            const rblVec3 arm = is_b ? contact->arm_b : contact->arm_a;
            sum += (double)contact->impact_impulse;
            moment = rbl_add3(moment, rbl_cross3(arm, rbl_scale3(contact->normal, contact->impact_impulse)));
        }
        const double expected =
            (1.0 + (double)restitutions[k % 2]) * (double)state_of(id, box).mass * sqrt(2.0 * GRAVITY * 0.2);
        assert_true(fabs(sum - expected) < 0.005 * expected);
        assert_true(fabs(sum - (double)impact->normal_impulse) < 1e-5 * sum);
        assert_true((double)rbl_length3(moment) < 1e-3 * 0.2 * sum);
        check_ok(rbl_world_destroy(id));
    }
}

static double sum_of_contacts(const rblStep* step, const rblManifold* manifold)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        sum += (double)step->solver_contacts.data[manifold->first + i].impact_impulse;
    }
    return sum;
}

// A box falls off-centre on a stack of three. Every pair of the stack bounces several times in the sweeps over the impact, and stops
// in the last ones: the impulses of its contacts include all of them.
static void impulses_of_contacts_include_all_bounces_and_stops(void** state)
{
    (void)state;
    static const float restitutions[] = {0.3f, 0.9f, 1.0f};
    for (int k = 0; k < 3; ++k)
    {
        const rblWorldId id = make_world(false);
        put(id, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
        for (int i = 0; i < 4; ++i)
        {
            rblBodyDef def = rbl_default_body_def();
            def.shape = make_box(0.4f, 0.2f, 0.3f);
            def.pose.p = i < 3 ? vec(0, 0.1f + 0.2f * (float)i, 0) : vec(0.05f, 1.5f, 0.02f);
            def.velocity = i < 3 ? vec(0, 0, 0) : vec(0, -3, 0);
            def.material.restitution = restitutions[k];
            rblBodyId box;
            check_ok(rbl_body_create(id, &def, &box));
            check_ok(rbl_shape_destroy(def.shape));
        }
        const rblStep* step = step_to_impact(id);
        assert_true(step->manifold_impacts.count == 4);
        for (uint32_t i = 0; i < step->manifold_impacts.count; ++i)
        {
            const rblManifoldImpact* impact = &step->manifold_impacts.data[i];
            const double sum = sum_of_contacts(step, &step->manifolds.data[impact->manifold]);
            check_relative(sum, (double)impact->normal_impulse, 1e-5);
        }
        check_ok(rbl_world_destroy(id));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drop_has_its_speed_and_impulse_at_any_rate),
        cmocka_unit_test(a_turning_body_has_the_same_impact_at_any_rate),
        cmocka_unit_test(what_rests_has_no_impact),
        cmocka_unit_test(a_bend_in_mid_step_costs_no_way),
        cmocka_unit_test(what_bounces_in_mid_step_does_not_pass_what_is_behind_it),
        cmocka_unit_test(what_bounces_in_mid_step_does_not_pass_what_moves_behind_it),
        cmocka_unit_test(contacts_found_anew_leave_out_what_a_break_left),
        cmocka_unit_test(balls_that_meet_one_wall_do_not_pass_the_next),
        cmocka_unit_test(impulses_of_contacts_add_up_to_that_of_the_impact),
        cmocka_unit_test(impulses_of_contacts_include_all_bounces_and_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
