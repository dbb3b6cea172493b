// Four 32-bit floats at once: SSE2, WebAssembly SIMD or a plain struct, all with the same bits. min and max follow
// vec.h: a < b ? a : b. Comparisons give all-ones or all-zero lanes.
#ifndef RBL_MATH_SIMD_H
#define RBL_MATH_SIMD_H

#include <stdint.h>
#include <string.h>

// Prefetch the cache line at p. It changes no result; any address is allowed.
static inline void rbl_prefetch(const void* p)
{
#if defined(__GNUC__)
    __builtin_prefetch(p);
#else
    (void)p;
#endif
}

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
typedef __m128 rblFloat4;
typedef __m128i rblInt4;

// Towards zero; lanes must lie in the range of int32_t.
static inline rblInt4 rbl_truncate4(rblFloat4 a)
{
    return _mm_cvttps_epi32(a);
}

// The same as a number.
static inline rblFloat4 rbl_whole4(rblFloat4 a)
{
    return _mm_cvtepi32_ps(_mm_cvttps_epi32(a));
}

// Eight 16-bit numbers, two from each place: those of the first two places, then those of the others.
static inline void rbl_load_pairs4(const int16_t* const p[4], rblFloat4* first, rblFloat4* second)
{
    const __m128i a =
        _mm_unpacklo_epi32(_mm_loadu_si32((const void*)p[0]), _mm_loadu_si32((const void*)p[1]));
    const __m128i b =
        _mm_unpacklo_epi32(_mm_loadu_si32((const void*)p[2]), _mm_loadu_si32((const void*)p[3]));
    *first = _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(a, a), 16));
    *second = _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(b, b), 16));
}

// (a | a << shift) & mask: one step of spreading bits apart.
#define rbl_spread_step4(a, shift, mask)                                                                     \
    _mm_and_si128(_mm_or_si128((a), _mm_slli_epi32((a), (shift))), _mm_set1_epi32((int)(mask)))

// (a >> shift) & mask, bit by bit.
static inline rblInt4 rbl_field4(rblInt4 a, uint32_t shift, uint32_t mask)
{
    return _mm_and_si128(_mm_srl_epi32(a, _mm_cvtsi32_si128((int)shift)), _mm_set1_epi32((int)mask));
}

// a | b << shift.
#define rbl_or_shift4(a, b, shift) _mm_or_si128((a), _mm_slli_epi32((b), (shift)))

// The bits of floats.
static inline rblInt4 rbl_bits4(rblFloat4 a)
{
    return _mm_castps_si128(a);
}

static inline void rbl_store_int4(uint32_t* p, rblInt4 a)
{
    _mm_storeu_si128((__m128i_u*)(void*)p, a);
}

static inline rblInt4 rbl_xor_int4(rblInt4 a, rblInt4 b)
{
    return _mm_xor_si128(a, b);
}

// One bit for each lane below 2^shift.
#define rbl_mask_below4(a, shift)                                                                            \
    ((uint32_t)_mm_movemask_ps(                                                                              \
        _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_srli_epi32((a), (shift)), _mm_setzero_si128()))))

static inline rblFloat4 rbl_load4(const float* p)
{
    return _mm_loadu_ps(p);
}

static inline void rbl_store4(float* p, rblFloat4 a)
{
    _mm_storeu_ps(p, a);
}

// Eight 16-bit integers.
typedef __m128i rblShort8;

static inline rblShort8 rbl_load_short8(const int16_t* p)
{
    return _mm_loadu_si128((const __m128i_u*)(const void*)p);
}

static inline void rbl_store_short8(int16_t* p, rblShort8 a)
{
    _mm_storeu_si128((__m128i_u*)(void*)p, a);
}

static inline rblShort8 rbl_splat_short8(int16_t x)
{
    return _mm_set1_epi16(x);
}

static inline rblShort8 rbl_min_short8(rblShort8 a, rblShort8 b)
{
    return _mm_min_epi16(a, b);
}

static inline rblShort8 rbl_max_short8(rblShort8 a, rblShort8 b)
{
    return _mm_max_epi16(a, b);
}

