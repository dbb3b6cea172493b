// How a surface cuts one tetrahedron of the body-centred cubic lattice (Labelle and Shewchuk 2007, "Isosurface Stuffing",
// section 3): into tetrahedra on both sides of it, so that inside and outside are filled by one conforming mesh.
//
// The lattice has a node at every corner and every centre of its cubes. Its tetrahedra have two corners (0, 1 here) and
// two centres (2, 3); edges 01 and 23 are long, as long as a cube's side a, the other four short, sqrt(3)/2 a.
#ifndef RBL_MESH_TETS_TETS_STENCIL_H
#define RBL_MESH_TETS_TETS_STENCIL_H

#include <stdbool.h>
#include <stdint.h>

// A node moves onto the surface when that cuts an edge of it within this fraction of the edge's length. The values
// are those with which Labelle and Shewchuk prove their bounds.
#define RBL_SNAP_LONG  0.24999
#define RBL_SNAP_SHORT 0.41189

// Cosines of RBL_TETS_MIN_ANGLE and RBL_TETS_MAX_ANGLE: with nodes and cuts anywhere within these fractions, no tetrahedron of a
// stencil has a dihedral angle outside, but that with all four nodes on the surface.
#define RBL_STENCIL_MAX_COSINE 0.98685
#define RBL_STENCIL_MIN_COSINE (-0.94942)

// Places in a cut tetrahedron: 0 to 3 its nodes, from RBL_STENCIL_CUTS on the cuts of its edges, in this order.
#define RBL_STENCIL_CUTS 4
extern const uint8_t rbl_stencil_edges[6][2]; // 01 02 03 12 13 23

#define RBL_STENCIL_MOST 6

typedef struct rblStencil
{
    uint32_t count;
    uint8_t places[RBL_STENCIL_MOST][4]; // positively oriented when the lattice tetrahedron is
    bool inside[RBL_STENCIL_MOST];
} rblStencil;

// Cut a tetrahedron. Signs: 1 inside, -1 outside, 0 on the surface. Where a face is cut so that both its cut edges are short,
// what is left of it beside the triangle is a quadrilateral over a long edge; `preferred` says for 01 and 23 from which of the two
// nodes (0 or 1, 2 or 3) its diagonal starts: every tetrahedron at that edge must be told the same.
// With all four nodes on the surface nothing decides: it is one tetrahedron, called outside.
rblStencil rbl_stencil_cut(const int8_t signs[4], const uint8_t preferred[2]);

#endif
