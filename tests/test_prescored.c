// The prescored breaker: when things break, and that what they break into is all of them, fits, and can be broken again.
#include "testing.h"

#include "base/jobs.h"
#include "failing_allocator.h"
#include "field/level_set.h"
#include "field/piece.h"
#include "field_shapes.h"
#include "math/aabb.h"
#include "math/trig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- blows ----

// What a world says of an impact: the body of mass m meets something much heavier of another material.
static rblImpact blow(const rblBreakBody* body, const char* other, double radius, double mass, double speed)
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

static rblBreakBody body_of(rblShapeId shape, const char* material)
{
    rblBreakBody body = {.view = view_of(shape), .pose = {{0.3f, 0.2f, -0.1f}, {0, 0, 0, 1}}, .seed = 12};
    check_ok(rbl_material_preset(material, &body.material));
    body.mass = (float)((double)body.material.density * body.view.mass.volume);
    return body;
}

static const rblBreaker* make_breaker(const rblPrescoredDef* def)
{
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    check_ok(rbl_breaker_create_prescored(def, &id));
    check_ok(rbl_breaker_hold(id, &breaker));
    check_ok(rbl_breaker_destroy(id));
    return breaker;
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
    assert_true(breaks(&body, blow(&body, "stone", 0.003, mass, fall_speed(1.0))));
    assert_true(breaks(&body, blow(&body, "stone", 0.003, 0.2 * mass, fall_speed(1.0))));
    assert_false(breaks(&body, blow(&body, "stone", 0.003, mass, fall_speed(0.02))));
    body.material = (rblMaterial){0};
    check_ok(rbl_material_preset("steel", &body.material));
    assert_false(breaks(&body, blow(&body, "stone", 0.003, 2.3, fall_speed(5.0))));
    check_ok(rbl_material_preset("rubber", &body.material));
    assert_false(breaks(&body, blow(&body, "stone", 0.003, 0.34, fall_speed(20.0))));
    check_ok(rbl_shape_destroy(plate));

    const rblShapeId mug = make_level_set("bowl", 48); // 4 mm thick
    body = body_of(mug, "ceramic");
    assert_true(breaks(&body, blow(&body, "stone", 0.002, 0.4 * (double)body.mass, fall_speed(0.8))));
    assert_false(breaks(&body, blow(&body, "stone", 0.002, (double)body.mass, fall_speed(0.01))));
    check_ok(rbl_shape_destroy(mug));

    rblShapeId ball;
    rblShapeId wall;
    check_ok(rbl_shape_create_sphere(0.05f, &ball));
    check_ok(rbl_shape_create_box(rbl_vec3(2.0f, 1.0f, 0.1f), &wall));
    body = body_of(ball, "stone");
    const rblBreakBody concrete = body_of(wall, "concrete");
    const rblBreakBody bricks = body_of(wall, "clay");
    assert_false(breaks(&body, blow(&body, "concrete", 0.05, (double)body.mass, 1.0)));
    assert_false(breaks(&concrete, blow(&concrete, "stone", 0.05, (double)body.mass, 1.0)));
    assert_true(breaks(&body, blow(&body, "concrete", 0.05, (double)body.mass, 30.0)));
    assert_true(breaks(&bricks, blow(&bricks, "steel", 0.05, 5.0, 10.0)));
    assert_false(breaks(&bricks, blow(&bricks, "steel", 0.05, 5.0, 0.5)));
    const rblBreakBody steel = body_of(ball, "steel");
    assert_false(breaks(&steel, blow(&steel, "clay", 0.05, 5.0, 10.0)));
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
            const rblImpact impact = blow(&body, "stone", 0.003, 0.5, 0.02 * i);
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
        int hits = 0;
        bool broke = false;
        for (; hits < 50 && !broke; ++hits)
        {
            // Half of the energy that breaks it.
            rblImpact impact = blow(&body, "stone", 0.003, 0.5, 1.0);
            rblVerdict verdict;
            check_ok(rbl_breaker_decide(breaker, NULL, &body, &impact, 1, &verdict));
            const double severity = (double)verdict.severity * (1.0 - (double)body.damage);
            impact = blow(&body, "stone", 0.003, 0.5, sqrt(0.5 / severity));
            check_ok(rbl_breaker_decide(breaker, NULL, &body, &impact, 1, &verdict));
            broke = verdict.breaks;
            body.damage = verdict.damage;
        }
        assert_int_equal(hits, accumulate ? 3 : 50);
        // What is hardly felt does nothing.
        body.damage = 0.0f;
        const rblImpact touch = blow(&body, "stone", 0.003, 0.5, 0.1);
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

// ---- breaking ----

static rblVerdict verdict_at(const rblBreakBody* body, rblVec3 point, rblVec3 normal)
{
    return (rblVerdict){.breaks = true,
                        .point = rbl_transform_point(body->pose, point),
                        .normal = rbl_rotate3(body->pose.q, normal),
                        .severity = 1.0f,
                        .budget = (double)INFINITY};
}

static rblFracture shatter(const rblBreaker* breaker, const rblBreakBody* body, const rblVerdict* verdict,
                           rblJobs* jobs)
{
    void* prepared = NULL;
    rblFracture fracture;
    check_ok(rbl_breaker_prepare(breaker, &body->view, &body->material, jobs, &prepared));
    check_ok(rbl_breaker_shatter(breaker, prepared, body, verdict, jobs, &fracture));
    rbl_breaker_forget(breaker, prepared);
    return fracture;
}

// Every inside point is in exactly one fragment, volumes and masses add up, drawn surfaces are closed.
static void check_tiling(const rblBreakBody* body, const rblFracture* fracture, double error)
{
    const rblPieceField* piece = rbl_shape_piece(body->view.shape);
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
                fail_msg("fragment %u, a %s: sample %u of %u is %g outside", i,
                         rbl_shape_kind_name(view.kind), k, view.sample_count, (double)outside);
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

static rblShapeId make_block(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_box(rbl_vec3(0.6f, 0.4f, 0.2f), &id));
    return id;
}

static rblShapeId make_ball(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_sphere(0.3f, &id));
    return id;
}

