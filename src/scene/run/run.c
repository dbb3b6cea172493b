#include "scene/run/run.h"

#include "base/error.h"
#include "math/quat.h"
#include "mesh/mesh.h"
#include "rubble/version.h"
#include <string.h>

void rbl_run_init(rblRun* run, const rblAllocator* allocator)
{
    *run = (rblRun){.allocator = allocator, .has_velocities = true};
    run->settings = (rblRunSettings){.name = "", .about = "", .version = "", .text = ""};
    rbl_arena_init(&run->texts, 4096, allocator);
    rbl_array_init(&run->shapes, allocator);
    rbl_array_init(&run->materials, allocator);
    rbl_array_init(&run->bodies, allocator);
    rbl_array_init(&run->contacts, allocator);
    rbl_statistics_init(&run->statistics, allocator);
}

void rbl_run_free(rblRun* run)
{
    if (run->allocator == NULL)
    {
        return;
    }
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        rbl_array_free(&run->bodies.data[i].keys);
    }
    for (size_t i = 0; i < run->shapes.count; ++i)
    {
        if (run->shapes.data[i].surface.index1 != 0)
        {
            rbl_mesh_destroy(run->shapes.data[i].surface);
        }
    }
    rbl_array_free(&run->shapes);
    rbl_array_free(&run->materials);
    rbl_array_free(&run->bodies);
    rbl_array_free(&run->contacts);
    rbl_statistics_free(&run->statistics);
    rbl_arena_free(&run->texts);
    *run = (rblRun){0};
}

// ---- reading ----

uint32_t rbl_run_last_step(const rblRun* run)
{
    return run->statistics.steps.count > 0 ? (uint32_t)run->statistics.steps.count - 1 : 0;
}

// The last key at or before a step at which the body exists.
static const rblRunKey* find_key(const rblRunBody* body, uint32_t step)
{
    size_t low = 0;
    size_t high = body->keys.count;
    while (high - low > 1)
    {
        const size_t middle = low + (high - low) / 2;
        *(body->keys.data[middle].step <= step ? &low : &high) = middle;
    }
    return &body->keys.data[low];
}

bool rbl_run_state(const rblRun* run, uint32_t body, uint32_t step, rblRunKey* out)
{
    const rblRunBody* b = &run->bodies.data[body];
    if (b->keys.count == 0 || step < b->birth || step >= b->death)
    {
        return false;
    }
    *out = *find_key(b, step);
    return true;
}

bool rbl_run_body_is_still(const rblRunBody* body)
{
    for (size_t i = 1; i < body->keys.count; ++i)
    {
        if (memcmp(&body->keys.data[i].pose, &body->keys.data[0].pose, sizeof(rblTransform)) != 0)
        {
            return false;
        }
    }
    return true;
}

void rbl_run_touching(const rblRun* run, uint32_t step, size_t* next, uint32_t* counts)
{
    for (; *next < run->contacts.count && run->contacts.data[*next].step <= step; ++*next)
    {
        const rblRunContact* contact = &run->contacts.data[*next];
        const uint32_t change = contact->kind == RBL_CONTACT_BEGIN ? 1 : UINT32_MAX;
        if (contact->kind == RBL_CONTACT_IMPACT)
        {
            continue;
        }
        if (contact->a != RBL_NONE)
        {
            counts[contact->a] += change;
        }
        if (contact->b != RBL_NONE)
        {
            counts[contact->b] += change;
        }
    }
}

// ---- writing ----

const char* rbl_run_text(rblRun* run, const char* text, size_t size)
{
    char* copy = rbl_arena_alloc(&run->texts, size + 1);
    if (copy != NULL)
    {
        memcpy(copy, size > 0 ? text : "", size);
        copy[size] = '\0';
    }
    return copy;
}

