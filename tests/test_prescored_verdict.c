// The prescored breaker: when things break.
#include "testing.h"

#include "field_shapes.h"
#include "math/trig.h"
#include "prescored_testing.h"

// What a world says of an impact: the body of mass m meets something much heavier of another material.
static rblImpact make_impact(const rblBreakBody* body, const char* other, double radius, double mass,
                             double speed)
{
    rblMaterial partner;
    check_ok(rbl_material_preset(other, &partner));
    const rblMaterial* own = &body->material;
    const double compliance = (1.0 - (double)(own->poisson * own->poisson)) / (double)own->young +
                              (1.0 - (double)(partner.poisson * partner.poisson)) / (double)partner.young;
    const double root = sqrt(radius);
    const double depth = rbl_pow(15.0 * mass * speed * speed * compliance / (16.0 * root), 0.4);
    return (rblImpact){.normal = {0, 1, 0},
                       .impulse = {0, (float)(mass * speed), 0},
                       .speed = (float)speed,
                       .duration = (float)(2.94 * depth / speed),
                       .mass = (float)mass,
                       .energy = (float)(0.5 * mass * speed * speed),
                       .peak_force = (float)(4.0 / 3.0 * root / compliance * depth * sqrt(depth))};
}

static double fall_speed(double height)
{
    return sqrt(2.0 * 9.81 * height);
}

static bool breaks(const rblBreakBody* body, rblImpact impact)
{
    const rblPrescoredDef def = rbl_default_prescored_def();
    const rblBreaker* breaker = make_breaker(&def);
    rblVerdict verdict;
    check_ok(rbl_breaker_decide(breaker, NULL, body, &impact, 1, &verdict));
    rbl_breaker_release(breaker);
    return verdict.breaks;
}

static void everyday_things_break_when_they_should(void** state)
{
    (void)state;
    rblShapeId plate;
    check_ok(rbl_shape_create_cylinder(0.125f, 0.006f, &plate));
    rblBreakBody body = body_of(plate, "glass");
    const double mass = (double)body.mass;
    // On its rim a plate opposes a fifth of its mass to the floor, on its edge all of it.
    assert_true(breaks(&body, make_impact(&body, "stone", 0.003, mass, fall_speed(1.0))));
    assert_true(breaks(&body, make_impact(&body, "stone", 0.003, 0.2 * mass, fall_speed(1.0))));
    assert_false(breaks(&body, make_impact(&body, "stone", 0.003, mass, fall_speed(0.02))));
    body.material = (rblMaterial){0};
    check_ok(rbl_material_preset("steel", &body.material));
    assert_false(breaks(&body, make_impact(&body, "stone", 0.003, 2.3, fall_speed(5.0))));
    check_ok(rbl_material_preset("rubber", &body.material));
    assert_false(breaks(&body, make_impact(&body, "stone", 0.003, 0.34, fall_speed(20.0))));
    check_ok(rbl_shape_destroy(plate));

    const rblShapeId mug = make_level_set("bowl", 48); // 4 mm thick
    body = body_of(mug, "ceramic");
    assert_true(breaks(&body, make_impact(&body, "stone", 0.002, 0.4 * (double)body.mass, fall_speed(0.8))));
    assert_false(breaks(&body, make_impact(&body, "stone", 0.002, (double)body.mass, fall_speed(0.01))));
    check_ok(rbl_shape_destroy(mug));

    rblShapeId ball;
    rblShapeId wall;
    check_ok(rbl_shape_create_sphere(0.05f, &ball));
    check_ok(rbl_shape_create_box(rbl_vec3(2.0f, 1.0f, 0.1f), &wall));
    body = body_of(ball, "stone");
    const rblBreakBody concrete = body_of(wall, "concrete");
    const rblBreakBody bricks = body_of(wall, "clay");
    assert_false(breaks(&body, make_impact(&body, "concrete", 0.05, (double)body.mass, 1.0)));
    assert_false(breaks(&concrete, make_impact(&concrete, "stone", 0.05, (double)body.mass, 1.0)));
    assert_true(breaks(&body, make_impact(&body, "concrete", 0.05, (double)body.mass, 30.0)));
    assert_true(breaks(&bricks, make_impact(&bricks, "steel", 0.05, 5.0, 10.0)));
    assert_false(breaks(&bricks, make_impact(&bricks, "steel", 0.05, 5.0, 0.5)));
    const rblBreakBody steel = body_of(ball, "steel");
    assert_false(breaks(&steel, make_impact(&steel, "clay", 0.05, 5.0, 10.0)));
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(wall));
}

