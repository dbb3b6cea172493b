// Point in solid, by the signed crossings of a ray with the surface. Edges are decided in double with one rule for all adjacent
// triangles, so that a ray through an edge or a vertex crosses exactly once.
#include "math/vec.h"
#include "scene/picture/picture_scene.h"

// ---- one triangle ----

static int sign_of(double x)
{
    return x > 0.0 ? 1 : (x < 0.0 ? -1 : 0);
}

// The side of edge a b on which the ray passes: the sign of d . (a x b). A ray exactly through the edge is perturbed towards +x
// by an infinitesimal angle, towards +y by a far smaller one, and so on (Edelsbrunner and Muecke 1990). Swapping a and b gives
// exactly the opposite sign, and all triangles around a vertex agree.
static int edge_side(rblVec3d origin, rblVec3d direction, rblVec3 a, rblVec3 b)
{
    const rblVec3d p = rbl_sub3d(rbl_to_double3(a), origin);
    const rblVec3d q = rbl_sub3d(rbl_to_double3(b), origin);
    const rblVec3d normal = rbl_cross3d(p, q);
    const double volume = rbl_dot3d(direction, normal);
    const int sides[4] = {sign_of(volume), sign_of(normal.x), sign_of(normal.y), sign_of(normal.z)};
    int i = 0;
    while (i < 3 && sides[i] == 0)
    {
        ++i;
    }
    return sides[i];
}

// +1: the ray leaves the solid through the triangle, -1: it enters, 0: no intersection.
static int crossing(const rblRay* ray, const rblLeafTriangle* t)
{
    const rblVec3d origin = rbl_to_double3(ray->origin);
    const rblVec3d direction = rbl_to_double3(ray->direction);
    const int side = edge_side(origin, direction, t->a, t->b);
    if (side == 0 || edge_side(origin, direction, t->b, t->c) != side ||
        edge_side(origin, direction, t->c, t->a) != side)
    {
        return 0;
    }
    const rblVec3d a = rbl_to_double3(t->a);
    const rblVec3d normal =
        rbl_cross3d(rbl_sub3d(rbl_to_double3(t->b), a), rbl_sub3d(rbl_to_double3(t->c), a));
    const double slope = rbl_dot3d(normal, direction);
    const double distance = rbl_dot3d(normal, rbl_sub3d(a, origin));
    const bool ahead = (distance > 0.0 && slope > 0.0) || (distance < 0.0 && slope < 0.0);
    return ahead ? (slope > 0.0 ? 1 : -1) : 0;
}

// ---- all triangles ----

#define MAX_PARTS 32

typedef struct Windings
{
    uint32_t parts[MAX_PARTS];
    int counts[MAX_PARTS];
    uint32_t size;
} Windings;

// When a ray crosses more than MAX_PARTS parts, the later ones are ignored.
static void add_crossing(Windings* windings, uint32_t part, int sign)
{
    uint32_t i = 0;
    while (i < windings->size && windings->parts[i] != part)
    {
        ++i;
    }
    if (i == MAX_PARTS)
    {
        return;
    }
    if (i == windings->size)
    {
        windings->parts[i] = part;
        windings->counts[i] = 0;
        windings->size += 1;
    }
    windings->counts[i] += sign;
}

typedef struct Slabs
{
    float origin[3];
    float inverse[3];
} Slabs;

static bool intersects_box(const Slabs* slabs, const rblAabb* box)
{
    const float* lower = &box->lower.x;
    const float* upper = &box->upper.x;
    float enter = 0.0f, leave = INFINITY;
    for (int axis = 0; axis < 3; ++axis)
    {
        const float a = (lower[axis] - slabs->origin[axis]) * slabs->inverse[axis];
        const float b = (upper[axis] - slabs->origin[axis]) * slabs->inverse[axis];
        enter = rbl_maxf(enter, rbl_minf(a, b));
        leave = rbl_minf(leave, rbl_maxf(a, b));
    }
    return enter <= leave * 1.000001f;
}

static float safe_inverse(float d)
{
    return 1.0f / (fabsf(d) > 1e-30f ? d : 1e-30f);
}

static void visit_leaf(const rblPictureScene* scene, const rblRay* ray, uint32_t leaf, Windings* windings)
{
    const uint32_t surface = scene->faces[scene->tree.order[leaf]].surface;
    const int sign = surface & RBL_FACE_CLOSED ? crossing(ray, &scene->tree.triangles[leaf]) : 0;
    if (sign != 0)
    {
        add_crossing(windings, surface >> 2, sign);
    }
}

// Depth-first traversal. The stack stores position and level of at most one sibling per level.
static void collect_crossings(const rblPictureScene* scene, const rblRay* ray, Windings* windings)
{
    const rblBvh* tree = &scene->tree;
    const rblVec3 o = ray->origin, d = ray->direction;
    const Slabs slabs = {{o.x, o.y, o.z}, {safe_inverse(d.x), safe_inverse(d.y), safe_inverse(d.z)}};
    uint32_t levels[64] = {0}, positions[64] = {0};
    uint32_t size = 1;
    while (size > 0)
    {
        const uint32_t level = levels[--size];
        const uint32_t position = positions[size];
        if (position >= rbl_tree_real_on_level(&tree->layout, level) ||
            !intersects_box(&slabs, &tree->nodes[tree->level_starts[level] + position]))
        {
            continue;
        }
        if (level == tree->layout.leaf_level)
        {
            visit_leaf(scene, ray, position, windings);
            continue;
        }
        levels[size] = levels[size + 1] = level + 1;
        positions[size] = 2 * position + 1;
        positions[size + 1] = 2 * position;
        size += 2;
    }
}

uint32_t rbl_picture_part_around(const rblPictureScene* scene, const rblRay* ray)
{
    Windings windings = {.size = 0};
    collect_crossings(scene, ray, &windings);
    uint32_t found = RBL_NONE;
    for (uint32_t i = 0; i < windings.size; ++i)
    {
        if (windings.counts[i] > 0 && windings.parts[i] < found)
        {
            found = windings.parts[i];
        }
    }
    return found;
}
