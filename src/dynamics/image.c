// Images: snapshots that another process can read. Pointers to shapes and breakers are replaced by numbers of tables.
//
// The arrays are copied as they are in memory, so only the build that wrote an image can read it: the first word contains
// version, sizes and byte order. An image comes from a file, so every index, kind and bool is checked before its use.
#include "base/hash_map.h"
#include "dynamics/broad_phase/broad_phase_pairs.h"
#include "dynamics/snapshot.h"
#include "dynamics/world_check.h"
#include "math/quat.h"
#include "rubble/version.h"
#include <stddef.h>

// A word that is different for builds with different structures.
static uint64_t layout_word(void)
{
    const uint64_t sizes[] = {5,
                              sizeof(rblSnapshotHeader),
                              sizeof(rblBody),
                              offsetof(rblBody, slow_debt),
                              offsetof(rblBody, sleep_group),
                              sizeof(rblBreakEvent),
                              sizeof(rblMate),
                              sizeof(rblMotion),
                              sizeof(rblJoint),
                              sizeof(rblPair),
                              sizeof(rblContact),
                              sizeof(rblProxyState),
                              sizeof(void*)};
    const char* version = rbl_version();
    return rbl_check64(rbl_check64(0, version, strlen(version)), sizes, sizeof sizes);
}

// A copy of a snapshot that can be changed.
typedef struct Image
{
    const rblAllocator* allocator;
    unsigned char* data;
    size_t size;
    rblSnapshotHeader header;
    rblSnapshotLayout at;
} Image;

static void image_free(Image* image)
{
    rbl_free(image->allocator, image->data, image->size);
}

static void get(const Image* image, size_t base, size_t index, void* out, size_t size)
{
    memcpy(out, image->data + base + index * size, size);
}

static void set(const Image* image, size_t base, size_t index, const void* value, size_t size)
{
    memcpy(image->data + base + index * size, value, size);
}

static uint32_t get_u32(const Image* image, size_t base, size_t index)
{
    uint32_t value;
    get(image, base, index, &value, sizeof value);
    return value;
}

// ---- writing ----

static rblResult number_shapes(const rblShape* const* shapes, uint32_t count, rblHashMap* numbers)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        bool added;
        if (rbl_hash_map_get_or_add(numbers, (uint64_t)(uintptr_t)shapes[i], i, &added) == NULL)
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// 1 + the index of the breaker in the table; 0: none.
static rblResult number_breaker(const rblBody* body, uint32_t slot, const rblImageTables* tables,
                                uint32_t* out)
{
    *out = 0;
    if (body->generation == 0 || body->breaker == NULL)
    {
        return RBL_OK;
    }
    for (uint32_t i = 0; i < tables->breaker_count; ++i)
    {
        if (tables->breakers[i] == body->breaker)
        {
            *out = i + 1;
            return RBL_OK;
        }
    }
    return rbl_fail(RBL_ERROR_UNSUPPORTED, "image: body %u has the breaker '%.100s', which cannot be stored",
                    slot + 1, rbl_breaker_def(body->breaker)->name);
}

// In an image, the shape handle of a body contains the numbers of its shape and its breaker.
static rblResult number_bodies(const Image* image, const rblHashMap* numbers, const rblImageTables* tables)
{
    for (uint32_t slot = 0; slot < image->header.slots; ++slot)
    {
        rblBody body;
        get(image, image->at.bodies, slot, &body, sizeof body);
        const uint32_t number = rbl_hash_map_find(numbers, (uint64_t)(uintptr_t)body.shape.shape);
        if (body.generation != 0 && number == RBL_MAP_EMPTY)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "image: the shape of body %u is not in the table", slot + 1);
        }
        uint32_t breaker = 0;
        RBL_TRY(number_breaker(&body, slot, tables, &breaker));
        body.shape_id = (rblShapeId){body.generation != 0 ? number + 1 : 0, breaker};
        body.breaker = NULL;
        body.prepared = NULL;
        body.user_data = NULL;
        body.shape_memory = NULL;
        memset(&body.shape, 0, sizeof body.shape);
        set(image, image->at.bodies, slot, &body, sizeof body);
    }
    return RBL_OK;
}

