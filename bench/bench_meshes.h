// Inputs of the benches of the triangle hierarchy: made, or loaded and cut into parts. The same floats in every run and
// on every machine.
#ifndef RBL_BENCH_BENCH_MESHES_H
#define RBL_BENCH_BENCH_MESHES_H

#include "base/memory.h"
#include "bench/bench.h"
#include "rubble/bvh.h"

// Memory of rbl_default_allocator().
typedef struct rblBenchMesh
{
    rblVec3* positions;
    uint32_t vertex_count;
    uint32_t* indices; // 3 * triangle_count
    uint32_t triangle_count;
} rblBenchMesh;

// Arrays for a mesh; their content is undefined.
rblResult rbl_bench_mesh_create(uint32_t vertices, uint32_t triangles, rblBenchMesh* out);
void rbl_bench_mesh_free(rblBenchMesh* mesh);
rblTriangleSpan rbl_bench_mesh_span(const rblBenchMesh* mesh);

// The frequencies of the noisy spheres of docs/benchmarks.md: 9 680, 100 820, 1 003 520 and 3 996 180 triangles.
#define RBL_BENCH_SPHERE_10K  22
#define RBL_BENCH_SPHERE_100K 71
#define RBL_BENCH_SPHERE_1M   224
#define RBL_BENCH_SPHERE_4M   447

// An icosahedron with each face split `frequency` times along its edges (20 frequency^2 triangles, vertices shared),
// its radius of about 1 disturbed by smooth value noise, about `center`. `seed` chooses the noise.
rblResult rbl_bench_make_sphere(uint32_t frequency, uint64_t seed, rblVec3 center, rblBenchMesh* out);

// A square sheet of cells x cells quads, two triangles each, crumpled so that it runs through itself in many places.
rblResult rbl_bench_make_sheet(uint32_t cells, rblBenchMesh* out);

// A closed ring with exactly 2^power triangles (power at least 5), its tube disturbed by smooth value noise. One more
// level of refinement doubles the quads around or along the tube.
rblResult rbl_bench_make_ring(uint32_t power, rblBenchMesh* out);

// A ball of hair: `strands` thin tubes from the middle outwards, each bent by noise, with three sides and `segments`
// segments (6 * strands * segments triangles). Long thin triangles everywhere, and leaves that overlap.
rblResult rbl_bench_make_hair(uint32_t strands, uint32_t segments, rblBenchMesh* out);

// `name` below rbl_bench_models(), triangulated, positions rounded to floats. When it cannot be read a note says so,
// and false comes back; `*out` is then empty.
bool rbl_bench_load_model(rblBench* bench, const char* name, rblBenchMesh* out);

// The same triangles in random order: what a mesh looks like whose file was not sorted. Vertices stay.
void rbl_bench_shuffle_triangles(rblBenchMesh* mesh, uint64_t seed);

void rbl_bench_mesh_move(rblBenchMesh* mesh, rblVec3 offset);
rblAabb rbl_bench_mesh_bounds(const rblBenchMesh* mesh);

// Several meshes in shared arrays.
typedef struct rblBenchScene
{
    rblBenchMesh all; // vertices and triangles of part 0, then of part 1, ...; indices count within a part
    rblTriangleSpan* spans; // one per part
    uint32_t count;
} rblBenchScene;

void rbl_bench_scene_free(rblBenchScene* scene);

// Cut a mesh into its connected parts (triangles that share vertices), in the order of their first triangles.
rblResult rbl_bench_split(const rblBenchMesh* mesh, rblBenchScene* out);

// Balls of 500 triangles, thrown into a box so that some touch: what n-body looks like.
rblResult rbl_bench_make_balls(uint32_t count, rblBenchScene* out);

#endif
