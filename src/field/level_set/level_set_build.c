// Level sets of closed meshes. Distances are computed from the triangles, for eight neighbouring points at a time.
// Signs are mostly propagated: if the sum of the distances at two points is larger than the distance between them, no
// surface separates them. So signs spread from far outside through the corners of bricks, and then through the points
// of each brick. Only points that this does not reach use the winding number.
#include "base/error.h"
#include "field/level_set/level_set.h"
#include "field/level_set/level_set_oracle.h"
#include "math/aabb.h"
#include <string.h>

// ---- tuning ----
#define BAND_CELLS    2.0                // cells; points closer to the surface get exact distances
#define HALF_DIAGONAL 0.8660254037844387 // of a unit cube
#define BRICK_VALUES  125u               // points of a brick
#define BLOCK_VALUES  64u                // points of a block
// Relative to the distance of two points: a tolerance for rounding, since the sums are often exactly equal to it.
#define SAFE_DISTANCE 1.01
#define MAX_BRICKS    (1u << 30) // of a grid
typedef struct Build
{
    const rblAllocator* allocator;
    rblJobs* jobs;
    rblDistanceOracle oracle;
    rblLevelSet* set;
    rblVec3d origin; // as the set stores it, in floats
    double cell;
    size_t brick_count, corner_count;
    uint32_t* queue;      // corners, for the spread of signs
    signed char* signs;   // per corner: 1, -1, or 0: unknown
    uint32_t* candidates; // bricks that may be stored; later those that are stored, in place
    uint32_t candidate_count;
    bool* needed;         // per candidate: whether it is stored
    uint32_t needed_size; // entries of the array
    uint32_t* blocks;     // per corner of a brick: its block of points; RBL_NO_BRICK: none
    uint32_t* block_corners;
    uint64_t* wanted; // per block: bit mask of the points to measure
    float* distances; // m, unsigned, BLOCK_VALUES per block
    uint32_t block_count;
} Build;

static void build_free(Build* b)
{
    RBL_FREE_ARRAY(b->allocator, b->queue, b->corner_count);
    RBL_FREE_ARRAY(b->allocator, b->signs, b->corner_count);
    RBL_FREE_ARRAY(b->allocator, b->candidates, b->brick_count);
    RBL_FREE_ARRAY(b->allocator, b->needed, b->needed_size);
    RBL_FREE_ARRAY(b->allocator, b->blocks, b->corner_count);
    RBL_FREE_ARRAY(b->allocator, b->block_corners, b->block_count);
    RBL_FREE_ARRAY(b->allocator, b->wanted, b->block_count);
    RBL_FREE_ARRAY(b->allocator, b->distances, (size_t)b->block_count * BLOCK_VALUES);
    rbl_distance_oracle_free(&b->oracle);
}

static rblVec3d grid_point(const Build* b, uint32_t i, uint32_t j, uint32_t k)
{
    return (rblVec3d){b->origin.x + i * b->cell, b->origin.y + j * b->cell, b->origin.z + k * b->cell};
}

// ---- grid ----

