// Memory of a single stage: a struct of arrays that its file defines. It is created and destroyed with the world.
#ifndef RBL_DYNAMICS_STAGE_MEMORY_H
#define RBL_DYNAMICS_STAGE_MEMORY_H

#include "dynamics/step.h"

#define RBL_STAGE_INIT_ARRAY(field) rbl_array_init(&stage->field, allocator);
#define RBL_STAGE_FREE_ARRAY(field) rbl_array_free(&stage->field);

// Defines NAME_create(), null when out of memory, and NAME_destroy() of a struct with the arrays that `arrays` lists.
#define RBL_DEFINE_STAGE_MEMORY(type, name, arrays)                                                          \
    type* name##_create(const rblAllocator* allocator)                                                       \
    {                                                                                                        \
        type* stage = rbl_alloc_zero(allocator, sizeof *stage);                                              \
        if (stage != NULL)                                                                                   \
        {                                                                                                    \
            arrays(RBL_STAGE_INIT_ARRAY)                                                                     \
        }                                                                                                    \
        return stage;                                                                                        \
    }                                                                                                        \
    void name##_destroy(type* stage, const rblAllocator* allocator)                                          \
    {                                                                                                        \
        if (stage != NULL)                                                                                   \
        {                                                                                                    \
            arrays(RBL_STAGE_FREE_ARRAY)                                                                     \
        }                                                                                                    \
        rbl_free(allocator, stage, sizeof *stage);                                                           \
    }

#define RBL_DECLARE_STAGE_MEMORY(type, name)                                                                 \
    type* name##_create(const rblAllocator* allocator);                                                      \
    void name##_destroy(type* stage, const rblAllocator* allocator);

RBL_DECLARE_STAGE_MEMORY(struct rblPairFinder, rbl_pair_finder)
RBL_DECLARE_STAGE_MEMORY(struct rblActivePairs, rbl_active_pairs)
RBL_DECLARE_STAGE_MEMORY(struct rblContactFinder, rbl_contact_finder)
RBL_DECLARE_STAGE_MEMORY(struct rblSiblingFinder, rbl_sibling_finder)
RBL_DECLARE_STAGE_MEMORY(struct rblWaker, rbl_waker)
RBL_DECLARE_STAGE_MEMORY(struct rblStanding, rbl_standing)
RBL_DECLARE_STAGE_MEMORY(struct rblManifoldBuilder, rbl_manifold_builder)
RBL_DECLARE_STAGE_MEMORY(struct rblIslandFinder, rbl_island_finder)
RBL_DECLARE_STAGE_MEMORY(struct rblImpactStage, rbl_impact_stage)
RBL_DECLARE_STAGE_MEMORY(struct rblPassageStage, rbl_passage_stage)
RBL_DECLARE_STAGE_MEMORY(struct rblFractureStage, rbl_fracture_stage)
RBL_DECLARE_STAGE_MEMORY(struct rblContactSolver, rbl_contact_solver)
RBL_DECLARE_STAGE_MEMORY(struct rblSubspaceStage, rbl_subspace_stage)
RBL_DECLARE_STAGE_MEMORY(struct rblDriftStage, rbl_drift_stage)
RBL_DECLARE_STAGE_MEMORY(struct rblSleepStage, rbl_sleep_stage)

#endif
