// TetGen's pair of files, one after the other in the bytes, with a line of "%" between them.
#include "fuzz_tets.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const uint8_t* split = size > 0 ? memchr(data, '%', size) : NULL;
    const size_t first = split != NULL ? (size_t)(split - data) : size;
    const rblSource nodes = fuzz_source(data, first);
    const rblSource source =
        fuzz_source(split != NULL ? split + 1 : data, split != NULL ? size - first - 1 : 0);
    rblTetsCollector collector;
    rbl_tets_collector_init(&collector, &source);
    rblTets* tets = fuzz_finish(&collector, rbl_read_tetgen(&collector, &nodes));
    rbl_tets_free(tets);
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
