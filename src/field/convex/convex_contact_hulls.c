// Contacts of two polytopes along the direction that convex_contact_axes.c finds.
#include "field/convex/convex_contact_axes.h"
#include "math/simd.h"
#include <string.h>

// ---- tuning ----
// Relative to the smaller hull; a gap this close to the exact distance is accepted.
#define EXACT_DISTANCE 1e-4f
// Relative to the smaller hull; from this overlap on, one face does not give enough contacts.
#define DEEP_OVERLAP 0.1f

// Relative to the smaller hull: above this uncertainty a new guess is cheaper. Small hulls are searched without a
// guess.
#define MAX_UNCERTAINTY       0.3f
#define MAX_UNCERTAINTY_SMALL 1.5f
#define SMALL_HULLS           4096 // product of the numbers of edges

typedef enum AxisKind
{
    AXIS_NONE,
    AXIS_FACE_A,
    AXIS_FACE_B,
    AXIS_EDGES
} AxisKind;

static AxisKind choose_axis(const rblHullPair* pair, const rblHullAxes* axes, float* separation)
{
    const float face = rbl_maxf(axes->face_a, axes->face_b);
    if (axes->edges > -INFINITY &&
        axes->edges > face + rbl_axis_preference(pair, axes->edges, RBL_EDGE_PREFERENCE))
    {
        *separation = axes->edges;
        return AXIS_EDGES;
    }
    if (axes->face_b > axes->face_a + rbl_axis_preference(pair, axes->face_b, RBL_FACE_PREFERENCE))
    {
        *separation = axes->face_b;
        return AXIS_FACE_B;
    }
    *separation = axes->face_a;
    return axes->face_a > -INFINITY ? AXIS_FACE_A : AXIS_NONE;
}

// ---- contacts ----

// The face of a hull whose normal is most opposite to a direction.
static uint32_t facing(const rblHull* hull, rblVec3 against)
{
    const rblFloat4 x = rbl_splat4(against.x);
    const rblFloat4 y = rbl_splat4(against.y);
    const rblFloat4 z = rbl_splat4(against.z);
    uint32_t best = 0;
    float least = INFINITY;
    const float* f = hull->planes;
    for (uint32_t b = 0; b < hull->face_blocks; ++b, f += 16)
    {
        const rblFloat4 dot = rbl_add4(rbl_add4(rbl_mul4(rbl_load4(f), x), rbl_mul4(rbl_load4(f + 4), y)),
                                       rbl_mul4(rbl_load4(f + 8), z));
        const uint32_t mask = rbl_mask4(rbl_less4(dot, rbl_splat4(least)));
        if (mask != 0)
        {
            float lanes[4];
            rbl_store4(lanes, dot);
            for (uint32_t lane = 0; lane < 4; ++lane)
            {
                best = lanes[lane] < least ? 4 * b + lane : best;
                least = rbl_minf(lanes[lane], least);
            }
        }
    }
    return best;
}

static uint32_t load_face(const rblHull* hull, uint32_t face, rblClipVertex* out)
{
    uint32_t count = 0;
    for (uint32_t c = hull->face_starts[face]; c < hull->face_starts[face + 1]; ++c)
    {
        const uint8_t vertex = hull->corner_vertices[c];
        out[count++] = (rblClipVertex){rbl_hull_vertex(hull, vertex), hull->corner_edges[c], vertex};
    }
    return count;
}

static uint32_t shared_vertex(const rblHull* hull, uint32_t e1, uint32_t e2)
{
    const rblHullEdge a = hull->edges[e1];
    const rblHullEdge b = hull->edges[e2];
    return a.tail == b.tail || a.tail == b.head ? a.tail : a.head;
}

// A reference face of one hull and the incident face of the other, in the axes of the reference hull.
typedef struct FaceContact
{
    const rblHull* reference;
    const rblHull* incident;
    rblPose pose; // the incident hull in the axes of the reference hull
    rblVec3 normal;
    float offset;
    uint32_t face, incident_face;
    bool reference_is_b;
    rblClipVertex border[RBL_HULL_MAX_VERTICES]; // border of the reference face
    uint32_t rim_count;
} FaceContact;

