// Polytope against polytope, exactly.
//
// The separation along a unit direction n is s(n) = min over b of n . x - max over a of n . x. If the polytopes
// overlap, the largest s over all directions is minus the depth. It is attained at a face of a, a face of b, or a pair
// of edges whose arcs cross on the Gauss map (Gregorius 2013). All these candidates are tested except those that cannot
// win:
//   with p in a and q in b, n between the normals of the tested faces, and depth(x, f) the distance of x behind face f,
//   s(n) <= |p - q| - depth(p, faces of a) - depth(q, faces of b); the smaller depth if an edge has two faces.
// The cache has a direction and a point from the last call. Any direction gives a lower bound of the best s, and any
// point gives p and q after it is moved inside. Good guesses prune more candidates, but the result does not depend on
// them: a candidate that could be chosen is never pruned.
#include "field/convex/convex_contact_axes.h"
#include "math/simd.h"

#define EDGES_AT_ONCE 64 // edges of a that are prepared together
// ---- supports ----

// min over b of n . x, relative to the origin of b.
static float min_of_b(const rblHullPair* pair, rblVec3 n)
{
    return -rbl_hull_reach(pair->b, rbl_neg3(rbl_mat3_apply_transposed(&pair->pose.rotation, n)));
}

void rbl_hulls_measure(const rblHullPair* pair, rblAxisGuess* guess)
{
    guess->reach_a = rbl_hull_reach(pair->a, guess->axis);
    guess->reach_b = -min_of_b(pair, guess->axis);
    guess->separation = rbl_dot3(guess->axis, pair->pose.offset) - guess->reach_b - guess->reach_a;
}

// The first vertex with n . v = reach.
static rblVec3 vertex_at(const rblHull* hull, rblVec3 n, float reach)
{
    const rblFloat4 x = rbl_splat4(n.x);
    const rblFloat4 y = rbl_splat4(n.y);
    const rblFloat4 z = rbl_splat4(n.z);
    const rblFloat4 level = rbl_splat4(reach);
    const float* v = hull->vertices;
    for (uint32_t b = 0; b < hull->vertex_blocks; ++b, v += 12)
    {
        const rblFloat4 dot = rbl_add4(rbl_add4(rbl_mul4(rbl_load4(v), x), rbl_mul4(rbl_load4(v + 4), y)),
                                       rbl_mul4(rbl_load4(v + 8), z));
        const uint32_t mask = rbl_mask4(rbl_less_equal4(level, dot));
        if (mask != 0)
        {
            return rbl_hull_vertex(hull, 4 * b + (mask & 1 ? 0 : (mask & 2 ? 1 : (mask & 4 ? 2 : 3))));
        }
    }
    return rbl_hull_vertex(hull, 0);
}

static float face_a_separation(const rblHullPair* pair, uint32_t face)
{
    const rblVec3 n = rbl_hull_normal(pair->a, face);
    return min_of_b(pair, n) + rbl_dot3(n, pair->pose.offset) - rbl_hull_offset(pair->a, face);
}

static float face_b_separation(const rblHullPair* pair, uint32_t face)
{
    const rblVec3 n = rbl_mat3_apply(&pair->pose.rotation, rbl_hull_normal(pair->b, face));
    return -rbl_hull_reach(pair->a, rbl_neg3(n)) - rbl_dot3(n, pair->pose.offset) -
           rbl_hull_offset(pair->b, face);
}

// ---- pruning ----

// Vertices are behind the planes of their faces only within rounding and the tolerance of merged faces. Pruning allows
// for this error.
static float flatness(const rblHullPair* pair)
{
    return 4.0f * pair->rounding + 16.0f * (float)RBL_HULL_FLATNESS * rbl_maxf(pair->a->size, pair->b->size);
}

