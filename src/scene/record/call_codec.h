// Calls and shapes as bytes (docs/recording.md).
#ifndef RBL_SCENE_RECORD_CALL_CODEC_H
#define RBL_SCENE_RECORD_CALL_CODEC_H

#include "base/bytes.h"
#include "dynamics/calls.h"
#include "field/shape_codec.h"
#include "fracture/breaker_kinds.h"

#define RBL_CALL_MAX_SHAPES (1u << 24)

// What a call is named in messages.
const char* rbl_call_name(rblCallCode code);

// `shape` is the number of the shape in a body's definition. Hashes of steps are in `number`.
void rbl_put_call(rblByteSink* sink, const rblCall* call, uint32_t shape);

// False when there is no whole call. Definitions come with their cookies, without a shape.
bool rbl_take_call(rblByteSource* source, rblCall* call, uint32_t* shape);

// What a recording of calls holds, without making them.
typedef struct rblCallCounts
{
    uint64_t calls[RBL_CALL_COUNT];
    uint32_t shapes;
    uint64_t size, bytes; // of the file, and of what was taken
    bool complete;
    char version[32];
    char problem[256]; // why reading stopped; empty: at the end
} rblCallCounts;

rblResult rbl_count_calls(const char* path, rblCallCounts* out);

// What the numbers of shapes, events and breakers stand for: all that came before.
typedef struct rblRecipeTables
{
    rblSourceTables made;
    const rblBreaker* const* breakers; // that events came from
    uint32_t breaker_count;
} rblRecipeTables;

// Where an event is in a file. The first one of a body names the shape, the breaker and the material that its tetrahedra came from.
typedef struct rblEventLocation
{
    uint32_t parent; // event; RBL_NONE: it is the first one
    uint32_t shape, breaker;
    rblMaterial material;
} rblEventLocation;

// What an event did to the nodes. What was taken is held once for the caller.
void rbl_put_event(rblByteSink* sink, const rblFragmentEvent* event, const rblEventLocation* location);
rblResult rbl_take_event(rblByteSource* source, const rblRecipeTables* tables, rblFragmentEvent** out);

#endif
