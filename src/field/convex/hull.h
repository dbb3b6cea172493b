// Convex polytopes: what hulls and boxes are to the contact code.
#ifndef RBL_FIELD_CONVEX_HULL_H
#define RBL_FIELD_CONVEX_HULL_H

#include "base/array.h"
#include "math/simd.h"
#include "math/vec.h"
#include "rubble/shape.h"

#define RBL_HULL_MAX_FACES   (2 * RBL_HULL_MAX_VERTICES)
#define RBL_HULL_MAX_CORNERS (6 * RBL_HULL_MAX_VERTICES)

// Triangles that lie this flat together become one face, as a part of the diagonal of the bounds; hulls thinner than
// four times that are refused.
#define RBL_HULL_FLATNESS 4e-6

typedef RBL_ARRAY(rblVec3) rblPointArray;

typedef struct rblHullEdge
{
    uint16_t left, right; // faces; seen from outside, going from tail to head
    uint8_t tail, head;   // vertices
} rblHullEdge;

// One block of memory; immutable. Vertices and planes lie in blocks of four lanes, the last block filled up with copies
// of its first lane, so that loops have no tails.
typedef struct rblHull
{
    size_t bytes;
    uint32_t vertex_count, face_count, edge_count, corner_count;
    uint32_t vertex_blocks, face_blocks;
    rblVec3 center;  // of mass
    float inner;     // distance from the centre to the nearest plane, rounded down
    float size;      // largest distance of a vertex from the centre: the scale of rounding errors
    float* vertices; // per block: x x x x y y y y z z z z
    float* planes; // per block: four x, y, z of the unit normals and four offsets; n . p = offset on the face
    rblHullEdge* edges;
    uint16_t* face_starts;  // face_count + 1; corners go round counter-clockwise seen from outside
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

// The largest direction . vertex, to the rounding of floats.
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

// A polytope on its way: faces as rings of vertices, counter-clockwise seen from outside.
typedef struct rblHullDraft
{
    rblPointArray vertices;
    rblIndexArray face_starts;
    rblIndexArray corner_vertices;
} rblHullDraft;

void rbl_hull_draft_init(rblHullDraft* draft, const rblAllocator* allocator);
void rbl_hull_draft_free(rblHullDraft* draft);

// Triangles of the hull of points (three vertices each, counter-clockwise), and across the edge from corner i to the
// next the neighbour. Every decision is exact. Fails when all points lie in a plane.
typedef struct rblHullTriangle
{
    uint32_t vertices[3];
    uint32_t neighbours[3];
} rblHullTriangle;
typedef RBL_ARRAY(rblHullTriangle) rblHullTriangles;

rblResult rbl_hull_triangles(const rblVec3* points, uint32_t count, rblHullTriangles* out);

// Some of the points whose hull is nearly that of all: the first `kept`, then always the one farthest outside, until none is
// farther than the tolerance or there are `most`. All lie in the hull of the points. Fails when all points lie in a plane.
typedef struct rblHullChoosing
{
    const rblVec3* points;
    uint32_t count;
    uint32_t kept;
    uint32_t most;
    double tolerance;  // metres
    bool measured;     // how well the choice fits is asked for
    double max_depth;  // where measured: no use when a point lies deeper in the hull than this, metres, or
    double max_volume; // it is larger than this, m^3: the choice is left off as soon as that is seen
} rblHullChoosing;

typedef struct rblHullChoice
{
    rblIndexArray chosen; // initialized by the caller; in the order of the points
    double worst;  // where measured: distance of any point from the hull's surface on either side, metres;
                   // of a choice that was left off infinite
    double volume; // where measured: of the hull, m^3
} rblHullChoice;

rblResult rbl_hull_choose(const rblHullChoosing* choosing, rblHullChoice* out);

// Join triangles into faces as far as `tolerance` (metres) allows. Vertices that no longer matter are dropped.
rblResult rbl_hull_merge(const rblVec3* points, const rblHullTriangles* triangles, double tolerance,
                         rblHullDraft* out);

// The finished polytope. `bound` are points that every plane must leave inside: what the draft was made of.
rblResult rbl_hull_pack(const rblHullDraft* draft, rblVec3d center, const rblVec3* bound,
                        uint32_t bound_count, const rblAllocator* allocator, rblHull** out);
rblResult rbl_hull_box(rblVec3 half, const rblAllocator* allocator, rblHull** out);
void rbl_hull_free(rblHull* hull, const rblAllocator* allocator);

// The vertex farthest along a direction, the first of several.
uint32_t rbl_hull_support(const rblHull* hull, rblVec3 direction);
// How high a point is above the face that it is highest above: inside its distance, outside no more than that.
float rbl_hull_height(const rblHull* hull, rblVec3 point);
float rbl_hull_distance(const rblHull* hull, rblVec3 point, rblVec3* gradient);
bool rbl_hull_ray(const rblHull* hull, const rblRay* ray, rblShapeHit* hit);
bool rbl_sample_hull(const rblHull* hull, rblPointArray* out);

#endif
