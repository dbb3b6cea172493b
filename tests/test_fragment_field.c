// Fields of fragments after one, five and twenty fractures: against the exact partition, exact distances, and themselves.
#include "testing.h"

#include "failing_allocator.h"
#include "field/level_set/level_set_oracle.h"
#include "fragment_testing.h"
#include "math/aabb.h"
#include "tets_dividing.h"

static const uint32_t break_counts[3] = {1, 5, 20};

// ---- tests ----

// Every point of the solid that is not on a border, to rounding, is in the fragment that the rule says and in no other.
static void check_inside(Broken* b, rblRandom* random)
{
    Leaf leaves[4096];
    const uint32_t count = list_leaves(b, leaves);
    uint32_t asked = 0, skipped = 0;
    for (int i = 0; i < 6000; ++i)
    {
        const rblVec3 p = random_point_in(random, b->background->solid->view.bounds);
        if (!in_solid(b, p))
        {
            continue;
        }
        rblTetRule rule;
        rblVec3d corners[4], normal;
        double at[4];
        const uint32_t tet = rbl_tets_find(b->background->tets, rbl_to_double3(p));
        assert_int_not_equal(tet, RBL_NONE);
        const uint32_t label = exact_label(b, tet, rbl_to_double3(p), &rule);
        rbl_tet_corners(b->view, tet, corners);
        rbl_tet_barycentric(corners, rbl_to_double3(p), at);
        asked += 1;
        if (tet_border(&rule, corners, rbl_tet_part(&rule, at), at, &normal) <
            1e-5 * (double)b->background->edge)
        {
            skipped += 1;
            continue;
        }
        for (uint32_t k = 0; k < count; ++k)
        {
            const rblFragmentField field = field_of(b, leaves[k]);
            const bool inside = rbl_fragment_inside(&field, p);
            rblVec3 gradient;
            if (inside != (b->rules[leaves[k].event].first_label + leaves[k].label == label) ||
                inside != (rbl_fragment_distance(&field, p, &gradient) <= 0.0f))
            {
                fail_msg("point %d: fragment %u of event %u says %d, the rule %u", i, leaves[k].label,
                         leaves[k].event, inside, label);
            }
        }
    }
    assert_true(asked > 300 && skipped < 10);
}

static void points_are_inside_as_the_partition_says(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    for (int i = 0; i < 3; ++i)
    {
        Broken b = broken_case(i, 6000);
        check_inside(&b, &random);
        free_broken(&b);
    }
}

typedef struct Errors
{
    double near, deep, most; // in edges; means and the largest
    uint32_t near_count, deep_count;
    uint32_t rays, bad_rays;
    double worst_fall; // along a ray, in edges
    uint32_t inward;   // gradients that do not lead out
} Errors;

// Along a ray inwards, as long as the gradient is about the same.
static void follow_ray(const rblFragmentField* field, rblVec3 p, rblVec3 out, float edge, Errors* errors)
{
    rblVec3 gradient;
    float before = rbl_fragment_distance(field, p, &gradient);
    bool bad = false;
    for (int i = 1; i <= 20; ++i)
    {
        const float now =
            rbl_fragment_distance(field, rbl_mul_add3(p, -0.1f * (float)i * edge, out), &gradient);
        if (now > 0.0f || rbl_dot3(gradient, out) < 0.9f)
        {
            break;
        }
        bad = bad || now > before;
        errors->worst_fall = rbl_maxd((double)((now - before) / edge), errors->worst_fall);
        before = now;
    }
    errors->rays += 1;
    errors->bad_rays += bad;
}

