// Orientation: neighbours have opposite directions along their common edge. Each component gets the orientation of
// most of its faces; the outward direction is decided later, when the component is closed (repair_components.c).
#include "base/error.h"
#include "mesh/repair/repair.h"
#include <string.h>

typedef struct Walk
{
    uint32_t* faces; // of the current component, in the order found
    uint32_t count;
    uint32_t turned; // how many of them disagree with the first face
    uint8_t* marks;  // per face: flip it
    uint8_t* seen;
    bool conflict; // no choice of flips makes all neighbours agree
} Walk;

static void visit_neighbour(const rblRepair* r, Walk* walk, uint32_t corner)
{
    const uint32_t twin = r->corners.data[corner].twin;
    if (twin == RBL_NONE)
    {
        return;
    }
    const uint32_t f = r->corners.data[corner].face;
    const uint32_t g = r->corners.data[twin].face;
    const bool disagree = rbl_repair_vertex(r, corner) == rbl_repair_vertex(r, twin);
    const uint8_t wanted = walk->marks[f] ^ disagree;
    if (!walk->seen[g])
    {
        walk->seen[g] = 1;
        walk->marks[g] = wanted;
        walk->turned += wanted;
        walk->faces[walk->count++] = g;
    }
    walk->conflict = walk->conflict || walk->marks[g] != wanted;
}

static void walk_component(const rblRepair* r, Walk* walk, uint32_t seed)
{
    walk->count = walk->turned = 0;
    walk->conflict = false;
    walk->faces[walk->count++] = seed;
    walk->seen[seed] = 1;
    for (uint32_t k = 0; k < walk->count; ++k)
    {
        const rblRepairFace* face = &r->faces.data[walk->faces[k]];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            visit_neighbour(r, walk, c);
        }
    }
}

// A one-sided component does not change. Of the two consistent orientations the one with fewer flipped faces is
// chosen.
static void settle_component(rblRepair* r, Walk* walk)
{
    r->unorientable += walk->conflict;
    const bool turn_others = 2 * (uint64_t)walk->turned > walk->count;
    for (uint32_t k = 0; k < walk->count; ++k)
    {
        uint8_t* mark = &walk->marks[walk->faces[k]];
        *mark = !walk->conflict && *mark != turn_others;
    }
}

rblResult rbl_repair_orient(rblRepair* r)
{
    Walk walk = {.faces = RBL_SCRATCH(r, uint32_t, r->faces.count),
                 .marks = RBL_SCRATCH(r, uint8_t, r->faces.count),
                 .seen = RBL_SCRATCH(r, uint8_t, r->faces.count)};
    if (walk.faces == NULL || walk.marks == NULL || walk.seen == NULL)
    {
        return rbl_fail_memory();
    }
    memset(walk.marks, 0, r->faces.count);
    memset(walk.seen, 0, r->faces.count);
    r->unorientable = 0;
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        if (!walk.seen[f])
        {
            walk_component(r, &walk, f);
            settle_component(r, &walk);
        }
    }
    return rbl_repair_flip(r, walk.marks);
}
