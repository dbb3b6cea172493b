// What the order of leaves is worth: the surface area heuristic of our three builds beside trees with explicit nodes, on
// models and on meshes with one triangle far away (Chitalu 2020, Table 3.4 and Fig. 3.15-3.16).
#include "bench/bench_meshes.h"
#include "bench/plain_tree.h"

#include "base/error.h"
#include "bvh/bvh.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>

typedef enum TreeKind
{
    TREE_FAST,
    TREE_BALANCED,
    TREE_QUALITY,
    TREE_LBVH,
    TREE_BINNED,
    TREE_KINDS
} TreeKind;

static const char* const kind_names[TREE_KINDS] = {"fast", "balanced", "quality", "LBVH", "binned SAH"};

typedef struct TreeWork
{
    rblTriangleSpan span;
    TreeKind kind;
    rblForest forest;
    rblPlainTree plain;
} TreeWork;

static rblResult build(void* context)
{
    TreeWork* work = context;
    if (work->kind < TREE_LBVH)
    {
        return rbl_forest_build(&work->forest, &work->span, 1, (rblBvhQuality)work->kind, rbl_serial_jobs());
    }
    rbl_plain_tree_free(&work->plain);
    return (work->kind == TREE_LBVH ? rbl_lbvh_build : rbl_binned_build)(&work->span, &work->plain);
}

static rblResult check(const TreeWork* work, double* sah)
{
    if (work->kind < TREE_LBVH)
    {
        const rblBvh bvh = rbl_forest_tree(&work->forest, 0);
        *sah = rbl_tree_sah(&bvh);
        return rbl_tree_find_fault(&bvh, &work->span) == UINT32_MAX
                   ? RBL_OK
                   : rbl_fail(RBL_ERROR_GEOMETRY, "the %s tree is unsound", kind_names[work->kind]);
    }
    *sah = rbl_plain_tree_sah(&work->plain);
    return rbl_plain_tree_is_sound(&work->plain, &work->span)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_GEOMETRY, "the %s tree is unsound", kind_names[work->kind]);
}

// The heuristic of one kind of tree; its time too, when asked for.
static rblResult measure(rblBench* bench, const rblTriangleSpan* span, TreeKind kind, double* sah,
                         double* seconds)
{
    TreeWork work = {.span = *span, .kind = kind};
    rbl_forest_init(&work.forest, rbl_default_allocator());
    rblResult result = seconds != NULL ? rbl_bench_best(bench, build, &work, seconds) : build(&work);
    if (result == RBL_OK)
    {
        result = check(&work, sah);
    }
    rbl_plain_tree_free(&work.plain);
    rbl_forest_free(&work.forest);
    return result;
}

// ---- Table 3.4 ----

static rblResult measure_mesh(rblBench* bench, const char* name, const rblBenchMesh* mesh, double paper_ratio)
{
    const rblTriangleSpan span = rbl_bench_mesh_span(mesh);
    double sah[TREE_KINDS];
    double seconds[TREE_KINDS];
    char text[96];
    for (uint32_t k = 0; k < TREE_KINDS; ++k)
    {
        snprintf(text, sizeof text, "%s, %s", name, kind_names[k]);
        rbl_bench_stage(bench, text);
        RBL_TRY(measure(bench, &span, (TreeKind)k, &sah[k], &seconds[k]));
    }
    for (uint32_t k = 0; k < TREE_KINDS; ++k)
    {
        snprintf(text, sizeof text, "SAH, %s", kind_names[k]);
        rbl_bench_row(bench, &(rblBenchRow){.subject = name,
                                            .metric = text,
                                            .value = sah[k],
                                            .unit = "SAH",
                                            .peer = k != TREE_BINNED ? "binned SAH" : NULL,
                                            .peer_value = sah[TREE_BINNED]});
        snprintf(text, sizeof text, "build, %s, 1T", kind_names[k]);
        rbl_bench_row(bench, &(rblBenchRow){.subject = name,
                                            .metric = text,
                                            .value = 1e3 * seconds[k],
                                            .unit = "ms",
                                            .peer = k != TREE_BINNED ? "binned SAH" : NULL,
                                            .peer_value = 1e3 * seconds[TREE_BINNED]});
    }
    for (uint32_t k = 0; k < TREE_LBVH; ++k)
    {
        snprintf(text, sizeof text, "SAH over LBVH, %s", kind_names[k]);
        rbl_bench_row(bench, &(rblBenchRow){.subject = name,
                                            .metric = text,
                                            .value = sah[k] / sah[TREE_LBVH],
                                            .unit = "x",
                                            .paper = k == TREE_FAST ? paper_ratio : 0.0});
    }
    return RBL_OK;
}

typedef struct Model
{
    const char* file;
    const char* name;
    double paper_ratio; // SAH over LBVH where the paper has the model: its dragon has 873k triangles
} Model;

static const Model models[] = {
    {"bunny_75k.off", "bunny 75k", 0.0},         {"dragon_100k.obj", "dragon 100k", 2.6},
    {"armadillo_86k.obj", "armadillo 86k", 0.0}, {"unc/cloth_ball_93.ply", "cloth-ball 93", 0.0},
    {"unc/funnel_228.ply", "funnel 228", 0.0},   {"unc/nbody_18.ply", "n-body 18, one tree", 0.0},
};

