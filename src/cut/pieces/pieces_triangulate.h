// Triangles of a crack face: a polygon with holes in a plane.
#ifndef RBL_CUT_PIECES_PIECES_TRIANGULATE_H
#define RBL_CUT_PIECES_PIECES_TRIANGULATE_H

#include "cut/pieces/pieces.h"
#include "mesh/ear_clipping.h"

// Working memory, reused from face to face.
typedef struct rblCrackClipper
{
    rblEarClipper ears;
    rblIndexArray ring;  // vertices: the outer loop with the holes joined to it by bridges
    rblIndexArray holes; // loops
    rblIndexArray joined;
    rblIndexArray triangles;   // out: vertices, three by three, counter-clockwise as the loops are
    rblIndexArray twins;       // per corner of `triangles`
    RBL_ARRAY(rblVec3d) inner; // points that rbl_crack_refine() added within the face
    uint32_t first_inner;      // their names in `triangles` begin here
    bool
        repeats; // two triangles have the same side, the same way: loops that rounding makes cross themselves
    uint32_t axis; // of the positions: left out
    bool flipped;  // the other two are swapped, so that the outer loop runs counter-clockwise
} rblCrackClipper;

void rbl_crack_clipper_init(rblCrackClipper* clipper, const rblAllocator* allocator);
void rbl_crack_clipper_free(rblCrackClipper* clipper);

// Fill clipper->triangles with those of a crack face, the same for both mates: that is, for the loops as they
// are stored. `normal` is that of the side whose loops are not reversed. False when out of memory.
bool rbl_crack_triangulate(rblCrackClipper* clipper, const rblPieces* pieces, const rblMeshView* surface,
                           const rblPieceFace* face, rblVec3d normal);

// Add points inside the face until triangles are about as large as `spacing`, none on its border; the same for both mates.
// False when out of memory.
bool rbl_crack_refine(rblCrackClipper* clipper, const rblPieces* pieces, const rblMeshView* surface,
                      double spacing);

// ---- bumps (pieces_noise.c) ----

// How far apart the points of a crack face must lie to show the bumps that `pieces` have.
double rbl_crack_bump_spacing(const rblCrackClipper* clipper, const rblPieces* pieces,
                              const rblMeshView* surface);

// A point within a crack face, moved along `normal` by a bump: at most by the pieces' noise, and by a quarter of its distance
// from the border. The same for both mates.
rblVec3d rbl_crack_bump(const rblPieces* pieces, const rblMeshView* surface, const rblPieceFace* face,
                        rblVec3d normal, rblVec3d point);

#endif
