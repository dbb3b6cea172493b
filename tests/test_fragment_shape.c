// Fragments as shapes: their samples, contacts against brute force, rays, impacts, and a broken ball that falls.
#include "testing.h"

#include "failing_allocator.h"
#include "field/engine.h"
#include "field/fragment/fragment_shape.h"
#include "field_shapes.h"
#include "fragment_testing.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "shape_testing.h"

static Broken broken_ball(uint32_t breaks)
{
    Broken b = make_broken("sphere", 5000, 0.0f);
    rblRandom random = rbl_random_seed(21, breaks);
    break_fragment(&b, RBL_NONE, 0, 4, &random);
    for (uint32_t i = 1; i < breaks; ++i)
    {
        break_largest(&b, 2, &random);
    }
    return b;
}

// ---- mass by counting points ----

static rblMassProperties mass_of(const rblFragmentField* field)
{
    const int n = 24;
    const rblVec3 size = rbl_aabb_size(field->bounds);
    const double cell = (double)(size.x * size.y * size.z) / (n * n * n);
    rblMassProperties mass = {0};
    rblVec3d first = {0, 0, 0};
    double second[3][3] = {{0}};
    for (int i = 0; i < n * n * n; ++i)
    {
        const rblVec3 at = {((float)(i % n) + 0.5f) / (float)n, ((float)(i / n % n) + 0.5f) / (float)n,
                            ((float)(i / n / n) + 0.5f) / (float)n};
        const rblVec3 p = {field->bounds.lower.x + at.x * size.x, field->bounds.lower.y + at.y * size.y,
                           field->bounds.lower.z + at.z * size.z};
        if (!rbl_fragment_inside(field, p))
        {
            continue;
        }
        const double x[3] = {(double)p.x, (double)p.y, (double)p.z};
        mass.volume += cell;
        first = rbl_add3d(first, rbl_scale3d(rbl_to_double3(p), cell));
        for (int r = 0; r < 9; ++r)
        {
            second[r / 3][r % 3] += cell * x[r / 3] * x[r % 3];
        }
    }
    mass.mass = mass.volume;
    mass.center = rbl_scale3d(first, 1.0 / mass.volume);
    const double c[3] = {mass.center.x, mass.center.y, mass.center.z};
    double m[3];
    for (int r = 0; r < 3; ++r)
    {
        m[r] = second[r][r] - mass.volume * c[r] * c[r];
    }
    // Good enough for what falls: the products are left out.
    mass.moments = rbl_vec3d(m[1] + m[2], m[2] + m[0], m[0] + m[1]);
    const double largest = rbl_maxd(mass.moments.x, rbl_maxd(mass.moments.y, mass.moments.z));
    mass.moments = rbl_vec3d(largest, largest, largest);
    mass.inertia = (rblMat3d){{largest, 0, 0}, {0, largest, 0}, {0, 0, largest}};
    mass.principal_axes = (rblMat3d){{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return mass;
}

// Shapes of all fragments of an event. Returns how many.
static uint32_t make_shapes(const Broken* b, uint32_t event, rblShapeId* out)
{
    const rblFragmentEvent* e = b->events[event];
    rblSampleTree* trees[64];
    uint32_t count = 0;
    check_ok(rbl_fragment_sample_trees(e, NULL, 0, trees));
    for (uint32_t label = 0; label < e->label_count; ++label)
    {
        const rblFragmentField field = field_of(b, (Leaf){event, label});
        const rblMassProperties mass = mass_of(&field);
        if (trees[label] == NULL || !(mass.volume > 0.0))
        {
            rbl_sample_tree_free(trees[label], rbl_default_allocator());
            continue;
        }
        const rblFragmentShapeDef def = {.event = e, .label = label, .mass = &mass, .samples = trees[label]};
        check_ok(rbl_shape_create_fragment(&def, &out[count++]));
    }
    return count;
}

// ---- samples ----

static float farthest_below(const rblSampleTree* tree, rblVec3 from, uint32_t node, uint32_t* met)
{
    float far = rbl_length3(rbl_sub3(tree->points[node], from));
    *met += 1;
    for (uint32_t k = tree->first_children[node]; k < tree->first_children[node + 1]; ++k)
    {
        far = rbl_maxf(farthest_below(tree, from, tree->children[k].node, met), far);
    }
    return far;
}

static void every_sample_is_reached_and_balls_hold_what_is_below(void** state)
{
    (void)state;
    for (uint32_t breaks = 1; breaks <= 9; breaks += 4)
    {
        Broken b = broken_ball(breaks);
        const rblFragmentEvent* e = b.events[breaks - 1];
        rblSampleTree* trees[64];
        check_ok(rbl_fragment_sample_trees(e, NULL, 0, trees));
        for (uint32_t label = 0; label < e->label_count; ++label)
        {
            const rblSampleTree* tree = trees[label];
            uint32_t met = 0;
            assert_non_null(tree);
            farthest_below(tree, tree->points[0], 0, &met);
            assert_int_equal(met, tree->count);
            for (uint32_t i = 0; i < tree->count; ++i)
            {
                uint32_t below = 0;
                assert_true(rbl_sample_radius(tree, i) >= farthest_below(tree, tree->points[i], i, &below));
            }
            rbl_sample_tree_free(trees[label], rbl_default_allocator());
        }
        free_broken(&b);
    }
}

static bool tree_has(const rblSampleTree* tree, rblVec3 p)
{
    bool found = false;
    for (uint32_t i = 0; i < tree->count && !found; ++i)
    {
        found = memcmp(&tree->points[i], &p, sizeof p) == 0;
    }
    return found;
}

// Samples of the surface are in the tree of the fragment that the rule says, and all samples are on or in their fragment.
static void samples_follow_their_fragment(void** state)
{
    (void)state;
    Broken b = broken_ball(6);
    const rblFragmentEvent* e = b.events[5];
    rblSampleTree* trees[64];
    check_ok(rbl_fragment_sample_trees(e, NULL, 0, trees));
    uint32_t found = 0;
    for (uint32_t i = 0; i < b.background->point_count; ++i)
    {
        const rblTemplatePoint* point = &b.background->points[i];
        if (point->node != RBL_NONE)
        {
            continue;
        }
        rblTetRule rule;
        const uint32_t label =
            exact_label(&b, point->tet, rbl_to_double3(point->point), &rule) - b.rules[5].first_label;
        if (label < e->label_count)
        {
            assert_true(tree_has(trees[label], point->point));
            found += 1;
        }
    }
    assert_true(found > 20);
    for (uint32_t label = 0; label < e->label_count; ++label)
    {
        const rblFragmentField field = field_of(&b, (Leaf){5, label});
        for (uint32_t i = 0; i < trees[label]->count; ++i)
        {
            rblVec3 gradient;
            const float distance = rbl_fragment_distance(&field, trees[label]->points[i], &gradient);
            assert_true(distance < 0.05f * b.background->edge && distance > -3.0f * b.background->edge);
        }
        rbl_sample_tree_free(trees[label], rbl_default_allocator());
    }
    free_broken(&b);
}

static void new_samples_are_added_below_their_nodes(void** state)
{
    (void)state;
    Broken b = broken_ball(1);
    const rblFragmentEvent* e = b.events[0];
    rblSampleTree* plain[64];
    rblSampleTree* more[64];
    const uint32_t node = e->nodes[e->cut_points[0].local];
    const uint32_t label = e->labels[e->cut_points[0].local];
    const rblVec3 at = {0.001f, 0.002f, 0.003f};
    rblNewSample added = {at, label, node};
    check_ok(rbl_fragment_sample_trees(e, NULL, 0, plain));
    check_ok(rbl_fragment_sample_trees(e, &added, 1, more));
    assert_int_equal(more[label]->count, plain[label]->count + 1);
    assert_true(tree_has(more[label], at));
    for (uint32_t i = 0; i < e->label_count; ++i)
    {
        rbl_sample_tree_free(plain[i], rbl_default_allocator());
        rbl_sample_tree_free(more[i], rbl_default_allocator());
    }
    added.label = e->label_count;
    check_fails(RBL_ERROR_ARGUMENT, rbl_fragment_sample_trees(e, &added, 1, more));
    free_broken(&b);
}

// ---- discs ----

static float distance_of_disc(const rblCrackPiece* piece, rblVec3 p, rblVec3 way_there)
{
    const rblVec3 way = rbl_sub3(piece->center, p);
    const float height = rbl_dot3(way, piece->normal);
    const rblVec3 across = rbl_mul_add3(way, -height, piece->normal);
    const float beyond = rbl_maxf(rbl_length3(across) - piece->radius, 0.0f);
    const float distance = sqrtf(height * height + beyond * beyond);
    // Where it is the nearest, the way there ends on it.
    const rblVec3 end = rbl_sub3(rbl_add3(p, way_there), piece->center);
    const bool on = fabsf(rbl_dot3(end, piece->normal)) < 1e-5f && rbl_length3(end) < piece->radius + 1e-5f;
    return on || distance > rbl_length3(way_there) - 1e-6f ? distance : -1.0f;
}

static void the_nearest_disc_is_found_in_blocks(void** state)
{
    (void)state;
    Broken b = make_broken("sphere", 600, 0.0f);
    rblRandom random = rbl_random_seed(2, 2);
    break_fragment(&b, RBL_NONE, 0, 12, &random);
    break_largest(&b, 2, &random);
    uint32_t small = 0;
    for (uint32_t event = 0; event < b.count; ++event)
    {
        const rblFragmentEvent* e = b.events[event];
        for (uint32_t label = 0; label < e->label_count; ++label)
        {
            rblDiscBlock blocks[RBL_MAX_DISC_BLOCKS];
            const uint32_t count = rbl_disc_blocks_of(e, label);
            if (count == 0)
            {
                continue;
            }
            small += 1;
            rbl_disc_blocks_fill(e, label, blocks);
            for (int i = 0; i < 500; ++i)
            {
                const rblVec3 p = {0.3f * (rbl_random_float(&random) - 0.5f),
                                   0.3f * (rbl_random_float(&random) - 0.5f),
                                   0.3f * (rbl_random_float(&random) - 0.5f)};
                rblVec3 way, unused;
                const float found = rbl_nearest_in_blocks(blocks, count, p, INFINITY, &way);
                float nearest = INFINITY;
                for (uint32_t k = 0; k < e->border_count; ++k)
                {
                    const bool own = e->borders[k].label == label;
                    nearest =
                        own ? rbl_minf(distance_of_disc(&e->pieces[e->borders[k].piece], p, way), nearest)
                            : nearest;
                }
                assert_true(fabsf(found - nearest) < 1e-5f && fabsf(rbl_length3(way) - found) < 1e-5f);
                assert_true(rbl_nearest_in_blocks(blocks, count, p, 0.5f * found, &unused) == 0.5f * found);
            }
        }
    }
    assert_true(small > 2);
    free_broken(&b);
}

// ---- pairs ----

static uint32_t count_inside(const rblShapeView* samples, const rblShapeView* field, rblTransform pose)
{
    uint32_t inside = 0;
    for (uint32_t i = 0; i < samples->sample_count; ++i)
    {
        inside +=
            rbl_shape_distance(field->shape, rbl_transform_point(pose, samples->samples[i]), NULL) < -1e-6f;
    }
    return inside;
}

static void every_sample_inside_is_a_contact(void** state)
{
    (void)state;
    Broken b = broken_ball(3);
    rblShapeId ids[64];
    const uint32_t count = make_shapes(&b, 0, ids);
    assert_true(count >= 3);
    rblRandom random = rbl_random_seed(8, 8);
    rblContactSet set = {0};
    uint32_t met = 0;
    for (int i = 0; i < 60; ++i)
    {
        rblShapeView one, two;
        check_ok(rbl_shape_view(ids[rbl_random_below(&random, count)], &one));
        check_ok(rbl_shape_view(ids[rbl_random_below(&random, count)], &two));
        rblTransform pose = {{0, 0, 0}, {0, 0, 0, 1}};
        pose.p.x = 0.08f * (rbl_random_float(&random) - 0.5f);
        pose.p.y = 0.08f * (rbl_random_float(&random) - 0.5f);
        pose.q =
            rbl_quat_normalize((rblQuat){rbl_random_float(&random), 0.3f, rbl_random_float(&random), 0.7f});
        rblCollideOptions options = rbl_default_collide_options();
        options.first_count = UINT32_MAX;
        check_ok(rbl_shape_collide(&one, &two, pose, &options, NULL, &set));
        const uint32_t inside =
            count_inside(&two, &one, pose) + count_inside(&one, &two, rbl_transform_inverse(pose));
        assert_true(set.colliding >= inside);
        // By levels, with less and less that is wanted.
        const rblPredictedPath stay = {.end = pose};
        rblContactOptions ahead = rbl_default_contact_options();
        ahead.first_count = UINT32_MAX;
        ahead.paths = &stay;
        ahead.path_count = 1;
        ahead.margin = i % 2 == 0 ? 0.0f : 0.03f;
        check_ok(rbl_shape_find_contacts(&one, &two, pose, &ahead, NULL, &set));
        assert_true(set.colliding >= inside);
        met += inside;
    }
    assert_true(met > 500);
    rbl_contact_set_free(&set);
    for (uint32_t i = 0; i < count; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    free_broken(&b);
}

// What is known to be clear may be used up by motion in any direction.
static void a_gap_that_is_known_is_there(void** state)
{
    (void)state;
    Broken b = broken_ball(2);
    rblShapeId ids[64];
    const uint32_t count = make_shapes(&b, 0, ids);
    rblRandom random = rbl_random_seed(9, 4);
    rblContactSet set = {0};
    uint32_t apart = 0;
    for (int i = 0; i < 400; ++i)
    {
        rblShapeView one, two;
        check_ok(rbl_shape_view(ids[rbl_random_below(&random, count)], &one));
        check_ok(rbl_shape_view(ids[rbl_random_below(&random, count)], &two));
        const rblVec3 way = {rbl_random_float(&random) - 0.5f, rbl_random_float(&random) - 0.5f,
                             rbl_random_float(&random) - 0.5f};
        const rblVec3 turn = {rbl_random_float(&random), 0.3f, rbl_random_float(&random)};
        rblTransform pose = {rbl_scale3(way, 3.0f * one.radius),
                             rbl_quat_normalize((rblQuat){turn.x, turn.y, turn.z, 0.7f})};
        rblCollideOptions options = rbl_default_collide_options();
        options.margin = 0.1f * one.radius;
        check_ok(rbl_shape_collide(&one, &two, pose, &options, NULL, &set));
        const float eps = 0.002f * rbl_minf(one.radius, two.radius);
        if (set.count == 0 && set.visited > 0 && set.clear > eps)
        {
            const rblVec3 back = rbl_normalize3(rbl_neg3(pose.p), rbl_vec3(1, 0, 0));
            pose.p = rbl_mul_add3(pose.p, 0.99f * (set.clear - eps), back);
            options.margin = 0.0f;
            check_ok(rbl_shape_collide(&one, &two, pose, &options, NULL, &set));
            assert_int_equal(set.count, 0);
            apart += 1;
        }
    }
    print_message("%u pairs that were apart\n", apart);
    assert_true(apart > 20);
    rbl_contact_set_free(&set);
    for (uint32_t i = 0; i < count; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    free_broken(&b);
}

// All samples of a common crack touch; a coarse level of them says what matters.
static void few_contacts_hold_what_fits(void** state)
{
    (void)state;
    Broken b = broken_ball(1);
    rblShapeId ids[64];
    const uint32_t count = make_shapes(&b, 0, ids);
    const rblTransform same = {{0, 0, 0}, {0, 0, 0, 1}};
    rblContactSet set = {0};
    uint32_t most_few = 0, most_all = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = i + 1; k < count; ++k)
        {
            rblShapeView one, two;
            check_ok(rbl_shape_view(ids[i], &one));
            check_ok(rbl_shape_view(ids[k], &two));
            rblCollideOptions options = rbl_default_collide_options();
            check_ok(rbl_shape_collide(&one, &two, same, &options, NULL, &set));
            const uint32_t few = set.count;
            options.first_count = UINT32_MAX;
            check_ok(rbl_shape_collide(&one, &two, same, &options, NULL, &set));
            assert_true(few <= 16 && (few > 0 || set.count == 0));
            most_few = few > most_few ? few : most_few;
            most_all = set.count > most_all ? set.count : most_all;
        }
    }
    print_message("%u contacts of %u that touch\n", most_few, most_all);
    assert_true(most_all > 10 * most_few);
    rbl_contact_set_free(&set);
    for (uint32_t i = 0; i < count; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    free_broken(&b);
}

static void rays_hit_where_they_enter(void** state)
{
    (void)state;
    Broken b = broken_ball(2);
    rblShapeId ids[64];
    const uint32_t count = make_shapes(&b, 1, ids);
    rblRandom random = rbl_random_seed(4, 4);
    uint32_t hits = 0, wrong = 0;
    for (int i = 0; i < 2000; ++i)
    {
        rblShapeView view;
        check_ok(rbl_shape_view(ids[rbl_random_below(&random, count)], &view));
        const rblFragmentField* field = rbl_shape_fragment(view.shape);
        const rblVec3 from = {0.5f * (rbl_random_float(&random) - 0.5f),
                              0.5f * (rbl_random_float(&random) - 0.5f), -0.4f};
        const rblVec3 to = {0.1f * (rbl_random_float(&random) - 0.5f),
                            0.1f * (rbl_random_float(&random) - 0.5f), 0.1f};
        const rblRay ray = {.origin = from, .direction = rbl_sub3(to, from), .t_min = 0.0f, .t_max = 2.0f};
        rblShapeHit hit;
        hit = rbl_shape_ray(view.shape, &ray);
        const bool found = hit.t < INFINITY;
        float first = 3.0f;
        for (float t = 0.0f; t < 2.0f && first > 2.0f; t += 0.0005f)
        {
            first = rbl_fragment_inside(field, rbl_mul_add3(from, t, ray.direction)) ? t : first;
        }
        hits += first < 2.0f;
        wrong += found != (first < 2.0f) || (found && fabsf(hit.t - first) > 0.01f);
    }
    print_message("%u of %u rays hit, %u wrong\n", hits, 2000u, wrong);
    assert_true(hits > 200 && wrong * 100 <= 2000);
    for (uint32_t i = 0; i < count; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    free_broken(&b);
}

// A small ball flies through where the other fragments were, at some distance from this one, and is not stopped.
static void what_flies_past_is_not_stopped(void** state)
{
    (void)state;
    Broken b = broken_ball(1);
    rblShapeId ids[64], pellet;
    const uint32_t count = make_shapes(&b, 0, ids);
    check_ok(rbl_shape_create_sphere(0.002f, &pellet));
    rblShapeView ball, view;
    check_ok(rbl_shape_view(pellet, &ball));
    rblRandom random = rbl_random_seed(6, 6);
    uint32_t past = 0, stopped = 0;
    for (int i = 0; i < 3000; ++i)
    {
        check_ok(rbl_shape_view(ids[rbl_random_below(&random, count)], &view));
        const rblVec3 from = {0.2f * (rbl_random_float(&random) - 0.5f),
                              0.2f * (rbl_random_float(&random) - 0.5f), -0.15f};
        const rblVec3 to = {0.2f * (rbl_random_float(&random) - 0.5f),
                            0.2f * (rbl_random_float(&random) - 0.5f), 0.15f};
        bool touches = false;
        float least = INFINITY;
        for (int k = 0; k <= 300 && !touches; ++k)
        {
            const rblVec3 p = rbl_mul_add3(from, (float)k / 300.0f, rbl_sub3(to, from));
            least = rbl_minf(rbl_shape_distance(view.shape, p, NULL), least);
            touches = least < 0.006f;
        }
        if (touches)
        {
            continue;
        }
        const rblSweep still = {.from = {{0, 0, 0}, {0, 0, 0, 1}}};
        const rblSweep flight = {.from = {from, {0, 0, 0, 1}}, .translation = rbl_sub3(to, from)};
        past += 1;
        stopped += rbl_shape_time_of_impact(&view, &still, &ball, &flight, 0.0005f, 0.0005f) < 1.0f;
    }
    print_message("%u of %u are stopped\n", stopped, past);
    assert_true(past > 300 && stopped * 50 <= past);
    check_ok(rbl_shape_destroy(pellet));
    for (uint32_t i = 0; i < count; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    free_broken(&b);
}

// ---- in a world ----

static float lowest_sample(const rblShapeView* view, rblTransform pose)
{
    float lowest = INFINITY;
    for (uint32_t i = 0; i < view->sample_count; ++i)
    {
        lowest = rbl_minf(rbl_transform_point(pose, view->samples[i]).y, lowest);
    }
    return lowest;
}

// The deepest of all samples of two bodies in each other, metres.
static float deepest_sample(const rblShapeView* samples, rblTransform pose, const rblShapeView* field,
                            rblTransform field_pose)
{
    const rblTransform relative = rbl_transform_relative(field_pose, pose);
    float deepest = 0.0f;
    for (uint32_t i = 0; i < samples->sample_count; ++i)
    {
        const rblVec3 p = rbl_transform_point(relative, samples->samples[i]);
        deepest = rbl_maxf(-rbl_shape_distance(field->shape, p, NULL), deepest);
    }
    return deepest;
}

static void check_overlap(rblWorldId world, const rblBodyId* bodies, const rblShapeId* shapes, uint32_t count)
{
    float deepest = 0.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = 0; k < count; ++k)
        {
            rblBodyState one, two;
            rblShapeView samples, field;
            check_ok(rbl_body_state(world, bodies[i], &one));
            check_ok(rbl_body_state(world, bodies[k], &two));
            check_ok(rbl_shape_view(shapes[i], &samples));
            check_ok(rbl_shape_view(shapes[k], &field));
            const float depth = i != k ? deepest_sample(&samples, one.pose, &field, two.pose) : 0.0f;
            deepest = rbl_maxf(depth, deepest);
        }
    }
    print_message("fragments overlap by %.2f mm\n", (double)(1000.0f * deepest));
    assert_true(deepest < 0.001f);
}

static void drop_fragments(const rblShapeId* ids, uint32_t count, rblShapeId ground, float height)
{
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[64], floor;
    check_ok(rbl_world_create(&world_def, &world));
    rblBodyDef def = rbl_default_body_def();
    def.shape = ground;
    def.type = RBL_BODY_STATIC;
    check_ok(rbl_body_create(world, &def, &floor));
    for (uint32_t i = 0; i < count; ++i)
    {
        def = rbl_default_body_def();
        def.shape = ids[i];
        def.pose.p.y = height;
        check_ok(rbl_body_create(world, &def, &bodies[i]));
    }
    for (int i = 0; i < 240; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / 60.0f));
    }
    check_overlap(world, bodies, ids, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBodyState body;
        rblShapeView view;
        check_ok(rbl_body_state(world, bodies[i], &body));
        check_ok(rbl_shape_view(ids[i], &view));
        const float lowest = lowest_sample(&view, body.pose);
        if (!(lowest > -0.002f && lowest < 0.15f && rbl_length3(body.velocity) < 0.3f))
        {
            fail_msg("from %g m, fragment %u: lowest sample at %g, speed %g", (double)height, i,
                     (double)lowest, (double)rbl_length3(body.velocity));
        }
    }
    check_ok(rbl_world_destroy(world));
}

static void a_broken_ball_falls_and_lies_on_the_ground(void** state)
{
    (void)state;
    Broken b = broken_ball(1);
    rblShapeId ids[64], ground;
    const uint32_t count = make_shapes(&b, 0, ids);
    check_ok(rbl_shape_create_plane(rbl_vec3(0, 1, 0), &ground));
    for (int i = 0; i < 20; ++i)
    {
        drop_fragments(ids, count, ground, 0.25f + 0.003f * (float)i);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    check_ok(rbl_shape_destroy(ground));
    free_broken(&b);
}

// ---- without updates ----

// Samples that a search looks at for those below a plane.
static uint32_t visited_below(const rblSampleTree* tree, uint32_t node, rblVec3 normal, float offset)
{
    const float above = rbl_dot3(normal, tree->points[node]) - offset;
    uint32_t visited = 1;
    for (uint32_t k = tree->first_children[node];
         k < tree->first_children[node + 1] && above <= tree->children[k].reach; ++k)
    {
        visited += visited_below(tree, tree->children[k].node, normal, offset);
    }
    return visited;
}

static uint32_t count_visits(const rblShape* shape)
{
    const rblSampleTree* tree;
    rblRandom random = rbl_random_seed(8, 8);
    uint32_t visits = 0;
    check_ok(rbl_shape_tree(shape, &tree));
    for (int i = 0; i < 100; ++i)
    {
        const rblVec3 normal = random_direction(&random);
        float lowest = INFINITY;
        for (uint32_t k = 0; k < tree->count; ++k)
        {
            lowest = rbl_minf(rbl_dot3(normal, tree->points[k]), lowest);
        }
        visits += visited_below(tree, 0, normal, lowest + 0.02f * shape->view.radius);
    }
    return visits;
}

static void fragments_made_anew_have_better_trees_and_no_larger_distances(void** state)
{
    (void)state;
    Broken b = broken_ball(9);
    rblShapeId shapes[64], anew[2];
    const uint32_t count = make_shapes(&b, 8, shapes);
    uint32_t updated = 0, rebuilt = 0;
    double errors = 0.0, nodes = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblShapeView view = view_of(shapes[i]);
        check_ok(rbl_shape_create_fragment_reference(view.shape, true, false, &anew[0]));
        check_ok(rbl_shape_create_fragment_reference(view.shape, false, true, &anew[1]));
        const rblFragmentEvent* before = rbl_shape_fragment(view.shape)->event;
        const rblFragmentEvent* exact = rbl_shape_fragment(view_of(anew[0]).shape)->event;
        assert_int_equal(exact->node_count, before->node_count);
        for (uint32_t k = 0; k < exact->node_count; ++k)
        {
            assert_true(exact->cracks[k].distance <= before->cracks[k].distance);
            const float known =
                rbl_minf(before->cracks[k].distance, b.background->nodes[before->nodes[k]].distance);
            const float found =
                rbl_minf(exact->cracks[k].distance, b.background->nodes[before->nodes[k]].distance);
            errors += (double)(known - found) / (double)b.background->edge;
            nodes += 1.0;
        }
        assert_int_equal(count_visits(view_of(anew[0]).shape), count_visits(view.shape));
        updated += count_visits(view.shape);
        rebuilt += count_visits(view_of(anew[1]).shape);
        check_ok(rbl_shape_destroy(anew[0]));
        check_ok(rbl_shape_destroy(anew[1]));
        check_ok(rbl_shape_destroy(shapes[i]));
    }
    print_message("%u samples visited, rebuilt %u; distances at nodes are %.1e edges too long on the mean\n",
                  updated, rebuilt, errors / nodes);
    assert_true(rebuilt < updated && errors < 0.01 * nodes);
    free_broken(&b);
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    FailingAllocator memory;
    Broken b = make_broken_in(&memory);
    const rblFragmentField field = field_of(&b, (Leaf){0, 0});
    const rblMassProperties mass = mass_of(&field);
    const size_t live = memory.live;
    bool made = false;
    for (size_t granted = 0; !made; ++granted)
    {
        rblSampleTree* trees[64];
        memory.left = granted;
        made = rbl_fragment_sample_trees(b.events[0], NULL, 0, trees) == RBL_OK;
        for (uint32_t i = 1; made && i < b.events[0]->label_count; ++i)
        {
            rbl_sample_tree_free(trees[i], rbl_default_allocator());
        }
        const rblFragmentShapeDef def = {
            .event = b.events[0], .label = 0, .mass = &mass, .samples = made ? trees[0] : NULL};
        rblShapeId id = {0, 0};
        made = made && rbl_shape_create_fragment(&def, &id) == RBL_OK;
        if (made)
        {
            check_ok(rbl_shape_destroy(id));
        }
        else
        {
            assert_int_equal(memory.live, live);
        }
    }
    memory.left = SIZE_MAX;
    free_broken(&b);
    check_ok(rbl_set_allocator(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_reached_and_balls_hold_what_is_below),
        cmocka_unit_test(samples_follow_their_fragment),
        cmocka_unit_test(new_samples_are_added_below_their_nodes),
        cmocka_unit_test(the_nearest_disc_is_found_in_blocks),
        cmocka_unit_test(every_sample_inside_is_a_contact),
        cmocka_unit_test(a_gap_that_is_known_is_there),
        cmocka_unit_test(few_contacts_hold_what_fits),
        cmocka_unit_test(rays_hit_where_they_enter),
        cmocka_unit_test(what_flies_past_is_not_stopped),
        cmocka_unit_test(a_broken_ball_falls_and_lies_on_the_ground),
        cmocka_unit_test(fragments_made_anew_have_better_trees_and_no_larger_distances),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
