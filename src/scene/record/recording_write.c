// Writes recordings: each chunk is made in memory and written with one call, so that readers find it complete or not at all.
#define _POSIX_C_SOURCE 200809L // stat
#include "base/error.h"
#include "io/file.h"
#include "mesh/mesh_codec.h"
#include "rubble/version.h"
#include "scene/record/recording_format.h"
#include <errno.h>
#include <sys/stat.h>

#define PART_ENDING ".part"

uint64_t rbl_chunk_check(uint64_t offset, const uint8_t head[8], const void* payload, size_t size)
{
    return rbl_check64(rbl_check64(offset, head, 8), payload, size);
}

// ---- the file ----

static rblResult fail_write(const rblRecordingWriter* writer, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: %s", rbl_short_name(writer->part),
                    error != 0 ? strerror(error) : "the disk may be full");
}

rblResult rbl_recording_set_names(rblRecordingWriter* writer, const char* path, bool direct)
{
    const size_t length = strlen(path);
    writer->names_size = 2 * (length + sizeof PART_ENDING);
    writer->path = rbl_alloc(writer->allocator, writer->names_size);
    if (writer->path == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(writer->path, path, length + 1);
    writer->part = direct ? writer->path : writer->path + length + 1;
    if (!direct)
    {
        memcpy(writer->part, path, length);
        memcpy(writer->part + length, PART_ENDING, sizeof PART_ENDING);
    }
    return RBL_OK;
}

// A file left by another recording may be overwritten, any other file not.
static rblResult check_part(const char* part)
{
    uint8_t start[RBL_SIGNATURE_SIZE];
    FILE* file = fopen(part, "rb");
    if (file == NULL)
    {
        return RBL_OK;
    }
    const size_t got = fread(start, 1, sizeof start, file);
    fclose(file);
    return got == 0 || rbl_is_recording(start, got)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FILE, "%s: exists already and is not a recording", rbl_short_name(part));
}

static rblResult open_file(rblRecordingWriter* writer, const char* path)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: %s", rbl_short_name(path), strerror(EISDIR));
    }
    RBL_TRY(rbl_recording_set_names(writer, path, exists && !S_ISREG(status.st_mode)));
    if (writer->part != writer->path)
    {
        RBL_TRY(check_part(writer->part));
    }
    writer->file = fopen(writer->part, "wb");
    if (writer->file == NULL)
    {
        return fail_write(writer, errno);
    }
    setvbuf(writer->file, NULL, _IONBF, 0); // chunks are written whole, so no buffer is needed
    return RBL_OK;
}

static rblResult write_bytes(rblRecordingWriter* writer, const void* bytes, size_t size)
{
    errno = 0;
    if (size > 0 && fwrite(bytes, 1, size, writer->file) != size)
    {
        return fail_write(writer, errno);
    }
    writer->offset += size;
    return RBL_OK;
}

rblResult rbl_recording_write_chunk(rblRecordingWriter* writer, uint32_t type)
{
    const rblByteArray* payload = &writer->sink.bytes;
    rblByteSink* header = &writer->header;
    if (!writer->sink.failed && payload->count > RBL_MAX_CHUNK_BYTES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "%s: a chunk must have at most %u bytes",
                        rbl_short_name(writer->part), RBL_MAX_CHUNK_BYTES);
    }
    rbl_sink_clear(header);
    rbl_put_u32(header, type);
    rbl_put_u32(header, (uint32_t)payload->count);
    if (writer->sink.failed || header->failed)
    {
        return rbl_fail_memory();
    }
    rbl_put_u64(header, rbl_chunk_check(writer->offset, header->bytes.data, payload->data, payload->count));
    if (header->failed)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(write_bytes(writer, header->bytes.data, header->bytes.count));
    return write_bytes(writer, payload->data, payload->count);
}

// ---- settings, materials and shapes ----

static rblResult write_file_header(rblRecordingWriter* writer)
{
    rbl_sink_clear(&writer->header);
    rbl_put_bytes(&writer->header, RBL_RECORDING_SIGNATURE, RBL_SIGNATURE_SIZE);
    rbl_put_u32(&writer->header, RBL_RECORDING_VERSION);
    rbl_put_u32(&writer->header, RBL_PHYSICS | (RBL_PHYSICS ^ 0xFFFFu) << 16);
    return writer->header.failed ? rbl_fail_memory()
                                 : write_bytes(writer, writer->header.bytes.data, writer->header.bytes.count);
}

