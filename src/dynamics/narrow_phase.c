// Contacts of one pair, matched with those of the last step.
#include "dynamics/narrow_phase.h"
#include "dynamics/solve/contact_math.h"
#include <math.h>

// ---- tuning ----

#define DEFLECTION                                                                                           \
    0.25f // of the safe distance: assumed deflection by other bodies of a pair that would not touch
#define ROUND_GAP   0.05f   // times the slop: distance of a pair with a round shape at its time of impact,
#define FLAT_GAP    0.12f   // the same of other convex pairs,
#define ROUNDING    1.6e-5f // of the size of the pair: but at least this
#define STILL       1.5f    // times the slop: a pair that moved less keeps its contacts
#define STILL_FIELD 3.0f    // the same for shapes that are not convex, whose tolerances are twice as large
#define FIELD_SLOP  0.001f  // of the smaller radius: half the tolerance of contacts by samples and fields
#define LONGEST_PATH                                                                                         \
    4.0f // times the smaller radius of a pair that is not convex: its predicted paths end there

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
    if (rbl_shape_is_exact(&a->shape) && rbl_shape_is_exact(&b->shape))
    {
        return convex_slop(rbl_minf(a->shape.thinnest, b->shape.thinnest));
    }
    const float radius_a = a->shape.bounded ? a->shape.radius : INFINITY;
    const float radius_b = b->shape.bounded ? b->shape.radius : INFINITY;
    return slop_of(FIELD_SLOP * rbl_minf(radius_a, radius_b));
}

// Upper bound of the distance by which the surfaces of a pair can approach in the step, m.
static float approach_distance(const rblBodyPath* a, const rblBodyPath* b)
{
    return rbl_length3(rbl_sub3(a->translation, b->translation)) + a->turning + b->turning;
}

// The same for bodies that may rotate together, such as fragments of a spinning body: the motion of points of b within `radius`
// of its centre, in axes that rotate with a. With y from the centre of a to that of b, u the change of y over the step and w
// the rotations, the speed is |u - w_a x (y + u t) + (w_b - w_a) x r|.
static float motion_in_axes(rblVec3 y, rblVec3 u, rblVec3 turn_a, rblVec3 turn_b, float radius)
{
    const rblVec3 at_first = rbl_sub3(u, rbl_cross3(turn_a, y));
    return rbl_length3(at_first) + 0.5f * rbl_length3(rbl_cross3(turn_a, u)) +
           rbl_length3(rbl_sub3(turn_b, turn_a)) * radius;
}

static float relative_approach_distance(const rblStep* step, const rblPair* pair)
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    const rblVec3 turn_a = step->sweeps.data[pair->a].rotation;
    const rblVec3 turn_b = step->sweeps.data[pair->b].rotation;
    const rblVec3 y = rbl_sub3(b->frame.p, a->frame.p);
    const rblVec3 u = rbl_sub3(b->translation, a->translation);
    float closing_distance = approach_distance(a, b);
    if (b->bounded)
    {
        closing_distance = rbl_minf(motion_in_axes(y, u, turn_a, turn_b, b->radius), closing_distance);
    }
    if (a->bounded)
    {
        closing_distance =
            rbl_minf(motion_in_axes(rbl_neg3(y), rbl_neg3(u), turn_b, turn_a, a->radius), closing_distance);
    }
    return closing_distance;
}

static bool is_exact_pair(const rblBodyPath* a, const rblBodyPath* b)
{
    return a->exact && b->exact;
}

static float smaller_radius(const rblBodyPath* a, const rblBodyPath* b)
{
    return rbl_minf(a->bounded ? a->radius : INFINITY, b->bounded ? b->radius : INFINITY);
}

// The same as rbl_pair_slop().
static float path_slop(const rblBodyPath* a, const rblBodyPath* b)
{
    return is_exact_pair(a, b) ? convex_slop(rbl_minf(a->thinnest, b->thinnest))
                               : slop_of(FIELD_SLOP * smaller_radius(a, b));
}

// Upper bound of the approach when another body stops one of the two, m. A shape that is not convex could otherwise fall into
// the other one when that one lands, and a contact found too late would lock the two together. The bound is at most the smaller
// radius: farther bodies are found by their time of impact, and in a cloud of fragments all would otherwise have contacts with
// all.
static float stopped_approach_distance(const rblBodyPath* a, const rblBodyPath* b)
{
    const float alone =
        rbl_maxf(rbl_length3(a->translation) + a->turning, rbl_length3(b->translation) + b->turning);
    return rbl_minf(rbl_maxf(approach_distance(a, b), alone), smaller_radius(a, b));
}

