// Contacts of one pair, matched with those of the last step.
#include "dynamics/narrow_phase.h"
#include "dynamics/solve/contact_math.h"
#include <math.h>

// ---- tuning ----

#define DEFLECTED  0.25f // of the safe distance: assumed deflection by other bodies of a pair that would miss
#define STILL      1.5f  // times the slop: smaller motions reuse contacts,
#define ROUGH      3.0f  // the same for shapes that are not convex: their tolerances are twice as large
#define FIELD_SLOP 0.001f // of the smaller radius: half the tolerance of contacts by samples and fields

static float slop_of(float size)
{
    return rbl_clampf(size, 1e-6f, 5e-4f);
}

static float convex_slop(float thinnest)
{
    return slop_of(0.002f * thinnest);
}

float rbl_pair_slop(const rblBody* a, const rblBody* b)
{
    if (a->shape.convex && b->shape.convex)
    {
        return convex_slop(rbl_minf(a->shape.thinnest, b->shape.thinnest));
    }
    const float radius_a = a->shape.bounded ? a->shape.radius : INFINITY;
    const float radius_b = b->shape.bounded ? b->shape.radius : INFINITY;
    return slop_of(FIELD_SLOP * rbl_minf(radius_a, radius_b));
}

// How far the surfaces of a pair can come together in the step.
static float travel(const rblBodyPath* a, const rblBodyPath* b)
{
    return rbl_length3(rbl_sub3(a->translation, b->translation)) + a->turning + b->turning;
}

// The same for two that may turn as one, as pieces of something that spins do: how far points of b within `radius` of its centre
// move in the axes of a, which turn with it. With y from a's centre to b's, u its change over the step and w the turns, their speed
// is |u - w_a x (y + u t) + (w_b - w_a) x r|.
static float travel_in_axes(rblVec3 y, rblVec3 u, rblVec3 turn_a, rblVec3 turn_b, float radius)
{
    const rblVec3 at_first = rbl_sub3(u, rbl_cross3(turn_a, y));
    return rbl_length3(at_first) + 0.5f * rbl_length3(rbl_cross3(turn_a, u)) +
           rbl_length3(rbl_sub3(turn_b, turn_a)) * radius;
}

static float travel_together(const rblStep* step, const rblPair* pair)
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    const rblVec3 turn_a = step->sweeps.data[pair->a].rotation;
    const rblVec3 turn_b = step->sweeps.data[pair->b].rotation;
    const rblVec3 y = rbl_sub3(b->frame.p, a->frame.p);
    const rblVec3 u = rbl_sub3(b->translation, a->translation);
    float closing_distance = travel(a, b);
    if (b->bounded)
    {
        closing_distance = rbl_minf(travel_in_axes(y, u, turn_a, turn_b, b->radius), closing_distance);
    }
    if (a->bounded)
    {
        closing_distance =
            rbl_minf(travel_in_axes(rbl_neg3(y), rbl_neg3(u), turn_b, turn_a, a->radius), closing_distance);
    }
    return closing_distance;
}

static bool is_convex_pair(const rblBodyPath* a, const rblBodyPath* b)
{
    return a->convex && b->convex;
}

static float smaller_radius(const rblBodyPath* a, const rblBodyPath* b)
{
    return rbl_minf(a->bounded ? a->radius : INFINITY, b->bounded ? b->radius : INFINITY);
}

// The same as rbl_pair_slop().
static float path_slop(const rblBodyPath* a, const rblBodyPath* b)
{
    return is_convex_pair(a, b) ? convex_slop(rbl_minf(a->thinnest, b->thinnest))
                                : slop_of(FIELD_SLOP * smaller_radius(a, b));
}

// How far the surfaces can come together should either of the two be stopped by something else. Between shapes that are not
// convex a contact that is not known in advance is a hook that catches: one falls into the other when that one lands. No farther than
// the smaller one is wide: what comes from beyond is met by its time of impact, and clouds of shards would know all of each other.
static float longest_travel(const rblBodyPath* a, const rblBodyPath* b)
{
    const float alone =
        rbl_maxf(rbl_length3(a->translation) + a->turning, rbl_length3(b->translation) + b->turning);
    return rbl_minf(rbl_maxf(travel(a, b), alone), smaller_radius(a, b));
}

