#include "bvh/triangle/triangle_sides.h"

#define MIN_TIP2                                                                                             \
    1e-12 // squared sum of the unit normals of two sides; below it (a corner of 1e-6 rad) they cancel to rounding errors

static rblVec3d unit(rblVec3d v)
{
    return rbl_normalize3d(v, (rblVec3d){0.0, 0.0, 0.0});
}

static void find_lines(rblTriangleSides* t)
{
    const rblVec3d plane = unit(t->normal);
    const rblVec3d sides[3] = {unit(rbl_cross3d(t->ab, plane)), unit(rbl_cross3d(t->bc, plane)),
                               unit(rbl_cross3d(plane, t->ac))};
    t->plane = rbl_to_float3(plane);
    for (int i = 0; i < 3; ++i)
    {
        t->lines[i] = rbl_to_float3(sides[i]);
        const rblVec3d tip = rbl_add3d(sides[i], sides[(i + 2) % 3]);
        t->lines[3 + i] = rbl_dot3d(tip, tip) > MIN_TIP2 ? rbl_to_float3(unit(tip)) : (rblVec3){0, 0, 0};
    }
}

static rblTriangleSides sides_of(const rblLeafTriangle* triangle)
{
    rblTriangleSides t = {.corners = {triangle->a, triangle->b, triangle->c},
                          .a = rbl_to_double3(triangle->a),
                          .b = rbl_to_double3(triangle->b)};
    const rblVec3d c = rbl_to_double3(triangle->c);
    t.ab = rbl_sub3d(t.b, t.a);
    t.ac = rbl_sub3d(c, t.a);
    t.bc = rbl_sub3d(c, t.b);
    t.normal = rbl_cross3d(t.ab, t.ac);
    t.ab2 = rbl_dot3d(t.ab, t.ab);
    t.ac2 = rbl_dot3d(t.ac, t.ac);
    t.bc2 = rbl_dot3d(t.bc, t.bc);
    t.normal2 = rbl_dot3d(t.normal, t.normal);
    t.flat = !(t.normal2 > RBL_FLAT_SINE2 * t.ab2 * t.ac2);
    t.size = (float)sqrt(rbl_maxd(t.ab2, rbl_maxd(t.ac2, t.bc2)));
    if (!t.flat)
    {
        find_lines(&t);
    }
    return t;
}

void rbl_tree_sides(const rblBvh* bvh, rblTriangleSides* out)
{
    for (uint32_t leaf = 0; leaf < bvh->layout.leaves; ++leaf)
    {
        out[leaf] = sides_of(&bvh->triangles[leaf]);
    }
}
