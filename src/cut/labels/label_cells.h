// Labelled regions of any shape as unions of convex cells, so that the one exact cut does for them too.
#ifndef RBL_CUT_LABELS_LABEL_CELLS_H
#define RBL_CUT_LABELS_LABEL_CELLS_H

#include "cut/cells/cells.h"
#include "cut/labels/label_volume.h"

// How fine the borders of regions are: pairs of cells along the longest side of the box. Bodies of a world meet each other
// through their cells, and are content with less.
#define RBL_LABEL_CELLS_RESOLUTION       20
#define RBL_LABEL_CELLS_WORLD_RESOLUTION 10

// Cells in `box` and the label of each (to be freed with the cells' count). Where two labels meet, cells lie
// in pairs at equal distances from the border, so that their facet is tangent to it: the border is followed
// to second order in their spacing h, the longest side by `resolution`, and what bends sharper is rounded to
// about h / 2.
rblResult rbl_label_cells(const rblLabelVolume* volume, rblAabbd box, uint32_t resolution, uint64_t seed,
                          rblJobs* jobs, const rblAllocator* allocator, rblCells** cells, uint32_t** regions);

#endif