// Bricks around the bounds enlarged by the band, centred.
static rblResult lay_grid(Build* b, const rblMeshView* view, double cell)
{
    const rblAabbd box = rbl_mesh_bounds(view);
    const rblVec3d middle = rbl_aabbd_center(box);
    const rblVec3d size = rbl_aabbd_size(box);
    const double side = cell * RBL_BRICK_CELLS;
    const double sizes[3] = {size.x, size.y, size.z};
    double total = 1.0;
    double counts[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        counts[axis] = ceil((sizes[axis] + 2.0 * (BAND_CELLS + 1.0) * cell) / side);
        total *= counts[axis] + 1.0;
    }
    if (!(total <= MAX_BRICKS))
    {
        return rbl_fail(RBL_ERROR_LIMIT,
                        "level set: the grid has too many bricks of 4 x 4 x 4 cells, must be at most %u",
                        MAX_BRICKS);
    }
    rblLevelSet* set = b->set;
    set->cell = (float)cell;
    set->inverse_cell = (float)(1.0 / cell);
    set->band = (float)(BAND_CELLS * cell);
    // Distances in a stored brick are at most the band, plus the diagonal of the brick, plus half the diagonal of a
    // cell.
    set->unit = (float)((BAND_CELLS + 2.0 * HALF_DIAGONAL * RBL_BRICK_CELLS + 1.0) * cell / 32767.0);
    set->origin = rbl_to_float3(
        rbl_sub3d(middle, rbl_vec3d(0.5 * counts[0] * side, 0.5 * counts[1] * side, 0.5 * counts[2] * side)));
    b->origin = rbl_to_double3(set->origin);
    b->cell = (double)set->cell;
    for (int axis = 0; axis < 3; ++axis)
    {
        set->bricks[axis] = (uint32_t)counts[axis];
    }
    b->brick_count = (size_t)set->bricks[0] * set->bricks[1] * set->bricks[2];
    b->corner_count = (size_t)(set->bricks[0] + 1) * (set->bricks[1] + 1) * (set->bricks[2] + 1);
    return RBL_OK;
}

static rblResult allocate_grid(Build* b)
{
    b->set->slots = RBL_NEW_ARRAY(b->allocator, uint32_t, b->brick_count);
    b->set->corners = RBL_NEW_ARRAY(b->allocator, float, b->corner_count);
    b->queue = RBL_NEW_ARRAY(b->allocator, uint32_t, b->corner_count);
    b->signs = rbl_alloc_zero(b->allocator, b->corner_count);
    b->candidates = RBL_NEW_ARRAY(b->allocator, uint32_t, b->brick_count);
    b->blocks = RBL_NEW_ARRAY(b->allocator, uint32_t, b->corner_count);
    const bool ok = b->set->slots != NULL && b->set->corners != NULL && b->queue != NULL &&
                    b->signs != NULL && b->candidates != NULL && b->blocks != NULL;
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- corners of bricks ----

static void corner_at(const Build* b, size_t corner, uint32_t at[3])
{
    const uint32_t row = b->set->bricks[0] + 1;
    const uint32_t column = b->set->bricks[1] + 1;
    at[0] = (uint32_t)(corner % row);
    at[1] = (uint32_t)(corner / row % column);
    at[2] = (uint32_t)(corner / row / column);
}

static rblVec3d corner_point(const Build* b, size_t corner)
{
    uint32_t at[3];
    corner_at(b, corner, at);
    return grid_point(b, at[0] * RBL_BRICK_CELLS, at[1] * RBL_BRICK_CELLS, at[2] * RBL_BRICK_CELLS);
}

static void measure_corners(rblRange range, void* context)
{
    Build* b = context;
    uint32_t hint = RBL_NO_LEAF;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        b->set->corners[i] = (float)rbl_distance_oracle_evaluate(&b->oracle, corner_point(b, i), &hint);
    }
}

// Spread the sign of the corners in the queue to all corners that no surface separates from them.
static void spread_signs(Build* b, size_t count)
{
    const size_t strides[3] = {1, b->set->bricks[0] + 1,
                               (size_t)(b->set->bricks[0] + 1) * (b->set->bricks[1] + 1)};
    const float safe_distance = (float)(b->cell * RBL_BRICK_CELLS * SAFE_DISTANCE);
    for (size_t head = 0; head < count; ++head)
    {
        const size_t corner = b->queue[head];
        uint32_t at[3];
        corner_at(b, corner, at);
        for (int step = 0; step < 6; ++step)
        {
            const int axis = step / 2;
            if (step % 2 == 0 ? at[axis] == 0 : at[axis] == b->set->bricks[axis])
            {
                continue;
            }
            const size_t next = step % 2 == 0 ? corner - strides[axis] : corner + strides[axis];
            if (b->signs[next] == 0 && b->set->corners[corner] + b->set->corners[next] > safe_distance)
            {
                b->signs[next] = b->signs[corner];
                b->queue[count++] = (uint32_t)next;
            }
        }
    }
}

