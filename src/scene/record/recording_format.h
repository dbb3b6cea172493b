// The format that writer and reader of recordings share (docs/recording.md).
#ifndef RBL_SCENE_RECORD_RECORDING_FORMAT_H
#define RBL_SCENE_RECORD_RECORDING_FORMAT_H

#include "rubble/recorder.h"
#include "scene/record/recording.h"

// The first byte is not text; the rest detects transfers that change line ends.
#define RBL_RECORDING_SIGNATURE "\x89RBL\r\n\x1a\n"
#define RBL_SIGNATURE_SIZE      8u
#define RBL_FILE_HEADER_SIZE    16u // signature, version, physics and its complement
#define RBL_CHUNK_HEADER_SIZE   16u // type, length, checksum
#define RBL_MAX_CHUNK_BYTES     (1u << 30)
#define RBL_RECORDED_MATERIAL   8u // floats of a material in files: those before `reserved`
_Static_assert(offsetof(rblMaterial, reserved) == RBL_RECORDED_MATERIAL * sizeof(float),
               "all properties are recorded");

#define RBL_CHUNK_TYPE(a, b, c, d)                                                                           \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define RBL_CHUNK_HEAD       RBL_CHUNK_TYPE('H', 'E', 'A', 'D')
#define RBL_CHUNK_MATERIALS  RBL_CHUNK_TYPE('M', 'A', 'T', 'S')
#define RBL_CHUNK_SHAPE      RBL_CHUNK_TYPE('S', 'H', 'A', 'P')
#define RBL_CHUNK_BODIES     RBL_CHUNK_TYPE('B', 'O', 'D', 'Y')
#define RBL_CHUNK_STEP       RBL_CHUNK_TYPE('S', 'T', 'E', 'P')
#define RBL_CHUNK_DONE       RBL_CHUNK_TYPE('D', 'O', 'N', 'E')
#define RBL_CHUNK_BREAKS     RBL_CHUNK_TYPE('b', 'r', 'k', 's') // optional: readers may skip it
#define RBL_CHUNK_STATISTICS RBL_CHUNK_TYPE('S', 'T', 'A', 'T')
#define RBL_CHUNK_WORLD      RBL_CHUNK_TYPE('W', 'R', 'L', 'D')
#define RBL_CHUNK_WORLD_DEF  RBL_CHUNK_TYPE('W', 'D', 'E', 'F')
#define RBL_CHUNK_RECIPE     RBL_CHUNK_TYPE('R', 'C', 'P', 'E')
#define RBL_CHUNK_BREAKER    RBL_CHUNK_TYPE('B', 'R', 'K', 'R')
#define RBL_CHUNK_EVENT      RBL_CHUNK_TYPE('E', 'V', 'N', 'T')
#define RBL_CHUNK_DATA       RBL_CHUNK_TYPE('D', 'A', 'T', 'A')
#define RBL_CHUNK_CALLS      RBL_CHUNK_TYPE('C', 'A', 'L', 'L')
#define RBL_CHUNK_CALLS_END  RBL_CHUNK_TYPE('E', 'N', 'D', 'C')

enum
{
    RBL_RECORDING_OF_SCENE = 0,
    RBL_RECORDING_OF_CALLS = 1,
    RBL_RECORDING_OF_CHECKPOINT = 2
};

// Quanta of the rounded form: powers of two, so that multiples are exact. The rounding error of a pose is at most half a
// quantum.
#define RBL_POSITION_QUANTUM (1.0f / 16384.0f)
#define RBL_ROTATION_QUANTUM (1.0f / 32768.0f)
#define RBL_IMPACT_QUANTUM   (1.0f / 1024.0f)

// The checksum of a chunk. It includes the offset in the file, so that moved chunks are detected.
uint64_t rbl_chunk_check(uint64_t offset, const uint8_t head[8], const void* payload, size_t size);

// States of bodies, as differences to their histories. A state takes at most RBL_MAX_STATE_BYTES; the result is the end of the
// written bytes.
uint8_t* rbl_store_state(uint8_t* to, const rblFrameChange* change, const rblFrameChange* before);
void rbl_take_state(rblByteSource* source, rblStateHistory* history, rblFrameChange* change);

// Largest size of a state, in either form.
#define RBL_MAX_STATE_BYTES 72u

// The rounded form: a pose in quanta, and whether it differs from the history. `step` shows whether the body was written in the
// step before.
typedef struct rblRoundedPose
{
    int64_t coordinates[7];
} rblRoundedPose;

