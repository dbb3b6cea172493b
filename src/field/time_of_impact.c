// When two moving shapes first come close: conservative advancement (Mirtich 1996).
//
// The shapes are some distance d apart along a unit normal n. As long as neither can have moved along n by more than d
// less the target, they cannot be closer than the target: a body whose centre of mass moves by v t and that turns by the
// angle w t moves no point along n by more than (n . v) t + |w x n| r t, r the radius of the ball about its centre.
#include "field/collide.h"
#include "field/gjk.h"
#include "field/primitives.h"
#include "field/shape.h"
#include "math/transform.h"
#include "math/trig.h"

#define MAX_STEPS 256

// A sweep in doubles: the pose at a fraction of the motion is turned about the centre of mass.
typedef struct Motion
{
    rblQuatd from;
    rblVec3d center; // of mass, in the shape's axes
    rblVec3d start;  // where it is at the beginning
    rblVec3d travel;
    rblVec3d axis; // of the rotation, unit
    double angle;
    double radius; // 0 for planes: they do not turn
} Motion;

static Motion make_motion(const rblShapeView* shape, const rblSweep* sweep)
{
    Motion m = {.from = rbl_quatd_normalize(rbl_to_double_quat(sweep->from.q)),
                .center = shape->mass.center,
                .travel = rbl_to_double3(sweep->translation)};
    m.start = rbl_add3d(rbl_rotate3d(m.from, m.center), rbl_to_double3(sweep->from.p));
    const rblVec3d rotation = rbl_to_double3(sweep->rotation);
    m.angle = rbl_length3d(rotation);
    m.axis = rbl_normalize3d(rotation, (rblVec3d){0, 1, 0});
    m.radius = shape->bounded ? (double)shape->radius : 0.0;
    return m;
}

typedef struct PoseD
{
    rblQuatd q;
    rblVec3d p;
} PoseD;

static PoseD pose_at(const Motion* m, double t)
{
    PoseD pose;
    pose.q = rbl_quatd_normalize(rbl_quatd_mul(rbl_quatd_from_axis_angle(m->axis, m->angle * t), m->from));
    pose.p = rbl_sub3d(rbl_mul_add3d(m->start, t, m->travel), rbl_rotate3d(pose.q, m->center));
    return pose;
}

static rblTransform relative_pose(const PoseD* a, const PoseD* b)
{
    const rblQuatd back = rbl_quatd_conjugate(a->q);
    return (rblTransform){rbl_to_float3(rbl_rotate3d(back, rbl_sub3d(b->p, a->p))),
                          rbl_to_float_quat(rbl_quatd_mul(back, b->q))};
}

// ---- distances of convex shapes ----

static double plane_distance(const rblShapeView* plane, const rblShapeView* shape, rblTransform in_plane,
                             rblVec3d* normal)
{
    const rblPrimitive* half_space = plane->data;
    *normal = rbl_to_double3(half_space->normal);
    if (!shape->bounded)
    {
        return (double)INFINITY;
    }
    const rblVec3 down = rbl_inverse_rotate3(in_plane.q, rbl_neg3(half_space->normal));
    const rblVec3 lowest = rbl_transform_point(in_plane, shape->shape->ops->support(shape->data, down));
    return rbl_dot3d(*normal, rbl_to_double3(lowest));
}

double rbl_convex_distance(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                           rblVec3d* normal)
{
    if (a->kind == RBL_SHAPE_PLANE)
    {
        return plane_distance(a, b, b_in_a, normal);
    }
    if (b->kind == RBL_SHAPE_PLANE)
    {
        rblVec3d there;
        const double distance = plane_distance(b, a, rbl_transform_inverse(b_in_a), &there);
        *normal = rbl_neg3d(rbl_to_double3(rbl_rotate3(b_in_a.q, rbl_to_float3(there))));
        return distance;
    }
    const rblConvexPair pair = rbl_convex_pair(a, b, b_in_a);
    const rblVec3d centers =
        rbl_sub3d(rbl_add3d(rbl_mat3d_apply(&pair.turn, rbl_core_center(&pair.b)), pair.offset),
                  rbl_core_center(&pair.a));
    const rblSeparation found = rbl_gjk_separation(&pair, centers, (double)INFINITY);
    *normal = found.normal;
    return found.distance - pair.a.rounding - pair.b.rounding;
}

// ---- advancing ----

// Gap at a fraction of the motion, and the fastest that it can shrink from there on, metres per whole motion.
typedef struct Approach
{
    double gap;
    double speed;
} Approach;

static double turning_speed(const Motion* m, rblVec3d n)
{
    return m->angle * m->radius * rbl_length3d(rbl_cross3d(m->axis, n));
}

// Where the shapes are at a fraction of the motion.
typedef struct Moment
{
    PoseD a, b;
    rblTransform b_in_a;
    double left; // of the motion
} Moment;

static Moment moment_at(const Motion* ma, const Motion* mb, double t)
{
    Moment m = {.a = pose_at(ma, t), .b = pose_at(mb, t), .left = 1.0 - t};
    m.b_in_a = relative_pose(&m.a, &m.b);
    return m;
}

// How fast the gap can shrink along a normal (world axes), and along any.
static double closing_speed(const Motion* ma, const Motion* mb, rblVec3d n)
{
    return rbl_dot3d(n, rbl_sub3d(ma->travel, mb->travel)) + turning_speed(ma, n) + turning_speed(mb, n);
}

static double fastest_closing(const Motion* ma, const Motion* mb)
{
    return rbl_length3d(rbl_sub3d(ma->travel, mb->travel)) + ma->angle * ma->radius + mb->angle * mb->radius;
}

