// Stress breakers and what they left, for those who store them.
#ifndef RBL_FRACTURE_STRESS_STRESS_H
#define RBL_FRACTURE_STRESS_STRESS_H

#include "field/fragment/fragment_event.h"
#include "fracture/stress/strength_field.h"

// How strength varies, for as long as the breaker is held. Null: it is of another kind.
const rblStrengthField* rbl_breaker_strength(const rblBreaker* breaker);

// As rbl_breaker_create_stress(), with the factors of a grid in place of its file. They are copied.
rblResult rbl_breaker_create_with_grid(const rblStressDef* def, const rblStrengthField* grid,
                                       rblBreakerId* out);

// What the tetrahedra of an event came from: a shape, filled by a breaker, and the material of the first body.
typedef struct rblStressOrigin
{
    const rblShape* shape;
    const rblBreaker* breaker;
    rblMaterial material;
} rblStressOrigin;

// False: no stress breaker made the event. What comes out lives as long as the event does.
bool rbl_stress_origin(const rblFragmentEvent* event, rblStressOrigin* out);

// The event again: a pure function of where it came from, of the events before it and of what happened to the nodes. Labels and weights
// are those of its nodes alone, rising; `count` of them. The background, as that of the parent, is found or made from the origin, which
// is not read when there is a parent. Refused: what does not fit.
typedef struct rblStressEventDef
{
    const rblStressOrigin* origin;
    const rblFragmentEvent* parent;
    uint32_t parent_label;
    const uint32_t* labels;
    const float* weights;
    uint32_t count;
    uint32_t label_count;
} rblStressEventDef;

rblResult rbl_stress_event_restore(const rblStressEventDef* def, rblFragmentEvent** out);

#endif
