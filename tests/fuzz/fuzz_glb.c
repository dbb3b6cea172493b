// GLB. What can be read can be written, and comes back with the same triangles.
#include "fuzz.h"
#include <string.h>

static void put_u32(uint8_t* out, size_t value)
{
    for (int i = 0; i < 4; ++i)
    {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static size_t get_u32(const uint8_t* p)
{
    return (size_t)p[0] | (size_t)p[1] << 8 | (size_t)p[2] << 16 | (size_t)p[3] << 24;
}

// Mutations change the size all the time; make the lengths in the headers follow, or nothing else would ever be reached.
static void mend_lengths(uint8_t* bytes, size_t size)
{
    if (size >= 20)
    {
        put_u32(bytes + 8, size);
        const size_t json = get_u32(bytes + 12);
        if (json > size - 20)
        {
            put_u32(bytes + 12, size - 20);
        }
        else if (json + 28 <= size)
        {
            put_u32(bytes + 20 + json, size - json - 28);
        }
    }
}

static void try_file(const uint8_t* data, size_t size)
{
    fuzz_reader(rbl_read_glb, data, size);
    rblMesh* mesh = fuzz_read(rbl_read_glb, data, size, false);
    if (mesh != NULL)
    {
        fuzz_round_trip(rbl_read_glb, rbl_write_glb, rbl_mesh_get_view(mesh));
        rbl_mesh_free(mesh);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    uint8_t* mended = malloc(size + 1);
    FUZZ_CHECK(mended != NULL);
    memcpy(mended, data, size);
    mend_lengths(mended, size);
    try_file(data, size);
    try_file(mended, size);
    free(mended);
    return 0;
}
