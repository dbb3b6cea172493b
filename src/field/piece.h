// Pieces of shapes: the part of a root shape inside a region of convex cells (Su 2009, 4.2: max(parent, region)),
// without a grid of its own. A piece of a piece is a piece of the root with a smaller region, so that errors do not
// accumulate.
//
// The field is max(root, region). Its sign is right where the sign of the root is. Inside it is as exact as the root.
// Outside it is a lower bound, since the nearest points of root and region may differ: a contact outside needs the
// projection on the piece (rblField.confirm).
#ifndef RBL_FIELD_PIECE_H
#define RBL_FIELD_PIECE_H

#include "field/contact/region.h"
#include "field/level_set/level_set.h"
#include "field/shape.h"

typedef struct rblPieceField
{
    const rblShape* root;    // retained; never a piece
    const rblLevelSet* grid; // of the root; null: the root is not a level set
    rblRegion* region;       // in the axes of the root, which are those of the piece
    float far_off;           // m; farther outside the region the value of the region is used alone
} rblPieceField;

typedef struct rblPieceShapeDef
{
    const rblShape* parent; // any bounded shape, also a piece; it or its root is retained
    rblRegionDef region;    // in the axes of the parent; copied
    const rblVec3* samples; // on the surface of the piece, with crack faces, edges and corners
    uint32_t sample_count;
    const rblMassProperties* mass; // at density 1, exact
    rblAabb bounds;                // of the piece
    float inner_radius;            // of an inner ball, m; 0: computed
    // Whether the region contains other pieces, too, and only the part inside `bounds` is this one.
    bool boxed;
    rblLazySurface surface; // the shape takes ownership, also on failure
} rblPieceShapeDef;

rblResult rbl_shape_create_piece(const rblPieceShapeDef* def, rblShapeId* out);

// A convex piece with few corners becomes a hull: the same surface with faster contacts. The shape takes ownership of
// `surface`, also on failure.
typedef struct rblConvexPieceDef
{
    const rblVec3* corners;
    uint32_t corner_count;
    const rblMassProperties* mass; // at density 1, exact
    rblLazySurface surface;
} rblConvexPieceDef;

rblResult rbl_shape_create_convex_piece(const rblConvexPieceDef* def, rblShapeId* out);

// ---- serialisation (piece_codec.c) ----

// Both kinds of pieces have the same code in recordings; the next byte distinguishes them.
#define RBL_PIECE_CODE 10

// Write that byte and the mass.
void rbl_put_piece_head(rblByteSink* sink, const rblShape* shape, bool convex);

rblResult rbl_put_piece(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers);

// A piece of either kind.
rblResult rbl_take_piece(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out);

#endif
