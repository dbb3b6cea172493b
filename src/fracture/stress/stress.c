#include "rubble/stress.h"

#include "base/def.h"
#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "fracture/breaker_kinds.h"
#include "fracture/stress/stress_private.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/transform.h"
#include "math/trig.h"
#include "math/vec.h"
#include <math.h>

// ---- bodies ----

static rblResult prepare_body(const rblStressBreaker* breaker, const rblShapeView* shape,
                              const rblMaterial* material, void** prepared)
{
    rblStressBody* body = rbl_alloc_zero(breaker->allocator, sizeof *body);
    if (body == NULL)
    {
        return rbl_fail_memory();
    }
    const rblFragmentField* fragment = rbl_shape_fragment(shape->shape);
    rblStressRoot* root = fragment != NULL ? rbl_stress_root_of(fragment->event->background) : NULL;
    const bool fits = root != NULL && root->breaker == breaker->self && rbl_stress_root_fits(root, material);
    if (root != NULL && !fits)
    {
        rbl_stress_root_release(root); // a fragment whose material or breaker changed gets a new root
    }
    if (fits)
    {
        body->root = root;
        body->event = fragment->event;
        body->label = fragment->label;
        rbl_fragment_event_retain(body->event);
    }
    const rblResult result = fits ? RBL_OK : rbl_stress_root_find(breaker, shape, material, &body->root);
    if (result != RBL_OK)
    {
        rbl_free(breaker->allocator, body, sizeof *body);
        return result;
    }
    *prepared = body;
    return RBL_OK;
}

// Bodies that break on demand only are prepared when they break.
static rblResult prepare(void* context, const rblShapeView* shape, const rblMaterial* material, rblJobs* jobs,
                         void** prepared)
{
    (void)jobs;
    const bool breaks = material->strength > 0.0f || material->break_impulse > 0.0f;
    return breaks ? prepare_body(context, shape, material, prepared) : RBL_OK;
}

static void forget(void* context, void* prepared)
{
    const rblStressBreaker* breaker = context;
    rblStressBody* body = prepared;
    if (body == NULL)
    {
        return;
    }
    rbl_stress_evidence_free(body->scratch);
    if (body->elastic.index1 != 0)
    {
        (void)rbl_elastic_destroy(body->elastic);
    }
    rbl_fragment_event_release(body->event);
    rbl_stress_root_release(body->root);
    rbl_free(breaker->allocator, body, sizeof *body);
}

// ---- deciding ----

// Hertz theory: F = 4/3 E* a d for force F, compression d and radius a of the contact; d follows from speed and duration, and a grows as the
// speed to the power of 2/5. The material of the other body is unknown; it is taken to be the same. The radius at 1 m/s:
static double patch_radius(const rblBreakBody* body, const rblImpact* impact)
{
    const double poisson = (double)body->material.poisson;
    const double modulus = 0.5 * (double)body->material.young / (1.0 - poisson * poisson);
    const double depth = (double)impact->speed * (double)impact->duration / 2.94;
    const double radius = 0.75 * (double)impact->peak_force / (modulus * depth);
    const double slow = radius / rbl_pow((double)impact->speed, 0.4);
    return slow > 0.0 && rbl_finite(slow) ? rbl_mind(slow, (double)body->view.radius) : 0.0;
}

static rblElasticLoad load_of(const rblBreakBody* body, const rblImpact* impact)
{
    const rblVec3 normal = rbl_rotate3(rbl_quat_conjugate(body->pose.q), impact->normal);
    return (rblElasticLoad){.point = rbl_to_double3(rbl_transform_inverse_point(body->pose, impact->point)),
                            .force = rbl_scale3d(rbl_to_double3(normal), (double)impact->peak_force),
                            .radius = patch_radius(body, impact),
                            .duration = (double)impact->duration};
}