// sum + 1 in the lanes where a < b.
static inline rblShort8 rbl_count_less_short8(rblShort8 sum, rblShort8 a, rblShort8 b)
{
    return _mm_sub_epi16(sum, _mm_cmplt_epi16(a, b));
}

// Two floats, reading no more than eight bytes; the other lanes are 0.
static inline rblFloat4 rbl_load2(const float* p)
{
    return _mm_castsi128_ps(_mm_loadl_epi64((const __m128i_u*)(const void*)p));
}

// Three floats, reading and writing no more than twelve bytes; the fourth lane is 0.
static inline rblFloat4 rbl_load3(const float* p)
{
    return _mm_movelh_ps(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i_u*)(const void*)p)),
                         _mm_load_ss(p + 2));
}

static inline void rbl_store3(float* p, rblFloat4 a)
{
    _mm_storel_epi64((__m128i_u*)(void*)p, _mm_castps_si128(a));
    _mm_store_ss(p + 2, _mm_movehl_ps(a, a));
}

static inline rblFloat4 rbl_splat4(float x)
{
    return _mm_set1_ps(x);
}

static inline rblFloat4 rbl_set4(float x, float y, float z, float w)
{
    return _mm_setr_ps(x, y, z, w);
}

static inline rblFloat4 rbl_add4(rblFloat4 a, rblFloat4 b)
{
    return _mm_add_ps(a, b);
}

static inline rblFloat4 rbl_sub4(rblFloat4 a, rblFloat4 b)
{
    return _mm_sub_ps(a, b);
}

static inline rblFloat4 rbl_mul4(rblFloat4 a, rblFloat4 b)
{
    return _mm_mul_ps(a, b);
}

static inline rblFloat4 rbl_div4(rblFloat4 a, rblFloat4 b)
{
    return _mm_div_ps(a, b);
}

static inline rblFloat4 rbl_min4(rblFloat4 a, rblFloat4 b)
{
    return _mm_min_ps(a, b);
}

static inline rblFloat4 rbl_max4(rblFloat4 a, rblFloat4 b)
{
    return _mm_max_ps(a, b);
}

static inline rblFloat4 rbl_less_equal4(rblFloat4 a, rblFloat4 b)
{
    return _mm_cmple_ps(a, b);
}

static inline rblFloat4 rbl_less4(rblFloat4 a, rblFloat4 b)
{
    return _mm_cmplt_ps(a, b);
}

static inline rblFloat4 rbl_and4(rblFloat4 a, rblFloat4 b)
{
    return _mm_and_ps(a, b);
}

static inline rblFloat4 rbl_sqrt4(rblFloat4 a)
{
    return _mm_sqrt_ps(a);
}

// Per lane: a where the comparison `mask` held, else b.
static inline rblFloat4 rbl_select4(rblFloat4 mask, rblFloat4 a, rblFloat4 b)
{
    return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, b));
}

// Lane i of the mask becomes bit i.
static inline uint32_t rbl_mask4(rblFloat4 a)
{
    return (uint32_t)_mm_movemask_ps(a);
}

// Rows become columns.
static inline void rbl_transpose4(rblFloat4* a, rblFloat4* b, rblFloat4* c, rblFloat4* d)
{
    _MM_TRANSPOSE4_PS(*a, *b, *c, *d);
}

#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
typedef v128_t rblFloat4;
typedef v128_t rblInt4;

static inline rblInt4 rbl_truncate4(rblFloat4 a)
{
    return wasm_i32x4_trunc_sat_f32x4(a);
}

static inline rblFloat4 rbl_whole4(rblFloat4 a)
{
    return wasm_f32x4_convert_i32x4(wasm_i32x4_trunc_sat_f32x4(a));
}

static inline void rbl_load_pairs4(const int16_t* const p[4], rblFloat4* first, rblFloat4* second)
{
    *first = wasm_f32x4_make((float)p[0][0], (float)p[0][1], (float)p[1][0], (float)p[1][1]);
    *second = wasm_f32x4_make((float)p[2][0], (float)p[2][1], (float)p[3][0], (float)p[3][1]);
}

#define rbl_spread_step4(a, shift, mask)                                                                     \
    wasm_v128_and(wasm_v128_or((a), wasm_i32x4_shl((a), (shift))), wasm_i32x4_splat((int)(mask)))

