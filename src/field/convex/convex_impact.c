// Time of impact of convex shapes: conservative advancement (Mirtich 1996) with chords instead of speeds.
//
// Along a unit direction n the gap is s(t) = min over b of n . x(t) - max over a of n . x(t). If the second derivative
// of n . x is at most k for every point, n . x is below its chord over an interval of length d by at most k d^2/8. The
// minimum of linear functions is above its own chord. So with the gaps g0 and g1 at both ends of an interval, and x
// from 0 to 1 within it,
//   s >= g0 + (g1 - g0) x - k d^2/2 x (1 - x) .
// There is no impact before the first root of this bound. The bound is of second order in d: intervals that end near
// the last root converge in a few rounds. When a direction gives no further progress, the closest points at that time
// give the next direction. Directions rotate with the closest faces and edges: along a fixed direction, the corners of
// a rotating face would seem to approach.
#include "field/contact/time_of_impact.h"
#include "field/convex/convex_contact.h"

// ---- tuning ----
#define MAX_STEPS    256 // directions of one query
#define GUESS_ROUNDS 1   // rounds along a guessed direction
#define MAX_ROUNDS   4   // rounds along one direction
// Relative to the tolerance; a gap this close to the target means that the direction gives no further progress.
#define MIN_PROGRESS 0.1

typedef struct MovingPair
{
    const rblFlights* flights;
    const rblConvexCore* a;
    const rblConvexCore* b;
} MovingPair;

static bool is_half_space(const rblConvexCore* core)
{
    return core->form == RBL_CORE_HALF_SPACE;
}

static MovingPair make_pair(const rblImpactQuery* query, const rblFlights* flights)
{
    return (MovingPair){flights, &query->a->shape->core, &query->b->shape->core};
}

// ---- gaps ----

// A direction in the axes of a rotating shape.
static rblVec3d direction_in_body(const rblFlight* flight, rblVec3d n, double t)
{
    if (t == 0.0 || t == 1.0)
    {
        return rbl_mat3d_apply_transposed(t == 0.0 ? &flight->from : &flight->to, n);
    }
    double sine;
    double cosine;
    rbl_small_sincos(flight->angle * t, &sine, &cosine);
    const rblVec3d along = rbl_scale3d(flight->axis, (1.0 - cosine) * rbl_dot3d(flight->axis, n));
    const rblVec3d back = rbl_mul_add3d(rbl_mul_add3d(along, cosine, n), sine, rbl_cross3d(n, flight->axis));
    return rbl_mat3d_apply_transposed(&flight->from, back);
}

// A direction from a to b, in world axes. It may rotate at a constant rate in the plane of `n` and `sideways`.
typedef struct Line
{
    rblVec3d n;        // unit, at time `since`
    rblVec3d sideways; // unit, perpendicular to n: the direction of the rotation
    double rate;       // rad per whole motion
    double since;
    double acceleration; // bound of the second derivative of the gap of any point along it
} Line;

static rblVec3d direction_at(const Line* line, double t)
{
    if (line->rate == 0.0)
    {
        return line->n;
    }
    double sine;
    double cosine;
    rbl_small_sincos(line->rate * (t - line->since), &sine, &cosine);
    return rbl_add3d(rbl_scale3d(line->n, cosine), rbl_scale3d(line->sideways, sine));
}

// With w the angular velocity of a body, v that of the direction, and d = w - v, a point y of the body has
//   (n . y)'' = (n x d) . (d x y) - (n . w) v . y .
// Both n x d and n . w change at a rate of at most |v|.
static double body_acceleration(const rblFlight* flight, const Line* line, rblVec3d v)
{
    const rblVec3d w = rbl_scale3d(flight->axis, flight->angle);
    if (line->rate == 0.0)
    {
        return flight->radius * flight->angle * rbl_length3d(rbl_cross3d(line->n, w));
    }
    const rblVec3d d = rbl_sub3d(w, v);
    const double rotated = line->rate * (1.0 - line->since);
    const double size = rbl_length3d(d);
    const double across = rbl_mind(rbl_length3d(rbl_cross3d(line->n, d)) + rotated * size, size);
    const double spin = rbl_mind(fabs(rbl_dot3d(line->n, w)) + rotated * flight->angle, flight->angle);
    return flight->radius * (size * across + line->rate * spin);
}

