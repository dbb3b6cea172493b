#include "field/convex/gjk.h"

#include "math/quat.h"
#include "math/vec.h"

// ---- tuning ----
#define MAX_ITERATIONS    96    // of one search
#define RELATIVE_ACCURACY 1e-12 // relative to the squared distance; accuracy at which the search ends
#define TOUCHING          1e-10 // relative to the size; smaller distances count as overlap

// ---- bodies ----

rblConvexPair rbl_convex_pair(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a)
{
    return (rblConvexPair){&a->shape->core, &b->shape->core,
                           rbl_quatd_to_mat3d(rbl_quatd_normalize(rbl_to_double_quat(b_in_a.q))),
                           rbl_to_double3(b_in_a.p)};
}

rblVec3d rbl_core_center(const rblConvexCore* core)
{
    return rbl_to_double3(core->hull != NULL ? core->hull->center : core->center);
}

static rblVec3d corner_of(const rblHull* hull, uint32_t vertex)
{
    return rbl_to_double3(rbl_hull_vertex(hull, vertex));
}

// Vertices of a hull are compared in floats. Directions have at most about unit length, so that there is no overflow or
// underflow.
static rblVec3d support_of(const rblConvexCore* core, rblVec3d d, uint32_t* vertex)
{
    *vertex = 0;
    if (core->hull != NULL)
    {
        *vertex = rbl_hull_support(core->hull, rbl_to_float3(d));
        return corner_of(core->hull, *vertex);
    }
    if (core->form == RBL_CORE_SUPPORT)
    {
        return rbl_to_double3(core->shape->kind->support(core->shape->data, rbl_to_float3(d)));
    }
    const double y = d.y < 0.0 ? -core->half_height : core->half_height;
    if (core->disc == 0.0)
    {
        return (rblVec3d){0, y, 0};
    }
    const double length = sqrt(d.x * d.x + d.z * d.z);
    return length > 0.0 ? (rblVec3d){core->disc * d.x / length, y, core->disc * d.z / length}
                        : (rblVec3d){core->disc, y, 0};
}

rblVec3d rbl_core_support(const rblConvexCore* core, rblVec3d d)
{
    uint32_t vertex;
    return support_of(core, d, &vertex);
}

static rblDifferencePoint difference(const rblConvexPair* pair, rblVec3d of_a, rblVec3d of_b)
{
    const rblVec3d on_b = rbl_add3d(rbl_mat3d_apply(&pair->rotation, of_b), pair->offset);
    return (rblDifferencePoint){.p = rbl_sub3d(of_a, on_b), .on_a = of_a, .on_b = on_b};
}

rblDifferencePoint rbl_difference_support(const rblConvexPair* pair, rblVec3d direction)
{
    uint32_t a;
    uint32_t b;
    const rblVec3d in_b = rbl_mat3d_apply_transposed(&pair->rotation, rbl_neg3d(direction));
    const rblVec3d of_a = support_of(pair->a, direction, &a);
    rblDifferencePoint point = difference(pair, of_a, support_of(pair->b, in_b, &b));
    point.a = a;
    point.b = b;
    return point;
}

// ---- closest point of a simplex to the origin ----

// Points keep their slots; a simplex lists the slots that it uses. It has at most three before a point is added, so
// that one of the four slots is always free.
typedef struct Simplex
{
    uint32_t indices[4];
    double weights[4];
    uint32_t count;
} Simplex;

void rbl_triangle_weights(rblVec3d a, rblVec3d b, rblVec3d c, double weights[3])
{
    // The regions of a triangle (Ericson 2005, 5.1.5), for the origin.
    const rblVec3d ab = rbl_sub3d(b, a);
    const rblVec3d ac = rbl_sub3d(c, a);
    const double d1 = -rbl_dot3d(ab, a);
    const double d2 = -rbl_dot3d(ac, a);
    const double d3 = -rbl_dot3d(ab, b);
    const double d4 = -rbl_dot3d(ac, b);
    const double d5 = -rbl_dot3d(ab, c);
    const double d6 = -rbl_dot3d(ac, c);
    const double vc = d1 * d4 - d3 * d2;
    const double vb = d5 * d2 - d1 * d6;
    const double va = d3 * d6 - d5 * d4;
    weights[0] = weights[1] = weights[2] = 0.0;
    if (d1 <= 0.0 && d2 <= 0.0)
    {
        weights[0] = 1.0;
    }
    else if (d3 >= 0.0 && d4 <= d3)
    {
        weights[1] = 1.0;
    }
    else if (d6 >= 0.0 && d5 <= d6)
    {
        weights[2] = 1.0;
    }
    else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0)
    {
        weights[1] = d1 / (d1 - d3);
        weights[0] = 1.0 - weights[1];
    }
    else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0)
    {
        weights[2] = d2 / (d2 - d6);
        weights[0] = 1.0 - weights[2];
    }
    else if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    {
        weights[2] = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        weights[1] = 1.0 - weights[2];
    }
    else
    {
        const double sum = va + vb + vc;
        weights[1] = vb / sum;
        weights[2] = vc / sum;
        weights[0] = 1.0 - weights[1] - weights[2];
    }
}

