// Meshes: looking at them, mending, measuring, extracting and simplifying them.
#include "bench/bench.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>

// A sphere with each face of the icosahedron split `frequency` times along its edges: 20 frequency^2 triangles.
static rblResult make_sphere(uint32_t frequency, rblMeshId* out)
{
    const double radius = 1.0;
    const double splits = frequency;
    const rblSolidValue values[] = {{"radius", &radius, 1}, {"frequency", &splits, 1}};
    return rbl_mesh_make("icosphere", values, 2, out);
}

typedef struct MeshWork
{
    rblMeshId mesh;
    bool self_intersections;
    uint32_t target_triangles;
    rblIsosurfaceDef isosurface;
} MeshWork;

static rblResult inspect(void* context)
{
    const MeshWork* work = context;
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = work->self_intersections;
    rblMeshReport report;
    RBL_TRY(rbl_mesh_inspect(work->mesh, &options, &report));
    if (!report.closed || !report.manifold || !report.outward || report.self_intersections.count != 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "the sphere was not found to be a solid");
    }
    return RBL_OK;
}

static rblResult repair(void* context)
{
    const MeshWork* work = context;
    rblRepairReport report;
    rblMeshId mended;
    RBL_TRY(rbl_mesh_repair(work->mesh, NULL, &mended, &report));
    rbl_mesh_destroy(mended);
    return report.solid ? RBL_OK
                        : rbl_fail(RBL_ERROR_GEOMETRY, "the sphere was not mended: %s", report.reason);
}

static rblResult weigh(void* context)
{
    const MeshWork* work = context;
    rblMassProperties mass;
    return rbl_mesh_mass_properties(work->mesh, 1.0, &mass);
}

static rblResult simplify(void* context)
{
    const MeshWork* work = context;
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.target_triangles = work->target_triangles;
    rblMeshId simple;
    RBL_TRY(rbl_mesh_simplify(work->mesh, &options, &simple, NULL));
    return rbl_mesh_destroy(simple);
}

static double sphere_field(rblVec3d p, void* context)
{
    (void)context;
    return sqrt(p.x * p.x + p.y * p.y + p.z * p.z) - 0.8;
}

static rblResult extract(void* context)
{
    const MeshWork* work = context;
    rblMeshId surface;
    RBL_TRY(rbl_mesh_isosurface(&work->isosurface, &surface));
    return rbl_mesh_destroy(surface);
}

static rblResult time_row(rblBench* bench, rblBenchWorkFcn* work_fcn, MeshWork* work, const char* subject,
                          const char* metric)
{
    double seconds;
    char stage[64];
    snprintf(stage, sizeof stage, "%s, %s", metric, subject);
    rbl_bench_stage(bench, stage);
    RBL_TRY(rbl_bench_best(bench, work_fcn, work, &seconds));
    rbl_bench_row(bench,
                  &(rblBenchRow){.subject = subject, .metric = metric, .value = 1e3 * seconds, .unit = "ms"});
    return RBL_OK;
}

static rblResult measure_small(rblBench* bench, MeshWork* work)
{
    const char* subject = "sphere 100k";
    RBL_TRY(time_row(bench, inspect, work, subject, "inspect topology"));
    work->self_intersections = true;
    RBL_TRY(time_row(bench, inspect, work, subject, "inspect with self-intersections"));
    work->self_intersections = false;
    RBL_TRY(time_row(bench, repair, work, subject, "repair"));
    work->target_triangles = rbl_bench_size(bench, 10000, 32);
    return time_row(bench, simplify, work, subject, "simplify to 10k");
}

static rblResult measure_large(rblBench* bench, MeshWork* work)
{
    RBL_TRY(time_row(bench, inspect, work, "sphere 1M", "inspect topology"));
    return time_row(bench, weigh, work, "sphere 1M", "mass properties");
}

// The spheres of TARGETS: 100 820 and 1 003 520 triangles.
static rblResult measure_spheres(rblBench* bench)
{
    static rblResult (*const measures[2])(rblBench*, MeshWork*) = {measure_small, measure_large};
    const uint32_t frequencies[2] = {rbl_bench_size(bench, 71, 3), rbl_bench_size(bench, 224, 4)};
    for (uint32_t i = 0; i < 2; ++i)
    {
        MeshWork work = {.self_intersections = false};
        rbl_bench_stage(bench, "making a sphere");
        RBL_TRY(make_sphere(frequencies[i], &work.mesh));
        const rblResult result = measures[i](bench, &work);
        rbl_mesh_destroy(work.mesh);
        RBL_TRY(result);
    }
    return RBL_OK;
}

static rblResult measure_isosurface(rblBench* bench, rblIsosurfaceMethod method, const char* metric)
{
    const uint32_t cells = rbl_bench_size(bench, 128, 8);
    MeshWork work = {.isosurface = rbl_default_isosurface_def()};
    work.isosurface.bounds = (rblAabbd){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    work.isosurface.method = method;
    work.isosurface.field = sphere_field;
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        work.isosurface.cells[axis] = cells;
    }
    double seconds;
    rbl_bench_stage(bench, metric);
    RBL_TRY(rbl_bench_best(bench, extract, &work, &seconds));
    rbl_bench_row(bench, &(rblBenchRow){.subject = "isosurface of a sphere, 128^3 cells",
                                        .metric = metric,
                                        .value = 1e9 * seconds / ((double)cells * cells * cells),
                                        .unit = "ns/cell"});
    return RBL_OK;
}

rblResult rbl_bench_mesh(rblBench* bench)
{
    RBL_TRY(measure_spheres(bench));
    RBL_TRY(measure_isosurface(bench, RBL_DUAL_CONTOURING, "dual contouring"));
    return measure_isosurface(bench, RBL_SURFACE_NETS, "surface nets");
}
