// Growth of one crack: a front that moves from tetrahedron to tetrahedron.
#include "fracture/stress/cracks_private.h"
#include "math/simd.h"
#include "mesh/tets/tets.h"
#include <math.h>

// Largest turn of a crack from one tetrahedron to the next: the sine of 10 degrees.
#define TURN_SINE 0.17364817766693033

// Largest turn in total: the cosine of 45 degrees. Without it a crack can turn around and form several sheets on top of each other.
#define MIN_COSINE 0.70710678118654752

// Largest difference of a value from that of a plane, in edge lengths; larger ones mean that two sheets meet.
#define MAX_STEP 0.7

// A penny-shaped crack of radius a across a tension whose energy density is u releases 16 (1 - nu^2) / 3 u a^3 (Sneddon 1946):
// this factor times u a, per area.
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

static rblGrowthItem growth_pop(rblGrowthFront* front)
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

// A tetrahedron that the front enters.
typedef struct rblCrackTet
{
    const rblGraphTet* around;
    uint32_t number;
    uint32_t nodes[4];
    uint32_t places[4]; // in the band, of those with values
    rblVec3d corners[4];
    double values[4];
    bool ours[4];  // of the crack's fragment
    bool known[4]; // and has a value
} rblCrackTet;

// ---- stress ----

static void add_stress(rblStress* sum, const rblStress* stress)
{
    sum->xx += stress->xx;
    sum->yy += stress->yy;
    sum->zz += stress->zz;
    sum->xy += stress->xy;
    sum->yz += stress->yz;
    sum->zx += stress->zx;
}

// Mean relieved stress of a tetrahedron's nodes in the crack's fragment. False: none is in the solid.
static bool mean_stress(const rblCrackGrowth* growth, const rblCrackTet* tet, rblStress* out)
{
    uint32_t count = 0;
    *out = (rblStress){0};
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t node = tet->nodes[i];
        if (tet->ours[i] && node < growth->body->tets->solid_node_count)
        {
            add_stress(out, &growth->stuff[node].stress);
            count += 1;
        }
    }
    const double part = count > 0 ? 1.0 / count : 0.0;
    *out = (rblStress){part * out->xx, part * out->yy, part * out->zz,
                       part * out->xy, part * out->yz, part * out->zx};
    return count > 0;
}

// The direction of the largest tension; false for compression, or when another principal stress is within a tenth of it. With x the
// largest principal stress the adjugate of s - x is (x - y)(x - z) v v^T, and its trace shows how far y and z are from x.
static bool largest_tension(const rblStress* s, double* tension, rblVec3d* direction)
{
    const double largest = rbl_stress_largest(s);
    const double x = s->xx - largest, y = s->yy - largest, z = s->zz - largest;
    const rblVec3d diagonal = {y * z - s->yz * s->yz, x * z - s->zx * s->zx, x * y - s->xy * s->xy};
    const double product = diagonal.x + diagonal.y + diagonal.z, sum = -(x + y + z);
    const double gap = 0.5 * (sum - sqrt(rbl_maxd(sum * sum - 4.0 * product, 0.0)));
    if (!(largest > 0.0) || gap < 0.1 * largest)
    {
        return false;
    }
    const double xy = s->yz * s->zx - s->xy * z, yz = s->xy * s->zx - s->yz * x,
                 zx = s->xy * s->yz - s->zx * y;
    const bool first = diagonal.x >= diagonal.y && diagonal.x >= diagonal.z;
    const rblVec3d column = first                      ? (rblVec3d){diagonal.x, xy, zx}
                            : diagonal.y >= diagonal.z ? (rblVec3d){xy, diagonal.y, yz}
                                                       : (rblVec3d){zx, yz, diagonal.z};
    *tension = largest;
    *direction = rbl_normalize3d(column, rbl_vec3d(0.0, 0.0, 0.0));
    return true;
}

