// Creation of the grid of a fragment. Distances to the facets of its cracks are written into a lattice of points,
// points inside its parts of tetrahedra are marked, and the distance of the solid is evaluated near the fragment.
// Farther away than the reach of facets, distances to lattice points near the fragment are used. Bricks near its
// surface are stored.
#include "field/fragment/fragment_grid.h"

#include "base/bits.h"
#include "math/aabb.h"
#include "math/vec.h"

// ---- tuning ----
// Lengths in cells:
// Bricks within this distance of the surface are stored; larger than the error bound of far values.
#define BAND        1.25f
#define REACH       0.9f   // distance within which facets write exact values; above half a diagonal
#define HALF_CELL   0.867f // half a diagonal of a cell: bound of the distance to the nearest lattice point
#define POINT_ERROR 0.2f   // error bound of distances to lattice points that represent the fragment
#define NEAR        3.0f   // distance within which the field of the solid is used
#define MAX_VALUE   12.0f  // largest value in a brick

#define FINEST_CELL 0.35f // relative to the mean edge; smallest cell
#define USUAL_CELL  0.5f  // relative to the mean edge; usual cell
#define USUAL_CELLS 16.0f // cells along the longest side, within these limits
#define MAX_CELLS   40.0f // cells along the longest side

#define BRICK_VALUES  125u // points of a brick
#define NOT_EVALUATED (-INFINITY)

// Four boxes.
typedef struct BoxBlock
{
    float lower[3][4], upper[3][4];
} BoxBlock;

typedef struct Build
{
    const rblFragmentField* field;
    const rblAllocator* allocator;
    rblFragmentLattice lattice;
    rblCrackFacets facets;
    rblLevelSet* set;
    size_t brick_count, corner_count;
    float* solid;   // per point: distance of S, m; NOT_EVALUATED: not evaluated
    float* outside; // per point: squared distance to points that represent the fragment, in cells
    // Per point: squared distance to points that are not deep inside, in cells; null: no point is deep.
    float* deep;
    float* scratch;
    rblAabb* flags;  // per brick: box of its part of the fragment; empty: none
    size_t last_box; // the last brick with a part
    BoxBlock* boxes;
    int16_t* values; // of the stored bricks, in order
} Build;

static void build_free(Build* b)
{
    const rblFragmentLattice* l = &b->lattice;
    RBL_FREE_ARRAY(b->allocator, l->facets, l->point_count);
    RBL_FREE_ARRAY(b->allocator, l->inside, l->point_count);
    RBL_FREE_ARRAY(b->allocator, b->solid, l->point_count);
    RBL_FREE_ARRAY(b->allocator, b->outside, l->point_count);
    RBL_FREE_ARRAY(b->allocator, b->deep, l->point_count);
    RBL_FREE_ARRAY(b->allocator, b->scratch, l->point_count);
    RBL_FREE_ARRAY(b->allocator, b->flags, b->brick_count);
    RBL_FREE_ARRAY(b->allocator, b->boxes, b->brick_count / 4 + 1);
    RBL_FREE_ARRAY(b->allocator, b->values, b->brick_count * RBL_BRICK_STRIDE);
    rbl_array_free(&b->facets);
}

// ---- lattice ----

static float cell_of(const rblFragmentField* field)
{
    const rblVec3 size = rbl_aabb_size(field->bounds);
    const float longest = rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    const float edge = field->event->background->edge;
    const float wanted = rbl_clampf(longest / USUAL_CELLS, FINEST_CELL * edge, USUAL_CELL * edge);
    return rbl_maxf(wanted, longest / MAX_CELLS);
}

