// Edges of triangulated crack faces are flipped until the triangulation is Delaunay (Lawson 1977): without flips, slivers
// between nearly collinear corners would have arbitrary normals from rounding, and would cut neighbouring faces. Where
// bumps are drawn, points are added inside the face, and edges are flipped again.
#include "cut/pieces/pieces_flat.h"

#include "base/hash_map.h"
#include "math/predicates.h"

// ---- tuning ----
#define MAX_SWEEPS 32 // sweeps of edge flips
#define MAX_PASSES 24 // passes that add points inside a face
// Corners of triangles; up to this number twins are found by comparison of all pairs.
#define MAX_BRUTE_FORCE 36u
#define CORNER_DISTANCE 0.6 // distance of a new point from corners, relative to the spacing, at least
#define BORDER_DISTANCE 0.3 // distance of a new point from the border, relative to the spacing, at least

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
static bool wants_flip(const rblCrackClipper* clipper, const rblFlatFace* flat, uint32_t h)
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
        p[k] = rbl_flat_place(flat, names[k]);
    }
    if (is_acute(p[0], p[1], p[2]) && is_acute(p[0], p[1], p[3]))
    {
        return false;
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        rbl_flat_point(flat, names[k], q[k]);
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
static bool is_clean(const rblCrackClipper* clipper, const rblFlatFace* flat)
{
    bool clean = true;
    for (size_t t = 0; t + 2 < clipper->triangles.count && clean; t += 3)
    {
        double q[3][2];
        for (uint32_t k = 0; k < 3; ++k)
        {
            rbl_flat_point(flat, clipper->triangles.data[t + k], q[k]);
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

bool rbl_crack_flip_edges(rblCrackClipper* clipper, const rblFlatFace* flat)
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
    const rblFlatFace flat = {pieces, surface, clipper};
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
                p[k] = rbl_flat_place(&flat, clipper->triangles.data[first + k]);
            }
            const rblVec3d middle = rbl_scale3d(rbl_add3d(p[0], rbl_add3d(p[1], p[2])), 1.0 / 3.0);
            if (is_far_enough(clipper, first, p, middle, spacing))
            {
                stored = split_triangle(clipper, first, middle);
                added = true;
            }
        }
        stored = stored && (!added || rbl_crack_flip_edges(clipper, &flat));
    }
    return stored;
}
