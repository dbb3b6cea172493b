// Bodies that touch nothing but each other keep their angular momentum to rounding.
//
// A body moves by s (v + v') / 2, so what acts on it changes x X m v + L as if it acted about the place at mid-step,
// x + s (v + v') / 4. The arms of contacts reach from there, by the velocities before the solve (contact_aim.c). What other
// contacts did to the two bodies of a pair leaves the ends of its arms apart by some m, and then m X J of angular momentum comes
// from nowhere. Half of it is taken from each. Islands that lean on something have no angular momentum to keep.
#include "dynamics/solve/wide.h"
#include "dynamics/stages.h"

// An impulse from lane `lane` of a contact, on b.
static rblVec3 lane_impulse(const rblWideContact* contact, uint32_t lane)
{
    const rblVec3 normal = {contact->normal[0][lane], contact->normal[1][lane], contact->normal[2][lane]};
    const rblVec3 tangent = {contact->tangent[0][lane], contact->tangent[1][lane], contact->tangent[2][lane]};
    const rblVec3 along = rbl_scale3(normal, contact->normal_impulse[lane]);
    const rblVec3 across = rbl_mul_add3(along, contact->tangent_impulse[0][lane], tangent);
    return rbl_mul_add3(across, contact->tangent_impulse[1][lane], rbl_cross3(normal, tangent));
}

// From a body's place now to that at mid-step, with the velocities of the solve.
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
    const rblBundle* bundle = &step->bundles.data[manifold->bundle];
    const uint32_t lane = (uint32_t)(manifold - step->manifolds.data) - bundle->manifold;
    const rblVec3 apart = rbl_sub3(world->motions.data[a->slot].center, world->motions.data[b->slot].center);
    const rblVec3 moved =
        rbl_sub3(distance_to_middle(step, manifold->a), distance_to_middle(step, manifold->b));
    const rblVec3 middles = rbl_add3(apart, moved);
    rblVec3 turn = rbl_vec3(0, 0, 0);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
        const rblVec3 arms = {contact->arm_a[0][lane] - contact->arm_b[0][lane],
                              contact->arm_a[1][lane] - contact->arm_b[1][lane],
                              contact->arm_a[2][lane] - contact->arm_b[2][lane]};
        turn = rbl_add3(turn, rbl_cross3(rbl_add3(middles, arms), lane_impulse(contact, lane)));
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
