// Contacts by samples and fields: the selection against full enumeration, the cache, time of impact.
#include "testing.h"

#include "failing_allocator.h"
#include "field/contact/field_contact.h"
#include "field/contact/field_pair_cache.h"
#include "field_shapes.h"
#include <string.h>

// ---- selection against full enumeration ----

typedef struct Full
{
    uint32_t inside, deep; // below 0, below -eps
    float smallest;
    float residue; // the largest depth that a motion leaves to a sample that is inside and no contact
} Full;

// Samples are compared with a set of contacts.
typedef struct Selection
{
    const rblContactSet* set;
    float eps;
} Selection;

// A small motion of the second shape against the first, t + r x (p - center), in the first's axes, after a set of contacts.
typedef struct Motion
{
    const rblContactSet* set;
    rblVec3 center;
    double t[3], r[3];
} Motion;

static const rblContactPoint* find_feature(const rblContactSet* set, uint32_t feature)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        if (set->points[i].feature == feature)
        {
            return &set->points[i];
        }
    }
    return NULL;
}

static void row_of(rblVec3 point, rblVec3 normal, rblVec3 center, double row[6])
{
    const rblVec3d arm = rbl_to_double3(rbl_sub3(point, center));
    const rblVec3d n = rbl_to_double3(normal);
    const rblVec3d moment = rbl_cross3d(arm, n);
    const double values[6] = {n.x, n.y, n.z, moment.x, moment.y, moment.z};
    memcpy(row, values, sizeof values);
}

static double moved_along(const Motion* motion, const double row[6])
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        sum += row[k] * motion->t[k] + row[3 + k] * motion->r[k];
    }
    return sum;
}

// The smallest motion (turns times half the radius of the smaller shape) that puts the contacts of a set right.
static Motion resolve(const rblShapeView* a, const rblShapeView* b, rblTransform pose,
                      const rblContactSet* set)
{
    const bool second = b->bounded && (!a->bounded || b->radius < a->radius);
    const rblVec3 middle = rbl_to_float3(second ? b->mass.center : a->mass.center);
    const double length = 0.5 * (double)(second ? b->radius : a->radius);
    Motion motion = {.set = set, .center = second ? rbl_transform_point(pose, middle) : middle};
    double pushes[64] = {0};
    assert_true(set->count <= 64);
    for (int sweep = 0; sweep < 4000; ++sweep)
    {
        for (uint32_t i = 0; i < set->count; ++i)
        {
            double row[6];
            double square = 0.0;
            row_of(set->points[i].point, set->points[i].normal, motion.center, row);
            for (int k = 0; k < 3; ++k)
            {
                square += row[k] * row[k] + row[3 + k] * row[3 + k] / (length * length);
            }
            const double reached = (double)set->points[i].distance + moved_along(&motion, row);
            const double push = rbl_maxd(pushes[i] - reached / square, 0.0);
            for (int k = 0; k < 3; ++k)
            {
                motion.t[k] += (push - pushes[i]) * row[k];
                motion.r[k] += (push - pushes[i]) * row[3 + k] / (length * length);
            }
            pushes[i] = push;
        }
    }
    return motion;
}

