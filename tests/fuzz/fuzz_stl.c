// STL: whatever loads can be saved, and comes back the same.
#include "fuzz_text.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    return fuzz_text_format(rbl_read_stl, rbl_write_stl, data, size, FUZZ_KEEPS_TRIANGLES);
}
