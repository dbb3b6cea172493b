// One way round of a query: the samples of one shape met level by level in the field of another (Glondu 2012,
// Algorithm 1). Branches that cannot hold a sample of interest are left.
#ifndef RBL_FIELD_CONTACT_FIELD_SAMPLING_H
#define RBL_FIELD_CONTACT_FIELD_SAMPLING_H

#include "base/array.h"
#include "field/convex/hull.h"
#include "field/fragment/fragment_field.h"
#include "field/level_set/level_set.h"
#include "field/piece.h"
#include "field/samples/samples.h"
#include "field/shape.h"
#include "math/mat3.h"
#include "math/transform.h"

// A node that was met and not left yet: its children from `next` on have not been.
typedef struct rblFrontierNode
{
    uint32_t next, end; // in rblSampleTree.children
    float distance;
    uint32_t slope; // rblFieldSlope
    rblVec3 point;  // in the field's axes
} rblFrontierNode;

#define RBL_SAMPLE_LEVELS 33 // level 0 is the first sample alone, level l the samples 2^(l - 1) to 2^l - 1

typedef RBL_ARRAY(rblFrontierNode) rblFrontierList;

typedef struct rblFrontier
{
    rblFrontierList levels[RBL_SAMPLE_LEVELS]; // nodes by the level of their next child
} rblFrontier;

void rbl_frontier_init(rblFrontier* frontier, const rblAllocator* allocator);
void rbl_frontier_free(rblFrontier* frontier);

// How fast a value of a field can fall along a way.
typedef enum rblFieldSlope
{
    RBL_SLOPE_STEEP, // it is off the distance by the slack, here and there
    RBL_SLOPE_FAR,   // it is no more than the distance; there it may be off by the slack
    RBL_SLOPE_ONE    // by the way and no more
} rblFieldSlope;

// A shape as a field, ready for many look-ups.
typedef struct rblField
{
    const rblShape* shape;
    const rblLevelSet* grid;          // its own, or the fragment's; null: through the shape's function
    const rblPieceField* piece;       // null: none
    const rblHull* hull;              // null: none
    const rblFragmentField* fragment; // null: none
    bool interpolated;                // steep values are, in a grid of distances
    bool outside_unsure;              // outside, values are bounds that need rbl_piece_confirm()
    float blur;                       // within this the fragment itself says what is inside; 0: of others
    float slack;                      // see rbl_field_slack()
    float rounding;                   // of distances, metres
    float grain; // 3/4 of a grid's cell squared; infinite where steep values are no grid's
} rblField;

// Most samples that are met are no contacts: their gradients are not asked for, and from `limit` on a bound will do.
float rbl_field_distance(const rblField* field, rblVec3 point, float limit, rblFieldSlope* slope);

// The distance itself falls by the way at most, and what the field tells is off by the slack: at the end of the way, and at its
// start too unless that is far.
static inline float rbl_field_fall(const rblField* field, rblFieldSlope slope, float way)
{
    return way + (2.0f - (float)slope) * field->slack + field->rounding;
}

// The same for values that stay above zero. (Deep inside, values are bounds from the other side.) Interpolated distances change along
// each axis by no more than the way: along any way by no more than sqrt(3) times as much. Where they are those of a grid of cells c,
// no more than sqrt(way^2 + 3/4 c^2) either. A value is the mean of distances at corners, by weights that along each axis are those of
// two grid points. Let both ends draw their grid points by the same chance, axis by axis: how far these lie apart along an axis is the
// way along it in the mean, and c or nothing off that, with a variance of at most c^2 / 4. Distances differ by at most the way
// between two points, so means of distances do by at most the mean way, and that is at most the root of its mean square.
static inline float rbl_field_fall_outside(const rblField* field, rblFieldSlope slope, float way)
{
    const float fall = rbl_field_fall(field, slope, way);
    if (slope != RBL_SLOPE_STEEP || !field->interpolated)
    {
        return fall;
    }
    const float bent = sqrtf(way * way + field->grain);
    return rbl_minf(rbl_minf(1.7320510f * way, bent) + field->rounding, fall);
}

// The way on which a value above zero falls by no more than `room`: the other way round.
static inline float rbl_field_free_way(const rblField* field, rblFieldSlope slope, float room)
{
    const float way = room - rbl_field_fall(field, slope, 0.0f);
    if (slope != RBL_SLOPE_STEEP || !field->interpolated)
    {
        return way;
    }
    const float sure = room - field->rounding;
    const float square = sure * sure - field->grain;
    const float bent = sure > 0.0f && square > 0.0f ? sqrtf(square) : 0.0f;
    return rbl_maxf(rbl_maxf(0.57735025f * sure, bent), way);
}

rblField rbl_field_of(const rblShape* shape);

// False when there was no memory for the grid of a fragment.
static inline bool rbl_field_is_whole(const rblField* field)
{
    return field->fragment == NULL || field->grid != NULL;
}

// Children of nodes that were met: whether they are left is seen four at a time.
typedef struct rblSampleGroup
{
    const rblSampleChild* children[4];
    float way[4];           // about the node above, within which nothing can be wanted
    float x[4], y[4], z[4]; // of that node, in the field's axes
    uint32_t count;
} rblSampleGroup;

// Samples that are met together.
typedef struct rblSampleBatch
{
    const rblSampleChild* children[8]; // the first four are met, the others wait
    float x[8], y[8], z[8];            // in the field's axes
    uint32_t count;
    uint32_t met;  // of the first four
    uint32_t near; // lanes of these that were wanted and not told yet
    float distances[4];
    rblFieldSlope slopes[4];
} rblSampleBatch;

typedef struct rblSampling
{
    const rblSampleTree* tree; // null: no samples, done at once
    rblField field;
    rblMat3 rotation; // from the samples' axes to the field's
    rblVec3 offset;
    float radius; // of the ball about the samples
    rblFrontier* frontier;
    uint32_t level;
    size_t place;   // in the frontier's list of this level
    size_t waiting; // nodes in the lists of this level and later ones
    rblSampleGroup group;
    rblSampleBatch batch;
    uint32_t met;
    float least; // a value, and
    float
        room; // the way that they can move until a sample, met or left unmet, may have a value below it; negative: none
    bool out_of_memory;
} rblSampling;

typedef struct rblSampleVisit
{
    uint32_t sample;
    float distance;
    rblVec3 point; // in the field's axes
} rblSampleVisit;

// False when out of memory: samples may be made here. `least` above zero.
bool rbl_sampling_init(rblSampling* s, const rblShape* samples, const rblShape* field, rblTransform pose,
                       float least, rblFrontier* frontier);

// A sample in the field's axes.
static inline rblVec3 rbl_sampling_point(const rblSampling* s, rblVec3 sample)
{
    return rbl_add3(rbl_mat3_apply(&s->rotation, sample), s->offset);
}

static inline bool rbl_sampling_done(const rblSampling* s)
{
    return s->tree == NULL || s->out_of_memory || (s->level > 0 && s->waiting == 0);
}

// The next sample of this level with a value of at most `wanted`, or within the field's blur; branches in which none can be below that are left for good, so
// `wanted` must not grow from call to call. False at the end of the level.
bool rbl_sampling_next(rblSampling* s, float wanted, rblSampleVisit* visit);
void rbl_sampling_next_level(rblSampling* s);

// How far apart the boxes of two shapes are at least, in the axes of either; negative where they overlap. Of something unbounded nothing
// is known: -INFINITY.
float rbl_boxes_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a);

#endif