static rblVec3d weighted(const rblDifferencePoint* points, const Simplex* s)
{
    rblVec3d sum = {0, 0, 0};
    for (uint32_t i = 0; i < s->count; ++i)
    {
        sum = rbl_mul_add3d(sum, s->weights[i], points[s->indices[i]].p);
    }
    return sum;
}

// Remove points with weight 0.
static void remove_unused(Simplex* s)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        if (s->weights[i] > 0.0)
        {
            s->indices[kept] = s->indices[i];
            s->weights[kept++] = s->weights[i];
        }
    }
    s->count = kept;
}

static void solve_segment(const rblDifferencePoint* points, Simplex* s)
{
    const rblVec3d a = points[s->indices[0]].p;
    const rblVec3d ab = rbl_sub3d(points[s->indices[1]].p, a);
    const double length = rbl_dot3d(ab, ab);
    const double t = length > 0.0 ? rbl_clampd(-rbl_dot3d(a, ab) / length, 0.0, 1.0) : 0.0;
    s->weights[0] = 1.0 - t;
    s->weights[1] = t;
    remove_unused(s);
}

static void solve_triangle(const rblDifferencePoint* points, Simplex* s)
{
    rbl_triangle_weights(points[s->indices[0]].p, points[s->indices[1]].p, points[s->indices[2]].p,
                         s->weights);
    remove_unused(s);
}

// Returns false if the origin is inside. If it is known to be outside, this comes from rounding, and the nearest face
// is used.
static bool solve_tetrahedron(const rblDifferencePoint* points, Simplex* s, bool known_outside)
{
    static const uint32_t faces[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    Simplex best = {.count = 0};
    double nearest = (double)INFINITY;
    for (uint32_t f = 0; f < 4; ++f)
    {
        Simplex face = {
            .indices = {s->indices[faces[f][0]], s->indices[faces[f][1]], s->indices[faces[f][2]]},
            .count = 3};
        const rblVec3d a = points[face.indices[0]].p;
        const rblVec3d n =
            rbl_cross3d(rbl_sub3d(points[face.indices[1]].p, a), rbl_sub3d(points[face.indices[2]].p, a));
        const double opposite = rbl_dot3d(n, rbl_sub3d(points[s->indices[faces[f][3]]].p, a));
        // A flat tetrahedron has no inside: all its faces are candidates.
        if (-rbl_dot3d(n, a) * opposite > 0.0 && !known_outside)
        {
            continue;
        }
        solve_triangle(points, &face);
        const rblVec3d v = weighted(points, &face);
        if (rbl_dot3d(v, v) < nearest)
        {
            nearest = rbl_dot3d(v, v);
            best = face;
        }
    }
    if (best.count == 0)
    {
        return false;
    }
    *s = best;
    return true;
}

static bool solve(const rblDifferencePoint* points, Simplex* s, bool known_outside)
{
    switch (s->count)
    {
    case 1:
        s->weights[0] = 1.0;
        return true;
    case 2:
        solve_segment(points, s);
        return true;
    case 3:
        solve_triangle(points, s);
        return true;
    default:
        return solve_tetrahedron(points, s, false) || (known_outside && solve_tetrahedron(points, s, true));
    }
}

static bool has_point(const rblDifferencePoint* points, const Simplex* s, rblVec3d p)
{
    for (uint32_t i = 0; i < s->count; ++i)
    {
        if (rbl_equal3d(points[s->indices[i]].p, p))
        {
            return true;
        }
    }
    return false;
}

// Store a point in the free slot.
static void add_point(rblDifferencePoint* points, Simplex* s, const rblDifferencePoint* p)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        used |= 1u << s->indices[i];
    }
    uint32_t free_index = 0;
    while ((used >> free_index & 1u) != 0)
    {
        ++free_index;
    }
    points[free_index] = *p;
    s->indices[s->count++] = free_index;
}

static rblSeparation witness(const rblDifferencePoint* points, const Simplex* s, rblVec3d v, double length)
{
    rblSeparation out = {.distance = length, .normal = rbl_scale3d(v, -1.0 / length)};
    for (uint32_t i = 0; i < s->count; ++i)
    {
        out.on_a = rbl_mul_add3d(out.on_a, s->weights[i], points[s->indices[i]].on_a);
        out.on_b = rbl_mul_add3d(out.on_b, s->weights[i], points[s->indices[i]].on_b);
    }
    return out;
}

static double core_size(const rblConvexCore* core)
{
    return core->hull != NULL ? (double)core->hull->size
                              : core->disc + core->half_height + (double)core->size;
}

// Termination: the cores are known to be farther apart than `far_enough`; or the known lower bound of the distance
// above `goal` is at least half of the upper bound. No goal: INFINITY.
typedef struct Limits
{
    double far_enough, goal;
} Limits;

static bool is_enough(const Limits* limits, double bound, double length)
{
    return bound > limits->far_enough || length - bound < bound - limits->goal;
}

