#include "dynamics/orientation.h"

#include "math/trig.h"
#include <math.h>

// ---- tuning ----

#define MAX_ROTATION   0.1   // rad: largest rotation about one axis in one sub-step
#define MAX_ITERATIONS 256   // sub-steps in a step; a faster spin gets larger rotations
#define SYMMETRIC      1e-6  // of an inverse moment: a smaller difference from another one counts as zero
#define SMALL_ANGLE    1e-4f // rad: half the angle of a rotation that needs no sub-steps

// A body in its principal axes: orientation, angular momentum, inverse moments.
typedef struct SpinState
{
    rblQuatd q;
    double momentum[3];
    double inverse[3];
} SpinState;

static void set_momentum(SpinState* state, rblVec3 momentum)
{
    const rblVec3d local = rbl_rotate3d(rbl_quatd_conjugate(state->q), rbl_to_double3(momentum));
    state->momentum[0] = local.x;
    state->momentum[1] = local.y;
    state->momentum[2] = local.z;
}

static SpinState make_state(rblQuat q, rblVec3 momentum, rblVec3 moments)
{
    SpinState state = {.q = rbl_to_double_quat(q)};
    // The quaternion has unit length only to float precision; the following needs double.
    const double scale = 1.0 / sqrt(rbl_quatd_dot(state.q, state.q));
    state.q = (rblQuatd){state.q.x * scale, state.q.y * scale, state.q.z * scale, state.q.w * scale};
    state.inverse[0] = moments.x > 0.0f ? 1.0 / (double)moments.x : 0.0;
    state.inverse[1] = moments.y > 0.0f ? 1.0 / (double)moments.y : 0.0;
    state.inverse[2] = moments.z > 0.0f ? 1.0 / (double)moments.z : 0.0;
    set_momentum(&state, momentum);
    return state;
}

static double energy(const SpinState* state)
{
    double sum = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        sum += 0.5 * state->momentum[i] * state->momentum[i] * state->inverse[i];
    }
    return sum;
}

double rbl_rotational_energy(rblQuat q, rblVec3 momentum, rblVec3 moments)
{
    const SpinState state = make_state(q, momentum, moments);
    return energy(&state);
}

rblVec3 rbl_angular_velocity(rblQuat q, rblVec3 momentum, rblVec3 moments)
{
    const SpinState state = make_state(q, momentum, moments);
    const rblVec3d local = {state.momentum[0] * state.inverse[0], state.momentum[1] * state.inverse[1],
                            state.momentum[2] * state.inverse[2]};
    return rbl_to_float3(rbl_rotate3d(state.q, local));
}

// ---- free motion ----

// tan x to 1e-10 for |x| <= 0.1 (Pade).
static double small_tangent(double x)
{
    const double square = x * x;
    return x * (15.0 - square) / (15.0 - 6.0 * square);
}

// Rotate about a principal axis by an angle. The angular momentum in world axes does not change.
static void rotate_about(SpinState* state, int axis, double angle)
{
    const double t = small_tangent(0.5 * angle);
    const double w = 1.0 / sqrt(1.0 + t * t);
    const double sine = 2.0 * t * w * w;
    const double cosine = (1.0 - t * t) * w * w;
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    const double p = state->momentum[j];
    state->momentum[j] = cosine * p + sine * state->momentum[k];
    state->momentum[k] = cosine * state->momentum[k] - sine * p;
    const double s = t * w;
    const rblQuatd step = {axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0, w};
    state->q = rbl_quatd_mul(state->q, step);
}

static void rotate_by(SpinState* state, double x, double y, double z, double angle)
{
    double sine;
    double cosine;
    rbl_sincos(0.5 * angle, &sine, &cosine);
    state->q = rbl_quatd_mul(state->q, (rblQuatd){sine * x, sine * y, sine * z, cosine});
}

// The principal axis about which a body is symmetric: the other two moments are equal. -1: none.
static int symmetry_axis(const SpinState* state)
{
    for (int axis = 0; axis < 3; ++axis)
    {
        const double a = state->inverse[(axis + 1) % 3];
        const double b = state->inverse[(axis + 2) % 3];
        if (fabs(a - b) <= SYMMETRIC * a)
        {
            return axis;
        }
    }
    return -1;
}

// Exact motion of a symmetric body (balls, cubes, cylinders, square plates): with the inverse moment 1/I across the axis and 1/I3
// along it, K = L.L / (2 I) + (1/I3 - 1/I) L3^2 / 2. The first term rotates the body about L at the rate |L| / I, which leaves L as
// it is in the body. The second one rotates it about its axis at the rate (1/I3 - 1/I) L3. The two rotations commute.
static void rotate_symmetric(SpinState* state, int axis, double seconds)
{
    const double* momentum = state->momentum;
    const double across = state->inverse[(axis + 1) % 3];
    const double size =
        sqrt(momentum[0] * momentum[0] + momentum[1] * momentum[1] + momentum[2] * momentum[2]);
    if (size > 0.0)
    {
        rotate_by(state, momentum[0] / size, momentum[1] / size, momentum[2] / size, size * across * seconds);
    }
    const double angle = (state->inverse[axis] - across) * momentum[axis] * seconds;
    rotate_by(state, axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0, angle);
    double sine;
    double cosine;
    rbl_sincos(angle, &sine, &cosine);
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    const double p = momentum[j];
    state->momentum[j] = cosine * p + sine * momentum[k];
    state->momentum[k] = cosine * momentum[k] - sine * p;
}

