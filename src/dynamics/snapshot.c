// Snapshots: the complete state of a world in one block of memory, valid within this process.
//
// Shapes are stored as pointers. A saved world retains every shape that its bodies had, until it is destroyed.
#include "dynamics/snapshot.h"
#include "dynamics/active_pairs.h"
#include "dynamics/pair_list.h"
#include "dynamics/stages.h"
#include <string.h>

// A position in the block. Counts bytes when `data` is null.
typedef struct Cursor
{
    unsigned char* data;
    size_t size;
} Cursor;

static void put(Cursor* cursor, const void* from, size_t size)
{
    if (cursor->data != NULL && size > 0)
    {
        memcpy(cursor->data + cursor->size, from, size);
    }
    cursor->size += size;
}

static void take(Cursor* cursor, void* to, size_t size)
{
    if (size > 0)
    {
        memcpy(to, cursor->data + cursor->size, size);
    }
    cursor->size += size;
}

static uint32_t count_contacts(const rblWorld* world)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        sum += world->pairs.data[i].count;
    }
    return sum;
}

static rblSnapshotHeader make_header(const rblWorld* world)
{
    return (rblSnapshotHeader){
        .magic = RBL_SNAPSHOT_MAGIC,
        .slots = (uint32_t)world->bodies.count,
        .generations = (uint32_t)world->ids.generations.count,
        .free_slots = (uint32_t)world->ids.free_slots.count,
        .alive = world->ids.alive,
        .joint_slots = (uint32_t)world->joints.count,
        .joint_generations = (uint32_t)world->joint_ids.generations.count,
        .joint_free_slots = (uint32_t)world->joint_ids.free_slots.count,
        .joints_alive = world->joint_ids.alive,
        .pairs = (uint32_t)rbl_pair_count(world),
        .contacts = count_contacts(world),
        .last_sleep_group = world->last_sleep_group,
        .proxy_pairs = (uint32_t)rbl_pair_count(world), // those of the broad phase are the same
        .owner = world->serial,
        .number = world->saves,
        .begun_stepping = world->begun_stepping,
        .bodies_destroyed = world->bodies_destroyed,
        .has_marks = world->has_marks,
        .gravity = world->def.gravity,
        .energy = world->energy,
        .counters = world->counters,
        .total = world->total,
        .pending_work = world->pending_work,
        .substeps = world->substeps,
        .breaks = world->breaks,
        .has_new_fragments = world->has_new_fragments,
        .unreported = (uint32_t)(world->break_log.events.count - world->break_log.reported),
        .unreported_ids = (uint32_t)(world->break_log.ids.count - world->break_log.reported_ids),
        .sensed = (uint32_t)world->sensed.count,
        .unreported_mates = (uint32_t)(world->break_log.mates.count - world->break_log.reported_mates),
        .vanished_mass = world->vanished_mass,
        .vanished = world->vanished,
    };
}

static void put_ids(Cursor* cursor, const rblIdPool* ids)
{
    put(cursor, ids->generations.data, sizeof(uint32_t) * ids->generations.count);
    put(cursor, ids->free_slots.data, sizeof(uint32_t) * ids->free_slots.count);
}

// Breaks on demand are reported by the next step, so they are part of the state.
static void put_breaks(Cursor* cursor, const rblWorld* world, const rblSnapshotHeader* header)
{
    for (uint32_t i = 0; i < header->unreported; ++i)
    {
        rblBreakEvent event = world->break_log.events.data[world->break_log.reported + i];
        event.fragments = NULL; // set again when events are read
        event.mates = NULL;
        event.body.world = event.by.world = 0; // the same: the bytes must not depend on the world
        put(cursor, &event, sizeof event);
    }
    for (uint32_t i = 0; i < header->unreported_ids; ++i)
    {
        rblBodyId id = world->break_log.ids.data[world->break_log.reported_ids + i];
        id.world = 0;
        put(cursor, &id, sizeof id);
    }
    const rblMate* mates =
        header->unreported_mates > 0 ? world->break_log.mates.data + world->break_log.reported_mates : NULL;
    put(cursor, mates, sizeof *mates * header->unreported_mates);
}

