// Where commands get a run from.
#ifndef RUBBLE_TOOL_RUN_INPUT_H
#define RUBBLE_TOOL_RUN_INPUT_H

#include "scene/simulate.h"

// A scene that is simulated now.
typedef struct RunInput
{
    rblSceneId scene;
    rblSimulation simulation;
    const rblRun* run;
} RunInput;

// run_input_close() in any case.
rblResult run_input_open(RunInput* input, const char* path);
void run_input_close(RunInput* input);

#endif
