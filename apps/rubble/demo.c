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

static rblResult print_row(rblMeshId mesh, const char* kind)
{
    rblMeshReport report;
    rblMassProperties mass;
    RBL_TRY(rbl_mesh_inspect(mesh, NULL, &report));
    RBL_TRY(rbl_mesh_mass_properties(mesh, STONE_DENSITY, &mass));
    char volume[RBL_NUMBER_SIZE];
    char kilograms[RBL_NUMBER_SIZE];
    print_number(1e3 * mass.volume, 4, volume);
    print_number(mass.mass, 4, kilograms);
    const bool solid =
        report.closed && report.manifold && report.outward && report.self_intersections.count == 0;
    printf("%-12s %9u  %-6s %5d  %9s  %9s\n", kind, report.triangles, solid ? "yes" : "NO", report.genus,
           volume, kilograms);
    return RBL_OK;
}

static rblResult show_solid(const char* folder, const char* kind)
{
    rblMeshId mesh;
    RBL_TRY(rbl_mesh_make(kind, NULL, 0, &mesh));
    rblResult result = save_solid(mesh, folder, kind);
    if (result == RBL_OK)
    {
        result = print_row(mesh, kind);
    }
    rbl_mesh_destroy(mesh);
    return result;
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
    printf("%-12s %9s  %-6s %5s  %9s  %9s\n", "solid", "triangles", "closed", "genus", "litres", "kg stone");
    for (uint32_t i = 0; i < count; ++i)
    {
        progress_start("demo", 0.0, NULL, !options_given(parsed, "quiet"));
        progress_stage(kinds[i].name, (double)i / (double)count);
        const rblResult result = show_solid(folder, kinds[i].name);
        progress_stop();
        if (result != RBL_OK)
        {
            return tool_fail_last();
        }
    }
    printf("Written to %s/*.glb\n", folder);
    return TOOL_DONE;
}
