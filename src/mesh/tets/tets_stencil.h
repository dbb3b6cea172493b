// The cut of one tetrahedron of the body-centred cubic lattice by a surface (Labelle and Shewchuk 2007, "Isosurface
// Stuffing", section 3) into tetrahedra on both sides, so that inside and outside are filled by one conforming mesh.
//
// The lattice has a node at every corner and every centre of its cubes. Its tetrahedra have two corners (0, 1 here) and
// two centres (2, 3); edges 01 and 23 are long, equal to the side a of a cube, the other four short, sqrt(3)/2 a.
#ifndef RBL_MESH_TETS_TETS_STENCIL_H
#define RBL_MESH_TETS_TETS_STENCIL_H

#include <stdbool.h>
#include <stdint.h>

// A node is moved onto the surface when the surface cuts one of its edges within this fraction of the edge length.
// Labelle and Shewchuk prove their angle bounds for these values.
#define RBL_SNAP_LONG  0.24999
#define RBL_SNAP_SHORT 0.41189

// Cosines of RBL_TETS_MIN_ANGLE and RBL_TETS_MAX_ANGLE: with nodes and cuts anywhere within these fractions, no
// tetrahedron of a stencil has a dihedral angle outside this range, except one with all four nodes on the surface.
#define RBL_STENCIL_MAX_COSINE 0.98685
#define RBL_STENCIL_MIN_COSINE (-0.94942)

// Vertices of a cut tetrahedron: 0 to 3 are its nodes, from RBL_STENCIL_CUTS on the cuts of its edges, in this order.
#define RBL_STENCIL_CUTS 4
extern const uint8_t rbl_stencil_edges[6][2]; // 01 02 03 12 13 23

// Largest number of tetrahedra of a stencil: two prisms of three.
#define RBL_STENCIL_MAX 6

typedef struct rblStencil
{
    uint32_t count;
    uint8_t places[RBL_STENCIL_MAX][4]; // positive orientation when the lattice tetrahedron has it
    bool inside[RBL_STENCIL_MAX];
} rblStencil;

// Cut a tetrahedron. Signs: 1 inside, -1 outside, 0 on the surface. Where both cut edges of a face are short, the rest
// of the face besides the triangle is a quadrilateral over a long edge; `preferred` gives for 01 and 23 the node (0 or
// 1, 2 or 3) at which its diagonal starts. Every tetrahedron at that edge must get the same value. With all four nodes
// on the surface there is no rule: the result is one tetrahedron, outside.
rblStencil rbl_stencil_cut(const int8_t signs[4], const uint8_t preferred[2]);

#endif
