// Meshes of tubes: a ring with a power of two of triangles, and a ball of hair.
#include "bench/bench_meshes.h"

#include "base/error.h"
#include "base/random.h"
#include "bench/bench_noise.h"
#include "math/trig.h"
#include "math/vec.h"
#include <math.h>

// ---- The ring ----

#define RING_NOISE 0.12 // of the radius of the tube

static rblVec3 ring_point(double along, double around)
{
    double sine[2];
    double cosine[2];
    rbl_sincos(2.0 * RBL_PI * along, &sine[0], &cosine[0]);
    rbl_sincos(2.0 * RBL_PI * around, &sine[1], &cosine[1]);
    const rblVec3d at = {4.0 * cosine[0] + cosine[1], 4.0 * sine[0] - cosine[1], 2.0 * sine[1]};
    const double tube = 0.4 * (1.0 + RING_NOISE * rbl_bench_noise(at, 3, 1));
    const double radius = 1.0 + tube * cosine[1];
    return rbl_vec3((float)(radius * cosine[0]), (float)(radius * sine[0]), (float)(tube * sine[1]));
}

// Two triangles for every quad of `columns` along and `rows` around. `wrap` closes the tube in its length.
static uint32_t* write_quads(uint32_t* next, uint32_t first, uint32_t columns, uint32_t rows, bool wrap)
{
    const uint32_t rings = wrap ? columns : columns + 1;
    for (uint32_t c = 0; c < columns; ++c)
    {
        for (uint32_t r = 0; r < rows; ++r)
        {
            const uint32_t here = first + c * rows;
            const uint32_t there = first + (c + 1) % rings * rows;
            const uint32_t up = (r + 1) % rows;
            const uint32_t quad[6] = {here + r, there + r, there + up, here + r, there + up, here + up};
            for (uint32_t k = 0; k < 6; ++k)
            {
                *next++ = quad[k];
            }
        }
    }
    return next;
}

rblResult rbl_bench_make_ring(uint32_t power, rblBenchMesh* out)
{
    const uint32_t rows = 1u << (power - 1) / 2;
    const uint32_t columns = (1u << (power - 1)) / rows;
    RBL_TRY(rbl_bench_mesh_create(rows * columns, 2 * rows * columns, out));
    for (uint32_t v = 0; v < out->vertex_count; ++v)
    {
        const double along = (double)(v / rows) / columns;
        const double around = (double)(v % rows) / rows;
        out->positions[v] = ring_point(along, around);
    }
    (void)write_quads(out->indices, 0, columns, rows, true);
    return RBL_OK;
}

// ---- Hair ----

#define HAIR_SIDES  3
#define HAIR_RADIUS 0.002 // of the ball's radius
#define HAIR_BEND   0.35  // how far noise moves the end of a strand, of the ball's radius

static rblVec3d random_direction(rblRandom* random)
{
    for (;;)
    {
        const rblVec3d p = {rbl_random_range(random, -1.0, 1.0), rbl_random_range(random, -1.0, 1.0),
                            rbl_random_range(random, -1.0, 1.0)};
        const double square = rbl_dot3d(p, p);
        if (square > 0.01 && square <= 1.0)
        {
            return rbl_scale3d(p, 1.0 / sqrt(square));
        }
    }
}

// The middle of a strand at `t` of its length, bent more and more by noise.
static rblVec3d strand_point(rblVec3d direction, double t, uint64_t seed)
{
    const rblVec3d at = rbl_scale3d(direction, 3.0 * t);
    const rblVec3d bend = {rbl_bench_noise(at, 2, seed), rbl_bench_noise(at, 2, seed + 1),
                           rbl_bench_noise(at, 2, seed + 2)};
    return rbl_add3d(rbl_scale3d(direction, t), rbl_scale3d(bend, HAIR_BEND * t));
}

static void write_strand(rblBenchMesh* mesh, uint32_t first, uint32_t segments, rblVec3d direction)
{
    // Two directions across the strand, the same along all of it.
    const rblVec3d other = fabs(direction.x) < 0.7 ? rbl_vec3d(1.0, 0.0, 0.0) : rbl_vec3d(0.0, 1.0, 0.0);
    const rblVec3d cross = rbl_cross3d(direction, other);
    const rblVec3d u = rbl_scale3d(cross, 1.0 / sqrt(rbl_dot3d(cross, cross)));
    const rblVec3d w = rbl_cross3d(direction, u);
    for (uint32_t i = 0; i <= segments; ++i)
    {
        const rblVec3d middle = strand_point(direction, (double)i / segments, 5);
        for (uint32_t k = 0; k < HAIR_SIDES; ++k)
        {
            double sine;
            double cosine;
            rbl_sincos(2.0 * RBL_PI * k / HAIR_SIDES, &sine, &cosine);
            const rblVec3d across =
                rbl_add3d(rbl_scale3d(u, HAIR_RADIUS * cosine), rbl_scale3d(w, HAIR_RADIUS * sine));
            mesh->positions[first + HAIR_SIDES * i + k] = rbl_to_float3(rbl_add3d(middle, across));
        }
    }
}

rblResult rbl_bench_make_hair(uint32_t strands, uint32_t segments, rblBenchMesh* out)
{
    const uint32_t vertices = HAIR_SIDES * (segments + 1);
    RBL_TRY(rbl_bench_mesh_create(strands * vertices, 2 * HAIR_SIDES * strands * segments, out));
    rblRandom random = rbl_random_seed(1, 3);
    uint32_t* next = out->indices;
    for (uint32_t s = 0; s < strands; ++s)
    {
        write_strand(out, s * vertices, segments, random_direction(&random));
        next = write_quads(next, s * vertices, segments, HAIR_SIDES, false);
    }
    return RBL_OK;
}