// Depths of a point behind all faces; returns the smallest.
static float measure_depths(const rblHull* hull, rblVec3 x, float* depths)
{
    const rblFloat4 px = rbl_splat4(x.x);
    const rblFloat4 py = rbl_splat4(x.y);
    const rblFloat4 pz = rbl_splat4(x.z);
    rblFloat4 least = rbl_splat4(INFINITY);
    const float* f = hull->planes;
    for (uint32_t b = 0; b < hull->face_blocks; ++b, f += 16)
    {
        const rblFloat4 dot = rbl_add4(rbl_add4(rbl_mul4(rbl_load4(f), px), rbl_mul4(rbl_load4(f + 4), py)),
                                       rbl_mul4(rbl_load4(f + 8), pz));
        const rblFloat4 depth = rbl_sub4(rbl_load4(f + 12), dot);
        rbl_store4(depths + 4 * (size_t)b, depth);
        least = rbl_min4(depth, least);
    }
    float lanes[4];
    rbl_store4(lanes, least);
    return rbl_minf(rbl_minf(lanes[0], lanes[1]), rbl_minf(lanes[2], lanes[3]));
}

// If x is outside, it is moved towards the centre until it is inside: by the fraction t = outside / (outside + inner).
// Its depth is then at least (1 - t) depth + t inner.
static void measure_front(const rblHull* hull, rblVec3 x, rblVec3 vertex, rblHullFront* front)
{
    const float lowest = measure_depths(hull, x, front->depths);
    front->inwards = 0.0f;
    if (lowest < 0.0f)
    {
        const float t = -lowest / (hull->inner - lowest);
        const rblFloat4 keep = rbl_splat4(1.0f - t);
        const rblFloat4 gain = rbl_splat4(t * hull->inner);
        for (uint32_t b = 0; b < hull->face_blocks; ++b)
        {
            float* d = front->depths + 4 * (size_t)b;
            rbl_store4(d, rbl_add4(rbl_mul4(rbl_load4(d), keep), gain));
        }
        front->inwards = t * rbl_length3(rbl_sub3(hull->center, x));
    }
    front->vertex = vertex;
    measure_depths(hull, vertex, front->behind);
}

static void gather_faces(const rblHull* hull, float reach, rblHullFront* front)
{
    front->count = 0;
    const rblFloat4 limit = rbl_splat4(reach);
    for (uint32_t b = 0; b < hull->face_blocks; ++b)
    {
        const uint32_t mask = rbl_mask4(rbl_less_equal4(rbl_load4(front->depths + 4 * (size_t)b), limit));
        for (uint32_t lane = 0; lane < 4 && mask >> lane != 0; ++lane)
        {
            const uint32_t face = 4 * b + lane;
            if ((mask >> lane & 1) != 0 && face < hull->face_count)
            {
                front->faces[front->count++] = (uint16_t)face;
            }
        }
    }
}

// ---- edges ----

// Edges of b in blocks of four, in the axes of a, with opposite normals: tail, direction, left normal, right normal (x,
// y, z each), and the depth behind them.
typedef struct EdgeBlock
{
    float values[13][4];
} EdgeBlock;

enum
{
    TAIL = 0,
    ALONG = 3,
    LEFT = 6,
    RIGHT = 9,
    DEPTH = 12
};

typedef struct EdgeOfA
{
    rblVec3 tail, along, left, right;
    float depth;
    uint32_t index;
} EdgeOfA;

// Indices of the edges that may win.
typedef struct EdgeLists
{
    uint16_t a[3 * RBL_HULL_MAX_VERTICES];
    uint16_t b[3 * RBL_HULL_MAX_VERTICES];
    uint32_t count_a, count_b;
} EdgeLists;

static float edge_depth(const rblHull* hull, const rblHullFront* front, uint32_t edge)
{
    return rbl_minf(front->depths[hull->edges[edge].left], front->depths[hull->edges[edge].right]);
}

static EdgeOfA edge_of_a(const rblHullPair* pair, const rblHullFront* front, uint32_t edge)
{
    const rblHullEdge e = pair->a->edges[edge];
    const rblVec3 tail = rbl_hull_vertex(pair->a, e.tail);
    return (EdgeOfA){tail,
                     rbl_sub3(rbl_hull_vertex(pair->a, e.head), tail),
                     rbl_hull_normal(pair->a, e.left),
                     rbl_hull_normal(pair->a, e.right),
                     edge_depth(pair->a, front, edge),
                     edge};
}

