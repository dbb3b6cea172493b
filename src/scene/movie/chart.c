#include "scene/movie/chart.h"

#include "base/number.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABEL_HEIGHT 15.0  // px between labels
#define LABEL_GAP    12.0  // px from the area to its labels
#define LARGEST      1e299 // larger values are drawn at the edge

typedef struct Scale
{
    double low, high; // values
    double from, to;  // pixels
} Scale;

static double to_pixels(const Scale* scale, double value)
{
    const double range = scale->high - scale->low;
    const double share = range > 0.0 ? (value - scale->low) / range : 0.0;
    const double near = share == share ? rbl_clampd(share, -1.0, 2.0) : 0.0; // SVG has no infinity
    return scale->from + near * (scale->to - scale->from);
}

// ---- ticks ----

double rbl_chart_tick(double range, uint32_t most)
{
    static const double steps[] = {1.0, 2.0, 5.0};
    if (!(range > 0.0 && range < 1e300) || most == 0)
    {
        return 1.0;
    }
    double power = 1.0;
    while (power * 10.0 * most < range)
    {
        power *= 10.0;
    }
    while (power * most >= range)
    {
        power /= 10.0;
    }
    for (int i = 0; i < 3; ++i)
    {
        if (steps[i] * power * most >= range)
        {
            return steps[i] * power;
        }
    }
    return 10.0 * power;
}

static void trim_zeros(char* text)
{
    size_t length = strlen(text);
    if (strchr(text, '.') == NULL || strchr(text, 'e') != NULL)
    {
        return;
    }
    while (text[length - 1] == '0')
    {
        --length;
    }
    length -= text[length - 1] == '.';
    text[length] = '\0';
}

// Three significant digits, and k, M, G for powers of a thousand.
static void format_value(double value, char out[RBL_NUMBER_SIZE])
{
    static const char* const units[] = {"", "k", "M", "G", "T"};
    double size = fabs(value);
    int unit = 0;
    while (size >= 1000.0 && size < (double)INFINITY && unit < 4)
    {
        size /= 1000.0;
        ++unit;
    }
    uint32_t digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
    for (double s = size; s > 0.0 && s < 0.0995 && digits < 12; s *= 10.0)
    {
        ++digits;
    }
    rbl_format_fixed(value < 0.0 ? -size : size, digits, out);
    trim_zeros(out);
    strcat(out, units[unit]);
}

// ---- axes ----

#define MAX_TICKS 20.0

// Number of ticks of a scale: the multiples of `tick` from `first` on. They are counted once, because far from zero an addition
// may change nothing.
static uint32_t count_ticks(const Scale* scale, double tick, double* first)
{
    *first = ceil(scale->low / tick);
    const double last = floor(scale->high / tick + 1e-9);
    return (uint32_t)rbl_clampd(last - *first + 1.0, 0.0, MAX_TICKS);
}

static void draw_value_axis(const rblChart* chart, const Scale* scale, rblWriter* writer)
{
    const double tick = rbl_chart_tick(scale->high - scale->low, 5);
    double first = 0.0;
    const uint32_t count = count_ticks(scale, tick, &first);
    for (uint32_t i = 0; i < count; ++i)
    {
        const double k = first + i;
        const double y = to_pixels(scale, k * tick);
        char text[RBL_NUMBER_SIZE];
        format_value(k * tick, text);
        rbl_svg_line(writer, k == 0.0 ? "axis" : "grid", chart->x, y, chart->x + chart->width, y);
        rbl_svg_text(writer, "tick end", chart->x - 8.0, y + 4.0, text);
    }
}

static void draw_time_axis(const rblChart* chart, const Scale* scale, rblWriter* writer)
{
    const double bottom = chart->y + chart->height;
    const double tick = rbl_chart_tick(scale->high - scale->low, 10);
    double first = 0.0;
    const uint32_t count = count_ticks(scale, tick, &first);
    for (uint32_t i = 0; i < count; ++i)
    {
        const double k = first + i;
        const double x = to_pixels(scale, k * tick);
        char text[RBL_NUMBER_SIZE + 2];
        format_value(k * tick, text);
        strcat(text, k * tick + tick > scale->high ? " s" : "");
        rbl_svg_line(writer, "axis", x, bottom, x, bottom + 4.0);
        rbl_svg_text(writer, "tick middle", x, bottom + 17.0, text);
    }
}

static void draw_marks(const rblChart* chart, const Scale* times, rblWriter* writer)
{
    double last = -1.0; // px: events in one column of pixels are one line
    for (uint32_t i = 0; i < chart->mark_count; ++i)
    {
        const double x = to_pixels(times, chart->marks[i]);
        if (x - last >= 1.0)
        {
            rbl_svg_line(writer, "mark", x, chart->y, x, chart->y + chart->height);
            last = x;
        }
    }
}

// ---- lines ----

// The end of a column of pixels. With more points than pixels, each column is drawn from its first value over its smallest and
// largest to its last, so that no peak is lost and the file stays small.
static uint32_t column_end(const rblChart* chart, const Scale* times, uint32_t begin)
{
    const double column = floor(to_pixels(times, chart->times[begin]));
    uint32_t end = begin + 1;
    while (end < chart->count && floor(to_pixels(times, chart->times[end])) <= column)
    {
        ++end;
    }
    return end;
}

