// Loading and stepping.
#include "exports.h"

#include "rubble/version.h"
#include <stdlib.h>
#include <string.h>

// States of bodies that are kept for animations, 56 bytes each: half a minute of a thousand bodies that all move. The figures of a
// step count as some of them: runs in which all is asleep would grow for ever, too.
#define MOST_KEYS 2000000u
#define STEP_KEYS 4u

static WebSession* current;
static rblCharArray kept_text;

WebSession* web_session(void)
{
    return current;
}

rblResult web_require_session(WebSession** out)
{
    *out = current;
    return current != NULL ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "no scene is loaded");
}

// ---- for the loader ----

void* web_alloc(size_t size)
{
    return malloc(size > 0 ? size : 1);
}

void web_free(void* memory)
{
    free(memory);
}

const char* web_error(void)
{
    return rbl_last_error();
}

const char* web_version(void)
{
    return rbl_version();
}

rblResult web_keep_text(rblCharArray* text)
{
    if (kept_text.allocator != NULL)
    {
        rbl_array_free(&kept_text);
    }
    kept_text = *text;
    rbl_array_init(text, kept_text.allocator);
    return rbl_array_push(&kept_text, '\0') ? RBL_OK : rbl_fail_memory();
}

const char* web_text(void)
{
    return kept_text.data;
}

// ---- life ----

static void destroy(WebSession* session)
{
    if (session == NULL)
    {
        return;
    }
    const rblAllocator* allocator = session->allocator;
    web_forget_stress();
    rbl_simulation_free(&session->simulation);
    if (session->scene.index1 != 0)
    {
        rbl_scene_destroy(session->scene);
    }
    rbl_hash_map_free(&session->meshes);
    rbl_array_free(&session->known);
    rbl_array_free(&session->births);
    rbl_array_free(&session->birth_of_slot);
    rbl_array_free(&session->scene_body_of_slot);
    rbl_array_free(&session->motions);
    rbl_array_free(&session->poses);
    rbl_array_free(&session->added);
    rbl_array_free(&session->removed);
    rbl_array_free(&session->actions);
    rbl_array_free(&session->shapes_of_meshes);
    for (size_t i = 0; i < session->balls.count; ++i)
    {
        rbl_shape_destroy(session->balls.data[i]);
    }
    rbl_array_free(&session->balls);
    rbl_free(allocator, session, sizeof *session);
}

static WebSession* create(void)
{
    const rblAllocator* allocator = rbl_default_allocator();
    WebSession* session = rbl_alloc_zero(allocator, sizeof *session);
    if (session == NULL)
    {
        return NULL;
    }
    session->allocator = allocator;
    rbl_hash_map_init(&session->meshes, allocator);
    rbl_array_init(&session->known, allocator);
    rbl_array_init(&session->births, allocator);
    rbl_array_init(&session->birth_of_slot, allocator);
    rbl_array_init(&session->scene_body_of_slot, allocator);
    rbl_array_init(&session->motions, allocator);
    rbl_array_init(&session->poses, allocator);
    rbl_array_init(&session->added, allocator);
    rbl_array_init(&session->removed, allocator);
    rbl_array_init(&session->actions, allocator);
    rbl_array_init(&session->shapes_of_meshes, allocator);
    rbl_array_init(&session->balls, allocator);
    return session;
}

// The last entry of the statistics is what the page is told.
static void look_at_step(WebSession* session, bool counts)
{
    const rblStatistics* statistics = &session->simulation.run.statistics;
    session->last = statistics->steps.data[statistics->steps.count - 1];
    if (counts)
    {
        session->totals.work += session->last.energy.work;
        session->totals.dissipated += session->last.energy.dissipated;
    }
}

static rblResult begin(WebSession* session, const char* text, size_t size, const char* name)
{
    RBL_TRY(rbl_scene_load_memory(text, size, name, &session->scene));
    RBL_TRY(rbl_simulation_start(&session->simulation, session->scene, true));
    look_at_step(session, false);
    return RBL_OK;
}