// Every sample of one side, one by one: those deeper than eps are contacts.
static void enumerate(const rblShapeView* samples, const rblShapeView* field, rblTransform pose,
                      rblTransform to_a, uint32_t side, const Selection* selection, const Motion* motion,
                      Full* full)
{
    const float sign = side == 0 ? -1.0f : 1.0f; // makes the field's gradient the contact's normal
    const rblMat3 r = rbl_quat_to_mat3(pose.q);
    const rblVec3* points;
    uint32_t count;
    check_ok(rbl_shape_samples(samples, &points, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 p = rbl_add3(rbl_mat3_apply(&r, points[i]), pose.p);
        rblVec3 g;
        const float d = rbl_shape_distance(field->shape, p, &g);
        full->smallest = rbl_minf(full->smallest, d);
        full->inside += d < 0.0f;
        full->deep += selection != NULL && d < -selection->eps;
        if (selection != NULL && d < -selection->eps && find_feature(selection->set, 2 * i + side) == NULL)
        {
            fail_msg("sample %u of side %u, %.9g deep, was dropped", i, side, (double)-d);
        }
        if (motion != NULL && d < 0.0f && find_feature(motion->set, 2 * i + side) == NULL)
        {
            double row[6];
            row_of(rbl_transform_point(to_a, rbl_mul_add3(p, -0.5f * d, g)),
                   rbl_scale3(rbl_rotate3(to_a.q, g), sign), motion->center, row);
            full->residue = rbl_maxf(full->residue, (float)-((double)d + moved_along(motion, row)));
        }
    }
}

static Full enumerate_both(const rblShapeView* a, const rblShapeView* b, rblTransform pose,
                           const Selection* selection, const Motion* motion)
{
    Full full = {.smallest = INFINITY};
    enumerate(a, b, rbl_transform_inverse(pose), pose, 0, selection, motion, &full);
    enumerate(b, a, pose, rbl_transform_identity(), 1, selection, motion, &full);
    return full;
}

static float smallest_sample(const rblShapeView* a, const rblShapeView* b, rblTransform pose)
{
    return enumerate_both(a, b, pose, NULL, NULL).smallest;
}

static void check_selection(rblShapeId a, rblShapeId b, rblTransform pose, float margin, int* meetings)
{
    const rblShapeView va = view_of(a);
    const rblShapeView vb = view_of(b);
    const float eps = 0.002f * rbl_minf(va.radius, vb.radius);
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = margin;
    rblContactSet set = collide(a, b, pose, options);
    const Full full = enumerate_both(&va, &vb, pose, &(Selection){&set, eps}, NULL);
    float smallest = INFINITY;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        assert_true(set.points[i].distance <= rbl_maxf(margin, eps));
        check_close(rbl_length3(set.points[i].normal), 1.0, 1e-5);
        smallest = rbl_minf(smallest, set.points[i].distance);
    }
    assert_true(set.count >= full.deep && set.count <= full.deep + 8);
    assert_int_equal(set.colliding, full.inside);
    if (full.smallest <= rbl_maxf(margin, eps))
    {
        // The deepest, or the one with the smallest gap, is always there.
        check_close(smallest, full.smallest, 1e-6f + 1e-5f * fabsf(full.smallest));
        *meetings += 1;
    }
    else
    {
        assert_int_equal(set.count, 0);
    }
    rbl_contact_set_free(&set);
}

typedef struct Cast
{
    Torus torus;
    int destroyed;
    rblShapeId shapes[5];
} Cast;

static void make_cast(uint32_t cells, Cast* cast)
{
    *cast = (Cast){.torus = {0.15f, 0.06f, NULL}};
    cast->torus.destroyed = &cast->destroyed;
    cast->shapes[0] = make_level_set("statue", cells);
    cast->shapes[1] = make_level_set("wineglass", cells + cells / 2);
    cast->shapes[2] = make_torus(&cast->torus);
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.1f, 0.3f), &cast->shapes[3]));
    cast->shapes[4] = make_ground();
}

static void destroy_cast(Cast* cast)
{
    for (int i = 0; i < 5; ++i)
    {
        check_ok(rbl_shape_destroy(cast->shapes[i]));
    }
}

static void no_sample_deeper_than_eps_is_dropped(void** state)
{
    (void)state;
    Cast cast;
    make_cast(16, &cast);
    rblRandom random = rbl_random_seed(21, 1);
    int meetings = 0;
    for (int i = 0; i < 240; ++i)
    {
        const bool ground = i / 3 % 5 == 4;
        const rblShapeId a = cast.shapes[ground ? 4 : i % 3];
        const rblShapeId b = cast.shapes[ground ? i % 3 : i / 3 % 5];
        check_selection(a, b, random_pose(&random, ground ? 0.15f : 0.2f), i % 2 == 0 ? 0.0f : 0.02f,
                        &meetings);
    }
    assert_true(meetings > 100);
    destroy_cast(&cast);
}

