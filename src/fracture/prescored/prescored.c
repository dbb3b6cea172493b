#include "fracture/prescored/prescored.h"

#include "base/def.h"
#include "base/error.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <string.h>

#define FEWEST_POINTS    500u // inside a body, for a pattern to be fitted to
#define POINTS_PER_PIECE 4u
#define NO_FILE          "(labels)" // what the file is named where there are labels in its place
#define LEAST_DAMAGE     0.05       // blows with less than this share of the breaking energy do nothing

typedef struct Prescored
{
    rblPrescoredDef def; // `file` of the pattern is a copy
    char* file;
    size_t file_bytes;
    const rblLabelVolume* labels; // of that file
    rblLabelVolume* loaded;       // the same, unless somebody else has them
    const rblAllocator* allocator;
} Prescored;

// ---- points inside ----

static bool is_inside(rblVec3d point, void* context)
{
    return rbl_shape_distance(context, rbl_to_float3(point), NULL) < 0.0f;
}

static rblAabbd to_double_box(rblAabb box)
{
    return (rblAabbd){rbl_to_double3(box.lower), rbl_to_double3(box.upper)};
}

static void free_points(rblInsidePoints* prepared, const rblAllocator* allocator)
{
    RBL_FREE_ARRAY(allocator, prepared->points, prepared->capacity);
    *prepared = (rblInsidePoints){NULL, 0, 0};
}

static rblResult find_points(const Prescored* prescored, const rblShapeView* shape, rblInsidePoints* out)
{
    const uint32_t wanted = POINTS_PER_PIECE * prescored->def.pattern.pieces;
    out->capacity = wanted > FEWEST_POINTS ? wanted : FEWEST_POINTS;
    out->points = RBL_NEW_ARRAY(prescored->allocator, rblVec3d, out->capacity);
    if (out->points == NULL)
    {
        return rbl_fail_memory();
    }
    // The shape is not changed; the callback wants its context that way.
    out->count = rbl_pattern_spread_points(to_double_box(shape->bounds), is_inside, shape->shape->self,
                                           out->capacity, out->points, NULL);
    return RBL_OK;
}

// Fragments are many, and most never break: they are looked at when they do.
static rblResult prepare(void* context, const rblShapeView* shape, const rblMaterial* material, rblJobs* jobs,
                         void** prepared)
{
    (void)material;
    (void)jobs;
    const Prescored* prescored = context;
    if (shape->shape->kind->piece)
    {
        return RBL_OK;
    }
    rblMeshId surface = {0, 0};
    if (!shape->bounded || rbl_shape_surface(shape, &surface) != RBL_OK || surface.index1 == 0)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "prescored: a %s without a surface cannot break", shape->kind);
    }
    rblInsidePoints* out = rbl_alloc_zero(prescored->allocator, sizeof *out);
    rblResult result = out != NULL ? find_points(prescored, shape, out) : rbl_fail_memory();
    if (result != RBL_OK)
    {
        rbl_free(prescored->allocator, out, sizeof *out);
        return result;
    }
    *prepared = out;
    return RBL_OK;
}

static void forget(void* context, void* prepared)
{
    const Prescored* prescored = context;
    free_points(prepared, prescored->allocator);
    rbl_free(prescored->allocator, prepared, sizeof(rblInsidePoints));
}

// ---- deciding ----

// Pieces that are too small stay whole. Of a body that has not broken yet nobody knows what is small for it.
static bool may_break(const rblPrescoredDef* def, const rblBreakBody* body)
{
    const rblVec3 size = rbl_aabb_size(body->view.bounds);
    const float longest = rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    return body->view.bounded && body->generation < def->generations &&
           (body->generation == 0 || longest >= def->smallest_body);
}

// Damage lowers the energy that breaks, but not so far that any touch does.
static double threshold_of(const rblPrescoredDef* def, const rblBreakBody* body)
{
    return def->accumulate ? rbl_clampd(1.0 - (double)body->damage, LEAST_DAMAGE, 1.0) : 1.0;
}

static rblResult decide(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                        uint32_t count, rblVerdict* out)
{
    (void)prepared;
    const rblPrescoredDef* def = &((const Prescored*)context)->def;
    if (!may_break(def, body))
    {
        return RBL_OK;
    }
    const bool by_impulse = body->material.break_impulse > 0.0f;
    const double threshold = threshold_of(def, body);
    double worst = 0.0;
    double damage = (double)body->damage;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double severity =
            by_impulse ? rbl_impulse_severity(body, &impacts[i]) : rbl_strength_severity(body, &impacts[i]);
        damage += severity >= LEAST_DAMAGE ? severity * severity : 0.0;
        if (severity > worst)
        {
            worst = severity;
            out->impact = i;
        }
    }
    out->damage = def->accumulate ? (float)rbl_mind(damage, 1.0) : body->damage;
    out->breaks = worst >= threshold;
    out->severity = (float)rbl_mind(worst / threshold, 1e30);
    if (out->breaks)
    {
        const rblImpact* impact = &impacts[out->impact];
        out->point = impact->point;
        out->normal = impact->normal;
    }
    return RBL_OK;
}

// ---- breaking ----

static rblResult shatter(void* context, void* prepared, const rblBreakBody* body, const rblVerdict* verdict,
                         rblJobs* jobs, rblFracture* out)
{
    const Prescored* prescored = context;
    const rblPrescoredDef* def = &prescored->def;
    if (prepared != NULL)
    {
        return rbl_prescored_shatter(def, prescored->labels, prepared, body, verdict, jobs, out);
    }
    rblInsidePoints found = {NULL, 0, 0};
    RBL_TRY(find_points(prescored, &body->view, &found));
    const rblResult result = rbl_prescored_shatter(def, prescored->labels, &found, body, verdict, jobs, out);
    free_points(&found, prescored->allocator);
    return result;
}

