// What is behind a shape id: the view that everyone reads, and the functions of its kind.
#ifndef RBL_FIELD_SHAPE_H
#define RBL_FIELD_SHAPE_H

#include "base/memory.h"
#include "rubble/shape.h"
#include <stdatomic.h>

typedef struct rblSampleTree rblSampleTree; // field/samples/samples.h

// What a kind of shape can do. All functions work in the shape's own axes, on data that never changes.
typedef struct rblShapeOps
{
    float (*distance)(const void* data, rblVec3 point, rblVec3* gradient); // gradient is never null here

    // The point farthest along a direction (not of unit length); null for kinds that are not convex.
    rblVec3 (*support)(const void* data, rblVec3 direction);

    // Null: rays march through the field by its distances.
    bool (*ray)(const void* data, const rblRay* ray, rblShapeHit* hit);

    void (*free)(void* data, const rblAllocator* allocator);

    // Samples that are made when they are first asked for; null: they are there from the beginning, or there are none.
    rblResult (*sample)(const rblShape* shape, rblSampleTree** out);

    // A bound of the distance that takes less time, and never more than it; null: the distance itself.
    float (*bound)(const void* data, rblVec3 point);

    // The same shape with its samples in a hierarchy of their own; null: they are in one already.
    rblResult (*rebuild)(const rblShape* shape, rblShapeId* out);
} rblShapeOps;

// What a shape was made from, for those who have to make it again, bit for bit (recordings).
typedef struct rblShapeRecipe
{
    float numbers
        [3]; // plane: normal; box: size; round ones: radius, height; level set: error, cell, sample_spacing
    uint32_t max_cells; // level set; its mesh is the surface
    rblVec3* points;    // hull: as given
    uint32_t point_count;
} rblShapeRecipe;

// A surface that is made when somebody wants to draw it. `build` is called at most once more after it failed, never twice
// at a time, and `free` once after the last use. No functions: none.
typedef struct rblLazySurface
{
    rblResult (*build)(void* context, rblMeshId* out);
    void (*free)(void* context);
    void* context;
    rblMeshId made;     // instead of the functions: it is there already
    const rblShape* of; // or it is that of this shape, which is held
} rblLazySurface;

void rbl_lazy_surface_free(const rblLazySurface* surface);

struct rblShape
{
    rblShapeView view; // without a surface where that is lazy
    const rblShapeOps* ops;
    void* data;                      // of the kind
    _Atomic(rblSampleTree*) samples; // null for planes, and where nobody has asked yet: rbl_shape_tree()
    rblShapeRecipe recipe;
    rblLazySurface lazy; // null functions: the surface is in the view
    rblMeshId built;     // by `lazy`; read and written by rbl_shape_surface() alone
    bool quick;          // its samples are ordered in less time, and less evenly
    bool piece;          // a hull with a mass of its own and a lazy surface
    const rblAllocator* allocator;
    struct rblShape* self; // for counting references through a view, which is const
    atomic_uint references;
};

// The samples, made now if need be; null for planes. The same tree whoever asks first. Fails when out of memory only.
rblResult rbl_shape_tree(const rblShape* shape, const rblSampleTree** out);

// The name of a shape of the user's own.
const char* rbl_shape_user_name(const rblShape* shape);

// Hand a surface over to a shape that is being made.
void rbl_shape_adopt_surface(rblShape* parts, const rblLazySurface* surface);

// Complete a shape whose view (but for shape, data, samples, bytes), ops and data are set, and give it an id. Takes over the
// data, the surface mesh, lazy or not, and the points of the recipe, also on failure.
rblResult rbl_shape_register(const rblShape* parts, size_t data_bytes, const rblVec3* samples,
                             uint32_t sample_count, rblShapeId* out);

// The same with samples that are in a hierarchy already, or null; taken over, too.
rblResult rbl_shape_register_tree(const rblShape* parts, size_t data_bytes, rblSampleTree* tree,
                                  rblShapeId* out);

#endif
