// The rigid world: closed forms, stacks, piles of stones and of statues, beside Bullet and ODE.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void rbl_world_row(rblWorldBench* bench, const rblWorldRuns* runs, const rblWorldRow* row)
{
    char metric[128];
    snprintf(metric, sizeof metric, row->mark_by != NULL ? "%s [%s]" : "%s", row->metric, row->mark_by);
    rblBenchRow line = {.subject = row->subject,
                        .metric = metric,
                        .value = row->figure(runs, &runs->ours, row->context),
                        .unit = row->unit,
                        .paper = row->mark};
    bool reported = false;
    for (int i = 0; i < RBL_WORLD_PEERS; ++i)
    {
        if (runs->ran[i])
        {
            line.peer = runs->theirs[i].engine;
            line.peer_value = row->figure(runs, &runs->theirs[i], row->context);
            rbl_bench_row(bench->bench, &line);
            reported = true;
        }
    }
    if (!reported)
    {
        rbl_bench_row(bench->bench, &line);
    }
}

void rbl_world_fact(rblWorldBench* bench, const char* subject, const char* metric, double value,
                    const char* unit)
{
    rbl_bench_row(bench->bench,
                  &(rblBenchRow){.subject = subject, .metric = metric, .value = value, .unit = unit});
}

rblResult rbl_world_bench_open(rblWorldBench* bench)
{
    const char* parent = getenv("TMPDIR");
    snprintf(bench->folder, sizeof bench->folder, "%s/rubble-bench-XXXXXX",
             parent != NULL && strlen(parent) < 200 && parent[0] != '\0' ? parent : "/tmp");
    if (mkdtemp(bench->folder) == NULL)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: cannot be made, set TMPDIR to a folder with 50 MB of free space",
                        bench->folder);
    }
    rbl_world_find_peers(bench);
    return RBL_OK;
}

rblResult rbl_bench_world(rblBench* bench)
{
    static rblResult (*const parts[])(rblWorldBench*) = {
        rbl_bench_world_spin,       rbl_bench_world_shards,    rbl_bench_world_blocks,
        rbl_bench_world_collisions, rbl_bench_world_compounds, rbl_bench_world_joints,
        rbl_bench_world_fields,     rbl_bench_world_terrain,   rbl_bench_world_threads,
        rbl_bench_world_piles,      rbl_bench_world_sleepers,  rbl_bench_world_crowds};
    rblWorldBench whole = {.bench = bench};
    rblResult result = rbl_world_bench_open(&whole);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && result == RBL_OK; ++i)
    {
        result = parts[i](&whole);
    }
    rmdir(whole.folder);
    return result;
}
