// Tips of a solid between the nodes of the grid. A corner of a solid can extend by most of a cell beyond the last
// node inside it, into an empty cell (all corners outside). An empty cell has no vertex, and the vertices of its
// neighbours stop at the sides of their cells. When the planes that one cell found meet outside it, and the field
// confirms that the surface is there,
//  - the vertex of the cell that contains this tip moves there, if the feature of that cell has a lower rank,
//  - or, if that cell is empty, the vertex of a cell next to it moves into it ("reaches" it).
//
// A vertex that moves into the empty cell behind a side causes no self-intersection if its cell and the empty one
// together act as one longer cell. For each neighbour this requires one of two conditions: the cell behind the same
// side of the neighbour is empty too (it is then reserved for cells that reach in the same direction), or the line to
// the vertex of the neighbour passes through the side that the two cells share.
#include "base/error.h"
#include "base/hash_map.h"
#include "mesh/isosurface/isosurface_private.h"

// Value for "no side"; sides are 0 to 5.
#define STAYS 6

// Distance of the two field evaluations before and behind the tip, as a fraction of the distance from the mean of the
// crossings to the tip.
#define PROBE 0.1

// A vertex that its neighbours do not allow to reach the tip moves back towards its cell in steps of this fraction of
// the distance, at most MAX_STEPS of them: 8 x 0.125 is the whole distance.
#define STEP_BACK 0.125
#define MAX_STEPS 8

// A cell of the grid, active or not. Side numbers are 2 * axis + up.
typedef struct Place
{
    uint32_t at[3];
} Place;

// A point outside a cell at which all planes that the cell found meet.
typedef struct Tip
{
    rblVec3d point;
    rblVec3d mean;   // of the cell's crossings
    Place place;     // the cell of the grid that contains the point
    uint32_t holder; // the active cell there, or RBL_NONE
    uint32_t side;   // the side of the finding cell beyond which the point lies farthest
} Tip;

typedef struct Reach
{
    rblIsosurface* iso;
    uint8_t* moved;    // per active cell: the side that its vertex reaches through, or STAYS
    rblHashMap claims; // reserved empty cells: the side through which they may be reached
    rblIsoFault fault;
} Reach;

static uint64_t place_key(const Place* place)
{
    return place->at[0] | place->at[1] << 10 | place->at[2] << 20;
}

static Place place_of(const rblIsosurface* iso, uint32_t cell)
{
    Place place;
    rbl_iso_cell_place(&iso->cells[cell], place.at);
    return place;
}

// Move to the next cell through a side; false at the border.
static bool step_through(const rblIsosurface* iso, Place* place, uint32_t side)
{
    const uint32_t axis = side / 2;
    place->at[axis] += side % 2 == 1 ? 1 : UINT32_MAX;
    return place->at[axis] < iso->def->cells[axis];
}

// The active cell at a grid position, or RBL_NONE.
static uint32_t cell_at(const rblIsosurface* iso, const Place* place)
{
    return rbl_iso_find_cell(iso, place->at[0], place->at[1], place->at[2]);
}

// Whether the cell has one patch that passes no side twice, so that its vertex may move.
static bool is_simple(const rblIsoCell* cell)
{
    bool simple = cell->patch_count == 1;
    for (uint32_t side = 0; side < 6; ++side)
    {
        simple = simple && !rbl_iso_passes_twice(cell, side);
    }
    return simple;
}

// Whether the cell is empty and not reserved for another side.
static bool is_free(const Reach* reach, const Place* place, uint32_t side)
{
    const uint32_t claim = rbl_hash_map_find(&reach->claims, place_key(place));
    return cell_at(reach->iso, place) == RBL_NONE && (claim == RBL_MAP_EMPTY || claim == side);
}

static rblResult claim(Reach* reach, const Place* place, uint32_t side)
{
    bool added;
    const uint32_t* kept = rbl_hash_map_get_or_add(&reach->claims, place_key(place), side, &added);
    return kept != NULL ? RBL_OK : rbl_fail_memory();
}

// ---- neighbours ----

