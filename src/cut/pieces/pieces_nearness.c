// Distance of shells from the impact. A shell that is completely beyond the radius of a break does not become a piece
// of its own.
#include "bvh/triangle/triangle_distance.h"
#include "cut/pieces/pieces_private.h"
#include "math/aabb.h"

static rblVec3d corner_position(const rblCut* cut, uint32_t corner)
{
    return rbl_cut_position(cut, cut->corners.data[corner]);
}

static void lower_distance(rblShell* shell, double distance2)
{
    shell->nearness = rbl_mind(shell->nearness, distance2);
}

// Triangles in one cell, and the parts of cut triangles, which are convex.
static void measure_outside(rblCut* cut, uint32_t cell)
{
    const rblVec3d center = cut->options->center;
    for (uint32_t t = cut->uncut_starts[cell]; t < cut->uncut_starts[cell + 1]; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)cut->uncut[t];
        const rblVec3d* p = cut->surface->positions;
        const rblTriangled triangle = {{p[v[0]], p[v[1]], p[v[2]]}};
        lower_distance(&cut->shells[rbl_cut_shell(cut, v[0], cell)],
                       rbl_triangle_distance2(&triangle, center, (double)INFINITY));
    }
    for (uint32_t p = cut->polygon_starts[cell]; p < cut->polygon_starts[cell + 1]; ++p)
    {
        const uint32_t loop = cut->polygon_order[p];
        const uint32_t begin = cut->loop_starts.data[loop], end = cut->loop_starts.data[loop + 1];
        rblShell* shell = &cut->shells[rbl_cut_shell(cut, cut->corners.data[begin], cell)];
        for (uint32_t c = begin + 2; c < end; ++c)
        {
            const rblTriangled triangle = {
                {corner_position(cut, begin), corner_position(cut, c - 1), corner_position(cut, c)}};
            lower_distance(shell, rbl_triangle_distance2(&triangle, center, (double)INFINITY));
        }
    }
}

// Borders of crack faces.
static void measure_cracks(rblCut* cut, uint32_t cell)
{
    for (uint32_t s = cut->side_starts[cell]; s < cut->side_starts[cell + 1]; ++s)
    {
        const rblCutCap* cap = &cut->caps.data[cut->side_order[s] / 2];
        rblShell* shell =
            &cut->shells[rbl_cut_cap_shell(cut, cut->side_order[s] / 2, cut->side_order[s] % 2)];
        for (uint32_t loop = cap->first_loop; loop < cap->end_loop; ++loop)
        {
            const uint32_t begin = cut->loop_starts.data[loop], end = cut->loop_starts.data[loop + 1];
            rblVec3d from = corner_position(cut, end - 1);
            for (uint32_t c = begin; c < end; ++c)
            {
                const rblVec3d to = corner_position(cut, c);
                lower_distance(
                    shell, rbl_segment_distance2(rbl_sub3d(cut->options->center, from), rbl_sub3d(to, from)));
                from = to;
            }
        }
    }
}

static void measure_block(rblRange range, void* context)
{
    rblCut* cut = context;
    for (uint32_t cell = range.begin; cell < range.end; ++cell)
    {
        for (uint32_t s = cut->shell_starts[cell]; s < cut->shell_starts[cell + 1]; ++s)
        {
            cut->shells[s].nearness = (double)INFINITY;
        }
        const uint32_t* regions = cut->options->regions;
        if ((regions != NULL ? regions[cell] : cell) != cut->options->rest)
        {
            measure_outside(cut, cell);
            measure_cracks(cut, cell);
        }
    }
}

// The shell that contains the centre has distance 0, also if its faces are far away.
void rbl_cut_measure_nearness(rblCut* cut)
{
    const rblVec3d center = cut->options->center;
    rbl_parallel_for(cut->jobs, cut->cells->count, 4, measure_block, cut);
    const rblVec3d at = rbl_add3d(rbl_mat3d_apply(&cut->linear, center), cut->offset);
    const uint32_t cell = rbl_cells_locate(cut->cells, at);
    for (uint32_t s = cut->shell_starts[cell]; s < cut->shell_starts[cell + 1]; ++s)
    {
        rblShell* shell = &cut->shells[s];
        shell->nearness = rbl_aabbd_contains_point(shell->bounds, center) ? 0.0 : shell->nearness;
    }
}
