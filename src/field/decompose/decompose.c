// Approximate convex decomposition: recursive cuts by planes, then joins. The scheme of Mamou and Ghorbel 2009 and of its voxel
// successors, on exact geometry: pieces are clipped surfaces with caps, not voxels.
#include "rubble/decompose.h"

#include "base/def.h"
#include "base/error.h"
#include "base/progress.h"
#include "field/convex/hull.h"
#include "field/decompose/part_merge.h"
#include "field/decompose/plane_choice.h"
#include "field/solid_check.h"
#include "math/aabb.h"
#include "rubble/simplify.h"
#include <stdio.h>

// ---- tuning ----
// Planes are chosen on a simplified surface if there are more triangles.
#define COARSE_TRIANGLES 1500u
// Pieces that are cut before some are joined again, per part wanted.
#define OVERCUT 2u
// Relative to the diagonal; points closer to a plane are in it.
#define SNAP 1e-9
// Vertices of the hull of a part of a shape, and the distance of the other points from it, relative to the diagonal of the part.
#define SHAPE_VERTICES  64u
#define SHAPE_TOLERANCE 1e-4

RBL_DEF_KIND(decompose_options, rblDecomposeOptions, "decompose", rbl_default_decompose_options, 0xDEC0905Eu);

void rbl_decompose_options_init(rblDecomposeOptions* def, size_t size)
{
    const rblDecomposeOptions defaults = {.max_parts = 16, .resolution = 16, .tolerance = 0.02, .seed = 1};
    rbl_def_init(&decompose_options, &defaults, def, size);
}

static rblResult read_options(const rblDecomposeOptions* given, rblDecomposeOptions* out)
{
    *out = rbl_default_decompose_options();
    RBL_TRY(given != NULL ? rbl_def_read(&decompose_options, given, out) : RBL_OK);
    if (out->max_parts < 1 || out->max_parts > RBL_DECOMPOSE_MAX_PARTS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "decompose: max_parts is %u, must be 1 to %u", out->max_parts,
                        RBL_DECOMPOSE_MAX_PARTS);
    }
    if (out->resolution < 2 || out->resolution > 64)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "decompose: resolution is %u, must be 2 to 64", out->resolution);
    }
    if (!(out->tolerance >= 1e-6 && out->tolerance <= 1.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "decompose: tolerance is %g, must be 1e-6 to 1", out->tolerance);
    }
    return RBL_OK;
}

// ---- the solid ----

// A piece of the solid, and the same piece of its simplified surface, on which the plane of the next cut is chosen.
typedef struct Piece
{
    rblSolidPart fine, coarse;
    bool whole; // no plane cuts it
} Piece;
typedef RBL_ARRAY(Piece) Pieces;

typedef struct Decomposing
{
    rblDecomposeOptions options;
    const rblAllocator* allocator;
    rblVec3d center; // of the box; all coordinates of pieces are relative to it
    double volume;   // m^3
    double snap;     // m
    rblSoup fine, coarse;
    rblConcaveEdges edges;
    Pieces pieces;
    rblPartHulls hulls;
} Decomposing;

static void open_decomposing(Decomposing* d)
{
    d->allocator = rbl_default_allocator();
    rbl_array_init(&d->fine, d->allocator);
    rbl_array_init(&d->coarse, d->allocator);
    rbl_array_init(&d->edges, d->allocator);
    rbl_array_init(&d->pieces, d->allocator);
    rbl_array_init(&d->hulls, d->allocator);
}

static void free_piece(Piece* piece)
{
    rbl_solid_part_free(&piece->fine);
    rbl_solid_part_free(&piece->coarse);
}

static void close_decomposing(Decomposing* d)
{
    for (size_t i = 0; i < d->pieces.count; ++i)
    {
        free_piece(&d->pieces.data[i]);
    }
    rbl_array_free(&d->pieces);
    rbl_array_free(&d->fine);
    rbl_array_free(&d->coarse);
    rbl_array_free(&d->edges);
    rbl_part_hulls_free(&d->hulls);
}

