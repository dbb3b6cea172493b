// Telling the progress function of a caller (rubble/progress.h).
#ifndef RBL_BASE_PROGRESS_H
#define RBL_BASE_PROGRESS_H

#include "rubble/progress.h"
#include "rubble/result.h"

// RBL_ERROR_CANCELLED when it asks to stop. Null: nobody is told.
rblResult rbl_progress_report(const rblProgress* progress, double fraction);

#endif
