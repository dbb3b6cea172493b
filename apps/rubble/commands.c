// The one description of the command line. What the library or the benches know (kinds of solids and their
// parameters, names of benches) is asked for when the tool starts.
#include "tool.h"

#include "base/assert.h"
#include "base/number.h"
#include "bench/bench.h"
#include <string.h>

#define COUNT_OF(array) ((uint32_t)(sizeof(array) / sizeof(array)[0]))

static const char* const input_endings[] = {"obj", "ply", "stl", "off", "glb", "gltf", NULL};
static const char* const scene_endings[] = {"json", NULL};
static const char* const run_endings[] = {"rbl", NULL};
static const char* const output_endings[] = {"obj", "ply", "stl", "off", "glb", NULL};

static const Option program_options[] = {
    {.name = "help", .letter = 'h', .stands_alone = true, .help = "tell how a command is used, and stop"},
    {.name = "version", .stands_alone = true, .help = "print the version, and stop"},
    {.name = "quiet", .letter = 'q', .help = "no progress bar and no notes; errors are still told"},
    {.name = "verbose", .letter = 'v', .help = "tell what is done and found on the way"},
    {.name = "threads",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 1,
     .highest = RBL_MAX_WORKERS,
     .value = "N",
     .fallback = "one per core",
     .help = "work on this many threads; results never depend on it"},
};

#define JSON_OPTION                                                                                          \
    {                                                                                                        \
        .name = "json", .help = "print one JSON object instead of text"                                      \
    }
#define TEXT_OPTION                                                                                          \
    {                                                                                                        \
        .name = "text", .help = "write the text form of PLY and STL instead of the binary one"               \
    }

static const Argument info_arguments[] = {
    {"FILE", ARGUMENT_INPUT, false, "the mesh file or recording (.rbl) to look at"}};
static const Option info_options[] = {
    JSON_OPTION,
    {.name = "no-intersections", .help = "do not look for faces that cut each other, the only slow part"},
    {.name = "density",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 1e-9,
     .highest = 1e9,
     .value = "D",
     .fallback = "1",
     .help = "density for mass and inertia, kg/m^3"},
};
static const char* const info_examples[] = {
    "rubble info bunny.ply", "rubble info statue.glb --json --density 2600", "rubble info wall.rbl", NULL};

static const Argument file_arguments[] = {
    {"IN", ARGUMENT_INPUT, false, "the mesh file to read"},
    {"OUT", ARGUMENT_OUTPUT, false, "the mesh file to write (may be IN: it is replaced as a whole)"},
};

static const Option repair_options[] = {
    {.name = "weld",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 0,
     .highest = OPTIONS_UNBOUNDED,
     .value = "D",
     .fallback = "1e-6 of the bounding box diagonal",
     .help = "vertices closer than this become one, m; 0: only equal ones"},
    {.name = "max-hole",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 0,
     .highest = 4294967295.0,
     .value = "N",
     .fallback = "4096",
     .help = "fill holes of up to this many edges; 0 leaves them open"},
    {.name = "remesh",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 16,
     .highest = 512,
     .value = "CELLS",
     .help = "as a last resort rebuild the surface on a grid with this many cells along the longest side"},
    {.name = "force", .help = "write the result even if it is not a solid"},
    {.name = "json", .help = "print what was changed and the verdict as one JSON object"},
};
static const char* const repair_examples[] = {"rubble repair scan.stl scan.ply",
                                              "rubble repair scan.stl scan.ply --verbose --weld 0.001",
                                              "rubble repair soup.obj solid.obj --remesh 128", NULL};

