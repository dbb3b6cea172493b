// Exact predicates against integer brute force, on nearly degenerate input and over the whole range of
// double.
#include "testing.h"

#include "base/random.h"
#include "math/predicates.h"
#include "math/vec.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

// ---- brute force: integers of 96 16-bit digits in two's complement, by nothing but the definition ----

#define DIGITS 96

typedef struct Wide
{
    uint16_t digit[DIGITS];
} Wide;

static Wide wide_from(int64_t value, int shift)
{
    Wide w;
    memset(&w, value < 0 ? 0xFF : 0, sizeof w);
    // Bit by bit: the slow way that cannot be wrong in the same manner as the library.
    for (int i = 0; i < shift; ++i)
    {
        w.digit[i / 16] = (uint16_t)(w.digit[i / 16] & ~(1u << i % 16));
    }
    for (int i = 0; i < 64; ++i)
    {
        const int at = shift + i;
        const unsigned bit = (unsigned)((uint64_t)value >> i & 1);
        w.digit[at / 16] = (uint16_t)((w.digit[at / 16] & ~(1u << at % 16)) | bit << at % 16);
    }
    return w;
}

static Wide wide_add(Wide a, Wide b)
{
    uint32_t carry = 0;
    for (int i = 0; i < DIGITS; ++i)
    {
        carry += (uint32_t)a.digit[i] + b.digit[i];
        a.digit[i] = (uint16_t)carry;
        carry >>= 16;
    }
    return a;
}

static Wide wide_negate(Wide a)
{
    for (int i = 0; i < DIGITS; ++i)
    {
        a.digit[i] = (uint16_t)~a.digit[i];
    }
    return wide_add(a, wide_from(1, 0));
}

static Wide wide_subtract(Wide a, Wide b)
{
    return wide_add(a, wide_negate(b));
}

static Wide wide_multiply(Wide a, Wide b) // modulo 2^(16 DIGITS), which is right in two's complement
{
    Wide product = wide_from(0, 0);
    for (int i = 0; i < DIGITS; ++i)
    {
        uint32_t carry = 0;
        for (int j = 0; a.digit[i] != 0 && i + j < DIGITS; ++j)
        {
            carry += (uint32_t)a.digit[i] * b.digit[j] + product.digit[i + j];
            product.digit[i + j] = (uint16_t)carry;
            carry >>= 16;
        }
    }
    return product;
}

static int wide_sign(Wide a)
{
    if (a.digit[DIGITS - 1] & 0x8000u)
    {
        return -1;
    }
    for (int i = 0; i < DIGITS; ++i)
    {
        if (a.digit[i] != 0)
        {
            return 1;
        }
    }
    return 0;
}

// x * 2^scale as an integer; exact by the caller's choice of scale.
static Wide wide_from_double(double x, int scale)
{
    int exponent;
    const double mantissa = frexp(x, &exponent);
    const int64_t integer = (int64_t)ldexp(mantissa, 53);
    const int shift = exponent - 53 + scale;
    if (shift >= 0 || integer == 0)
    {
        return wide_from(integer, integer == 0 ? 0 : shift);
    }
    assert_true(integer % ((int64_t)1 << -shift) == 0);
    return wide_from(integer / ((int64_t)1 << -shift), 0);
}

// Determinant of the n x n matrix, by permutations.
static Wide wide_determinant(const Wide* m, int n, int stride)
{
    if (n == 1)
    {
        return m[0];
    }
    Wide sum = wide_from(0, 0);
    for (int row = 0; row < n; ++row)
    {
        Wide minor[4];
        for (int r = 0, k = 0; r < n; ++r)
        {
            for (int c = 1; r != row && c < n; ++c)
            {
                minor[k++] = m[r * stride + c];
            }
        }
        const Wide term = wide_multiply(m[row * stride], wide_determinant(minor, n - 1, n - 1));
        sum = row % 2 == 0 ? wide_add(sum, term) : wide_subtract(sum, term);
    }
    return sum;
}

