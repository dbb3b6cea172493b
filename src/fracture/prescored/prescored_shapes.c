// Shapes of pieces, created in parallel: hulls where they are convex, otherwise fields.
#include "base/error.h"
#include "field/piece.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/vec.h"

#define CRACK_SPACING 0.2   // distance of samples on crack faces, relative to the piece's size
#define MAX_OUTER     2048u // corners of outer faces that become samples, per piece
#define MANY_CELLS    32u   // cells of a piece: with more, facets are smaller than the distance of samples
#define NOTHING       1e-6  // relative to a piece's size: a length that counts as 0

typedef struct Shaping
{
    rblBreakage* breakage;
    const rblPlacing* placing;
    rblParts parts;
    rblSortedSamples samples;
    rblMassProperties* masses; // by piece
    double excess;             // by how much the solid's field reaches beyond its drawn surface, m
    bool sampled;              // the solid's own samples are enough for its outer surface
    double rough;              // height of bumps on the solid's drawn surface, m; the field has none
    rblShapeId* out;
    rblResult* results;
} Shaping;

// ---- regions ----

typedef struct RegionDraft
{
    RBL_ARRAY(rblHalfSpace) planes;
    rblIndexArray starts;
    RBL_ARRAY(rblAabb) boxes;
} RegionDraft;

static void region_init(RegionDraft* draft, const rblAllocator* allocator)
{
    rbl_array_init(&draft->planes, allocator);
    rbl_array_init(&draft->starts, allocator);
    rbl_array_init(&draft->boxes, allocator);
}

static void region_free(RegionDraft* draft)
{
    rbl_array_free(&draft->planes);
    rbl_array_free(&draft->starts);
    rbl_array_free(&draft->boxes);
}

// Whether the piece has a crack face between two cells.
static bool is_cracked(const rblPieces* pieces, uint32_t piece, uint32_t cell, uint32_t other)
{
    for (uint32_t f = pieces->pieces[piece].first_face; f < pieces->pieces[piece].end_face; ++f)
    {
        const rblPieceFace* face = &pieces->faces[f];
        if (face->triangle == RBL_NONE && face->cell == cell && face->other == other)
        {
            return true;
        }
    }
    return false;
}

// Cell i is where f_i <= f_k: (g_i - g_k) . y <= w_k - w_i, and y = turn x + offset. Neighbours get the same digits with the
// other sign.
static rblHalfSpace cell_plane(const rblPlacing* placing, uint32_t cell, uint32_t other)
{
    const rblCellRow row = rbl_cell_row(placing->pattern->cells, cell, other);
    const double scale = 1.0 / rbl_length3d(row.gradient);
    const rblVec3d n = rbl_scale3d(row.gradient, -scale);
    const double offset = row.offset * scale - rbl_dot3d(n, placing->offset);
    return (rblHalfSpace){.normal = rbl_to_float3(rbl_mat3d_apply_transposed(&placing->turn, n)),
                          .offset = (float)offset};
}

static bool add_plane(RegionDraft* draft, rblVec3d normal, double offset)
{
    const rblHalfSpace plane = {rbl_to_float3(normal), (float)offset, true};
    return rbl_array_push(&draft->planes, plane);
}

// A wall, or its opposite. Shells have the same margin on both sides.
static bool add_wall(RegionDraft* draft, const Shaping* s, uint32_t number, bool beyond)
{
    const rblWall* wall = &s->parts.walls.data[number];
    const double size = (double)rbl_length3(rbl_aabb_size(s->placing->solid->bounds));
    const double offset = wall->offset + (wall->shell ? NOTHING * size + s->excess : 0.0);
    return beyond ? add_plane(draft, rbl_neg3d(wall->normal), -offset)
                  : add_plane(draft, wall->normal, offset);
}

// A part that is not alone in its cell ends with its box, and at its walls.
static bool add_fence(RegionDraft* draft, const Shaping* s, const rblPart* part, double slack)
{
    const rblAabbd box = rbl_aabbd_grown(part->box, slack);
    bool good = add_plane(draft, (rblVec3d){1, 0, 0}, box.upper.x) &&
                add_plane(draft, (rblVec3d){-1, 0, 0}, -box.lower.x) &&
                add_plane(draft, (rblVec3d){0, 1, 0}, box.upper.y) &&
                add_plane(draft, (rblVec3d){0, -1, 0}, -box.lower.y) &&
                add_plane(draft, (rblVec3d){0, 0, 1}, box.upper.z) &&
                add_plane(draft, (rblVec3d){0, 0, -1}, -box.lower.z);
    for (uint32_t w = part->first_wall; w < part->end_wall && good; ++w)
    {
        good = add_wall(draft, s, w, false);
    }
    return good;
}

