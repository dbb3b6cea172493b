// When samples of either of two moving shapes first come close to the other's field. A ball about a sample that holds all below it
// goes along the sample's way by as much as the field there allows (as rays are traced through balls of free space: Hart 1996),
// until something below may be close; from that time on its children are looked at. What comes later than the earliest impact known is left.
#include "field/contact/collide.h"
#include "field/contact/field_sampling.h"
#include "field/contact/time_of_impact.h"
#include "math/aabb.h"
#include <math.h>

// ---- tuning ----
#define DEEPEST         64   // levels: points are numbered in 32 bits, each level doubles their count
#define MAX_LEGS        63u  // straight parts of a path
#define MAX_STEPS       64u  // steps of one ball or sample
#define LARGE_CLEARANCE 0.1f // of the radius of a shape: larger clearances skip the field
#define MAX_BOWED       0.5  // of the target distance: largest deviation of a straight part from its arc

// The motion, in legs of equal time on each of which every sample goes straight. Poses are made when they are asked for.
typedef struct Motion
{
    const rblImpactQuery* query;
    const rblFlights* flights;
    uint32_t legs;
    float fastest;                    // that anything of the two comes together, metres a leg
    uint64_t known;                   // bits: poses that are there
    rblTransform poses[MAX_LEGS + 1]; // of b in a's axes
} Motion;

// Samples of one shape on their way through the field of the other.
typedef struct Hunt
{
    Motion* motion;
    const rblSampleTree* tree;
    rblField field;
    bool backwards;  // the samples are a's
    uint64_t placed; // bits: frames that are there
    rblMat3 rotations[MAX_LEGS + 1];
    rblVec3 offsets[MAX_LEGS + 1];
    float goal, tolerance;
    float* first; // the earliest impact known, in legs
} Hunt;

// One of them, or the ball about it.
typedef struct Walker
{
    rblVec3 sample;
    float t; // in legs
    uint32_t leg;
    rblVec3 start, along; // of this leg
    float speed;          // of coming nearer at most, metres a leg
    bool asked;           // the field, here
    float value;
    rblFieldSlope slope;
} Walker;

// ---- poses ----

// The pose of b in a's axes, about the shapes' own origins.
static rblTransform relative_pose(const rblImpactQuery* query, const rblFlights* f, double t)
{
    const rblQuatd turn_a = rbl_quatd_from_axis_angle(f->a.axis, f->a.angle * t);
    const rblQuatd turn_b = rbl_quatd_from_axis_angle(f->b.axis, f->b.angle * t);
    const rblQuatd a = rbl_quatd_normalize(rbl_quatd_mul(turn_a, rbl_to_double_quat(query->sweep_a->from.q)));
    const rblQuatd b = rbl_quatd_normalize(rbl_quatd_mul(turn_b, rbl_to_double_quat(query->sweep_b->from.q)));
    const rblVec3d apart = rbl_sub3d(rbl_add3d(rbl_flights_offset(f, t), rbl_rotate3d(a, f->a.center)),
                                     rbl_rotate3d(b, f->b.center));
    const rblQuatd back = rbl_quatd_conjugate(a);
    return (rblTransform){rbl_to_float3(rbl_rotate3d(back, apart)),
                          rbl_to_float_quat(rbl_quatd_mul(back, b))};
}

static rblTransform pose_at(Motion* motion, uint32_t i)
{
    if ((motion->known >> i & 1u) == 0)
    {
        motion->poses[i] = relative_pose(motion->query, motion->flights, (double)i / (double)motion->legs);
        motion->known |= (uint64_t)1 << i;
    }
    return motion->poses[i];
}

static rblVec3 sample_position(Hunt* hunt, uint32_t i, rblVec3 sample)
{
    if ((hunt->placed >> i & 1u) == 0)
    {
        const rblTransform forth = pose_at(hunt->motion, i);
        const rblTransform pose = hunt->backwards ? rbl_transform_inverse(forth) : forth;
        hunt->rotations[i] = rbl_quat_to_mat3(pose.q);
        hunt->offsets[i] = pose.p;
        hunt->placed |= (uint64_t)1 << i;
    }
    return rbl_add3(rbl_mat3_apply(&hunt->rotations[i], sample), hunt->offsets[i]);
}

