// What every test includes: cmocka with its own needs, and checks that print the numbers when they fail.
#ifndef RBL_TESTS_TESTING_H
#define RBL_TESTS_TESTING_H

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on

#include "rubble/rubble.h"
#include <math.h>
#include <stdio.h>

// The call must succeed; otherwise its message is printed.
#define check_ok(call)                                                                                       \
    do                                                                                                       \
    {                                                                                                        \
        const rblResult check_result = (call);                                                               \
        if (check_result != RBL_OK)                                                                          \
        {                                                                                                    \
            fail_msg("%s: %s: %s", #call, rbl_result_name(check_result), rbl_last_error());                  \
        }                                                                                                    \
    } while (0)

// So many workers, of the library's own pool.
static inline rblTasks tasks_of(uint32_t workers)
{
    rblTasks tasks = rbl_default_tasks();
    tasks.worker_count = workers;
    return tasks;
}

// The call must fail with that code and say why.
#define check_fails(expected, call)                                                                          \
    do                                                                                                       \
    {                                                                                                        \
        const rblResult check_result = (call);                                                               \
        if (check_result != (expected))                                                                      \
        {                                                                                                    \
            fail_msg("%s: %s instead of %s", #call, rbl_result_name(check_result),                           \
                     rbl_result_name(expected));                                                             \
        }                                                                                                    \
        assert_true(rbl_last_error()[0] != '\0');                                                            \
    } while (0)

#define check_close(actual, expected, tolerance)                                                             \
    do                                                                                                       \
    {                                                                                                        \
        const double check_actual = (double)(actual);                                                        \
        const double check_expected = (double)(expected);                                                    \
        if (!(fabs(check_actual - check_expected) <= (double)(tolerance)))                                   \
        {                                                                                                    \
            fail_msg("%s is %.17g, not %.17g within %.3g", #actual, check_actual, check_expected,            \
                     (double)(tolerance));                                                                   \
        }                                                                                                    \
    } while (0)

// Relative to the larger of |expected| and `scale`.
#define check_relative(actual, expected, tolerance)                                                          \
    check_close(actual, expected, (tolerance)*fabs((double)(expected)))

#endif
