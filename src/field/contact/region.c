// For a cell c with planes h(p) = n.p - o let r_c = max h. The point is in the cell if r_c <= 0, and its distance from
// the cell is at least r_c. The surface of the union consists of the parts of outer planes that are in their own cell;
// the distance of p from such a part is at least max(|h|, r_c). So inside
//   depth >= min over c of max(min over outer h of |h|, r_c).
// For a single cell this is the smallest |h|. Planes between two cells of the region have no effect.
#include "field/contact/region.h"

#include "base/array.h"
#include "base/error.h"
#include "math/aabb.h"
#include "math/simd.h"
#include "math/vec.h"
#include <math.h>

typedef RBL_ARRAY(rblHalfSpace) PlaneArray;
typedef RBL_ARRAY(rblAabb) BoxArray;

static rblAabb everything(void)
{
    const rblVec3 far_off = {INFINITY, INFINITY, INFINITY};
    return (rblAabb){rbl_neg3(far_off), far_off};
}

// ---- memory ----

static uint32_t group_count(uint32_t cell_count)
{
    return (cell_count + RBL_REGION_GROUP - 1) / RBL_REGION_GROUP;
}

static rblRegion* allocate_region(uint32_t cell_count, uint32_t block_count, const rblAllocator* allocator)
{
    const size_t block_bytes = sizeof(float) * RBL_REGION_BLOCK * block_count;
    const size_t box_bytes = sizeof(rblAabb) * cell_count;
    const size_t group_bytes = sizeof(rblAabb) * group_count(cell_count);
    const size_t bytes = sizeof(rblRegion) + block_bytes + box_bytes + group_bytes +
                         sizeof(uint32_t) * ((size_t)cell_count + 1);
    rblRegion* region = rbl_alloc(allocator, bytes);
    if (region != NULL)
    {
        char* at = (char*)(region + 1);
        *region = (rblRegion){.cell_count = cell_count, .block_count = block_count, .bytes = bytes};
        region->blocks = (float*)(void*)at;
        region->boxes = (rblAabb*)(void*)(at + block_bytes);
        region->groups = (rblAabb*)(void*)(at + block_bytes + box_bytes);
        region->starts = (uint32_t*)(void*)(at + block_bytes + box_bytes + group_bytes);
    }
    return region;
}

void rbl_region_free(rblRegion* region, const rblAllocator* allocator)
{
    if (region != NULL)
    {
        rbl_free(allocator, region, region->bytes);
    }
}

static void put_plane(float* block, uint32_t lane, const rblHalfSpace* plane)
{
    block[lane] = plane->normal.x;
    block[4 + lane] = plane->normal.y;
    block[8 + lane] = plane->normal.z;
    block[12 + lane] = plane->offset;
    block[16 + lane] = plane->inner ? INFINITY : 0.0f;
}

static void put_cell(rblRegion* region, uint32_t cell, const rblHalfSpace* planes, uint32_t count)
{
    const uint32_t blocks = (count + 3) / 4;
    float* block = region->blocks + (size_t)RBL_REGION_BLOCK * region->starts[cell];
    for (uint32_t i = 0; i < 4 * blocks; ++i)
    {
        put_plane(block + (size_t)RBL_REGION_BLOCK * (i / 4), i % 4, &planes[i < count ? i : count - 1]);
    }
    region->starts[cell + 1] = region->starts[cell] + blocks;
}

static void close_groups(rblRegion* region)
{
    for (uint32_t c = 0; c < region->cell_count; ++c)
    {
        rblAabb* group = &region->groups[c / RBL_REGION_GROUP];
        const rblAabb before = c % RBL_REGION_GROUP == 0 ? region->boxes[c] : *group;
        *group = rbl_aabb_union(before, region->boxes[c]);
    }
}