static rblShapeId make_pill(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_capsule(0.15f, 0.7f, &id));
    return id;
}

static rblShapeId make_drum(void)
{
    rblShapeId id;
    check_ok(rbl_shape_create_cylinder(0.3f, 0.4f, &id));
    return id;
}

static rblShapeId make_rock(void)
{
    const rblVec3 points[7] = {{-0.3f, -0.2f, -0.2f}, {0.3f, -0.2f, -0.25f}, {0, -0.2f, 0.3f},
                               {-0.2f, 0.3f, 0},      {0.2f, 0.25f, 0.1f},   {0, 0.2f, -0.2f},
                               {0.35f, 0, 0.05f}};
    rblShapeId id;
    check_ok(rbl_shape_create_hull(points, 7, &id));
    return id;
}

static rblShapeId make_statue(void)
{
    return make_level_set("statue", 64);
}

static rblShapeId make_bank(void)
{
    return make_level_set("piggybank", 64);
}

static const Parent parents[] = {{"box", make_block, 1e-5},    {"sphere", make_ball, 6e-3},
                                 {"capsule", make_pill, 6e-3}, {"cylinder", make_drum, 6e-3},
                                 {"hull", make_rock, 1e-5},    {"statue", make_statue, 0.0},
                                 {"piggybank", make_bank, 0.0}};

static rblVec3 top_of(const rblShapeView* view)
{
    return rbl_vec3(0.5f * (view->bounds.lower.x + view->bounds.upper.x), view->bounds.upper.y,
                    0.5f * (view->bounds.lower.z + view->bounds.upper.z));
}

static void every_kind_of_shape_falls_into_pieces_that_are_all_of_it(void** state)
{
    (void)state;
    const rblPatternKind kinds[] = {RBL_PATTERN_RADIAL, RBL_PATTERN_VORONOI, RBL_PATTERN_CLUSTERED};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; ++i)
    {
        const rblShapeId id = parents[i].make();
        rblBreakBody body = body_of(id, "ceramic");
        body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = kinds[i % 3];
        def.pattern.pieces = 20;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0.2f, -0.95f, 0.2f));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        print_message("%s: %u fragments, %u mates, %u merged, crack %g m^2\n", parents[i].name,
                      fracture.fragment_count, fracture.mate_count, fracture.merged, fracture.crack_area);
        assert_true(fracture.fragment_count >= 12);
        check_tiling(&body, &fracture, parents[i].error);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
        assert_int_equal(rbl_shape_alive_count(), 0);
    }
}