// A scene takes the place of the one before; one that fails leaves that as it was.
rblResult web_load(const char* text, size_t size, const char* name)
{
    WebSession* session = create();
    if (session == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = begin(session, text, size, name);
    destroy(result == RBL_OK ? current : session);
    current = result == RBL_OK ? session : current;
    return result;
}

void web_unload(void)
{
    destroy(current);
    current = NULL;
    web_forget_drawn();
    web_forget_overlay();
    web_forget_import();
    if (kept_text.allocator != NULL)
    {
        rbl_array_free(&kept_text);
    }
}

// ---- stepping ----

// Motion of long runs would fill the memory: what is kept ends here, and animations end with it.
static void limit_motion(WebSession* session)
{
    rblSimulation* simulation = &session->simulation;
    rblStatistics* statistics = &simulation->run.statistics;
    simulation->run.contacts.count = 0; // nobody here reads them
    if (session->kept_steps > 0)
    {
        statistics->steps.count = session->kept_steps;
        return;
    }
    session->kept_keys += simulation->tracker.frame.changes.count + STEP_KEYS;
    if (session->kept_keys > MOST_KEYS)
    {
        session->kept_steps = statistics->steps.count;
        simulation->keeps_motion = false;
    }
}

rblResult web_step(void)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    RBL_TRY(web_pull(session));
    RBL_TRY(rbl_simulation_advance(&session->simulation));
    look_at_step(session, true);
    limit_motion(session);
    RBL_TRY(web_note_births(session));
    return web_keep_hold(session);
}

// Seconds of the run that animations have; all of it when it is not longer than that.
double web_kept_seconds(void)
{
    const WebSession* session = current;
    if (session == NULL)
    {
        return 0.0;
    }
    const size_t steps = session->kept_steps > 0 ? session->kept_steps - 1 : session->simulation.step;
    return (double)steps * session->simulation.view.step;
}

// ---- what the scene is ----

void web_put_vector(rblJsonWriter* json, const char* key, rblVec3 v)
{
    rbl_json_key(json, key);
    rbl_json_begin_row(json);
    rbl_json_float(json, v.x);
    rbl_json_float(json, v.y);
    rbl_json_float(json, v.z);
    rbl_json_end_array(json);
}

void web_put_text(rblJsonWriter* json, const char* key, const char* text)
{
    rbl_json_key(json, key);
    rbl_json_string(json, text != NULL ? text : "");
}

static void put_number(rblJsonWriter* json, const char* key, double value)
{
    rbl_json_key(json, key);
    rbl_json_number(json, value);
}

static void put_materials(rblJsonWriter* json, const rblSceneView* view)
{
    rbl_json_key(json, "materials");
    rbl_json_begin_array(json);
    for (uint32_t i = 0; i < view->material_count; ++i)
    {
        const rblSceneMaterial* material = &view->materials[i];
        const rblVec3 color = {material->color[0], material->color[1], material->color[2]};
        rbl_json_begin_object(json);
        web_put_text(json, "name", material->name);
        web_put_text(json, "preset", material->preset);
        web_put_vector(json, "color", color);
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
}

static void put_scene(rblJsonWriter* json, const rblSceneView* view)
{
    rbl_json_begin_object(json);
    web_put_text(json, "about", view->about);
    put_number(json, "seed", (double)view->seed);
    put_number(json, "step", view->step);
    put_number(json, "duration", view->duration);
    if (view->has_camera)
    {
        rbl_json_key(json, "camera");
        rbl_json_begin_object(json);
        web_put_vector(json, "eye", view->camera.eye);
        web_put_vector(json, "target", view->camera.target);
        put_number(json, "fov", (double)view->camera.fov);
        rbl_json_end_object(json);
    }
    put_materials(json, view);
    rbl_json_end_object(json);
}

// The scene as JSON, in web_text(): once after it was loaded.
rblResult web_describe(void)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    rblJsonWriter json;
    rbl_json_writer_init(&json, 0, session->allocator);
    put_scene(&json, &session->simulation.view);
    rblResult result = rbl_json_writer_finish(&json);
    result = result == RBL_OK ? web_keep_text(&json.text) : result;
    rbl_json_writer_free(&json);
    return result;
}

// Presets and their strengths (Pa) as JSON, in web_text().
rblResult web_presets(void)
{
    rblJsonWriter json;
    rbl_json_writer_init(&json, 0, rbl_default_allocator());
    rbl_json_begin_array(&json);
    for (const char* const* name = rbl_material_preset_names(); *name != NULL; ++name)
    {
        rblMaterial material;
        if (rbl_material_preset(*name, &material) == RBL_OK)
        {
            rbl_json_begin_object(&json);
            web_put_text(&json, "name", *name);
            rbl_json_key(&json, "strength");
            rbl_json_float(&json, material.strength);
            rbl_json_end_object(&json);
        }
    }
    rbl_json_end_array(&json);
    rblResult result = rbl_json_writer_finish(&json);
    result = result == RBL_OK ? web_keep_text(&json.text) : result;
    rbl_json_writer_free(&json);
    return result;
}
