// Worlds: creation, ids, settings.
#include "dynamics/world.h"
#include "base/assert.h"
#include "dynamics/breaking/fracture.h"

#include "base/def.h"
#include "base/registry.h"
#include "dynamics/stages.h"
#include "dynamics/world_check.h"
#include <string.h>

static rblRegistry registry = RBL_REGISTRY_INIT;
static uint32_t last_serial;

RBL_DEF_KIND(world_def, rblWorldDef, "world", rbl_default_world_def, 0x57524c44u);

void rbl_world_def_init(rblWorldDef* def, size_t size)
{
    const rblWorldDef defaults = {
        .gravity = {0.0f, -9.81f, 0.0f},
        .substeps = 1,
        .iterations = 8,
        .sleeping = true,
        .sleep_speed = 0.02f,
        .sleep_time = 0.5f,
        .bounce_speed = 0.2f,
        .recovery_speed = 1.0f,
        .first_count = 8,
        .seed = 1,
    };
    rbl_def_init(&world_def, &defaults, def, size);
}

static rblResult check_def(const rblWorldDef* def)
{
    if (!rbl_finite3(def->gravity))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: gravity is (%g, %g, %g), must be finite",
                        RBL_XYZ(def->gravity));
    }
    if (def->substeps < 1 || def->substeps > 64 || def->iterations < 1 || def->iterations > 1000)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "world: substeps is %u, must be 1 to 64; iterations is %u, must be 1 to 1000",
                        def->substeps, def->iterations);
    }
    if (!(def->sleep_speed >= 0.0f) || !(def->sleep_time >= 0.0f) || !(def->bounce_speed >= 0.0f) ||
        !(def->recovery_speed >= 0.0f && def->recovery_speed <= 1.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "world: sleep_speed is %g, sleep_time %g, bounce_speed %g, must not be negative; "
                        "recovery_speed is %g, must be 0 to 1",
                        (double)def->sleep_speed, (double)def->sleep_time, (double)def->bounce_speed,
                        (double)def->recovery_speed);
    }
    return RBL_OK;
}

// ---- creation ----

#define ARRAYS(X)                                                                                            \
    X(bodies)                                                                                                \
    X(motions)                                                                                               \
    X(joints)                                                                                                \
    X(pairs)                                                                                                 \
    X(pair_sides)                                                                                            \
    X(pair_states)                                                                                           \
    X(free_pairs)                                                                                            \
    X(first_sides)                                                                                           \
    X(changed.slots)                                                                                         \
    X(marked.slots)                                                                                          \
    X(resting_sums.blocks)                                                                                   \
    X(resting_sums.groups)                                                                                   \
    X(resting_sums.block_states)                                                                             \
    X(resting_sums.outdated)                                                                                 \
    X(contacts)                                                                                              \
    X(sensed)                                                                                                \
    X(sensor_events)                                                                                         \
    X(rebuilds)                                                                                              \
    X(kept_shapes)                                                                                           \
    X(kept_shape_ids)                                                                                        \
    X(kept_breakers)                                                                                         \
    X(events)                                                                                                \
    X(joint_events)                                                                                          \
    X(break_log.events)                                                                                      \
    X(break_log.ids)                                                                                         \
    X(break_log.mates)                                                                                       \
    X(impacts)

#define INIT_ARRAY(field) rbl_array_init(&world->field, world->allocator);
#define FREE_ARRAY(field) rbl_array_free(&world->field);

// Release bodies, and the objects that snapshots refer to.
static void release_references(rblWorld* world)
{
    rbl_rebuilds_cancel(world);
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation != 0)
        {
            rbl_body_release(&world->bodies.data[slot]);
        }
    }
    for (size_t i = 0; i < world->kept_shapes.count; ++i)
    {
        rbl_shape_release(world->kept_shapes.data[i]);
    }
    for (size_t i = 0; i < world->kept_shape_ids.count; ++i)
    {
        (void)rbl_shape_destroy(world->kept_shape_ids.data[i]);
    }
    for (size_t i = 0; i < world->kept_breakers.count; ++i)
    {
        rbl_breaker_release(world->kept_breakers.data[i]);
    }
}

static void free_world(rblWorld* world)
{
    release_references(world);
    rbl_step_destroy(world->step);
    rbl_broad_phase_destroy(world->broad);
    ARRAYS(FREE_ARRAY)
    rbl_id_pool_free(&world->ids);
    rbl_id_pool_free(&world->joint_ids);
    if (world->owns_jobs)
    {
        rbl_jobs_destroy(world->jobs);
    }
    rbl_free(world->memory.source, world, sizeof *world);
}

