// Grids of fragments after one, five and twenty fractures, against the exact partition and exact distances.
#include "testing.h"

#include "failing_allocator.h"
#include "field/contact/field_sampling.h"
#include "field/fragment/fragment_grid.h"
#include "field/fragment/fragment_shape.h"
#include "field/level_set/level_set_oracle.h"
#include "field_fall.h"
#include "fragment_testing.h"
#include "tets_dividing.h"

#define BLUR 0.4 // cells: what rbl_fragment_grid_error() allows for

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
        add_point(&c, random_point_in(random, c.field.bounds));
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
    const double surface = rbl_distance_oracle_evaluate(solid, rbl_to_double3(p), &hint);
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

// At points of the fragment's box and beside its own.
static void measure_case(const Broken* b, const rblDistanceOracle* solid, const Case* c, uint32_t count,
                         rblRandom* random, Errors* e)
{
    const float size = rbl_length3(rbl_aabb_size(c->field.bounds));
    for (uint32_t i = 0; i < count && c->point_count > 0; ++i)
    {
        const rblVec3 q = c->points[rbl_random_below(random, c->point_count)];
        const rblAabb box = i % 3 == 0 ? rbl_aabb_grown(c->field.bounds, 0.2f * size)
                                       : rbl_aabb_grown((rblAabb){q, q}, 1.5f * c->grid->cell);
        const rblVec3 p = random_point_in(random, box);
        bool far;
        const float value = rbl_level_set_distance_only(c->grid, p, &far);
        if (rbl_fragment_inside(&c->field, p))
        {
            meet_inside(c, solid, p, value, e);
        }
        else
        {
            meet_outside(b, c, p, value, e);
        }
    }
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
        measure_case(b, solid, &c, 3000, &random, &e);
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
        Broken b = broken_case(i, 8000);
        rblMesh* mesh;
        rblDistanceOracle solid;
        check_ok(rbl_mesh_acquire(b.mesh, &mesh));
        check_ok(rbl_distance_oracle_init(&solid, rbl_mesh_get_view(mesh), rbl_default_allocator()));
        const Errors e = measure(&b, &solid);
        print_message(
            "case %d, %u fractures, cells: near %.3f, most %.2f; deep %.3f, most too deep %.2f; "
            "points inside told outside by %.2f, outside inside %.2f; outside less by %.3f, more by "
            "at most %.2f; beside cracks %.3f\n",
            i, b.count, e.near, e.most_near, e.deep, e.most_deep, e.wrong_inside, e.wrong_outside, e.loose,
            e.too_far, e.beside);
        assert_true(e.near < 0.35 && e.most_near < 1.0 && e.deep < 0.7 && e.most_deep < 0.05);
        assert_true(e.wrong_inside < BLUR && e.wrong_outside < BLUR);
        assert_true(e.loose < 2.5 && e.too_far < 0.45 && e.beside < 0.12);
        rbl_distance_oracle_free(&solid);
        rbl_mesh_release(mesh);
        free_broken(&b);
    }
}

// Fragments of one body of which the nodes with a label are given.
static Broken broken_by_labels(const char* kind, uint32_t tets, void (*choose)(const Broken*, uint32_t*))
{
    Broken b = make_broken(kind, tets, 0.0f);
    b.labels[0] = calloc(b.view->node_count, sizeof *b.labels[0]);
    b.weights[0] = malloc(sizeof *b.weights[0] * b.view->node_count);
    for (uint32_t i = 0; i < b.view->node_count; ++i)
    {
        b.weights[0][i] = 1.0;
    }
    choose(&b, b.labels[0]);
    rblFragmentEventDef def = {.background = b.background, .labels = b.labels[0], .weights = b.weights[0]};
    check_ok(tets_label_components(b.view, b.labels[0], &def.label_count, rbl_default_allocator()));
    check_ok(rbl_fragment_event_create(&def, &b.events[0]));
    b.parents[0] = RBL_NONE;
    b.rules[0] = (rblTetsEvent){b.labels[0], b.weights[0], 0};
    b.count = 1;
    return b;
}

// The nodes of the tetrahedron that lies deepest in the solid.
static void choose_one_tetrahedron(const Broken* b, uint32_t* labels)
{
    uint32_t best = 0;
    float most = -INFINITY;
    for (uint32_t tet = 0; tet < b->view->tet_count; ++tet)
    {
        float least = INFINITY;
        for (uint32_t i = 0; i < 4; ++i)
        {
            least = rbl_minf(b->background->nodes[b->view->nodes[4 * (size_t)tet + i]].distance, least);
        }
        best = least > most ? tet : best;
        most = rbl_maxf(least, most);
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        labels[b->view->nodes[4 * (size_t)best + i]] = 1;
    }
}

