// The table of kinds of shapes.
#ifndef RBL_FIELD_SHAPE_KINDS_H
#define RBL_FIELD_SHAPE_KINDS_H

#include "field/shape.h"

// All kinds, by number from 0 on; null behind the last one.
const rblShapeKind* rbl_shape_kind_at(uint32_t index);

// Null: there is none of that name.
const rblShapeKind* rbl_shape_kind_find(const char* name);

// Add a kind for the life of the process; it is not copied. Refused: a name that is taken or empty, a full table. Safe from any thread.
rblResult rbl_shape_kind_register(const rblShapeKind* kind);

#endif