static uint32_t heaviest(const rblFracture* fracture)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < fracture->fragment_count; ++i)
    {
        best = fracture->fragments[i].mass > fracture->fragments[best].mass ? i : best;
    }
    return best;
}

static void fragments_of_fragments_of_fragments_are_all_of_them(void** state)
{
    (void)state;
    const Parent* roots[] = {&parents[0], &parents[1], &parents[5]};
    for (size_t r = 0; r < 3; ++r)
    {
        rblShapeId id = roots[r]->make();
        rblBreakBody body = body_of(id, "ceramic");
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = RBL_PATTERN_VORONOI;
        def.pattern.pieces = 8;
        const rblBreaker* breaker = make_breaker(&def);
        for (int depth = 0; depth < 3; ++depth)
        {
            const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
            rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
            assert_true(fracture.fragment_count >= 3);
            check_tiling(&body, &fracture, roots[r]->error);
            const uint32_t next = heaviest(&fracture);
            check_ok(rbl_shape_destroy(id));
            id = fracture.fragments[next].shape;
            fracture.fragments[next].shape = (rblShapeId){0, 0};
            body.view = view_of(id);
            body.pose = fracture.fragments[next].pose;
            body.mass = fracture.fragments[next].mass;
            body.seed += 1;
            rbl_fracture_free(&fracture);
        }
        check_ok(rbl_shape_destroy(id));
        rbl_breaker_release(breaker);
        assert_int_equal(rbl_shape_alive_count(), 0);
    }
}

// What breaks again is cut as it is drawn, bumps and all; its field and its samples stay on the flat faces.
static void rough_fragments_break_again_as_flat_ones_do(void** state)
{
    (void)state;
    const double noise = 0.002;
    rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_VORONOI;
    def.pattern.pieces = 8;
    def.pattern.noise = noise;
    const rblBreaker* breaker = make_breaker(&def);
    for (int depth = 0; depth < 3; ++depth)
    {
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count >= 3);
        double mass = 0.0;
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            rblShapeView view = view_of(fracture.fragments[i].shape);
            check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
            rblMeshId mesh;
            rblMeshReport report;
            mass += (double)fracture.fragments[i].mass;
            check_ok(rbl_shape_surface(&view, &mesh));
            check_ok(rbl_mesh_inspect(mesh, NULL, &report));
            assert_true(report.closed && report.manifold && report.oriented);
            for (uint32_t k = 0; k < view.sample_count; ++k)
            {
                assert_true(rbl_shape_distance(view.shape, view.samples[k], NULL) <= (float)noise);
            }
        }
        check_relative(mass, (double)body.mass, 1e-6);
        const uint32_t next = heaviest(&fracture);
        check_ok(rbl_shape_destroy(id));
        id = fracture.fragments[next].shape;
        fracture.fragments[next].shape = (rblShapeId){0, 0};
        body.view = view_of(id);
        body.pose = fracture.fragments[next].pose;
        body.mass = fracture.fragments[next].mass;
        rbl_fracture_free(&fracture);
    }
    check_ok(rbl_shape_destroy(id));
    rbl_breaker_release(breaker);
}

// A bowl with a ball in its hollow, one body that does not hang together.
static rblShapeId make_bowl_with_ball(void)
{
    const double radius[1] = {0.016};
    const rblSolidValue values[1] = {{"radius", radius, 1}};
    rblMeshId meshes[2];
    rblMeshView views[2];
    check_ok(rbl_mesh_make("bowl", NULL, 0, &meshes[0]));
    check_ok(rbl_mesh_make("icosphere", values, 1, &meshes[1]));
    static rblVec3d positions[40000];
    static uint32_t starts[40000];
    static uint32_t corners[160000];
    rblMeshView joined = {.positions = positions, .face_starts = starts, .corner_vertices = corners};
    for (int m = 0; m < 2; ++m)
    {
        check_ok(rbl_mesh_view(meshes[m], &views[m]));
        assert_true(joined.vertex_count + views[m].vertex_count <= 40000);
        assert_true(joined.face_count + views[m].face_count < 40000);
        assert_true(joined.corner_count + views[m].corner_count <= 160000);
        for (uint32_t v = 0; v < views[m].vertex_count; ++v)
        {
            positions[joined.vertex_count + v] = views[m].positions[v];
            positions[joined.vertex_count + v].y += m == 1 ? 0.045 : 0.0;
        }
        for (uint32_t f = 0; f <= views[m].face_count; ++f)
        {
            starts[joined.face_count + f] = joined.corner_count + views[m].face_starts[f];
        }
        for (uint32_t c = 0; c < views[m].corner_count; ++c)
        {
            corners[joined.corner_count + c] = joined.vertex_count + views[m].corner_vertices[c];
        }
        joined.vertex_count += views[m].vertex_count;
        joined.face_count += views[m].face_count;
        joined.corner_count += views[m].corner_count;
        check_ok(rbl_mesh_destroy(meshes[m]));
    }
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_create(&joined, &def.mesh));
    def.max_cells = 64;
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(def.mesh));
    return id;
}