static bool is_in_reach(const rblWall* wall, rblAabb box)
{
    const rblVec3d n = wall->normal;
    const rblVec3d far_corner = {(double)(n.x > 0.0 ? box.upper.x : box.lower.x),
                                 (double)(n.y > 0.0 ? box.upper.y : box.lower.y),
                                 (double)(n.z > 0.0 ? box.upper.z : box.lower.z)};
    return rbl_dot3d(n, far_corner) > wall->offset;
}

static bool copy_planes(RegionDraft* draft, size_t first, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count && good; ++i)
    {
        const rblHalfSpace plane = draft->planes.data[first + i];
        good = rbl_array_push(&draft->planes, plane);
    }
    return good;
}

// Close the cell whose planes begin at `first`, without the holes of its part from `hole` on: beyond the first plane of a hole's
// walls, beyond the second but not the first, and so on.
static bool close_cell(RegionDraft* draft, const Shaping* s, const rblPart* part, uint32_t hole, rblAabb box)
{
    if (hole == part->end_hole)
    {
        return rbl_array_push(&draft->starts, (uint32_t)draft->planes.count) &&
               rbl_array_push(&draft->boxes, box);
    }
    const rblPart* inner = &s->parts.list.data[s->parts.holes.data[hole]];
    const size_t first = draft->starts.data[draft->starts.count - 1];
    const size_t count = draft->planes.count - first;
    bool placed = true;
    bool good = true;
    for (uint32_t w = inner->first_wall; w < inner->end_wall && good; ++w)
    {
        if (!is_in_reach(&s->parts.walls.data[w], box))
        {
            continue;
        }
        good = (placed || copy_planes(draft, first, count)) && add_wall(draft, s, w, true);
        for (uint32_t k = inner->first_wall; k < w && good; ++k)
        {
            good = add_wall(draft, s, k, false);
        }
        good = good && close_cell(draft, s, part, hole + 1, box);
        placed = false;
    }
    return good && (!placed || close_cell(draft, s, part, hole + 1, box));
}

// The box of a cell in the solid's axes.
static rblAabbd cell_box(const rblPlacing* placing, uint32_t cell)
{
    const rblCells* cells = placing->pattern->cells;
    rblAabbd box = rbl_aabbd_empty();
    for (uint32_t i = cells->cell_starts[cell]; i < cells->cell_starts[cell + 1]; ++i)
    {
        const rblCellFacet* facet = &cells->facets[cells->cell_facets[i]];
        for (uint32_t e = facet->first_edge; e < facet->end_edge; ++e)
        {
            const rblCellEdge* edge = &cells->edges[cells->facet_edges[e]];
            for (int k = 0; k < 2; ++k)
            {
                const rblVec3d y = rbl_sub3d(cells->vertices[edge->vertices[k]].position, placing->offset);
                box = rbl_aabbd_add(box, rbl_mat3d_apply_transposed(&placing->turn, y));
            }
        }
    }
    return box;
}

static bool add_part(RegionDraft* draft, const Shaping* s, const rblPart* part, rblAabbd bounds)
{
    const rblCells* cells = s->placing->pattern->cells;
    const double slack = NOTHING * rbl_length3d(rbl_aabbd_size(bounds)) + s->excess;
    bool good = true;
    for (uint32_t i = cells->cell_starts[part->cell]; i < cells->cell_starts[part->cell + 1] && good; ++i)
    {
        const rblCellFacet* facet = &cells->facets[cells->cell_facets[i]];
        const uint32_t other = facet->cells[0] == part->cell ? facet->cells[1] : facet->cells[0];
        if (other >= cells->count)
        {
            continue;
        }
        rblHalfSpace plane = cell_plane(s->placing, part->cell, other);
        plane.inner = !is_cracked(s->breakage->pieces, part->piece, part->cell, other);
        good = rbl_array_push(&draft->planes, plane);
    }
    if (good && (!part->alone || draft->planes.count == draft->starts.data[draft->starts.count - 1]))
    {
        good = add_fence(draft, s, part, slack);
    }
    const rblAabbd box = rbl_aabbd_intersection(cell_box(s->placing, part->cell), bounds);
    return good && close_cell(draft, s, part, part->first_hole, rbl_aabb_around(rbl_aabbd_grown(box, slack)));
}

