#include "dynamics/orientation.h"

#include <math.h>

// ---- tuning ----

#define LARGEST_TURN   0.1   // radians about one axis in one sub-turn
#define MAX_ITERATIONS 256   // sub-turns in a step: what spins faster is turned more coarsely
#define LITTLE         1e-4f // half the angle of a turn that needs no care

// A body seen in its own principal axes: the orientation, the angular momentum there, the inverse moments.
typedef struct Top
{
    rblQuatd q;
    double momentum[3];
    double inverse[3];
} Top;

static void set_momentum(Top* top, rblVec3 momentum)
{
    const rblVec3d local = rbl_rotate3d(rbl_quatd_conjugate(top->q), rbl_to_double3(momentum));
    top->momentum[0] = local.x;
    top->momentum[1] = local.y;
    top->momentum[2] = local.z;
}

static Top make_top(rblQuat q, rblVec3 momentum, rblVec3 moments)
{
    Top top = {.q = rbl_to_double_quat(q)};
    // The quaternion is of unit length to 32 bits only; what follows counts on more.
    const double scale = 1.0 / sqrt(rbl_quatd_dot(top.q, top.q));
    top.q = (rblQuatd){top.q.x * scale, top.q.y * scale, top.q.z * scale, top.q.w * scale};
    top.inverse[0] = moments.x > 0.0f ? 1.0 / (double)moments.x : 0.0;
    top.inverse[1] = moments.y > 0.0f ? 1.0 / (double)moments.y : 0.0;
    top.inverse[2] = moments.z > 0.0f ? 1.0 / (double)moments.z : 0.0;
    set_momentum(&top, momentum);
    return top;
}

static double energy(const Top* top)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        sum += 0.5 * top->momentum[i] * top->momentum[i] * top->inverse[i];
    }
    return sum;
}

double rbl_rotational_energy(rblQuat q, rblVec3 momentum, rblVec3 moments)
{
    const Top top = make_top(q, momentum, moments);
    return energy(&top);
}

rblVec3 rbl_angular_velocity(rblQuat q, rblVec3 momentum, rblVec3 moments)
{
    const Top top = make_top(q, momentum, moments);
    const rblVec3d local = {top.momentum[0] * top.inverse[0], top.momentum[1] * top.inverse[1],
                            top.momentum[2] * top.inverse[2]};
    return rbl_to_float3(rbl_rotate3d(top.q, local));
}

// ---- free motion ----

// tan x to 1e-10 for |x| <= 0.1 (Pade).
static double small_tangent(double x)
{
    const double square = x * x;
    return x * (15.0 - square) / (15.0 - 6.0 * square);
}

// Turn about a principal axis by an angle; the momentum stays where it is in the world.
static void turn(Top* top, int axis, double angle)
{
    const double t = small_tangent(0.5 * angle);
    const double w = 1.0 / sqrt(1.0 + t * t);
    const double sine = 2.0 * t * w * w;
    const double cosine = (1.0 - t * t) * w * w;
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    const double p = top->momentum[j];
    top->momentum[j] = cosine * p + sine * top->momentum[k];
    top->momentum[k] = cosine * top->momentum[k] - sine * p;
    const double s = t * w;
    const rblQuatd step = {axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0, w};
    top->q = rbl_quatd_mul(top->q, step);
}

// How many sub-turns keep every angle small. No angular velocity exceeds sqrt(2 K / I) on the way.
static int count_turns(const Top* top, double seconds)
{
    const double twice = 2.0 * energy(top);
    double fastest = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        const double squared = twice * top->inverse[i];
        fastest = squared > fastest ? squared : fastest;
    }
    const double turns = sqrt(fastest) * seconds / LARGEST_TURN;
    return turns < MAX_ITERATIONS ? (int)turns + 1 : MAX_ITERATIONS;
}

// The energy is a sum over the principal axes, and the motion under each term alone is a turn about that axis: compose
// them symmetrically. Second order, and the angular momentum is exact.
static void spin_freely(Top* top, double seconds)
{
    const int turns = count_turns(top, seconds);
    const double step = seconds / turns;
    for (int i = 0; i < turns; ++i)
    {
        turn(top, 0, 0.5 * step * top->momentum[0] * top->inverse[0]);
        turn(top, 1, 0.5 * step * top->momentum[1] * top->inverse[1]);
        turn(top, 2, step * top->momentum[2] * top->inverse[2]);
        turn(top, 1, 0.5 * step * top->momentum[1] * top->inverse[1]);
        turn(top, 0, 0.5 * step * top->momentum[0] * top->inverse[0]);
    }
}

// ---- the energy fix ----

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool normalize(double v[3])
{
    const double length = sqrt(dot(v, v));
    for (int i = 0; i < 3; ++i)
    {
        v[i] = length > 0.0 ? v[i] / length : 0.0;
    }
    return length > 0.0;
}

static double sign(double x)
{
    return x < 0.0 ? -1.0 : 1.0;
}