static void lay_lattice(Build* b)
{
    rblFragmentLattice* l = &b->lattice;
    const float cell = cell_of(b->field);
    const rblVec3 middle = rbl_aabb_center(b->field->bounds);
    const rblVec3 size = rbl_aabb_size(b->field->bounds);
    const float side = cell * (float)RBL_BRICK_CELLS, around = 2.0f * (BAND + 1.0f) * cell;
    const float counts[3] = {ceilf((size.x + around) / side), ceilf((size.y + around) / side),
                             ceilf((size.z + around) / side)};
    const rblVec3 half = {0.5f * side * counts[0], 0.5f * side * counts[1], 0.5f * side * counts[2]};
    l->origin = rbl_sub3(middle, half);
    l->cell = cell;
    l->inverse = 1.0f / cell;
    l->reach = REACH * cell;
    b->brick_count = 1;
    b->corner_count = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
        l->bricks[axis] = (uint32_t)(int32_t)counts[axis];
        b->brick_count *= l->bricks[axis];
        b->corner_count *= l->bricks[axis] + 1;
    }
    l->row = 4 * (l->bricks[0] + 1);
    l->layer = l->row * (4 * l->bricks[1] + 1);
    l->point_count = (size_t)l->layer * (4 * l->bricks[2] + 1);
}

static bool allocate(Build* b)
{
    rblFragmentLattice* l = &b->lattice;
    l->facets = RBL_NEW_ARRAY(b->allocator, float, l->point_count);
    l->inside = rbl_alloc_zero(b->allocator, l->point_count);
    b->solid = RBL_NEW_ARRAY(b->allocator, float, l->point_count);
    b->outside = RBL_NEW_ARRAY(b->allocator, float, l->point_count);
    b->scratch = RBL_NEW_ARRAY(b->allocator, float, l->point_count);
    b->flags = RBL_NEW_ARRAY(b->allocator, rblAabb, b->brick_count);
    b->boxes = RBL_NEW_ARRAY(b->allocator, BoxBlock, b->brick_count / 4 + 1);
    b->values = RBL_NEW_ARRAY(b->allocator, int16_t, b->brick_count * RBL_BRICK_STRIDE);
    b->set->slots = RBL_NEW_ARRAY(b->allocator, uint32_t, b->brick_count);
    b->set->corners = RBL_NEW_ARRAY(b->allocator, float, b->corner_count);
    const bool ok = l->facets != NULL && l->inside != NULL && b->solid != NULL && b->outside != NULL &&
                    b->scratch != NULL && b->flags != NULL && b->boxes != NULL && b->values != NULL &&
                    b->set->slots != NULL && b->set->corners != NULL;
    for (size_t i = 0; i < l->point_count && ok; ++i)
    {
        l->facets[i] = l->reach * l->reach;
        b->solid[i] = NOT_EVALUATED;
        b->outside[i] = INFINITY;
    }
    return ok;
}

static rblVec3 point_at(const rblFragmentLattice* l, uint32_t i, uint32_t j, uint32_t k)
{
    return (rblVec3){l->origin.x + (float)(int32_t)i * l->cell, l->origin.y + (float)(int32_t)j * l->cell,
                     l->origin.z + (float)(int32_t)k * l->cell};
}

// ---- distances at lattice points ----

// Facets outside the solid are not part of the surface.
static void add_facets(const Build* b)
{
    const rblLevelSet* solid = b->field->event->background->grid;
    const size_t count = b->facets.count;
    for (size_t i = 0; i < count; i += 4)
    {
        float x[4], y[4], z[4], heights[4];
        uint32_t far;
        for (size_t k = 0; k < 4; ++k)
        {
            const rblVec3 center = b->facets.data[i + k < count ? i + k : i].center;
            x[k] = center.x;
            y[k] = center.y;
            z[k] = center.z;
        }
        rbl_store4(heights, rbl_level_set_distance4(solid, rbl_load4(x), rbl_load4(y), rbl_load4(z), &far));
        for (size_t k = 0; k < 4 && i + k < count; ++k)
        {
            if (heights[k] <= b->facets.data[i + k].radius + 0.5f * solid->cell)
            {
                rbl_lattice_add_facet(&b->lattice, &b->facets.data[i + k]);
            }
        }
    }
}

// Distance of the solid at four points of a row.
static void evaluate_solid(const Build* b, size_t index, uint32_t i, uint32_t j, uint32_t k)
{
    const rblFragmentLattice* l = &b->lattice;
    if (b->solid[index] == NOT_EVALUATED)
    {
        const rblVec3 p = point_at(l, i, j, k);
        const rblFloat4 steps = rbl_set4(0.0f, l->cell, 2.0f * l->cell, 3.0f * l->cell);
        uint32_t far;
        rbl_store4(b->solid + index, rbl_level_set_distance4(b->field->event->background->grid,
                                                             rbl_add4(rbl_splat4(p.x), steps),
                                                             rbl_splat4(p.y), rbl_splat4(p.z), &far));
    }
}

