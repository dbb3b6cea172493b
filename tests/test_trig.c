// Elementary functions: errors against the platform's long double ones, special cases, and the same bits
// everywhere.
#include "testing.h"

#include "base/hash_map.h"
#include "base/random.h"
#include "math/trig.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

// Where long double is no wider than double, the reference itself is off by most of an ulp.
#if LDBL_MANT_DIG >= 64
#define ULP_LIMIT 1.0
#else
#define ULP_LIMIT 2.0
#endif

#define SAMPLES 30000

typedef double Function1(double x);
typedef long double Reference1(long double x);

static const double nan_value = (double)NAN;
static const double infinity = (double)INFINITY;

// Distance in units of the reference's last place, subnormals included.
static double ulps(double actual, long double expected)
{
    const double rounded = (double)expected;
    if (actual == rounded)
    {
        return (double)(fabsl((long double)actual - expected) /
                        (long double)(nextafter(fabs(rounded), HUGE_VAL) - fabs(rounded)));
    }
    if (isnan(actual) || isnan(rounded) || isinf(rounded))
    {
        return isnan(actual) && isnan(rounded) ? 0.0 : HUGE_VAL;
    }
    const double step = nextafter(fabs(rounded), HUGE_VAL) - fabs(rounded);
    return (double)(fabsl((long double)actual - expected) / (long double)step);
}

typedef struct Worst
{
    double error; // ulps
    double x, y;
} Worst;

static void keep_worst(Worst* worst, double error, double x, double y)
{
    if (!(error <= worst->error))
    {
        *worst = (Worst){error, x, y};
    }
}

static void check_worst(const char* name, Worst worst)
{
    if (getenv("RUBBLE_MEASURE") != NULL)
    {
        printf("%-28s %.3f ulp at (%.17g, %.17g)\n", name, worst.error, worst.x, worst.y);
    }
    if (!(worst.error <= ULP_LIMIT))
    {
        fail_msg("%s is off by %.3f ulp at (%.17g, %.17g)", name, worst.error, worst.x, worst.y);
    }
}

static void check_linear(const char* name, Function1* function, Reference1* reference, double low,
                         double high)
{
    rblRandom random = rbl_random_seed(11, 0);
    Worst worst = {0, 0, 0};
    for (int i = 0; i < SAMPLES; ++i)
    {
        const double x = rbl_random_range(&random, low, high);
        keep_worst(&worst, ulps(function(x), reference((long double)x)), x, 0);
    }
    check_worst(name, worst);
}

// Uniform in the exponent, both signs when `negative`.
static double random_magnitude(rblRandom* random, int low, int high, int negative)
{
    const int exponent = low + (int)rbl_random_below(random, (uint32_t)(high - low + 1));
    const double x = ldexp(rbl_random_range(random, 1, 2), exponent);
    return negative && (rbl_random_u32(random) & 1u) != 0 ? -x : x;
}

static void check_magnitudes(const char* name, Function1* function, Reference1* reference, int low, int high,
                             int negative)
{
    rblRandom random = rbl_random_seed(12, 0);
    Worst worst = {0, 0, 0};
    for (int i = 0; i < SAMPLES; ++i)
    {
        const double x = random_magnitude(&random, low, high, negative);
        keep_worst(&worst, ulps(function(x), reference((long double)x)), x, 0);
    }
    check_worst(name, worst);
}

static void sine_cosine_tangent_are_accurate(void** state)
{
    (void)state;
    check_linear("sin, |x| < 10", rbl_sin, sinl, -10, 10);
    check_linear("cos, |x| < 10", rbl_cos, cosl, -10, 10);
    check_linear("tan, |x| < 10", rbl_tan, tanl, -10, 10);
    check_linear("sin, |x| < 1e6", rbl_sin, sinl, -1e6, 1e6);
    check_linear("cos, |x| < 1e6", rbl_cos, cosl, -1e6, 1e6);
    check_linear("tan, |x| < 1e6", rbl_tan, tanl, -1e6, 1e6);
    check_magnitudes("sin, |x| < 2^62", rbl_sin, sinl, -1070, 61, 1);
    check_magnitudes("cos, |x| < 2^62", rbl_cos, cosl, -1070, 61, 1);
    check_magnitudes("tan, |x| < 2^62", rbl_tan, tanl, -1070, 61, 1);
}

