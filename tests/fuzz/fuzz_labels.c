// Label volumes: whatever is read has labels without gaps, and every point has one.
#include "fracture/label_volume.h"
#include "fuzz.h"

static void check_labels(const rblLabelVolume* volume)
{
    unsigned char* seen = calloc(65536, 1);
    FUZZ_CHECK(seen != NULL);
    uint32_t count = 0;
    for (size_t v = 0; v < rbl_labels_count(volume); ++v)
    {
        FUZZ_CHECK(volume->labels[v] < volume->label_count);
        count += seen[volume->labels[v]]++ == 0 ? 1 : 0;
        seen[volume->labels[v]] = 1;
    }
    FUZZ_CHECK(count == volume->label_count);
    free(seen);
    FUZZ_CHECK(rbl_labels_at(volume, volume->box.lower) == volume->labels[0]);
    FUZZ_CHECK(rbl_labels_at(volume, volume->box.upper) == volume->labels[rbl_labels_count(volume) - 1]);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblLabelVolume* volume = NULL;
    if (rbl_labels_parse(data, size, "fuzz", allocator, &volume) == RBL_OK)
    {
        check_labels(volume);
        rbl_labels_free(volume, allocator);
    }
    else
    {
        FUZZ_CHECK(volume == NULL && strncmp(rbl_last_error(), "fuzz:", 5) == 0);
    }
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
