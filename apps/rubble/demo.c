// rubble demo: every procedural solid, written as GLB, with a table of what it is and weighs, and a contact sheet.
#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STONE_DENSITY 2600.0 // kg/m^3, granite
#define CELL_WIDTH    300    // pixels of a solid in the contact sheet
#define CELL_HEIGHT   240
#define CELL_BYTES    ((size_t)4 * CELL_WIDTH * CELL_HEIGHT)
#define PATH_SIZE     4096

static rblResult compose_path(const char* folder, const char* name, const char* ending, char out[PATH_SIZE])
{
    const int length = snprintf(out, PATH_SIZE, "%s/%s.%s", folder, name, ending);
    if (length < 0 || length >= PATH_SIZE)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: the path is too long", folder);
    }
    return RBL_OK;
}

static rblResult save_solid(rblMeshId mesh, const char* folder, const char* kind)
{
    char path[PATH_SIZE];
    RBL_TRY(compose_path(folder, kind, "glb", path));
    return rbl_mesh_save(mesh, path, NULL);
}

typedef struct Row
{
    const char* kind;
    rblMeshReport report;
    rblMassProperties mass;
} Row;

typedef struct Demo
{
    const char* folder;
    const rblSolidKind* kinds;
    uint32_t count;
    Row* rows;      // one per kind
    uint8_t* cells; // CELL_BYTES per kind
    uint32_t samples;
} Demo;

static void print_row(const Row* row)
{
    const rblMeshReport* report = &row->report;
    char litres[RBL_NUMBER_SIZE];
    char kilograms[RBL_NUMBER_SIZE];
    print_number(1e3 * row->mass.volume, 4, litres);
    print_number(row->mass.mass, 4, kilograms);
    const bool solid =
        report->closed && report->manifold && report->outward && report->self_intersections.count == 0;
    printf("%-12s %9u  %-6s %5d  %9s  %9s\n", row->kind, report->triangles, solid ? "yes" : "NO",
           report->genus, litres, kilograms);
}

static rblResult fill_row(rblMeshId mesh, const char* folder, Row* row)
{
    RBL_TRY(save_solid(mesh, folder, row->kind));
    RBL_TRY(rbl_mesh_inspect(mesh, NULL, &row->report));
    return rbl_mesh_mass_properties(mesh, STONE_DENSITY, &row->mass);
}

static rblResult draw_cell(const Demo* demo, rblMeshId mesh, uint32_t index)
{
    rblPictureItem item = rbl_default_picture_item(mesh);
    item.color = rbl_picture_color(index);
    rblPictureDef def = rbl_default_picture_def();
    def.items = &item;
    def.item_count = 1;
    def.width = CELL_WIDTH;
    def.height = CELL_HEIGHT;
    def.samples = demo->samples;
    return rbl_picture_render(&def, &demo->cells[index * CELL_BYTES], NULL);
}

static rblResult make_all(const Demo* demo)
{
    for (uint32_t i = 0; i < demo->count; ++i)
    {
        progress_stage(demo->kinds[i].name, (double)i / (double)demo->count);
        demo->rows[i].kind = demo->kinds[i].name;
        rblMeshId mesh;
        RBL_TRY(rbl_mesh_make(demo->kinds[i].name, NULL, 0, &mesh));
        rblResult result = fill_row(mesh, demo->folder, &demo->rows[i]);
        if (result == RBL_OK)
        {
            result = draw_cell(demo, mesh, i);
        }
        rbl_mesh_destroy(mesh);
        RBL_TRY(result);
    }
    return RBL_OK;
}