static rblResult take_triangles(const rblMeshView* mesh, rblVec3d center, rblSoup* out)
{
    for (uint32_t f = 0; f < mesh->face_count; ++f)
    {
        const uint32_t* v = mesh->corner_vertices + mesh->face_starts[f];
        const rblSoupTriangle triangle = {{rbl_sub3d(mesh->positions[v[0]], center),
                                           rbl_sub3d(mesh->positions[v[1]], center),
                                           rbl_sub3d(mesh->positions[v[2]], center)}};
        if (!rbl_array_push(out, triangle))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult take_coarse(Decomposing* d, rblMeshId triangles)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(triangles, &view));
    RBL_TRY(take_triangles(&view, d->center, &d->coarse));
    return rbl_find_concave_edges(&view, d->center, &d->edges);
}

static rblResult take_simplified(Decomposing* d, rblMeshId triangles, uint32_t count)
{
    if (count <= COARSE_TRIANGLES)
    {
        return take_coarse(d, triangles);
    }
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = COARSE_TRIANGLES;
    options.attribute_weight = 0.0;
    rblMeshId simple;
    RBL_TRY(rbl_mesh_simplify(triangles, &options, &simple, NULL));
    const rblResult result = take_coarse(d, simple);
    rbl_mesh_destroy(simple);
    return result;
}

static rblResult take_solid(Decomposing* d, rblMeshId triangles)
{
    rblMeshView view;
    rblMeshReport report;
    RBL_TRY(rbl_mesh_view(triangles, &view));
    RBL_TRY(rbl_check_solid(&view, "decompose", &report));
    d->center = rbl_aabbd_center(report.bounds);
    d->snap = SNAP * rbl_length3d(rbl_aabbd_size(report.bounds));
    d->volume = report.volume;
    RBL_TRY(take_triangles(&view, d->center, &d->fine));
    return take_simplified(d, triangles, view.face_count);
}

// ---- cuts ----

static bool copy_soup(const rblSoup* from, rblSoup* out)
{
    bool stored = true;
    for (size_t i = 0; stored && i < from->count; ++i)
    {
        stored = rbl_array_push(out, from->data[i]);
    }
    return stored;
}

static rblResult measure_piece(const Decomposing* d, Piece* piece)
{
    if (!rbl_solid_part_collect(&piece->fine, &d->fine, d->snap) ||
        !rbl_solid_part_collect(&piece->coarse, &d->coarse, d->snap))
    {
        return rbl_fail_memory();
    }
    return rbl_solid_part_measure(&piece->fine);
}

