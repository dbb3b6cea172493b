// Breaker ids: one table for the process, as for shapes; and calls of a breaker's functions. Results are checked, because
// functions may be the user's.
#include "rubble/breaker.h"

#include "base/def.h"
#include "base/error.h"
#include "base/jobs.h"
#include "base/registry.h"
#include "fracture/breaker_kinds.h"
#include "math/vec.h"
#include <stdatomic.h>
#include <string.h>

// Largest error of the sum of the fragments' masses, relative to the body's mass. Larger errors would change momentum and energy.
#define MASS_TOLERANCE 1e-6

struct rblBreaker
{
    rblBreakerDef def;
    const rblAllocator* allocator;
    struct rblBreaker* self; // for counting references through a pointer to const
    size_t bytes;
    const rblBreakerKind* kind; // null: it has none; referenced
    void* kind_def;             // that it was made from
    size_t kind_def_bytes;
    atomic_uint references;
    char name[];
};

static rblRegistry registry = RBL_REGISTRY_INIT;

static rblResult fail_stale(rblBreakerId id)
{
    return rbl_fail(RBL_ERROR_STALE, "breaker: the id %u/%u is null or was destroyed", id.index1,
                    id.generation);
}

static rblResult check_def(const rblBreakerDef* def)
{
    if (def->name == NULL || def->decide == NULL || def->shatter == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker: name, decide and shatter must be given");
    }
    if (def->prepare != NULL && def->forget == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker %s: forget is null, must be given with prepare",
                        def->name);
    }
    return RBL_OK;
}

RBL_DEF_KIND(breaker_def, rblBreakerDef, "breaker", rbl_default_breaker_def, 0xB4EA4E40u);

void rbl_breaker_def_init(rblBreakerDef* def, size_t size)
{
    const rblBreakerDef defaults = {0};
    rbl_def_init(&breaker_def, &defaults, def, size);
}

static void free_breaker(rblBreaker* breaker)
{
    if (breaker->kind != NULL)
    {
        rbl_breaker_kind_release(breaker->kind);
    }
    rbl_free(breaker->allocator, breaker->kind_def, breaker->kind_def_bytes);
    rbl_free(breaker->allocator, breaker, breaker->bytes);
}

static rblBreaker* make_breaker(const rblBreakerDef* def, const rblBreakerKind* kind, const void* kind_def)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t name_bytes = strlen(def->name) + 1;
    rblBreaker* breaker = rbl_alloc_zero(allocator, sizeof *breaker + name_bytes);
    if (breaker == NULL)
    {
        return NULL;
    }
    memcpy(breaker->name, def->name, name_bytes);
    breaker->def = *def;
    breaker->def.name = breaker->name;
    breaker->allocator = allocator;
    breaker->self = breaker;
    breaker->bytes = sizeof *breaker + name_bytes;
    atomic_init(&breaker->references, 1);
    if (kind == NULL)
    {
        return breaker;
    }
    rbl_breaker_kind_retain(kind);
    breaker->kind = kind;
    breaker->kind_def =
        rbl_parameters_copy(kind->parameters, kind_def, kind->def_size, allocator, &breaker->kind_def_bytes);
    if (breaker->kind_def == NULL)
    {
        free_breaker(breaker);
        return NULL;
    }
    return breaker;
}

