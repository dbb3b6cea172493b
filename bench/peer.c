#define _POSIX_C_SOURCE 200809L // fork, execv, pipe, waitpid
#include "bench/peer.h"

#include "base/memory.h"
#include "io/json/json.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGUMENTS 8
#define OUTPUT_SIZE   8192

static void run_child(const char* program, const char* const* arguments, int output)
{
    char* list[MAX_ARGUMENTS + 2];
    // execv takes its texts without const, and leaves them alone.
    union
    {
        const char* const* from;
        char** to;
    } texts = {.from = arguments};
    size_t count = 0;
    list[count++] = strdup(program);
    for (size_t i = 0; i < MAX_ARGUMENTS && texts.to[i] != NULL; ++i)
    {
        list[count++] = texts.to[i];
    }
    list[count] = NULL;
    dup2(output, STDOUT_FILENO);
    close(output);
    // What others' libraries complain of is not for our user, who gets a note; run rubble-peers by hand to read it.
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0)
    {
        dup2(nowhere, STDERR_FILENO);
    }
    execv(program, list);
    _exit(127);
}

// All that the child prints. True when it ended well.
static bool capture(const char* program, const char* const* arguments, char output[OUTPUT_SIZE])
{
    int ends[2];
    output[0] = '\0';
    if (pipe(ends) != 0)
    {
        return false;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
    {
        close(ends[0]);
        run_child(program, arguments, ends[1]);
    }
    close(ends[1]);
    size_t size = 0;
    while (child > 0 && size < OUTPUT_SIZE - 1)
    {
        const ssize_t got = read(ends[0], output + size, OUTPUT_SIZE - 1 - size);
        if (got == 0 || (got < 0 && errno != EINTR))
        {
            break;
        }
        size += got > 0 ? (size_t)got : 0;
    }
    output[size] = '\0';
    close(ends[0]);
    int status = 0;
    pid_t waited = -1;
    do
    {
        waited = child > 0 ? waitpid(child, &status, 0) : -1;
    } while (waited < 0 && child > 0 && errno == EINTR);
    return waited == child && child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

typedef bool ReadFcn(rblJson root, void* out);

static bool read_time(rblJson root, void* out)
{
    rblPeerTime* time = out;
    const char* name;
    if (rbl_json_get_string(rbl_json_find(root, "peer"), &name) != RBL_OK ||
        rbl_json_get_number(rbl_json_find(root, "milliseconds"), &time->milliseconds) != RBL_OK ||
        rbl_json_get_number(rbl_json_find(root, "count"), &time->count) != RBL_OK)
    {
        return false;
    }
    snprintf(time->name, sizeof time->name, "%s", name);
    return time->milliseconds > 0.0;
}

static bool read_figure(rblJson root, void* out)
{
    rblPeerFigure* figure = out;
    const char* name;
    const char* metric;
    if (rbl_json_get_string(rbl_json_find(root, "peer"), &name) != RBL_OK ||
        rbl_json_get_string(rbl_json_find(root, "metric"), &metric) != RBL_OK ||
        rbl_json_get_number(rbl_json_find(root, "value"), &figure->value) != RBL_OK ||
        rbl_json_get_number(rbl_json_find(root, "count"), &figure->count) != RBL_OK)
    {
        return false;
    }
    snprintf(figure->name, sizeof figure->name, "%s", name);
    snprintf(figure->metric, sizeof figure->metric, "%s", metric);
    return true;
}

static bool read_line(const char* line, size_t size, ReadFcn* fcn, void* out)
{
    rblJsonDocument document;
    if (rbl_json_parse(&document, line, size, "rubble-peers", rbl_default_allocator()) != RBL_OK)
    {
        return false;
    }
    const bool ok = fcn(rbl_json_root(&document), out);
    rbl_json_free(&document);
    return ok;
}

static bool find_program(const rblBench* bench, char* out, size_t size)
{
    const int length = snprintf(out, size, "%s/rubble-peers", rbl_bench_directory(bench));
    return length > 0 && (size_t)length < size && access(out, X_OK) == 0;
}

bool rbl_bench_peer(rblBench* bench, const char* const* arguments, rblPeerTime* out)
{
    char program[1024];
    char output[OUTPUT_SIZE];
    const bool there = find_program(bench, program, sizeof program);
    if (there && capture(program, arguments, output) && read_line(output, strlen(output), read_time, out))
    {
        return true;
    }
    char note[128];
    snprintf(note, sizeof note,
             there ? "%s could not be measured" : "%s is not compared: rubble-peers was not built",
             arguments[0]);
    rbl_bench_note(bench, note);
    return false;
}

void rbl_bench_list_peers(rblBench* bench, char* out, size_t size)
{
    char program[1024];
    char output[OUTPUT_SIZE];
    const char* const arguments[] = {"list", NULL};
    const bool ok = find_program(bench, program, sizeof program) && capture(program, arguments, output);
    snprintf(out, size, "%s", ok ? output : "");
}

void rbl_bench_peer_figures(rblBench* bench, const char* const* arguments, rblPeerFigures* out)
{
    char program[1024];
    char output[OUTPUT_SIZE];
    output[0] = '\0';
    bool ok = find_program(bench, program, sizeof program) && capture(program, arguments, output);
    const char* line = output;
    while (*line != '\0')
    {
        const size_t length = strcspn(line, "\n");
        rblPeerFigure figure;
        const bool read = read_line(line, length, read_figure, &figure) && rbl_array_push(out, figure);
        ok = ok && read;
        line += length + (line[length] == '\n');
    }
    if (!ok)
    {
        char note[128];
        snprintf(note, sizeof note, "%s could not be measured: %s", arguments[0], arguments[1]);
        rbl_bench_note(bench, note);
    }
}