static rblFloat4 inside4(const rblFragmentLattice* l, size_t index)
{
    const uint8_t* marks = l->inside + index;
    return rbl_less4(rbl_splat4(0.0f),
                     rbl_set4((float)marks[0], (float)marks[1], (float)marks[2], (float)marks[3]));
}

// Lanes of points that are deeper inside than the reach of facets.
static rblFloat4 deep4(const Build* b, size_t index)
{
    const rblFragmentLattice* l = &b->lattice;
    const rblFloat4 unset = rbl_less_equal4(rbl_splat4(l->reach * l->reach), rbl_load4(l->facets + index));
    const rblFloat4 below = rbl_less4(rbl_load4(b->solid + index), rbl_splat4(-l->reach));
    return rbl_and4(inside4(l, index), rbl_and4(below, unset));
}

// Mark points that represent the fragment: every point of the fragment is within half a diagonal of one of them.
static void mark_representative(const Build* b, size_t index)
{
    const rblFragmentLattice* l = &b->lattice;
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 crack = rbl_select4(inside4(l, index), zero, rbl_sqrt4(rbl_load4(l->facets + index)));
    const rblFloat4 above =
        rbl_mul4(rbl_splat4(l->inverse), rbl_max4(rbl_max4(rbl_load4(b->solid + index), crack), zero));
    const rblFloat4 near = rbl_less_equal4(above, rbl_splat4(HALF_CELL));
    rbl_store4(b->outside + index, rbl_select4(near, rbl_mul4(above, above), rbl_splat4(INFINITY)));
}

static bool measure_deep(Build* b)
{
    const size_t count = b->lattice.point_count;
    b->deep = RBL_NEW_ARRAY(b->allocator, float, count);
    if (b->deep == NULL)
    {
        return false;
    }
    for (size_t i = 0; i < count; i += 4)
    {
        rbl_store4(b->deep + i, rbl_and4(deep4(b, i), rbl_splat4(INFINITY)));
    }
    rbl_lattice_spread(&b->lattice, b->deep, b->scratch);
    return true;
}

static bool find_points(Build* b)
{
    const rblFragmentLattice* l = &b->lattice;
    const rblFloat4 reach = rbl_splat4(l->reach * l->reach);
    bool any_deep = false;
    size_t index = 0;
    for (uint32_t k = 0; k <= 4 * l->bricks[2]; ++k)
    {
        for (uint32_t j = 0; j <= 4 * l->bricks[1]; ++j)
        {
            for (uint32_t i = 0; i < l->row; i += 4, index += 4)
            {
                uint32_t marks;
                memcpy(&marks, l->inside + index, sizeof marks);
                if (marks != 0 || rbl_mask4(rbl_less4(rbl_load4(l->facets + index), reach)) != 0)
                {
                    evaluate_solid(b, index, i, j, k);
                    mark_representative(b, index);
                    any_deep = any_deep || rbl_mask4(deep4(b, index)) != 0;
                }
            }
        }
    }
    rbl_lattice_spread(l, b->outside, b->scratch);
    return !any_deep || measure_deep(b);
}

// ---- values ----

// Values of four points; they replace the distances to facets.
static void write_values(const Build* b, size_t index)
{
    const rblFragmentLattice* l = &b->lattice;
    const rblFloat4 cell = rbl_splat4(l->cell), zero = rbl_splat4(0.0f), one = rbl_splat4(1.0f);
    const rblFloat4 solid = rbl_load4(b->solid + index);
    const rblFloat4 crack = rbl_sqrt4(rbl_load4(l->facets + index));
    const rblFloat4 near = rbl_mul4(cell, rbl_sqrt4(rbl_load4(b->outside + index)));
    const rblFloat4 less =
        rbl_select4(rbl_and4(rbl_less4(rbl_splat4(NOT_EVALUATED), solid), rbl_less4(solid, zero)),
                    rbl_splat4(POINT_ERROR * l->cell), rbl_splat4(HALF_CELL * l->cell));
    const rblFloat4 sure = rbl_sub4(near, less);
    const rblFloat4 beyond = rbl_max4(rbl_max4(solid, sure), rbl_min4(crack, near));
    const rblFloat4 deeper =
        b->deep != NULL ? rbl_mul4(cell, rbl_max4(rbl_sub4(rbl_sqrt4(rbl_load4(b->deep + index)), one), zero))
                        : zero;
    const rblFloat4 depth = rbl_max4(solid, rbl_sub4(zero, rbl_add4(crack, deeper)));
    const rblFloat4 within = rbl_select4(rbl_less4(solid, zero), depth, rbl_max4(solid, sure));
    const rblFloat4 inside = inside4(l, index);
    const rblFloat4 evaluated = rbl_less4(rbl_splat4(NOT_EVALUATED), solid);
    rbl_store4(l->facets + index, rbl_select4(evaluated, rbl_select4(inside, within, beyond), sure));
}

