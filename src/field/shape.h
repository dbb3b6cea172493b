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

// What a shape was made from, for those who have to make it again, bit for bit (recordings).
typedef struct rblShapeRecipe
{
    float numbers
        [3]; // plane: normal; box: size; round ones: radius, height; level set: error, cell, sample_spacing
    uint32_t max_cells; // level set; its mesh is the surface
    rblVec3* points;    // hull: as given
    uint32_t point_count;
} rblShapeRecipe;

struct rblShape
{
    rblShapeView view;
    const rblShapeOps* ops;
    void* data;             // of the kind
    rblSampleTree* samples; // null for planes
    rblShapeRecipe recipe;
    const rblAllocator* allocator;
    struct rblShape* self; // for counting references through a view, which is const
    atomic_uint references;
};

// The name of a shape of the user's own.
const char* rbl_shape_user_name(const rblShape* shape);

// Complete a shape whose view (but for shape, data, samples, bytes), ops and data are set, and give it an id. Takes over the
// data, the surface mesh and the points of the recipe, also on failure.
rblResult rbl_shape_register(const rblShape* parts, size_t data_bytes, const rblVec3* samples,
                             uint32_t sample_count, rblShapeId* out);

#endif
