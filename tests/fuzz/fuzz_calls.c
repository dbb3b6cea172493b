// Recordings of calls: whatever the bytes, the replay is refused with a line that names the file, or ends with a report, and nothing is
// left of it. The first byte chooses: the file as it is, or with right checks, so that contents are reached. Breakers and level sets may
// take their time by right: fuzz_fragments looks at the bytes of breakers.
#include "../recording_files.h"
#include "fuzz.h"
#include "rubble/breaker.h"
#include "rubble/recorder.h"

#define LEVEL_SET_CODE 6u
#define MOST_SIZE      8192u // bytes: so many steps take less than a second

// Whether a file has shapes and breakers that are made quickly.
static bool is_quick(const uint8_t* bytes, size_t size)
{
    size_t offset = RBL_FILE_HEADER_SIZE;
    bool quick = size <= MOST_SIZE;
    for (size_t end = 0; quick && (end = recording_chunk_end(bytes, size, offset)) != 0; offset = end)
    {
        const uint32_t type = rbl_load_u32(bytes + offset);
        const size_t payload = offset + RBL_CHUNK_HEADER_SIZE;
        quick = type != RBL_CHUNK_BREAKER &&
                (type != RBL_CHUNK_RECIPE || end == payload || bytes[payload] != LEVEL_SET_CODE);
    }
    return quick;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size == 0 || !is_quick(data + 1, size - 1))
    {
        return 0;
    }
    uint8_t* bytes = malloc(size);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] % 2 != 0)
    {
        recording_seal(bytes, size - 1);
    }
    rblReplayReport report;
    if (rbl_calls_replay_memory(bytes, size - 1, "fuzz", &report) == RBL_OK)
    {
        FUZZ_CHECK(report.same || report.problem[0] != '\0');
        FUZZ_CHECK(!report.complete || report.steps == 0 || report.calls > 0);
        FUZZ_CHECK(report.first_difference == RBL_NONE || report.first_difference <= report.steps);
    }
    else
    {
        FUZZ_CHECK(strncmp(rbl_last_error(), "fuzz: byte", 10) == 0);
        FUZZ_CHECK(strchr(rbl_last_error(), '\n') == NULL);
    }
    free(bytes);
    FUZZ_CHECK(rbl_shape_alive_count() == 0 && rbl_breaker_alive_count() == 0);
    FUZZ_CHECK(rbl_mesh_alive_count() == 0);
    FUZZ_CHECK(rbl_bytes_in_use() == 0);
    return 0;
}