// How far gravity bends a body's way over the step.
static rblVec3 sag_of(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    const bool falls = body->awake && world->motions.data[slot].inverse_mass > 0.0f;
    return rbl_scale3(world->def.gravity,
                      falls ? 0.5f * step->seconds * step->seconds * body->gravity_scale : 0.0f);
}

static const rblPreparedSweep* flight_of(const rblStep* step, uint32_t slot)
{
    return step->paths.data[slot].has_prepared_sweep ? &step->prepared_sweeps.data[slot] : NULL;
}

static rblImpactQuery impact_query(const rblStep* step, rblPair* pair, float slop, float* clear)
{
    const rblWorld* world = step->world;
    return (rblImpactQuery){
        .a = &world->bodies.data[pair->a].shape,
        .b = &world->bodies.data[pair->b].shape,
        .sweep_a = &step->sweeps.data[pair->a],
        .sweep_b = &step->sweeps.data[pair->b],
        .sag = rbl_sub3(sag_of(step, pair->b), sag_of(step, pair->a)),
        .target = slop,
        .tolerance = 0.5f * slop,
        .cache = &pair->cache,
        .prepared_a = flight_of(step, pair->a),
        .prepared_b = flight_of(step, pair->b),
        .clear = clear,
    };
}

// Seconds until two bodies in free motion first touch; all of the step when they do not. `clear`: how far they are apart now,
// at least, where that is known.
static float find_impact(const rblStep* step, rblPair* pair, float slop, float* clear)
{
    const rblImpactQuery query = impact_query(step, pair, slop, clear);
    const float fraction = rbl_shape_find_impact(&query);
    return fraction < 1.0f ? fraction * step->seconds : step->seconds;
}

// The contact of the last step that this one continues: of the same feature, or, where clipping named the same corner
// differently, the nearest one within a small part of the body.
static const rblContact* find_before(const rblContact* contacts, uint32_t count, uint32_t feature,
                                     rblVec3 anchor_a, float reach)
{
    const rblContact* nearest = NULL;
    float least = reach * reach;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (contacts[i].feature == feature)
        {
            return &contacts[i];
        }
        const rblVec3 offset = rbl_sub3(contacts[i].anchor_a, anchor_a);
        const float square = rbl_dot3(offset, offset);
        if (square < least)
        {
            least = square;
            nearest = &contacts[i];
        }
    }
    return nearest;
}

// One contact from the shapes' axes to the bodies' frames, with the impulses of its predecessor. A redundant one has none.
static rblContact place_contact(const rblStep* step, const rblPair* pair, const rblContactPoint* found,
                                rblTransform shape_a, rblTransform frame_a, rblTransform frame_b)
{
    rblContact contact = rbl_contact_locate(pair, found, shape_a, frame_a, frame_b);
    const float reach = 0.02f * rbl_minf(step->paths.data[pair->a].radius, step->paths.data[pair->b].radius);
    const rblContact* before = pair->leading > 0 && !found->redundant
                                   ? find_before(&step->last_contacts[pair->first], pair->leading,
                                                 found->feature, contact.anchor_a, reach)
                                   : NULL;
    if (before != NULL)
    {
        contact.normal_impulse = before->normal_impulse;
        contact.friction =
            rbl_mul_add3(before->friction, -rbl_dot3(before->friction, contact.normal), contact.normal);
    }
    return contact;
}

// The pose of a body's shape, given its frame.
static rblTransform shape_at(const rblStep* step, uint32_t slot, rblTransform frame, float seconds)
{
    const rblWorld* world = step->world;
    return seconds == 0.0f ? step->sweeps.data[slot].from
                           : rbl_transform_mul(frame, world->bodies.data[slot].shape_in_body);
}

