// Grids of fragments after one, five and twenty fractures, against the exact partition and exact distances.
#include "testing.h"

#include "failing_allocator.h"
#include "field/field_sampling.h"
#include "field/fragment_grid.h"
#include "field/fragment_shape.h"
#include "field/level_set_oracle.h"
#include "fragment_testing.h"

static const uint32_t break_counts[3] = {1, 5, 20};
static const char* const kinds[3] = {"sphere", "statue", "plate"};

// A fragment, its grid, and what is exact about it.
typedef struct Case
{
    rblFragmentField field;
    rblLevelSet* grid;
    Cracks cracks;
    rblVec3* points; // of the fragment's surface and of its inside
    uint32_t point_count;
} Case;

static void add_point(Case* c, rblVec3 p)
{
    if (rbl_fragment_inside(&c->field, p))
    {
        c->points[c->point_count++] = p;
    }
}

// Points on cracks are moved inwards by next to nothing: rounding decides whether they are in the fragment.
static Case make_case(Broken* b, Leaf leaf, rblRandom* random)
{
    Case c = {.field = field_of(b, leaf)};
    c.grid = rbl_fragment_grid_build(&c.field, rbl_default_allocator());
    assert_non_null(c.grid);
    c.cracks = cracks_of(b, b->rules[leaf.event].first_label + leaf.label);
    c.points =
        malloc(sizeof *c.points * (2 * (size_t)c.cracks.point_count + b->background->point_count + 2000));
    for (uint32_t i = 0; i < c.cracks.point_count; ++i)
    {
        const rblVec3 p = rbl_to_float3(c.cracks.points[i]);
        rblVec3 out;
        (void)rbl_fragment_distance(&c.field, p, &out);
        add_point(&c, rbl_mul_add3(p, -1e-3f * b->background->edge, out));
        add_point(&c, rbl_mul_add3(p, 1e-3f * b->background->edge, out));
    }
    for (uint32_t i = 0; i < b->background->point_count; ++i)
    {
        add_point(&c, b->background->points[i].point);
    }
    for (uint32_t i = 0; i < 2000; ++i)
    {
        add_point(&c, rbl_random_point(random, c.field.bounds));
    }
    return c;
}

static void free_case(Case* c)
{
    rbl_level_set_free(c->grid);
    free_cracks(&c->cracks);
    free(c->points);
}

static float nearest_point(const Case* c, rblVec3 p)
{
    float best = INFINITY;
    for (uint32_t i = 0; i < c->point_count; ++i)
    {
        const rblVec3 way = rbl_sub3(c->points[i], p);
        best = rbl_minf(rbl_dot3(way, way), best);
    }
    return sqrtf(best);
}

// In cells.
typedef struct Errors
{
    double near, most_near; // within a cell of the surface, inside
    double deep, most_deep; // deeper
    uint32_t near_count, deep_count;
    double wrong_inside,
        wrong_outside; // how far outside the grid has points of the fragment, and inside others
    double loose;      // outside: by how much less than the distance it tells
    double too_far;    // and by how much more at most
    uint32_t outside_count;
    double beside; // in the solid beside it, within a cell of its cracks
    uint32_t beside_count;
} Errors;

static void meet_inside(const Case* c, const rblDistanceOracle* solid, rblVec3 p, float value, Errors* e)
{
    const double cell = (double)c->grid->cell;
    uint32_t hint = RBL_NO_LEAF;
    const double surface = rbl_distance_oracle_ask(solid, rbl_to_double3(p), &hint);
    const double exact = rbl_mind(surface, crack_distance(&c->cracks, rbl_to_double3(p)));
    const double error = fabs((double)value + exact) / cell;
    e->wrong_inside = rbl_maxd((double)value / cell, e->wrong_inside);
    if (exact < cell)
    {
        e->near += error;
        e->near_count += 1;
        e->most_near = rbl_maxd(error, e->most_near);
    }
    else
    {
        e->deep += error;
        e->deep_count += 1;
        e->most_deep = rbl_maxd(-(double)value / cell - exact / cell, e->most_deep);
    }
}

