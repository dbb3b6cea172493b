// Replays recorded calls. The file is untrusted: the calls are public ones and check their arguments as usual.
#include "base/error.h"
#include "dynamics/snapshot.h"
#include "fracture/breaker_kinds.h"
#include "io/file.h"
#include "rubble/recorder.h"
#include "scene/record/call_codec.h"
#include "scene/record/recording_format.h"

#define FIRST_WITH_KINDS 2u // first version of recordings with named kinds of breakers
#define A_BREAKER        "a breaker"

// A snapshot that the recorded calls took, for later restores.
typedef struct Snapshot
{
    uint64_t number;
    void* data;
    size_t size;
} Snapshot;

typedef struct Replayer
{
    const rblAllocator* allocator;
    rblWorldId world;
    uint32_t serial;                       // serial number of the world
    RBL_ARRAY(rblShapeId) shapes;          // by number
    RBL_ARRAY(rblBreakerId) breaker_ids;   // by number
    RBL_ARRAY(const rblBreaker*) breakers; // the same breakers; retained
    RBL_ARRAY(rblByteArray) data;          // by number: data that breakers read from files
    RBL_ARRAY(rblFragmentEvent*) events;   // by number: events of fragments; retained
    RBL_ARRAY(Snapshot) kept;
    rblReplayReport report;
    uint64_t found;   // hash after the last step
    uint32_t version; // of the recording
    uint32_t physics; // of the engine that recorded it
    bool differs;
    bool refused; // the file has something unknown, such as a kind; the report names it
} Replayer;

// The replay differs from the recording, and ends.
static rblResult fail_different(Replayer* replayer, const char* what)
{
    char physics[96];
    rbl_describe_physics(replayer->version, replayer->physics, physics, sizeof physics);
    replayer->differs = true;
    return rbl_fail(RBL_ERROR_FORMAT, "call %llu, after step %u: %s%s%s",
                    (unsigned long long)replayer->report.calls, replayer->report.steps, what,
                    physics[0] != '\0' ? "; " : "", physics);
}

// ---- calls ----

static rblResult check_step(Replayer* replayer, const rblCall* call)
{
    rblReplayReport* report = &replayer->report;
    if (call->number == replayer->found)
    {
        return RBL_OK;
    }
    report->first_difference = report->steps;
    report->expected = call->number;
    report->found = replayer->found;
    return fail_different(replayer, "the state has another hash");
}

static rblResult do_step(Replayer* replayer, const rblCall* call)
{
    RBL_TRY(rbl_world_step(replayer->world, call->seconds));
    replayer->report.steps += 1;
    return rbl_world_hash(replayer->world, &replayer->found);
}

static rblResult find_breaker(const Replayer* replayer, const rblCall* call, rblBreakerId* out)
{
    if (call->breaker > replayer->breaker_ids.count)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "the breaker of a body is missing");
    }
    *out = call->breaker > 0 ? replayer->breaker_ids.data[call->breaker - 1] : (rblBreakerId){0, 0};
    return RBL_OK;
}

static rblResult create_body(Replayer* replayer, const rblCall* call, uint32_t shape)
{
    rblBodyDef def = call->body_def;
    rblBodyId made;
    def.shape = shape < replayer->shapes.count ? replayer->shapes.data[shape] : (rblShapeId){0};
    RBL_TRY(find_breaker(replayer, call, &def.breaker));
    RBL_TRY(rbl_body_create(replayer->world, &def, &made));
    const bool same = made.index1 == call->body.index1 && made.generation == call->body.generation;
    return same ? RBL_OK : fail_different(replayer, "a body has another id");
}

static rblResult set_breaker(Replayer* replayer, const rblCall* call)
{
    rblBreakerId breaker;
    RBL_TRY(find_breaker(replayer, call, &breaker));
    return rbl_body_set_breaker(replayer->world, call->body, breaker);
}

static rblResult create_joint(Replayer* replayer, const rblCall* call)
{
    rblJointId made;
    RBL_TRY(rbl_joint_create(replayer->world, &call->joint_def, &made));
    const bool same = made.index1 == call->joint.index1 && made.generation == call->joint.generation;
    return same ? RBL_OK : fail_different(replayer, "a joint has another id");
}

static rblResult take_snapshot(Replayer* replayer, uint64_t number)
{
    Snapshot kept = {.number = number};
    RBL_TRY(rbl_world_save(replayer->world, NULL, 0, &kept.size));
    kept.data = rbl_alloc(replayer->allocator, kept.size);
    if (kept.data == NULL || !rbl_array_reserve_more(&replayer->kept, 1))
    {
        rbl_free(replayer->allocator, kept.data, kept.size);
        return rbl_fail_memory();
    }
    replayer->kept.data[replayer->kept.count++] = kept;
    return rbl_world_save(replayer->world, kept.data, kept.size, &kept.size);
}