// The same at the end of the step.
static rblTransform shape_at_end(const rblStep* step, uint32_t slot)
{
    return step->paths.data[slot].convex ? rbl_path_end_pose(step, slot) : step->end_poses.data[slot];
}

// How two bodies may move on, in the axes of a's shape: both, or with either stopped by something else.
static void predict_paths(const rblStep* step, const rblPair* pair, rblTransform shape_a,
                          rblTransform shape_b, const rblVec3 centers[2], rblPredictedPath out[3])
{
    const rblTransform end_a = shape_at_end(step, pair->a);
    const rblTransform end_b = shape_at_end(step, pair->b);
    const rblVec3 pivot_a = rbl_transform_inverse_point(shape_a, centers[0]);
    const rblVec3 pivot_b = rbl_transform_inverse_point(shape_a, centers[1]);
    const bool first = step->paths.data[pair->a].turning > step->paths.data[pair->b].turning;
    out[0] = (rblPredictedPath){rbl_transform_relative(end_a, end_b), first ? pivot_a : pivot_b};
    out[1] = (rblPredictedPath){rbl_transform_relative(shape_a, end_b), pivot_b};
    out[2] = (rblPredictedPath){rbl_transform_relative(end_a, shape_b), pivot_a};
}

// Whether contacts lie in a line or a point: two that share an edge or a corner only.
static bool is_slight(const rblContactSet* set, float width)
{
    rblVec3 along = rbl_vec3(0, 0, 0);
    float longest = 0.0f;
    for (uint32_t i = 1; i < set->count; ++i)
    {
        const rblVec3 offset = rbl_sub3(set->points[i].point, set->points[0].point);
        const float length = rbl_length3(offset);
        along = length > longest ? rbl_scale3(offset, 1.0f / length) : along;
        longest = rbl_maxf(longest, length);
    }
    for (uint32_t i = 1; i < set->count; ++i)
    {
        const rblVec3 offset = rbl_sub3(set->points[i].point, set->points[0].point);
        if (rbl_length3(rbl_cross3(offset, along)) > width)
        {
            return false;
        }
    }
    return true;
}

// Pieces of one body fit, to within rounding and the error of their fields, and so do they and what the body touched. How deep a pair
// overlaps when one of it is born in a break is no contact until the two have parted: pieces touch, but never repel. Where two
// share an edge only, the direction of their contact means nothing: they may slide past each other.
static void keep_depth(const rblStep* step, rblPair* pair, const rblContactSet* set)
{
    const rblWorld* world = step->world;
    const bool is_new_fragment =
        step->paths.data[pair->a].is_new_fragment || step->paths.data[pair->b].is_new_fragment;
    if (!is_new_fragment && !(pair->break_depth > 0.0f))
    {
        return;
    }
    const float slack = 2.0f * rbl_pair_slop(&world->bodies.data[pair->a], &world->bodies.data[pair->b]);
    float deepest = -INFINITY;
    for (uint32_t i = 0; i < set->count; ++i)
    {
        deepest = rbl_maxf(deepest, -set->points[i].distance);
    }
    if (is_new_fragment)
    {
        const bool touches = deepest > -slack;
        pair->break_depth = rbl_maxf(deepest, 0.0f) + (touches && is_slight(set, slack) ? slack : 0.0f);
        return;
    }
    pair->break_depth = rbl_minf(pair->break_depth, rbl_maxf(deepest + slack, 0.0f));
}

