// Facets of the cracks of a fragment, and the distance and side of the points of its grid.
#include "base/bits.h"
#include "field/fragment/fragment_grid.h"
#include "math/vec.h"

// ---- tuning ----
#define ON_FACE 1e-5f // tolerance of barycentric coordinates: a point on a face is inside a tetrahedron

// ---- facets ----

static float height_of(const rblCutPlane* plane, rblVec3 p)
{
    return rbl_dot3(plane->normal, p) + plane->offset;
}

static rblVec3 crossing(rblVec3 a, rblVec3 b, float height_a, float height_b)
{
    return rbl_mul_add3(a, height_a / (height_a - height_b), rbl_sub3(b, a));
}

// The intersection of a plane with a tetrahedron: points on edges, in order around it. Returns their number: 0, 3 or 4.
static uint32_t slice(const rblCutPlane* plane, const rblVec3 corners[4], rblVec3 out[4])
{
    rblVec3 above[4], below[4];
    float high[4], low[4];
    uint32_t up = 0, down = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const float height = height_of(plane, corners[i]);
        if (height >= 0.0f)
        {
            above[up] = corners[i];
            high[up++] = height;
        }
        else
        {
            below[down] = corners[i];
            low[down++] = height;
        }
    }
    if (up == 2)
    {
        out[0] = crossing(above[0], below[0], high[0], low[0]);
        out[1] = crossing(above[0], below[1], high[0], low[1]);
        out[2] = crossing(above[1], below[1], high[1], low[1]);
        out[3] = crossing(above[1], below[0], high[1], low[0]);
        return 4;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < up; ++i)
    {
        for (uint32_t k = 0; k < down; ++k)
        {
            out[count++] = crossing(above[i], below[k], high[i], low[k]);
        }
    }
    return count;
}

// The part of a convex polygon above a plane. It has at most one corner more, except if the polygon is in the plane
// within rounding and corners are above and below at random.
static uint32_t clip(const rblCutPlane* plane, const rblVec3* corners, uint32_t count, rblVec3* out)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 a = corners[i], b = corners[i + 1 < count ? i + 1 : 0];
        const float height_a = height_of(plane, a), height_b = height_of(plane, b);
        if (height_a >= 0.0f && kept < RBL_FACET_CORNERS)
        {
            out[kept++] = a;
        }
        if ((height_a >= 0.0f) != (height_b >= 0.0f) && kept < RBL_FACET_CORNERS)
        {
            out[kept++] = crossing(a, b, height_a, height_b);
        }
    }
    return kept;
}

static void find_ball(rblCrackFacet* facet)
{
    rblVec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < facet->count; ++i)
    {
        sum = rbl_add3(sum, facet->corners[i]);
    }
    facet->center = rbl_scale3(sum, 1.0f / (float)facet->count);
    float square = 0.0f;
    for (uint32_t i = 0; i < facet->count; ++i)
    {
        const rblVec3 to_corner = rbl_sub3(facet->corners[i], facet->center);
        square = rbl_maxf(rbl_dot3(to_corner, to_corner), square);
    }
    facet->radius = sqrtf(square);
}

// The facets of a part: for each of its planes the area in the tetrahedron and above the other planes.
static bool list_facets(const rblCutPart* part, const rblVec3 corners[4], rblCrackFacets* out)
{
    bool ok = true;
    for (uint32_t i = 0; i < part->plane_count && ok; ++i)
    {
        rblCrackFacet facet = {.normal = part->planes[i].normal};
        facet.count = slice(&part->planes[i], corners, facet.corners);
        for (uint32_t k = 0; k < part->plane_count; ++k)
        {
            rblVec3 rest[RBL_FACET_CORNERS];
            if (k != i)
            {
                facet.count = clip(&part->planes[k], facet.corners, facet.count, rest);
                memcpy(facet.corners, rest, sizeof *rest * facet.count);
            }
        }
        if (facet.count >= 3)
        {
            find_ball(&facet);
            ok = rbl_array_push(out, facet);
        }
    }
    return ok;
}

static void positions_of(const rblBackground* b, uint32_t tet, rblVec3 out[4])
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        out[i] = b->nodes[b->view->nodes[4 * (size_t)tet + i]].position;
    }
}