// Moved away along the line between the two until they overlap by about the depth.
static rblTransform overlapping_by(const rblShapeView* a, const rblShapeView* b, rblTransform pose,
                                   float depth)
{
    const rblVec3 way = a->bounded ? rbl_scale3(pose.p, 1.0f / rbl_length3(pose.p)) : rbl_vec3(0, 1, 0);
    float low = -1.0f;
    float high = 1.0f;
    for (int i = 0; i < 30; ++i)
    {
        const float middle = 0.5f * (low + high);
        const rblTransform moved = {rbl_mul_add3(pose.p, middle, way), pose.q};
        *(smallest_sample(a, b, moved) < -depth ? &low : &high) = middle;
    }
    return (rblTransform){rbl_mul_add3(pose.p, high, way), pose.q};
}

// The contacts of a set that are not redundant.
static rblContactSet leading_of(const rblContactSet* set)
{
    rblContactSet leading = *set;
    leading.count = rbl_contact_set_leading(set);
    return leading;
}

// With a predicted path, here that of staying, no sample, redundant or dropped, is deeper than eps once the others are put right.
static void redundant_samples_come_right_with_the_others(void** state)
{
    (void)state;
    Cast cast;
    make_cast(48, &cast);
    rblRandom random = rbl_random_seed(28, 1);
    float worst = 0.0f;
    uint32_t most = 0;
    uint32_t inside = 0;
    uint32_t chosen = 0;
    for (int i = 0; i < 240; ++i)
    {
        const bool ground = i / 3 % 5 == 4;
        const rblShapeId ids[2] = {cast.shapes[ground ? 4 : i % 3], cast.shapes[ground ? i % 3 : i / 3 % 5]};
        const rblShapeView a = view_of(ids[0]);
        const rblShapeView b = view_of(ids[1]);
        const float eps = 0.002f * rbl_minf(a.radius, b.radius);
        const float depth = eps * (float)(1 + 3 * (i % 7));
        const rblTransform pose = overlapping_by(&a, &b, random_pose(&random, 0.2f), depth);
        const rblPredictedPath stay = {.end = pose, .pivot = pose.p};
        rblContactOptions options = rbl_default_contact_options();
        options.paths = &stay;
        options.path_count = 1;
        rblContactSet set = {0};
        check_ok(rbl_shape_find_contacts(&a, &b, pose, &options, NULL, &set));
        enumerate_both(&a, &b, pose, &(Selection){&set, eps}, NULL);
        const rblContactSet leading = leading_of(&set);
        const Motion motion = resolve(&a, &b, pose, &leading);
        const Full full = enumerate_both(&a, &b, pose, NULL, &motion);
        worst = rbl_maxf(worst, full.residue / eps);
        float smallest = INFINITY;
        for (uint32_t k = 0; k < set.count; ++k)
        {
            smallest = rbl_minf(smallest, set.points[k].distance);
        }
        // Smooth surfaces are closest beside the samples.
        assert_true(full.smallest > eps || smallest <= full.smallest + 1e-6f);
        assert_true(full.smallest > eps || smallest >= full.smallest - 0.01f * rbl_minf(a.radius, b.radius));
        most = leading.count > most ? leading.count : most;
        inside += full.inside;
        chosen += leading.count;
        rbl_contact_set_free(&set);
    }
    print_message("%u contacts of %u samples inside, at most %u of a pair; left %.3f eps deep\n", chosen,
                  inside, most, (double)worst);
    assert_true(worst < 1.2f && chosen < inside);
    destroy_cast(&cast);
}