// Whether the line from the tip to a vertex of the cell beyond side `other` passes through that side of the cell
// itself, not of the cell behind it.
static bool passes_below(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t side, uint32_t other,
                         rblVec3d tip, rblVec3d vertex)
{
    const rblVec3d lower = rbl_iso_cell_corner(iso, cell);
    const rblVec3d upper = rbl_add3d(lower, iso->step);
    const double wall = rbl_iso_component(other % 2 == 1 ? upper : lower, other / 2);
    const double top = rbl_iso_component(side % 2 == 1 ? upper : lower, side / 2);
    const double inset = RBL_ISO_INSET * rbl_iso_component(iso->step, side / 2);
    const double from = rbl_iso_component(tip, other / 2);
    const double t = (wall - from) / (rbl_iso_component(vertex, other / 2) - from);
    const double height = rbl_iso_component(rbl_lerp3d(tip, vertex, t), side / 2);
    return side % 2 == 1 ? height < top - inset : height > top + inset;
}

static bool all_pass_below(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t side, uint32_t other,
                           rblVec3d tip, const rblIsoCell* neighbour)
{
    for (uint32_t k = 0; k < neighbour->patch_count; ++k)
    {
        if (!passes_below(iso, cell, side, other, tip, iso->vertices[neighbour->first_vertex + k]))
        {
            return false;
        }
    }
    return true;
}

// Whether the neighbour beyond side `other` allows the vertex of `cell` to move to the tip behind `side`.
static bool neighbour_agrees(const Reach* reach, uint32_t cell, uint32_t side, uint32_t other, rblVec3d tip)
{
    const rblIsosurface* iso = reach->iso;
    Place beside = place_of(iso, cell);
    const uint32_t neighbour = step_through(iso, &beside, other) ? cell_at(iso, &beside) : RBL_NONE;
    if (neighbour == RBL_NONE)
    {
        return true;
    }
    if (reach->moved[neighbour] != STAYS && reach->moved[neighbour] != side)
    {
        return false;
    }
    if (other / 2 == side / 2) // opposite or same side
    {
        return true;
    }
    return (step_through(iso, &beside, side) && is_free(reach, &beside, side)) ||
           all_pass_below(iso, &iso->cells[cell], side, other, tip, &iso->cells[neighbour]);
}

static bool neighbours_agree(const Reach* reach, uint32_t cell, uint32_t side, rblVec3d tip)
{
    bool agree = true;
    for (uint32_t other = 0; other < 6 && agree; ++other)
    {
        agree = neighbour_agrees(reach, cell, side, other, tip);
    }
    return agree;
}

// Reserve the cell behind `side`, and the empty cells behind the same side of the neighbours, for this side.
static rblResult claim_behind(Reach* reach, uint32_t cell, uint32_t side)
{
    Place behind = place_of(reach->iso, cell);
    step_through(reach->iso, &behind, side);
    RBL_TRY(claim(reach, &behind, side));
    for (uint32_t other = 0; other < 6; ++other)
    {
        Place beside = place_of(reach->iso, cell);
        if (other / 2 != side / 2 && step_through(reach->iso, &beside, other) &&
            cell_at(reach->iso, &beside) != RBL_NONE && step_through(reach->iso, &beside, side) &&
            is_free(reach, &beside, side))
        {
            RBL_TRY(claim(reach, &beside, side));
        }
    }
    return RBL_OK;
}

// ---- tips ----

// The grid cell that contains a point in the coordinates of a patch; false when it is outside the grid or not the
// cell or one of its neighbours.
static bool find_place(const rblIsosurface* iso, uint32_t cell, rblVec3d point, Place* place)
{
    const double unit = rbl_iso_unit(iso);
    *place = place_of(iso, cell);
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        const double x = rbl_iso_component(point, axis) * unit / rbl_iso_component(iso->step, axis);
        if (!(x > -1.0 && x < 2.0) || (x < 0.0 && !step_through(iso, place, 2 * axis)) ||
            (x > 1.0 && !step_through(iso, place, 2 * axis + 1)))
        {
            return false;
        }
    }
    return true;
}