static inline rblInt4 rbl_field4(rblInt4 a, uint32_t shift, uint32_t mask)
{
    return wasm_v128_and(wasm_u32x4_shr(a, shift), wasm_i32x4_splat((int)mask));
}

#define rbl_or_shift4(a, b, shift) wasm_v128_or((a), wasm_i32x4_shl((b), (shift)))

static inline rblInt4 rbl_bits4(rblFloat4 a)
{
    return a;
}

static inline void rbl_store_int4(uint32_t* p, rblInt4 a)
{
    wasm_v128_store(p, a);
}

static inline rblInt4 rbl_xor_int4(rblInt4 a, rblInt4 b)
{
    return wasm_v128_xor(a, b);
}

#define rbl_mask_below4(a, shift)                                                                            \
    ((uint32_t)wasm_i32x4_bitmask(wasm_i32x4_eq(wasm_u32x4_shr((a), (shift)), wasm_i32x4_splat(0))))

static inline rblFloat4 rbl_load4(const float* p)
{
    return wasm_v128_load(p);
}

static inline void rbl_store4(float* p, rblFloat4 a)
{
    wasm_v128_store(p, a);
}

typedef v128_t rblShort8;

static inline rblShort8 rbl_load_short8(const int16_t* p)
{
    return wasm_v128_load(p);
}

static inline void rbl_store_short8(int16_t* p, rblShort8 a)
{
    wasm_v128_store(p, a);
}

static inline rblShort8 rbl_splat_short8(int16_t x)
{
    return wasm_i16x8_splat(x);
}

static inline rblShort8 rbl_min_short8(rblShort8 a, rblShort8 b)
{
    return wasm_i16x8_min(a, b);
}

static inline rblShort8 rbl_max_short8(rblShort8 a, rblShort8 b)
{
    return wasm_i16x8_max(a, b);
}

static inline rblShort8 rbl_count_less_short8(rblShort8 sum, rblShort8 a, rblShort8 b)
{
    return wasm_i16x8_sub(sum, wasm_i16x8_lt(a, b));
}

static inline rblFloat4 rbl_load2(const float* p)
{
    return wasm_v128_load64_zero(p);
}

static inline rblFloat4 rbl_load3(const float* p)
{
    return wasm_v128_load32_lane(p + 2, wasm_v128_load64_zero(p), 2);
}

static inline void rbl_store3(float* p, rblFloat4 a)
{
    wasm_v128_store64_lane(p, a, 0);
    wasm_v128_store32_lane(p + 2, a, 2);
}

static inline rblFloat4 rbl_splat4(float x)
{
    return wasm_f32x4_splat(x);
}

static inline rblFloat4 rbl_set4(float x, float y, float z, float w)
{
    return wasm_f32x4_make(x, y, z, w);
}

static inline rblFloat4 rbl_add4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_add(a, b);
}

static inline rblFloat4 rbl_sub4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_sub(a, b);
}

static inline rblFloat4 rbl_mul4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_mul(a, b);
}

static inline rblFloat4 rbl_div4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_div(a, b);
}

// pmin(x, y) is y < x ? y : x.
static inline rblFloat4 rbl_min4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_pmin(b, a);
}

static inline rblFloat4 rbl_max4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_pmax(b, a);
}

static inline rblFloat4 rbl_less_equal4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_le(a, b);
}

static inline rblFloat4 rbl_less4(rblFloat4 a, rblFloat4 b)
{
    return wasm_f32x4_lt(a, b);
}

static inline rblFloat4 rbl_and4(rblFloat4 a, rblFloat4 b)
{
    return wasm_v128_and(a, b);
}

static inline rblFloat4 rbl_sqrt4(rblFloat4 a)
{
    return wasm_f32x4_sqrt(a);
}

static inline rblFloat4 rbl_select4(rblFloat4 mask, rblFloat4 a, rblFloat4 b)
{
    return wasm_v128_bitselect(a, b, mask);
}

static inline uint32_t rbl_mask4(rblFloat4 a)
{
    return (uint32_t)wasm_i32x4_bitmask(a);
}

