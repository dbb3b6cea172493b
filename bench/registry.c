// Every bench has its line here.
#include "bench/bench.h"

static const rblBenchEntry entries[] = {
    {"base", "the ground floor: parallel loops, sorting, hash map, numbers as text", rbl_bench_base},
    {"mesh", "inspect, repair, mass properties, simplify, isosurfaces", rbl_bench_mesh},
    {"shapes", "convex hulls and contacts of convex pairs", rbl_bench_shapes},
    {"broad", "which boxes overlap: piles, collapses, bursts, beside other structures", rbl_bench_broad},
    {"io", "reading and writing a million triangles in every format, beside Assimp", rbl_bench_io},
};

const rblBenchEntry* rbl_bench_entries(uint32_t* count)
{
    *count = (uint32_t)(sizeof entries / sizeof entries[0]);
    return entries;
}
