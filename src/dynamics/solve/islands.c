// Islands: bodies connected by contacts and joints, by union-find over manifolds and joints.
#include "base/union_find.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"

// Working data of the stage.
struct rblIslandFinder
{
    rblIndexArray parents; // per solver body: of the union
};

#define ARRAYS(X) X(parents)

RBL_DEFINE_STAGE_MEMORY(struct rblIslandFinder, rbl_island_finder, ARRAYS)

static bool is_dynamic(const rblStep* step, uint32_t index)
{
    return step->solver_bodies.data[index].inverse_mass > 0.0f;
}

static bool number_islands(rblStep* step, uint32_t* parents)
{
    rbl_array_clear(&step->islands);
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[i];
        body->island = RBL_NONE;
        if (!is_dynamic(step, i))
        {
            continue;
        }
        const uint32_t root = rbl_union_root(parents, i);
        if (root == i)
        {
            body->island = (uint32_t)step->islands.count;
            if (!rbl_array_push(&step->islands, ((rblIsland){.left = INFINITY})))
            {
                return false;
            }
        }
        body->island = step->solver_bodies.data[root].island;
        step->islands.data[body->island].count += 1;
    }
    return true;
}

static void list_bodies(rblStep* step)
{
    uint32_t first = 0;
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        step->islands.data[i].first = first;
        first += step->islands.data[i].count;
        step->islands.data[i].count = 0;
    }
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const uint32_t number = step->solver_bodies.data[i].island;
        if (number != RBL_NONE)
        {
            rblIsland* island = &step->islands.data[number];
            step->island_bodies.data[island->first + island->count++] = i;
        }
    }
}

rblResult rbl_islands_find(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t bodies = step->solver_bodies.count;
    if (!rbl_array_renew(&step->island_finder->parents, bodies, 0) ||
        !rbl_array_resize_amply(&step->island_bodies, bodies))
    {
        return rbl_fail_memory();
    }
    uint32_t* parents = step->island_finder->parents.data;
    for (uint32_t i = 0; i < bodies; ++i)
    {
        parents[i] = is_dynamic(step, i) ? i : RBL_NONE;
    }
    // From the bundles, because they are more compact than the manifolds.
    for (size_t i = 0; i < step->bundles.count; ++i)
    {
        const rblBundle* bundle = &step->bundles.data[i];
        for (uint32_t lane = 0; lane < bundle->lanes; ++lane)
        {
            if (parents[bundle->a[lane]] != RBL_NONE && parents[bundle->b[lane]] != RBL_NONE)
            {
                rbl_union_join(parents, bundle->a[lane], bundle->b[lane]);
            }
        }
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        const bool both =
            joint->generation != 0 && is_dynamic(step, joint->solver_a) && is_dynamic(step, joint->solver_b);
        if (both)
        {
            rbl_union_join(parents, joint->solver_a, joint->solver_b);
        }
    }
    if (!number_islands(step, parents))
    {
        return rbl_fail_memory();
    }
    list_bodies(step);
    return RBL_OK;
}