static inline void rbl_transpose4(rblFloat4* a, rblFloat4* b, rblFloat4* c, rblFloat4* d)
{
    const v128_t ab_low = wasm_i32x4_shuffle(*a, *b, 0, 4, 1, 5);
    const v128_t ab_high = wasm_i32x4_shuffle(*a, *b, 2, 6, 3, 7);
    const v128_t cd_low = wasm_i32x4_shuffle(*c, *d, 0, 4, 1, 5);
    const v128_t cd_high = wasm_i32x4_shuffle(*c, *d, 2, 6, 3, 7);
    *a = wasm_i64x2_shuffle(ab_low, cd_low, 0, 2);
    *b = wasm_i64x2_shuffle(ab_low, cd_low, 1, 3);
    *c = wasm_i64x2_shuffle(ab_high, cd_high, 0, 2);
    *d = wasm_i64x2_shuffle(ab_high, cd_high, 1, 3);
}

#else
#include <math.h>

// Plain lanes; a mask lane is 1 or 0 in `mask` rather than all bits, which only rbl_and4,
// rbl_select4 and rbl_mask4 see.
typedef struct rblFloat4
{
    float lane[4];
} rblFloat4;

#define RBL_LANES(expression)                                                                                \
    do                                                                                                       \
    {                                                                                                        \
        for (int i = 0; i < 4; ++i)                                                                          \
        {                                                                                                    \
            r.lane[i] = (expression);                                                                        \
        }                                                                                                    \
    } while (0)

static inline rblFloat4 rbl_load4(const float* p)
{
    return (rblFloat4){{p[0], p[1], p[2], p[3]}};
}

static inline void rbl_store4(float* p, rblFloat4 a)
{
    for (int i = 0; i < 4; ++i)
    {
        p[i] = a.lane[i];
    }
}

static inline rblFloat4 rbl_load2(const float* p)
{
    return (rblFloat4){{p[0], p[1], 0.0f, 0.0f}};
}

static inline rblFloat4 rbl_load3(const float* p)
{
    return (rblFloat4){{p[0], p[1], p[2], 0.0f}};
}

static inline void rbl_store3(float* p, rblFloat4 a)
{
    p[0] = a.lane[0];
    p[1] = a.lane[1];
    p[2] = a.lane[2];
}

static inline rblFloat4 rbl_splat4(float x)
{
    return (rblFloat4){{x, x, x, x}};
}

static inline rblFloat4 rbl_set4(float x, float y, float z, float w)
{
    return (rblFloat4){{x, y, z, w}};
}

static inline rblFloat4 rbl_add4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] + b.lane[i]);
    return r;
}

static inline rblFloat4 rbl_sub4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] - b.lane[i]);
    return r;
}

static inline rblFloat4 rbl_mul4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] * b.lane[i]);
    return r;
}

static inline rblFloat4 rbl_div4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] / b.lane[i]);
    return r;
}

static inline rblFloat4 rbl_min4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
    return r;
}

static inline rblFloat4 rbl_max4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
    return r;
}

static inline rblFloat4 rbl_less_equal4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] <= b.lane[i] ? 1.0f : 0.0f);
    return r;
}

static inline rblFloat4 rbl_less4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] < b.lane[i] ? 1.0f : 0.0f);
    return r;
}

static inline rblFloat4 rbl_and4(rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(a.lane[i] * b.lane[i]);
    return r;
}

static inline rblFloat4 rbl_sqrt4(rblFloat4 a)
{
    rblFloat4 r;
    RBL_LANES(sqrtf(a.lane[i]));
    return r;
}

static inline rblFloat4 rbl_select4(rblFloat4 mask, rblFloat4 a, rblFloat4 b)
{
    rblFloat4 r;
    RBL_LANES(mask.lane[i] != 0.0f ? a.lane[i] : b.lane[i]);
    return r;
}

static inline uint32_t rbl_mask4(rblFloat4 a)
{
    return (a.lane[0] != 0) | (uint32_t)(a.lane[1] != 0) << 1 | (uint32_t)(a.lane[2] != 0) << 2 |
           (uint32_t)(a.lane[3] != 0) << 3;
}

