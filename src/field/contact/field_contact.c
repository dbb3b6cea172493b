#include "field/contact/field_contact.h"

#include "base/array.h"
#include "base/error.h"
#include "field/contact/field_pair_cache.h"
#include "field/contact/field_sampling.h"
#include "field/contact/field_select.h"
#include "field/contact/field_smooth.h"
#include "field/fragment/fragment_shape.h"
#include "field/piece.h"
#include "math/aabb.h"

// ---- tuning ----
#define DEFAULT_TOLERANCE 0.002f // relative to the smaller radius: eps
#define DEEP              20.0f  // relative to eps; above this overlap contact normals may be opposed
// Relative to eps; smallest motion that the selection assumes, also for bodies at rest.
#define MIN_MOTION 10.0f
// Relative to the first count; number of candidates after which samples of two fragments are not refined.
#define ENOUGH 2u
// Relative to half the sample spacing of a level; gap of the candidates that count for ENOUGH.
#define NEARBY 0.25f
// Relative to the smaller inner radius; radius about a contact in which smooth surfaces are fitted.
#define SMOOTH_SCALE 0.42f
// Number of look-ups of the field on the path of a possible obstacle. A path that needs more is not checked.
#define MIN_LOOKUPS 4.0f
#define MAX_LOOKUPS 16.0f

// A sample of one shape that touches the other shape.
typedef struct Touch
{
    uint32_t sample;
    uint32_t side; // 0: a sample of the first shape, 1: of the second
    float distance;
    rblVec3 point;    // in the axes of the field
    rblVec3 gradient; // at the point; zero: not computed yet
} Touch;

typedef RBL_ARRAY(Touch) TouchArray;

struct rblContactScratch
{
    rblFrontier frontiers[2];
    TouchArray touches;
    rblCandidateArray candidates;
    rblSelectScratch select;
    rblContactSet part;
    rblPartPairArray pairs; // of parts
    uint32_t leading;       // contacts of the set that are not redundant; may be more than there are
};

// ---- contact sets ----

static struct rblContactScratch* scratch_of(rblContactSet* set)
{
    if (set->scratch == NULL)
    {
        const rblAllocator* memory = rbl_contact_set_allocator(set);
        struct rblContactScratch* scratch = rbl_alloc_zero(memory, sizeof *scratch);
        if (scratch != NULL)
        {
            rbl_frontier_init(&scratch->frontiers[0], memory);
            rbl_frontier_init(&scratch->frontiers[1], memory);
            rbl_array_init(&scratch->touches, memory);
            rbl_array_init(&scratch->candidates, memory);
            rbl_select_scratch_init(&scratch->select, memory);
            scratch->part.allocator = memory;
            rbl_array_init(&scratch->pairs, memory);
            scratch->leading = UINT32_MAX;
        }
        set->scratch = scratch;
    }
    return set->scratch;
}

rblContactSet* rbl_contact_set_part(rblContactSet* set, rblPartPairArray** pairs)
{
    struct rblContactScratch* scratch = scratch_of(set);
    *pairs = scratch != NULL ? &scratch->pairs : NULL;
    return scratch != NULL ? &scratch->part : NULL;
}

void rbl_contact_set_keep_leading(rblContactSet* set, uint32_t leading)
{
    if (set->scratch != NULL)
    {
        set->scratch->leading = leading;
    }
}

uint32_t rbl_contact_set_leading(const rblContactSet* set)
{
    const uint32_t leading = set->scratch != NULL ? set->scratch->leading : set->count;
    return leading < set->count ? leading : set->count;
}

void rbl_contact_scratch_free(rblContactSet* set)
{
    struct rblContactScratch* scratch = set->scratch;
    if (scratch != NULL)
    {
        rbl_frontier_free(&scratch->frontiers[0]);
        rbl_frontier_free(&scratch->frontiers[1]);
        rbl_array_free(&scratch->touches);
        rbl_array_free(&scratch->candidates);
        rbl_select_scratch_free(&scratch->select);
        rbl_contact_set_free(&scratch->part);
        rbl_array_free(&scratch->pairs);
        rbl_free(rbl_contact_set_allocator(set), scratch, sizeof *scratch);
        set->scratch = NULL;
    }
}

// ---- candidates ----

typedef struct Search
{
    struct rblContactScratch* scratch;
    float eps, margin;
    bool all; // whether to collect all candidates within the margin, not only those that matter
    // Number of candidates, closer than the sample spacing of a level, after which finer levels are skipped; 0: never.
    uint32_t max_candidates;
    uint32_t inside;
    float deepest; // smallest distance so far; infinite before the first
} Search;

