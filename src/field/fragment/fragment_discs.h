// The pieces of crack around one small fragment, four in a block, for the nearest of them without any search by cells.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_DISCS_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_DISCS_H

#include "field/fragment/fragment_event.h"

// Four discs; lanes that are not used have a radius of minus infinity and are never nearest.
typedef struct rblDiscBlock
{
    float center[3][4];
    float normal[3][4];
    float radius[4];
} rblDiscBlock;

// More than so many are found by cells in less time.
#define RBL_MAX_DISC_BLOCKS 64u

// How many blocks the discs of a label fill; 0 where they are too many.
uint32_t rbl_disc_blocks_of(const rblFragmentEvent* event, uint32_t label);
void rbl_disc_blocks_fill(const rblFragmentEvent* event, uint32_t label, rblDiscBlock* out);

// The distance of the nearest disc, and the way there; `limit` and nothing where all are farther.
float rbl_nearest_in_blocks(const rblDiscBlock* blocks, uint32_t count, rblVec3 point, float limit,
                            rblVec3* offset);

#endif
