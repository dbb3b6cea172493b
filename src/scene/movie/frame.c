#include "scene/movie/frame.h"

#include "base/error.h"
#include "base/jobs.h"
#include "dynamics/world.h"
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
    rbl_array_init(&tracker->body_of_slot, allocator);
    tracker->look = NULL;
    tracker->look_context = NULL;
}

void rbl_tracker_free(rblTracker* tracker)
{
    rbl_frame_free(&tracker->frame);
    rbl_array_free(&tracker->bodies);
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
    const rblTracked absent = {.alive = false};
    return rbl_array_push(&tracker->bodies, absent) ? RBL_OK : rbl_fail_memory();
}

// ---- bodies ----

#define GROUP 32u // bodies whose states are read before they are compared: they fit the L1 cache

// Result of a block of bodies. Its changes and deaths are in the frame from `begin` on until join_blocks() moves them together.
typedef struct GatherBlock
{
    uint32_t begin, changes, deaths;
} GatherBlock;

typedef struct Gather
{
    rblTracker* tracker;
    const rblWorld* world;
    GatherBlock* blocks; // RBL_MAX_BLOCKS of them
} Gather;

// The current state of a body. False: the body does not exist any more.
static bool read_state(const rblWorld* world, rblBodyId id, rblFrameChange* out)
{
    const uint32_t slot = id.index1 - 1;
    if (slot >= world->bodies.count || world->bodies.data[slot].generation != id.generation)
    {
        return false;
    }
    const rblMotion* motion = &world->motions.data[slot];
    out->pose = rbl_shape_pose(&world->bodies.data[slot], motion);
    out->velocity = motion->velocity;
    out->spin = motion->spin;
    return true;
}

// Read the states of the bodies from `begin` to `end`. Destroyed bodies are added to the deaths. Returns the number of states.
static uint32_t read_group(const Gather* gather, uint32_t begin, uint32_t end, GatherBlock* found,
                           rblFrameChange* states)
{
    rblFrame* frame = &gather->tracker->frame;
    uint32_t count = 0;
    for (uint32_t body = begin; body < end; ++body)
    {
        rblTracked* tracked = &gather->tracker->bodies.data[body];
        if (!tracked->alive)
        {
            continue;
        }
        states[count].body = body;
        if (read_state(gather->world, tracked->id, &states[count]))
        {
            count += 1;
        }
        else
        {
            tracked->alive = false;
            frame->deaths.data[found->begin + found->deaths++] = body;
        }
    }
    return count;
}

// Keep the states that changed, with the earlier states. This is a separate pass, because a comparison right after writing a
// state would wait for the stores.
static uint32_t keep_changed(rblTracker* tracker, rblFrameChange* states, uint32_t count,
                             rblFrameChange before[GROUP])
{
    const bool full = tracker->frame.full;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblFrameChange* last = &tracker->bodies.data[states[i].body].last;
        if (full || memcmp(&states[i], last, sizeof *last) != 0)
        {
            before[kept] = full ? (rblFrameChange){0} : *last;
            *last = states[i];
            states[kept++] = states[i];
        }
    }
    return kept;
}

static void gather_block(rblRange range, void* context)
{
    const Gather* gather = context;
    rblTracker* tracker = gather->tracker;
    GatherBlock* found = &gather->blocks[range.block];
    rblFrameChange before[GROUP];
    *found = (GatherBlock){.begin = range.begin};
    for (uint32_t begin = range.begin; begin < range.end; begin += GROUP)
    {
        rblFrameChange* states = tracker->frame.changes.data + range.begin + found->changes;
        const uint32_t end = range.end - begin > GROUP ? begin + GROUP : range.end;
        const uint32_t count = read_group(gather, begin, end, found, states);
        const uint32_t kept = keep_changed(tracker, states, count, before);
        if (tracker->look != NULL && kept > 0)
        {
            tracker->look(range.block, states, before, kept, tracker->look_context);
        }
        found->changes += kept;
    }
}

// Remove the gaps between the results of the blocks.
static void join_blocks(const Gather* gather, uint32_t count)
{
    rblFrame* frame = &gather->tracker->frame;
    for (uint32_t i = 0; i < count; ++i)
    {
        const GatherBlock* block = &gather->blocks[i];
        if (frame->changes.count != block->begin)
        {
            memmove(frame->changes.data + frame->changes.count, frame->changes.data + block->begin,
                    block->changes * sizeof *frame->changes.data);
        }
        memmove(frame->deaths.data + frame->deaths.count, frame->deaths.data + block->begin,
                block->deaths * sizeof *frame->deaths.data);
        frame->changes.count += block->changes;
        frame->deaths.count += block->deaths;
    }
}

static rblResult read_bodies(rblTracker* tracker, const rblWorld* world)
{
    GatherBlock blocks[RBL_MAX_BLOCKS];
    Gather gather = {.tracker = tracker, .world = world, .blocks = blocks};
    const uint32_t count = (uint32_t)tracker->bodies.count;
    rbl_array_clear(&tracker->frame.changes);
    rbl_array_clear(&tracker->frame.deaths);
    if (!rbl_array_reserve_more(&tracker->frame.changes, count) ||
        !rbl_array_reserve_more(&tracker->frame.deaths, count))
    {
        return rbl_fail_memory();
    }
    if (count > 0)
    {
        rbl_parallel_for(rbl_default_jobs(), count, RBL_FRAME_BLOCK, gather_block, &gather);
        join_blocks(&gather, rbl_block_count(count, RBL_FRAME_BLOCK));
    }
    return RBL_OK;
}

// ---- contacts ----

// The body of the run that a contact refers to; RBL_NONE when its slot was reused since.
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
    rbl_array_clear(&tracker->frame.contacts);
    if (!rbl_array_reserve_more(&tracker->frame.contacts, count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rblRunContact contact = {.step = step,
                                 .kind = events[i].kind,
                                 .a = find_body(tracker, events[i].a),
                                 .b = find_body(tracker, events[i].b)};
        if (events[i].kind == RBL_CONTACT_IMPACT)
        {
            contact.point = events[i].point;
            contact.normal = events[i].normal;
            contact.impulse = events[i].impulse;
            contact.speed = events[i].speed;
            contact.duration = events[i].duration;
        }
        tracker->frame.contacts.data[tracker->frame.contacts.count++] = contact;
    }
    return RBL_OK;
}

rblResult rbl_tracker_gather(rblTracker* tracker, rblWorldId world, uint32_t step, bool full)
{
    rblWorld* found = NULL;
    RBL_TRY(rbl_world_find(world, &found));
    tracker->frame.step = step;
    tracker->frame.full = full;
    RBL_TRY(read_bodies(tracker, found));
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