static rblResult add_piece(Decomposing* d, Piece* piece)
{
    if (!rbl_array_push(&d->pieces, *piece))
    {
        free_piece(piece);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static void init_piece(const Decomposing* d, Piece* piece)
{
    piece->whole = false;
    rbl_solid_part_init(&piece->fine, d->allocator);
    rbl_solid_part_init(&piece->coarse, d->allocator);
}

static rblResult add_whole(Decomposing* d)
{
    Piece piece;
    init_piece(d, &piece);
    rblResult result =
        copy_soup(&d->fine, &piece.fine.surface) && copy_soup(&d->coarse, &piece.coarse.surface)
            ? measure_piece(d, &piece)
            : rbl_fail_memory();
    if (result != RBL_OK)
    {
        free_piece(&piece);
        return result;
    }
    return add_piece(d, &piece);
}

static rblResult cut_side(const Decomposing* d, const Piece* piece, rblCutPlane plane, Piece* out)
{
    init_piece(d, out);
    const bool cut = rbl_solid_part_cut(&piece->fine, plane, d->snap, &out->fine) &&
                     rbl_solid_part_cut(&piece->coarse, plane, d->snap, &out->coarse);
    const rblResult result = cut ? measure_piece(d, out) : rbl_fail_memory();
    if (result != RBL_OK)
    {
        free_piece(out);
    }
    return result;
}

static rblResult cut_piece(Decomposing* d, size_t index)
{
    const rblPlaneChoice choice = {.part = &d->pieces.data[index].coarse,
                                   .edges = &d->edges,
                                   .resolution = d->options.resolution,
                                   .seed = d->options.seed,
                                   .snap = d->snap,
                                   .jobs = rbl_default_jobs(),
                                   .allocator = d->allocator};
    rblCutPlane plane;
    bool found;
    RBL_TRY(rbl_choose_plane(&choice, &plane, &found));
    if (!found)
    {
        d->pieces.data[index].whole = true;
        return RBL_OK;
    }
    Piece sides[2];
    RBL_TRY(cut_side(d, &d->pieces.data[index], plane, &sides[0]));
    const rblResult result = cut_side(d, &d->pieces.data[index], rbl_other_side(plane), &sides[1]);
    if (result != RBL_OK)
    {
        free_piece(&sides[0]);
        return result;
    }
    free_piece(&d->pieces.data[index]);
    d->pieces.data[index] = sides[0];
    return add_piece(d, &sides[1]);
}

// The piece with the most volume of its hull outside. False: all are within the tolerance.
static bool find_worst(const Decomposing* d, size_t* worst)
{
    double most = d->options.tolerance * d->volume;
    bool found = false;
    for (size_t i = 0; i < d->pieces.count; ++i)
    {
        const Piece* piece = &d->pieces.data[i];
        const double outside = piece->fine.hull_volume - piece->fine.volume;
        if (!piece->whole && outside > most)
        {
            most = outside;
            *worst = i;
            found = true;
        }
    }
    return found;
}

static rblResult cut_pieces(Decomposing* d)
{
    const uint32_t most = d->options.max_parts > 1 ? OVERCUT * d->options.max_parts : 1;
    size_t worst = 0;
    RBL_TRY(add_whole(d));
    while (d->pieces.count < most && find_worst(d, &worst))
    {
        RBL_TRY(rbl_progress_report(&d->options.progress, 0.9 * (double)d->pieces.count / (double)most));
        RBL_TRY(cut_piece(d, worst));
    }
    return rbl_progress_report(&d->options.progress, 0.9);
}

// The hulls of the pieces. Pieces without a hull, thinner than rounding errors, are left out.
static rblResult take_hulls(Decomposing* d)
{
    for (size_t i = 0; i < d->pieces.count; ++i)
    {
        rblSolidPart* part = &d->pieces.data[i].fine;
        rblPartHull hull = {.volume = part->volume, .hull_volume = part->hull_volume};
        hull.points = part->points;
        if (!(part->hull_volume > 0.0))
        {
            continue;
        }
        if (!rbl_array_push(&d->hulls, hull))
        {
            return rbl_fail_memory();
        }
        rbl_array_init(&part->points, d->allocator);
    }
    RBL_TRY(rbl_part_hulls_merge(&d->hulls, d->options.max_parts, d->options.tolerance * d->volume));
    return rbl_progress_report(&d->options.progress, 1.0);
}

static void fill_report(const Decomposing* d, rblDecomposeReport* report)
{
    *report = (rblDecomposeReport){.part_count = (uint32_t)d->hulls.count, .volume = d->volume};
    for (size_t i = 0; i < d->hulls.count; ++i)
    {
        const rblPartHull* hull = &d->hulls.data[i];
        const double share = (hull->hull_volume - hull->volume) / d->volume;
        report->hull_volume += hull->hull_volume;
        report->worst_share = rbl_maxd(share, report->worst_share);
    }
    report->within_tolerance = report->worst_share <= d->options.tolerance;
}

static rblResult decompose(Decomposing* d, rblMeshId mesh)
{
    rblMeshId triangles;
    RBL_TRY(rbl_progress_report(&d->options.progress, 0.0));
    RBL_TRY(rbl_mesh_triangulate(mesh, &triangles));
    rblResult result = take_solid(d, triangles);
    rbl_mesh_destroy(triangles);
    RBL_TRY(result);
    RBL_TRY(cut_pieces(d));
    return take_hulls(d);
}

// ---- meshes ----

static rblResult make_mesh(const Decomposing* d, const rblHullDraft* draft, uint32_t number, rblMeshId* out)
{
    char name[32];
    const char* names[1] = {name};
    const uint32_t faces = (uint32_t)draft->face_starts.count - 1;
    uint32_t* groups = rbl_alloc_zero(d->allocator, sizeof *groups * faces);
    rblVec3d* positions = RBL_NEW_ARRAY(d->allocator, rblVec3d, draft->vertices.count);
    rblResult result = groups != NULL && positions != NULL ? RBL_OK : rbl_fail_memory();
    for (size_t i = 0; result == RBL_OK && i < draft->vertices.count; ++i)
    {
        positions[i] = rbl_add3d(rbl_to_double3(draft->vertices.data[i]), d->center);
    }
    if (result == RBL_OK)
    {
        snprintf(name, sizeof name, "part %u", number);
        const rblMeshView view = {.vertex_count = (uint32_t)draft->vertices.count,
                                  .face_count = faces,
                                  .corner_count = (uint32_t)draft->corner_vertices.count,
                                  .positions = positions,
                                  .face_starts = draft->face_starts.data,
                                  .corner_vertices = draft->corner_vertices.data,
                                  .face_groups = groups,
                                  .group_count = 1,
                                  .group_names = names};
        result = rbl_mesh_create(&view, out);
    }
    RBL_FREE_ARRAY(d->allocator, positions, draft->vertices.count);
    rbl_free(d->allocator, groups, sizeof *groups * faces);
    return result;
}

// The triangles of a hull. Its points are its corners: each is used.
static bool draft_hull(const rblPointArray* points, const rblHullTriangles* triangles, rblHullDraft* draft)
{
    bool stored = true;
    for (size_t i = 0; stored && i < points->count; ++i)
    {
        stored = rbl_array_push(&draft->vertices, points->data[i]);
    }
    stored = stored && rbl_array_push(&draft->face_starts, 0u);
    for (size_t i = 0; stored && i < triangles->count; ++i)
    {
        const uint32_t* v = triangles->data[i].vertices;
        const uint32_t end = 3 * (uint32_t)(i + 1);
        stored = rbl_array_push(&draft->corner_vertices, v[0]) &&
                 rbl_array_push(&draft->corner_vertices, v[1]) &&
                 rbl_array_push(&draft->corner_vertices, v[2]) && rbl_array_push(&draft->face_starts, end);
    }
    return stored;
}

static rblResult hull_mesh(const Decomposing* d, const rblPartHull* hull, uint32_t number, rblMeshId* out)
{
    rblHullTriangles triangles;
    rblHullDraft draft;
    rbl_array_init(&triangles, d->allocator);
    rbl_hull_draft_init(&draft, d->allocator);
    rblResult result = rbl_hull_triangles(hull->points.data, (uint32_t)hull->points.count, &triangles);
    if (result == RBL_OK)
    {
        result = draft_hull(&hull->points, &triangles, &draft) ? make_mesh(d, &draft, number, out)
                                                               : rbl_fail_memory();
    }
    rbl_array_free(&triangles);
    rbl_hull_draft_free(&draft);
    return result;
}

static rblResult make_meshes(const Decomposing* d, rblMeshId* out)
{
    for (size_t i = 0; i < d->hulls.count; ++i)
    {
        const rblResult result = hull_mesh(d, &d->hulls.data[i], (uint32_t)i + 1, &out[i]);
        if (result != RBL_OK)
        {
            while (i-- > 0)
            {
                rbl_mesh_destroy(out[i]);
                out[i] = (rblMeshId){0, 0};
            }
            return result;
        }
    }
    return RBL_OK;
}

rblResult rbl_mesh_decompose(rblMeshId mesh, const rblDecomposeOptions* options, rblMeshId* out,
                             rblDecomposeReport* report)
{
    Decomposing d = {.volume = 0.0};
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "decompose: out must not be null");
    }
    RBL_TRY(read_options(options, &d.options));
    open_decomposing(&d);
    rblResult result = decompose(&d, mesh);
    if (result == RBL_OK)
    {
        result = make_meshes(&d, out);
    }
    if (result == RBL_OK && report != NULL)
    {
        fill_report(&d, report);
    }
    close_decomposing(&d);
    return result;
}

