// One cell, carved out of the box: as long as some corner lies in another cell, cut off that corner along the facet between
// the two. When every corner lies in the cell so does, by convexity, the whole of what is left. The tree finds the cell that a
// corner lies in; what rounding could decide either way is decided by rbl_cells_side(), so the cells around a corner agree.
#include "base/error.h"
#include "cut/cells/cells_private.h"

#define UNIT      0x1p-53
#define ROUNDINGS 48.0 // more than any sum of products below suffers, in units of its terms taken positive

enum
{
    CORNER_FREE,  // an empty slot
    CORNER_OPEN,  // not yet looked at
    CORNER_SOUND, // lies in the cell
    CORNER_CUT    // lies beyond the present plane
};

rblResult rbl_cell_carver_open(rblCellCarver* carver, const rblCells* cells, rblCellUnits units)
{
    *carver = (rblCellCarver){.cells = cells, .units = units};
    rbl_array_init(&carver->corners, cells->allocator);
    rbl_array_init(&carver->open, cells->allocator);
    rbl_array_init(&carver->cut, cells->allocator);
    rbl_array_init(&carver->fresh, cells->allocator);
    rbl_array_init(&carver->spare, cells->allocator);
    carver->partners = RBL_NEW_ARRAY(cells->allocator, uint32_t, cells->count + RBL_CELL_SIDES);
    if (carver->partners == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t p = 0; p < cells->count + RBL_CELL_SIDES; ++p)
    {
        carver->partners[p] = UINT32_MAX;
    }
    return RBL_OK;
}

void rbl_cell_carver_close(rblCellCarver* carver)
{
    rbl_array_free(&carver->corners);
    rbl_array_free(&carver->open);
    rbl_array_free(&carver->cut);
    rbl_array_free(&carver->fresh);
    rbl_array_free(&carver->spare);
    RBL_FREE_ARRAY(carver->cells->allocator, carver->partners, carver->cells->count + RBL_CELL_SIDES);
}

static rblVec3d absolute(rblVec3d a)
{
    return rbl_vec3d(fabs(a.x), fabs(a.y), fabs(a.z));
}

// |a x b| with every term taken positive.
static rblVec3d cross_permanent(rblVec3d a, rblVec3d b)
{
    return rbl_vec3d(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x);
}

static double largest(rblVec3d a)
{
    return rbl_maxd(rbl_maxd(a.x, a.y), a.z);
}

// Where the three planes meet, by Cramer's rule, and how far off that may be: coefficients are exact, sums of products are off
// by ROUNDINGS units of their permanents at most.
static void place_corner(const rblCellCarver* carver, uint32_t i, rblCellCorner* corner)
{
    rblCellRow row[3];
    rblVec3d size[3];
    rblVec3d sum = {0, 0, 0}, sum_permanent = {0, 0, 0};
    for (int k = 0; k < 3; ++k)
    {
        row[k] = rbl_cell_row(carver->cells, i, corner->planes[k]);
        size[k] = absolute(row[k].gradient);
    }
    for (int k = 0; k < 3; ++k)
    {
        const int l = (k + 1) % 3, m = (k + 2) % 3;
        const rblVec3d minors = rbl_cross3d(row[l].gradient, row[m].gradient);
        sum = rbl_mul_add3d(sum, -row[k].offset, minors);
        sum_permanent = rbl_mul_add3d(sum_permanent, fabs(row[k].offset), cross_permanent(size[l], size[m]));
    }
    const double determinant = rbl_dot3d(row[0].gradient, rbl_cross3d(row[1].gradient, row[2].gradient));
    const double permanent = rbl_dot3d(size[0], cross_permanent(size[1], size[2]));
    const double slack = ROUNDINGS * UNIT * permanent;
    corner->position = rbl_scale3d(sum, 1.0 / determinant);
    corner->error = (double)INFINITY;
    if (determinant > 2.0 * slack)
    {
        const double off =
            ROUNDINGS * UNIT * largest(sum_permanent) + largest(absolute(corner->position)) * slack;
        corner->error = off / (determinant - slack) + 4.0 * UNIT * carver->units.length;
    }
}

