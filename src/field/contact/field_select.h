// Which contacts of a pair are enough (Glondu 2012, 5.3).
//
// A contact is a row w = (n, r x n / length) of a linear system: it asks of a small motion x = (t, length theta) of the second
// shape against the first that distance + w.x >= 0. Rows that others imply need no contact of their own.
#ifndef RBL_FIELD_CONTACT_FIELD_SELECT_H
#define RBL_FIELD_CONTACT_FIELD_SELECT_H

#include "base/array.h"
#include "field/engine.h"

// Contacts for what may come next are never more than this many.
#define RBL_MAX_EXTRA 24u

typedef struct rblCandidate
{
    rblContactPoint contact;
    float lows[RBL_MAX_PATHS]; // the least distance along the normal that each path would bring
} rblCandidate;

typedef RBL_ARRAY(rblCandidate) rblCandidateArray;

typedef struct rblSelectedRow
{
    float w[6];
    float distances[1 + RBL_MAX_PATHS]; // now, and on the paths
    float inverse_square;               // 1 / |w|^2
} rblSelectedRow;

// Working memory.
typedef struct rblSelectScratch
{
    RBL_ARRAY(float) columns;
    RBL_ARRAY(rblSelectedRow) chosen;
    RBL_ARRAY(float) products; // of the rows of chosen contacts, and two rows more
} rblSelectScratch;

typedef struct rblSelecting
{
    float eps;            // depth that does not matter
    float motion;         // how far anything may move in the step
    rblVec3 center;       // about which r is measured, in the first shape's axes
    float length;         // metres
    uint32_t first_count; // m
    uint32_t path_count;
} rblSelecting;

void rbl_select_scratch_init(rblSelectScratch* scratch, const rblAllocator* allocator);
void rbl_select_scratch_free(rblSelectScratch* scratch);

// Append those of the candidates to `out` that are enough: first_count, those in the way of the paths, and every one
// deeper than eps. With paths the last of these are redundant, unless the paths would have had more contacts than there are
// to be. False when out of memory.
bool rbl_contacts_select(const rblSelecting* selecting, const rblCandidateArray* candidates,
                         rblSelectScratch* scratch, rblContactSet* out);

#endif
