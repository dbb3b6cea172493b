#include "scene/movie/plot.h"

#include "base/error.h"
#include "math/vec.h"
#include "scene/movie/chart.h"
#include <stdio.h>
#include <string.h>

#define WIDTH       1000.0
#define LEFT        70.0
#define RIGHT       230.0 // px: labels
#define TOP         64.0
#define AREA_HEIGHT 150.0
#define PITCH       220.0 // px: distance from chart to chart
#define CHART_COUNT 4

// Blue, red, green and the text colour are those of the paper. They can be distinguished on light and dark pages and by most
// colour-blind readers, and every line has its name next to it. CSS variables would halve the text, but some viewers do not
// support them.
static const char* const style =
    "text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#1b1f24}\n"
    ".page{fill:#fff}.head{font-size:18px;font-weight:600}.title{font-size:13px;font-weight:600}\n"
    ".tick,.sub{fill:#59636e;font-size:11px}.end{text-anchor:end}.middle{text-anchor:middle}\n"
    ".grid{stroke:#e4e8ec}.axis{stroke:#59636e}.mark{stroke:#b6bec8;stroke-dasharray:2 3}\n"
    ".line{fill:none;stroke-width:1.6;stroke-linejoin:round}\n"
    ".a{stroke:#1f6feb}.b{stroke:#d1242f}.c{stroke:#1a7f37}.d{stroke:#1b1f24}.e{stroke:#9a6700}.f{stroke:#"
    "8250df}\n"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#0d1117}.tick,.sub{fill:#9198a1}\n"
    ".grid{stroke:#262c34}.axis{stroke:#9198a1}.mark{stroke:#4a525c}\n"
    ".a{stroke:#58a6ff}.b{stroke:#ff7b72}.c{stroke:#56d364}.d{stroke:#e6edf3}.e{stroke:#e3b341}.f{stroke:#"
    "d2a8ff}}\n";

// Series of values, stored one after another.
typedef enum Series
{
    TIMES,
    TOTAL,
    COLLISION,
    PHYSICS,
    FRACTURE,
    UPDATE,
    OUTPUT,
    COLLIDING,
    PAIRS,
    BODIES,
    AWAKE,
    KINETIC,
    POTENTIAL,
    SUM,
    DISSIPATED,
    WORK,
    SERIES_COUNT
} Series;

typedef struct Plot
{
    const rblStatistics* statistics;
    double* values; // SERIES_COUNT rows of `count` values
    uint32_t count; // number of steps
    double* marks;
    uint32_t mark_count;
} Plot;

static double* row(const Plot* plot, Series series)
{
    return plot->values + (size_t)series * plot->count;
}

// The start has no duration, so it gets the milliseconds of the first step.
static void fill_times(const Plot* plot)
{
    for (uint32_t i = 0; i < plot->count; ++i)
    {
        const rblStepRecord* step = &plot->statistics->steps.data[i];
        const rblStageTimes* t = &plot->statistics->steps.data[i == 0 && plot->count > 1 ? 1 : i].times;
        row(plot, TIMES)[i] = step->time;
        row(plot, TOTAL)[i] = t->total;
        row(plot, COLLISION)[i] = t->broad + t->narrow;
        row(plot, PHYSICS)[i] = t->solve + t->integrate;
        row(plot, FRACTURE)[i] = t->fracture;
        row(plot, UPDATE)[i] = t->update;
    }
}

static void fill_counts(const Plot* plot)
{
    for (uint32_t i = 0; i < plot->count; ++i)
    {
        const rblCounters* counters = &plot->statistics->steps.data[i].counters;
        row(plot, OUTPUT)[i] = counters->contacts;
        row(plot, COLLIDING)[i] = counters->colliding;
        row(plot, PAIRS)[i] = counters->pairs;
        row(plot, BODIES)[i] = counters->bodies;
        row(plot, AWAKE)[i] = counters->awake;
    }
}

// Potential energy above its minimum; sums of dissipation and work. Kinetic plus potential energy less work must never rise.
static void fill_energies(const Plot* plot)
{
    double lowest = plot->statistics->steps.data[0].energy.potential;
    for (uint32_t i = 0; i < plot->count; ++i)
    {
        lowest = rbl_mind(lowest, plot->statistics->steps.data[i].energy.potential);
    }
    double dissipated = 0.0;
    double work = 0.0;
    for (uint32_t i = 0; i < plot->count; ++i)
    {
        const rblEnergy* energy = &plot->statistics->steps.data[i].energy;
        dissipated += i > 0 ? energy->dissipated : 0.0;
        work += i > 0 ? energy->work : 0.0;
        row(plot, KINETIC)[i] = energy->kinetic;
        row(plot, POTENTIAL)[i] = energy->potential - lowest;
        row(plot, SUM)[i] = energy->kinetic + energy->potential - lowest - work;
        row(plot, DISSIPATED)[i] = dissipated;
        row(plot, WORK)[i] = work;
    }
}

