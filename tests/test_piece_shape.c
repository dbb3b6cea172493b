// Pieces of shapes: their fields against brute force, their fit, contacts and recursion.
#include "testing.h"

#include "field/contact/field_sampling.h"
#include "field/level_set/level_set.h"
#include "field/samples/samples.h"
#include "field_fall.h"
#include "piece_field.h"
#include "piece_testing.h"
#include <stdlib.h>
#include <string.h>

#define SEEDS      12
#define MAX_PLANES (4 * SEEDS)
#define CLOUD      40000 // points of a piece's surface

// A part of space: the cells of some seeds of a Voronoi diagram.
typedef struct Cut
{
    rblVec3 seeds[SEEDS];
    bool ours[SEEDS];
    rblHalfSpace planes[SEEDS * SEEDS];
    uint32_t starts[SEEDS + 1];
    rblAabb boxes[SEEDS];
    rblRegionDef region;
} Cut;

static uint32_t nearest_seed(const Cut* cut, rblVec3 p)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < SEEDS; ++i)
    {
        const rblVec3 a = rbl_sub3(p, cut->seeds[i]);
        const rblVec3 b = rbl_sub3(p, cut->seeds[best]);
        best = rbl_dot3(a, a) < rbl_dot3(b, b) ? i : best;
    }
    return best;
}

// Whether a point is on the face of two cells, and not near a third.
static bool is_on_face(const Cut* cut, rblVec3 p)
{
    float nearest[3] = {INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < SEEDS; ++i)
    {
        float d = rbl_length3(rbl_sub3(p, cut->seeds[i]));
        for (int k = 0; k < 3; ++k)
        {
            const float smaller = rbl_minf(d, nearest[k]);
            d = rbl_maxf(d, nearest[k]);
            nearest[k] = smaller;
        }
    }
    return nearest[1] - nearest[0] < 1e-6f && nearest[2] - nearest[1] > 1e-3f;
}

static void add_cell(Cut* cut, uint32_t seed)
{
    const uint32_t cell = cut->region.cell_count++;
    uint32_t end = cut->starts[cell];
    for (uint32_t other = 0; other < SEEDS; ++other)
    {
        if (other == seed)
        {
            continue;
        }
        const rblVec3 way = rbl_sub3(cut->seeds[other], cut->seeds[seed]);
        const rblVec3 middle = rbl_scale3(rbl_add3(cut->seeds[other], cut->seeds[seed]), 0.5f);
        const rblVec3 normal = rbl_normalize3(way, rbl_vec3(0, 1, 0));
        cut->planes[end++] = (rblHalfSpace){normal, rbl_dot3(normal, middle), cut->ours[other]};
    }
    cut->starts[cell + 1] = end;
}

// The cells of the first `count` seeds, in the order of their distance from the first.
static void make_cut(Cut* cut, rblAabb box, uint32_t count, rblRandom* random)
{
    memset(cut, 0, sizeof *cut);
    for (uint32_t i = 0; i < SEEDS; ++i)
    {
        cut->seeds[i] = random_point_in(random, box);
    }
    for (uint32_t taken = 0; taken < count; ++taken)
    {
        uint32_t best = SEEDS;
        for (uint32_t i = 0; i < SEEDS; ++i)
        {
            if (!cut->ours[i] &&
                (best == SEEDS || rbl_length3(rbl_sub3(cut->seeds[i], cut->seeds[0])) <
                                      rbl_length3(rbl_sub3(cut->seeds[best], cut->seeds[0]))))
            {
                best = i;
            }
        }
        cut->ours[best] = true;
    }
    for (uint32_t i = 0; i < SEEDS; ++i)
    {
        cut->boxes[i] = (rblAabb){{-100, -100, -100}, {100, 100, 100}};
        if (cut->ours[i])
        {
            add_cell(cut, i);
        }
    }
    cut->region.planes = cut->planes;
    cut->region.starts = cut->starts;
    cut->region.boxes = cut->boxes;
}

