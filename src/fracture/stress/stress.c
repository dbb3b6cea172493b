#include "rubble/stress.h"

#include "base/def.h"
#include "base/error.h"
#include "field/fragment/fragment_shape.h"
#include "fracture/prescored/prescored_private.h"
#include "fracture/stress/stress_private.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/transform.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

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
    const bool fits = root != NULL && rbl_stress_root_fits(root, material);
    if (root != NULL && !fits)
    {
        rbl_stress_root_release(root); // a fragment that became something else begins anew
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

// What never breaks by itself is looked at when it is broken on demand.
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
    RBL_FREE_ARRAY(breaker->allocator, body->stress, body->root->view.node_count);
    if (body->elastic.index1 != 0)
    {
        (void)rbl_elastic_destroy(body->elastic);
    }
    rbl_fragment_event_release(body->event);
    rbl_stress_root_release(body->root);
    rbl_free(breaker->allocator, body, sizeof *body);
}

// ---- deciding ----

static bool may_break(const rblStressDef* def, const rblBreakBody* body)
{
    const rblVec3 size = rbl_aabb_size(body->view.bounds);
    const float longest = rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    return body->view.bounded && body->generation < def->generations &&
           (body->generation == 0 || longest >= def->smallest_body);
}

// J of a crack right through the mean section of the body. A blow that cannot pay for it breaks nothing, whatever the stress.
static double least_cost(const rblBreakBody* body)
{
    const rblVec3 size = rbl_aabb_size(body->view.bounds);
    const double longest = (double)rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    const double section = body->view.mass.volume / longest;
    return 2.0 * (double)body->material.surface_energy * section;
}

// Hertz: force F, compression d and radius a of the contact go together as F = 4/3 E* a d; d follows from speed and duration. Of the other
// body no more is known than that it gives in, too: as if it were of the same stuff.
static double patch_radius(const rblBreakBody* body, const rblImpact* impact)
{
    const double poisson = (double)body->material.poisson;
    const double modulus = 0.5 * (double)body->material.young / (1.0 - poisson * poisson);
    const double depth = (double)impact->speed * (double)impact->duration / 2.94;
    const double radius = 0.75 * (double)impact->peak_force / (modulus * depth);
    return radius > 0.0 && rbl_finite(radius) ? rbl_mind(radius, (double)body->view.radius) : 0.0;
}

static rblElasticLoad load_of(const rblBreakBody* body, const rblImpact* impact)
{
    const rblVec3 normal = rbl_rotate3(rbl_quat_conjugate(body->pose.q), impact->normal);
    return (rblElasticLoad){.point = rbl_to_double3(rbl_transform_inverse_point(body->pose, impact->point)),
                            .force = rbl_scale3d(rbl_to_double3(normal), (double)impact->peak_force),
                            .radius = patch_radius(body, impact),
                            .duration = (double)impact->duration};
}

static uint32_t weakest_of(const double energies[RBL_STRESS_MOST_LOADS])
{
    uint32_t weakest = 0;
    for (uint32_t i = 1; i < RBL_STRESS_MOST_LOADS; ++i)
    {
        weakest = energies[i] < energies[weakest] ? i : weakest;
    }
    return weakest;
}

// Loads of those blows that count, and their energy. The hardest is `*hardest`.
static uint32_t list_loads(const rblBreakBody* body, const rblImpact* impacts, uint32_t count,
                           rblElasticLoad loads[RBL_STRESS_MOST_LOADS], uint32_t* hardest, double* energy)
{
    double energies[RBL_STRESS_MOST_LOADS];
    const double cost = least_cost(body);
    uint32_t used = 0;
    double most = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double own = (double)impacts[i].energy;
        const uint32_t place = used < RBL_STRESS_MOST_LOADS ? used : weakest_of(energies);
        if (!(own > cost) || !(impacts[i].peak_force > 0.0f) ||
            (used == RBL_STRESS_MOST_LOADS && own <= energies[place]))
        {
            continue;
        }
        loads[place] = load_of(body, &impacts[i]);
        energies[place] = own;
        used += used < RBL_STRESS_MOST_LOADS;
        *hardest = own > most ? i : *hardest;
        most = rbl_maxd(most, own);
    }
    *energy = 0.0;
    for (uint32_t k = 0; k < used; ++k)
    {
        *energy += energies[k];
    }
    return used;
}

