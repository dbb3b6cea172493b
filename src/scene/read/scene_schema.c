// The JSON schema of "fracture" in scenes, from the table of breaker kinds.
#include "fracture/breaker_kinds.h"
#include "io/json/json_parameters.h"
#include "scene/read/scene.h"
#include <string.h>

static void begin_variant(rblJsonWriter* writer, const char* about)
{
    rbl_json_begin_object(writer);
    rbl_json_key(writer, "type");
    rbl_json_string(writer, "object");
    rbl_json_key(writer, "description");
    rbl_json_string(writer, about);
    rbl_json_key(writer, "additionalProperties");
    rbl_json_bool(writer, false);
    rbl_json_key(writer, "properties");
    rbl_json_begin_object(writer);
    rbl_json_key(writer, RBL_BREAKER_KIND_KEY);
    rbl_json_begin_object(writer);
}

static void write_kind(rblJsonWriter* writer, const rblBreakerKind* kind, const void* defaults)
{
    begin_variant(writer, kind->about);
    rbl_json_key(writer, "const");
    rbl_json_string(writer, kind->name);
    rbl_json_end_object(writer);
    rbl_json_write_parameter_schema(writer, kind->parameters, defaults);
    rbl_json_end_object(writer);
    rbl_json_write_required(writer, kind->parameters, RBL_BREAKER_KIND_KEY);
    rbl_json_end_object(writer);
}

// Whether an earlier kind has the key.
static bool is_there_before(const rblBreakerKind* kind, const char* key)
{
    const rblBreakerKind* before = NULL;
    for (uint32_t i = 0; (before = rbl_breaker_kind_at(i)) != kind; ++i)
    {
        if (before->parameters != NULL && rbl_json_find_parameter(before->parameters, key) != NULL)
        {
            return true;
        }
    }
    return false;
}

// Write the rows of a kind whose keys no earlier kind has.
static void write_new_rows(rblJsonWriter* writer, const rblBreakerKind* kind, const void* defaults)
{
    for (const rblParameter* row = kind->parameters; row->type != RBL_PARAMETER_END; ++row)
    {
        const rblParameter rows[2] = {*row, {.type = RBL_PARAMETER_END}};
        if (!is_there_before(kind, row->key))
        {
            rbl_json_write_parameter_schema(writer, rows, defaults);
        }
    }
}

typedef void KindFcn(rblJsonWriter* writer, const rblBreakerKind* kind, const void* defaults);

// Call `visit` for every kind with parameters, with its defaults.
static rblResult visit_kinds(rblJsonWriter* writer, KindFcn* visit)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const rblBreakerKind* kind = NULL;
    for (uint32_t i = 0; (kind = rbl_breaker_kind_at(i)) != NULL; ++i)
    {
        if (kind->parameters == NULL)
        {
            continue;
        }
        void* defaults = rbl_alloc_zero(allocator, kind->def_size);
        if (defaults == NULL)
        {
            return rbl_fail_memory();
        }
        kind->set_defaults(defaults);
        visit(writer, kind, defaults);
        rbl_free(allocator, defaults, kind->def_size);
    }
    return RBL_OK;
}

// A method without a kind accepts the keys of all kinds.
static rblResult write_idle(rblJsonWriter* writer)
{
    const rblBreakerKind* kind = NULL;
    begin_variant(writer, "the body stays whole; keys of all methods are allowed and checked");
    rbl_json_key(writer, "enum");
    rbl_json_begin_row(writer);
    for (uint32_t i = 0; (kind = rbl_breaker_kind_at(i)) != NULL; ++i)
    {
        if (kind->create == NULL)
        {
            rbl_json_string(writer, kind->name);
        }
    }
    rbl_json_end_array(writer);
    rbl_json_key(writer, "default");
    rbl_json_string(writer, RBL_BREAKER_KIND_NONE);
    rbl_json_end_object(writer);
    const rblResult result = visit_kinds(writer, write_new_rows);
    rbl_json_end_object(writer);
    rbl_json_end_object(writer);
    return result;
}

rblResult rbl_scene_write_fracture_schema(rblJsonWriter* writer)
{
    rbl_json_begin_object(writer);
    rbl_json_key(writer, "oneOf");
    rbl_json_begin_array(writer);
    rbl_breaker_kinds_retain();
    rblResult result = visit_kinds(writer, write_kind);
    result = result == RBL_OK ? write_idle(writer) : result;
    rbl_breaker_kinds_release();
    rbl_json_end_array(writer);
    rbl_json_end_object(writer);
    return result;
}
