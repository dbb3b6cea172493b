#include "mesh/ear_clipping.h"

#include "base/sort.h"
#include "math/predicates.h"
#include "math/vec.h"
#include "rubble/mesh.h"
#include <string.h>

// Limits of the work, in units of one comparison of a point with the box of a triangle. Each polygon may use
// WORK_PER_CORNER times its number n of corners; WORK_IN_RESERVE is shared by all polygons beyond that. WORK_INSIDE
// is the additional cost of one exact point-in-triangle test. A corner is tested once at the start and again whenever
// a neighbour is removed, and each test visits every other corner at most once: a simple polygon needs at most 3 n^2
// (1 + WORK_INSIDE) units. In practice it is a few hundred units per corner for up to 1000 corners. Measured:
// adversarial polygons of 10^6 corners end after 10 s.
#define WORK_PER_CORNER 2048u
#define WORK_IN_RESERVE (1u << 26)
#define WORK_INSIDE     31u

enum Kind
{
    KIND_CONVEX,
    KIND_STRAIGHT, // collinear with its neighbours, and between them
    KIND_REFLEX,
    KIND_NEEDLE, // equal to a neighbour, or both neighbours lie in the same direction: encloses no area, removed at once
    KIND_REMOVED
};

enum Place
{
    PLACE_ORDER,
    PLACE_NOWHERE,
    PLACE_LATE
};

void rbl_ear_clipper_init(rblEarClipper* clipper, const rblAllocator* allocator)
{
    *clipper = (rblEarClipper){.allocator = allocator, .reserve = WORK_IN_RESERVE};
}

void rbl_ear_clipper_free(rblEarClipper* clipper)
{
    const uint32_t capacity = clipper->capacity;
    RBL_FREE_ARRAY(clipper->allocator, clipper->points, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->sorted, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->previous, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->next, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->order, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->skip, (size_t)capacity + 1);
    RBL_FREE_ARRAY(clipper->allocator, clipper->late, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->queue, 3 * (size_t)capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->tickets, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->kinds, capacity);
    RBL_FREE_ARRAY(clipper->allocator, clipper->places, capacity);
    rbl_ear_clipper_init(clipper, clipper->allocator);
}

bool rbl_ear_clipper_reserve(rblEarClipper* clipper, uint32_t count)
{
    if (count <= clipper->capacity)
    {
        return true;
    }
    if (count > UINT32_MAX / 3) // queue positions are 32-bit; the arrays would take 10^11 bytes
    {
        return false;
    }
    const rblAllocator* allocator = clipper->allocator;
    const uint64_t reserve = clipper->reserve;
    rbl_ear_clipper_free(clipper);
    clipper->reserve = reserve;
    clipper->capacity = count;
    clipper->points = rbl_alloc_array(allocator, sizeof *clipper->points, count);
    clipper->sorted = rbl_alloc_array(allocator, sizeof *clipper->sorted, count);
    clipper->previous = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->next = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->order = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->skip = RBL_NEW_ARRAY(allocator, uint32_t, (size_t)count + 1);
    clipper->late = RBL_NEW_ARRAY(allocator, uint32_t, count);
    // N at the start, and two per removed corner.
    clipper->queue = RBL_NEW_ARRAY(allocator, uint32_t, 3 * (size_t)count);
    clipper->tickets = RBL_NEW_ARRAY(allocator, uint32_t, count);
    clipper->kinds = RBL_NEW_ARRAY(allocator, uint8_t, count);
    clipper->places = RBL_NEW_ARRAY(allocator, uint8_t, count);
    if (clipper->points != NULL && clipper->sorted != NULL && clipper->previous != NULL &&
        clipper->next != NULL && clipper->order != NULL && clipper->skip != NULL && clipper->late != NULL &&
        clipper->queue != NULL && clipper->tickets != NULL && clipper->kinds != NULL &&
        clipper->places != NULL)
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

// Sign of b - a in the order by x, then y: it tells the two directions of any line apart.
static int heading(const rblEarClipper* clipper, uint32_t a, uint32_t b)
{
    const double* p = clipper->points[a];
    const double* q = clipper->points[b];
    const int by_x = (q[0] > p[0]) - (q[0] < p[0]);
    return by_x != 0 ? by_x : (q[1] > p[1]) - (q[1] < p[1]);
}

// Whether all corners turn left and the boundary winds once: the direction of its edges then changes sign exactly
// twice.
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

// Append a corner to the queue, even if the queue contains it: the corners beside a removed ear wait until all others
// were tested. Otherwise the ears would run around the polygon as one fan of ever longer triangles.
static void enqueue(rblEarClipper* clipper, uint32_t corner)
{
    clipper->tickets[corner] = clipper->queue_end;
    clipper->queue[clipper->queue_end++] = corner;
}

// Returns RBL_NONE when the queue is empty.
static uint32_t dequeue(rblEarClipper* clipper)
{
    while (clipper->queue_begin < clipper->queue_end)
    {
        const uint32_t place = clipper->queue_begin++;
        const uint32_t corner = clipper->queue[place];
        if (clipper->tickets[corner] == place && clipper->kinds[corner] != KIND_REMOVED)
        {
            return corner;
        }
    }
    return RBL_NONE;
}

static bool comes_before(uint32_t a, uint32_t b, const void* context)
{
    const rblEarClipper* clipper = context;
    return clipper->points[a][clipper->axis] < clipper->points[b][clipper->axis];
}

// Sort along the axis in which edges are shorter: the extent of a triangle along it contains fewer other corners.
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
    for (uint32_t i = 0; i < clipper->count; ++i)
    {
        clipper->skip[i] = i;
        clipper->sorted[i][0] = clipper->points[clipper->order[i]][0];
        clipper->sorted[i][1] = clipper->points[clipper->order[i]][1];
    }
    clipper->skip[clipper->count] = clipper->count;
}

