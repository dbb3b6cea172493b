// Statistics from the JSON that rbl_statistics_write() writes.
#include "io/file.h"
#include "io/json/json.h"
#include "scene/run/statistics.h"
#include <string.h>

#define MAX_BYTES ((size_t)1 << 31)

static rblResult get_number(rblJson object, const char* key, double* out)
{
    rblJson value;
    RBL_TRY(rbl_json_require(object, key, &value));
    return rbl_json_get_number(value, out);
}

static rblResult get_count(rblJson object, const char* key, uint32_t* out)
{
    rblJson value;
    RBL_TRY(rbl_json_require(object, key, &value));
    return rbl_json_get_u32(value, out);
}

static rblResult read_vector(rblJson object, const char* key, double out[3])
{
    rblJson value;
    RBL_TRY(rbl_json_require(object, key, &value));
    return rbl_json_get_numbers(value, out, 3);
}

static rblResult read_times(rblJson step, rblStageTimes* out)
{
    rblJson times;
    RBL_TRY(rbl_json_require(step, "ms", &times));
    RBL_TRY(get_number(times, "total", &out->total));
    RBL_TRY(get_number(times, "broad", &out->broad));
    RBL_TRY(get_number(times, "narrow", &out->narrow));
    RBL_TRY(get_number(times, "solve", &out->solve));
    RBL_TRY(get_number(times, "integrate", &out->integrate));
    RBL_TRY(get_number(times, "fracture", &out->fracture));
    return get_number(times, "update", &out->update);
}

static rblResult read_step(rblJson step, rblStepRecord* out)
{
    RBL_TRY(get_number(step, "t", &out->time));
    RBL_TRY(get_count(step, "bodies", &out->counters.bodies));
    RBL_TRY(rbl_json_optional_u32(step, "fragments", &out->counters.fragments));
    RBL_TRY(get_count(step, "awake", &out->counters.awake));
    RBL_TRY(get_count(step, "pairs", &out->counters.pairs));
    RBL_TRY(get_count(step, "contacts", &out->counters.contacts));
    RBL_TRY(get_count(step, "colliding", &out->counters.colliding));
    RBL_TRY(get_number(step, "kinetic", &out->energy.kinetic));
    RBL_TRY(get_number(step, "potential", &out->energy.potential));
    RBL_TRY(get_number(step, "work", &out->energy.work));
    RBL_TRY(get_number(step, "dissipated", &out->energy.dissipated));
    RBL_TRY(read_vector(step, "momentum", out->energy.momentum));
    RBL_TRY(read_vector(step, "angularMomentum", out->energy.angular_momentum));
    return read_times(step, &out->times);
}

static rblResult read_steps(rblJson root, rblStatistics* out)
{
    rblJson steps;
    RBL_TRY(rbl_json_require(root, "steps", &steps));
    RBL_TRY(rbl_json_expect(steps, RBL_JSON_ARRAY));
    double last = 0.0;
    for (uint32_t i = 0; i < rbl_json_count(steps); ++i)
    {
        rblStepRecord record = {0};
        const rblJson step = rbl_json_item(steps, i);
        RBL_TRY(read_step(step, &record));
        if (i > 0 && !(record.time > last))
        {
            return rbl_json_fail(rbl_json_find(step, "t"), RBL_ERROR_FORMAT,
                                 "time must rise from step to step");
        }
        last = record.time;
        if (!rbl_array_push(&out->steps, record))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult keep_text(rblJson object, const char* key, rblArena* texts, const char** out)
{
    rblJson value;
    const char* text = NULL;
    RBL_TRY(rbl_json_require(object, key, &value));
    RBL_TRY(rbl_json_get_string(value, &text));
    const size_t size = strlen(text) + 1;
    char* copy = rbl_arena_alloc(texts, size);
    if (copy == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(copy, text, size);
    *out = copy;
    return RBL_OK;
}

static rblResult read_events(rblJson root, rblArena* texts, rblStatistics* out)
{
    rblJson events;
    RBL_TRY(rbl_json_require(root, "events", &events));
    RBL_TRY(rbl_json_expect(events, RBL_JSON_ARRAY));
    for (uint32_t i = 0; i < rbl_json_count(events); ++i)
    {
        const rblJson event = rbl_json_item(events, i);
        rblEventRecord record = {0};
        RBL_TRY(get_number(event, "t", &record.time));
        RBL_TRY(keep_text(event, "type", texts, &record.type));
        RBL_TRY(keep_text(event, "body", texts, &record.body));
        RBL_TRY(get_count(event, "pieces", &record.pieces));
        RBL_TRY(get_number(event, "impulse", &record.impulse));
        RBL_TRY(rbl_json_optional_number(event, "surfaceEnergy", &record.surface_energy));
        RBL_TRY(rbl_json_optional_number(event, "elasticEnergy", &record.elastic_energy));
        RBL_TRY(rbl_json_optional_number(event, "heat", &record.heat));
        if (!rbl_array_push(&out->events, record))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult read_document(const rblJsonDocument* document, rblArena* texts, rblStatistics* out,
                               const char** scene)
{
    const rblJson root = rbl_json_root(document);
    RBL_TRY(keep_text(root, "scene", texts, scene));
    RBL_TRY(read_steps(root, out));
    return read_events(root, texts, out);
}

rblResult rbl_statistics_read(const char* path, rblArena* texts, rblStatistics* out, const char** scene)
{
    const rblAllocator* allocator = out->steps.allocator;
    rblFileBytes file;
    RBL_TRY(rbl_file_read(path, MAX_BYTES, allocator, &file));
    rblJsonDocument document;
    rblResult result =
        rbl_json_parse(&document, (const char*)file.bytes, file.size, rbl_short_name(path), allocator);
    if (result == RBL_OK)
    {
        result = read_document(&document, texts, out, scene);
        rbl_json_free(&document);
    }
    rbl_file_bytes_free(&file);
    return result;
}