// A compound has the contacts of its children that are not redundant, child by child, and then their redundant ones.
static void redundant_contacts_of_compounds_come_last(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.15f, 0.06f, &destroyed};
    const rblQuat none = {0, 0, 0, 1};
    rblShapeId rings_id, box_id;
    const rblShapeId ground_id = make_ground(), ring_id = make_torus(&torus);
    const rblShapeChild children[2] = {{ring_id, {{-0.3f, 0, 0}, none}}, {ring_id, {{0.3f, 0, 0}, none}}};
    check_ok(rbl_shape_create_compound(children, 2, &rings_id));
    check_ok(rbl_shape_create_box(rbl_vec3(0.2f, 0.2f, 0.2f), &box_id));
    const rblShapeView ground = view_of(ground_id), ring = view_of(ring_id), rings = view_of(rings_id);
    const rblShapeView box = view_of(box_id);
    const rblTransform pose = {{0, 0.055f, 0}, none};
    rblPredictedPath stay = {.end = pose, .pivot = pose.p};
    rblContactOptions options = rbl_default_contact_options();
    rblContactSet whole = {0}, parts[2] = {{0}, {0}};
    options.paths = &stay;
    options.path_count = 1;
    check_ok(rbl_shape_find_contacts(&ground, &rings, pose, &options, NULL, &whole));
    uint32_t at = 0;
    for (int k = 0; k < 2; ++k)
    {
        stay.end = rbl_transform_mul(pose, children[k].pose);
        check_ok(rbl_shape_find_contacts(&ground, &ring, stay.end, &options, NULL, &parts[k]));
        const uint32_t leading = rbl_contact_set_leading(&parts[k]);
        assert_true(leading > 0 && leading < parts[k].count);
        for (uint32_t i = 0; i < leading; ++i, ++at)
        {
            assert_memory_equal(&whole.points[at].point, &parts[k].points[i].point, sizeof(rblVec3));
        }
    }
    assert_int_equal(rbl_contact_set_leading(&whole), at);
    for (int k = 0; k < 2; ++k)
    {
        for (uint32_t i = rbl_contact_set_leading(&parts[k]); i < parts[k].count; ++i, ++at)
        {
            assert_memory_equal(&whole.points[at].point, &parts[k].points[i].point, sizeof(rblVec3));
        }
        rbl_contact_set_free(&parts[k]);
    }
    assert_int_equal(whole.count, at);
    const rblCollideOptions plain = rbl_default_collide_options();
    check_ok(rbl_shape_collide(&ground, &rings, pose, &plain, NULL, &whole)); // without paths there are none
    assert_int_equal(rbl_contact_set_leading(&whole), whole.count);
    check_ok(rbl_shape_find_contacts(&ground, &rings, pose, &options, NULL, &whole));
    check_ok(rbl_shape_find_contacts(&ground, &box, pose, &options, NULL, &whole)); // nor of convex shapes
    assert_true(whole.count > 0 && rbl_contact_set_leading(&whole) == whole.count);
    rbl_contact_set_free(&whole);
    check_ok(rbl_shape_destroy(box_id));
    check_ok(rbl_shape_destroy(rings_id));
    check_ok(rbl_shape_destroy(ring_id));
    check_ok(rbl_shape_destroy(ground_id));
}

