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
    const bool is_default = strcmp(kind->name, RBL_BREAKER_KIND_NONE) == 0;
    begin_variant(writer, kind->about);
    rbl_json_key(writer, "const");
    rbl_json_string(writer, kind->name);
    if (is_default)
    {
        rbl_json_key(writer, "default");
        rbl_json_string(writer, kind->name);
    }
    rbl_json_end_object(writer);
    rbl_json_write_parameter_schema(writer, kind->parameters, defaults);
    rbl_json_end_object(writer);
    rbl_json_write_required(writer, kind->parameters, is_default ? NULL : RBL_BREAKER_KIND_KEY);
    rbl_json_end_object(writer);
}

static rblResult write_kinds(rblJsonWriter* writer)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const rblBreakerKind* kind = NULL;
    for (uint32_t i = 0; (kind = rbl_breaker_kind_at(i)) != NULL; ++i)
    {
        void* defaults = rbl_alloc_zero(allocator, kind->def_size);
        if (defaults == NULL)
        {
            return rbl_fail_memory();
        }
        kind->set_defaults(defaults);
        write_kind(writer, kind, defaults);
        rbl_free(allocator, defaults, kind->def_size);
    }
    return RBL_OK;
}

rblResult rbl_scene_write_fracture_schema(rblJsonWriter* writer)
{
    rbl_json_begin_object(writer);
    rbl_json_key(writer, "oneOf");
    rbl_json_begin_array(writer);
    rbl_breaker_kinds_retain();
    const rblResult result = write_kinds(writer);
    rbl_breaker_kinds_release();
    rbl_json_end_array(writer);
    rbl_json_end_object(writer);
    return result;
}