static rblResult keep_text(rblRun* run, const char** text, size_t size)
{
    *text = rbl_run_text(run, *text, size);
    return *text != NULL ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_run_add_shape(rblRun* run, const char* name, const char* source, const rblShapeView* view,
                            rblMeshId surface)
{
    rblRunShape shape = {.name = name, .source = source, .plane = !view->bounded, .mass = view->mass};
    if (shape.plane)
    {
        (void)rbl_shape_distance(view->shape, (rblVec3){0, 0, 0}, &shape.normal);
    }
    RBL_TRY(keep_text(run, &shape.name, strlen(shape.name)));
    RBL_TRY(keep_text(run, &shape.source, strlen(shape.source)));
    if (!rbl_array_reserve_more(&run->shapes, 1))
    {
        return rbl_fail_memory();
    }
    if (surface.index1 != 0)
    {
        RBL_TRY(rbl_mesh_share(surface, &shape.surface));
    }
    run->shapes.data[run->shapes.count++] = shape;
    return RBL_OK;
}

static rblResult add_material(rblRun* run, const rblSceneMaterial* values)
{
    rblSceneMaterial material = *values;
    RBL_TRY(keep_text(run, &material.name, strlen(material.name)));
    return rbl_array_push(&run->materials, material) ? RBL_OK : rbl_fail_memory();
}

static rblRunSettings settings_of(const rblSceneView* view)
{
    return (rblRunSettings){.name = view->name,
                            .about = view->about,
                            .version = rbl_version(),
                            .text = view->text,
                            .text_size = view->text_size,
                            .seed = view->seed,
                            .step = view->step,
                            .step_count = view->step_count,
                            .substeps = view->substeps,
                            .sleeping = view->sleeping,
                            .gravity = view->gravity,
                            .has_camera = view->has_camera,
                            .camera = view->camera};
}

rblResult rbl_run_begin(rblRun* run, rblSceneId scene)
{
    rblSceneView view;
    RBL_TRY(rbl_scene_view(scene, &view));
    rblRunSettings settings = settings_of(&view);
    RBL_TRY(keep_text(run, &settings.name, strlen(settings.name)));
    RBL_TRY(keep_text(run, &settings.about, strlen(settings.about)));
    RBL_TRY(keep_text(run, &settings.version, strlen(settings.version)));
    RBL_TRY(keep_text(run, &settings.text, settings.text_size));
    run->settings = settings;
    for (uint32_t i = 0; i < view.shape_count; ++i)
    {
        rblShapeId shape;
        rblMeshId surface;
        rblShapeView seen;
        RBL_TRY(rbl_scene_shape(scene, i, &shape, &surface));
        RBL_TRY(rbl_shape_view(shape, &seen));
        RBL_TRY(rbl_run_add_shape(run, view.shapes[i].name, view.shapes[i].kind, &seen, surface));
    }
    for (uint32_t i = 0; i < view.material_count; ++i)
    {
        RBL_TRY(add_material(run, &view.materials[i]));
    }
    return RBL_OK;
}

rblResult rbl_run_push_body(rblRun* run, const rblRunBody* body)
{
    rblRunBody added = *body;
    RBL_TRY(keep_text(run, &added.name, strlen(added.name)));
    rbl_array_init(&added.keys, run->allocator);
    return rbl_array_push(&run->bodies, added) ? RBL_OK : rbl_fail_memory();
}

// Repeat the last state up to a step.
static bool repeat_key(rblRunBody* body, uint32_t step)
{
    const rblRunKey* last = &body->keys.data[body->keys.count - 1];
    if (last->step >= step)
    {
        return true;
    }
    rblRunKey repeated = *last;
    repeated.step = step;
    return rbl_array_push(&body->keys, repeated);
}

rblResult rbl_run_add_key(rblRun* run, uint32_t body, rblRunKey key)
{
    rblRunBody* b = &run->bodies.data[body];
    if (b->keys.count > 0)
    {
        if (!repeat_key(b, key.step - 1))
        {
            return rbl_fail_memory();
        }
        // A quaternion and its negative are the same rotation; interpolation takes the short way only when the signs agree.
        if (rbl_quat_dot(b->keys.data[b->keys.count - 1].pose.q, key.pose.q) < 0.0f)
        {
            key.pose.q = (rblQuat){-key.pose.q.x, -key.pose.q.y, -key.pose.q.z, -key.pose.q.w};
        }
    }
    return rbl_array_push(&b->keys, key) ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_run_end_tracks(rblRun* run)
{
    const uint32_t last = rbl_run_last_step(run);
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        rblRunBody* body = &run->bodies.data[i];
        const uint32_t end = body->death <= last ? body->death - 1 : last;
        if (body->keys.count > 0 && !repeat_key(body, end))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}