// For the vector x from centre to centre: (n . x)'' = -rate^2 n . x + 2 rate sideways . x' + n . x''.
static double path_acceleration(const rblFlights* f, const Line* line)
{
    const double sag = rbl_length3d(f->sag);
    const double still = 2.0 * fabs(rbl_dot3d(line->n, f->sag));
    if (line->rate == 0.0)
    {
        return still;
    }
    const double left = 1.0 - line->since;
    const double rotated = line->rate * left;
    const rblVec3d now = rbl_flights_offset(f, line->since);
    const double speed = rbl_length3d(f->travel) + sag;
    const double farthest = rbl_length3d(now) + left * speed;
    const double behind = left * (line->rate * farthest + speed) - rbl_dot3d(line->n, now);
    const double sliding = rbl_dot3d(line->sideways, f->travel) + sag + rotated * speed;
    return still + 2.0 * rotated * sag + line->rate * line->rate * rbl_clampd(behind, 0.0, farthest) +
           2.0 * line->rate * rbl_clampd(sliding, 0.0, speed);
}

// `turning`: rate of change of the direction, perpendicular to n, per whole motion.
static Line make_line(const MovingPair* pair, rblVec3d n, rblVec3d turning, double since)
{
    const rblFlights* f = pair->flights;
    Line line = {.n = n, .rate = rbl_length3d(turning), .since = since};
    line.sideways = rbl_scale3d(turning, line.rate > 0.0 ? 1.0 / line.rate : 0.0);
    const rblVec3d v = rbl_cross3d(n, turning);
    line.acceleration =
        body_acceleration(&f->a, &line, v) + body_acceleration(&f->b, &line, v) + path_acceleration(f, &line);
    return line;
}

// The largest d . x of a shape, from its centre of mass. For planes d is always the normal. Hulls use floats: the
// rounding error is that of their vertices, far below the slack.
static double reach(const rblConvexCore* core, const rblFlight* flight, rblVec3d d)
{
    if (core->hull != NULL)
    {
        return (double)rbl_hull_reach(core->hull, rbl_to_float3(d)) - rbl_dot3d(d, flight->center) +
               core->rounding;
    }
    const rblVec3d farthest = is_half_space(core) ? (rblVec3d){0, 0, 0} : rbl_core_support(core, d);
    return rbl_dot3d(d, rbl_sub3d(farthest, flight->center)) + core->rounding;
}

static double gap_along(const MovingPair* pair, const Line* line, double t)
{
    const rblFlights* f = pair->flights;
    const rblVec3d n = direction_at(line, t);
    return rbl_dot3d(n, rbl_flights_offset(f, t)) - reach(pair->a, &f->a, direction_in_body(&f->a, n, t)) -
           reach(pair->b, &f->b, direction_in_body(&f->b, rbl_neg3d(n), t));
}

// State of a pair at one time: `normal` and its rate of change in world axes; the closest points in the axes of a.
typedef struct Moment
{
    double gap;
    rblVec3d normal, turning;
    rblVec3d normal_in_a, middle;
    bool has_middle;
    rblSimplexSeed seed;
} Moment;

// From corner 0 of a simplex to another corner: the edge of the difference, and the rate at which its end moves along a
// fixed normal relative to corner 0.
typedef struct TurningEdge
{
    rblVec3d along;
    double sinking;
} TurningEdge;

// In the axes of a. `lift_a` and `lift_b` (in the axes of b): their dot product with x is the speed along the normal
// that the rotation of the body gives to a point at x.
static TurningEdge turning_edge(const rblConvexPair* now, const rblSimplexSeed* seed, uint32_t i,
                                rblVec3d lift_a, rblVec3d lift_b)
{
    const rblVec3d of_a = rbl_to_double3(
        rbl_sub3(rbl_hull_vertex(now->a->hull, seed->a[i]), rbl_hull_vertex(now->a->hull, seed->a[0])));
    const rblVec3d of_b = rbl_to_double3(
        rbl_sub3(rbl_hull_vertex(now->b->hull, seed->b[i]), rbl_hull_vertex(now->b->hull, seed->b[0])));
    return (TurningEdge){rbl_sub3d(of_a, rbl_mat3d_apply(&now->rotation, of_b)),
                         rbl_dot3d(lift_b, of_b) - rbl_dot3d(lift_a, of_a)};
}

