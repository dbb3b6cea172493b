// Quickhull (Barber, Dobkin, Huhdanpaa 1996) with exact decisions.
//
// A point strictly outside a facet is added. It replaces every facet that it is not strictly behind: the facets that
// would be visible from a point an infinitesimal farther outside. They form a disc whose border has no edge collinear
// with the point. So no facet is degenerate, and vertices inside an edge or a face are removed automatically.
#include "field/convex/hull.h"

#include "base/error.h"
#include "math/predicates.h"
#include "math/vec.h"

typedef struct Facet
{
    uint32_t vertices[3];
    uint32_t neighbours[3]; // across the edge from vertex i to vertex i + 1
    rblVec3d normal;        // about unit length; `normal` and `offset` only decide the order of points
    double offset;          // of the plane along the normal
    uint32_t points;        // first point of the list of points strictly outside
    uint32_t farthest;      // the farthest of them, and its height; only for selections
    double height;
    uint32_t mark; // the last point that was tested against this facet
    bool removed;
} Facet;

typedef struct RimEdge
{
    // From the neighbour that stays: counter-clockwise around the hole.
    uint32_t tail, head;
    uint32_t outer; // the neighbour that stays
} RimEdge;

typedef struct Quickhull
{
    const rblVec3* points;
    uint32_t count;
    bool choosing; // selection: each point is in the list of the facet that it is highest above
    // Selection: points that are not higher than this are in no list, since they are close enough.
    double lowest;
    uint32_t* next;     // per point: the next point of its facet's list
    uint32_t* starting; // per point: the new facet whose border edge starts there
    RBL_ARRAY(Facet) facets;
    rblIndexArray stack;   // facets to visit
    rblIndexArray removed; // facets of the current hole
    RBL_ARRAY(RimEdge) rim;
    const rblAllocator* allocator;
} Quickhull;

static rblVec3d point_at(const Quickhull* q, uint32_t i)
{
    return rbl_to_double3(q->points[i]);
}

// > 0: strictly outside, 0: in the plane.
static double side_of(const Quickhull* q, const Facet* facet, uint32_t point)
{
    return -rbl_orient3d(point_at(q, facet->vertices[0]), point_at(q, facet->vertices[1]),
                         point_at(q, facet->vertices[2]), point_at(q, point));
}

static bool add_facet(Quickhull* q, uint32_t a, uint32_t b, uint32_t c)
{
    const rblVec3d pa = point_at(q, a);
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(point_at(q, b), pa), rbl_sub3d(point_at(q, c), pa));
    Facet facet = {.vertices = {a, b, c},
                   .neighbours = {RBL_NONE, RBL_NONE, RBL_NONE},
                   .normal = rbl_normalize3d(normal, (rblVec3d){0, 0, 0}),
                   .points = RBL_NONE,
                   .mark = RBL_NONE};
    facet.offset = rbl_dot3d(facet.normal, pa);
    return rbl_array_push(&q->facets, facet);
}

// Four points that are not coplanar: an extreme one, the farthest from it, the farthest from their line, the farthest
// from their plane.
static rblResult first_four(const Quickhull* q, uint32_t four[4])
{
    four[0] = 0;
    for (uint32_t i = 1; i < q->count; ++i)
    {
        const rblVec3 p = q->points[i];
        const rblVec3 best = q->points[four[0]];
        const bool before =
            p.x < best.x || (p.x == best.x && (p.y < best.y || (p.y == best.y && p.z < best.z)));
        four[0] = before ? i : four[0];
    }
    const rblVec3d a = point_at(q, four[0]);
    rblVec3d along = {0, 0, 0};
    double best[3] = {0, 0, 0};
    four[1] = four[2] = four[3] = four[0];
    for (uint32_t i = 0; i < q->count; ++i)
    {
        const rblVec3d d = rbl_sub3d(point_at(q, i), a);
        if (rbl_dot3d(d, d) > best[0])
        {
            best[0] = rbl_dot3d(d, d);
            along = d;
            four[1] = i;
        }
    }
    for (uint32_t i = 0; i < q->count; ++i)
    {
        const rblVec3d c = rbl_cross3d(along, rbl_sub3d(point_at(q, i), a));
        if (rbl_dot3d(c, c) > best[1])
        {
            best[1] = rbl_dot3d(c, c);
            four[2] = i;
        }
    }
    for (uint32_t i = 0; i < q->count; ++i)
    {
        const double volume = rbl_orient3d(a, point_at(q, four[1]), point_at(q, four[2]), point_at(q, i));
        if (fabs(volume) > fabs(best[2]))
        {
            best[2] = volume;
            four[3] = i;
        }
    }
    if (best[2] < 0.0) // the fourth must be behind the first three
    {
        const uint32_t swap = four[1];
        four[1] = four[2];
        four[2] = swap;
    }
    return best[2] != 0.0
               ? RBL_OK
               : rbl_fail(RBL_ERROR_GEOMETRY, "hull: all points lie in one plane, must enclose a volume");
}

