// Sample hierarchies of fragments, rebuilt by background jobs (Glondu 2012, sec. 5.2). They are applied a fixed number of steps
// after the break, whenever they were ready, so that the result does not depend on the speed of threads. A new hierarchy
// belongs to a new shape, which replaces the shape of the body: shapes never change, and earlier snapshots refer to the old
// one.
#include "dynamics/breaking/fracture.h"
#include "dynamics/pair_list.h"
#include "dynamics/stages.h"

typedef struct rblRebuild
{
    rblShapeView shape; // retained
    rblJob job;
    bool ready;
    uint32_t steps; // until it is applied
    rblShapeId made;
    rblResult result;
} rblRebuild;

static void make(void* context)
{
    rblRebuild* rebuild = context;
    rebuild->result = rbl_shape_rebuild(&rebuild->shape, &rebuild->made);
}

static void finish_job(const rblWorld* world, rblRebuild* rebuild)
{
    if (!rebuild->ready)
    {
        rbl_job_finish(world->jobs, &rebuild->job);
        rebuild->ready = true;
    }
}

static void free_rebuild(const rblWorld* world, rblRebuild* rebuild)
{
    finish_job(world, rebuild);
    if (rebuild->result == RBL_OK && rebuild->made.index1 != 0)
    {
        (void)rbl_shape_destroy(rebuild->made);
    }
    rbl_shape_release(rebuild->shape.shape);
    rbl_free(world->allocator, rebuild, sizeof *rebuild);
}

void rbl_rebuilds_cancel(rblWorld* world)
{
    for (size_t i = 0; i < world->rebuilds.count; ++i)
    {
        free_rebuild(world, world->rebuilds.data[i]);
    }
    rbl_array_clear(&world->rebuilds);
}

rblResult rbl_rebuild_begin(rblWorld* world, uint32_t slot, uint32_t steps)
{
    rblBody* body = &world->bodies.data[slot];
    rblRebuild* rebuild = rbl_alloc_zero(world->allocator, sizeof *rebuild);
    if (rebuild == NULL || !rbl_shape_can_rebuild(&body->shape) ||
        !rbl_array_reserve_more(&world->rebuilds, 1))
    {
        rbl_free(world->allocator, rebuild, rebuild != NULL ? sizeof *rebuild : 0);
        return rbl_fail_memory();
    }
    rbl_shape_retain(body->shape.shape);
    rebuild->shape = body->shape;
    rebuild->steps = steps;
    rebuild->job = (rblJob){.fcn = make, .context = rebuild};
    body->rebuild = steps;
    world->rebuilding += 1;
    world->rebuilds.data[world->rebuilds.count++] = rebuild;
    rbl_job_start(world->jobs, &rebuild->job);
    return RBL_OK;
}

// ---- application ----

// Without threads, the work is divided over the steps until it is due: each step does its share of those that are due first.
static void run_due_jobs(const rblWorld* world)
{
    uint32_t waiting = 0, least = UINT32_MAX;
    for (size_t i = 0; i < world->rebuilds.count; ++i)
    {
        const rblRebuild* rebuild = world->rebuilds.data[i];
        waiting += !rebuild->ready;
        least = !rebuild->ready && rebuild->steps < least ? rebuild->steps : least;
    }
    const uint32_t turns = least > 1 ? least - 1 : 1; // steps left, with this one
    uint32_t due = waiting / turns + (waiting % turns != 0);
    for (size_t i = 0; i < world->rebuilds.count && due > 0; ++i)
    {
        due -= !world->rebuilds.data[i]->ready;
        finish_job(world, world->rebuilds.data[i]);
    }
}

// The shape from a job that was begun, or, after a snapshot was restored, one built now.
static rblResult take_rebuilt(const rblWorld* world, const rblShapeView* shape, rblShapeId* out)
{
    for (size_t i = 0; i < world->rebuilds.count; ++i)
    {
        rblRebuild* rebuild = world->rebuilds.data[i];
        if (rebuild->shape.shape == shape->shape && (!rebuild->ready || rebuild->made.index1 != 0))
        {
            finish_job(world, rebuild);
            *out = rebuild->made;
            rebuild->made = (rblShapeId){0, 0};
            return rebuild->result;
        }
    }
    return rbl_shape_rebuild(shape, out);
}

// Features of contacts are sample numbers, and the new hierarchy has another order. So the contacts get no feature, and are
// matched by position.
static void rename_contacts(rblWorld* world, uint32_t slot)
{
    for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE; side = rbl_next_side(world, side))
    {
        rblPair* pair = rbl_side_pair(world, side);
        pair->seen_margin = 0.0f;
        for (uint32_t k = 0; k < pair->count; ++k)
        {
            world->contacts.data[pair->first + k].feature = RBL_NONE;
        }
    }
}

static void apply_rebuild(rblWorld* world, uint32_t slot)
{
    rblBody* body = &world->bodies.data[slot];
    rblShapeId made = {0, 0};
    rblShapeView view;
    if (take_rebuilt(world, &body->shape, &made) != RBL_OK || rbl_shape_acquire(made, &view) != RBL_OK)
    {
        return; // out of memory: the fragment keeps its old hierarchy
    }
    rbl_shape_release(body->shape.shape);
    if (body->owns_shape && !body->kept)
    {
        (void)rbl_shape_destroy(body->shape_id);
    }
    body->shape_id = made;
    body->shape = view;
    body->shape_memory = rbl_shape_memory(&view);
    body->owns_shape = true;
    body->kept = false;
    rename_contacts(world, slot);
    rbl_slot_list_add(&world->step->stale_paths, slot, world->bodies.count);
}

static void remove_finished(rblWorld* world)
{
    size_t kept = 0;
    for (size_t i = 0; i < world->rebuilds.count; ++i)
    {
        rblRebuild* rebuild = world->rebuilds.data[i];
        if (rebuild->steps == 0)
        {
            free_rebuild(world, rebuild);
            continue;
        }
        rebuild->steps -= 1;
        world->rebuilds.data[kept++] = rebuild;
    }
    world->rebuilds.count = kept;
}

// Apply rebuilds that are due, and count those that are left. Bodies may have been destroyed before their rebuild.
static void count_down(rblWorld* world)
{
    uint32_t waiting = 0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        rblBody* body = &world->bodies.data[slot];
        if (body->generation == 0 || body->rebuild == 0)
        {
            continue;
        }
        body->rebuild -= 1;
        waiting += body->rebuild > 0;
        if (body->rebuild == 0)
        {
            apply_rebuild(world, slot);
        }
    }
    world->rebuilding = waiting;
}

void rbl_rebuilds_apply(rblWorld* world)
{
    if (world->rebuilding > 0)
    {
        count_down(world);
    }
    if (world->rebuilds.count > 0 && rbl_jobs_worker_count(world->jobs) == 1)
    {
        run_due_jobs(world);
    }
    remove_finished(world);
}
