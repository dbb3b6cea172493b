// Pairs with a cylinder or a capsule, and corners close to each other. The closest points give the normal; the features
// that face each other along the normal give the contacts.
#include "field/convex/convex_contact.h"
#include "math/trig.h"
#include <string.h>

#define RIM_POINTS 8 // corners of the polygon that represents an end disc
// The feature of a core in a direction, in the axes of the first shape: a point (then only the closest points are
// used), a segment, or a polygon that is counter-clockwise seen from outside.
typedef struct Side
{
    rblClipVertex corners[RBL_CLIP_CAPACITY];
    uint32_t count;
    rblVec3 normal; // of a polygon, out of the shape
} Side;

static void show_segment(Side* side, rblVec3 from, rblVec3 to)
{
    side->corners[0] = (rblClipVertex){from, 0, 0};
    side->corners[1] = (rblClipVertex){to, 1, 1};
    side->count = 2;
}

static void show_hull(Side* side, const rblHull* hull, rblVec3 n)
{
    uint32_t best = 0;
    float most = -INFINITY;
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        const float dot = rbl_dot3(rbl_hull_normal(hull, f), n);
        best = dot > most ? f : best;
        most = rbl_maxf(dot, most);
    }
    side->normal = rbl_hull_normal(hull, best);
    for (uint32_t c = hull->face_starts[best]; c < hull->face_starts[best + 1]; ++c)
    {
        const uint8_t vertex = hull->corner_vertices[c];
        side->corners[side->count++] =
            (rblClipVertex){rbl_hull_vertex(hull, vertex), hull->corner_edges[c], vertex};
    }
}

// The end disc as a polygon with corners on the rim, one of them at the lowest point; or a line of the side; or a point
// of the rim.
static void show_cylinder(Side* side, const rblConvexCore* core, rblVec3 n)
{
    const float radius = (float)core->disc;
    const float half = (float)core->half_height;
    const rblVec3 flat = rbl_normalize3((rblVec3){n.x, 0, n.z}, (rblVec3){1, 0, 0});
    if (fabsf(n.y) < 0.3f)
    {
        const rblVec3 foot = rbl_scale3(flat, radius);
        show_segment(side, (rblVec3){foot.x, -half, foot.z}, (rblVec3){foot.x, half, foot.z});
        return;
    }
    if (fabsf(n.y) < 0.9f)
    {
        return;
    }
    const float up = n.y < 0.0f ? -1.0f : 1.0f;
    const rblVec3 first = fabsf(n.y) < 0.999f ? flat : (rblVec3){1, 0, 0};
    side->normal = (rblVec3){0, up, 0};
    for (uint32_t i = 0; i < RIM_POINTS; ++i)
    {
        double sine;
        double cosine;
        rbl_sincos((double)up * 2.0 * RBL_PI * i / RIM_POINTS, &sine, &cosine);
        const float c = (float)cosine;
        const float s = (float)sine;
        const rblVec3 p = {radius * (first.x * c + first.z * s), up * half,
                           radius * (first.z * c - first.x * s)};
        side->corners[side->count++] = (rblClipVertex){p, (uint16_t)i, (uint16_t)i};
    }
}

static void show(Side* side, const rblConvexCore* core, rblVec3 n)
{
    side->count = 0;
    side->normal = (rblVec3){0, 0, 0};
    if (core->hull != NULL)
    {
        show_hull(side, core->hull, n);
    }
    else if (core->form == RBL_CORE_CYLINDER)
    {
        show_cylinder(side, core, n);
    }
    else if (core->half_height > 0.0 && fabsf(n.y) < 0.04f)
    {
        // Beyond this angle the line of the side is deeper than the radius, and only one end can touch.
        const float half = (float)core->half_height;
        show_segment(side, (rblVec3){0, -half, 0}, (rblVec3){0, half, 0});
    }
}

// ---- contacts along a normal ----

typedef struct Along
{
    rblVec3 normal;
    float rounding_a, rounding_b;
    float margin;
} Along;

// `distance` is that between the cores; on_a is on the first core.
static void add_contact(rblManifold* m, const Along* along, rblVec3 on_a, float distance, uint32_t feature)
{
    const float gap = distance - along->rounding_a - along->rounding_b;
    if (gap <= along->margin)
    {
        rbl_manifold_add(m, rbl_mul_add3(on_a, along->rounding_a + 0.5f * gap, along->normal), along->normal,
                         gap, RBL_FEATURE_ROUND | feature);
    }
}

static uint32_t clip_name(const rblClipVertex* polygon, uint32_t count, uint32_t i)
{
    const uint32_t in = polygon[i > 0 ? i - 1 : count - 1].edge;
    const uint32_t out = polygon[i].edge;
    const uint32_t name = (in & 0x7ffu) | (in >> 15) << 11 | (out & 0x7ffu) << 12 | (out >> 15) << 23;
    return (name + 1) & 0x3fffffffu;
}

// Clip `subject` by the prism over the polygon `face`. Distances are measured along the normal to the plane of the
// face.
static void clip_sides(rblManifold* m, const Along* along, const Side* face, Side* subject, bool face_is_a)
{
    const rblVec3 axis = face_is_a ? along->normal : rbl_neg3(along->normal);
    const float slope = rbl_dot3(face->normal, axis);
    if (!(slope > 0.5f))
    {
        return; // the face is almost parallel to the normal
    }
    const float offset = rbl_dot3(face->normal, face->corners[0].p);
    const uint32_t count = rbl_clip(subject->corners, subject->count, face->corners, face->count, axis);
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 p = subject->corners[i].p;
        const float distance = (rbl_dot3(face->normal, p) - offset) / slope;
        const rblVec3 on_a = face_is_a ? rbl_mul_add3(p, -distance, along->normal) : p;
        add_contact(m, along, on_a, distance, clip_name(subject->corners, count, i));
    }
}