// Displacement of a body by gravity over the step, m.
static rblVec3 gravity_displacement(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    const bool falls = body->awake && world->motions.data[slot].inverse_mass > 0.0f;
    return rbl_scale3(world->def.gravity,
                      falls ? 0.5f * step->seconds * step->seconds * body->gravity_scale : 0.0f);
}

static const rblPreparedSweep* prepared_sweep_of(const rblStep* step, uint32_t slot)
{
    return step->paths.data[slot].has_prepared_sweep ? &step->prepared_sweeps.data[slot] : NULL;
}

// The distance of a pair at its time of impact. It is small, because a fall goes on until the surfaces touch. Where one shape is
// round it is smaller, because the normal of an oblique impact rotates on the last part of the path.
static float impact_gap(const rblStep* step, const rblPair* pair, float slop)
{
    const rblShapeView* a = &step->world->bodies.data[pair->a].shape;
    const rblShapeView* b = &step->world->bodies.data[pair->b].shape;
    const bool round = a->rolling != RBL_ROLLS_NOT || b->rolling != RBL_ROLLS_NOT;
    const float size = (a->bounded ? a->radius : 0.0f) + (b->bounded ? b->radius : 0.0f);
    const float gap = (round ? ROUND_GAP : FLAT_GAP) * slop;
    return rbl_shape_is_exact(a) && rbl_shape_is_exact(b) ? rbl_clampf(ROUNDING * size, gap, slop) : slop;
}

static rblImpactQuery impact_query(const rblStep* step, rblPair* pair, float slop, float* clear)
{
    const rblWorld* world = step->world;
    const float target = impact_gap(step, pair, slop);
    return (rblImpactQuery){
        .a = &world->bodies.data[pair->a].shape,
        .b = &world->bodies.data[pair->b].shape,
        .sweep_a = &step->sweeps.data[pair->a],
        .sweep_b = &step->sweeps.data[pair->b],
        .sag = rbl_sub3(gravity_displacement(step, pair->b), gravity_displacement(step, pair->a)),
        .target = target,
        .tolerance = 0.5f * target,
        .cache = &pair->cache,
        .prepared_a = prepared_sweep_of(step, pair->a),
        .prepared_b = prepared_sweep_of(step, pair->b),
        .clear = clear,
    };
}

// Time until two bodies in free motion first touch, s; the whole step when they do not. `clear`: a lower bound of their current
// distance, m, or 0 when unknown.
static float find_impact(const rblStep* step, rblPair* pair, float slop, float* clear)
{
    const rblImpactQuery query = impact_query(step, pair, slop, clear);
    const float fraction = rbl_shape_find_impact(&query);
    return fraction < 1.0f ? fraction * step->seconds : step->seconds;
}