// Number of sub-steps that keep every angle small. No angular velocity exceeds sqrt(2 K / I).
static int count_rotations(const SpinState* state, double seconds)
{
    const double twice = 2.0 * energy(state);
    double fastest = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        const double squared = twice * state->inverse[i];
        fastest = squared > fastest ? squared : fastest;
    }
    const double turns = sqrt(fastest) * seconds / MAX_ROTATION;
    return turns < MAX_ITERATIONS ? (int)turns + 1 : MAX_ITERATIONS;
}

// The energy is a sum over the principal axes. The motion under each term alone is a rotation about that axis. The rotations
// are composed symmetrically: second order, with exact angular momentum.
static void rotate_freely(SpinState* state, double seconds)
{
    const int axis = symmetry_axis(state);
    if (axis >= 0)
    {
        rotate_symmetric(state, axis, seconds);
        return;
    }
    const int turns = count_rotations(state, seconds);
    const double step = seconds / turns;
    for (int i = 0; i < turns; ++i)
    {
        rotate_about(state, 0, 0.5 * step * state->momentum[0] * state->inverse[0]);
        rotate_about(state, 1, 0.5 * step * state->momentum[1] * state->inverse[1]);
        rotate_about(state, 2, step * state->momentum[2] * state->inverse[2]);
        rotate_about(state, 1, 0.5 * step * state->momentum[1] * state->inverse[1]);
        rotate_about(state, 0, 0.5 * step * state->momentum[0] * state->inverse[0]);
    }
}

// ---- energy correction ----

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

// Rotate about the unit vector s (perpendicular to the momentum) by the angle for which the energy is `wanted`:
//   K x^2 - a x y + b y^2 = K0,   x = cos, y = sin,   a = (s x L).omega,   b = 1/2 (s x L).I^-1 (s x L)
// in the stable forms of sec. 2.3, with sgn(a) in the sign of y, which the paper omits (it matters for the fallback axis).
// False when no angle about this axis gives that energy.
static bool rotate_to_energy(SpinState* state, const double s[3], double wanted)
{
    double turned[3];
    cross(s, state->momentum, turned);
    const double now = energy(state);
    double a = 0.0;
    double b = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        a += turned[i] * state->momentum[i] * state->inverse[i];
        b += 0.5 * turned[i] * turned[i] * state->inverse[i];
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
    state->q = rbl_quatd_mul(state->q, step);
    for (int i = 0; i < 3; ++i)
    {
        state->momentum[i] = state->momentum[i] * x - turned[i] * y;
    }
    return true;
}

// The principal axis with the largest (or smallest) inverse moment.
static int extreme_axis(const SpinState* state, bool largest_inverse)
{
    int best = 0;
    for (int i = 1; i < 3; ++i)
    {
        if (largest_inverse ? state->inverse[i] > state->inverse[best]
                            : state->inverse[i] < state->inverse[best])
        {
            best = i;
        }
    }
    return best;
}

// Correct the orientation so that the energy is `wanted` (sec. 2.4): about L x omega, which needs the smallest angle. When that
// cannot reach the energy, rotate towards the axis of the largest moment (too much energy) or the smallest moment (too little),
// which can.
static void restore_energy(SpinState* state, double wanted)
{
    const double now = energy(state);
    if (!(fabs(now - wanted) > 1e-14 * now))
    {
        return;
    }
    double omega[3];
    for (int i = 0; i < 3; ++i)
    {
        omega[i] = state->momentum[i] * state->inverse[i];
    }
    double s[3];
    cross(state->momentum, omega, s);
    if (normalize(s) && rotate_to_energy(state, s, wanted))
    {
        return;
    }
    double axis[3] = {0.0, 0.0, 0.0};
    axis[extreme_axis(state, now < wanted)] = 1.0;
    cross(state->momentum, axis, s);
    if (normalize(s))
    {
        rotate_to_energy(state, s, wanted);
    }
}

// A single small rotation about the spin, for slow bodies. The error of the energy is at most the square of the angle.
static bool rotate_once(rblQuat from, rblVec3 mean, rblVec3 moments, float seconds, rblQuat* out)
{
    const rblVec3 local = rbl_inverse_rotate3(from, mean);
    const rblVec3 half = {0.5f * seconds * local.x / moments.x, 0.5f * seconds * local.y / moments.y,
                          0.5f * seconds * local.z / moments.z};
    if (!(rbl_dot3(half, half) < SMALL_ANGLE * SMALL_ANGLE))
    {
        return false;
    }
    *out = rbl_quat_normalize(rbl_quat_mul(from, (rblQuat){half.x, half.y, half.z, 1.0f}));
    return true;
}

rblQuat rbl_orientation_advance(rblQuat from, rblVec3 mean, rblVec3 end, rblVec3 moments, float seconds)
{
    rblQuat turned;
    if (rotate_once(from, mean, moments, seconds, &turned))
    {
        return turned;
    }
    SpinState state = make_state(from, end, moments);
    const double wanted = energy(&state);
    set_momentum(&state, mean);
    rotate_freely(&state, (double)seconds);
    set_momentum(&state, end);
    restore_energy(&state, wanted);
    return rbl_quat_normalize(rbl_to_float_quat(state.q));
}

rblQuat rbl_orientation_turn_freely(rblQuat from, rblVec3 mean, rblVec3 moments, float seconds)
{
    rblQuat turned;
    if (rotate_once(from, mean, moments, seconds, &turned))
    {
        return turned;
    }
    SpinState state = make_state(from, mean, moments);
    rotate_freely(&state, (double)seconds);
    return rbl_quat_normalize(rbl_to_float_quat(state.q));
}