static uint32_t clip_feature(const FaceContact* c, uint16_t in, uint16_t out, uint16_t vertex)
{
    const uint32_t first = in & ~RBL_CLIPPED_EDGE;
    const uint32_t second = out & ~RBL_CLIPPED_EDGE;
    const uint32_t vertex_of_incident = c->reference_is_b ? RBL_FEATURE_VERTEX_A : RBL_FEATURE_VERTEX_B;
    const uint32_t vertex_of_reference = c->reference_is_b ? RBL_FEATURE_VERTEX_B : RBL_FEATURE_VERTEX_A;
    if (((in | out) & RBL_CLIPPED_EDGE) == 0)
    {
        return vertex_of_incident | vertex | c->face << 8;
    }
    if ((in & out & RBL_CLIPPED_EDGE) != 0)
    {
        return vertex_of_reference | shared_vertex(c->reference, first, second) | c->incident_face << 8;
    }
    const uint32_t of_reference = (in & RBL_CLIPPED_EDGE) != 0 ? first : second;
    const uint32_t of_incident = (in & RBL_CLIPPED_EDGE) != 0 ? second : first;
    return RBL_FEATURE_EDGES |
           (c->reference_is_b ? of_incident | of_reference << 12 : of_reference | of_incident << 12);
}

static void set_faces(const rblHullPair* pair, AxisKind kind, uint32_t face, FaceContact* c)
{
    c->reference_is_b = kind == AXIS_FACE_B;
    c->face = face;
    c->reference = c->reference_is_b ? pair->b : pair->a;
    c->incident = c->reference_is_b ? pair->a : pair->b;
    c->pose = c->reference_is_b ? rbl_pose_inverse(&pair->pose) : pair->pose;
    c->normal = rbl_hull_normal(c->reference, face);
    c->offset = rbl_hull_offset(c->reference, face);
    c->incident_face = facing(c->incident, rbl_mat3_apply_transposed(&c->pose.rotation, c->normal));
    c->rim_count = load_face(c->reference, face, c->border);
}

// Add a point of the incident hull with its distance from the reference plane, transformed to the axes of a.
static void add_to_face(const rblHullPair* pair, const FaceContact* c, rblVec3 p, float distance,
                        uint32_t feature, rblManifold* manifold)
{
    const rblVec3 midway = rbl_mul_add3(p, -0.5f * distance, c->normal);
    if (c->reference_is_b)
    {
        rbl_manifold_add(manifold, rbl_pose_point(&pair->pose, midway),
                         rbl_neg3(rbl_mat3_apply(&pair->pose.rotation, c->normal)), distance, feature);
    }
    else
    {
        rbl_manifold_add(manifold, midway, c->normal, distance, feature);
    }
}

static bool has_feature(const rblManifold* manifold, uint32_t feature)
{
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        if (manifold->points[i].feature == feature)
        {
            return true;
        }
    }
    return false;
}

// Add a vertex of the incident hull, if it is new. Returns true if it is above the inside of the reference face.
static bool add_vertex(const rblHullPair* pair, const FaceContact* c, uint32_t vertex, float farthest,
                       rblManifold* manifold)
{
    rblClipVertex point[2] = {{rbl_pose_point(&c->pose, rbl_hull_vertex(c->incident, vertex)), 0, 0}};
    const float distance = rbl_dot3(c->normal, point[0].p) - c->offset;
    const uint32_t kind = c->reference_is_b ? RBL_FEATURE_VERTEX_A : RBL_FEATURE_VERTEX_B;
    const uint32_t feature = kind | vertex | c->face << 8;
    if (rbl_clip(point, 1, c->border, c->rim_count, c->normal) == 0)
    {
        return false;
    }
    if (distance <= farthest && !has_feature(manifold, feature))
    {
        add_to_face(pair, c, point[0].p, distance, feature, manifold);
    }
    return true;
}

// The deepest vertex of the incident hull may not belong to the incident face. Returns true if it is above the inside
// of the reference face.
static bool add_deepest(const rblHullPair* pair, const FaceContact* c, rblManifold* manifold)
{
    const rblVec3 down = rbl_neg3(rbl_mat3_apply_transposed(&c->pose.rotation, c->normal));
    return add_vertex(pair, c, rbl_hull_support(c->incident, down), pair->margin, manifold);
}

