// Triangulation of crack faces: planar polygons with holes.
#ifndef RBL_CUT_PIECES_PIECES_TRIANGULATE_H
#define RBL_CUT_PIECES_PIECES_TRIANGULATE_H

#include "cut/pieces/pieces.h"
#include "mesh/ear_clipping.h"

// Scratch memory, used again for each face.
typedef struct rblCrackClipper
{
    rblEarClipper ears;
    rblIndexArray ring;  // vertices: the outer loop, with the holes joined to it by bridges
    rblIndexArray holes; // loops
    rblIndexArray joined;
    rblIndexArray triangles;   // output: three vertices per triangle, with the orientation of the loops
    rblIndexArray twins;       // per corner of `triangles`: the opposite half-edge
    RBL_ARRAY(rblVec3d) inner; // points inside the face that rbl_crack_refine() added
    uint32_t first_inner;      // index of the first of them in `triangles`
    // Whether two triangles have the same half-edge: loops that intersect themselves by rounding.
    bool repeats;
    uint32_t axis; // the axis that the projection omits
    bool flipped;  // whether the other two axes are swapped, so that the outer loop is counter-clockwise
} rblCrackClipper;

void rbl_crack_clipper_init(rblCrackClipper* clipper, const rblAllocator* allocator);
void rbl_crack_clipper_free(rblCrackClipper* clipper);

// Fill clipper->triangles with the triangles of a crack face. Mates get the same triangles, since they use the same
// stored loops. `normal` is that of the side whose loops are not reversed. Returns false without memory.
bool rbl_crack_triangulate(rblCrackClipper* clipper, const rblPieces* pieces, const rblMeshView* surface,
                           const rblPieceFace* face, rblVec3d normal);

// Add points inside the face, not on its border, until triangles are about as large as `spacing`; the same for both
// mates. Returns false without memory.
bool rbl_crack_refine(rblCrackClipper* clipper, const rblPieces* pieces, const rblMeshView* surface,
                      double spacing);

// ---- bumps (pieces_noise.c) ----

// Distance between points of a crack face that is needed to show the bumps of `pieces`.
double rbl_crack_bump_spacing(const rblCrackClipper* clipper, const rblPieces* pieces,
                              const rblMeshView* surface);

// A point inside a crack face, moved along `normal` by a bump: at most by the noise of the pieces, and by a quarter of
// its distance from the border. The same for both mates.
rblVec3d rbl_crack_bump(const rblPieces* pieces, const rblMeshView* surface, const rblPieceFace* face,
                        rblVec3d normal, rblVec3d point);

#endif
