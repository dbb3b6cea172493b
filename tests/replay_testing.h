// What tests ask of recordings of calls. Include after testing.h.
#ifndef RBL_TESTS_REPLAY_TESTING_H
#define RBL_TESTS_REPLAY_TESTING_H

#include "io/file.h"
#include "recording_files.h"
#include "rubble/recorder.h"

static inline uint32_t recording_count_chunks(const rblFileBytes* file, uint32_t type)
{
    uint32_t count = 0;
    size_t offset = RBL_FILE_HEADER_SIZE;
    for (size_t end = 0; (end = recording_chunk_end(file->bytes, file->size, offset)) != 0; offset = end)
    {
        count += rbl_load_u32(file->bytes + offset) == type;
    }
    return count;
}

// The same again on one and on three threads, and nothing is left of it.
static inline void check_recording_replays(const rblFileBytes* file, const char* name)
{
    for (uint32_t threads = 1; threads <= 3; threads += 2)
    {
        const rblTasks tasks = tasks_of(threads);
        rblReplayReport report;
        check_ok(rbl_set_tasks(&tasks));
        check_ok(rbl_calls_replay_memory(file->bytes, file->size, name, &report));
        check_ok(rbl_set_tasks(NULL));
        if (!report.same || report.problem[0] != '\0')
        {
            fail_msg("%s", report.problem);
        }
        assert_true(report.complete);
        assert_int_equal(rbl_breaker_alive_count(), 0);
        assert_int_equal(rbl_shape_alive_count(), 0);
        assert_int_equal(rbl_tets_alive_count(), 0);
    }
}

#endif
