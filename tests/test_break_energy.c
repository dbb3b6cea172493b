// Where the energy of an impact goes that breaks something: kinetic energy before = after + surface + heat.
#include "testing.h"

#include "breaking_testing.h"
#include "rubble/prescored.h"
#include "rubble/stress.h"

#define SPEED 9.0f

// A brick that spins about the way it flies, centre first, onto a ball that is held: the impact has the energy of its flight, the
// spin is left alone.
typedef struct Collision
{
    double before, after; // J of motion, of the step in which it breaks
    double mass;
    rblBreakEvent event;
    uint32_t breaks;
} Collision;

static rblWorldId brick_over_ball(rblBodyDef* brick, rblBodyId* body)
{
    rblWorldDef def = rbl_default_world_def();
    rblBodyDef ball = rbl_default_body_def();
    rblWorldId world;
    def.gravity = vec(0, 0, 0);
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_shape_create_sphere(0.1f, &ball.shape));
    ball.type = RBL_BODY_STATIC;
    ball.material.friction = brick->material.friction = 0.0f;
    ball.material.restitution = brick->material.restitution = 0.0f;
    check_ok(rbl_body_create(world, &ball, body));
    check_ok(rbl_shape_destroy(ball.shape));
    brick->pose.p = vec(0, 0.3f, 0);
    brick->velocity = vec(0, -SPEED, 0);
    brick->spin = vec(0, 20, 0);
    check_ok(rbl_body_create(world, brick, body));
    return world;
}

static Collision collide(rblBodyDef brick)
{
    rblBodyId body;
    const rblWorldId world = brick_over_ball(&brick, &body);
    Collision collision = {.mass = (double)state_of(world, body).mass};
    for (int i = 0; i < 30 && collision.breaks == 0; ++i)
    {
        const rblBreakEvent* events;
        collision.before = energy_of(world).kinetic;
        check_ok(rbl_world_step(world, 1.0f / 60.0f));
        collision.breaks = events_of(world, &events);
        collision.event = collision.breaks > 0 ? events[0] : collision.event;
    }
    collision.after = energy_of(world).kinetic;
    check_ok(rbl_world_destroy(world));
    return collision;
}

static void check_event(const rblBodyDef* brick, const Collision* collision)
{
    const rblBreakEvent* event = &collision->event;
    print_message(
        "%u pieces: %.9g J before, %.9g after, %.9g lost by the break, %.9g of surface, %.3g of heat\n",
        event->pieces, collision->before, collision->after, event->kinetic_lost, event->surface_energy,
        event->heat);
    assert_int_equal(collision->breaks, 1);
    assert_true(event->pieces >= 2 && event->mass_error < 1e-6);
    assert_true(event->surface_energy > 0.0 && event->heat >= 0.0);
    check_relative(event->surface_energy, 2.0 * (double)brick->material.surface_energy * event->crack_area,
                   1e-9);
    check_close(event->kinetic_lost, event->surface_energy + event->heat, 1e-6 * collision->before);
    assert_true(event->kinetic_lost <= collision->before - collision->after + 1e-6 * collision->before);
}

static rblBodyDef clay_brick(void)
{
    rblBodyDef brick = rbl_default_body_def();
    check_ok(rbl_material_preset("clay", &brick.material));
    check_ok(rbl_shape_create_box(vec(0.2f, 0.06f, 0.1f), &brick.shape));
    return brick;
}

static void end_of(const rblBodyDef* brick)
{
    check_ok(rbl_breaker_destroy(brick->breaker));
    check_ok(rbl_shape_destroy(brick->shape));
    assert_int_equal(rbl_breaker_alive_count(), 0);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static rblBodyDef prescored_brick(void)
{
    rblBodyDef brick = clay_brick();
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.pieces = 12;
    check_ok(rbl_breaker_create_prescored(&def, &brick.breaker));
    return brick;
}

static rblBodyDef stressed_brick(void)
{
    rblBodyDef brick = clay_brick();
    rblStressDef def = rbl_default_stress_def();
    def.tetrahedra = 1000;
    check_ok(rbl_breaker_create_stress(&def, &brick.breaker));
    return brick;
}

static void what_a_break_loses_is_surface_and_heat(void** state)
{
    (void)state;
    for (int i = 0; i < 2; ++i)
    {
        rblBodyDef brick = i == 0 ? prescored_brick() : stressed_brick();
        for (float energy = 1.0f; energy < 1000.0f; energy *= 9.0f)
        {
            brick.material.surface_energy = energy;
            const Collision collision = collide(brick);
            check_event(&brick, &collision);
            assert_true((collision.event.elastic_energy > 0.0) == (i == 1));
        }
        end_of(&brick);
    }
}

// What an impact does not pay for cracks it spends on the pieces, by contacts. So that nothing is left for these, cracks are made to
// cost a millionth less than all it has: then the books of the world must say the same as the event.
static void an_impact_that_pays_all_it_has_loses_nothing_else(void** state)
{
    (void)state;
    rblBodyDef brick = prescored_brick();
    const Collision cheap = collide(brick);
    const double energy = 0.5 * cheap.mass * (double)(SPEED * SPEED);
    brick.material.surface_energy = (float)((1.0 - 1e-6) * energy / (2.0 * cheap.event.crack_area));
    const Collision dear = collide(brick);
    check_event(&brick, &dear);
    check_relative(dear.event.surface_energy, energy, 1e-5);
    assert_true(dear.after > 0.01 * dear.before);
    check_close(dear.before, dear.after + dear.event.surface_energy + dear.event.heat, 2e-6 * dear.before);
    end_of(&brick);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_break_loses_is_surface_and_heat),
        cmocka_unit_test(an_impact_that_pays_all_it_has_loses_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
