#include "bvh/grid.h"

#include "math/vec.h"

rblGrid rbl_grid_over(rblAabb bounds, uint32_t axis_bits)
{
    const rblVec3 size = rbl_sub3(bounds.upper, bounds.lower);
    const float longest = rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    // A denormal size would make the scale infinite; for the order of its leaves, a mesh of that size is a point.
    const float scale = longest > 1e-30f ? (float)(1u << axis_bits) * 0.5f / longest : 0.0f;
    return (rblGrid){{rbl_splat4(2.0f * bounds.lower.x), rbl_splat4(2.0f * bounds.lower.y),
                      rbl_splat4(2.0f * bounds.lower.z)},
                     rbl_splat4(scale),
                     rbl_splat4((float)((1u << axis_bits) - 1))};
}
