// Pairs of half-edges. The two faces of an edge with two faces are paired. At an edge with more faces, the faces are
// sorted by angle, and the two faces of each wedge of the inside are paired, so that solids that touch along an edge
// are separated there. A face without a partner gets a boundary edge.
//
// The inside follows from the orientation: about the direction e of the edge (right-hand rule), a face whose
// half-edge has the direction e has the outside after it, a face with the opposite direction has the outside before
// it. So a wedge of the inside begins at a face of the opposite direction and ends at the next face of direction e;
// they match like brackets.
#include "base/error.h"
#include "base/sort.h"
#include "math/predicates.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include <string.h>

// Largest number of faces at an edge for which patches are examined. The test takes quadratic time in this number.
#define LARGEST_CROWD 64u

typedef struct Pairing
{
    rblRepairEdges edges;
    rblRepairPatches patches;
    uint8_t* against; // per face: its orientation should be reversed
} Pairing;

// ---- a provisional orientation ----

// Visit the faces of a patch and mark those whose orientation differs from the first one. Returns their number.
static uint32_t walk_patch(const rblRepair* r, Pairing* pairing, uint32_t patch, uint32_t* stack,
                           uint8_t* seen)
{
    uint32_t count = 0;
    uint32_t turned = 0;
    stack[count] = pairing->patches.faces[pairing->patches.starts[patch]];
    seen[stack[count++]] = 1;
    while (count > 0)
    {
        const uint32_t f = stack[--count];
        const rblRepairFace* face = &r->faces.data[f];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            const uint32_t e = pairing->edges.of_corner[c];
            const uint32_t* both = pairing->edges.corners + pairing->edges.starts[e];
            if (rbl_repair_edge_size(&pairing->edges, e) != 2)
            {
                continue;
            }
            const uint32_t other = both[0] == c ? both[1] : both[0];
            const uint32_t g = r->corners.data[other].face;
            if (!seen[g])
            {
                seen[g] = 1;
                pairing->against[g] =
                    pairing->against[f] != (rbl_repair_rises(r, c) == rbl_repair_rises(r, other));
                turned += pairing->against[g];
                stack[count++] = g;
            }
        }
    }
    return turned;
}

static void turn_patch(Pairing* pairing, uint32_t patch)
{
    for (uint32_t k = pairing->patches.starts[patch]; k < pairing->patches.starts[patch + 1]; ++k)
    {
        pairing->against[pairing->patches.faces[k]] ^= 1;
    }
}

static double face_volume(const rblRepair* r, const Pairing* pairing, uint32_t f, rblVec3d origin)
{
    const double volume = rbl_repair_volume6(r, f, origin);
    return pairing->against[f] ? -volume : volume;
}

// Whether an odd number of the faces at this edge belong to the patch. Edges above LARGEST_CROWD count as rim without
// a test.
static bool is_rim(const rblRepair* r, const Pairing* pairing, uint32_t patch, uint32_t e)
{
    const uint32_t size = rbl_repair_edge_size(&pairing->edges, e);
    uint32_t own = size > LARGEST_CROWD;
    for (uint32_t i = pairing->edges.starts[e]; size <= LARGEST_CROWD && i < pairing->edges.starts[e + 1];
         ++i)
    {
        own += pairing->patches.labels[r->corners.data[pairing->edges.corners[i]].face] == patch;
    }
    return own % 2 != 0;
}

// Six times the volume of a patch that is closed by itself, 0 for a patch with a rim.
static double closed_volume(const rblRepair* r, const Pairing* pairing, uint32_t patch)
{
    const rblRepairPatches* patches = &pairing->patches;
    const rblVec3d origin =
        rbl_repair_position(r, r->faces.data[patches->faces[patches->starts[patch]]].begin);
    double volume = 0;
    for (uint32_t k = patches->starts[patch]; k < patches->starts[patch + 1]; ++k)
    {
        const rblRepairFace* face = &r->faces.data[patches->faces[k]];
        volume += face_volume(r, pairing, patches->faces[k], origin);
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            if (is_rim(r, pairing, patch, pairing->edges.of_corner[c]))
            {
                return 0;
            }
        }
    }
    return volume;
}

