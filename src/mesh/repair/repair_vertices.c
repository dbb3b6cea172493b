// Vertices: one copy for each fan of faces connected by edges.
#include "base/error.h"
#include "base/hash_map.h"
#include "base/union_find.h"
#include "math/vec.h"
#include "mesh/repair/repair.h"
#include <string.h>

void rbl_repair_fans(const rblRepair* r, uint32_t* parents)
{
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        parents[c] = c;
    }
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        const uint32_t twin = r->corners.data[c].twin;
        if (twin == RBL_NONE || twin < c)
        {
            continue;
        }
        const bool agree = rbl_repair_vertex(r, c) != rbl_repair_vertex(r, twin);
        const uint32_t next = rbl_repair_next(r, c);
        const uint32_t next_of_twin = rbl_repair_next(r, twin);
        rbl_union_join(parents, c, agree ? next_of_twin : twin);
        rbl_union_join(parents, next, agree ? twin : next_of_twin);
    }
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        parents[c] = rbl_union_root(parents, c);
    }
}

// Mark the fans that have boundary edges.
static void mark_open(const rblRepair* r, const uint32_t* fans, uint8_t* open)
{
    memset(open, 0, r->corners.count);
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        if (r->corners.data[c].twin == RBL_NONE)
        {
            open[fans[c]] = 1;
            open[fans[rbl_repair_next(r, c)]] = 1;
        }
    }
}

// The first fan keeps the vertex, every other fan gets a copy of it. Fans with boundary edges stay together: they may
// be parts of one sheet with an unfilled hole between them.
static rblResult split_fans(rblRepair* r, const uint32_t* fans)
{
    uint32_t* copies = RBL_SCRATCH(r, uint32_t, r->corners.count);  // per fan: its vertex
    uint32_t* taken = RBL_SCRATCH(r, uint32_t, r->positions.count); // per vertex: the fan that keeps it
    // Per vertex: the copy that its open fans share.
    uint32_t* open_copies = RBL_SCRATCH(r, uint32_t, r->positions.count);
    uint8_t* open = RBL_SCRATCH(r, uint8_t, r->corners.count);
    if (copies == NULL || taken == NULL || open_copies == NULL || open == NULL)
    {
        return rbl_fail_memory();
    }
    memset(taken, 0xFF, sizeof *taken * r->positions.count);
    memset(open_copies, 0xFF, sizeof *open_copies * r->positions.count);
    mark_open(r, fans, open);
    for (uint32_t c = 0; c < r->corners.count; ++c)
    {
        uint32_t* vertex = &r->corners.data[c].vertex;
        const uint32_t old = *vertex;
        if (fans[c] == c)
        {
            copies[c] = open[c] ? open_copies[old] : RBL_NONE;
        }
        if (fans[c] == c && copies[c] == RBL_NONE)
        {
            copies[c] = old;
            if (taken[old] != RBL_NONE)
            {
                RBL_TRY(rbl_repair_add_vertex(r, r->positions.data[old], &copies[c]));
                r->report->split_vertices += 1;
            }
            taken[old] = c;
            open_copies[old] = open[c] ? copies[c] : open_copies[old];
        }
        *vertex = copies[fans[c]];
    }
    return RBL_OK;
}

// ---- edges that still have more than two faces, connected around both ends ----

static rblResult write_corners(rblRepair* r, uint32_t f, const uint32_t* middles)
{
    const rblRepairFace old = r->faces.data[f];
    r->faces.data[f].begin = (uint32_t)r->corners.count;
    r->faces.data[f].size = 0;
    for (uint32_t i = 0; i < old.size; ++i)
    {
        const rblRepairCorner corner = r->corners.data[old.begin + i];
        const uint32_t middle = middles[old.begin + i];
        RBL_TRY(rbl_repair_add_corner(r, f, corner.vertex, corner.source));
        if (middle != RBL_NONE)
        {
            const uint32_t after = r->corners.data[old.begin + (i + 1) % old.size].source;
            uint32_t source;
            RBL_TRY(rbl_repair_blend(r, corner.source, after, 0.5, &source));
            RBL_TRY(rbl_repair_add_corner(r, f, middle, source));
        }
    }
    return RBL_OK;
}

// Whether some half-edge of this edge has no twin: the surface is open here, and separating the edge would not change
// that.
static bool ends_here(const rblRepair* r, const rblRepairEdges* edges, uint32_t e)
{
    bool ends = false;
    for (uint32_t i = edges->starts[e]; i < edges->starts[e + 1]; ++i)
    {
        ends = ends || r->corners.data[edges->corners[i]].twin == RBL_NONE;
    }
    return ends;
}

// Insert a separate vertex in the middle of each pair of half-edges at an edge of many faces.
static rblResult choose_middles(rblRepair* r, const rblRepairEdges* edges, uint32_t* middles, bool* any)
{
    for (uint32_t e = 0; e < edges->count; ++e)
    {
        const bool crowded = rbl_repair_edge_size(edges, e) > 2 && !ends_here(r, edges, e);
        for (uint32_t i = edges->starts[e]; crowded && i < edges->starts[e + 1]; ++i)
        {
            const uint32_t c = edges->corners[i];
            const uint32_t twin = r->corners.data[c].twin;
            if (middles[c] != RBL_NONE)
            {
                continue;
            }
            const rblVec3d from = rbl_repair_position(r, c);
            const rblVec3d to = rbl_repair_position(r, rbl_repair_next(r, c));
            const rblVec3d middle = rbl_scale3d(rbl_add3d(from, to), 0.5);
            RBL_TRY(rbl_repair_add_vertex(r, middle, &middles[c]));
            r->report->split_vertices += 1;
            middles[twin] = middles[c];
            *any = true;
        }
    }
    return RBL_OK;
}

static rblResult split_crowded_edges(rblRepair* r)
{
    rblRepairEdges edges;
    RBL_TRY(rbl_repair_edges(r, NULL, &edges));
    uint32_t* middles = RBL_SCRATCH(r, uint32_t, r->corners.count);
    if (middles == NULL)
    {
        return rbl_fail_memory();
    }
    memset(middles, 0xFF, sizeof *middles * r->corners.count);
    bool any = false;
    RBL_TRY(choose_middles(r, &edges, middles, &any));
    for (uint32_t f = 0; f < r->faces.count && any; ++f)
    {
        const rblRepairFace face = r->faces.data[f];
        bool cut = false;
        for (uint32_t c = face.begin; c < face.begin + face.size; ++c)
        {
            cut = cut || middles[c] != RBL_NONE;
        }
        if (cut)
        {
            RBL_TRY(write_corners(r, f, middles));
        }
    }
    if (!any)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_repair_compact(r));
    RBL_TRY(rbl_repair_edges(r, NULL, &edges));
    rbl_repair_pair_plain_edges(r, &edges); // edges with more faces become open ones
    return RBL_OK;
}

rblResult rbl_repair_split_vertices(rblRepair* r)
{
    RBL_TRY(rbl_repair_compact(r));
    uint32_t* fans = RBL_SCRATCH(r, uint32_t, r->corners.count);
    if (fans == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_repair_fans(r, fans);
    RBL_TRY(split_fans(r, fans));
    return split_crowded_edges(r);
}