// The pairs and contacts by (a, b): their order in the world depends on its past.
static void put_pairs(Cursor* cursor, const rblWorld* world, const rblIndexArray* sorted)
{
    uint32_t first = 0;
    for (size_t i = 0; i < sorted->count; ++i)
    {
        rblPair pair;
        memcpy(&pair, &world->pairs.data[sorted->data[i]], sizeof pair); // with the bytes between its fields
        pair.first = pair.count > 0 ? first : 0;
        first += pair.count;
        put(cursor, &pair, sizeof pair);
    }
    for (size_t i = 0; i < sorted->count; ++i)
    {
        const rblPair* pair = &world->pairs.data[sorted->data[i]];
        const rblContact* contacts = pair->count > 0 ? &world->contacts.data[pair->first] : NULL;
        put(cursor, contacts, sizeof *contacts * pair->count);
    }
}

static void put_proxy_pairs(Cursor* cursor, const rblWorld* world, const rblIndexArray* sorted)
{
    for (size_t i = 0; i < sorted->count; ++i)
    {
        const rblPair* pair = &world->pairs.data[sorted->data[i]];
        const rblProxyPair proxies = {pair->a, pair->b};
        put(cursor, &proxies, sizeof proxies);
    }
}

// `sorted`: the pairs.
static size_t write_world(const rblWorld* world, const rblIndexArray* sorted, unsigned char* data)
{
    Cursor cursor = {data, 0};
    rblSnapshotHeader header = make_header(world);
    put(&cursor, &header, sizeof header);
    put_ids(&cursor, &world->ids);
    put_ids(&cursor, &world->joint_ids);
    put(&cursor, world->bodies.data, sizeof(rblBody) * world->bodies.count);
    put(&cursor, world->motions.data, sizeof(rblMotion) * world->motions.count);
    put(&cursor, world->joints.data, sizeof(rblJoint) * world->joints.count);
    put_pairs(&cursor, world, sorted);
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblProxyState state = rbl_broad_phase_save(world->broad, slot);
        put(&cursor, &state, sizeof state);
    }
    put_proxy_pairs(&cursor, world, sorted);
    put_breaks(&cursor, world, &header);
    put(&cursor, world->sensed.data, sizeof(rblSensed) * header.sensed);
    if (data != NULL)
    {
        header.size = cursor.size;
        memcpy(data, &header, sizeof header);
    }
    return cursor.size;
}

// ---- shapes of saved worlds ----

static bool is_kept(const rblWorld* world, const rblShape* shape)
{
    for (size_t i = 0; i < world->kept_shapes.count; ++i)
    {
        if (world->kept_shapes.data[i] == shape)
        {
            return true;
        }
    }
    return false;
}

// Retain a shape until the world is destroyed.
static rblResult keep_shape(rblWorld* world, const rblShape* shape)
{
    if (is_kept(world, shape))
    {
        return RBL_OK;
    }
    if (!rbl_array_push(&world->kept_shapes, shape))
    {
        return rbl_fail_memory();
    }
    rbl_shape_retain(shape);
    return RBL_OK;
}

rblResult rbl_world_keep_breaker(rblWorld* world, const rblBreaker* breaker)
{
    for (size_t i = 0; i < world->kept_breakers.count; ++i)
    {
        if (world->kept_breakers.data[i] == breaker)
        {
            return RBL_OK;
        }
    }
    if (!rbl_array_push(&world->kept_breakers, breaker))
    {
        return rbl_fail_memory();
    }
    rbl_breaker_retain(breaker);
    return RBL_OK;
}

// The shape handle of a fragment is retained, too.
static rblResult keep_body(rblWorld* world, rblBody* body)
{
    RBL_TRY(keep_shape(world, body->shape.shape));
    RBL_TRY(body->breaker != NULL ? rbl_world_keep_breaker(world, body->breaker) : RBL_OK);
    if (body->owns_shape && !rbl_array_push(&world->kept_shape_ids, body->shape_id))
    {
        return rbl_fail_memory();
    }
    body->kept = true;
    return RBL_OK;
}

static rblResult keep_bodies(rblWorld* world)
{
    for (size_t i = 0; i < world->bodies.count; ++i)
    {
        rblBody* body = &world->bodies.data[i];
        if (body->generation != 0 && !body->kept)
        {
            RBL_TRY(keep_body(world, body));
        }
    }
    return RBL_OK;
}

