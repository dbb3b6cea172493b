/// Shapes: the geometry of bodies. A shape is a set of sample points in a hierarchy, a signed-distance oracle, a
/// surface to draw and mass properties. Immutable, shared, reference-counted; metres, in axes of its own.
///
/// Kinds: primitives with closed forms, convex hulls, level sets of any closed mesh, compounds, and your own through
/// rblUserShape. rbl_shape_collide() finds contacts of two shapes of any kinds.
#ifndef RUBBLE_SHAPE_H
#define RUBBLE_SHAPE_H

#include "rubble/allocator.h"
#include "rubble/bvh.h"
#include "rubble/inspect.h"
#include "rubble/mesh.h"

RBL_EXTERN_C_BEGIN

/// Handle to a shape. Zero is null; pass by value, compare, store.
typedef struct rblShapeId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< incremented when the slot is reused, so that stale ids are detected
} rblShapeId;

/// How a shape rolls on flat ground. Its axis is y.
typedef enum rblRolling
{
    RBL_ROLLS_NOT,
    RBL_ROLLS_LYING,  ///< rolls when it lies on its side, stands on its flat ends: a cylinder
    RBL_ROLLS_ALWAYS, ///< has no flat face: a capsule
    RBL_ROLLS_AS_BALL ///< the same in all orientations: a sphere
} rblRolling;

// ---- creating shapes ----

/// The half space below a plane through the origin; `normal` points out of the solid and need not be of unit length.
RBL_API rblResult rbl_shape_create_plane(rblVec3 normal, rblShapeId* out);

/// Origins lie at the centre. Primitives of the same kind and size share their data. Capsules and cylinders stand upright (axis y); a capsule's height includes its ends.
/// Refused: sizes that are not positive and finite, a capsule lower than its diameter.
RBL_API rblResult rbl_shape_create_sphere(float radius, rblShapeId* out);
RBL_API rblResult rbl_shape_create_capsule(float radius, float height, rblShapeId* out);
RBL_API rblResult rbl_shape_create_box(rblVec3 size, rblShapeId* out);
RBL_API rblResult rbl_shape_create_cylinder(float radius, float height, rblShapeId* out);

/// The convex hull of points. Points inside are dropped, nearly coplanar faces merged. Refused: points that are not
/// finite, fewer than four, all in a plane (a zero-thickness hull), more than RBL_HULL_MAX_VERTICES on the hull.
RBL_API rblResult rbl_shape_create_hull(const rblVec3* points, uint32_t count, rblShapeId* out);
#define RBL_HULL_MAX_VERTICES 255

/// How a mesh becomes a level set.
typedef struct rblLevelSetDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_level_set_def()
    uint32_t cookie;      ///< set by rbl_default_level_set_def()
    rblMeshId mesh;       ///< closed; anything else is refused with the verdict of rbl_mesh_inspect()
    float error;          ///< wanted largest error of the surface, metres; 0: 0.2 % of the bounding diagonal
    float cell;           ///< cell size, metres; 0: chosen from `error`
    uint32_t max_cells;   ///< limit along the longest side, 8 to 2048; it overrides `error`; default 128
    float sample_spacing; ///< of surface samples, metres; 0: two cells. Edges and corners are always sampled.
} rblLevelSetDef;

/// Defaults: all sizes are chosen from the mesh. Set the mesh.
RBL_API void rbl_level_set_def_init(rblLevelSetDef* def, size_t size);
static inline rblLevelSetDef rbl_default_level_set_def(void)
{
    rblLevelSetDef def;
    rbl_level_set_def_init(&def, sizeof def);
    return def;
}

/// Make a level set. The mesh is not needed afterwards.
RBL_API rblResult rbl_shape_create_level_set(const rblLevelSetDef* def, rblShapeId* out);

/// A child of a compound: a shape at a fixed pose. The compound retains its children. Where they overlap, mass counts twice.
/// A compound has a tree over its children: queries take a time that grows with the logarithm of their number.
typedef struct rblShapeChild
{
    rblShapeId shape; ///< not a plane, not a compound
    rblTransform pose;
} rblShapeChild;

/// Create a compound. Refused: no children, planes, compounds, poses that are not rigid or farther than 1e37 m.
RBL_API rblResult rbl_shape_create_compound(const rblShapeChild* children, uint32_t count, rblShapeId* out);

/// A mesh of triangles as ground: for static bodies only, without mass and without samples. Its front is solid: corners are
/// counter-clockwise seen from outside. It may be open, and need not be manifold; faces of more corners are split, and those
/// without area are left out. What starts behind an open mesh passes it. Bodies do not catch on edges between its triangles,
/// also where the corners are different vertices at the same positions. Refused: no triangle with an area.
RBL_API rblResult rbl_shape_create_triangles(rblMeshId mesh, rblShapeId* out);

