// The object that a shape id refers to, and the descriptor of its kind.
//
// A kind is one file with one rblShapeKind, and one line in shape_kinds.c. No other file tests for the kind or casts to
// its data. Other files use the optional features of a kind (a convex core, a grid of distances, parts, a root), which
// are null if it does not have them.
#ifndef RBL_FIELD_SHAPE_H
#define RBL_FIELD_SHAPE_H

#include "base/array.h"
#include "base/memory.h"
#include "math/vec.h"
#include "rubble/shape.h"
#include <stdatomic.h>

typedef struct rblField rblField;                 // field/field.h
typedef struct rblFragmentField rblFragmentField; // field/fragment/fragment_field.h
typedef struct rblHull rblHull;                   // field/convex/hull.h
typedef struct rblLevelSet rblLevelSet;           // field/level_set/level_set.h
typedef struct rblSampleTree rblSampleTree;       // field/samples/samples.h
typedef RBL_ARRAY(rblVec3) rblPointArray;
typedef struct rblShapeParts rblShapeParts; // below
typedef struct rblPartTree rblPartTree;     // field/part_tree.h
typedef struct rblByteSink rblByteSink;     // base/bytes.h
typedef struct rblByteSource rblByteSource;
typedef struct rblSourceVisitor rblSourceVisitor; // field/shape_codec.h
typedef struct rblSourceNumbers rblSourceNumbers;
typedef struct rblSourceTables rblSourceTables;
typedef struct rblImpactQuery rblImpactQuery; // field/engine.h
typedef struct rblFlights rblFlights;         // field/contact/time_of_impact.h
typedef struct rblShapeKeys rblShapeKeys;     // field/shape_keys.h

// ---- kinds ----