// The side beyond which a point lies farthest, or STAYS when it is outside by less than RBL_ISO_INSET.
static uint32_t farthest_side(const rblIsosurface* iso, rblVec3d point)
{
    uint32_t side = STAYS;
    double farthest = RBL_ISO_INSET;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        const double x =
            rbl_iso_component(point, axis) * rbl_iso_unit(iso) / rbl_iso_component(iso->step, axis);
        const double beyond = x > 1.0 ? x - 1.0 : -x;
        if (beyond > farthest)
        {
            farthest = beyond;
            side = 2 * axis + (x > 1.0);
        }
    }
    return side;
}

// False when the planes meet inside the cell, or too far away to be reliable.
static bool find_tip(const rblIsosurface* iso, const rblIsoSharp* sharp, Tip* tip)
{
    const rblVec3d corner = rbl_iso_cell_corner(iso, &iso->cells[sharp->cell]);
    tip->point = rbl_mul_add3d(corner, rbl_iso_unit(iso), sharp->feature.best);
    tip->mean = rbl_mul_add3d(corner, rbl_iso_unit(iso), sharp->feature.mean);
    tip->side = farthest_side(iso, sharp->feature.best);
    if (tip->side == STAYS || !find_place(iso, sharp->cell, sharp->feature.best, &tip->place))
    {
        return false;
    }
    tip->holder = cell_at(iso, &tip->place);
    return true;
}

// Whether the surface crosses the line from the mean of the crossings to the tip, within PROBE before and behind the
// tip.
static bool surface_is_at(Reach* reach, const Tip* tip)
{
    const rblIsosurface* iso = reach->iso;
    const rblAabbd* bounds = &iso->def->bounds;
    bool inside[2];
    for (int i = 0; i < 2; ++i)
    {
        const rblVec3d probe = rbl_lerp3d(tip->point, tip->mean, i == 0 ? PROBE : -PROBE);
        const rblVec3d in_bounds = rbl_max3d(bounds->lower, rbl_min3d(bounds->upper, probe));
        inside[i] = rbl_iso_evaluate(iso, in_bounds, &reach->fault) < iso->def->level;
    }
    return inside[0] != inside[1];
}

// Move the vertex of `cell` through `side`, as far towards the tip as its neighbours allow.
static rblResult try_to_reach(Reach* reach, uint32_t cell, uint32_t side, rblVec3d tip, bool* done)
{
    rblIsosurface* iso = reach->iso;
    Place behind = place_of(iso, cell);
    if (!is_simple(&iso->cells[cell]) || reach->moved[cell] != STAYS || !step_through(iso, &behind, side) ||
        !is_free(reach, &behind, side))
    {
        return RBL_OK;
    }
    rblVec3d* vertex = &iso->vertices[iso->cells[cell].first_vertex];
    for (int step = 0; step < MAX_STEPS; ++step)
    {
        const rblVec3d goal = rbl_lerp3d(tip, *vertex, STEP_BACK * step);
        if (neighbours_agree(reach, cell, side, goal))
        {
            RBL_TRY(claim_behind(reach, cell, side));
            reach->moved[cell] = (uint8_t)side;
            *vertex = goal;
            *done = true;
            return RBL_OK;
        }
    }
    return RBL_OK;
}

// A tip in an empty cell: any cell next to it may reach it; the cell that found the tip is tried first.
static rblResult offer_tip(Reach* reach, uint32_t cell, const Place* empty, rblVec3d tip, bool* done)
{
    const Place seer = place_of(reach->iso, cell);
    for (uint32_t turn = 0; turn < 2; ++turn)
    {
        for (uint32_t side = 0; side < 6 && !*done; ++side)
        {
            Place beside = *empty;
            const bool on_grid = step_through(reach->iso, &beside, side ^ 1);
            const uint32_t holder = on_grid ? cell_at(reach->iso, &beside) : RBL_NONE;
            const bool is_seer = place_key(&beside) == place_key(&seer);
            if (holder != RBL_NONE && is_seer == (turn == 0))
            {
                RBL_TRY(try_to_reach(reach, holder, side, tip, done));
            }
        }
    }
    return RBL_OK;
}

