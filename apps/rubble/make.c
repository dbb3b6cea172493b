// rubble make: procedural solids.
#include "describe.h"
#include "print.h"
#include "progress.h"
#include "tool.h"

static int list_kinds(const Command* command)
{
    for (uint32_t i = 0; i < command->variant_count; ++i)
    {
        printf("%-16s %s\n", command->variants[i].name, command->variants[i].summary);
    }
    return TOOL_DONE;
}

// The options that were given, under the names that the library knows: option p of the variant is parameter p.
static uint32_t collect_values(const Parsed* parsed, const rblSolidKind* kind, rblSolidValue* out)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < kind->parameter_count; ++p)
    {
        const OptionValue* value = options_value(parsed, parsed->variant->options[p].name);
        if (value == NULL)
        {
            continue;
        }
        const bool pairs = kind->parameters[p].components == 0;
        out[count++] = (rblSolidValue){.name = kind->parameters[p].name,
                                       .values = value->numbers,
                                       .count = pairs ? value->count / 2 : value->count};
    }
    return count;
}

static rblResult make(const Parsed* parsed, rblMeshId* out)
{
    uint32_t kind_count = 0;
    const rblSolidKind* kinds = rbl_solid_kinds(&kind_count);
    const rblSolidKind* kind = &kinds[parsed->variant - parsed->command->variants];
    const rblAllocator* allocator = rbl_default_allocator();
    rblSolidValue* values = RBL_NEW_ARRAY(allocator, rblSolidValue, kind->parameter_count);
    if (values == NULL && kind->parameter_count > 0)
    {
        return rbl_fail_memory();
    }
    const uint32_t count = collect_values(parsed, kind, values);
    const rblResult result = rbl_mesh_make(kind->name, values, count, out);
    RBL_FREE_ARRAY(allocator, values, kind->parameter_count);
    return result;
}

int make_run(const Parsed* parsed)
{
    if (options_given(parsed, "list"))
    {
        return list_kinds(parsed->command);
    }
    const char* path = parsed->arguments[1];
    const int usage = tool_check_text(parsed, path);
    if (usage != TOOL_DONE)
    {
        return usage;
    }
    progress_start("make", 0.0, NULL, !options_given(parsed, "quiet"));
    progress_stage("making", -1.0);
    rblMeshId mesh;
    const rblResult result = make(parsed, &mesh);
    if (result == RBL_ERROR_ARGUMENT)
    {
        return tool_usage(parsed, "%s", rbl_last_error());
    }
    if (result != RBL_OK)
    {
        return tool_fail_last();
    }
    progress_stage("writing", -1.0);
    const int code = tool_save(parsed, mesh, path);
    rbl_mesh_destroy(mesh);
    return code;
}
