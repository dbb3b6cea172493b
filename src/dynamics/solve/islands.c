// Bodies that hang together by contacts: union-find over the manifolds.
#include "base/union_find.h"
#include "dynamics/stages.h"

static bool is_dynamic(const rblWorld* world, uint32_t index)
{
    return world->solver_bodies.data[index].inverse_mass > 0.0f;
}

static bool number_islands(rblWorld* world, uint32_t* parents)
{
    rbl_array_clear(&world->islands);
    for (uint32_t i = 1; i < world->solver_bodies.count; ++i)
    {
        rblSolverBody* body = &world->solver_bodies.data[i];
        body->island = RBL_NONE;
        if (!is_dynamic(world, i))
        {
            continue;
        }
        const uint32_t root = rbl_union_root(parents, i);
        if (root == i)
        {
            body->island = (uint32_t)world->islands.count;
            if (!rbl_array_push(&world->islands, ((rblIsland){.left = INFINITY})))
            {
                return false;
            }
        }
        body->island = world->solver_bodies.data[root].island;
        world->islands.data[body->island].count += 1;
    }
    return true;
}

static void list_bodies(rblWorld* world)
{
    uint32_t first = 0;
    for (size_t i = 0; i < world->islands.count; ++i)
    {
        world->islands.data[i].first = first;
        first += world->islands.data[i].count;
        world->islands.data[i].count = 0;
    }
    for (uint32_t i = 1; i < world->solver_bodies.count; ++i)
    {
        const uint32_t number = world->solver_bodies.data[i].island;
        if (number != RBL_NONE)
        {
            rblIsland* island = &world->islands.data[number];
            world->island_bodies.data[island->first + island->count++] = i;
        }
    }
}

rblResult rbl_find_islands(rblWorld* world)
{
    const size_t bodies = world->solver_bodies.count;
    if (!rbl_array_renew(&world->scratch, bodies, 0) ||
        !rbl_array_resize_amply(&world->island_bodies, bodies))
    {
        return rbl_fail_memory();
    }
    uint32_t* parents = world->scratch.data;
    for (uint32_t i = 0; i < bodies; ++i)
    {
        parents[i] = i;
    }
    for (size_t i = 0; i < world->manifolds.count; ++i)
    {
        const rblManifold* manifold = &world->manifolds.data[i];
        if (is_dynamic(world, manifold->a) && is_dynamic(world, manifold->b))
        {
            rbl_union_join(parents, manifold->a, manifold->b);
        }
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        const bool both = joint->generation != 0 && is_dynamic(world, joint->solver_a) &&
                          is_dynamic(world, joint->solver_b);
        if (both)
        {
            rbl_union_join(parents, joint->solver_a, joint->solver_b);
        }
    }
    if (!number_islands(world, parents))
    {
        return rbl_fail_memory();
    }
    list_bodies(world);
    return RBL_OK;
}
