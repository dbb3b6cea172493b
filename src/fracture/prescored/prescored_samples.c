// Samples of fragments: those of the solid by piece, and new ones on the crack faces.
#include "base/error.h"
#include "base/hash_map.h"
#include "base/sort.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <string.h>

#define OWNER_RANGE 256u // samples per block of the parallel loop
#define MAX_STEPS   64u  // samples along an edge, and along each axis of a face
#define FACE_SPACING                                                                                         \
    1.5 // spacing inside faces relative to that on edges: these samples matter less for contacts
#define FLATNESS                                                                                             \
    1e-6 // sine of the angle between planes that count as one; length relative to the piece's size that counts as 0

#define SHARPNESS 0.3 // the same sine where facets of many cells approximate a curved face

// ---- samples of the solid ----

void rbl_sorted_samples_free(rblSortedSamples* samples)
{
    RBL_FREE_ARRAY(samples->allocator, samples->points, samples->capacity);
    RBL_FREE_ARRAY(samples->allocator, samples->starts, (size_t)samples->piece_count + 1);
}

// The piece of each sample.
typedef struct OwnerJob
{
    const rblParts* parts;
    const rblVec3* samples;
    uint32_t* owners;
} OwnerJob;

static void find_owners(rblRange range, void* context)
{
    const OwnerJob* job = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        job->owners[i] = rbl_parts_locate(job->parts, rbl_to_double3(job->samples[i]));
    }
}

