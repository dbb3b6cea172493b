// Charts of a run over time: milliseconds, contacts, bodies, energy (after Glondu et al. 2012, figure 12).
#ifndef RBL_SCENE_MOVIE_PLOT_H
#define RBL_SCENE_MOVIE_PLOT_H

#include "scene/run/statistics.h"

// Write an SVG picture, readable on light and dark pages. The file is replaced completely or not at all. At least one step is
// required.
rblResult rbl_plot_write(const rblStatistics* statistics, const char* title, const char* path);

#endif