static const char* const axis_choices[] = {"zup-to-yup", "yup-to-zup", NULL};
static const Option convert_options[] = {
    {.name = "scale",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 3,
     .value = "S|X,Y,Z",
     .help = "multiply all coordinates by S, or each by its own factor; negative ones mirror"},
    {.name = "axis",
     .kind = OPTION_CHOICE,
     .choices = axis_choices,
     .help = "turn a model made with Z up so that Y is up, or the other way round"},
    {.name = "height",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 1e-9,
     .highest = 1e9,
     .value = "H",
     .help = "scale evenly so that the result is this tall (along Y; along Z after yup-to-zup), m"},
    {.name = "triangulate", .help = "cut faces of more than three corners into triangles"},
    {.name = "simplify",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 4,
     .highest = 4294967295.0,
     .value = "N",
     .help = "reduce to about N triangles; a closed surface stays closed"},
    TEXT_OPTION,
};
static const char* const convert_examples[] = {
    "rubble convert bunny.off bunny.glb --height 0.3",
    "rubble convert part.stl part.obj --scale 0.001 --axis zup-to-yup",
    "rubble convert scan.ply small.ply --simplify 10000", NULL};

static const Argument make_arguments[] = {
    {"KIND", ARGUMENT_VARIANT, false, "the kind of solid"},
    {"OUT", ARGUMENT_OUTPUT, false, "the mesh file to write"},
};
static const Option make_options[] = {
    {.name = "list", .stands_alone = true, .help = "list the kinds of solids, and stop"},
    TEXT_OPTION,
};
static const char* const picture_endings[] = {"png", NULL};
static const Argument picture_arguments[] = {
    {"FILE", ARGUMENT_INPUTS, false, "the mesh files to draw, all in one picture"}};
static const Option picture_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = picture_endings,
     .value = "OUT.png",
     .help = "the picture to write"},
    {.name = "size",
     .kind = OPTION_NUMBERS,
     .separator = 'x',
     .least = 2,
     .most = 2,
     .whole = true,
     .lowest = 1,
     .highest = RBL_PICTURE_MAX_SIZE,
     .value = "WxH",
     .fallback = "1280x720",
     .help = "width and height in pixels"},
    {.name = "samples",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 1,
     .highest = RBL_PICTURE_MAX_SAMPLES,
     .value = "N",
     .fallback = "16",
     .help = "samples a pixel, each with a shadow and a sky ray; more is smoother and slower"},
    {.name = "eye",
     .kind = OPTION_NUMBERS,
     .least = 3,
     .most = 3,
     .value = "X,Y,Z",
     .fallback = "from where everything is seen",
     .help = "where the picture is taken from, m"},
    {.name = "target",
     .kind = OPTION_NUMBERS,
     .least = 3,
     .most = 3,
     .value = "X,Y,Z",
     .fallback = "the middle",
     .help = "what is in the middle of the picture, m"},
    {.name = "explode",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 0,
     .highest = 1000,
     .value = "F",
     .fallback = "0",
     .help = "move the pieces apart, each by F times its distance from the middle"},
    {.name = "cut-plane",
     .kind = OPTION_TEXT,
     .value = "x|y|z|x=D|X,Y,Z,NX,NY,NZ",
     .help = "take away what lies in front of a plane and show the inside: across an axis through the middle "
             "or at D, or "
             "through a point with a normal"},
    JSON_OPTION,
};
static const char* const picture_examples[] = {
    "rubble picture bunny.ply -o bunny.png", "rubble picture pig.glb -o pig.png --cut-plane x",
    "rubble picture piece*.obj -o pieces.png --explode 0.5 --samples 64", NULL};

static const char* const make_examples[] = {"rubble make --list", "rubble make box --help",
                                            "rubble make box box.obj", NULL};

#define EVERY_OPTION                                                                                         \
    {                                                                                                        \
        .name = "every", .kind = OPTION_NUMBERS, .least = 1, .most = 1, .whole = true, .lowest = 1,          \
        .highest = 1e9, .value = "N", .fallback = "1",                                                       \
        .help = "write every N-th step only (.pvd, .obj, .csv)"                                              \
    }
#define FORCE_OPTION                                                                                         \
    {                                                                                                        \
        .name = "force", .help = "write frames into a folder that holds other files"                         \
    }
