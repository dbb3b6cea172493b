// Peers are measured by a program of their own, rubble-peers, which lies beside the tool when it was built. So the tool
// needs none of their libraries, and a peer that crashes or leaks harms nobody.
#ifndef RBL_BENCH_PEER_H
#define RBL_BENCH_PEER_H

#include "bench/bench.h"

typedef struct rblPeerTime
{
    char name[64];       // with its version
    double milliseconds; // the best run
    double count;        // of what it was asked to make: triangles, ...
} rblPeerTime;

// Run `rubble-peers` with these arguments (the last one followed by null). False when it is not there, fails, or says
// something else than one line {"peer": NAME, "milliseconds": N, "count": N}; a note then says so.
bool rbl_bench_peer(rblBench* bench, const char* const* arguments, rblPeerTime* out);

#endif
