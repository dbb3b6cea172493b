#include "run_input.h"
#include "base/error.h"
#include "progress.h"

rblResult run_input_open(RunInput* input, const char* path)
{
    *input = (RunInput){0};
    rblSimulation* simulation = &input->simulation;
    progress_stage("preparing", -1.0);
    RBL_TRY(rbl_scene_load(path, &input->scene));
    RBL_TRY(rbl_simulation_start(simulation, input->scene, true));
    while (!rbl_simulation_done(simulation))
    {
        progress_stage("stepping", (double)simulation->step / simulation->view.step_count);
        RBL_TRY(rbl_simulation_advance(simulation));
    }
    input->run = &simulation->run;
    return rbl_simulation_finish(simulation);
}

void run_input_close(RunInput* input)
{
    rbl_simulation_free(&input->simulation);
    if (input->scene.index1 != 0)
    {
        rbl_scene_destroy(input->scene);
    }
}
