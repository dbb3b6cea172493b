// Label volumes from NRRD files.
#include "base/error.h"
#include "cut/labels/label_volume.h"
#include "io/nrrd.h"
#include "rubble/pattern.h"

// Replace the numbers of the file by labels without gaps, in rising order.
static rblResult number_labels(rblLabelVolume* volume, const char* name, const rblAllocator* allocator)
{
    const size_t values = 65536;
    uint32_t* numbers = rbl_alloc_zero(allocator, values * sizeof *numbers);
    if (numbers == NULL)
    {
        return rbl_fail_memory();
    }
    const size_t count = rbl_labels_count(volume);
    for (size_t v = 0; v < count; ++v)
    {
        numbers[volume->labels[v]] = 1;
    }
    for (size_t n = 0; n < values; ++n)
    {
        numbers[n] = numbers[n] != 0 ? volume->label_count++ : 0;
    }
    for (size_t v = 0; v < count; ++v)
    {
        volume->labels[v] = (uint16_t)numbers[volume->labels[v]];
    }
    RBL_FREE_ARRAY(allocator, numbers, values);
    return volume->label_count <= RBL_PATTERN_MAX_PIECES
               ? RBL_OK
               : rbl_fail(RBL_ERROR_LIMIT, "%s: the file has %u labels, must be at most %d", name,
                          volume->label_count, RBL_PATTERN_MAX_PIECES);
}

rblResult rbl_labels_parse(const uint8_t* bytes, size_t size, const char* name, const rblAllocator* allocator,
                           rblLabelVolume** out)
{
    rblNrrd nrrd;
    RBL_TRY(rbl_nrrd_parse(bytes, size, name, &nrrd));
    if (nrrd.type != RBL_NRRD_UINT8 && nrrd.type != RBL_NRRD_UINT16)
    {
        return rbl_fail(RBL_ERROR_FORMAT, "%s: labels must be of type uint8 or uint16", name);
    }
    const rblAabbd box = {
        {0, 0, 0},
        {nrrd.size[0] * nrrd.spacing[0], nrrd.size[1] * nrrd.spacing[1], nrrd.size[2] * nrrd.spacing[2]}};
    rblLabelVolume* volume = NULL;
    const rblResult created = rbl_labels_create(nrrd.size, box, allocator, &volume);
    if (created != RBL_OK)
    {
        return rbl_fail_within(created, name);
    }
    for (size_t v = 0; v < nrrd.count; ++v)
    {
        volume->labels[v] = (uint16_t)rbl_nrrd_number(&nrrd, v);
    }
    const rblResult result = number_labels(volume, name, allocator);
    if (result != RBL_OK)
    {
        rbl_labels_free(volume, allocator);
        return result;
    }
    *out = volume;
    return RBL_OK;
}
