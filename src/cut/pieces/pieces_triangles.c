// Mixed triangles, cut into one convex polygon per cell.
//
// A triangle whose sides pass through two cells only is in these two cells as a whole: the part of a third cell would
// be unbounded and would leave the triangle through a side. All other triangles are cut cell by cell, starting with the
// cells of the vertices and continuing across every side that a neighbour cuts.
#include "cut/pieces/pieces_clip.h"

typedef struct ClipJob
{
    rblCut* cut;
    rblClip* clips; // one per block
    uint32_t base;  // vertex index of the first triple
} ClipJob;

// ---- vertex indices of corners ----

static uint32_t edge_node(rblClip* clip, uint32_t edge, uint32_t a, uint32_t b)
{
    const rblCut* cut = clip->cut;
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    if (clip->edges[edge] != RBL_NONE)
    {
        const rblCutEdge* e = &cut->edges[clip->edges[edge]];
        for (uint32_t n = e->first_node; n < e->first_node + e->node_count; ++n)
        {
            if (cut->nodes.data[n].cells[0] == low && cut->nodes.data[n].cells[1] == high)
            {
                return cut->vertex_count + n;
            }
        }
    }
    rbl_clip_fail(clip, RBL_CUT_OPEN);
    return 0;
}

static uint32_t find_cell_edge(const rblClip* clip, uint32_t facet, uint32_t third)
{
    const rblCells* cells = clip->cut->cells;
    for (uint32_t e = cells->facets[facet].first_edge; e < cells->facets[facet].end_edge; ++e)
    {
        const uint32_t* of = cells->edges[cells->facet_edges[e]].cells;
        if (of[0] == third || of[1] == third || of[2] == third)
        {
            return cells->facet_edges[e];
        }
    }
    return RBL_NONE;
}

static uint32_t add_triple(rblClip* clip, uint32_t cell_edge, const rblClipCorner* corner)
{
    rblClipTriple triple = {.cell_edge = cell_edge, .triangle = clip->triangle};
    double sum = 0.0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        triple.cells[k] = clip->cut->cells->edges[cell_edge].cells[k];
        sum += corner->weights[k];
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        triple.weights[k] = sum > 0.0 ? corner->weights[k] / sum : 1.0 / 3.0;
    }
    const uint32_t number = (uint32_t)clip->triples.count;
    if (!rbl_array_push(&clip->triples, triple))
    {
        rbl_clip_fail(clip, RBL_CUT_MEMORY);
        return 0;
    }
    clip->triple_stamps[cell_edge] = clip->stamp;
    clip->triple_numbers[cell_edge] = number;
    return number;
}

// Counter-clockwise around the node, seen from outside, are the cell, the neighbour before it and the neighbour after
// it. If this is the order of the cells of the cell edge, the edge has the direction of the surface's normal: it leaves
// the solid.
static uint32_t triple_node(rblClip* clip, uint32_t before, uint32_t after, const rblClipCorner* corner,
                            uint32_t base)
{
    const uint32_t x = rbl_clip_neighbour(clip, before), y = rbl_clip_neighbour(clip, after);
    const uint32_t cell_edge = find_cell_edge(clip, rbl_clip_facet(clip, before), y);
    if (cell_edge == RBL_NONE)
    {
        rbl_clip_fail(clip, RBL_CUT_TIE);
        return 0;
    }
    const bool known = clip->triple_stamps[cell_edge] == clip->stamp;
    const uint32_t number = known ? clip->triple_numbers[cell_edge] : add_triple(clip, cell_edge, corner);
    if (clip->status == RBL_CUT_OK && clip->cell < x && clip->cell < y)
    {
        clip->triples.data[number].enters = x > y;
    }
    return base + number;
}

static uint32_t corner_number(rblClip* clip, uint32_t corner, uint32_t base)
{
    const uint32_t before = rbl_clip_side_before(clip, corner);
    const uint32_t after = clip->corners[0][corner].side;
    if (before < RBL_CLIP_NEIGHBOUR && after < RBL_CLIP_NEIGHBOUR)
    {
        return clip->vertices[after];
    }
    if (before < RBL_CLIP_NEIGHBOUR)
    {
        return edge_node(clip, before, clip->cell, rbl_clip_neighbour(clip, after));
    }
    if (after < RBL_CLIP_NEIGHBOUR)
    {
        return edge_node(clip, after, clip->cell, rbl_clip_neighbour(clip, before));
    }
    return triple_node(clip, before, after, &clip->corners[0][corner], base);
}