// Half of the sample spacing of a level: the first 2^level samples cover the surface evenly.
static float half_spacing(const rblSampling* side)
{
    float spacing = side->radius;
    for (uint32_t l = 1; l < side->level; l += 2)
    {
        spacing *= 0.5f;
    }
    return side->level % 2 == 1 ? spacing : 0.70710678f * spacing;
}

// The search needs only samples with smaller distances than this. If the gap is wider than half of the sample spacing
// of a level, samples of finer levels add almost nothing. (With the full spacing as limit, a pile of statues needs 20 %
// more time and is not more stable.)
static float wanted_below(const Search* s, float spacing)
{
    const float spacing_limit = s->all ? s->margin : rbl_minf(rbl_maxf(spacing, s->eps), s->margin);
    return rbl_maxf(spacing_limit, rbl_minf(s->deepest, s->margin));
}

// The grid of a fragment rounds edges off, outside and inside. Near the surface the fragment itself gives the sign and
// the depth.
static bool is_touch_by_depth(const rblField* field, float wanted, Touch* touch)
{
    if (touch->distance <= field->error)
    {
        const float depth = field->depth(field->shape, touch->point, &touch->gradient);
        touch->distance = depth > 0.0f ? -depth : rbl_maxf(touch->distance, 0.0f);
    }
    return touch->distance <= wanted;
}

// Outside a piece, a sample touches only if its projection is on the piece.
static bool is_touch(const rblField* field, float wanted, Touch* touch)
{
    if (field->error > 0.0f)
    {
        return is_touch_by_depth(field, wanted, touch);
    }
    if (touch->distance > wanted || field->confirm == NULL || touch->distance <= 0.0f)
    {
        return touch->distance <= wanted;
    }
    return field->confirm(field->shape, touch->point, wanted, &touch->distance);
}

static bool visit_next(rblSampling* side, uint32_t which, Search* s)
{
    const float spacing = half_spacing(side);
    rblSampleVisit visit;
    float wanted = wanted_below(s, spacing);
    while (rbl_sampling_next(side, wanted, &visit))
    {
        Touch touch = {visit.sample, which, visit.distance, visit.point, {0, 0, 0}};
        if (!is_touch(&side->field, wanted, &touch))
        {
            continue;
        }
        if (!rbl_array_push(&s->scratch->touches, touch))
        {
            return false;
        }
        s->inside += touch.distance < 0.0f;
        s->deepest = rbl_minf(touch.distance, s->deepest);
        wanted = wanted_below(s, spacing);
    }
    return !side->out_of_memory;
}

// Fragments that fit together touch with every sample of their common crack, which can be thousands. Every level covers
// the crack evenly, so that after many candidates on one level finer levels add almost nothing (Glondu 2012, 5.3). On other
// shapes a fragment can stand with a corner that only fine levels have.
static bool is_enough(const Search* s, float spacing)
{
    const TouchArray* touches = &s->scratch->touches;
    if (s->max_candidates == 0 || touches->count < s->max_candidates)
    {
        return false;
    }
    const float near = rbl_maxf(NEARBY * spacing, s->eps);
    uint32_t count = 0;
    for (size_t i = 0; i < touches->count && count < s->max_candidates; ++i)
    {
        count += touches->data[i].distance <= near;
    }
    return count == s->max_candidates;
}

// Both hierarchies are searched level by level, so that the candidates come from both sides (Glondu 2012, Algorithm 1).
static bool search(rblSampling sides[2], Search* s)
{
    bool finished = false;
    rbl_array_clear(&s->scratch->touches);
    while (!finished && (!rbl_sampling_done(&sides[0]) || !rbl_sampling_done(&sides[1])))
    {
        float spacing = INFINITY;
        for (uint32_t which = 0; which < 2; ++which)
        {
            if (rbl_sampling_done(&sides[which]))
            {
                continue;
            }
            if (!visit_next(&sides[which], which, s))
            {
                return false;
            }
            spacing = rbl_minf(half_spacing(&sides[which]), spacing);
            rbl_sampling_next_level(&sides[which]);
        }
        finished = is_enough(s, spacing);
    }
    return true;
}

// ---- results ----

static uint32_t path_count(const rblContactOptions* options)
{
    return options->path_count < RBL_MAX_PATHS ? options->path_count : RBL_MAX_PATHS;
}

