// Time of impact by samples: the first time at which a sample of one of two moving shapes is close to the field of the
// other. A ball around a sample contains all samples below it in the hierarchy. It advances along the path of the
// sample by the distance that the field guarantees to be free (as in sphere tracing, Hart 1996), until a sample below
// may be close; from that time on its children are tested. Samples that would be later than the earliest impact so far
// are skipped.
#include "field/contact/collide.h"
#include "field/contact/field_sampling.h"
#include "field/contact/time_of_impact.h"
#include "math/aabb.h"
#include <math.h>

// ---- tuning ----
#define MAX_DEPTH 64  // levels; sample indices have 32 bits, and each level doubles the number of samples
#define MAX_LEGS  63u // straight legs of a path
#define MAX_STEPS 64u // steps of one ball or sample
// Relative to the radius of a shape; a larger clearance is taken from the box, without the field.
#define LARGE_CLEARANCE 0.1f
#define MAX_DEVIATION   0.5 // relative to the target distance; largest deviation of a straight leg from its arc

// The motion, in legs of equal time. On each leg every sample moves on a straight line. Poses are computed when they
// are needed.
typedef struct Motion
{
    const rblImpactQuery* query;
    const rblFlights* flights;
    uint32_t legs;
    float fastest;                    // largest closing speed of two points, m per leg
    uint64_t known;                   // bit i: poses[i] is computed
    rblTransform poses[MAX_LEGS + 1]; // of b in the axes of a
} Motion;

// The search with the samples of one shape in the field of the other.
typedef struct ImpactSide
{
    Motion* motion;
    const rblSampleTree* tree;
    rblField field;
    bool backwards;  // whether the samples are those of a
    uint64_t placed; // bit i: frame i is computed
    rblMat3 rotations[MAX_LEGS + 1];
    rblVec3 offsets[MAX_LEGS + 1];
    float goal, tolerance;
    float* first; // the earliest impact so far, in legs
} ImpactSide;

// A moving sample, or the ball around it.
typedef struct MovingSample
{
    rblVec3 sample;
    float t; // time, in legs
    uint32_t leg;
    rblVec3 start, along; // on the current leg
    float speed;          // largest closing speed, m per leg
    bool evaluated;       // whether the field was evaluated at this time
    float value;
    rblFieldSlope slope;
} MovingSample;

// ---- poses ----

