// Reads recordings. A file is untrusted: each chunk must have the right checksum, and its contents are checked as well. A chunk
// is read completely or not at all.
#include "base/error.h"
#include "io/file.h"
#include "scene/record/recording_format.h"

bool rbl_is_recording(const void* bytes, size_t size)
{
    return size >= RBL_SIGNATURE_SIZE && memcmp(bytes, RBL_RECORDING_SIGNATURE, RBL_SIGNATURE_SIZE) == 0;
}

rblRecordingKind rbl_recording_kind_of(const void* bytes, size_t size)
{
    const size_t payload = RBL_FILE_HEADER_SIZE + RBL_CHUNK_HEADER_SIZE;
    if (!rbl_is_recording(bytes, size))
    {
        return RBL_RECORDING_NONE;
    }
    const uint8_t content = size > payload ? ((const uint8_t*)bytes)[payload] : RBL_RECORDING_OF_SCENE;
    return content == RBL_RECORDING_OF_CALLS        ? RBL_RECORDING_CALLS
           : content == RBL_RECORDING_OF_CHECKPOINT ? RBL_RECORDING_CHECKPOINT
                                                    : RBL_RECORDING_RUN;
}

// ---- chunks ----

static rblResult damaged(const char* what)
{
    return rbl_fail(RBL_ERROR_FORMAT, "%s", what);
}

// Find the chunk at the offset and verify it.
static rblResult find_chunk(const rblRecordingReader* reader, uint32_t* type, rblByteSource* payload)
{
    const uint8_t* head = reader->bytes + reader->offset;
    const size_t left = reader->size - reader->offset;
    if (left < RBL_CHUNK_HEADER_SIZE)
    {
        return damaged("the file ends within the header of a chunk");
    }
    *type = rbl_load_u32(head);
    const size_t length = rbl_load_u32(head + 4);
    if (length > left - RBL_CHUNK_HEADER_SIZE)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "the file ends within a chunk: %zu of %zu bytes are there",
                        left - RBL_CHUNK_HEADER_SIZE, length);
    }
    const uint8_t* data = head + RBL_CHUNK_HEADER_SIZE;
    if (rbl_chunk_check(reader->offset, head, data, length) != rbl_load_u64(head + 8))
    {
        return damaged("the chunk is damaged: the checksum does not match");
    }
    *payload = (rblByteSource){.data = data, .size = length};
    return RBL_OK;
}

static rblResult read_next(rblRecordingReader* reader)
{
    uint32_t type = 0;
    rblByteSource payload;
    if (reader->done)
    {
        return damaged("bytes after the end");
    }
    RBL_TRY(find_chunk(reader, &type, &payload));
    RBL_TRY(rbl_take_chunk(reader, type, &payload));
    reader->offset += RBL_CHUNK_HEADER_SIZE + payload.size;
    reader->chunks += 1;
    return RBL_OK;
}

void rbl_describe_physics(uint32_t version, uint32_t physics, char* out, size_t size)
{
    out[0] = '\0';
    if (version < RBL_RECORDING_VERSION)
    {
        snprintf(out, size, "version %u of recordings is of an engine with other physics", version);
    }
    else if (physics != RBL_PHYSICS)
    {
        snprintf(out, size, "the recording is of an engine with physics %u, this one has physics %u", physics,
                 RBL_PHYSICS);
    }
}

static rblResult check_file(rblRecordingReader* reader)
{
    if (!rbl_is_recording(reader->bytes, reader->size))
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: byte 0: this is not a recording",
                        rbl_short_name(reader->name));
    }
    if (reader->size < RBL_FILE_HEADER_SIZE)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: byte %zu: the file ends within its header",
                        rbl_short_name(reader->name), reader->size);
    }
    const uint32_t version = rbl_load_u32(reader->bytes + RBL_SIGNATURE_SIZE);
    const uint32_t physics = rbl_load_u32(reader->bytes + RBL_SIGNATURE_SIZE + 4);
    const bool old = version >= RBL_RECORDING_OLDEST && reader->kind != RBL_RECORDING_OF_CHECKPOINT;
    const bool known = version == RBL_RECORDING_VERSION || (old && version < RBL_RECORDING_VERSION);
    reader->version = version;
    reader->physics = physics & 0xFFFFu;
    if (known && physics != 0 && (physics >> 16 ^ reader->physics) != 0xFFFFu)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: byte %u: the header of the file is damaged",
                        rbl_short_name(reader->name), RBL_SIGNATURE_SIZE + 4);
    }
    return known ? RBL_OK
                 : rbl_fail(RBL_ERROR_UNSUPPORTED,
                            "%s: byte %u: version %u of recordings; this version of Rubble reads version %u",
                            rbl_short_name(reader->name), RBL_SIGNATURE_SIZE, version, RBL_RECORDING_VERSION);
}

