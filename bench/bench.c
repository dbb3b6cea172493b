#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rblBench
{
    rblArena texts; // every text of the rows
    RBL_ARRAY(rblBenchRow) rows;
    RBL_ARRAY(const rblBenchEntry*) row_entries;
    const rblBenchEntry* running;
    rblBenchHooks hooks;
    const char* directory;
    bool quick;
    bool out_of_memory; // a row was lost: the run fails when it ends
};

static const char* keep_text(rblBench* bench, const char* text)
{
    if (text == NULL)
    {
        return NULL;
    }
    const size_t size = strlen(text) + 1;
    char* copy = rbl_arena_alloc(&bench->texts, size);
    if (copy == NULL)
    {
        bench->out_of_memory = true;
        return "";
    }
    return memcpy(copy, text, size);
}

rblResult rbl_bench_create(const char* directory, bool quick, const rblBenchHooks* hooks, rblBench** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblBench* bench = rbl_alloc_zero(allocator, sizeof *bench);
    if (bench == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_arena_init(&bench->texts, 4096, allocator);
    rbl_array_init(&bench->rows, allocator);
    rbl_array_init(&bench->row_entries, allocator);
    bench->quick = quick;
    bench->hooks = *hooks;
    bench->directory = keep_text(bench, directory);
    *out = bench;
    return RBL_OK;
}

void rbl_bench_destroy(rblBench* bench)
{
    if (bench == NULL)
    {
        return;
    }
    rbl_array_free(&bench->rows);
    rbl_array_free(&bench->row_entries);
    rbl_arena_free(&bench->texts);
    rbl_free(rbl_default_allocator(), bench, sizeof *bench);
}

rblResult rbl_bench_run(rblBench* bench, const rblBenchEntry* entry)
{
    bench->running = entry;
    const rblResult result = entry->run(bench);
    bench->running = NULL;
    return result == RBL_OK && bench->out_of_memory ? rbl_fail_memory() : result;
}

void rbl_bench_row(rblBench* bench, const rblBenchRow* row)
{
    rblBenchRow kept = *row;
    kept.subject = keep_text(bench, row->subject);
    kept.metric = keep_text(bench, row->metric);
    kept.unit = keep_text(bench, row->unit);
    kept.peer = keep_text(bench, row->peer);
    kept.peer_value = row->peer != NULL ? row->peer_value : (double)NAN;
    kept.paper = row->paper != 0.0 ? row->paper : (double)NAN;
    if (!rbl_array_push(&bench->row_entries, bench->running))
    {
        bench->out_of_memory = true;
    }
    else if (!rbl_array_push(&bench->rows, kept))
    {
        --bench->row_entries.count;
        bench->out_of_memory = true;
    }
}

const rblBenchRow* rbl_bench_rows(const rblBench* bench, uint32_t* count)
{
    *count = (uint32_t)bench->rows.count;
    return bench->rows.data;
}

const rblBenchEntry* rbl_bench_row_entry(const rblBench* bench, uint32_t row)
{
    return bench->row_entries.data[row];
}

void rbl_bench_note(rblBench* bench, const char* line)
{
    if (bench->hooks.note != NULL)
    {
        bench->hooks.note(line, bench->hooks.context);
    }
}

void rbl_bench_stage(rblBench* bench, const char* stage)
{
    if (bench->hooks.stage != NULL)
    {
        bench->hooks.stage(stage, bench->hooks.context);
    }
}

bool rbl_bench_quick(const rblBench* bench)
{
    return bench->quick;
}

uint32_t rbl_bench_size(const rblBench* bench, uint32_t full, uint32_t quick)
{
    return bench->quick ? quick : full;
}

const char* rbl_bench_directory(const rblBench* bench)
{
    return bench->directory;
}

static const char* directory_of(const char* variable, const char* otherwise)
{
    const char* directory = getenv(variable);
    return directory != NULL && directory[0] != '\0' ? directory : otherwise;
}

const char* rbl_bench_models(void)
{
    return directory_of("RUBBLE_MODELS", "../shared/models");
}

const char* rbl_bench_scenes(void)
{
    return directory_of("RUBBLE_SCENES", "scenes");
}

rblResult rbl_bench_best(rblBench* bench, rblBenchWorkFcn* work, void* context, double* seconds)
{
    double best = (double)INFINITY;
    double total = 0.0;
    const uint32_t least = bench->quick ? 1 : 3;
    const double budget = bench->quick ? 0.0 : 0.5;
    for (uint32_t run = 0; run < least || total < budget; ++run)
    {
        const double start = rbl_timer_seconds();
        RBL_TRY(work(context));
        const double taken = rbl_timer_seconds() - start;
        best = taken < best ? taken : best;
        // A clock too coarse to see the work must not make this endless.
        total += taken > 1e-6 ? taken : 1e-6;
    }
    *seconds = best;
    return RBL_OK;
}

double rbl_bench_ratio(const char* unit, double value, double other)
{
    const size_t length = strlen(unit);
    const bool rate = length >= 2 && strcmp(unit + length - 2, "/s") == 0;
    return rate ? value / other : other / value;
}

// The text after the colon of the first "model name" line, as Linux tells it; false elsewhere.
static bool read_processor_name(char* out, size_t size)
{
    FILE* file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
    {
        return false;
    }
    char line[256];
    bool found = false;
    while (!found && fgets(line, (int)sizeof line, file) != NULL)
    {
        const char* colon = strchr(line, ':');
        found = strncmp(line, "model name", 10) == 0 && colon != NULL;
        if (found)
        {
            const char* name = colon + 1 + strspn(colon + 1, " \t");
            snprintf(out, size, "%.*s", (int)strcspn(name, "\n"), name);
        }
    }
    fclose(file);
    return found && out[0] != '\0';
}

void rbl_bench_machine(char* out, size_t size)
{
    char name[160];
    if (!read_processor_name(name, sizeof name))
    {
        snprintf(name, sizeof name, "unknown processor");
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(out, size, "%s, %ld core%s", name, cores, cores == 1 ? "" : "s");
}