// ---- shapes ----

static rblResult make_hull_shape(const Decomposing* d, const rblPartHull* hull, rblShapeId* out)
{
    rblAabb box = rbl_aabb_empty();
    for (size_t i = 0; i < hull->points.count; ++i)
    {
        box = rbl_aabb_add(box, hull->points.data[i]);
    }
    rblHullChoice choice = {.worst = 0.0};
    rblPointArray points;
    rbl_array_init(&choice.chosen, d->allocator);
    rbl_array_init(&points, d->allocator);
    const rblHullChoosing choosing = {.points = hull->points.data,
                                      .count = (uint32_t)hull->points.count,
                                      .most = SHAPE_VERTICES,
                                      .tolerance = SHAPE_TOLERANCE * (double)rbl_length3(rbl_aabb_size(box))};
    rblResult result = rbl_hull_choose(&choosing, &choice);
    for (size_t i = 0; i < choice.chosen.count && result == RBL_OK; ++i)
    {
        const rblVec3d p = rbl_to_double3(hull->points.data[choice.chosen.data[i]]);
        result = rbl_array_push(&points, rbl_to_float3(rbl_add3d(p, d->center))) ? RBL_OK : rbl_fail_memory();
    }
    if (result == RBL_OK)
    {
        result = rbl_shape_create_hull(points.data, (uint32_t)points.count, out);
    }
    rbl_array_free(&choice.chosen);
    rbl_array_free(&points);
    return result;
}

