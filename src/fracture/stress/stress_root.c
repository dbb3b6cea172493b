// What is known of a solid before it breaks.
#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"
#include "fracture/stress/stress_private.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

#define MAX_TRIES      10u  // to find an edge with which the tetrahedra hang together as the solid does
#define SHORTER        0.8  // each time
#define MAX_GROWTH     16.0 // of the number of tetrahedra by that: thinner walls stay torn
#define HALVINGS       2u   // of the step to that edge, to find a longer one
#define ANY_STRENGTH   1e6f // Pa: of what breaks by impulse or on demand alone; stress is made to measure there
#define SAMPLE_SPACING 0.75 // of an edge: of samples on the original surface

static void root_free(rblStressRoot* root)
{
    const size_t nodes = root->view.node_count;
    rbl_tets_surface_free(root->crossing);
    rbl_background_release(root->background);
    rbl_stress_free_modes(root);
    if (root->elastic.index1 != 0)
    {
        (void)rbl_elastic_destroy(root->elastic);
    }
    if (root->tets.index1 != 0)
    {
        (void)rbl_tets_destroy(root->tets);
    }
    if (root->surface.index1 != 0)
    {
        (void)rbl_mesh_destroy(root->surface);
    }
    rbl_tet_graph_free(&root->solid_graph);
    rbl_tet_graph_free(&root->graph);
    RBL_FREE_ARRAY(root->allocator, root->strength, nodes);
    RBL_FREE_ARRAY(root->allocator, root->toughness, nodes);
    rbl_shape_release(root->shape);
    rbl_breaker_release(root->breaker);
    rbl_free(root->allocator, root, sizeof *root);
}

// ---- making one ----

static rblResult take_surface(rblStressRoot* root, const rblShapeView* shape)
{
    rblMeshId mesh = {0, 0};
    const rblResult result = shape->bounded ? rbl_shape_surface(shape, &mesh) : RBL_ERROR_UNSUPPORTED;
    if (result == RBL_ERROR_MEMORY)
    {
        return result;
    }
    if (result != RBL_OK || mesh.index1 == 0)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "stress: a %s without a surface cannot break", shape->kind);
    }
    RBL_TRY(rbl_mesh_share(mesh, &root->surface));
    return rbl_mesh_view(root->surface, &root->surface_view);
}

// Parts that run through each other are one solid: then nothing hangs together as the surface does, however short edges are.
static rblResult crosses_itself(const rblStressRoot* root, bool* out)
{
    rblMeshReport report;
    RBL_TRY(rbl_mesh_inspect(root->surface, NULL, &report));
    *out = report.self_intersections.count > 0;
    return RBL_OK;
}

// Walls that are thinner than an edge are torn: shorter edges, as few as will do. `torn` receives the last one that was too long.
static rblResult refine(rblStressRoot* root, rblTetsDef* tets, rblTetsFill* filled, double most, double* torn)
{
    for (uint32_t i = 0; i < MAX_TRIES && !filled->same_topology; ++i)
    {
        rblTetsView view;
        rblTetsId finer;
        RBL_TRY(rbl_tets_view(root->tets, &view));
        if ((double)view.solid_tet_count > most * SHORTER * SHORTER * SHORTER)
        {
            break;
        }
        *torn = filled->edge;
        tets->edge = SHORTER * filled->edge;
        RBL_TRY(rbl_tets_fill(root->surface, tets, filled, &finer));
        (void)rbl_tets_destroy(root->tets);
        root->tets = finer;
    }
    return RBL_OK;
}

// What a break costs goes with the number of tetrahedra: between an edge that was too long and one that is not, longer ones are tried.
static rblResult coarsen(rblStressRoot* root, rblTetsDef* tets, rblTetsFill* filled, double torn)
{
    for (uint32_t i = 0; i < HALVINGS && torn > 0.0 && filled->same_topology; ++i)
    {
        rblTetsFill longer;
        rblTetsId coarser;
        tets->edge = sqrt(torn * filled->edge);
        const rblResult result = rbl_tets_fill(root->surface, tets, &longer, &coarser);
        if (result != RBL_OK)
        {
            return result == RBL_ERROR_MEMORY ? result : RBL_OK; // what holds stands
        }
        (void)rbl_tets_destroy(longer.same_topology ? root->tets : coarser);
        root->tets = longer.same_topology ? coarser : root->tets;
        torn = longer.same_topology ? torn : longer.edge;
        *filled = longer.same_topology ? longer : *filled;
    }
    return RBL_OK;
}