static const char* const simulate_endings[] = {"glb", "png", "csv", "obj", "pvd", "usda", "rbl", NULL};
static const Argument simulate_arguments[] = {{"SCENE", ARGUMENT_SCENE, false, "the scene file"}};
static const Option simulate_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .endings = simulate_endings,
     .value = "OUT",
     .help =
         "write the motion: .glb or .usda an animation, .png nine frames on one sheet, .pvd, .obj or .csv a "
         "series of frames, .rbl a recording"},
    EVERY_OPTION,
    FORCE_OPTION,
    {.name = "quantise",
     .help =
         "round the poses of a recording, to 1/32 mm and 1/65536 of a quaternion: less than half the size"},
    {.name = "stats", .kind = OPTION_TEXT, .value = "FILE", .help = "write statistics of every step as JSON"},
    {.name = "checkpoint",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help = "keep the state of the run in a file to go on from, replaced whole every time"},
    {.name = "checkpoint-every",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 0,
     .highest = OPTIONS_UNBOUNDED,
     .value = "S",
     .fallback = "1",
     .help = "seconds of simulated time from one checkpoint to the next; there is one at the end, too"},
    {.name = "resume",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help = "go on from a checkpoint of SCENE; the run ends as if it had never stopped"},
    {.name = "json", .help = "print the summary as one JSON object instead of a table"},
};
static const char* const simulate_examples[] = {
    "rubble simulate scenes/wrecking_ball.json -o wall.glb",
    "rubble simulate scenes/dominoes.json -o dominoes.png",
    "rubble simulate scenes/dominoes.json -o dominoes.rbl",
    "rubble simulate scene.json -o run.rbl --checkpoint run.check",
    "rubble simulate scene.json -o run.rbl --resume run.check",
    "rubble simulate scene.json --stats stats.json --threads 4",
    NULL};

static const Argument replay_arguments[] = {{"FILE", ARGUMENT_RUN, false, "the recording"}};
static const Option replay_options[] = {
    {.name = "verify", .help = "fail when a step differs, and name the first that does"},
    {.name = "json", .help = "print one JSON object instead of a table"},
};
static const char* const replay_examples[] = {"rubble replay wall.rbl --verify",
                                              "rubble replay wall.rbl --verify --threads 1", NULL};

static const Argument render_arguments[] = {
    {"RUN", ARGUMENT_RUN, false, "a recording, or a scene (.json) that is run first"}};
static const Option render_options[] = {
    {.name = "output",
     .kind = OPTION_TEXT,
     .letter = 'o',
     .required = true,
     .value = "OUT",
     .help = "where to: .mp4 or .gif a video (needs ffmpeg), .png nine frames on one sheet, else a folder of "
             "PNG files"},
    {.name = "size",
     .kind = OPTION_NUMBERS,
     .least = 2,
     .most = 2,
     .whole = true,
     .lowest = 1,
     .highest = RBL_PICTURE_MAX_SIZE,
     .value = "W,H",
     .fallback = "1280,720",
     .help = "pixels of a frame"},
    {.name = "samples",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 1,
     .highest = RBL_PICTURE_MAX_SAMPLES,
     .value = "N",
     .fallback = "8",
     .help = "samples a pixel"},
    {.name = "fps",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 0.01,
     .highest = 1000,
     .value = "F",
     .fallback = "30",
     .help = "frames a second"},
    {.name = "speed",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 1e-4,
     .highest = 1e4,
     .value = "X",
     .fallback = "1",
     .help = "how fast time goes: 0.25 is slow motion"},
    {.name = "begin",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 0,
     .highest = OPTIONS_UNBOUNDED,
     .value = "S",
     .fallback = "0",
     .help = "the moment to begin with, seconds"},
    {.name = "end",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .lowest = 0,
     .highest = OPTIONS_UNBOUNDED,
     .value = "S",
     .help = "the last moment, seconds; without it the end of the run"},
    {.name = "plain", .help = "without time, bodies, contacts and milliseconds in the corner"},
    FORCE_OPTION,
};
static const char* const render_examples[] = {
    "rubble render wall.rbl -o wall.mp4",
    "rubble render scenes/dominoes.json -o slow.gif --speed 0.25 --size 640,360",
    "rubble render scenes/dominoes.json -o frames --samples 32", NULL};