static void find_values(const Build* b)
{
    const rblFragmentLattice* l = &b->lattice;
    const rblFloat4 near = rbl_splat4(NEAR * NEAR), most = rbl_splat4((float)(RBL_WINDOW * RBL_WINDOW));
    const rblFloat4 far = rbl_splat4(((float)RBL_WINDOW - HALF_CELL) * l->cell);
    size_t index = 0;
    for (uint32_t k = 0; k <= 4 * l->bricks[2]; ++k)
    {
        for (uint32_t j = 0; j <= 4 * l->bricks[1]; ++j)
        {
            for (uint32_t i = 0; i < l->row; i += 4, index += 4)
            {
                if (rbl_mask4(rbl_less4(rbl_load4(b->outside + index), near)) != 0)
                {
                    evaluate_solid(b, index, i, j, k);
                }
                if (rbl_mask4(rbl_less4(rbl_load4(b->outside + index), most)) != 0)
                {
                    write_values(b, index);
                }
                else
                {
                    rbl_store4(l->facets + index, far);
                }
            }
        }
    }
}

// Whether a brick may be near the fragment.
static bool is_near(const Build* b, const uint32_t brick[3])
{
    const rblFragmentLattice* l = &b->lattice;
    const float near = BAND + 2.0f * HALF_CELL;
    rblFloat4 least = rbl_splat4(INFINITY);
    float last = INFINITY;
    for (uint32_t k = 0; k < RBL_BRICK_POINTS; ++k)
    {
        for (uint32_t j = 0; j < RBL_BRICK_POINTS; ++j)
        {
            const float* row =
                b->outside + rbl_lattice_index(l, 4 * brick[0], 4 * brick[1] + j, 4 * brick[2] + k);
            least = rbl_min4(rbl_load4(row), least);
            last = rbl_minf(row[4], last);
        }
    }
    return rbl_mask4(rbl_less_equal4(rbl_min4(least, rbl_splat4(last)), rbl_splat4(near * near))) != 0;
}

// Range of the points of a brick that represent the fragment, along each axis.
typedef struct Extent
{
    uint32_t first[3], last[3];
} Extent;

static void extend(Extent* extent, uint32_t lanes, uint32_t j, uint32_t k)
{
    if (lanes == 0)
    {
        return;
    }
    const uint32_t low[3] = {rbl_lowest_bit(lanes), j, k}, high[3] = {rbl_floor_log2(lanes), j, k};
    for (int axis = 0; axis < 3; ++axis)
    {
        extent->first[axis] = low[axis] < extent->first[axis] ? low[axis] : extent->first[axis];
        extent->last[axis] = high[axis] > extent->last[axis] ? high[axis] : extent->last[axis];
    }
}

static int16_t in_steps(float value, float scale)
{
    const float steps = rbl_clampf(value * scale, -32767.0f, 32767.0f);
    return (int16_t)(int32_t)(steps + (steps < 0.0f ? -0.5f : 0.5f));
}