static void start(rblEarClipper* clipper)
{
    const uint32_t count = clipper->count;
    for (uint32_t i = 0; i < count; ++i)
    {
        clipper->previous[i] = i == 0 ? count - 1 : i - 1;
        clipper->next[i] = i + 1 == count ? 0 : i + 1;
    }
    memset(clipper->places, PLACE_ORDER, count);
    clipper->queue_begin = clipper->queue_end = 0;
    clipper->late_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        clipper->kinds[i] = (uint8_t)classify(clipper, i);
        enqueue(clipper, i);
    }
    sort_corners(clipper);
}

// Only corners that are not convex can lie inside an ear. In a simple polygon a convex corner stays convex, so
// `order` drops it permanently. In other polygons it can become reflex again; it is then added to `late`.
static void reclassify(rblEarClipper* clipper, uint32_t corner)
{
    const enum Kind kind = classify(clipper, corner);
    clipper->kinds[corner] = (uint8_t)kind;
    if (kind != KIND_CONVEX && clipper->places[corner] == PLACE_NOWHERE)
    {
        clipper->late[clipper->late_count++] = corner;
        clipper->places[corner] = PLACE_LATE;
    }
}

static bool may_block(const rblEarClipper* clipper, uint32_t corner)
{
    return clipper->kinds[corner] != KIND_CONVEX && clipper->kinds[corner] != KIND_REMOVED;
}

// The first position >= `place` in `order` whose corner may lie inside an ear, `count` when there is none. Union-find
// with path halving.
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
        if (place == clipper->count || may_block(clipper, clipper->order[place]))
        {
            return place;
        }
        clipper->places[clipper->order[place]] = PLACE_NOWHERE;
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
        if (clipper->sorted[middle][clipper->axis] < lowest)
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

// Whether a corner at the same point as vertex p of a triangle (p, u, w) blocks the ear: the boundary continues from
// there into the triangle.
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

// A triangle that may be cut off, with its box. When `lenient`, only corners strictly inside forbid the cut.
typedef struct Ear
{
    uint32_t corners[3];
    double low[2], high[2];
    bool lenient;
} Ear;

static Ear make_ear(const rblEarClipper* clipper, uint32_t corner, bool lenient)
{
    Ear ear = {.corners = {clipper->previous[corner], corner, clipper->next[corner]}, .lenient = lenient};
    for (int i = 0; i < 2; ++i)
    {
        const double a = clipper->points[ear.corners[0]][i];
        const double b = clipper->points[ear.corners[1]][i];
        const double c = clipper->points[ear.corners[2]][i];
        ear.low[i] = rbl_mind(a, rbl_mind(b, c));
        ear.high[i] = rbl_maxd(a, rbl_maxd(b, c));
    }
    return ear;
}

