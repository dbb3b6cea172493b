#include "field/contact/field_contact.h"

#include "base/array.h"
#include "base/error.h"
#include "field/contact/field_pair_cache.h"
#include "field/contact/field_sampling.h"
#include "field/contact/field_select.h"
#include "field/fragment/fragment_shape.h"
#include "field/piece.h"
#include "math/aabb.h"

// ---- tuning ----
#define DEFAULT_TOLERANCE 0.002f // of the smaller radius: eps
#define DEEP              20.0f  // times eps: overlap above which contact normals may contradict each other
#define LEAST_MOTION      10.0f // times eps: smallest motion that the selection assumes, also for bodies at rest
#define ENOUGH            2u // times the first count: candidates after which samples of fragments are not refined
#define NEARBY            0.25f // of half the sample spacing of a level: gap of the candidates that count for ENOUGH

// A sample of one side that touches the other.
typedef struct Touch
{
    uint32_t sample;
    uint32_t side; // whose sample: 0 the first shape's, 1 the second's
    float distance;
    rblVec3 point;    // in the axes of the field
    rblVec3 gradient; // there; zero: not asked for yet
} Touch;

typedef RBL_ARRAY(Touch) TouchArray;

struct rblContactScratch
{
    rblFrontier frontiers[2];
    TouchArray touches;
    rblCandidateArray candidates;
    rblSelectScratch select;
    rblContactSet part;
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
        rbl_array_free(&scratch->touches);
        rbl_array_free(&scratch->candidates);
        rbl_select_scratch_free(&scratch->select);
        rbl_contact_set_free(&scratch->part);
        rbl_free(rbl_contact_set_allocator(set), scratch, sizeof *scratch);
        set->scratch = NULL;
    }
}

// ---- candidates ----

typedef struct Search
{
    struct rblContactScratch* scratch;
    float eps, margin;
    bool all; // within the margin, not only those that matter
    uint32_t
        enough; // candidates as near as samples of a level lie apart after which finer levels are left; 0: never
    uint32_t inside;
    float deepest; // the smallest distance met; infinite before the first
} Search;

// Half of how far samples of a level lie apart: its first 2^level cover the surface evenly.
static float half_spacing(const rblSampling* side)
{
    float spacing = side->radius;
    for (uint32_t l = 1; l < side->level; l += 2)
    {
        spacing *= 0.5f;
    }
    return side->level % 2 == 1 ? spacing : 0.70710678f * spacing;
}

// What a search must still look for: samples with smaller distances than this. Where the gap is wider than half of what samples
// of a level lie apart, finer ones would say nearly the same again. (Wider than all of it: a fifth more time for a pile of
// statues that lies no better.)
static float wanted_below(const Search* s, float spacing)
{
    const float fine = s->all ? s->margin : rbl_minf(rbl_maxf(spacing, s->eps), s->margin);
    return rbl_maxf(fine, rbl_minf(s->deepest, s->margin));
}

// A fragment's grid rounds edges off, and fills them from the other side: near its surface the fragment itself says what is inside, and how
// deep.
static bool is_touch_by_depth(const rblField* field, float wanted, Touch* touch)
{
    if (touch->distance <= field->error)
    {
        const float depth = field->depth(field->shape, touch->point, &touch->gradient);
        touch->distance = depth > 0.0f ? -depth : rbl_maxf(touch->distance, 0.0f);
    }
    return touch->distance <= wanted;
}

// Outside a piece a sample touches only where its projection is on the piece.
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

static bool meet(rblSampling* side, uint32_t which, Search* s)
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

// Fragments that fit touch with every sample of their common crack, thousands of them. Levels cover it evenly: what one of them has
// found with many samples finer ones hardly add to (Glondu 2012, 5.3).
static bool is_enough(const Search* s, float spacing)
{
    const TouchArray* touches = &s->scratch->touches;
    if (s->enough == 0 || touches->count < s->enough)
    {
        return false;
    }
    const float near = rbl_maxf(NEARBY * spacing, s->eps);
    uint32_t count = 0;
    for (size_t i = 0; i < touches->count && count < s->enough; ++i)
    {
        count += touches->data[i].distance <= near;
    }
    return count == s->enough;
}

// Both hierarchies level by level, so that neither side's samples crowd out the other's (Glondu 2012, Algorithm 1).
static bool search(rblSampling sides[2], Search* s)
{
    bool enough = false;
    rbl_array_clear(&s->scratch->touches);
    while (!enough && (!rbl_sampling_done(&sides[0]) || !rbl_sampling_done(&sides[1])))
    {
        float spacing = INFINITY;
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
            spacing = rbl_minf(half_spacing(&sides[which]), spacing);
            rbl_sampling_next_level(&sides[which]);
        }
        enough = is_enough(s, spacing);
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

// A path as the samples of one side see it in the field of the other.
typedef struct Path
{
    rblMat3 rotation; // from the samples' axes to the field's, at the end
    rblVec3 offset;
    rblVec3 pivot, translation; // in the field's axes: what the samples turn about, and how far that moves
    rblVec3 turn;               // rotation vector
} Path;

typedef struct Paths
{
    uint32_t count;
    Path sides[2][RBL_MAX_PATHS];
} Paths;

static Path path_of(rblTransform from, rblTransform to, rblVec3 pivot)
{
    const rblQuat turn = rbl_quat_mul(to.q, rbl_quat_conjugate(from.q));
    const float sign = turn.w < 0.0f ? -2.0f : 2.0f;
    const rblVec3 moved = rbl_transform_point(to, rbl_transform_inverse_point(from, pivot));
    return (Path){rbl_quat_to_mat3(to.q), to.p, pivot, rbl_sub3(moved, pivot),
                  rbl_scale3(rbl_vec3(turn.x, turn.y, turn.z), sign)};
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
    }
}

