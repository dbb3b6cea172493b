// The memory of a step and of its stages.
#include "dynamics/stage_memory.h"

#define ARRAYS(X)                                                                                            \
    X(movers)                                                                                                \
    X(flipped)                                                                                               \
    X(slot_scratch)                                                                                          \
    X(woken)                                                                                                 \
    X(parking)                                                                                               \
    X(unparking)                                                                                             \
    X(stale_paths.slots)                                                                                     \
    X(active_pairs)                                                                                          \
    X(active_keys)                                                                                           \
    X(activities)                                                                                            \
    X(untried)                                                                                               \
    X(time_left)                                                                                             \
    X(paths)                                                                                                 \
    X(sweeps)                                                                                                \
    X(prepared_sweeps)                                                                                       \
    X(end_poses)                                                                                             \
    X(filtered)                                                                                              \
    X(solver_index)                                                                                          \
    X(solver_bodies)                                                                                         \
    X(at_start)                                                                                              \
    X(before_contacts)                                                                                       \
    X(unconstrained)                                                                                         \
    X(surfaces)                                                                                              \
    X(manifolds)                                                                                             \
    X(manifold_of_pair)                                                                                      \
    X(solver_contacts)                                                                                       \
    X(bundles)                                                                                               \
    X(wide_contacts)                                                                                         \
    X(islands)                                                                                               \
    X(island_bodies)                                                                                         \
    X(manifold_impacts)                                                                                      \
    X(sensed_now)                                                                                            \
    X(sensed_bodies)                                                                                         \
    X(growths)                                                                                               \
    X(clocks)                                                                                                \
    X(slowed)                                                                                                \
    X(pairs_of_body)                                                                                         \
    X(watched)                                                                                               \
    X(watched_sleepers)                                                                                      \
    X(loads)

// Member of rblStep, and the name of what makes it.
#define STAGES(X)                                                                                            \
    X(pair_finder, rbl_pair_finder)                                                                          \
    X(pairs_active, rbl_active_pairs)                                                                        \
    X(contact_finder, rbl_contact_finder)                                                                    \
    X(siblings, rbl_sibling_finder)                                                                          \
    X(waker, rbl_waker)                                                                                      \
    X(standing, rbl_standing)                                                                                \
    X(manifold_builder, rbl_manifold_builder)                                                                \
    X(island_finder, rbl_island_finder)                                                                      \
    X(impact, rbl_impact_stage)                                                                              \
    X(passages, rbl_passage_stage)                                                                           \
    X(fracture, rbl_fracture_stage)                                                                          \
    X(contact_solver, rbl_contact_solver)                                                                    \
    X(subspace, rbl_subspace_stage)                                                                          \
    X(drift, rbl_drift_stage)                                                                                \
    X(sleeper, rbl_sleep_stage)

#define CREATE(member, name)                                                                                 \
    stage->member = name##_create(allocator);                                                                \
    complete = complete && stage->member != NULL;
#define DESTROY(member, name) name##_destroy(stage->member, allocator);

rblStep* rbl_step_create(rblWorld* world)
{
    const rblAllocator* allocator = world->allocator;
    rblStep* stage = rbl_alloc_zero(allocator, sizeof *stage);
    if (stage == NULL)
    {
        return NULL;
    }
    stage->world = world;
    ARRAYS(RBL_STAGE_INIT_ARRAY)
    rbl_joint_system_init(&stage->joint_system, allocator);
    stage->sensed_contacts.allocator = allocator;
    bool complete = true;
    STAGES(CREATE)
    if (!complete)
    {
        rbl_step_destroy(stage);
        return NULL;
    }
    return stage;
}

void rbl_step_destroy(rblStep* stage)
{
    if (stage == NULL)
    {
        return;
    }
    const rblAllocator* allocator = stage->world->allocator;
    STAGES(DESTROY)
    ARRAYS(RBL_STAGE_FREE_ARRAY)
    rbl_joint_system_free(&stage->joint_system);
    rbl_contact_set_free(&stage->sensed_contacts);
    rbl_free(allocator, stage, sizeof *stage);
}
