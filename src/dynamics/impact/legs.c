// Legs of paths.
#include "dynamics/impact/legs.h"
#include "dynamics/orientation.h"
#include "math/trig.h"
#include <math.h>

// ---- tuning ----

#define MAX_TURN  0.5f // rad: a leg turns by at most this, because the axis of a tumbling body moves
#define MAX_PARTS 64u  // legs of one motion

rblVec3 rbl_rotation_between(rblQuat p, rblQuat q)
{
    const rblQuat back = {-p.x, -p.y, -p.z, p.w};
    const rblQuat d = rbl_quat_mul(q, back);
    const rblVec3 v = d.w < 0.0f ? rbl_vec3(-d.x, -d.y, -d.z) : rbl_vec3(d.x, d.y, d.z);
    const float sine = rbl_length3(v);
    if (!(sine > 0.0f))
    {
        return rbl_vec3(0, 0, 0);
    }
    return rbl_scale3(v, (float)(2.0 * rbl_atan2((double)sine, fabs((double)d.w))) / sine);
}

static rblVec3 center_at(const rblLeg* leg, float x)
{
    return rbl_mul_add3(rbl_mul_add3(leg->center, x, leg->travel), x * (x - 1.0f), leg->bend);
}

static float fraction_of(const rblLeg* leg, float time)
{
    const float duration = leg->end - leg->begin;
    return duration > 0.0f ? rbl_clampf((time - leg->begin) / duration, 0.0f, 1.0f) : 1.0f;
}

static rblQuat turned(const rblLeg* leg, float x)
{
    const rblQuat turn = rbl_quat_from_axis_angle(leg->turn, x * rbl_length3(leg->turn));
    return rbl_quat_normalize(rbl_quat_mul(turn, leg->from));
}

rblTransform rbl_leg_pose(const rblLeg* leg, float time)
{
    const float x = fraction_of(leg, time);
    return (rblTransform){center_at(leg, x), turned(leg, x)};
}

rblSweep rbl_leg_sweep(const rblLeg* leg, const rblBody* body, float from, float to, rblVec3* bend)
{
    const float x = fraction_of(leg, from);
    const float y = fraction_of(leg, to);
    const rblTransform frame = {center_at(leg, x), turned(leg, x)};
    *bend = rbl_scale3(leg->bend, (y - x) * (y - x));
    return (rblSweep){.from = rbl_transform_mul(frame, body->shape_in_body),
                      .translation = rbl_sub3(center_at(leg, y), frame.p),
                      .rotation = rbl_scale3(leg->turn, y - x)};
}

rblLeg rbl_leg_until(const rblLeg* leg, float time)
{
    const float x = fraction_of(leg, time);
    rblLeg part = *leg;
    part.end = rbl_minf(leg->end, time);
    part.travel = rbl_sub3(center_at(leg, x), leg->center);
    part.bend = rbl_scale3(leg->bend, x * x);
    part.turn = rbl_scale3(leg->turn, x);
    return part;
}

rblLeg rbl_leg_at_rest(rblTransform pose, float begin, float end)
{
    return (rblLeg){.begin = begin, .end = end, .center = pose.p, .from = pose.q};
}

// Orientation after a part of a motion without torques. A body of infinite mass turns about a fixed axis.
static rblQuat orientation_after(const rblMotion* motion, float seconds)
{
    if (motion->inverse_mass > 0.0f)
    {
        return rbl_orientation_advance(motion->orientation, motion->momentum, motion->momentum,
                                       motion->moments, seconds);
    }
    const rblQuat turn = rbl_quat_from_axis_angle(motion->spin, seconds * rbl_length3(motion->spin));
    return rbl_quat_normalize(rbl_quat_mul(turn, motion->orientation));
}

bool rbl_legs_add(const rblBody* body, const rblMotion* from, rblTransform to, rblVec3 acceleration,
                  float begin, float end, rblLegArray* out)
{
    const float seconds = end - begin;
    const bool ball = body->shape.rolling == RBL_ROLLS_AS_BALL;
    const float angle = ball ? 0.0f : seconds * rbl_length3(from->spin);
    const float wanted = ceilf(angle / MAX_TURN);
    const uint32_t parts = wanted > 1.0f ? (wanted < (float)MAX_PARTS ? (uint32_t)wanted : MAX_PARTS) : 1;
    const rblLeg whole = {.begin = begin,
                          .end = end,
                          .center = from->center,
                          .travel = rbl_sub3(to.p, from->center),
                          .bend = rbl_scale3(acceleration, 0.5f * seconds * seconds)};
    rblQuat last = from->orientation;
    for (uint32_t i = 0; i < parts; ++i)
    {
        const float x = (float)i / (float)parts;
        const float y = (float)(i + 1) / (float)parts;
        const rblQuat next = i + 1 == parts ? to.q : orientation_after(from, y * seconds);
        const rblVec3 center = center_at(&whole, x);
        const rblLeg leg = {.begin = begin + x * seconds,
                            .end = i + 1 == parts ? end : begin + y * seconds,
                            .center = center,
                            .travel = rbl_sub3(center_at(&whole, y), center),
                            .bend = rbl_scale3(whole.bend, (y - x) * (y - x)),
                            .from = last,
                            .turn = ball ? rbl_vec3(0, 0, 0) : rbl_rotation_between(last, next)};
        if (!rbl_array_push(out, leg))
        {
            return false;
        }
        last = next;
    }
    return true;
}
