// Contacts of a convex shape with a mesh of triangles: the shape with the pyramid below each triangle near it. Normals that
// the surface cannot have at their point are those of inner edges: such contacts are replaced by contacts along the normal of
// the triangle, or omitted.
#include "base/error.h"
#include "base/hash_map.h"
#include "bvh/query/region.h"
#include "field/contact/collide.h"
#include "field/contact/field_contact.h"
#include "field/convex/convex_contact.h"
#include "field/triangles/triangles.h"
#include "math/aabb.h"

// ---- tuning ----
#define ALONG_FACE 0.999999f // cosine: a normal this close to that of the triangle is that of its face
#define EDGE_SLACK                                                                                           \
    1e-3f // sine: a normal this close to perpendicular to an edge, or to a side of a corner, is that
#define SAME_NORMAL 0.99f // cosine: contacts with closer normals are in one group
#define SAME_POINT  1e-3f // relative to the size of the body; closer contacts of a group are one
#define MAX_GROUPS  6u    // of normals; more are added to the group with the closest normal

typedef struct Group
{
    rblVec3 normal;
    rblManifold manifold;
} Group;

// In axes parallel to those of the mesh, whose origin is near the body: floats are precise there.
typedef struct Search
{
    const rblTriangles* mesh;
    const rblShapeView* body;
    rblVec3 origin; // in the axes of the mesh
    rblTransform pose;
    rblVec3 center; // of the mass of the body
    float margin;
    float size; // of the body
    rblTrianglePyramid pyramid;
    rblContactSet* part;
    uint32_t group_count;
    Group groups[MAX_GROUPS];
    bool overlaps; // a contact with an overlap was omitted
    rblResult result;
} Search;

// ---- groups of contacts ----

static Group* group_of(Search* s, rblVec3 normal)
{
    uint32_t best = 0;
    float most = -INFINITY;
    for (uint32_t i = 0; i < s->group_count; ++i)
    {
        const float cosine = rbl_dot3(s->groups[i].normal, normal);
        best = cosine > most ? i : best;
        most = rbl_maxf(cosine, most);
    }
    if (most < SAME_NORMAL && s->group_count < MAX_GROUPS)
    {
        best = s->group_count++;
        s->groups[best].normal = normal;
        rbl_manifold_clear(&s->groups[best].manifold);
    }
    return &s->groups[best];
}

// Neighbouring triangles have the same contact on their common edge.
static void add_contact(Search* s, uint32_t leaf, const rblContactPoint* c)
{
    Group* group = group_of(s, c->normal);
    const float close = SAME_POINT * s->size;
    for (uint32_t i = 0; i < group->manifold.count; ++i)
    {
        rblContactPoint* other = &group->manifold.points[i];
        if (rbl_length3(rbl_sub3(other->point, c->point)) < close &&
            rbl_dot3(other->normal, c->normal) > SAME_NORMAL)
        {
            if (c->distance < other->distance)
            {
                *other = *c;
            }
            return;
        }
    }
    // Contacts continue on the next triangle: their places, not their names, link them from step to step.
    const uint32_t feature = (uint32_t)(rbl_hash_u64((uint64_t)leaf << 32 | c->feature) >> 32);
    rbl_manifold_add(&group->manifold, c->point, c->normal, c->distance, feature);
}

// ---- normals that the surface can have ----

static rblVec3 corner_of(const Search* s, uint32_t leaf, uint32_t corner)
{
    return rbl_sub3(rbl_triangle_corner(s->mesh, leaf, corner), s->origin);
}

// Whether a corner is behind the plane through a point.
static bool is_behind(const Search* s, uint32_t leaf, uint32_t corner, rblVec3 point, rblVec3 normal)
{
    const rblVec3 along = rbl_sub3(corner_of(s, leaf, corner), point);
    return rbl_dot3(normal, along) <= EDGE_SLACK * rbl_length3(along);
}