rblResult rbl_region_create(const rblRegionDef* def, const rblAllocator* allocator, rblRegion** out)
{
    if (def->cell_count == 0 || (def->cell_count > 1 && def->boxes == NULL))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "region: there must be at least 1 cell, and several cells must have boxes");
    }
    uint32_t blocks = 0;
    for (uint32_t c = 0; c < def->cell_count; ++c)
    {
        blocks += (def->starts[c + 1] - def->starts[c] + 3) / 4;
    }
    rblRegion* region = allocate_region(def->cell_count, blocks, allocator);
    if (region == NULL)
    {
        return rbl_fail_memory();
    }
    region->starts[0] = 0;
    for (uint32_t c = 0; c < def->cell_count; ++c)
    {
        region->boxes[c] = def->boxes != NULL ? def->boxes[c] : everything();
        put_cell(region, c, def->planes + def->starts[c], def->starts[c + 1] - def->starts[c]);
    }
    close_groups(region);
    *out = region;
    return RBL_OK;
}

uint32_t rbl_region_plane_count(const rblRegion* region, uint32_t cell)
{
    return 4 * (region->starts[cell + 1] - region->starts[cell]);
}

rblHalfSpace rbl_region_plane(const rblRegion* region, uint32_t cell, uint32_t i)
{
    const float* block = region->blocks + (size_t)RBL_REGION_BLOCK * (region->starts[cell] + i / 4) + i % 4;
    return (rblHalfSpace){{block[0], block[4], block[8]}, block[12], block[16] > 0.0f};
}

// ---- distances ----

typedef struct CellValue
{
    float highest; // r_c
    float outer;   // smallest |h| of outer planes
} CellValue;

static float smallest_lane(rblFloat4 v)
{
    float lanes[4];
    rbl_store4(lanes, v);
    return rbl_minf(rbl_minf(lanes[0], lanes[1]), rbl_minf(lanes[2], lanes[3]));
}

static rblFloat4 plane_values(const float* block, rblVec3 p)
{
    const rblFloat4 along = rbl_add4(rbl_add4(rbl_mul4(rbl_load4(block), rbl_splat4(p.x)),
                                              rbl_mul4(rbl_load4(block + 4), rbl_splat4(p.y))),
                                     rbl_mul4(rbl_load4(block + 8), rbl_splat4(p.z)));
    return rbl_sub4(along, rbl_load4(block + 12));
}

static CellValue evaluate_cell(const rblRegion* region, uint32_t cell, rblVec3 p)
{
    const float* block = region->blocks + (size_t)RBL_REGION_BLOCK * region->starts[cell];
    const float* end = region->blocks + (size_t)RBL_REGION_BLOCK * region->starts[cell + 1];
    const rblFloat4 zero = rbl_splat4(0.0f);
    rblFloat4 lowest_opposite = rbl_splat4(INFINITY); // min of -h
    rblFloat4 outer = rbl_splat4(INFINITY);
    for (; block < end; block += RBL_REGION_BLOCK)
    {
        const rblFloat4 h = plane_values(block, p);
        const rblFloat4 opposite = rbl_sub4(zero, h);
        lowest_opposite = rbl_min4(opposite, lowest_opposite);
        outer = rbl_min4(rbl_add4(rbl_max4(h, opposite), rbl_load4(block + 16)), outer);
    }
    return (CellValue){-smallest_lane(lowest_opposite), smallest_lane(outer)};
}

// Result over the cells so far.
typedef struct Union
{
    bool inside;
    float nearest; // outside: the smallest r_c
    float depth;   // inside: bound of the depth, see above
    uint32_t near_cell, deep_cell;
} Union;

static void add_cell(Union* u, const rblRegion* region, uint32_t cell, rblVec3 p)
{
    const CellValue value = evaluate_cell(region, cell, p);
    u->inside |= value.highest <= 0.0f;
    if (value.highest < u->nearest)
    {
        u->nearest = value.highest;
        u->near_cell = cell;
    }
    const float depth = rbl_maxf(value.outer, value.highest);
    if (depth < u->depth)
    {
        u->depth = depth;
        u->deep_cell = cell;
    }
}

// Both values of a cell are at least the distance from its box.
static bool is_beyond(const Union* u, rblAabb box, rblVec3 p)
{
    const float squared = rbl_aabb_distance_squared(box, p);
    const float bound = u->inside ? u->depth : rbl_maxf(u->nearest, u->depth);
    return squared > 0.0f && squared >= bound * bound;
}

static void add_group(Union* u, const rblRegion* region, uint32_t group, rblVec3 p)
{
    const uint32_t begin = group * RBL_REGION_GROUP;
    const uint32_t end = begin + RBL_REGION_GROUP;
    for (uint32_t c = begin; c < end && c < region->cell_count; ++c)
    {
        if (!is_beyond(u, region->boxes[c], p))
        {
            add_cell(u, region, c, p);
        }
    }
}

