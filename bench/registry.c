// Every bench has its line here.
#include "bench/bench.h"

static const rblBenchEntry entries[] = {
    {"base", "parallel loops, sorting, hash map, numbers as text", rbl_bench_base},
    {"bvh", "trees of triangles: build, refit, rays, overlaps, beside Embree, FCL and Bullet", rbl_bench_bvh},
    {"picture", "ray-traced pictures of a million triangles and of many bodies", rbl_bench_picture},
    {"mesh", "inspect, repair, mass properties, simplify, isosurfaces", rbl_bench_mesh},
    {"shapes", "convex hulls and contacts of convex pairs", rbl_bench_shapes},
    {"broad", "the broad phase: piles, collapses, bursts, beside other structures", rbl_bench_broad},
    {"world", "the rigid world: closed forms, stacks and piles, beside Bullet and ODE", rbl_bench_world},
    {"prescored",
     "prescored fracture: cost of breaks, tiling, motion after a break, a table of balls, "
     "datasets",
     rbl_bench_prescored},
    {"tets", "breaking by stress: the scenes of Glondu 2012 beside Bullet, and the cost of a break",
     rbl_bench_tets},
    {"recording", "recordings, exports and frames of a pile: cost, size, kills", rbl_bench_recording},
    {"io", "reading and writing a million triangles in every format, beside Assimp", rbl_bench_io},
    {"bvh-quality", "surface area heuristic of the BVH beside LBVH and binned trees", rbl_bench_bvh_quality},
};

const rblBenchEntry* rbl_bench_entries(uint32_t* count)
{
    *count = (uint32_t)(sizeof entries / sizeof entries[0]);
    return entries;
}
