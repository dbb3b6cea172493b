// A run as an animated GLB file.
#include "base/error.h"
#include "base/hash_map.h"
#include "io/gltf/glb_mesh.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/trig.h"
#include "math/vec.h"
#include "rubble/picture.h"
#include "scene/export/export.h"
#include "scene/picture/picture_scene.h"
#include <stdio.h>

// A shape in the file: its mesh and accessors. Bodies of one shape differ only in material.
typedef struct DrawnShape
{
    rblGlbMesh mesh;
    rblGlbAttributes attributes;
    uint8_t* cracks; // by material of the surface, and one more: 1 for crack faces
    bool prepared;   // false: no body uses it
} DrawnShape;

typedef struct RunWriter
{
    const rblRun* run;
    uint32_t every; // export every n-th step
    const rblAllocator* allocator;
    rblGlbBuilder glb;
    rblExportSurfaces surfaces;
    DrawnShape* shapes;
    uint32_t* meshes;             // by shape and material: index of the mesh, or RBL_NONE
    rblHashMap times;             // by first and last step of consecutive keys: accessor of their times
    rblFloatArray scratch;        // values of one track
    RBL_ARRAY(uint32_t) channels; // three numbers each: sampler, node, path
    RBL_ARRAY(uint32_t) samplers; // three numbers each: input, output, stepped
} RunWriter;

enum
{
    PATH_TRANSLATION,
    PATH_ROTATION,
    PATH_SCALE
};
static const char* const path_names[] = {"translation", "rotation", "scale"};

static void put_uint(rblJsonWriter* json, const char* key, uint32_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static void put_text(rblJsonWriter* json, const char* key, const char* text)
{
    rbl_json_key(json, key);
    rbl_json_string(json, text);
}

static void put_floats(rblJsonWriter* json, const char* key, const float* values, uint32_t count)
{
    rbl_json_key(json, key);
    rbl_json_begin_array(json);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_json_float(json, values[i]);
    }
    rbl_json_end_array(json);
}

// With all digits: programs that read JSON in 64 bits get the same number.
static void put_exact(rblJsonWriter* json, const char* key, const double* values, uint32_t count)
{
    rbl_json_key(json, key);
    rbl_json_begin_array(json);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_json_number(json, values[i]);
    }
    rbl_json_end_array(json);
}

static void put_translation(rblJsonWriter* json, rblVec3d p)
{
    put_exact(json, "translation", (const double[3]){p.x, p.y, p.z}, 3);
}

// glTF requires components of rotations in -1 to 1. Products of unit quaternions may exceed that by rounding.
static void put_rotation(rblJsonWriter* json, rblQuat q)
{
    const double numbers[4] = {(double)rbl_clampf(q.x, -1.0f, 1.0f), (double)rbl_clampf(q.y, -1.0f, 1.0f),
                               (double)rbl_clampf(q.z, -1.0f, 1.0f), (double)rbl_clampf(q.w, -1.0f, 1.0f)};
    put_exact(json, "rotation", numbers, 4);
}

// ---- meshes and materials ----

// Find which materials of a surface are crack materials.
static rblResult list_cracks(const RunWriter* w, const rblMeshView* view, DrawnShape* drawn)
{
    drawn->cracks = rbl_alloc_zero(w->allocator, (size_t)view->material_count + 1);
    for (uint32_t i = 0; drawn->cracks != NULL && i < view->material_count; ++i)
    {
        drawn->cracks[i] = rbl_is_crack_material(view->material_names[i]);
    }
    return drawn->cracks != NULL ? RBL_OK : rbl_fail_memory();
}

static rblResult prepare_shape(RunWriter* w, uint32_t shape)
{
    DrawnShape* drawn = &w->shapes[shape];
    const rblMeshView* view = &w->surfaces.views[shape];
    if (drawn->prepared)
    {
        return RBL_OK;
    }
    RBL_TRY(list_cracks(w, view, drawn));
    drawn->prepared = true;
    RBL_TRY(rbl_glb_mesh_prepare(&drawn->mesh, view, w->surfaces.origins[shape], w->allocator));
    drawn->attributes = rbl_glb_mesh_add(&drawn->mesh, &w->glb);
    return RBL_OK;
}

static bool has_keys(const RunWriter* w, uint32_t body)
{
    return w->run->bodies.data[body].keys.count > 0;
}

// glTF does not allow empty lists, so these are left out.
static bool has_bodies(const RunWriter* w)
{
    uint32_t i = 0;
    while (i < w->run->bodies.count && !has_keys(w, i))
    {
        ++i;
    }
    return i < w->run->bodies.count;
}

