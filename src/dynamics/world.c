// Worlds: creation, ids, settings.
#include "dynamics/world.h"
#include "dynamics/breaking/fracture.h"

#include "base/def.h"
#include "base/registry.h"
#include "dynamics/stages.h"
#include <string.h>

static rblRegistry registry = RBL_REGISTRY_INIT;
static uint64_t last_serial;

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
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: gravity is not finite");
    }
    if (def->substeps < 1 || def->substeps > 64 || def->iterations < 1 || def->iterations > 1000)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: substeps %u must be 1 to 64, iterations %u 1 to 1000",
                        def->substeps, def->iterations);
    }
    if (!(def->sleep_speed >= 0.0f) || !(def->sleep_time >= 0.0f) || !(def->bounce_speed >= 0.0f) ||
        !(def->recovery_speed >= 0.0f && def->recovery_speed <= 1.0f))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "world: sleep_speed, sleep_time and bounce_speed must not be negative, recovery_speed 0 to 1");
    }
    return RBL_OK;
}

// ---- life ----

static void init_bodies(rblWorld* world)
{
    const rblAllocator* allocator = world->allocator;
    rbl_array_init(&world->bodies, allocator);
    rbl_array_init(&world->motions, allocator);
    rbl_array_init(&world->joints, allocator);
    rbl_array_init(&world->joint_events, allocator);
    rbl_array_init(&world->events, allocator);
    rbl_array_init(&world->hits, allocator);
    rbl_array_init(&world->kept_shapes, allocator);
    rbl_array_init(&world->movers, allocator);
    rbl_array_init(&world->last_movers, allocator);
    rbl_array_init(&world->boxes, allocator);
    rbl_array_init(&world->woken, allocator);
    rbl_array_init(&world->lost, allocator);
    rbl_array_init(&world->watched, allocator);
    rbl_array_init(&world->links.firsts, allocator);
    rbl_array_init(&world->links.pairs, allocator);
    rbl_id_pool_init(&world->ids, allocator);
    rbl_id_pool_init(&world->joint_ids, allocator);
    rbl_joint_system_init(&world->joint_system, allocator);
}

static void free_bodies(rblWorld* world)
{
    rbl_array_free(&world->bodies);
    rbl_array_free(&world->motions);
    rbl_array_free(&world->joints);
    rbl_array_free(&world->joint_events);
    rbl_array_free(&world->events);
    rbl_array_free(&world->hits);
    rbl_array_free(&world->kept_shapes);
    rbl_array_free(&world->movers);
    rbl_array_free(&world->last_movers);
    rbl_array_free(&world->boxes);
    rbl_array_free(&world->woken);
    rbl_array_free(&world->lost);
    rbl_array_free(&world->watched);
    rbl_array_free(&world->links.firsts);
    rbl_array_free(&world->links.pairs);
    rbl_id_pool_free(&world->ids);
    rbl_id_pool_free(&world->joint_ids);
    rbl_joint_system_free(&world->joint_system);
}

static void init_pairs(rblWorld* world)
{
    const rblAllocator* allocator = world->allocator;
    rbl_array_init(&world->pairs, allocator);
    rbl_array_init(&world->old_pairs, allocator);
    rbl_array_init(&world->contacts, allocator);
    rbl_array_init(&world->old_contacts, allocator);
    rbl_array_init(&world->begun, allocator);
    rbl_array_init(&world->ended, allocator);
    rbl_array_init(&world->active_pairs, allocator);
    rbl_array_init(&world->seen_boxes, allocator);
    rbl_array_init(&world->leavers, allocator);
    rbl_array_init(&world->courses, allocator);
    rbl_array_init(&world->sweeps, allocator);
    rbl_array_init(&world->flights, allocator);
    rbl_array_init(&world->ends, allocator);
    rbl_array_init(&world->loads, allocator);
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_init(&world->block_contacts[b], allocator);
    }
}

static void free_pairs(rblWorld* world)
{
    rbl_array_free(&world->pairs);
    rbl_array_free(&world->old_pairs);
    rbl_array_free(&world->contacts);
    rbl_array_free(&world->old_contacts);
    rbl_array_free(&world->begun);
    rbl_array_free(&world->ended);
    rbl_array_free(&world->active_pairs);
    rbl_array_free(&world->seen_boxes);
    rbl_array_free(&world->leavers);
    rbl_array_free(&world->courses);
    rbl_array_free(&world->sweeps);
    rbl_array_free(&world->flights);
    rbl_array_free(&world->ends);
    rbl_array_free(&world->loads);
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_free(&world->block_contacts[b]);
    }
    for (uint32_t w = 0; w < RBL_MAX_WORKERS; ++w)
    {
        rbl_contact_set_free(&world->worker_contacts[w]);
    }
}