// How far a sample moves along the normal at most, downwards. By turning it moves s t + b t^2 at time t, 0 to 1. A point of a
// wheel's rim that comes down bends and goes up again: how low that gets is what counts. The lowest point of the wheel at the
// start goes up (s = 0), but its place is taken: it counts as staying.
static float lowest_on(const Path* path, rblVec3 sample, rblVec3 point, rblVec3 normal)
{
    const rblVec3 end = rbl_add3(rbl_mat3_apply(&path->rotation, sample), path->offset);
    const float straight = rbl_dot3(normal, path->translation);
    const float s = rbl_dot3(normal, rbl_cross3(path->turn, rbl_sub3(point, path->pivot)));
    const float b = rbl_dot3(normal, rbl_sub3(end, point)) - straight - s;
    const bool bottoms = b > 0.0f && fabsf(s) < 2.0f * b;
    return straight + (bottoms ? (s < 0.0f ? -0.25f * s * s / b : 0.0f) : rbl_minf(s + b, rbl_maxf(s, 0.0f)));
}

static rblVec3 gradient_at(const rblField* field, rblVec3 point)
{
    rblVec3 gradient;
    if (field->grid != NULL)
    {
        (void)rbl_level_set_distance(field->grid, point, &gradient);
    }
    else
    {
        field->shape->kind->distance(field->shape->data, point, &gradient);
    }
    return gradient;
}

static rblCandidate candidate_of(const Touch* t, const rblSampling sides[2], const Paths* paths)
{
    const rblSampling* side = &sides[t->side];
    rblVec3 gradient = t->gradient;
    if (rbl_dot3(gradient, gradient) == 0.0f)
    {
        gradient = gradient_at(&side->field, t->point);
    }
    rblCandidate candidate = {.contact = contact_of(t, sides, gradient)};
    for (uint32_t i = 0; i < paths->count; ++i)
    {
        const rblVec3 sample = side->tree->points[t->sample];
        candidate.lows[i] = t->distance + lowest_on(&paths->sides[t->side][i], sample, t->point, gradient);
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

// Two that are deep in each other are pushed out by some samples one way and by some the other, and stay where they are. The
// sum of all, weighted by depth, says which way out is the shorter one. What pushes against it is turned to push along: its
// own depth is the least that it lies in there, whichever way it goes.
static void turn_opposed(rblCandidateArray* candidates, float eps)
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

// Turning counts by what it moves on the smaller of the two.
static rblSelecting selecting_of(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                 const Search* s, const rblContactOptions* options)
{
    const bool second = b->bounded && (!a->bounded || b->radius < a->radius);
    const rblVec3 center = rbl_to_float3(second ? b->mass.center : a->mass.center);
    const float length = 0.5f * (second ? b->radius : a->radius);
    const bool known = path_count(options) > 0;
    return (rblSelecting){
        .eps = s->eps,
        .motion = rbl_maxf(rbl_maxf(-s->deepest, LEAST_MOTION * s->eps), known ? 0.0f : s->margin),
        .center = second ? rbl_transform_point(b_in_a, center) : center,
        .length = length,
        .first_count = options->first_count,
        .path_count = path_count(options)};
}

// ---- the call ----

static float tolerance_of(const rblShapeView* a, const rblShapeView* b, const rblContactOptions* options)
{
    return options->tolerance > 0.0f ? options->tolerance
                                     : DEFAULT_TOLERANCE * rbl_minf(a->radius, b->radius);
}

// A gap that may be used up by motion: with the room that there is until something may be as near as `least`, nothing is nearer
// than any margin m as long as the two have moved by less than gap - m. For m below `least` that is so if values go on to fall as
// fast as they can, sqrt(3) times the way.
static float gap_of(const rblSampling sides[2], float least)
{
    const float clearance = rbl_minf(sides[0].clearance, sides[1].clearance);
    return clearance > 0.0f ? clearance + 0.57735025f * least : 0.0f;
}

// Only pairs that are clearly apart are worth it.
static void remember(rblPairCache* cache, rblTransform b_in_a, float gap, float margin)
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
    const bool dense = a->shape->kind->dense_samples || b->shape->kind->dense_samples;
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
    const float apart = rbl_boxes_gap(a, b, b_in_a);
    if (apart > margin || rbl_field_cache_apart(cache, a, b, b_in_a, margin))
    {
        out->clear = rbl_maxf(apart, 0.0f);
        return RBL_OK;
    }
    Search s = {.scratch = scratch_of(out),
                .eps = eps,
                .margin = margin,
                .all = options->first_count == UINT32_MAX && options->path_count == 0,
                .enough = enough_for(a, b, options),
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
        remember(cache, b_in_a, gap_of(sides, margin), margin);
    }
    out->colliding = s.inside;
    out->visited = sides[0].met + sides[1].met;
    if (-s.deepest > DEEP * eps && options->first_count != UINT32_MAX)
    {
        turn_opposed(&s.scratch->candidates, eps);
    }
    if (s.scratch->candidates.count == 0)
    {
        out->clear = gap_of(sides, margin);
        return RBL_OK;
    }
    const rblSelecting selecting = selecting_of(a, b, b_in_a, &s, options);
    return rbl_contacts_select(&selecting, &s.scratch->candidates, &s.scratch->select, out)
               ? RBL_OK
               : rbl_fail_memory();
}