static rblResult fill(rblStressRoot* root, const rblStressDef* def, double* edge)
{
    rblTetsDef tets = rbl_default_tets_def();
    rblTetsFill filled;
    bool crossing = false;
    tets.edge = def->edge;
    tets.count = def->tetrahedra;
    RBL_TRY(rbl_tets_fill(root->surface, &tets, &filled, &root->tets));
    RBL_TRY(rbl_tets_view(root->tets, &root->view));
    RBL_TRY(filled.same_topology ? RBL_OK : crosses_itself(root, &crossing));
    if (!crossing)
    {
        const uint32_t least = def->edge > 0.0 ? 0 : def->tetrahedra;
        const double first = rbl_maxd((double)root->view.solid_tet_count, (double)least);
        double torn = 0.0;
        RBL_TRY(refine(root, &tets, &filled, MAX_GROWTH * first, &torn));
        RBL_TRY(coarsen(root, &tets, &filled, torn));
    }
    if (!filled.same_topology)
    {
        rbl_log_message(RBL_LOG_WARNING,
                        "stress: with edges of %g m the tetrahedra do not hang together as the solid does: "
                        "thin places are torn, or parts run through each other",
                        filled.edge);
    }
    *edge = filled.edge;
    return rbl_tets_view(root->tets, &root->view);
}

// Fields of fragments begin from a level set, whatever the shape is: a shape that is the same one already lends its grid. Its samples are
// about as far apart as nodes are: edges and corners have their own.
static rblResult lay_background(rblStressRoot* root, double edge)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId solid;
    def.mesh = root->surface;
    def.sample_spacing = (float)(SAMPLE_SPACING * edge);
    RBL_TRY(rbl_level_set_is_made_by(root->shape, &def)
                ? rbl_level_set_resample(root->shape, def.sample_spacing, &solid)
                : rbl_shape_create_level_set(&def, &solid));
    const rblResult result = rbl_background_create(solid, root->tets, &root->background);
    (void)rbl_shape_destroy(solid);
    return result;
}

static rblResult find_strength(rblStressRoot* root, const rblStrengthField* field)
{
    const uint32_t count = root->view.node_count;
    root->strength = RBL_NEW_ARRAY(root->allocator, double, count);
    root->toughness = RBL_NEW_ARRAY(root->allocator, double, count);
    if (root->strength == NULL || root->toughness == NULL)
    {
        return rbl_fail_memory();
    }
    rblAabbd bounds = rbl_aabbd_empty();
    for (uint32_t v = 0; v < root->surface_view.vertex_count; ++v)
    {
        bounds = rbl_aabbd_add(bounds, root->surface_view.positions[v]);
    }
    for (uint32_t node = 0; node < count; ++node)
    {
        const double factor = rbl_strength_factor(field, &bounds, root->view.positions[node]);
        root->strength[node] = factor * (double)root->material.strength;
        root->toughness[node] = factor * 2.0 * (double)root->material.surface_energy;
    }
    return RBL_OK;
}

static rblResult make_elastic(rblStressRoot* root, uint32_t modes)
{
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = root->tets;
    def.young = (double)root->material.young;
    def.poisson = (double)root->material.poisson;
    def.density = (double)root->material.density;
    def.tolerance = RBL_STRESS_TOLERANCE;
    def.solver = modes > 0 ? RBL_ELASTIC_DIRECT : RBL_ELASTIC_ROUNDED;
    RBL_TRY(rbl_elastic_create(&def, &root->elastic));
    return rbl_elastic_view(root->elastic, &root->elastic_view);
}

static rblResult cross_surface(rblStressRoot* root)
{
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(root->tets, &tets));
    const rblResult result =
        rbl_tets_surface_create(&root->surface_view, tets, root->allocator, &root->crossing);
    rbl_tets_release(tets); // the root's own handle keeps it
    return result;
}

