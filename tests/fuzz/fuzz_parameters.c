// Parameters as bytes: what is taken can be put, and comes back the same.
#include "../parameter_testing.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    Everything def = everything_default();
    Everything back = everything_default();
    rblArena arena;
    rblByteSink sink;
    rblByteSource source = {.data = data, .size = size};
    rbl_arena_init(&arena, 256, rbl_default_allocator());
    rbl_sink_init(&sink, rbl_default_allocator());
    if (rbl_parameters_take(&source, everything, &def, &arena, "fuzz") == RBL_OK &&
        rbl_parameters_check(everything, &def, "fuzz") == RBL_OK)
    {
        rbl_parameters_put(&sink, everything, &def, true);
        source = (rblByteSource){.data = sink.bytes.data, .size = sink.bytes.count};
        FUZZ_CHECK(rbl_parameters_take(&source, everything, &back, &arena, "fuzz") == RBL_OK);
        FUZZ_CHECK(rbl_parameters_equal(everything, &def, &back));
    }
    rbl_sink_free(&sink);
    rbl_arena_free(&arena);
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