// Points on the surface of what is left of the parent: of its own surface, and of the planes.
typedef struct Cloud
{
    rblVec3* points;
    uint32_t count;
    rblAabb box;
} Cloud;

static bool is_left(const rblShape* parent, const Cut* cut, rblVec3 p, float slack)
{
    return rbl_shape_distance(parent, p, NULL) <= slack && cut->ours[nearest_seed(cut, p)];
}

static void add_point(Cloud* cloud, rblVec3 p)
{
    cloud->points[cloud->count++] = p;
    cloud->box = rbl_aabb_add(cloud->box, p);
}

// Points of space pulled to the surface of the parent or to a plane, and kept where the other says so.
static Cloud make_cloud(const rblShape* parent, const Cut* cut, uint32_t count, rblRandom* random)
{
    Cloud cloud = {malloc(count * sizeof(rblVec3)), 0, rbl_aabb_empty()};
    for (uint32_t tries = 0; tries < 400 * count && cloud.count < count; ++tries)
    {
        rblVec3 p = random_point_in(random, parent->view.bounds);
        rblVec3 gradient;
        if (tries % 2 == 0)
        {
            for (int i = 0; i < 4; ++i)
            {
                const float distance = rbl_shape_distance(parent, p, &gradient);
                p = rbl_mul_add3(p, -distance, gradient);
            }
            if (fabsf(rbl_shape_distance(parent, p, NULL)) < 1e-5f && cut->ours[nearest_seed(cut, p)])
            {
                add_point(&cloud, p);
            }
            continue;
        }
        const rblHalfSpace* plane =
            &cut->planes[rbl_random_below(random, cut->starts[cut->region.cell_count])];
        p = rbl_mul_add3(p, plane->offset - rbl_dot3(plane->normal, p), plane->normal);
        const bool inside = is_left(parent, cut, rbl_mul_add3(p, -1e-5f, plane->normal), 0.0f);
        if (!plane->inner && inside && !is_left(parent, cut, rbl_mul_add3(p, 1e-5f, plane->normal), 0.0f))
        {
            add_point(&cloud, p);
        }
    }
    return cloud;
}

static float cloud_distance(const Cloud* cloud, rblVec3 p)
{
    float best = INFINITY;
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        const rblVec3 d = rbl_sub3(cloud->points[i], p);
        best = rbl_minf(rbl_dot3(d, d), best);
    }
    return sqrtf(best);
}

static rblShapeId make_piece(const rblShape* parent, const Cut* cut, const Cloud* cloud, uint32_t samples)
{
    const rblMassProperties mass = box_mass(cloud->box);
    const rblPieceShapeDef def = {.parent = parent,
                                  .region = cut->region,
                                  .samples = cloud->points,
                                  .sample_count = samples < cloud->count ? samples : cloud->count,
                                  .mass = &mass,
                                  .bounds = rbl_aabb_grown(cloud->box, 1e-3f)};
    rblShapeId id;
    check_ok(rbl_shape_create_piece(&def, &id));
    return id;
}

// What a search relies on: from one point to another, outside, the distance falls by no more than the field says. (Far from the surface of
// a level set it is a bound and may be anything less.)
static void check_fall(const rblShapeView* view, rblVec3 from, rblVec3 to)
{
    const rblLevelSet* grid = piece_of(view->shape)->grid;
    rblField field = rbl_field_of(view->shape);
    field.rounding = 4e-6f * view->radius + (grid != NULL ? grid->unit : 0.0f);
    rblFieldSlope slope;
    rblFieldSlope slope_there;
    const float way = rbl_length3(rbl_sub3(to, from));
    const float start = rbl_field_distance(&field, from, INFINITY, &slope);
    (void)rbl_field_distance(&field, to, INFINITY, &slope_there);
    const float there = rbl_shape_distance(view->shape, to, NULL);
    const float least = start - fall_outside(&field, slope, way);
    if (least > 0.0f && there < least - field.rounding && slope_there != RBL_SLOPE_FAR)
    {
        fail_msg("falls from %.9g to %.9g on a way of %.9g", (double)start, (double)there, (double)way);
    }
}

