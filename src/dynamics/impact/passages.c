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
    X(passages)

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

// ---- stops ----

// Pairs of a stopped body: those that were followed already, and those that moved on together so far.
static bool follow_again(rblStep* step, uint32_t slot, float time)
{
    struct rblPassageStage* stage = step->passages;
    for (size_t i = 0; i < stage->passages.count; ++i)
    {
        rblPassage* passage = &stage->passages.data[i];
        if ((passage->a != slot && passage->b != slot) || passage->finished)
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
    const uint32_t slot = step->solver_bodies.data[index].slot;
    if (!rbl_is_dynamic(step, index) || path->ending == RBL_ENDING_STOPPED)
    {
        return true;
    }
    const bool driven = by != 0 && !rbl_is_dynamic(step, by) && path->ending == RBL_ENDING_NONE;
    if (driven)
    {
        return carry(step, index, by, time) && follow_again(step, slot, time);
    }
    if (path->ending == RBL_ENDING_NONE && time >= path->end)
    {
        return true; // it rests already
    }
    path->stopped = path->ending == RBL_ENDING_NONE ? time : path->stopped;
    path->ending = RBL_ENDING_STOPPED;
    path->end = rbl_minf(path->end, time);
    return follow_again(step, slot, time);
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

// Of equal times the lower slots come first, whatever the order in which pairs were found.
static bool comes_before(const rblPassage* p, const rblPassage* q)
{
    return p->time < q->time || (p->time == q->time && (p->a < q->a || (p->a == q->a && p->b < q->b)));
}

static rblPassage* first_passage(const rblStep* step)
{
    rblPassage* first = NULL;
    for (size_t i = 0; i < step->passages->passages.count; ++i)
    {
        rblPassage* passage = &step->passages->passages.data[i];
        const bool earlier = first == NULL || comes_before(passage, first);
        first = passage->time < INFINITY && earlier ? passage : first;
    }
    return first;
}

static bool stop_all(rblStep* step)
{
    const rblWorld* world = step->world;
    for (rblPassage* passage = first_passage(step); passage != NULL; passage = first_passage(step))
    {
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
