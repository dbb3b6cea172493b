// Selection of the contacts of a pair (Glondu 2012, 5.3).
//
// A contact is a row w = (n, r x n / length) of a linear system: for a small motion x = (t, length theta) of the second
// shape relative to the first it requires distance + w.x >= 0. Rows that other rows imply need no contact.
#ifndef RBL_FIELD_CONTACT_FIELD_SELECT_H
#define RBL_FIELD_CONTACT_FIELD_SELECT_H

#include "base/array.h"
#include "field/engine.h"

// Largest number of contacts for predicted paths.
#define RBL_MAX_EXTRA 24u

typedef struct rblCandidate
{
    rblContactPoint contact;
    float lows[RBL_MAX_PATHS]; // per path: the smallest distance along the normal on it, m
} rblCandidate;

typedef RBL_ARRAY(rblCandidate) rblCandidateArray;

typedef struct rblSelectedRow
{
    float w[6];
    float distances[1 + RBL_MAX_PATHS]; // m: now, and on each path
    float inverse_square;               // 1 / |w|^2
} rblSelectedRow;

// Scratch memory.
typedef struct rblSelectScratch
{
    RBL_ARRAY(float) columns;
    RBL_ARRAY(rblSelectedRow) chosen;
    RBL_ARRAY(float) products; // of the rows of chosen contacts, and two rows more
} rblSelectScratch;

// Properties of two smooth surfaces at a contact.
typedef struct rblSmoothness
{
    float rough; // m, largest deviation of the surfaces from the fitted paraboloids
    float sag;   // m, gap of the paraboloids at half the radius of the fit
} rblSmoothness;

// Queries about the surfaces of a pair; field_contact.c implements them.
typedef struct rblSurfaces
{
    const void* context; // for both functions

    // Move a chosen candidate to the point where two smooth surfaces are closest. Returns false when a surface is not smooth; the
    // candidate is then unchanged.
    bool (*refine)(const void* context, rblCandidate* candidate, rblSmoothness* out);

    // The smallest distance of a candidate's sample on a path, with the motion x added; computed from the field.
    float (*lowest)(const void* context, const rblCandidate* candidate, uint32_t path, const float x[6]);
} rblSurfaces;

typedef struct rblSelecting
{
    const rblSurfaces* surfaces; // null: contacts are at samples
    float eps;                   // m, overlap that is ignored
    float motion;                // m, largest motion of a point in the step
    rblVec3 center;              // origin of r, in the axes of the first shape
    float length;                // m, scale of rotations
    uint32_t first_count;        // m in field_contact.h
    uint32_t path_count;
} rblSelecting;

void rbl_select_scratch_init(rblSelectScratch* scratch, const rblAllocator* allocator);
void rbl_select_scratch_free(rblSelectScratch* scratch);

// Append the selected candidates to `out`: first_count of them, obstacles on the paths, and every candidate deeper than
// eps. With paths, the last ones are redundant, unless the paths needed more contacts than allowed: `leading` receives how many
// contacts of the set are not. Returns false without memory.
bool rbl_contacts_select(const rblSelecting* selecting, rblCandidateArray* candidates,
                         rblSelectScratch* scratch, rblContactSet* out, uint32_t* leading);

#endif
