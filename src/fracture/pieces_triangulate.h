// Triangles of a crack face: a polygon with holes in a plane.
#ifndef RBL_FRACTURE_PIECES_TRIANGULATE_H
#define RBL_FRACTURE_PIECES_TRIANGULATE_H

#include "fracture/pieces.h"
#include "mesh/ear_clipping.h"

// Working memory, reused from face to face.
typedef struct rblCrackClipper
{
    rblEarClipper ears;
    rblIndexArray ring;  // vertices: the outer loop with the holes joined to it by bridges
    rblIndexArray holes; // loops
    rblIndexArray joined;
    rblIndexArray triangles; // out: vertices, three by three, counter-clockwise as the loops are
    rblIndexArray twins;     // per corner of `triangles`
    uint32_t axis;           // of the positions: left out
    bool flipped;            // the other two are swapped, so that the outer loop runs counter-clockwise
} rblCrackClipper;

void rbl_crack_clipper_init(rblCrackClipper* clipper, const rblAllocator* allocator);
void rbl_crack_clipper_free(rblCrackClipper* clipper);

// Fill clipper->triangles with those of a crack face, the same for both mates: that is, for the loops as they
// are stored. `normal` is that of the side whose loops are not reversed. False when out of memory.
bool rbl_crack_triangulate(rblCrackClipper* clipper, const rblPieces* pieces, const rblMeshView* surface,
                           const rblPieceFace* face, rblVec3d normal);

#endif