static void put_lane(EdgeBlock* block, uint32_t row, uint32_t lane, rblVec3 v)
{
    block->values[row][lane] = v.x;
    block->values[row + 1][lane] = v.y;
    block->values[row + 2][lane] = v.z;
}

static void turn_rows(EdgeBlock* block, uint32_t row, const rblMat3* rotation, rblVec3 offset, float sign)
{
    const rblFloat4 x = rbl_load4(block->values[row]);
    const rblFloat4 y = rbl_load4(block->values[row + 1]);
    const rblFloat4 z = rbl_load4(block->values[row + 2]);
    const float rows[3][4] = {{rotation->cx.x, rotation->cy.x, rotation->cz.x, offset.x},
                              {rotation->cx.y, rotation->cy.y, rotation->cz.y, offset.y},
                              {rotation->cx.z, rotation->cy.z, rotation->cz.z, offset.z}};
    for (uint32_t i = 0; i < 3; ++i)
    {
        const rblFloat4 sum = rbl_add4(
            rbl_add4(rbl_mul4(rbl_splat4(sign * rows[i][0]), x), rbl_mul4(rbl_splat4(sign * rows[i][1]), y)),
            rbl_add4(rbl_mul4(rbl_splat4(sign * rows[i][2]), z), rbl_splat4(rows[i][3])));
        rbl_store4(block->values[row + i], sum);
    }
}

static void fill_block(const rblHullPair* pair, const rblHullFront* front, const uint16_t* edges,
                       uint32_t count, EdgeBlock* block)
{
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        const uint32_t edge = edges[lane < count ? lane : 0];
        const rblHullEdge e = pair->b->edges[edge];
        const rblVec3 tail = rbl_hull_vertex(pair->b, e.tail);
        put_lane(block, TAIL, lane, tail);
        put_lane(block, ALONG, lane, rbl_sub3(rbl_hull_vertex(pair->b, e.head), tail));
        put_lane(block, LEFT, lane, rbl_hull_normal(pair->b, e.left));
        put_lane(block, RIGHT, lane, rbl_hull_normal(pair->b, e.right));
        block->values[DEPTH][lane] = lane < count ? edge_depth(pair->b, front, edge) : INFINITY;
    }
    const rblVec3 none = {0, 0, 0};
    turn_rows(block, TAIL, &pair->pose.rotation, pair->pose.offset, 1.0f);
    turn_rows(block, ALONG, &pair->pose.rotation, none, 1.0f);
    turn_rows(block, LEFT, &pair->pose.rotation, none, -1.0f);
    turn_rows(block, RIGHT, &pair->pose.rotation, none, -1.0f);
}

// Edges of the remaining faces, each once: listed by its only remaining face, or by the first of two. The vertex of the
// other hull must not be behind both faces by more than `behind`.
static uint32_t front_edges(const rblHull* hull, const rblHullFront* front, float reach, float behind,
                            uint16_t* edges)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < front->count; ++i)
    {
        const uint32_t face = front->faces[i];
        if (front->depths[face] > reach)
        {
            continue;
        }
        for (uint32_t c = hull->face_starts[face]; c < hull->face_starts[face + 1]; ++c)
        {
            const rblHullEdge* e = &hull->edges[hull->corner_edges[c]];
            const uint32_t other = e->left == face ? e->right : e->left;
            if ((face < other || front->depths[other] > reach) &&
                rbl_minf(front->behind[face], front->behind[other]) <= behind)
            {
                edges[count++] = hull->corner_edges[c];
            }
        }
    }
    return count;
}

static rblFloat4 dot_rows(const EdgeBlock* block, uint32_t row, rblVec3 v)
{
    return rbl_add4(rbl_add4(rbl_mul4(rbl_load4(block->values[row]), rbl_splat4(v.x)),
                             rbl_mul4(rbl_load4(block->values[row + 1]), rbl_splat4(v.y))),
                    rbl_mul4(rbl_load4(block->values[row + 2]), rbl_splat4(v.z)));
}

