// How a surface is cut. The stages, each in a file of its own, in the order in which they run:
//   label      every vertex gets the cell it lies in; triangles whose vertices agree are done with
//   edges      where an edge runs from one cell into another: nodes (edge, 2 cells)
//   triangles  those whose vertices disagree are cut into polygons: nodes (triangle, 3 cells)
//   caps       what lies inside the solid of every facet between two cells: nodes (4 cells), crack faces
//   shells     connected surfaces in every cell and their integrals; cavities go to the shell around them
//   merge      cells of one region, and crumbs, are joined: groups of shells become pieces
//   output     all of it, piece by piece
// Vertices are numbered: those of the surface, then the nodes in the order above.
#ifndef RBL_CUT_PIECES_PIECES_PRIVATE_H
#define RBL_CUT_PIECES_PIECES_PRIVATE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_map.h"
#include "cut/pieces/pieces.h"
#include "cut/pieces/pieces_side.h"
#include "math/mat3.h"
#include <string.h>

// Cells around each cell, without the sides of the box. Slots of a cell are padded to a multiple of four with
// functions that are positive everywhere in the box.
typedef struct rblCellRings
{
    uint32_t* starts; // first slot of each cell, and the end
    uint32_t* ends;   // of the slots of a cell that are real
    uint32_t* cells;  // per slot
    uint32_t* facets; // per slot
    // Per slot, in 32 bits: f_slot - f_cell as a function of (x - center) / scale, divided by `sizes`.
    float *gx, *gy, *gz, *gw;
    float* doubts; // per cell: within this of zero, those may have the wrong sign
    rblVec3d center;
    double inverse_scale;
    uint32_t most; // slots of any cell
} rblCellRings;

// An edge of the surface that leaves the cell it begins in. Nodes run from ends[0] to ends[1].
typedef struct rblCutEdge
{
    uint32_t ends[2];
    uint32_t first_node, node_count;
} rblCutEdge;

typedef struct rblCutNode
{
    uint32_t cells[4]; // rising; RBL_NONE after the last
} rblCutNode;

// Part of a triangle in one cell: loop number p is the p-th polygon.
typedef struct rblCutPolygon
{
    uint32_t triangle, cell;
} rblCutPolygon;

// A side of the crack face on a facet, as the facet's first cell goes around it.
typedef struct rblCutLink
{
    uint32_t facet, from, to; // vertices
} rblCutLink;

// Where a triangle of the surface meets an edge between three cells.
typedef struct rblCutCrossing
{
    uint32_t cell_edge;
    uint32_t node;
    bool enters; // the solid, going from the cell edge's tail to its head
} rblCutCrossing;

// A facet that lies inside the solid as it is: its corners, vertices as its first cell goes around it. Count 0: links tell.
typedef struct rblWholeFacet
{
    uint32_t count;
    uint32_t corners[4];
} rblWholeFacet;

typedef struct rblCutCap
{
    uint32_t facet;
    uint32_t first_loop, end_loop;
    double area;
} rblCutCap;

// Integrals over a shell about `origin`, in the surface's axes. The last three rows are moments of second
// order.
typedef struct rblShell
{
    uint32_t cell;
    uint32_t group; // another shell of the same piece, itself for the one that speaks for it
    rblVec3d origin;
    double volume;
    rblVec3d first;
    rblVec3d squares;  // xx, yy, zz
    rblVec3d products; // xy, xz, yz
    double area;       // all of it
    double outer_area; // without crack faces
    rblAabbd bounds;
    double nearness; // squared distance from the centre of the options to its edges and outer faces
} rblShell;

typedef enum rblCutTrouble
{
    RBL_CUT_FINE,
    RBL_CUT_TIE,      // a predicate was zero: shake and try again
    RBL_CUT_OPEN,     // the surface is not closed and oriented
    RBL_CUT_OUTSIDE,  // it sticks out of the box
    RBL_CUT_INVERTED, // its volume is not positive
    RBL_CUT_MEMORY
} rblCutTrouble;