// Statues so deep in each other that samples are nearer to the far side: all contacts push one way.
static void contacts_of_deep_overlap_do_not_contradict_each_other(void** state)
{
    (void)state;
    const rblShapeId statue = make_level_set("statue", 48);
    const rblShapeView view = view_of(statue);
    rblRandom random = rbl_random_seed(29, 1);
    int deep = 0;
    for (int i = 0; i < 60; ++i)
    {
        const rblTransform pose = random_pose(&random, 0.1f);
        rblContactSet set = collide(statue, statue, pose, options_of(0.0f, 0.0f, 8));
        rblVec3 out = {0, 0, 0};
        for (uint32_t k = 0; k < set.count; ++k)
        {
            out = rbl_mul_add3(out, rbl_maxf(-set.points[k].distance, 0.0f), set.points[k].normal);
        }
        const bool contradict = smallest_sample(&view, &view, pose) < -0.05f * view.radius;
        for (uint32_t k = 0; k < set.count && contradict; ++k)
        {
            assert_true(set.points[k].distance > -0.002f * view.radius ||
                        rbl_dot3(set.points[k].normal, out) > -0.5f * rbl_length3(out));
        }
        deep += contradict && set.count > 1;
        rbl_contact_set_free(&set);
    }
    assert_true(deep > 5);
    check_ok(rbl_shape_destroy(statue));
}

static void all_samples_can_be_had(void** state)
{
    (void)state;
    const rblShapeId statue = make_level_set("statue", 16);
    const rblShapeView view = view_of(statue);
    rblRandom random = rbl_random_seed(22, 1);
    for (int i = 0; i < 20; ++i)
    {
        const rblTransform pose = random_pose(&random, 0.1f);
        rblContactSet set = collide(statue, statue, pose, options_of(0.0f, 1e-6f, UINT32_MAX));
        const Full full = enumerate_both(&view, &view, pose, NULL, NULL);
        uint32_t inside = 0;
        for (uint32_t k = 0; k < set.count; ++k)
        {
            inside += set.points[k].distance < 0.0f;
        }
        assert_int_equal(inside, full.inside);
        assert_int_equal(set.colliding, full.inside);
        rbl_contact_set_free(&set);
    }
    check_ok(rbl_shape_destroy(statue));
}

// Which of the two is first does not matter, up to names and rounding.
static void contacts_are_the_same_both_ways_round(void** state)
{
    (void)state;
    const rblShapeId a = make_level_set("statue", 16);
    const rblShapeId b = make_level_set("torus", 16);
    rblRandom random = rbl_random_seed(23, 1);
    int compared = 0;
    for (int i = 0; i < 40; ++i)
    {
        const rblTransform pose = random_pose(&random, 0.15f);
        const rblCollideOptions all = options_of(0.0f, 1e-6f, UINT32_MAX);
        rblContactSet one = collide(a, b, pose, all);
        rblContactSet other = collide(b, a, rbl_transform_inverse(pose), all);
        for (uint32_t k = 0; k < one.count; ++k)
        {
            const rblContactPoint* c = &one.points[k];
            const rblContactPoint* d = find_feature(&other, c->feature ^ 1);
            if (d == NULL)
            {
                assert_true(fabsf(c->distance) < 1e-4f); // on the border, by rounding
                continue;
            }
            check_close(c->distance, d->distance, 2e-5);
            check_close(rbl_length3(rbl_sub3(c->point, rbl_transform_point(pose, d->point))), 0.0, 1e-4);
            ++compared;
        }
        rbl_contact_set_free(&one);
        rbl_contact_set_free(&other);
    }
    assert_true(compared > 200);
    check_ok(rbl_shape_destroy(a));
    check_ok(rbl_shape_destroy(b));
}

static void contacts_repeat_bit_by_bit_and_reuse_memory(void** state)
{
    (void)state;
    const rblShapeId a = make_level_set("statue", 16);
    const rblShapeView view = view_of(a);
    rblRandom random = rbl_random_seed(24, 1);
    rblContactSet set = {0};
    rblTransform poses[16];
    rblCollideOptions options = options_of(0.01f, 0.0f, 8);
    for (int i = 0; i < 16; ++i)
    {
        poses[i] = random_pose(&random, 0.1f);
        check_ok(rbl_shape_collide(&view, &view, poses[i], &options, NULL, &set));
    }
    const size_t bytes = rbl_bytes_in_use();
    for (int i = 0; i < 16; ++i)
    {
        rblContactSet fresh = collide(a, a, poses[i], options);
        check_ok(rbl_shape_collide(&view, &view, poses[i], &options, NULL, &set));
        assert_int_equal(set.count, fresh.count);
        assert_memory_equal(set.points, fresh.points, set.count * sizeof *set.points);
        rbl_contact_set_free(&fresh);
    }
    assert_int_equal(rbl_bytes_in_use(), bytes);
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(a));
}