static const char* const plot_endings[] = {"svg", NULL};
static const Argument plot_arguments[] = {
    {"RUN", ARGUMENT_RUN, false, "a recording, or statistics (.json) as simulate --stats writes them"}};
static const Option plot_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = plot_endings,
     .value = "OUT.svg",
     .help = "the picture to write"},
};
static const char* const plot_examples[] = {"rubble plot wall.rbl -o wall.svg",
                                            "rubble plot stats.json -o stats.svg", NULL};

static const char* const export_endings[] = {"glb", "png", "csv", "obj", "pvd", "usda", NULL};
static const Argument export_arguments[] = {
    {"RUN", ARGUMENT_RUN, false, "a recording, or a scene (.json) that is run first"}};
static const Option export_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = export_endings,
     .value = "OUT",
     .help =
         "the file to write: .glb or .usda an animation, .png nine frames on one sheet, .pvd, .obj or .csv a "
         "series of frames"},
    EVERY_OPTION,
    FORCE_OPTION,
};
static const char* const export_examples[] = {"rubble export wall.rbl -o wall.glb",
                                              "rubble export wall.rbl -o wall.pvd --every 4", NULL};

static const Argument demo_arguments[] = {
    {"FOLDER", ARGUMENT_FOLDER, true, "where to write; made when it is not there, out by default"}};
static const Option demo_options[] = {
    {.name = "samples",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 1,
     .highest = RBL_PICTURE_MAX_SAMPLES,
     .value = "N",
     .fallback = "16",
     .help = "samples a pixel of the contact sheet"},
};
static const char* const demo_examples[] = {"rubble demo", "rubble demo /tmp/solids", NULL};

static const Argument bench_arguments[] = {
    {"NAME", ARGUMENT_VARIANT, true, "the bench to run; without it they are listed"}};
static const Option bench_options[] = {
    JSON_OPTION,
    {.name = "quick", .help = "smallest inputs, one run each: only shows that everything works"},
};
static const char* const bench_examples[] = {"rubble bench", "rubble bench mesh --threads 1",
                                             "rubble bench all --json > bench.json", NULL};

static const Argument completion_arguments[] = {
    {"SHELL", ARGUMENT_VARIANT, false, "the shell to print it for"}};
static const Variant shells[] = {
    {.name = "bash", .summary = "for ~/.local/share/bash-completion/completions/rubble"},
    {.name = "zsh", .summary = "for a file _rubble in a directory of $fpath"},
    {.name = "fish", .summary = "for ~/.config/fish/completions/rubble.fish"},
};
static const char* const completion_examples[] = {"source <(rubble completion bash)", NULL};

static const Option man_options[] = {{.name = "markdown", .help = "print Markdown instead of troff"}};
static const char* const man_examples[] = {"rubble man | man -l -", NULL};

static const Argument help_arguments[] = {
    {"COMMAND", ARGUMENT_COMMAND, true, "the command to tell about"},
    {"KIND", ARGUMENT_WORD, true, "what it works on, such as a kind of solid"},
};

enum
{
    INFO,
    REPAIR,
    CONVERT,
    MAKE,
    PICTURE,
    SIMULATE,
    REPLAY,
    RENDER,
    PLOT,
    EXPORT,
    DEMO,
    BENCH,
    COMPLETION,
    MAN,
    HELP,
    COMMAND_COUNT
};

