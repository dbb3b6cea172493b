// Internal types of the cut of a surface by cells. The stages are files of their own and run in this order:
//   label      cell of every vertex; triangles whose vertices are all in one cell are complete
//   edges      points where an edge passes from one cell to another: nodes (edge, 2 cells)
//   triangles  mixed triangles are cut into polygons: nodes (triangle, 3 cells)
//   caps       part of every facet between two cells that is inside the solid: nodes (4 cells), crack faces
//   shells     connected surfaces in every cell and their integrals; each cavity joins the shell around it
//   merge      cells of one region, and crumbs, are joined: groups of shells become pieces
//   output     all arrays of rblPieces, sorted by piece
// Vertices are numbered: vertices of the surface, then nodes in the order above.
#ifndef RBL_CUT_PIECES_PIECES_PRIVATE_H
#define RBL_CUT_PIECES_PIECES_PRIVATE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/hash_map.h"
#include "cut/pieces/pieces.h"
#include "cut/pieces/pieces_side.h"
#include "math/mat3.h"
#include <string.h>

// Neighbours of each cell, without the sides of the box. The slots of a cell are padded to a multiple of four with
// functions that are positive everywhere in the box.
typedef struct rblCellRings
{
    uint32_t* starts; // first slot of each cell; one more entry for the end
    uint32_t* ends;   // per cell: end of its slots without padding
    uint32_t* cells;  // per slot: the neighbour
    uint32_t* facets; // per slot: the facet to the neighbour
    // Per slot, in 32 bits: f_slot - f_cell as a function of (x - center) / scale, divided by `sizes`.
    float *gx, *gy, *gz, *gw;
    float* error_bounds; // per cell: bound of the error of these values
    rblVec3d center;
    double inverse_scale;
    uint32_t max_slots; // largest number of slots of a cell
} rblCellRings;

// An edge of the surface whose ends are in different cells. Nodes are sorted from ends[0] to ends[1].
typedef struct rblCutEdge
{
    uint32_t ends[2];
    uint32_t first_node, node_count;
} rblCutEdge;

typedef struct rblCutNode
{
    uint32_t cells[4]; // in rising order; RBL_NONE after the last
} rblCutNode;

// Part of a triangle in one cell; polygon p has loop p.
typedef struct rblCutPolygon
{
    uint32_t triangle, cell;
} rblCutPolygon;

// A directed side of the crack face on a facet, in the orientation of the facet's first cell.
typedef struct rblCutLink
{
    uint32_t facet, from, to; // from, to: vertices
} rblCutLink;

// Intersection of a triangle of the surface with an edge between three cells.
typedef struct rblCutCrossing
{
    uint32_t cell_edge;
    uint32_t node;
    bool enters; // whether the edge enters the solid here, from its tail to its head
} rblCutCrossing;

// A facet that is completely inside the solid: its corners in the orientation of its first cell. Count 0: the facet is
// given by links.
typedef struct rblUncutFacet
{
    uint32_t count;
    uint32_t corners[4];
} rblUncutFacet;

typedef struct rblCutCap
{
    uint32_t facet;
    uint32_t first_loop, end_loop;
    double area;
} rblCutCap;

// Integrals over a shell about `origin`, in the axes of the surface. `squares` and `products` are the second moments.
typedef struct rblShell
{
    uint32_t cell;
    uint32_t group; // union-find parent: another shell of the same piece; itself for the representative
    rblVec3d origin;
    double volume;
    rblVec3d first;
    rblVec3d squares;  // xx, yy, zz
    rblVec3d products; // xy, xz, yz
    double area;       // m^2, in total
    double outer_area; // m^2, without crack faces
    rblAabbd bounds;
    double nearness; // m^2, squared distance from the centre of the options to its edges and outer faces
} rblShell;

typedef enum rblCutStatus
{
    RBL_CUT_OK,
    RBL_CUT_TIE,      // a predicate was zero: perturb and try again
    RBL_CUT_OPEN,     // the surface is not closed and oriented
    RBL_CUT_OUTSIDE,  // the surface is not inside the box
    RBL_CUT_INVERTED, // the volume of the surface is not positive
    RBL_CUT_MEMORY
} rblCutStatus;

