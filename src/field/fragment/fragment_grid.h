// The grid of distances of a fragment, created from the events at the first contact. An evaluation costs a twentieth of
// the field of the events and is more accurate.
//
// The fragment is the part of the solid S in a region R of the mesh. Values are the maximum of the distances of both:
// negative exactly inside, where it is the depth; outside a lower bound of the distance. The level set gives the
// distance of S. The distance of R is that to the facets of its border, which are convex polygons, one for each plane
// of a cut tetrahedron.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_GRID_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_GRID_H

#include "field/fragment/fragment_field.h"

// The longest row: 40 cells, the band around them, and the padding of bricks.
#define RBL_LATTICE_ROW 64u

// All points of the grid, in rows along x that start at a multiple of four floats.
typedef struct rblFragmentLattice
{
    rblVec3 origin;
    float cell, inverse; // 1 / cell
    uint32_t bricks[3];
    uint32_t row;   // points from one row to the next; after the last brick there are three points of padding
    uint32_t layer; // points from one layer of rows to the next
    size_t point_count; // of all layers
    float reach;        // m, distance up to which facets are measured
    float* facets;      // per point: squared distance to the nearest facet, m^2; reach^2 if none is closer
    uint8_t* inside;    // per point: 1 inside R
} rblFragmentLattice;

static inline size_t rbl_lattice_index(const rblFragmentLattice* l, uint32_t i, uint32_t j, uint32_t k)
{
    return i + (size_t)l->row * j + (size_t)l->layer * k;
}

// A facet of a crack of a fragment in one tetrahedron: convex.
#define RBL_FACET_CORNERS 8u

typedef struct rblCrackFacet
{
    rblVec3 normal;
    uint32_t count;
    rblVec3 corners[RBL_FACET_CORNERS];
    rblVec3 center; // of a ball around it
    float radius;
} rblCrackFacet;

typedef RBL_ARRAY(rblCrackFacet) rblCrackFacets;

// Mark the points inside the fragment's parts of tetrahedra, and list the facets of these parts. Returns false without
// memory.
bool rbl_lattice_mark_inside(const rblFragmentLattice* lattice, const rblFragmentEvent* event, uint32_t label,
                             const rblAllocator* allocator, rblCrackFacets* out);

// Lower the squared distances of all points within reach of a facet.
void rbl_lattice_add_facet(const rblFragmentLattice* lattice, const rblCrackFacet* facet);

// `squares` has squared distances s at some points, in cells, and infinity elsewhere. Computes the minimum of |p - q|^2
// + s(q) over all points q: exact up to RBL_WINDOW cells, and a lower bound beyond. `scratch` has the same size.
#define RBL_WINDOW 6u
void rbl_lattice_spread(const rblFragmentLattice* lattice, float* squares, float* scratch);

// Error bound of values near the surface: convex edges are rounded off, concave edges are filled.
static inline float rbl_fragment_grid_error(const rblLevelSet* grid)
{
    return 0.4f * grid->cell;
}

// Null: no memory.
rblLevelSet* rbl_fragment_grid_build(const rblFragmentField* field, const rblAllocator* allocator);

#endif
