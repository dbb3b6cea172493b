// Recording the calls on a world.
#include "rubble/recorder.h"

#include "base/error.h"
#include "base/hash_map.h"
#include "base/log.h"
#include "dynamics/snapshot.h"
#include "field/compound.h"
#include "field/piece.h"
#include "field/shape.h"
#include "rubble/version.h"
#include "scene/call_codec.h"
#include "scene/recording_format.h"

#define MOST_PENDING ((size_t)1 << 20) // bytes of calls that are not in the file yet

typedef struct Recorder
{
    const rblAllocator* allocator;
    rblWorldId world;
    rblRecordingWriter writer;         // calls that are not in the file yet are in its sink
    rblHashMap numbers;                // of shapes, by address
    RBL_ARRAY(const rblShape*) shapes; // in the file, by number; held
    uint64_t saves;                    // of the world before the recording
    uint32_t steps;
    rblResult result; // of the first thing that could not be recorded
    char problem[256];
} Recorder;

static void free_recorder(Recorder* recorder)
{
    rbl_recording_abandon(&recorder->writer);
    for (size_t i = 0; i < recorder->shapes.count; ++i)
    {
        rbl_shape_release(recorder->shapes.data[i]);
    }
    rbl_array_free(&recorder->shapes);
    rbl_hash_map_free(&recorder->numbers);
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

static uint32_t number_of(const rblShape* shape, void* context)
{
    const Recorder* recorder = context;
    return rbl_hash_map_find(&recorder->numbers, (uint64_t)(uintptr_t)shape);
}

// A chunk for a shape whose children have theirs.
static rblResult write_recipe(Recorder* recorder, const rblShape* shape)
{
    bool added;
    const uint32_t number = (uint32_t)recorder->shapes.count;
    RBL_TRY(flush(recorder));
    const rblResult result = rbl_put_recipe(&recorder->writer.sink, shape, number_of, recorder);
    if (result != RBL_OK)
    {
        rbl_sink_clear(&recorder->writer.sink);
        return result;
    }
    RBL_TRY(rbl_recording_write_chunk(&recorder->writer, RBL_CHUNK_RECIPE));
    rbl_sink_clear(&recorder->writer.sink);
    if (!rbl_array_push(&recorder->shapes, shape))
    {
        return rbl_fail_memory();
    }
    rbl_shape_retain(shape);
    return rbl_hash_map_get_or_add(&recorder->numbers, (uint64_t)(uintptr_t)shape, number, &added) != NULL
               ? RBL_OK
               : rbl_fail_memory();
}

// After all that it is made of: children of compounds, the root of a piece.
static rblResult write_shape_once(Recorder* recorder, const rblShape* shape)
{
    if (number_of(shape, recorder) != RBL_MAP_EMPTY)
    {
        return RBL_OK;
    }
    const rblCompound* compound = rbl_shape_compound(shape);
    for (uint32_t i = 0; compound != NULL && i < compound->count; ++i)
    {
        RBL_TRY(write_shape_once(recorder, compound->children[i].shape));
    }
    const rblPieceField* piece = rbl_shape_piece(shape);
    if (piece != NULL)
    {
        RBL_TRY(write_shape_once(recorder, piece->root));
    }
    return write_recipe(recorder, shape);
}

// ---- calls ----

// How the body of a call breaks, as files have it. Refused: breakers of the user's own, by name, and patterns from files.
static rblResult describe_breaker(rblCall* call)
{
    const rblBreaker* breaker = NULL;
    const rblBreakerId id = call->body_def.breaker;
    if (id.index1 == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_breaker_hold(id, &breaker));
    call->has_prescored = rbl_breaker_prescored_def(breaker, &call->prescored);
    rblResult result = RBL_OK;
    if (!call->has_prescored || call->prescored.pattern.kind == RBL_PATTERN_FILE)
    {
        result = rbl_fail(RBL_ERROR_UNSUPPORTED, "recording: the breaker '%.100s'%s cannot be recorded",
                          rbl_breaker_def(breaker)->name,
                          call->has_prescored ? " with a pattern from a file" : "");
    }
    rbl_breaker_release(breaker);
    return result;
}

static rblResult record_call(Recorder* recorder, const rblCall* call)
{
    rblByteSink* sink = &recorder->writer.sink;
    rblCall noted = *call;
    uint32_t shape = 0;
    if (call->code == RBL_CALL_BODY_CREATE)
    {
        rblShapeView view;
        RBL_TRY(describe_breaker(&noted));
        const bool plain = !noted.has_prescored && noted.body_def.anchor.kind == RBL_ANCHOR_TOUCH;
        noted.code = plain ? RBL_CALL_BODY_CREATE : RBL_CALL_BREAKABLE_CREATE;
        RBL_TRY(rbl_shape_view(call->body_def.shape, &view));
        RBL_TRY(write_shape_once(recorder, view.shape));
        shape = number_of(view.shape, recorder);
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
        RBL_TRY(flush(recorder)); // the calls until then are kept
        return rbl_fail(RBL_ERROR_UNSUPPORTED,
                        "recording: a snapshot from before the recording was restored");
    }
    rbl_put_call(sink, &noted, shape);
    const bool due = call->code == RBL_CALL_STEP || sink->bytes.count > MOST_PENDING;
    return due ? flush(recorder) : sink->failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult finish(Recorder* recorder)
{
    RBL_TRY(flush(recorder));
    rbl_put_varint(&recorder->writer.sink, recorder->steps);
    RBL_TRY(rbl_recording_write_chunk(&recorder->writer, RBL_CHUNK_CALLS_END));
    return rbl_recording_rename(&recorder->writer);
}

static void remember_problem(Recorder* recorder, rblResult result)
{
    if (result != RBL_OK && recorder->result == RBL_OK)
    {
        recorder->result = result;
        snprintf(recorder->problem, sizeof recorder->problem, "%.250s", rbl_last_error());
        rbl_log_message(RBL_LOG_WARNING, "%s; no more calls are recorded", recorder->problem);
    }
}

static void note_call(const rblCall* call, void* context)
{
    Recorder* recorder = context;
    if (call->code == RBL_CALL_DESTROY)
    {
        remember_problem(recorder, recorder->result == RBL_OK ? finish(recorder) : RBL_OK);
        free_recorder(recorder);
    }
    else if (recorder->result == RBL_OK)
    {
        remember_problem(recorder, record_call(recorder, call));
    }
}

// ---- beginning ----

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
}

// What is in the world already.
static rblResult write_image(Recorder* recorder, const rblWorld* world)
{
    for (size_t i = 0; i < world->bodies.count; ++i)
    {
        if (world->bodies.data[i].generation != 0)
        {
            RBL_TRY(write_shape_once(recorder, world->bodies.data[i].shape.shape));
        }
    }
    RBL_TRY(rbl_world_write_image(recorder->world, recorder->shapes.data, (uint32_t)recorder->shapes.count,
                                  &recorder->writer.sink));
    RBL_TRY(rbl_recording_write_chunk(&recorder->writer, RBL_CHUNK_WORLD));
    rbl_sink_clear(&recorder->writer.sink);
    return RBL_OK;
}

static rblResult begin(Recorder* recorder, const rblWorld* world, const char* path)
{
    rblRun run;
    rbl_run_init(&run, recorder->allocator);
    run.settings.version = rbl_version();
    run.settings.step = 1.0; // calls have steps of their own
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

// Remove what was begun: nothing worth reading is in it.
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
        return rbl_fail(RBL_ERROR_ARGUMENT, path == NULL ? "recording: no path"
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
    rbl_hash_map_init(&recorder->numbers, allocator);
    rbl_array_init(&recorder->shapes, allocator);
    const rblResult result = begin(recorder, world, path);
    if (result != RBL_OK)
    {
        discard(recorder);
        return result;
    }
    recorder->saves = world->saves; // writing the image took one
    return rbl_world_hook_calls(id, note_call, recorder);
}

rblResult rbl_world_stop_recording(rblWorldId id)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (world->hook != note_call)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "recording: the world is not being recorded");
    }
    Recorder* recorder = world->hook_context;
    RBL_TRY(rbl_world_hook_calls(id, NULL, NULL));
    remember_problem(recorder, recorder->result == RBL_OK ? finish(recorder) : RBL_OK);
    const rblResult result = recorder->result;
    char problem[sizeof recorder->problem];
    memcpy(problem, recorder->problem, sizeof problem);
    free_recorder(recorder);
    return result == RBL_OK ? RBL_OK : rbl_fail(result, "%s", problem);
}
