// Stress of impacts in a body or a fragment.
#include "base/array.h"
#include "base/error.h"
#include "fracture/stress/stress_private.h"
#include "math/trig.h"
#include "math/vec.h"

bool rbl_stress_has_node(const rblStressBody* body, uint32_t node)
{
    if (body->event == NULL)
    {
        return true;
    }
    const uint32_t place = rbl_rank_find(body->event->node_ranks, node);
    return place != RBL_NONE && body->event->labels[place] == body->label;
}

rblStressEvidence* rbl_stress_evidence_new(const rblStressBody* body)
{
    const rblAllocator* allocator = body->root->allocator;
    const size_t bytes = sizeof(rblStressEvidence) + body->root->view.node_count * sizeof(rblStress);
    rblStressEvidence* evidence = rbl_alloc_zero(allocator, bytes);
    if (evidence != NULL)
    {
        evidence->allocator = allocator;
        evidence->bytes = bytes;
        evidence->stronger = 1.0;
    }
    return evidence;
}

void rbl_stress_evidence_free(rblStressEvidence* evidence)
{
    if (evidence != NULL)
    {
        rbl_free(evidence->allocator, evidence, evidence->bytes);
    }
}

void rbl_stress_scale(rblStress* stress, uint32_t count, double factor)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        stress[i] = (rblStress){factor * stress[i].xx, factor * stress[i].yy, factor * stress[i].zz,
                                factor * stress[i].xy, factor * stress[i].yz, factor * stress[i].zx};
    }
}

// Copy stresses of an elastic solid to the nodes of the mesh, scaled. Where parts share a node the last one counts.
static void spread(const rblElasticView* view, const rblStress* from, double factor, rblStress* to)
{
    for (uint32_t i = 0; i < view->node_count; ++i)
    {
        const rblStress* s = &from[i];
        to[view->mesh_nodes[i]] = (rblStress){factor * s->xx, factor * s->yy, factor * s->zz,
                                              factor * s->xy, factor * s->yz, factor * s->zx};
    }
}

// Loads on an elastic solid.
typedef struct Loaded
{
    const rblStressRoot* root;
    rblElasticId elastic;
    const rblElasticView* view;
    bool by_modes;
    const rblStressBlow* blow;
} Loaded;

static rblResult solve_with(const Loaded* loaded, rblStressEvidence* out, double* ratio)
{
    const rblAllocator* allocator = loaded->root->allocator;
    const rblStressBlow* blow = loaded->blow;
    const uint32_t nodes = loaded->view->node_count, tets = loaded->view->tet_count;
    rblStress* stress = RBL_NEW_ARRAY(allocator, rblStress, nodes);
    rblStress* inside = RBL_NEW_ARRAY(allocator, rblStress, tets);
    const rblElasticFields fields = {.node_stresses = stress, .tet_stresses = inside};
    rblElasticReport report;
    rblResult result = stress != NULL && inside != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = loaded->by_modes
                     ? rbl_stress_sum_modes(loaded->root, blow->loads, blow->count, &fields, &report)
                     : rbl_elastic_solve(loaded->elastic, blow->loads, blow->count, &fields, &report);
    }
    if (result == RBL_OK)
    {
        const rblStressSolved solved = {loaded->root, loaded->view, stress, inside};
        result = rbl_stress_judge(&solved, blow, out, ratio);
    }
    if (result == RBL_OK)
    {
        spread(loaded->view, stress, out->scale, out->stress);
    }
    RBL_FREE_ARRAY(allocator, stress, nodes);
    RBL_FREE_ARRAY(allocator, inside, tets);
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

rblResult rbl_stress_solve(rblStressBody* body, const rblStressBlow* blow, rblStressEvidence* out,
                           double* ratio)
{
    const rblStressRoot* root = body->root;
    Loaded loaded = {root, root->elastic, &root->elastic_view, root->mode_count > 0, blow};
    *ratio = 0.0;
    if (body->event != NULL)
    {
        for (uint32_t i = 0; i < root->view.node_count; ++i)
        {
            out->stress[i] = (rblStress){0};
        }
        RBL_TRY(find_elastic(body));
        loaded.elastic = body->elastic;
        loaded.view = &body->elastic_view;
        loaded.by_modes = false;
    }
    return loaded.elastic.index1 != 0 ? solve_with(&loaded, out, ratio) : RBL_OK;
}