// Start with the point farthest against a direction.
static void begin(const rblConvexPair* pair, rblVec3d guess, rblDifferencePoint points[4], Simplex* s)
{
    points[0] = rbl_difference_support(pair, rbl_normalize3d(guess, (rblVec3d){0, 1, 0}));
    *s = (Simplex){.indices = {0}, .weights = {1.0}, .count = 1};
}

// Start with the corners of an earlier search.
static void begin_again(const rblConvexPair* pair, const rblSimplexSeed* seed, rblDifferencePoint points[4],
                        Simplex* s)
{
    *s = (Simplex){.count = seed->count};
    for (uint32_t i = 0; i < seed->count; ++i)
    {
        points[i] =
            difference(pair, corner_of(pair->a->hull, seed->a[i]), corner_of(pair->b->hull, seed->b[i]));
        points[i].a = seed->a[i];
        points[i].b = seed->b[i];
        s->indices[i] = i;
    }
}

static rblSimplexSeed seed_of(const rblDifferencePoint points[4], const Simplex* s)
{
    rblSimplexSeed seed = {.count = s->count};
    for (uint32_t i = 0; i < s->count; ++i)
    {
        seed.a[i] = (uint8_t)points[s->indices[i]].a;
        seed.b[i] = (uint8_t)points[s->indices[i]].b;
    }
    return seed;
}

// Iterate from the current simplex. Returns false if the cores overlap: the simplex then contains the origin.
static bool run(const rblConvexPair* pair, Limits limits, double scale, rblDifferencePoint points[4],
                Simplex* s, rblSeparation* out)
{
    if (!solve(points, s, false))
    {
        return false;
    }
    rblVec3d v = weighted(points, s); // from the second core to the first: opposite to the normal
    double squared = rbl_dot3d(v, v);
    bool separated = false; // whether a direction separates them
    for (uint32_t i = 0; i < MAX_ITERATIONS; ++i)
    {
        const double length = sqrt(squared);
        if (length <= TOUCHING * scale)
        {
            return false;
        }
        const rblVec3d direction = rbl_scale3d(v, -1.0 / length);
        const rblDifferencePoint w = rbl_difference_support(pair, direction);
        const double bound = -rbl_dot3d(direction, w.p); // lower bound of the distance, along this direction
        if (is_enough(&limits, bound, length))
        {
            *out = witness(points, s, v, length);
            out->distance = bound;
            return true;
        }
        if (squared - length * bound <= RELATIVE_ACCURACY * squared || has_point(points, s, w.p))
        {
            *out = witness(points, s, v, length);
            return true;
        }
        separated = separated || bound > TOUCHING * scale;
        const Simplex before = *s;
        add_point(points, s, &w);
        if (!solve(points, s, separated))
        {
            return false;
        }
        const rblVec3d next = weighted(points, s);
        if (!(rbl_dot3d(next, next) < squared)) // no further progress in double precision
        {
            *out = witness(points, &before, v, length);
            return true;
        }
        v = next;
        squared = rbl_dot3d(v, v);
    }
    *out = witness(points, s, v, sqrt(squared));
    return true;
}

static double pair_scale(const rblConvexPair* pair)
{
    return core_size(pair->a) + core_size(pair->b) + 1e-30;
}

static rblSeparation separation(const rblConvexPair* pair, rblVec3d guess, Limits limits)
{
    rblDifferencePoint points[4];
    Simplex simplex;
    rblSeparation out;
    const double scale = pair_scale(pair);
    begin(pair, guess, points, &simplex);
    if (run(pair, limits, scale, points, &simplex, &out))
    {
        return out;
    }
    rblDifferencePoint corners[4];
    for (uint32_t i = 0; i < simplex.count; ++i)
    {
        corners[i] = points[simplex.indices[i]];
    }
    return rbl_epa_depth(pair, corners, simplex.count, scale);
}

rblSeparation rbl_gjk_separation(const rblConvexPair* pair, rblVec3d guess, double far_enough)
{
    return separation(pair, guess, (Limits){far_enough, (double)INFINITY});
}

rblSeparation rbl_gjk_guess(const rblConvexPair* pair, rblVec3d guess, double far_enough)
{
    return separation(pair, guess, (Limits){far_enough, 0.0});
}

rblSeparation rbl_gjk_clearance(const rblConvexPair* pair, rblVec3d guess, double goal, double far_enough,
                                rblSimplexSeed* seed)
{
    rblDifferencePoint points[4];
    Simplex simplex;
    rblSeparation out;
    if (seed->count > 0)
    {
        begin_again(pair, seed, points, &simplex);
    }
    else
    {
        begin(pair, guess, points, &simplex);
    }
    if (!run(pair, (Limits){far_enough, goal}, pair_scale(pair), points, &simplex, &out))
    {
        out = (rblSeparation){.distance = 0.0, .normal = rbl_normalize3d(guess, (rblVec3d){0, 1, 0})};
    }
    if (pair->a->hull != NULL && pair->b->hull != NULL)
    {
        *seed = seed_of(points, &simplex);
    }
    return out;
}
