#include "field/decompose/plane_choice.h"

#include "base/error.h"
#include "base/random.h"
#include "base/sort.h"
#include "math/aabb.h"

// ---- tuning ----
#define EDGES 16 // concave edges of a part that give planes, at most
// Of two planes with equal hulls the one that halves the part is better by this share of its volume.
#define BALANCE 0.01
// Relative to the volume of the part; a plane with less on one side does not cut.
#define LEAST_SIDE 1e-4
// Times the snap distance: points in floats that are closer to a plane may be in it.
#define ROUNDING 1e3
// Sine of the angle of an edge that counts as concave.
#define LEAST_SINE 0.05

// Shares of the volume of the part by which planes must be better than planes along faces and axes. Such planes leave pieces that later
// cuts fit less well.
#define BETWEEN_FACES    0.01
#define RANDOM_DIRECTION 0.02

typedef struct Candidate
{
    rblCutPlane plane;
    double handicap;
} Candidate;
typedef RBL_ARRAY(Candidate) Candidates;

// ---- concave edges ----

typedef struct MeshEdge
{
    uint32_t low, high; // vertices
    uint32_t face, opposite;
} MeshEdge;

static bool is_lower_edge(uint32_t a, uint32_t b, const void* context)
{
    const MeshEdge* edges = context;
    return edges[a].low != edges[b].low ? edges[a].low < edges[b].low : edges[a].high < edges[b].high;
}

static bool is_stronger(uint32_t a, uint32_t b, const void* context)
{
    const rblConcaveEdge* edges = context;
    return edges[a].strength > edges[b].strength;
}

static rblVec3d face_normal(const rblMeshView* mesh, uint32_t face)
{
    const uint32_t* v = mesh->corner_vertices + mesh->face_starts[face];
    const rblVec3d a = mesh->positions[v[0]];
    const rblVec3d cross =
        rbl_cross3d(rbl_sub3d(mesh->positions[v[1]], a), rbl_sub3d(mesh->positions[v[2]], a));
    return rbl_normalize3d(cross, (rblVec3d){0, 0, 0});
}

static bool add_edge(const rblMeshView* mesh, rblVec3d center, const MeshEdge* a, const MeshEdge* b,
                     rblConcaveEdges* out)
{
    const rblVec3d from = mesh->positions[a->low];
    const rblVec3d to = mesh->positions[a->high];
    const rblVec3d normal_a = face_normal(mesh, a->face);
    const rblVec3d normal_b = face_normal(mesh, b->face);
    const double sine = rbl_length3d(rbl_cross3d(normal_a, normal_b));
    const double above = rbl_dot3d(normal_a, rbl_sub3d(mesh->positions[b->opposite], from));
    if (!(sine > LEAST_SINE) || !(above > 0.0))
    {
        return true;
    }
    const rblConcaveEdge edge = {rbl_sub3d(from, center),
                                 rbl_sub3d(to, center),
                                 {normal_a, normal_b},
                                 sine * rbl_distance3d(from, to)};
    return rbl_array_push(out, edge);
}

static void list_edges(const rblMeshView* mesh, MeshEdge* edges)
{
    for (uint32_t f = 0; f < mesh->face_count; ++f)
    {
        const uint32_t* v = mesh->corner_vertices + mesh->face_starts[f];
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t a = v[k];
            const uint32_t b = v[(k + 1) % 3];
            edges[3 * (size_t)f + k] = (MeshEdge){a < b ? a : b, a < b ? b : a, f, v[(k + 2) % 3]};
        }
    }
}

