// Calls and shapes as bytes (docs/recording.md).
#ifndef RBL_SCENE_CALL_CODEC_H
#define RBL_SCENE_CALL_CODEC_H

#include "base/bytes.h"
#include "dynamics/calls.h"
#include "fracture/label_volume.h"

#define RBL_CALL_MOST_SHAPES (1u << 24)

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

// How a body breaks; `labels` is the number of the regions when its pattern is from a file. What was taken may be anything.
void rbl_put_prescored(rblByteSink* sink, const rblPrescoredDef* def, uint32_t labels);
void rbl_take_prescored(rblByteSource* source, rblPrescoredDef* def, uint32_t* labels);

// The regions of a pattern from a file. Refused: what is cut short, numbers that do not fit together.
void rbl_put_labels(rblByteSink* sink, const rblLabelVolume* labels);
rblResult rbl_take_labels(rblByteSource* source, const rblAllocator* allocator, rblLabelVolume** out);

// What a shape was made from. Children of compounds by their numbers. Refused: shapes of the user's own, by name.
typedef uint32_t rblShapeNumberFcn(const rblShape* shape, void* context);
rblResult rbl_put_recipe(rblByteSink* sink, const rblShape* shape, rblShapeNumberFcn* number_of,
                         void* context);

// The same for what a break left: fields by the number of their root, hulls by their corners, both with mass and surface.
rblResult rbl_put_piece(rblByteSink* sink, const rblShape* shape, rblShapeNumberFcn* number_of,
                        void* context);
rblResult rbl_take_piece(rblByteSource* source, const rblShapeId* shapes, uint32_t count, rblShapeId* out);

// Make the shape again, bit for bit; `shapes` are those made before.
rblResult rbl_take_recipe(rblByteSource* source, const rblShapeId* shapes, uint32_t count, rblShapeId* out);

#endif
