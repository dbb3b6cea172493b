// The field of a shape, prepared for many evaluations.
#ifndef RBL_FIELD_FIELD_H
#define RBL_FIELD_FIELD_H

#include "field/shape.h"

// Bound of the decrease of a field value along a path.
typedef enum rblFieldSlope
{
    RBL_SLOPE_STEEP, // the value has an error of up to the slack, at the start and at the end
    RBL_SLOPE_FAR, // the value is at most the distance at the start; at the end it has an error of up to the slack
    RBL_SLOPE_ONE // the value decreases by at most the length of the path
} rblFieldSlope;

// The kind of a shape sets the members that differ from a field that is exact everywhere (rblShapeKind.describe_field).
struct rblField
{
    const rblShape* shape;
    const rblLevelSet* grid; // grid that gives the values; null: `value` gives them

    // A bound of the distance without its gradient, and its slope. Above `limit` any lower bound is accepted.
    float (*value)(const rblShape* shape, rblVec3 point, float limit, rblFieldSlope* slope);

    // For fields whose values outside are only bounds. `*distance` is the bound at the point; it is replaced by the
    // distance. Returns whether the distance is at most `wanted` and the nearest point is on the surface. Null: values
    // outside are distances.
    bool (*confirm)(const rblShape* shape, rblVec3 point, float wanted, float* distance);

    // Depth of a point inside, and the gradient there; 0 outside. It is called for values up to `error`, whose sign is
    // uncertain. Null: the sign of every value is right.
    float (*depth)(const rblShape* shape, rblVec3 point, rblVec3* gradient);

    bool out_of_memory; // whether the grid could not be created
    bool interpolated;  // whether steep values are interpolated in a grid of distances
    // m, error bound of values near the surface, where `depth` is called; 0: there is no `depth`.
    float error;
    float slack;    // m, error bound of interpolated values; 0 for exact fields
    float rounding; // m, rounding error of distances; the query sets it
    // m^2, 3/4 of the squared cell size of a grid; infinite if steep values do not come from a grid.
    float grain;
};

rblField rbl_field_of(const rblShape* shape);

// Most samples do not become contacts: their gradients are not computed, and above `limit` a lower bound is returned.
float rbl_field_distance(const rblField* field, rblVec3 point, float limit, rblFieldSlope* slope);

// Largest decrease of a value along a path. The distance decreases by at most the length of the path. The values at
// both ends may have an error of the slack; at the start not if the value is far.
static inline float rbl_field_fall(const rblField* field, rblFieldSlope slope, float path)
{
    return path + (2.0f - (float)slope) * field->slack + field->rounding;
}

// Length of the path on which a value above zero decreases by at most `clearance`. (Deep inside, values are bounds from
// the other side.)
//
// Interpolated distances change along each axis by at most the step along it: in any direction by at most sqrt(3) times
// the length. For a grid of cells of size c there is a second bound, sqrt(length^2 + 3/4 c^2). Proof: a value is the
// mean of distances at grid points, with the interpolation weights as probabilities. Couple the random grid points of
// both ends with the same random numbers, axis by axis. Along an axis their distance has the step as its mean, and
// differs from the mean by at most c, with a variance of at most c^2 / 4. Distances at two points differ by at most the
// distance of the points. So the values differ by at most the mean distance of the grid points, which is at most the
// root of the mean square.
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
