// What the writer and the reader of recordings agree on (docs/recording.md).
#ifndef RBL_SCENE_RECORDING_FORMAT_H
#define RBL_SCENE_RECORDING_FORMAT_H

#include "scene/recording.h"

// The first byte is no text, the rest notices transfers that change line ends.
#define RBL_RECORDING_SIGNATURE "\x89RBL\r\n\x1a\n"
#define RBL_SIGNATURE_SIZE      8u
#define RBL_FILE_HEADER_SIZE    16u // signature, version, 0
#define RBL_CHUNK_HEADER_SIZE   16u // type, length, check
#define RBL_MOST_CHUNK_BYTES    (1u << 30)

#define RBL_CHUNK_TYPE(a, b, c, d)                                                                           \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define RBL_CHUNK_HEAD      RBL_CHUNK_TYPE('H', 'E', 'A', 'D')
#define RBL_CHUNK_MATERIALS RBL_CHUNK_TYPE('M', 'A', 'T', 'S')
#define RBL_CHUNK_SHAPE     RBL_CHUNK_TYPE('S', 'H', 'A', 'P')
#define RBL_CHUNK_BODIES    RBL_CHUNK_TYPE('B', 'O', 'D', 'Y')
#define RBL_CHUNK_STEP      RBL_CHUNK_TYPE('S', 'T', 'E', 'P')
#define RBL_CHUNK_DONE      RBL_CHUNK_TYPE('D', 'O', 'N', 'E')

enum
{
    RBL_RECORDING_OF_SCENE = 0,
    RBL_RECORDING_OF_CALLS = 1
};

// Quanta of the rounded form: powers of two, so that multiples are exact numbers. Poses are off by half of one at most.
#define RBL_POSITION_QUANTUM (1.0f / 16384.0f)
#define RBL_ROTATION_QUANTUM (1.0f / 32768.0f)
#define RBL_HIT_QUANTUM      (1.0f / 1024.0f)

// The check of a chunk. Its place in the file counts: chunks that were moved are noticed.
uint64_t rbl_chunk_check(uint64_t offset, const uint8_t head[8], const void* payload, size_t size);

// Parts of chunks, both ways.
void rbl_put_mesh(rblByteSink* sink, const rblMeshView* view);
rblResult rbl_take_mesh(rblByteSource* source, const rblAllocator* allocator, rblMeshId* out);

// States of bodies, as differences to their histories.
void rbl_put_state(rblByteSink* sink, rblStateHistory* history, const rblFrameChange* change);
void rbl_take_state(rblByteSource* source, rblStateHistory* history, rblFrameChange* change);

// The rounded form; `step` tells whether the body was written in the step before. rbl_put_rounded() is only called when
// rbl_rounds_to_change() says that the state must be written.
bool rbl_rounds_to_change(const rblStateHistory* history, const rblFrameChange* change);
void rbl_put_rounded(rblByteSink* sink, rblStateHistory* history, uint32_t step,
                     const rblFrameChange* change);
void rbl_take_rounded(rblByteSource* source, rblStateHistory* history, uint32_t step, rblFrameChange* change);

// Where and how hard a hit was.
void rbl_put_hit(rblByteSink* sink, const rblRunContact* contact, bool quantised);
void rbl_take_hit(rblByteSource* source, rblRunContact* contact, bool quantised);

// Speeds of a run whose keys have poses only: differences of neighbouring keys.
void rbl_run_derive_velocities(rblRun* run);

// ---- reading ----

// A recording on its way in.
typedef struct rblRecordingReader
{
    const char* name; // of the file
    const uint8_t* bytes;
    size_t size;
    size_t offset; // of the chunk at hand
    rblRun* run;
    bool has_head, has_materials, done;
    bool quantised;
    uint32_t settled; // bodies that a step was read of; those after them wait for one
    uint32_t chunks;
    rblFrame frame;
    RBL_ARRAY(rblStateHistory) history;
} rblRecordingReader;

// Take a chunk of a known kind, or refuse it with the run as it was; contents are checked. RBL_ERROR_UNSUPPORTED: a kind
// that is not known and must not be left out.
rblResult rbl_take_chunk(rblRecordingReader* reader, uint32_t type, rblByteSource* source);

// Forget bodies that no step was read of.
void rbl_drop_unsettled(rblRecordingReader* reader);

#endif