static rblResult sort_by_strength(rblConcaveEdges* edges)
{
    const size_t count = edges->count;
    const rblAllocator* allocator = edges->allocator;
    uint32_t* order = RBL_NEW_ARRAY(allocator, uint32_t, 2 * count + 1);
    rblConcaveEdge* sorted = RBL_NEW_ARRAY(allocator, rblConcaveEdge, count + 1);
    const bool ready = order != NULL && sorted != NULL;
    for (size_t i = 0; ready && i < count; ++i)
    {
        order[i] = (uint32_t)i;
    }
    if (ready)
    {
        rbl_sort_indices(order, order + count, count, is_stronger, edges->data);
    }
    for (size_t i = 0; ready && i < count; ++i)
    {
        sorted[i] = edges->data[order[i]];
    }
    for (size_t i = 0; ready && i < count; ++i)
    {
        edges->data[i] = sorted[i];
    }
    RBL_FREE_ARRAY(allocator, order, 2 * count + 1);
    RBL_FREE_ARRAY(allocator, sorted, count + 1);
    return ready ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_find_concave_edges(const rblMeshView* mesh, rblVec3d center, rblConcaveEdges* out)
{
    const size_t count = mesh->corner_count;
    const rblAllocator* allocator = out->allocator;
    MeshEdge* edges = RBL_NEW_ARRAY(allocator, MeshEdge, count);
    uint32_t* order = RBL_NEW_ARRAY(allocator, uint32_t, 2 * count);
    bool stored = edges != NULL && order != NULL;
    if (stored)
    {
        list_edges(mesh, edges);
        for (size_t i = 0; i < count; ++i)
        {
            order[i] = (uint32_t)i;
        }
        rbl_sort_indices(order, order + count, count, is_lower_edge, edges);
    }
    for (size_t i = 1; stored && i < count; ++i)
    {
        const MeshEdge* a = &edges[order[i - 1]];
        const MeshEdge* b = &edges[order[i]];
        stored = a->low != b->low || a->high != b->high || add_edge(mesh, center, a, b, out);
    }
    RBL_FREE_ARRAY(allocator, edges, count);
    RBL_FREE_ARRAY(allocator, order, 2 * count);
    return stored ? sort_by_strength(out) : rbl_fail_memory();
}

// ---- candidates ----

static bool add_plane(Candidates* planes, rblVec3d normal, rblVec3d point, double handicap)
{
    const rblVec3d unit = rbl_normalize3d(normal, (rblVec3d){0, 0, 0});
    const Candidate candidate = {{unit, rbl_dot3d(unit, point)}, handicap};
    return rbl_dot3d(unit, unit) == 0.0 || rbl_array_push(planes, candidate);
}

static bool add_axis_planes(const rblPlaneChoice* choice, rblAabbd box, Candidates* planes)
{
    static const rblVec3d axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool stored = true;
    for (int a = 0; a < 3; ++a)
    {
        for (uint32_t i = 1; stored && i < choice->resolution; ++i)
        {
            const double share = (double)i / (double)choice->resolution;
            stored = add_plane(planes, axes[a], rbl_lerp3d(box.lower, box.upper, share), 0.0);
        }
    }
    return stored;
}

static bool is_inside(const rblSolidPart* part, rblVec3d point, double snap)
{
    for (size_t i = 0; i < part->planes.count; ++i)
    {
        if (!(rbl_height_above(&part->planes.data[i], point, snap) < 0.0))
        {
            return false;
        }
    }
    return true;
}

static bool add_edge_planes(const rblPlaneChoice* choice, Candidates* planes)
{
    uint32_t used = 0;
    bool stored = true;
    for (size_t i = 0; stored && i < choice->edges->count && used < EDGES; ++i)
    {
        const rblConcaveEdge* edge = &choice->edges->data[i];
        const rblVec3d middle = rbl_lerp3d(edge->from, edge->to, 0.5);
        if (!is_inside(choice->part, middle, choice->snap))
        {
            continue;
        }
        const rblVec3d between = rbl_add3d(edge->normals[0], edge->normals[1]);
        used += 1;
        stored =
            add_plane(planes, edge->normals[0], middle, 0.0) &&
            add_plane(planes, edge->normals[1], middle, 0.0) &&
            add_plane(planes, rbl_cross3d(rbl_sub3d(edge->to, edge->from), between), middle, BETWEEN_FACES);
    }
    return stored;
}

static bool add_random_planes(const rblPlaneChoice* choice, rblAabbd box, Candidates* planes)
{
    rblRandom random = rbl_random_seed(choice->seed, choice->part->planes.count);
    const rblVec3d center = rbl_aabbd_center(box);
    bool stored = true;
    for (uint32_t i = 0; stored && i < choice->resolution; ++i)
    {
        const double x = rbl_random_range(&random, -1.0, 1.0);
        const double y = rbl_random_range(&random, -1.0, 1.0);
        const double z = rbl_random_range(&random, -1.0, 1.0);
        stored = add_plane(planes, (rblVec3d){x, y, z}, center, RANDOM_DIRECTION);
    }
    return stored;
}

// ---- scores ----

typedef struct Scoring
{
    const rblPlaneChoice* choice;
    const Candidates* planes;
    double* scores; // infinite: the plane does not cut
    rblResult* results;
} Scoring;

// The volume behind a plane. With the origin in the plane its cap has no volume.
static double volume_behind(const rblSoup* soup, const rblCutPlane* plane, double snap)
{
    const rblVec3d origin = rbl_scale3d(plane->normal, plane->offset);
    double sum = 0.0;
    for (size_t i = 0; i < soup->count; ++i)
    {
        rblVec3d p[4];
        bool on[4];
        const uint32_t count = rbl_clip_triangle(&soup->data[i], plane, snap, p, on);
        for (uint32_t k = 2; k < count; ++k)
        {
            const rblVec3d a = rbl_sub3d(p[0], origin);
            sum += rbl_dot3d(a, rbl_cross3d(rbl_sub3d(p[k - 1], origin), rbl_sub3d(p[k], origin)));
        }
    }
    return sum / 6.0;
}

// Corners in the plane count on a side where the triangle is.
static bool list_triangle_points(const rblSoupTriangle* triangle, const rblCutPlane* plane, double snap,
                                 rblPointArray sides[2])
{
    const rblVec3d* p = triangle->p;
    const double heights[3] = {rbl_height_above(plane, p[0], snap), rbl_height_above(plane, p[1], snap),
                               rbl_height_above(plane, p[2], snap)};
    const bool below = heights[0] < 0.0 || heights[1] < 0.0 || heights[2] < 0.0;
    const bool above = heights[0] > 0.0 || heights[1] > 0.0 || heights[2] > 0.0;
    bool stored = true;
    for (int k = 0; stored && k < 3; ++k)
    {
        const int next = k < 2 ? k + 1 : 0;
        if (heights[k] == 0.0)
        {
            const rblVec3 corner = rbl_to_float3(p[k]);
            stored = (!below || rbl_array_push(&sides[0], corner)) &&
                     (!above || rbl_array_push(&sides[1], corner));
        }
        if (stored && heights[k] < 0.0 && heights[next] > 0.0) // the neighbour's edge runs the other way
        {
            const rblVec3 crossing =
                rbl_to_float3(rbl_edge_crossing(p[k], p[next], heights[k], heights[next]));
            stored = rbl_array_push(&sides[0], crossing) && rbl_array_push(&sides[1], crossing);
        }
    }
    return stored;
}

static bool list_side_points(const rblPlaneChoice* choice, const rblCutPlane* plane, rblPointArray sides[2])
{
    const rblSolidPart* part = choice->part;
    bool stored = true;
    for (size_t i = 0; stored && i < part->points.count; ++i)
    {
        const rblVec3 p = part->points.data[i];
        const double height = rbl_height_above(plane, rbl_to_double3(p), ROUNDING * choice->snap);
        stored = height == 0.0 || rbl_array_push(&sides[height > 0.0], p);
    }
    for (size_t i = 0; stored && i < part->surface.count; ++i)
    {
        stored = list_triangle_points(&part->surface.data[i], plane, choice->snap, sides);
    }
    return stored;
}

static rblResult score_plane(const rblPlaneChoice* choice, const Candidate* candidate, double* score)
{
    const rblCutPlane* plane = &candidate->plane;
    const rblSolidPart* part = choice->part;
    const double behind =
        volume_behind(&part->surface, plane, choice->snap) + volume_behind(&part->caps, plane, choice->snap);
    const double least = LEAST_SIDE * part->volume;
    *score = (double)INFINITY;
    if (!(behind > least) || !(behind < part->volume - least))
    {
        return RBL_OK;
    }
    rblPointArray sides[2];
    double hulls[2] = {0.0, 0.0};
    rbl_array_init(&sides[0], choice->allocator);
    rbl_array_init(&sides[1], choice->allocator);
    rblResult result = list_side_points(choice, plane, sides) ? RBL_OK : rbl_fail_memory();
    for (int k = 0; k < 2 && result == RBL_OK; ++k)
    {
        result = rbl_points_hull_volume(sides[k].data, (uint32_t)sides[k].count, choice->allocator, NULL,
                                        &hulls[k]);
    }
    rbl_array_free(&sides[0]);
    rbl_array_free(&sides[1]);
    *score = hulls[0] + hulls[1] + BALANCE * fabs(part->volume - 2.0 * behind) +
             candidate->handicap * part->volume;
    return result;
}

static void score_planes(rblRange range, void* context)
{
    const Scoring* scoring = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        scoring->results[i] = score_plane(scoring->choice, &scoring->planes->data[i], &scoring->scores[i]);
    }
}