/// Heights over a regular grid, as ground (rbl_shape_create_triangles()): two triangles a cell. Point (column, row) is at x =
/// column * spacing, z = row * spacing; y is its height, and up is outside.
typedef struct rblHeightFieldDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_height_field_def()
    uint32_t cookie;      ///< set by rbl_default_height_field_def()
    uint32_t columns;     ///< points along x, at least 2
    uint32_t rows;        ///< points along z, at least 2; at most 2^28 points in all
    const float* heights; ///< columns * rows, row by row, metres; NaN: a hole. Read during the call only.
    float spacing;        ///< metres between points; default 1
} rblHeightFieldDef;

/// A spacing of 1 m. Set the heights.
RBL_API void rbl_height_field_def_init(rblHeightFieldDef* def, size_t size);
static inline rblHeightFieldDef rbl_default_height_field_def(void)
{
    rblHeightFieldDef def;
    rbl_height_field_def_init(&def, sizeof def);
    return def;
}

/// Create a height field. Refused: fewer than 2 x 2 points, a spacing that is not positive and finite, infinite heights,
/// nothing but holes.
RBL_API rblResult rbl_shape_create_height_field(const rblHeightFieldDef* def, rblShapeId* out);

/// A user shape. Its functions are called from several threads at once, so they must not depend on state that changes.
typedef struct rblUserShape
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_user_shape()
    uint32_t cookie;      ///< set by rbl_default_user_shape()
    const char* name;     ///< copied; recordings name shapes that they cannot store

    /// Signed distance of a point to the surface, negative inside, and its gradient (unit length where it exists).
    /// Outside `bounds` any lower bound of the distance will do; the sign must be right everywhere.
    float (*distance)(const void* context, rblVec3 point, rblVec3* gradient);
    void (*destroy)(void* context); ///< called once, after the last use; may be null
    void* context;

    rblAabb bounds;         ///< of the solid
    const rblVec3* samples; ///< points on the surface, edges and corners included; copied
    uint32_t sample_count;
    rblMassProperties mass; ///< at density 1
    rblMeshId surface;      ///< to draw; null: nothing is drawn
} rblUserShape;

/// Defaults: all fields zero except size and cookie.
RBL_API void rbl_user_shape_init(rblUserShape* def, size_t size);
static inline rblUserShape rbl_default_user_shape(void)
{
    rblUserShape def;
    rbl_user_shape_init(&def, sizeof def);
    return def;
}

/// Create a user shape. Refused: no distance function, bounds, samples or mass that are not finite and positive.
RBL_API rblResult rbl_shape_create_user(const rblUserShape* def, rblShapeId* out);

/// Destroy a handle. The shape stays alive while bodies or compounds reference it.
RBL_API rblResult rbl_shape_destroy(rblShapeId shape);

/// Number of living shapes, to find leaks in tests.
RBL_API uint32_t rbl_shape_alive_count(void);

// ---- reading shapes ----

typedef struct rblShape rblShape; ///< opaque; see rbl_shape_view()

/// The properties of a shape that the engine reads, in one plain struct. Valid while the shape is alive or referenced
/// (rbl_shape_acquire()).
typedef struct rblShapeView
{
    const rblShape* shape;
    const char* kind; ///< its name, a constant: "box", "level set", ... (docs/shapes.md)
    rblRolling rolling;
    bool convex;
    bool bounded; ///< false for planes
    rblAabb bounds;
    rblMassProperties mass; ///< at density 1; all zero for planes
    float radius;           ///< of the ball about mass.center that contains the shape
    float inner_radius;     ///< of a ball inside the shape; a body that moves farther in a step can tunnel
    float thinnest;         ///< smallest extent, metres; contact tolerances are relative to it
    uint32_t sample_count;
    const rblVec3*
        samples; ///< surface points in hierarchy order (farthest point first), where they exist from the creation on; null
    ///< for planes, primitives, hulls and compounds: ask rbl_shape_samples()
    size_t bytes;      ///< memory of the shape, without data that is made on demand
    rblMeshId surface; ///< where it exists from the creation on; null for the rest: ask rbl_shape_surface()
} rblShapeView;

/// Read the properties of a shape. Refused: stale ids.
RBL_API rblResult rbl_shape_view(rblShapeId shape, rblShapeView* out);

/// The surface to draw; null for planes and user shapes without one. Those of primitives, hulls, compounds and fragments are made
/// when they are first asked for. The mesh is the shape's own and lives as long. May be called from several threads at once.
RBL_API rblResult rbl_shape_surface(const rblShapeView* shape, rblMeshId* out);

/// Points of the surface in hierarchy order; none for planes. Those of primitives, hulls and compounds are made when they are first
/// asked for, here or by a shape that is not convex: convex shapes and compounds of them do not need them among themselves. They are
/// the shape's own and live as long. May be called from several threads at once.
RBL_API rblResult rbl_shape_samples(const rblShapeView* shape, const rblVec3** points, uint32_t* count);