// One mesh per combination of shape and material.
static rblResult put_meshes(RunWriter* w)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->run->bodies.count; ++i)
    {
        RBL_TRY(has_keys(w, i) ? prepare_shape(w, w->run->bodies.data[i].shape) : RBL_OK);
    }
    rbl_json_key(&w->glb.json, "meshes");
    rbl_json_begin_array(&w->glb.json);
    for (uint32_t i = 0; i < w->run->bodies.count; ++i)
    {
        const rblRunBody* body = &w->run->bodies.data[i];
        uint32_t* mesh = &w->meshes[(size_t)body->shape * w->run->materials.count + body->material];
        if (has_keys(w, i) && *mesh == RBL_NONE)
        {
            const DrawnShape* drawn = &w->shapes[body->shape];
            *mesh = count++;
            rbl_glb_mesh_put(&drawn->mesh, &w->glb.json, drawn->attributes, 2 * body->material,
                             drawn->cracks);
        }
    }
    rbl_json_end_array(&w->glb.json);
    return RBL_OK;
}

static void put_material(rblJsonWriter* json, const char* name, const float color[3], float roughness)
{
    const float rgba[4] = {color[0], color[1], color[2], 1.0f};
    rbl_json_begin_object(json);
    put_text(json, "name", name);
    rbl_json_key(json, "pbrMetallicRoughness");
    rbl_json_begin_object(json);
    put_floats(json, "baseColorFactor", rgba, 4);
    rbl_json_key(json, "metallicFactor");
    rbl_json_number(json, 0.0);
    rbl_json_key(json, "roughnessFactor");
    rbl_json_float(json, roughness);
    rbl_json_end_object(json);
    rbl_json_end_object(json);
}

// Two per material of the scene: for the outer surface and for crack faces.
static void put_materials(RunWriter* w)
{
    rblJsonWriter* json = &w->glb.json;
    rbl_json_key(json, "materials");
    rbl_json_begin_array(json);
    for (uint32_t i = 0; i < w->run->materials.count; ++i)
    {
        const rblSceneMaterial* material = &w->run->materials.data[i];
        char name[128];
        float crack_color[3];
        rbl_export_color(material, true, crack_color);
        put_material(json, material->name, material->color, 0.7f);
        snprintf(name, sizeof name, "%.100s " RBL_CRACK_MATERIAL, material->name);
        put_material(json, name, crack_color, 0.95f);
    }
    rbl_json_end_array(json);
}

// ---- tracks ----

// Add an accessor for the values in `scratch`.
static uint32_t add_scratch(RunWriter* w, uint32_t components, bool bounded)
{
    return rbl_glb_add_floats(&w->glb, &(rblGlbFloats){.values = w->scratch.data,
                                                       .stride = components,
                                                       .count = (uint32_t)w->scratch.count / components,
                                                       .components = components,
                                                       .target = RBL_GLB_PLAIN,
                                                       .bounded = bounded});
}

static rblResult add_times(RunWriter* w, const rblRunBody* track, uint32_t* out)
{
    const uint32_t first = track->keys.data[0].step;
    const uint32_t last = track->keys.data[track->keys.count - 1].step;
    const bool unbroken = last - first + 1 == track->keys.count;
    const uint64_t key = (uint64_t)first << 32 | last;
    const uint32_t known = unbroken ? rbl_hash_map_find(&w->times, key) : RBL_MAP_EMPTY;
    if (known != RBL_MAP_EMPTY)
    {
        *out = known;
        return RBL_OK;
    }
    rbl_array_clear(&w->scratch);
    for (size_t i = 0; i < track->keys.count; ++i)
    {
        const float time = (float)((double)track->keys.data[i].step * w->run->settings.step);
        if (rbl_export_keeps_key(track, i, w->every) && !rbl_array_push(&w->scratch, time))
        {
            return rbl_fail_memory();
        }
    }
    *out = add_scratch(w, 1, true);
    bool added;
    const bool kept = !unbroken || rbl_hash_map_get_or_add(&w->times, key, *out, &added) != NULL;
    return kept ? RBL_OK : rbl_fail_memory();
}

static rblResult add_channel(RunWriter* w, uint32_t node, uint32_t path, uint32_t input, uint32_t output,
                             bool stepped)
{
    const uint32_t sampler = (uint32_t)w->samplers.count / 3;
    const bool added = rbl_array_push(&w->samplers, input) && rbl_array_push(&w->samplers, output) &&
                       rbl_array_push(&w->samplers, stepped ? 1u : 0u) &&
                       rbl_array_push(&w->channels, sampler) && rbl_array_push(&w->channels, node) &&
                       rbl_array_push(&w->channels, path);
    return added ? RBL_OK : rbl_fail_memory();
}

