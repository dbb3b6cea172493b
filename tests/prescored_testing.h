// Bodies and breakers for tests of the prescored breaker, and what must hold of fragments.
#ifndef RBL_TESTS_PRESCORED_TESTING_H
#define RBL_TESTS_PRESCORED_TESTING_H

#include "field/level_set/level_set.h"
#include "field_shapes.h"
#include "math/aabb.h"
#include "piece_field.h"

static inline rblBreakBody body_of(rblShapeId shape, const char* material)
{
    rblBreakBody body = {.view = view_of(shape), .pose = {{0.3f, 0.2f, -0.1f}, {0, 0, 0, 1}}, .seed = 12};
    check_ok(rbl_material_preset(material, &body.material));
    body.mass = (float)((double)body.material.density * body.view.mass.volume);
    return body;
}

static inline const rblBreaker* make_breaker(const rblPrescoredDef* def)
{
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    check_ok(rbl_breaker_create_prescored(def, &id));
    check_ok(rbl_breaker_acquire(id, &breaker));
    check_ok(rbl_breaker_destroy(id));
    return breaker;
}

static inline rblVerdict verdict_at(const rblBreakBody* body, rblVec3 point, rblVec3 normal)
{
    return (rblVerdict){.breaks = true,
                        .point = rbl_transform_point(body->pose, point),
                        .normal = rbl_rotate3(body->pose.q, normal),
                        .severity = 1.0f,
                        .budget = (double)INFINITY};
}

static inline rblFracture shatter(const rblBreaker* breaker, const rblBreakBody* body,
                                  const rblVerdict* verdict, rblJobs* jobs)
{
    void* prepared = NULL;
    rblFracture fracture;
    check_ok(rbl_breaker_prepare(breaker, &body->view, &body->material, jobs, &prepared));
    check_ok(rbl_breaker_shatter(breaker, prepared, body, verdict, jobs, &fracture));
    rbl_breaker_forget(breaker, prepared);
    return fracture;
}

// Every inside point is in exactly one fragment, volumes and masses add up, drawn surfaces are closed.
static inline void check_tiling(const rblBreakBody* body, const rblFracture* fracture, double error)
{
    const rblPieceField* piece = piece_of(body->view.shape);
    const rblLevelSet* grid = rbl_shape_level_set(piece != NULL ? piece->root : body->view.shape);
    const double surface_error = grid != NULL ? 1.2 * (double)grid->error + 1e-5 : error;
    rblRandom random = rbl_random_seed(9, 9);
    double mass = 0.0;
    double volume = 0.0;
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        rblShapeView view = view_of(fracture->fragments[i].shape);
        check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
        assert_true(view.sample_count > 0);
        mass += (double)fracture->fragments[i].mass;
        volume += view.mass.volume;
        rblMeshId mesh;
        rblMeshReport report;
        check_ok(rbl_shape_surface(&view, &mesh));
        check_ok(rbl_mesh_inspect(mesh, NULL, &report));
        assert_true(report.closed && report.oriented);
        check_relative(report.volume, view.mass.volume, 1e-4);
        for (uint32_t k = 0; k < view.sample_count; ++k)
        {
            const float outside = rbl_shape_distance(view.shape, view.samples[k], NULL);
            if (!(outside <= (float)surface_error))
            {
                fail_msg("fragment %u, a %s: sample %u of %u is %g outside", i, view.kind, k,
                         view.sample_count, (double)outside);
            }
        }
    }
    check_relative(mass, (double)body->mass, 1e-6);
    check_relative(volume, body->view.mass.volume, 0.03);
    uint32_t tested = 0;
    for (int tries = 0; tries < 4000; ++tries)
    {
        const rblVec3 size = rbl_aabb_size(body->view.bounds);
        const rblVec3 p = {body->view.bounds.lower.x + rbl_random_float(&random) * size.x,
                           body->view.bounds.lower.y + rbl_random_float(&random) * size.y,
                           body->view.bounds.lower.z + rbl_random_float(&random) * size.z};
        const float depth = rbl_shape_distance(body->view.shape, p, NULL);
        uint32_t inside = 0;
        bool unclear = fabsf(depth) < (float)surface_error;
        for (uint32_t i = 0; i < fracture->fragment_count && !unclear; ++i)
        {
            const rblTransform own = fracture->fragments[i].pose;
            const rblVec3 q = rbl_transform_inverse_point(own, rbl_transform_point(body->pose, p));
            const float d = rbl_shape_distance(view_of(fracture->fragments[i].shape).shape, q, NULL);
            unclear |= fabsf(d) < 1e-5f;
            inside += d < 0.0f;
        }
        if (!unclear)
        {
            tested += 1;
            if (inside != (depth < 0.0f))
            {
                fail_msg("%g %g %g is in %u fragments, depth %g", (double)p.x, (double)p.y, (double)p.z,
                         inside, (double)depth);
            }
        }
    }
    assert_true(tested > 1000);
    for (uint32_t i = 0; i < fracture->mate_count; ++i)
    {
        assert_true(fracture->mates[i].piece_a != fracture->mates[i].piece_b);
    }
    assert_true(fracture->mate_count > 0);
}