// Rate of change of the normal of two rotating hulls while the same features are closest: the normal stays
// perpendicular to the edges of the simplex that contains the closest points. Along a direction that rotates like this,
// the gap changes like the distance of the hulls.
static rblVec3d turning_of(const MovingPair* pair, const rblConvexPair* now, const rblMat3d* turn_a,
                           const Moment* m)
{
    const rblFlights* f = pair->flights;
    const rblSimplexSeed* seed = &m->seed;
    const rblVec3d none = {0, 0, 0};
    const double fastest = f->a.angle + f->b.angle;
    if (seed->count < 2 || seed->count > 3 || fastest == 0.0)
    {
        return none;
    }
    const rblVec3d w_a = rbl_mat3d_apply_transposed(turn_a, rbl_scale3d(f->a.axis, f->a.angle));
    const rblVec3d w_b = rbl_mat3d_apply_transposed(turn_a, rbl_scale3d(f->b.axis, f->b.angle));
    const rblVec3d lift_a = rbl_cross3d(m->normal_in_a, w_a);
    const rblVec3d lift_b = rbl_mat3d_apply_transposed(&now->rotation, rbl_cross3d(m->normal_in_a, w_b));
    const TurningEdge first = turning_edge(now, seed, 1, lift_a, lift_b);
    rblVec3d turning = rbl_scale3d(first.along, first.sinking / rbl_dot3d(first.along, first.along));
    if (seed->count == 3)
    {
        const TurningEdge second = turning_edge(now, seed, 2, lift_a, lift_b);
        const rblVec3d up = rbl_cross3d(first.along, second.along);
        turning = rbl_scale3d(rbl_add3d(rbl_scale3d(rbl_cross3d(second.along, up), first.sinking),
                                        rbl_scale3d(rbl_cross3d(up, first.along), second.sinking)),
                              1.0 / rbl_dot3d(up, up));
    }
    turning = rbl_mul_add3d(turning, -rbl_dot3d(turning, m->normal_in_a), m->normal_in_a);
    // Degenerate features give no rate.
    return rbl_dot3d(turning, turning) <= fastest * fastest ? rbl_mat3d_apply(turn_a, turning) : none;
}

// The gap along a nearly optimal direction. The search starts from the last normal and ends when the result is
// sufficient for the rest of the motion.
static void measure(const MovingPair* pair, double t, Moment* m)
{
    const rblFlights* f = pair->flights;
    m->has_middle = false;
    if (is_half_space(pair->a) || is_half_space(pair->b))
    {
        const bool first = is_half_space(pair->a);
        const rblMat3d rotation = rbl_flight_turn(first ? &f->a : &f->b, t);
        const rblVec3 up = first ? pair->a->normal : rbl_neg3(pair->b->normal);
        m->normal = rbl_mat3d_apply(&rotation, rbl_to_double3(up));
        const Line line = make_line(pair, m->normal, m->turning, t);
        m->gap = gap_along(pair, &line, t);
        return;
    }
    const rblMat3d turn_a = rbl_flight_turn(&f->a, t);
    const rblMat3d turn_b = rbl_flight_turn(&f->b, t);
    const rblMat3d back = rbl_mat3d_transpose(&turn_a);
    rblConvexPair now = {pair->a, pair->b, rbl_mat3d_mul(&back, &turn_b), {0, 0, 0}};
    now.offset = rbl_add3d(rbl_sub3d(rbl_mat3d_apply(&back, rbl_flights_offset(f, t)),
                                     rbl_mat3d_apply(&now.rotation, f->b.center)),
                           f->a.center);
    const double rounding_sum = pair->a->rounding + pair->b->rounding;
    const double far_enough = f->goal + f->slack + rbl_fastest_closing(f) * (1.0 - t) + rounding_sum;
    const rblVec3d guess = rbl_mat3d_apply(&back, m->normal);
    rblSeparation found = rbl_gjk_clearance(&now, guess, f->goal + rounding_sum, far_enough, &m->seed);
    if (f->goal < 0.0 && !(found.distance > 0.0)) // the depth of the cores counts
    {
        found = rbl_gjk_separation(&now, guess, far_enough);
        m->seed.count = 0;
    }
    m->gap = found.distance - rounding_sum;
    m->normal_in_a = found.normal;
    m->normal = rbl_mat3d_apply(&turn_a, found.normal);
    m->middle = rbl_scale3d(rbl_add3d(found.on_a, found.on_b), 0.5);
    m->has_middle = found.distance > 0.0 && found.distance <= far_enough;
    m->turning = turning_of(pair, &now, &turn_a, m);
}

// ---- advancing ----

// The first x above 0 with second x^2 + first x + rest = 0; `rest` is positive, and `second` is not negative. 2: none.
static double first_root(double second, double first, double rest)
{
    const double squared = first * first - 4.0 * second * rest;
    return first < 0.0 && squared >= 0.0 ? 2.0 * rest / (sqrt(squared) - first) : 2.0;
}