// Mask of the four edges of b whose arc on the sphere of directions crosses that of a and that may still win.
static uint32_t crossing_arcs(const EdgeOfA* a, const EdgeBlock* block, float reach)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 in_reach = rbl_less_equal4(rbl_load4(block->values[DEPTH]), rbl_splat4(reach - a->depth));
    const rblFloat4 left_b = dot_rows(block, LEFT, a->along);
    const rblFloat4 right_b = dot_rows(block, RIGHT, a->along);
    const rblFloat4 left_a = dot_rows(block, ALONG, a->left);
    const rblFloat4 right_a = dot_rows(block, ALONG, a->right);
    const rblFloat4 b_parted = rbl_less4(rbl_mul4(left_b, right_b), zero);
    const rblFloat4 a_parted = rbl_less4(rbl_mul4(left_a, right_a), zero);
    const rblFloat4 same_half = rbl_less4(zero, rbl_mul4(left_b, right_a));
    return rbl_mask4(rbl_and4(rbl_and4(in_reach, b_parted), rbl_and4(a_parted, same_half)));
}

static rblVec3 lane_of(const EdgeBlock* block, uint32_t row, uint32_t lane)
{
    return (rblVec3){block->values[row][lane], block->values[row + 1][lane], block->values[row + 2][lane]};
}

static void test_edges(const EdgeOfA* a, const EdgeBlock* block, uint32_t lane, uint32_t edge_b,
                       rblHullAxes* axes)
{
    const rblVec3 along = lane_of(block, ALONG, lane);
    const rblVec3 cross = rbl_cross3(a->along, along);
    const float squared = rbl_dot3(cross, cross);
    if (!(squared > 1e-8f * rbl_dot3(a->along, a->along) * rbl_dot3(along, along)))
    {
        return; // parallel edges: the faces next to them have the same direction
    }
    const float sign = rbl_dot3(cross, rbl_add3(a->left, a->right)) < 0.0f ? -1.0f : 1.0f;
    const rblVec3 n = rbl_scale3(cross, sign / sqrtf(squared));
    const float s = rbl_dot3(n, rbl_sub3(lane_of(block, TAIL, lane), a->tail));
    // The order of pairs depends on pruning: the indices decide between equal ones.
    const bool first = a->index < axes->edge_a || (a->index == axes->edge_a && edge_b < axes->edge_b);
    if (s > axes->edges || (s == axes->edges && first))
    {
        axes->edges = s;
        axes->edge_a = a->index;
        axes->edge_b = edge_b;
        axes->edge_normal = n;
    }
}

// For n between the two normals of an edge, s(n) <= n . (q - tail) with q any point of the other hull. The maximum is
// at one of the normals, unless the projection of q is between them. Returns true if it is below `needed`.
static bool cannot_win(const rblHull* hull, uint32_t edge, rblVec3 q, float needed)
{
    const rblHullEdge e = hull->edges[edge];
    const rblVec3 tail = rbl_hull_vertex(hull, e.tail);
    const rblVec3 along = rbl_sub3(rbl_hull_vertex(hull, e.head), tail);
    const rblVec3 left = rbl_hull_normal(hull, e.left);
    const rblVec3 right = rbl_hull_normal(hull, e.right);
    const rblVec3 w = rbl_sub3(q, tail);
    if (rbl_maxf(rbl_dot3(left, w), rbl_dot3(right, w)) > needed)
    {
        return false;
    }
    // The derivative from each normal towards the other.
    return !(rbl_dot3(rbl_cross3(along, left), w) > 0.0f && rbl_dot3(rbl_cross3(right, along), w) > 0.0f);
}

static uint32_t drop_pruned(const rblHull* hull, uint16_t* edges, uint32_t count, rblVec3 q, float needed)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!cannot_win(hull, edges[i], q, needed))
        {
            edges[kept++] = edges[i];
        }
    }
    return kept;
}