// ---- output ----

static void add_polygon(rblClip* clip, uint32_t cell, const uint32_t* corners, uint32_t count)
{
    const rblCutPolygon polygon = {clip->triangle, cell};
    bool stored = rbl_array_push(&clip->polygons, polygon) &&
                  rbl_array_push(&clip->loop_starts, (uint32_t)clip->vertex_corners.count);
    for (uint32_t n = 0; n < count; ++n)
    {
        stored = stored && rbl_array_push(&clip->vertex_corners, corners[n]);
    }
    if (!stored)
    {
        rbl_clip_fail(clip, RBL_CUT_MEMORY);
    }
}

// The polygon of the first cell is directed from `to` to `from`; the crack face next to it has the opposite direction.
static void add_link(rblClip* clip, uint32_t facet, uint32_t from, uint32_t to)
{
    if (!rbl_array_push(&clip->links, ((rblCutLink){facet, from, to})))
    {
        rbl_clip_fail(clip, RBL_CUT_MEMORY);
    }
}

static void store_cell(rblClip* clip, uint32_t base)
{
    for (uint32_t n = 0; n < clip->count; ++n)
    {
        clip->names[n] = corner_number(clip, n, base);
    }
    add_polygon(clip, clip->cell, clip->names, clip->count);
    for (uint32_t n = 0; n < clip->count; ++n)
    {
        const uint32_t side = clip->corners[0][n].side;
        if (side < RBL_CLIP_NEIGHBOUR)
        {
            continue;
        }
        const uint32_t other = rbl_clip_neighbour(clip, side);
        if (clip->cell < other)
        {
            add_link(clip, rbl_clip_facet(clip, side), clip->names[n + 1 < clip->count ? n + 1 : 0],
                     clip->names[n]);
        }
        if (clip->seen[other] != clip->stamp)
        {
            clip->seen[other] = clip->stamp;
            if (!rbl_array_push(&clip->open, other))
            {
                rbl_clip_fail(clip, RBL_CUT_MEMORY);
            }
        }
    }
}

static void cut_cells(rblClip* clip, uint32_t base)
{
    rbl_array_clear(&clip->open);
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t cell = clip->cut->labels[clip->vertices[k]];
        if (clip->seen[cell] != clip->stamp)
        {
            clip->seen[cell] = clip->stamp;
            if (!rbl_array_push(&clip->open, cell))
            {
                rbl_clip_fail(clip, RBL_CUT_MEMORY);
            }
        }
    }
    for (size_t n = 0; n < clip->open.count && clip->status == RBL_CUT_OK; ++n)
    {
        rbl_clip_to_cell(clip, clip->open.data[n]);
        if (clip->count > 0 && clip->status == RBL_CUT_OK)
        {
            store_cell(clip, base);
        }
    }
}

static uint32_t facet_between(const rblCut* cut, uint32_t a, uint32_t b)
{
    const rblCellRings* rings = &cut->rings;
    for (uint32_t s = rings->starts[a]; s < rings->ends[a]; ++s)
    {
        if (rings->cells[s] == b)
        {
            return rings->facets[s];
        }
    }
    return RBL_NONE;
}

// The most frequent case: one vertex (`tip`) in a cell of its own, and two sides that each pass once into the other
// cell.
static void cut_in_two(rblClip* clip, uint32_t tip)
{
    const rblCut* cut = clip->cut;
    const uint32_t a = tip, b = (tip + 1) % 3, c = (tip + 2) % 3;
    const uint32_t near = cut->labels[clip->vertices[a]], far = cut->labels[clip->vertices[b]];
    const uint32_t out = cut->vertex_count + cut->edges[clip->edges[a]].first_node;
    const uint32_t in = cut->vertex_count + cut->edges[clip->edges[c]].first_node;
    const uint32_t facet = facet_between(cut, near, far);
    if (facet == RBL_NONE)
    {
        rbl_clip_fail(clip, RBL_CUT_TIE);
        return;
    }
    add_polygon(clip, near, (const uint32_t[]){clip->vertices[a], out, in}, 3);
    add_polygon(clip, far, (const uint32_t[]){out, clip->vertices[b], clip->vertices[c], in}, 4);
    add_link(clip, facet, near < far ? in : out, near < far ? out : in);
}

static bool is_single(const rblClip* clip, uint32_t edge)
{
    return clip->edges[edge] != RBL_NONE && clip->cut->edges[clip->edges[edge]].node_count == 1;
}

