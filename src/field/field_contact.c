#include "field/field_contact.h"

#include "base/array.h"
#include "base/error.h"
#include "field/compound.h"
#include "field/field_pair_cache.h"
#include "field/field_sampling.h"
#include "math/aabb.h"

#define DEFAULT_TOLERANCE 0.002f // of the smaller radius
#define SAME_DIRECTION    0.95f  // cosine between the normals of doubles

// Larger sets are not searched for doubles: every pair is looked at, and among so many a few more do no harm.
#define MOST_SEARCHED 64u

// A sample of one side that touches the other.
typedef struct Touch
{
    uint32_t sample;
    uint32_t side; // whose sample: 0 the first shape's, 1 the second's
    float distance;
    rblVec3 point; // in the axes of the field
} Touch;

typedef RBL_ARRAY(Touch) TouchArray;

struct rblContactScratch
{
    rblFrontier frontiers[2];
    TouchArray near; // within eps, or deeper than eps after the first m
    TouchArray gaps; // between eps and the margin
    rblContactSet part;
};

// ---- contact sets ----

static struct rblContactScratch* scratch_of(rblContactSet* set)
{
    if (set->scratch == NULL)
    {
        const rblAllocator* memory = rbl_default_allocator();
        struct rblContactScratch* scratch = rbl_alloc_zero(memory, sizeof *scratch);
        if (scratch != NULL)
        {
            rbl_frontier_init(&scratch->frontiers[0], memory);
            rbl_frontier_init(&scratch->frontiers[1], memory);
            rbl_array_init(&scratch->near, memory);
            rbl_array_init(&scratch->gaps, memory);
        }
        set->scratch = scratch;
    }
    return set->scratch;
}

rblContactSet* rbl_contact_set_part(rblContactSet* set)
{
    struct rblContactScratch* scratch = scratch_of(set);
    return scratch != NULL ? &scratch->part : NULL;
}

void rbl_contact_scratch_free(rblContactSet* set)
{
    struct rblContactScratch* scratch = set->scratch;
    if (scratch != NULL)
    {
        rbl_frontier_free(&scratch->frontiers[0]);
        rbl_frontier_free(&scratch->frontiers[1]);
        rbl_array_free(&scratch->near);
        rbl_array_free(&scratch->gaps);
        rbl_contact_set_free(&scratch->part);
        rbl_free(rbl_default_allocator(), scratch, sizeof *scratch);
        set->scratch = NULL;
    }
}

// ---- selection ----

typedef struct Selection
{
    struct rblContactScratch* scratch;
    float eps, margin;
    uint32_t first_count; // m
    uint32_t inside;
    Touch deepest;       // of all met; distance infinite before the first
    bool deepest_listed; // it is in one of the lists
} Selection;

// What a search must still look for: samples with smaller distances than this.
static float wanted_below(const Selection* s)
{
    const float deepest = s->deepest.distance;
    if (s->scratch->near.count >= s->first_count)
    {
        return rbl_maxf(deepest, -s->eps);
    }
    return s->scratch->gaps.count >= s->first_count ? rbl_maxf(deepest, s->eps) : s->margin;
}

// A sample within the margin. False when out of memory.
static bool consider(Selection* s, const Touch* touch)
{
    const float d = touch->distance;
    s->inside += d < 0.0f;
    TouchArray* list = d <= s->eps ? &s->scratch->near : &s->scratch->gaps;
    const bool listed = list->count < s->first_count || d < -s->eps;
    if (d < s->deepest.distance)
    {
        s->deepest = *touch;
        s->deepest_listed = listed;
    }
    return !listed || rbl_array_push(list, *touch);
}

static bool meet(rblSampling* side, uint32_t which, Selection* s)
{
    rblSampleVisit visit;
    while (rbl_sampling_next(side, wanted_below(s), &visit))
    {
        const Touch touch = {visit.sample, which, visit.distance, visit.point};
        if (visit.distance <= s->margin && !consider(s, &touch))
        {
            return false;
        }
    }
    return !side->out_of_memory;
}

// Both hierarchies level by level, so that neither side's samples crowd out the other's (Glondu 2012, Algorithm 1).
static bool search(rblSampling sides[2], Selection* s)
{
    rbl_array_clear(&s->scratch->near);
    rbl_array_clear(&s->scratch->gaps);
    while (!rbl_sampling_done(&sides[0]) || !rbl_sampling_done(&sides[1]))
    {
        for (uint32_t which = 0; which < 2; ++which)
        {
            if (rbl_sampling_done(&sides[which]))
            {
                continue;
            }
            if (!meet(&sides[which], which, s))
            {
                return false;
            }
            rbl_sampling_next_level(&sides[which]);
        }
    }
    return true;
}

// ---- results ----