// In deep overlap the incident face may be small, and the hull would alternate between neighbouring faces instead of
// separating: all vertices below the reference face become contacts.
static void add_deep_vertices(const rblHullPair* pair, const FaceContact* c, rblManifold* manifold)
{
    const rblVec3 up = rbl_mat3_apply_transposed(&c->pose.rotation, c->normal);
    const float level = c->offset - rbl_dot3(c->normal, c->pose.offset);
    for (uint32_t i = 0; i < c->incident->vertex_count; ++i)
    {
        if (rbl_dot3(up, rbl_hull_vertex(c->incident, i)) < level)
        {
            (void)add_vertex(pair, c, i, 0.0f, manifold);
        }
    }
}

// Clip the incident face by the prism over the reference face. Returns true if the smallest distance equals the
// separation of the axis within `allowed`.
static bool face_contacts(const rblHullPair* pair, FaceContact* c, float separation, float allowed,
                          rblManifold* manifold)
{
    rblClipVertex polygon[RBL_CLIP_CAPACITY];
    uint32_t count = load_face(c->incident, c->incident_face, polygon);
    for (uint32_t i = 0; i < count; ++i)
    {
        polygon[i].p = rbl_pose_point(&c->pose, polygon[i].p);
    }
    count = rbl_clip(polygon, count, c->border, c->rim_count, c->normal);
    float least = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        const float distance = rbl_dot3(c->normal, polygon[i].p) - c->offset;
        least = rbl_minf(distance, least);
        if (distance <= pair->margin)
        {
            const uint16_t arriving = polygon[i > 0 ? i - 1 : count - 1].edge;
            add_to_face(pair, c, polygon[i].p, distance,
                        clip_feature(c, arriving, polygon[i].edge, polygon[i].vertex), manifold);
        }
    }
    if (separation < -DEEP_OVERLAP * pair->size)
    {
        add_deep_vertices(pair, c, manifold);
    }
    const float small = EXACT_DISTANCE * pair->size + pair->rounding;
    if (least > separation + small && add_deepest(pair, c, manifold))
    {
        return true;
    }
    return least <= separation + allowed;
}

// An edge of a hull as two points in the axes of a.
typedef struct Segment
{
    rblVec3 tail, along;
} Segment;

static Segment segment_of(const rblHull* hull, uint32_t edge, const rblPose* pose)
{
    rblVec3 tail = rbl_hull_vertex(hull, hull->edges[edge].tail);
    rblVec3 head = rbl_hull_vertex(hull, hull->edges[edge].head);
    tail = pose == NULL ? tail : rbl_pose_point(pose, tail);
    head = pose == NULL ? head : rbl_pose_point(pose, head);
    return (Segment){tail, rbl_sub3(head, tail)};
}

// Closest points of the lines through two edges. Returns false if they are beyond an end.
static bool edge_contact(const rblHullPair* pair, const rblHullAxes* axes, rblManifold* manifold)
{
    const Segment a = segment_of(pair->a, axes->edge_a, NULL);
    const Segment b = segment_of(pair->b, axes->edge_b, &pair->pose);
    const rblVec3 difference = rbl_sub3(b.tail, a.tail);
    const float aa = rbl_dot3(a.along, a.along);
    const float bb = rbl_dot3(b.along, b.along);
    const float ab = rbl_dot3(a.along, b.along);
    const float ao = rbl_dot3(a.along, difference);
    const float bo = rbl_dot3(b.along, difference);
    const float determinant = aa * bb - ab * ab;
    const float s = (ao * bb - bo * ab) / determinant;
    const float t = (ao * ab - bo * aa) / determinant;
    const float slack = 1e-3f;
    if (!(s >= -slack && s <= 1.0f + slack && t >= -slack && t <= 1.0f + slack))
    {
        return false;
    }
    const rblVec3 on_a = rbl_mul_add3(a.tail, rbl_clampf(s, 0.0f, 1.0f), a.along);
    const rblVec3 on_b = rbl_mul_add3(b.tail, rbl_clampf(t, 0.0f, 1.0f), b.along);
    const uint32_t feature = RBL_FEATURE_EDGES | axes->edge_a | axes->edge_b << 12;
    if (axes->edges <= pair->margin)
    {
        rbl_manifold_add(manifold, rbl_scale3(rbl_add3(on_a, on_b), 0.5f), axes->edge_normal, axes->edges,
                         feature);
    }
    return true;
}

