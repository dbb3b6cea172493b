// Time of impact of convex shapes: conservative advancement (Mirtich 1996) by chords instead of speeds.
//
// Along a unit direction n the gap is s(t) = min over b of n . x(t) - max over a of n . x(t). Where no point's n . x bends by more than
// k upwards (its second derivative), it lies below its chord over a stretch of length d by at most k d^2/8. The least of linear
// functions lies above its own chord. So with the gaps g0 and g1 at both ends of a stretch, x from 0 to 1 within it,
//   s >= g0 + (g1 - g0) x - k d^2/2 x (1 - x) .
// The first root of this is a time before which nothing happens. The bound is of second order in d: stretches that end
// near the root found last come to an end in a few rounds. Where a direction has given what it can, the closest points at
// that time give the next one. Directions turn with the faces and edges that are the closest: along one that stays, a face that turns
// would seem to come nearer by its corners.
#include "field/contact/time_of_impact.h"
#include "field/convex/convex_contact.h"

#define MAX_STEPS    256
#define GUESS_ROUNDS 1   // along a direction that is a guess
#define MAX_ROUNDS   4   // along one direction
#define NO_GAIN      0.1 // of the tolerance: nearer to the goal a direction has given what it can

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

// A direction as a turning shape sees it.
static rblVec3d seen_at(const rblFlight* flight, rblVec3d n, double t)
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

// A direction from a to b, world axes. It may turn at an even rate in the plane of `n` and `aside`.
typedef struct Line
{
    rblVec3d n;     // unit, at the time `since`
    rblVec3d aside; // unit, across n: where it turns to
    double rate;    // radians in the whole motion
    double since;
    double bend; // no point's gap along it bends upwards by more: bound of the second derivative
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
    return rbl_add3d(rbl_scale3d(line->n, cosine), rbl_scale3d(line->aside, sine));
}

// With w how a body turns, v how the line does, and d = w - v: a point y of the body has
//   (n . y)'' = (n x d) . (d x y) - (n . w) v . y .
// Both n x d and n . w change at the rate |v| at most.
static double bend_of_body(const rblFlight* flight, const Line* line, rblVec3d v)
{
    const rblVec3d w = rbl_scale3d(flight->axis, flight->angle);
    if (line->rate == 0.0)
    {
        return flight->radius * flight->angle * rbl_length3d(rbl_cross3d(line->n, w));
    }
    const rblVec3d d = rbl_sub3d(w, v);
    const double turned = line->rate * (1.0 - line->since);
    const double size = rbl_length3d(d);
    const double across = rbl_mind(rbl_length3d(rbl_cross3d(line->n, d)) + turned * size, size);
    const double spin = rbl_mind(fabs(rbl_dot3d(line->n, w)) + turned * flight->angle, flight->angle);
    return flight->radius * (size * across + line->rate * spin);
}

// Of the way x from centre to centre: (n . x)'' = -rate^2 n . x + 2 rate aside . x' + n . x''.
static double path_bend(const rblFlights* f, const Line* line)
{
    const double sag = rbl_length3d(f->sag);
    const double still = 2.0 * fabs(rbl_dot3d(line->n, f->sag));
    if (line->rate == 0.0)
    {
        return still;
    }
    const double left = 1.0 - line->since;
    const double turned = line->rate * left;
    const rblVec3d now = rbl_flights_offset(f, line->since);
    const double speed = rbl_length3d(f->travel) + sag;
    const double farthest = rbl_length3d(now) + left * speed;
    const double behind = left * (line->rate * farthest + speed) - rbl_dot3d(line->n, now);
    const double sliding = rbl_dot3d(line->aside, f->travel) + sag + turned * speed;
    return still + 2.0 * turned * sag + line->rate * line->rate * rbl_clampd(behind, 0.0, farthest) +
           2.0 * line->rate * rbl_clampd(sliding, 0.0, speed);
}

