// The tension in bodies that can break, from what they felt in the last step: each is filled with a few tetrahedra, once, and stands
// under the impulses of its contacts (rubble/elasticity.h).
#include "exports.h"
#include <math.h>

#define TETRAHEDRA   1200u // enough to see where a body is pulled apart
#define MAX_SOLIDS   64u   // kept; when there are more all are made anew as they are needed
#define MAX_PREPARED 1u    // in one frame: that can take a quarter of a second
#define MAX_SOLVED   8u    // in one frame
#define MAX_LOADS    32u   // of one body
#define HALF_PI      1.57079633f

// A shape that was filled; without `elastic` it is too thin for that.
typedef struct Solid
{
    rblShapeId shape;
    rblMaterial material;
    rblTetsId tets;
    rblElasticId elastic;
} Solid;

static struct
{
    Solid solids[MAX_SOLIDS];
    uint32_t count;
    uint32_t prepared; // in this frame
    uint32_t solved;
} store;

void web_forget_stress(void)
{
    for (uint32_t i = 0; i < store.count; ++i)
    {
        if (store.solids[i].elastic.index1 != 0)
        {
            rbl_elastic_destroy(store.solids[i].elastic);
            rbl_tets_destroy(store.solids[i].tets);
        }
    }
    store.count = 0;
}

// ---- solids ----

static rblResult make_elastic(Solid* solid)
{
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = solid->tets;
    def.young = (double)solid->material.young;
    def.poisson = (double)solid->material.poisson;
    def.density = (double)solid->material.density;
    def.solver = RBL_ELASTIC_DIRECT;
    return rbl_elastic_create(&def, &solid->elastic);
}

// What cannot be filled is remembered as such.
static void prepare(Solid* solid)
{
    rblShapeView view;
    rblMeshId surface;
    rblTetsDef def = rbl_default_tets_def();
    def.count = TETRAHEDRA;
    solid->elastic = (rblElasticId){0, 0};
    if (rbl_shape_view(solid->shape, &view) != RBL_OK || rbl_shape_surface(&view, &surface) != RBL_OK ||
        rbl_tets_fill(surface, &def, NULL, &solid->tets) != RBL_OK)
    {
        return;
    }
    if (make_elastic(solid) != RBL_OK)
    {
        rbl_tets_destroy(solid->tets);
    }
}

static const Solid* find_solid(rblShapeId shape, const rblMaterial* material)
{
    for (uint32_t i = 0; i < store.count; ++i)
    {
        const Solid* solid = &store.solids[i];
        if (solid->shape.index1 == shape.index1 && solid->shape.generation == shape.generation)
        {
            return solid;
        }
    }
    if (store.prepared >= MAX_PREPARED)
    {
        return NULL;
    }
    if (store.count == MAX_SOLIDS)
    {
        web_forget_stress();
    }
    Solid* solid = &store.solids[store.count++];
    store.prepared += 1;
    solid->shape = shape;
    solid->material = *material;
    prepare(solid);
    return solid;
}

// ---- loads ----

// Impulses as forces, in the axes of the shape: those of impacts rise and fall as half a sine, others last.
static uint32_t gather_loads(rblWorldId world, rblBodyId body, rblTransform pose,
                             rblElasticLoad loads[MAX_LOADS])
{
    rblFeltImpulse felt[MAX_LOADS];
    uint32_t count = 0;
    if (rbl_body_impulses(world, body, felt, MAX_LOADS, &count) != RBL_OK)
    {
        return 0;
    }
    count = count < MAX_LOADS ? count : MAX_LOADS;
    for (uint32_t i = 0; i < count; ++i)
    {
        const bool impact = felt[i].speed > 0.0f;
        const float duration = felt[i].duration > 1e-6f ? felt[i].duration : 1e-6f;
        const float peak = (impact ? HALF_PI : 1.0f) / duration;
        const rblVec3 force = rbl_scale3(rbl_inverse_rotate3(pose.q, felt[i].impulse), peak);
        loads[i] = (rblElasticLoad){.point = rbl_to_double3(rbl_transform_inverse_point(pose, felt[i].point)),
                                    .force = rbl_to_double3(force)};
    }
    return count;
}

// ---- drawing ----

// From blue over green and yellow to red at the strength. The fourth root: a thousandth of the strength is seen, too.
static void put_tension(rblVec3 at, double tension, float strength)
{
    const double share = strength > 0.0f ? rbl_clampd(tension / (double)strength, 0.0, 1.0) : 0.0;
    const float t = (float)sqrt(sqrt(share));
    const float color[3] = {rbl_clampf(2.0f * t - 0.4f, 0.1f, 1.0f),
                            rbl_clampf(t < 0.6f ? 0.3f + t : 2.2f * (1.0f - t), 0.0f, 1.0f),
                            rbl_clampf(1.0f - 2.0f * t, 0.05f, 1.0f)};
    web_put_point(at, 4.0f, color);
}

static rblResult draw_nodes(const Solid* solid, const rblStress* stresses, const rblElasticView* view,
                            rblTransform pose)
{
    bool* drawn = calloc(view->node_count, sizeof *drawn);
    if (drawn == NULL)
    {
        return web_fail_memory();
    }
    for (uint32_t i = 0; i < 3 * view->surface_face_count; ++i)
    {
        const uint32_t node = view->surface[i];
        if (!drawn[node])
        {
            drawn[node] = true;
            put_tension(rbl_transform_point(pose, rbl_to_float3(view->positions[node])),
                        rbl_stress_largest(&stresses[node]), solid->material.strength);
        }
    }
    free(drawn);
    return RBL_OK;
}

static rblResult draw_solid(const Solid* solid, const rblElasticLoad* loads, uint32_t count,
                            rblTransform pose)
{
    rblElasticView view;
    RBL_TRY(rbl_elastic_view(solid->elastic, &view));
    rblStress* stresses = calloc(view.node_count, sizeof *stresses);
    const rblElasticFields fields = {.node_stresses = stresses};
    rblResult result =
        stresses != NULL ? rbl_elastic_solve(solid->elastic, loads, count, &fields, NULL) : web_fail_memory();
    result = result == RBL_OK ? draw_nodes(solid, stresses, &view, pose) : result;
    free(stresses);
    return result;
}

static rblResult draw_body(const WebSession* session, rblBodyId id, const rblMaterial* material)
{
    rblElasticLoad loads[MAX_LOADS];
    rblBodyState state;
    RBL_TRY(rbl_body_state(session->world, id, &state));
    const uint32_t count = gather_loads(session->world, id, state.pose, loads);
    const Solid* solid = count > 0 ? find_solid(state.shape, material) : NULL;
    if (solid == NULL || solid->elastic.index1 == 0)
    {
        return RBL_OK;
    }
    store.solved += 1;
    return draw_solid(solid, loads, count, state.pose);
}

rblResult web_draw_stress(const WebSession* session)
{
    rblRunView run;
    RBL_TRY(rbl_run_view(session->run, &run));
    store.prepared = 0;
    store.solved = 0;
    for (size_t i = 0; i < session->motions.count && store.solved < MAX_SOLVED; ++i)
    {
        const rblBodyId id = session->motions.data[i].body;
        const WebKnown* known = &session->known.data[id.index1 - 1];
        if (known->breakable && known->material < run.material_count)
        {
            RBL_TRY(draw_body(session, id, &run.materials[known->material].values));
        }
    }
    return RBL_OK;
}
