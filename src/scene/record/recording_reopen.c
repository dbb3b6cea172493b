// Going on with a recording that was left unfinished.
#define _POSIX_C_SOURCE 200809L // ftruncate, fileno
#include "base/error.h"
#include "io/file.h"
#include "mesh/mesh.h"
#include "scene/record/recording_format.h"
#include <errno.h>
#include <unistd.h>

// The file to go on with, read as far as it is wanted.
typedef struct Left
{
    const char* path;
    rblFileBytes file;
    rblRun run;
    size_t end; // of the last step wanted
    bool quantised;
} Left;

static rblResult read_left(const rblRecordingWriter* writer, Left* left)
{
    left->path = writer->part;
    if (rbl_file_read(left->path, SIZE_MAX, writer->allocator, &left->file) == RBL_OK)
    {
        return RBL_OK;
    }
    left->path = writer->path;
    return rbl_file_read(left->path, SIZE_MAX, writer->allocator, &left->file);
}

static rblResult load_left(Left* left, uint32_t last_step)
{
    rblRecordingReader reader;
    char problem[256];
    rbl_recording_reader_init(&reader, left->file.bytes, left->file.size, left->path, &left->run);
    reader.last_step = last_step;
    const rblResult result = rbl_chunks_read(&reader, problem);
    left->end = reader.offset;
    left->quantised = reader.quantised;
    rbl_recording_reader_free(&reader);
    return result;
}

static rblResult check_left(const Left* left, const rblRun* run)
{
    const rblRunSettings* settings = &run->settings;
    const rblStatistics* have = &left->run.statistics;
    const rblStatistics* want = &run->statistics;
    const bool same = left->run.settings.text_size == settings->text_size &&
                      memcmp(left->run.settings.text, settings->text, settings->text_size) == 0;
    if (!same)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: it is a recording of another scene",
                        rbl_short_name(left->path));
    }
    if (have->steps.count < want->steps.count || have->hash != want->hash)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: it does not hold the %zu steps before the checkpoint",
                        rbl_short_name(left->path), want->steps.count - 1);
    }
    return RBL_OK;
}

static rblResult fail_write(const rblRecordingWriter* writer)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: %s", rbl_short_name(writer->part),
                    strerror(errno));
}

// The unfinished file is cut after the step; of a finished one the beginning is copied.
static rblResult open_end(rblRecordingWriter* writer, const Left* left)
{
    const bool unfinished = left->path == writer->part;
    writer->file = fopen(writer->part, unfinished ? "r+b" : "wb");
    if (writer->file == NULL)
    {
        return fail_write(writer);
    }
    setvbuf(writer->file, NULL, _IONBF, 0);
    const bool ready = unfinished ? ftruncate(fileno(writer->file), (off_t)left->end) == 0 &&
                                        fseek(writer->file, 0, SEEK_END) == 0
                                  : fwrite(left->file.bytes, 1, left->end, writer->file) == left->end;
    writer->offset = left->end;
    return ready ? RBL_OK : fail_write(writer);
}

// Shapes of fragments: those of the scene are in the run.
static rblResult take_shapes(rblRun* run, const Left* left)
{
    for (size_t i = run->shapes.count; i < left->run.shapes.count; ++i)
    {
        rblRunShape shape = left->run.shapes.data[i];
        shape.name = rbl_run_text(run, shape.name, strlen(shape.name));
        shape.source = rbl_run_text(run, shape.source, strlen(shape.source));
        if (shape.name == NULL || shape.source == NULL || !rbl_array_reserve_more(&run->shapes, 1))
        {
            return rbl_fail_memory();
        }
        if (shape.surface.index1 != 0)
        {
            RBL_TRY(rbl_mesh_share(left->run.shapes.data[i].surface, &shape.surface));
        }
        run->shapes.data[run->shapes.count++] = shape;
    }
    return RBL_OK;
}

static rblResult take_bodies(rblRun* run, const Left* left)
{
    for (size_t i = 0; i < left->run.bodies.count; ++i)
    {
        RBL_TRY(rbl_run_push_body(run, &left->run.bodies.data[i]));
    }
    return RBL_OK;
}

static rblResult reopen(rblRecordingWriter* writer, Left* left, rblRun* run)
{
    RBL_TRY(load_left(left, rbl_run_last_step(run)));
    RBL_TRY(check_left(left, run));
    RBL_TRY(take_shapes(run, left));
    RBL_TRY(take_bodies(run, left));
    writer->quantised = left->quantised;
    writer->steps = (uint32_t)run->statistics.steps.count;
    writer->shapes = run->shapes.count;
    writer->fragments = run->statistics.steps.data[run->statistics.steps.count - 1].counters.fragments;
    return open_end(writer, left);
}

rblResult rbl_recording_reopen(rblRecordingWriter* writer, const char* path, rblRun* run)
{
    Left left = {0};
    rbl_recording_init(writer, false);
    rblResult result = rbl_recording_set_names(writer, path, false);
    result = result == RBL_OK ? read_left(writer, &left) : result;
    if (result == RBL_OK)
    {
        result = reopen(writer, &left, run);
        rbl_run_free(&left.run);
        rbl_file_bytes_free(&left.file);
    }
    if (result != RBL_OK)
    {
        rbl_recording_abandon(writer);
    }
    return result;
}
