// Clip of a triangle of the surface by one cell after the other.
#ifndef RBL_CUT_PIECES_PIECES_CLIP_H
#define RBL_CUT_PIECES_PIECES_CLIP_H

#include "cut/pieces/pieces_private.h"

// Sides of a polygon: 0 to 2 are sides of the triangle; RBL_CLIP_NEIGHBOUR + s is slot s of the cell.
#define RBL_CLIP_NEIGHBOUR 3

typedef struct rblClipCorner
{
    uint32_t side;     // the side that starts at this corner
    double weights[3]; // barycentric weights, up to a common positive factor
    double error;      // error bound of each weight; infinite: decide exactly
} rblClipCorner;

// A node (triangle, 3 cells) of a block.
typedef struct rblClipTriple
{
    uint32_t cells[3]; // in rising order
    uint32_t cell_edge;
    uint32_t triangle;
    double weights[3];
    bool enters;
} rblClipTriple;

typedef struct rblClip
{
    const rblCut* cut;
    // of the current triangle
    uint32_t triangle;
    uint32_t vertices[3];
    uint32_t edges[3]; // RBL_NONE: the edge is in one cell
    uint32_t stamp;    // value that marks the entries of this triangle in the next two arrays
    uint32_t* seen;    // per cell: stamp of the last triangle that visited it
    uint32_t* triple_stamps;
    uint32_t* triple_numbers; // per cell edge: the triple on it, valid if the stamp is that of this triangle
    rblIndexArray open;       // cells that are not processed yet
    // of the current cell
    uint32_t cell;
    double (*values)[3];       // per slot: f_slot - f_cell at the three vertices
    rblClipCorner* corners[2]; // the polygon, and memory for the next one
    uint32_t* names;           // vertex indices of the corners
    uint32_t count;
    int* signs;
    // output of the block
    RBL_ARRAY(rblCutPolygon) polygons;
    rblIndexArray loop_starts;
    rblIndexArray vertex_corners;
    RBL_ARRAY(rblClipTriple) triples;
    RBL_ARRAY(rblCutLink) links;
    rblCutStatus status;
    // Start of the block's output in the arrays of the cut.
    uint32_t first_triple, first_polygon, first_corner, first_link;
} rblClip;

static inline void rbl_clip_fail(rblClip* clip, rblCutStatus status)
{
    clip->status = status > clip->status ? status : clip->status;
}

static inline uint32_t rbl_clip_neighbour(const rblClip* clip, uint32_t side)
{
    const rblCellRings* rings = &clip->cut->rings;
    return rings->cells[rings->starts[clip->cell] + side - RBL_CLIP_NEIGHBOUR];
}

static inline uint32_t rbl_clip_facet(const rblClip* clip, uint32_t side)
{
    const rblCellRings* rings = &clip->cut->rings;
    return rings->facets[rings->starts[clip->cell] + side - RBL_CLIP_NEIGHBOUR];
}

static inline uint32_t rbl_clip_side_before(const rblClip* clip, uint32_t corner)
{
    return clip->corners[0][corner > 0 ? corner - 1 : clip->count - 1].side;
}

// Compute the part of the triangle in a cell: `corners` and `count`; count is 0 if there is none. A tie is a failure.
void rbl_clip_to_cell(rblClip* clip, uint32_t cell);

#endif