rblResult rbl_breaker_create_described(const rblBreakerDef* given, const rblBreakerKind* kind,
                                       const void* kind_def, rblBreakerId* out)
{
    rblBreakerDef def = rbl_default_breaker_def();
    RBL_TRY(rbl_def_read(&breaker_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker: out must not be null");
    }
    RBL_TRY(check_def(&def));
    rblBreaker* breaker = make_breaker(&def, kind, kind_def);
    if (breaker == NULL)
    {
        return rbl_fail_memory();
    }
    if (def.attach != NULL)
    {
        def.attach(def.context, breaker); // before the id exists
    }
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, breaker, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        free_breaker(breaker);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

rblResult rbl_breaker_create(const rblBreakerDef* def, rblBreakerId* out)
{
    return rbl_breaker_create_described(def, NULL, NULL, out);
}

const rblBreakerKind* rbl_breaker_kind(const rblBreaker* breaker)
{
    return breaker != NULL ? breaker->kind : NULL;
}

const void* rbl_breaker_kind_def(const rblBreaker* breaker)
{
    return breaker != NULL ? breaker->kind_def : NULL;
}

rblResult rbl_breaker_acquire(rblBreakerId id, const rblBreaker** out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker: out must not be null");
    }
    rbl_mutex_lock(&registry.mutex);
    rblBreaker* breaker = rbl_registry_find(&registry, id.index1, id.generation);
    if (breaker != NULL)
    {
        atomic_fetch_add(&breaker->references, 1);
    }
    rbl_mutex_unlock(&registry.mutex);
    if (breaker == NULL)
    {
        return fail_stale(id);
    }
    *out = breaker;
    return RBL_OK;
}

void rbl_breaker_retain(const rblBreaker* breaker)
{
    if (breaker != NULL)
    {
        atomic_fetch_add(&breaker->self->references, 1);
    }
}

void rbl_breaker_release(const rblBreaker* breaker)
{
    if (breaker == NULL || atomic_fetch_sub(&breaker->self->references, 1) != 1)
    {
        return;
    }
    if (breaker->def.destroy != NULL)
    {
        breaker->def.destroy(breaker->def.context);
    }
    free_breaker(breaker->self);
}

rblResult rbl_breaker_destroy(rblBreakerId id)
{
    rbl_mutex_lock(&registry.mutex);
    const rblBreaker* breaker = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (breaker == NULL)
    {
        return fail_stale(id);
    }
    rbl_breaker_release(breaker);
    return RBL_OK;
}

uint32_t rbl_breaker_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}

const rblBreakerDef* rbl_breaker_def(const rblBreaker* breaker)
{
    return breaker != NULL ? &breaker->def : NULL;
}

// ---- fractures ----

rblResult rbl_fracture_allocate(rblFracture* fracture, uint32_t fragment_count, uint32_t mate_count)
{
    if (fracture == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker: fracture must not be null");
    }
    const rblAllocator* allocator = rbl_default_allocator();
    rblFragment* fragments = RBL_NEW_ARRAY(allocator, rblFragment, fragment_count);
    rblMate* mates = RBL_NEW_ARRAY(allocator, rblMate, mate_count);
    if ((fragments == NULL && fragment_count > 0) || (mates == NULL && mate_count > 0))
    {
        RBL_FREE_ARRAY(allocator, fragments, fragment_count);
        RBL_FREE_ARRAY(allocator, mates, mate_count);
        return rbl_fail_memory();
    }
    if (fragments != NULL)
    {
        memset(fragments, 0, sizeof *fragments * fragment_count);
    }
    if (mates != NULL)
    {
        memset(mates, 0, sizeof *mates * mate_count);
    }
    *fracture = (rblFracture){.fragments = fragments,
                              .mates = mates,
                              .fragment_count = fragment_count,
                              .mate_count = mate_count,
                              .allocator = allocator};
    return RBL_OK;
}

void rbl_fracture_free(rblFracture* fracture)
{
    if (fracture == NULL)
    {
        return;
    }
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        if (fracture->fragments[i].shape.index1 != 0)
        {
            rbl_shape_destroy(fracture->fragments[i].shape);
        }
    }
    RBL_FREE_ARRAY(fracture->allocator, fracture->fragments, fracture->fragment_count);
    RBL_FREE_ARRAY(fracture->allocator, fracture->mates, fracture->mate_count);
    *fracture = (rblFracture){0};
}

// ---- calls ----

static rblResult fail_null(const char* call)
{
    return rbl_fail(RBL_ERROR_ARGUMENT, "breaker %s: pointers must not be null", call);
}

static rblJobs* jobs_or_serial(rblJobs* jobs)
{
    return jobs != NULL ? jobs : rbl_serial_jobs();
}

rblResult rbl_breaker_prepare(const rblBreaker* breaker, const rblShapeView* shape,
                              const rblMaterial* material, rblJobs* jobs, void** prepared)
{
    if (breaker == NULL || shape == NULL || shape->shape == NULL || material == NULL || prepared == NULL)
    {
        return fail_null("prepare");
    }
    *prepared = NULL;
    return breaker->def.prepare == NULL
               ? RBL_OK
               : breaker->def.prepare(breaker->def.context, shape, material, jobs_or_serial(jobs), prepared);
}

void rbl_breaker_forget(const rblBreaker* breaker, void* prepared)
{
    if (breaker != NULL && breaker->def.forget != NULL && prepared != NULL)
    {
        breaker->def.forget(breaker->def.context, prepared);
    }
}

