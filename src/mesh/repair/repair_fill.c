#include "mesh/repair/repair_fill.h"

#include "base/error.h"
#include "math/vec.h"
#include "mesh/ear_clipping.h"
#include "rubble/mesh.h"
#include <string.h>

// Triangles with a height below this fraction of their longest edge count as without area: a few thousand times the
// rounding error of double.
#define FLATTEST 1e-12

// Maximum number of sweeps of edge flips over a large hole. Every flip shortens an edge; the first few sweeps do most
// of the work.
#define MAX_SWEEPS 16

static bool edge_exists(const rblHole* hole, uint32_t i, uint32_t k)
{
    return rbl_hash_map_find(hole->edges, rbl_pair_key(hole->vertices[i], hole->vertices[k])) !=
           RBL_MAP_EMPTY;
}

// Unit normal of a triangle of the loop; false when it has no area.
static bool unit_normal(const rblHole* hole, uint32_t i, uint32_t m, uint32_t k, rblVec3d* out)
{
    const rblVec3d u = rbl_sub3d(hole->points[m], hole->points[i]);
    const rblVec3d v = rbl_sub3d(hole->points[k], hole->points[i]);
    const rblVec3d normal = rbl_cross3d(u, v);
    const double longest2 = rbl_maxd(rbl_dot3d(u, u), rbl_dot3d(v, v));
    const double length = rbl_length3d(normal);
    *out = rbl_scale3d(normal, 1 / length);
    return length > FLATTEST * longest2 && rbl_finite3d(*out);
}

static double distance2(const rblHole* hole, uint32_t i, uint32_t k)
{
    const rblVec3d d = rbl_sub3d(hole->points[k], hole->points[i]);
    return rbl_dot3d(d, d);
}

// ---- dynamic programming ----

// The best triangulation between the chord (i, k) and the part of the loop from i to k.
typedef struct Span
{
    double worst;    // largest 1 - cos of the angle between the normals of neighbours
    double squares;  // sum of the squared edge lengths of the triangles
    rblVec3d normal; // of the triangle at the chord, or of the surface across an edge of the loop
    // The third corner of that triangle; RBL_NONE for an edge of the loop, or when no triangulation exists.
    uint32_t middle;
} Span;

typedef struct Table
{
    const rblHole* hole;
    Span* spans; // (i, k) at i * count + k
} Table;

static Span* span_at(const Table* table, uint32_t i, uint32_t k)
{
    return &table->spans[(size_t)i * table->hole->count + k];
}

// Angles are compared in steps of about 1e-6; with smaller steps rounding errors would decide instead of edge
// lengths.
static bool better(const Span* a, const Span* b)
{
    const double steps_a = floor(a->worst * 0x1p20);
    const double steps_b = floor(b->worst * 0x1p20);
    return steps_a < steps_b || (steps_a == steps_b && a->squares < b->squares);
}

static void fill_span(const Table* table, uint32_t i, uint32_t k)
{
    const rblHole* hole = table->hole;
    const bool closing = i == 0 && k == hole->count - 1;
    Span best = {(double)INFINITY, (double)INFINITY, {0, 0, 0}, RBL_NONE};
    for (uint32_t m = i + 1; m < k && (closing || !edge_exists(hole, i, k)); ++m)
    {
        const Span* left = span_at(table, i, m);
        const Span* right = span_at(table, m, k);
        Span span = {.middle = m};
        if (!rbl_finite(left->worst) || !rbl_finite(right->worst) ||
            !unit_normal(hole, i, m, k, &span.normal))
        {
            continue;
        }
        span.worst = rbl_maxd(left->worst, right->worst);
        span.worst = rbl_maxd(span.worst, 1 - rbl_dot3d(span.normal, left->normal));
        span.worst = rbl_maxd(span.worst, 1 - rbl_dot3d(span.normal, right->normal));
        if (closing)
        {
            span.worst = rbl_maxd(span.worst, 1 - rbl_dot3d(span.normal, hole->across[k]));
        }
        span.squares = left->squares + right->squares + distance2(hole, i, m) + distance2(hole, m, k) +
                       distance2(hole, i, k);
        best = better(&span, &best) ? span : best;
    }
    *span_at(table, i, k) = best;
}

static bool emit(rblIndexArray* triangles, uint32_t a, uint32_t b, uint32_t c)
{
    return rbl_array_push(triangles, a) && rbl_array_push(triangles, b) && rbl_array_push(triangles, c);
}

