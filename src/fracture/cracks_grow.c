// One crack: a front that goes from tetrahedron to tetrahedron.
#include "fracture/cracks_private.h"
#include "mesh/tets.h"
#include <math.h>

// A crack turns by at most this much from one tetrahedron to the next: cosine and sine of 10 degrees.
#define TURN_COSINE 0.98480775301220802
#define TURN_SINE   0.17364817766693033

// A penny-shaped crack of radius a across a tension whose energy density is u sets 16 (1 - nu^2) / 3 u a^3 free (Sneddon 1946):
// so much times u a by its area.
#define PENNY_RELEASE(poisson) (16.0 * (1.0 - (poisson) * (poisson)) / (3.0 * RBL_PI))

// ---- the front ----

static bool comes_before(rblGrowthItem a, rblGrowthItem b)
{
    return a.key < b.key || (a.key == b.key && a.item < b.item);
}

bool rbl_growth_push(rblGrowthFront* front, rblGrowthItem item)
{
    if (!rbl_array_push(front, item))
    {
        return false;
    }
    size_t i = front->count - 1;
    while (i > 0 && comes_before(item, front->data[(i - 1) / 2]))
    {
        front->data[i] = front->data[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    front->data[i] = item;
    return true;
}

rblGrowthItem rbl_growth_pop(rblGrowthFront* front)
{
    const rblGrowthItem first = front->data[0];
    const rblGrowthItem last = front->data[--front->count];
    const size_t count = front->count;
    size_t i = 0;
    for (size_t child = 1; child < count; child = 2 * i + 1)
    {
        child += child + 1 < count && comes_before(front->data[child + 1], front->data[child]);
        if (!comes_before(front->data[child], last))
        {
            break;
        }
        front->data[i] = front->data[child];
        i = child;
    }
    if (count > 0)
    {
        front->data[i] = last;
    }
    return first;
}

// ---- stress ----

double rbl_energy_density(const rblCrackBody* body, const rblStress* stress)
{
    const double trace = stress->xx + stress->yy + stress->zz;
    const double square = stress->xx * stress->xx + stress->yy * stress->yy + stress->zz * stress->zz +
                          2.0 * (stress->xy * stress->xy + stress->yz * stress->yz + stress->zx * stress->zx);
    const double energy =
        ((1.0 + body->poisson) * square - body->poisson * trace * trace) / (2.0 * body->young);
    return rbl_maxd(energy, 0.0);
}

static void add_stress(rblStress* sum, const rblStress* stress, double factor)
{
    sum->xx += factor * stress->xx;
    sum->yy += factor * stress->yy;
    sum->zz += factor * stress->zz;
    sum->xy += factor * stress->xy;
    sum->yz += factor * stress->yz;
    sum->zx += factor * stress->zx;
}

bool rbl_crack_stress(const rblCrackGrowth* growth, uint32_t tet, uint32_t label, rblStress* out)
{
    const rblTetsView* tets = growth->body->tets;
    uint32_t ours[4], count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t node = tets->nodes[4 * (size_t)tet + i];
        if (node < tets->solid_node_count && growth->labels[node] == label)
        {
            ours[count++] = node;
        }
    }
    *out = (rblStress){0};
    for (uint32_t i = 0; i < count; ++i)
    {
        add_stress(out, &growth->body->stress[ours[i]], growth->relief[ours[i]] / count);
    }
    return count > 0;
}

// The crack's normal in a tetrahedron: turned towards the largest tension there, as far as that is one.
static rblVec3d steer(const rblCrackGrowth* growth, uint32_t tet, uint32_t label, rblVec3d before)
{
    rblStress stress;
    rblMat3d axes;
    rblVec3d principal;
    if (!rbl_crack_stress(growth, tet, label, &stress))
    {
        return before;
    }
    rbl_stress_principal(&stress, &principal, &axes);
    if (!(principal.x > 0.0) || principal.x - principal.y < 0.1 * principal.x)
    {
        return before;
    }
    rblVec3d wanted = axes.cx;
    double cosine = rbl_dot3d(wanted, before);
    if (cosine < 0.0)
    {
        wanted = rbl_scale3d(wanted, -1.0);
        cosine = -cosine;
    }
    if (cosine < 0.7) // another crack's business
    {
        return before;
    }
    if (cosine >= TURN_COSINE)
    {
        return wanted;
    }
    const rblVec3d across = rbl_normalize3d(rbl_sub3d(wanted, rbl_scale3d(before, cosine)), before);
    return rbl_normalize3d(rbl_add3d(rbl_scale3d(before, TURN_COSINE), rbl_scale3d(across, TURN_SINE)),
                           before);
}

// ---- values at nodes ----

static double longest_edge(const rblVec3d corners[4])
{
    double longest = 0.0;
    for (uint32_t e = 0; e < 6; ++e)
    {
        const double length = rbl_distance3d(corners[rbl_tet_edges[e][0]], corners[rbl_tet_edges[e][1]]);
        longest = length > longest ? length : longest;
    }
    return longest;
}

// A part of the body's tetrahedron: which of its nodes count.
typedef struct rblCrackTet
{
    uint32_t nodes[4];
    rblVec3d corners[4];
    double values[4];
    bool ours[4]; // of the crack's fragment
} rblCrackTet;

static rblCrackTet look_at(const rblCrackGrowth* growth, const rblCrack* crack, uint32_t tet)
{
    rblCrackTet out;
    for (uint32_t i = 0; i < 4; ++i)
    {
        out.nodes[i] = growth->body->tets->nodes[4 * (size_t)tet + i];
        out.corners[i] = growth->body->tets->positions[out.nodes[i]];
        out.ours[i] = growth->labels[out.nodes[i]] == crack->label;
        out.values[i] = growth->values[out.nodes[i]];
    }
    return out;
}

// Values at nodes that have none: those of the plane through `point`.
static bool set_values(rblCrackGrowth* growth, const rblCrack* crack, rblCrackTet* tet, rblVec3d point,
                       rblVec3d normal)
{
    const double least = RBL_LEAST_CRACK_VALUE * longest_edge(tet->corners);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t node = tet->nodes[i];
        if (!tet->ours[i] || growth->known[node] == crack->stamp)
        {
            continue;
        }
        const double value = rbl_dot3d(normal, rbl_sub3d(tet->corners[i], point));
        tet->values[i] = fabs(value) >= least ? value : value < 0.0 ? -least : least;
        growth->values[node] = tet->values[i];
        growth->known[node] = crack->stamp;
        growth->node_normals[node] = normal;
        if (!rbl_array_push(&growth->cut_nodes, node))
        {
            return false;
        }
    }
    return true;
}

