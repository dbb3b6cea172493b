// One direction of a contact query: the samples of one shape, visited level by level in the field of another (Glondu
// 2012, Algorithm 1). Branches that cannot contain a wanted sample are skipped.
#ifndef RBL_FIELD_CONTACT_FIELD_SAMPLING_H
#define RBL_FIELD_CONTACT_FIELD_SAMPLING_H

#include "base/array.h"
#include "field/field.h"
#include "field/level_set/level_set.h"
#include "field/samples/samples.h"
#include "math/mat3.h"
#include "math/transform.h"

// A visited node: its children from `next` on are not visited yet.
typedef struct rblFrontierNode
{
    uint32_t next, end; // range in rblSampleTree.children
    float distance;
    uint32_t slope; // rblFieldSlope
    rblVec3 point;  // in the axes of the field
} rblFrontierNode;

#define RBL_SAMPLE_LEVELS 33 // level 0 is the first sample, level l has the samples 2^(l - 1) to 2^l - 1

typedef RBL_ARRAY(rblFrontierNode) rblFrontierList;

typedef struct rblFrontier
{
    rblFrontierList levels[RBL_SAMPLE_LEVELS]; // nodes, by the level of their next child
} rblFrontier;

void rbl_frontier_init(rblFrontier* frontier, const rblAllocator* allocator);
void rbl_frontier_free(rblFrontier* frontier);

// Children of visited nodes. The test whether they can be skipped uses four lanes.
typedef struct rblSampleGroup
{
    const rblSampleChild* children[4];
    float free_distance[4]; // around the parent: no sample within this distance can be wanted
    float x[4], y[4], z[4]; // of the parent, in the axes of the field
    uint32_t count;
} rblSampleGroup;

// Samples that are evaluated together.
typedef struct rblSampleBatch
{
    const rblSampleChild* children[8]; // the first four are evaluated, the others wait
    float x[8], y[8], z[8];            // in the axes of the field
    uint32_t count;
    uint32_t visited; // number of the first four that are evaluated
    uint32_t near;    // bits: lanes with wanted samples that are not returned yet
    float distances[4];
    rblFieldSlope slopes[4];
} rblSampleBatch;

typedef struct rblSampling
{
    const rblSampleTree* tree; // null: no samples, the search ends at once
    rblField field;
    rblMat3 rotation; // from the axes of the samples to those of the field
    rblVec3 offset;
    float radius; // of the ball around the samples, m
    rblFrontier* frontier;
    uint32_t level;
    size_t cursor;  // position in the frontier's list of this level
    size_t waiting; // nodes in the lists of this level and of later ones
    rblSampleGroup group;
    rblSampleBatch batch;
    uint32_t visited;
    float least; // m, a field value
    // m, the shapes can move this far until a sample, visited or skipped, may have a value below `least`; negative:
    // none.
    float clearance;
    bool out_of_memory;
} rblSampling;

typedef struct rblSampleVisit
{
    uint32_t sample;
    float distance;
    rblVec3 point; // in the axes of the field
} rblSampleVisit;

// `least` must be positive. Returns false without memory (the samples may be created here).
bool rbl_sampling_init(rblSampling* s, const rblShape* samples, const rblShape* field, rblTransform pose,
                       float least, rblFrontier* frontier);

// The exact or interpolated distance, and its gradient.
static inline float rbl_field_look_up(const rblField* field, rblVec3 point, rblVec3* gradient)
{
    return field->grid != NULL ? rbl_level_set_distance(field->grid, point, gradient)
                               : field->shape->kind->distance(field->shape->data, point, gradient);
}

// A sample in the axes of the field.
static inline rblVec3 rbl_sampling_point(const rblSampling* s, rblVec3 sample)
{
    return rbl_add3(rbl_mat3_apply(&s->rotation, sample), s->offset);
}

static inline bool rbl_sampling_done(const rblSampling* s)
{
    return s->tree == NULL || s->out_of_memory || (s->level > 0 && s->waiting == 0);
}

// The next sample of this level with a value of at most `wanted`, or within the error bound of the field. Branches
// without such samples are skipped permanently, so `wanted` must not increase from call to call. Returns false at the end
// of the level.
bool rbl_sampling_next(rblSampling* s, float wanted, rblSampleVisit* visit);
void rbl_sampling_next_level(rblSampling* s);

// Lower bound of the gap between the boxes of two shapes, in the axes of either; negative if they overlap; -INFINITY if
// a shape is unbounded.
float rbl_boxes_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a);

#endif
