// Peers are measured by a program of their own, rubble-peers, which lies beside the tool when it was built. So the tool
// needs none of their libraries, and a peer that crashes or leaks harms nobody.
#ifndef RBL_BENCH_PEER_H
#define RBL_BENCH_PEER_H

#include "base/array.h"
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

// One of several figures of a peer.
typedef struct rblPeerFigure
{
    char name[64];   // of the peer, with its version
    char metric[64]; // "build low 2T"
    double value;    // milliseconds, or what the metric says
    double count;    // of what it found, to be compared with ours
} rblPeerFigure;

typedef RBL_ARRAY(rblPeerFigure) rblPeerFigures;

// Which peers `rubble-peers` was built with, a name a line; empty when it is not there.
void rbl_bench_list_peers(rblBench* bench, char* out, size_t size);

// Run `rubble-peers` with these arguments and append a figure for every line {"peer": NAME, "metric": TEXT, "value": N,
// "count": N}. When it ends badly, a note says so and what it said before counts.
void rbl_bench_peer_figures(rblBench* bench, const char* const* arguments, rblPeerFigures* out);

#endif