static rblResult root_create(const rblStressBreaker* breaker, const rblShapeView* shape,
                             const rblMaterial* material, rblStressRoot** out)
{
    rblStressRoot* root = rbl_alloc_zero(breaker->allocator, sizeof *root);
    if (root == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_shape_retain(shape->shape);
    root->shape = shape->shape;
    rbl_breaker_retain(breaker->self);
    root->breaker = breaker->self;
    root->material = *material;
    root->volume = shape->mass.volume;
    root->allocator = breaker->allocator;
    double edge = 0.0;
    rblResult result = take_surface(root, shape);
    result = result == RBL_OK ? fill(root, &breaker->def, &edge) : result;
    result = result == RBL_OK ? lay_background(root, edge) : result;
    result = result == RBL_OK ? cross_surface(root) : result;
    result = result == RBL_OK ? rbl_tet_graph_create(&root->view, true, root->allocator, &root->solid_graph)
                              : result;
    result =
        result == RBL_OK ? rbl_tet_graph_create(&root->view, false, root->allocator, &root->graph) : result;
    result = result == RBL_OK ? find_strength(root, &breaker->field) : result;
    result = result == RBL_OK ? make_elastic(root, breaker->def.modes) : result;
    result = result == RBL_OK ? rbl_stress_find_modes(root, breaker->def.modes) : result;
    if (result != RBL_OK)
    {
        root_free(root);
        return result;
    }
    *out = root;
    return RBL_OK;
}

// ---- all of them ----

static rblMutex roots_mutex = RBL_MUTEX_INIT;
static rblStressRoot* all_roots; // under the mutex, as are the counts

// What has no strength of its own gets one to measure stress by.
static rblMaterial with_strength(const rblMaterial* given)
{
    rblMaterial material = *given;
    material.strength = material.strength > 0.0f ? material.strength : ANY_STRENGTH;
    return material;
}

bool rbl_stress_root_fits(const rblStressRoot* root, const rblMaterial* given)
{
    const rblMaterial material = with_strength(given);
    const rblMaterial* a = &root->material;
    return a->density == material.density && a->young == material.young && a->poisson == material.poisson &&
           a->strength == material.strength && a->surface_energy == material.surface_energy;
}

// Two breakers that were made from the same definition are two all the same: a grid may have changed in between.
static bool is_same(const rblStressRoot* root, const rblStressBreaker* breaker, const rblShapeView* shape,
                    const rblMaterial* material)
{
    return root->shape == shape->shape && root->breaker == breaker->self &&
           rbl_stress_root_fits(root, material);
}

// One more reference to the root, if there is one.
static rblStressRoot* find_supported(const rblStressBreaker* breaker, const rblShapeView* shape,
                                     const rblMaterial* material)
{
    rblStressRoot* root = all_roots;
    while (root != NULL && !is_same(root, breaker, shape, material))
    {
        root = root->next;
    }
    if (root != NULL)
    {
        root->references += 1;
    }
    return root;
}

// Making one takes a while and runs loops in parallel: not under the mutex. Who comes second takes what the first one made.
rblResult rbl_stress_root_find(const rblStressBreaker* breaker, const rblShapeView* shape,
                               const rblMaterial* given, rblStressRoot** out)
{
    const rblMaterial material = with_strength(given);
    rbl_mutex_lock(&roots_mutex);
    rblStressRoot* root = find_supported(breaker, shape, &material);
    rbl_mutex_unlock(&roots_mutex);
    if (root != NULL)
    {
        *out = root;
        return RBL_OK;
    }
    rblStressRoot* made = NULL;
    RBL_TRY(root_create(breaker, shape, &material, &made));
    rbl_mutex_lock(&roots_mutex);
    root = find_supported(breaker, shape, &material);
    if (root == NULL)
    {
        made->references = 1;
        made->next = all_roots;
        all_roots = made;
        root = made;
        made = NULL;
    }
    rbl_mutex_unlock(&roots_mutex);
    if (made != NULL)
    {
        root_free(made);
    }
    *out = root;
    return RBL_OK;
}

rblStressRoot* rbl_stress_root_of(const rblBackground* background)
{
    rbl_mutex_lock(&roots_mutex);
    rblStressRoot* root = all_roots;
    while (root != NULL && root->background != background)
    {
        root = root->next;
    }
    if (root != NULL)
    {
        root->references += 1;
    }
    rbl_mutex_unlock(&roots_mutex);
    return root;
}

void rbl_stress_root_retain(rblStressRoot* root)
{
    rbl_mutex_lock(&roots_mutex);
    root->references += 1;
    rbl_mutex_unlock(&roots_mutex);
}

void rbl_stress_root_release(rblStressRoot* root)
{
    rbl_mutex_lock(&roots_mutex);
    const bool last = --root->references == 0;
    for (rblStressRoot** at = &all_roots; last && *at != NULL; at = &(*at)->next)
    {
        if (*at == root)
        {
            *at = root->next;
            break;
        }
    }
    rbl_mutex_unlock(&roots_mutex);
    if (last)
    {
        root_free(root);
    }
}
