#include "scene/run/statistics.h"

#include "base/error.h"
#include "io/file.h"
#include "math/vec.h"
#include "rubble/json.h"
#include "rubble/version.h"
#include <stdio.h>

void rbl_statistics_init(rblStatistics* statistics, const rblAllocator* allocator)
{
    rbl_array_init(&statistics->steps, allocator);
    rbl_array_init(&statistics->events, allocator);
    statistics->hash = 0;
}

void rbl_statistics_free(rblStatistics* statistics)
{
    rbl_array_free(&statistics->steps);
    rbl_array_free(&statistics->events);
}

// Impacts and drift correction count as solver; sleeping and the preparation of contacts count as update.
static rblStageTimes stage_times(const rblProfile* p)
{
    return (rblStageTimes){.total = (double)p->total,
                           .broad = (double)p->broad,
                           .narrow = (double)p->narrow,
                           .solve = (double)p->impact + (double)p->solve + (double)p->drift,
                           .integrate = (double)p->integrate,
                           .fracture = (double)p->fracture,
                           .update = (double)p->update + (double)p->sleep};
}

rblResult rbl_statistics_record(rblStatistics* statistics, rblWorldId world, double time)
{
    rblStepRecord record = {.time = time};
    rblProfile profile;
    RBL_TRY(rbl_world_counters(world, &record.counters));
    RBL_TRY(rbl_world_energy(world, &record.energy));
    RBL_TRY(rbl_world_profile(world, &profile));
    RBL_TRY(rbl_world_hash(world, &record.hash));
    record.times = stage_times(&profile);
    statistics->hash = record.hash;
    return rbl_array_push(&statistics->steps, record) ? RBL_OK : rbl_fail_memory();
}

// ---- JSON ----

static void put_number(rblJsonWriter* json, const char* key, double value)
{
    rbl_json_key(json, key);
    rbl_json_number(json, value);
}

static void put_count(rblJsonWriter* json, const char* key, uint64_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static void put_vector(rblJsonWriter* json, const char* key, const double values[3])
{
    rbl_json_key(json, key);
    rbl_json_begin_row(json);
    for (int i = 0; i < 3; ++i)
    {
        rbl_json_number(json, values[i]);
    }
    rbl_json_end_array(json);
}

static void put_times(rblJsonWriter* json, const rblStageTimes* times)
{
    rbl_json_key(json, "ms");
    rbl_json_begin_object(json);
    put_number(json, "total", times->total);
    put_number(json, "broad", times->broad);
    put_number(json, "narrow", times->narrow);
    put_number(json, "solve", times->solve);
    put_number(json, "integrate", times->integrate);
    put_number(json, "fracture", times->fracture);
    put_number(json, "update", times->update);
    rbl_json_end_object(json);
}

static void put_step(rblJsonWriter* json, const rblStepRecord* step)
{
    rbl_json_begin_object(json);
    put_number(json, "t", step->time);
    put_count(json, "bodies", step->counters.bodies);
    put_count(json, "fragments", step->counters.fragments);
    put_count(json, "awake", step->counters.awake);
    put_count(json, "pairs", step->counters.pairs);
    put_count(json, "contacts", step->counters.contacts);
    put_count(json, "colliding", step->counters.colliding);
    put_number(json, "kinetic", step->energy.kinetic);
    put_number(json, "potential", step->energy.potential);
    put_number(json, "work", step->energy.work);
    put_number(json, "dissipated", step->energy.dissipated);
    put_vector(json, "momentum", step->energy.momentum);
    put_vector(json, "angularMomentum", step->energy.angular_momentum);
    put_times(json, &step->times);
    rbl_json_end_object(json);
}

static void put_event(rblJsonWriter* json, const rblEventRecord* event)
{
    rbl_json_begin_object(json);
    put_number(json, "t", event->time);
    rbl_json_key(json, "type");
    rbl_json_string(json, event->type);
    rbl_json_key(json, "body");
    rbl_json_string(json, event->body);
    put_count(json, "pieces", event->pieces);
    put_number(json, "impulse", event->impulse);
    put_number(json, "surfaceEnergy", event->surface_energy);
    put_number(json, "elasticEnergy", event->elastic_energy);
    put_number(json, "heat", event->heat);
    rbl_json_end_object(json);
}

// The largest mass error of all breaks.
static double mass_error(const rblStatistics* statistics)
{
    double worst = 0.0;
    for (size_t i = 0; i < statistics->events.count; ++i)
    {
        worst = rbl_maxd(worst, statistics->events.data[i].mass_error);
    }
    return worst;
}

static void put_totals(rblJsonWriter* json, const rblStatistics* statistics)
{
    char hash[17];
    snprintf(hash, sizeof hash, "%08lx%08lx", (unsigned long)(statistics->hash >> 32),
             (unsigned long)(statistics->hash & 0xFFFFFFFFu));
    rbl_json_key(json, "hash");
    rbl_json_string(json, hash);
    put_number(json, "massError", mass_error(statistics));
    put_count(json, "peakBytes", rbl_peak_bytes());
}

static void put_all(rblJsonWriter* json, const rblStatistics* statistics, const char* scene)
{
    rbl_json_begin_object(json);
    rbl_json_key(json, "scene");
    rbl_json_string(json, scene);
    rbl_json_key(json, "version");
    rbl_json_string(json, rbl_version());
    put_count(json, "threads", rbl_worker_count());
    rbl_json_key(json, "portable");
    rbl_json_bool(json, true);
    rbl_json_key(json, "steps");
    rbl_json_begin_array(json);
    for (size_t i = 0; i < statistics->steps.count; ++i)
    {
        put_step(json, &statistics->steps.data[i]);
    }
    rbl_json_end_array(json);
    rbl_json_key(json, "events");
    rbl_json_begin_array(json);
    for (size_t i = 0; i < statistics->events.count; ++i)
    {
        put_event(json, &statistics->events.data[i]);
    }
    rbl_json_end_array(json);
    put_totals(json, statistics);
    rbl_json_end_object(json);
}

rblResult rbl_statistics_write(const rblStatistics* statistics, const char* scene, const char* path)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblJsonWriter json;
    rblWriter writer;
    rbl_json_writer_init(&json, 1, allocator);
    put_all(&json, statistics, scene);
    rblResult result = rbl_json_writer_finish(&json);
    result = result == RBL_OK ? rbl_writer_open(&writer, path, allocator) : result;
    if (result == RBL_OK)
    {
        rbl_write_bytes(&writer, json.text, json.size);
        result = rbl_writer_close(&writer);
    }
    rbl_json_writer_free(&json);
    return result;
}