// How far a way bends away from a straight one over all of the motion, at most: x = R^T(t) y(t) with y the parabola and the other's turn,
// so x'' <= w^2 |y| + 2 w |y'| + |y''|. Only what comes within the smaller ball matters, and that is there from the beginning or comes there.
static double bend_of(const rblImpactQuery* query, const rblFlights* f)
{
    const double smaller = rbl_mind(query->a->bounded ? f->a.radius : (double)INFINITY,
                                    query->b->bounded ? f->b.radius : (double)INFINITY);
    const double sag = rbl_length3d(f->sag);
    const double path_length = rbl_length3d(f->travel) + sag;
    const double turn = f->a.angle + f->b.angle;
    return turn * turn * (smaller + path_length) + 2.0 * turn * path_length + 2.0 * sag;
}

// As many legs as keep them straight enough: a chord leaves its arc by an eighth of x'' t^2.
static void set_legs(Motion* motion)
{
    const double bend = bend_of(motion->query, motion->flights) / 8.0;
    const double most = rbl_maxd(MAX_BOWED * motion->flights->goal, motion->flights->slack);
    const double wanted = ceil(sqrt(bend / most));
    motion->legs = wanted > 1.0 ? (wanted < MAX_LEGS ? (uint32_t)wanted : MAX_LEGS) : 1;
    motion->fastest = (float)(rbl_fastest_closing(motion->flights) / (double)motion->legs);
}

// ---- walking ----

// A sample far off that turns goes faster through the other's axes than it comes nearer.
static void go_to(Hunt* hunt, Walker* walker, float t)
{
    const uint32_t leg = (uint32_t)t;
    walker->t = t;
    walker->asked = false;
    if (leg == walker->leg)
    {
        return;
    }
    walker->leg = leg;
    walker->start = sample_position(hunt, leg, walker->sample);
    walker->along = rbl_sub3(sample_position(hunt, leg + 1, walker->sample), walker->start);
    walker->speed = rbl_minf(rbl_length3(walker->along), hunt->motion->fastest);
}

static Walker walker_at(Hunt* hunt, rblVec3 sample, float t)
{
    Walker walker = {.sample = sample, .leg = UINT32_MAX};
    go_to(hunt, &walker, t);
    return walker;
}

// How far outside the box of the field a point is, where that alone tells that there is much room for a ball; else 0. It takes a fraction of
// the time that the field does.
static float clearance_outside(const Hunt* hunt, rblVec3 point, float radius)
{
    const rblShapeView* view = &hunt->field.shape->view;
    if (!view->bounded)
    {
        return 0.0f;
    }
    const float outside = sqrtf(rbl_aabb_distance_squared(view->bounds, point));
    const float clearance = outside - hunt->field.rounding - hunt->goal - radius;
    return clearance > LARGE_CLEARANCE * view->radius ? clearance : 0.0f;
}

static void ask_field(const Hunt* hunt, Walker* walker, rblVec3 point, float radius)
{
    const float close = hunt->goal + hunt->tolerance;
    walker->value = rbl_field_distance(&hunt->field, point, 2.0f * (radius + close), &walker->slope);
    walker->asked = true;
}

// How far a ball about the walker can go with nothing in it coming close.
static float clearance_of(const Hunt* hunt, Walker* walker, float radius)
{
    const rblField* field = &hunt->field;
    const rblVec3 point = rbl_mul_add3(walker->start, walker->t - (float)walker->leg, walker->along);
    const float close = hunt->goal + hunt->tolerance;
    if (!walker->asked)
    {
        const float clearance = clearance_outside(hunt, point, radius);
        if (clearance > 0.0f)
        {
            return clearance;
        }
        ask_field(hunt, walker, point, radius);
    }
    if (radius > 0.0f || walker->value > close)
    {
        return rbl_field_free_distance(field, walker->slope, walker->value - hunt->goal) - radius;
    }
    rblVec3 unused;
    const float sure = field->confirm != NULL && walker->value > 0.0f
                           ? field->shape->kind->distance(field->shape->data, point, &unused)
                           : walker->value;
    return sure <= close ? 0.0f : rbl_field_free_distance(field, walker->slope, sure - hunt->goal);
}

