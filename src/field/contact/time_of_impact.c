// Time of impact of two moving shapes. Convex pairs: convex_impact.c. Shapes with parts: part_impact.c. Others: field_impact.c.
#include "field/contact/time_of_impact.h"

#include "field/contact/collide.h"
#include "field/convex/gjk.h"
#include <string.h>

_Static_assert(sizeof(rblFlight) == sizeof(rblPreparedSweep), "a prepared sweep is a flight");

// ---- motions ----

// Rotation by an angle about a unit axis (Rodrigues).
static rblVec3d rotate(rblVec3d axis, double sine, double cosine, rblVec3d v)
{
    const rblVec3d along = rbl_scale3d(axis, (1.0 - cosine) * rbl_dot3d(axis, v));
    return rbl_add3d(rbl_mul_add3d(along, cosine, v), rbl_scale3d(rbl_cross3d(axis, v), sine));
}

static rblMat3d rotated_frame(const rblFlight* flight, double t)
{
    double sine;
    double cosine;
    rbl_small_sincos(flight->angle * t, &sine, &cosine);
    return (rblMat3d){rotate(flight->axis, sine, cosine, flight->from.cx),
                      rotate(flight->axis, sine, cosine, flight->from.cy),
                      rotate(flight->axis, sine, cosine, flight->from.cz)};
}

rblMat3d rbl_flight_turn(const rblFlight* flight, double t)
{
    return flight->angle * t == 0.0 ? flight->from : rotated_frame(flight, t);
}

static rblFlight make_flight(const rblShapeView* shape, const rblSweep* sweep)
{
    rblFlight f = {.from = rbl_quatd_to_mat3d(rbl_quatd_normalize(rbl_to_double_quat(sweep->from.q))),
                   .center = shape->mass.center,
                   .travel = rbl_to_double3(sweep->translation)};
    f.start = rbl_add3d(rbl_mat3d_apply(&f.from, f.center), rbl_to_double3(sweep->from.p));
    const rblVec3d rotation = rbl_to_double3(sweep->rotation);
    f.angle = rbl_length3d(rotation);
    f.axis = rbl_normalize3d(rotation, (rblVec3d){0, 1, 0});
    f.radius = shape->bounded ? (double)shape->radius : 0.0;
    f.to = rbl_flight_turn(&f, 1.0);
    return f;
}

double rbl_fastest_closing(const rblFlights* f)
{
    return rbl_length3d(f->travel) + rbl_length3d(f->sag) + f->a.angle * f->a.radius +
           f->b.angle * f->b.radius;
}

// ---- public functions ----

// A cheap test: the balls around the centres of mass never meet.
static bool balls_miss(const rblImpactQuery* query, const rblFlights* f)
{
    if (!query->a->bounded || !query->b->bounded)
    {
        return false;
    }
    const double squared = rbl_dot3d(f->travel, f->travel);
    const double t = squared > 0.0 ? rbl_clampd(-rbl_dot3d(f->offset, f->travel) / squared, 0.0, 1.0) : 0.0;
    // A parabola differs from its chord by at most a quarter of the sag.
    return rbl_length3d(rbl_mul_add3d(f->offset, t, f->travel)) >
           (f->a.radius + f->b.radius) * (1.0 + 1e-6) + f->goal + 0.25 * rbl_length3d(f->sag);
}

static bool finite_sweep(const rblSweep* sweep)
{
    return rbl_finite3(sweep->from.p) && rbl_finite3(sweep->translation) && rbl_finite3(sweep->rotation) &&
           rbl_finite((double)rbl_quat_dot(sweep->from.q, sweep->from.q));
}

static bool is_finite_motion(const rblImpactQuery* query)
{
    return finite_sweep(query->sweep_a) && finite_sweep(query->sweep_b) && rbl_finite3(query->sag);
}

rblPreparedSweep rbl_shape_prepare_sweep(const rblShapeView* shape, const rblSweep* sweep)
{
    const rblFlight flight = make_flight(shape, sweep);
    rblPreparedSweep prepared;
    memcpy(prepared.numbers, &flight, sizeof flight);
    return prepared;
}

static void set_flight(const rblPreparedSweep* prepared, const rblShapeView* shape, const rblSweep* sweep,
                       rblFlight* out)
{
    if (prepared != NULL)
    {
        memcpy(out, prepared->numbers, sizeof *out);
    }
    else
    {
        *out = make_flight(shape, sweep);
    }
}

static void join_flights(const rblImpactQuery* query, rblFlights* f)
{
    set_flight(query->prepared_a, query->a, query->sweep_a, &f->a);
    set_flight(query->prepared_b, query->b, query->sweep_b, &f->b);
    f->sag = rbl_to_double3(query->sag);
    f->goal = (double)query->target;
    f->tolerance = (double)query->tolerance;
    f->offset = rbl_sub3d(f->b.start, f->a.start);
    f->travel = rbl_sub3d(f->b.travel, f->a.travel);
    // Shapes have float coordinates: a tolerance below their rounding error is not possible.
    f->slack = rbl_maxd(f->tolerance, 1e-6 * (f->a.radius + f->b.radius));
}

double rbl_simple_time_of_impact(const rblImpactQuery* query, const rblFlights* flights, double* clear)
{
    if (query->a->shape->kind->impact != NULL && query->b->convex && query->b->bounded)
    {
        return query->a->shape->kind->impact(query, flights, false);
    }
    if (query->b->shape->kind->impact != NULL && query->a->convex && query->a->bounded)
    {
        return query->b->shape->kind->impact(query, flights, true);
    }
    if (!query->a->convex || !query->b->convex)
    {
        return rbl_field_time_of_impact(query, flights);
    }
    double gap = query->target < 0.0f ? -(double)INFINITY : 0.0; // of an overlap only where it may have one
    const double t = rbl_convex_time_of_impact(query, flights, &gap);
    *clear = gap - flights->slack;
    return t;
}

static double find_impact(const rblImpactQuery* query, double* clear)
{
    if (!is_finite_motion(query))
    {
        return 1.0; // a body with a motion that is not finite meets nothing
    }
    rblFlights flights;
    join_flights(query, &flights);
    if (balls_miss(query, &flights))
    {
        return 1.0;
    }
    if (query->a->shape->kind->parts != NULL || query->b->shape->kind->parts != NULL)
    {
        return rbl_parts_time_of_impact(query, &flights);
    }
    return rbl_simple_time_of_impact(query, &flights, clear);
}

float rbl_shape_find_impact(const rblImpactQuery* query)
{
    double clear = 0.0;
    const double t = find_impact(query, &clear);
    if (query->clear != NULL)
    {
        *query->clear = (float)clear;
    }
    return (float)t;
}

float rbl_shape_time_of_impact(const rblShapeView* a, const rblSweep* sweep_a, const rblShapeView* b,
                               const rblSweep* sweep_b, float target, float tolerance)
{
    if (a == NULL || a->shape == NULL || b == NULL || b->shape == NULL || sweep_a == NULL || sweep_b == NULL)
    {
        return 1.0f;
    }
    const rblImpactQuery query = {
        .a = a, .b = b, .sweep_a = sweep_a, .sweep_b = sweep_b, .target = target, .tolerance = tolerance};
    return rbl_shape_find_impact(&query);
}