static void sign_corners(Build* b)
{
    size_t count = 0;
    for (size_t i = 0; i < b->corner_count; ++i)
    {
        uint32_t at[3];
        corner_at(b, i, at);
        if (at[0] == 0 || at[1] == 0 || at[2] == 0 || at[0] == b->set->bricks[0] ||
            at[1] == b->set->bricks[1] || at[2] == b->set->bricks[2])
        {
            b->signs[i] = 1;
            b->queue[count++] = (uint32_t)i;
        }
    }
    spread_signs(b, count);
    for (size_t i = 0; i < b->corner_count; ++i)
    {
        if (b->signs[i] == 0)
        {
            b->signs[i] = rbl_distance_oracle_inside(&b->oracle, corner_point(b, i)) ? -1 : 1;
            b->queue[0] = (uint32_t)i;
            spread_signs(b, 1);
        }
    }
    for (size_t i = 0; i < b->corner_count; ++i)
    {
        b->set->corners[i] = b->signs[i] < 0 ? -b->set->corners[i] : b->set->corners[i];
    }
}

// ---- bricks ----

static void brick_at(const rblLevelSet* set, uint32_t brick, uint32_t at[3])
{
    at[0] = brick % set->bricks[0];
    at[1] = brick / set->bricks[0] % set->bricks[1];
    at[2] = brick / set->bricks[0] / set->bricks[1];
}

static size_t corner_of(const rblLevelSet* set, const uint32_t at[3], uint32_t which)
{
    const size_t row = set->bricks[0] + 1;
    const size_t layer = row * (set->bricks[1] + 1);
    return at[0] + (which & 1) + row * (at[1] + (which >> 1 & 1)) + layer * (at[2] + (which >> 2));
}

static float brick_corner(const rblLevelSet* set, const uint32_t at[3], uint32_t which)
{
    return set->corners[corner_of(set, at, which)];
}

// Every point of a brick is within half its diagonal of its nearest corner.
static void find_candidates(Build* b)
{
    const rblLevelSet* set = b->set;
    const float reach = (float)((BAND_CELLS + HALF_DIAGONAL * RBL_BRICK_CELLS) * b->cell);
    for (uint32_t brick = 0; brick < (uint32_t)b->brick_count; ++brick)
    {
        uint32_t at[3];
        brick_at(set, brick, at);
        float nearest = INFINITY;
        for (uint32_t which = 0; which < 8; ++which)
        {
            nearest = rbl_minf(nearest, fabsf(brick_corner(set, at, which)));
        }
        set->slots[brick] = RBL_NO_BRICK;
        if (nearest <= reach)
        {
            b->candidates[b->candidate_count++] = brick;
        }
    }
}

// ---- points of bricks ----

// Neighbouring bricks share the points on their faces, but each point is measured once: it belongs to the block of 4 x
// 4 x 4 points that starts at a corner of bricks. A brick needs the whole block at its lowest corner, and the points on
// its faces from the blocks at the other seven corners.
static uint64_t wanted_of(uint32_t which)
{
    const uint64_t x = (which & 1) != 0 ? 0x1111111111111111u : UINT64_MAX;
    const uint64_t y = (which & 2) != 0 ? 0x000F000F000F000Fu : UINT64_MAX;
    const uint64_t z = (which & 4) != 0 ? 0x000000000000FFFFu : UINT64_MAX;
    return x & y & z;
}

static void number_blocks(Build* b)
{
    memset(b->blocks, 0xFF, sizeof *b->blocks * b->corner_count);
    for (uint32_t i = 0; i < b->candidate_count; ++i)
    {
        uint32_t at[3];
        brick_at(b->set, b->candidates[i], at);
        for (uint32_t which = 0; which < 8; ++which)
        {
            uint32_t* block = &b->blocks[corner_of(b->set, at, which)];
            *block = *block == RBL_NO_BRICK ? b->block_count++ : *block;
        }
    }
}

