// Evaluation of four points at once: the arithmetic of level_set.c in lanes, with the same bits.
#include "field/level_set/level_set.h"

typedef struct Lanes3
{
    rblFloat4 x, y, z;
} Lanes3;

// Corners of a trilinear interpolation, x fastest, and the positions between them.
typedef struct Patches
{
    rblFloat4 v[8];
    Lanes3 at;
} Patches;

// Cells of four points, and their positions in the cells.
typedef struct Locations
{
    uint32_t i[4], j[4], k[4];
    Lanes3 at;
    Lanes3 whole; // i, j, k as floats
} Locations;

static rblFloat4 mix4(rblFloat4 a, rblFloat4 b, rblFloat4 t)
{
    return rbl_add4(a, rbl_mul4(t, rbl_sub4(b, a)));
}

static rblFloat4 absolute4(rblFloat4 a)
{
    return rbl_max4(a, rbl_sub4(rbl_splat4(0.0f), a));
}

static rblFloat4 sum3(rblFloat4 x, rblFloat4 y, rblFloat4 z)
{
    return rbl_add4(rbl_add4(x, y), z);
}

static rblFloat4 square_of(Lanes3 a)
{
    return sum3(rbl_mul4(a.x, a.x), rbl_mul4(a.y, a.y), rbl_mul4(a.z, a.z));
}

static rblFloat4 clamp_axis(rblFloat4 u, uint32_t bricks)
{
    const float end = (float)(int32_t)(bricks * RBL_BRICK_CELLS);
    return rbl_min4(rbl_max4(u, rbl_splat4(0.0f)), rbl_splat4(end));
}

static rblFloat4 cell_along(rblFloat4 u, uint32_t bricks)
{
    return rbl_whole4(rbl_min4(u, rbl_splat4((float)(int32_t)(bricks * RBL_BRICK_CELLS - 1))));
}

static void locate4(const rblLevelSet* set, Lanes3 u, Locations* out)
{
    out->whole = (Lanes3){cell_along(u.x, set->bricks[0]), cell_along(u.y, set->bricks[1]),
                          cell_along(u.z, set->bricks[2])};
    out->at = (Lanes3){rbl_sub4(u.x, out->whole.x), rbl_sub4(u.y, out->whole.y), rbl_sub4(u.z, out->whole.z)};
    rbl_store_int4(out->i, rbl_truncate4(out->whole.x));
    rbl_store_int4(out->j, rbl_truncate4(out->whole.y));
    rbl_store_int4(out->k, rbl_truncate4(out->whole.z));
}

// ---- near the surface ----

// The block of values of each lane, and the lanes without one.
static uint32_t find_slots(const rblLevelSet* set, const Locations* locations, uint32_t slots[4])
{
    uint32_t far = 0;
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        const uint32_t brick =
            rbl_level_set_brick(set, locations->i[lane] / RBL_BRICK_CELLS,
                                locations->j[lane] / RBL_BRICK_CELLS, locations->k[lane] / RBL_BRICK_CELLS);
        slots[lane] = set->slots[brick];
        far |= (slots[lane] == RBL_NO_BRICK ? 1u : 0u) << lane;
    }
    return far;
}

// Lanes far from the surface read the first block; their result is not used.
static void load_bricks(const rblLevelSet* set, const uint32_t slots[4], const Locations* locations,
                        Patches* out)
{
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        const uint32_t i = locations->i[lane] % RBL_BRICK_CELLS;
        const uint32_t j = locations->j[lane] % RBL_BRICK_CELLS;
        const uint32_t k = locations->k[lane] % RBL_BRICK_CELLS;
        const size_t slot = slots[lane] != RBL_NO_BRICK ? slots[lane] : 0;
        const int16_t* v = set->values + slot * RBL_BRICK_STRIDE + (i + 5 * j + 25 * k);
        const int16_t* const rows[4] = {v, v + 5, v + 25, v + 30};
        rbl_load_pairs4(rows, &out->v[lane], &out->v[4 + lane]);
    }
    rbl_transpose4(&out->v[0], &out->v[1], &out->v[2], &out->v[3]);
    rbl_transpose4(&out->v[4], &out->v[5], &out->v[6], &out->v[7]);
    out->at = locations->at;
}

static rblFloat4 interpolate_values(const Patches* p)
{
    const rblFloat4 a00 = mix4(p->v[0], p->v[1], p->at.x);
    const rblFloat4 a10 = mix4(p->v[2], p->v[3], p->at.x);
    const rblFloat4 a01 = mix4(p->v[4], p->v[5], p->at.x);
    const rblFloat4 a11 = mix4(p->v[6], p->v[7], p->at.x);
    return mix4(mix4(a00, a10, p->at.y), mix4(a01, a11, p->at.y), p->at.z);
}

