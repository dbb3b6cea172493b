// Pieces as files.
#ifndef RBL_CUT_PIECES_PIECES_SAVE_H
#define RBL_CUT_PIECES_PIECES_SAVE_H

#include "cut/pieces/pieces.h"
#include "rubble/shatter.h"

// FOLDER/piece_0000.obj, ... in place, and FOLDER/pieces.json (docs/fracture.md). Vertices are shared, so
// that each file is a closed manifold by its indices. Pieces of an earlier time are removed first. `force`:
// into a folder with other files too.
rblResult rbl_pieces_write_folder(const rblPieces* pieces, const rblMeshView* surface, double density,
                                  const char* folder, bool force);

// The same files in a folder that is there already; nothing is removed.
rblResult rbl_pieces_write_files(const rblPieces* pieces, const rblMeshView* surface, double density,
                                 const char* folder);

// One node for every piece. `explode`: how far the pieces are moved away from the middle, by their distance
// from it; 0: in place.
rblResult rbl_pieces_write_glb(const rblPieces* pieces, const rblMeshView* surface, double density,
                               double explode, const char* path);

typedef RBL_ARRAY(rblPieceMate) rblPieceMates;

// All of them, every pair once, by piece a < b and face.
rblResult rbl_pieces_find_mates(const rblPieces* pieces, const rblMeshView* surface, rblPieceMates* out);

#endif
