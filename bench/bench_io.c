// Reading and writing a mesh of a million triangles in every format, beside Assimp reading the very same files.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "bench/bench.h"
#include "bench/peer.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/vec.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Case
{
    const char* name;
    const char* file;
    int text;
    bool attributes; // with the UVs and normals of the sphere
} Case;

static const Case cases[] = {
    {"OBJ", "plain.obj", 0, false},         {"OBJ with UVs and normals", "full.obj", 0, true},
    {"PLY binary", "binary.ply", 0, false}, {"PLY text", "text.ply", 1, false},
    {"STL binary", "binary.stl", 0, false}, {"STL text", "text.stl", 1, false},
    {"OFF", "plain.off", 0, false},
};

typedef struct Work
{
    rblMeshId plain; // positions and triangles
    rblMeshId full;  // with UVs and normals
    uint32_t triangles;
    char folder[256];
    char path[512];
    const Case* current;
} Work;

// ---- the mesh: a sphere with a random radius at every vertex, so that no coordinate is short ----

static rblResult make_plain(rblMeshId sphere, rblMeshId* out)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(sphere, &view));
    const rblAllocator* allocator = rbl_default_allocator();
    rblVec3d* positions = RBL_NEW_ARRAY(allocator, rblVec3d, view.vertex_count);
    if (positions == NULL)
    {
        return rbl_fail_memory();
    }
    rblRandom random = rbl_random_seed(1, 0);
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        positions[v] = rbl_scale3d(view.positions[v], rbl_random_range(&random, 0.99, 1.01));
    }
    const uint32_t vertex_count = view.vertex_count;
    view.positions = positions;
    view.layer_count = 0;
    const rblResult result = rbl_mesh_create(&view, out);
    RBL_FREE_ARRAY(allocator, positions, vertex_count);
    return result;
}

static rblResult make_meshes(rblBench* bench, Work* work)
{
    const double frequency = rbl_bench_size(bench, 224, 4); // 20 * 224^2 triangles are 1 003 520
    const rblSolidValue value = {.name = "frequency", .values = &frequency, .count = 1};
    RBL_TRY(rbl_mesh_make("icosphere", &value, 1, &work->full));
    const rblResult result = make_plain(work->full, &work->plain);
    if (result != RBL_OK)
    {
        rbl_mesh_destroy(work->full);
        return result;
    }
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(work->plain, &view));
    work->triangles = view.face_count;
    return RBL_OK;
}

// ---- what is timed ----

static rblResult write_file(void* context)
{
    const Work* work = context;
    rblSaveOptions options = rbl_default_save_options();
    options.text = work->current->text;
    return rbl_mesh_save(work->current->attributes ? work->full : work->plain, work->path, &options);
}

static rblResult read_file(void* context)
{
    const Work* work = context;
    rblMeshId id;
    RBL_TRY(rbl_mesh_load(work->path, NULL, &id));
    return rbl_mesh_destroy(id);
}

static double megabytes(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0 ? 1e-6 * (double)status.st_size : 0.0;
}

static void report(rblBench* bench, const Work* work, const char* metric, double rate,
                   const rblPeerTime* peer, double peer_rate)
{
    char subject[96];
    snprintf(subject, sizeof subject, "%s, %u triangles", work->current->name, work->triangles);
    rbl_bench_row(bench, &(rblBenchRow){.subject = subject,
                                        .metric = metric,
                                        .value = rate,
                                        .unit = "MB/s",
                                        .peer = peer != NULL ? peer->name : NULL,
                                        .peer_value = peer_rate});
}

static rblResult measure(rblBench* bench, Work* work)
{
    char stage[96];
    double seconds;
    snprintf(work->path, sizeof work->path, "%s/%s", work->folder, work->current->file);
    snprintf(stage, sizeof stage, "writing %s", work->current->name);
    rbl_bench_stage(bench, stage);
    RBL_TRY(rbl_bench_best(bench, write_file, work, &seconds));
    const double size = megabytes(work->path);
    report(bench, work, "write", size / seconds, NULL, 0.0);

    snprintf(stage, sizeof stage, "reading %s", work->current->name);
    rbl_bench_stage(bench, stage);
    RBL_TRY(rbl_bench_best(bench, read_file, work, &seconds));
    snprintf(stage, sizeof stage, "reading %s with Assimp", work->current->name);
    rbl_bench_stage(bench, stage);
    const char* const arguments[] = {"assimp", work->path, rbl_bench_quick(bench) ? "1" : "5", NULL};
    rblPeerTime peer;
    const bool compared = rbl_bench_peer(bench, arguments, &peer);
    if (compared && peer.count - work->triangles != 0.0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "io: %s read a different number of triangles from %s", peer.name,
                        work->current->name);
    }
    report(bench, work, "read", size / seconds, compared ? &peer : NULL,
           compared ? 1e3 * size / peer.milliseconds : 0.0);
    return RBL_OK;
}

static rblResult measure_all(rblBench* bench, Work* work)
{
    const char* parent = getenv("TMPDIR");
    snprintf(work->folder, sizeof work->folder, "%s/rubble-bench-XXXXXX",
             parent != NULL && strlen(parent) < 200 && parent[0] != '\0' ? parent : "/tmp");
    if (mkdtemp(work->folder) == NULL)
    {
        return rbl_fail(RBL_ERROR_FILE,
                        "%s: cannot be made, set TMPDIR to a folder with 200 MB of free space", work->folder);
    }
    rblResult result = RBL_OK;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && result == RBL_OK; ++i)
    {
        work->current = &cases[i];
        result = measure(bench, work);
        remove(work->path);
    }
    rmdir(work->folder);
    return result;
}

rblResult rbl_bench_io(rblBench* bench)
{
    Work work = {0};
    rbl_bench_stage(bench, "making the mesh");
    RBL_TRY(make_meshes(bench, &work));
    const rblResult result = measure_all(bench, &work);
    rbl_mesh_destroy(work.plain);
    rbl_mesh_destroy(work.full);
    return result;
}