static void draw_line(const rblChart* chart, const rblChartLine* line, const Scale* times,
                      const Scale* values, rblWriter* writer)
{
    char classes[64];
    snprintf(classes, sizeof classes, "line %s", line->classes);
    rbl_svg_begin_path(writer, classes);
    for (uint32_t begin = 0; begin < chart->count;)
    {
        const uint32_t end = column_end(chart, times, begin);
        uint32_t low = begin;
        uint32_t high = begin;
        for (uint32_t i = begin; i < end; ++i)
        {
            low = line->values[i] < line->values[low] ? i : low;
            high = line->values[i] > line->values[high] ? i : high;
        }
        const uint32_t order[4] = {begin, low < high ? low : high, low < high ? high : low, end - 1};
        for (int k = 0; k < 4; ++k)
        {
            const double x = to_pixels(times, chart->times[order[k]]);
            const double y = to_pixels(values, line->values[order[k]]);
            if (k == 0 && begin == 0)
            {
                rbl_svg_move_to(writer, x, y);
            }
            else if (k == 0 || order[k] != order[k - 1])
            {
                rbl_svg_line_to(writer, x, y);
            }
        }
        begin = end;
    }
    rbl_svg_end_path(writer);
}

// ---- labels ----

static void format_label(const rblChartLine* line, uint32_t count, char* out, size_t size)
{
    double sum = 0.0;
    double largest = line->values[0];
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += line->values[i];
        largest = rbl_maxd(largest, line->values[i]);
    }
    char first[RBL_NUMBER_SIZE];
    char second[RBL_NUMBER_SIZE];
    format_value(line->summed ? line->values[count - 1] : sum / count, first);
    format_value(largest, second);
    if (line->summed)
    {
        snprintf(out, size, "%s %s", line->name, first);
    }
    else
    {
        snprintf(out, size, "%s %s, max %s", line->name, first, second);
    }
}

// Labels are at the ends of their lines, moved apart so that none covers another.
static void arrange_labels(const rblChart* chart, const Scale* values, uint32_t order[RBL_CHART_MAX_LINES],
                           double heights[RBL_CHART_MAX_LINES])
{
    for (uint32_t i = 0; i < chart->line_count; ++i)
    {
        const double y = to_pixels(values, chart->lines[i].values[chart->count - 1]);
        uint32_t k = i;
        while (k > 0 && heights[k - 1] > y)
        {
            heights[k] = heights[k - 1];
            order[k] = order[k - 1];
            --k;
        }
        heights[k] = y;
        order[k] = i;
    }
    for (uint32_t i = 0; i < chart->line_count; ++i)
    {
        const double least = i > 0 ? heights[i - 1] + LABEL_HEIGHT : chart->y;
        heights[i] = rbl_maxd(heights[i], least);
    }
    double most = chart->y + chart->height;
    for (uint32_t i = chart->line_count; i-- > 0;)
    {
        heights[i] = rbl_mind(heights[i], most);
        most = heights[i] - LABEL_HEIGHT;
    }
}

static void draw_labels(const rblChart* chart, const Scale* values, rblWriter* writer)
{
    uint32_t order[RBL_CHART_MAX_LINES];
    double heights[RBL_CHART_MAX_LINES];
    arrange_labels(chart, values, order, heights);
    const double x = chart->x + chart->width + LABEL_GAP;
    for (uint32_t i = 0; i < chart->line_count; ++i)
    {
        const rblChartLine* line = &chart->lines[order[i]];
        char classes[64];
        char text[128];
        snprintf(classes, sizeof classes, "line %s", line->classes);
        format_label(line, chart->count, text, sizeof text);
        rbl_svg_line(writer, classes, x, heights[i], x + 14.0, heights[i]);
        rbl_svg_text(writer, "label", x + 20.0, heights[i] + 4.0, text);
    }
}

// ---- all ----

static Scale value_scale(const rblChart* chart)
{
    Scale scale = {0.0, 0.0, chart->y + chart->height, chart->y};
    for (uint32_t l = 0; l < chart->line_count; ++l)
    {
        for (uint32_t i = 0; i < chart->count; ++i)
        {
            const double value = rbl_clampd(chart->lines[l].values[i], -LARGEST, LARGEST);
            scale.low = value < scale.low ? value : scale.low; // a comparison with NaN is false
            scale.high = value > scale.high ? value : scale.high;
        }
    }
    if (!(scale.high > scale.low))
    {
        scale.high = scale.low + 1.0;
    }
    const double tick = rbl_chart_tick(scale.high - scale.low, 5);
    scale.low = tick * floor(scale.low / tick);
    scale.high = tick * ceil(scale.high / tick);
    return scale;
}

void rbl_chart_draw(const rblChart* chart, rblWriter* writer)
{
    const Scale times = {chart->times[0], chart->times[chart->count - 1], chart->x, chart->x + chart->width};
    const Scale values = value_scale(chart);
    rbl_svg_begin_group(writer, "chart");
    rbl_svg_text(writer, "title", chart->x, chart->y - 10.0, chart->title);
    draw_value_axis(chart, &values, writer);
    draw_time_axis(chart, &times, writer);
    draw_marks(chart, &times, writer);
    for (uint32_t i = chart->line_count; i-- > 0;)
    {
        draw_line(chart, &chart->lines[i], &times, &values, writer); // the first line is drawn last, on top
    }
    draw_labels(chart, &values, writer);
    rbl_svg_end_group(writer);
}
