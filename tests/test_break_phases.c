// What breaks does not depend on the part of a step in which it lands.
#include "breaking_testing.h"

#include "rubble/prescored.h"
#include "rubble/stress.h"

#define PHASES 24

typedef struct Solid
{
    const char* kind;
    float speeds[2]; // m/s: at which it breaks, prescored and by stress
} Solid;

static const Solid solids[] = {{"column", {2.0f, 4.0f}}, {"statue", {2.0f, 8.0f}}};

static rblShapeId make_solid_shape(const char* kind)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId shape;
    def.max_cells = 48;
    check_ok(rbl_mesh_make(kind, NULL, 0, &def.mesh));
    check_ok(rbl_shape_create_level_set(&def, &shape));
    check_ok(rbl_mesh_destroy(def.mesh));
    return shape;
}

// The number of pieces of the first break of a solid that arrives upright on the ground, a part of a step after a step began; 0: whole.
static uint32_t land(rblShapeId shape, rblBreakerId breaker, float speed, float phase)
{
    const float rate = 30.0f;
    const rblWorldId world = make_world(false);
    rblBodyDef def = rbl_default_body_def();
    const float time = (3.0f + phase) / rate;
    const float start = speed - 9.81f * time;
    rblBodyId body;
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    check_ok(rbl_material_preset("plaster", &def.material));
    def.shape = shape;
    def.breaker = breaker;
    def.pose.p = vec(0, start * time + 0.5f * 9.81f * time * time, 0);
    def.velocity = vec(0, -start, 0);
    check_ok(rbl_body_create(world, &def, &body));
    uint32_t pieces = 0;
    for (int i = 0; i < 6 && pieces == 0; ++i)
    {
        const rblBreakEvent* events;
        check_ok(rbl_world_step(world, 1.0f / rate));
        pieces = events_of(world, &events) > 0 ? events[0].fragment_count : 0;
    }
    check_ok(rbl_world_destroy(world));
    return pieces;
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
    const rblPrescoredDef def = rbl_default_prescored_def();
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    return breaker;
}

static void check_phases(bool stress)
{
    for (size_t k = 0; k < sizeof solids / sizeof *solids; ++k)
    {
        const rblShapeId shape = make_solid_shape(solids[k].kind);
        const rblBreakerId breaker = make_breaker(stress);
        uint32_t least = UINT32_MAX, most = 0;
        int broken = 0;
        for (int i = 0; i < PHASES; ++i)
        {
            const uint32_t pieces = land(shape, breaker, solids[k].speeds[stress], (float)i / PHASES);
            broken += pieces > 0;
            least = pieces < least ? pieces : least;
            most = pieces > most ? pieces : most;
        }
        print_message("%s, %s, %g m/s: breaks in %d of %d phases, into %u to %u pieces\n", solids[k].kind,
                      stress ? "stress" : "prescored", (double)solids[k].speeds[stress], broken, PHASES,
                      least, most);
        check_ok(rbl_shape_destroy(shape));
        check_ok(rbl_breaker_destroy(breaker));
        assert_int_equal(broken, PHASES);
    }
}

static void prescored_solids_break_in_every_phase(void** state)
{
    (void)state;
    check_phases(false);
}

static void solids_break_by_stress_in_every_phase(void** state)
{
    (void)state;
    check_phases(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prescored_solids_break_in_every_phase),
        cmocka_unit_test(solids_break_by_stress_in_every_phase),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