static rblContactPoint contact_of(const Touch* t, const rblSampling sides[2])
{
    rblContactPoint c = {.distance = t->distance, .feature = 2 * t->sample + t->side};
    const rblShape* field = sides[t->side].field.shape;
    rblVec3 gradient;
    field->ops->distance(field->data, t->point, &gradient);
    // Halfway from the sample to the surface of the field.
    const rblVec3 middle = rbl_mul_add3(t->point, -0.5f * t->distance, gradient);
    if (t->side == 1)
    {
        c.point = middle;
        c.normal = gradient;
    }
    else
    {
        // In the second shape's axes; side 1's motion leads to the first's.
        c.point = rbl_add3(rbl_mat3_apply(&sides[1].rotation, middle), sides[1].offset);
        c.normal = rbl_neg3(rbl_mat3_apply(&sides[1].rotation, gradient));
    }
    return c;
}

static rblResult write_contacts(const Selection* s, const rblSampling sides[2], rblContactSet* out)
{
    const TouchArray* near = &s->scratch->near;
    const TouchArray* gaps = &s->scratch->gaps;
    const bool add_deepest = !s->deepest_listed && s->deepest.distance <= s->margin;
    const size_t left =
        near->count + add_deepest < s->first_count ? s->first_count - near->count - add_deepest : 0;
    const size_t gap_count = gaps->count < left ? gaps->count : left;
    if (!rbl_contact_set_reserve(out, (uint32_t)(near->count + gap_count + 1)))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < near->count; ++i)
    {
        out->points[out->count++] = contact_of(&near->data[i], sides);
    }
    if (add_deepest)
    {
        out->points[out->count++] = contact_of(&s->deepest, sides);
    }
    for (size_t i = 0; i < gap_count; ++i)
    {
        out->points[out->count++] = contact_of(&gaps->data[i], sides);
    }
    return RBL_OK;
}

static bool is_double(const rblContactPoint* a, const rblContactPoint* b, float eps)
{
    const rblVec3 d = rbl_sub3(a->point, b->point);
    return (a->feature & 1) != (b->feature & 1) && rbl_dot3(d, d) <= eps * eps &&
           rbl_dot3(a->normal, b->normal) > SAME_DIRECTION;
}

// Of two contacts from either side at one place keep the deeper; the order of the others stays.
static void drop_doubles(rblContactSet* set, float eps)
{
    if (set->count > MOST_SEARCHED)
    {
        return;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->count; ++i)
    {
        uint32_t twin = 0;
        while (twin < kept && !is_double(&set->points[twin], &set->points[i], eps))
        {
            ++twin;
        }
        if (twin == kept)
        {
            set->points[kept++] = set->points[i];
        }
        else if (set->points[i].distance < set->points[twin].distance)
        {
            set->points[twin] = set->points[i];
        }
    }
    set->count = kept;
}

// ---- the call ----

static float tolerance_of(const rblShapeView* a, const rblShapeView* b, const rblCollideOptions* options)
{
    return options->tolerance > 0.0f ? options->tolerance
                                     : DEFAULT_TOLERANCE * rbl_minf(a->radius, b->radius);
}

// Only pairs that are clearly apart are worth it.
static void remember(rblPairCache* cache, rblTransform b_in_a, float nearest, float margin)
{
    if (nearest > margin)
    {
        rbl_field_cache_store(cache, b_in_a, nearest);
    }
    else
    {
        rbl_field_cache_clear(cache);
    }
}

rblResult rbl_collide_fields(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                             const rblCollideOptions* options, rblPairCache* cache, rblContactSet* out)
{
    out->count = 0;
    out->colliding = 0;
    if (a->kind == RBL_SHAPE_COMPOUND || b->kind == RBL_SHAPE_COMPOUND)
    {
        return rbl_collide_compound(a, b, b_in_a, options, out);
    }
    const float eps = tolerance_of(a, b, options);
    const float margin = rbl_maxf(options->margin, eps);
    if (!rbl_boxes_near(a, b, b_in_a, margin) || rbl_field_cache_apart(cache, a, b, b_in_a, margin))
    {
        return RBL_OK;
    }
    Selection s = {.scratch = scratch_of(out),
                   .eps = eps,
                   .margin = margin,
                   .first_count = options->first_count,
                   .deepest = {.distance = INFINITY}};
    if (s.scratch == NULL)
    {
        return rbl_fail_memory();
    }
    rblSampling sides[2];
    rbl_sampling_init(&sides[0], a->shape, b->shape, rbl_transform_inverse(b_in_a), &s.scratch->frontiers[0]);
    rbl_sampling_init(&sides[1], b->shape, a->shape, b_in_a, &s.scratch->frontiers[1]);
    if (!search(sides, &s))
    {
        return rbl_fail_memory();
    }
    if (cache != NULL)
    {
        remember(cache, b_in_a, rbl_minf(sides[0].nearest, sides[1].nearest), s.margin);
    }
    out->colliding = s.inside;
    RBL_TRY(write_contacts(&s, sides, out));
    drop_doubles(out, eps);
    return RBL_OK;
}
