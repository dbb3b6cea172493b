// VTU: what is read is sound and survives being written.
#include "fuzz_tets.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    rblTets* tets = fuzz_read_tets(rbl_read_vtu, data, size);
    if (tets != NULL)
    {
        fuzz_tets_round_trip(rbl_read_vtu, tets, false);
        rbl_tets_free(tets);
    }
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