static void cut_triangle(rblClip* clip, uint32_t base)
{
    const rblCut* cut = clip->cut;
    for (uint32_t k = 0; k < 3; ++k)
    {
        clip->vertices[k] = cut->triangle_vertices[3 * (size_t)clip->triangle + k];
    }
    uint32_t tip = 3;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t a = clip->vertices[k], b = clip->vertices[(k + 1) % 3];
        const bool stays = cut->labels[a] == cut->labels[b];
        clip->edges[k] = stays ? RBL_NONE : rbl_hash_map_find(&cut->edge_numbers, rbl_pair_key(a, b));
        tip = stays ? (k + 2) % 3 : tip;
        if (!stays && clip->edges[k] == RBL_MAP_EMPTY)
        {
            rbl_clip_fail(clip, RBL_CUT_OPEN);
            return;
        }
    }
    if (tip < 3 && is_single(clip, tip) && is_single(clip, (tip + 2) % 3))
    {
        cut_in_two(clip, tip);
        return;
    }
    cut_cells(clip, base);
}

// ---- blocks ----

static bool open_clip(rblClip* clip, rblCut* cut)
{
    const rblAllocator* allocator = cut->allocator;
    const size_t max_slots = (size_t)cut->rings.max_slots + 4;
    *clip = (rblClip){.cut = cut};
    rbl_array_init(&clip->open, allocator);
    rbl_array_init(&clip->polygons, allocator);
    rbl_array_init(&clip->loop_starts, allocator);
    rbl_array_init(&clip->vertex_corners, allocator);
    rbl_array_init(&clip->triples, allocator);
    rbl_array_init(&clip->links, allocator);
    clip->seen = RBL_ARENA_ARRAY(cut->arena, uint32_t, cut->cells->count);
    clip->triple_stamps = RBL_ARENA_ARRAY(cut->arena, uint32_t, cut->cells->edge_count);
    clip->triple_numbers = RBL_ARENA_ARRAY(cut->arena, uint32_t, cut->cells->edge_count);
    clip->values = (double(*)[3])RBL_ARENA_ARRAY(cut->arena, double, 3 * max_slots);
    clip->corners[0] = RBL_ARENA_ARRAY(cut->arena, rblClipCorner, max_slots);
    clip->corners[1] = RBL_ARENA_ARRAY(cut->arena, rblClipCorner, max_slots);
    clip->names = RBL_ARENA_ARRAY(cut->arena, uint32_t, max_slots);
    clip->signs = RBL_ARENA_ARRAY(cut->arena, int, max_slots);
    return clip->seen != NULL && clip->triple_stamps != NULL && clip->triple_numbers != NULL &&
           clip->values != NULL && clip->corners[0] != NULL && clip->corners[1] != NULL &&
           clip->names != NULL && clip->signs != NULL;
}

static void close_clip(rblClip* clip)
{
    rbl_array_free(&clip->open);
    rbl_array_free(&clip->polygons);
    rbl_array_free(&clip->loop_starts);
    rbl_array_free(&clip->vertex_corners);
    rbl_array_free(&clip->triples);
    rbl_array_free(&clip->links);
}

static void clip_block(rblRange range, void* context)
{
    ClipJob* job = context;
    rblClip* clip = &job->clips[range.block];
    const rblCut* cut = job->cut;
    memset(clip->seen, 0, sizeof *clip->seen * cut->cells->count);
    memset(clip->triple_stamps, 0, sizeof *clip->triple_stamps * cut->cells->edge_count);
    for (uint32_t n = range.begin; n < range.end && clip->status == RBL_CUT_OK; ++n)
    {
        clip->triangle = cut->mixed[n];
        clip->stamp = n - range.begin + 1;
        cut_triangle(clip, job->base);
    }
}