static rblResult restore_snapshot(const Replayer* replayer, uint64_t number)
{
    for (size_t i = replayer->kept.count; i > 0; --i)
    {
        const Snapshot* kept = &replayer->kept.data[i - 1];
        if (kept->number == number)
        {
            return rbl_world_restore(replayer->world, kept->data, kept->size);
        }
    }
    return rbl_fail(RBL_ERROR_FORMAT, "there is no snapshot %llu", (unsigned long long)number);
}

static rblResult make_call(Replayer* replayer, const rblCall* call, uint32_t shape)
{
    const rblWorldId world = replayer->world;
    switch (call->code)
    {
    case RBL_CALL_STEP:
        return do_step(replayer, call);
    case RBL_CALL_STEPPED:
        return check_step(replayer, call);
    case RBL_CALL_SET_GRAVITY:
        return rbl_world_set_gravity(world, call->first);
    case RBL_CALL_BODY_CREATE:
    case RBL_CALL_BREAKABLE_CREATE:
    case RBL_CALL_SENSOR_CREATE:
        return create_body(replayer, call, shape);
    case RBL_CALL_BODY_DESTROY:
        return rbl_body_destroy(world, call->body);
    case RBL_CALL_BODY_TELEPORT:
        return rbl_body_teleport(world, call->body, call->pose);
    case RBL_CALL_BODY_SET_VELOCITY:
        return rbl_body_set_velocity(world, call->body, call->first, call->second);
    case RBL_CALL_BODY_APPLY_FORCE:
        return rbl_body_apply_force(world, call->body, call->first, call->second);
    case RBL_CALL_BODY_APPLY_TORQUE:
        return rbl_body_apply_torque(world, call->body, call->first);
    case RBL_CALL_BODY_APPLY_IMPULSE:
        return rbl_body_apply_impulse(world, call->body, call->first, call->second);
    case RBL_CALL_BODY_SET_FILTER:
        return rbl_body_set_filter(world, call->body, call->filter);
    case RBL_CALL_BODY_WAKE:
        return rbl_body_wake(world, call->body);
    case RBL_CALL_BODY_SET_TYPE:
        return rbl_body_set_type(world, call->body, call->body_def.type);
    case RBL_CALL_BODY_SET_MATERIAL:
        return rbl_body_set_material(world, call->body, &call->body_def.material);
    case RBL_CALL_BODY_SET_BREAKER:
        return set_breaker(replayer, call);
    case RBL_CALL_BODY_SET_GRAVITY_SCALE:
        return rbl_body_set_gravity_scale(world, call->body, call->body_def.gravity_scale);
    case RBL_CALL_BODY_BREAK:
        return rbl_body_break(world, call->body, call->first, call->second);
    case RBL_CALL_JOINT_CREATE:
    case RBL_CALL_AXIS_CREATE:
        return create_joint(replayer, call);
    case RBL_CALL_JOINT_DESTROY:
        return rbl_joint_destroy(world, call->joint);
    case RBL_CALL_JOINT_SET_TARGET:
        return rbl_joint_set_target(world, call->joint, call->first);
    case RBL_CALL_JOINT_SET_LIMITS:
        return rbl_joint_set_limits(world, call->joint, call->first.x, call->first.y);
    case RBL_CALL_JOINT_SET_MOTOR:
        return rbl_joint_set_motor(world, call->joint, call->first.x, call->first.y);
    case RBL_CALL_SAVE:
        return take_snapshot(replayer, call->number);
    case RBL_CALL_RESTORE:
        return restore_snapshot(replayer, call->number);
    case RBL_CALL_DESTROY:
    case RBL_CALL_COUNT:
        break;
    }
    return rbl_fail(RBL_ERROR_FORMAT, "a call is invalid");
}

// Files contain indices and generations. The serial number of the replayed world is added.
static void set_world(const Replayer* replayer, rblCall* call)
{
    call->body.world = call->joint.world = replayer->serial;
    call->joint_def.a.world = call->joint_def.b.world = replayer->serial;
}

// Breakers and images of worlds had another format in version 1.
static rblResult check_version(const rblRecordingReader* reader, const char* what)
{
    return reader->version >= FIRST_WITH_KINDS ? RBL_OK
                                               : rbl_fail(RBL_ERROR_UNSUPPORTED,
                                                          "%s of version %u of recordings; this version of "
                                                          "Rubble reads those of version %u",
                                                          what, reader->version, RBL_RECORDING_VERSION);
}