static void sines_of_huge_arguments_are_right(void** state)
{
    (void)state;
    check_magnitudes("sin, |x| to DBL_MAX", rbl_sin, sinl, 62, 1023, 1);
    check_magnitudes("cos, |x| to DBL_MAX", rbl_cos, cosl, 62, 1023, 1);
    check_magnitudes("tan, |x| to DBL_MAX", rbl_tan, tanl, 62, 1023, 1);
    // Known to many digits: computed with 1200-digit arithmetic.
    check_close(rbl_sin(1e22), -0.8522008497671888, 2e-16);
    check_close(rbl_cos(1e22), 0.5232147853951389, 2e-16);
    check_close(rbl_sin(DBL_MAX), 0.004961954789184062, 1e-18);
    check_close(rbl_cos(DBL_MAX), -0.9999876894265599, 2e-16);
    // The double closest to a multiple of pi/2, relative to its size (Muller 1997).
    const double nearest = ldexp(6381956970095103.0, 797);
    check_relative(rbl_cos(nearest), -4.6871659242546276e-19, 3e-16);
    assert_true(rbl_sin(nearest) == 1.0);
}

static void multiples_of_half_pi_keep_relative_accuracy(void** state)
{
    (void)state;
    Worst sine = {0, 0, 0}, cosine = {0, 0, 0}, tangent = {0, 0, 0};
    for (int n = 1; n < 40000; ++n)
    {
        double x = n * 1.5707963267948966;
        x = n % 3 == 0 ? nextafter(x, 0) : x;
        keep_worst(&sine, ulps(rbl_sin(x), sinl((long double)x)), x, 0);
        keep_worst(&cosine, ulps(rbl_cos(-x), cosl((long double)x)), x, 0);
        keep_worst(&tangent, ulps(rbl_tan(x), tanl((long double)x)), x, 0);
    }
    check_worst("sin near n pi/2", sine);
    check_worst("cos near n pi/2", cosine);
    check_worst("tan near n pi/2", tangent);
}

static void sincos_is_sin_and_cos(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(13, 0);
    for (int i = 0; i < 20000; ++i)
    {
        const double x = random_magnitude(&random, -40, 40, 1);
        double sine, cosine;
        rbl_sincos(x, &sine, &cosine);
        assert_true(sine == rbl_sin(x) && cosine == rbl_cos(x));
    }
    double sine = 0, cosine = 0;
    rbl_sincos(infinity, &sine, &cosine);
    assert_true(isnan(sine) && isnan(cosine));
    rbl_sincos(-0.0, &sine, &cosine);
    assert_true(sine == 0 && signbit(sine) && cosine == 1);
}

static void inverse_functions_are_accurate(void** state)
{
    (void)state;
    check_linear("acos", rbl_acos, acosl, -1, 1);
    check_magnitudes("acos, small", rbl_acos, acosl, -1074, -1, 1);
    check_linear("acos near 1", rbl_acos, acosl, 0.999, 1);
    check_linear("acos near -1", rbl_acos, acosl, -1, -0.999);
    rblRandom random = rbl_random_seed(14, 0);
    Worst near = {0, 0, 0}, far = {0, 0, 0};
    for (int i = 0; i < SAMPLES; ++i)
    {
        double y = rbl_random_range(&random, -1, 1), x = rbl_random_range(&random, -1, 1);
        keep_worst(&near, ulps(rbl_atan2(y, x), atan2l((long double)y, (long double)x)), y, x);
        y = random_magnitude(&random, -1074, 1023, 1);
        x = random_magnitude(&random, -1074, 1023, 1);
        keep_worst(&far, ulps(rbl_atan2(y, x), atan2l((long double)y, (long double)x)), y, x);
    }
    check_worst("atan2, in the square", near);
    check_worst("atan2, all magnitudes", far);
}