// Append the results of all blocks. Until now the triples of a block are numbered from 0.
static void gather_block(rblRange range, void* context)
{
    ClipJob* job = context;
    rblCut* cut = job->cut;
    for (uint32_t b = range.begin; b < range.end; ++b)
    {
        const rblClip* clip = &job->clips[b];
        for (size_t p = 0; p < clip->polygons.count; ++p)
        {
            cut->polygons.data[clip->first_polygon + p] = clip->polygons.data[p];
            cut->loop_starts.data[clip->first_polygon + p] = clip->first_corner + clip->loop_starts.data[p];
        }
        for (size_t c = 0; c < clip->vertex_corners.count; ++c)
        {
            const uint32_t v = clip->vertex_corners.data[c];
            cut->corners.data[clip->first_corner + c] = v >= job->base ? v + clip->first_triple : v;
        }
        for (size_t l = 0; l < clip->links.count; ++l)
        {
            rblCutLink link = clip->links.data[l];
            link.from += link.from >= job->base ? clip->first_triple : 0;
            link.to += link.to >= job->base ? clip->first_triple : 0;
            cut->links.data[clip->first_link + l] = link;
        }
        for (size_t t = 0; t < clip->triples.count; ++t)
        {
            const rblClipTriple* triple = &clip->triples.data[t];
            const uint32_t* v = cut->triangle_vertices + 3 * (size_t)triple->triangle;
            const uint32_t crossing = clip->first_triple + (uint32_t)t;
            const uint32_t node = job->base - cut->vertex_count + crossing;
            const double* w = triple->weights;
            rblVec3d p = rbl_scale3d(cut->surface->positions[v[0]], w[0]);
            p = rbl_mul_add3d(p, w[1], cut->surface->positions[v[1]]);
            cut->positions.data[node] = rbl_mul_add3d(p, w[2], cut->surface->positions[v[2]]);
            cut->nodes.data[node] =
                (rblCutNode){{triple->cells[0], triple->cells[1], triple->cells[2], RBL_NONE}};
            cut->origins.data[node] =
                (rblPieceVertex){triple->triangle, {RBL_NONE, RBL_NONE}, {w[0], w[1], w[2]}};
            cut->crossings.data[crossing] = (rblCutCrossing){triple->cell_edge, node, triple->enters};
        }
    }
}

static rblCutStatus gather_blocks(ClipJob* job, uint32_t blocks)
{
    rblCut* cut = job->cut;
    uint32_t triples = 0, polygons = 0, corners = 0, links = 0;
    rblCutStatus status = RBL_CUT_OK;
    for (uint32_t b = 0; b < blocks; ++b)
    {
        rblClip* clip = &job->clips[b];
        status = clip->status > status ? clip->status : status;
        clip->first_triple = triples;
        clip->first_polygon = polygons;
        clip->first_corner = corners;
        clip->first_link = links;
        triples += (uint32_t)clip->triples.count;
        polygons += (uint32_t)clip->polygons.count;
        corners += (uint32_t)clip->vertex_corners.count;
        links += (uint32_t)clip->links.count;
    }
    if (status != RBL_CUT_OK)
    {
        return status;
    }
    const size_t nodes = cut->nodes.count + triples;
    if (!rbl_array_resize(&cut->nodes, nodes) || !rbl_array_resize(&cut->positions, nodes) ||
        !rbl_array_resize(&cut->origins, nodes) || !rbl_array_resize(&cut->polygons, polygons) ||
        !rbl_array_resize(&cut->loop_starts, polygons) || !rbl_array_resize(&cut->corners, corners) ||
        !rbl_array_resize(&cut->links, links) || !rbl_array_resize(&cut->crossings, triples))
    {
        return RBL_CUT_MEMORY;
    }
    rbl_parallel_for(cut->jobs, blocks, 1, gather_block, job);
    return RBL_CUT_OK;
}

rblCutStatus rbl_cut_triangles(rblCut* cut)
{
    if (cut->mixed_count == 0)
    {
        return RBL_CUT_OK;
    }
    // A small number of blocks: each has an array per cell and per cell edge.
    const uint32_t min_range = cut->mixed_count / 16 + 4;
    const uint32_t blocks = rbl_block_count(cut->mixed_count, min_range);
    ClipJob job = {cut, RBL_ARENA_ARRAY(cut->arena, rblClip, blocks),
                   cut->vertex_count + (uint32_t)cut->nodes.count};
    if (job.clips == NULL)
    {
        return RBL_CUT_MEMORY;
    }
    bool opened = true;
    for (uint32_t b = 0; b < blocks; ++b)
    {
        opened = open_clip(&job.clips[b], cut) && opened;
    }
    rblCutStatus status = RBL_CUT_MEMORY;
    if (opened)
    {
        rbl_parallel_for(cut->jobs, cut->mixed_count, min_range, clip_block, &job);
        status = gather_blocks(&job, blocks);
    }
    for (uint32_t b = 0; b < blocks; ++b)
    {
        close_clip(&job.clips[b]);
    }
    return status;
}
