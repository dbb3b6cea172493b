#include "math/vec.h"

rblVec3 rbl_normalize3(rblVec3 a, rblVec3 fallback)
{
    return rbl_to_float3(rbl_normalize3d(rbl_to_double3(a), rbl_to_double3(fallback)));
}

rblVec3d rbl_normalize3d(rblVec3d a, rblVec3d fallback)
{
    const double largest = rbl_maxd(fabs(a.x), rbl_maxd(fabs(a.y), fabs(a.z)));
    if (!(largest > 0.0) || !rbl_finite3d(a))
    {
        return fallback;
    }
    const rblVec3d scaled = {a.x / largest, a.y / largest, a.z / largest};
    const double length = rbl_length3d(scaled);
    return (rblVec3d){scaled.x / length, scaled.y / length, scaled.z / length};
}