// Evaluation starts with the nearest group, so that more of the others are skipped.
static uint32_t nearest_group(const rblRegion* region, uint32_t groups, rblVec3 p)
{
    uint32_t best = 0;
    float nearest = INFINITY;
    for (uint32_t g = 0; g < groups; ++g)
    {
        const float squared = rbl_aabb_distance_squared(region->groups[g], p);
        best = squared < nearest ? g : best;
        nearest = rbl_minf(squared, nearest);
    }
    return best;
}

static Union evaluate(const rblRegion* region, rblVec3 p)
{
    Union u = {.nearest = INFINITY, .depth = INFINITY};
    if (region->cell_count == 1)
    {
        add_cell(&u, region, 0, p);
        return u;
    }
    const uint32_t groups = group_count(region->cell_count);
    const uint32_t first = groups > 1 ? nearest_group(region, groups, p) : 0;
    add_group(&u, region, first, p);
    for (uint32_t g = 0; g < groups; ++g)
    {
        if (g != first && !is_beyond(&u, region->groups[g], p))
        {
            add_group(&u, region, g, p);
        }
    }
    return u;
}

float rbl_region_distance(const rblRegion* region, rblVec3 point)
{
    const Union u = evaluate(region, point);
    return u.inside ? -u.depth : u.nearest;
}

// Normal of the outer plane of a cell that is nearest to the point, on either side.
static rblVec3 outer_normal(const rblRegion* region, uint32_t cell, rblVec3 p)
{
    rblVec3 normal = {0, 1, 0};
    float nearest = INFINITY;
    for (uint32_t i = 0; i < rbl_region_plane_count(region, cell); ++i)
    {
        const rblHalfSpace plane = rbl_region_plane(region, cell, i);
        const float h = rbl_dot3(plane.normal, p) - plane.offset;
        if (!plane.inner && fabsf(h) < nearest)
        {
            nearest = fabsf(h);
            normal = h <= 0.0f ? plane.normal : rbl_neg3(plane.normal);
        }
    }
    return normal;
}

// ---- tuning ----
// Squared sine of the angle between two planes; below it they count as parallel.
#define MIN_SINE_SQUARED 1e-6f

// The plane with the largest value at a point, the first of equals.
static rblHalfSpace highest_plane(const rblRegion* region, uint32_t cell, rblVec3 p, float* highest)
{
    uint32_t best = 0;
    *highest = -INFINITY;
    for (uint32_t b = region->starts[cell]; b < region->starts[cell + 1]; ++b)
    {
        float h[4];
        rbl_store4(h, plane_values(region->blocks + (size_t)RBL_REGION_BLOCK * b, p));
        for (uint32_t lane = 0; lane < 4; ++lane)
        {
            if (h[lane] > *highest)
            {
                *highest = h[lane];
                best = 4 * (b - region->starts[cell]) + lane;
            }
        }
    }
    return rbl_region_plane(region, cell, best);
}

