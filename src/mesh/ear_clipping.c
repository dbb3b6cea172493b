#include "mesh/ear_clipping.h"

#include "base/sort.h"
#include "math/predicates.h"
#include "math/vec.h"
#include <string.h>

// A corner is looked at first and after either neighbour goes, and each look meets every other corner at most once:
// a polygon that does not cross itself cannot run out below 4096 / 3 corners, and 10^6 hostile corners take seconds.
#define COMPARISONS_PER_CORNER 4096u

enum Kind
{
    KIND_CONVEX,
    KIND_STRAIGHT, // both neighbours on one line, one on each side
    KIND_REFLEX,
    KIND_NEEDLE, // on top of a neighbour, or both neighbours the same way: bounds no area, cut at once
    KIND_REMOVED
};

void rbl_ear_clipper_init(rblEarClipper* clipper, const rblAllocator* allocator)
{
    *clipper = (rblEarClipper){.allocator = allocator};
}

void rbl_ear_clipper_free(rblEarClipper* clipper)
{
    const uint32_t capacity = clipper->capacity;
    RBL_FREE_ARRAY(clipper->allocator, clipper->points, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->previous, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->next, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->order, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->skip, (size_t)capacity + 1);
    RBL_FREE_ARRAY(clipper->allocator, clipper->queue, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->kinds, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->queued, capacity);
    rbl_ear_clipper_init(clipper, clipper->allocator);
}

bool rbl_ear_clipper_reserve(rblEarClipper* clipper, uint32_t count)
{
    if (count <= clipper->capacity)
    {
        return true;
    }
    const rblAllocator* allocator = clipper->allocator;
    rbl_ear_clipper_free(clipper);
    clipper->capacity = count;
    clipper->points = rbl_alloc_array(allocator, sizeof *clipper->points, count);
    clipper->previous = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->next = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->order = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->skip = RBL_NEW_ARRAY(allocator, uint32_t, (size_t)count + 1);
    clipper->queue = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->kinds = RBL_NEW_ARRAY(allocator, uint8_t, count);
    clipper->queued = RBL_NEW_ARRAY(allocator, uint8_t, count);
    if (clipper->points != NULL && clipper->previous != NULL && clipper->next != NULL &&
        clipper->order != NULL && clipper->skip != NULL && clipper->queue != NULL && clipper->kinds != NULL &&
        clipper->queued != NULL)
    {
        return true;
    }
    rbl_ear_clipper_free(clipper);
    return false;
}

static double turn(const rblEarClipper* clipper, uint32_t a, uint32_t b, uint32_t c)
{
    return rbl_orient2d(clipper->points[a], clipper->points[b], clipper->points[c]);
}

static bool coincide(const rblEarClipper* clipper, uint32_t a, uint32_t b)
{
    const double* p = clipper->points[a];
    const double* q = clipper->points[b];
    return p[0] == q[0] && p[1] == q[1];
}

// -1, 0, 1 as b lies before, at or after a, ordered by x and then y: along any line, its two directions.
static int heading(const rblEarClipper* clipper, uint32_t a, uint32_t b)
{
    const double* p = clipper->points[a];
    const double* q = clipper->points[b];
    const int by_x = (q[0] > p[0]) - (q[0] < p[0]);
    return by_x != 0 ? by_x : (q[1] > p[1]) - (q[1] < p[1]);
}

// All corners turn left, and the boundary goes round once: an edge changes its heading twice, not more.
static bool is_strictly_convex(const rblEarClipper* clipper)
{
    const uint32_t count = clipper->count;
    uint32_t a = count - 2;
    uint32_t b = count - 1;
    uint32_t changes = 0;
    for (uint32_t c = 0; c < count; ++c)
    {
        if (!(turn(clipper, a, b, c) > 0))
        {
            return false;
        }
        changes += heading(clipper, a, b) != heading(clipper, b, c);
        a = b;
        b = c;
    }
    return changes == 2;
}

static enum Kind classify(const rblEarClipper* clipper, uint32_t corner)
{
    const uint32_t before = clipper->previous[corner];
    const uint32_t after = clipper->next[corner];
    const int to_before = heading(clipper, corner, before);
    const int to_after = heading(clipper, corner, after);
    if (to_before == 0 || to_after == 0)
    {
        return KIND_NEEDLE;
    }
    const double side = turn(clipper, before, corner, after);
    if (side > 0)
    {
        return KIND_CONVEX;
    }
    if (side < 0)
    {
        return KIND_REFLEX;
    }
    return to_before == to_after ? KIND_NEEDLE : KIND_STRAIGHT;
}

