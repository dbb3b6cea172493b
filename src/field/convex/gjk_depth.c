// Depth by an expanding polytope (van den Bergen 2001, "Proximity queries and penetration depth computation on 3D game
// objects"). In a polytope inside the Minkowski difference of two bodies, the face closest to the origin is moved
// outwards until it is on the boundary of the difference.
#include "field/convex/gjk.h"

#include "math/vec.h"

// ---- tuning ----
#define MAX_POINTS     128   // of the polytope
#define MAX_FACES      256   // of the polytope
#define DEPTH_ACCURACY 1e-7  // relative to the size; remaining distance of a face from the boundary
#define FLAT           1e-14 // relative to the size cubed; volume of a flat tetrahedron

typedef struct Face
{
    uint32_t vertices[3];
    rblVec3d normal; // unit, outwards
    double distance; // of its plane from the origin, m
} Face;

typedef struct Polytope
{
    rblDifferencePoint points[MAX_POINTS];
    Face faces[MAX_FACES];
    uint32_t point_count, face_count;
} Polytope;

static double volume_of(const rblDifferencePoint* p)
{
    const rblVec3d a = p[3].p;
    return rbl_dot3d(rbl_sub3d(p[0].p, a), rbl_cross3d(rbl_sub3d(p[1].p, a), rbl_sub3d(p[2].p, a)));
}

static bool add_face(Polytope* poly, uint32_t a, uint32_t b, uint32_t c)
{
    const rblVec3d pa = poly->points[a].p;
    const rblVec3d cross = rbl_cross3d(rbl_sub3d(poly->points[b].p, pa), rbl_sub3d(poly->points[c].p, pa));
    const double length = rbl_length3d(cross);
    if (!(length > 0.0) || poly->face_count == MAX_FACES)
    {
        return false;
    }
    const rblVec3d normal = rbl_scale3d(cross, 1.0 / length);
    poly->faces[poly->face_count++] = (Face){{a, b, c}, normal, rbl_dot3d(normal, pa)};
    return true;
}

// Direction of the search for more corners: away from a simplex of too few points.
static rblVec3d probe_direction(const rblDifferencePoint* p, uint32_t count, uint32_t attempt)
{
    static const rblVec3d axes[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    if (count == 3 && attempt < 2)
    {
        const rblVec3d n = rbl_cross3d(rbl_sub3d(p[1].p, p[0].p), rbl_sub3d(p[2].p, p[0].p));
        return attempt == 0 ? n : rbl_neg3d(n);
    }
    if (count == 2 && attempt < 6)
    {
        const rblVec3d across = rbl_cross3d(rbl_sub3d(p[1].p, p[0].p), axes[attempt % 3]);
        return attempt < 3 ? across : rbl_neg3d(across);
    }
    return axes[attempt % 6];
}

// Length, area or volume: increases with every point that is not degenerate.
static double simplex_measure(const rblDifferencePoint* p, uint32_t count)
{
    switch (count)
    {
    case 2:
        return rbl_distance3d(p[0].p, p[1].p);
    case 3:
        return rbl_length3d(rbl_cross3d(rbl_sub3d(p[1].p, p[0].p), rbl_sub3d(p[2].p, p[0].p)));
    default:
        return fabs(volume_of(p));
    }
}

// Extend one to four points to four points with a volume. Returns false if the difference is flat.
static bool complete(const rblConvexPair* pair, rblDifferencePoint* p, uint32_t count, double scale)
{
    if (count == 4 && fabs(volume_of(p)) > FLAT * scale * scale * scale)
    {
        return true;
    }
    count = count > 3 ? 3 : count;
    while (count < 4)
    {
        double best = 0.0;
        rblDifferencePoint chosen = p[0];
        for (uint32_t attempt = 0; attempt < 6; ++attempt)
        {
            const rblVec3d d = rbl_normalize3d(probe_direction(p, count, attempt), (rblVec3d){0, 1, 0});
            p[count] = rbl_difference_support(pair, d);
            const double measure = simplex_measure(p, count + 1);
            if (measure > best)
            {
                best = measure;
                chosen = p[count];
            }
        }
        if (!(best > 0.0))
        {
            return false;
        }
        p[count++] = chosen;
    }
    return fabs(volume_of(p)) > 0.0;
}

static bool begin(Polytope* poly)
{
    poly->point_count = 4;
    if (volume_of(poly->points) < 0.0)
    {
        const rblDifferencePoint swap = poly->points[0];
        poly->points[0] = poly->points[1];
        poly->points[1] = swap;
    }
    return add_face(poly, 0, 1, 2) && add_face(poly, 0, 3, 1) && add_face(poly, 1, 3, 2) &&
           add_face(poly, 2, 3, 0);
}

static uint32_t closest_face(const Polytope* poly)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < poly->face_count; ++i)
    {
        best = poly->faces[i].distance < poly->faces[best].distance ? i : best;
    }
    return best;
}

