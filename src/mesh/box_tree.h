// A tree over boxes that finds those meeting a given box. Plain and serial; the bvh room is to take its place, which is
// why nothing outside these three calls knows how it works.
#ifndef RBL_MESH_BOX_TREE_H
#define RBL_MESH_BOX_TREE_H

#include "base/memory.h"
#include "rubble/math.h"

typedef struct rblBoxNode rblBoxNode;

typedef struct rblBoxTree
{
    const rblAabbd* boxes; // not owned
    uint32_t* items;       // the boxes that are not empty, in tree order
    uint32_t item_count;
    rblBoxNode* nodes; // depth first
    uint32_t node_count;
    uint32_t item_capacity, node_capacity;
    const rblAllocator* allocator;
} rblBoxTree;

// Split at the median of the centres along their longest side: balanced for any input, giants and duplicates included.
// Empty boxes are never found. The boxes must stay where they are.
rblResult rbl_box_tree_init(rblBoxTree* tree, const rblAabbd* boxes, uint32_t count,
                            const rblAllocator* allocator);
void rbl_box_tree_free(rblBoxTree* tree);

// Called with a box that meets the one asked for; false ends the search.
typedef bool rblBoxFcn(uint32_t box, void* context);

// Visit every box that meets `box`, borders included. The order depends on the boxes only.
void rbl_box_tree_query(const rblBoxTree* tree, const rblAabbd* box, rblBoxFcn* fcn, void* context);

#endif