static uint32_t weakest_of(const double energies[RBL_STRESS_MAX_LOADS])
{
    uint32_t weakest = 0;
    for (uint32_t i = 1; i < RBL_STRESS_MAX_LOADS; ++i)
    {
        weakest = energies[i] < energies[weakest] ? i : weakest;
    }
    return weakest;
}

// The largest impacts. `*hardest` is the index of the largest one.
static void list_loads(const rblBreakBody* body, const rblImpact* impacts, uint32_t count, rblStressBlow* out,
                       uint32_t* hardest)
{
    double energies[RBL_STRESS_MAX_LOADS];
    const double cost = rbl_min_crack_cost(body);
    uint32_t used = 0;
    double most = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double own = (double)impacts[i].energy;
        const uint32_t place = used < RBL_STRESS_MAX_LOADS ? used : weakest_of(energies);
        if (!(own > cost) || !(impacts[i].peak_force > 0.0f) ||
            (used == RBL_STRESS_MAX_LOADS && own <= energies[place]))
        {
            continue;
        }
        out->loads[place] = load_of(body, &impacts[i]);
        out->speeds[place] = (double)impacts[i].speed;
        energies[place] = own;
        used += used < RBL_STRESS_MAX_LOADS;
        *hardest = own > most ? i : *hardest;
        most = rbl_maxd(most, own);
    }
    out->count = used;
    out->speed = used > 0 ? (double)impacts[*hardest].speed : 0.0;
    out->energy = 0.0;
    for (uint32_t k = 0; k < used; ++k)
    {
        out->energy += energies[k];
    }
}

static rblResult press(rblStressBody* body, const rblStressBlow* blow, double* ratio)
{
    body->scratch = body->scratch != NULL ? body->scratch : rbl_stress_evidence_new(body);
    return body->scratch != NULL ? rbl_stress_solve(body, blow, body->scratch, ratio) : rbl_fail_memory();
}

static void release_evidence(void* context, void* evidence)
{
    (void)context;
    rbl_stress_evidence_free(evidence);
}

static void set_verdict(rblVerdict* out, const rblImpact* impacts, uint32_t impact, double severity)
{
    out->breaks = severity >= 1.0;
    out->severity = (float)rbl_mind(severity, 1e30);
    out->impact = impact;
    out->point = impacts[impact].point;
    out->normal = impacts[impact].normal;
}

static void decide_by_impulse(const rblBreakBody* body, const rblImpact* impacts, uint32_t count,
                              rblVerdict* out)
{
    double worst = 0.0;
    uint32_t impact = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double severity = rbl_impulse_severity(body, &impacts[i]);
        impact = severity > worst ? i : impact;
        worst = rbl_maxd(worst, severity);
    }
    if (worst > 0.0)
    {
        set_verdict(out, impacts, impact, worst);
    }
}