// The crack's normal in a tetrahedron: turned towards the direction of the largest tension. The turn is small where the tension is
// small relative to the strength, because directions are noise there and the crack should stay straight.
static rblVec3d steer(const rblStress* stress, double strength, rblVec3d before)
{
    rblVec3d wanted;
    double tension;
    if (!largest_tension(stress, &tension, &wanted))
    {
        return before;
    }
    double cosine = rbl_dot3d(wanted, before);
    if (cosine < 0.0)
    {
        wanted = rbl_scale3d(wanted, -1.0);
        cosine = -cosine;
    }
    if (cosine < 0.7) // the direction belongs to another crack
    {
        return before;
    }
    const rblVec3d across = rbl_sub3d(wanted, rbl_scale3d(before, cosine));
    const double sine = rbl_length3d(across);
    const double turn = rbl_mind(sine, TURN_SINE) * rbl_mind(tension / strength, 1.0);
    return sine > 0.0
               ? rbl_normalize3d(
                     rbl_mul_add3d(rbl_scale3d(before, sqrt(1.0 - turn * turn)), turn / sine, across), before)
               : before;
}

// ---- values at nodes ----

static rblCrackTet look_at(const rblCrackGrowth* growth, const rblCrack* crack, uint32_t tet)
{
    rblCrackTet out;
    out.number = tet;
    out.around = &growth->body->graph->around[tet];
    for (uint32_t i = 0; i < 4; ++i)
    {
        out.nodes[i] = out.around->nodes[i];
        const rblCrackNode* node = &growth->nodes[out.nodes[i]];
        const rblCrackMark* mark = &growth->marks[out.nodes[i]];
        out.corners[i] = node->position;
        out.ours[i] = mark->label == crack->label;
        out.known[i] = out.ours[i] && mark->known == crack->stamp;
        out.values[i] = out.known[i] ? node->value : 0.0;
        out.places[i] = mark->place;
    }
    return out;
}

// Adds the neighbours of a tetrahedron to the front.
static void ask_ahead(const rblCrackGrowth* growth, const rblCrackTet* tet)
{
    for (uint32_t face = 0; face < 4; ++face)
    {
        const uint32_t next = tet->around->neighbors[face];
        if (next != RBL_NONE)
        {
            rbl_prefetch(&growth->body->graph->around[next]);
        }
    }
}

// Values at nodes that have none: those of the plane through `point`.
static bool set_values(rblCrackGrowth* growth, const rblCrack* crack, rblCrackTet* tet, rblVec3d point,
                       rblVec3d normal)
{
    for (uint32_t i = 0; i < 4; ++i)
    {
        const uint32_t node = tet->nodes[i];
        if (!tet->ours[i] || tet->known[i])
        {
            continue;
        }
        const double least = RBL_MIN_CRACK_VALUE * growth->stuff[node].edge;
        const double value = rbl_dot3d(normal, rbl_sub3d(tet->corners[i], point));
        tet->known[i] = true;
        tet->values[i] = fabs(value) >= least ? value : value < 0.0 ? -least : least;
        growth->nodes[node].value = tet->values[i];
        growth->marks[node].known = crack->stamp;
        growth->marks[node].place = (uint32_t)growth->band.count;
        growth->normals[growth->band.count] = rbl_crack_normal(normal);
        if (!rbl_array_push(&growth->band, node))
        {
            return false;
        }
    }
    return true;
}

// Whether the values belong to two sheets of the crack: the front meets itself or a part that came around the other way. The front
// ends there. Growth from between two sheets would give wrong values everywhere after it.
static bool meets_itself(const rblCrackTet* tet, rblVec3d normal)
{
    for (uint32_t e = 0; e < 6; ++e)
    {
        const uint32_t a = rbl_tet_edges[e][0], b = rbl_tet_edges[e][1];
        if (tet->known[a] && tet->known[b])
        {
            const rblVec3d way = rbl_sub3d(tet->corners[a], tet->corners[b]);
            const double off = tet->values[a] - tet->values[b] - rbl_dot3d(normal, way);
            if (off * off > MAX_STEP * MAX_STEP * rbl_dot3d(way, way))
            {
                return true;
            }
        }
    }
    return false;
}