static rblResult choose_best(const rblPlaneChoice* choice, const Candidates* planes, rblCutPlane* out,
                             bool* found)
{
    const size_t count = planes->count;
    double* scores = RBL_NEW_ARRAY(choice->allocator, double, count);
    rblResult* results = RBL_NEW_ARRAY(choice->allocator, rblResult, count);
    rblResult result = scores != NULL && results != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        Scoring scoring = {choice, planes, scores, results};
        rbl_parallel_for(choice->jobs, (uint32_t)count, 1, score_planes, &scoring);
        double best = (double)INFINITY;
        for (size_t i = 0; i < count && result == RBL_OK; ++i)
        {
            result = results[i] == RBL_OK ? RBL_OK : rbl_fail_memory();
            if (scores[i] < best)
            {
                best = scores[i];
                *out = planes->data[i].plane;
                *found = true;
            }
        }
    }
    RBL_FREE_ARRAY(choice->allocator, scores, count);
    RBL_FREE_ARRAY(choice->allocator, results, count);
    return result;
}

rblResult rbl_choose_plane(const rblPlaneChoice* choice, rblCutPlane* out, bool* found)
{
    rblAabbd box = rbl_aabbd_empty();
    Candidates planes;
    rbl_array_init(&planes, choice->allocator);
    for (size_t i = 0; i < choice->part->points.count; ++i)
    {
        box = rbl_aabbd_add(box, rbl_to_double3(choice->part->points.data[i]));
    }
    *found = false;
    rblResult result = RBL_OK;
    if (choice->part->points.count > 0)
    {
        const bool stored = add_edge_planes(choice, &planes) && add_axis_planes(choice, box, &planes) &&
                            add_random_planes(choice, box, &planes);
        result = stored ? choose_best(choice, &planes, out, found) : rbl_fail_memory();
    }
    rbl_array_free(&planes);
    return result;
}