static rblResult decide(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                        uint32_t count, rblVerdict* out)
{
    const rblStressBreaker* breaker = context;
    rblStressBody* stressed = prepared;
    if (stressed == NULL || !rbl_may_break(body, breaker->def.generations, breaker->def.smallest_body))
    {
        return RBL_OK;
    }
    if (body->material.break_impulse > 0.0f)
    {
        decide_by_impulse(body, impacts, count, out);
        return RBL_OK;
    }
    if (body->payable > 0.0f && !((double)body->payable > rbl_min_crack_cost(body)))
    {
        return RBL_OK;
    }
    rblStressBlow blow;
    uint32_t hardest = 0;
    double ratio = 0.0;
    list_loads(body, impacts, count, &blow, &hardest);
    if (blow.count == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(press(stressed, &blow, &ratio));
    set_verdict(out, impacts, hardest, ratio * ratio);
    if (out->breaks)
    {
        out->evidence = stressed->scratch; // owned by the verdict now
        stressed->scratch = NULL;
    }
    return RBL_OK;
}

// ---- breaking ----

// Bodies without strength are not prepared, but can be broken on demand.
static rblResult shatter(void* context, void* prepared, const rblBreakBody* body, const rblVerdict* verdict,
                         rblJobs* jobs, rblFracture* out)
{
    rblStressBreaker* breaker = context;
    if (prepared != NULL)
    {
        return rbl_stress_shatter(&breaker->def, prepared, body, verdict, jobs, out);
    }
    void* now = NULL;
    RBL_TRY(prepare_body(breaker, &body->view, &body->material, &now));
    const rblResult result = rbl_stress_shatter(&breaker->def, now, body, verdict, jobs, out);
    forget(context, now);
    return result;
}

// ---- making one ----

RBL_DEF_KIND(stress_def, rblStressDef, "stress", rbl_default_stress_def, 0x57E55B4Eu);

void rbl_stress_def_init(rblStressDef* def, size_t size)
{
    const rblStressDef defaults = {.tetrahedra = 8000,
                                   .max_fragments = 64,
                                   .smallest = 1e-3f,
                                   .generations = 2,
                                   .smallest_body = 0.02f,
                                   .variation = {.noise = 0.2f},
                                   .seed = 1};
    rbl_def_init(&stress_def, &defaults, def, size);
}

// Checks beyond the ranges of the parameters.
static rblResult check_def(const rblStressDef* def)
{
    return def->edge > 0.0 || def->tetrahedra > 0
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "stress: edge is %g and tetrahedra %u, one must be above 0",
                          (double)def->edge, def->tetrahedra);
}

static void attach(void* context, const rblBreaker* self)
{
    ((rblStressBreaker*)context)->self = self;
}

static void destroy(void* context)
{
    rblStressBreaker* breaker = context;
    rbl_strength_field_free(&breaker->field);
    rbl_free(breaker->allocator, breaker, sizeof *breaker);
}

// The grid comes from the data, if there is any, else from the file.
static rblResult open_field(rblStressBreaker* breaker, const rblStressDef* def, const void* data, size_t size)
{
    rblStrengthVariation variation = def->variation;
    variation.grid_file = data != NULL ? NULL : variation.grid_file;
    RBL_TRY(rbl_strength_field_init(&breaker->field, &variation, def->seed, breaker->allocator));
    breaker->field.variation.grid_file = NULL;
    rblByteSource source = {.data = data, .size = size};
    return data != NULL ? rbl_strength_grid_take(&source, &breaker->field) : RBL_OK;
}

rblResult rbl_stress_create(const void* given, const void* data, size_t size, rblBreakerDef* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const rblStressDef* def = given;
    RBL_TRY(check_def(def));
    rblStressBreaker* breaker = rbl_alloc_zero(allocator, sizeof *breaker);
    if (breaker == NULL)
    {
        return rbl_fail_memory();
    }
    breaker->allocator = allocator;
    breaker->def = *def;
    breaker->def.variation.grid_file = NULL;
    const rblResult result = open_field(breaker, def, data, size);
    if (result != RBL_OK)
    {
        destroy(breaker);
        return result;
    }
    out->attach = attach;
    out->prepare = prepare;
    out->forget = forget;
    out->decide = decide;
    out->release_evidence = release_evidence;
    out->shatter = shatter;
    out->destroy = destroy;
    out->context = breaker;
    return RBL_OK;
}

rblResult rbl_stress_put_data(const void* context, rblByteSink* sink)
{
    rbl_strength_grid_put(&((const rblStressBreaker*)context)->field, sink);
    return RBL_OK;
}

rblResult rbl_breaker_create_stress(const rblStressDef* given, rblBreakerId* out)
{
    rblStressDef def = rbl_default_stress_def();
    RBL_TRY(rbl_def_read(&stress_def, given, &def));
    return rbl_breaker_create_from(&rbl_stress_kind, &def, NULL, 0, out);
}

const rblStressBreaker* rbl_stress_breaker(const rblBreaker* breaker)
{
    return rbl_breaker_kind(breaker) == &rbl_stress_kind ? rbl_breaker_def(breaker)->context : NULL;
}
