// A summary of a recording of calls (rubble/recorder.h).
#include "base/error.h"
#include "rubble/recorder.h"
#include "scene/record/call_codec.h"
#include <string.h>

_Static_assert(RBL_CALL_COUNT <= RBL_CALLS_MAX_KINDS, "every kind of call has a row");

rblResult rbl_calls_inspect(const char* path, rblCallsReport* out)
{
    rblCallCounts counts;
    if (path == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "recording: the path and out must not be null");
    }
    RBL_TRY(rbl_count_calls(path, &counts));
    *out = (rblCallsReport){.steps = counts.calls[RBL_CALL_STEP],
                            .shapes = counts.shapes,
                            .size = counts.size,
                            .used = counts.bytes,
                            .complete = counts.complete};
    memcpy(out->version, counts.version, sizeof out->version);
    memcpy(out->problem, counts.problem, sizeof out->problem);
    for (uint32_t i = 0; i < RBL_CALL_COUNT; ++i)
    {
        if (counts.calls[i] > 0 && i != RBL_CALL_STEPPED) // the end of a step is not a call
        {
            out->calls += counts.calls[i];
            out->kinds[out->kind_count++] = (rblCallCount){rbl_call_name((rblCallCode)i), counts.calls[i]};
        }
    }
    return RBL_OK;
}