// ---- distances ----

// The edges of a facet, with the index last: start, direction, length^2 and its inverse, and the direction out of the
// facet in its plane.
typedef struct Sides
{
    float from[3][RBL_FACET_CORNERS], along[3][RBL_FACET_CORNERS], out[3][RBL_FACET_CORNERS];
    float square[RBL_FACET_CORNERS], inverse[RBL_FACET_CORNERS];
    uint32_t count;
} Sides;

static void set_lane(float rows[3][RBL_FACET_CORNERS], uint32_t i, rblVec3 v)
{
    rows[0][i] = v.x;
    rows[1][i] = v.y;
    rows[2][i] = v.z;
}

// The corners may have either orientation. The first edge fills the block of four.
static void sides_of(const rblCrackFacet* facet, Sides* sides)
{
    sides->count = facet->count;
    for (uint32_t k = 0; k < ((facet->count + 3) & ~3u); ++k)
    {
        const uint32_t i = k < facet->count ? k : 0;
        const rblVec3 from = facet->corners[i];
        const rblVec3 along = rbl_sub3(facet->corners[i + 1 < facet->count ? i + 1 : 0], from);
        const rblVec3 out = rbl_cross3(along, facet->normal);
        const bool inwards = rbl_dot3(out, rbl_sub3(facet->center, from)) > 0.0f;
        set_lane(sides->from, k, from);
        set_lane(sides->along, k, along);
        set_lane(sides->out, k, inwards ? rbl_neg3(out) : out);
        sides->square[k] = rbl_dot3(along, along);
        sides->inverse[k] = 1.0f / rbl_maxf(sides->square[k], 1e-30f);
    }
}

static rblFloat4 dot4(const float rows[3][RBL_FACET_CORNERS], uint32_t i, rblFloat4 x, rblFloat4 y,
                      rblFloat4 z)
{
    return rbl_add4(rbl_mul4(rbl_splat4(rows[0][i]), x),
                    rbl_add4(rbl_mul4(rbl_splat4(rows[1][i]), y), rbl_mul4(rbl_splat4(rows[2][i]), z)));
}

static rblFloat4 linear4(float a, rblFloat4 x, float b)
{
    return rbl_add4(rbl_mul4(rbl_splat4(a), x), rbl_splat4(b));
}

// Up to four points that may be closer to a facet than to earlier ones.
typedef struct Candidates
{
    float x[4], y[4], z[4];
    float heights[4];  // above its plane, m
    float* squares[4]; // their smallest squared distances so far
    uint32_t count;
} Candidates;

// Squared distances: above the facet from its plane, else from the nearest edge,
//   |w|^2 - 2 t w.a + t^2 a^2   at   t = w.a / a^2, limited to 0 to 1.
static rblFloat4 squares_to(const Sides* sides, const Candidates* c)
{
    const rblFloat4 zero = rbl_splat4(0.0f), one = rbl_splat4(1.0f), height = rbl_load4(c->heights);
    rblFloat4 nearest = rbl_splat4(INFINITY);
    rblFloat4 beyond = rbl_splat4(-INFINITY);
    for (uint32_t i = 0; i < sides->count; ++i)
    {
        const rblFloat4 x = rbl_sub4(rbl_load4(c->x), rbl_splat4(sides->from[0][i]));
        const rblFloat4 y = rbl_sub4(rbl_load4(c->y), rbl_splat4(sides->from[1][i]));
        const rblFloat4 z = rbl_sub4(rbl_load4(c->z), rbl_splat4(sides->from[2][i]));
        const rblFloat4 dot = dot4(sides->along, i, x, y, z);
        const rblFloat4 t = rbl_min4(rbl_max4(rbl_mul4(dot, rbl_splat4(sides->inverse[i])), zero), one);
        const rblFloat4 less = rbl_sub4(rbl_mul4(t, rbl_splat4(sides->square[i])), rbl_add4(dot, dot));
        const rblFloat4 square = rbl_add4(rbl_mul4(x, x), rbl_add4(rbl_mul4(y, y), rbl_mul4(z, z)));
        nearest = rbl_min4(rbl_add4(square, rbl_mul4(t, less)), nearest);
        beyond = rbl_max4(dot4(sides->out, i, x, y, z), beyond);
    }
    return rbl_select4(rbl_less4(zero, beyond), rbl_max4(nearest, zero), rbl_mul4(height, height));
}

