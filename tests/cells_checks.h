// What must hold of every complex of cells, whatever the cells.
#ifndef RBL_TESTS_CELLS_CHECKS_H
#define RBL_TESTS_CELLS_CHECKS_H

#include "testing.h"

#include "base/random.h"
#include "cut/cells/cells.h"
#include <stdlib.h>

static inline rblVec3d edge_point(const rblCells* cells, uint32_t edge, int end)
{
    return cells->vertices[cells->edges[edge].vertices[end]].position;
}

static inline bool names_rise(const uint32_t* names, int count, uint32_t cell_count)
{
    bool rising = names[0] < cell_count;
    for (int k = 1; k < count; ++k)
    {
        rising = rising && names[k - 1] < names[k] && names[k] < cell_count + RBL_CELL_SIDES;
    }
    return rising;
}

static inline bool names_hold(const uint32_t* names, int count, const uint32_t* wanted, int wanted_count)
{
    int found = 0;
    for (int k = 0; k < wanted_count; ++k)
    {
        for (int l = 0; l < count; ++l)
        {
            found += names[l] == wanted[k] ? 1 : 0;
        }
    }
    return found == wanted_count;
}

// The functions of a vertex' cells agree there, its sides are zero there, nothing is below by more than rounding.
static inline void check_vertices(const rblCells* cells, double tolerance)
{
    for (uint32_t v = 0; v < cells->vertex_count; ++v)
    {
        const rblCellVertex* vertex = &cells->vertices[v];
        assert_true(names_rise(vertex->cells, 4, cells->count));
        const double value = rbl_cell_value(cells, vertex->cells[0], vertex->position);
        for (int k = 1; k < 4; ++k)
        {
            const bool side = vertex->cells[k] >= cells->count;
            check_close(rbl_cell_value(cells, vertex->cells[k], vertex->position), side ? 0.0 : value,
                        tolerance);
        }
        const uint32_t least = rbl_cells_locate(cells, vertex->position);
        check_close(rbl_cell_value(cells, least, vertex->position), value, tolerance);
    }
}

static inline void check_edges(const rblCells* cells)
{
    for (uint32_t e = 0; e < cells->edge_count; ++e)
    {
        const rblCellEdge* edge = &cells->edges[e];
        assert_true(names_rise(edge->cells, 3, cells->count));
        assert_int_not_equal(edge->vertices[0], edge->vertices[1]);
        for (int k = 0; k < 2; ++k)
        {
            assert_true(edge->vertices[k] < cells->vertex_count);
            assert_true(names_hold(cells->vertices[edge->vertices[k]].cells, 4, edge->cells, 3));
        }
        const rblVec3d d1 = rbl_cell_row(cells, edge->cells[0], edge->cells[1]).gradient;
        const rblVec3d d2 = rbl_cell_row(cells, edge->cells[0], edge->cells[2]).gradient;
        const rblVec3d along = rbl_sub3d(edge_point(cells, e, 1), edge_point(cells, e, 0));
        const double reach = rbl_length3d(rbl_sub3d(cells->box.upper, cells->box.lower));
        const rblVec3d cross = rbl_cross3d(d1, d2);
        assert_true(rbl_dot3d(cross, along) >= -1e-9 * reach * rbl_length3d(cross));
    }
}

// Every facet is one loop: each edge ends where the next begins. An edge is in the facets of each pair of its cells.
static inline void check_facets(const rblCells* cells)
{
    uint32_t* uses = calloc(cells->edge_count, sizeof *uses);
    for (uint32_t f = 0; f < cells->facet_count; ++f)
    {
        const rblCellFacet* facet = &cells->facets[f];
        assert_true(names_rise(facet->cells, 2, cells->count));
        assert_true(facet->end_edge >= facet->first_edge + 3 && facet->end_edge <= cells->facet_edge_count);
        const uint32_t sides = facet->end_edge - facet->first_edge;
        for (uint32_t k = 0; k < sides; ++k)
        {
            const uint32_t here = cells->facet_edges[facet->first_edge + k];
            const uint32_t next = cells->facet_edges[facet->first_edge + (k + 1) % sides];
            const uint32_t* a = cells->edges[here].vertices;
            const uint32_t* b = cells->edges[next].vertices;
            assert_int_equal((a[0] == b[0]) + (a[0] == b[1]) + (a[1] == b[0]) + (a[1] == b[1]), 1);
            assert_true(names_hold(cells->edges[here].cells, 3, facet->cells, 2));
            uses[here] += 1;
        }
    }
    for (uint32_t e = 0; e < cells->edge_count; ++e)
    {
        assert_int_equal(uses[e], cells->edges[e].cells[1] < cells->count ? 3 : 2);
    }
    free(uses);
}

// Where a facet's loop passes, in its order.
static inline uint32_t facet_vertex(const rblCells* cells, const rblCellFacet* facet, uint32_t k)
{
    const uint32_t sides = facet->end_edge - facet->first_edge;
    const uint32_t* here = cells->edges[cells->facet_edges[facet->first_edge + k]].vertices;
    const uint32_t* next = cells->edges[cells->facet_edges[facet->first_edge + (k + 1) % sides]].vertices;
    return here[0] == next[0] || here[0] == next[1] ? here[1] : here[0];
}

