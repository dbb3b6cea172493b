// The stress of bent bodies against closed forms, with one layer of tetrahedra and more.
#include "testing.h"

#include "base/jobs.h"
#include "fracture/stress/stress_private.h"
#include "stress_testing.h"

#define STRESS 1e6 // Pa, at the faces

// Forces at the nodes of tractions S n with the stress S_xx = STRESS y / (h / 2), which is linear and so exact in every body.
static void bend(const rblElasticView* view, double height, rblVec3d* forces)
{
    memset(forces, 0, sizeof *forces * view->node_count);
    for (uint32_t face = 0; face < view->surface_face_count; ++face)
    {
        const uint32_t* nodes = &view->surface[3 * (size_t)face];
        const rblVec3d a = view->positions[nodes[0]], b = view->positions[nodes[1]],
                       c = view->positions[nodes[2]];
        const double area = 0.5 * rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a)).x;
        for (uint32_t i = 0; i < 3; ++i)
        {
            const double weighted = (a.y + b.y + c.y + view->positions[nodes[i]].y) / 12.0;
            forces[nodes[i]].x += STRESS * weighted / (0.5 * height) * area;
        }
    }
}

// The mean tension on top, away from the ends, in parts of the exact one. `factor`: of a body that breaks.
static double tension_on_top(const rblStressBody* body, double height, double* factor)
{
    const rblElasticView* view = &body->root->elastic_view;
    const rblStressBlow far = {.loads = {{.point = {1e3, 0, 0}, .force = {0, -1, 0}, .radius = 1e-3}},
                               .speeds = {1.0},
                               .count = 1,
                               .speed = 1.0,
                               .energy = (double)INFINITY};
    rblVec3d* forces = malloc(sizeof *forces * view->node_count);
    rblStress* nodes = malloc(sizeof *nodes * view->node_count);
    rblStress* tets = malloc(sizeof *tets * view->tet_count);
    rblStressEvidence* evidence = rbl_stress_evidence_new(body);
    const rblStressSolved solved = {body->root, view, nodes, tets};
    double ratio = 0.0, sum = 0.0;
    uint32_t count = 0;
    bend(view, height, forces);
    check_ok(rbl_elastic_solve_forces(body->root->elastic, forces,
                                      &(rblElasticFields){.node_stresses = nodes, .tet_stresses = tets},
                                      &(rblElasticReport){0}));
    check_ok(rbl_stress_judge(&solved, &far, evidence, &ratio));
    for (uint32_t i = 0; i < view->node_count; ++i)
    {
        const rblVec3d at = view->positions[i];
        const bool is_inside = at.y > 0.49 * height && fabs(at.x) < 0.08 && fabs(at.z) < 0.08;
        sum += is_inside ? nodes[i].xx / STRESS : 0.0;
        count += is_inside;
    }
    assert_true(count > 10);
    *factor = evidence->scale;
    rbl_stress_evidence_free(evidence);
    free(forces);
    free(nodes);
    free(tets);
    return sum / count;
}

static void bent_plates_have_the_tension_of_the_closed_form(void** state)
{
    (void)state;
    const double heights[] = {0.01, 0.01, 0.01, 0.01, 0.01, 0.02, 0.02, 0.06};
    const uint32_t tetrahedra[] = {6000, 8000, 12000, 16000, 24000, 4000, 12000, 8000};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; ++i)
    {
        rblShapeId id;
        rblStressDef def = rbl_default_stress_def();
        void* prepared = NULL;
        def.tetrahedra = tetrahedra[i];
        check_ok(rbl_shape_create_box(rbl_vec3(0.25f, (float)heights[i], 0.2f), &id));
        const rblBreakBody body = body_of(id, "glass");
        const rblBreaker* breaker = make_stress(&def);
        check_ok(rbl_breaker_prepare(breaker, &body.view, &body.material, rbl_serial_jobs(), &prepared));
        double factor = 0.0;
        const double plain = tension_on_top(prepared, heights[i], &factor);
        print_message("%g cm, %u tetrahedra: %.3f of the tension, %.3f with the factor\n", 100.0 * heights[i],
                      tetrahedra[i], plain, plain * factor);
        assert_true(fabs(plain * factor - 1.0) < 0.05);
        rbl_breaker_forget(breaker, prepared);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bent_plates_have_the_tension_of_the_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
