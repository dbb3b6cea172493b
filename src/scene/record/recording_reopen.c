// Continues an unfinished recording.
#define _POSIX_C_SOURCE 200809L // ftruncate, fileno
#include "base/error.h"
#include "io/file.h"
#include "mesh/mesh.h"
#include "scene/record/recording_format.h"
#include <errno.h>
#include <unistd.h>

// The existing file, read up to the last step to keep.
typedef struct Existing
{
    const char* path;
    rblFileBytes file;
    rblRun run;
    size_t end; // end of the last step to keep, bytes
    bool quantised;
} Existing;

static rblResult read_existing(const rblRecordingWriter* writer, Existing* existing)
{
    existing->path = writer->part;
    if (rbl_file_read(existing->path, SIZE_MAX, writer->allocator, &existing->file) == RBL_OK)
    {
        return RBL_OK;
    }
    existing->path = writer->path;
    return rbl_file_read(existing->path, SIZE_MAX, writer->allocator, &existing->file);
}

static rblResult load_existing(Existing* existing, uint32_t last_step)
{
    rblRecordingReader reader;
    char problem[256];
    rbl_recording_reader_init(&reader, existing->file.bytes, existing->file.size, existing->path,
                              &existing->run);
    reader.last_step = last_step;
    const rblResult result = rbl_chunks_read(&reader, problem);
    existing->end = reader.offset;
    existing->quantised = reader.quantised;
    rbl_recording_reader_free(&reader);
    return result;
}

static rblResult check_existing(const Existing* existing, const rblRun* run)
{
    const rblRunSettings* settings = &run->settings;
    const rblStatistics* have = &existing->run.statistics;
    const rblStatistics* want = &run->statistics;
    const bool same = existing->run.settings.text_size == settings->text_size &&
                      memcmp(existing->run.settings.text, settings->text, settings->text_size) == 0;
    if (!same)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: the recording is of another scene",
                        rbl_short_name(existing->path));
    }
    if (have->steps.count < want->steps.count || have->hash != want->hash)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: the recording must have the %zu steps before the checkpoint",
                        rbl_short_name(existing->path), want->steps.count - 1);
    }
    return RBL_OK;
}

static rblResult fail_write(const rblRecordingWriter* writer)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: %s", rbl_short_name(writer->part),
                    strerror(errno));
}

// An unfinished file is truncated after the step. Of a finished file, the beginning is copied.
static rblResult open_end(rblRecordingWriter* writer, const Existing* existing)
{
    const bool unfinished = existing->path == writer->part;
    writer->file = fopen(writer->part, unfinished ? "r+b" : "wb");
    if (writer->file == NULL)
    {
        return fail_write(writer);
    }
    setvbuf(writer->file, NULL, _IONBF, 0);
    const bool ready = unfinished
                           ? ftruncate(fileno(writer->file), (off_t)existing->end) == 0 &&
                                 fseek(writer->file, 0, SEEK_END) == 0
                           : fwrite(existing->file.bytes, 1, existing->end, writer->file) == existing->end;
    writer->offset = existing->end;
    return ready ? RBL_OK : fail_write(writer);
}

// Add the shapes of fragments. Those of the scene are in the run already.
static rblResult take_shapes(rblRun* run, const Existing* existing)
{
    for (size_t i = run->shapes.count; i < existing->run.shapes.count; ++i)
    {
        rblRunShape shape = existing->run.shapes.data[i];
        shape.name = rbl_run_text(run, shape.name, strlen(shape.name));
        shape.source = rbl_run_text(run, shape.source, strlen(shape.source));
        if (shape.name == NULL || shape.source == NULL || !rbl_array_reserve_more(&run->shapes, 1))
        {
            return rbl_fail_memory();
        }
        if (shape.surface.index1 != 0)
        {
            RBL_TRY(rbl_mesh_share(existing->run.shapes.data[i].surface, &shape.surface));
        }
        run->shapes.data[run->shapes.count++] = shape;
    }
    return RBL_OK;
}

static rblResult take_bodies(rblRun* run, const Existing* existing)
{
    for (size_t i = 0; i < existing->run.bodies.count; ++i)
    {
        RBL_TRY(rbl_run_push_body(run, &existing->run.bodies.data[i]));
    }
    return RBL_OK;
}

static rblResult reopen(rblRecordingWriter* writer, Existing* existing, rblRun* run)
{
    RBL_TRY(load_existing(existing, rbl_run_last_step(run)));
    RBL_TRY(check_existing(existing, run));
    RBL_TRY(take_shapes(run, existing));
    RBL_TRY(take_bodies(run, existing));
    writer->quantised = existing->quantised;
    writer->steps = (uint32_t)run->statistics.steps.count;
    writer->shapes = run->shapes.count;
    writer->fragments = run->statistics.steps.data[run->statistics.steps.count - 1].counters.fragments;
    return open_end(writer, existing);
}

rblResult rbl_recording_reopen(rblRecordingWriter* writer, const char* path, rblRun* run)
{
    Existing existing = {0};
    rbl_recording_init(writer, false);
    rblResult result = rbl_recording_set_names(writer, path, false);
    result = result == RBL_OK ? read_existing(writer, &existing) : result;
    if (result == RBL_OK)
    {
        result = reopen(writer, &existing, run);
        rbl_run_free(&existing.run);
        rbl_file_bytes_free(&existing.file);
    }
    if (result != RBL_OK)
    {
        rbl_recording_abandon(writer);
    }
    return result;
}
