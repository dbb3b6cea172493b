// Clip of a triangle by the facets of a cell (Sutherland and Hodgman 1974). Each corner of the polygon is identified by
// the two sides that meet in it. Its side of a facet is decided in double if the sign is certain, else exactly.
#include "cut/pieces/pieces_clip.h"

// The corner in the form of the exact predicate.
static rblImplicitPoint implicit_corner(const rblClip* clip, uint32_t corner)
{
    const uint32_t before = rbl_clip_side_before(clip, corner);
    const uint32_t after = clip->corners[0][corner].side;
    const rblVec3d* points = clip->cut->points;
    const uint32_t* v = clip->vertices;
    if (before < RBL_CLIP_NEIGHBOUR && after < RBL_CLIP_NEIGHBOUR)
    {
        return (rblImplicitPoint){1, {points[v[after]]}, {clip->cell}};
    }
    if (before < RBL_CLIP_NEIGHBOUR || after < RBL_CLIP_NEIGHBOUR)
    {
        const uint32_t edge = before < RBL_CLIP_NEIGHBOUR ? before : after;
        const uint32_t other = rbl_clip_neighbour(clip, before < RBL_CLIP_NEIGHBOUR ? after : before);
        return (rblImplicitPoint){2, {points[v[edge]], points[v[(edge + 1) % 3]]}, {clip->cell, other}};
    }
    return (rblImplicitPoint){
        3,
        {points[v[0]], points[v[1]], points[v[2]]},
        {clip->cell, rbl_clip_neighbour(clip, before), rbl_clip_neighbour(clip, after)}};
}

// Sign of f_slot - f_cell at a corner.
static int corner_side(rblClip* clip, uint32_t corner, uint32_t slot)
{
    const rblClipCorner* c = &clip->corners[0][corner];
    const double* v = clip->values[slot];
    const double p = c->weights[0] * v[0], q = c->weights[1] * v[1], r = c->weights[2] * v[2];
    const double value = p + q + r;
    const double error_bound =
        clip->cut->error_bound * (c->weights[0] + c->weights[1] + c->weights[2] + 3.0 * c->error) +
        c->error * (fabs(v[0]) + fabs(v[1]) + fabs(v[2])) + 0x1p-50 * (fabs(p) + fabs(q) + fabs(r));
    if (fabs(value) > error_bound)
    {
        return value < 0.0 ? -1 : 1;
    }
    const rblImplicitPoint named = implicit_corner(clip, corner);
    const int sign = rbl_implicit_side(clip->cut->cells, &named, clip->cell,
                                       rbl_clip_neighbour(clip, RBL_CLIP_NEIGHBOUR + slot));
    if (sign == 0)
    {
        rbl_clip_fail(clip, RBL_CUT_TIE);
    }
    return sign;
}

// Weights of the point where u = v = 0; see pieces_side.c.
static void weigh_triple(const rblClip* clip, const double* u, const double* v, rblClipCorner* out)
{
    double sum = 0.0, size = 0.0, largest = 0.0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t q = (k + 1) % 3, r = (k + 2) % 3;
        const double left = u[q] * v[r], right = u[r] * v[q];
        out->weights[k] = left - right;
        sum += out->weights[k];
        size = rbl_maxd(size, fabs(left) + fabs(right));
        largest = rbl_maxd(largest, fabs(u[k]) + fabs(v[k]));
    }
    const double error_bound = clip->cut->error_bound;
    out->error = error_bound * (2.0 * largest + 2.0 * error_bound) + 0x1p-51 * size;
    if (!(fabs(sum) > 4.0 * out->error))
    {
        out->error = (double)INFINITY;
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        out->weights[k] = rbl_maxd(sum < 0.0 ? -out->weights[k] : out->weights[k], 0.0);
    }
}

// Intersection of a side of the polygon with the facet of `slot`.
static rblClipCorner meet(const rblClip* clip, uint32_t side, uint32_t slot)
{
    rblClipCorner corner = {.side = side};
    const double* v = clip->values[slot];
    if (side < RBL_CLIP_NEIGHBOUR)
    {
        const uint32_t a = side, b = (side + 1) % 3;
        corner.weights[a] = fabs(v[b]);
        corner.weights[b] = fabs(v[a]);
        corner.error = clip->cut->error_bound;
        return corner;
    }
    weigh_triple(clip, clip->values[side - RBL_CLIP_NEIGHBOUR], v, &corner);
    return corner;
}

// Keep the part on the cell's side of a neighbour.
static void clip_by(rblClip* clip, uint32_t slot)
{
    uint32_t inside = 0;
    for (uint32_t n = 0; n < clip->count; ++n)
    {
        clip->signs[n] = corner_side(clip, n, slot);
        inside += clip->signs[n] > 0 ? 1 : 0;
    }
    if (inside == clip->count)
    {
        return;
    }
    uint32_t count = 0;
    rblClipCorner* out = clip->corners[1];
    for (uint32_t n = 0; n < clip->count; ++n)
    {
        const uint32_t next = n + 1 < clip->count ? n + 1 : 0;
        const uint32_t side = clip->corners[0][n].side;
        if (clip->signs[n] > 0)
        {
            out[count++] = clip->corners[0][n];
        }
        if ((clip->signs[n] > 0) != (clip->signs[next] > 0))
        {
            out[count] = meet(clip, side, slot);
            out[count++].side = clip->signs[n] > 0 ? RBL_CLIP_NEIGHBOUR + slot : side;
        }
    }
    clip->corners[1] = clip->corners[0];
    clip->corners[0] = out;
    clip->count = inside > 0 ? count : 0;
}

void rbl_clip_to_cell(rblClip* clip, uint32_t cell)
{
    const rblCut* cut = clip->cut;
    clip->cell = cell;
    clip->count = 3;
    for (uint32_t k = 0; k < 3; ++k)
    {
        clip->corners[0][k] =
            (rblClipCorner){k, {k == 0 ? 1.0 : 0.0, k == 1 ? 1.0 : 0.0, k == 2 ? 1.0 : 0.0}, 0.0};
    }
    const uint32_t first = cut->rings.starts[cell];
    for (uint32_t s = 0; s < cut->rings.ends[cell] - first && clip->count > 0; ++s)
    {
        bool clear = true;
        for (uint32_t k = 0; k < 3; ++k)
        {
            clip->values[s][k] = rbl_cut_value(cut, cell, cut->rings.cells[first + s], clip->vertices[k]);
            clear = clear && clip->values[s][k] > cut->error_bound;
        }
        if (!clear)
        {
            clip_by(clip, s);
        }
    }
}