// Within this of zero, f_m - f_i at the corner may have the other sign.
static double doubt(const rblCellCarver* carver, const rblCellCorner* corner)
{
    const double scale = carver->units.gradient * carver->units.length;
    return 6.0 * carver->units.gradient * corner->error + ROUNDINGS * UNIT * scale;
}

static double height(const rblCells* cells, uint32_t i, uint32_t m, rblVec3d at)
{
    return rbl_dot3d(rbl_sub3d(cells->gradients[m], cells->gradients[i]), at) +
           (cells->offsets[m] - cells->offsets[i]);
}

static bool is_beyond(const rblCellCarver* carver, uint32_t i, const rblCellCorner* corner, uint32_t m)
{
    const double value = height(carver->cells, i, m, corner->position);
    if (fabs(value) > doubt(carver, corner)) // false for what is no number
    {
        return value < 0.0;
    }
    return rbl_cells_side(carver->cells, i, corner->planes, 1, m) < 0;
}

static bool touches(const rblCellCorner* corner, uint32_t m)
{
    return corner->planes[0] == m || corner->planes[1] == m || corner->planes[2] == m;
}

// Among the listed cells one that the corner lies in more than in cell i: the one that it lies in most as far as doubles tell,
// else the first that does so exactly. UINT32_MAX: none.
static uint32_t find_owner(const rblCellCarver* carver, uint32_t i, const rblCellCorner* corner,
                           const uint32_t* candidates, uint32_t count)
{
    const double within = doubt(carver, corner);
    double least = -within;
    uint32_t owner = UINT32_MAX;
    uint32_t doubtful = 0;
    for (uint32_t c = 0; c < count; ++c)
    {
        const double value = height(carver->cells, i, candidates[c], corner->position);
        if (value < least)
        {
            least = value;
            owner = candidates[c];
        }
        doubtful += !(fabs(value) > within) ? 1 : 0;
    }
    for (uint32_t c = 0; owner == UINT32_MAX && doubtful > 0 && c < count; ++c)
    {
        const uint32_t m = candidates[c];
        if (m == i || touches(corner, m) || fabs(height(carver->cells, i, m, corner->position)) > within)
        {
            continue;
        }
        owner = rbl_cells_side(carver->cells, i, corner->planes, 1, m) < 0 ? m : UINT32_MAX;
    }
    return owner;
}

// The same among all cells: for corners that are known too badly to trust the leaf that they seem to lie in.
static uint32_t find_owner_of_all(const rblCellCarver* carver, uint32_t i, const rblCellCorner* corner)
{
    for (uint32_t m = 0; m < carver->cells->count; ++m)
    {
        if (m != i && !touches(corner, m) && is_beyond(carver, i, corner, m))
        {
            return m;
        }
    }
    return UINT32_MAX;
}

static uint32_t owner_of(const rblCellCarver* carver, uint32_t i, const rblCellCorner* corner)
{
    const rblCellTree* tree = carver->cells->tree;
    if (!(doubt(carver, corner) < tree->margin))
    {
        return find_owner_of_all(carver, i, corner);
    }
    const rblCellNode* leaf = rbl_cell_tree_leaf(tree, corner->position);
    return find_owner(carver, i, corner, tree->candidates.data + leaf->first, leaf->end - leaf->first);
}

static bool push_corner(rblCellCarver* carver, const rblCellCorner* corner, uint32_t* slot)
{
    if (carver->spare.count > 0)
    {
        *slot = carver->spare.data[--carver->spare.count];
        carver->corners.data[*slot] = *corner;
    }
    else
    {
        *slot = (uint32_t)carver->corners.count;
        if (!rbl_array_push(&carver->corners, *corner))
        {
            return false;
        }
    }
    return rbl_array_push(&carver->open, *slot);
}

