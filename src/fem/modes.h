// Free vibrations: K phi = w^2 M phi.
#ifndef RBL_FEM_MODES_H
#define RBL_FEM_MODES_H

#include "fem/elastic.h"

// The lowest elastic modes, of unit mass: frequencies in rad/s, rising, and shapes, node_count vectors each. The solid has factors.
rblResult rbl_elastic_find_modes(const rblElastic* elastic, uint32_t count, rblJobs* jobs,
                                 double* frequencies, rblVec3d* shapes);

// As rbl_elastic_respond().
rblResult rbl_elastic_respond_modes(const rblElastic* elastic, const double* frequencies,
                                    const rblVec3d* shapes, uint32_t mode_count, const rblElasticLoad* loads,
                                    uint32_t load_count, double* time, rblVec3d* displacements);

// How far a mass on a spring has moved that is pushed by sin(pi t / duration) as long as that lasts, as a multiple of what a force of 1
// does at rest. Duration 0: it rests there all the time.
double rbl_pulse_response(double frequency, double duration, double time);

#endif