static int brute_orient2d(const double a[2], const double b[2], const double c[2], int scale)
{
    const double* rows[2] = {a, b};
    Wide m[4];
    for (int i = 0; i < 4; ++i)
    {
        m[i] = wide_subtract(wide_from_double(rows[i / 2][i % 2], scale), wide_from_double(c[i % 2], scale));
    }
    return wide_sign(wide_determinant(m, 2, 2));
}

static int brute_orient3d(const rblVec3d p[4], int scale)
{
    Wide m[9];
    for (int i = 0; i < 3; ++i)
    {
        m[3 * i] = wide_subtract(wide_from_double(p[i].x, scale), wide_from_double(p[3].x, scale));
        m[3 * i + 1] = wide_subtract(wide_from_double(p[i].y, scale), wide_from_double(p[3].y, scale));
        m[3 * i + 2] = wide_subtract(wide_from_double(p[i].z, scale), wide_from_double(p[3].z, scale));
    }
    return wide_sign(wide_determinant(m, 3, 3));
}

static int sign_of(double x)
{
    assert_true(x == x);
    return (x > 0.0) - (x < 0.0);
}

// Up to three steps to a neighbouring double, either way.
static double nudge(rblRandom* random, double x)
{
    const int steps = (int)rbl_random_below(random, 7) - 3;
    for (int i = 0; i < abs(steps); ++i)
    {
        x = nextafter(x, steps > 0 ? HUGE_VAL : -HUGE_VAL);
    }
    return x;
}

static rblVec3d nudge3(rblRandom* random, rblVec3d p)
{
    const double x = nudge(random, p.x);
    const double y = nudge(random, p.y);
    return rbl_vec3d(x, y, nudge(random, p.z));
}

static rblVec3d random_point(rblRandom* random, double size)
{
    const double x = rbl_random_range(random, -size, size);
    const double y = rbl_random_range(random, -size, size);
    return rbl_vec3d(x, y, rbl_random_range(random, -size, size));
}

static rblVec3d random_lattice_point(rblRandom* random, int size)
{
    const int x = (int)rbl_random_below(random, 2 * (uint32_t)size + 1) - size;
    const int y = (int)rbl_random_below(random, 2 * (uint32_t)size + 1) - size;
    return rbl_vec3d(x, y, (int)rbl_random_below(random, 2 * (uint32_t)size + 1) - size);
}

static void signs_follow_the_stated_convention(void** state)
{
    (void)state;
    const double o[2] = {0, 0}, x[2] = {1, 0}, y[2] = {0, 1};
    assert_true(rbl_orient2d(o, x, y) > 0);
    assert_true(rbl_orient2d(o, y, x) < 0);
    const rblVec3d a = {1, 0, 0}, b = {0, 1, 0}, c = {0, 0, 0};
    assert_true(rbl_orient3d(a, b, c, rbl_vec3d(0, 0, -1)) > 0); // (b - a) x (c - a) points up
    assert_true(rbl_orient3d(a, b, c, rbl_vec3d(0, 0, 1)) < 0);
    const rblVec3d d = {0, 0, -1};
    check_close(rbl_orient3d(a, b, c, d), 1.0, 0.0);
}

static void lattice_points_agree_with_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 0);
    int zeros = 0;
    for (int i = 0; i < 1500; ++i)
    {
        rblVec3d p[4];
        for (int k = 0; k < 4; ++k)
        {
            p[k] = random_lattice_point(&random, 2 + i % 3);
        }
        const int orient = brute_orient3d(p, 0);
        zeros += orient == 0;
        assert_int_equal(sign_of(rbl_orient3d(p[0], p[1], p[2], p[3])), orient);
        const double flat[3][2] = {{p[0].x, p[0].y}, {p[1].x, p[1].y}, {p[2].x, p[2].y}};
        assert_int_equal(sign_of(rbl_orient2d(flat[0], flat[1], flat[2])),
                         brute_orient2d(flat[0], flat[1], flat[2], 0));
    }
    assert_true(zeros > 20); // or the test would not test much
}