static void measure_point(const rblFragmentField* field, rblVec3 p, double exact, Errors* errors)
{
    const float edge = field->event->background->edge;
    rblVec3 gradient;
    const float distance = rbl_fragment_distance(field, p, &gradient);
    check_close(rbl_length3(gradient), 1.0, 1e-5);
    const double error = fabs(-(double)distance - exact) / (double)edge;
    *(exact < 0.5 * (double)edge ? &errors->near : &errors->deep) += error;
    *(exact < 0.5 * (double)edge ? &errors->near_count : &errors->deep_count) += 1;
    errors->most = rbl_maxd(error, errors->most);
    const rblVec3 beyond = rbl_mul_add3(p, 0.1f * edge - distance, gradient);
    rblVec3 unused;
    errors->inward += rbl_fragment_distance(field, beyond, &unused) < 0.5f * distance - 0.1f * edge;
    follow_ray(field, p, gradient, edge, errors);
}

static Errors measure_fields(Broken* b, const rblDistanceOracle* solid)
{
    Errors errors = {0};
    Leaf leaves[4096];
    const uint32_t count = list_leaves(b, leaves);
    rblRandom random = rbl_random_seed(5, b->count);
    for (uint32_t k = 0; k < count; k += 1 + count / 8)
    {
        const rblFragmentField field = field_of(b, leaves[k]);
        Cracks cracks = cracks_of(b, b->rules[leaves[k].event].first_label + leaves[k].label);
        for (int i = 0; i < 500; ++i)
        {
            const rblVec3 p = random_point_in(&random, field.bounds);
            if (rbl_fragment_inside(&field, p))
            {
                uint32_t hint = RBL_NO_LEAF;
                const double surface = rbl_distance_oracle_evaluate(solid, rbl_to_double3(p), &hint);
                measure_point(&field, p, rbl_mind(surface, crack_distance(&cracks, rbl_to_double3(p))),
                              &errors);
            }
        }
        free_cracks(&cracks);
    }
    errors.near /= errors.near_count;
    errors.deep /= errors.deep_count;
    return errors;
}

static void distances_grow_inwards_and_are_nearly_exact(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
    {
        Broken b = broken_by(i == 1 ? "statue" : "sphere", 8000, break_counts[i]);
        rblMesh* mesh;
        rblDistanceOracle solid;
        check_ok(rbl_mesh_acquire(b.mesh, &mesh));
        check_ok(rbl_distance_oracle_init(&solid, rbl_mesh_get_view(mesh), rbl_default_allocator()));
        const Errors e = measure_fields(&b, &solid);
        print_message("%u fractures: errors near %.4f and deep %.4f edges, at most %.3f; %u of %u rays fall, "
                      "by %.3f at most; %u "
                      "gradients lead inwards\n",
                      b.count, e.near, e.deep, e.most, e.bad_rays, e.rays, e.worst_fall, e.inward);
        assert_true(e.near_count > 100 && e.deep_count > 100);
        assert_true(e.near < 0.05 && e.deep < 0.08 && e.most < 1.0);
        assert_true(e.bad_rays * 100 <= e.rays && e.worst_fall < 0.05);
        assert_true(e.inward * 200 <= e.rays);
        rbl_distance_oracle_free(&solid);
        rbl_mesh_release(mesh);
        free_broken(&b);
    }
}

// What a fracture does not come near stays as it was, bit by bit.
static void updates_touch_only_what_changes(void** state)
{
    (void)state;
    Broken b = broken_by("sphere", 8000, 5);
    for (uint32_t k = 1; k < b.count; ++k)
    {
        const rblFragmentEvent* e = b.events[k];
        const rblFragmentEvent* parent = b.events[b.parents[k]];
        uint32_t same = 0;
        assert_int_equal(e->node_count, parent->facts[b.parent_labels[k]].nodes);
        for (uint32_t i = 0; i < e->node_count; ++i)
        {
            const rblCrackPiece* before = &parent->cracks[rbl_rank_find(parent->node_ranks, e->nodes[i])];
            same += memcmp(before, &e->cracks[i], sizeof *before) == 0;
            assert_true(e->cracks[i].distance <= before->distance);
        }
        assert_int_equal(same, e->node_count - e->touched);
        assert_true(e->touched > 0 && e->touched < e->node_count);
    }
    free_broken(&b);
}