// The same for four values, with the same rounding.
static void in_steps4(rblFloat4 values, float scale, int16_t out[4])
{
    const rblFloat4 most = rbl_splat4(32767.0f), zero = rbl_splat4(0.0f), half = rbl_splat4(0.5f);
    const rblFloat4 steps =
        rbl_max4(rbl_min4(rbl_mul4(values, rbl_splat4(scale)), most), rbl_sub4(zero, most));
    const rblFloat4 rounded =
        rbl_select4(rbl_less4(steps, zero), rbl_sub4(steps, half), rbl_add4(steps, half));
    uint32_t integer[4];
    rbl_store_int4(integer, rbl_truncate4(rounded));
    for (uint32_t i = 0; i < 4; ++i)
    {
        out[i] = (int16_t)(int32_t)integer[i];
    }
}

// The values of a brick. Returns whether it is near the surface.
static bool fill_brick(const Build* b, const uint32_t brick[3], int16_t* out, Extent* extent)
{
    const rblFragmentLattice* l = &b->lattice;
    const float near = (BAND + HALF_CELL) * l->cell, scale = 1.0f / b->set->unit;
    const rblFloat4 stands = rbl_splat4(HALF_CELL * HALF_CELL);
    rblFloat4 least = rbl_splat4(INFINITY);
    float last = INFINITY;
    for (uint32_t row = 0; row < RBL_BRICK_POINTS * RBL_BRICK_POINTS; ++row)
    {
        const uint32_t j = row % RBL_BRICK_POINTS, k = row / RBL_BRICK_POINTS;
        const size_t first = rbl_lattice_index(l, 4 * brick[0], 4 * brick[1] + j, 4 * brick[2] + k);
        const float* values = l->facets + first;
        const float* squares = b->outside + first;
        const rblFloat4 four = rbl_load4(values);
        least = rbl_min4(rbl_max4(four, rbl_sub4(rbl_splat4(0.0f), four)), least);
        last = rbl_minf(fabsf(values[4]), last);
        extend(extent,
               rbl_mask4(rbl_less_equal4(rbl_load4(squares), stands)) |
                   (squares[4] <= HALF_CELL * HALF_CELL ? 16u : 0u),
               j, k);
        in_steps4(four, scale, out + RBL_BRICK_POINTS * row);
        out[RBL_BRICK_POINTS * row + 4] = in_steps(values[4], scale);
    }
    memset(out + BRICK_VALUES, 0, (RBL_BRICK_STRIDE - BRICK_VALUES) * sizeof *out);
    return last <= near || rbl_mask4(rbl_less_equal4(least, rbl_splat4(near))) != 0;
}

static rblAabb box_of(const rblFragmentLattice* l, const uint32_t brick[3], const Extent* extent)
{
    if (extent->first[0] > extent->last[0])
    {
        return rbl_aabb_empty();
    }
    return (rblAabb){point_at(l, 4 * brick[0] + extent->first[0], 4 * brick[1] + extent->first[1],
                              4 * brick[2] + extent->first[2]),
                     point_at(l, 4 * brick[0] + extent->last[0], 4 * brick[1] + extent->last[1],
                              4 * brick[2] + extent->last[2])};
}

static bool fill_bricks(Build* b)
{
    const uint32_t* counts = b->lattice.bricks;
    rblLevelSet* set = b->set;
    for (uint32_t i = 0; i < (uint32_t)b->brick_count; ++i)
    {
        const uint32_t at[3] = {i % counts[0], i / counts[0] % counts[1], i / counts[0] / counts[1]};
        Extent extent = {{RBL_BRICK_POINTS, RBL_BRICK_POINTS, RBL_BRICK_POINTS}, {0, 0, 0}};
        const bool keep =
            is_near(b, at) && fill_brick(b, at, b->values + (size_t)set->stored * RBL_BRICK_STRIDE, &extent);
        b->flags[i] = box_of(&b->lattice, at, &extent);
        set->slots[i] = keep ? set->stored++ : RBL_NO_BRICK;
    }
    set->values = RBL_NEW_ARRAY(b->allocator, int16_t, (size_t)set->stored * RBL_BRICK_STRIDE);
    if (set->values == NULL)
    {
        return set->stored == 0;
    }
    memcpy(set->values, b->values, sizeof *set->values * set->stored * RBL_BRICK_STRIDE);
    return true;
}

// ---- far from the surface ----

