// Convex polytopes: the form of hulls and boxes in contact code.
#ifndef RBL_FIELD_CONVEX_HULL_H
#define RBL_FIELD_CONVEX_HULL_H

#include "base/array.h"
#include "field/shape.h"
#include "math/simd.h"
#include "math/vec.h"

#define RBL_HULL_MAX_FACES   (2 * RBL_HULL_MAX_VERTICES)
#define RBL_HULL_MAX_CORNERS (6 * RBL_HULL_MAX_VERTICES)

// Triangles that are coplanar within this tolerance become one face; relative to the diagonal of the bounds. Hulls
// thinner than four times this are refused.
#define RBL_HULL_FLATNESS 4e-6

typedef struct rblHullEdge
{
    uint16_t left, right; // faces; seen from outside, from tail to head
    uint8_t tail, head;   // vertices
} rblHullEdge;

// One block of memory; immutable. Vertices and planes are in blocks of four lanes; the last block is padded with copies
// of its first lane, so that loops need no remainder.
typedef struct rblHull
{
    size_t bytes;
    uint32_t vertex_count, face_count, edge_count, corner_count;
    uint32_t vertex_blocks, face_blocks;
    rblVec3 center;  // of mass
    float inner;     // m, distance from the centre to the nearest plane, rounded down
    float size;      // m, largest distance of a vertex from the centre: scale of rounding errors
    float* vertices; // per block: x x x x y y y y z z z z
    float* planes; // per block: four x, y, z of the unit normals and four offsets; n . p = offset on the face
    rblHullEdge* edges;
    uint16_t* face_starts;  // face_count + 1; corners are counter-clockwise seen from outside
    uint16_t* corner_edges; // the edge from this corner to the next of the face
    uint8_t* corner_vertices;
} rblHull;

static inline rblVec3 rbl_hull_vertex(const rblHull* hull, uint32_t i)
{
    const float* block = hull->vertices + 12 * (size_t)(i >> 2) + (i & 3);
    return (rblVec3){block[0], block[4], block[8]};
}

static inline rblVec3 rbl_hull_normal(const rblHull* hull, uint32_t face)
{
    const float* block = hull->planes + 16 * (size_t)(face >> 2) + (face & 3);
    return (rblVec3){block[0], block[4], block[8]};
}

static inline float rbl_hull_offset(const rblHull* hull, uint32_t face)
{
    return hull->planes[16 * (size_t)(face >> 2) + 12 + (face & 3)];
}

// The largest direction . vertex, within the rounding of floats.
static inline float rbl_hull_reach(const rblHull* hull, rblVec3 direction)
{
    const rblFloat4 x = rbl_splat4(direction.x);
    const rblFloat4 y = rbl_splat4(direction.y);
    const rblFloat4 z = rbl_splat4(direction.z);
    rblFloat4 best = rbl_splat4(-INFINITY);
    const float* v = hull->vertices;
    for (uint32_t b = 0; b < hull->vertex_blocks; ++b, v += 12)
    {
        const rblFloat4 dot = rbl_add4(rbl_add4(rbl_mul4(rbl_load4(v), x), rbl_mul4(rbl_load4(v + 4), y)),
                                       rbl_mul4(rbl_load4(v + 8), z));
        best = rbl_max4(dot, best);
    }
    float lanes[4];
    rbl_store4(lanes, best);
    return rbl_maxf(rbl_maxf(lanes[0], lanes[1]), rbl_maxf(lanes[2], lanes[3]));
}

// A polytope under construction: faces as loops of vertices, counter-clockwise seen from outside.
typedef struct rblHullDraft
{
    rblPointArray vertices;
    rblIndexArray face_starts;
    rblIndexArray corner_vertices;
} rblHullDraft;

void rbl_hull_draft_init(rblHullDraft* draft, const rblAllocator* allocator);
void rbl_hull_draft_free(rblHullDraft* draft);

// Triangles of the convex hull of points (three vertices, counter-clockwise), with the neighbour across the edge from
// corner i to the next. All decisions are exact. Fails if all points are in one plane.
typedef struct rblHullTriangle
{
    uint32_t vertices[3];
    uint32_t neighbours[3];
} rblHullTriangle;
typedef RBL_ARRAY(rblHullTriangle) rblHullTriangles;

rblResult rbl_hull_triangles(const rblVec3* points, uint32_t count, rblHullTriangles* out);

// Selection of points whose hull approximates the hull of all points: the first `kept`, then repeatedly the point
// farthest outside, until no point is farther outside than the tolerance, or `most` are selected. Fails if all points
// are in one plane.
typedef struct rblHullChoosing
{
    const rblVec3* points;
    uint32_t count;
    uint32_t kept;
    uint32_t most;
    double tolerance; // m
    bool measured;    // whether to measure the quality of the selection
    // If measured: the selection stops without success as soon as one of these limits is exceeded.
    double max_depth;  // of a point inside the hull, m
    double max_volume; // of the hull, m^3
} rblHullChoosing;

typedef struct rblHullChoice
{
    rblIndexArray chosen; // initialized by the caller; in the order of the points
    // If measured: largest distance of a point from the surface of the hull, on either side, m; infinite without
    // success.
    double worst;
    double volume; // if measured: of the hull, m^3
} rblHullChoice;

rblResult rbl_hull_choose(const rblHullChoosing* choosing, rblHullChoice* out);

// Join triangles to faces if they are coplanar within `tolerance` (m). Vertices that are not needed any more are
// removed.
rblResult rbl_hull_merge(const rblVec3* points, const rblHullTriangles* triangles, double tolerance,
                         rblHullDraft* out);

// The final polytope. `bound`: points that must be behind every plane, the vertices of the draft.
rblResult rbl_hull_pack(const rblHullDraft* draft, rblVec3d center, const rblVec3* bound,
                        uint32_t bound_count, const rblAllocator* allocator, rblHull** out);
rblResult rbl_hull_box(rblVec3 half, const rblAllocator* allocator, rblHull** out);
void rbl_hull_free(rblHull* hull, const rblAllocator* allocator);

// The farthest vertex along a direction, the first of several.
uint32_t rbl_hull_support(const rblHull* hull, rblVec3 direction);
// Height of a point above the highest face: inside it is the signed distance, outside a lower bound of the distance.
float rbl_hull_height(const rblHull* hull, rblVec3 point);
float rbl_hull_distance(const rblHull* hull, rblVec3 point, rblVec3* gradient);
bool rbl_hull_ray(const rblHull* hull, const rblRay* ray, rblShapeHit* hit);
bool rbl_sample_hull(const rblHull* hull, rblPointArray* out);

#endif
