// What is behind a shape id: the view that everyone reads, and the functions of its kind.
#ifndef RBL_FIELD_SHAPE_H
#define RBL_FIELD_SHAPE_H

#include "base/memory.h"
#include "rubble/shape.h"
#include <stdatomic.h>

// What a kind of shape can do. All functions work in the shape's own axes, on data that never changes.
typedef struct rblShapeOps
{
    float (*distance)(const void* data, rblVec3 point, rblVec3* gradient); // gradient is never null here

    // The point farthest along a direction (not of unit length); null for kinds that are not convex.
    rblVec3 (*support)(const void* data, rblVec3 direction);

    // Null: rays march through the field by its distances.
    bool (*ray)(const void* data, const rblRay* ray, rblShapeHit* hit);

    void (*free)(void* data, const rblAllocator* allocator);
} rblShapeOps;

typedef struct rblSampleTree rblSampleTree; // field/samples.h

struct rblShape
{
    rblShapeView view;
    const rblShapeOps* ops;
    void* data;             // of the kind
    rblSampleTree* samples; // null for planes
    const rblAllocator* allocator;
    struct rblShape* self; // for counting references through a view, which is const
    atomic_uint references;
};

// Complete a shape whose view (but for shape, data, samples, bytes), ops and data are set, and give it an id. Takes over the
// data and the surface mesh, also on failure.
rblResult rbl_shape_register(const rblShape* parts, size_t data_bytes, const rblVec3* samples,
                             uint32_t sample_count, rblShapeId* out);

#endif
