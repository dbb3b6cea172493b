// The cracks in a divided mesh of tetrahedra: facets with their common edges and corners. A corner is identified by the
// edge, face or tetrahedron of the mesh that contains it.
#include "cut/tets/tets_cut_private.h"

// Data of one tetrahedron for its facets.
typedef struct CrackTet
{
    rblTetsCut* work;
    uint32_t tet;
    const uint32_t* nodes;
    rblVec3d corners[4];
    rblTetRule rule;
    uint32_t cells[4];    // per part: its cell
    uint32_t numbers[16]; // index of each corner, by its set of nodes; RBL_NONE: not looked up yet
    uint32_t inner_edges; // the first crack edge inside the tetrahedron, in no face of it; RBL_NONE: none yet
} CrackTet;

// ---- corners ----

// The edge of the mesh between two nodes of a tetrahedron, given as a set.
static uint32_t edge_of(uint32_t nodes)
{
    uint32_t e = 0;
    while (e < 5 && (1u << rbl_tet_edges[e][0] | 1u << rbl_tet_edges[e][1]) != nodes)
    {
        ++e;
    }
    return e;
}

// Address of the index of a corner that other tetrahedra share; null: the corner is inside this tetrahedron.
static uint32_t* shared_corner(const CrackTet* crack, uint32_t nodes)
{
    const rblTetsSurface* surface = crack->work->surface;
    const uint32_t rest = 15u & ~nodes;
    if (rest == 0)
    {
        return NULL;
    }
    if ((rest & (rest - 1)) == 0)
    {
        const size_t face = 4 * (size_t)crack->tet + rbl_tet_lowest_node(rest);
        return &crack->work->face_corners[surface->face_indices.data[face]];
    }
    return &crack->work->edge_corners[surface->edge_indices.data[6 * (size_t)crack->tet + edge_of(nodes)]];
}

// Insert a cell in rising order, without repetition.
static void add_cell(uint32_t cells[4], uint32_t cell)
{
    uint32_t at = 0;
    while (at < 4 && cells[at] < cell)
    {
        ++at;
    }
    if (at == 4 || cells[at] == cell)
    {
        return;
    }
    for (uint32_t n = 3; n > at; --n)
    {
        cells[n] = cells[n - 1];
    }
    cells[at] = cell;
}

// Returns RBL_NONE without memory.
static uint32_t find_corner(const CrackTet* crack, uint32_t nodes)
{
    rblTetsCut* work = crack->work;
    uint32_t* shared = shared_corner(crack, nodes);
    if (shared != NULL && *shared != RBL_NONE)
    {
        return *shared;
    }
    const uint32_t number = (uint32_t)work->corners.count;
    rblCrackCorner corner = {.cells = {RBL_NONE, RBL_NONE, RBL_NONE, RBL_NONE}};
    corner.place = rbl_tet_corner_position(&crack->rule, nodes, crack->nodes, crack->corners);
    for (uint32_t i = 0; i < 4; ++i)
    {
        if ((nodes >> i & 1u) != 0)
        {
            add_cell(corner.cells, crack->cells[crack->rule.parts[i]]);
        }
    }
    if (!rbl_array_push(&work->corners, corner))
    {
        return RBL_NONE;
    }
    if (shared != NULL)
    {
        *shared = number;
    }
    return number;
}

static uint32_t corner_number(CrackTet* crack, uint32_t nodes)
{
    if (crack->numbers[nodes] == RBL_NONE)
    {
        crack->numbers[nodes] = find_corner(crack, nodes);
    }
    return crack->numbers[nodes];
}

// ---- edges ----

// Index of the edge between two corners; a new edge is added. `first`: head of the list of edges to search.
static uint32_t find_edge(rblTetsCut* work, uint32_t* first, uint32_t from, uint32_t to)
{
    uint32_t number = *first;
    while (number != RBL_NONE)
    {
        const uint32_t* ends = work->edges.data[number].ends;
        if ((ends[0] == from && ends[1] == to) || (ends[0] == to && ends[1] == from))
        {
            return number;
        }
        number = work->edges.data[number].next;
    }
    number = (uint32_t)work->edges.count;
    const rblCrackEdge fresh = {.ends = {from, to},
                                .next = *first,
                                .first_intersection = RBL_NONE,
                                .cells = {RBL_NONE, RBL_NONE, RBL_NONE, RBL_NONE}};
    *first = number;
    return rbl_array_push(&work->edges, fresh) ? number : RBL_NONE;
}

