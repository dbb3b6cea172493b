#include "bvh/triangle/triangle_distance.h"

static rblTrianglePoint point_on_edges(const rblTriangled* triangle, rblVec3d p)
{
    rblTrianglePoint point = {.weights = {1.0, 0.0, 0.0}};
    double best = (double)INFINITY;
    for (int k = 0; k < 3; ++k)
    {
        const int next = k == 2 ? 0 : k + 1;
        const rblVec3d along = rbl_sub3d(triangle->corners[next], triangle->corners[k]);
        const rblVec3d offset = rbl_sub3d(p, triangle->corners[k]);
        const double distance2 = rbl_round_to_24_bits(rbl_segment_distance2(offset, along));
        if (distance2 < best)
        {
            const double t = rbl_segment_parameter(offset, along);
            const int feature = t <= 0.0 ? k : (t >= 1.0 ? next : k + 3);
            best = distance2;
            point = (rblTrianglePoint){.feature = (rblTriangleFeature)feature};
            point.weights[k] = 1.0 - t;
            point.weights[next] = t;
        }
    }
    return point;
}

rblTrianglePoint rbl_triangle_closest(const rblTriangled* triangle, rblVec3d p)
{
    const rblVec3d* corners = triangle->corners;
    const rblVec3d ab = rbl_sub3d(corners[1], corners[0]);
    const rblVec3d ac = rbl_sub3d(corners[2], corners[0]);
    const rblVec3d bc = rbl_sub3d(corners[2], corners[1]);
    const rblVec3d ap = rbl_sub3d(p, corners[0]);
    const rblVec3d bp = rbl_sub3d(p, corners[1]);
    const rblVec3d n = rbl_cross3d(ab, ac);
    const double over_c = rbl_dot3d(n, rbl_cross3d(ab, ap));
    const double over_a = rbl_dot3d(n, rbl_cross3d(bc, bp));
    const double over_b = rbl_dot3d(n, rbl_cross3d(ap, ac));
    const bool flat = !(rbl_dot3d(n, n) > RBL_FLAT_SINE2 * rbl_dot3d(ab, ab) * rbl_dot3d(ac, ac));
    const double sum = over_a + over_b + over_c;
    if (flat || !(rbl_mind(over_a, rbl_mind(over_b, over_c)) >= 0.0) || !(sum > 0.0))
    {
        return point_on_edges(triangle, p);
    }
    return (rblTrianglePoint){{over_a / sum, over_b / sum, over_c / sum}, RBL_FEATURE_FACE};
}
