// Evaluation of level sets.
#include "field/level_set/level_set.h"

#include "math/vec.h"

// Corner values and position of a trilinear interpolation: f = sum of w_abc v_abc, a, b, c in {0, 1}.
typedef struct Patch
{
    float v[8]; // x fastest
    float x, y, z;
} Patch;

// The value, and the gradient of the interpolant per cell.
static float interpolate(const Patch* p, rblVec3* gradient)
{
    const float* v = p->v;
    const float dx00 = v[1] - v[0];
    const float dx10 = v[3] - v[2];
    const float dx01 = v[5] - v[4];
    const float dx11 = v[7] - v[6];
    const float a00 = v[0] + p->x * dx00;
    const float a10 = v[2] + p->x * dx10;
    const float a01 = v[4] + p->x * dx01;
    const float a11 = v[6] + p->x * dx11;
    const float dy0 = a10 - a00;
    const float dy1 = a11 - a01;
    const float b0 = a00 + p->y * dy0;
    const float b1 = a01 + p->y * dy1;
    const float ex0 = dx00 + p->y * (dx10 - dx00);
    const float ex1 = dx01 + p->y * (dx11 - dx01);
    gradient->x = ex0 + p->z * (ex1 - ex0);
    gradient->y = dy0 + p->z * (dy1 - dy0);
    gradient->z = b1 - b0;
    return b0 + p->z * (b1 - b0);
}

static float interpolate_value(const Patch* p)
{
    const float* v = p->v;
    const float a00 = v[0] + p->x * (v[1] - v[0]);
    const float a10 = v[2] + p->x * (v[3] - v[2]);
    const float a01 = v[4] + p->x * (v[5] - v[4]);
    const float a11 = v[6] + p->x * (v[7] - v[6]);
    const float b0 = a00 + p->y * (a10 - a00);
    const float b1 = a01 + p->y * (a11 - a01);
    return b0 + p->z * (b1 - b0);
}

// A point of the grid: its cell, and its position in the cell.
typedef struct Location
{
    uint32_t i, j, k;
    float x, y, z;
} Location;

static Location locate(const rblLevelSet* set, rblVec3 u)
{
    const uint32_t last_i = set->bricks[0] * RBL_BRICK_CELLS - 1;
    const uint32_t last_j = set->bricks[1] * RBL_BRICK_CELLS - 1;
    const uint32_t last_k = set->bricks[2] * RBL_BRICK_CELLS - 1;
    const uint32_t i = (uint32_t)(int32_t)u.x;
    const uint32_t j = (uint32_t)(int32_t)u.y;
    const uint32_t k = (uint32_t)(int32_t)u.z;
    Location location = {i < last_i ? i : last_i, j < last_j ? j : last_j, k < last_k ? k : last_k, 0, 0, 0};
    location.x = u.x - (float)(int32_t)location.i;
    location.y = u.y - (float)(int32_t)location.j;
    location.z = u.z - (float)(int32_t)location.k;
    return location;
}

static void load_brick(const rblLevelSet* set, uint32_t slot, const Location* at, Patch* patch)
{
    const uint32_t i = at->i % RBL_BRICK_CELLS;
    const uint32_t j = at->j % RBL_BRICK_CELLS;
    const uint32_t k = at->k % RBL_BRICK_CELLS;
    const int16_t* v = set->values + (size_t)slot * RBL_BRICK_STRIDE + (i + 5 * j + 25 * k);
    *patch = (Patch){{v[0], v[1], v[5], v[6], v[25], v[26], v[30], v[31]}, at->x, at->y, at->z};
}

static void load_corners(const rblLevelSet* set, const Location* at, Patch* patch)
{
    const size_t row = set->bricks[0] + 1;
    const size_t layer = row * (set->bricks[1] + 1);
    const uint32_t i = at->i / RBL_BRICK_CELLS;
    const uint32_t j = at->j / RBL_BRICK_CELLS;
    const uint32_t k = at->k / RBL_BRICK_CELLS;
    const float* v = set->corners + (i + row * j + layer * k);
    const float fraction = 1.0f / (float)RBL_BRICK_CELLS;
    *patch =
        (Patch){{v[0], v[1], v[row], v[row + 1], v[layer], v[layer + 1], v[layer + row], v[layer + row + 1]},
                fraction * ((float)(at->i % RBL_BRICK_CELLS) + at->x),
                fraction * ((float)(at->j % RBL_BRICK_CELLS) + at->y),
                fraction * ((float)(at->k % RBL_BRICK_CELLS) + at->z)};
}

// The corner of a brick that gives the best bound: in the direction of the gradient if the distance clearly grows, else
// the nearest.
static float best_corner(float slope, float steepest, float location)
{
    return fabsf(slope) > 0.4f * steepest ? (slope > 0.0f ? 1.0f : 0.0f) : (location > 0.5f ? 1.0f : 0.0f);
}

