// A crack face projected on a coordinate plane, so that its triangles are counter-clockwise there.
#ifndef RBL_CUT_PIECES_FLAT_H
#define RBL_CUT_PIECES_FLAT_H

#include "cut/pieces/pieces_triangulate.h"

typedef struct rblFlatFace
{
    const rblPieces* pieces;
    const rblMeshView* surface;
    const rblCrackClipper* clipper;
} rblFlatFace;

// The position of a vertex: of the pieces, or inside the face.
static inline rblVec3d rbl_flat_place(const rblFlatFace* flat, uint32_t vertex)
{
    const rblCrackClipper* clipper = flat->clipper;
    return vertex >= clipper->first_inner ? clipper->inner.data[vertex - clipper->first_inner]
                                          : rbl_piece_position(flat->pieces, flat->surface, vertex);
}

// The position without the coordinate along the axis of the projection.
static inline void rbl_flat_point(const rblFlatFace* flat, uint32_t vertex, double out[2])
{
    const rblVec3d p = rbl_flat_place(flat, vertex);
    const uint32_t axis = flat->clipper->axis;
    const double x = axis == 0 ? p.y : (axis == 1 ? p.z : p.x);
    const double y = axis == 0 ? p.z : (axis == 1 ? p.x : p.y);
    out[0] = flat->clipper->flipped ? y : x;
    out[1] = flat->clipper->flipped ? x : y;
}

// Flip the edges of the triangles of a clipper until they are Delaunay. False: out of memory.
bool rbl_crack_flip_edges(rblCrackClipper* clipper, const rblFlatFace* flat);

#endif
