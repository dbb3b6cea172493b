// The distance of two convex shapes.
#ifndef RBL_TESTS_CONVEX_DISTANCE_H
#define RBL_TESTS_CONVEX_DISTANCE_H

#include "field/convex/gjk.h"
#include "field/shape.h"
#include "math/mat3.h"
#include "math/transform.h"
#include "math/vec.h"

static inline double plane_distance(const rblShapeView* plane, const rblShapeView* shape,
                                    rblTransform in_plane, rblVec3d* normal)
{
    const rblVec3 up = plane->shape->core.normal;
    *normal = rbl_to_double3(up);
    if (!shape->bounded)
    {
        return (double)INFINITY;
    }
    const rblVec3 down = rbl_inverse_rotate3(in_plane.q, rbl_neg3(up));
    const rblVec3 lowest =
        rbl_transform_point(in_plane, shape->shape->kind->support(shape->shape->data, down));
    return rbl_dot3d(*normal, rbl_to_double3(lowest));
}

// Signed distance of two convex shapes, neither a plane or one of them; negative: some lower bound of the depth. `normal` (unit, from
// a to b, in a's axes) separates them by that much.
static inline double convex_distance(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                                     rblVec3d* normal)
{
    if (!a->bounded)
    {
        return plane_distance(a, b, b_in_a, normal);
    }
    if (!b->bounded)
    {
        rblVec3d there;
        const double distance = plane_distance(b, a, rbl_transform_inverse(b_in_a), &there);
        *normal = rbl_neg3d(rbl_to_double3(rbl_rotate3(b_in_a.q, rbl_to_float3(there))));
        return distance;
    }
    const rblConvexPair pair = rbl_convex_pair(a, b, b_in_a);
    const rblVec3d centers =
        rbl_sub3d(rbl_add3d(rbl_mat3d_apply(&pair.rotation, rbl_core_center(pair.b)), pair.offset),
                  rbl_core_center(pair.a));
    const rblSeparation found = rbl_gjk_separation(&pair, centers, (double)INFINITY);
    *normal = found.normal;
    return found.distance - pair.a->rounding - pair.b->rounding;
}

#endif
