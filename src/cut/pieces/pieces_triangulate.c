// Triangulation of crack faces. Holes are joined to the outer loop by bridges, the hole that extends farthest right
// first (Eberly 2002, "Triangulation by Ear Clipping"). A ray from the rightmost corner of the hole to the right meets
// a side of the ring; the end of this side, or a corner in between, is visible. The ring is then one polygon that
// touches itself along the bridges, and ears are clipped. At last, edges are flipped until the triangulation is
// Delaunay (Lawson 1977): without flips, slivers between nearly collinear corners would have arbitrary normals from
// rounding, and would cut neighbouring faces.
#include "cut/pieces/pieces_triangulate.h"

#include "base/hash_map.h"
#include "math/predicates.h"

// ---- tuning ----
#define MAX_SWEEPS 32 // sweeps of edge flips
#define MAX_PASSES 24 // passes that add points inside a face
// Corners of triangles; up to this number twins are found by comparison of all pairs.
#define MAX_BRUTE_FORCE 36u
#define CORNER_DISTANCE 0.6 // distance of a new point from corners, relative to the spacing, at least
#define BORDER_DISTANCE 0.3 // distance of a new point from the border, relative to the spacing, at least

typedef struct Flat
{
    const rblPieces* pieces;
    const rblMeshView* surface;
    const rblCrackClipper* clipper;
} Flat;

void rbl_crack_clipper_init(rblCrackClipper* clipper, const rblAllocator* allocator)
{
    rbl_ear_clipper_init(&clipper->ears, allocator);
    rbl_array_init(&clipper->ring, allocator);
    rbl_array_init(&clipper->holes, allocator);
    rbl_array_init(&clipper->joined, allocator);
    rbl_array_init(&clipper->triangles, allocator);
    rbl_array_init(&clipper->twins, allocator);
    rbl_array_init(&clipper->inner, allocator);
}

void rbl_crack_clipper_free(rblCrackClipper* clipper)
{
    rbl_ear_clipper_free(&clipper->ears);
    rbl_array_free(&clipper->ring);
    rbl_array_free(&clipper->holes);
    rbl_array_free(&clipper->joined);
    rbl_array_free(&clipper->triangles);
    rbl_array_free(&clipper->twins);
    rbl_array_free(&clipper->inner);
}

static rblVec3d place_of(const Flat* flat, uint32_t vertex)
{
    const rblCrackClipper* clipper = flat->clipper;
    return vertex >= clipper->first_inner ? clipper->inner.data[vertex - clipper->first_inner]
                                          : rbl_piece_position(flat->pieces, flat->surface, vertex);
}

static void flatten(const Flat* flat, uint32_t vertex, double out[2])
{
    const rblVec3d p = place_of(flat, vertex);
    const uint32_t axis = flat->clipper->axis;
    const double x = axis == 0 ? p.y : (axis == 1 ? p.z : p.x);
    const double y = axis == 0 ? p.z : (axis == 1 ? p.x : p.y);
    out[0] = flat->clipper->flipped ? y : x;
    out[1] = flat->clipper->flipped ? x : y;
}

// The rightmost corner of a loop, the first of equals.
static uint32_t rightmost(const Flat* flat, uint32_t loop)
{
    const rblPieces* pieces = flat->pieces;
    uint32_t best = pieces->loop_starts[loop];
    double rightmost_point[2];
    flatten(flat, pieces->corners[best], rightmost_point);
    for (uint32_t c = best + 1; c < pieces->loop_starts[loop + 1]; ++c)
    {
        double at[2];
        flatten(flat, pieces->corners[c], at);
        if (at[0] > rightmost_point[0])
        {
            best = c;
            rightmost_point[0] = at[0];
        }
    }
    return best;
}

// Holes in the order in which they are joined.
static bool order_holes(rblCrackClipper* clipper, const Flat* flat, const rblPieceFace* face)
{
    rbl_array_clear(&clipper->holes);
    for (uint32_t loop = face->first_loop + 1; loop < face->end_loop; ++loop)
    {
        if (!rbl_array_push(&clipper->holes, loop))
        {
            return false;
        }
        double rightmost_point[2], other[2];
        flatten(flat, flat->pieces->corners[rightmost(flat, loop)], rightmost_point);
        for (size_t n = clipper->holes.count - 1; n > 0; --n)
        {
            flatten(flat, flat->pieces->corners[rightmost(flat, clipper->holes.data[n - 1])], other);
            if (other[0] >= rightmost_point[0])
            {
                break;
            }
            clipper->holes.data[n] = clipper->holes.data[n - 1];
            clipper->holes.data[n - 1] = loop;
        }
    }
    return true;
}