static bool draft_region(const Shaping* s, uint32_t piece, rblAabbd bounds, RegionDraft* draft)
{
    bool good = rbl_array_push(&draft->starts, 0u);
    for (uint32_t i = s->parts.piece_starts[piece]; i < s->parts.piece_starts[piece + 1] && good; ++i)
    {
        good = add_part(draft, s, &s->parts.list.data[i], bounds);
    }
    return good;
}

// ---- one shape ----

// RBL_ERROR_GEOMETRY: no hull does for the piece.
static rblResult make_hull(const Shaping* s, uint32_t piece, rblShapeId* out)
{
    rblSampleList corners;
    bool fits = false;
    rbl_array_init(&corners, s->breakage->allocator);
    rblResult result = rbl_piece_hull_points(&s->parts, piece, &corners, &fits);
    if (result == RBL_OK && !fits)
    {
        result = RBL_ERROR_GEOMETRY;
    }
    if (result == RBL_OK)
    {
        const rblConvexPieceDef def = {.corners = corners.data,
                                       .corner_count = (uint32_t)corners.count,
                                       .mass = &s->masses[piece],
                                       .surface = rbl_breakage_surface(s->breakage, piece)};
        result = rbl_shape_create_convex_piece(&def, out);
    }
    rbl_array_free(&corners);
    return result;
}

// A region from a file has borders of many small facets: take sharp corners, and a thinned set of the others.
static bool gather_thinly(const Shaping* s, uint32_t piece, double spacing, rblSampleList* out)
{
    bool good = rbl_piece_sharp_corners(&s->parts, piece, out);
    const size_t corners = out->count;
    good = good && rbl_sample_cracks(s->breakage, piece, spacing, out);
    return good && rbl_thin_samples(out, corners, 0.5 * spacing);
}

static bool gather_samples(const Shaping* s, uint32_t piece, double size, rblSampleList* out)
{
    const rblSortedSamples* sorted = &s->samples;
    bool good = true;
    for (uint32_t i = sorted->starts[piece]; i < sorted->starts[piece + 1] && good; ++i)
    {
        good = rbl_array_push(out, sorted->points[i]);
    }
    if (s->parts.piece_starts[piece + 1] - s->parts.piece_starts[piece] > MANY_CELLS)
    {
        return good && gather_thinly(s, piece, CRACK_SPACING * size, out);
    }
    good = good && rbl_sample_cracks(s->breakage, piece, CRACK_SPACING * size, out);
    if (good && (!s->sampled || out->count == 0))
    {
        const size_t before = out->count;
        good = rbl_piece_corners(&s->parts, piece, out);
        out->count = out->count > before + MAX_OUTER ? before + MAX_OUTER : out->count;
    }
    return good;
}

// Corners of bumps are moved to the faces of the solid without bumps.
static void level_samples(const Shaping* s, rblSampleList* samples)
{
    for (size_t i = 0; i < samples->count; ++i)
    {
        rblVec3 gradient;
        const float distance = rbl_shape_distance(s->placing->solid->shape, samples->data[i], &gradient);
        if (fabs((double)distance) <= s->rough)
        {
            samples->data[i] = rbl_mul_add3(samples->data[i], -distance, gradient);
        }
    }
}

static rblResult make_field(const Shaping* s, uint32_t piece, rblShapeId* out)
{
    const rblPiece* p = &s->breakage->pieces->pieces[piece];
    const rblAllocator* allocator = s->breakage->allocator;
    const rblAabbd bounds = rbl_aabbd_grown(p->bounds, s->excess);
    const rblShapeView* solid = s->placing->solid;
    RegionDraft draft;
    rblSampleList samples;
    region_init(&draft, allocator);
    rbl_array_init(&samples, allocator);
    const bool good = draft_region(s, piece, bounds, &draft) &&
                      gather_samples(s, piece, rbl_length3d(rbl_aabbd_size(p->bounds)), &samples);
    rblResult result = good ? RBL_OK : rbl_fail_memory();
    if (good && s->rough > 0.0)
    {
        level_samples(s, &samples);
    }
    if (good)
    {
        const rblPieceShapeDef def = {.parent = solid->shape,
                                      .region = {.planes = draft.planes.data,
                                                 .starts = draft.starts.data,
                                                 .boxes = draft.boxes.data,
                                                 .cell_count = (uint32_t)draft.boxes.count},
                                      .samples = samples.data,
                                      .sample_count = (uint32_t)samples.count,
                                      .mass = &s->masses[piece],
                                      .bounds = rbl_aabb_around(bounds),
                                      .surface = rbl_breakage_surface(s->breakage, piece)};
        result = rbl_shape_create_piece(&def, out);
    }
    rbl_array_free(&samples);
    region_free(&draft);
    return result;
}