static void enqueue(rblEarClipper* clipper, uint32_t corner)
{
    if (!clipper->queued[corner])
    {
        size_t place = (size_t)clipper->queue_head + clipper->queue_count;
        place -= place >= clipper->count ? clipper->count : 0;
        clipper->queue[place] = corner;
        clipper->queue_count += 1;
        clipper->queued[corner] = 1;
    }
}

static uint32_t dequeue(rblEarClipper* clipper)
{
    const uint32_t corner = clipper->queue[clipper->queue_head];
    clipper->queue_head = clipper->queue_head + 1 == clipper->count ? 0 : clipper->queue_head + 1;
    clipper->queue_count -= 1;
    clipper->queued[corner] = 0;
    return corner;
}

static bool comes_before(uint32_t a, uint32_t b, const void* context)
{
    const rblEarClipper* clipper = context;
    return clipper->points[a][clipper->axis] < clipper->points[b][clipper->axis];
}

// Sort along the axis in which edges are short: there, a triangle's extent holds few other corners.
static void sort_corners(rblEarClipper* clipper)
{
    double travel[2] = {0, 0};
    for (uint32_t i = 0; i < clipper->count; ++i)
    {
        clipper->order[i] = i;
        const double* p = clipper->points[i];
        const double* q = clipper->points[clipper->next[i]];
        travel[0] += fabs(q[0] - p[0]);
        travel[1] += fabs(q[1] - p[1]);
    }
    clipper->axis = travel[1] < travel[0];
    rbl_sort_indices(clipper->order, clipper->skip, clipper->count, comes_before, clipper);
    for (uint32_t i = 0; i <= clipper->count; ++i)
    {
        clipper->skip[i] = i;
    }
}

static void start(rblEarClipper* clipper)
{
    const uint32_t count = clipper->count;
    for (uint32_t i = 0; i < count; ++i)
    {
        clipper->previous[i] = i == 0 ? count - 1 : i - 1;
        clipper->next[i] = i + 1 == count ? 0 : i + 1;
    }
    memset(clipper->queued, 0, count);
    clipper->queue_head = 0;
    clipper->queue_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        clipper->kinds[i] = (uint8_t)classify(clipper, i);
        enqueue(clipper, i);
    }
    sort_corners(clipper);
    clipper->budget = (uint64_t)count * COMPARISONS_PER_CORNER;
}

// The first place from `place` on whose corner is not removed; `count` when there is none. Union-find, path halving.
static uint32_t live_place(rblEarClipper* clipper, uint32_t place)
{
    uint32_t* skip = clipper->skip;
    for (;;)
    {
        while (skip[place] != place)
        {
            skip[place] = skip[skip[place]];
            place = skip[place];
        }
        if (place == clipper->count || clipper->kinds[clipper->order[place]] != KIND_REMOVED)
        {
            return place;
        }
        skip[place] = place + 1;
    }
}

