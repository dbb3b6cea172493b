#include "dynamics/solve/island_rest.h"

#include "dynamics/solve/wide.h"

// ---- tuning ----
#define REST_SPEED 0.5f // m/s: islands of slower bodies count as at rest

// Manifolds by island: start indices, then the list. Filled once per step.
bool rbl_island_manifolds_list(rblStep* step)
{
    const size_t islands = step->islands.count;
    const size_t count = step->manifolds.count;
    if (!rbl_array_resize_amply(&step->subspace->island_manifolds, islands + 1 + count))
    {
        return false;
    }
    uint32_t* starts = step->subspace->island_manifolds.data;
    uint32_t* list = starts + islands + 1;
    for (size_t i = 0; i <= islands; ++i)
    {
        starts[i] = 0;
    }
    for (size_t m = 0; m < count; ++m)
    {
        starts[rbl_manifold_island(step, &step->manifolds.data[m]) + 1] += 1;
    }
    for (size_t i = 0; i < islands; ++i)
    {
        starts[i + 1] += starts[i];
    }
    for (size_t m = count; m-- > 0;)
    {
        list[--starts[rbl_manifold_island(step, &step->manifolds.data[m]) + 1]] = (uint32_t)m;
    }
    // The loop has moved each start to that of its island: shift them back.
    for (size_t i = 0; i < islands; ++i)
    {
        starts[i] = starts[i + 1];
    }
    starts[islands] = (uint32_t)count;
    return true;
}

void rbl_subspace_choose(rblSubspace* system, uint32_t island)
{
    const rblStep* step = system->step;
    const uint32_t* starts = step->subspace->island_manifolds.data;
    system->manifolds = starts + step->islands.count + 1 + starts[island];
    system->manifold_count = starts[island + 1] - starts[island];
    system->contacts = 0;
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        system->contacts += step->manifolds.data[system->manifolds[k]].count;
    }
}

void rbl_subspace_unpack(const rblSubspace* system)
{
    for (uint32_t k = 0; k < system->manifold_count; ++k)
    {
        rbl_manifold_unpack(system->step, &system->step->manifolds.data[system->manifolds[k]]);
    }
}

double rbl_subspace_residual(const rblSubspace* system)
{
    double sum = 0.0;
    for (rblSubspaceWalk walk = {0}; rbl_subspace_walk(system, &walk);)
    {
        rblSolverBody a = system->step->solver_bodies.data[walk.manifold->a];
        rblSolverBody b = system->step->solver_bodies.data[walk.manifold->b];
        rblSolverContact contact = *walk.contact;
        rbl_contact_solve(&a, &b, &contact, walk.manifold->friction);
        const double normal_impulse = (double)contact.change[0];
        const double x = (double)contact.change[1];
        const double y = (double)contact.change[2];
        sum += normal_impulse * normal_impulse / (double)contact.normal_mass +
               (x * x + y * y) / (double)contact.tangent_mass[3];
    }
    return sum;
}

double rbl_island_fall(const rblStep* step, const rblIsland* island)
{
    const rblWorld* world = step->world;
    double mass = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t index = step->island_bodies.data[island->first + i];
        mass += (double)world->bodies.data[step->solver_bodies.data[index].slot].mass;
    }
    const double speed = (double)step->seconds * (double)rbl_length3(world->def.gravity);
    return 0.5 * mass * speed * speed;
}

bool rbl_island_is_at_rest(const rblStep* step, const rblIsland* island)
{
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblVec3 v = step->before_contacts.data[step->island_bodies.data[island->first + i]].velocity;
        if (!(rbl_dot3(v, v) < REST_SPEED * REST_SPEED))
        {
            return false;
        }
    }
    return true;
}

void rbl_idle_bundles_find(rblStep* step)
{
    for (size_t k = 0; k < step->bundles.count; ++k)
    {
        rblBundle* bundle = &step->bundles.data[k];
        bundle->idle = true;
        for (uint32_t i = 0; i < bundle->lanes && bundle->idle; ++i)
        {
            const rblManifold* manifold = &step->manifolds.data[bundle->manifold + i];
            bundle->idle = step->islands.data[rbl_manifold_island(step, manifold)].idle;
        }
    }
}