static rblContactPoint contact_of(const Touch* t, const rblSampling sides[2], rblVec3 gradient)
{
    rblContactPoint c = {.distance = t->distance, .feature = 2 * t->sample + t->side};
    // The contact point is halfway between the sample and the surface of the field.
    const rblVec3 middle = rbl_mul_add3(t->point, -0.5f * t->distance, gradient);
    if (t->side == 1)
    {
        c.point = middle;
        c.normal = gradient;
    }
    else
    {
        // In the axes of the second shape; the transform of side 1 leads to those of the first.
        c.point = rbl_add3(rbl_mat3_apply(&sides[1].rotation, middle), sides[1].offset);
        c.normal = rbl_neg3(rbl_mat3_apply(&sides[1].rotation, gradient));
    }
    return c;
}

// A predicted path, for the samples of one shape in the field of the other.
typedef struct Path
{
    rblMat3 rotation; // from the axes of the samples to those of the field, at the end of the path
    rblVec3 offset;
    rblVec3 pivot, translation; // in the axes of the field: centre of rotation of the samples, and its motion
    rblVec3 rotation_vector;    // rotation vector, rad
} Path;

typedef struct Paths
{
    uint32_t count;
    Path sides[2][RBL_MAX_PATHS];
    bool of_first[RBL_MAX_PATHS]; // the pivot is a point of the first shape
} Paths;

static Path path_of(rblTransform from, rblTransform to, rblVec3 pivot)
{
    const rblQuat rotation_vector = rbl_quat_mul(to.q, rbl_quat_conjugate(from.q));
    const float sign = rotation_vector.w < 0.0f ? -2.0f : 2.0f;
    const rblVec3 moved = rbl_transform_point(to, rbl_transform_inverse_point(from, pivot));
    return (Path){rbl_quat_to_mat3(to.q), to.p, pivot, rbl_sub3(moved, pivot),
                  rbl_scale3(rbl_vec3(rotation_vector.x, rotation_vector.y, rotation_vector.z), sign)};
}

static void find_paths(const rblContactOptions* options, rblTransform b_in_a, Paths* out)
{
    const rblTransform a_in_b = rbl_transform_inverse(b_in_a);
    out->count = path_count(options);
    for (uint32_t i = 0; i < out->count; ++i)
    {
        const rblPredictedPath* path = &options->paths[i];
        out->sides[0][i] =
            path_of(a_in_b, rbl_transform_inverse(path->end), rbl_transform_point(a_in_b, path->pivot));
        out->sides[1][i] = path_of(b_in_a, path->end, path->pivot);
        out->of_first[i] = path->of_first;
    }
}

// Largest motion of a sample along the normal, towards the surface. By rotation it moves s t + b t^2 at time t, 0 to 1.
// A point on the rim of a wheel that moves down reaches a lowest point and moves up again; the lowest point counts. The
// point that is lowest at the start moves up (s = 0), but the next point of the rim takes its place: its motion counts
// as 0.
static float lowest_offset(const Path* path, rblVec3 sample, rblVec3 point, rblVec3 normal)
{
    const rblVec3 end = rbl_add3(rbl_mat3_apply(&path->rotation, sample), path->offset);
    const float straight = rbl_dot3(normal, path->translation);
    const float s = rbl_dot3(normal, rbl_cross3(path->rotation_vector, rbl_sub3(point, path->pivot)));
    const float b = rbl_dot3(normal, rbl_sub3(end, point)) - straight - s;
    const bool bottoms = b > 0.0f && fabsf(s) < 2.0f * b;
    return straight + (bottoms ? (s < 0.0f ? -0.25f * s * s / b : 0.0f) : rbl_minf(s + b, rbl_maxf(s, 0.0f)));
}

static rblCandidate candidate_of(const Touch* t, const rblSampling sides[2], const Paths* paths)
{
    const rblSampling* side = &sides[t->side];
    rblVec3 gradient = t->gradient;
    if (rbl_dot3(gradient, gradient) == 0.0f)
    {
        (void)rbl_field_look_up(&side->field, t->point, &gradient);
    }
    rblCandidate candidate = {.contact = contact_of(t, sides, gradient)};
    for (uint32_t i = 0; i < paths->count; ++i)
    {
        const rblVec3 sample = side->tree->points[t->sample];
        candidate.lows[i] =
            t->distance + lowest_offset(&paths->sides[t->side][i], sample, t->point, gradient);
    }
    return candidate;
}

