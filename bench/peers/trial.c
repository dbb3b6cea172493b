// Trials from a file, runs to a file, and the memory that the program grew by meanwhile.
#define _DEFAULT_SOURCE // getrusage
#include "peers.h"

#include <stdio.h>
#include <sys/resource.h>

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return 1024.0 * (double)usage.ru_maxrss;
}

int peer_play(const char* trial_path, const char* run_path, const rblTrialEngine* engine)
{
    rblTrial trial;
    rblTrialRun run;
    if (rbl_trial_read(trial_path, &trial) != 0)
    {
        fprintf(stderr, "rubble-peers: %s: cannot be read\n", trial_path);
        return 1;
    }
    const double before = peak_bytes();
    int code = rbl_trial_play(&trial, engine, &run);
    if (code == 0)
    {
        run.bytes = peak_bytes() - before;
        code = rbl_trial_run_write(&trial, &run, run_path);
        rbl_trial_run_free(&run);
    }
    rbl_trial_free(&trial);
    return code;
}
