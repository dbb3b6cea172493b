// Internal types of the cut of a surface by tetrahedra. The stages are files of their own and run in this order; the
// stages of pieces_private.h from caps on follow, with labels as cells:
//   cracks         facets between parts of divided tetrahedra, their edges and corners
//   intersections  facets with triangles: nodes (side, facet) and (crack edge, triangle), links between them
//   polygons       triangles with links are cut along the links; the others are sorted by label
//   edges          parts of crack edges inside the solid: nodes of crack corners, the other links
// A facet of four corners is two triangles, but its diagonal gives no node. If rounding would make the diagonal matter,
// the cracks are shifted and the cut is repeated.
#ifndef RBL_CUT_TETS_TETS_CUT_PRIVATE_H
#define RBL_CUT_TETS_TETS_CUT_PRIVATE_H

#include "cut/pieces/pieces_private.h"
#include "cut/tets/tets_cut.h"

struct rblTetsSurface
{
    const rblAllocator* allocator;
    const rblTetsView* tets;
    rblMeshView view;
    rblIndexArray own_triangles; // vertices of triangles, if faces have more than three corners
    const uint32_t* triangle_vertices;
    uint32_t triangle_count;
    // m, of the box of the surface: its diagonal, and the largest distance of its corners from the origin.
    double size, reach;
    double span;               // m^2, bound of |a x b| for sides a, b of triangles and of parts of tetrahedra
    rblIndexArray vertex_tets; // per vertex: a tetrahedron that contains it
    rblIndexArray starts;      // per tetrahedron: its first entry in `triangles`; one more entry for the end
    rblIndexArray triangles;   // triangles that may intersect the tetrahedron
    // Per tetrahedron: indices of its six edges, in the order of rbl_tet_edges, and of its four faces.
    rblIndexArray edge_indices, face_indices;
    rblIndexArray side_indices; // per triangle: indices of its three sides, from each vertex to the next
    uint32_t edge_count, face_count, side_count;
};

// Fills the indices of edges, faces and sides (tets_indices.c).
rblResult rbl_tets_surface_number(rblTetsSurface* surface);

typedef struct rblCrackCorner
{
    rblVec3d position; // with the shift
    rblVec3d place;    // without the shift
    uint32_t cells[4]; // in rising order; RBL_NONE after the last
    bool border;       // whether it is on the border of the mesh, outside the solid
} rblCrackCorner;

// A common edge of two or three facets; of one facet at the border of the mesh.
typedef struct rblCrackEdge
{
    uint32_t ends[2];            // corners
    uint32_t next;               // next edge in the same face of the mesh; RBL_NONE: the last one
    uint32_t first_intersection; // first intersection with a triangle; RBL_NONE: none
    uint32_t facets[3];
    uint32_t facet_count;
    uint32_t cells[4]; // around it, in rising order; RBL_NONE after the last
    bool backwards[3]; // per facet: whether its loop has the direction from ends[1] to ends[0]
} rblCrackEdge;

// A facet of a crack. Its corners are counter-clockwise seen from the second cell.
typedef struct rblCrackFacet
{
    uint32_t tet;
    uint32_t cells[2]; // in rising order
    uint32_t corner_count;
    uint32_t corners[4];
    uint32_t edges[4]; // from each corner to the next
    rblAabbd bounds;
} rblCrackFacet;

// Intersection of a side of triangles with a facet.
typedef struct rblSideIntersection
{
    uint32_t side; // index of the side
    uint32_t facet, half;
    uint32_t node;
    uint32_t next; // next one of the side; RBL_NONE: the last one
    // From the lower vertex to the higher: whether the side passes from the facet's first cell to the second.
    bool rises;
} rblSideIntersection;

// Intersection of a crack edge with a triangle.
typedef struct rblEdgeIntersection
{
    uint32_t edge, triangle;
    uint32_t node;
    uint32_t next; // next one of the edge; RBL_NONE: the last one
    bool enters;   // from ends[0] to ends[1]: whether the edge enters the solid
} rblEdgeIntersection;

typedef struct rblTetsCut
{
    rblCut* cut;
    const rblTetsSurface* surface;
    const rblTetsPartition* partition;
    uint32_t event;
    rblVec3d shift; // offset of all corners of cracks, m
    double near;    // m; distances up to this are ties; 0: only exact ties
    double span;    // m^2, bound of |a x b| for sides a, b of triangles and facets
    double slack;   // m, far above the rounding error of the distance of a point from the plane of a facet
    rblCells cells; // for the later stages: one cell per label, and the facets between them
    // cracks
    uint32_t divided; // number of divided tetrahedra
    RBL_ARRAY(rblCrackCorner) corners;
    RBL_ARRAY(rblCrackEdge) edges;
    RBL_ARRAY(rblCrackFacet) facets; // in the order of tetrahedra
    // Per edge and per face of the mesh: the corner on it; RBL_NONE: none.
    uint32_t *edge_corners, *face_corners;
    uint32_t* face_edges; // per face of the mesh: the first crack edge in it; RBL_NONE: none
    // intersections
    RBL_ARRAY(rblSideIntersection) side_intersections;
    RBL_ARRAY(rblEdgeIntersection) edge_intersections;
    // Per side of the surface: its index among the sides with intersections; RBL_NONE: it has none.
    uint32_t* side_numbers;
    rblIndexArray side_heads;     // per side with intersections: the first of them
    rblIndexArray link_triangles; // per link of the cut: its triangle
} rblTetsCut;

// The topology of cracks does not depend on the shift; rbl_tets_cut_shift() sets the positions.
rblCutStatus rbl_tets_cut_cracks(rblTetsCut* work);
rblCutStatus rbl_tets_cut_shift(rblTetsCut* work);
rblCutStatus rbl_tets_cut_intersections(rblTetsCut* work);
rblCutStatus rbl_tets_cut_polygons(rblTetsCut* work);
rblCutStatus rbl_tets_cut_edges(rblTetsCut* work);

// The cell of a part of a tetrahedron.
static inline uint32_t rbl_tets_cut_cell(const rblTetsCut* work, uint32_t label, uint32_t event)
{
    if (work->event == RBL_NONE)
    {
        return label;
    }
    return event == work->event ? label - work->partition->events[event].first_label : work->cut->excluded;
}

// One of the two triangles of a facet: half 0 has corners 0, 1, 2, half 1 has corners 0, 2, 3.
static inline void rbl_crack_half(const rblTetsCut* work, uint32_t facet, uint32_t half, rblVec3d out[3])
{
    const rblCrackFacet* f = &work->facets.data[facet];
    out[0] = work->corners.data[f->corners[0]].position;
    out[1] = work->corners.data[f->corners[1 + half]].position;
    out[2] = work->corners.data[f->corners[2 + half]].position;
}

static inline void rbl_tets_cut_triangle(const rblTetsCut* work, uint32_t triangle, rblVec3d out[3])
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        out[k] = work->cut->surface->positions[work->cut->triangle_vertices[3 * (size_t)triangle + k]];
    }
}

#endif