static bool write_candidates(const rblSampling sides[2], const Paths* paths,
                             struct rblContactScratch* scratch)
{
    const TouchArray* touches = &scratch->touches;
    rbl_array_clear(&scratch->candidates);
    if (!rbl_array_reserve_more(&scratch->candidates, touches->count))
    {
        return false;
    }
    for (size_t i = 0; i < touches->count; ++i)
    {
        scratch->candidates.data[scratch->candidates.count++] = candidate_of(&touches->data[i], sides, paths);
    }
    return true;
}

// Two shapes in deep overlap: the normals of some samples are opposed, so that they would not separate. The sum of all
// normals, weighted by depth, gives the shorter way out. A normal against this direction is replaced by it. The depth
// stays: it is the smallest overlap in any direction.
static void reverse_opposed(rblCandidateArray* candidates, float eps)
{
    rblVec3 sum = {0, 0, 0};
    for (size_t i = 0; i < candidates->count; ++i)
    {
        const rblContactPoint* c = &candidates->data[i].contact;
        sum = rbl_mul_add3(sum, rbl_maxf(-c->distance, 0.0f), c->normal);
    }
    const float length = rbl_length3(sum);
    if (!(length > 0.0f))
    {
        return;
    }
    const rblVec3 out = rbl_scale3(sum, 1.0f / length);
    for (size_t i = 0; i < candidates->count; ++i)
    {
        rblContactPoint* c = &candidates->data[i].contact;
        if (c->distance < -eps && rbl_dot3(c->normal, out) < 0.0f)
        {
            c->normal = out;
        }
    }
}

// Rotations are scaled by the motion that they give to points of the smaller shape.
static rblSelecting selecting_of(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                 const Search* s, const rblContactOptions* options)
{
    const bool second = b->bounded && (!a->bounded || b->radius < a->radius);
    const rblVec3 center = rbl_to_float3(second ? b->mass.center : a->mass.center);
    const float length = 0.5f * (second ? b->radius : a->radius);
    const bool known = path_count(options) > 0;
    return (rblSelecting){.eps = s->eps,
                          .motion =
                              rbl_maxf(rbl_maxf(-s->deepest, MIN_MOTION * s->eps), known ? 0.0f : s->margin),
                          .center = second ? rbl_transform_point(b_in_a, center) : center,
                          .length = length,
                          .first_count = options->first_count,
                          .path_count = path_count(options)};
}

// ---- smooth contacts ----

typedef struct Surfaces
{
    rblSmoothPair pair;
    const rblSampling* sides;
    const Paths* paths;
    rblVec3 center; // as in rblSelecting
    float length;
    float thinnest, widest; // m: the smaller inner radius, the smaller radius
} Surfaces;

// Fields that are exact near the surface, or interpolated. Cuts are flat, and their edges sharp.
static bool may_be_smooth(const rblField* field)
{
    return field->confirm == NULL && !(field->error > 0.0f);
}

static bool refine(const void* context, rblCandidate* candidate, rblSmoothness* out)
{
    const Surfaces* surfaces = context;
    rblContactPoint* contact = &candidate->contact;
    if (!rbl_contact_smooth(&surfaces->pair, contact, out))
    {
        return false;
    }
    const rblVec3 on_b = rbl_mul_add3(contact->point, 0.5f * contact->distance, contact->normal);
    const rblVec3 sample = rbl_add3(rbl_mat3_apply(&surfaces->pair.rotation, on_b), surfaces->pair.offset);
    for (uint32_t i = 0; i < surfaces->paths->count; ++i)
    {
        candidate->lows[i] =
            contact->distance + lowest_offset(&surfaces->paths->sides[1][i], sample, on_b, contact->normal);
    }
    return true;
}

// A path in the axes in which its pivot moves straight: those of the shape that does not have the pivot.
typedef struct Course
{
    const Path* path;
    uint32_t mover; // the shape that moves in them: the side whose samples it has
    float share;    // of the path
    rblQuat turn;   // up to there
} Course;

static Course course_to(const Paths* paths, uint32_t number, float share)
{
    const uint32_t mover = paths->of_first[number] ? 0 : 1;
    const Path* path = &paths->sides[mover][number];
    const rblVec3 half = rbl_scale3(path->rotation_vector, 0.5f);
    const float w = sqrtf(rbl_maxf(1.0f - rbl_dot3(half, half), 0.0f));
    const rblQuat turn = {share * half.x, share * half.y, share * half.z, 1.0f - share + share * w};
    return (Course){path, mover, share, rbl_quat_normalize(turn)};
}