// The functions use the axes of the shape and constant data. They are required unless a comment says that they may be
// null.
typedef struct rblShapeKind
{
    const char* name;   // in views, messages and recordings
    rblRolling rolling; // of the view
    uint8_t code;       // 1 + its byte in recordings; 0: recordings contain its name

    bool unbounded; // static bodies only, no mass, no samples, no radius: a half space, or ground of any form
    bool joinable;  // may be a child of a compound
    bool piece;     // created by a cut of another solid: there are many, and most never break again
    bool fine_samples; // whether its samples describe the surface as accurately as the field
    // Whether it has far more samples than contacts need: a search stops after a few candidates.
    bool dense_samples;

    // Signed distance and its gradient; `gradient` is never null.
    float (*distance)(const void* data, rblVec3 point, rblVec3* gradient);

    // A cheaper lower bound of the distance. Null: the distance is used.
    float (*bound)(const void* data, rblVec3 point);

    // Sets the members of rblField that differ from a field that is exact everywhere (field/field.h). Null: none.
    void (*describe_field)(const rblShape* shape, rblField* field);

    // The farthest point along a direction (any length). Null: not convex, or a half space.
    rblVec3 (*support)(const void* data, rblVec3 direction);

    // Bounding box at a pose. Null: the box of the rotated box of the view.
    rblAabb (*bounds_at)(const rblShape* shape, rblTransform pose);

    // First hit of a ray. Null: sphere tracing through the field.
    bool (*ray)(const void* data, const rblRay* ray, rblShapeHit* hit);

    // Contacts with a bounded convex shape, added to an empty set, in the axes of this shape. Null: they are found by the
    // convex cores, or by samples and fields.
    rblResult (*collide)(const rblShapeView* shape, const rblShapeView* convex, rblTransform convex_in_shape,
                         float margin, rblContactSet* out);

    // Time of impact with a bounded convex shape; `is_b`: this shape is the second of the query. Null: as for `collide`.
    double (*impact)(const rblImpactQuery* query, const rblFlights* flights, bool is_b);

    // Creates the samples at the first use. Null: they exist from the creation of the shape, or there are none.
    rblResult (*sample)(const rblShape* shape, rblSampleTree** out);

    // Creates the surface to draw at the first use. Null: the shape brings its own (rblLazySurface), or there is none.
    rblResult (*surface)(const rblShape* shape, rblMeshId* out);

    // The same shape with a new hierarchy of its samples. Null: it has its own hierarchy already.
    rblResult (*rebuild)(const rblShape* shape, rblShapeId* out);

    // The shapes whose union it is. Null: it has no parts.
    const rblShapeParts* (*parts)(const void* data);

    // The shape that it is a part of. Null: it is not a part.
    const rblShape* (*root)(const void* data);

    // The grid in which its distances are interpolated. Null: none.
    const rblLevelSet* (*level_set)(const void* data);

    // A label of a fragment event. Null: it is not a fragment of tetrahedra.
    const rblFragmentField* (*fragment)(const void* data);

    // Checks the invariants of its data (field/shape_check.h). Null: no check.
    rblResult (*check)(const rblShape* shape);

    // Keys in scene files. Null: scene files cannot have this kind.
    const rblShapeKeys* keys;

    // Call a visitor for all shared objects that the shape was created from. Null: none.
    rblResult (*visit)(const rblShape* shape, const rblSourceVisitor* visitor);

    // Serialise the data that the shape was created from; `take` creates the same shape again, bit for bit. `take`
    // null: `put` refuses.
    rblResult (*put)(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);
    rblResult (*take)(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

    void (*free)(void* data, const rblAllocator* allocator);
} rblShapeKind;

// ---- convex cores ----

// The form of a shape for convex contacts: a core with a radius around it.
typedef enum rblCoreForm
{
    RBL_CORE_NONE,       // not convex
    RBL_CORE_HALF_SPACE, // the solid is below a plane through the origin
    RBL_CORE_POINT,      // the origin
    RBL_CORE_SEGMENT,    // on the y axis
    RBL_CORE_CYLINDER,   // around the y axis
    RBL_CORE_POLYTOPE,
    RBL_CORE_SUPPORT // any other convex shape, given by the support function of its kind
} rblCoreForm;

typedef struct rblConvexCore
{
    rblCoreForm form;
    const rblHull* hull; // of polytopes; else null
    double disc;         // m, radius of cylinders; else 0
    double half_height;  // m, of segments and cylinders; else 0
    double rounding;     // m, radius around the core
    rblVec3 normal;      // of half spaces: unit, out of the solid
    rblVec3 center;      // with a support function: an inner point
    float size;          // m, with a support function: largest distance of a point from `center`
    const rblShape* shape;
} rblConvexCore;

// ---- shapes ----

// One of the shapes whose union a shape is.
typedef struct rblShapePart
{
    const rblShape* shape; // retained
    rblTransform pose;
    rblAabb box;   // in the axes of the union
    rblQuat given; // the rotation before it was normalized
} rblShapePart;

struct rblShapeParts
{
    rblPartTree* tree; // over the boxes
    uint32_t count;
    rblShapePart parts[];
};

// A surface that is created at its first use, for drawing. `build` is called again after a failure at most once, never
// by two threads at a time. `free` is called once after the last use. Null functions: no surface.
typedef struct rblLazySurface
{
    rblResult (*build)(void* context, rblMeshId* out);

    // Per face of the mesh: the index of its crack face, UINT32_MAX: none; as rbl_fragment_faces(). Null: unknown.
    rblResult (*crack_faces)(void* context, uint32_t* out, uint32_t capacity, uint32_t* count);

    void (*free)(void* context);
    void* context;
    rblMeshId made;     // if not null, the surface exists already and the functions are not used
    const rblShape* of; // if not null, the surface is that of this shape, which is retained
} rblLazySurface;

void rbl_lazy_surface_free(const rblLazySurface* surface);

// The members that contacts read are first: the world prefetches them.
struct rblShape
{
    const rblShapeKind* kind;
    void* data; // of the kind
    rblConvexCore core;
    rblShapeView view;               // its surface is null if `lazy` has one
    _Atomic(rblSampleTree*) samples; // null for planes, and before the first call of rbl_shape_tree()
    rblLazySurface lazy;             // null functions: the surface is in the view
    rblMeshId built;                 // created at the first use; only rbl_shape_surface() reads and writes it
    bool quick;                      // whether its samples are ordered by the faster, less even method
    const rblAllocator* allocator;
    struct rblShape* self; // for reference counts through a view, which is const
    atomic_uint references;
};

// The samples, created at the first call; null for planes. The result does not depend on which thread calls first.
// Fails only without memory.
rblResult rbl_shape_tree(const rblShape* shape, const rblSampleTree** out);

// For rblShapeKind.sample: the hierarchy of the points that a function adds (false: no memory).
rblResult rbl_shape_make_tree(const rblShape* shape,
                              bool (*add_points)(const rblShape* shape, rblPointArray* out),
                              rblSampleTree** out);

// Optional features of kinds; null if the kind does not have them.
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

// The shape itself if it is not a part of another shape.
static inline const rblShape* rbl_shape_root(const rblShape* shape)
{
    return shape->kind->root != NULL ? shape->kind->root(shape->data) : shape;
}

// ---- creation ----

// Give a surface to a shape during its creation.
void rbl_shape_adopt_surface(rblShape* parts, const rblLazySurface* surface);

// Complete a shape whose view (bounded, bounds, mass, radii, thinnest), kind, core and data are set, and create its id.
// Takes ownership of the data and of the surface, lazy or not, also on failure.
rblResult rbl_shape_register(const rblShape* parts, size_t data_bytes, const rblVec3* samples,
                             uint32_t sample_count, rblShapeId* out);

// The same with samples in an existing hierarchy, or null. Takes ownership of it.
rblResult rbl_shape_register_tree(const rblShape* parts, size_t data_bytes, rblSampleTree* tree,
                                  rblShapeId* out);

// Another id of a living shape. Takes over a reference, also on failure.
rblResult rbl_shape_add_id(rblShape* shape, rblShapeId* out);

// A reference to a shape that may be on its way to be freed. False: it is.
bool rbl_shape_retain_living(rblShape* shape);

// ---- boxes ----

// A box about a centre that certainly contains points rotated in single precision: it is enlarged by the rounding
// error.
static inline rblAabb rbl_rounded_box(rblVec3 center, rblVec3 half)
{
    const float rounding = 5e-7f; // relative to the size of the coordinates
    const rblVec3 size = {fabsf(center.x) + half.x, fabsf(center.y) + half.y, fabsf(center.z) + half.z};
    const rblVec3 grown = rbl_mul_add3(half, rounding, size);
    return (rblAabb){rbl_sub3(center, grown), rbl_add3(center, grown)};
}

#endif