static void meet_outside(const Broken* b, const Case* c, rblVec3 p, float value, Errors* e)
{
    const double cell = (double)c->grid->cell;
    const double crack = in_solid(b, p) ? crack_distance(&c->cracks, rbl_to_double3(p)) : 2.0 * cell;
    if (crack < cell)
    {
        e->beside += fabs((double)value - crack) / cell;
        e->beside_count += 1;
    }
    const float exact = nearest_point(c, p);
    e->wrong_outside = rbl_maxd(-(double)value / cell, e->wrong_outside);
    e->too_far = rbl_maxd((double)(value - exact) / cell, e->too_far);
    e->loose += (double)(exact - value) / cell;
    e->outside_count += 1;
}

static Errors measure(Broken* b, const rblDistanceOracle* solid)
{
    Errors e = {0};
    Leaf leaves[4096];
    const uint32_t count = list_leaves(b, leaves);
    rblRandom random = rbl_random_seed(5, b->count);
    for (uint32_t k = 0; k < count; k += 1 + count / 8)
    {
        Case c = make_case(b, leaves[k], &random);
        const float size = rbl_length3(rbl_aabb_size(c.field.bounds));
        for (uint32_t i = 0; i < 3000 && c.point_count > 0; ++i)
        {
            const rblVec3 q = c.points[rbl_random_below(&random, c.point_count)];
            const rblAabb box = i % 3 == 0 ? rbl_aabb_grown(c.field.bounds, 0.2f * size)
                                           : rbl_aabb_grown((rblAabb){q, q}, 1.5f * c.grid->cell);
            const rblVec3 p = rbl_random_point(&random, box);
            bool far;
            const float value = rbl_level_set_distance_only(c.grid, p, &far);
            if (rbl_fragment_inside(&c.field, p))
            {
                meet_inside(&c, solid, p, value, &e);
            }
            else
            {
                meet_outside(b, &c, p, value, &e);
            }
        }
        free_case(&c);
    }
    e.near /= e.near_count;
    e.deep /= e.deep_count;
    e.loose /= e.outside_count;
    e.beside /= e.beside_count;
    return e;
}

static void grids_tell_inside_from_outside_and_distances(void** state)
{
    (void)state;
    for (int i = 0; i < 3; ++i)
    {
        Broken b = broken_by(kinds[i], i == 2 ? 12000 : 8000, break_counts[i]);
        rblMesh* mesh;
        rblDistanceOracle solid;
        check_ok(rbl_mesh_acquire(b.mesh, &mesh));
        check_ok(rbl_distance_oracle_init(&solid, rbl_mesh_get_view(mesh), rbl_default_allocator()));
        const Errors e = measure(&b, &solid);
        print_message(
            "%s, %u fractures, cells: near %.3f, most %.2f; deep %.3f, most too deep %.2f; "
            "points inside told outside by %.2f, outside inside %.2f; outside less by %.3f, more by "
            "at most %.2f; beside cracks %.3f\n",
            kinds[i], b.count, e.near, e.most_near, e.deep, e.most_deep, e.wrong_inside, e.wrong_outside,
            e.loose, e.too_far, e.beside);
        rbl_distance_oracle_free(&solid);
        rbl_mesh_release(mesh);
        free_broken(&b);
    }
}