// A gap g is used up by a way of g and not before, whatever the rotation: half turns have the least w.
static void the_cache_keeps_poses(void** state)
{
    (void)state;
    rblShapeId box;
    check_ok(rbl_shape_create_box(rbl_vec3(1, 1, 1), &box));
    const rblShapeView view = view_of(box);
    rblRandom random = rbl_random_seed(27, 1);
    for (int i = 0; i < 1000; ++i)
    {
        rblTransform pose = random_pose(&random, 3.0f);
        if (i % 4 == 0)
        {
            pose.q = rbl_quat_normalize((rblQuat){pose.q.x, pose.q.y, pose.q.z, 1e-4f * pose.q.w});
        }
        rblPairCache cache = {{0}};
        assert_false(rbl_field_cache_apart(&cache, &view, &view, pose, 0.0f));
        rbl_field_cache_store(&cache, pose, 0.01f);
        assert_true(rbl_field_cache_apart(&cache, &view, &view, pose, 0.009f));
        assert_false(rbl_field_cache_apart(&cache, &view, &view, pose, 0.01f));
        const rblQuat turn = rbl_quat_from_axis_angle(random_pose(&random, 1.0f).p, 0.0101f / view.radius);
        const rblTransform turned = {pose.p, rbl_quat_normalize(rbl_quat_mul(pose.q, turn))};
        assert_false(rbl_field_cache_apart(&cache, &view, &view, turned, 0.0f));
        rblTransform moved = pose;
        moved.p.y += 0.008f;
        assert_true(rbl_field_cache_apart(&cache, &view, &view, moved, 0.001f));
        assert_false(rbl_field_cache_apart(&cache, &view, &view, moved, 0.0021f));
        rbl_field_cache_clear(&cache);
        assert_false(rbl_field_cache_apart(&cache, &view, &view, pose, 0.0f));
    }
    check_ok(rbl_shape_destroy(box));
}

// Two statues drift past each other with many small steps: with and without the cache, the same contacts.
static void the_cache_never_changes_a_result(void** state)
{
    (void)state;
    const rblShapeId a = make_level_set("statue", 24);
    const rblShapeId ground = make_ground();
    const rblShapeView view = view_of(a);
    const rblShapeView plane = view_of(ground);
    rblRandom random = rbl_random_seed(26, 1);
    const rblCollideOptions options = options_of(0.005f, 0.0f, 8);
    rblContactSet with = {0};
    rblContactSet without = {0};
    int touching = 0;
    int skipped = 0;
    for (int run = 0; run < 24; ++run)
    {
        const rblShapeView* other = run % 3 == 0 ? &plane : &view;
        rblPairCache cache = {{0}};
        rblTransform pose = random_pose(&random, 0.3f);
        const rblVec3 step = rbl_scale3(pose.p, -1.0f / 60.0f);
        const rblVec3 axis = random_pose(&random, 1.0f).p;
        const rblQuat turn = rbl_quat_from_axis_angle(axis, 0.02f * rbl_random_float(&random));
        for (int i = 0; i < 80; ++i)
        {
            const rblPairCache before = cache;
            check_ok(rbl_shape_collide(other, &view, pose, &options, &cache, &with));
            check_ok(rbl_shape_collide(other, &view, pose, &options, NULL, &without));
            assert_int_equal(with.count, without.count);
            assert_int_equal(with.colliding, without.colliding);
            assert_true(with.count == 0 ||
                        memcmp(with.points, without.points, with.count * sizeof *with.points) == 0);
            touching += with.count > 0;
            skipped += i > 0 && with.count == 0 && memcmp(&before, &cache, sizeof cache) == 0;
            pose.p = rbl_add3(pose.p, step);
            pose.q = rbl_quat_normalize(rbl_quat_mul(turn, pose.q));
        }
    }
    assert_true(touching > 200 && skipped > 50);
    rbl_contact_set_free(&with);
    rbl_contact_set_free(&without);
    check_ok(rbl_shape_destroy(a));
    check_ok(rbl_shape_destroy(ground));
}