static rblResult write_head(rblRecordingWriter* writer, const rblRunSettings* settings, uint32_t kind)
{
    rblByteSink* sink = &writer->sink;
    rbl_sink_clear(sink);
    rbl_put_u8(sink, kind);
    rbl_put_u8(sink, writer->quantised);
    rbl_put_string(sink, settings->version);
    rbl_put_string(sink, settings->name);
    rbl_put_string(sink, settings->about);
    rbl_put_text(sink, settings->text, settings->text_size);
    rbl_put_u64(sink, settings->seed);
    rbl_put_f64(sink, settings->step);
    rbl_put_u32(sink, settings->step_count);
    rbl_put_u32(sink, settings->substeps);
    rbl_put_u8(sink, settings->sleeping);
    rbl_put_floats(sink, &settings->gravity.x, 3);
    rbl_put_u8(sink, settings->has_camera);
    rbl_put_floats(sink, &settings->camera.eye.x, 3);
    rbl_put_floats(sink, &settings->camera.target.x, 3);
    rbl_put_f32(sink, settings->camera.fov);
    rbl_put_f32(sink, writer->quantised ? RBL_POSITION_QUANTUM : 0.0f);
    rbl_put_f32(sink, writer->quantised ? RBL_ROTATION_QUANTUM : 0.0f);
    return rbl_recording_write_chunk(writer, RBL_CHUNK_HEAD);
}

static rblResult write_materials(rblRecordingWriter* writer, const rblRun* run)
{
    rblByteSink* sink = &writer->sink;
    rbl_sink_clear(sink);
    rbl_put_varint(sink, run->materials.count);
    for (size_t i = 0; i < run->materials.count; ++i)
    {
        const rblSceneMaterial* material = &run->materials.data[i];
        rbl_put_string(sink, material->name);
        rbl_put_floats(sink, &material->values.density, RBL_RECORDED_MATERIAL);
        rbl_put_floats(sink, material->color, 3);
    }
    return rbl_recording_write_chunk(writer, RBL_CHUNK_MATERIALS);
}

static rblResult write_shape(rblRecordingWriter* writer, const rblRunShape* shape)
{
    rblByteSink* sink = &writer->sink;
    rbl_sink_clear(sink);
    rbl_put_string(sink, shape->name);
    rbl_put_string(sink, shape->source);
    rbl_put_u8(sink, shape->plane ? 0 : 1);
    rbl_put_floats(sink, &shape->normal.x, 3);
    rbl_put_doubles(sink, &shape->mass.volume, sizeof shape->mass / sizeof(double));
    rbl_put_u8(sink, shape->surface.index1 != 0);
    if (shape->surface.index1 != 0)
    {
        rblMeshView view;
        RBL_TRY(rbl_mesh_view(shape->surface, &view));
        rbl_put_mesh(sink, &view);
    }
    return rbl_recording_write_chunk(writer, RBL_CHUNK_SHAPE);
}

static rblResult write_new_shapes(rblRecordingWriter* writer, const rblRun* run)
{
    for (; writer->shapes < run->shapes.count; ++writer->shapes)
    {
        RBL_TRY(write_shape(writer, &run->shapes.data[writer->shapes]));
    }
    return RBL_OK;
}

static rblResult begin(rblRecordingWriter* writer, const char* path, const rblRun* run, uint32_t kind)
{
    RBL_TRY(open_file(writer, path));
    RBL_TRY(write_file_header(writer));
    RBL_TRY(write_head(writer, &run->settings, kind));
    RBL_TRY(write_materials(writer, run));
    return write_new_shapes(writer, run);
}

void rbl_recording_init(rblRecordingWriter* writer, bool quantise)
{
    const rblAllocator* allocator = rbl_default_allocator();
    *writer = (rblRecordingWriter){.allocator = allocator, .quantised = quantise};
    rbl_sink_init(&writer->header, allocator);
    rbl_sink_init(&writer->sink, allocator);
    rbl_array_init(&writer->history, allocator);
    rbl_array_init(&writer->blocks, allocator);
}