static void clear_joints(const Image* image)
{
    for (uint32_t slot = 0; slot < image->header.joint_slots; ++slot)
    {
        rblJoint joint;
        get(image, image->at.joints, slot, &joint, sizeof joint);
        joint.user_data = NULL;
        set(image, image->at.joints, slot, &joint, sizeof joint);
    }
}

static void clear_breaks(const Image* image)
{
    for (uint32_t i = 0; i < image->header.unreported; ++i)
    {
        rblBreakEvent event;
        get(image, image->at.breaks, i, &event, sizeof event);
        event.user_data = NULL;
        set(image, image->at.breaks, i, &event, sizeof event);
    }
}

static rblResult save(rblWorldId world, Image* image)
{
    RBL_TRY(rbl_world_save(world, NULL, 0, &image->size));
    image->data = rbl_alloc_zero(image->allocator, image->size);
    if (image->data == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(rbl_world_save(world, image->data, image->size, &image->size));
    memcpy(&image->header, image->data, sizeof image->header);
    image->at = rbl_snapshot_layout(&image->header);
    return RBL_OK;
}

rblResult rbl_world_write_image(rblWorldId world, const rblImageTables* tables, rblByteSink* sink)
{
    Image image = {.allocator = rbl_default_allocator()};
    rblHashMap numbers;
    rbl_hash_map_init(&numbers, image.allocator);
    rblResult result = number_shapes(tables->shapes, tables->shape_count, &numbers);
    result = result == RBL_OK ? save(world, &image) : result;
    result = result == RBL_OK ? number_bodies(&image, &numbers, tables) : result;
    if (result == RBL_OK)
    {
        clear_joints(&image);
        clear_breaks(&image);
        image.header.owner = 0; // the bytes must not depend on the number of earlier worlds
        memcpy(image.data, &image.header, sizeof image.header);
        rbl_put_u64(sink, layout_word());
        rbl_put_bytes(sink, image.data, image.size);
        result = sink->failed ? rbl_fail_memory() : RBL_OK;
    }
    rbl_hash_map_free(&numbers);
    image_free(&image);
    return result;
}

// ---- checks ----

static rblResult damaged(const char* what, uint32_t index)
{
    return rbl_fail(RBL_ERROR_FORMAT, "image of a world: %s %u is invalid", what, index);
}

// Bools are read as bytes, because another value than 0 and 1 must not be read as a bool.
static bool is_bool(const bool* value)
{
    unsigned char byte;
    memcpy(&byte, value, 1);
    return byte <= 1;
}

// Generations are odd while a slot is in use. Each free slot is listed once.
static rblResult check_ids(const Image* image, size_t base, uint32_t generations, uint32_t free_slots,
                           uint32_t alive)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < generations; ++i)
    {
        taken += get_u32(image, base, i) & 1;
    }
    uint8_t* seen = rbl_alloc_zero(image->allocator, (size_t)generations + 1);
    if (seen == NULL)
    {
        return rbl_fail_memory();
    }
    rblResult result = taken == alive ? RBL_OK : damaged("number of ids", alive);
    for (uint32_t i = 0; result == RBL_OK && i < free_slots; ++i)
    {
        const uint32_t slot = get_u32(image, base, (size_t)generations + i);
        const bool good = slot < generations && seen[slot] == 0 && get_u32(image, base, slot) % 2 == 0;
        result = good ? RBL_OK : damaged("free slot", i);
        seen[good ? slot : generations] = 1;
    }
    rbl_free(image->allocator, seen, (size_t)generations + 1);
    return result;
}

static bool is_finite(const float* numbers, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        if (!rbl_finite((double)numbers[i]))
        {
            return false;
        }
    }
    return true;
}