static void fill_marks(Plot* plot)
{
    for (size_t i = 0; i < plot->statistics->events.count; ++i)
    {
        plot->marks[plot->mark_count++] = plot->statistics->events.data[i].time;
    }
}

// ---- charts ----

typedef struct ChartPlan
{
    const char* title;
    uint32_t count;
    struct
    {
        const char* name;
        const char* classes;
        Series series;
        bool summed;
    } lines[RBL_CHART_MAX_LINES];
} ChartPlan;

static const ChartPlan plans[CHART_COUNT] = {
    {"Milliseconds a step",
     5,
     {{"total", "a", TOTAL, false},
      {"collision", "b", COLLISION, false},
      {"physics", "d", PHYSICS, false},
      {"fracture", "c", FRACTURE, false},
      {"update", "e", UPDATE, false}}},
    {"Contacts",
     3,
     {{"output", "c", OUTPUT, false}, {"colliding", "b", COLLIDING, false}, {"pairs", "a", PAIRS, false}}},
    {"Bodies", 2, {{"all", "a", BODIES, false}, {"awake", "e", AWAKE, false}}},
    {"Energy, J",
     5,
     {{"kinetic", "a", KINETIC, false},
      {"potential", "c", POTENTIAL, false},
      {"both less work", "d", SUM, true},
      {"dissipated", "b", DISSIPATED, true},
      {"work", "f", WORK, true}}},
};

static bool is_all_zero(const double* values, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (values[i] != 0.0)
        {
            return false;
        }
    }
    return true;
}

// Lines that are zero everywhere are left out, unless all are.
static void draw_chart(const Plot* plot, uint32_t index, rblWriter* writer)
{
    const ChartPlan* plan = &plans[index];
    rblChart chart = {.title = plan->title,
                      .x = LEFT,
                      .y = TOP + 30.0 + PITCH * index,
                      .width = WIDTH - LEFT - RIGHT,
                      .height = AREA_HEIGHT,
                      .times = row(plot, TIMES),
                      .count = plot->count,
                      .marks = plot->marks,
                      .mark_count = plot->mark_count};
    for (uint32_t i = 0; i < plan->count; ++i)
    {
        const double* values = row(plot, plan->lines[i].series);
        if (i == 0 || !is_all_zero(values, plot->count))
        {
            chart.lines[chart.line_count++] = (rblChartLine){.name = plan->lines[i].name,
                                                             .classes = plan->lines[i].classes,
                                                             .values = values,
                                                             .summed = plan->lines[i].summed};
        }
    }
    rbl_chart_draw(&chart, writer);
}

static rblResult write_page(const Plot* plot, const char* title, const char* path)
{
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, path, plot->statistics->steps.allocator));
    char line[128];
    snprintf(line, sizeof line,
             "%u steps; figures beside lines are mean and largest, or the value at the end%s",
             plot->count - 1, plot->mark_count > 0 ? "; dashed: events" : "");
    const double height = TOP + PITCH * CHART_COUNT;
    rbl_svg_begin(&writer, WIDTH, height, title, style);
    rbl_svg_rectangle(&writer, "page", 0.0, 0.0, WIDTH, height);
    rbl_svg_text(&writer, "head", LEFT, 30.0, title);
    rbl_svg_text(&writer, "sub", LEFT, 50.0, line);
    for (uint32_t i = 0; i < CHART_COUNT; ++i)
    {
        draw_chart(plot, i, &writer);
    }
    rbl_svg_end(&writer);
    return rbl_writer_close(&writer);
}

rblResult rbl_plot_write(const rblStatistics* statistics, const char* title, const char* path)
{
    const rblAllocator* allocator = statistics->steps.allocator;
    if (statistics->steps.count == 0 || statistics->steps.count > UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "plot: there must be at least one step");
    }
    Plot plot = {.statistics = statistics, .count = (uint32_t)statistics->steps.count};
    const size_t size = (size_t)SERIES_COUNT * plot.count;
    plot.values = RBL_NEW_ARRAY(allocator, double, size);
    plot.marks = RBL_NEW_ARRAY(allocator, double, statistics->events.count);
    rblResult result = RBL_OK;
    if (plot.values == NULL || (plot.marks == NULL && statistics->events.count > 0))
    {
        result = rbl_fail_memory();
    }
    else
    {
        fill_times(&plot);
        fill_counts(&plot);
        fill_energies(&plot);
        fill_marks(&plot);
        result = write_page(&plot, title, path);
    }
    RBL_FREE_ARRAY(allocator, plot.values, size);
    RBL_FREE_ARRAY(allocator, plot.marks, statistics->events.count);
    return result;
}
