// Recordings (.rbl): a run in a file. The file is written during the run and readable up to its last complete chunk, also after
// the writer crashed. The format is described in docs/recording.md.
//
// Readers call rbl_recording_load(), then the functions of scene/run/run.h.
#ifndef RBL_SCENE_RECORD_RECORDING_H
#define RBL_SCENE_RECORD_RECORDING_H

#include "base/bytes.h"
#include "scene/movie/frame.h"
#include <stdio.h>

#define RBL_RECORDING_VERSION 2u

// The oldest version that can be read: runs, and calls without breakers.
#define RBL_RECORDING_OLDEST 1u

// Number of the physics of this engine. It goes up with every release of which some scene ends in another state than before: a replay
// of a recording with another number may differ, and says so. 0: recordings from before this number.
#define RBL_PHYSICS 1u

// Why a replay may differ that was recorded by an engine with other physics; empty when it has the physics of this one.
void rbl_describe_physics(uint32_t version, uint32_t physics, char* out, size_t size);

// ---- reading ----

// Read a recording. Fails, with nothing to free, when the file cannot be read, is not a recording, has another version, or is
// damaged before its first step. Later damage, missing or unknown data ends the run there: `report` (may be null) says what and
// at which byte, and the run contains everything before. rbl_run_free() is required after success.
rblResult rbl_recording_load(const char* path, rblRun* run, rblRecordingReport* report);
rblResult rbl_recording_load_memory(const void* bytes, size_t size, const char* name, rblRun* run,
                                    rblRecordingReport* report);

// Whether bytes begin like a recording or checkpoint; and its kind, by the first bytes.
bool rbl_is_recording(const void* bytes, size_t size);
rblRecordingKind rbl_recording_kind_of(const void* bytes, size_t size);

// ---- writing ----

// The last state of a body in the file. The next state is stored as a difference to it.
typedef struct rblStateHistory
{
    uint32_t step; // step at which it was written last; RBL_NONE: never
    union
    {
        struct
        {
            int64_t now[7];    // rounded form: position and quaternion in quanta
            int64_t before[7]; // the same one step earlier
        };
        uint32_t bits[13]; // exact form, for reading: position, quaternion, velocity, spin
    };
} rblStateHistory;

// Packed states of a block of bodies.
typedef struct rblPackedBlock
{
    rblByteSink sink;
    uint32_t first, next; // first body, and the one after the last; equal: no body
} rblPackedBlock;

typedef struct rblRecordingWriter
{
    const rblAllocator* allocator;
    FILE* file;
    char* path; // final name
    char* part; // name until the file is complete; the same for a pipe or a device
    size_t names_size;
    uint64_t offset; // of the next chunk in the file
    bool quantised;
    uint32_t steps;                     // number of steps written
    size_t shapes;                      // number of shapes written
    uint32_t fragments;                 // number of fragments in the last record written
    rblByteSink header;                 // header of the current chunk
    rblByteSink sink;                   // payload of the current chunk
    uint32_t step;                      // step of the last rbl_recording_gather()
    bool full;                          // it includes all bodies
    RBL_ARRAY(rblStateHistory) history; // rounded form: by body of the run
    RBL_ARRAY(rblPackedBlock) blocks;   // packed states of that step, filled by rbl_pack_changes()
} rblRecordingWriter;

// Begin a file with the settings, materials and shapes of a run. Until rbl_recording_close() its name is PATH.part, and it can
// be read; an existing PATH is not changed before. After a failure there is nothing to close.
rblResult rbl_recording_open(rblRecordingWriter* writer, const char* path, const rblRun* run, bool quantise);

// Continue PATH.part or PATH. `run` has the settings and statistics of the earlier steps and gets the bodies of the file. Steps
// of the file after these are dropped. Fails, without changing the file, when it belongs to another run. The next frame must be
// full.
rblResult rbl_recording_reopen(rblRecordingWriter* writer, const char* path, rblRun* run);

// rbl_tracker_gather() for a recorded step: states are packed while they are in the cache.
rblResult rbl_recording_gather(rblRecordingWriter* writer, rblTracker* tracker, rblWorldId world,
                               uint32_t step, bool full);

// Write the last gathered step: new bodies, changes, and the last entry of the statistics. The first frame must be full.
rblResult rbl_recording_add(rblRecordingWriter* writer, const rblRun* run, const rblFrame* frame);

// Complete the file and rename it to PATH.
rblResult rbl_recording_close(rblRecordingWriter* writer, const rblRun* run);

// Stop without completing: PATH.part stays and is readable. Allowed on a zeroed writer, and after rbl_recording_close().
void rbl_recording_abandon(rblRecordingWriter* writer);

#endif
