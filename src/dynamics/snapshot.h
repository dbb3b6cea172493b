// How a snapshot begins, and what follows it: slots, motions, joints, pairs, contacts, the broad phase, breaks to tell of.
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
    uint32_t proxy_pairs; // of the broad phase; they follow its proxies at the end
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
    uint64_t size;
} rblSnapshotHeader;

// The size of a snapshot with these counts.
uint64_t rbl_snapshot_size(const rblSnapshotHeader* header);

// Where the arrays begin, in bytes.
typedef struct rblSnapshotLayout
{
    size_t ids, joint_ids, bodies, motions, joints, pairs, contacts, proxies, proxy_pairs, breaks, fragments;
} rblSnapshotLayout;

rblSnapshotLayout rbl_snapshot_layout(const rblSnapshotHeader* header);

// ---- images ----

// What is in images by its number.
typedef struct rblImageTables
{
    const rblShape* const* shapes; // to write one,
    const rblShapeId* ids;         // to read it: the same shapes, which stay the caller's
    uint32_t shape_count;
    const rblBreaker* const* breakers;
    uint32_t breaker_count;
} rblImageTables;

// A snapshot that another process of the same build can take in: shapes and breakers are numbers of the caller's tables, user
// data is left out. Fails when a body has one that is not in the tables.
rblResult rbl_world_write_image(rblWorldId world, const rblImageTables* tables, rblByteSink* sink);

// Make a world what it was when the image was written. Every index in it is checked; what is not possible is refused and
// the world is as before.
rblResult rbl_world_read_image(rblWorldId world, const rblImageTables* tables, const void* bytes,
                               size_t size);

#endif
