// Time of impact of a convex shape with a mesh of triangles: the earliest of those with the pyramids below the triangles on
// its way.
#include "bvh/query/region.h"
#include "field/triangles/triangles.h"
#include "math/aabb.h"

// ---- tuning ----
// Relative to the inner radius of the body: a body that leaves a contact is stopped only by triangles that the motion leads
// it at least this far behind. A rolling body grazes one triangle after the other, and hits a wall later.
#define MIN_DESCENT 0.5

typedef struct Search
{
    const rblTriangles* mesh;
    rblImpactQuery query; // with the pyramid in place of the mesh
    const rblFlights* flights;
    const rblConvexCore* core; // of the body
    rblVec3d from, to;         // centre of the body in the axes of the mesh, at the start and the end
    rblVec3d
        center; // of rotation of the body, in its axes: the centre of the whole of which it may be a part
    rblMat3d turned; // from the axes of the body to those of the mesh, at the end
    double bend;     // m: bound of the distance of the path from its chord
    double reach;    // m: radius of the body plus the target distance
    double descent;  // m
    rblTrianglePyramid pyramid;
    double first;
} Search;

// The centre of a shape in the axes of the other at a fraction of the motion.
static rblVec3d center_at(const rblFlights* flights, bool ground_is_b, double t)
{
    const rblFlight* ground = ground_is_b ? &flights->b : &flights->a;
    const rblMat3d turned = rbl_flight_turn(ground, t);
    const rblVec3d offset = rbl_flights_offset(flights, t);
    const rblVec3d local = rbl_mat3d_apply_transposed(&turned, ground_is_b ? rbl_neg3d(offset) : offset);
    return rbl_add3d(local, ground->center);
}

// A chord differs from its arc by at most an eighth of the acceleration in the axes of the ground.
static double bend_of(const rblFlights* flights, const rblFlight* ground)
{
    const double sag = rbl_length3d(flights->sag);
    const double path = rbl_length3d(flights->travel) + sag;
    const double distance = rbl_length3d(flights->offset) + path;
    const double angle = ground->angle;
    return (angle * angle * distance + 2.0 * angle * path + 2.0 * sag) / 8.0;
}

// Depth of the deepest point of the body behind a triangle, at the end.
static double final_depth(const Search* s, rblVec3d up, double height, rblVec3d center)
{
    const rblVec3d down = rbl_mat3d_apply_transposed(&s->turned, rbl_neg3d(up));
    const rblVec3d lowest = rbl_sub3d(rbl_core_support(s->core, down), center);
    return rbl_dot3d(down, lowest) + s->core->rounding - height;
}

static bool visit(uint32_t leaf, void* context)
{
    Search* s = context;
    const rblVec3d up = rbl_to_double3(rbl_triangle_normal(s->mesh, leaf));
    const rblVec3d corner = rbl_to_double3(rbl_triangle_corner(s->mesh, leaf, 0));
    const double start = rbl_dot3d(up, rbl_sub3d(s->from, corner));
    const double end = rbl_dot3d(up, rbl_sub3d(s->to, corner));
    if (start < 0.0 || rbl_mind(start, end) - s->bend > s->reach)
    {
        return true; // behind, or never near
    }
    if (s->query.leaves_contact && final_depth(s, up, end, s->center) < s->descent)
    {
        return true;
    }
    rbl_triangle_pyramid_set(&s->pyramid, s->mesh, leaf, (rblVec3){0, 0, 0});
    double clear = 0.0;
    s->first = rbl_mind(rbl_convex_time_of_impact(&s->query, s->flights, &clear), s->first);
    return s->first > 0.0;
}

double rbl_triangles_impact(const rblImpactQuery* query, const rblFlights* flights, bool ground_is_b)
{
    const rblShapeView* ground = ground_is_b ? query->b : query->a;
    const rblShapeView* body = ground_is_b ? query->a : query->b;
    const rblFlight* flight = ground_is_b ? &flights->a : &flights->b;
    Search s;
    s.mesh = ground->shape->data;
    s.query = *query;
    s.query.cache = NULL;
    s.flights = flights;
    s.core = &body->shape->core;
    s.center = flight->center;
    const rblMat3d back = rbl_mat3d_transpose(ground_is_b ? &flights->b.to : &flights->a.to);
    s.turned = rbl_mat3d_mul(&back, &flight->to);
    s.from = center_at(flights, ground_is_b, 0.0);
    s.to = center_at(flights, ground_is_b, 1.0);
    s.bend = bend_of(flights, ground_is_b ? &flights->b : &flights->a);
    s.reach = flight->radius + flights->goal + flights->slack;
    s.descent = MIN_DESCENT * (double)body->inner_radius;
    s.first = 1.0;
    rbl_triangle_pyramid_init(&s.pyramid);
    *(ground_is_b ? &s.query.b : &s.query.a) = &s.pyramid.shape.view;
    const float wide = (float)((s.bend + s.reach) * (1.0 + 1e-5));
    const rblAabb way = rbl_aabb_union((rblAabb){rbl_to_float3(s.from), rbl_to_float3(s.from)},
                                       (rblAabb){rbl_to_float3(s.to), rbl_to_float3(s.to)});
    const rblAabb box = rbl_aabb_grown(way, wide);
    (void)rbl_tree_visit_box(&s.mesh->tree, &box, visit, &s);
    return s.first;
}
