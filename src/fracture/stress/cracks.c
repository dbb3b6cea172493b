// Initiation of cracks, one after the other, and the end of cracking.
#include "fracture/stress/cracks.h"
#include "base/error.h"
#include "fracture/stress/cracks_private.h"
#include "mesh/tets/tets.h"
#include <math.h>
#include <string.h>

// ---- tuning ----
#define GIVEN_UP                                                                                             \
    2.0 // starts within this distance of one whose crack stalled are given up, in mean edge lengths
#define MAX_AROUND                                                                                           \
    96u // tetrahedra around a node that are looked at; a lattice has 24, warped ones a few more
#define SHEET_CELL 2.0 // side of a square that detects overlapping sheets of a crack, in mean edge lengths

// ---- stress ----

double rbl_energy_density(double young, double poisson, const rblStress* s)
{
    const double trace = s->xx + s->yy + s->zz;
    const double square =
        s->xx * s->xx + s->yy * s->yy + s->zz * s->zz + 2.0 * (s->xy * s->xy + s->yz * s->yz + s->zx * s->zx);
    return rbl_maxd(((1.0 + poisson) * square - poisson * trace * trace) / (2.0 * young), 0.0);
}

// Upper bound of the principal stresses: with m the mean and p^2 a sixth of the squares of s - m, m + 2 p.
static double bound_of(const rblStress* s)
{
    const double mean = (s->xx + s->yy + s->zz) / 3.0;
    const double x = s->xx - mean, y = s->yy - mean, z = s->zz - mean;
    const double shear = s->xy * s->xy + s->yz * s->yz + s->zx * s->zx;
    return mean + 2.0 * sqrt((x * x + y * y + z * z + 2.0 * shear) / 6.0);
}

double rbl_largest_unless_below(const rblStress* stress, double least)
{
    return bound_of(stress) * (1.0 + 1e-9) < least ? 0.0 : rbl_stress_largest(stress);
}

// ---- setting up ----

// Finds nodes whose largest tension reaches their strength, and the elastic energy of the body.
static bool survey(rblCrackGrowth* growth, rblCrackReport* report)
{
    const rblCrackBody* body = growth->body;
    for (uint32_t node = 0; node < body->tets->solid_node_count; ++node)
    {
        growth->peak[node] = 0.0;
        if (growth->marks[node].label != 0)
        {
            continue;
        }
        const rblStress* stress = &body->stress[node];
        growth->stuff[node].stress = *stress;
        const double strength = body->stronger * body->strength[node];
        report->elastic +=
            body->solid_graph->volumes[node] * rbl_energy_density(body->young, body->poisson, stress);
        const double asked = rbl_mind(1.0, report->worst_ratio) * strength;
        const double peak = rbl_largest_unless_below(stress, asked);
        report->worst_ratio = rbl_maxd(report->worst_ratio, peak / strength);
        growth->peak[node] = peak;
        if (peak >= strength && !rbl_array_push(&growth->candidates, node))
        {
            return false;
        }
    }
    return true;
}

static void close_growth(rblCrackGrowth* growth)
{
    rbl_array_free(&growth->candidates);
    rbl_array_free(&growth->relieved);
    rbl_array_free(&growth->load_nodes);
    rbl_array_free(&growth->loaded);
    rbl_array_free(&growth->crumbs);
    rbl_array_free(&growth->queue);
    rbl_array_free(&growth->band);
    rbl_array_free(&growth->band_starts);
    rbl_array_free(&growth->band_links);
    rbl_array_free(&growth->front);
    rbl_array_free(&growth->edges);
    rbl_hash_map_free(&growth->open);
    rbl_arena_free(&growth->arena);
}