static void exponentials_and_logarithms_are_accurate(void** state)
{
    (void)state;
    check_linear("exp, |x| < 2", rbl_exp, expl, -2, 2);
    check_linear("exp", rbl_exp, expl, -745.2, 709.7);
    check_magnitudes("exp, small", rbl_exp, expl, -1074, 2, 1);
    check_linear("log near 1", rbl_log, logl, 0.5, 2);
    check_magnitudes("log", rbl_log, logl, -1074, 1023, 0);
    check_magnitudes("cbrt", rbl_cbrt, cbrtl, -1074, 1023, 1);
    check_linear("cbrt, 1 to 8", rbl_cbrt, cbrtl, 1, 8);
}

static void powers_are_accurate(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(15, 0);
    Worst small = {0, 0, 0}, wide = {0, 0, 0}, near_one = {0, 0, 0};
    for (int i = 0; i < SAMPLES; ++i)
    {
        double x = rbl_random_range(&random, 0, 10), y = rbl_random_range(&random, -10, 10);
        keep_worst(&small, ulps(rbl_pow(x, y), powl((long double)x, (long double)y)), x, y);
        x = random_magnitude(&random, -1074, 1023, 0); // results over the whole range of double
        y = rbl_random_range(&random, -745, 709.7) / log(x);
        keep_worst(&wide, ulps(rbl_pow(x, y), powl((long double)x, (long double)y)), x, y);
        x = 1 + random_magnitude(&random, -52, -2, 1);
        y = x == 1 ? 1 : rbl_random_range(&random, -745, 709.7) / log(x);
        keep_worst(&near_one, ulps(rbl_pow(x, y), powl((long double)x, (long double)y)), x, y);
    }
    check_worst("pow, small", small);
    check_worst("pow, whole range", wide);
    check_worst("pow, base near 1", near_one);
}

static void integer_powers_are_exact_where_representable(void** state)
{
    (void)state;
    for (int base = -300; base <= 300; ++base)
    {
        double exact = 1;
        for (int n = 0; fabs(exact) <= 0x1p53; ++n)
        {
            if (rbl_pow(base, n) != exact)
            {
                fail_msg("pow(%d, %d) is %.17g, not %.17g", base, n, rbl_pow(base, n), exact);
            }
            if (base >= -1 && base <= 1 && n > 100)
            {
                break;
            }
            exact *= base;
        }
    }
    for (int n = -1074; n <= 1023; ++n)
    {
        assert_true(rbl_pow(2, n) == ldexp(1, n));
        assert_true(rbl_pow(-0.5, n) == (n % 2 == 0 ? 1 : -1) * ldexp(1, -n));
    }
    for (int root = 1; root < 5000; ++root)
    {
        const double square = (double)root * root;
        assert_true(rbl_pow(square, 0.5) == root);
        assert_true(rbl_cbrt(square * root) == root && rbl_cbrt(-square * root) == -root);
    }
}

static void check_same(double actual, double expected)
{
    const int both_nan = isnan(actual) && isnan(expected);
    if (!both_nan && !(actual == expected && signbit(actual) == signbit(expected)))
    {
        fail_msg("%.17g instead of %.17g", actual, expected);
    }
}

