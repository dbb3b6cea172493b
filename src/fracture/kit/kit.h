// Functions that fracture methods share: the common criterion, the budget of cracks, fragments from the pieces of a cut, their mates,
// masses, surfaces and samples.
#ifndef RBL_FRACTURE_KIT_KIT_H
#define RBL_FRACTURE_KIT_KIT_H

#include "base/array.h"
#include "cut/pieces/pieces.h"
#include "field/shape.h"
#include "rubble/breaker.h"

// ---- the criterion, costs (criterion.c) ----

// Fragments of a generation above `generations`, or shorter than `smallest_body` (m) in all directions, stay whole. The size limit does
// not apply to unbroken bodies.
bool rbl_may_break(const rblBreakBody* body, uint32_t generations, float smallest_body);

// Severity of an impact on a body with `break_impulse`: squared ratio of impulses, which is a ratio of energies.
double rbl_impulse_severity(const rblBreakBody* body, const rblImpact* impact);

// J per m^2 of a crack, which has two faces.
double rbl_crack_price(const rblMaterial* material);

// Cost of a crack through the mean section of the body, J: the minimum that an impact must be able to pay.
double rbl_min_crack_cost(const rblBreakBody* body);

// The largest number of fragments, by the method's own limit (0: none) and by the verdict's.
uint32_t rbl_max_fragments_of(uint32_t own, const rblVerdict* verdict);

// Attempts to crack a body within a budget.
typedef struct rblBudgetTries
{
    double budget; // J
    uint32_t max;  // attempts

    // Not cracked: the body stays whole.
    rblResult (*attempt)(void* context, double* cost, bool* cracked);

    // Called after an attempt above the budget: free its result and reduce the request.
    void (*lower)(void* context, double cost);
} rblBudgetTries;

// `affordable` is true when the last attempt cracked the body within the budget.
rblResult rbl_break_within_budget(const rblBudgetTries* tries, void* context, bool* affordable);

// ---- a solid that was cut (breakage.c) ----

// A solid that was cut: a body, or a child of a compound. The shapes of its pieces share it for their surfaces.
typedef struct rblBreakage
{
    rblMeshId mesh;      // that was cut; an own handle
    rblMeshView surface; // of it
    rblPieces* pieces;
    void (*release_kept)(void* kept); // null, or called with `kept` when the last reference is released
    void* kept;
    const rblAllocator* allocator;
    _Atomic unsigned references;
} rblBreakage;

void rbl_breakage_release(rblBreakage* breakage);

// Create a breakage from pieces of a mesh; it creates an own handle of the mesh. It takes over the pieces, also on failure.
rblResult rbl_breakage_adopt(rblMeshId mesh, rblPieces* pieces, rblBreakage** out);

// The number of pairs of mates; and their entries in a fracture, from index `at` on, with pieces numbered from `first`. Returns the end
// index.
uint32_t rbl_count_mates(const rblPieces* pieces);
uint32_t rbl_fill_mates(const rblPieces* pieces, uint32_t first, uint32_t at, rblFracture* out);

// The surface of a piece, created on demand; references the breakage.
rblLazySurface rbl_breakage_surface(rblBreakage* breakage, uint32_t piece);

// A position of pieces->corners.
static inline rblVec3d rbl_breakage_position(const rblBreakage* breakage, uint32_t vertex)
{
    return rbl_piece_position(breakage->pieces, &breakage->surface, vertex);
}

// The volume of all pieces, m^3.
double rbl_pieces_volume(const rblPieces* pieces);

// Fill pose, mass (density in kg/m^3) and index of a fragment for each piece, from `first` on; add crack area and merged pieces. The
// method creates the shapes.
void rbl_fill_fragments(const rblPieces* pieces, rblTransform pose, double density, uint32_t first,
                        rblFracture* out);

// ---- masses (masses.c) ----

// Mass properties of the pieces whose sums of first and second moments equal those of the whole.
void rbl_fit_masses(const rblPieces* pieces, const rblMassProperties* whole, rblMassProperties* out);

// ---- samples (samples.c) ----

typedef RBL_ARRAY(rblVec3) rblSampleList;

// Keep one of the samples from `first` on per cell of a grid, and none in a cell with an earlier sample. False when out of memory.
bool rbl_thin_samples(rblSampleList* samples, size_t first, double step);

#endif
