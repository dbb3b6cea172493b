// No body passes through another one. When all velocities of a substep are known, the motions of all pairs that move far
// enough are followed over the whole substep, in the order of time: flights to impacts, and the rest. Where two bodies would
// overlap too deeply, both stop, and the motions of their neighbours are followed again from that time. The next step solves
// the impact. A stop costs time, not energy.
#include "dynamics/impact/passages.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define MIN_PASSAGES 4 // passages for one worker, at least

#define ARRAYS(X)                                                                                            \
    X(flown)                                                                                                 \
    X(saved)                                                                                                 \
    X(reaches)                                                                                               \
    X(firsts)                                                                                                \
    X(nexts)                                                                                                 \
    X(deflected)                                                                                             \
    X(turns)                                                                                                 \
    X(boxes)                                                                                                 \
    X(paths)                                                                                                 \
    X(legs)                                                                                                  \
    X(passages)                                                                                              \
    X(heads)                                                                                                 \
    X(links)                                                                                                 \
    X(queue)

RBL_DEFINE_STAGE_MEMORY(struct rblPassageStage, rbl_passage_stage, ARRAYS)

// What follows begins at the current poses.
static void save_motions(rblStep* step)
{
    const rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    for (size_t i = 1; i < stage->saved.count; ++i)
    {
        stage->saved.data[i] = world->motions.data[step->solver_bodies.data[i].slot];
        stage->paths.data[i] = (rblPath){.count = 0};
    }
}

rblResult rbl_passages_begin(rblStep* step)
{
    struct rblPassageStage* stage = step->passages;
    const size_t bodies = step->solver_bodies.count;
    rbl_array_clear(&stage->saved);
    if (!rbl_flights_chain(step) || !rbl_array_resize_amply(&stage->reaches, bodies))
    {
        return rbl_fail_memory();
    }
    rbl_reaches_measure(step);
    if (!rbl_passages_possible(step))
    {
        return RBL_OK;
    }
    if (!rbl_array_resize_amply(&stage->saved, bodies) || !rbl_array_resize_amply(&stage->paths, bodies))
    {
        return rbl_fail_memory();
    }
    save_motions(step);
    return RBL_OK;
}

// ---- the queue of passages ----

// Of equal times the lower slots come first, whatever the order in which pairs were found.
static bool comes_before(const struct rblPassageStage* stage, rblPassageEntry one, rblPassageEntry other)
{
    const rblPassage* p = &stage->passages.data[one.passage];
    const rblPassage* q = &stage->passages.data[other.passage];
    return one.time < other.time ||
           (one.time == other.time && (p->a < q->a || (p->a == q->a && p->b < q->b)));
}