// The budget of fragments: the smallest are merged with a neighbour, one after the other; nothing is dropped.
static void a_cap_on_fragments_merges_the_smallest_and_drops_nothing(void** state)
{
    (void)state;
    static const uint32_t caps[] = {2, 9, 25};
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.pieces = 40;
    float least = 0.0f; // mass of the lightest fragment, with fewer and fewer of them
    for (int k = 3; k >= 0; --k)
    {
        def.most_fragments = k < 3 ? caps[k] : 0;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, rbl_vec3(0.1f, 0.2f, 0), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        float lightest = INFINITY;
        double mass = 0.0;
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            lightest = rbl_minf(fracture.fragments[i].mass, lightest);
            mass += (double)fracture.fragments[i].mass;
        }
        assert_true(k < 3 ? fracture.fragment_count == caps[k] && fracture.merged >= 25 - caps[k]
                          : fracture.fragment_count > 25);
        assert_true(lightest >= least);
        check_relative(mass, (double)body.mass, 1e-6);
        check_tiling(&body, &fracture, 1e-5);
        least = lightest;
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
    }
    check_ok(rbl_shape_destroy(id));
}

// Both halves of the ball lie in the hollow of half a bowl, in one cell with it, and no plane parts them.
static void a_piece_in_the_hollow_of_another_is_no_part_of_it(void** state)
{
    (void)state;
    const rblShapeId id = make_bowl_with_ball();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_SLABS;
    def.pattern.axis = (rblVec3d){1, 0, 0};
    def.pattern.pieces = 2;
    const rblBreaker* breaker = make_breaker(&def);
    const rblVerdict verdict = verdict_at(&body, rbl_vec3(0, 0.07f, 0), rbl_vec3(0, -1, 0));
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 4);
    check_tiling(&body, &fracture, 0.0);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// Turned by right angles only, a pattern does not follow a slanting blow.
static void aligned_patterns_keep_to_the_axes_of_the_body(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "ceramic");
    body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
    rblPrescoredDef def = rbl_default_prescored_def();
    const rblVec3 straight = rbl_vec3(0, -1, 0);
    const rblVec3 slanting = rbl_vec3(0.2f, -0.9f, 0.3f);
    rblFracture fractures[3];
    for (int i = 0; i < 3; ++i)
    {
        def.aligned = i < 2;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), i == 0 ? straight : slanting);
        fractures[i] = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        check_tiling(&body, &fractures[i], 1e-5);
        rbl_breaker_release(breaker);
    }
    assert_int_equal(fractures[0].fragment_count, fractures[1].fragment_count);
    double turned = 0.0;
    for (uint32_t i = 0; i < fractures[0].fragment_count; ++i)
    {
        check_relative(fractures[1].fragments[i].mass, (double)fractures[0].fragments[i].mass, 1e-3);
        turned =
            i < fractures[2].fragment_count
                ? rbl_maxd(turned,
                           fabs((double)(fractures[2].fragments[i].mass - fractures[0].fragments[i].mass)))
                : turned;
    }
    assert_true(turned > 1e-3 * (double)body.mass);
    for (int i = 0; i < 3; ++i)
    {
        rbl_fracture_free(&fractures[i]);
    }
    check_ok(rbl_shape_destroy(id));
}

