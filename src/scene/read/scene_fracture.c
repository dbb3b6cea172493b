// Fracture settings of a scene: breakers by the table of their kinds, anchors; and the creation of the breakers.
#include "fracture/breaker_kinds.h"
#include "io/file.h"
#include "io/json/json_parameters.h"
#include "io/json/json_values.h"
#include "scene/read/scene.h"
#include <stdio.h>
#include <string.h>

#define MAX_KINDS 512u // that error messages list
#define MAX_COMPARED                                                                                         \
    256u // number of last breakers that a new one is compared with, so that scenes with very many breakers load in time

static const char* const anchor_keys[] = {"box", NULL};

// ---- files ----

typedef struct FileList
{
    rblScene* scene;
    rblJson json;
} FileList;

static rblResult add_file(const rblParameter* row, const char** path, void* context)
{
    const FileList* list = context;
    const rblJson given = rbl_json_find(list->json, row->key);
    const rblSceneFile file = {row, rbl_json_exists(given) ? given : list->json, *path};
    return rbl_array_push(&list->scene->fracture_files, file) ? RBL_OK : rbl_fail_memory();
}

// Search the file now, so that an error message can refer to its place in the scene.
static rblResult find_file(rblScene* scene, const rblSceneFile* file)
{
    const char* path = rbl_scene_path(scene, file->path);
    if (path == NULL)
    {
        return rbl_fail_memory();
    }
    FILE* opened = fopen(path, "rb");
    if (opened != NULL)
    {
        fclose(opened);
        return RBL_OK;
    }
    const bool word = file->row->type == RBL_PARAMETER_CHOICE_OR_FILE;
    return rbl_json_fail(file->json, RBL_ERROR_FILE, "no %s%sfile '%.200s'", word ? file->row->key : "",
                         word ? " and no " : "", rbl_short_name(path));
}

static rblResult resolve_file(const rblParameter* row, const char** path, void* context)
{
    (void)row;
    *path = rbl_scene_path(context, *path);
    return *path != NULL ? RBL_OK : rbl_fail_memory();
}

// ---- keys ----

// The first kind with a key.
static const rblBreakerKind* find_key(const char* key)
{
    const rblBreakerKind* kind = NULL;
    for (uint32_t i = 0; (kind = rbl_breaker_kind_at(i)) != NULL; ++i)
    {
        if (rbl_json_find_parameter(kind->parameters, key) != NULL)
        {
            return kind;
        }
    }
    return NULL;
}

// Only keys of the own kind are allowed. The error message for a key of another kind names that kind.
static rblResult check_keys(rblJson json, const rblBreakerKind* kind)
{
    RBL_TRY(rbl_json_expect(json, RBL_JSON_OBJECT));
    for (uint32_t i = 0; i < rbl_json_count(json); ++i)
    {
        rblJson key;
        const char* text = NULL;
        const rblJson member = rbl_json_member_at(json, i, &key);
        RBL_TRY(rbl_json_get_string(key, &text));
        const bool known = strcmp(text, RBL_BREAKER_KIND_KEY) == 0 ||
                           rbl_json_find_parameter(kind->parameters, text) != NULL;
        const rblBreakerKind* other = known ? NULL : find_key(text);
        if (other != NULL)
        {
            return rbl_json_fail(member, RBL_ERROR_FORMAT, "a key of the method '%s', not of '%s'",
                                 other->name, kind->name);
        }
    }
    return rbl_json_check_parameter_keys(json, kind->parameters, RBL_BREAKER_KIND_KEY);
}

// ---- definitions ----

static rblResult read_def(rblScene* scene, rblJson json, const rblBreakerKind* kind, const char* material,
                          void** out)
{
    uint64_t given = 0;
    FileList list = {scene, json};
    RBL_TRY(check_keys(json, kind));
    void* def = rbl_breaker_kind_new_def(kind, &scene->arena);
    RBL_TRY(def != NULL ? RBL_OK : rbl_fail_memory());
    RBL_TRY(rbl_json_read_parameters(json, kind->parameters, def, &given));
    const rblResult result = kind->complete != NULL ? kind->complete(def, given, material) : RBL_OK;
    RBL_TRY(result == RBL_OK ? RBL_OK : rbl_fail_at(json, result));
    *out = def;
    return rbl_parameters_visit_files(kind->parameters, def, add_file, &list);
}