// Contacts at the ends of the common interval of two nearly parallel segments.
static void clip_segments(rblManifold* m, const Along* along, const Side* a, const Side* b)
{
    const rblVec3 da = rbl_sub3(a->corners[1].p, a->corners[0].p);
    const rblVec3 db = rbl_sub3(b->corners[1].p, b->corners[0].p);
    const float aa = rbl_dot3(da, da);
    const float bb = rbl_dot3(db, db);
    const float ab = rbl_dot3(da, db);
    if (!(ab * ab >= 0.997f * aa * bb) || ab == 0.0f)
    {
        return;
    }
    const float from = rbl_dot3(da, rbl_sub3(b->corners[0].p, a->corners[0].p)) / aa;
    const float length = ab / aa;
    const float low = rbl_maxf(0.0f, rbl_minf(from, from + length));
    const float high = rbl_minf(1.0f, rbl_maxf(from, from + length));
    if (!(low < high))
    {
        return;
    }
    for (uint32_t i = 0; i < 2; ++i)
    {
        const float s = i == 0 ? low : high;
        const rblVec3 on_a = rbl_mul_add3(a->corners[0].p, s, da);
        const rblVec3 on_b = rbl_mul_add3(b->corners[0].p, (s - from) / length, db);
        add_contact(m, along, on_a, rbl_dot3(along->normal, rbl_sub3(on_b, on_a)), 1 + i);
    }
}

static void add_closest(rblManifold* m, const Along* along, const rblSeparation* separation)
{
    const float distance = (float)separation->distance;
    const float gap = distance - along->rounding_a - along->rounding_b;
    // Not needed if another contact is as close.
    for (uint32_t i = 0; i < m->count; ++i)
    {
        if (m->points[i].distance <= gap + 1e-4f * (fabsf(gap) + along->margin))
        {
            return;
        }
    }
    add_contact(m, along, rbl_to_float3(separation->on_a), distance, 0);
}

void rbl_contact_along(const rblConvexPair* pair, const rblSeparation* separation, float margin,
                       rblManifold* manifold)
{
    const Along along = {rbl_normalize3(rbl_to_float3(separation->normal), (rblVec3){0, 1, 0}),
                         (float)pair->a->rounding, (float)pair->b->rounding, margin};
    const rblMat3 rotation = rbl_to_float_mat3(&pair->rotation);
    const rblPose pose = {rotation, rbl_to_float3(pair->offset)};
    Side a;
    Side b;
    show(&a, pair->a, along.normal);
    show(&b, pair->b, rbl_neg3(rbl_mat3_apply_transposed(&rotation, along.normal)));
    for (uint32_t i = 0; i < b.count; ++i)
    {
        b.corners[i].p = rbl_pose_point(&pose, b.corners[i].p);
    }
    b.normal = rbl_mat3_apply(&rotation, b.normal);
    if (a.count >= 3 && b.count >= 2)
    {
        clip_sides(manifold, &along, &a, &b, true);
    }
    else if (b.count >= 3 && a.count >= 2)
    {
        clip_sides(manifold, &along, &b, &a, false);
    }
    else if (a.count == 2 && b.count == 2)
    {
        clip_segments(manifold, &along, &a, &b);
    }
    add_closest(manifold, &along, separation);
}

// A direction of the last call that still separates the shapes by the margin is enough.
static bool is_separated(const rblPairQuery* query, const rblConvexPair* pair, double limit)
{
    rblVec3 axis = {0, 0, 0};
    if (query->cache != NULL)
    {
        memcpy(&axis, query->cache->words, sizeof axis);
    }
    if (!(rbl_dot3(axis, axis) > 0.5f))
    {
        return false;
    }
    const rblVec3d n = rbl_normalize3d(rbl_to_double3(axis), (rblVec3d){0, 1, 0});
    return -rbl_dot3d(n, rbl_difference_support(pair, n).p) > limit;
}

rblResult rbl_contact_round(const rblPairQuery* query, rblContactSet* out)
{
    const rblConvexPair pair = rbl_convex_pair(query->a, query->b, query->b_in_a);
    const double rounding_sum = pair.a->rounding + pair.b->rounding;
    const double limit =
        (double)query->margin + rounding_sum + 1e-6 * (double)(query->a->radius + query->b->radius);
    if (is_separated(query, &pair, limit))
    {
        return RBL_OK;
    }
    const rblVec3d centers =
        rbl_sub3d(rbl_add3d(rbl_mat3d_apply(&pair.rotation, rbl_core_center(pair.b)), pair.offset),
                  rbl_core_center(pair.a));
    const rblSeparation found = rbl_gjk_separation(&pair, centers, limit);
    if (query->cache != NULL)
    {
        const rblVec3 axis = rbl_to_float3(found.normal);
        memcpy(query->cache->words, &axis, sizeof axis);
    }
    rblManifold manifold;
    rbl_manifold_clear(&manifold);
    if (found.distance - rounding_sum <= (double)query->margin)
    {
        rbl_contact_along(&pair, &found, query->margin, &manifold);
    }
    return rbl_manifold_give(&manifold, out);
}
