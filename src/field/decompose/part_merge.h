// Pieces of a solid joined again, where their common hull is small enough.
#ifndef RBL_FIELD_DECOMPOSE_PART_MERGE_H
#define RBL_FIELD_DECOMPOSE_PART_MERGE_H

#include "field/decompose/solid_part.h"

// The hull of a group of pieces.
typedef struct rblPartHull
{
    rblPointArray points; // corners
    double volume;        // of the pieces, m^3
    double hull_volume;   // m^3
} rblPartHull;
typedef RBL_ARRAY(rblPartHull) rblPartHulls;

void rbl_part_hulls_free(rblPartHulls* hulls);

// Join the pair with the least volume outside its pieces, again and again: as long as there are more than `most` hulls, or this volume
// is at most `allowed`. Then the hulls are sorted, largest first.
rblResult rbl_part_hulls_merge(rblPartHulls* hulls, uint32_t most, double allowed);

#endif