// A piece that is too thin for a hull gets a field.
static void make_shape(uint32_t piece, void* context)
{
    Shaping* s = context;
    rblResult result = make_hull(s, piece, &s->out[piece]);
    if (result == RBL_ERROR_GEOMETRY || result == RBL_ERROR_LIMIT)
    {
        result = make_field(s, piece, &s->out[piece]);
    }
    s->results[piece] = result;
}

// ---- all shapes ----

// Drawn surfaces of round shapes are inscribed: their faces lie below the field's surface.
static double measure_excess(const rblShapeView* solid, const rblMeshView* surface)
{
    double excess = 0.0;
    if (rbl_shape_root(solid->shape)->kind->rolling == RBL_ROLLS_NOT)
    {
        return excess;
    }
    for (uint32_t f = 0; f < surface->face_count; ++f)
    {
        rblVec3d middle = {0, 0, 0};
        const uint32_t count = surface->face_starts[f + 1] - surface->face_starts[f];
        for (uint32_t k = surface->face_starts[f]; k < surface->face_starts[f + 1]; ++k)
        {
            middle = rbl_add3d(middle, surface->positions[surface->corner_vertices[k]]);
        }
        const rblVec3 point = rbl_to_float3(rbl_scale3d(middle, 1.0 / count));
        excess = rbl_maxd(-(double)rbl_shape_distance(solid->shape, point, NULL), excess);
    }
    return excess;
}

static bool has_fine_samples(const rblShapeView* solid)
{
    return rbl_shape_root(solid->shape)->kind->fine_samples;
}

static bool is_fragment(const rblShapeView* solid)
{
    return solid->shape->kind->piece;
}

static rblResult make_shapes(Shaping* s, rblJobs* jobs)
{
    const uint32_t count = s->breakage->pieces->piece_count;
    for (uint32_t i = 0; i < count; ++i)
    {
        s->out[i] = (rblShapeId){0, 0};
    }
    rbl_run_parallel(jobs, count, make_shape, s);
    rblResult result = RBL_OK;
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        result = s->results[i];
    }
    for (uint32_t i = 0; i < count && result != RBL_OK; ++i)
    {
        if (s->results[i] == RBL_OK)
        {
            rbl_shape_destroy(s->out[i]);
        }
        s->out[i] = (rblShapeId){0, 0};
    }
    return result;
}

rblResult rbl_breakage_shapes(rblBreakage* breakage, const rblPlacing* placing, rblJobs* jobs,
                              rblShapeId* out)
{
    const uint32_t count = breakage->pieces->piece_count;
    Shaping s = {.breakage = breakage,
                 .placing = placing,
                 .excess = measure_excess(placing->solid, &breakage->surface),
                 .sampled = has_fine_samples(placing->solid),
                 .rough = is_fragment(placing->solid) ? breakage->pieces->noise : 0.0,
                 .out = out};
    RBL_TRY(rbl_parts_init(&s.parts, placing, breakage));
    rblResult result = rbl_sort_samples(&s.parts, jobs, &s.samples);
    if (result == RBL_OK)
    {
        s.results = RBL_NEW_ARRAY(breakage->allocator, rblResult, count);
        s.masses = RBL_NEW_ARRAY(breakage->allocator, rblMassProperties, count);
        result = s.results != NULL && s.masses != NULL ? RBL_OK : rbl_fail_memory();
        if (result == RBL_OK)
        {
            rbl_fit_masses(breakage->pieces, &placing->solid->mass, s.masses);
            result = make_shapes(&s, jobs);
        }
        RBL_FREE_ARRAY(breakage->allocator, s.masses, count);
        RBL_FREE_ARRAY(breakage->allocator, s.results, count);
        rbl_sorted_samples_free(&s.samples);
    }
    rbl_parts_free(&s.parts);
    return result;
}
