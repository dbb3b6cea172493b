/// The prescored breaker: all of space is cut once by a pattern; at an impact the pattern is centred at the point, turned to
/// the normal and intersected with the body (Su 2009, section 4; docs/breakers.md).
#ifndef RUBBLE_PRESCORED_H
#define RUBBLE_PRESCORED_H

#include "rubble/breaker.h"
#include "rubble/pattern.h"

RBL_EXTERN_C_BEGIN

/// What becomes of pieces that are too small or too thin.
typedef enum rblCrumbs
{
    RBL_CRUMBS_MERGE,  ///< they stay with the neighbour with which they have the largest face in common
    RBL_CRUMBS_DEBRIS, ///< they fly off on their own, and may vanish after a while
    RBL_CRUMBS_COUNT
} rblCrumbs;

/// Start from rbl_default_prescored_def() and change fields.
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
    uint32_t generations;   ///< how often pieces of pieces break: 1, only the body itself; default 3
    float share;            ///< into how many pieces they do, as a share of their parent's; default 0.25
    float smallest_body; ///< m: pieces that are shorter than this in all directions stay whole; default 0.02
    rblPatternDef pattern; ///< its seed is mixed with that of the break; last, as it may grow
} rblPrescoredDef;

/// 25 pieces of clustered cells, and the defaults named above.
RBL_API void rbl_prescored_def_init(rblPrescoredDef* def, size_t size);
static inline rblPrescoredDef rbl_default_prescored_def(void)
{
    rblPrescoredDef def;
    rbl_prescored_def_init(&def, sizeof def);
    return def;
}

/// Make one. Refused: a pattern that rbl_pattern_check() refuses, numbers that are not finite or negative.
///
/// A body breaks when its material's `break_impulse` is reached, if that is given; otherwise when the impact can bend the body to
/// its `strength`, presses hard enough, and can pay for a crack right through it. No strength: never. The verdict depends on
/// the impact and the body alone, not on the step.
RBL_API rblResult rbl_breaker_create_prescored(const rblPrescoredDef* def, rblBreakerId* out);

/// Which crack face, as rblMate numbers them, each face of a fragment's surface belongs to; RBL_NONE for what was outside
/// before. Up to `capacity` of them into `out`; `count` receives how many there are. The triangles of two mates are the same, in
/// the same order, turned over. Refused: shapes that neither a prescored nor a stress breaker made, and those out of
/// recordings.
RBL_API rblResult rbl_fragment_faces(const rblShapeView* fragment, uint32_t* out, uint32_t capacity,
                                     uint32_t* count);

RBL_EXTERN_C_END

#endif