static bool first_facets(Quickhull* q, const uint32_t f[4])
{
    static const uint32_t corners[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    static const uint32_t neighbours[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (!add_facet(q, f[corners[i][0]], f[corners[i][1]], f[corners[i][2]]))
        {
            return false;
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            q->facets.data[i].neighbours[k] = neighbours[i][k];
        }
    }
    return true;
}

// Put a point into the list of the first facet from `begin` on that it is strictly outside of. Points inside are
// dropped.
static void assign_point(Quickhull* q, uint32_t point, size_t begin)
{
    for (size_t i = begin; i < q->facets.count; ++i)
    {
        Facet* facet = &q->facets.data[i];
        if (side_of(q, facet, point) > 0.0)
        {
            q->next[point] = facet->points;
            facet->points = point;
            return;
        }
    }
}

static double height_over(const Quickhull* q, const Facet* facet, uint32_t point)
{
    return rbl_dot3d(facet->normal, point_at(q, point)) - facet->offset;
}

static void assign_to_facet(Quickhull* q, uint32_t point, Facet* facet)
{
    if (side_of(q, facet, point) > 0.0)
    {
        q->next[point] = facet->points;
        facet->points = point;
    }
}

// Put a point into the list of the facet from `begin` on that it is highest above; all these facets exist.
static void assign_highest(Quickhull* q, uint32_t point, size_t begin)
{
    size_t best = begin;
    double height = q->lowest;
    for (size_t i = begin; i < q->facets.count; ++i)
    {
        const double h = height_over(q, &q->facets.data[i], point);
        best = h > height ? i : best;
        height = rbl_maxd(h, height);
    }
    if (height > q->lowest)
    {
        assign_to_facet(q, point, &q->facets.data[best]);
    }
}

static uint32_t farthest_point(const Quickhull* q, const Facet* facet)
{
    const rblVec3d base = point_at(q, facet->vertices[0]);
    uint32_t best = facet->points;
    double height = -(double)INFINITY;
    for (uint32_t i = facet->points; i != RBL_NONE; i = q->next[i])
    {
        const double h = rbl_dot3d(facet->normal, rbl_sub3d(point_at(q, i), base));
        if (h > height)
        {
            height = h;
            best = i;
        }
    }
    return best;
}

// Find all facets that the point is not strictly behind, and the border of the hole.
static bool find_hole(Quickhull* q, uint32_t first, uint32_t point)
{
    rbl_array_clear(&q->removed);
    rbl_array_clear(&q->rim);
    rbl_array_clear(&q->stack);
    q->facets.data[first].mark = point;
    q->facets.data[first].removed = true;
    bool stored = rbl_array_push(&q->stack, first);
    while (stored && q->stack.count > 0)
    {
        const uint32_t f = q->stack.data[--q->stack.count];
        stored = rbl_array_push(&q->removed, f);
        for (uint32_t k = 0; k < 3 && stored; ++k)
        {
            const uint32_t other = q->facets.data[f].neighbours[k];
            Facet* neighbour = &q->facets.data[other];
            if (neighbour->mark != point)
            {
                neighbour->mark = point;
                neighbour->removed = side_of(q, neighbour, point) >= 0.0;
                stored = !neighbour->removed || rbl_array_push(&q->stack, other);
            }
            if (stored && !neighbour->removed)
            {
                const uint32_t* v = q->facets.data[f].vertices;
                stored = rbl_array_push(&q->rim, ((RimEdge){v[k], v[(k + 1) % 3], other}));
            }
        }
    }
    return stored;
}

static void replace_neighbour(Facet* facet, uint32_t tail, uint32_t neighbour)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (facet->vertices[k] == tail)
        {
            facet->neighbours[k] = neighbour;
        }
    }
}

