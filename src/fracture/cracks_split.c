// What a crack separates, and how far around it stress is relieved.
#include "fracture/cracks_private.h"
#include <math.h>

static bool is_cut(const rblCrackGrowth* growth, const rblCrack* crack, uint32_t a, uint32_t b)
{
    return growth->known[a] == crack->stamp && growth->known[b] == crack->stamp &&
           (growth->values[a] > 0.0) != (growth->values[b] > 0.0);
}

// Nodes of the solid that hang together with `first` get its new label. Those to be labelled have `old`.
static bool fill_part(rblCrackGrowth* growth, const rblCrack* crack, uint32_t first, uint32_t* parts,
                      uint32_t part)
{
    const rblTetGraph* graph = growth->body->solid_graph;
    rbl_array_clear(&growth->queue);
    parts[first] = part;
    if (!rbl_array_push(&growth->queue, first))
    {
        return false;
    }
    for (size_t head = 0; head < growth->queue.count; ++head)
    {
        const uint32_t node = growth->queue.data[head];
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
        {
            const uint32_t next = graph->nodes[k];
            if (growth->labels[next] != crack->label || parts[next] != RBL_NONE ||
                is_cut(growth, crack, node, next))
            {
                continue;
            }
            parts[next] = part;
            if (!rbl_array_push(&growth->queue, next))
            {
                return false;
            }
        }
    }
    return true;
}

// Parts of the rim are those of the solid's nodes that they hang on, on the same side of the crack if possible.
static bool fill_rim(rblCrackGrowth* growth, const rblCrack* crack, uint32_t* parts)
{
    const rblTetGraph* graph = growth->body->graph;
    const uint32_t node_count = growth->body->tets->node_count;
    for (uint32_t pass = 0; pass < 2; ++pass)
    {
        rbl_array_clear(&growth->queue);
        for (uint32_t node = 0; node < node_count; ++node)
        {
            if (parts[node] != RBL_NONE && !rbl_array_push(&growth->queue, node))
            {
                return false;
            }
        }
        for (size_t head = 0; head < growth->queue.count; ++head)
        {
            const uint32_t node = growth->queue.data[head];
            for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1]; ++k)
            {
                const uint32_t next = graph->nodes[k];
                if (growth->labels[next] != crack->label || parts[next] != RBL_NONE ||
                    (pass == 0 && is_cut(growth, crack, node, next)))
                {
                    continue;
                }
                parts[next] = parts[node];
                if (!rbl_array_push(&growth->queue, next))
                {
                    return false;
                }
            }
        }
    }
    return true;
}

// Edges with their ends in different parts, and where the crack would have the cut.
static bool note_edges(rblCrackGrowth* growth, const rblCrack* crack, const uint32_t* parts)
{
    const rblTetGraph* graph = growth->body->graph;
    for (size_t n = 0; n < growth->cut_nodes.count; ++n)
    {
        const uint32_t a = growth->cut_nodes.data[n];
        for (uint32_t k = graph->starts[a]; k < graph->starts[a + 1]; ++k)
        {
            const uint32_t b = graph->nodes[k];
            if (a < b && parts[a] != parts[b] && is_cut(growth, crack, a, b))
            {
                growth->own[a] = growth->own[a] > 0.0 ? growth->own[a] : fabs(growth->values[a]);
                growth->own[b] = growth->own[b] > 0.0 ? growth->own[b] : fabs(growth->values[b]);
                const double ratio = rbl_log(fabs(growth->values[a]) / fabs(growth->values[b]));
                if (!rbl_array_push(&growth->edges, ((rblCutEdge){a, b, ratio})))
                {
                    return false;
                }
            }
        }
    }
    return true;
}

bool rbl_crack_split(rblCrackGrowth* growth, const rblCrack* crack, uint32_t* part_count)
{
    const rblTetsView* tets = growth->body->tets;
    const rblArenaMark mark = rbl_arena_mark(&growth->arena);
    uint32_t* parts = RBL_ARENA_ARRAY(&growth->arena, uint32_t, tets->node_count);
    if (parts == NULL)
    {
        return false;
    }
    for (uint32_t node = 0; node < tets->node_count; ++node)
    {
        parts[node] = RBL_NONE;
    }
    *part_count = 0;
    bool ok = true;
    for (uint32_t node = 0; node < tets->solid_node_count && ok; ++node)
    {
        if (growth->labels[node] == crack->label && parts[node] == RBL_NONE)
        {
            ok = fill_part(growth, crack, node, parts, (*part_count)++);
        }
    }
    if (ok && *part_count > 1)
    {
        ok = fill_rim(growth, crack, parts) && note_edges(growth, crack, parts);
        for (uint32_t node = 0; node < tets->node_count && ok; ++node)
        {
            if (growth->labels[node] == crack->label && parts[node] != RBL_NONE && parts[node] > 0)
            {
                growth->labels[node] = growth->label_count + parts[node] - 1;
            }
        }
        growth->label_count += *part_count - 1;
    }
    rbl_arena_rewind(&growth->arena, mark);
    return ok;
}