// Read the triangles from the table, starting with the whole loop.
static rblResult emit_spans(const Table* table, rblArena* scratch, rblIndexArray* triangles)
{
    const uint32_t count = table->hole->count;
    uint32_t(*stack)[2] = rbl_arena_alloc_array(scratch, sizeof *stack, count);
    if (stack == NULL)
    {
        return rbl_fail_memory();
    }
    uint32_t depth = 1;
    stack[0][0] = 0;
    stack[0][1] = count - 1;
    while (depth > 0)
    {
        depth -= 1;
        const uint32_t i = stack[depth][0];
        const uint32_t k = stack[depth][1];
        const uint32_t m = span_at(table, i, k)->middle;
        if (m == RBL_NONE)
        {
            continue;
        }
        if (!emit(triangles, i, m, k))
        {
            return rbl_fail_memory();
        }
        stack[depth][0] = m;
        stack[depth++][1] = k;
        stack[depth][0] = i;
        stack[depth++][1] = m;
    }
    return RBL_OK;
}

static rblResult fill_exactly(const rblHole* hole, rblArena* scratch, rblIndexArray* triangles, bool* found)
{
    const uint32_t count = hole->count;
    const Table table = {hole, RBL_ARENA_ARRAY(scratch, Span, (size_t)count * count)};
    if (table.spans == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i + 1 < count; ++i)
    {
        *span_at(&table, i, i + 1) = (Span){0, 0, hole->across[i], RBL_NONE};
    }
    for (uint32_t length = 2; length < count; ++length)
    {
        for (uint32_t i = 0; i + length < count; ++i)
        {
            fill_span(&table, i, i + length);
        }
    }
    *found = span_at(&table, 0, count - 1)->middle != RBL_NONE;
    return *found ? emit_spans(&table, scratch, triangles) : RBL_OK;
}

// ---- ear clipping and flips ----

// Triangle t has the corners corners[3t ..]. Its edge e runs from corner e to corner e + 1; neighbours[3t + e] is the
// edge on the other side (as 3 * triangle + edge), RBL_NONE on the rim.
typedef struct Web
{
    const rblHole* hole;
    uint32_t* corners;
    uint32_t* neighbours;
    uint32_t count;
    rblHashMap inner; // inner edges, by positions in the loop
} Web;

static uint32_t after(uint32_t edge, uint32_t steps)
{
    return edge / 3 * 3 + (edge + steps) % 3;
}

static void join(Web* web, uint32_t edge, uint32_t other)
{
    web->neighbours[edge] = other;
    if (other != RBL_NONE)
    {
        web->neighbours[other] = edge;
    }
}

static bool join_web(Web* web)
{
    for (uint32_t e = 0; e < 3 * web->count; ++e)
    {
        bool added;
        const uint64_t key = rbl_pair_key(web->corners[e], web->corners[after(e, 1)]);
        const uint32_t* first = rbl_hash_map_get_or_add(&web->inner, key, e, &added);
        if (first == NULL)
        {
            return false;
        }
        join(web, e, added ? RBL_NONE : *first);
    }
    return true;
}

// Whether the edge should be replaced by the other diagonal of its two triangles: always when the edge exists
// elsewhere on the surface, otherwise when the other diagonal is shorter and the normals of both new triangles agree
// with the old ones.
static bool wants_flip(const Web* web, uint32_t edge, bool forbidden)
{
    const uint32_t other = web->neighbours[edge];
    const uint32_t a = web->corners[edge];
    const uint32_t b = web->corners[after(edge, 1)];
    const uint32_t c = web->corners[after(edge, 2)];
    const uint32_t d = web->corners[after(other, 2)];
    rblVec3d old[2];
    rblVec3d new[2];
    if (edge_exists(web->hole, c, d) || rbl_hash_map_find(&web->inner, rbl_pair_key(c, d)) != RBL_MAP_EMPTY ||
        !unit_normal(web->hole, c, a, d, &new[0]) || !unit_normal(web->hole, c, d, b, &new[1]))
    {
        return false;
    }
    if (forbidden || !unit_normal(web->hole, a, b, c, &old[0]) || !unit_normal(web->hole, b, a, d, &old[1]))
    {
        return true;
    }
    const rblVec3d mean = rbl_add3d(old[0], old[1]);
    return distance2(web->hole, c, d) < distance2(web->hole, a, b) && rbl_dot3d(new[0], mean) > 0 &&
           rbl_dot3d(new[1], mean) > 0 && rbl_dot3d(new[0], new[1]) >= rbl_dot3d(old[0], old[1]) - 1e-9;
}