// Hertz' force is that of a body that gives in at the contact only. One that bends takes the blow with less: no more energy goes into it
// than came.
static rblResult press(rblStressBody* body, const rblElasticLoad* loads, uint32_t count, double energy,
                       double* ratio)
{
    const uint32_t nodes = body->root->view.node_count;
    if (body->stress == NULL)
    {
        body->stress = rbl_alloc_zero(body->root->allocator, nodes * sizeof *body->stress);
    }
    if (body->stress == NULL)
    {
        return rbl_fail_memory();
    }
    double stored = 0.0;
    RBL_TRY(rbl_stress_solve(body, loads, count, body->stress, &stored));
    stored = rbl_maxd(stored, rbl_stress_energy(body, body->stress)); // fits through few tetrahedra overshoot
    if (stored > energy)
    {
        rbl_stress_scale(body->stress, nodes, sqrt(energy / stored));
    }
    *ratio = rbl_stress_worst_ratio(body, body->stress);
    return RBL_OK;
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
    if (stressed == NULL || !may_break(&breaker->def, body))
    {
        return RBL_OK;
    }
    if (body->material.break_impulse > 0.0f)
    {
        decide_by_impulse(body, impacts, count, out);
        return RBL_OK;
    }
    if (body->payable > 0.0f && !((double)body->payable > least_cost(body)))
    {
        return RBL_OK;
    }
    rblElasticLoad loads[RBL_STRESS_MOST_LOADS];
    uint32_t hardest = 0;
    double energy, ratio = 0.0;
    const uint32_t used = list_loads(body, impacts, count, loads, &hardest, &energy);
    if (used == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(press(stressed, loads, used, energy, &ratio));
    ratio /= rbl_stress_stronger(stressed, body->view.mass.volume);
    set_verdict(out, impacts, hardest, ratio * ratio);
    stressed->verdict = *out;
    return RBL_OK;
}

// ---- breaking ----

// Things without strength of their own have nothing prepared; they break on demand all the same.
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
                                   .most_fragments = 64,
                                   .smallest = 1e-3f,
                                   .generations = 2,
                                   .smallest_body = 0.02f,
                                   .variation = {.noise = 0.2f},
                                   .seed = 1};
    rbl_def_init(&stress_def, &defaults, def, size);
}

static rblResult check_def(const rblStressDef* def)
{
    if (!(def->edge >= 0.0 && rbl_finite(def->edge)) || (def->edge == 0.0 && def->tetrahedra == 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "stress: the edge must be finite and not negative, or tetrahedra above 0");
    }
    if (!(def->smallest >= 0.0f && def->smallest < 1.0f) || !(def->smallest_body >= 0.0f) ||
        def->most_fragments < 2)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "stress: smallest must be 0 to 1, smallest_body not negative, "
                                            "most_fragments at least 2");
    }
    return RBL_OK;
}

static void destroy(void* context)
{
    rblStressBreaker* breaker = context;
    rbl_strength_field_free(&breaker->field);
    rbl_free(breaker->allocator, breaker->file, breaker->file_bytes);
    rbl_free(breaker->allocator, breaker, sizeof *breaker);
}

// The name of the file is kept for those who ask.
static rblResult keep_name(rblStressBreaker* breaker, const char* name)
{
    breaker->file_bytes = strlen(name) + 1;
    breaker->file = rbl_alloc(breaker->allocator, breaker->file_bytes);
    if (breaker->file == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(breaker->file, name, breaker->file_bytes);
    breaker->def.variation.grid_file = breaker->file;
    return RBL_OK;
}

// `grid` null: as the definition says.
static rblResult open_breaker(rblStressBreaker* breaker, const rblStressDef* def,
                              const rblStrengthField* grid)
{
    const char* file = def->variation.grid_file;
    rblStrengthVariation variation = def->variation;
    breaker->def = *def;
    variation.grid_file = grid != NULL ? NULL : file;
    RBL_TRY(rbl_strength_field_init(&breaker->field, &variation, def->seed, breaker->allocator));
    RBL_TRY(grid != NULL ? rbl_strength_field_copy_grid(&breaker->field, grid) : RBL_OK);
    return file != NULL ? keep_name(breaker, file) : RBL_OK;
}

rblResult rbl_breaker_create_with_grid(const rblStressDef* def, const rblStrengthField* grid,
                                       rblBreakerId* out)
{
    RBL_TRY(check_def(def));
    const rblAllocator* allocator = rbl_default_allocator();
    rblStressBreaker* breaker = rbl_alloc_zero(allocator, sizeof *breaker);
    if (breaker == NULL)
    {
        return rbl_fail_memory();
    }
    breaker->allocator = allocator;
    rblBreakerDef method = rbl_default_breaker_def();
    method.name = "stress";
    method.prepare = prepare;
    method.forget = forget;
    method.decide = decide;
    method.shatter = shatter;
    method.destroy = destroy;
    method.context = breaker;
    rblResult result = open_breaker(breaker, def, grid);
    result = result == RBL_OK ? rbl_breaker_create(&method, out) : result;
    if (result != RBL_OK)
    {
        destroy(breaker);
        return result;
    }
    RBL_TRY(rbl_breaker_hold(*out, &breaker->self));
    rbl_breaker_release(breaker->self); // it has its handle
    return RBL_OK;
}

rblResult rbl_breaker_create_stress(const rblStressDef* given, rblBreakerId* out)
{
    rblStressDef def = rbl_default_stress_def();
    RBL_TRY(rbl_def_read(&stress_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "stress: out must not be null");
    }
    return rbl_breaker_create_with_grid(&def, NULL, out);
}

const rblStressBreaker* rbl_stress_breaker(const rblBreaker* breaker)
{
    const rblBreakerDef* def = rbl_breaker_def(breaker);
    return def->decide == decide ? def->context : NULL;
}

const rblStrengthField* rbl_breaker_strength(const rblBreaker* breaker)
{
    const rblStressBreaker* stress = rbl_stress_breaker(breaker);
    return stress != NULL ? &stress->field : NULL;
}

bool rbl_breaker_stress_def(const rblBreaker* breaker, rblStressDef* out)
{
    const rblStressBreaker* stress = rbl_stress_breaker(breaker);
    if (stress == NULL)
    {
        return false;
    }
    *out = stress->def;
    return true;
}