// A break far from most of a long body costs what it changes: fronts end where the surface is nearer.
static void fronts_end_where_the_surface_is_nearer(void** state)
{
    (void)state;
    Broken b = make_broken("column", 8000, 0.0f);
    const rblAabb box = b.background->solid->view.bounds;
    uint32_t* labels = malloc(sizeof *labels * b.view->node_count);
    double* weights = malloc(sizeof *weights * b.view->node_count);
    for (uint32_t i = 0; i < b.view->node_count; ++i)
    {
        const double height = b.view->positions[i].y - (double)(0.8f * box.upper.y + 0.2f * box.lower.y);
        labels[i] = height > 0.0;
        weights[i] = fabs(height) + 1e-9;
    }
    tets_clamp_weights(b.view, labels, weights);
    const rblFragmentEventDef def = {
        .background = b.background, .labels = labels, .weights = weights, .label_count = 2};
    rblFragmentEvent* event;
    check_ok(rbl_fragment_event_create(&def, &event));
    assert_true(event->touched * 2 < event->node_count);
    rbl_fragment_event_release(event);
    free(labels);
    free(weights);
    free_broken(&b);
}

static void backgrounds_are_the_same_for_any_worker_count(void** state)
{
    (void)state;
    Broken one = make_broken("statue", 3000, 0.0f);
    for (uint32_t workers = 2; workers <= 8; workers *= 2)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        Broken many = make_broken("statue", 3000, 0.0f);
        check_ok(rbl_set_tasks(NULL));
        const rblBackground *a = one.background, *b = many.background;
        assert_int_equal(a->node_count, b->node_count);
        assert_int_equal(a->point_count, b->point_count);
        assert_memory_equal(a->nodes, b->nodes, sizeof *a->nodes * a->node_count);
        assert_memory_equal(a->edges, b->edges, sizeof *a->edges * a->edge_count);
        assert_memory_equal(a->points, b->points, sizeof *a->points * a->point_count);
        free_broken(&many);
    }
    free_broken(&one);
}

static void wrong_labels_are_refused(void** state)
{
    (void)state;
    Broken b = make_broken("box", 600, 0.0f);
    uint32_t* labels = calloc(b.view->node_count, sizeof *labels);
    double* weights = malloc(sizeof *weights * b.view->node_count);
    for (uint32_t i = 0; i < b.view->node_count; ++i)
    {
        weights[i] = 1.0;
    }
    rblFragmentEvent* event = NULL;
    rblFragmentEventDef def = {
        .background = b.background, .labels = labels, .weights = weights, .label_count = 2};
    check_fails(RBL_ERROR_ARGUMENT, rbl_fragment_event_create(&def, &event)); // nothing has label 1
    labels[5] = 2;
    check_fails(RBL_ERROR_ARGUMENT, rbl_fragment_event_create(&def, &event));
    labels[5] = 1;
    const double wrong[3] = {0.0, -1.0, (double)NAN};
    for (int i = 0; i < 3; ++i)
    {
        weights[7] = wrong[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_fragment_event_create(&def, &event));
    }
    weights[7] = 1.0;
    def.label_count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_fragment_event_create(&def, &event));
    assert_null(event);
    rblShapeId ball;
    rblBackground* background = NULL;
    check_ok(rbl_shape_create_sphere(1.0f, &ball));
    check_fails(RBL_ERROR_ARGUMENT, rbl_background_create(ball, b.tets, &background));
    assert_null(background);
    check_ok(rbl_shape_destroy(ball));
    free(labels);
    free(weights);
    free_broken(&b);
}

