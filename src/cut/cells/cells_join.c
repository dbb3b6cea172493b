// Joins the corners of single cells to one complex. Each vertex, edge and facet is identified by the indices of the
// cells around it. The first of these cells owns it and stores it once; the others look it up there.
#include "base/assert.h"
#include "base/error.h"
#include "base/sort.h"
#include "cut/cells/cells_private.h"
#include "math/double_double.h"
#include <string.h>

#define CELLS_PER_BLOCK 32 // cells per block of the parallel loop

typedef struct Join
{
    rblCells* cells;
    const rblCellCorner* corners;
    const uint32_t* starts; // first corner of each cell; count + 1
    uint32_t corner_count;
    uint32_t* vertex_starts; // first vertex that each cell owns; count + 1
    uint32_t* edge_starts;
    uint32_t* vertices; // per corner: its vertex; look_up_vertices()
    uint32_t* edges;    // per corner and plane that the edge leaves: the edge; look_up_edges()
    uint32_t* marks;    // per plane, for one cell at a time: a corner on it; count + 6
    uint32_t* planes;   // planes of one cell; count + 6
    uint32_t* scratch;  // count + 6
} Join;

static void sort_indices(uint32_t* cell_indices, int count)
{
    for (int k = 1; k < count; ++k)
    {
        for (int l = k; l > 0 && cell_indices[l] < cell_indices[l - 1]; --l)
        {
            const uint32_t other = cell_indices[l];
            cell_indices[l] = cell_indices[l - 1];
            cell_indices[l - 1] = other;
        }
    }
}

static bool owns_corner(uint32_t i, const rblCellCorner* corner)
{
    return i < corner->planes[0] && i < corner->planes[1] && i < corner->planes[2];
}

// Whether cell i owns the edge that leaves plane k and this corner is its tail.
static bool owns_edge(uint32_t i, const rblCellCorner* corner, int k)
{
    return i < corner->planes[(k + 1) % 3] && corner->planes[(k + 1) % 3] < corner->planes[(k + 2) % 3];
}

static void count_owned(const Join* join)
{
    uint32_t vertices = 0, edges = 0;
    for (uint32_t i = 0; i < join->cells->count; ++i)
    {
        join->vertex_starts[i] = vertices;
        join->edge_starts[i] = edges;
        for (uint32_t c = join->starts[i]; c < join->starts[i + 1]; ++c)
        {
            vertices += owns_corner(i, &join->corners[c]) ? 1 : 0;
            for (int k = 0; k < 3; ++k)
            {
                edges += owns_edge(i, &join->corners[c], k) ? 1 : 0;
            }
        }
    }
    join->vertex_starts[join->cells->count] = vertices;
    join->edge_starts[join->cells->count] = edges;
    join->cells->vertex_count = vertices;
    join->cells->edge_count = edges;
}

static rblVec3d clamp_to_box(rblAabbd box, rblVec3d point)
{
    return rbl_min3d(rbl_max3d(point, box.lower), box.upper);
}

// d . x + e, with products and sums in 106 bits.
static double residual(const rblCellRow* row, rblVec3d x)
{
    rblDouble2 sum = {row->offset, 0.0};
    sum = rbl_dd_add(sum, rbl_two_product(row->gradient.x, x.x));
    sum = rbl_dd_add(sum, rbl_two_product(row->gradient.y, x.y));
    sum = rbl_dd_add(sum, rbl_two_product(row->gradient.z, x.z));
    return sum.high;
}