static void test_all_edges(const rblHullPair* pair, const EdgeLists* lists, const rblHullFront* front_a,
                           const rblHullFront* front_b, float reach, rblHullAxes* axes)
{
    EdgeOfA records[EDGES_AT_ONCE];
    for (uint32_t begin = 0; begin < lists->count_a && lists->count_b > 0; begin += EDGES_AT_ONCE)
    {
        const uint32_t left = lists->count_a - begin;
        const uint32_t count = left < EDGES_AT_ONCE ? left : EDGES_AT_ONCE;
        for (uint32_t i = 0; i < count; ++i)
        {
            records[i] = edge_of_a(pair, front_a, lists->a[begin + i]);
        }
        for (uint32_t k = 0; k < lists->count_b; k += 4)
        {
            EdgeBlock block;
            fill_block(pair, front_b, lists->b + k, lists->count_b - k, &block);
            for (uint32_t i = 0; i < count; ++i)
            {
                uint32_t mask = crossing_arcs(&records[i], &block, reach);
                for (uint32_t lane = 0; mask != 0; ++lane, mask >>= 1)
                {
                    if ((mask & 1) != 0)
                    {
                        test_edges(&records[i], &block, lane, lists->b[k + lane], axes);
                    }
                }
            }
        }
    }
}

// Pairs of edges that beat the best face by the preference. The vertex of the other hull excludes most of them: if it
// is behind both faces of an edge by d, no direction between the two normals has a separation above -d. If it is in
// front of a face, a more exact test follows.
static void search_winning_edges(const rblHullPair* pair, float gathered, const rblHullFront* front_a,
                                 const rblHullFront* front_b, rblHullAxes* axes)
{
    const float face = rbl_maxf(axes->face_a, axes->face_b);
    const float needed = face + RBL_AXIS_PREFERENCE * pair->size;
    const float behind = rbl_maxf(-needed, 0.0f) + flatness(pair);
    // At most the reach for which faces were gathered.
    const float reach = rbl_minf(front_a->inwards + front_b->inwards - needed + flatness(pair), gathered);
    EdgeLists lists;
    lists.count_a = front_edges(pair->a, front_a, reach, behind, lists.a);
    if (needed > 0.0f)
    {
        lists.count_a = drop_pruned(pair->a, lists.a, lists.count_a, front_a->vertex, needed);
    }
    if (lists.count_a == 0)
    {
        return;
    }
    lists.count_b = front_edges(pair->b, front_b, reach, behind, lists.b);
    if (needed > 0.0f)
    {
        lists.count_b = drop_pruned(pair->b, lists.b, lists.count_b, front_b->vertex, needed);
    }
    test_all_edges(pair, &lists, front_a, front_b, reach, axes);
}

// ---- search ----

float rbl_hulls_uncertainty(const rblHullPair* pair, const rblAxisGuess* guess, rblHullFront* front_a,
                            rblHullFront* front_b)
{
    const rblVec3 axis_in_b = rbl_mat3_apply_transposed(&pair->pose.rotation, guess->axis);
    const rblVec3 of_a = vertex_at(pair->a, guess->axis, guess->reach_a);
    const rblVec3 of_b = vertex_at(pair->b, rbl_neg3(axis_in_b), guess->reach_b);
    measure_front(pair->a, guess->point, rbl_pose_point(&pair->pose, of_b), front_a);
    measure_front(pair->b, rbl_pose_inverse_point(&pair->pose, guess->point),
                  rbl_pose_inverse_point(&pair->pose, of_a), front_b);
    // A face of a may be preferred to a face of b, and that to a pair of edges: the chosen one may be worse than the
    // best by this much.
    const float window = 2.2f * rbl_axis_preference(pair, guess->separation,
                                                    0.55f * (RBL_EDGE_PREFERENCE + RBL_FACE_PREFERENCE));
    return front_a->inwards + front_b->inwards - guess->separation + window + flatness(pair);
}

static void search_faces_a(const rblHullPair* pair, const rblHullFront* front, float behind,
                           rblHullAxes* axes)
{
    const float slack = flatness(pair);
    for (uint32_t i = 0; i < front->count; ++i)
    {
        const uint32_t face = front->faces[i];
        if (front->behind[face] > rbl_minf(behind, slack - axes->face_a))
        {
            continue; // cannot win: the vertex of the other hull is too far behind it
        }
        const float s = face_a_separation(pair, face);
        if (s > axes->face_a)
        {
            axes->face_a = s;
            axes->on_face_a = face;
        }
    }
}