// ---- cache ----

rblHullCache rbl_hull_cache_read(const rblPairCache* cache)
{
    rblHullCache known = {{0, 0, 0}, {0, 0, 0}, false};
    if (cache != NULL)
    {
        memcpy(&known.axis, cache->words, sizeof known.axis);
        memcpy(&known.point, cache->words + 3, sizeof known.point);
        known.has_point = rbl_dot3(known.axis, known.axis) > 0.5f && rbl_finite3(known.point);
    }
    return known;
}

void rbl_hull_cache_write(rblPairCache* cache, const rblHullCache* known)
{
    if (cache != NULL)
    {
        const rblVec3 point = known->has_point ? known->point : rbl_vec3(INFINITY, 0, 0);
        memcpy(cache->words, &known->axis, sizeof known->axis);
        memcpy(cache->words + 3, &point, sizeof point);
    }
}

static void write_cache(rblPairCache* cache, rblVec3 axis, rblVec3 point)
{
    rbl_hull_cache_write(cache, &(rblHullCache){axis, point, true});
}

// ---- public functions ----

typedef struct Search
{
    rblHullFront front_a, front_b;
    rblHullAxes axes;
} Search;

// A start direction that depends only on the poses, not on the cache.
static rblVec3 center_line(const rblHullPair* pair)
{
    return rbl_sub3(rbl_pose_point(&pair->pose, pair->b->center), pair->a->center);
}

static rblAxisGuess guess_of(const rblHullPair* pair, const rblSeparation* found)
{
    rblAxisGuess guess;
    guess.axis = rbl_normalize3(rbl_to_float3(found->normal), (rblVec3){0, 1, 0});
    guess.point = rbl_to_float3(rbl_scale3d(rbl_add3d(found->on_a, found->on_b), 0.5));
    rbl_hulls_measure(pair, &guess);
    return guess;
}

static rblVec3 middle_of(const rblManifold* manifold)
{
    rblVec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        sum = rbl_add3(sum, manifold->points[i].point);
    }
    return rbl_scale3(sum, 1.0f / (float)manifold->count);
}

// Contacts from the closest points, if neither faces nor edges give the exact distance: corners and borders.
static void corner_contacts(const rblHullPair* pair, const rblPairQuery* query, rblManifold* manifold)
{
    const rblConvexPair exact = rbl_convex_pair(query->a, query->b, query->b_in_a);
    const rblSeparation found = rbl_gjk_separation(&exact, rbl_to_double3(center_line(pair)),
                                                   (double)(pair->margin + pair->rounding));
    rbl_manifold_clear(manifold);
    if (found.distance <= (double)pair->margin)
    {
        rbl_contact_along(&exact, &found, pair->margin, manifold);
    }
    if (manifold->count == 0)
    {
        write_cache(query->cache, rbl_to_float3(found.normal),
                    rbl_to_float3(rbl_scale3d(rbl_add3d(found.on_a, found.on_b), 0.5)));
    }
}

// Contacts from the chosen axis; if it does not give the exact distance, from the closest points.
static void fill_manifold(const rblHullPair* pair, const rblPairQuery* query, Search* search,
                          rblManifold* manifold)
{
    rblHullAxes* axes = &search->axes;
    float separation;
    AxisKind kind = choose_axis(pair, axes, &separation);
    bool exact = false;
    if (kind == AXIS_FACE_A || kind == AXIS_FACE_B)
    {
        FaceContact contact;
        set_faces(pair, kind, kind == AXIS_FACE_A ? axes->on_face_a : axes->on_face_b, &contact);
        const float allowed = separation > 0.0f ? EXACT_DISTANCE * pair->size + pair->rounding
                                                : rbl_axis_preference(pair, separation, 0.1f);
        exact = face_contacts(pair, &contact, separation, allowed, manifold);
        if (!exact && separation <= 0.0f &&
            rbl_hulls_next_edges(pair, &search->front_a, &search->front_b, axes))
        {
            kind = AXIS_EDGES; // the best face is only the end of a pair of edges
        }
    }
    if (!exact && kind == AXIS_EDGES)
    {
        rbl_manifold_clear(manifold);
        exact = edge_contact(pair, axes, manifold);
    }
    if (!exact)
    {
        corner_contacts(pair, query, manifold);
    }
}