static rblResult begin_or_remove(rblRecordingWriter* writer, const char* path, const rblRun* run,
                                 uint32_t kind)
{
    const rblResult result = begin(writer, path, run, kind);
    if (result != RBL_OK)
    {
        if (writer->file != NULL && writer->part != writer->path)
        {
            remove(writer->part);
        }
        rbl_recording_abandon(writer);
    }
    return result;
}

rblResult rbl_recording_begin(rblRecordingWriter* writer, const char* path, const rblRun* run, uint32_t kind)
{
    rbl_recording_init(writer, false);
    return begin_or_remove(writer, path, run, kind);
}

rblResult rbl_recording_open(rblRecordingWriter* writer, const char* path, const rblRun* run, bool quantise)
{
    rbl_recording_init(writer, quantise);
    return begin_or_remove(writer, path, run, RBL_RECORDING_OF_SCENE);
}

// ---- steps ----

static rblResult write_bodies(rblRecordingWriter* writer, const rblRun* run, const rblFrame* frame)
{
    rblByteSink* sink = &writer->sink;
    if (frame->first_body == run->bodies.count)
    {
        return RBL_OK;
    }
    rbl_sink_clear(sink);
    rbl_put_varint(sink, frame->step);
    rbl_put_varint(sink, run->bodies.count - frame->first_body);
    for (size_t i = frame->first_body; i < run->bodies.count; ++i)
    {
        const rblRunBody* body = &run->bodies.data[i];
        rbl_put_string(sink, body->name);
        rbl_put_varint(sink, body->shape);
        rbl_put_varint(sink, body->material);
        rbl_put_varint(sink, body->parent == RBL_NONE ? 0 : (uint64_t)body->parent + 1);
        rbl_put_u8(sink, body->type);
        rbl_put_f32(sink, body->mass);
    }
    return rbl_recording_write_chunk(writer, RBL_CHUNK_BODIES);
}

void rbl_put_step_record(rblByteSink* sink, const rblStepRecord* record)
{
    const rblCounters* c = &record->counters;
    const uint32_t counts[] = {c->bodies,  c->awake,  c->pairs,  c->touching, c->contacts, c->colliding,
                               c->islands, c->colors, c->joints, c->fast,     c->frozen};
    const rblEnergy* e = &record->energy;
    const double energies[] = {e->kinetic, e->potential, e->work, e->dissipated, e->clamped};
    rbl_put_u64(sink, record->hash);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    {
        rbl_put_varint(sink, counts[i]);
    }
    rbl_put_varint(sink, c->bytes);
    rbl_put_doubles(sink, energies, sizeof energies / sizeof energies[0]);
    rbl_put_varint(sink, e->clamp_count);
    rbl_put_doubles(sink, e->momentum, 3);
    rbl_put_doubles(sink, e->angular_momentum, 3);
    rbl_put_doubles(sink, e->drift_momentum, 3);
    rbl_put_doubles(sink, &record->times.total, sizeof record->times / sizeof(double));
}

static void put_deaths(rblByteSink* sink, const rblFrame* frame)
{
    uint32_t next = 0;
    rbl_put_varint(sink, frame->deaths.count);
    for (size_t i = 0; i < frame->deaths.count; ++i)
    {
        rbl_put_varint(sink, frame->deaths.data[i] - next);
        next = frame->deaths.data[i] + 1;
    }
}

void rbl_put_events(rblByteSink* sink, const rblStatistics* statistics, size_t first)
{
    rbl_put_varint(sink, statistics->events.count - first);
    for (size_t i = first; i < statistics->events.count; ++i)
    {
        const rblEventRecord* event = &statistics->events.data[i];
        rbl_put_f64(sink, event->time);
        rbl_put_string(sink, event->type);
        rbl_put_string(sink, event->body);
        rbl_put_varint(sink, event->pieces);
        rbl_put_f64(sink, event->impulse);
    }
}

static void put_contacts(rblByteSink* sink, const rblFrame* frame, bool quantised)
{
    rbl_put_varint(sink, frame->contacts.count);
    for (size_t i = 0; i < frame->contacts.count; ++i)
    {
        const rblRunContact* contact = &frame->contacts.data[i];
        rbl_put_u8(sink, contact->kind);
        rbl_put_varint(sink, contact->a == RBL_NONE ? 0 : (uint64_t)contact->a + 1);
        rbl_put_varint(sink, contact->b == RBL_NONE ? 0 : (uint64_t)contact->b + 1);
        if (contact->kind == RBL_CONTACT_IMPACT)
        {
            rbl_put_impact(sink, contact, quantised);
        }
    }
}