typedef struct rblCut
{
    // input
    const rblMeshView* surface;
    const uint32_t* triangle_vertices; // three per triangle
    uint32_t triangle_count, vertex_count;
    const rblCells* cells;
    rblMat3d linear;
    rblVec3d offset;
    const rblCutOptions* options;
    rblJobs* jobs;
    const rblAllocator* allocator;
    rblArena* arena;   // memory of all members below, except the output
    uint32_t excluded; // a cell without output; RBL_NONE: none
    // Per facet: normal out of its first cell, in the axes of the surface; null: computed from the rows of the cells.
    const rblVec3d* facet_normals;
    const rblUncutFacet* uncut_facets; // per facet; null: all facets are given by links
    // label
    rblCellRings rings;
    rblVec3d* points;       // vertices in the axes of the cells
    uint32_t* labels;       // per vertex: its cell
    double error_bound;     // bound of the error of f_b - f_a at a vertex
    uint32_t* uncut;        // triangles in one cell, sorted by cell
    uint32_t* uncut_starts; // per cell: its first entry of the array above; one more entry for the end
    uint32_t* mixed;        // triangles in several cells
    uint32_t mixed_count;
    // edges
    rblCutEdge* edges;
    uint32_t edge_count;
    rblHashMap edge_numbers; // from rbl_pair_key() of the ends to the edge
    // nodes and faces, filled by edges, triangles and caps
    RBL_ARRAY(rblCutNode) nodes;
    RBL_ARRAY(rblVec3d) positions;     // per node, in the axes of the surface
    RBL_ARRAY(rblPieceVertex) origins; // per node
    RBL_ARRAY(rblCutPolygon) polygons;
    RBL_ARRAY(rblCutLink) links;
    RBL_ARRAY(rblCutCrossing) crossings;
    RBL_ARRAY(rblCutCap) caps;
    rblIndexArray loop_starts; // of polygons, then of caps
    rblIndexArray corners;
    // shells
    uint32_t* polygon_order; // polygons, sorted by cell
    uint32_t* polygon_starts;
    uint32_t* side_order; // 2 cap + 0 (its first cell) or 1 (its second cell), sorted by cell
    uint32_t* side_starts;
    // Union-find parent per element: another element of its shell; itself for the representative.
    uint32_t* parents;
    uint32_t* shell_of;     // per representative element: index of its shell within its cell
    uint32_t* shell_starts; // per cell: its first shell; one more entry for the end
    rblShell* shells;
    uint32_t shell_count;
    // merge
    uint32_t* group_regions; // per representative shell
    uint32_t merged;
} rblCut;

// Arrays of a cut, and the error text of its status.
void rbl_cut_begin(rblCut* cut);
void rbl_cut_end(rblCut* cut);
rblResult rbl_cut_result(rblCutStatus status);

rblCutStatus rbl_cut_rings(rblCut* cut);
rblCutStatus rbl_cut_label(rblCut* cut);
rblCutStatus rbl_cut_edges(rblCut* cut);
rblCutStatus rbl_cut_triangles(rblCut* cut);
rblCutStatus rbl_cut_caps(rblCut* cut);
rblCutStatus rbl_cut_cap_links(rblCut* cut); // the last part of rbl_cut_caps(): crack faces from links
rblCutStatus rbl_cut_shells(rblCut* cut);
void rbl_cut_cavities(rblCut* cut);
void rbl_cut_measure_nearness(rblCut* cut); // only if the options have a radius
rblCutStatus rbl_cut_merge(rblCut* cut);
rblCutStatus rbl_cut_output(rblCut* cut, rblPieces* out);

// Crossings on edges between cells, and the parts of these edges inside the solid. Adds the links that the surface does
// not give.
rblCutStatus rbl_cut_cell_edges(rblCut* cut);

// Winding number of the border of a triangle around a ray from p along x; 0 if the ray does not cross the triangle.
// Exact. The sum over a closed surface is the winding number of the surface around p.
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

// A vertex is a different element in every cell around it: shells of different cells have no common element.
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

// The shell of a face, from any of its corners.
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

// The shell on one side of a cap: 0 is the side of its first cell, 1 of its second.
static inline uint32_t rbl_cut_cap_shell(const rblCut* cut, uint32_t cap, uint32_t side)
{
    const rblCutCap* c = &cut->caps.data[cap];
    const uint32_t cell = cut->cells->facets[c->facet].cells[side];
    return rbl_cut_shell(cut, rbl_cut_first_corner(cut, c->first_loop), cell);
}

// The representative shell of a group.
static inline uint32_t rbl_cut_group(const rblCut* cut, uint32_t shell)
{
    while (cut->shells[shell].group != shell)
    {
        shell = cut->shells[shell].group;
    }
    return shell;
}

#endif