// Collide after some time of free motion, and append the contacts: those that are redundant come last.
static bool collide_at(const rblStep* step, rblPair* pair, float seconds, float margin, rblContactSet* set,
                       rblContactArray* out)
{
    const rblWorld* world = step->world;
    const rblBody* a = &world->bodies.data[pair->a];
    const rblBody* b = &world->bodies.data[pair->b];
    const rblTransform frame_a = rbl_path_frame(world, pair->a, seconds);
    const rblTransform frame_b = rbl_path_frame(world, pair->b, seconds);
    const rblTransform shape_a = shape_at(step, pair->a, frame_a, seconds);
    const rblTransform shape_b = shape_at(step, pair->b, frame_b, seconds);
    rblContactOptions options = rbl_default_contact_options();
    options.margin = margin;
    options.first_count = world->def.first_count;
    rblPredictedPath paths[3];
    if (!a->shape.convex || !b->shape.convex)
    {
        const rblVec3 centers[2] = {frame_a.p, frame_b.p};
        predict_paths(step, pair, shape_a, shape_b, centers, paths);
        options.paths = paths;
        options.path_count = 3;
    }
    if (rbl_shape_find_contacts(&a->shape, &b->shape, rbl_transform_relative(shape_a, shape_b), &options,
                                &pair->cache, set) != RBL_OK ||
        !rbl_array_reserve_more(out, set->count))
    {
        return false;
    }
    keep_depth(step, pair, set);
    for (uint32_t redundant = 0; redundant < 2; ++redundant)
    {
        for (uint32_t i = 0; i < set->count; ++i)
        {
            if (set->points[i].redundant == redundant)
            {
                out->data[out->count++] =
                    place_contact(step, pair, &set->points[i], shape_a, frame_a, frame_b);
            }
        }
    }
    pair->colliding = set->colliding;
    return true;
}

// Bodies that move farther against each other in a step could pass through each other unseen. Against a half space it is
// less: contacts with a gap as large as a body is thick would take the places of those that matter.
static float safe_travel(const rblBodyPath* a, const rblBodyPath* b)
{
    if (!is_convex_pair(a, b))
    {
        return smaller_radius(a, b); // their contacts are known for the whole way
    }
    if (!a->bounded || !b->bounded)
    {
        return a->bounded ? a->inner_radius : b->inner_radius;
    }
    // Against something much larger a body is in the same place as against a half space.
    const float smaller = rbl_minf(a->inner_radius, b->inner_radius);
    return rbl_minf(a->inner_radius + b->inner_radius, 4.0f * smaller);
}

// Whether the contacts found last still hold. They were looked for up to `seen_margin`: as long as the bodies have moved against
// each other by no more than what that has to spare, nothing else has come within the margin. The contacts themselves follow
// their bodies; they are kept for a motion of the order of the slop. A settled pile costs almost nothing here.
static bool still_supports(const rblPair* pair, rblTransform now, float margin, float radius, float still)
{
    const float spare = pair->seen_margin - margin;
    const float allowed = pair->count > 0 ? rbl_minf(spare, still) : spare;
    if (!(allowed > 0.0f))
    {
        return false;
    }
    const rblVec3 offset = rbl_sub3(now.p, pair->seen.p);
    const float dot = rbl_quat_dot(now.q, pair->seen.q);
    const float sine = sqrtf(rbl_maxf(1.0f - dot * dot, 0.0f)); // of half the angle
    return rbl_length3(offset) + 2.0f * sine * radius < allowed;
}

static bool repeat_contacts(const rblStep* step, const rblPair* pair, rblContactArray* out)
{
    const rblWorld* world = step->world;
    if (!rbl_array_reserve_more(out, pair->count))
    {
        return false;
    }
    const rblQuat q = world->motions.data[pair->a].orientation;
    for (uint32_t i = 0; i < pair->count; ++i)
    {
        rblContact contact = step->last_contacts[pair->first + i];
        contact.normal = rbl_rotate3(q, contact.normal_in_a);
        contact.friction =
            rbl_mul_add3(contact.friction, -rbl_dot3(contact.friction, contact.normal), contact.normal);
        out->data[out->count++] = contact;
    }
    return true;
}

// A ball about b's centre that holds it; for a pair with something unbounded, the other one.
static float turning_radius(const rblBodyPath* a, const rblBodyPath* b)
{
    return b->bounded ? b->radius : a->radius;
}

