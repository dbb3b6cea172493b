// Loads as forces at nodes.
//
// The pressure of Hertz on a disc of radius a is p(r) = 3/2 p_mean sqrt(1 - r^2/a^2); the force inside r is F (1 - (1
// - r^2/a^2)^(3/2)). The disc is divided into rings of equal force and the rings into equal arcs. The force of each
// arc acts at the closest point of the surface, and is distributed to the three nodes of the triangle there by their
// shape functions. So the work of the forces for any displacement of the mesh equals that of the pressure, for discs
// that cover many triangles or only a part of one.
#include "base/error.h"
#include "bvh/triangle/triangle_distance.h"
#include "fem/elastic.h"
#include "math/trig.h"

#define MAX_RINGS 8 // rings of sample points on the disc of a load, at most
#define ARCS      6 // sample points of the innermost ring; each further ring has this many more

static rblTriangled face_of(const rblElastic* elastic, uint32_t face)
{
    const uint32_t* nodes = elastic->surface.data + 3 * (size_t)face;
    return (rblTriangled){{elastic->positions.data[nodes[0]], elastic->positions.data[nodes[1]],
                           elastic->positions.data[nodes[2]]}};
}

// The distance of a coordinate from the interval of a, b and c; 0 inside.
static double beyond(double a, double b, double c, double at)
{
    const double lower = rbl_mind(a, rbl_mind(b, c)), upper = rbl_maxd(a, rbl_maxd(b, c));
    return rbl_maxd(rbl_maxd(lower - at, at - upper), 0.0);
}

// Whether the box of a triangle alone shows that it is farther than this, by more than rounding. Most triangles need
// no further test.
static bool is_far(const rblTriangled* triangle, rblVec3d point, double distance2)
{
    const rblVec3d *a = &triangle->corners[0], *b = &triangle->corners[1], *c = &triangle->corners[2];
    const double x = beyond(a->x, b->x, c->x, point.x), y = beyond(a->y, b->y, c->y, point.y),
                 z = beyond(a->z, b->z, c->z, point.z);
    return x * x + y * y + z * z > (1.0 + 1e-6) * distance2;
}

// The closest face; of equally close ones the first.
static uint32_t closest_face(const rblElastic* elastic, const uint32_t* faces, uint32_t count, rblVec3d point)
{
    uint32_t best = faces != NULL ? faces[0] : 0;
    double least = (double)INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t face = faces != NULL ? faces[i] : i;
        const rblTriangled triangle = face_of(elastic, face);
        const bool far = is_far(&triangle, point, least);
        const double distance2 = far ? least : rbl_triangle_distance2(&triangle, point, least);
        if (distance2 < least)
        {
            least = distance2;
            best = face;
        }
    }
    return best;
}

static void push_face(const rblElastic* elastic, uint32_t face, rblVec3d point, rblVec3d force,
                      rblVec3d* forces)
{
    const rblTriangled triangle = face_of(elastic, face);
    const rblTrianglePoint on = rbl_triangle_closest(&triangle, point);
    for (uint32_t k = 0; k < 3; ++k)
    {
        rblVec3d* at = &forces[elastic->surface.data[3 * (size_t)face + k]];
        *at = rbl_mul_add3d(*at, on.weights[k], force);
    }
}

// The faces that points of the disc can be closest to. The centre of the disc is on `face`, so no point of the disc
// is farther from the surface than from the centre.
static bool faces_near(const rblElastic* elastic, uint32_t face, rblVec3d middle, double radius,
                       rblIndexArray* out)
{
    const uint32_t count = (uint32_t)elastic->surface.count / 3;
    const double reach = 2.0 * radius;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblTriangled triangle = face_of(elastic, i);
        const bool near = !is_far(&triangle, middle, reach * reach) &&
                          rbl_triangle_distance2(&triangle, middle, (double)INFINITY) <= reach * reach;
        if ((near || i == face) && !rbl_array_push(out, i))
        {
            return false;
        }
    }
    return true;
}

typedef struct Disc
{
    rblVec3d middle, along, across; // along and across are perpendicular vectors of length radius
    uint32_t rings;
} Disc;

// Twice the area of a face times its normal.
static rblVec3d face_area(const rblTriangled* triangle)
{
    const rblVec3d* c = triangle->corners;
    return rbl_cross3d(rbl_sub3d(c[1], c[0]), rbl_sub3d(c[2], c[0]));
}

