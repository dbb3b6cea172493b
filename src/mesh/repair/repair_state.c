// The working copy of mesh repair: faces as ranges of corners in one pool. A changed face gets new corners at the end
// of the pool; rbl_repair_compact() removes the unused ones.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include <string.h>

static rblResult copy_source(rblRepair* r)
{
    const rblMeshView* source = r->source;
    r->welded = rbl_alloc_zero(r->allocator, source->vertex_count);
    if ((r->welded == NULL && source->vertex_count > 0) ||
        !rbl_array_resize(&r->positions, source->vertex_count) ||
        !rbl_array_resize(&r->faces, source->face_count) ||
        !rbl_array_resize(&r->corners, source->corner_count) || !rbl_array_push(&r->blend_starts, 0))
    {
        return rbl_fail_memory();
    }
    memcpy(r->positions.data, source->positions, sizeof *source->positions * source->vertex_count);
    for (uint32_t f = 0; f < source->face_count; ++f)
    {
        r->faces.data[f] =
            (rblRepairFace){source->face_starts[f], rbl_face_size(source, f), f, RBL_NONE, false};
        for (uint32_t c = source->face_starts[f]; c < source->face_starts[f + 1]; ++c)
        {
            r->corners.data[c] = (rblRepairCorner){source->corner_vertices[c], c, f, RBL_NONE};
        }
    }
    return RBL_OK;
}

rblResult rbl_repair_init(rblRepair* r, const rblMeshView* source, const rblRepairOptions* options,
                          const rblAllocator* allocator, rblRepairReport* report)
{
    *r = (rblRepair){.source = source, .allocator = allocator, .options = *options, .report = report};
    r->tolerance = options->weld_distance > 0 ? options->weld_distance : 0;
    rbl_array_init(&r->positions, allocator);
    rbl_array_init(&r->faces, allocator);
    rbl_array_init(&r->corners, allocator);
    rbl_array_init(&r->blend_terms, allocator);
    rbl_array_init(&r->blend_starts, allocator);
    rbl_arena_init(&r->scratch, (size_t)1 << 16, allocator);
    const rblResult result = copy_source(r);
    if (result != RBL_OK)
    {
        rbl_repair_free(r);
    }
    return result;
}

void rbl_repair_free(rblRepair* r)
{
    RBL_FREE_ARRAY(r->allocator, r->welded, r->source->vertex_count);
    r->welded = NULL;
    rbl_array_free(&r->positions);
    rbl_array_free(&r->faces);
    rbl_array_free(&r->corners);
    rbl_array_free(&r->blend_terms);
    rbl_array_free(&r->blend_starts);
    rbl_arena_free(&r->scratch);
}

// Whether one more index is available besides the two special values of mesh/topology.h.
static bool fits_index(size_t count)
{
    return count < UINT32_MAX - 2;
}

static rblResult fail_limit(void)
{
    return rbl_fail(RBL_ERROR_LIMIT, "repair: too many elements, must be at most 2^32 - 3");
}

rblResult rbl_repair_add_face(rblRepair* r, uint32_t source, uint32_t* out)
{
    if (!fits_index(r->faces.count) || !fits_index(r->corners.count))
    {
        return fail_limit();
    }
    const rblRepairFace face = {(uint32_t)r->corners.count, 0, source, RBL_NONE, false};
    if (!rbl_array_push(&r->faces, face))
    {
        return rbl_fail_memory();
    }
    *out = (uint32_t)(r->faces.count - 1);
    return RBL_OK;
}

rblResult rbl_repair_add_corner(rblRepair* r, uint32_t face, uint32_t vertex, uint32_t source)
{
    if (!fits_index(r->corners.count))
    {
        return fail_limit();
    }
    const rblRepairCorner corner = {vertex, source, face, RBL_NONE};
    if (!rbl_array_push(&r->corners, corner))
    {
        return rbl_fail_memory();
    }
    r->faces.data[face].size += 1;
    return RBL_OK;
}

