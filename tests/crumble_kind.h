// A kind of breaker that no other file knows: boxes crumble into a grid of boxes. Evidence and contexts are counted.
#ifndef RBL_TESTS_CRUMBLE_KIND_H
#define RBL_TESTS_CRUMBLE_KIND_H

#include "box_breaker.h"

typedef struct CrumbleDef
{
    uint32_t along; // boxes along each axis
    float energy;   // J that breaks
    rblVec3 unused; // to have one of every form
    const char* label;
} CrumbleDef;

static const rblParameter crumble_parameters[] = {
    {.key = "along",
     .type = RBL_PARAMETER_U32,
     .offset = offsetof(CrumbleDef, along),
     .min = 1,
     .max = 10,
     .about = "boxes along each axis"},
    {.key = "energy",
     .type = RBL_PARAMETER_FLOAT,
     .offset = offsetof(CrumbleDef, energy),
     .max = RBL_PARAMETER_UNLIMITED,
     .about = "J that breaks a body"},
    {.key = "unused",
     .type = RBL_PARAMETER_VECTOR,
     .offset = offsetof(CrumbleDef, unused),
     .about = "nothing"},
    {.key = "label", .type = RBL_PARAMETER_TEXT, .offset = offsetof(CrumbleDef, label), .about = "a text"},
    {.type = RBL_PARAMETER_END},
};

static atomic_int crumble_evidence; // that was handed out and not given back
static atomic_int crumble_alive;    // contexts

static inline void crumble_defaults(void* def)
{
    *(CrumbleDef*)def = (CrumbleDef){.along = 2, .energy = 0.1f};
}

static inline rblResult crumble_decide(void* context, void* prepared, const rblBreakBody* body,
                                       const rblImpact* impacts, uint32_t count, rblVerdict* out)
{
    const rblResult result = box_breaker_decide(context, prepared, body, impacts, count, out);
    atomic_fetch_add(&crumble_evidence, 1);
    out->evidence = context; // also when it does not break
    return result;
}

static inline void crumble_release(void* context, void* evidence)
{
    atomic_fetch_add(&crumble_evidence, evidence == context ? -1 : 1000);
}

static inline void crumble_destroy(void* context)
{
    atomic_fetch_add(&crumble_alive, -1);
    free(context);
}

static inline rblResult crumble_create(const void* def, const void* data, size_t size, rblBreakerDef* out)
{
    const CrumbleDef* crumble = def;
    (void)data;
    (void)size;
    BoxBreaker* breaker = calloc(1, sizeof *breaker);
    if (breaker == NULL)
    {
        return RBL_ERROR_MEMORY;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        breaker->counts[axis] = crumble->along;
    }
    breaker->energy = crumble->energy;
    atomic_fetch_add(&crumble_alive, 1);
    out->decide = crumble_decide;
    out->release_evidence = crumble_release;
    out->shatter = box_breaker_shatter;
    out->destroy = crumble_destroy;
    out->context = breaker;
    return RBL_OK;
}

static inline rblBreakerKind crumble_kind(void)
{
    rblBreakerKind kind = rbl_default_breaker_kind();
    kind.name = "crumble";
    kind.about = "boxes crumble into boxes";
    kind.def_size = sizeof(CrumbleDef);
    kind.parameters = crumble_parameters;
    kind.set_defaults = crumble_defaults;
    kind.create = crumble_create;
    return kind;
}

#endif