// Twice the area, outward of the facet's first cell.
static inline rblVec3d facet_area(const rblCells* cells, const rblCellFacet* facet)
{
    const rblVec3d first = cells->vertices[facet_vertex(cells, facet, 0)].position;
    rblVec3d sum = {0, 0, 0};
    for (uint32_t k = 1; k + 1 < facet->end_edge - facet->first_edge; ++k)
    {
        const rblVec3d b = cells->vertices[facet_vertex(cells, facet, k)].position;
        const rblVec3d c = cells->vertices[facet_vertex(cells, facet, k + 1)].position;
        sum = rbl_add3d(sum, rbl_cross3d(rbl_sub3d(b, first), rbl_sub3d(c, first)));
    }
    return sum;
}

static inline double cell_volume(const rblCells* cells, uint32_t cell)
{
    double volume = 0.0;
    for (uint32_t k = cells->cell_starts[cell]; k < cells->cell_starts[cell + 1]; ++k)
    {
        const rblCellFacet* facet = &cells->facets[cells->cell_facets[k]];
        const rblVec3d at =
            rbl_sub3d(cells->vertices[facet_vertex(cells, facet, 0)].position, cells->box.lower);
        const double part = rbl_dot3d(facet_area(cells, facet), at) / 6.0;
        volume += facet->cells[0] == cell ? part : -part;
    }
    return volume;
}

// V - E + F = 2, three edges at each corner. Returns whether the cell has any volume.
static inline bool check_euler(const rblCells* cells, uint32_t cell)
{
    const uint32_t facets = cells->cell_starts[cell + 1] - cells->cell_starts[cell];
    uint32_t corners = 0;
    for (uint32_t k = cells->cell_starts[cell]; k < cells->cell_starts[cell + 1]; ++k)
    {
        const rblCellFacet* facet = &cells->facets[cells->cell_facets[k]];
        assert_true(facet->cells[0] == cell || facet->cells[1] == cell);
        corners += facet->end_edge - facet->first_edge;
    }
    if (facets == 0)
    {
        return false;
    }
    assert_int_equal(corners % 6, 0); // a corner is in three facets, an edge in two
    assert_int_equal((int)(corners / 3) - (int)(corners / 2) + (int)facets, 2);
    return true;
}

static inline void check_volumes(const rblCells* cells, double tolerance)
{
    const rblVec3d size = rbl_sub3d(cells->box.upper, cells->box.lower);
    const double whole = size.x * size.y * size.z;
    double sum = 0.0;
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        const double volume = check_euler(cells, i) ? cell_volume(cells, i) : 0.0;
        assert_true(volume >= -tolerance * whole);
        sum += volume;
    }
    check_close(sum, whole, tolerance * whole);
}

static inline rblVec3d random_in(rblRandom* random, rblAabbd box)
{
    const double x = rbl_random_range(random, box.lower.x, box.upper.x); // in this order with every compiler
    const double y = rbl_random_range(random, box.lower.y, box.upper.y);
    const double z = rbl_random_range(random, box.lower.z, box.upper.z);
    return rbl_vec3d(x, y, z);
}

static inline uint32_t brute_force_cell(const rblCells* cells, rblVec3d point)
{
    uint32_t least = 0;
    for (uint32_t i = 1; i < cells->count; ++i)
    {
        least = rbl_cell_value(cells, i, point) < rbl_cell_value(cells, least, point) ? i : least;
    }
    return least;
}

// A point is in the cell that is least there, by the tree and by the facets around it.
static inline void check_points(const rblCells* cells, uint64_t seed, int points)
{
    rblRandom random = rbl_random_seed(seed, 99);
    for (int p = 0; p < points; ++p)
    {
        const rblVec3d at = random_in(&random, cells->box);
        const uint32_t cell = brute_force_cell(cells, at);
        assert_int_equal(rbl_cells_locate(cells, at), cell);
        assert_true(cells->cell_starts[cell + 1] > cells->cell_starts[cell]);
        for (uint32_t k = cells->cell_starts[cell]; k < cells->cell_starts[cell + 1]; ++k)
        {
            const rblCellFacet* facet = &cells->facets[cells->cell_facets[k]];
            const rblVec3d on = cells->vertices[facet_vertex(cells, facet, 0)].position;
            const double out = rbl_dot3d(facet_area(cells, facet), rbl_sub3d(at, on));
            assert_true((facet->cells[0] == cell ? out : -out) <= 1e-9);
        }
    }
}

// `tolerance` of f at vertices, in the units of the functions.
static inline void check_cells(const rblCells* cells, uint64_t seed, double tolerance)
{
    check_vertices(cells, tolerance);
    check_edges(cells);
    check_facets(cells);
    check_volumes(cells, 1e-9);
    check_points(cells, seed, 100);
}

#endif
