// How tetrahedra cut a surface. The stages, each in a file of its own, in the order in which they run; where these end, those of
// pieces_private.h go on, for which every label is a cell:
//   cracks     facets between parts of divided tetrahedra, their edges and corners
//   meetings   where facets and triangles of the surface meet: nodes (side, facet) and (crack edge, triangle), links between them
//   polygons   triangles that are met are cut along the links, the others sorted by label
//   edges      what lies inside the solid of every crack edge: nodes of crack corners, the other links
// A facet of four corners is two triangles, but its diagonal makes no node: where rounding would make one matter, the cracks
// are shifted and the cut begins anew.
#ifndef RBL_CUT_TETS_TETS_CUT_PRIVATE_H
#define RBL_CUT_TETS_TETS_CUT_PRIVATE_H

#include "cut/pieces/pieces_private.h"
#include "cut/tets/tets_cut.h"

struct rblTetsSurface
{
    const rblAllocator* allocator;
    const rblTetsView* tets;
    rblMeshView view;
    rblIndexArray own_triangles; // where faces have more than three corners
    const uint32_t* triangle_vertices;
    uint32_t triangle_count;
    double size, reach;        // of the surface's box: its diagonal, how far its corners are from the origin
    double span;               // m^2: no two sides of triangles, or of parts of tetrahedra, span more
    rblIndexArray vertex_tets; // per vertex: a tetrahedron that holds it
    rblIndexArray starts;      // per tetrahedron, and the end: in `triangles`
    rblIndexArray triangles;   // that may pass through it
    rblIndexArray edge_names, face_names; // per tetrahedron six, as rbl_tet_edges has them, and four
    rblIndexArray side_names;             // per triangle three: from each vertex to the next
    uint32_t edge_count, face_count, side_count;
};

// Fills the names (tets_names.c).
rblResult rbl_tets_surface_name(rblTetsSurface* surface);

typedef struct rblCrackCorner
{
    rblVec3d position; // shifted
    rblVec3d place;    // as the rule has it
    uint32_t cells[4]; // rising; RBL_NONE after the last
    bool border;       // of the mesh: outside of the solid
} rblCrackCorner;

// Borders two or three facets; one at the border of the mesh.
typedef struct rblCrackEdge
{
    uint32_t ends[2];       // corners
    uint32_t next;          // in the same face of the mesh; RBL_NONE: the last one
    uint32_t first_meeting; // with a triangle; RBL_NONE: none
    uint32_t facets[3];
    uint32_t facet_count;
    uint32_t cells[4]; // around it, rising; RBL_NONE after the last
    bool backwards[3]; // per facet: it goes around from ends[1] to ends[0]
} rblCrackEdge;

// Counter-clockwise seen from the second cell.
typedef struct rblCrackFacet
{
    uint32_t tet;
    uint32_t cells[2]; // rising
    uint32_t corner_count;
    uint32_t corners[4];
    uint32_t edges[4]; // from each corner to the next
    rblAabbd bounds;
} rblCrackFacet;

// Where a side of triangles meets a facet.
typedef struct rblSideMeeting
{
    uint32_t side; // number of it
    uint32_t facet, half;
    uint32_t node;
    uint32_t next; // of the side; RBL_NONE: the last one
    bool rises;    // from the facet's first cell to the second, going from the lower vertex to the higher
} rblSideMeeting;

// Where a crack edge meets a triangle.
typedef struct rblEdgeMeeting
{
    uint32_t edge, triangle;
    uint32_t node;
    uint32_t next; // of the edge; RBL_NONE: the last one
    bool enters;   // the solid, from ends[0] to ends[1]
} rblEdgeMeeting;

typedef struct rblTetsCut
{
    rblCut* cut;
    const rblTetsSurface* surface;
    const rblTetsPartition* partition;
    uint32_t event;
    rblVec3d shift; // of all corners of cracks
    double near;    // m: what is as near as this counts as a tie; 0: ties alone do
    double span;    // m^2: no two sides of triangles and facets span more
    double slack;   // m: much more than rounding moves a point from a facet's plane
    rblCells cells; // for the later stages: as many as there are labels, and the facets between them
    // cracks
    uint32_t divided; // tetrahedra
    RBL_ARRAY(rblCrackCorner) corners;
    RBL_ARRAY(rblCrackEdge) edges;
    RBL_ARRAY(rblCrackFacet) facets;       // in the order of tetrahedra
    uint32_t *edge_corners, *face_corners; // on edges and faces of the mesh; RBL_NONE: none
    uint32_t* face_edges;                  // per face of the mesh: the first crack edge in it; RBL_NONE: none
    // meetings
    RBL_ARRAY(rblSideMeeting) side_meetings;
    RBL_ARRAY(rblEdgeMeeting) edge_meetings;
    uint32_t* side_numbers;       // per side of the surface: among those that are met; RBL_NONE: not met
    rblIndexArray side_heads;     // per side that is met: the first of its meetings
    rblIndexArray link_triangles; // per link of the cut: its triangle
} rblTetsCut;

// Cracks do not depend on the shift; rbl_tets_cut_shift() puts them where it says.
rblCutTrouble rbl_tets_cut_cracks(rblTetsCut* work);
rblCutTrouble rbl_tets_cut_shift(rblTetsCut* work);
rblCutTrouble rbl_tets_cut_meetings(rblTetsCut* work);
rblCutTrouble rbl_tets_cut_polygons(rblTetsCut* work);
rblCutTrouble rbl_tets_cut_edges(rblTetsCut* work);

// The cell of a part of a tetrahedron.
static inline uint32_t rbl_tets_cut_cell(const rblTetsCut* work, uint32_t label, uint32_t event)
{
    if (work->event == RBL_NONE)
    {
        return label;
    }
    return event == work->event ? label - work->partition->events[event].first_label : work->cut->foreign;
}

// One of the triangles of a facet: half 0 are corners 0, 1, 2, half 1 are 0, 2, 3.
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
