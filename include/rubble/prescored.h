/// The prescored breaker: a pattern divides space into regions; at an impact the pattern is centred at the impact point, rotated to
/// the normal and intersected with the body (Su 2009, section 4; docs/breakers.md).
#ifndef RUBBLE_PRESCORED_H
#define RUBBLE_PRESCORED_H

#include "rubble/breaker.h"
#include "rubble/pattern.h"

RBL_EXTERN_C_BEGIN

/// What happens to pieces that are too small or too thin.
typedef enum rblCrumbs
{
    RBL_CRUMBS_MERGE,  ///< merge each with the neighbour that shares its largest face
    RBL_CRUMBS_DEBRIS, ///< make each a body of its own, which may disappear after `lifetime`
    RBL_CRUMBS_COUNT
} rblCrumbs;

/// Definition of a prescored breaker. Start from rbl_default_prescored_def() and change fields.
typedef struct rblPrescoredDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_prescored_def()
    uint32_t cookie;      ///< set by rbl_default_prescored_def()
    float smallest;       ///< crumbs are smaller than this part of the body's volume; default 1e-4
    float thinnest; ///< and slivers thinner than this, m; 0, the default: a fiftieth of the body's thickness
    uint32_t max_fragments; ///< of one break: the smallest are merged; 0, the default: no limit
    rblCrumbs crumbs;       ///< default merge
    float lifetime;         ///< s that debris lasts; default 2
    bool accumulate;        ///< impacts that do not break the body weaken it; default false
    bool aligned;           ///< turn the pattern by right angles to the body's axes only; default false
    bool
        fixed_pieces; ///< break into the number of pieces of the pattern or not at all; default false: into as many as the impact can pay for
    uint32_t generations; ///< how often pieces of pieces break: 1, only the body itself; default 3
    float share;          ///< into how many pieces they do, as a share of their parent's; default 0.25
    float smallest_body;  ///< m: pieces that are shorter than this in all directions stay whole; default 0.02
    rblPatternDef pattern; ///< its seed is mixed with that of the break; last, as it may grow
} rblPrescoredDef;

/// A pattern of 25 clustered cells, and the defaults named above.
RBL_API void rbl_prescored_def_init(rblPrescoredDef* def, size_t size);
static inline rblPrescoredDef rbl_default_prescored_def(void)
{
    rblPrescoredDef def;
    rbl_prescored_def_init(&def, sizeof def);
    return def;
}

/// Create a prescored breaker. Refused: a pattern that rbl_pattern_check() refuses, numbers that are negative or not finite.
///
/// With `break_impulse` in its material, a body breaks when an impact reaches it. Otherwise it breaks when the energy of the impact is
/// enough for bending the body to its `strength`, for splitting it by the contact force, and for a crack through its mean section. A
/// body without strength never breaks. The verdict depends on the impact and the body only, not on the time step.
RBL_API rblResult rbl_breaker_create_prescored(const rblPrescoredDef* def, rblBreakerId* out);

RBL_EXTERN_C_END

#endif