static rblResult sort_pairs(rblWorld* world)
{
    rblIndexArray* sorted = &world->step->pairs_of_body;
    if (!rbl_array_renew(sorted, rbl_pair_count(world), 0))
    {
        return rbl_fail_memory();
    }
    sorted->count = 0;
    for (uint32_t i = 0; i < world->pairs.count; ++i)
    {
        if (rbl_pair_exists(&world->pairs.data[i]))
        {
            sorted->data[sorted->count++] = i;
        }
    }
    return rbl_pairs_sort(world, sorted, &world->step->slot_scratch) ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_world_save(rblWorldId id, void* buffer, size_t capacity, size_t* size)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (size == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "snapshot: size must not be null");
    }
    RBL_TRY(rbl_pairs_merge(world->step));
    RBL_TRY(sort_pairs(world));
    const rblIndexArray* sorted = &world->step->pairs_of_body;
    *size = write_world(world, sorted, NULL);
    if (buffer == NULL)
    {
        return RBL_OK;
    }
    if (capacity < *size)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "snapshot: %zu bytes are needed, the capacity is %zu", *size,
                        capacity);
    }
    RBL_TRY(keep_bodies(world));
    world->saves += 1;
    write_world(world, sorted, buffer);
    RBL_NOTE_CALL(world, .code = RBL_CALL_SAVE, .number = world->saves);
    return RBL_OK;
}

// ---- restoring ----

rblSnapshotLayout rbl_snapshot_layout(const rblSnapshotHeader* header)
{
    rblSnapshotLayout at = {.ids = sizeof *header};
    at.joint_ids = at.ids + sizeof(uint32_t) * ((size_t)header->generations + header->free_slots);
    at.bodies =
        at.joint_ids + sizeof(uint32_t) * ((size_t)header->joint_generations + header->joint_free_slots);
    at.motions = at.bodies + sizeof(rblBody) * header->slots;
    at.joints = at.motions + sizeof(rblMotion) * header->slots;
    at.pairs = at.joints + sizeof(rblJoint) * header->joint_slots;
    at.contacts = at.pairs + sizeof(rblPair) * header->pairs;
    at.proxies = at.contacts + sizeof(rblContact) * header->contacts;
    at.proxy_pairs = at.proxies + sizeof(rblProxyState) * header->slots;
    at.breaks = at.proxy_pairs + sizeof(rblProxyPair) * header->proxy_pairs;
    at.fragments = at.breaks + sizeof(rblBreakEvent) * header->unreported;
    at.sensed = at.fragments + sizeof(rblBodyId) * header->unreported_ids +
                sizeof(rblMate) * header->unreported_mates;
    return at;
}

uint64_t rbl_snapshot_size(const rblSnapshotHeader* header)
{
    const uint64_t ids = (uint64_t)header->generations + header->free_slots + header->joint_generations +
                         header->joint_free_slots;
    return sizeof *header + sizeof(uint32_t) * ids +
           (sizeof(rblBody) + sizeof(rblMotion) + sizeof(rblProxyState)) * (uint64_t)header->slots +
           sizeof(rblJoint) * (uint64_t)header->joint_slots + sizeof(rblPair) * (uint64_t)header->pairs +
           sizeof(rblContact) * (uint64_t)header->contacts +
           sizeof(rblProxyPair) * (uint64_t)header->proxy_pairs +
           sizeof(rblBreakEvent) * (uint64_t)header->unreported +
           sizeof(rblBodyId) * (uint64_t)header->unreported_ids +
           sizeof(rblMate) * (uint64_t)header->unreported_mates +
           sizeof(rblSensed) * (uint64_t)header->sensed;
}

static rblResult check_snapshot(const rblWorld* world, const void* buffer, size_t size,
                                rblSnapshotHeader* header)
{
    if (buffer == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "snapshot: buffer must not be null");
    }
    if (size < sizeof *header)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "snapshot: %zu bytes are less than a header", size);
    }
    if ((uintptr_t)buffer % sizeof(uint64_t) != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "snapshot: the buffer must be aligned to 8 bytes");
    }
    memcpy(header, buffer, sizeof *header);
    if (header->magic != RBL_SNAPSHOT_MAGIC || header->size != size)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "snapshot: not made by rbl_world_save(), or cut short");
    }
    if (header->owner != world->serial)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "snapshot: made by another world, must be restored in its own");
    }
    return rbl_snapshot_size(header) == size
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FORMAT, "snapshot: damaged, must be what rbl_world_save() wrote");
}

static bool reserve_ids(rblIdPool* ids, uint32_t generations, uint32_t free_slots)
{
    return rbl_array_reserve(&ids->generations, generations) &&
           rbl_array_reserve(&ids->free_slots, free_slots);
}

