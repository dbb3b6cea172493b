// One cell, carved out of the box. While a corner of the polyhedron is in another cell, cut the corner off along the
// facet between the two cells. When all corners are in the cell, the whole polyhedron is, since it is convex. The tree
// finds the cell of a corner. Where rounding errors could change a sign, rbl_cells_side() decides exactly, so that all
// cells around a corner agree.
#include "base/error.h"
#include "cut/cells/cells_private.h"

#define UNIT 0x1p-53 // rounding unit of doubles
// Error bound of the sums of products below, in rounding units of the sum of the absolute terms.
#define ROUNDINGS 48.0

enum
{
    CORNER_FREE,   // an unused slot
    CORNER_OPEN,   // not examined yet
    CORNER_INSIDE, // inside the cell
    CORNER_CUT     // beyond the current plane
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

// a x b| with the absolute values of all terms.
static rblVec3d cross_permanent(rblVec3d a, rblVec3d b)
{
    return rbl_vec3d(a.y * b.z + a.z * b.y, a.z * b.x + a.x * b.z, a.x * b.y + a.y * b.x);
}

static double max_component(rblVec3d a)
{
    return rbl_maxd(rbl_maxd(a.x, a.y), a.z);
}

// Position of the corner by Cramer's rule, and its error bound. The coefficients are exact; each sum of products has an
// error of at most ROUNDINGS units of its permanent.
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
        const double error = ROUNDINGS * UNIT * max_component(sum_permanent) +
                             max_component(absolute(corner->position)) * slack;
        corner->error = error / (determinant - slack) + 4.0 * UNIT * carver->units.length;
    }
}

// If |f_m - f_i| at the corner is not above this bound, its sign is uncertain.
static double sign_bound(const rblCellCarver* carver, const rblCellCorner* corner)
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
    if (fabs(value) > sign_bound(carver, corner)) // false for NaN
    {
        return value < 0.0;
    }
    return rbl_cells_side(carver->cells, i, corner->planes, 1, m) < 0;
}

static bool touches(const rblCellCorner* corner, uint32_t m)
{
    return corner->planes[0] == m || corner->planes[1] == m || corner->planes[2] == m;
}

// The listed cell whose f at the corner is below f_i by most, if doubles can decide; else the first for which this
// holds exactly. UINT32_MAX: none.
static uint32_t find_owner(const rblCellCarver* carver, uint32_t i, const rblCellCorner* corner,
                           const uint32_t* candidates, uint32_t count)
{
    const double within = sign_bound(carver, corner);
    double smallest = -within;
    uint32_t owner = UINT32_MAX;
    uint32_t doubtful = 0;
    for (uint32_t c = 0; c < count; ++c)
    {
        const double value = height(carver->cells, i, candidates[c], corner->position);
        if (value < smallest)
        {
            smallest = value;
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

// The same among all cells, for corners whose position is too uncertain for the tree.
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
    if (!(sign_bound(carver, corner) < tree->margin))
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

// The box: corner k is at the upper side along axis a if bit a of k is set.
static bool start_box(rblCellCarver* carver, uint32_t i)
{
    const uint32_t side = carver->cells->count;
    rbl_array_clear(&carver->corners);
    rbl_array_clear(&carver->open);
    rbl_array_clear(&carver->spare);
    for (uint32_t k = 0; k < 8; ++k)
    {
        const uint32_t x = k & 1, y = k >> 1 & 1, z = k >> 2;
        const bool reflected =
            ((x ^ y ^ z) & 1) != 0; // a reflection reverses the order of the inward normals
        rblCellCorner corner = {.planes = {side + x, side + 2 + y, side + 4 + z},
                                .next = {k ^ 1, k ^ 2, k ^ 4},
                                .state = CORNER_OPEN};
        if (reflected)
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

// Find all corners beyond plane m, starting from one of them. They are connected, since the part of a convex body
// beyond a plane is convex.
static bool mark_cut(rblCellCarver* carver, uint32_t i, uint32_t first, uint32_t m)
{
    rbl_array_clear(&carver->cut);
    carver->corners.data[first].state = CORNER_CUT;
    bool stored = rbl_array_push(&carver->cut, first);
    for (size_t c = 0; stored && c < carver->cut.count; ++c)
    {
        const rblCellCorner* corner = &carver->corners.data[carver->cut.data[c]];
        for (int k = 0; stored && k < 3; ++k)
        {
            rblCellCorner* next = &carver->corners.data[corner->next[k]];
            if (next->state != CORNER_CUT && is_beyond(carver, i, next, m))
            {
                next->state = CORNER_CUT;
                stored = rbl_array_push(&carver->cut, corner->next[k]);
            }
        }
    }
    return stored;
}

// The edge of `corner` along planes a and b, as the index of its third plane.
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

// Add a corner where the edge from the cut corner to the kept corner crosses plane m. Seen from the kept corner the
// edge has the direction d_a x d_b, against d_m: the order (b, a, m) has a positive determinant.
static bool add_new_corner(rblCellCarver* carver, uint32_t i, uint32_t cut, int k, uint32_t m)
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

// Link the new corners around the new facet: each plane that meets the facet contains two of them.
static void link_new_corners(rblCellCarver* carver)
{
    for (size_t f = 0; f < carver->fresh.count; ++f)
    {
        const uint32_t slot = carver->fresh.data[f];
        rblCellCorner* corner = &carver->corners.data[slot];
        for (int k = 0; k < 2; ++k)
        {
            // The edge along m and planes[k] leaves planes[1 - k].
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

// Cut off the part beyond plane m. Corner `first` is in it.
static bool cut_off(rblCellCarver* carver, uint32_t i, uint32_t first, uint32_t m)
{
    if (!mark_cut(carver, i, first, m))
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
            if (carver->corners.data[next].state != CORNER_CUT && !add_new_corner(carver, i, cut, k, m))
            {
                return false;
            }
        }
    }
    link_new_corners(carver);
    return free_cut(carver);
}

// Cut by the cells of a leaf near the cell first: fewer corners are then in cells that are far away.
static bool cut_by_leaf(rblCellCarver* carver, uint32_t i)
{
    const rblCellTree* tree = carver->cells->tree;
    const rblCellNode* home = &tree->nodes.data[tree->leaves[i]];
    for (uint32_t c = home->first; c < home->end; ++c)
    {
        const uint32_t m = tree->candidates.data[c];
        double smallest = 0.0;
        uint32_t lowest = UINT32_MAX;
        for (uint32_t k = 0; m != i && k < carver->corners.count; ++k)
        {
            const rblCellCorner* corner = &carver->corners.data[k];
            const double value = height(carver->cells, i, m, corner->position);
            if (corner->state != CORNER_FREE && value < smallest && value < -sign_bound(carver, corner))
            {
                smallest = value;
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
    if (!start_box(carver, i) || !cut_by_leaf(carver, i))
    {
        return false;
    }
    while (carver->open.count > 0)
    {
        const uint32_t slot = carver->open.data[--carver->open.count];
        rblCellCorner* corner = &carver->corners.data[slot];
        if (corner->state != CORNER_OPEN)
        {
            continue; // cut off or examined since it was pushed
        }
        const uint32_t owner = owner_of(carver, i, corner);
        corner->state = CORNER_INSIDE;
        if (owner != UINT32_MAX && !cut_off(carver, i, slot, owner))
        {
            return false;
        }
    }
    return true;
}

rblResult rbl_carve_cell(rblCellCarver* carver, uint32_t i, rblCellCorners* out)
{
    if (carver->cells->tree->leaves[i] == RBL_NO_LEAF)
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
