// A harder impact never breaks less: ten solids, twelve directions, twenty speeds, decided and broken.
#include "testing.h"

#include "base/jobs.h"
#include "rubble/solids.h"
#include "stress_testing.h"

#define DIRECTIONS 12
#define SPEEDS     20
#define TETRAHEDRA 300

typedef struct Solid
{
    const char* kind;
    const char* material;
    const char* value; // that is changed: walls as thick as tetrahedra
    double to;
} Solid;

static const Solid solids[] = {
    {"brick", "clay", NULL, 0.0},        {"icosphere", "stone", NULL, 0.0},
    {"cylinder", "concrete", NULL, 0.0}, {"capsule", "ice", NULL, 0.0},
    {"torus", "clay", NULL, 0.0},        {"rock", "stone", NULL, 0.0},
    {"tile", "ceramic", NULL, 0.0},      {"column", "plaster", NULL, 0.0},
    {"statue", "plaster", NULL, 0.0},    {"bowl", "glass", "thickness", 0.012},
};

static rblShapeId make_solid(const Solid* solid)
{
    const rblSolidValue value = {solid->value, &solid->to, 1};
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_make(solid->kind, &value, solid->value != NULL, &def.mesh));
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(def.mesh));
    return id;
}

// The corners of an icosahedron.
static rblVec3 direction_of(int number)
{
    const float golden = 1.618034f, length = sqrtf(1.0f + golden * golden);
    const float parts[3] = {0.0f, (number & 1 ? -1.0f : 1.0f) / length,
                            (number & 2 ? -golden : golden) / length};
    const int first = number / 4;
    return rbl_vec3(parts[first], parts[(first + 1) % 3], parts[(first + 2) % 3]);
}

// The point of a body that touches a floor first.
static rblVec3 lowest_point(const rblShapeView* view, rblVec3 down)
{
    rblMeshId id;
    rblMeshView mesh;
    rblVec3 lowest = {0, 0, 0};
    float most = -INFINITY;
    check_ok(rbl_shape_surface(view, &id));
    check_ok(rbl_mesh_view(id, &mesh));
    for (uint32_t i = 0; i < mesh.vertex_count; ++i)
    {
        const rblVec3 at = rbl_to_float3(mesh.positions[i]);
        lowest = rbl_dot3(at, down) > most ? at : lowest;
        most = rbl_maxf(most, rbl_dot3(at, down));
    }
    return lowest;
}

// Fragments of a fall on a floor of its own material; 1: none.
static uint32_t fall(const rblBreaker* breaker, void* prepared, const rblBreakBody* body, rblVec3 down,
                     float speed)
{
    const rblImpact impact =
        hertz_impact(body, lowest_point(&body->view, down), rbl_scale3(down, -1.0f), body->mass, speed);
    rblVerdict verdict;
    rblFracture fracture = {0};
    check_ok(rbl_breaker_decide(breaker, prepared, body, &impact, 1, &verdict));
    if (verdict.breaks)
    {
        verdict.budget = (double)impact.energy;
        check_ok(rbl_breaker_shatter(breaker, prepared, body, &verdict, rbl_serial_jobs(), &fracture));
    }
    const uint32_t fragments = fracture.fragment_count;
    rbl_fracture_free(&fracture);
    rbl_verdict_release(breaker, &verdict);
    return fragments;
}

static void a_harder_impact_never_breaks_less(void** state)
{
    (void)state;
    rblStressDef def = rbl_default_stress_def();
    def.tetrahedra = TETRAHEDRA;
    const rblBreaker* breaker = make_stress(&def);
    for (size_t i = 0; i < sizeof solids / sizeof *solids; ++i)
    {
        const rblShapeId id = make_solid(&solids[i]);
        const rblBreakBody body = body_of(id, solids[i].material);
        void* prepared = NULL;
        uint32_t broke = 0, most = 0;
        check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
        for (int k = 0; k < DIRECTIONS; ++k)
        {
            uint32_t before = 0;
            for (int n = 0; n < SPEEDS; ++n)
            {
                const float speed = powf(80.0f, (float)n / (SPEEDS - 1)); // 1 to 80 m/s
                const uint32_t fragments = fall(breaker, prepared, &body, direction_of(k), speed);
                if (before >= 2 && fragments < 2)
                {
                    fail_msg("%s, direction %d: whole at %g m/s, but not below", solids[i].kind, k,
                             (double)speed);
                }
                before = fragments > before ? fragments : before;
                broke += fragments >= 2;
            }
            most = before > most ? before : most;
        }
        print_message("%s of %s: %u of %d break, into %u at most\n", solids[i].kind, solids[i].material,
                      broke, DIRECTIONS * SPEEDS, most);
        assert_true(broke > 0 && broke < DIRECTIONS * SPEEDS);
        rbl_breaker_forget(breaker, prepared);
        check_ok(rbl_shape_destroy(id));
    }
    rbl_breaker_release(breaker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_harder_impact_never_breaks_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
