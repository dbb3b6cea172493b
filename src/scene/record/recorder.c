// Records the calls on a world.
#include "rubble/recorder.h"

#include "base/error.h"
#include "base/log.h"
#include "dynamics/snapshot.h"
#include "field/shape.h"
#include "fracture/breaker_kinds.h"
#include "rubble/version.h"
#include "scene/record/call_codec.h"
#include "scene/record/recording_format.h"
#include "scene/record/shape_ledger.h"

#include <math.h>

#define MAX_PENDING ((size_t)1 << 20) // bytes of calls that are not written yet

typedef RBL_ARRAY(const rblBreaker*) BreakerArray;

typedef struct Recorder
{
    const rblAllocator* allocator;
    rblWorldId world;
    rblRecordingWriter writer; // its sink contains the calls that are not written yet
    rblShapeLedger ledger;
    BreakerArray breakers; // written to the file, by number; retained
    BreakerArray sources;  // breakers whose data is in the file, by number of the data; retained
    uint64_t saves;        // number of snapshots of the world before the recording
    uint32_t steps;
    rblResult result; // of the first failure
    char problem[256];
} Recorder;

static void release_breakers(BreakerArray* breakers)
{
    for (size_t i = 0; i < breakers->count; ++i)
    {
        rbl_breaker_release(breakers->data[i]);
    }
    rbl_array_free(breakers);
}

static void free_recorder(Recorder* recorder)
{
    rbl_recording_abandon(&recorder->writer);
    rbl_shape_ledger_free(&recorder->ledger);
    release_breakers(&recorder->breakers);
    release_breakers(&recorder->sources);
    rbl_free(recorder->allocator, recorder, sizeof *recorder);
}

static rblResult flush(Recorder* recorder)
{
    if (recorder->writer.sink.bytes.count == 0 && !recorder->writer.sink.failed)
    {
        return RBL_OK;
    }
    const rblResult result = rbl_recording_write_chunk(&recorder->writer, RBL_CHUNK_CALLS);
    rbl_sink_clear(&recorder->writer.sink);
    return result;
}

// ---- shapes ----

// Write a shape that is not in the file yet. Pending calls are written first.
static rblResult write_shape_once(Recorder* recorder, const rblShape* shape)
{
    if (rbl_shape_ledger_number(&recorder->ledger, shape) != RBL_MAP_EMPTY)
    {
        return RBL_OK;
    }
    RBL_TRY(flush(recorder));
    return rbl_shape_ledger_write(&recorder->ledger, shape);
}

// ---- breakers ----

static uint32_t find_breaker(const BreakerArray* breakers, const rblBreaker* breaker)
{
    uint32_t i = 0;
    while (i < breakers->count && breakers->data[i] != breaker)
    {
        ++i;
    }
    return i;
}

static rblResult add_breaker(BreakerArray* breakers, const rblBreaker* breaker)
{
    if (!rbl_array_push(breakers, breaker))
    {
        return rbl_fail_memory();
    }
    rbl_breaker_retain(breaker);
    return RBL_OK;
}

static rblResult write_chunk(Recorder* recorder, uint32_t type)
{
    const rblResult result = rbl_recording_write_chunk(&recorder->writer, type);
    rbl_sink_clear(&recorder->writer.sink);
    return result;
}

// The breaker in `sources` whose data equals the data in the sink; the count when there is none.
static rblResult find_same_data(Recorder* recorder, rblByteSink* other, uint32_t* out)
{
    const rblByteSink* sink = &recorder->writer.sink;
    for (*out = 0; *out < recorder->sources.count; ++*out)
    {
        rbl_sink_clear(other);
        RBL_TRY(rbl_breaker_put_data(recorder->sources.data[*out], other));
        RBL_TRY(other->failed ? rbl_fail_memory() : RBL_OK);
        if (other->bytes.count == sink->bytes.count &&
            memcmp(other->bytes.data, sink->bytes.data, sink->bytes.count) == 0)
        {
            break;
        }
    }
    return RBL_OK;
}

// Breakers read their files separately, so equal data is written once. `number` is that of the data + 1; 0: no data.
static rblResult write_data_once(Recorder* recorder, const rblBreaker* breaker, uint32_t* number)
{
    rblByteSink* sink = &recorder->writer.sink;
    rblByteSink other;
    *number = 0;
    RBL_TRY(rbl_breaker_put_data(breaker, sink));
    RBL_TRY(sink->failed ? rbl_fail_memory() : RBL_OK);
    if (sink->bytes.count == 0)
    {
        return RBL_OK;
    }
    rbl_sink_init(&other, recorder->allocator);
    uint32_t same = 0;
    rblResult result = find_same_data(recorder, &other, &same);
    rbl_sink_free(&other);
    if (result == RBL_OK && same == recorder->sources.count)
    {
        result = add_breaker(&recorder->sources, breaker);
        result = result == RBL_OK ? write_chunk(recorder, RBL_CHUNK_DATA) : result;
    }
    rbl_sink_clear(sink);
    *number = same + 1;
    return result;
}

