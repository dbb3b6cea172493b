// The object that a shape id refers to, and the descriptor of its kind.
//
// A kind is one file with one rblShapeKind, and one line in shape_kinds.c. Nothing outside that file tests for the kind or casts to
// its data: others ask for what a kind offers (a convex core, a grid of distances, parts, a root), which is null where it does not.
#ifndef RBL_FIELD_SHAPE_H
#define RBL_FIELD_SHAPE_H

#include "base/memory.h"
#include "math/vec.h"
#include "rubble/shape.h"
#include <stdatomic.h>

typedef struct rblField rblField;                 // field/field.h
typedef struct rblFragmentField rblFragmentField; // field/fragment/fragment_field.h
typedef struct rblHull rblHull;                   // field/convex/hull.h
typedef struct rblLevelSet rblLevelSet;           // field/level_set/level_set.h
typedef struct rblSampleTree rblSampleTree;       // field/samples/samples.h
typedef struct rblShapeParts rblShapeParts;       // below
typedef struct rblByteSink rblByteSink;           // base/bytes.h
typedef struct rblByteSource rblByteSource;
typedef struct rblSourceVisitor rblSourceVisitor; // field/shape_codec.h
typedef struct rblSourceNumbers rblSourceNumbers;
typedef struct rblSourceTables rblSourceTables;
typedef struct rblShapeKeys rblShapeKeys; // field/shape_keys.h

// ---- kinds ----