static rblResult measure_models(rblBench* bench)
{
    const uint32_t count = rbl_bench_size(bench, (uint32_t)(sizeof models / sizeof models[0]), 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBenchMesh mesh;
        if (!rbl_bench_load_model(bench, models[i].file, &mesh))
        {
            continue;
        }
        const rblResult result = measure_mesh(bench, models[i].name, &mesh, models[i].paper_ratio);
        rbl_bench_mesh_free(&mesh);
        RBL_TRY(result);
    }
    return RBL_OK;
}

static rblResult measure_spheres(rblBench* bench)
{
    static const char* const names[2] = {"sphere 100k", "sphere 1M"};
    const uint32_t frequencies[2] = {rbl_bench_size(bench, RBL_BENCH_SPHERE_100K, 3),
                                     rbl_bench_size(bench, RBL_BENCH_SPHERE_1M, 4)};
    for (uint32_t i = 0; i < 2; ++i)
    {
        rblBenchMesh mesh;
        RBL_TRY(rbl_bench_make_sphere(frequencies[i], 1, (rblVec3){0.0f, 0.0f, 0.0f}, &mesh));
        const rblResult result = measure_mesh(bench, names[i], &mesh, 0.0);
        rbl_bench_mesh_free(&mesh);
        RBL_TRY(result);
    }
    return RBL_OK;
}

static rblResult measure_sheet(rblBench* bench)
{
    rblBenchMesh mesh;
    RBL_TRY(rbl_bench_make_sheet(rbl_bench_size(bench, 224, 4), &mesh));
    const rblResult result = measure_mesh(bench, "crumpled sheet 100k", &mesh, 0.0);
    rbl_bench_mesh_free(&mesh);
    return result;
}

// ---- Fig. 3.15 and 3.16 ----

// Three vertices of its own for the last triangle of a mesh without shared vertices.
typedef struct Moved
{
    rblVec3* corners; // three per triangle
    rblVec3 home[3];  // of the last triangle
    rblVec3 step;     // the mesh's diagonal along the triangle's normal
    rblTriangleSpan span;
} Moved;

static rblResult begin_moving(const rblBenchMesh* mesh, Moved* out)
{
    const uint32_t count = 3 * mesh->triangle_count;
    rblVec3* corners = RBL_NEW_ARRAY(rbl_default_allocator(), rblVec3, count);
    if (corners == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        corners[i] = mesh->positions[mesh->indices[i]];
    }
    const rblVec3* last = &corners[count - 3];
    const rblVec3 normal = rbl_cross3(rbl_sub3(last[1], last[0]), rbl_sub3(last[2], last[0]));
    const rblAabb bounds = rbl_bench_mesh_bounds(mesh);
    const float diagonal = rbl_length3(rbl_sub3(bounds.upper, bounds.lower));
    *out = (Moved){.corners = corners,
                   .home = {last[0], last[1], last[2]},
                   .step = rbl_scale3(normal, diagonal / rbl_length3(normal)),
                   .span = {.positions = corners,
                            .stride = sizeof *corners,
                            .vertex_count = count,
                            .triangle_count = mesh->triangle_count}};
    return RBL_OK;
}

static rblResult measure_offset(rblBench* bench, const char* name, Moved* moved, float diagonals)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        moved->corners[moved->span.vertex_count - 3 + k] =
            rbl_add3(moved->home[k], rbl_scale3(moved->step, diagonals));
    }
    char subject[96];
    snprintf(subject, sizeof subject, "%s, one triangle %g diagonals off", name, (double)diagonals);
    rbl_bench_stage(bench, subject);
    double sah[TREE_KINDS];
    for (uint32_t k = 0; k < TREE_KINDS; ++k)
    {
        RBL_TRY(measure(bench, &moved->span, (TreeKind)k, &sah[k], NULL));
    }
    for (uint32_t k = 0; k < TREE_KINDS; ++k)
    {
        char metric[64];
        snprintf(metric, sizeof metric, "SAH, %s", kind_names[k]);
        rbl_bench_row(bench, &(rblBenchRow){.subject = subject,
                                            .metric = metric,
                                            .value = sah[k],
                                            .unit = "SAH",
                                            .peer = k != TREE_LBVH ? "LBVH" : NULL,
                                            .peer_value = sah[TREE_LBVH]});
    }
    return RBL_OK;
}

static rblResult measure_outlier(rblBench* bench)
{
    static const float offsets[] = {0.0f, 1.0f, 2.0f, 5.0f, 10.0f};
    const char* name = "bunny 75k";
    rblBenchMesh mesh;
    if (!rbl_bench_load_model(bench, "bunny_75k.off", &mesh))
    {
        name = "sphere 100k";
        RBL_TRY(rbl_bench_make_sphere(rbl_bench_size(bench, RBL_BENCH_SPHERE_100K, 3), 1,
                                      (rblVec3){0.0f, 0.0f, 0.0f}, &mesh));
    }
    Moved moved = {0};
    rblResult result = begin_moving(&mesh, &moved);
    for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0] && result == RBL_OK; ++i)
    {
        result = measure_offset(bench, name, &moved, offsets[i]);
    }
    RBL_FREE_ARRAY(rbl_default_allocator(), moved.corners, moved.span.vertex_count);
    rbl_bench_mesh_free(&mesh);
    return result;
}

rblResult rbl_bench_bvh_quality(rblBench* bench)
{
    RBL_TRY(measure_models(bench));
    RBL_TRY(measure_spheres(bench));
    RBL_TRY(measure_sheet(bench));
    return measure_outlier(bench);
}
