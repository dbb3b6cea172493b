// Motions of all bodies in one call.
#include "dynamics/world.h"

rblResult rbl_world_motions(rblWorldId id, rblBodyMotion* out, uint32_t capacity, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (count == NULL || (out == NULL && capacity > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: out and count must not be null");
    }
    uint32_t found = 0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblBody* body = &world->bodies.data[slot];
        const rblMotion* motion = &world->motions.data[slot];
        if (body->generation == 0)
        {
            continue;
        }
        if (found < capacity)
        {
            out[found] = (rblBodyMotion){.body = rbl_body_id(world, slot),
                                         .pose = rbl_shape_pose(body, motion),
                                         .velocity = motion->velocity,
                                         .spin = motion->spin,
                                         .awake = body->awake};
        }
        ++found;
    }
    *count = found;
    return RBL_OK;
}
