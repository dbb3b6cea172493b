// Patterns from files.
#include "fracture/pattern_private.h"

void rbl_label_volume_free(rblLabelVolume* volume, const rblAllocator* allocator)
{
    if (volume == NULL)
    {
        return;
    }
    RBL_FREE_ARRAY(allocator, volume->labels, (size_t)volume->size[0] * volume->size[1] * volume->size[2]);
    rbl_free(allocator, volume, sizeof *volume);
}

rblResult rbl_pattern_load(const rblPatternDef* def, const rblPatternBody* body, rblJobs* jobs,
                           const rblAllocator* allocator, rblLabelVolume** out)
{
    (void)body;
    (void)jobs;
    (void)allocator;
    (void)out;
    return rbl_fail(RBL_ERROR_UNSUPPORTED, "%s: patterns from files are not read yet", def->file);
}