static uint32_t first_place(const rblEarClipper* clipper, double lowest)
{
    uint32_t low = 0;
    uint32_t high = clipper->count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (clipper->points[clipper->order[middle]][clipper->axis] < lowest)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

// A corner on top of corner p of a triangle (p, u, w) is in the way when the boundary goes from there into the triangle.
static bool enters(const rblEarClipper* clipper, uint32_t corner, uint32_t p, uint32_t u, uint32_t w)
{
    const uint32_t neighbours[2] = {clipper->previous[corner], clipper->next[corner]};
    for (int i = 0; i < 2; ++i)
    {
        if (turn(clipper, p, u, neighbours[i]) > 0 && turn(clipper, p, neighbours[i], w) > 0)
        {
            return true;
        }
    }
    return false;
}

// Whether a corner forbids to cut off the triangle (a, b, c). Leniently, only corners properly inside do.
static bool blocks(const rblEarClipper* clipper, uint32_t corner, const uint32_t abc[3], bool lenient)
{
    for (int i = 0; i < 3; ++i)
    {
        if (coincide(clipper, corner, abc[i]))
        {
            return !lenient && enters(clipper, corner, abc[i], abc[(i + 1) % 3], abc[(i + 2) % 3]);
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        const double side = turn(clipper, abc[i], abc[(i + 1) % 3], corner);
        if (side < 0 || (lenient && side == 0))
        {
            return false;
        }
    }
    return true;
}

// Only corners that are not convex can be the first inside an ear: the one farthest from its diagonal is reflex.
static bool is_ear(rblEarClipper* clipper, uint32_t corner, bool lenient)
{
    const uint32_t abc[3] = {clipper->previous[corner], corner, clipper->next[corner]};
    const uint32_t along = clipper->axis;
    const uint32_t across = 1 - along;
    const double *a = clipper->points[abc[0]], *b = clipper->points[abc[1]], *c = clipper->points[abc[2]];
    const double low[2] = {rbl_mind(a[0], rbl_mind(b[0], c[0])), rbl_mind(a[1], rbl_mind(b[1], c[1]))};
    const double high[2] = {rbl_maxd(a[0], rbl_maxd(b[0], c[0])), rbl_maxd(a[1], rbl_maxd(b[1], c[1]))};
    uint32_t place = live_place(clipper, first_place(clipper, low[along]));
    for (; place < clipper->count && clipper->budget > 0; place = live_place(clipper, place + 1))
    {
        const uint32_t other = clipper->order[place];
        const double* p = clipper->points[other];
        if (p[along] > high[along])
        {
            break;
        }
        clipper->budget -= 1;
        if (clipper->kinds[other] != KIND_CONVEX && p[across] >= low[across] && p[across] <= high[across] &&
            other != abc[0] && other != abc[1] && other != abc[2] && blocks(clipper, other, abc, lenient))
        {
            return false;
        }
    }
    return clipper->budget > 0;
}

// No corner is a proper ear: the polygon crosses itself or runs the wrong way round. Take the least bad one.
static uint32_t least_bad_corner(rblEarClipper* clipper, uint32_t first)
{
    static const int ranks[] = {[KIND_CONVEX] = 1, [KIND_REFLEX] = 2, [KIND_STRAIGHT] = 3, [KIND_NEEDLE] = 3};
    uint32_t best = first;
    int best_rank = 4;
    uint32_t corner = first;
    for (uint32_t i = 0; i < clipper->left && best_rank > 0 && clipper->budget > 0; ++i)
    {
        clipper->budget -= 1;
        int rank = ranks[clipper->kinds[corner]];
        rank -= rank == 1 && is_ear(clipper, corner, true);
        if (rank < best_rank)
        {
            best = corner;
            best_rank = rank;
        }
        corner = clipper->next[corner];
    }
    return best;
}

static bool emit(rblEarClipper* clipper, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t base = clipper->base;
    return rbl_array_push(clipper->triangles, base + a) && rbl_array_push(clipper->triangles, base + b) &&
           rbl_array_push(clipper->triangles, base + c);
}

static bool cut_off(rblEarClipper* clipper, uint32_t corner)
{
    const uint32_t before = clipper->previous[corner];
    const uint32_t after = clipper->next[corner];
    clipper->next[before] = after;
    clipper->previous[after] = before;
    clipper->kinds[corner] = KIND_REMOVED;
    clipper->left -= 1;
    clipper->kinds[before] = (uint8_t)classify(clipper, before);
    clipper->kinds[after] = (uint8_t)classify(clipper, after);
    enqueue(clipper, before);
    enqueue(clipper, after);
    return emit(clipper, before, corner, after);
}

// A fan over the ring that is left, from `first`.
static bool emit_fan(rblEarClipper* clipper, uint32_t first)
{
    uint32_t b = clipper->next[first];
    for (; clipper->left > 2; clipper->left -= 1)
    {
        const uint32_t c = clipper->next[b];
        if (!emit(clipper, first, b, c))
        {
            return false;
        }
        b = c;
    }
    return true;
}

static bool emit_whole_fan(rblEarClipper* clipper)
{
    for (uint32_t i = 2; i < clipper->count; ++i)
    {
        if (!emit(clipper, 0, i - 1, i))
        {
            return false;
        }
    }
    return true;
}

static bool all_finite(const rblEarClipper* clipper)
{
    bool finite = true;
    for (uint32_t i = 0; i < clipper->count; ++i)
    {
        finite = finite && rbl_finite(clipper->points[i][0]) && rbl_finite(clipper->points[i][1]);
    }
    return finite;
}

bool rbl_ear_clip(rblEarClipper* clipper, uint32_t count, uint32_t base, rblIndexArray* triangles)
{
    clipper->count = clipper->left = count;
    clipper->base = base;
    clipper->triangles = triangles;
    if (count == 3 || !all_finite(clipper) || is_strictly_convex(clipper))
    {
        return emit_whole_fan(clipper);
    }
    start(clipper);
    uint32_t first = 0; // some corner that is left
    bool ok = true;
    while (ok && clipper->left > 3 && clipper->budget > 0)
    {
        uint32_t corner;
        if (clipper->queue_count > 0)
        {
            corner = dequeue(clipper);
            const uint8_t kind = clipper->kinds[corner];
            if (kind != KIND_NEEDLE && (kind != KIND_CONVEX || !is_ear(clipper, corner, false)))
            {
                continue;
            }
        }
        else
        {
            corner = least_bad_corner(clipper, first);
        }
        first = clipper->next[corner];
        ok = cut_off(clipper, corner);
    }
    return ok && emit_fan(clipper, first);
}