// The contact of the last step that a contact continues: the one with the same feature. Clipping may name a corner differently,
// so otherwise it is the nearest contact within `reach`.
static const rblContact* find_predecessor(const rblContact* contacts, uint32_t count, uint32_t feature,
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

// A leading contact starts with the impulses of the contact that it continues.
static void warm_start(const rblStep* step, const rblPair* pair, uint32_t feature, rblContact* contact)
{
    const float reach = 0.02f * rbl_minf(step->paths.data[pair->a].radius, step->paths.data[pair->b].radius);
    const rblContact* before = pair->leading > 0
                                   ? find_predecessor(&step->last_contacts[pair->first], pair->leading,
                                                      feature, contact->anchor_a, reach)
                                   : NULL;
    if (before != NULL)
    {
        contact->normal_impulse = before->normal_impulse;
        contact->friction =
            rbl_mul_add3(before->friction, -rbl_dot3(before->friction, contact->normal), contact->normal);
    }
}

// The pose of a body's shape, given its frame.
static rblTransform shape_at(const rblStep* step, uint32_t slot, rblTransform frame, float seconds)
{
    const rblWorld* world = step->world;
    return seconds == 0.0f ? step->sweeps.data[slot].from
                           : rbl_transform_mul(frame, world->bodies.data[slot].shape_in_body);
}

// The same at the end of the step, or when the body has moved for some seconds, whichever is first.
static rblTransform shape_at_end(const rblStep* step, uint32_t slot, float seconds)
{
    if (seconds < step->seconds)
    {
        return shape_at(step, slot, rbl_path_frame(step->world, slot, seconds), seconds);
    }
    return step->paths.data[slot].exact ? rbl_path_end_pose(step, slot) : step->end_poses.data[slot];
}

// The seconds in which a motion of some length in the step reaches the largest length of a predicted path.
static float seconds_of_path(const rblStep* step, const rblPair* pair, float length)
{
    const float longest =
        LONGEST_PATH * smaller_radius(&step->paths.data[pair->a], &step->paths.data[pair->b]);
    return length > longest ? step->seconds * longest / length : step->seconds;
}

// Three predicted motions after some seconds, in the axes of the shape of a: of both bodies, and with either one stopped by another
// body. A body that does not rotate leaves the other one along a straight path. The longer it is, the more an error of the normal
// takes it into the other body, where samples that are no obstacles seem to be some. So paths end early.
static void predict_paths(const rblStep* step, const rblPair* pair, float seconds, rblTransform shape_a,
                          rblTransform shape_b, const rblVec3 centers[2], rblPredictedPath out[3])
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    const float alone =
        rbl_maxf(rbl_length3(a->translation) + a->turning, rbl_length3(b->translation) + b->turning);
    const float both_end = seconds + seconds_of_path(step, pair, relative_approach_distance(step, pair));
    const float alone_end = seconds + seconds_of_path(step, pair, alone);
    const rblTransform end_a = shape_at_end(step, pair->a, alone_end);
    const rblTransform end_b = shape_at_end(step, pair->b, alone_end);
    const rblTransform both_a = both_end == alone_end ? end_a : shape_at_end(step, pair->a, both_end);
    const rblTransform both_b = both_end == alone_end ? end_b : shape_at_end(step, pair->b, both_end);
    const rblVec3 pivot_a = rbl_transform_inverse_point(shape_a, centers[0]);
    const rblVec3 pivot_b = rbl_transform_inverse_point(shape_a, centers[1]);
    const bool first = a->turning > b->turning;
    out[0] = (rblPredictedPath){rbl_transform_relative(both_a, both_b), first ? pivot_a : pivot_b, first};
    out[1] = (rblPredictedPath){rbl_transform_relative(shape_a, end_b), pivot_b, false};
    out[2] = (rblPredictedPath){rbl_transform_relative(end_a, shape_b), pivot_a, true};
}

// Whether all contacts lie on a line or at a point: the two bodies share only an edge or a corner.
static bool is_line_or_point(const rblContactSet* set, float width)
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

// Update the overlap that is left from a break. Fragments of one body fit to within rounding and the error of their fields, and
// so do fragments and the bodies that their parent touched. The overlap of a new fragment is not a contact until the two bodies
// have separated. When two bodies share only an edge, their contact normal is undefined, so they get some extra overlap and can
// slide past each other.
static void update_break_depth(const rblStep* step, rblPair* pair, const rblContactSet* set)
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
        pair->break_depth =
            rbl_maxf(deepest, 0.0f) + (touches && is_line_or_point(set, slack) ? slack : 0.0f);
        return;
    }
    pair->break_depth = rbl_minf(pair->break_depth, rbl_maxf(deepest + slack, 0.0f));
}

// Find contacts after some time of free motion and append them, redundant ones last.
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
    if (!rbl_shape_is_exact(&a->shape) || !rbl_shape_is_exact(&b->shape))
    {
        const rblVec3 centers[2] = {frame_a.p, frame_b.p};
        predict_paths(step, pair, seconds, shape_a, shape_b, centers, paths);
        options.paths = paths;
        options.path_count = 3;
    }
    if (rbl_shape_find_contacts(&a->shape, &b->shape, rbl_transform_relative(shape_a, shape_b), &options,
                                &pair->cache, set) != RBL_OK ||
        !rbl_array_reserve_more(out, set->count))
    {
        return false;
    }
    update_break_depth(step, pair, set);
    const uint32_t leading = rbl_contact_set_leading(set);
    for (uint32_t i = 0; i < set->count; ++i)
    {
        rblContact contact = rbl_contact_locate(pair, &set->points[i], shape_a, frame_a, frame_b);
        if (i < leading)
        {
            warm_start(step, pair, set->points[i].feature, &contact);
        }
        out->data[out->count++] = contact;
    }
    pair->colliding = set->colliding;
    return true;
}