static rblResult lay_blocks(Build* b)
{
    number_blocks(b);
    b->block_corners = RBL_NEW_ARRAY(b->allocator, uint32_t, b->block_count);
    b->wanted = rbl_alloc_zero(b->allocator, sizeof *b->wanted * b->block_count);
    b->distances = RBL_NEW_ARRAY(b->allocator, float, (size_t)b->block_count* BLOCK_VALUES);
    if (b->block_corners == NULL || b->wanted == NULL || b->distances == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < b->candidate_count; ++i)
    {
        uint32_t at[3];
        brick_at(b->set, b->candidates[i], at);
        for (uint32_t which = 0; which < 8; ++which)
        {
            const size_t corner = corner_of(b->set, at, which);
            b->block_corners[b->blocks[corner]] = (uint32_t)corner;
            b->wanted[b->blocks[corner]] |= wanted_of(which);
        }
    }
    return RBL_OK;
}

// Bits 0 and 3 of i: one coordinate of the i-th point on a curve through a block, octant by octant.
static uint32_t along_curve(uint32_t i)
{
    return (i & 1) | (i >> 2 & 2);
}

static void measure_block(const Build* b, uint32_t block, uint32_t hints[RBL_MAX_NEAR_POINTS])
{
    uint32_t at[3];
    corner_at(b, b->block_corners[block], at);
    rblVec3d points[RBL_MAX_NEAR_POINTS];
    uint32_t indices[RBL_MAX_NEAR_POINTS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < BLOCK_VALUES; ++i)
    {
        const uint32_t x = along_curve(i), y = along_curve(i >> 1), z = along_curve(i >> 2);
        const uint32_t index = x + 4 * y + 16 * z;
        if ((b->wanted[block] >> index & 1) != 0)
        {
            points[count] = grid_point(b, at[0] * RBL_BRICK_CELLS + x, at[1] * RBL_BRICK_CELLS + y,
                                       at[2] * RBL_BRICK_CELLS + z);
            indices[count++] = index;
        }
        if (count == RBL_MAX_NEAR_POINTS || (i + 1 == BLOCK_VALUES && count > 0))
        {
            float found[RBL_MAX_NEAR_POINTS];
            rbl_distance_oracle_evaluate_near(&b->oracle, points, count, hints, found);
            for (; count > 0; --count)
            {
                b->distances[(size_t)block * BLOCK_VALUES + indices[count - 1]] = found[count - 1];
            }
        }
    }
}

static void measure_blocks(rblRange range, void* context)
{
    uint32_t hints[RBL_MAX_NEAR_POINTS];
    memset(hints, 0xFF, sizeof hints); // RBL_NO_LEAF
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        measure_block(context, i, hints);
    }
}

// The points of one brick during the computation.
typedef struct BrickWork
{
    double distances[BRICK_VALUES];
    signed char signs[BRICK_VALUES];
    unsigned char queue[BRICK_VALUES];
} BrickWork;

static void spread_in_brick(BrickWork* w, uint32_t count, double safe_distance)
{
    static const uint32_t strides[3] = {1, 5, 25};
    for (uint32_t head = 0; head < count; ++head)
    {
        const uint32_t point = w->queue[head];
        const uint32_t at[3] = {point % 5, point / 5 % 5, point / 25};
        for (int step = 0; step < 6; ++step)
        {
            const int axis = step / 2;
            if (at[axis] == (step % 2 == 0 ? 0 : 4))
            {
                continue;
            }
            const uint32_t next = step % 2 == 0 ? point - strides[axis] : point + strides[axis];
            if (w->signs[next] == 0 && w->distances[point] + w->distances[next] > safe_distance)
            {
                w->signs[next] = w->signs[point];
                w->queue[count++] = (unsigned char)next;
            }
        }
    }
}

// The point without a sign that is farthest from the surface; BRICK_VALUES: none.
static uint32_t farthest_unsigned(const BrickWork* w)
{
    uint32_t best = BRICK_VALUES;
    for (uint32_t i = 0; i < BRICK_VALUES; ++i)
    {
        if (w->signs[i] == 0 && (best == BRICK_VALUES || w->distances[i] > w->distances[best]))
        {
            best = i;
        }
    }
    return best;
}

