// glTF as text, with buffers in data URIs.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    fuzz_reader(rbl_read_gltf, data, size);
    return 0;
}