// Sign by membership; never farther from zero than the surface; inside, one cell, no nearer either.
static void check_field(const rblShape* parent, const Cut* cut, const Cloud* cloud, rblShapeId id,
                        rblRandom* random)
{
    const rblShapeView view = view_of(id);
    const rblLevelSet* grid = rbl_shape_level_set(piece_of(view.shape)->root);
    const float tolerance = 1e-4f + (grid != NULL ? grid->error : 0.0f);
    const float size = view.radius;
    uint32_t inside_count = 0;
    for (int i = 0; i < 1500; ++i)
    {
        const rblVec3 p = random_point_in(random, rbl_aabb_grown(cloud->box, 0.3f * size));
        rblVec3 gradient;
        const float distance = rbl_shape_distance(view.shape, p, &gradient);
        const float bound = view.shape->kind->bound(view.shape->data, p);
        const bool inside = is_left(parent, cut, p, 0.0f);
        if (fabsf(distance) > 1e-5f && inside != (distance < 0.0f))
        {
            fail_msg("point %d: distance %g, but it is %s", i, (double)distance,
                     inside ? "inside" : "outside");
        }
        check_close(rbl_length3(gradient), 1.0, 1e-4);
        assert_true(bound <= distance + 1e-6f);
        const rblVec3 aside = random_point_in(random, (rblAabb){{-1, -1, -1}, {1, 1, 1}});
        check_fall(&view, p, rbl_mul_add3(p, (i % 3 == 0 ? 0.3f : 0.03f) * size, aside));
        inside_count += inside;
        if (i % 5 == 0)
        {
            const float nearest = cloud_distance(cloud, p);
            if (!(fabsf(distance) <= nearest + tolerance))
            {
                fail_msg("point %d: distance %g, but the surface is %g away", i, (double)distance,
                         (double)nearest);
            }
            // Points of the cloud lie this near to any place of the surface.
            if (inside && cut->region.cell_count == 1)
            {
                assert_true(nearest <= -distance + 0.08f * size);
            }
        }
    }
    assert_true(inside_count > 20);
}

static void fields_of_pieces_agree_with_brute_force(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.3f, 0.12f, &destroyed};
    const rblShapeId roots[3] = {make_torus(&torus), make_level_set("statue", 48), {0, 0}};
    rblShapeId ball;
    check_ok(rbl_shape_create_sphere(0.4f, &ball));
    for (uint64_t round = 0; round < 12; ++round)
    {
        rblRandom random = rbl_random_seed(round, 7);
        const rblShapeId root = round % 3 == 2 ? ball : roots[round % 3];
        const rblShapeView view = view_of(root);
        Cut cut;
        make_cut(&cut, view.bounds, round < 6 ? 1 : 2 + (uint32_t)round % 4, &random);
        Cloud cloud = make_cloud(view.shape, &cut, CLOUD, &random);
        assert_true(cloud.count > CLOUD / 4);
        const rblShapeId piece = make_piece(view.shape, &cut, &cloud, 600);
        check_field(view.shape, &cut, &cloud, piece, &random);
        check_ok(rbl_shape_destroy(piece));
        free(cloud.points);
    }
    check_ok(rbl_shape_destroy(roots[0]));
    check_ok(rbl_shape_destroy(roots[1]));
    check_ok(rbl_shape_destroy(ball));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// A slab 0.2 m thick, in two cells that meet in the middle: there it is as deep as anywhere.
