#include "rubble/prescored.h"

#include "base/def.h"
#include "base/error.h"
#include "fracture/breaker_kinds.h"
#include "fracture/prescored/prescored_private.h"
#include "math/aabb.h"
#include "math/vec.h"

#define FEWEST_POINTS    500u       // points inside a body, at least
#define POINTS_PER_PIECE 4u         // points inside a body per piece
#define NO_FILE          "(labels)" // replaces the path of a file that was read
#define MIN_DAMAGE       0.05       // of the breaking energy: smaller impacts add no damage

typedef struct Prescored
{
    rblPrescoredDef def;    // without the path of a file
    rblLabelVolume* labels; // of a file; null: the pattern is from none
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
    // The callback does not change the shape; its context is not const.
    out->count = rbl_pattern_spread_points(to_double_box(shape->bounds), is_inside, shape->shape->self,
                                           out->capacity, out->points, NULL);
    return RBL_OK;
}

// Most fragments never break: they are prepared when they do.
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

// Damage lowers the breaking energy, but not to zero.
static double threshold_of(const rblPrescoredDef* def, const rblBreakBody* body)
{
    return def->accumulate ? rbl_clampd(1.0 - (double)body->damage, MIN_DAMAGE, 1.0) : 1.0;
}

static rblResult decide(void* context, void* prepared, const rblBreakBody* body, const rblImpact* impacts,
                        uint32_t count, rblVerdict* out)
{
    (void)prepared;
    const rblPrescoredDef* def = &((const Prescored*)context)->def;
    if (!rbl_may_break(body, def->generations, def->smallest_body))
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
        damage += severity >= MIN_DAMAGE ? severity * severity : 0.0;
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

// Checks beyond the ranges of the parameters.
static rblResult check_def(const rblPrescoredDef* def)
{
    if (def->pattern.struct_size != sizeof def->pattern)
    {
        // An embedded definition must have the full size: otherwise the fields after it have other offsets.
        return rbl_fail(RBL_ERROR_ARGUMENT, "prescored: the pattern has %u bytes, must have %zu",
                        def->pattern.struct_size, sizeof def->pattern);
    }
    return rbl_pattern_check(&def->pattern);
}

static void destroy(void* context)
{
    Prescored* prescored = context;
    rbl_labels_free(prescored->labels, prescored->allocator);
    rbl_free(prescored->allocator, prescored, sizeof *prescored);
}

// The file is read once, here, so that a break does not read files. The number of pieces is that of its regions.
static rblResult read_labels(Prescored* prescored, const char* file, const void* data, size_t size)
{
    rblByteSource source = {.data = data, .size = size};
    RBL_TRY(data != NULL ? rbl_labels_take(&source, prescored->allocator, &prescored->labels)
                         : rbl_labels_load(file, prescored->allocator, &prescored->labels));
    prescored->def.pattern.pieces = prescored->labels->label_count;
    return RBL_OK;
}

rblResult rbl_prescored_create(const void* given, const void* data, size_t size, rblBreakerDef* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblPrescoredDef def = *(const rblPrescoredDef*)given;
    const bool from_file = def.pattern.kind == RBL_PATTERN_FILE;
    const char* file = def.pattern.file;
    def.pattern.file = from_file && (data != NULL || file != NULL) ? NO_FILE : NULL;
    RBL_TRY(check_def(&def));
    Prescored* prescored = rbl_alloc_zero(allocator, sizeof *prescored);
    if (prescored == NULL)
    {
        return rbl_fail_memory();
    }
    prescored->def = def;
    prescored->allocator = allocator;
    const rblResult result = from_file ? read_labels(prescored, file, data, size) : RBL_OK;
    if (result != RBL_OK)
    {
        destroy(prescored);
        return result;
    }
    out->prepare = prepare;
    out->forget = forget;
    out->decide = decide;
    out->shatter = shatter;
    out->destroy = destroy;
    out->context = prescored;
    return RBL_OK;
}

rblResult rbl_breaker_create_prescored(const rblPrescoredDef* given, rblBreakerId* out)
{
    rblPrescoredDef def = rbl_default_prescored_def();
    RBL_TRY(rbl_def_read(&prescored_def, given, &def));
    return rbl_breaker_create_from(&rbl_prescored_kind, &def, NULL, 0, out);
}

rblResult rbl_prescored_put_data(const void* context, rblByteSink* sink)
{
    const Prescored* prescored = context;
    if (prescored->labels != NULL)
    {
        rbl_labels_put(sink, prescored->labels);
    }
    return RBL_OK;
}