static void nearly_degenerate_points_agree_with_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 0);
    for (int i = 0; i < 1500; ++i)
    {
        // d close to the plane of a, b, c, then a few ulps off.
        rblVec3d p[4] = {random_point(&random, 10), random_point(&random, 10), random_point(&random, 10)};
        const double s = rbl_random_range(&random, -2, 2);
        const double t = rbl_random_range(&random, -2, 2);
        p[3] = rbl_mul_add3d(rbl_mul_add3d(p[0], s, rbl_sub3d(p[1], p[0])), t, rbl_sub3d(p[2], p[0]));
        p[3] = nudge3(&random, p[3]);
        assert_int_equal(sign_of(rbl_orient3d(p[0], p[1], p[2], p[3])), brute_orient3d(p, 140));

        const double a[2] = {p[0].x, p[0].y}, b[2] = {p[1].x, p[1].y};
        const double c[2] = {nudge(&random, a[0] + s * (b[0] - a[0])),
                             nudge(&random, a[1] + s * (b[1] - a[1]))};
        assert_int_equal(sign_of(rbl_orient2d(a, b, c)), brute_orient2d(a, b, c, 120));
    }
}

static void coordinates_from_1e_20_to_1e15_are_exact(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 0);
    for (int i = 0; i < 400; ++i)
    {
        rblVec3d p[4];
        for (int k = 0; k < 4; ++k)
        {
            const int magnitude = (int)rbl_random_below(&random, 117) - 66; // 1e-20 .. 1e15
            p[k] = rbl_scale3d(random_point(&random, 1), ldexp(1.0, magnitude));
        }
        if (i % 2 == 0) // d in the plane as well as doubles can say
        {
            p[3] = nudge3(&random, rbl_add3d(p[0], rbl_sub3d(p[1], p[2])));
        }
        assert_int_equal(sign_of(rbl_orient3d(p[0], p[1], p[2], p[3])), brute_orient3d(p, 200));
    }
}

static void whole_range_of_double_is_exact(void** state)
{
    (void)state;
    const double h = DBL_MAX, t = DBL_TRUE_MIN;
    const double big[3][2] = {{-h, -h}, {h, h}, {0, t}};
    assert_true(rbl_orient2d(big[0], big[1], big[2]) > 0); // left of the diagonal by one subnormal step
    const double on[2] = {-t, -t};
    assert_true(rbl_orient2d(big[0], big[1], on) == 0);

    const rblVec3d a = {h, 0, -h}, b = {-h, h, 0}, c = {0, -h, h}; // in the plane x + y + z = 0
    assert_true(rbl_orient3d(a, b, c, rbl_vec3d(0, 0, 0)) == 0);
    const double above = rbl_orient3d(a, b, c, rbl_vec3d(t, 0, 0));
    const double below = rbl_orient3d(a, b, c, rbl_vec3d(-t, 0, 0));
    assert_true(above != 0 && sign_of(above) == -sign_of(below));
    assert_true(sign_of(rbl_orient3d(a, b, c, rbl_vec3d(h, h, h))) == sign_of(above));

    // The same tetrahedron at DBL_MAX and in subnormals.
    const rblVec3d x = {h, 0, 0}, y = {0, h, 0}, z = {0, 0, h}, minus_x = {-h, 0, 0};
    const double turn = rbl_orient3d(x, y, z, minus_x);
    assert_true(turn != 0);
    const rblVec3d p[4] = {{2 * t, 0, 0}, {0, 2 * t, 0}, {0, 0, 2 * t}, {-2 * t, 0, 0}};
    assert_int_equal(sign_of(rbl_orient3d(p[0], p[1], p[2], p[3])), sign_of(turn));
    assert_true(rbl_orient3d(p[0], p[1], rbl_vec3d(t, t, 0), rbl_vec3d(-t, 3 * t, 0)) == 0);
}

static void scaling_by_powers_of_two_never_changes_a_sign(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(4, 0);
    for (int i = 0; i < 300; ++i)
    {
        rblVec3d p[4];
        for (int k = 0; k < 4; ++k)
        {
            p[k] = random_lattice_point(&random, 3);
        }
        const int orient = sign_of(rbl_orient3d(p[0], p[1], p[2], p[3]));
        for (int exponent = -1074; exponent <= 1020; exponent += 349)
        {
            rblVec3d q[4];
            for (int k = 0; k < 4; ++k)
            {
                q[k] = rbl_vec3d(ldexp(p[k].x, exponent), ldexp(p[k].y, exponent), ldexp(p[k].z, exponent));
            }
            assert_int_equal(sign_of(rbl_orient3d(q[0], q[1], q[2], q[3])), orient);
        }
    }
}

