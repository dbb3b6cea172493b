// The result of a repair: solid, or the reason why not and what to do.
#include "base/error.h"
#include "mesh/inspect.h"
#include "mesh/repair/repair.h"
#include "mesh/self_intersection.h"
#include <stdarg.h>
#include <stdio.h>

static void give_reason(rblRepairReport* report, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

static void give_reason(rblRepairReport* report, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->reason, sizeof report->reason, format, arguments);
    va_end(arguments);
}

static const char* plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

// Search for intersecting faces. Surfaces that only touch at vertices of equal position, as they do after they were
// separated there, do not count.
static rblResult find_intersections(const rblMeshView* mesh, const rblAllocator* allocator,
                                    rblMeshReport* after)
{
    rblIntersectionArray pairs;
    rbl_array_init(&pairs, allocator);
    const rblResult result = rbl_self_intersections(mesh, NULL, &pairs);
    if (result == RBL_OK)
    {
        after->self_intersections.count = (uint32_t)pairs.count;
        for (size_t i = 0; i < pairs.count && i < RBL_EXAMPLE_COUNT; ++i)
        {
            after->self_intersections.examples[i] = pairs.data[i].faces[0];
            after->intersecting_faces[i][0] = pairs.data[i].faces[0];
            after->intersecting_faces[i][1] = pairs.data[i].faces[1];
        }
    }
    rbl_array_free(&pairs);
    return result;
}

static void explain_open(const rblRepair* r, rblRepairReport* report)
{
    const rblOpenLoops* loops = &r->open_loops;
    const uint32_t most = r->options.max_hole_edges;
    if (loops->count == 0)
    {
        const uint32_t edges = report->after.boundary_edges.count;
        give_reason(report, "%u edge%s of one face only could not be closed; try remesh_cells", edges,
                    plural(edges));
    }
    else if (most == 0)
    {
        give_reason(report, "%u boundary loop%s left open because max_hole_edges is 0", loops->count,
                    loops->count == 1 ? " is" : "s are");
    }
    else if (loops->count == 1)
    {
        give_reason(report, "1 boundary loop of %u edges is longer than max_hole_edges %u", loops->lengths[0],
                    most);
    }
    else if (loops->count == 2)
    {
        give_reason(report, "2 boundary loops of %u and %u edges are longer than max_hole_edges %u",
                    loops->lengths[0], loops->lengths[1], most);
    }
    else
    {
        give_reason(report, "%u boundary loops, of %u, %u and more edges, are longer than max_hole_edges %u",
                    loops->count, loops->lengths[0], loops->lengths[1], most);
    }
}

// The most severe defect as text; false when there is none.
static bool explain(const rblRepair* r, rblRepairReport* report)
{
    const rblMeshReport* after = &report->after;
    const uint32_t intersections = after->self_intersections.count;
    const uint32_t edges = after->non_manifold_edges.count;
    const uint32_t vertices = after->non_manifold_vertices.count;
    if (r->unorientable > 0 && !after->oriented)
    {
        give_reason(report, "%u component%s one-sided like a Moebius strip: %s no inside", r->unorientable,
                    r->unorientable == 1 ? " is" : "s are", r->unorientable == 1 ? "it has" : "they have");
    }
    else if (!after->closed)
    {
        explain_open(r, report);
    }
    else if (!after->manifold)
    {
        give_reason(
            report,
            "%u edge%s of three or more faces and %u vert%s of several sheets remain; try remesh_cells",
            edges, plural(edges), vertices, vertices == 1 ? "ex" : "ices");
    }
    else if (after->degenerate_faces.count + after->duplicate_faces.count > 0)
    {
        give_reason(report, "%u face%s without area and %u given twice remain; try remesh_cells",
                    after->degenerate_faces.count, plural(after->degenerate_faces.count),
                    after->duplicate_faces.count);
    }
    else if (intersections > 0)
    {
        give_reason(report, "%s%u pair%s of faces intersect%s, such as %u and %u; try %sremesh_cells",
                    intersections >= RBL_MAX_INTERSECTIONS ? "more than " : "", intersections,
                    plural(intersections), intersections == 1 ? "s" : "", after->intersecting_faces[0][0],
                    after->intersecting_faces[0][1], report->remeshed ? "more " : "");
    }
    else if (!after->oriented || !after->outward || !(after->volume > 0))
    {
        give_reason(report, "the surface encloses no positive volume");
    }
    else
    {
        return false;
    }
    return true;
}

void rbl_repair_judge(const rblRepair* r)
{
    r->report->reason[0] = '\0';
    r->report->solid = !explain(r, r->report);
}

static rblResult inspect_quickly(const rblMeshView* mesh, rblMeshReport* after)
{
    rblInspectOptions quick = rbl_default_inspect_options();
    quick.self_intersections = false;
    return rbl_inspect_view(mesh, &quick, after);
}

rblResult rbl_repair_inspect(const rblMeshView* mesh, const rblAllocator* allocator, rblMeshReport* after)
{
    RBL_TRY(inspect_quickly(mesh, after));
    return find_intersections(mesh, allocator, after);
}

rblResult rbl_repair_examine(const rblMeshView* mesh, const rblAllocator* allocator, rblMeshReport* after,
                             bool* clean)
{
    RBL_TRY(inspect_quickly(mesh, after));
    *clean = after->closed && after->manifold && after->oriented && after->isolated_vertices.count == 0 &&
             after->degenerate_faces.count == 0 && after->duplicate_faces.count == 0;
    return *clean ? find_intersections(mesh, allocator, after) : RBL_OK;
}
