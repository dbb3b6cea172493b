// Loading and stepping.
#include "exports.h"

#include <stdlib.h>
#include <string.h>

// States of bodies that are kept for animations, 56 bytes each: half a minute of a thousand bodies that all move.
#define MAX_KEYS 2000000u

static WebSession* current;
static LIST(char) kept_text; // what was written last

WebSession* web_session(void)
{
    return current;
}

rblResult web_require_session(WebSession** out)
{
    *out = current;
    return current != NULL ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "no scene is loaded");
}

rblResult web_fail_memory(void)
{
    return rbl_fail(RBL_ERROR_MEMORY, "out of memory");
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

rblResult web_keep_text(const rblJsonWriter* json)
{
    if (!LIST_RESIZE(&kept_text, json->size + 1))
    {
        return web_fail_memory();
    }
    memcpy(kept_text.data, json->text, json->size);
    kept_text.data[json->size] = '\0';
    return RBL_OK;
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
    web_forget_stress();
    if (session->run.index1 != 0)
    {
        rbl_run_destroy(session->run);
    }
    if (session->scene.index1 != 0)
    {
        rbl_scene_destroy(session->scene);
    }
    LIST_FREE(&session->mesh_of_shape);
    LIST_FREE(&session->known);
    LIST_FREE(&session->births);
    LIST_FREE(&session->birth_of_slot);
    LIST_FREE(&session->motions);
    LIST_FREE(&session->poses);
    LIST_FREE(&session->added);
    LIST_FREE(&session->removed);
    LIST_FREE(&session->actions);
    LIST_FREE(&session->shapes_of_meshes);
    for (size_t i = 0; i < session->balls.count; ++i)
    {
        rbl_shape_destroy(session->balls.data[i]);
    }
    LIST_FREE(&session->balls);
    free(session);
}

// The last record of the run is what the page is told.
static rblResult look_at_step(WebSession* session, bool counts)
{
    RBL_TRY(rbl_run_last_record(session->run, &session->last));
    if (counts)
    {
        session->totals.work += session->last.energy.work;
        session->totals.dissipated += session->last.energy.dissipated;
    }
    return RBL_OK;
}

static rblResult begin(WebSession* session, const char* text, size_t size, const char* name)
{
    rblRunDef def = rbl_default_run_def();
    def.keeps_contacts = false; // nobody here reads them
    def.motion_limit = MAX_KEYS;
    RBL_TRY(rbl_scene_load_memory(text, size, name, &session->scene));
    RBL_TRY(rbl_scene_view(session->scene, &session->view));
    RBL_TRY(rbl_run_create(session->scene, &def, &session->run));
    RBL_TRY(rbl_run_world(session->run, &session->world));
    return look_at_step(session, false);
}

// A scene takes the place of the one before; one that fails leaves that as it was.
rblResult web_load(const char* text, size_t size, const char* name)
{
    WebSession* session = calloc(1, sizeof *session);
    if (session == NULL)
    {
        return web_fail_memory();
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
    LIST_FREE(&kept_text);
}

// ---- stepping ----

rblResult web_step(void)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    RBL_TRY(web_pull(session));
    RBL_TRY(rbl_run_step(session->run));
    session->step += 1;
    RBL_TRY(look_at_step(session, true));
    RBL_TRY(web_note_births(session));
    return web_keep_hold(session);
}

// Seconds of the run that animations have; all of it when it is not longer than that.
double web_kept_seconds(void)
{
    rblRunView view;
    if (current == NULL || rbl_run_view(current->run, &view) != RBL_OK)
    {
        return 0.0;
    }
    return (double)(view.record_count - 1) * view.settings.step;
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
    rbl_json_writer_init(&json, 0, NULL);
    put_scene(&json, &session->view);
    rblResult result = rbl_json_writer_finish(&json);
    result = result == RBL_OK ? web_keep_text(&json) : result;
    rbl_json_writer_free(&json);
    return result;
}

// Presets and their strengths (Pa) as JSON, in web_text().
rblResult web_presets(void)
{
    rblJsonWriter json;
    rbl_json_writer_init(&json, 0, NULL);
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
    result = result == RBL_OK ? web_keep_text(&json) : result;
    rbl_json_writer_free(&json);
    return result;
}
