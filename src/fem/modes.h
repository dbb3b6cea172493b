// Free vibration: K phi = w^2 M phi.
#ifndef RBL_FEM_MODES_H
#define RBL_FEM_MODES_H

#include "fem/elastic.h"

// The lowest elastic modes, mass-normalised: frequencies in rad/s, increasing, and shapes, node_count vectors each. The
// solid has factors.
rblResult rbl_elastic_find_modes(const rblElastic* elastic, uint32_t count, rblJobs* jobs,
                                 double* frequencies, rblVec3d* shapes);

// As rbl_elastic_respond().
rblResult rbl_elastic_respond_modes(const rblElastic* elastic, const double* frequencies,
                                    const rblVec3d* shapes, uint32_t mode_count, const rblElasticLoad* loads,
                                    uint32_t load_count, double* time, rblVec3d* displacements);

// The displacement of an undamped oscillator under the force sin(pi t / duration) for 0 < t < duration, relative to its
// static displacement under a force of 1. Duration 0: a constant force.
double rbl_pulse_response(double frequency, double duration, double time);

#endif
