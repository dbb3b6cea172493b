// The ground floor.
#include "bench/bench.h"

#include "base/error.h"
#include "base/jobs.h"

static void nothing(rblRange range, void* context)
{
    (void)range;
    (void)context;
}

static rblResult run_empty_loops(void* context)
{
    const uint32_t loops = *(const uint32_t*)context;
    for (uint32_t i = 0; i < loops; ++i)
    {
        rbl_parallel_for(rbl_default_jobs(), RBL_MAX_BLOCKS, 1, nothing, NULL);
    }
    return RBL_OK;
}

rblResult rbl_bench_base(rblBench* bench)
{
    uint32_t loops = rbl_bench_size(bench, 1000, 10);
    double seconds;
    rbl_bench_stage(bench, "parallel loops");
    RBL_TRY(rbl_bench_best(bench, run_empty_loops, &loops, &seconds));
    rbl_bench_row(bench, &(rblBenchRow){.subject = "parallel loop of 128 empty blocks",
                                        .metric = "overhead",
                                        .value = 1e6 * seconds / loops,
                                        .unit = "us"});
    return RBL_OK;
}
