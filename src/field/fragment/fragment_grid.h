// A fragment's own grid of distances, made from what events keep when somebody first wants contacts of it: a look-up there takes a
// twentieth of the time that the events' own field does, and tells more.
//
// The fragment is the part of the solid S in a region R of the mesh. Values are of the larger of the distances of both, which is negative
// exactly inside, the depth there, and outside no more than the distance: of S by its level set, of R by the facets of its
// border, which are convex polygons, one for each plane of a cut tetrahedron.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_GRID_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_GRID_H

#include "field/fragment/fragment_field.h"

// The longest row: 40 cells, the band around them and what fills up bricks.
#define RBL_LATTICE_ROW 64u

// The points of the grid, all of them, in rows along x that begin at a multiple of four floats.
typedef struct rblFragmentLattice
{
    rblVec3 origin;
    float cell, inverse; // 1 / cell
    uint32_t bricks[3];
    uint32_t row; // points from one row to the next; behind the last brick there are three that do not count
    uint32_t layer;     // and from one layer of rows to the next
    size_t point_count; // of all layers
    float reach;        // of facets: farther off they are not measured
    float* facets;      // squared distance to the nearest facet, reach^2 where none is as near
    uint8_t* inside;    // 1: in R
} rblFragmentLattice;

static inline size_t rbl_lattice_index(const rblFragmentLattice* l, uint32_t i, uint32_t j, uint32_t k)
{
    return i + (size_t)l->row * j + (size_t)l->layer * k;
}

// A facet of a fragment's crack in one tetrahedron: convex.
#define RBL_FACET_CORNERS 8u

typedef struct rblCrackFacet
{
    rblVec3 normal;
    uint32_t count;
    rblVec3 corners[RBL_FACET_CORNERS];
    rblVec3 center; // of a ball about it
    float radius;
} rblCrackFacet;

typedef RBL_ARRAY(rblCrackFacet) rblCrackFacets;

// Mark the points in the fragment's parts of tetrahedra, and list the facets of these. False when out of memory.
bool rbl_lattice_mark_inside(const rblFragmentLattice* lattice, const rblFragmentEvent* event, uint32_t label,
                             const rblAllocator* allocator, rblCrackFacets* out);

// Lower the squared distances of all points within reach of a facet.
void rbl_lattice_add_facet(const rblFragmentLattice* lattice, const rblCrackFacet* facet);

// From squared distances at some points, in cells, and infinity elsewhere to the least of |p - q|^2 + s(q) over all points q, exact up to
// RBL_WINDOW cells and no more than it beyond. `room` is as large.
#define RBL_WINDOW 6u
void rbl_lattice_spread(const rblFragmentLattice* lattice, float* squares, float* scratch);

// How far values near the surface are off at most: edges are rounded off, and filled where they look inwards.
static inline float rbl_fragment_grid_error(const rblLevelSet* grid)
{
    return 0.4f * grid->cell;
}

// Null when out of memory.
rblLevelSet* rbl_fragment_grid_build(const rblFragmentField* field, const rblAllocator* allocator);

#endif