// If the projection on the plane with the largest value is outside another plane, the nearest point of both is on their
// common line:
//   p - x = a m + b n,  a = (h_m - c h_n) / (1 - c^2),  b = (h_n - c h_m) / (1 - c^2),  c = m.n,  with a, b > 0,
//   |p - x|^2 = (h_m^2 - 2 c h_m h_n + h_n^2) / (1 - c^2).
static float wedge_distance(const rblRegion* region, uint32_t cell, rblVec3 p, rblVec3* gradient)
{
    float high;
    const rblHalfSpace m = highest_plane(region, cell, p, &high);
    const rblFloat4 highs = rbl_splat4(high);
    float best = high * high;
    rblHalfSpace n = m;
    for (uint32_t i = region->starts[cell]; i < region->starts[cell + 1]; ++i)
    {
        const float* block = region->blocks + (size_t)RBL_REGION_BLOCK * i;
        const rblFloat4 h = plane_values(block, p);
        const rblFloat4 c = rbl_add4(plane_values(block, m.normal), rbl_load4(block + 12));
        const rblFloat4 b = rbl_sub4(h, rbl_mul4(c, highs));
        const rblFloat4 sine = rbl_sub4(rbl_splat4(1.0f), rbl_mul4(c, c));
        const rblFloat4 a = rbl_sub4(highs, rbl_mul4(c, h));
        const rblFloat4 zero = rbl_splat4(0.0f);
        const rblFloat4 meets = rbl_and4(rbl_and4(rbl_less4(zero, b), rbl_less4(zero, a)),
                                         rbl_less4(rbl_splat4(MIN_SINE_SQUARED), sine));
        // h_m a + h_n b = h_m^2 - 2 c h_m h_n + h_n^2.
        const rblFloat4 squares = rbl_div4(rbl_add4(rbl_mul4(highs, a), rbl_mul4(h, b)), sine);
        const uint32_t mask = rbl_mask4(rbl_and4(meets, rbl_less4(rbl_splat4(best), squares)));
        float lanes[4];
        rbl_store4(lanes, squares);
        for (uint32_t lane = 0; mask != 0 && lane < 4; ++lane)
        {
            if ((mask >> lane & 1u) != 0 && lanes[lane] > best)
            {
                best = lanes[lane];
                n = rbl_region_plane(region, cell, 4 * (i - region->starts[cell]) + lane);
            }
        }
    }
    const float c = rbl_dot3(m.normal, n.normal);
    const float h = rbl_dot3(n.normal, p) - n.offset;
    const rblVec3 away = rbl_mul_add3(rbl_scale3(m.normal, high - c * h), h - c * high, n.normal);
    *gradient = best > high * high ? rbl_normalize3(away, m.normal) : m.normal;
    return best > high * high ? sqrtf(best) : high;
}

// The minimum of `best` and of the distances of the cells of a group.
static float nearest_wedge(const rblRegion* region, uint32_t group, rblVec3 point, float best,
                           rblVec3* gradient)
{
    const uint32_t begin = group * RBL_REGION_GROUP;
    const uint32_t end = begin + RBL_REGION_GROUP;
    for (uint32_t c = begin; c < end && c < region->cell_count; ++c)
    {
        if (rbl_aabb_distance_squared(region->boxes[c], point) >= best * best)
        {
            continue;
        }
        rblVec3 away;
        const float distance = wedge_distance(region, c, point, &away);
        if (distance < best)
        {
            best = distance;
            *gradient = away;
        }
    }
    return best;
}

float rbl_region_nearest(const rblRegion* region, rblVec3 point, rblVec3* gradient)
{
    if (region->cell_count == 1)
    {
        const float distance = wedge_distance(region, 0, point, gradient);
        if (distance > 0.0f)
        {
            return distance;
        }
    }
    const Union u = evaluate(region, point);
    if (u.inside)
    {
        *gradient = outer_normal(region, u.deep_cell, point);
        return -u.depth;
    }
    // Another cell may be the nearest now; the result must be a bound for all cells.
    float best = wedge_distance(region, u.near_cell, point, gradient);
    for (uint32_t g = 0; g < group_count(region->cell_count); ++g)
    {
        if (rbl_aabb_distance_squared(region->groups[g], point) < best * best)
        {
            best = nearest_wedge(region, g, point, best, gradient);
        }
    }
    return best;
}

// ---- intersections of regions ----

typedef struct Draft
{
    PlaneArray planes;
    rblIndexArray starts;
    BoxArray boxes;
} Draft;

static void draft_free(Draft* draft)
{
    rbl_array_free(&draft->planes);
    rbl_array_free(&draft->starts);
    rbl_array_free(&draft->boxes);
}

// Smallest and largest value of a plane in a box.
static void plane_range(const rblHalfSpace* plane, rblAabb box, float* lowest, float* highest)
{
    const rblVec3 n = plane->normal;
    const rblVec3 half = rbl_scale3(rbl_aabb_size(box), 0.5f);
    const float middle = rbl_dot3(n, rbl_aabb_center(box)) - plane->offset;
    const float reach = fabsf(n.x) * half.x + fabsf(n.y) * half.y + fabsf(n.z) * half.z;
    *lowest = middle - reach;
    *highest = middle + reach;
}

static bool same_plane(const rblHalfSpace* a, const rblHalfSpace* b)
{
    return a->normal.x == b->normal.x && a->normal.y == b->normal.y && a->normal.z == b->normal.z &&
           a->offset == b->offset && a->inner == b->inner;
}