static Command commands[COMMAND_COUNT] = {
    [INFO] = {.name = "info",
              .summary = "tell what a mesh is (size, topology, defects, mass), or a recording",
              .details =
                  "Reads a mesh and tells what it is: counts, whether it is closed, manifold and oriented, "
                  "components, genus, volume, area, centre of mass, inertia, and everything that is wrong "
                  "with it. A broken mesh is described, not refused. Of a recording it tells the scene, the "
                  "steps, the bodies, the size, and where the file ends when it was cut short.",
              .arguments = info_arguments,
              .argument_count = COUNT_OF(info_arguments),
              .options = info_options,
              .option_count = COUNT_OF(info_options),
              .examples = info_examples,
              .run = info_run},
    [REPAIR] = {.name = "repair",
                .summary = "mend a mesh until it is a solid, or say why not",
                .details =
                    "Welds, drops degenerate and duplicate faces, resolves T-junctions, splits what is not "
                    "manifold, orients, and fills holes. The verdict: closed, manifold, oriented outward, "
                    "free of self-intersections. A result that is not solid is not written and the exit code "
                    "is 1, unless --force is given. What was changed is printed with --verbose or --json.",
                .arguments = file_arguments,
                .argument_count = COUNT_OF(file_arguments),
                .options = repair_options,
                .option_count = COUNT_OF(repair_options),
                .examples = repair_examples,
                .run = repair_run},
    [CONVERT] = {.name = "convert",
                 .summary = "read a mesh in one format and write it in another",
                 .details =
                     "The endings of the file names decide the formats. Polygons, UVs, normals, colours, "
                     "material and group names are kept as far as the format of OUT can hold them. Changes "
                     "are made in this order: axis, scale, height, simplify, triangulate.",
                 .arguments = file_arguments,
                 .argument_count = COUNT_OF(file_arguments),
                 .options = convert_options,
                 .option_count = COUNT_OF(convert_options),
                 .examples = convert_examples,
                 .run = convert_run},
    [MAKE] = {.name = "make",
              .summary = "make a procedural solid: box, sphere, vase, rock, ...",
              .details =
                  "Writes a closed mesh with UVs, in metres. Each kind of solid has options of its own: "
                  "rubble make KIND --help.",
              .arguments = make_arguments,
              .argument_count = COUNT_OF(make_arguments),
              .options = make_options,
              .option_count = COUNT_OF(make_options),
              .variant_noun = "kind of solid",
              .examples = make_examples,
              .run = make_run},
    [PICTURE] =
        {.name = "picture",
         .summary = "draw meshes: ray traced, in soft light, as a PNG",
         .details =
             "Draws the files in one picture, standing on a floor, each in a colour of its own; the groups "
             "or "
             "connected pieces of a single file likewise. Faces whose material is named crack, interior or "
             "inside are drawn in the colour of cracks, and so is what a cut plane lays open where a mesh is "
             "closed. Open and broken meshes are drawn as they are. The picture does not depend on the "
             "number "
             "of threads.",
         .arguments = picture_arguments,
         .argument_count = COUNT_OF(picture_arguments),
         .options = picture_options,
         .option_count = COUNT_OF(picture_options),
         .examples = picture_examples,
         .run = picture_run},
    [SIMULATE] =
        {.name = "simulate",
         .summary = "run a scene: bodies fall, hit, slide, stack and come to rest",
         .details =
             "Reads a scene (docs/scenes.md), runs it for its duration and prints a table: bodies, contacts, "
             "milliseconds a step by stage, energy, work, and a hash of the final state, which is the same "
             "for "
             "any number of threads and on every platform. A recording (.rbl) is written while the run goes "
             "on, "
             "as OUT.part until it is complete; what is in it can be read at any time.",
         .arguments = simulate_arguments,
         .argument_count = COUNT_OF(simulate_arguments),
         .options = simulate_options,
         .option_count = COUNT_OF(simulate_options),
         .examples = simulate_examples,
         .run = simulate_run},
    [REPLAY] =
        {.name = "replay",
         .summary = "run a recording again and compare every step",
         .details =
             "Builds the scene that a recording holds, with the meshes that it holds, runs it as far as "
             "the recording goes and compares the hash of every step with the recorded one. They are "
             "equal for the same version of the engine, whatever the number of threads and the machine. A "
             "recording of calls (rubble/recorder.h) is replayed call by call.",
         .arguments = replay_arguments,
         .argument_count = COUNT_OF(replay_arguments),
         .options = replay_options,
         .option_count = COUNT_OF(replay_options),
         .examples = replay_examples,
         .run = replay_run},
    [RENDER] = {.name = "render",
                .summary = "draw a run as a video, as frames, or as a sheet of nine",
                .details = "Draws a run, ray traced, seen by the scene's camera or by one that "
                           "follows the action. Poses are blended between steps. Frames are written whole or "
                           "not at all: the same command after an interruption goes on where it stopped. "
                           "Frames of another rendering that are in the folder are removed.",
                .arguments = render_arguments,
                .argument_count = COUNT_OF(render_arguments),
                .options = render_options,
                .option_count = COUNT_OF(render_options),
                .examples = render_examples,
                .run = render_run},
    [PLOT] = {.name = "plot",
              .summary = "draw milliseconds, contacts, bodies and energy of a run over time",
              .details = "Writes one SVG picture with four charts, readable on light and dark pages: "
                         "milliseconds a step (total, collision, physics, fracture, update), contacts "
                         "(output, colliding, pairs), bodies (all, awake) and energy (kinetic, potential, "
                         "dissipated, work). Spikes are never smoothed away.",
              .arguments = plot_arguments,
              .argument_count = COUNT_OF(plot_arguments),
              .options = plot_options,
              .option_count = COUNT_OF(plot_options),
              .examples = plot_examples,
              .run = plot_run},
    [EXPORT] = {.name = "export",
                .summary = "turn a recording into files for other programs",
                .details =
                    "Writes what the ending of the output says (docs/from-a-run.md): for Blender, Godot, "
                    "Unreal, three.js, Houdini, ParaView, or a table. Metres, seconds, right-handed, Y "
                    "up.",
                .arguments = export_arguments,
                .argument_count = COUNT_OF(export_arguments),
                .options = export_options,
                .option_count = COUNT_OF(export_options),
                .examples = export_examples,
                .run = export_run},
    [DEMO] = {.name = "demo",
              .summary = "make every procedural solid: GLB files, a table, and a picture of all",
              .details = "Writes one GLB file per kind of solid and a contact sheet of all of them, "
                         "solids.png, and prints a "
                         "table: triangles, whether it is a proper solid (closed, manifold, outward, no "
                         "self-intersections), genus, volume, and its weight in stone of 2600 kg/m^3.",
              .arguments = demo_arguments,
              .argument_count = COUNT_OF(demo_arguments),
              .options = demo_options,
              .option_count = COUNT_OF(demo_options),
              .examples = demo_examples,
              .run = demo_run},
    [BENCH] = {.name = "bench",
               .summary = "measure how fast this machine does it, beside peers and papers",
               .details =
                   "Prints a table of figures with ratios to peers measured in the same run (when they are "
                   "installed) and to what papers report. Above 1 means that Rubble is better. Models are "
                   "found through RUBBLE_MODELS (../shared/models when it is not set).",
               .arguments = bench_arguments,
               .argument_count = COUNT_OF(bench_arguments),
               .options = bench_options,
               .option_count = COUNT_OF(bench_options),
               .variant_noun = "bench",
               .examples = bench_examples,
               .run = bench_run},
    [COMPLETION] = {.name = "completion",
                    .summary = "print a completion script for a shell",
                    .details =
                        "Completes commands, options, choices, kinds of solids, and files with the endings "
                        "that a command can read or write.",
                    .arguments = completion_arguments,
                    .argument_count = COUNT_OF(completion_arguments),
                    .variant_noun = "shell",
                    .variants = shells,
                    .variant_count = COUNT_OF(shells),
                    .examples = completion_examples,
                    .run = completion_run},
    [MAN] = {.name = "man",
             .summary = "print the manual page",
             .details = "Prints the manual as a troff page in the man macros, or as Markdown.",
             .options = man_options,
             .option_count = COUNT_OF(man_options),
             .examples = man_examples,
             .run = man_run},
    [HELP] = {.name = "help",
              .summary = "tell how a command is used",
              .details = "The same as COMMAND --help.",
              .arguments = help_arguments,
              .argument_count = COUNT_OF(help_arguments),
              .run = help_run},
};

