// The traversal of the ray tree with two registers of four floats.
#include "math/simd.h"

typedef struct Wide
{
    rblFloat4 low, high;
} Wide;

#define RAY_FCN static inline

RAY_FCN Wide wide_splat(float x)
{
    return (Wide){rbl_splat4(x), rbl_splat4(x)};
}

RAY_FCN Wide wide_load(const float* p)
{
    return (Wide){rbl_load4(p), rbl_load4(p + 4)};
}

RAY_FCN void wide_store(float* p, Wide a)
{
    rbl_store4(p, a.low);
    rbl_store4(p + 4, a.high);
}

#define WIDE_OPERATION(name)                                                                                 \
    RAY_FCN Wide wide_##name(Wide a, Wide b)                                                                 \
    {                                                                                                        \
        return (Wide){rbl_##name##4(a.low, b.low), rbl_##name##4(a.high, b.high)};                           \
    }

WIDE_OPERATION(sub)
WIDE_OPERATION(mul)
WIDE_OPERATION(min)
WIDE_OPERATION(max)
WIDE_OPERATION(less)
WIDE_OPERATION(less_equal)
WIDE_OPERATION(and)

RAY_FCN unsigned wide_mask(Wide a)
{
    return rbl_mask4(a.low) | rbl_mask4(a.high) << 4;
}

#include "bvh/query/ray_kernel.h"

bool rbl_ray_trace_portable(const rblRayTrace* trace, rblRayHit* best, bool any)
{
    return any ? trace_ray(trace, best, true) : trace_ray(trace, best, false);
}
