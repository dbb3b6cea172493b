#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "tool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define BAR_CELLS       20
#define FIRST_DRAW      0.5 // seconds
#define DRAW_NANOSECOND 100000000
#define CLEAR_LINE      "\r\033[K"

// The bar is drawn by a thread of its own, because the library does not come up for air while it works.
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static pthread_t ticker;
static bool running; // the ticker exists
static bool ending;  // and has been told to stop
static bool drawn;   // there is something to clear
static double start_time;
static char title_text[32];
static char stage_text[64];
static ProgressState current;

static void append(char* out, size_t size, const char* text)
{
    const size_t length = strlen(out);
    snprintf(out + length, size - length, "%s", text);
}

static void append_fixed(char* out, size_t size, double value, uint32_t digits)
{
    char text[RBL_NUMBER_SIZE];
    rbl_format_fixed(value, digits, text);
    append(out, size, text);
}

static void append_duration(char* out, size_t size, double seconds)
{
    if (seconds < 100.0)
    {
        append_fixed(out, size, seconds, seconds < 10.0 ? 1 : 0);
        append(out, size, " s");
        return;
    }
    char text[48];
    const unsigned long minutes = (unsigned long)(seconds / 60.0);
    snprintf(text, sizeof text, "%lu min %02lu s", minutes,
             (unsigned long)(seconds - 60.0 * (double)minutes));
    append(out, size, text);
}

static void append_bar(char* out, size_t size, double fraction)
{
    char bar[BAR_CELLS + 16];
    const int filled = (int)(fraction * BAR_CELLS + 0.5);
    int at = 0;
    bar[at++] = ' ';
    bar[at++] = '[';
    for (int i = 0; i < BAR_CELLS; ++i)
    {
        bar[at++] = i < filled ? '#' : '.';
    }
    snprintf(bar + at, sizeof bar - (size_t)at, "] %d %%", (int)(100.0 * fraction + 0.5));
    append(out, size, bar);
}

// What is left, if the rest goes as fast as what was done before this stage.
static void append_remaining(char* out, size_t size, const ProgressState* state)
{
    const double whole = state->elapsed_at_stage / state->fraction;
    if (whole > state->elapsed)
    {
        append(out, size, ", ETA ");
        append_duration(out, size, whole - state->elapsed);
    }
}

size_t progress_render(const ProgressState* state, uint32_t width, char out[PROGRESS_SIZE])
{
    snprintf(out, PROGRESS_SIZE, "%s", state->title);
    const double fraction = state->fraction < 1.0 ? state->fraction : 1.0;
    if (fraction >= 0.0)
    {
        append_bar(out, PROGRESS_SIZE, fraction);
    }
    append(out, PROGRESS_SIZE, "  ");
    append(out, PROGRESS_SIZE, state->stage);
    append(out, PROGRESS_SIZE, "  ");
    append_duration(out, PROGRESS_SIZE, state->elapsed);
    if (fraction > 0.0 && state->unit != NULL && state->elapsed_at_stage > 0.0)
    {
        append(out, PROGRESS_SIZE, ", ");
        append_fixed(out, PROGRESS_SIZE, fraction * state->amount / state->elapsed_at_stage, 1);
        append(out, PROGRESS_SIZE, " ");
        append(out, PROGRESS_SIZE, state->unit);
        append(out, PROGRESS_SIZE, "/s");
    }
    if (fraction > 0.0)
    {
        append_remaining(out, PROGRESS_SIZE, state);
    }
    if (strlen(out) > width)
    {
        out[width] = '\0';
    }
    for (char* c = out; *c != '\0'; ++c)
    {
        *c = (unsigned char)*c >= 0x80 || (unsigned char)*c < 0x20 || *c == 0x7F ? '?' : *c;
    }
    return strlen(out);
}

static uint32_t terminal_width(void)
{
    struct winsize size;
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    // The last column is left free: some terminals wrap as soon as it is written.
    const uint32_t width = (known ? size.ws_col : 80u) - 1;
    return width < PROGRESS_SIZE - 1 ? width : PROGRESS_SIZE - 1;
}

static void draw(void)
{
    char text[PROGRESS_SIZE];
    current.elapsed = tool_seconds() - start_time;
    progress_render(&current, terminal_width(), text);
    fprintf(stderr, CLEAR_LINE "%s", text);
    fflush(stderr);
    drawn = true;
}

static void clear(void)
{
    if (drawn)
    {
        fputs(CLEAR_LINE, stderr);
        fflush(stderr);
        drawn = false;
    }
}

static void* tick(void* unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    while (!ending)
    {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += DRAW_NANOSECOND;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&wake, &mutex, &until);
        if (!ending && tool_seconds() - start_time >= FIRST_DRAW)
        {
            draw();
        }
    }
    clear();
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static bool terminal_can_draw(void)
{
    const char* kind = getenv("TERM");
    return isatty(STDERR_FILENO) && (kind == NULL || strcmp(kind, "dumb") != 0);
}

static void start_ticker(void)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
    {
        return;
    }
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    if (pthread_cond_init(&wake, &attributes) == 0)
    {
        ending = false;
        running = pthread_create(&ticker, NULL, tick, NULL) == 0;
        if (!running)
        {
            pthread_cond_destroy(&wake);
        }
    }
    pthread_condattr_destroy(&attributes);
}

void progress_start(const char* title, double amount, const char* unit, bool wanted)
{
    progress_stop();
    if (!wanted || !terminal_can_draw())
    {
        return;
    }
    start_time = tool_seconds();
    snprintf(title_text, sizeof title_text, "%s", title);
    stage_text[0] = '\0';
    current = (ProgressState){.title = title_text,
                              .stage = stage_text,
                              .unit = amount > 0.0 ? unit : NULL,
                              .amount = amount,
                              .fraction = -1.0};
    start_ticker();
}

void progress_stage(const char* stage, double fraction)
{
    pthread_mutex_lock(&mutex);
    snprintf(stage_text, sizeof stage_text, "%s", stage);
    current.fraction = fraction;
    current.elapsed_at_stage = tool_seconds() - start_time;
    pthread_mutex_unlock(&mutex);
}

void progress_stop(void)
{
    pthread_mutex_lock(&mutex);
    const bool was_running = running;
    running = false;
    ending = true;
    if (was_running)
    {
        pthread_cond_signal(&wake);
    }
    pthread_mutex_unlock(&mutex);
    if (was_running)
    {
        pthread_join(ticker, NULL);
        pthread_cond_destroy(&wake);
    }
}

void progress_print(const char* line)
{
    pthread_mutex_lock(&mutex);
    clear();
    fprintf(stderr, "%s\n", line);
    pthread_mutex_unlock(&mutex);
}