static bool is_pose(const rblTransform* pose)
{
    const float norm = rbl_quat_dot(pose->q, pose->q);
    return rbl_finite3(pose->p) && norm > 0.99f && norm < 1.01f;
}

// What the public structs of this version leave at 0.
static bool has_no_reserved(const rblBody* body)
{
    static const rblBody none;
    return body->filter.reserved == 0 &&
           memcmp(body->material.reserved, none.material.reserved, sizeof none.material.reserved) == 0 &&
           memcmp(body->anchor.reserved, none.anchor.reserved, sizeof none.anchor.reserved) == 0;
}

// Checks of the data of bodies with a breaker and of fragments.
static bool can_break(const rblBody* body, uint32_t breakers)
{
    return body->shape_id.generation <= breakers && is_bool(&body->owns_shape) && is_bool(&body->kept) &&
           is_bool(&body->is_prepared) && !(body->sensor && body->shape_id.generation > 0) &&
           (unsigned)body->anchor.kind < RBL_ANCHOR_KIND_COUNT && has_no_reserved(body) &&
           (body->anchor.kind != RBL_ANCHOR_BOX || is_finite(&body->anchor.box.lower.x, 6)) &&
           body->damage >= 0.0f && body->damage <= 1.0f && is_bool(&body->debris) && body->lifetime >= 0.0f &&
           rbl_finite((double)body->lifetime) && body->sibling_time >= 0.0f;
}

static bool is_body(const rblBody* body, const rblMotion* motion, uint32_t generation, uint32_t shapes)
{
    const rblTransform frame = rbl_motion_pose(motion);
    return body->generation == generation && generation % 2 == 1 && body->shape_id.index1 > 0 &&
           body->shape_id.index1 <= shapes && (unsigned)body->type < RBL_BODY_TYPE_COUNT &&
           is_bool(&body->awake) && is_bool(&body->rest.untried) && is_bool(&body->lost_neighbour) &&
           is_bool(&body->is_new) && is_bool(&body->sensor) && is_bool(&body->falls) &&
           is_bool(&body->is_new_fragment) && is_bool(&body->unbreakable_yet) &&
           is_pose(&body->shape_in_body) && is_pose(&body->previous) && is_pose(&frame) &&
           body->mass >= 0.0f && is_finite(&body->force.x, 3) && is_finite(&body->torque.x, 3) &&
           is_finite(&body->mass, 1) && is_finite(&body->gravity_scale, 1) &&
           is_finite(&body->material.density, 3) && is_finite(&motion->velocity.x, 3) &&
           is_finite(&motion->momentum.x, 3) && is_finite(&motion->spin.x, 3) &&
           is_finite(&motion->moments.x, 3) && motion->inverse_mass >= 0.0f &&
           is_finite(&motion->inverse_mass, 1);
}

static rblResult check_proxy(const Image* image, uint32_t slot, const rblBody* body)
{
    rblProxyState proxy;
    get(image, image->at.proxies, slot, &proxy, sizeof proxy);
    const bool exists = (proxy.flags & RBL_PROXY_EXISTS) != 0;
    const bool moving = (proxy.flags & RBL_PROXY_MOVING) != 0;
    const bool good = exists == (body->generation != 0) && proxy.flags < 2 * RBL_PROXY_MOVED &&
                      (!exists || moving == (body->type != RBL_BODY_STATIC));
    return good ? RBL_OK : damaged("proxy", slot);
}

