// Where commands get a run from.
#ifndef RUBBLE_TOOL_RUN_INPUT_H
#define RUBBLE_TOOL_RUN_INPUT_H

#include "options.h"
#include "rubble/rubble.h"

// A recording, or a scene that is simulated now.
typedef struct RunInput
{
    rblSceneId scene; // null: a recording
    rblRunId run;     // null for scenes until run_input_run()
    double end;       // when the run ends or is to end, s
} RunInput;

// True when a file is named as recordings are.
bool run_input_is_recording(const char* path);

// Read a recording, or a scene. Recordings that end too soon are taken as far as they go, with a warning. run_input_close() in
// any case.
rblResult run_input_open(RunInput* input, const char* path);

// Simulate what is a scene; then there is a run.
rblResult run_input_run(RunInput* input);
void run_input_close(RunInput* input);

// Whether --output can be written, as far as can be told before there is a run.
rblResult export_check(const Parsed* parsed);

// Write a run as --output, --every and --force say.
rblResult export_write(const Parsed* parsed, rblRunId run);

#endif
