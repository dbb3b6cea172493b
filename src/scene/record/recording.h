// Recordings (.rbl): a run in a file, written while it goes on and readable up to its last whole chunk whatever happens to
// the writer. The bytes are described in docs/recording.md.
//
// What consumers call: rbl_recording_load(), then everything of scene/run/run.h.
#ifndef RBL_SCENE_RECORD_RECORDING_H
#define RBL_SCENE_RECORD_RECORDING_H

#include "base/bytes.h"
#include "scene/movie/frame.h"
#include <stdio.h>

#define RBL_RECORDING_VERSION 2u

// The oldest version that can be read: runs, and calls without breakers.
#define RBL_RECORDING_OLDEST 1u

// ---- reading ----

// Read a recording. Fails, with nothing to free, when the file cannot be read, is no recording, is of another version, or
// is damaged before its first step. What is damaged, missing or foreign later ends the run there: `report` (may be null)
// then says what and at which byte, and all before it is in the run. rbl_run_free() after success.
rblResult rbl_recording_load(const char* path, rblRun* run, rblRecordingReport* report);
rblResult rbl_recording_load_memory(const void* bytes, size_t size, const char* name, rblRun* run,
                                    rblRecordingReport* report);

// Whether bytes begin as recordings and checkpoints do; which of them they are by their first bytes.
bool rbl_is_recording(const void* bytes, size_t size);
rblRecordingKind rbl_recording_kind_of(const void* bytes, size_t size);

// ---- writing ----

// The state of one body as the file has it so far: what the next one is a difference to.
typedef struct rblStateHistory
{
    uint32_t step; // at which it was written last; RBL_NONE: never
    union
    {
        struct
        {
            int64_t now[7];    // rounded form: position and quaternion in quanta,
            int64_t before[7]; // and a step earlier
        };
        uint32_t bits[13]; // exact form, when read: position, quaternion, velocity, spin
    };
} rblStateHistory;

// Bodies that were packed together.
typedef struct rblPackedBlock
{
    rblByteSink sink;
    uint32_t first, next; // first body, and the one after the last; equal: none
} rblPackedBlock;

typedef struct rblRecordingWriter
{
    const rblAllocator* allocator;
    FILE* file;
    char*
        path; // where it is to be, then where it is until it is complete (the same when it is a pipe or a device)
    char* part;
    size_t names_size;
    uint64_t offset; // of the next chunk
    bool quantised;
    uint32_t steps;                     // written
    size_t shapes;                      // written
    uint32_t fragments;                 // as it was written last
    rblByteSink header;                 // of the chunk at hand
    rblByteSink sink;                   // its payload
    uint32_t step;                      // gathered last,
    bool full;                          // and whether with all bodies
    RBL_ARRAY(rblStateHistory) history; // rounded form: by body of the run
    RBL_ARRAY(rblPackedBlock) blocks;   // states of that step, on their way into the sink
} rblRecordingWriter;

// Begin a file with the settings, materials and shapes of a run. Until rbl_recording_close() it is called PATH.part, and
// can be read; an existing PATH is not touched before. On failure there is nothing to close.
rblResult rbl_recording_open(rblRecordingWriter* writer, const char* path, const rblRun* run, bool quantise);

// Go on with PATH.part, or with PATH: `run` has the settings and statistics of the steps before, and receives the bodies that
// the file has. What the file has after the last of these steps is dropped. Fails, with the file as it was, when it is not
// of this run. The next frame must be full.
rblResult rbl_recording_reopen(rblRecordingWriter* writer, const char* path, rblRun* run);

// rbl_tracker_gather() for a step that is recorded: its states are packed while they are at hand.
rblResult rbl_recording_gather(rblRecordingWriter* writer, rblTracker* tracker, rblWorldId world,
                               uint32_t step, bool full);

// Add the step gathered last: the new bodies of the frame, its changes, and the last of the run's statistics. The first frame must be full.
rblResult rbl_recording_add(rblRecordingWriter* writer, const rblRun* run, const rblFrame* frame);

// Complete the file and give it its name.
rblResult rbl_recording_close(rblRecordingWriter* writer, const rblRun* run);

// Stop: PATH.part stays as it is, readable. Fine on a zeroed writer, and after rbl_recording_close().
void rbl_recording_abandon(rblRecordingWriter* writer);

#endif