static bool open_growth(rblCrackGrowth* growth, const uint32_t* labels)
{
    const rblCrackBody* body = growth->body;
    const size_t nodes = body->tets->node_count, tets = body->tets->tet_count;
    rbl_array_init(&growth->candidates, growth->allocator);
    rbl_array_init(&growth->relieved, growth->allocator);
    rbl_array_init(&growth->load_nodes, growth->allocator);
    rbl_array_init(&growth->loaded, growth->allocator);
    rbl_array_init(&growth->crumbs, growth->allocator);
    rbl_array_init(&growth->queue, growth->allocator);
    rbl_array_init(&growth->band, growth->allocator);
    rbl_array_init(&growth->band_starts, growth->allocator);
    rbl_array_init(&growth->band_links, growth->allocator);
    rbl_array_init(&growth->front, growth->allocator);
    rbl_array_init(&growth->edges, growth->allocator);
    rbl_hash_map_init(&growth->open, growth->allocator);
    rbl_arena_init(&growth->arena, 1 << 16, growth->allocator);
    growth->marks = RBL_ARENA_ARRAY(&growth->arena, rblCrackMark, nodes);
    growth->nodes = RBL_ARENA_ARRAY(&growth->arena, rblCrackNode, nodes);
    growth->distances = RBL_ARENA_ARRAY(&growth->arena, double, nodes);
    growth->sources = RBL_ARENA_ARRAY(&growth->arena, uint32_t, nodes);
    growth->stuff = RBL_ARENA_ARRAY(&growth->arena, rblCrackStuff, nodes + 1);
    growth->normals = RBL_ARENA_ARRAY(&growth->arena, rblCrackNormal, nodes);
    growth->seen = RBL_ARENA_ARRAY(&growth->arena, uint32_t, tets);
    growth->own = RBL_ARENA_ARRAY(&growth->arena, double, nodes);
    growth->peak = RBL_ARENA_ARRAY(&growth->arena, double, nodes);
    growth->sheet = RBL_ARENA_ARRAY(&growth->arena, rblSheetCell, RBL_SHEET_CELLS * RBL_SHEET_CELLS);
    if (growth->marks == NULL || growth->nodes == NULL || growth->distances == NULL ||
        growth->sources == NULL || growth->stuff == NULL || growth->normals == NULL || growth->seen == NULL ||
        growth->own == NULL || growth->peak == NULL || growth->sheet == NULL)
    {
        return false;
    }
    growth->stuff = rbl_at_line(growth->stuff);
    memset(growth->seen, 0, tets * sizeof *growth->seen);
    memset(growth->sheet, 0, RBL_SHEET_CELLS * RBL_SHEET_CELLS * sizeof *growth->sheet);
    memset(growth->own, 0, nodes * sizeof *growth->own);
    for (size_t i = 0; i < nodes; ++i)
    {
        growth->marks[i] = (rblCrackMark){.label = labels[i]};
        growth->nodes[i] = (rblCrackNode){.position = body->tets->positions[i]};
        growth->distances[i] = (double)INFINITY;
        growth->stuff[i].toughness = body->toughness[i];
        growth->stuff[i].edge = body->graph->mean_edges[i];
    }
    return true;
}

// ---- one crack after the other ----

// The node with the largest ratio of relieved tension to strength; RBL_NONE where no ratio is above 1. Relieved nodes are removed for
// good, because relief only lowers the stress. So are those of fragments that no load acts on: these are free of stress.
static uint32_t weakest_node(rblCrackGrowth* growth)
{
    uint32_t best = RBL_NONE;
    double most = 1.0;
    size_t kept = 0;
    for (size_t i = 0; i < growth->candidates.count; ++i)
    {
        const uint32_t node = growth->candidates.data[i];
        const double ratio = growth->peak[node] / (growth->body->stronger * growth->body->strength[node]);
        if (ratio >= 1.0 && growth->loaded.data[growth->marks[node].label])
        {
            growth->candidates.data[kept++] = node;
            best = best == RBL_NONE || ratio > most ? node : best;
            most = rbl_maxd(most, ratio);
        }
    }
    growth->candidates.count = kept;
    return best;
}