// Values fall by no more than searches believe, from any point to any other.
static void values_fall_no_faster_than_searches_believe(void** state)
{
    (void)state;
    Broken b = broken_by("statue", 6000, 5);
    Leaf leaves[4096];
    const uint32_t count = list_leaves(&b, leaves);
    rblRandom random = rbl_random_seed(7, 7);
    for (uint32_t k = 0; k < count; ++k)
    {
        const rblFragmentField field = field_of(&b, leaves[k]);
        rblLevelSet* grid = rbl_fragment_grid_build(&field, rbl_default_allocator());
        const float slack = rbl_level_set_slack(grid), rounding = 2.0f * grid->unit;
        const float size = rbl_length3(rbl_aabb_size(field.bounds));
        for (int i = 0; i < 4000; ++i)
        {
            bool far, far_there;
            const rblVec3 p = rbl_random_point(&random, rbl_aabb_grown(field.bounds, 0.1f * size));
            const float reach = (i % 2 == 0 ? 1.0f : 8.0f) * grid->cell;
            const rblVec3 q = rbl_random_point(&random, rbl_aabb_grown((rblAabb){p, p}, reach));
            const float way = rbl_length3(rbl_sub3(q, p));
            const float here = rbl_level_set_distance_only(grid, p, &far);
            const float there = rbl_level_set_distance_only(grid, q, &far_there);
            const rblField known = {.interpolated = true,
                                    .slack = slack,
                                    .rounding = rounding + rbl_fragment_grid_blur(grid),
                                    .grain = 0.75f * grid->cell * grid->cell};
            const rblFieldSlope slope = far ? RBL_SLOPE_FAR : RBL_SLOPE_STEEP;
            // Where it matters: at something that is close.
            if (here > 0.0f && there < 0.4f * grid->cell &&
                there < here - rbl_field_fall_outside(&known, slope, way))
            {
                fail_msg("fragment %u: from %g to %g on a way of %g cells", k, (double)(here / grid->cell),
                         (double)(there / grid->cell), (double)(way / grid->cell));
            }
        }
        rbl_level_set_free(grid);
    }
    free_broken(&b);
}

typedef struct Asking
{
    const rblShape* shape;
    const rblLevelSet* grids[64];
} Asking;

static void ask(rblRange range, void* context)
{
    Asking* asking = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        asking->grids[i] = rbl_shape_fragment_grid(asking->shape);
    }
}

// Whoever asks first makes it; all get the same one.
static void threads_that_ask_at_once_get_one_grid(void** state)
{
    (void)state;
    Broken b = broken_by("sphere", 2000, 1);
    rblSampleTree* trees[64] = {0};
    check_ok(rbl_fragment_sample_trees(b.events[0], NULL, 0, trees));
    const rblMassProperties mass = {.volume = 1.0,
                                    .mass = 1.0,
                                    .moments = {1.0, 1.0, 1.0},
                                    .inertia = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                    .principal_axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    const rblTasks tasks = {.worker_count = 4};
    check_ok(rbl_set_tasks(&tasks));
    for (uint32_t label = 0; label < b.events[0]->label_count; ++label)
    {
        rblShapeId id;
        rblShapeView view;
        const rblFragmentShapeDef def = {
            .event = b.events[0], .label = label, .mass = &mass, .samples = trees[label]};
        check_ok(rbl_shape_create_fragment(&def, &id));
        check_ok(rbl_shape_view(id, &view));
        Asking asking = {.shape = view.shape};
        rbl_parallel_for(rbl_default_jobs(), 64, 1, ask, &asking);
        for (uint32_t i = 0; i < 64; ++i)
        {
            assert_true(asking.grids[i] != NULL && asking.grids[i] == asking.grids[0]);
        }
        check_ok(rbl_shape_destroy(id));
    }
    check_ok(rbl_set_tasks(NULL));
    free_broken(&b);
}

static void without_memory_there_is_no_grid_and_nothing_is_left(void** state)
{
    (void)state;
    Broken b = broken_by("sphere", 2000, 1);
    const rblFragmentField field = field_of(&b, (Leaf){0, 0});
    uint32_t failures = 0;
    for (size_t granted = 0;; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblLevelSet* grid = rbl_fragment_grid_build(&field, &memory.allocator);
        rbl_level_set_free(grid);
        assert_int_equal(memory.live, 0);
        if (grid != NULL)
        {
            break;
        }
        failures += 1;
    }
    assert_true(failures > 8);
    free_broken(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_tell_inside_from_outside_and_distances),
        cmocka_unit_test(values_fall_no_faster_than_searches_believe),
        cmocka_unit_test(threads_that_ask_at_once_get_one_grid),
        cmocka_unit_test(without_memory_there_is_no_grid_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