// The largest relative motion in a step for which a pair cannot tunnel, m. For a half space it is smaller: contacts with gaps
// as large as the thickness of a body would displace contacts that matter.
static float safe_travel(const rblBodyPath* a, const rblBodyPath* b)
{
    if (!is_exact_pair(a, b))
    {
        return smaller_radius(a, b); // their contacts are found for the whole path
    }
    if (a->rugged || b->rugged)
    {
        return INFINITY; // a body that touches it finds the rest of it on its whole path
    }
    if (!a->bounded || !b->bounded)
    {
        return a->bounded ? a->inner_radius : b->inner_radius;
    }
    // A body next to a much larger one is treated as next to a half space.
    const float smaller = rbl_minf(a->inner_radius, b->inner_radius);
    return rbl_minf(a->inner_radius + b->inner_radius, 4.0f * smaller);
}

// Whether the last contacts are still valid. The last search covered gaps up to `seen_margin`. As long as the relative motion
// since then is smaller than the difference to `margin`, no other points have come within the margin. Contacts move with their
// bodies, so they are kept for motions up to `still`. A pile at rest therefore costs almost nothing here.
static bool contacts_are_valid(const rblPair* pair, rblTransform now, float margin, float radius, float still)
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

// Radius of a ball around the centre of b that contains b. When b is unbounded, that of a.
static float turning_radius(const rblBodyPath* a, const rblBodyPath* b)
{
    return b->bounded ? b->radius : a->radius;
}

// Whether the bounding balls of two bodies do not touch in this step.
static bool balls_stay_apart(const rblBodyPath* a, const rblBodyPath* b, float slop)
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

// Data of a pair before its contacts are searched.
typedef struct Approach
{
    rblTransform now; // frame of b in the frame of a
    float slop;
    float still;            // m: a pair that moved less keeps its contacts
    float closing_distance; // m: bound of the approach of the surfaces in the step
    float safe;             // m: a pair that moves farther is fast
    float
        longest; // m: the same for shapes that are not convex, when another body stops one of them; 0: both are convex
    float radius; // m: radius of a ball around the centre of b that contains b, or of a when b is unbounded
} Approach;

static Approach describe_approach(const rblStep* step, const rblPair* pair, float slop)
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    return (Approach){
        .now = rbl_transform_relative(a->frame, b->frame),
        .slop = slop,
        .still = (is_exact_pair(a, b) ? STILL : STILL_FIELD) * slop,
        .closing_distance =
            is_exact_pair(a, b) ? approach_distance(a, b) : relative_approach_distance(step, pair),
        .safe = safe_travel(a, b),
        .longest = is_exact_pair(a, b) ? 0.0f : stopped_approach_distance(a, b),
        .radius = turning_radius(a, b),
    };
}

// The gap up to which contacts are created, m: the possible approach in the step, or a share of it.
static float margin_of(const Approach* approach, float share)
{
    const float closing = share * rbl_minf(approach->closing_distance, approach->safe);
    return 2.0f * approach->slop + rbl_maxf(closing, approach->longest);
}

// Find contacts at the current poses. When the known distance `clear` is larger than the searched gap, there are none.
static bool search_contacts(const rblStep* step, rblPair* pair, const Approach* approach, float margin,
                            float clear, rblContactSet* set, rblContactArray* out)
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

// The same, unless the contacts of the last step are still valid.
static bool find_current(const rblStep* step, rblPair* pair, const Approach* approach, float margin,
                         float clear, rblContactSet* set, rblContactArray* out)
{
    set->count = 0;
    return contacts_are_valid(pair, approach->now, margin, approach->radius, approach->still)
               ? repeat_contacts(step, pair, out)
               : search_contacts(step, pair, approach, margin, clear, set, out);
}

// Whether only an impact can deflect a body from its predicted path: nothing supported it in the last step.
static bool moves_freely(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    return !(world->motions.data[slot].inverse_mass > 0.0f) || (body->falls && body->joint_count == 0);
}

// The largest approach speed of a pair along the normals of some of its contacts, m/s.
static float fastest_approach(const rblStep* step, const rblPair* pair, const rblContact* contacts,
                              uint32_t count)
{
    const rblWorld* world = step->world;
    const rblMotion* a = &world->motions.data[pair->a];
    const rblMotion* b = &world->motions.data[pair->b];
    float fastest = 0.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 arm_a = rbl_rotate3(a->orientation, contacts[i].anchor_a);
        const rblVec3 arm_b = rbl_rotate3(b->orientation, contacts[i].anchor_b);
        const rblVec3 at_a = rbl_add3(a->velocity, rbl_cross3(a->spin, arm_a));
        const rblVec3 at_b = rbl_add3(b->velocity, rbl_cross3(b->spin, arm_b));
        const rblVec3 normal = rbl_rotate3(a->orientation, contacts[i].normal_in_a);
        fastest = rbl_maxf(fastest, rbl_dot3(rbl_sub3(at_a, at_b), normal));
    }
    return fastest;
}

