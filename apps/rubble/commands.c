// The command line as a whole: what every command understands, and the commands in the order of the help. Each is
// described at the end of its own file.
#include "shared_options.h"
#include "tool.h"

static const char* const input_endings[] = {"obj", "ply", "stl", "off", "glb", "gltf", NULL};
static const char* const scene_endings[] = {"json", NULL};
static const char* const run_endings[] = {"rbl", NULL};
static const char* const output_endings[] = {"obj", "ply", "stl", "off", "glb", NULL};

static const Option program_options[] = {
    {.name = "help", .letter = 'h', .stands_alone = true, .help = "print how a command is used, and stop"},
    {.name = "version", .stands_alone = true, .help = "print the version, and stop"},
    {.name = "quiet", .letter = 'q', .help = "no progress bar and no notes; errors are still printed"},
    {.name = "verbose", .letter = 'v', .help = "print what is done and found"},
    ONE_COUNT("threads", 1, RBL_MAX_WORKERS, "one per core", "number of threads; results never depend on it"),
};

const Argument mesh_arguments[MESH_ARGUMENT_COUNT] = {
    {"IN", ARGUMENT_INPUT, false, "the mesh file to read"},
    {"OUT", ARGUMENT_OUTPUT, false, "the mesh file to write (may be IN: it is replaced as a whole)"},
};

static const Command* const descriptions[] = {
    &info_command,      &repair_command,   &convert_command,  &make_command,       &pattern_command,
    &picture_command,   &methods_command,  &fracture_command, &dataset_command,    &tetrahedralize_command,
    &decompose_command, &simulate_command, &replay_command,   &render_command,     &plot_command,
    &export_command,    &demo_command,     &bench_command,    &completion_command, &man_command,
    &help_command,
};

static Command commands[OPTIONS_COUNT_OF(descriptions)]; // filled by program_open()

static Program program = {
    .name = "rubble",
    .summary = "brittle fracture in real time",
    .details = "Simulates and records scenes of rigid bodies that break; inspects, repairs, converts, "
               "draws and makes meshes.",
    .options = program_options,
    .option_count = OPTIONS_COUNT_OF(program_options),
    .commands = commands,
    .command_count = OPTIONS_COUNT_OF(commands),
    .input_endings = input_endings,
    .output_endings = output_endings,
    .scene_endings = scene_endings,
    .run_endings = run_endings,
};

static Store texts; // what commands describe when the tool starts

const Program* program_open(void)
{
    program.version = rbl_version();
    for (uint32_t i = 0; i < OPTIONS_COUNT_OF(commands); ++i)
    {
        commands[i] = *descriptions[i];
        if (commands[i].describe != NULL && !commands[i].describe(&commands[i], &texts))
        {
            program_close();
            tool_fail("out of memory");
            return NULL;
        }
    }
    return &program;
}

void program_close(void)
{
    store_free(&texts);
}