// Whether the crack already passes above or below, seen from its initial plane. Such sheets come from fronts that went around an
// obstacle and missed each other.
static bool is_second_sheet(rblCrackGrowth* growth, const rblCrack* crack, rblVec3d point, double edge)
{
    const rblVec3d off = rbl_sub3d(point, crack->start);
    const uint32_t u = (uint32_t)(int32_t)floor(rbl_dot3d(off, crack->sides[0]) / crack->cell);
    const uint32_t v = (uint32_t)(int32_t)floor(rbl_dot3d(off, crack->sides[1]) / crack->cell);
    rblSheetCell* cell = &growth->sheet[(v % RBL_SHEET_CELLS) * RBL_SHEET_CELLS + u % RBL_SHEET_CELLS];
    const double height = rbl_dot3d(off, crack->normal);
    if (cell->stamp != crack->stamp)
    {
        *cell = (rblSheetCell){crack->stamp, (float)height};
    }
    return fabs(height - (double)cell->height) > crack->cell + edge;
}

// Where the crack cuts edges of a tetrahedron between nodes that have values, in the order of edges.
static uint32_t cut_points(const rblCrackTet* tet, rblVec3d points[4])
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < 6; ++e)
    {
        const uint32_t a = rbl_tet_edges[e][0], b = rbl_tet_edges[e][1];
        if (tet->known[a] && tet->known[b] && (tet->values[a] > 0.0) != (tet->values[b] > 0.0))
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

// Whether the contact of a load drives the front on: near a point force F a crack of length c has K = 0.05 F / c^(3/2), so it runs up to
// the reach of the load (Roesler 1956).
static bool is_driven(const rblCrackGrowth* growth, uint32_t tet)
{
    bool driven = false;
    for (uint32_t i = 0; i < growth->body->load_count && !driven; ++i)
    {
        const rblCrackLoad* load = &growth->body->loads[i];
        const rblVec3d off = rbl_sub3d(growth->body->graph->around[tet].middle, load->point);
        driven = rbl_dot3d(off, off) < load->reach * load->reach;
    }
    return driven;
}

// Whether a front may grow: the energy that the whole crack releases covers its cost, without the initial flaw (Griffith 1921) and
// without what contacts drive.
static bool pays(const rblCrack* crack)
{
    const double all = crack->free_area + crack->area; // 0 at the start where surfaces have no cost
    const double cost = all > 0.0 ? (crack->cost - crack->driven) * (1.0 - crack->free_area / all) : 0.0;
    return crack->released >= cost;
}

// A crack releases only the tension across it.
static double pull_energy(const rblCrackBody* body, const rblStress* s, rblVec3d n)
{
    const double pull = s->xx * n.x * n.x + s->yy * n.y * n.y + s->zz * n.z * n.z +
                        2.0 * (s->xy * n.x * n.y + s->yz * n.y * n.z + s->zx * n.z * n.x);
    return pull > 0.0 ? pull * pull / (2.0 * body->young) : 0.0;
}

static void add_area(const rblCrackGrowth* growth, rblCrack* crack, const rblCrackTet* tet, double area,
                     double energy)
{
    double toughness = 0.0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 4; ++i)
    {
        toughness += tet->ours[i] ? growth->stuff[tet->nodes[i]].toughness : 0.0;
        count += tet->ours[i];
    }
    crack->area += area;
    crack->cost += area * toughness / count;
    crack->driven += is_driven(growth, tet->number) ? area * toughness / count : 0.0;
    crack->energy_area += area * energy;
    crack->released = PENNY_RELEASE(growth->body->poisson) * sqrt(crack->area / RBL_PI) * crack->energy_area;
}

// ---- growing ----