/// References without a handle, as bodies have them. Acquire: read the view and add a reference; retain: add another;
/// release: give one up.
RBL_API rblResult rbl_shape_acquire(rblShapeId shape, rblShapeView* out);
RBL_API void rbl_shape_retain(const rblShape* shape);
RBL_API void rbl_shape_release(const rblShape* shape);

/// This call and the ones on shapes below are the inner loops of the engine: they answer null shapes, and do not check numbers.
///
/// Signed distance of a point, negative inside, and its gradient (unit; `gradient` may be null). Exact for primitives
/// and hulls; for level sets within their stated error near the surface and a lower bound farther off. A null shape is infinitely far
/// away, with a gradient of 0.
RBL_API float rbl_shape_distance(const rblShape* shape, rblVec3 point, rblVec3* gradient);

/// Box of the shape at a pose. A null shape has an empty box: its lower corner is infinite, its upper one minus infinite.
RBL_API rblAabb rbl_shape_bounds_at(const rblShapeView* shape, rblTransform pose);

/// First hit of a ray in the shape's axes, entering only: a ray that begins inside hits at once, t = t_min, with the
/// gradient there as normal.
typedef struct rblShapeHit
{
    float t;
    rblVec3 normal;
} rblShapeHit;

/// Nothing found, a null pointer, or a ray that is not finite or has no direction: t is infinite.
RBL_API rblShapeHit rbl_shape_ray(const rblShape* shape, const rblRay* ray);

// ---- two shapes ----

/// One contact of a pair: a point of one shape in or near the other.
typedef struct rblContactPoint
{
    rblVec3 point;    ///< in the first shape's axes, midway between the two surfaces
    rblVec3 normal;   ///< unit, from the first shape to the second, in the first shape's axes
    float distance;   ///< gap between the surfaces along the normal; negative: depth of overlap
    uint32_t feature; ///< identifies the touching features from step to step, for warm starting
} rblContactPoint;

/// Data of a pair that rbl_shape_collide() keeps between calls to save time. Zero it for a new pair. It never changes a
/// result.
typedef struct rblPairCache
{
    uint32_t words[6];
} rblPairCache;

/// Contacts of a pair. Start from a zeroed struct and reuse it: memory only grows. Free it with
/// rbl_contact_set_free().
typedef struct rblContactSet
{
    rblContactPoint* points;
    uint32_t count;
    uint32_t capacity;
    uint32_t colliding; ///< points that were inside, before selection (Glondu 2012, 5.3), for statistics
    uint32_t visited;   ///< samples that were tested, for statistics
    float clear;        ///< without points: a lower bound of the gap; 0: unknown
    struct rblContactScratch* scratch; ///< working memory of rbl_shape_collide(), kept for the next call
    const rblAllocator* allocator;     ///< where its memory comes from; null: the library's
} rblContactSet;

/// Free the memory of a contact set. It is empty then and can be used again. Null: nothing happens.
RBL_API void rbl_contact_set_free(rblContactSet* set);

/// How rbl_shape_collide() chooses contacts.
typedef struct rblCollideOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_collide_options()
    uint32_t cookie;      ///< set by rbl_default_collide_options()
    float margin;         ///< report contacts with a gap up to this, metres
    float tolerance;      ///< eps of the contact selection, metres; 0: 0.2 % of the smaller shape's radius
    uint32_t
        first_count; ///< m: contacts after which only points deeper than eps are added, every one of them:
                     ///< none deeper than eps is ever dropped (Glondu 2012, 5.3); default 8.
                     ///< UINT32_MAX: no selection, all points within the margin
} rblCollideOptions;

/// No margin, the tolerance of the shapes, m = 8.
RBL_API void rbl_collide_options_init(rblCollideOptions* options, size_t size);
static inline rblCollideOptions rbl_default_collide_options(void)
{
    rblCollideOptions options;
    rbl_collide_options_init(&options, sizeof options);
    return options;
}

/// Contacts of two shapes; `b_in_a` is the second's pose in the first's axes. `options` may be null, for the default, and so may `cache`.
/// `out` is overwritten. Refused: null shapes, a null `out`, options that did not start from the default.
RBL_API rblResult rbl_shape_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                    const rblCollideOptions* options, rblPairCache* cache,
                                    rblContactSet* out);

/// Motion over a step: the pose moves from `from` by a translation of the centre of mass and a rotation about it.
typedef struct rblSweep
{
    rblTransform from;
    rblVec3 translation;
    rblVec3 rotation; ///< rotation vector, radians
} rblSweep;

/// The first fraction of the motion, 0 to 1, at which two shapes come as close as `target` metres. It says how much of the motion is
/// free, so that it is all of it, 1, when they never come so close: not infinity, which queries write where they find nothing.
/// Never late: at the fraction returned their distance is at least `target` less `tolerance`, or it was so at 0. 1 when a pointer is null.
RBL_API float rbl_shape_time_of_impact(const rblShapeView* a, const rblSweep* sweep_a, const rblShapeView* b,
                                       const rblSweep* sweep_b, float target, float tolerance);

RBL_EXTERN_C_END

#endif
