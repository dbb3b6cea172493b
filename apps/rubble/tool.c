#define _POSIX_C_SOURCE 200809L
#include "tool.h"

#include "describe.h"
#include "progress.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LINE_SIZE (4096 + RBL_ERROR_TEXT_SIZE) // a path and what is wrong with it

// File names and the bytes of broken files end up in messages: keep terminals and "one line" safe from them.
// Bytes of UTF-8 beyond ASCII stay.
static void make_printable(char* text)
{
    for (; *text != '\0'; ++text)
    {
        const unsigned char c = (unsigned char)*text;
        *text = c < 0x20 || c == 0x7F ? '?' : *text;
    }
}

static void print_error(const char* prefix, const char* format, va_list arguments)
{
    char text[LINE_SIZE];
    char line[LINE_SIZE + 64];
    vsnprintf(text, sizeof text, format, arguments);
    make_printable(text);
    snprintf(line, sizeof line, "rubble: %s%s", prefix, text);
    progress_stop();
    fprintf(stderr, "%s\n", line);
}

int tool_fail(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_error("", format, arguments);
    va_end(arguments);
    return TOOL_REFUSED;
}

rblResult tool_fail_memory(void)
{
    return rbl_fail(RBL_ERROR_MEMORY, "out of memory");
}

double tool_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int tool_fail_last(void)
{
    return tool_fail("%s", rbl_last_error());
}

int tool_usage(const Parsed* parsed, const char* format, ...)
{
    char prefix[64];
    snprintf(prefix, sizeof prefix, "%s: ", parsed->command->name);
    va_list arguments;
    va_start(arguments, format);
    print_error(prefix, format, arguments);
    va_end(arguments);
    return TOOL_USAGE;
}

rblResult tool_compose_path(char out[TOOL_PATH_SIZE], const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(out, TOOL_PATH_SIZE, format, arguments);
    va_end(arguments);
    return length >= 0 && length < TOOL_PATH_SIZE
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FILE, "%.100s...: the path is too long", out);
}

void tool_start_progress(const Parsed* parsed, const char* path)
{
    struct stat status;
    const double megabytes = stat(path, &status) == 0 ? 1e-6 * (double)status.st_size : 0.0;
    progress_start(parsed->command->name, megabytes, "MB", !options_given(parsed, "quiet"));
}

void tool_format_hash(uint64_t hash, char out[17])
{
    snprintf(out, 17, "%08lx%08lx", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xFFFFFFFFu));
}

static bool show_stepping(double fraction, void* context)
{
    (void)context;
    progress_stage("stepping", fraction);
    return true;
}

const rblProgress tool_stepping = {.report = show_stepping};

static void print_log(rblLogLevel level, const char* line, void* context)
{
    (void)level;
    (void)context;
    char text[LINE_SIZE];
    snprintf(text, sizeof text, "rubble: %s", line);
    make_printable(text);
    progress_print(text);
}

static uint32_t core_count(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > RBL_MAX_WORKERS ? RBL_MAX_WORKERS : (uint32_t)cores;
}

static int run_command(const Parsed* parsed)
{
    if (options_given(parsed, "verbose"))
    {
        rbl_set_log(print_log, NULL, RBL_LOG_INFO);
    }
    rblTasks tasks = rbl_default_tasks();
    tasks.worker_count = options_count(parsed, "threads", core_count());
    if (rbl_set_tasks(&tasks) != RBL_OK)
    {
        return tool_fail_last();
    }
    const int code = parsed->command->run(parsed);
    progress_stop();
    rbl_set_tasks(NULL);
    return code;
}

static int run_parsed(const Parsed* parsed)
{
    if (options_given(parsed, "help"))
    {
        help_print(stdout, parsed->program, parsed->command, parsed->variant);
        return TOOL_DONE;
    }
    if (options_given(parsed, "version"))
    {
        printf("%s %s\n", parsed->program->name, parsed->program->version);
        return TOOL_DONE;
    }
    return run_command(parsed);
}

// Whoever starts us with a closed standard stream would make the next file we open take its place, and messages would
// end up in meshes. Fill the gaps with something that refuses to be written.
static void fill_closed_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    {
        if (fcntl(stream, F_GETFD) == -1 && errno == EBADF)
        {
            // The lowest free descriptor is the one that is missing.
            if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) == -1)
            {
                return;
            }
        }
    }
}

// What was asked for must have arrived: a full disk or a closed pipe is a failure like any other.
static int close_output(int code)
{
    errno = 0;
    const bool failed = ferror(stdout) != 0;
    const bool closed = fclose(stdout) == 0;
    if (!failed && closed)
    {
        return code;
    }
    tool_fail("standard output: %s", errno != 0 ? strerror(errno) : "it could not be written");
    return code != TOOL_DONE ? code : TOOL_REFUSED;
}

int tool_main(int argument_count, const char* const* arguments)
{
    fill_closed_streams();
    signal(SIGPIPE, SIG_IGN);
    const Program* program = program_open();
    if (program == NULL)
    {
        return TOOL_REFUSED;
    }
    Parsed parsed;
    char message[OPTIONS_MESSAGE_SIZE];
    int code = TOOL_USAGE;
    if (options_parse(program, argument_count, arguments, &parsed, message))
    {
        code = run_parsed(&parsed);
    }
    else
    {
        tool_fail("%s", message);
    }
    options_free(&parsed);
    program_close();
    return close_output(code);
}