bool rbl_round_pose(const rblStateHistory* history, const rblFrameChange* change, rblRoundedPose* out);
uint8_t* rbl_store_rounded(uint8_t* to, rblStateHistory* history, uint32_t step, const rblRoundedPose* pose);
void rbl_take_rounded(rblByteSource* source, rblStateHistory* history, uint32_t step, rblFrameChange* change);

// Counters, energies, milliseconds and hash of a step; events.
void rbl_put_step_record(rblByteSink* sink, const rblStepRecord* record);
void rbl_take_step_record(rblByteSource* source, rblStepRecord* record);
void rbl_put_events(rblByteSink* sink, const rblStatistics* statistics, size_t first);

// Energies of break events, in their order.
void rbl_put_break_costs(rblByteSink* sink, const rblStatistics* statistics, size_t first);
void rbl_take_break_costs(rblByteSource* source, rblEventRecord* events, uint32_t count);

// The changes of a step, in three parts: reserve memory; pack states, as the rblChangesFcn of a writer; append them to the
// chunk of the step.
rblResult rbl_pack_begin(rblRecordingWriter* writer, size_t body_count, uint32_t step, bool full);
void rbl_pack_changes(uint32_t block, const rblFrameChange* changes, const rblFrameChange* before,
                      uint32_t count, void* context);
void rbl_put_changes(rblRecordingWriter* writer, size_t body_count);

// The data of an impact.
void rbl_put_impact(rblByteSink* sink, const rblRunContact* contact, bool quantised);
void rbl_take_impact(rblByteSource* source, rblRunContact* contact, bool quantised);

// Compute velocities of a run whose keys have only poses, from differences of neighbouring keys.
void rbl_run_derive_velocities(rblRun* run);

// ---- writing ----

// Begin a file of a kind: settings, and the materials and shapes of the run, if any.
rblResult rbl_recording_begin(rblRecordingWriter* writer, const char* path, const rblRun* run, uint32_t kind);

// Parts of rbl_recording_begin(): an empty writer; the names of the file, which are equal when it is written `directly`.
void rbl_recording_init(rblRecordingWriter* writer, bool quantise);
rblResult rbl_recording_set_names(rblRecordingWriter* writer, const char* path, bool directly);

// Write the payload in writer->sink as a chunk.
rblResult rbl_recording_write_chunk(rblRecordingWriter* writer, uint32_t type);

// Close the file and rename it.
rblResult rbl_recording_rename(rblRecordingWriter* writer);

// ---- reading ----

// State of a reader.
typedef struct rblRecordingReader rblRecordingReader;

struct rblRecordingReader
{
    uint32_t kind;      // expected kind of recording
    uint32_t version;   // version of the file
    uint32_t physics;   // number of the physics of the engine that wrote it
    uint32_t last_step; // last step to read; RBL_NONE: all

    // Reads chunks of types that rbl_take_chunk() does not know; null: none.
    rblResult (*take_other)(rblRecordingReader* reader, uint32_t type, rblByteSource* source);
    void* context;    // argument of take_other
    const char* name; // name of the file
    const uint8_t* bytes;
    size_t size;
    size_t offset; // of the current chunk
    rblRun* run;
    bool has_head, has_materials, done;
    bool quantised;
    uint32_t settled; // number of bodies with a state; later ones wait for their first step
    uint32_t chunks;
    rblFrame frame;
    RBL_ARRAY(rblStateHistory) history;
};

// Read a chunk of a known type, or fail with the run unchanged. All contents are checked. RBL_ERROR_UNSUPPORTED: the type is
// unknown and not optional.
rblResult rbl_take_chunk(rblRecordingReader* reader, uint32_t type, rblByteSource* source);

// Read chunks up to the end, the last step, or the first chunk that is incomplete or invalid: `problem` then says what and at
// which byte. Fails only when the file is not a recording of a known version, or when memory runs out.
rblResult rbl_chunks_read(rblRecordingReader* reader, char problem[256]);

void rbl_recording_reader_init(rblRecordingReader* reader, const void* bytes, size_t size, const char* name,
                               rblRun* run);
void rbl_recording_reader_free(rblRecordingReader* reader);

// Add the events of a step, or of a whole run, to its statistics.
rblResult rbl_take_events(rblRecordingReader* reader, rblByteSource* source);

// rbl_calls_replay() from memory.
rblResult rbl_calls_replay_memory(const void* bytes, size_t size, const char* name, rblReplayReport* out);

// Remove bodies that no step has a state of.
void rbl_drop_unsettled(rblRecordingReader* reader);

#endif