// Lower bound of the distance to the fragment: to the boxes of its parts in all bricks.
static float bound_of_boxes(const Build* b, uint32_t blocks, rblVec3 p)
{
    const float at[3] = {p.x, p.y, p.z};
    rblFloat4 least = rbl_splat4(INFINITY);
    for (uint32_t i = 0; i < blocks; ++i)
    {
        const BoxBlock* block = &b->boxes[i];
        rblFloat4 square = rbl_splat4(0.0f);
        for (int axis = 0; axis < 3; ++axis)
        {
            const rblFloat4 index = rbl_splat4(at[axis]);
            const rblFloat4 out = rbl_max4(rbl_sub4(rbl_load4(block->lower[axis]), index),
                                           rbl_sub4(index, rbl_load4(block->upper[axis])));
            const rblFloat4 outside = rbl_max4(out, rbl_splat4(0.0f));
            square = rbl_add4(square, rbl_mul4(outside, outside));
        }
        least = rbl_min4(square, least);
    }
    float lanes[4];
    rbl_store4(lanes, least);
    const float square = rbl_minf(rbl_minf(lanes[0], lanes[1]), rbl_minf(lanes[2], lanes[3]));
    return rbl_maxf(sqrtf(square) - HALF_CELL * b->lattice.cell, 0.0f);
}

// The last block is padded with its first box.
static uint32_t pack_boxes(Build* b)
{
    uint32_t count = 0;
    for (size_t i = 0; i < b->brick_count || (count & 3) != 0; ++i)
    {
        const rblAabb box = i < b->brick_count ? b->flags[i] : b->flags[b->last_box];
        if (!rbl_aabb_is_empty(box))
        {
            const float lower[3] = {box.lower.x, box.lower.y, box.lower.z};
            const float upper[3] = {box.upper.x, box.upper.y, box.upper.z};
            for (int axis = 0; axis < 3; ++axis)
            {
                b->boxes[count / 4].lower[axis][count & 3] = lower[axis];
                b->boxes[count / 4].upper[axis][count & 3] = upper[axis];
            }
            b->last_box = i < b->brick_count ? i : b->last_box;
            count += 1;
        }
    }
    return count / 4;
}

static void fill_corners(Build* b)
{
    const rblFragmentLattice* l = &b->lattice;
    const uint32_t blocks = pack_boxes(b);
    float* corner = b->set->corners;
    for (uint32_t k = 0; k <= 4 * l->bricks[2]; k += 4)
    {
        for (uint32_t j = 0; j <= 4 * l->bricks[1]; j += 4)
        {
            for (uint32_t i = 0; i <= 4 * l->bricks[0]; i += 4)
            {
                const float value = l->facets[rbl_lattice_index(l, i, j, k)];
                const float bound =
                    value >= 0.0f && blocks > 0 ? bound_of_boxes(b, blocks, point_at(l, i, j, k)) : value;
                *corner++ = rbl_maxf(bound, value);
            }
        }
    }
}

// ---- public function ----

static bool build(Build* b)
{
    const rblFragmentLattice* l = &b->lattice;
    rblLevelSet* set = b->set;
    if (!allocate(b) ||
        !rbl_lattice_mark_inside(l, b->field->event, b->field->label, b->allocator, &b->facets))
    {
        return false;
    }
    set->origin = l->origin;
    set->cell = l->cell;
    set->inverse_cell = l->inverse;
    set->band = BAND * l->cell;
    set->unit = MAX_VALUE * l->cell / 32767.0f;
    add_facets(b);
    if (!find_points(b))
    {
        return false;
    }
    find_values(b);
    if (!fill_bricks(b))
    {
        return false;
    }
    fill_corners(b);
    return true;
}

rblLevelSet* rbl_fragment_grid_build(const rblFragmentField* field, const rblAllocator* allocator)
{
    Build b = {.field = field, .allocator = allocator};
    b.set = rbl_alloc_zero(allocator, sizeof *b.set);
    if (b.set == NULL)
    {
        return NULL;
    }
    b.set->allocator = allocator;
    rbl_array_init(&b.facets, allocator);
    lay_lattice(&b);
    memcpy(b.set->bricks, b.lattice.bricks, sizeof b.set->bricks);
    if (!build(&b))
    {
        rbl_level_set_free(b.set);
        b.set = NULL;
    }
    build_free(&b);
    return b.set;
}
