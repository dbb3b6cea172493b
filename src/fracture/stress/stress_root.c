// Roots: precomputed data of solids.
#include "base/error.h"
#include "base/log.h"
#include "base/thread.h"
#include "fracture/stress/stress_private.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

#define MAX_TRIES 10u // edge lengths that are tried until the tetrahedra are connected as the solid is
#define SHORTER   0.8 // factor of the edge length per try; without it thin walls fall apart before any impact
#define MAX_GROWTH                                                                                           \
    16.0 // largest growth of the number of tetrahedra by shorter edges; thinner walls keep gaps, with a warning
#define HALVINGS 2u // bisection steps between the last two edge lengths, to save tetrahedra
#define ANY_STRENGTH                                                                                         \
    1e6f // Pa, for bodies that break by impulse or on demand only: their stress is scaled to it
#define SAMPLE_SPACING 0.75 // distance of samples on the original surface, in edge lengths

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

// Parts that intersect are one solid: then no edge length gives the connectivity of the surface.
static rblResult crosses_itself(const rblStressRoot* root, bool* out)
{
    rblMeshReport report;
    RBL_TRY(rbl_mesh_inspect(root->surface, NULL, &report));
    *out = report.self_intersections.count > 0;
    return RBL_OK;
}

// Walls thinner than an edge have gaps: reduce the edge length until they have none. `torn` receives the last one that was too long.
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

// The time of a break grows with the number of tetrahedra: bisection finds a longer edge between the last two.
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
            return result == RBL_ERROR_MEMORY ? result : RBL_OK; // the connected mesh is kept
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
                        "stress: with edges of %g m the tetrahedra are not connected as the solid is: "
                        "walls are too thin, or parts intersect",
                        filled.edge);
    }
    *edge = filled.edge;
    return rbl_tets_view(root->tets, &root->view);
}

// Fields of fragments start from a level set, for every kind of shape; a shape that is this level set shares its grid. The distance of
// samples is about that of nodes; edges and corners have samples of their own.
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

// A body without strength gets a strength to scale the stress by.
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

// Two breakers of the same definition do not share roots: the grid file may have changed in between.
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

// The creation is slow and runs parallel loops: not under the mutex. The second of two threads uses the root of the first.
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