static rblResult init_world(rblWorld* world, const rblTasks* tasks)
{
    world->step = rbl_step_create(world);
    if (world->step == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(rbl_broad_phase_create(world->allocator, &world->broad));
    world->jobs = rbl_default_jobs();
    if (tasks != NULL)
    {
        RBL_TRY(rbl_jobs_create(tasks, world->allocator, &world->jobs));
        world->owns_jobs = true;
    }
    return RBL_OK;
}

static rblResult make_world(const rblWorldDef* def, rblWorld** out)
{
    const rblAllocator* source = rbl_default_allocator();
    rblWorld* world = rbl_alloc_zero(source, sizeof *world);
    if (world == NULL)
    {
        return rbl_fail_memory();
    }
    world->stage_checks = RBL_HAS_ASSERTS != 0 ? RBL_CHECK_WITHOUT_NUMBERS : 0;
    rbl_counted_memory_init(&world->memory, source);
    world->allocator = &world->memory.allocator;
    world->def = *def;
    world->def.tasks = NULL;
    ARRAYS(INIT_ARRAY)
    rbl_id_pool_init(&world->ids, world->allocator);
    rbl_id_pool_init(&world->joint_ids, world->allocator);
    const rblResult result = init_world(world, def->tasks);
    if (result != RBL_OK)
    {
        free_world(world);
        return result;
    }
    *out = world;
    return RBL_OK;
}

// ---- ids ----

static rblResult fail_stale(rblWorldId id)
{
    return rbl_fail(RBL_ERROR_STALE, "world: the id %u/%u is null or was destroyed", id.index1,
                    id.generation);
}

static rblResult fail_busy(void)
{
    return rbl_fail(RBL_ERROR_BUSY,
                    "world: it is in a step or a break; functions of breakers must not call their world");
}

rblResult rbl_world_find(rblWorldId id, rblWorld** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblWorld* world = rbl_registry_find(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (world == NULL)
    {
        return fail_stale(id);
    }
    if (world->busy)
    {
        return fail_busy();
    }
    *out = world;
    return RBL_OK;
}

rblResult rbl_world_create(const rblWorldDef* given, rblWorldId* out)
{
    rblWorldDef def = rbl_default_world_def();
    RBL_TRY(rbl_def_read(&world_def, given, &def));
    RBL_TRY(check_def(&def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: out must not be null");
    }
    rblWorld* world = NULL;
    RBL_TRY(make_world(&def, &world));
    rbl_mutex_lock(&registry.mutex);
    const bool left = last_serial < UINT32_MAX;
    const bool added = left && rbl_registry_add(&registry, world, &out->index1, &out->generation);
    world->serial = added ? ++last_serial : 0;
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        free_world(world);
        return left ? rbl_fail_memory()
                    : rbl_fail(RBL_ERROR_LIMIT, "world: a process can create at most %u worlds", UINT32_MAX);
    }
    return RBL_OK;
}

rblResult rbl_world_destroy(rblWorldId id)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    rbl_mutex_lock(&registry.mutex);
    world = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (world == NULL)
    {
        return fail_stale(id); // another thread destroyed it first
    }
    RBL_NOTE_CALL(world, .code = RBL_CALL_DESTROY);
    free_world(world);
    return RBL_OK;
}

rblResult rbl_world_serial(rblWorldId id, uint32_t* out)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    *out = world->serial;
    return RBL_OK;
}

rblResult rbl_world_hook_calls(rblWorldId id, rblCallHook* hook, void* context)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    world->hook = hook;
    world->hook_context = context;
    return RBL_OK;
}

// ---- settings and reports ----

rblResult rbl_world_set_gravity(rblWorldId id, rblVec3 gravity)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (!rbl_finite3(gravity))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: gravity is (%g, %g, %g), must be finite",
                        RBL_XYZ(gravity));
    }
    // The potential energy changes with gravity: the change is external work.
    double before = 0.0;
    double after = 0.0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        before += rbl_body_energy(world, slot);
    }
    world->def.gravity = gravity;
    world->resting_sums.known = false;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        after += rbl_body_energy(world, slot);
        rbl_slot_wake(world, slot);
    }
    world->pending_work += after - before;
    RBL_NOTE_CALL(world, .code = RBL_CALL_SET_GRAVITY, .first = gravity);
    return RBL_OK;
}

static rblResult find_for(rblWorldId id, bool needs_positions, rblWorld** world)
{
    RBL_TRY(rbl_world_find(id, world));
    return needs_positions ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "world: out must not be null");
}

rblResult rbl_world_energy(rblWorldId id, rblEnergy* out)
{
    rblWorld* world = NULL;
    RBL_TRY(find_for(id, out != NULL, &world));
    rbl_energy_measure(world->step);
    *out = world->energy;
    return RBL_OK;
}

rblResult rbl_world_counters(rblWorldId id, rblCounters* out)
{
    rblWorld* world = NULL;
    RBL_TRY(find_for(id, out != NULL, &world));
    *out = world->counters;
    out->vanished = world->vanished; // also after a snapshot was restored
    out->vanished_mass = world->vanished_mass;
    return RBL_OK;
}

rblResult rbl_world_profile(rblWorldId id, rblProfile* out)
{
    rblWorld* world = NULL;
    RBL_TRY(find_for(id, out != NULL, &world));
    *out = world->profile;
    return RBL_OK;
}

rblResult rbl_world_contact_events(rblWorldId id, const rblContactEvent** events, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(find_for(id, events != NULL && count != NULL, &world));
    *events = world->events.data;
    *count = (uint32_t)world->events.count;
    return RBL_OK;
}