static rblResult check_call_version(const rblRecordingReader* reader, const rblByteSource* source)
{
    return source->data[source->at] == RBL_CALL_BREAKABLE_CREATE ? check_version(reader, A_BREAKER) : RBL_OK;
}

static rblResult take_calls(Replayer* replayer, const rblRecordingReader* reader, rblByteSource* source)
{
    replayer->version = reader->version;
    replayer->physics = reader->physics;
    while (rbl_source_left(source) > 0)
    {
        rblCall call;
        uint32_t shape = 0;
        RBL_TRY(check_call_version(reader, source));
        if (!rbl_take_call(source, &call, &shape))
        {
            return rbl_fail(RBL_ERROR_FORMAT, "a call is cut short or of an unknown kind");
        }
        replayer->report.calls += call.code != RBL_CALL_STEPPED; // the end of a step is not a call
        set_world(replayer, &call);
        const rblResult result = make_call(replayer, &call, shape);
        if (result != RBL_OK && result != RBL_ERROR_MEMORY && !replayer->differs)
        {
            char message[RBL_ERROR_TEXT_SIZE];
            snprintf(message, sizeof message, "%s: %.300s", rbl_call_name(call.code), rbl_last_error());
            return fail_different(replayer, message);
        }
        RBL_TRY(result);
    }
    return RBL_OK;
}

// ---- chunks ----

static rblResult take_world_def(Replayer* replayer, rblByteSource* source)
{
    rblWorldDef def = rbl_default_world_def();
    rbl_take_floats(source, &def.gravity.x, 3);
    def.substeps = rbl_take_u32(source);
    def.iterations = rbl_take_u32(source);
    def.sleeping = rbl_take_u8(source) != 0;
    def.sleep_speed = rbl_take_f32(source);
    def.sleep_time = rbl_take_f32(source);
    def.bounce_speed = rbl_take_f32(source);
    def.recovery_speed = rbl_take_f32(source);
    if (rbl_source_left(source) > 0) // recordings of worlds without breaking end here
    {
        def.seed = rbl_take_u64(source);
        def.max_fragments = rbl_take_u32(source);
    }
    if (rbl_source_left(source) > 0) // older recordings have the default
    {
        def.first_count = rbl_take_u32(source);
    }
    if (source->failed || replayer->world.index1 != 0)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "the world is cut short, or defined twice");
    }
    RBL_TRY(rbl_world_create(&def, &replayer->world));
    return rbl_world_serial(replayer->world, &replayer->serial);
}

static rblRecipeTables list_tables(const Replayer* replayer)
{
    return (rblRecipeTables){.made = {.shapes = replayer->shapes.data,
                                      .events = replayer->events.data,
                                      .shape_count = (uint32_t)replayer->shapes.count,
                                      .event_count = (uint32_t)replayer->events.count},
                             .breakers = replayer->breakers.data,
                             .breaker_count = (uint32_t)replayer->breakers.count};
}

static rblResult take_recipe(Replayer* replayer, rblByteSource* source)
{
    rblShapeId shape;
    if (!rbl_array_reserve_more(&replayer->shapes, 1))
    {
        return rbl_fail_memory();
    }
    const rblRecipeTables tables = list_tables(replayer);
    RBL_TRY(rbl_take_shape(source, &tables.made, &shape));
    replayer->shapes.data[replayer->shapes.count++] = shape;
    return RBL_OK;
}

static rblResult take_end(Replayer* replayer, rblRecordingReader* reader, rblByteSource* source)
{
    const uint32_t steps = rbl_take_u32_varint(source);
    if (source->failed || steps != replayer->report.steps)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "the end does not match the calls before it");
    }
    replayer->report.complete = true;
    reader->done = true;
    return RBL_OK;
}

static rblResult take_data(Replayer* replayer, const rblByteSource* source)
{
    rblByteArray data;
    if (source->size == 0)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "the data of a breaker is empty");
    }
    rbl_array_init(&data, replayer->allocator);
    if (!rbl_array_resize(&data, source->size) || !rbl_array_push(&replayer->data, data))
    {
        rbl_array_free(&data);
        return rbl_fail_memory();
    }
    memcpy(data.data, source->data, source->size);
    return RBL_OK;
}

