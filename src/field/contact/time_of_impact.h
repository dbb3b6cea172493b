// When two moving shapes first come close: the parts that the families of pairs share.
#ifndef RBL_FIELD_CONTACT_TIME_OF_IMPACT_H
#define RBL_FIELD_CONTACT_TIME_OF_IMPACT_H

#include "field/engine.h"
#include "field/shape.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "math/trig.h"

// A motion in doubles: the shape turns about its centre of mass.
typedef struct rblFlight
{
    rblMat3d from, to; // from the shape's axes into the world's, at the beginning and at the end
    rblVec3d center;   // of mass, in the shape's axes
    rblVec3d start;    // where it is at the beginning
    rblVec3d travel;
    rblVec3d axis; // of the rotation, unit
    double angle;
    double radius; // 0 for planes: they do not turn
} rblFlight;

typedef struct rblFlights
{
    rblFlight a, b;
    rblVec3d offset, travel, sag; // of b's centre against a's
    double goal;                  // how close is close
    double tolerance;             // what is near enough to that, as asked for
    double slack;                 // and as can be told
} rblFlights;

// Small turns are common, and series are good to 1e-11 below half a radian: far less than any tolerance.
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

// From the shape's axes at a fraction of its motion into the world's.
rblMat3d rbl_flight_turn(const rblFlight* flight, double t);

// From a's centre to b's at a fraction of the motion, world axes.
static inline rblVec3d rbl_flights_offset(const rblFlights* flights, double t)
{
    return rbl_mul_add3d(rbl_mul_add3d(flights->offset, t, flights->travel), t * (t - 1.0), flights->sag);
}

// The fastest that the shapes can come together, metres per whole motion.
double rbl_fastest_closing(const rblFlights* flights);

// Two convex shapes, planes among them (convex_impact.c). Raises `clear` to a gap that they have at the start at least.
double rbl_convex_time_of_impact(const rblImpactQuery* query, const rblFlights* flights, double* clear);

// Two shapes of which one is not convex (field_impact.c). Stops where samples of either are as close as that to the other's field.
double rbl_field_time_of_impact(const rblImpactQuery* query, const rblFlights* flights);

// Whether the cached direction keeps two hulls or boxes apart; `clear` is their gap along it at the start, and more than `least`.
bool rbl_convex_stays_apart(const rblImpactQuery* query, const rblFlights* flights, double least,
                            double* clear);

#endif
