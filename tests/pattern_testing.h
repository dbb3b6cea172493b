// What tests ask of patterns. Include after testing.h.
#ifndef RBL_TESTS_PATTERN_TESTING_H
#define RBL_TESTS_PATTERN_TESTING_H

#include "cut/cells/cells.h"
#include "cut/labels/label_volume.h"
#include "fracture/pattern/pattern.h"

// The region of a point.
static inline uint32_t pattern_locate(const rblPattern* pattern, rblVec3d point)
{
    return pattern->volume == NULL ? pattern->regions[rbl_cells_locate(pattern->cells, point)]
                                   : rbl_labels_at(pattern->volume, point);
}

#endif
