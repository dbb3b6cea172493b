// Where loads act: fragments without a load, and cracks that begin at contacts.
#include "fracture/stress/cracks_private.h"
#include <math.h>

// ---- tuning ----
#define FLANK_SINE                                                                                           \
    0.37460659 // of 22 degrees: the slope of the cone crack under a contact, below the surface (Roesler 1956)
#define FLANK_COSINE 0.92718385 // of the same angle
#define AROUND                                                                                               \
    1.5 // a load acts on nodes this many mean edge lengths beyond the closest one: it has nodes on all sides then

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
    bool ok = true;
    for (uint32_t node = 0; node < count && ok; ++node)
    {
        const bool near = growth->marks[node].label == 0 &&
                          rbl_distance3d(growth->nodes[node].position, load->point) <= most;
        ok = !near || rbl_array_push(&growth->load_nodes, node);
    }
    return ok;
}

static bool mark_loaded(rblCrackGrowth* growth)
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
        const uint32_t label = growth->marks[growth->load_nodes.data[i]].label;
        growth->loaded.data[label] = !growth->crumbs.data[label];
    }
    return true;
}

bool rbl_crack_find_loaded(rblCrackGrowth* growth)
{
    bool ok = rbl_array_push(&growth->crumbs, false);
    for (uint32_t i = 0; i < growth->body->load_count && ok; ++i)
    {
        ok = find_load_nodes(growth, &growth->body->loads[i]);
    }
    return ok && mark_loaded(growth);
}

// A crumb cracks no more, and passes the load that acts on it to the faces of the crack behind it. Otherwise a chip of a few tetrahedra at
// the contact unloads the body, which ends up whole, as the chip is merged with it.
static bool press_through_crumbs(rblCrackGrowth* growth, const rblCrack* crack)
{
    bool pressed = false;
    for (size_t i = 0; i < growth->load_nodes.count && !pressed; ++i)
    {
        const uint32_t label = growth->marks[growth->load_nodes.data[i]].label;
        pressed = label >= crack->first_label && growth->crumbs.data[label];
    }
    bool ok = true;
    for (size_t i = 0; i < growth->band.count && pressed && ok; ++i)
    {
        const uint32_t node = growth->band.data[i];
        ok = node >= growth->body->tets->solid_node_count || growth->crumbs.data[growth->marks[node].label] ||
             rbl_array_push(&growth->load_nodes, node);
    }
    return ok;
}

bool rbl_crack_move_loads(rblCrackGrowth* growth, const rblCrack* crack)
{
    return press_through_crumbs(growth, crack) && mark_loaded(growth);
}

// ---- contacts ----

// What a contact acts on: the mean stress within its reach, and the middle of the fragment.
typedef struct Surroundings
{
    rblStress mean;
    rblVec3d middle;
} Surroundings;

static Surroundings look_around(const rblCrackGrowth* growth, const rblCrackLoad* load, uint32_t label)
{
    rblStress sum = {0};
    rblVec3d moment = {0.0, 0.0, 0.0};
    double near = 0.0, all = 0.0;
    for (uint32_t node = 0; node < growth->body->tets->solid_node_count; ++node)
    {
        if (growth->marks[node].label != label)
        {
            continue;
        }
        const rblVec3d off = rbl_sub3d(growth->nodes[node].position, load->point);
        const double own = growth->body->solid_graph->volumes[node];
        moment = rbl_mul_add3d(moment, own, off);
        all += own;
        if (rbl_dot3d(off, off) <= load->reach * load->reach)
        {
            const rblStress* s = &growth->stuff[node].stress;
            sum = (rblStress){sum.xx + own * s->xx, sum.yy + own * s->yy, sum.zz + own * s->zz,
                              sum.xy + own * s->xy, sum.yz + own * s->yz, sum.zx + own * s->zx};
            near += own;
        }
    }
    const double part = near > 0.0 ? 1.0 / near : 0.0;
    return (Surroundings){
        {part * sum.xx, part * sum.yy, part * sum.zz, part * sum.xy, part * sum.yz, part * sum.zx},
        rbl_mul_add3d(load->point, all > 0.0 ? 1.0 / all : 0.0, moment)};
}

// Axes along the force (z) and across it, the largest tension first.
static rblMat3d axes_of(const rblStress* mean, rblVec3d f)
{
    const double most = fabs(mean->xx) + fabs(mean->yy) + fabs(mean->zz) +
                        2.0 * (fabs(mean->xy) + fabs(mean->yz) + fabs(mean->zx)) + 1.0;
    rblStress across = rbl_relieve_across(mean, f, 0.0);
    rblVec3d principal;
    rblMat3d axes;
    across =
        (rblStress){across.xx - most * f.x * f.x, across.yy - most * f.y * f.y, across.zz - most * f.z * f.z,
                    across.xy - most * f.x * f.y, across.yz - most * f.y * f.z, across.zx - most * f.z * f.x};
    rbl_stress_principal(&across, &principal, &axes);
    return axes;
}

uint32_t rbl_crack_contact_node(const rblCrackGrowth* growth, const rblCrackLoad* load)
{
    uint32_t best = RBL_NONE;
    double least = (double)INFINITY;
    for (uint32_t node = 0; node < growth->body->tets->solid_node_count; ++node)
    {
        const rblVec3d off = rbl_sub3d(growth->nodes[node].position, load->point);
        const double distance = rbl_dot3d(off, off);
        const uint32_t label = growth->marks[node].label;
        best = label != RBL_NONE && !growth->crumbs.data[label] && distance < least ? node : best;
        least = best == node ? distance : least;
    }
    return best;
}

rblMat3d rbl_crack_contact_axes(const rblCrackGrowth* growth, const rblCrackLoad* load, uint32_t node,
                                uint32_t number)
{
    const Surroundings around = look_around(growth, load, growth->marks[node].label);
    rblMat3d axes = axes_of(&around.mean, load->direction);
    const rblVec3d out = rbl_sub3d(load->point, around.middle); // towards the closer edges
    axes.cx = rbl_scale3d(axes.cx, rbl_dot3d(axes.cx, out) < 0.0 ? -1.0 : 1.0);
    axes.cy = rbl_scale3d(axes.cy, rbl_dot3d(axes.cy, out) < 0.0 ? -1.0 : 1.0);
    if (number >
        0) // a plane that goes down from the contact along +x, -x, +y or -y: signs by place, not by the numbers of nodes
    {
        const rblVec3d along = number <= 2 ? axes.cx : axes.cy, level = number <= 2 ? axes.cy : axes.cx;
        const rblVec3d outwards = rbl_scale3d(along, number & 1u ? 1.0 : -1.0);
        axes.cx = rbl_sub3d(rbl_scale3d(load->direction, FLANK_COSINE), rbl_scale3d(outwards, FLANK_SINE));
        axes.cy = level;
        axes.cz = rbl_cross3d(axes.cx, axes.cy);
    }
    return axes;
}
