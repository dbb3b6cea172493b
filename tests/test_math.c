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
    const rblMat3 tiny = rbl_mat3_diagonal(1e-40f, 1, 1);
    rblMat3 narrow = rbl_mat3_diagonal(7, 7, 7);
    assert_false(rbl_mat3_inverse(&tiny, &narrow));
    assert_true(narrow.cx.x == 7);
}

static void float_matrices_agree_with_double_ones(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(22, 0);
    for (int i = 0; i < 500; ++i)
    {
        const rblMat3d ad = random_matrix(&random), bd = random_rotation(&random);
        const rblMat3 a = rbl_to_float_mat3(&ad), b = rbl_to_float_mat3(&bd);
        const rblMat3 product = rbl_mat3_mul(&a, &b), turned = rbl_mat3_transpose(&b);
        const rblMat3d expected = rbl_mat3d_mul(&ad, &bd), wide = rbl_to_double_mat3(&product);
        check_close(difference(&wide, &expected), 0, 2e-6);
        check_close(rbl_mat3_determinant(&a), rbl_mat3d_determinant(&ad), 2e-6);
        const rblVec3 v = rbl_to_float3(random_vector(&random));
        const rblVec3 one = rbl_mat3_apply(&turned, v), other = rbl_mat3_apply_transposed(&b, v);
        check_close(one.x, other.x, 1e-6);
        check_close(one.z, other.z, 1e-6);
        rblMat3 inverse;
        assert_true(rbl_mat3_inverse(&b, &inverse));
        const rblMat3d inverse_wide = rbl_to_double_mat3(&inverse), turned_wide = rbl_to_double_mat3(&turned);
        check_close(difference(&inverse_wide, &turned_wide), 0, 1e-6);
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

static void check_svd(const rblMat3d* m)
{
    const rblSvd3d svd = rbl_svd3d(m);
    check_rotation(&svd.u);
    check_rotation(&svd.v);
    assert_true(svd.s.x >= svd.s.y && svd.s.y >= fabs(svd.s.z));
    const rblMat3d back = composed(&svd.u, svd.s, &svd.v);
    check_close(difference(&back, m), 0, 4e-15 * norm(m));
    rblMat3d rotation, stretch;
    rbl_polar3d(m, &rotation, &stretch);
    check_rotation(&rotation);
    const rblMat3d product = rbl_mat3d_mul(&rotation, &stretch), transposed = rbl_mat3d_transpose(&stretch);
    check_close(difference(&product, m), 0, 6e-15 * norm(m));
    check_close(difference(&stretch, &transposed), 0, 1e-15 * norm(m));
}

static void singular_values_rebuild_any_matrix(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(24, 0);
    for (int i = 0; i < 3000; ++i)
    {
        const rblMat3d u = random_rotation(&random), v = random_rotation(&random);
        rblVec3d s = random_vector(&random); // signs make reflections
        s = i % 5 == 0 ? rbl_vec3d(s.x, s.y, 0) : s;
        s = i % 7 == 0 ? rbl_vec3d(s.x, 0, 0) : s;
        s = i % 11 == 0 ? rbl_vec3d(1, 1, i % 2 == 0 ? 1 : -1) : s;
        s = i % 13 == 0 ? rbl_vec3d(s.x, s.y * 1e-9, s.z * 1e-14) : s;
        s = i % 17 == 0 ? rbl_vec3d(s.x, s.y * 1e-200, s.z * 1e-300) : s;
        rblMat3d m = composed(&u, s, &v);
        m = rbl_mat3d_scale(&m, ldexp(1, (int)rbl_random_below(&random, 1000) - 500));
        check_svd(&m);
    }
    const rblMat3d odd[] = {
        {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}},      {{0, 0, 0}, {0, 0, 5}, {0, 0, 0}},
        {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}},      {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
        {{1, 0, 0}, {1, 1e-300, 0}, {0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i)
    {
        check_svd(&odd[i]);
    }
}

static void degenerate_matrices_polarise_sensibly(void** state)
{
    (void)state;
    const rblMat3d identity = rbl_mat3d_diagonal(1, 1, 1);
    const rblMat3d flat[] = {rbl_mat3d_diagonal(0, 0, 0), rbl_mat3d_diagonal(3, 0, 0),
                             rbl_mat3d_diagonal(0, 2, 0), rbl_mat3d_diagonal(1, 0, 2),
                             rbl_mat3d_diagonal(1, 2, 3)};
    for (size_t i = 0; i < sizeof flat / sizeof flat[0]; ++i)
    {
        rblMat3d rotation, stretch;
        rbl_polar3d(&flat[i], &rotation, &stretch);
        check_close(difference(&rotation, &identity), 0, 1e-15);
        check_close(difference(&stretch, &flat[i]), 0, 1e-15);
    }
    const rblMat3d mirror = rbl_mat3d_diagonal(3, -1, 2);
    const rblSvd3d svd = rbl_svd3d(&mirror);
    check_close(svd.s.x, 3, 1e-15);
    check_close(svd.s.z, -1, 1e-15);
    const rblMat3d bad = rbl_mat3d_diagonal(1, infinity, 1);
    assert_true(isnan(rbl_svd3d(&bad).s.x) && rbl_svd3d(&bad).u.cx.x == 1);
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
        const double whole = rbl_acos(rbl_mind(fabs(rbl_quatd_dot(a, b)), 1));
        for (int k = 0; k <= 4; ++k)
        {
            const double t = 0.25 * k;
            const rblQuatd q = rbl_quatd_slerp(a, b, t), n = rbl_quatd_nlerp(a, b, t);
            check_close(sqrt(rbl_quatd_dot(q, q)), 1, 1e-15);
            check_close(rbl_acos(rbl_mind(fabs(rbl_quatd_dot(a, q)), 1)), t * whole, 4e-8);
            check_close(sqrt(rbl_quatd_dot(n, n)), 1, 1e-15);
            assert_true(rbl_acos(rbl_mind(fabs(rbl_quatd_dot(a, n)), 1)) <= whole + 4e-8);
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
    assert_true(rbl_aabbd_area(box) == 0 && rbl_aabb_area(narrow) == 0);
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
    assert_true(rbl_aabbd_contains(rbl_aabbd_grown(box, 0.1), box) &&
                !rbl_aabbd_contains(box, rbl_aabbd_grown(box, 0.1)));
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
    check_close(rbl_aabbd_area(a), 22, 0);
    assert_true(rbl_equal3d(rbl_aabbd_center(a), rbl_vec3d(0.5, 1, 1.5)));
    check_close(rbl_aabbd_distance_squared(a, rbl_vec3d(4, 6, 3)), 25, 0);
    const rblAabbd huge = {{-DBL_MAX, 0, 0}, {DBL_MAX, 0, 0}};
    assert_true(rbl_aabbd_center(huge).x == 0);
    const rblAabb f = {{0, 0, 0}, {1, 2, 3}}, g = {{2, 0, 0}, {3, 1, 1}};
    check_close(rbl_aabb_area(f), 22, 0);
    check_close(rbl_aabb_center(f).z, 1.5, 0);
    check_close(rbl_aabb_size(f).y, 2, 0);
    check_close(rbl_aabb_distance_squared(f, rbl_vec3(-3, -4, 1)), 25, 0);
    assert_true(!rbl_aabb_overlaps(f, g) && rbl_aabb_is_empty(rbl_aabb_intersection(f, g)));
}

static void morton_codes_interleave_and_return(void** state)
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
        const rblMortonCell cell = rbl_morton63_decode(expected);
        assert_true(cell.x == x && cell.y == y && cell.z == z);
        const uint32_t narrow = (uint32_t)(expected & 0x3FFFFFFF);
        assert_true(rbl_morton30(x, y, z) == narrow); // higher bits ignored
        const rblMortonCell small = rbl_morton30_decode(narrow);
        assert_true(small.x == (x & 0x3FF) && small.y == (y & 0x3FF) && small.z == (z & 0x3FF));
    }
    assert_true(rbl_morton63(0x1FFFFF, 0x1FFFFF, 0x1FFFFF) == UINT64_C(0x7FFFFFFFFFFFFFFF));
}

static void morton_codes_of_points_are_clamped(void** state)
{
    (void)state;
    const rblAabbd box = {{0, 0, 0}, {1, 2, 0}};
    const rblMortonCell inside = rbl_morton63_decode(rbl_morton63_of(rbl_vec3d(0.5, 0.5, 7), box));
    assert_true(inside.x == 1u << 20 && inside.y == 1u << 19 && inside.z == 0);
    const rblMortonCell out =
        rbl_morton63_decode(rbl_morton63_of(rbl_vec3d(infinity, -infinity, nan_value), box));
    assert_true(out.x == 0x1FFFFF && out.y == 0 && out.z == 0);
    const rblMortonCell corner = rbl_morton63_decode(rbl_morton63_of(rbl_vec3d(1, 2, 0), box));
    assert_true(corner.x == 0x1FFFFF && corner.y == 0x1FFFFF);
    assert_true(rbl_morton63_of(rbl_vec3d(1, 1, 1), rbl_aabbd_empty()) == 0);
    const rblAabbd huge = {{-DBL_MAX, 0, 0}, {DBL_MAX, 1, 1}};
    assert_true(rbl_morton63_decode(rbl_morton63_of(rbl_vec3d(0, 0, 0), huge)).x == 1u << 20);
    const rblAabb narrow = {{-1, -1, -1}, {1, 1, 1}};
    const rblMortonCell cell = rbl_morton30_decode(rbl_morton30_of(rbl_vec3(0, 9, NAN), narrow));
    assert_true(cell.x == 512 && cell.y == 1023 && cell.z == 0);
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
        cmocka_unit_test(singular_values_rebuild_any_matrix),
        cmocka_unit_test(degenerate_matrices_polarise_sensibly),
        cmocka_unit_test(quaternions_turn_like_their_matrices),
        cmocka_unit_test(half_turns_survive_the_way_through_matrices),
        cmocka_unit_test(axis_and_angle_mean_what_they_say),
        cmocka_unit_test(slerp_has_constant_speed_and_the_short_way),
        cmocka_unit_test(transforms_compose_and_invert),
        cmocka_unit_test(boxes_hold_what_was_added),
        cmocka_unit_test(boxes_measure_and_overlap),
        cmocka_unit_test(morton_codes_interleave_and_return),
        cmocka_unit_test(morton_codes_of_points_are_clamped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