// Unused lanes repeat the first.
static void lower_candidates(const Sides* sides, Candidates* c)
{
    if (c->count == 0)
    {
        return;
    }
    for (uint32_t i = c->count; i < 4; ++i)
    {
        c->x[i] = c->x[0];
        c->y[i] = c->y[0];
        c->z[i] = c->z[0];
        c->heights[i] = c->heights[0];
    }
    float found[4];
    rbl_store4(found, squares_to(sides, c));
    for (uint32_t i = 0; i < c->count; ++i)
    {
        *c->squares[i] = rbl_minf(found[i], *c->squares[i]);
    }
    c->count = 0;
}

static rblFloat4 row_coordinates(const rblFragmentLattice* l, uint32_t i)
{
    const rblFloat4 coordinate = rbl_add4(rbl_splat4((float)(int32_t)i), rbl_set4(0.0f, 1.0f, 2.0f, 3.0f));
    return rbl_add4(rbl_splat4(l->origin.x), rbl_mul4(coordinate, rbl_splat4(l->cell)));
}

// Points first <= i < end of an axis that are between two coordinates.
typedef struct Span
{
    uint32_t first, end;
} Span;

// (Without ceilf() and floorf(), which are function calls here.)
static Span span_of(float from, float to, float origin, float inverse, uint32_t count)
{
    const float last = (float)(int32_t)count - 1.0f;
    const float low = rbl_clampf((from - origin) * inverse, 0.0f, last + 1.0f);
    const float high = rbl_clampf((to - origin) * inverse, -1.0f, last);
    const uint32_t integer = (uint32_t)(int32_t)low;
    const uint32_t first = integer + ((float)(int32_t)integer < low);
    const uint32_t end = high >= 0.0f ? (uint32_t)(int32_t)high + 1 : 0;
    return (Span){first, end};
}

// The part of a row that may be within reach: inside the enlarged box of the facet, and near its plane.
typedef struct Nearness
{
    rblVec3 low, high;
    float slope;      // 1 / normal.x; 0 if rows are parallel to the plane
    float wide, flat; // m, reach along a row that crosses the plane, and height above a row that does not
    float rounding;   // of squared distances, m^2
} Nearness;

static Nearness nearness_of(const rblCrackFacet* facet, float reach)
{
    rblVec3 low = facet->corners[0], high = low;
    for (uint32_t i = 1; i < facet->count; ++i)
    {
        low = rbl_min3(facet->corners[i], low);
        high = rbl_max3(facet->corners[i], high);
    }
    const rblVec3 around = {reach, reach, reach};
    const float ball = facet->radius + reach, across = facet->normal.x;
    const float slope = fabsf(across) > 0.05f ? 1.0f / across : 0.0f;
    return (Nearness){.low = rbl_sub3(low, around),
                      .high = rbl_add3(high, around),
                      .slope = slope,
                      .wide = reach * fabsf(slope),
                      .flat = reach + 0.05f * ball,
                      .rounding = 1e-5f * ball * ball};
}

// Interval of a row, from the height of the facet's plane at the point of the row next to its centre.
static bool near_in_row(const Nearness* near, float middle, float height, float* from, float* to)
{
    *from = near->low.x;
    *to = near->high.x;
    if (near->slope == 0.0f)
    {
        return fabsf(height) <= near->flat;
    }
    const float crossing = middle - height * near->slope;
    *from = rbl_maxf(crossing - near->wide, *from);
    *to = rbl_minf(crossing + near->wide, *to);
    return *from <= *to;
}

// Lanes of points whose smallest distance so far is not below that of the disc around the facet.
static uint32_t is_nearer(const rblCrackFacet* facet, rblFloat4 across, float aside, rblFloat4 height,
                          rblFloat4 limit)
{
    const rblFloat4 zero = rbl_splat4(0.0f), up = rbl_mul4(height, height);
    const rblFloat4 square = rbl_add4(rbl_mul4(across, across), rbl_splat4(aside));
    const rblFloat4 to_corner = rbl_sqrt4(rbl_max4(rbl_sub4(square, up), zero));
    const rblFloat4 beyond = rbl_max4(rbl_sub4(to_corner, rbl_splat4(facet->radius)), zero);
    return rbl_mask4(rbl_less4(rbl_add4(up, rbl_mul4(beyond, beyond)), limit));
}