// A permutation of up to 4 elements by number, and its parity.
static int permute(int number, int count, const rblVec3d* in, rblVec3d* out)
{
    int left[4] = {0, 1, 2, 3};
    int parity = 1;
    for (int i = 0; i < count; ++i)
    {
        const int pick = number % (count - i);
        number /= count - i;
        out[i] = in[left[pick]];
        parity = pick % 2 == 0 ? parity : -parity;
        for (int k = pick; k + 1 < count - i; ++k)
        {
            left[k] = left[k + 1];
        }
    }
    return parity;
}

static void every_swap_of_two_points_flips_the_sign(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 0);
    for (int i = 0; i < 100; ++i)
    {
        rblVec3d p[4];
        for (int k = 0; k < 4; ++k)
        {
            const rblVec3d unit = rbl_normalize3d(random_point(&random, 1), rbl_vec3d(1, 0, 0));
            p[k] =
                i % 2 == 0 ? nudge3(&random, unit) : rbl_vec3d(unit.x, unit.y, nudge(&random, 0.25 * unit.x));
        }
        const int orient = sign_of(rbl_orient3d(p[0], p[1], p[2], p[3]));
        rblVec3d q[4];
        for (int n = 0; n < 24; ++n)
        {
            const int parity = permute(n, 4, p, q);
            assert_int_equal(sign_of(rbl_orient3d(q[0], q[1], q[2], q[3])), parity * orient);
        }
    }
}

static void repeated_points_are_degenerate(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 0);
    for (int i = 0; i < 200; ++i)
    {
        const rblVec3d a = random_point(&random, 1e15), b = random_point(&random, 1e-20),
                       c = random_point(&random, 1);
        const rblVec3d d = random_point(&random, 1e-3);
        assert_true(rbl_orient3d(a, b, a, d) == 0);
        assert_true(rbl_orient3d(a, b, c, c) == 0);
    }
    const rblVec3d zero = {0.0, 0.0, 0.0}, minus_zero = {-0.0, -0.0, -0.0};
    assert_true(rbl_orient3d(zero, minus_zero, rbl_vec3d(1, 2, 3), rbl_vec3d(3, 2, 5)) == 0);
}

static void values_that_are_not_finite_give_nan(void** state)
{
    (void)state;
    const double bad[2] = {(double)NAN, (double)INFINITY};
    for (int i = 0; i < 2; ++i)
    {
        const double p[2] = {bad[i], 1}, q[2] = {0, 1}, r[2] = {2, 5};
        assert_true(isnan(rbl_orient2d(p, q, r)));
        const rblVec3d a = {1, bad[i], 3}, b = {0, 1, 7}, c = {1, 0, 0}, d = {0, 2, 1};
        assert_true(isnan(rbl_orient3d(a, b, c, d)));
    }
}

// The value is more than a sign: it is the determinant to within rounding, on both paths.
static void magnitude_approximates_the_determinant(void** state)
{
    (void)state;
    const double tiny = ldexp(1.0, -60);
    const rblVec3d a = {1, 0, 1}, b = {0, 1, 1}, c = {-1, -1, 1}, d = {0, 0, 1 - 0x1p-53};
    check_relative(rbl_orient3d(a, b, c, d), 3 * 0x1p-53, 1e-15);
    const double p[2] = {0, 0}, q[2] = {1, 1}, r[2] = {2, 2 + 0x1p-51};
    check_relative(rbl_orient2d(p, q, r), 0x1p-51, 1e-15);
    const double s[2] = {tiny, 3 * tiny}, t[2] = {0, 0}, u[2] = {1, 0};
    check_relative(rbl_orient2d(t, u, s), 3 * tiny, 1e-15);
}

// ---- order along a line ----

