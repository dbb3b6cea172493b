// Closed forms: planes with any convex shape, balls with any shape, pairs of capsules.
#include "field/convex/convex_contact.h"
#include <math.h>

// A plane in the axes of the other shape: unit normal n and offset, n . x = offset on the plane.
typedef struct PlaneThere
{
    rblVec3 normal;
    float offset;
} PlaneThere;

// Add a point of a shape that is near the plane. The contact point is halfway, in the axes of the shape.
static void touch_plane(rblManifold* m, PlaneThere plane, rblVec3 p, float rounding, float margin,
                        uint32_t feature)
{
    const float distance = rbl_dot3(plane.normal, p) - plane.offset - rounding;
    if (distance <= margin)
    {
        rbl_manifold_add(m, rbl_mul_add3(p, -(rounding + 0.5f * distance), plane.normal), plane.normal,
                         distance, feature);
    }
}

// Cosine of the angle between a cylinder's axis and the normal; above it the cylinder stands on its end.
#define STANDING_COSINE 0.9f

// The lowest points of both rims. A standing cylinder gets four fixed points of each rim, too. A rolling cylinder does
// not: these points reach the plane along a circle, but the solver predicts them on straight lines, and would stop the
// cylinder.
static void touch_cylinder(rblManifold* m, PlaneThere plane, const rblConvexCore* cylinder, float margin)
{
    const rblVec3 down = {-plane.normal.x, 0, -plane.normal.z};
    const float slope = rbl_length3(down);
    static const float fixed[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const float radius = (float)cylinder->disc;
    const float half_height = (float)cylinder->half_height;
    for (uint32_t end = 0; end < 2; ++end)
    {
        const float y = end == 0 ? -half_height : half_height;
        if (slope > 1e-6f)
        {
            const rblVec3 flat = rbl_scale3(down, radius / slope);
            touch_plane(m, plane, (rblVec3){flat.x, y, flat.z}, 0.0f, margin, RBL_FEATURE_ROUND | end);
        }
        for (uint32_t i = 0; i < 4 && fabsf(plane.normal.y) > STANDING_COSINE; ++i)
        {
            const rblVec3 p = {radius * fixed[i][0], y, radius * fixed[i][1]};
            touch_plane(m, plane, p, 0.0f, margin, RBL_FEATURE_ROUND | (2 + 4 * end + i));
        }
    }
}

static void touch_segment(rblManifold* m, PlaneThere plane, const rblConvexCore* core, float margin)
{
    const float half_height = (float)core->half_height;
    const float radius = (float)core->rounding;
    touch_plane(m, plane, (rblVec3){0, -half_height, 0}, radius, margin, RBL_FEATURE_ROUND);
    if (half_height > 0.0f)
    {
        touch_plane(m, plane, (rblVec3){0, half_height, 0}, radius, margin, RBL_FEATURE_ROUND | 1);
    }
}

static void touch_shape(rblManifold* m, PlaneThere plane, const rblConvexCore* core, float margin)
{
    if (core->hull != NULL)
    {
        for (uint32_t i = 0; i < core->hull->vertex_count; ++i)
        {
            touch_plane(m, plane, rbl_hull_vertex(core->hull, i), 0.0f, margin, RBL_FEATURE_VERTEX_B | i);
        }
    }
    else if (core->form == RBL_CORE_CYLINDER)
    {
        touch_cylinder(m, plane, core, margin);
    }
    else if (core->form == RBL_CORE_SUPPORT)
    {
        const rblVec3d down = rbl_to_double3(rbl_neg3(plane.normal));
        const rblVec3 lowest = rbl_to_float3(rbl_core_support(core, down));
        touch_plane(m, plane, lowest, (float)core->rounding, margin, RBL_FEATURE_ROUND);
    }
    else
    {
        touch_segment(m, plane, core, margin);
    }
}

rblResult rbl_contact_plane(const rblPairQuery* query, bool plane_is_b, rblContactSet* out)
{
    const rblVec3 up = (plane_is_b ? query->b : query->a)->shape->core.normal;
    const rblConvexCore* core = &(plane_is_b ? query->a : query->b)->shape->core;
    if (core->form == RBL_CORE_HALF_SPACE)
    {
        return RBL_OK; // two half spaces: both are static, so that contacts are not needed
    }
    rblManifold manifold;
    rbl_manifold_clear(&manifold);
    const rblPose pose = rbl_pose(query->b_in_a);
    PlaneThere plane;
    if (plane_is_b)
    {
        plane.normal = rbl_mat3_apply(&pose.rotation, up);
        plane.offset = rbl_dot3(plane.normal, pose.offset);
    }
    else
    {
        plane.normal = rbl_mat3_apply_transposed(&pose.rotation, up);
        plane.offset = -rbl_dot3(up, pose.offset);
    }
    touch_shape(&manifold, plane, core, query->margin);
    for (uint32_t i = 0; i < manifold.count; ++i)
    {
        rblContactPoint* contact = &manifold.points[i];
        contact->normal = plane_is_b ? rbl_neg3(plane.normal) : up;
        contact->point = plane_is_b ? contact->point : rbl_pose_point(&pose, contact->point);
    }
    return rbl_manifold_give_deep(&manifold, out);
}

// The contact of a ball is where the field of the other shape is closest to its centre.
rblResult rbl_contact_ball(const rblPairQuery* query, bool ball_is_b, rblContactSet* out)
{
    const rblShapeView* other = ball_is_b ? query->a : query->b;
    const float radius = (float)(ball_is_b ? query->b : query->a)->shape->core.rounding;
    const rblPose pose = rbl_pose(query->b_in_a);
    const rblVec3 center =
        ball_is_b ? pose.offset : rbl_neg3(rbl_mat3_apply_transposed(&pose.rotation, pose.offset));
    rblVec3 outward;
    const float distance = other->shape->kind->distance(other->shape->data, center, &outward) - radius;
    if (!(distance <= query->margin))
    {
        return RBL_OK;
    }
    rblManifold manifold;
    rbl_manifold_clear(&manifold);
    rblVec3 point = rbl_mul_add3(center, -(radius + 0.5f * distance), outward);
    rblVec3 normal = outward;
    if (!ball_is_b)
    {
        point = rbl_pose_point(&pose, point);
        normal = rbl_neg3(rbl_mat3_apply(&pose.rotation, outward));
    }
    rbl_manifold_add(&manifold, point, normal, distance, RBL_FEATURE_ROUND);
    return rbl_manifold_give(&manifold, out);
}

// ---- capsules ----

// Two segments: centres, half vectors and radii.
typedef struct TwoCapsules
{
    rblVec3 middle_b;
    rblVec3 half_a, half_b;
    float radius_a, radius_b;
    float margin;
} TwoCapsules;

static void touch_at(rblManifold* m, const TwoCapsules* c, float s, float t, uint32_t feature)
{
    const rblVec3 on_a = rbl_scale3(c->half_a, s);
    const rblVec3 on_b = rbl_mul_add3(c->middle_b, t, c->half_b);
    const rblVec3 difference = rbl_sub3(on_b, on_a);
    const float length = rbl_length3(difference);
    const float distance = length - c->radius_a - c->radius_b;
    if (!(distance <= c->margin))
    {
        return;
    }
    // Axes that intersect: the normal is perpendicular to both; for parallel axes it points from centre to centre.
    rblVec3 normal = rbl_cross3(c->half_a, c->half_b);
    normal = rbl_dot3(normal, c->middle_b) < 0.0f ? rbl_neg3(normal) : normal;
    normal = rbl_normalize3(normal, rbl_normalize3(c->middle_b, (rblVec3){1, 0, 0}));
    normal = length > 1e-6f * (c->radius_a + c->radius_b) ? rbl_scale3(difference, 1.0f / length) : normal;
    rbl_manifold_add(m, rbl_mul_add3(on_a, c->radius_a + 0.5f * distance, normal), normal, distance,
                     RBL_FEATURE_ROUND | feature);
}

// Both ends of the common interval of two nearly parallel segments. Returns false if there is none.
static bool touch_parallel(rblManifold* m, const TwoCapsules* c, float aa, float ab)
{
    const float middle = rbl_dot3(c->middle_b, c->half_a) / aa;
    const float reach = ab / aa;
    const float low = rbl_maxf(-1.0f, middle - fabsf(reach));
    const float high = rbl_minf(1.0f, middle + fabsf(reach));
    if (!(low < high) || reach == 0.0f)
    {
        return false;
    }
    touch_at(m, c, low, rbl_clampf((low - middle) / reach, -1.0f, 1.0f), 1);
    touch_at(m, c, high, rbl_clampf((high - middle) / reach, -1.0f, 1.0f), 2);
    return true;
}

// Closest points of two segments a s and m + b t, s and t from -1 to 1 (Ericson 2005, 5.1.9).
static void closest_parameters(const TwoCapsules* c, float aa, float bb, float ab, float* s, float* t)
{
    const float am = rbl_dot3(c->half_a, c->middle_b);
    const float bm = rbl_dot3(c->half_b, c->middle_b);
    const float determinant = aa * bb - ab * ab;
    *s = determinant > 0.0f ? rbl_clampf((am * bb - bm * ab) / determinant, -1.0f, 1.0f) : 0.0f;
    *t = bb > 0.0f ? rbl_clampf((ab * *s - bm) / bb, -1.0f, 1.0f) : 0.0f;
    *s = aa > 0.0f ? rbl_clampf((ab * *t + am) / aa, -1.0f, 1.0f) : 0.0f;
}

rblResult rbl_contact_capsules(const rblPairQuery* query, rblContactSet* out)
{
    const rblConvexCore* a = &query->a->shape->core;
    const rblConvexCore* b = &query->b->shape->core;
    const rblVec3 axis = rbl_rotate3(query->b_in_a.q, (rblVec3){0, 1, 0});
    const TwoCapsules c = {query->b_in_a.p,
                           {0, (float)a->half_height, 0},
                           rbl_scale3(axis, (float)b->half_height),
                           (float)a->rounding,
                           (float)b->rounding,
                           query->margin};
    rblManifold manifold;
    rbl_manifold_clear(&manifold);
    const float aa = rbl_dot3(c.half_a, c.half_a);
    const float bb = rbl_dot3(c.half_b, c.half_b);
    const float ab = rbl_dot3(c.half_a, c.half_b);
    const bool parallel = aa > 0.0f && bb > 0.0f && aa * bb - ab * ab <= 1e-3f * aa * bb;
    if (!parallel || !touch_parallel(&manifold, &c, aa, ab))
    {
        float s;
        float t;
        closest_parameters(&c, aa, bb, ab, &s, &t);
        touch_at(&manifold, &c, s, t, 0);
    }
    return rbl_manifold_give(&manifold, out);
}