static void search_faces_b(const rblHullPair* pair, const rblHullFront* front, float behind,
                           rblHullAxes* axes)
{
    const float slack = flatness(pair);
    for (uint32_t i = 0; i < front->count; ++i)
    {
        const uint32_t face = front->faces[i];
        if (front->behind[face] > rbl_minf(behind, slack - axes->face_b))
        {
            continue; // cannot win: the vertex of the other hull is too far behind it
        }
        const float s = face_b_separation(pair, face);
        if (s > axes->face_b)
        {
            axes->face_b = s;
            axes->on_face_b = face;
        }
    }
}

// Whether the projection of a vertex is inside a face: between the planes through the edges of the face.
static bool is_over_face(const rblHull* hull, uint32_t face, rblVec3 vertex)
{
    const rblVec3 normal = rbl_hull_normal(hull, face);
    const uint32_t end = hull->face_starts[face + 1];
    rblVec3 tail = rbl_hull_vertex(hull, hull->corner_vertices[end - 1]);
    for (uint32_t c = hull->face_starts[face]; c < end; ++c)
    {
        const rblVec3 head = rbl_hull_vertex(hull, hull->corner_vertices[c]);
        const rblVec3 inwards = rbl_cross3(normal, rbl_sub3(head, tail));
        if (!(rbl_dot3(inwards, rbl_sub3(vertex, tail)) > 0.0f))
        {
            return false;
        }
        tail = head;
    }
    return true;
}

// Whether the best face gives the distance of two separate hulls: the nearest vertex of the other hull is above the
// inside of the face. Then no direction has a larger separation, and pairs of edges need no test.
static bool face_is_nearest(const rblHullPair* pair, const rblHullAxes* axes)
{
    if (axes->face_a >= axes->face_b)
    {
        const rblVec3 down = rbl_neg3(
            rbl_mat3_apply_transposed(&pair->pose.rotation, rbl_hull_normal(pair->a, axes->on_face_a)));
        const rblVec3 lowest = rbl_hull_vertex(pair->b, rbl_hull_support(pair->b, down));
        return is_over_face(pair->a, axes->on_face_a, rbl_pose_point(&pair->pose, lowest));
    }
    const rblVec3 down =
        rbl_neg3(rbl_mat3_apply(&pair->pose.rotation, rbl_hull_normal(pair->b, axes->on_face_b)));
    const rblVec3 lowest = rbl_hull_vertex(pair->a, rbl_hull_support(pair->a, down));
    return is_over_face(pair->b, axes->on_face_b, rbl_pose_inverse_point(&pair->pose, lowest));
}

void rbl_hulls_search(const rblHullPair* pair, float reach, rblHullFront* front_a, rblHullFront* front_b,
                      rblHullAxes* axes)
{
    *axes = (rblHullAxes){-INFINITY, -INFINITY, -INFINITY, 0, 0, 0, 0, {0, 1, 0}};
    const float behind = reach - front_a->inwards - front_b->inwards;
    gather_faces(pair->a, reach, front_a);
    gather_faces(pair->b, reach, front_b);
    search_faces_a(pair, front_a, behind, axes);
    search_faces_b(pair, front_b, behind, axes);
    const float best = rbl_maxf(axes->face_a, axes->face_b);
    if (best <= pair->margin + pair->rounding && !(best > 0.0f && face_is_nearest(pair, axes)))
    {
        search_winning_edges(pair, reach, front_a, front_b, axes);
    }
}

bool rbl_hulls_next_edges(const rblHullPair* pair, rblHullFront* front_a, rblHullFront* front_b,
                          rblHullAxes* axes)
{
    const float face = rbl_maxf(axes->face_a, axes->face_b);
    const float needed = face - rbl_axis_preference(pair, face, RBL_EDGE_PREFERENCE);
    const float reach = front_a->inwards + front_b->inwards - needed + flatness(pair);
    gather_faces(pair->a, reach, front_a);
    gather_faces(pair->b, reach, front_b);
    EdgeLists lists;
    lists.count_a = front_edges(pair->a, front_a, reach, INFINITY, lists.a);
    lists.count_b = front_edges(pair->b, front_b, reach, INFINITY, lists.b);
    axes->edges = -INFINITY;
    test_all_edges(pair, &lists, front_a, front_b, reach, axes);
    return axes->edges >= needed;
}