// The disc is perpendicular to the mean normal of the faces around it, so that at an edge or corner it does not
// matter which face is found first.
static Disc make_disc(const rblElastic* elastic, const rblIndexArray* faces, rblVec3d middle, double radius)
{
    rblVec3d normal = {0.0, 0.0, 0.0};
    double area = 0.0;
    for (size_t i = 0; i < faces->count; ++i)
    {
        const rblTriangled triangle = face_of(elastic, faces->data[i]);
        const rblVec3d own = face_area(&triangle);
        normal = rbl_add3d(normal, own);
        area += rbl_length3d(own);
    }
    normal = rbl_normalize3d(normal, rbl_vec3d(0.0, 1.0, 0.0));
    const rblVec3d axis = fabs(normal.x) < 0.6 ? rbl_vec3d(1.0, 0.0, 0.0) : rbl_vec3d(0.0, 1.0, 0.0);
    const rblVec3d along = rbl_normalize3d(rbl_cross3d(normal, axis), axis);
    const double fineness = radius / sqrt(area / (double)faces->count);
    Disc disc = {.middle = middle, .along = rbl_scale3d(along, radius)};
    disc.across = rbl_scale3d(rbl_cross3d(normal, along), radius);
    disc.rings = fineness < 0.5 * (MAX_RINGS - 2) ? 2 + (uint32_t)(2.0 * fineness) : MAX_RINGS;
    return disc;
}

static void push_disc(const rblElastic* elastic, const Disc* disc, const rblIndexArray* faces, rblVec3d force,
                      rblVec3d* forces)
{
    for (uint32_t ring = 0; ring < disc->rings; ++ring)
    {
        const double outside = 1.0 - (ring + 0.5) / disc->rings; // of this radius, as a fraction of the force
        const double root = rbl_cbrt(outside);
        const double radius = sqrt(1.0 - root * root);
        const uint32_t arcs = ARCS * (ring + 1);
        const rblVec3d share = rbl_scale3d(force, 1.0 / ((double)disc->rings * arcs));
        for (uint32_t i = 0; i < arcs; ++i)
        {
            double sine, cosine;
            rbl_sincos(2.0 * RBL_PI * (i + 0.5 * (ring & 1u)) / arcs, &sine, &cosine);
            const rblVec3d point = rbl_mul_add3d(rbl_mul_add3d(disc->middle, radius * cosine, disc->along),
                                                 radius * sine, disc->across);
            const uint32_t face = closest_face(elastic, faces->data, (uint32_t)faces->count, point);
            push_face(elastic, face, point, share, forces);
        }
    }
}

static rblResult check_load(const rblElasticLoad* load, uint32_t index)
{
    if (!rbl_finite3d(load->point) || !rbl_finite3d(load->force))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: load %u: point and force must be finite", index);
    }
    if (!(load->radius >= 0.0) || !rbl_finite(load->radius) || !(load->duration >= 0.0) ||
        !rbl_finite(load->duration))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: load %u: radius and duration must be 0 or more",
                        index);
    }
    return RBL_OK;
}

static rblResult add_load(const rblElastic* elastic, const rblElasticLoad* load, rblIndexArray* faces,
                          rblVec3d* forces)
{
    const uint32_t face = closest_face(elastic, NULL, (uint32_t)elastic->surface.count / 3, load->point);
    if (load->radius == 0.0)
    {
        push_face(elastic, face, load->point, load->force, forces);
        return RBL_OK;
    }
    const rblTriangled triangle = face_of(elastic, face);
    const rblTrianglePoint on = rbl_triangle_closest(&triangle, load->point);
    const rblVec3d middle = rbl_weighted_point(triangle.corners, on.weights);
    rbl_array_clear(faces);
    if (!faces_near(elastic, face, middle, load->radius, faces))
    {
        return rbl_fail_memory();
    }
    const Disc disc = make_disc(elastic, faces, middle, load->radius);
    push_disc(elastic, &disc, faces, load->force, forces);
    return RBL_OK;
}

rblResult rbl_elastic_add_loads(const rblElastic* elastic, const rblElasticLoad* loads, uint32_t load_count,
                                rblVec3d* forces)
{
    for (uint32_t i = 0; i < load_count; ++i)
    {
        RBL_TRY(check_load(&loads[i], i));
    }
    rblIndexArray faces;
    rbl_array_init(&faces, elastic->allocator);
    rblResult result = RBL_OK;
    for (uint32_t i = 0; i < load_count && result == RBL_OK; ++i)
    {
        result = add_load(elastic, &loads[i], &faces, forces);
    }
    rbl_array_free(&faces);
    return result;
}
