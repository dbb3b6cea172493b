// What tests do to recordings: find their chunks, and make their checks right again after changing them.
#ifndef RBL_TESTS_RECORDING_FILES_H
#define RBL_TESTS_RECORDING_FILES_H

#include "scene/record/recording_format.h"

// The end of the chunk at an offset; 0 when it is not whole.
static inline size_t recording_chunk_end(const uint8_t* bytes, size_t size, size_t offset)
{
    if (offset > size || size - offset < RBL_CHUNK_HEADER_SIZE)
    {
        return 0;
    }
    const size_t length = rbl_load_u32(bytes + offset + 4);
    return length <= size - offset - RBL_CHUNK_HEADER_SIZE ? offset + RBL_CHUNK_HEADER_SIZE + length : 0;
}

// Right checks for all whole chunks, so that the reader looks at what is in them.
static inline void recording_seal(uint8_t* bytes, size_t size)
{
    size_t offset = RBL_FILE_HEADER_SIZE;
    for (;;)
    {
        const size_t end = recording_chunk_end(bytes, size, offset);
        if (end == 0)
        {
            return;
        }
        const size_t payload = offset + RBL_CHUNK_HEADER_SIZE;
        const uint64_t check = rbl_chunk_check(offset, bytes + offset, bytes + payload, end - payload);
        rbl_store_u32(bytes + offset + 8, (uint32_t)check);
        rbl_store_u32(bytes + offset + 12, (uint32_t)(check >> 32));
        offset = end;
    }
}

#endif