// Nodes within an edge of a line through all of the solid, from top to bottom.
static void choose_needle(const Broken* b, uint32_t* labels)
{
    const rblVec3 middle = rbl_aabb_center(b->background->solid->view.bounds);
    for (uint32_t i = 0; i < b->view->node_count; ++i)
    {
        const rblVec3 p = b->background->nodes[i].position;
        labels[i] = hypotf(p.x - middle.x, p.z - middle.z) < 0.8f * b->background->edge;
    }
}

static uint32_t smallest_fragment(const Broken* b)
{
    uint32_t smallest = 0;
    for (uint32_t label = 1; label < b->events[0]->label_count; ++label)
    {
        smallest = b->events[0]->facts[label].nodes < b->events[0]->facts[smallest].nodes ? label : smallest;
    }
    return smallest;
}

// Fragments of a few cells, and those thinner than an edge, are where they are.
static void grids_of_needles_and_of_single_tetrahedra_hold_them(void** state)
{
    (void)state;
    for (int i = 0; i < 2; ++i)
    {
        Broken b = i == 0 ? broken_by_labels("sphere", 2000, choose_one_tetrahedron)
                          : broken_by_labels("column", 8000, choose_needle);
        const uint32_t label = smallest_fragment(&b);
        const rblVec3 size = rbl_aabb_size(b.events[0]->facts[label].bounds);
        const float edge = b.background->edge;
        assert_int_equal(b.events[0]->label_count, 2);
        assert_true(i == 0 ? b.events[0]->facts[label].nodes == 4
                           : size.y > 3.0f * rbl_maxf(size.x, size.z) && size.x < 4.0f * edge);
        rblRandom random = rbl_random_seed(5, 4);
        rblMesh* mesh;
        rblDistanceOracle solid;
        check_ok(rbl_mesh_acquire(b.mesh, &mesh));
        check_ok(rbl_distance_oracle_init(&solid, rbl_mesh_get_view(mesh), rbl_default_allocator()));
        Case c = make_case(&b, (Leaf){0, label}, &random);
        Errors e = {0};
        measure_case(&b, &solid, &c, 6000, &random, &e);
        print_message("%s: %u bricks, near %.3f cells, most %.2f; points inside told outside by %.2f, "
                      "outside inside %.2f; more by at most %.2f\n",
                      i == 0 ? "tetrahedron" : "needle", c.grid->stored, e.near / e.near_count, e.most_near,
                      e.wrong_inside, e.wrong_outside, e.too_far);
        assert_true(e.near_count > 100 && e.outside_count > 1000);
        assert_true(e.near / e.near_count < 0.35 && e.most_near < 1.0 && e.most_deep < 0.05);
        assert_true(e.wrong_inside < BLUR && e.wrong_outside < BLUR && e.too_far < 0.45);
        free_case(&c);
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
            const rblVec3 p = random_point_in(&random, rbl_aabb_grown(field.bounds, 0.1f * size));
            const float reach = (i % 2 == 0 ? 1.0f : 8.0f) * grid->cell;
            const rblVec3 q = random_point_in(&random, rbl_aabb_grown((rblAabb){p, p}, reach));
            const float way = rbl_length3(rbl_sub3(q, p));
            const float here = rbl_level_set_distance_only(grid, p, &far);
            const float there = rbl_level_set_distance_only(grid, q, &far_there);
            const rblField known = {.interpolated = true,
                                    .slack = slack,
                                    .rounding = rounding + rbl_fragment_grid_error(grid),
                                    .grain = 0.75f * grid->cell * grid->cell};
            const rblFieldSlope slope = far ? RBL_SLOPE_FAR : RBL_SLOPE_STEEP;
            // Where it matters: at something that is close.
            if (here > 0.0f && there < 0.4f * grid->cell && there < here - fall_outside(&known, slope, way))
            {
                fail_msg("fragment %u: from %g to %g on a way of %g cells", k, (double)(here / grid->cell),
                         (double)(there / grid->cell), (double)(way / grid->cell));
            }
        }
        rbl_level_set_free(grid);
    }
    free_broken(&b);
}

static Broken statue_of_size(double scale)
{
    const rblMat3d linear = {{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}};
    rblMeshId statue, scaled;
    check_ok(rbl_mesh_make("statue", NULL, 0, &statue));
    check_ok(rbl_mesh_transform(statue, &linear, rbl_vec3d(0, 0, 0), &scaled));
    check_ok(rbl_mesh_destroy(statue));
    Broken b = make_broken_of(scaled, 3000, 0.0f);
    rblRandom random = rbl_random_seed(11, 1);
    break_fragment(&b, RBL_NONE, 0, 5, &random);
    break_largest(&b, 3, &random);
    return b;
}