rblResult rbl_repair_add_vertex(rblRepair* r, rblVec3d position, uint32_t* out)
{
    if (!fits_index(r->positions.count))
    {
        return fail_limit();
    }
    if (!rbl_array_push(&r->positions, position))
    {
        return rbl_fail_memory();
    }
    *out = (uint32_t)(r->positions.count - 1);
    return RBL_OK;
}

// Add weight * (attributes of `source`) to the current blend, whose terms start at `begin`.
static bool add_terms(rblRepair* r, size_t begin, uint32_t source, double weight)
{
    const uint32_t corners = r->source->corner_count;
    const bool plain = source < corners;
    const uint32_t first = plain ? 0 : r->blend_starts.data[source - corners];
    const uint32_t end = plain ? 1 : r->blend_starts.data[source - corners + 1];
    for (uint32_t i = first; i < end; ++i)
    {
        const rblBlendTerm whole = {source, 1.0};
        rblBlendTerm term = plain ? whole : r->blend_terms.data[i];
        term.weight *= weight;
        size_t k = begin;
        while (k < r->blend_terms.count && r->blend_terms.data[k].corner != term.corner)
        {
            k += 1;
        }
        if (k < r->blend_terms.count)
        {
            r->blend_terms.data[k].weight += term.weight;
        }
        else if (!rbl_array_push(&r->blend_terms, term))
        {
            return false;
        }
    }
    return true;
}

static rblResult close_blend(rblRepair* r, uint32_t* out)
{
    const size_t number = r->blend_starts.count - 1;
    if (!fits_index(r->source->corner_count + number) || !fits_index(r->blend_terms.count))
    {
        return fail_limit();
    }
    if (!rbl_array_push(&r->blend_starts, (uint32_t)r->blend_terms.count))
    {
        return rbl_fail_memory();
    }
    *out = (uint32_t)(r->source->corner_count + number);
    return RBL_OK;
}

rblResult rbl_repair_blend(rblRepair* r, uint32_t first, uint32_t second, double t, uint32_t* out)
{
    if (first == second || r->source->layer_count == 0)
    {
        *out = first;
        return RBL_OK;
    }
    const size_t begin = r->blend_terms.count;
    if (!add_terms(r, begin, first, 1.0 - t) || !add_terms(r, begin, second, t))
    {
        return rbl_fail_memory();
    }
    return close_blend(r, out);
}

rblResult rbl_repair_mean(rblRepair* r, const uint32_t* sources, uint32_t count, uint32_t* out)
{
    if (r->source->layer_count == 0)
    {
        *out = sources[0];
        return RBL_OK;
    }
    // At most about 64 neighbours are used: more of them change nothing visible, but cost time.
    const uint32_t stride = count / 64 + 1;
    const size_t begin = r->blend_terms.count;
    const double weight = 1.0 / (double)((count + stride - 1) / stride);
    for (uint32_t i = 0; i < count; i += stride)
    {
        if (!add_terms(r, begin, sources[i], weight))
        {
            return rbl_fail_memory();
        }
    }
    return close_blend(r, out);
}

// Copy the corners of the remaining faces to the front of `swept`, and store the new index of each.
static uint32_t sweep_corners(rblRepair* r, rblRepairCorner* swept, uint32_t* moved)
{
    uint32_t corners = 0;
    uint32_t faces = 0;
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        rblRepairFace face = r->faces.data[f];
        if (face.size == 0)
        {
            continue;
        }
        for (uint32_t i = 0; i < face.size; ++i)
        {
            swept[corners + i] = r->corners.data[face.begin + i];
            swept[corners + i].face = faces;
            moved[face.begin + i] = corners + i;
        }
        face.begin = corners;
        corners += face.size;
        r->faces.data[faces++] = face;
    }
    r->faces.count = faces;
    return corners;
}

rblResult rbl_repair_compact(rblRepair* r)
{
    rblRepairCorner* swept = RBL_SCRATCH(r, rblRepairCorner, r->corners.count);
    uint32_t* moved = RBL_SCRATCH(r, uint32_t, r->corners.count);
    if (swept == NULL || moved == NULL)
    {
        return rbl_fail_memory();
    }
    memset(moved, 0xFF, sizeof *moved * r->corners.count);
    r->corners.count = sweep_corners(r, swept, moved);
    for (size_t c = 0; c < r->corners.count; ++c)
    {
        r->corners.data[c] = swept[c];
        r->corners.data[c].twin = swept[c].twin != RBL_NONE ? moved[swept[c].twin] : RBL_NONE;
    }
    return RBL_OK;
}

