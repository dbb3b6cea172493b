// A fracture method of one's own in one file: bodies with an impact that is hard enough fall into slices, like a loaf of bread. It is
// registered as the kind "slices", so that a scene names it, a recording stores it and a replay makes it again.
// Built by the tests against the installed library.
#include <math.h>
#include <rubble/rubble.h>
#include <stdio.h>
#include <string.h>

// ---- the parameters of the method ----

typedef struct SlicesDef
{
    uint32_t count; // of slices
    uint32_t axis;  // of the body, across the slices
    float impulse;  // N s that breaks a body
} SlicesDef;

static const char* const axes[] = {"x", "y", "z", NULL};

static const rblParameter slices_parameters[] = {
    {.key = "count",
     .type = RBL_PARAMETER_U32,
     .offset = offsetof(SlicesDef, count),
     .min = 2,
     .max = 100,
     .about = "of slices"},
    {.key = "across",
     .type = RBL_PARAMETER_CHOICE,
     .offset = offsetof(SlicesDef, axis),
     .choices = axes,
     .about = "axis of the body across the slices"},
    {.key = "impulse",
     .type = RBL_PARAMETER_FLOAT,
     .offset = offsetof(SlicesDef, impulse),
     .max = RBL_PARAMETER_UNLIMITED,
     .min_excluded = true,
     .about = "N s that breaks a body"},
    {.type = RBL_PARAMETER_END},
};

static void slices_defaults(void* def)
{
    *(SlicesDef*)def = (SlicesDef){.count = 8, .axis = 0, .impulse = 0.1f};
}

// ---- the method ----

// Bodies break once, at the hardest impact.
static rblResult slices_decide(void* context, void* prepared, const rblBreakBody* body,
                               const rblImpact* impacts, uint32_t count, rblVerdict* out)
{
    const SlicesDef* def = context;
    (void)prepared;
    for (uint32_t i = 0; i < count && body->generation == 0; ++i)
    {
        const rblVec3 j = impacts[i].impulse;
        const float severity = sqrtf(j.x * j.x + j.y * j.y + j.z * j.z) / def->impulse;
        if (severity >= 1.0f && severity > out->severity)
        {
            out->breaks = true;
            out->impact = i;
            out->point = impacts[i].point;
            out->normal = impacts[i].normal;
            out->severity = severity;
        }
    }
    return RBL_OK;
}