static bool is_inside(const rblEarClipper* clipper, const Ear* ear, uint32_t corner)
{
    const uint32_t* abc = ear->corners;
    for (int i = 0; i < 3; ++i)
    {
        if (coincide(clipper, corner, abc[i]))
        {
            return !ear->lenient && enters(clipper, corner, abc[i], abc[(i + 1) % 3], abc[(i + 2) % 3]);
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        const double side = turn(clipper, abc[i], abc[(i + 1) % 3], corner);
        if (side < 0 || (ear->lenient && side == 0))
        {
            return false;
        }
    }
    return true;
}

static bool in_box(const Ear* ear, const double p[2])
{
    return p[0] >= ear->low[0] && p[0] <= ear->high[0] && p[1] >= ear->low[1] && p[1] <= ear->high[1];
}

static void spend(rblEarClipper* clipper, uint64_t work)
{
    clipper->budget -= work < clipper->budget ? work : clipper->budget;
}

static bool blocks(rblEarClipper* clipper, const Ear* ear, uint32_t corner)
{
    spend(clipper, WORK_INSIDE);
    return corner != ear->corners[0] && corner != ear->corners[1] && corner != ear->corners[2] &&
           is_inside(clipper, ear, corner);
}

static bool any_in_order_blocks(rblEarClipper* clipper, const Ear* ear)
{
    const uint32_t axis = clipper->axis;
    uint32_t place = live_place(clipper, first_place(clipper, ear->low[axis]));
    for (; place < clipper->count && clipper->budget > 0; place = live_place(clipper, place + 1))
    {
        if (clipper->sorted[place][axis] > ear->high[axis])
        {
            return false;
        }
        spend(clipper, 1);
        if (in_box(ear, clipper->sorted[place]) && blocks(clipper, ear, clipper->order[place]))
        {
            return true;
        }
    }
    return false;
}

static bool any_late_blocks(rblEarClipper* clipper, const Ear* ear)
{
    for (uint32_t i = 0; i < clipper->late_count && clipper->budget > 0; ++i)
    {
        const uint32_t corner = clipper->late[i];
        spend(clipper, 1);
        if (may_block(clipper, corner) && in_box(ear, clipper->points[corner]) &&
            blocks(clipper, ear, corner))
        {
            return true;
        }
    }
    return false;
}

// Only corners that are not convex have to be tested: of the corners inside an ear, the one farthest from its
// diagonal is reflex.
static bool is_ear(rblEarClipper* clipper, uint32_t corner, bool lenient)
{
    const Ear ear = make_ear(clipper, corner, lenient);
    return !any_in_order_blocks(clipper, &ear) && !any_late_blocks(clipper, &ear) && clipper->budget > 0;
}

static bool is_proper_cut(rblEarClipper* clipper, uint32_t corner)
{
    const uint8_t kind = clipper->kinds[corner];
    return kind == KIND_NEEDLE || (kind == KIND_CONVEX && is_ear(clipper, corner, false));
}

// No corner is a valid ear: the polygon intersects itself or is clockwise. Returns the corner whose removal does the
// least damage.
static uint32_t least_bad_corner(rblEarClipper* clipper, uint32_t first)
{
    static const int ranks[] = {[KIND_CONVEX] = 1, [KIND_REFLEX] = 2, [KIND_STRAIGHT] = 3, [KIND_NEEDLE] = 3};
    uint32_t best = first;
    int best_rank = 4;
    uint32_t corner = first;
    for (uint32_t i = 0; i < clipper->left && best_rank > 0 && clipper->budget > 0; ++i)
    {
        spend(clipper, 1);
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
    reclassify(clipper, before);
    reclassify(clipper, after);
    enqueue(clipper, before);
    enqueue(clipper, after);
    return emit(clipper, before, corner, after);
}

// Triangulate the remaining ring as a fan from `first`.
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
    const uint64_t own = (uint64_t)count * WORK_PER_CORNER;
    clipper->budget = own + clipper->reserve;
    uint32_t first = 0; // any remaining corner
    bool ok = true;
    while (ok && clipper->left > 3 && clipper->budget > 0)
    {
        uint32_t corner = dequeue(clipper);
        if (corner == RBL_NONE)
        {
            corner = least_bad_corner(clipper, first);
        }
        else if (!is_proper_cut(clipper, corner))
        {
            continue;
        }
        first = clipper->next[corner];
        ok = cut_off(clipper, corner);
    }
    clipper->reserve = clipper->budget < clipper->reserve ? clipper->budget : clipper->reserve;
    return ok && emit_fan(clipper, first);
}
