#include "scene/animation.h"

#include "base/error.h"
#include "math/quat.h"
#include <string.h>

rblResult rbl_animation_init(rblAnimation* animation, uint32_t body_count, const rblAllocator* allocator)
{
    *animation = (rblAnimation){.allocator = allocator, .track_count = body_count};
    animation->tracks = RBL_NEW_ARRAY(allocator, rblTrack, body_count);
    if (animation->tracks == NULL && body_count > 0)
    {
        animation->track_count = 0;
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < body_count; ++i)
    {
        rbl_array_init(&animation->tracks[i].keys, allocator);
        animation->tracks[i].birth = RBL_NONE;
        animation->tracks[i].death = RBL_NONE;
    }
    return RBL_OK;
}

void rbl_animation_free(rblAnimation* animation)
{
    for (uint32_t i = 0; i < animation->track_count; ++i)
    {
        rbl_array_free(&animation->tracks[i].keys);
    }
    RBL_FREE_ARRAY(animation->allocator, animation->tracks, animation->track_count);
    animation->tracks = NULL;
    animation->track_count = 0;
}

static bool equal_poses(const rblTransform* a, const rblTransform* b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool add_key(rblTrack* track, uint32_t step, rblTransform pose)
{
    const size_t count = track->keys.count;
    rblPoseKey* last = count > 0 ? &track->keys.data[count - 1] : NULL;
    // A quaternion and its negative turn alike; players blend the nearer way only when the signs agree.
    if (last != NULL && rbl_quat_dot(last->pose.q, pose.q) < 0.0f)
    {
        pose.q = (rblQuat){-pose.q.x, -pose.q.y, -pose.q.z, -pose.q.w};
    }
    const bool rests = count > 1 && equal_poses(&last->pose, &pose) && equal_poses(&last[-1].pose, &pose);
    if (rests)
    {
        last->step = step;
        return true;
    }
    const rblPoseKey key = {step, pose};
    return rbl_array_push(&track->keys, key);
}

rblResult rbl_animation_record(rblAnimation* animation, rblWorldId world, const rblBodyId* bodies,
                               uint32_t step)
{
    for (uint32_t i = 0; i < animation->track_count; ++i)
    {
        rblTrack* track = &animation->tracks[i];
        const bool alive = bodies[i].index1 != 0 && rbl_body_is_valid(world, bodies[i]);
        rblBodyState state;
        if (!alive)
        {
            const bool died = track->birth != RBL_NONE && track->death == RBL_NONE;
            track->death = died ? step : track->death;
            continue;
        }
        RBL_TRY(rbl_body_state(world, bodies[i], &state));
        track->birth = track->birth == RBL_NONE ? step : track->birth;
        if (!add_key(track, step, state.pose))
        {
            return rbl_fail_memory();
        }
    }
    animation->step_count = step;
    return RBL_OK;
}

bool rbl_animation_pose(const rblAnimation* animation, uint32_t body, uint32_t step, rblTransform* out)
{
    const rblTrack* track = &animation->tracks[body];
    if (track->birth == RBL_NONE || step < track->birth || step >= track->death)
    {
        return false;
    }
    // Every step at which the pose changed has a key: the last one that is not later counts.
    size_t low = 0;
    size_t high = track->keys.count;
    while (high - low > 1)
    {
        const size_t middle = low + (high - low) / 2;
        *(track->keys.data[middle].step <= step ? &low : &high) = middle;
    }
    *out = track->keys.data[low].pose;
    return true;
}
