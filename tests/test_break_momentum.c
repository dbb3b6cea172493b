// Breaks in free space: momentum and angular momentum of a body that flies and turns are those of its fragments, in the step of the
// break and in the flight after it, in which fragments that run into each other part again.
#include "breaking_testing.h"
#include "rubble/prescored.h"
#include "rubble/stress.h"

#define FLIGHT 31 // steps: that of the break, and 30 further ones

typedef struct Momentum
{
    rblVec3d linear, angular;
} Momentum;

static Momentum momentum_of(rblWorldId world)
{
    const rblEnergy e = energy_of(world);
    return (Momentum){{e.momentum[0], e.momentum[1], e.momentum[2]},
                      {e.angular_momentum[0], e.angular_momentum[1], e.angular_momentum[2]}};
}

static rblBreakerId make_breaker(bool stress)
{
    rblBreakerId breaker;
    if (stress)
    {
        rblStressDef def = rbl_default_stress_def();
        def.tetrahedra = 1000;
        check_ok(rbl_breaker_create_stress(&def, &breaker));
        return breaker;
    }
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.pieces = 12;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    return breaker;
}

static rblWorldId make_space(void)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    def.gravity = vec(0, 0, 0);
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_check_stages(world, RBL_CHECK_ALL));
    return world;
}

static void put_brick(rblWorldId world, rblBreakerId breaker, rblVec3 velocity, rblVec3 spin)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_material_preset("clay", &def.material));
    def.shape = make_box(0.2f, 0.06f, 0.1f);
    def.breaker = breaker;
    def.velocity = velocity;
    def.spin = spin;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
}

// Breaks every body that can break, at the middle of its top.
static uint32_t break_all(rblWorldId world)
{
    rblBodyId bodies[256];
    uint32_t count = 0;
    uint32_t broken = 0;
    check_ok(rbl_world_bodies(world, bodies, 256, &count));
    assert_true(count <= 256);
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblBodyState state = state_of(world, bodies[i]);
        const rblResult result = rbl_body_break(world, bodies[i], state.center, vec(0.2f, -1, 0.1f));
        assert_true(result == RBL_OK || state.debris);
        broken += result == RBL_OK;
    }
    return broken;
}

// The largest deviations in a flight: of the momentum relative to the sum of |p| of the fragments, of the angular momentum relative
// to its size, for a body at rest as it is, for all beyond what rounding explains. (About a distant point rounding is a large share.)
typedef struct Deviation
{
    double linear, raw, angular;
} Deviation;

static void include(Deviation* worst, const Deviation* found)
{
    worst->linear = fmax(worst->linear, found->linear);
    worst->raw = fmax(worst->raw, found->raw);
    worst->angular = fmax(worst->angular, found->angular);
}

// Sums of |p| and |x| |p|.
static void sum_sizes(rblWorldId world, double* momenta, double* moments)
{
    rblBodyId bodies[256];
    uint32_t count = 0;
    check_ok(rbl_world_bodies(world, bodies, 256, &count));
    *momenta = *moments = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblBodyState state = state_of(world, bodies[i]);
        const double momentum = (double)(state.mass * rbl_length3(state.velocity));
        *momenta += momentum;
        *moments += momentum * (double)rbl_length3(state.center);
    }
}

// Positions are of 32 bits: each step rounds them to 2^-24 of their size. The energy must not grow.
static Deviation fly(rblWorldId world, float rate)
{
    const Momentum start = momentum_of(world);
    Deviation worst = {0.0, 0.0, 0.0};
    double kinetic = energy_of(world).kinetic;
    double rounding = 0.0;
    assert_true(break_all(world) > 0);
    for (int i = 0; i < FLIGHT; ++i)
    {
        double momenta, moments;
        check_ok(rbl_world_step(world, 1.0f / rate));
        const Momentum now = momentum_of(world);
        sum_sizes(world, &momenta, &moments);
        rounding += moments * 0x1p-24;
        const double size = rbl_length3d(start.angular);
        const double turned = rbl_distance3d(now.angular, start.angular);
        const Deviation found = {rbl_distance3d(now.linear, start.linear) / momenta, turned / size,
                                 (turned - rounding) / size};
        include(&worst, &found);
        assert_true(energy_of(world).kinetic < (1.0 + 1e-6) * kinetic);
        kinetic = energy_of(world).kinetic;
    }
    return worst;
}

// Two generations of breaks, each with its flight.
static Deviation break_and_fly(bool stress, rblVec3 velocity, rblVec3 spin, float rate)
{
    const rblBreakerId breaker = make_breaker(stress);
    const rblWorldId world = make_space();
    put_brick(world, breaker, velocity, spin);
    check_ok(rbl_world_step(world, 1.0f / rate));
    Deviation worst = {0.0, 0.0, 0.0};
    for (int generation = 0; generation < 2; ++generation)
    {
        const Deviation found = fly(world, rate);
        include(&worst, &found);
    }
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_breaker_destroy(breaker));
    return worst;
}

static void breaks_in_free_space_keep_momentum(void** state)
{
    (void)state;
    static const rblVec3 velocities[] = {{0, 0, 0}, {1, 2, -0.5f}};
    static const rblVec3 spins[] = {{5, 3, 8}, {20, -3, 8}, {0, 0.5f, 30}, {1, 40, 1}, {2, 1, 0.5f}};
    for (int stress = 0; stress < 2; ++stress)
    {
        Deviation worst = {0.0, 0.0, 0.0};
        for (int i = 0; i < 2 * 2 * 5; ++i)
        {
            const float rate = i % 2 == 0 ? 30.0f : 120.0f;
            const Deviation found = break_and_fly(stress != 0, velocities[i / 10], spins[i / 2 % 5], rate);
            include(&worst, &(Deviation){found.linear, i < 10 ? found.raw : 0.0, found.angular});
        }
        print_message(
            "%s: momentum to %.2g, angular momentum at rest to %.2g, of all beyond rounding to %.2g\n",
            stress ? "stress" : "prescored", worst.linear, worst.raw, worst.angular);
        assert_true(worst.linear < 1e-6 && worst.angular < 1e-6 && worst.raw < 1e-5);
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(breaks_in_free_space_keep_momentum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