// ---- making one ----

RBL_DEF_KIND(prescored_def, rblPrescoredDef, "prescored", rbl_default_prescored_def, 0x94E5C04Eu);

void rbl_prescored_def_init(rblPrescoredDef* def, size_t size)
{
    const rblPrescoredDef defaults = {.pattern = rbl_default_pattern_def(),
                                      .smallest = 1e-4f,
                                      .lifetime = 2.0f,
                                      .generations = 3,
                                      .share = 0.25f,
                                      .smallest_body = 0.02f};
    rbl_def_init(&prescored_def, &defaults, def, size);
}

static bool is_amount(float x)
{
    return x >= 0.0f && rbl_finite((double)x);
}

static rblResult check_def(const rblPrescoredDef* def)
{
    if (!is_amount(def->smallest) || !is_amount(def->thinnest) || !is_amount(def->lifetime) ||
        !is_amount(def->smallest_body) || !(def->smallest < 1.0f) || !is_amount(def->share))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "prescored: smallest (below 1), thinnest, lifetime, share and smallest_body "
                        "must be finite and not negative");
    }
    if ((unsigned)def->crumbs >= RBL_CRUMBS_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "prescored: no policy for crumbs has the number %u",
                        (unsigned)def->crumbs);
    }
    if (def->pattern.struct_size != sizeof def->pattern)
    {
        // Within another definition it cannot be smaller: what follows it would not be where it is looked for.
        return rbl_fail(RBL_ERROR_ARGUMENT, "prescored: the pattern has %u bytes, must have %zu",
                        def->pattern.struct_size, sizeof def->pattern);
    }
    return rbl_pattern_check(&def->pattern);
}

static void destroy(void* context)
{
    Prescored* prescored = context;
    rbl_labels_free(prescored->loaded, prescored->allocator);
    rbl_free(prescored->allocator, prescored->file, prescored->file_bytes);
    rbl_free(prescored->allocator, prescored, sizeof *prescored);
}

// A file is read once, here, and a break never waits for the disk. There are as many pieces as it has regions.
static rblResult take_file(Prescored* prescored, const char* file)
{
    prescored->file_bytes = strlen(file) + 1;
    prescored->file = rbl_alloc(prescored->allocator, prescored->file_bytes);
    if (prescored->file == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(prescored->file, file, prescored->file_bytes);
    prescored->def.pattern.file = prescored->file;
    RBL_TRY(rbl_labels_load(file, prescored->allocator, &prescored->loaded));
    prescored->labels = prescored->loaded;
    prescored->def.pattern.pieces = prescored->labels->label_count;
    return RBL_OK;
}

static rblResult copy_def(const rblPrescoredDef* def, const rblLabelVolume* labels, Prescored** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    Prescored* prescored = rbl_alloc_zero(allocator, sizeof *prescored);
    if (prescored == NULL)
    {
        return rbl_fail_memory();
    }
    prescored->def = *def;
    prescored->def.pattern.file = NULL;
    prescored->allocator = allocator;
    if (labels != NULL)
    {
        prescored->labels = labels;
        prescored->def.pattern.file = NO_FILE;
        prescored->def.pattern.pieces = labels->label_count;
    }
    else if (def->pattern.kind == RBL_PATTERN_FILE)
    {
        const rblResult result = take_file(prescored, def->pattern.file);
        if (result != RBL_OK)
        {
            destroy(prescored);
            return result;
        }
    }
    *out = prescored;
    return RBL_OK;
}

static rblResult create(const rblPrescoredDef* def, const rblLabelVolume* labels, rblBreakerId* out)
{
    RBL_TRY(check_def(def));
    Prescored* prescored = NULL;
    RBL_TRY(copy_def(def, labels, &prescored));
    rblBreakerDef breaker = rbl_default_breaker_def();
    breaker.name = "prescored";
    breaker.prepare = prepare;
    breaker.forget = forget;
    breaker.decide = decide;
    breaker.shatter = shatter;
    breaker.destroy = destroy;
    breaker.context = prescored;
    const rblResult result = rbl_breaker_create(&breaker, out);
    if (result != RBL_OK)
    {
        destroy(prescored);
    }
    return result;
}

rblResult rbl_breaker_create_prescored(const rblPrescoredDef* given, rblBreakerId* out)
{
    rblPrescoredDef def = rbl_default_prescored_def();
    RBL_TRY(rbl_def_read(&prescored_def, given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "prescored: out must not be null");
    }
    return create(&def, NULL, out);
}

rblResult rbl_breaker_create_with_labels(const rblPrescoredDef* def, const rblLabelVolume* labels,
                                         rblBreakerId* out)
{
    rblPrescoredDef named = *def;
    named.pattern.kind = RBL_PATTERN_FILE;
    named.pattern.file = NO_FILE;
    return create(&named, labels, out);
}

const rblLabelVolume* rbl_breaker_labels(const rblBreaker* breaker)
{
    const rblBreakerDef* def = rbl_breaker_def(breaker);
    return def->decide == decide ? ((const Prescored*)def->context)->labels : NULL;
}

bool rbl_breaker_prescored_def(const rblBreaker* breaker, rblPrescoredDef* out)
{
    const rblBreakerDef* def = rbl_breaker_def(breaker);
    if (def->decide != decide)
    {
        return false;
    }
    *out = ((const Prescored*)def->context)->def;
    return true;
}