static rblVec3d brick_point(const Build* b, const uint32_t at[3], uint32_t point)
{
    return grid_point(b, at[0] * RBL_BRICK_CELLS + point % 5, at[1] * RBL_BRICK_CELLS + point / 5 % 5,
                      at[2] * RBL_BRICK_CELLS + point / 25);
}

static void sign_brick(const Build* b, const uint32_t at[3], BrickWork* w)
{
    const double safe_distance = b->cell * SAFE_DISTANCE;
    for (uint32_t which = 0; which < 8; ++which)
    {
        const uint32_t point = 4 * (which & 1) + 20 * (which >> 1 & 1) + 100 * (which >> 2);
        w->signs[point] = brick_corner(b->set, at, which) < 0.0f ? -1 : 1;
        w->queue[which] = (unsigned char)point;
    }
    spread_in_brick(w, 8, safe_distance);
    for (uint32_t next = farthest_unsigned(w); next < BRICK_VALUES; next = farthest_unsigned(w))
    {
        w->signs[next] = rbl_distance_oracle_inside(&b->oracle, brick_point(b, at, next)) ? -1 : 1;
        w->queue[0] = (unsigned char)next;
        spread_in_brick(w, 1, safe_distance);
    }
}

static int16_t quantise(double distance, double unit)
{
    const double steps = rbl_clampd(floor(distance / unit + 0.5), -32767.0, 32767.0);
    return (int16_t)steps;
}

// Unsigned distances at all points of a brick; returns the smallest.
static double gather_brick(const Build* b, const uint32_t at[3], double distances[BRICK_VALUES])
{
    const float* blocks[8];
    double nearest = (double)INFINITY;
    for (uint32_t which = 0; which < 8; ++which)
    {
        blocks[which] = b->distances + (size_t)b->blocks[corner_of(b->set, at, which)] * BLOCK_VALUES;
    }
    for (uint32_t i = 0; i < BRICK_VALUES; ++i)
    {
        const uint32_t x = i % 5, y = i / 5 % 5, z = i / 25;
        distances[i] = (double)blocks[x / 4 + 2 * (y / 4) + 4 * (z / 4)][x % 4 + 4 * (y % 4) + 16 * (z % 4)];
        nearest = rbl_mind(distances[i], nearest);
    }
    return nearest;
}

static void find_needed(rblRange range, void* context)
{
    const Build* b = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        uint32_t at[3];
        double distances[BRICK_VALUES];
        brick_at(b->set, b->candidates[i], at);
        b->needed[i] = gather_brick(b, at, distances) <= (BAND_CELLS + HALF_DIAGONAL) * b->cell;
    }
}

// Assign blocks of values to the bricks that are stored, and allocate them.
static rblResult allocate_bricks(Build* b)
{
    rblLevelSet* set = b->set;
    b->needed_size = b->candidate_count;
    b->needed = RBL_NEW_ARRAY(b->allocator, bool, b->needed_size);
    if (b->needed == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(b->jobs, b->candidate_count, 16, find_needed, b);
    for (uint32_t i = 0; i < b->candidate_count; ++i)
    {
        if (b->needed[i])
        {
            b->candidates[set->stored] = b->candidates[i];
            set->slots[b->candidates[i]] = set->stored++;
        }
    }
    b->candidate_count = set->stored;
    set->values = RBL_NEW_ARRAY(b->allocator, int16_t, (size_t)set->stored * RBL_BRICK_STRIDE);
    return set->values != NULL ? RBL_OK : rbl_fail_memory();
}

static void fill_brick(const Build* b, uint32_t slot)
{
    BrickWork w = {.signs = {0}};
    uint32_t at[3];
    brick_at(b->set, b->candidates[slot], at);
    (void)gather_brick(b, at, w.distances);
    sign_brick(b, at, &w);
    int16_t* values = b->set->values + (size_t)slot * RBL_BRICK_STRIDE;
    for (uint32_t i = 0; i < RBL_BRICK_STRIDE; ++i)
    {
        values[i] =
            i < BRICK_VALUES ? quantise(w.signs[i] * w.distances[i], (double)b->set->unit) : (int16_t)0;
    }
}

static void fill_bricks(rblRange range, void* context)
{
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        fill_brick(context, i);
    }
}