typedef struct Rim
{
    uint32_t edges[2 * MAX_FACES][2];
    uint32_t count;
} Rim;

// An edge that is added from both sides is not on the border of the hole.
static void toggle(Rim* rim, uint32_t tail, uint32_t head)
{
    for (uint32_t i = 0; i < rim->count; ++i)
    {
        if (rim->edges[i][0] == head && rim->edges[i][1] == tail)
        {
            rim->count -= 1;
            rim->edges[i][0] = rim->edges[rim->count][0];
            rim->edges[i][1] = rim->edges[rim->count][1];
            return;
        }
    }
    if (rim->count < 2 * MAX_FACES)
    {
        rim->edges[rim->count][0] = tail;
        rim->edges[rim->count][1] = head;
        rim->count += 1;
    }
}

// Replace the faces that are visible from a new corner by triangles to it. Returns false if the result would be
// degenerate.
static bool expand(Polytope* poly, rblDifferencePoint w)
{
    Rim rim;
    rim.count = 0;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < poly->face_count; ++i)
    {
        const Face* f = &poly->faces[i];
        if (rbl_dot3d(f->normal, w.p) - f->distance > 0.0)
        {
            toggle(&rim, f->vertices[0], f->vertices[1]);
            toggle(&rim, f->vertices[1], f->vertices[2]);
            toggle(&rim, f->vertices[2], f->vertices[0]);
        }
        else
        {
            poly->faces[kept++] = *f;
        }
    }
    poly->face_count = kept;
    poly->points[poly->point_count] = w;
    for (uint32_t i = 0; i < rim.count; ++i)
    {
        if (!add_face(poly, rim.edges[i][0], rim.edges[i][1], poly->point_count))
        {
            return false;
        }
    }
    poly->point_count += 1;
    return rim.count >= 3;
}

static rblSeparation face_witness(const Polytope* poly, const Face* face, double depth)
{
    double weights[3];
    const rblDifferencePoint* p[3] = {&poly->points[face->vertices[0]], &poly->points[face->vertices[1]],
                                      &poly->points[face->vertices[2]]};
    rbl_triangle_weights(p[0]->p, p[1]->p, p[2]->p, weights);
    rblSeparation out = {.distance = -depth, .normal = face->normal};
    for (uint32_t i = 0; i < 3; ++i)
    {
        out.on_a = rbl_mul_add3d(out.on_a, weights[i], p[i]->on_a);
        out.on_b = rbl_mul_add3d(out.on_b, weights[i], p[i]->on_b);
    }
    return out;
}

// Along the line between the centres, for bodies without volume.
static rblSeparation fallback(const rblConvexPair* pair)
{
    const rblVec3d centers =
        rbl_sub3d(rbl_add3d(rbl_mat3d_apply(&pair->rotation, rbl_core_center(pair->b)), pair->offset),
                  rbl_core_center(pair->a));
    const rblVec3d n = rbl_normalize3d(centers, (rblVec3d){0, 1, 0});
    const rblDifferencePoint w = rbl_difference_support(pair, n);
    return (rblSeparation){-rbl_dot3d(n, w.p), n, w.on_a, w.on_b};
}

rblSeparation rbl_epa_depth(const rblConvexPair* pair, const rblDifferencePoint* simplex, uint32_t count,
                            double scale)
{
    Polytope poly; // large: only the used part is initialized
    poly.point_count = 0;
    poly.face_count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        poly.points[i] = i < count ? simplex[i] : (rblDifferencePoint){.a = 0};
    }
    if (!complete(pair, poly.points, count, scale) || !begin(&poly))
    {
        return fallback(pair);
    }
    rblSeparation best = fallback(pair);
    while (poly.point_count < MAX_POINTS)
    {
        const Face face = poly.faces[closest_face(&poly)];
        const rblDifferencePoint w = rbl_difference_support(pair, face.normal);
        const double depth = rbl_dot3d(face.normal, w.p); // depth along this normal; valid for any polytope
        if (depth < -best.distance)
        {
            best = face_witness(&poly, &face, depth);
        }
        if (depth - face.distance <= DEPTH_ACCURACY * scale || !expand(&poly, w))
        {
            break;
        }
    }
    return best;
}