// ---- far from the surface ----

// Position of a cell's point in its brick.
static rblFloat4 position_in_brick(rblFloat4 whole, rblFloat4 at)
{
    const rblFloat4 fraction = rbl_splat4(1.0f / (float)RBL_BRICK_CELLS);
    const rblFloat4 cells = rbl_splat4((float)RBL_BRICK_CELLS);
    const rblFloat4 first = rbl_mul4(cells, rbl_whole4(rbl_mul4(fraction, whole)));
    return rbl_mul4(fraction, rbl_add4(rbl_sub4(whole, first), at));
}

static void load_corners4(const rblLevelSet* set, const Locations* locations, Patches* out)
{
    const size_t row = set->bricks[0] + 1;
    const size_t layer = row * (set->bricks[1] + 1);
    rblFloat4 rows[4][4];
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        const float* v = set->corners + (locations->i[lane] / RBL_BRICK_CELLS +
                                         row * (locations->j[lane] / RBL_BRICK_CELLS) +
                                         layer * (locations->k[lane] / RBL_BRICK_CELLS));
        rows[0][lane] = rbl_load2(v);
        rows[1][lane] = rbl_load2(v + row);
        rows[2][lane] = rbl_load2(v + layer);
        rows[3][lane] = rbl_load2(v + layer + row);
    }
    for (int k = 0; k < 4; ++k)
    {
        rbl_transpose4(&rows[k][0], &rows[k][1], &rows[k][2], &rows[k][3]);
        out->v[2 * k] = rows[k][0];
        out->v[2 * k + 1] = rows[k][1];
    }
    out->at = (Lanes3){position_in_brick(locations->whole.x, locations->at.x),
                       position_in_brick(locations->whole.y, locations->at.y),
                       position_in_brick(locations->whole.z, locations->at.z)};
}

// The value, and the slope of the interpolant along each axis.
static rblFloat4 interpolate_slopes(const Patches* p, Lanes3* slope)
{
    const rblFloat4* v = p->v;
    const rblFloat4 dx00 = rbl_sub4(v[1], v[0]);
    const rblFloat4 dx10 = rbl_sub4(v[3], v[2]);
    const rblFloat4 dx01 = rbl_sub4(v[5], v[4]);
    const rblFloat4 dx11 = rbl_sub4(v[7], v[6]);
    const rblFloat4 a00 = rbl_add4(v[0], rbl_mul4(p->at.x, dx00));
    const rblFloat4 a10 = rbl_add4(v[2], rbl_mul4(p->at.x, dx10));
    const rblFloat4 a01 = rbl_add4(v[4], rbl_mul4(p->at.x, dx01));
    const rblFloat4 a11 = rbl_add4(v[6], rbl_mul4(p->at.x, dx11));
    const rblFloat4 dy0 = rbl_sub4(a10, a00);
    const rblFloat4 dy1 = rbl_sub4(a11, a01);
    const rblFloat4 b0 = rbl_add4(a00, rbl_mul4(p->at.y, dy0));
    const rblFloat4 b1 = rbl_add4(a01, rbl_mul4(p->at.y, dy1));
    slope->x = mix4(mix4(dx00, dx10, p->at.y), mix4(dx01, dx11, p->at.y), p->at.z);
    slope->y = mix4(dy0, dy1, p->at.z);
    slope->z = rbl_sub4(b1, b0);
    return rbl_add4(b0, rbl_mul4(p->at.z, rbl_sub4(b1, b0)));
}

// Lanes for which the better corner along an axis is the second one.
static rblFloat4 best_corner4(rblFloat4 slope, rblFloat4 steepest, rblFloat4 position)
{
    const rblFloat4 clearly = rbl_less4(rbl_mul4(rbl_splat4(0.4f), steepest), absolute4(slope));
    return rbl_select4(clearly, rbl_less4(rbl_splat4(0.0f), slope), rbl_less4(rbl_splat4(0.5f), position));
}

static rblFloat4 one_where(rblFloat4 mask)
{
    return rbl_and4(mask, rbl_splat4(1.0f));
}

// A corner of each lane: the second along an axis if its mask is set.
static rblFloat4 pick_corner(const rblFloat4 v[8], rblFloat4 x, rblFloat4 y, rblFloat4 z)
{
    const rblFloat4 low = rbl_select4(y, rbl_select4(x, v[3], v[2]), rbl_select4(x, v[1], v[0]));
    const rblFloat4 high = rbl_select4(y, rbl_select4(x, v[7], v[6]), rbl_select4(x, v[5], v[4]));
    return rbl_select4(z, high, low);
}

