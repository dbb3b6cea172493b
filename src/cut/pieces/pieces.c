#include "cut/pieces/pieces_private.h"

#include "base/error.h"
#include "base/random.h"

#define MAX_TRIES 8 // attempts with a perturbed surface
void rbl_cut_begin(rblCut* cut)
{
    rbl_hash_map_init(&cut->edge_numbers, cut->allocator);
    rbl_array_init(&cut->nodes, cut->allocator);
    rbl_array_init(&cut->positions, cut->allocator);
    rbl_array_init(&cut->origins, cut->allocator);
    rbl_array_init(&cut->polygons, cut->allocator);
    rbl_array_init(&cut->links, cut->allocator);
    rbl_array_init(&cut->crossings, cut->allocator);
    rbl_array_init(&cut->caps, cut->allocator);
    rbl_array_init(&cut->loop_starts, cut->allocator);
    rbl_array_init(&cut->corners, cut->allocator);
}

void rbl_cut_end(rblCut* cut)
{
    rbl_hash_map_free(&cut->edge_numbers);
    rbl_array_free(&cut->nodes);
    rbl_array_free(&cut->positions);
    rbl_array_free(&cut->origins);
    rbl_array_free(&cut->polygons);
    rbl_array_free(&cut->links);
    rbl_array_free(&cut->crossings);
    rbl_array_free(&cut->caps);
    rbl_array_free(&cut->loop_starts);
    rbl_array_free(&cut->corners);
}

// All stages in order, until one fails.
static rblCutStatus cut_once(rblCut* cut, rblPieces* out)
{
    typedef rblCutStatus StageFcn(rblCut * cut);
    StageFcn* const stages[] = {rbl_cut_rings, rbl_cut_label,  rbl_cut_edges, rbl_cut_triangles,
                                rbl_cut_caps,  rbl_cut_shells, rbl_cut_merge};
    rblCutStatus status = RBL_CUT_OK;
    for (size_t s = 0; s < sizeof stages / sizeof stages[0] && status == RBL_CUT_OK; ++s)
    {
        status = stages[s](cut);
    }
    return status == RBL_CUT_OK ? rbl_cut_output(cut, out) : status;
}

// Offset of the surface, far below measurable lengths, for another attempt after a tie: the surface then meets no
// vertex, edge or facet of the cells exactly. The cells are perturbed already, so a tie occurs only if the surface was
// built to fit a cell.
static rblVec3d perturbation(const rblCells* cells, uint32_t attempt)
{
    rblRandom random = rbl_random_seed(attempt, 6);
    const rblVec3d size = rbl_sub3d(cells->box.upper, cells->box.lower);
    const double amplitude = attempt > 0 ? 0x1p-38 * rbl_maxd(size.x, rbl_maxd(size.y, size.z)) : 0.0;
    rblVec3d offset;
    offset.x = amplitude * rbl_random_range(&random, -1.0, 1.0);
    offset.y = amplitude * rbl_random_range(&random, -1.0, 1.0);
    offset.z = amplitude * rbl_random_range(&random, -1.0, 1.0);
    return offset;
}

static void free_arrays(rblPieces* p)
{
    RBL_FREE_ARRAY(p->allocator, p->vertices, p->vertex_capacity);
    RBL_FREE_ARRAY(p->allocator, p->origins, p->origin_capacity);
    RBL_FREE_ARRAY(p->allocator, p->loop_starts, p->loop_capacity);
    RBL_FREE_ARRAY(p->allocator, p->corners, p->corner_capacity);
    RBL_FREE_ARRAY(p->allocator, p->triangles, (size_t)p->triangle_count + 1);
    RBL_FREE_ARRAY(p->allocator, p->triangle_cells, (size_t)p->triangle_count + 1);
    RBL_FREE_ARRAY(p->allocator, p->faces, (size_t)p->face_count + 1);
    RBL_FREE_ARRAY(p->allocator, p->pieces, (size_t)p->piece_count + 1);
}

static rblCutStatus cut_until_generic(rblCut* cut, rblPieces* out)
{
    const rblVec3d offset = cut->offset;
    rblCutStatus status = RBL_CUT_TIE;
    for (uint32_t attempt = 0; attempt < MAX_TRIES && status == RBL_CUT_TIE; ++attempt)
    {
        const rblArenaMark mark = rbl_arena_mark(cut->arena);
        rblCut once = *cut;
        rbl_cut_begin(&once);
        once.offset = rbl_add3d(offset, perturbation(cut->cells, attempt));
        status = cut_once(&once, out);
        rbl_cut_end(&once);
        rbl_arena_rewind(cut->arena, mark);
    }
    return status;
}

