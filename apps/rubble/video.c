#define _XOPEN_SOURCE 700 // posix_spawnp
#include "video.h"
#include "rubble/text.h"
#include "tool.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

// Run a program and wait for it; what it prints goes to our standard error, or nowhere. -1: it cannot be started.
static int run_program(const char* const* arguments, bool silent)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    char* words[32];
    size_t count = 0;
    for (; arguments[count] != NULL && count < 31; ++count)
    {
        words[count] = (char*)(uintptr_t)arguments[count]; // posix_spawn promises not to change them
    }
    words[count] = NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (silent)
    {
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    }
    const int error = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
    {
        return -1;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

rblResult video_check(void)
{
    static const char* const arguments[] = {"ffmpeg", "-version", NULL};
    return run_program(arguments, true) == 0
               ? RBL_OK
               : rbl_fail(
                     RBL_ERROR_UNSUPPORTED,
                     "ffmpeg is needed for videos and was not found: install it (Debian: apt-get install "
                     "ffmpeg), or render to a folder of PNG files or to one .png sheet instead");
}

// The frames as ffmpeg wants them named: "file:" keeps it from taking what stands before a colon for a protocol, and a
// percent sign of the folder's own is doubled.
static rblResult name_frames(const char* folder, char out[TOOL_PATH_SIZE])
{
    char doubled[TOOL_PATH_SIZE];
    size_t length = 0;
    for (const char* c = folder; *c != '\0' && length + 2 < sizeof doubled; ++c)
    {
        doubled[length++] = *c;
        if (*c == '%')
        {
            doubled[length++] = '%';
        }
    }
    doubled[length] = '\0';
    return tool_compose_path(out, "file:%s/frame_%%05d.png", doubled);
}

rblResult video_encode(const char* folder, double rate, const char* path, bool gif)
{
    char frames[TOOL_PATH_SIZE];
    char result[TOOL_PATH_SIZE];
    char result_url[TOOL_PATH_SIZE];
    char rate_text[RBL_NUMBER_SIZE];
    RBL_TRY(name_frames(folder, frames));
    RBL_TRY(tool_compose_path(result, "%s/video.%s", folder, gif ? "gif" : "mp4"));
    RBL_TRY(tool_compose_path(result_url, "file:%s", result));
    rbl_format_double(rate, rate_text);
    const char* const mp4[] = {"ffmpeg",     "-y",
                               "-loglevel",  "error",
                               "-framerate", rate_text,
                               "-i",         frames,
                               "-c:v",       "libx264",
                               "-crf",       "18",
                               "-pix_fmt",
                               "yuv420p", // what browsers and phones play; wants even sizes
                               "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                               "-movflags",  "+faststart",
                               result_url,   NULL};
    const char* const animation[] = {
        "ffmpeg",     "-y",
        "-loglevel",  "error",
        "-framerate", rate_text,
        "-i",         frames,
        "-vf",        "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=sierra2_4a",
        result_url,   NULL};
    if (run_program(gif ? animation : mp4, false) != 0)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: ffmpeg failed; the frames are in %s", path, folder);
    }
    return rename(result, path) == 0
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FILE, "%s: cannot be written: %s", path, strerror(errno));
}