static rblVec3 moved_along(const Course* course, rblVec3 point)
{
    const rblVec3 turned = rbl_rotate3(course->turn, rbl_sub3(point, course->path->pivot));
    return rbl_mul_add3(rbl_add3(turned, course->path->pivot), course->share, course->path->translation);
}

static rblVec3 moved_back(const Course* course, rblVec3 point)
{
    const rblVec3 straight = rbl_mul_add3(point, -course->share, course->path->translation);
    const rblVec3 turned = rbl_inverse_rotate3(course->turn, rbl_sub3(straight, course->path->pivot));
    return rbl_add3(turned, course->path->pivot);
}

// What the small motion x of the second shape against the first does to a point of the shape that moves, in the axes of the other.
static rblVec3 nudge_of(const Surfaces* surfaces, const Course* course, rblVec3 point, const float x[6])
{
    const rblVec3 turn = rbl_scale3(rbl_vec3(x[3], x[4], x[5]), 1.0f / surfaces->length);
    const rblVec3 shift = rbl_vec3(x[0], x[1], x[2]);
    if (course->mover == 1)
    {
        const rblVec3 arm = rbl_sub3(point, surfaces->center);
        return rbl_scale3(rbl_add3(shift, rbl_cross3(turn, arm)), course->share);
    }
    const rblMat3* to_b = &surfaces->pair.rotation;
    const rblVec3 center = rbl_add3(rbl_mat3_apply(to_b, surfaces->center), surfaces->pair.offset);
    const rblVec3 arm = rbl_sub3(point, center);
    const rblVec3 sum = rbl_add3(rbl_mat3_apply(to_b, shift), rbl_cross3(rbl_mat3_apply(to_b, turn), arm));
    return rbl_scale3(sum, -course->share);
}

static float distance_on(const Surfaces* surfaces, const Course* course, uint32_t which, rblVec3 sample,
                         const float x[6])
{
    const rblSampling* side = &surfaces->sides[which];
    rblVec3 gradient;
    if (which == course->mover)
    {
        const rblVec3 at = moved_along(course, rbl_sampling_point(side, sample));
        return rbl_field_look_up(&side->field, rbl_add3(at, nudge_of(surfaces, course, at, x)), &gradient);
    }
    const rblVec3 before = moved_back(course, rbl_sub3(sample, nudge_of(surfaces, course, sample, x)));
    return rbl_field_look_up(&side->field, rbl_sampling_point(side, before), &gradient);
}

// Negative infinity where the sample would pass through the other shape between two looks.
static float lowest(const void* context, const rblCandidate* candidate, uint32_t number, const float x[6])
{
    const Surfaces* surfaces = context;
    const uint32_t which = candidate->contact.feature & 1;
    const rblVec3 sample = surfaces->sides[which].tree->points[candidate->contact.feature >> 1];
    const Path* path = &surfaces->paths->sides[which][number];
    const float turn =
        rbl_length3(path->rotation_vector) + rbl_length3(rbl_vec3(x[3], x[4], x[5])) / surfaces->length;
    const float way =
        rbl_length3(path->translation) + rbl_length3(rbl_vec3(x[0], x[1], x[2])) + turn * surfaces->widest;
    const float parts = rbl_maxf(way / surfaces->thinnest, MIN_LOOKUPS);
    if (!(parts <= MAX_LOOKUPS))
    {
        return -INFINITY;
    }
    const int looks = (int)ceilf(parts);
    float least = INFINITY;
    for (int k = 1; k <= looks; ++k)
    {
        const Course course = course_to(surfaces->paths, number, (float)k / (float)looks);
        least = rbl_minf(least, distance_on(surfaces, &course, which, sample, x));
    }
    return least;
}

static Surfaces surfaces_of(const rblShapeView* a, const rblShapeView* b, const rblSampling sides[2],
                            const Paths* paths, const rblSelecting* selecting)
{
    const float inner_a = a->bounded ? a->inner_radius : INFINITY;
    const float inner_b = b->bounded ? b->inner_radius : INFINITY;
    return (Surfaces){.pair = {.fields = {&sides[1].field, &sides[0].field},
                               .rotation = sides[0].rotation,
                               .offset = sides[0].offset,
                               .scale = SMOOTH_SCALE * rbl_minf(inner_a, inner_b)},
                      .sides = sides,
                      .paths = paths,
                      .center = selecting->center,
                      .length = selecting->length,
                      .thinnest = rbl_minf(inner_a, inner_b),
                      .widest = rbl_minf(a->radius, b->radius)};
}

