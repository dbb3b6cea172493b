// Time of impact of shapes with parts: the earliest of all pairs of parts that can meet.
#include "field/contact/part_pairs.h"
#include "field/contact/time_of_impact.h"

typedef struct PartImpact
{
    const rblImpactQuery* query;
    const rblFlights* flights;
    double first; // fraction of the motion
} PartImpact;

// A part rotates about the centre of mass of the whole shape.
static rblFlight flight_of_part(const rblFlight* whole, const rblPartView* part)
{
    if (!part->has_pose)
    {
        return *whole;
    }
    const rblMat3d r = rbl_quatd_to_mat3d(rbl_quatd_normalize(rbl_to_double_quat(part->pose.q)));
    rblFlight f = *whole;
    f.from = rbl_mat3d_mul(&whole->from, &r);
    f.to = rbl_mat3d_mul(&whole->to, &r);
    f.center = rbl_mat3d_apply_transposed(&r, rbl_sub3d(whole->center, rbl_to_double3(part->pose.p)));
    f.radius = rbl_distance3d(f.center, part->view->mass.center) + (double)part->view->radius;
    return f;
}

static rblSweep sweep_of_part(const rblSweep* whole, const rblPartView* part)
{
    rblSweep sweep = *whole;
    sweep.from = part->has_pose ? rbl_transform_mul(whole->from, part->pose) : whole->from;
    return sweep;
}

static bool meet(uint32_t part_a, uint32_t part_b, void* context)
{
    PartImpact* impact = context;
    const rblPartView a = rbl_part_view(impact->query->a, part_a);
    const rblPartView b = rbl_part_view(impact->query->b, part_b);
    const rblSweep sweep_a = sweep_of_part(impact->query->sweep_a, &a);
    const rblSweep sweep_b = sweep_of_part(impact->query->sweep_b, &b);
    const rblImpactQuery query = {.a = a.view,
                                  .b = b.view,
                                  .sweep_a = &sweep_a,
                                  .sweep_b = &sweep_b,
                                  .sag = impact->query->sag,
                                  .target = impact->query->target,
                                  .tolerance = impact->query->tolerance,
                                  .leaves_contact = impact->query->leaves_contact};
    rblFlights flights = *impact->flights;
    flights.a = flight_of_part(&impact->flights->a, &a);
    flights.b = flight_of_part(&impact->flights->b, &b);
    flights.slack = rbl_maxd(flights.tolerance, 1e-6 * (flights.a.radius + flights.b.radius));
    double unused;
    impact->first = rbl_mind(rbl_simple_time_of_impact(&query, &flights, &unused), impact->first);
    return impact->first > 0.0;
}

double rbl_parts_time_of_impact(const rblImpactQuery* query, const rblFlights* flights)
{
    PartImpact impact = {query, flights, 1.0};
    // In axes that move with the centre of a, but do not rotate. A parabola differs from its chord by at most a quarter
    // of the sag.
    const double turning = flights->a.angle * flights->a.radius + flights->b.angle * flights->b.radius;
    const double margin = flights->goal + flights->slack + turning + 0.25 * rbl_length3d(flights->sag);
    const rblVec3d travel = rbl_mat3d_apply_transposed(&flights->a.from, flights->travel);
    const rblPartPairs pairs = {
        .a = query->a,
        .b = query->b,
        .b_in_a = rbl_transform_relative(query->sweep_a->from, query->sweep_b->from),
        .travel = rbl_to_float3(travel),
        .margin = (float)margin,
        .visit = meet,
        .context = &impact,
    };
    rbl_part_pairs_visit(&pairs);
    return impact.first;
}