// Improve the position of a corner by iterative refinement (Higham 2002, chapter 12). Where cells are very close
// together, the planes are nearly parallel in double precision.
static rblVec3d refine_position(const rblCells* cells, uint32_t i, const rblCellCorner* corner)
{
    rblCellRow row[3];
    for (int k = 0; k < 3; ++k)
    {
        row[k] = rbl_cell_row(cells, i, corner->planes[k]);
    }
    const rblVec3d minors[3] = {rbl_cross3d(row[1].gradient, row[2].gradient),
                                rbl_cross3d(row[2].gradient, row[0].gradient),
                                rbl_cross3d(row[0].gradient, row[1].gradient)};
    const double determinant = rbl_dot3d(row[0].gradient, minors[0]);
    rblVec3d x = corner->position;
    for (int round = 0; round < 2; ++round)
    {
        rblVec3d step = {0, 0, 0};
        for (int k = 0; k < 3; ++k)
        {
            step = rbl_mul_add3d(step, -residual(&row[k], x) / determinant, minors[k]);
        }
        x = rbl_finite3d(step) ? rbl_add3d(x, step) : x;
    }
    return clamp_to_box(cells->box, x);
}

static void store_vertices(rblRange range, void* context)
{
    const Join* join = context;
    rblCells* cells = join->cells;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        uint32_t next = join->vertex_starts[i];
        for (uint32_t c = join->starts[i]; c < join->starts[i + 1]; ++c)
        {
            const rblCellCorner* corner = &join->corners[c];
            if (!owns_corner(i, corner))
            {
                continue;
            }
            rblCellVertex* vertex = &cells->vertices[next];
            *vertex = (rblCellVertex){{i, corner->planes[0], corner->planes[1], corner->planes[2]},
                                      refine_position(cells, i, corner)};
            sort_indices(vertex->cells, 4);
            join->vertices[c] = next++;
        }
    }
}

// All decisions are exact, so the first cell has every vertex and edge that is looked up: the searches always end.
static uint32_t find_vertex(const Join* join, const uint32_t cell_indices[4])
{
    uint32_t v = join->vertex_starts[cell_indices[0]];
    while (memcmp(join->cells->vertices[v].cells, cell_indices, sizeof join->cells->vertices[v].cells) != 0)
    {
        ++v;
        RBL_ASSERT(v < join->vertex_starts[cell_indices[0] + 1]);
    }
    return v;
}

static uint32_t find_edge(const Join* join, const uint32_t cell_indices[3])
{
    uint32_t e = join->edge_starts[cell_indices[0]];
    while (memcmp(join->cells->edges[e].cells, cell_indices, sizeof join->cells->edges[e].cells) != 0)
    {
        ++e;
        RBL_ASSERT(e < join->edge_starts[cell_indices[0] + 1]);
    }
    return e;
}

static void look_up_vertices(rblRange range, void* context)
{
    const Join* join = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        for (uint32_t c = join->starts[i]; c < join->starts[i + 1]; ++c)
        {
            const rblCellCorner* corner = &join->corners[c];
            if (!owns_corner(i, corner))
            {
                uint32_t cell_indices[4] = {i, corner->planes[0], corner->planes[1], corner->planes[2]};
                sort_indices(cell_indices, 4);
                join->vertices[c] = find_vertex(join, cell_indices);
            }
        }
    }
}

static void store_edges(rblRange range, void* context)
{
    const Join* join = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        uint32_t next = join->edge_starts[i];
        const uint32_t start = join->starts[i];
        for (uint32_t c = start; c < join->starts[i + 1]; ++c)
        {
            const rblCellCorner* corner = &join->corners[c];
            for (int k = 0; k < 3; ++k)
            {
                if (owns_edge(i, corner, k))
                {
                    join->cells->edges[next++] =
                        (rblCellEdge){{i, corner->planes[(k + 1) % 3], corner->planes[(k + 2) % 3]},
                                      {join->vertices[c], join->vertices[start + corner->next[k]]}};
                }
            }
        }
    }
}

static void look_up_edges(rblRange range, void* context)
{
    const Join* join = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        for (uint32_t c = join->starts[i]; c < join->starts[i + 1]; ++c)
        {
            const rblCellCorner* corner = &join->corners[c];
            for (uint32_t k = 0; k < 3; ++k)
            {
                uint32_t cell_indices[3] = {i, corner->planes[(k + 1) % 3], corner->planes[(k + 2) % 3]};
                sort_indices(cell_indices, 3);
                join->edges[3 * c + k] = find_edge(join, cell_indices);
            }
        }
    }
}

