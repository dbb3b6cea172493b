// Cells whose one patch passes through a side twice. The cell beyond that side has two patches with a vertex each,
// and the lines to both vertices cross the side. The surface meets the side in two bent lines, each around one of the
// corners that are cut off. If they bent too far, they would cross; they do not as long as each bend stays on the
// half of the side that contains its corner. Vertices at the mean of the crossings never violated this in tests. A
// vertex that was moved to a feature can violate it, and is then moved back towards the mean as far as needed.
#include "mesh/isosurface/isosurface_private.h"

// Step towards the mean, as a fraction of the distance, and the number of steps: 8 x 0.125 is the whole distance.
#define STEP_BACK 0.125
#define MAX_STEPS 8

// Distance, in cells, by which a bend may reach farther than with the vertex at the mean. Of 150000 cells with an
// edge of a cube, in 1000 rotations, one needed it to keep its vertex on that edge. It caused no self-intersection in
// 10^7 faces of noise.
#define LENIENCE 0.05

// The cell beyond a side with alternating corners; it is active.
static const rblIsoCell* cell_beyond(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t side)
{
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    place[side / 2] += side % 2 == 1 ? 1 : UINT32_MAX;
    return &iso->cells[rbl_iso_find_cell(iso, place[0], place[1], place[2])];
}

// The distance from the corner to the point where the line from a to b crosses the side, measured along the edges
// (L1), in cells. Below 1 the point is on the half of the side that contains the corner.
static double bend_distance(const rblIsosurface* iso, const rblIsoCell* cell, uint32_t side, uint32_t corner,
                            rblVec3d a, rblVec3d b)
{
    const uint32_t axis = side / 2;
    const rblVec3d origin =
        rbl_mul_add3d(rbl_iso_cell_corner(iso, cell), rbl_iso_unit(iso), rbl_iso_corner_offset(iso, corner));
    const double from = rbl_iso_component(a, axis) - rbl_iso_component(origin, axis);
    const double to = rbl_iso_component(b, axis) - rbl_iso_component(origin, axis);
    const rblVec3d crossing = rbl_sub3d(rbl_lerp3d(a, b, from / (from - to)), origin);
    double distance = 0.0;
    for (uint32_t i = 1; i < 3; ++i)
    {
        distance +=
            fabs(rbl_iso_component(crossing, (axis + i) % 3)) / rbl_iso_component(iso->step, (axis + i) % 3);
    }
    return distance;
}

// The largest of these distances over all bends, for a given position of the vertex; 0 when no side is passed twice.
static double worst_bend(const rblIsosurface* iso, const rblIsoCell* cell, rblVec3d vertex)
{
    double worst = 0.0;
    for (uint32_t side = 0; side < 6; ++side)
    {
        if (!rbl_iso_passes_twice(cell, side))
        {
            continue;
        }
        const rblIsoCell* beyond = cell_beyond(iso, cell, side);
        for (uint32_t i = rbl_iso_cut_corner(cell, side); i < 4; i += 2)
        {
            const uint32_t patch = rbl_iso_edge_patch(beyond, rbl_iso_side_edge(side ^ 1, i));
            const rblVec3d other = iso->vertices[beyond->first_vertex + patch];
            const uint32_t corner = rbl_iso_side_corner(side, i);
            worst = rbl_maxd(worst, bend_distance(iso, cell, side, corner, vertex, other));
        }
    }
    return worst;
}

// Move the vertex back to the position that the crossings of the cell edges give, and from there towards the mean,
// until the bends are harmless or not worse than with the mean itself.
static void untangle(const rblIsosurface* iso, const rblIsoCell* cell, rblVec3d* vertex)
{
    uint32_t place[3];
    rbl_iso_cell_place(cell, place);
    rblIsoPatch patches[4];
    rbl_iso_gather_patches(iso, cell, patches);
    const rblIsoFeature feature = rbl_iso_fit_feature(&patches[0]);
    const rblVec3d start = rbl_iso_feature_in_box(&feature, rbl_iso_cell_box(iso));
    const rblVec3d corner = rbl_iso_cell_corner(iso, cell);
    const rblVec3d mean = rbl_mul_add3d(corner, rbl_iso_unit(iso), feature.mean);
    const double limit =
        rbl_maxd(1.0, worst_bend(iso, cell, rbl_iso_keep_inside(iso, place, mean)) + LENIENCE);
    for (int step = 0; step <= MAX_STEPS && worst_bend(iso, cell, *vertex) > limit; ++step)
    {
        const rblVec3d x = rbl_lerp3d(start, feature.mean, STEP_BACK * step);
        *vertex = rbl_iso_keep_inside(iso, place, rbl_mul_add3d(corner, rbl_iso_unit(iso), x));
    }
}

static void untangle_block(rblRange range, void* context)
{
    const rblIsosurface* iso = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblVec3d* vertex = &iso->vertices[iso->cells[i].first_vertex];
        if (iso->cells[i].patch_count == 1 && worst_bend(iso, &iso->cells[i], *vertex) >= 1.0)
        {
            untangle(iso, &iso->cells[i], vertex);
        }
    }
}

void rbl_iso_untangle(rblIsosurface* iso)
{
    rbl_parallel_for(rbl_default_jobs(), iso->cell_count, 256, untangle_block, iso);
}
