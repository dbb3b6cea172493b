// Two 64-bit floats at once: SSE2, WebAssembly SIMD or a plain struct, with the same bits from all of them (simd.h has four of 32 bits).
#ifndef RBL_MATH_SIMD_DOUBLE_H
#define RBL_MATH_SIMD_DOUBLE_H

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
typedef __m128d rblDouble2;

static inline rblDouble2 rbl_load_double2(const double* p)
{
    return _mm_loadu_pd(p);
}

static inline void rbl_store_double2(double* p, rblDouble2 a)
{
    _mm_storeu_pd(p, a);
}

static inline rblDouble2 rbl_splat_double2(double x)
{
    return _mm_set1_pd(x);
}

// Four floats as doubles.
static inline void rbl_widen4(const float* p, rblDouble2* low, rblDouble2* high)
{
    const __m128 all = _mm_loadu_ps(p);
    *low = _mm_cvtps_pd(all);
    *high = _mm_cvtps_pd(_mm_movehl_ps(all, all));
}

static inline rblDouble2 rbl_add_double2(rblDouble2 a, rblDouble2 b)
{
    return _mm_add_pd(a, b);
}

static inline rblDouble2 rbl_sub_double2(rblDouble2 a, rblDouble2 b)
{
    return _mm_sub_pd(a, b);
}

static inline rblDouble2 rbl_mul_double2(rblDouble2 a, rblDouble2 b)
{
    return _mm_mul_pd(a, b);
}

static inline rblDouble2 rbl_div_double2(rblDouble2 a, rblDouble2 b)
{
    return _mm_div_pd(a, b);
}

// a < b ? a : b, and a > b ? a : b.
static inline rblDouble2 rbl_min_double2(rblDouble2 a, rblDouble2 b)
{
    return _mm_min_pd(a, b);
}

static inline rblDouble2 rbl_max_double2(rblDouble2 a, rblDouble2 b)
{
    return _mm_max_pd(a, b);
}

static inline rblDouble2 rbl_set_double2(double x, double y)
{
    return _mm_set_pd(y, x);
}

#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
typedef v128_t rblDouble2;

static inline rblDouble2 rbl_load_double2(const double* p)
{
    return wasm_v128_load(p);
}

static inline void rbl_store_double2(double* p, rblDouble2 a)
{
    wasm_v128_store(p, a);
}

static inline rblDouble2 rbl_splat_double2(double x)
{
    return wasm_f64x2_splat(x);
}

static inline void rbl_widen4(const float* p, rblDouble2* low, rblDouble2* high)
{
    const v128_t all = wasm_v128_load(p);
    *low = wasm_f64x2_promote_low_f32x4(all);
    *high = wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(all, all, 1, 1));
}

static inline rblDouble2 rbl_add_double2(rblDouble2 a, rblDouble2 b)
{
    return wasm_f64x2_add(a, b);
}

static inline rblDouble2 rbl_sub_double2(rblDouble2 a, rblDouble2 b)
{
    return wasm_f64x2_sub(a, b);
}

static inline rblDouble2 rbl_mul_double2(rblDouble2 a, rblDouble2 b)
{
    return wasm_f64x2_mul(a, b);
}

static inline rblDouble2 rbl_div_double2(rblDouble2 a, rblDouble2 b)
{
    return wasm_f64x2_div(a, b);
}

static inline rblDouble2 rbl_min_double2(rblDouble2 a, rblDouble2 b)
{
    return wasm_f64x2_pmin(b, a);
}

static inline rblDouble2 rbl_max_double2(rblDouble2 a, rblDouble2 b)
{
    return wasm_f64x2_pmax(b, a);
}

static inline rblDouble2 rbl_set_double2(double x, double y)
{
    return wasm_f64x2_make(x, y);
}

#else
typedef struct rblDouble2
{
    double lane[2];
} rblDouble2;

static inline rblDouble2 rbl_load_double2(const double* p)
{
    return (rblDouble2){{p[0], p[1]}};
}

static inline void rbl_store_double2(double* p, rblDouble2 a)
{
    p[0] = a.lane[0];
    p[1] = a.lane[1];
}

static inline rblDouble2 rbl_splat_double2(double x)
{
    return (rblDouble2){{x, x}};
}

static inline void rbl_widen4(const float* p, rblDouble2* low, rblDouble2* high)
{
    *low = (rblDouble2){{(double)p[0], (double)p[1]}};
    *high = (rblDouble2){{(double)p[2], (double)p[3]}};
}

static inline rblDouble2 rbl_add_double2(rblDouble2 a, rblDouble2 b)
{
    return (rblDouble2){{a.lane[0] + b.lane[0], a.lane[1] + b.lane[1]}};
}

static inline rblDouble2 rbl_sub_double2(rblDouble2 a, rblDouble2 b)
{
    return (rblDouble2){{a.lane[0] - b.lane[0], a.lane[1] - b.lane[1]}};
}

static inline rblDouble2 rbl_mul_double2(rblDouble2 a, rblDouble2 b)
{
    return (rblDouble2){{a.lane[0] * b.lane[0], a.lane[1] * b.lane[1]}};
}

static inline rblDouble2 rbl_div_double2(rblDouble2 a, rblDouble2 b)
{
    return (rblDouble2){{a.lane[0] / b.lane[0], a.lane[1] / b.lane[1]}};
}

static inline rblDouble2 rbl_min_double2(rblDouble2 a, rblDouble2 b)
{
    return (rblDouble2){
        {a.lane[0] < b.lane[0] ? a.lane[0] : b.lane[0], a.lane[1] < b.lane[1] ? a.lane[1] : b.lane[1]}};
}

static inline rblDouble2 rbl_max_double2(rblDouble2 a, rblDouble2 b)
{
    return (rblDouble2){
        {a.lane[0] > b.lane[0] ? a.lane[0] : b.lane[0], a.lane[1] > b.lane[1] ? a.lane[1] : b.lane[1]}};
}

static inline rblDouble2 rbl_set_double2(double x, double y)
{
    return (rblDouble2){{x, y}};
}
#endif

#endif
