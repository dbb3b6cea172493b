// Contacts of convex shapes: manifolds, clipping, and one function per family of pairs.
#ifndef RBL_FIELD_CONVEX_CONVEX_CONTACT_H
#define RBL_FIELD_CONVEX_CONVEX_CONTACT_H

#include "field/convex/gjk.h"
#include "field/shape.h"
#include "math/transform.h"

// The rigid motion x -> turn x + offset, as a matrix for loops that apply it often.
typedef struct rblPose
{
    rblMat3 rotation;
    rblVec3 offset;
} rblPose;

static inline rblPose rbl_pose(rblTransform t)
{
    return (rblPose){rbl_quat_to_mat3(t.q), t.p};
}

static inline rblVec3 rbl_pose_point(const rblPose* pose, rblVec3 x)
{
    return rbl_add3(rbl_mat3_apply(&pose->rotation, x), pose->offset);
}

static inline rblVec3 rbl_pose_inverse_point(const rblPose* pose, rblVec3 x)
{
    return rbl_mat3_apply_transposed(&pose->rotation, rbl_sub3(x, pose->offset));
}

static inline rblPose rbl_pose_inverse(const rblPose* pose)
{
    const rblMat3 back = {{pose->rotation.cx.x, pose->rotation.cy.x, pose->rotation.cz.x},
                          {pose->rotation.cx.y, pose->rotation.cy.y, pose->rotation.cz.y},
                          {pose->rotation.cx.z, pose->rotation.cy.z, pose->rotation.cz.z}};
    return (rblPose){back, rbl_neg3(rbl_mat3_apply(&back, pose->offset))};
}

// ---- cache of two hulls ----

// Direction and point of the last call, in the axes of a. Any values give the same result; good ones save time.
typedef struct rblHullCache
{
    rblVec3 axis;  // unit; zero: none
    rblVec3 point; // near the contact
    bool has_point;
} rblHullCache;

// The cache may be null.
rblHullCache rbl_hull_cache_read(const rblPairCache* cache);
void rbl_hull_cache_write(rblPairCache* cache, const rblHullCache* known);

// ---- manifolds ----

#define RBL_CLIP_CAPACITY   (2 * RBL_HULL_MAX_VERTICES + 2)
#define RBL_CONTACTS_A_PAIR 4 // after selection
// Features: the type of the contact in the two highest bits, then the indices of the touching parts.
#define RBL_FEATURE_VERTEX_B 0u         // vertex of b in bits 0 to 7, face of a from bit 8
#define RBL_FEATURE_VERTEX_A (1u << 30) // vertex of a in bits 0 to 7, face of b from bit 8
#define RBL_FEATURE_EDGES    (2u << 30) // edge of a in bits 0 to 11, edge of b from bit 12
#define RBL_FEATURE_ROUND    (3u << 30) // a contact with a round shape, or between corners

// Contacts before selection. Very few clipped faces have more; then four of them are selected before more are added.
#define RBL_MANIFOLD_CAPACITY 64

typedef struct rblManifold
{
    rblContactPoint points[RBL_MANIFOLD_CAPACITY];
    uint32_t count;
    uint32_t colliding; // number of overlapping contacts among all that were added
} rblManifold;

static inline void rbl_manifold_clear(rblManifold* manifold)
{
    manifold->count = 0;
    manifold->colliding = 0;
}

void rbl_manifold_add(rblManifold* manifold, rblVec3 point, rblVec3 normal, float distance, uint32_t feature);

// Move the contacts to the set: all if there are at most four; else the deepest and the three that span the largest
// area.
rblResult rbl_manifold_give(rblManifold* manifold, rblContactSet* out);

// The same, and all other contacts that overlap by more than these four imply.
rblResult rbl_manifold_give_deep(rblManifold* manifold, rblContactSet* out);

// ---- clipping ----

// A corner of the polygon that is clipped. `edge` is the edge that starts at it; with RBL_CLIPPED_EDGE it is an edge of
// the clipping polygon. `vertex` is valid if both edges at the corner belong to the polygon itself.
typedef struct rblClipVertex
{
    rblVec3 p;
    uint16_t edge;
    uint16_t vertex;
} rblClipVertex;

#define RBL_CLIPPED_EDGE 0x8000u // flag in rblClipVertex.edge
// Clip a polygon (or a segment with two corners) by the prism over another polygon along `axis`. The clipping corners
// are counter-clockwise seen from the tip of the axis. `polygon` has RBL_CLIP_CAPACITY entries. Returns the number of
// corners left.
uint32_t rbl_clip(rblClipVertex* polygon, uint32_t count, const rblClipVertex* by, uint32_t by_count,
                  rblVec3 axis);

// ---- families of pairs; results are in the axes of a, `out` is empty on entry ----

typedef struct rblPairQuery
{
    const rblShapeView* a;
    const rblShapeView* b;
    rblTransform b_in_a;
    float margin;
    rblPairCache* cache; // may be null
} rblPairQuery;

rblResult rbl_contact_hulls(const rblPairQuery* query, const rblHull* a, const rblHull* b,
                            rblContactSet* out);
rblResult rbl_contact_plane(const rblPairQuery* query, bool plane_is_b, rblContactSet* out);
rblResult rbl_contact_ball(const rblPairQuery* query, bool ball_is_b, rblContactSet* out);
rblResult rbl_contact_capsules(const rblPairQuery* query, rblContactSet* out);
rblResult rbl_contact_round(const rblPairQuery* query, rblContactSet* out);

// Contacts along a given normal, from the features of both shapes that face each other, including the closest points.
void rbl_contact_along(const rblConvexPair* pair, const rblSeparation* separation, float margin,
                       rblManifold* manifold);

#endif