static bool fill_hole(Quickhull* q, uint32_t point)
{
    const uint32_t first = (uint32_t)q->facets.count;
    for (size_t i = 0; i < q->rim.count; ++i)
    {
        const RimEdge edge = q->rim.data[i];
        if (!add_facet(q, edge.tail, edge.head, point))
        {
            return false;
        }
        q->facets.data[first + i].neighbours[0] = edge.outer;
        replace_neighbour(&q->facets.data[edge.outer], edge.head, first + (uint32_t)i);
        q->starting[edge.tail] = first + (uint32_t)i;
    }
    for (size_t i = 0; i < q->rim.count; ++i)
    {
        const uint32_t after = q->starting[q->rim.data[i].head];
        q->facets.data[first + i].neighbours[1] = after;
        q->facets.data[after].neighbours[2] = first + (uint32_t)i;
    }
    for (size_t i = 0; i < q->removed.count; ++i)
    {
        uint32_t p = q->facets.data[q->removed.data[i]].points;
        while (p != RBL_NONE)
        {
            const uint32_t following = q->next[p];
            if (p != point && q->choosing)
            {
                assign_highest(q, p, first);
            }
            else if (p != point)
            {
                assign_point(q, p, first);
            }
            p = following;
        }
    }
    return true;
}

static bool grow(Quickhull* q)
{
    for (uint32_t f = 0; f < q->facets.count; ++f)
    {
        // Facets are only marked as removed, never restored, so that one pass over the growing list visits all.
        if (q->facets.data[f].removed || q->facets.data[f].points == RBL_NONE)
        {
            continue;
        }
        const uint32_t point = farthest_point(q, &q->facets.data[f]);
        if (!find_hole(q, f, point) || !fill_hole(q, point))
        {
            return false;
        }
    }
    return true;
}

// ---- selection of points ----

static void measure_facets(Quickhull* q, size_t begin)
{
    for (size_t f = begin; f < q->facets.count; ++f)
    {
        Facet* facet = &q->facets.data[f];
        if (facet->points != RBL_NONE)
        {
            facet->farthest = farthest_point(q, facet);
            facet->height = rbl_dot3d(
                facet->normal, rbl_sub3d(point_at(q, facet->farthest), point_at(q, facet->vertices[0])));
        }
    }
}

static uint32_t facet_below_highest(const Quickhull* q, double tolerance)
{
    uint32_t best = RBL_NONE;
    for (uint32_t f = 0; f < q->facets.count; ++f)
    {
        const Facet* facet = &q->facets.data[f];
        if (!facet->removed && facet->points != RBL_NONE && facet->height > tolerance)
        {
            tolerance = facet->height;
            best = f;
        }
    }
    return best;
}

// The highest point is added, until no point is higher than the tolerance, or `most` vertices exist.
static bool grow_to(Quickhull* q, double tolerance, uint32_t most, uint32_t* vertices)
{
    measure_facets(q, 0);
    while (*vertices < most)
    {
        const uint32_t f = facet_below_highest(q, tolerance);
        if (f == RBL_NONE)
        {
            return true;
        }
        const size_t first = q->facets.count;
        const uint32_t point = q->facets.data[f].farthest;
        if (!find_hole(q, f, point) || !fill_hole(q, point))
        {
            return false;
        }
        measure_facets(q, first);
        *vertices += 1;
    }
    return true;
}

