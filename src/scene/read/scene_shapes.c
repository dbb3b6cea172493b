// Reads the shapes of a scene file. They are created later, in scene_prepare.c.
#include "base/number.h"
#include "field/shape_keys.h"
#include "field/shape_kinds.h"
#include "io/json/json_parameters.h"
#include "io/json/json_values.h"
#include "math/vec.h"
#include "rubble/decompose.h"
#include "scene/read/scene.h"
#include <math.h>
#include <string.h>

#define MAX_NAMES 128 // names of kinds, for error messages
#define MAX_KEYS  32  // keys of an object

const rblParameter rbl_mesh_rows[] = {{.key = "file",
                                       .type = RBL_PARAMETER_FILE,
                                       .offset = offsetof(rblShapeDef, file),
                                       .about = "OBJ, PLY, STL, OFF, GLB, glTF, relative to the scene file",
                                       .required = true},
                                      {.key = "height",
                                       .type = RBL_PARAMETER_FLOAT,
                                       .offset = offsetof(rblShapeDef, height),
                                       .about = "scale to this extent in Y, m",
                                       .max = RBL_PARAMETER_UNLIMITED,
                                       .min_excluded = true},
                                      {.type = RBL_PARAMETER_END}};

const rblParameter rbl_level_set_rows[] = {
    {.key = "error",
     .type = RBL_PARAMETER_FLOAT,
     .offset = offsetof(rblShapeDef, error),
     .about = "largest error of the level set, m; default 0.2 % of the diagonal",
     .max = RBL_PARAMETER_UNLIMITED,
     .min_excluded = true},
    {.key = "cells",
     .type = RBL_PARAMETER_U32,
     .offset = offsetof(rblShapeDef, cells),
     .about = "of the level set along the longest side, at most; default 128",
     .min = 8,
     .max = 2048},
    {.key = "parts",
     .type = RBL_PARAMETER_U32,
     .offset = offsetof(rblShapeDef, parts),
     .about = "instead of a level set: so many convex hulls at most",
     .min = 1,
     .max = RBL_DECOMPOSE_MAX_PARTS},
    {.key = "partTolerance",
     .type = RBL_PARAMETER_FLOAT,
     .offset = offsetof(rblShapeDef, part_tolerance),
     .about = "volume of a part outside the solid, as a share of the volume of the solid; default 0.02",
     .min = 1e-6,
     .max = 1},
    {.type = RBL_PARAMETER_END}};

const rblSolidKind* rbl_find_solid(const char* name)
{
    uint32_t count = 0;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (strcmp(kinds[i].name, name) == 0)
        {
            return &kinds[i];
        }
    }
    return NULL;
}

// Only kinds of scene files. Null: no such kind.
static const rblShapeKind* find_kind(const char* name)
{
    const rblShapeKind* kind = rbl_shape_kind_find(name);
    return kind != NULL && kind->keys != NULL ? kind : NULL;
}

static rblResult fail_unknown_kind(rblJson value)
{
    const char* names[MAX_NAMES];
    uint32_t name_count = 0;
    uint32_t solid_count = 0;
    const rblSolidKind* solids = rbl_solid_kinds(&solid_count);
    const rblShapeKind* kind;
    for (uint32_t i = 0; (kind = rbl_shape_kind_at(i)) != NULL && name_count < MAX_NAMES - 1; ++i)
    {
        if (kind->keys != NULL)
        {
            names[name_count++] = kind->name;
        }
    }
    names[name_count++] = RBL_MESH_KIND;
    // Some shapes are solids too, and have one name for both.
    for (uint32_t i = 0; i < solid_count && name_count < MAX_NAMES; ++i)
    {
        if (rbl_shape_kind_find(solids[i].name) == NULL)
        {
            names[name_count++] = solids[i].name;
        }
    }
    return rbl_fail_unknown(value, "kind of shape", names, name_count);
}

// ---- keys ----

// Allowed keys of an object, terminated by null.
typedef struct KeyList
{
    const char* names[MAX_KEYS + 1];
    uint32_t count;
} KeyList;

static void add_key(KeyList* list, const char* name)
{
    if (list->count < MAX_KEYS)
    {
        list->names[list->count++] = name;
    }
}

static void add_rows(KeyList* list, const rblParameter* rows)
{
    for (uint32_t i = 0; rows[i].type != RBL_PARAMETER_END; ++i)
    {
        add_key(list, rows[i].key);
    }
}