static rblResult create_breaker(Replayer* replayer, const rblBreakerKind* kind, const void* def,
                                uint32_t data_number)
{
    const rblByteArray* data = NULL;
    rblBreakerId id;
    if (data_number > 0)
    {
        RBL_TRY(data_number <= replayer->data.count
                    ? RBL_OK
                    : rbl_fail(RBL_ERROR_FORMAT, "the data of a breaker is missing"));
        data = &replayer->data.data[data_number - 1];
    }
    const bool reserved =
        rbl_array_reserve_more(&replayer->breakers, 1) && rbl_array_reserve_more(&replayer->breaker_ids, 1);
    RBL_TRY(reserved ? RBL_OK : rbl_fail_memory());
    RBL_TRY(rbl_breaker_create_from(kind, def, data != NULL ? data->data : NULL,
                                    data != NULL ? data->count : 0, &id));
    replayer->breaker_ids.data[replayer->breaker_ids.count++] = id;
    RBL_TRY(rbl_breaker_acquire(id, &replayer->breakers.data[replayer->breakers.count]));
    replayer->breakers.count += 1;
    return RBL_OK;
}

static rblResult take_breaker(Replayer* replayer, const rblRecordingReader* reader, rblByteSource* source)
{
    const rblBreakerKind* kind = NULL;
    void* def = NULL;
    rblArena arena;
    RBL_TRY(check_version(reader, A_BREAKER));
    const uint32_t data = rbl_take_u32_varint(source);
    rbl_arena_init(&arena, 1024, replayer->allocator);
    rblResult result = rbl_breaker_take(source, &arena, &kind, &def);
    if (result == RBL_OK && rbl_source_left(source) > 0)
    {
        result = rbl_fail(RBL_ERROR_FORMAT, "a breaker has more bytes than it needs");
    }
    result = result == RBL_OK ? create_breaker(replayer, kind, def, data) : result;
    if (kind != NULL)
    {
        rbl_breaker_kind_release(kind);
    }
    rbl_arena_free(&arena);
    return result;
}

static rblResult take_event(Replayer* replayer, rblByteSource* source)
{
    RBL_TRY(rbl_array_reserve_more(&replayer->events, 1) ? RBL_OK : rbl_fail_memory());
    const rblRecipeTables tables = list_tables(replayer);
    RBL_TRY(rbl_take_event(source, &tables, &replayer->events.data[replayer->events.count]));
    replayer->events.count += 1;
    return RBL_OK;
}

static rblResult take_image(Replayer* replayer, const rblRecordingReader* reader, const rblByteSource* source)
{
    RBL_TRY(check_version(reader, "an image of a world"));
    const rblImageTables tables = {.ids = replayer->shapes.data,
                                   .shape_count = (uint32_t)replayer->shapes.count,
                                   .breakers = replayer->breakers.data,
                                   .breaker_count = (uint32_t)replayer->breakers.count};
    return rbl_world_read_image(replayer->world, &tables, source->data, source->size);
}

static rblResult take_chunk(Replayer* replayer, rblRecordingReader* reader, uint32_t type,
                            rblByteSource* source)
{
    if (type == RBL_CHUNK_WORLD_DEF)
    {
        return take_world_def(replayer, source);
    }
    if (replayer->world.index1 == 0)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "the world is missing");
    }
    switch (type)
    {
    case RBL_CHUNK_RECIPE:
        return take_recipe(replayer, source);
    case RBL_CHUNK_DATA:
        return take_data(replayer, source);
    case RBL_CHUNK_BREAKER:
        return take_breaker(replayer, reader, source);
    case RBL_CHUNK_EVENT:
        return take_event(replayer, source);
    case RBL_CHUNK_WORLD:
        return take_image(replayer, reader, source);
    case RBL_CHUNK_CALLS:
        return take_calls(replayer, reader, source);
    case RBL_CHUNK_CALLS_END:
        return take_end(replayer, reader, source);
    default:
        RBL_TRY(check_version(reader, A_BREAKER)); // other chunks of version 1 belong to breakers
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "a type of chunk that this version does not know");
    }
}

// A damaged chunk ends the replay. An unknown chunk makes the whole replay fail.
static rblResult take_other(rblRecordingReader* reader, uint32_t type, rblByteSource* source)
{
    Replayer* replayer = reader->context;
    const rblResult result = take_chunk(replayer, reader, type, source);
    replayer->refused = result == RBL_ERROR_UNSUPPORTED;
    return result;
}

// ---- the whole file ----