// Height of a point above the surface; negative inside.
static double height_of(const Quickhull* q, uint32_t point)
{
    double highest = -(double)INFINITY;
    for (size_t f = 0; f < q->facets.count; ++f)
    {
        const Facet* facet = &q->facets.data[f];
        highest = facet->removed ? highest : rbl_maxd(height_over(q, facet, point), highest);
    }
    return highest;
}

// Largest distance of a point from the surface, on either side.
static double max_distance(const Quickhull* q)
{
    double worst = 0.0;
    for (uint32_t i = 0; i < q->count; ++i)
    {
        worst = rbl_maxd(fabs(height_of(q, i)), worst);
    }
    return worst;
}

static bool lies_deeper(const Quickhull* q, uint32_t point, double depth)
{
    bool deeper = true;
    for (size_t f = 0; f < q->facets.count && deeper; ++f)
    {
        const Facet* facet = &q->facets.data[f];
        deeper = facet->removed || height_over(q, facet, point) < -depth;
    }
    return deeper;
}

static double enclosed_volume(const Quickhull* q)
{
    const rblVec3d origin = point_at(q, 0);
    double sum = 0.0;
    for (size_t f = 0; f < q->facets.count; ++f)
    {
        const Facet* facet = &q->facets.data[f];
        if (!facet->removed)
        {
            const rblVec3d a = rbl_sub3d(point_at(q, facet->vertices[0]), origin);
            const rblVec3d b = rbl_sub3d(point_at(q, facet->vertices[1]), origin);
            const rblVec3d c = rbl_sub3d(point_at(q, facet->vertices[2]), origin);
            sum += rbl_dot3d(a, rbl_cross3d(b, c));
        }
    }
    return sum / 6.0;
}

// The vertices in the order of the points.
static bool give_chosen(Quickhull* q, rblIndexArray* out)
{
    for (uint32_t i = 0; i < q->count; ++i)
    {
        q->next[i] = 0;
    }
    for (size_t f = 0; f < q->facets.count; ++f)
    {
        for (uint32_t k = 0; k < 3 && !q->facets.data[f].removed; ++k)
        {
            q->next[q->facets.data[f].vertices[k]] = 1;
        }
    }
    bool stored = true;
    for (uint32_t i = 0; i < q->count && stored; ++i)
    {
        stored = q->next[i] == 0 || rbl_array_push(out, i);
    }
    return stored;
}

// Put all points from `begin` on into the lists of the facets that they are highest above. If there are many facets,
// most of them are skipped.
static bool assign_rest(Quickhull* q, uint32_t begin)
{
    typedef struct Plane
    {
        rblVec3d normal;
        double offset;
        size_t facet;
    } Plane;
    Plane* planes = RBL_NEW_ARRAY(q->allocator, Plane, q->facets.count);
    uint32_t count = 0;
    for (size_t f = 0; f < q->facets.count && planes != NULL; ++f)
    {
        const Facet* facet = &q->facets.data[f];
        if (!facet->removed)
        {
            planes[count++] = (Plane){facet->normal, facet->offset, f};
        }
    }
    for (uint32_t i = begin; i < q->count && count > 0; ++i)
    {
        const rblVec3d point = point_at(q, i);
        const Plane* best = NULL;
        double height = q->lowest;
        for (uint32_t k = 0; k < count; ++k)
        {
            const double h = rbl_dot3d(planes[k].normal, point) - planes[k].offset;
            best = h > height ? &planes[k] : best;
            height = rbl_maxd(h, height);
        }
        if (best != NULL)
        {
            assign_to_facet(q, i, &q->facets.data[best->facet]);
        }
    }
    RBL_FREE_ARRAY(q->allocator, planes, q->facets.count);
    return planes != NULL;
}

// Depths of points and the volume only increase while the hull grows: a limit that is exceeded stays exceeded.
static bool exceeds_limits(const Quickhull* q, const rblHullChoosing* choosing, rblHullChoice* out)
{
    bool hopeless = enclosed_volume(q) > choosing->max_volume;
    for (uint32_t i = 0; i < q->count && !hopeless; ++i)
    {
        hopeless = lies_deeper(q, i, choosing->max_depth);
    }
    out->worst = hopeless ? (double)INFINITY : 0.0;
    return hopeless;
}