static void a_blow_pays_for_as_many_pieces_as_it_can(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_VORONOI;
    const rblBreaker* breaker = make_breaker(&def);
    uint32_t before = UINT32_MAX;
    for (double budget = 1000.0; budget > 1e-3; budget /= 4.0)
    {
        rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        verdict.budget = budget;
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count != 1);
        assert_true(2.0 * (double)body.material.surface_energy * fracture.crack_area <= budget);
        assert_true(fracture.fragment_count <= before);
        before = fracture.fragment_count;
        rbl_fracture_free(&fracture);
    }
    assert_int_equal(before, 0);
    // And there is no more room than the world has.
    rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    verdict.most_pieces = 7;
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count >= 2 && fracture.fragment_count <= 7);
    check_tiling(&body, &fracture, 1e-5);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static uint64_t mix(uint64_t hash, const void* data, size_t size)
{
    const uint8_t* bytes = data;
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ bytes[i]) * 0x100000001B3u;
    }
    return hash;
}

static void the_number_of_workers_changes_nothing(void** state)
{
    (void)state;
    const rblShapeId id = make_statue();
    const rblBreakBody body = body_of(id, "stone");
    const rblPrescoredDef def = rbl_default_prescored_def();
    const rblBreaker* breaker = make_breaker(&def);
    uint64_t expected = 0;
    for (uint32_t workers = 1; workers <= 3; ++workers)
    {
        const rblTasks tasks = {.worker_count = workers};
        rblJobs* jobs = NULL;
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0.1f, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, jobs);
        uint64_t hash = mix(7, fracture.mates, sizeof *fracture.mates * fracture.mate_count);
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            rblShapeView view = view_of(fracture.fragments[i].shape);
            check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
            hash = mix(hash, &fracture.fragments[i].mass, sizeof(float));
            hash = mix(hash, &view.mass, sizeof view.mass);
            hash = mix(hash, view.samples, sizeof(rblVec3) * view.sample_count);
            hash = mix(hash, &view.inner_radius, sizeof(float));
        }
        expected = workers == 1 ? hash : expected;
        assert_true(hash == expected);
        rbl_fracture_free(&fracture);
        rbl_jobs_destroy(jobs);
    }
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

static void crumbs_are_merged_or_debris(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.pieces = 60;
    def.smallest = 0.01f;
    def.lifetime = 1.5f;
    for (int policy = 0; policy < 2; ++policy)
    {
        def.crumbs = policy == 0 ? RBL_CRUMBS_MERGE : RBL_CRUMBS_DEBRIS;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        uint32_t debris = 0;
        for (uint32_t i = 0; i < fracture.fragment_count; ++i)
        {
            const rblFragment* fragment = &fracture.fragments[i];
            const bool small = view_of(fragment->shape).mass.volume < 0.01 * body.view.mass.volume;
            assert_true(policy == 1 || !small);
            assert_true(!small || fragment->debris);
            check_close(fragment->lifetime, fragment->debris ? 1.5 : 0.0, 1e-6);
            debris += fragment->debris;
        }
        assert_true(policy == 0 ? debris == 0 && fracture.merged > 0 : debris > 0 && fracture.merged == 0);
        check_tiling(&body, &fracture, 1e-5);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
    }
    check_ok(rbl_shape_destroy(id));
}

// All beyond 15 cm stays one piece.
static void far_from_the_blow_a_body_stays_one_piece(void** state)
{
    (void)state;
    const rblShapeId ids[2] = {make_block(), make_statue()};
    for (int i = 0; i < 2; ++i)
    {
        const rblBreakBody body = body_of(ids[i], "stone");
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.radius = i == 0 ? 0.15 : 0.3;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        assert_true(fracture.fragment_count >= 5);
        const float most = fracture.fragments[heaviest(&fracture)].mass;
        assert_true(most > 0.4f * body.mass);
        check_tiling(&body, &fracture, 1e-5);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(ids[i]));
    }
}

// Wavy layers, each in two halves: regions that are not convex.
static void write_layers(const char* path)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 40 40 40\nencoding: raw\n\n", file);
    for (int n = 0; n < 40 * 40 * 40; ++n)
    {
        const int x = n % 40;
        const int y = n / 40 % 40;
        const int z = n / 1600;
        const int wave = 3 - abs(x % 12 - 6);
        fputc(10 * ((y + wave + 10) / 12) + (z + wave >= 20), file);
    }
    fclose(file);
}

static const char layers[] = "test_prescored_layers.nrrd";