// Distance by GJK from the last normal on, no farther than matters for what is left of the motion.
static double distance_from(const rblConvexPair* pair, double enough, rblVec3d* normal)
{
    const double grown = pair->a.rounding + pair->b.rounding;
    const rblSeparation found = rbl_gjk_distance(pair, *normal, enough + grown);
    *normal = found.normal;
    return found.distance - grown;
}

// `normal` (world axes) is the last one found, and becomes the new one.
static Approach approach_at(const rblShapeView* a, const Motion* ma, const rblShapeView* b, const Motion* mb,
                            const Moment* now, double goal, rblVec3d* normal)
{
    const double fastest = fastest_closing(ma, mb);
    if (!a->convex || !b->convex)
    {
        return (Approach){(double)rbl_field_gap(a, b, now->b_in_a), fastest};
    }
    rblVec3d n = rbl_rotate3d(rbl_quatd_conjugate(now->a.q), *normal);
    double gap;
    if (a->bounded && b->bounded)
    {
        const rblConvexPair pair = rbl_convex_pair(a, b, now->b_in_a);
        gap = distance_from(&pair, goal + fastest * now->left, &n);
    }
    else
    {
        gap = rbl_convex_distance(a, b, now->b_in_a, &n);
    }
    *normal = rbl_rotate3d(now->a.q, n);
    return (Approach){gap, closing_speed(ma, mb, *normal)};
}

// Two directions that often keep apart what flies past: from centre to centre, and across the way that they approach.
static bool directions_miss(const rblShapeView* a, const Motion* ma, const rblShapeView* b, const Motion* mb,
                            const Moment* start, double goal)
{
    if (!a->convex || !b->convex || !a->bounded || !b->bounded)
    {
        return false;
    }
    const rblConvexPair pair = rbl_convex_pair(a, b, start->b_in_a);
    const rblVec3d offset = rbl_sub3d(mb->start, ma->start);
    const rblVec3d travel = rbl_sub3d(mb->travel, ma->travel);
    const double squared = rbl_dot3d(travel, travel);
    const double along = squared > 0.0 ? rbl_dot3d(offset, travel) / squared : 0.0;
    const rblVec3d directions[2] = {offset, rbl_mul_add3d(offset, -along, travel)};
    for (uint32_t i = 0; i < 2; ++i)
    {
        const rblVec3d n = rbl_normalize3d(directions[i], (rblVec3d){0, 1, 0});
        const rblVec3d in_a = rbl_rotate3d(rbl_quatd_conjugate(start->a.q), n);
        const double gap =
            -rbl_dot3d(in_a, rbl_difference_support(&pair, in_a).p) - pair.a.rounding - pair.b.rounding;
        if (gap > goal && gap - goal >= closing_speed(ma, mb, n))
        {
            return true;
        }
    }
    return false;
}

// A bound that needs no distance: the balls about the centres of mass never meet.
static bool balls_miss(const rblShapeView* a, const Motion* ma, const rblShapeView* b, const Motion* mb,
                       double target)
{
    if (!a->bounded || !b->bounded)
    {
        return false;
    }
    const rblVec3d offset = rbl_sub3d(mb->start, ma->start);
    const rblVec3d travel = rbl_sub3d(mb->travel, ma->travel);
    const double squared = rbl_dot3d(travel, travel);
    const double t = squared > 0.0 ? rbl_clampd(-rbl_dot3d(offset, travel) / squared, 0.0, 1.0) : 0.0;
    return rbl_length3d(rbl_mul_add3d(offset, t, travel)) > (ma->radius + mb->radius) * (1.0 + 1e-6) + target;
}

static bool finite_sweep(const rblSweep* sweep)
{
    return rbl_finite3(sweep->from.p) && rbl_finite3(sweep->translation) && rbl_finite3(sweep->rotation) &&
           rbl_finite((double)rbl_quat_dot(sweep->from.q, sweep->from.q));
}

float rbl_shape_time_of_impact(const rblShapeView* a, const rblSweep* sweep_a, const rblShapeView* b,
                               const rblSweep* sweep_b, float target, float tolerance)
{
    if (!finite_sweep(sweep_a) || !finite_sweep(sweep_b))
    {
        return 1.0f; // a body gone astray meets nothing
    }
    const Motion ma = make_motion(a, sweep_a);
    const Motion mb = make_motion(b, sweep_b);
    const double goal = (double)target;
    if (balls_miss(a, &ma, b, &mb, goal))
    {
        return 1.0f;
    }
    // Poses are rounded to floats before distances are taken: no tolerance below that can be kept.
    const double size = (a->bounded ? ma.radius : 0.0) + (b->bounded ? mb.radius : 0.0);
    const double slack = rbl_maxd((double)tolerance, 1e-6 * size);
    Moment now = moment_at(&ma, &mb, 0.0);
    if (directions_miss(a, &ma, b, &mb, &now, goal))
    {
        return 1.0f;
    }
    rblVec3d normal = rbl_normalize3d(rbl_sub3d(mb.start, ma.start), (rblVec3d){0, 1, 0});
    double t = 0.0;
    for (uint32_t i = 0; i < MAX_STEPS; ++i)
    {
        const Approach found = approach_at(a, &ma, b, &mb, &now, goal, &normal);
        if (found.gap <= goal + 0.5 * slack)
        {
            return (float)t;
        }
        if (found.speed <= 0.0 || (found.gap - goal) / found.speed >= now.left)
        {
            return 1.0f; // what is left of the motion cannot close the gap
        }
        t += (found.gap - goal) / found.speed;
        now = moment_at(&ma, &mb, t);
    }
    return (float)t; // still apart here: early, never late
}