static void init_solver(rblWorld* world)
{
    const rblAllocator* allocator = world->allocator;
    rbl_array_init(&world->solver_index, allocator);
    rbl_array_init(&world->solver_bodies, allocator);
    rbl_array_init(&world->at_start, allocator);
    rbl_array_init(&world->before_contacts, allocator);
    rbl_array_init(&world->unconstrained, allocator);
    rbl_array_init(&world->manifolds, allocator);
    rbl_array_init(&world->solver_contacts, allocator);
    rbl_array_init(&world->surfaces, allocator);
    rbl_array_init(&world->stands, allocator);
    rbl_array_init(&world->levels, allocator);
    rbl_array_init(&world->standing_pairs, allocator);
    rbl_array_init(&world->growths, allocator);
    rbl_array_init(&world->bundles, allocator);
    rbl_array_init(&world->wide_contacts, allocator);
    rbl_array_init(&world->sweep_starts, allocator);
    rbl_array_init(&world->directions, allocator);
    rbl_array_init(&world->islands, allocator);
    rbl_array_init(&world->island_bodies, allocator);
    rbl_array_init(&world->island_manifolds, allocator);
    rbl_array_init(&world->subspace, allocator);
    rbl_array_init(&world->subspace_nodes, allocator);
    rbl_array_init(&world->free_flags, allocator);
    rbl_array_init(&world->subspace_rows, allocator);
    rbl_array_init(&world->activities, allocator);
    rbl_array_init(&world->color_masks, allocator);
    rbl_blocks_init(&world->subspace_blocks, allocator);
}

static void free_solver(rblWorld* world)
{
    rbl_array_free(&world->solver_index);
    rbl_array_free(&world->solver_bodies);
    rbl_array_free(&world->at_start);
    rbl_array_free(&world->before_contacts);
    rbl_array_free(&world->unconstrained);
    rbl_array_free(&world->manifolds);
    rbl_array_free(&world->solver_contacts);
    rbl_array_free(&world->surfaces);
    rbl_array_free(&world->stands);
    rbl_array_free(&world->levels);
    rbl_array_free(&world->standing_pairs);
    rbl_array_free(&world->growths);
    rbl_array_free(&world->bundles);
    rbl_array_free(&world->wide_contacts);
    rbl_array_free(&world->sweep_starts);
    rbl_array_free(&world->directions);
    rbl_array_free(&world->islands);
    rbl_array_free(&world->island_bodies);
    rbl_array_free(&world->island_manifolds);
    rbl_array_free(&world->subspace);
    rbl_array_free(&world->subspace_nodes);
    rbl_array_free(&world->free_flags);
    rbl_array_free(&world->subspace_rows);
    rbl_array_free(&world->activities);
    rbl_array_free(&world->color_masks);
    rbl_blocks_free(&world->subspace_blocks);
}

static void init_impacts(rblWorld* world)
{
    const rblAllocator* allocator = world->allocator;
    rbl_array_init(&world->last_change, allocator);
    rbl_array_init(&world->scratch, allocator);
    rbl_array_init(&world->speeds, allocator);
    rbl_array_init(&world->times, allocator);
    rbl_array_init(&world->holds, allocator);
    rbl_array_init(&world->loners, allocator);
    rbl_array_init(&world->hit_places, allocator);
    rbl_array_init(&world->wishes, allocator);
    rbl_array_init(&world->firsts, allocator);
    rbl_array_init(&world->clocks, allocator);
    rbl_array_init(&world->held, allocator);
    rbl_array_init(&world->pulls, allocator);
    rbl_array_init(&world->lone, allocator);
    rbl_array_init(&world->lone_bundles, allocator);
    rbl_array_init(&world->whirls, allocator);
    rbl_array_init(&world->nearing, allocator);
    rbl_array_init(&world->glides, allocator);
    rbl_array_init(&world->blows, allocator);
    rbl_array_init(&world->impact_bundles, allocator);
}