// The box itself: corner k is at the upper side along axis a where bit a of k is set.
static bool start_box(rblCellCarver* carver, uint32_t i)
{
    const uint32_t side = carver->cells->count;
    rbl_array_clear(&carver->corners);
    rbl_array_clear(&carver->open);
    rbl_array_clear(&carver->spare);
    for (uint32_t k = 0; k < 8; ++k)
    {
        const uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const bool turned = ((x ^ y ^ z) & 1) != 0; // a mirror turns the order of the inward normals round
        rblCellCorner corner = {.planes = {side + x, side + 2 + y, side + 4 + z},
                                .next = {k ^ 1, k ^ 2, k ^ 4},
                                .state = CORNER_OPEN};
        if (turned)
        {
            corner.planes[0] = side + 2 + y;
            corner.planes[1] = side + x;
            corner.next[0] = k ^ 2;
            corner.next[1] = k ^ 1;
        }
        place_corner(carver, i, &corner);
        uint32_t slot;
        if (!push_corner(carver, &corner, &slot))
        {
            return false;
        }
    }
    return true;
}

// All corners beyond plane m, from one that is: they hang together, for the part of a convex body beyond a plane is convex.
static bool spread_cut(rblCellCarver* carver, uint32_t i, uint32_t first, uint32_t m)
{
    rbl_array_clear(&carver->cut);
    carver->corners.data[first].state = CORNER_CUT;
    bool grown = rbl_array_push(&carver->cut, first);
    for (size_t c = 0; grown && c < carver->cut.count; ++c)
    {
        const rblCellCorner* corner = &carver->corners.data[carver->cut.data[c]];
        for (int k = 0; grown && k < 3; ++k)
        {
            rblCellCorner* next = &carver->corners.data[corner->next[k]];
            if (next->state != CORNER_CUT && is_beyond(carver, i, next, m))
            {
                next->state = CORNER_CUT;
                grown = rbl_array_push(&carver->cut, corner->next[k]);
            }
        }
    }
    return grown;
}

// Which edge of `corner` leads to `slot` within the two planes that are not planes[skip] of the other end.
static int edge_back(const rblCellCorner* corner, uint32_t a, uint32_t b)
{
    for (int k = 0; k < 2; ++k)
    {
        if (corner->planes[k] != a && corner->planes[k] != b)
        {
            return k;
        }
    }
    return 2;
}

// A corner where the edge between the cut corner and the kept one crosses plane m. Seen from the kept corner the edge runs
// along d_a x d_b, against d_m: the order (b, a, m) has a positive determinant.
static bool add_fresh(rblCellCarver* carver, uint32_t i, uint32_t cut, int k, uint32_t m)
{
    const rblCellCorner* from = &carver->corners.data[cut];
    const uint32_t kept = from->next[k];
    const int back =
        edge_back(&carver->corners.data[kept], from->planes[(k + 1) % 3], from->planes[(k + 2) % 3]);
    const uint32_t* planes = carver->corners.data[kept].planes;
    rblCellCorner corner = {.planes = {planes[(back + 2) % 3], planes[(back + 1) % 3], m},
                            .next = {UINT32_MAX, UINT32_MAX, kept},
                            .state = CORNER_OPEN};
    place_corner(carver, i, &corner);
    uint32_t slot;
    if (!push_corner(carver, &corner, &slot))
    {
        return false;
    }
    carver->corners.data[kept].next[back] = slot;
    return rbl_array_push(&carver->fresh, slot);
}

// Join the fresh corners around the new facet: two lie on every plane that it meets.
static void link_fresh(rblCellCarver* carver)
{
    for (size_t f = 0; f < carver->fresh.count; ++f)
    {
        const uint32_t slot = carver->fresh.data[f];
        rblCellCorner* corner = &carver->corners.data[slot];
        for (int k = 0; k < 2; ++k)
        {
            // The edge within m and planes[k] leaves planes[1 - k].
            uint32_t* partner = &carver->partners[corner->planes[k]];
            if (*partner == UINT32_MAX)
            {
                *partner = slot;
                continue;
            }
            rblCellCorner* other = &carver->corners.data[*partner];
            corner->next[1 - k] = *partner;
            other->next[other->planes[0] == corner->planes[k] ? 1 : 0] = slot;
            *partner = UINT32_MAX;
        }
    }
}