static Program program = {
    .name = "rubble",
    .summary = "brittle fracture in real time",
    .details = "Simulates and records scenes of rigid bodies; looks at, mends, converts, draws and makes the "
               "meshes that "
               "Rubble breaks.",
    .options = program_options,
    .option_count = COUNT_OF(program_options),
    .commands = commands,
    .command_count = COMMAND_COUNT,
    .input_endings = input_endings,
    .output_endings = output_endings,
    .scene_endings = scene_endings,
    .run_endings = run_endings,
};

static rblArena texts; // everything below is in here

// The default as it would be given: "0.3", "1,2,3". Null when out of memory.
static const char* fallback_text(const rblSolidParameter* parameter)
{
    const bool list = parameter->components == 0;
    const double* numbers = list ? parameter->list_fallback : parameter->fallback;
    const uint32_t count = list ? parameter->list_fallback_count : parameter->components;
    char* text = rbl_arena_alloc(&texts, RBL_NUMBER_SIZE * (size_t)count + 1);
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
static const char* option_name(const char* parameter_name)
{
    const size_t size = strlen(parameter_name) + 1;
    char* name = rbl_arena_alloc(&texts, size);
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
    RBL_ASSERT(parameter->components <= 3);
    return (parameter->is_integer ? whole_numbers : numbers)[parameter->components];
}

static bool describe_parameter(const rblSolidParameter* parameter, Option* out)
{
    *out = (Option){.name = option_name(parameter->name),
                    .kind = OPTION_NUMBERS,
                    .whole = parameter->is_integer != 0,
                    .pairs = parameter->components == 0,
                    .least = parameter->components != 0 ? parameter->components : 2,
                    .most = parameter->components,
                    .lowest = parameter->lowest,
                    .highest = parameter->highest,
                    .value = value_text(parameter),
                    .fallback = fallback_text(parameter),
                    .help = parameter->help};
    return out->name != NULL && out->fallback != NULL;
}

static bool describe_solids(void)
{
    uint32_t count = 0;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    Variant* variants = RBL_ARENA_ARRAY(&texts, Variant, count);
    bool ok = variants != NULL || count == 0;
    for (uint32_t k = 0; ok && k < count; ++k)
    {
        const uint32_t parameter_count = kinds[k].parameter_count;
        Option* options = RBL_ARENA_ARRAY(&texts, Option, parameter_count);
        ok = options != NULL || parameter_count == 0;
        for (uint32_t p = 0; ok && p < parameter_count; ++p)
        {
            ok = describe_parameter(&kinds[k].parameters[p], &options[p]);
        }
        variants[k] = (Variant){kinds[k].name, kinds[k].help, options, parameter_count};
    }
    commands[MAKE].variants = variants;
    commands[MAKE].variant_count = ok ? count : 0;
    return ok;
}

static bool describe_benches(void)
{
    uint32_t count = 0;
    const rblBenchEntry* entries = rbl_bench_entries(&count);
    Variant* variants = RBL_ARENA_ARRAY(&texts, Variant, count + 1);
    if (variants == NULL)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        variants[i] = (Variant){.name = entries[i].name, .summary = entries[i].summary};
    }
    variants[count] = (Variant){.name = "all", .summary = "every one of them"};
    commands[BENCH].variants = variants;
    commands[BENCH].variant_count = count + 1;
    return true;
}

const Program* program_open(void)
{
    rbl_arena_init(&texts, 16384, rbl_default_allocator());
    program.version = rbl_version();
    if (!describe_solids() || !describe_benches())
    {
        program_close();
        tool_fail("out of memory");
        return NULL;
    }
    return &program;
}

void program_close(void)
{
    rbl_arena_free(&texts);
}
