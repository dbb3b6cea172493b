// Walls that break with a realistic pattern (Su 2009, Fig. 9): small pieces at the impact, larger ones around.
#include "world_testing.h"

#include "rubble/scene.h"
#include <stdlib.h>

#define WALLS      RBL_TEST_DOCS "/../scenes/wall_realistic.json"
#define MAX_PIECES 256

typedef struct Piece
{
    float distance; // m from the impact
    float mass;     // kg
} Piece;

static int by_distance(const void* a, const void* b)
{
    const float x = ((const Piece*)a)->distance;
    const float y = ((const Piece*)b)->distance;
    return (x > y) - (x < y);
}

static float mean_mass(const Piece* pieces, uint32_t count)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += pieces[i].mass;
    }
    return sum / (float)count;
}

// Fragments of a static body may be static, of mass 0: their mass follows from the volume.
static float piece_mass(const rblBodyState* state)
{
    rblShapeView view;
    check_ok(rbl_shape_view(state->shape, &view));
    return (float)view.mass.volume * state->material.density;
}

static void check_break(rblWorldId world, const rblBreakEvent* event)
{
    Piece pieces[MAX_PIECES];
    float sum = 0.0f;
    assert_true(event->fragment_count >= 60 && event->fragment_count <= MAX_PIECES);
    for (uint32_t i = 0; i < event->fragment_count; ++i)
    {
        rblBodyState state;
        check_ok(rbl_body_state(world, event->fragments[i], &state));
        pieces[i] = (Piece){rbl_length3(rbl_sub3(state.center, event->point)), piece_mass(&state)};
        sum += pieces[i].mass;
    }
    qsort(pieces, event->fragment_count, sizeof *pieces, by_distance);
    const uint32_t third = event->fragment_count / 3;
    const float near = mean_mass(pieces, third);
    const float far = mean_mass(pieces + event->fragment_count - third, third);
    print_message("impact at %.2f, %.2f: %u pieces, mean %.2f kg near it, %.2f kg far from it\n",
                  (double)event->point.x, (double)event->point.y, event->fragment_count, (double)near,
                  (double)far);
    assert_true(near < 0.35f * far);
    rblMaterial concrete;
    check_ok(rbl_material_preset("concrete", &concrete));
    const float wall = 1.5f * 1.0f * 0.1f * concrete.density;
    assert_true(fabsf(sum - wall) < 1e-4f * wall);
}

static void pieces_of_a_realistic_wall_grow_away_from_the_impact(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSceneView view;
    rblWorldId world;
    rblWorldDef def = rbl_default_world_def();
    check_ok(rbl_scene_load(WALLS, &scene));
    check_ok(rbl_scene_prepare(scene));
    check_ok(rbl_scene_view(scene, &view));
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    rblBodyId* bodies = calloc(view.body_count, sizeof *bodies);
    check_ok(rbl_scene_build(scene, world, bodies));
    uint32_t broken = 0;
    for (uint32_t i = 0; i < 15; ++i)
    {
        const rblBreakEvent* events;
        uint32_t count;
        check_ok(rbl_world_step(world, (float)view.step));
        check_ok(rbl_world_break_events(world, &events, &count));
        for (uint32_t k = 0; k < count; ++k)
        {
            check_break(world, &events[k]);
        }
        broken += count;
    }
    assert_int_equal(broken, 3);
    free(bodies);
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_a_realistic_wall_grow_away_from_the_impact),
    };
    return cmocka_run_group_tests_name("scene_walls", tests, NULL, NULL);
}