// An end of an edge as the name of its vertex, or the vertex itself when `names` is null.
static uint32_t edge_end(const rblRepair* r, const uint32_t* names, uint32_t corner, bool higher)
{
    uint32_t a = rbl_repair_vertex(r, corner);
    uint32_t b = rbl_repair_vertex(r, rbl_repair_next(r, corner));
    if (names != NULL)
    {
        a = names[a];
        b = names[b];
    }
    return (a < b) == higher ? b : a;
}

// Stable counting sort of corners by one end of their edge.
static void sort_by_end(const rblRepair* r, const uint32_t* names, bool higher, const uint32_t* in,
                        uint32_t count, uint32_t* out, uint32_t* places)
{
    memset(places, 0, sizeof *places * (r->positions.count + 1));
    for (uint32_t i = 0; i < count; ++i)
    {
        places[edge_end(r, names, in[i], higher) + 1] += 1;
    }
    for (size_t v = 0; v < r->positions.count; ++v)
    {
        places[v + 1] += places[v];
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        out[places[edge_end(r, names, in[i], higher)]++] = in[i];
    }
}

static uint32_t list_corners(const rblRepair* r, uint32_t* out)
{
    uint32_t count = 0;
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        for (uint32_t i = 0; i < r->faces.data[f].size; ++i)
        {
            out[count++] = r->faces.data[f].begin + i;
        }
    }
    return count;
}

rblResult rbl_repair_edges(rblRepair* r, const uint32_t* names, rblRepairEdges* out)
{
    const size_t pool = r->corners.count;
    uint32_t* listed = RBL_SCRATCH(r, uint32_t, pool);
    uint32_t* sorted = RBL_SCRATCH(r, uint32_t, pool);
    uint32_t* places = RBL_SCRATCH(r, uint32_t, r->positions.count);
    uint32_t* starts = RBL_SCRATCH(r, uint32_t, pool);
    uint32_t* of_corner = RBL_SCRATCH(r, uint32_t, pool);
    if (listed == NULL || sorted == NULL || places == NULL || starts == NULL || of_corner == NULL)
    {
        return rbl_fail_memory();
    }
    const uint32_t count = list_corners(r, listed);
    sort_by_end(r, names, true, listed, count, sorted, places);
    sort_by_end(r, names, false, sorted, count, listed, places);
    uint32_t edges = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool first = i == 0 ||
                           edge_end(r, names, listed[i], false) != edge_end(r, names, listed[i - 1], false) ||
                           edge_end(r, names, listed[i], true) != edge_end(r, names, listed[i - 1], true);
        if (first)
        {
            starts[edges++] = i;
        }
        of_corner[listed[i]] = edges - 1;
    }
    starts[edges] = count;
    *out = (rblRepairEdges){edges, starts, listed, of_corner};
    return RBL_OK;
}

rblVec3d rbl_repair_normal_area2(const rblRepair* r, uint32_t face)
{
    const uint32_t begin = r->faces.data[face].begin;
    const rblVec3d origin = rbl_repair_position(r, begin);
    rblVec3d sum = {0, 0, 0};
    rblVec3d previous = rbl_sub3d(rbl_repair_position(r, begin + 1), origin);
    for (uint32_t i = 2; i < r->faces.data[face].size; ++i)
    {
        const rblVec3d next = rbl_sub3d(rbl_repair_position(r, begin + i), origin);
        sum = rbl_add3d(sum, rbl_cross3d(previous, next));
        previous = next;
    }
    return sum;
}