// Figure 5 of Glondu 2012, at rest: a plate on a plane.
static void a_plate_lies_on_few_contacts(void** state)
{
    (void)state;
    const rblShapeId plate = make_level_set("plate", 40);
    const rblShapeId ground = make_ground();
    const rblShapeView view = view_of(plate);
    const float eps = 0.002f * view.radius;
    const rblTransform pose = {{0, -view.bounds.lower.y - 0.5f * eps, 0}, {0, 0, 0, 1}};
    rblContactSet few = collide(ground, plate, pose, options_of(0.0f, 0.0f, 8));
    rblContactSet all = collide(ground, plate, pose, options_of(0.0f, 0.0f, UINT32_MAX));
    print_message("plate: %u samples, %u inside, %u contacts of %u\n", view.sample_count, all.colliding,
                  few.count, all.count);
    assert_int_equal(few.count, 8);
    assert_true(all.colliding > 30);
    rbl_contact_set_free(&few);
    rbl_contact_set_free(&all);
    check_ok(rbl_shape_destroy(plate));
    check_ok(rbl_shape_destroy(ground));
}

// ---- time of impact ----

// The pose of a shape at a fraction of its motion, turned about its centre of mass.
static rblTransform swept(const rblShapeView* view, const rblSweep* sweep, float t)
{
    const float angle = rbl_length3(sweep->rotation);
    const rblQuat turn = rbl_quat_from_axis_angle(sweep->rotation, t * angle);
    const rblVec3 center = rbl_to_float3(view->mass.center);
    const rblVec3 start = rbl_transform_point(sweep->from, center);
    const rblQuat q = rbl_quat_normalize(rbl_quat_mul(turn, sweep->from.q));
    return (rblTransform){rbl_sub3(rbl_mul_add3(start, t, sweep->translation), rbl_rotate3(q, center)), q};
}

// A sweep through the origin, both turning. Returns whether they meet.
static bool check_time_of_impact(const rblShapeView* a, const rblShapeView* b, rblRandom* random, int number)
{
    const rblSweep turning = {.from = rbl_transform_identity(), .rotation = random_pose(random, 2.0f).p};
    rblSweep sweep = {.from = random_pose(random, 0.0f)};
    const rblVec3 way = random_pose(random, 1.0f).p;
    sweep.from.p = rbl_scale3(way, -1.0f);
    sweep.translation = rbl_scale3(way, 2.0f);
    sweep.rotation = random_pose(random, 3.0f).p;
    const float t = rbl_shape_time_of_impact(a, &turning, b, &sweep, 0.002f, 0.001f);
    float gap = 0.0f;
    for (int k = 0; k <= 20; ++k)
    {
        const rblTransform at = swept(a, &turning, t * (float)k / 20.0f);
        const rblTransform there = swept(b, &sweep, t * (float)k / 20.0f);
        gap = smallest_sample(a, b, rbl_transform_relative(at, there));
        if (gap < 0.001f && t > 0.0f)
        {
            fail_msg("sweep %d: closer than the target at %d / 20 of %.9g", number, k, (double)t);
        }
    }
    if (t < 1.0f && !(gap < 0.0035f))
    {
        fail_msg("sweep %d: still %.9g m apart at %.9g", number, (double)gap, (double)t);
    }
    return t < 1.0f;
}