typedef struct rblCut
{
    // Given.
    const rblMeshView* surface;
    const uint32_t* triangle_vertices; // three per triangle
    uint32_t triangle_count, vertex_count;
    const rblCells* cells;
    rblMat3d linear;
    rblVec3d offset;
    const rblCutOptions* options;
    rblJobs* jobs;
    const rblAllocator* allocator;
    rblArena* arena;  // everything below but what goes to the caller
    uint32_t foreign; // a cell of which no pieces are wanted; RBL_NONE: there is none
    const rblVec3d*
        facet_normals; // per facet, out of its first cell, in the surface's axes; null: the cells' rows tell
    const rblWholeFacet* whole_facets; // per facet; null: links tell of all
    // label
    rblCellRings rings;
    rblVec3d* points;       // vertices in the cells' axes
    uint32_t* labels;       // per vertex: its cell
    double doubt;           // within this of zero, f_b - f_a at a vertex may have the wrong sign
    uint32_t* whole;        // triangles in one cell, cell by cell
    uint32_t* whole_starts; // per cell, and the end
    uint32_t* mixed;        // the others
    uint32_t mixed_count;
    // edges
    rblCutEdge* edges;
    uint32_t edge_count;
    rblHashMap edge_numbers; // from rbl_pair_key() of the ends
    // nodes and faces, by edges, triangles and caps
    RBL_ARRAY(rblCutNode) nodes;
    RBL_ARRAY(rblVec3d) positions;     // of the nodes, in the surface's axes
    RBL_ARRAY(rblPieceVertex) origins; // of the nodes
    RBL_ARRAY(rblCutPolygon) polygons;
    RBL_ARRAY(rblCutLink) links;
    RBL_ARRAY(rblCutCrossing) crossings;
    RBL_ARRAY(rblCutCap) caps;
    rblIndexArray loop_starts; // of polygons, then of caps
    rblIndexArray corners;
    // shells
    uint32_t* polygon_order; // polygons cell by cell
    uint32_t* polygon_starts;
    uint32_t* side_order; // 2 cap + 0 or 1, the first or the second of its cells, cell by cell
    uint32_t* side_starts;
    uint32_t* parents;      // per element: another of its shell, itself for the one that speaks for it
    uint32_t* shell_of;     // per element that speaks: number of the shell among those of its cell
    uint32_t* shell_starts; // per cell, and the end
    rblShell* shells;
    uint32_t shell_count;
    // merge
    uint32_t* group_regions; // per shell that speaks
    uint32_t merged;
} rblCut;

// The arrays of a cut, and its trouble in words.
void rbl_cut_begin(rblCut* cut);
void rbl_cut_end(rblCut* cut);
rblResult rbl_cut_result(rblCutTrouble trouble);

rblCutTrouble rbl_cut_rings(rblCut* cut);
rblCutTrouble rbl_cut_label(rblCut* cut);
rblCutTrouble rbl_cut_edges(rblCut* cut);
rblCutTrouble rbl_cut_triangles(rblCut* cut);
rblCutTrouble rbl_cut_caps(rblCut* cut);
rblCutTrouble rbl_cut_cap_links(rblCut* cut); // the last part of it: crack faces of the links
rblCutTrouble rbl_cut_shells(rblCut* cut);
void rbl_cut_cavities(rblCut* cut);
void rbl_cut_measure_nearness(rblCut* cut); // where the options have a radius
rblCutTrouble rbl_cut_merge(rblCut* cut);
rblCutTrouble rbl_cut_output(rblCut* cut, rblPieces* out);

// Crossings along edges between cells, and which parts of these lie inside: fills the links that the surface
// does not give.
rblCutTrouble rbl_cut_cell_edges(rblCut* cut);

// How often the border of a triangle winds around a ray from p along x that it is ahead of; 0: not at all. Exact; summed over a closed
// surface: how often that winds around p.
int rbl_cut_ray_turns(rblVec3d p, rblVec3d a, rblVec3d b, rblVec3d c);

static inline rblVec3d rbl_cut_position(const rblCut* cut, uint32_t vertex)
{
    return vertex < cut->vertex_count ? cut->surface->positions[vertex]
                                      : cut->positions.data[vertex - cut->vertex_count];
}

static inline double rbl_cut_value(const rblCut* cut, uint32_t cell, uint32_t other, uint32_t vertex)
{
    const rblCellRow row = rbl_cell_row(cut->cells, cell, other);
    return rbl_dot3d(row.gradient, cut->points[vertex]) + row.offset;
}

// A vertex counts once for every cell around it: shells of different cells have no element in common.
static inline uint32_t rbl_cut_element(const rblCut* cut, uint32_t vertex, uint32_t cell)
{
    if (vertex < cut->vertex_count)
    {
        return vertex;
    }
    const uint32_t node = vertex - cut->vertex_count;
    const uint32_t* cells = cut->nodes.data[node].cells;
    const uint32_t slot = cells[0] == cell ? 0 : (cells[1] == cell ? 1 : (cells[2] == cell ? 2 : 3));
    return cut->vertex_count + 4 * node + slot;
}

// The shell of a face, by any of its corners.
static inline uint32_t rbl_cut_shell(const rblCut* cut, uint32_t vertex, uint32_t cell)
{
    uint32_t element = rbl_cut_element(cut, vertex, cell);
    while (cut->parents[element] != element)
    {
        element = cut->parents[element];
    }
    return cut->shell_starts[cell] + cut->shell_of[element];
}

static inline uint32_t rbl_cut_first_corner(const rblCut* cut, uint32_t loop)
{
    return cut->corners.data[cut->loop_starts.data[loop]];
}

// The shell on one side of a cap: 0 that of its first cell, 1 that of the second.
static inline uint32_t rbl_cut_cap_shell(const rblCut* cut, uint32_t cap, uint32_t side)
{
    const rblCutCap* c = &cut->caps.data[cap];
    const uint32_t cell = cut->cells->facets[c->facet].cells[side];
    return rbl_cut_shell(cut, rbl_cut_first_corner(cut, c->first_loop), cell);
}

// The shell that speaks for a group.
static inline uint32_t rbl_cut_group(const rblCut* cut, uint32_t shell)
{
    while (cut->shells[shell].group != shell)
    {
        shell = cut->shells[shell].group;
    }
    return shell;
}

#endif