static bool flip(Web* web, uint32_t edge)
{
    const uint32_t other = web->neighbours[edge];
    const uint32_t a = web->corners[edge];
    const uint32_t b = web->corners[after(edge, 1)];
    const uint32_t c = web->corners[after(edge, 2)];
    const uint32_t d = web->corners[after(other, 2)];
    const uint32_t rim[4] = {web->neighbours[after(edge, 2)], web->neighbours[after(other, 1)],
                             web->neighbours[after(other, 2)], web->neighbours[after(edge, 1)]};
    const uint32_t t = edge / 3 * 3;
    const uint32_t u = other / 3 * 3;
    memcpy(web->corners + t, (const uint32_t[3]){c, a, d}, 3 * sizeof(uint32_t));
    memcpy(web->corners + u, (const uint32_t[3]){c, d, b}, 3 * sizeof(uint32_t));
    join(web, t, rim[0]);
    join(web, t + 1, rim[1]);
    join(web, u + 1, rim[2]);
    join(web, u + 2, rim[3]);
    join(web, t + 2, u);
    bool added;
    return rbl_hash_map_get_or_add(&web->inner, rbl_pair_key(c, d), t, &added) != NULL;
}

// One sweep over all inner edges. Replaced edges stay in `inner`, so no edge is created twice, and the sweeps end.
static rblResult flip_sweep(Web* web, bool* changed)
{
    *changed = false;
    for (uint32_t e = 0; e < 3 * web->count; ++e)
    {
        const uint32_t other = web->neighbours[e];
        if (other == RBL_NONE || other < e)
        {
            continue;
        }
        if (wants_flip(web, e, edge_exists(web->hole, web->corners[e], web->corners[after(e, 1)])))
        {
            *changed = true;
            if (!flip(web, e))
            {
                return rbl_fail_memory();
            }
        }
    }
    return RBL_OK;
}

static bool is_sound(const Web* web)
{
    for (uint32_t e = 0; e < 3 * web->count; ++e)
    {
        const uint32_t a = web->corners[e];
        const uint32_t b = web->corners[after(e, 1)];
        rblVec3d normal;
        if ((web->neighbours[e] != RBL_NONE && edge_exists(web->hole, a, b)) ||
            !unit_normal(web->hole, a, b, web->corners[after(e, 2)], &normal))
        {
            return false;
        }
    }
    return true;
}

static rblResult improve(Web* web, bool* found)
{
    if (!join_web(web))
    {
        return rbl_fail_memory();
    }
    bool changed = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && changed; ++sweep)
    {
        RBL_TRY(flip_sweep(web, &changed));
    }
    *found = is_sound(web);
    return RBL_OK;
}

// The loop, projected along the coordinate axis closest to the normal of its mean plane, counter-clockwise.
static void project_loop(const rblHole* hole, double (*out)[2])
{
    rblVec3d normal = {0, 0, 0};
    for (uint32_t i = 1; i + 1 < hole->count; ++i)
    {
        normal = rbl_add3d(normal, rbl_cross3d(rbl_sub3d(hole->points[i], hole->points[0]),
                                               rbl_sub3d(hole->points[i + 1], hole->points[0])));
    }
    const rblVec3d size = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    const int drop = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2);
    const double way = drop == 0 ? normal.x : (drop == 1 ? normal.y : normal.z);
    for (uint32_t i = 0; i < hole->count; ++i)
    {
        const double p[3] = {hole->points[i].x, hole->points[i].y, hole->points[i].z};
        out[i][way < 0] = p[(drop + 1) % 3];
        out[i][way >= 0] = p[(drop + 2) % 3];
    }
}

static rblResult clip_ears(const rblHole* hole, const rblAllocator* allocator, rblIndexArray* triangles)
{
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, allocator);
    bool ok = rbl_ear_clipper_reserve(&clipper, hole->count);
    if (ok)
    {
        project_loop(hole, clipper.points);
        ok = rbl_ear_clip(&clipper, hole->count, 0, triangles);
    }
    rbl_ear_clipper_free(&clipper);
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult fill_by_clipping(const rblHole* hole, rblArena* scratch, rblIndexArray* triangles,
                                  bool* found)
{
    const size_t begin = triangles->count;
    RBL_TRY(clip_ears(hole, scratch->allocator, triangles));
    Web web = {.hole = hole,
               .corners = triangles->data + begin,
               .count = (uint32_t)((triangles->count - begin) / 3)};
    web.neighbours = RBL_ARENA_ARRAY(scratch, uint32_t, 3 * (size_t)web.count);
    if (web.neighbours == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_hash_map_init(&web.inner, scratch->allocator);
    const rblResult result = improve(&web, found);
    rbl_hash_map_free(&web.inner);
    triangles->count = *found ? triangles->count : begin;
    return result;
}

rblResult rbl_hole_triangulate(const rblHole* hole, rblArena* scratch, rblIndexArray* triangles, bool* found)
{
    *found = false;
    return hole->count <= RBL_LARGEST_EXACT_HOLE ? fill_exactly(hole, scratch, triangles, found)
                                                 : fill_by_clipping(hole, scratch, triangles, found);
}