static void regions_from_files_break_bodies_as_patterns_do(void** state)
{
    (void)state;
    write_layers(layers);
    const size_t roots[] = {0, 3, 5};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; ++i)
    {
        const rblShapeId id = parents[roots[i]].make();
        rblBreakBody body = body_of(id, "ceramic");
        body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = RBL_PATTERN_FILE;
        def.pattern.file = layers;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0.2f, -0.95f, 0.2f));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        print_message("%s: %u fragments\n", parents[roots[i]].name, fracture.fragment_count);
        assert_true(fracture.fragment_count >= 4);
        check_tiling(&body, &fracture, parents[roots[i]].error);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
    }
    remove(layers);
}

// The file is read when the breaker is made; where the blow cannot pay for all its borders, the smallest regions are joined.
static void a_blow_pays_for_as_many_regions_of_a_file_as_it_can(void** state)
{
    (void)state;
    write_layers(layers);
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_FILE;
    def.pattern.file = layers;
    const rblBreaker* breaker = make_breaker(&def);
    remove(layers);
    rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    const uint32_t all = fracture.fragment_count;
    verdict.budget = 0.6 * 2.0 * (double)body.material.surface_energy * fracture.crack_area;
    rbl_fracture_free(&fracture);
    fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count >= 2 && fracture.fragment_count < all);
    assert_true(2.0 * (double)body.material.surface_energy * fracture.crack_area <= verdict.budget);
    check_tiling(&body, &fracture, 1e-5);
    rbl_fracture_free(&fracture);
    verdict.budget = 1e-6;
    fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 0);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    rblBreakerId none = {0, 0};
    check_fails(RBL_ERROR_FILE, rbl_breaker_create_prescored(&def, &none));
    assert_int_equal(none.index1, 0);
    check_ok(rbl_shape_destroy(id));
}

static void a_compound_breaks_child_by_child(void** state)
{
    (void)state;
    const rblShapeId id = make_dumbbell();
    rblBreakBody body = body_of(id, "ceramic");
    body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
    rblPrescoredDef def = rbl_default_prescored_def();
    const rblBreaker* breaker = make_breaker(&def);
    const rblVerdict verdict = verdict_at(&body, rbl_vec3(-0.5f, 0.2f, 0), rbl_vec3(0, -1, 0));
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count > 12);
    double mass = 0.0;
    for (uint32_t i = 0; i < fracture.fragment_count; ++i)
    {
        mass += (double)fracture.fragments[i].mass;
        const rblShapeView view = view_of(fracture.fragments[i].shape);
        const rblVec3 center =
            rbl_transform_point(fracture.fragments[i].pose, rbl_to_float3(view.mass.center));
        const rblVec3 own = rbl_transform_inverse_point(body.pose, center);
        assert_true(rbl_shape_distance(body.view.shape, own, NULL) < 0.05f);
    }
    check_relative(mass, (double)body.mass, 1e-6);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// A large box with small ones on it.
static rblShapeId make_shelf(void)
{
    rblShapeChild children[5];
    for (int i = 0; i < 5; ++i)
    {
        const float size = i == 0 ? 1.0f : 0.1f;
        check_ok(rbl_shape_create_box(rbl_vec3(size, 0.1f, size), &children[i].shape));
        children[i].pose =
            (rblTransform){{i == 0 ? 0.0f : 0.2f * (float)i - 0.5f, i == 0 ? 0.0f : 0.1f, 0}, {0, 0, 0, 1}};
    }
    rblShapeId id;
    check_ok(rbl_shape_create_compound(children, 5, &id));
    for (int i = 0; i < 5; ++i)
    {
        check_ok(rbl_shape_destroy(children[i].shape));
    }
    return id;
}

// The large one keeps its pieces, all of which are larger than the small ones.
static void of_a_compound_the_smallest_pieces_of_all_are_merged(void** state)
{
    (void)state;
    const rblShapeId id = make_shelf();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_VORONOI;
    def.pattern.pieces = 60;
    const rblBreaker* breaker = make_breaker(&def);
    rblVerdict verdict = verdict_at(&body, rbl_vec3(0, 0.05f, 0.2f), rbl_vec3(0, -1, 0));
    verdict.most_pieces = 25;
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 25);
    uint32_t large = 0;
    for (uint32_t i = 0; i < fracture.fragment_count; ++i)
    {
        large += fracture.fragments[i].mass > 0.015f * body.mass ? 1 : 0; // a small one has 0.0096
    }
    assert_true(large >= 15);
    rbl_fracture_free(&fracture);
    verdict.most_pieces = 4; // less than it has parts
    fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 0);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// A pane of 5 mm breaks like a larger one; its pieces do not.