static inline void rbl_transpose4(rblFloat4* a, rblFloat4* b, rblFloat4* c, rblFloat4* d)
{
    rblFloat4* rows[4] = {a, b, c, d};
    for (int i = 0; i < 4; ++i)
    {
        for (int j = 0; j < i; ++j)
        {
            const float swap = rows[i]->lane[j];
            rows[i]->lane[j] = rows[j]->lane[i];
            rows[j]->lane[i] = swap;
        }
    }
}

typedef struct rblInt4
{
    uint32_t lane[4];
} rblInt4;

static inline rblInt4 rbl_truncate4(rblFloat4 a)
{
    rblInt4 r;
    RBL_LANES((uint32_t)(int32_t)a.lane[i]);
    return r;
}

static inline rblFloat4 rbl_whole4(rblFloat4 a)
{
    rblFloat4 r;
    RBL_LANES((float)(int32_t)a.lane[i]);
    return r;
}

static inline void rbl_load_pairs4(const int16_t* const p[4], rblFloat4* first, rblFloat4* second)
{
    *first = rbl_set4((float)p[0][0], (float)p[0][1], (float)p[1][0], (float)p[1][1]);
    *second = rbl_set4((float)p[2][0], (float)p[2][1], (float)p[3][0], (float)p[3][1]);
}

static inline rblInt4 rbl_spread_step4(rblInt4 a, uint32_t shift, uint32_t mask)
{
    rblInt4 r;
    RBL_LANES((a.lane[i] | a.lane[i] << shift) & mask);
    return r;
}

static inline rblInt4 rbl_field4(rblInt4 a, uint32_t shift, uint32_t mask)
{
    rblInt4 r;
    RBL_LANES((a.lane[i] >> shift) & mask);
    return r;
}

static inline rblInt4 rbl_or_shift4(rblInt4 a, rblInt4 b, uint32_t shift)
{
    rblInt4 r;
    RBL_LANES(a.lane[i] | b.lane[i] << shift);
    return r;
}

static inline rblInt4 rbl_bits4(rblFloat4 a)
{
    rblInt4 r;
    memcpy(r.lane, a.lane, sizeof r.lane);
    return r;
}

static inline void rbl_store_int4(uint32_t* p, rblInt4 a)
{
    for (int i = 0; i < 4; ++i)
    {
        p[i] = a.lane[i];
    }
}

static inline rblInt4 rbl_xor_int4(rblInt4 a, rblInt4 b)
{
    rblInt4 r;
    RBL_LANES(a.lane[i] ^ b.lane[i]);
    return r;
}

static inline uint32_t rbl_mask_below4(rblInt4 a, uint32_t shift)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < 4; ++i)
    {
        mask |= (uint32_t)(a.lane[i] >> shift == 0) << i;
    }
    return mask;
}

#undef RBL_LANES

typedef struct rblShort8
{
    int16_t lane[8];
} rblShort8;

#define RBL_LANES(expression)                                                                                \
    do                                                                                                       \
    {                                                                                                        \
        for (int i = 0; i < 8; ++i)                                                                          \
        {                                                                                                    \
            r.lane[i] = (int16_t)(expression);                                                               \
        }                                                                                                    \
    } while (0)

static inline rblShort8 rbl_load_short8(const int16_t* p)
{
    rblShort8 r;
    RBL_LANES(p[i]);
    return r;
}

static inline void rbl_store_short8(int16_t* p, rblShort8 a)
{
    for (int i = 0; i < 8; ++i)
    {
        p[i] = a.lane[i];
    }
}

static inline rblShort8 rbl_splat_short8(int16_t x)
{
    rblShort8 r;
    RBL_LANES(x);
    return r;
}

static inline rblShort8 rbl_min_short8(rblShort8 a, rblShort8 b)
{
    rblShort8 r;
    RBL_LANES(a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]);
    return r;
}

static inline rblShort8 rbl_max_short8(rblShort8 a, rblShort8 b)
{
    rblShort8 r;
    RBL_LANES(a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]);
    return r;
}

static inline rblShort8 rbl_count_less_short8(rblShort8 sum, rblShort8 a, rblShort8 b)
{
    rblShort8 r;
    RBL_LANES(sum.lane[i] + (a.lane[i] < b.lane[i]));
    return r;
}

#undef RBL_LANES
#endif

#endif