static Wide brute_determinant(const rblVec3d a[3], rblVec3d d, int scale)
{
    Wide m[9];
    for (int i = 0; i < 3; ++i)
    {
        m[3 * i] = wide_subtract(wide_from_double(a[i].x, scale), wide_from_double(d.x, scale));
        m[3 * i + 1] = wide_subtract(wide_from_double(a[i].y, scale), wide_from_double(d.y, scale));
        m[3 * i + 2] = wide_subtract(wide_from_double(a[i].z, scale), wide_from_double(d.z, scale));
    }
    const Wide determinant = wide_determinant(m, 3, 3);
    return wide_sign(determinant) < 0 ? wide_negate(determinant) : determinant;
}

static int brute_crossing_order(rblVec3d p, rblVec3d q, const rblVec3d a[3], const rblVec3d b[3], int scale)
{
    const Wide first = wide_multiply(brute_determinant(a, p, scale), brute_determinant(b, q, scale));
    return wide_sign(
        wide_subtract(first, wide_multiply(brute_determinant(b, p, scale), brute_determinant(a, q, scale))));
}

static bool separates(const rblVec3d m[3], rblVec3d p, rblVec3d q)
{
    return sign_of(rbl_orient3d(m[0], m[1], m[2], p)) * sign_of(rbl_orient3d(m[0], m[1], m[2], q)) < 0;
}

static void crossings_of_a_line_are_in_order(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 0);
    int tested = 0, equal = 0;
    for (int i = 0; i < 6000; ++i)
    {
        const bool lattice = i % 2 == 0;
        rblVec3d v[8];
        for (int k = 0; k < 8; ++k)
        {
            v[k] = lattice ? random_lattice_point(&random, 2) : random_point(&random, 10);
        }
        if (!lattice) // planes that meet very nearly on the line
        {
            v[2] = v[5] = rbl_lerp3d(v[0], v[1], 0.3);
        }
        if (separates(v + 2, v[0], v[1]) && separates(v + 5, v[0], v[1]))
        {
            const int order = brute_crossing_order(v[0], v[1], v + 2, v + 5, lattice ? 0 : 70);
            tested += 1;
            equal += order == 0;
            assert_int_equal(rbl_crossing_order(v[0], v[1], v + 2, v + 5), order);
            assert_int_equal(rbl_crossing_order(v[1], v[0], v + 2, v + 5), -order);
            assert_int_equal(rbl_crossing_order(v[0], v[1], v + 5, v + 2), -order);
        }
    }
    assert_true(tested > 500 && equal > 20);
}

// A point that is a sliver away from a plane, as far as it is.
static void precise_determinants_keep_their_digits(void** state)
{
    (void)state;
    const rblVec3d a = {0.1, 0.2, 0.3}, b = {0.7, 0.3, 0.3}, c = {0.2, 0.9, 0.3};
    const rblVec3d d = {0.4, 0.4, 0.3 - 0x1p-52};
    const double area = (0.7 - 0.1) * (0.9 - 0.2) - (0.3 - 0.2) * (0.2 - 0.1);
    check_relative(rbl_orient3d_precise(a, b, c, d), area * 0x1p-52, 1e-9);
    const rblVec3d e = {0.4, 0.4, 2.3};
    check_close(rbl_orient3d_precise(a, b, c, e), rbl_orient3d(a, b, c, e), 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_follow_the_stated_convention),
        cmocka_unit_test(lattice_points_agree_with_brute_force),
        cmocka_unit_test(nearly_degenerate_points_agree_with_brute_force),
        cmocka_unit_test(coordinates_from_1e_20_to_1e15_are_exact),
        cmocka_unit_test(whole_range_of_double_is_exact),
        cmocka_unit_test(scaling_by_powers_of_two_never_changes_a_sign),
        cmocka_unit_test(every_swap_of_two_points_flips_the_sign),
        cmocka_unit_test(repeated_points_are_degenerate),
        cmocka_unit_test(values_that_are_not_finite_give_nan),
        cmocka_unit_test(magnitude_approximates_the_determinant),
        cmocka_unit_test(crossings_of_a_line_are_in_order),
        cmocka_unit_test(precise_determinants_keep_their_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