static void the_plane_between_two_cells_of_a_region_is_not_seen(void** state)
{
    (void)state;
    rblShapeId box;
    check_ok(rbl_shape_create_box(rbl_vec3(10, 10, 10), &box));
    const rblHalfSpace planes[6] = {{{1, 0, 0}, 0.0f, true},   {{0, 1, 0}, 0.1f, false},
                                    {{0, -1, 0}, 0.1f, false}, {{-1, 0, 0}, 0.0f, true},
                                    {{0, 1, 0}, 0.1f, false},  {{0, -1, 0}, 0.1f, false}};
    const uint32_t starts[3] = {0, 3, 6};
    const rblAabb boxes[2] = {{{-5, -0.1f, -5}, {0, 0.1f, 5}}, {{0, -0.1f, -5}, {5, 0.1f, 5}}};
    const rblVec3 samples[2] = {{-5, 0.1f, -5}, {5, -0.1f, 5}};
    const rblAabb bounds = {{-5, -0.1f, -5}, {5, 0.1f, 5}};
    const rblMassProperties mass = box_mass(bounds);
    const rblShapeView parent = view_of(box);
    const rblPieceShapeDef def = {.parent = parent.shape,
                                  .region = {planes, starts, boxes, 2},
                                  .samples = samples,
                                  .sample_count = 2,
                                  .mass = &mass,
                                  .bounds = bounds};
    rblShapeId id;
    check_ok(rbl_shape_create_piece(&def, &id));
    const rblShapeView view = view_of(id);
    for (int i = -10; i <= 10; ++i)
    {
        rblVec3 gradient;
        const rblVec3 p = {0.01f * (float)i, 0.02f, 0.3f};
        check_close(rbl_shape_distance(view.shape, p, &gradient), -0.08, 1e-6);
        check_close(gradient.y, 1.0, 1e-6);
    }
    check_close(view.inner_radius, 0.1, 0.06);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_shape_destroy(box));
}

