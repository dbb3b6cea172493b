// The JSON schema of a shape in scenes, from the tables of shape kinds and of procedural solids.
#include "field/shape_keys.h"
#include "field/shape_kinds.h"
#include "io/json/json_parameters.h"
#include "scene/read/scene.h"

#define KIND_KEY "kind"

static void write_member(rblJsonWriter* writer, const char* key, const char* text)
{
    rbl_json_key(writer, key);
    rbl_json_string(writer, text);
}

// Begin the schema of one kind, up to its own keys.
static void begin_variant(rblJsonWriter* writer, const char* kind, const char* about)
{
    rbl_json_begin_object(writer);
    write_member(writer, "type", "object");
    write_member(writer, "description", about);
    rbl_json_key(writer, "additionalProperties");
    rbl_json_bool(writer, false);
    rbl_json_key(writer, "properties");
    rbl_json_begin_object(writer);
    rbl_json_key(writer, KIND_KEY);
    rbl_json_begin_object(writer);
    write_member(writer, "const", kind);
    rbl_json_end_object(writer);
}

// Begin an array of `min` to `max` items.
static void begin_list(rblJsonWriter* writer, uint32_t min, uint32_t max)
{
    write_member(writer, "type", "array");
    rbl_json_key(writer, "minItems");
    rbl_json_unsigned(writer, min);
    rbl_json_key(writer, "maxItems");
    rbl_json_unsigned(writer, max);
    rbl_json_key(writer, "items");
    rbl_json_begin_object(writer);
}

// ---- kinds of shapes ----

static void write_list(rblJsonWriter* writer, const rblVectorListKey* list)
{
    rbl_json_key(writer, list->key);
    rbl_json_begin_object(writer);
    begin_list(writer, list->min, list->max);
    write_member(writer, "$ref", "#/definitions/vector");
    rbl_json_end_object(writer);
    write_member(writer, "description", list->about);
    rbl_json_end_object(writer);
}

static void write_required(rblJsonWriter* writer, const rblShapeKeys* keys)
{
    rbl_json_key(writer, "required");
    rbl_json_begin_row(writer);
    rbl_json_string(writer, KIND_KEY);
    for (const rblParameter* row = keys->rows; row->type != RBL_PARAMETER_END; ++row)
    {
        if (row->required)
        {
            rbl_json_string(writer, row->key);
        }
    }
    if (keys->list != NULL)
    {
        rbl_json_string(writer, keys->list->key);
    }
    rbl_json_end_array(writer);
}

// ---- procedural solids ----

static void write_number_schema(rblJsonWriter* writer, const rblSolidParameter* parameter)
{
    write_member(writer, "type", parameter->is_integer ? "integer" : "number");
    rbl_json_key(writer, "minimum");
    rbl_json_number(writer, parameter->lowest);
    rbl_json_key(writer, "maximum");
    rbl_json_number(writer, parameter->highest);
}

static void write_defaults(rblJsonWriter* writer, const rblSolidParameter* parameter)
{
    const uint32_t count = parameter->components;
    if (count == 0) // a list is too long for a table
    {
        return;
    }
    rbl_json_key(writer, "default");
    if (count > 1)
    {
        rbl_json_begin_row(writer);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_json_number(writer, parameter->fallback[i]);
    }
    if (count > 1)
    {
        rbl_json_end_array(writer);
    }
}

// `about` null: the text and the default of the parameter.
static void write_parameter(rblJsonWriter* writer, const rblSolidParameter* parameter, const char* about)
{
    const uint32_t count = parameter->components;
    rbl_json_key(writer, parameter->name);
    rbl_json_begin_object(writer);
    if (count == 0)
    {
        begin_list(writer, 1, RBL_SOLID_MAX_PAIRS);
    }
    if (count != 1)
    {
        begin_list(writer, count == 0 ? 2 : count, count == 0 ? 2 : count);
    }
    write_number_schema(writer, parameter);
    for (uint32_t lists = count == 0 ? 2 : count > 1; lists > 0; --lists)
    {
        rbl_json_end_object(writer);
    }
    if (about == NULL)
    {
        write_defaults(writer, parameter);
    }
    write_member(writer, "description", about != NULL ? about : parameter->help);
    rbl_json_end_object(writer);
}

// ---- all kinds ----

static void write_kind(rblJsonWriter* writer, const rblShapeKind* kind)
{
    const rblShapeKeys* keys = kind->keys;
    const rblSolidParameter* segments = rbl_find_segments(kind->name);
    begin_variant(writer, kind->name, keys->about);
    rbl_json_write_parameter_schema(writer, keys->rows, keys->defaults);
    if (keys->list != NULL)
    {
        write_list(writer, keys->list);
    }
    if (segments != NULL)
    {
        write_parameter(writer, segments, "allowed as for `rubble make`, without effect: the shape is exact");
    }
    rbl_json_end_object(writer);
    write_required(writer, keys);
    rbl_json_end_object(writer);
}

static void write_mesh(rblJsonWriter* writer)
{
    const rblShapeDef defaults = {0};
    begin_variant(writer, RBL_MESH_KIND, "the solid within a closed mesh of a file");
    rbl_json_write_parameter_schema(writer, rbl_mesh_rows, &defaults);
    rbl_json_write_parameter_schema(writer, rbl_level_set_rows, &defaults);
    rbl_json_end_object(writer);
    rbl_json_write_required(writer, rbl_mesh_rows, KIND_KEY);
    rbl_json_end_object(writer);
}

static void write_solid(rblJsonWriter* writer, const rblSolidKind* solid)
{
    const rblShapeDef defaults = {0};
    begin_variant(writer, solid->name, solid->help);
    for (uint32_t i = 0; i < solid->parameter_count; ++i)
    {
        write_parameter(writer, &solid->parameters[i], NULL);
    }
    rbl_json_write_parameter_schema(writer, rbl_level_set_rows, &defaults);
    rbl_json_end_object(writer);
    rbl_json_write_required(writer, rbl_level_set_rows, KIND_KEY);
    rbl_json_end_object(writer);
}

void rbl_scene_write_shape_schema(rblJsonWriter* writer)
{
    uint32_t solid_count = 0;
    const rblSolidKind* solids = rbl_solid_kinds(&solid_count);
    const rblShapeKind* kind = NULL;
    rbl_json_begin_object(writer);
    rbl_json_key(writer, "oneOf");
    rbl_json_begin_array(writer);
    for (uint32_t i = 0; (kind = rbl_shape_kind_at(i)) != NULL; ++i)
    {
        if (kind->keys != NULL)
        {
            write_kind(writer, kind);
        }
    }
    write_mesh(writer);
    for (uint32_t i = 0; i < solid_count; ++i)
    {
        kind = rbl_shape_kind_find(solids[i].name);
        if (kind == NULL || kind->keys == NULL) // otherwise it is an exact shape
        {
            write_solid(writer, &solids[i]);
        }
    }
    rbl_json_end_array(writer);
    rbl_json_end_object(writer);
}