// A millimetre or a kilometre: everything is of the same size in cells.
static void grids_do_not_depend_on_the_unit_of_length(void** state)
{
    (void)state;
    const double scales[2] = {0x1p-10, 0x1p10};
    Broken usual = statue_of_size(1.0);
    Leaf leaves[4096];
    const uint32_t count = list_leaves(&usual, leaves);
    for (int i = 0; i < 2; ++i)
    {
        Broken other = statue_of_size(scales[i]);
        Leaf others[4096];
        assert_int_equal(list_leaves(&other, others), count);
        for (uint32_t k = 0; k < count; ++k)
        {
            const rblFragmentField field = field_of(&usual, leaves[k]), there = field_of(&other, others[k]);
            rblLevelSet* grid = rbl_fragment_grid_build(&field, rbl_default_allocator());
            rblLevelSet* scaled = rbl_fragment_grid_build(&there, rbl_default_allocator());
            assert_memory_equal(scaled->bricks, grid->bricks, sizeof grid->bricks);
            assert_int_equal(scaled->stored, grid->stored);
            assert_true((double)scaled->cell == scales[i] * (double)grid->cell);
            assert_memory_equal(scaled->values, grid->values,
                                sizeof *grid->values * RBL_BRICK_STRIDE * grid->stored);
            rbl_level_set_free(scaled);
            rbl_level_set_free(grid);
        }
        free_broken(&other);
    }
    free_broken(&usual);
}

// Planes that are one but for rounding: of these, corners come to lie above and below by chance, and clipping finds nine.
static const rblVec3 chance_corners[4] = {{0x1.257e88p+3f, 0x1.3f6bd8p+3f, 0x1.37f33ap+3f},
                                          {0x1.28b68p+3f, 0x1.44694ep+3f, 0x1.3fbaa2p+3f},
                                          {0x1.2a699ep+3f, 0x1.557c98p+3f, 0x1.438f68p+3f},
                                          {0x1.22e35p+3f, 0x1.4af3fp+3f, 0x1.392cd8p+3f}};
static const rblVec3 chance_normals[3] = {{-0x1.c14732p-1f, -0x1.7e6b48p-4f, 0x1.e1b28ep-2f},
                                          {-0x1.c14732p-1f, -0x1.7e6b46p-4f, 0x1.e1b28ep-2f},
                                          {-0x1.c14732p-1f, -0x1.7e6b48p-4f, 0x1.e1b28ep-2f}};

static void planes_that_coincide_make_no_facet_of_too_many_corners(void** state)
{
    (void)state;
    Broken b = broken_by("sphere", 2000, 1);
    rblFragmentEvent* event = b.events[0];
    const uint32_t tet = event->piece_tets[event->by_label[0].piece];
    const uint32_t cut = event->states[rbl_rank_find(event->tet_ranks, tet)] & ~RBL_CUT;
    for (uint32_t i = 0; i < 4; ++i)
    {
        b.background->nodes[b.view->nodes[4 * (size_t)tet + i]].position = chance_corners[i];
    }
    rblCutPlane planes[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        planes[k] = (rblCutPlane){.normal = chance_normals[k], .offset = 0x1.189dfap+2f};
    }
    for (uint32_t i = event->first_parts[cut]; i < event->first_parts[cut + 1]; ++i)
    {
        event->parts[i].plane_count = 3;
        event->parts[i].planes = planes;
    }
    uint8_t inside[200] = {0};
    const rblFragmentLattice lattice = {.cell = 1.0f,
                                        .inverse = 1.0f,
                                        .bricks = {1, 1, 1},
                                        .row = 8,
                                        .layer = 40,
                                        .point_count = sizeof inside,
                                        .inside = inside};
    rblCrackFacets facets;
    rbl_array_init(&facets, rbl_default_allocator());
    assert_true(rbl_lattice_mark_inside(&lattice, event, 0, rbl_default_allocator(), &facets));
    uint32_t most = 0;
    for (size_t i = 0; i < facets.count; ++i)
    {
        most = facets.data[i].count > most ? facets.data[i].count : most;
    }
    assert_int_equal(most, RBL_FACET_CORNERS);
    rbl_array_free(&facets);
    free_broken(&b);
}

static const void* ask_for_grid(const void* shape)
{
    return rbl_field_of(shape).grid;
}

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
    const rblTasks tasks = tasks_of(4);
    check_ok(rbl_set_tasks(&tasks));
    for (uint32_t label = 0; label < b.events[0]->label_count; ++label)
    {
        rblShapeId id;
        rblShapeView view;
        const rblFragmentShapeDef def = {
            .event = b.events[0], .label = label, .mass = &mass, .samples = trees[label]};
        check_ok(rbl_shape_create_fragment(&def, &id));
        check_ok(rbl_shape_view(id, &view));
        ask_at_once(ask_for_grid, view.shape);
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
        cmocka_unit_test(grids_of_needles_and_of_single_tetrahedra_hold_them),
        cmocka_unit_test(values_fall_no_faster_than_searches_believe),
        cmocka_unit_test(grids_do_not_depend_on_the_unit_of_length),
        cmocka_unit_test(planes_that_coincide_make_no_facet_of_too_many_corners),
        cmocka_unit_test(threads_that_ask_at_once_get_one_grid),
        cmocka_unit_test(without_memory_there_is_no_grid_and_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
