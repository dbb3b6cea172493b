// Islands without a support keep their angular momentum to rounding.
//
// A body moves by s (v + v') / 2, so an impulse changes x X m v + L as if it acted about the position at mid-step, x + s (v +
// v') / 4. The lever arms of contacts start from the mid-step positions by the velocities before the solve (contact_aim.c).
// Other contacts of the two bodies change these positions, so that the ends of the two arms are a vector m apart, and the
// pair gains the angular momentum m X J. Half of it is taken from each body. The angular momentum of an island with a support
// is not conserved anyway.
#include "dynamics/solve/contact_math.h"
#include "dynamics/solve/wide.h"
#include "dynamics/stages.h"

// Displacement of a body up to mid-step, with the velocities of the solve.
static rblVec3 distance_to_middle(const rblStep* step, uint32_t index)
{
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblVec3 before = step->before_contacts.data[index].velocity;
    return rbl_scale3(rbl_add3(before, body->velocity), 0.25f * body->seconds);
}

static void give_back(rblSolverBody* body, rblVec3 turn)
{
    body->spin = rbl_add3(body->spin, rbl_symmetric3_apply(&body->inverse_inertia, turn));
}

static void conserve_pair(rblStep* step, const rblManifold* manifold)
{
    rblWorld* world = step->world;
    rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const rblVec3 apart = rbl_sub3(world->motions.data[a->slot].center, world->motions.data[b->slot].center);
    const rblVec3 moved =
        rbl_sub3(distance_to_middle(step, manifold->a), distance_to_middle(step, manifold->b));
    const rblVec3 middles = rbl_add3(apart, moved);
    rblVec3 turn = rbl_vec3(0, 0, 0);
    rbl_manifold_unpack(step, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const rblVec3 arms = rbl_sub3(contact->arm_a, contact->arm_b);
        turn = rbl_add3(turn, rbl_cross3(rbl_add3(middles, arms), rbl_contact_impulse(contact)));
    }
    give_back(a, rbl_scale3(turn, 0.5f));
    give_back(b, rbl_scale3(turn, 0.5f));
}

static void find_grounded_islands(rblStep* step)
{
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        step->islands.data[i].grounded = false;
    }
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        const uint32_t a = step->solver_bodies.data[manifold->a].island;
        const uint32_t b = step->solver_bodies.data[manifold->b].island;
        if (a == RBL_NONE || b == RBL_NONE)
        {
            step->islands.data[a != RBL_NONE ? a : b].grounded = true;
        }
    }
}

void rbl_momentum_conserve(rblStep* step)
{
    find_grounded_islands(step);
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        const uint32_t a = step->solver_bodies.data[manifold->a].island;
        const uint32_t b = step->solver_bodies.data[manifold->b].island;
        if (a != RBL_NONE && b != RBL_NONE && !step->islands.data[a].grounded)
        {
            conserve_pair(step, manifold);
        }
    }
}