// A tetrahedron of the solid is appended unless it is in the list already. Returns the new count.
static uint32_t add_tet(const rblCrackGrowth* growth, uint32_t tet, uint32_t around[MAX_AROUND],
                        uint32_t count)
{
    bool is_new = tet < growth->body->tets->solid_tet_count && count < MAX_AROUND;
    for (uint32_t i = 0; i < count && is_new; ++i)
    {
        is_new = around[i] != tet;
    }
    around[is_new ? count : 0] = is_new ? tet : around[0];
    return count + is_new;
}

// Of the tetrahedra around a node, the one whose middle is closest to the plane through the node. The numbers of tetrahedra must not
// matter, or mirror images of a body and its impact would break differently.
static uint32_t tet_along(const rblCrackGrowth* growth, uint32_t node, rblVec3d normal)
{
    const rblGraphTet* tets = growth->body->solid_graph->around;
    uint32_t around[MAX_AROUND], count = 1, best = 0;
    double least = (double)INFINITY;
    around[0] = growth->body->solid_graph->tets[node];
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblGraphTet* tet = &tets[around[i]];
        const rblVec3d off = rbl_sub3d(tet->middle, growth->nodes[node].position);
        const double distance = fabs(rbl_dot3d(off, normal)) / rbl_length3d(off);
        best = distance < least ? i : best;
        least = rbl_mind(least, distance);
        for (uint32_t face = 0; face < 4; ++face)
        {
            count = tet->nodes[face] == node ? count : add_tet(growth, tet->neighbors[face], around, count);
        }
    }
    return around[best];
}

static bool start_crack(rblCrackGrowth* growth, uint32_t node, const rblMat3d* axes, rblCrack* crack)
{
    const rblCrackBody* body = growth->body;
    const uint32_t tet = tet_along(growth, node, axes->cx);
    const rblVec3d middle = body->solid_graph->around[tet].middle;
    crack->label = growth->marks[node].label;
    crack->first_label = growth->label_count;
    crack->start = rbl_scale3d(rbl_add3d(middle, body->tets->positions[node]), 0.5);
    crack->normal = axes->cx;
    crack->sides[0] = axes->cy;
    crack->sides[1] = axes->cz;
    crack->cell = SHEET_CELL * body->graph->mean_edges[node];
    // The radius of the penny-shaped flaw that grows exactly at the strength: the strength implies a flaw of this size.
    const double strength = body->stronger * body->strength[node];
    const double radius = RBL_PI * body->young * body->toughness[node] /
                          (4.0 * (1.0 - body->poisson * body->poisson) * strength * strength);
    crack->free_area = RBL_PI * radius * radius;
    rbl_array_clear(&growth->band);
    rbl_array_clear(&growth->front);
    growth->seen[tet] = crack->stamp;
    return rbl_growth_push(&growth->front, (rblGrowthItem){0.0, tet});
}

// Removes the candidates around the start of a stalled crack: their cracks would stall, too.
static void give_up_around(rblCrackGrowth* growth, uint32_t node, double distance)
{
    const rblVec3d* positions = growth->body->tets->positions;
    for (size_t i = 0; i < growth->candidates.count; ++i)
    {
        const uint32_t other = growth->candidates.data[i];
        const bool close = rbl_distance3d(positions[node], positions[other]) < distance;
        growth->peak[other] =
            close && growth->marks[other].label == growth->marks[node].label ? 0.0 : growth->peak[other];
    }
    growth->peak[node] = 0.0;
}