static void free_impacts(rblWorld* world)
{
    rbl_array_free(&world->last_change);
    rbl_array_free(&world->scratch);
    rbl_array_free(&world->speeds);
    rbl_array_free(&world->times);
    rbl_array_free(&world->holds);
    rbl_array_free(&world->loners);
    rbl_array_free(&world->hit_places);
    rbl_array_free(&world->wishes);
    rbl_array_free(&world->firsts);
    rbl_array_free(&world->clocks);
    rbl_array_free(&world->held);
    rbl_array_free(&world->pulls);
    rbl_array_free(&world->lone);
    rbl_array_free(&world->lone_bundles);
    rbl_array_free(&world->whirls);
    rbl_array_free(&world->nearing);
    rbl_array_free(&world->glides);
    rbl_array_free(&world->blows);
    rbl_array_free(&world->impact_bundles);
}

static void init_arrays(rblWorld* world)
{
    init_bodies(world);
    init_pairs(world);
    init_solver(world);
    init_impacts(world);
    rbl_init_fracture_stage(world);
}

static void free_arrays(rblWorld* world)
{
    free_bodies(world);
    free_pairs(world);
    free_solver(world);
    free_impacts(world);
    rbl_free_fracture_stage(world);
}

static void free_world(rblWorld* world)
{
    rbl_give_up_rebuilds(world);
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation != 0)
        {
            rbl_release_body(&world->bodies.data[slot]);
        }
    }
    for (size_t i = 0; i < world->kept_shapes.count; ++i)
    {
        rbl_shape_release(world->kept_shapes.data[i]);
    }
    free_arrays(world);
    rbl_broad_phase_destroy(world->broad);
    if (world->owns_jobs)
    {
        rbl_jobs_destroy(world->jobs);
    }
    rbl_free(world->allocator, world, sizeof *world);
}

static rblResult make_world(const rblWorldDef* def, rblWorld** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblWorld* world = rbl_alloc_zero(allocator, sizeof *world);
    if (world == NULL)
    {
        return rbl_fail_memory();
    }
    world->allocator = allocator;
    world->def = *def;
    init_arrays(world);
    rblResult result = rbl_broad_phase_create(allocator, &world->broad);
    if (result == RBL_OK && def->tasks != NULL)
    {
        world->tasks = *def->tasks;
        result = rbl_jobs_create(&world->tasks, allocator, &world->jobs);
        world->owns_jobs = result == RBL_OK;
    }
    else
    {
        world->jobs = rbl_default_jobs();
    }
    world->def.tasks = NULL;
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
    return rbl_fail(RBL_ERROR_STALE, "world id %u/%u is null or was destroyed", id.index1, id.generation);
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
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: no place for the id");
    }
    rblWorld* world = NULL;
    RBL_TRY(make_world(&def, &world));
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, world, &out->index1, &out->generation);
    world->serial = added ? ++last_serial : 0;
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        free_world(world);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

rblResult rbl_world_destroy(rblWorldId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblWorld* world = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (world == NULL)
    {
        return fail_stale(id);
    }
    RBL_NOTE_CALL(world, .code = RBL_CALL_DESTROY);
    free_world(world);
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
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: gravity is not finite");
    }
    // The potential is measured anew: the change is work done from outside.
    double before = 0.0;
    double after = 0.0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        before += rbl_body_energy(world, slot);
    }
    world->def.gravity = gravity;
    world->resting_known = false;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        after += rbl_body_energy(world, slot);
        rbl_wake_body(world, slot);
    }
    world->pending_work += after - before;
    RBL_NOTE_CALL(world, .code = RBL_CALL_SET_GRAVITY, .first = gravity);
    return RBL_OK;
}

static rblResult find_for(rblWorldId id, bool places, rblWorld** world)
{
    RBL_TRY(rbl_world_find(id, world));
    return places ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "world: no place for the result");
}

rblResult rbl_world_energy(rblWorldId id, rblEnergy* out)
{
    rblWorld* world = NULL;
    RBL_TRY(find_for(id, out != NULL, &world));
    rbl_measure_energy(world);
    *out = world->energy;
    return RBL_OK;
}

rblResult rbl_world_counters(rblWorldId id, rblCounters* out)
{
    rblWorld* world = NULL;
    RBL_TRY(find_for(id, out != NULL, &world));
    *out = world->counters;
    out->vanished = world->vanished; // after going back, too
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
