// Which impacts of a body come first. A plate may stand before a board: what flies at both meets the plate, and whether it ever
// gets to the board is for the plate to say. The first sweep leaves out impacts that come after another one of the same body; those
// that come within a small part of the thinnest body concerned are taken together.
#include "dynamics/impact/impacts.h"
#include "dynamics/stages.h"

#define TOGETHER 0.25f // of the inner radius of the thinnest that a body meets: no matter which is first

static bool moves_freely(const rblWorld* world, uint32_t index)
{
    return world->solver_bodies.data[index].inverse_mass > 0.0f &&
           world->loners.data[index] == RBL_LONER_NOT; // a lone body has more flights
}

static void note_first(rblWorld* world, uint32_t index, float time, float thickness)
{
    rblFirstImpact* first = &world->firsts.data[index];
    first->time = rbl_minf(first->time, time);
    first->thickness = rbl_minf(first->thickness, thickness);
}

static void note_impact(rblWorld* world, const rblManifold* manifold)
{
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const float time = manifold->struck ? 0.0f : manifold->closing;
    const float thickness =
        rbl_minf(world->surfaces.data[pair->a].inner_radius, world->surfaces.data[pair->b].inner_radius);
    note_first(world, manifold->a, time, thickness);
    note_first(world, manifold->b, time, thickness);
}

// Whether a body is changed by another impact before it could get to this one.
static bool comes_later(const rblWorld* world, const rblManifold* manifold, uint32_t index)
{
    const rblFirstImpact* first = &world->firsts.data[index];
    return moves_freely(world, index) &&
           world->speeds.data[index] * (manifold->closing - first->time) > TOGETHER * first->thickness;
}

void rbl_order_impacts(rblWorld* world)
{
    for (size_t i = 0; i < world->solver_bodies.count; ++i)
    {
        world->firsts.data[i] = (rblFirstImpact){world->seconds, INFINITY};
    }
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        if (manifold->struck || (manifold->nearing && manifold->closing < world->seconds))
        {
            note_impact(world, manifold);
        }
    }
    for (size_t i = 0; i < world->nearing.count; ++i)
    {
        rblManifold* manifold = &world->manifolds.data[world->nearing.data[i]];
        const bool later =
            comes_later(world, manifold, manifold->a) || comes_later(world, manifold, manifold->b);
        manifold->later = later && !manifold->struck && manifold->closing < world->seconds;
    }
}