rblResult rbl_sort_samples(const rblParts* parts, rblJobs* jobs, rblSortedSamples* out)
{
    const rblShapeView* solid = parts->placing->solid;
    const uint32_t piece_count = parts->breakage->pieces->piece_count;
    const rblVec3* samples;
    uint32_t count;
    RBL_TRY(rbl_shape_samples(solid, &samples, &count));
    *out = (rblSortedSamples){
        .capacity = count, .piece_count = piece_count, .allocator = rbl_default_allocator()};
    uint32_t* owners = RBL_NEW_ARRAY(out->allocator, uint32_t, count);
    out->points = RBL_NEW_ARRAY(out->allocator, rblVec3, count);
    out->starts = rbl_alloc_zero(out->allocator, sizeof(uint32_t) * ((size_t)piece_count + 1));
    const bool good = owners != NULL && out->points != NULL && out->starts != NULL;
    if (good)
    {
        OwnerJob job = {parts, samples, owners};
        rbl_parallel_for(jobs, count, OWNER_RANGE, find_owners, &job);
    }
    for (uint32_t i = 0; good && i < count; ++i)
    {
        if (owners[i] != RBL_NONE)
        {
            out->starts[owners[i] + 1] += 1;
        }
    }
    for (uint32_t p = 0; good && p < piece_count; ++p)
    {
        out->starts[p + 1] += out->starts[p];
    }
    for (uint32_t i = 0; good && i < count; ++i)
    {
        if (owners[i] != RBL_NONE)
        {
            out->points[out->starts[owners[i]]++] = samples[i];
        }
    }
    for (uint32_t p = piece_count; good && p > 0; --p)
    {
        out->starts[p] = out->starts[p - 1];
    }
    if (good)
    {
        out->starts[0] = 0;
    }
    RBL_FREE_ARRAY(out->allocator, owners, count);
    if (!good)
    {
        rbl_sorted_samples_free(out);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

// ---- corners ----

// Twice the area vector (Newell).
static rblVec3d polygon_normal(const rblBreakage* breakage, const uint32_t* vertices, uint32_t count)
{
    const rblVec3d origin = rbl_breakage_position(breakage, vertices[0]);
    rblVec3d sum = {0, 0, 0};
    for (uint32_t k = 0; k < count; ++k)
    {
        const rblVec3d a = rbl_sub3d(rbl_breakage_position(breakage, vertices[k]), origin);
        const rblVec3d b = rbl_sub3d(rbl_breakage_position(breakage, vertices[(k + 1) % count]), origin);
        sum = rbl_add3d(sum, rbl_cross3d(a, b));
    }
    return sum;
}

bool rbl_visit_polygons(const rblParts* parts, uint32_t piece, rblPolygonFcn* visit, void* context)
{
    const rblPieces* pieces = parts->breakage->pieces;
    const rblPiece* p = &pieces->pieces[piece];
    bool good = true;
    for (uint32_t f = p->first_face; f < p->end_face && good; ++f)
    {
        for (uint32_t l = pieces->faces[f].first_loop; l < pieces->faces[f].end_loop && good; ++l)
        {
            const uint32_t begin = pieces->loop_starts[l];
            good = visit(pieces->corners + begin, pieces->loop_starts[l + 1] - begin, context);
        }
    }
    for (uint32_t t = p->first_triangle; t < p->end_triangle && good; ++t)
    {
        const uint32_t* corners = parts->corners.data + 3 * (size_t)pieces->triangles[t];
        const uint32_t* vertices = parts->breakage->surface.corner_vertices;
        good = visit((uint32_t[3]){vertices[corners[0]], vertices[corners[1]], vertices[corners[2]]}, 3,
                     context);
    }
    return good;
}

// A vertex in a polygon.
typedef struct Incidence
{
    uint32_t vertex;
    rblVec3d normal; // of the polygon, unit, whichever way
} Incidence;

typedef struct Gathering
{
    const rblBreakage* breakage;
    RBL_ARRAY(Incidence) list;
} Gathering;

static bool gather_polygon(const uint32_t* vertices, uint32_t count, void* context)
{
    Gathering* g = context;
    const rblVec3d normal =
        rbl_normalize3d(polygon_normal(g->breakage, vertices, count), (rblVec3d){0, 0, 0});
    for (uint32_t k = 0; k < count; ++k)
    {
        const Incidence incidence = {vertices[k], normal};
        if (!rbl_array_push(&g->list, incidence))
        {
            return false;
        }
    }
    return true;
}

static bool comes_before(uint32_t a, uint32_t b, const void* context)
{
    const Incidence* list = context;
    return list[a].vertex < list[b].vertex;
}

// Whether polygons of three planes meet: points within a face or an edge are no corners. `flat` is the sine of an angle
// between planes that count as one.
static bool is_corner(const Incidence* list, const uint32_t* order, uint32_t count, double flat)
{
    const rblVec3d first = list[order[0]].normal;
    rblVec3d across = {0, 0, 0};
    for (uint32_t i = 1; i < count; ++i)
    {
        const rblVec3d normal = list[order[i]].normal;
        const rblVec3d cross = rbl_cross3d(first, normal);
        if (rbl_length3d(across) < flat)
        {
            across = rbl_length3d(cross) >= flat ? rbl_normalize3d(cross, across) : across;
        }
        else if (fabs(rbl_dot3d(across, normal)) >= flat)
        {
            return true;
        }
    }
    return false;
}

// Cells that nearly meet in a point give corners that nearly coincide; the directions of edges between them are noise.
static bool has_corner_near(const rblSampleList* corners, size_t first, rblVec3 point, float radius)
{
    for (size_t i = first; i < corners->count; ++i)
    {
        const rblVec3 d = rbl_sub3(corners->data[i], point);
        if (rbl_dot3(d, d) <= radius * radius)
        {
            return true;
        }
    }
    return false;
}

static bool write_corners(const Gathering* g, const uint32_t* order, double flat, float nothing,
                          rblSampleList* out)
{
    const uint32_t count = (uint32_t)g->list.count;
    const size_t first = out->count;
    for (uint32_t begin = 0; begin < count;)
    {
        const uint32_t vertex = g->list.data[order[begin]].vertex;
        uint32_t end = begin;
        while (end < count && g->list.data[order[end]].vertex == vertex)
        {
            end += 1;
        }
        const rblVec3 position = rbl_to_float3(rbl_breakage_position(g->breakage, vertex));
        if (is_corner(g->list.data, order + begin, end - begin, flat) &&
            !has_corner_near(out, first, position, nothing) && !rbl_array_push(out, position))
        {
            return false;
        }
        begin = end;
    }
    return true;
}

static bool find_corners(const rblParts* parts, uint32_t piece, double flat, rblSampleList* out)
{
    const rblAllocator* allocator = parts->allocator;
    Gathering g = {.breakage = parts->breakage};
    rbl_array_init(&g.list, allocator);
    bool good = rbl_visit_polygons(parts, piece, gather_polygon, &g);
    const size_t count = g.list.count;
    uint32_t* order = RBL_NEW_ARRAY(allocator, uint32_t, 2 * count);
    good = good && order != NULL;
    if (good)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            order[i] = i;
        }
        rbl_sort_indices(order, order + count, (uint32_t)count, comes_before, g.list.data);
        const rblVec3d size = rbl_aabbd_size(parts->breakage->pieces->pieces[piece].bounds);
        good = write_corners(&g, order, flat, (float)(FLATNESS * rbl_length3d(size)), out);
    }
    RBL_FREE_ARRAY(allocator, order, 2 * count);
    rbl_array_free(&g.list);
    return good;
}