static void time_of_impact_is_neither_late_nor_early(void** state)
{
    (void)state;
    const rblShapeId statue = make_level_set("statue", 16);
    const rblShapeId plate = make_level_set("plate", 40);
    const rblShapeView a = view_of(statue);
    const rblShapeView b = view_of(plate);
    rblRandom random = rbl_random_seed(25, 1);
    int impacts = 0;
    for (int i = 0; i < 60; ++i)
    {
        impacts += check_time_of_impact(i % 2 == 0 ? &a : &b, i % 2 == 0 ? &b : &a, &random, i);
    }
    assert_in_range(impacts, 10, 59);
    check_ok(rbl_shape_destroy(statue));
    check_ok(rbl_shape_destroy(plate));
}

static void a_bullet_does_not_pass_a_thin_plate(void** state)
{
    (void)state;
    rblShapeId bullet;
    const rblShapeId plate = make_level_set("plate", 40);
    check_ok(rbl_shape_create_sphere(0.002f, &bullet));
    const rblShapeView a = view_of(plate);
    const rblShapeView b = view_of(bullet);
    const rblSweep rest = {.from = rbl_transform_identity()};
    const rblSweep shot = {.from = {{0.03f, 10.0f, 0.01f}, {0, 0, 0, 1}}, .translation = {0, -20.0f, 0}};
    const float t = rbl_shape_time_of_impact(&a, &rest, &b, &shot, 0.001f, 0.0005f);
    const rblTransform pose = swept(&b, &shot, t);
    assert_true(t < 1.0f && pose.p.y > a.bounds.lower.y);
    check_close(rbl_shape_distance(a.shape, pose.p, NULL), 0.003, 0.0005);
    check_ok(rbl_shape_destroy(bullet));
    check_ok(rbl_shape_destroy(plate));
}

// ---- memory ----

static void colliding_survives_running_out_of_memory(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    const rblShapeId torus = make_level_set("torus", 12);
    const rblShapeId dumbbell = make_dumbbell();
    const rblShapeView views[2] = {view_of(torus), view_of(dumbbell)};
    const rblVec3* points;
    uint32_t count;
    check_ok(rbl_shape_samples(&views[1], &points, &count)); // those of its children remain, too
    const size_t live = memory.live;
    const rblCollideOptions options = options_of(0.01f, 0.0f, 8);
    const rblTransform pose = {{0.05f, 0, 0}, {0, 0, 0, 1}};
    for (int which = 0; which < 2; ++which)
    {
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t n = 0; result != RBL_OK; ++n)
        {
            rblContactSet set = {0};
            memory.left = n;
            result = rbl_shape_collide(&views[0], &views[which], pose, &options, NULL, &set);
            assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
            assert_true(result != RBL_OK || set.count > 0);
            rbl_contact_set_free(&set);
            assert_int_equal(memory.live, live);
        }
    }
    memory.left = SIZE_MAX;
    check_ok(rbl_shape_destroy(torus));
    check_ok(rbl_shape_destroy(dumbbell));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_sample_deeper_than_eps_is_dropped),
        cmocka_unit_test(redundant_samples_come_right_with_the_others),
        cmocka_unit_test(redundant_contacts_of_compounds_come_last),
        cmocka_unit_test(contacts_of_deep_overlap_do_not_contradict_each_other),
        cmocka_unit_test(all_samples_can_be_had),
        cmocka_unit_test(contacts_are_the_same_both_ways_round),
        cmocka_unit_test(contacts_repeat_bit_by_bit_and_reuse_memory),
        cmocka_unit_test(the_cache_keeps_poses),
        cmocka_unit_test(the_cache_never_changes_a_result),
        cmocka_unit_test(a_plate_lies_on_few_contacts),
        cmocka_unit_test(time_of_impact_is_neither_late_nor_early),
        cmocka_unit_test(a_bullet_does_not_pass_a_thin_plate),
        cmocka_unit_test(colliding_survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
