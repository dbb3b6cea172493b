// PLY: whatever loads can be saved, and comes back the same.
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    return fuzz_text_format(rbl_read_ply, rbl_write_ply, data, size, FUZZ_KEEPS_POLYGONS);
}
