// rubble demo: every procedural solid, written as GLB, with a table of what it is and weighs.
#include "print.h"
#include "progress.h"
#include "tool.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define STONE_DENSITY 2600.0 // kg/m^3, granite

static rblResult save_solid(rblMeshId mesh, const char* folder, const char* kind)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.glb", folder, kind);
    if (length < 0 || (size_t)length >= sizeof path)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: the path is too long", folder);
    }
    return rbl_mesh_save(mesh, path, NULL);
}

typedef struct Row
{
    const char* kind;
    rblMeshReport report;
    rblMassProperties mass;
} Row;

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

static rblResult make_all(const char* folder, const rblSolidKind* kinds, uint32_t count, Row* rows)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        progress_stage(kinds[i].name, (double)i / (double)count);
        rows[i].kind = kinds[i].name;
        rblMeshId mesh;
        RBL_TRY(rbl_mesh_make(kinds[i].name, NULL, 0, &mesh));
        const rblResult result = fill_row(mesh, folder, &rows[i]);
        rbl_mesh_destroy(mesh);
        RBL_TRY(result);
    }
    return RBL_OK;
}

int demo_run(const Parsed* parsed)
{
    const char* folder = parsed->argument_count > 0 ? parsed->arguments[0] : "out";
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    {
        return tool_fail("%s: cannot make the folder: %s", folder, strerror(errno));
    }
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    const rblAllocator* allocator = rbl_default_allocator();
    Row* rows = RBL_NEW_ARRAY(allocator, Row, count);
    progress_start("demo", count, "solids", !options_given(parsed, "quiet"));
    const rblResult result = rows != NULL ? make_all(folder, kinds, count, rows) : rbl_fail_memory();
    progress_stop();
    if (result == RBL_OK)
    {
        printf("%-12s %9s  %-6s %5s  %9s  %9s\n", "solid", "triangles", "closed", "genus", "litres",
               "kg stone");
        for (uint32_t i = 0; i < count; ++i)
        {
            print_row(&rows[i]);
        }
        printf("Written to %s/*.glb\n", folder);
    }
    RBL_FREE_ARRAY(allocator, rows, count);
    return result == RBL_OK ? TOOL_DONE : tool_fail_last();
}