// Whether the balls about two bodies pass each other by in this step.
static bool pass_by(const rblBodyPath* a, const rblBodyPath* b, float slop)
{
    if (!a->bounded || !b->bounded)
    {
        return false;
    }
    const rblVec3 apart = rbl_sub3(b->frame.p, a->frame.p);
    const rblVec3 offset = rbl_sub3(b->translation, a->translation);
    const float square = rbl_dot3(offset, offset);
    const float t = square > 0.0f ? rbl_clampf(-rbl_dot3(apart, offset) / square, 0.0f, 1.0f) : 0.0f;
    const rblVec3 nearest = rbl_mul_add3(apart, t, offset);
    const float reach = a->radius + b->radius + 2.0f * slop;
    return rbl_dot3(nearest, nearest) > reach * reach;
}

// What is known of a pair before its contacts are looked for.
typedef struct Approach
{
    rblTransform now; // b's frame in a's
    float slop;
    float still;            // motion that does not count
    float closing_distance; // that the surfaces can come together in the step
    float safe;             // a pair that moves farther is fast
    float longest;          // way of shapes that are not convex, should something else stop one of them
    float radius;           // of a ball about b's centre that holds it, or a's if b has none
} Approach;

static Approach look_ahead(const rblStep* step, const rblPair* pair, float slop)
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    return (Approach){
        .now = rbl_transform_relative(a->frame, b->frame),
        .slop = slop,
        .still = (is_convex_pair(a, b) ? STILL : ROUGH) * slop,
        .closing_distance = is_convex_pair(a, b) ? travel(a, b) : travel_together(step, pair),
        .safe = safe_travel(a, b),
        .longest = is_convex_pair(a, b) ? 0.0f : longest_travel(a, b),
        .radius = turning_radius(a, b),
    };
}

// How far contacts matter: up to where the two can come together in the step, or a share of that.
static float margin_of(const Approach* approach, float share)
{
    const float closing = share * rbl_minf(approach->closing_distance, approach->safe);
    return 2.0f * approach->slop + rbl_maxf(closing, approach->longest);
}

// Contacts where the two are now. A pair that is known to be `clear` of each other by more than they are looked for has none.
static bool look_anew(const rblStep* step, rblPair* pair, const Approach* approach, float margin, float clear,
                      rblContactSet* set, rblContactArray* out)
{
    pair->seen = approach->now;
    pair->seen_margin = margin + approach->still;
    if (clear > pair->seen_margin)
    {
        pair->seen_margin = clear;
        pair->colliding = 0;
        return true;
    }
    if (!collide_at(step, pair, 0.0f, pair->seen_margin, set, out))
    {
        return false;
    }
    pair->seen_margin = rbl_maxf(pair->seen_margin, set->clear);
    return true;
}

// The same, unless those of the last step still hold.
static bool find_now(const rblStep* step, rblPair* pair, const Approach* approach, float margin, float clear,
                     rblContactSet* set, rblContactArray* out)
{
    set->count = 0;
    return still_supports(pair, approach->now, margin, approach->radius, approach->still)
               ? repeat_contacts(step, pair, out)
               : look_anew(step, pair, approach, margin, clear, set, out);
}

// Contacts of a fast pair at its time of impact. None when it misses, or touches already: `misses` says which, and `clear` how
// far the two are apart now at least.
static bool find_at_impact(const rblStep* step, rblPair* pair, const Approach* approach, rblContactSet* set,
                           rblContactArray* out, bool* misses, float* clear)
{
    const float impact = find_impact(step, pair, approach->slop, clear);
    const size_t before = out->count;
    *misses = !(impact < step->seconds);
    if (!(impact > 0.0f) || *misses)
    {
        return true;
    }
    const float margin = 4.0f * approach->slop + (1.0f - impact / step->seconds) * approach->longest;
    if (!collide_at(step, pair, impact, margin, set, out))
    {
        return false;
    }
    if (out->count > before)
    {
        pair->time_of_impact = impact / step->seconds;
        pair->seen_margin = 0.0f;
    }
    return true;
}

static bool is_touching(const rblContactSet* set, float slop)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        if (set->points[i].distance <= slop)
        {
            return true;
        }
    }
    return false;
}