// Write a breaker that is not in the file yet, so that bodies that share a breaker also share it in a replay. Pending calls are
// written first.
static rblResult write_breaker_once(const rblBreaker* breaker, void* context, uint32_t* number)
{
    Recorder* recorder = context;
    uint32_t data = 0;
    *number = find_breaker(&recorder->breakers, breaker);
    if (*number < recorder->breakers.count)
    {
        return RBL_OK;
    }
    RBL_TRY(flush(recorder));
    RBL_TRY(write_data_once(recorder, breaker, &data));
    rbl_put_varint(&recorder->writer.sink, data);
    const rblResult result = rbl_breaker_put(breaker, &recorder->writer.sink);
    if (result != RBL_OK)
    {
        rbl_sink_clear(&recorder->writer.sink);
        return result;
    }
    RBL_TRY(write_chunk(recorder, RBL_CHUNK_BREAKER));
    return add_breaker(&recorder->breakers, breaker);
}

// ---- calls ----

static rblResult write_breaker_of_call(Recorder* recorder, rblCall* call)
{
    const rblBreaker* breaker = NULL;
    if (call->body_def.breaker.index1 == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_breaker_acquire(call->body_def.breaker, &breaker));
    const rblResult result = write_breaker_once(breaker, recorder, &call->breaker);
    rbl_breaker_release(breaker);
    call->breaker += 1;
    return result;
}

// Whether a joint has limits or a motor, which joints of older recordings do not have.
static bool has_axis(const rblJointDef* def)
{
    return def->lower != -INFINITY || def->upper != INFINITY || def->swing != INFINITY ||
           def->motor_speed != 0.0f || def->motor_force != 0.0f;
}