// Grow a crack from a node, perpendicular to the first axis; `parts` receives the number of parts of its fragment afterwards. A crack that
// goes right through stays, even where it separates nothing: it takes two to break a ring.
static bool grow_from(rblCrackGrowth* growth, uint32_t node, const rblMat3d* axes, rblCrack* crack,
                      uint32_t* parts)
{
    *parts = 1;
    if (!start_crack(growth, node, axes, crack) || !rbl_crack_run(growth, crack))
    {
        return false;
    }
    if (crack->stalled)
    {
        return true;
    }
    return rbl_crack_smooth(growth, crack) && rbl_crack_split(growth, crack, parts) &&
           rbl_crack_relieve(growth, crack) && rbl_crack_move_loads(growth, crack);
}

// The same, and its costs. `stalled`: it is discarded.
static bool grow_one(rblCrackGrowth* growth, uint32_t node, const rblMat3d* axes, rblCrackReport* report,
                     bool* stalled)
{
    rblCrack crack = {.stamp = ++growth->stamp};
    uint32_t parts = 1;
    if (!grow_from(growth, node, axes, &crack, &parts))
    {
        return false;
    }
    *stalled = crack.stalled;
    report->stalled += crack.stalled;
    if (!crack.stalled)
    {
        growth->energy_left -= crack.cost;
        report->cracks += parts > 1;
        report->open += parts == 1;
        report->area += crack.area;
        report->cost += crack.cost;
        report->released += crack.released;
    }
    return true;
}

static bool grow_at_contacts(rblCrackGrowth* growth, rblCrackReport* report)
{
    bool ok = true;
    for (uint32_t i = 0; i < growth->body->load_count && ok; ++i)
    {
        const rblCrackLoad* load = &growth->body->loads[i];
        uint32_t node = load->reach > 0.0 ? rbl_crack_contact_node(growth, load) : RBL_NONE;
        for (uint32_t k = 0; k < RBL_CONTACT_CRACKS && node != RBL_NONE && ok &&
                             growth->label_count < growth->body->max_fragments;
             ++k)
        {
            const bool chipped = growth->crumbs.data[growth->marks[node].label];
            node = chipped ? rbl_crack_contact_node(growth, load) : node;
            const rblMat3d axes = rbl_crack_contact_axes(growth, load, node, k);
            bool stalled;
            ok = grow_one(growth, node, &axes, report, &stalled);
        }
    }
    return ok;
}

// Every crack removes its start from the candidates, so the number of nodes bounds the number of cracks. A limit on cracks that stall
// would end the search the earlier the more nodes are above their strength: a harder impact could break less.
static bool grow_all(rblCrackGrowth* growth, rblCrackReport* report)
{
    while (growth->label_count < growth->body->max_fragments)
    {
        const uint32_t node = weakest_node(growth);
        if (node == RBL_NONE)
        {
            break;
        }
        rblVec3d principal;
        rblMat3d axes;
        bool stalled;
        rbl_stress_principal(&growth->stuff[node].stress, &principal, &axes);
        if (!grow_one(growth, node, &axes, report, &stalled))
        {
            return false;
        }
        growth->peak[node] = 0.0;
        if (stalled)
        {
            give_up_around(growth, node, GIVEN_UP * growth->body->solid_graph->mean_edges[node]);
        }
    }
    return true;
}

rblResult rbl_grow_cracks(const rblCrackBody* body, const rblAllocator* allocator, uint32_t* labels,
                          double* weights, rblCrackReport* report)
{
    rblCrackGrowth growth = {.body = body, .label_count = 1, .allocator = allocator};
    *report = (rblCrackReport){.fragments = 1};
    bool ok = open_growth(&growth, labels) && survey(&growth, report) && rbl_crack_find_loaded(&growth);
    growth.energy_left = rbl_mind(report->elastic, body->budget);
    ok = ok && grow_at_contacts(&growth, report) && grow_all(&growth, report) &&
         rbl_cracks_finish(&growth, weights, report);
    for (uint32_t node = 0; ok && node < body->tets->node_count; ++node)
    {
        labels[node] = growth.marks[node].label;
    }
    close_growth(&growth);
    return ok ? RBL_OK : rbl_fail_memory();
}