// The functions work in the shape's own axes, on data that never changes. Null where a comment says so, else required.
typedef struct rblShapeKind
{
    const char* name;   // in views, messages and recordings
    rblRolling rolling; // for the view
    uint8_t code;       // 1 + its byte in recordings; 0: its name is written there

    bool unbounded;     // static bodies only, no mass, no samples
    bool joinable;      // may be a child of a compound
    bool piece;         // left by a cut of another solid: many, most of which never break again
    bool fine_samples;  // its samples describe the surface as well as the field does
    bool dense_samples; // far more samples than contacts need: a search ends with a few candidates

    // Signed distance, and its gradient, which is never null here.
    float (*distance)(const void* data, rblVec3 point, rblVec3* gradient);

    // A lower bound of the distance that takes less time. Null: the distance itself.
    float (*bound)(const void* data, rblVec3 point);

    // What the field differs in from one that is exact everywhere: fills in the members that do (field/field.h). Null: nothing.
    void (*describe_field)(const rblShape* shape, rblField* field);

    // The point farthest along a direction (not of unit length). Null: not convex, or a half space.
    rblVec3 (*support)(const void* data, rblVec3 direction);

    // Box at a pose. Null: that of the turned box of the view.
    rblAabb (*bounds_at)(const rblShape* shape, rblTransform pose);

    // Entry of a ray. Null: rays march through the field by its distances.
    bool (*ray)(const void* data, const rblRay* ray, rblShapeHit* hit);

    // Samples that are made when they are first asked for. Null: they are there from the beginning, or there are none.
    rblResult (*sample)(const rblShape* shape, rblSampleTree** out);

    // The same shape with its samples in a hierarchy of their own. Null: they are in one already.
    rblResult (*rebuild)(const rblShape* shape, rblShapeId* out);

    // The shapes that it is the union of. Null: none but itself.
    const rblShapeParts* (*parts)(const void* data);

    // The shape that it is a part of. Null: it is no part.
    const rblShape* (*root)(const void* data);

    // The grid that its distances are interpolated in. Null: there is none.
    const rblLevelSet* (*level_set)(const void* data);

    // A label of a fragment event. Null: it is no fragment of tetrahedra.
    const rblFragmentField* (*fragment)(const void* data);

    // In scene files. Null: they do not know the kind.
    const rblShapeKeys* keys;

    // Call a visitor for all that it was made from. Null: nothing that others know.
    rblResult (*visit)(const rblShape* shape, const rblSourceVisitor* visitor);

    // What it was made from, as bytes, and the shape again, bit for bit. `take` null: `put` refuses.
    rblResult (*put)(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);
    rblResult (*take)(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

    void (*free)(void* data, const rblAllocator* allocator);
} rblShapeKind;

// ---- convex cores ----

// What convex contact code knows of a shape: a core and a radius around it.
typedef enum rblCoreForm
{
    RBL_CORE_NONE,       // not convex
    RBL_CORE_HALF_SPACE, // below a plane through the origin
    RBL_CORE_POINT,      // the origin
    RBL_CORE_SEGMENT,    // along y
    RBL_CORE_CYLINDER,   // along y
    RBL_CORE_POLYTOPE,
    RBL_CORE_SUPPORT // anything else, known by the support function of its kind
} rblCoreForm;

typedef struct rblConvexCore
{
    rblCoreForm form;
    const rblHull* hull; // of polytopes, else null
    double disc;         // radius of cylinders, else 0; metres
    double half_height;  // of segments and cylinders, else 0; metres
    double rounding;     // radius around the core, metres
    rblVec3 normal;      // of half spaces: unit, out of the solid
    rblVec3 center;      // with a support function: an inner point
    float size;          // and the largest distance of a point from there, metres
    const rblShape* shape;
} rblConvexCore;

// ---- shapes ----

// One of several shapes that a shape is the union of.
typedef struct rblShapePart
{
    const rblShape* shape; // referenced
    rblTransform pose;
    rblAabb box;   // in the axes of the whole
    rblQuat given; // the rotation before it was made unit length
} rblShapePart;

struct rblShapeParts
{
    uint32_t count;
    rblShapePart parts[];
};

// A surface that is made when somebody wants to draw it. `build` is called at most once more after it failed, never twice
// at a time, and `free` once after the last use. No functions: none.
typedef struct rblLazySurface
{
    rblResult (*build)(void* context, rblMeshId* out);

    // For each face of that mesh the number of the crack face that it is a part of, UINT32_MAX: none; as rbl_fragment_faces(). Null: not
    // known.
    rblResult (*crack_faces)(void* context, uint32_t* out, uint32_t capacity, uint32_t* count);

    void (*free)(void* context);
    void* context;
    rblMeshId made;     // instead of the functions: it is there already
    const rblShape* of; // or it is that of this shape, which is referenced
} rblLazySurface;

void rbl_lazy_surface_free(const rblLazySurface* surface);

// First what contacts read: the world prefetches it.
struct rblShape
{
    const rblShapeKind* kind;
    void* data; // of the kind
    rblConvexCore core;
    rblShapeView view;               // without a surface where that is lazy
    _Atomic(rblSampleTree*) samples; // null for planes, and where nobody has asked yet: rbl_shape_tree()
    rblLazySurface lazy;             // null functions: the surface is in the view
    rblMeshId built;                 // by `lazy`; read and written by rbl_shape_surface() alone
    bool quick;                      // its samples are ordered in less time, and less evenly
    const rblAllocator* allocator;
    struct rblShape* self; // for counting references through a view, which is const
    atomic_uint references;
};

// The samples, made now if need be; null for planes. The same tree whoever asks first. Fails when out of memory only.
rblResult rbl_shape_tree(const rblShape* shape, const rblSampleTree** out);

// What kinds offer; null where they do not.
static inline const rblShapeParts* rbl_shape_parts(const rblShape* shape)
{
    return shape->kind->parts != NULL ? shape->kind->parts(shape->data) : NULL;
}

static inline const rblLevelSet* rbl_shape_level_set(const rblShape* shape)
{
    return shape->kind->level_set != NULL ? shape->kind->level_set(shape->data) : NULL;
}

static inline const rblFragmentField* rbl_shape_fragment(const rblShape* shape)
{
    return shape->kind->fragment != NULL ? shape->kind->fragment(shape->data) : NULL;
}

// The shape itself where it is no part of another.
static inline const rblShape* rbl_shape_root(const rblShape* shape)
{
    return shape->kind->root != NULL ? shape->kind->root(shape->data) : shape;
}

// ---- making shapes ----

// Hand a surface over to a shape that is being made.
void rbl_shape_adopt_surface(rblShape* parts, const rblLazySurface* surface);

// Complete a shape whose view (bounded, bounds, mass, radii, thinnest), kind, core and data are set, and give it an id. Takes over the
// data and the surface mesh, lazy or not, also on failure.
rblResult rbl_shape_register(const rblShape* parts, size_t data_bytes, const rblVec3* samples,
                             uint32_t sample_count, rblShapeId* out);

// The same with samples that are in a hierarchy already, or null; taken over, too.
rblResult rbl_shape_register_tree(const rblShape* parts, size_t data_bytes, rblSampleTree* tree,
                                  rblShapeId* out);

// ---- boxes ----

// A box about a centre that certainly holds what was turned in floats: it grows by their rounding.
static inline rblAabb rbl_rounded_box(rblVec3 center, rblVec3 half)
{
    const float rounding = 5e-7f; // of the coordinates' size
    const rblVec3 size = {fabsf(center.x) + half.x, fabsf(center.y) + half.y, fabsf(center.z) + half.z};
    const rblVec3 grown = rbl_mul_add3(half, rounding, size);
    return (rblAabb){rbl_sub3(center, grown), rbl_add3(center, grown)};
}

#endif
