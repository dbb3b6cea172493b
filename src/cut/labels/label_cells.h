// Labelled regions of any shape as unions of convex cells, so that the exact cutter of cells can use them.
#ifndef RBL_CUT_LABELS_LABEL_CELLS_H
#define RBL_CUT_LABELS_LABEL_CELLS_H

#include "cut/cells/cells.h"
#include "cut/labels/label_volume.h"

// Resolution of the borders of regions: pairs of cells along the longest side of the box. Bodies of a world collide
// through their cells; a lower resolution is enough for that.
#define RBL_LABEL_CELLS_RESOLUTION       20
#define RBL_LABEL_CELLS_WORLD_RESOLUTION 10

// Create cells in `box`, and the label of each (to be freed with the number of cells). Where two labels meet, seeds are
// placed in pairs at equal distances from the border, so that the facet between them is tangent to the border. The
// error is of second order in the spacing h = longest side / resolution. Details smaller than about h / 2 are rounded
// off.
rblResult rbl_label_cells(const rblLabelVolume* volume, rblAabbd box, uint32_t resolution, uint64_t seed,
                          rblJobs* jobs, const rblAllocator* allocator, rblCells** cells, uint32_t** regions);

#endif