// Where the crack cuts edges of a tetrahedron, in no order; edges of other fragments are not its business.
static uint32_t cut_points(const rblCrackTet* tet, rblVec3d points[4])
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < 6; ++e)
    {
        const uint32_t a = rbl_tet_edges[e][0], b = rbl_tet_edges[e][1];
        if (tet->ours[a] && tet->ours[b] && (tet->values[a] > 0.0) != (tet->values[b] > 0.0))
        {
            const double t = tet->values[a] / (tet->values[a] - tet->values[b]);
            points[count++] =
                rbl_add3d(tet->corners[a], rbl_scale3d(rbl_sub3d(tet->corners[b], tet->corners[a]), t));
        }
    }
    return count;
}

static double triangle_area(rblVec3d a, rblVec3d b, rblVec3d c)
{
    return 0.5 * rbl_length3d(rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a)));
}

// Of the polygon of those points, three or four. Points come in the order of rbl_tet_edges: opposite edges of a four-sided
// one, which are no neighbours around it, are first and last.
static double polygon_area(const rblVec3d points[4], uint32_t count)
{
    if (count < 3)
    {
        return 0.0;
    }
    if (count == 3)
    {
        return triangle_area(points[0], points[1], points[2]);
    }
    return triangle_area(points[0], points[1], points[3]) + triangle_area(points[0], points[2], points[3]);
}