// Go on by a length; false at the first impact known or the end. Beyond this leg as if at the speed of the fastest.
static bool walk(Hunt* hunt, Walker* walker, float length)
{
    const float end = (float)(walker->leg + 1);
    const float rest = (end - walker->t) * walker->speed;
    const float t =
        length < rest ? walker->t + length / walker->speed : end + (length - rest) / hunt->motion->fastest;
    if (!(t < *hunt->first))
    {
        return false;
    }
    go_to(hunt, walker, t);
    return true;
}

// Go on until something in the ball may be close; false when that is not before the first impact known.
static bool advance(Hunt* hunt, Walker* walker, float radius)
{
    for (uint32_t i = 0; i < MAX_STEPS; ++i)
    {
        const float clearance = clearance_of(hunt, walker, radius);
        if (!(clearance > 0.5f * hunt->tolerance))
        {
            return true;
        }
        if (!walk(hunt, walker, clearance))
        {
            return false;
        }
    }
    return true; // still apart here: early, never late
}

// ---- the search ----

typedef struct Node
{
    uint32_t next, end; // in rblSampleTree.children
    float from;         // nothing below is close before
} Node;

// Returns whether anything below may be close before the first impact known, and from when on.
static bool meet(Hunt* hunt, rblVec3 sample, float radius, float* from)
{
    Walker walker = walker_at(hunt, sample, *from);
    if (radius > 0.0f && !advance(hunt, &walker, radius))
    {
        return false;
    }
    *from = walker.t;
    if (advance(hunt, &walker, 0.0f))
    {
        *hunt->first = walker.t;
    }
    return *from < *hunt->first;
}

static void search(Hunt* hunt, float from)
{
    const rblSampleTree* tree = hunt->tree;
    if (tree == NULL || !(from < *hunt->first))
    {
        return;
    }
    Node stack[DEEPEST];
    uint32_t depth = 0;
    if (meet(hunt, tree->points[0], rbl_sample_radius(tree, 0), &from))
    {
        stack[depth++] = (Node){tree->first_children[0], tree->first_children[1], from};
    }
    while (depth > 0)
    {
        Node* top = &stack[depth - 1];
        if (top->next == top->end || !(top->from < *hunt->first))
        {
            depth -= 1;
            continue;
        }
        const rblSampleChild* child = &tree->children[top->next++];
        float since = top->from;
        if (meet(hunt, child->point, child->radius, &since))
        {
            stack[depth++] = (Node){child->first, child->end, since};
        }
    }
}

// From when on the ball about all of a shape may be close to the other's field.
static float start_of(Hunt* hunt, const rblShapeView* samples)
{
    if (!samples->bounded)
    {
        return 0.0f;
    }
    Walker walker = walker_at(hunt, rbl_to_float3(samples->mass.center), 0.0f);
    return advance(hunt, &walker, samples->radius) ? walker.t : *hunt->first;
}

static bool hunt_init(Hunt* hunt, Motion* motion, float* first)
{
    const rblShapeView* samples = hunt->backwards ? motion->query->a : motion->query->b;
    const rblShapeView* field = hunt->backwards ? motion->query->b : motion->query->a;
    hunt->motion = motion;
    hunt->field = rbl_field_of(field->shape);
    hunt->field.rounding = 1e-6f * (samples->radius + (field->bounded ? field->radius : 0.0f)) +
                           (hunt->field.grid != NULL ? hunt->field.grid->unit : 0.0f);
    hunt->placed = 0;
    hunt->goal = (float)motion->flights->goal;
    hunt->tolerance = (float)(0.5 * motion->flights->slack);
    hunt->first = first;
    return !hunt->field.out_of_memory && rbl_shape_tree(samples->shape, &hunt->tree) == RBL_OK;
}

double rbl_field_time_of_impact(const rblImpactQuery* query, const rblFlights* flights)
{
    Motion motion = {.query = query, .flights = flights, .known = 0};
    set_legs(&motion);
    float first = (float)motion.legs;
    Hunt hunts[2];
    hunts[0].backwards = true;
    hunts[1].backwards = false;
    if (!hunt_init(&hunts[0], &motion, &first) || !hunt_init(&hunts[1], &motion, &first))
    {
        return 0.0; // no memory: as if they touched, and the search for their contacts will say so
    }
    const float from = rbl_maxf(start_of(&hunts[0], query->a), start_of(&hunts[1], query->b));
    search(&hunts[1], from);
    search(&hunts[0], from);
    return first < (float)motion.legs ? (double)first / (double)motion.legs : 1.0;
}
