// Pieces as files.
#ifndef RBL_CUT_PIECES_PIECES_SAVE_H
#define RBL_CUT_PIECES_PIECES_SAVE_H

#include "cut/pieces/pieces.h"
#include "rubble/shatter.h"

// Write FOLDER/piece_0000.obj, ... at their positions in the solid, and FOLDER/pieces.json (docs/fracture.md). Vertices
// are shared, so that each file is a closed manifold by its indices. Earlier files piece_*.obj are removed first.
// `force`: also into a folder with other files.
rblResult rbl_pieces_write_folder(const rblPieces* pieces, const rblMeshView* surface, double density,
                                  const char* folder, bool force);

// The same files in an existing folder; nothing is removed.
rblResult rbl_pieces_write_files(const rblPieces* pieces, const rblMeshView* surface, double density,
                                 const char* folder);

// One node for every piece. `explode`: displacement of the pieces away from the centre, relative to their distance from
// it; 0: in place.
rblResult rbl_pieces_write_glb(const rblPieces* pieces, const rblMeshView* surface, double density,
                               double explode, const char* path);

typedef RBL_ARRAY(rblPieceMate) rblPieceMates;

// All pairs of mating faces, each once, sorted by piece a < b and face.
rblResult rbl_pieces_find_mates(const rblPieces* pieces, const rblMeshView* surface, rblPieceMates* out);

#endif
