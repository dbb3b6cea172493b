// Functions of shapes that only the world uses, in addition to rubble/shape.h: contacts along predicted paths, times of
// impact with data that persist from step to step, checks, and the rebuild of sample hierarchies. src/dynamics includes no
// other header of this room. It contains nothing about single kinds of shapes.
#ifndef RBL_FIELD_ENGINE_H
#define RBL_FIELD_ENGINE_H

#include "rubble/shape.h"

// Whether contacts and times of impact with convex shapes are exact, as those of two convex shapes: of convex shapes, and of
// ground of any form, which is unbounded.
static inline bool rbl_shape_is_exact(const rblShapeView* shape)
{
    return shape->convex || !shape->bounded;
}

// ---- contacts ----

typedef struct rblImpactQuery rblImpactQuery; // below

#define RBL_MAX_PATHS 4 // of one query

// A possible motion of the second shape relative to the first, in the axes of the first.
typedef struct rblPredictedPath
{
    rblTransform end; // pose at the end of the motion
    rblVec3 pivot;    // the point of the shape that moves along a straight line while the shape rotates
    bool
        of_first; // the pivot is a point of the first shape, and moves along a straight line in the axes of the second
} rblPredictedPath;

// rblCollideOptions with predicted paths. With paths, obstacles on the paths become contacts, too. Points deeper than
// the tolerance are redundant if the other contacts resolve them on every path (rbl_contact_set_leading()).
typedef struct rblContactOptions
{
    float margin;    // m
    float tolerance; // m; 0: computed from the shapes
    uint32_t first_count;
    uint32_t path_count; // at most RBL_MAX_PATHS
    const rblPredictedPath* paths;
} rblContactOptions;

// No margin and no paths; otherwise as rbl_default_collide_options().
rblContactOptions rbl_default_contact_options(void);

// rbl_shape_collide() with these options.
rblResult rbl_shape_find_contacts(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                  const rblContactOptions* options, rblPairCache* cache, rblContactSet* out);

// How many contacts of the last query are not redundant. They come first in the set.
uint32_t rbl_contact_set_leading(const rblContactSet* set);

// A cheap lower bound of the distance of two polytopes: their gap along the direction that the cache stores from the
// last contacts or time of impact. -INFINITY if the cache has no direction, and for other shapes.
float rbl_shape_known_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                          const rblPairCache* cache);

// ---- times of impact ----

// The part of a sweep that does not depend on the other shape. It is prepared once for a shape with many pairs.
typedef struct rblPreparedSweep
{
    double numbers[32]; // an rblFlight of time_of_impact.c
} rblPreparedSweep;

rblPreparedSweep rbl_shape_prepare_sweep(const rblShapeView* shape, const rblSweep* sweep);

// A query of a time of impact along parabolas: at a fraction t of the motion, the position of b relative to a differs
// from the chord by t (t - 1) `sag`.
struct rblImpactQuery
{
    const rblShapeView* a;
    const rblShapeView* b;
    const rblSweep* sweep_a;
    const rblSweep* sweep_b;
    rblVec3 sag;
    float target, tolerance;
    // The cache of the pair that rbl_shape_find_contacts() uses, or null; both functions read and update it.
    rblPairCache* cache;
    const rblPreparedSweep* prepared_a; // null: prepared for this query
    const rblPreparedSweep* prepared_b;
    // The shapes may touch at the start and move on along each other. Then ground of triangles counts only the triangles that
    // the motion would lead a good part of the other shape through; other shapes ignore this.
    bool leaves_contact;
    float* clear; // if not null, receives a lower bound of the gap at the start; <= 0 if none is known
};

// The fraction as in rbl_shape_time_of_impact().
float rbl_shape_find_impact(const rblImpactQuery* query);

// ---- memory ----

// Memory that the contacts of a shape read, for prefetching: the first RBL_SHAPE_HEAD_BYTES of `shape`, and the memory
// at this pointer.
#define RBL_SHAPE_HEAD_BYTES 128u
const void* rbl_shape_memory(const rblShapeView* shape);

// ---- checks ----

// The invariants of a shape: its view, its hierarchy of samples, what its kind checks, and its parts. RBL_ERROR_FORMAT with a message that
// names the first that does not hold. It takes as long as a few queries of every sample: for tests, and for runs that look for bugs.
rblResult rbl_shape_check(const rblShapeView* shape);

// ---- rebuilds ----

// Whether the shape uses an updated copy of its parent's sample hierarchy, so that a new hierarchy would be faster.
bool rbl_shape_can_rebuild(const rblShapeView* shape);

// The same shape with a new hierarchy of its samples. Refused: shapes for which rbl_shape_can_rebuild() is false.
rblResult rbl_shape_rebuild(const rblShapeView* shape, rblShapeId* out);

#endif
