// Shapes as bytes (RCPE in docs/recording.md): what they were made from, so that they are made again bit for bit.
#ifndef RBL_FIELD_SHAPE_CODEC_H
#define RBL_FIELD_SHAPE_CODEC_H

#include "base/bytes.h"
#include "field/shape.h"

// The functions of a kind: see rblShapeKind.
typedef struct rblFragmentEvent rblFragmentEvent; // field/fragment/fragment_event.h

// Called for each thing that a shape was made from: other shapes, and events of fragments.
struct rblSourceVisitor
{
    rblResult (*shape)(const rblShape* shape, void* context);
    rblResult (*event)(const rblFragmentEvent* event, void* context);
    void* context;
};

// The numbers of these things in a file.
struct rblSourceNumbers
{
    uint32_t (*shape)(const rblShape* shape, void* context);
    uint32_t (*event)(const rblFragmentEvent* event, void* context);
    void* context;
};

// And what the numbers stand for: all that came before.
struct rblSourceTables
{
    const rblShapeId* shapes;
    rblFragmentEvent* const* events;
    uint32_t shape_count, event_count;
};

rblResult rbl_shape_visit_sources(const rblShape* shape, const rblSourceVisitor* visitor);

// Refused: shapes that cannot be stored, by name.
rblResult rbl_put_shape(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);

// Refused: what is cut short or not possible, kinds that are not known, by name.
rblResult rbl_take_shape(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

// The surface to draw, if there is one, which is made now if need be.
rblResult rbl_put_drawn_surface(rblByteSink* sink, const rblShape* shape);
rblResult rbl_take_drawn_surface(rblByteSource* source, rblMeshId* out);

// The message of kinds: "a KIND is cut short or not possible".
rblResult rbl_shape_fail_damaged(const rblShapeKind* kind);

#endif
