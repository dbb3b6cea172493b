// A shape as a field, ready for many look-ups.
#ifndef RBL_FIELD_FIELD_H
#define RBL_FIELD_FIELD_H

#include "field/shape.h"

// How fast a value of a field can fall along a way.
typedef enum rblFieldSlope
{
    RBL_SLOPE_STEEP, // it is off the distance by the slack, here and there
    RBL_SLOPE_FAR,   // it is no more than the distance; there it may be off by the slack
    RBL_SLOPE_ONE    // by the way and no more
} rblFieldSlope;

// The kind fills in what differs from a field that is exact everywhere (rblShapeKind.describe_field).
struct rblField
{
    const rblShape* shape;
    const rblLevelSet* grid; // look-ups go there; null: to `value`

    // A bound of the distance without its gradient, and how fast it can fall. From `limit` on any bound will do.
    float (*value)(const rblShape* shape, rblVec3 point, float limit, rblFieldSlope* slope);

    // Outside values are bounds. For a point that is `*distance` away by the bound: whether its distance, which is set, is at most
    // `wanted` and its nearest point is on the surface. Null: values outside are distances.
    bool (*confirm)(const rblShape* shape, rblVec3 point, float wanted, float* distance);

    // How deep inside a point is, and the gradient there; 0 outside. For values up to `error`, which do not tell. Null: they do.
    float (*depth)(const rblShape* shape, rblVec3 point, rblVec3* gradient);

    bool out_of_memory; // the grid could not be made
    bool interpolated;  // steep values are, in a grid of distances
    float
        error; // bound of the error of values near the surface, where `depth` is asked; 0: there is no such function
    float slack;    // what values may be off by where they are interpolated; 0 for exact fields
    float rounding; // of distances, metres; set by the query
    float grain;    // 3/4 of a grid's cell squared; infinite where steep values are no grid's
};

rblField rbl_field_of(const rblShape* shape);

// Most samples that are met are no contacts: their gradients are not asked for, and from `limit` on a bound will do.
float rbl_field_distance(const rblField* field, rblVec3 point, float limit, rblFieldSlope* slope);

// The distance itself falls by the way at most, and what the field tells is off by the slack: at the end of the way, and at its
// start too unless that is far.
static inline float rbl_field_fall(const rblField* field, rblFieldSlope slope, float path)
{
    return path + (2.0f - (float)slope) * field->slack + field->rounding;
}

// The way on which a value above zero falls by no more than `clearance`. (Deep inside, values are bounds from the other side.)
// Interpolated distances change along
// each axis by no more than the way: along any way by no more than sqrt(3) times as much. Where they are those of a grid of cells c,
// no more than sqrt(way^2 + 3/4 c^2) either. A value is the mean of distances at corners, by weights that along each axis are those of
// two grid points. Let both ends draw their grid points by the same chance, axis by axis: how far these lie apart along an axis is the
// way along it in the mean, and c or nothing off that, with a variance of at most c^2 / 4. Distances differ by at most the way
// between two points, so means of distances do by at most the mean way, and that is at most the root of its mean square.
static inline float rbl_field_free_distance(const rblField* field, rblFieldSlope slope, float clearance)
{
    const float path = clearance - rbl_field_fall(field, slope, 0.0f);
    if (slope != RBL_SLOPE_STEEP || !field->interpolated)
    {
        return path;
    }
    const float sure = clearance - field->rounding;
    const float square = sure * sure - field->grain;
    const float bent = sure > 0.0f && square > 0.0f ? sqrtf(square) : 0.0f;
    return rbl_maxf(rbl_maxf(0.57735025f * sure, bent), path);
}

#endif