// ---- procedural solids ----

static rblResult check_parameter(rblJson value, const rblSolidParameter* parameter, double number)
{
    char lowest[RBL_NUMBER_SIZE];
    char highest[RBL_NUMBER_SIZE];
    if (parameter->is_integer && number != floor(number))
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "is %g, must be an integer", number);
    }
    if (number >= parameter->lowest && number <= parameter->highest)
    {
        return RBL_OK;
    }
    rbl_format_double(parameter->lowest, lowest);
    rbl_format_double(parameter->highest, highest);
    return rbl_json_fail(value, RBL_ERROR_FORMAT, "must be %s to %s", lowest, highest);
}

static rblResult read_pairs(rblScene* scene, rblJson json, const rblSolidParameter* parameter,
                            rblSolidValue* out)
{
    RBL_TRY(rbl_json_expect(json, RBL_JSON_ARRAY));
    const uint32_t count = rbl_json_count(json);
    if (count == 0 || count > RBL_SOLID_MAX_PAIRS)
    {
        return rbl_json_fail(json, RBL_ERROR_FORMAT, "must have 1 to %u points", RBL_SOLID_MAX_PAIRS);
    }
    double* numbers = RBL_ARENA_ARRAY(&scene->arena, double, 2 * (size_t)count);
    if (numbers == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblJson pair = rbl_json_item(json, i);
        RBL_TRY(rbl_json_get_numbers(pair, numbers + 2 * (size_t)i, 2));
        for (uint32_t k = 0; k < 2; ++k)
        {
            RBL_TRY(check_parameter(rbl_json_item(pair, k), parameter, numbers[2 * (size_t)i + k]));
        }
    }
    *out = (rblSolidValue){parameter->name, numbers, count};
    return RBL_OK;
}

static rblResult read_parameter(rblScene* scene, rblJson json, const rblSolidParameter* parameter,
                                rblSolidValue* out)
{
    const uint32_t count = parameter->components;
    if (count == 0)
    {
        return read_pairs(scene, json, parameter, out);
    }
    double* numbers = RBL_ARENA_ARRAY(&scene->arena, double, count);
    if (numbers == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(count == 1 ? rbl_json_get_number(json, numbers) : rbl_json_get_numbers(json, numbers, count));
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(check_parameter(count == 1 ? json : rbl_json_item(json, i), parameter, numbers[i]));
    }
    *out = (rblSolidValue){parameter->name, numbers, count};
    return RBL_OK;
}

static rblResult read_solid(rblScene* scene, rblJson json, rblShapeDef* def)
{
    const rblSolidKind* solid = def->solid;
    KeyList keys = {0};
    add_key(&keys, "kind");
    add_rows(&keys, rbl_level_set_rows);
    for (uint32_t p = 0; p < solid->parameter_count; ++p)
    {
        add_key(&keys, solid->parameters[p].name);
    }
    RBL_TRY(rbl_check_keys(json, keys.names));
    def->values = RBL_ARENA_ARRAY(&scene->arena, rblSolidValue, solid->parameter_count + 1);
    if (def->values == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t p = 0; p < solid->parameter_count; ++p)
    {
        const rblJson value = rbl_json_find(json, solid->parameters[p].name);
        if (rbl_json_exists(value))
        {
            RBL_TRY(read_parameter(scene, value, &solid->parameters[p], &def->values[def->value_count]));
            def->value_count += 1;
        }
    }
    return RBL_OK;
}

const rblSolidParameter* rbl_find_segments(const char* kind)
{
    const rblSolidKind* solid = rbl_find_solid(kind);
    for (uint32_t p = 0; solid != NULL && p < solid->parameter_count; ++p)
    {
        if (strcmp(solid->parameters[p].name, "segments") == 0)
        {
            return &solid->parameters[p];
        }
    }
    return NULL;
}

static rblResult check_segments(rblJson value, const rblSolidParameter* parameter)
{
    double numbers[3] = {0.0};
    const uint32_t count = parameter->components;
    RBL_TRY(count == 1 ? rbl_json_get_number(value, numbers) : rbl_json_get_numbers(value, numbers, count));
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(check_parameter(count == 1 ? value : rbl_json_item(value, i), parameter, numbers[i]));
    }
    return RBL_OK;
}

// ---- kinds of shapes ----

