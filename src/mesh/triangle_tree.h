// Inside of triangle_set.h.
#ifndef RBL_MESH_TRIANGLE_TREE_H
#define RBL_MESH_TRIANGLE_TREE_H

#include "mesh/triangle_set.h"

// Over the set's corners and boxes, which are filled already. Split at the median of the centres along their
// longest side: balanced for any input, giants and duplicates included.
rblResult rbl_triangle_tree_init(rblTriangleSet* set, const rblAllocator* allocator);
void rbl_triangle_tree_free(rblTriangleTree* tree, const rblAllocator* allocator);

#endif