static rblVec3 rotated(rblQuat q, rblVec3 v)
{
    const rblVec3 t = {2.0f * (q.y * v.z - q.z * v.y), 2.0f * (q.z * v.x - q.x * v.z),
                       2.0f * (q.x * v.y - q.y * v.x)};
    return (rblVec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                     v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

// As many slices as the impact can pay for and the world has place for.
static uint32_t slice_count(const SlicesDef* def, const rblBreakBody* body, const rblVerdict* verdict,
                            double section)
{
    const double price = 2.0 * (double)body->material.surface_energy * section;
    uint32_t count = def->count;
    while (count > 1 && (price * (count - 1) > verdict->budget ||
                         (verdict->max_fragments > 0 && count > verdict->max_fragments)))
    {
        --count;
    }
    return count;
}

// The body is taken for its box.
static rblResult slices_shatter(void* context, void* prepared, const rblBreakBody* body,
                                const rblVerdict* verdict, rblJobs* jobs, rblFracture* out)
{
    const SlicesDef* def = context;
    const rblAabb box = body->view.bounds;
    rblVec3 size = {box.upper.x - box.lower.x, box.upper.y - box.lower.y, box.upper.z - box.lower.z};
    float* across = &size.x + def->axis;
    const float whole = *across;
    const double section = (double)(size.x * size.y * size.z / whole);
    const uint32_t count = slice_count(def, body, verdict, section);
    (void)prepared;
    (void)jobs;
    if (count < 2)
    {
        return RBL_OK; // it stays whole
    }
    rblResult result = rbl_fracture_allocate(out, count, 0);
    *across = whole / (float)count;
    for (uint32_t i = 0; result == RBL_OK && i < count; ++i)
    {
        rblVec3 center = {0.5f * (box.lower.x + box.upper.x), 0.5f * (box.lower.y + box.upper.y),
                          0.5f * (box.lower.z + box.upper.z)};
        (&center.x)[def->axis] += ((float)i + 0.5f) * *across - 0.5f * whole;
        const rblVec3 offset = rotated(body->pose.q, center);
        out->fragments[i].pose = body->pose;
        out->fragments[i].pose.p.x += offset.x;
        out->fragments[i].pose.p.y += offset.y;
        out->fragments[i].pose.p.z += offset.z;
        out->fragments[i].mass = body->mass / (float)count;
        out->fragments[i].piece = i;
        result = rbl_shape_create_box(size, &out->fragments[i].shape);
    }
    out->crack_area = section * (count - 1);
    return result;
}

// ---- the kind ----

// The context is a definition in a small pool: a program of its own would allocate it, and free it in `destroy`.
static SlicesDef pool[16];
static uint32_t pool_used;

static rblResult slices_create(const void* def, const void* data, size_t size, rblBreakerDef* out)
{
    (void)data;
    (void)size;
    if (pool_used == sizeof pool / sizeof *pool)
    {
        return RBL_ERROR_LIMIT;
    }
    pool[pool_used] = *(const SlicesDef*)def;
    out->decide = slices_decide;
    out->shatter = slices_shatter;
    out->context = &pool[pool_used++];
    return RBL_OK;
}

static rblResult register_slices(void)
{
    rblBreakerKind kind = rbl_default_breaker_kind();
    kind.name = "slices";
    kind.about = "bodies fall into slices of equal thickness";
    kind.def_size = sizeof(SlicesDef);
    kind.parameters = slices_parameters;
    kind.set_defaults = slices_defaults;
    kind.create = slices_create;
    return rbl_breaker_kind_register(&kind);
}

// ---- a scene that uses it, a recording and a replay ----

static const char scene_text[] =
    "{ \"rubble\": 1, \"duration\": 1.5,"
    "  \"shapes\": { \"ground\": { \"kind\": \"plane\" }, \"loaf\": { \"kind\": \"box\", \"size\": [0.4, "
    "0.15, 0.15] } },"
    "  \"bodies\": ["
    "    { \"name\": \"ground\", \"shape\": \"ground\", \"type\": \"static\", \"material\": \"stone\" },"
    "    { \"name\": \"loaf\", \"shape\": \"loaf\", \"material\": \"plaster\", \"position\": [0, 1, 0],"
    "      \"rotation\": [0, 0, 0.19866933, 0.98006658],"
    "      \"fracture\": { \"method\": \"slices\", \"count\": 12, \"across\": \"x\" } } ] }";

static rblResult run_and_record(rblSceneId scene, const char* path, uint32_t* slices)
{
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    rblBodyId bodies[8];
    rblSceneView view;
    rblResult result = rbl_scene_world_def(scene, &def);
    result = result == RBL_OK ? rbl_scene_view(scene, &view) : result;
    result = result == RBL_OK ? rbl_world_create(&def, &world) : result;
    if (result != RBL_OK)
    {
        return result;
    }
    result = rbl_world_record(world, path);
    result = result == RBL_OK ? rbl_scene_build(scene, world, bodies) : result;
    for (uint32_t i = 0; result == RBL_OK && i < view.step_count; ++i)
    {
        const rblBreakEvent* breaks;
        uint32_t count = 0;
        result = rbl_world_step(world, (float)view.step);
        result = result == RBL_OK ? rbl_world_break_events(world, &breaks, &count) : result;
        *slices += count > 0 ? breaks[0].fragment_count : 0;
    }
    result = result == RBL_OK ? rbl_world_stop_recording(world) : result;
    rbl_world_destroy(world);
    return result;
}

int main(void)
{
    static const char path[] = "slices.rbl";
    rblSceneId scene;
    rblReplayReport replay = {0};
    uint32_t slices = 0;
    rblResult result = register_slices();
    result = result == RBL_OK ? rbl_scene_load_memory(scene_text, strlen(scene_text), "slices.json", &scene)
                              : result;
    if (result == RBL_OK)
    {
        result = run_and_record(scene, path, &slices);
        rbl_scene_destroy(scene);
    }
    result = result == RBL_OK ? rbl_calls_replay(path, &replay) : result;
    if (result != RBL_OK || slices < 2 || !replay.same || !replay.complete)
    {
        fprintf(stderr, "breaker: %s\n", result != RBL_OK ? rbl_last_error() : "the replay is not the same");
        return 1;
    }
    printf("the loaf broke into %u slices; the replay of %u steps is the same\n", slices, replay.steps);
    // Without its kind the recording is refused, and the message says which kind is missing.
    rbl_breaker_kind_unregister("slices");
    result = rbl_calls_replay(path, &replay);
    printf("without the kind: %s\n", rbl_last_error());
    remove(path);
    return result == RBL_ERROR_UNSUPPORTED ? 0 : 1;
}
