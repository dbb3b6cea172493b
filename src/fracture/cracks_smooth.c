// Evening out: a front that goes from tetrahedron to tetrahedron follows every bump of the stress, and tetrahedra that are reached from
// different sides disagree a little. Normals at nodes are averaged first; then values are made to agree with them: along an edge
// from j to i a function whose gradient is n grows by n . (x_i - x_j).
#include "fracture/cracks_private.h"
#include <math.h>

#define NORMAL_SWEEPS 6
#define VALUE_SWEEPS  8

// Nodes around get values too, so that the crack can move a little and stays whole.
static bool add_ring(rblCrackGrowth* growth, const rblCrack* crack)
{
    const rblTetGraph* graph = growth->body->graph;
    const rblVec3d* positions = growth->body->tets->positions;
    const size_t count = growth->cut_nodes.count;
    for (size_t n = 0; n < count; ++n)
    {
        const uint32_t node = growth->cut_nodes.data[n];
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            if (growth->known[next] == crack->stamp || growth->labels[next] != crack->label)
            {
                continue;
            }
            const rblVec3d way = rbl_sub3d(positions[next], positions[node]);
            growth->known[next] = crack->stamp;
            growth->node_normals[next] = growth->node_normals[node];
            growth->values[next] = growth->values[node] + rbl_dot3d(growth->node_normals[node], way);
            if (!rbl_array_push(&growth->cut_nodes, next))
            {
                return false;
            }
        }
    }
    return true;
}

static bool is_ours(const rblCrackGrowth* growth, const rblCrack* crack, uint32_t node)
{
    return growth->known[node] == crack->stamp && growth->labels[node] == crack->label;
}

static void average_normals(rblCrackGrowth* growth, const rblCrack* crack, rblVec3d* room)
{
    const rblTetGraph* graph = growth->body->graph;
    for (size_t n = 0; n < growth->cut_nodes.count; ++n)
    {
        const uint32_t node = growth->cut_nodes.data[n];
        rblVec3d sum = growth->node_normals[node];
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            sum = is_ours(growth, crack, next) ? rbl_add3d(sum, growth->node_normals[next]) : sum;
        }
        room[n] = rbl_normalize3d(sum, growth->node_normals[node]);
    }
    for (size_t n = 0; n < growth->cut_nodes.count; ++n)
    {
        growth->node_normals[growth->cut_nodes.data[n]] = room[n];
    }
}

static void average_values(rblCrackGrowth* growth, const rblCrack* crack, double* room)
{
    const rblTetGraph* graph = growth->body->graph;
    const rblVec3d* positions = growth->body->tets->positions;
    for (size_t n = 0; n < growth->cut_nodes.count; ++n)
    {
        const uint32_t node = growth->cut_nodes.data[n];
        double sum = 0.0, count = 0.0;
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            if (is_ours(growth, crack, next))
            {
                const rblVec3d way = rbl_sub3d(positions[node], positions[next]);
                const rblVec3d both = rbl_add3d(growth->node_normals[node], growth->node_normals[next]);
                sum += growth->values[next] + 0.5 * rbl_dot3d(both, way);
                count += 1.0;
            }
        }
        room[n] = count > 0.0 ? 0.5 * (growth->values[node] + sum / count) : growth->values[node];
    }
    for (size_t n = 0; n < growth->cut_nodes.count; ++n)
    {
        growth->values[growth->cut_nodes.data[n]] = room[n];
    }
}

bool rbl_crack_smooth(rblCrackGrowth* growth, const rblCrack* crack)
{
    if (growth->cut_nodes.count == 0 || !add_ring(growth, crack))
    {
        return growth->cut_nodes.count == 0; // it stalled before it began
    }
    const rblArenaMark mark = rbl_arena_mark(&growth->arena);
    rblVec3d* normals = RBL_ARENA_ARRAY(&growth->arena, rblVec3d, growth->cut_nodes.count);
    double* values = RBL_ARENA_ARRAY(&growth->arena, double, growth->cut_nodes.count);
    const bool ok = normals != NULL && values != NULL;
    for (int sweep = 0; ok && sweep < NORMAL_SWEEPS; ++sweep)
    {
        average_normals(growth, crack, normals);
    }
    for (int sweep = 0; ok && sweep < VALUE_SWEEPS; ++sweep)
    {
        average_values(growth, crack, values);
    }
    for (size_t n = 0; ok && n < growth->cut_nodes.count; ++n)
    {
        const uint32_t node = growth->cut_nodes.data[n];
        const double least =
            RBL_LEAST_CRACK_VALUE * rbl_mean_edge(growth->body->graph, growth->body->tets->positions, node);
        const double value = growth->values[node];
        growth->values[node] = fabs(value) >= least ? value : value < 0.0 ? -least : least;
    }
    rbl_arena_rewind(&growth->arena, mark);
    return ok;
}
