#include "base/progress.h"

#include <stddef.h>

rblResult rbl_progress_report(const rblProgress* progress, double fraction)
{
    const bool goes_on =
        progress == NULL || progress->report == NULL || progress->report(fraction, progress->context);
    return goes_on ? RBL_OK : rbl_fail(RBL_ERROR_CANCELLED, "cancelled by the progress function");
}
