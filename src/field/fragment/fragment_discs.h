// The crack pieces around a small fragment, in blocks of four: finds the nearest of them without cells.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_DISCS_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_DISCS_H

#include "field/fragment/fragment_event.h"

// Four discs. Unused lanes have the radius -INFINITY and are never the nearest.
typedef struct rblDiscBlock
{
    float center[3][4];
    float normal[3][4];
    float radius[4];
} rblDiscBlock;

// For more blocks the search by cells is faster.
#define RBL_MAX_DISC_BLOCKS 64u

// Number of blocks for the discs of a label; 0: too many.
uint32_t rbl_disc_blocks_of(const rblFragmentEvent* event, uint32_t label);
void rbl_disc_blocks_fill(const rblFragmentEvent* event, uint32_t label, rblDiscBlock* out);

// Distance to the nearest disc, and the vector to it. If all are farther than `limit`, the result is `limit` and the
// vector is not set.
float rbl_nearest_in_blocks(const rblDiscBlock* blocks, uint32_t count, rblVec3 point, float limit,
                            rblVec3* offset);

#endif