// Write the breaks of a step, if any.
static rblResult write_breaks(rblRecordingWriter* writer, const rblRun* run, const rblFrame* frame)
{
    const rblStatistics* statistics = &run->statistics;
    const uint32_t fragments = statistics->steps.data[statistics->steps.count - 1].counters.fragments;
    bool any = fragments != writer->fragments;
    for (size_t i = frame->first_event; i < statistics->events.count; ++i)
    {
        any = any || statistics->events.data[i].pieces > 0;
    }
    if (!any)
    {
        return RBL_OK;
    }
    writer->fragments = fragments;
    rbl_sink_clear(&writer->sink);
    rbl_put_varint(&writer->sink, fragments);
    rbl_put_break_costs(&writer->sink, statistics, frame->first_event);
    return rbl_recording_write_chunk(writer, RBL_CHUNK_BREAKS);
}

void rbl_put_break_costs(rblByteSink* sink, const rblStatistics* statistics, size_t first)
{
    rbl_put_varint(sink, statistics->events.count - first);
    for (size_t i = first; i < statistics->events.count; ++i)
    {
        const rblEventRecord* event = &statistics->events.data[i];
        const double costs[3] = {event->surface_energy, event->heat, event->mass_error};
        rbl_put_doubles(sink, costs, 3);
    }
    for (size_t i = first; i < statistics->events.count; ++i)
    {
        rbl_put_doubles(sink, &statistics->events.data[i].elastic_energy, 1);
    }
}

rblResult rbl_recording_add(rblRecordingWriter* writer, const rblRun* run, const rblFrame* frame)
{
    RBL_TRY(write_new_shapes(writer, run));
    RBL_TRY(write_bodies(writer, run, frame));
    rbl_sink_clear(&writer->sink);
    rbl_put_varint(&writer->sink, frame->step);
    rbl_put_u8(&writer->sink, frame->full);
    rbl_put_step_record(&writer->sink, &run->statistics.steps.data[run->statistics.steps.count - 1]);
    put_deaths(&writer->sink, frame);
    rbl_put_events(&writer->sink, &run->statistics, frame->first_event);
    put_contacts(&writer->sink, frame, writer->quantised);
    rbl_put_changes(writer, run->bodies.count);
    RBL_TRY(rbl_recording_write_chunk(writer, RBL_CHUNK_STEP));
    RBL_TRY(write_breaks(writer, run, frame));
    writer->steps += 1;
    return RBL_OK;
}

// ---- the end ----

rblResult rbl_recording_rename(rblRecordingWriter* writer)
{
    FILE* file = writer->file;
    writer->file = NULL;
    errno = 0;
    if (fclose(file) != 0)
    {
        return fail_write(writer, errno);
    }
    if (writer->part != writer->path && rename(writer->part, writer->path) != 0)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: %s", rbl_short_name(writer->path),
                        strerror(errno));
    }
    return RBL_OK;
}

rblResult rbl_recording_close(rblRecordingWriter* writer, const rblRun* run)
{
    rbl_sink_clear(&writer->sink);
    rbl_put_varint(&writer->sink, rbl_run_last_step(run));
    rbl_put_u64(&writer->sink, run->statistics.hash);
    rblResult result = rbl_recording_write_chunk(writer, RBL_CHUNK_DONE);
    result = result == RBL_OK ? rbl_recording_rename(writer) : result;
    rbl_recording_abandon(writer);
    return result;
}

void rbl_recording_abandon(rblRecordingWriter* writer)
{
    if (writer->allocator == NULL)
    {
        return;
    }
    if (writer->file != NULL)
    {
        fclose(writer->file);
    }
    rbl_free(writer->allocator, writer->path, writer->names_size);
    rbl_sink_free(&writer->header);
    rbl_sink_free(&writer->sink);
    for (size_t i = 0; i < writer->blocks.count; ++i)
    {
        rbl_sink_free(&writer->blocks.data[i].sink);
    }
    rbl_array_free(&writer->blocks);
    rbl_array_free(&writer->history);
    *writer = (rblRecordingWriter){0};
}
