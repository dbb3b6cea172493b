// Simplification of every kind of solid, held against docs/simplification.md by brute force, and against what a hash cannot tell: the count
// is reached, the result is watertight, it is as close as it says, its volume is the solid's, and no face is flipped.
#include "testing.h"

#include "math/vec.h"
#include "rubble/solids.h"
#include "simplify_checks.h"
#include "triangle_distance.h"

#define MOST_TRIANGLES 3000u // of what is compared: brute force

// The solid with at most so many triangles, itself a result of simplification where it has more.
static rblMeshId make_solid(const char* kind)
{
    rblMeshId whole;
    check_ok(rbl_mesh_make(kind, NULL, 0, &whole));
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = MOST_TRIANGLES;
    options.attribute_weight = 0.0;
    rblMeshId out;
    check_ok(rbl_mesh_simplify(whole, &options, &out, NULL));
    check_ok(rbl_mesh_destroy(whole));
    return out;
}

static void triangle_of(const rblMeshView* view, uint32_t face, rblVec3d out[3])
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        out[k] = view->positions[view->corner_vertices[view->face_starts[face] + k]];
    }
}

static rblVec3d normal_of(const rblVec3d t[3])
{
    const rblVec3d n = rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0]));
    return rbl_scale3d(n, 1.0 / rbl_length3d(n));
}

// How far a face looks the way of the input: of the input's faces within `reach` of its middle, the one that agrees best.
static double agreement(const rblMeshView* input, const rblVec3d face[3], double reach)
{
    const rblVec3d middle = rbl_scale3d(rbl_add3d(rbl_add3d(face[0], face[1]), face[2]), 1.0 / 3.0);
    const rblVec3d n = normal_of(face);
    double best = -2.0;
    for (uint32_t f = 0; f < input->face_count; ++f)
    {
        rblVec3d t[3];
        triangle_of(input, f, t);
        if (distance_to_triangle(middle, t) <= reach)
        {
            best = fmax(best, rbl_dot3d(n, normal_of(t)));
        }
    }
    return best;
}

static double height_of(const rblVec3d t[3])
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        longest = fmax(longest, rbl_distance3d(t[k], t[(k + 1) % 3]));
    }
    return rbl_length3d(rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0]))) / longest;
}

// The farthest that a vertex of the input is from the result, and the middle of a face of the result from the input.
static double farthest(const rblMeshView* input, const rblMeshView* result, bool middles)
{
    double most = 0.0;
    const rblMeshView* from = middles ? result : input;
    const rblMeshView* to = middles ? input : result;
    const uint32_t count = middles ? from->face_count : from->vertex_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblVec3d t[3];
        rblVec3d p = from->positions[middles ? 0 : i];
        if (middles)
        {
            triangle_of(from, i, t);
            p = rbl_scale3d(rbl_add3d(rbl_add3d(t[0], t[1]), t[2]), 1.0 / 3.0);
        }
        double best = HUGE_VAL;
        for (uint32_t f = 0; f < to->face_count; ++f)
        {
            triangle_of(to, f, t);
            best = fmin(best, distance_to_triangle(p, t));
        }
        most = fmax(most, best);
    }
    return most;
}

static void check_result(const char* kind, rblMeshId id, uint32_t target)
{
    rblSimplifyOptions options = rbl_default_simplify_options();
    rblMeshView input, result;
    rblMeshId out;
    double error;
    options.target_triangles = target;
    options.attribute_weight = 0.0;
    check_ok(rbl_mesh_simplify(id, &options, &out, &error));
    check_ok(rbl_mesh_view(id, &input));
    check_ok(rbl_mesh_view(out, &result));
    const rblMeshReport before = report_of(id);
    const rblMeshReport after = report_of(out);
    check_solid(out, &before);
    assert_true(after.closed && after.outward);
    assert_true(after.triangles <= target && after.triangles + 2 > target);
    const double off = farthest(&input, &result, false);
    const double back = farthest(&input, &result, true);
    const double reach = fmax(error, back) * (1.0 + 1e-9) + 1e-12;
    double least = 1.0;
    for (uint32_t f = 0; f < result.face_count; ++f)
    {
        rblVec3d t[3];
        triangle_of(&result, f, t);
        // A triangle that is no higher than the error on either side may stand any way within it.
        if (height_of(t) > 2.0 * error)
        {
            least = fmin(least, agreement(&input, t, reach));
        }
    }
    // A surface that moves by no more than d sweeps no more than its area times d.
    const double swept = fmax(error, back) * fmax(before.area, after.area);
    print_message("%s: %u to %u triangles; error %.3g, vertices off by %.3g, faces by %.3g; volume %+.2g of "
                  "what may be; "
                  "normals agree by %.2f\n",
                  kind, before.triangles, after.triangles, error, off, back,
                  swept > 0.0 ? (after.volume - before.volume) / swept : 0.0, least);
    assert_true(off <= error * (1.0 + 1e-9));
    assert_true(fabs(after.volume - before.volume) <= swept + 1e-12 * before.volume);
    assert_true(least > 0.0);
    check_ok(rbl_mesh_destroy(out));
}

static void every_kind_of_solid_keeps_its_form(void** state)
{
    (void)state;
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblMeshId id = make_solid(kinds[i].name);
        const uint32_t triangles = report_of(id).triangles;
        for (uint32_t part = 2; part <= 8 && triangles / part >= 100; part *= 4)
        {
            check_result(kinds[i].name, id, triangles / part);
        }
        check_ok(rbl_mesh_destroy(id));
    }
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_solid_keeps_its_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