static rblResult check_verdict(const rblVerdict* verdict, const char* name, uint32_t count)
{
    if (!(verdict->damage >= 0.0f && verdict->damage <= 1.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker %s: damage must be between 0 and 1", name);
    }
    if (!verdict->breaks)
    {
        return RBL_OK;
    }
    if (verdict->impact >= count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker %s: the verdict names impact %u, must be below %u", name,
                        verdict->impact, count);
    }
    const float length = rbl_length3(verdict->normal);
    const bool good = rbl_finite3(verdict->point) && length > 0.99f && length < 1.01f &&
                      verdict->severity >= 0.0f && rbl_finite((double)verdict->severity) &&
                      verdict->budget >= 0.0;
    return good ? RBL_OK
                : rbl_fail(RBL_ERROR_ARGUMENT,
                           "breaker %s: the verdict's point and severity must be finite, its normal of unit "
                           "length and its budget not negative",
                           name);
}

rblResult rbl_breaker_decide(const rblBreaker* breaker, void* prepared, const rblBreakBody* body,
                             const rblImpact* impacts, uint32_t count, rblVerdict* out)
{
    if (breaker == NULL || body == NULL || (impacts == NULL && count > 0) || out == NULL)
    {
        return fail_null("decide");
    }
    rblVerdict verdict = {.damage = body->damage};
    rblResult result = breaker->def.decide(breaker->def.context, prepared, body, impacts, count, &verdict);
    result = result == RBL_OK ? check_verdict(&verdict, breaker->name, count) : result;
    if (result != RBL_OK)
    {
        rbl_verdict_release(breaker, &verdict);
        return result;
    }
    *out = verdict;
    return RBL_OK;
}

void rbl_verdict_release(const rblBreaker* breaker, rblVerdict* verdict)
{
    if (breaker == NULL || verdict == NULL)
    {
        return;
    }
    if (verdict->evidence != NULL && breaker->def.release_evidence != NULL)
    {
        breaker->def.release_evidence(breaker->def.context, verdict->evidence);
    }
    verdict->evidence = NULL;
}

static rblResult check_fragment(const rblFragment* fragment, const char* name, uint32_t index)
{
    rblShapeView view;
    RBL_TRY(rbl_shape_view(fragment->shape, &view));
    const rblQuat q = fragment->pose.q;
    const float length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    const bool placed = rbl_finite3(fragment->pose.p) && length > 0.99f && length < 1.01f;
    const bool heavy = fragment->mass > 0.0f && rbl_finite((double)fragment->mass);
    if (!view.bounded || !placed || !heavy || !(fragment->lifetime >= 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "breaker %s: fragment %u must be bounded, with a finite pose, a positive mass and a "
                        "lifetime of 0 or more",
                        name, index);
    }
    return RBL_OK;
}

static rblResult check_fracture(const rblFracture* fracture, const char* name, float body_mass)
{
    double mass = 0.0;
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        const rblResult result = check_fragment(&fracture->fragments[i], name, i);
        if (result != RBL_OK)
        {
            return result == RBL_ERROR_STALE ? rbl_fail_within(result, name) : result;
        }
        mass += (double)fracture->fragments[i].mass;
    }
    if (fracture->fragment_count > 1 &&
        !(fabs(mass - (double)body_mass) <= MASS_TOLERANCE * (double)body_mass))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "breaker %s: the sum of the fragments' masses must be the body's",
                        name);
    }
    for (uint32_t i = 0; i < fracture->mate_count; ++i)
    {
        const rblMate* mate = &fracture->mates[i];
        if (mate->piece_a >= fracture->fragment_count || mate->piece_b >= fracture->fragment_count)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "breaker %s: mate %u names the pieces %u and %u, must be below %u", name, i,
                            mate->piece_a, mate->piece_b, fracture->fragment_count);
        }
    }
    return fracture->crack_area >= 0.0 && rbl_finite(fracture->crack_area)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "breaker %s: the crack area must be finite and not negative",
                          name);
}

rblResult rbl_breaker_shatter(const rblBreaker* breaker, void* prepared, const rblBreakBody* body,
                              const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    if (breaker == NULL || body == NULL || verdict == NULL || out == NULL)
    {
        return fail_null("shatter");
    }
    rblFracture fracture = {0};
    rblResult result =
        breaker->def.shatter(breaker->def.context, prepared, body, verdict, jobs_or_serial(jobs), &fracture);
    if (result == RBL_OK)
    {
        result = check_fracture(&fracture, breaker->name, body->mass);
    }
    if (result != RBL_OK)
    {
        rbl_fracture_free(&fracture);
        fracture = (rblFracture){0};
    }
    *out = fracture;
    return result;
}