// ---- summary ----

static void add_times(rblStageTimes* mean, rblStageTimes* worst, const rblStageTimes* times, double weight)
{
    double* m = &mean->total;
    double* w = &worst->total;
    const double* t = &times->total;
    for (size_t i = 0; i < sizeof *times / sizeof(double); ++i)
    {
        m[i] += weight * t[i];
        w[i] = rbl_maxd(w[i], t[i]);
    }
}

rblRunSummary rbl_statistics_summary(const rblStatistics* statistics)
{
    rblRunSummary s = {0};
    double start = 0.0;
    double last = 0.0;
    for (size_t i = 0; i < statistics->steps.count; ++i)
    {
        const rblStepRecord* step = &statistics->steps.data[i];
        const rblEnergy* energy = &step->energy;
        s.work += i > 0 ? energy->work : 0.0;
        s.dissipated += i > 0 ? energy->dissipated : 0.0;
        const double total = energy->kinetic + energy->potential - s.work;
        start = i == 0 ? total : start;
        last = i == 0 ? total : last;
        s.worst_rise = rbl_maxd(s.worst_rise, total - last);
        s.total_rise = rbl_maxd(s.total_rise, total - start);
        last = total;
        s.kinetic_max = rbl_maxd(s.kinetic_max, energy->kinetic);
        s.potential_min = i == 0 ? energy->potential : rbl_mind(s.potential_min, energy->potential);
        s.potential_max = i == 0 ? energy->potential : rbl_maxd(s.potential_max, energy->potential);
        s.contacts_max = step->counters.contacts > s.contacts_max ? step->counters.contacts : s.contacts_max;
        s.clamped += i > 0 ? energy->clamped : 0.0;
        s.clamp_count += i > 0 ? energy->clamp_count : 0;
        s.frozen = step->counters.frozen;
        if (i > 0)
        {
            add_times(&s.mean, &s.worst, &step->times, 1.0 / (double)(statistics->steps.count - 1));
        }
    }
    s.scale = s.kinetic_max + s.potential_max - s.potential_min;
    return s;
}