// Bodies with equal definitions share a breaker, and with it the prepared data of their shapes: tetrahedralization takes time.
static uint32_t find_same(const rblScene* scene, const rblBreakerKind* kind, const void* def)
{
    const uint32_t count = (uint32_t)scene->breaker_sources.count;
    for (uint32_t i = count > MAX_COMPARED ? count - MAX_COMPARED : 0; i < count; ++i)
    {
        const rblBreakerSource* source = &scene->breaker_sources.data[i];
        if (source->kind == kind && rbl_parameters_equal(kind->parameters, source->def, def))
        {
            return i;
        }
    }
    return RBL_NONE;
}

static rblResult add_breaker(rblScene* scene, const rblBreakerSource* source, uint32_t* out)
{
    const rblSceneBreaker breaker = {.kind = source->kind->name};
    *out = find_same(scene, source->kind, source->def);
    if (*out != RBL_NONE)
    {
        return RBL_OK;
    }
    *out = (uint32_t)scene->breakers.count;
    if (!rbl_array_reserve_more(&scene->breaker_sources, 1) || !rbl_array_push(&scene->breakers, breaker))
    {
        return rbl_fail_memory();
    }
    scene->breaker_sources.data[scene->breaker_sources.count++] = *source;
    rbl_breaker_kind_retain(source->kind);
    return RBL_OK;
}

// ---- bodies ----

static rblResult fail_unknown_kind(rblJson method)
{
    const char* names[MAX_KINDS];
    const rblBreakerKind* kind = NULL;
    uint32_t count = 0;
    while (count < MAX_KINDS && (kind = rbl_breaker_kind_at(count)) != NULL)
    {
        names[count++] = kind->name;
    }
    return rbl_fail_unknown(method, "method of fracture", names, count);
}

static rblResult read_kind(rblJson json, const rblBreakerKind** out)
{
    const char* name = RBL_BREAKER_KIND_NONE;
    RBL_TRY(rbl_json_expect(json, RBL_JSON_OBJECT));
    RBL_TRY(rbl_json_optional_string(json, RBL_BREAKER_KIND_KEY, &name));
    return rbl_breaker_kind_find(name, out) == RBL_OK
               ? RBL_OK
               : fail_unknown_kind(rbl_json_find(json, RBL_BREAKER_KIND_KEY));
}

static rblResult read_fracture(rblScene* scene, rblJson json, rblSceneBody* out)
{
    rblBreakerSource source = {.json = json};
    RBL_TRY(read_kind(json, &source.kind));
    out->fracture = strcmp(source.kind->name, RBL_BREAKER_KIND_NONE) != 0 ? source.kind->name : NULL;
    RBL_TRY(read_def(scene, json, source.kind, scene->materials.data[out->material].preset, &source.def));
    if (source.kind->create == NULL)
    {
        return RBL_OK; // a reserved name
    }
    if (rbl_is_unbounded(&scene->shape_defs.data[out->shape]))
    {
        return rbl_json_fail(json, RBL_ERROR_FORMAT, "a %s is unbounded and cannot break",
                             scene->shapes.data[out->shape].kind);
    }
    return add_breaker(scene, &source, &out->breaker);
}

// The kinds are retained, as another thread might remove one that is looked at.
rblResult rbl_scene_read_fracture(rblScene* scene, rblJson body, rblSceneBody* out)
{
    const rblJson json = rbl_json_find(body, "fracture");
    out->breaker = RBL_NONE;
    out->fracture = NULL;
    if (!rbl_json_exists(json))
    {
        return RBL_OK;
    }
    rbl_breaker_kinds_retain();
    const rblResult result = read_fracture(scene, json, out);
    rbl_breaker_kinds_release();
    return result;
}

// ---- breakers ----