static rblResult check_bodies(const Image* image, const rblImageTables* tables)
{
    const rblSnapshotHeader* header = &image->header;
    for (uint32_t slot = 0; slot < header->generations; ++slot)
    {
        const uint32_t generation = get_u32(image, image->at.ids, slot);
        rblBody body = {0};
        rblMotion motion = {0};
        if (slot < header->slots)
        {
            get(image, image->at.bodies, slot, &body, sizeof body);
            get(image, image->at.motions, slot, &motion, sizeof motion);
            RBL_TRY(check_proxy(image, slot, &body));
        }
        const bool good = body.generation == 0 ? generation % 2 == 0
                                               : is_body(&body, &motion, generation, tables->shape_count) &&
                                                     can_break(&body, tables->breaker_count);
        RBL_TRY(good ? RBL_OK : damaged("body", slot));
    }
    return RBL_OK;
}

static bool is_taken(const Image* image, uint32_t slot)
{
    return slot < image->header.slots && get_u32(image, image->at.ids, slot) % 2 == 1;
}

static bool is_good_axis(const rblJointAxis* axis)
{
    return axis->lower <= axis->upper && axis->lower < INFINITY && axis->upper > -INFINITY &&
           rbl_finite(axis->travel) && rbl_finite(axis->impulse);
}

static rblResult check_joints(const Image* image)
{
    const rblSnapshotHeader* header = &image->header;
    for (uint32_t slot = 0; slot < header->joint_generations; ++slot)
    {
        const uint32_t generation = get_u32(image, image->at.joint_ids, slot);
        rblJoint joint = {0};
        if (slot < header->joint_slots)
        {
            get(image, image->at.joints, slot, &joint, sizeof joint);
        }
        const bool good = joint.generation == 0
                              ? generation % 2 == 0
                              : joint.generation == generation &&
                                    (unsigned)joint.kind < RBL_JOINT_KIND_COUNT && is_taken(image, joint.a) &&
                                    joint.a != joint.b && (joint.b == RBL_NONE || is_taken(image, joint.b)) &&
                                    is_bool(&joint.collide) && is_finite(&joint.anchor_a.x, 3) &&
                                    is_finite(&joint.anchor_b.x, 3) && is_finite(&joint.axis_a.x, 3) &&
                                    is_finite(&joint.motor_speed, 2) && is_good_axis(&joint.axes[0]) &&
                                    is_good_axis(&joint.axes[1]);
        RBL_TRY(good ? RBL_OK : damaged("joint", slot));
    }
    return RBL_OK;
}

// The number of joints of a body is decremented when a joint is removed, so it must be right.
static rblResult check_joint_counts(const Image* image)
{
    const rblSnapshotHeader* header = &image->header;
    uint32_t* counts = rbl_alloc_zero(image->allocator, sizeof(uint32_t) * ((size_t)header->slots + 1));
    if (counts == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < header->joint_slots; ++i)
    {
        rblJoint joint;
        get(image, image->at.joints, i, &joint, sizeof joint);
        if (joint.generation != 0)
        {
            counts[joint.a] += 1;
            counts[joint.b == RBL_NONE ? header->slots : joint.b] += 1;
        }
    }
    rblResult result = RBL_OK;
    for (uint32_t slot = 0; result == RBL_OK && slot < header->slots; ++slot)
    {
        rblBody body;
        get(image, image->at.bodies, slot, &body, sizeof body);
        result = body.joint_count == counts[slot] ? RBL_OK : damaged("number of joints of body", slot);
    }
    rbl_free(image->allocator, counts, sizeof(uint32_t) * ((size_t)header->slots + 1));
    return result;
}

// Pairs of a body that was destroyed since the last step, and whose slot may have a new body, end in the next step.
static bool is_partner(const Image* image, uint32_t slot, uint32_t generation)
{
    rblProxyState proxy;
    if (slot >= image->header.slots)
    {
        return false;
    }
    get(image, image->at.proxies, slot, &proxy, sizeof proxy);
    return (proxy.flags & RBL_PROXY_REMOVED) != 0 ||
           ((proxy.flags & RBL_PROXY_EXISTS) != 0 && get_u32(image, image->at.ids, slot) == generation);
}

