#include "math/triangle_intersection.h"

#include "math/predicates.h"

typedef struct Point2
{
    double at[2];
} Point2;

static int sign(double value)
{
    return (value > 0) - (value < 0);
}

// The point without one coordinate: exact, and it keeps incidences within a plane that is not projected to a line.
static Point2 project(rblVec3d p, int drop)
{
    return drop == 0 ? (Point2){{p.y, p.z}} : (drop == 1 ? (Point2){{p.z, p.x}} : (Point2){{p.x, p.y}});
}

static int turn(const Point2* a, const Point2* b, const Point2* c)
{
    return sign(rbl_orient2d(a->at, b->at, c->at));
}

static int side(const rblVec3d t[3], rblVec3d p)
{
    return sign(rbl_orient3d(t[0], t[1], t[2], p));
}

// The orientation of the triangle without that coordinate; 0 when it is projected to a line.
static int projected_turn(const rblVec3d t[3], int drop)
{
    const Point2 a = project(t[0], drop);
    const Point2 b = project(t[1], drop);
    const Point2 c = project(t[2], drop);
    return turn(&a, &b, &c);
}

bool rbl_collinear3d(rblVec3d a, rblVec3d b, rblVec3d c)
{
    const rblVec3d t[3] = {a, b, c};
    return projected_turn(t, 0) == 0 && projected_turn(t, 1) == 0 && projected_turn(t, 2) == 0;
}

// ---- in one plane ----

// The triangle in the plane, counter-clockwise. Returns the dropped coordinate.
static int flatten(const rblVec3d t[3], Point2 out[3])
{
    int drop = 0;
    int way = projected_turn(t, drop);
    while (way == 0 && drop < 2)
    {
        way = projected_turn(t, ++drop);
    }
    out[0] = project(t[0], drop);
    out[1] = project(t[way > 0 ? 1 : 2], drop);
    out[2] = project(t[way > 0 ? 2 : 1], drop);
    return drop;
}

// Whether some edge of the counter-clockwise triangle has all points strictly on its outer side.
static bool edge_separates(const Point2 t[3], const Point2* points, int count)
{
    for (int e = 0; e < 3; ++e)
    {
        int outside = 0;
        while (outside < count && turn(&t[e], &t[(e + 1) % 3], &points[outside]) < 0)
        {
            outside += 1;
        }
        if (outside == count)
        {
            return true;
        }
    }
    return false;
}

// Disjoint convex polygons are separated by the line of an edge of one of them.
static bool coplanar_triangles_meet(const rblVec3d a[3], const rblVec3d b[3])
{
    Point2 ta[3];
    Point2 tb[3];
    const int drop = flatten(a, ta);
    const rblVec3d turned[3] = {b[0], b[2], b[1]};
    const rblVec3d* ccw = projected_turn(b, drop) > 0 ? b : turned;
    for (int i = 0; i < 3; ++i)
    {
        tb[i] = project(ccw[i], drop);
    }
    return !edge_separates(ta, tb, 3) && !edge_separates(tb, ta, 3);
}

static bool coplanar_segment_meets(rblVec3d p, rblVec3d q, const rblVec3d t[3])
{
    Point2 flat[3];
    const int drop = flatten(t, flat);
    const Point2 ends[2] = {project(p, drop), project(q, drop)};
    if (edge_separates(flat, ends, 2))
    {
        return false;
    }
    const int sides[3] = {turn(&ends[0], &ends[1], &flat[0]), turn(&ends[0], &ends[1], &flat[1]),
                          turn(&ends[0], &ends[1], &flat[2])};
    return !(sides[0] > 0 && sides[1] > 0 && sides[2] > 0) && !(sides[0] < 0 && sides[1] < 0 && sides[2] < 0);
}

// ---- in space ----

// A closed segment against a closed triangle; sp and sq are the sides of its plane on which p and q lie.
static bool segment_meets(rblVec3d p, int sp, rblVec3d q, int sq, const rblVec3d t[3])
{
    if (sp * sq > 0)
    {
        return false;
    }
    if (sp == 0 && sq == 0)
    {
        return coplanar_segment_meets(p, q, t);
    }
    // The line through p and q crosses the plane once: inside the triangle if it passes all three edges on the same
    // side.
    bool left = false;
    bool right = false;
    for (int e = 0; e < 3; ++e)
    {
        const double volume = rbl_orient3d(p, q, t[e], t[(e + 1) % 3]);
        left = left || volume > 0;
        right = right || volume < 0;
    }
    return !(left && right);
}

static bool on_one_side(const int sides[3])
{
    return (sides[0] > 0 && sides[1] > 0 && sides[2] > 0) || (sides[0] < 0 && sides[1] < 0 && sides[2] < 0);
}

static bool any_edge_meets(const rblVec3d a[3], const int sides[3], const rblVec3d b[3])
{
    for (int e = 0; e < 3; ++e)
    {
        const int f = (e + 1) % 3;
        if (segment_meets(a[e], sides[e], a[f], sides[f], b))
        {
            return true;
        }
    }
    return false;
}

static bool separate_triangles_meet(const rblVec3d a[3], const rblVec3d b[3])
{
    const int sides_a[3] = {side(b, a[0]), side(b, a[1]), side(b, a[2])};
    if (on_one_side(sides_a))
    {
        return false;
    }
    if (sides_a[0] == 0 && sides_a[1] == 0 && sides_a[2] == 0)
    {
        return coplanar_triangles_meet(a, b);
    }
    const int sides_b[3] = {side(a, b[0]), side(a, b[1]), side(a, b[2])};
    return !on_one_side(sides_b) && (any_edge_meets(a, sides_a, b) || any_edge_meets(b, sides_b, a));
}

// Common points besides the shared vertex form a segment from it (or several), which leaves the first of the two
// triangles through the edge opposite the vertex.
static bool triangles_at_vertex_meet(const rblVec3d a[3], const rblVec3d b[3])
{
    const int a1 = side(b, a[1]);
    const int a2 = side(b, a[2]);
    if (a1 * a2 > 0)
    {
        return false;
    }
    const int b1 = side(a, b[1]);
    const int b2 = side(a, b[2]);
    return b1 * b2 <= 0 && (segment_meets(a[1], a1, a[2], a2, b) || segment_meets(b[1], b1, b[2], b2, a));
}

// With a shared edge, triangles have further common points only if they are folded onto each other.
static bool triangles_at_edge_meet(const rblVec3d a[3], const rblVec3d b[3])
{
    if (side(a, b[2]) != 0)
    {
        return false;
    }
    Point2 flat[3];
    const int drop = flatten(a, flat);
    return projected_turn(a, drop) == projected_turn(b, drop);
}

bool rbl_triangles_meet(const rblVec3d a[3], const rblVec3d b[3], uint32_t shared)
{
    switch (shared)
    {
    case 0:
        return separate_triangles_meet(a, b);
    case 1:
        return triangles_at_vertex_meet(a, b);
    case 2:
        return triangles_at_edge_meet(a, b);
    default:
        return true;
    }
}
