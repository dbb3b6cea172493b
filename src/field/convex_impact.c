// Time of impact of convex shapes: conservative advancement (Mirtich 1996) by chords instead of speeds.
//
// Along a fixed unit direction n the gap is s(t) = min over b of n . x(t) - max over a of n . x(t). A point at r from the axis
// about which its body turns by the angle w moves along n by a linear function of t and a sine: over a stretch of length d it
// leaves its chord by at most k d^2/8, k = w^2 r |axis x n|, and the sag of a parabola adds to k. The least of linear
// functions lies above its own chord. So with the gaps g0 and g1 at both ends of a stretch, x from 0 to 1 within it,
//   s >= g0 + (g1 - g0) x - k d^2/2 x (1 - x) .
// The first root of this is a time before which nothing happens. The bound is of second order in d: stretches that end
// near the root found last come to an end in a few rounds. Where a direction has given what it can, the closest points at
// that time give the next one.
#include "field/convex_contact.h"
#include "field/primitives.h"
#include "field/time_of_impact.h"

#define MAX_STEPS    256
#define GUESS_ROUNDS 1   // along a direction that is a guess
#define MAX_ROUNDS   4   // along one direction
#define NO_GAIN      0.1 // of the tolerance: nearer to the goal a direction has given what it can

typedef struct MovingPair
{
    const rblFlights* flights;
    rblConvexCore a, b;
    const rblPrimitive* plane_a; // null unless it is one
    const rblPrimitive* plane_b;
} MovingPair;

static const rblPrimitive* plane_of(const rblShapeView* view)
{
    return view->kind == RBL_SHAPE_PLANE ? view->data : NULL;
}

static MovingPair make_pair(const rblImpactQuery* query, const rblFlights* flights)
{
    MovingPair pair = {.flights = flights, .plane_a = plane_of(query->a), .plane_b = plane_of(query->b)};
    if (pair.plane_a == NULL)
    {
        pair.a = rbl_convex_core(query->a);
    }
    if (pair.plane_b == NULL)
    {
        pair.b = rbl_convex_core(query->b);
    }
    return pair;
}

// ---- gaps ----

// A fixed direction as a turning shape sees it: still + cos(angle t) cosine + sin(angle t) sine.
typedef struct Outlook
{
    rblVec3d still, cosine, sine;
} Outlook;

static Outlook outlook_of(const rblFlight* flight, rblVec3d n)
{
    const rblVec3d along = rbl_scale3d(flight->axis, rbl_dot3d(flight->axis, n));
    return (Outlook){
        rbl_mat3d_apply_transposed(&flight->from, along),
        rbl_mat3d_apply_transposed(&flight->from, rbl_sub3d(n, along)),
        rbl_mat3d_apply_transposed(&flight->from, rbl_cross3d(n, flight->axis)),
    };
}

static rblVec3d seen_at(const rblFlight* flight, const Outlook* outlook, double t)
{
    double sine;
    double cosine;
    rbl_small_sincos(flight->angle * t, &sine, &cosine);
    return rbl_mul_add3d(rbl_mul_add3d(outlook->still, cosine, outlook->cosine), sine, outlook->sine);
}

// A direction from a to b, and as both see it.
typedef struct Line
{
    rblVec3d n; // unit, world axes
    Outlook from_a, from_b;
    double bend; // bound of the second derivative of the gap along it
} Line;

static double bend_of(const rblFlight* flight, rblVec3d n)
{
    return flight->angle * flight->angle * flight->radius * rbl_length3d(rbl_cross3d(flight->axis, n));
}

static Line make_line(const MovingPair* pair, rblVec3d n)
{
    const rblFlights* f = pair->flights;
    return (Line){n, outlook_of(&f->a, n), outlook_of(&f->b, rbl_neg3d(n)),
                  bend_of(&f->a, n) + bend_of(&f->b, n) + 2.0 * fabs(rbl_dot3d(n, f->sag))};
}

// The largest d . x of a shape from its centre of mass. A plane is only asked along its normal. Of hulls floats tell it: their
// rounding is that of the vertices, and far below the slack.
static double reach(const rblConvexCore* core, const rblPrimitive* plane, const rblFlight* flight, rblVec3d d)
{
    if (core->hull != NULL)
    {
        return (double)rbl_hull_reach(core->hull, rbl_to_float3(d)) - rbl_dot3d(d, flight->center) +
               core->rounding;
    }
    const rblVec3d farthest = plane != NULL ? (rblVec3d){0, 0, 0} : rbl_core_support(core, d);
    return rbl_dot3d(d, rbl_sub3d(farthest, flight->center)) + core->rounding;
}

static double gap_along(const MovingPair* pair, const Line* line, double t)
{
    const rblFlights* f = pair->flights;
    return rbl_dot3d(line->n, rbl_flights_offset(f, t)) -
           reach(&pair->a, pair->plane_a, &f->a, seen_at(&f->a, &line->from_a, t)) -
           reach(&pair->b, pair->plane_b, &f->b, seen_at(&f->b, &line->from_b, t));
}

// What is known of a pair at some time: `normal` in world axes, the rest in a's, where the two come near each other.
typedef struct Moment
{
    double gap;
    rblVec3d normal;
    rblVec3d normal_in_a, middle;
    bool has_middle;
    rblSimplexSeed seed;
} Moment;

// The gap along a direction that is about the best, searched for from the last normal on, no farther than matters for what is
// left of the motion.
static void measure(const MovingPair* pair, double t, Moment* m)
{
    const rblFlights* f = pair->flights;
    m->has_middle = false;
    if (pair->plane_a != NULL || pair->plane_b != NULL)
    {
        const bool first = pair->plane_a != NULL;
        const rblMat3d turn = rbl_flight_turn(first ? &f->a : &f->b, t);
        const rblVec3 up = first ? pair->plane_a->normal : rbl_neg3(pair->plane_b->normal);
        m->normal = rbl_mat3d_apply(&turn, rbl_to_double3(up));
        const Line line = make_line(pair, m->normal);
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
    const double grown = pair->a.rounding + pair->b.rounding;
    const double enough = f->goal + f->slack + rbl_fastest_closing(f) * (1.0 - t) + grown;
    const rblSeparation found =
        rbl_gjk_clearance(&now, rbl_mat3d_apply(&back, m->normal), f->goal + grown, enough, &m->seed);
    m->gap = found.distance - grown;
    m->normal_in_a = found.normal;
    m->normal = rbl_mat3d_apply(&turn_a, found.normal);
    m->middle = rbl_scale3d(rbl_add3d(found.on_a, found.on_b), 0.5);
    m->has_middle = found.distance > 0.0 && found.distance <= enough;
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
        const Line line = make_line(pair, n);
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
        const Line line = make_line(pair, now->normal);
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
    if (pair.plane_a != NULL || pair.plane_b != NULL)
    {
        return advance(&pair, 0.0, &now, clear);
    }
    const bool hulls = pair.a.hull != NULL && pair.b.hull != NULL;
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