static void lower_row(const rblFragmentLattice* l, const rblCrackFacet* facet, const Sides* sides,
                      const Nearness* near, uint32_t j, uint32_t k, Candidates* c)
{
    const float y = l->origin.y + (float)(int32_t)j * l->cell, z = l->origin.z + (float)(int32_t)k * l->cell;
    const float dy = y - facet->center.y, dz = z - facet->center.z;
    const rblVec3 n = facet->normal;
    const float height = n.y * dy + n.z * dz;
    float from, to;
    if (!near_in_row(near, facet->center.x, height, &from, &to))
    {
        return;
    }
    const Span span = span_of(from, to, l->origin.x, l->inverse, 4 * l->bricks[0] + 1);
    const float rest = height - n.x * facet->center.x;
    for (uint32_t i = span.first; i < span.end; i += 4)
    {
        float* squares = l->facets + rbl_lattice_index(l, i, j, k);
        const rblFloat4 x = row_coordinates(l, i), above = linear4(n.x, x, rest);
        uint32_t lanes = is_nearer(facet, rbl_sub4(x, rbl_splat4(facet->center.x)), dy * dy + dz * dz, above,
                                   rbl_add4(rbl_load4(squares), rbl_splat4(near->rounding)));
        float coordinates[4], heights[4];
        rbl_store4(coordinates, x);
        rbl_store4(heights, above);
        for (; lanes != 0; lanes &= lanes - 1)
        {
            const uint32_t lane = rbl_lowest_bit(lanes);
            c->x[c->count] = coordinates[lane];
            c->y[c->count] = y;
            c->z[c->count] = z;
            c->heights[c->count] = heights[lane];
            c->squares[c->count++] = squares + lane;
            if (c->count == 4)
            {
                lower_candidates(sides, c);
            }
        }
    }
}

void rbl_lattice_add_facet(const rblFragmentLattice* l, const rblCrackFacet* facet)
{
    Sides sides;
    sides_of(facet, &sides);
    const Nearness near = nearness_of(facet, l->reach);
    const Span deep = span_of(near.low.z, near.high.z, l->origin.z, l->inverse, 4 * l->bricks[2] + 1);
    const Span rows = span_of(near.low.y, near.high.y, l->origin.y, l->inverse, 4 * l->bricks[1] + 1);
    Candidates candidates;
    candidates.count = 0;
    for (uint32_t k = deep.first; k < deep.end; ++k)
    {
        for (uint32_t j = rows.first; j < rows.end; ++j)
        {
            lower_row(l, facet, &sides, &near, j, k, &candidates);
        }
    }
    lower_candidates(&sides, &candidates);
}

// ---- inside ----

// Functions that are linear in the position and not negative inside, at points (x, y, z) of a row: slope x + rest.
typedef struct RowFunctions
{
    float slopes[8], constants[8];
    uint32_t count;
} RowFunctions;

static void mark_row(const rblFragmentLattice* l, const RowFunctions* f, Span span, uint8_t* marks)
{
    for (uint32_t i = span.first; i < span.end; i += 4)
    {
        const rblFloat4 x = row_coordinates(l, i);
        rblFloat4 least = linear4(f->slopes[0], x, f->constants[0]);
        for (uint32_t k = 1; k < f->count; ++k)
        {
            least = rbl_min4(linear4(f->slopes[k], x, f->constants[k]), least);
        }
        uint32_t lanes = rbl_mask4(rbl_less_equal4(rbl_splat4(0.0f), least));
        lanes &= span.end - i < 4 ? (1u << (span.end - i)) - 1 : 15u;
        for (; lanes != 0; lanes &= lanes - 1)
        {
            marks[i + rbl_lowest_bit(lanes)] = 1;
        }
    }
}

