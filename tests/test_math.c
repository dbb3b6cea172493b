// Vectors, matrices, quaternions, transforms, boxes and Morton codes.
#include "testing.h"

#include "base/random.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "math/morton.h"
#include "math/transform.h"
#include "math/trig.h"
#include <float.h>

static const double nan_value = (double)NAN;
static const double infinity = (double)INFINITY;

static rblVec3d random_vector(rblRandom* random)
{
    const double x = rbl_random_range(random, -1, 1), y = rbl_random_range(random, -1, 1);
    return rbl_vec3d(x, y, rbl_random_range(random, -1, 1));
}

static rblMat3d random_matrix(rblRandom* random)
{
    const rblVec3d x = random_vector(random), y = random_vector(random);
    return (rblMat3d){x, y, random_vector(random)};
}

static rblMat3d random_rotation(rblRandom* random)
{
    const rblVec3d axis = random_vector(random);
    return rbl_quatd_to_mat3d(rbl_quatd_from_axis_angle(axis, rbl_random_range(random, -4, 4)));
}

// u diag(s) v^T
static rblMat3d composed(const rblMat3d* u, rblVec3d s, const rblMat3d* v)
{
    const rblMat3d scaled = {rbl_scale3d(u->cx, s.x), rbl_scale3d(u->cy, s.y), rbl_scale3d(u->cz, s.z)};
    const rblMat3d transposed = rbl_mat3d_transpose(v);
    return rbl_mat3d_mul(&scaled, &transposed);
}

static double norm(const rblMat3d* m)
{
    return sqrt(rbl_dot3d(m->cx, m->cx) + rbl_dot3d(m->cy, m->cy) + rbl_dot3d(m->cz, m->cz));
}

static double difference(const rblMat3d* a, const rblMat3d* b)
{
    const rblMat3d d = {rbl_sub3d(a->cx, b->cx), rbl_sub3d(a->cy, b->cy), rbl_sub3d(a->cz, b->cz)};
    return norm(&d);
}

static void check_rotation(const rblMat3d* m)
{
    const rblMat3d transposed = rbl_mat3d_transpose(m), identity = rbl_mat3d_diagonal(1, 1, 1);
    const rblMat3d product = rbl_mat3d_mul(&transposed, m);
    check_close(difference(&product, &identity), 0, 1e-14);
    check_close(rbl_mat3d_determinant(m), 1, 1e-14);
}

static void minimum_and_maximum_follow_one_rule(void** state)
{
    (void)state;
    assert_true(rbl_mind(nan_value, 2) == 2 && isnan(rbl_mind(2, nan_value)));
    assert_true(rbl_maxd(nan_value, 2) == 2 && isnan(rbl_maxd(2, nan_value)));
    assert_true(rbl_minf(NAN, 2) == 2 && isnan(rbl_maxf(2, NAN)));
    assert_true(!signbit(rbl_mind(-0.0, 0.0)) && signbit(rbl_mind(0.0, -0.0)));
    assert_true(!signbit(rbl_maxd(-0.0, 0.0)) && signbit(rbl_maxd(0.0, -0.0)));
    assert_true(isnan(rbl_clampd(nan_value, 0, 1)) && rbl_clampd(7, 0, 1) == 1 && rbl_clampd(-7, 0, 1) == 0);
}

static void normalize_works_over_the_whole_range(void** state)
{
    (void)state;
    const rblVec3d fallback = {0, 0, 1};
    const double scales[] = {DBL_TRUE_MIN, 1e-200, 1, 1e200, DBL_MAX / 5};
    for (int i = 0; i < 5; ++i)
    {
        const rblVec3d unit = rbl_normalize3d(rbl_vec3d(3 * scales[i], -4 * scales[i], 0), fallback);
        check_close(unit.x, 0.6, 1e-16);
        check_close(unit.y, -0.8, 1.2e-16);
    }
    assert_true(rbl_equal3d(rbl_normalize3d(rbl_vec3d(0, -0.0, 0), fallback), fallback));
    assert_true(rbl_equal3d(rbl_normalize3d(rbl_vec3d(1, nan_value, 0), fallback), fallback));
    assert_true(rbl_equal3d(rbl_normalize3d(rbl_vec3d(infinity, 0, 0), fallback), fallback));
    const rblVec3 narrow = rbl_normalize3(rbl_vec3(0, 1e-40f, 0), rbl_vec3(1, 0, 0));
    assert_true(narrow.y == 1.0f);
}

