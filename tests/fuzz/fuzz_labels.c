// Volumes: whatever is read as labels has them without gaps, and every point has one; as factors of strength all are positive.
#include "cut/labels/label_volume.h"
#include "fracture/stress/strength_field.h"
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

static void check_factors(const uint8_t* data, size_t size)
{
    rblStrengthField field = {.allocator = rbl_default_allocator()};
    if (rbl_strength_grid_parse(data, size, "fuzz", &field) == RBL_OK)
    {
        const rblAabbd box = {{0, 0, 0}, {1, 1, 1}};
        FUZZ_CHECK(rbl_strength_factor(&field, &box, (rblVec3d){0.3, 0.5, 0.9}) > 0.0);
        rbl_strength_field_free(&field);
    }
    FUZZ_CHECK(field.factors == NULL);
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
    check_factors(data, size);
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
