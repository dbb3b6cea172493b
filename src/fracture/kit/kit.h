// What methods of fracture share: the criterion that is common to all, the budget that cracks must keep, fragments out of the pieces of
// a cut, their mates, masses, surfaces and samples.
#ifndef RBL_FRACTURE_KIT_KIT_H
#define RBL_FRACTURE_KIT_KIT_H

#include "base/array.h"
#include "cut/pieces/pieces.h"
#include "field/shape.h"
#include "rubble/breaker.h"

// ---- the criterion, costs (criterion.c) ----

// Fragments of too late a generation or shorter than `smallest_body` (m) in all directions stay whole. Of a body that has not broken yet
// nobody knows what is small for it.
bool rbl_may_break(const rblBreakBody* body, uint32_t generations, float smallest_body);

// How many times the energy of an impact is what breaks a body with a breaking impulse, which goes with the root of the energy.
double rbl_impulse_severity(const rblBreakBody* body, const rblImpact* impact);

// J per m^2 of a crack, which has two faces.
double rbl_crack_price(const rblMaterial* material);

// J of a crack right through the mean section of the body: the least that an impact must be able to pay.
double rbl_min_crack_cost(const rblBreakBody* body);

// The largest number of fragments, by the method's own limit (0: none) and by the verdict's.
uint32_t rbl_max_pieces_of(uint32_t own, const rblVerdict* verdict);

// Cracks are tried until they cost no more than the budget.
typedef struct rblBudgetTries
{
    double budget; // J
    uint32_t most; // tries

    // Not cracked: it stays whole.
    rblResult (*attempt)(void* context, double* cost, bool* cracked);

    // After an attempt that cost too much: ask for less, drop what was made.
    void (*lower)(void* context, double cost);
} rblBudgetTries;

// `affordable` is true when the last attempt cracked the body within the budget.
rblResult rbl_break_within_budget(const rblBudgetTries* tries, void* context, bool* affordable);

// ---- a solid that was cut (breakage.c) ----

// A solid that was cut: a body, or a child of a compound. Shared by the shapes that are made of it, for their surfaces.
typedef struct rblBreakage
{
    rblMeshId mesh;      // what was cut; a handle of its own
    rblMeshView surface; // of it
    rblPieces* pieces;
    void (*let_go)(void* kept); // null, or called once at the end: what whoever made it keeps alive that long
    void* kept;
    const rblAllocator* allocator;
    _Atomic unsigned references;
} rblBreakage;

void rbl_breakage_release(rblBreakage* breakage);

// One of pieces that were cut by others from a mesh, of which it gets a handle of its own. The pieces are taken over, also on failure.
rblResult rbl_breakage_adopt(rblMeshId mesh, rblPieces* pieces, rblBreakage** out);

// How many pairs of mates there are, and what a fracture calls them: pieces count from `first`, mates go from `at` on. Returns where
// they end.
uint32_t rbl_count_mates(const rblPieces* pieces);
uint32_t rbl_fill_mates(const rblPieces* pieces, uint32_t first, uint32_t at, rblFracture* out);

// The surface of a piece when it is asked for; holds the breakage.
rblLazySurface rbl_breakage_surface(rblBreakage* breakage, uint32_t piece);

// A position of pieces->corners.
static inline rblVec3d rbl_breakage_position(const rblBreakage* breakage, uint32_t vertex)
{
    return rbl_piece_position(breakage->pieces, &breakage->surface, vertex);
}

// The volume of all pieces, m^3.
double rbl_pieces_volume(const rblPieces* pieces);

// Pose, mass (by a density, kg/m^3) and number of a fragment for each piece, from `first` on; crack area and merged pieces are added.
// Shapes are the method's own.
void rbl_fill_fragments(const rblPieces* pieces, rblTransform pose, double density, uint32_t first,
                        rblFracture* out);

// ---- masses (masses.c) ----

// Masses of pieces, by piece, so that the sums of their first and second moments are those of the whole.
void rbl_fit_masses(const rblPieces* pieces, const rblMassProperties* whole, rblMassProperties* out);

// ---- samples (samples.c) ----

typedef RBL_ARRAY(rblVec3) rblSampleList;

// Of the samples from `first` on keep one in every box of a grid, and none where one before them is. False when out of memory.
bool rbl_thin_samples(rblSampleList* samples, size_t first, double step);

#endif