// Flip whole piles with negative volume: they are inside out.
static rblResult turn_piles(rblRepair* r, Pairing* pairing)
{
    uint32_t pile_count;
    uint32_t* piles = RBL_SCRATCH(r, uint32_t, r->faces.count);
    if (piles == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(rbl_repair_piles(r, &pairing->edges, piles, &pile_count));
    double* volumes = RBL_SCRATCH(r, double, pile_count);
    uint32_t* firsts = RBL_SCRATCH(r, uint32_t, pile_count);
    if (volumes == NULL || firsts == NULL)
    {
        return rbl_fail_memory();
    }
    memset(firsts, 0xFF, sizeof *firsts * pile_count);
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        if (firsts[piles[f]] == RBL_NONE)
        {
            firsts[piles[f]] = f;
            volumes[piles[f]] = 0;
        }
        const rblVec3d origin = rbl_repair_position(r, r->faces.data[firsts[piles[f]]].begin);
        volumes[piles[f]] += face_volume(r, pairing, f, origin);
    }
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        pairing->against[f] ^= volumes[piles[f]] < 0;
    }
    return RBL_OK;
}

// Each patch gets the orientation of most of its faces. Patches that are closed by themselves, and whole piles, are
// oriented outward.
static rblResult orient_provisionally(rblRepair* r, Pairing* pairing)
{
    uint32_t* stack = RBL_SCRATCH(r, uint32_t, r->faces.count);
    uint8_t* seen = RBL_SCRATCH(r, uint8_t, r->faces.count);
    pairing->against = RBL_SCRATCH(r, uint8_t, r->faces.count);
    if (stack == NULL || seen == NULL || pairing->against == NULL)
    {
        return rbl_fail_memory();
    }
    memset(seen, 0, r->faces.count);
    memset(pairing->against, 0, r->faces.count);
    for (uint32_t p = 0; p < pairing->patches.count; ++p)
    {
        const uint32_t turned = walk_patch(r, pairing, p, stack, seen);
        if (2 * (uint64_t)turned > pairing->patches.starts[p + 1] - pairing->patches.starts[p])
        {
            turn_patch(pairing, p);
        }
        if (closed_volume(r, pairing, p) < 0)
        {
            turn_patch(pairing, p);
        }
    }
    return turn_piles(r, pairing);
}

// ---- around one edge ----

typedef struct Spoke
{
    uint32_t corner;
    rblVec3d apex; // a point of the face beside the edge (for polygons: of its mean plane)
    int quarter;   // angle to the first spoke: 0: zero, 1: below half a turn, 2: half a turn, 3: more
    bool along;    // its half-edge runs, or should run, from the lower vertex of the edge to the higher one
} Spoke;

typedef struct Wheel
{
    rblVec3d low, high; // the ends of the edge
    Spoke* spokes;
} Wheel;

static rblVec3d find_apex(const rblRepair* r, uint32_t corner)
{
    const rblRepairCorner* c = &r->corners.data[corner];
    if (r->faces.data[c->face].size == 3)
    {
        return rbl_repair_position(r, rbl_repair_previous(r, corner));
    }
    const rblVec3d from = rbl_repair_position(r, corner);
    const rblVec3d along = rbl_sub3d(rbl_repair_position(r, rbl_repair_next(r, corner)), from);
    const rblVec3d inward = rbl_cross3d(rbl_repair_normal_area2(r, c->face), along);
    return rbl_mul_add3d(from, rbl_length3d(along), rbl_normalize3d(inward, (rblVec3d){0, 0, 0}));
}

// orient3d is negative for points after a plane, in the sense of the right-hand rule about the edge.
static int find_quarter(const Wheel* wheel, rblVec3d apex)
{
    const rblVec3d first = wheel->spokes[0].apex;
    const double side = rbl_orient3d(wheel->low, wheel->high, first, apex);
    if (side != 0)
    {
        return side < 0 ? 1 : 3;
    }
    const rblVec3d along = rbl_sub3d(wheel->high, wheel->low);
    const rblVec3d a = rbl_cross3d(along, rbl_sub3d(first, wheel->low));
    const rblVec3d b = rbl_cross3d(along, rbl_sub3d(apex, wheel->low));
    return rbl_dot3d(a, b) >= 0 ? 0 : 2;
}

// Order by angle. Of faces at the same angle those along the edge come first, so that no wedge of zero size counts as
// inside.
static bool spoke_before(uint32_t a, uint32_t b, const void* context)
{
    const Wheel* wheel = context;
    const Spoke* first = &wheel->spokes[a];
    const Spoke* second = &wheel->spokes[b];
    if (first->quarter != second->quarter)
    {
        return first->quarter < second->quarter;
    }
    const double side =
        first->quarter % 2 != 0 ? rbl_orient3d(wheel->low, wheel->high, first->apex, second->apex) : 0;
    return side != 0 ? side < 0 : first->along && !second->along;
}