// ---- public functions ----

static float tolerance_of(const rblShapeView* a, const rblShapeView* b, const rblContactOptions* options)
{
    return options->tolerance > 0.0f ? options->tolerance
                                     : DEFAULT_TOLERANCE * rbl_minf(a->radius, b->radius);
}

// A gap that motion may use up. As long as both shapes have moved by less than gap - m, no sample has a value below the
// margin m. The clearance says how far the shapes can move until a sample may have a value of `least`. For m below
// `least`, values are assumed to decrease at the largest slope, sqrt(3) times the path.
static float gap_of(const rblSampling sides[2], float least)
{
    const float clearance = rbl_minf(sides[0].clearance, sides[1].clearance);
    return clearance > 0.0f ? clearance + 0.57735025f * least : 0.0f;
}

// Only for pairs with a clear gap.
static void store_gap(rblPairCache* cache, rblTransform b_in_a, float gap, float margin)
{
    if (gap > margin)
    {
        rbl_field_cache_store(cache, b_in_a, gap);
    }
    else
    {
        rbl_field_cache_clear(cache);
    }
}

static uint32_t enough_for(const rblShapeView* a, const rblShapeView* b, const rblContactOptions* options)
{
    const bool dense = a->shape->kind->dense_samples && b->shape->kind->dense_samples;
    return dense && options->first_count < UINT32_MAX / ENOUGH ? ENOUGH * options->first_count : 0;
}

rblResult rbl_fields_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                             const rblContactOptions* options, rblPairCache* cache, rblContactSet* out)
{
    out->count = 0;
    out->colliding = 0;
    out->visited = 0;
    if (a->shape->kind->parts != NULL || b->shape->kind->parts != NULL)
    {
        return rbl_parts_collide(a, b, b_in_a, options, out);
    }
    const float eps = tolerance_of(a, b, options);
    const float margin = rbl_maxf(options->margin, eps);
    const float gap_of_boxes = rbl_boxes_gap(a, b, b_in_a);
    if (gap_of_boxes > margin || rbl_field_cache_apart(cache, a, b, b_in_a, margin))
    {
        out->clear = rbl_maxf(gap_of_boxes, 0.0f);
        return RBL_OK;
    }
    Search s = {.scratch = scratch_of(out),
                .eps = eps,
                .margin = margin,
                .all = options->first_count == UINT32_MAX && options->path_count == 0,
                .max_candidates = enough_for(a, b, options),
                .deepest = INFINITY};
    if (s.scratch == NULL)
    {
        return rbl_fail_memory();
    }
    rblSampling sides[2];
    if (!rbl_sampling_init(&sides[0], a->shape, b->shape, rbl_transform_inverse(b_in_a), margin,
                           &s.scratch->frontiers[0]) ||
        !rbl_sampling_init(&sides[1], b->shape, a->shape, b_in_a, margin, &s.scratch->frontiers[1]))
    {
        return rbl_fail_memory();
    }
    Paths paths;
    find_paths(options, b_in_a, &paths);
    if (!search(sides, &s) || !write_candidates(sides, &paths, s.scratch))
    {
        return rbl_fail_memory();
    }
    if (cache != NULL)
    {
        store_gap(cache, b_in_a, gap_of(sides, margin), margin);
    }
    out->colliding = s.inside;
    out->visited = sides[0].visited + sides[1].visited;
    if (-s.deepest > DEEP * eps && options->first_count != UINT32_MAX)
    {
        reverse_opposed(&s.scratch->candidates, eps);
    }
    if (s.scratch->candidates.count == 0)
    {
        out->clear = gap_of(sides, margin);
        return RBL_OK;
    }
    rblSelecting selecting = selecting_of(a, b, b_in_a, &s, options);
    const Surfaces context = surfaces_of(a, b, sides, &paths, &selecting);
    const rblSurfaces surfaces = {&context, refine, lowest};
    const bool smooth = may_be_smooth(&sides[0].field) && may_be_smooth(&sides[1].field);
    selecting.surfaces = paths.count > 0 && smooth ? &surfaces : NULL;
    return rbl_contacts_select(&selecting, &s.scratch->candidates, &s.scratch->select, out,
                               &s.scratch->leading)
               ? RBL_OK
               : rbl_fail_memory();
}