// Whether a pair that misses keeps to its path. Shapes that are not convex touch between their samples, and when they are slow they
// rest on each other or are wedged: they need contacts in every step.
static bool passes_by(const rblStep* step, const Approach* approach)
{
    const float fallen = step->seconds * step->seconds * rbl_length3(step->world->def.gravity);
    return approach->longest == 0.0f || approach->closing_distance > fallen;
}

// Find the contacts of a pair at its time of impact. There are none when the pair does not touch in the step (`misses`),
// or touches already. `clear`: a lower bound of the current distance.
static bool find_at_impact(const rblStep* step, rblPair* pair, const Approach* approach, rblContactSet* set,
                           rblContactArray* out, bool* misses, float* clear)
{
    const float impact = find_impact(step, pair, approach->slop, clear);
    const size_t before = out->count;
    *misses = !(impact < step->seconds);
    if (*misses)
    {
        const bool certain =
            passes_by(step, approach) && moves_freely(step, pair->a) && moves_freely(step, pair->b);
        pair->time_of_impact = certain ? INFINITY : 1.0f;
        return true;
    }
    if (!(impact > 0.0f))
    {
        return true;
    }
    // Of a slow pair all contacts that may close in the rest of the step.
    const float slow = approach->closing_distance <= approach->safe ? approach->closing_distance : 0.0f;
    const float left = 1.0f - impact / step->seconds;
    const float margin = 4.0f * approach->slop + left * rbl_maxf(slow, approach->longest);
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

// Whether a pair that touched in the last step has separated, according to its last contact normal.
static bool has_separated(const rblStep* step, const rblPair* pair, float slop)
{
    const rblWorld* world = step->world;
    const rblTransform b_in_a =
        rbl_transform_relative(step->sweeps.data[pair->a].from, step->sweeps.data[pair->b].from);
    return rbl_shape_known_gap(&world->bodies.data[pair->a].shape, &world->bodies.data[pair->b].shape, b_in_a,
                               &pair->cache) > slop;
}

// Whether a contact of the last step is closed at the current poses.
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

// Whether the last contacts determine the time of impact of a fast pair that is not convex: now, or not in this step.
static bool knows_impact(const rblStep* step, const rblPair* pair, const Approach* approach)
{
    const float whole = 2.0f * approach->slop + rbl_maxf(approach->closing_distance, approach->longest);
    const float margin = pair->count > 0 ? margin_of(approach, 1.0f) : whole;
    return approach->longest > 0.0f &&
           contacts_are_valid(pair, approach->now, margin, approach->radius, approach->still) &&
           (pair->count == 0 || is_closed(step, pair, approach->slop));
}

// Find the contacts of a pair that could tunnel in this step.
static bool find_fast(const rblStep* step, rblPair* pair, const Approach* approach, rblContactSet* set,
                      rblContactArray* out)
{
    // A pair that touched before mostly still does. Its time of impact is then 0.
    const size_t before = out->count;
    if (pair->touching && approach->longest == 0.0f && !has_separated(step, pair, approach->slop))
    {
        if (!find_current(step, pair, approach, margin_of(approach, 1.0f), 0.0f, set, out))
        {
            return false;
        }
        const bool repeated =
            set->count == 0 && out->count > before; // the contacts of the last step were kept
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
           find_current(step, pair, approach, margin_of(approach, misses ? DEFLECTION : 1.0f), clear, set,
                        out);
}

// Whether a slow pair may have an impact in this step. A pair that touched in the last step has none while something supports
// one of its bodies: lasting contacts are found where the bodies are. Nor has a pair that is not convex and whose path is not certain.
static bool may_have_impact(const rblStep* step, const rblPair* pair, const Approach* approach)
{
    const bool free = moves_freely(step, pair->a) && moves_freely(step, pair->b);
    if (step->paths.data[pair->a].rugged || step->paths.data[pair->b].rugged)
    {
        return true; // it may have left one part of the ground and fly to another
    }
    if (pair->siblings || (approach->longest > 0.0f && (!free || pair->touching)))
    {
        return false;
    }
    return !pair->touching ||
           (free && fastest_approach(step, pair, &step->last_contacts[pair->first], pair->leading) >
                        2.0f * approach->slop / step->seconds);
}

// A shape that is not convex rolls on its samples, with an impact at each: such slow impacts are lasting contacts.
static bool is_rolling(const rblStep* step, const rblPair* pair, const Approach* approach,
                       const rblContact* contacts, uint32_t count)
{
    const float gained = step->seconds * rbl_length3(step->world->def.gravity);
    return approach->longest > 0.0f && fastest_approach(step, pair, contacts, count) < gained;
}

// Find the contacts of a pair that cannot tunnel in this step: at its impact, or at the start of the step.
static bool find_slow(const rblStep* step, rblPair* pair, const Approach* approach, rblContactSet* set,
                      rblContactArray* out)
{
    const float margin = margin_of(approach, 1.0f);
    const size_t before = out->count;
    float clear = 0.0f;
    bool misses = false;
    set->count = 0;
    if (contacts_are_valid(pair, approach->now, margin, approach->radius, approach->still))
    {
        return repeat_contacts(step, pair, out);
    }
    if (may_have_impact(step, pair, approach) &&
        !find_at_impact(step, pair, approach, set, out, &misses, &clear))
    {
        return false;
    }
    if (pair->time_of_impact < 1.0f &&
        !is_rolling(step, pair, approach, &out->data[before], (uint32_t)(out->count - before)))
    {
        return true;
    }
    pair->time_of_impact = misses ? pair->time_of_impact : 1.0f;
    out->count = before;
    return search_contacts(step, pair, approach, misses ? margin_of(approach, DEFLECTION) : margin, clear,
                           set, out);
}

// Skip a pair whose bounding balls do not touch. These are most pairs of a collapse. Their records are written only when they
// change, because writing would cost more than the test.
static bool skip_pair(const rblStep* step, rblPair* pair)
{
    const rblBodyPath* a = &step->paths.data[pair->a];
    const rblBodyPath* b = &step->paths.data[pair->b];
    if (!balls_stay_apart(a, b, path_slop(a, b)))
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

// Whether the contacts of this pair were found in an earlier breaking round of this substep and its bodies have not changed
// since.
static bool is_unchanged(const rblStep* step, const rblPair* pair)
{
    return pair->looked && step->paths.data[pair->a].same && step->paths.data[pair->b].same;
}

// Copy the contacts unchanged. Those of a fast pair refer to the poses at its time of impact.
static bool copy_contacts(const rblStep* step, const rblPair* pair, rblContactArray* out)
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
    const Approach approach = describe_approach(step, pair, slop);
    const bool siblings = rbl_bodies_are_siblings(a, b);
    pair->seen_margin = siblings || pair->siblings ? 0.0f : pair->seen_margin;
    pair->siblings = siblings;
    pair->fast = approach.closing_distance > approach.safe && !siblings;
    return pair->fast ? find_fast(step, pair, &approach, set, out)
                      : find_slow(step, pair, &approach, set, out);
}

// Overlap at the first search is initial overlap when one of the bodies is new.
static void update_initial_depth(const rblStep* step, rblPair* pair, const rblContactSet* set)
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

// Overlap of two bodies that are no longer siblings.
static void update_sibling_depth(rblPair* pair, const rblContactSet* set)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        pair->sibling_depth = rbl_maxf(pair->sibling_depth, -set->points[i].distance - pair->break_depth);
    }
}

// Count the contacts that are not redundant. The count does not change when contacts were kept.
static void count_leading(rblPair* pair, const rblContactSet* set)
{
    pair->leading = set->count > 0 || pair->count == 0 ? rbl_contact_set_leading(set) : pair->leading;
}

bool rbl_pair_find_contacts(const rblStep* step, rblPair* pair, rblContactSet* set, rblContactArray* out)
{
    if (skip_pair(step, pair))
    {
        return true;
    }
    const size_t first = out->count;
    if (is_unchanged(step, pair))
    {
        const bool ok = copy_contacts(step, pair, out);
        pair->first = pair->count > 0 ? (uint32_t)first : 0;
        return ok;
    }
    const bool were_siblings = pair->siblings;
    const bool ok = find_pair_contacts(step, pair, set, out);
    pair->looked = true;
    update_initial_depth(step, pair, set);
    if (were_siblings && !pair->siblings)
    {
        update_sibling_depth(pair, set);
    }
    pair->count = (uint32_t)(out->count - first);
    pair->first = pair->count > 0 ? (uint32_t)first : 0; // join_block() adds the offset of the block
    count_leading(pair, set);
    return ok;
}