static void the_verdict_is_monotone_in_energy_and_knows_one_threshold(void** state)
{
    (void)state;
    rblShapeId plate;
    check_ok(rbl_shape_create_cylinder(0.125f, 0.006f, &plate));
    rblPrescoredDef def = rbl_default_prescored_def();
    const rblBreaker* breaker = make_breaker(&def);
    for (int by_impulse = 0; by_impulse < 2; ++by_impulse)
    {
        rblBreakBody body = body_of(plate, "glass");
        body.material.break_impulse = by_impulse ? 1.0f : 0.0f;
        float before = 0.0f;
        bool broke = false;
        for (int i = 1; i < 400; ++i)
        {
            const rblImpact impact = make_impact(&body, "stone", 0.003, 0.5, 0.02 * i);
            rblVerdict verdict;
            check_ok(rbl_breaker_decide(breaker, NULL, &body, &impact, 1, &verdict));
            assert_true(verdict.severity > before);
            assert_true(verdict.breaks == (verdict.severity >= 1.0f));
            assert_true(!broke || verdict.breaks);
            if (by_impulse)
            {
                assert_true(verdict.breaks == (impact.impulse.y >= 1.0f));
            }
            before = verdict.severity;
            broke = verdict.breaks;
        }
        assert_true(broke);
        // Weight at rest is no impact, whatever its impulse.
        const rblImpact rest = {.normal = {0, 1, 0}, .impulse = {0, 0.5f, 0}};
        rblVerdict verdict;
        check_ok(rbl_breaker_decide(breaker, NULL, &body, &rest, 1, &verdict));
        assert_false(verdict.breaks);
    }
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(plate));
}

static void damage_adds_up_only_when_asked_for(void** state)
{
    (void)state;
    rblShapeId plate;
    check_ok(rbl_shape_create_cylinder(0.125f, 0.006f, &plate));
    rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakBody body = body_of(plate, "glass");
    for (int accumulate = 0; accumulate < 2; ++accumulate)
    {
        def.accumulate = accumulate == 1;
        const rblBreaker* breaker = make_breaker(&def);
        body.damage = 0.0f;
        int impacts = 0;
        bool broke = false;
        for (; impacts < 50 && !broke; ++impacts)
        {
            // Half of the energy that breaks it.
            rblImpact impact = make_impact(&body, "stone", 0.003, 0.5, 1.0);
            rblVerdict verdict;
            check_ok(rbl_breaker_decide(breaker, NULL, &body, &impact, 1, &verdict));
            const double severity = (double)verdict.severity * (1.0 - (double)body.damage);
            impact = make_impact(&body, "stone", 0.003, 0.5, sqrt(0.5 / severity));
            check_ok(rbl_breaker_decide(breaker, NULL, &body, &impact, 1, &verdict));
            broke = verdict.breaks;
            body.damage = verdict.damage;
        }
        assert_int_equal(impacts, accumulate ? 3 : 50);
        // What is hardly felt does nothing.
        body.damage = 0.0f;
        const rblImpact touch = make_impact(&body, "stone", 0.003, 0.5, 0.1);
        rblVerdict verdict;
        check_ok(rbl_breaker_decide(breaker, NULL, &body, &touch, 1, &verdict));
        check_close(verdict.damage, 0.0, 0.0);
        // Nor does it break what nearly broke before.
        body.damage = 1.0f;
        check_ok(rbl_breaker_decide(breaker, NULL, &body, &touch, 1, &verdict));
        assert_false(verdict.breaks);
        rbl_breaker_release(breaker);
    }
    check_ok(rbl_shape_destroy(plate));
}

// A pane of 5 mm breaks like a larger one; its pieces do not.
static void small_bodies_break_and_small_pieces_do_not(void** state)
{
    (void)state;
    rblShapeId id;
    check_ok(rbl_shape_create_box(rbl_vec3(0.005f, 0.0005f, 0.005f), &id));
    rblBreakBody body = body_of(id, "glass");
    const rblImpact impact = make_impact(&body, "stone", 0.001, (double)body.mass, 20.0);
    assert_true(breaks(&body, impact));
    body.generation = 1;
    assert_false(breaks(&body, impact));
    check_ok(rbl_shape_destroy(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyday_things_break_when_they_should),
        cmocka_unit_test(the_verdict_is_monotone_in_energy_and_knows_one_threshold),
        cmocka_unit_test(damage_adds_up_only_when_asked_for),
        cmocka_unit_test(small_bodies_break_and_small_pieces_do_not),
    };
    return cmocka_run_group_tests_name("prescored_verdict", tests, NULL, NULL);
}