// `turning`: how the direction changes, across n; per whole motion.
static Line make_line(const MovingPair* pair, rblVec3d n, rblVec3d turning, double since)
{
    const rblFlights* f = pair->flights;
    Line line = {.n = n, .rate = rbl_length3d(turning), .since = since};
    line.aside = rbl_scale3d(turning, line.rate > 0.0 ? 1.0 / line.rate : 0.0);
    const rblVec3d v = rbl_cross3d(n, turning);
    line.bend = bend_of_body(&f->a, &line, v) + bend_of_body(&f->b, &line, v) + path_bend(f, &line);
    return line;
}

// The largest d . x of a shape from its centre of mass. A plane is only asked along its normal. Of hulls floats tell it: their
// rounding is that of the vertices, and far below the slack.
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
    return rbl_dot3d(n, rbl_flights_offset(f, t)) - reach(pair->a, &f->a, seen_at(&f->a, n, t)) -
           reach(pair->b, &f->b, seen_at(&f->b, rbl_neg3d(n), t));
}

// What is known of a pair at some time: `normal` and how it turns in world axes, the rest in a's, where the two come near each
// other.
typedef struct Moment
{
    double gap;
    rblVec3d normal, turning;
    rblVec3d normal_in_a, middle;
    bool has_middle;
    rblSimplexSeed seed;
} Moment;

// From corner 0 of a simplex to another, as seen along a normal that stays: the edge of the difference, and how fast its end sinks
// below the other.
typedef struct TurningEdge
{
    rblVec3d along;
    double sinking;
} TurningEdge;

// The axes are a's. `lift_a` and `lift_b` (in b's): how much higher along the normal a body's turning takes a point at x, dotted with x.
static TurningEdge turning_edge(const rblConvexPair* now, const rblSimplexSeed* seed, uint32_t i,
                                rblVec3d lift_a, rblVec3d lift_b)
{
    const rblVec3d of_a = rbl_to_double3(
        rbl_sub3(rbl_hull_vertex(now->a->hull, seed->a[i]), rbl_hull_vertex(now->a->hull, seed->a[0])));
    const rblVec3d of_b = rbl_to_double3(
        rbl_sub3(rbl_hull_vertex(now->b->hull, seed->b[i]), rbl_hull_vertex(now->b->hull, seed->b[0])));
    return (TurningEdge){rbl_sub3d(of_a, rbl_mat3d_apply(&now->turn, of_b)),
                         rbl_dot3d(lift_b, of_b) - rbl_dot3d(lift_a, of_a)};
}

// How the normal of two turning hulls changes while the same features stay the closest: it stays across the edges of the simplex that
// the closest points lie in. Along a direction that does the same the gap closes as that of the hulls does.
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
    const rblVec3d lift_b = rbl_mat3d_apply_transposed(&now->turn, rbl_cross3d(m->normal_in_a, w_b));
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
    // Features of no extent tell nothing.
    return rbl_dot3d(turning, turning) <= fastest * fastest ? rbl_mat3d_apply(turn_a, turning) : none;
}

// The gap along a direction that is about the best, searched for from the last normal on, no farther than matters for what is
// left of the motion.
static void measure(const MovingPair* pair, double t, Moment* m)
{
    const rblFlights* f = pair->flights;
    m->has_middle = false;
    if (is_half_space(pair->a) || is_half_space(pair->b))
    {
        const bool first = is_half_space(pair->a);
        const rblMat3d turn = rbl_flight_turn(first ? &f->a : &f->b, t);
        const rblVec3 up = first ? pair->a->normal : rbl_neg3(pair->b->normal);
        m->normal = rbl_mat3d_apply(&turn, rbl_to_double3(up));
        const Line line = make_line(pair, m->normal, m->turning, t);
        m->gap = gap_along(pair, &line, t);
        return;
    }
    const rblMat3d turn_a = rbl_flight_turn(&f->a, t);
    const rblMat3d turn_b = rbl_flight_turn(&f->b, t);
    const rblMat3d back = rbl_mat3d_transpose(&turn_a);
    rblConvexPair now = {pair->a, pair->b, rbl_mat3d_mul(&back, &turn_b), {0, 0, 0}};
    now.offset = rbl_add3d(
        rbl_sub3d(rbl_mat3d_apply(&back, rbl_flights_offset(f, t)), rbl_mat3d_apply(&now.turn, f->b.center)),
        f->a.center);
    const double grown = pair->a->rounding + pair->b->rounding;
    const double enough = f->goal + f->slack + rbl_fastest_closing(f) * (1.0 - t) + grown;
    const rblSeparation found =
        rbl_gjk_clearance(&now, rbl_mat3d_apply(&back, m->normal), f->goal + grown, enough, &m->seed);
    m->gap = found.distance - grown;
    m->normal_in_a = found.normal;
    m->normal = rbl_mat3d_apply(&turn_a, found.normal);
    m->middle = rbl_scale3d(rbl_add3d(found.on_a, found.on_b), 0.5);
    m->has_middle = found.distance > 0.0 && found.distance <= enough;
    m->turning = turning_of(pair, &now, &turn_a, m);
}

