// The field of a piece.
#ifndef RBL_TESTS_PIECE_FIELD_H
#define RBL_TESTS_PIECE_FIELD_H

#include "field/piece.h"
#include "field/shape_kinds.h"

// Null: the shape is no piece, or a convex one.
static inline const rblPieceField* piece_of(const rblShape* shape)
{
    return shape->kind == rbl_shape_kind_find("piece") ? shape->data : NULL;
}

#endif