// The box of the cell together with the cell behind a side.
static rblAabbd tall_box(const rblIsosurface* iso, uint32_t side)
{
    rblAabbd box = rbl_iso_cell_box(iso);
    const rblVec3d size = rbl_iso_corner_offset(iso, 7);
    const rblVec3d up = {side / 2 == 0 ? size.x : 0.0, side / 2 == 1 ? size.y : 0.0,
                         side / 2 == 2 ? size.z : 0.0};
    box.upper = side % 2 == 1 ? rbl_add3d(box.upper, up) : box.upper;
    box.lower = side % 2 == 0 ? rbl_sub3d(box.lower, up) : box.lower;
    return box;
}

// A tip in an active cell whose own feature has a lower rank becomes the vertex of that cell.
static rblResult give_tip(Reach* reach, const rblIsoSharp* sharp)
{
    rblIsosurface* iso = reach->iso;
    Tip tip;
    if (!find_tip(iso, sharp, &tip) || tip.holder == RBL_NONE)
    {
        return RBL_OK;
    }
    rblIsoCell* holder = &iso->cells[tip.holder];
    if (is_simple(holder) && holder->rank < sharp->feature.rank && surface_is_at(reach, &tip))
    {
        holder->rank = (uint8_t)sharp->feature.rank;
        iso->vertices[holder->first_vertex] = rbl_iso_keep_inside(iso, tip.place.at, tip.point);
    }
    return RBL_OK;
}

// A tip in an empty cell: a corner may be reached from any cell next to it, an edge only from the cell that found it.
static rblResult reach_tip(Reach* reach, const rblIsoSharp* sharp)
{
    rblIsosurface* iso = reach->iso;
    Tip tip;
    // The cell has received a better tip.
    const bool settled = iso->cells[sharp->cell].rank != sharp->feature.rank;
    if (settled || !find_tip(iso, sharp, &tip) || tip.holder != RBL_NONE || !surface_is_at(reach, &tip))
    {
        return RBL_OK;
    }
    bool done = false;
    if (sharp->feature.rank == 3)
    {
        const rblVec3d point = rbl_iso_keep_inside(iso, tip.place.at, tip.point);
        RBL_TRY(offer_tip(reach, sharp->cell, &tip.place, point, &done));
    }
    if (!done)
    {
        const rblVec3d nearest = rbl_iso_feature_in_box(&sharp->feature, tall_box(iso, tip.side));
        const rblVec3d corner = rbl_iso_cell_corner(iso, &iso->cells[sharp->cell]);
        const rblVec3d point = rbl_mul_add3d(corner, rbl_iso_unit(iso), nearest);
        RBL_TRY(try_to_reach(reach, sharp->cell, tip.side, point, &done));
    }
    return RBL_OK;
}

// Corners come before edges, so that an edge never occupies the cell that a corner needs.
static rblResult for_all_sharp(Reach* reach, rblResult (*visit)(Reach* reach, const rblIsoSharp* sharp))
{
    const rblIsosurface* iso = reach->iso;
    for (uint32_t rank = 3; rank >= 2; --rank)
    {
        for (uint32_t i = 0; i < iso->sharp_count && !reach->fault.found; ++i)
        {
            if (iso->sharp[i].feature.rank == rank)
            {
                RBL_TRY(visit(reach, &iso->sharp[i]));
            }
        }
    }
    return rbl_iso_check_faults(&reach->fault, 1);
}

// Active cells receive their tips before any vertex reaches into an empty cell, because that depends on the vertices
// of the neighbours.
static rblResult reach_all(Reach* reach)
{
    for (uint32_t i = 0; i < reach->iso->cell_count; ++i)
    {
        reach->moved[i] = STAYS;
    }
    RBL_TRY(for_all_sharp(reach, give_tip));
    return for_all_sharp(reach, reach_tip);
}

rblResult rbl_iso_reach_tips(rblIsosurface* iso)
{
    Reach reach = {.iso = iso, .moved = RBL_NEW_ARRAY(iso->allocator, uint8_t, iso->cell_count)};
    if (reach.moved == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_hash_map_init(&reach.claims, iso->allocator);
    const rblResult result = reach_all(&reach);
    rbl_hash_map_free(&reach.claims);
    RBL_FREE_ARRAY(iso->allocator, reach.moved, iso->cell_count);
    return result;
}