bool rbl_piece_corners(const rblParts* parts, uint32_t piece, rblSampleList* out)
{
    return find_corners(parts, piece, FLATNESS, out);
}

bool rbl_piece_sharp_corners(const rblParts* parts, uint32_t piece, rblSampleList* out)
{
    return find_corners(parts, piece, SHARPNESS, out);
}

// ---- crack faces ----

static uint32_t steps_over(double length, double spacing)
{
    const double steps = ceil(length / spacing);
    return steps < 1.0 ? 1 : steps > MAX_STEPS ? MAX_STEPS : (uint32_t)steps;
}

// From the vertex with the smaller number, so that two faces of an edge have the same samples; equal ones are kept once.
static bool sample_edge(const rblBreakage* breakage, uint32_t a, uint32_t b, double spacing,
                        rblSampleList* out)
{
    const rblVec3d from = rbl_breakage_position(breakage, a < b ? a : b);
    const rblVec3d to = rbl_breakage_position(breakage, a < b ? b : a);
    const uint32_t steps = steps_over(rbl_distance3d(from, to), spacing);
    for (uint32_t s = 0; s <= steps; ++s)
    {
        if (!rbl_array_push(out, rbl_to_float3(rbl_lerp3d(from, to, (double)s / steps))))
        {
            return false;
        }
    }
    return true;
}

// A crack face in axes of its own.
typedef struct Flat
{
    rblVec3d origin, u, v;
    double low[2], high[2];
} Flat;

static bool flatten(const rblBreakage* breakage, uint32_t begin, uint32_t end, Flat* flat)
{
    const rblPieces* pieces = breakage->pieces;
    const rblVec3d normal = polygon_normal(breakage, pieces->corners + begin, end - begin);
    const double length = rbl_length3d(normal);
    if (!(length > 0.0))
    {
        return false;
    }
    const rblVec3d n = rbl_scale3d(normal, 1.0 / length);
    const rblVec3d across =
        fabs(n.x) < 0.6 ? (rblVec3d){1, 0, 0} : (fabs(n.y) < 0.6 ? (rblVec3d){0, 1, 0} : (rblVec3d){0, 0, 1});
    flat->u = rbl_normalize3d(rbl_cross3d(n, across), (rblVec3d){1, 0, 0});
    flat->v = rbl_cross3d(n, flat->u);
    flat->origin = rbl_breakage_position(breakage, pieces->corners[begin]);
    flat->low[0] = flat->low[1] = flat->high[0] = flat->high[1] = 0.0;
    for (uint32_t k = begin; k < end; ++k)
    {
        const rblVec3d d = rbl_sub3d(rbl_breakage_position(breakage, pieces->corners[k]), flat->origin);
        const double at[2] = {rbl_dot3d(d, flat->u), rbl_dot3d(d, flat->v)};
        for (int i = 0; i < 2; ++i)
        {
            flat->low[i] = rbl_mind(at[i], flat->low[i]);
            flat->high[i] = rbl_maxd(at[i], flat->high[i]);
        }
    }
    return true;
}

