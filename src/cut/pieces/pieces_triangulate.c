// Triangulation of crack faces. Holes are joined to the outer loop by bridges, the hole that extends farthest right
// first (Eberly 2002, "Triangulation by Ear Clipping"). A ray from the rightmost corner of the hole to the right meets
// a side of the ring; the end of this side, or a corner in between, is visible. The ring is then one polygon that
// touches itself along the bridges, and ears are clipped. At last, edges are flipped (pieces_flips.c).
#include "cut/pieces/pieces_triangulate.h"

#include "cut/pieces/pieces_flat.h"
#include "math/predicates.h"

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

// The rightmost corner of a loop, the first of equals.
static uint32_t rightmost(const rblFlatFace* flat, uint32_t loop)
{
    const rblPieces* pieces = flat->pieces;
    uint32_t best = pieces->loop_starts[loop];
    double rightmost_point[2];
    rbl_flat_point(flat, pieces->corners[best], rightmost_point);
    for (uint32_t c = best + 1; c < pieces->loop_starts[loop + 1]; ++c)
    {
        double at[2];
        rbl_flat_point(flat, pieces->corners[c], at);
        if (at[0] > rightmost_point[0])
        {
            best = c;
            rightmost_point[0] = at[0];
        }
    }
    return best;
}

// Holes in the order in which they are joined.
static bool order_holes(rblCrackClipper* clipper, const rblFlatFace* flat, const rblPieceFace* face)
{
    rbl_array_clear(&clipper->holes);
    for (uint32_t loop = face->first_loop + 1; loop < face->end_loop; ++loop)
    {
        if (!rbl_array_push(&clipper->holes, loop))
        {
            return false;
        }
        double rightmost_point[2], other[2];
        rbl_flat_point(flat, flat->pieces->corners[rightmost(flat, loop)], rightmost_point);
        for (size_t n = clipper->holes.count - 1; n > 0; --n)
        {
            rbl_flat_point(flat, flat->pieces->corners[rightmost(flat, clipper->holes.data[n - 1])], other);
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
static uint32_t first_side(const rblCrackClipper* clipper, const rblFlatFace* flat, const double at[2],
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
        rbl_flat_point(flat, clipper->ring.data[n], a);
        rbl_flat_point(flat, clipper->ring.data[next], b);
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
static uint32_t find_bridge(const rblCrackClipper* clipper, const rblFlatFace* flat, const double at[2])
{
    double hit[2], end[2], best_slope = (double)INFINITY;
    const uint32_t side = first_side(clipper, flat, at, hit);
    if (side == RBL_NONE)
    {
        return 0;
    }
    rbl_flat_point(flat, clipper->ring.data[side], end);
    uint32_t best = side;
    double best_x = (double)INFINITY;
    for (uint32_t n = 0; n < clipper->ring.count; ++n)
    {
        double p[2];
        rbl_flat_point(flat, clipper->ring.data[n], p);
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

static bool is_open_towards(const rblCrackClipper* clipper, const rblFlatFace* flat, uint32_t place,
                            const double at[2])
{
    const uint32_t count = (uint32_t)clipper->ring.count;
    double before[2], corner[2], after[2];
    rbl_flat_point(flat, clipper->ring.data[place > 0 ? place - 1 : count - 1], before);
    rbl_flat_point(flat, clipper->ring.data[place], corner);
    rbl_flat_point(flat, clipper->ring.data[place + 1 < count ? place + 1 : 0], after);
    return is_in_sector(before, corner, after, at);
}

// The ring may visit a corner several times, since bridges end there. Find the visit whose inside contains the bridge.
static uint32_t find_visit(const rblCrackClipper* clipper, const rblFlatFace* flat, uint32_t place,
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
static bool meets_side(const rblFlatFace* flat, uint32_t p, uint32_t q, uint32_t from, uint32_t to)
{
    if (from == p || from == q || to == p || to == q)
    {
        return false;
    }
    double a[2], b[2], c[2], d[2];
    rbl_flat_point(flat, p, a);
    rbl_flat_point(flat, q, b);
    rbl_flat_point(flat, from, c);
    rbl_flat_point(flat, to, d);
    const double c_side = rbl_orient2d(a, b, c), d_side = rbl_orient2d(a, b, d);
    const double a_side = rbl_orient2d(c, d, a), b_side = rbl_orient2d(c, d, b);
    return !((c_side > 0.0 && d_side > 0.0) || (c_side < 0.0 && d_side < 0.0) ||
             (a_side > 0.0 && b_side > 0.0) || (a_side < 0.0 && b_side < 0.0));
}

// Exact test whether a bridge from a corner of a hole to a corner of the ring is inside the face and meets no side.
static bool is_open(const rblCrackClipper* clipper, const rblFlatFace* flat, const rblPieceFace* face,
                    uint32_t loop, uint32_t corner, uint32_t place)
{
    const rblPieces* pieces = flat->pieces;
    const uint32_t* v = pieces->corners;
    const uint32_t begin = pieces->loop_starts[loop], end = pieces->loop_starts[loop + 1];
    const uint32_t p = v[corner], q = clipper->ring.data[place];
    double at[2], ring_corner[2], before[2], after[2];
    rbl_flat_point(flat, p, at);
    rbl_flat_point(flat, q, ring_corner);
    rbl_flat_point(flat, v[corner > begin ? corner - 1 : end - 1], before);
    rbl_flat_point(flat, v[corner + 1 < end ? corner + 1 : begin], after);
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
static void find_shortest(const rblCrackClipper* clipper, const rblFlatFace* flat, const rblPieceFace* face,
                          uint32_t loop, uint32_t* corner, uint32_t* bridge)
{
    const rblPieces* pieces = flat->pieces;
    double shortest = (double)INFINITY;
    for (uint32_t c = pieces->loop_starts[loop]; c < pieces->loop_starts[loop + 1]; ++c)
    {
        double at[2];
        rbl_flat_point(flat, pieces->corners[c], at);
        for (uint32_t n = 0; n < clipper->ring.count; ++n)
        {
            double ring_corner[2];
            rbl_flat_point(flat, clipper->ring.data[n], ring_corner);
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
static bool join_hole(rblCrackClipper* clipper, const rblFlatFace* flat, const rblPieceFace* face,
                      uint32_t loop)
{
    const rblPieces* pieces = flat->pieces;
    const uint32_t begin = pieces->loop_starts[loop], end = pieces->loop_starts[loop + 1];
    uint32_t corner = rightmost(flat, loop);
    double at[2];
    rbl_flat_point(flat, pieces->corners[corner], at);
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
    const rblFlatFace flat = {pieces, surface, clipper};
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
        rbl_flat_point(&flat, clipper->ring.data[n], clipper->ears.points[n]);
    }
    if (!rbl_ear_clip(&clipper->ears, count, 0, &clipper->triangles))
    {
        return false;
    }
    for (size_t n = 0; n < clipper->triangles.count; ++n)
    {
        clipper->triangles.data[n] = clipper->ring.data[clipper->triangles.data[n]];
    }
    return rbl_crack_flip_edges(clipper, &flat);
}