// Rotate by the angle about the unit vector s (perpendicular to the momentum) that makes the energy `wanted`:
//   K x^2 - a x y + b y^2 = K0,   x = cos, y = sin,   a = (s x L).omega,   b = 1/2 (s x L).I^-1 (s x L)
// by the stable forms of sec. 2.3, with sgn(a) in the sign of y, which the paper drops (it matters for the fallback
// axis). False when no angle about this axis will do.
static bool turn_to_energy(Top* top, const double s[3], double wanted)
{
    double turned[3];
    cross(s, top->momentum, turned);
    const double now = energy(top);
    double a = 0.0;
    double b = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        a += turned[i] * top->momentum[i] * top->inverse[i];
        b += 0.5 * turned[i] * turned[i] * top->inverse[i];
    }
    const double c = now - b;
    const double k = now - wanted;
    const double n = c - 2.0 * k;
    const double g = a * a + 4.0 * k * (c - k);
    if (!(fabs(a) > 1e-9 * now) || !(g >= 0.0))
    {
        return false;
    }
    const double p = a * a + g + 2.0 * fabs(a) * sqrt(g);
    double x = sqrt(p + (c + n) * (c + n)) / (2.0 * sqrt(c * c + a * a));
    double y = 2.0 * fabs(k) / sqrt(p + (c - n) * (c - n));
    y *= sign(a) * sign(k - c * y * y);
    const double length = sqrt(x * x + y * y);
    x /= length;
    y /= length;
    const double half = sqrt(0.5 * (1.0 + x));
    const double sine = 0.5 * y / half;
    const rblQuatd step = {s[0] * sine, s[1] * sine, s[2] * sine, half};
    top->q = rbl_quatd_mul(top->q, step);
    for (int i = 0; i < 3; ++i)
    {
        top->momentum[i] = top->momentum[i] * x - turned[i] * y;
    }
    return true;
}

// Which principal axis has the largest (or smallest) inverse moment.
static int extreme_axis(const Top* top, bool largest_inverse)
{
    int best = 0;
    for (int i = 1; i < 3; ++i)
    {
        if (largest_inverse ? top->inverse[i] > top->inverse[best] : top->inverse[i] < top->inverse[best])
        {
            best = i;
        }
    }
    return best;
}

// Adjust the orientation until the energy is `wanted` (sec. 2.4): about L x omega, which needs the least angle, or when that
// cannot reach it, towards the axis of the largest moment (too much energy) or the smallest (too little), which can.
static void restore_energy(Top* top, double wanted)
{
    const double now = energy(top);
    if (!(fabs(now - wanted) > 1e-14 * now))
    {
        return;
    }
    double omega[3];
    for (int i = 0; i < 3; ++i)
    {
        omega[i] = top->momentum[i] * top->inverse[i];
    }
    double s[3];
    cross(top->momentum, omega, s);
    if (normalize(s) && turn_to_energy(top, s, wanted))
    {
        return;
    }
    double axis[3] = {0.0, 0.0, 0.0};
    axis[extreme_axis(top, now < wanted)] = 1.0;
    cross(top->momentum, axis, s);
    if (normalize(s))
    {
        turn_to_energy(top, s, wanted);
    }
}

// A body that hardly turns: one small turn about its spin. The energy is off by the square of the angle at most.
static bool turn_little(rblQuat from, rblVec3 mean, rblVec3 moments, float seconds, rblQuat* out)
{
    const rblVec3 local = rbl_inverse_rotate3(from, mean);
    const rblVec3 half = {0.5f * seconds * local.x / moments.x, 0.5f * seconds * local.y / moments.y,
                          0.5f * seconds * local.z / moments.z};
    if (!(rbl_dot3(half, half) < LITTLE * LITTLE))
    {
        return false;
    }
    *out = rbl_quat_normalize(rbl_quat_mul(from, (rblQuat){half.x, half.y, half.z, 1.0f}));
    return true;
}

rblQuat rbl_orientation_advance(rblQuat from, rblVec3 mean, rblVec3 end, rblVec3 moments, float seconds)
{
    rblQuat turned;
    if (turn_little(from, mean, moments, seconds, &turned))
    {
        return turned;
    }
    Top top = make_top(from, end, moments);
    const double wanted = energy(&top);
    set_momentum(&top, mean);
    spin_freely(&top, (double)seconds);
    set_momentum(&top, end);
    restore_energy(&top, wanted);
    return rbl_quat_normalize(rbl_to_float_quat(top.q));
}

rblQuat rbl_orientation_turn_freely(rblQuat from, rblVec3 mean, rblVec3 moments, float seconds)
{
    rblQuat turned;
    if (turn_little(from, mean, moments, seconds, &turned))
    {
        return turned;
    }
    Top top = make_top(from, mean, moments);
    spin_freely(&top, (double)seconds);
    return rbl_quat_normalize(rbl_to_float_quat(top.q));
}