static void small_bodies_break_and_small_pieces_do_not(void** state)
{
    (void)state;
    rblShapeId id;
    check_ok(rbl_shape_create_box(rbl_vec3(0.005f, 0.0005f, 0.005f), &id));
    rblBreakBody body = body_of(id, "glass");
    const rblImpact impact = blow(&body, "stone", 0.001, (double)body.mass, 20.0);
    assert_true(breaks(&body, impact));
    body.generation = 1;
    assert_false(breaks(&body, impact));
    check_ok(rbl_shape_destroy(id));
}

static void bad_definitions_and_bodies_are_refused(void** state)
{
    (void)state;
    const rblPrescoredDef good = rbl_default_prescored_def();
    rblPrescoredDef def = good;
    rblBreakerId id = {0, 0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&good, NULL));
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.smallest = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.lifetime = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.crumbs = RBL_CRUMBS_COUNT;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def = good;
    def.pattern.pieces = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    def.pattern.pieces = 1000000;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_prescored(&def, &id));
    // Nothing to cut.
    const rblBreaker* breaker = make_breaker(&good);
    rblPrescoredDef read;
    assert_true(rbl_breaker_prescored_def(breaker, &read));
    assert_int_equal(read.pattern.pieces, good.pattern.pieces);
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    const rblShapeId shapes[2] = {make_torus(&torus), make_ground()};
    for (int i = 0; i < 2; ++i)
    {
        const rblShapeView view = view_of(shapes[i]);
        rblMaterial material;
        void* prepared = NULL;
        check_ok(rbl_material_preset("glass", &material));
        check_fails(RBL_ERROR_UNSUPPORTED,
                    rbl_breaker_prepare(breaker, &view, &material, rbl_serial_jobs(), &prepared));
        assert_null(prepared);
        check_ok(rbl_shape_destroy(shapes[i]));
    }
    rbl_breaker_release(breaker);
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    bool whole = false;
    for (size_t granted = 0; !whole; granted += 1 + granted / 8)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, 10000000);
        check_ok(rbl_set_allocator(&memory.allocator));
        const rblShapeId id = make_rock();
        const rblBreakBody body = body_of(id, "ceramic");
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.pieces = 6;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
        memory.left = granted;
        rblFracture fracture = {0};
        const rblResult result =
            rbl_breaker_shatter(breaker, NULL, &body, &verdict, rbl_serial_jobs(), &fracture);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        whole = result == RBL_OK;
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everyday_things_break_when_they_should),
        cmocka_unit_test(the_verdict_is_monotone_in_energy_and_knows_one_threshold),
        cmocka_unit_test(damage_adds_up_only_when_asked_for),
        cmocka_unit_test(every_kind_of_shape_falls_into_pieces_that_are_all_of_it),
        cmocka_unit_test(fragments_of_fragments_of_fragments_are_all_of_them),
        cmocka_unit_test(rough_fragments_break_again_as_flat_ones_do),
        cmocka_unit_test(a_piece_in_the_hollow_of_another_is_no_part_of_it),
        cmocka_unit_test(aligned_patterns_keep_to_the_axes_of_the_body),
        cmocka_unit_test(a_blow_pays_for_as_many_pieces_as_it_can),
        cmocka_unit_test(a_cap_on_fragments_merges_the_smallest_and_drops_nothing),
        cmocka_unit_test(the_number_of_workers_changes_nothing),
        cmocka_unit_test(crumbs_are_merged_or_debris),
        cmocka_unit_test(far_from_the_blow_a_body_stays_one_piece),
        cmocka_unit_test(regions_from_files_break_bodies_as_patterns_do),
        cmocka_unit_test(a_blow_pays_for_as_many_regions_of_a_file_as_it_can),
        cmocka_unit_test(a_compound_breaks_child_by_child),
        cmocka_unit_test(of_a_compound_the_smallest_pieces_of_all_are_merged),
        cmocka_unit_test(small_bodies_break_and_small_pieces_do_not),
        cmocka_unit_test(bad_definitions_and_bodies_are_refused),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