// ---- largest inner ball ----

// The deepest grid point; false: none is inside.
static bool deepest_point(const Build* b, rblVec3d* point, double* depth)
{
    const rblLevelSet* set = b->set;
    *depth = 0.0;
    for (size_t i = 0; i < b->corner_count; ++i)
    {
        if (-(double)set->corners[i] > *depth)
        {
            *depth = -(double)set->corners[i];
            *point = corner_point(b, i);
        }
    }
    for (uint32_t brick = 0; brick < (uint32_t)b->brick_count; ++brick)
    {
        uint32_t at[3];
        brick_at(set, brick, at);
        for (uint32_t i = 0; set->slots[brick] != RBL_NO_BRICK && i < BRICK_VALUES; ++i)
        {
            const size_t index = (size_t)set->slots[brick] * RBL_BRICK_STRIDE + i;
            const double value = -(double)set->values[index] * (double)set->unit;
            if (value > *depth)
            {
                *depth = value;
                *point = brick_point(b, at, i);
            }
        }
    }
    return *depth > 0.0;
}

// Climb from the deepest grid point with decreasing steps, each too short to leave the solid.
static float largest_ball(const Build* b)
{
    rblVec3d best = b->origin;
    double depth = 0.0;
    uint32_t hint = RBL_NO_LEAF;
    if (!deepest_point(b, &best, &depth))
    {
        return 0.0f;
    }
    for (double step = 2.0 * b->cell; step > 0.05 * b->cell;)
    {
        bool climbed = false;
        // All 26 neighbours: on a ridge between faces, such as the diagonal of a box, no single axis leads upwards.
        for (int direction = 0; direction < 27 && 1.75 * step < depth; ++direction)
        {
            const rblVec3d moved = {best.x + (direction % 3 - 1) * step,
                                    best.y + (direction / 3 % 3 - 1) * step,
                                    best.z + (direction / 9 - 1) * step};
            const double found = rbl_distance_oracle_evaluate(&b->oracle, moved, &hint);
            climbed |= found > depth;
            best = found > depth ? moved : best;
            depth = rbl_maxd(found, depth);
        }
        step = climbed ? step : 0.5 * step;
    }
    return (float)depth;
}

static rblResult build(Build* b, const rblMeshView* view, double cell)
{
    RBL_TRY(lay_grid(b, view, cell));
    RBL_TRY(allocate_grid(b));
    rbl_parallel_for(b->jobs, (uint32_t)b->corner_count, 64, measure_corners, b);
    sign_corners(b);
    find_candidates(b);
    RBL_TRY(lay_blocks(b));
    rbl_parallel_for(b->jobs, b->block_count, 4, measure_blocks, b);
    RBL_TRY(allocate_bricks(b));
    rbl_parallel_for(b->jobs, b->set->stored, 4, fill_bricks, b);
    b->set->deepest = largest_ball(b);
    b->set->bytes = sizeof *b->set + b->brick_count * sizeof(uint32_t) + b->corner_count * sizeof(float) +
                    (size_t)b->set->stored * RBL_BRICK_STRIDE * sizeof(int16_t);
    return RBL_OK;
}

rblResult rbl_level_set_build(const rblMeshView* view, double cell, rblJobs* jobs,
                              const rblAllocator* allocator, rblLevelSet** out)
{
    Build b = {.allocator = allocator, .jobs = jobs};
    b.set = rbl_alloc_zero(allocator, sizeof *b.set);
    if (b.set == NULL)
    {
        return rbl_fail_memory();
    }
    b.set->allocator = allocator;
    rblResult result = rbl_distance_oracle_init(&b.oracle, view, allocator);
    if (result == RBL_OK)
    {
        result = build(&b, view, cell);
        build_free(&b);
    }
    if (result != RBL_OK)
    {
        rbl_level_set_free(b.set);
        return result;
    }
    *out = b.set;
    return RBL_OK;
}
