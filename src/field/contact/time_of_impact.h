// Time of impact of two moving shapes: the parts that all families of pairs share.
#ifndef RBL_FIELD_CONTACT_TIME_OF_IMPACT_H
#define RBL_FIELD_CONTACT_TIME_OF_IMPACT_H

#include "field/engine.h"
#include "field/shape.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "math/trig.h"

// A motion in doubles. The shape rotates about its centre of mass.
typedef struct rblFlight
{
    rblMat3d from, to; // from the axes of the shape to world axes, at the start and at the end
    rblVec3d center;   // centre of mass in the axes of the shape
    rblVec3d start;    // position of the centre of mass at the start
    rblVec3d travel;
    rblVec3d axis; // of the rotation, unit
    double angle;
    double radius; // m; 0 for planes, which do not rotate
} rblFlight;

struct rblFlights
{
    rblFlight a, b;
    rblVec3d offset, travel, sag; // m, of b's centre relative to a's
    double goal;                  // m, target distance
    double tolerance;             // m, tolerance of the caller
    double slack;                 // m, tolerance that is possible with rounding errors
};

// Small rotations are frequent. Below half a radian the series have an error of 1e-11, far below every tolerance.
static inline void rbl_small_sincos(double angle, double* sine, double* cosine)
{
    if (angle > 0.5)
    {
        rbl_sincos(angle, sine, cosine);
        return;
    }
    const double x = angle * angle;
    *sine =
        angle * (1.0 - x * (1.0 / 6.0) *
                           (1.0 - x * (1.0 / 20.0) * (1.0 - x * (1.0 / 42.0) * (1.0 - x * (1.0 / 72.0)))));
    *cosine =
        1.0 - x * (1.0 / 2.0) *
                  (1.0 - x * (1.0 / 12.0) *
                             (1.0 - x * (1.0 / 30.0) * (1.0 - x * (1.0 / 56.0) * (1.0 - x * (1.0 / 90.0)))));
}

// From the axes of the shape at a fraction of its motion to world axes.
rblMat3d rbl_flight_turn(const rblFlight* flight, double t);

// From the centre of a to the centre of b at a fraction of the motion, in world axes.
static inline rblVec3d rbl_flights_offset(const rblFlights* flights, double t)
{
    return rbl_mul_add3d(rbl_mul_add3d(flights->offset, t, flights->travel), t * (t - 1.0), flights->sag);
}

// Upper bound of the closing speed of the shapes, m per whole motion.
double rbl_fastest_closing(const rblFlights* flights);

// Two convex shapes, including planes (convex_impact.c). Raises `clear` to a lower bound of the gap at the start.
double rbl_convex_time_of_impact(const rblImpactQuery* query, const rblFlights* flights, double* clear);

// Two shapes of which one has parts (part_impact.c): the earliest time of all pairs of parts.
double rbl_parts_time_of_impact(const rblImpactQuery* query, const rblFlights* flights);

// The time of two shapes without parts.
double rbl_simple_time_of_impact(const rblImpactQuery* query, const rblFlights* flights, double* clear);

// Two shapes without parts of which one is not convex (field_impact.c). Returns the time at which samples of one reach the target
// distance of the field of the other.
double rbl_field_time_of_impact(const rblImpactQuery* query, const rblFlights* flights);

#endif