static rblResult choose(Quickhull* q, const rblHullChoosing* choosing, rblHullChoice* out)
{
    uint32_t four[4];
    uint32_t vertices = 4;
    RBL_TRY(first_four(q, four));
    bool stored = first_facets(q, four);
    for (uint32_t i = 0; i < choosing->kept && stored; ++i)
    {
        assign_highest(q, i, 0);
    }
    stored = stored && grow_to(q, 0.0, UINT32_MAX, &vertices);
    if (stored && choosing->measured && exceeds_limits(q, choosing, out))
    {
        return RBL_OK;
    }
    q->lowest = choosing->tolerance;
    stored = stored && assign_rest(q, choosing->kept) &&
             grow_to(q, choosing->tolerance, choosing->most, &vertices) && give_chosen(q, &out->chosen);
    if (stored && choosing->measured)
    {
        out->worst = max_distance(q);
        out->volume = enclosed_volume(q);
    }
    return stored ? RBL_OK : rbl_fail_memory();
}

// ---- all points ----

static bool give_triangles(const Quickhull* q, rblHullTriangles* out)
{
    uint32_t* numbers = RBL_NEW_ARRAY(q->allocator, uint32_t, q->facets.count);
    if (numbers == NULL)
    {
        return false;
    }
    uint32_t alive = 0;
    for (size_t i = 0; i < q->facets.count; ++i)
    {
        numbers[i] = alive;
        alive += !q->facets.data[i].removed;
    }
    const bool stored = rbl_array_reserve(out, alive);
    for (size_t i = 0; i < q->facets.count && stored; ++i)
    {
        const Facet* f = &q->facets.data[i];
        if (!f->removed)
        {
            out->data[out->count++] = (rblHullTriangle){
                {f->vertices[0], f->vertices[1], f->vertices[2]},
                {numbers[f->neighbours[0]], numbers[f->neighbours[1]], numbers[f->neighbours[2]]}};
        }
    }
    RBL_FREE_ARRAY(q->allocator, numbers, q->facets.count);
    return stored;
}

static rblResult run(Quickhull* q, rblHullTriangles* out)
{
    uint32_t four[4];
    if (q->next == NULL || q->starting == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(first_four(q, four));
    if (!first_facets(q, four))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < q->count; ++i)
    {
        assign_point(q, i, 0);
    }
    return grow(q) && give_triangles(q, out) ? RBL_OK : rbl_fail_memory();
}

static Quickhull quickhull(const rblVec3* points, uint32_t count, const rblAllocator* allocator)
{
    Quickhull q = {.points = points, .count = count, .allocator = allocator};
    rbl_array_init(&q.facets, allocator);
    rbl_array_init(&q.stack, allocator);
    rbl_array_init(&q.removed, allocator);
    rbl_array_init(&q.rim, allocator);
    q.next = RBL_NEW_ARRAY(allocator, uint32_t, count);
    q.starting = RBL_NEW_ARRAY(allocator, uint32_t, count);
    return q;
}

static void quickhull_free(Quickhull* q)
{
    RBL_FREE_ARRAY(q->allocator, q->next, q->count);
    RBL_FREE_ARRAY(q->allocator, q->starting, q->count);
    rbl_array_free(&q->facets);
    rbl_array_free(&q->stack);
    rbl_array_free(&q->removed);
    rbl_array_free(&q->rim);
}

rblResult rbl_hull_triangles(const rblVec3* points, uint32_t count, rblHullTriangles* out)
{
    Quickhull q = quickhull(points, count, out->allocator);
    const rblResult result = run(&q, out);
    quickhull_free(&q);
    return result;
}

rblResult rbl_hull_choose(const rblHullChoosing* choosing, rblHullChoice* out)
{
    Quickhull q = quickhull(choosing->points, choosing->count, out->chosen.allocator);
    q.choosing = true;
    const rblResult result =
        q.next != NULL && q.starting != NULL ? choose(&q, choosing, out) : rbl_fail_memory();
    quickhull_free(&q);
    return result;
}