// The pairs of the world must be those of the broad phase, sorted.
static rblResult check_pairs(const Image* image)
{
    const rblSnapshotHeader* header = &image->header;
    rblProxyPair last = {0, 0};
    for (uint32_t i = 0; i < header->pairs; ++i)
    {
        rblPair pair;
        rblProxyPair proxies;
        get(image, image->at.pairs, i, &pair, sizeof pair);
        get(image, image->at.proxy_pairs, i, &proxies, sizeof proxies);
        const bool rises = pair.a > last.a || (pair.a == last.a && pair.b > last.b);
        const bool good = pair.a == proxies.a && pair.b == proxies.b && pair.a < pair.b &&
                          pair.generation_a != 0 && pair.generation_b != 0 &&
                          is_partner(image, pair.a, pair.generation_a) &&
                          is_partner(image, pair.b, pair.generation_b) && (rises || i == 0) &&
                          pair.first <= header->contacts && pair.count <= header->contacts - pair.first &&
                          pair.leading <= pair.count && is_bool(&pair.touching) && is_bool(&pair.fast) &&
                          is_bool(&pair.siblings) && is_bool(&pair.looked);
        RBL_TRY(good ? RBL_OK : damaged("pair", i));
        last = proxies;
    }
    return RBL_OK;
}

// The lists of fragments and mates must have the lengths that the breaks state.
static rblResult check_breaks(const Image* image)
{
    const rblSnapshotHeader* header = &image->header;
    const size_t mates = image->at.fragments + sizeof(rblBodyId) * header->unreported_ids;
    uint64_t fragment = 0;
    uint64_t mate = 0;
    for (uint32_t i = 0; i < header->unreported; ++i)
    {
        rblBreakEvent event;
        get(image, image->at.breaks, i, &event, sizeof event);
        fragment += event.fragment_count;
        const uint64_t end = mate + event.mate_count;
        RBL_TRY(end <= header->unreported_mates ? RBL_OK : damaged("break", i));
        for (; mate < end; ++mate)
        {
            rblMate m;
            get(image, mates, (size_t)mate, &m, sizeof m);
            RBL_TRY(m.piece_a < event.fragment_count && m.piece_b < event.fragment_count
                        ? RBL_OK
                        : damaged("break", i));
        }
    }
    return fragment == header->unreported_ids && mate == header->unreported_mates
               ? RBL_OK
               : damaged("number of fragments", header->unreported_ids);
}

// Overlaps only end when their slots have other bodies, but must be sorted, and of slots that exist.
static rblResult check_sensed(const Image* image)
{
    rblSensed last = {0};
    for (uint32_t i = 0; i < image->header.sensed; ++i)
    {
        rblSensed sensed;
        get(image, image->at.sensed, i, &sensed, sizeof sensed);
        const bool after = i == 0 || last.sensor < sensed.sensor ||
                           (last.sensor == sensed.sensor && last.body < sensed.body);
        const bool good = after && sensed.sensor < image->header.slots && sensed.body < image->header.slots;
        RBL_TRY(good ? RBL_OK : damaged("overlap of a sensor", i));
        last = sensed;
    }
    return RBL_OK;
}

static rblResult check_counts(const Image* image)
{
    const rblSnapshotHeader* header = &image->header;
    const bool good = header->magic == RBL_SNAPSHOT_MAGIC && header->size == image->size &&
                      rbl_snapshot_size(header) == image->size && header->slots <= header->generations &&
                      header->joint_slots <= header->joint_generations &&
                      header->pairs == header->proxy_pairs && rbl_finite3(header->gravity);
    return good ? RBL_OK : rbl_fail(RBL_ERROR_FORMAT, "image of a world: the header is invalid");
}

static rblResult check_image(const Image* image, const rblImageTables* tables)
{
    const rblSnapshotHeader* header = &image->header;
    RBL_TRY(check_ids(image, image->at.ids, header->generations, header->free_slots, header->alive));
    RBL_TRY(check_ids(image, image->at.joint_ids, header->joint_generations, header->joint_free_slots,
                      header->joints_alive));
    RBL_TRY(check_bodies(image, tables));
    RBL_TRY(check_joints(image));
    RBL_TRY(check_joint_counts(image));
    RBL_TRY(check_pairs(image));
    RBL_TRY(check_breaks(image));
    return check_sensed(image);
}