rblResult rbl_cut_result(rblCutStatus status)
{
    switch (status)
    {
    case RBL_CUT_OK:
        return RBL_OK;
    case RBL_CUT_MEMORY:
        return rbl_fail_memory();
    case RBL_CUT_OUTSIDE:
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "cut: the surface must be inside the box of the cells, or inside the tetrahedra");
    case RBL_CUT_OPEN:
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "cut: the surface must be closed, manifold and oriented where it is cut");
    case RBL_CUT_INVERTED:
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "cut: the surface must have a positive volume and be oriented outward");
    default:
        return rbl_fail(
            RBL_ERROR_GEOMETRY,
            "cut: the surface coincides with edges of the cells or cracks, must not even after small shifts");
    }
}

static rblResult check_input(const rblMeshView* surface, const rblCells* cells, const rblMat3d* linear,
                             rblVec3d offset, const rblCutOptions* options)
{
    if (surface == NULL || cells == NULL || linear == NULL || surface->face_count == 0)
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "cut: surface, cells and transform must not be null, and the surface must have faces");
    }
    if (!rbl_finite_mat3d(linear) || !rbl_finite3d(offset) || !(rbl_mat3d_determinant(linear) > 0.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "cut: the transform must be finite, invertible and not a reflection");
    }
    if (options != NULL && (!(options->smallest_volume >= 0.0) || !(options->thinnest >= 0.0)))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "cut: the smallest volume is %g, the smallest thickness %g; they must not be negative",
            options->smallest_volume, options->thinnest);
    }
    return RBL_OK;
}

// Vertices of the triangles: those of the surface if every face is a triangle, else those of rbl_triangulate_corners().
static rblResult find_triangles(rblCut* cut, rblIndexArray* triangles)
{
    const rblMeshView* surface = cut->surface;
    if (surface->corner_count == 3 * (uint64_t)surface->face_count)
    {
        cut->triangle_vertices = surface->corner_vertices;
        cut->triangle_count = surface->face_count;
        return RBL_OK;
    }
    RBL_TRY(rbl_triangulate_corners(surface, triangles, NULL));
    for (size_t c = 0; c < triangles->count; ++c)
    {
        triangles->data[c] = surface->corner_vertices[triangles->data[c]];
    }
    cut->triangle_vertices = triangles->data;
    cut->triangle_count = (uint32_t)(triangles->count / 3);
    return RBL_OK;
}

static rblResult cut_surface(rblCut* cut, rblPieces* out)
{
    rblIndexArray triangles;
    rbl_array_init(&triangles, cut->allocator);
    rblResult result = find_triangles(cut, &triangles);
    if (result == RBL_OK)
    {
        result = rbl_cut_result(cut_until_generic(cut, out));
    }
    rbl_array_free(&triangles);
    return result;
}

rblResult rbl_cut_pieces(const rblMeshView* surface, const rblCells* cells, const rblMat3d* linear,
                         rblVec3d offset, const rblCutOptions* options, rblJobs* jobs,
                         const rblAllocator* allocator, rblPieces** out)
{
    RBL_TRY(check_input(surface, cells, linear, offset, options));
    rblPieces* pieces = rbl_alloc_zero(allocator, sizeof *pieces);
    if (pieces == NULL)
    {
        return rbl_fail_memory();
    }
    pieces->allocator = allocator;
    const rblCutOptions defaults = {0};
    rblArena arena;
    rbl_arena_init(&arena, (size_t)1 << 18, allocator);
    rblCut cut = {.surface = surface,
                  .vertex_count = surface->vertex_count,
                  .cells = cells,
                  .linear = *linear,
                  .offset = offset,
                  .options = options != NULL ? options : &defaults,
                  .jobs = jobs,
                  .allocator = allocator,
                  .arena = &arena,
                  .excluded = RBL_NONE};
    const rblResult result = cut_surface(&cut, pieces);
    rbl_arena_free(&arena);
    if (result != RBL_OK)
    {
        rbl_pieces_free(pieces);
        return result;
    }
    pieces->noise = cut.options->noise;
    pieces->noise_length = cut.options->noise_length;
    *out = pieces;
    return RBL_OK;
}

void rbl_pieces_free(rblPieces* pieces)
{
    if (pieces != NULL)
    {
        const rblAllocator* allocator = pieces->allocator;
        free_arrays(pieces);
        rbl_free(allocator, pieces, sizeof *pieces);
    }
}
