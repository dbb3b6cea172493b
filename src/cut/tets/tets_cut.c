#include "cut/tets/tets_cut_private.h"

#include "base/error.h"
#include "base/random.h"

#define MAX_TRIES 12 // attempts with shifted cracks
static void begin_work(rblTetsCut* work)
{
    const rblAllocator* allocator = work->cut->allocator;
    rbl_array_init(&work->corners, allocator);
    rbl_array_init(&work->edges, allocator);
    rbl_array_init(&work->facets, allocator);
    rbl_array_init(&work->side_intersections, allocator);
    rbl_array_init(&work->edge_intersections, allocator);
    rbl_array_init(&work->side_heads, allocator);
    rbl_array_init(&work->link_triangles, allocator);
}

static void end_work(rblTetsCut* work)
{
    rbl_array_free(&work->corners);
    rbl_array_free(&work->edges);
    rbl_array_free(&work->facets);
    rbl_array_free(&work->side_intersections);
    rbl_array_free(&work->edge_intersections);
    rbl_array_free(&work->side_heads);
    rbl_array_free(&work->link_triangles);
}

// All stages in order, until one fails.
static rblCutStatus cut_once(rblTetsCut* work, rblPieces* out)
{
    typedef rblCutStatus TetsStageFcn(rblTetsCut * work);
    typedef rblCutStatus StageFcn(rblCut * cut);
    TetsStageFcn* const first[] = {rbl_tets_cut_shift, rbl_tets_cut_intersections, rbl_tets_cut_polygons,
                                   rbl_tets_cut_edges};
    StageFcn* const then[] = {rbl_cut_cap_links, rbl_cut_shells, rbl_cut_merge};
    rblCutStatus status = RBL_CUT_OK;
    for (size_t s = 0; s < sizeof first / sizeof first[0] && status == RBL_CUT_OK; ++s)
    {
        status = first[s](work);
    }
    for (size_t s = 0; s < sizeof then / sizeof then[0] && status == RBL_CUT_OK; ++s)
    {
        status = then[s](work->cut);
    }
    return status == RBL_CUT_OK ? rbl_cut_output(work->cut, out) : status;
}

// Offset of the cracks, far below measurable lengths, for another attempt after a tie: the cracks then meet no vertex
// or edge of the surface exactly.
static rblVec3d shift_of(double size, uint32_t attempt)
{
    rblRandom random = rbl_random_seed(attempt, 7);
    const double reach = attempt > 0 ? 0x1p-38 * size : 0.0;
    rblVec3d shift;
    shift.x = reach * rbl_random_range(&random, -1.0, 1.0);
    shift.y = reach * rbl_random_range(&random, -1.0, 1.0);
    shift.z = reach * rbl_random_range(&random, -1.0, 1.0);
    return shift;
}

static rblCutStatus cut_until_generic(const rblTetsCut* given, rblPieces* out)
{
    rblTetsCut work = *given;
    begin_work(&work);
    const rblCutStatus cracked = rbl_tets_cut_cracks(&work);
    rblCutStatus status = cracked == RBL_CUT_OK ? RBL_CUT_TIE : cracked; // no attempt yet
    for (uint32_t attempt = 0; attempt < MAX_TRIES && status == RBL_CUT_TIE; ++attempt)
    {
        rblArena* arena = given->cut->arena;
        const rblArenaMark mark = rbl_arena_mark(arena);
        rblCut cut = *given->cut;
        work.cut = &cut;
        cut.cells = &work.cells;
        work.shift = shift_of(given->surface->size, attempt);
        // Cracks that were built to fit the surface meet it within rounding. This is worse than a tie: the parts
        // between are degenerate.
        work.near = attempt == 0 ? 0x1p-46 * given->surface->size : 0.0;
        rbl_cut_begin(&cut);
        rbl_array_clear(&work.side_intersections);
        rbl_array_clear(&work.edge_intersections);
        rbl_array_clear(&work.side_heads);
        rbl_array_clear(&work.link_triangles);
        status = cut_once(&work, out);
        rbl_cut_end(&cut);
        rbl_arena_rewind(arena, mark);
    }
    end_work(&work);
    return status;
}

// One more than the largest label of a piece.
static uint32_t count_labels(const rblTetsPartition* partition, uint32_t event)
{
    uint32_t count = event == RBL_NONE ? 1 : 0;
    for (uint32_t e = 0; e < partition->event_count; ++e)
    {
        const rblTetsEvent* from = &partition->events[e];
        const uint32_t first = event == RBL_NONE ? from->first_label : 0;
        for (uint32_t n = 0; n < partition->tets->node_count && (event == RBL_NONE || event == e); ++n)
        {
            const uint32_t label = from->labels[n];
            count = label != RBL_NONE && first + label >= count ? first + label + 1 : count;
        }
    }
    return count;
}

static rblResult check_input(const rblTetsSurface* surface, const rblTetsPartition* partition, uint32_t event,
                             const rblCutOptions* options)
{
    if (surface == NULL || partition == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "cut: surface and partition must not be null");
    }
    if (partition->tets->nodes != surface->tets->nodes)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "cut: the partition must be one of the tetrahedra around the surface");
    }
    if (event != RBL_NONE && event >= partition->event_count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "cut: event %u must be below %u", event, partition->event_count);
    }
    if (options != NULL && (!(options->smallest_volume >= 0.0) || !(options->thinnest >= 0.0)))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "cut: the smallest volume and thickness must not be negative");
    }
    return RBL_OK;
}

rblResult rbl_cut_by_tets(const rblTetsSurface* surface, const rblTetsPartition* partition, uint32_t event,
                          const rblCutOptions* options, rblJobs* jobs, const rblAllocator* allocator,
                          rblPieces** out)
{
    RBL_TRY(check_input(surface, partition, event, options));
    rblPieces* pieces = rbl_alloc_zero(allocator, sizeof *pieces);
    if (pieces == NULL)
    {
        return rbl_fail_memory();
    }
    pieces->allocator = allocator;
    const rblCutOptions defaults = {0};
    rblArena arena;
    rbl_arena_init(&arena, (size_t)1 << 18, allocator);
    const uint32_t labels = count_labels(partition, event);
    rblCut cut = {.surface = &surface->view,
                  .triangle_vertices = surface->triangle_vertices,
                  .triangle_count = surface->triangle_count,
                  .vertex_count = surface->view.vertex_count,
                  .options = options != NULL ? options : &defaults,
                  .jobs = jobs,
                  .allocator = allocator,
                  .arena = &arena,
                  .excluded = event == RBL_NONE ? RBL_NONE : labels};
    const rblTetsCut work = {.cut = &cut,
                             .span = surface->span,
                             .slack = 1e-9 * surface->reach,
                             .surface = surface,
                             .partition = partition,
                             .event = event,
                             .cells = {.count = labels + (event == RBL_NONE ? 0 : 1)}};
    const rblResult result = rbl_cut_result(cut_until_generic(&work, pieces));
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
