// Prescored breakers with regions from files, for those who store them.
#ifndef RBL_FRACTURE_PRESCORED_PRESCORED_H
#define RBL_FRACTURE_PRESCORED_PRESCORED_H

#include "cut/labels/label_volume.h"
#include "rubble/prescored.h"

// The regions of a breaker's file, for as long as it is held. Null: its pattern is not from a file, or it is of another kind.
const rblLabelVolume* rbl_breaker_labels(const rblBreaker* breaker);

// As rbl_breaker_create_prescored() of a pattern from a file, with the regions in place of the file. They must outlive the
// breaker.
rblResult rbl_breaker_create_with_labels(const rblPrescoredDef* def, const rblLabelVolume* labels,
                                         rblBreakerId* out);

#endif
