// The joints of a body that breaks pass to the fragments that contain their anchors.
#include "dynamics/breaking/fracture.h"
#include "dynamics/stages.h"
#include <math.h>

// The fragment that contains a point, or the nearest one. Of equal ones the first.
static uint32_t find_fragment(const rblWorld* world, const uint32_t* fragments, uint32_t count, rblVec3 point)
{
    uint32_t nearest = fragments[0];
    float least = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblBody* body = &world->bodies.data[fragments[i]];
        const rblTransform pose = rbl_shape_pose(body, &world->motions.data[fragments[i]]);
        const float distance =
            rbl_shape_distance(body->shape.shape, rbl_transform_inverse_point(pose, point), NULL);
        if (distance < least)
        {
            least = distance;
            nearest = fragments[i];
        }
    }
    return nearest;
}

// Attach one end of a joint to a fragment. The frame of the fragment differs from that of the body.
static void pass_end(rblWorld* world, rblJoint* joint, bool is_b, const uint32_t* fragments, uint32_t count)
{
    uint32_t* end = is_b ? &joint->b : &joint->a;
    rblVec3* anchor = is_b ? &joint->anchor_b : &joint->anchor_a;
    rblVec3* axis = is_b ? &joint->axis_b : &joint->axis_a;
    const rblTransform from = rbl_motion_pose(&world->motions.data[*end]);
    const rblVec3 point = rbl_transform_point(from, *anchor);
    const uint32_t slot = find_fragment(world, fragments, count, point);
    const rblTransform to = rbl_motion_pose(&world->motions.data[slot]);
    const rblQuat turn = rbl_quat_mul(rbl_quat_conjugate(to.q), from.q); // from the old frame to the new one
    *anchor = rbl_transform_inverse_point(to, point);
    *axis = rbl_rotate3(turn, *axis);
    joint->b_in_a =
        is_b ? rbl_quat_mul(joint->b_in_a, rbl_quat_conjugate(turn)) : rbl_quat_mul(turn, joint->b_in_a);
    world->bodies.data[*end].joint_count -= 1;
    world->bodies.data[slot].joint_count += 1;
    *end = slot;
    rbl_broad_phase_touch(world->broad, slot);
}

static bool is_dynamic(const rblWorld* world, uint32_t slot)
{
    return slot != RBL_NONE && world->bodies.data[slot].type == RBL_BODY_DYNAMIC;
}

void rbl_joints_pass_to_fragments(rblWorld* world, uint32_t slot, const uint32_t* fragments, uint32_t count)
{
    for (uint32_t i = 0; i < world->joints.count && world->bodies.data[slot].joint_count > 0; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (joint->generation == 0 || (joint->a != slot && joint->b != slot))
        {
            continue;
        }
        pass_end(world, joint, joint->b == slot, fragments, count);
        if (!is_dynamic(world, joint->a) && !is_dynamic(world, joint->b))
        {
            rbl_joint_remove(world, i); // no dynamic body is left at this joint
        }
    }
}