// The allowed keys: "kind", those of the kind, and "segments" when a procedural solid of that name has it.
static rblResult check_kind_keys(rblJson json, const rblShapeKind* kind)
{
    const rblSolidParameter* parameter = rbl_find_segments(kind->name);
    const rblJson segments = rbl_json_find(json, "segments");
    KeyList keys = {0};
    add_key(&keys, "kind");
    add_rows(&keys, kind->keys->rows);
    if (kind->keys->list != NULL)
    {
        add_key(&keys, kind->keys->list->key);
    }
    if (parameter != NULL)
    {
        add_key(&keys, parameter->name);
    }
    RBL_TRY(rbl_check_keys(json, keys.names));
    return parameter != NULL && rbl_json_exists(segments) ? check_segments(segments, parameter) : RBL_OK;
}

static rblResult read_kind(rblScene* scene, rblJson json, rblShapeDef* def)
{
    const rblShapeKeys* keys = def->kind->keys;
    RBL_TRY(check_kind_keys(json, def->kind));
    def->def = rbl_arena_alloc(&scene->arena, keys->def_size);
    if (def->def == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(def->def, keys->defaults, keys->def_size);
    RBL_TRY(rbl_json_read_parameters(json, keys->rows, def->def, NULL));
    return keys->read != NULL ? keys->read(json, &scene->arena, def->def) : RBL_OK;
}

// ---- meshes ----

static rblResult read_mesh(rblJson json, rblShapeDef* def)
{
    KeyList keys = {0};
    add_key(&keys, "kind");
    add_rows(&keys, rbl_mesh_rows);
    add_rows(&keys, rbl_level_set_rows);
    RBL_TRY(rbl_check_keys(json, keys.names));
    return rbl_json_read_parameters(json, rbl_mesh_rows, def, NULL);
}

// A shape is a level set or parts.
static rblResult check_parts(rblJson json, const rblShapeDef* def)
{
    if (def->parts > 0 && (def->error > 0.0f || def->cells > 0))
    {
        return rbl_json_fail(json, RBL_ERROR_ARGUMENT,
                             "error and cells are of a level set, parts of none: only one of them");
    }
    if (def->parts == 0 && def->part_tolerance > 0.0f)
    {
        return rbl_json_fail(json, RBL_ERROR_FORMAT, "partTolerance needs parts");
    }
    return RBL_OK;
}

static rblResult read_parameters(rblScene* scene, rblJson json, rblShapeDef* def)
{
    if (def->kind != NULL)
    {
        return read_kind(scene, json, def);
    }
    RBL_TRY(def->solid != NULL ? read_solid(scene, json, def) : read_mesh(json, def));
    RBL_TRY(rbl_json_read_parameters(json, rbl_level_set_rows, def, NULL));
    return check_parts(json, def);
}

static rblResult read_shape(rblScene* scene, rblJson json, const char* name)
{
    rblJson kind;
    rblSceneShape shape = {.name = name};
    rblShapeDef def = {.json = json};
    RBL_TRY(rbl_json_expect(json, RBL_JSON_OBJECT));
    RBL_TRY(rbl_json_require(json, "kind", &kind));
    RBL_TRY(rbl_json_get_string(kind, &shape.kind));
    def.kind = find_kind(shape.kind);
    def.solid = def.kind == NULL ? rbl_find_solid(shape.kind) : NULL;
    if (def.kind == NULL && def.solid == NULL && strcmp(shape.kind, RBL_MESH_KIND) != 0)
    {
        return fail_unknown_kind(kind);
    }
    RBL_TRY(read_parameters(scene, json, &def));
    shape.file = def.file;
    const bool added = rbl_array_push(&scene->shapes, shape) && rbl_array_push(&scene->shape_defs, def) &&
                       rbl_scene_names_add(&scene->shape_names, name);
    return added ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_scene_read_shapes(rblScene* scene, rblJson root)
{
    rblJson shapes;
    RBL_TRY(rbl_json_require(root, "shapes", &shapes));
    RBL_TRY(rbl_json_expect(shapes, RBL_JSON_OBJECT));
    for (uint32_t i = 0; i < rbl_json_count(shapes); ++i)
    {
        rblJson key;
        const char* name = NULL;
        const rblJson shape = rbl_json_member_at(shapes, i, &key);
        RBL_TRY(rbl_json_get_string(key, &name));
        RBL_TRY(read_shape(scene, shape, name));
    }
    return RBL_OK;
}
