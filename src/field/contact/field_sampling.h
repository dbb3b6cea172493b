// One way round of a query: the samples of one shape met level by level in the field of another (Glondu 2012,
// Algorithm 1). Branches that cannot hold a sample of interest are left.
#ifndef RBL_FIELD_CONTACT_FIELD_SAMPLING_H
#define RBL_FIELD_CONTACT_FIELD_SAMPLING_H

#include "base/array.h"
#include "field/field.h"
#include "field/level_set/level_set.h"
#include "field/samples/samples.h"
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

// Children of nodes that were met: whether they are left is seen four at a time.
typedef struct rblSampleGroup
{
    const rblSampleChild* children[4];
    float free_distance[4]; // about the node above, within which nothing can be wanted
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
    size_t cursor;  // in the frontier's list of this level
    size_t waiting; // nodes in the lists of this level and later ones
    rblSampleGroup group;
    rblSampleBatch batch;
    uint32_t met;
    float least; // a value, and
    float
        clearance; // the way that they can move until a sample, met or left unmet, may have a value below it; negative: none
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

// The next sample of this level with a value of at most `wanted`, or within the field's error bound; branches in which none can be below that are left for good, so
// `wanted` must not grow from call to call. False at the end of the level.
bool rbl_sampling_next(rblSampling* s, float wanted, rblSampleVisit* visit);
void rbl_sampling_next_level(rblSampling* s);

// How far apart the boxes of two shapes are at least, in the axes of either; negative where they overlap. Of something unbounded nothing
// is known: -INFINITY.
float rbl_boxes_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a);

#endif