// The pose of b in the axes of a, relative to the origins of the shapes.
static rblTransform relative_pose(const rblImpactQuery* query, const rblFlights* f, double t)
{
    const rblQuatd turn_a = rbl_quatd_from_axis_angle(f->a.axis, f->a.angle * t);
    const rblQuatd turn_b = rbl_quatd_from_axis_angle(f->b.axis, f->b.angle * t);
    const rblQuatd a = rbl_quatd_normalize(rbl_quatd_mul(turn_a, rbl_to_double_quat(query->sweep_a->from.q)));
    const rblQuatd b = rbl_quatd_normalize(rbl_quatd_mul(turn_b, rbl_to_double_quat(query->sweep_b->from.q)));
    const rblVec3d separation = rbl_sub3d(rbl_add3d(rbl_flights_offset(f, t), rbl_rotate3d(a, f->a.center)),
                                          rbl_rotate3d(b, f->b.center));
    const rblQuatd back = rbl_quatd_conjugate(a);
    return (rblTransform){rbl_to_float3(rbl_rotate3d(back, separation)),
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

static rblVec3 sample_position(ImpactSide* side, uint32_t i, rblVec3 sample)
{
    if ((side->placed >> i & 1u) == 0)
    {
        const rblTransform forth = pose_at(side->motion, i);
        const rblTransform pose = side->backwards ? rbl_transform_inverse(forth) : forth;
        side->rotations[i] = rbl_quat_to_mat3(pose.q);
        side->offsets[i] = pose.p;
        side->placed |= (uint64_t)1 << i;
    }
    return rbl_add3(rbl_mat3_apply(&side->rotations[i], sample), side->offsets[i]);
}

// Bound of the acceleration of a path over the whole motion: x = R^T(t) y(t) with y the parabola and the rotation of
// the other shape, so |x''| <= w^2 |y| + 2 w |y'| + |y''|. Only points within the smaller ball matter, at the start or
// later.
static double bend_of(const rblImpactQuery* query, const rblFlights* f)
{
    const double smaller = rbl_mind(query->a->bounded ? f->a.radius : (double)INFINITY,
                                    query->b->bounded ? f->b.radius : (double)INFINITY);
    const double sag = rbl_length3d(f->sag);
    const double path_length = rbl_length3d(f->travel) + sag;
    const double angle = f->a.angle + f->b.angle;
    return angle * angle * (smaller + path_length) + 2.0 * angle * path_length + 2.0 * sag;
}

// The number of legs that keeps each leg nearly straight: a chord differs from its arc by at most x'' t^2 / 8.
static void set_legs(Motion* motion)
{
    const double bend = bend_of(motion->query, motion->flights) / 8.0;
    const double most = rbl_maxd(MAX_DEVIATION * motion->flights->goal, motion->flights->slack);
    const double wanted = ceil(sqrt(bend / most));
    motion->legs = wanted > 1.0 ? (wanted < MAX_LEGS ? (uint32_t)wanted : MAX_LEGS) : 1;
    motion->fastest = (float)(rbl_fastest_closing(motion->flights) / (double)motion->legs);
}

// ---- advancing ----

// A rotating sample that is far away moves faster in the axes of the other shape than it approaches.
static void move_to(ImpactSide* side, MovingSample* moving, float t)
{
    const uint32_t leg = (uint32_t)t;
    moving->t = t;
    moving->evaluated = false;
    if (leg == moving->leg)
    {
        return;
    }
    moving->leg = leg;
    moving->start = sample_position(side, leg, moving->sample);
    moving->along = rbl_sub3(sample_position(side, leg + 1, moving->sample), moving->start);
    moving->speed = rbl_minf(rbl_length3(moving->along), side->motion->fastest);
}

static MovingSample moving_sample_at(ImpactSide* side, rblVec3 sample, float t)
{
    MovingSample moving = {.sample = sample, .leg = UINT32_MAX};
    move_to(side, &moving, t);
    return moving;
}

// Distance of a point from the box of the field, if this alone gives a large clearance for the ball; else 0. It costs a
// fraction of a field value.
static float clearance_outside(const ImpactSide* side, rblVec3 point, float radius)
{
    const rblShapeView* view = &side->field.shape->view;
    if (!view->bounded)
    {
        return 0.0f;
    }
    const float outside = sqrtf(rbl_aabb_distance_squared(view->bounds, point));
    const float clearance = outside - side->field.rounding - side->goal - radius;
    return clearance > LARGE_CLEARANCE * view->radius ? clearance : 0.0f;
}

static void ask_field(const ImpactSide* side, MovingSample* moving, rblVec3 point, float radius)
{
    const float close = side->goal + side->tolerance;
    moving->value = rbl_field_distance(&side->field, point, 2.0f * (radius + close), &moving->slope);
    moving->evaluated = true;
}

// Distance that a ball around the sample can move without a sample in it becoming close.
static float clearance_of(const ImpactSide* side, MovingSample* moving, float radius)
{
    const rblField* field = &side->field;
    const rblVec3 point = rbl_mul_add3(moving->start, moving->t - (float)moving->leg, moving->along);
    const float close = side->goal + side->tolerance;
    if (!moving->evaluated)
    {
        const float clearance = clearance_outside(side, point, radius);
        if (clearance > 0.0f)
        {
            return clearance;
        }
        ask_field(side, moving, point, radius);
    }
    if (radius > 0.0f || moving->value > close)
    {
        return rbl_field_free_distance(field, moving->slope, moving->value - side->goal) - radius;
    }
    rblVec3 unused;
    const float sure = field->confirm != NULL && moving->value > 0.0f
                           ? field->shape->kind->distance(field->shape->data, point, &unused)
                           : moving->value;
    return sure <= close ? 0.0f : rbl_field_free_distance(field, moving->slope, sure - side->goal);
}

// Advance by a length. Beyond the current leg the largest closing speed is assumed. Returns false at the end of the
// motion, or at the earliest impact so far.
static bool walk(ImpactSide* side, MovingSample* moving, float length)
{
    const float end = (float)(moving->leg + 1);
    const float rest = (end - moving->t) * moving->speed;
    const float t =
        length < rest ? moving->t + length / moving->speed : end + (length - rest) / side->motion->fastest;
    if (!(t < *side->first))
    {
        return false;
    }
    move_to(side, moving, t);
    return true;
}

// Advance until a sample in the ball may be close. Returns false if this is not before the earliest impact so far.
static bool advance(ImpactSide* side, MovingSample* moving, float radius)
{
    for (uint32_t i = 0; i < MAX_STEPS; ++i)
    {
        const float clearance = clearance_of(side, moving, radius);
        if (!(clearance > 0.5f * side->tolerance))
        {
            return true;
        }
        if (!walk(side, moving, clearance))
        {
            return false;
        }
    }
    return true; // still apart: the result may be too early, but never too late
}

// ---- search ----

typedef struct Node
{
    uint32_t next, end; // range in rblSampleTree.children
    float from;         // no sample below is close before this time, in legs
} Node;

// Whether a sample below may be close before the earliest impact so far; `from` receives the first time at which it may
// be.
static bool meet(ImpactSide* side, rblVec3 sample, float radius, float* from)
{
    MovingSample moving = moving_sample_at(side, sample, *from);
    if (radius > 0.0f && !advance(side, &moving, radius))
    {
        return false;
    }
    *from = moving.t;
    if (advance(side, &moving, 0.0f))
    {
        *side->first = moving.t;
    }
    return *from < *side->first;
}

static void search(ImpactSide* side, float from)
{
    const rblSampleTree* tree = side->tree;
    if (tree == NULL || !(from < *side->first))
    {
        return;
    }
    Node stack[MAX_DEPTH];
    uint32_t depth = 0;
    if (meet(side, tree->points[0], rbl_sample_radius(tree, 0), &from))
    {
        stack[depth++] = (Node){tree->first_children[0], tree->first_children[1], from};
    }
    while (depth > 0)
    {
        Node* top = &stack[depth - 1];
        if (top->next == top->end || !(top->from < *side->first))
        {
            depth -= 1;
            continue;
        }
        const rblSampleChild* child = &tree->children[top->next++];
        float since = top->from;
        if (meet(side, child->point, child->radius, &since))
        {
            stack[depth++] = (Node){child->first, child->end, since};
        }
    }
}

// The first time at which the ball around a whole shape may be close to the field of the other.
static float start_of(ImpactSide* side, const rblShapeView* samples)
{
    if (!samples->bounded)
    {
        return 0.0f;
    }
    MovingSample moving = moving_sample_at(side, rbl_to_float3(samples->mass.center), 0.0f);
    return advance(side, &moving, samples->radius) ? moving.t : *side->first;
}

static bool side_init(ImpactSide* side, Motion* motion, float* first)
{
    const rblShapeView* samples = side->backwards ? motion->query->a : motion->query->b;
    const rblShapeView* field = side->backwards ? motion->query->b : motion->query->a;
    side->motion = motion;
    side->field = rbl_field_of(field->shape);
    side->field.rounding = 1e-6f * (samples->radius + (field->bounded ? field->radius : 0.0f)) +
                           (side->field.grid != NULL ? side->field.grid->unit : 0.0f);
    side->placed = 0;
    side->goal = (float)motion->flights->goal;
    side->tolerance = (float)(0.5 * motion->flights->slack);
    side->first = first;
    return !side->field.out_of_memory && rbl_shape_tree(samples->shape, &side->tree) == RBL_OK;
}

double rbl_field_time_of_impact(const rblImpactQuery* query, const rblFlights* flights)
{
    Motion motion = {.query = query, .flights = flights, .known = 0};
    set_legs(&motion);
    float first = (float)motion.legs;
    ImpactSide hunts[2];
    hunts[0].backwards = true;
    hunts[1].backwards = false;
    if (!side_init(&hunts[0], &motion, &first) || !side_init(&hunts[1], &motion, &first))
    {
        return 0.0; // no memory: treated as touching; the search for contacts reports the error
    }
    const float from = rbl_maxf(start_of(&hunts[0], query->a), start_of(&hunts[1], query->b));
    search(&hunts[1], from);
    search(&hunts[0], from);
    return first < (float)motion.legs ? (double)first / (double)motion.legs : 1.0;
}