// `nodes`: nodes of both ends together. If one of the four nodes is missing, the edge is in the face opposite to it.
static uint32_t edge_number(CrackTet* crack, uint32_t facet, uint32_t from, uint32_t to, uint32_t nodes)
{
    rblTetsCut* work = crack->work;
    const size_t face = 4 * (size_t)crack->tet + rbl_tet_lowest_node(15u & ~nodes);
    uint32_t* first =
        nodes == 15u ? &crack->inner_edges : &work->face_edges[work->surface->face_indices.data[face]];
    const uint32_t result = find_edge(work, first, from, to);
    if (result == RBL_NONE)
    {
        return RBL_NONE;
    }
    rblCrackEdge* edge = &work->edges.data[result];
    if (edge->facet_count < 3)
    {
        edge->backwards[edge->facet_count] = edge->ends[0] != from;
        edge->facets[edge->facet_count++] = facet;
        add_cell(edge->cells, work->facets.data[facet].cells[0]);
        add_cell(edge->cells, work->facets.data[facet].cells[1]);
    }
    if (nodes != 15u)
    {
        const uint32_t k = rbl_tet_lowest_node(15u & ~nodes);
        if (work->partition->tets->neighbors[4 * (size_t)crack->tet + k] == RBL_NONE)
        {
            work->corners.data[from].border = work->corners.data[to].border = true;
        }
    }
    return result;
}

// ---- facets ----

static bool add_facet(CrackTet* crack, uint32_t p, uint32_t q)
{
    rblTetsCut* work = crack->work;
    const rblTetFacet shape = rbl_tet_facet(&crack->rule, p, q);
    const uint32_t number = (uint32_t)work->facets.count;
    rblCrackFacet facet = {
        .tet = crack->tet, .cells = {crack->cells[p], crack->cells[q]}, .corner_count = shape.corner_count};
    for (uint32_t c = 0; c < shape.corner_count; ++c)
    {
        facet.corners[c] = corner_number(crack, shape.corners[c]);
        if (facet.corners[c] == RBL_NONE)
        {
            return false;
        }
    }
    if (!rbl_array_push(&work->facets, facet))
    {
        return false;
    }
    for (uint32_t c = 0; c < shape.corner_count; ++c)
    {
        const uint32_t next = c + 1 < shape.corner_count ? c + 1 : 0;
        const uint32_t edge = edge_number(crack, number, facet.corners[c], facet.corners[next],
                                          shape.corners[c] | shape.corners[next]);
        if (edge == RBL_NONE)
        {
            return false;
        }
        work->facets.data[number].edges[c] = edge;
    }
    return true;
}

static bool add_tet(rblTetsCut* work, uint32_t tet)
{
    CrackTet crack = {.work = work, .tet = tet, .nodes = work->partition->tets->nodes + 4 * (size_t)tet};
    rbl_tet_corners(work->partition->tets, tet, crack.corners);
    rbl_tets_rule(work->partition, tet, &crack.rule);
    memset(crack.numbers, 0xFF, sizeof crack.numbers);
    crack.inner_edges = RBL_NONE;
    for (uint32_t p = 0; p < crack.rule.part_count; ++p)
    {
        crack.cells[p] = rbl_tets_cut_cell(work, crack.rule.labels[p], crack.rule.events[p]);
    }
    bool stored = true;
    for (uint32_t p = 0; p < crack.rule.part_count; ++p)
    {
        for (uint32_t q = 0; q < crack.rule.part_count && stored; ++q)
        {
            stored = crack.cells[p] >= crack.cells[q] || add_facet(&crack, p, q);
        }
    }
    return stored;
}

// ---- stage ----

static void bound_facet(const rblTetsCut* work, rblCrackFacet* facet)
{
    facet->bounds.lower = facet->bounds.upper = work->corners.data[facet->corners[0]].position;
    for (uint32_t c = 1; c < facet->corner_count; ++c)
    {
        const rblVec3d at = work->corners.data[facet->corners[c]].position;
        facet->bounds.lower = rbl_min3d(facet->bounds.lower, at);
        facet->bounds.upper = rbl_max3d(facet->bounds.upper, at);
    }
}

// The later stages use the facets as planar facets between cells.
static bool describe_facets(rblTetsCut* work)
{
    rblCut* cut = work->cut;
    rblCells* cells = &work->cells;
    const uint32_t count = (uint32_t)work->facets.count;
    cells->facet_count = count;
    cells->facets = RBL_ARENA_ARRAY(cut->arena, rblCellFacet, (size_t)count + 1);
    rblVec3d* normals = RBL_ARENA_ARRAY(cut->arena, rblVec3d, (size_t)count + 1);
    if (cells->facets == NULL || normals == NULL)
    {
        return false;
    }
    for (uint32_t f = 0; f < count; ++f)
    {
        rblCrackFacet* facet = &work->facets.data[f];
        bound_facet(work, facet);
        cells->facets[f] = (rblCellFacet){{facet->cells[0], facet->cells[1]}, 0, 0};
        rblVec3d sum = {0, 0, 0};
        for (uint32_t half = 0; half + 2 < facet->corner_count; ++half)
        {
            rblVec3d p[3];
            rbl_crack_half(work, f, half, p);
            sum = rbl_add3d(sum, rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0])));
        }
        normals[f] = rbl_normalize3d(sum, rbl_vec3d(1, 0, 0));
    }
    cut->facet_normals = normals;
    return true;
}