static rblResult make_breaker(rblScene* scene, const rblBreakerSource* source, rblBreakerId* out)
{
    const rblBreakerKind* kind = source->kind;
    void* def = rbl_arena_alloc(&scene->arena, kind->def_size);
    RBL_TRY(def != NULL ? RBL_OK : rbl_fail_memory());
    memcpy(def, source->def, kind->def_size);
    RBL_TRY(rbl_parameters_visit_files(kind->parameters, def, resolve_file, scene));
    const rblResult result = rbl_breaker_create_from(kind, def, NULL, 0, out);
    return result == RBL_OK ? RBL_OK : rbl_fail_at(source->json, result);
}

rblResult rbl_scene_prepare_breakers(rblScene* scene)
{
    for (size_t i = 0; i < scene->fracture_files.count; ++i)
    {
        RBL_TRY(find_file(scene, &scene->fracture_files.data[i]));
    }
    for (size_t i = 0; i < scene->breakers.count; ++i)
    {
        RBL_TRY(make_breaker(scene, &scene->breaker_sources.data[i], &scene->breakers.data[i].id));
    }
    return RBL_OK;
}

void rbl_discard_breakers(rblScene* scene)
{
    for (size_t i = 0; i < scene->breakers.count; ++i)
    {
        if (scene->breakers.data[i].id.index1 != 0)
        {
            (void)rbl_breaker_destroy(scene->breakers.data[i].id);
        }
        scene->breakers.data[i].id = (rblBreakerId){0, 0};
    }
}

void rbl_forget_breakers(rblScene* scene)
{
    for (size_t i = 0; i < scene->breaker_sources.count; ++i)
    {
        rbl_breaker_kind_release(scene->breaker_sources.data[i].kind);
    }
    rbl_array_clear(&scene->breaker_sources);
}

// ---- anchors ----

static rblResult read_anchor_box(rblJson anchor, rblAabb* out)
{
    rblJson box;
    RBL_TRY(rbl_check_keys(anchor, anchor_keys));
    RBL_TRY(rbl_json_require(anchor, "box", &box));
    RBL_TRY(rbl_json_expect(box, RBL_JSON_ARRAY));
    if (rbl_json_count(box) != 2)
    {
        return rbl_json_fail(box, RBL_ERROR_FORMAT,
                             "expected [[x, y, z], [x, y, z]]: lower and upper corner");
    }
    RBL_TRY(rbl_get_vector(rbl_json_item(box, 0), RBL_ANY_NUMBER, &out->lower));
    RBL_TRY(rbl_get_vector(rbl_json_item(box, 1), RBL_ANY_NUMBER, &out->upper));
    if (!(out->lower.x < out->upper.x && out->lower.y < out->upper.y && out->lower.z < out->upper.z))
    {
        return rbl_json_fail(box, RBL_ERROR_FORMAT,
                             "the lower corner (%g, %g, %g) must be below the upper one (%g, %g, %g)",
                             RBL_XYZ(out->lower), RBL_XYZ(out->upper));
    }
    return RBL_OK;
}

rblResult rbl_anchor_read(rblJson body, rblSceneBody* out)
{
    static const char* const words[] = {"touch", "bottom", "none", NULL};
    static const rblAnchorKind kinds[] = {RBL_ANCHOR_TOUCH, RBL_ANCHOR_BOTTOM, RBL_ANCHOR_NONE};
    const rblJson anchor = rbl_json_find(body, "anchor");
    uint32_t word = 0;
    out->anchor = (rblAnchor){.kind = RBL_ANCHOR_TOUCH};
    if (!rbl_json_exists(anchor))
    {
        return RBL_OK;
    }
    if (out->type != RBL_BODY_STATIC)
    {
        return rbl_json_fail(anchor, RBL_ERROR_FORMAT, "only a static body can be anchored");
    }
    if (!rbl_json_is(anchor, RBL_JSON_STRING))
    {
        out->anchor.kind = RBL_ANCHOR_BOX;
        return read_anchor_box(anchor, &out->anchor.box);
    }
    RBL_TRY(rbl_get_choice(anchor, "anchor", words, &word));
    out->anchor.kind = kinds[word];
    return RBL_OK;
}