static rblHullPair make_pair(const rblPairQuery* query, const rblHull* a, const rblHull* b)
{
    rblHullPair pair = {.a = a, .b = b, .pose = rbl_pose(query->b_in_a), .margin = query->margin};
    pair.size = rbl_minf(a->size, b->size);
    pair.rounding = 1e-6f * (a->size + b->size + rbl_length3(a->center) + rbl_length3(b->center) +
                             rbl_length3(pair.pose.offset));
    return pair;
}

static float max_uncertainty(const rblHullPair* pair)
{
    const bool small = pair->a->edge_count * pair->b->edge_count <= SMALL_HULLS;
    return (small ? MAX_UNCERTAINTY_SMALL : MAX_UNCERTAINTY) * pair->size;
}

// Find a good guess, from the cache or by GJK. Returns false if it shows that the gap is above the margin.
static bool find_guess(const rblHullPair* pair, const rblPairQuery* query, Search* search,
                       rblAxisGuess* guess, float* uncertainty)
{
    const float limit = pair->margin + pair->rounding;
    const rblHullCache known = rbl_hull_cache_read(query->cache);
    const bool has_axis = rbl_dot3(known.axis, known.axis) > 0.5f;
    *guess = (rblAxisGuess){.axis = known.axis, .point = known.point};
    if (has_axis)
    {
        rbl_hulls_measure(pair, guess);
        if (guess->separation > limit)
        {
            return false;
        }
    }
    if (known.has_point)
    {
        *uncertainty = rbl_hulls_uncertainty(pair, guess, &search->front_a, &search->front_b);
        if (*uncertainty <= max_uncertainty(pair))
        {
            return true;
        }
    }
    const rblConvexPair exact = rbl_convex_pair(query->a, query->b, query->b_in_a);
    const rblVec3 start = has_axis ? known.axis : center_line(pair);
    const rblSeparation found = rbl_gjk_guess(&exact, rbl_to_double3(start), (double)limit);
    *guess = guess_of(pair, &found);
    if (guess->separation > limit)
    {
        write_cache(query->cache, guess->axis, guess->point);
        return false;
    }
    *uncertainty = rbl_hulls_uncertainty(pair, guess, &search->front_a, &search->front_b);
    return true;
}

rblResult rbl_contact_hulls(const rblPairQuery* query, const rblHull* a, const rblHull* b, rblContactSet* out)
{
    const rblHullPair pair = make_pair(query, a, b);
    Search search;
    rblAxisGuess guess;
    float uncertainty;
    if (!find_guess(&pair, query, &search, &guess, &uncertainty))
    {
        out->clear = guess.separation - pair.rounding;
        return RBL_OK;
    }
    rblHullAxes* axes = &search.axes;
    rbl_hulls_search(&pair, uncertainty, &search.front_a, &search.front_b, axes);
    if (rbl_maxf(axes->face_a, axes->face_b) > pair.margin + pair.rounding)
    {
        const rblVec3 axis =
            axes->face_a > axes->face_b
                ? rbl_hull_normal(a, axes->on_face_a)
                : rbl_neg3(rbl_mat3_apply(&pair.pose.rotation, rbl_hull_normal(b, axes->on_face_b)));
        write_cache(query->cache, axis, guess.point);
        out->clear = rbl_maxf(axes->face_a, axes->face_b) - pair.rounding;
        return RBL_OK;
    }
    rblManifold manifold;
    rbl_manifold_clear(&manifold);
    fill_manifold(&pair, query, &search, &manifold);
    if (manifold.count > 0)
    {
        write_cache(query->cache, manifold.points[0].normal, middle_of(&manifold));
    }
    return rbl_manifold_give(&manifold, out);
}
