// Writing files, for every command that does.
#include "tool.h"

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
