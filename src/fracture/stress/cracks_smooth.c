// Smoothing of a crack: a front follows the noise of the stress, and tetrahedra that are reached from different sides have slightly
// different planes. Normals at nodes are averaged first; then values are fitted to the normals: along an edge
// from j to i a function whose gradient is n grows by n . (x_i - x_j).
#include "fracture/stress/cracks_private.h"
#include <math.h>

#define NORMAL_SWEEPS 6 // averages of normals; even, as the result must be in the first buffer
#define VALUE_SWEEPS  8 // averages of values; even, too

static bool add_to_band(rblCrackGrowth* growth, const rblCrack* crack, uint32_t node, double value,
                        rblCrackNormal normal)
{
    growth->marks[node].known = crack->stamp;
    growth->nodes[node].value = value;
    growth->marks[node].place = (uint32_t)growth->band.count;
    growth->normals[growth->band.count] = normal;
    return rbl_array_push(&growth->band, node);
}

// Neighbouring nodes get values, too, so that the crack can move a little without holes.
static bool add_ring(rblCrackGrowth* growth, const rblCrack* crack)
{
    const rblTetGraph* graph = growth->body->graph;
    const size_t count = growth->band.count;
    for (size_t n = 0; n < count; ++n)
    {
        const uint32_t node = growth->band.data[n];
        const rblCrackNormal normal = growth->normals[n];
        const rblVec3d along = {normal.v[0], normal.v[1], normal.v[2]};
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            if (growth->marks[next].known == crack->stamp || growth->marks[next].label != crack->label)
            {
                continue;
            }
            const rblVec3d way = rbl_sub3d(growth->nodes[next].position, growth->nodes[node].position);
            if (!add_to_band(growth, crack, next, growth->nodes[node].value + rbl_dot3d(along, way), normal))
            {
                return false;
            }
        }
    }
    return true;
}

// Links between nodes of the band.
static bool link_band(rblCrackGrowth* growth, const rblCrack* crack)
{
    const rblTetGraph* graph = growth->body->graph;
    rbl_array_clear(&growth->band_starts);
    rbl_array_clear(&growth->band_links);
    bool ok = true;
    for (size_t n = 0; n < growth->band.count && ok; ++n)
    {
        const uint32_t node = growth->band.data[n];
        ok = rbl_array_push(&growth->band_starts, (uint32_t)growth->band_links.count);
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1] && ok; ++k)
        {
            const uint32_t next = graph->nodes[k];
            ok = growth->marks[next].known != crack->stamp ||
                 rbl_array_push(&growth->band_links, growth->marks[next].place);
        }
    }
    return ok && rbl_array_push(&growth->band_starts, (uint32_t)growth->band_links.count);
}

static void average_normals(const rblCrackGrowth* growth, const rblCrackNormal* from, rblCrackNormal* to)
{
    const uint32_t* starts = growth->band_starts.data;
    const uint32_t* links = growth->band_links.data;
    for (size_t n = 0; n < growth->band.count; ++n)
    {
        rblCrackNormal sum = from[n];
        for (uint32_t k = starts[n]; k < starts[n + 1]; ++k)
        {
            const rblCrackNormal* other = &from[links[k]];
            sum.v[0] += other->v[0];
            sum.v[1] += other->v[1];
            sum.v[2] += other->v[2];
            sum.v[3] += other->v[3];
        }
        const rblVec3d before = {from[n].v[0], from[n].v[1], from[n].v[2]};
        to[n] = rbl_crack_normal(rbl_crack_direction(&sum, before));
    }
}