// Three times, always a cell of a cell; and every sample of a crack face lies on the face of the piece next to it.
static void pieces_of_pieces_of_pieces_fit(void** state)
{
    (void)state;
    const rblShapeId root = make_level_set("statue", 48);
    rblRandom random = rbl_random_seed(3, 11);
    rblShapeId parents[4] = {root};
    Cut cuts[3];
    for (int depth = 0; depth < 3; ++depth)
    {
        const rblShapeView view = view_of(parents[depth]);
        Cloud cloud = {0};
        do
        {
            free(cloud.points);
            make_cut(&cuts[depth], view.bounds, 1 + (uint32_t)depth % 2, &random);
            cloud = make_cloud(view.shape, &cuts[depth], 4000, &random);
        } while (cloud.count < 2000);
        parents[depth + 1] = make_piece(view.shape, &cuts[depth], &cloud, 500);
        check_field(view.shape, &cuts[depth], &cloud, parents[depth + 1], &random);

        // The others of this cut, as one piece: the complement.
        Cut rest = cuts[depth];
        rest.region.cell_count = 0;
        for (uint32_t i = 0; i < SEEDS; ++i)
        {
            rest.ours[i] = !cuts[depth].ours[i];
        }
        for (uint32_t i = 0; i < SEEDS; ++i)
        {
            if (rest.ours[i])
            {
                add_cell(&rest, i);
            }
        }
        rest.region.planes = rest.planes;
        rest.region.starts = rest.starts;
        rest.region.boxes = rest.boxes;
        Cloud other = make_cloud(view.shape, &rest, 2000, &random);
        const rblShapeId sibling = make_piece(view.shape, &rest, &other, 500);
        const rblShapeView sides[2] = {view_of(parents[depth + 1]), view_of(sibling)};
        uint32_t common = 0;
        for (uint32_t i = 0; i < cloud.count; ++i)
        {
            const float depth_in_parent = rbl_shape_distance(view.shape, cloud.points[i], NULL);
            const float own = rbl_shape_distance(sides[0].shape, cloud.points[i], NULL);
            if (depth_in_parent < -1e-3f && is_on_face(&cuts[depth], cloud.points[i]))
            {
                check_close(own, 0.0, 1e-6);
                check_close(rbl_shape_distance(sides[1].shape, cloud.points[i], NULL), 0.0, 1e-6);
                common += 1;
            }
        }
        assert_true(common > 100);
        check_ok(rbl_shape_destroy(sibling));
        free(cloud.points);
        free(other.points);
    }
    // Planes that no longer matter are gone.
    const rblPieceField* last = piece_of(view_of(parents[3]).shape);
    assert_ptr_equal(last->root, view_of(root).shape);
    assert_true(last->region->block_count <= 16 * last->region->cell_count);
    for (int i = 3; i >= 0; --i)
    {
        check_ok(rbl_shape_destroy(parents[i]));
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void pieces_meet_every_kind_of_shape(void** state)
{
    (void)state;
    rblShapeId ball;
    const rblShapeId dome = make_dome(&ball);
    const rblShapeView view = view_of(dome);
    assert_string_equal(view.kind, "piece");
    assert_string_equal(view.kind, "piece");
    check_close(view.inner_radius, 0.25, 0.15);
    // Its flat side on the ground, sunk by a millimetre.
    const rblShapeId ground = make_ground();
    rblContactSet set =
        collide(ground, dome, (rblTransform){{0, -0.001f, 0}, {0, 0, 0, 1}}, options_of(0.0f, 0.002f, 8));
    assert_true(set.count >= 3);
    for (uint32_t i = 0; i < set.count; ++i)
    {
        check_close(set.points[i].distance, -0.001, 1e-6);
        check_close(set.points[i].normal.y, 1.0, 1e-6);
    }
    rbl_contact_set_free(&set);
    rblShapeId others[5];
    check_ok(rbl_shape_create_sphere(0.1f, &others[0]));
    check_ok(rbl_shape_create_capsule(0.1f, 0.4f, &others[1]));
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.2f, 0.2f), &others[2]));
    others[3] = make_level_set("torus", 32);
    others[4] = make_dumbbell();
    for (int i = 0; i < 5; ++i)
    {
        // From below against the flat side: no sample of the ball's lower half is there to be met.
        const rblShapeView other = view_of(others[i]);
        const float top = other.bounds.upper.y;
        const rblTransform below = {{0.02f, -top + 0.002f, 0.01f}, {0, 0, 0, 1}};
        set = collide(dome, others[i], below, options_of(0.0f, 0.0f, 8));
        assert_true(set.count > 0);
        for (uint32_t k = 0; k < set.count; ++k)
        {
            assert_true(set.points[k].normal.y < -0.99f);
            assert_true(set.points[k].distance > -0.0021f - 0.02f * (strcmp(other.kind, "level set") == 0));
        }
        rbl_contact_set_free(&set);
        const rblTransform inside_ball = {{0, -0.3f - top, 0}, {0, 0, 0, 1}};
        set = collide(dome, others[i], inside_ball, options_of(0.0f, 0.0f, 8));
        assert_int_equal(set.count, 0);
        rbl_contact_set_free(&set);
        // Thrown up from there it stops at the flat side.
        const rblSweep still = {{{0, 0, 0}, {0, 0, 0, 1}}, {0, 0, 0}, {0, 0, 0}};
        const rblSweep up = {inside_ball, {0, 0.6f, 0}, {0, 0, 0}};
        check_close(rbl_shape_time_of_impact(&view, &still, &other, &up, 0.0f, 1e-3f), 0.5, 0.02);
        check_ok(rbl_shape_destroy(others[i]));
    }
    const rblRay ray = {{0.1f, -1, 0}, {0, 1, 0}, 0.0f, 10.0f};
    rblShapeHit hit;
    hit = rbl_shape_ray(view.shape, &ray);
    assert_true(hit.t < INFINITY);
    check_close(hit.t, 1.0, 1e-3);
    check_close(hit.normal.y, -1.0, 1e-5);
    check_ok(rbl_shape_destroy(dome));
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(ground));
}

