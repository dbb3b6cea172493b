// Calls and shapes as bytes (docs/recording.md).
#ifndef RBL_SCENE_RECORD_CALL_CODEC_H
#define RBL_SCENE_RECORD_CALL_CODEC_H

#include "base/bytes.h"
#include "dynamics/calls.h"
#include "field/shape_codec.h"
#include "fracture/breaker_kinds.h"

#define RBL_CALL_MAX_SHAPES (1u << 24)

// The name of a call in messages.
const char* rbl_call_name(rblCallCode code);

// `shape` is the number of the shape in the definition of a body. The hash of a step is in `number`.
void rbl_put_call(rblByteSink* sink, const rblCall* call, uint32_t shape);

// False when the bytes contain no complete call. Definitions get their cookies, but no shape.
bool rbl_take_call(rblByteSource* source, rblCall* call, uint32_t* shape);

// Contents of a recording of calls, counted without making the calls.
typedef struct rblCallCounts
{
    uint64_t calls[RBL_CALL_COUNT];
    uint32_t shapes;
    uint64_t size, bytes; // bytes of the file, and bytes that were read
    bool complete;
    char version[32];
    char problem[256]; // why reading stopped; empty: at the end of the file
} rblCallCounts;

rblResult rbl_count_calls(const char* path, rblCallCounts* out);

// Objects that the numbers of shapes, events and breakers refer to: all that came earlier in the file.
typedef struct rblRecipeTables
{
    rblSourceTables made;
    const rblBreaker* const* breakers; // the origin of events
    uint32_t breaker_count;
} rblRecipeTables;

// Data of an event in a file. The first event of a body names the shape, the breaker and the material that its tetrahedra come
// from.
typedef struct rblEventLocation
{
    uint32_t parent; // index of the parent event; RBL_NONE: it is the first one
    uint32_t shape, breaker;
    rblMaterial material;
} rblEventLocation;

// Write and read the labels and weights that an event gave to the nodes. An event that was read has one reference, owned by the
// caller.
void rbl_put_event(rblByteSink* sink, const rblFragmentEvent* event, const rblEventLocation* location);
rblResult rbl_take_event(rblByteSource* source, const rblRecipeTables* tables, rblFragmentEvent** out);

#endif
