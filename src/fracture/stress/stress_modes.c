// Fast stress of an impact from the lowest vibration modes of a solid. With mass-normalised modes Phi_i of frequencies w_i, the quasi-static
// response to nodal forces f is u = sum (Phi_i . f) / w_i^2 Phi_i; with all modes it is the static solution. An impact costs a projection
// and a sum.
#include "base/error.h"
#include "fracture/stress/stress_private.h"

// Nodes per mode, at least: higher modes are artefacts of the mesh.
#define NODES_PER_MODE 2u

rblResult rbl_stress_find_modes(rblStressRoot* root, uint32_t wanted)
{
    const uint32_t nodes = root->elastic_view.node_count;
    const uint32_t most = nodes / NODES_PER_MODE;
    root->mode_count = wanted < most ? wanted : most;
    if (root->mode_count == 0)
    {
        return RBL_OK;
    }
    root->frequencies = RBL_NEW_ARRAY(root->allocator, double, root->mode_count);
    root->modes = RBL_NEW_ARRAY(root->allocator, rblVec3d, (size_t)root->mode_count * nodes);
    return root->frequencies != NULL && root->modes != NULL
               ? rbl_elastic_modes(root->elastic, root->mode_count, root->frequencies, root->modes)
               : rbl_fail_memory();
}

void rbl_stress_free_modes(rblStressRoot* root)
{
    RBL_FREE_ARRAY(root->allocator, root->frequencies, root->mode_count);
    RBL_FREE_ARRAY(root->allocator, root->modes, (size_t)root->mode_count * root->elastic_view.node_count);
}

rblResult rbl_stress_sum_modes(const rblStressRoot* root, const rblElasticLoad* loads, uint32_t count,
                               const rblElasticFields* fields, rblElasticReport* report)
{
    rblElasticLoad resting[RBL_STRESS_MAX_LOADS];
    const uint32_t nodes = root->elastic_view.node_count;
    rblVec3d* displacements = RBL_NEW_ARRAY(root->allocator, rblVec3d, nodes);
    double time = 0.0;
    if (displacements == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        resting[i] = loads[i];
        resting[i].duration = 0.0;
    }
    rblResult result = rbl_elastic_respond(root->elastic, root->frequencies, root->modes, root->mode_count,
                                           resting, count, &time, displacements);
    result = result == RBL_OK ? rbl_elastic_evaluate(root->elastic, displacements, fields, report) : result;
    RBL_FREE_ARRAY(root->allocator, displacements, nodes);
    return result;
}