// Match brackets around the edge. Two rounds, so that a wedge may contain the start.
static void match_spokes(rblRepair* r, const Wheel* wheel, const uint32_t* order, uint32_t count,
                         uint32_t* stack)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < 2 * count; ++i)
    {
        const Spoke* spoke = &wheel->spokes[order[i % count]];
        if (r->corners.data[spoke->corner].twin != RBL_NONE)
        {
            continue;
        }
        if (!spoke->along)
        {
            if (i < count)
            {
                stack[open++] = spoke->corner;
            }
        }
        else if (open > 0)
        {
            const uint32_t begin = stack[--open];
            r->corners.data[begin].twin = spoke->corner;
            r->corners.data[spoke->corner].twin = begin;
        }
    }
}

static rblResult pair_crowd(rblRepair* r, const Pairing* pairing, uint32_t e)
{
    const uint32_t* corners = pairing->edges.corners + pairing->edges.starts[e];
    const uint32_t count = rbl_repair_edge_size(&pairing->edges, e);
    Wheel wheel = {.spokes = RBL_SCRATCH(r, Spoke, count)};
    uint32_t* order = RBL_SCRATCH(r, uint32_t, count);
    uint32_t* spare = RBL_SCRATCH(r, uint32_t, count);
    if (wheel.spokes == NULL || order == NULL || spare == NULL)
    {
        return rbl_fail_memory();
    }
    const bool rises = rbl_repair_rises(r, corners[0]);
    const rblVec3d from = rbl_repair_position(r, corners[0]);
    const rblVec3d to = rbl_repair_position(r, rbl_repair_next(r, corners[0]));
    wheel.low = rises ? from : to;
    wheel.high = rises ? to : from;
    for (uint32_t i = 0; i < count; ++i)
    {
        Spoke* spoke = &wheel.spokes[i];
        spoke->corner = corners[i];
        spoke->apex = find_apex(r, corners[i]);
        spoke->along =
            rbl_repair_rises(r, corners[i]) != (bool)pairing->against[r->corners.data[corners[i]].face];
        spoke->quarter = find_quarter(&wheel, spoke->apex);
        order[i] = i;
    }
    rbl_sort_indices(order, spare, count, spoke_before, &wheel);
    match_spokes(r, &wheel, order, count, spare);
    return RBL_OK;
}

// ---- pass ----

static bool has_crowds(const rblRepairEdges* edges)
{
    for (uint32_t e = 0; e < edges->count; ++e)
    {
        if (rbl_repair_edge_size(edges, e) > 2)
        {
            return true;
        }
    }
    return false;
}

// Whether every face at the edge has a partner.
static bool is_taken_apart(const rblRepair* r, const rblRepairEdges* edges, uint32_t e)
{
    bool apart = true;
    for (uint32_t i = edges->starts[e]; i < edges->starts[e + 1]; ++i)
    {
        apart = apart && r->corners.data[edges->corners[i]].twin != RBL_NONE;
    }
    return apart;
}

void rbl_repair_pair_plain_edges(rblRepair* r, const rblRepairEdges* edges)
{
    for (size_t c = 0; c < r->corners.count; ++c)
    {
        r->corners.data[c].twin = RBL_NONE;
    }
    for (uint32_t e = 0; e < edges->count; ++e)
    {
        const uint32_t* corners = edges->corners + edges->starts[e];
        if (rbl_repair_edge_size(edges, e) == 2)
        {
            r->corners.data[corners[0]].twin = corners[1];
            r->corners.data[corners[1]].twin = corners[0];
        }
    }
}

rblResult rbl_repair_pair_edges(rblRepair* r)
{
    Pairing pairing;
    RBL_TRY(rbl_repair_edges(r, NULL, &pairing.edges));
    rbl_repair_pair_plain_edges(r, &pairing.edges);
    if (!has_crowds(&pairing.edges))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_repair_patches(r, &pairing.edges, &pairing.patches));
    RBL_TRY(orient_provisionally(r, &pairing));
    for (uint32_t e = 0; e < pairing.edges.count; ++e)
    {
        if (rbl_repair_edge_size(&pairing.edges, e) > 2)
        {
            const rblArenaMark mark = rbl_arena_mark(&r->scratch);
            const rblResult result = pair_crowd(r, &pairing, e);
            rbl_arena_rewind(&r->scratch, mark);
            RBL_TRY(result);
            r->report->split_edges += is_taken_apart(r, &pairing.edges, e);
        }
    }
    return RBL_OK;
}
