#define _POSIX_C_SOURCE 200809L // fork, execv, pipe, waitpid
#include "bench/peer.h"

#include "base/memory.h"
#include "io/json.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_ARGUMENTS 8
#define LINE_SIZE     512

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
    execv(program, list);
    _exit(127);
}

// All that the child prints, up to a line's length. True when it ended well.
static bool capture(const char* program, const char* const* arguments, char line[LINE_SIZE])
{
    int ends[2];
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
    while (child > 0 && size < LINE_SIZE - 1)
    {
        const ssize_t got = read(ends[0], line + size, LINE_SIZE - 1 - size);
        if (got == 0 || (got < 0 && errno != EINTR))
        {
            break;
        }
        size += got > 0 ? (size_t)got : 0;
    }
    line[size] = '\0';
    close(ends[0]);
    int status = 0;
    pid_t waited = -1;
    do
    {
        waited = child > 0 ? waitpid(child, &status, 0) : -1;
    } while (waited < 0 && child > 0 && errno == EINTR);
    return waited == child && child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool read_line(const char* line, rblPeerTime* out)
{
    rblJsonDocument document;
    if (rbl_json_parse(&document, line, strlen(line), "rubble-peers", rbl_default_allocator()) != RBL_OK)
    {
        return false;
    }
    const rblJson root = rbl_json_root(&document);
    const char* name;
    const bool ok = rbl_json_get_string(rbl_json_find(root, "peer"), &name) == RBL_OK &&
                    rbl_json_get_number(rbl_json_find(root, "milliseconds"), &out->milliseconds) == RBL_OK &&
                    rbl_json_get_number(rbl_json_find(root, "count"), &out->count) == RBL_OK;
    if (ok)
    {
        snprintf(out->name, sizeof out->name, "%s", name);
    }
    rbl_json_free(&document);
    return ok && out->milliseconds > 0.0;
}

bool rbl_bench_peer(rblBench* bench, const char* const* arguments, rblPeerTime* out)
{
    char program[1024];
    char line[LINE_SIZE];
    const int length = snprintf(program, sizeof program, "%s/rubble-peers", rbl_bench_directory(bench));
    const bool there = length > 0 && (size_t)length < sizeof program && access(program, X_OK) == 0;
    if (there && capture(program, arguments, line) && read_line(line, out))
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