static void tetrahedra_that_miss_the_surface_are_refused(void** state)
{
    (void)state;
    Broken b = make_broken("box", 600, 0.0f);
    const rblVec3d positions[4] = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {0, 0, 0.1}};
    const uint32_t nodes[4] = {0, 1, 2, 3};
    const rblTetsView view = {.node_count = 4, .tet_count = 1, .positions = positions, .nodes = nodes};
    rblTetsId small;
    rblBackground* background = NULL;
    check_ok(rbl_tets_create(&view, &small));
    check_fails(RBL_ERROR_GEOMETRY, rbl_background_create(b.solid, small, &background));
    assert_null(background);
    check_ok(rbl_tets_destroy(small));
    free_broken(&b);
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    FailingAllocator memory;
    Broken b = make_broken_in(&memory);
    const rblFragmentEventDef def = {.background = b.background,
                                     .labels = b.labels[0],
                                     .weights = b.weights[0],
                                     .label_count = b.events[0]->label_count};
    const size_t live = memory.live;
    bool made = false;
    for (size_t granted = 0; !made; ++granted)
    {
        rblFragmentEvent* event;
        memory.left = granted;
        made = rbl_fragment_event_create(&def, &event) == RBL_OK;
        if (made)
        {
            rbl_fragment_event_release(event);
        }
        assert_int_equal(memory.live, live);
    }
    made = false;
    for (size_t granted = 0; !made; granted += 1 + granted / 16)
    {
        rblBackground* background;
        memory.left = granted;
        made = rbl_background_create(b.solid, b.tets, &background) == RBL_OK;
        if (made)
        {
            rbl_background_release(background);
        }
        assert_int_equal(memory.live, live);
    }
    memory.left = SIZE_MAX;
    free_broken(&b);
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

static const void* ask_for_cells(const void* event)
{
    return rbl_fragment_event_cells(event);
}

static void threads_that_ask_at_once_get_the_same_cells(void** state)
{
    (void)state;
    const rblTasks tasks = tasks_of(4);
    Broken b = broken_by("sphere", 2000, 5);
    check_ok(rbl_set_tasks(&tasks));
    for (uint32_t k = 0; k < b.count; ++k)
    {
        ask_at_once(ask_for_cells, b.events[k]);
    }
    check_ok(rbl_set_tasks(NULL));
    free_broken(&b);
}

// Without memory for cells distances are found by looking at all pieces: the same inside and near the fragment.
static void without_cells_distances_near_a_fragment_are_the_same(void** state)
{
    (void)state;
    Broken b = broken_by("sphere", 2000, 1);
    rblFragmentEvent* event = b.events[0];
    const rblAllocator* usual = event->allocator;
    const rblFragmentField field = field_of(&b, (Leaf){0, 0});
    rblRandom random = rbl_random_seed(3, 9);
    FailingAllocator memory;
    rblVec3 points[2000];
    float told[2000];
    uint32_t same = 0;
    for (size_t granted = 0; granted < 4; ++granted)
    {
        failing_allocator_start(&memory, granted);
        event->allocator = &memory.allocator;
        assert_null(rbl_fragment_event_cells(event));
        assert_int_equal(memory.live, 0);
    }
    memory.left = 0;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        points[i] = random_point_in(&random, rbl_aabb_grown(field.bounds, b.background->cell));
        told[i] = rbl_fragment_distance(&field, points[i], &(rblVec3){0, 0, 0});
    }
    event->allocator = usual;
    for (uint32_t i = 0; i < 2000; ++i)
    {
        rblVec3 gradient;
        const float distance = rbl_fragment_distance(&field, points[i], &gradient);
        assert_int_equal(distance > 0.0f, told[i] > 0.0f);
        if (distance < 0.5f * b.background->cell)
        {
            assert_true(distance == told[i]);
            same += distance > 0.0f;
        }
    }
    assert_true(same > 100);
    free_broken(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_inside_as_the_partition_says),
        cmocka_unit_test(distances_grow_inwards_and_are_nearly_exact),
        cmocka_unit_test(updates_touch_only_what_changes),
        cmocka_unit_test(fronts_end_where_the_surface_is_nearer),
        cmocka_unit_test(backgrounds_are_the_same_for_any_worker_count),
        cmocka_unit_test(wrong_labels_are_refused),
        cmocka_unit_test(tetrahedra_that_miss_the_surface_are_refused),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(threads_that_ask_at_once_get_the_same_cells),
        cmocka_unit_test(without_cells_distances_near_a_fragment_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