typedef struct Parent
{
    const char* name;
    rblShapeId (*make)(void);
    double error; // of the field against the drawn surface; 0: what the level set says
} Parent;

static inline rblShapeId make_block(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_box(rbl_vec3(0.6f, 0.4f, 0.2f), &id));
    return id;
}

static inline rblShapeId make_ball(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_sphere(0.3f, &id));
    return id;
}

static inline rblShapeId make_pill(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_capsule(0.15f, 0.7f, &id));
    return id;
}

static inline rblShapeId make_drum(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_cylinder(0.3f, 0.4f, &id));
    return id;
}

static inline rblShapeId make_rock(void)
{
    const rblVec3 points[7] = {{-0.3f, -0.2f, -0.2f}, {0.3f, -0.2f, -0.25f}, {0, -0.2f, 0.3f},
                               {-0.2f, 0.3f, 0},      {0.2f, 0.25f, 0.1f},   {0, 0.2f, -0.2f},
                               {0.35f, 0, 0.05f}};
    rblShapeId id;
    check_ok(rbl_shape_create_hull(points, 7, &id));
    return id;
}

static inline rblShapeId make_statue(void)
{
    return make_level_set("statue", 64);
}

static inline rblShapeId make_bank(void)
{
    return make_level_set("piggybank", 64);
}

static const Parent parents[] = {{"box", make_block, 1e-5},    {"sphere", make_ball, 6e-3},
                                 {"capsule", make_pill, 6e-3}, {"cylinder", make_drum, 6e-3},
                                 {"hull", make_rock, 1e-5},    {"statue", make_statue, 0.0},
                                 {"piggybank", make_bank, 0.0}};

static inline rblVec3 top_of(const rblShapeView* view)
{
    return rbl_vec3(0.5f * (view->bounds.lower.x + view->bounds.upper.x), view->bounds.upper.y,
                    0.5f * (view->bounds.lower.z + view->bounds.upper.z));
}

static inline uint32_t heaviest(const rblFracture* fracture)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < fracture->fragment_count; ++i)
    {
        best = fracture->fragments[i].mass > fracture->fragments[best].mass ? i : best;
    }
    return best;
}

// It takes the place of the body that broke; the others are let go.
static inline void go_on_with_heaviest(rblFracture* fracture, rblBreakBody* body, rblShapeId* id)
{
    rblFragment* next = &fracture->fragments[heaviest(fracture)];
    check_ok(rbl_shape_destroy(*id));
    *id = next->shape;
    next->shape = (rblShapeId){0, 0};
    body->view = view_of(*id);
    body->pose = next->pose;
    body->mass = next->mass;
    rbl_fracture_free(fracture);
}

#endif