static void free_replayer(Replayer* replayer)
{
    if (replayer->world.index1 != 0)
    {
        rbl_world_destroy(replayer->world);
    }
    for (size_t i = 0; i < replayer->shapes.count; ++i)
    {
        rbl_shape_destroy(replayer->shapes.data[i]);
    }
    for (size_t i = 0; i < replayer->kept.count; ++i)
    {
        rbl_free(replayer->allocator, replayer->kept.data[i].data, replayer->kept.data[i].size);
    }
    for (size_t i = 0; i < replayer->events.count; ++i)
    {
        rbl_fragment_event_release(replayer->events.data[i]);
    }
    for (size_t i = 0; i < replayer->breakers.count; ++i)
    {
        rbl_breaker_release(replayer->breakers.data[i]);
    }
    for (size_t i = 0; i < replayer->breaker_ids.count; ++i)
    {
        (void)rbl_breaker_destroy(replayer->breaker_ids.data[i]);
    }
    for (size_t i = 0; i < replayer->data.count; ++i)
    {
        rbl_array_free(&replayer->data.data[i]);
    }
    rbl_array_free(&replayer->data);
    rbl_array_free(&replayer->breaker_ids);
    rbl_array_free(&replayer->events);
    rbl_array_free(&replayer->breakers);
    rbl_array_free(&replayer->shapes);
    rbl_array_free(&replayer->kept);
}

rblResult rbl_calls_replay_memory(const void* bytes, size_t size, const char* name, rblReplayReport* out)
{
    rblRun run;
    rblRecordingReader reader;
    Replayer replayer = {.allocator = rbl_default_allocator(), .report.first_difference = RBL_NONE};
    rbl_array_init(&replayer.shapes, replayer.allocator);
    rbl_array_init(&replayer.breakers, replayer.allocator);
    rbl_array_init(&replayer.breaker_ids, replayer.allocator);
    rbl_array_init(&replayer.data, replayer.allocator);
    rbl_array_init(&replayer.events, replayer.allocator);
    rbl_array_init(&replayer.kept, replayer.allocator);
    rbl_recording_reader_init(&reader, bytes, size, name, &run);
    reader.kind = RBL_RECORDING_OF_CALLS;
    reader.take_other = take_other;
    reader.context = &replayer;
    rblResult result = rbl_chunks_read(&reader, replayer.report.problem);
    if (result == RBL_OK && (replayer.world.index1 == 0 || replayer.refused))
    {
        char problem[sizeof replayer.report.problem];
        memcpy(problem, replayer.report.problem, sizeof problem);
        if (problem[0] == '\0')
        {
            snprintf(problem, sizeof problem, "byte %zu: the file ends before the world", size);
        }
        result = rbl_fail(replayer.refused ? RBL_ERROR_UNSUPPORTED : RBL_ERROR_FORMAT, "%s: %s",
                          rbl_short_name(name), problem);
    }
    rbl_recording_reader_free(&reader);
    rbl_run_free(&run);
    free_replayer(&replayer);
    if (result == RBL_OK)
    {
        replayer.report.same = !replayer.differs;
        *out = replayer.report;
    }
    return result;
}

rblResult rbl_calls_replay(const char* path, rblReplayReport* out)
{
    rblFileBytes file;
    if (path == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "replay: path and report must not be null");
    }
    RBL_TRY(rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), &file));
    const rblResult result = rbl_calls_replay_memory(file.bytes, file.size, path, out);
    rbl_file_bytes_free(&file);
    return result;
}

// ---- counting ----

static rblResult count_chunk(rblRecordingReader* reader, uint32_t type, rblByteSource* source)
{
    rblCallCounts* counts = reader->context;
    counts->shapes += type == RBL_CHUNK_RECIPE;
    counts->bytes = reader->offset + RBL_CHUNK_HEADER_SIZE + source->size;
    if (type == RBL_CHUNK_CALLS_END)
    {
        counts->complete = true;
        reader->done = true;
    }
    while (type == RBL_CHUNK_CALLS && rbl_source_left(source) > 0)
    {
        rblCall call;
        uint32_t shape = 0;
        RBL_TRY(check_call_version(reader, source));
        if (!rbl_take_call(source, &call, &shape))
        {
            return rbl_fail(RBL_ERROR_FORMAT, "a call is cut short or of an unknown kind");
        }
        counts->calls[call.code] += 1;
    }
    return RBL_OK;
}

rblResult rbl_count_calls(const char* path, rblCallCounts* out)
{
    rblFileBytes file;
    rblRun run;
    rblRecordingReader reader;
    RBL_TRY(rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), &file));
    *out = (rblCallCounts){.size = file.size};
    rbl_recording_reader_init(&reader, file.bytes, file.size, path, &run);
    reader.kind = RBL_RECORDING_OF_CALLS;
    reader.take_other = count_chunk;
    reader.context = out;
    const rblResult result = rbl_chunks_read(&reader, out->problem);
    snprintf(out->version, sizeof out->version, "%.31s", run.settings.version);
    rbl_recording_reader_free(&reader);
    rbl_run_free(&run);
    rbl_file_bytes_free(&file);
    return result;
}