static rblResult draw_sheet(const Demo* demo, const rblSheetDef* def, const rblSheetCell* cells)
{
    uint32_t width, height;
    RBL_TRY(rbl_sheet_size(def, demo->count, &width, &height));
    char path[PATH_SIZE];
    RBL_TRY(compose_path(demo->folder, "solids", "png", path));
    const size_t size = 4 * (size_t)width * height;
    uint8_t* rgba = calloc(size, sizeof(uint8_t));
    rblResult result = rgba != NULL ? rbl_sheet_draw(def, cells, demo->count, rgba) : tool_fail_memory();
    if (result == RBL_OK)
    {
        result = rbl_image_save_png(path, rgba, width, height, 4);
    }
    free(rgba);
    return result;
}

static rblResult save_sheet(const Demo* demo)
{
    rblSheetDef def = rbl_default_sheet_def();
    def.columns = 6;
    def.cell_width = CELL_WIDTH;
    def.cell_height = CELL_HEIGHT;
    rblSheetCell* cells = calloc(demo->count, sizeof(rblSheetCell));
    if (cells == NULL)
    {
        return tool_fail_memory();
    }
    for (uint32_t i = 0; i < demo->count; ++i)
    {
        cells[i] = (rblSheetCell){&demo->cells[i * CELL_BYTES], demo->kinds[i].name};
    }
    const rblResult result = draw_sheet(demo, &def, cells);
    free(cells);
    return result;
}

static rblResult run(const Demo* demo)
{
    if (demo->rows == NULL || demo->cells == NULL)
    {
        return tool_fail_memory();
    }
    RBL_TRY(make_all(demo));
    progress_stage("contact sheet", 0.99);
    return save_sheet(demo);
}

static void print_table(const Demo* demo)
{
    printf("%-12s %9s  %-6s %5s  %9s  %9s\n", "solid", "triangles", "closed", "genus", "litres", "kg stone");
    for (uint32_t i = 0; i < demo->count; ++i)
    {
        print_row(&demo->rows[i]);
    }
    printf("Written to %s/*.glb, all of them in one picture: %s/solids.png\n", demo->folder, demo->folder);
}

static int demo_run(const Parsed* parsed)
{
    Demo demo = {.folder = parsed->argument_count > 0 ? parsed->arguments[0] : "out"};
    if (mkdir(demo.folder, 0777) != 0 && errno != EEXIST)
    {
        return tool_fail("%s: cannot make the folder: %s", demo.folder, strerror(errno));
    }
    demo.samples = options_count(parsed, "samples", rbl_default_picture_def().samples);
    demo.kinds = rbl_solid_kinds(&demo.count);
    demo.rows = calloc(demo.count, sizeof(Row));
    demo.cells = calloc(demo.count * CELL_BYTES, sizeof(uint8_t));
    progress_start("demo", demo.count, "solids", !options_given(parsed, "quiet"));
    const rblResult result = run(&demo);
    progress_stop();
    if (result == RBL_OK)
    {
        print_table(&demo);
    }
    free(demo.rows);
    free(demo.cells);
    return result == RBL_OK ? TOOL_DONE : tool_fail_last();
}

static const Argument demo_arguments[] = {
    {"FOLDER", ARGUMENT_FOLDER, true, "the folder to write, created if necessary; default: out"}};
static const Option demo_options[] = {
    ONE_COUNT("samples", 1, RBL_PICTURE_MAX_SAMPLES, "16", "samples a pixel of the contact sheet"),
};
static const char* const demo_examples[] = {"rubble demo", "rubble demo /tmp/solids", NULL};

const Command demo_command = {
    .name = "demo",
    .summary = "make every procedural solid: GLB files, a table, and a picture of all",
    .details = "Writes one GLB file per kind of solid and a contact sheet of all of them, solids.png, and "
               "prints a table: triangles, whether it is a proper solid (closed, manifold, outward, no "
               "self-intersections), genus, volume, and its mass in stone of 2600 kg/m^3.",
    .arguments = demo_arguments,
    .argument_count = OPTIONS_COUNT_OF(demo_arguments),
    .options = demo_options,
    .option_count = OPTIONS_COUNT_OF(demo_options),
    .examples = demo_examples,
    .run = demo_run};