static rblResult make_shape(const Decomposing* d, rblShapeId* out)
{
    const size_t count = d->hulls.count;
    rblShapeChild* children = RBL_NEW_ARRAY(d->allocator, rblShapeChild, count);
    rblResult result = children != NULL ? RBL_OK : rbl_fail_memory();
    size_t made = 0;
    while (made < count && result == RBL_OK)
    {
        children[made].pose = (rblTransform){{0, 0, 0}, {0, 0, 0, 1}};
        result = make_hull_shape(d, &d->hulls.data[made], &children[made].shape);
        made += result == RBL_OK;
    }
    if (result == RBL_OK && count == 1)
    {
        *out = children[0].shape;
        made = 0;
    }
    else if (result == RBL_OK)
    {
        result = rbl_shape_create_compound(children, (uint32_t)count, out);
    }
    for (size_t i = 0; i < made; ++i)
    {
        rbl_shape_destroy(children[i].shape);
    }
    RBL_FREE_ARRAY(d->allocator, children, count);
    return result;
}

rblResult rbl_shape_create_parts(rblMeshId mesh, const rblDecomposeOptions* options, rblShapeId* out,
                                 rblDecomposeReport* report)
{
    Decomposing d = {.volume = 0.0};
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "decompose: out must not be null");
    }
    RBL_TRY(read_options(options, &d.options));
    open_decomposing(&d);
    rblResult result = decompose(&d, mesh);
    if (result == RBL_OK)
    {
        result = make_shape(&d, out);
    }
    if (result == RBL_OK && report != NULL)
    {
        fill_report(&d, report);
    }
    close_decomposing(&d);
    return result;
}
