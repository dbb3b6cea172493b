// Bricks in running bond. A power diagram has no such cells, but a grid of half bricks along the axes of the body is
// one. Two neighbouring halves are one region. Every second course starts with a single half, and so does every second
// layer in depth.
#include "fracture/pattern/pattern_private.h"
#include "math/mat3.h"

// ---- tuning ----
#define BRICK_ASPECT 3.3  // ratio of length to height: 215 mm by 65 mm
#define BRICK_DEPTH  2.1  // ratio of length to depth: 215 mm by 102 mm
#define HALVINGS     24   // steps of the bisection for the brick height
#define MAX_CELLS    8192 // grids with more cells than this get cells only where the body is

typedef struct Wall
{
    rblDraft* draft;
    rblMat3d axes;        // columns: along the bricks, up, into the wall; unit
    rblVec3d lower, size; // box of the body along `axes`
    double step[3];       // half of a brick's length, its height, its depth, m
    uint32_t count[3];    // cells along each axis
    unsigned char* used;  // per cell: 1 if it contains a point of the body; mark_cells()
    size_t used_size;
} Wall;

static double along(rblVec3d v, int axis)
{
    return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}

static void measure(Wall* wall)
{
    const rblDraft* draft = wall->draft;
    rblVec3d upper = {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY};
    wall->lower = rbl_neg3d(upper);
    for (size_t p = 0; p < draft->points.count; ++p)
    {
        const rblVec3d at = rbl_mat3d_apply_transposed(&wall->axes, draft->points.data[p]);
        wall->lower = rbl_min3d(wall->lower, at);
        upper = rbl_max3d(upper, at);
    }
    const rblVec3d margin = rbl_scale3d(rbl_vec3d(1, 1, 1), 1e-6 * draft->extent);
    wall->lower = rbl_sub3d(wall->lower, margin);
    wall->size = rbl_sub3d(rbl_add3d(upper, margin), wall->lower);
}

// The up axis is the axis of the definition, by default the y axis of the body. Bricks lie along the longer of the two
// other axes.
static void choose_axes(Wall* wall)
{
    const rblDraft* draft = wall->draft;
    const rblMat3d* body = &draft->body->axes;
    const bool given = rbl_dot3d(draft->def->axis, draft->def->axis) > 0.0;
    const rblVec3d up = given ? rbl_draft_axis(draft, true) : body->cy;
    const rblVec3d choices[3] = {body->cx, body->cz, body->cy};
    rblVec3d horizontal = {0, 0, 0};
    for (int k = 0; k < 3 && rbl_length3d(horizontal) < 0.5; ++k) // the first axis that is not parallel to up
    {
        horizontal = rbl_mul_add3d(choices[k], -rbl_dot3d(choices[k], up), up);
    }
    horizontal = rbl_scale3d(horizontal, 1.0 / rbl_length3d(horizontal));
    wall->axes = (rblMat3d){horizontal, up, rbl_cross3d(horizontal, up)};
    measure(wall);
    if (wall->size.z > wall->size.x)
    {
        wall->axes = (rblMat3d){wall->axes.cz, up, rbl_neg3d(horizontal)};
        measure(wall);
    }
}

// Where the body is only a few bricks wide, the width is a whole number of bricks: this avoids thin bricks at the far
// side.
static void choose_steps(Wall* wall, double height)
{
    const double aspect = wall->draft->def->aspect > 0.0 ? wall->draft->def->aspect : BRICK_ASPECT;
    const double wanted[3] = {0.5 * aspect * height, height, aspect / BRICK_DEPTH * height};
    for (int axis = 0; axis < 3; ++axis)
    {
        const double size = along(wall->size, axis);
        wall->count[axis] = (uint32_t)rbl_clampd(floor(size / wanted[axis] + 0.5), 1.0, 4096.0);
        wall->step[axis] = size / wall->count[axis];
    }
}

static uint32_t cell_along(const Wall* wall, rblVec3d at, int axis)
{
    const double place = (along(at, axis) - along(wall->lower, axis)) / wall->step[axis];
    return (uint32_t)rbl_clampd(floor(place), 0.0, wall->count[axis] - 1.0);
}

// Index of a brick from the indices of its half. Each course has one more index, since it may have a single half at
// both ends.
static size_t brick_of(const Wall* wall, uint32_t half, uint32_t course, uint32_t layer)
{
    const size_t bricks_per_course = wall->count[0] / 2 + 1;
    return ((size_t)layer * wall->count[1] + course) * bricks_per_course +
           (half + ((course + layer) & 1)) / 2;
}

// Largest number of bricks along each side of a block. Every brick is a cell, so the number of bricks is limited.
static uint32_t largest_block(const rblDraft* draft)
{
    uint32_t max_bricks = 1;
    while (draft->def->falloff > 0.0 &&
           16.0 * max_bricks * max_bricks * max_bricks * (double)draft->def->pieces <= MAX_CELLS)
    {
        max_bricks *= 2;
    }
    return max_bricks;
}

// With a falloff, bricks far from the impact are joined to blocks of 2, 4, ... bricks along each side. A block of n
// bricks along each side has a distance of at least n falloffs. Blocks are nested: a brick belongs to the largest block
// that is far enough away. The index of a block is the index of its first brick.
static size_t block_of(const Wall* wall, uint32_t half, uint32_t course, uint32_t layer)
{
    const uint32_t max_bricks = largest_block(wall->draft);
    const uint32_t brick = (half + ((course + layer) & 1)) / 2;
    const size_t bricks_per_course = wall->count[0] / 2 + 1;
    for (uint32_t n = max_bricks; n > 1; n /= 2)
    {
        const uint32_t first[3] = {brick / n * n, course / n * n, layer / n * n};
        const rblVec3d middle = {wall->lower.x + 2.0 * wall->step[0] * (first[0] + 0.5 * n),
                                 wall->lower.y + wall->step[1] * (first[1] + 0.5 * n),
                                 wall->lower.z + wall->step[2] * (first[2] + 0.5 * n)};
        if (rbl_length3d(middle) >= n * wall->draft->def->falloff)
        {
            return ((size_t)first[2] * wall->count[1] + first[1]) * bricks_per_course + first[0];
        }
    }
    return brick_of(wall, half, course, layer);
}

