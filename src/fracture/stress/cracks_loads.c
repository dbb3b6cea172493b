// Where loads act: fragments without a load, and cracks that begin at contacts.
#include "fracture/stress/cracks_private.h"
#include <math.h>

// ---- tuning ----
#define AROUND 1.5 // a load acts on nodes this many mean edge lengths beyond the closest one: it has nodes on all sides then

// The tension at the edge of a contact is above the strength where the load has a reach, but acts on less than tetrahedra resolve. So a
// crack begins where the tension is largest within that reach, even if it is below the strength there.
static bool start_at_contact(rblCrackGrowth* growth, const rblCrackLoad* load, double most)
{
    const rblCrackBody* body = growth->body;
    uint32_t best = RBL_NONE;
    double largest = 0.0;
    for (uint32_t node = 0; load->reach > 0.0 && node < body->tets->solid_node_count; ++node)
    {
        if (growth->marks[node].label == 0 &&
            rbl_distance3d(growth->nodes[node].position, load->point) <= most)
        {
            const double strength = body->strength[node];
            const double ratio = rbl_largest_unless_below(&body->stress[node], largest * strength) / strength;
            best = ratio > largest ? node : best;
            largest = rbl_maxd(largest, ratio);
        }
    }
    if (best == RBL_NONE || largest >= body->stronger)
    {
        return true; // it is a candidate already
    }
    growth->peak[best] = body->stronger * body->strength[best];
    return rbl_array_push(&growth->candidates, best);
}

// The closest node, and others that the contact covers or that are within an edge of it: a crack through the contact leaves a load on
// both sides.
static bool find_load_nodes(rblCrackGrowth* growth, const rblCrackLoad* load)
{
    const uint32_t count = growth->body->tets->solid_node_count;
    double closest = (double)INFINITY, edge = 0.0;
    for (uint32_t node = 0; node < count; ++node)
    {
        const double distance = rbl_distance3d(growth->nodes[node].position, load->point);
        if (growth->marks[node].label == 0 && distance < closest)
        {
            closest = distance;
            edge = AROUND * growth->stuff[node].edge;
        }
    }
    const double most = rbl_maxd(load->radius, closest + edge);
    bool ok = start_at_contact(growth, load, rbl_maxd(load->reach, closest + edge));
    for (uint32_t node = 0; node < count && ok; ++node)
    {
        const bool near = growth->marks[node].label == 0 &&
                          rbl_distance3d(growth->nodes[node].position, load->point) <= most;
        ok = !near || rbl_array_push(&growth->load_nodes, node);
    }
    return ok;
}

bool rbl_crack_find_loaded(rblCrackGrowth* growth)
{
    bool ok = true;
    for (uint32_t i = 0; i < growth->body->load_count && ok; ++i)
    {
        ok = find_load_nodes(growth, &growth->body->loads[i]);
    }
    return ok && rbl_crack_mark_loaded(growth);
}

bool rbl_crack_mark_loaded(rblCrackGrowth* growth)
{
    if (!rbl_array_resize(&growth->loaded, growth->label_count))
    {
        return false;
    }
    for (size_t i = 0; i < growth->loaded.count; ++i)
    {
        growth->loaded.data[i] = growth->body->load_count == 0;
    }
    for (size_t i = 0; i < growth->load_nodes.count; ++i)
    {
        growth->loaded.data[growth->marks[growth->load_nodes.data[i]].label] = true;
    }
    return true;
}