// A wedge with an angle of 11 degrees: its planes go on beyond its edge, and a ball out there is near both of them, but not near
// the wedge.
static void beyond_a_crack_edge_nothing_touches(void** state)
{
    (void)state;
    rblShapeId box;
    check_ok(rbl_shape_create_box(rbl_vec3(2, 2, 2), &box));
    const rblHalfSpace planes[2] = {{rbl_normalize3(rbl_vec3(0.1f, 1, 0), rbl_vec3(0, 1, 0)), 0.0f, false},
                                    {rbl_normalize3(rbl_vec3(0.1f, -1, 0), rbl_vec3(0, 1, 0)), 0.0f, false}};
    const uint32_t starts[2] = {0, 2};
    const rblVec3 samples[3] = {{0, 0, 0}, {-1, 0.1f, 1}, {-1, -0.1f, -1}};
    const rblAabb bounds = {{-1, -0.1f, -1}, {0, 0.1f, 1}};
    const rblMassProperties mass = box_mass(bounds);
    const rblShapeView parent = view_of(box);
    const rblPieceShapeDef def = {.parent = parent.shape,
                                  .region = {planes, starts, NULL, 1},
                                  .samples = samples,
                                  .sample_count = 3,
                                  .mass = &mass,
                                  .bounds = bounds};
    rblShapeId wedge;
    rblShapeId ball;
    check_ok(rbl_shape_create_piece(&def, &wedge));
    check_ok(rbl_shape_create_sphere(0.05f, &ball));
    const rblShapeView view = view_of(wedge);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(0.3f, 0, 0), NULL), 0.3, 1e-5);
    assert_true(view.shape->kind->bound(view.shape->data, rbl_vec3(0.3f, 0, 0)) < 0.05f);
    rblContactSet set =
        collide(wedge, ball, (rblTransform){{0.15f, 0, 0}, {0, 0, 0, 1}}, options_of(0.08f, 0.001f, 8));
    assert_int_equal(set.count, 0);
    rbl_contact_set_free(&set);
    set = collide(wedge, ball, (rblTransform){{0.049f, 0, 0}, {0, 0, 0, 1}}, options_of(0.0f, 0.001f, 8));
    float along = 0.0f;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        along = rbl_maxf(set.points[i].normal.x, along);
    }
    check_close(along, 1.0, 1e-4);
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(wedge));
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(box));
}

// Two balls of one compound in one region: the box says which is meant.
static void a_boxed_piece_is_not_its_sibling_in_the_same_region(void** state)
{
    (void)state;
    const rblShapeId bell = make_dumbbell();
    const rblShapeView parent = view_of(bell);
    const rblHalfSpace plane = {{0, -1, 0}, -0.08f, false}; // above the bar
    const uint32_t starts[2] = {0, 1};
    const rblVec3 samples[2] = {{-0.5f, 0.2f, 0}, {-0.5f, 0.08f, 0.1f}};
    const rblAabb bounds = {{-0.7f, 0.08f, -0.2f}, {-0.3f, 0.2f, 0.2f}};
    const rblMassProperties mass = box_mass(bounds);
    const rblPieceShapeDef def = {.parent = parent.shape,
                                  .region = {&plane, starts, NULL, 1},
                                  .samples = samples,
                                  .sample_count = 2,
                                  .mass = &mass,
                                  .bounds = bounds,
                                  .boxed = true};
    rblShapeId id;
    check_ok(rbl_shape_create_piece(&def, &id));
    const rblShape* piece = view_of(id).shape;
    assert_true(rbl_shape_distance(piece, rbl_vec3(-0.5f, 0.1f, 0), NULL) < -0.019f);
    check_close(rbl_shape_distance(piece, rbl_vec3(0.5f, 0.1f, 0), NULL), 0.8, 1e-4);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_shape_destroy(bell));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_pieces_agree_with_brute_force),
        cmocka_unit_test(the_plane_between_two_cells_of_a_region_is_not_seen),
        cmocka_unit_test(pieces_of_pieces_of_pieces_fit),
        cmocka_unit_test(pieces_meet_every_kind_of_shape),
        cmocka_unit_test(beyond_a_crack_edge_nothing_touches),
        cmocka_unit_test(a_boxed_piece_is_not_its_sibling_in_the_same_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