// At a corner all triangles around it must be behind.
static bool is_possible_at_corner(const Search* s, uint32_t leaf, uint32_t corner, rblVec3 normal)
{
    rblAcross fan[RBL_MAX_FAN];
    const uint32_t count = rbl_triangle_fan(s->mesh, leaf, corner, fan);
    const rblVec3 point = corner_of(s, leaf, corner);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!is_behind(s, fan[i] / 4, (fan[i] % 4 + 1) % 3, point, normal) ||
            !is_behind(s, fan[i] / 4, (fan[i] % 4 + 2) % 3, point, normal))
        {
            return false;
        }
    }
    return true;
}

// The corner of a triangle that is farthest along a direction.
static uint32_t farthest_corner(const Search* s, uint32_t leaf, rblVec3 along)
{
    uint32_t best = 0;
    float most = -INFINITY;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const float height = rbl_dot3(along, corner_of(s, leaf, i));
        best = height > most ? i : best;
        most = rbl_maxf(height, most);
    }
    return best;
}

// A normal of the surface has the surface behind it where it touches the body: a face has one normal, an edge those between the
// normals of its triangles, if it is convex, a corner those that its edges leave. What touches is the part of the triangle that
// is farthest along the normal.
static bool is_possible(const Search* s, uint32_t leaf, rblVec3 up, rblVec3 normal)
{
    const uint32_t corner = farthest_corner(s, leaf, normal);
    const rblVec3 point = corner_of(s, leaf, corner);
    if (!(rbl_dot3(normal, rbl_sub3(s->center, point)) > 0.0f))
    {
        return false; // the body is on the other side
    }
    if (rbl_dot3(normal, up) >= ALONG_FACE)
    {
        return true;
    }
    for (uint32_t edge = 0; edge < 3; ++edge)
    {
        const uint32_t other = edge == corner ? (edge + 1) % 3 : edge;
        const bool ends_here = edge == corner || (edge + 1) % 3 == corner;
        const rblVec3 along = rbl_sub3(corner_of(s, leaf, other), point);
        if (ends_here && rbl_dot3(normal, along) >= -EDGE_SLACK * rbl_length3(along))
        {
            const rblAcross across = s->mesh->across[3 * (size_t)leaf + edge];
            return across == RBL_NONE || is_behind(s, across / 4, across % 4, point, normal);
        }
    }
    return is_possible_at_corner(s, leaf, corner, normal);
}

// ---- one triangle ----

// Contacts along the normal of the triangle: the side of the body that faces it, clipped by its border.
static void clip_face(Search* s, uint32_t leaf, rblVec3 up)
{
    rblManifold manifold;
    rbl_manifold_clear(&manifold);
    const rblConvexPair pair = rbl_convex_pair(&s->pyramid.shape.view, s->body, s->pose);
    const rblSeparation none = {.distance = (double)INFINITY, .normal = rbl_to_double3(up)};
    rbl_contact_along(&pair, &none, s->margin, &manifold);
    for (uint32_t i = 0; i < manifold.count; ++i)
    {
        if (manifold.points[i].distance > -s->size)
        {
            add_contact(s, leaf, &manifold.points[i]);
        }
    }
    s->overlaps = s->overlaps || manifold.count == 0;
}

// The extent of the body along a direction, from the origin.
static float reach(const Search* s, rblVec3 direction)
{
    const rblConvexCore* core = &s->body->shape->core;
    const rblVec3 local = rbl_inverse_rotate3(s->pose.q, direction);
    const float core_reach =
        core->hull != NULL
            ? rbl_hull_reach(core->hull, local)
            : (float)rbl_dot3d(rbl_to_double3(local), rbl_core_support(core, rbl_to_double3(local)));
    return core_reach + (float)core->rounding + rbl_dot3(direction, s->pose.p);
}

