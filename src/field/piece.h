// Pieces of shapes: the part of a root shape within a region of convex cells (Su 2009, 4.2: max(parent, region)), without
// a grid of its own. A piece of a piece is a piece of the root in a smaller region: nothing is lost by recursion.
//
// The field is max(root, region). Its sign is right wherever the root's is; inside it is as exact as the root's; outside it is a
// bound, because the nearest points of both need not be the same: a contact out there needs its projection on the
// piece (rblField.confirm).
#ifndef RBL_FIELD_PIECE_H
#define RBL_FIELD_PIECE_H

#include "field/contact/region.h"
#include "field/level_set/level_set.h"
#include "field/shape.h"

typedef struct rblPieceField
{
    const rblShape* root;    // held; no piece itself
    const rblLevelSet* grid; // the root's, if it is one
    rblRegion* region;       // in the root's axes, which are the piece's
    float far_off;           // farther outside the region the bound is the region's alone
} rblPieceField;

typedef struct rblPieceShapeDef
{
    const rblShape* parent; // anything bounded, a piece too; it is held, or its root is
    rblRegionDef region;    // in the parent's axes; copied
    const rblVec3* samples; // of the piece's surface: crack faces, edges and corners included
    uint32_t sample_count;
    const rblMassProperties* mass; // at density 1, exact
    rblAabb bounds;                // of the piece
    float inner_radius;            // of a ball inside; 0: one is looked for
    bool boxed;             // the region holds other pieces, too: only what is in the bounds is this one
    rblLazySurface surface; // taken over, also on failure
} rblPieceShapeDef;

rblResult rbl_shape_create_piece(const rblPieceShapeDef* def, rblShapeId* out);

// A hull, exact, where the piece is convex and has few corners: the same surface, faster. `surface` is taken over, also on
// failure.
typedef struct rblConvexPieceDef
{
    const rblVec3* corners;
    uint32_t corner_count;
    const rblMassProperties* mass; // at density 1, exact
    rblLazySurface surface;
} rblConvexPieceDef;

rblResult rbl_shape_create_convex_piece(const rblConvexPieceDef* def, rblShapeId* out);

// ---- as bytes (piece_codec.c) ----

// Both kinds of pieces share a code in recordings: a byte says which of them follows.
#define RBL_PIECE_CODE 10

// That byte and the mass.
void rbl_put_piece_head(rblByteSink* sink, const rblShape* shape, bool convex);

rblResult rbl_put_piece(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);

// Of either kind.
rblResult rbl_take_piece(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

#endif
