// The traversal of the ray tree with AVX2, on processors that have it. Without FMA: results are those of every path.
#include "bvh/query/ray_tree_trace.h"

#if defined(__GNUC__) && defined(__x86_64__)
#include <immintrin.h>

typedef __m256 Wide;

#define RAY_FCN static inline __attribute__((always_inline, target("avx2")))

RAY_FCN Wide wide_splat(float x)
{
    return _mm256_set1_ps(x);
}

RAY_FCN Wide wide_load(const float* p)
{
    return _mm256_loadu_ps(p);
}

RAY_FCN void wide_store(float* p, Wide a)
{
    _mm256_storeu_ps(p, a);
}

RAY_FCN Wide wide_sub(Wide a, Wide b)
{
    return _mm256_sub_ps(a, b);
}

RAY_FCN Wide wide_mul(Wide a, Wide b)
{
    return _mm256_mul_ps(a, b);
}

RAY_FCN Wide wide_min(Wide a, Wide b)
{
    return _mm256_min_ps(a, b);
}

RAY_FCN Wide wide_max(Wide a, Wide b)
{
    return _mm256_max_ps(a, b);
}

RAY_FCN Wide wide_less(Wide a, Wide b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

RAY_FCN Wide wide_less_equal(Wide a, Wide b)
{
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

RAY_FCN Wide wide_and(Wide a, Wide b)
{
    return _mm256_and_ps(a, b);
}

RAY_FCN uint32_t wide_mask(Wide a)
{
    return (uint32_t)_mm256_movemask_ps(a);
}

#include "bvh/query/ray_kernel.h"

__attribute__((target("avx2"))) static bool trace_closest(const rblRayTrace* trace, rblRayHit* best)
{
    return trace_ray(trace, best, false);
}

__attribute__((target("avx2"))) static bool trace_any(const rblRayTrace* trace, rblRayHit* best)
{
    return trace_ray(trace, best, true);
}

bool rbl_ray_trace_avx2(const rblRayTrace* trace, rblRayHit* best, bool any)
{
    return any ? trace_any(trace, best) : trace_closest(trace, best);
}

bool rbl_ray_path_exists(rblRayPath path)
{
    return path == RBL_RAY_PORTABLE || __builtin_cpu_supports("avx2");
}

#else

bool rbl_ray_trace_avx2(const rblRayTrace* trace, rblRayHit* best, bool any)
{
    return rbl_ray_trace_portable(trace, best, any); // never chosen
}

bool rbl_ray_path_exists(rblRayPath path)
{
    return path == RBL_RAY_PORTABLE;
}

#endif
