// Bodies whose state became NaN or infinite are put back and stopped, so that the numbers do not reach other bodies.
//
// The engine refuses calls with such numbers. But a shape of the user may return them, and a velocity near the largest float
// may overflow. Such a body returns to its pose before the step and stops; it is counted as frozen.
#include "dynamics/stages.h"

// ---- tuning ----

#define MAX_POSITION 1e12f // m: larger coordinates are frozen, because their boxes would overflow
#define MAX_SPEED    1e15f // m/s and rad/s: the same for velocities

static bool is_below(rblVec3 v, float limit)
{
    return v.x > -limit && v.x < limit && v.y > -limit && v.y < limit && v.z > -limit && v.z < limit;
}

static bool is_valid(const rblMotion* motion)
{
    const rblQuat q = motion->orientation;
    const float square = rbl_quat_dot(q, q);
    return is_below(motion->center, MAX_POSITION) && is_below(motion->velocity, MAX_SPEED) &&
           is_below(motion->spin, MAX_SPEED) && rbl_finite3(motion->momentum) && square > 0.5f &&
           square < 2.0f;
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
        if (!is_valid(&world->motions.data[slot]))
        {
            stop(&world->bodies.data[slot], &world->motions.data[slot]);
            world->counters.frozen += 1;
        }
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (!rbl_finite3d(joint->linear_impulse) || !rbl_finite3d(joint->angular_impulse))
        {
            joint->linear_impulse = joint->angular_impulse = rbl_vec3d(0, 0, 0);
        }
    }
}
