// Stress of impacts in a body or a fragment.
#include "base/array.h"
#include "base/error.h"
#include "fracture/stress/stress_private.h"
#include "math/trig.h"
#include "math/vec.h"

#define WEIBULL_MODULUS 5.0 // of ordinary ceramics: 5 to 10; without it small fragments break too easily

bool rbl_stress_has_node(const rblStressBody* body, uint32_t node)
{
    if (body->event == NULL)
    {
        return true;
    }
    const uint32_t place = rbl_rank_find(body->event->node_ranks, node);
    return place != RBL_NONE && body->event->labels[place] == body->label;
}

// The probability of survival decreases with the number of flaws in a volume: at equal probability a smaller volume v bears a stress that
// is (V / v)^(1 / m) times that of V.
double rbl_stress_stronger(const rblStressBody* body, double volume)
{
    const double part = volume / body->root->volume;
    return body->event != NULL && part < 1.0 ? rbl_exp(-rbl_log(part) / WEIBULL_MODULUS) : 1.0;
}

double rbl_stress_worst_ratio(const rblStressBody* body, const rblStress* stress)
{
    double worst = 0.0;
    for (uint32_t node = 0; node < body->root->view.solid_node_count; ++node)
    {
        if (rbl_stress_has_node(body, node))
        {
            const double strength = body->root->strength[node];
            worst = rbl_maxd(worst, rbl_largest_unless_below(&stress[node], worst * strength) / strength);
        }
    }
    return worst;
}

double rbl_stress_energy(const rblStressBody* body, const rblStress* stress)
{
    const rblStressRoot* root = body->root;
    const double young = (double)root->material.young, poisson = (double)root->material.poisson;
    double energy = 0.0;
    for (uint32_t node = 0; node < root->view.solid_node_count; ++node)
    {
        if (rbl_stress_has_node(body, node))
        {
            energy += root->solid_graph.volumes[node] * rbl_energy_density(young, poisson, &stress[node]);
        }
    }
    return energy;
}

void rbl_stress_scale(rblStress* stress, uint32_t count, double factor)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        stress[i] = (rblStress){factor * stress[i].xx, factor * stress[i].yy, factor * stress[i].zz,
                                factor * stress[i].xy, factor * stress[i].yz, factor * stress[i].zx};
    }
}

// Copy stresses of an elastic solid to the nodes of the mesh. Where parts share a node the last one counts.
static void spread(const rblElasticView* view, const rblStress* from, rblStress* to)
{
    for (uint32_t i = 0; i < view->node_count; ++i)
    {
        to[view->mesh_nodes[i]] = from[i];
    }
}

// An elastic solid of a body.
typedef struct Solid
{
    const rblStressRoot* root;
    rblElasticId elastic;
    const rblElasticView* view;
    bool by_modes;
} Solid;

static rblResult solve_with(const Solid* solid, const rblElasticLoad* loads, uint32_t count, rblStress* out,
                            double* energy)
{
    const rblAllocator* allocator = solid->root->allocator;
    const uint32_t nodes = solid->view->node_count;
    rblStress* stress = RBL_NEW_ARRAY(allocator, rblStress, nodes);
    if (stress == NULL)
    {
        return rbl_fail_memory();
    }
    rblElasticReport report;
    const rblElasticFields fields = {.node_stresses = stress};
    const rblResult result = solid->by_modes
                                 ? rbl_stress_sum_modes(solid->root, loads, count, &fields, &report)
                                 : rbl_elastic_solve(solid->elastic, loads, count, &fields, &report);
    if (result == RBL_OK)
    {
        spread(solid->view, stress, out);
        *energy = report.energy;
    }
    RBL_FREE_ARRAY(allocator, stress, nodes);
    return result;
}

// Tetrahedra of the solid with all nodes in the fragment, or where there are none, those with at least one.
static bool list_tets(const rblStressBody* body, rblIndexArray* out)
{
    const rblTetsView* tets = &body->root->view;
    for (uint32_t wanted = 4; wanted > 0 && out->count == 0; wanted -= 1)
    {
        for (uint32_t k = 0; k < body->event->tet_count; ++k)
        {
            const uint32_t tet = body->event->tets[k];
            uint32_t inside = 0;
            for (uint32_t i = 0; i < 4; ++i)
            {
                inside += rbl_stress_has_node(body, tets->nodes[4 * (size_t)tet + i]);
            }
            if (tet < tets->solid_tet_count && inside >= wanted && !rbl_array_push(out, tet))
            {
                return false;
            }
        }
    }
    return true;
}

// The elastic solid of a fragment, created at its first impact: most fragments have none.
static rblResult make_elastic(rblStressBody* body, const rblIndexArray* tets)
{
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = body->root->tets;
    def.young = (double)body->root->material.young;
    def.poisson = (double)body->root->material.poisson;
    def.density = (double)body->root->material.density;
    def.tolerance = RBL_STRESS_FRAGMENT_TOLERANCE;
    def.subset = tets->data;
    def.subset_count = (uint32_t)tets->count;
    def.solver = RBL_ELASTIC_ITERATIVE;
    RBL_TRY(rbl_elastic_create(&def, &body->elastic));
    return rbl_elastic_view(body->elastic, &body->elastic_view);
}

static rblResult find_elastic(rblStressBody* body)
{
    if (body->elastic.index1 != 0)
    {
        return RBL_OK;
    }
    rblIndexArray tets;
    rbl_array_init(&tets, body->root->allocator);
    rblResult result = list_tets(body, &tets) ? RBL_OK : rbl_fail_memory();
    result = result == RBL_OK && tets.count > 0 ? make_elastic(body, &tets) : result;
    rbl_array_free(&tets);
    return result;
}

rblResult rbl_stress_solve(rblStressBody* body, const rblElasticLoad* loads, uint32_t count, rblStress* out,
                           double* energy)
{
    const rblStressRoot* root = body->root;
    if (body->event == NULL)
    {
        const Solid solid = {root, root->elastic, &root->elastic_view, root->mode_count > 0};
        return solve_with(&solid, loads, count, out, energy);
    }
    for (uint32_t i = 0; i < root->view.node_count; ++i)
    {
        out[i] = (rblStress){0};
    }
    *energy = 0.0;
    RBL_TRY(find_elastic(body));
    const Solid solid = {root, body->elastic, &body->elastic_view, false};
    return body->elastic.index1 != 0 ? solve_with(&solid, loads, count, out, energy) : RBL_OK;
}