// Whether a tetrahedron has a node with a wanted label. Without one all its parts are excluded.
static bool is_wanted(const rblTetsCut* work, uint32_t tet)
{
    const uint32_t* n = work->partition->tets->nodes + 4 * (size_t)tet;
    const uint32_t* labels = work->event != RBL_NONE ? work->partition->events[work->event].labels : NULL;
    return labels == NULL || labels[n[0]] != RBL_NONE || labels[n[1]] != RBL_NONE ||
           labels[n[2]] != RBL_NONE || labels[n[3]] != RBL_NONE;
}

// List the divided tetrahedra. Returns their number; RBL_NONE: no memory.
static uint32_t list_divided(const rblTetsCut* work, uint32_t** out)
{
    const uint32_t tet_count = work->partition->tets->tet_count;
    uint32_t* tets = RBL_ARENA_ARRAY(work->cut->arena, uint32_t, (size_t)tet_count + 1);
    uint32_t count = tets != NULL ? 0 : RBL_NONE;
    for (uint32_t t = 0; t < tet_count && tets != NULL; ++t)
    {
        uint32_t label, event;
        tets[count] = t;
        count += !is_wanted(work, t) || rbl_tets_is_whole(work->partition, t, &label, &event) ? 0 : 1;
    }
    *out = tets;
    return count;
}

// Reserve memory for typical cracks, to avoid repeated growth of the arrays.
static bool reserve(rblTetsCut* work)
{
    const size_t divided = work->divided;
    return rbl_array_reserve(&work->corners, 2 * divided) && rbl_array_reserve(&work->edges, 3 * divided) &&
           rbl_array_reserve(&work->facets, 2 * divided);
}

static bool reserve_cut(rblTetsCut* work)
{
    rblCut* cut = work->cut;
    const size_t divided = work->divided;
    return rbl_array_reserve(&cut->nodes, 3 * divided) && rbl_array_reserve(&cut->positions, 3 * divided) &&
           rbl_array_reserve(&cut->origins, 3 * divided) && rbl_array_reserve(&cut->links, 2 * divided) &&
           rbl_array_reserve(&cut->corners, 12 * divided) &&
           rbl_array_reserve(&cut->loop_starts, 4 * divided) &&
           rbl_array_reserve(&cut->polygons, 3 * divided) && rbl_array_reserve(&cut->caps, 2 * divided);
}

// An array of indices, all RBL_NONE.
static uint32_t* allocate_indices(rblTetsCut* work, uint32_t count)
{
    uint32_t* indices = RBL_ARENA_ARRAY(work->cut->arena, uint32_t, (size_t)count + 1);
    if (indices != NULL)
    {
        memset(indices, 0xFF, sizeof *indices * count);
    }
    return indices;
}

static bool allocate_index_arrays(rblTetsCut* work)
{
    const rblTetsSurface* surface = work->surface;
    work->edge_corners = allocate_indices(work, surface->edge_count);
    work->face_corners = allocate_indices(work, surface->face_count);
    work->face_edges = allocate_indices(work, surface->face_count);
    return work->edge_corners != NULL && work->face_corners != NULL && work->face_edges != NULL;
}

rblCutStatus rbl_tets_cut_cracks(rblTetsCut* work)
{
    uint32_t* divided;
    const uint32_t count = list_divided(work, &divided);
    work->divided = count;
    if (count == RBL_NONE || !reserve(work) || !allocate_index_arrays(work))
    {
        return RBL_CUT_MEMORY;
    }
    for (uint32_t n = 0; n < count; ++n)
    {
        if (!add_tet(work, divided[n]))
        {
            return RBL_CUT_MEMORY;
        }
    }
    return RBL_CUT_OK;
}

rblCutStatus rbl_tets_cut_shift(rblTetsCut* work)
{
    for (size_t c = 0; c < work->corners.count; ++c)
    {
        work->corners.data[c].position = rbl_add3d(work->corners.data[c].place, work->shift);
    }
    for (size_t e = 0; e < work->edges.count; ++e)
    {
        work->edges.data[e].first_intersection = RBL_NONE;
    }
    work->side_numbers = allocate_indices(work, work->surface->side_count);
    return work->side_numbers != NULL && reserve_cut(work) && describe_facets(work) ? RBL_CUT_OK
                                                                                    : RBL_CUT_MEMORY;
}
