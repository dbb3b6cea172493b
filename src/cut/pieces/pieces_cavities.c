// Cavities: shells of negative volume, which are holes in another shell of the same cell. The outer shell of a cavity
// is the smallest shell of positive volume that contains it. The test is exact: it counts the triangles that a ray
// along x crosses. The other coordinates of the ray are shifted by an infinitesimal, so that it meets no edge.
#include "cut/pieces/pieces_private.h"
#include "math/predicates.h"

// Winding number of a triangle's border around the ray, seen along the ray; 0 if the triangle is behind the point.
int rbl_cut_ray_turns(rblVec3d p, rblVec3d a, rblVec3d b, rblVec3d c)
{
    const rblVec3d corner[3] = {a, b, c};
    const double at[2] = {p.y, p.z};
    int turns = 0;
    for (int k = 0; k < 3; ++k)
    {
        const double from[2] = {corner[k].y, corner[k].z};
        const double to[2] = {corner[(k + 1) % 3].y, corner[(k + 1) % 3].z};
        const bool up = from[1] <= at[1] && to[1] > at[1];
        const bool down = to[1] <= at[1] && from[1] > at[1];
        if (up || down)
        {
            const double side = rbl_orient2d(from, to, at);
            turns += up && side > 0.0 ? 1 : 0;
            turns -= down && side <= 0.0 ? 1 : 0;
        }
    }
    if (turns == 0)
    {
        return 0;
    }
    // Counter-clockwise seen from +x: the normal points to +x, and the point is below the plane if orient3d is
    // positive.
    const double below = rbl_orient3d(a, b, c, p);
    return (turns > 0 ? below > 0.0 : below < 0.0) ? turns : 0;
}

static int loop_passes(const rblCut* cut, uint32_t loop, bool backwards, rblVec3d p)
{
    const uint32_t begin = cut->loop_starts.data[loop], end = cut->loop_starts.data[loop + 1];
    const rblVec3d a = rbl_cut_position(cut, cut->corners.data[begin]);
    int turns = 0;
    for (uint32_t c = begin + 1; c + 1 < end; ++c)
    {
        const rblVec3d b = rbl_cut_position(cut, cut->corners.data[c]);
        const rblVec3d d = rbl_cut_position(cut, cut->corners.data[c + 1]);
        turns += backwards ? rbl_cut_ray_turns(p, a, d, b) : rbl_cut_ray_turns(p, a, b, d);
    }
    return turns;
}

static bool contains_point(const rblCut* cut, uint32_t shell, rblVec3d p)
{
    const uint32_t cell = cut->shells[shell].cell;
    int turns = 0;
    for (uint32_t t = cut->uncut_starts[cell]; t < cut->uncut_starts[cell + 1]; ++t)
    {
        const uint32_t* v = cut->triangle_vertices + 3 * (size_t)cut->uncut[t];
        const rblVec3d* at = cut->surface->positions;
        turns +=
            rbl_cut_shell(cut, v[0], cell) == shell ? rbl_cut_ray_turns(p, at[v[0]], at[v[1]], at[v[2]]) : 0;
    }
    for (uint32_t n = cut->polygon_starts[cell]; n < cut->polygon_starts[cell + 1]; ++n)
    {
        const uint32_t loop = cut->polygon_order[n];
        const bool of_shell = rbl_cut_shell(cut, rbl_cut_first_corner(cut, loop), cell) == shell;
        turns += of_shell ? loop_passes(cut, loop, false, p) : 0;
    }
    for (uint32_t n = cut->side_starts[cell]; n < cut->side_starts[cell + 1]; ++n)
    {
        const uint32_t side = cut->side_order[n] % 2;
        const rblCutCap* cap = &cut->caps.data[cut->side_order[n] / 2];
        const bool of_shell = rbl_cut_cap_shell(cut, cut->side_order[n] / 2, side) == shell;
        for (uint32_t loop = cap->first_loop; of_shell && loop < cap->end_loop; ++loop)
        {
            turns += loop_passes(cut, loop, side != 0, p);
        }
    }
    return turns > 0;
}

// A corner of the shell: the first corner of its first face.
static rblVec3d point_of(const rblCut* cut, uint32_t shell)
{
    const uint32_t cell = cut->shells[shell].cell;
    for (uint32_t t = cut->uncut_starts[cell]; t < cut->uncut_starts[cell + 1]; ++t)
    {
        const uint32_t v = cut->triangle_vertices[3 * (size_t)cut->uncut[t]];
        if (rbl_cut_shell(cut, v, cell) == shell)
        {
            return cut->surface->positions[v];
        }
    }
    for (uint32_t n = cut->polygon_starts[cell]; n < cut->polygon_starts[cell + 1]; ++n)
    {
        const uint32_t v = rbl_cut_first_corner(cut, cut->polygon_order[n]);
        if (rbl_cut_shell(cut, v, cell) == shell)
        {
            return rbl_cut_position(cut, v);
        }
    }
    for (uint32_t n = cut->side_starts[cell]; n < cut->side_starts[cell + 1]; ++n)
    {
        const uint32_t side = cut->side_order[n];
        if (rbl_cut_cap_shell(cut, side / 2, side % 2) == shell)
        {
            return rbl_cut_position(cut, rbl_cut_first_corner(cut, cut->caps.data[side / 2].first_loop));
        }
    }
    return cut->shells[shell].origin;
}

static void assign_cavity(rblCut* cut, uint32_t cavity)
{
    const uint32_t cell = cut->shells[cavity].cell;
    const rblVec3d p = point_of(cut, cavity);
    uint32_t outer = RBL_NONE;
    for (uint32_t s = cut->shell_starts[cell]; s < cut->shell_starts[cell + 1]; ++s)
    {
        const rblShell* shell = &cut->shells[s];
        const bool smaller = outer == RBL_NONE || shell->volume < cut->shells[outer].volume;
        if (shell->volume > 0.0 && smaller && contains_point(cut, s, p))
        {
            outer = s;
        }
    }
    if (outer != RBL_NONE)
    {
        cut->shells[cavity].group = outer;
    }
}

void rbl_cut_cavities(rblCut* cut)
{
    for (uint32_t s = 0; s < cut->shell_count; ++s)
    {
        if (cut->shells[s].volume < 0.0)
        {
            assign_cavity(cut, s);
        }
    }
}