static rblResult record_call(Recorder* recorder, const rblCall* call)
{
    rblByteSink* sink = &recorder->writer.sink;
    rblCall noted = *call;
    uint32_t shape = 0;
    if (call->code == RBL_CALL_BODY_CREATE)
    {
        rblShapeView view;
        RBL_TRY(write_breaker_of_call(recorder, &noted));
        const bool plain = noted.breaker == 0 && noted.body_def.anchor.kind == RBL_ANCHOR_TOUCH;
        noted.code = call->body_def.sensor ? RBL_CALL_SENSOR_CREATE
                     : plain               ? RBL_CALL_BODY_CREATE
                                           : RBL_CALL_BREAKABLE_CREATE;
        RBL_TRY(rbl_shape_view(call->body_def.shape, &view));
        RBL_TRY(write_shape_once(recorder, view.shape));
        shape = rbl_shape_ledger_number(&recorder->ledger, view.shape);
    }
    if (call->code == RBL_CALL_JOINT_CREATE)
    {
        noted.code = has_axis(&call->joint_def) ? RBL_CALL_AXIS_CREATE : RBL_CALL_JOINT_CREATE;
    }
    if (call->code == RBL_CALL_BODY_SET_BREAKER)
    {
        RBL_TRY(write_breaker_of_call(recorder, &noted));
    }
    if (call->code == RBL_CALL_STEPPED)
    {
        if (call->failed)
        {
            return rbl_fail(RBL_ERROR_MEMORY, "recording: a step ran out of memory");
        }
        recorder->steps += 1;
        RBL_TRY(rbl_world_hash(recorder->world, &noted.number));
    }
    if (call->code == RBL_CALL_RESTORE && call->number <= recorder->saves)
    {
        RBL_TRY(flush(recorder)); // earlier calls are kept
        return rbl_fail(RBL_ERROR_UNSUPPORTED,
                        "recording: a snapshot from before the recording was restored");
    }
    rbl_put_call(sink, &noted, shape);
    const bool due = call->code == RBL_CALL_STEP || sink->bytes.count > MAX_PENDING;
    return due ? flush(recorder) : sink->failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult finish(Recorder* recorder)
{
    RBL_TRY(flush(recorder));
    rbl_put_varint(&recorder->writer.sink, recorder->steps);
    RBL_TRY(rbl_recording_write_chunk(&recorder->writer, RBL_CHUNK_CALLS_END));
    return rbl_recording_rename(&recorder->writer);
}

static void set_problem(Recorder* recorder, rblResult result)
{
    if (result != RBL_OK && recorder->result == RBL_OK)
    {
        recorder->result = result;
        snprintf(recorder->problem, sizeof recorder->problem, "%.250s", rbl_last_error());
        rbl_log_message(RBL_LOG_WARNING, "%s; no more calls are recorded", recorder->problem);
    }
}

static void on_call(const rblCall* call, void* context)
{
    Recorder* recorder = context;
    if (call->code == RBL_CALL_DESTROY)
    {
        set_problem(recorder, recorder->result == RBL_OK ? finish(recorder) : RBL_OK);
        free_recorder(recorder);
    }
    else if (recorder->result == RBL_OK)
    {
        set_problem(recorder, record_call(recorder, call));
    }
}

// ---- begin ----

static void put_world_def(rblByteSink* sink, const rblWorldDef* def)
{
    const float speeds[4] = {def->sleep_speed, def->sleep_time, def->bounce_speed, def->recovery_speed};
    rbl_put_floats(sink, &def->gravity.x, 3);
    rbl_put_u32(sink, def->substeps);
    rbl_put_u32(sink, def->iterations);
    rbl_put_u8(sink, def->sleeping);
    rbl_put_floats(sink, speeds, 4);
    rbl_put_u64(sink, def->seed);
    rbl_put_u32(sink, def->max_fragments);
    rbl_put_u32(sink, def->first_count);
}

// Write one chunk per breaker of a body, in order.
static rblResult write_breakers(Recorder* recorder, const rblWorld* world)
{
    for (size_t i = 0; i < world->bodies.count; ++i)
    {
        const rblBody* body = &world->bodies.data[i];
        uint32_t number = 0;
        if (body->generation != 0 && body->breaker != NULL)
        {
            RBL_TRY(write_breaker_once(body->breaker, recorder, &number));
        }
    }
    return RBL_OK;
}

// Write the current state of the world.
static rblResult write_image(Recorder* recorder, const rblWorld* world)
{
    rblResult result = rbl_shape_ledger_write_world(&recorder->ledger, world);
    result = result == RBL_OK ? write_breakers(recorder, world) : result;
    if (result == RBL_OK)
    {
        const rblImageTables tables = {.shapes = recorder->ledger.shapes.data,
                                       .shape_count = (uint32_t)recorder->ledger.shapes.count,
                                       .breakers = recorder->breakers.data,
                                       .breaker_count = (uint32_t)recorder->breakers.count};
        result = rbl_world_write_image(recorder->world, &tables, &recorder->writer.sink);
    }
    result = result == RBL_OK ? rbl_recording_write_chunk(&recorder->writer, RBL_CHUNK_WORLD) : result;
    rbl_sink_clear(&recorder->writer.sink);
    return result;
}

static rblResult begin(Recorder* recorder, const rblWorld* world, const char* path)
{
    rblRun run;
    rbl_run_init(&run, recorder->allocator);
    run.settings.version = rbl_version();
    run.settings.step = 1.0; // calls have their own step lengths
    run.settings.gravity = world->def.gravity;
    const rblResult result = rbl_recording_begin(&recorder->writer, path, &run, RBL_RECORDING_OF_CALLS);
    rbl_run_free(&run);
    RBL_TRY(result);
    rbl_sink_clear(&recorder->writer.sink);
    put_world_def(&recorder->writer.sink, &world->def);
    RBL_TRY(rbl_recording_write_chunk(&recorder->writer, RBL_CHUNK_WORLD_DEF));
    rbl_sink_clear(&recorder->writer.sink);
    const bool empty = world->ids.generations.count == 0 && world->joint_ids.generations.count == 0 &&
                       !world->begun_stepping;
    return empty ? RBL_OK : write_image(recorder, world);
}

// Remove the file, which contains nothing useful yet.
static void discard(Recorder* recorder)
{
    if (recorder->writer.file != NULL && recorder->writer.part != recorder->writer.path)
    {
        remove(recorder->writer.part);
    }
    free_recorder(recorder);
}

rblResult rbl_world_record(rblWorldId id, const char* path)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (path == NULL || world->hook != NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, path == NULL ? "recording: the path must not be null"
                                                         : "recording: the world is being recorded already");
    }
    const rblAllocator* allocator = rbl_default_allocator();
    Recorder* recorder = rbl_alloc_zero(allocator, sizeof *recorder);
    if (recorder == NULL)
    {
        return rbl_fail_memory();
    }
    recorder->allocator = allocator;
    recorder->world = id;
    recorder->saves = world->saves;
    rbl_shape_ledger_init(&recorder->ledger, &recorder->writer, write_breaker_once, recorder);
    rbl_array_init(&recorder->breakers, allocator);
    rbl_array_init(&recorder->sources, allocator);
    const rblResult result = begin(recorder, world, path);
    if (result != RBL_OK)
    {
        discard(recorder);
        return result;
    }
    recorder->saves = world->saves; // the image was a snapshot
    return rbl_world_hook_calls(id, on_call, recorder);
}

rblResult rbl_world_stop_recording(rblWorldId id)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (world->hook != on_call)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "recording: the world is not being recorded");
    }
    Recorder* recorder = world->hook_context;
    RBL_TRY(rbl_world_hook_calls(id, NULL, NULL));
    set_problem(recorder, recorder->result == RBL_OK ? finish(recorder) : RBL_OK);
    const rblResult result = recorder->result;
    char problem[sizeof recorder->problem];
    memcpy(problem, recorder->problem, sizeof problem);
    free_recorder(recorder);
    return result == RBL_OK ? RBL_OK : rbl_fail(result, "%s", problem);
}
