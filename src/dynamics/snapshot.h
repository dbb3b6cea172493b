// The header of a snapshot. After it: slots, motions, joints, pairs, contacts, the broad phase, breaks that are not reported
// yet, overlaps of sensors.
#ifndef RBL_DYNAMICS_SNAPSHOT_H
#define RBL_DYNAMICS_SNAPSHOT_H

#include "base/bytes.h"
#include "dynamics/world.h"

#define RBL_SNAPSHOT_MAGIC 0x31424c52u // "RLB1"

typedef struct rblSnapshotHeader
{
    uint32_t magic;
    uint32_t slots, generations, free_slots, alive;
    uint32_t joint_slots, joint_generations, joint_free_slots, joints_alive;
    uint32_t pairs, contacts;
    uint32_t last_sleep_group;
    uint32_t proxy_pairs; // number of pairs of the broad phase; they follow its proxies at the end
    uint64_t owner;       // serial of the world
    uint64_t number;      // of the snapshot, counted from 1
    uint32_t begun_stepping, bodies_destroyed, has_marks;
    rblVec3 gravity;
    rblEnergy energy;
    rblCounters counters;
    double total, pending_work;
    uint64_t substeps;
    uint32_t breaks, has_new_fragments;
    double vanished_mass;
    uint64_t vanished;
    uint32_t unreported, unreported_ids,
        unreported_mates; // breaks since the last step, their fragments and mates
    uint32_t sensed;      // overlaps of sensors
    uint32_t unused;      // no padding before the size
    uint64_t size;
} rblSnapshotHeader;

// The size in bytes of a snapshot with these counts.
uint64_t rbl_snapshot_size(const rblSnapshotHeader* header);

// Offsets of the arrays, in bytes.
typedef struct rblSnapshotLayout
{
    size_t ids, joint_ids, bodies, motions, joints, pairs, contacts, proxies, proxy_pairs, breaks, fragments,
        sensed;
} rblSnapshotLayout;

rblSnapshotLayout rbl_snapshot_layout(const rblSnapshotHeader* header);

// ---- images ----

// Shapes and breakers that an image refers to by number.
typedef struct rblImageTables
{
    const rblShape* const* shapes; // for writing
    const rblShapeId* ids;         // for reading: the same shapes, owned by the caller
    uint32_t shape_count;
    const rblBreaker* const* breakers;
    uint32_t breaker_count;
} rblImageTables;

// Write a snapshot that another process of the same build can read: shapes and breakers are numbers of the caller's tables,
// user data is omitted. Fails when the shape or the breaker of a body is not in the tables.
rblResult rbl_world_write_image(rblWorldId world, const rblImageTables* tables, rblByteSink* sink);

// Restore a world from an image. Every index is checked. When the image is invalid, the call fails and the world is unchanged.
rblResult rbl_world_read_image(rblWorldId world, const rblImageTables* tables, const void* bytes,
                               size_t size);

#endif