// The breaks of a step follow it in another chunk, so reading stops only after that.
static bool has_enough(const rblRecordingReader* reader)
{
    const bool breaks = reader->size - reader->offset >= RBL_CHUNK_HEADER_SIZE &&
                        rbl_load_u32(reader->bytes + reader->offset) == RBL_CHUNK_BREAKS;
    return reader->last_step != RBL_NONE && reader->run->statistics.steps.count > reader->last_step &&
           !breaks;
}

rblResult rbl_chunks_read(rblRecordingReader* reader, char problem[256])
{
    RBL_TRY(check_file(reader));
    rblResult result = RBL_OK;
    problem[0] = '\0';
    reader->offset = RBL_FILE_HEADER_SIZE;
    while (result == RBL_OK && reader->offset < reader->size && !has_enough(reader))
    {
        result = read_next(reader);
    }
    rbl_drop_unsettled(reader);
    if (result != RBL_OK && result != RBL_ERROR_MEMORY)
    {
        char reason[RBL_ERROR_TEXT_SIZE];
        snprintf(reason, sizeof reason, "%s", rbl_last_error());
        snprintf(problem, 256, "byte %llu: %.200s", (unsigned long long)reader->offset, reason);
    }
    return result == RBL_ERROR_MEMORY ? result : RBL_OK;
}

// Read all chunks up to the first invalid one. RBL_OK when there is at least one step.
static rblResult read_all(rblRecordingReader* reader, char problem[256])
{
    RBL_TRY(rbl_chunks_read(reader, problem));
    if (reader->run->statistics.steps.count > 0)
    {
        return RBL_OK;
    }
    if (problem[0] == '\0')
    {
        snprintf(problem, 256, "byte %zu: the file ends before the first step", reader->size);
    }
    return rbl_fail(RBL_ERROR_FORMAT, "%s: %s", rbl_short_name(reader->name), problem);
}

void rbl_recording_reader_init(rblRecordingReader* reader, const void* bytes, size_t size, const char* name,
                               rblRun* run)
{
    const rblAllocator* allocator = rbl_default_allocator();
    *reader =
        (rblRecordingReader){.last_step = RBL_NONE, .name = name, .bytes = bytes, .size = size, .run = run};
    rbl_run_init(run, allocator);
    rbl_frame_init(&reader->frame, allocator);
    rbl_array_init(&reader->history, allocator);
}

void rbl_recording_reader_free(rblRecordingReader* reader)
{
    rbl_frame_free(&reader->frame);
    rbl_array_free(&reader->history);
}

static rblResult complete(rblRecordingReader* reader)
{
    RBL_TRY(rbl_run_end_tracks(reader->run));
    reader->run->complete = reader->done;
    if (reader->quantised)
    {
        rbl_run_derive_velocities(reader->run);
    }
    return RBL_OK;
}

rblResult rbl_recording_load_memory(const void* bytes, size_t size, const char* name, rblRun* run,
                                    rblRecordingReport* report)
{
    rblRecordingReport found = {.size = size};
    rblRun loaded;
    rblRecordingReader reader;
    rbl_recording_reader_init(&reader, bytes, size, name, &loaded);
    rblResult result = read_all(&reader, found.problem);
    result = result == RBL_OK ? complete(&reader) : result;
    rbl_recording_reader_free(&reader);
    if (result != RBL_OK)
    {
        rbl_run_free(&loaded);
        return result;
    }
    found.used = reader.offset;
    found.chunks = reader.chunks;
    found.quantised = reader.quantised;
    found.version = reader.version;
    loaded.recording = reader.version;
    loaded.physics = reader.physics;
    *run = loaded;
    if (report != NULL)
    {
        *report = found;
    }
    return RBL_OK;
}

rblResult rbl_recording_load(const char* path, rblRun* run, rblRecordingReport* report)
{
    rblFileBytes file;
    RBL_TRY(rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), &file));
    const rblResult result = rbl_recording_load_memory(file.bytes, file.size, path, run, report);
    rbl_file_bytes_free(&file);
    return result;
}
