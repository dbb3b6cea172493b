// Serialisation of shapes (RCPE in docs/recording.md): the data that they were created from, so that they can be
// created again bit for bit.
#ifndef RBL_FIELD_SHAPE_CODEC_H
#define RBL_FIELD_SHAPE_CODEC_H

#include "base/bytes.h"
#include "field/shape.h"

typedef struct rblFragmentEvent rblFragmentEvent; // field/fragment/fragment_event.h

// Called for each shared object that a shape was created from: other shapes, and events of fragments.
struct rblSourceVisitor
{
    rblResult (*shape)(const rblShape* shape, void* context);
    rblResult (*event)(const rblFragmentEvent* event, void* context);
    void* context;
};

// The indices of these objects in a file.
struct rblSourceNumbers
{
    uint32_t (*shape)(const rblShape* shape, void* context);
    uint32_t (*event)(const rblFragmentEvent* event, void* context);
    void* context;
};

// The objects of these indices: all that were read before.
struct rblSourceTables
{
    const rblShapeId* shapes;
    rblFragmentEvent* const* events;
    uint32_t shape_count, event_count;
};

rblResult rbl_shape_visit_sources(const rblShape* shape, const rblSourceVisitor* visitor);

// Refused: shapes that cannot be stored; the error names the kind.
rblResult rbl_put_shape(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);

// Refused: incomplete or invalid data, unknown kinds; the error names the kind.
rblResult rbl_take_shape(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

// The surface for drawing, if there is one; it is created if necessary.
rblResult rbl_put_drawn_surface(rblByteSink* sink, const rblShape* shape);
rblResult rbl_take_drawn_surface(rblByteSource* source, rblMeshId* out);

// The error of kinds: "a KIND is incomplete or has invalid numbers".
rblResult rbl_shape_fail_damaged(const rblShapeKind* kind);

#endif