static rblResult add_poses(RunWriter* w, const rblRunBody* track, uint32_t node, uint32_t path,
                           uint32_t input)
{
    const uint32_t count = path == PATH_TRANSLATION ? 3 : 4;
    rbl_array_clear(&w->scratch);
    for (size_t i = 0; i < track->keys.count; ++i)
    {
        const rblTransform* pose = &track->keys.data[i].pose;
        const float* numbers = path == PATH_TRANSLATION ? &pose->p.x : &pose->q.x;
        for (uint32_t k = 0; k < count && rbl_export_keeps_key(track, i, w->every); ++k)
        {
            if (!rbl_array_push(&w->scratch, numbers[k]))
            {
                return rbl_fail_memory();
            }
        }
    }
    return add_channel(w, node, path, input, add_scratch(w, count, false), false);
}

// Existence of a body as an animated scale of 1 or 0, without interpolation.
static rblResult add_presence(RunWriter* w, const rblRunBody* track, uint32_t node)
{
    float times[3];
    float scales[9];
    uint32_t count = 0;
    const uint32_t changes[3] = {0, track->birth, track->death};
    for (uint32_t i = 0; i < 3; ++i)
    {
        const bool there = changes[i] >= track->birth && changes[i] < track->death;
        if (changes[i] == RBL_NONE || (i > 0 && changes[i] == 0))
        {
            continue;
        }
        times[count] = (float)((double)changes[i] * w->run->settings.step);
        for (uint32_t k = 0; k < 3; ++k)
        {
            scales[3 * count + k] = there ? 1.0f : 0.0f;
        }
        ++count;
    }
    const uint32_t input = rbl_glb_add_floats(
        &w->glb,
        &(rblGlbFloats){.values = times, .stride = 1, .count = count, .components = 1, .bounded = true});
    const uint32_t output = rbl_glb_add_floats(
        &w->glb, &(rblGlbFloats){.values = scales, .stride = 3, .count = count, .components = 3});
    return add_channel(w, node, PATH_SCALE, input, output, true);
}

static rblResult add_track(RunWriter* w, uint32_t body, uint32_t node)
{
    const rblRunBody* track = &w->run->bodies.data[body];
    if (!rbl_run_body_is_still(track))
    {
        uint32_t input = 0;
        RBL_TRY(add_times(w, track, &input));
        RBL_TRY(add_poses(w, track, node, PATH_TRANSLATION, input));
        RBL_TRY(add_poses(w, track, node, PATH_ROTATION, input));
    }
    const bool always = track->birth == 0 && track->death == RBL_NONE;
    return always ? RBL_OK : add_presence(w, track, node);
}