// Whether a pair that touched in the last step has come apart, as far as the direction of its contacts can tell.
static bool has_parted(const rblStep* step, const rblPair* pair, float slop)
{
    const rblWorld* world = step->world;
    const rblTransform b_in_a =
        rbl_transform_relative(step->sweeps.data[pair->a].from, step->sweeps.data[pair->b].from);
    return rbl_shape_known_gap(&world->bodies.data[pair->a].shape, &world->bodies.data[pair->b].shape, b_in_a,
                               &pair->cache) > slop;
}

// Whether a contact of the last step is closed where its bodies are now.
static bool is_closed(const rblStep* step, const rblPair* pair, float slop)
{
    const rblTransform frame_a = step->paths.data[pair->a].frame;
    const rblTransform frame_b = step->paths.data[pair->b].frame;
    for (uint32_t i = 0; i < pair->leading; ++i)
    {
        const rblContact* contact = &step->last_contacts[pair->first + i];
        const rblVec3 offset = rbl_sub3(rbl_transform_point(frame_b, contact->anchor_b),
                                        rbl_transform_point(frame_a, contact->anchor_a));
        if (rbl_dot3(rbl_rotate3(frame_a.q, contact->normal_in_a), offset) - pair->break_depth <= slop)
        {
            return true;
        }
    }
    return false;
}

// Whether the contacts of the last step say when a fast pair that is not convex meets: now, or not in this step.
static bool knows_impact(const rblStep* step, const rblPair* pair, const Approach* approach)
{
    const float whole = 2.0f * approach->slop + rbl_maxf(approach->closing_distance, approach->longest);
    const float margin = pair->count > 0 ? margin_of(approach, 1.0f) : whole;
    return approach->longest > 0.0f &&
           still_supports(pair, approach->now, margin, approach->radius, approach->still) &&
           (pair->count == 0 || is_closed(step, pair, approach->slop));
}

// Contacts of a pair that may pass through each other unseen.
static bool find_fast(const rblStep* step, rblPair* pair, const Approach* approach, rblContactSet* set,
                      rblContactArray* out)
{
    // What touched before mostly still does, and then its impact is now.
    const size_t before = out->count;
    if (pair->touching && approach->longest == 0.0f && !has_parted(step, pair, approach->slop))
    {
        if (!find_now(step, pair, approach, margin_of(approach, 1.0f), 0.0f, set, out))
        {
            return false;
        }
        const bool repeated = set->count == 0 && out->count > before; // no other than in the last step
        if (repeated || is_touching(set, approach->slop))
        {
            return true;
        }
        out->count = before;
        pair->seen_margin = 0.0f;
    }
    if (knows_impact(step, pair, approach))
    {
        return repeat_contacts(step, pair, out);
    }
    bool misses;
    float clear;
    if (!find_at_impact(step, pair, approach, set, out, &misses, &clear))
    {
        return false;
    }
    return pair->time_of_impact < 1.0f ||
           find_now(step, pair, approach, margin_of(approach, misses ? DEFLECTED : 1.0f), clear, set, out);
}

// Whether a slow pair that was apart stays so in this step and is farther apart than others are thought to push it.
static bool stays_apart(const rblStep* step, rblPair* pair, const Approach* approach, float* clear)
{
    if (pair->touching || pair->siblings || approach->longest > 0.0f)
    {
        return false;
    }
    const rblImpactQuery query = impact_query(step, pair, approach->slop, clear);
    return rbl_shape_stays_apart(&query, margin_of(approach, DEFLECTED) + approach->still);
}

// Contacts of a pair that cannot pass through each other unseen.
static bool find_slow(const rblStep* step, rblPair* pair, const Approach* approach, rblContactSet* set,
                      rblContactArray* out)
{
    const float margin = margin_of(approach, 1.0f);
    float clear = 0.0f;
    set->count = 0;
    if (still_supports(pair, approach->now, margin, approach->radius, approach->still))
    {
        return repeat_contacts(step, pair, out);
    }
    const bool apart = stays_apart(step, pair, approach, &clear);
    return look_anew(step, pair, approach, apart ? margin_of(approach, DEFLECTED) : margin, clear, set, out);
}

