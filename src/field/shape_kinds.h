// The table of kinds of shapes.
#ifndef RBL_FIELD_SHAPE_KINDS_H
#define RBL_FIELD_SHAPE_KINDS_H

#include "field/shape.h"

// All kinds, with indices from 0; null after the last one.
const rblShapeKind* rbl_shape_kind_at(uint32_t index);

// Null: there is no kind of this name.
const rblShapeKind* rbl_shape_kind_find(const char* name);

// Add a kind until the process ends; it is not copied. Refused: a name that is empty or exists already, a full table.
// Thread-safe.
rblResult rbl_shape_kind_register(const rblShapeKind* kind);

#endif