// Even-odd over all loops of the face.
static bool is_in_face(const rblBreakage* breakage, const rblPieceFace* face, const Flat* flat, double x,
                       double y)
{
    const rblPieces* pieces = breakage->pieces;
    bool inside = false;
    for (uint32_t loop = face->first_loop; loop < face->end_loop; ++loop)
    {
        const uint32_t begin = pieces->loop_starts[loop];
        const uint32_t end = pieces->loop_starts[loop + 1];
        for (uint32_t k = begin; k < end; ++k)
        {
            const uint32_t next = k + 1 < end ? k + 1 : begin;
            const rblVec3d a = rbl_sub3d(rbl_breakage_position(breakage, pieces->corners[k]), flat->origin);
            const rblVec3d b =
                rbl_sub3d(rbl_breakage_position(breakage, pieces->corners[next]), flat->origin);
            const double ay = rbl_dot3d(a, flat->v);
            const double by = rbl_dot3d(b, flat->v);
            if ((ay > y) != (by > y))
            {
                const double ax = rbl_dot3d(a, flat->u);
                const double bx = rbl_dot3d(b, flat->u);
                inside ^= x < ax + (bx - ax) * (y - ay) / (by - ay);
            }
        }
    }
    return inside;
}

static bool sample_inside(const rblBreakage* breakage, const rblPieceFace* face, double spacing,
                          rblSampleList* out)
{
    const rblPieces* pieces = breakage->pieces;
    Flat flat;
    if (!flatten(breakage, pieces->loop_starts[face->first_loop], pieces->loop_starts[face->first_loop + 1],
                 &flat))
    {
        return true;
    }
    const uint32_t columns = steps_over(flat.high[0] - flat.low[0], spacing);
    const uint32_t rows = steps_over(flat.high[1] - flat.low[1], spacing);
    for (uint32_t i = 0; i < columns * rows; ++i)
    {
        const double x = flat.low[0] + (flat.high[0] - flat.low[0]) * ((double)(i % columns) + 0.5) / columns;
        const double y = flat.low[1] + (flat.high[1] - flat.low[1]) * ((double)(i / columns) + 0.5) / rows;
        const rblVec3d point = rbl_mul_add3d(rbl_mul_add3d(flat.origin, x, flat.u), y, flat.v);
        if (is_in_face(breakage, face, &flat, x, y) && !rbl_array_push(out, rbl_to_float3(point)))
        {
            return false;
        }
    }
    return true;
}

bool rbl_sample_cracks(const rblBreakage* breakage, uint32_t piece, double spacing, rblSampleList* out)
{
    const rblPieces* pieces = breakage->pieces;
    bool good = true;
    for (uint32_t f = pieces->pieces[piece].first_face; f < pieces->pieces[piece].end_face && good; ++f)
    {
        const rblPieceFace* face = &pieces->faces[f];
        if (face->triangle != RBL_NONE)
        {
            continue;
        }
        for (uint32_t loop = face->first_loop; loop < face->end_loop && good; ++loop)
        {
            const uint32_t begin = pieces->loop_starts[loop];
            const uint32_t end = pieces->loop_starts[loop + 1];
            for (uint32_t k = begin; k < end && good; ++k)
            {
                const uint32_t next = k + 1 < end ? k + 1 : begin;
                good = sample_edge(breakage, pieces->corners[k], pieces->corners[next], spacing, out);
            }
        }
        good = good && sample_inside(breakage, face, FACE_SPACING * spacing, out);
    }
    return good;
}