// ---- advancing ----

// The first x above 0 where second x^2 + first x + rest = 0; `rest` is positive and `second` not negative. 2 when there is none.
static double first_root(double second, double first, double rest)
{
    const double squared = first * first - 4.0 * second * rest;
    return first < 0.0 && squared >= 0.0 ? 2.0 * rest / (sqrt(squared) - first) : 2.0;
}

// The latest time known up to which a direction keeps the shapes apart by more than the goal, from t on, where the gap
// along it is larger than that. 1: to the end.
static double follow(const MovingPair* pair, const Line* line, double t, double gap, uint32_t rounds)
{
    const rblFlights* f = pair->flights;
    double end = 1.0;
    for (uint32_t round = 0; round < rounds && gap - f->goal > NO_GAIN * f->tolerance; ++round)
    {
        const double length = end - t;
        const double last = gap_along(pair, line, end);
        const double hollow = 0.5 * line->bend * length * length;
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
        // The true root lies about as far behind that of the chord as this one lies before it.
        const double next = t + x * length;
        const double chord = t + length * (last < f->goal ? (gap - f->goal) / (gap - last) : 0.5);
        t = next;
        end = rbl_mind(end, rbl_maxd(2.0 * chord - next, next));
        gap = round + 1 < rounds ? gap_along(pair, line, t) : gap;
    }
    return t;
}

// Directions that often keep apart what flies past: that of the last contacts, and from centre to centre. Returns how far they lead, the best of them, and the gap at the start that they know of.
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
            return t; // directions cannot be told apart any more: this one is the last
        }
    }
    return t; // when rounds ran out they are still apart there: early, never late
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
        // Where they are at the start only the direction is known.
        cache.axis = rbl_to_float3(rbl_mat3d_apply_transposed(&flights->a.from, now.normal));
    }
    else if (now.has_middle)
    {
        cache = (rblHullCache){rbl_to_float3(now.normal_in_a), rbl_to_float3(now.middle), true};
    }
    rbl_hull_cache_write(hulls ? query->cache : NULL, &cache);
    return t;
}

bool rbl_convex_stays_apart(const rblImpactQuery* query, const rblFlights* flights, double least,
                            double* clear)
{
    const MovingPair pair = make_pair(query, flights);
    const rblHullCache cache = rbl_hull_cache_read(query->cache);
    if (pair.a->hull == NULL || pair.b->hull == NULL || !(rbl_dot3(cache.axis, cache.axis) > 0.5f))
    {
        return false;
    }
    const rblVec3d axis = rbl_mat3d_apply(&flights->a.from, rbl_to_double3(cache.axis));
    const Line line = make_line(&pair, rbl_normalize3d(axis, (rblVec3d){0, 1, 0}), (rblVec3d){0, 0, 0}, 0.0);
    *clear = gap_along(&pair, &line, 0.0);
    return *clear > least + flights->slack && *clear > flights->goal + flights->slack &&
           follow(&pair, &line, 0.0, *clear, 1) >= 1.0;
}