// A bound far from the surface. Distances at two points differ by at most the distance of the points, so
//   |d(p)| >= |interpolant| - H sqrt(x (1 - x) + y (1 - y) + z (1 - z)),   the mean distance to the corners, by Jensen, and
//   |d(p)| >= |d(c)| - |p - c|   for every corner c; a corner away from the surface gives the best bound.
static float far_bound(const rblLevelSet* set, const Patch* p)
{
    rblVec3 g;
    const float value = interpolate(p, &g);
    const float sign = value < 0.0f ? -1.0f : 1.0f;
    const float side = (float)RBL_BRICK_CELLS * set->cell;
    const float spread = p->x * (1.0f - p->x) + p->y * (1.0f - p->y) + p->z * (1.0f - p->z);
    const float steepest = rbl_maxf(fabsf(g.x), rbl_maxf(fabsf(g.y), fabsf(g.z)));
    const rblVec3 c = {best_corner(sign * g.x, steepest, p->x), best_corner(sign * g.y, steepest, p->y),
                       best_corner(sign * g.z, steepest, p->z)};
    const float corner = fabsf(p->v[(int)c.x + 2 * (int)c.y + 4 * (int)c.z]);
    const float center_distance = rbl_length3(rbl_sub3(rbl_vec3(p->x, p->y, p->z), c));
    const float mean_bound = fabsf(value) - side * sqrtf(rbl_maxf(spread, 0.0f));
    const float corner_bound = corner - side * center_distance * (1.0f + 1e-6f);
    return sign * rbl_maxf(rbl_maxf(mean_bound, corner_bound), set->band);
}

// The corners around a point of the grid. Returns false if the point is far from the surface: then they are the corners
// of a whole brick.
static bool load_patch(const rblLevelSet* set, rblVec3 u, Patch* patch)
{
    const Location at = locate(set, u);
    const uint32_t brick =
        rbl_level_set_brick(set, at.i / RBL_BRICK_CELLS, at.j / RBL_BRICK_CELLS, at.k / RBL_BRICK_CELLS);
    const uint32_t slot = set->slots[brick];
    if (slot == RBL_NO_BRICK)
    {
        load_corners(set, &at, patch);
        return false;
    }
    load_brick(set, slot, &at, patch);
    return true;
}

static float distance_within(const rblLevelSet* set, rblVec3 u, rblVec3* gradient)
{
    Patch p;
    const bool near = load_patch(set, u, &p);
    const float value = interpolate(&p, gradient);
    return near ? set->unit * value : far_bound(set, &p);
}

static float value_within(const rblLevelSet* set, rblVec3 u, bool* far)
{
    Patch p;
    *far = !load_patch(set, u, &p);
    return *far ? far_bound(set, &p) : set->unit * interpolate_value(&p);
}

// On the medial axis of a part thinner than two cells the gradient may be 0; any direction is valid.
static rblVec3 unit_gradient(rblVec3 g)
{
    const float squared = rbl_dot3(g, g);
    return squared > 1e-30f ? rbl_scale3(g, 1.0f / sqrtf(squared)) : rbl_vec3(0.0f, 1.0f, 0.0f);
}

// The box of the grid contains the solid. From a point p outside the box, with nearest point q of the box, the distance
// to the solid is at least sqrt(|p - q|^2 + d(q)^2), since the angle at q is never acute.
static float distance_beyond(const rblLevelSet* set, rblVec3 offset, float distance, rblVec3* gradient)
{
    const rblVec3 away = rbl_mul_add3(rbl_scale3(offset, set->cell), distance, unit_gradient(*gradient));
    *gradient = unit_gradient(away);
    const float beyond = set->cell * rbl_length3(offset);
    return sqrtf(beyond * beyond + distance * distance);
}

// In cells. NaN becomes a valid coordinate; the offset from it is NaN.
static rblVec3 clamp_to_grid(const rblLevelSet* set, rblVec3 u)
{
    const rblVec3 zero = {0.0f, 0.0f, 0.0f};
    const rblVec3 end = {(float)(int32_t)(set->bricks[0] * RBL_BRICK_CELLS),
                         (float)(int32_t)(set->bricks[1] * RBL_BRICK_CELLS),
                         (float)(int32_t)(set->bricks[2] * RBL_BRICK_CELLS)};
    return rbl_min3(rbl_max3(u, zero), end);
}

float rbl_level_set_distance(const rblLevelSet* set, rblVec3 point, rblVec3* gradient)
{
    const rblVec3 u = rbl_scale3(rbl_sub3(point, set->origin), set->inverse_cell);
    const rblVec3 q = clamp_to_grid(set, u);
    const float distance = distance_within(set, q, gradient);
    if (q.x == u.x && q.y == u.y && q.z == u.z)
    {
        *gradient = unit_gradient(*gradient);
        return distance;
    }
    return distance_beyond(set, rbl_sub3(u, q), distance, gradient);
}

float rbl_level_set_distance_only(const rblLevelSet* set, rblVec3 point, bool* far)
{
    const rblVec3 u = rbl_scale3(rbl_sub3(point, set->origin), set->inverse_cell);
    const rblVec3 q = clamp_to_grid(set, u);
    const float distance = value_within(set, q, far);
    if (q.x == u.x && q.y == u.y && q.z == u.z)
    {
        return distance;
    }
    const float beyond = set->cell * rbl_length3(rbl_sub3(u, q));
    return sqrtf(beyond * beyond + distance * distance);
}

void rbl_level_set_free(rblLevelSet* set)
{
    if (set == NULL)
    {
        return;
    }
    const size_t bricks = (size_t)set->bricks[0] * set->bricks[1] * set->bricks[2];
    const size_t corners = (size_t)(set->bricks[0] + 1) * (set->bricks[1] + 1) * (set->bricks[2] + 1);
    RBL_FREE_ARRAY(set->allocator, set->slots, bricks);
    RBL_FREE_ARRAY(set->allocator, set->corners, corners);
    RBL_FREE_ARRAY(set->allocator, set->values, (size_t)set->stored * RBL_BRICK_STRIDE);
    rbl_free(set->allocator, set, sizeof *set);
}