// Add a plane to the current cell. `empty`: the plane cuts off the whole box.
static bool draft_plane(Draft* draft, const rblHalfSpace* plane, rblAabb box, float tolerance, bool* empty)
{
    float lowest;
    float highest;
    plane_range(plane, box, &lowest, &highest);
    *empty |= lowest > tolerance;
    if (highest < -tolerance)
    {
        return true;
    }
    for (size_t i = draft->starts.data[draft->starts.count - 1]; i < draft->planes.count; ++i)
    {
        if (same_plane(&draft->planes.data[i], plane))
        {
            return true;
        }
    }
    return rbl_array_push(&draft->planes, *plane);
}

// Add the planes of the box: a cell may have no other planes.
static bool draft_box(Draft* draft, rblAabb box)
{
    const float* lower = &box.lower.x;
    const float* upper = &box.upper.x;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        rblHalfSpace low = {.offset = -lower[axis], .inner = true};
        rblHalfSpace high = {.offset = upper[axis], .inner = true};
        (&low.normal.x)[axis] = -1.0f;
        (&high.normal.x)[axis] = 1.0f;
        if (!rbl_array_push(&draft->planes, low) || !rbl_array_push(&draft->planes, high))
        {
            return false;
        }
    }
    return true;
}

static bool draft_cell(const rblRegionProduct* product, uint32_t a, uint32_t b, Draft* draft)
{
    const size_t first = draft->planes.count;
    rblAabb box = product->box;
    if (product->b->boxes != NULL)
    {
        box = rbl_aabb_intersection(box, product->b->boxes[b]);
    }
    if (product->a != NULL)
    {
        box = rbl_aabb_intersection(box, product->a->boxes[a]);
    }
    const rblVec3 size = rbl_aabb_size(box);
    if (!(size.x > 0.0f && size.y > 0.0f && size.z > 0.0f))
    {
        return true;
    }
    bool empty = false;
    bool stored = draft_box(draft, product->box);
    const uint32_t count_a = product->a != NULL ? rbl_region_plane_count(product->a, a) : 0;
    for (uint32_t i = 0; i < count_a && stored && !empty; ++i)
    {
        const rblHalfSpace plane = rbl_region_plane(product->a, a, i);
        stored = draft_plane(draft, &plane, product->box, product->tolerance, &empty);
    }
    for (uint32_t i = product->b->starts[b]; i < product->b->starts[b + 1] && stored && !empty; ++i)
    {
        stored = draft_plane(draft, &product->b->planes[i], product->box, product->tolerance, &empty);
    }
    if (!stored || empty)
    {
        draft->planes.count = first;
        return stored;
    }
    return rbl_array_push(&draft->starts, (uint32_t)draft->planes.count) &&
           rbl_array_push(&draft->boxes, box);
}

static bool draft_cells(const rblRegionProduct* product, Draft* draft)
{
    const uint32_t count_a = product->a != NULL ? product->a->cell_count : 1;
    bool stored = rbl_array_push(&draft->starts, 0u);
    for (uint32_t a = 0; a < count_a; ++a)
    {
        for (uint32_t b = 0; b < product->b->cell_count && stored; ++b)
        {
            stored = draft_cell(product, a, b, draft);
        }
    }
    return stored;
}

rblResult rbl_region_multiply(const rblRegionProduct* product, const rblAllocator* allocator, rblRegion** out)
{
    Draft draft;
    rbl_array_init(&draft.planes, allocator);
    rbl_array_init(&draft.starts, allocator);
    rbl_array_init(&draft.boxes, allocator);
    rblResult result = RBL_OK;
    if (!draft_cells(product, &draft))
    {
        result = rbl_fail_memory();
    }
    else
    {
        const rblRegionDef def = {.planes = draft.planes.data,
                                  .starts = draft.starts.data,
                                  .boxes = draft.boxes.data,
                                  .cell_count = (uint32_t)draft.boxes.count};
        result = def.cell_count > 0
                     ? rbl_region_create(&def, allocator, out)
                     : rbl_fail(RBL_ERROR_GEOMETRY, "region: the regions have no common part in the box");
    }
    draft_free(&draft);
    return result;
}