static void put_animation(RunWriter* w)
{
    rblJsonWriter* json = &w->glb.json;
    if (w->channels.count == 0)
    {
        return;
    }
    rbl_json_key(json, "animations");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    put_text(json, "name", "simulation");
    rbl_json_key(json, "channels");
    rbl_json_begin_array(json);
    for (size_t i = 0; i < w->channels.count; i += 3)
    {
        rbl_json_begin_object(json);
        put_uint(json, "sampler", w->channels.data[i]);
        rbl_json_key(json, "target");
        rbl_json_begin_object(json);
        put_uint(json, "node", w->channels.data[i + 1]);
        put_text(json, "path", path_names[w->channels.data[i + 2]]);
        rbl_json_end_object(json);
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
    rbl_json_key(json, "samplers");
    rbl_json_begin_array(json);
    for (size_t i = 0; i < w->samplers.count; i += 3)
    {
        rbl_json_begin_object(json);
        put_uint(json, "input", w->samplers.data[i]);
        put_uint(json, "output", w->samplers.data[i + 1]);
        put_text(json, "interpolation", w->samplers.data[i + 2] != 0 ? "STEP" : "LINEAR");
        rbl_json_end_object(json);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

// ---- nodes ----

// Data that glTF has no field for. Ids are indices of bodies in the order of creation.
static void put_extras(RunWriter* w, uint32_t body)
{
    rblJsonWriter* json = &w->glb.json;
    const rblRunBody* b = &w->run->bodies.data[body];
    rbl_json_key(json, "extras");
    rbl_json_begin_object(json);
    put_uint(json, "id", body);
    rbl_json_key(json, "mass");
    rbl_json_float(json, b->mass);
    rbl_json_key(json, "birth");
    rbl_json_number(json, (double)b->birth * w->run->settings.step);
    if (b->parent != RBL_NONE)
    {
        put_uint(json, "parent", b->parent);
    }
    rbl_json_end_object(json);
}

static bool is_moved(const RunWriter* w, const rblRunBody* body)
{
    return rbl_export_is_moved(w->surfaces.origins[body->shape]);
}

static uint32_t mesh_of(const RunWriter* w, const rblRunBody* body)
{
    return w->meshes[(size_t)body->shape * w->run->materials.count + body->material];
}

// A mesh with an origin is in a node of its own, `child`.
static void put_node(RunWriter* w, uint32_t body, uint32_t child)
{
    rblJsonWriter* json = &w->glb.json;
    const rblRunBody* b = &w->run->bodies.data[body];
    const rblTransform* pose = &b->keys.data[0].pose;
    static const float none[3] = {0.0f, 0.0f, 0.0f};
    rbl_json_begin_object(json);
    put_text(json, "name", b->name);
    if (is_moved(w, b))
    {
        rbl_json_key(json, "children");
        rbl_json_begin_array(json);
        rbl_json_unsigned(json, child);
        rbl_json_end_array(json);
    }
    else
    {
        put_uint(json, "mesh", mesh_of(w, b));
    }
    put_translation(json, rbl_to_double3(pose->p));
    put_rotation(json, pose->q);
    if (b->birth > 0)
    {
        put_floats(json, "scale", none, 3);
    }
    put_extras(w, body);
    rbl_json_end_object(json);
}

static void put_child(RunWriter* w, const rblRunBody* body)
{
    rblJsonWriter* json = &w->glb.json;
    rbl_json_begin_object(json);
    put_uint(json, "mesh", mesh_of(w, body));
    put_translation(json, w->surfaces.origins[body->shape]);
    rbl_json_end_object(json);
}

// Cameras look along -z with y up.
static void put_camera_node(RunWriter* w)
{
    rblJsonWriter* json = &w->glb.json;
    const rblSceneCamera* camera = &w->run->settings.camera;
    const rblVec3 back = rbl_normalize3(rbl_sub3(camera->eye, camera->target), rbl_vec3(0, 0, 1));
    const rblVec3 right = rbl_normalize3(rbl_cross3(rbl_vec3(0, 1, 0), back), rbl_vec3(1, 0, 0));
    const rblMat3 axes = {right, rbl_cross3(back, right), back};
    const rblQuat turn = rbl_quat_from_mat3(&axes);
    rbl_json_begin_object(json);
    put_text(json, "name", "camera");
    put_uint(json, "camera", 0);
    put_translation(json, rbl_to_double3(camera->eye));
    put_rotation(json, turn);
    rbl_json_end_object(json);
}

static void put_camera(RunWriter* w)
{
    rblJsonWriter* json = &w->glb.json;
    rbl_json_key(json, "cameras");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    put_text(json, "type", "perspective");
    rbl_json_key(json, "perspective");
    rbl_json_begin_object(json);
    rbl_json_key(json, "yfov");
    rbl_json_float(json, (float)((double)w->run->settings.camera.fov * RBL_PI / 180.0));
    rbl_json_key(json, "znear");
    rbl_json_number(json, 0.01);
    rbl_json_end_object(json);
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

static uint32_t count_roots(const RunWriter* w)
{
    uint32_t count = w->run->settings.has_camera;
    for (uint32_t i = 0; i < w->run->bodies.count; ++i)
    {
        count += has_keys(w, i);
    }
    return count;
}

// Write nodes and tracks: bodies, the camera, children of bodies. Returns the number of root nodes.
static rblResult put_nodes(RunWriter* w, uint32_t* root_count)
{
    rblJsonWriter* json = &w->glb.json;
    uint32_t node = 0;
    *root_count = count_roots(w);
    uint32_t child = *root_count;
    rbl_json_key(json, "nodes");
    rbl_json_begin_array(json);
    for (uint32_t i = 0; i < w->run->bodies.count; ++i)
    {
        if (has_keys(w, i))
        {
            put_node(w, i, child);
            child += is_moved(w, &w->run->bodies.data[i]);
            RBL_TRY(add_track(w, i, node++));
        }
    }
    if (w->run->settings.has_camera)
    {
        put_camera_node(w);
    }
    for (uint32_t i = 0; i < w->run->bodies.count; ++i)
    {
        if (has_keys(w, i) && is_moved(w, &w->run->bodies.data[i]))
        {
            put_child(w, &w->run->bodies.data[i]);
        }
    }
    rbl_json_end_array(json);
    return RBL_OK;
}

static void put_scene(RunWriter* w, uint32_t root_count)
{
    rblJsonWriter* json = &w->glb.json;
    put_uint(json, "scene", 0);
    rbl_json_key(json, "scenes");
    rbl_json_begin_array(json);
    rbl_json_begin_object(json);
    if (root_count > 0)
    {
        rbl_json_key(json, "nodes");
        rbl_json_begin_array(json);
        for (uint32_t i = 0; i < root_count; ++i)
        {
            rbl_json_unsigned(json, i);
        }
        rbl_json_end_array(json);
    }
    rbl_json_end_object(json);
    rbl_json_end_array(json);
}

// ---- the file ----

static rblResult open_writer(RunWriter* w)
{
    const size_t pairs = (size_t)w->run->shapes.count * w->run->materials.count;
    RBL_TRY(rbl_export_surfaces_open(&w->surfaces, w->run));
    w->shapes = rbl_alloc_zero(w->allocator, w->run->shapes.count * sizeof *w->shapes);
    w->meshes = RBL_NEW_ARRAY(w->allocator, uint32_t, pairs);
    if ((w->shapes == NULL && w->run->shapes.count > 0) || (w->meshes == NULL && pairs > 0))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < pairs; ++i)
    {
        w->meshes[i] = RBL_NONE;
    }
    return RBL_OK;
}

static void close_writer(RunWriter* w)
{
    for (uint32_t i = 0; w->shapes != NULL && i < w->run->shapes.count; ++i)
    {
        if (w->shapes[i].cracks != NULL)
        {
            const size_t count = (size_t)w->surfaces.views[i].material_count + 1;
            rbl_free(w->allocator, w->shapes[i].cracks, count);
        }
        if (w->shapes[i].prepared)
        {
            rbl_glb_mesh_free(&w->shapes[i].mesh);
        }
    }
    RBL_FREE_ARRAY(w->allocator, w->shapes, w->run->shapes.count);
    RBL_FREE_ARRAY(w->allocator, w->meshes, (size_t)w->run->shapes.count * w->run->materials.count);
    rbl_export_surfaces_close(&w->surfaces);
    rbl_hash_map_free(&w->times);
    rbl_array_free(&w->scratch);
    rbl_array_free(&w->channels);
    rbl_array_free(&w->samplers);
    rbl_glb_builder_free(&w->glb);
}

static rblResult fill(RunWriter* w)
{
    RBL_TRY(open_writer(w));
    uint32_t root_count = 0;
    if (has_bodies(w))
    {
        RBL_TRY(put_meshes(w));
        put_materials(w);
    }
    if (has_bodies(w) || w->run->settings.has_camera)
    {
        RBL_TRY(put_nodes(w, &root_count));
    }
    put_scene(w, root_count);
    put_animation(w);
    if (w->run->settings.has_camera)
    {
        put_camera(w);
    }
    return RBL_OK;
}

// Lower bound of the size of the file: three floats of the position and four of the rotation for every key.
static uint64_t count_motion_bytes(const rblRun* run, uint32_t every)
{
    uint64_t keys = 0;
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        const rblRunBody* body = &run->bodies.data[i];
        if (body->keys.count == 0 || rbl_run_body_is_still(body))
        {
            continue;
        }
        for (size_t k = 0; every > 1 && k < body->keys.count; ++k)
        {
            keys += rbl_export_keeps_key(body, k, every);
        }
        keys += every == 1 ? body->keys.count : 0;
    }
    return keys * 7 * sizeof(float);
}

static rblResult write_file(RunWriter* w, const char* path)
{
    rblWriter writer;
    RBL_TRY(fill(w));
    RBL_TRY(rbl_writer_open(&writer, path, w->allocator));
    const rblResult result = rbl_glb_builder_write(&w->glb, &writer);
    return result == RBL_OK ? rbl_writer_close(&writer) : (rbl_writer_discard(&writer), result);
}

rblResult rbl_export_glb(const rblRun* run, const char* path, const rblExportOptions* options)
{
    RBL_TRY(rbl_glb_check_size(path, count_motion_bytes(run, options->every),
                               "write fewer steps (--every N), or another format (.usda, .pvd, .csv)"));
    RunWriter w = {
        .run = run, .surfaces.run = run, .every = options->every, .allocator = rbl_default_allocator()};
    rbl_glb_builder_init(&w.glb, w.allocator);
    rbl_hash_map_init(&w.times, w.allocator);
    rbl_array_init(&w.scratch, w.allocator);
    rbl_array_init(&w.channels, w.allocator);
    rbl_array_init(&w.samplers, w.allocator);
    const rblResult result = write_file(&w, path);
    close_writer(&w);
    return result;
}