static bool queue_push(struct rblPassageStage* stage, uint32_t passage)
{
    const rblPassageEntry entry = {stage->passages.data[passage].time, passage};
    if (!(entry.time < INFINITY))
    {
        return true;
    }
    if (!rbl_array_push(&stage->queue, entry))
    {
        return false;
    }
    size_t at = stage->queue.count - 1;
    while (at > 0 && comes_before(stage, entry, stage->queue.data[(at - 1) / 2]))
    {
        stage->queue.data[at] = stage->queue.data[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    stage->queue.data[at] = entry;
    return true;
}

static rblPassageEntry queue_pop(struct rblPassageStage* stage)
{
    rblPassageEntry* heap = stage->queue.data;
    const rblPassageEntry first = heap[0];
    const rblPassageEntry last = heap[--stage->queue.count];
    const size_t count = stage->queue.count;
    size_t at = 0;
    for (size_t child = 1; child < count; child = 2 * at + 1)
    {
        child += child + 1 < count && comes_before(stage, heap[child + 1], heap[child]) ? 1 : 0;
        if (!comes_before(stage, heap[child], last))
        {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    if (count > 0)
    {
        heap[at] = last;
    }
    return first;
}

// ---- stops ----

// Pairs of a stopped body: those that were followed already, and those that moved on together so far.
static bool follow_again(rblStep* step, uint32_t index, float time)
{
    struct rblPassageStage* stage = step->passages;
    for (uint32_t link = stage->heads.data[index]; link != 0; link = stage->links.data[link - 1])
    {
        rblPassage* passage = &stage->passages.data[(link - 1) / 2];
        if (passage->finished)
        {
            continue;
        }
        passage->waits = false;
        if (!rbl_path_make(step, step->solver_index.data[passage->a]) ||
            !rbl_path_make(step, step->solver_index.data[passage->b]))
        {
            return false;
        }
        const float found = rbl_passage_find_time(step, passage, passage->goal == 0.0f ? 0.0f : time);
        passage->time = rbl_maxf(found, time);
        if (!queue_push(stage, (link - 1) / 2))
        {
            return false;
        }
    }
    return true;
}

// After the time a body moves on with a kinematic one.
static bool carry(rblStep* step, uint32_t index, uint32_t carrier, float time)
{
    struct rblPassageStage* stage = step->passages;
    rblPath* path = &stage->paths.data[index];
    const rblPath* other = &stage->paths.data[carrier];
    const rblTransform own = rbl_path_pose(step, index, time);
    const rblTransform held = rbl_transform_relative(rbl_path_pose(step, carrier, time), own);
    const uint32_t first = (uint32_t)stage->legs.count;
    for (uint32_t i = 0; i < path->count; ++i)
    {
        const rblLeg leg = stage->legs.data[path->first + i];
        if (leg.begin < time && !rbl_array_push(&stage->legs, rbl_leg_until(&leg, time)))
        {
            return false;
        }
    }
    rblTransform last = own;
    float begin = time;
    for (uint32_t i = 0; i < other->count; ++i)
    {
        const rblLeg with = stage->legs.data[other->first + i];
        if (with.end <= time)
        {
            continue;
        }
        const rblTransform next = rbl_transform_mul(rbl_leg_pose(&with, with.end), held);
        const rblMotion motion = {.center = last.p, .orientation = last.q};
        const rblBody* body = &step->world->bodies.data[step->solver_bodies.data[index].slot];
        if (!rbl_legs_add(body, &motion, next, rbl_vec3(0, 0, 0), begin, with.end, &stage->legs))
        {
            return false;
        }
        last = next;
        begin = with.end;
    }
    path->first = first;
    path->count = (uint32_t)stage->legs.count - first;
    path->carrier = carrier;
    path->ending = RBL_ENDING_CARRIED;
    path->stopped = time;
    path->end = begin;
    return rbl_passages_search_around(step, index, rbl_path_box(step, index));
}

// The body ends its path, or is carried on, and its neighbours are searched again.
static bool stop(rblStep* step, uint32_t index, uint32_t by, float time)
{
    rblPath* path = &step->passages->paths.data[index];
    if (!rbl_is_dynamic(step, index) || path->ending == RBL_ENDING_STOPPED)
    {
        return true;
    }
    const bool driven = by != 0 && !rbl_is_dynamic(step, by) && path->ending == RBL_ENDING_NONE;
    if (driven)
    {
        return carry(step, index, by, time) && follow_again(step, index, time);
    }
    if (path->ending == RBL_ENDING_NONE && time >= path->end)
    {
        return true; // it rests already
    }
    path->stopped = path->ending == RBL_ENDING_NONE ? time : path->stopped;
    path->ending = RBL_ENDING_STOPPED;
    path->end = rbl_minf(path->end, time);
    return follow_again(step, index, time);
}

// All bodies that joints connect to a stopped one stop at its time.
static bool stop_connected(rblStep* step, float time)
{
    const rblWorld* world = step->world;
    bool any = true;
    while (any)
    {
        any = false;
        for (size_t i = 0; i < world->joints.count; ++i)
        {
            const rblJoint* joint = &world->joints.data[i];
            if (joint->generation == 0 || !rbl_joint_is_active(step, joint))
            {
                continue;
            }
            const uint32_t ends[2] = {joint->solver_a, joint->solver_b};
            for (int k = 0; k < 2; ++k)
            {
                const uint32_t one = ends[k];
                const uint32_t other = ends[1 - k];
                if (one == 0 || other == 0 || !rbl_is_dynamic(step, one) || !rbl_is_dynamic(step, other) ||
                    step->passages->paths.data[one].ending == RBL_ENDING_NONE)
                {
                    continue;
                }
                if (!rbl_path_make(step, other))
                {
                    return false;
                }
                if (step->passages->paths.data[other].ending == RBL_ENDING_NONE &&
                    time < step->passages->paths.data[other].end)
                {
                    any = true;
                    if (!stop(step, other, 0, time))
                    {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static bool stop_all(rblStep* step)
{
    const rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    rbl_array_clear(&stage->queue);
    for (uint32_t i = 0; i < stage->passages.count; ++i)
    {
        if (!queue_push(stage, i))
        {
            return false;
        }
    }
    while (stage->queue.count > 0)
    {
        const rblPassageEntry entry = queue_pop(stage);
        rblPassage* passage = &stage->passages.data[entry.passage];
        if (passage->finished || passage->time != entry.time)
        {
            continue; // it was searched again since
        }
        const float time = passage->time;
        const uint32_t a = step->solver_index.data[passage->a];
        const uint32_t b = step->solver_index.data[passage->b];
        passage->time = INFINITY;
        passage->finished = true;
        if (!stop(step, a, b, time) || !stop(step, b, a, time) ||
            (world->joint_ids.alive > 0 && !stop_connected(step, time)))
        {
            return false;
        }
    }
    return true;
}

static void find_block(rblRange range, void* context)
{
    const rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblPassage* passage = &step->passages->passages.data[i];
        passage->time = passage->waits ? INFINITY : rbl_passage_find_time(step, passage, 0.0f);
    }
}

// Find the pairs that pass through each other on their paths, and stop them.
static rblResult follow_all(rblStep* step)
{
    struct rblPassageStage* stage = step->passages;
    if (!rbl_passages_collect(step))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(step->world->jobs, (uint32_t)stage->passages.count, MIN_PASSAGES, find_block, step);
    if (!stop_all(step))
    {
        return rbl_fail_memory();
    }
    rbl_paths_end(step);
    return RBL_OK;
}

rblResult rbl_passages_end(rblStep* step)
{
    if (step->passages->saved.count == 0)
    {
        return RBL_OK;
    }
    step->passages->displaces = false;
    RBL_TRY(follow_all(step));
    save_motions(step);
    return RBL_OK;
}

rblResult rbl_passages_check_drift(rblStep* step)
{
    const rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    bool any = false;
    for (uint32_t i = 1; i < stage->saved.count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[i].slot;
        const rblMotion* saved = &stage->saved.data[i];
        const rblMotion* now = &world->motions.data[slot];
        const rblShapeView* shape = &world->bodies.data[slot].shape;
        const bool turns = shape->bounded && shape->rolling != RBL_ROLLS_AS_BALL && rbl_is_dynamic(step, i);
        const float angle =
            turns ? rbl_length3(rbl_rotation_between(saved->orientation, now->orientation)) : 0.0f;
        stage->reaches.data[i] = rbl_length3(rbl_sub3(now->center, saved->center)) + angle * shape->radius;
        any = any || stage->reaches.data[i] > 0.0f;
    }
    stage->displaces = true;
    return any ? follow_all(step) : RBL_OK;
}
