// A line on standard error that tells how far long work has come. It is drawn only when standard error is a terminal and
// the work takes longer than half a second, at most ten times a second, and clears itself.
#ifndef RUBBLE_TOOL_PROGRESS_H
#define RUBBLE_TOOL_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// `amount` of `unit` (such as 12.5 "MB") will have been worked through at the end, for the rate; 0 when that means
// nothing. Does nothing but remember when `wanted` is false or standard error is no terminal.
void progress_start(const char* title, double amount, const char* unit, bool wanted);

// The next stage begins, and `fraction` of all work is done: 0 to 1, or negative when nobody knows.
void progress_stage(const char* stage, double fraction);

// Clear the line. Fine when nothing was started.
void progress_stop(void);

// Print a line on standard error without tearing the bar.
void progress_print(const char* line);

// For the tests: the text of the bar.
typedef struct ProgressState
{
    const char* title;
    const char* stage;
    const char* unit;        // null: no rate
    double amount;           // of unit, in all
    double fraction;         // done when the stage began; negative: unknown
    double elapsed;          // seconds since the start
    double elapsed_at_stage; // the same when the stage began
} ProgressState;

#define PROGRESS_SIZE 256

// At most `width` characters, all printable. Returns the length.
size_t progress_render(const ProgressState* state, uint32_t width, char out[PROGRESS_SIZE]);

#endif
