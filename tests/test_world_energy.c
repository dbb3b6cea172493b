// Work of forces and torques is booked to the last bits, whatever else acts on the body.
#include "world_testing.h"

#include "base/random.h"

static rblVec3 in_cube(rblRandom* random, float half)
{
    const float x = rbl_random_float(random) - 0.5f;
    const float y = rbl_random_float(random) - 0.5f;
    return rbl_scale3(vec(x, y, rbl_random_float(random) - 0.5f), 2.0f * half);
}

static rblBodyId put_free(rblWorldId world, rblShapeId shape, rblVec3 at)
{
    return put(world, shape, RBL_BODY_DYNAMIC, at);
}

// The joints' growth is taken out by slowing the bodies; that makes the torques do less, which must be booked.
static void torques_on_joined_bodies_are_booked(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    rblRandom random = rbl_random_seed(3, 1);
    rblBodyId links[4];
    for (int i = 0; i < 4; ++i)
    {
        links[i] = put_free(world, make_box(0.5f, 0.1f, 0.2f), vec(0.25f + 0.5f * (float)i, 0, 0));
        rblJointDef def = rbl_default_joint_def();
        def.a = links[i];
        def.b = i > 0 ? links[i - 1] : (rblBodyId){0};
        def.anchor_a = vec(-0.25f, 0, 0);
        def.anchor_b = i > 0 ? vec(0.25f, 0, 0) : vec(0, 0, 0);
        rblJointId joint;
        check_ok(rbl_joint_create(world, &def, &joint));
    }
    Watch energy = watch(world);
    for (int i = 0; i < 300; ++i)
    {
        check_ok(rbl_body_apply_torque(world, links[i % 4], in_cube(&random, 200.0f)));
        watched_step(&energy, STEP);
    }
    assert_true(fabs(energy.work) > 100.0);
    check_energy_rule(&energy);
    check_ok(rbl_world_destroy(world));
}

// One push that brings in all the energy there is: no rounding of an inertia shows in the books.
static void one_push_is_booked_to_rounding(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(4, 1);
    for (int i = 0; i < 200; ++i)
    {
        const rblWorldId world = make_world(false);
        const rblVec3 size = rbl_add3(in_cube(&random, 0.2f), vec(0.25f, 0.25f, 0.25f));
        const rblBodyId body = put_free(world, make_box(size.x, size.y, size.z), vec(0, 0, 0));
        step_times(world, 2); // of falling
        Watch energy = watch(world);
        const float strength = 1e4f * state_of(world, body).mass;
        const rblVec3 force = in_cube(&random, strength);
        check_ok(rbl_body_apply_force(world, body, force, in_cube(&random, 1.0f)));
        check_ok(rbl_body_apply_torque(world, body, in_cube(&random, strength)));
        watched_step(&energy, STEP);
        const double scale = energy.kinetic_max + energy.potential_max - energy.potential_min;
        check_close(energy.energy, energy.first, 4e-7 * scale);
        check_ok(rbl_world_destroy(world));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torques_on_joined_bodies_are_booked),
        cmocka_unit_test(one_push_is_booked_to_rounding),
    };
    return cmocka_run_group_tests_name("energy", tests, NULL, NULL);
}