static rblFloat4 spread_along(rblFloat4 at)
{
    return rbl_mul4(at, rbl_sub4(rbl_splat4(1.0f), at));
}

// As far_bound() of level_set.c, which explains the two bounds.
static rblFloat4 far_bound4(const rblLevelSet* set, const Patches* p)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 side = rbl_splat4((float)RBL_BRICK_CELLS * set->cell);
    Lanes3 g;
    const rblFloat4 value = interpolate_slopes(p, &g);
    const rblFloat4 sign = rbl_select4(rbl_less4(value, zero), rbl_splat4(-1.0f), rbl_splat4(1.0f));
    const rblFloat4 spread = sum3(spread_along(p->at.x), spread_along(p->at.y), spread_along(p->at.z));
    const rblFloat4 steepest = rbl_max4(absolute4(g.x), rbl_max4(absolute4(g.y), absolute4(g.z)));
    const rblFloat4 x = best_corner4(rbl_mul4(sign, g.x), steepest, p->at.x);
    const rblFloat4 y = best_corner4(rbl_mul4(sign, g.y), steepest, p->at.y);
    const rblFloat4 z = best_corner4(rbl_mul4(sign, g.z), steepest, p->at.z);
    const Lanes3 difference = {rbl_sub4(p->at.x, one_where(x)), rbl_sub4(p->at.y, one_where(y)),
                               rbl_sub4(p->at.z, one_where(z))};
    const rblFloat4 moved =
        rbl_mul4(rbl_mul4(side, rbl_sqrt4(square_of(difference))), rbl_splat4(1.0f + 1e-6f));
    const rblFloat4 corner_bound = rbl_sub4(absolute4(pick_corner(p->v, x, y, z)), moved);
    const rblFloat4 mean_bound =
        rbl_sub4(absolute4(value), rbl_mul4(side, rbl_sqrt4(rbl_max4(spread, zero))));
    return rbl_mul4(sign, rbl_max4(rbl_max4(mean_bound, corner_bound), rbl_splat4(set->band)));
}

// ---- public function ----

static rblFloat4 mask_of(uint32_t lanes)
{
    const rblFloat4 bits = rbl_set4((float)(lanes & 1), (float)(lanes >> 1 & 1), (float)(lanes >> 2 & 1),
                                    (float)(lanes >> 3 & 1));
    return rbl_less4(rbl_splat4(0.0f), bits);
}

static rblFloat4 values_within(const rblLevelSet* set, Lanes3 u, uint32_t* far)
{
    Locations locations;
    Patches patches;
    uint32_t slots[4];
    locate4(set, u, &locations);
    *far = find_slots(set, &locations, slots);
    rblFloat4 near_values = rbl_splat4(0.0f);
    if (*far != 15)
    {
        load_bricks(set, slots, &locations, &patches);
        near_values = rbl_mul4(rbl_splat4(set->unit), interpolate_values(&patches));
    }
    if (*far == 0)
    {
        return near_values;
    }
    load_corners4(set, &locations, &patches);
    return rbl_select4(mask_of(*far), far_bound4(set, &patches), near_values);
}

static rblFloat4 in_cells(rblFloat4 p, float origin, const rblLevelSet* set)
{
    return rbl_mul4(rbl_sub4(p, rbl_splat4(origin)), rbl_splat4(set->inverse_cell));
}

rblFloat4 rbl_level_set_distance4(const rblLevelSet* set, rblFloat4 x, rblFloat4 y, rblFloat4 z,
                                  uint32_t* far)
{
    const Lanes3 u = {in_cells(x, set->origin.x, set), in_cells(y, set->origin.y, set),
                      in_cells(z, set->origin.z, set)};
    const Lanes3 q = {clamp_axis(u.x, set->bricks[0]), clamp_axis(u.y, set->bricks[1]),
                      clamp_axis(u.z, set->bricks[2])};
    const rblFloat4 within = values_within(set, q, far);
    const Lanes3 offset = {rbl_sub4(u.x, q.x), rbl_sub4(u.y, q.y), rbl_sub4(u.z, q.z)};
    const rblFloat4 outside =
        rbl_less4(rbl_splat4(0.0f), sum3(absolute4(offset.x), absolute4(offset.y), absolute4(offset.z)));
    if (rbl_mask4(outside) == 0)
    {
        return within;
    }
    const rblFloat4 beyond = rbl_mul4(rbl_splat4(set->cell), rbl_sqrt4(square_of(offset)));
    const rblFloat4 whole = rbl_sqrt4(rbl_add4(rbl_mul4(beyond, beyond), rbl_mul4(within, within)));
    return rbl_select4(outside, whole, within);
}
