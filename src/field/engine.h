// What the world asks of shapes beyond rubble/shape.h: contacts along predicted paths, times of impact of pairs that are asked
// about every step, and the rebuild of sample hierarchies. The only header of this room that src/dynamics includes: no kind of
// shape shows here.
#ifndef RBL_FIELD_ENGINE_H
#define RBL_FIELD_ENGINE_H

#include "rubble/shape.h"

// ---- contacts ----

#define RBL_MAX_PATHS 4 // predicted paths of one query

// How the second shape may move next against the first, in the first's axes.
typedef struct rblPredictedPath
{
    rblTransform end; // its pose afterwards
    rblVec3 pivot;    // the point that moves straight while the shape turns
} rblPredictedPath;

// rblCollideOptions, and how the pair may move on. With paths, obstacles on them are contacts too, and points deeper than the
// tolerance that the other contacts resolve on every path are marked as redundant.
typedef struct rblContactOptions
{
    float margin;    // metres
    float tolerance; // metres; 0: chosen from the shapes
    uint32_t first_count;
    uint32_t path_count; // at most RBL_MAX_PATHS
    const rblPredictedPath* paths;
} rblContactOptions;

// No margin, no paths, else as rbl_default_collide_options().
rblContactOptions rbl_default_contact_options(void);

// rbl_shape_collide() with these options.
rblResult rbl_shape_find_contacts(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                  const rblContactOptions* options, rblPairCache* cache, rblContactSet* out);

// A lower bound of the distance of two polytopes, for next to nothing: along the direction that the cache has from their last
// contacts or time of impact. -INFINITY when it has none, and for other shapes.
float rbl_shape_known_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                          const rblPairCache* cache);

// ---- times of impact ----

// The part of a sweep that does not depend on the other shape: prepared once where a shape is in many pairs.
typedef struct rblPreparedSweep
{
    double numbers[32]; // of time_of_impact.c
} rblPreparedSweep;

rblPreparedSweep rbl_shape_prepare_sweep(const rblShapeView* shape, const rblSweep* sweep);

// A time of impact along parabolas: at a fraction t of the motion b, as seen from a, is off its chord by t (t - 1) `sag`.
typedef struct rblImpactQuery
{
    const rblShapeView* a;
    const rblShapeView* b;
    const rblSweep* sweep_a;
    const rblSweep* sweep_b;
    rblVec3 sag;
    float target, tolerance;
    rblPairCache* cache; // the pair's of rbl_shape_find_contacts(), or null; it saves time in both
    const rblPreparedSweep* prepared_a; // null: the sweep is prepared for this query
    const rblPreparedSweep* prepared_b;
    float* clear; // null, or gets a lower bound of the gap at the start; zero or less when none is known
} rblImpactQuery;

// The fraction, as rbl_shape_time_of_impact() returns it.
float rbl_shape_find_impact(const rblImpactQuery* query);

// Whether two polytopes are farther apart than `least` at the start of their motion and stay farther apart than the target, as
// far as the direction of the cache can tell: false is no answer. Costs a part of a time of impact.
bool rbl_shape_stays_apart(const rblImpactQuery* query, float least);

// ---- memory ----

// What contacts of a shape read, for prefetching: the first lines of `shape` itself, and those behind this pointer.
#define RBL_SHAPE_HEAD_BYTES 128u
const void* rbl_shape_memory(const rblShapeView* shape);

// ---- rebuilds ----

// Whether the shape has its parent's sample hierarchy, updated, so that one of its own would be better.
bool rbl_shape_can_rebuild(const rblShapeView* shape);

// The same shape with samples in a hierarchy of their own. Refused: shapes that rbl_shape_can_rebuild() denies.
rblResult rbl_shape_rebuild(const rblShapeView* shape, rblShapeId* out);

#endif