double rbl_repair_volume6(const rblRepair* r, uint32_t face, rblVec3d origin)
{
    // Relative to the mean of the corners, so that the result for a face that is not plane does not depend on its
    // first corner.
    const rblRepairFace* f = &r->faces.data[face];
    rblVec3d sum = {0, 0, 0};
    for (uint32_t i = 0; i < f->size; ++i)
    {
        sum = rbl_add3d(sum, rbl_sub3d(rbl_repair_position(r, f->begin + i), origin));
    }
    return rbl_dot3d(sum, rbl_repair_normal_area2(r, face)) / f->size;
}

static void spread_label(const rblRepair* r, uint32_t seed, uint32_t label, uint32_t* labels, uint32_t* stack)
{
    uint32_t count = 0;
    stack[count++] = seed;
    labels[seed] = label;
    while (count > 0)
    {
        const rblRepairFace* face = &r->faces.data[stack[--count]];
        for (uint32_t i = 0; i < face->size; ++i)
        {
            const uint32_t twin = r->corners.data[face->begin + i].twin;
            const uint32_t other = twin != RBL_NONE ? r->corners.data[twin].face : seed;
            if (labels[other] == RBL_NONE)
            {
                labels[other] = label;
                stack[count++] = other;
            }
        }
    }
}

rblResult rbl_repair_components(rblRepair* r, uint32_t* labels, uint32_t* count)
{
    uint32_t* stack = RBL_SCRATCH(r, uint32_t, r->faces.count);
    if (stack == NULL)
    {
        return rbl_fail_memory();
    }
    *count = 0;
    memset(labels, 0xFF, sizeof *labels * r->faces.count);
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        if (r->faces.data[f].size > 0 && labels[f] == RBL_NONE)
        {
            spread_label(r, f, (*count)++, labels, stack);
        }
    }
    return RBL_OK;
}

// The corner that starts the half-edge of a given corner after its face was flipped.
static uint32_t turned(const rblRepair* r, uint32_t corner, const uint8_t* marks)
{
    const uint32_t f = r->corners.data[corner].face;
    const rblRepairFace* face = &r->faces.data[f];
    if (!marks[f])
    {
        return corner;
    }
    const uint32_t i = corner - face->begin;
    return face->begin + (2 * face->size - 2 - i) % face->size;
}

static void turn_face(rblRepair* r, uint32_t f, const rblRepairCorner* old)
{
    rblRepairFace* face = &r->faces.data[f];
    face->flipped = !face->flipped;
    for (uint32_t i = 0; i < face->size; ++i)
    {
        r->corners.data[face->begin + i] = old[face->begin + face->size - 1 - i];
    }
}

rblResult rbl_repair_flip(rblRepair* r, const uint8_t* marks)
{
    rblRepairCorner* old = RBL_SCRATCH(r, rblRepairCorner, r->corners.count);
    if (old == NULL)
    {
        return rbl_fail_memory();
    }
    if (r->corners.count > 0)
    {
        memcpy(old, r->corners.data, sizeof *old * r->corners.count);
    }
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        if (marks[f] && r->faces.data[f].size > 0)
        {
            turn_face(r, f, old);
        }
    }
    for (uint32_t f = 0; f < r->faces.count; ++f)
    {
        const rblRepairFace* face = &r->faces.data[f];
        for (uint32_t c = face->begin; c < face->begin + face->size; ++c)
        {
            const uint32_t twin = old[c].twin;
            r->corners.data[turned(r, c, marks)].twin = twin != RBL_NONE ? turned(r, twin, marks) : RBL_NONE;
        }
    }
    return RBL_OK;
}

rblResult rbl_repair_count(rblRepair* r)
{
    uint8_t* counted = RBL_SCRATCH(r, uint8_t, r->hole_count);
    if (counted == NULL)
    {
        return rbl_fail_memory();
    }
    memset(counted, 0, r->hole_count);
    for (size_t f = 0; f < r->faces.count; ++f)
    {
        const rblRepairFace* face = &r->faces.data[f];
        if (face->hole == RBL_NONE)
        {
            r->report->flipped_faces += face->flipped;
            continue;
        }
        r->report->filled_faces += 1;
        r->report->filled_holes += !counted[face->hole];
        counted[face->hole] = 1;
    }
    return RBL_OK;
}