static bool is_in_triangle(const double a[2], const double b[2], const double c[2], const double p[2])
{
    const double x = rbl_orient2d(a, b, p), y = rbl_orient2d(b, c, p), z = rbl_orient2d(c, a, p);
    return (x >= 0.0 && y >= 0.0 && z >= 0.0) || (x <= 0.0 && y <= 0.0 && z <= 0.0);
}

// The first side of the ring that a ray from `at` to the right meets, as the index of its upper end; `hit` receives the
// position. RBL_NONE: none.
static uint32_t first_side(const rblCrackClipper* clipper, const Flat* flat, const double at[2],
                           double hit[2])
{
    uint32_t best = RBL_NONE;
    hit[0] = (double)INFINITY;
    hit[1] = at[1];
    const uint32_t count = (uint32_t)clipper->ring.count;
    for (uint32_t n = 0; n < count; ++n)
    {
        const uint32_t next = n + 1 < count ? n + 1 : 0;
        double a[2], b[2];
        flatten(flat, clipper->ring.data[n], a);
        flatten(flat, clipper->ring.data[next], b);
        // Only upward sides have the inside on their left.
        if (a[1] > at[1] || b[1] < at[1] || a[1] == b[1] || rbl_orient2d(a, b, at) < 0.0)
        {
            continue;
        }
        const double x = a[0] + (at[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        if (x < hit[0])
        {
            hit[0] = x;
            best = a[0] > b[0] ? n : next;
        }
    }
    return best;
}

// A corner of the ring that is visible from `at`: the upper end of the first side, or the corner inside the triangle in
// between that is closest to the direction of the ray.
static uint32_t find_bridge(const rblCrackClipper* clipper, const Flat* flat, const double at[2])
{
    double hit[2], end[2], best_slope = (double)INFINITY;
    const uint32_t side = first_side(clipper, flat, at, hit);
    if (side == RBL_NONE)
    {
        return 0;
    }
    flatten(flat, clipper->ring.data[side], end);
    uint32_t best = side;
    double best_x = (double)INFINITY;
    for (uint32_t n = 0; n < clipper->ring.count; ++n)
    {
        double p[2];
        flatten(flat, clipper->ring.data[n], p);
        if (n == side || p[0] < at[0] || (p[0] == end[0] && p[1] == end[1]) ||
            !is_in_triangle(at, hit, end, p))
        {
            continue;
        }
        const double slope = p[0] > at[0] ? fabs(p[1] - at[1]) / (p[0] - at[0]) : (double)INFINITY;
        if (slope < best_slope || (slope == best_slope && p[0] < best_x))
        {
            best = n;
            best_slope = slope;
            best_x = p[0];
        }
    }
    return best;
}

// Whether a point is strictly inside the angle at b of the border a, b, c, whose inside is on the left.
static bool is_in_sector(const double a[2], const double b[2], const double c[2], const double p[2])
{
    const bool left_of_in = rbl_orient2d(a, b, p) > 0.0;
    const bool left_of_out = rbl_orient2d(b, c, p) > 0.0;
    return rbl_orient2d(a, b, c) > 0.0 ? left_of_in && left_of_out : left_of_in || left_of_out;
}

static bool is_open_towards(const rblCrackClipper* clipper, const Flat* flat, uint32_t place,
                            const double at[2])
{
    const uint32_t count = (uint32_t)clipper->ring.count;
    double before[2], corner[2], after[2];
    flatten(flat, clipper->ring.data[place > 0 ? place - 1 : count - 1], before);
    flatten(flat, clipper->ring.data[place], corner);
    flatten(flat, clipper->ring.data[place + 1 < count ? place + 1 : 0], after);
    return is_in_sector(before, corner, after, at);
}

// The ring may visit a corner several times, since bridges end there. Find the visit whose inside contains the bridge.
static uint32_t find_visit(const rblCrackClipper* clipper, const Flat* flat, uint32_t place,
                           const double at[2])
{
    for (uint32_t n = 0; n < clipper->ring.count; ++n)
    {
        if (clipper->ring.data[n] == clipper->ring.data[place] && is_open_towards(clipper, flat, n, at))
        {
            return n;
        }
    }
    return place;
}

// Whether the segment between two vertices meets or touches a side that contains neither of them.
static bool meets_side(const Flat* flat, uint32_t p, uint32_t q, uint32_t from, uint32_t to)
{
    if (from == p || from == q || to == p || to == q)
    {
        return false;
    }
    double a[2], b[2], c[2], d[2];
    flatten(flat, p, a);
    flatten(flat, q, b);
    flatten(flat, from, c);
    flatten(flat, to, d);
    const double c_side = rbl_orient2d(a, b, c), d_side = rbl_orient2d(a, b, d);
    const double a_side = rbl_orient2d(c, d, a), b_side = rbl_orient2d(c, d, b);
    return !((c_side > 0.0 && d_side > 0.0) || (c_side < 0.0 && d_side < 0.0) ||
             (a_side > 0.0 && b_side > 0.0) || (a_side < 0.0 && b_side < 0.0));
}

// Exact test whether a bridge from a corner of a hole to a corner of the ring is inside the face and meets no side.
static bool is_open(const rblCrackClipper* clipper, const Flat* flat, const rblPieceFace* face, uint32_t loop,
                    uint32_t corner, uint32_t place)
{
    const rblPieces* pieces = flat->pieces;
    const uint32_t* v = pieces->corners;
    const uint32_t begin = pieces->loop_starts[loop], end = pieces->loop_starts[loop + 1];
    const uint32_t p = v[corner], q = clipper->ring.data[place];
    double at[2], ring_corner[2], before[2], after[2];
    flatten(flat, p, at);
    flatten(flat, q, ring_corner);
    flatten(flat, v[corner > begin ? corner - 1 : end - 1], before);
    flatten(flat, v[corner + 1 < end ? corner + 1 : begin], after);
    bool open = is_in_sector(before, at, after, ring_corner) && is_open_towards(clipper, flat, place, at);
    const uint32_t count = (uint32_t)clipper->ring.count;
    for (uint32_t n = 0; n < count && open; ++n)
    {
        open = !meets_side(flat, p, q, clipper->ring.data[n], clipper->ring.data[n + 1 < count ? n + 1 : 0]);
    }
    for (uint32_t l = face->first_loop + 1; l < face->end_loop && open; ++l)
    {
        const uint32_t first = pieces->loop_starts[l], last = pieces->loop_starts[l + 1] - 1;
        for (uint32_t c = first; c <= last && open; ++c)
        {
            open = !meets_side(flat, p, q, v[c], v[c < last ? c + 1 : first]);
        }
    }
    return open;
}

// The shortest bridge of all, for loops that are so close that rounding finds a wrong side.
static void find_shortest(const rblCrackClipper* clipper, const Flat* flat, const rblPieceFace* face,
                          uint32_t loop, uint32_t* corner, uint32_t* bridge)
{
    const rblPieces* pieces = flat->pieces;
    double shortest = (double)INFINITY;
    for (uint32_t c = pieces->loop_starts[loop]; c < pieces->loop_starts[loop + 1]; ++c)
    {
        double at[2];
        flatten(flat, pieces->corners[c], at);
        for (uint32_t n = 0; n < clipper->ring.count; ++n)
        {
            double ring_corner[2];
            flatten(flat, clipper->ring.data[n], ring_corner);
            const double x = ring_corner[0] - at[0], y = ring_corner[1] - at[1];
            if (x * x + y * y < shortest && is_open(clipper, flat, face, loop, c, n))
            {
                shortest = x * x + y * y;
                *corner = c;
                *bridge = n;
            }
        }
    }
}

// The new ring: ... bridge, corner, other corners of the hole, corner, bridge, ...
static bool join_hole(rblCrackClipper* clipper, const Flat* flat, const rblPieceFace* face, uint32_t loop)
{
    const rblPieces* pieces = flat->pieces;
    const uint32_t begin = pieces->loop_starts[loop], end = pieces->loop_starts[loop + 1];
    uint32_t corner = rightmost(flat, loop);
    double at[2];
    flatten(flat, pieces->corners[corner], at);
    uint32_t bridge = find_visit(clipper, flat, find_bridge(clipper, flat, at), at);
    if (!is_open(clipper, flat, face, loop, corner, bridge))
    {
        find_shortest(clipper, flat, face, loop, &corner, &bridge);
    }
    rbl_array_clear(&clipper->joined);
    bool stored = true;
    for (uint32_t n = 0; n <= bridge; ++n)
    {
        stored = stored && rbl_array_push(&clipper->joined, clipper->ring.data[n]);
    }
    for (uint32_t n = 0; n <= end - begin; ++n)
    {
        const uint32_t c = begin + (corner - begin + n) % (end - begin);
        stored = stored && rbl_array_push(&clipper->joined, pieces->corners[c]);
    }
    for (uint32_t n = bridge; n < clipper->ring.count; ++n)
    {
        stored = stored && rbl_array_push(&clipper->joined, clipper->ring.data[n]);
    }
    const rblIndexArray old = clipper->ring;
    clipper->ring = clipper->joined;
    clipper->joined = old;
    return stored;
}

// ---- flips ----

static uint32_t next_of(uint32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

static uint32_t previous_of(uint32_t h)
{
    return h % 3 == 0 ? h + 2 : h - 1;
}

// The first half-edge from one vertex to another; RBL_NONE: none.
static uint32_t find_half_edge(const uint32_t* v, uint32_t count, uint32_t from, uint32_t to)
{
    uint32_t h = 0;
    while (h < count && (v[h] != from || v[next_of(h)] != to))
    {
        ++h;
    }
    return h < count ? h : RBL_NONE;
}

// Twins by comparison of all pairs.
static void find_twins_brute_force(rblCrackClipper* clipper)
{
    const uint32_t count = (uint32_t)clipper->triangles.count;
    const uint32_t* v = clipper->triangles.data;
    for (uint32_t h = 0; h < count; ++h)
    {
        const uint32_t from = v[h], to = v[next_of(h)];
        const bool own = find_half_edge(v, count, from, to) == h;
        clipper->twins.data[h] = own ? find_half_edge(v, count, to, from) : RBL_NONE;
        clipper->repeats = clipper->repeats || !own;
    }
}

// The twin of each half-edge: the opposite half-edge between the same vertices. RBL_NONE on the border, and if a
// half-edge occurs twice.
static bool find_twins(rblCrackClipper* clipper)
{
    const uint32_t count = (uint32_t)clipper->triangles.count;
    const uint32_t* v = clipper->triangles.data;
    clipper->repeats = false;
    if (!rbl_array_resize(&clipper->twins, count))
    {
        return false;
    }
    if (count <= MAX_BRUTE_FORCE)
    {
        find_twins_brute_force(clipper);
        return true;
    }
    rblHashMap edges;
    rbl_hash_map_init(&edges, clipper->triangles.allocator);
    bool stored = rbl_hash_map_reserve(&edges, count);
    for (uint32_t h = 0; h < count && stored; ++h)
    {
        bool added;
        clipper->twins.data[h] = RBL_NONE;
        stored = rbl_hash_map_get_or_add(&edges, (uint64_t)v[h] << 32 | v[next_of(h)], h, &added) != NULL;
    }
    for (uint32_t h = 0; h < count && stored; ++h)
    {
        const uint32_t own = rbl_hash_map_find(&edges, (uint64_t)v[h] << 32 | v[next_of(h)]);
        const uint32_t twin = rbl_hash_map_find(&edges, (uint64_t)v[next_of(h)] << 32 | v[h]);
        clipper->twins.data[h] = own == h ? twin : RBL_NONE;
        clipper->repeats = clipper->repeats || own != h;
    }
    rbl_hash_map_free(&edges);
    return stored;
}

// Cotangent of the angle at c in the triangle a, b, c.
static double cotangent(rblVec3d a, rblVec3d b, rblVec3d c)
{
    const rblVec3d ca = rbl_sub3d(a, c), cb = rbl_sub3d(b, c);
    return rbl_dot3d(ca, cb) / rbl_length3d(rbl_cross3d(ca, cb));
}

// Whether the cotangent is positive; needs no square root.
static bool is_acute(rblVec3d a, rblVec3d b, rblVec3d c)
{
    return rbl_dot3d(rbl_sub3d(a, c), rbl_sub3d(b, c)) >= 0.0;
}

// Whether the other diagonal of the two triangles at a half-edge is better and inside both.
static bool wants_flip(const rblCrackClipper* clipper, const Flat* flat, uint32_t h)
{
    const uint32_t g = clipper->twins.data[h];
    const uint32_t* v = clipper->triangles.data;
    if (g == RBL_NONE || g < h)
    {
        return false;
    }
    const uint32_t names[4] = {v[h], v[next_of(h)], v[previous_of(h)], v[previous_of(g)]};
    rblVec3d p[4];
    double q[4][2];
    for (uint32_t k = 0; k < 4; ++k)
    {
        p[k] = place_of(flat, names[k]);
    }
    if (is_acute(p[0], p[1], p[2]) && is_acute(p[0], p[1], p[3]))
    {
        return false;
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        flatten(flat, names[k], q[k]);
    }
    return names[2] != names[3] && cotangent(p[0], p[1], p[2]) + cotangent(p[0], p[1], p[3]) < -1e-9 &&
           rbl_orient2d(q[0], q[3], q[2]) > 0.0 && rbl_orient2d(q[3], q[1], q[2]) > 0.0;
}

static void link(rblCrackClipper* clipper, uint32_t h, uint32_t g)
{
    clipper->twins.data[h] = g;
    if (g != RBL_NONE)
    {
        clipper->twins.data[g] = h;
    }
}

// (a, b, c), (b, a, d) become (a, d, c), (d, b, c).
static void flip(rblCrackClipper* clipper, uint32_t h)
{
    uint32_t* v = clipper->triangles.data;
    const uint32_t* twins = clipper->twins.data;
    const uint32_t g = twins[h];
    const uint32_t first = h - h % 3, second = g - g % 3;
    const uint32_t a = v[h], b = v[g], c = v[previous_of(h)], d = v[previous_of(g)];
    const uint32_t bc = twins[next_of(h)], ca = twins[previous_of(h)];
    const uint32_t ad = twins[next_of(g)], db = twins[previous_of(g)];
    v[first] = a;
    v[first + 1] = v[second] = d;
    v[first + 2] = v[second + 2] = c;
    v[second + 1] = b;
    link(clipper, first, ad);
    link(clipper, first + 1, second + 2);
    link(clipper, first + 2, ca);
    link(clipper, second, db);
    link(clipper, second + 1, bc);
}

// Whether all triangles are counter-clockwise. This can fail for loops that touch themselves or that intersect by
// rounding.
static bool is_clean(const rblCrackClipper* clipper, const Flat* flat)
{
    bool clean = true;
    for (size_t t = 0; t + 2 < clipper->triangles.count && clean; t += 3)
    {
        double q[3][2];
        for (uint32_t k = 0; k < 3; ++k)
        {
            flatten(flat, clipper->triangles.data[t + k], q[k]);
        }
        clean = rbl_orient2d(q[0], q[1], q[2]) > 0.0;
    }
    return clean;
}

// Whether the two vertices opposite to a half-edge have an edge already: a flip would create a second one.
static bool is_joined(const rblCrackClipper* clipper, uint32_t h)
{
    const uint32_t* v = clipper->triangles.data;
    const uint32_t c = v[previous_of(h)], d = v[previous_of(clipper->twins.data[h])];
    bool joined = false;
    for (uint32_t g = 0; g < clipper->triangles.count && !joined; ++g)
    {
        const uint32_t a = v[g], b = v[next_of(g)];
        joined = (a == c && b == d) || (a == d && b == c);
    }
    return joined;
}

static bool flip_edges(rblCrackClipper* clipper, const Flat* flat)
{
    if (!find_twins(clipper))
    {
        return false;
    }
    const bool clean = is_clean(clipper, flat);
    bool flipped = true;
    for (uint32_t sweep = 0; sweep < MAX_SWEEPS && flipped; ++sweep)
    {
        flipped = false;
        for (uint32_t h = 0; h < clipper->triangles.count; ++h)
        {
            if (wants_flip(clipper, flat, h) && (clean || !is_joined(clipper, h)))
            {
                flip(clipper, h);
                flipped = true;
            }
        }
    }
    return true;
}

// ---- points inside ----

// Whether the centre of a triangle is far enough from its corners and from the border of the face.
static bool is_far_enough(const rblCrackClipper* clipper, uint32_t first, const rblVec3d p[3],
                          rblVec3d middle, double spacing)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        const rblVec3d along = rbl_sub3d(p[(k + 1) % 3], p[k]);
        const rblVec3d arm = rbl_sub3d(middle, p[k]);
        const double height = rbl_length3d(rbl_cross3d(along, arm)) / rbl_length3d(along);
        if (!(rbl_length3d(arm) > CORNER_DISTANCE * spacing) ||
            (clipper->twins.data[first + k] == RBL_NONE && !(height > BORDER_DISTANCE * spacing)))
        {
            return false;
        }
    }
    return true;
}

// (a, b, c) becomes (a, b, m), (b, c, m), (c, a, m).
static bool split_triangle(rblCrackClipper* clipper, uint32_t first, rblVec3d middle)
{
    const uint32_t name = clipper->first_inner + (uint32_t)clipper->inner.count;
    const uint32_t a = clipper->triangles.data[first];
    const uint32_t b = clipper->triangles.data[first + 1];
    const uint32_t c = clipper->triangles.data[first + 2];
    clipper->triangles.data[first + 2] = name;
    const uint32_t more[6] = {b, c, name, c, a, name};
    bool stored = rbl_array_push(&clipper->inner, middle);
    for (uint32_t k = 0; k < 6; ++k)
    {
        stored = stored && rbl_array_push(&clipper->triangles, more[k]);
    }
    return stored;
}

bool rbl_crack_refine(rblCrackClipper* clipper, const rblPieces* pieces, const rblMeshView* surface,
                      double spacing)
{
    const Flat flat = {pieces, surface, clipper};
    bool stored = true;
    bool added = true;
    for (uint32_t pass = 0; pass < MAX_PASSES && added && stored; ++pass)
    {
        const uint32_t count = (uint32_t)clipper->triangles.count;
        added = false;
        for (uint32_t first = 0; first < count && stored; first += 3)
        {
            rblVec3d p[3];
            for (uint32_t k = 0; k < 3; ++k)
            {
                p[k] = place_of(&flat, clipper->triangles.data[first + k]);
            }
            const rblVec3d middle = rbl_scale3d(rbl_add3d(p[0], rbl_add3d(p[1], p[2])), 1.0 / 3.0);
            if (is_far_enough(clipper, first, p, middle, spacing))
            {
                stored = split_triangle(clipper, first, middle);
                added = true;
            }
        }
        stored = stored && (!added || flip_edges(clipper, &flat));
    }
    return stored;
}

// ---- the whole face ----

static void choose_axis(rblCrackClipper* clipper, rblVec3d normal)
{
    const rblVec3d n = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    clipper->axis = n.x >= n.y && n.x >= n.z ? 0 : (n.y >= n.z ? 1 : 2);
    const double along = clipper->axis == 0 ? normal.x : (clipper->axis == 1 ? normal.y : normal.z);
    clipper->flipped = along < 0.0;
}

bool rbl_crack_triangulate(rblCrackClipper* clipper, const rblPieces* pieces, const rblMeshView* surface,
                           const rblPieceFace* face, rblVec3d normal)
{
    const Flat flat = {pieces, surface, clipper};
    choose_axis(clipper, normal);
    rbl_array_clear(&clipper->ring);
    rbl_array_clear(&clipper->triangles);
    rbl_array_clear(&clipper->inner);
    clipper->first_inner = pieces->surface_vertex_count + pieces->vertex_count;
    bool stored = true;
    for (uint32_t c = pieces->loop_starts[face->first_loop]; c < pieces->loop_starts[face->first_loop + 1];
         ++c)
    {
        stored = stored && rbl_array_push(&clipper->ring, pieces->corners[c]);
    }
    stored = stored && order_holes(clipper, &flat, face);
    for (size_t h = 0; h < clipper->holes.count && stored; ++h)
    {
        stored = join_hole(clipper, &flat, face, clipper->holes.data[h]);
    }
    const uint32_t count = (uint32_t)clipper->ring.count;
    if (!stored || count < 3 || !rbl_ear_clipper_reserve(&clipper->ears, count))
    {
        return stored && count < 3;
    }
    for (uint32_t n = 0; n < count; ++n)
    {
        flatten(&flat, clipper->ring.data[n], clipper->ears.points[n]);
    }
    if (!rbl_ear_clip(&clipper->ears, count, 0, &clipper->triangles))
    {
        return false;
    }
    for (size_t n = 0; n < clipper->triangles.count; ++n)
    {
        clipper->triangles.data[n] = clipper->ring.data[clipper->triangles.data[n]];
    }
    return flip_edges(clipper, &flat);
}
