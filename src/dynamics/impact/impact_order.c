// Order of the impacts of a body. A projectile that would reach a plate and a board behind it may never reach the board after
// its impact with the plate. So the first sweep leaves out impacts that come after another one of the same body. Impacts
// within a small part of the thickness of the thinnest body are solved together.
#include "dynamics/impact/impacts.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define TOGETHER 0.25f // of the inner radius of the thinnest body: impacts within this distance have no order

static bool moves_freely(const rblStep* step, uint32_t index)
{
    return step->solver_bodies.data[index].inverse_mass > 0.0f &&
           step->impact->isolations.data[index] == RBL_ISOLATION_NONE; // isolated bodies have several flights
}

static void note_first(rblStep* step, uint32_t index, float time, float thickness)
{
    rblFirstImpact* first = &step->impact->firsts.data[index];
    first->time = rbl_minf(first->time, time);
    first->thickness = rbl_minf(first->thickness, thickness);
}

static void note_impact(rblStep* step, const rblManifold* manifold)
{
    rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const float time = manifold->has_impact ? 0.0f : manifold->closing;
    const float thickness =
        rbl_minf(step->surfaces.data[pair->a].inner_radius, step->surfaces.data[pair->b].inner_radius);
    note_first(step, manifold->a, time, thickness);
    note_first(step, manifold->b, time, thickness);
}

// Whether another impact of the body comes clearly before this one.
static bool comes_later(const rblStep* step, const rblManifold* manifold, uint32_t index)
{
    const rblFirstImpact* first = &step->impact->firsts.data[index];
    return moves_freely(step, index) &&
           step->impact->speeds.data[index] * (manifold->closing - first->time) > TOGETHER * first->thickness;
}

void rbl_impacts_order(rblStep* step)
{
    for (size_t i = 0; i < step->solver_bodies.count; ++i)
    {
        step->impact->firsts.data[i] = (rblFirstImpact){step->seconds, INFINITY};
    }
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        if (manifold->has_impact || (manifold->may_close && manifold->closing < step->seconds))
        {
            note_impact(step, manifold);
        }
    }
    for (size_t i = 0; i < step->impact->closing_manifolds.count; ++i)
    {
        rblManifold* manifold = &step->manifolds.data[step->impact->closing_manifolds.data[i]];
        const bool later =
            comes_later(step, manifold, manifold->a) || comes_later(step, manifold, manifold->b);
        manifold->later = later && !manifold->has_impact && manifold->closing < step->seconds;
    }
}