// Neighbours through faces that the crack cuts.
static bool spread(rblCrackGrowth* growth, const rblCrack* crack, const rblCrackTet* tet)
{
    const rblGraphTet* tets = growth->body->graph->around;
    for (uint32_t face = 0; face < 4; ++face)
    {
        const uint32_t next = tet->around->neighbors[face];
        bool below = false, above = false;
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t i = rbl_tet_faces[face][k];
            below = below || (tet->known[i] && tet->values[i] < 0.0);
            above = above || (tet->known[i] && tet->values[i] > 0.0);
        }
        if (next == RBL_NONE || growth->seen[next] == crack->stamp || !below || !above)
        {
            continue;
        }
        growth->seen[next] = crack->stamp;
        const uint32_t* n = tets[next].nodes;
        const uint32_t apex = n[0] ^ n[1] ^ n[2] ^ n[3] ^ tet->nodes[rbl_tet_faces[face][0]] ^
                              tet->nodes[rbl_tet_faces[face][1]] ^ tet->nodes[rbl_tet_faces[face][2]];
        rbl_prefetch(&growth->nodes[apex]);
        rbl_prefetch(&growth->stuff[apex]);
        const rblVec3d off = rbl_sub3d(tets[next].middle, crack->start);
        if (!rbl_growth_push(&growth->front, (rblGrowthItem){rbl_dot3d(off, off), next}))
        {
            return false;
        }
    }
    return true;
}

// A point of the crack in the tetrahedra that it has cut already, from which it continues.
static rblVec3d point_between(const rblCrack* crack, const rblCrackTet* tet)
{
    rblVec3d points[4];
    const uint32_t count = cut_points(tet, points);
    return count > 0 ? mean_of(points, count) : crack->start;
}

// Its normal there.
static rblVec3d normal_between(const rblCrackGrowth* growth, const rblCrack* crack, const rblCrackTet* tet)
{
    rblCrackNormal sum = {{0.0, 0.0, 0.0, 0.0}};
    for (uint32_t i = 0; i < 4; ++i)
    {
        for (uint32_t k = 0; k < 4 && tet->known[i]; ++k)
        {
            sum.v[k] += growth->normals[tet->places[i]].v[k];
        }
    }
    return rbl_crack_direction(&sum, crack->normal);
}

static bool is_all_known(const rblCrackTet* tet)
{
    bool all = true;
    for (uint32_t i = 0; i < 4; ++i)
    {
        all = all && (tet->known[i] || !tet->ours[i]);
    }
    return all;
}

// Give values to nodes that have none, or not: *ends where the crack meets itself. False when out of memory.
static bool go_on(rblCrackGrowth* growth, const rblCrack* crack, rblCrackTet* tet, const rblStress* stress,
                  rblVec3d* normal, bool* ends)
{
    const uint32_t node = tet->nodes[0];
    const rblVec3d point = point_between(crack, tet);
    const double edge = growth->stuff[node].edge;
    *ends = meets_itself(tet, *normal) || is_second_sheet(growth, crack, point, edge);
    if (*ends)
    {
        return true;
    }
    const rblVec3d turned = steer(stress, growth->body->stronger * growth->body->strength[node], *normal);
    *normal = rbl_dot3d(turned, crack->normal) >= MIN_COSINE ? turned : *normal;
    return set_values(growth, crack, tet, point, *normal);
}

// False when out of memory.
static bool enter(rblCrackGrowth* growth, rblCrack* crack, uint32_t number)
{
    rblCrackTet tet = look_at(growth, crack, number);
    ask_ahead(growth, &tet);
    rblVec3d normal = normal_between(growth, crack, &tet), points[4];
    rblStress stress;
    const bool solid = mean_stress(growth, &tet, &stress);
    bool ends = false;
    if (!is_all_known(&tet) && !go_on(growth, crack, &tet, &stress, &normal, &ends))
    {
        return false;
    }
    if (ends)
    {
        return true;
    }
    if (solid && number < growth->body->tets->solid_tet_count) // cuts in the rim have no cost
    {
        const uint32_t count = cut_points(&tet, points);
        const double energy = pull_energy(growth->body, &stress, normal);
        add_area(growth, crack, &tet, polygon_area(points, count), energy);
    }
    return spread(growth, crack, &tet);
}

bool rbl_crack_run(rblCrackGrowth* growth, rblCrack* crack)
{
    bool ok = true;
    while (growth->front.count > 0 && ok)
    {
        const rblGrowthItem item = growth_pop(&growth->front);
        crack->stalled = crack->cost > growth->energy_left || (!pays(crack) && !is_driven(growth, item.item));
        if (crack->stalled)
        {
            rbl_array_clear(&growth->front);
            break;
        }
        ok = enter(growth, crack, item.item);
    }
    crack->stalled = crack->stalled || growth->band.count == 0;
    return ok;
}