// ---- reading ----

static rblResult attach_bodies(const Image* image, const rblImageTables* tables)
{
    for (uint32_t slot = 0; slot < image->header.slots; ++slot)
    {
        rblBody body;
        get(image, image->at.bodies, slot, &body, sizeof body);
        memset(&body.shape, 0, sizeof body.shape);
        body.user_data = NULL;
        body.shape_memory = NULL;
        body.breaker = NULL;
        body.prepared = NULL;
        body.is_prepared = body.owns_shape = body.kept = false;
        if (body.generation != 0)
        {
            const rblShapeId numbers = body.shape_id;
            body.breaker = numbers.generation > 0 ? tables->breakers[numbers.generation - 1] : NULL;
            body.shape_id = tables->ids[numbers.index1 - 1];
            RBL_TRY(rbl_shape_view(body.shape_id, &body.shape));
            body.shape_memory = rbl_shape_memory(&body.shape);
            if (!body.shape.bounded && body.type != RBL_BODY_STATIC)
            {
                return damaged("body", slot);
            }
        }
        set(image, image->at.bodies, slot, &body, sizeof body);
    }
    return RBL_OK;
}

static rblResult restore_as(rblWorldId id, Image* image, rblWorld** world)
{
    RBL_TRY(rbl_world_find(id, world));
    image->header.owner = (*world)->serial;
    memcpy(image->data, &image->header, sizeof image->header);
    return rbl_world_restore(id, image->data, image->size);
}

// Some invariants need the whole state. A world of its own is restored for them, so that a wrong image changes nothing.
static rblResult try_restore(Image* image)
{
    const rblWorldDef def = rbl_default_world_def();
    rblWorldId id;
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_create(&def, &id));
    rblResult result = restore_as(id, image, &world);
    if (result == RBL_OK)
    {
        result = rbl_world_check(world, RBL_CHECK_STATE | RBL_CHECK_CONTACTS | RBL_CHECK_IMPULSES);
    }
    const rblResult destroyed = rbl_world_destroy(id);
    return result != RBL_OK ? result : destroyed;
}

static rblResult restore(rblWorldId id, Image* image, const rblImageTables* tables)
{
    rblWorld* world = NULL;
    memcpy(&image->header, image->data, sizeof image->header);
    RBL_TRY(check_counts(image));
    image->at = rbl_snapshot_layout(&image->header);
    RBL_TRY(check_image(image, tables));
    RBL_TRY(attach_bodies(image, tables));
    clear_joints(image);
    RBL_TRY(try_restore(image));
    return restore_as(id, image, &world);
}

rblResult rbl_world_read_image(rblWorldId world, const rblImageTables* tables, const void* bytes, size_t size)
{
    rblByteSource source = {.data = bytes, .size = size};
    const uint64_t word = rbl_take_u64(&source);
    if (source.failed || size - source.at < sizeof(rblSnapshotHeader))
    {
        return rbl_fail(RBL_ERROR_FORMAT, "image of a world: %zu bytes are less than a header", size);
    }
    if (word != layout_word())
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED,
                        "image of a world: it was written by another build of Rubble (%016llx), and this is "
                        "%016llx, Rubble %s; only the build that wrote an image can read it",
                        (unsigned long long)word, (unsigned long long)layout_word(), rbl_version());
    }
    Image image = {.allocator = rbl_default_allocator(), .size = size - source.at};
    image.data = rbl_alloc(image.allocator, image.size);
    if (image.data == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(image.data, source.data + source.at, image.size);
    const rblResult result = restore(world, &image, tables);
    image_free(&image);
    return result;
}
