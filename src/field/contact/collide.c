// Contacts of two shapes: choice of the algorithm by the kinds of the pair.
#include "field/contact/collide.h"

#include "base/def.h"
#include "base/error.h"
#include "base/memory.h"
#include "field/contact/field_contact.h"
#include "field/convex/convex_contact.h"
#include "math/transform.h"

// ---- tuning ----
#define FIRST_COUNT 8 // number of contacts after which only deep points are added (Glondu 2012, 5.3)

RBL_DEF_KIND(collide_options, rblCollideOptions, "collide", rbl_default_collide_options, 0xC0111DE5u);

void rbl_collide_options_init(rblCollideOptions* options, size_t size)
{
    const rblCollideOptions defaults = {.margin = 0.0f, .tolerance = 0.0f, .first_count = FIRST_COUNT};
    rbl_def_init(&collide_options, &defaults, options, size);
}

rblContactOptions rbl_default_contact_options(void)
{
    return (rblContactOptions){.margin = 0.0f, .tolerance = 0.0f, .first_count = FIRST_COUNT};
}

const rblAllocator* rbl_contact_set_allocator(const rblContactSet* set)
{
    return set->allocator != NULL ? set->allocator : rbl_default_allocator();
}

void rbl_contact_set_free(rblContactSet* set)
{
    if (set == NULL)
    {
        return;
    }
    rbl_contact_scratch_free(set);
    rbl_free(rbl_contact_set_allocator(set), set->points, set->capacity * sizeof *set->points);
    *set = (rblContactSet){.allocator = set->allocator};
}

bool rbl_contact_set_reserve(rblContactSet* set, uint32_t extra)
{
    const uint32_t wanted = set->count + extra;
    if (wanted <= set->capacity)
    {
        return true;
    }
    const uint32_t capacity = wanted < 16 ? 16 : wanted + wanted / 2;
    rblContactPoint* points = RBL_NEW_ARRAY(rbl_contact_set_allocator(set), rblContactPoint, capacity);
    if (points == NULL)
    {
        return false;
    }
    for (uint32_t i = 0; i < set->count; ++i)
    {
        points[i] = set->points[i];
    }
    rbl_free(rbl_contact_set_allocator(set), set->points, set->capacity * sizeof *set->points);
    set->points = points;
    set->capacity = capacity;
    return true;
}

static const rblHull* hull_of(const rblShapeView* view)
{
    return view->shape->core.hull;
}

float rbl_shape_known_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                          const rblPairCache* cache)
{
    const rblHull* hull_a = hull_of(a);
    const rblHull* hull_b = hull_of(b);
    const rblHullCache known = rbl_hull_cache_read(cache);
    if (hull_a == NULL || hull_b == NULL || !(rbl_dot3(known.axis, known.axis) > 0.5f))
    {
        return -INFINITY;
    }
    const rblVec3 in_b = rbl_inverse_rotate3(b_in_a.q, known.axis);
    return rbl_dot3(known.axis, b_in_a.p) - rbl_hull_reach(hull_a, known.axis) -
           rbl_hull_reach(hull_b, rbl_neg3(in_b));
}

// Contacts of two convex shapes. `out` is empty on entry.
static rblResult collide_convex(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                const rblContactOptions* options, rblPairCache* cache, rblContactSet* out)
{
    const rblPairQuery query = {a, b, b_in_a, options->margin, cache};
    const rblHull* hull_a = hull_of(a);
    const rblHull* hull_b = hull_of(b);
    if (hull_a != NULL && hull_b != NULL)
    {
        return rbl_contact_hulls(&query, hull_a, hull_b, out);
    }
    const rblCoreForm form_a = a->shape->core.form;
    const rblCoreForm form_b = b->shape->core.form;
    if (form_a == RBL_CORE_HALF_SPACE || form_b == RBL_CORE_HALF_SPACE)
    {
        return rbl_contact_plane(&query, form_b == RBL_CORE_HALF_SPACE, out);
    }
    if (form_a == RBL_CORE_POINT || form_b == RBL_CORE_POINT)
    {
        return rbl_contact_ball(&query, form_b == RBL_CORE_POINT, out);
    }
    if (form_a == RBL_CORE_SEGMENT && form_b == RBL_CORE_SEGMENT)
    {
        return rbl_contact_capsules(&query, out);
    }
    return rbl_contact_round(&query, out);
}

// A shape whose kind finds its contacts with bounded convex shapes itself.
static bool collides_itself(const rblShapeView* shape, const rblShapeView* other)
{
    return shape->shape->kind->collide != NULL && other->convex && other->bounded;
}

// The same with the roles exchanged: contacts in the axes of b become contacts in those of a.
static rblResult collide_from_b(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                float margin, rblContactSet* out)
{
    RBL_TRY(b->shape->kind->collide(b, a, rbl_transform_inverse(b_in_a), margin, out));
    for (uint32_t i = 0; i < out->count; ++i)
    {
        rblContactPoint* c = &out->points[i];
        c->point = rbl_transform_point(b_in_a, c->point);
        c->normal = rbl_neg3(rbl_rotate3(b_in_a.q, c->normal));
    }
    return RBL_OK;
}

rblResult rbl_shape_find_contacts(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                  const rblContactOptions* options, rblPairCache* cache, rblContactSet* out)
{
    out->count = 0;
    out->colliding = 0;
    out->visited = 0;
    out->clear = 0.0f;
    rbl_contact_set_keep_leading(out, UINT32_MAX);
    if (!rbl_finite3(b_in_a.p) || !rbl_finite((double)rbl_quat_dot(b_in_a.q, b_in_a.q)))
    {
        return RBL_OK; // a body with a pose that is not finite touches nothing
    }
    if (collides_itself(a, b))
    {
        return a->shape->kind->collide(a, b, b_in_a, options->margin, out);
    }
    if (collides_itself(b, a))
    {
        return collide_from_b(a, b, b_in_a, options->margin, out);
    }
    return a->convex && b->convex ? collide_convex(a, b, b_in_a, options, cache, out)
                                  : rbl_fields_collide(a, b, b_in_a, options, cache, out);
}

rblResult rbl_shape_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                            const rblCollideOptions* options, rblPairCache* cache, rblContactSet* out)
{
    if (a == NULL || a->shape == NULL || b == NULL || b->shape == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "collide: a, b, their shapes and out must not be null");
    }
    rblCollideOptions read = rbl_default_collide_options();
    RBL_TRY(options != NULL ? rbl_def_read(&collide_options, options, &read) : RBL_OK);
    const rblContactOptions plain = {
        .margin = read.margin, .tolerance = read.tolerance, .first_count = read.first_count};
    return rbl_shape_find_contacts(a, b, b_in_a, &plain, cache, out);
}
