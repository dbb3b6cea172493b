// One chart: lines over time with axes, marks and labels.
#ifndef RBL_SCENE_MOVIE_CHART_H
#define RBL_SCENE_MOVIE_CHART_H

#include "io/image/svg.h"
#include <stdint.h>

#define RBL_CHART_MAX_LINES 6

typedef struct rblChartLine
{
    const char* name;
    const char* classes;  // of the style sheet
    const double* values; // one per time
    bool summed;          // a sum over time: the label has its last value, not mean and maximum
} rblChartLine;

typedef struct rblChart
{
    const char* title;
    double x, y, width, height; // px: area inside the axes
    const double* times;        // rising, s
    uint32_t count;             // number of times
    const double* marks;        // times of events, s
    uint32_t mark_count;
    rblChartLine lines[RBL_CHART_MAX_LINES];
    uint32_t line_count;
} rblChart;

// Draw axes, marks, lines and, to the right of the area, a label for each line.
void rbl_chart_draw(const rblChart* chart, rblWriter* writer);

// The smallest of 1, 2, 5, 10, 20, ... (times any power of ten) that divides `range` into at most `most` parts.
double rbl_chart_tick(double range, uint32_t most);

#endif
