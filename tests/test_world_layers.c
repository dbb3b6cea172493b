// Walls and pyramids of many layers, created at once, awake, at 30 steps a second: they stand from the first step on.
#include "dynamics/step.h"
#include "world_testing.h"

#define MOST 3000

typedef struct Pile
{
    rblWorldId world;
    rblShapeId shape, half;
    rblBodyId bodies[MOST];
    rblVec3 places[MOST];
    int count;
} Pile;

static void begin(Pile* pile, rblVec3 size)
{
    *pile = (Pile){.world = make_world(false)};
    check_ok(rbl_world_check_stages(pile->world, 0)); // the checks take longer than the steps
    put(pile->world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    pile->shape = make_box(size.x, size.y, size.z);
    pile->half = make_box(0.5f * size.x, size.y, size.z);
}

static void lay(Pile* pile, rblShapeId shape, rblVec3 at)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.pose.p = at;
    def.material.restitution = 0.0f;
    assert_true(pile->count < MOST);
    pile->places[pile->count] = at;
    check_ok(rbl_body_create(pile->world, &def, &pile->bodies[pile->count++]));
}

static double farthest(const Pile* pile)
{
    double worst = 0.0;
    for (int i = 0; i < pile->count; ++i)
    {
        const rblVec3 way = rbl_sub3(state_of(pile->world, pile->bodies[i]).center, pile->places[i]);
        worst = fmax(worst, (double)rbl_length3(way));
    }
    return worst;
}

// The largest displacement of a body in any step, and the growth of the energy: heights are rounded to 1e-6 m.
static void stand(Pile* pile, const char* name, int steps)
{
    double worst = 0.0;
    double growth = 0.0;
    for (int i = 0; i < steps; ++i)
    {
        check_ok(rbl_world_step(pile->world, STEP));
        rblEnergy energy;
        check_ok(rbl_world_energy(pile->world, &energy));
        growth = fmax(growth, -energy.dissipated / energy.potential);
        worst = fmax(worst, farthest(pile));
    }
    print_message("%s, %d bodies: moved by %.3f mm, energy grew by %.2g of it\n", name, pile->count,
                  1e3 * worst, growth);
    check_close(worst, 0.0, 2e-3);
    check_close(growth, 0.0, 1e-8);
    check_ok(rbl_world_destroy(pile->world));
    check_ok(rbl_shape_destroy(pile->shape));
    check_ok(rbl_shape_destroy(pile->half));
}

static void a_flat_pyramid_of_forty_rows_stands(void** state)
{
    (void)state;
    Pile pile;
    begin(&pile, vec(1, 1, 1));
    for (int row = 0; row < 40; ++row)
    {
        for (int i = 0; i < 40 - row; ++i)
        {
            const float x = 1.05f * ((float)i - 0.5f * (float)(39 - row));
            lay(&pile, pile.shape, vec(x, 0.5f + (float)row, 0));
        }
    }
    stand(&pile, "flat pyramid", 60);
}

static void a_wall_of_thirty_rows_stands(void** state)
{
    (void)state;
    Pile pile;
    begin(&pile, vec(0.4f, 0.2f, 0.2f));
    for (int row = 0; row < 30; ++row)
    {
        const bool odd = row % 2 == 1;
        const float height = 0.1f + 0.2f * (float)row;
        for (int i = 0; i < (odd ? 9 : 10); ++i)
        {
            lay(&pile, pile.shape, vec(0.4f * (float)i + (odd ? 0.2f : 0.0f), height, 0));
        }
        if (odd)
        {
            lay(&pile, pile.half, vec(-0.1f, height, 0));
            lay(&pile, pile.half, vec(3.7f, height, 0));
        }
    }
    stand(&pile, "wall", 150);
}

static void a_pyramid_of_twenty_layers_stands(void** state)
{
    (void)state;
    Pile pile;
    begin(&pile, vec(1, 1, 1));
    for (int layer = 0; layer < 20; ++layer)
    {
        const int width = 20 - layer;
        for (int i = 0; i < width * width; ++i)
        {
            const float x = 1.02f * ((float)(i % width) - 0.5f * (float)(width - 1));
            const float z = 1.02f * ((float)(i / width) - 0.5f * (float)(width - 1));
            lay(&pile, pile.shape, vec(x, 0.5f + (float)layer, z));
        }
    }
    stand(&pile, "pyramid", 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_pyramid_of_forty_rows_stands),
        cmocka_unit_test(a_wall_of_thirty_rows_stands),
        cmocka_unit_test(a_pyramid_of_twenty_layers_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
