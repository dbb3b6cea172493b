// The energy rule, row by row.
#include "bench/bench_world.h"

#include <math.h>

void rbl_world_energy_rows(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs)
{
    double work = 0.0;
    double most = 0.0;
    double low = (double)INFINITY;
    double high = -(double)INFINITY;
    double rise = -(double)INFINITY;
    double total = -(double)INFINITY;
    const rblEnergy* start = &runs->facts[0].energy;
    double last = start->kinetic + start->potential;
    for (uint32_t i = 0; i < runs->ours.step_count; ++i)
    {
        const rblEnergy* energy = &runs->facts[i].energy;
        work += i > 0 ? energy->work : 0.0;
        const double now = energy->kinetic + energy->potential - work;
        rise = i > 0 ? fmax(rise, now - last) : rise;
        total = fmax(total, now - start->kinetic - start->potential);
        most = fmax(most, energy->kinetic);
        low = fmin(low, energy->potential);
        high = fmax(high, energy->potential);
        last = now;
    }
    const double scale = most + high - low;
    rbl_world_fact(bench, subject, "energy rule: most rise in a step", rise / scale, "of S");
    rbl_world_fact(bench, subject, "energy rule: most rise in the run", total / scale, "of S");
    rbl_world_fact(bench, subject, "work", work / scale, "of S");
}
