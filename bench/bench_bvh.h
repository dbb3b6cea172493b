// What the parts of `rubble bench bvh` share: one and two workers, the peers, the files they read, and rows.
#ifndef RBL_BENCH_BENCH_BVH_H
#define RBL_BENCH_BENCH_BVH_H

#include "base/jobs.h"
#include "bench/bench_meshes.h"
#include "bench/peer.h"
#include "bvh/bvh.h"

#define RBL_BVH_BENCH_THREADS 2 // every figure with 1 and with 2

typedef struct rblBvhBench
{
    rblBench* bench;
    rblJobs* jobs[RBL_BVH_BENCH_THREADS];
    double bandwidth[RBL_BVH_BENCH_THREADS]; // bytes a second, read and written
    char folder[256];                        // for the files that peers read
    char peers[128];                         // that were found, a name a line
    rblPeerFigures figures;                  // what the peers said last
    double noted_counts[2];                  // ours and a peer's that a note has told apart
} rblBvhBench;

// The shortest of several runs, in seconds, as rbl_bench_best() but of a shorter patience: there are many rows. Of a run
// the smaller of the time that passed and the time of the processors counts, which on a busy machine is that of one
// thread; rubble-peers does the same.
rblResult rbl_bvh_bench_best(rblBvhBench* bench, rblBenchWorkFcn* work, void* context, double* seconds);

// Write what peers read into the bench's folder. `slot` 0 or 1 is the mesh, 2 the table.
rblResult rbl_bvh_bench_write_mesh(rblBvhBench* bench, uint32_t slot, const rblBenchMesh* mesh);
rblResult rbl_bvh_bench_write_table(rblBvhBench* bench, const float* values, uint32_t rows, uint32_t columns);

// Have every peer, or only one, do `task` on the mesh of slot 0 and, unless it is 0, what lies in slot `second`. Their
// figures replace those of the last task.
void rbl_bvh_bench_ask(rblBvhBench* bench, const char* only, const char* task, uint32_t second);

typedef struct rblBvhRow
{
    const char* subject;
    const char* metric; // "build, fast"; the thread count is added
    uint32_t threads;   // 1 or 2; 0: it does not matter
    double value;
    const char* unit;
    const char*
        peer_metrics[2]; // which figures of the peers to put beside it, without the thread count; may be null
    double amount;       // for rates: what the peers did in their milliseconds, in the unit; otherwise 0
    double count;        // what was found, to be compared with the peers' counts; 0: not compared
    double tolerance;    // by how much of it they may differ without a note
    double paper;
} rblBvhRow;

// One row for every peer that has such a figure, or one without a peer. Notes counts that disagree.
void rbl_bvh_bench_row(rblBvhBench* bench, const rblBvhRow* row);

// The parts.
rblResult rbl_bench_bvh_build(rblBvhBench* bench);
rblResult rbl_bench_bvh_construction(rblBvhBench* bench);
rblResult rbl_bench_bvh_scenes(rblBvhBench* bench);
rblResult rbl_bench_bvh_rays(rblBvhBench* bench);
rblResult rbl_bench_bvh_points(rblBvhBench* bench);
rblResult rbl_bench_bvh_overlap(rblBvhBench* bench);
rblResult rbl_bench_bvh_picture(rblBvhBench* bench);

#endif
