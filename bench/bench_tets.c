// Fracturable tetrahedra: the five scenes of Glondu 2012, and what their parts cost and are worth.
#include "bench/bench_tets.h"

#include "base/error.h"
#include <unistd.h>

void rbl_tets_bench_row(rblBench* bench, const char* subject, const char* metric, double value,
                        const char* unit, double paper)
{
    rbl_bench_row(
        bench,
        &(rblBenchRow){.subject = subject, .metric = metric, .value = value, .unit = unit, .paper = paper});
}

double rbl_tets_bench_median(double* values, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const double value = values[i];
        uint32_t at = i;
        for (; at > 0 && values[at - 1] > value; --at)
        {
            values[at] = values[at - 1];
        }
        values[at] = value;
    }
    return count > 0 ? values[count / 2] : 0.0;
}

rblResult rbl_bench_tets(rblBench* bench)
{
    rblWorldBench with_peers = {.bench = bench};
    RBL_TRY(rbl_world_bench_open(&with_peers));
    const rblResult result = rbl_bench_tets_scenes(&with_peers);
    rmdir(with_peers.folder);
    RBL_TRY(result);
    RBL_TRY(rbl_bench_tets_anew(bench));
    RBL_TRY(rbl_bench_tets_sphere(bench));
    RBL_TRY(rbl_bench_tets_solids(bench));
    RBL_TRY(rbl_bench_tets_field(bench));
    return rbl_bench_tets_elastic(bench);
}
