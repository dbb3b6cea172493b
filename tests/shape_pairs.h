// Two shapes that meet, for tests of contacts.
#ifndef RBL_TESTS_SHAPE_PAIRS_H
#define RBL_TESTS_SHAPE_PAIRS_H

#include "field/contact/collide.h"
#include "field/shape.h"
#include "shape_testing.h"

typedef struct Pair
{
    rblShapeView a, b;
    rblTransform b_in_a;
} Pair;

static inline rblVec3d support_a(const Pair* pair, rblVec3d n)
{
    return rbl_to_double3(pair->a.shape->kind->support(pair->a.shape->data, rbl_to_float3(n)));
}

static inline rblVec3d support_b(const Pair* pair, rblVec3d n)
{
    const rblVec3 local = rbl_inverse_rotate3(pair->b_in_a.q, rbl_to_float3(n));
    return rbl_to_double3(
        rbl_transform_point(pair->b_in_a, pair->b.shape->kind->support(pair->b.shape->data, local)));
}

static inline float least_distance(const rblContactSet* set)
{
    float least = INFINITY;
    for (uint32_t i = 0; i < set->count; ++i)
    {
        least = rbl_minf(set->points[i].distance, least);
    }
    return least;
}

static inline void collide(const Pair* pair, float margin, rblPairCache* cache, rblContactSet* out)
{
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = margin;
    check_ok(rbl_shape_collide(&pair->a, &pair->b, pair->b_in_a, &options, cache, out));
}

static inline void make_kind(rblRandom* random, int kind, rblShapeId* id)
{
    float radius;
    switch (kind)
    {
    case 0:
        check_ok(rbl_shape_create_sphere(random_between(random, 0.05f, 0.2f), id));
        break;
    case 1:
        radius = random_between(random, 0.03f, 0.1f);
        check_ok(rbl_shape_create_capsule(radius, random_between(random, 0.2f, 0.5f), id));
        break;
    case 2:
        check_ok(rbl_shape_create_box((rblVec3){random_between(random, 0.1f, 0.3f), 0.2f, 0.15f}, id));
        break;
    case 3:
        radius = random_between(random, 0.05f, 0.2f);
        check_ok(rbl_shape_create_cylinder(radius, random_between(random, 0.05f, 0.4f), id));
        break;
    default:
        *id = make_stone(random);
    }
}

#endif
