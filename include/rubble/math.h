/// Math types of the API. Right-handed, Y up, metres, radians.
#ifndef RUBBLE_MATH_H
#define RUBBLE_MATH_H

#include "rubble/linkage.h"

RBL_EXTERN_C_BEGIN

/// 32-bit vectors: dynamics, collision, drawing.
typedef struct rblVec2
{
    float x, y;
} rblVec2;

/// Points, directions and linear colours.
typedef struct rblVec3
{
    float x, y, z;
} rblVec3;

/// Four numbers.
typedef struct rblVec4
{
    float x, y, z, w;
} rblVec4;

/// Unit quaternion, w last (glTF's order). Identity is {0, 0, 0, 1}.
typedef struct rblQuat
{
    float x, y, z, w;
} rblQuat;

/// Columns of a 3x3 matrix: m * v = cx * v.x + cy * v.y + cz * v.z.
typedef struct rblMat3
{
    rblVec3 cx, cy, cz;
} rblMat3;

/// Rotation, then translation: x -> q * x + p.
typedef struct rblTransform
{
    rblVec3 p;
    rblQuat q;
} rblTransform;

/// Axis-aligned box. Empty when any lower coordinate exceeds its upper one.
typedef struct rblAabb
{
    rblVec3 lower, upper;
} rblAabb;

/// 64-bit vectors: meshing, mass properties, cutting.
typedef struct rblVec3d
{
    double x, y, z;
} rblVec3d;

/// 64-bit version of rblMat3.
typedef struct rblMat3d
{
    rblVec3d cx, cy, cz;
} rblMat3d;

/// 64-bit version of rblQuat.
typedef struct rblQuatd
{
    double x, y, z, w;
} rblQuatd;

/// 64-bit version of rblAabb.
typedef struct rblAabbd
{
    rblVec3d lower, upper;
} rblAabbd;

RBL_EXTERN_C_END

#endif
