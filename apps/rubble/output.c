// Writing files, for every command that does.
#define _POSIX_C_SOURCE 200809L // stat
#include "io/file.h"
#include "tool.h"
#include <sys/stat.h>

rblResult tool_check_output(const char* path)
{
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    {
        return RBL_OK; // a pipe or a device: opening it twice would be seen at the other end
    }
    rblWriter writer;
    const rblResult result = rbl_writer_open(&writer, path, rbl_default_allocator());
    if (result == RBL_OK)
    {
        rbl_writer_discard(&writer);
    }
    return result;
}

int tool_check_text(const Parsed* parsed, const char* path)
{
    static const char* const binary_only[] = {"glb", NULL};
    if (options_given(parsed, "text") && options_has_ending(path, binary_only))
    {
        return tool_usage(parsed, "--text: GLB has no text form");
    }
    return TOOL_DONE;
}

int tool_save(const Parsed* parsed, rblMeshId mesh, const char* path)
{
    rblSaveOptions options = rbl_default_save_options();
    options.text = options_given(parsed, "text");
    return rbl_mesh_save(mesh, path, &options) == RBL_OK ? TOOL_DONE : tool_fail_last();
}
