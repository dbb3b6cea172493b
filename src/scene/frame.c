#include "scene/frame.h"

#include "base/error.h"
#include <string.h>

void rbl_frame_init(rblFrame* frame, const rblAllocator* allocator)
{
    *frame = (rblFrame){0};
    rbl_array_init(&frame->deaths, allocator);
    rbl_array_init(&frame->changes, allocator);
    rbl_array_init(&frame->contacts, allocator);
}

void rbl_frame_free(rblFrame* frame)
{
    rbl_array_free(&frame->deaths);
    rbl_array_free(&frame->changes);
    rbl_array_free(&frame->contacts);
}

void rbl_tracker_init(rblTracker* tracker, const rblAllocator* allocator)
{
    rbl_frame_init(&tracker->frame, allocator);
    rbl_array_init(&tracker->bodies, allocator);
    rbl_array_init(&tracker->motions, allocator);
    rbl_array_init(&tracker->motion_of_slot, allocator);
    rbl_array_init(&tracker->body_of_slot, allocator);
}

void rbl_tracker_free(rblTracker* tracker)
{
    rbl_frame_free(&tracker->frame);
    rbl_array_free(&tracker->bodies);
    rbl_array_free(&tracker->motions);
    rbl_array_free(&tracker->motion_of_slot);
    rbl_array_free(&tracker->body_of_slot);
}

static bool grow_slots(rblIndexArray* array, uint32_t count)
{
    while (array->count < count)
    {
        if (!rbl_array_push(array, RBL_NONE))
        {
            return false;
        }
    }
    return true;
}

rblResult rbl_tracker_watch(rblTracker* tracker, rblBodyId id)
{
    const uint32_t body = (uint32_t)tracker->bodies.count;
    const rblTracked tracked = {.id = id, .alive = true, .last = {.body = RBL_NONE}};
    if (!grow_slots(&tracker->body_of_slot, id.index1) || !rbl_array_push(&tracker->bodies, tracked))
    {
        return rbl_fail_memory();
    }
    tracker->body_of_slot.data[id.index1 - 1] = body;
    return RBL_OK;
}

rblResult rbl_tracker_skip(rblTracker* tracker)
{
    const rblTracked gone = {.alive = false};
    return rbl_array_push(&tracker->bodies, gone) ? RBL_OK : rbl_fail_memory();
}

static rblResult read_motions(rblTracker* tracker, rblWorldId world)
{
    uint32_t count = 0;
    RBL_TRY(rbl_world_motions(world, tracker->motions.data, (uint32_t)tracker->motions.capacity, &count));
    if (count > tracker->motions.capacity)
    {
        if (!rbl_array_reserve(&tracker->motions, count))
        {
            return rbl_fail_memory();
        }
        RBL_TRY(rbl_world_motions(world, tracker->motions.data, count, &count));
    }
    tracker->motions.count = count;
    if (!grow_slots(&tracker->motion_of_slot, count > 0 ? tracker->motions.data[count - 1].body.index1 : 0))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < tracker->motion_of_slot.count; ++i)
    {
        tracker->motion_of_slot.data[i] = RBL_NONE;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        tracker->motion_of_slot.data[tracker->motions.data[i].body.index1 - 1] = i;
    }
    return RBL_OK;
}

// How a body of the run moves now; null when it is gone.
static const rblBodyMotion* find_motion(const rblTracker* tracker, rblBodyId id)
{
    const uint32_t slot = id.index1 - 1;
    const uint32_t motion =
        slot < tracker->motion_of_slot.count ? tracker->motion_of_slot.data[slot] : RBL_NONE;
    const rblBodyMotion* found = motion != RBL_NONE ? &tracker->motions.data[motion] : NULL;
    return found != NULL && found->body.generation == id.generation ? found : NULL;
}

static rblResult compare(rblTracker* tracker, uint32_t body, bool full)
{
    rblTracked* tracked = &tracker->bodies.data[body];
    const rblBodyMotion* motion = tracked->alive ? find_motion(tracker, tracked->id) : NULL;
    if (motion == NULL)
    {
        const bool died = tracked->alive;
        tracked->alive = false;
        return !died || rbl_array_push(&tracker->frame.deaths, body) ? RBL_OK : rbl_fail_memory();
    }
    const rblFrameChange now = {body, motion->pose, motion->velocity, motion->spin};
    if (full || memcmp(&now, &tracked->last, sizeof now) != 0)
    {
        tracked->last = now;
        return rbl_array_push(&tracker->frame.changes, now) ? RBL_OK : rbl_fail_memory();
    }
    return RBL_OK;
}

// The body of the run that a contact names; RBL_NONE when its slot was given to another since.
static uint32_t find_body(const rblTracker* tracker, rblBodyId id)
{
    const uint32_t slot = id.index1 - 1;
    const uint32_t body = slot < tracker->body_of_slot.count ? tracker->body_of_slot.data[slot] : RBL_NONE;
    return body != RBL_NONE && tracker->bodies.data[body].id.generation == id.generation ? body : RBL_NONE;
}

static rblResult read_contacts(rblTracker* tracker, rblWorldId world, uint32_t step)
{
    const rblContactEvent* events = NULL;
    uint32_t count = 0;
    RBL_TRY(rbl_world_contact_events(world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        rblRunContact contact = {.step = step,
                                 .kind = events[i].kind,
                                 .a = find_body(tracker, events[i].a),
                                 .b = find_body(tracker, events[i].b)};
        if (events[i].kind == RBL_CONTACT_HIT)
        {
            contact.point = events[i].point;
            contact.normal = events[i].normal;
            contact.impulse = events[i].impulse;
            contact.speed = events[i].speed;
            contact.duration = events[i].duration;
        }
        if (!rbl_array_push(&tracker->frame.contacts, contact))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

rblResult rbl_tracker_gather(rblTracker* tracker, const rblRun* run, rblWorldId world, uint32_t step,
                             bool full)
{
    rblFrame* frame = &tracker->frame;
    frame->step = step;
    frame->full = full;
    rbl_array_clear(&frame->deaths);
    rbl_array_clear(&frame->changes);
    rbl_array_clear(&frame->contacts);
    RBL_TRY(read_motions(tracker, world));
    for (uint32_t body = 0; body < run->bodies.count; ++body)
    {
        RBL_TRY(compare(tracker, body, full));
    }
    return read_contacts(tracker, world, step);
}

rblResult rbl_run_add_frame(rblRun* run, const rblFrame* frame)
{
    for (size_t i = 0; i < frame->deaths.count; ++i)
    {
        run->bodies.data[frame->deaths.data[i]].death = frame->step;
    }
    for (size_t i = 0; i < frame->changes.count; ++i)
    {
        const rblFrameChange* change = &frame->changes.data[i];
        const rblRunKey key = {frame->step, change->pose, change->velocity, change->spin};
        RBL_TRY(rbl_run_add_key(run, change->body, key));
    }
    if (!rbl_array_reserve_more(&run->contacts, frame->contacts.count))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < frame->contacts.count; ++i)
    {
        run->contacts.data[run->contacts.count++] = frame->contacts.data[i];
    }
    return RBL_OK;
}