static bool free_cut(rblCellCarver* carver)
{
    for (size_t c = 0; c < carver->cut.count; ++c)
    {
        carver->corners.data[carver->cut.data[c]].state = CORNER_FREE;
        if (!rbl_array_push(&carver->spare, carver->cut.data[c]))
        {
            return false;
        }
    }
    return true;
}

// Cut off what lies beyond plane m, corner `first` among it.
static bool cut_off(rblCellCarver* carver, uint32_t i, uint32_t first, uint32_t m)
{
    if (!spread_cut(carver, i, first, m))
    {
        return false;
    }
    rbl_array_clear(&carver->fresh);
    for (size_t c = 0; c < carver->cut.count; ++c)
    {
        const uint32_t cut = carver->cut.data[c];
        for (int k = 0; k < 3; ++k)
        {
            const uint32_t next = carver->corners.data[cut].next[k];
            if (carver->corners.data[next].state != CORNER_CUT && !add_fresh(carver, i, cut, k, m))
            {
                return false;
            }
        }
    }
    link_fresh(carver);
    return free_cut(carver);
}

// A first round with the cells beside it, so that fewer corners lie in cells far away.
static bool cut_by_home(rblCellCarver* carver, uint32_t i)
{
    const rblCellTree* tree = carver->cells->tree;
    const rblCellNode* home = &tree->nodes.data[tree->homes[i]];
    for (uint32_t c = home->first; c < home->end; ++c)
    {
        const uint32_t m = tree->candidates.data[c];
        double least = 0.0;
        uint32_t lowest = UINT32_MAX;
        for (uint32_t k = 0; m != i && k < carver->corners.count; ++k)
        {
            const rblCellCorner* corner = &carver->corners.data[k];
            const double value = height(carver->cells, i, m, corner->position);
            if (corner->state != CORNER_FREE && value < least && value < -doubt(carver, corner))
            {
                least = value;
                lowest = k;
            }
        }
        if (lowest != UINT32_MAX && !cut_off(carver, i, lowest, m))
        {
            return false;
        }
    }
    return true;
}

static bool carve(rblCellCarver* carver, uint32_t i)
{
    if (!start_box(carver, i) || !cut_by_home(carver, i))
    {
        return false;
    }
    while (carver->open.count > 0)
    {
        const uint32_t slot = carver->open.data[--carver->open.count];
        rblCellCorner* corner = &carver->corners.data[slot];
        if (corner->state != CORNER_OPEN)
        {
            continue; // cut off or looked at in the meantime
        }
        const uint32_t owner = owner_of(carver, i, corner);
        corner->state = CORNER_SOUND;
        if (owner != UINT32_MAX && !cut_off(carver, i, slot, owner))
        {
            return false;
        }
    }
    return true;
}

rblResult rbl_carve_cell(rblCellCarver* carver, uint32_t i, rblCellCorners* out)
{
    if (carver->cells->tree->homes[i] == RBL_NO_LEAF)
    {
        return RBL_OK;
    }
    if (!carve(carver, i) || !rbl_array_reserve_more(out, carver->corners.count) ||
        !rbl_array_resize_amply(&carver->cut, carver->corners.count))
    {
        return rbl_fail_memory();
    }
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < carver->corners.count; ++slot)
    {
        carver->cut.data[slot] = carver->corners.data[slot].state != CORNER_FREE ? count++ : UINT32_MAX;
    }
    for (uint32_t slot = 0; slot < carver->corners.count; ++slot)
    {
        rblCellCorner corner = carver->corners.data[slot];
        for (int k = 0; corner.state != CORNER_FREE && k < 3; ++k)
        {
            corner.next[k] = carver->cut.data[corner.next[k]];
        }
        if (corner.state != CORNER_FREE)
        {
            out->data[out->count++] = corner;
        }
    }
    return RBL_OK;
}