static void matrix_times_inverse_is_identity(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(21, 0);
    const rblMat3d identity = rbl_mat3d_diagonal(1, 1, 1);
    for (int i = 0; i < 2000; ++i)
    {
        const double scale = ldexp(1, (int)rbl_random_below(&random, 900) - 450);
        rblMat3d m = random_matrix(&random), inverse;
        m = rbl_mat3d_scale(&m, scale);
        assert_true(rbl_mat3d_inverse(&m, &inverse));
        const rblMat3d product = rbl_mat3d_mul(&m, &inverse);
        check_close(difference(&product, &identity), 0, 1e-15 * norm(&m) * norm(&inverse));
    }
}

static void singular_matrices_have_no_inverse(void** state)
{
    (void)state;
    rblMat3d untouched = rbl_mat3d_diagonal(7, 7, 7);
    const rblMat3d bad[] = {
        {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}},
        {{0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {5, 1, 2}}, // 0.6 is not 2 * 0.3, but its double is
        {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
        {{nan_value, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{infinity, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{1e-320, 0, 0}, {0, 1e-320, 0}, {0, 0, 1e-320}}, // 1e320 does not fit
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    {
        assert_false(rbl_mat3d_inverse(&bad[i], &untouched));
    }
    assert_true(untouched.cx.x == 7 && untouched.cy.y == 7);
}

static void float_matrices_agree_with_double_ones(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(22, 0);
    for (int i = 0; i < 500; ++i)
    {
        const rblMat3d wide = random_rotation(&random), transposed = rbl_mat3d_transpose(&wide);
        const rblMat3 m = rbl_to_float_mat3(&wide);
        const rblVec3d v = random_vector(&random);
        const rblVec3d one = rbl_to_double3(rbl_mat3_apply(&m, rbl_to_float3(v)));
        const rblVec3d other = rbl_to_double3(rbl_mat3_apply_transposed(&m, rbl_to_float3(v)));
        check_close(rbl_distance3d(one, rbl_mat3d_apply(&wide, v)), 0, 1e-6);
        check_close(rbl_distance3d(other, rbl_mat3d_apply(&transposed, v)), 0, 1e-6);
    }
}

static void check_eigen(const rblMat3d* m)
{
    rblVec3d values;
    rblMat3d axes;
    rbl_eigen_symmetric3d(m, &values, &axes);
    assert_true(values.x <= values.y && values.y <= values.z);
    check_rotation(&axes);
    const rblMat3d back = composed(&axes, values, &axes);
    check_close(difference(&back, m), 0, 4e-15 * norm(m));
    const double first[3] = {axes.cx.x, axes.cx.y, axes.cx.z};
    double largest = 0;
    for (int i = 0; i < 3; ++i)
    {
        largest = fabs(first[i]) > fabs(largest) ? first[i] : largest;
    }
    assert_true(largest > 0);
}

static void eigenvectors_rebuild_the_matrix(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(23, 0);
    for (int i = 0; i < 3000; ++i)
    {
        rblVec3d values = random_vector(&random);
        values = i % 7 == 0 ? rbl_vec3d(values.x, values.x, values.y) : values;
        values = i % 11 == 0 ? rbl_vec3d(values.x, 0, 0) : values;
        values = i % 13 == 0 ? rbl_vec3d(values.x, values.y * 1e-12, values.z * 1e-6) : values;
        const rblMat3d axes = random_rotation(&random);
        rblMat3d m = composed(&axes, values, &axes);
        m.cx = rbl_vec3d(m.cx.x, m.cy.x, m.cz.x); // symmetric to the last bit
        m.cy.z = m.cz.y;
        m = rbl_mat3d_scale(&m, ldexp(1, (int)rbl_random_below(&random, 1000) - 500));
        check_eigen(&m);
    }
}

static void eigenvalues_of_known_matrices(void** state)
{
    (void)state;
    rblVec3d values;
    rblMat3d axes;
    const rblMat3d m = {{2, 1, 1}, {1, 2, 1}, {1, 1, 2}}; // 1, 1, 4
    rbl_eigen_symmetric3d(&m, &values, &axes);
    check_close(values.x, 1, 1e-15);
    check_close(values.y, 1, 1e-15);
    check_close(values.z, 4, 2e-15);
    check_close(fabs(rbl_dot3d(axes.cz, rbl_vec3d(1, 1, 1))), sqrt(3), 1e-15);

    const rblMat3d diagonal = rbl_mat3d_diagonal(3, -5, 1);
    rbl_eigen_symmetric3d(&diagonal, &values, &axes);
    assert_true(rbl_equal3d(values, rbl_vec3d(-5, 1, 3)));
    assert_true(rbl_equal3d(axes.cx, rbl_vec3d(0, 1, 0)) && rbl_equal3d(axes.cy, rbl_vec3d(0, 0, 1)) &&
                rbl_equal3d(axes.cz, rbl_vec3d(1, 0, 0)));

    const rblMat3d zero = rbl_mat3d_diagonal(0, 0, 0);
    rbl_eigen_symmetric3d(&zero, &values, &axes);
    assert_true(rbl_equal3d(values, rbl_vec3d(0, 0, 0)));
    check_rotation(&axes);
    const rblMat3d bad = rbl_mat3d_diagonal(1, nan_value, 1);
    rbl_eigen_symmetric3d(&bad, &values, &axes);
    assert_true(isnan(values.x) && axes.cx.x == 1 && axes.cz.z == 1);
}

static rblQuatd random_quaternion(rblRandom* random)
{
    const rblVec3d axis = random_vector(random);
    return rbl_quatd_from_axis_angle(axis, rbl_random_range(random, -7, 7));
}

static void quaternions_turn_like_their_matrices(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(25, 0);
    for (int i = 0; i < 2000; ++i)
    {
        const rblQuatd a = random_quaternion(&random), b = random_quaternion(&random);
        const rblMat3d ma = rbl_quatd_to_mat3d(a), mb = rbl_quatd_to_mat3d(b);
        const rblMat3d product = rbl_mat3d_mul(&ma, &mb), both = rbl_quatd_to_mat3d(rbl_quatd_mul(a, b));
        check_rotation(&ma);
        check_close(difference(&product, &both), 0, 3e-15);
        const rblVec3d v = random_vector(&random);
        check_close(rbl_distance3d(rbl_rotate3d(a, v), rbl_mat3d_apply(&ma, v)), 0, 2e-15);
        check_close(rbl_distance3d(rbl_rotate3d(rbl_quatd_conjugate(a), rbl_rotate3d(a, v)), v), 0, 2e-15);
        check_close(fabs(rbl_quatd_dot(rbl_quatd_from_mat3d(&ma), a)), 1, 1e-15);

        const rblQuat f = rbl_to_float_quat(a);
        const rblMat3 mf = rbl_quat_to_mat3(f);
        const rblVec3 vf = rbl_to_float3(v);
        check_close(rbl_length3(rbl_sub3(rbl_rotate3(f, vf), rbl_mat3_apply(&mf, vf))), 0, 2e-6);
        check_close(rbl_length3(rbl_sub3(rbl_inverse_rotate3(f, rbl_rotate3(f, vf)), vf)), 0, 2e-6);
        check_close(fabsf(rbl_quat_dot(rbl_quat_from_mat3(&mf), f)), 1, 1e-6);
        const rblQuatd wide = rbl_to_double_quat(rbl_quat_mul(f, rbl_to_float_quat(b)));
        check_close(fabs(rbl_quatd_dot(wide, rbl_quatd_mul(a, b))), 1, 1e-6);
    }
}

static void half_turns_survive_the_way_through_matrices(void** state)
{
    (void)state;
    const rblQuatd turns[] = {{1, 0, 0, 0},     {0, 1, 0, 0},      {0, 0, 1, 0},
                              {0.6, 0.8, 0, 0}, {0, 0.6, -0.8, 0}, {0, 0, 0, 1}};
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; ++i)
    {
        const rblMat3d m = rbl_quatd_to_mat3d(turns[i]);
        check_close(fabs(rbl_quatd_dot(rbl_quatd_from_mat3d(&m), turns[i])), 1, 1e-15);
    }
}

static void axis_and_angle_mean_what_they_say(void** state)
{
    (void)state;
    const rblQuatd q = rbl_quatd_from_axis_angle(rbl_vec3d(0, 0, 9), 1.5707963267948966);
    check_close(rbl_distance3d(rbl_rotate3d(q, rbl_vec3d(1, 0, 0)), rbl_vec3d(0, 1, 0)), 0, 1e-15);
    const rblQuat f = rbl_quat_from_axis_angle(rbl_vec3(0, 2, 0), 3.14159265f);
    check_close(rbl_rotate3(f, rbl_vec3(1, 0, 0)).x, -1, 1e-6);
    assert_true(rbl_quatd_from_axis_angle(rbl_vec3d(0, 0, 0), 1).w == 1);
    assert_true(rbl_quatd_from_axis_angle(rbl_vec3d(1, 0, 0), nan_value).w == 1);
    assert_true(rbl_quat_normalize((rblQuat){0, 0, 0, 0}).w == 1);
    assert_true(rbl_quat_normalize((rblQuat){0, NAN, 0, 0}).w == 1);
    assert_true(rbl_quatd_normalize((rblQuatd){0, 0, -1e-320, 0}).z == -1);
    check_close(rbl_quatd_normalize((rblQuatd){1e308, 1e308, 1e308, 1e308}).x, 0.5, 1e-16);
    assert_true(rbl_quat_identity().w == 1);
}

// Between two unit quaternions, the short way round; accurate for near ones, where acos of the dot product is not.
static double angle_between(rblQuatd a, rblQuatd b)
{
    const rblQuatd turn = rbl_quatd_mul(rbl_quatd_conjugate(a), b);
    return rbl_atan2(sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z), fabs(turn.w));
}

static void slerp_has_constant_speed_and_the_short_way(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(26, 0);
    for (int i = 0; i < 500; ++i)
    {
        const rblQuatd a = random_quaternion(&random);
        rblQuatd b = random_quaternion(&random);
        if (i % 4 == 0) // nearly the same
        {
            b = rbl_quatd_mul(rbl_quatd_from_axis_angle(rbl_vec3d(1, 0, 0), 1e-9 * i), a);
        }
        const rblQuat from = rbl_to_float_quat(a), to = rbl_to_float_quat(b);
        const double whole = angle_between(a, b);
        for (int k = 0; k <= 4; ++k)
        {
            const double t = 0.25 * k;
            const rblQuatd q = rbl_to_double_quat(rbl_quat_slerp(from, to, (float)t));
            const rblQuatd n = rbl_to_double_quat(rbl_quat_nlerp(from, to, (float)t));
            check_close(sqrt(rbl_quatd_dot(q, q)), 1, 2e-7);
            check_close(angle_between(a, q), t * whole, 2e-6);
            check_close(sqrt(rbl_quatd_dot(n, n)), 1, 2e-7);
            assert_true(angle_between(a, n) <= whole + 2e-6);
        }
    }
    const rblQuat e = {0, 0, 0, 1}, x = {1, 0, 0, 0};
    check_close(rbl_quat_slerp(e, x, 0.5f).x, sqrt(0.5), 1e-7);
    check_close(rbl_quat_nlerp(e, x, 0.5f).w, sqrt(0.5), 1e-7);
    check_close(rbl_quat_slerp(e, (rblQuat){0, 0, 0, -1}, 0.3f).w, 1, 0); // the same rotation: nothing to do
}

static void transforms_compose_and_invert(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(27, 0);
    for (int i = 0; i < 1000; ++i)
    {
        const rblTransform a = {rbl_to_float3(random_vector(&random)),
                                rbl_to_float_quat(random_quaternion(&random))};
        const rblTransform b = {rbl_to_float3(random_vector(&random)),
                                rbl_to_float_quat(random_quaternion(&random))};
        const rblVec3 x = rbl_to_float3(random_vector(&random));
        const rblVec3 two = rbl_transform_point(a, rbl_transform_point(b, x));
        check_close(rbl_length3(rbl_sub3(rbl_transform_point(rbl_transform_mul(a, b), x), two)), 0, 2e-6);
        check_close(rbl_length3(rbl_sub3(rbl_transform_inverse_point(a, rbl_transform_point(a, x)), x)), 0,
                    2e-6);
        const rblVec3 inverse = rbl_transform_point(rbl_transform_inverse(a), x);
        check_close(rbl_length3(rbl_sub3(inverse, rbl_transform_inverse_point(a, x))), 0, 2e-6);
        const rblTransform relative = rbl_transform_relative(a, b);
        const rblVec3 there = rbl_transform_inverse_point(a, rbl_transform_point(b, x));
        check_close(rbl_length3(rbl_sub3(rbl_transform_point(relative, x), there)), 0, 2e-6);
    }
    const rblVec3 same = rbl_transform_point(rbl_transform_identity(), rbl_vec3(1, 2, 3));
    assert_true(same.x == 1 && same.y == 2 && same.z == 3);
}

static void boxes_hold_what_was_added(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(28, 0);
    rblAabbd box = rbl_aabbd_empty();
    rblAabb narrow = rbl_aabb_empty();
    assert_true(rbl_aabbd_is_empty(box) && rbl_aabb_is_empty(narrow));
    for (int i = 0; i < 300; ++i)
    {
        const rblVec3d p = random_vector(&random);
        box = rbl_aabbd_add(box, p);
        narrow = rbl_aabb_add(narrow, rbl_to_float3(p));
        assert_true(rbl_aabbd_contains_point(box, p) && rbl_aabb_contains_point(narrow, rbl_to_float3(p)));
        assert_true(rbl_aabbd_distance_squared(box, p) == 0 &&
                    rbl_aabb_distance_squared(narrow, rbl_to_float3(p)) == 0);
    }
    const rblAabbd before = box;
    box = rbl_aabbd_add(box, rbl_vec3d(nan_value, nan_value, nan_value));
    assert_true(rbl_equal3d(box.lower, before.lower) && rbl_equal3d(box.upper, before.upper));
    const rblAabbd grown = rbl_aabbd_grown(box, 0.1);
    assert_true(rbl_aabbd_contains_point(grown, box.lower) && rbl_aabbd_contains_point(grown, box.upper));
    assert_true(!rbl_aabbd_contains_point(box, grown.lower) && !rbl_aabbd_contains_point(box, grown.upper));
    assert_true(rbl_aabb_contains(rbl_aabb_grown(narrow, 0.1f), narrow));
    const rblAabbd joined = rbl_aabbd_union(box, rbl_aabbd_empty());
    assert_true(rbl_equal3d(joined.lower, box.lower) && rbl_equal3d(joined.upper, box.upper));
    assert_true(rbl_aabb_contains(rbl_aabb_union(narrow, rbl_aabb_grown(narrow, 1)), narrow));
}

static void boxes_measure_and_overlap(void** state)
{
    (void)state;
    const rblAabbd a = {{0, 0, 0}, {1, 2, 3}}, touching = {{1, 0, 0}, {2, 1, 1}},
                   apart = {{1.5, 0, 0}, {2, 1, 1}};
    assert_true(rbl_aabbd_overlaps(a, touching) && rbl_aabbd_overlaps(touching, a) &&
                !rbl_aabbd_overlaps(a, apart));
    assert_true(!rbl_aabbd_overlaps(a, rbl_aabbd_empty()));
    assert_true(rbl_aabbd_is_empty(rbl_aabbd_intersection(a, apart)));
    assert_true(rbl_equal3d(rbl_aabbd_center(a), rbl_vec3d(0.5, 1, 1.5)));
    check_close(rbl_aabbd_distance_squared(a, rbl_vec3d(4, 6, 3)), 25, 0);
    const rblAabbd huge = {{-DBL_MAX, 0, 0}, {DBL_MAX, 0, 0}};
    assert_true(rbl_aabbd_center(huge).x == 0);
    const rblAabb f = {{0, 0, 0}, {1, 2, 3}}, g = {{2, 0, 0}, {3, 1, 1}};
    check_close(rbl_aabb_center(f).z, 1.5, 0);
    check_close(rbl_aabb_size(f).y, 2, 0);
    check_close(rbl_aabb_distance_squared(f, rbl_vec3(-3, -4, 1)), 25, 0);
    assert_true(!rbl_aabb_overlaps(f, g) && rbl_aabb_is_empty(rbl_aabb_intersection(f, g)));
}

static void morton_codes_interleave_the_bits(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(29, 0);
    for (int i = 0; i < 2000; ++i)
    {
        const uint32_t x = rbl_random_u32(&random) & 0x1FFFFF, y = rbl_random_u32(&random) & 0x1FFFFF;
        const uint32_t z = rbl_random_u32(&random) & 0x1FFFFF;
        uint64_t expected = 0;
        for (int bit = 0; bit < 21; ++bit)
        {
            const uint64_t group = (x >> bit & 1u) << 2 | (y >> bit & 1u) << 1 | (z >> bit & 1u);
            expected |= group << 3 * bit;
        }
        assert_true(rbl_morton63(x, y, z) == expected);
        assert_true(rbl_morton63(x | 0xE00000, y, z | 0x200000) == expected); // higher bits ignored
    }
    assert_true(rbl_morton63(0x1FFFFF, 0x1FFFFF, 0x1FFFFF) == UINT64_C(0x7FFFFFFFFFFFFFFF));
}

typedef struct Cell
{
    uint32_t x, y, z;
} Cell;

// The coordinates of a code, bit by bit.
static Cell decode(uint64_t code)
{
    Cell cell = {0, 0, 0};
    for (int bit = 0; bit < 21; ++bit, code >>= 3)
    {
        cell.x |= (uint32_t)(code >> 2 & 1) << bit;
        cell.y |= (uint32_t)(code >> 1 & 1) << bit;
        cell.z |= (uint32_t)(code & 1) << bit;
    }
    return cell;
}

static void morton_codes_of_points_are_clamped(void** state)
{
    (void)state;
    const rblAabbd box = {{0, 0, 0}, {1, 2, 0}};
    const Cell inside = decode(rbl_morton63_of(rbl_vec3d(0.5, 0.5, 7), box));
    assert_true(inside.x == 1u << 20 && inside.y == 1u << 19 && inside.z == 0);
    const Cell out = decode(rbl_morton63_of(rbl_vec3d(infinity, -infinity, nan_value), box));
    assert_true(out.x == 0x1FFFFF && out.y == 0 && out.z == 0);
    const Cell corner = decode(rbl_morton63_of(rbl_vec3d(1, 2, 0), box));
    assert_true(corner.x == 0x1FFFFF && corner.y == 0x1FFFFF);
    assert_true(rbl_morton63_of(rbl_vec3d(1, 1, 1), rbl_aabbd_empty()) == 0);
    const rblAabbd huge = {{-DBL_MAX, 0, 0}, {DBL_MAX, 1, 1}};
    assert_true(decode(rbl_morton63_of(rbl_vec3d(0, 0, 0), huge)).x == 1u << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minimum_and_maximum_follow_one_rule),
        cmocka_unit_test(normalize_works_over_the_whole_range),
        cmocka_unit_test(matrix_times_inverse_is_identity),
        cmocka_unit_test(singular_matrices_have_no_inverse),
        cmocka_unit_test(float_matrices_agree_with_double_ones),
        cmocka_unit_test(eigenvectors_rebuild_the_matrix),
        cmocka_unit_test(eigenvalues_of_known_matrices),
        cmocka_unit_test(quaternions_turn_like_their_matrices),
        cmocka_unit_test(half_turns_survive_the_way_through_matrices),
        cmocka_unit_test(axis_and_angle_mean_what_they_say),
        cmocka_unit_test(slerp_has_constant_speed_and_the_short_way),
        cmocka_unit_test(transforms_compose_and_invert),
        cmocka_unit_test(boxes_hold_what_was_added),
        cmocka_unit_test(boxes_measure_and_overlap),
        cmocka_unit_test(morton_codes_interleave_the_bits),
        cmocka_unit_test(morton_codes_of_points_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
