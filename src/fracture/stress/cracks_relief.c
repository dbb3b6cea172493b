// What a crack does to the stress around it.
//
// A crack cannot carry tension, so it relieves the stress around it: of the tension across, a penny-shaped crack of radius a leaves
//   1 - 2/pi (arctan(1/z) - z / (1 + z^2) + 2 z / (1 + z^2)^2)
// at the distance z a above its middle (Sneddon 1946): half at its radius, 0.86 at twice. Stress parallel to the crack stays: this lets a
// second crack cross the first, as in a star around the point of an impact.
//
// In a slender body the force that a section carried is gone much farther away. With the length
//   l = volume of the smaller part / (4 area of the crack)
// in place of a, the bending of each half of a bar that was hit in its middle, and broke there, is 0.29 of that before. The closed form of
// a free bar with half of the force at its end is 8/27. For bodies as thick as long l is below a, and a counts.
#include "fracture/stress/cracks_private.h"
#include "math/trig.h"
#include <math.h>

// ---- tuning ----
#define BY_PART_LENGTH 0.25 // relief length relative to the mean length of the smaller part: see above
#define FARTHEST       2.5 // relief ends at this distance, in relief lengths; 0.08 of the stress is relieved there
#define MIN_RELIEF     2.0 // smallest relief length, in mean edge lengths: nodes at the crack have no stress

double rbl_crack_tension_left(double z)
{
    const double square = 1.0 + z * z;
    return 1.0 - 2.0 / RBL_PI * (rbl_atan2(1.0, z) - z / square + 2.0 * z / (square * square));
}

// ---- distances ----

static bool come_closer(rblCrackGrowth* growth, uint32_t node, double distance, uint32_t source)
{
    if (!(distance < growth->distances[node]))
    {
        return true;
    }
    const bool is_new = growth->distances[node] == (double)INFINITY;
    growth->distances[node] = distance;
    growth->sources[node] = source;
    return rbl_array_push(&growth->queue, node) && (!is_new || rbl_array_push(&growth->relieved, node));
}

// A crack changes the stress of its own fragment only.
static bool is_concerned(const rblCrackGrowth* growth, const rblCrack* crack, uint32_t node)
{
    const uint32_t label = growth->marks[node].label;
    return label == crack->label || (label >= crack->first_label && label != RBL_NONE);
}

// Distances along edges of nodes up to `most` away from the crack. The order of the queue does not change them.
static bool find_distances(rblCrackGrowth* growth, const rblCrack* crack, double most)
{
    const rblTetGraph* graph = growth->body->solid_graph;
    bool ok = true;
    rbl_array_clear(&growth->queue);
    rbl_array_clear(&growth->relieved);
    for (uint32_t i = 0; i < growth->band.count && ok; ++i)
    {
        const uint32_t node = growth->band.data[i];
        ok = node >= growth->body->tets->solid_node_count ||
             come_closer(growth, node, fabs(growth->nodes[node].value), i);
    }
    for (size_t head = 0; head < growth->queue.count && ok; ++head)
    {
        const uint32_t node = growth->queue.data[head];
        for (uint32_t k = graph->starts[node]; k < graph->starts[node + 1] && ok; ++k)
        {
            const double distance = growth->distances[node] + graph->lengths[k];
            ok = distance > most || !is_concerned(growth, crack, graph->nodes[k]) ||
                 come_closer(growth, graph->nodes[k], distance, growth->sources[node]);
        }
    }
    return ok;
}

// ---- stress ----

// With P = 1 - n n^T, P s P + left (s - P s P).
rblStress rbl_relieve_across(const rblStress* s, rblVec3d n, double left)
{
    const rblVec3d t = {s->xx * n.x + s->xy * n.y + s->zx * n.z, s->xy * n.x + s->yy * n.y + s->yz * n.z,
                        s->zx * n.x + s->yz * n.y + s->zz * n.z}; // s n
    const double across = rbl_dot3d(t, n), gone = 1.0 - left;
    return (rblStress){s->xx - gone * (2.0 * t.x * n.x - across * n.x * n.x),
                       s->yy - gone * (2.0 * t.y * n.y - across * n.y * n.y),
                       s->zz - gone * (2.0 * t.z * n.z - across * n.z * n.z),
                       s->xy - gone * (t.x * n.y + t.y * n.x - across * n.x * n.y),
                       s->yz - gone * (t.y * n.z + t.z * n.y - across * n.y * n.z),
                       s->zx - gone * (t.z * n.x + t.x * n.z - across * n.z * n.x)};
}

static double relief_length(const rblCrackGrowth* growth, const rblCrack* crack)
{
    const double radius = sqrt(crack->area / RBL_PI);
    const double part = crack->area > 0.0 ? BY_PART_LENGTH * crack->cut_off / crack->area : 0.0;
    const double edge = growth->stuff[growth->band.data[0]].edge;
    return rbl_maxd(MIN_RELIEF * edge, rbl_maxd(radius, part));
}

bool rbl_crack_relieve(rblCrackGrowth* growth, const rblCrack* crack)
{
    const rblCrackBody* body = growth->body;
    const double length = relief_length(growth, crack);
    if (!find_distances(growth, crack, FARTHEST * length))
    {
        return false;
    }
    for (size_t i = 0; i < growth->relieved.count; ++i)
    {
        const uint32_t node = growth->relieved.data[i];
        const rblCrackNormal* n = &growth->normals[growth->sources[node]];
        rblStress* stress = &growth->stuff[node].stress;
        *stress = rbl_relieve_across(stress, rbl_vec3d(n->v[0], n->v[1], n->v[2]),
                                     rbl_crack_tension_left(growth->distances[node] / length));
        growth->distances[node] = (double)INFINITY;
        if (growth->peak[node] > 0.0)
        {
            growth->peak[node] = rbl_largest_unless_below(stress, body->stronger * body->strength[node]);
        }
    }
    return true;
}
