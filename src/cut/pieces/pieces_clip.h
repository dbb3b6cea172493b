// A triangle of the surface clipped to cells, one after the other.
#ifndef RBL_CUT_PIECES_PIECES_CLIP_H
#define RBL_CUT_PIECES_PIECES_CLIP_H

#include "cut/pieces/pieces_private.h"

// Sides of a polygon: 0 to 2 are those of the triangle, this plus s is slot s of the cell.
#define RBL_CLIP_NEIGHBOUR 3

typedef struct rblClipCorner
{
    uint32_t side;     // that leaves this corner
    double weights[3]; // of the triangle's corners, up to a common positive factor
    double error;      // of each weight, at most; infinite: no decision in floating point
} rblClipCorner;

// A node (triangle, 3 cells) of a block.
typedef struct rblClipTriple
{
    uint32_t cells[3]; // rising
    uint32_t cell_edge;
    uint32_t triangle;
    double weights[3];
    bool enters;
} rblClipTriple;

typedef struct rblClip
{
    const rblCut* cut;
    // of the triangle
    uint32_t triangle;
    uint32_t vertices[3];
    uint32_t edges[3]; // RBL_NONE: stays in one cell
    uint32_t stamp;    // of this triangle, in the two below
    uint32_t* seen;    // per cell
    uint32_t* triple_stamps;
    uint32_t* triple_numbers; // per cell edge: the triple on it, where the stamp is this triangle's
    rblIndexArray open;       // cells to do
    // of the cell
    uint32_t cell;
    double (*values)[3];       // per slot: f_slot - f_cell at the vertices
    rblClipCorner* corners[2]; // the polygon, and room for the next
    uint32_t* names;           // of the corners
    uint32_t count;
    int* signs;
    // made by the block
    RBL_ARRAY(rblCutPolygon) polygons;
    rblIndexArray loop_starts;
    rblIndexArray vertex_corners;
    RBL_ARRAY(rblClipTriple) triples;
    RBL_ARRAY(rblCutLink) links;
    rblCutTrouble trouble;
    uint32_t first_triple, first_polygon, first_corner, first_link; // where they go
} rblClip;

static inline void rbl_clip_fail(rblClip* clip, rblCutTrouble trouble)
{
    clip->trouble = trouble > clip->trouble ? trouble : clip->trouble;
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

// The triangle's part in a cell: `corners` and `count`, none when it has none. Ties are trouble.
void rbl_clip_to_cell(rblClip* clip, uint32_t cell);

#endif