static rblVec3d mean_of(const rblVec3d* points, uint32_t count)
{
    rblVec3d sum = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < count; ++i)
    {
        sum = rbl_add3d(sum, points[i]);
    }
    return rbl_scale3d(sum, 1.0 / count);
}

// ---- energy ----

// What a front may go on to cut: the energy that the whole crack has set free covers what it costs, but for the flaw it began at
// (Griffith 1921).
static bool pays(const rblCrackGrowth* growth, const rblCrack* crack)
{
    const double cost = crack->cost * (1.0 - crack->free_area / (crack->free_area + crack->area));
    return crack->cost <= growth->energy_left && crack->released >= cost;
}

static void add_area(const rblCrackGrowth* growth, rblCrack* crack, uint32_t tet, double area)
{
    rblStress stress;
    if (tet >= growth->body->tets->solid_tet_count || !rbl_crack_stress(growth, tet, crack->label, &stress))
    {
        return; // what is cut of the rim costs nothing
    }
    double toughness = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t node = growth->body->tets->nodes[4 * (size_t)tet + i];
        if (growth->labels[node] == crack->label)
        {
            toughness += growth->body->toughness[node];
            count += 1;
        }
    }
    crack->area += area;
    crack->cost += area * toughness / count;
    crack->energy_area += area * rbl_energy_density(growth->body, &stress);
    crack->released = PENNY_RELEASE(growth->body->poisson) * sqrt(crack->area / RBL_PI) * crack->energy_area;
}

// ---- growing ----

// Neighbours through faces that the crack cuts.
static bool spread(rblCrackGrowth* growth, const rblCrack* crack, const rblCrackTet* tet, uint32_t number)
{
    for (uint32_t face = 0; face < 4; ++face)
    {
        const uint32_t next = growth->body->tets->neighbors[4 * (size_t)number + face];
        bool below = false, above = false;
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t i = rbl_tet_faces[face][k];
            below = below || (tet->ours[i] && tet->values[i] < 0.0);
            above = above || (tet->ours[i] && tet->values[i] > 0.0);
        }
        if (next == RBL_NONE || growth->seen[next] == crack->stamp || !below || !above)
        {
            continue;
        }
        growth->seen[next] = crack->stamp;
        rblVec3d corners[4];
        rbl_tet_corners(growth->body->tets, next, corners);
        const rblVec3d off = rbl_sub3d(mean_of(corners, 4), crack->start);
        if (!rbl_growth_push(&growth->front, (rblGrowthItem){rbl_dot3d(off, off), next, number}))
        {
            return false;
        }
    }
    return true;
}

// A point of the crack on the common face of two tetrahedra, from which it goes on.
static rblVec3d point_between(const rblCrackGrowth* growth, const rblCrack* crack, const rblCrackTet* tet)
{
    rblCrackTet known = *tet;
    for (uint32_t i = 0; i < 4; ++i)
    {
        known.ours[i] = tet->ours[i] && growth->known[tet->nodes[i]] == crack->stamp;
    }
    rblVec3d points[4];
    const uint32_t count = cut_points(&known, points);
    return count > 0 ? mean_of(points, count) : crack->start;
}

bool rbl_crack_run(rblCrackGrowth* growth, rblCrack* crack)
{
    while (growth->front.count > 0)
    {
        const rblGrowthItem item = rbl_growth_pop(&growth->front);
        if (!pays(growth, crack))
        {
            crack->stalled = true;
            rbl_array_clear(&growth->front);
            break;
        }
        rblCrackTet tet = look_at(growth, crack, item.item);
        const bool first = item.from == RBL_NONE;
        const rblVec3d point = first ? crack->start : point_between(growth, crack, &tet);
        const rblVec3d before = first ? crack->normal : growth->normals[item.from];
        const rblVec3d normal = steer(growth, item.item, crack->label, before);
        growth->normals[item.item] = normal;
        rblVec3d points[4];
        if (!set_values(growth, crack, &tet, point, normal))
        {
            return false;
        }
        const uint32_t count = cut_points(&tet, points);
        add_area(growth, crack, item.item, polygon_area(points, count));
        if (!spread(growth, crack, &tet, item.item))
        {
            return false;
        }
    }
    return true;
}