static size_t brick_count(const Wall* wall)
{
    return (size_t)(wall->count[0] / 2 + 1) * wall->count[1] * wall->count[2];
}

// Number of bricks that contain a point of the body; UINT32_MAX if the grid is too fine.
static rblResult count_bricks(const Wall* wall, uint32_t* out)
{
    const size_t size = brick_count(wall);
    *out = UINT32_MAX;
    if (size > 64u * RBL_MAX_CELLS)
    {
        return RBL_OK;
    }
    unsigned char* used = rbl_alloc_zero(wall->draft->allocator, size);
    if (used == NULL)
    {
        return rbl_fail_memory();
    }
    *out = 0;
    for (size_t p = 0; p < wall->draft->points.count; ++p)
    {
        const rblVec3d at = rbl_mat3d_apply_transposed(&wall->axes, wall->draft->points.data[p]);
        const size_t brick =
            block_of(wall, cell_along(wall, at, 0), cell_along(wall, at, 1), cell_along(wall, at, 2));
        *out += used[brick] == 0 ? 1 : 0;
        used[brick] = 1;
    }
    rbl_free(wall->draft->allocator, used, size);
    return RBL_OK;
}

// Bisection of the brick height: the largest bricks that give at least the requested number of pieces.
static rblResult choose_height(Wall* wall)
{
    const uint32_t pieces = wall->draft->def->pieces;
    double low = 1e-4 * wall->draft->extent, high = 2.0 * wall->draft->extent;
    for (int round = 0; round < HALVINGS; ++round)
    {
        const double middle = sqrt(low * high);
        uint32_t count;
        choose_steps(wall, middle);
        RBL_TRY(count_bricks(wall, &count));
        low = count >= pieces ? middle : low;
        high = count >= pieces ? high : middle;
    }
    choose_steps(wall, low);
    return RBL_OK;
}

static size_t cell_number(const Wall* wall, uint32_t half, uint32_t course, uint32_t layer)
{
    return ((size_t)layer * wall->count[1] + course) * wall->count[0] + half;
}

static rblResult mark_cells(Wall* wall)
{
    wall->used_size = (size_t)wall->count[0] * wall->count[1] * wall->count[2];
    wall->used = rbl_alloc_zero(wall->draft->allocator, wall->used_size);
    if (wall->used == NULL)
    {
        return rbl_fail_memory();
    }
    for (size_t p = 0; p < wall->draft->points.count; ++p)
    {
        const rblVec3d at = rbl_mat3d_apply_transposed(&wall->axes, wall->draft->points.data[p]);
        wall->used[cell_number(wall, cell_along(wall, at, 0), cell_along(wall, at, 1),
                               cell_along(wall, at, 2))] = 1;
    }
    return RBL_OK;
}

// Offset of the linear function of cell k along one axis. Its slope is -2 step k, and at the facet b_k between cells k
// - 1 and k both functions are equal.
static void next_cell(Wall* wall, int axis, uint32_t k, double* offset)
{
    const double jitter = k > 0 ? 0.12 * rbl_draft_jitter(wall->draft) : 0.0;
    const double border = along(wall->lower, axis) + wall->step[axis] * (k + jitter);
    *offset += k > 0 ? 2.0 * wall->step[axis] * border : 0.0;
}

static rblResult add_bricks(Wall* wall, double* offsets[3])
{
    for (int axis = 0; axis < 3; ++axis)
    {
        double offset = 0.0;
        for (uint32_t k = 0; k < wall->count[axis]; ++k)
        {
            next_cell(wall, axis, k, &offset);
            offsets[axis][k] = offset;
        }
    }
    for (uint32_t layer = 0; layer < wall->count[2]; ++layer)
    {
        for (uint32_t course = 0; course < wall->count[1]; ++course)
        {
            for (uint32_t half = 0; half < wall->count[0]; ++half)
            {
                if (wall->used_size > MAX_CELLS && wall->used[cell_number(wall, half, course, layer)] == 0)
                {
                    continue;
                }
                const rblVec3d slope = {-2.0 * wall->step[0] * half, -2.0 * wall->step[1] * course,
                                        -2.0 * wall->step[2] * layer};
                RBL_TRY(rbl_draft_add(wall->draft, rbl_mat3d_apply(&wall->axes, slope),
                                      offsets[0][half] + offsets[1][course] + offsets[2][layer],
                                      (uint32_t)block_of(wall, half, course, layer)));
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_make_bricks(rblDraft* draft)
{
    Wall wall = {.draft = draft};
    choose_axes(&wall);
    RBL_TRY(choose_height(&wall));
    RBL_TRY(mark_cells(&wall));
    double* offsets[3];
    bool enough = true;
    for (int axis = 0; axis < 3; ++axis)
    {
        offsets[axis] = RBL_NEW_ARRAY(draft->allocator, double, wall.count[axis]);
        enough = enough && offsets[axis] != NULL;
    }
    const rblResult result = enough ? add_bricks(&wall, offsets) : rbl_fail_memory();
    for (int axis = 0; axis < 3; ++axis)
    {
        RBL_FREE_ARRAY(draft->allocator, offsets[axis], wall.count[axis]);
    }
    rbl_free(draft->allocator, wall.used, wall.used_size);
    return result;
}