static void special_cases_follow_annex_f(void** state)
{
    (void)state;
    const double specials[] = {
        0.0,     -0.0,       1.0,         -1.0,    infinity,     -infinity, nan_value,     0.5,
        -0.5,    2.0,        -2.0,        3.0,     -3.0,         4.0,       -4.0,          2.5,
        -2.5,    DBL_MAX,    -DBL_MAX,    DBL_MIN, DBL_TRUE_MIN, -DBL_MIN,  -DBL_TRUE_MIN, 0x1p53,
        -0x1p53, 0x1p53 - 1, -0x1p53 + 1, 1e300,   -1e300,       1e-300,    -1e-300,       1.5};
    const size_t count = sizeof specials / sizeof specials[0];
    for (size_t i = 0; i < count; ++i)
    {
        const double x = specials[i];
        for (size_t j = 0; j < count; ++j)
        {
            const double y = specials[j];
            const double power = rbl_pow(x, y), expected = pow(x, y);
            assert_true(isnan(power) == isnan(expected) && isinf(power) == isinf(expected));
            assert_true(isnan(power) ||
                        ((power == 0) == (expected == 0) && signbit(power) == signbit(expected)));
            const double angle = rbl_atan2(x, y);
            assert_true(isnan(angle) == isnan(atan2(x, y)));
            assert_true(isnan(angle) || (ulps(angle, atan2l((long double)x, (long double)y)) <= ULP_LIMIT &&
                                         signbit(angle) == signbit(atan2(x, y))));
        }
        if (fabs(x) > 1 || x != x)
        {
            assert_true(isnan(rbl_acos(x)));
        }
    }
    check_same(rbl_sin(-0.0), -0.0);
    check_same(rbl_tan(-0.0), -0.0);
    check_same(rbl_cbrt(-0.0), -0.0);
    check_same(rbl_sin(infinity), nan_value);
    check_same(rbl_cos(-infinity), nan_value);
    check_same(rbl_tan(nan_value), nan_value);
    check_same(rbl_cos(0), 1);
    check_same(rbl_acos(1), 0);
    check_same(rbl_acos(-1), 3.141592653589793);
    check_same(rbl_exp(0), 1);
    check_same(rbl_exp(-infinity), 0);
    check_same(rbl_exp(infinity), infinity);
    check_same(rbl_exp(710), infinity);
    check_same(rbl_exp(-1e300), 0);
    check_same(rbl_exp(nan_value), nan_value);
    check_same(rbl_log(1), 0);
    check_same(rbl_log(0), -infinity);
    check_same(rbl_log(-0.0), -infinity);
    check_same(rbl_log(-1), nan_value);
    check_same(rbl_log(infinity), infinity);
    check_same(rbl_log(nan_value), nan_value);
    check_same(rbl_cbrt(-infinity), -infinity);
    check_same(rbl_cbrt(nan_value), nan_value);
    check_same(rbl_pow(nan_value, 0), 1);
    check_same(rbl_pow(1, nan_value), 1);
    check_same(rbl_pow(-8, 1.0 / 3), nan_value);
}

// One number for all results: any compiler, optimisation level or platform that differs in a bit changes it.
static void results_have_the_same_bits_everywhere(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(17, 0);
    uint64_t hash = RBL_HASH_START;
    for (int i = 0; i < 5000; ++i)
    {
        const double x = random_magnitude(&random, -30, i % 4 == 0 ? 1000 : 9, 1),
                     unit = rbl_random_range(&random, -1, 1);
        const double results[] = {rbl_sin(x),        rbl_cos(x),        rbl_tan(x),
                                  rbl_acos(unit),    rbl_atan2(x, 1.0), rbl_exp(x),
                                  rbl_log(fabs(x)),  rbl_cbrt(x),       rbl_pow(fabs(x), 3 * unit),
                                  rbl_atan2(x, unit)};
        hash = rbl_hash_bytes(hash, results, sizeof results);
    }
    if (hash != UINT64_C(0x6EC5C5AE595A1333))
    {
        fail_msg("hash is 0x%llX", (unsigned long long)hash);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_cosine_tangent_are_accurate),
        cmocka_unit_test(sines_of_huge_arguments_are_right),
        cmocka_unit_test(multiples_of_half_pi_keep_relative_accuracy),
        cmocka_unit_test(sincos_is_sin_and_cos),
        cmocka_unit_test(inverse_functions_are_accurate),
        cmocka_unit_test(exponentials_and_logarithms_are_accurate),
        cmocka_unit_test(powers_are_accurate),
        cmocka_unit_test(integer_powers_are_exact_where_representable),
        cmocka_unit_test(special_cases_follow_annex_f),
        cmocka_unit_test(results_have_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