// The latest known time until which a direction separates the shapes by more than the target distance, starting from t
// with a larger gap. 1: until the end.
static double follow(const MovingPair* pair, const Line* line, double t, double gap, uint32_t rounds)
{
    const rblFlights* f = pair->flights;
    double end = 1.0;
    for (uint32_t round = 0; round < rounds && gap - f->goal > MIN_PROGRESS * f->tolerance; ++round)
    {
        const double length = end - t;
        const double last = gap_along(pair, line, end);
        const double hollow = 0.5 * line->acceleration * length * length;
        const double x = first_root(hollow, last - gap - hollow, gap - f->goal);
        if (x >= 1.0)
        {
            if (end >= 1.0)
            {
                return 1.0;
            }
            t = end;
            gap = last;
            end = 1.0;
            continue;
        }
        // The exact root is about as far behind the root of the chord as the root of the bound is before it.
        const double next = t + x * length;
        const double chord = t + length * (last < f->goal ? (gap - f->goal) / (gap - last) : 0.5);
        t = next;
        end = rbl_mind(end, rbl_maxd(2.0 * chord - next, next));
        gap = round + 1 < rounds ? gap_along(pair, line, t) : gap;
    }
    return t;
}

// Directions that often separate shapes that pass each other: that of the last contacts, and from centre to centre.
// Returns the time that they reach; `best` is the better one, `clear` the gap at the start.
static double follow_guesses(const MovingPair* pair, rblVec3 cached, rblVec3d* best, double* clear)
{
    const rblFlights* f = pair->flights;
    const rblVec3d guesses[2] = {rbl_mat3d_apply(&f->a.from, rbl_to_double3(cached)), f->offset};
    double t = 0.0;
    *best = rbl_normalize3d(f->offset, (rblVec3d){0, 1, 0});
    for (uint32_t i = rbl_dot3(cached, cached) > 0.0f ? 0 : 1; i < 2 && t < 1.0; ++i)
    {
        const rblVec3d n = rbl_normalize3d(guesses[i], (rblVec3d){0, 1, 0});
        const Line line = make_line(pair, n, (rblVec3d){0, 0, 0}, t);
        const double gap = gap_along(pair, &line, t);
        *clear = t > 0.0 ? *clear : rbl_maxd(*clear, gap);
        if (gap > f->goal + f->slack)
        {
            t = follow(pair, &line, t, gap, GUESS_ROUNDS);
            *best = n;
        }
    }
    return t;
}

// Advance from t, where `now.normal` is a guess, to the time of impact.
static double advance(const MovingPair* pair, double t, Moment* now, double* clear)
{
    const rblFlights* f = pair->flights;
    for (uint32_t i = 0; i < MAX_STEPS && t < 1.0; ++i)
    {
        measure(pair, t, now);
        *clear = t > 0.0 ? *clear : rbl_maxd(*clear, now->gap);
        if (now->gap <= f->goal + 0.5 * f->tolerance)
        {
            return t;
        }
        const Line line = make_line(pair, now->normal, now->turning, t);
        t = follow(pair, &line, t, now->gap, MAX_ROUNDS);
        if (now->gap <= f->goal + 0.5 * f->slack)
        {
            return t; // the direction does not change any more within rounding: this is the result
        }
    }
    return t; // after the last round they are still apart here: the result may be too early, but never too late
}

double rbl_convex_time_of_impact(const rblImpactQuery* query, const rblFlights* flights, double* clear)
{
    const MovingPair pair = make_pair(query, flights);
    Moment now = {.gap = 0.0};
    if (is_half_space(pair.a) || is_half_space(pair.b))
    {
        return advance(&pair, 0.0, &now, clear);
    }
    const bool hulls = pair.a->hull != NULL && pair.b->hull != NULL;
    rblHullCache cache = rbl_hull_cache_read(hulls ? query->cache : NULL);
    double t = follow_guesses(&pair, cache.axis, &now.normal, clear);
    t = advance(&pair, t, &now, clear);
    if (t >= 1.0)
    {
        // Only the direction is valid at the start pose.
        cache.axis = rbl_to_float3(rbl_mat3d_apply_transposed(&flights->a.from, now.normal));
    }
    else if (now.has_middle)
    {
        cache = (rblHullCache){rbl_to_float3(now.normal_in_a), rbl_to_float3(now.middle), true};
    }
    rbl_hull_cache_write(hulls ? query->cache : NULL, &cache);
    return t;
}