// Most pairs of a collapse pass each other by, step after step: what says so already is not written again, which would cost more
// than all else about them.
static bool leave_pair(const rblStep* step, rblPair* pair)
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    if (!pass_by(a, b, path_slop(a, b)))
    {
        return false;
    }
    const bool known = pair->count == 0 && pair->first == 0 && pair->leading == 0 && pair->colliding == 0 &&
                       pair->seen_margin == 0.0f && pair->time_of_impact == 1.0f && !pair->fast &&
                       !pair->siblings;
    if (!known)
    {
        pair->first = 0;
        pair->count = 0;
        pair->leading = 0;
        pair->colliding = 0;
        pair->seen_margin = 0.0f;
        pair->time_of_impact = 1.0f;
        pair->fast = false;
        pair->siblings = false;
    }
    return true;
}

// Others broke since this pair was looked at, in the same substep: it is as it was, unless it was let go (siblings.c).
static bool is_known(const rblStep* step, const rblPair* pair)
{
    return pair->looked && step->paths.data[pair->a].same && step->paths.data[pair->b].same;
}

// As they are: those of a fast pair are where its bodies will be when they meet, turned by then.
static bool keep_contacts(const rblStep* step, const rblPair* pair, rblContactArray* out)
{
    if (!rbl_array_reserve_more(out, pair->count))
    {
        return false;
    }
    for (uint32_t i = 0; i < pair->count; ++i)
    {
        out->data[out->count++] = step->last_contacts[pair->first + i];
    }
    return true;
}

static bool find_pair_contacts(const rblStep* step, rblPair* pair, rblContactSet* set, rblContactArray* out)
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    const float slop = path_slop(a, b);
    set->count = 0;
    pair->time_of_impact = 1.0f;
    const Approach approach = look_ahead(step, pair, slop);
    const bool siblings = rbl_bodies_are_siblings(a, b);
    pair->seen_margin = siblings || pair->siblings ? 0.0f : pair->seen_margin;
    pair->siblings = siblings;
    pair->fast = approach.closing_distance > approach.safe && !siblings;
    return pair->fast ? find_fast(step, pair, &approach, set, out)
                      : find_slow(step, pair, &approach, set, out);
}

// The overlap that a pair has when it is first looked at was there from the start, when one of it was just born.
static void note_birth(const rblStep* step, rblPair* pair, const rblContactSet* set)
{
    if (!step->paths.data[pair->a].is_new && !step->paths.data[pair->b].is_new)
    {
        return;
    }
    for (uint32_t i = 0; i < set->count; ++i)
    {
        pair->initial_depth = rbl_maxf(pair->initial_depth, -set->points[i].distance);
    }
}

// Siblings that are siblings no longer.
static void note_release(rblPair* pair, const rblContactSet* set)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        pair->sibling_depth = rbl_maxf(pair->sibling_depth, -set->points[i].distance - pair->break_depth);
    }
}

// How many of a pair's contacts are not redundant; as before where they were repeated.
static void note_leading(rblPair* pair, const rblContactSet* set)
{
    pair->leading = set->count > 0 || pair->count == 0 ? 0 : pair->leading;
    for (uint32_t i = 0; i < set->count; ++i)
    {
        pair->leading += set->points[i].redundant == 0;
    }
}

bool rbl_pair_find_contacts(const rblStep* step, rblPair* pair, rblContactSet* set, rblContactArray* out)
{
    if (leave_pair(step, pair))
    {
        return true;
    }
    const size_t first = out->count;
    if (is_known(step, pair))
    {
        const bool ok = keep_contacts(step, pair, out);
        pair->first = pair->count > 0 ? (uint32_t)first : 0;
        return ok;
    }
    const bool were_siblings = pair->siblings;
    const bool ok = find_pair_contacts(step, pair, set, out);
    pair->looked = true;
    note_birth(step, pair, set);
    if (were_siblings && !pair->siblings)
    {
        note_release(pair, set);
    }
    pair->count = (uint32_t)(out->count - first);
    pair->first = pair->count > 0 ? (uint32_t)first : 0; // join_block() adds where the block begins
    note_leading(pair, set);
    return ok;
}