// The planes of cell i with a higher index, in rising order. marks[plane] becomes a corner on each plane.
static uint32_t own_planes(const Join* join, uint32_t i)
{
    uint32_t count = 0;
    for (uint32_t c = join->starts[i]; c < join->starts[i + 1]; ++c)
    {
        for (int k = 0; k < 3; ++k)
        {
            const uint32_t plane = join->corners[c].planes[k];
            if (plane > i && join->marks[plane] == UINT32_MAX)
            {
                join->marks[plane] = c;
                join->planes[count++] = plane;
            }
        }
    }
    rbl_sort_indices(join->planes, join->scratch, count, rbl_before_by_value, NULL);
    return count;
}

// The edges around the facet on `plane`, counter-clockwise seen from beyond. At a corner with planes (plane, b, c) in
// that cyclic order, the next edge has the direction d_plane x d_b.
static uint32_t walk_facet(const Join* join, uint32_t i, uint32_t plane, uint32_t* out)
{
    const uint32_t first = join->marks[plane];
    uint32_t count = 0;
    uint32_t c = first;
    do
    {
        const rblCellCorner* corner = &join->corners[c];
        const uint32_t k = corner->planes[0] == plane ? 0 : (corner->planes[1] == plane ? 1 : 2);
        const uint32_t left = (k + 2) % 3;
        out[count++] = join->edges[3 * c + left];
        c = join->starts[i] + corner->next[left];
    } while (c != first);
    return count;
}

static void store_facets(const Join* join)
{
    rblCells* cells = join->cells;
    uint32_t edge = 0, facet = 0;
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        const uint32_t planes = own_planes(join, i);
        for (uint32_t p = 0; p < planes; ++p)
        {
            const uint32_t plane = join->planes[p];
            const uint32_t end = edge + walk_facet(join, i, plane, cells->facet_edges + edge);
            cells->facets[facet++] = (rblCellFacet){{i, plane}, edge, end};
            join->marks[plane] = UINT32_MAX;
            edge = end;
        }
    }
    RBL_ASSERT(edge == cells->facet_edge_count && facet == cells->facet_count);
}

// Facets per cell, in rising order: count them, compute where each list starts, fill the lists.
static void list_facets(const Join* join)
{
    rblCells* cells = join->cells;
    memset(cells->cell_starts, 0, sizeof *cells->cell_starts * (cells->count + 1));
    for (uint32_t f = 0; f < cells->facet_count; ++f)
    {
        for (int k = 0; k < 2 && cells->facets[f].cells[k] < cells->count; ++k)
        {
            cells->cell_starts[cells->facets[f].cells[k] + 1] += 1;
        }
    }
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        cells->cell_starts[i + 1] += cells->cell_starts[i];
        join->scratch[i] = cells->cell_starts[i];
    }
    for (uint32_t f = 0; f < cells->facet_count; ++f)
    {
        for (int k = 0; k < 2 && cells->facets[f].cells[k] < cells->count; ++k)
        {
            cells->cell_facets[join->scratch[cells->facets[f].cells[k]]++] = f;
        }
    }
}

// A cell with c corners has 3 c / 2 edges and c / 2 + 2 facets. A facet on a side of the box belongs to one cell, every
// other facet to two.
static void count_facets(const Join* join, uint32_t* facets, uint32_t* incidences)
{
    rblCells* cells = join->cells;
    *facets = 0;
    *incidences = 0;
    cells->facet_edge_count = 0;
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        const uint32_t count = join->starts[i + 1] - join->starts[i];
        *incidences += count > 0 ? count / 2 + 2 : 0;
        *facets += own_planes(join, i);
        for (uint32_t c = join->starts[i]; c < join->starts[i + 1]; ++c)
        {
            for (int k = 0; k < 3; ++k)
            {
                join->marks[join->corners[c].planes[k]] = UINT32_MAX;
                cells->facet_edge_count += join->corners[c].planes[k] > i ? 1 : 0;
            }
        }
    }
}