// The difference of a node's value to the values of its neighbours by the normals: (n_i + n_j) / 2 . (x_i - x_j) on the mean.
static void find_rises(const rblCrackGrowth* growth, const rblCrackNormal* normals, const rblVec3d* positions,
                       double* rises)
{
    const uint32_t* starts = growth->band_starts.data;
    for (size_t n = 0; n < growth->band.count; ++n)
    {
        const rblVec3d at = positions[n], own = {normals[n].v[0], normals[n].v[1], normals[n].v[2]};
        double sum = 0.0;
        for (uint32_t k = starts[n]; k < starts[n + 1]; ++k)
        {
            const uint32_t next = growth->band_links.data[k];
            const rblVec3d way = rbl_sub3d(at, positions[next]);
            const rblVec3d other = {normals[next].v[0], normals[next].v[1], normals[next].v[2]};
            sum += 0.5 * rbl_dot3d(rbl_add3d(own, other), way);
        }
        rises[n] = sum;
    }
}

static void average_values(const rblCrackGrowth* growth, const double* rises, const double* from, double* to)
{
    const uint32_t* starts = growth->band_starts.data;
    const uint32_t* links = growth->band_links.data;
    for (size_t n = 0; n < growth->band.count; ++n)
    {
        double sum = rises[n];
        for (uint32_t k = starts[n]; k < starts[n + 1]; ++k)
        {
            sum += from[links[k]];
        }
        const uint32_t count = starts[n + 1] - starts[n];
        to[n] = count > 0 ? 0.5 * (from[n] + sum / count) : from[n];
    }
}

typedef struct BandBuffers
{
    rblCrackNormal* normals[2];
    rblVec3d* positions;
    double* values[2];
    double* rises;
} BandBuffers;

static bool allocate_buffers(rblCrackGrowth* growth, BandBuffers* buffers)
{
    const size_t count = growth->band.count;
    buffers->normals[0] = growth->normals;
    buffers->normals[1] = RBL_ARENA_ARRAY(&growth->arena, rblCrackNormal, count);
    buffers->positions = RBL_ARENA_ARRAY(&growth->arena, rblVec3d, count);
    buffers->values[0] = RBL_ARENA_ARRAY(&growth->arena, double, count);
    buffers->values[1] = RBL_ARENA_ARRAY(&growth->arena, double, count);
    buffers->rises = RBL_ARENA_ARRAY(&growth->arena, double, count);
    return buffers->normals[1] != NULL && buffers->positions != NULL && buffers->values[0] != NULL &&
           buffers->values[1] != NULL && buffers->rises != NULL;
}

// The number of sweeps is even: the result is in the first buffer.
static void even_out(rblCrackGrowth* growth, const BandBuffers* buffers)
{
    for (size_t n = 0; n < growth->band.count; ++n)
    {
        buffers->positions[n] = growth->nodes[growth->band.data[n]].position;
        buffers->values[0][n] = growth->nodes[growth->band.data[n]].value;
    }
    for (uint32_t sweep = 0; sweep < NORMAL_SWEEPS; ++sweep)
    {
        average_normals(growth, buffers->normals[sweep % 2], buffers->normals[1 - sweep % 2]);
    }
    find_rises(growth, buffers->normals[0], buffers->positions, buffers->rises);
    for (uint32_t sweep = 0; sweep < VALUE_SWEEPS; ++sweep)
    {
        average_values(growth, buffers->rises, buffers->values[sweep % 2], buffers->values[1 - sweep % 2]);
    }
    for (size_t n = 0; n < growth->band.count; ++n)
    {
        const uint32_t node = growth->band.data[n];
        const double least = RBL_MIN_CRACK_VALUE * growth->stuff[node].edge;
        const double value = buffers->values[0][n];
        growth->nodes[node].value = fabs(value) >= least ? value : value < 0.0 ? -least : least;
    }
}

bool rbl_crack_smooth(rblCrackGrowth* growth, const rblCrack* crack)
{
    if (growth->band.count == 0)
    {
        return true; // it stalled before it began
    }
    const rblArenaMark mark = rbl_arena_mark(&growth->arena);
    BandBuffers buffers;
    const bool ok = add_ring(growth, crack) && link_band(growth, crack) && allocate_buffers(growth, &buffers);
    if (ok)
    {
        even_out(growth, &buffers);
    }
    rbl_arena_rewind(&growth->arena, mark);
    return ok;
}