static bool reserve_all(rblWorld* world, const rblSnapshotHeader* header)
{
    return reserve_ids(&world->ids, header->generations, header->free_slots) &&
           reserve_ids(&world->joint_ids, header->joint_generations, header->joint_free_slots) &&
           rbl_array_reserve(&world->bodies, header->slots) &&
           rbl_array_reserve(&world->motions, header->slots) &&
           rbl_array_reserve(&world->joints, header->joint_slots) &&
           rbl_array_reserve(&world->pairs, header->pairs) &&
           rbl_array_reserve(&world->pair_sides, 2 * (size_t)header->pairs) &&
           rbl_array_reserve(&world->pair_states, header->pairs) &&
           rbl_array_reserve(&world->free_pairs, header->pairs) &&
           rbl_array_reserve(&world->first_sides, header->slots) &&
           rbl_array_reserve(&world->contacts, header->contacts) &&
           rbl_array_reserve(&world->sensed, header->sensed) &&
           rbl_array_reserve(&world->break_log.events, header->unreported) &&
           rbl_array_reserve(&world->break_log.ids, header->unreported_ids) &&
           rbl_array_reserve(&world->break_log.mates, header->unreported_mates);
}

static void take_ids(Cursor* cursor, rblIdPool* ids, uint32_t generations, uint32_t free_slots,
                     uint32_t alive)
{
    ids->generations.count = generations;
    ids->free_slots.count = free_slots;
    ids->alive = alive;
    take(cursor, ids->generations.data, sizeof(uint32_t) * generations);
    take(cursor, ids->free_slots.data, sizeof(uint32_t) * free_slots);
}

static void release_bodies(rblWorld* world)
{
    for (size_t i = 0; i < world->bodies.count; ++i)
    {
        if (world->bodies.data[i].generation != 0)
        {
            rbl_body_release(&world->bodies.data[i]);
        }
    }
}

// The prepared data of breakers is not stored. Breakers prepare the shapes again when needed.
static void retain_bodies(rblWorld* world)
{
    world->breakable = 0;
    world->sensors = 0;
    world->fragments = 0;
    world->debris = 0;
    world->rebuilding = 0;
    for (size_t i = 0; i < world->bodies.count; ++i)
    {
        rblBody* body = &world->bodies.data[i];
        if (body->generation == 0)
        {
            continue;
        }
        rbl_shape_retain(body->shape.shape);
        if (body->breaker != NULL)
        {
            rbl_breaker_retain(body->breaker);
        }
        body->prepared = NULL;
        body->is_prepared = false;
        world->breakable += body->breaker != NULL;
        world->sensors += body->sensor;
        world->fragments += body->ancestors > 0;
        world->debris += body->debris;
        world->rebuilding += body->rebuild > 0;
    }
}

static rblResult load_broad_phase(rblBroadPhase* broad, const rblSnapshotHeader* header,
                                  const unsigned char* data)
{
    const rblSnapshotLayout at = rbl_snapshot_layout(header);
    for (uint32_t slot = 0; slot < header->slots; ++slot)
    {
        rblProxyState state;
        memcpy(&state, data + at.proxies + sizeof state * slot, sizeof state);
        RBL_TRY(rbl_broad_phase_load(broad, slot, &state));
    }
    return rbl_broad_phase_load_pairs(broad, (const rblProxyPair*)(const void*)(data + at.proxy_pairs),
                                      header->proxy_pairs);
}

// A broad phase in the state of the snapshot: it continues exactly as the saved one.
static rblResult make_broad_phase(const rblWorld* world, const rblSnapshotHeader* header,
                                  const unsigned char* data, rblBroadPhase** out)
{
    RBL_TRY(rbl_broad_phase_create(world->allocator, out));
    const rblResult result = load_broad_phase(*out, header, data);
    if (result != RBL_OK)
    {
        rbl_broad_phase_destroy(*out);
    }
    return result;
}

static void take_breaks(rblWorld* world, const rblSnapshotHeader* header, Cursor cursor)
{
    cursor.size = rbl_snapshot_layout(header).breaks;
    world->break_log.events.count = header->unreported;
    world->break_log.ids.count = header->unreported_ids;
    world->break_log.mates.count = header->unreported_mates;
    world->break_log.reported = world->break_log.reported_ids = world->break_log.reported_mates = 0;
    take(&cursor, world->break_log.events.data, sizeof *world->break_log.events.data * header->unreported);
    take(&cursor, world->break_log.ids.data, sizeof *world->break_log.ids.data * header->unreported_ids);
    take(&cursor, world->break_log.mates.data,
         sizeof *world->break_log.mates.data * header->unreported_mates);
    for (uint32_t i = 0; i < header->unreported; ++i)
    {
        rblBreakEvent* event = &world->break_log.events.data[i];
        event->body.world = world->serial;
        event->by.world = event->by.index1 != 0 ? world->serial : 0;
    }
    for (uint32_t i = 0; i < header->unreported_ids; ++i)
    {
        world->break_log.ids.data[i].world = world->serial;
    }
}