static bool open_join(Join* join)
{
    const rblAllocator* allocator = join->cells->allocator;
    const size_t planes = (size_t)join->cells->count + RBL_CELL_SIDES;
    join->vertex_starts = RBL_NEW_ARRAY(allocator, uint32_t, planes);
    join->edge_starts = RBL_NEW_ARRAY(allocator, uint32_t, planes);
    join->vertices = RBL_NEW_ARRAY(allocator, uint32_t, join->corner_count);
    join->edges = RBL_NEW_ARRAY(allocator, uint32_t, 3 * (size_t)join->corner_count);
    join->marks = RBL_NEW_ARRAY(allocator, uint32_t, planes);
    join->planes = RBL_NEW_ARRAY(allocator, uint32_t, planes);
    join->scratch = RBL_NEW_ARRAY(allocator, uint32_t, planes);
    if (join->vertex_starts == NULL || join->edge_starts == NULL || join->vertices == NULL ||
        join->edges == NULL || join->marks == NULL || join->planes == NULL || join->scratch == NULL)
    {
        return false;
    }
    memset(join->marks, 0xFF, sizeof *join->marks * planes);
    return true;
}

static void close_join(Join* join)
{
    const rblAllocator* allocator = join->cells->allocator;
    const size_t planes = (size_t)join->cells->count + RBL_CELL_SIDES;
    RBL_FREE_ARRAY(allocator, join->vertex_starts, planes);
    RBL_FREE_ARRAY(allocator, join->edge_starts, planes);
    RBL_FREE_ARRAY(allocator, join->vertices, join->corner_count);
    RBL_FREE_ARRAY(allocator, join->edges, 3 * (size_t)join->corner_count);
    RBL_FREE_ARRAY(allocator, join->marks, planes);
    RBL_FREE_ARRAY(allocator, join->planes, planes);
    RBL_FREE_ARRAY(allocator, join->scratch, planes);
}

static bool reserve_complex(const Join* join)
{
    rblCells* cells = join->cells;
    count_owned(join);
    uint32_t facets, incidences;
    count_facets(join, &facets, &incidences);
    cells->vertices = RBL_NEW_ARRAY(cells->allocator, rblCellVertex, cells->vertex_count);
    cells->edges = RBL_NEW_ARRAY(cells->allocator, rblCellEdge, cells->edge_count);
    cells->facets = RBL_NEW_ARRAY(cells->allocator, rblCellFacet, facets);
    cells->facet_edges = RBL_NEW_ARRAY(cells->allocator, uint32_t, cells->facet_edge_count);
    cells->cell_facets = RBL_NEW_ARRAY(cells->allocator, uint32_t, incidences);
    cells->cell_starts = RBL_NEW_ARRAY(cells->allocator, uint32_t, (size_t)cells->count + 1);
    cells->facet_count = facets;
    cells->incidence_count = incidences;
    return cells->vertices != NULL && cells->edges != NULL && cells->facets != NULL &&
           cells->facet_edges != NULL && cells->cell_facets != NULL && cells->cell_starts != NULL;
}

rblResult rbl_cells_join(rblCells* cells, const rblCellCorner* corners, const uint32_t* starts, rblJobs* jobs)
{
    Join join = {.cells = cells, .corners = corners, .starts = starts, .corner_count = starts[cells->count]};
    const bool ready = open_join(&join) && reserve_complex(&join);
    if (ready)
    {
        rbl_parallel_for(jobs, cells->count, CELLS_PER_BLOCK, store_vertices, &join);
        rbl_parallel_for(jobs, cells->count, CELLS_PER_BLOCK, look_up_vertices, &join);
        rbl_parallel_for(jobs, cells->count, CELLS_PER_BLOCK, store_edges, &join);
        rbl_parallel_for(jobs, cells->count, CELLS_PER_BLOCK, look_up_edges, &join);
        store_facets(&join);
        list_facets(&join);
    }
    close_join(&join);
    return ready ? RBL_OK : rbl_fail_memory();
}