// The functions of a row: barycentric coordinates, and heights above the planes of a part.
static void functions_in_row(const rblBackgroundTet* f, const rblCutPart* part, float y, float z,
                             RowFunctions* out)
{
    const rblFloat4 constants =
        rbl_add4(rbl_add4(rbl_mul4(rbl_load4(f->y), rbl_splat4(y)), rbl_mul4(rbl_load4(f->z), rbl_splat4(z))),
                 rbl_add4(rbl_load4(f->o), rbl_splat4(ON_FACE)));
    rbl_store4(out->constants, constants);
    for (uint32_t i = 4; i < out->count; ++i)
    {
        const rblCutPlane* plane = &part->planes[i - 4];
        out->constants[i] = plane->normal.y * y + plane->normal.z * z + plane->offset;
    }
}

static void mark_tet(const rblFragmentLattice* l, const rblBackgroundTet* f, const rblVec3 corners[4],
                     const rblCutPart* part)
{
    const rblVec3 low = rbl_min3(rbl_min3(corners[0], corners[1]), rbl_min3(corners[2], corners[3]));
    const rblVec3 high = rbl_max3(rbl_max3(corners[0], corners[1]), rbl_max3(corners[2], corners[3]));
    const Span columns = span_of(low.x, high.x, l->origin.x, l->inverse, 4 * l->bricks[0] + 1);
    const Span rows = span_of(low.y, high.y, l->origin.y, l->inverse, 4 * l->bricks[1] + 1);
    const Span layers = span_of(low.z, high.z, l->origin.z, l->inverse, 4 * l->bricks[2] + 1);
    RowFunctions functions = {.count = 4 + (part != NULL ? part->plane_count : 0)};
    memcpy(functions.slopes, f->x, sizeof f->x);
    for (uint32_t i = 4; i < functions.count; ++i)
    {
        functions.slopes[i] = part->planes[i - 4].normal.x;
    }
    for (uint32_t k = layers.first; k < layers.end && columns.first < columns.end; ++k)
    {
        const float z = l->origin.z + (float)(int32_t)k * l->cell;
        for (uint32_t j = rows.first; j < rows.end; ++j)
        {
            functions_in_row(f, part, l->origin.y + (float)(int32_t)j * l->cell, z, &functions);
            mark_row(l, &functions, columns, l->inside + rbl_lattice_index(l, 0, j, k));
        }
    }
}

static bool mark_part(const rblFragmentLattice* l, const rblFragmentEvent* e, uint32_t local,
                      const rblCutPart* part, rblCrackFacets* out)
{
    rblVec3 corners[4];
    positions_of(e->background, e->tets[local], corners);
    mark_tet(l, &e->background->functions[e->tets[local]], corners, part);
    return part == NULL || list_facets(part, corners, out);
}

// Cut tetrahedra are those with crack pieces of the label; a tetrahedron may have several.
static bool mark_cut(const rblFragmentLattice* l, const rblFragmentEvent* e, uint32_t label, uint32_t* seen,
                     rblCrackFacets* out)
{
    bool ok = true;
    for (uint32_t i = label > 0 ? e->label_ends[label - 1] : 0; i < e->label_ends[label] && ok; ++i)
    {
        const uint32_t local = rbl_rank_find(e->tet_ranks, e->piece_tets[e->by_label[i].piece]);
        const uint32_t bit = 1u << local % 32;
        if (local == RBL_NONE || (seen[local / 32] & bit) != 0 || (e->states[local] & RBL_CUT) == 0)
        {
            continue;
        }
        seen[local / 32] |= bit;
        const rblCutPart* part = rbl_fragment_part(e, e->states[local] & ~RBL_CUT, label);
        ok = part == NULL || mark_part(l, e, local, part, out);
    }
    return ok;
}

bool rbl_lattice_mark_inside(const rblFragmentLattice* l, const rblFragmentEvent* e, uint32_t label,
                             const rblAllocator* allocator, rblCrackFacets* out)
{
    const size_t words = e->tet_count / 32 + 1;
    uint32_t* seen = rbl_alloc_zero(allocator, words * sizeof *seen);
    bool ok = seen != NULL && mark_cut(l, e, label, seen, out);
    for (uint32_t i = 0; i < e->tet_count && ok; ++i)
    {
        ok = e->states[i] != label || mark_part(l, e, i, NULL, out);
    }
    RBL_FREE_ARRAY(allocator, seen, words);
    return ok;
}
