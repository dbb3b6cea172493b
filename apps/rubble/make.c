// rubble make: procedural solids.
#include "describe.h"
#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

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
    rblSolidValue* values = calloc(kind->parameter_count, sizeof(rblSolidValue));
    if (values == NULL && kind->parameter_count > 0)
    {
        return tool_fail_memory();
    }
    const uint32_t count = collect_values(parsed, kind, values);
    const rblResult result = rbl_mesh_make(kind->name, values, count, out);
    free(values);
    return result;
}

static int make_run(const Parsed* parsed)
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

// The default as it would be given: "0.3", "1,2,3". Null when out of memory.
static const char* fallback_text(const rblSolidParameter* parameter, Store* store)
{
    const bool list = parameter->components == 0;
    const double* numbers = list ? parameter->list_fallback : parameter->fallback;
    const uint32_t count = list ? parameter->list_fallback_count : parameter->components;
    char* text = store_alloc(store, RBL_NUMBER_SIZE * (size_t)count + 1, 1);
    if (text == NULL)
    {
        return NULL;
    }
    size_t length = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        length += rbl_format_double(numbers[i], text + length);
        text[length++] = ',';
    }
    text[length > 0 ? length - 1 : 0] = '\0';
    return text;
}

// Parameters are called as in scenes; on the command line words are joined by dashes.
static const char* option_name(const char* parameter_name, Store* store)
{
    const size_t size = strlen(parameter_name) + 1;
    char* name = store_alloc(store, size, 1);
    for (size_t i = 0; name != NULL && i < size; ++i)
    {
        name[i] = parameter_name[i] == '_' ? '-' : parameter_name[i];
    }
    return name;
}

static const char* value_text(const rblSolidParameter* parameter)
{
    static const char* const numbers[] = {"R,H,R,H,...", "X", "X,Y", "X,Y,Z"};
    static const char* const whole_numbers[] = {"R,H,R,H,...", "N", "N,N", "N,N,N"};
    assert(parameter->components <= 3);
    return (parameter->is_integer ? whole_numbers : numbers)[parameter->components];
}

static bool describe_parameter(const rblSolidParameter* parameter, Store* store, Option* out)
{
    *out = (Option){.name = option_name(parameter->name, store),
                    .kind = OPTION_NUMBERS,
                    .whole = parameter->is_integer != 0,
                    .pairs = parameter->components == 0,
                    .least = parameter->components != 0 ? parameter->components : 2,
                    .most = parameter->components,
                    .lowest = parameter->lowest,
                    .highest = parameter->highest,
                    .value = value_text(parameter),
                    .fallback = fallback_text(parameter, store),
                    .help = parameter->help};
    return out->name != NULL && out->fallback != NULL;
}

static bool describe_solids(Command* command, Store* store)
{
    uint32_t count = 0;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    Variant* variants = STORE_ARRAY(store, Variant, count);
    bool ok = variants != NULL || count == 0;
    for (uint32_t k = 0; ok && k < count; ++k)
    {
        const uint32_t parameter_count = kinds[k].parameter_count;
        Option* options = STORE_ARRAY(store, Option, parameter_count);
        ok = options != NULL || parameter_count == 0;
        for (uint32_t p = 0; ok && p < parameter_count; ++p)
        {
            ok = describe_parameter(&kinds[k].parameters[p], store, &options[p]);
        }
        variants[k] = (Variant){kinds[k].name, kinds[k].help, options, parameter_count};
    }
    command->variants = variants;
    command->variant_count = ok ? count : 0;
    return ok;
}

static const Argument make_arguments[] = {
    {"KIND", ARGUMENT_VARIANT, false, "the kind of solid"},
    {"OUT", ARGUMENT_OUTPUT, false, "the mesh file to write"},
};
static const Option make_options[] = {
    {.name = "list", .stands_alone = true, .help = "list the kinds of solids, and stop"},
    TEXT_OPTION,
};
static const char* const make_examples[] = {"rubble make --list", "rubble make box --help",
                                            "rubble make box box.obj", NULL};

const Command make_command = {
    .name = "make",
    .summary = "make a procedural solid: box, sphere, vase, rock, ...",
    .details = "Writes a closed mesh with UVs, in metres. Each kind of solid has options of its own: "
               "rubble make KIND --help.",
    .arguments = make_arguments,
    .argument_count = OPTIONS_COUNT_OF(make_arguments),
    .options = make_options,
    .option_count = OPTIONS_COUNT_OF(make_options),
    .variant_noun = "kind of solid",
    .examples = make_examples,
    .describe = describe_solids,
    .run = make_run};
