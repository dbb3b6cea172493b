// A breaker for tests: boxes break into a grid of smaller boxes.
#ifndef RBL_TESTS_BOX_BREAKER_H
#define RBL_TESTS_BOX_BREAKER_H

#include "math/transform.h"
#include "rubble/breaker.h"
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef struct BoxBreaker
{
    uint32_t counts[3];
    float energy;      // J: impacts above it break; 0: none does
    float impulse;     // N s: likewise
    float skew;        // of the masses, so that they do not fit the shapes
    atomic_uint asked; // impacts: by several threads
    uint32_t prepared; // and not forgotten
} BoxBreaker;

static inline rblResult box_breaker_prepare(void* context, const rblShapeView* shape,
                                            const rblMaterial* material, rblJobs* jobs, void** prepared)
{
    BoxBreaker* breaker = context;
    (void)shape;
    (void)material;
    (void)jobs;
    breaker->prepared += 1;
    *prepared = breaker;
    return RBL_OK;
}

static inline void box_breaker_forget(void* context, void* prepared)
{
    BoxBreaker* breaker = context;
    (void)prepared;
    breaker->prepared -= 1;
}

static inline rblResult box_breaker_decide(void* context, void* prepared, const rblBreakBody* body,
                                           const rblImpact* impacts, uint32_t count, rblVerdict* out)
{
    BoxBreaker* breaker = context;
    (void)prepared;
    (void)body;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 j = impacts[i].impulse;
        const float push = sqrtf(j.x * j.x + j.y * j.y + j.z * j.z);
        const bool hard = breaker->energy > 0.0f && impacts[i].energy > breaker->energy;
        const bool strong = breaker->impulse > 0.0f && push > breaker->impulse;
        atomic_fetch_add(&breaker->asked, 1);
        if ((hard || strong) && body->generation == 0 &&
            (!out->breaks || impacts[i].energy > impacts[out->impact].energy))
        {
            out->breaks = true;
            out->impact = i;
            out->point = impacts[i].point;
            out->normal = impacts[i].normal;
            out->severity = hard ? impacts[i].energy / breaker->energy : push / breaker->impulse;
        }
    }
    return RBL_OK;
}

static inline double box_breaker_area(const uint32_t counts[3], rblVec3 size)
{
    return (double)(counts[0] - 1) * (double)(size.y * size.z) +
           (double)(counts[1] - 1) * (double)(size.x * size.z) +
           (double)(counts[2] - 1) * (double)(size.x * size.y);
}

// Fewer pieces along the axis with most of them, until budget and limit are kept.
static inline void box_breaker_fit(const rblBreakBody* body, const rblVerdict* verdict, rblVec3 size,
                                   uint32_t counts[3])
{
    const double gc = 2.0 * (double)body->material.surface_energy;
    const uint32_t most = verdict->max_fragments;
    while (counts[0] * counts[1] * counts[2] > 1 && (gc * box_breaker_area(counts, size) > verdict->budget ||
                                                     (most > 0 && counts[0] * counts[1] * counts[2] > most)))
    {
        const int k = counts[0] >= counts[1] && counts[0] >= counts[2] ? 0 : (counts[1] >= counts[2] ? 1 : 2);
        counts[k] -= 1;
    }
}

static inline rblResult box_breaker_shatter(void* context, void* prepared, const rblBreakBody* body,
                                            const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    const BoxBreaker* breaker = context;
    const rblAabb box = body->view.bounds;
    const rblVec3 size = rbl_sub3(box.upper, box.lower);
    uint32_t counts[3] = {breaker->counts[0], breaker->counts[1], breaker->counts[2]};
    (void)prepared;
    (void)jobs;
    box_breaker_fit(body, verdict, size, counts);
    const uint32_t count = counts[0] * counts[1] * counts[2];
    const rblVec3 part = {size.x / (float)counts[0], size.y / (float)counts[1], size.z / (float)counts[2]};
    if (rbl_fracture_allocate(out, count, 0) != RBL_OK)
    {
        return RBL_ERROR_MEMORY;
    }
    out->crack_area = box_breaker_area(counts, size);
    for (uint32_t i = 0; i < count; ++i)
    {
        const float x = (float)(i % counts[0]) + 0.5f;
        const float y = (float)(i / counts[0] % counts[1]) + 0.5f;
        const float z = (float)(i / (counts[0] * counts[1])) + 0.5f;
        const rblVec3 center = {box.lower.x + x * part.x, box.lower.y + y * part.y, box.lower.z + z * part.z};
        const rblResult result = rbl_shape_create_box(part, &out->fragments[i].shape);
        if (result != RBL_OK)
        {
            return result;
        }
        out->fragments[i].pose = (rblTransform){rbl_transform_point(body->pose, center), body->pose.q};
        out->fragments[i].mass = body->mass / (float)count;
        out->fragments[i].piece = i;
    }
    if (count > 1)
    {
        out->fragments[0].mass *= 1.0f + breaker->skew;
        out->fragments[1].mass *= 1.0f - breaker->skew;
    }
    return RBL_OK;
}

// The context stays the caller's, and must outlive the breaker.
static inline rblBreakerId make_box_breaker(BoxBreaker* breaker)
{
    rblBreakerDef def = rbl_default_breaker_def();
    rblBreakerId id = {0, 0};
    def.name = "boxes";
    def.prepare = box_breaker_prepare;
    def.forget = box_breaker_forget;
    def.decide = box_breaker_decide;
    def.shatter = box_breaker_shatter;
    def.context = breaker;
    if (rbl_breaker_create(&def, &id) != RBL_OK)
    {
        abort();
    }
    return id;
}

#endif
