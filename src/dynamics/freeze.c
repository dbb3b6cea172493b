// The last resort: no number that went bad outlives the step in which it did.
//
// Nothing here should ever be needed: calls that would bring bad numbers are refused. But a shape of the user's may answer with
// them, and a velocity near the largest number may overflow. Such a body goes back to where it was and stops; it is counted.
#include "dynamics/stages.h"

// ---- tuning ----

#define FARTHEST 1e12f // m: beyond it no box can be computed with
#define FASTEST  1e15f // m/s and rad/s

static bool is_below(rblVec3 v, float limit)
{
    return v.x > -limit && v.x < limit && v.y > -limit && v.y < limit && v.z > -limit && v.z < limit;
}

static bool is_sound(const rblMotion* motion)
{
    const rblQuat q = motion->orientation;
    const float square = rbl_quat_dot(q, q);
    return is_below(motion->center, FARTHEST) && is_below(motion->velocity, FASTEST) &&
           is_below(motion->spin, FASTEST) && rbl_finite3(motion->momentum) && square > 0.5f && square < 2.0f;
}

static void stop(const rblBody* body, rblMotion* motion)
{
    motion->center = body->previous.p;
    motion->orientation = body->previous.q;
    motion->velocity = rbl_vec3(0, 0, 0);
    motion->spin = rbl_vec3(0, 0, 0);
    motion->momentum = rbl_vec3(0, 0, 0);
}

void rbl_bodies_freeze(rblStep* step)
{
    rblWorld* world = step->world;
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[i].slot;
        if (!is_sound(&world->motions.data[slot]))
        {
            stop(&world->bodies.data[slot], &world->motions.data[slot]);
            world->counters.frozen += 1;
        }
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (!rbl_finite3(joint->linear_impulse) || !rbl_finite3(joint->angular_impulse))
        {
            joint->linear_impulse = joint->angular_impulse = rbl_vec3(0, 0, 0);
        }
    }
}