static bool visit(uint32_t leaf, void* context)
{
    Search* s = context;
    const rblVec3 up = rbl_triangle_normal(s->mesh, leaf);
    const float level = rbl_dot3(up, rbl_sub3(rbl_triangle_corner(s->mesh, leaf, 0), s->origin));
    if (-reach(s, rbl_neg3(up)) > level + s->margin || reach(s, up) < level)
    {
        return true; // above the margin, or behind
    }
    rblContactOptions options = rbl_default_contact_options();
    options.margin = s->margin;
    rbl_triangle_pyramid_set(&s->pyramid, s->mesh, leaf, s->origin);
    s->result = rbl_shape_find_contacts(&s->pyramid.shape.view, s->body, s->pose, &options, NULL, s->part);
    bool replaced = false;
    for (uint32_t i = 0; i < s->part->count && s->result == RBL_OK; ++i)
    {
        rblContactPoint* c = &s->part->points[i];
        if (is_possible(s, leaf, up, c->normal))
        {
            c->normal = rbl_dot3(c->normal, up) >= ALONG_FACE ? up : c->normal;
            add_contact(s, leaf, c);
        }
        else
        {
            replaced = replaced || c->distance < 0.0f;
        }
    }
    if (replaced && rbl_dot3(up, s->center) > level)
    {
        clip_face(s, leaf, up);
    }
    else
    {
        s->overlaps = s->overlaps || replaced;
    }
    return s->result == RBL_OK;
}

// ---- deep overlap ----

// A body whose centre is behind the surface, but not by more than its radius: contacts with the plane through the nearest
// point. `alone`: there are no other contacts; then the same for a body in front of the surface.
static rblResult collide_deep(Search* s, bool alone, rblContactSet* out)
{
    rblVec3 unused;
    rblVec3 nearest;
    rblVec3 normal;
    const rblVec3 center = rbl_add3(s->center, s->origin);
    const float depth = rbl_triangles_distance(s->mesh, center, &unused, &nearest, &normal);
    if (!(fabsf(depth) < s->body->radius) || (!alone && depth >= 0.0f))
    {
        return RBL_OK;
    }
    rblShape plane = {.core = {.form = RBL_CORE_HALF_SPACE, .normal = normal}};
    plane.core.shape = &plane;
    plane.view = (rblShapeView){.shape = &plane, .convex = true};
    const rblVec3 on_plane = rbl_sub3(nearest, s->origin);
    const rblPairQuery query = {
        &plane.view, s->body, {rbl_sub3(s->pose.p, on_plane), s->pose.q}, s->margin, NULL};
    const uint32_t before = out->count;
    RBL_TRY(rbl_contact_plane(&query, false, out));
    for (uint32_t i = before; i < out->count; ++i)
    {
        out->points[i].point = rbl_add3(out->points[i].point, nearest);
    }
    return RBL_OK;
}

// ---- the mesh ----

static rblResult give_groups(Search* s, rblContactSet* out)
{
    for (uint32_t g = 0; g < s->group_count; ++g)
    {
        const uint32_t before = out->count;
        RBL_TRY(rbl_manifold_give_deep(&s->groups[g].manifold, out));
        for (uint32_t i = before; i < out->count; ++i)
        {
            out->points[i].point = rbl_add3(out->points[i].point, s->origin);
        }
    }
    return s->overlaps ? collide_deep(s, s->group_count == 0, out) : RBL_OK;
}

rblResult rbl_triangles_collide(const rblShapeView* ground, const rblShapeView* body,
                                rblTransform body_in_ground, float margin, rblContactSet* out)
{
    Search s;
    s.mesh = ground->shape->data;
    s.body = body;
    const rblVec3 center = rbl_transform_point(body_in_ground, rbl_to_float3(body->mass.center));
    s.origin = center;
    s.pose = (rblTransform){rbl_sub3(body_in_ground.p, center), body_in_ground.q};
    s.center = (rblVec3){0, 0, 0};
    s.margin = margin;
    s.size = body->radius;
    rblPartPairArray* unused;
    s.part = rbl_contact_set_part(out, &unused);
    s.group_count = 0;
    s.overlaps = false;
    s.result = RBL_OK;
    if (s.part == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_triangle_pyramid_init(&s.pyramid);
    const rblAabb box = rbl_aabb_grown(rbl_shape_bounds_at(body, body_in_ground), margin);
    (void)rbl_tree_visit_box(&s.mesh->tree, &box, visit, &s);
    RBL_TRY(s.result);
    return give_groups(&s, out);
}
