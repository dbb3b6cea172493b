// Debris: crumbs that are bodies of their own for a limited time. They have mass and momentum like other bodies, but they never
// break, and they are removed at the end of their lifetime. The removal is counted, and the removed energy is booked as work.
#include "dynamics/breaking/fracture.h"
#include "dynamics/joint/joints.h"
#include "dynamics/stages.h"

static void retire(rblWorld* world, uint32_t slot)
{
    world->vanished += 1;
    world->vanished_mass += (double)world->bodies.data[slot].mass;
    rbl_slot_wake_neighbours(world, slot);
    rbl_body_remove_joints(world, slot);
    world->pending_work -= rbl_body_energy(world, slot);
    rbl_body_leave_world(world, slot);
}

void rbl_debris_retire(rblWorld* world, float seconds)
{
    for (uint32_t slot = 0; slot < world->bodies.count && world->debris > 0; ++slot)
    {
        rblBody* body = &world->bodies.data[slot];
        if (body->generation == 0 || !(body->lifetime > 0.0f))
        {
            continue;
        }
        body->lifetime -= seconds;
        if (!(body->lifetime > 0.0f))
        {
            retire(world, slot);
        }
    }
}