static void take_world(rblWorld* world, const rblSnapshotHeader* header, const void* buffer)
{
    unsigned char* data = NULL;
    memcpy(&data, &buffer, sizeof data); // the cursor only reads
    Cursor cursor = {data, sizeof *header};
    take_ids(&cursor, &world->ids, header->generations, header->free_slots, header->alive);
    take_ids(&cursor, &world->joint_ids, header->joint_generations, header->joint_free_slots,
             header->joints_alive);
    world->bodies.count = world->motions.count = header->slots;
    world->joints.count = header->joint_slots;
    world->pairs.count = header->pairs;
    world->contacts.count = header->contacts;
    take(&cursor, world->bodies.data, sizeof(rblBody) * header->slots);
    take(&cursor, world->motions.data, sizeof(rblMotion) * header->slots);
    take(&cursor, world->joints.data, sizeof(rblJoint) * header->joint_slots);
    take(&cursor, world->pairs.data, sizeof(rblPair) * header->pairs);
    take(&cursor, world->contacts.data, sizeof(rblContact) * header->contacts);
    take_breaks(world, header, cursor);
    world->sensed.count = header->sensed;
    cursor.size = rbl_snapshot_layout(header).sensed;
    take(&cursor, world->sensed.data, sizeof(rblSensed) * header->sensed);
    world->last_sleep_group = header->last_sleep_group;
    world->begun_stepping = header->begun_stepping != 0;
    world->bodies_destroyed = header->bodies_destroyed != 0;
    world->has_marks =
        header->has_marks != 0; // not always true: an extra substep would change the seeds of breaks
    world->marked.all = world->has_marks;
    rbl_array_clear(&world->marked.slots);
    world->def.gravity = header->gravity;
    world->energy = header->energy;
    world->total = header->total;
    world->pending_work = header->pending_work;
    world->substeps = header->substeps;
    world->breaks = header->breaks;
    world->has_new_fragments = header->has_new_fragments != 0;
    world->counters = header->counters;
    world->vanished_mass = header->vanished_mass;
    world->vanished = (uint32_t)header->vanished;
}

// All pairs are parked at first. The next step lists those with an awake body.
static void park_pairs(rblWorld* world)
{
    rbl_pairs_link_all(world);
    rbl_active_pairs_forget(world->step);
    for (size_t i = 0; i < world->pair_states.count; ++i)
    {
        world->pair_states.data[i] = RBL_PAIR_PARKED;
    }
    world->parked_contacts = world->contacts.count;
    world->wasted_contacts = 0;
}

// Clear the results of the last step.
static void clear_results(rblWorld* world)
{
    world->unmerged = false;
    world->activity_changed = world->changed.all = true;
    world->has_siblings = true;
    world->step->stale_paths.all = true;
    rbl_array_clear(&world->events);
    rbl_array_clear(&world->impacts);
    rbl_array_clear(&world->joint_events);
    rbl_array_clear(&world->sensor_events);
    rbl_boxes_forget(world->step);
    rbl_array_clear(&world->step->solver_bodies);
    rbl_array_clear(&world->step->solver_index);
    rbl_array_clear(&world->step->manifolds);
    rbl_array_clear(&world->step->solver_contacts);
    rbl_array_clear(&world->step->bundles);
    rbl_array_clear(&world->step->wide_contacts);
}

rblResult rbl_world_restore(rblWorldId id, const void* buffer, size_t size)
{
    rblWorld* world = NULL;
    rblSnapshotHeader header;
    RBL_TRY(rbl_world_find(id, &world));
    RBL_TRY(check_snapshot(world, buffer, size, &header));
    if (!reserve_all(world, &header))
    {
        return rbl_fail_memory();
    }
    rblBroadPhase* broad = NULL;
    RBL_TRY(make_broad_phase(world, &header, buffer, &broad));
    release_bodies(world);
    take_world(world, &header, buffer);
    park_pairs(world);
    retain_bodies(world);
    clear_results(world);
    rbl_broad_phase_destroy(world->broad);
    world->broad = broad;
    RBL_NOTE_CALL(world, .code = RBL_CALL_RESTORE, .number = header.number);
    return RBL_OK;
}
