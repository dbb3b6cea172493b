#include "dynamics/solve/cold_start.h"

#include "dynamics/solve/island_rest.h"
#include "dynamics/solve/subspace.h"
#include <math.h>

// ---- tuning ----
#define SOLVED   1e-9 // of the energy by gravity in a step: islands with a smaller residual are solved
#define PROGRESS 0.95 // of the residual before some sweeps: a larger one means that more sweeps are vain

// Whether more than half of the pairs of an island did not touch in the last step.
static bool is_cold(const rblSubspace* system, const rblIsland* island)
{
    const rblStep* step = system->step;
    uint32_t begun = 0;
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        begun += !step->world->pairs.data[step->manifolds.data[system->manifolds[k]].pair].touching;
    }
    // Small islands have rounds of direct solves instead.
    return system->contacts > RBL_SMALL_WORLD && 2 * begun > system->manifold_count &&
           rbl_island_is_at_rest(step, island);
}

rblResult rbl_cold_islands_find(rblStep* step, bool* any)
{
    rblSubspace system = {.step = step};
    *any = false;
    if (!rbl_island_manifolds_list(step))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < step->islands.count; ++i)
    {
        rblIsland* island = &step->islands.data[i];
        rbl_subspace_choose(&system, i);
        island->idle = !is_cold(&system, island);
        *any = *any || !island->idle;
    }
    if (*any)
    {
        rbl_idle_bundles_find(step);
    }
    else
    {
        rbl_cold_islands_end(step);
    }
    return RBL_OK;
}

bool rbl_cold_islands_check(rblStep* step)
{
    rblSubspace system = {.step = step};
    bool any = false;
    for (uint32_t i = 0; i < step->islands.count; ++i)
    {
        rblIsland* island = &step->islands.data[i];
        if (island->idle)
        {
            continue;
        }
        rbl_subspace_choose(&system, i);
        rbl_subspace_unpack(&system);
        const double residual = rbl_subspace_residual(&system);
        island->idle =
            !(residual > SOLVED * rbl_island_fall(step, island) && residual < PROGRESS * island->left);
        island->left = residual;
        any = any || !island->idle;
    }
    rbl_idle_bundles_find(step);
    return any;
}

void rbl_cold_islands_end(rblStep* step)
{
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        step->islands.data[i].idle = false;
        step->islands.data[i].left = INFINITY;
    }
    for (size_t k = 0; k < step->bundles.count; ++k)
    {
        step->bundles.data[k].idle = false;
    }
}
