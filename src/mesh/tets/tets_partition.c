#include "mesh/tets/tets_partition.h"

#include "math/vec.h"

// The set of all four nodes, one bit each.
#define ALL_NODES 15u

// ---- the rule ----

// One part with this label.
static void rule_init(rblTetRule* rule, uint32_t label)
{
    *rule = (rblTetRule){.part_count = 1, .members = {ALL_NODES}, .labels = {label}, .events = {RBL_NONE}};
}

// The distinct labels of the nodes, rising.
static uint32_t list_labels(uint32_t nodes, const uint32_t labels[4], uint32_t out[4])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        if ((nodes >> i & 1u) == 0)
        {
            continue;
        }
        uint32_t at = 0;
        while (at < count && out[at] < labels[i])
        {
            ++at;
        }
        if (at < count && out[at] == labels[i])
        {
            continue;
        }
        for (uint32_t n = count++; n > at; --n)
        {
            out[n] = out[n - 1];
        }
        out[at] = labels[i];
    }
    return count;
}

// Apply an event. `nodes` are the nodes of this tetrahedron that it contains: all nodes of a part, or none of them.
static void rule_split(rblTetRule* rule, uint32_t nodes, const uint32_t labels[4], const double weights[4],
                       uint32_t event)
{
    if (nodes == 0)
    {
        return;
    }
    uint32_t found[4];
    const uint32_t part = rule->parts[rbl_tet_lowest_node(nodes)];
    rblTetSplit split = {.nodes = nodes, .group_count = list_labels(nodes, labels, found)};
    for (uint32_t g = 0; g < split.group_count; ++g)
    {
        const uint32_t p = g == 0 ? part : rule->part_count++;
        rule->labels[p] = found[g];
        rule->events[p] = event;
        for (uint32_t i = 0; i < 4; ++i)
        {
            if ((nodes >> i & 1u) != 0 && labels[i] == found[g])
            {
                split.groups[g] |= 1u << i;
                split.weights[i] = weights[i];
                rule->parts[i] = p;
            }
        }
        rule->members[p] = split.groups[g];
    }
    if (split.group_count > 1)
    {
        rule->splits[rule->split_count++] = split;
    }
}

void rbl_tets_rule(const rblTetsPartition* partition, uint32_t tet, rblTetRule* out)
{
    rule_init(out, 0);
    const uint32_t* n = partition->tets->nodes + 4 * (size_t)tet;
    for (uint32_t e = 0; e < partition->event_count; ++e)
    {
        const rblTetsEvent* event = &partition->events[e];
        uint32_t nodes = 0;
        uint32_t labels[4] = {0};
        double weights[4] = {0};
        for (uint32_t i = 0; i < 4; ++i)
        {
            if (event->labels[n[i]] != RBL_NONE)
            {
                nodes |= 1u << i;
                labels[i] = event->first_label + event->labels[n[i]];
                weights[i] = event->weights[n[i]];
            }
        }
        rule_split(out, nodes, labels, weights, e);
    }
}

bool rbl_tets_is_whole(const rblTetsPartition* partition, uint32_t tet, uint32_t* label, uint32_t* event)
{
    const uint32_t* n = partition->tets->nodes + 4 * (size_t)tet;
    *label = 0;
    *event = RBL_NONE;
    for (uint32_t e = 0; e < partition->event_count; ++e)
    {
        const uint32_t* labels = partition->events[e].labels;
        const uint32_t first = labels[n[0]];
        if (labels[n[1]] != first || labels[n[2]] != first || labels[n[3]] != first)
        {
            return false;
        }
        if (first != RBL_NONE)
        {
            *label = partition->events[e].first_label + first;
            *event = e;
        }
    }
    return true;
}

static double sum_group(const rblTetSplit* split, uint32_t group, const double b[4])
{
    double sum = 0.0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        sum += (group >> i & 1u) != 0 ? split->weights[i] * b[i] : 0.0;
    }
    return sum;
}

uint32_t rbl_tet_part(const rblTetRule* rule, const double barycentric[4])
{
    uint32_t group = ALL_NODES;
    for (uint32_t s = 0; s < rule->split_count; ++s)
    {
        const rblTetSplit* split = &rule->splits[s];
        if (split->nodes != group)
        {
            continue;
        }
        uint32_t best = 0;
        double most = sum_group(split, split->groups[0], barycentric);
        for (uint32_t g = 1; g < split->group_count; ++g)
        {
            const double phi = sum_group(split, split->groups[g], barycentric);
            best = phi > most ? g : best;
            most = phi > most ? phi : most;
        }
        group = split->groups[best];
    }
    return rule->parts[rbl_tet_lowest_node(group)];
}

void rbl_tet_barycentric(const rblVec3d corners[4], rblVec3d point, double out[4])
{
    const double whole = rbl_tet_volume(corners);
    for (uint32_t i = 0; i < 4; ++i)
    {
        rblVec3d moved[4] = {corners[0], corners[1], corners[2], corners[3]};
        moved[i] = point;
        out[i] = rbl_tet_volume(moved) / whole;
    }
}
