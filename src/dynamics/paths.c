// Predicted paths: the motion of bodies over the step without contacts.
#include "dynamics/stages.h"
#include "math/trig.h"

// ---- tuning ----

#define MIN_BODIES                                                                                           \
    256 // smallest number of bodies for one worker; for fewer, threads cost more than they save

// The motion of a body over some time without contacts: the chord of its parabola.
static rblSweep path_sweep(const rblWorld* world, uint32_t slot, float seconds)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    rblSweep sweep = {rbl_shape_pose(body, motion), {0, 0, 0}, {0, 0, 0}};
    if (body->awake)
    {
        sweep.translation = rbl_scale3(motion->velocity, seconds);
        sweep.rotation = rbl_scale3(motion->spin, seconds);
        if (motion->inverse_mass > 0.0f)
        {
            const float half_square = 0.5f * seconds * seconds;
            sweep.translation =
                rbl_mul_add3(sweep.translation, half_square * body->gravity_scale, world->def.gravity);
        }
    }
    return sweep;
}

rblTransform rbl_path_frame(const rblWorld* world, uint32_t slot, float seconds)
{
    const rblMotion* motion = &world->motions.data[slot];
    if (seconds == 0.0f)
    {
        return rbl_motion_pose(motion);
    }
    const rblSweep sweep = path_sweep(world, slot, seconds);
    const rblQuat turn = rbl_quat_from_axis_angle(sweep.rotation, rbl_length3(sweep.rotation));
    return (rblTransform){rbl_add3(motion->center, sweep.translation),
                          rbl_quat_normalize(rbl_quat_mul(turn, motion->orientation))};
}

rblTransform rbl_path_end_pose(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    return rbl_transform_mul(rbl_path_frame(world, slot, step->seconds),
                             world->bodies.data[slot].shape_in_body);
}

// Whether a body moves so far that its pairs may be fast or need the test for separation. Most other bodies keep their
// contacts.
static bool moves_far(const rblBodyPath* path)
{
    return rbl_length3(path->translation) + path->turning > 0.05f * path->inner_radius;
}

static rblBodyPath free_path(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    const rblSweep* sweep = &step->sweeps.data[slot];
    const float angle = rbl_length3(sweep->rotation);
    return (rblBodyPath){
        .frame = rbl_motion_pose(&world->motions.data[slot]),
        .translation = sweep->translation,
        .turning = angle > 0.0f ? angle * body->shape.radius : 0.0f,
        .radius = body->shape.radius,
        .inner_radius = body->shape.inner_radius,
        .thinnest = body->shape.thinnest,
        .bounded = body->shape.bounded,
        .exact = rbl_shape_is_exact(&body->shape),
        .rugged = !body->shape.bounded && !body->shape.convex,
        .is_new = body->is_new,
        .is_new_fragment = body->is_new_fragment,
        .sibling_group = body->awake && body->type == RBL_BODY_DYNAMIC ? body->sibling_group : 0,
    };
}

static bool are_equal(rblVec3 a, rblVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_same_path(const rblBodyPath* a, const rblBodyPath* b)
{
    const rblQuat p = a->frame.q;
    const rblQuat q = b->frame.q;
    return are_equal(a->frame.p, b->frame.p) && p.x == q.x && p.y == q.y && p.z == q.z && p.w == q.w &&
           are_equal(a->translation, b->translation) && a->radius == b->radius && a->is_new == b->is_new &&
           a->is_new_fragment == b->is_new_fragment && a->sibling_group == b->sibling_group;
}

static void set_path(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    const rblVec3 rotation = step->sweeps.data[slot].rotation;
    rblBodyPath* path = &step->paths.data[slot];
    const rblBodyPath before = *path;
    step->sweeps.data[slot] = path_sweep(world, slot, step->seconds);
    *path = free_path(step, slot);
    path->same = step->break_round > 0 && are_equal(rotation, step->sweeps.data[slot].rotation) &&
                 is_same_path(path, &before);
    if (!path->exact)
    {
        step->end_poses.data[slot] = rbl_path_end_pose(step, slot);
    }
    path->has_prepared_sweep = moves_far(path);
    if (path->has_prepared_sweep)
    {
        step->prepared_sweeps.data[slot] =
            rbl_shape_prepare_sweep(&world->bodies.data[slot].shape, &step->sweeps.data[slot]);
    }
}

static void stale_path_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t slot = rbl_slot_list_at(&step->stale_paths, i);
        if (world->bodies.data[slot].generation != 0)
        {
            set_path(step, slot);
        }
    }
}

static void mover_path_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        set_path(step, step->movers.data[i]);
    }
}

// Keep the slots that are no movers, each once: movers get a new path anyway.
static void prepare_stale_paths(rblStep* step)
{
    rblSlotList* stale = &step->stale_paths;
    stale->all =
        stale->all || step->break_round > 0 || step->had_breaks; // the marks `same` of all paths change
    step->had_breaks = step->break_round > 0;
    if (stale->all)
    {
        return;
    }
    rbl_slot_list_sort(step, stale);
    size_t kept = 0;
    for (size_t i = 0; i < stale->slots.count; ++i)
    {
        const uint32_t slot = stale->slots.data[i];
        stale->slots.data[kept] = slot;
        kept += step->activities.data[slot] < RBL_ACTIVITY_AWAKE;
    }
    stale->slots.count = kept;
}

rblResult rbl_paths_predict(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t bodies = world->bodies.count;
    const size_t before = step->paths.count;
    if (!rbl_array_resize_amply(&step->paths, bodies) || !rbl_array_resize_amply(&step->sweeps, bodies) ||
        !rbl_array_resize_amply(&step->prepared_sweeps, bodies) ||
        !rbl_array_resize_amply(&step->end_poses, bodies))
    {
        return rbl_fail_memory();
    }
    for (size_t slot = before; slot < bodies; ++slot)
    {
        step->paths.data[slot] = (rblBodyPath){.radius = -1.0f}; // a slot without a body
        step->sweeps.data[slot] = (rblSweep){.rotation = {0, 0, 0}};
    }
    prepare_stale_paths(step);
    rbl_parallel_for(world->jobs, rbl_slot_list_count(&step->stale_paths, bodies), MIN_BODIES,
                     stale_path_block, step);
    if (!step->stale_paths.all)
    {
        rbl_parallel_for(world->jobs, (uint32_t)step->movers.count, MIN_BODIES, mover_path_block, step);
    }
    rbl_slot_list_clear(&step->stale_paths);
    return RBL_OK;
}
